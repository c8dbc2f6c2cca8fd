/* context.h: what a worker carries while it judges.
 *
 * Layer: judge. */
#ifndef EE_JUDGE_CONTEXT_H
#define EE_JUDGE_CONTEXT_H

#include "base/arena.h"
#include "base/error.h"
#include "data/record.h"
#include "judge/script.h"

struct ee_plan;

typedef struct ee_context {
  const struct ee_plan *plan;
  ee_arena *arena;     /* the case's; reset after it */
  ee_script *script;   /* NULL when the plan needs none */
  const ee_script_place *place; /* of the value being compared; set by ee_strategy_compare() */
  const ee_case *current;
  ee_error_list *rule_errors; /* errors that a script's functions raised, in order; message ends in (case 'ID') */
  uint64_t rule_error_count;  /* of the current case */
} ee_context;

/* Records a script's error for the current case and returns its text "file:line: message" in the case's arena. The list keeps at
 * most 100 a case; all are counted. */
ee_str ee_context_rule_error(ee_context *context, const ee_error *error);

#endif
