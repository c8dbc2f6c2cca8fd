/* str.c: slices, UTF-8, white space and shell-like patterns. */
#include "base/str.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

int ee_str_compare(ee_str a, ee_str b) {
  size_t shorter = a.length < b.length ? a.length : b.length;
  int order = shorter > 0 ? memcmp(a.data, b.data, shorter) : 0;
  return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

/* UTF-8 ---------------------------------------------------------------------------------------- */

static bool is_continuation(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

size_t ee_utf8_decode_any(const char *text, size_t length, uint32_t *code_point) {
  const unsigned char *b = (const unsigned char *)text;
  if (b[0] < 0x80) {
    *code_point = b[0];
    return 1;
  }
  if (b[0] < 0xc2) return 0; /* a continuation, or an overlong form of ASCII */
  if (b[0] < 0xe0) {
    if (length < 2 || (b[1] & 0xc0) != 0x80) return 0;
    *code_point = (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu);
    return 2;
  }
  if (b[0] < 0xf0) {
    if (length < 3 || (b[1] & 0xc0) != 0x80 || (b[2] & 0xc0) != 0x80) return 0;
    uint32_t c = (b[0] & 0x0fu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
    if (c < 0x800 || (c >= 0xd800 && c <= 0xdfff)) return 0;
    *code_point = c;
    return 3;
  }
  if (b[0] > 0xf4 || length < 4) return 0;
  if ((b[1] & 0xc0) != 0x80 || (b[2] & 0xc0) != 0x80 || (b[3] & 0xc0) != 0x80) return 0;
  uint32_t c = (b[0] & 0x07u) << 18 | (b[1] & 0x3fu) << 12 | (b[2] & 0x3fu) << 6 | (b[3] & 0x3fu);
  if (c < 0x10000 || c > 0x10ffff) return 0;
  *code_point = c;
  return 4;
}

size_t ee_utf8_encode_any(uint32_t code_point, char out[4]) {
  if (code_point < 0x80) {
    out[0] = (char)code_point;
    return 1;
  }
  if (code_point < 0x800) {
    out[0] = (char)(0xc0 | code_point >> 6);
    out[1] = (char)(0x80 | (code_point & 0x3f));
    return 2;
  }
  if (code_point < 0x10000) {
    out[0] = (char)(0xe0 | code_point >> 12);
    out[1] = (char)(0x80 | (code_point >> 6 & 0x3f));
    out[2] = (char)(0x80 | (code_point & 0x3f));
    return 3;
  }
  out[0] = (char)(0xf0 | code_point >> 18);
  out[1] = (char)(0x80 | (code_point >> 12 & 0x3f));
  out[2] = (char)(0x80 | (code_point >> 6 & 0x3f));
  out[3] = (char)(0x80 | (code_point & 0x3f));
  return 4;
}

/* The number of leading bytes below 128. Most data is ASCII, so this loop decides the speed of reading. */
static size_t ascii_prefix(const char *text, size_t length) {
  size_t i = 0;
#ifdef __SSE2__
  for (; i + 64 <= length; i += 64) {
    const __m128i *block = (const __m128i *)(const void *)(text + i);
    __m128i a = _mm_or_si128(_mm_loadu_si128(block), _mm_loadu_si128(block + 1));
    __m128i b = _mm_or_si128(_mm_loadu_si128(block + 2), _mm_loadu_si128(block + 3));
    if (_mm_movemask_epi8(_mm_or_si128(a, b)) != 0) break;
  }
  for (; i + 16 <= length; i += 16) {
    int high = _mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)(text + i)));
    if (high != 0) return i + (size_t)__builtin_ctz((unsigned)high);
  }
#else
  for (; i + 32 <= length; i += 32) {
    uint64_t words[4];
    memcpy(words, text + i, sizeof(words));
    if (((words[0] | words[1] | words[2] | words[3]) & UINT64_C(0x8080808080808080)) != 0) break;
  }
  for (; i + 8 <= length; i += 8) {
    uint64_t word;
    memcpy(&word, text + i, sizeof(word));
    if ((word & UINT64_C(0x8080808080808080)) != 0) break;
  }
#endif
  while (i < length && (unsigned char)text[i] < 0x80) i += 1;
  return i;
}

size_t ee_utf8_valid_prefix(const char *text, size_t length) {
  if (length == 0) return 0; /* `text` may be NULL then */
  size_t i = 0;
  for (;;) {
    i += ascii_prefix(text + i, length - i);
    while (i < length && (unsigned char)text[i] >= 0x80) {
      uint32_t ignored;
      size_t step = ee_utf8_decode(text + i, length - i, &ignored);
      if (step == 0) return i;
      i += step;
    }
    if (i >= length) return length;
  }
}

/* Every code point has exactly one byte that is not a continuation. Eight bytes at a time: a byte with bit 7 set and
 * bit 6 clear is a continuation; the multiplication adds the eight marks into the top byte. */
size_t ee_utf8_count(const char *text, size_t length) {
  const uint64_t ones = UINT64_C(0x0101010101010101);
  size_t continuations = 0;
  size_t i = 0;
  for (; i + 8 <= length; i += 8) {
    uint64_t word;
    memcpy(&word, text + i, sizeof(word));
    continuations += (size_t)(((word >> 7 & ~word >> 6 & ones) * ones) >> 56);
  }
  for (; i < length; i++) continuations += is_continuation(text[i]);
  return length - continuations;
}

size_t ee_utf8_cut(ee_str text, size_t limit) {
  if (text.length <= limit) return text.length;
  size_t cut = limit;
  while (cut > 0 && limit - cut < 3 && is_continuation(text.data[cut])) cut -= 1;
  return cut;
}

bool ee_is_ascii(const char *text, size_t length) { return ascii_prefix(text, length) == length; }

/* White space ---------------------------------------------------------------------------------- */

bool ee_is_space(uint32_t code_point) {
  if (code_point <= 0x20) return code_point == 0x20 || (code_point >= 0x09 && code_point <= 0x0d);
  if (code_point >= 0x2000 && code_point <= 0x200a) return true;
  switch (code_point) {
  case 0x85:
  case 0xa0:
  case 0x1680:
  case 0x2028:
  case 0x2029:
  case 0x202f:
  case 0x205f:
  case 0x3000: return true;
  default: return false;
  }
}

/* The length of the white space at the start of `text`. */
static size_t leading_space(ee_str text) {
  size_t i = 0;
  while (i < text.length) {
    uint32_t code_point;
    size_t step = ee_utf8_decode(text.data + i, text.length - i, &code_point);
    if (step == 0 || !ee_is_space(code_point)) break;
    i += step;
  }
  return i;
}

bool ee_str_cut(ee_str *text, ee_str prefix, ee_str suffix) {
  if (text->length <= prefix.length + suffix.length) return false;
  ee_str middle = {text->data + prefix.length, text->length - prefix.length - suffix.length};
  if (!ee_str_equal((ee_str){text->data, prefix.length}, prefix) ||
      !ee_str_equal((ee_str){middle.data + middle.length, suffix.length}, suffix))
    return false;
  *text = middle;
  return true;
}

/* Whether a byte is outside of white space: neither the first byte of such a code point nor the last one. */
static bool is_no_space(char c) {
  unsigned char byte = (unsigned char)c;
  return (byte > 0x20 && byte < 0x80) || (byte >= 0xb0 && byte < 0xc2) || (byte >= 0xc3 && byte < 0xe1) || byte >= 0xe4;
}

ee_str ee_str_trim(ee_str text) {
  if (text.length > 0 && is_no_space(text.data[0]) && is_no_space(text.data[text.length - 1])) return text;
  size_t start = leading_space(text);
  size_t end = text.length;
  while (end > start) {
    size_t last = end - 1;
    while (last > start && end - last < 4 && is_continuation(text.data[last])) last -= 1;
    uint32_t code_point;
    size_t step = ee_utf8_decode(text.data + last, end - last, &code_point);
    if (step != end - last || !ee_is_space(code_point)) break;
    end = last;
  }
  return (ee_str){start > 0 ? text.data + start : text.data, end - start};
}

bool ee_str_is_blank(ee_str text) { return leading_space(text) == text.length; }

/* Patterns ------------------------------------------------------------------------------------- */

/* Returns the code point at `*at` and moves past it. A byte that is not UTF-8 becomes a symbol of its own past
 * U+10FFFF. */
static uint32_t next_symbol(const char **at, const char *end) {
  uint32_t code_point;
  size_t step = ee_utf8_decode(*at, (size_t)(end - *at), &code_point);
  if (step == 0) {
    code_point = 0x110000u + (unsigned char)**at;
    step = 1;
  }
  *at += step;
  return code_point;
}

/* The symbol of a pattern at `*at`, which a backslash may quote; a backslash at the end is literal. */
static uint32_t next_literal(const char **at, const char *end) {
  if (**at == '\\' && *at + 1 < end) *at += 1;
  return next_symbol(at, end);
}

/* Tests `symbol` against the class whose `[` is at `*at`, and moves past the `]`. Returns -1 without moving if there is
 * no
 * `]`: the bracket is then literal, as in the shell. */
static int match_class(const char **at, const char *end, uint32_t symbol) {
  const char *p = *at + 1;
  bool negated = p < end && (*p == '!' || *p == '^');
  if (negated) p += 1;
  bool found = false;
  for (bool first = true; p < end; first = false) {
    if (*p == ']' && !first) {
      *at = p + 1;
      return found != negated;
    }
    uint32_t low = next_literal(&p, end);
    uint32_t high = low;
    if (p + 1 < end && p[0] == '-' && p[1] != ']') {
      p += 1;
      high = next_literal(&p, end);
    }
    if (low <= symbol && symbol <= high) found = true;
  }
  return -1;
}

/* Tests `symbol` against the element of the pattern at `*at`, which is not a star, and moves past it. */
static bool match_one(const char **at, const char *end, uint32_t symbol) {
  if (**at == '?') {
    *at += 1;
    return true;
  }
  if (**at == '[') {
    int matched = match_class(at, end, symbol);
    if (matched >= 0) return matched == 1;
  }
  return next_literal(at, end) == symbol;
}

/* Only the last star needs backtracking: matching more with an earlier star cannot help. */
bool ee_glob_match(const char *pattern, ee_str text) {
  const char *p = pattern;
  const char *p_end = pattern + strlen(pattern);
  const char *t = text.data;
  const char *t_end = text.length > 0 ? text.data + text.length : text.data;
  const char *after_star = NULL;
  const char *retry = NULL;
  while (t < t_end) {
    if (p < p_end && *p == '*') {
      after_star = ++p;
      retry = t;
      continue;
    }
    const char *next = t;
    uint32_t symbol = next_symbol(&next, t_end);
    if (p < p_end && match_one(&p, p_end, symbol)) {
      t = next;
      continue;
    }
    if (after_star == NULL) return false;
    p = after_star;
    next_symbol(&retry, t_end);
    t = retry;
  }
  while (p < p_end && *p == '*') p += 1;
  return p == p_end;
}
