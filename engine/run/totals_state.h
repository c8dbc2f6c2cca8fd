/* totals_state.h: totals written to a state line, and read from one (data/json/state_line.h).
 *
 * Each kind of total has a function of this shape beside it (ee_unit_table ... ee_trial_total); this file has what
 * totals.h defines. A member that is added to a struct changes its size, and the build asks for it here
 * (EE_STATE_COVERS). Texts that are read are in the totals' arena. */
#ifndef EE_RUN_TOTALS_STATE_H
#define EE_RUN_TOTALS_STATE_H

#include "data/json/state_line.h"
#include "run/totals.h"

/* Writes all that totals have before ee_totals_finish(), or reads it into freshly initialised totals of the same plan.
 * What is read merges and reports as what was written. After a mistake (line->failed) the totals must not be used,
 * only freed. */
void ee_totals_state(ee_state_line *line, ee_totals *totals);

#endif
