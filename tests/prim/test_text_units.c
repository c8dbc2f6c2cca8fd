/* Slices by UTF-16 units, code points and bytes, against a list of all units made one by one. */
#include "prim/unicode.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* The slow twin: for each unit the byte at which its character begins, and whether it is the first unit of it. */
typedef struct unit_list {
  size_t *byte;
  bool *first;
  size_t count;
} unit_list;

static unit_list list_units(ee_str text, ee_text_unit unit) {
  unit_list list = {calloc(text.length + 1, sizeof(size_t)), calloc(text.length + 1, sizeof(bool)), 0};
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point;
    size_t length = ee_utf8_decode(text.data + at, text.length - at, &code_point);
    size_t units = unit == EE_UNIT_UTF8 ? length : unit == EE_UNIT_UTF16 && code_point > 0xFFFF ? 2 : 1;
    for (size_t i = 0; i < units; i++) {
      list.byte[list.count] = at;
      list.first[list.count++] = i == 0;
    }
    at += length;
  }
  list.byte[list.count] = text.length;
  list.first[list.count] = true;
  return list;
}

static size_t random_text(test_random *random, char *out, size_t characters) {
  static const uint32_t some[] = {'a', ' ', '\n', 0xE9, 0x3B1, 0x4E2D, 0xFFFD, 0x1F642, 0x10FFFF, 0x10000, 0xFFFF};
  size_t kinds = test_random_below(random, 3) == 0 ? 3 : sizeof some / sizeof *some, length = 0;
  for (size_t i = 0; i < characters; i++)
    length += ee_utf8_encode(some[test_random_below(random, kinds)], out + length);
  return length;
}

static void check_text(ee_arena *arena, ee_str text, ee_text_unit unit, test_random *random) {
  ee_unit_index index;
  ee_unit_index_build(&index, arena, text, unit);
  unit_list twin = list_units(text, unit);
  assert_int_equal(index.length, twin.count);
  for (int i = 0; i < 40; i++) {
    size_t start = test_random_below(random, twin.count + 1);
    size_t end = start + test_random_below(random, twin.count - start + 1);
    ee_unit_slice slice = ee_unit_index_slice(&index, start, end);
    assert_int_equal(slice.cuts_start, !twin.first[start]);
    assert_int_equal(slice.cuts_end, !twin.first[end]);
    size_t first = start;
    while (!twin.first[first]) first++;
    size_t from = twin.byte[first], to = twin.byte[end] > from ? twin.byte[end] : from;
    assert_ptr_equal(slice.text.data, text.data + from);
    assert_int_equal(slice.text.length, to - from);
    size_t whole = start;
    while (!twin.first[whole]) whole--;
    assert_int_equal(ee_unit_index_of_byte(&index, twin.byte[whole]), whole);
  }
  assert_int_equal(ee_unit_index_of_byte(&index, text.length), twin.count);
  free(twin.byte);
  free(twin.first);
}

static void test_random_texts(void **state) {
  (void)state;
  test_random random = test_random_start("text_units", 20260101);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  char text[4 * 600];
  for (int i = 0; i < 2000; i++) {
    size_t length = random_text(&random, text, test_random_below(&random, i % 10 == 0 ? 600 : 80));
    for (int unit = EE_UNIT_UTF16; unit <= EE_UNIT_UTF8; unit++)
      check_text(&arena, (ee_str){text, length}, (ee_text_unit)unit, &random);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

static void test_pair_across_a_mark(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  /* A pair at units 63 and 64. */
  char text[128];
  for (int i = 0; i < 63; i++) text[i] = 'a';
  size_t length = 63 + ee_utf8_encode(0x1F642, text + 63);
  text[length++] = 'b';
  ee_unit_index index;
  ee_unit_index_build(&index, &arena, (ee_str){text, length}, EE_UNIT_UTF16);
  assert_int_equal(index.length, 66);
  ee_unit_slice slice = ee_unit_index_slice(&index, 63, 65);
  assert_int_equal(slice.text.length, 4);
  assert_false(slice.cuts_start || slice.cuts_end);
  slice = ee_unit_index_slice(&index, 64, 66);
  assert_true(slice.cuts_start);
  assert_int_equal(slice.text.length, 1);
  slice = ee_unit_index_slice(&index, 64, 64);
  assert_true(slice.cuts_start && slice.cuts_end);
  assert_int_equal(slice.text.length, 0);
  ee_arena_fini(&arena);
}

/* The list of an option, the list for people and the names are one. */
static void test_names(void **state) {
  (void)state;
  char options[64] = "", people[64] = "";
  for (int i = EE_UNIT_UTF16; i <= EE_UNIT_UTF8; i++) {
    const char *name = ee_text_unit_name((ee_text_unit)i);
    ee_text_unit unit = i == EE_UNIT_UTF16 ? EE_UNIT_UTF8 : EE_UNIT_UTF16;
    assert_true(ee_text_unit_find(ee_str_from(name), &unit) && unit == (ee_text_unit)i);
    strcat(strcat(options, i > 0 ? "|" : ""), name);
    strcat(strcat(people, i > 0 ? ", " : ""), name);
  }
  assert_string_equal(options, EE_TEXT_UNITS);
  assert_string_equal(people, EE_TEXT_UNIT_LIST);
  ee_text_unit unit = EE_UNIT_UTF8;
  assert_false(ee_text_unit_find(EE_STR("utf8"), &unit) || ee_text_unit_find((ee_str){NULL, 0}, &unit));
  assert_int_equal(unit, EE_UNIT_UTF8);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_random_texts), cmocka_unit_test(test_pair_across_a_mark),
             cmocka_unit_test(test_names));
