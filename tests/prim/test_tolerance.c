/* test_tolerance.c: numeric tolerance against whole numbers and long doubles. */
#include "prim/number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prim/random_double.h"
#include "support/arena.h"
#include "support/random.h"

/* Tolerance ------------------------------------------------------------------------------------ */

static void knows_tolerances(void **state) {
  (void)state;
  const double two53 = 9007199254740992.0;
  static const struct {
    double x, y, tolerance;
    bool relative, within;
  } facts[] = {
      {100.01, 100, 0.01, false, true}, /* the difference of the doubles is 0.01000000000000512 */
      {99.99, 100, 0.01, false, true},
      {100.02, 100, 0.01, false, false},
      {100.0100001, 100, 0.01, false, false},
      {0.3, 0.1, 0.2, false, true},
      {0.1, 0.3, 0.2, false, true},
      {1.1, 1.0, 0.1, false, true},
      {1500.5, 1500, 1, false, true},
      {1501, 1500, 1, false, true},
      {1501.01, 1500, 1, false, false},
      {101, 100, 0.02, true, true},
      {102, 100, 0.02, true, true},
      {102.01, 100, 0.02, true, false},
      {98, 100, 0.02, true, true},
      {100, 102, 0.02, true, true}, /* a share of y, the expected value */
      {100, 102.05, 0.02, true, false},
      {-101, -100, 0.02, true, true},
      {101, -100, 0.02, true, false}, /* the sign counts */
      {0.01, 0, 0.02, true, true},    /* y = 0: absolute */
      {0.03, 0, 0.02, true, false},
      {0, 0, 0, false, true},
      {0, 0, 0, true, true},
      {-0.0, 0, 0, false, true},
      {1, 1, 0, false, true},
      {0.1 + 0.2, 0.3, 0, false, false}, /* no slack at tolerance 0 */
      {0.1 + 0.2, 0.3, 1e-12, false, true},
      {1500, 1500, 0, false, true},
      {1233, 1234.56, 0.01, false, false},
      {12, 12, 1, false, true},
      {5e-324, 0, 0, false, false},
      {1e308, -1e308, 1e308, false, false}, /* the difference overflows */
      {-1e308, 1e308, 1e308, false, false},
      {1.5e308, -1.5e308, 0.5, true, false},
      {-1e308, 1e308, 2, true, true}, /* 2e308 within 2e308, though no double holds it */
      {1e-300, 2e-300, 1e-301, false, false},
      {1e-300, 2e-300, 1.0000001e-300, false, true},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (ee_within_tolerance(facts[i].x, facts[i].y, facts[i].tolerance, facts[i].relative) != facts[i].within)
      fail_msg("%.17g against %.17g, tolerance %.17g%s: should be %d", facts[i].x, facts[i].y, facts[i].tolerance,
               facts[i].relative ? " relative" : "", facts[i].within);
  /* 2^53 + 7 is no double; its neighbours are. The slack of 2^-50 would be 8 here, were it not bound by the tolerance.
   */
  assert_false(ee_within_tolerance(ee_decimal_to_double(EE_STR("9007199254740999")), two53, 0.01, false));
  assert_false(ee_within_tolerance(two53 + 6, two53, 0.01, false));
  assert_false(ee_within_tolerance(two53 + 2, two53, 0.01, false));
  assert_false(ee_within_tolerance(two53 + 2, two53, 0, false));
  assert_false(ee_within_tolerance(two53 + 8, two53, 7, false));
  assert_true(ee_within_tolerance(two53 + 8, two53, 8, false));
  const double strange[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    assert_false(ee_within_tolerance(strange[i], 5, 1, false));
    assert_false(ee_within_tolerance(5, strange[i], 1, true));
    assert_false(ee_within_tolerance(strange[i], strange[i], 1, false));
    assert_false(ee_within_tolerance(strange[i], strange[i], 0, false));
    assert_false(ee_within_tolerance(strange[i], strange[i], 0.5, true));
  }
}

/* Figures in hundredths are decided as whole numbers decide them. */
static void tolerances_are_exact_for_decimals(void **state) {
  (void)state;
  test_random random = test_random_start("number: tolerance", 407);
  for (int round = 0; round < 200000; round++) {
    static const size_t spans[] = {1000, 100000, 100000000};
    size_t span = spans[test_random_below(&random, 3)];
    int64_t x = (int64_t)test_random_below(&random, 2 * span) - (int64_t)span;
    int64_t tolerance = 1 + (int64_t)test_random_below(&random, round % 2 == 0 ? 5 : 500);
    int64_t y = x + (test_random_below(&random, 2) == 0 ? 1 : -1) *
                        (tolerance + (int64_t)test_random_below(&random, 3) - 1); /* at the border */
    bool within = llabs(x - y) <= tolerance;
    if (ee_within_tolerance((double)x / 100, (double)y / 100, (double)tolerance / 100, false) != within)
      fail_msg("%" PRId64 " against %" PRId64 " hundredths, tolerance %" PRId64 ": should be %d", x, y, tolerance,
               within);
    assert_int_equal(ee_within_tolerance((double)x / 100, (double)y / 100, 0, false), x == y);
    assert_int_equal(ee_within_tolerance((double)y / 100, (double)x / 100, (double)tolerance / 100, false), within);
    /* x within some hundredths of y, as a share: |x-y| <= percent * |y| / 100. */
    int64_t percent = 1 + (int64_t)test_random_below(&random, 30), base = y != 0 ? y : 1;
    int64_t border = llabs(base) * percent / 100 + (int64_t)test_random_below(&random, 3) - 1;
    int64_t near = base + (test_random_below(&random, 2) == 0 ? border : -border);
    within = llabs(near - base) * 100 <= percent * llabs(base);
    if (ee_within_tolerance((double)near / 100, (double)base / 100, (double)percent / 100, true) != within)
      fail_msg("%" PRId64 " against %" PRId64 " hundredths, %" PRId64 " %%: should be %d", near, base, percent, within);
  }
}

/* Any doubles, where the definition leaves no doubt: clearly inside or outside of tolerance plus slack. */
static void tolerances_follow_the_formula(void **state) {
  (void)state;
  test_random random = test_random_start("number: formula", 408);
  size_t inside = 0, outside = 0;
  for (int round = 0; round < 100000; round++) {
    double y = test_random_double(&random), tolerance = fabs(test_random_double(&random));
    if (round % 2 == 0)
      tolerance = ldexp(test_random_unit(&random), (int)test_random_below(&random, 60) - 50) * fabs(y);
    bool relative = test_random_below(&random, 3) == 0 && y != 0;
    if (relative) tolerance = ldexp(test_random_unit(&random), (int)test_random_below(&random, 60) - 55);
    if (!isfinite(tolerance) || tolerance < DBL_MIN || fabs(y) > 1e300 || tolerance > 1e300) continue;
    long double room = relative ? (long double)tolerance * fabsl(y) : (long double)tolerance;
    double x = (double)((long double)y + room * (test_random_unit(&random) * 4 - 2));
    if (round % 3 == 0) x = (double)((long double)y + (round % 2 == 0 ? room : -room));
    if (!isfinite(x)) continue;
    long double slack = fminl(0x1p-50L * fmaxl(fabsl(x), fabsl(y)), 0x1p-20L * room);
    long double difference = fabsl((long double)x - (long double)y), doubt = slack / 4 + difference * 0x1p-52L;
    if (room < 1e-290L) continue; /* subnormal arithmetic */
    if (difference < room + slack - doubt) {
      inside++;
      if (!ee_within_tolerance(x, y, tolerance, relative))
        fail_msg("%a is within %a of %a (%d)", x, tolerance, y, relative);
    } else if (difference > room + slack + doubt) {
      outside++;
      if (ee_within_tolerance(x, y, tolerance, relative))
        fail_msg("%a is not within %a of %a (%d)", x, tolerance, y, relative);
    }
  }
  assert_true(inside > 1000 && outside > 1000);
}

/* Closeness in which both numbers have the same part, from its formulas. */
static void symmetric_closeness_follows_the_formulas(void **state) {
  (void)state;
  test_random random = test_random_start("number: symmetric closeness", 410);
  for (int round = 0; round < 100000; round++) {
    double x = test_random_double(&random), y = test_random_double(&random);
    if (round % 2 == 0) y = x * (test_random_unit(&random) * 3 - 1);
    if (!isfinite(x) || !isfinite(y) || (x == 0 && y == 0)) continue;
    long double apart = fabsl((long double)x - y), larger = fmaxl(fabsl(x), fabsl(y));
    long double of_larger = fmaxl(0, 1 - apart / larger), of_sum = fmaxl(0, 1 - apart / (fabsl(x) + fabsl(y)));
    if (fabsl(ee_symmetric_closeness(x, y) - of_larger) > 1e-15L || fabsl(ee_sum_closeness(x, y) - of_sum) > 1e-15L)
      fail_msg("%a and %a: %.17g, %.17g", x, y, ee_symmetric_closeness(x, y), ee_sum_closeness(x, y));
    assert_true(ee_symmetric_closeness(x, y) == ee_symmetric_closeness(y, x));
    assert_true(ee_sum_closeness(x, y) == ee_sum_closeness(y, x));
  }
  assert_true(ee_symmetric_closeness(0, 0) == 1 && ee_sum_closeness(-0.0, 0) == 1);
  assert_true(ee_symmetric_closeness(NAN, 1) == 0 && ee_symmetric_closeness(1, INFINITY) == 0);
  assert_true(ee_sum_closeness(1, INFINITY) == 0 && ee_sum_closeness(1, NAN) == 0);
  assert_true(ee_sum_closeness(NAN, 1) == 0 && ee_sum_closeness(-INFINITY, -INFINITY) == 0);
}

/* Numbers as they were read -------------------------------------------------------------------- */

/* A number whose text is kept only where its double's shortest text is another, as a JSON reader does. */
static ee_number number_of(const char *text) {
  ee_number number = {.value = ee_decimal_to_double(ee_str_from(text)), .digits = ee_str_from(text)};
  char shortest[32];
  ee_str other = {shortest, ee_double_format(number.value, shortest)};
  if (ee_decimal_compare(number.digits, other) == 0) number.digits = (ee_str){NULL, 0};
  return number;
}

static void knows_numbers_past_doubles(void **state) {
  (void)state;
  static const struct {
    const char *x, *y;
    double tolerance;
    bool relative, within;
    double difference;
  } facts[] = {
      {"9007199254740992", "9007199254740993", 0.5, false, false, 1},
      {"9007199254740992", "9007199254740993", 1, false, true, 1},
      {"9007199254740992", "9007199254740993", 0, false, false, 0}, /* told by the order, not by the difference */
      {"9007199254740999", "9007199254740992", 7, false, true, 7},
      {"9007199254740999", "9007199254740992", 6.5, false, false, 7},
      {"123456789012345678", "123456789012345679", 0.5, false, false, 1},
      {"-123456789012345678", "-123456789012345679", 1, false, true, 1},
      {"123456789012345680", "123456789012345660", 16, false, false, 20}, /* 16 as doubles, whose texts these are */
      {"1e20", "100000000000000000001", 0.5, false, false, 1},
      {"1e20", "100000000000000000001", 1, false, true, 1},
      {"1e20", "1.0e20", 0.5, false, true, 0},
      {"1", "1.00000000000000000000000000000000000001", 1e-38, false, true, 1e-38},
      {"1", "1.00000000000000000000000000000000000002", 1e-38, false, false, 2e-38},
      {"1", "0.99999999999999999999999999999999999999", 1e-39, false, false, 1e-38},
      {"1.00000000000000000003", "1", 2e-20, true, false, 3e-20},
      {"1.00000000000000000003", "1", 3e-20, true, true, 3e-20},
      {"1e-400", "0", 1e-300, false, true, 0},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_number x = number_of(facts[i].x), y = number_of(facts[i].y);
    double difference;
    if (ee_numbers_within_tolerance(&x, &y, facts[i].tolerance, facts[i].relative, &difference) != facts[i].within ||
        difference != facts[i].difference)
      fail_msg("%s against %s, tolerance %.17g: got a difference of %.17g", facts[i].x, facts[i].y, facts[i].tolerance,
               difference);
  }
}

/* Writes value / 10^decimals. */
static void write_scaled(__int128 value, int decimals, char *out) {
  char digits[64];
  size_t length = 0;
  if (value < 0) {
    *out++ = '-';
    value = -value;
  }
  for (; value > 0 || (int)length <= decimals; value /= 10) digits[length++] = (char)('0' + (int)(value % 10));
  while (length > 0) {
    if ((int)length == decimals) *out++ = '.';
    *out++ = digits[--length];
  }
  *out = '\0';
}

/* Numbers of up to 36 digits near the border of a tolerance are decided as whole numbers decide them. */
static void tolerances_are_exact_past_doubles(void **state) {
  (void)state;
  test_random random = test_random_start("number: tolerance past doubles", 410);
  size_t inside = 0;
  for (int round = 0; round < 100000; round++) {
    __int128 y = 0;
    for (size_t left = test_random_below(&random, 36); left > 0; left--)
      y = y * 10 + (int)test_random_below(&random, 10);
    if (test_random_below(&random, 2) == 0) y = -y;
    int64_t tolerance = 1 + (int64_t)test_random_below(&random, round % 2 == 0 ? 5 : 50000);
    int64_t distance = tolerance + (int64_t)test_random_below(&random, 5) - 2;
    if (distance < 0) distance = 0;
    __int128 x = test_random_below(&random, 2) == 0 ? y + distance : y - distance;
    int decimals = (int)test_random_below(&random, 30);
    char x_text[80], y_text[80], tolerance_text[80];
    write_scaled(x, decimals, x_text);
    write_scaled(y, decimals, y_text);
    write_scaled(tolerance, decimals, tolerance_text);
    ee_number x_number = number_of(x_text), y_number = number_of(y_text);
    double bound = ee_decimal_to_double(ee_str_from(tolerance_text)), difference;
    bool within = distance <= tolerance;
    inside += within;
    if (ee_numbers_within_tolerance(&x_number, &y_number, bound, false, &difference) != within)
      fail_msg("%s against %s, tolerance %s: should be %d", x_text, y_text, tolerance_text, within);
    int equal = ee_numbers_within_tolerance(&x_number, &y_number, 0, false, &difference);
    assert_int_equal(equal, distance == 0);
    /* The difference itself, to all digits that a double has. */
    char distance_text[80];
    write_scaled(distance, decimals, distance_text);
    double exact = ee_decimal_to_double(ee_str_from(distance_text));
    difference = ee_decimal_difference(ee_str_from(x_text), ee_str_from(y_text));
    if (difference != exact) fail_msg("%s - %s is %.17g, not %.17g", x_text, y_text, difference, exact);
  }
  assert_true(inside > 10000);
}

static void knows_decimal_differences(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    double difference;
  } facts[] = {
      {"0", "-0.00", 0},
      {"0", "1.5", 1.5},
      {"-1.5", "0e5", 1.5},
      {"1e2", "100.000", 0},
      {"1", "-1", 2},
      {"1000", "999.999", 0.001},
      {"-0.1", "0.2", 0.3},
      {"1e300", "-1", 1e300},
      {"1e-300", "1e300", 1e300},
      {"1e308", "-1e308", INFINITY},
      {"1e-99999999999999999999", "0", 0},
      {"1e99999999999999999999", "1", INFINITY},
      {"12345678901234567890123", "0", 12345678901234567890123.0},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    double there = ee_decimal_difference(ee_str_from(facts[i].a), ee_str_from(facts[i].b));
    double back = ee_decimal_difference(ee_str_from(facts[i].b), ee_str_from(facts[i].a));
    if (there != facts[i].difference || back != there)
      fail_msg("%s and %s: %.17g, %.17g", facts[i].a, facts[i].b, there, back);
  }
}

static void knows_scores_at_limits(void **state) {
  (void)state;
  assert_true(ee_score_reaches(0.8, 0.8));
  assert_true(ee_score_reaches(0x1.9999999999997p-1, 0.8)); /* three ulps short */
  assert_false(ee_score_reaches(0.8 - 1e-14, 0.8));
  assert_true(ee_score_reaches(0, 0));
  assert_false(ee_score_reaches(0, 5e-324));
}

static void knows_linear_closeness(void **state) {
  (void)state;
  assert_true(ee_linear_closeness(100, 100) == 1);
  assert_true(ee_linear_closeness(0, 0) == 1);
  assert_true(ee_linear_closeness(-0.0, 0) == 1);
  assert_true(ee_linear_closeness(1, 0) == 0);
  assert_true(ee_linear_closeness(5e-324, 0) == 0);
  assert_true(ee_linear_closeness(200, 100) == 0);
  assert_true(ee_linear_closeness(300, 100) == 0);
  assert_true(ee_linear_closeness(-100, 100) == 0);
  assert_true(ee_linear_closeness(1e308, -1e308) == 0);
  assert_true(ee_linear_closeness(-DBL_MAX, DBL_MAX) == 0);
  assert_true(fabs(ee_linear_closeness(90, 100) - 0.9) < 1e-15);
  assert_true(fabs(ee_linear_closeness(110, 100) - 0.9) < 1e-15);
  assert_true(fabs(ee_linear_closeness(-75, -100) - 0.75) < 1e-15);
  assert_true(fabs(ee_linear_closeness(DBL_MAX, DBL_MAX / 2 * 1.5) - (1 - 1 / 3.0)) < 1e-15);
  test_random random = test_random_start("number: closeness", 409);
  for (int round = 0; round < 20000; round++) {
    double y = test_random_double(&random), x = y * (test_random_unit(&random) * 3 - 0.5);
    if (y == 0 || !isfinite(x) || fabs(y) < 1e-300) continue;
    long double expected = 1 - fabsl((long double)x - (long double)y) / fabsl((long double)y);
    if (expected < 0) expected = 0;
    double got = ee_linear_closeness(x, y);
    if (!(fabsl((long double)got - expected) <= 4e-16L))
      fail_msg("%a against %a: %.17g, not %.17Lg", x, y, got, expected);
  }
}

/* What another evaluator says of numbers in fields, but for its defects: it reads "1,234.56" as 1, lets 100.01 fail at
 * 0.01, and knows no currency. */
static void agrees_with_known_cases(void **state) {
  (void)state;
  static const struct {
    const char *candidate, *expected;
    double tolerance;
    bool relative, with_money, pass;
  } facts[] = {
      {"1500.5", "1500", 1, false, false, true},
      {"101", "100", 0.02, true, false, true},
      {"1889", "1889", 1, false, false, true},
      {"100.01", "100", 0.01, false, false, true},
      {"0.01", "0", 0.02, true, false, true},
      {"-101", "-100", 0.02, true, false, true},
      {"1500", "1500", 0, false, false, true},
      {"1,234.56", "1234.56", 0.01, false, false, true},
      {"$12.00", "12", 1, false, true, true},
      {"1e999", "5", 1, false, false, false},
      {"(12.00)", "12", 1, false, true, false},
      {"1.234,56", "1234.56", 0.01, false, false, false},
      {"9007199254740993", "9007199254740992", 0.5, false, false, false},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_number_format format = {.decimal = '.', .money = facts[i].with_money};
    ee_number x, y;
    double difference;
    bool readable = ee_number_parse(ee_str_from(facts[i].candidate), format, &arena, &x.value, &x.digits);
    assert_true(ee_number_parse(ee_str_from(facts[i].expected), format, &arena, &y.value, &y.digits));
    bool pass = readable && isfinite(x.value) &&
                ee_numbers_within_tolerance(&x, &y, facts[i].tolerance, facts[i].relative, &difference);
    if (pass != facts[i].pass) fail_msg("'%s' against '%s'", facts[i].candidate, facts[i].expected);
  }
}

static void knows_what_is_not_finite(void **state) {
  (void)state;
  assert_true(ee_within_tolerance(1e300, 2e300, 1e300, true)); /* the bound is beyond the doubles */
  assert_true(ee_within_tolerance(1, 0, INFINITY, true));
  assert_false(ee_within_tolerance(1, 2, 0, false));
  assert_false(ee_within_tolerance(5e-324, 1e-323, 1e-10, true)); /* the bound is nothing */
  assert_true(ee_linear_closeness(INFINITY, 1) == 0 && ee_linear_closeness(1, -INFINITY) == 0);
  assert_true(ee_linear_closeness(NAN, NAN) == 0);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(knows_tolerances),
             cmocka_unit_test(tolerances_are_exact_for_decimals), cmocka_unit_test(tolerances_follow_the_formula),
             cmocka_unit_test(symmetric_closeness_follows_the_formulas), cmocka_unit_test(knows_numbers_past_doubles),
             cmocka_unit_test(tolerances_are_exact_past_doubles), cmocka_unit_test(knows_decimal_differences),
             cmocka_unit_test(knows_scores_at_limits), cmocka_unit_test(knows_linear_closeness),
             cmocka_unit_test(agrees_with_known_cases), cmocka_unit_test(knows_what_is_not_finite));
