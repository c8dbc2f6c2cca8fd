/* test_stats.c: samples against two passes in long doubles, and merging in every order. */
#include "prim/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

enum { VALUES = 400 };

static long double plain_mean(const double *values, size_t count) {
  long double sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  return count != 0 ? sum / (long double)count : 0;
}

static long double plain_deviation(const double *values, size_t count) {
  if (count < 2) return 0;
  long double mean = plain_mean(values, count), squares = 0;
  for (size_t i = 0; i < count; i++) squares += (values[i] - mean) * (values[i] - mean);
  return sqrtl(squares / (long double)(count - 1));
}

static ee_sample sample_of(const double *values, size_t count) {
  ee_sample sample;
  memset(&sample, 0, sizeof sample);
  for (size_t i = 0; i < count; i++) ee_sample_add(&sample, values[i]);
  return sample;
}

static void assert_near(double got, long double expected, long double tolerance, const char *what) {
  if (!(fabsl((long double)got - expected) <= tolerance)) fail_msg("%s: %.17g, not %.17Lg", what, got, expected);
}

static void knows_samples(void **state) {
  (void)state;
  static const struct {
    size_t count;
    double values[8], mean, deviation;
  } facts[] = {
      {0, {0}, 0, 0},
      {1, {0.7}, 0.7, 0},
      {2, {0, 1}, 0.5, 0.70710678118654752440},
      {2, {0.5, 0.5}, 0.5, 0},
      {3, {1, 1, 1}, 1, 0},
      {4, {0, 0, 0, 0}, 0, 0},
      {4, {0, 0, 1, 1}, 0.5, 0.57735026918962576451},
      {5, {1, 2, 3, 4, 5}, 3, 1.58113883008418966600},
      {8, {2, 4, 4, 4, 5, 5, 7, 9}, 5, 2.13808993529939517},
      {2, {-1, 1}, 0, 1.41421356237309504880},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_sample sample = sample_of(facts[i].values, facts[i].count);
    assert_int_equal(sample.count, facts[i].count);
    assert_true(ee_sample_mean(&sample) == facts[i].mean);
    assert_near(ee_sample_deviation(&sample), facts[i].deviation, 1e-15L, "deviation");
    double margin = facts[i].count < 2 ? 0 : 1.959964 * facts[i].deviation / sqrt((double)facts[i].count);
    assert_near(ee_sample_margin(&sample), margin, 1e-15L, "margin");
  }
}

static void agrees_with_two_passes(void **state) {
  (void)state;
  test_random random = test_random_start("stats: two passes", 901);
  for (int round = 0; round < 3000; round++) {
    double values[VALUES];
    size_t count = test_random_below(&random, VALUES + 1);
    if (round % 3 == 0) count = test_random_below(&random, 6);
    for (size_t i = 0; i < count; i++) {
      values[i] = test_random_unit(&random);
      if (round % 4 == 1) values[i] = (double)test_random_below(&random, 2);         /* hits and misses */
      if (round % 4 == 2) values[i] = (double)test_random_below(&random, 101) / 100; /* what scores look like */
      if (round % 16 == 3) values[i] = 0.9 + values[i] * 1e-3;                       /* close together */
    }
    ee_sample sample = sample_of(values, count);
    assert_int_equal(sample.count, count);
    assert_near(ee_sample_mean(&sample), plain_mean(values, count), 2e-15L, "mean");
    /* The sums are whole numbers of 2^-60, which bounds the error of the variance; near 0 its root is less exact. */
    long double deviation = plain_deviation(values, count);
    long double tolerance = deviation > 1e-4L ? 1e-12L : 1e-8L;
    assert_near(ee_sample_deviation(&sample), deviation, tolerance, "deviation");
    long double margin = count < 2 ? 0 : 1.959964L * deviation / sqrtl((long double)count);
    assert_near(ee_sample_margin(&sample), margin, 2 * tolerance, "margin");
  }
}

/* Not only scores: distances and counts are large, some below zero, and their squares larger still. */
static void handles_large_values(void **state) {
  (void)state;
  test_random random = test_random_start("stats: large", 904);
  for (int round = 0; round < 2000; round++) {
    double values[VALUES], scale = ldexp(1, (int)test_random_below(&random, 28));
    size_t count = 2 + test_random_below(&random, VALUES - 1);
    for (size_t i = 0; i < count; i++) values[i] = (test_random_unit(&random) * 2 - 0.5) * scale;
    ee_sample sample = sample_of(values, count);
    long double mean = plain_mean(values, count), deviation = plain_deviation(values, count);
    assert_near(ee_sample_mean(&sample), mean, 1e-15L * scale, "mean");
    assert_near(ee_sample_deviation(&sample), deviation, 1e-9L * scale, "deviation");
    assert_near(ee_sample_margin(&sample), 1.959964L * deviation / sqrtl((long double)count), 1e-9L * scale, "margin");
  }
}

/* Equal values: the mean is the value itself, and the deviation is no NaN of a rounding below zero. */
static void knows_equal_values(void **state) {
  (void)state;
  test_random random = test_random_start("stats: equal", 902);
  for (int round = 0; round < 2000; round++) {
    double value = round % 2 == 0 ? (double)test_random_below(&random, 101) / 100 : test_random_unit(&random);
    if (value < 0x1p-7) continue; /* below, a double may be finer than 2^-60 */
    ee_sample sample;
    memset(&sample, 0, sizeof sample);
    for (size_t n = 1 + test_random_below(&random, 300); n > 0; n--) ee_sample_add(&sample, value);
    assert_true(ee_sample_mean(&sample) == value);
    assert_near(ee_sample_deviation(&sample), 0, 1e-8L, "deviation");
    assert_true(ee_sample_deviation(&sample) >= 0);
  }
}

/* Any way of splitting a sample, merged in any order, gives the same bits. */
static void merges_in_any_order(void **state) {
  (void)state;
  test_random random = test_random_start("stats: merge", 903);
  for (int round = 0; round < 2000; round++) {
    double values[VALUES];
    size_t count = test_random_below(&random, VALUES + 1);
    for (size_t i = 0; i < count; i++) values[i] = test_random_unit(&random);
    ee_sample whole = sample_of(values, count), parts[5], merged;
    memset(parts, 0, sizeof parts);
    memset(&merged, 0, sizeof merged);
    for (size_t i = count; i > 0; i--) ee_sample_add(&parts[test_random_below(&random, 5)], values[i - 1]);
    size_t first = test_random_below(&random, 5);
    for (size_t k = 0; k < 5; k++) ee_sample_merge(&merged, &parts[(first + k) % 5]);
    assert_int_equal(merged.count, whole.count);
    assert_true(merged.sum.units == whole.sum.units);
    assert_true(merged.sum_of_squares.units == whole.sum_of_squares.units);
    assert_true(ee_sample_mean(&merged) == ee_sample_mean(&whole));
    assert_true(ee_sample_deviation(&merged) == ee_sample_deviation(&whole));
    assert_true(ee_sample_margin(&merged) == ee_sample_margin(&whole));
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(knows_samples), cmocka_unit_test(agrees_with_two_passes),
             cmocka_unit_test(handles_large_values), cmocka_unit_test(knows_equal_values),
             cmocka_unit_test(merges_in_any_order));
