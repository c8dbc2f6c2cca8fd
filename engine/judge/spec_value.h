/* spec_value.h: plain data that a rule file holds, as a document.
 *
 * Layer: judge. */
#ifndef EE_JUDGE_SPEC_VALUE_H
#define EE_JUDGE_SPEC_VALUE_H

#include "data/json/value.h"
#include "judge/spec.h"

/* The document that the plain table `table` was made of, or describes: then new in `arena` and frozen, so that workers may share it: names
 * alone are an object (sorted by key), places alone an array, nothing at all an empty object. NULL with `*error`, a
 * text in `arena` that names the place, for what is no data: "'fields[2]' is a function", "names and places stand side
 * by side in 'fields'", a number that is not finite, shared tables that unfold to more than a million values. */
const ee_value *ee_spec_to_value(ee_arena *arena, const ee_spec *table, const char **error);

#endif
