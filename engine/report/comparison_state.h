/* comparison_state.h: comparisons of parts of the data, and what they give together.
 *
 * A part's comparison is finished by ee_comparison_finish_part() instead of ee_comparison_finish() and written as the
 * totals of a state (data/json/state_line.h). Totals that are read are merged in any order and as any tree, and give
 * what a comparison of all rows gives: every figure, note and decision. Of single cases a state keeps the
 * EE_STATE_CASES that got worse and the EE_STATE_CASES that got better by most, with their values.
 *
 * Every id is in one part only, in both runs: ids are compared as hashes (run/parts/id_hashes.h). */
#ifndef EE_REPORT_COMPARISON_STATE_H
#define EE_REPORT_COMPARISON_STATE_H

#include "data/json/state_line.h"
#include "report/comparison.h"
#include "run/parts/id_hashes.h"

/* Cases that are kept, of those that got worse, and of those that got better. */
#define EE_STATE_CASES 500

/* Joins and adds up, once. Fails as ee_comparison_finish() does where what is wrong with the part is wrong with the
 * whole (an empty part is not), and with EE_ERROR_DATA where totals are not enough: more names than are compared, rows
 * with and without trials of one case. */
ee_status ee_comparison_finish_part(ee_comparison *comparison, ee_error *error);
/* The ids of both runs, each once, sorted; of a finished part. */
void ee_comparison_part_ids(const ee_comparison *comparison, ee_id_hashes *ids);

/* Writes the totals, or reads them into a new comparison that has the options threshold, common and force of the one
 * that was written. */
void ee_comparison_state(ee_state_line *line, ee_comparison *comparison);

/* Adds the totals of `from`. Both: read, or merged. EE_ERROR_RULES with what contradicts: a name that is a field of
 * both runs in one part and of one run in the other. `from` stays as it is, and its texts must stay. */
ee_status ee_comparison_merge(ee_comparison *comparison, const ee_comparison *from, ee_error *error);
/* Whether some trials of a case are in one part and some in another one, where they had to be compared together; `ids`
 * are those of all parts. EE_ERROR_RULES. */
ee_status ee_comparison_check_trials(const ee_comparison *comparison, const ee_id_hashes *ids, ee_error *error);
/* What ee_comparison_finish() does after its totals are there. */
ee_status ee_comparison_finish_merged(ee_comparison *comparison, ee_error *error);

/* Brings merged totals into their final form, to be written again. */
void ee_comparison_settle_merged(ee_comparison *comparison);

/* Of a finished comparison: cases that are compared; lines of both runs that were left out. */
uint64_t ee_comparison_total_cases(const ee_comparison *comparison);
uint64_t ee_comparison_skipped(const ee_comparison *comparison);
/* How many cases changed, and how many of them are listed: fewer only in merged ones. */
size_t ee_comparison_changed_cases(const ee_comparison *comparison, size_t *listed);

#endif
