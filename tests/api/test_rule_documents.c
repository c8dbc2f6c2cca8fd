/* test_rule_documents.c: rules in YAML and JSON through the C API, from memory: the same results as from Lua. */
#include "evaluator_fixture.h"

static const char lua[] =
    "return ee.rules { name = 'r', ee.fields { name = 'header', ee.exact 'a', ee.numeric { 'b', tolerance = 0.5 } },\n"
    "  ee.gate { judge = 'header', metric = 'macro_f1', min = 0.5 } }";
static const char yaml[] = "name: r\n"
                           "rules:\n"
                           "  - fields: {name: header, fields: [{exact: a}, {numeric: {path: b, tolerance: 0.5}}]}\n"
                           "  - gate: {judge: header, metric: macro_f1, min: 0.5}\n";
static const char json[] =
    "{\"name\": \"r\", \"rules\": [{\"fields\": {\"name\": \"header\", \"fields\": [{\"exact\": \"a\"},"
    "{\"numeric\": {\"path\": \"b\", \"tolerance\": 0.5}}]}},"
    "{\"gate\": {\"judge\": \"header\", \"metric\": \"macro_f1\", \"min\": 0.5}}]}";

static const char data[] = "{\"id\":\"1\",\"expected\":{\"a\":\"x\",\"b\":1},\"candidate\":{\"a\":\"x\",\"b\":1.25}}\n"
                           "{\"id\":\"2\",\"expected\":{\"a\":\"x\",\"b\":1},\"candidate\":{\"a\":\"y\",\"b\":2}}\n"
                           "{\"id\":\"3\",\"expected\":{\"a\":\"z\",\"b\":0},\"candidate\":{\"a\":\"z\"}}\n";

static ee_rules *parse(const char *name, const char *text) {
  mistakes found = {0};
  ee_rules *rules = ee_rules_parse(name, text, strlen(text), on_error, &found);
  if (rules == NULL) fail_msg("%s:%zu: %s", name, found.list[0].line, found.list[0].message);
  return rules;
}

/* The rows of all cases, or the state of the data; the caller frees it. */
static char *judge_all(const ee_rules *rules, unsigned keep, ee_result **kept) {
  const ee_input input = {.name = "data.jsonl", .text = data, .length = sizeof data - 1};
  const ee_evaluate_options options = {.size = sizeof options, .inputs = &input, .input_count = 1, .keep = keep};
  ee_error error = {0};
  ee_result *result = ee_evaluate(rules, (const char *const[]){"data.jsonl"}, 1, &options, &error);
  if (result == NULL) fail_msg("%s", error.message);
  size_t length;
  const char *text = keep == EE_KEEP_ROWS ? ee_result_rows(result, &length) : ee_result_state(result, &length);
  char *copy = strndup(text, length);
  if (kept != NULL)
    *kept = result;
  else
    ee_result_free(result);
  return copy;
}

/* The row without the signature of its rules. */
static void drop_signature(char *rows) {
  for (char *at = rows; (at = strstr(at, "\"rules_hash\":\"")) != NULL;) {
    at += strlen("\"rules_hash\":\"");
    while (*at != '"') *at++ = '-';
  }
}

static void test_rows_of_all_forms(void **state) {
  (void)state;
  const struct {
    const char *name, *text;
  } forms[] = {{"r.lua", lua}, {"r.yaml", yaml}, {"r.yml", yaml}, {"r.json", json}};
  char *first = NULL, signature[30] = "";
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    ee_rules *rules = parse(forms[i].name, forms[i].text);
    char *rows = judge_all(rules, EE_KEEP_ROWS, NULL);
    const char *hash = strstr(rows, "\"rules_hash\":\"");
    assert_non_null(hash);
    /* Of one tree there is one hash, whatever it was written in; that of Lua is of its text. */
    if (i == 1) memcpy(signature, hash, sizeof signature);
    assert_true((memcmp(signature, hash, sizeof signature) == 0) == (i > 0));
    drop_signature(rows);
    assert_non_null(strstr(rows, "\"score\":0.5,"));
    if (first == NULL)
      first = rows;
    else
      assert_string_equal(rows, first);
    if (rows != first) free(rows);
    ee_rules_free(rules);
  }
  free(first);
}

static void test_parts(void **state) {
  (void)state;
  ee_rules *rules = parse("not_on_disk.yaml", yaml);
  char *part = judge_all(rules, EE_KEEP_STATE, NULL);
  const ee_input states = {.name = "1.state", .text = part, .length = strlen(part)};
  ee_error error = {0};
  ee_result *merged = ee_merge(rules, &states, 1, NULL, &error);
  if (merged == NULL) fail_msg("%s", error.message);
  ee_result *whole;
  free(judge_all(rules, EE_KEEP_ROWS, &whole));
  assert_true(ee_result_mean_score(merged) == ee_result_mean_score(whole));
  assert_int_equal(ee_result_count(merged, EE_COUNT_CASES), 3);
  const char *one, *other;
  assert_int_equal(ee_result_report(merged, "json", NULL, 0, &one, NULL, &error), EE_OK);
  assert_int_equal(ee_result_report(whole, "json", NULL, 0, &other, NULL, &error), EE_OK);
  assert_non_null(strstr(one, "\"mean_score\""));
  ee_result_free(merged);
  ee_result_free(whole);
  ee_rules_free(rules);
  free(part);
}

static void test_mistakes(void **state) {
  (void)state;
  static const char text[] = "rules:\n  - fields:\n      - exact: a\n      - numeric: {path: b, tolerence: 1}\n";
  mistakes found = {0};
  assert_null(ee_rules_parse("r.yaml", text, strlen(text), on_error, &found));
  assert_int_equal(found.count, 1);
  assert_string_equal(found.list[0].file, "r.yaml");
  assert_int_equal(found.list[0].line, 4);
  assert_int_equal(found.list[0].column, 39);
  assert_string_equal(found.list[0].message, "unknown option 'tolerence' for ee.numeric (did you mean 'tolerance'?)");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_rows_of_all_forms), cmocka_unit_test(test_parts),
             cmocka_unit_test(test_mistakes));
