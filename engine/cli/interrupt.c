/* interrupt.c: the only state that is global, because a handler can reach no other. */
#include "cli/interrupt.h"

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
  __atomic_store_n(&interrupted, 1, __ATOMIC_RELAXED); /* the workers look at it */
  signal(signal_number, SIG_DFL);
}

const volatile sig_atomic_t *ee_interrupt_watch(void) {
  struct sigaction action = {.sa_handler = on_interrupt};
  sigaction(SIGINT, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  return &interrupted;
}
