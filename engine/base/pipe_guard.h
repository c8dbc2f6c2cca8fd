/* pipe_guard.h: no SIGPIPE while something is written to pipes and connections whose other end may be closed.
 *
 * The signal would end the process, and its disposition belongs to the program that this is part of. A library
 * for TLS may write to a connection that the server closed; curl leaves the signal to its caller, since its own way
 * (CURLOPT_NOSIGNAL off) changes the handlers of all threads. */
#ifndef EE_BASE_PIPE_GUARD_H
#define EE_BASE_PIPE_GUARD_H

#include <signal.h>
#include <stdbool.h>

typedef struct ee_pipe_guard {
  sigset_t before;
  bool was_pending;
} ee_pipe_guard;

/* Blocks the signal in the calling thread until the same thread leaves; one that came meanwhile is thrown away. */
ee_pipe_guard ee_pipe_guard_enter(void);
void ee_pipe_guard_leave(const ee_pipe_guard *guard);

#endif
