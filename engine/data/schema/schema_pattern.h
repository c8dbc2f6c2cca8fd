/* schema_pattern.h: patterns of JSON Schema, compiled and searched with PCRE2.
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

#include "base/arena.h"
#include "base/str.h"

typedef struct ee_schema_pattern ee_schema_pattern;

#define EE_PATTERN_LIMIT ((size_t)48 << 10) /* bytes of a pattern; PCRE2 may refuse shorter ones */

/* Steps after which a search is given up, beside some for each byte of its text. A step is an item of the pattern that
 * is tried at a place of the text, or a byte that is run over. The limit shrinks with each search of a matcher that is
 * given up, and all searches of a matcher together may take ten times as many. */
#define EE_PATTERN_STEPS 4000000u

/* Compiles `text` (valid UTF-8) entirely into `arena`; threads may share it. NULL with `*why` (in `arena`): not a
 * pattern, or the program was built without PCRE2. */
const ee_schema_pattern *ee_schema_pattern_compile(ee_arena *arena, ee_str text, const char **why);

/* The memory of searches, in `arena`; for one thread at a time. */
typedef struct ee_pattern_matcher ee_pattern_matcher;
ee_pattern_matcher *ee_pattern_matcher_new(ee_arena *arena);

typedef enum ee_pattern_found { EE_PATTERN_ABSENT, EE_PATTERN_FOUND, EE_PATTERN_GIVEN_UP } ee_pattern_found;
/* Steps of the last search. */
uint64_t ee_pattern_steps(const ee_pattern_matcher *matcher);
/* Whether `pattern` is somewhere in `text` (valid UTF-8). */
ee_pattern_found ee_schema_pattern_find(ee_pattern_matcher *matcher, const ee_schema_pattern *pattern, ee_str text);

#endif
