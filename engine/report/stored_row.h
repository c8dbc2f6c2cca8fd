/* stored_row.h: one line of --results, read again.
 *
 * Rows of this program, and of others: id (case_id, caseId, eval_id, test_id, evalId, testId), score,
 * and judges under evaluator_results (or scores) with name, type, score, weight, verdict and details.metrics. */
#ifndef EE_REPORT_STORED_ROW_H
#define EE_REPORT_STORED_ROW_H

#include "base/arena.h"
#include "base/error.h"
#include "data/json/value.h"
#include "judge/judge.h"
#include "prim/confusion.h"

/* By which a verdict follows from a score, where a row does not say. */
#define EE_USUAL_LIMITS ((ee_verdict_limits){.pass = 0.8, .borderline = 0.6})

typedef struct ee_stored_attribute {
  ee_str name;
  ee_counts counts; /* `wrong` is not stored: 0 */
  bool derived;     /* counts again what others count: in no average */
} ee_stored_attribute;

typedef struct ee_stored_judge {
  ee_str name, type; /* the name is unlike that of the other judges of the row; the type may be empty */
  bool has_score;    /* it has a score that can be read; `score` is 0 otherwise */
  double score, weight;
  ee_verdict verdict;
  const ee_stored_attribute *attributes; /* of details.metrics, in its order */
  size_t attribute_count;
} ee_stored_judge;

typedef struct ee_stored_row {
  ee_str id;
  bool has_hash;
  uint64_t expected_hash;
  double score;       /* 0..1 */
  ee_verdict verdict; /* where the row has none: by the usual limits */
  const ee_stored_judge *judges;
  size_t judge_count;
  const ee_value *record;
} ee_stored_row;

/* Reads `record` (one line, parsed). False with a message (no place) when it is no row: no object, no id, no score or
 * one outside 0..1 (1e-9 beyond it is 0 or 1). Metrics that are no counts are passed over (judge/protocol.h). Judges
 * inside a judge (AgentV's composites) follow it as "OUTER/INNER", OUTER cut at 256 bytes; a judge without a name goes
 * by its type; of judges of one name the second is "NAME (2)". Everything lives in `arena` or borrows from `record`. */
bool ee_stored_row_read(const ee_value *record, ee_arena *arena, ee_stored_row *row, ee_error *error);

/* The same of a line that is only asked for its answer: id and record are read, and it needs no score. */
bool ee_stored_row_read_id(const ee_value *record, ee_arena *arena, ee_stored_row *row, ee_error *error);

#endif
