/* checked_line.h: a line of JSON that knows whether it is whole: its last member is the checksum of all before it.
 *
 *   {"case":3,"trial":0,"check":"0123456789abcdef"}
 *
 * The checksum is the XXH3-64 of the bytes before `,"check"` with a seed. Lines that belong together have each the
 * checksum of the one before as seed, so that a line that is missing, repeated or from elsewhere is noticed, too. It
 * guards against damage, not against somebody who changes both. */
#ifndef EE_DATA_JSON_CHECKED_LINE_H
#define EE_DATA_JSON_CHECKED_LINE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/str.h"

/* Bytes of `,"check":"0123456789abcdef"}`. */
#define EE_CHECK_LENGTH ((size_t)28)

/* Ends the line that begins at `start` of `out`, an object without its closing brace: appends checksum, brace and
 * newline. Returns the checksum. */
uint64_t ee_checked_line_end(ee_buffer *out, size_t start, uint64_t seed);

typedef enum ee_line_check {
  EE_LINE_WHOLE,
  EE_LINE_CUT,    /* it does not end with a checksum */
  EE_LINE_CHANGED /* the checksum is another one */
} ee_line_check;

/* Checks a line without its newline. `*check`, if it ends with one, is the checksum that is there. */
ee_line_check ee_checked_line_read(ee_str line, uint64_t seed, uint64_t *check);

/* Whether the line ends with a checksum, whatever it is. */
bool ee_checked_line_ends(ee_str line);

/* Reads 16 hexadecimal digits in small letters, all of `text`. */
bool ee_read_hash_text(ee_str text, uint64_t *value);

#endif
