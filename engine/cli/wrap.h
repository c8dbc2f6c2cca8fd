/* wrap.h: text for a terminal of 80 columns.
 */
#ifndef EE_CLI_WRAP_H
#define EE_CLI_WRAP_H

#include "base/buffer.h"

#define EE_WRAP_COLUMNS 80

/* Appends `text` (UTF-8) behind what the last line of `out` holds, and a newline. Lines break between words, so that
 * none is wider than EE_WRAP_COLUMNS unless a word is; those that follow begin at column `indent`. Newlines of the text
 * stay. A long word of choices, a|b|c, may be broken behind a bar. */
void ee_wrap(ee_buffer *out, size_t indent, const char *text);

#endif
