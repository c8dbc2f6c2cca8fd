/* watchdog.h: ends the process when a call into Lua never returns.
 *
 * The instruction hook cannot reach a C function that runs for ever, such as a pattern that backtracks. The
 * program starts one watchdog; each state that was given it has a slot, which the watchdog's thread reads four times a
 * second. When the same call has run for longer than allowed, it prints a line with the function's place and the case
 * to stderr and ends the process with status 5. */
#ifndef EE_LUA_WATCHDOG_H
#define EE_LUA_WATCHDOG_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct ee_watchdog ee_watchdog;

/* Seconds of wall time that a call may take in the program. */
#define EE_WATCHDOG_SECONDS 10

/* Bytes of a case's id that the watchdog's message shows. */
#define EE_WATCHDOG_ID 64

/* What one state is doing. Written by its thread with plain stores, read by the watchdog's. */
typedef struct ee_watchdog_slot {
  atomic_uint_fast64_t calls; /* odd while a call runs */
  _Atomic(const char *) file; /* of the function called; NULL when unknown */
  atomic_size_t line;
  atomic_uint_fast64_t id[EE_WATCHDOG_ID / 8]; /* the case's id, padded with zeros; all zero outside cases */
  /* The watchdog's own: */
  uint64_t seen;     /* `calls` when last looked at */
  uint64_t since_ns; /* when it was first seen */
  ee_watchdog *owner;
  struct ee_watchdog_slot *next;
} ee_watchdog_slot;

/* Starts the thread; calls may run for `seconds` of wall time (0: EE_WATCHDOG_SECONDS). NULL when the system has no
 * thread to give. */
ee_watchdog *ee_watchdog_start(unsigned seconds);
/* Stops it. All slots must have been left. NULL is allowed. */
void ee_watchdog_stop(ee_watchdog *watchdog);

/* A slot for a state, and its end (NULL is allowed). */
ee_watchdog_slot *ee_watchdog_join(ee_watchdog *watchdog);
void ee_watchdog_leave(ee_watchdog_slot *slot);

/* Names the case that the next calls are for; an empty id for none. */
void ee_watchdog_case(ee_watchdog_slot *slot, ee_str id);

/* A call begins and ends. `file` must live until the slot is left. */
static inline void ee_watchdog_enter(ee_watchdog_slot *slot, const char *file, size_t line) {
  atomic_store_explicit(&slot->file, file, memory_order_relaxed);
  atomic_store_explicit(&slot->line, line, memory_order_relaxed);
  uint64_t calls = atomic_load_explicit(&slot->calls, memory_order_relaxed);
  atomic_store_explicit(&slot->calls, calls + 1, memory_order_release);
}
static inline void ee_watchdog_exit(ee_watchdog_slot *slot) {
  uint64_t calls = atomic_load_explicit(&slot->calls, memory_order_relaxed);
  atomic_store_explicit(&slot->calls, calls + 1, memory_order_release);
}

#endif
