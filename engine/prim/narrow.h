/* narrow.h: texts as bytes, one for each code point, for the edit distances; and where a byte is in a short pattern. */
#ifndef EE_PRIM_NARROW_H
#define EE_PRIM_NARROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"

#if defined __SSE2__ && !defined EE_EDIT_PORTABLE /* which a test defines */
#define HAVE_SSE2
#include <emmintrin.h>
#endif

/* Bits -------------------------------------------------------------------------------------------- */

/* The number of bits set. */
static inline size_t ee_popcount(uint64_t bits) {
  bits -= bits >> 1 & UINT64_C(0x5555555555555555);
  bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
  bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
  return (size_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

static inline size_t ee_apart(size_t a, size_t b) { return a > b ? a - b : b - a; }

/* The lowest `count` (0..64) bits. */
static inline uint64_t ee_low_bits(size_t count) { return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1; }

static inline uint64_t ee_load_word(const char *at) {
  uint64_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

/* How many of the first bytes of two different words in memory are equal; `difference` is their xor. */
static inline size_t ee_equal_first(uint64_t difference) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return (size_t)__builtin_ctzll(difference) / 8;
#else
  return (size_t)__builtin_clzll(difference) / 8;
#endif
}

static inline size_t ee_common_prefix(const char *a, const char *b, size_t length) {
  size_t same = 0;
  for (; length - same >= 8; same += 8) {
    uint64_t difference = ee_load_word(a + same) ^ ee_load_word(b + same);
    if (difference != 0) return same + ee_equal_first(difference);
  }
  while (same < length && a[same] == b[same]) same++;
  return same;
}

/* Symbols ----------------------------------------------------------------------------------------- */

/* A text as bytes: each stands for a code point. */
typedef struct ee_letters {
  const unsigned char *at;
  size_t count;
} ee_letters;

/* A text as code points. */
typedef struct ee_symbols {
  const uint32_t *at;
  size_t count;
} ee_symbols;

/* Decodes `text` into `scratch`. Should it not be valid UTF-8, a bad byte counts as a code point. */
ee_symbols ee_symbols_of(ee_str text, ee_arena *scratch);

/* ee_is_ascii() without a call, and nearly without branches, for texts of up to 64 bytes. */
static inline bool ee_is_short_ascii(ee_str text) {
  if (text.length > 64) return ee_is_ascii(text.data, text.length);
  uint64_t bits = 0;
  if (text.length < 8) {
    for (size_t i = 0; i < text.length; i++) bits |= (unsigned char)text.data[i];
    return bits < 0x80;
  }
  const char *last = text.data + text.length - 8;
  bits = ee_load_word(text.data) | ee_load_word(last);
  if (text.length > 16) bits |= ee_load_word(text.data + 8) | ee_load_word(last - 8);
  if (text.length > 32)
    bits |=
        ee_load_word(text.data + 16) | ee_load_word(text.data + 24) | ee_load_word(last - 16) | ee_load_word(last - 24);
  return (bits & UINT64_C(0x8080808080808080)) == 0;
}

/* Removes the common beginning and end from both and returns how many symbols that were (edit.c). */
size_t ee_trim_symbols(ee_symbols *a, ee_symbols *b);
/* The Levenshtein distance, and the length of the longest common subsequence, of symbols that need not be code points
 * (edit.c). `scratch` is rewound. */
size_t ee_symbols_distance(ee_symbols a, ee_symbols b, ee_arena *scratch);
size_t ee_symbols_lcs(ee_symbols a, ee_symbols b, ee_arena *scratch);

/* `text` as letters, in `arena` unless it is ASCII: `*page` (0: ASCII) says what those from 128 on mean, so that
 * letters of two texts can be compared if one has page 0 or both have the same. False if it has letters of several
 * scripts. */
bool ee_narrow(ee_str text, unsigned char *page, ee_letters *letters, ee_arena *arena);

/* The Levenshtein distance of two texts, or limit + 1 (edit.c). */
size_t ee_letters_distance(ee_letters a, ee_letters b, size_t limit, ee_arena *scratch);

/* ee_narrow_pair() of texts that are not both ASCII. */
bool ee_narrow_others(ee_str a, ee_str b, ee_letters *x, ee_letters *y, ee_arena *scratch);

/* Two texts as bytes that are equal where their code points are, except that all symbols that occur in one text only
 * may have the same byte. False if the shorter has too many different symbols. */
static inline bool ee_narrow_pair(ee_str a, ee_str b, bool is_ascii, ee_letters *x, ee_letters *y, ee_arena *scratch) {
  *x = (ee_letters){(const unsigned char *)a.data, a.length};
  *y = (ee_letters){(const unsigned char *)b.data, b.length};
  return is_ascii || ee_narrow_others(a, b, x, y, scratch);
}

#ifdef HAVE_SSE2
/* 1..16 bytes, followed by zeros. */
static inline __m128i ee_load_few(const unsigned char *at, size_t count) {
  if (count == 16) return _mm_loadu_si128((const __m128i *)(const void *)at);
  if (count > 8)
    return _mm_set_epi64x((long long)(ee_load_word((const char *)at + count - 8) >> (128 - 8 * count)),
                          (long long)ee_load_word((const char *)at));
  if (count == 8) return _mm_set_epi64x(0, (long long)ee_load_word((const char *)at));
  if (count >= 4) {
    uint32_t first, last;
    memcpy(&first, at, sizeof first);
    memcpy(&last, at + count - 4, sizeof last);
    return _mm_set_epi64x(0, (long long)(first | (uint64_t)last << (8 * count - 32)));
  }
  unsigned bits = at[0] | (unsigned)at[count / 2] << (8 * (count / 2)) | (unsigned)at[count - 1] << (8 * count - 8);
  return _mm_set_epi64x(0, (long long)bits);
}
#endif

/* ee_utf8_count() for short texts. */
static inline size_t ee_count_symbols(ee_str text) {
#ifdef HAVE_SSE2
  __m128i later = _mm_setzero_si128();
  size_t at = 0;
  if (text.length > 255 * 16) return ee_utf8_count(text.data, text.length);
  for (; at + 16 <= text.length; at += 16) {
    const __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(text.data + at));
    later = _mm_sub_epi8(later, _mm_cmpgt_epi8(_mm_set1_epi8(-64), part));
  }
  if (at < text.length && at > 0) {
    /* The last bytes, without those that have been counted. */
    static const unsigned char uncounted[32] = {0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
                                                0,    0,    0,    0,    0,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                                0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(text.data + text.length - 16));
    const __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)(uncounted + (text.length - at)));
    later = _mm_sub_epi8(later, _mm_and_si128(mask, _mm_cmpgt_epi8(_mm_set1_epi8(-64), part)));
  } else if (at < text.length) {
    const __m128i part = ee_load_few((const unsigned char *)text.data, text.length);
    later = _mm_sub_epi8(later, _mm_cmpgt_epi8(_mm_set1_epi8(-64), part));
  }
  later = _mm_sad_epu8(later, _mm_setzero_si128());
  return text.length - (size_t)_mm_cvtsi128_si32(later) - (size_t)_mm_cvtsi128_si32(_mm_srli_si128(later, 8));
#else
  return ee_utf8_count(text.data, text.length);
#endif
}

/* Positions of symbols in a pattern --------------------------------------------------------------- */

/* Bit i is set where at[i] is `byte`, for i < 16 * parts; `parts` is 1, 2 or 4, a constant in each loop. To compare
 * with all places costs less than to fill a table for a short text. */
static inline uint64_t ee_positions(const unsigned char *at, unsigned char byte, int parts) {
  uint64_t result = 0;
#ifdef HAVE_SSE2
  const __m128i all = _mm_set1_epi8((char)byte);
  for (int i = 0; i < parts; i++) {
    const __m128i part = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
    result |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(part, all)) << (16 * i);
  }
#else
  const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f), all = byte * UINT64_C(0x0101010101010101);
  for (int i = 0; i < 2 * parts; i++) {
    uint64_t differs = ee_load_word((const char *)at + 8 * i) ^ all;
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    differs = __builtin_bswap64(differs);
#endif
    /* The first bit of each byte that is 0, then these eight bits side by side. */
    uint64_t equal = ~(((differs & low) + low) | differs | low) >> 7;
    result |= (equal * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
  }
#endif
  return result;
}

/* A pattern of 1..64 bytes. With SSE2 it is in registers: the first bytes in the first half of the parts, the last
 * ones, which may overlap them, in the second half, as far behind as `behind` says. */
typedef struct ee_short_pattern {
#ifdef HAVE_SSE2
  __m128i part[4];
  unsigned behind;
#else
  unsigned char at[64];
#endif
} ee_short_pattern;

#ifdef HAVE_SSE2
static inline uint64_t ee_matches_of(__m128i part, __m128i all) {
  return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(part, all));
}
#endif

/* `parts` is 1, 2 or 4 for up to 16, 32 or 64 bytes, and more than for half of them. */
static inline ee_short_pattern ee_short_pattern_of(ee_letters text, int parts) {
  ee_short_pattern pattern;
  memset(&pattern, 0, sizeof pattern);
#ifdef HAVE_SSE2
  if (parts == 1) {
    pattern.part[0] = ee_load_few(text.at, text.count);
    return pattern;
  }
  for (int i = 0; i < parts; i++) {
    size_t from = i < parts / 2 ? 16 * (size_t)i : text.count - 16 * (size_t)(parts - i);
    pattern.part[i] = _mm_loadu_si128((const __m128i *)(const void *)(text.at + from));
  }
  pattern.behind = (unsigned)text.count - 8 * (unsigned)parts;
#else
  (void)parts;
  memcpy(pattern.at, text.at, text.count);
#endif
  return pattern;
}

/* ee_positions() in a short pattern. Bits past its end are undefined. */
static inline uint64_t ee_short_positions(const ee_short_pattern *pattern, unsigned char byte, int parts) {
#ifdef HAVE_SSE2
  const __m128i all = _mm_set1_epi8((char)byte);
  uint64_t first = ee_matches_of(pattern->part[0], all);
  if (parts == 1) return first;
  uint64_t second = ee_matches_of(pattern->part[1], all);
  if (parts == 2) return first | second << pattern->behind;
  uint64_t third = ee_matches_of(pattern->part[2], all), fourth = ee_matches_of(pattern->part[3], all);
  return first | second << 16 | (third | fourth << 16) << pattern->behind;
#else
  return ee_positions(pattern->at, byte, parts);
#endif
}

#endif
