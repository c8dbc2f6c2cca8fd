/* width.h: how many columns of a terminal a text takes.
 *
 * Widths of characters are utf8proc's: East Asian wide ones take two, combining marks none. */
#ifndef EE_PRIM_WIDTH_H
#define EE_PRIM_WIDTH_H

#include "base/arena.h"
#include "base/str.h"

/* Columns of valid UTF-8 `text` without control characters. */
size_t ee_text_width(ee_str text);

/* Whether it must not reach a terminal: a control character, a mark that turns the direction of writing, or a line
 * break of Unicode's. */
bool ee_is_harmful(uint32_t code_point);

/* `text` (valid UTF-8) as it may be shown on a terminal: control characters and the marks that turn the direction of
 * writing become \n, \t, \u001b, ...; itself when there are none, else a copy in `arena`. */
ee_str ee_text_printable(ee_str text, ee_arena *arena);

/* `text` (valid UTF-8, printable) in at most `columns` > 0 columns: itself, or its start and its end with one "…"
 * between them, in `arena`. The end gets the odd column, since the ends of paths say more than their starts. */
ee_str ee_text_shorten(ee_str text, size_t columns, ee_arena *arena);

#endif
