/* test_line_items_optimal.c: optimal pairing as ee.line_items gives it, against trying all pairings; what must not
 * change it; greedy beside it; and falling back. */
#include "judge/line_items/line_items.h"
#include "judge/plan_fixture.h"

#include <math.h>

#include "judge/quality/quality_view.h"
#include "support/random.h"

/* Lists of items {d, s, n}: a short text of two letters, a code and a number, each perhaps missing. */
enum { MOST = 48 };

typedef struct item {
  char d[8];
  int s, n; /* 0: missing */
} item;

typedef struct item_list {
  item items[MOST];
  size_t count;
} item_list;

static item random_item(test_random *random, size_t longest) {
  item made = {.s = (int)test_random_below(random, 3), .n = (int)test_random_below(random, 4)};
  size_t length = test_random_below(random, longest + 1);
  for (size_t i = 0; i < length; i++) made.d[i] = "ab"[test_random_below(random, 2)];
  return made;
}

static void random_list(test_random *random, size_t most, size_t longest, item_list *list) {
  list->count = test_random_below(random, most + 1);
  for (size_t i = 0; i < list->count; i++) list->items[i] = random_item(random, longest);
}

static void shuffle(test_random *random, item_list *list) {
  for (size_t i = list->count; i > 1; i--) {
    size_t other = test_random_below(random, i);
    item kept = list->items[i - 1];
    list->items[i - 1] = list->items[other];
    list->items[other] = kept;
  }
}

static char *list_text(const item_list *list) {
  ee_buffer out;
  ee_buffer_init(&out);
  ee_buffer_add_text(&out, "{\"l\":[");
  for (size_t i = 0; i < list->count; i++) {
    const item *it = &list->items[i];
    ee_buffer_addf(&out, "%s{\"id\":0", i > 0 ? "," : "");
    if (it->d[0] != '\0') ee_buffer_addf(&out, ",\"d\":\"%s\"", it->d);
    if (it->s > 0) ee_buffer_addf(&out, ",\"s\":\"S%d\"", it->s);
    if (it->n > 0) ee_buffer_addf(&out, ",\"n\":%d", it->n);
    ee_buffer_add_char(&out, '}');
  }
  ee_buffer_add_text(&out, "]}");
  char *text = strdup(ee_buffer_terminate(&out));
  ee_buffer_fini(&out);
  return text;
}

static void judge_lists(fixture *f, const item_list *expected, const item_list *candidate) {
  char *left = list_text(expected), *right = list_text(candidate);
  fixture_judge_case(f, left, right);
  free(left);
  free(right);
}

/* The twin: similarity by definition, all pairings ------------------------------------------------------------------
 */

/* 0 by the text alone, 1 by the text and the code, which weighs twice as much. */
typedef enum match_kind { BY_TEXT, BY_TEXT_AND_CODE } match_kind;

static int distance(const char *a, const char *b) {
  int table[9][9], n = (int)strlen(a), m = (int)strlen(b);
  for (int i = 0; i <= n; i++) {
    for (int k = 0; k <= m; k++) {
      int best = i > k ? i : k;
      if (i > 0 && k > 0) {
        best = table[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
        if (table[i - 1][k] + 1 < best) best = table[i - 1][k] + 1;
        if (table[i][k - 1] + 1 < best) best = table[i][k - 1] + 1;
      }
      table[i][k] = best;
    }
  }
  return table[n][m];
}

static bool equal_items(const item *a, const item *b) {
  return strcmp(a->d, b->d) == 0 && a->s == b->s && a->n == b->n;
}

static double similarity(match_kind kind, const item *a, const item *b) {
  double sum = 0, weights = 0;
  if (a->d[0] != '\0' || b->d[0] != '\0') {
    size_t longer = strlen(a->d) > strlen(b->d) ? strlen(a->d) : strlen(b->d);
    bool both = a->d[0] != '\0' && b->d[0] != '\0';
    sum += both ? 1 - (double)distance(a->d, b->d) / (double)longer : 0;
    weights += 1;
  }
  if (kind == BY_TEXT_AND_CODE && (a->s > 0 || b->s > 0)) {
    sum += a->s == b->s ? 2 : 0;
    weights += 2;
  }
  return weights > 0 ? sum / weights : equal_items(a, b) ? 1 : 0;
}

typedef struct twin {
  match_kind kind;
  double threshold;
  const item_list *expected, *candidate;
} twin;

static bool is_possible(const twin *t, size_t row, size_t column, double *value) {
  *value = similarity(t->kind, &t->expected->items[row], &t->candidate->items[column]);
  return *value >= t->threshold - 1e-12;
}

/* Whether an item has a value to match by: without any, items are paired by their score fields instead. */
static bool has_match_value(match_kind kind, const item_list *list) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i].d[0] != '\0' || (kind == BY_TEXT_AND_CODE && list->items[i].s > 0)) return true;
  return false;
}

/* The largest total over all pairings of the rows from `row` on with the columns not in `taken`. */
static double best_total(const twin *t, size_t row, unsigned taken) {
  if (row == t->expected->count) return 0;
  double best = best_total(t, row + 1, taken);
  for (size_t column = 0; column < t->candidate->count; column++) {
    double value;
    if ((taken & 1u << column) != 0 || !is_possible(t, row, column, &value)) continue;
    double total = value + best_total(t, row + 1, taken | 1u << column);
    if (total > best) best = total;
  }
  return best;
}

/* Rules -------------------------------------------------------------------------------------------------------------
 */

static const double thresholds[] = {0, 0.25, 0.5, 0.6, 0.75, 1};

/* Judges "optimal", "greedy" and "both" of one match. */
static void open_rules(fixture *f, match_kind kind, double threshold, const char *more) {
  const char *match = kind == BY_TEXT ? "[\"d\"]" : "[\"d\", {\"ee\": \"exact\", \"items\": [\"s\"], \"weight\": 2}]";
  static const char *const names[] = {"optimal", "greedy", "both"};
  static const char *const methods[] = {"optimal", "greedy", "optimal"};
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_text(&text, "{\"ee\": \"rules\", \"items\": [");
  for (size_t i = 0; i < 3; i++) {
    ee_buffer_addf(&text,
                   "%s{\"ee\": \"line_items\", \"name\": \"%s\", %s\"match\": {\"items\": %s, \"threshold\": %g, "
                   "\"method\": \"%s\"%s}, \"items\": [\"l\", {\"ee\": \"exact\", \"items\": [\"d\"]}, {\"ee\": "
                   "\"exact\", \"items\": [\"s\"]}, {\"ee\": \"numeric\", \"items\": [\"n\"]}]}",
                   i > 0 ? "," : "", names[i], i == 2 ? "\"compare_methods\": true, " : "", match, threshold,
                   methods[i], more);
  }
  ee_buffer_add_text(&text, "]}");
  fixture_open(f);
  fixture_rules(f, ee_buffer_terminate(&text));
  ee_buffer_fini(&text);
}

static double alignment_total(const ee_judge_result *result) {
  double total = 0;
  for (size_t i = 0; i < ee_item_report_of(result)->alignment_count; i++)
    total += ee_item_report_of(result)->alignment[i].similarity;
  return total;
}

static void check_pairs(const twin *t, const ee_judge_result *result) {
  unsigned long long rows = 0, columns = 0;
  for (size_t i = 0; i < ee_item_report_of(result)->alignment_count; i++) {
    const ee_alignment *pair = &ee_item_report_of(result)->alignment[i];
    double value;
    assert_true(is_possible(t, pair->expected, pair->candidate, &value));
    assert_true(fabs(value - pair->similarity) < 1e-12);
    assert_true((rows >> pair->expected & 1) == 0 && (columns >> pair->candidate & 1) == 0);
    rows |= 1ull << pair->expected;
    columns |= 1ull << pair->candidate;
  }
}

/* Tests -------------------------------------------------------------------------------------------------------------
 */

static void test_against_all_pairings(void **state) {
  (void)state;
  test_random random = test_random_start("all_pairings", 401);
  size_t greedy_lost = 0;
  for (size_t round = 0; round < 24; round++) {
    twin t = {.kind = (match_kind)(round % 2), .threshold = thresholds[round / 2 % 6]};
    fixture f;
    open_rules(&f, t.kind, t.threshold, "");
    for (size_t i = 0; i < 40; i++) {
      item_list expected, candidate;
      size_t most = i % 8 == 0 ? 7 : 5;
      random_list(&random, most, 6, &expected);
      random_list(&random, most, 6, &candidate);
      if (!has_match_value(t.kind, &expected) && !has_match_value(t.kind, &candidate)) continue;
      t.expected = &expected;
      t.candidate = &candidate;
      judge_lists(&f, &expected, &candidate);
      const ee_judge_result *optimal = &f.result.judges[0], *greedy = &f.result.judges[1];
      double best = best_total(&t, 0, 0);
      assert_true(fabs(alignment_total(optimal) - best) < 1e-9);
      assert_true(alignment_total(greedy) < best + 1e-9);
      greedy_lost += alignment_total(greedy) < best - 1e-9;
      check_pairs(&t, optimal);
      check_pairs(&t, greedy);
    }
    fixture_close(&f);
  }
  assert_true(greedy_lost > 5);
}

static void assert_same_result(const ee_judge_result *a, const ee_judge_result *b) {
  assert_true(a->score == b->score);
  assert_int_equal(ee_item_report_of(a)->alignment_count, ee_item_report_of(b)->alignment_count);
  assert_int_equal(a->attribute_count, b->attribute_count);
  for (size_t i = 0; i < a->attribute_count; i++)
    assert_memory_equal(&a->attributes[i].counts, &b->attributes[i].counts, sizeof(ee_counts));
}

/* What a result holds lives until the next case. */
typedef struct kept_result {
  ee_judge_result result;
  ee_attribute_result attributes[8];
  ee_item_report report; /* without its lists */
  double total;
} kept_result;

static void keep(const ee_judge_result *result, kept_result *kept) {
  kept->result = *result;
  memcpy(kept->attributes, result->attributes, result->attribute_count * sizeof *kept->attributes);
  kept->result.attributes = kept->attributes;
  kept->report = *ee_item_report_of(result);
  kept->result.details = &kept->report;
  kept->total = alignment_total(result);
}

static void test_order_never_matters(void **state) {
  (void)state;
  test_random random = test_random_start("optimal_order", 402);
  for (size_t round = 0; round < 12; round++) {
    fixture f;
    open_rules(&f, (match_kind)(round % 2), thresholds[round % 6], "");
    for (size_t i = 0; i < 60; i++) {
      item_list expected, candidate;
      /* Two letters of length 2: most items tie with some other. */
      random_list(&random, 12, 1 + i % 6, &expected);
      random_list(&random, 12, 1 + i % 6, &candidate);
      judge_lists(&f, &expected, &candidate);
      kept_result before;
      keep(&f.result.judges[0], &before);
      shuffle(&random, &expected);
      shuffle(&random, &candidate);
      judge_lists(&f, &expected, &candidate);
      assert_same_result(&before.result, &f.result.judges[0]);
      assert_true(fabs(alignment_total(&f.result.judges[0]) - before.total) < 1e-12);
    }
    fixture_close(&f);
  }
}

/* However many items share a text, each finds itself again. */
static void test_a_shuffled_list_is_perfect(void **state) {
  (void)state;
  test_random random = test_random_start("optimal_identity", 403);
  for (size_t round = 0; round < 12; round++) {
    fixture f;
    open_rules(&f, (match_kind)(round % 2), thresholds[round % 6], "");
    for (size_t i = 0; i < 40; i++) {
      item_list expected, candidate;
      random_list(&random, 24, 1 + i % 6, &expected);
      candidate = expected;
      shuffle(&random, &candidate);
      /* One item more, so that equal items are not all there is. */
      if (i % 2 == 0) candidate.items[candidate.count++] = (item){.d = "bbbbbbb", .s = 1};
      judge_lists(&f, &expected, &candidate);
      for (size_t k = 0; k < 3; k++) {
        const ee_judge_result *result = &f.result.judges[k];
        assert_int_equal(ee_item_report_of(result)->alignment_count, expected.count);
        for (size_t a = 0; a < result->attribute_count; a++) {
          const ee_counts *counts = &result->attributes[a].counts;
          assert_int_equal(counts->fn, 0);
          assert_int_equal(counts->wrong, 0);
        }
        if (i % 2 != 0) assert_true(result->score == 1);
      }
    }
    fixture_close(&f);
  }
}

static size_t count_different(const ee_judge_result *a, const ee_judge_result *b, size_t rows) {
  uint32_t left[MOST], right[MOST];
  memset(left, 0xff, sizeof left);
  memset(right, 0xff, sizeof right);
  for (size_t i = 0; i < ee_item_report_of(a)->alignment_count; i++)
    left[ee_item_report_of(a)->alignment[i].expected] = ee_item_report_of(a)->alignment[i].candidate;
  for (size_t i = 0; i < ee_item_report_of(b)->alignment_count; i++)
    right[ee_item_report_of(b)->alignment[i].expected] = ee_item_report_of(b)->alignment[i].candidate;
  size_t count = 0;
  for (size_t i = 0; i < rows; i++) count += left[i] != right[i];
  return count;
}

/* Larger lists, and the comparison of both methods against the judges that know one only. */
static void test_greedy_beside_optimal(void **state) {
  (void)state;
  test_random random = test_random_start("beside", 404);
  size_t different = 0, lost = 0;
  for (size_t round = 0; round < 12; round++) {
    fixture f;
    open_rules(&f, (match_kind)(round % 2), thresholds[round % 6], "");
    for (size_t i = 0; i < 15; i++) {
      item_list expected, candidate;
      random_list(&random, 40, 6, &expected);
      random_list(&random, 40, 6, &candidate);
      judge_lists(&f, &expected, &candidate);
      const ee_judge_result *optimal = &f.result.judges[0], *greedy = &f.result.judges[1], *both = &f.result.judges[2];
      assert_same_result(optimal, both);
      assert_null(optimal->methods);
      assert_non_null(both->methods);
      const ee_methods_compared *methods = both->methods;
      assert_non_null(methods);
      assert_true(methods->greedy.score == greedy->score && methods->optimal.score == optimal->score);
      assert_true(fabs(methods->greedy.similarity - alignment_total(greedy)) < 1e-9);
      assert_true(fabs(methods->optimal.similarity - alignment_total(optimal)) < 1e-9);
      assert_true(alignment_total(optimal) > alignment_total(greedy) - 1e-9);
      assert_true(fabs(methods->lost - fmax(0, methods->optimal.similarity - methods->greedy.similarity)) < 2e-9);
      assert_int_equal(methods->difference_count, count_different(greedy, optimal, expected.count));
      different += methods->difference_count > 0;
      lost += methods->lost > 0;
    }
    fixture_close(&f);
  }
  assert_true(different > 50 && lost > 30);
}

static void test_what_greedy_loses(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, BY_TEXT, 0.5, "");
  /* aabb is nearest to aabbb, which aabbbb has nobody else to pair with. */
  item_list expected = {.items = {{.d = "aabb", .n = 1}, {.d = "abbbbbb", .n = 2}}, .count = 2};
  item_list candidate = {.items = {{.d = "aabbb", .n = 2}, {.d = "aab", .n = 1}}, .count = 2};
  judge_lists(&f, &expected, &candidate);
  const ee_judge_result *both = &f.result.judges[2];
  const ee_methods_compared *methods = both->methods;
  assert_int_equal(ee_item_report_of(&f.result.judges[1])->alignment_count, 1);
  assert_int_equal(ee_item_report_of(both)->alignment_count, 2);
  assert_true(fabs(methods->greedy.similarity - 0.8) < 1e-12);
  assert_true(fabs(methods->optimal.similarity - (0.75 + 4.0 / 7)) < 1e-12);
  assert_int_equal(methods->difference_count, 2);
  assert_int_equal(methods->differences[0].expected, 0);
  assert_int_equal(methods->differences[0].greedy, 0);
  assert_int_equal(methods->differences[0].optimal, 1);
  assert_int_equal(methods->differences[1].greedy, EE_NO_ROW);
  assert_int_equal(methods->differences[1].optimal, 0);
  assert_reasoning(both,
                   "2/2 items matched, 0 missing, 0 extra; greedy loses 0.521429 of the largest total similarity, "
                   "1.32143");
  fixture_close(&f);
}

/* Pairs that the other method would take are compared, too; what fails there is not the result's. */
static void test_answers_that_only_the_other_method_needs(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixed_session session = make_session(1);
  session.failing = true;
  f.session = &session.session;
  fixture_rules(&f, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"compare_methods\": true, \"match\": "
                    "{\"items\": [{\"ee\": \"fuzzy\", \"items\": [\"d\"], \"score\": \"similarity\"}], "
                    "\"threshold\": 0.5, \"method\": \"greedy\"}, \"items\": [\"l\", {\"ee\": \"semantic\", \"items\": "
                    "[\"t\"]}]}]}");
  const ee_judge_result *result =
      fixture_judge_case(&f, "{\"l\":[{\"d\":\"aabb\",\"t\":\"p\"},{\"d\":\"abbbbbb\",\"t\":\"q\"}]}",
                         "{\"l\":[{\"d\":\"aabbb\",\"t\":\"x\"},{\"d\":\"aab\",\"t\":\"y\"}]}");
  assert_int_equal(result->methods->difference_count, 2);
  assert_int_equal(session.asked, 3); /* p and x; p and y, q and x */
  assert_int_equal(f.result.provider_failures, 1);
  assert_int_equal(f.rule_errors.count, 1);
  fixture_close(&f);
}

static void test_falling_back(void **state) {
  (void)state;
  fixture f;
  open_rules(&f, BY_TEXT, 0.5, ", \"max_pairs\": 5");
  item_list expected = {.items = {{.d = "aabb", .n = 1}, {.d = "abbbbbb", .n = 2}}, .count = 2};
  item_list candidate = {.items = {{.d = "aabbb", .n = 2}, {.d = "aab", .n = 1}}, .count = 2};
  judge_lists(&f, &expected, &candidate);
  assert_int_equal(f.result.judges[0].fallbacks, 0);
  assert_int_equal(ee_item_report_of(&f.result.judges[0])->alignment_count, 2);
  candidate.items[candidate.count++] = (item){.s = 1};
  judge_lists(&f, &expected, &candidate);
  for (size_t k = 0; k < 3; k++) {
    const ee_judge_result *result = &f.result.judges[k];
    assert_int_equal(result->fallbacks, k == 1 ? 0 : 1);
    assert_int_equal(ee_item_report_of(result)->alignment_count, 1);
    assert_int_equal(ee_item_report_of(result)->alignment[0].candidate, 0);
    /* What would be too much is not compared either. */
    assert_null(result->methods);
    assert_reasoning(result, k == 1 ? "1/2 items matched, 1 missing, 2 extra"
                                    : "1/2 items matched, 1 missing, 2 extra; paired by greedy, since optimal would be "
                                      "too much work");
  }
  fixture_close(&f);
}

/* Rules -------------------------------------------------------------------------------------------------------------
 */

static void test_mistakes(void **state) {
  (void)state;
  check_mistakes(
      "{\"ee\": \"rules\", \"items\": ["
      "{\"ee\": \"line_items\", \"line\": 2, \"items\": [\"x\"], \"match\": {\"method\": \"optimal\", "
      "\"max_pairs\": 2.5}},"
      "{\"ee\": \"line_items\", \"line\": 3, \"name\": \"b\", \"items\": [\"x\"], \"match\": {\"max_pairs\": "
      "-1, \"compare_methods\": true}},"
      "{\"ee\": \"line_items\", \"line\": 4, \"name\": \"c\", \"items\": [\"x\"], \"compare_methods\": true, "
      "\"match\": {\"method\": \"index\"}},"
      "{\"ee\": \"line_items\", \"line\": 5, \"name\": \"d\", \"items\": [\"x\"], \"match\": "
      "{\"score_fields\": true, \"items\": [\"a\"]}},"
      "{\"ee\": \"line_items\", \"line\": 6, \"name\": \"e\", \"items\": [\"x\"], \"match\": "
      "{\"score_fields\": true, \"similarity\": {\"function\": 1}}}]}",
      "2: option 'max_pairs' of match must be a whole number",
      "3: option 'compare_methods' belongs to ee.line_items, not to its match",
      "3: option 'max_pairs' of match must be between 1 and 1000000000000000, got -1",
      "4: option 'compare_methods' of ee.line_items needs method 'greedy' or 'optimal'",
      "5: match of ee.line_items must have score_fields or fields of its own, not both",
      "6: match of ee.line_items must have score_fields or a similarity function, not both");
}

/* The score fields decide, with a threshold and a method. */
static void test_score_fields(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"match\": {\"score_fields\": true, "
                    "\"threshold\": 0.5, \"method\": \"optimal\"}, \"items\": [\"l\", {\"ee\": \"exact\", \"items\": "
                    "[\"a\"]}, {\"ee\": \"exact\", \"items\": [\"b\"], \"weight\": 3}]}]}");
  const ee_judge_result *result = fixture_judge_case(&f, "{\"l\": [{\"a\": 1, \"b\": 1}, {\"a\": 2, \"b\": 2}]}",
                                                     "{\"l\": [{\"a\": 1, \"b\": 2}, {\"a\": 2, \"b\": 3}]}");
  assert_int_equal(ee_item_report_of(result)->alignment_count, 1);
  assert_int_equal(ee_item_report_of(result)->alignment[0].expected, 1);
  assert_int_equal(ee_item_report_of(result)->alignment[0].candidate, 0);
  assert_true(ee_item_report_of(result)->alignment[0].similarity == 0.75);
  fixture_close(&f);
}

static ee_status fail_strategy(const ee_value *expected, const ee_value *candidate, ee_script_score *result,
                               ee_error *error) {
  (void)expected, (void)candidate, (void)result;
  return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 3, 0, "no");
}

/* Errors of rules in pairs of the other method are not the case's. */
static void test_rule_errors_of_the_other_method(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.strategy = fail_strategy;
  const ee_judge_result *result = fixture_judge_rules(
      &f,
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"compare_methods\": true, \"match\": {\"items\": "
      "[\"d\"], "
      "\"threshold\": 0.5}, \"items\": [\"l\", {\"ee\": \"custom\", \"items\": [\"t\", {\"function\": 0}]}]}]}",
      "{\"l\":[{\"d\":\"aabb\",\"t\":1},{\"d\":\"abbbbbb\",\"t\":2}]}",
      "{\"l\":[{\"d\":\"aabbb\",\"t\":3},{\"d\":\"aab\",\"t\":4}]}");
  assert_int_equal(result->methods->difference_count, 2);
  assert_int_equal(f.result.rule_errors, 1);
  assert_int_equal(f.rule_errors.count, 1);
  fixture_close(&f);
}

/* What is scored by the other method, inner lists and conditions of their fields included: the first line belongs to
 * the second order by its text. */
static void test_inner_lists_by_both_methods(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(
      &f, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"line_items\", \"compare_methods\": true, \"match\": "
          "{\"items\": [\"d\"], \"threshold\": 0.5}, \"items\": [\"l\", {\"ee\": \"exact\", \"items\": [\"n\"]}, "
          "{\"ee\": \"line_items\", \"match\": {\"key\": \"k\"}, \"items\": [\"in\", {\"ee\": \"exact\", "
          "\"items\": [\"v\"]}]}, {\"ee\": \"line_items\", \"match\": {\"key\": \"k\"}, \"items\": [\"data\"]}]}]}");
#define INNER(v) "\"in\":[{\"k\":1,\"v\":" v "}],\"data\":[{\"k\":1,\"w\":" v "}]}"
  const ee_judge_result *result = fixture_judge_case(
      &f, "{\"l\":[{\"d\":\"aabb\",\"n\":1," INNER("5") ",{\"d\":\"abbbbbb\",\"n\":2," INNER("6") "]}",
      "{\"l\":[{\"d\":\"aabbb\",\"n\":2," INNER("6") ",{\"d\":\"aab\",\"n\":1," INNER("5") "]}");
  assert_int_equal(result->methods->difference_count, 2);
  assert_int_equal(result->methods->differences[0].greedy, 0);
  assert_int_equal(result->methods->differences[0].optimal, 1);
  assert_int_equal(result->methods->differences[1].greedy, EE_NO_ROW);
  assert_int_equal(result->methods->differences[1].optimal, 0);
  /* Greedy pairs the first order with the wrong one, in which only the key of the data is right. */
  assert_true(result->methods->greedy.score == result->score && result->methods->optimal.score == 1);
  assert_true(fabs(result->score - 0.5 / 4) < 1e-15);
  assert_true(fabs(result->methods->greedy.similarity - (0.8)) < 1e-15);
  assert_true(fabs(result->methods->optimal.similarity - (0.75 + 4.0 / 7)) < 1e-15);
  assert_true(fabs(result->methods->lost - (0.75 + 4.0 / 7 - 0.8)) < 1e-12);
  ee_buffer_clear(&f.text);
  fixture_write_details(result, &f.text);
  assert_non_null(
      strstr(ee_buffer_terminate(&f.text),
             "\"different_pairs\":[{\"expected\":0,\"greedy\":0,\"optimal\":1},{\"expected\":1,\"greedy\":null,"
             "\"optimal\":0}]"));
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_against_all_pairings), cmocka_unit_test(test_order_never_matters),
             cmocka_unit_test(test_a_shuffled_list_is_perfect), cmocka_unit_test(test_greedy_beside_optimal),
             cmocka_unit_test(test_what_greedy_loses), cmocka_unit_test(test_answers_that_only_the_other_method_needs),
             cmocka_unit_test(test_falling_back), cmocka_unit_test(test_score_fields), cmocka_unit_test(test_mistakes),
             cmocka_unit_test(test_inner_lists_by_both_methods),
             cmocka_unit_test(test_rule_errors_of_the_other_method));
