/* regex.h: regular expressions, searched with PCRE2 in a bounded number of steps.
 *
 * Patterns are in PCRE2's spelling, on code points, without UCP: data/schema/schema_pattern.h and
 * data/json/i_regexp.h write other languages' patterns in it. */
#ifndef EE_PRIM_REGEX_H
#define EE_PRIM_REGEX_H

#include "base/arena.h"
#include "base/str.h"

typedef struct ee_pattern ee_pattern;

/* Steps after which a search is given up, beside some for each byte of its text. A step is an item of the pattern that
 * is tried at a place of the text, or a byte that is run over. The limit shrinks with each search of a matcher that is
 * given up, and all searches of a matcher together may take ten times as many. */
#define EE_PATTERN_STEPS 4000000u

/* Compiles `text` (valid UTF-8, which stays borrowed) into `arena`; threads may share it. NULL with `*why` (in `arena`
 * or static): not a pattern, or the program was built without PCRE2. */
const ee_pattern *ee_pattern_compile(ee_arena *arena, ee_str text, const char **why);

/* The memory of searches, in `arena`; for one thread at a time. */
typedef struct ee_pattern_matcher ee_pattern_matcher;
ee_pattern_matcher *ee_pattern_matcher_new(ee_arena *arena);

typedef enum ee_pattern_found { EE_PATTERN_ABSENT, EE_PATTERN_FOUND, EE_PATTERN_GIVEN_UP } ee_pattern_found;
/* Steps of the last search. */
uint64_t ee_pattern_steps(const ee_pattern_matcher *matcher);
/* How often searches have taken memory of the arena, which later ones use again: an arena must not be rewound to before
 * the last time. */
uint64_t ee_pattern_allocations(const ee_pattern_matcher *matcher);
/* Whether `pattern` is somewhere in `text` (valid UTF-8). */
ee_pattern_found ee_pattern_find(ee_pattern_matcher *matcher, const ee_pattern *pattern, ee_str text);

#endif
