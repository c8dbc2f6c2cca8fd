/* str.h: slices of text, UTF-8, white space and shell-like patterns.
 *
 * A slice borrows its bytes; it may contain NUL. */
#ifndef EE_BASE_STR_H
#define EE_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ee_str {
  const char *data;
  size_t length; /* bytes */
} ee_str;

#define EE_STR(literal) ((ee_str){(literal), sizeof(literal) - 1})
/* The two arguments of "%.*s". */
#define EE_STR_ARG(str) (int)(str).length, (str).data

static inline ee_str ee_str_from(const char *text) { return (ee_str){text, strlen(text)}; }
static inline bool ee_str_equal(ee_str a, ee_str b) {
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): a text of some length has bytes
  return a.length == b.length && (a.data == b.data || a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}
static inline bool ee_str_is(ee_str a, const char *text) { return ee_str_equal(a, ee_str_from(text)); }

/* Bytewise order, which for UTF-8 is the order of code points: < 0, 0, > 0. */
int ee_str_compare(ee_str a, ee_str b);

/* The same as ee_utf8_decode() and ee_utf8_encode(), which are short for what is in most texts. */
size_t ee_utf8_decode_any(const char *text, size_t length, uint32_t *code_point);
size_t ee_utf8_encode_any(uint32_t code_point, char out[4]);

/* Decodes the code point that starts at `text[0]` of `length` > 0 bytes. Returns its length in bytes, 1..4, or 0 if the
 * bytes are not valid UTF-8 (overlong, surrogate, past U+10FFFF, cut); `*code_point` is then not set. */
static inline size_t ee_utf8_decode(const char *text, size_t length, uint32_t *code_point) {
  unsigned first = (unsigned char)text[0];
  if (first < 0x80) {
    *code_point = first;
    return 1;
  }
  if (length >= 2 && first >= 0xc2 && first < 0xe0 && ((unsigned char)text[1] & 0xc0) == 0x80) {
    *code_point = (first & 0x1f) << 6 | ((unsigned char)text[1] & 0x3f);
    return 2;
  }
  return ee_utf8_decode_any(text, length, code_point);
}

/* Writes `code_point` (valid, not a surrogate) to `out`; returns the bytes written, 1..4. */
static inline size_t ee_utf8_encode(uint32_t code_point, char out[4]) {
  if (code_point < 0x80) {
    out[0] = (char)code_point;
    return 1;
  }
  if (code_point >= 0x800) return ee_utf8_encode_any(code_point, out);
  out[0] = (char)(0xc0 | code_point >> 6);
  out[1] = (char)(0x80 | (code_point & 0x3f));
  return 2;
}

/* The number of leading bytes that are valid UTF-8; `length` if all are. Several GB/s on ASCII. */
size_t ee_utf8_valid_prefix(const char *text, size_t length);

/* The number of code points in valid UTF-8. */
size_t ee_utf8_count(const char *text, size_t length);

/* The length in bytes of the longest prefix of valid UTF-8 `text` that is at most `limit` bytes and cuts no code
 * point. */
size_t ee_utf8_cut(ee_str text, size_t limit);

/* True if no byte is above 127. */
bool ee_is_ascii(const char *text, size_t length);

/* Unicode's White_Space property. */
bool ee_is_space(uint32_t code_point);

/* `text` (valid UTF-8) without white space at both ends. */
ee_str ee_str_trim(ee_str text);

/* Takes both ends off `text` if it has them, with something between them; else returns false. */
bool ee_str_cut(ee_str *text, ee_str prefix, ee_str suffix);

/* True if `text` (valid UTF-8) is empty or only white space. */
bool ee_str_is_blank(ee_str text);

/* The value of a hexadecimal digit of either case; -1 for any other character. */
static inline int ee_hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = (char)(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Shell-like match of the whole text: `*` any run, `?` any code point, `[a-z]` a class, `[!a-z]` or `[^a-z]` its
 * complement,
 * `\` quotes. A `[` without a `]` is literal. O(length of the pattern * length of the text). */
bool ee_glob_match(const char *pattern, ee_str text);

#endif
