/* test_limits.c: values of options with and without a suffix, how they are printed, and the process's values. */
#include <string.h>

#include "base/limits.h"

static uint64_t parse(ee_bound limit, const char *text) {
  uint64_t value = 1234;
  return ee_bound_parse(limit, text, &value) ? value : 1234;
}

static void test_values(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint64_t value;
  } sizes[] = {{"1", 1},
               {"0", 0},
               {"0K", 0},
               {"100", 100},
               {"64K", 64 << 10},
               {"100M", (uint64_t)100 << 20},
               {"2G", (uint64_t)2 << 30},
               {"1T", (uint64_t)1 << 40},
               {"1024T", (uint64_t)1 << 50},
               {"1125899906842624", (uint64_t)1 << 50}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    assert_int_equal(parse(EE_BOUND_RECORD, sizes[i].text), sizes[i].value);
  assert_int_equal(parse(EE_BOUND_ITEMS, "100000"), 100000);
  assert_int_equal(parse(EE_BOUND_ITEMS, "0"), 0);
  assert_int_equal(parse(EE_BOUND_ITEMS, "9223372036854775807"), INT64_MAX);
  assert_int_equal(parse(EE_BOUND_TIMEOUT, "1000000"), 1000000);
}

static void test_values_that_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"",
                                    "K",
                                    "-1",
                                    "+1",
                                    "1.5",
                                    "1.5G",
                                    " 1",
                                    "1 ",
                                    "1k",
                                    "1KB",
                                    "1P",
                                    "1 G",
                                    "0x10",
                                    "1e6",
                                    "G1",
                                    "1025T",
                                    "1KK",
                                    "abc",
                                    "1M1",
                                    "99999999999999999999999",
                                    "18446744073709551616",
                                    "1125899906842625",
                                    "17179869184G"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_int_equal(parse(EE_BOUND_MEMORY, bad[i]), 1234);
  assert_int_equal(parse(EE_BOUND_ITEMS, "1K"), 1234);
  assert_int_equal(parse(EE_BOUND_ITEMS, "9223372036854775808"), 1234);
  assert_int_equal(parse(EE_BOUND_TIMEOUT, "1000001"), 1234);
}

static void test_texts(void **state) {
  (void)state;
  static const struct {
    uint64_t bytes;
    const char *text, *value;
  } rows[] = {{1, "1 bytes", "1"},
              {1000, "1000 bytes", "1000"},
              {1024, "1 KiB", "1K"},
              {1025, "1025 bytes", "1025"},
              {64 << 20, "64 MiB", "64M"},
              {(64 << 20) + 1024, "65537 KiB", "65537K"},
              {(uint64_t)3 << 30, "3 GiB", "3G"},
              {(uint64_t)1 << 50, "1048576 GiB", "1048576G"}};
  char out[EE_BOUND_TEXT];
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_string_equal(ee_size_text(rows[i].bytes, out), rows[i].text);
    assert_string_equal(ee_bound_value_text(EE_BOUND_FILE, rows[i].bytes, out), rows[i].value);
    assert_int_equal(parse(EE_BOUND_FILE, out), rows[i].bytes);
  }
  assert_string_equal(ee_bound_value_text(EE_BOUND_ITEMS, 4096, out), "4096");
  assert_string_equal(ee_bound_value_text(EE_BOUND_FILE, 0, out), "0");
}

static void test_values_of_the_process(void **state) {
  (void)state;
  assert_int_equal(ee_bound_of(EE_BOUND_RECORD), 64 << 20);
  assert_int_equal(ee_limits_get()->timeout, 20);
  ee_limits others = *ee_limits_get();
  others.record = 1 << 20;
  others.pairs = 0;
  ee_limits_set(&others);
  char out[EE_BOUND_MESSAGE];
  assert_int_equal(ee_bound_of(EE_BOUND_RECORD), 1 << 20);
  assert_string_equal(ee_bound_message(EE_BOUND_RECORD, out), ", more than 1 MiB (--max-record)");
  assert_string_equal(ee_bound_message(EE_BOUND_TIMEOUT, out), ", more than 20 s (--timeout)");
  assert_string_equal(ee_bound_message(EE_BOUND_ITEMS, out), ", more than 100000 (--max-items)");
  assert_true(ee_bound_size(EE_BOUND_PAIRS) == SIZE_MAX / 4);
  ee_limits_set(NULL);
}

static void test_every_bound_has_a_row(void **state) {
  (void)state;
  for (int i = 0; i < EE_BOUND_COUNT; i++) {
    const ee_bound_row *row = &ee_bound_rows[i];
    uint64_t usual = ee_bound_of((ee_bound)i);
    assert_true(row->option != NULL && row->what != NULL && row->beyond != NULL);
    assert_true(usual > 0 && usual <= row->max);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_values), cmocka_unit_test(test_values_that_are_refused),
             cmocka_unit_test(test_texts), cmocka_unit_test(test_values_of_the_process),
             cmocka_unit_test(test_every_bound_has_a_row));
