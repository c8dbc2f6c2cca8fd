/* printable.h: text from outside (ids, values, file names, messages), made safe to be shown.
 *
 * Every renderer, and everything that goes to a terminal, passes such text through here once; formats that are read by
 * programs add their own quoting. */
#ifndef EE_BASE_PRINTABLE_H
#define EE_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/printable.h"
#include "base/str.h"

/* True for what can change how other text is shown or split: control characters (C0, DEL, C1), line and paragraph
 * separators, and controls of the direction of text. */
static inline bool ee_is_harmful(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

typedef enum ee_printable {
  EE_PRINT_LINE, /* one line: line breaks and tabs are written out, too */
  EE_PRINT_LINES /* line breaks (\n) and tabs stay */
} ee_printable;

/* Appends `text` (any bytes). Harmful characters, those that nobody sees (zero-width ones, soft hyphens, tags,
 * noncharacters), joiners outside of the scripts that need them, and the first character of what CI servers take for a
 * command in a log ("::" where a line may begin, "##[", "##vso[") become \n, \t, \u001b, \udb40\udc01, ...; bytes that
 * are not UTF-8 become U+FFFD. A backslash stays one: what comes out is for people, and passing it through again
 * changes nothing. */
void ee_add_printable(ee_buffer *out, ee_str text, ee_printable how);

/* Appends a name or a value, printable on one line, between `before` and `after`, which are our own. */
static inline void ee_add_shown(ee_buffer *out, const char *before, ee_str text, const char *after) {
  ee_buffer_add_text(out, before);
  ee_add_printable(out, text, EE_PRINT_LINE);
  ee_buffer_add_text(out, after);
}

/* The character of `text` at the byte `at`: its length (of a byte that is not UTF-8: 1, with U+FFFD) and whether it
 * stays. */
size_t ee_printable_step(ee_str text, size_t at, ee_printable how, uint32_t *c, bool *stays);

/* Appends the character as \n, \u001b, ...; U+FFFD as it is. */
void ee_add_escape(ee_buffer *out, uint32_t c);

/* The length of the prefix of `text` that needs no change; `text.length` if all of it. */
size_t ee_printable_prefix(ee_str text, ee_printable how);

/* Writes `text` to standard error in one write, printable, with its line breaks. */
void ee_write_message(ee_str text);

#endif
