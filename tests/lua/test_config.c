/* test_config.c: ee.config: frozen tables made from JSON, at load and in functions, and passed on to other judges. */
#include "lua/rule_text.h"

#include "base/buffer.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "judge/case.h"
#include "judge/compile.h"
#include "judge/plan.h"
#include "lua/read_rules.h"

static const ee_value *read_config(ee_arena *arena, const char *json) {
  ee_error error = {0};
  const ee_value *config = ee_json_read(arena, ee_str_from(json), NULL, &error);
  if (config == NULL) fail_msg("%s: %s", error.message, json);
  return config;
}

/* Runs `text` as rules.lua with `json` as its config (NULL: none); it must return the text `expected`. */
static void assert_told(const char *json, const char *text, const char *expected) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error = {0};
  ee_lua *lua = ee_lua_new("rules.lua", (ee_lua_limits){.instructions = -1}, NULL, 0,
                           json == NULL ? NULL : read_config(&arena, json), &error);
  assert_non_null(lua);
  ee_arena_fini(&arena); /* nothing of it is kept */
  run_text(lua, text);
  if (lua_type(lua->L, -1) != LUA_TSTRING) fail_msg("no text but %s: %s", luaL_typename(lua->L, -1), text);
  assert_string_equal(lua_tostring(lua->L, -1), expected);
  ee_lua_free(lua);
}

/* The same for a text that must raise `expected`. */
static void assert_refused(const char *json, const char *text, const char *expected) {
  char wrapped[1024];
  snprintf(wrapped, sizeof wrapped, "local good, why = pcall(function() %s end) return tostring(good) .. ' ' .. why",
           text);
  ee_buffer wanted;
  ee_buffer_init(&wanted);
  ee_buffer_addf(&wanted, "false rules.lua:1: %s", expected);
  assert_told(json, wrapped, ee_buffer_terminate(&wanted));
  ee_buffer_fini(&wanted);
}

static const char config_json[] =
    "{\"threshold\": 0.5, \"count\": 9007199254740993, \"name\": \"x\\u0000y\", \"on\": true, "
    "\"none\": null, \"fields\": [\"a\", null, {\"path\": \"b\", \"deep\": [[1, 2], []]}]}";

static void test_values(void **state) {
  (void)state;
  const struct {
    const char *expression, *text;
  } cases[] = {
      {"ee.config.threshold", "0.5"},
      {"ee.config.count", "9007199254740993"},
      {"#ee.config.name", "3"},
      {"ee.config.on", "true"},
      {"ee.config.none", "nil"},
      {"ee.config.missing", "nil"},
      {"type(ee.config)", "table"},
      {"type(ee.config.fields)", "table"},
      {"#ee.config.fields", "3"},
      {"#ee.config", "0"},
      {"ee.config.fields[2] == ee.null", "true"},
      {"ee.config.fields[4]", "nil"},
      {"ee.config.fields[3].deep[1][2]", "2"},
      {"#ee.config.fields[3].deep[2]", "0"},
      {"ee.config.fields == ee.config.fields", "true"},
      {"ee.type(ee.config.fields)", "table"},
      {"tostring(ee.config.fields)", "table"},
      {"select('#', table.unpack(ee.config.fields))", "3"},
      {"table.concat(ee.config.fields[3].deep[1], '+')", "1+2"},
      {"ee.get(ee.config, 'fields[2].path')", "b"},
      {"ee.get(ee.config, 'fields[2].deep[0][1]')", "2"},
      {"ee.get(ee.config, 'fields.0')", "a"},
      {"ee.get(ee.config, 'fields[1]', 7)", "7"},
      {"ee.get(ee.config, '/fields/2/path')", "b"},
      {"ee.is_empty(ee.config)", "false"},
      {"ee.json(ee.config.fields)", "[\"a\",null,{\"deep\":[[1,2],{}],\"path\":\"b\"}]"},
      {"ee.json { ee.config.fields[3].deep[1] }", "[[1,2]]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256];
    snprintf(text, sizeof text, "return tostring(%s)", cases[i].expression);
    assert_told(config_json, text, cases[i].text);
  }
}

static void test_walking(void **state) {
  (void)state;
  assert_told(config_json,
              "local keys = {} for key in pairs(ee.config) do keys[#keys + 1] = key end return table.concat(keys, ' ')",
              "count fields name on threshold");
  assert_told(config_json,
              "local all = '' for i, v in ipairs(ee.config.fields) do all = all .. i .. type(v) .. ' ' end return all",
              "1string 2userdata 3table ");
  assert_told(
      config_json,
      "local all = '' for i, v in pairs(ee.config.fields[3].deep[1]) do all = all .. i .. v .. ' ' end return all",
      "11 22 ");
  assert_told(
      config_json,
      "local all = '' for i, v in ee.each(ee.config, 'fields[2].deep') do all = all .. i .. #v .. ' ' end return all",
      "12 20 ");
}

static void test_nothing_told(void **state) {
  (void)state;
  static const char *const nothing[] = {NULL, "{}", "{\"a\": null}", "[1]"};
  for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
    assert_told(nothing[i], "local n = 0 for _ in pairs(ee.config) do n = n + 1 end return type(ee.config) .. n",
                "table0");
}

/* Whatever writes to it is told which part it wanted to change. */
static void test_it_is_frozen(void **state) {
  (void)state;
  assert_refused(config_json, "ee.config.threshold = 1", "'ee.config' cannot be changed (assignment to 'threshold')");
  assert_refused(config_json, "ee.config.new = 1", "'ee.config' cannot be changed (assignment to 'new')");
  assert_refused(config_json, "ee.config = {}", "'ee' cannot be changed (assignment to 'config')");
  assert_refused(config_json, "ee.config.fields[1] = 1", "'ee.config.fields' cannot be changed (assignment to '1')");
  assert_refused(config_json, "ee.config.fields[3].path = 1",
                 "'ee.config.fields[3]' cannot be changed (assignment to 'path')");
  assert_refused(config_json, "ee.config.fields[3].deep[1][1] = 1",
                 "'ee.config.fields[3].deep[1]' cannot be changed (assignment to '1')");
  assert_refused(config_json, "rawset(ee.config, 'a', 1)", "cannot change a protected table");
  assert_refused(config_json, "setmetatable(ee.config, nil)", "cannot change a protected metatable");
  assert_told(config_json, "return tostring(getmetatable(ee.config))", "false");
  assert_told(config_json, "return select(2, pcall(table.insert, ee.config.fields, 1))",
              "'ee.config.fields' cannot be changed (assignment to '4')");
  /* A copy is a table like any other. */
  assert_told(config_json,
              "local copy = ee.copy(ee.config) copy.fields[3].deep[1][1] = 9 copy.more = {}\n"
              "return copy.fields[3].deep[1][1] .. ee.config.fields[3].deep[1][1] .. tostring(ee.config.more)",
              "91nil");
}

static void test_depth_and_memory(void **state) {
  (void)state;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_text(&text, "{\"a\": ");
  for (int i = 0; i < 500; i++) ee_buffer_add_char(&text, '[');
  ee_buffer_add_text(&text, "7");
  for (int i = 0; i < 500; i++) ee_buffer_add_char(&text, ']');
  ee_buffer_add_char(&text, '}');
  assert_told(ee_buffer_terminate(&text),
              "local at, depth = ee.config.a, 0 while type(at) == 'table' do at, depth = at[1], depth + 1 end return "
              "depth .. ' ' .. at",
              "500 7");
  ee_buffer_clear(&text);
  ee_buffer_add_text(&text, "{\"a\": [1");
  for (int i = 0; i < 100000; i++) ee_buffer_add_text(&text, ",{\"b\":1}");
  ee_buffer_add_text(&text, "]}");
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error = {0};
  assert_null(ee_lua_new("rules.lua", (ee_lua_limits){.memory = 1 << 20, .instructions = -1}, NULL, 0,
                         read_config(&arena, ee_buffer_terminate(&text)), &error));
  assert_string_equal(error.message, "out of memory: the rule's state holds more than 1 MiB");
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
}

/* A worker's state has the config too: a function reads it while a case is judged. */
static void test_functions_read_it(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  write_text("rules.lua", "local least = ee.config.least\n"
                          "return ee.rules { ee.judge { 'j', function(case)\n"
                          "  return case.candidate.n >= least and ee.config.share or 0 end } }");
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1},
                                  .config = read_config(&arena, "{\"least\": 3, \"share\": 0.25}")};
  ee_rule_file *file = ee_rule_file_load("rules.lua", &options, &errors);
  assert_non_null(file);
  const ee_plan *plan = ee_rule_file_plan(file);
  ee_error error = {0};
  ee_open_plan open;
  assert_int_equal(ee_open_plan_init(&open, plan, NULL, NULL, &error), EE_OK);
  ee_case current;
  const ee_value *record = read_config(&arena, "{\"expected\": 1, \"candidate\": {\"n\": 3}}");
  assert_int_equal(ee_record_read(record, &plan->paths, &(ee_record_place){.line = 1}, &arena, &current, &error),
                   EE_OK);
  ee_context context = ee_open_plan_context(&open, &arena);
  ee_case_result result;
  ee_plan_judge(plan, &context, &current, &result);
  assert_int_equal(result.rule_errors, 0);
  assert_true(result.score == 0.25);
  ee_open_plan_fini(&open);
  ee_rule_file_free(file);
  ee_error_list_fini(&errors);
  ee_arena_fini(&arena);
}

/* Passed on ------------------------------------------------------------------------------------ */

/* What ee.code_judge is told as JSON, when `options` is what the file rules.lua writes as its options; or its mistakes.
 */
static void assert_passed_on(const char *json, const char *options, const char *expected) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error = {0};
  ee_lua *lua =
      ee_lua_new("rules.lua", (ee_lua_limits){.instructions = -1}, NULL, 0, read_config(&arena, json), &error);
  assert_non_null(lua);
  char text[1024];
  snprintf(text, sizeof text, "local shared = { { 1, 2 }, { 3 } }\nreturn ee.rules { ee.code_judge { 'j', %s } }",
           options);
  run_text(lua, text);
  ee_error_list errors;
  ee_error_list_init(&errors);
  const ee_rule_node *root = ee_lua_read_rules(lua, &arena, "rules.lua", &errors);
  assert_non_null(root);
  ee_buffer out;
  ee_buffer_init(&out);
  for (size_t i = 0; i < errors.count; i++) ee_buffer_addf(&out, "%s\n", error_text(&errors.items[i]));
  ee_rule_value config = ee_rule_node_get(root->items[0].node, "config");
  if (config.type == EE_RULE_TABLE) {
    const char *why = NULL;
    const ee_value *value = ee_rule_node_to_value(&arena, config.node, &why);
    if (value == NULL)
      ee_buffer_add_text(&out, why);
    else
      ee_json_write_value(&out, value);
  }
  assert_string_equal(ee_buffer_terminate(&out), expected);
  ee_buffer_fini(&out);
  ee_error_list_fini(&errors);
  ee_lua_free(lua);
  ee_arena_fini(&arena);
}

static void test_passed_on(void **state) {
  (void)state;
  assert_passed_on("{\"b\": [1, null, [2, [3]]], \"a\": {\"x\": true}, \"c\": null}", "config = ee.config",
                   "{\"a\":{\"x\":true},\"b\":[1,null,[2,[3]]]}");
  assert_passed_on("{\"b\": [[1], [2]]}", "config = { own = 1, b = ee.config.b, first = ee.config.b[1] }",
                   "{\"b\":[[1],[2]],\"first\":[1],\"own\":1}");
  assert_passed_on("{}", "config = { null = ee.null, list = { 1, ee.null, 'x', { { true } } }, none = {} }",
                   "{\"list\":[1,null,\"x\",[[true]]],\"none\":{},\"null\":null}");
  /* A list that stands elsewhere too, where lists in lists are one, is none here. */
  assert_passed_on("{}", "other = shared, config = { list = shared, again = shared }, { shared }",
                   "{\"again\":[[1,2],[3]],\"list\":[[1,2],[3]]}");
}

static void test_what_is_no_data(void **state) {
  (void)state;
  const struct {
    const char *options, *expected;
  } cases[] = {
      {"config = { a = { 1, x = 2 } }", "keys and positions together in 'a'"},
      {"config = { a = function() end }", "'a' is a function"},
      {"config = { fields = { ee.exact 'a' } }", "'fields[1]' is ee.exact"},
      {"config = { [1.5] = 1 }", "rules.lua:2: a table has the key 1.5, expected names, or indexes from 1 on\n{}"},
      {"config = { n = 9007199254740993 }",
       "rules.lua:2: 'config' holds the whole number 9007199254740993, which is too large: write it as a string\n{}"},
      {"config = { a = { 1, nil, 3 } }",
       "rules.lua:2: a list has a hole at index 2 (nil: a name that is not defined?)\n{\"a\":[1,3]}"},
      {"config = (function() local t = {} t.t = t return t end)()", "rules.lua:2: a table contains itself\n{}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_passed_on("{}", cases[i].options, cases[i].expected);
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_values), cmocka_unit_test(test_walking),
             cmocka_unit_test(test_nothing_told), cmocka_unit_test(test_it_is_frozen),
             cmocka_unit_test(test_depth_and_memory), cmocka_unit_test(test_functions_read_it),
             cmocka_unit_test(test_passed_on), cmocka_unit_test(test_what_is_no_data));
