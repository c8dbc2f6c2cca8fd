/* test_load_rules.c: rule tests that load a rule file as an evaluation does, with a config; and rule files inside those
 * that a test compiles. */
#include "lua/rule_text.h"

#include "base/buffer.h"
#include "lua/rule_test.h"

static const char rules_text[] = "local fields = {}\n"
                                 "for i, path in ipairs(ee.config.fields or error('config.fields is missing', 0)) do "
                                 "fields[i] = ee.exact(path) end\n"
                                 "return ee.rules {\n"
                                 "  ee.fields { name = 'header', fields },\n"
                                 "  ee.judge { 'least', function(case)\n"
                                 "    if case.id == 'loop' then while true do end end\n"
                                 "    return ee.config.least ~= nil and case.candidate.n >= ee.config.least\n"
                                 "  end },\n"
                                 "}\n";

/* Runs `text` as sub/a_test.lua beside sub/a.lua and returns its report, of which the last line tells passed and
 * failed. */
static const char *report(const char *text, const ee_rule_file_options *load) {
  static char out[4096];
  mkdir("sub", 0700);
  write_text("sub/a.lua", rules_text);
  write_text("sub/a_test.lua", text);
  ee_rule_test_options options = {.load = *load};
  ee_rule_test_totals totals;
  ee_buffer told;
  ee_buffer_init(&told);
  ee_error error = {0};
  ee_status status = ee_rule_test_run("sub/a_test.lua", &options, &told, &totals, &error);
  snprintf(out, sizeof out, "%s%s%s%zu+%zu", told.length > 0 ? ee_buffer_terminate(&told) : "",
           status == EE_OK ? "" : error_text(&error), status == EE_OK ? "" : "\n", totals.passed, totals.failed);
  ee_buffer_fini(&told);
  return out;
}

static void assert_report(const char *text, const char *expected) {
  assert_string_equal(report(text, &(ee_rule_file_options){.limits = {.instructions = 100000}}), expected);
}

static void test_configs(void **state) {
  (void)state;
  assert_report("local one = load_rules('a.lua', { config = { fields = { 'x' } } })\n"
                "local two = load_rules('a.lua', { config = '{\"fields\": [\"x\", \"y.z\"], \"least\": 3}' })\n"
                "it('knows its fields', function()\n"
                "  expect(one:score('x', 1, 1)):equals(1)\n"
                "  expect(two:score('y.z', 1, 2)):equals(0)\n"
                "  expect(function() one:score('y.z', 1, 1) end):fails \"the rules have no field 'y.z'\"\n"
                "end)\n"
                "it('calls functions that see it', function()\n"
                "  local case = { expected = { x = 1 }, candidate = { x = 1, n = 4 } }\n"
                "  expect(one:judge(case).judges.least.score):equals(0)\n"
                "  expect(two:judge(case).judges.least.score):equals(1)\n"
                "  expect(two:judge(case).judges.header.hits):equals { 'x' }\n"
                "end)\n"
                "it('is not the config of the test', function() expect(ee.config):equals {} end)",
                "3+0");
}

static void test_mistakes(void **state) {
  (void)state;
  assert_report(
      "it('is wrong', function()\n"
      "  local function fails(options, text) expect(function() load_rules('a.lua', options) end):fails(text) end\n"
      "  fails(nil, 'the rules have 1 mistake: sub/a.lua:2: config.fields is missing')\n"
      "  fails({}, 'config.fields is missing')\n"
      "  fails({ config = { fields = { 'a[' } } }, 'sub/a.lua:2: ')\n"
      "  fails({ confg = {} }, \"load_rules has no option 'confg' (did you mean 'config'?)\")\n"
      "  fails({ 1 }, \"load_rules has no option '[1]'\")\n"
      "  fails({ config = { 1, 2 } }, 'config must be an object, got a value of type array')\n"
      "  fails({ config = 'x' }, 'config is no JSON: ')\n"
      "  fails({ config = '7' }, 'config must be an object, got a value of type number')\n"
      "  fails({ config = { f = print } }, 'config holds a function')\n"
      "  fails(7, 'table expected, got number')\n"
      "  expect(function() load_rules('b.lua') end):fails 'sub/b.lua: cannot be read'\n"
      "  expect(function() load_rules() end):fails 'string expected'\n"
      "end)",
      "1+0");
  assert_report("local rules = load_rules 'a.lua'\nit('never runs', function() end)",
                "sub/a_test.lua:1: the rules have 1 mistake: sub/a.lua:2: config.fields is missing\n0+0");
}

/* Limits count for each call of the rules' own state, and a trip is the rules' error, as in an evaluation. */
static void test_limits(void **state) {
  (void)state;
  assert_report("local rules = load_rules('a.lua', { config = { fields = { 'x' }, least = 1 } })\n"
                "it('goes on', function()\n"
                "  local result = rules:judge { id = 'loop', expected = {}, candidate = { n = 2 } }\n"
                "  expect(#result.errors):equals(1)\n"
                "  expect(result.errors[1]):contains 'sub/a.lua:6: instruction budget of 100000 used up'\n"
                "  expect(rules:judge({ expected = {}, candidate = { n = 2 } }).judges.least.score):equals(1)\n"
                "end)",
                "1+0");
}

/* Of the command line; one that this file does not ask for may be meant for another. */
static void test_parameters(void **state) {
  (void)state;
  ee_lua_parameter parameters[] = {{"share", "0.5", false}, {"other", "1", false}};
  ee_rule_file_options load = {.limits = {.instructions = -1}, .parameters = parameters, .parameter_count = 2};
  write_text("param.lua", "return ee.rules { ee.fields { ee.fuzzy { 'x', threshold = ee.param('share', 0.9) } } }");
  assert_string_equal(report("local rules = load_rules '../param.lua'\n"
                             "it('is set', function() expect(rules:score('x', 'abcd', 'abxx')):equals(1) end)",
                             &load),
                      "1+0");
}

/* Rules that a test compiles may have rule files inside, found from the test file. */
static void test_files_inside(void **state) {
  (void)state;
  assert_report("local rules = compile(ee.rules {\n"
                "  ee.code_judge { 'inner', script = 'a.lua', config = { fields = { 'x' }, least = 2 } },\n"
                "  ee.judge { 'own', function(case) return case.candidate.n == 2 end },\n"
                "})\n"
                "it('judges', function()\n"
                "  local result = rules:judge { expected = { x = 1 }, candidate = { x = 2, n = 2 } }\n"
                "  expect(result.judges.inner.score):equals(0.5)\n"
                "  expect(result.judges.inner.misses):equals { 'x (value mismatch)' }\n"
                "  expect(result.judges.own.score):equals(1)\n"
                "end)\n"
                "it('is checked', function()\n"
                "  expect(function() compile(ee.rules { ee.code_judge { 'j', script = 'a.lua' } }) end):fails "
                "'sub/a.lua:2: config.fields is missing'\n"
                "end)",
                "2+0");
}

/* A judge sees the candidate as it was found, too. */
static void test_candidate_text(void **state) {
  (void)state;
  assert_report("local rules = compile(ee.rules { ee.judge { 't', function(case)\n"
                "  return case.candidate_text == 'say {' and case.candidate == nil\n"
                "end } })\n"
                "it('is there for texts', function()\n"
                "  expect(rules:judge({ expected = 1, candidate = 'say {' }).score):equals(1)\n"
                "  expect(rules:judge({ expected = 1, candidate = { a = 1 } }).score):equals(0)\n"
                "  expect(rules:judge({ expected = 1 }).errors):equals {}\n"
                "end)",
                "1+0");
}

/* Rules live as long as something holds them, and no longer than the test. */
static void test_many(void **state) {
  (void)state;
  assert_report("it('is collected', function()\n"
                "  for i = 1, 50 do\n"
                "    local rules = load_rules('a.lua', { config = { fields = { 'x' .. i } } })\n"
                "    expect(rules:score('x' .. i, 1, 1)):equals(1)\n"
                "  end\n"
                "end)",
                "1+0");
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_configs), cmocka_unit_test(test_mistakes),
             cmocka_unit_test(test_limits), cmocka_unit_test(test_parameters), cmocka_unit_test(test_files_inside),
             cmocka_unit_test(test_candidate_text), cmocka_unit_test(test_many));
