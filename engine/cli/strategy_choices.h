/* strategy_choices.h: what the judges of a plan would use for the values of a data set, and why.
 */
#ifndef EE_CLI_STRATEGY_CHOICES_H
#define EE_CLI_STRATEGY_CHOICES_H

#include "cli/record_list.h"

/* Appends, for each judge whose choices depend on the data, a line a key and choice; nothing where there is no such
 * judge. */
void ee_observe(const ee_plan *plan, const ee_record_list *records, ee_buffer *out);

#endif
