/* trials_report.h: what several candidates of each case say of a system, on a page and in JSON. */
#ifndef EE_REPORT_TRIALS_REPORT_H
#define EE_REPORT_TRIALS_REPORT_H

#include "report/json_out.h"
#include "report/page.h"
#include "report/stored_row.h"
#include "run/trial_total.h"

/* Appends the section "trials": the cases' scores, pass@k and pass^k, fields, and the least stable cases; nothing
 * without trials. `confidence` of the intervals, whose units are cases; `rule` decides the cases' verdicts. */
void ee_trials_page(const ee_trial_total *total, double confidence, ee_trial_rule rule, ee_page *page);

/* The same as the member "trials". */
void ee_trials_json(const ee_trial_total *total, double confidence, ee_json_out *json);

/* Adds a stored row, if it is of a trial. */
void ee_trials_add_row(ee_trial_total *total, const ee_stored_row *row, ee_arena *scratch);

#endif
