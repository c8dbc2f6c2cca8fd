/* test_ranking.c: rankings against a list of all cases, sorted. */
#include "run/worst_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/random.h"

enum { ROUNDS = 120, CASES = 3 * EE_WORST_CASES_LIMIT, PARTS = 6 };

typedef struct twin_case {
  double score;
  size_t number; /* place in the input */
  size_t measures;
} twin_case;

static int by_score(const void *a, const void *b) {
  const twin_case *x = a, *y = b;
  if (x->score != y->score) return x->score < y->score ? -1 : 1;
  char left[32], right[32];
  snprintf(left, sizeof left, "case-%zu", x->number);
  snprintf(right, sizeof right, "case-%zu", y->number);
  return strcmp(left, right);
}

static double measure_of(const twin_case *one, size_t index) { return (double)(one->number * 10 + index); }

static void add(ee_worst_cases *ranking, const twin_case *one) {
  double measures[EE_CASE_METRIC_LIMIT];
  for (size_t i = 0; i < one->measures; i++) measures[i] = measure_of(one, i);
  char id[32];
  int length = snprintf(id, sizeof id, "case-%zu", one->number);
  ee_worst_cases_add(ranking, (ee_str){id, (size_t)length}, one->score, measures, one->measures);
  memset(id, '?', sizeof id); /* ids are copied */
}

static void check(const ee_worst_cases *ranking, const twin_case *cases, size_t count) {
  static twin_case sorted[CASES];
  if (count > 0) memcpy(sorted, cases, count * sizeof *cases);
  qsort(sorted, count, sizeof *sorted, by_score);
  size_t kept = count < EE_WORST_CASES_LIMIT ? count : EE_WORST_CASES_LIMIT;
  assert_int_equal(ranking->count, kept);
  for (size_t i = 0; i < kept; i++) {
    char id[32];
    snprintf(id, sizeof id, "case-%zu", sorted[i].number);
    if (!ee_str_is(ranking->cases[i].id, id))
      fail_msg("%zu of %zu: %.*s, not %s", i, kept, (int)ranking->cases[i].id.length, ranking->cases[i].id.data, id);
    assert_true(ranking->cases[i].score == sorted[i].score);
    for (size_t k = 0; k < EE_CASE_METRIC_LIMIT; k++) {
      double measure = k < sorted[i].measures ? measure_of(&sorted[i], k) : 0;
      assert_true(ranking->cases[i].case_metrics[k] == measure);
    }
  }
}

/* One ranking of all, and parts of the input merged in any tree. */
static void test_random_cases(void **state) {
  (void)state;
  test_random random = test_random_start("ranking", 52);
  static twin_case cases[CASES];
  for (size_t round = 0; round < ROUNDS; round++) {
    static const size_t sizes[] = {0, 1, 10, EE_WORST_CASES_LIMIT, EE_WORST_CASES_LIMIT + 1, CASES};
    size_t count = test_random_below(&random, sizes[test_random_below(&random, 6)] + 1);
    size_t scores = 1 + test_random_below(&random, 200), order = test_random_below(&random, 4);
    ee_worst_cases parts[PARTS], whole;
    ee_worst_cases_init(&whole);
    for (size_t i = 0; i < PARTS; i++) ee_worst_cases_init(&parts[i]);
    for (size_t i = 0, part; i < count; i++) {
      double score = (double)test_random_below(&random, scores) / (double)scores;
      if (order == 0) score = (double)i / (double)count;     /* always better */
      if (order == 1) score = 1 - (double)i / (double)count; /* always worse */
      cases[i] = (twin_case){score, i, test_random_below(&random, EE_CASE_METRIC_LIMIT + 1)};
      part = test_random_below(&random, PARTS);
      add(&whole, &cases[i]);
      add(&parts[part], &cases[i]);
    }
    check(&whole, cases, count);
    for (size_t left = PARTS; left > 1; left--) {
      size_t at = test_random_below(&random, left - 1);
      ee_worst_cases_merge(&parts[at], &parts[at + 1]);
      ee_worst_cases_fini(&parts[at + 1]);
      for (size_t i = at + 1; i + 1 < left; i++) parts[i] = parts[i + 1];
    }
    check(&parts[0], cases, count);
    ee_worst_cases_clear(&parts[0]);
    check(&parts[0], cases, 0);
    /* What was cleared can be used again. */
    for (size_t i = 0; i < count && i < 20; i++) add(&parts[0], &cases[i]);
    check(&parts[0], cases, count < 20 ? count : 20);
    ee_worst_cases_fini(&parts[0]);
    ee_worst_cases_fini(&whole);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_random_cases));
