/* test_usage.c: lines of 80 columns. */
#include <stdlib.h>
#include <string.h>

#include "cli/usage.h"
#include "prim/unicode.h"
#include "support/random.h"

static const char *wrapped(ee_buffer *out, const char *before, size_t indent, const char *text) {
  ee_buffer_clear(out);
  ee_buffer_add_text(out, "a line that is there\n");
  ee_buffer_add_text(out, before);
  ee_wrap(out, indent, text);
  return ee_buffer_terminate(out) + strlen("a line that is there\n");
}

#define TEN "123456789 "
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

static void test_lines(void **state) {
  (void)state;
  static const struct {
    const char *before;
    size_t indent;
    const char *text, *lines;
  } cases[] = {
      {"", 0, "", "\n"},
      {"", 4, "short", "short\n"},
      {"  name  ", 8, "what it is", "  name  what it is\n"},
      {"", 2, SEVENTY "1234567890", SEVENTY "1234567890\n"},
      {"", 2, SEVENTY "1234567890 x", SEVENTY "1234567890\n  x\n"},
      {"", 2, SEVENTY "1234567890x", SEVENTY "\n  1234567890x\n"},
      {"ab", 0, SEVENTY "123456789", "ab" SEVENTY "\n123456789\n"},
      {"", 0, "one\n\ntwo  three\n", "one\n\ntwo  three\n\n"},
      {"", 3, "one\ntwo", "one\n   two\n"},
      /* Columns are not bytes. */
      {"", 0, SEVENTY "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4",
       SEVENTY "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\n"},
      /* Choices are broken, formulas are not. */
      {"", 1, SEVENTY "one|two|three|four|five|six|seven|eight|nine",
       SEVENTY "one|two|\n three|four|five|six|seven|eight|nine\n"},
      {"", 1, SEVENTY "|x-y|/|y-z|*2", SEVENTY "\n |x-y|/|y-z|*2\n"},
      /* A word that is too long gets a line of its own. */
      {"", 1, "x " TEN "1111111111111111111111111111111111111111111111111111111111111111111111111111111111 y",
       "x " TEN "\n 1111111111111111111111111111111111111111111111111111111111111111111111111111111111\n y\n"},
  };
  ee_buffer out = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    /* Spaces at which a line breaks are left out. */
    char lines[400], *to = lines;
    for (const char *at = cases[i].lines; *at != '\0'; at++) {
      while (*at == '\n' && to > lines && to[-1] == ' ') to--;
      *to++ = *at;
    }
    *to = '\0';
    assert_string_equal(wrapped(&out, cases[i].before, cases[i].indent, cases[i].text), lines);
  }
  ee_buffer_fini(&out);
}

/* Every word is there, in order, and no line is too wide. */
static void test_random_texts(void **state) {
  (void)state;
  test_random random = test_random_start("wrap", 61);
  ee_buffer out = {0};
  for (int round = 0; round < 500; round++) {
    char text[2000], *to = text;
    for (size_t n = test_random_below(&random, 100); n > 0; n--) {
      if (to > text) *to++ = ' ';
      for (size_t k = 1 + test_random_below(&random, 15); k > 0; k--)
        *to++ = (char)('a' + (int)test_random_below(&random, 26));
    }
    *to = '\0';
    size_t indent = test_random_below(&random, 40);
    const char *lines = wrapped(&out, "", indent, text);
    const char *word = text;
    for (const char *line = lines; *line != '\0';) {
      const char *end = strchr(line, '\n');
      assert_true(end - line <= EE_WRAP_COLUMNS);
      const char *at = line;
      if (line > lines) {
        assert_int_equal(strspn(line, " "), indent);
        at += indent;
        assert_int_equal(*word++, ' ');
        /* The word had no place in the line before. */
        const char *before = line - 1;
        while (before > lines && before[-1] != '\n') before--;
        assert_true((size_t)(line - 1 - before) + 1 + strcspn(word, " ") > EE_WRAP_COLUMNS);
      }
      assert_memory_equal(at, word, (size_t)(end - at));
      word += end - at;
      line = end + 1;
    }
    assert_int_equal(*word, '\0');
  }
  ee_buffer_fini(&out);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_lines), cmocka_unit_test(test_random_texts));
