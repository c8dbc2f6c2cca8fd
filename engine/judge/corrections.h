/* corrections.h: what a person must edit to make the answer of a case right, and whether that is nothing: the document
 * goes straight through.
 *
 * Edits are those of the values that judges find wrong:
 *   changed       a value that is there and wrong
 *   missing       a required value that is not there
 *   removed       a value where nothing was expected
 *   rows_added    an item of a list that is not there: one edit, however many values it has (`row_values`)
 *   rows_removed  an item that was not expected
 * A value that two judges, or two fields of one, find wrong is one edit, of the kind that the first of them says. An
 * optional value (required = false) that is missing needs no correction, and is counted apart; so is an expected value
 * that the rules cannot read, which says nothing about the answer. Of judges that bring counts instead of values
 * (detection, extraction, programs) each false positive with a false negative of the same attribute is a change, and
 * what is left over is removed or missing.
 *
 * A document goes straight through when there is nothing to edit, and each judge without values or counts (a schema, a
 * function, a program) gives it 1, and no judge is in error, and there is an answer that can be read. Judges of weight
 * 0 and those without a score because of the expected value are not asked. */
#ifndef EE_JUDGE_CORRECTIONS_H
#define EE_JUDGE_CORRECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct ee_case_result;

typedef enum ee_correction_kind {
  EE_CORRECTION_CHANGED,
  EE_CORRECTION_MISSING,
  EE_CORRECTION_REMOVED,
  EE_CORRECTION_ROW_ADDED,
  EE_CORRECTION_ROW_REMOVED,
  EE_CORRECTION_KINDS
} ee_correction_kind;
/* "changed", "missing", "removed", "rows_added", "rows_removed". */
const char *ee_correction_name(ee_correction_kind kind);

/* Of one case. */
typedef struct ee_corrections {
  uint64_t kinds[EE_CORRECTION_KINDS];
  uint64_t row_values; /* values in the added rows */
  uint64_t optional;   /* optional values that are missing */
  uint64_t checks;     /* judges without values or counts that give less than 1 */
  bool straight_through;
} ee_corrections;

/* All edits together. */
uint64_t ee_corrections_sum(const ee_corrections *corrections);

/* Those of a judged case. Everything but `result->corrections` must be set. `scratch` is rewound. O(m log m) in the
 * mismatches; nothing but a look at each judge where all is right. */
ee_corrections ee_corrections_of(const struct ee_case_result *result, ee_arena *scratch);

#endif
