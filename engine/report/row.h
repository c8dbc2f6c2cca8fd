/* row.h: one case's result as a row of results or as a reply of the code_judge protocol, one line of JSON each.
 *
 * The row's schema is that of --results; "schema":2 (rules/manual/results.md has its members). A row
 * stands alone: what `report` prints of a run comes from its rows. Lists of alignment and mismatches hold at most 50
 * entries, in full detail 10,000; then "truncated":true. Undefined metrics are left out. */
#ifndef EE_REPORT_ROW_H
#define EE_REPORT_ROW_H

#include "base/arena.h"
#include "base/buffer.h"
#include "judge/result.h"

#define EE_ROW_SCHEMA 2

/* Appends the row, newline included. */
void ee_row_write(const ee_case_result *result, ee_arena *scratch, ee_buffer *out);

/* Adds a last member to the row that begins at `start` of `out`. */
void ee_row_mark(ee_buffer *out, size_t start, const char *key, const char *value);

/* The same for functions of the rules that collect results: with the expected value and the record in any detail. */
void ee_row_write_collected(const ee_case_result *result, ee_arena *scratch, ee_buffer *out);

/* Appends {"score", "hits", "misses", "reasoning", "details"} and a newline. With one judge, reasoning and details are
 * its own. With several, their reasonings follow their names, `metrics` has the counts of all under "JUDGE/ATTRIBUTE",
 * and `evaluator_results` is the row's. The same as what the row has for a judge of type code_judge. */
void ee_code_judge_reply_write(const ee_case_result *result, ee_arena *scratch, ee_buffer *out);

/* Appends the reply to a payload that could not be judged: score 0, and `reason` (UTF-8) as its only miss and its
 * reasoning. */
void ee_code_judge_reply_write_failure(ee_str reason, ee_buffer *out);

#endif
