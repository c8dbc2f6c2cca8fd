/* json_scan.h: JSON's tokens, and scanning of JSON text without building a tree.
 *
 * The tokens are shared by the readers of JSON and YAML. Scanning needs no memory and no recursion; it is for large
 * files when only a small part is needed. It accepts what the reader accepts (RFC 8259, valid UTF-8, nesting limit
 * 512), but does not look for duplicate keys. */
#ifndef EE_DATA_JSON_JSON_SCAN_H
#define EE_DATA_JSON_JSON_SCAN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

#if defined(__SSE2__) && !defined(EE_NO_SIMD)
#include <emmintrin.h>
#define EE_JSON_SSE2 1
#endif

/* Tokens --------------------------------------------------------------------------------------- */

static inline bool ee_json_is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
static inline bool ee_json_is_digit(char c) { return (unsigned char)(c - '0') < 10; }

static inline const char *ee_json_skip_space(const char *at, const char *end) {
  while (at < end && ee_json_is_space(*at)) at++;
  return at;
}

/* cJSON's valueint: the double's whole part, saturated (NaN gives INT_MIN). */
static inline int ee_saturated_int(double number) {
  if (number >= INT_MAX) return INT_MAX;
  return number > INT_MIN ? (int)number : INT_MIN;
}

/* Sets the high bit of each byte that is '"', '\', below 0x20 or above 0x7f. Only the lowest bit that is set is
 * reliable. */
static inline uint64_t ee_json_special_bytes(uint64_t word) {
  const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones * 0x80;
  uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
  return (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | ((word - ones * 0x20) & ~word) | word) &
         highs;
}

/* Not 0 if a byte of `word` is special or the control character 0x7f. */
static inline uint64_t ee_json_escaped_bytes(uint64_t word) {
  const uint64_t ones = UINT64_C(0x0101010101010101);
  uint64_t deleted = word ^ (ones * 0x7f);
  return ee_json_special_bytes(word) | ((deleted - ones) & ~deleted & (ones * 0x80));
}

/* Copies up to 16 bytes as two words, which overlap unless there are 16, and returns whether none is special. */
static inline bool ee_json_copy_short_if_plain(const char *text, size_t length, char *out) {
  uint64_t first = 0, last;
  if (length >= 8) {
    memcpy(&first, text, 8);
    memcpy(&last, text + length - 8, 8);
    memcpy(out, &first, 8);
    memcpy(out + length - 8, &last, 8);
    return (ee_json_escaped_bytes(first) | ee_json_escaped_bytes(last)) == 0;
  }
  uint32_t halves[2] = {0x20202020, 0x20202020};
  if (length >= 4) {
    memcpy(&halves[0], text, 4);
    memcpy(&halves[1], text + length - 4, 4);
    memcpy(out, &halves[0], 4);
    memcpy(out + length - 4, &halves[1], 4);
  } else {
    char *bytes = (char *)halves;
    for (size_t i = 0; i < length; i++) out[i] = bytes[i] = text[i];
  }
  memcpy(&first, halves, 8);
  return ee_json_escaped_bytes(first) == 0;
}

#if defined(EE_JSON_SSE2)
/* 0xff for each byte that a string writes in another way than by itself: '"', '\\', 0x7f, below 0x20 or above 0x7f (as
 * signed bytes, both are below the space). */
static inline __m128i ee_json_unplain_bytes(__m128i bytes) {
  __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  __m128i deleted = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f)), other = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));
  return _mm_or_si128(_mm_or_si128(quote, backslash), _mm_or_si128(deleted, other));
}
#endif

/* Copies `length` bytes to `out`. Returns whether a string is written as these bytes: printable ASCII other than '"'
 * and '\\'. */
static inline bool ee_json_copy_if_plain(const char *text, size_t length, char *out) {
  if (length <= 16) return ee_json_copy_short_if_plain(text, length, out);
#if defined(EE_JSON_SSE2)
  __m128i found = _mm_setzero_si128();
  for (size_t at = 0; at < length; at += 16) {
    if (at + 16 > length) at = length - 16; /* bytes before the rest once more */
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + at));
    _mm_storeu_si128((__m128i *)(void *)(out + at), bytes);
    found = _mm_or_si128(found, ee_json_unplain_bytes(bytes));
  }
  return _mm_movemask_epi8(found) == 0;
#else
  bool plain = true;
  size_t at = 0;
  for (; length - at > 16; at += 16) plain &= ee_json_copy_short_if_plain(text + at, 16, out + at);
  return plain & ee_json_copy_short_if_plain(text + at, length - at, out + at);
#endif
}

/* Whether a string is written as the bytes of `text`: the same without copying. */
static inline bool ee_json_is_plain(const char *text, size_t length) {
  char copy[16];
#if defined(EE_JSON_SSE2)
  if (length > 16) {
    __m128i found = _mm_setzero_si128();
    for (size_t at = 0; at < length; at += 16) {
      if (at + 16 > length) at = length - 16; /* bytes before the rest once more */
      found = _mm_or_si128(found, ee_json_unplain_bytes(_mm_loadu_si128((const __m128i *)(const void *)(text + at))));
    }
    return _mm_movemask_epi8(found) == 0;
  }
#endif
  for (; length > sizeof copy; text += sizeof copy, length -= sizeof copy)
    if (!ee_json_copy_short_if_plain(text, sizeof copy, copy)) return false;
  return ee_json_copy_short_if_plain(text, length, copy);
}

/* Copies the plain bytes at `at` (printable ASCII other than '"' and '\') to `out` and returns their number. May
 * overwrite up to 15 further bytes of `out`, and may stop early when fewer than 16 bytes are left before `end`. */
static inline size_t ee_json_copy_plain(const char *at, const char *end, char *out) {
  const char *start = at;
#if defined(EE_JSON_SSE2)
  while (end - at >= 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    _mm_storeu_si128((__m128i *)(void *)out, bytes);
    unsigned mask = (unsigned)_mm_movemask_epi8(ee_json_unplain_bytes(bytes));
    if (mask != 0) return (size_t)(at - start) + (size_t)__builtin_ctz(mask);
    at += 16;
    out += 16;
  }
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  while (end - at >= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    memcpy(out, &word, 8);
    uint64_t special = ee_json_escaped_bytes(word);
    if (special != 0) return (size_t)(at - start) + (size_t)__builtin_ctzll(special) / 8;
    at += 8;
    out += 8;
  }
#else
  (void)end, (void)out;
#endif
  return (size_t)(at - start);
}

/* Copies 16 bytes to `out`, and returns how many plain ones are before a '"'; 16 if another special byte comes first,
 * and on processors without SSE2. */
static inline unsigned ee_json_copy_short_string(const char *at, char *out) {
#if defined(EE_JSON_SSE2)
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
  _mm_storeu_si128((__m128i *)(void *)out, bytes);
  unsigned found = (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(ee_json_unplain_bytes(bytes)) | 1u << 16);
  return found == 16 || at[found] == '"' ? found : 16;
#else
  (void)at, (void)out;
  return 16;
#endif
}

/* The number of leading bytes that are not '"', '\' or a control character. UTF-8 is not checked. */
static inline size_t ee_json_plain_length(const char *text, size_t length) {
  size_t at = 0;
#if defined(EE_JSON_SSE2)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), last = _mm_set1_epi8(0x1f);
  for (; length - at >= 16; at += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + at));
    __m128i special = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                                   _mm_cmpeq_epi8(_mm_min_epu8(bytes, last), bytes));
    unsigned mask = (unsigned)_mm_movemask_epi8(special);
    if (mask != 0) return at + (size_t)__builtin_ctz(mask);
  }
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  for (; length - at >= 8; at += 8) {
    uint64_t word;
    memcpy(&word, text + at, 8);
    if (ee_json_special_bytes(word) != 0) break;
  }
#endif
  while (at < length && (unsigned char)text[at] >= 0x20 && text[at] != '"' && text[at] != '\\') at++;
  return at;
}

/* The length of the UTF-8 sequence at `at` (its first byte is above 0x7f), or 0 when it is invalid or cut by `end`. The
 * second byte's range excludes overlong forms, surrogates and code points above U+10FFFF. */
static inline size_t ee_json_utf8_length(const char *at, const char *end) {
  const unsigned char *bytes = (const unsigned char *)at;
  size_t left = (size_t)(end - at);
  unsigned first = bytes[0];
  if (first < 0xc2 || left < 2) return 0;
  if (first < 0xe0) return (bytes[1] & 0xc0) == 0x80 ? 2 : 0;
  if (left < 3 || (bytes[2] & 0xc0) != 0x80) return 0;
  if (first < 0xf0) {
    unsigned lowest = first == 0xe0 ? 0xa0 : 0x80, highest = first == 0xed ? 0x9f : 0xbf;
    return bytes[1] >= lowest && bytes[1] <= highest ? 3 : 0;
  }
  if (first > 0xf4 || left < 4 || (bytes[3] & 0xc0) != 0x80) return 0;
  unsigned lowest = first == 0xf0 ? 0x90 : 0x80, highest = first == 0xf4 ? 0x8f : 0xbf;
  return bytes[1] >= lowest && bytes[1] <= highest ? 4 : 0;
}

/* Whether a sequence of UTF-8 that begins with this byte (above 0x7f) may be a harmful one (printable.h), which is
 * written as an escape. */
static inline bool ee_json_may_be_escaped(unsigned char first) {
  return first == 0xC2 || first == 0xD8 || first == 0xE2;
}

/* What a backslash and this byte mean; NUL for the escape 'u' and for what is no escape. */
extern const char ee_json_short_escapes[256];
/* The place after the escape of half a surrogate pair at `at`; NULL if it is another escape. */
const char *ee_json_lone_surrogate(const char *at, const char *end);
/* Reads the escape whose backslash is at `at`. Returns the place after it and sets `*code_point`, or returns NULL with
 * `*mistake` (static; NULL when the text ends at the backslash). */
const char *ee_json_read_escape(const char *at, const char *end, uint32_t *code_point, const char **mistake);

/* The parts of a number. `digits` is its value without sign, point and exponent, if it has at most 19 digits. */
typedef struct ee_json_number {
  uint64_t digits;
  size_t digit_count; /* leading zeros included */
  int exponent;       /* of ten, a factor of `digits`; saturated far outside the doubles' range */
  bool negative;
} ee_json_number;

/* Reads the number at `at`, which is '-' or a digit. Returns the place after it, or NULL with `*mistake` (static) and
 * `*mistake_at`. */
static inline const char *ee_json_read_number(const char *at, const char *end, ee_json_number *number,
                                              const char **mistake, const char **mistake_at) {
  uint64_t digits = 0;
  number->negative = *at == '-';
  at += number->negative;
  const char *first = at;
  while (at < end && ee_json_is_digit(*at)) digits = digits * 10 + (uint64_t)(*at++ - '0');
  number->digit_count = (size_t)(at - first);
  number->exponent = 0;
  if (number->digit_count == 0) return *mistake = "expected a digit", *mistake_at = at, NULL;
  if (*first == '0' && number->digit_count > 1) {
    return *mistake = "leading zero in number", *mistake_at = first, NULL;
  }
  if (at < end && *at == '.') {
    const char *fraction = ++at;
    while (at < end && ee_json_is_digit(*at)) digits = digits * 10 + (uint64_t)(*at++ - '0');
    size_t places = (size_t)(at - fraction);
    if (places == 0) return *mistake = "expected a digit after the decimal point", *mistake_at = at, NULL;
    number->digit_count += places;
    number->exponent = places < 1000000 ? -(int)places : -1000000;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    bool minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    const char *exponent = at;
    int value = 0;
    for (; at < end && ee_json_is_digit(*at); at++)
      if (value < 1000000) value = value * 10 + (*at - '0');
    if (at == exponent) return *mistake = "expected a digit in the exponent", *mistake_at = at, NULL;
    number->exponent += minus ? -value : value;
  }
  number->digits = digits;
  return at;
}

#if defined(EE_JSON_SSE2)
/* The number that the lowest `count` (1..8) digits of `word` make, the first one lowest: neighbours become one number
 * of two digits, then four, then eight. */
static inline uint64_t ee_json_eight_digits(uint64_t word, unsigned count) {
  word = (word << (64 - 8 * count)) & UINT64_C(0x0f0f0f0f0f0f0f0f); /* zeros come first */
  word = (word * (1 + (UINT64_C(10) << 8))) >> 8 & UINT64_C(0x00ff00ff00ff00ff);
  word = (word * (1 + (UINT64_C(100) << 16))) >> 16 & UINT64_C(0x0000ffff0000ffff);
  return (word * (1 + (UINT64_C(10000) << 32))) >> 32;
}
#endif

/* As ee_json_read_number() for numbers of up to 16 bytes, with up to 8 digits before and after a point, without sign
 * and exponent, where more text follows: without a loop whose end has to be guessed. NULL for any other text, and on
 * processors without SSE2. */
static inline const char *ee_json_read_short_number(const char *at, const char *end, ee_json_number *number) {
#if defined(EE_JSON_SSE2)
  static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  if (end - at < 24) return NULL;
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
  __m128i digits = _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(80)), _mm_set1_epi8(-118)); /* '0' + 80 is -128 */
  unsigned others = ~(unsigned)_mm_movemask_epi8(digits); /* with bits above the vector */
  unsigned whole = (unsigned)__builtin_ctz(others), places = 0;
  if (whole - 1 > 7 || (*at == '0' && whole > 1)) return NULL;
  uint64_t word;
  memcpy(&word, at, 8);
  number->digits = ee_json_eight_digits(word, whole);
  const char *after = at + whole;
  if (*after == '.') {
    places = (unsigned)__builtin_ctz(others & (others - 1)) - whole - 1;
    if (places - 1 > 7) return NULL;
    memcpy(&word, after + 1, 8);
    number->digits = number->digits * powers[places] + ee_json_eight_digits(word, places);
    after += places + 1;
  }
  if (*after == 'e' || *after == 'E' || ee_json_is_digit(*after)) return NULL;
  number->digit_count = whole + places;
  number->exponent = -(int)places;
  number->negative = false;
  return after;
#else
  (void)at, (void)end, (void)number;
  return NULL;
#endif
}

/* The length of the number at `at` where it has neither sign nor exponent and more text follows; 0 for any other text,
 * and on processors without SSE2: use ee_json_read_number() then. */
static inline size_t ee_json_plain_number_length(const char *at, const char *end) {
#if defined(EE_JSON_SSE2)
  if (end - at < 32) return 0;
  const __m128i shift = _mm_set1_epi8(80), limit = _mm_set1_epi8(-118); /* '0' + 80 is -128 */
  __m128i low = _mm_add_epi8(_mm_loadu_si128((const __m128i *)(const void *)at), shift);
  uint32_t others = ~(uint32_t)_mm_movemask_epi8(_mm_cmplt_epi8(low, limit));
  unsigned length = (unsigned)__builtin_ctz(others), point = 0;
  if (length > 0 && length < 16 && at[length] == '.') {
    point = length;
    others &= others - 1;
    length = (unsigned)__builtin_ctz(others);
  }
  if (length == 16) { /* or longer */
    __m128i high = _mm_add_epi8(_mm_loadu_si128((const __m128i *)(const void *)(at + 16)), shift);
    others = ~((uint32_t)_mm_movemask_epi8(_mm_cmplt_epi8(high, limit)) << 16 | 0xffff);
    if (others == 0) return 0;
    length = (unsigned)__builtin_ctz(others);
    if (at[length] == '.' && point == 0) {
      point = length;
      others &= others - 1;
      if (others == 0) return 0;
      length = (unsigned)__builtin_ctz(others);
    }
  }
  bool is_wrong =
      point > 0 ? length == point + 1 || (at[0] == '0' && point > 1) : length == 0 || (at[0] == '0' && length > 1);
  if (is_wrong) return 0;
  return at[length] == 'e' || at[length] == 'E' ? 0 : length;
#else
  (void)at, (void)end;
  return 0;
#endif
}

/* What is wrong with a value at `at`, which is not one: "expected a value", or that NaN, None and the like are not
 * JSON. Static. */
const char *ee_json_value_mistake(const char *at, const char *end);

/* Scanning ------------------------------------------------------------------------------------- */

/* A text that is being scanned, and its first mistake. Places are pointers into the text. Functions return the place
 * after what they scanned, or NULL after a mistake. */
typedef struct ee_json_scan {
  const char *start, *end;
  const char *mistake; /* static; NULL: none */
  const char *mistake_at;
  bool cut; /* more text could make the mistake go away */
} ee_json_scan;

static inline ee_json_scan ee_json_scan_of(ee_str text) {
  return (ee_json_scan){.start = text.data, .end = text.data + text.length};
}

/* Notes a mistake; returns NULL. At the end of the text, the mistake is that it ends. */
const char *ee_json_scan_fail(ee_json_scan *scan, const char *at, const char *mistake);

/* Skips white space and one value. */
const char *ee_json_skip_value(ee_json_scan *scan, const char *at);

/* Goes to the next member of an object. `at` follows its '{' (`first`) or the previous value. Returns the place of the
 * member's value and sets `*key` to the key's source text without quotes. At the end sets `*done` and returns the place
 * after the closing '}'. */
const char *ee_json_next_member(ee_json_scan *scan, const char *at, bool first, ee_str *key, bool *done);

/* Goes to the next element of an array in the same way. */
const char *ee_json_next_element(ee_json_scan *scan, const char *at, bool first, bool *done);

/* Whether a key's source text (from ee_json_next_member()) decodes to `name`, which is ASCII without '"' and '\'. */
bool ee_json_key_is(ee_str key, const char *name);

/* The decimal value of a number's source text (valid) as a whole number ("139", "139.0", "1.39e2"). False when it is
 * not whole or has more than 18 digits. */
bool ee_json_whole_number(ee_str text, int64_t *number);

#endif
