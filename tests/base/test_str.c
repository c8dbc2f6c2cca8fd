/* test_str.c: UTF-8 against the table of well-formed sequences, white space against the list, patterns against a
 * plain recursion. */

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "support/random.h"

/* Slices --------------------------------------------------------------------------------------- */

static int sign(int value) { return (value > 0) - (value < 0); }

static void test_equal_and_compare(void **state) {
  (void)state;
  static const ee_str ordered[] = {
      {NULL, 0}, {"\0", 1}, {"a", 1}, {"a\0", 2},      {"a\0b", 3},
      {"a ", 2}, {"ab", 2}, {"b", 1}, {"\xc3\xa9", 2}, {"\xff", 1},
  };
  const size_t count = sizeof(ordered) / sizeof(ordered[0]);
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < count; j++) {
      assert_int_equal(sign(ee_str_compare(ordered[i], ordered[j])), (i > j) - (i < j));
      assert_int_equal(ee_str_equal(ordered[i], ordered[j]), i == j);
    }
  }
  assert_int_equal(ee_str_compare(EE_STR(""), ordered[0]), 0);
  assert_true(ee_str_equal(EE_STR(""), ordered[0]));
  assert_true(ee_str_is(EE_STR("abc"), "abc"));
  assert_false(ee_str_is(EE_STR("abc\0"), "abc"));
  assert_false(ee_str_is(EE_STR("ab"), "abc"));
}

/* UTF-8 ---------------------------------------------------------------------------------------- */

/* The Unicode Standard, table 3-7: the ranges of the first two bytes; the others are 80..BF. */
static const struct {
  unsigned char first_low, first_high, second_low, second_high;
  size_t length;
} well_formed[] = {
    {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static size_t slow_step(const unsigned char *b, size_t length) {
  for (size_t row = 0; row < sizeof(well_formed) / sizeof(well_formed[0]); row++) {
    if (b[0] < well_formed[row].first_low || b[0] > well_formed[row].first_high) continue;
    size_t step = well_formed[row].length;
    if (step > length) return 0;
    if (step > 1 && (b[1] < well_formed[row].second_low || b[1] > well_formed[row].second_high)) return 0;
    for (size_t i = 2; i < step; i++)
      if (b[i] < 0x80 || b[i] > 0xbf) return 0;
    return step;
  }
  return 0;
}

static size_t slow_valid_prefix(const char *text, size_t length) {
  size_t i = 0;
  while (i < length) {
    size_t step = slow_step((const unsigned char *)text + i, length - i);
    if (step == 0) break;
    i += step;
  }
  return i;
}

static void check_decode(const unsigned char *bytes, size_t length) {
  uint32_t code_point = 0xdeadbeef;
  size_t step = ee_utf8_decode((const char *)bytes, length, &code_point);
  uint32_t any = 0xdeadbeef;
  assert_int_equal(ee_utf8_decode_any((const char *)bytes, length, &any), step);
  assert_true(any == code_point);
  if (step != slow_step(bytes, length)) fail_msg("%02x %02x: %zu bytes", bytes[0], length > 1 ? bytes[1] : 0, step);
  if (step == 0) {
    assert_true(code_point == 0xdeadbeef);
    return;
  }
  char again[4];
  assert_int_equal(ee_utf8_encode(code_point, again), step);
  assert_memory_equal(again, bytes, step);
}

static void test_every_code_point_there_and_back(void **state) {
  (void)state;
  for (uint32_t c = 0; c <= 0x10ffff; c++) {
    if (c == 0xd800) c = 0xe000;
    char text[4];
    size_t length = ee_utf8_encode(c, text);
    char any[4];
    uint32_t back = 0xdeadbeef;
    if (ee_utf8_encode_any(c, any) != length || memcmp(any, text, length) != 0) fail_msg("U+%04X in another way", c);
    if (length != (c < 0x80 ? 1u : c < 0x800 ? 2u : c < 0x10000 ? 3u : 4u)) fail_msg("U+%04X: %zu bytes", c, length);
    if (ee_utf8_decode(text, length, &back) != length || back != c) fail_msg("U+%04X came back as U+%04X", c, back);
    for (size_t cut = 1; cut < length; cut++)
      if (ee_utf8_decode(text, cut, &back) != 0) fail_msg("U+%04X cut to %zu bytes", c, cut);
  }
}

static void test_encode_known(void **state) {
  (void)state;
  char text[4];
  assert_int_equal(ee_utf8_encode(0xe9, text), 2);
  assert_memory_equal(text, "\xc3\xa9", 2);
  assert_int_equal(ee_utf8_encode(0x20ac, text), 3);
  assert_memory_equal(text, "\xe2\x82\xac", 3);
  assert_int_equal(ee_utf8_encode(0x1f600, text), 4);
  assert_memory_equal(text, "\xf0\x9f\x98\x80", 4);
}

/* All pairs of first bytes, followed by representatives of every class, whole and cut. */
static void test_decode_every_start(void **state) {
  (void)state;
  static const unsigned char edges[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff};
  for (unsigned first = 0; first < 256; first++) {
    for (unsigned second = 0; second < 256; second++) {
      for (size_t k = 0; k < 36; k++) {
        unsigned char bytes[4] = {(unsigned char)first, (unsigned char)second, edges[k / 6], edges[k % 6]};
        for (size_t length = 1; length <= 4; length++) check_decode(bytes, length);
      }
    }
  }
}

/* Text that is mostly ASCII, mixed, or mostly not, with now and then a byte that is wrong. */
static size_t random_text(test_random *random, char *text, size_t limit, bool spoil) {
  size_t target = test_random_below(random, limit - 3);
  size_t density = test_random_below(random, 4) == 0 ? 2 : 1 + test_random_below(random, 200);
  size_t length = 0;
  while (length < target) {
    uint32_t c = (uint32_t)test_random_below(random, 0x80);
    if (test_random_below(random, density) == 0) {
      static const uint32_t limits[] = {0x100, 0x800, 0x10000, 0x110000};
      c = (uint32_t)test_random_below(random, limits[test_random_below(random, 4)]);
      if (c >= 0xd800 && c <= 0xdfff) c = 0x3042;
    }
    length += ee_utf8_encode(c, text + length);
  }
  if (spoil && length > 0 && test_random_below(random, 2) == 0)
    text[test_random_below(random, length)] = (char)test_random_bits(random);
  if (spoil && length > 0 && test_random_below(random, 4) == 0) length -= 1;
  return length;
}

/* A heap copy of the exact length, so that a sanitizer sees a step over either end. */
static char *exact_copy(const char *text, size_t length) {
  char *copy = malloc(length > 0 ? length : 1);
  memcpy(copy, text, length);
  return copy;
}

static void test_valid_prefix_against_twin(void **state) {
  (void)state;
  test_random random = test_random_start("utf8", 61);
  char text[420];
  size_t wrong = 0;
  for (int i = 0; i < 30000; i++) {
    size_t length = random_text(&random, text, sizeof(text), true);
    char *copy = exact_copy(text, length);
    size_t expected = slow_valid_prefix(text, length);
    assert_int_equal(ee_utf8_valid_prefix(copy, length), expected);
    wrong += expected < length;
    free(copy);
  }
  assert_in_range(wrong, 3000, 27000);
  assert_int_equal(ee_utf8_valid_prefix("", 0), 0);
}

static void test_one_bad_byte_at_every_place(void **state) {
  (void)state;
  char text[300];
  for (size_t length = 1; length <= sizeof(text); length += length < 150 ? 1 : 29) {
    memset(text, 'a', sizeof(text));
    char *copy = exact_copy(text, length);
    assert_int_equal(ee_utf8_valid_prefix(copy, length), length);
    assert_true(ee_is_ascii(copy, length));
    for (size_t at = 0; at < length; at++) {
      copy[at] = '\x80';
      assert_int_equal(ee_utf8_valid_prefix(copy, length), at);
      assert_false(ee_is_ascii(copy, length));
      copy[at] = 'a';
    }
    free(copy);
  }
  assert_true(ee_is_ascii("", 0));
  assert_true(ee_is_ascii("\0\x7f", 2));
}

static void test_count_and_cut_against_twin(void **state) {
  (void)state;
  test_random random = test_random_start("utf8 count", 62);
  char text[300];
  for (int i = 0; i < 5000; i++) {
    size_t length = random_text(&random, text, sizeof(text), false);
    char *copy = exact_copy(text, length);
    size_t limit = test_random_below(&random, sizeof(text) + 20);
    size_t count = 0, cut = 0;
    for (size_t at = 0; at < length; count++) {
      at += slow_step((const unsigned char *)text + at, length - at);
      if (at <= limit) cut = at;
    }
    assert_int_equal(ee_utf8_count(copy, length), count);
    assert_int_equal(ee_utf8_cut((ee_str){copy, length}, limit), cut);
    free(copy);
  }
  assert_int_equal(ee_utf8_count("", 0), 0);
  assert_int_equal(ee_utf8_cut((ee_str){NULL, 0}, 5), 0);
}

/* White space ---------------------------------------------------------------------------------- */

/* PropList.txt of Unicode, property White_Space. */
static const uint32_t spaces[] = {0x09,   0x0a,   0x0b,   0x0c,   0x0d,   0x20,   0x85,   0xa0,   0x1680,
                                  0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                  0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000};
enum { SPACES = sizeof(spaces) / sizeof(spaces[0]) };

static void test_is_space(void **state) {
  (void)state;
  size_t next = 0;
  for (uint32_t c = 0; c <= 0x10ffff; c++) {
    bool expected = next < SPACES && spaces[next] == c;
    if (expected) next += 1;
    if (ee_is_space(c) != expected) fail_msg("U+%04X", c);
  }
  assert_int_equal(next, 25);
}

static size_t add_spaces(test_random *random, char *text) {
  size_t length = 0;
  for (size_t n = test_random_below(random, 4); n > 0; n--)
    length += ee_utf8_encode(spaces[test_random_below(random, SPACES)], text + length);
  return length;
}

static void test_trim(void **state) {
  (void)state;
  /* U+200B and U+FEFF look like space and are none; U+3042 ends in a byte that U+0085 and others end in as well. */
  static const char *const cores[] = {"",
                                      "x",
                                      "a b",
                                      "\xe2\x80\x8b",
                                      "\xef\xbb\xbf",
                                      "\xc3\xa9",
                                      "\xe3\x81\x85",
                                      "\xf0\x9f\x98\x80",
                                      "a \xe3\x80\x80 \xc4\x85"};
  test_random random = test_random_start("trim", 63);
  for (int i = 0; i < 5000; i++) {
    const char *core = cores[test_random_below(&random, sizeof(cores) / sizeof(cores[0]))];
    char text[64];
    size_t before = add_spaces(&random, text);
    size_t length = before + strlen(core);
    memcpy(text + before, core, strlen(core));
    length += add_spaces(&random, text + length);
    char *copy = exact_copy(text, length);
    ee_str trimmed = ee_str_trim((ee_str){copy, length});
    assert_true(ee_str_is(trimmed, core));
    if (core[0] != '\0') assert_ptr_equal(trimmed.data, copy + before);
    assert_int_equal(ee_str_is_blank((ee_str){copy, length}), core[0] == '\0');
    free(copy);
  }
  assert_int_equal(ee_str_trim((ee_str){NULL, 0}).length, 0);
  assert_true(ee_str_is_blank((ee_str){NULL, 0}));
  assert_false(ee_str_is_blank((ee_str){"\0", 1}));
}

/* Patterns ------------------------------------------------------------------------------------- */

static bool match(const char *pattern, const char *text) { return ee_glob_match(pattern, ee_str_from(text)); }

static void test_glob_known(void **state) {
  (void)state;
  assert_true(match("", ""));
  assert_true(match("*", ""));
  assert_true(match("**", ""));
  assert_true(ee_glob_match("*", (ee_str){NULL, 0}));
  assert_true(ee_glob_match("", (ee_str){NULL, 0}));
  assert_false(match("", "a"));
  assert_false(match("?", ""));
  assert_false(match("[a]", ""));
  assert_true(match("invoice-*", "invoice-17"));
  assert_false(match("invoice-*", "an invoice-17"));
  assert_true(match("*-17", "invoice-17"));
  assert_false(match("*-1", "invoice-17"));
  assert_true(match("a*b*c", "aXbXbXc"));
  assert_true(match("*.jso?", "x.json"));
  assert_true(match("?", "\xe2\x82\xac"));
  assert_false(match("??", "\xe2\x82\xac"));
  assert_false(match("*??", "\xe2\x82\xac"));
  assert_false(match("*??xy", "\xe2\x82\xacxy"));
  assert_true(match("*??", "\xe2\x82\xac\xc3\xa9"));
  assert_true(match("x?y", "x\xf0\x9f\x98\x80y"));
  assert_true(ee_glob_match("a?b", (ee_str){"a\0b", 3}));
  assert_false(ee_glob_match("a", (ee_str){"a\0", 2}));
}

static void test_glob_classes(void **state) {
  (void)state;
  assert_true(match("case[0-9]", "case7"));
  assert_false(match("case[0-9]", "casex"));
  assert_true(match("[a-cx-z]", "y"));
  assert_false(match("[a-cx-z]", "d"));
  assert_true(match("[!0-9]", "x"));
  assert_false(match("[!0-9]", "5"));
  assert_true(match("[^0-9]", "x"));
  assert_true(match("[]]", "]"));
  assert_true(match("[]a]", "a"));
  assert_false(match("[!]]", "]"));
  assert_true(match("[a-]", "-"));
  assert_true(match("[-a]", "-"));
  assert_true(match("[\\]x]", "]"));
  assert_true(match("[a\\-z]", "-"));
  assert_false(match("[a\\-z]", "m"));
  assert_true(match("[*?]", "*"));
  assert_false(match("[*?]", "a"));
  assert_true(match("[\xc3\xa0-\xc3\xbf]", "\xc3\xa9"));
  assert_false(match("[\xc3\xa0-\xc3\xbf]", "e"));
  assert_false(match("[z-a]", "m"));
}

static void test_glob_quotes_and_loose_ends(void **state) {
  (void)state;
  assert_true(match("\\*", "*"));
  assert_false(match("\\*", "a"));
  assert_true(match("\\?\\[\\\\", "?[\\"));
  assert_true(match("\\a", "a"));
  assert_true(match("a\\", "a\\"));
  assert_true(match("[", "["));
  assert_true(match("[ab", "[ab"));
  assert_false(match("[ab", "a"));
  assert_true(match("*[", "a["));
  assert_true(match("[!", "[!"));
  assert_true(match("\xff*", "\xff"
                             "abc"));
  assert_true(match("a?c", "a\xff"
                           "c"));
  assert_false(match("\xc3\xbf", "\xff"));
}

/* Every split for every star: exponential, but it cannot be wrong. Elements: letters, `?`, `*`, `[ab]`, `[!a]`, `\*`.
 */
static bool slow_glob(const char *p, const char *t) {
  if (*p == '\0') return *t == '\0';
  if (*p == '*') return slow_glob(p + 1, t) || (*t != '\0' && slow_glob(p, t + 1));
  if (*t == '\0') return false;
  if (*p == '?') return slow_glob(p + 1, t + 1);
  if (strncmp(p, "[ab]", 4) == 0) return (*t == 'a' || *t == 'b') && slow_glob(p + 4, t + 1);
  if (strncmp(p, "[!a]", 4) == 0) return *t != 'a' && slow_glob(p + 4, t + 1);
  if (*p == '\\') p += 1;
  return *p == *t && slow_glob(p + 1, t + 1);
}

static void test_glob_against_twin(void **state) {
  (void)state;
  static const char *const elements[] = {"a", "b", "c", "?", "*", "*", "[ab]", "[!a]", "\\*"};
  test_random random = test_random_start("glob", 64);
  size_t matched = 0;
  for (int i = 0; i < 40000; i++) {
    char pattern[64] = "", text[16] = "";
    for (size_t n = test_random_below(&random, 9); n > 0; n--) strcat(pattern, elements[test_random_below(&random, 9)]);
    size_t length = test_random_below(&random, 11);
    for (size_t k = 0; k < length; k++) text[k] = "abc*"[test_random_below(&random, 4)];
    bool expected = slow_glob(pattern, text);
    if (match(pattern, text) != expected) fail_msg("'%s' on '%s'", pattern, text);
    matched += expected;
  }
  assert_in_range(matched, 2000, 30000);
}

/* A recursion over the stars would take longer than the universe has existed. */
static void test_glob_is_not_exponential(void **state) {
  (void)state;
  char text[2001];
  memset(text, 'a', sizeof(text) - 1);
  text[sizeof(text) - 1] = '\0';
  assert_false(match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
  assert_true(match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*", text));
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_equal_and_compare),
             cmocka_unit_test(test_every_code_point_there_and_back), cmocka_unit_test(test_encode_known),
             cmocka_unit_test(test_decode_every_start), cmocka_unit_test(test_valid_prefix_against_twin),
             cmocka_unit_test(test_one_bad_byte_at_every_place), cmocka_unit_test(test_count_and_cut_against_twin),
             cmocka_unit_test(test_is_space), cmocka_unit_test(test_trim), cmocka_unit_test(test_glob_known),
             cmocka_unit_test(test_glob_classes), cmocka_unit_test(test_glob_quotes_and_loose_ends),
             cmocka_unit_test(test_glob_against_twin), cmocka_unit_test(test_glob_is_not_exponential));
