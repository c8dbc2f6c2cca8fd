/* test_alternatives.c: several right answers, against judging each of them alone. */
#include "judge/plan_fixture.h"

#include <inttypes.h>

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

/* Where score fields pair the items, the best answer decides whether two belong together: of all pairings the one with
 * most correct values. */
static void items_are_paired_by_the_best_answer(void **state) {
  (void)state;
  test_random random = test_random_start("alternatives in items", 613);
  static const char *const fields[] = {
      "{\"ee\": \"exact\", \"items\": [\"a\"], \"alternatives\": true}",
      "{\"ee\": \"any_of\", \"items\": [\"a\", \"b\"], \"match\": {\"ee\": \"exact\"}}"};
  fixture alone, items;
  fixture_open(&alone), fixture_open(&items);
  fixture_rules(&alone, FIELDS("{\"ee\": \"exact\", \"items\": [\"a\"]}"));
  size_t correct = 0;
  for (int round = 0; round < 3000; round++) {
    bool paths = test_random_below(&random, 3) == 0;
    char rules[400], expected[400] = "{\"l\": [", candidate[200] = "{\"l\": [", one[60];
    sprintf(rules,
            "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"l\", %s, {\"ee\": \"exact\", "
            "\"items\": [\"k\"]}], \"match\": {\"score_fields\": true, \"method\": \"%s\", \"threshold\": 0}}]}",
            fields[paths], test_random_below(&random, 2) == 0 ? "optimal" : "greedy");
    const char *answers[3][3], *given[3];
    size_t rows = 1 + test_random_below(&random, 3), counts[3];
    uint64_t right[3][3];
    for (size_t i = 0; i < rows; i++) {
      given[i] = values[test_random_below(&random, VALUES)];
      sprintf(candidate + strlen(candidate), "%s{\"k\": 1, \"a\": %s}", i > 0 ? ", " : "", given[i]);
      strcat(expected, i > 0 ? ", {\"k\": 1" : "{\"k\": 1");
      strcat(expected, paths ? "" : ", \"a\": [");
      counts[i] = test_random_below(&random, paths ? 3 : 4);
      for (size_t k = 0; k < counts[i]; k++) {
        answers[i][k] = values[test_random_below(&random, VALUES)];
        strcat(expected, paths ? k > 0 ? ", \"b\": " : ", \"a\": " : k > 0 ? ", " : "");
        strcat(expected, answers[i][k]);
      }
      strcat(expected, paths ? "}" : "]}");
    }
    strcat(expected, "]}"), strcat(candidate, "]}");
    for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < rows; j++) {
        sprintf(one, "{\"a\": %s}", given[j]);
        ee_counts judged_counts = best_of(&alone, answers[i], counts[i], paths, one).counts;
        right[i][j] = judged_counts.tp + judged_counts.tn;
      }
    static const int pairings[][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
    uint64_t most = 0;
    for (size_t p = 0; p < (rows == 3 ? 6 : rows); p++) {
      uint64_t total = 0;
      for (size_t i = 0; i < rows; i++) total += right[i][pairings[p][i]];
      if (total > most) most = total;
    }
    const ee_judge_result *result = fixture_judge_rules(&items, rules, expected, candidate);
    const ee_counts *got = &result->attributes[0].counts;
    bool greedy = strstr(rules, "greedy") != NULL;
    if (greedy ? got->tp + got->tn > most : got->tp + got->tn != most)
      fail_msg("%s: %s against %s: %" PRIu64 " correct, not %" PRIu64, rules, expected, candidate, got->tp + got->tn,
               most);
    if (rows == 1) assert_int_equal(got->tp + got->tn, most);
    correct += got->tp + got->tn;
  }
  assert_true(correct > 1000);
  fixture_close(&alone), fixture_close(&items);
}

/* An item whose answers are all different from the candidate's but one is that item. */
static void an_item_is_found_by_its_second_answer(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const char *const matches[] = {"\"fields\"",
                                        "{\"score_fields\": true, \"method\": \"optimal\", \"threshold\": 0.2}",
                                        "[{\"ee\": \"numeric\", \"items\": [\"a\"], \"alternatives\": true}]"};
  for (size_t i = 0; i < sizeof matches / sizeof *matches; i++) {
    char rules[400];
    sprintf(rules,
            "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"l\", {\"ee\": \"numeric\", "
            "\"items\": [\"a\"], \"alternatives\": true}], \"match\": %s}]}",
            matches[i]);
    const ee_judge_result *result =
        fixture_judge_rules(&f, rules, "{\"l\": [{\"a\": 7.5}, {\"a\": {\"anyOf\": [8, 9]}}, {\"a\": [1, 2]}]}",
                            "{\"l\": [{\"a\": 2}, {\"a\": 9}, {\"a\": 7.5}]}");
    assert_string_equal(fixture_attributes(&f, result), "a 3 0 0 0");
    assert_true(result->score == 1);
  }
  fixture_close(&f);
}

/* The values of an item without a partner, and of one whose partner is below the threshold, are those of its answers.
 */
static void items_without_a_partner_count_their_answers(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  static const struct {
    const char *expected, *candidate, *counts, *misses;
  } rows[] = {
      {"{\"a\": {\"anyOf\": [5, 7]}}, {\"a\": 8}", "{\"a\": 8}", "a 1 0 0 1", "l[0] (missing item)"},
      {"{\"a\": {\"anyOf\": [5, null]}}, {\"a\": 8}", "{\"a\": 8}", "a 1 0 0 0", "l[0] (missing item)"},
      {"{\"a\": {\"anyOf\": [5, \"x\"]}}, {\"a\": 8}", "{\"a\": 8}", "a 1 0 0 0",
       "l[0] (missing item: a unreadable: not a number)"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char expected[200], candidate[200];
    sprintf(expected, "{\"l\": [%s]}", rows[i].expected), sprintf(candidate, "{\"l\": [%s]}", rows[i].candidate);
    const ee_judge_result *result = fixture_judge_rules(
        &f,
        "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"items\": [\"l\", {\"ee\": \"numeric\", "
        "\"items\": [\"a\"], \"alternatives\": true}], \"match\": \"fields\"}]}",
        expected, candidate);
    assert_string_equal(fixture_attributes(&f, result), rows[i].counts);
    assert_misses(&f, result, rows[i].misses);
  }
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

/* Where there are no paths, as inside of a set, its strategy compares one value with one. */
static void compares_inside_of_others(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, FIELDS("{\"ee\": \"set\", \"items\": [\"a\"], \"match\": {\"ee\": \"any_of\", \"match\": {\"ee\": "
                           "\"numeric\", \"tolerance\": 1}}}"));
  assert_true(fixture_judge_case(&f, "{\"a\": [10, 20]}", "{\"a\": [20.5, 9.5]}")->score == 1);
  assert_true(fixture_judge_case(&f, "{\"a\": [10]}", "{\"a\": [12]}")->score == 0);
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(is_the_best_of_its_answers), cmocka_unit_test(compares_inside_of_others),
             cmocka_unit_test(names_the_nearest_answer), cmocka_unit_test(has_its_own_counts_in_items),
             cmocka_unit_test(items_are_paired_by_the_best_answer),
             cmocka_unit_test(an_item_is_found_by_its_second_answer),
             cmocka_unit_test(items_without_a_partner_count_their_answers),
             cmocka_unit_test(refuses_what_makes_no_sense));
