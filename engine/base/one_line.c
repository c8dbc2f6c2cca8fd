/* one_line.c: what a server or a program said, fit to stand in a message. */
#include "base/one_line.h"

/* Unicode's control characters, and its two line breaks of their own. */
static bool breaks_a_line(uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) || code_point == 0x2028 || code_point == 0x2029;
}

/* The secret is looked for in the text as it came: what is replaced elsewhere is no part of printable ASCII. */
static bool starts_with(ee_str text, size_t at, ee_str secret) {
  return secret.length > 0 && text.length - at >= secret.length &&
         memcmp(text.data + at, secret.data, secret.length) == 0;
}

void ee_one_line(ee_buffer *out, ee_str text, ee_str secret, size_t limit) {
  size_t start = out->length;
  for (size_t i = 0; i < text.length && out->length - start <= limit;) {
    if (starts_with(text, i, secret)) {
      ee_buffer_add_text(out, "***");
      i += secret.length;
      continue;
    }
    uint32_t code_point;
    size_t step = ee_utf8_decode(text.data + i, text.length - i, &code_point);
    if (step == 0) {
      ee_buffer_add_char(out, '?');
    } else if (breaks_a_line(code_point)) {
      ee_buffer_add_char(out, ' ');
    } else {
      ee_buffer_add(out, text.data + i, step);
    }
    i += step > 0 ? step : 1;
  }
  if (out->length - start <= limit) return;
  out->length = start + ee_utf8_cut((ee_str){out->data + start, out->length - start}, limit - 3);
  ee_buffer_add_text(out, "...");
}
