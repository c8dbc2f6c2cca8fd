/* ecma_pattern.h: regular expressions of ECMA-262 in the spelling of PCRE2.
 *
 * JSON Schema's patterns are ECMA-262 with the flag u. Both languages agree on most of it; what they write
 * alike and mean differently is rewritten here: `.` stops at \n, \r, U+2028 and U+2029; \s is ECMA's white space; \v is
 * one character; [ inside a class is itself; [] and [^]; \cX, \xHH, \uHHHH with pairs of surrogates, \u{H};
 * \p{Letter}, \p{gc=Lu}, \p{Script=Greek}. Escapes and groups that ECMA does not have (\A, \h, (?i), (?>), x++, (*F))
 * are mistakes. More is taken than the flag u allows, because schemas hold it: escaped punctuation (\-, \@), lone ] {
 * }, and [\w-.]. */
#ifndef EE_DATA_SCHEMA_ECMA_PATTERN_H
#define EE_DATA_SCHEMA_ECMA_PATTERN_H

#include "base/arena.h"
#include "base/str.h"

#define EE_ECMA_PATTERN_LIMIT ((size_t)16 << 10) /* bytes */

/* Rewrites `pattern` (valid UTF-8) to mean the same in PCRE2 with UTF, without UCP, in `arena`. False with `*why`, a
 * text in `arena`, for what is no pattern. What PCRE2 finds itself (brackets without partner, groups that do not exist)
 * is left to it. Linear. */
bool ee_ecma_pattern_rewrite(ee_arena *arena, ee_str pattern, ee_str *rewritten, const char **why);

#endif
