/* test_statistics.c: samples, intervals, tests and resampling. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prim/statistics.h"
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
  }
}

/* Statistics ------------------------------------------------------------------------------------ */

#define LANES EE_BOOTSTRAP_LANES

static void assert_close(double got, long double expected, long double relative, const char *what) {
  if (!(fabsl((long double)got - expected) <= relative * fabsl(expected)))
    fail_msg("%s: %.17g, not %.20Lg", what, got, expected);
}

/* Wilson --------------------------------------------------------------------------------------- */

static void wilson_knows_proportions(void **state) {
  (void)state;
  static const struct {
    uint64_t count, of;
    double low, high;
  } facts[] = {
      {8, 10, 0.49016, 0.94332},     {0, 10, 0, 0.27753}, {10, 10, 0.72247, 1},
      {1, 2, 0.09453, 0.90547},      {0, 0, 0, 1},        {15, 148, 0.0624, 0.1605},
      {500, 1000, 0.46907, 0.53093},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_interval got = ee_wilson(facts[i].count, facts[i].of);
    if (fabs(got.low - facts[i].low) > 6e-6 + (facts[i].of == 148 ? 5e-5 : 0) ||
        fabs(got.high - facts[i].high) > 6e-6 + (facts[i].of == 148 ? 5e-5 : 0))
      fail_msg("%d of %d: [%.17g, %.17g]", (int)facts[i].count, (int)facts[i].of, got.low, got.high);
  }
}

/* The ends are where the observed share is 1.96 standard deviations of the true one away. */
static long double distance(uint64_t count, uint64_t of, double end) {
  long double n = (long double)of, p = end;
  return fabsl((long double)count / n - p) / sqrtl(p * (1 - p) / n);
}

static void wilson_solves_its_equation(void **state) {
  (void)state;
  test_random random = test_random_start("paired: wilson", 71);
  for (int round = 0; round < 5000; round++) {
    uint64_t of = 1 + test_random_below(&random, round % 2 == 0 ? 30 : 1000000);
    uint64_t count = test_random_below(&random, of + 1);
    ee_interval got = ee_wilson(count, of), mirror = ee_wilson(of - count, of);
    double share = (double)count / (double)of;
    assert_true(got.low >= 0 && got.low <= share && share <= got.high && got.high <= 1);
    if (count > 0) assert_close((double)distance(count, of, got.low), 1.9599639845400542355L, 1e-9L, "low end");
    if (count < of && got.high < 0.999)
      assert_close((double)distance(count, of, got.high), 1.9599639845400542355L, 1e-9L, "high end");
    assert_true(fabs(got.low - (1 - mirror.high)) < 1e-14 && fabs(got.high - (1 - mirror.low)) < 1e-14);
  }
}

/* McNemar -------------------------------------------------------------------------------------- */

/* By Pascal's triangle in whole numbers: n up to 120. */
static long double mcnemar_in_integers(uint64_t fixed, uint64_t broken) {
  unsigned __int128 row[128] = {1}, sum = 0;
  uint64_t n = fixed + broken, least = fixed < broken ? fixed : broken;
  for (uint64_t i = 1; i <= n; i++)
    for (uint64_t k = i; k > 0; k--) row[k] += row[k - 1];
  for (uint64_t k = 0; k <= least; k++) sum += row[k];
  long double p = ldexpl((long double)sum, 1 - (int)n);
  return p < 1 ? p : 1;
}

/* By the same triangle in long doubles, halved in each row: whole for n up to 16,000. */
static void fill_row(long double *row, size_t n) {
  memset(row, 0, (n + 1) * sizeof *row);
  row[0] = 1;
  for (size_t i = 1; i <= n; i++) {
    for (size_t k = i; k > 0; k--) row[k] = (row[k] + row[k - 1]) / 2;
    row[0] /= 2;
  }
}

static void mcnemar_knows_its_sums(void **state) {
  (void)state;
  assert_true(ee_mcnemar_exact(0, 0) == 1);
  assert_true(ee_mcnemar_exact(5, 5) == 1);
  assert_true(ee_mcnemar_exact(0, 1) == 1);
  assert_true(ee_mcnemar_exact(2, 1) == 1);
  assert_true(ee_mcnemar_exact(0, 5) == 0.0625);
  assert_true(ee_mcnemar_exact(6, 0) == 0.03125);
  assert_true(ee_mcnemar_exact(10, 1) == 24.0 / 2048);
  assert_true(ee_mcnemar_exact(0, 1000) == ldexp(1, -999));
  assert_true(ee_mcnemar_exact(0, 100000) == 0);
}

static void mcnemar_agrees_with_integers(void **state) {
  (void)state;
  for (uint64_t fixed = 0; fixed <= 120; fixed++) {
    for (uint64_t broken = 0; fixed + broken <= 120; broken++) {
      double p = ee_mcnemar_exact(fixed, broken);
      assert_close(p, mcnemar_in_integers(fixed, broken), 1e-15L, "p");
      assert_true(p == ee_mcnemar_exact(broken, fixed) && p > 0 && p <= 1);
    }
  }
}

static void mcnemar_agrees_with_long_doubles(void **state) {
  (void)state;
  static const size_t numbers[] = {121, 122, 777, 1500, 3001};
  long double *row = malloc(4000 * sizeof *row);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    size_t n = numbers[i];
    fill_row(row, n);
    long double sum = 0;
    for (size_t k = 0; 2 * k < n; k++) {
      sum += row[k];
      if (2 * sum < 1e-300L) continue; /* what a double holds in full */
      assert_close(ee_mcnemar_exact(k, n - k), 2 * sum < 1 ? 2 * sum : 1, 1e-14L, "p");
    }
  }
  free(row);
}

/* Of a million changes, the normal distribution knows nearly as much. */
static void mcnemar_agrees_with_the_normal_distribution(void **state) {
  (void)state;
  const uint64_t n = 1000000;
  for (uint64_t least = 498000; least < 500000; least += 400) {
    double deviations = ((double)n / 2 - ((double)least + 0.5)) / (sqrt((double)n) / 2);
    assert_close(ee_mcnemar_exact(least, n - least), erfcl(deviations / sqrtl(2)), 5e-5L, "p");
  }
}

static void bins_of_scores_hold_their_lower_end(void **state) {
  (void)state;
  ee_score_bins bins = {{0}}, other = {{0}};
  static const double scores[] = {0, -0.5, 0.049, 0.05, 0.15, 0.95, 0.999, 1, 1 - 1e-10};
  static const size_t places[] = {0, 0, 0, 1, 3, 19, 19, 20, 20};
  for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
    ee_score_bins before = bins;
    ee_score_bins_add(&bins, scores[i]);
    assert_true(bins.counts[places[i]] == before.counts[places[i]] + 1);
    ee_score_bins_add(&other, scores[i]);
  }
  ee_score_bins_merge(&other, &bins);
  for (size_t i = 0; i <= EE_SCORE_BINS; i++) assert_true(other.counts[i] == 2 * bins.counts[i]);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(knows_samples), cmocka_unit_test(agrees_with_two_passes),
             cmocka_unit_test(handles_large_values), cmocka_unit_test(knows_equal_values),
             cmocka_unit_test(merges_in_any_order), cmocka_unit_test(wilson_knows_proportions),
             cmocka_unit_test(wilson_solves_its_equation), cmocka_unit_test(mcnemar_knows_its_sums),
             cmocka_unit_test(mcnemar_agrees_with_integers), cmocka_unit_test(mcnemar_agrees_with_long_doubles),
             cmocka_unit_test(mcnemar_agrees_with_the_normal_distribution),
             cmocka_unit_test(bins_of_scores_hold_their_lower_end));
