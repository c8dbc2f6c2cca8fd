/* width.c: columns of text on a terminal. */
#include "prim/width.h"

#include <stdio.h>
#include <utf8proc.h>

static size_t width_of(uint32_t code_point) {
  int width = utf8proc_charwidth((utf8proc_int32_t)code_point);
  return width > 0 ? (size_t)width : 0;
}

size_t ee_text_width(ee_str text) {
  if (ee_is_ascii(text.data, text.length)) return text.length;
  size_t width = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t code_point = 0;
    size_t length = ee_utf8_decode(text.data + at, text.length - at, &code_point);
    if (length == 0) break;
    width += width_of(code_point);
    at += length;
  }
  return width;
}

/* Printable text ----------------------------------------------------------------------------------------------------
 */

bool ee_is_harmful(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

/* Room for the longest escape, \uXXXX and its NUL. */
enum { ESCAPE_ROOM = 8 };

static size_t escape(uint32_t c, char out[ESCAPE_ROOM]) {
  const char *letter = c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\t' ? "\\t" : NULL;
  int written = letter != NULL ? snprintf(out, ESCAPE_ROOM, "%s", letter)
                               : snprintf(out, ESCAPE_ROOM, "\\u%04x", (unsigned)(c & 0xffff));
  return (size_t)written;
}

ee_str ee_text_printable(ee_str text, ee_arena *arena) {
  char *copy = NULL;
  size_t written = 0;
  for (size_t at = 0; at < text.length;) {
    uint32_t c = 0;
    size_t length = ee_utf8_decode(text.data + at, text.length - at, &c);
    if (length == 0) break;
    if (ee_is_harmful(c)) {
      if (copy == NULL) {
        copy = ee_arena_alloc(arena, at + (text.length - at) * ESCAPE_ROOM);
        memcpy(copy, text.data, at);
        written = at;
      }
      written += escape(c, copy + written);
    } else if (copy != NULL) {
      memcpy(copy + written, text.data + at, length);
      written += length;
    }
    at += length;
  }
  return copy != NULL ? (ee_str){copy, written} : text;
}

/* Shortening --------------------------------------------------------------------------------------------------------
 */

/* Bytes of the longest prefix of at most `columns`; marks that combine with its last character belong to it. */
static size_t prefix_of(ee_str text, size_t columns) {
  size_t at = 0, used = 0;
  while (at < text.length) {
    uint32_t c = 0;
    size_t length = ee_utf8_decode(text.data + at, text.length - at, &c);
    if (length == 0 || used + width_of(c) > columns) break;
    used += width_of(c);
    at += length;
  }
  return at;
}

/* Where the longest suffix of at most `columns` starts; it does not start with a mark whose character was cut off. */
static size_t suffix_of(ee_str text, size_t columns) {
  size_t start = text.length, used = 0;
  for (size_t at = text.length; at > 0;) {
    size_t end = at;
    do at--;
    while (at > 0 && ((unsigned char)text.data[at] & 0xc0) == 0x80);
    uint32_t c = 0;
    if (ee_utf8_decode(text.data + at, end - at, &c) == 0) break;
    size_t width = width_of(c);
    if (used + width > columns) break;
    used += width;
    if (width > 0) start = at;
  }
  return start;
}

ee_str ee_text_shorten(ee_str text, size_t columns, ee_arena *arena) {
  if (ee_text_width(text) <= columns) return text;
  static const char dots[] = "\xe2\x80\xa6";
  size_t front = prefix_of(text, (columns - 1) / 2);
  size_t back = suffix_of(text, columns - 1 - (columns - 1) / 2);
  size_t length = front + 3 + (text.length - back);
  char *out = ee_arena_alloc(arena, length + 1);
  memcpy(out, text.data, front);
  memcpy(out + front, dots, 3);
  memcpy(out + front + 3, text.data + back, text.length - back);
  out[length] = '\0';
  return (ee_str){out, length};
}
