/* test_value_counts.c: counts of values against sorted lists of everything that was added. */
#include "run/value_counts.h"

#include <math.h>
#include <stdlib.h>

#include "support/random.h"

enum { ROUNDS = 600, VALUES = 400, PARTS = 5 };

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Values of a kind that repeats often, or hardly ever. */
static double random_value(test_random *random, size_t kind) {
  double denominator = (double)(1 + test_random_below(random, 6));
  switch (kind) {
  case 0: return (double)test_random_below(random, 7) / denominator;
  case 1: return test_random_unit(random);
  case 2: return (test_random_unit(random) - 0.5) * 0x1p1000;
  default: return (double)test_random_below(random, 3) * (test_random_below(random, 2) == 0 ? -0x1p-1074 : 1.0);
  }
}

/* The same values in a list, each as often as it was added. */
typedef struct twin {
  double values[VALUES];
  size_t count;
} twin;

/* Type 7 from its definition, over the sorted list, with more digits. */
static long double quantile_of(const twin *all, double share) {
  double place = share * (double)(all->count - 1);
  size_t below = (size_t)floor(place), above = (size_t)ceil(place);
  long double low = all->values[below], high = all->values[above];
  return low + (high - low) * ((long double)place - (long double)below);
}

static void check_description(const ee_value_counts *tally, const twin *all) {
  const double shares[] = {0, 0.05, 0.25, 1.0 / 3, 0.5, 0.9, 0.95, 0.999, 1};
  enum { SHARES = sizeof shares / sizeof *shares };
  double quantiles[SHARES], sum = ee_value_counts_describe(tally, shares, SHARES, quantiles);
  long double exact = 0, sizes = 0;
  for (size_t i = 0; i < all->count; i++) {
    exact += all->values[i];
    sizes += fabs(all->values[i]);
  }
  assert_true(fabsl(sum - exact) <= fabsl(exact) * 0x1p-51L + sizes * VALUES * 0x1p-62L);
  for (size_t i = 0; i < SHARES && all->count > 0; i++) {
    long double expected = quantile_of(all, shares[i]);
    if (fabsl(quantiles[i] - expected) > sizes * 0x1p-51L + 0x1p-1070L)
      fail_msg("share %g of %zu: %g, not %Lg", shares[i], all->count, quantiles[i], expected);
  }
  if (all->count == 0) assert_true(sum == 0 && quantiles[0] == 0 && quantiles[SHARES - 1] == 0);
}

static void check(const ee_value_counts *tally, twin *all) {
  qsort(all->values, all->count, sizeof *all->values, by_value);
  size_t distinct = 0;
  for (size_t i = 0; i < all->count; i++) distinct += i == 0 || all->values[i] != all->values[i - 1];
  assert_int_equal(tally->total, all->count);
  assert_int_equal(tally->count, distinct);
  double median = 0;
  if (all->count > 0) {
    double low = all->values[(all->count - 1) / 2], high = all->values[all->count / 2];
    median = low == high ? low : low / 2 + high / 2;
    assert_true(ee_value_counts_min(tally) == all->values[0]);
    assert_true(ee_value_counts_max(tally) == all->values[all->count - 1]);
  }
  check_description(tally, all);
  assert_true(fabs(ee_value_counts_median(tally) - median) <= fabs(median) * 0x1p-50 + 0x1p-1070);
}

static void add(ee_value_counts *tally, twin *all, double value, size_t count) {
  ee_value_counts_add(tally, value, count);
  for (size_t i = 0; i < count; i++) all->values[all->count++] = value;
}

/* Adds into parts, merges these in any order and any tree, and compares. */
static void test_random_values(void **state) {
  (void)state;
  test_random random = test_random_start("tally", 51);
  static twin all;
  for (size_t round = 0; round < ROUNDS; round++) {
    ee_value_counts parts[PARTS], whole;
    ee_value_counts_init(&whole);
    for (size_t i = 0; i < PARTS; i++) ee_value_counts_init(&parts[i]);
    all.count = 0;
    size_t kind = test_random_below(&random, 4), most = test_random_below(&random, VALUES);
    while (all.count < most) {
      size_t count = 1 + test_random_below(&random, 3);
      if (all.count + count > VALUES) break;
      double value = random_value(&random, kind);
      ee_value_counts_add(&whole, value, count);
      add(&parts[test_random_below(&random, PARTS)], &all, value, count);
    }
    check(&whole, &all);
    for (size_t left = PARTS; left > 1; left--) {
      size_t from = test_random_below(&random, left), to = test_random_below(&random, left - 1);
      to += to >= from;
      ee_value_counts_merge(&parts[to], &parts[from]);
      ee_value_counts_fini(&parts[from]);
      parts[from] = parts[left - 1];
    }
    check(&parts[0], &all);
    ee_value_counts_fini(&parts[0]);
    /* Counts that were cleared start again. */
    ee_value_counts_clear(&whole);
    all.count = 0;
    check(&whole, &all);
    add(&whole, &all, random_value(&random, kind), 2);
    check(&whole, &all);
    ee_value_counts_fini(&whole);
  }
}

static void test_corners(void **state) {
  (void)state;
  ee_value_counts tally, other;
  ee_value_counts_init(&tally);
  ee_value_counts_init(&other);
  assert_true(ee_value_counts_median(&tally) == 0);
  ee_value_counts_merge(&tally, &other);
  assert_int_equal(tally.total, 0);
  ee_value_counts_add(&tally, -0.0, 1);
  ee_value_counts_add(&tally, 0.0, 1);
  assert_int_equal(tally.count, 1);
  assert_false(signbit(ee_value_counts_median(&tally)));
  assert_false(signbit(ee_value_counts_min(&tally)));
  /* Counts are counted, not stored. */
  ee_value_counts_add(&tally, 1, UINT64_C(1) << 60);
  assert_int_equal(tally.total, (UINT64_C(1) << 60) + 2);
  assert_true(ee_value_counts_median(&tally) == 1);
  ee_value_counts_add(&other, 0.5, (UINT64_C(1) << 60) + 2);
  ee_value_counts_merge(&tally, &other);
  assert_true(ee_value_counts_median(&tally) == 0.5);
  assert_true(ee_value_counts_min(&tally) == 0);
  assert_true(ee_value_counts_max(&tally) == 1);
  /* As many below as above: the mean of the two in the middle. */
  ee_value_counts_clear(&other);
  ee_value_counts_add(&other, 0.25, 5);
  ee_value_counts_add(&other, 0.75, 5);
  assert_true(ee_value_counts_median(&other) == 0.5);
  ee_value_counts_fini(&tally);
  ee_value_counts_fini(&other);
}

/* numpy.quantile() of the same values, written out. */
static void test_quantiles_of_numpy(void **state) {
  (void)state;
  ee_value_counts tally;
  ee_value_counts_init(&tally);
  for (int i = 1; i <= 10; i++) ee_value_counts_add(&tally, i, 1);
  const double shares[] = {0.5, 0.95, 0.25, 1};
  double quantiles[4];
  assert_true(ee_value_counts_describe(&tally, shares, 4, quantiles) == 55);
  assert_true(quantiles[0] == 5.5 && quantiles[1] == 9.549999999999999 && quantiles[2] == 3.25 && quantiles[3] == 10);
  /* Ten times 0.1 is 1, though adding them up one by one is not. */
  ee_value_counts_clear(&tally);
  for (int i = 0; i < 10; i++) ee_value_counts_add(&tally, 0.1, 1);
  assert_true(ee_value_counts_describe(&tally, shares, 1, quantiles) == 1 && quantiles[0] == 0.1);
  ee_value_counts_add(&tally, 1e308, 10);
  assert_true(isinf(ee_value_counts_describe(&tally, shares, 1, quantiles)));
  ee_value_counts_fini(&tally);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_random_values), cmocka_unit_test(test_corners),
             cmocka_unit_test(test_quantiles_of_numpy));
