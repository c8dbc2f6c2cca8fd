/* random_text.h: random UTF-8 for the tests of this folder, and a decoder of its own.
 *
 * Every text is a malloc of exactly its length, so that AddressSanitizer sees a read past its end. */
#ifndef EE_TESTS_PRIM_RANDOM_TEXT_H
#define EE_TESTS_PRIM_RANDOM_TEXT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "support/random.h"

enum { TEST_TEXT_MAX = 512 }; /* code points of the longest text */

typedef enum test_alphabet {
  TEST_AB,       /* two letters: many matches */
  TEST_ABCD,     /* four letters */
  TEST_ASCII,    /* printable ASCII */
  TEST_WORDS,    /* three letters and much white space */
  TEST_LATIN,    /* ASCII letters and Latin-1 accents */
  TEST_GREEK,    /* with final sigma */
  TEST_CYRILLIC, /* both cases */
  TEST_CJK,
  TEST_EMOJI,     /* four bytes each */
  TEST_COMBINING, /* letters with combining marks */
  TEST_SPACES,    /* letters and all kinds of Unicode white space */
  TEST_MIXED,     /* any of the above */
  TEST_ALPHABETS
} test_alphabet;

/* Unicode's White_Space, written down from PropList.txt. */
static const uint32_t test_white_space[] = {0x09,   0x0a,   0x0b,   0x0c,   0x0d,   0x20,   0x85,   0xa0,   0x1680,
                                            0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                            0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000};
enum { TEST_WHITE_SPACES = sizeof test_white_space / sizeof *test_white_space };

static inline int test_is_white(uint32_t code_point) {
  for (size_t i = 0; i < TEST_WHITE_SPACES; i++)
    if (test_white_space[i] == code_point) return 1;
  return 0;
}

static inline uint32_t test_code_point(test_random *random, test_alphabet alphabet) {
  switch (alphabet) {
  case TEST_AB: return (uint32_t)('a' + test_random_below(random, 2));
  case TEST_ABCD: return (uint32_t)('a' + test_random_below(random, 4));
  case TEST_ASCII: return (uint32_t)(' ' + test_random_below(random, 95));
  case TEST_WORDS:
    return test_random_below(random, 3) == 0 ? (uint32_t)(" \t\n "[test_random_below(random, 4)])
                                             : (uint32_t)('a' + test_random_below(random, 3));
  case TEST_LATIN:
    return test_random_below(random, 2) == 0 ? (uint32_t)('A' + test_random_below(random, 58))
                                             : (uint32_t)(0xc0 + test_random_below(random, 64));
  case TEST_GREEK: {
    uint32_t code_point = (uint32_t)(0x391 + test_random_below(random, 57));
    return code_point == 0x3a2 ? 0x3c2 : code_point;
  }
  case TEST_CYRILLIC: return (uint32_t)(0x400 + test_random_below(random, 96));
  case TEST_CJK: return (uint32_t)(0x4e00 + test_random_below(random, test_random_below(random, 2) == 0 ? 8 : 20000));
  case TEST_EMOJI: return (uint32_t)(0x1f600 + test_random_below(random, 32));
  case TEST_COMBINING:
    return test_random_below(random, 2) == 0 ? (uint32_t)('a' + test_random_below(random, 5))
                                             : (uint32_t)(0x300 + test_random_below(random, 5));
  case TEST_SPACES:
    return test_random_below(random, 2) == 0 ? test_white_space[test_random_below(random, TEST_WHITE_SPACES)]
                                             : (uint32_t)("ab\xb5\xdf"[test_random_below(random, 4)] & 0xff);
  default: return test_code_point(random, (test_alphabet)test_random_below(random, TEST_MIXED));
  }
}

static inline size_t test_put_utf8(uint32_t code_point, char *out) {
  if (code_point < 0x80) {
    out[0] = (char)code_point;
    return 1;
  }
  if (code_point < 0x800) {
    out[0] = (char)(0xc0 | (code_point >> 6));
    out[1] = (char)(0x80 | (code_point & 63));
    return 2;
  }
  if (code_point < 0x10000) {
    out[0] = (char)(0xe0 | (code_point >> 12));
    out[1] = (char)(0x80 | ((code_point >> 6) & 63));
    out[2] = (char)(0x80 | (code_point & 63));
    return 3;
  }
  out[0] = (char)(0xf0 | (code_point >> 18));
  out[1] = (char)(0x80 | ((code_point >> 12) & 63));
  out[2] = (char)(0x80 | ((code_point >> 6) & 63));
  out[3] = (char)(0x80 | (code_point & 63));
  return 4;
}

/* UTF-8 of `points`, to be freed with test_text_free(). */
static inline ee_str test_text_of(const uint32_t *points, size_t count) {
  char bytes[4 * TEST_TEXT_MAX];
  size_t length = 0;
  for (size_t i = 0; i < count; i++) length += test_put_utf8(points[i], bytes + length);
  char *data = malloc(length != 0 ? length : 1);
  memcpy(data, bytes, length);
  return (ee_str){data, length};
}

static inline void test_text_free(ee_str text) { free((void *)(uintptr_t)text.data); }

/* The code points of valid UTF-8 `text` into `points[TEST_TEXT_MAX]`. */
static inline size_t test_points_of(ee_str text, uint32_t *points) {
  size_t count = 0;
  for (size_t i = 0; i < text.length;) {
    unsigned char lead = (unsigned char)text.data[i];
    size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t point = length == 1 ? lead : (uint32_t)(lead & (0xff >> (length + 1)));
    for (size_t k = 1; k < length; k++) point = (point << 6) | ((unsigned char)text.data[i + k] & 63u);
    points[count++] = point;
    i += length;
  }
  return count;
}

/* A length in 0..300 that often lies at a border of 64-bit blocks. */
static inline size_t test_length(test_random *random) {
  static const uint16_t borders[] = {0,  1,  2,  3,   4,   31,  32,  33,  62,  63,  64,  65,  66,
                                     67, 95, 96, 126, 127, 128, 129, 130, 191, 192, 193, 256, 257};
  switch (test_random_below(random, 4)) {
  case 0: return borders[test_random_below(random, sizeof borders / sizeof *borders)];
  case 1: return test_random_below(random, 12);
  case 2: return test_random_below(random, 80);
  default: return test_random_below(random, 301);
  }
}

static inline size_t test_random_points(test_random *random, test_alphabet alphabet, size_t count, uint32_t *points) {
  for (size_t i = 0; i < count; i++) points[i] = test_code_point(random, alphabet);
  return count;
}

/* Changes `points` by up to `edits` insertions, deletions, substitutions and swaps of neighbours. */
static inline size_t test_edit_points(test_random *random, test_alphabet alphabet, size_t edits, uint32_t *points,
                                      size_t count) {
  for (size_t e = 0; e < edits; e++) {
    size_t at = count != 0 ? test_random_below(random, count) : 0;
    switch (test_random_below(random, 4)) {
    case 0:
      if (count == TEST_TEXT_MAX) break;
      memmove(points + at + 1, points + at, (count - at) * sizeof *points);
      points[at] = test_code_point(random, alphabet);
      count++;
      break;
    case 1:
      if (count == 0) break;
      memmove(points + at, points + at + 1, (count - at - 1) * sizeof *points);
      count--;
      break;
    case 2:
      if (count != 0) points[at] = test_code_point(random, alphabet);
      break;
    default:
      if (count - at >= 2) {
        uint32_t kept = points[at];
        points[at] = points[at + 1];
        points[at + 1] = kept;
      }
    }
  }
  return count;
}

/* Two texts and their code points. */
typedef struct test_text_pair {
  ee_str a, b;
  uint32_t pa[TEST_TEXT_MAX], pb[TEST_TEXT_MAX];
  size_t na, nb;
} test_text_pair;

/* Unrelated texts, or one and an edited copy, from one alphabet or from two. */
static inline void test_random_pair(test_random *random, test_text_pair *pair) {
  test_alphabet alphabet = (test_alphabet)test_random_below(random, TEST_ALPHABETS);
  pair->na = test_random_points(random, alphabet, test_length(random), pair->pa);
  switch (test_random_below(random, 8)) {
  case 0:
  case 1: pair->nb = test_random_points(random, alphabet, test_length(random), pair->pb); break;
  case 2:
    pair->nb = test_random_points(random, (test_alphabet)test_random_below(random, TEST_ALPHABETS), test_length(random),
                                  pair->pb);
    break;
  case 3:
    memcpy(pair->pb, pair->pa, pair->na * sizeof *pair->pa);
    pair->nb = test_edit_points(random, TEST_MIXED, 1 + test_random_below(random, 4), pair->pb, pair->na);
    break;
  default:
    memcpy(pair->pb, pair->pa, pair->na * sizeof *pair->pa);
    pair->nb = test_edit_points(random, alphabet, test_random_below(random, 1 + pair->na / 3), pair->pb, pair->na);
  }
  pair->a = test_text_of(pair->pa, pair->na);
  pair->b = test_text_of(pair->pb, pair->nb);
}

static inline void test_free_pair(test_text_pair *pair) {
  test_text_free(pair->a);
  test_text_free(pair->b);
}

#endif
