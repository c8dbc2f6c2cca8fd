/* judge_again.h: the candidates of stored rows through a rule file once more.
 */
#ifndef EE_CLI_JUDGE_AGAIN_H
#define EE_CLI_JUDGE_AGAIN_H

#include "cli/commands.h"
#include "cli/row_reader.h"
#include "run/run.h"

/* Judges the rows of `reader` by `plan` into `*result`: against the reader's data set, or without one against the
 * expected values that the rows bring. A candidate stands under the known names of record.h, at the path that the rule
 * file names, or under "answer". Options: jobs, quiet and the like. What is wrong with rows is told through `reader`
 * while they are read; what rules raise, on `terminal`. EE_ERROR_USAGE when there is no data set and the first row
 * brings no expected value: nothing was judged. EE_ERROR_SYSTEM, EE_ERROR_RULES as ee_run().
 * ee_totals_fini(&result->totals) in either case. */
ee_status ee_judge_again(const ee_plan *plan, ee_row_reader *reader, ee_provider *provider, const ee_options *options,
                         ee_terminal *terminal, ee_run_result *result, ee_error *error);

#endif
