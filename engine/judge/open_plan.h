/* open_plan.h: what a worker opens once for a plan and keeps from case to case.
 *
 * The script's state, the asker, and what judges keep between cases (a running program, the open plan of
 * another rule file). One thread at a time uses it. */
#ifndef EE_JUDGE_OPEN_PLAN_H
#define EE_JUDGE_OPEN_PLAN_H

#include <signal.h>

#include "judge/context.h"
#include "judge/plan.h"

typedef struct ee_open_plan {
  const ee_plan *plan;
  ee_script *script;            /* NULL where the plan needs none */
  bool borrowed_script;         /* somebody else closes it */
  ee_provider_session *session; /* NULL where the plan needs none, or there is none */
  void **states; /* one a judge, by its number; NULL entries where the type keeps nothing; NULL where no type does */
  const volatile sig_atomic_t *interrupted; /* NULL: never */
} ee_open_plan;

/* Opens it all; `provider` may be NULL: no asker. EE_ERROR_RULES (the script, or what a judge keeps), EE_ERROR_SYSTEM.
 * ee_open_plan_fini() in either case. All of `plan`, `provider` and `interrupted` (NULL: never) must outlive it. */
ee_status ee_open_plan_init(ee_open_plan *open, const ee_plan *plan, ee_provider *provider,
                            const volatile sig_atomic_t *interrupted, ee_error *error);
/* The same with a script that somebody else has opened for the plan, and closes afterwards. */
ee_status ee_open_plan_init_with(ee_open_plan *open, const ee_plan *plan, ee_script *script, ee_provider *provider,
                                 const volatile sig_atomic_t *interrupted, ee_error *error);
/* Closes it all. One that is all zero is closed already. */
void ee_open_plan_fini(ee_open_plan *open);

/* A context for the next case: plan, script, asker, states, interrupt and `arena`; the rest is zero. */
static inline ee_context ee_open_plan_context(const ee_open_plan *open, ee_arena *arena) {
  return (ee_context){.plan = open->plan,
                      .arena = arena,
                      .script = open->script,
                      .states = open->states,
                      .interrupted = open->interrupted,
                      .session = open->session};
}

#endif
