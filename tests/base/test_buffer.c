/* test_buffer.c: everything that was appended is there, in order, however the buffer grew. */

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/exits.h"
#include "support/random.h"

static void assert_buffer_is(ee_buffer *buffer, const char *text) {
  assert_int_equal(buffer->length, strlen(text));
  assert_string_equal(ee_buffer_terminate(buffer), text);
}

static void test_empty(void **state) {
  (void)state;
  ee_buffer buffer = {0};
  ee_buffer_add(&buffer, NULL, 0);
  ee_buffer_add_str(&buffer, (ee_str){NULL, 0});
  ee_buffer_add_text(&buffer, "");
  ee_buffer_addf(&buffer, "%s", "");
  assert_non_null(ee_buffer_reserve(&buffer, 0));
  assert_buffer_is(&buffer, "");
  ee_buffer_fini(&buffer);
  assert_null(buffer.data);
  ee_buffer_fini(&buffer);
}

static void test_each_kind(void **state) {
  (void)state;
  ee_buffer buffer;
  ee_buffer_init(&buffer);
  ee_buffer_add_text(&buffer, "one");
  ee_buffer_add_char(&buffer, ',');
  ee_buffer_add_str(&buffer, EE_STR("two"));
  ee_buffer_addf(&buffer, "%c%d%s", ';', -3, "!");
  ee_buffer_add_u64(&buffer, 45);
  ee_buffer_add(&buffer, "six", 2);
  assert_buffer_is(&buffer, "one,two;-3!45si");
  ee_buffer_add(&buffer, "\0x", 2);
  assert_int_equal(buffer.length, 17);
  assert_memory_equal(buffer.data, "one,two;-3!45si\0x", 17);
  ee_buffer_clear(&buffer);
  assert_buffer_is(&buffer, "");
  ee_buffer_fini(&buffer);
}

static void test_terminate_does_not_count(void **state) {
  (void)state;
  ee_buffer buffer;
  ee_buffer_init(&buffer);
  for (size_t i = 0; i < 3000; i++) {
    assert_int_equal(strlen(ee_buffer_terminate(&buffer)), i);
    assert_int_equal(buffer.length, i);
    ee_buffer_add_char(&buffer, 'x');
  }
  ee_buffer_fini(&buffer);
}

static void test_numbers(void **state) {
  (void)state;
  test_random random = test_random_start("buffer numbers", 41);
  ee_buffer buffer;
  ee_buffer_init(&buffer);
  for (int i = 0; i < 5000; i++) {
    unsigned long long value = test_random_bits(&random) >> test_random_below(&random, 64);
    if (i == 0) value = 0;
    if (i == 1) value = ULLONG_MAX;
    char text[32];
    snprintf(text, sizeof(text), "%llu", value);
    ee_buffer_clear(&buffer);
    ee_buffer_add_u64(&buffer, value);
    assert_buffer_is(&buffer, text);
  }
  ee_buffer_fini(&buffer);
}

static void test_format_of_every_length_at_every_fill(void **state) {
  (void)state;
  ee_buffer buffer;
  char text[600];
  char expected[1300];
  for (size_t filled = 0; filled < 600; filled += 37) {
    for (size_t length = 0; length < sizeof(text); length++) {
      memset(text, 'y', length);
      text[length] = '\0';
      ee_buffer_init(&buffer);
      ee_buffer_add_char(&buffer, '<');
      for (size_t i = 0; i < filled; i++) ee_buffer_add_char(&buffer, 'x');
      ee_buffer_addf(&buffer, "%s%u", text, 7u);
      memset(expected, 'x', filled + 1);
      expected[0] = '<';
      snprintf(expected + filled + 1, sizeof(expected) - filled - 1, "%s7", text);
      assert_buffer_is(&buffer, expected);
      ee_buffer_fini(&buffer);
    }
  }
}

static void test_random_appends(void **state) {
  (void)state;
  enum { LIMIT = 60000 };
  static char twin[LIMIT + 2000];
  test_random random = test_random_start("buffer", 42);
  ee_buffer buffer;
  ee_buffer_init(&buffer);
  for (int round = 0; round < 20; round++) {
    size_t length = 0;
    ee_buffer_clear(&buffer);
    while (length < LIMIT) {
      size_t size = test_random_below(&random, 1000);
      char *part = twin + length;
      for (size_t i = 0; i < size; i++) part[i] = (char)test_random_bits(&random);
      if (test_random_below(&random, 2) == 0) {
        ee_buffer_add(&buffer, part, size);
      } else {
        memcpy(ee_buffer_reserve(&buffer, size + 50), part, size);
        buffer.length += size;
      }
      length += size;
    }
    assert_int_equal(buffer.length, length);
    assert_memory_equal(buffer.data, twin, length);
  }
  ee_buffer_fini(&buffer);
}

static void test_clear_keeps_the_memory(void **state) {
  (void)state;
  ee_buffer buffer;
  ee_buffer_init(&buffer);
  for (int i = 0; i < 1000; i++) ee_buffer_add_text(&buffer, "0123456789");
  const char *data = buffer.data;
  size_t capacity = buffer.capacity;
  ee_buffer_clear(&buffer);
  for (int i = 0; i < 1000; i++) ee_buffer_addf(&buffer, "%d", i % 10);
  assert_ptr_equal(buffer.data, data);
  assert_int_equal(buffer.capacity, capacity);
  ee_buffer_fini(&buffer);
}

/* Without memory nothing is added, and what is there stays. */
static void test_impossible_size_is_refused(void **state) {
  (void)state;
  static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 2, SIZE_MAX / 2, SIZE_MAX / 4};
  ee_buffer buffer = {0};
  for (size_t i = 0; i < 4; i++) assert_false(ee_buffer_try_add(&buffer, "", sizes[i]));
  assert_int_equal(buffer.length, 0);
  assert_true(ee_buffer_try_add(&buffer, "abc", 3));
  assert_true(ee_buffer_try_add(&buffer, NULL, 0));
  for (size_t i = 0; i < 4; i++) assert_false(ee_buffer_try_add(&buffer, "", sizes[i]));
  assert_buffer_is(&buffer, "abc");
  ee_buffer_fini(&buffer);
}

static void reserve_too_much(void) {
  ee_buffer buffer = {0};
  ee_buffer_add_char(&buffer, 'x');
  ee_buffer_reserve(&buffer, SIZE_MAX);
}

static void test_impossible_size_ends_the_process(void **state) {
  (void)state;
  assert_ends_without_memory(reserve_too_much);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_empty), cmocka_unit_test(test_each_kind),
             cmocka_unit_test(test_terminate_does_not_count), cmocka_unit_test(test_numbers),
             cmocka_unit_test(test_format_of_every_length_at_every_fill), cmocka_unit_test(test_random_appends),
             cmocka_unit_test(test_clear_keeps_the_memory), cmocka_unit_test(test_impossible_size_is_refused),
             cmocka_unit_test(test_impossible_size_ends_the_process));
