/* pipe_guard.c: no SIGPIPE while something is written whose other end may be closed. */
#include "base/pipe_guard.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

static void pipe_signal(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGPIPE);
}

ee_pipe_guard ee_pipe_guard_enter(void) {
  ee_pipe_guard guard;
  sigset_t pipe, pending;
  pipe_signal(&pipe);
  sigpending(&pending);
  guard.was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe, &guard.before);
  return guard;
}

void ee_pipe_guard_leave(const ee_pipe_guard *guard) {
  sigset_t pipe;
  pipe_signal(&pipe);
  const struct timespec at_once = {0, 0};
  if (!guard->was_pending) {
    while (sigtimedwait(&pipe, NULL, &at_once) < 0 && errno == EINTR) continue;
  }
  pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
}
