/* misfit.h: where the rules do not fit the data: notes under a judge's table, in JSON and in warnings. */
#ifndef EE_REPORT_MISFIT_H
#define EE_REPORT_MISFIT_H

#include "run/totals.h"

/* The notes on a judge, `*count` of them, in `arena`: for each attribute the expected and the candidate values that the
 * rules cannot read, with an example and the option that would read them. */
const ee_str *ee_misfit_notes(const ee_judge_total *total, ee_arena *arena, size_t *count);

#endif
