/* survey.h: reads every case of a data set once before it is judged.
 *
 * Collects facts about all values (how a field is written, whether labels repeat) in one thread and in input order, so
 * that they do not depend on the number of workers. The run then reads the data again. */
#ifndef EE_RUN_SURVEY_H
#define EE_RUN_SURVEY_H

#include "data/expected_set.h"
#include "data/files/dataset.h"
#include "judge/plan.h"
#include "run/where.h"

/* Called for each case. `current` and all it refers to are in `arena`, which is reset after the call; the callee may
 * use it as scratch memory. */
typedef void ee_survey_visit(void *user, const ee_case *current, ee_arena *arena);

/* Reads `dataset` to its end and visits its cases in order, those of `choice` (NULL: all), also those whose id occurred
 * before. Records that cannot be read are skipped silently: the run reports them. `expected` and `paths` (NULL:
 * the known names) are those of ee_expected_set_read(); matched ids are marked as used. Stops early, with
 * EE_OK, while the flag of ee_dataset_set_interrupt() is set. EE_ERROR_SYSTEM as ee_dataset_next(). No malloc after
 * warm-up. */
ee_status ee_survey(ee_dataset *dataset, ee_expected_set *expected, const ee_record_paths *paths,
                    const ee_case_choice *choice, ee_survey_visit *visit, void *user, ee_error *error);

/* Lets the values of all cases decide the decimal signs of the plan's strategies with decimal = "auto"
 * (judge/decimal_votes.h). Without such strategies nothing is read. */
ee_status ee_survey_decimals(const ee_plan *plan, ee_dataset *dataset, ee_expected_set *expected, ee_error *error);

#endif
