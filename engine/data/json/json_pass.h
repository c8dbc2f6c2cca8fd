/* json_pass.h: passing over JSON values that a reader of very many documents does not need.
 *
 * For who reads a document again with json_reader.h where NULL is returned: after a mistake, at a key that an object
 * has twice or that has an escape, and in objects and nesting beyond the bounds below. So nothing has to be explained
 * here, and what was passed is exactly what the reader accepts without a word. Needs no memory. */
#ifndef EE_DATA_JSON_JSON_PASS_H
#define EE_DATA_JSON_JSON_PASS_H

#include "data/json/json_scan.h"

/* Members of an object, and levels below the value. */
#define EE_JSON_PASS_KEYS 128
#define EE_JSON_PASS_DEPTH 32

/* The keys that an object has so far. `seen` and `count` are 0 at first. */
typedef struct ee_json_keys {
  uint64_t seen; /* a bit for each, by its length and some of its bytes */
  size_t count;
  ee_str keys[EE_JSON_PASS_KEYS]; /* without quotes; borrowed */
} ee_json_keys;

/* False if it has `key` already, or has too many. */
bool ee_json_keys_add(ee_json_keys *keys, ee_str key);

static inline const char *ee_json_pass_space(const char *at, const char *end) {
  return at < end && *at <= ' ' ? ee_json_skip_space(at, end) : at;
}

/* ee_json_pass_string() for any string. */
const char *ee_json_pass_long_string(const char *at, const char *end, ee_str *text, bool *escaped);

/* Passes the string at `at`; NULL also for another value. `*text` gets its source without quotes, `*escaped` whether
 * that has escapes. */
static inline const char *ee_json_pass_string(const char *at, const char *end, ee_str *text, bool *escaped) {
#if defined(EE_JSON_SSE2)
  /* Nearly all strings are ASCII of less than 16 bytes. */
  if (end - at > 16 && *at == '"') {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + 1));
    /* As signed bytes, control characters and everything above 0x7f are below the space. */
    __m128i special = _mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
        _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')));
    unsigned mask = (unsigned)_mm_movemask_epi8(special);
    unsigned length = mask != 0 ? (unsigned)__builtin_ctz(mask) : 0;
    if (mask != 0 && at[1 + length] == '"') {
      *text = (ee_str){at + 1, length};
      *escaped = false;
      return at + length + 2;
    }
  }
#endif
  return ee_json_pass_long_string(at, end, text, escaped);
}

/* Passes a key without escapes, its colon, and white space after it. */
static inline const char *ee_json_pass_key(const char *at, const char *end, ee_str *key) {
  bool escaped;
  at = ee_json_pass_string(at, end, key, &escaped);
  if (at == NULL || escaped) return NULL;
  at = ee_json_pass_space(at, end);
  return at < end && *at == ':' ? ee_json_pass_space(at + 1, end) : NULL;
}

/* Passes the value at `at`. O(length); recursion is bounded. */
const char *ee_json_pass_value(const char *at, const char *end);

#endif
