/* audit_values.c: values of the truth as texts and numbers. */
#include <math.h>

#include "audit/checks.h"
#include "data/json/json_writer.h"
#include "prim/normalize.h"
#include "prim/number.h"

ee_str ee_audit_text(const ee_value *value, size_t limit, ee_arena *arena) {
  ee_str text = ee_type_of(value) == EE_STRING ? ee_value_text(value) : (ee_str){NULL, 0};
  if (text.data == NULL) {
    ee_buffer json;
    ee_buffer_init(&json);
    ee_json_write_value(&json, value);
    text = (ee_str){ee_arena_copy(arena, json.data, json.length), json.length};
    ee_buffer_fini(&json);
  }
  if (text.length <= limit) return text;
  size_t kept = ee_utf8_cut(text, limit);
  char *cut = ee_arena_alloc(arena, kept + 3);
  memcpy(cut, text.data, kept);
  memcpy(cut + kept, "\xe2\x80\xa6", 3);
  return (ee_str){cut, kept + 3};
}

ee_str ee_audit_without_indices(ee_str path, ee_arena *arena) {
  char *out = ee_arena_alloc(arena, path.length + 2);
  size_t length = 0;
  for (size_t i = 0; i < path.length;) {
    out[length++] = path.data[i++];
    size_t digits = i;
    while (out[length - 1] == '[' && digits < path.length && (unsigned char)(path.data[digits] - '0') < 10) digits++;
    if (digits == i) continue;
    out[length++] = '*'; /* one digit at least: no longer than it was */
    i = digits;
  }
  return (ee_str){out, length};
}

ee_str ee_audit_fold(ee_str text, ee_arena *arena) {
  static const uint8_t forms[] = {EE_NORMAL_NFKC, EE_NORMAL_CASEFOLD, EE_NORMAL_COLLAPSE_SPACE, EE_NORMAL_TRIM};
  return ee_normalize(text, forms, sizeof forms, arena);
}

static int decimals_of(ee_str digits) {
  int count = -1;
  for (size_t i = 0; i < digits.length; i++) {
    if (digits.data[i] == '.')
      count = 0;
    else if (digits.data[i] == 'e' || digits.data[i] == 'E')
      break;
    else if (count >= 0)
      count++;
  }
  return count < 0 ? 0 : count;
}

bool ee_audit_number(const ee_value *value, char decimal, ee_arena *scratch, double *number, int *decimals) {
  ee_str digits;
  char text[32];
  if (ee_type_of(value) == EE_NUMBER) {
    *number = ee_value_number(value);
    digits = ee_value_number_text(value, text);
  } else if (ee_type_of(value) == EE_STRING) {
    const ee_number_format format = {.decimal = decimal, .money = true, .percent = true};
    if (!ee_number_parse(ee_value_text(value), format, scratch, number, &digits)) return false;
  } else {
    return false;
  }
  if (decimals != NULL) *decimals = decimals_of(digits);
  return isfinite(*number);
}

/* Code points of a short text; 0 if it is too long. */
#define SHORT 128
static size_t decode(ee_str text, uint32_t out[SHORT]) {
  if (text.length > SHORT) return 0;
  size_t count = 0;
  for (size_t at = 0; at < text.length;) {
    size_t bytes = ee_utf8_decode(text.data + at, text.length - at, &out[count++]);
    at += bytes > 0 ? bytes : 1;
  }
  return count;
}

bool ee_audit_one_edit(ee_str a, ee_str b) {
  uint32_t x[SHORT], y[SHORT];
  size_t m = decode(a, x), n = decode(b, y);
  if (m == 0 || n == 0) return false;
  size_t start = 0, end = 0; /* lengths of the common prefix and of the common suffix after it */
  while (start < m && start < n && x[start] == y[start]) start++;
  while (end < m - start && end < n - start && x[m - 1 - end] == y[n - 1 - end]) end++;
  size_t left = m - start - end, right = n - start - end;
  if (left + right == 1 || (left == 1 && right == 1)) return true;
  return left == 2 && right == 2 && x[start] == y[start + 1] && x[start + 1] == y[start];
}
