/* test_measure_total.c: sums, quantiles and counts of measures against a list of all cases, however they are split. */
#include "run/measure_total.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "support/random.h"

enum { ROUNDS = 2000, MOST = 60, PARTS = 4 };

typedef struct made_case {
  ee_measure_value measure;
  const char *id;
  uint64_t correct;
} made_case;

static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static made_case random_case(test_random *random, ee_arena *arena, size_t number) {
  made_case made = {.id = ee_arena_printf(arena, "case-%zu", number), .correct = test_random_below(random, 5)};
  switch (test_random_below(random, 6)) {
  case 0: made.measure.state = EE_MEASURE_MISSING; break;
  case 1:
    made.measure.state = EE_MEASURE_NOT_NUMBER;
    made.measure.found = ee_json_read(arena, ee_str_from(ee_arena_printf(arena, "[%zu]", number)), NULL, NULL);
    break;
  default:
    made.measure.state = EE_MEASURE_READ;
    made.measure.value = test_random_below(random, 3) == 0 ? (double)test_random_below(random, 9) / 4
                                                           : test_random_unit(random) * 1000 - 10;
  }
  return made;
}

static double quantile(const double *sorted, size_t count, double share) {
  double place = share * (double)(count - 1), below = floor(place);
  return sorted[(size_t)below] + (place - below) * (sorted[(size_t)ceil(place)] - sorted[(size_t)below]);
}

static void check_near(ee_metric got, double expected, const char *what) {
  if (!got.defined || !(fabs(got.value - expected) <= 1e-12 * fmax(1, fabs(expected))))
    fail_msg("%s: %.17g, not %.17g", what, got.value, expected);
}

static void check_summary(const ee_measure_total *total, const made_case *cases, size_t count) {
  double values[MOST], sum = 0, correct = 0;
  size_t read = 0, missing = 0, bad = 0;
  const char *first_missing = "", *first_bad = "";
  for (size_t i = 0; i < count; i++) {
    if (cases[i].measure.state == EE_MEASURE_READ) {
      values[read++] = cases[i].measure.value;
      sum += cases[i].measure.value;
      correct += (double)cases[i].correct;
    } else if (cases[i].measure.state == EE_MEASURE_MISSING) {
      if (missing++ == 0 || strcmp(cases[i].id, first_missing) < 0) first_missing = cases[i].id;
    } else if (bad++ == 0 || strcmp(cases[i].id, first_bad) < 0) {
      first_bad = cases[i].id;
    }
  }
  qsort(values, read, sizeof *values, by_value);
  ee_measure_summary got = ee_measure_summarize(total);
  assert_true(got.values == read && got.missing == missing && got.not_numbers == bad);
  assert_true(ee_str_is(total->missing_case.id, first_missing) && ee_str_is(total->bad_case.id, first_bad));
  assert_int_equal(got.sum.defined, read > 0);
  assert_int_equal(got.per_correct.defined, correct > 0);
  if (read == 0) return;
  check_near(got.sum, sum, "sum");
  check_near(got.mean, sum / (double)read, "mean");
  check_near(got.min, values[0], "min");
  check_near(got.max, values[read - 1], "max");
  check_near(got.p50, quantile(values, read, 0.5), "p50");
  check_near(got.p95, quantile(values, read, 0.95), "p95");
  if (correct > 0) check_near(got.per_correct, sum / correct, "per correct");
}

/* Parts of the cases, merged, give the whole to the last bit. */
static void any_split_gives_the_whole(void **state) {
  (void)state;
  test_random random = test_random_start("measures", 811);
  for (int round = 0; round < ROUNDS; round++) {
    ee_arena arena;
    ee_buffer text;
    ee_arena_init(&arena, 0);
    ee_buffer_init(&text);
    made_case cases[MOST];
    ee_measure_total whole = {0}, merged = {0}, part = {0};
    size_t count = test_random_below(&random, MOST + 1), at = 0;
    for (size_t i = 0; i < count; i++) {
      cases[i] = random_case(&random, &arena, i);
      ee_measure_total_add(&whole, &cases[i].measure, ee_str_from(cases[i].id), cases[i].correct, &arena, &text,
                           &arena);
    }
    for (size_t parts = PARTS; parts > 0; parts--) {
      size_t end = parts == 1 ? count : at + test_random_below(&random, count - at + 1);
      for (; at < end; at++)
        ee_measure_total_add(&part, &cases[at].measure, ee_str_from(cases[at].id), cases[at].correct, &arena, &text,
                             &arena);
      ee_measure_total_merge(&merged, &part, &arena);
      ee_measure_total_clear(&part);
    }
    check_summary(&whole, cases, count);
    check_summary(&merged, cases, count);
    ee_measure_summary a = ee_measure_summarize(&whole), b = ee_measure_summarize(&merged);
    assert_true(a.sum.value == b.sum.value && a.p50.value == b.p50.value && a.p95.value == b.p95.value);
    assert_true(ee_str_equal(whole.bad_case.text, merged.bad_case.text));
    ee_measure_total_fini(&whole);
    ee_measure_total_fini(&merged);
    ee_measure_total_fini(&part);
    ee_buffer_fini(&text);
    ee_arena_fini(&arena);
  }
}

static void check_text(const ee_measure_total *total, const char *missing, const char *bad) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_measure_print_missing(total, EE_STR("cost"), &text);
  assert_string_equal(ee_buffer_terminate(&text), missing);
  ee_buffer_clear(&text);
  ee_measure_print_bad(total, EE_STR("cost"), &text);
  assert_string_equal(ee_buffer_terminate(&text), bad);
  ee_buffer_fini(&text);
}

static void sentences(void **state) {
  (void)state;
  ee_measure_total total = {0};
  ee_value_counts_add(&total.values, 1, 3);
  check_text(&total, "", "");
  total.missing = 1;
  total.missing_case.id = EE_STR("a");
  check_text(&total, "1 of 4 records have no 'cost', e.g. case 'a'", "");
  total.not_numbers = 2;
  total.bad_case.id = EE_STR("b");
  total.bad_case.text = EE_STR("n/a");
  check_text(&total, "1 of 6 records have no 'cost', e.g. case 'a'",
             "'cost' is not a number in 2 records, e.g. 'n/a' in case 'b'");
  ee_measure_total_fini(&total);
  total.missing = 3;
  check_text(&total, "no record has 'cost': is the path right?", "");
}

/* A value without a text is shown by its case alone; long ids are cut. */
static void sentences_without_a_text(void **state) {
  (void)state;
  ee_measure_total total = {.not_numbers = 1, .bad_case.id = EE_STR("b")};
  check_text(&total, "", "'cost' is not a number in 1 record, e.g. in case 'b'");
  total.bad_case.text = EE_STR("x");
  check_text(&total, "", "'cost' is not a number in 1 record, e.g. 'x' in case 'b'");
  char id[EE_MEASURE_BYTES + 2], bad[EE_MEASURE_BYTES + 100], missing[EE_MEASURE_BYTES + 100];
  memset(id, 'i', sizeof id - 1);
  id[sizeof id - 1] = '\0';
  total.bad_case.id = total.missing_case.id = ee_str_from(id);
  total.missing = 1;
  snprintf(bad, sizeof bad, "'cost' is not a number in 1 record, e.g. 'x' in case '%.*s'", EE_MEASURE_BYTES, id);
  snprintf(missing, sizeof missing, "1 of 2 records have no 'cost', e.g. case '%.*s'", EE_MEASURE_BYTES, id);
  check_text(&total, missing, bad);
}

/* Of one record, and of some of which none has it. */
static void sentences_of_few_records(void **state) {
  (void)state;
  ee_measure_total total = {.missing = 1, .missing_case.id = EE_STR("a")};
  check_text(&total, "1 of 1 record has no 'cost', e.g. case 'a'", "");
  total.missing = 2;
  check_text(&total, "no record has 'cost': is the path right?", "");
  total.missing_case.id = EE_STR("");
  total.not_numbers = 1;
  check_text(&total, "2 of 3 records have no 'cost'", "'cost' is not a number in 1 record");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(any_split_gives_the_whole), cmocka_unit_test(sentences),
             cmocka_unit_test(sentences_without_a_text), cmocka_unit_test(sentences_of_few_records));
