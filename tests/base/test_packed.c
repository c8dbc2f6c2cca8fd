/* test_packed.c: numbers there and back to the last bit, their sizes, and bytes that were cut or changed. */
#include "base/packed.h"

#include <float.h>
#include <math.h>

#include "support/random.h"

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double random_real(test_random *random) {
  static const double scales[] = {1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7};
  uint64_t bits = test_random_bits(random);
  double value;
  switch (test_random_below(random, 5)) {
  case 0: return (double)test_random_below(random, 3000000) / scales[test_random_below(random, 8)];
  case 1: return -(double)test_random_below(random, 3000) / scales[test_random_below(random, 8)];
  case 2: return (double)(float)(test_random_unit(random) * 4000 - 2000);
  case 3: return test_random_unit(random);
  default: memcpy(&value, &bits, sizeof value); return value;
  }
}

static void test_random_numbers(void **state) {
  (void)state;
  test_random random = test_random_start("packed", 82);
  ee_buffer bytes = {0};
  enum { MOST = 50 };
  for (int round = 0; round < 20000; round++) {
    double reals[MOST];
    uint64_t counts[MOST];
    size_t count = test_random_below(&random, MOST);
    ee_buffer_clear(&bytes);
    for (size_t i = 0; i < count; i++) {
      reals[i] = random_real(&random);
      counts[i] = test_random_bits(&random) >> test_random_below(&random, 64);
      ee_pack_real(&bytes, reals[i]);
      ee_pack_count(&bytes, counts[i]);
      ee_pack_bits(&bytes, counts[i]);
    }
    ee_unpacker from = ee_unpacker_of(&bytes);
    for (size_t i = 0; i < count; i++) {
      double real = ee_unpack_real(&from);
      if (bits_of(real) != bits_of(reals[i])) fail_msg("%a became %a", reals[i], real);
      assert_true(ee_unpack_count(&from) == counts[i]);
      assert_true(ee_unpack_bits(&from) == counts[i]);
    }
    assert_true(!from.failed && from.at == from.end);
    if (count == 0) continue;
    /* Cut anywhere, it is never read to the end. */
    bytes.length = test_random_below(&random, bytes.length);
    from = ee_unpacker_of(&bytes);
    for (size_t i = 0; i < count; i++) {
      ee_unpack_real(&from);
      ee_unpack_count(&from);
      ee_unpack_bits(&from);
    }
    assert_true(from.failed && ee_unpack_bytes(&from, 1) == NULL);
  }
  ee_buffer_fini(&bytes);
}

static size_t size_of(double value) {
  ee_buffer bytes = {0};
  ee_pack_real(&bytes, value);
  size_t size = bytes.length;
  ee_unpacker from = ee_unpacker_of(&bytes);
  assert_true(bits_of(ee_unpack_real(&from)) == bits_of(value) && !from.failed && from.at == from.end);
  ee_buffer_fini(&bytes);
  return size;
}

static void test_sizes(void **state) {
  (void)state;
  assert_int_equal(size_of(0), 1);
  assert_int_equal(size_of(-0.0), 1);
  assert_int_equal(size_of(0.5), 1);
  assert_int_equal(size_of(258), 2);
  assert_int_equal(size_of(0.236), 2);
  assert_int_equal(size_of(258.15), 3);
  assert_int_equal(size_of(-1), 1);
  assert_int_equal(size_of(0x1p30), 5);
  assert_int_equal(size_of(0x1p40), 5); /* as a float */
  assert_int_equal(size_of(0x1p40 + 1), 7);
  assert_int_equal(size_of((double)0.1f), 5);
  assert_int_equal(size_of(0.123456), 3);
  assert_int_equal(size_of(1.0 / 3), 9);
  assert_int_equal(size_of(-DBL_MAX), 9);
  assert_int_equal(size_of(INFINITY), 9);
  assert_int_equal(size_of(NAN), 9);
  assert_int_equal(size_of(0x1p-1074), 9);
}

static void test_mistakes(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t length;
  } rows[] = {{"", 0},
              {"\x80", 1},
              {"\x80\x00", 2},                                  /* a longer 0 */
              {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10}, /* 65 bits */
              {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11},
              {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_buffer bytes = {0};
    ee_buffer_add(&bytes, rows[i].bytes, rows[i].length);
    ee_unpacker from = ee_unpacker_of(&bytes);
    assert_true(ee_unpack_count(&from) == 0 && from.failed);
    assert_true(ee_unpack_real(&from) == 0 && ee_unpack_bits(&from) == 0 && from.failed);
    ee_buffer_fini(&bytes);
  }
  /* A form that no writer writes; more than 64 bits. */
  ee_buffer bytes = {0};
  ee_buffer_add(&bytes, "\x0f\0\0\0\0\0\0\0\0\0", 10);
  ee_unpacker from = ee_unpacker_of(&bytes);
  assert_true(ee_unpack_real(&from) == 0 && from.failed);
  bytes.data[0] = 9;
  from = ee_unpacker_of(&bytes);
  assert_true(ee_unpack_bits(&from) == 0 && from.failed);
  ee_buffer_fini(&bytes);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_random_numbers), cmocka_unit_test(test_sizes),
             cmocka_unit_test(test_mistakes));
