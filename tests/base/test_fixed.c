/* test_fixed.c: exact sums against schoolbook arithmetic and against vectors from a rational-number library. */

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "support/random.h"

static void assert_same_double(double got, double expected) {
  if (memcmp(&got, &expected, sizeof(got)) != 0) fail_msg("got %a, expected %a", got, expected);
}

/* Scaling by a power of two upwards is exact, and nearbyint() rounds ties to even. */
static __int128 slow_from(double value) { return (__int128)nearbyint(ldexp(value, 60)); }

/* Long division by hand, one bit at a time: 53 bits from the first that is set, then round half to even. */
static double slow_mean(__int128 units, uint64_t count) {
  if (units == 0) return 0.0;
  unsigned __int128 magnitude = units < 0 ? -(unsigned __int128)units : (unsigned __int128)units;
  unsigned __int128 remainder = 0;
  uint64_t mantissa = 0;
  int bits = 0;
  int weight = 127; /* of the bit that comes next, in units */
  while (bits < 53) {
    remainder = remainder << 1 | (weight >= 0 ? magnitude >> weight & 1 : 0);
    bool bit = remainder >= count;
    if (bit) remainder -= count;
    if (bits > 0 || bit) {
      mantissa = mantissa << 1 | bit;
      bits += 1;
    }
    weight -= 1;
  }
  /* One more bit decides, and whether anything follows it. */
  remainder = remainder << 1 | (weight >= 0 ? magnitude >> weight & 1 : 0);
  bool half = remainder >= count;
  if (half) remainder -= count;
  bool more = remainder != 0 || (weight > 0 && (magnitude & (((unsigned __int128)1 << weight) - 1)) != 0);
  if (half && (more || (mantissa & 1) != 0)) mantissa += 1;
  double value = ldexp((double)mantissa, weight + 1 - 60);
  return units < 0 ? -value : value;
}

static double random_double(test_random *random, int lowest, int highest) {
  int exponent = lowest + (int)test_random_below(random, (size_t)(highest - lowest + 1));
  double value = ldexp(test_random_unit(random) + 1.0, exponent);
  /* Few bits make ties likely. */
  if (test_random_below(random, 3) == 0) value = ldexp(1.0 + (double)test_random_below(random, 16) / 16, exponent);
  return test_random_below(random, 2) == 0 ? value : -value;
}

static __int128 random_units(test_random *random) {
  unsigned __int128 units = (unsigned __int128)test_random_bits(random) << 64 | test_random_bits(random);
  units >>= 2 + test_random_below(random, 126);
  /* Many zeros, or many ones, below the top make ties and near ties. */
  size_t low = test_random_below(random, 128);
  if (test_random_below(random, 3) == 0) units = units >> low << low;
  if (test_random_below(random, 4) == 0) units += 1;
  if (test_random_below(random, 4) == 0 && units > 0) units -= 1;
  return test_random_below(random, 2) == 0 ? (__int128)units : -(__int128)units;
}

static void test_from_against_twin(void **state) {
  (void)state;
  test_random random = test_random_start("fixed from", 21);
  for (int i = 0; i < 50000; i++) {
    double value = random_double(&random, -70, 59);
    assert_true(ee_fixed_from(value).units == slow_from(value));
  }
}

static void test_from_at_the_edges(void **state) {
  (void)state;
  assert_true(ee_fixed_from(0.0).units == 0);
  assert_true(ee_fixed_from(-0.0).units == 0);
  assert_true(ee_fixed_from(1.0).units == (__int128)1 << 60);
  assert_true(ee_fixed_from(-1.0).units == -((__int128)1 << 60));
  assert_true(ee_fixed_from(0x1p-60).units == 1);
  assert_true(ee_fixed_from(0x1p-61).units == 0);
  assert_true(ee_fixed_from(0x1.0000000000001p-61).units == 1);
  assert_true(ee_fixed_from(-0x1.0000000000001p-61).units == -1);
  assert_true(ee_fixed_from(0x3p-61).units == 2);
  assert_true(ee_fixed_from(0x5p-61).units == 2);
  assert_true(ee_fixed_from(0x1.fffffffffffffp-62).units == 0);
  assert_true(ee_fixed_from(0x1p-1074).units == 0);
  assert_true(ee_fixed_from(-0x1p-1022).units == 0);
  assert_true(ee_fixed_from(0x1.fffffffffffffp+59).units == ((__int128)1 << 120) - ((__int128)1 << 67));
  assert_true(ee_fixed_from(1.0 / 3).units == (__int128)0x15555555555555 << 6);
  /* What is too large saturates. */
  const __int128 largest = (__int128)1 << 120;
  assert_true(ee_fixed_from(0x1p60).units == largest && ee_fixed_from(-0x1.8p60).units == -largest);
  assert_true(ee_fixed_from(1e300).units == largest && ee_fixed_from(-INFINITY).units == -largest);
  assert_true(ee_fixed_from(NAN).units == 0 && ee_fixed_from(-NAN).units == 0);
}

static void test_vectors(void **state) {
  (void)state;
  static const struct {
    bool negative;
    uint64_t high, low, count;
    double mean;
  } cases[] = {
      {true, UINT64_C(0x0), UINT64_C(0xa69e0d37f2a74de4), UINT64_C(9007199254740993), -0x1.4d3c1a6fe54e9p-50},
      {false, UINT64_C(0x0), UINT64_C(0xdd9dc), UINT64_C(7), 0x1.fa8d249249249p-44},
      {false, UINT64_C(0x0), UINT64_C(0x1), UINT64_C(2), 0x1.0000000000000p-61},
      {true, UINT64_C(0x243064d3ac94af), UINT64_C(0xf21ddb66cad4a26), UINT64_C(692448538714), -0x1.cbb483babd4d0p+17},
      {true, UINT64_C(0x257982bd93bd04cf), UINT64_C(0xfd630f1f29d0da9), UINT64_C(1), -0x1.2bcc15ec9de82p+65},
      {true, UINT64_C(0x3ad32c4a23d596), UINT64_C(0x2217beaddbc496cb), UINT64_C(10), -0x1.787ab50db223cp+54},
      {false, UINT64_C(0x2698762e44158b), UINT64_C(0xae97ba94d0eda82f), UINT64_C(1000), 0x1.3c2cbde581b6ap+47},
      {false, UINT64_C(0x0), UINT64_C(0x8c38f), UINT64_C(18446744073709551615), 0x1.1871e00000000p-105},
      {false, UINT64_C(0x0), UINT64_C(0x2b8bac7f150524), UINT64_C(1000003), 0x1.6d492f6932dc9p-27},
      {true, UINT64_C(0x332f61eb5c90a958), UINT64_C(0x7403e430ec66a787), UINT64_C(7), -0x1.d3fa5ab1052aap+62},
      {true, UINT64_C(0x0), UINT64_C(0x930d6), UINT64_C(1000), -0x1.2d29ba5e353f8p-51},
      {true, UINT64_C(0x3ebb2f4), UINT64_C(0x9be4bcfc49b64a08), UINT64_C(3), -0x1.4e90fc33f6e9bp+28},
      {false, UINT64_C(0x0), UINT64_C(0xeeeacbe226e87555), UINT64_C(1056730348696), 0x1.f12de47989ff5p-37},
      {false, UINT64_C(0x0), UINT64_C(0xc3bae), UINT64_C(1000), 0x1.90dae147ae148p-51},
      {false, UINT64_C(0x0), UINT64_C(0x400000000000020), UINT64_C(1), 0x1.0000000000000p-2},
      {false, UINT64_C(0x0), UINT64_C(0x400000000000060), UINT64_C(1), 0x1.0000000000002p-2},
      {false, UINT64_C(0x0), UINT64_C(0x400000000000021), UINT64_C(1), 0x1.0000000000001p-2},
      {false, UINT64_C(0x0), UINT64_C(0x40000000000001f), UINT64_C(1), 0x1.0000000000000p-2},
      {false, UINT64_C(0x0), UINT64_C(0xc0000000000006), UINT64_C(3), 0x1.0000000000000p-6},
      {false, UINT64_C(0x0), UINT64_C(0xc0000000000007), UINT64_C(3), 0x1.0000000000001p-6},
      {false, UINT64_C(0x0), UINT64_C(0xc0000000000005), UINT64_C(3), 0x1.0000000000000p-6},
      {true, UINT64_C(0x8000000000000000), UINT64_C(0x0), UINT64_C(1), -0x1.0000000000000p+67},
      {false, UINT64_C(0x7fffffffffffffff), UINT64_C(0xffffffffffffffff), UINT64_C(1), 0x1.0000000000000p+67},
      {false, UINT64_C(0x7fffffffffffffff), UINT64_C(0xffffffffffffffff), UINT64_C(18446744073709551615),
       0x1.0000000000000p+3},
      {false, UINT64_C(0x0), UINT64_C(0x1), UINT64_C(18446744073709551615), 0x1.0000000000000p-124},
      {true, UINT64_C(0x8000000000000000), UINT64_C(0x0), UINT64_C(18446744073709551615), -0x1.0000000000000p+3},
      {false, UINT64_C(0x0), UINT64_C(0x1000000000000000), UINT64_C(3), 0x1.5555555555555p-2},
      {false, UINT64_C(0x0), UINT64_C(0x2000000000000000), UINT64_C(3), 0x1.5555555555555p-1},
      {false, UINT64_C(0x0), UINT64_C(0xfffffffffffffff), UINT64_C(1), 0x1.0000000000000p+0},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    unsigned __int128 magnitude = (unsigned __int128)cases[i].high << 64 | cases[i].low;
    ee_fixed sum = {(__int128)(cases[i].negative ? -magnitude : magnitude)};
    assert_same_double(ee_fixed_mean(sum, cases[i].count), cases[i].mean);
    assert_same_double(slow_mean(sum.units, cases[i].count), cases[i].mean);
    if (cases[i].count == 1) assert_same_double(ee_fixed_value(sum), cases[i].mean);
  }
}

static void test_mean_against_twin(void **state) {
  (void)state;
  test_random random = test_random_start("fixed mean", 22);
  for (int i = 0; i < 50000; i++) {
    ee_fixed sum = {random_units(&random)};
    uint64_t count = test_random_bits(&random) >> test_random_below(&random, 64);
    if (count == 0) count = 1;
    assert_same_double(ee_fixed_mean(sum, count), slow_mean(sum.units, count));
    assert_same_double(ee_fixed_value(sum), slow_mean(sum.units, 1));
  }
}

/* Exact products of a count and a tie: the quotient is a tie without any remainder. */
static void test_mean_of_exact_ties(void **state) {
  (void)state;
  test_random random = test_random_start("fixed ties", 23);
  for (int i = 0; i < 20000; i++) {
    uint64_t mantissa = test_random_bits(&random) >> 11 | UINT64_C(1) << 52;
    int surplus = 1 + (int)test_random_below(&random, 40);
    unsigned __int128 tie = ((unsigned __int128)mantissa << surplus) + ((unsigned __int128)1 << (surplus - 1));
    uint64_t count = 1 + test_random_below(&random, (size_t)1 << (73 - 40));
    ee_fixed sum = {(__int128)(tie * count)};
    double even = ldexp((double)(mantissa + (mantissa & 1)), surplus - 60);
    assert_same_double(ee_fixed_mean(sum, count), even);
    assert_same_double(ee_fixed_mean((ee_fixed){-sum.units}, count), -even);
  }
}

/* The quotient's bits are a tie, and only the remainder of the division shows on which side of it the mean lies. */
static void test_mean_beside_ties(void **state) {
  (void)state;
  test_random random = test_random_start("fixed beside ties", 26);
  for (int i = 0; i < 20000; i++) {
    uint64_t mantissa = test_random_bits(&random) >> 11 | UINT64_C(1) << 52;
    uint64_t tie = mantissa << 10 | UINT64_C(1) << 9;
    uint64_t count = test_random_bits(&random) | UINT64_C(1) << 63;
    __int128 units = (__int128)((unsigned __int128)tie * count);
    double below = ldexp((double)mantissa, 10 - 60);
    double above = ldexp((double)(mantissa + 1), 10 - 60);
    assert_same_double(ee_fixed_mean((ee_fixed){units + 1}, count), above);
    assert_same_double(ee_fixed_mean((ee_fixed){units - 1}, count), below);
    assert_same_double(ee_fixed_mean((ee_fixed){units}, count), (mantissa & 1) != 0 ? above : below);
    assert_same_double(slow_mean(units + 1, count), above);
    assert_same_double(slow_mean(units - 1, count), below);
  }
}

static void test_doubles_survive(void **state) {
  (void)state;
  test_random random = test_random_start("fixed round trip", 24);
  for (int i = 0; i < 20000; i++) {
    /* From 2^-8 upwards a double is a whole number of 2^-60. */
    double value = random_double(&random, -8, 59);
    assert_same_double(ee_fixed_value(ee_fixed_from(value)), value);
    uint64_t count = 1 + test_random_below(&random, 64);
    ee_fixed sum = {0};
    for (uint64_t k = 0; k < count; k++) ee_fixed_add(&sum, ee_fixed_from(value));
    assert_same_double(ee_fixed_mean(sum, count), value);
  }
}

static void test_order_and_split_do_not_matter(void **state) {
  (void)state;
  enum { TERMS = 400, ROUNDS = 50 };
  test_random random = test_random_start("fixed order", 25);
  double values[TERMS];
  for (int i = 0; i < TERMS; i++) values[i] = random_double(&random, -60, 20);
  ee_fixed forward = {0};
  for (int i = 0; i < TERMS; i++) ee_fixed_add(&forward, ee_fixed_from(values[i]));
  for (int round = 0; round < ROUNDS; round++) {
    ee_fixed parts[5] = {{0}};
    for (size_t i = TERMS; i > 0; i--) {
      size_t pick = test_random_below(&random, i);
      double value = values[pick];
      values[pick] = values[i - 1];
      values[i - 1] = value;
      ee_fixed_add(&parts[test_random_below(&random, 5)], ee_fixed_from(value));
    }
    ee_fixed whole = {0};
    for (size_t i = 0; i < 5; i++) ee_fixed_add(&whole, parts[i]);
    assert_true(whole.units == forward.units);
  }
}

static void test_known_means(void **state) {
  (void)state;
  ee_fixed tenths = {0};
  for (int i = 0; i < 10; i++) ee_fixed_add(&tenths, ee_fixed_from(0.1));
  assert_same_double(ee_fixed_value(tenths), 1.0); /* a loop over doubles gives 0.9999999999999999 */
  assert_same_double(ee_fixed_mean(tenths, 10), 0.1);
  ee_fixed two = ee_fixed_from(2.0);
  assert_same_double(ee_fixed_mean(two, 3), 2.0 / 3);
  assert_same_double(ee_fixed_value((ee_fixed){0}), 0.0);
  assert_same_double(ee_fixed_mean(two, 0), 0.0);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_from_against_twin), cmocka_unit_test(test_from_at_the_edges),
             cmocka_unit_test(test_vectors), cmocka_unit_test(test_mean_against_twin),
             cmocka_unit_test(test_mean_of_exact_ties), cmocka_unit_test(test_mean_beside_ties),
             cmocka_unit_test(test_doubles_survive), cmocka_unit_test(test_known_means),
             cmocka_unit_test(test_order_and_split_do_not_matter));
