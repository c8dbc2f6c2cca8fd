/* unicode.h: units in which offsets into a text are counted, and the width of text on a terminal. */
#ifndef EE_PRIM_UNICODE_H
#define EE_PRIM_UNICODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef enum ee_text_unit { EE_UNIT_UTF16, EE_UNIT_CODE_POINT, EE_UNIT_UTF8 } ee_text_unit;
/* Their names in data, in the order of the enum. */
#define EE_TEXT_UNITS "utf16_code_unit|code_point|utf8_byte"
/* The same for messages. */
#define EE_TEXT_UNIT_LIST "utf16_code_unit, code_point, utf8_byte"
const char *ee_text_unit_name(ee_text_unit unit);
/* Finds the unit called `name`; false, with `*unit` unchanged, if there is none. */
bool ee_text_unit_find(ee_str name, ee_text_unit *unit);

/* An index over a text makes a slice cost O(1) whatever the length of the text. */
typedef struct ee_unit_index {
  ee_str text; /* valid UTF-8, borrowed */
  ee_text_unit unit;
  uint64_t length; /* of the text, in units */
  /* For every EE_UNIT_STRIDE-th unit: twice the byte offset of the first character that begins there or later, plus 1
   * if it begins one unit later. NULL if a unit is a byte. */
  const uint64_t *marks;
} ee_unit_index;

#define EE_UNIT_STRIDE 64

/* Builds the index, in `arena`. One pass over the text. */
void ee_unit_index_build(ee_unit_index *index, ee_arena *arena, ee_str text, ee_text_unit unit);

/* A part of a text. An offset may be inside a surrogate pair or a multi-byte character. */
typedef struct ee_unit_slice {
  ee_str text;               /* the whole characters between the offsets; borrowed from the text of the index */
  bool cuts_start, cuts_end; /* an offset cuts a character, so the slice equals no quote */
} ee_unit_slice;

/* The text in [start, end), start <= end <= length. */
ee_unit_slice ee_unit_index_slice(const ee_unit_index *index, uint64_t start, uint64_t end);

/* The offset, in units, of the byte `at` (the start of a character, or the text's length). */
uint64_t ee_unit_index_of_byte(const ee_unit_index *index, size_t at);

/* Columns that valid UTF-8 `text` without control characters takes on a terminal. Widths are utf8proc's: East Asian
 * wide characters take two columns, combining marks none. */
size_t ee_text_width(ee_str text);

/* `text` as ee_add_printable() writes it on one line. Returns `text` itself if that changes nothing, else a copy in
 * `arena`. */
ee_str ee_text_printable(ee_str text, ee_arena *arena);

/* `text` (valid UTF-8, printable) in at most `columns` > 0 columns: itself, or its start and end with one "…" between
 * them, in `arena`. The end gets the odd column, because the end of a path says more than its start. */
ee_str ee_text_shorten(ee_str text, size_t columns, ee_arena *arena);

#endif
