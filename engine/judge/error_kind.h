/* error_kind.h: what kind of error a mismatch is: "one digit", "truncated", "day and month swapped".
 *
 * The kinds are one table in error_kind.c: name, definition, example, rule. Its order is part of the definition: a
 * mismatch is of the first kind whose rule holds, and every mismatch is of exactly one. Kinds say what a value looks
 * like beside the expected one; they depend on both documents of the case, and neither on scores nor, but for what a
 * strategy could not read, on how the field is compared. */
#ifndef EE_JUDGE_ERROR_KIND_H
#define EE_JUDGE_ERROR_KIND_H

#include "base/arena.h"
#include "judge/result.h"

/* The kinds, in the order in which they are tried. */
typedef enum ee_error_kind {
  EE_ERROR_KIND_NONE, /* not decided */
  EE_ERROR_KIND_UNREAD,
  EE_ERROR_KIND_NO_ANSWER,
  EE_ERROR_KIND_SPLIT_ROW,
  EE_ERROR_KIND_MERGED_ROWS,
  EE_ERROR_KIND_WRONG_LABEL,
  EE_ERROR_KIND_WRONG_BOUNDS,
  EE_ERROR_KIND_MISSING_ROW,
  EE_ERROR_KIND_SPURIOUS_ROW,
  EE_ERROR_KIND_CASE,
  EE_ERROR_KIND_SPACE,
  EE_ERROR_KIND_ACCENTS,
  EE_ERROR_KIND_NUMBER_FORMAT,
  EE_ERROR_KIND_DECIMAL_COMMA,
  EE_ERROR_KIND_SIGN,
  EE_ERROR_KIND_DATE_FORMAT,
  EE_ERROR_KIND_DAY_AND_MONTH,
  EE_ERROR_KIND_DATE_ORDER,
  EE_ERROR_KIND_PUNCTUATION,
  EE_ERROR_KIND_FORMATTING,
  EE_ERROR_KIND_IN_ANOTHER_ROW,
  EE_ERROR_KIND_IN_ANOTHER_FIELD,
  EE_ERROR_KIND_OF_ANOTHER_ROW,
  EE_ERROR_KIND_OF_ANOTHER_FIELD,
  EE_ERROR_KIND_MISSING,
  EE_ERROR_KIND_SPURIOUS,
  EE_ERROR_KIND_ROUNDED,
  EE_ERROR_KIND_FACTOR_10,
  EE_ERROR_KIND_FACTOR_100,
  EE_ERROR_KIND_FACTOR_1000,
  EE_ERROR_KIND_YEAR,
  EE_ERROR_KIND_TRANSPOSED,
  EE_ERROR_KIND_ONE_DIGIT,
  EE_ERROR_KIND_TRUNCATED,
  EE_ERROR_KIND_PREFIX_MISSING,
  EE_ERROR_KIND_EXTRA_TEXT,
  EE_ERROR_KIND_WORD_ORDER,
  EE_ERROR_KIND_FEW_CHARACTERS,
  EE_ERROR_KIND_UNPARSEABLE,
  EE_ERROR_KIND_OTHER_TYPE,
  EE_ERROR_KIND_OTHERWISE,
  EE_ERROR_KIND_COUNT
} ee_error_kind;

/* "one digit", as in rows, JSON and tables; "" for EE_ERROR_KIND_NONE. */
const char *ee_error_kind_name(ee_error_kind kind);
/* The kind called `name`; EE_ERROR_KIND_NONE if there is none. */
ee_error_kind ee_error_kind_find(ee_str name);
/* One line that defines the kind. Static text, as the following ones. */
const char *ee_error_kind_definition(ee_error_kind kind);
/* An example: JSON of the expected and of the candidate value. "" where the kind is not about two values. */
const char *ee_error_kind_example(ee_error_kind kind, ee_document_side document);

/* Longer texts are compared as they are, in one pass: their case, whether one is the beginning or the end of the other.
 * All other rules apply up to this many bytes, so that the work for one mismatch is bounded. */
#define EE_ERROR_KIND_TEXT_BYTES 2000
/* What follows from the judges of a case, the kinds of its errors and its score by a function, may each use this part
 * of the case's limit of work: judges cannot use that up. */
#define EE_AFTERWARDS_PART 8
/* A document of more values is not searched for values of other fields and rows. */
#define EE_ERROR_KIND_VALUES 20000

/* Sets `kind` of all mismatches of the case that have none yet; judges set those that only they know (split rows). Uses
 * the case's arena. Charges work (base/work.h): within ee_work_try() it may not return. */
void ee_error_kinds_decide(ee_case_result *result, ee_arena *arena);

/* The kind of two values (NULL: missing) that do not match, as far as the values alone decide it. `scratch` is rewound.
 */
ee_error_kind ee_error_kind_of_values(const ee_value *expected, const ee_value *candidate, ee_arena *scratch);

#endif
