/* json_text.c: UTF-8 checked 16 bytes at a time: a pair of bytes is looked up by its four halves. */
#include "data/json/json_text.h"

#include <stdint.h>
#include <string.h>

#include "base/printable.h"
#include "base/str.h"
#include "data/json/json_scan.h"
#include "prim/normalize.h"

#if defined EE_JSON_SSE2 && !defined EE_JSON_TEXT_PORTABLE /* which a test defines */
#define HAVE_SSSE3
#include <tmmintrin.h> /* used on processors that have it */
#endif

/* One sequence at a time ----------------------------------------------------------------------- */

/* Whether NFC may change the sequence of UTF-8 at `at`: none below U+0300, and by their first bytes no letters of
 * Greek, Cyrillic, Japanese and Chinese. */
static inline bool may_be_composed(const char *at, size_t bytes) {
  unsigned char lead = (unsigned char)at[0], second = (unsigned char)at[1];
  if (lead < 0xCC || (lead >= 0xCE && lead <= 0xD1 && !(lead == 0xCE && second == 0x87))) return false;
  if ((lead >= 0xE4 && lead <= 0xE9) || (lead == 0xE3 && (second == 0x81 || second == 0x83))) return false;
  uint32_t code_point;
  ee_utf8_decode(at, bytes, &code_point);
  return ee_nfc_may_change(code_point);
}

static bool is_written_escaped(const char *at, size_t bytes) {
  uint32_t code_point;
  ee_utf8_decode(at, bytes, &code_point);
  return ee_is_harmful(code_point);
}

/* Looks at the sequence of `bytes` bytes at `at`, which is valid. */
static inline void look_at(const char *at, size_t bytes, ee_json_text *seen) {
  if (may_be_composed(at, bytes)) seen->composable = true;
  if (ee_json_may_be_escaped((unsigned char)*at) && is_written_escaped(at, bytes)) seen->respelled = true;
}

static const char *copy_sequences(const char *at, const char *end, char *out, ee_json_text *seen) {
  while (at < end) {
    unsigned char c = (unsigned char)*at;
    if (c > 0x7f) {
      size_t bytes = ee_json_utf8_length(at, end);
      seen->invalid = bytes == 0;
      if (bytes == 0) return at;
      look_at(at, bytes, seen);
      for (size_t i = 0; i < bytes; i++) out[i] = at[i];
      at += bytes;
      out += bytes;
    } else {
      if (c < 0x20 || c == '"' || c == '\\') return at;
      if (c == 0x7f) seen->respelled = true;
      *out++ = (char)c;
      at++;
    }
  }
  return at;
}

/* 16 bytes at a time --------------------------------------------------------------------------- */

#ifdef HAVE_SSSE3
/* What is wrong with a pair of bytes, a bit each. The last is no mistake after the first two bytes of a sequence of
 * three or four, and else one. */
enum {
  TOO_SHORT = 1,       /* a first byte, and no continuation after it */
  TOO_LONG = 2,        /* ASCII, and a continuation after it */
  OVERLONG_3 = 4,      /* three bytes for what needs two */
  TOO_LARGE = 8,       /* above U+10FFFF, by a second byte from 0x90 on */
  SURROGATE = 16,      /* U+D800 to U+DFFF */
  OVERLONG_2 = 32,     /* two bytes for ASCII */
  TOO_LARGE_1000 = 64, /* above U+10FFFF, by a first byte from 0xf5 on and a second one below 0x90 */
  OVERLONG_4 = 64,     /* four bytes for what needs three */
  TWO_CONTINUATIONS = 128,
  OF_ANY_LOW = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS /* what does not depend on the low half of the first byte */
};

/* Pairs of bytes that begin what look_at() has to look at. All that it finds are among them, and none of the letters of
 * Greek, Cyrillic, Arabic, Japanese and Chinese that are usual. */
enum {
  LATIN_SIGNS = 1,  /* C2, CC, CD: U+0080 to 0xBF; 0x300 to 0x37F, mostly marks */
  GREEK_DOT = 2,    /* CE 87 */
  OTHER_D = 4,      /* D2 to D7, DA to DF */
  ARABIC_9 = 8,     /* D8 9x, D9 9x: signs and marks */
  ARABIC_MARK = 16, /* D9 80, D9 8B to 8F, D9 B0, D9 BB to BF */
  OTHER_E = 32,     /* E0 to E2, EA, EE, EF */
  KANA_MARK = 64,   /* E3 8x, but not E3 81 and E3 83 */
  FOUR_BYTES = 128  /* F0 to FF */
};

#define VECTOR(...) _mm_setr_epi8(__VA_ARGS__)
#define BYTE(bits) ((char)(unsigned char)(bits))
#define TWICE(bits) BYTE(bits), BYTE(bits)
#define FOUR_TIMES(bits) TWICE(bits), TWICE(bits)
#define EIGHT_TIMES(bits) FOUR_TIMES(bits), FOUR_TIMES(bits)

static __attribute__((target("ssse3"))) const char *copy_vectors(const char *at, const char *end, char *out,
                                                                 ee_json_text *seen) {
  const char *const start = at;
  const __m128i wrong_by_high =
      VECTOR(EIGHT_TIMES(TOO_LONG), FOUR_TIMES(TWO_CONTINUATIONS), BYTE(TOO_SHORT | OVERLONG_2), BYTE(TOO_SHORT),
             BYTE(TOO_SHORT | OVERLONG_3 | SURROGATE), BYTE(TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4));
  const __m128i wrong_by_low =
      VECTOR(BYTE(OF_ANY_LOW | OVERLONG_3 | OVERLONG_2 | OVERLONG_4), BYTE(OF_ANY_LOW | OVERLONG_2), TWICE(OF_ANY_LOW),
             BYTE(OF_ANY_LOW | TOO_LARGE), FOUR_TIMES(OF_ANY_LOW | TOO_LARGE | TOO_LARGE_1000),
             FOUR_TIMES(OF_ANY_LOW | TOO_LARGE | TOO_LARGE_1000),
             BYTE(OF_ANY_LOW | TOO_LARGE | TOO_LARGE_1000 | SURROGATE), TWICE(OF_ANY_LOW | TOO_LARGE | TOO_LARGE_1000));
  const int continuation = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS;
  const __m128i wrong_by_second = VECTOR(
      EIGHT_TIMES(TOO_SHORT), BYTE(continuation | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4),
      BYTE(continuation | OVERLONG_3 | TOO_LARGE), TWICE(continuation | SURROGATE | TOO_LARGE), FOUR_TIMES(TOO_SHORT));
  const __m128i seldom_by_high =
      VECTOR(EIGHT_TIMES(0), FOUR_TIMES(0), BYTE(LATIN_SIGNS | GREEK_DOT), BYTE(OTHER_D | ARABIC_9 | ARABIC_MARK),
             BYTE(OTHER_E | KANA_MARK), BYTE(FOUR_BYTES));
  const __m128i seldom_by_low =
      VECTOR(TWICE(OTHER_E | FOUR_BYTES), BYTE(LATIN_SIGNS | OTHER_D | OTHER_E | FOUR_BYTES),
             BYTE(OTHER_D | KANA_MARK | FOUR_BYTES), FOUR_TIMES(OTHER_D | FOUR_BYTES), BYTE(ARABIC_9 | FOUR_BYTES),
             BYTE(ARABIC_9 | ARABIC_MARK | FOUR_BYTES), BYTE(OTHER_D | OTHER_E | FOUR_BYTES),
             BYTE(OTHER_D | FOUR_BYTES), TWICE(LATIN_SIGNS | OTHER_D | FOUR_BYTES),
             BYTE(GREEK_DOT | OTHER_D | OTHER_E | FOUR_BYTES), BYTE(OTHER_D | OTHER_E | FOUR_BYTES));
  const int any_second = LATIN_SIGNS | OTHER_D | OTHER_E | FOUR_BYTES;
  const __m128i seldom_by_second_high =
      VECTOR(EIGHT_TIMES(0), BYTE(any_second | GREEK_DOT | ARABIC_MARK | KANA_MARK), BYTE(any_second | ARABIC_9),
             BYTE(any_second), BYTE(any_second | ARABIC_MARK), FOUR_TIMES(0));
  const int any_low = any_second | ARABIC_9 | KANA_MARK;
  const __m128i seldom_by_second_low =
      VECTOR(BYTE(any_low | ARABIC_MARK), BYTE(any_low & ~KANA_MARK), BYTE(any_low), BYTE(any_low & ~KANA_MARK),
             TWICE(any_low), BYTE(any_low), BYTE(any_low | GREEK_DOT), TWICE(any_low), BYTE(any_low),
             BYTE(any_low | ARABIC_MARK), FOUR_TIMES(any_low | ARABIC_MARK));
  static const char first_bytes[32] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
  const __m128i half = _mm_set1_epi8(0x0f), quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  const __m128i last_control = _mm_set1_epi8(0x1f), deleted = _mm_set1_epi8(0x7f);
  __m128i before = _mm_setzero_si128(), all_wrong = before, all_seldom = before, all_deleted = before;
  for (;;) {
    __m128i bytes;
    if (end - at >= 16) {
      bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    } else {
      /* The zeros behind the end are control characters. */
      char rest[16] = {0};
      memcpy(rest, at, (size_t)(end - at));
      bytes = _mm_loadu_si128((const __m128i *)(const void *)rest);
    }
    _mm_storeu_si128((__m128i *)(void *)out, bytes);
    __m128i stops = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                                 _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes));
    unsigned stop = (unsigned)_mm_movemask_epi8(stops);
    __m128i first = _mm_alignr_epi8(bytes, before, 15), second_before = _mm_alignr_epi8(bytes, before, 14);
    __m128i third_before = _mm_alignr_epi8(bytes, before, 13);
    __m128i first_high = _mm_and_si128(_mm_srli_epi16(first, 4), half), first_low = _mm_and_si128(first, half);
    __m128i second_high = _mm_and_si128(_mm_srli_epi16(bytes, 4), half), second_low = _mm_and_si128(bytes, half);
    __m128i wrong = _mm_and_si128(
        _mm_and_si128(_mm_shuffle_epi8(wrong_by_high, first_high), _mm_shuffle_epi8(wrong_by_low, first_low)),
        _mm_shuffle_epi8(wrong_by_second, second_high));
    /* Bit 7 where a third or fourth byte belongs. */
    __m128i later = _mm_or_si128(_mm_subs_epu8(second_before, _mm_set1_epi8(0xe0 - 0x80)),
                                 _mm_subs_epu8(third_before, _mm_set1_epi8(0xf0 - 0x80)));
    wrong = _mm_xor_si128(wrong, _mm_and_si128(later, _mm_set1_epi8(BYTE(0x80))));
    __m128i seldom = _mm_and_si128(
        _mm_and_si128(_mm_shuffle_epi8(seldom_by_high, first_high), _mm_shuffle_epi8(seldom_by_low, first_low)),
        _mm_and_si128(_mm_shuffle_epi8(seldom_by_second_high, second_high),
                      _mm_shuffle_epi8(seldom_by_second_low, second_low)));
    __m128i is_deleted = _mm_cmpeq_epi8(bytes, deleted);
    unsigned place = 16;
    if (stop != 0) {
      /* What ends the text belongs to it: a sequence may be cut there. */
      place = (unsigned)__builtin_ctz(stop);
      __m128i taken = _mm_loadu_si128((const __m128i *)(const void *)(first_bytes + 15 - place));
      wrong = _mm_and_si128(wrong, taken);
      seldom = _mm_and_si128(seldom, taken);
      is_deleted = _mm_and_si128(is_deleted, taken);
    }
    all_wrong = _mm_or_si128(all_wrong, wrong);
    all_seldom = _mm_or_si128(all_seldom, seldom);
    all_deleted = _mm_or_si128(all_deleted, is_deleted);
    at += place;
    out += place;
    before = bytes;
    if (stop != 0) break;
  }
  const __m128i none = _mm_setzero_si128();
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(all_wrong, none)) != 0xffff) return NULL;
  if (_mm_movemask_epi8(all_deleted) != 0) seen->respelled = true;
  if (_mm_movemask_epi8(_mm_cmpeq_epi8(all_seldom, none)) != 0xffff) {
    for (const char *next = start; next < at;) {
      size_t bytes = (unsigned char)*next < 0xc0 ? 1 : ee_json_utf8_length(next, at);
      if (bytes > 1) look_at(next, bytes, seen);
      next += bytes;
    }
  }
  return at;
}
#endif

const char *ee_json_copy_text(const char *at, const char *end, char *out, ee_json_text *seen) {
  *seen = (ee_json_text){false, false, false};
#ifdef HAVE_SSSE3
  if (__builtin_cpu_supports("ssse3")) { /* unreached: another processor */
    const char *after = copy_vectors(at, end, out, seen);
    if (after != NULL) return after;
  }
#endif
  return copy_sequences(at, end, out, seen);
}
