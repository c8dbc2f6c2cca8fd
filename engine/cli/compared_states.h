/* compared_states.h: comparisons in parts: `compare BASE NEW --state FILE`, and `merge` of such states. */
#ifndef EE_CLI_COMPARED_STATES_H
#define EE_CLI_COMPARED_STATES_H

#include "cli/options.h"
#include "report/comparison.h"

/* EE_ERROR_USAGE for more than two runs, and for options of a report beside --state; for --part without it. */
ee_status ee_compared_state_check_options(const ee_options *options, ee_error *error);
/* Finishes a comparison as a part and writes its state. */
ee_status ee_compared_state_write(const ee_options *options, ee_comparison *comparison, ee_error *error);

/* Whether the operands of `merge` are states of comparisons: the first is, or is standard input alone. */
bool ee_compared_states_are_given(const ee_options *options);
/* `merge` of them: the exit status. */
int ee_merge_compared_states(const ee_options *options);

#endif
