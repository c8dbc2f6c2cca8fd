/* test_alternatives.c: several right answers, against judging each of them alone. */
#include "judge/plan_fixture.h"
#include "support/random.h"

#define FIELDS(list) "{\"ee\": \"rules\", \"items\": [{\"ee\": \"fields\", \"items\": [" list "]}]}"

static const char *const strategies[] = {
    "\"ee\": \"exact\"",
    "\"ee\": \"numeric\", \"tolerance\": 1, \"score\": \"linear\"",
    "\"ee\": \"fuzzy\", \"score\": \"similarity\", \"threshold\": 0.5",
    "\"ee\": \"date\", \"order\": \"DMY\"",
};
static const char *const values[] = {
    "null",       "\"\"",         "1",  "2",   "\"2\"", "2.5", "\"abc\"", "\"abd\"", "\"2025-04-03\"",
    "\"3.4.25\"", "\"4/4/2025\"", "[]", "true"};
enum { STRATEGIES = sizeof strategies / sizeof *strategies, VALUES = sizeof values / sizeof *values };

typedef struct judged {
  double score;
  ee_counts counts;
} judged;

static judged judge(fixture *f, const char *expected, const char *candidate) {
  const ee_judge_result *result = fixture_judge_case(f, expected, candidate);
  assert_int_equal(result->attribute_count, 1);
  return (judged){.score = result->score, .counts = result->attributes[0].counts};
}

/* One value alone. */
static judged judge_one(fixture *f, const char *value, const char *candidate) {
  char expected[100];
  sprintf(expected, "{\"a\": %s}", value);
  return judge(f, expected, candidate);
}

static bool is_empty_value(const char *value) { return strcmp(value, "null") == 0 || strcmp(value, "\"\"") == 0; }

/* The best of the answers, each judged alone. */
static judged best_of(fixture *alone, const char *const *answers, size_t count, bool paths, const char *candidate) {
  judged best = {0};
  bool any = false, may_be_empty = false, unread = false;
  for (size_t i = 0; i < count; i++) {
    may_be_empty = may_be_empty || (!paths && is_empty_value(answers[i]));
    if (is_empty_value(answers[i])) continue;
    judged one = judge_one(alone, answers[i], candidate);
    unread = unread || one.counts.unread > 0;
    if (!any || one.counts.tp > best.counts.tp || (one.counts.tp == best.counts.tp && one.score > best.score))
      best = one;
    any = true;
  }
  bool empty_candidate = strcmp(candidate, "{\"a\": null}") == 0 || strcmp(candidate, "{\"a\": \"\"}") == 0;
  if (!any || (may_be_empty && empty_candidate)) return judge_one(alone, "null", candidate);
  if (unread && best.counts.tp == 0) {
    for (size_t i = 0; i < count; i++) {
      if (is_empty_value(answers[i])) continue;
      judged one = judge_one(alone, answers[i], candidate);
      if (one.counts.unread > 0) return one;
    }
  }
  return best;
}

static void is_the_best_of_its_answers(void **state) {
  (void)state;
  test_random random = test_random_start("alternatives", 611);
  size_t matched = 0;
  for (int s = 0; s < STRATEGIES; s++) {
    fixture alone, array, paths;
    char rules[400];
    fixture_open(&alone), fixture_open(&array), fixture_open(&paths);
    sprintf(rules, FIELDS("{\"items\": [\"a\"], %s}"), strategies[s]);
    fixture_rules(&alone, rules);
    sprintf(rules, FIELDS("{\"items\": [\"a\"], \"alternatives\": true, %s}"), strategies[s]);
    fixture_rules(&array, rules);
    sprintf(rules, FIELDS("{\"ee\": \"any_of\", \"items\": [\"a\", \"b\", \"c.d\"], \"match\": {%s}}"), strategies[s]);
    fixture_rules(&paths, rules);
    for (int round = 0; round < 3000; round++) {
      const char *answers[3];
      char list[200] = "", object[200] = "", candidate[60];
      size_t count = test_random_below(&random, 4);
      static const char *const members[] = {"\"a\": ", "\"b\": ", "\"c\": {\"d\": "};
      for (size_t i = 0; i < count; i++) {
        answers[i] = values[test_random_below(&random, VALUES)];
        if (i > 0) strcat(list, ", "), strcat(object, ", ");
        strcat(list, answers[i]);
        strcat(object, members[i]), strcat(object, answers[i]), strcat(object, i == 2 ? "}" : "");
      }
      char expected[240];
      const char *value = values[test_random_below(&random, VALUES)];
      sprintf(candidate, "{\"a\": %s}", value);
      judged wanted = best_of(&alone, answers, count, false, candidate);
      sprintf(expected, "{\"a\": [%s]}", list);
      judged got = judge(&array, expected, candidate);
      if (got.score != wanted.score || memcmp(&got.counts, &wanted.counts, sizeof got.counts) != 0)
        fail_msg("%s: %s against %s: score %g, not %g", strategies[s], expected, candidate, got.score, wanted.score);
      matched += got.counts.tp;
      wanted = best_of(&alone, answers, count, true, candidate);
      sprintf(expected, "{%s}", object);
      got = judge(&paths, expected, candidate);
      if (got.score != wanted.score || memcmp(&got.counts, &wanted.counts, sizeof got.counts) != 0)
        fail_msg("%s by paths: %s against %s: score %g, not %g", strategies[s], expected, candidate, got.score,
                 wanted.score);
    }
    fixture_close(&alone), fixture_close(&array), fixture_close(&paths);
  }
  assert_true(matched > 1000);
}

static void names_the_nearest_answer(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *numeric = FIELDS("{\"ee\": \"numeric\", \"items\": [\"a\"], \"alternatives\": true}");
  const ee_judge_result *result = fixture_judge_rules(&f, numeric, "{\"a\": [10, 7, 20]}", "{\"a\": 8}");
  assert_misses(&f, result, "a (outside tolerance: diff=1, tolerance=0; nearest correct answer: 7)");
  result = fixture_judge_case(&f, "{\"a\": [10]}", "{\"a\": 8}");
  assert_misses(&f, result, "a (outside tolerance: diff=2, tolerance=0)");
  const char *fuzzy = FIELDS("{\"ee\": \"fuzzy\", \"items\": [\"a\"], \"alternatives\": true}");
  result = fixture_judge_rules(&f, fuzzy, "{\"a\": [\"xyz\", \"abcdef\"]}", "{\"a\": \"abczzz\"}");
  assert_misses(&f, result, "a (similarity 0.5 below 0.85; nearest correct answer: \"abcdef\")");
  fixture_close(&f);
}

static void has_its_own_counts_in_items(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"l\", "
                      "{\"ee\": \"exact\", \"items\": [\"n\"], \"alternatives\": true}, "
                      "{\"ee\": \"any_of\", \"items\": [\"p\", \"q\"]}], \"match\": [\"n\"]}]}";
  const ee_judge_result *result = fixture_judge_rules(
      &f, rules, "{\"l\": [{\"n\": 1, \"p\": 2, \"q\": 3}, {\"n\": 2, \"p\": 2}, {\"n\": 4, \"q\": 1}]}",
      "{\"l\": [{\"n\": 1, \"p\": 3}, {\"n\": 2, \"p\": 3}]}");
  assert_string_equal(fixture_attributes(&f, result), "n 2 0 0 1; p 1 0 1 2");
  assert_misses(&f, result, "l[1].p (outside tolerance: diff=1, tolerance=0); l[2] (missing item)");
  fixture_close(&f);
}

static void refuses_what_makes_no_sense(void **state) {
  (void)state;
  check_mistakes(FIELDS("{\"ee\": \"any_of\", \"items\": [\"a\"]}"), "1: ee.any_of needs at least two paths");
  check_mistakes(FIELDS("{\"ee\": \"any_of\", \"items\": [\"a\", 5]}"),
                 "1: ee.any_of takes paths (strings), got a number");
  check_mistakes(FIELDS("{\"ee\": \"any_of\", \"items\": [\"a\", \"b[*]\"]}"),
                 "1: path 'b[*]' of ee.any_of has a [*], which it cannot take");
  check_mistakes(
      FIELDS("{\"ee\": \"any_of\", \"items\": [\"a\", \"b\"], \"match\": {\"ee\": \"exact\", \"items\": [\"x\"]}}"),
      "1: the strategy in match of ee.any_of must not have a path, got 'x'");
  check_mistakes(FIELDS("{\"ee\": \"any_of\", \"items\": [\"a\", \"b\"], \"alternatives\": true}"),
                 "1: ee.any_of must not have the option 'alternatives'");
  check_mistakes(
      FIELDS(
          "{\"ee\": \"ignore\", \"items\": [\"a\"], \"alternatives\": true}, {\"ee\": \"exact\", \"items\": [\"b\"]}"),
      "1: ee.ignore must not have the option 'alternatives'");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(is_the_best_of_its_answers), cmocka_unit_test(names_the_nearest_answer),
             cmocka_unit_test(has_its_own_counts_in_items), cmocka_unit_test(refuses_what_makes_no_sense));
