/* ascii_digit.h: the digits 0 to 9 in a text, 16 bytes at a time where the processor can. */
#ifndef EE_PRIM_ASCII_DIGIT_H
#define EE_PRIM_ASCII_DIGIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "prim/narrow.h"

static inline bool ee_is_ascii_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* A bit for each of the 16 bytes from `at` on, or of those before the end, that is a digit. */
static inline unsigned ee_ascii_digits_at(ee_str text, size_t at) {
  const size_t count = text.length - at < 16 ? text.length - at : 16;
#ifdef HAVE_SSE2
  const __m128i shift = _mm_set1_epi8(80), limit = _mm_set1_epi8(-118); /* '0' + 80 is -128 */
  const __m128i bytes = _mm_add_epi8(ee_load_few((const unsigned char *)text.data + at, count), shift);
  return (unsigned)_mm_movemask_epi8(_mm_cmplt_epi8(bytes, limit));
#else
  unsigned found = 0;
  for (size_t i = 0; i < count; i++) found |= (unsigned)ee_is_ascii_digit(text.data[at + i]) << i;
  return found;
#endif
}

/* The place of the first digit from `at` on, or the length of the text. */
static inline size_t ee_next_ascii_digit(ee_str text, size_t at) {
  for (; at < text.length; at += 16) {
    const unsigned found = ee_ascii_digits_at(text, at);
    if (found != 0) return at + (unsigned)__builtin_ctz(found);
  }
  return text.length;
}

/* How many digits a text has. */
static inline size_t ee_count_ascii_digits(ee_str text) {
  size_t count = 0;
  for (size_t at = 0; at < text.length; at += 16) count += ee_popcount(ee_ascii_digits_at(text, at));
  return count;
}

#endif
