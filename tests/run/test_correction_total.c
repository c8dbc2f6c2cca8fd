/* test_correction_total.c: edits of many cases against a list of all of them, however they are split. */
#include "run/correction_total.h"

#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "support/random.h"

enum { ROUNDS = 2000, MOST = 60, PARTS = 4 };

static ee_corrections random_case(test_random *random) {
  ee_corrections made = {0};
  for (int i = 0; i < EE_CORRECTION_KINDS; i++)
    if (test_random_below(random, 3) == 0) made.kinds[i] = test_random_below(random, 4);
  made.row_values = made.kinds[EE_CORRECTION_ROW_ADDED] * 2;
  made.optional = test_random_below(random, 2);
  made.checks = test_random_below(random, 5) == 0;
  made.straight_through = ee_corrections_sum(&made) + made.checks == 0;
  return made;
}

static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void check_total(const ee_correction_total *total, const ee_corrections *cases, size_t count) {
  double edits[MOST], sum = 0;
  uint64_t kinds[EE_CORRECTION_KINDS] = {0}, bins[EE_CORRECTION_BINS] = {0}, got[EE_CORRECTION_BINS];
  size_t straight = 0, values = 0, optional = 0, checks = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t all = 0;
    for (int k = 0; k < EE_CORRECTION_KINDS; k++) kinds[k] += cases[i].kinds[k], all += cases[i].kinds[k];
    edits[i] = (double)all;
    sum += edits[i];
    bins[all > 3 ? 3 : all]++;
    straight += cases[i].straight_through;
    values += cases[i].row_values;
    optional += cases[i].optional;
    checks += cases[i].checks;
  }
  assert_int_equal(total->cases, count);
  assert_int_equal(total->straight, straight);
  assert_memory_equal(total->kinds, kinds, sizeof kinds);
  assert_int_equal(total->row_values, values);
  assert_int_equal(total->optional, optional);
  assert_int_equal(total->checks, checks);
  ee_correction_total_bins(total, got);
  assert_memory_equal(got, bins, sizeof bins);
  ee_metric mean = ee_corrections_mean(total), rate = ee_straight_through_rate(total);
  assert_int_equal(mean.defined, count > 0);
  assert_int_equal(rate.defined, count > 0);
  if (count == 0) return;
  assert_true(mean.value == sum / (double)count && rate.value == (double)straight / (double)count);
  qsort(edits, count, sizeof *edits, by_value);
  assert_true(ee_value_counts_median(&total->per_case) == (edits[(count - 1) / 2] + edits[count / 2]) / 2);
}

/* Written as a state and read again; false if it is refused. */
static bool read_again(ee_correction_total *total, ee_correction_total *read) {
  ee_buffer text = {0};
  ee_state_line line;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_state_write(&line, &text);
  ee_correction_total_state(&line, total);
  bool good = ee_state_close(&line);
  if (good) {
    ee_state_read(&line, ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, NULL));
    ee_correction_total_state(&line, read);
    good = ee_state_close(&line);
  }
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
  return good;
}

/* No case has fewer edits than none. */
static void test_states(void **state) {
  (void)state;
  for (int edits = -1; edits <= 1; edits++) {
    ee_correction_total total = {0}, read = {0};
    ee_value_counts_add(&total.per_case, edits, 1);
    ee_value_counts_add(&total.per_case, 2, 1);
    assert_int_equal(read_again(&total, &read), edits >= 0);
    ee_correction_total_fini(&total);
    ee_correction_total_fini(&read);
  }
}

static void test_totals_are_those_of_a_list_however_it_is_split(void **state) {
  (void)state;
  test_random random = test_random_start("correction totals", 5);
  ee_correction_total whole = {0}, parts[PARTS] = {{0}}, merged = {0};
  for (int round = 0; round < ROUNDS; round++) {
    ee_corrections cases[MOST];
    size_t count = test_random_below(&random, MOST + 1);
    ee_correction_total_clear(&whole);
    ee_correction_total_clear(&merged);
    for (size_t i = 0; i < PARTS; i++) ee_correction_total_clear(&parts[i]);
    for (size_t i = 0; i < count; i++) {
      cases[i] = random_case(&random);
      ee_correction_total_add(&whole, &cases[i], 0);
      ee_correction_total_add(&parts[test_random_below(&random, PARTS)], &cases[i], 0);
    }
    for (size_t i = PARTS; i-- > 0;) ee_correction_total_merge(&merged, &parts[i]);
    check_total(&whole, cases, count);
    check_total(&merged, cases, count);
    ee_correction_total read = {0};
    assert_true(read_again(&merged, &read));
    check_total(&read, cases, count);
    ee_correction_total_fini(&read);
  }
  ee_correction_total_fini(&whole);
  ee_correction_total_fini(&merged);
  for (size_t i = 0; i < PARTS; i++) ee_correction_total_fini(&parts[i]);
}

/* Clusters of three equal cases say as much as a third of the cases would. */
static void test_clusters_are_the_units_of_the_share_that_goes_straight_through(void **state) {
  (void)state;
  ee_correction_total alone = {0}, clusters = {0}, parts[2] = {{0}};
  for (uint64_t i = 0; i < 60; i++) {
    const ee_corrections corrections = {.straight_through = i / 3 % 4 != 0};
    ee_correction_total_add(&parts[i % 2], &corrections, (i / 3 + 1) << 40);
    if (i % 3 == 0) ee_correction_total_add(&alone, &corrections, 0);
  }
  for (size_t i = 0; i < 2; i++) ee_correction_total_merge(&clusters, &parts[i]);
  ee_ratio_sums sums = ee_straight_through_sums(&clusters);
  assert_int_equal(sums.units, 20);
  ee_ranged one = ee_straight_through(&alone, 0.95), three = ee_straight_through(&clusters, 0.95);
  assert_float_equal(three.metric.value, one.metric.value, 1e-12);
  assert_float_equal(three.interval.low, one.interval.low, 1e-12);
  assert_float_equal(three.interval.high, one.interval.high, 1e-12);
  ee_correction_total_clear(&clusters);
  assert_int_equal(ee_straight_through_sums(&clusters).units, 0);
  ee_correction_total_fini(&alone);
  ee_correction_total_fini(&clusters);
  for (size_t i = 0; i < 2; i++) ee_correction_total_fini(&parts[i]);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_states),
             cmocka_unit_test(test_totals_are_those_of_a_list_however_it_is_split),
             cmocka_unit_test(test_clusters_are_the_units_of_the_share_that_goes_straight_through));
