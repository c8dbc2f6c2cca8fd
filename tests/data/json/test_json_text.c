/* test_json_text.c: vectors, single sequences and a twin that decodes each code point find the same in every text. */
#define EE_JSON_TEXT_PORTABLE
#define ee_json_copy_text portable_copy_text
#include "data/json/json_text.c"
#undef ee_json_copy_text

#include <stdio.h>
#include <stdlib.h>

#include "support/random.h"

const char *ee_json_copy_text(const char *at, const char *end, char *out, ee_json_text *seen);

/* As ee_json_copy_text(), without copying. */
static size_t twin(const char *text, size_t length, ee_json_text *seen) {
  *seen = (ee_json_text){false, false, false};
  size_t at = 0;
  while (at < length && (unsigned char)text[at] >= 0x20 && text[at] != '"' && text[at] != '\\') {
    uint32_t code_point;
    size_t bytes = ee_utf8_decode_any(text + at, length - at, &code_point);
    seen->invalid = bytes == 0;
    if (bytes == 0) return at;
    seen->composable = seen->composable || (code_point >= 0x300 && ee_nfc_may_change(code_point));
    seen->respelled = seen->respelled || ee_is_harmful(code_point);
    at += bytes;
  }
  return at;
}

static bool is_as(const char *text, size_t place, const ee_json_text *wanted, const char *after, const char *out,
                  const ee_json_text *got) {
  if (after != text + place || got->invalid != wanted->invalid) return false;
  if (wanted->invalid) return true; /* the rest is not looked at */
  return got->composable == wanted->composable && got->respelled == wanted->respelled && memcmp(out, text, place) == 0;
}

/* Reads a copy in a block of its size, so that a sanitizer sees each byte that is read after its end. */
static void check(const char *bytes, size_t length) {
  char *text = malloc(length + 1), *out = malloc(length + EE_JSON_TEXT_SLACK);
  text[length] = 0;
  char *exact = text + 1;
  memcpy(exact, bytes, length);
  ee_json_text wanted, vectors, portable;
  size_t place = twin(exact, length, &wanted);
  const char *after = ee_json_copy_text(exact, exact + length, out, &vectors);
  bool good = is_as(exact, place, &wanted, after, out, &vectors);
  after = portable_copy_text(exact, exact + length, out, &portable);
  good = good && is_as(exact, place, &wanted, after, out, &portable);
  if (!good) {
    print_error("wanted %zu %d %d %d, vectors %d %d %d, portable %zu %d %d %d in %zu bytes:", place, wanted.invalid,
                wanted.composable, wanted.respelled, vectors.invalid, vectors.composable, vectors.respelled,
                (size_t)(after - exact), portable.invalid, portable.composable, portable.respelled, length);
    for (size_t i = 0; i < length; i++) print_error(" %02x", (unsigned char)exact[i]);
    print_error("\n");
    fail();
  }
  free(text);
  free(out);
}

/* Every code point, each of which may be looked at or not, and at several places. */
static void test_code_points(void **state) {
  (void)state;
  for (uint32_t c = 0; c <= 0x10ffff; c++) {
    if (c >= 0xd800 && c <= 0xdfff) continue;
    char text[40];
    memset(text, 'x', sizeof text);
    size_t at = c % 19, bytes = ee_utf8_encode(c, text + at);
    check(text, at + bytes);
    check(text, sizeof text);
  }
}

/* Every sequence of two bytes, and every beginning of a longer one with bytes from the borders of what is valid, at
 * each place in two vectors, cut after each byte. */
static void test_sequences(void **state) {
  (void)state;
  static const unsigned char borders[] = {0x1f, 0x22, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc2, 0xed, 0xf4};
  enum { BORDERS = sizeof borders };
  for (unsigned first = 0; first < 256; first++) {
    for (unsigned second = 0; second < 256; second++) {
      for (unsigned i = 0; i < BORDERS * BORDERS; i++) {
        if (first < 0xe0 && i >= BORDERS) break;
        char text[48];
        for (size_t k = 0; k < sizeof text; k++) text[k] = "\xd0\xb6"[k % 2];
        size_t at = 2 * ((first * 7 + second + i) % 17);
        const unsigned char four[] = {(unsigned char)first, (unsigned char)second, borders[i % BORDERS],
                                      borders[i / BORDERS % BORDERS]};
        size_t bytes = 1 + i % 4;
        memcpy(text + at, four, 4);
        check(text, at + bytes);
        check(text, sizeof text);
      }
    }
  }
}

/* Valid text of many scripts, in which bytes are changed, removed and doubled, cut at each place. */
static void test_damage(void **state) {
  (void)state;
  test_random random = test_random_start("json_text", 21);
  static const uint32_t scripts[][2] = {{0x20, 0x7e},     {0xa0, 0xff},     {0x370, 0x3ff},     {0x400, 0x4ff},
                                        {0x5d0, 0x5ea},   {0x600, 0x6ff},   {0x900, 0x97f},     {0x1e00, 0x1eff},
                                        {0x2000, 0x206f}, {0x3000, 0x30ff}, {0x4e00, 0x9fff},   {0xac00, 0xd7a3},
                                        {0xfff0, 0xffff}, {0x300, 0x36f},   {0x1f300, 0x1f6ff}, {0x10fff0, 0x10ffff}};
  for (int round = 0; round < 20000; round++) {
    char text[120];
    size_t length = 0;
    size_t script = test_random_below(&random, sizeof scripts / sizeof *scripts);
    while (length + 4 < sizeof text && test_random_below(&random, 60) != 0) {
      if (test_random_below(&random, 8) == 0) script = test_random_below(&random, sizeof scripts / sizeof *scripts);
      uint32_t c =
          scripts[script][0] + (uint32_t)test_random_below(&random, scripts[script][1] - scripts[script][0] + 1);
      if (c != '"' && c != '\\') length += ee_utf8_encode(c, text + length);
    }
    check(text, length);
    for (size_t changes = test_random_below(&random, 3); changes > 0 && length > 0; changes--) {
      size_t at = test_random_below(&random, length);
      switch (test_random_below(&random, 3)) {
      case 0: text[at] = (char)test_random_below(&random, 256); break;
      case 1: memmove(text + at, text + at + 1, --length - at); break;
      default: text[at] = text[test_random_below(&random, length)];
      }
    }
    for (size_t cut = 0; cut <= length; cut++) check(text, cut);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_code_points), cmocka_unit_test(test_sequences),
             cmocka_unit_test(test_damage));
