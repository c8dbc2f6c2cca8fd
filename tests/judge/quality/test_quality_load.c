/* What is wrong with an ee.quality of a rule file or with its file of strategies, and what `check` prints of a right
 * one. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/quality/quality_view.h"

#define RULES(options) "{\"ee\":\"rules\",\"items\":[{\"ee\":\"quality\",\"line\":2," options "}]}"

static void test_mistakes(void **state) {
  (void)state;
  check_mistakes(RULES("\"strategys\":{}"),
                 "2: unknown option 'strategys' for ee.quality (did you mean 'strategies'?)");
  check_mistakes(RULES("\"strategies\":3"),
                 "2: option 'strategies' of ee.quality must be a string or a table, got a number");
  check_mistakes(RULES("\"strategies\":{\"line\":4,\"a\":\"FUZY\"}"),
                 "4: unknown strategy 'FUZY' for 'a' in ee.quality (did you mean 'FUZZY'?)");
  check_mistakes(RULES("\"strategies\":{\"a\":\"fuzy\",\"b\":\"ee.numeric\"}"),
                 "2: unknown strategy 'fuzy' for 'a' in ee.quality (did you mean 'FUZZY'?)",
                 "2: unknown strategy 'ee.numeric' for 'b' in ee.quality (EXACT, FUZZY, SEMANTIC, IGNORE)");
  check_mistakes(RULES("\"strategies\":{\"a\":3,\"b\":{\"function\":1}}"),
                 "2: the strategy of 'a' in ee.quality must be a string or a strategy, got a number",
                 "2: the strategy of 'b' in ee.quality must be a string or a strategy, got a function (did you mean "
                 "'ee.custom(function)'?)");
  /* A long key is cut after 100 bytes. */
  char rules[300], wanted[300], key[102];
  memset(key, 'k', 101);
  key[101] = '\0';
  snprintf(rules, sizeof rules, RULES("\"strategies\":{\"%s\":3}"), key);
  snprintf(wanted, sizeof wanted,
           "2: the strategy of '%.100s' in ee.quality must be a string or a strategy, got a number", key);
  check_mistakes(rules, wanted);
  snprintf(rules, sizeof rules, RULES("\"strategies\":{\"a\":\"%s\"}"), key);
  snprintf(wanted, sizeof wanted, "2: unknown strategy '%.100s' for 'a' in ee.quality (EXACT, FUZZY, SEMANTIC, IGNORE)",
           key);
  check_mistakes(rules, wanted);
  check_mistakes(RULES("\"strategies\":[\"EXACT\"]"),
                 "2: the strategies of ee.quality must have keys, got a string without one");
  check_mistakes(RULES("\"strategies\":{\"a\":{\"ee\":\"numeric\",\"line\":5,\"items\":[\"total\"]}}"),
                 "5: a strategy in ee.quality must not have a path, got 'total' (its path is the key 'a')");
  check_mistakes(RULES("\"strategies\":{\"a\":{\"ee\":\"numeric\",\"line\":5,\"weight\":2,\"tolerance\":-1}}"),
                 "5: option 'tolerance' of ee.numeric must be at least 0, got -1",
                 "5: a strategy in ee.quality must not have the option 'weight'");
  check_mistakes(RULES("\"strategies\":{\"a\":{\"ee\":\"fuzy\",\"line\":5}}"),
                 "5: unknown strategy 'ee.fuzy' (did you mean 'ee.fuzzy'?)");
  check_mistakes(RULES("\"strategies\":{\"a\":{\"ee\":\"fields\",\"line\":5}}"),
                 "5: ee.fields is a judge, the strategies of ee.quality take strategies");
  check_mistakes(RULES("\"depth\":\"leaves\",\"strategies\":{\"a..b\":\"EXACT\"}"),
                 "2: strategies of ee.quality with depth = \"leaves\": empty step in path 'a..b'");
  check_mistakes(RULES("\"depth\":\"leafs\",\"ignore\":\"all\",\"scale\":\"maximum\""),
                 "2: option 'depth' of ee.quality must be one of 'top', 'leaves', got 'leafs' (did you mean 'leaves'?)",
                 "2: option 'ignore' of ee.quality must be one of 'accuracy', 'everywhere', got 'all'",
                 "2: option 'scale' of ee.quality must be one of 'none', 'max', got 'maximum'");
  check_mistakes(RULES("\"fuzzy_threshold\":1.1,\"semantic_threshold\":-1"),
                 "2: option 'fuzzy_threshold' of ee.quality must be between 0 and 1, got 1.1",
                 "2: option 'semantic_threshold' of ee.quality must be between 0 and 1, got -1");
  check_mistakes(RULES("\"formula\":\"max\",\"safety\":1,\"similarity\":true"),
                 "2: option 'formula' of ee.quality must be a function, got a string",
                 "2: option 'safety' of ee.quality must be a function, got a number",
                 "2: option 'similarity' of ee.quality must be a function, got a boolean");
  check_mistakes(RULES("\"formula\":{\"function\":0},\"scale\":\"max\""),
                 "2: scale = \"max\" of ee.quality needs the weights, but 'formula' computes the RQS");
  check_mistakes(RULES("\"items\":[\"a[*]\"]"), "2: ee.quality: path 'a[*]' has a [*], which only ee.fields takes");
  check_mistakes(RULES("\"items\":[\"a..b\"]"), "2: ee.quality: bad path: empty step in path 'a..b'");
  check_mistakes(RULES("\"items\":[\"a\",\"b\"]"),
                 "2: ee.quality takes the path of an object and options, got a string");
  check_mistakes(RULES("\"items\":[{\"ee\":\"exact\",\"line\":3,\"items\":[\"a\"]}]"),
                 "3: ee.quality takes the path of an object and options, got ee.exact (strategies belong in the option "
                 "'strategies')");
}

/* Strategies whose values follow a path elsewhere. */
static void test_values_without_path(void **state) {
  (void)state;
  static const struct {
    const char *strategy, *right, *wrong;
  } cases[] = {
      {"{\"ee\":\"one_of\",\"items\":[\"a\",\"b\"]}", "a", "c"},
      {"{\"ee\":\"one_of\",\"items\":[\"b\",\"a\"]}", "a", "c"},
      {"{\"ee\":\"one_of\",\"items\":[\"a\"]}", "a", "c"},
      {"{\"ee\":\"one_of\",\"values\":[\"b\",\"a\"]}", "a", "c"},
      {"{\"ee\":\"one_of\",\"items\":[\"b\"],\"values\":[\"a\"]}", "a", "c"},
      {"{\"ee\":\"one_of\",\"items\":[7,\"a\"]}", "a", "c"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    char text[200];
    snprintf(text, sizeof text, "\"strategies\":{\"k\":%s}", cases[i].strategy);
    quality_rules(&f, text);
    snprintf(text, sizeof text, "{\"k\":\"%s\"}", cases[i].right);
    assert_keys(&f, fixture_judge_case(&f, "{\"k\":\"expected\"}", text), "k both one_of(config) 1");
    snprintf(text, sizeof text, "{\"k\":\"%s\"}", cases[i].wrong);
    assert_keys(&f, fixture_judge_case(&f, "{\"k\":\"expected\"}", text), "k both one_of(config) 0");
    fixture_close(&f);
  }
  check_mistakes(RULES("\"strategies\":{\"a\":{\"ee\":\"pattern\",\"line\":5,\"items\":[\"a\",\"^x\"]}}"),
                 "5: ee.pattern takes one pattern, got 2");
  check_mistakes(RULES("\"strategies\":{\"a\":{\"ee\":\"custom\",\"line\":5,\"items\":[\"a\",{\"function\":1}]}}"),
                 "5: a strategy in ee.quality must not have a path, got 'a' (its path is the key 'a')");
  check_mistakes(RULES("\"strategies\":{\"a\":{\"ee\":\"numeric\",\"line\":5,\"items\":[5]}}"),
                 "5: a strategy in ee.quality must not have a path, got a number (its path is the key 'a')");
  check_mistakes(RULES("\"strategies\":{\"a\":{\"ee\":\"one_of\",\"line\":5}}"),
                 "5: ee.one_of for 'a' in ee.quality has no values");
}

static void test_weight_mistakes(void **state) {
  (void)state;
  check_mistakes(RULES("\"weights\":3"), "2: option 'weights' of ee.quality must be a table, got a number");
  check_mistakes(RULES("\"weights\":[1]"),
                 "2: weights takes accuracy, completeness, safety and hallucination by name, got a number");
  check_mistakes(RULES("\"weights\":{\"acuracy\":1}"),
                 "2: unknown option 'acuracy' for weights (did you mean 'accuracy'?)");
  check_mistakes(RULES("\"weights\":{\"line\":3,\"accuracy\":-1,\"safety\":1e999}"),
                 "3: option 'accuracy' of weights must be at least 0, got -1",
                 "3: option 'safety' of weights must be at least 0, got infinity");
  check_mistakes(RULES("\"weights\":{\"accuracy\":0,\"completeness\":0,\"safety\":0}"),
                 "2: the weights of accuracy, completeness and safety in ee.quality sum to 0");
  check_mistakes(RULES("\"weights\":{\"accuracy\":1e308,\"completeness\":1e308}"),
                 "2: the weights of ee.quality are too large: their sum is infinite");
}

static void assert_warning(const fixture *f, size_t i, const char *file, size_t line, const char *message) {
  assert_true(i < f->plan->warning_count);
  assert_string_equal(f->plan->warnings[i].message, message);
  assert_string_equal(f->plan->warnings[i].file, file);
  assert_int_equal(f->plan->warnings[i].line, line);
}

static void test_weight_warning(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"weights\":{\"accuracy\":0.65}");
  assert_int_equal(f.plan->warning_count, 1);
  assert_warning(&f, 0, "rules.lua", 2, "the weights of ee.quality sum to 1.2, not to 1");
  fixture_close(&f);
  fixture_open(&f);
  quality_rules(&f, "\"weights\":{\"accuracy\":0.1,\"completeness\":0.2,\"safety\":0.3,\"hallucination\":0.4}");
  assert_int_equal(f.plan->warning_count, 0);
  fixture_close(&f);
}

/* Two spellings of one path. */
static void test_same_path_twice(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "\"depth\":\"leaves\",\"strategies\":{\"a.b\":\"EXACT\",\"a['b']\":\"FUZZY\",\"/a/b\":\"IGNORE\"}");
  assert_int_equal(f.plan->warning_count, 2);
  assert_warning(&f, 0, "rules.lua", 2,
                 "the key 'a.b' occurs twice in the strategies of ee.quality (first on line 2), the last one counts");
  fixture_close(&f);
}

/* Files ---------------------------------------------------------------------------------------- */

static char folder[256], strategies_file[300], rules_file[300];

static int set_up(void **state) {
  (void)state;
  const char *parent = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/ee_quality_XXXXXX", parent != NULL ? parent : P_tmpdir);
  assert_non_null(mkdtemp(folder));
  snprintf(strategies_file, sizeof strategies_file, "%s/s.json", folder);
  snprintf(rules_file, sizeof rules_file, "%s/rules.lua", folder);
  return 0;
}
static int tear_down(void **state) {
  (void)state;
  unlink(strategies_file);
  return rmdir(folder);
}

static void write_strategies(const void *data, size_t length) {
  FILE *file = fopen(strategies_file, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

/* Compiles ee.quality { strategies = `name`, `more` }, written on line 2 of a rule file in the folder. */
static void compile_with_file(fixture *f, const char *name, const char *more) {
  char rules[1024];
  snprintf(rules, sizeof rules,
           "{\"ee\":\"rules\",\"items\":[{\"ee\":\"quality\",\"line\":2,\"strategies\":\"%s\"%s}]}", name, more);
  ee_rule_node *root = (ee_rule_node *)(uintptr_t)fixture_spec(f, fixture_json(&f->arena, rules), 1);
  root->file = rules_file;
  ((ee_rule_node *)(uintptr_t)root->items[0].node)->file = rules_file;
  f->plan = ee_plan_compile(&f->arena, root, &fixture_vtable, NULL, &f->errors);
}

/* Asserts that these mistakes were reported, in this order (NULL-terminated), as "FILE:line:column: message" without
 * the folder. */
static void check_file_errors(const char *name, const char *more, const char *const *messages) {
  fixture f;
  fixture_open(&f);
  compile_with_file(&f, name, more);
  assert_null(f.plan);
  size_t count = 0;
  for (; messages[count] != NULL; count++) {
    if (count >= f.errors.count) fail_msg("not reported: %s", messages[count]);
    ee_buffer_clear(&f.text);
    ee_error_print(&f.errors.items[count], &f.text);
    const char *text = ee_buffer_terminate(&f.text);
    size_t skipped = strlen(folder) + 1;
    assert_memory_equal(text, folder, skipped - 1);
    assert_string_equal(text + skipped, messages[count]);
  }
  if (f.errors.count > count) fail_msg("reported too: %s", f.errors.items[count].message);
  fixture_close(&f);
}
#define check_file(text, ...)                                                                                          \
  do {                                                                                                                 \
    write_strategies(text, sizeof(text) - 1);                                                                          \
    check_file_errors("s.json", "", (const char *const[]){__VA_ARGS__, NULL});                                         \
  } while (0)

static void test_file_mistakes(void **state) {
  (void)state;
  check_file("{\n  \"a\": \"EXACT\",\n  \"b\": \"FUZY\"\n}",
             "s.json:3: unknown strategy 'FUZY' for 'b' in ee.quality (did you mean 'FUZZY'?)");
  check_file("{\"a\": 1,\n\"b\": null, \"c\": [\"EXACT\"\n],\n\"d\": {}, \"e\": true}",
             "s.json:1: the strategy of 'a' must be a string (EXACT, FUZZY, SEMANTIC, IGNORE), got a number",
             "s.json:2: the strategy of 'b' must be a string (EXACT, FUZZY, SEMANTIC, IGNORE), got null",
             "s.json:2: the strategy of 'c' must be a string (EXACT, FUZZY, SEMANTIC, IGNORE), got an array",
             "s.json:4: the strategy of 'd' must be a string (EXACT, FUZZY, SEMANTIC, IGNORE), got an object",
             "s.json:4: the strategy of 'e' must be a string (EXACT, FUZZY, SEMANTIC, IGNORE), got a boolean");
  check_file("{\n \"a\": \"EXACT\"\n \"b\": \"EXACT\"}", "s.json:3:2: expected ',' or '}'");
  check_file("", "s.json:1:1: unexpected end of text");
  check_file("{\"a\": \"\xff\"}", "s.json:1:8: invalid UTF-8");
  check_file("[\"EXACT\"]",
             "s.json:1: strategies of ee.quality must be an object (\"key\": \"EXACT\", ...), not array");
  check_file("\"EXACT\"", "s.json:1: strategies of ee.quality must be an object (\"key\": \"EXACT\", ...), not string");
}

static void test_file_that_cannot_be_read(void **state) {
  (void)state;
  unlink(strategies_file);
  char message[400];
  snprintf(message, sizeof message,
           "rules.lua:2: strategies of ee.quality: cannot open '%s': No such file or directory", strategies_file);
  check_file_errors("s.json", "", (const char *const[]){message, NULL});
  snprintf(message, sizeof message, "rules.lua:2: strategies of ee.quality: '%s/.' is a directory", folder);
  check_file_errors(".", "", (const char *const[]){message, NULL});
  /* A pipe that nobody writes to would be waited for. */
  assert_int_equal(mkfifo(strategies_file, 0600), 0);
  snprintf(message, sizeof message, "rules.lua:2: strategies of ee.quality: '%s' is not a regular file",
           strategies_file);
  check_file_errors("s.json", "", (const char *const[]){message, NULL});
  unlink(strategies_file);
  assert_int_equal(symlink("/dev/zero", strategies_file), 0);
  check_file_errors("s.json", "", (const char *const[]){message, NULL});
  unlink(strategies_file);
  check_file_errors(
      "", "", (const char *const[]){"rules.lua:2: strategies of ee.quality: the name of the file is empty", NULL});
  check_file_errors(
      "s\\u0000", "",
      (const char *const[]){"rules.lua:2: strategies of ee.quality: the name of the file contains a NUL", NULL});
  char *large = calloc(1, EE_COMPILE_FILE_LIMIT + 1);
  memset(large, ' ', EE_COMPILE_FILE_LIMIT + 1);
  memcpy(large, "{}", 2);
  write_strategies(large, EE_COMPILE_FILE_LIMIT + 1);
  snprintf(message, sizeof message, "rules.lua:2: strategies of ee.quality: '%s' is larger than 16 MiB",
           strategies_file);
  check_file_errors("s.json", "", (const char *const[]){message, NULL});
  write_strategies(large, EE_COMPILE_FILE_LIMIT);
  fixture f;
  fixture_open(&f);
  compile_with_file(&f, "s.json", "");
  assert_non_null(f.plan);
  fixture_close(&f);
  free(large);
}

static void test_file(void **state) {
  (void)state;
  static const char text[] =
      "\n {\"a.b\" : \"fuzzy\" ,\n\n\"caf\\u00e9\":\"Exact\",\"n\":\"IGNORE\",\n\"a.b\":\"EXACT\", "
      "\"\":\"semantic\"\n} \n";
  write_strategies(text, sizeof text - 1);
  fixture f;
  fixture_open(&f);
  compile_with_file(&f, "s.json", "");
  assert_non_null(f.plan);
  assert_int_equal(f.plan->warning_count, 1);
  assert_warning(&f, 0, strategies_file, 5,
                 "the key 'a.b' occurs twice in the strategies of ee.quality (first on line 2), the last one counts");
  const ee_quality *quality = f.plan->judges[0]->data;
  static const struct {
    const char *key;
    ee_quality_kind kind;
    size_t line;
  } entries[] = {{"a.b", EE_QUALITY_EXACT, 5},
                 {"caf\xc3\xa9", EE_QUALITY_EXACT, 4},
                 {"n", EE_QUALITY_IGNORE, 4},
                 {"", EE_QUALITY_SEMANTIC, 5}};
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    const ee_quality_entry *entry = ee_quality_find(quality, ee_str_from(entries[i].key));
    assert_non_null(entry);
    assert_int_equal(entry->kind, entries[i].kind);
    assert_int_equal(entry->line, entries[i].line);
  }
  assert_null(ee_quality_find(quality, EE_STR("b")));
  /* What is in the file belongs to the rules. */
  uint64_t hash = f.plan->rules_hash;
  assert_true(hash != 0);
  fixture_close(&f);
  write_strategies("{\"a\":\"EXACT\"}", 13);
  fixture_open(&f);
  compile_with_file(&f, strategies_file, ",\"depth\":\"leaves\""); /* from the root */
  assert_non_null(f.plan);
  assert_true(f.plan->rules_hash != 0 && f.plan->rules_hash != hash);
  fixture_close(&f);
}

/* Many keys: each is found, whatever it hashes to. */
static void test_many_strategies(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  ee_buffer text;
  ee_buffer_init(&text);
  for (int i = 0; i < 5000; i++)
    ee_buffer_addf(&text, "%c\n\"k%d\":\"%s\"", i > 0 ? ',' : '{', i, i % 3 == 0 ? "FUZZY" : "IGNORE");
  ee_buffer_add_char(&text, '}');
  write_strategies(text.data, text.length);
  compile_with_file(&f, "s.json", "");
  assert_non_null(f.plan);
  for (int i = 0; i < 5000; i++) {
    char key[16];
    snprintf(key, sizeof key, "k%d", i);
    const ee_quality_entry *entry = ee_quality_find(f.plan->judges[0]->data, ee_str_from(key));
    assert_non_null(entry);
    assert_int_equal(entry->kind, i % 3 == 0 ? EE_QUALITY_FUZZY : EE_QUALITY_IGNORE);
    assert_int_equal(entry->line, (size_t)i + 2);
  }
  ee_buffer_fini(&text);
  fixture_close(&f);
}

/* What `check` prints -------------------------------------------------------------------------- */

static const char *print(fixture *f) {
  ee_buffer_clear(&f->text);
  const ee_judge *judge = f->plan->judges[0];
  judge->type->print(judge, &f->text);
  return ee_buffer_terminate(&f->text);
}

static void test_print(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  quality_rules(&f, "");
  assert_string_equal(print(&f), "  depth top, ignore accuracy, scale none\n"
                                 "  weights accuracy 0.45, completeness 0.25, safety 0.15, hallucination 0.15\n"
                                 "  thresholds FUZZY 0.85, SEMANTIC 0.8\n"
                                 "  every other key  by its expected value: number, boolean, date, email, list, object "
                                 "EXACT; other text SEMANTIC\n");
  assert_true(f.plan->judges[0]->uses_provider);
  assert_false(f.plan->judges[0]->calls_script);
  assert_true(fabs(f.plan->judges[0]->best - 0.85) < 1e-12);
  fixture_close(&f);
  fixture_open(&f);
  quality_rules(
      &f,
      "\"items\":[\"a.b\"],\"depth\":\"leaves\",\"ignore\":\"everywhere\",\"scale\":\"max\",\"fuzzy_threshold\":0.5,"
      "\"weights\":{\"accuracy\":0.65},\"similarity\":{\"function\":1},\"safety\":{\"function\":2},"
      "\"strategies\":{\"x.y\":\"fuzzy\",\"a\":{\"ee\":\"custom\",\"line\":7,\"items\":[{\"function\":3}]},"
      "\"b\":{\"ee\":\"numeric\",\"line\":8,\"tolerance\":1}}");
  assert_string_equal(print(&f),
                      "  object a.b\n"
                      "  depth leaves, ignore everywhere, scale max\n"
                      "  weights accuracy 0.65, completeness 0.25, safety 0.15, hallucination 0.15 (sum 1.2)\n"
                      "  thresholds FUZZY 0.5, SEMANTIC 0.8\n"
                      "  similarity of FUZZY and SEMANTIC by a function  (calls Lua)\n"
                      "  safety by a function  (calls Lua)\n"
                      "  a  custom  rules.lua:7  (calls Lua)\n"
                      "  b  numeric  rules.lua:8\n"
                      "  x.y  FUZZY  rules.lua:2\n"
                      "  every other leaf  by its expected value: number, boolean, date, email, list, object "
                      "EXACT; other text SEMANTIC\n");
  fixture_close(&f);
  fixture_open(&f);
  quality_rules(&f, "\"formula\":{\"function\":1}");
  assert_non_null(strstr(print(&f), "  RQS by a function  (calls Lua)\n"));
  fixture_close(&f);
}

EE_TEST_FILE(set_up, tear_down, cmocka_unit_test(test_mistakes), cmocka_unit_test(test_values_without_path),
             cmocka_unit_test(test_weight_mistakes), cmocka_unit_test(test_weight_warning),
             cmocka_unit_test(test_same_path_twice), cmocka_unit_test(test_file_mistakes),
             cmocka_unit_test(test_file_that_cannot_be_read), cmocka_unit_test(test_file),
             cmocka_unit_test(test_many_strategies), cmocka_unit_test(test_print));
