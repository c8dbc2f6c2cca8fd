/* tool_results.h: rows of results in the formats of other tools, so that these can show them.
 *
 *   promptfoo  the JSON of `promptfoo eval -o FILE.json`, which `promptfoo import` reads and `promptfoo view` shows: a
 *              test a case, its judges as assertions with a score each (src/types/index.ts: EvaluateSummaryV3)
 *   agentv     JSON Lines, a result a case, its judges as graders (packages/core/src/evaluation/result-row-schema.ts)
 *
 * A test passes if the case's verdict is pass. Neither has a time: the same results give the same bytes. */
#ifndef EE_REPORT_TOOL_RESULTS_H
#define EE_REPORT_TOOL_RESULTS_H

#include "base/buffer.h"
#include "report/stored_row.h"

/* What was written so far. All zero at first. */
typedef struct ee_row_list {
  uint64_t rows, passed, errors; /* errors: of those that did not pass, where a rule or a model failed */
  uint64_t judges_passed, judges_failed;
  double score, cost, latency_ms; /* sums */
} ee_row_list;

/* Appends a row, before the first one also what is before all rows, and counts it. `judge`: this judge only; nothing if
 * the row does not have it; data NULL: the whole case. */
void ee_promptfoo_row(const ee_stored_row *row, ee_str judge, ee_row_list *list, ee_buffer *out);
void ee_agentv_row(const ee_stored_row *row, ee_str judge, ee_row_list *list, ee_buffer *out);

/* Appends what is after all rows. */
void ee_promptfoo_end(ee_row_list *list, ee_buffer *out);

#endif
