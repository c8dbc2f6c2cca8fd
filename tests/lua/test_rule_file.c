/* test_rule_file.c: loading rule files: all mistakes at once, parameters, states for workers. */
#include "lua/rule_text.h"

#include "base/buffer.h"
#include "data/json/json_reader.h"
#include "judge/case.h"
#include "judge/plan.h"
#include "lua/rule_file.h"

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
  ee_lua_parameter parameters[] = {
      {"threshold", "0.5", false, false}, {"thresold", "1", false, false}, {"other", "1", false, false}};
  ee_buffer mistakes = {0};
  ee_rule_file *file = load_text(text, parameters, 1, &mistakes);
  assert_string_equal(mistakes.data, "");
  ee_rule_file_free(file);
  parameters[0].used = false;
  assert_null(load_text(text, parameters, 3, &mistakes));
  assert_string_equal(mistakes.data, "unknown parameter 'thresold' (did you mean 'threshold'?)\n"
                                     "unknown parameter 'other': the rule file does not ask for it\n");
  ee_buffer_clear(&mistakes);
  parameters[0] = (ee_lua_parameter){"threshold", "7", false, false};
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
  assert_ptr_not_equal(first, second);
  assert_int_equal(first->functions.count, 2);
  assert_int_equal(second->functions.count, 2);
  assert_true(first->text_hash == second->text_hash && first->memory_used == second->memory_used);
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

/* The state that loaded the file is the first one, also when the file has gone since. */
static void test_first_state(void **state) {
  (void)state;
  ee_rule_file *file = load_good("return ee.rules { ee.judge { 'j', function() return true end } }");
  ee_error error = {0};
  remove("rules.lua");
  ee_lua *first = ee_rule_file_open_state(file, &error);
  assert_non_null(first);
  assert_int_equal(first->functions.count, 1);
  assert_null(ee_rule_file_open_state(file, &error));
  ee_rule_file_free(file);
  ee_lua_free(first);
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

/* Rule files inside rule files ----------------------------------------------------------------- */

static const char inner_text[] =
    "local least = ee.config.least or 0\n"
    "return ee.rules { ee.judge { 'enough', function(case) return case.candidate >= least end } }";
static const char outer_text[] = "return ee.rules {\n"
                                 "  ee.code_judge { 'two', script = 'inner.lua', config = { least = 2 } },\n"
                                 "  ee.code_judge { 'four', script = 'inner.lua', config = { least = 4 } },\n"
                                 "  ee.judge { 'own', function(case) return case.candidate < 10 end } }";

/* Judges a case with `candidate` and returns the scores of the judges, "1 0 1". */
static const char *judge(const ee_rule_file *file, const char *candidate) {
  static char scores[64];
  const ee_plan *plan = ee_rule_file_plan(file);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error = {0};
  char record[64];
  snprintf(record, sizeof record, "{\"expected\": 1, \"candidate\": %s}", candidate);
  const ee_value *value = ee_json_read(&arena, ee_str_from(record), NULL, &error);
  ee_case current;
  assert_int_equal(ee_record_read(value, &plan->paths, &(ee_record_place){.line = 1}, &arena, &current, &error), EE_OK);
  ee_open_plan open;
  assert_int_equal(ee_open_plan_init(&open, plan, NULL, NULL, &error), EE_OK);
  ee_context context = ee_open_plan_context(&open, &arena);
  ee_case_result result;
  ee_plan_judge(plan, &context, &current, &result);
  assert_int_equal(result.rule_errors, 0);
  int length = 0;
  for (size_t i = 0; i < result.judge_count; i++)
    length +=
        snprintf(scores + length, sizeof scores - (size_t)length, "%s%g", i > 0 ? " " : "", result.judges[i].score);
  ee_open_plan_fini(&open);
  ee_arena_fini(&arena);
  return scores;
}

/* Functions of each file are called in the state of their own file, which has its own config. */
static void test_files_inside(void **state) {
  (void)state;
  write_text("inner.lua", inner_text);
  ee_rule_file *file = load_good(outer_text);
  assert_string_equal(judge(file, "1"), "0 0 1");
  assert_string_equal(judge(file, "3"), "1 0 1");
  assert_string_equal(judge(file, "11"), "1 1 0");
  assert_int_equal(ee_rule_file_plan(file)->function_count, 1);
  char place[64];
  ee_rule_file_function_place(file, 0, place, sizeof place);
  assert_string_equal(place, "rules.lua:4");
  ee_rule_file_free(file);
  /* A name is relative to the file that it stands in, and so are modules. */
  assert_int_equal(mkdir("sub", 0700), 0);
  assert_int_equal(mkdir("sub/deep", 0700), 0);
  write_text("sub/middle.lua", "return ee.rules { ee.code_judge { 'j', script = 'deep/inner.lua' } }");
  write_text("sub/deep/inner.lua", "return ee.rules { ee.judge { 'j', require 'part' } }");
  write_text("sub/deep/part.lua", "return function(case) return case.candidate == 5 end");
  file = load_good("return ee.rules { ee.code_judge { 'j', script = './sub/middle.lua' } }");
  assert_string_equal(judge(file, "5"), "1");
  assert_string_equal(judge(file, "6"), "0");
  ee_rule_file_free(file);
}

static uint64_t hash_of(const char *text) {
  ee_rule_file *file = load_good(text);
  uint64_t hash = ee_rule_file_plan(file)->rules_hash;
  ee_rule_file_free(file);
  return hash;
}

static void test_hashes(void **state) {
  (void)state;
  write_text("inner.lua", inner_text);
  uint64_t hash = hash_of(outer_text);
  assert_true(hash == hash_of(outer_text));
  write_text("inner.lua", "return ee.rules { ee.fields { ee.exact 'a' } }");
  assert_true(hash != hash_of(outer_text));

  /* The config counts too, however its keys are ordered; one that says nothing does not. */
  static const char text[] = "return ee.rules { ee.fields { ee.exact 'a' } }";
  static const struct {
    const char *config;
    int same_as;
  } cases[] = {{NULL, 0},
               {"{}", 0},
               {"{\"x\":null}", 0},
               {"{\"a\":1,\"b\":[2]}", 3},
               {"{\"b\":[2],\"a\":1.0}", 3},
               {"{\"a\":1}", 5},
               {"{\"a\":[1]}", 6},
               {"{\"x\":{}}", 7}};
  uint64_t hashes[sizeof cases / sizeof *cases];
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error_list errors;
  ee_error_list_init(&errors);
  write_text("rules.lua", text);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_rule_file_options options = {.limits = {.instructions = -1}};
    if (cases[i].config != NULL) options.config = ee_json_read(&arena, ee_str_from(cases[i].config), NULL, NULL);
    ee_rule_file *file = ee_rule_file_load("rules.lua", &options, &errors);
    assert_non_null(file);
    hashes[i] = ee_rule_file_plan(file)->rules_hash;
    ee_rule_file_free(file);
    for (size_t k = 0; k < i; k++) assert_true((hashes[i] == hashes[k]) == (cases[i].same_as == cases[k].same_as));
  }
  assert_true(hashes[0] == hash_of(text));
  ee_error_list_fini(&errors);
  ee_arena_fini(&arena);
}

/* Lines of comments do not make other rules; a line of a string that looks like one does. */
static void test_hash_without_comments(void **state) {
  (void)state;
  static const char rules[] = "return ee.rules { ee.fields { ee.exact(\"a\") } }\n";
  uint64_t hash = hash_of(rules);
  assert_true(hash_of("-- why\nreturn ee.rules { ee.fields { ee.exact(\"a\") } }\n  -- more\n") == hash);
  assert_true(hash_of("return ee.rules { ee.fields { ee.exact(\"b\") } }\n") != hash);
  assert_true(hash_of("local a = [[\n-- x\n]]\nreturn ee.rules { ee.fields { ee.exact(\"a\") } }\n") !=
              hash_of("local a = [[\n-- y\n]]\nreturn ee.rules { ee.fields { ee.exact(\"a\") } }\n"));
  assert_true(hash_of("local a = \"\\\n--x\"\nreturn ee.rules { ee.fields { ee.exact(\"a\") } }\n") !=
              hash_of("local a = \"\\\n--y\"\nreturn ee.rules { ee.fields { ee.exact(\"a\") } }\n"));
}

/* The same file with the same config is one plan. */
static void test_shared_files(void **state) {
  (void)state;
  write_text("inner.lua", inner_text);
  ee_rule_file_options options = {.limits = {.instructions = -1}};
  ee_rule_family *family = ee_rule_family_new(&options);
  ee_rule_link link = {family, "rules.lua", NULL};
  ee_rules_loader loader = ee_rule_family_loader(&link);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  static const char *const configs[] = {"{}", "{\"a\":null}", "{\"least\":1,\"b\":2}", "{\"b\":2,\"least\":1}",
                                        "{\"least\":2}"};
  const ee_plan *plans[5];
  for (size_t i = 0; i < 5; i++) {
    plans[i] =
        loader.load(loader.user, "inner.lua", ee_json_read(&arena, ee_str_from(configs[i]), NULL, NULL), &errors);
    assert_non_null(plans[i]);
    ee_arena_reset(&arena, 0); /* the family keeps what it needs */
  }
  assert_ptr_equal(plans[0], plans[1]);
  assert_ptr_equal(plans[2], plans[3]);
  assert_ptr_not_equal(plans[0], plans[2]);
  assert_ptr_not_equal(plans[2], plans[4]);
  assert_ptr_equal(loader.load(loader.user, "inner.lua", NULL, &errors), plans[0]);
  assert_int_equal(errors.count, 0);
  ee_rule_family_free(family);
  ee_rule_family_free(NULL);
  ee_error_list_fini(&errors);
  ee_arena_fini(&arena);
}

static void test_circles(void **state) {
  (void)state;
  assert_mistakes("return ee.rules { ee.code_judge { 'j', script = 'rules.lua' } }",
                  "rules.lua: 'rules.lua' includes itself: rules.lua -> rules.lua\n"
                  "rules.lua:1: 'rules.lua' does not load\n");
  assert_mistakes("return ee.rules { ee.code_judge { 'j', script = './rules.lua', config = { n = 1 } } }",
                  "rules.lua: './rules.lua' includes itself: rules.lua -> ./rules.lua\n"
                  "rules.lua:1: './rules.lua' does not load\n");
  write_text("one.lua", "return ee.rules { ee.code_judge { 'j', script = 'two.lua' } }");
  write_text("two.lua", "return ee.rules { ee.code_judge { 'j', script = 'one.lua' } }");
  assert_mistakes("return ee.rules { ee.code_judge { 'j', script = 'one.lua' } }",
                  "two.lua: 'one.lua' includes itself: one.lua -> two.lua -> one.lua\n"
                  "two.lua:1: 'one.lua' does not load\n");
}

/* Files that name the next one so many times, down to "f0.lua". */
static void write_chain(size_t length, size_t times) {
  char name[32], text[512];
  write_text("f0.lua", "return ee.rules { ee.fields { ee.exact 'a' } }");
  for (size_t i = 1; i <= length; i++) {
    int at = snprintf(text, sizeof text, "return ee.rules { ");
    for (size_t k = 0; k < times; k++)
      at += snprintf(text + at, sizeof text - (size_t)at, "ee.code_judge { 'j%zu', script = 'f%zu.lua' }, ", k, i - 1);
    snprintf(text + at, sizeof text - (size_t)at, "}");
    snprintf(name, sizeof name, "f%zu.lua", i);
    write_text(name, text);
  }
}

/* What is one deeper with each file, or doubles with it, ends somewhere. */
static void test_files_without_end(void **state) {
  (void)state;
  write_chain(32, 1);
  ee_rule_file_free(load_good("return ee.rules { ee.code_judge { 'j', script = 'f31.lua' } }"));
  assert_mistakes("return ee.rules { ee.code_judge { 'j', script = 'f32.lua' } }",
                  "f1.lua: 'f0.lua' is more than 32 rule files deep inside\n"
                  "f1.lua:1: 'f0.lua' does not load\n");
  /* Inside the judge that names fN.lua are 3 * 2^N - 2. */
  write_chain(12, 2);
  ee_rule_file_free(load_good("return ee.rules { ee.code_judge { 'j', script = 'f11.lua' } }"));
  assert_mistakes("return ee.rules { ee.code_judge { 'j', script = 'f12.lua' } }",
                  "rules.lua:1: 'f12.lua' and the rule files that it includes have more than 10000 judges\n");
  /* A broken one is not loaded again for each that wants it. */
  write_chain(25, 2);
  write_text("f0.lua", "return ee.rules { ee.fields { ee.exat 'a' } }");
  ee_buffer mistakes = {0};
  assert_null(load_text("return ee.rules { ee.code_judge { 'j', script = 'f25.lua' } }", NULL, 0, &mistakes));
  const char *first = "f0.lua:1: unknown constructor 'ee.exat' (did you mean 'ee.exact'?)\n";
  assert_memory_equal(mistakes.data, first, strlen(first));
  assert_true(mistakes.length < 4096);
  ee_buffer_fini(&mistakes);
}

/* Those of all files come together, each with its place. */
static void test_mistakes_inside(void **state) {
  (void)state;
  write_text("inner.lua", "return ee.rules {\n  ee.fields { ee.exat 'a',\n ee.fuzzy { 'b', threshold = 2 } } }");
  assert_mistakes("return ee.rules {\n  ee.code_judge { 'j', script = 'inner.lua' },\n  ee.fields { ee.exact { 'c', "
                  "weigt = 1 } } }",
                  "inner.lua:2: unknown constructor 'ee.exat' (did you mean 'ee.exact'?)\n"
                  "inner.lua:3: option 'threshold' of ee.fuzzy must be between 0 and 1, got 2\n"
                  "rules.lua:3: unknown option 'weigt' for ee.exact (did you mean 'weight'?)\n");
  assert_mistakes("return ee.rules { ee.code_judge { 'j', script = 'missing.lua' } }",
                  "missing.lua: cannot be read: No such file or directory\n"
                  "rules.lua:1: 'missing.lua' does not load\n");
  write_text("inner.lua", "if not ee.config.fields then error('config.fields is missing') end\n"
                          "return ee.rules { ee.fields { ee.exact(ee.config.fields[1]) } }");
  assert_mistakes("return ee.rules { ee.code_judge { 'a', script = 'inner.lua', config = { fields = { 'x' } } },\n"
                  "  ee.code_judge { 'b', script = 'inner.lua' } }",
                  "inner.lua:1: config.fields is missing\n");
  /* What the inner file only warns of is a warning here. */
  write_text("inner.lua", "return ee.rules { provider = 'local',\n ee.fields { ee.exact 'a' } }");
  ee_rule_file *file = load_good("return ee.rules { ee.code_judge { 'j', script = 'inner.lua' } }");
  const ee_plan *plan = ee_rule_file_plan(file);
  assert_int_equal(plan->warning_count, 1);
  assert_string_equal(plan->warnings[0].file, "inner.lua");
  ee_rule_file_free(file);
}

static void test_parameters_inside(void **state) {
  (void)state;
  write_text("inner.lua",
             "return ee.rules { ee.fields { ee.fuzzy { 'a', threshold = ee.param('threshold', 0.85) } } }");
  const char *text = "return ee.rules { name = ee.param 'name', ee.code_judge { 'j', script = 'inner.lua' } }";
  ee_lua_parameter parameters[] = {
      {"threshold", "0.5", false, false}, {"name", "x", false, false}, {"thresold", "1", false, false}};
  ee_buffer mistakes = {0};
  ee_rule_file *file = load_text(text, parameters, 2, &mistakes);
  assert_string_equal(mistakes.data, "");
  ee_rule_file_free(file);
  assert_null(load_text(text, parameters, 3, &mistakes));
  assert_string_equal(mistakes.data, "unknown parameter 'thresold' (did you mean 'threshold'?)\n");
  ee_buffer_clear(&mistakes);
  parameters[0] = (ee_lua_parameter){"threshold", "7", false, false};
  assert_null(load_text(text, parameters, 2, &mistakes));
  assert_string_equal(mistakes.data, "inner.lua:1: option 'threshold' of ee.fuzzy must be between 0 and 1, got 7\n");
  /* A file that does not load might have asked for anything. */
  ee_buffer_clear(&mistakes);
  parameters[0] = (ee_lua_parameter){"other", "7", false, false};
  write_text("inner.lua", "return ee.rules {");
  assert_null(load_text(text, parameters, 2, &mistakes));
  assert_string_equal(mistakes.data, "inner.lua:1: unexpected symbol near <eof>\n");
  ee_buffer_fini(&mistakes);
}

/* Data sets with evaluators -------------------------------------------------------------------- */

#define TWO_CASES "tests:\n  - id: a\n    expected_output: {n: 1}\n  - id: b\n    expected_output: {n: 2}\n"

/* The rules of the data set `text`, set.yaml; its mistakes and what is told besides go to `told`, a line each. */
static ee_rule_file *load_cases(const char *text, ee_case_file **cases, ee_buffer *told) {
  ee_error error = {0};
  *cases = ee_case_file_read("set.yaml", ee_str_from(text), &error);
  if (*cases == NULL) fail_msg("%zu: %s\n%s", error.line, error.message, text);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}};
  ee_rule_file *file = ee_rule_file_of_cases(*cases, &options, &errors);
  ee_buffer_clear(told);
  for (size_t i = 0; i < errors.count; i++)
    ee_buffer_addf(told, "%s%s\n", errors.items[i].status == EE_OK ? "(warning) " : "", error_text(&errors.items[i]));
  ee_buffer_terminate(told);
  ee_error_list_fini(&errors);
  return file;
}

static void test_evaluators(void **state) {
  (void)state;
  ee_case_file *cases;
  ee_buffer told = {0};
  ee_rule_file *file = load_cases(
      TWO_CASES "evaluators:\n  - {name: f, type: field_accuracy, fields: [{path: n, match: exact}]}\n", &cases, &told);
  assert_non_null(file);
  assert_string_equal(told.data, "");
  const ee_plan *plan = ee_rule_file_plan(file);
  assert_int_equal(plan->judge_count, 1);
  assert_int_equal(plan->function_count, 0);
  assert_false(plan->needs_script);
  assert_null(plan->selection);
  uint64_t hash = plan->rules_hash;
  char place[64];
  ee_rule_file_function_place(file, 0, place, sizeof place);
  assert_string_equal(place, "a function of the library");
  ee_error error = {0};
  ee_lua *lua = ee_rule_file_open_state(file, &error);
  assert_non_null(lua);
  assert_int_equal(lua->functions.count, 0);
  ee_lua_free(lua);
  ee_rule_file_free(file);
  ee_case_file_close(cases);

  /* The same evaluators elsewhere in the file are the same rules, others are not. */
  file = load_cases("# moved\n\n" TWO_CASES
                    "evaluators:\n  - type: field_accuracy\n    name: f\n    fields: [{match: exact, path: n}]\n",
                    &cases, &told);
  assert_true(ee_rule_file_plan(file)->rules_hash == hash);
  ee_rule_file_free(file);
  ee_case_file_close(cases);
  file = load_cases(TWO_CASES "evaluators:\n  - {name: f, type: field_accuracy, fields: [{path: m, match: exact}]}\n",
                    &cases, &told);
  assert_true(ee_rule_file_plan(file)->rules_hash != hash);
  ee_rule_file_free(file);
  ee_case_file_close(cases);
  ee_buffer_fini(&told);
}

/* What cannot judge is a warning where something else does, and the reason where nothing does. */
static void test_evaluators_left_out(void **state) {
  (void)state;
  ee_case_file *cases;
  ee_buffer told = {0};
  ee_rule_file *file = load_cases(TWO_CASES "evaluators:\n  - {name: m, type: llm_judge}\n"
                                            "  - {name: f, type: field_accuracy, fields: [{path: n, match: exact}]}\n",
                                  &cases, &told);
  assert_non_null(file);
  assert_string_equal(told.data, "");
  const ee_plan *plan = ee_rule_file_plan(file);
  assert_int_equal(plan->judge_count, 1);
  assert_int_equal(plan->warning_count, 1);
  assert_int_equal(plan->warnings[0].status, EE_OK);
  assert_int_equal(plan->warnings[0].line, 7);
  assert_non_null(strstr(plan->warnings[0].message, "llm_judge"));
  ee_rule_file_free(file);
  ee_case_file_close(cases);

  assert_null(load_cases(TWO_CASES "evaluators:\n  - {name: m, type: llm_judge}\n", &cases, &told));
  assert_non_null(strstr(told.data, "(warning) set.yaml:7:"));
  assert_non_null(strstr(told.data, "set.yaml: the data set has no evaluator that can judge its cases (a rule file "
                                    "can, with --expected set.yaml)\n"));
  ee_case_file_close(cases);

  assert_null(load_cases(TWO_CASES "evaluators:\n  - {name: m, type: feld_accuracy}\n", &cases, &told));
  assert_non_null(strstr(told.data, "set.yaml:7:"));
  assert_non_null(strstr(told.data, "did you mean 'field_accuracy'?"));
  ee_case_file_close(cases);
  ee_buffer_fini(&told);
}

static void test_evaluators_with_rule_files(void **state) {
  (void)state;
  ee_case_file *cases;
  ee_buffer told = {0};
  write_text("inner.lua", inner_text);
  ee_rule_file *file =
      load_cases(TWO_CASES "evaluators:\n  - {name: j, type: code_judge, script: inner.lua, least: 3}\n"
                           "  - {name: k, type: code_judge, script: inner.lua, config: {least: 5}}\n",
                 &cases, &told);
  assert_string_equal(told.data, "");
  assert_non_null(file);
  assert_string_equal(judge(file, "4"), "1 0");
  uint64_t hash = ee_rule_file_plan(file)->rules_hash;
  ee_rule_file_free(file);
  ee_case_file_close(cases);
  write_text("inner.lua", "return ee.rules { ee.fields { ee.exact 'a' } }");
  file = load_cases(TWO_CASES "evaluators:\n  - {name: j, type: code_judge, script: inner.lua, least: 3}\n"
                              "  - {name: k, type: code_judge, script: inner.lua, config: {least: 5}}\n",
                    &cases, &told);
  assert_true(ee_rule_file_plan(file)->rules_hash != hash);
  ee_rule_file_free(file);
  ee_case_file_close(cases);
  assert_null(
      load_cases(TWO_CASES "evaluators:\n  - {name: j, type: code_judge, script: missing.lua}\n", &cases, &told));
  assert_string_equal(told.data, "missing.lua: cannot be read: No such file or directory\n"
                                 "set.yaml:7: 'missing.lua' does not load\n");
  ee_case_file_close(cases);

  /* Cases with evaluators of their own. */
  file = load_cases(
      "tests:\n  - id: a\n    expected_output: 1\n    evaluators: [{name: j, type: code_judge, script: inner.lua}]\n"
      "  - id: b\n    expected_output: 2\nevaluators: [{name: k, type: code_judge, script: inner.lua, config: {x: "
      "1}}]\n",
      &cases, &told);
  assert_non_null(file);
  assert_non_null(ee_rule_file_plan(file)->selection);
  ee_rule_file_free(file);
  ee_case_file_close(cases);
  ee_buffer_fini(&told);
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_a_good_file),
             cmocka_unit_test(test_all_mistakes_at_once), cmocka_unit_test(test_mistakes_before_an_error),
             cmocka_unit_test(test_parameters), cmocka_unit_test(test_states_of_workers),
             cmocka_unit_test(test_first_state), cmocka_unit_test(test_damaged_files),
             cmocka_unit_test(test_files_inside), cmocka_unit_test(test_hashes),
             cmocka_unit_test(test_hash_without_comments), cmocka_unit_test(test_shared_files),
             cmocka_unit_test(test_circles), cmocka_unit_test(test_files_without_end),
             cmocka_unit_test(test_mistakes_inside), cmocka_unit_test(test_parameters_inside),
             cmocka_unit_test(test_evaluators), cmocka_unit_test(test_evaluators_left_out),
             cmocka_unit_test(test_evaluators_with_rule_files));
