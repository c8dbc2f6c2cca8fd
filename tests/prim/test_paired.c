/* test_paired.c: differences between two systems over the same units against slow versions and published examples. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "prim/paired.h"
#include "prim/ratio_interval.h"
#include "support/random.h"

enum { ROUNDS = 4000, MOST = 12 };

static void assert_near(double got, double expected, double slack, const char *what) {
  if (!(fabs(got - expected) <= slack)) fail_msg("%s: %.17g, not %.17g", what, got, expected);
}

/* The difference -------------------------------------------------------------------------------- */

/* Differences of 1, 0 and -1, as those of passes. */
static ee_paired_sums sums_of_passes(size_t units, size_t gained, size_t lost) {
  ee_paired_sums sums = {.reach = 1};
  for (size_t i = 0; i < units; i++) {
    double d = i < gained ? 1 : i < gained + lost ? -1 : 0;
    ee_paired_add(&sums, d, d != 0);
  }
  return sums;
}

/* 48 pairs; 26 and 4 differ: 0.44, standard error 0.09448809, 0.2548067 to 0.6251933 (ci.prop.ps() of the R
 * package statpsych, from Bonett 2012). */
static void knows_bonett_and_price(void **state) {
  (void)state;
  ee_paired_sums sums = sums_of_passes(48, 26, 4);
  ee_interval interval = ee_paired_interval(&sums, ee_critical_point(0.95, 0));
  assert_near(interval.low, 0.2548067, 5e-8, "low");
  assert_near(interval.high, 0.6251933, 5e-8, "high");
  assert_near(sqrt(ee_paired_variance(&sums) / 50), 0.09448809, 5e-9, "standard error");
  assert_near(ee_paired_mean(&sums), 22.0 / 48, 1e-15, "mean");
}

/* The definition, with the pseudo units among the others and long doubles. */
static void agrees_with_its_definition(void **state) {
  (void)state;
  test_random random = test_random_start("paired: interval", 95);
  for (int round = 0; round < ROUNDS; round++) {
    enum { UNITS = 60 };
    double reach = round % 3 == 0 ? 40 : 1, values[UNITS + 2], largest = 0;
    size_t count = 2 + test_random_below(&random, UNITS - 1), changed = 0;
    ee_paired_sums sums = {.reach = reach};
    for (size_t i = 0; i < count; i++) {
      bool equal = test_random_below(&random, 10) < (size_t)round % 11;
      values[i] = equal ? 0 : reach * (test_random_unit(&random) - 0.4);
      changed += values[i] != 0;
      largest = fmax(largest, fabs(values[i]));
      ee_paired_add(&sums, values[i], values[i] != 0);
    }
    double pseudo = sqrt(largest * largest + (reach * reach - largest * largest) * pow(0.5, (double)changed));
    values[count] = pseudo;
    values[count + 1] = -pseudo;
    long double mean = 0, squares = 0;
    for (size_t i = 0; i < count + 2; i++) mean += values[i] / (long double)(count + 2);
    for (size_t i = 0; i < count + 2; i++) squares += (values[i] - mean) * (values[i] - mean);
    double variance = (double)(squares / (long double)(count + 2)), error = sqrt(variance / (double)(count + 2));
    double point = ee_critical_point(0.95, count - 1);
    ee_interval got = ee_paired_interval(&sums, ee_paired_point(count, 0.95));
    assert_near(got.low, fmax(-reach, (double)mean - point * error), reach * 1e-12, "low");
    assert_near(got.high, fmin(reach, (double)mean + point * error), reach * 1e-12, "high");
    assert_near(ee_paired_variance(&sums), variance, reach * reach * 1e-12, "variance");
    assert_true(got.low <= ee_paired_mean(&sums) && ee_paired_mean(&sums) <= got.high);
    double p = ee_paired_p(&sums);
    assert_true(p > 0 && p <= 1);
    if (fabs(p - 0.05) > 1e-9) assert_true((p < 0.05) == (got.low > 0 || got.high < 0));
  }
}

/* What n equal units say: nearly the rule of three. */
static void equal_units_leave_doubt(void **state) {
  (void)state;
  for (size_t n = 10; n <= 100000; n *= 10) {
    ee_paired_sums sums = sums_of_passes(n, 0, 0);
    ee_interval got = ee_paired_interval(&sums, ee_paired_point(n, 0.95));
    assert_true(got.low == -got.high && got.high > 2.5 / (double)n && got.high < 3 / (double)n);
    assert_true(ee_paired_p(&sums) == 1);
  }
  ee_paired_sums sums = sums_of_passes(1, 1, 0);
  ee_interval got = ee_paired_interval(&sums, ee_paired_point(1, 0.95));
  assert_true(got.low == -1 && got.high == 1 && ee_paired_p(&sums) == 1);
}

/* The same bits in any order. */
static void order_changes_nothing(void **state) {
  (void)state;
  test_random random = test_random_start("paired: order", 96);
  enum { UNITS = 1000 };
  double values[UNITS];
  ee_paired_sums forth = {.reach = 3}, back = {.reach = 3};
  for (size_t i = 0; i < UNITS; i++) ee_paired_add(&forth, values[i] = test_random_unit(&random) - 0.5, true);
  for (size_t i = UNITS; i-- > 0;) ee_paired_add(&back, values[i], true);
  assert_true(ee_paired_p(&forth) == ee_paired_p(&back) && ee_paired_mean(&forth) == ee_paired_mean(&back));
}

/* Student's and the normal distribution's two-sided p: R's 2 * pt(-t, df). */
static void knows_probabilities(void **state) {
  (void)state;
  assert_near(1 - ee_probability_within(2.228138851964939, 10), 0.05000000000180857, 1e-14, "t(10)");
  assert_near(1 - ee_probability_within(1, 1), 0.5, 1e-14, "t(1)");
  assert_near(1 - ee_probability_within(1.959963984540054, 0), 0.05, 1e-13, "normal");
  assert_true(ee_probability_within(1000, 0) == 1 && ee_probability_within(0, 7) == 0);
}

/* Planning -------------------------------------------------------------------------------------- */

/* Half a standard deviation, two-sided 5 %, 80 %: 34 pairs (Cohen 1988; G*Power); two of them are the pseudo units
 * here. */
static void plans_agree(void **state) {
  (void)state;
  uint64_t needed = ee_paired_units_needed(1, 0.5, 0.95, 0.8);
  assert_true(needed >= 31 && needed <= 34);
  test_random random = test_random_start("paired: planning", 97);
  for (int round = 0; round < 200; round++) {
    double variance = 0.001 + test_random_unit(&random), difference = 0.02 + test_random_unit(&random);
    uint64_t n = ee_paired_units_needed(variance, difference, 0.95, 0.8);
    assert_true(ee_paired_detectable(variance, n, 0.95, 0.8) <= difference);
    if (n > 2) assert_true(ee_paired_detectable(variance, n - 1, 0.95, 0.8) > difference);
    double least = ee_paired_detectable(variance, 5 + n, 0.95, 0.8);
    assert_near(ee_paired_power(variance, 5 + n, least, 0.95), 0.8, 1e-9, "power");
  }
  assert_true(isinf(ee_paired_detectable(1, 1, 0.95, 0.8)) && ee_paired_power(1, 1, 1, 0.95) == 0);
  assert_true(ee_paired_units_needed(1, 1e-9, 0.95, 0.8) == UINT64_C(1000000000000));
}

/* Passes ---------------------------------------------------------------------------------------- */

/* 150 and 86 of 1,600 voters who changed their mind (Agresti, Categorical Data Analysis, 1990, table 10.1): 3.716e-05
 * (mcnemar.exact() of the R package exact2x2). */
static void mcnemar_knows_agresti(void **state) {
  (void)state;
  assert_near(ee_mcnemar_exact(150, 86), 3.716e-05, 5e-9, "p");
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

/* Benjamini-Hochberg: the largest i with p(i) <= level i / n, by its definition. */
static bool is_discovered(const double *p, size_t count, size_t which, double level) {
  double limit = -1;
  size_t defined = 0;
  for (size_t i = 0; i < count; i++) defined += isnan(p[i]) ? 0 : 1;
  for (size_t i = 0; i < count; i++) {
    size_t rank = 0;
    if (isnan(p[i])) continue;
    for (size_t k = 0; k < count; k++) rank += p[k] <= p[i];
    if (p[i] * (double)defined / (double)rank <= level) limit = fmax(limit, p[i]);
  }
  return p[which] <= limit;
}

static void benjamini_hochberg_agrees_with_its_procedure(void **state) {
  (void)state;
  test_random random = test_random_start("Benjamini and Hochberg", 99);
  for (int round = 0; round < ROUNDS; round++) {
    double p[MOST], corrected[MOST], holm[MOST];
    size_t count = test_random_below(&random, MOST + 1);
    for (size_t i = 0; i < count; i++) {
      double unit = test_random_unit(&random);
      p[i] = round % 3 == 0 ? floor(unit * 8) / 64 : unit * unit * unit;
      if (test_random_below(&random, 10) == 0) p[i] = NAN;
      holm[i] = corrected[i] = p[i];
    }
    ee_benjamini_hochberg(corrected, count);
    ee_holm(holm, count);
    for (size_t i = 0; i < count; i++) {
      assert_int_equal(isnan(p[i]), isnan(corrected[i]));
      if (isnan(p[i])) continue;
      assert_true(corrected[i] >= p[i] * (1 - 1e-15) && corrected[i] <= holm[i] * (1 + 1e-15));
      assert_true(is_discovered(p, count, i, corrected[i] * (1 + 1e-12)));
      if (corrected[i] < 1) assert_false(is_discovered(p, count, i, corrected[i] * (1 - 1e-12) - 1e-300));
    }
  }
}

/* The example of Benjamini and Hochberg (1995, 4.1): at 5 % it finds four, Holm and Bonferroni three. */
static void corrections_know_their_paper(void **state) {
  (void)state;
  const double p[] = {.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
                      .0459, .3240, .4262, .5719, .6528, .7590, 1.000};
  double holm[15], bh[15];
  size_t found[2] = {0};
  for (size_t i = 0; i < 15; i++) holm[i] = bh[i] = p[i];
  ee_holm(holm, 15);
  ee_benjamini_hochberg(bh, 15);
  for (size_t i = 0; i < 15; i++) {
    found[0] += holm[i] <= 0.05;
    found[1] += bh[i] <= 0.05;
  }
  assert_int_equal(found[0], 3);
  assert_int_equal(found[1], 4);
  assert_near(bh[3], 0.0095 * 15 / 4, 1e-15, "the fourth");
}

static void knows_the_ends(void **state) {
  (void)state;
  /* However clear a difference is, p is not 0. */
  ee_paired_sums sums = {.reach = 1};
  for (int i = 0; i < 100000; i++) ee_paired_add(&sums, i % 100 == 0 ? 0.5 : 1, true);
  double p = ee_paired_p(&sums);
  assert_true(p > 0 && p < 1e-10);
  /* A power of one half needs nothing beyond the critical point. */
  assert_true(ee_paired_detectable(0.25, 1000, 0.95, 0.5) < ee_paired_detectable(0.25, 1000, 0.95, 0.8));
  assert_true(ee_paired_power(0.25, 1000, 1e-6, 0.95) < 0.1);
  assert_true(ee_paired_power(0.25, 1000, 1, 0.95) > 0.999);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(knows_bonett_and_price), cmocka_unit_test(agrees_with_its_definition),
             cmocka_unit_test(equal_units_leave_doubt), cmocka_unit_test(order_changes_nothing),
             cmocka_unit_test(knows_probabilities), cmocka_unit_test(plans_agree),
             cmocka_unit_test(mcnemar_knows_agresti), cmocka_unit_test(holm_agrees_with_its_procedure),
             cmocka_unit_test(holm_knows_r), cmocka_unit_test(benjamini_hochberg_agrees_with_its_procedure),
             cmocka_unit_test(corrections_know_their_paper), cmocka_unit_test(knows_the_ends));
