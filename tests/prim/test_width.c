/* test_width.c: columns of text, and texts made fit for a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "prim/unicode.h"
#include "support/random.h"

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
static void test_random_texts(void **state) {
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

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_widths), cmocka_unit_test(test_printable),
             cmocka_unit_test(test_shorten), cmocka_unit_test(test_random_texts));
