/* json_scan.c: a stack of one bit a level is all that skipping a value needs. */
#include "data/json_scan.h"

#include "data/json_reader.h"
#include "data/json_token.h"

const char *ee_json_scan_fail(ee_json_scan *scan, const char *at, const char *mistake) {
  if (scan->mistake != NULL) return NULL;
  scan->mistake = at == scan->end ? "unexpected end of text" : mistake;
  scan->mistake_at = at;
  return NULL;
}

const char *ee_json_skip_string(ee_json_scan *scan, const char *at) {
  const char *opening = at++, *end = scan->end;
  for (;;) {
    /* Bytes above 0x7f come through here unseen: each run is checked as a whole. */
    size_t plain = ee_json_plain_length(at, (size_t)(end - at));
    if (!ee_is_ascii(at, plain)) {
      size_t valid = ee_utf8_valid_prefix(at, plain);
      if (valid < plain) return ee_json_scan_fail(scan, at + valid, "invalid UTF-8");
    }
    at += plain;
    if (at == end) return ee_json_scan_fail(scan, opening, "unterminated string");
    if (*at == '"') return at + 1;
    if (*at != '\\') return ee_json_scan_fail(scan, at, "control character in string");
    uint32_t code_point;
    const char *mistake, *behind = ee_json_read_escape(at, end, &code_point, &mistake);
    if (behind == NULL)
      return ee_json_scan_fail(scan, mistake != NULL ? at : opening, mistake != NULL ? mistake : "unterminated string");
    at = behind;
  }
}

static const char *skip_word(ee_json_scan *scan, const char *at, const char *word) {
  size_t length = strlen(word);
  if ((size_t)(scan->end - at) < length || memcmp(at, word, length) != 0)
    return ee_json_scan_fail(scan, at, "expected a value");
  return at + length;
}

static const char *skip_number(ee_json_scan *scan, const char *at) {
  ee_json_number number;
  const char *mistake = NULL, *mistake_at = at;
  const char *behind = ee_json_read_number(at, scan->end, &number, &mistake, &mistake_at);
  return behind != NULL ? behind : ee_json_scan_fail(scan, mistake_at, mistake);
}

static const char *skip_scalar(ee_json_scan *scan, const char *at) {
  switch (*at) {
  case '"': return ee_json_skip_string(scan, at);
  case 't': return skip_word(scan, at, "true");
  case 'f': return skip_word(scan, at, "false");
  case 'n': return skip_word(scan, at, "null");
  default:
    if (*at == '-' || ee_json_is_digit(*at)) return skip_number(scan, at);
    return ee_json_scan_fail(scan, at, "expected a value");
  }
}

/* A key with its colon; returns the place of the value. */
static const char *skip_key(ee_json_scan *scan, const char *at, ee_str *key) {
  at = ee_json_skip_space(at, scan->end);
  if (at == scan->end || *at != '"') return ee_json_scan_fail(scan, at, "expected a key in double quotes");
  const char *behind = ee_json_skip_string(scan, at);
  if (behind == NULL) return NULL;
  *key = (ee_str){at + 1, (size_t)(behind - at) - 2};
  at = ee_json_skip_space(behind, scan->end);
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

/* From behind a value, or behind an opening bracket (`first`), to the next value; closes the levels that end on the way.
 * With depth 0 everything is done. */
static const char *go_on(ee_json_scan *scan, const char *at, bool first, level_stack *stack) {
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
    if (at == scan->end) return ee_json_scan_fail(scan, at, "expected a value");
    bool opens = *at == '{' || *at == '[';
    if (opens) {
      if (stack.depth == EE_JSON_DEPTH_LIMIT) return ee_json_scan_fail(scan, at, "nesting deeper than 512");
      push(&stack, *at++ == '{');
    } else {
      at = skip_scalar(scan, at);
    }
    if (at != NULL) at = go_on(scan, at, opens, &stack);
  } while (at != NULL && stack.depth > 0);
  return at;
}

bool ee_json_key_is(ee_str key, const char *name) {
  size_t length = strlen(name);
  if (key.length == length) return memcmp(key.data, name, length) == 0;
  /* Longer than what it means only by escapes. */
  if (key.length < length || memchr(key.data, '\\', key.length) == NULL) return false;
  const char *at = key.data, *end = key.data + key.length;
  for (; *name != '\0'; name++) {
    uint32_t code_point = 0;
    if (at == end) return false;
    if (*at == '\\') {
      const char *mistake;
      at = ee_json_read_escape(at, end, &code_point, &mistake);
    } else {
      code_point = (unsigned char)*at++;
    }
    if (code_point != (unsigned char)*name) return false;
  }
  return at == end;
}

bool ee_json_whole_number(ee_str text, int64_t *number) {
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
