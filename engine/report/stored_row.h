/* stored_row.h: one line of --results, read again.
 *
 * Layer: report. Rows of this program, and of others that have id (or case_id, caseId, eval_id, test_id), score and evaluator_results (or scores) with details.metrics. */
#ifndef EE_REPORT_STORED_ROW_H
#define EE_REPORT_STORED_ROW_H

#include "base/arena.h"
#include "data/value.h"
#include "judge/result.h"
#include "prim/confusion.h"

typedef struct ee_stored_attribute {
  ee_str name;
  ee_counts counts; /* `wrong` is not stored: 0 */
  bool retold;      /* counts again what others count: in no average */
} ee_stored_attribute;

typedef struct ee_stored_judge {
  ee_str name, type;
  double score, weight;
  ee_verdict verdict;
  const ee_stored_attribute *attributes; /* of details.metrics, in its order */
  size_t attribute_count;
} ee_stored_judge;

typedef struct ee_stored_row {
  ee_str id;
  bool has_hash;
  uint64_t expected_hash;
  double score; /* 0..1 */
  ee_verdict verdict; /* where the row has none: by the usual limits */
  const ee_stored_judge *judges;
  size_t judge_count;
  const ee_value *record;
} ee_stored_row;

/* Reads `record` (one line, parsed). False with a message (no place) when it is no row: no object, no id, no score or one outside 0..1. Metrics that are no
 * counts are passed over. Everything lives in `arena` or borrows from `record`. */
bool ee_stored_row_read(const ee_value *record, ee_arena *arena, ee_stored_row *row, ee_error *error);

#endif
