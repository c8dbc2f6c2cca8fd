/* watchdog.h: ends the process when a call into Lua never returns.
 *
 * The instruction limit cannot end a C function that does not return, such as a pattern that backtracks. The program
 * starts one watchdog, whose thread looks at the slot of each state four times a second. When a call has run for longer
 * than allowed, it prints the function's place and the case to stderr and ends the process with status 5. */
#ifndef EE_LUA_WATCHDOG_H
#define EE_LUA_WATCHDOG_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct ee_watchdog ee_watchdog;

/* The program's limit of a call: seconds of wall time. */
#define EE_WATCHDOG_SECONDS 10

/* Bytes of a case's id that the watchdog's message shows. */
#define EE_WATCHDOG_ID 64

/* What one state is doing. Written by the state's thread, read by the watchdog's. */
typedef struct ee_watchdog_slot {
  atomic_uint_fast64_t calls; /* odd while a call runs */
  _Atomic(const char *) file; /* of the function called; NULL when unknown */
  atomic_size_t line;
  atomic_uint_fast64_t id[EE_WATCHDOG_ID / 8]; /* the case's id, padded with zeros; all zero outside cases */
  /* Used by the watchdog only: */
  uint64_t seen;     /* `calls` when last looked at */
  uint64_t since_ns; /* when it was first seen */
  ee_watchdog *owner;
  struct ee_watchdog_slot *next;
} ee_watchdog_slot;

/* Starts the thread. Calls may run for `seconds` of wall time (0: EE_WATCHDOG_SECONDS). NULL when no thread can be
 * started. */
ee_watchdog *ee_watchdog_start(unsigned seconds);
/* Stops the thread. All slots must have been left. NULL is allowed. */
void ee_watchdog_stop(ee_watchdog *watchdog);

/* Gives a state a slot, and takes it back (NULL is allowed). */
ee_watchdog_slot *ee_watchdog_join(ee_watchdog *watchdog);
void ee_watchdog_leave(ee_watchdog_slot *slot);

/* Sets the case of the next calls; an empty id: none. */
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
