/* test_outcome.c: outcomes are collected in full detail only, add up to the counts, and are written as JSON. */
#include "judge/outcome.h"

#include "judge/error_kind.h"
#include "judge/plan_fixture.h"

#define FIELDS                                                                                                         \
  "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"items\": ["                                                  \
  "{\"ee\": \"fuzzy\", \"items\": [\"name\"], \"weight\": 2}, {\"ee\": \"exact\", \"items\": [\"items[*].sku\"]},"     \
  "{\"ee\": \"exact\", \"items\": [\"none\"]}]}]}"

#define ITEMS                                                                                                          \
  "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"items\", {\"ee\": \"exact\", \"items\": "    \
  "[\"sku\"]}, {\"ee\": \"numeric\", \"items\": [\"price\"]}], \"match\": {\"items\": [\"sku\"]}}]}"

/* The outcomes as JSON in the fixture's buffer. */
static const char *fixture_outcomes(fixture *f, const ee_judge_result *result) {
  ee_buffer_clear(&f->text);
  ee_outcomes_write(result, &f->arena, &f->text);
  return ee_buffer_terminate(&f->text);
}

static void nothing_is_collected_without_full_detail(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, FIELDS);
  const ee_judge_result *result = fixture_judge_case(&f, "{\"name\": \"a\"}", "{\"name\": \"b\"}");
  assert_null(result->outcomes);
  assert_int_equal(result->outcome_count, 0);
  fixture_close(&f);
}

static const ee_judge_result *judge_full(fixture *f, const char *rules, const char *expected, const char *candidate) {
  f->detail = EE_DETAIL_FULL;
  fixture_rules(f, rules);
  const ee_judge_result *result = fixture_judge_case(f, expected, candidate);
  assert_outcomes_add_up(result);
  return result;
}

static void fields_have_an_outcome_for_each_value(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = judge_full(&f, FIELDS, "{\"name\": \"Acme\", \"items\": [{\"sku\": \"a\"}, {}]}",
                                             "{\"name\": \"Acme\", \"items\": [{\"sku\": \"b\"}, {\"sku\": \"c\"}]}");
  assert_int_equal(result->outcome_count, 4);
  assert_non_null(strstr(fixture_outcomes(&f, result), "{\"path\":\"items[1].sku\",\"field\":\"items[*].sku\","
                                                       "\"outcome\":\"spurious\",\"candidate\":\"c\",\"score\":0"));
  fixture_close(&f);
}

/* What was compared is shown in its normal form, and how its score comes about. */
static void outcomes_show_how_they_were_judged(void **state) {
  (void)state;
  static const char *const scores[][2] = {{"linear", "score max(0, 1 - 3/10) = 0.7"},
                                          {"exponential", "score exp(-(3/10)) = 0.740818"}};
  for (size_t i = 0; i < 2; i++) {
    fixture f;
    fixture_open(&f);
    char rules[300];
    snprintf(rules, sizeof rules,
             "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"items\": [{\"ee\": \"date\", \"items\": [\"d\"], "
             "\"score\": "
             "\"%s\", \"scale\": 10}]}]}",
             scores[i][0]);
    const ee_judge_result *result = judge_full(&f, rules, "{\"d\": \"15 JAN 2025\"}", "{\"d\": \"Jan 18, 2025\"}");
    const char *text = fixture_outcomes(&f, result);
    if (strstr(text, "\"expected_normal\":\"2025-01-15\",\"candidate_normal\":\"2025-01-18\",\"measure\":\"days\","
                     "\"value\":3,\"threshold\":0,") == NULL ||
        strstr(text, scores[i][1]) == NULL)
      fail_msg("%s", text);
    fixture_close(&f);
  }
}

static void items_have_outcomes_with_row_and_partner(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result =
      judge_full(&f, ITEMS, "{\"items\": [{\"sku\": \"a\", \"price\": 1}, {\"sku\": \"b\", \"price\": 2}]}",
                 "{\"items\": [{\"sku\": \"c\"}, {\"sku\": \"a\", \"price\": 3}]}");
  const char *text = fixture_outcomes(&f, result);
  assert_non_null(strstr(text, "{\"path\":\"items[0].price\",\"field\":\"price\",\"outcome\":\"incorrect\","
                               "\"expected\":1,\"candidate\":3,"));
  assert_non_null(strstr(text, "\"row\":0,\"partner\":1}"));
  assert_non_null(strstr(text, "\"reason\":\"missing item\",\"list\":\"items\",\"row\":1}"));
  assert_non_null(strstr(text, "\"reason\":\"extra item\",\"list\":\"items\",\"partner\":0}"));
  fixture_close(&f);
}

static void equal_items_have_outcomes_too(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = judge_full(&f, ITEMS, "{\"items\": [{\"sku\": \"a\", \"price\": 1}]}",
                                             "{\"items\": [{\"price\": 1, \"sku\": \"a\"}]}");
  assert_int_equal(result->outcome_count, 2);
  assert_non_null(result->outcomes[1].candidate);
  fixture_close(&f);
}

static ee_status half(const ee_value *expected, const ee_value *candidate, ee_script_score *result, ee_error *error) {
  (void)expected, (void)candidate, (void)error;
  *result = (ee_script_score){.score = 0.5, .reason = EE_STR("half")};
  return EE_OK;
}

static ee_status same_value(const ee_value *value, const ee_value **result, ee_error *error) {
  (void)error;
  *result = value;
  return EE_OK;
}

/* What is explained was kept while it was compared. */
static void functions_are_called_once(void **state) {
  (void)state;
  size_t calls[2];
  for (size_t i = 0; i < 2; i++) {
    fixture f;
    fixture_open(&f);
    f.script.strategy = half;
    f.script.map = same_value;
    f.detail = i == 0 ? EE_DETAIL_MISSES : EE_DETAIL_FULL;
    fixture_rules(&f,
                  "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"items\": [{\"ee\": \"custom\", \"items\": "
                  "[\"a\", {\"function\": 1}]}, {\"ee\": \"fuzzy\", \"items\": [\"b\"], \"normalize\": "
                  "{\"function\": 2}}]}]}");
    const ee_judge_result *result = fixture_judge_case(&f, "{\"a\": 1, \"b\": \"x\"}", "{\"a\": 2, \"b\": \"y\"}");
    calls[i] = f.script.calls;
    if (i == 1)
      assert_non_null(strstr(fixture_outcomes(&f, result), "\"formula\":\"score = 0.5 < 1\",\"reason\":\"half\""));
    fixture_close(&f);
  }
  assert_int_equal(calls[0], 3);
  assert_int_equal(calls[1], 3);
}

static void assert_outcomes(const char *judge, const char *expected, const char *candidate, const char *written) {
  fixture f;
  fixture_open(&f);
  char rules[400];
  snprintf(rules, sizeof rules, "{\"ee\":\"rules\",\"items\":[%s]}", judge);
  assert_string_equal(fixture_outcomes(&f, judge_full(&f, rules, expected, candidate)), written);
  fixture_close(&f);
}

/* Of lists of places: the row of the expected one and of its partner, and how it was judged. */
static void places_have_outcomes(void **state) {
  (void)state;
  assert_outcomes("{\"ee\":\"distance_score\",\"items\":[\"at\"],\"threshold\":2}", "{\"at\":[[0,0],[5,5],[9,9]]}",
                  "{\"at\":[[0,1],[5,9]]}",
                  "[{\"path\":\"at[0]\",\"field\":\"euclidean<=2\",\"outcome\":\"tp\",\"expected\":[0,0],\"candidate\":"
                  "[0,1],\"score\":1,\"weight\":1,\"strategy\":\"distance\",\"measure\":\"distance\",\"value\":1,"
                  "\"threshold\":2,\"formula\":\"sqrt(0^2 + 1^2) = 1 <= "
                  "2\",\"list\":\"at\",\"row\":0,\"partner\":0},{\"path\":\"at[1]\",\"field\":\"euclidean<=2\","
                  "\"outcome\":\"incorrect\",\"expected\":[5,5],\"candidate\":[5,9],\"score\":0,\"weight\":1,"
                  "\"strategy\":\"distance\",\"measure\":\"distance\",\"value\":4,\"threshold\":2,\"formula\":\"sqrt(0^"
                  "2 + 4^2) = 4 > 2\",\"reason\":\"distance 4 above "
                  "2\",\"list\":\"at\",\"row\":1,\"partner\":1},{\"path\":\"at[2]\",\"field\":\"euclidean<=2\","
                  "\"outcome\":\"missing\",\"expected\":[9,9],\"score\":0,\"weight\":1,\"strategy\":\"distance\","
                  "\"reason\":\"missing item\",\"list\":\"at\",\"row\":2}]");
  assert_outcomes("{\"ee\":\"distance_score\",\"items\":[\"at\"],\"threshold\":2}", "{\"at\":[[0,0]]}",
                  "{\"at\":[[0,1],[5,9]]}",
                  "[{\"path\":\"at[0]\",\"field\":\"euclidean<=2\",\"outcome\":\"tp\",\"expected\":[0,0],\"candidate\":"
                  "[0,1],\"score\":1,\"weight\":1,\"strategy\":\"distance\",\"measure\":\"distance\",\"value\":1,"
                  "\"threshold\":2,\"formula\":\"sqrt(0^2 + 1^2) = 1 <= "
                  "2\",\"list\":\"at\",\"row\":0,\"partner\":0},{\"path\":\"at[1]\",\"field\":\"euclidean<=2\","
                  "\"outcome\":\"spurious\",\"candidate\":[5,9],\"score\":0,\"weight\":1,\"strategy\":\"distance\","
                  "\"reason\":\"extra item\",\"list\":\"at\",\"partner\":1}]");
  assert_outcomes("{\"ee\":\"iou_score\",\"items\":[\"at\"],\"threshold\":0.5}", "{\"at\":[[0,0,4,4],[10,10,14,14]]}",
                  "{\"at\":[[0,0,4,3],[20,20,24,24],[30,30,34,34]]}",
                  "[{\"path\":\"at[0]\",\"field\":\"iou>=0.5\",\"outcome\":\"tp\",\"expected\":[0,0,4,4],\"candidate\":"
                  "[0,0,4,3],\"score\":0.75,\"weight\":1,\"strategy\":\"iou\",\"measure\":\"iou\",\"value\":0.75,"
                  "\"threshold\":0.5,\"formula\":\"12/(16 + 12 - 12) = 0.75 >= "
                  "0.5\",\"list\":\"at\",\"row\":0,\"partner\":0},{\"path\":\"at[1]\",\"field\":\"iou>=0.5\","
                  "\"outcome\":\"incorrect\",\"expected\":[10,10,14,14],\"candidate\":[20,20,24,24],\"score\":0,"
                  "\"weight\":1,\"strategy\":\"iou\",\"measure\":\"iou\",\"value\":0,\"threshold\":0.5,\"formula\":\"0/"
                  "(16 + 16 - 0) = 0 < 0.5\",\"reason\":\"iou 0 below "
                  "0.5\",\"list\":\"at\",\"row\":1,\"partner\":1},{\"path\":\"at[2]\",\"field\":\"iou>=0.5\","
                  "\"outcome\":\"spurious\",\"candidate\":[30,30,34,34],\"score\":0,\"weight\":1,\"strategy\":\"iou\","
                  "\"reason\":\"extra item\",\"list\":\"at\",\"partner\":2}]");
  assert_outcomes("{\"ee\":\"detection\"}",
                  "[{\"bbox\":[0,0,10,10],\"category\":\"cat\"},{\"bbox\":[50,0,10,10],\"category\":\"cat\"}]",
                  "[{\"bbox\":[0,0,10,8],\"category\":\"cat\",\"score\":0.9},"
                  "{\"bbox\":[50,0,10,4],\"category\":\"cat\",\"score\":0.8}]",
                  "[{\"path\":\"0 "
                  "cat\",\"field\":\"cat\",\"outcome\":\"tp\",\"expected\":{\"bbox\":[0,0,10,10],\"category\":\"cat\"},"
                  "\"candidate\":{\"bbox\":[0,0,10,8],\"category\":\"cat\",\"score\":0.9},\"score\":1,\"weight\":1,"
                  "\"measure\":\"iou\",\"value\":0.8,\"threshold\":0.5,\"formula\":\"80/(100 + 80 - 80) = 0.8 >= "
                  "0.5\",\"row\":0,\"partner\":0},{\"path\":\"1 "
                  "cat\",\"field\":\"cat\",\"outcome\":\"missing\",\"expected\":{\"bbox\":[50,0,10,10],\"category\":"
                  "\"cat\"},\"score\":0,\"weight\":1,\"reason\":\"missed\",\"row\":1},{\"path\":\"det 1 "
                  "cat\",\"field\":\"cat\",\"outcome\":\"incorrect\",\"expected\":{\"bbox\":[50,0,10,10],\"category\":"
                  "\"cat\"},\"candidate\":{\"bbox\":[50,0,10,4],\"category\":\"cat\",\"score\":0.8},\"score\":0,"
                  "\"weight\":1,\"measure\":\"iou\",\"value\":0.4,\"threshold\":0.5,\"formula\":\"40/(100 + 40 - 40) = "
                  "0.4 < 0.5\",\"reason\":\"poor localisation: IoU 0.4\",\"partner\":1}]");
}

/* The kind of error of each outcome is that of the mismatch at its place. */
static void outcomes_have_kinds(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = judge_full(
      &f, FIELDS, "{\"name\": \"Acme\", \"items\": [{\"sku\": \"ab 12\"}, {\"sku\": \"c\"}, {\"sku\": \"d\"}]}",
      "{\"name\": \"Zenith\", \"items\": [{\"sku\": \"AB 12\"}, {\"sku\": \"c\"}, {}]}");
  ee_error_kinds_decide(&f.result, &f.case_arena);
  const char *text = fixture_outcomes(&f, result);
  static const char *const parts[] = {"\"kind\":\"otherwise\"", "\"kind\":\"case only\"", "\"kind\":\"missing\""};
  for (size_t i = 0; i < 3; i++) {
    text = strstr(text, parts[i]);
    if (text == NULL) fail_msg("%s", parts[i]);
  }
  assert_null(strstr(text + 1, "\"kind\""));
  fixture_close(&f);
}

/* However many there are. */
static void many_outcomes_have_kinds(void **state) {
  (void)state;
  enum { VALUES = 1000 };
  ee_buffer documents[2] = {{0}};
  for (size_t k = 0; k < 2; k++) {
    ee_buffer_add_text(&documents[k], "{\"items\": [");
    for (size_t i = 0; i < VALUES; i++)
      ee_buffer_addf(&documents[k], "%s{\"sku\": \"%s%zu\"}", i > 0 ? "," : "", k == 0 ? "abc" : "ABC", i);
    ee_buffer_add_text(&documents[k], "]}");
  }
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result =
      judge_full(&f, FIELDS, ee_buffer_terminate(&documents[0]), ee_buffer_terminate(&documents[1]));
  ee_error_kinds_decide(&f.result, &f.case_arena);
  size_t count = 0;
  for (const char *at = fixture_outcomes(&f, result); (at = strstr(at, "\"kind\":\"case only\"")) != NULL; at++)
    count++;
  assert_int_equal(result->mismatch_count, VALUES);
  assert_int_equal(count, VALUES);
  for (size_t k = 0; k < 2; k++) ee_buffer_fini(&documents[k]);
  fixture_close(&f);
}

static void many_outcomes_are_cut(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_outcome_list list = {0};
  for (size_t i = 0; i < EE_OUTCOMES_KEPT; i++) ee_outcomes_add(&list, &arena, &(ee_outcome){0});
  assert_false(list.cut);
  ee_outcomes_add(&list, &arena, &(ee_outcome){0});
  assert_true(list.cut);
  assert_int_equal(list.count, EE_OUTCOMES_KEPT);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(nothing_is_collected_without_full_detail),
             cmocka_unit_test(fields_have_an_outcome_for_each_value),
             cmocka_unit_test(outcomes_show_how_they_were_judged),
             cmocka_unit_test(items_have_outcomes_with_row_and_partner),
             cmocka_unit_test(equal_items_have_outcomes_too), cmocka_unit_test(functions_are_called_once),
             cmocka_unit_test(places_have_outcomes), cmocka_unit_test(outcomes_have_kinds),
             cmocka_unit_test(many_outcomes_have_kinds), cmocka_unit_test(many_outcomes_are_cut));
