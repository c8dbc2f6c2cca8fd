/* processes.h: what a test process has open and running, to find what leaks. */
#ifndef EE_TESTS_PROCESSES_H
#define EE_TESTS_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>

/* The number of descriptors that this process has open. */
size_t test_open_descriptors(void);

/* Whether this process has a child, running or not reaped. */
bool test_has_children(void);

/* Whether the process `pid`, anybody's, has ended within a minute: a kill takes effect when the system gets to it.
 */
bool test_process_ends(int pid);

#endif
