/* test_rule_file.c: loading rule files: all mistakes at once, parameters, states for workers. */
#include "rule_text.h"

#include "base/buffer.h"

/* Loads `text` as rules.lua; the mistakes go to `mistakes`, one a line. */
static ee_rule_file *load_text(const char *text, ee_lua_parameter *parameters, size_t count, ee_buffer *mistakes) {
  write_text("rules.lua", text);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}, .parameters = parameters, .parameter_count = count};
  ee_rule_file *file = ee_rule_file_load("rules.lua", &options, &errors);
  assert_true((file == NULL) == (errors.count > 0));
  for (size_t i = 0; i < errors.count; i++) {
    assert_int_equal(errors.items[i].status, EE_ERROR_RULES);
    ee_buffer_addf(mistakes, "%s\n", error_text(&errors.items[i]));
  }
  ee_buffer_terminate(mistakes);
  ee_error_list_fini(&errors);
  return file;
}

static ee_rule_file *load_good(const char *text) {
  ee_buffer mistakes = {0};
  ee_rule_file *file = load_text(text, NULL, 0, &mistakes);
  assert_string_equal(mistakes.data, "");
  ee_buffer_fini(&mistakes);
  return file;
}

static void assert_mistakes(const char *text, const char *expected) {
  ee_buffer mistakes = {0};
  assert_null(load_text(text, NULL, 0, &mistakes));
  assert_string_equal(mistakes.data, expected);
  ee_buffer_fini(&mistakes);
}

static void test_a_good_file(void **state) {
  (void)state;
  ee_rule_file *file = load_good(
      "local function f(e, c) return e == c end\n"
      "return ee.rules { name = 'invoice', ee.fields { name = 'header', ee.exact 'a', ee.custom { 'b', f } },\n"
      "  ee.judge { 'j', function(case) return true end } }");
  const ee_plan *plan = ee_rule_file_plan(file);
  assert_memory_equal(plan->name.data, "invoice", 7);
  assert_int_equal(plan->judge_count, 2);
  assert_int_equal(plan->function_count, 2);
  assert_true(plan->needs_script);
  assert_true(plan->rules_hash != 0);
  char place[64];
  ee_rule_file_function_place(file, 0, place, sizeof(place));
  assert_string_equal(place, "rules.lua:1");
  ee_rule_file_function_place(file, 1, place, sizeof(place));
  assert_string_equal(place, "rules.lua:3");
  ee_rule_file_function_place(file, 2, place, sizeof(place));
  assert_string_equal(place, "a function of the library");
  ee_rule_file_free(file);
  file = load_good("return ee.rules { ee.fields { ee.exact 'a' } }");
  assert_false(ee_rule_file_plan(file)->needs_script);
  ee_rule_file_free(file);
  ee_rule_file_free(NULL);
}

/* Each line but the first and the last has one mistake, of both the Lua side and the plan. */
static void test_all_mistakes_at_once(void **state) {
  (void)state;
  ee_buffer mistakes = {0};
  assert_null(load_text("return ee.rules {\n"
                        "  ee.fields { name = 'one',\n"
                        "    ee.numerc { 'a' },\n"
                        "    ee.numeric { 'b', tolerence = 1 },\n"
                        "    ee.fuzzy { 'c', threshold = 2 },\n"
                        "    ee.exact 'd' 'e',\n"
                        "    ee.exact { 'f', weight = 'x' },\n"
                        "    ee.pattern { 'g', '[a' },\n"
                        "    ee.one_of { 'h', { 'x', nil, 'y' } },\n"
                        "  },\n"
                        "  ee.gate { judge = 'two', metric = 'mean_score', min = 1 },\n"
                        "}",
                        NULL, 0, &mistakes));
  const char *line = mistakes.data;
  const int expected[] = {3, 4, 5, 6, 7, 8, 9, 11};
  for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
    char place[32];
    snprintf(place, sizeof(place), "rules.lua:%d: ", expected[i]);
    if (line == NULL || strncmp(line, place, strlen(place)) != 0)
      fail_msg("no mistake at %s in\n%s", place, mistakes.data);
    line = strchr(line, '\n');
    if (line != NULL) line++;
  }
  assert_string_equal(line, "");
  ee_buffer_fini(&mistakes);
}

/* What was recorded before the file stopped is told too. */
static void test_mistakes_before_an_error(void **state) {
  (void)state;
  assert_mistakes("local a = ee.exct 'x'\n\nlocal b = nil + 1",
                  "rules.lua:1: unknown constructor 'ee.exct' (did you mean 'ee.exact'?)\n"
                  "rules.lua:3: attempt to perform arithmetic on a nil value\n");
  assert_mistakes("return ee.rules {", "rules.lua:1: unexpected symbol near <eof>\n");
  assert_mistakes("", "rules.lua: the file returns nothing (did you forget 'return ee.rules { ... }'?)\n");
}

static void test_parameters(void **state) {
  (void)state;
  const char *text = "return ee.rules { ee.fields { ee.fuzzy { 'a', threshold = ee.param('threshold', 0.85) } } }";
  ee_lua_parameter parameters[] = {{"threshold", "0.5", false}, {"thresold", "1", false}, {"other", "1", false}};
  ee_buffer mistakes = {0};
  ee_rule_file *file = load_text(text, parameters, 1, &mistakes);
  assert_string_equal(mistakes.data, "");
  ee_rule_file_free(file);
  parameters[0].used = false;
  assert_null(load_text(text, parameters, 3, &mistakes));
  assert_string_equal(mistakes.data, "unknown parameter 'thresold' (did you mean 'threshold'?)\n"
                                     "unknown parameter 'other': the rule file does not ask for it\n");
  ee_buffer_clear(&mistakes);
  parameters[0] = (ee_lua_parameter){"threshold", "7", false};
  assert_null(load_text(text, parameters, 1, &mistakes));
  assert_non_null(strstr(mistakes.data, "rules.lua:1: "));
  ee_buffer_fini(&mistakes);
}

static void test_states_of_workers(void **state) {
  (void)state;
  const char *text =
      "return ee.rules { ee.judge { 'j', function() return true end }, ee.judge { 'k', function() return false end } }";
  ee_rule_file *file = load_good(text);
  ee_error error = {0};
  ee_lua *first = ee_rule_file_open_state(file, &error), *second = ee_rule_file_open_state(file, &error);
  assert_non_null(first);
  assert_non_null(second);
  assert_int_equal(first->function_count, 2);
  assert_int_equal(second->function_count, 2);
  ee_lua_free(first);
  ee_lua_free(second);
  write_text("rules.lua", "return ee.rules { ee.judge { 'j', function() return true end } }");
  assert_null(ee_rule_file_open_state(file, &error));
  assert_string_equal(error_text(&error), "rules.lua: the rule file has changed since it was loaded");
  remove("rules.lua");
  assert_null(ee_rule_file_open_state(file, &error));
  assert_string_equal(error_text(&error), "rules.lua: cannot be read: No such file or directory");
  ee_rule_file_free(file);
}

/* No text, however broken, does more than leave mistakes: good rules with bytes removed, doubled and changed. */
static void test_damaged_files(void **state) {
  (void)state;
  const char *text =
      "local f = function(e, c) return e == c end\n"
      "return ee.rules { name = 'x', null_values = { 'N/A' }, case = { id = 'id' }, slices = { 'a.b' },\n"
      "  ee.fields { ee.exact 'a', ee.numeric { 'b', tolerance = 0.1 }, ee.custom { 'c', f }, aggregate = 'macro_f1' "
      "},\n"
      "  ee.line_items { 'items', match = { 'd', threshold = 0.5 }, ee.exact 'd' },\n"
      "  ee.judge { 'j', f }, ee.gate { metric = 'mean_score', min = 0.5 } }\n";
  ee_rule_file_free(load_good(text));
  uint64_t seed = 1234567;
  size_t length = strlen(text), good = 0, bad = 0;
  char *damaged = malloc(2 * length + 1);
  assert_non_null(damaged);
  for (int round = 0; round < 400; round++) {
    size_t out = 0;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    size_t place = (size_t)(seed >> 33) % length, count = (size_t)(seed >> 20) % 12 + 1;
    for (size_t i = 0; i < length; i++) {
      bool hit = i >= place && i < place + count;
      if (hit && round % 3 == 0) continue;
      damaged[out++] = hit && round % 3 == 1 ? "{},'=.nx0"[(seed >> 40) % 9] : text[i];
      if (hit && round % 3 == 2) damaged[out++] = text[i];
    }
    damaged[out] = '\0';
    ee_buffer mistakes = {0};
    ee_rule_file *file = load_text(damaged, NULL, 0, &mistakes);
    good += file != NULL;
    bad += file == NULL;
    ee_rule_file_free(file);
    ee_buffer_fini(&mistakes);
  }
  free(damaged);
  assert_true(bad > 100 && good > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_good_file),
      cmocka_unit_test(test_all_mistakes_at_once),
      cmocka_unit_test(test_mistakes_before_an_error),
      cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_states_of_workers),
      cmocka_unit_test(test_damaged_files),
  };
  return cmocka_run_group_tests(tests, rule_text_setup, rule_text_teardown);
}
