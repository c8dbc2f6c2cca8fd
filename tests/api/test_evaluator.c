/* test_evaluator.c: the public header as an embedding program uses it: rule files, texts and trees. */
#include <math.h>

#include "api/evaluator_fixture.h"

/* Loading -------------------------------------------------------------------------------------- */

static void test_version(void **state) {
  (void)state;
  assert_string_equal(ee_version(), EE_VERSION);
}

static void test_nothing_to_free(void **state) {
  (void)state;
  ee_rules_free(NULL);
  ee_evaluator_free(NULL);
}

/* Every mistake, in the order of the file. */
static void test_mistakes_come_through_the_callback(void **state) {
  (void)state;
  rule_path path = make_rules("return ee.rules {\n"
                              "  ee.fields {\n"
                              "    ee.numeric { \"total\", tolerence = 0.01 },\n"
                              "    ee.exact { \"a\", weight = -1 },\n"
                              "    ee.date { \"b\", formats = { \"YYYY-QQ\" } },\n"
                              "  },\n"
                              "}\n");
  mistakes found = {0};
  assert_null(ee_rules_load(path.text, on_error, &found));
  assert_int_equal(found.count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(found.list[i].status, EE_ERROR_RULES);
    assert_int_equal(found.list[i].line, i + 3);
    assert_string_equal(found.list[i].file, path.text);
  }
  assert_string_equal(found.list[0].message, "unknown option 'tolerence' for ee.numeric (did you mean 'tolerance'?)");
  assert_string_equal(found.list[1].message, "option 'weight' of ee.exact must be at least 0, got -1");
  assert_non_null(strstr(found.list[2].message, "YYYY-QQ"));
  assert_null(ee_rules_load(path.text, NULL, NULL));
  unlink(path.text);
}

static void test_shipped_rules_by_name(void **state) {
  (void)state;
  mistakes found = {0};
  ee_rules *rules = ee_rules_load("compat/omni", on_error, &found);
  assert_non_null(rules);
  assert_int_equal(found.count, 0);
  ee_evaluator *evaluator = ee_evaluator_new(rules, NULL);
  double score = -1;
  assert_int_equal(ee_evaluate_text(evaluator, NULL, "{\"a\":1,\"b\":2}", 13, "{\"a\":1}", 7, NULL, NULL, &score, NULL),
                   EE_OK);
  assert_true(score == 0.5);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
  assert_null(ee_rules_load("compat/nothing", on_error, &found));
  assert_int_equal(found.count, 1);
}

static void test_files_that_do_not_load(void **state) {
  (void)state;
  static const char *const texts[] = {"return ee.rules {", "return 3",           "",
                                      "error('no')",       "return ee.rules {}", "return ee.fields { ee.exact 'a' }",
                                      "while true do end"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    rule_path path = make_rules(texts[i]);
    mistakes found = {0};
    assert_null(ee_rules_load(path.text, on_error, &found));
    assert_true(found.count >= 1);
    assert_true(found.list[0].message[0] != '\0');
    unlink(path.text);
  }
  mistakes found = {0};
  assert_null(ee_rules_load("/no/such/folder/rules.lua", on_error, &found));
  assert_int_equal(found.count, 1);
  assert_string_equal(found.list[0].file, "/no/such/folder/rules.lua");
  found.count = 0;
  assert_null(ee_rules_load(P_tmpdir, on_error, &found));
  assert_int_equal(found.count, 1);
}

/* An evaluator runs the file again, for functions of its own; what it finds must be what was loaded. */
static void test_a_file_that_changes(void **state) {
  (void)state;
  rule_path path = make_rules(with_function);
  ee_rules *rules = ee_rules_load(path.text, NULL, NULL);
  assert_non_null(rules);
  ee_evaluator *evaluator = evaluator_of(rules);
  write_rules(path.text, "return ee.rules { ee.fields { ee.exact \"name\" } }\n");
  ee_error error = {0};
  assert_null(ee_evaluator_new(rules, &error));
  assert_int_equal(error.status, EE_ERROR_RULES);
  assert_string_equal(error.message, "the rule file has changed since it was loaded");
  assert_null(ee_evaluator_new(rules, NULL));
  unlink(path.text);
  assert_null(ee_evaluator_new(rules, &error));
  /* The one from before goes on. */
  double score = 0;
  judge(evaluator, "{\"name\":\"A\"}", "{\"name\":\"a\"}", &score);
  assert_true(score == 1);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}

/* Rules without functions need no second look at the file. */
static void test_a_file_that_is_gone(void **state) {
  (void)state;
  ee_rules *rules = load(two_fields);
  ee_evaluator *evaluator = evaluator_of(rules);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}

/* Texts ---------------------------------------------------------------------------------------- */

static void test_one_case(void **state) {
  (void)state;
  ee_rules *rules = load(two_fields);
  ee_evaluator *evaluator = evaluator_of(rules);
  double score = -1;
  const char *json = judge(evaluator, "{\"name\":\"A\",\"total\":100}", "{\"name\":\"A\",\"total\":102}", &score);
  assert_true(score == 0.5);
  assert_string_equal(result_text(json, "id"), "\"c1\"");
  assert_string_equal(result_text(json, "schema"), "2");
  assert_string_equal(result_text(json, "score"), "0.5");
  assert_string_equal(result_text(json, "verdict"), "\"fail\"");
  assert_string_equal(result_text(json, "hits"), "[\"name\"]");
  assert_string_equal(result_text(json, "misses"), "[\"total (outside tolerance: diff=2, tolerance=0.01)\"]");
  assert_string_equal(result_text(json, "candidate_answer"), "{\"name\":\"A\",\"total\":102}");
  /* Nothing of the result is asked for, and no error wanted. */
  assert_int_equal(ee_evaluate_text(evaluator, NULL, "{}", 2, "{}", 2, NULL, NULL, NULL, NULL), EE_OK);
  size_t length = 0;
  assert_int_equal(ee_evaluate_text(evaluator, NULL, "{}", 2, "{}", 2, &json, &length, NULL, NULL), EE_OK);
  assert_string_equal(result_text(json, "id"), "\"case\"");
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}

/* The lengths count, not a NUL. */
static void test_texts_need_no_end(void **state) {
  (void)state;
  ee_rules *rules = load(two_fields);
  ee_evaluator *evaluator = evaluator_of(rules);
  static const char expected[] = "{\"name\":\"A\"}garbage", candidate[] = "{\"name\":\"A\"} {";
  char *exact = malloc(12);
  memcpy(exact, expected, 12);
  double score = 0;
  assert_int_equal(ee_evaluate_text(evaluator, "x", exact, 12, candidate, 12, NULL, NULL, &score, NULL), EE_OK);
  assert_true(score == 1);
  free(exact);
  ee_error error = {0};
  assert_int_equal(ee_evaluate_text(evaluator, "x", expected, sizeof expected - 1, "{}", 2, NULL, NULL, NULL, &error),
                   EE_ERROR_DATA);
  assert_int_equal(error.status, EE_ERROR_DATA);
  assert_int_equal(error.line, 1);
  assert_int_equal(error.column, 13);
  assert_int_equal(error.offset, 12);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}

/* An expected text that is no JSON is an error, and leaves the evaluator and the outputs as they were. */
static void test_expected_without_json(void **state) {
  (void)state;
  ee_rules *rules = load(two_fields);
  ee_evaluator *evaluator = evaluator_of(rules);
  static const char *const texts[] = {"", " ", "{", "{\"a\":}", "nul", "{\"a\":1,}", "\"\xff\"", "{} {}", "'a'", "NaN"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const char *json = "untouched";
    size_t length = 7;
    double score = 7;
    ee_error error = {0};
    assert_int_equal(
        ee_evaluate_text(evaluator, "x", texts[i], strlen(texts[i]), "{}", 2, &json, &length, &score, &error),
        EE_ERROR_DATA);
    assert_true(error.status == EE_ERROR_DATA && error.message[0] != '\0');
    assert_string_equal(error.file, "");
    assert_string_equal(json, "untouched");
    assert_true(length == 7 && score == 7);
    assert_int_equal(ee_evaluate_text(evaluator, "x", texts[i], strlen(texts[i]), "{}", 2, NULL, NULL, NULL, NULL),
                     EE_ERROR_DATA);
  }
  assert_int_equal(ee_evaluate_text(evaluator, "x", NULL, 0, "{}", 2, NULL, NULL, NULL, NULL), EE_ERROR_DATA);
  double score = 0;
  judge(evaluator, "{\"name\":\"A\"}", "{\"name\":\"A\"}", &score);
  assert_true(score == 1);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}

/* A candidate is whatever a model wrote: a result, never an error. */
static void test_candidates_of_all_kinds(void **state) {
  (void)state;
  static const struct {
    const char *candidate;
    double score;
  } table[] = {
      {"{\"name\":\"A\",\"total\":1}", 1},
      {"Here you are:\n```json\n{\"name\":\"A\",\"total\":1}\n```\n", 1},
      {"The answer is {\"name\":\"A\",\"total\":1}, I think.", 1},
      {"{\"name\":\"A\",\"total\":\"1\"}", 1},
      {"{\"name\":\"A\"", 0},
      {"I cannot help with that", 0},
      {"", 0},
      {" \xff\xfe ", 0},
      {"caf\xe9 {\"name\":\"A\",\"total\":1} \x80", 1},
      {"[]", 0},
      {"null", 0},
      {"42", 0},
      {NULL, 0},
  };
  ee_rules *rules = load(two_fields);
  ee_evaluator *evaluator = evaluator_of(rules);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    double score = -1;
    const char *json = judge(evaluator, "{\"name\":\"A\",\"total\":1}", table[i].candidate, &score);
    if (score != table[i].score) fail_msg("%s: %g", table[i].candidate, score);
    cJSON_Delete(parsed(json));
  }
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}

/* An id is any text; the row stays JSON. */
static void test_ids(void **state) {
  (void)state;
  ee_rules *rules = load(two_fields);
  ee_evaluator *evaluator = evaluator_of(rules);
  static const struct {
    const char *id, *printed;
  } table[] = {{"", "\"\""},
               {"a\"b\\c", "\"a\\\"b\\\\c\""},
               {"line\nbreak", "\"line\\nbreak\""},
               {"gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\""},
               {"bad \xff byte", "\"bad \xef\xbf\xbd byte\""}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const char *json = NULL;
    assert_int_equal(ee_evaluate_text(evaluator, table[i].id, "{}", 2, "{}", 2, &json, NULL, NULL, NULL), EE_OK);
    assert_string_equal(result_text(json, "id"), table[i].printed);
  }
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}

/* Functions of the rule file ------------------------------------------------------------------- */

static void test_functions(void **state) {
  (void)state;
  rule_path path;
  ee_rules *rules = load_kept("return ee.rules {\n"
                              "  ee.judge { \"sees\", function(case)\n"
                              "    local seen = case.id .. \" \" .. case.record.id .. \" \" .. case.expected.n\n"
                              "    return case.candidate.n == case.record.candidate.n, seen\n"
                              "  end },\n"
                              "  ee.judge { \"raises\", function(case) error(\"no \" .. case.id) end },\n"
                              "  ee.judge { \"hangs\", function() while true do end end },\n"
                              "}\n",
                              &path);
  ee_evaluator *evaluator = evaluator_of(rules);
  for (int i = 0; i < 3; i++) {
    double score = -1;
    const char *json = judge(evaluator, "{\"n\":5}", "{\"n\":6}", &score);
    assert_true(fabs(score - 1.0 / 3) < 1e-12);
    assert_non_null(strstr(json, "c1 c1 5"));
    assert_non_null(strstr(json, "no c1"));
    cJSON_Delete(parsed(json));
  }
  unlink(path.text);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}

/* The record that a function sees has the candidate as it came: a document, a text that is no JSON, or nothing. */
static void test_functions_see_any_candidate(void **state) {
  (void)state;
  static const struct {
    const char *candidate, *seen;
  } cases[] = {{"{\"n\":6}", "userdata"}, {"no JSON at all", "string no JSON at all"}, {NULL, "nil"}};
  rule_path path;
  ee_rules *rules = load_kept("return ee.rules { ee.judge { \"sees\", function(case)\n"
                              "  local seen = case.record.candidate\n"
                              "  return 1, \"<\" .. type(seen) .. (type(seen) == \"string\" and \" \" .. seen or \"\") "
                              ".. \">\"\n"
                              "end } }\n",
                              &path);
  ee_evaluator *evaluator = evaluator_of(rules);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double score = -1;
    char seen[64];
    snprintf(seen, sizeof seen, "<%s>", cases[i].seen);
    const char *json = judge(evaluator, "{\"n\":5}", cases[i].candidate, &score);
    if (strstr(json, seen) == NULL) fail_msg("no '%s' in %s", seen, json);
  }
  unlink(path.text);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}

/* Trees of cJSON ------------------------------------------------------------------------------- */

static void check_tree_refused(ee_evaluator *evaluator, cJSON *tree) {
  cJSON *fine = parsed("{\"name\":\"A\"}");
  ee_error error = {0};
  double score = 7;
  const char *json = "untouched";
  assert_int_equal(ee_evaluate_cjson(evaluator, "x", tree, fine, &json, NULL, &score, &error), EE_ERROR_DATA);
  assert_true(error.status == EE_ERROR_DATA && error.message[0] != '\0');
  error = (ee_error){0};
  assert_int_equal(ee_evaluate_cjson(evaluator, "x", fine, tree, &json, NULL, &score, &error), EE_ERROR_DATA);
  assert_true(error.status == EE_ERROR_DATA && error.message[0] != '\0');
  assert_string_equal(json, "untouched");
  assert_true(score == 7);
  assert_int_equal(ee_evaluate_cjson(evaluator, "x", tree, tree, NULL, NULL, NULL, NULL), EE_ERROR_DATA);
  assert_int_equal(ee_evaluate_cjson(evaluator, "x", fine, fine, &json, NULL, &score, &error), EE_OK);
  assert_true(score == 1);
  cJSON_Delete(fine);
  cJSON_Delete(tree);
}

static void test_trees_that_cannot_be_used(void **state) {
  (void)state;
  ee_rules *rules = load(two_fields);
  ee_evaluator *evaluator = evaluator_of(rules);
  check_tree_refused(evaluator, deep(513));
  check_tree_refused(evaluator, deep(900));
  check_tree_refused(evaluator, object_with(cJSON_CreateNumber((double)NAN)));
  check_tree_refused(evaluator, object_with(cJSON_CreateNumber((double)INFINITY)));
  check_tree_refused(evaluator, object_with(cJSON_CreateRaw("{}")));
  check_tree_refused(evaluator, object_with(cJSON_CreateString("\xff")));
  ee_error error = {0};
  assert_int_equal(ee_evaluate_cjson(evaluator, "x", NULL, NULL, NULL, NULL, NULL, &error), EE_ERROR_DATA);
  assert_true(error.message[0] != '\0');

  cJSON *tree = deep(512);
  assert_int_equal(ee_evaluate_cjson(evaluator, "x", tree, tree, NULL, NULL, NULL, NULL), EE_OK);
  cJSON_Delete(tree);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}

/* Without a candidate every expected value is missing; a tree and its text say the same. */
static void test_a_tree_without_candidate(void **state) {
  (void)state;
  ee_rules *rules = load(two_fields);
  ee_evaluator *evaluator = evaluator_of(rules);
  cJSON *expected = parsed("{\"name\":\"A\",\"total\":1}");
  const char *json = NULL;
  double score = -1;
  assert_int_equal(ee_evaluate_cjson(evaluator, "c1", expected, NULL, &json, NULL, &score, NULL), EE_OK);
  assert_true(score == 0);
  assert_non_null(strstr(json, "name (required, missing)"));
  assert_non_null(strstr(json, "total (required, missing)"));
  char *copy = strdup(json);
  assert_string_equal(judge(evaluator, "{\"name\":\"A\",\"total\":1}", NULL, &score), copy);
  free(copy);
  cJSON_Delete(expected);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}

/* cJSON rounds large numbers, and reads 1e999 as infinity. */
static bool cjson_can_hold(const char *text) {
  return strstr(text, "9007199254740") == NULL && strstr(text, "1e999") == NULL;
}

/* The same case as texts and as trees gives the same bytes, and the trees stay as they were. */
static void test_trees_and_texts_say_the_same(void **state) {
  (void)state;
  enum { CASES = 300 };
  text_case *cases = make_cases("api_trees", 201, CASES);
  ee_rules *rules = load(all_strategies);
  ee_evaluator *evaluator = evaluator_of(rules);
  size_t compared = 0;
  for (size_t i = 0; i < CASES; i++) {
    if (!cjson_can_hold(cases[i].expected) || !cjson_can_hold(cases[i].candidate)) continue;
    double score = -1, tree_score = -1;
    char *from_text = strdup(judge(evaluator, cases[i].expected, cases[i].candidate, &score));
    cJSON *expected = parsed(cases[i].expected), *candidate = parsed(cases[i].candidate);
    cJSON *before = cJSON_Duplicate(candidate, true);
    const char *json = NULL;
    size_t length = 0;
    ee_error error = {0};
    assert_int_equal(ee_evaluate_cjson(evaluator, "c1", expected, candidate, &json, &length, &tree_score, &error),
                     EE_OK);
    assert_int_equal(strlen(json), length);
    assert_string_equal(json, from_text);
    assert_true(score == tree_score);
    assert_true(cJSON_Compare(before, candidate, true));
    free(from_text);
    cJSON_Delete(expected);
    cJSON_Delete(candidate);
    cJSON_Delete(before);
    compared++;
  }
  assert_true(compared > CASES / 4);
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
  free_cases(cases, CASES);
}

/* Same input, same bytes ----------------------------------------------------------------------- */

static void test_same_input_same_bytes(void **state) {
  (void)state;
  enum { CASES = 300 };
  text_case *cases = make_cases("api_bytes", 202, CASES);
  ee_rules *rules = load(all_strategies), *again = load(all_strategies);
  ee_evaluator *first = evaluator_of(rules), *second = evaluator_of(again);
  for (size_t i = 0; i < CASES; i++) {
    /* The second evaluator has other cases behind it. */
    if (i % 3 == 0) judge(second, cases[CASES - 1 - i].expected, cases[i].candidate, NULL);
    double one, other;
    const char *json = judge(first, cases[i].expected, cases[i].candidate, &one);
    assert_string_equal(json, judge(second, cases[i].expected, cases[i].candidate, &other));
    assert_true(one == other && one >= 0 && one <= 1);
    cJSON *tree = cJSON_Parse(json);
    assert_true(cJSON_GetObjectItem(tree, "score")->valuedouble == one);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(tree, "evaluator_results")), 7);
    cJSON_Delete(tree);
  }
  ee_evaluator_free(first);
  ee_evaluator_free(second);
  ee_rules_free(rules);
  ee_rules_free(again);
  free_cases(cases, CASES);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_version), cmocka_unit_test(test_nothing_to_free),
             cmocka_unit_test(test_mistakes_come_through_the_callback), cmocka_unit_test(test_shipped_rules_by_name),
             cmocka_unit_test(test_files_that_do_not_load), cmocka_unit_test(test_a_file_that_changes),
             cmocka_unit_test(test_a_file_that_is_gone), cmocka_unit_test(test_one_case),
             cmocka_unit_test(test_texts_need_no_end), cmocka_unit_test(test_expected_without_json),
             cmocka_unit_test(test_candidates_of_all_kinds), cmocka_unit_test(test_ids),
             cmocka_unit_test(test_functions), cmocka_unit_test(test_functions_see_any_candidate),
             cmocka_unit_test(test_trees_that_cannot_be_used), cmocka_unit_test(test_a_tree_without_candidate),
             cmocka_unit_test(test_trees_and_texts_say_the_same), cmocka_unit_test(test_same_input_same_bytes));
