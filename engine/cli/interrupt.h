/* interrupt.h: what signals mean to a command that works for a while.
 */
#ifndef EE_CLI_INTERRUPT_H
#define EE_CLI_INTERRUPT_H

#include <signal.h>

/* The exit status of a run that the user interrupted. */
#define EE_EXIT_INTERRUPTED 130

/* From now on the first interrupt sets the flag that is returned, so that what is finished can still be told, and the
 * second one ends the program at once. Writing where nobody reads any more, or past the limit of a file's size, becomes
 * an error of the system and no signal; so it does for what is handed to other programs (base/child.h). The flag lives
 * for ever. */
const volatile sig_atomic_t *ee_interrupt_watch(void);

#endif
