/* stop.h: what ends a long wait before its time.
 */
#ifndef EE_BASE_STOP_H
#define EE_BASE_STOP_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

/* A flag that a signal handler sets, on whichever thread. `flag` may be NULL: it is never set. */
static inline bool ee_flag_is_set(const volatile sig_atomic_t *flag) {
  return flag != NULL && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

/* Either may be NULL. */
typedef struct ee_stop {
  const volatile sig_atomic_t *interrupted; /* by the user */
  const atomic_bool *unwanted;              /* what is waited for would be thrown away */
} ee_stop;

/* `stop` may be NULL: never. */
static inline bool ee_stop_is_set(const ee_stop *stop) {
  return stop != NULL && (ee_flag_is_set(stop->interrupted) || (stop->unwanted != NULL && atomic_load(stop->unwanted)));
}

#endif
