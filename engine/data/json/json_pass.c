/* json_pass.c: passes JSON values, and notes the keys of each object. */
#include "data/json/json_pass.h"

bool ee_json_keys_add(ee_json_keys *keys, ee_str key) {
  size_t length = key.length, mix = length;
  if (length > 0)
    mix += (size_t)(unsigned char)key.data[0] * 3 + (size_t)(unsigned char)key.data[length / 2] * 5 +
           (size_t)(unsigned char)key.data[length - 1] * 7;
  uint64_t bit = UINT64_C(1) << (mix % 64);
  for (size_t i = 0; (keys->seen & bit) != 0 && i < keys->count; i++)
    if (ee_str_equal(keys->keys[i], key)) return false;
  if (keys->count == EE_JSON_PASS_KEYS) return false;
  keys->seen |= bit;
  keys->keys[keys->count++] = key;
  return true;
}

/* The first byte from `at` on that ends a string's run of characters: '"', '\' or a control character; `*ascii` becomes
 * false at a byte above 0x7f before it. */
static inline const char *find_special(const char *at, const char *end, bool *ascii) {
#if defined(EE_JSON_SSE2)
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\'), last = _mm_set1_epi8(0x1f);
  for (; end - at >= 16; at += 16) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i special = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                                   _mm_cmpeq_epi8(_mm_min_epu8(bytes, last), bytes));
    unsigned mask = (unsigned)_mm_movemask_epi8(special), high = (unsigned)_mm_movemask_epi8(bytes);
    if (mask != 0) {
      *ascii = *ascii && (high & (mask - 1) & ~mask) == 0;
      return at + __builtin_ctz(mask);
    }
    *ascii = *ascii && high == 0;
  }
#endif
  for (; at < end && (unsigned char)*at >= 0x20 && *at != '"' && *at != '\\'; at++)
    *ascii = *ascii && (unsigned char)*at < 0x80;
  return at;
}

const char *ee_json_pass_long_string(const char *at, const char *end, ee_str *text, bool *escaped) {
  bool ascii = true;
  if (at == end || *at != '"') return NULL;
  const char *start = at + 1;
  *escaped = false;
  for (at = find_special(start, end, &ascii); at < end && *at == '\\'; at = find_special(at, end, &ascii)) {
    uint32_t code_point;
    const char *mistake;
    *escaped = true;
    at = ee_json_read_escape(at, end, &code_point, &mistake);
    if (at == NULL) return NULL;
  }
  if (at == end || *at != '"') return NULL;
  *text = (ee_str){start, (size_t)(at - start)};
  return ascii || ee_utf8_valid_prefix(start, text->length) == text->length ? at + 1 : NULL;
}

static const char *pass_value(const char *at, const char *end, unsigned levels);

/* `at` follows the bracket; `keys`: of an object, else NULL. */
static const char *pass_items(const char *at, const char *end, ee_json_keys *keys, unsigned levels) {
  const char close = keys != NULL ? '}' : ']';
  at = ee_json_pass_space(at, end);
  if (at < end && *at == close) return at + 1;
  for (;;) {
    ee_str key;
    if (keys != NULL) at = ee_json_pass_key(at, end, &key);
    if (at == NULL || (keys != NULL && !ee_json_keys_add(keys, key))) return NULL;
    at = pass_value(at, end, levels);
    if (at == NULL) return NULL;
    at = ee_json_pass_space(at, end);
    if (at < end && *at == close) return at + 1;
    if (at == end || *at != ',') return NULL;
    at = ee_json_pass_space(at + 1, end);
  }
}

static const char *pass_object(const char *at, const char *end, unsigned levels) {
  ee_json_keys keys;
  keys.seen = keys.count = 0;
  return pass_items(at, end, &keys, levels);
}

static const char *pass_word(const char *at, const char *end, ee_str word) {
  return (size_t)(end - at) >= word.length && memcmp(at, word.data, word.length) == 0 ? at + word.length : NULL;
}

static const char *pass_value(const char *at, const char *end, unsigned levels) {
  ee_str text;
  bool escaped;
  ee_json_number number;
  const char *mistake, *mistake_at;
  if (at == end) return NULL;
  switch (*at) {
  case '"': return ee_json_pass_string(at, end, &text, &escaped);
  case '{': return levels > 0 ? pass_object(at + 1, end, levels - 1) : NULL;
  case '[': return levels > 0 ? pass_items(at + 1, end, NULL, levels - 1) : NULL;
  case 't': return pass_word(at, end, EE_STR("true"));
  case 'f': return pass_word(at, end, EE_STR("false"));
  case 'n': return pass_word(at, end, EE_STR("null"));
  default:
    return *at == '-' || ee_json_is_digit(*at) ? ee_json_read_number(at, end, &number, &mistake, &mistake_at) : NULL;
  }
}

const char *ee_json_pass_value(const char *at, const char *end) { return pass_value(at, end, EE_JSON_PASS_DEPTH); }
