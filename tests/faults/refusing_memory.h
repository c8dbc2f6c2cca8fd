/* refusing_memory.h: a malloc() for test programs that refuses the n-th request of a thread, and counts what the thread
 * holds.
 *
 * Without sanitizers the program's own malloc() comes before that of the C library, for all libraries too. With them
 * the requests of our own code are redirected by the linker (--wrap), which leaves out those of shared libraries, but
 * for what they ask of functions that we give them. */
#ifndef EE_TESTS_REFUSING_MEMORY_H
#define EE_TESTS_REFUSING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The thread's requests from now on, counted from 1: request `n` is refused, and with `on` all that follow. 0: none. */
void test_refuse_memory(size_t n, bool on);
/* The requests since then. */
size_t test_memory_requests(void);
/* The same for all threads together, in place of the thread's own. */
void test_refuse_memory_of_all(size_t n, bool on);
size_t test_memory_requests_of_all(void);
/* Blocks that the program has taken and not freed. */
long test_memory_held(void);

#endif
