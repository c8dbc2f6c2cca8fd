/* host.c: the host of a thread. */
#include "cli/host.h"

static _Thread_local ee_host *current;

ee_host *ee_host_enter(ee_host *host) {
  ee_host *before = current;
  current = host;
  return before;
}

ee_host *ee_host_current(void) { return current; }
