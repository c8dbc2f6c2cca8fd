/* merged_states.h: what `merge` says of the states that it was given. */
#ifndef EE_CLI_MERGED_STATES_H
#define EE_CLI_MERGED_STATES_H

#include "cli/terminal.h"
#include "run/parts/part_set.h"

/* Notes on the terminal: how many states, parts and cases were merged, which states were given twice, and that a
 * missing one cannot be noticed where states have no part numbers. */
void ee_note_merged_states(ee_terminal *terminal, const ee_part_set *set, uint64_t cases);

#endif
