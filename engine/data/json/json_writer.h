/* json_writer.h: writes compact JSON to a buffer.
 *
 * UTF-8 is kept; ", \ and control characters are escaped; a number is its source text if that was kept, else the
 * shortest text that reads back. */
#ifndef EE_DATA_JSON_JSON_WRITER_H
#define EE_DATA_JSON_JSON_WRITER_H

#include "base/buffer.h"
#include "base/str.h"
#include "data/json/json_scan.h"
#include "data/json/value.h"

/* Appends `text` (valid UTF-8) as a JSON string with its quotes. */
void ee_json_write_string(ee_buffer *out, ee_str text);
/* The same without quotes. */
void ee_json_write_escaped(ee_buffer *out, ee_str text);
/* Appends a number; NaN and infinity become null. */
void ee_json_write_number(ee_buffer *out, double number);
/* Appends a whole document; NULL becomes null. */
void ee_json_write_value(ee_buffer *out, const ee_value *value);
/* The same in canonical form: keys sorted bytewise, no members that are null, numbers in one spelling. Equal values
 * give equal text. */
void ee_json_write_canonical(ee_buffer *out, const ee_value *value, ee_arena *scratch);

/* Rows of results are written from literals and the pieces below: they are on the path of every case. */

/* Appends a string literal. */
#define EE_JSON_ADD(out, literal) ee_buffer_add((out), "" literal, sizeof(literal) - 1)

/* Appends a score: a number, mostly 0 or 1. */
static inline void ee_json_write_score(ee_buffer *out, double score) {
  if (score == 0) {
    ee_buffer_add_char(out, '0');
  } else if (score == 1) {
    ee_buffer_add_char(out, '1');
  } else {
    ee_json_write_number(out, score);
  }
}

/* Appends a count, mostly one digit. */
static inline void ee_json_write_count(ee_buffer *out, uint64_t count) {
  if (count < 10)
    ee_buffer_add_char(out, (char)('0' + count));
  else
    ee_buffer_add_u64(out, count);
}

/* ee_json_escape_since() where something may need escaping. */
void ee_json_escape_again(ee_buffer *out, size_t from, ee_arena *scratch);

/* Escapes what was appended since offset `from`, so that it can be the inside of a JSON string. Costs a scan where
 * nothing needs escaping, which is nearly always. */
static inline void ee_json_escape_since(ee_buffer *out, size_t from, ee_arena *scratch) {
  const size_t length = out->length - from;
  if (length > 0 && !ee_json_is_plain(out->data + from, length)) ee_json_escape_again(out, from, scratch);
}

#endif
