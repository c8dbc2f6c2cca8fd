/* work.c: the meter of a thread, and work that ends early. */
#include "base/work.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/flag.h"
#include "base/limits.h"

/* How long an interrupt may go unnoticed: 5 ms. */
#define SLICE (EE_WORK_SECOND / 200)

EE_WORK_THREAD ee_work_meter ee_work_of_thread = {.limit = UINT64_MAX, .granted = EE_WORK_UNLIMITED};

/* A try that ends by a jump. */
typedef struct jump {
  ee_work_trap trap;
  jmp_buf place;
  volatile ee_work_end end;
} jump;

/* Adds what was charged to `done`. The next charge looks again, unless a slice is opened. */
static void close_slice(ee_work_meter *meter) {
  meter->done += (uint64_t)(meter->slice - meter->left);
  meter->slice = meter->left = 0;
}

/* At the limit exactly, so that it does not matter how slices fall. */
static void open_slice(ee_work_meter *meter) {
  uint64_t room = meter->limit > meter->done && !meter->too_large ? meter->limit - meter->done : 0;
  meter->slice = meter->left = (int64_t)(room < SLICE ? room : SLICE);
}

static ee_work_end look(ee_work_meter *meter) {
  close_slice(meter);
  if (ee_flag_is_set(meter->interrupted)) return EE_WORK_INTERRUPTED;
  if (meter->done > meter->limit || meter->too_large) return EE_WORK_GIVEN_UP;
  open_slice(meter);
  return EE_WORK_DONE;
}

/* Why the last try was given up, if a bound was passed; else empty. */
static EE_WORK_THREAD char exceeded[EE_WORK_REASON];

void ee_work_look(void) {
  ee_work_meter *meter = &ee_work_of_thread;
  ee_work_end end = look(meter);
  if (end == EE_WORK_DONE || meter->trap == NULL || meter->trap->raise == NULL) return;
  exceeded[0] = '\0';
  meter->trap->raise(meter->trap->user, end);
}

bool ee_work_look_on(void) {
  ee_work_look();
  const ee_work_meter *meter = &ee_work_of_thread;
  return !ee_flag_is_set(meter->interrupted) && meter->done <= meter->limit;
}

bool ee_work_look_only(void) { return look(&ee_work_of_thread) == EE_WORK_DONE; }

uint64_t ee_work_done(void) {
  const ee_work_meter *meter = &ee_work_of_thread;
  return meter->done + (uint64_t)(meter->slice - meter->left);
}

uint64_t ee_work_left(void) {
  uint64_t limit = ee_work_of_thread.limit, done = ee_work_done();
  if (limit == UINT64_MAX) return EE_WORK_UNLIMITED;
  return limit > done ? limit - done : 0;
}

uint64_t ee_work_granted(void) { return ee_work_of_thread.granted; }

void ee_work_set_too_large(bool too_large) {
  ee_work_meter *meter = &ee_work_of_thread;
  close_slice(meter);
  meter->too_large = too_large;
  open_slice(meter);
}

void ee_work_bound(ee_bound bound, uint64_t found, const char *things) {
  ee_work_meter *meter = &ee_work_of_thread;
  if (meter->trap == NULL || meter->trap->raise == NULL || found <= ee_bound_of(bound)) return;
  char more[EE_BOUND_MESSAGE];
  snprintf(exceeded, sizeof exceeded, "%" PRIu64 " %s%s", found, things, ee_bound_message(bound, more));
  meter->trap->raise(meter->trap->user, EE_WORK_GIVEN_UP);
}

const char *ee_work_reason(uint64_t units, char out[EE_WORK_REASON]) {
  if (exceeded[0] != '\0') {
    memcpy(out, exceeded, sizeof exceeded);
    exceeded[0] = '\0';
    return out;
  }
  char bound[EE_BOUND_TEXT];
  if (ee_work_of_thread.too_large)
    snprintf(out, EE_WORK_REASON, "given up at %s of memory (--max-memory)",
             ee_size_text(ee_limits_get()->memory, bound));
  else
    snprintf(out, EE_WORK_REASON, "given up after %.3g s of work (--timeout)", (double)units / (double)EE_WORK_SECOND);
  return out;
}

uint64_t ee_work_half(void) {
  uint64_t left = ee_work_left();
  return left == EE_WORK_UNLIMITED ? left : left / 2;
}

void ee_work_enter(ee_work_trap *trap, uint64_t units, ee_work_raise *raise, void *user) {
  ee_work_meter *meter = &ee_work_of_thread;
  close_slice(meter);
  *trap = (ee_work_trap){
      .outer = meter->trap, .outer_limit = meter->limit, .outer_granted = meter->granted, .raise = raise, .user = user};
  meter->trap = trap;
  if (units < EE_WORK_UNLIMITED && meter->limit > units && meter->limit - units > meter->done) {
    meter->limit = meter->done + units;
    meter->granted = units;
  }
  open_slice(meter);
}

void ee_work_leave(ee_work_trap *trap) {
  ee_work_meter *meter = &ee_work_of_thread;
  close_slice(meter);
  meter->trap = trap->outer;
  meter->limit = trap->outer_limit;
  meter->granted = trap->outer_granted;
  open_slice(meter);
}

void ee_work_pause(ee_work_trap *trap) {
  ee_work_meter *meter = &ee_work_of_thread;
  uint64_t left = ee_work_left();
  close_slice(meter);
  *trap = (ee_work_trap){.outer_limit = left, .outer_granted = meter->granted};
  meter->limit = UINT64_MAX;
  meter->granted = EE_WORK_UNLIMITED;
  open_slice(meter);
}

void ee_work_resume(const ee_work_trap *trap) {
  ee_work_meter *meter = &ee_work_of_thread;
  close_slice(meter);
  meter->limit = trap->outer_limit < EE_WORK_UNLIMITED ? meter->done + trap->outer_limit : UINT64_MAX;
  meter->granted = trap->outer_granted;
  open_slice(meter);
}

static _Noreturn void jump_back(void *user, ee_work_end end) {
  jump *self = user;
  self->end = end;
  longjmp(self->place, 1);
}

ee_work_end ee_work_try(uint64_t units, void (*function)(void *user), void *user) {
  jump self;
  self.end = EE_WORK_DONE;
  ee_work_enter(&self.trap, units, jump_back, &self);
  if (setjmp(self.place) == 0) function(user);
  ee_work_leave(&self.trap);
  return self.end;
}

void ee_work_pass_on(ee_work_end end) {
  ee_work_meter *meter = &ee_work_of_thread;
  if (end == EE_WORK_INTERRUPTED && meter->trap != NULL && meter->trap->raise != NULL)
    meter->trap->raise(meter->trap->user, end);
}

const volatile sig_atomic_t *ee_work_watch(const volatile sig_atomic_t *interrupted) {
  const volatile sig_atomic_t *before = ee_work_of_thread.interrupted;
  ee_work_of_thread.interrupted = interrupted;
  return before;
}

bool ee_work_is_interrupted(void) { return ee_flag_is_set(ee_work_of_thread.interrupted); }

void ee_work_forget(void) {
  ee_work_meter *meter = &ee_work_of_thread;
  close_slice(meter);
  meter->trap = NULL;
  meter->limit = UINT64_MAX;
  meter->granted = EE_WORK_UNLIMITED;
  open_slice(meter);
}
