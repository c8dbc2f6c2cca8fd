/* text_units.h: from offsets in UTF-16 code units, code points or bytes to the text between them.
 *
 * An index over a text makes a slice cost O(1) whatever the text's length. */
#ifndef EE_PRIM_TEXT_UNITS_H
#define EE_PRIM_TEXT_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef enum ee_text_unit { EE_UNIT_UTF16, EE_UNIT_CODE_POINT, EE_UNIT_UTF8 } ee_text_unit;
/* As data name them, in the order of the enum. */
#define EE_TEXT_UNITS "utf16_code_unit|code_point|utf8_byte"
/* The same for people: "utf16_code_unit, code_point, utf8_byte". */
#define EE_TEXT_UNIT_LIST "utf16_code_unit, code_point, utf8_byte"
/* "utf16_code_unit", "code_point", "utf8_byte". */
const char *ee_text_unit_name(ee_text_unit unit);
/* The unit of that name; false, and `*unit` as it was, when there is none. */
bool ee_text_unit_find(ee_str name, ee_text_unit *unit);

typedef struct ee_unit_index {
  ee_str text; /* valid UTF-8, borrowed */
  ee_text_unit unit;
  uint64_t length;       /* of the text, in units */
  const uint64_t *marks; /* of every EE_UNIT_STRIDE-th unit: twice the byte at which the first character from there on
                            begins, plus 1 where that is one unit later; NULL where a unit is a byte */
} ee_unit_index;

#define EE_UNIT_STRIDE 64

/* Builds the index, in `arena`. One pass over the text. */
void ee_unit_index_build(ee_unit_index *index, ee_arena *arena, ee_str text, ee_text_unit unit);

/* Where an offset lies that no character begins at: inside a surrogate pair or a multi-byte character. */
typedef struct ee_unit_slice {
  ee_str text; /* the whole characters between the offsets; borrowed from the index's text */
  bool cuts_start,
      cuts_end; /* half a character stands before or behind them: the slice is no text, and equals no quote */
} ee_unit_slice;

/* The text in [start, end), start <= end <= length. */
ee_unit_slice ee_unit_index_slice(const ee_unit_index *index, uint64_t start, uint64_t end);

/* The offset, in units, of the byte `at` (the start of a character, or the text's length). */
uint64_t ee_unit_index_of_byte(const ee_unit_index *index, size_t at);

#endif
