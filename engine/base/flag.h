/* flag.h: flags that end work early: set by a signal handler or by another thread, and only read here. */
#ifndef EE_BASE_FLAG_H
#define EE_BASE_FLAG_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* True when a signal handler, on any thread, has set `flag`. NULL: never. */
static inline bool ee_flag_is_set(const volatile sig_atomic_t *flag) {
  return flag != NULL && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

/* Reasons to end a long wait early. Either may be NULL. */
typedef struct ee_stop {
  const volatile sig_atomic_t *interrupted; /* by the user */
  const atomic_bool *unwanted;              /* the result would be discarded */
} ee_stop;

/* `stop` may be NULL: never. */
static inline bool ee_stop_is_set(const ee_stop *stop) {
  return stop != NULL && (ee_flag_is_set(stop->interrupted) || (stop->unwanted != NULL && atomic_load(stop->unwanted)));
}

#endif
