/* test_checked_line.c: no change of a byte, no cut and no other order of lines goes unnoticed. */
#include "data/json/checked_line.h"
#include "data/json/json_reader.h"

static ee_line_check check(ee_str line, uint64_t seed) {
  uint64_t ignored;
  return ee_checked_line_read(line, seed, &ignored);
}

static void test_every_byte(void **state) {
  (void)state;
  ee_buffer out = {0};
  ee_buffer_add_text(&out, "{\"case\":3,\"text\":\"\xc3\xa4\"");
  uint64_t sum = ee_checked_line_end(&out, 0, 7), found;
  assert_int_equal(out.data[out.length - 1], '\n');
  ee_str line = {out.data, out.length - 1};
  assert_true(ee_checked_line_ends(line));
  assert_int_equal(ee_checked_line_read(line, 7, &found), EE_LINE_WHOLE);
  assert_true(found == sum);
  assert_int_equal(check(line, 8), EE_LINE_CHANGED);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  assert_non_null(ee_json_read(&arena, line, NULL, NULL));
  ee_arena_fini(&arena);
  for (size_t i = 0; i < line.length; i++) {
    assert_int_not_equal(check((ee_str){line.data, i}, 7), EE_LINE_WHOLE);
    for (int bit = 0; bit < 8; bit++) {
      out.data[i] = (char)(out.data[i] ^ 1 << bit);
      assert_int_not_equal(check(line, 7), EE_LINE_WHOLE);
      out.data[i] = (char)(out.data[i] ^ 1 << bit);
    }
  }
  ee_buffer_fini(&out);
}

static void test_lines_in_their_order(void **state) {
  (void)state;
  ee_buffer out = {0};
  size_t starts[4] = {0};
  uint64_t seed = 0;
  for (int i = 0; i < 3; i++) {
    ee_buffer_addf(&out, "{\"line\":%d", i);
    seed = ee_checked_line_end(&out, starts[i], seed);
    starts[i + 1] = out.length;
  }
  for (int before = -1; before < 3; before++) {
    uint64_t sum = 0;
    if (before >= 0)
      ee_checked_line_read((ee_str){out.data + starts[before], starts[before + 1] - starts[before] - 1}, 0, &sum);
    for (int i = 0; i < 3; i++) {
      ee_line_check found = check((ee_str){out.data + starts[i], starts[i + 1] - starts[i] - 1}, sum);
      assert_int_equal(found, i == before + 1 ? EE_LINE_WHOLE : EE_LINE_CHANGED);
    }
  }
  ee_buffer_fini(&out);
}

static void test_hash_texts(void **state) {
  (void)state;
  uint64_t value;
  assert_true(ee_read_hash_text(EE_STR("0123456789abcdef"), &value));
  assert_true(value == UINT64_C(0x0123456789abcdef));
  assert_false(ee_read_hash_text(EE_STR("0123456789abcdeF"), &value));
  assert_false(ee_read_hash_text(EE_STR("0123456789abcde"), &value));
  assert_false(ee_read_hash_text(EE_STR("0123456789abcdef0"), &value));
  assert_false(ee_read_hash_text(EE_STR("0123456789abcde "), &value));
  assert_false(ee_read_hash_text(EE_STR(""), &value));
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_every_byte), cmocka_unit_test(test_lines_in_their_order),
             cmocka_unit_test(test_hash_texts));
