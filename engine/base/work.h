/* work.h: work is counted, so that one value cannot hold the whole run, and a long computation can be interrupted.
 *
 * Limits of time are limits of work: the same on every machine and for every number of workers. What costs more than
 * its input is long charges units before or while it works; one unit is about a nanosecond on a machine of 2023 (a
 * step of an inner loop is one unit). Each thread has a meter.
 *
 *   ee_work(rows * columns);                         may not return: gives up what ee_work_try() runs
 *   if (!ee_work_check(count)) goto done;            the same for code that has something to free
 *   if (!ee_work_goes_on(count)) break;              as ee_work(), for loops that the end of a run uses, too
 *   end = ee_work_try(ee_work_half(), judge, &self); runs judge(&self), which may use half of what is left
 *
 * A try ends early when its units are used up, or when the user interrupts the run. It then leaves the function by
 * longjmp: only code that owns nothing but memory of arenas may call ee_work() within it. Around calls into Lua a
 * ee_work_raise takes the place of the jump (ee_work_enter). Without a try on its thread ee_work() always returns. */
#ifndef EE_BASE_WORK_H
#define EE_BASE_WORK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"

/* Units of a second. */
#define EE_WORK_SECOND UINT64_C(1000000000)
/* No limit; also what ee_work_product() returns at most. */
#define EE_WORK_UNLIMITED ((uint64_t)INT64_MAX)

typedef enum ee_work_end {
  EE_WORK_DONE,       /* returned by itself */
  EE_WORK_GIVEN_UP,   /* its units are used up, or its case takes too much memory */
  EE_WORK_INTERRUPTED /* the user ends the run */
} ee_work_end;

/* Does not return; `end` is never EE_WORK_DONE. */
typedef void ee_work_raise(void *user, ee_work_end end);

/* Where work that ends early goes on. */
typedef struct ee_work_trap {
  struct ee_work_trap *outer;
  uint64_t outer_limit, outer_granted;
  ee_work_raise *raise;
  void *user;
} ee_work_trap;

/* The meter of a thread. Only `left` is for others than work.c. */
typedef struct ee_work_meter {
  int64_t left;     /* units until the meter looks at its limit and at the interrupt */
  int64_t slice;    /* what `left` was then */
  uint64_t done;    /* units charged until then */
  uint64_t limit;   /* the value of `done` beyond which the innermost try ends; UINT64_MAX: never */
  uint64_t granted; /* the units that this try got */
  bool too_large;   /* the case takes more memory than it may: its tries end at their next charge */
  ee_work_trap *trap;
  const volatile sig_atomic_t *interrupted;
} ee_work_meter;

#define EE_WORK_THREAD _Thread_local __attribute__((tls_model("initial-exec")))
extern EE_WORK_THREAD ee_work_meter ee_work_of_thread;

/* Looks at limit and interrupt: jumps or, without a try, returns. */
void ee_work_look(void);
/* The same without a jump; false: it should end. */
bool ee_work_look_only(void);

/* Charges `units` (up to EE_WORK_UNLIMITED). */
static inline void ee_work(uint64_t units) {
  if ((ee_work_of_thread.left -= (int64_t)units) < 0) ee_work_look();
}

/* Charges `units`; false when the caller should clean up and end, also without a try when the run is interrupted.
 * False again at each further call, so that callers on the way out may ask again. */
static inline bool ee_work_check(uint64_t units) {
  return (ee_work_of_thread.left -= (int64_t)units) >= 0 || ee_work_look_only();
}

/* For loops that are used by judges and at the end of a run. Charges `units` as ee_work(); false, only without a try
 * that jumps, when units are used up or the run is interrupted and the loop should end: nobody will look at what it has
 * found. */
bool ee_work_look_on(void);
static inline bool ee_work_goes_on(uint64_t units) {
  return (ee_work_of_thread.left -= (int64_t)units) >= 0 || ee_work_look_on();
}

/* a * b, at most EE_WORK_UNLIMITED. */
static inline uint64_t ee_work_product(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) || product > EE_WORK_UNLIMITED ? EE_WORK_UNLIMITED : product;
}

/* What the innermost try may still use; EE_WORK_UNLIMITED without a limit. */
uint64_t ee_work_left(void);
/* Half of it. */
uint64_t ee_work_half(void);
/* What the innermost try with a limit got; EE_WORK_UNLIMITED without one. */
uint64_t ee_work_granted(void);
/* Units charged on this thread so far. */
uint64_t ee_work_done(void);

/* Runs function(user), which may charge up to `units`, and no more than its caller has left. */
ee_work_end ee_work_try(uint64_t units, void (*function)(void *user), void *user);

/* For who cleans up after a try that did not return EE_WORK_DONE: an interrupt goes on to the try around this one;
 * returns otherwise. */
void ee_work_pass_on(ee_work_end end);

/* A try that ends by `raise` instead of a jump; between both calls nothing may jump past them. NULL: it does not end,
 * but ee_work_goes_on() is false when its units are used up. */
void ee_work_enter(ee_work_trap *trap, uint64_t units, ee_work_raise *raise, void *user);
/* Removes `trap` and those that were left within it. */
void ee_work_leave(ee_work_trap *trap);

/* Lets what follows run without a limit of the tries around it, and not count against them; `trap` remembers the limit.
 * Interrupts still end it. */
void ee_work_pause(ee_work_trap *trap);
void ee_work_resume(const ee_work_trap *trap);

/* Sets the flag that interrupts the work of this thread (NULL: nothing does) and returns the one before. */
const volatile sig_atomic_t *ee_work_watch(const volatile sig_atomic_t *interrupted);

/* All tries of this thread end at their next charge, or no longer: for the arena of a case (base/arena.h). */
void ee_work_set_too_large(bool too_large);

/* Gives up if `found` `things` ("items in an array") are more than the bound: the innermost try ends at once, and the
 * next ee_work_reason() is "200000 items in an array, more than 100000 (--max-items)". Returns otherwise, and without a
 * try. As ee_work(), not where something is owned. */
void ee_work_bound(ee_bound bound, uint64_t found, const char *things);

/* "given up after 2.5 s of work (--timeout)", from the units that were granted, or "given up at 1 GiB of memory
 * (--max-memory)". Written to `out`, which is returned. */
#define EE_WORK_REASON 128
const char *ee_work_reason(uint64_t units, char out[EE_WORK_REASON]);

/* Whether the run is interrupted, as far as this thread knows. */
bool ee_work_is_interrupted(void);

/* Forgets all tries of this thread: for code that has left them by a jump of its own. */
void ee_work_forget(void);

#endif
