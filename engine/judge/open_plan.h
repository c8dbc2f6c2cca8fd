/* open_plan.h: what a worker opens once for a plan and keeps from case to case.
 *
 * Layer: judge. The script's state, the asker, and what judges keep between cases (a running program, the open plan of another rule file). One thread at
 * a time uses it. */
#ifndef EE_JUDGE_OPEN_PLAN_H
#define EE_JUDGE_OPEN_PLAN_H

#include <signal.h>

#include "judge/context.h"
#include "judge/plan.h"

typedef struct ee_open_plan {
  const ee_plan *plan;
  ee_script *script; /* NULL where the plan needs none */
  ee_asker *asker;   /* NULL where the plan needs none, or there is none */
  void **states;     /* one a judge, by its number; NULL entries where the type keeps nothing */
  const volatile sig_atomic_t *interrupted; /* NULL: never */
} ee_open_plan;

/* Opens it all; `provider` may be NULL: no asker. EE_ERROR_RULES (the script), EE_ERROR_SYSTEM. ee_open_plan_fini() in either case. */
ee_status ee_open_plan_init(ee_open_plan *open, const ee_plan *plan, ee_provider *provider,
                            const volatile sig_atomic_t *interrupted, ee_error *error);
void ee_open_plan_fini(ee_open_plan *open);

/* A context for the next case: plan, script, asker, states and `arena`; the rest is zero. */
ee_context ee_open_plan_context(const ee_open_plan *open, ee_arena *arena);

#endif
