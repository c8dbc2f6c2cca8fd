/* test_ratio_interval.c: intervals of ratios against a twin that keeps every unit, and how often they cover. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prim/ratio_interval.h"
#include "support/random.h"

enum { UNITS = 400 };

static void assert_near(double got, double expected, double tolerance, const char *what) {
  if (!(fabs(got - expected) <= tolerance)) fail_msg("%s: %.17g, not %.17g", what, got, expected);
}

/* From printed tables, and computed with 40 digits. */
static void knows_critical_points(void **state) {
  (void)state;
  static const struct {
    double confidence;
    uint64_t degrees;
    double point;
  } facts[] = {
      {0.95, 0, 1.959963984540054},  {0.99, 0, 2.575829303548901},   {0.9, 0, 1.644853626951473},
      {0.5, 0, 0.674489750196082},   {0.9999, 0, 3.890591886413099}, {0.95, 1, 12.706204736432095},
      {0.95, 2, 4.302652729911275},  {0.95, 3, 3.182446305284263},   {0.95, 5, 2.570581835636314},
      {0.95, 10, 2.228138851964939}, {0.95, 28, 2.048407141795244},  {0.99, 10, 3.169272672616951},
      {0.9, 5, 2.015048372669157},   {0.9999, 1, 6366.197671235},    {0.5, 1, 1},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    assert_near(ee_critical_point(facts[i].confidence, facts[i].degrees), facts[i].point, 1e-9 * facts[i].point,
                "critical point");
}

/* The points of the usual confidence are a table: each is the first number that is far enough out. */
static void usual_points_are_computed_ones(void **state) {
  (void)state;
  for (uint64_t degrees = 0; degrees < 40; degrees++) {
    double point = ee_critical_point(EE_USUAL_CONFIDENCE, degrees);
    assert_true(ee_probability_within(point, degrees) >= EE_USUAL_CONFIDENCE);
    assert_true(ee_probability_within(nextafter(point, 0), degrees) < EE_USUAL_CONFIDENCE);
  }
}

/* The twin: every unit kept, the added one too, and Wilson's interval found by halving. */
typedef struct units {
  double a[UNITS + 1], b[UNITS + 1];
  size_t count;
} units;

static double twin_number(const units *kept) {
  units all = *kept;
  long double sum_a = 0, sum_b = 0, residuals = 0;
  for (size_t i = 0; i < kept->count; i++) sum_b += kept->b[i];
  all.a[all.count] = 0;
  all.b[all.count++] = (double)(sum_b / (long double)kept->count);
  sum_b = 0;
  for (size_t i = 0; i < all.count; i++) sum_a += all.a[i], sum_b += all.b[i];
  long double ratio = sum_a / sum_b, n = (long double)kept->count;
  if (sum_a == 0) return (double)n;
  for (size_t i = 0; i < all.count; i++) residuals += powl(all.a[i] - ratio * all.b[i], 2);
  long double variance = (n + 1) / n * residuals / (sum_b * sum_b);
  return (double)fmaxl(1, ratio * (1 - ratio) / variance * n / (n + 1));
}

/* The limit at which the distance from `ratio` is `point` standard errors. */
static double twin_limit(double ratio, double number, double point, double end) {
  double inside = ratio, outside = end;
  for (int i = 0; i < 200; i++) {
    double middle = (inside + outside) / 2;
    if (fabs(ratio - middle) <= point * sqrt(middle * (1 - middle) / number))
      inside = middle;
    else
      outside = middle;
  }
  return inside;
}

/* Where more than three values are seen, no limit. */
static double twin_least(double few, double point) {
  double root = 1 - 1 / (9 * few) - point / sqrt(9 * few);
  return few > 3.5 + 1e-9 ? few : few * pow(fmax(root, 0), 3);
}

/* The probability that the interval of a proportion holds it, exactly. */
static double cover(uint64_t count, double proportion) {
  double within = 0;
  for (uint64_t i = 0; i <= count; i++) {
    ee_ratio_sums sums = ee_ratio_of_proportion(i, count);
    ee_interval interval = ee_ratio_interval(&sums, 0.95);
    if (interval.low > proportion || interval.high < proportion) continue;
    within += exp(lgamma((double)count + 1) - lgamma((double)i + 1) - lgamma((double)(count - i) + 1) +
                  (double)i * log(proportion) + (double)(count - i) * log1p(-proportion));
  }
  return within;
}

static void covers_proportions_near_the_ends(void **state) {
  (void)state;
  static const uint64_t sizes[] = {10, 30, 100, 1000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (double expected = 0.02; expected < 5; expected *= 1.07) {
      double proportion = expected / (double)sizes[i], near_0 = cover(sizes[i], proportion);
      if (near_0 < 0.925) fail_msg("%d units, %g: %g", (int)sizes[i], proportion, near_0);
      assert_true(cover(sizes[i], 1 - proportion) >= 0.925);
    }
}

static void agrees_with_a_twin(void **state) {
  (void)state;
  test_random random = test_random_start("ratio_interval", 7);
  for (int round = 0; round < 3000; round++) {
    units kept = {.count = 2 + test_random_below(&random, round % 10 == 0 ? UNITS - 2 : 40)};
    ee_counts counts = {0};
    ee_count_moments parts[2];
    memset(parts, 0, sizeof parts);
    ee_count_ratio ratio = (ee_count_ratio)test_random_below(&random, EE_COUNT_RATIOS);
    uint64_t most = 1 + test_random_below(&random, 6), wrong = 1 + test_random_below(&random, 8);
    size_t used = 0, asked = kept.count;
    kept.count = 0;
    while (used < asked) {
      ee_counts one = {0};
      for (uint64_t values = test_random_below(&random, most + 1); values > 0; values--) {
        uint64_t kind = test_random_below(&random, wrong + 4);
        *(kind == 0 ? &one.fp : kind == 1 ? &one.fn : kind == 2 ? &one.tn : &one.tp) += 1;
      }
      ee_counts_add(&counts, &one);
      ee_count_moments_add(&parts[used++ % 2], &one);
      double a = (double)(ratio == EE_RATIO_SPECIFICITY ? one.tn : ratio == EE_RATIO_F1 ? 2 * one.tp : one.tp);
      double other = (double)(ratio == EE_RATIO_RECALL ? one.fn : ratio == EE_RATIO_F1 ? one.fp + one.fn : one.fp);
      if (a + other == 0) continue;
      kept.a[kept.count] = a;
      kept.b[kept.count++] = a + other;
    }
    ee_count_moments_merge(&parts[0], &parts[1]);
    ee_ratio_sums sums = ee_ratio_of_counts(&counts, &parts[0], ratio);
    double confidence = 0.8 + 0.19 * (double)test_random_below(&random, 1000) / 1000;
    ee_interval got = ee_ratio_interval(&sums, confidence);
    assert_int_equal(sums.units, kept.count);
    if (kept.count < 2) {
      assert_true(got.low == 0 && got.high == 1);
      continue;
    }
    double value = sums.a / sums.b, number = twin_number(&kept);
    double point = ee_critical_point(confidence, kept.count < 30 ? kept.count - 1 : 0);
    double low = twin_limit(value, number, point, 0), high = twin_limit(value, number, point, 1);
    double one_sided = ee_critical_point(2 * confidence - 1, 0);
    if (value < 1) high = fmax(high, 1 - twin_least((1 - value) * number, one_sided) / number);
    if (value > 0) low = fmin(low, twin_least(value * number, one_sided) / number);
    if (fabs(got.low - low) > 1e-9 || fabs(got.high - high) > 1e-9)
      fail_msg("round %d: %.12g..%.12g, not %.12g..%.12g", round, got.low, got.high, low, high);
  }
}

static void treats_means_and_proportions_alike(void **state) {
  (void)state;
  ee_sample sample;
  memset(&sample, 0, sizeof sample);
  for (int i = 0; i < 50; i++) ee_sample_add(&sample, i < 45);
  ee_ratio_sums mean = ee_ratio_of_sample(&sample), proportion = ee_ratio_of_proportion(45, 50);
  ee_interval a = ee_ratio_interval(&mean, 0.95), b = ee_ratio_interval(&proportion, 0.95), wilson = ee_wilson(45, 50);
  assert_true(a.low == b.low && a.high == b.high);
  assert_near(a.low, wilson.low, 0.002, "near Wilson's");
  assert_true(a.low < wilson.low); /* with one unit more, it is a little wider */
}

static void has_ends(void **state) {
  (void)state;
  ee_ratio_sums none = {0}, one = ee_ratio_of_proportion(1, 1), all = ee_ratio_of_proportion(20, 20),
                zero = ee_ratio_of_proportion(0, 20);
  ee_interval range = ee_ratio_interval(&none, 0.95);
  assert_true(range.low == 0 && range.high == 1);
  range = ee_ratio_interval(&one, 0.95);
  assert_true(range.low == 0 && range.high == 1);
  range = ee_ratio_interval(&all, 0.95);
  assert_true(range.low > 0.8 && range.low < 0.84 && range.high == 1);
  range = ee_ratio_interval(&zero, 0.95);
  assert_true(range.low == 0 && range.high > 0.16 && range.high < 0.2);
}

/* How often the interval at 95 % has the true value, for cases of several values that are right or wrong together. */
static double coverage(size_t cases, double right, double together, double *below) {
  enum { RUNS = 4000 };
  test_random draws = {20250101 + cases}; /* a fixed seed: a simulation of other draws may miss its bound */
  size_t covered = 0, missed_below = 0;
  for (int run = 0; run < RUNS; run++) {
    ee_counts counts = {0};
    ee_count_moments moments;
    memset(&moments, 0, sizeof moments);
    for (size_t i = 0; i < cases; i++) {
      ee_counts one = {0};
      bool same = (double)test_random_below(&draws, 10000) < together * 10000;
      bool shared = (double)test_random_below(&draws, 10000) < right * 10000;
      for (uint64_t values = 1 + test_random_below(&draws, 5); values > 0; values--) {
        bool own = (double)test_random_below(&draws, 10000) < right * 10000;
        if (same ? shared : own)
          one.tp++;
        else
          one.fp++, one.fn++;
      }
      ee_counts_add(&counts, &one);
      ee_count_moments_add(&moments, &one);
    }
    ee_ratio_sums sums = ee_ratio_of_counts(&counts, &moments, EE_RATIO_F1);
    ee_interval range = ee_ratio_interval(&sums, 0.95);
    covered += range.low <= right && right <= range.high;
    missed_below += range.low > right;
  }
  *below = (double)missed_below / RUNS;
  return (double)covered / RUNS;
}

static void covers(void **state) {
  (void)state;
  static const size_t cases[] = {10, 20, 50, 200};
  static const double rights[] = {0.5, 0.8, 0.95}, together[] = {0, 0.7};
  for (size_t i = 0; i < 4; i++)
    for (size_t k = 0; k < 3; k++)
      for (size_t t = 0; t < 2; t++) {
        double below, share = coverage(cases[i], rights[k], together[t], &below);
        /* 4000 runs have a standard error of 0.35 points. */
        if (share < 0.93) fail_msg("%zu cases, F1 %.2f: covers %.3f", cases[i], rights[k], share);
        if (below > 0.05) fail_msg("%zu cases, F1 %.2f: its low end is too high in %.3f", cases[i], rights[k], below);
      }
}

static void needs_two_units(void **state) {
  (void)state;
  ee_interval all = ee_interval_of_variance(0.5, 0.4, 0.1, 1, 0.95);
  assert_true(all.low == 0 && all.high == 1);
  all = ee_ratio_interval(&(ee_ratio_sums){.units = 5}, 0.95); /* nothing to divide by */
  assert_true(all.low == 0 && all.high == 1);
  /* Without a variance, as without anything right, units are as certain as they are many; with a large one, as one. */
  ee_interval none = ee_interval_of_variance(0.5, 0.5, 0, 100, 0.95),
              huge = ee_interval_of_variance(0.5, 0.5, 9, 100, 0.95);
  assert_true(none.low > 0.3 && none.high < 0.7 && huge.low < 0.2 && huge.high > 0.8);
  ee_interval larger = ee_interval_of_variance(0.5, 0.5, 90, 100, 0.95);
  assert_true(larger.low == huge.low && larger.high == huge.high);
}

static void knows_what_is_not_known(void **state) {
  (void)state;
  ee_sample sample = {0};
  assert_false(ee_ranged_of_sample(&sample, 0.95).metric.defined);
  assert_false(ee_ranged_of_proportion(0, 0, 0.95).metric.defined);
  assert_true(ee_ranged_of_sample(&sample, 0.95).metric.value == 0);
  assert_true(ee_ranged_of_proportion(0, 0, 0.95).metric.value == 0);
  ee_ranged one = ee_ranged_of_proportion(1, 1, 0.95), many = ee_ranged_of_proportion(30, 40, 0.95);
  assert_true(one.metric.defined && one.metric.value == 1 &&
              !(one.interval.low <= one.interval.high && one.interval.low > 0));
  assert_true(many.metric.value == 0.75 && many.interval.low > 0.5 && many.interval.high < 0.95);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(knows_critical_points), cmocka_unit_test(usual_points_are_computed_ones),
             cmocka_unit_test(agrees_with_a_twin), cmocka_unit_test(covers_proportions_near_the_ends),
             cmocka_unit_test(treats_means_and_proportions_alike), cmocka_unit_test(has_ends), cmocka_unit_test(covers),
             cmocka_unit_test(needs_two_units), cmocka_unit_test(knows_what_is_not_known));
