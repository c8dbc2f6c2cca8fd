/* test_letter.c: the known letters against utf8proc, one by one and beside each other. */
#include "prim/letter.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "prim/normalize.h"
#include "support/arena.h"
#include "support/random.h"

static bool is_known(uint32_t c) {
  ee_letter letter;
  return ee_letter_find(c, &letter);
}

/* The text of code points in a form of utf8proc. */
static ee_str map(const uint32_t *points, size_t count, int options) {
  char text[64];
  size_t length = 0;
  for (size_t i = 0; i < count; i++) length += ee_utf8_encode(points[i], text + length);
  utf8proc_uint8_t *made = NULL;
  utf8proc_ssize_t got =
      utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, &made, (utf8proc_option_t)options);
  assert_true(got >= 0);
  ee_str copy = {ee_arena_copy(&arena, (const char *)made, (size_t)got), (size_t)got};
  free(made);
  return copy;
}

static uint32_t only_point(ee_str text) {
  uint32_t point = 0;
  assert_int_equal(ee_utf8_decode(text.data, text.length, &point), text.length);
  return point;
}

/* Without the marks of the block of combining diacritical marks, where it has one. */
static uint32_t without_marks(uint32_t c) {
  ee_str parts = map(&c, 1, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
  uint32_t first = 0, point;
  bool marked = false;
  for (size_t at = 0; at < parts.length;) {
    at += ee_utf8_decode(parts.data + at, parts.length - at, &point);
    if (point >= 0x300 && point <= 0x36F) {
      marked = true;
    } else {
      assert_true(first == 0 || !marked);
      if (first == 0) first = point;
    }
  }
  return marked ? first : c;
}

static void test_forms(void **state) {
  (void)state;
  static const uint32_t strokes[][2] = {{0xD0, 'D'},  {0xF0, 'd'},  {0xD8, 'O'},  {0xF8, 'o'},  {0x110, 'D'},
                                        {0x111, 'd'}, {0x126, 'H'}, {0x127, 'h'}, {0x131, 'i'}, {0x138, 'k'},
                                        {0x141, 'L'}, {0x142, 'l'}, {0x14A, 'N'}, {0x14B, 'n'}, {0x166, 'T'},
                                        {0x167, 't'}, {0x180, 'b'}, {0x197, 'I'}, {0x268, 'i'}};
  size_t known = 0;
  for (uint32_t c = 0x80; c < 0x110000; c++) {
    ee_letter letter;
    if ((c >= 0xD800 && c <= 0xDFFF) || !ee_letter_find(c, &letter)) continue;
    known++;
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    assert_true(category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO);
    assert_int_equal(only_point(map(&c, 1, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT)), c);
    assert_int_equal(only_point(map(&c, 1, UTF8PROC_CASEFOLD)), letter.folded);
    assert_true(is_known(letter.folded));
    uint32_t plain = without_marks(c);
    for (size_t i = 0; i < sizeof strokes / sizeof *strokes; i++)
      if (strokes[i][0] == plain) plain = strokes[i][1];
    assert_int_equal(letter.plain, plain);
    /* Both forms, in either order, are the same. */
    uint32_t one[EE_PLAIN_LETTER_LIMIT], other[EE_PLAIN_LETTER_LIMIT];
    assert_int_equal(ee_plain_letter(letter.folded, false, one), 1);
    assert_int_equal(only_point(map(&plain, 1, UTF8PROC_CASEFOLD)), one[0]);
    assert_int_equal(ee_plain_letter(c, true, other), 1);
    assert_int_equal(one[0], other[0]);
  }
  assert_true(known > 30000);
  assert_true(is_known(0x439) && is_known(0x3AC) && is_known(0xE9) && is_known(0x142) && is_known(0x3C2));
  assert_false(is_known(0xDF) || is_known(0xC6) || is_known(0x1E2) || is_known(0x149) || is_known(0x130));
  assert_false(is_known('a') || is_known(0xD7) || is_known(0x301) || is_known(0x1100) || is_known(0x2C65));
}

/* Known letters beside each other and beside ASCII are not composed. */
static void test_neighbours(void **state) {
  (void)state;
  /* Which texts have letters of the table only: what is not UTF-8 has not. */
  assert_true(ee_letters_are_known(EE_STR("Z\u00fcrich 8001")));
  assert_true(ee_letters_are_known(EE_STR("")));
  assert_false(ee_letters_are_known(EE_STR("Z\u00fcrich \U0001F600")));
  assert_false(ee_letters_are_known(EE_STR("Z\u00fc\xff")));
  test_random random = test_random_start("known letters", 91);
  static const uint32_t blocks[][2] = {{0xC0, 0x530},    {0x5D0, 0x64B},   {0x3041, 0x30FB},
                                       {0x4E00, 0x9FA6}, {0xAC00, 0xD7A4}, {' ', 0x7F}};
  for (int i = 0; i < 30000; i++) {
    uint32_t points[6];
    char text[24];
    size_t count = 0, length = 0;
    while (count < 6) {
      const uint32_t *block = blocks[test_random_below(&random, sizeof blocks / sizeof *blocks)];
      uint32_t c = block[0] + (uint32_t)test_random_below(&random, block[1] - block[0]);
      if (c >= 0x80 && !is_known(c)) continue;
      points[count++] = c;
      length += ee_utf8_encode(c, text + length);
    }
    ee_str whole = map(points, count, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
    assert_int_equal(whole.length, length);
    assert_memory_equal(whole.data, text, length);
    ee_arena_reset(&arena, 0);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_forms), cmocka_unit_test(test_neighbours));
