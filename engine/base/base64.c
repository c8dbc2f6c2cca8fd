/* base64.c: three bytes as four characters, and back. */
#include "base/base64.h"

#include <stdint.h>

void ee_base64_write(ee_buffer *out, const void *data, size_t length) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *bytes = data;
  char *to = ee_buffer_reserve(out, (length + 2) / 3 * 4), *start = to;
  for (size_t i = 0; i < length; i += 3) {
    size_t left = length - i;
    unsigned bits =
        (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
    *to++ = digits[bits >> 18];
    *to++ = digits[bits >> 12 & 63];
    *to++ = left > 1 ? digits[bits >> 6 & 63] : '=';
    *to++ = left > 2 ? digits[bits & 63] : '=';
  }
  out->length += (size_t)(to - start);
}

/* 64: no digit. */
static unsigned value_of(char c) {
  if (c >= 'A' && c <= 'Z') return (unsigned)(c - 'A');
  if (c >= 'a' && c <= 'z') return (unsigned)(c - 'a' + 26);
  if (c >= '0' && c <= '9') return (unsigned)(c - '0' + 52);
  return c == '+' ? 62 : c == '/' ? 63 : 64;
}

bool ee_base64_read(ee_buffer *out, ee_str text) {
  if (text.length % 4 != 0) return false;
  if (text.length == 0) return true;
  size_t padding = 0;
  while (padding < 2 && text.data[text.length - 1 - padding] == '=') padding++;
  char *to = ee_buffer_reserve(out, text.length / 4 * 3);
  unsigned bits = 0, mistakes = 0;
  for (size_t i = 0; i < text.length; i++) {
    bool is_padding = i >= text.length - padding;
    unsigned value = is_padding ? 0 : value_of(text.data[i]);
    mistakes |= value & 64;
    bits = bits << 6 | (value & 63);
    if (i % 4 != 3) continue;
    *to++ = (char)(bits >> 16 & 255);
    *to++ = (char)(bits >> 8 & 255);
    *to++ = (char)(bits & 255);
    if (i + 1 < text.length) bits = 0;
  }
  /* The bits after the last byte are 0. */
  if (mistakes != 0 || (bits & ((1u << 8 * padding) - 1)) != 0) return false;
  out->length += text.length / 4 * 3 - padding;
  return true;
}
