/* canonical_text.h: values as the texts that people would write for them, as EXACT of ee.quality compares them.
 *
 * A string without white space at its ends; a number as its decimal text; true and false; an array or an object as
 * canonical JSON (keys sorted bytewise, members that are null or blank left out). */
#ifndef EE_JUDGE_QUALITY_CANONICAL_TEXT_H
#define EE_JUDGE_QUALITY_CANONICAL_TEXT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/json/value.h"

/* The canonical text of `value` (not NULL): bytes of the value itself where possible, else in `arena`. */
ee_str ee_canonical_text(const ee_value *value, ee_arena *arena);

/* True if the canonical texts of two values (not NULL) are equal under Unicode case folding. Numbers are compared by
 * decimal value: two numbers, or a number and a string that is a plain number ([+-]digits[.digits][e[+-]digits]):
 * "100.0" equals 100, "1,000" does not equal 1000. A needless leading zero makes a code, which does not equal any
 * number: "01067". Two strings are compared as texts: "007" differs from "7". In arrays and objects values that are
 * empty by `empty` are equal, at every depth. ASCII is compared without a copy; `scratch` is used and rewound. */
bool ee_canonical_texts_equal(const ee_value *a, const ee_value *b, const ee_empty_rule *empty, ee_arena *scratch);

#endif
