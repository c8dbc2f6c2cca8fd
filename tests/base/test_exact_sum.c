/* test_exact_sum.c: exact sums against a long sum bit by bit, in any order and any parts. */
#include "base/exact_sum.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "support/random.h"

enum { ROUNDS = 4000, MOST = 40, BITS = 2300, LOWEST = -1074 };

/* A sum as bits, the lowest first, two's complement: doubles are added at their place, bit after bit. */
typedef struct long_sum {
  signed char bits[BITS];
} long_sum;

static void add_bit(long_sum *sum, size_t at) {
  while (at < BITS && sum->bits[at] == 1) sum->bits[at++] = 0;
  if (at < BITS) sum->bits[at] = 1;
}

static void take_bit(long_sum *sum, size_t at) {
  while (at < BITS && sum->bits[at] == 0) sum->bits[at++] = 1;
  if (at < BITS) sum->bits[at] = 0;
}

static void slow_add(long_sum *sum, double value) {
  for (double left = fabs(value); left > 0;) {
    int exponent;
    frexp(left, &exponent);
    double highest = ldexp(1, exponent - 1);
    (value > 0 ? add_bit : take_bit)(sum, (size_t)(exponent - 1 - LOWEST));
    left -= highest;
  }
}

static double slow_value(long_sum sum) {
  bool negative = sum.bits[BITS - 1] == 1;
  if (negative) {
    for (size_t i = 0; i < BITS; i++) sum.bits[i] = !sum.bits[i];
    add_bit(&sum, 0);
  }
  size_t top = BITS;
  while (top > 0 && sum.bits[top - 1] == 0) top--;
  if (top == 0) return 0;
  size_t low = top > 53 ? top - 53 : 0;
  bool half = low > 0 && sum.bits[low - 1] == 1, more = false;
  for (size_t i = 0; i + 1 < low; i++) more = more || sum.bits[i] == 1;
  if (half && (more || sum.bits[low] == 1)) add_bit(&sum, low);
  double value = 0;
  for (size_t i = low; i < BITS; i++)
    if (sum.bits[i] == 1) value += ldexp(1, (int)i + LOWEST);
  return negative ? -value : value;
}

static double random_value(test_random *random, size_t kind) {
  double value = test_random_unit(random) - 0.5;
  switch (kind) {
  case 0: return value;
  case 1: return value * 1e6;
  case 2: return ldexp(value, (int)test_random_below(random, 2000) - 1000);
  case 3: return ldexp(value < 0 ? -1 : 1, (int)test_random_below(random, 120) - 60);
  case 4: return (value < 0 ? -0x1p-1074 : 0x1p-1074) * (double)test_random_below(random, 5);
  default: return (value < 0 ? -1 : 1) * 0x1.fffffffffffffp1023;
  }
}

static void check_double(double got, double expected) {
  if (memcmp(&got, &expected, sizeof got) != 0) fail_msg("got %a, expected %a", got, expected);
}

static void test_random_sums(void **state) {
  (void)state;
  test_random random = test_random_start("exact sums", 71);
  for (int round = 0; round < ROUNDS; round++) {
    ee_exact_sum whole = {0}, parts[3] = {{{0}, 0}};
    static long_sum slow;
    memset(&slow, 0, sizeof slow);
    size_t kind = test_random_below(&random, 6), count = test_random_below(&random, MOST);
    for (size_t i = 0; i < count; i++) {
      double value = random_value(&random, kind);
      size_t times = 1 + test_random_below(&random, 3);
      ee_exact_sum_add(&whole, value, times);
      ee_exact_sum_add(&parts[test_random_below(&random, 3)], value, times);
      for (size_t k = 0; k < times; k++) slow_add(&slow, value);
    }
    double expected = slow_value(slow);
    check_double(ee_exact_sum_value(&whole), expected);
    ee_exact_sum_merge(&parts[2], &parts[0]);
    ee_exact_sum_merge(&parts[2], &parts[1]);
    check_double(ee_exact_sum_value(&parts[2]), expected);
    /* After carries equal sums have equal limbs. */
    ee_exact_sum_carry(&parts[2]);
    ee_exact_sum_carry(&whole);
    assert_memory_equal(&parts[2], &whole, sizeof whole);
  }
}

static void test_corners(void **state) {
  (void)state;
  ee_exact_sum sum = {0};
  check_double(ee_exact_sum_value(&sum), 0);
  for (int i = 0; i < 10; i++) ee_exact_sum_add(&sum, 0.1, 1);
  check_double(ee_exact_sum_value(&sum), 1); /* though adding them up one by one is not */
  ee_exact_sum_add(&sum, 1e308, 10);
  assert_true(isinf(ee_exact_sum_value(&sum)));
  ee_exact_sum_add(&sum, -1e308, 10);
  check_double(ee_exact_sum_value(&sum), 1);
  ee_exact_sum_add(&sum, -0.1, 10);
  check_double(ee_exact_sum_value(&sum), 0);
  ee_exact_sum_add(&sum, 0x1.fffffffffffffp1023, UINT64_MAX);
  ee_exact_sum_add(&sum, -0x1.fffffffffffffp1023, UINT64_MAX - 1);
  check_double(ee_exact_sum_value(&sum), 0x1.fffffffffffffp1023);
}

/* Carries come in time: more terms than fit into a limb without them. */
static void test_carries(void **state) {
  (void)state;
  ee_exact_sum sum = {0};
  const size_t rounds = 40;
  for (size_t i = 0; i < rounds; i++) {
    ee_exact_sum doubled = sum;
    ee_exact_sum_add(&sum, -0x1.fffffffffffffp-1000, UINT64_MAX >> i);
    ee_exact_sum_merge(&sum, &doubled);
    ee_exact_sum_add(&sum, 0x1.fffffffffffffp-1000, UINT64_MAX >> i);
  }
  check_double(ee_exact_sum_value(&sum), 0);
}

/* As many additions as a limb has room for: what then carries is the same sum. */
static void test_carries_in_time(void **state) {
  (void)state;
  ee_exact_sum sum = {0}, other;
  const double value = 0x1.fffffffffffffp-22;
  ee_exact_sum_add(&sum, value, UINT64_MAX);
  for (int i = 0; i < 26; i++) { /* 2^27 - 1 additions and merges */
    other = sum;
    ee_exact_sum_merge(&sum, &other);
  }
  assert_int_equal(sum.uncarried, (1 << 27) - 1);
  other = sum;
  ee_exact_sum_add(&sum, -value, UINT64_MAX);
  assert_int_equal(sum.uncarried, 0);
  ee_exact_sum_merge(&other, &(ee_exact_sum){0});
  assert_int_equal(other.uncarried, 0);
  ee_exact_sum_add(&sum, value, UINT64_MAX);
  assert_memory_equal(&(double){ee_exact_sum_value(&sum)}, &(double){ee_exact_sum_value(&other)}, sizeof(double));
  /* 2^26 times what one addition is. */
  ee_exact_sum one = {0};
  ee_exact_sum_add(&one, value, UINT64_MAX);
  assert_true(ee_exact_sum_value(&sum) == ldexp(ee_exact_sum_value(&one), 26));
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_carries_in_time), cmocka_unit_test(test_random_sums),
             cmocka_unit_test(test_corners), cmocka_unit_test(test_carries));
