/* test_paired_ratio.c: linearized differences from sums of products against the differences one by one. */
#include "prim/paired_ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

enum { MOST = 40 };

static void assert_near(double got, double expected, const char *what) {
  if (!(fabs(got - expected) <= 1e-9 * (1 + fabs(expected)))) fail_msg("%s: %.17g, not %.17g", what, got, expected);
}

static double a_of(ee_paired_kind kind, const ee_paired_share *share, int side) {
  return kind == EE_PAIRED_COUNTS ? (double)share->a[side].units : ee_fixed_value(share->a[side]);
}

/* Of what `a` is, in units of a case: counts of right values in `b`, or sums of `b` scores. */
static ee_paired_share random_share(test_random *random, ee_paired_kind kind, bool single) {
  ee_paired_share share = {.b = {0, 0}};
  bool same = test_random_below(random, 2) == 0;
  for (int side = 0; side < 2; side++) {
    if (kind == EE_PAIRED_COUNTS) {
      share.b[side] = (int64_t)test_random_below(random, 6);
      share.a[side].units = (__int128)test_random_below(random, (size_t)share.b[side] + 1);
    } else {
      share.b[side] = single ? 1 : 1 + (int64_t)(test_random_bits(random) >> 62);
      if (side == 1) share.b[1] = share.b[0];
      share.a[side] = ee_fixed_from((double)share.b[side] * test_random_unit(random));
    }
  }
  if (same) {
    share.a[1] = share.a[0];
    share.b[1] = share.b[0];
  }
  return share;
}

static void check_changes(ee_paired_kind kind, const ee_paired_share *units, size_t count,
                          const ee_paired_moments *moments) {
  double a[2] = {0, 0}, b[2] = {0, 0}, n = 0;
  ee_paired_sums got = ee_paired_change(moments, kind);
  for (size_t i = 0; i < count; i++) {
    n += units[i].b[0] + units[i].b[1] > 0;
    for (int side = 0; side < 2; side++) {
      a[side] += a_of(kind, &units[i], side);
      b[side] += (double)units[i].b[side];
    }
  }
  assert_int_equal(got.units, (uint64_t)n);
  if (b[0] <= 0 || b[1] <= 0) return;
  double sum = 0, squares = 0, changed = 0, right = 0, errors = 0;
  const double f[] = {a[0] / b[0], a[1] / b[1]};
  for (size_t i = 0; i < count; i++) {
    if (units[i].b[0] + units[i].b[1] == 0) continue;
    double d = f[1] - f[0], a0 = a_of(kind, &units[i], 0), a1 = a_of(kind, &units[i], 1);
    double b0 = (double)units[i].b[0], b1 = (double)units[i].b[1];
    d += n * (a1 - f[1] * b1) / b[1] - n * (a0 - f[0] * b0) / b[0];
    sum += d;
    squares += d * d;
    changed += ee_paired_share_changed(kind, &units[i]);
    right = fmax(right, fabs(a1 - a0));
    errors = fmax(errors, fabs(b1 - a1 - b0 + a0));
  }
  assert_near(ee_fixed_value(got.sum), sum, "sum");
  assert_near(ee_fixed_value(got.squares), squares, "squares");
  assert_int_equal(got.changed, (uint64_t)changed);
  double ratio = (a[0] + a[1]) / (b[0] + b[1]);
  assert_near(got.largest, ((1 - ratio) * right + ratio * errors) * n / ((b[0] + b[1]) / 2), "largest");
  for (int side = 0; side < 2; side++) {
    ee_ratio_sums sums = {0}, of = ee_paired_side(moments, kind, side);
    for (size_t i = 0; i < count; i++) {
      double unit_a = a_of(kind, &units[i], side), unit_b = (double)units[i].b[side];
      if (unit_b <= 0) continue;
      sums.units++;
      sums.aa += unit_a * unit_a;
      sums.ab += unit_a * unit_b;
      sums.bb += unit_b * unit_b;
    }
    assert_int_equal(of.units, sums.units);
    assert_near(of.a, a[side], "a");
    assert_near(of.b, b[side], "b");
    assert_near(of.aa, sums.aa, "aa");
    assert_near(of.ab, sums.ab, "ab");
    assert_near(of.bb, sums.bb, "bb");
    assert_near(ee_paired_ratio(moments, kind, side).value, f[side], "ratio");
  }
}

static void agrees_with_single_differences(void **state) {
  (void)state;
  test_random random = test_random_start("paired ratios", 301);
  for (int round = 0; round < 4000; round++) {
    ee_paired_kind kind = round % 2 == 0 ? EE_PAIRED_COUNTS : EE_PAIRED_SCORES;
    ee_paired_share units[MOST];
    ee_paired_moments all = {0}, parts[3] = {{0}};
    size_t count = test_random_below(&random, MOST + 1);
    bool single = test_random_below(&random, 2) == 0;
    for (size_t i = 0; i < count; i++) {
      units[i] = random_share(&random, kind, single);
      ee_paired_moments_add(&all, kind, &units[i]);
      ee_paired_moments_add(&parts[test_random_below(&random, 3)], kind, &units[i]);
    }
    check_changes(kind, units, count, &all);
    ee_paired_moments_merge(&parts[2], &parts[1]);
    ee_paired_moments_merge(&parts[0], &parts[2]);
    assert_memory_equal(&parts[0], &all, sizeof all);
  }
}

/* Systems that do the same differ by exactly 0, whatever is rounded. */
static void equal_systems_give_nothing(void **state) {
  (void)state;
  test_random random = test_random_start("paired ratios, equal", 302);
  for (int round = 0; round < 500; round++) {
    ee_paired_kind kind = round % 2 == 0 ? EE_PAIRED_COUNTS : EE_PAIRED_SCORES;
    ee_paired_moments all = {0};
    for (size_t i = 0; i < 20; i++) {
      ee_paired_share share = random_share(&random, kind, false);
      share.a[1] = share.a[0];
      share.b[1] = share.b[0];
      ee_paired_moments_add(&all, kind, &share);
    }
    ee_paired_sums sums = ee_paired_change(&all, kind);
    assert_true(sums.sum.units == 0 && sums.squares.units == 0 && sums.changed == 0 && sums.largest == 0);
  }
}

static void knows_nothing_and_much(void **state) {
  (void)state;
  ee_paired_moments moments = {0};
  assert_false(ee_paired_ratio(&moments, EE_PAIRED_SCORES, 0).defined);
  ee_paired_moments_add(&moments, EE_PAIRED_SCORES, &(ee_paired_share){.b = {0, 0}});
  assert_int_equal(moments.units, 0);
  /* Sums of many scores in one unit, whose squares are taken in another way than those below 8. */
  ee_paired_share share = {.a = {ee_fixed_from(100), ee_fixed_from(120)}, .b = {200, 200}}, sum = {.b = {0, 0}};
  ee_paired_share_add(&sum, &share);
  ee_paired_share_add(&sum, &share);
  assert_true(sum.b[0] == 400 && sum.b[1] == 400);
  assert_near(ee_fixed_value(sum.a[0]), 200, "sum");
  assert_near(ee_fixed_value(sum.a[1]), 240, "sum");
  ee_paired_moments_add(&moments, EE_PAIRED_SCORES, &sum);
  assert_near(ee_paired_ratio(&moments, EE_PAIRED_SCORES, 0).value, 0.5, "ratio");
  assert_near(ee_paired_side(&moments, EE_PAIRED_SCORES, 0).aa, 40000, "square");
  assert_near(ee_paired_side(&moments, EE_PAIRED_SCORES, 1).aa, 57600, "square");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(agrees_with_single_differences), cmocka_unit_test(equal_systems_give_nothing),
             cmocka_unit_test(knows_nothing_and_much));
