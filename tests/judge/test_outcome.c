/* test_outcome.c: outcomes are collected in full detail only, add up to the counts, and are written as JSON. */
#include "judge/outcome.h"

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
             cmocka_unit_test(items_have_outcomes_with_row_and_partner),
             cmocka_unit_test(equal_items_have_outcomes_too), cmocka_unit_test(functions_are_called_once),
             cmocka_unit_test(many_outcomes_are_cut));
