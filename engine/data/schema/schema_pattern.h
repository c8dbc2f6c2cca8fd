/* schema_pattern.h: patterns of JSON Schema.
 *
 * Patterns are ECMA-262 with the flag u, unanchored, on code points. What PCRE2 writes alike and means differently is
 * rewritten: `.` stops at \n, \r, U+2028 and U+2029; \d, \w and \b are ASCII; \s is ECMA's white space; \v is one
 * character; $ is the end of the text only; [ inside a class is itself; [] and [^]; \cX, \xHH, \uHHHH with surrogate
 * pairs, \u{H}; \p{Letter}, \p{gc=Lu}, \p{Script=Greek}; a group that took no part matches the empty text. Escapes and
 * groups that ECMA does not have (\A, \h, (?i), (?>), x++, (*F)) are mistakes. Some things that the flag u forbids are
 * accepted, because schemas contain them: escaped punctuation (\-, \@), lone ] { }, and [\w-.]. Differences: a
 * lookbehind needs a fixed length; \p also accepts the name of a script alone. */
#ifndef EE_DATA_SCHEMA_SCHEMA_PATTERN_H
#define EE_DATA_SCHEMA_SCHEMA_PATTERN_H

#include "prim/regex.h"

#define EE_PATTERN_LIMIT ((size_t)48 << 10) /* bytes of a pattern; PCRE2 may refuse shorter ones */

/* Compiles `text` (valid UTF-8) entirely into `arena`; threads may share it. NULL with `*why` (in `arena`): not a
 * pattern, or the program was built without PCRE2. */
const ee_pattern *ee_schema_pattern_compile(ee_arena *arena, ee_str text, const char **why);

#endif
