/* test_aggregate.c: scores of parts and places against their definitions, and the formulas that show them. */
#include "judge/aggregate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/random.h"

enum { MOST = 24 };

static const char *formula(ee_aggregate_kind kind, const ee_script_part *parts, size_t count) {
  ee_aggregate aggregate = {.kind = kind, .function = -1};
  ee_aggregate_result result = ee_aggregate_parts(&aggregate, NULL, parts, count);
  ee_str text = ee_aggregate_formula(&aggregate, &result, parts, count, &arena);
  return ee_arena_printf(&arena, "%.*s", EE_STR_ARG(text));
}

static void shows_formulas(void **state) {
  (void)state;
  ee_script_part parts[20] = {{.scored = true, .score = 1, .weight = 2}, {.scored = true, .score = 0.5, .weight = 1}};
  assert_string_equal(formula(EE_AGGREGATE_WEIGHTED_AVERAGE, parts, 2), "(2*1 + 1*0.5)/3 = 0.833333");
  assert_string_equal(formula(EE_AGGREGATE_ALL_OR_NOTHING, parts, 2), "all or nothing: 1 of 2 parts score 1 = 0");
  parts[0].weight = 1;
  assert_string_equal(formula(EE_AGGREGATE_WEIGHTED_AVERAGE, parts, 2), "(1 + 0.5)/2 = 0.75");
  assert_string_equal(formula(EE_AGGREGATE_WEIGHTED_AVERAGE, parts, 1), ""); /* no more than the score */
  parts[2] = (ee_script_part){.scored = false, .score = 1, .weight = 7};     /* left out, and not shown */
  parts[3] = (ee_script_part){.scored = true, .score = 0, .weight = 0};
  assert_string_equal(formula(EE_AGGREGATE_ALL_OR_NOTHING, parts, 4), "all or nothing: 1 of 2 parts score 1 = 0");
  parts[3].weight = 1;
  assert_string_equal(formula(EE_AGGREGATE_WEIGHTED_AVERAGE, parts, 4), "(1 + 0.5 + 0)/3 = 0.5");
  parts[0].counts = (ee_counts){.tp = 3, .fp = 1};
  parts[1].counts = (ee_counts){.tp = 2};
  parts[2].counts = (ee_counts){.fn = 1};
  parts[3].counts = (ee_counts){.tn = 5}; /* undefined: left out */
  assert_string_equal(formula(EE_AGGREGATE_MACRO_F1, parts, 4), "(6/7 + 1 + 0)/3 = 0.619048");
  assert_string_equal(formula(EE_AGGREGATE_MACRO_F1, parts, 1), "6/7 = 0.857143");
  assert_string_equal(formula(EE_AGGREGATE_MACRO_F1, parts + 1, 1), "");
  assert_string_equal(formula(EE_AGGREGATE_MACRO_F1, parts + 3, 1), "nothing to score = 1");
}

/* Of more than 16 parts the sums alone. */
static void shows_sums_of_many(void **state) {
  (void)state;
  ee_script_part parts[20];
  for (size_t i = 0; i < 20; i++)
    parts[i] = (ee_script_part){.scored = true, .score = i % 4 == 0 ? 0.5 : 1, .weight = i % 2 == 0 ? 3 : 1};
  assert_string_equal(formula(EE_AGGREGATE_WEIGHTED_AVERAGE, parts, 16),
                      "(3*0.5 + 1*1 + 3*1 + 1*1 + 3*0.5 + 1*1 + 3*1 + 1*1 + 3*0.5 + 1*1 + 3*1 + 1*1 + 3*0.5 + 1*1 + "
                      "3*1 + 1*1)/32 = 0.8125");
  assert_string_equal(formula(EE_AGGREGATE_WEIGHTED_AVERAGE, parts, 17), "27.5/35 = 0.785714");
  for (size_t i = 0; i < 20; i++) parts[i].weight = 1;
  assert_string_equal(formula(EE_AGGREGATE_WEIGHTED_AVERAGE, parts, 18), "15.5/18 = 0.861111");
}

/* By weights, as ee.line_items has it, and not, as ee.fields has it. */
static void agrees_with_pooled_counts(void **state) {
  (void)state;
  test_random random = test_random_start("aggregate: pooled", 33);
  for (int round = 0; round < 5000; round++) {
    ee_script_part parts[MOST];
    size_t count = test_random_below(&random, MOST);
    bool weighted = test_random_below(&random, 2) == 1;
    double tp = 0, fp = 0, fn = 0, wrong = 0, f1 = 0, weights = 0;
    for (size_t i = 0; i < count; i++) {
      ee_counts counts = {.tp = test_random_below(&random, 4), .tn = test_random_below(&random, 3)};
      size_t spurious = test_random_below(&random, 2), missing = test_random_below(&random, 2);
      counts.wrong = test_random_below(&random, 3);
      counts.fp = counts.wrong + spurious;
      counts.fn = counts.wrong + missing;
      if (test_random_below(&random, 3) == 0) counts = (ee_counts){.tn = 1};
      parts[i] = (ee_script_part){.weight = (double)test_random_below(&random, 5) / 2, .counts = counts};
      double weight = weighted ? parts[i].weight : 1;
      tp += weight * (double)counts.tp;
      fp += weight * (double)counts.fp;
      fn += weight * (double)counts.fn;
      wrong += weight * (double)counts.wrong;
      if (counts.tp + counts.fp + counts.fn == 0) continue;
      f1 += weight * 2 * (double)counts.tp / (double)(2 * counts.tp + counts.fp + counts.fn);
      weights += weight;
    }
    double scores[] = {weights > 0 ? f1 / weights : 1, tp + fp + fn > 0 ? 2 * tp / (2 * tp + fp + fn) : 1,
                       tp + fn > 0 ? (tp + wrong) / (tp + fn)
                       : fp > 0    ? 0
                                   : 1};
    bool vacuous[] = {!(weights > 0), !(tp + fp + fn > 0), !(tp + fn > 0) && !(fp > 0)};
    for (int i = 0; i < 3; i++) {
      ee_aggregate aggregate = {
          .kind = (ee_aggregate_kind)(EE_AGGREGATE_MACRO_F1 + i), .function = -1, .weighted = weighted};
      ee_aggregate_result got = ee_aggregate_parts(&aggregate, NULL, parts, count);
      assert_float_equal(got.score, scores[i], 1e-14);
      assert_int_equal(got.vacuous, vacuous[i]);
    }
  }
}

static void shows_weights_and_pooled_counts(void **state) {
  (void)state;
  ee_script_part parts[] = {{.weight = 2, .counts = {.tp = 3, .fp = 1, .fn = 2, .wrong = 1}},
                            {.weight = 0.5, .counts = {.tp = 2}}};
  ee_aggregate aggregate = {.function = -1, .weighted = true};
  static const char *const formulas[] = {"(2*6/9 + 0.5*1)/2.5 = 0.733333", "2*7/(2*7 + 2 + 4) = 0.7",
                                         "(7 + 2)/(7 + 4) = 0.818182"};
  for (int i = 0; i < 3; i++) {
    aggregate.kind = (ee_aggregate_kind)(EE_AGGREGATE_MACRO_F1 + i);
    ee_aggregate_result result = ee_aggregate_parts(&aggregate, NULL, parts, 2);
    ee_str text = ee_aggregate_formula(&aggregate, &result, parts, 2, &arena);
    assert_string_equal(ee_arena_printf(&arena, "%.*s", EE_STR_ARG(text)), formulas[i]);
  }
}

/* A share of what was expected is at most all of it, whatever is counted. */
static void covers_at_most_all(void **state) {
  (void)state;
  const ee_script_part part = {.weight = 1, .counts = {.tp = 1, .fn = 1, .fp = 2, .wrong = 2}};
  const ee_aggregate aggregate = {.kind = (ee_aggregate_kind)(EE_AGGREGATE_MACRO_F1 + 2), .function = -1};
  assert_true(ee_aggregate_parts(&aggregate, NULL, &part, 1).score == 1);
}

static void agrees_with_the_definitions(void **state) {
  (void)state;
  test_random random = test_random_start("aggregate", 31);
  for (int round = 0; round < 5000; round++) {
    ee_script_part parts[MOST];
    size_t count = test_random_below(&random, MOST), defined = 0;
    double sum = 0, weights = 0, f1 = 0;
    bool error = false, any = false, full = true;
    for (size_t i = 0; i < count; i++) {
      ee_counts counts = {.tp = test_random_below(&random, 3), .fp = test_random_below(&random, 2)};
      counts.tn = test_random_below(&random, 2);
      counts.fn = test_random_below(&random, 2);
      parts[i] = (ee_script_part){.scored = test_random_below(&random, 3) > 0,
                                  .score = (double)test_random_below(&random, 5) / 4,
                                  .weight = (double)test_random_below(&random, 4) / 2,
                                  .counts = counts};
      if (test_random_below(&random, 2) == 0) parts[i].score = 1;
      error |= counts.fp + counts.fn > 0;
      if (counts.tp + counts.fp + counts.fn > 0) {
        f1 += 2.0 * (double)counts.tp / (double)(2 * counts.tp + counts.fp + counts.fn);
        defined++;
      }
      if (!parts[i].scored || parts[i].weight == 0) continue;
      any = true;
      full = full && parts[i].score == 1;
      sum += parts[i].score * parts[i].weight;
      weights += parts[i].weight;
    }
    double nothing = error ? 0 : 1;
    double expected[] = {any ? sum / weights : nothing, any ? (double)full : nothing,
                         defined > 0 ? f1 / (double)defined : 1};
    bool vacuous[] = {!any && !error, !any && !error, defined == 0};
    for (int kind = EE_AGGREGATE_WEIGHTED_AVERAGE; kind <= EE_AGGREGATE_MACRO_F1; kind++) {
      ee_aggregate aggregate = {.kind = (ee_aggregate_kind)kind, .function = -1};
      ee_aggregate_result got = ee_aggregate_parts(&aggregate, NULL, parts, count);
      assert_float_equal(got.score, expected[kind], 1e-14);
      assert_int_equal(got.vacuous, vacuous[kind]);
      assert_false(got.failed);
    }
  }
}

static int by_score(const void *a, const void *b) {
  const ee_place *x = a, *y = b;
  return (x->score > y->score) - (x->score < y->score);
}

static void agrees_with_sorted_places(void **state) {
  (void)state;
  test_random random = test_random_start("aggregate: places", 32);
  for (int round = 0; round < 5000; round++) {
    ee_place places[MOST], sorted[MOST];
    size_t count = 1 + test_random_below(&random, MOST);
    double sum = 0, weighted = 0, weights = 0, unit = ldexp(1, (int)test_random_below(&random, 80) - 40);
    for (size_t i = 0; i < count; i++) {
      places[i].score = test_random_unit(&random);
      places[i].weight = (double)test_random_below(&random, 4) * unit;
      sum += places[i].score;
      weighted += places[i].score * places[i].weight;
      weights += places[i].weight;
    }
    memcpy(sorted, places, sizeof sorted);
    qsort(sorted, count, sizeof *sorted, by_score);
    double expected[] = {sum / (double)count, weights > 0 ? weighted / weights : -1,
                         (sorted[(count - 1) / 2].score + sorted[count / 2].score) / 2, sorted[0].score};
    for (int kind = EE_PLACES_MEAN; kind <= EE_PLACES_MIN; kind++) {
      ee_place copy[MOST];
      memcpy(copy, places, sizeof copy);
      double got = ee_places_score((ee_place_aggregate)kind, copy, count, &arena);
      if (expected[kind] < 0)
        assert_true(got < 0);
      else
        assert_float_equal(got, expected[kind], 1e-14);
    }
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(shows_formulas), cmocka_unit_test(shows_sums_of_many),
             cmocka_unit_test(agrees_with_the_definitions), cmocka_unit_test(covers_at_most_all),
             cmocka_unit_test(agrees_with_pooled_counts), cmocka_unit_test(shows_weights_and_pooled_counts),
             cmocka_unit_test(agrees_with_sorted_places));
