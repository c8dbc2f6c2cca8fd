/* unicode.c: offsets in units of a text, and how a text looks on a terminal. */
#include "prim/unicode.h"

#include "base/printable.h"

#include <stdio.h>
#include <utf8proc.h>

/* Units ----------------------------------------------------------------------------------------- */

static const char *const names[] = {"utf16_code_unit", "code_point", "utf8_byte"};

const char *ee_text_unit_name(ee_text_unit unit) { return names[unit]; }

bool ee_text_unit_find(ee_str name, ee_text_unit *unit) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!ee_str_is(name, names[i])) continue;
    *unit = (ee_text_unit)i;
    return true;
  }
  return false;
}

/* The number of units of the character that begins with `byte`. */
static unsigned units_of(ee_text_unit unit, unsigned char byte) {
  return unit == EE_UNIT_UTF16 && byte >= 0xF0 ? 2 : 1;
}

static size_t bytes_of(unsigned char byte) { return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4; }

static uint64_t count_units(ee_str text, ee_text_unit unit) {
  uint64_t count = 0;
  for (size_t i = 0; i < text.length; i++) {
    unsigned char byte = (unsigned char)text.data[i];
    /* Each first byte of a character counts once, and in UTF-16 twice if the character has four bytes. */
    count += (byte & 0xC0) != 0x80;
    count += unit == EE_UNIT_UTF16 && byte >= 0xF0;
  }
  return count;
}

void ee_unit_index_build(ee_unit_index *index, ee_arena *arena, ee_str text, ee_text_unit unit) {
  *index = (ee_unit_index){.text = text, .unit = unit, .length = text.length};
  if (unit == EE_UNIT_UTF8 || ee_is_ascii(text.data, text.length)) return;
  index->length = count_units(text, unit);
  uint64_t *marks = ee_arena_alloc(arena, (size_t)(index->length / EE_UNIT_STRIDE + 1) * sizeof *marks);
  uint64_t units = 0, next_mark = 0;
  for (size_t at = 0; at < text.length;) {
    unsigned char byte = (unsigned char)text.data[at];
    /* A character of two units may step over a mark, but never over two. */
    if (units >= next_mark) {
      marks[next_mark / EE_UNIT_STRIDE] = (uint64_t)at << 1 | (units - next_mark);
      next_mark += EE_UNIT_STRIDE;
    }
    units += units_of(unit, byte);
    at += bytes_of(byte);
  }
  if (units >= next_mark) marks[next_mark / EE_UNIT_STRIDE] = (uint64_t)text.length << 1 | (units - next_mark);
  index->marks = marks;
}

/* An offset: at the character that begins at byte `at`, or inside it. */
typedef struct place {
  size_t at;
  bool inside;
} place;

static size_t character_before(ee_str text, size_t at) {
  do at--;
  while (((unsigned char)text.data[at] & 0xC0) == 0x80);
  return at;
}

static place find(const ee_unit_index *index, uint64_t offset) {
  ee_str text = index->text;
  if (index->marks == NULL) {
    size_t at = (size_t)offset;
    if (at == text.length || ((unsigned char)text.data[at] & 0xC0) != 0x80) return (place){at, false};
    return (place){character_before(text, at), true};
  }
  uint64_t mark = index->marks[offset / EE_UNIT_STRIDE];
  uint64_t units = offset / EE_UNIT_STRIDE * EE_UNIT_STRIDE + (mark & 1);
  size_t at = (size_t)(mark >> 1);
  if (units > offset) return (place){character_before(text, at), true};
  while (units < offset) {
    unsigned char byte = (unsigned char)text.data[at];
    units += units_of(index->unit, byte);
    if (units > offset) return (place){at, true};
    at += bytes_of(byte);
  }
  return (place){at, false};
}

ee_unit_slice ee_unit_index_slice(const ee_unit_index *index, uint64_t start, uint64_t end) {
  place from = find(index, start), to = find(index, end);
  size_t first = from.at, last = to.at;
  if (from.inside) first += bytes_of((unsigned char)index->text.data[first]);
  /* Both are inside one character. */
  if (last < first) last = first;
  return (ee_unit_slice){{index->text.data + first, last - first}, from.inside, to.inside};
}

uint64_t ee_unit_index_of_byte(const ee_unit_index *index, size_t at) {
  if (index->marks == NULL) return at;
  /* The last mark at or before `at`. */
  uint64_t low = 0, high = index->length / EE_UNIT_STRIDE;
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (index->marks[middle] >> 1 <= at)
      low = middle;
    else
      high = middle - 1;
  }
  uint64_t units = low * EE_UNIT_STRIDE + (index->marks[low] & 1);
  for (size_t byte = (size_t)(index->marks[low] >> 1); byte < at;) {
    unsigned char head = (unsigned char)index->text.data[byte];
    units += units_of(index->unit, head);
    byte += bytes_of(head);
  }
  return units;
}

/* Width ----------------------------------------------------------------------------------------- */

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

/* Printable text -------------------------------------------------------------------------------- */

ee_str ee_text_printable(ee_str text, ee_arena *arena) {
  if (ee_printable_prefix(text, EE_PRINT_LINE) == text.length) return text;
  ee_buffer out;
  ee_buffer_init(&out);
  ee_add_printable(&out, text, EE_PRINT_LINE);
  ee_str copy = {ee_arena_copy(arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return copy;
}

/* Shortening ------------------------------------------------------------------------------------ */

/* Bytes of the longest prefix of at most `columns`, with the combining marks of its last character. */
static size_t prefix_of(ee_str text, size_t columns) {
  size_t at = 0, used = 0;
  while (at < text.length) { /* unreached: the end; the text is wider */
    uint32_t c = 0;
    size_t length = ee_utf8_decode(text.data + at, text.length - at, &c);
    if (length == 0 || used + width_of(c) > columns) break; /* unreached: bad bytes, which end its width before */
    used += width_of(c);
    at += length;
  }
  return at;
}

/* The start of the longest suffix of at most `columns`; it does not begin with combining marks. */
static size_t suffix_of(ee_str text, size_t columns) {
  size_t start = text.length, used = 0;
  for (size_t at = text.length; at > 0;) { /* unreached: the start; the text is wider */
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
