/* json_scan.c: skips JSON values; the open levels are a stack of bits. */
#include "data/json/json_scan.h"

#include "data/json/json_reader.h"

/* Escapes -------------------------------------------------------------------------------------- */

const char ee_json_short_escapes[256] = {
    ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};

/* The four hex digits at `at`, or -1. */
static int read_hex(const char *at, const char *end) {
  if (end - at < 4) return -1;
  int value = 0;
  for (int i = 0; i < 4; i++) {
    char c = at[i];
    int digit = ee_json_is_digit(c)    ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

static bool is_high_surrogate(int unit) { return unit >= 0xd800 && unit <= 0xdbff; }
static bool is_low_surrogate(int unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

static const char *read_unicode_escape(const char *at, const char *end, uint32_t *code_point, const char **mistake) {
  int unit = read_hex(at + 2, end);
  *mistake = "expected four hex digits after \\u";
  if (unit < 0) return NULL;
  at += 6;
  *mistake = "lone surrogate in \\u escape";
  if (is_low_surrogate(unit)) return NULL;
  if (is_high_surrogate(unit)) {
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u') return NULL;
    int low = read_hex(at + 2, end);
    if (!is_low_surrogate(low)) return NULL;
    at += 6;
    *code_point = 0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
  } else {
    *code_point = (uint32_t)unit;
  }
  *mistake = NULL;
  return at;
}

const char *ee_json_read_escape(const char *at, const char *end, uint32_t *code_point, const char **mistake) {
  *mistake = NULL;
  if (end - at < 2) return NULL;
  if (at[1] == 'u') return read_unicode_escape(at, end, code_point, mistake);
  *code_point = (uint32_t)ee_json_short_escapes[(unsigned char)at[1]];
  if (*code_point != 0) return at + 2;
  *mistake = "unknown escape in string";
  return NULL;
}

const char *ee_json_lone_surrogate(const char *at, const char *end) {
  uint32_t code_point;
  const char *mistake;
  bool lone = end - at >= 6 && at[1] == 'u' && ee_json_read_escape(at, end, &code_point, &mistake) == NULL &&
              read_hex(at + 2, end) >= 0xd800;
  return lone ? at + 6 : NULL;
}

/* Mistakes ------------------------------------------------------------------------------------- */

/* A mistake that is fewer bytes than this before the end of the text may come from the cut: the longest token that is
 * read as a whole is an escaped surrogate pair. (Strings are handled by fail_unterminated().) */
#define LONGEST_CUT 16

const char *ee_json_scan_fail(ee_json_scan *scan, const char *at, const char *mistake) {
  scan->mistake = at == scan->end ? "unexpected end of text" : mistake;
  scan->mistake_at = at;
  scan->cut = scan->end - at < LONGEST_CUT;
  return NULL;
}

const char *ee_json_value_mistake(const char *at, const char *end) {
  static const struct foreign {
    const char *word, *mistake;
  } words[] = {
      {"NaN", "NaN is not JSON: write null"},
      {"nan", "nan is not JSON: write null"},
      {"Infinity", "Infinity is not JSON: write null"},
      {"None", "None is Python and not JSON: write null"},
      {"True", "True is Python and not JSON: write true"},
      {"False", "False is Python and not JSON: write false"},
      {"undefined", "undefined is not JSON: write null"},
      {"'", "strings need double quotes, not single ones"},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t length = strlen(words[i].word);
    if ((size_t)(end - at) >= length && memcmp(at, words[i].word, length) == 0) return words[i].mistake;
  }
  return "expected a value";
}

static const char *fail_unterminated(ee_json_scan *scan, const char *opening) {
  ee_json_scan_fail(scan, opening, "unterminated string");
  scan->cut = true;
  return NULL;
}

/* Skips the string whose opening quote is at `at`. */
static const char *skip_string(ee_json_scan *scan, const char *at) {
  const char *opening = at++, *end = scan->end;
  for (;;) {
    /* UTF-8 is checked a run at a time. */
    size_t plain = ee_json_plain_length(at, (size_t)(end - at));
    if (!ee_is_ascii(at, plain)) {
      size_t valid = ee_utf8_valid_prefix(at, plain);
      if (valid < plain) return ee_json_scan_fail(scan, at + valid, "invalid UTF-8");
    }
    at += plain;
    if (at == end) return fail_unterminated(scan, opening);
    if (*at == '"') return at + 1;
    if (*at != '\\') return ee_json_scan_fail(scan, at, "control character in string");
    uint32_t code_point;
    const char *mistake, *after = ee_json_read_escape(at, end, &code_point, &mistake);
    if (after == NULL) return mistake != NULL ? ee_json_scan_fail(scan, at, mistake) : fail_unterminated(scan, opening);
    at = after;
  }
}

static const char *skip_word(ee_json_scan *scan, const char *at, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(scan->end - at) < length || memcmp(at, word, length) != 0)
    return ee_json_scan_fail(scan, at, ee_json_value_mistake(at, scan->end));
  return at + length;
}

static const char *skip_number(ee_json_scan *scan, const char *at) {
  size_t plain = ee_json_plain_number_length(at, scan->end);
  if (plain > 0) return at + plain;
  ee_json_number number;
  const char *mistake = NULL, *mistake_at = at;
  const char *after = ee_json_read_number(at, scan->end, &number, &mistake, &mistake_at);
  return after != NULL ? after : ee_json_scan_fail(scan, mistake_at, mistake);
}

#if defined(EE_JSON_SSE2)
/* A mask of 64 bits: the bytes for which `test` is true. */
#define BYTES_WHERE(test)                                                                                              \
  ((uint64_t)(unsigned)_mm_movemask_epi8(test(bytes[0])) |                                                             \
   (uint64_t)(unsigned)_mm_movemask_epi8(test(bytes[1])) << 16 |                                                       \
   (uint64_t)(unsigned)_mm_movemask_epi8(test(bytes[2])) << 32 |                                                       \
   (uint64_t)(unsigned)_mm_movemask_epi8(test(bytes[3])) << 48)
#define IS_DIGIT(v) _mm_cmplt_epi8(_mm_add_epi8(v, _mm_set1_epi8(80)), _mm_set1_epi8(-118)) /* '0' + 80 is -128 */
#define IS_POINT(v) _mm_cmpeq_epi8(v, _mm_set1_epi8('.'))
#define IS_COMMA(v) _mm_cmpeq_epi8(v, _mm_set1_epi8(','))
#define IS_SPACE(v) _mm_cmpeq_epi8(v, _mm_set1_epi8(' '))
#define IS_ZERO(v) _mm_cmpeq_epi8(v, _mm_set1_epi8('0'))

/* Skips array elements that are plain numbers (12, 3.25), each with a comma and at most one space after it, 64 bytes at
 * a time: COCO's files are mostly outlines. `at` is where an element may begin. Returns where the first element begins
 * that was not skipped. Skips only valid text, and need not skip all of it.
 *
 * Masks have a bit for each byte, the first byte lowest; a mask shifted left by one marks the bytes that follow. */
static const char *skip_plain_numbers(const char *at, const char *end) {
  while (end - at >= 64) {
    __m128i bytes[4];
    for (size_t i = 0; i < 4; i++) bytes[i] = _mm_loadu_si128((const __m128i *)(const void *)(at + 16 * i));
    uint64_t digits = BYTES_WHERE(IS_DIGIT), points = BYTES_WHERE(IS_POINT), commas = BYTES_WHERE(IS_COMMA);
    uint64_t spaces = BYTES_WHERE(IS_SPACE), zeros = BYTES_WHERE(IS_ZERO);
    uint64_t others = ~(digits | points | commas | spaces);
    if (others != 0) commas &= (others & -others) - 1;
    if (commas == 0) return at;
    unsigned last = 63u - (unsigned)__builtin_clzll(commas);
    uint64_t taken = UINT64_MAX >> (63 - last); /* up to the last comma */
    uint64_t after_comma = commas << 1 | 1;
    uint64_t starts = (after_comma & ~spaces) | spaces << 1;
    uint64_t fractions = points << 1; /* where they begin */
    uint64_t after_fraction =
        ((digits & taken) + (fractions & taken)) & ~digits; /* the carry runs through the digits */
    uint64_t wrong = ((commas | points) & ~(digits << 1)) | (spaces & ~after_comma) | (fractions & ~digits) |
                     (after_fraction & points) | (starts & zeros & digits >> 1);
    if ((wrong & taken) != 0) return at;
    at += last + 1;
  }
  return at;
}
#else
static const char *skip_plain_numbers(const char *at, const char *end) {
  (void)end;
  return at;
}
#endif

static const char *skip_scalar(ee_json_scan *scan, const char *at) {
  switch (*at) {
  case '"': return skip_string(scan, at);
  case 't': return skip_word(scan, at, "true");
  case 'f': return skip_word(scan, at, "false");
  case 'n': return skip_word(scan, at, "null");
  default:
    if (*at == '-' || ee_json_is_digit(*at)) return skip_number(scan, at);
    return ee_json_scan_fail(scan, at, ee_json_value_mistake(at, scan->end));
  }
}

/* The length of a key of up to 15 plain characters; 0 for any other key. */
static inline size_t short_key(const char *at, const char *end) {
#if defined(EE_JSON_SSE2)
  if (end - at < 16) return 0;
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
  __m128i special =
      _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
                   _mm_cmplt_epi8(bytes, _mm_set1_epi8(' ')));
  unsigned mask = (unsigned)_mm_movemask_epi8(special);
  if (mask == 0) return 0;
  size_t length = (size_t)__builtin_ctz(mask);
  return at[length] == '"' ? length : 0;
#else
  (void)at, (void)end;
  return 0;
#endif
}

/* Skips a key, its colon and white space. */
static const char *skip_key(ee_json_scan *scan, const char *at, ee_str *key) {
  at = ee_json_skip_space(at, scan->end);
  if (at == scan->end || *at != '"') return ee_json_scan_fail(scan, at, "expected a key in double quotes");
  size_t length = short_key(at + 1, scan->end);
  const char *after = length > 0 ? at + length + 2 : skip_string(scan, at);
  if (after == NULL) return NULL;
  *key = (ee_str){at + 1, (size_t)(after - at) - 2};
  at = ee_json_skip_space(after, scan->end);
  if (at == scan->end || *at != ':') return ee_json_scan_fail(scan, at, "expected ':'");
  return ee_json_skip_space(at + 1, scan->end);
}

const char *ee_json_next_member(ee_json_scan *scan, const char *at, bool first, ee_str *key, bool *done) {
  at = ee_json_skip_space(at, scan->end);
  *done = at < scan->end && *at == '}';
  if (*done) return at + 1;
  if (!first) {
    if (at == scan->end || *at != ',') return ee_json_scan_fail(scan, at, "expected ',' or '}'");
    at++;
  }
  return skip_key(scan, at, key);
}

const char *ee_json_next_element(ee_json_scan *scan, const char *at, bool first, bool *done) {
  at = ee_json_skip_space(at, scan->end);
  *done = at < scan->end && *at == ']';
  if (*done) return at + 1;
  if (!first) {
    if (at == scan->end || *at != ',') return ee_json_scan_fail(scan, at, "expected ',' or ']'");
    at++;
  }
  return ee_json_skip_space(at, scan->end);
}

/* The open containers, innermost last. */
typedef struct level_stack {
  size_t depth;
  uint64_t objects[EE_JSON_DEPTH_LIMIT / 64]; /* a bit a level */
} level_stack;

static void push(level_stack *stack, bool is_object) {
  uint64_t bit = UINT64_C(1) << (stack->depth % 64);
  uint64_t *bits = &stack->objects[stack->depth / 64];
  *bits = is_object ? *bits | bit : *bits & ~bit;
  stack->depth++;
}

static bool is_in_object(const level_stack *stack) {
  size_t level = stack->depth - 1;
  return (stack->objects[level / 64] >> (level % 64) & 1) != 0;
}

/* Goes from the end of a value, or from an opening bracket (`first`), to the next value, and closes levels on the way.
 * Depth 0 is the end. */
static const char *go_to_next_value(ee_json_scan *scan, const char *at, bool first, level_stack *stack) {
  while (stack->depth > 0) {
    bool closed;
    ee_str key;
    at = is_in_object(stack) ? ee_json_next_member(scan, at, first, &key, &closed)
                             : ee_json_next_element(scan, at, first, &closed);
    if (at == NULL || !closed) return at;
    stack->depth--;
    first = false;
  }
  return at;
}

const char *ee_json_skip_value(ee_json_scan *scan, const char *at) {
  level_stack stack = {.depth = 0};
  at = ee_json_skip_space(at, scan->end);
  do {
    if (at < scan->end && ee_json_is_digit(*at) && stack.depth > 0 && !is_in_object(&stack))
      at = ee_json_skip_space(skip_plain_numbers(at, scan->end), scan->end);
    if (at == scan->end) return ee_json_scan_fail(scan, at, "expected a value");
    bool opens = *at == '{' || *at == '[';
    if (opens) {
      if (stack.depth == EE_JSON_DEPTH_LIMIT) return ee_json_scan_fail(scan, at, "nesting deeper than 512");
      push(&stack, *at++ == '{');
    } else {
      at = skip_scalar(scan, at);
    }
    if (at != NULL) at = go_to_next_value(scan, at, opens, &stack);
  } while (at != NULL && stack.depth > 0);
  return at;
}

bool ee_json_key_is(ee_str key, const char *name) {
  size_t length = strlen(name);
  if (key.length == length) return memcmp(key.data, name, length) == 0;
  /* Only escapes make a key longer than its meaning. */
  if (key.length < length || memchr(key.data, '\\', key.length) == NULL) return false;
  const char *at = key.data, *end = key.data + key.length;
  for (; *name != '\0'; name++) {
    uint32_t code_point = 0;
    if (at == end) return false;
    if (*at == '\\') {
      const char *mistake;
      at = ee_json_read_escape(at, end, &code_point, &mistake);
      if (at == NULL) return false;
    } else {
      code_point = (unsigned char)*at++;
    }
    if (code_point != (unsigned char)*name) return false;
  }
  return at == end;
}

bool ee_json_whole_number(ee_str text, int64_t *number) {
  size_t length = 0;
  int64_t plain = 0;
  for (; length < text.length && length < 18 && ee_json_is_digit(text.data[length]); length++)
    plain = plain * 10 + (text.data[length] - '0');
  bool is_plain = length == text.length && length > 0 && (length == 1 || text.data[0] != '0');
  if (is_plain) return *number = plain, true;
  ee_json_number parts;
  const char *mistake, *mistake_at;
  if (text.length == 0 || (text.data[0] != '-' && !ee_json_is_digit(text.data[0]))) return false;
  if (ee_json_read_number(text.data, text.data + text.length, &parts, &mistake, &mistake_at) == NULL) return false;
  if (parts.digit_count > 19) return false;
  uint64_t digits = parts.digits;
  for (; digits != 0 && parts.exponent < 0; parts.exponent++, digits /= 10)
    if (digits % 10 != 0) return false;
  for (; digits != 0 && parts.exponent > 0; parts.exponent--, digits *= 10)
    if (digits > UINT64_C(99999999999999999)) return false;
  if (digits > UINT64_C(999999999999999999)) return false;
  *number = parts.negative ? -(int64_t)digits : (int64_t)digits;
  return true;
}
