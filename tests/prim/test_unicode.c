/* test_unicode.c: offsets in units of a text, and its width on a terminal. */
#include <stdlib.h>
#include <string.h>

#include "prim/unicode.h"
#include "support/random.h"

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

/* Width ----------------------------------------------------------------------------------------- */

static void test_widths(void **state) {
  (void)state;
  assert_int_equal(ee_text_width(EE_STR("")), 0);
  assert_int_equal(ee_text_width(EE_STR("total")), 5);
  assert_int_equal(ee_text_width(EE_STR("Gr\xc3\xb6\xc3\x9f"
                                        "e")),
                   5);
  assert_int_equal(ee_text_width(EE_STR("e\xcc\x81")), 1);                            /* e, combining acute */
  assert_int_equal(ee_text_width(EE_STR("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e")), 6); /* three wide letters */
  assert_int_equal(ee_text_width(EE_STR("\xe2\x80\xa6")), 1);
}

static void assert_printable(ee_str text, const char *expected) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  assert_true(ee_str_is(ee_text_printable(text, &arena), expected));
  ee_arena_fini(&arena);
}

static void test_printable(void **state) {
  (void)state;
  assert_printable(EE_STR("plain \xe6\x97\xa5"), "plain \xe6\x97\xa5");
  assert_printable(EE_STR("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  assert_printable(EE_STR("\x1b[31mred"), "\\u001b[31mred");
  assert_printable(EE_STR("\0\x7f"), "\\u0000\\u007f");
  assert_printable(EE_STR("\xc2\x9b"
                          "1m"),
                   "\\u009b1m"); /* the C1 form of ESC [ */
  assert_printable(EE_STR("x\xe2\x80\xae"
                          "y\xe2\x81\xa9"),
                   "x\\u202ey\\u2069"); /* marks that turn the direction */
  assert_printable(EE_STR("\xc2\xa0"), "\xc2\xa0");
  assert_printable(EE_STR(""), "");
}

static void assert_shortened(const char *text, size_t columns, const char *expected) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  assert_true(ee_str_is(ee_text_shorten(ee_str_from(text), columns, &arena), expected));
  ee_arena_fini(&arena);
}

static void test_shorten(void **state) {
  (void)state;
  assert_shortened("total", 5, "total");
  assert_shortened("invoice.total", 12, "invoi\xe2\x80\xa6.total");
  assert_shortened("abcdefgh", 4, "a\xe2\x80\xa6gh");
  assert_shortened("abcdefgh", 1, "\xe2\x80\xa6");
  /* Wide letters that do not fit leave their column empty. */
  assert_shortened("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 4, "\xe2\x80\xa6\xe8\xaa\x9e");
  /* A mark stays with its letter. */
  assert_shortened("abcde\xcc\x81"
                   "f",
                   4,
                   "a\xe2\x80\xa6"
                   "e\xcc\x81"
                   "f");
}

/* Never wider than asked, valid, and a start and an end of the text. */
static void test_random_widths(void **state) {
  (void)state;
  test_random random = test_random_start("width", 41);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (int round = 0; round < 20000; round++) {
    static const char *const pieces[] = {"a", "bc", "\xc3\xa9", "\xcc\x81", "\xe6\x97\xa5", "\xf0\x9f\x98\x80", "."};
    char raw[128] = "";
    for (size_t i = test_random_below(&random, 20); i > 0; i--) strcat(raw, pieces[test_random_below(&random, 7)]);
    ee_str text = ee_str_from(raw);
    size_t columns = 1 + test_random_below(&random, 24);
    ee_str cut = ee_text_shorten(text, columns, &arena);
    assert_true(ee_text_width(cut) <= columns);
    assert_int_equal(ee_utf8_valid_prefix(cut.data, cut.length), cut.length);
    if (ee_text_width(text) <= columns) {
      assert_true(ee_str_equal(cut, text));
    } else {
      const char *dots = memmem(cut.data, cut.length, "\xe2\x80\xa6", 3);
      assert_non_null(dots);
      size_t front = (size_t)(dots - cut.data), back = cut.length - front - 3;
      assert_memory_equal(cut.data, text.data, front);
      assert_memory_equal(dots + 3, text.data + text.length - back, back);
      /* Nothing that would have fitted is missing: a wide letter leaves at most one column a side. */
      assert_true(ee_text_width(cut) + 2 >= columns);
    }
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

/* A width counts up to the first bytes that are no UTF-8; a text is shortened around them. */
static void test_bad_bytes(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  assert_int_equal(ee_text_width(EE_STR("\xc3\xa9\xff"
                                        "abc")),
                   1);
  ee_str text = ee_text_shorten(EE_STR("\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e\xff"), 6, &arena);
  assert_true(ee_str_is(text, "\u65e5\u2026"));
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_random_texts), cmocka_unit_test(test_pair_across_a_mark),
             cmocka_unit_test(test_names), cmocka_unit_test(test_widths), cmocka_unit_test(test_printable),
             cmocka_unit_test(test_shorten), cmocka_unit_test(test_random_widths), cmocka_unit_test(test_bad_bytes));
