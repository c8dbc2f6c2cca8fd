/* json_writer.h: JSON text straight into an output buffer.
 *
 * Compact, UTF-8 kept as it is; ", \ and control characters are escaped; numbers as the shortest text that
 * reads back, or the source text where it was kept. */
#ifndef EE_DATA_JSON_JSON_WRITER_H
#define EE_DATA_JSON_JSON_WRITER_H

#include "base/buffer.h"
#include "base/str.h"
#include "data/json/value.h"

/* Appends `text` (valid UTF-8) as a JSON string with its quotes. */
void ee_json_write_string(ee_buffer *out, ee_str text);
/* Appends the inside of a JSON string: the same without quotes. */
void ee_json_write_escaped(ee_buffer *out, ee_str text);
/* Appends a number; NaN and infinity become null. */
void ee_json_write_number(ee_buffer *out, double number);
/* Appends a whole document; NULL becomes null. */
void ee_json_write_value(ee_buffer *out, const ee_value *value);
/* The same with objects' keys sorted bytewise, without members that are null, and numbers in one spelling: equal values
 * give equal text. */
void ee_json_write_canonical(ee_buffer *out, const ee_value *value, ee_arena *scratch);

#endif
