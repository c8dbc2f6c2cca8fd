/* i_regexp.h: patterns of JSONPath's match() and search(): I-Regexp (RFC 9485), a regular expression without
 * back references, look-arounds and lazy repeats.
 *
 * `.` is any character but \n and \r. `^` and `$` are the ends of the text, as all other languages have them, where the
 * RFC's text is silent. \d, \w, \s, (?...) and lazy or possessive repeats are mistakes. */
#ifndef EE_DATA_JSON_I_REGEXP_H
#define EE_DATA_JSON_I_REGEXP_H

#include "prim/regex.h"

/* Compiles `text` (valid UTF-8) into `arena`; `whole`: the pattern must match the whole text. NULL with `*why` (in
 * `arena` or static): not I-Regexp, or the program was built without PCRE2. Linear in the text; at most
 * EE_I_REGEXP_LIMIT bytes. */
const ee_pattern *ee_i_regexp_compile(ee_arena *arena, ee_str text, bool whole, const char **why);
#define EE_I_REGEXP_LIMIT ((size_t)8 << 10)

#endif
