/* one_line.h: what a server or a program said, fit to stand in a message.
 */
#ifndef EE_BASE_ONE_LINE_H
#define EE_BASE_ONE_LINE_H

#include "base/buffer.h"
#include "base/str.h"

/* Appends `text` (any bytes) to `out` as one line of valid UTF-8: control characters and line breaks become spaces,
 * bytes that are no UTF-8 question marks, and `secret` (empty: none; printable ASCII) "***" wherever it stands. At most
 * `limit` bytes (at least 3), of a longer text the beginning with "..." behind it. Reads no further than it needs. */
void ee_one_line(ee_buffer *out, ee_str text, ee_str secret, size_t limit);

#endif
