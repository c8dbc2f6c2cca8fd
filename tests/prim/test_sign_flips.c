/* test_sign_flips.c: random signs of differences against all patterns, single draws and the normal distribution. */
#include "prim/sign_flips.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "prim/statistics.h"
#include "support/random.h"

enum { ROUNDS = 4000, MOST = 12 };

static void assert_near(double got, double expected, double slack, const char *what) {
  if (!(fabs(got - expected) <= slack)) fail_msg("%s: %.17g, not %.17g", what, got, expected);
}

typedef struct ee_signed_unit {
  uint64_t key;
  double difference;
} ee_signed_unit;

static double p_of(const ee_signed_unit *units, size_t count) {
  ee_sign_flips flips = {0};
  for (size_t i = 0; i < count; i++) ee_sign_flips_add(&flips, units[i].key, ee_fixed_from(units[i].difference));
  double p = ee_sign_flips_p(&flips);
  ee_sign_flips_fini(&flips);
  return p;
}

/* Patterns of signs whose sum is at least as far from 0 as `observed`. */
static double count_patterns(const ee_signed_unit *units, size_t count, long double sum, long double observed) {
  if (count == 0) return fabsl(sum) >= fabsl(observed) - 1e-13L;
  long double value = (long double)units->difference;
  return count_patterns(units + 1, count - 1, sum + value, observed) +
         count_patterns(units + 1, count - 1, sum - value, observed);
}

static void agrees_with_all_patterns(void **state) {
  (void)state;
  test_random random = test_random_start("sign flips", 91);
  for (int round = 0; round < ROUNDS; round++) {
    ee_signed_unit units[MOST];
    size_t count = test_random_below(&random, MOST + 1);
    long double sum = 0;
    for (size_t i = 0; i < count; i++) {
      double value = round % 2 == 0 ? ((double)test_random_below(&random, 9) - 4) / 10 : test_random_unit(&random) - .5;
      units[i] = (ee_signed_unit){test_random_bits(&random), value};
      sum += (long double)value;
    }
    /* Zeros have two signs that do the same. */
    double expected = count_patterns(units, count, 0, sum) / exp2((double)count);
    double got = p_of(units, count);
    if (got != expected) fail_msg("%zu values: %.17g, not %.17g", count, got, expected);
  }
}

/* Where all differences have one size, it is McNemar's test. */
static void agrees_with_mcnemar(void **state) {
  (void)state;
  test_random random = test_random_start("sign flips of one size", 92);
  enum { LARGEST = 300 };
  for (int round = 0; round < 150; round++) {
    ee_signed_unit units[2 * LARGEST + 5];
    size_t largest = round % 2 == 0 ? 8 : LARGEST, fixed = test_random_below(&random, largest + 1),
           broken = test_random_below(&random, largest + 1), zeros = test_random_below(&random, 5), count = 0;
    for (; count < fixed + broken + zeros; count++)
      units[count] = (ee_signed_unit){test_random_bits(&random), count < fixed            ? 0.1
                                                                 : count < fixed + broken ? -0.1
                                                                                          : 0};
    double expected = ee_mcnemar_exact(fixed, broken), got = p_of(units, count);
    double error = fixed + broken <= EE_SIGNS_TRIED_ALL
                       ? 1e-15
                       : 5 * sqrt(expected * (1 - expected) / EE_SIGN_DRAWS) + 2.0 / EE_SIGN_DRAWS;
    if (!(fabs(got - expected) <= error)) fail_msg("%zu and %zu: %.9g, not %.9g", fixed, broken, got, expected);
    assert_true(got > 0 && got <= 1);
  }
}

/* Random signs one by one: the same draws, in any order of the units. */
static void agrees_with_single_draws(void **state) {
  (void)state;
  test_random random = test_random_start("sign flips, one by one", 98);
  for (int round = 0; round < 10; round++) {
    enum { COUNT = 61 };
    ee_signed_unit units[COUNT], reversed[COUNT];
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
      /* Whole numbers, so that sums are exact. */
      double value = (double)test_random_below(&random, 41) - 18;
      units[i] = reversed[COUNT - 1 - i] = (ee_signed_unit){test_random_bits(&random), value};
      sum += value;
    }
    size_t hits = 0;
    for (size_t draw = 0; draw < EE_SIGN_DRAWS; draw++) {
      double total = 0;
      for (size_t i = 0; i < COUNT; i++) {
        uint64_t word = ee_hash_mix(units[i].key + (draw / 64 + 1) * UINT64_C(0x9e3779b97f4a7c15));
        total += (word >> draw % 64 & 1) != 0 ? fabs(units[i].difference) : -fabs(units[i].difference);
      }
      hits += fabs(total) >= fabs(sum);
    }
    double expected = (double)(hits + 1) / (EE_SIGN_DRAWS + 1);
    assert_near(p_of(units, COUNT), expected, 0, "p");
    assert_near(p_of(reversed, COUNT), expected, 0, "p in reverse");
  }
}

/* Many different sizes: the sum of random signs is nearly normal; also with fewer draws. */
static void agrees_with_the_normal_distribution(void **state) {
  (void)state;
  test_random random = test_random_start("sign flips of many sizes", 93);
  for (int round = 0; round < 12; round++) {
    size_t count = round == 0 ? 300000 : 500;
    double sum = 0, squares = 0, draws = round == 0 ? 3328 : EE_SIGN_DRAWS;
    ee_signed_unit *units = calloc(count, sizeof *units);
    assert_non_null(units);
    for (size_t i = 0; i < count; i++) {
      double value = test_random_unit(&random) - 0.5 + (round == 0 ? 0 : (double)round * 0.004);
      units[i] = (ee_signed_unit){i, value};
      sum += value;
      squares += value * value;
    }
    double expected = erfc(fabs(sum) / sqrt(2 * squares)), got = p_of(units, count);
    free(units);
    assert_near(got, expected, 5 * sqrt(expected / draws) + 0.004, "p");
  }
}

/* Parts in any order, merged as any tree: the same bits. */
static void parts_give_what_the_whole_gives(void **state) {
  (void)state;
  test_random random = test_random_start("sign flips of parts", 99);
  for (int round = 0; round < 60; round++) {
    enum { PARTS = 5 };
    size_t count = test_random_below(&random, round % 3 == 0 ? 6000 : 40);
    ee_sign_flips whole = {0}, parts[PARTS] = {{0}};
    for (size_t i = 0; i < count; i++) {
      double value = round % 2 == 0 ? ((double)test_random_below(&random, 9) - 4) / 10 : test_random_unit(&random) - .5;
      uint64_t key = test_random_bits(&random);
      ee_sign_flips_add(&whole, key, ee_fixed_from(value));
      ee_sign_flips_add(&parts[test_random_below(&random, PARTS)], key, ee_fixed_from(value));
    }
    for (size_t i = 0; i + 1 < PARTS; i++) {
      size_t into = i + 1 + test_random_below(&random, PARTS - i - 1);
      if (test_random_below(&random, 2) == 0) ee_sign_flips_sort(&parts[i]);
      ee_sign_flips_merge(&parts[into], &parts[i]);
    }
    double expected = ee_sign_flips_p(&whole);
    assert_true(ee_sign_flips_p(&parts[PARTS - 1]) == expected);
    ee_sign_flips_fini(&whole);
    for (size_t i = 0; i < PARTS; i++) ee_sign_flips_fini(&parts[i]);
  }
}

/* A few large differences among many small ones: the large ones keep signs of their own. */
static void large_differences_keep_their_signs(void **state) {
  (void)state;
  enum { COUNT = 20000, LARGE = 4 };
  ee_sign_flips flips = {0};
  for (size_t i = 0; i < COUNT; i++) ee_sign_flips_add(&flips, ee_hash_mix(i + 1), ee_fixed_from(i < LARGE ? 1 : 1e-6));
  /* All four have one sign in 2 of 16 patterns; the others then decide in half of them. */
  assert_near(ee_sign_flips_p(&flips), 0, 0.01, "p");
  ee_sign_flips_fini(&flips);
  for (size_t i = 0; i < COUNT; i++)
    ee_sign_flips_add(&flips, ee_hash_mix(i + 1), ee_fixed_from(i < LARGE ? 1 : i % 2 == 0 ? 1e-6 : -1e-6));
  assert_near(ee_sign_flips_p(&flips), 1.0 / 16, 0.01, "p");
  ee_sign_flips_fini(&flips);
}

/* In steps of 2^-36, rounded to the nearest, away from 0 on both sides. */
static void keeps_differences_in_steps(void **state) {
  (void)state;
  static const struct {
    double difference;
    int64_t steps;
  } facts[] = {{0.5, INT64_C(1) << 35},
               {-0.5, -(INT64_C(1) << 35)},
               {0x1p-20, 1 << 16},
               {0x1p-20 + 0x1p-37, (1 << 16) + 1},
               {-0x1p-20 - 0x1p-37, -(1 << 16) - 1},
               {0x1p-20 + 0x1p-38, 1 << 16},
               {0x1p20, INT64_C(1) << 52},
               {0.99e-9, 0},
               {1.1e-9, 76}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_sign_flips flips = {0};
    ee_sign_flips_add(&flips, 7, ee_fixed_from(facts[i].difference));
    assert_true(flips.sum.units == facts[i].steps);
    assert_true(flips.squares.units == (__int128)facts[i].steps * facts[i].steps);
    assert_int_equal(flips.differences, facts[i].steps != 0);
    assert_int_equal(flips.count, facts[i].steps != 0);
    if (flips.count > 0) assert_int_equal(flips.items[0].size, llabs(facts[i].steps));
    ee_sign_flips_fini(&flips);
  }
}

/* Of any number of differences few are kept, the largest ones, also where others are merged. */
static void keeps_the_largest(void **state) {
  (void)state;
  enum { MANY = 5 * EE_SIGNS_KEPT };
  test_random random = test_random_start("sign flips that are kept", 97);
  ee_sign_flips all = {0}, merged = {0}, part = {0};
  for (uint64_t i = 0; i < MANY; i++) {
    /* 1 to MANY in some order: 3 does not divide it. */
    ee_fixed difference = ee_fixed_from((double)(i * 3 % MANY + 1) / MANY * (i % 2 == 0 ? 1 : -1));
    ee_sign_flips_add(&all, i + 1, difference);
    ee_sign_flips_add(&part, i + 1, difference);
    assert_true(all.count <= 2 * EE_SIGNS_KEPT && part.count <= 2 * EE_SIGNS_KEPT);
    if (test_random_below(&random, 900) > 0 && i + 1 < MANY) continue;
    ee_sign_flips_merge(&merged, &part);
    assert_true(merged.count <= 2 * EE_SIGNS_KEPT);
    ee_sign_flips_fini(&part);
  }
  ee_sign_flips_sort(&all);
  ee_sign_flips_sort(&merged);
  assert_int_equal(all.count, EE_SIGNS_KEPT);
  assert_int_equal(merged.count, EE_SIGNS_KEPT);
  assert_int_equal(merged.differences, MANY);
  for (size_t i = 0; i < EE_SIGNS_KEPT; i++) {
    assert_true(all.items[i].key == merged.items[i].key && all.items[i].size == merged.items[i].size);
    assert_true((all.items[i].key - 1) * 3 % MANY + 1 == MANY - i);
  }
  ee_sign_flips_fini(&all);
  ee_sign_flips_fini(&merged);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(keeps_differences_in_steps), cmocka_unit_test(keeps_the_largest),
             cmocka_unit_test(agrees_with_all_patterns), cmocka_unit_test(agrees_with_mcnemar),
             cmocka_unit_test(agrees_with_single_draws), cmocka_unit_test(agrees_with_the_normal_distribution),
             cmocka_unit_test(parts_give_what_the_whole_gives), cmocka_unit_test(large_differences_keep_their_signs));
