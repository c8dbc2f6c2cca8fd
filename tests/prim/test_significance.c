/* test_significance.c: the randomisation test of paired differences and Holm's correction against slow versions. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "prim/statistics.h"
#include "support/random.h"

/* Sign flips ------------------------------------------------------------------------------------ */

enum { ROUNDS = 4000, MOST = 12 };

/* Patterns of signs whose sum is at least as far from 0 as `observed`. */
static double count_patterns(const int64_t *values, size_t count, long double sum, long double observed) {
  if (count == 0) return fabsl(sum) >= fabsl(observed);
  long double value = (long double)*values;
  return count_patterns(values + 1, count - 1, sum + value, observed) +
         count_patterns(values + 1, count - 1, sum - value, observed);
}

static void agrees_with_all_patterns(void **state) {
  (void)state;
  test_random random = test_random_start("sign flips", 91);
  for (int round = 0; round < ROUNDS; round++) {
    int64_t values[MOST];
    size_t count = test_random_below(&random, MOST + 1);
    long double sum = 0;
    for (size_t i = 0; i < count; i++) {
      size_t size = round % 2 == 0 ? 5 : (size_t)1 << 50;
      values[i] = (int64_t)test_random_below(&random, size) - (int64_t)test_random_below(&random, size);
      sum += (long double)values[i];
    }
    /* Zeros have two signs that do the same. */
    double expected = count_patterns(values, count, 0, sum) / exp2((double)count);
    double got = ee_sign_flip_test(values, count, 0, 1);
    if (got != expected) fail_msg("%zu values: %.17g, not %.17g", count, got, expected);
  }
}

/* Thirds and tenths are rounded, and their sums are equal all the same. */
static void sums_that_near_are_equal(void **state) {
  (void)state;
  int64_t values[] = {100000001, 200000000, -300000000};
  assert_true(ee_sign_flip_test(values, 3, 0, 1) == 1);
  int64_t others[] = {100000001, 200000000, 300000000, -300000000};
  double exact = ee_sign_flip_test(others, 4, 0, 1);
  int64_t again[] = {100000001, 200000000, 300000000, -300000000};
  assert_true(ee_sign_flip_test(again, 4, 5, 1) > exact);
}

/* Where all differences have one size, it is McNemar's test. */
static void agrees_with_mcnemar(void **state) {
  (void)state;
  test_random random = test_random_start("sign flips of one size", 92);
  enum { LARGEST = 300 };
  for (int round = 0; round < 150; round++) {
    int64_t values[2 * LARGEST];
    size_t largest = round % 2 == 0 ? 8 : LARGEST, fixed = test_random_below(&random, largest + 1),
           broken = test_random_below(&random, largest + 1), zeros = test_random_below(&random, 5), count = 0;
    for (size_t i = 0; i < fixed; i++) values[count++] = (int64_t)1 << 60;
    for (size_t i = 0; i < broken; i++) values[count++] = -((int64_t)1 << 60);
    if (count + zeros <= 2 * LARGEST)
      for (size_t i = 0; i < zeros; i++) values[count++] = 0;
    double expected = ee_mcnemar_exact(fixed, broken), got = ee_sign_flip_test(values, count, 0, 7);
    double error = fixed + broken <= EE_SIGNS_TRIED_ALL
                       ? 1e-15
                       : 5 * sqrt(expected * (1 - expected) / EE_SIGN_DRAWS) + 2.0 / EE_SIGN_DRAWS;
    if (!(fabs(got - expected) <= error)) fail_msg("%zu and %zu: %.9g, not %.9g", fixed, broken, got, expected);
    assert_true(got > 0 && got <= 1);
  }
}

/* Many different sizes: the sum of random signs is nearly normal. */
static void agrees_with_the_normal_distribution(void **state) {
  (void)state;
  test_random random = test_random_start("sign flips of many sizes", 93);
  for (int round = 0; round < 20; round++) {
    enum { COUNT = 500 };
    int64_t values[COUNT];
    double sum = 0, squares = 0;
    for (size_t i = 0; i < COUNT; i++) {
      double value = test_random_unit(&random) - 0.5 + (double)round * 0.004;
      values[i] = (int64_t)(value * 0x1p58);
      sum += value;
      squares += value * value;
    }
    double expected = erfc(fabs(sum) / sqrt(2 * squares)), got = ee_sign_flip_test(values, COUNT, 0, 3);
    if (!(fabs(got - expected) <= 5 * sqrt(expected / EE_SIGN_DRAWS) + 0.004))
      fail_msg("%.9g, not %.9g", got, expected);
  }
}

/* Holm ------------------------------------------------------------------------------------------ */

/* Holm's procedure at one level: the smallest p is held against level / n, the next against level / (n - 1), ... until
 * one is above. */
static bool is_rejected(const double *p, size_t count, size_t which, double level) {
  bool done[MOST] = {false};
  size_t left = 0;
  for (size_t i = 0; i < count; i++) left += isnan(p[i]) ? 0 : 1;
  for (; left > 0; left--) {
    size_t smallest = count;
    for (size_t i = 0; i < count; i++)
      if (!done[i] && !isnan(p[i]) && (smallest == count || p[i] < p[smallest])) smallest = i;
    if (p[smallest] * (double)left > level) return false;
    if (smallest == which) return true;
    done[smallest] = true;
  }
  return false;
}

static void holm_agrees_with_its_procedure(void **state) {
  (void)state;
  test_random random = test_random_start("Holm", 94);
  for (int round = 0; round < ROUNDS; round++) {
    double p[MOST], corrected[MOST];
    size_t count = test_random_below(&random, MOST + 1);
    for (size_t i = 0; i < count; i++) {
      double unit = test_random_unit(&random);
      p[i] = round % 3 == 0 ? floor(unit * 8) / 64 : unit * unit * unit;
      if (test_random_below(&random, 10) == 0) p[i] = NAN;
      corrected[i] = p[i];
    }
    ee_holm(corrected, count);
    for (size_t i = 0; i < count; i++) {
      assert_int_equal(isnan(p[i]), isnan(corrected[i]));
      if (isnan(p[i])) continue;
      assert_true(corrected[i] >= p[i] && corrected[i] <= 1);
      /* The smallest level at which the procedure rejects. */
      if (corrected[i] < 1) assert_true(is_rejected(p, count, i, corrected[i]));
      assert_false(is_rejected(p, count, i, corrected[i] * (1 - 1e-12) - 1e-300));
    }
  }
}

/* p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") in R. */
static void holm_knows_r(void **state) {
  (void)state;
  double p[] = {0.01, 0.04, 0.03, 0.005};
  ee_holm(p, 4);
  assert_true(fabs(p[0] - 0.03) < 1e-15 && fabs(p[1] - 0.06) < 1e-15 && fabs(p[2] - 0.06) < 1e-15 &&
              fabs(p[3] - 0.02) < 1e-15);
  ee_holm(p, 0);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(agrees_with_all_patterns), cmocka_unit_test(agrees_with_mcnemar),
             cmocka_unit_test(sums_that_near_are_equal), cmocka_unit_test(agrees_with_the_normal_distribution),
             cmocka_unit_test(holm_agrees_with_its_procedure), cmocka_unit_test(holm_knows_r));
