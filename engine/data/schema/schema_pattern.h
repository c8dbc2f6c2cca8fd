/* schema_pattern.h: patterns of JSON Schema, compiled and searched.
 *
 * The only place that knows PCRE2. Patterns are ECMA-262's, unanchored, on code points, rewritten by
 * ecma_pattern.h: \d, \w and \b are ASCII as there, \s is its white space, $ is the end only, a group that took no part
 * matches the empty text. What stays different: ECMA allows lookbehinds of any length, PCRE2 those of a fixed one; a
 * lone script's name is a property here; case folding cannot occur. */
#ifndef EE_DATA_SCHEMA_SCHEMA_PATTERN_H
#define EE_DATA_SCHEMA_SCHEMA_PATTERN_H

#include "base/arena.h"
#include "base/str.h"

typedef struct ee_schema_pattern ee_schema_pattern;

/* A search that takes more steps than this, and than some for each byte of its text, is given up; after each that was,
 * the next may take fewer, and so it is when all of a matcher have taken ten times as many. A step is an item of the
 * pattern that is tried at a place of the text, or a byte that is run over. */
#define EE_PATTERN_STEPS 4000000u

/* Compiles `text` (valid UTF-8) into `arena`, all of it; shared by threads. NULL with `*why`, a text in `arena`: it is
 * no pattern, or this program was built without PCRE2. */
const ee_schema_pattern *ee_schema_pattern_compile(ee_arena *arena, ee_str text, const char **why);

/* What searching takes; one thread at a time uses it. In `arena`, where memory of searches comes from. */
typedef struct ee_pattern_matcher ee_pattern_matcher;
ee_pattern_matcher *ee_pattern_matcher_new(ee_arena *arena);

typedef enum ee_pattern_found { EE_PATTERN_ABSENT, EE_PATTERN_FOUND, EE_PATTERN_GIVEN_UP } ee_pattern_found;
/* Whether `pattern` is somewhere in `text` (valid UTF-8). */
ee_pattern_found ee_schema_pattern_find(ee_pattern_matcher *matcher, const ee_schema_pattern *pattern, ee_str text);

#endif
