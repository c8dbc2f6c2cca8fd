/* json_token.c: the escapes of JSON strings, which are too rare to be inline. */
#include "data/json/json_token.h"

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
  switch (at[1]) {
  case '"':
  case '\\':
  case '/': *code_point = (uint32_t)at[1]; break;
  case 'b': *code_point = '\b'; break;
  case 'f': *code_point = '\f'; break;
  case 'n': *code_point = '\n'; break;
  case 'r': *code_point = '\r'; break;
  case 't': *code_point = '\t'; break;
  case 'u': return read_unicode_escape(at, end, code_point, mistake);
  default: *mistake = "unknown escape in string"; return NULL;
  }
  return at + 2;
}
