/* interrupt.h: SIGINT and SIGTERM.
 *
 * Where something is worth to be kept (cases are judged, models are asked), the first signal sets a flag: what runs
 * ends soon, and what is finished is reported or stored. Everywhere else the signal ends the program in its handler,
 * however long the computation, the library or the write is that it interrupts: no loop has to look. Nothing half
 * written has its final name then (output.h), files with a temporary name are removed, and rows of --results are
 * resumable, as after any other end. A second signal always ends the program like this.
 *
 * For a host (host.h) nothing of this happens but that its flag ends what runs. */
#ifndef EE_CLI_INTERRUPT_H
#define EE_CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"

/* The exit status of a command that the user interrupted; main() makes it that of the signal. */
#define EE_EXIT_INTERRUPTED 130

/* From now on the first SIGINT or SIGTERM sets the returned flag, which is static; work on this thread is interrupted
 * by it, too (base/work.h). Writing to a closed pipe or past the limit of a file's size fails with an error instead of
 * a signal, also for pipes to other programs. */
const volatile sig_atomic_t *ee_interrupt_watch(void);

/* From now on the first signal ends the program, unless the flag is set already: then what was begun because of that
 * goes on until a second one. Where the flag is looked at after this call, no signal is missed. Pipes and sizes as
 * above. */
void ee_interrupt_end_at_once(void);

/* What the handler prints when it ends the program; NULL: nothing. The text is copied. */
void ee_interrupt_set_message(const ee_error *message);

/* The file, or the empty folder, is removed if the handler ends the program, in the order of these calls. Of more than
 * a few, and of very long paths, nothing is remembered. Forget it when it gets another name or is closed. */
void ee_interrupt_remove(const char *path);
void ee_interrupt_forget(const char *path);

/* Whether a line of progress is on the screen, which the handler then clears. */
void ee_interrupt_clear_line(bool drawn);

/* The exit status of a run that the flag has ended: that of the signal. Commands may return EE_EXIT_INTERRUPTED. */
int ee_interrupt_status(void);

#endif
