/* text_form.h: values as the texts that people would write for them.
 *
 * What ee.quality compares: a text without white space at its ends; a number as its decimal text; true
 * and false; a list or an object as canonical JSON (keys sorted bytewise, members that are null left out). */
#ifndef EE_JUDGE_QUALITY_TEXT_FORM_H
#define EE_JUDGE_QUALITY_TEXT_FORM_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/json/value.h"

/* The text form of `value` (not NULL): the value's own bytes where they will do, else in `arena`. */
ee_str ee_text_form(const ee_value *value, ee_arena *arena);

/* True when the text forms of two values (not NULL) are equal under Unicode case folding, numbers by decimal value: two
 * numbers, or a number and a text that is wholly a plain one ([+-]digits[.digits][e[+-]digits]: "100.0" equals 100, and
 * "1,000" does not equal 1000) without a needless zero in front: "01067" is a code, and no number equals it. Two texts
 * are texts: "007" differs from "7". Nothing is copied where both are ASCII;
 * `scratch` is used and rewound. */
bool ee_text_forms_equal(const ee_value *a, const ee_value *b, ee_arena *scratch);

#endif
