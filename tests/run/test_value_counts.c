/* test_value_counts.c: counts of values against sorted lists of everything that was added. */
#include "run/value_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
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

static void check_quantiles(const ee_value_counts *tally, const twin *all) {
  const double shares[] = {0, 0.05, 0.25, 1.0 / 3, 0.5, 0.9, 0.95, 0.999, 1};
  enum { SHARES = sizeof shares / sizeof *shares };
  double quantiles[SHARES];
  ee_value_counts_quantiles(tally, shares, SHARES, quantiles);
  long double sizes = 0;
  for (size_t i = 0; i < all->count; i++) sizes += fabs(all->values[i]);
  for (size_t i = 0; i < SHARES && all->count > 0; i++) {
    long double expected = quantile_of(all, shares[i]);
    if (fabsl(quantiles[i] - expected) > sizes * 0x1p-51L + 0x1p-1070L)
      fail_msg("share %g of %zu: %g, not %Lg", shares[i], all->count, quantiles[i], expected);
  }
  if (all->count == 0) assert_true(quantiles[0] == 0 && quantiles[SHARES - 1] == 0);
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
  check_quantiles(tally, all);
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
  /* Their sum may be beyond all numbers. */
  ee_value_counts_clear(&other);
  ee_value_counts_add(&other, 0x1p1023, 1);
  ee_value_counts_add(&other, 0x1.8p1023, 1);
  assert_true(ee_value_counts_median(&other) == 0x1.4p1023);
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
  ee_value_counts_quantiles(&tally, shares, 4, quantiles);
  assert_true(quantiles[0] == 5.5 && quantiles[1] == 9.549999999999999 && quantiles[2] == 3.25 && quantiles[3] == 10);
  ee_value_counts_fini(&tally);
}

/* Many distinct values -------------------------------------------------------------------------- */

enum { MANY = EE_VALUES_EXACT * 2, MANY_ROUNDS = 16 };

/* To 17 significant bits, by scaling with powers of two. */
static double slowly_rounded(double value) {
  int exponent;
  if (value == 0) return 0;
  double mantissa = frexp(value, &exponent), rounded = ldexp(nearbyint(ldexp(mantissa, 17)), exponent - 17);
  return isfinite(rounded) ? rounded : value;
}

static double random_bits_value(test_random *random) {
  double value;
  do {
    uint64_t bits = test_random_bits(random);
    memcpy(&value, &bits, sizeof value);
  } while (!isfinite(value));
  return value;
}

static void test_rounding(void **state) {
  (void)state;
  test_random random = test_random_start("rounding", 52);
  for (size_t i = 0; i < 300000; i++) {
    double value = random_bits_value(&random);
    if (i % 3 == 0)
      value = ldexp((double)test_random_below(&random, 1 << 19), (int)test_random_below(&random, 40) - 20);
    if (fabs(value) < 0x1p-1022) continue;
    double rounded = ee_value_rounded(value);
    if (rounded != slowly_rounded(value)) fail_msg("%a: %a, not %a", value, rounded, slowly_rounded(value));
    assert_true(ee_value_rounded(rounded) == rounded);
    assert_true(fabs(rounded - value) <= ldexp(fabs(value), -17));
  }
  assert_true(ee_value_rounded(3365.123) == 3365.125 && ee_value_rounded(65536) == 65536);
  assert_true(ee_value_rounded(0x1.fffffffp1023) == 0x1.fffffffp1023 && ee_value_rounded(-0x1p-1074) == 0);
}

static const double many_shares[] = {0, 0.01, 0.5, 0.95, 1};
enum { MANY_SHARES = sizeof many_shares / sizeof *many_shares };

/* What a tally must give, from the definition: sort, count distinct values, round all if there are too many. */
static void check_many(const ee_value_counts *tally, const double *values, size_t count) {
  static double sorted[MANY];
  memcpy(sorted, values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_value);
  double min = count > 0 ? sorted[0] : 0, max = count > 0 ? sorted[count - 1] : 0;
  size_t distinct = 0;
  for (size_t i = 0; i < count; i++) distinct += i == 0 || sorted[i] != sorted[i - 1];
  bool rounded = distinct > EE_VALUES_EXACT;
  for (size_t i = 0; rounded && i < count; i++) sorted[i] = slowly_rounded(sorted[i]);
  distinct = 0;
  for (size_t i = 0; i < count; i++) distinct += i == 0 || sorted[i] != sorted[i - 1];
  assert_int_equal(tally->rounded, rounded);
  assert_int_equal(tally->count, distinct);
  assert_int_equal(tally->total, count);
  assert_true(ee_value_counts_min(tally) == min && ee_value_counts_max(tally) == max);
  double quantiles[MANY_SHARES];
  ee_value_counts_quantiles(tally, many_shares, MANY_SHARES, quantiles);
  for (size_t i = 0; i < MANY_SHARES && count > 0; i++) {
    double place = (double)(count - 1) * many_shares[i];
    double low = sorted[(size_t)place], high = sorted[(size_t)ceil(place)];
    double expected = fmin(fmax(low + (high - low) * (place - floor(place)), min), max);
    if (fabs(quantiles[i] - expected) > fabs(expected) * 0x1p-49)
      fail_msg("share %g of %zu: %.17g, not %.17g", many_shares[i], count, quantiles[i], expected);
  }
}

/* The state; a part that went through it is the same. */
static void write_state(ee_value_counts *tally, ee_buffer *out) {
  ee_state_line line;
  ee_buffer_clear(out);
  ee_state_write(&line, out);
  ee_value_counts_state(&line, tally);
  assert_true(ee_state_close(&line));
}

static void through_state(ee_value_counts *tally) {
  ee_buffer text = {0};
  ee_arena arena;
  ee_error error;
  ee_state_line line;
  ee_arena_init(&arena, 0);
  write_state(tally, &text);
  ee_value_counts_clear(tally);
  ee_state_read(&line, ee_json_read_data(&arena, (ee_str){text.data, text.length}, &error));
  ee_value_counts_state(&line, tally);
  assert_true(ee_state_close(&line));
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
}

/* Equal in everything, whatever the order of the items. */
static void check_same(ee_value_counts *a, ee_value_counts *b) {
  assert_true(a->rounded == b->rounded && a->count == b->count && a->total == b->total);
  assert_true(a->min == b->min && a->max == b->max);
  double x[MANY_SHARES], y[MANY_SHARES];
  ee_value_counts_quantiles(a, many_shares, MANY_SHARES, x);
  ee_value_counts_quantiles(b, many_shares, MANY_SHARES, y);
  assert_memory_equal(x, y, sizeof x);
  assert_true(ee_value_counts_median(a) == ee_value_counts_median(b));
  ee_buffer states[2] = {{0}, {0}};
  write_state(a, &states[0]);
  write_state(b, &states[1]);
  assert_string_equal(ee_buffer_terminate(&states[0]), ee_buffer_terminate(&states[1]));
  ee_buffer_fini(&states[0]);
  ee_buffer_fini(&states[1]);
}

/* Around the number of distinct values at which they are rounded, any partition and any tree give what all values give.
 * Some parts cross it by themselves, others only together. */
static void test_many_values(void **state) {
  (void)state;
  test_random random = test_random_start("many values", 53);
  static double values[MANY];
  for (size_t round = 0; round < MANY_ROUNDS; round++) {
    /* Distinct values: one below, at, and above the limit, or far above; some values come twice. */
    size_t distinct = round % 4 < 3 ? EE_VALUES_EXACT - 1 + round % 4 : EE_VALUES_EXACT + 30000, count = distinct + 500;
    size_t kind = test_random_below(&random, 3);
    for (size_t i = 0; i < count; i++) {
      size_t number = i < distinct ? i : test_random_below(&random, distinct);
      values[i] = kind == 0   ? (double)number / 70000
                  : kind == 1 ? 3365.123 + (double)number * 0.001
                              : ldexp(1 + (double)number / 0x1p17, (int)(number % 60) - 30);
    }
    for (size_t i = count; i > 1; i--) {
      size_t other = test_random_below(&random, i);
      double swapped = values[i - 1];
      values[i - 1] = values[other];
      values[other] = swapped;
    }
    ee_value_counts parts[PARTS], whole;
    ee_value_counts_init(&whole);
    for (size_t i = 0; i < PARTS; i++) ee_value_counts_init(&parts[i]);
    size_t skew = 1 + test_random_below(&random, 30); /* most values in one part, or about the same in all */
    for (size_t i = 0; i < count; i++) {
      size_t part = test_random_below(&random, skew) < PARTS ? test_random_below(&random, PARTS) : 0;
      ee_value_counts_add(&parts[part], values[i], 1);
      ee_value_counts_add(&whole, values[i], 1);
    }
    check_many(&whole, values, count);
    for (size_t left = PARTS; left > 1; left--) {
      size_t from = test_random_below(&random, left), to = test_random_below(&random, left - 1);
      to += to >= from;
      if (test_random_below(&random, 2) == 0) through_state(&parts[from]);
      ee_value_counts_merge(&parts[to], &parts[from]);
      ee_value_counts_fini(&parts[from]);
      parts[from] = parts[left - 1];
    }
    through_state(&parts[0]);
    check_same(&parts[0], &whole);
    ee_value_counts_fini(&parts[0]);
    ee_value_counts_fini(&whole);
  }
}

/* States that no counts write: values without a number, ends that are none or in the wrong order, and more distinct
 * values than are kept without rounding. */
static bool reads(const double *values, size_t count, bool rounded, double min, double max, ee_value_counts *read) {
  ee_buffer text = {0};
  ee_state_line line;
  ee_state_write(&line, &text);
  ee_state_begin_packed(&line);
  ee_state_flag(&line, &rounded);
  ee_state_items(&line, count);
  for (size_t i = 0; i < count; i++) {
    double value = values != NULL ? values[i] : (double)i;
    uint64_t times = 2;
    ee_state_real(&line, &value);
    ee_state_count(&line, &times);
  }
  ee_state_end(&line);
  if (rounded) {
    ee_state_real(&line, &min);
    ee_state_real(&line, &max);
  }
  ee_state_end_packed(&line);
  assert_true(ee_state_close(&line));
  ee_arena arena;
  ee_error error;
  ee_arena_init(&arena, 0);
  ee_value_counts_init(read);
  ee_state_read(&line, ee_json_read_data(&arena, (ee_str){text.data, text.length}, &error));
  ee_value_counts_state(&line, read);
  bool good = ee_state_close(&line);
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
  return good;
}

static void test_impossible_states(void **state) {
  (void)state;
  const double plain[] = {0.5, 2}, nan_value[] = {0.5, NAN}, infinite[] = {-INFINITY};
  const struct {
    const double *values;
    size_t count;
    bool rounded;
    double min, max;
    bool good;
  } facts[] = {
      {plain, 2, false, 0, 0, true},
      {plain, 1, false, 0, 0, true},
      {plain, 0, false, 0, 0, true},
      {nan_value, 2, false, 0, 0, false},
      {infinite, 1, false, 0, 0, false},
      {plain, 2, true, 0.5, 2, true},
      {plain, 2, true, 2, 2, true},
      {plain, 2, true, 2, 0.5, false},
      {plain, 2, true, NAN, 2, false},
      {plain, 2, true, 0.5, NAN, false},
      {plain, 2, true, -INFINITY, 2, false},
      {plain, 2, true, 0.5, INFINITY, false},
      {NULL, EE_VALUES_EXACT, false, 0, 0, true},
      {NULL, EE_VALUES_EXACT + 1, false, 0, 0, false},
      {NULL, EE_VALUES_EXACT + 1, true, 0, EE_VALUES_EXACT, true},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_value_counts read;
    bool good = reads(facts[i].values, facts[i].count, facts[i].rounded, facts[i].min, facts[i].max, &read);
    if (good != facts[i].good) fail_msg("%zu: %s", i, good ? "read" : "refused");
    if (good) {
      assert_int_equal(read.rounded, facts[i].rounded);
      assert_int_equal(read.total, 2 * facts[i].count);
      if (facts[i].rounded) assert_true(read.min == facts[i].min && read.max == facts[i].max);
    }
    ee_value_counts_fini(&read);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_random_values), cmocka_unit_test(test_impossible_states),
             cmocka_unit_test(test_corners), cmocka_unit_test(test_quantiles_of_numpy), cmocka_unit_test(test_rounding),
             cmocka_unit_test(test_many_values));
