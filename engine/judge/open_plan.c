/* open_plan.c: opening what a plan needs while it judges, and closing it. */
#include "judge/open_plan.h"

#include <stdlib.h>

#include "base/memory.h"

/* The state of every judge that keeps one, each opened once. */
static ee_status open_states(ee_open_plan *open, ee_error *error) {
  const ee_plan *plan = open->plan;
  for (size_t i = 0; i < plan->judge_count; i++) {
    const ee_judge *judge = plan->judges[i];
    if (judge->type->open == NULL) continue;
    if (open->states == NULL) open->states = ee_calloc(plan->judge_count, sizeof *open->states);
    ee_status status = judge->type->open(judge, open, &open->states[judge->number], error);
    if (status != EE_OK) return status;
  }
  return EE_OK;
}

static ee_status open_rest(ee_open_plan *open, ee_provider *provider, ee_error *error) {
  if (open->plan->needs_provider && provider != NULL) {
    open->session = provider->vtable->open(provider, error);
    if (open->session == NULL) return EE_ERROR_SYSTEM;
  }
  return open_states(open, error);
}

ee_status ee_open_plan_init(ee_open_plan *open, const ee_plan *plan, ee_provider *provider,
                            const volatile sig_atomic_t *interrupted, ee_error *error) {
  *open = (ee_open_plan){.plan = plan, .interrupted = interrupted};
  if (plan->needs_script) {
    open->script = plan->vtable->open(plan->host, error);
    if (open->script == NULL) return EE_ERROR_RULES;
  }
  return open_rest(open, provider, error);
}

ee_status ee_open_plan_init_with(ee_open_plan *open, const ee_plan *plan, ee_script *script, ee_provider *provider,
                                 const volatile sig_atomic_t *interrupted, ee_error *error) {
  *open = (ee_open_plan){.plan = plan, .script = script, .borrowed_script = true, .interrupted = interrupted};
  return open_rest(open, provider, error);
}

void ee_open_plan_fini(ee_open_plan *open) {
  if (open->states != NULL) {
    /* Not every state was opened where opening failed. */
    for (size_t i = open->plan->judge_count; i-- > 0;) {
      const ee_judge *judge = open->plan->judges[i];
      void *state = open->states[judge->number];
      if (state != NULL) judge->type->close(judge, state);
    }
    free(open->states);
  }
  if (open->session != NULL) open->session->vtable->close(open->session);
  if (open->script != NULL && !open->borrowed_script) open->plan->vtable->close(open->script);
  *open = (ee_open_plan){0};
}
