/* run_warnings.h: what may be wrong with a rule file, from what a run found in its data. */
#ifndef EE_REPORT_RUN_WARNINGS_H
#define EE_REPORT_RUN_WARNINGS_H

#include "base/error.h"
#include "judge/plan.h"
#include "run/totals.h"

/* Where rules and cases came from. */
typedef struct ee_run_origin {
  const char *case_file; /* the data set whose evaluators the rules are; NULL: they are a rule file */
  bool own_candidates;   /* that data set is the only input */
  bool chosen_cases;     /* only some cases were judged (--only, --limit) */
  bool notes_shown;      /* the report on the screen has the notes on judges */
} ee_run_origin;

/* Adds warnings (status EE_OK, "warning: ...") to `warnings`: no case has a candidate; what does not fit the rules
 * (run/misfit.h), except for cases in error and what candidates are to blame for. Nothing when no case was scored. */
void ee_run_warnings(const ee_plan *plan, const ee_totals *totals, const ee_run_origin *origin,
                     ee_error_list *warnings);

#endif
