/* text_units.c: a mark every so many units, and a short walk from there. */
#include "prim/text_units.h"

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

/* How many units the character that begins with `byte` has. */
static unsigned units_of(ee_text_unit unit, unsigned char byte) {
  return unit == EE_UNIT_UTF16 && byte >= 0xF0 ? 2 : 1;
}

static size_t bytes_of(unsigned char byte) { return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4; }

static uint64_t count_units(ee_str text, ee_text_unit unit) {
  uint64_t count = 0;
  for (size_t i = 0; i < text.length; i++) {
    unsigned char byte = (unsigned char)text.data[i];
    /* Every byte that begins a character counts once, and in UTF-16 once more where it begins one of four bytes. */
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
  uint64_t units = 0, wanted = 0;
  for (size_t at = 0; at < text.length;) {
    unsigned char byte = (unsigned char)text.data[at];
    /* Two units may pass a mark at once; never two marks. */
    if (units >= wanted) {
      marks[wanted / EE_UNIT_STRIDE] = (uint64_t)at << 1 | (units - wanted);
      wanted += EE_UNIT_STRIDE;
    }
    units += units_of(unit, byte);
    at += bytes_of(byte);
  }
  if (units >= wanted) marks[wanted / EE_UNIT_STRIDE] = (uint64_t)text.length << 1 | (units - wanted);
  index->marks = marks;
}

/* Where an offset lies: at a character, or inside the one that begins at `at`. */
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
  /* Both inside one character: nothing whole is between them. */
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
