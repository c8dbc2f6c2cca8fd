/* limits.h: how much data and rules may use before something is given up. Each bound has an option of the program.
 *
 * One struct for the process: the program fills it from its options before it starts threads, the library leaves the
 * defaults. What happens beyond each bound is in rules/manual/limits.md. */
#ifndef EE_BASE_LIMITS_H
#define EE_BASE_LIMITS_H

#include <stdint.h>

typedef struct ee_limits {
  uint64_t timeout; /* --timeout: seconds of work of a case (base/work.h); 0: no limit */
} ee_limits;

/* The defaults. */
#define EE_LIMITS_DEFAULT                                                                                              \
  { .timeout = 20 }

/* The bounds that hold. Never NULL. */
const ee_limits *ee_limits_get(void);

/* Replaces them; not while other threads read them. NULL: the defaults. */
void ee_limits_set(const ee_limits *limits);

#endif
