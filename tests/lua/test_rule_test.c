/* test_rule_test.c: describe, it, expect, compile, load_rules. */
#include "lua/rule_text.h"

#include "base/buffer.h"
#include "lua/rule_test.h"

/* What running a test file gave. */
typedef struct outcome {
  ee_status status;
  ee_error error;
  ee_rule_test_totals totals;
  ee_buffer report;
} outcome;

static const char rules_text[] =
    "local function close(expected, candidate, context)\n"
    "  if expected == 'loop' then while true do end end\n"
    "  if expected == 'raise' then error('no idea') end\n"
    "  if expected == 'grow' then local t = {} while true do t[#t + 1] = ('x'):rep(100000) .. #t end end\n"
    "  return expected:lower() == candidate:lower(), 'of ' .. context.path\n"
    "end\n"
    "return ee.rules {\n"
    "  case = { expected = 'truth', candidate = 'answer' },\n"
    "  ee.fields { name = 'header', ee.numeric { 'total', tolerance = 0.5 }, ee.custom { 'code', close },\n"
    "    ee.exact { 'a.b', name = 'deep', required = false } },\n"
    "  ee.line_items { 'items', match = 'description', ee.exact 'description', ee.exact { 'price', name = 'total' } "
    "},\n"
    "  ee.judge { 'own', function(case) if case.id == 'bad' then error 'bad case' end return 0.5, 'half of ' .. "
    "case.id end },\n"
    "}\n";

/* A provider whose texts are alike by the share of the candidate's bytes that are 'a'. By the name "late" its answers
 * are open until they are asked for. */
typedef struct fake_session {
  ee_provider_session base;
  bool late, known;
  unsigned begun, asked, ended;
} fake_session;
static unsigned opened, closed; /* providers and sessions, for all tests */

static void free_fake(ee_provider *provider) {
  closed++;
  free(provider);
}
static void close_fake(ee_provider_session *session) {
  const fake_session *self = (const fake_session *)(void *)session;
  assert_int_equal(self->begun, self->ended);
  closed++;
  free(session);
}
static void begin_fake(ee_provider_session *session, uint64_t ticket) {
  fake_session *self = (fake_session *)(void *)session;
  assert_true(ticket == EE_NO_TICKET);
  assert_int_equal(self->begun++, self->ended);
  self->known = false;
}
static ee_status ask_fake(ee_provider_session *session, const ee_stop *stop) {
  (void)stop;
  fake_session *self = (fake_session *)(void *)session;
  assert_int_equal(self->begun, self->ended + 1);
  self->known = true;
  self->asked++;
  return EE_OK;
}
static void end_fake(ee_provider_session *session) { ((fake_session *)(void *)session)->ended++; }

static void answer_fake(ee_provider_session *session, ee_str expected, ee_str candidate, ee_arena *scratch,
                        ee_answer *answer) {
  (void)scratch;
  const fake_session *self = (const fake_session *)(void *)session;
  if (self->late && !self->known) {
    *answer = (ee_answer){.state = EE_ANSWER_PENDING};
  } else if (ee_str_is(expected, "mute")) {
    *answer = (ee_answer){.state = EE_ANSWER_FAILED, .text = EE_STR("HTTP 500")};
  } else {
    size_t count = 0;
    for (size_t i = 0; i < candidate.length; i++) count += candidate.data[i] == 'a';
    *answer = (ee_answer){.state = EE_ANSWER_GIVEN, .similarity = (double)count / (double)candidate.length};
  }
}

static ee_provider_session *open_session(ee_provider *provider, ee_error *error);
static const ee_provider_vtable prompt_fake = {
    .name = "prompt", .free = free_fake, .open = open_session, .close = close_fake, .similarity = answer_fake};
static const ee_provider_vtable late_fake = {.name = "late",
                                             .free = free_fake,
                                             .open = open_session,
                                             .close = close_fake,
                                             .similarity = answer_fake,
                                             .begin = begin_fake,
                                             .ask = ask_fake,
                                             .end = end_fake};

static ee_provider_session *open_session(ee_provider *provider, ee_error *error) {
  (void)error;
  fake_session *self = calloc(1, sizeof *self);
  assert_non_null(self);
  self->base.vtable = provider->vtable;
  self->late = provider->vtable == &late_fake;
  opened++;
  return &self->base;
}

static ee_provider *open_provider(const ee_provider_settings *settings, ee_error *error) {
  if (settings->kind == EE_PROVIDER_OPENAI && ee_str_is(settings->model, "none")) {
    ee_error_set(error, EE_ERROR_RULES, "no such model");
    return NULL;
  }
  ee_provider *self = calloc(1, sizeof *self);
  assert_non_null(self);
  self->vtable = settings->kind == EE_PROVIDER_LOCAL ? &prompt_fake : &late_fake;
  opened++;
  return self;
}

static outcome run_with(const char *text, bool verbose, ee_lua_limits limits) {
  write_text("small.lua", rules_text);
  write_text("small_test.lua", text);
  outcome result = {0};
  ee_buffer_init(&result.report);
  ee_rule_test_options options = {.load = {.limits = limits}, .verbose = verbose, .open_provider = open_provider};
  result.status = ee_rule_test_run("small_test.lua", &options, &result.report, &result.totals, &result.error);
  ee_buffer_terminate(&result.report);
  return result;
}

static outcome run(const char *text) { return run_with(text, false, (ee_lua_limits){.instructions = 100000}); }

/* Runs `text`: so many tests pass, and the report is `report`. */
static void assert_report(const char *text, size_t passed, const char *report) {
  outcome result = run(text);
  if (result.status != EE_OK) fail_msg("%s\n%s", error_text(&result.error), text);
  assert_string_equal(result.report.data, report);
  size_t lines = 0;
  for (const char *at = report; *at != '\0'; at++) lines += *at == '\n';
  assert_int_equal(result.totals.failed, lines);
  assert_int_equal(result.totals.passed, passed);
  ee_buffer_fini(&result.report);
}

/* Runs a test with `body` in it, on line 2, that must pass, or fail with `message`. */
static void assert_passes(const char *body) {
  char text[4096];
  snprintf(text, sizeof text, "local rules = compile(require 'small') it('t', function()\n%s end)", body);
  assert_report(text, 1, "");
}
static void assert_fails(const char *body, const char *message) {
  char text[4096], report[4096];
  snprintf(text, sizeof text, "local rules = compile(require 'small') it('t', function()\n%s end)", body);
  snprintf(report, sizeof report, "small_test.lua:2: t: %s\n", message);
  assert_report(text, 0, report);
}

/* The file does not load, with `message`. */
static void assert_load_fails(const char *text, const char *message) {
  outcome result = run(text);
  assert_int_equal(result.status, EE_ERROR_RULES);
  assert_string_equal(error_text(&result.error), message);
  assert_int_equal(result.report.length, 0);
  ee_buffer_fini(&result.report);
}

/* expect --------------------------------------------------------------------------------------- */

static void test_equals(void **state) {
  (void)state;
  assert_passes("expect(1):equals(1) expect(1):equals(1.0) expect('a'):equals('a') expect(nil):equals(nil)");
  assert_passes("expect(ee.null):equals(ee.null) expect({}):equals({}) expect(true):equals(true)");
  assert_passes("expect({ 1, { a = 'x', b = {} } }):equals { 1, { b = {}, a = 'x' } }");
  assert_fails("expect(0.5):equals(1)", "expected 1, got 0.5");
  assert_fails("expect(0.1 + 0.2):equals(0.3)", "expected 0.3, got 0.30000000000000004");
  assert_fails("expect('1'):equals(1)", "expected 1, got \"1\"");
  assert_fails("expect(nil):equals(false)", "expected false, got nil");
  assert_fails("expect(ee.null):equals(nil)", "expected nil, got ee.null");
  assert_fails("expect(0/0):equals(0/0)", "expected NaN, got NaN");
  assert_fails("expect(-1/0):equals(1/0)", "expected infinity, got -infinity");
  assert_fails("expect({ 1, 2 }):equals { 1 }", "expected { 1 }, got { 1, 2 }");
  assert_fails("expect({ 1 }):equals { 1, 2 }", "expected { 1, 2 }, got { 1 }");
  assert_fails("expect({ b = 2, a = { c = true } }):equals { a = { c = false }, b = 2 }",
               "expected { a = { c = false }, b = 2 }, got { a = { c = true }, b = 2 }");
  assert_fails("expect({}):equals { ['a b'] = 1, [3] = ee.null }", "expected { [3] = ee.null, [\"a b\"] = 1 }, got {}");
  assert_fails("expect('a\\nb\\0\\xff\"'):equals('')", "expected \"\", got \"a\\nb\\u0000\\xff\\\"\"");
  assert_fails("expect(1):equals()", "bad argument #1 to 'equals' (value expected)");
  assert_fails("local a, b = {}, {} a[1] = a b[1] = b expect(a):equals(b)",
               "tables nested deeper than 100 cannot be compared");
}

static void test_long_values_are_cut(void **state) {
  (void)state;
  outcome result = run("it('t', function() local t = {} for i = 1, 5000 do t[i] = i end\n"
                       "expect(t):equals(('x'):rep(5000)) end)");
  assert_int_equal(result.totals.failed, 1);
  assert_true(result.report.length < 800);
  assert_non_null(strstr(result.report.data, "xxx..., got { 1, 2, 3,"));
  assert_non_null(strstr(result.report.data, "... }\n"));
  ee_buffer_fini(&result.report);
}

static void test_near(void **state) {
  (void)state;
  assert_passes("expect(0.1 + 0.2):near(0.3) expect(2):near(2) expect(5):near(4, 1) expect(-1):near(-1.5, 0.5)");
  assert_fails("expect(0.5):near(0.75)", "expected 0.75 within 1e-09, got 0.5");
  assert_fails("expect(5):near(4, 0.5)", "expected 4 within 0.5, got 5");
  assert_fails("expect('5'):near(5)", "expected 5 within 1e-09, got \"5\"");
  assert_fails("expect(5):near('x')", "bad argument #1 to 'near' (number expected, got string)");
  assert_fails("expect(5):near(5, -1)", "bad argument #2 to 'near' (a number from 0 expected)");
}

static void test_texts(void **state) {
  (void)state;
  assert_passes("expect('total 12'):matches('%d+$') expect('abc'):contains('b') expect('a.c'):contains('.')");
  assert_passes("expect({ 'a', { 1 } }):contains('a') expect({ 'a', { 1 } }):contains { 1 }");
  assert_fails("expect('abc'):matches('%d')", "expected a string with the pattern \"%d\", got \"abc\"");
  assert_fails("expect(12):matches('%d')", "expected a string with the pattern \"%d\", got 12");
  assert_fails("expect('abc'):contains('d')", "expected a string with \"d\", got \"abc\"");
  assert_fails("expect('1'):contains(1)", "expected a string with 1, got \"1\"");
  assert_fails("expect({ 'a' }):contains('b')", "expected a list with \"b\", got { \"a\" }");
  assert_fails("expect(nil):contains('b')", "expected a list with \"b\", got nil");
}

static void test_constants(void **state) {
  (void)state;
  assert_passes("expect(true):is_true() expect(false):is_false() expect(nil):is_nil()");
  assert_fails("expect(1):is_true()", "expected true, got 1");
  assert_fails("expect(nil):is_false()", "expected false, got nil");
  assert_fails("expect(false):is_nil()", "expected nil, got false");
}

static void test_fails(void **state) {
  (void)state;
  assert_passes("expect(function() error 'oh no' end):fails() expect(function() error 'oh no' end):fails 'oh'");
  assert_passes("expect(function() error { 1 } end):fails() expect(function() error() end):fails 'nil'");
  assert_fails("expect(function() end):fails()", "expected an error, got none");
  assert_fails("expect(function() error('oh', 0) end):fails 'no'", "expected an error with \"no\", got \"oh\"");
  assert_fails("expect(1):fails()", "expected a function that fails, got 1");
}

static void test_expectations_are_checked(void **state) {
  (void)state;
  assert_fails("expect(1 == 2)", "expect without a check, such as :equals(...)");
  assert_fails("local e, f = expect(1), expect(2) e:equals(1) e:equals(1)",
               "expect without a check, such as :equals(...)");
}

/* An expectation is told where expect was called, whatever stands between. */
static void test_places(void **state) {
  (void)state;
  assert_report("local function check(x)\n  expect(x)\n    :equals(1)\nend\n"
                "it('one', function()\n  check(1)\n  check(2)\nend)\n"
                "it('two', function() error 'here' end)\nit('three', function() error('nowhere', 0) end)\n",
                0,
                "small_test.lua:2: one: expected 1, got 2\nsmall_test.lua:9: two: here\n"
                "small_test.lua:10: three: nowhere\n");
}

static void test_misused_objects(void **state) {
  (void)state;
  assert_fails("expect(1):equal(1)", "expect(...) has no 'equal' (did you mean 'equals'?)");
  assert_fails("rules:scores('a')", "rules has no 'scores' (did you mean 'score'?)");
  assert_fails("expect(1).equals(1)", "bad argument #1 to 'equals' (expect(...) expected, got number)");
  assert_fails("expect()", "bad argument #1 to 'expect' (a value expected)");
}

/* describe and it ------------------------------------------------------------------------------ */

static void test_names(void **state) {
  (void)state;
  const char *text = "it('alone', function() expect(1):equals(1) end)\n"
                     "describe('outer', function()\n"
                     "  describe('inner\\nname', function() it('fails', function() expect(1):equals(2) end) end)\n"
                     "  it('passes', function() end)\n"
                     "end)\n"
                     "it('last', function() expect(1):equals(3) end)\n";
  assert_report(text, 2,
                "small_test.lua:3: outer > inner name > fails: expected 2, got 1\n"
                "small_test.lua:6: last: expected 3, got 1\n");
  outcome result = run_with(text, true, (ee_lua_limits){.instructions = -1});
  assert_string_equal(result.report.data, "passed: alone\n"
                                          "small_test.lua:3: outer > inner name > fails: expected 2, got 1\n"
                                          "passed: outer > passes\n"
                                          "small_test.lua:6: last: expected 3, got 1\n");
  ee_buffer_fini(&result.report);
}

static void test_no_tests(void **state) {
  (void)state;
  assert_report("describe('empty', function() end)", 0, "");
}

static void test_files_that_do_not_load(void **state) {
  (void)state;
  assert_load_fails("it('a', function()", "small_test.lua:1: 'end' expected near <eof>");
  assert_load_fails("\nerror 'oh'", "small_test.lua:2: oh");
  assert_load_fails("describe('a', function()\nlocal x = nil + 1 end)",
                    "small_test.lua:2: attempt to perform arithmetic on a nil value");
  assert_load_fails("it('a')", "small_test.lua:1: bad argument #2 to 'it' (function expected, got no value)");
  assert_load_fails("describe({}, print)",
                    "small_test.lua:1: bad argument #1 to 'describe' (string expected, got table)");
  assert_load_fails("it('a', function() end)\nlocal x = ee.exakt 'a'",
                    "small_test.lua:2: unknown constructor 'ee.exakt' (did you mean 'ee.exact'?)");
  assert_load_fails(
      "while true do end",
      "small_test.lua:1: instruction budget of 100000 used up (a loop that does not end? --lua-budget gives more)");
  assert_load_fails("local rules = compile(require 'small')\nrules:score('code', 'loop', 'x')",
                    "small.lua:2: instruction budget of 100000 used up (a loop that does not end? --lua-budget gives "
                    "more) (case 'score')");
}

static void test_files_that_are_not_there(void **state) {
  (void)state;
  outcome result = {0};
  ee_buffer_init(&result.report);
  ee_rule_test_options options = {.load = {.limits = {.instructions = -1}}};
  assert_int_equal(ee_rule_test_run("none_test.lua", &options, &result.report, &result.totals, &result.error),
                   EE_ERROR_RULES);
  assert_string_equal(error_text(&result.error), "none_test.lua: cannot be read: No such file or directory");
  assert_int_equal(ee_rule_test_run("none_test.lua", &options, &result.report, &result.totals, NULL), EE_ERROR_RULES);
  ee_buffer_fini(&result.report);
}

static void test_tests_in_tests(void **state) {
  (void)state;
  assert_fails("it('inner', function() end)", "'it' is called inside a test");
  assert_fails("describe('inner', function() end)", "'describe' is called inside a test");
  assert_fails("local x = ee.exakt 'a'", "unknown constructor 'ee.exakt' (did you mean 'ee.exact'?)");
}

/* Limits --------------------------------------------------------------------------------------- */

#define BUDGET "instruction budget of 100000 used up (a loop that does not end? --lua-budget gives more)"

static void test_loops_end(void **state) {
  (void)state;
  assert_report(
      "local rules = compile(require 'small')\n"
      "it('loops', function()\n  while true do end\nend)\n"
      "it('goes on', function() expect(1):equals(1) end)\n"
      "it('swallows', function() pcall(function()\n  while true do end end) end)\n"
      "it('expects', function() expect(function()\n  while true do end end):fails() end)\n"
      "it('scores', function() rules:score('code', 'loop', 'x') end)\n"
      "it('scores again', function() expect(rules:score('code', 'X', 'x')):equals(1) end)\n"
      "it('hides', function() expect(function() rules:score('code', 'loop', 'x') end):fails() end)\n"
      "it('judges', function() rules:judge { expected = { code = 'loop' }, candidate = { code = 'x' } } end)\n"
      "it('judges again', function() expect(rules:judge({ expected = {}, candidate = {} }).errors):equals {} end)\n",
      3,
      "small_test.lua:3: loops: " BUDGET "\n"
      "small_test.lua:7: swallows: " BUDGET "\n"
      "small_test.lua:9: expects: " BUDGET "\n"
      "small.lua:2: scores: " BUDGET " (case 'score')\n"
      "small.lua:2: hides: " BUDGET " (case 'score')\n"
      "small.lua:2: judges: " BUDGET " (case 'case')\n");
}

static void test_each_test_has_its_budget(void **state) {
  (void)state;
  char text[4096] = "";
  for (int i = 0; i < 20; i++) strcat(text, "it('t', function() for i = 1, 20000 do end expect(1):equals(1) end)\n");
  assert_report(text, 20, "");
}

static void test_memory_ends(void **state) {
  (void)state;
  outcome result =
      run_with("local rules = compile(require 'small')\n"
               "it('grows', function() local t = {} while true do t[#t + 1] = ('x'):rep(100000) .. #t end end)\n"
               "it('scores', function() rules:score('code', 'grow', 'x') end)\n"
               "it('hides', function() pcall(function() rules:score('code', 'grow', 'x') end) end)\n"
               "it('goes on', function() expect(rules:score('code', 'X', 'x')):equals(1) end)\n",
               false, (ee_lua_limits){.memory = (size_t)4 << 20, .instructions = -1});
  assert_string_equal(result.report.data,
                      "small_test.lua:2: grows: out of memory: the rule's state holds more than 4 MiB\n"
                      "small.lua:1: scores: out of memory: the rule's state holds more than 4 MiB (case 'score')\n"
                      "small.lua:1: hides: out of memory: the rule's state holds more than 4 MiB (case 'score')\n");
  assert_int_equal(result.totals.passed, 1);
  ee_buffer_fini(&result.report);
}

/* Wherever memory ends, the outcome is an error or a failed test; with enough of it all is well. */
static void test_memory_ends_anywhere(void **state) {
  (void)state;
  static const char text[] =
      "local rules = compile(require 'small')\n"
      "local function many() local t = {} for i = 1, 300 do t[i] = { price = i } end return t end\n"
      "describe('all', function()\n"
      "  it('scores', function() expect(rules:score('deep', many(), many())):equals(1) end)\n"
      "  it('judges', function() expect(#rules:judge({ expected = { items = many() }, candidate = {} "
      "}).misses):equals(301) end)\n"
      "  it('compiles', function() expect(function() compile(ee.rules { ee.fields { ee.exakt 'a' } }) end):fails "
      "'exakt' end)\n"
      "end)\n";
  size_t unloaded = 0, failed = 0, complete = 0;
  for (size_t memory = (size_t)24 << 10; memory < (size_t)200 << 10; memory += 256) {
    outcome result = run_with(text, false, (ee_lua_limits){.memory = memory, .instructions = -1});
    if (result.status == EE_OK) {
      assert_int_equal(result.totals.passed + result.totals.failed, 3);
      if (result.totals.failed == 0) complete++;
      if (result.totals.failed > 0) failed++;
      if (result.totals.failed > 0) assert_non_null(strstr(result.report.data, "out of memory"));
    } else {
      unloaded++;
      assert_non_null(strstr(result.error.message, "out of memory"));
      assert_int_equal(result.totals.passed, 0);
    }
    ee_buffer_fini(&result.report);
  }
  assert_true(unloaded > 50 && failed > 50 && complete > 50);
}

/* compile -------------------------------------------------------------------------------------- */

static void test_compile(void **state) {
  (void)state;
  assert_passes("expect(compile(ee.rules { ee.fields { ee.exact 'a' } }):score('a', 1, 1)):equals(1)");
  assert_fails(
      "compile(ee.rules { ee.fields { ee.exact { 'a', wieght = 2 } } })",
      "the rules have 1 mistake: small_test.lua:2: unknown option 'wieght' for ee.exact (did you mean 'weight'?)");
  assert_fails(
      "compile(ee.rules { ee.fields {}, ee.exact 'c', ee.exakt 'b', })",
      "the rules have 4 mistakes: small_test.lua:2: unknown constructor 'ee.exakt' (did you mean 'ee.exact'?); "
      "small_test.lua:2: ee.fields has no fields; "
      "small_test.lua:2: ee.exact is outside of a judge: put it into ee.fields { ... }; "
      "small_test.lua:2: ee.exact is outside of a judge: put it into ee.fields { ... }");
  assert_fails("compile {}", "compile takes ee.rules { ... }, got a table");
  assert_fails("compile()", "bad argument #1 to 'compile' (value expected)");
  assert_fails("compile(ee.exact 'a')", "compile takes ee.rules { ... }, got ee.exact");
  assert_fails("compile(ee.strategy { 'own', score = print } 'a')", "compile takes ee.rules { ... }, got own");
  assert_fails("compile(ee.rules())", "the rules have 1 mistake: small_test.lua:2: ee.rules is called with nothing");
  assert_passes("expect(function() compile(ee.rules { ee.fields { ee.numeric { 'a', tolerance = -1 } } }) end)\n"
                ":fails \"option 'tolerance' of ee.numeric must be at least 0\"");
}

/* score ---------------------------------------------------------------------------------------- */

static void test_score(void **state) {
  (void)state;
  assert_passes(
      "expect(rules:score('code', 'AB', 'ab')):equals(1) expect(rules:score('header:total', 1, 1.5)):equals(1)");
  assert_passes(
      "expect(rules:score('a.b', { x = { 1 } }, { x = { 1 } })):equals(1) expect(rules:score('deep', 1, 2)):equals(0)");
  assert_passes(
      "expect(rules:score('description', nil, ee.null)):equals(1) expect(rules:score('description', 'x')):equals(0)");
  assert_passes("local s, why = rules:score('header:total', 1, 3) expect(s):equals(0)\n"
                "expect(why):equals('outside tolerance: diff=2, tolerance=0.5')");
  assert_passes("local s, why = rules:score('code', 'a', 'b') expect(why):equals 'of code'");
  assert_passes("expect(select('#', rules:score('code', 'a', 'a'))):equals(2)");
  assert_fails("rules:score('descripton', 1, 1)", "the rules have no field 'descripton' (did you mean 'description'?)");
  assert_fails("rules:score('zzz', 1, 1)", "the rules have no field 'zzz'");
  assert_fails("rules:score('total', 1, 1)", "'total' may be 'header:total' and 'line_items:total'");
  assert_fails("rules:score('code', print, 1)", "the expected value holds a function");
  assert_fails("rules:score('code', 1, { 1, nil, 3 })", "the candidate holds a list with holes");
  assert_fails("rules:score({}, 1, 1)", "bad argument #1 to 'score' (string expected, got table)");
  assert_passes("expect(function() rules:score('code', 'raise', 'x') end):fails 'small.lua:3: no idea'");
}

/* judge ---------------------------------------------------------------------------------------- */

static void test_judge(void **state) {
  (void)state;
  assert_passes(
      "local r = rules:judge { id = 'c1', expected = { total = 1, code = 'A', a = { b = 2 }, items = { { description = "
      "'x', price = 1 } } },\n"
      "  candidate = { total = 3, code = 'a', items = { { description = 'x', price = 2 } } } }\n"
      "expect(r.judges.header):equals { score = 0.5, verdict = 'fail', reasoning = '1/3 fields matched', hits = { "
      "'code' },\n"
      "  misses = { 'total (outside tolerance: diff=2, tolerance=0.5)', 'a.b (optional, missing)' }, metrics = {\n"
      "  total = { tp = 0, tn = 0, fp = 1, fn = 1 }, code = { tp = 1, tn = 0, fp = 0, fn = 0 }, deep = { tp = 0, tn = "
      "0, fp = 0, fn = 1 } } }\n"
      "expect(r.judges.own.score):equals(0.5) expect(r.judges.own.reasoning):equals 'half of c1'\n"
      "expect(r.judges.line_items.score):equals(0.5) expect(r.score):equals(0.5) expect(r.verdict):equals 'fail'\n"
      "expect(r.errors):equals {} expect(r.hits):contains 'code'\n"
      "expect(r.misses):contains 'a.b (optional, missing)'");
  /* Text on either side, a record, the default id. */
  assert_passes(
      "local r = rules:judge { expected = '{\"total\": 1}', candidate = 'It is {\"total\": 1}.' }\n"
      "expect(r.judges.header.metrics.total.tp):equals(1) expect(r.judges.own.reasoning):equals 'half of case'");
  assert_passes("local r = rules:judge { record = { id = 5, truth = { total = 1 }, answer = { total = 1 } } }\n"
                "expect(r.judges.header.metrics.total.tp):equals(1) expect(r.judges.own.reasoning):equals 'half of 5'");
  assert_passes("local r = rules:judge { expected = { total = 1 } } expect(r.judges.header.score):equals(0)\n"
                "expect(r.misses):contains 'candidate (missing)'");
  assert_passes(
      "local r = rules:judge { id = 'bad', expected = { code = 'raise' }, candidate = { code = 'x' } }\n"
      "expect(r.errors):equals { \"small.lua:3: no idea (case 'bad')\", \"small.lua:12: bad case (case 'bad')\" }\n"
      "expect(r.misses):contains 'own (small.lua:12: bad case)' expect(r.judges.own.score):equals(0)");
  assert_fails("rules:judge { expectd = {} }", "a case has no field 'expectd' (did you mean 'expected'?)");
  assert_fails("rules:judge { {} }", "a case has no field '[1]'");
  assert_fails("rules:judge {}", "record has no expected value: it has 'id'");
  assert_fails("rules:judge { record = {} }", "record has no expected value: it is empty");
  assert_fails("rules:judge { expected = { print } }", "expected holds a function");
  assert_fails("rules:judge()", "bad argument #1 to 'judge' (table expected, got nil)");
}

/* The parts of ee.quality: its metrics by name, and what was done with each key. */
static void test_judge_quality(void **state) {
  (void)state;
  assert_report(
      "local rules = compile(ee.rules { ee.quality { strategies = { skip = 'IGNORE' } } })\n"
      "it('t', function()\n"
      "  local q = rules:judge({ expected = '{\"bio\":\"xy\",\"n\":1,\"gone\":\"x\",\"skip\":\"s\",\"none\":null}',\n"
      "    candidate = '{\"bio\":\"aaab\",\"n\":1,\"skip\":\"t\",\"none\":2,\"more\":null}' }).judges.quality\n"
      "  expect(q.case_metrics.accuracy):equals(0.5) expect(q.case_metrics.completeness):equals(0.75)\n"
      "  expect(q.case_metrics.hallucination):near(2 / 6) expect(q.case_metrics.safety):equals(1)\n"
      "  expect(q.case_metrics.rqs):near(0.45 * 0.5 + 0.25 * 0.75 + 0.15 - 0.15 / 3) "
      "expect(q.score):equals(q.case_metrics.rqs)\n"
      "  expect(q.keys.bio):equals { bucket = 'both_non_null', strategy = 'SEMANTIC', why = 'text', score = 0, reason "
      "= 'similarity 0.75 below 0.8', "
      "similarity "
      "= 0.75 }\n"
      "  expect(q.keys.n):equals { bucket = 'both_non_null', strategy = 'EXACT', why = 'number', score = 1, similarity "
      "= 1 "
      "}\n"
      "  expect(q.keys.skip):equals { bucket = 'both_non_null', strategy = 'IGNORE', why = 'config' }\n"
      "  expect(q.keys.gone.bucket):equals 'aio_missing_or_null' expect(q.keys.none.bucket):equals "
      "'gt_null_aio_has_value'\n"
      "  expect(q.keys.more.bucket):equals 'extra_keys'\n"
      "end)\n"
      "it('has no such parts elsewhere', function()\n"
      "  local other = compile(ee.rules { ee.fields { ee.exact 'n' } }):judge { expected = { n = 1 }, candidate = {} "
      "}\n"
      "  expect(other.judges.fields.case_metrics):is_nil() expect(other.judges.fields.keys):is_nil()\n"
      "end)\n",
      2, "");
}

/* Similarity comes from the provider of the rules, whether it answers at once or has to be asked first. */
static void test_providers(void **state) {
  (void)state;
  for (int late = 0; late < 2; late++) {
    char text[4096];
    snprintf(
        text, sizeof text,
        "local rules = compile(ee.rules { provider = %s, ee.fields { ee.semantic { 'a', threshold = 0.6 } } })\n"
        "it('scores', function()\n"
        "  for _ = 1, 2 do expect(rules:score('a', 'x', 'aab')):equals(1) end\n"
        "  expect(rules:score('a', 'x', 'abb')):equals(0) expect(rules:score('a', 'b', 'b')):equals(1) end)\n"
        "it('judges', function()\n"
        "  for _ = 1, 2 do expect(rules:judge({ expected = { a = 'x' }, candidate = { a = 'aab' } }).score):equals(1) "
        "end end)\n"
        "it('fails', function() expect(function() rules:score('a', 'mute', 'a') end):fails 'HTTP 500' end)\n"
        "it('tells', function()\n"
        "  local r = rules:judge { expected = { a = 'mute' }, candidate = { a = 'a' } }\n"
        "  expect(r.score):equals(0) expect(#r.errors):equals(1) expect(r.errors[1]):contains 'HTTP 500' end)\n",
        late ? "{ 'openai', model = 'm' }" : "'local'");
    opened = closed = 0;
    assert_report(text, 4, "");
    assert_int_equal(opened, 2);
    assert_int_equal(closed, 2);
  }
  assert_fails("compile(ee.rules { provider = { 'openai', model = 'none' }, ee.fields { ee.semantic 'a' } })",
               "no such model");
  opened = 0;
  assert_passes("compile(ee.rules { provider = { 'openai', model = 'none' }, ee.fields { ee.exact 'a' } })");
  assert_int_equal(opened, 0);
}

/* What a rule kept of a case is dead in the next, and rules cannot be tried by rules. */
static void test_cases_end(void **state) {
  (void)state;
  assert_report(
      "local kept, rules\n"
      "rules = compile(ee.rules { ee.fields { ee.custom { 'a', function(x, y)\n"
      "  if kept then return kept.b == 1 end\n  kept = x\n  return x == y end }, ee.custom { 'c', function()\n"
      "  return rules:score('a', 1, 2) end } } })\n"
      "it('keeps', function()\n  expect(rules:score('a', { b = 1 }, { b = 1 })):equals(1)\n"
      "  rules:score('a', { b = 1 }, { b = 1 }) end)\n"
      "it('reads', function() expect(kept.b):equals(1) end)\n"
      "it('nests', function() rules:score('c', 1, 2) end)\n",
      0,
      "small_test.lua:3: keeps: this value belongs to a case that has ended (copy it with ee.copy, or do not keep it)\n"
      "small_test.lua:10: reads: this value belongs to a case that has ended (copy it with ee.copy, or do not keep "
      "it)\n"
      "small_test.lua:6: nests: rules cannot be tested while a case is judged\n");
}

static void test_names_inside_rules(void **state) {
  (void)state;
  /* While a rule's function runs, an unknown name is an error there, as in an evaluation. */
  assert_report(
      "local rules = compile(ee.rules { ee.fields { ee.custom { 'a', function() return ee.txet.trim ' ' end } } })\n"
      "it('t', function() rules:score('a', 1, 2) end)",
      0, "small_test.lua:1: t: undefined name 'ee.txet' (did you mean 'ee.text'?)\n");
}

/* load_rules ----------------------------------------------------------------------------------- */

static const char loaded_text[] = "local fields = {}\n"
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
static const char *load_report(const char *text, const ee_rule_file_options *load) {
  static char out[4096];
  mkdir("sub", 0700);
  write_text("sub/a.lua", loaded_text);
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

static void assert_load_report(const char *text, const char *expected) {
  assert_string_equal(load_report(text, &(ee_rule_file_options){.limits = {.instructions = 100000}}), expected);
}

static void test_load_configs(void **state) {
  (void)state;
  assert_load_report("local one = load_rules('a.lua', { config = { fields = { 'x' } } })\n"
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

static void test_load_mistakes(void **state) {
  (void)state;
  assert_load_report(
      "it('is wrong', function()\n"
      "  local function fails(options, text) expect(function() load_rules('a.lua', options) end):fails(text) end\n"
      "  fails(nil, 'the rules have 1 mistake: sub/a.lua:2: config.fields is missing')\n"
      "  fails({}, 'config.fields is missing')\n"
      "  fails({ config = { fields = { 'a[' } } }, 'sub/a.lua:2: ')\n"
      "  fails({ confg = {} }, \"load_rules has no option 'confg' (did you mean 'config'?)\")\n"
      "  fails({ 1 }, \"load_rules has no option '[1]'\")\n"
      "  fails({ config = { 1, 2 } }, 'config must be an object, got a value of type array')\n"
      "  fails({ config = 'x' }, 'config is not JSON: ')\n"
      "  fails({ config = '7' }, 'config must be an object, got a value of type number')\n"
      "  fails({ config = { f = print } }, 'config holds a function')\n"
      "  fails(7, 'table expected, got number')\n"
      "  expect(function() load_rules('b.lua') end):fails 'sub/b.lua: cannot be read'\n"
      "  expect(function() load_rules() end):fails 'string expected'\n"
      "end)",
      "1+0");
  assert_load_report("local rules = load_rules 'a.lua'\nit('never runs', function() end)",
                     "sub/a_test.lua:1: the rules have 1 mistake: sub/a.lua:2: config.fields is missing\n0+0");
}

/* Limits count for each call of the rules' own state, and a trip is the rules' error, as in an evaluation. */
static void test_load_limits(void **state) {
  (void)state;
  assert_load_report("local rules = load_rules('a.lua', { config = { fields = { 'x' }, least = 1 } })\n"
                     "it('goes on', function()\n"
                     "  local result = rules:judge { id = 'loop', expected = {}, candidate = { n = 2 } }\n"
                     "  expect(#result.errors):equals(1)\n"
                     "  expect(result.errors[1]):contains 'sub/a.lua:6: instruction budget of 100000 used up'\n"
                     "  expect(rules:judge({ expected = {}, candidate = { n = 2 } }).judges.least.score):equals(1)\n"
                     "end)",
                     "1+0");
}

/* Of the command line; one that this file does not ask for may be meant for another. */
static void test_load_parameters(void **state) {
  (void)state;
  ee_lua_parameter parameters[] = {{"share", "0.5", false, false}, {"other", "1", false, false}};
  ee_rule_file_options load = {.limits = {.instructions = -1}, .parameters = parameters, .parameter_count = 2};
  write_text("param.lua", "return ee.rules { ee.fields { ee.fuzzy { 'x', threshold = ee.param('share', 0.9) } } }");
  assert_string_equal(load_report("local rules = load_rules '../param.lua'\n"
                                  "it('is set', function() expect(rules:score('x', 'abcd', 'abxx')):equals(1) end)",
                                  &load),
                      "1+0");
}

/* Rules that a test compiles may have rule files inside, found from the test file. */
static void test_load_files_inside(void **state) {
  (void)state;
  assert_load_report("local rules = compile(ee.rules {\n"
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
static void test_load_candidate_text(void **state) {
  (void)state;
  assert_load_report(
      "local rules = compile(ee.rules { ee.judge { 't', function(case)\n"
      "  return case.candidate_text == 'say {' and (case.candidate == nil) == (ee.type(case.expected) == 'object')\n"
      "    and (case.expected_text == '1' or case.expected_text == '{\"a\":1}')\n"
      "end } })\n"
      "it('is there for texts', function()\n"
      "  expect(rules:judge({ expected = 1, candidate = 'say {' }).score):equals(1)\n"
      "  expect(rules:judge({ expected = { a = 1 }, candidate = 'say {' }).score):equals(1)\n"
      "  expect(rules:judge({ expected = 1, candidate = { a = 1 } }).score):equals(0)\n"
      "  expect(rules:judge({ expected = 1 }).errors):equals {}\n"
      "end)",
      "1+0");
}

/* Rules live as long as something holds them, and no longer than the test. */
static void test_load_many(void **state) {
  (void)state;
  assert_load_report("it('is collected', function()\n"
                     "  for i = 1, 50 do\n"
                     "    local rules = load_rules('a.lua', { config = { fields = { 'x' .. i } } })\n"
                     "    expect(rules:score('x' .. i, 1, 1)):equals(1)\n"
                     "  end\n"
                     "end)",
                     "1+0");
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_equals),
             cmocka_unit_test(test_long_values_are_cut), cmocka_unit_test(test_near), cmocka_unit_test(test_texts),
             cmocka_unit_test(test_constants), cmocka_unit_test(test_fails),
             cmocka_unit_test(test_expectations_are_checked), cmocka_unit_test(test_places),
             cmocka_unit_test(test_misused_objects), cmocka_unit_test(test_names), cmocka_unit_test(test_no_tests),
             cmocka_unit_test(test_files_that_do_not_load), cmocka_unit_test(test_files_that_are_not_there),
             cmocka_unit_test(test_tests_in_tests), cmocka_unit_test(test_loops_end),
             cmocka_unit_test(test_each_test_has_its_budget), cmocka_unit_test(test_memory_ends),
             cmocka_unit_test(test_memory_ends_anywhere), cmocka_unit_test(test_compile), cmocka_unit_test(test_score),
             cmocka_unit_test(test_judge), cmocka_unit_test(test_judge_quality), cmocka_unit_test(test_providers),
             cmocka_unit_test(test_cases_end), cmocka_unit_test(test_names_inside_rules),
             cmocka_unit_test(test_load_configs), cmocka_unit_test(test_load_mistakes),
             cmocka_unit_test(test_load_limits), cmocka_unit_test(test_load_parameters),
             cmocka_unit_test(test_load_files_inside), cmocka_unit_test(test_load_candidate_text),
             cmocka_unit_test(test_load_many));
