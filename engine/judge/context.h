/* context.h: what a worker carries while it judges.
 */
#ifndef EE_JUDGE_CONTEXT_H
#define EE_JUDGE_CONTEXT_H

#include <signal.h>

#include "base/arena.h"
#include "base/error.h"
#include "data/files/record.h"
#include "judge/provider_session.h"
#include "judge/script.h"
#include "judge/unreadable.h"

struct ee_plan;
struct ee_similarity_memo;

typedef struct ee_context {
  const struct ee_plan *plan;
  ee_arena *arena;     /* the case's; reset after it */
  ee_script *script;   /* NULL when the plan needs none */
  void *const *states; /* what judges keep between cases, by number (open_plan.h); NULL where none keeps anything */
  const ee_script_place *place; /* of the value being compared; set by ee_strategy_compare() */
  const ee_case *current;
  const volatile sig_atomic_t *interrupted; /* ends waiting for a program; NULL: never */
  ee_error_list *rule_errors;   /* errors that a script's functions raised, in order; message ends in (case 'ID') */
  uint64_t rule_error_count;    /* of the current case */
  ee_provider_session *session; /* NULL when the plan needs no provider */
  bool dry_run;                 /* only to find out what must be asked: nothing that comes of it is kept */
  bool is_final_round;          /* the caller has asked for all there is: what is open now gets no answer any more */
  uint64_t pending_answers;     /* of the current case: asked and not known yet */
  uint64_t provider_failures;   /* of the current case: values that lost their score because no answer came */
  uint64_t fallbacks;       /* of the current judge: lists paired by greedy because optimal would have been too much */
  ee_unreadable unreadable; /* of the current judge: values that are no boxes or points, though they should be */
  uint64_t polygon_steps;   /* of the current judge: spent on overlaps of polygons (prim/polygon.h) */
  struct ee_similarity_memo *memo; /* what was answered in the current case, in its arena (strategy_semantic.c); NULL:
                                      nothing yet. Whoever resets the arena sets it to NULL; ee_plan_judge() does */
} ee_context;

/* Records a script's error for the current case and returns its text "file:line: message" in the case's arena. The list
 * keeps at most 100 a case; all are counted. While collecting nothing is recorded. */
ee_str ee_context_rule_error(ee_context *context, const ee_error *error);

/* Records that no answer came for the value at `path`: counted, and told as an error of the list (EE_ERROR_PROVIDER,
 * without a place; the message names path, case and `reason`). While collecting it does nothing. */
void ee_context_no_answer(ee_context *context, ee_str path, ee_str reason);

#endif
