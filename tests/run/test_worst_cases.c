/* test_worst_cases.c: rankings against a list of all cases, sorted. */
#include "run/worst_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "data/json/json_reader.h"
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

/* Ids of any length, whose memory is lent to others; that of long ones is not kept. */
static void test_memory_of_ids(void **state) {
  (void)state;
  test_random random = test_random_start("ranking: ids", 53);
  static const size_t lengths[] = {0, 1, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 5000};
  enum { LENGTHS = sizeof lengths / sizeof *lengths, IDS = 1500 };
  char *text = malloc(5000);
  ee_worst_cases worst, other;
  ee_worst_cases_init(&worst);
  ee_worst_cases_init(&other);
  for (int round = 0; round < 4; round++) {
    for (size_t i = 0; i < IDS; i++) {
      size_t length = lengths[test_random_below(&random, LENGTHS)];
      memset(text, 'a' + (int)(i % 26), length);
      double score = (double)test_random_below(&random, IDS) / IDS;
      ee_worst_cases_add(i % 3 == 0 ? &other : &worst, (ee_str){text, length}, score, NULL, 0);
    }
    ee_worst_cases_merge(&worst, &other);
    assert_int_equal(worst.count, EE_WORST_CASES_LIMIT);
    assert_int_equal(worst.capacity, EE_WORST_CASES_LIMIT);
    size_t bytes = 0;
    for (size_t i = 0; i < worst.count; i++) {
      const ee_ranked_case *ranked = &worst.cases[i];
      assert_true(ranked->id.length <= ranked->id_capacity);
      for (size_t k = 1; k < ranked->id.length; k++) assert_int_equal(ranked->id.data[k], ranked->id.data[0]);
      bytes += ranked->id.length;
    }
    assert_true(bytes > 100000);
    ee_worst_cases_clear(&worst);
    ee_worst_cases_clear(&other);
    for (size_t i = 0; i < worst.capacity; i++) assert_true(worst.cases[i].id_capacity <= 1024);
  }
  ee_worst_cases_add(&worst, (ee_str){text, 1}, 0.5, NULL, 0);
  assert_non_null(worst.cases[0].id_memory);
  free(text);
  ee_worst_cases_fini(&worst);
  ee_worst_cases_fini(&other);
}

static bool read_again(ee_worst_cases *worst, size_t metrics, ee_worst_cases *read) {
  ee_buffer out = {0};
  ee_arena arena;
  ee_state_line line;
  ee_arena_init(&arena, 0);
  ee_state_write(&line, &out);
  ee_worst_cases_state(&line, worst, metrics);
  bool good = ee_state_close(&line);
  ee_worst_cases_init(read);
  if (good) {
    ee_state_read(&line, ee_json_read(&arena, (ee_str){out.data, out.length}, NULL, NULL));
    ee_worst_cases_state(&line, read, metrics);
    good = ee_state_close(&line);
  }
  ee_arena_fini(&arena);
  ee_buffer_fini(&out);
  return good;
}

/* Read as they were written; what no run has is refused. */
static void test_states(void **state) {
  (void)state;
  static twin_case cases[EE_WORST_CASES_LIMIT];
  static const size_t counts[] = {0, 1, 2, EE_WORST_CASES_LIMIT};
  for (size_t i = 0; i < 4; i++) {
    ee_worst_cases worst, read;
    ee_worst_cases_init(&worst);
    for (size_t k = 0; k < counts[i]; k++) {
      cases[k] = (twin_case){(double)(k * 7 % 11) / 11, k, EE_CASE_METRIC_LIMIT};
      add(&worst, &cases[k]);
    }
    assert_true(read_again(&worst, EE_CASE_METRIC_LIMIT, &read));
    check(&read, cases, counts[i]);
    ee_worst_cases_fini(&read);
    /* With fewer metrics the others are 0. */
    assert_true(read_again(&worst, 1, &read));
    for (size_t k = 0; k < counts[i]; k++) {
      assert_true(read.cases[k].case_metrics[0] == worst.cases[k].case_metrics[0]);
      assert_true(read.cases[k].case_metrics[1] == 0);
    }
    ee_worst_cases_fini(&read);
    if (counts[i] == 2) {
      ee_ranked_case *last = &worst.cases[1], good = *last;
      for (int change = 0; change < 7; change++) {
        *last = good;
        if (change == 0) last->score = NAN;
        if (change == 1) last->score = INFINITY;
        if (change == 2) last->case_metrics[0] = NAN;
        if (change == 3) last->case_metrics[1] = -INFINITY;
        if (change == 4) last->id.data = NULL;
        if (change == 5) last->case_metrics[2] = NAN; /* which is not written */
        if (change == 6) last->id = EE_STR("");
        assert_int_equal(read_again(&worst, 2, &read), change >= 5);
        ee_worst_cases_fini(&read);
      }
      *last = good;
    }
    ee_worst_cases_fini(&worst);
  }
  /* One more than are kept. */
  ee_worst_cases more, read;
  ee_ranked_case *list = calloc(EE_WORST_CASES_LIMIT + 1, sizeof *list);
  for (size_t i = 0; i <= EE_WORST_CASES_LIMIT; i++) list[i].id = EE_STR("x");
  more = (ee_worst_cases){.cases = list, .count = EE_WORST_CASES_LIMIT + 1};
  assert_false(read_again(&more, 0, &read));
  ee_worst_cases_fini(&read);
  more.count = EE_WORST_CASES_LIMIT;
  assert_true(read_again(&more, 0, &read));
  ee_worst_cases_fini(&read);
  free(list);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_random_cases), cmocka_unit_test(test_memory_of_ids),
             cmocka_unit_test(test_states));
