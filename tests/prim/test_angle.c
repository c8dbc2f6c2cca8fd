/* test_angle.c: sine, cosine and the angle of a slope against libm, and against Taylor's series in 2,304 bits. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "prim/angle.h"
#include "prim/random_double.h"
#include "support/random.h"

/* Long fixed-point numbers ---------------------------------------------------------------------- */

/* The obvious way: whole numbers of 36 words, in units of 2^-1216, least significant word first. They hold every
 * double from 2^-200 to 2^1024 with 1,000 bits to spare. */
enum { WORDS = 36, UNIT_WORDS = 19 };
typedef struct long_number {
  uint64_t words[WORDS];
} long_number;

static long_number long_from(double value) { /* >= 2^-1000 */
  int exponent;
  uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
  long_number number = {{0}};
  unsigned at = (unsigned)(exponent - 53 + UNIT_WORDS * 64);
  number.words[at / 64] = mantissa << at % 64;
  if (at % 64 != 0) number.words[at / 64 + 1] = mantissa >> (64 - at % 64);
  return number;
}

static int long_compare(const long_number *a, const long_number *b) {
  for (int i = WORDS; i-- > 0;)
    if (a->words[i] != b->words[i]) return a->words[i] < b->words[i] ? -1 : 1;
  return 0;
}

static long_number long_add(const long_number *a, const long_number *b) {
  long_number sum;
  unsigned __int128 carry = 0;
  for (int i = 0; i < WORDS; i++) {
    carry += (unsigned __int128)a->words[i] + b->words[i];
    sum.words[i] = (uint64_t)carry;
    carry >>= 64;
  }
  return sum;
}

static long_number long_subtract(const long_number *a, const long_number *b) { /* a >= b */
  long_number rest;
  uint64_t borrow = 0;
  for (int i = 0; i < WORDS; i++) {
    unsigned __int128 part = (unsigned __int128)a->words[i] - b->words[i] - borrow;
    rest.words[i] = (uint64_t)part;
    borrow = (uint64_t)(part >> 64) != 0;
  }
  return rest;
}

static long_number long_multiply(const long_number *a, const long_number *b) {
  uint64_t product[2 * WORDS] = {0};
  for (int i = 0; i < WORDS; i++) {
    unsigned __int128 carry = 0;
    for (int k = 0; k < WORDS && a->words[i] != 0; k++) {
      carry += (unsigned __int128)a->words[i] * b->words[k] + product[i + k];
      product[i + k] = (uint64_t)carry;
      carry >>= 64;
    }
    if (a->words[i] != 0) product[i + WORDS] = (uint64_t)carry;
  }
  long_number result;
  memcpy(result.words, product + UNIT_WORDS, sizeof result.words);
  return result;
}

static long_number long_divide(long_number number, uint64_t divisor) {
  unsigned __int128 rest = 0;
  for (int i = WORDS; i-- > 0;) {
    rest = rest << 64 | number.words[i];
    number.words[i] = (uint64_t)(rest / divisor);
    rest %= divisor;
  }
  return number;
}

static bool long_is_zero(const long_number *number) {
  for (int i = 0; i < WORDS; i++)
    if (number->words[i] != 0) return false;
  return true;
}

/* The nearest double but for ties, and its error: |value - number| in units of the last place of `value`. */
static double error_of(double value, const long_number *number) {
  if (value == 0) return long_is_zero(number) ? 0 : INFINITY;
  long_number got = long_from(value);
  bool above = long_compare(&got, number) > 0;
  long_number error = above ? long_subtract(&got, number) : long_subtract(number, &got);
  double sum = 0;
  for (int i = WORDS; i-- > 0;) sum += ldexp((double)error.words[i], 64 * (i - UNIT_WORDS));
  int exponent;
  frexp(value, &exponent);
  return ldexp(sum, 53 - exponent);
}

/* 16 atan(1/5) - 4 atan(1/239) (Machin 1706), halved. */
static long_number long_half_pi(void) {
  long_number one = long_from(1), result = {{0}};
  const struct { uint64_t of, times; } parts[] = {{5, 8}, {239, 2}};
  long_number sums[2] = {{{0}}, {{0}}};
  for (int part = 0; part < 2; part++) {
    long_number power = long_divide(one, parts[part].of), added = {{0}}, taken = {{0}};
    for (uint64_t k = 1; !long_is_zero(&power); k += 2) {
      long_number term = long_divide(power, k);
      if (k % 4 == 1)
        added = long_add(&added, &term);
      else
        taken = long_add(&taken, &term);
      power = long_divide(power, parts[part].of * parts[part].of);
    }
    long_number once = long_subtract(&added, &taken);
    for (uint64_t i = 0; i < parts[part].times; i++) sums[part] = long_add(&sums[part], &once);
  }
  result = long_subtract(&sums[0], &sums[1]);
  return result;
}

/* The sine (from = 1) or cosine (from = 0) of `angle`, 0..pi/2. */
static long_number long_series(const long_number *angle, uint64_t from) {
  long_number square = long_multiply(angle, angle), term = from == 1 ? *angle : long_from(1);
  long_number added = {{0}}, taken = {{0}};
  for (uint64_t k = from; !long_is_zero(&term); k += 2) {
    if (k % 4 == from)
      added = long_add(&added, &term);
    else
      taken = long_add(&taken, &term);
    term = long_multiply(&term, &square);
    term = long_divide(term, (k + 1) * (k + 2));
  }
  return long_subtract(&added, &taken);
}

/* What is left of `angle` (> 0) after quarters of a turn: 0..pi/2, and how many modulo 4. */
static long_number long_rest(double angle, const long_number *half_pi, unsigned *quadrant) {
  long_number rest = long_from(angle), multiples[1030];
  int count = 0;
  for (multiples[0] = *half_pi; long_compare(&multiples[count], &rest) <= 0; count++)
    multiples[count + 1] = long_add(&multiples[count], &multiples[count]);
  *quadrant = 0;
  for (int i = count; i-- > 0;) {
    if (long_compare(&multiples[i], &rest) > 0) continue;
    rest = long_subtract(&rest, &multiples[i]);
    if (i < 2) *quadrant += 1u << i;
  }
  return rest;
}

/* Sine and cosine ------------------------------------------------------------------------------- */

/* Angles of all kinds: degrees, within two turns, next to a quarter of a turn, and of any size. */
static double random_angle(test_random *random) {
  uint64_t bits = test_random_bits(random);
  switch (bits % 4) {
  case 0: return (double)(bits >> 8 & 0xffff) / 100 * (M_PI / 180);
  case 1: return (double)(int64_t)bits / 0x1p60;
  case 2: return nextafter((double)(bits >> 8 & 0xffff) * M_PI / 2, (bits & 4) == 0 ? 0 : INFINITY);
  default: return test_random_double(random);
  }
}

static bool is_within_one_ulp(double a, double b) { return a == b || nextafter(a, b) == b; }

static void sine_and_cosine_are_within_an_ulp_of_libm(void **state) {
  (void)state;
  test_random random = test_random_start("sine and cosine", 7301);
  uint64_t others = 0;
  for (int i = 0; i < 2000000; i++) {
    double angle = random_angle(&random), sine, cosine, back, forth;
    ee_sine_and_cosine(angle, &sine, &cosine);
    if (!is_within_one_ulp(sine, sin(angle)) || !is_within_one_ulp(cosine, cos(angle)))
      fail_msg("%a: %a %a, libm %a %a", angle, sine, cosine, sin(angle), cos(angle));
    others += (uint64_t)(sine != sin(angle)) + (uint64_t)(cosine != cos(angle));
    ee_sine_and_cosine(-angle, &back, &forth);
    assert_true(back == -sine && forth == cosine);
  }
  print_message("%" PRIu64 " of 4,000,000 are not libm's\n", others);
}

static void sine_and_cosine_are_nearest(void **state) {
  (void)state;
  test_random random = test_random_start("sine and cosine, exactly", 7302);
  long_number half_pi = long_half_pi();
  for (int i = 0; i < 2000; i++) {
    double angle = fabs(random_angle(&random)), sine, cosine;
    /* The double next to a multiple of pi/2 (Kahan), the largest, and pi/4 with its neighbours. */
    const double hard[] = {0x1.6ac5b262ca1ffp+849,
                           0x1.fffffffffffffp+1023,
                           0x1.921fb54442d18p-1,
                           0x1.921fb54442d19p-1,
                           0x1.921fb54442d18p+0,
                           0x1p1023,
                           0x1p-28,
                           0x1.8259def18dc6cp-1,
                           0x1.818f9d8b18a11p-1,
                           0x1.8ed7244c2e473p-1,
                           0x1.8d8b4e2302022p-1};
    if (i < (int)(sizeof hard / sizeof *hard)) angle = hard[i];
    if (angle < 0x1p-100) continue;
    ee_sine_and_cosine(angle, &sine, &cosine);
    unsigned quadrant;
    long_number rest = long_rest(angle, &half_pi, &quadrant);
    long_number along = long_series(&rest, 0), up = long_series(&rest, 1);
    double want_sine = (quadrant & 2) != 0 ? -sine : sine;
    double want_cosine = quadrant == 1 || quadrant == 2 ? -cosine : cosine;
    double off = error_of(want_sine, quadrant % 2 == 0 ? &up : &along),
           other = error_of(want_cosine, quadrant % 2 == 0 ? &along : &up);
    double most = i >= 7 && i < 11 ? 0.5 : 0.501; /* the last term of the series decides */
    if (!(off < most && other < most)) fail_msg("%a: %a %a, off by %g and %g ulp", angle, sine, cosine, off, other);
  }
}

static void knows_special_angles(void **state) {
  (void)state;
  const double exact[][3] = {
      {0, 0, 1}, {0x1p-1074, 0x1p-1074, 1}, {1e-300, 1e-300, 1}, {M_PI, 0x1.1a62633145c07p-53, -1}};
  double sine, cosine;
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
    ee_sine_and_cosine(exact[i][0], &sine, &cosine);
    assert_true(sine == exact[i][1] && cosine == exact[i][2]);
  }
  ee_sine_and_cosine(-0.0, &sine, &cosine);
  assert_true(sine == 0 && signbit(sine) && cosine == 1);
  const double without[] = {INFINITY, -INFINITY, NAN};
  for (int i = 0; i < 3; i++) {
    ee_sine_and_cosine(without[i], &sine, &cosine);
    assert_true(isnan(sine) && isnan(cosine));
  }
}

/* The angle of a slope -------------------------------------------------------------------------- */

static void slope_angle_is_within_an_ulp_of_libm(void **state) {
  (void)state;
  test_random random = test_random_start("slopes", 7303);
  for (int i = 0; i < 2000000; i++) {
    double rise = fabs(test_random_double(&random)), run = fabs(test_random_double(&random));
    if (i % 3 > 0) rise = ldexp(1 + test_random_unit(&random), (int)test_random_below(&random, 20));
    if (i % 3 > 0) run = i % 3 == 1 ? (double)test_random_below(&random, 100000) : rise * test_random_unit(&random);
    double angle = ee_slope_angle(rise, run);
    if (!is_within_one_ulp(angle, atan2(rise, run)))
      fail_msg("%a / %a: %a, libm %a", rise, run, angle, atan2(rise, run));
  }
}

/* tan(angle + half an ulp) must be above the slope, and tan(angle - half an ulp) below it. */
static void slope_angle_is_nearest(void **state) {
  (void)state;
  test_random random = test_random_start("slopes, exactly", 7304);
  for (int i = 0; i < 1000; i++) {
    double rise = 1 + (double)test_random_below(&random, 100000), run = 1 + (double)test_random_below(&random, 100000);
    if (i % 2 == 0) rise = test_random_unit(&random) + 0x1p-60;
    /* Slopes whose angle is so near the middle of two doubles that the last term of the series decides. */
    static const double hard[] = {0x1.fa94aedaaea71p-5, 0x1.ea44701ec2188p-5, 0x1.fa95bdfee9dd3p-5,
                                  0x1.fc9dfeb509304p-5, 0x1.e48b250891917p-5};
    bool is_hard = i < (int)(sizeof hard / sizeof *hard);
    if (is_hard) {
      rise = hard[i];
      run = 1;
    }
    double angle = ee_slope_angle(rise, run);
    int exponent;
    frexp(angle, &exponent);
    long_number middle = long_from(angle), half = long_from(ldexp(is_hard ? 0.5 : 0.501, exponent - 53));
    long_number high = long_add(&middle, &half), low = long_subtract(&middle, &half), y = long_from(rise),
                x = long_from(run);
    for (int side = 0; side < 2; side++) {
      long_number *at = side == 0 ? &low : &high, sine = long_series(at, 1), cosine = long_series(at, 0);
      sine = long_multiply(&sine, &x);
      cosine = long_multiply(&cosine, &y);
      if (long_compare(&sine, &cosine) != (side == 0 ? -1 : 1)) fail_msg("%a / %a: not %a", rise, run, angle);
    }
  }
}

static void knows_special_slopes(void **state) {
  (void)state;
  assert_true(ee_slope_angle(0, 0) == 0 && ee_slope_angle(0, 5) == 0 && ee_slope_angle(5, 0) == M_PI / 2);
  assert_true(ee_slope_angle(3, 3) == M_PI / 4 && ee_slope_angle(0x1p-1074, 0x1p1023) == 0);
  assert_true(ee_slope_angle(0x1p-1074, 1) == 0x1p-1074 && ee_slope_angle(0x1p-1074, 0x1p-1074) == M_PI / 4);
  assert_true(ee_slope_angle(0x1.fffffffffffffp+1023, 0x1p-1074) == M_PI / 2);
  assert_true(isnan(ee_slope_angle(NAN, 1)) && isnan(ee_slope_angle(1, NAN)));
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(sine_and_cosine_are_within_an_ulp_of_libm),
             cmocka_unit_test(sine_and_cosine_are_nearest), cmocka_unit_test(knows_special_angles),
             cmocka_unit_test(slope_angle_is_within_an_ulp_of_libm), cmocka_unit_test(slope_angle_is_nearest),
             cmocka_unit_test(knows_special_slopes));
