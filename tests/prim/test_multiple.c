/* Whole numbers and multiples by decimal value, against 128-bit arithmetic. */
#include "prim/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/random.h"

static void test_whole(void **state) {
  (void)state;
  static const char *const whole[] = {
      "0", "-0", "0.0", "0e-9", "1", "-7.000", "10e-1", "1e300", "1.5e1", "1500e-2", "1E99999999999999999999"};
  static const char *const broken[] = {"0.5", "-1.25", "1e-1", "15e-1", "1500e-3", "0.1e0", "1e-99999999999999999999"};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) assert_true(ee_decimal_is_whole(ee_str_from(whole[i])));
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) assert_false(ee_decimal_is_whole(ee_str_from(broken[i])));
}

static void test_divisors(void **state) {
  (void)state;
  static const char *const bad[] = {"0",
                                    "-1",
                                    "0.0",
                                    "-0.5",
                                    "1234567890123456789",
                                    "1.000000000000000001",
                                    "1e1000000000000001",
                                    "1e-9999999999999999999"};
  ee_divisor divisor;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(ee_divisor_read(ee_str_from(bad[i]), &divisor));
  assert_true(ee_divisor_read(EE_STR("123456789012345678000"), &divisor));
  assert_true(divisor.digits == UINT64_C(123456789012345678) && divisor.exponent == 3);
  assert_true(ee_divisor_read(EE_STR("0.00250"), &divisor));
  assert_true(divisor.digits == 25 && divisor.exponent == -4);
}

static bool divides(const char *divisor, const char *text) {
  ee_divisor read;
  assert_true(ee_divisor_read(ee_str_from(divisor), &read));
  return ee_divisor_divides(&read, ee_str_from(text));
}

static void test_facts(void **state) {
  (void)state;
  assert_true(divides("0.1", "0.3"));
  assert_true(divides("0.01", "-19.99"));
  assert_true(divides("3", "0.0"));
  assert_true(divides("0.0001", "0.0075"));
  assert_true(divides("7", "7e1000000000000000"));
  assert_true(divides("0.5", "1e308"));
  assert_true(divides("999999999999999999", "999999999999999999000000000000000000999999999999999999"));
  assert_false(divides("3", "1e1000000000000000"));
  assert_false(divides("0.0001", "0.00751"));
  assert_false(divides("2", "1e-1000000000000000000000"));
  assert_false(divides("10", "5"));
  assert_false(divides("999999999999999999", "999999999999999999000000000000000000999999999999999998"));
}

/* A random number with up to `digits` digits, as text and as a multiple of 10^-6. */
static __int128 random_number(test_random *random, int digits, char text[64]) {
  __int128 value = 0;
  int count = 1 + (int)test_random_below(random, (size_t)digits), places = (int)test_random_below(random, 7);
  size_t length = 0;
  for (int i = 0; i < count; i++) {
    char digit = (char)('0' + test_random_below(random, test_random_below(random, 2) == 0 ? 10 : 2));
    text[length++] = digit;
    value = value * 10 + (digit - '0');
  }
  length += (size_t)snprintf(text + length, 8, "e-%d", places);
  for (int i = places; i < 6; i++) value *= 10;
  text[length] = '\0';
  return value;
}

static void test_random_numbers(void **state) {
  (void)state;
  test_random random = test_random_start("multiples", 77);
  size_t multiples = 0, whole = 0;
  for (int i = 0; i < 100000; i++) {
    char x_text[64], y_text[64];
    __int128 x = random_number(&random, 24, x_text), y = random_number(&random, 4, y_text);
    assert_int_equal(ee_decimal_is_whole(ee_str_from(x_text)), x % 1000000 == 0);
    whole += x % 1000000 == 0;
    ee_divisor divisor;
    assert_int_equal(ee_divisor_read(ee_str_from(y_text), &divisor), y > 0);
    if (y == 0) continue;
    assert_int_equal(ee_divisor_divides(&divisor, ee_str_from(x_text)), x % y == 0);
    multiples += x % y == 0;
  }
  assert_true(multiples > 1000 && whole > 1000);
}

static void test_hash(void **state) {
  (void)state;
  static const char *const same[][2] = {{"1", "10e-1"}, {"0", "-0.00e7"},  {"-1.50", "-15e-1"},
                                        {"100", "1e2"}, {"0.001", "1E-3"}, {"12.5e1", "125"}};
  static const char *const different[][2] = {{"1", "-1"}, {"1", "10"}, {"12", "21"}, {"0", "1"}, {"1.01", "1.1"}};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    assert_true(ee_decimal_hash(ee_str_from(same[i][0])) == ee_decimal_hash(ee_str_from(same[i][1])));
  for (size_t i = 0; i < sizeof different / sizeof *different; i++)
    assert_true(ee_decimal_hash(ee_str_from(different[i][0])) != ee_decimal_hash(ee_str_from(different[i][1])));
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_whole), cmocka_unit_test(test_divisors), cmocka_unit_test(test_facts),
             cmocka_unit_test(test_random_numbers), cmocka_unit_test(test_hash));
