/* plan_judge.c: one case through all judges of a plan. */
#include "judge/aggregate.h"
#include "judge/plan.h"
#include "judge/selection.h"

/* The counts of all attributes of a judge together. */
static ee_counts pooled(const ee_judge_result *result) {
  ee_counts counts = {0};
  for (size_t i = 0; i < result->attribute_count; i++) {
    const ee_attribute_result *attribute = &result->attributes[i];
    if (attribute->slot >= 0 && result->judge->attributes[attribute->slot].derived) continue;
    ee_counts_add(&counts, &attribute->counts);
  }
  return counts;
}

/* The case's score from those who judged it, by weight or by the rule file's function. */
static ee_aggregate_result case_score(const ee_plan *plan, ee_context *context, const ee_judge_result *results,
                                      size_t count) {
  if (count == 0) return (ee_aggregate_result){.score = 1, .vacuous = true};
  ee_script_part *parts = ee_arena_alloc(context->arena, count * sizeof *parts);
  bool function = plan->score_function != EE_NO_FUNCTION;
  for (size_t i = 0; i < count; i++) {
    const ee_judge *judge = results[i].judge;
    parts[i] =
        (ee_script_part){.name = judge->name, .scored = true, .score = results[i].score, .weight = judge->weight};
    if (function) parts[i].counts = pooled(&results[i]);
  }
  ee_aggregate aggregate = {function ? EE_AGGREGATE_FUNCTION : EE_AGGREGATE_WEIGHTED_AVERAGE, plan->score_function};
  return ee_aggregate_parts(&aggregate, context, parts, count);
}

/* The numbers of the judges of a case, and how many there are; NULL: all of the plan. */
static const uint32_t *select_judges(const ee_plan *plan, const ee_case *current, size_t *count) {
  static const uint32_t none[1];
  *count = plan->judge_count;
  if (plan->selection == NULL) return NULL;
  const uint32_t *selected = ee_selection_find(plan->selection, current->id, count);
  return selected != NULL ? selected : none;
}

/* One pass over the judges; while collecting, over those that may have a question. */
static void judge_once(const ee_plan *plan, ee_context *context, const ee_case *current, ee_case_result *result) {
  context->place = NULL;
  context->rule_error_count = 0;
  context->pending_answers = 0;
  context->provider_failures = 0;
  context->memo = NULL;
  bool script = context->script != NULL && plan->vtable != NULL;
  if (script) plan->vtable->begin_case(context->script, current, context->arena);

  /* The hash comes first: it leaves the hashes of all values in their nodes, where line_items looks for equal items. */
  uint64_t expected_hash = ee_value_hash(current->expected);
  size_t count;
  const uint32_t *selected = select_judges(plan, current, &count);
  ee_judge_result *results = EE_NEW_ARRAY(context->arena, ee_judge_result, count);
  for (size_t i = 0; i < count; i++) {
    const ee_judge *judge = plan->judges[selected != NULL ? selected[i] : i];
    results[i].judge = judge;
    if (context->dry_run && !judge->uses_provider) continue;
    context->fallbacks = context->polygon_steps = 0;
    context->unreadable = (ee_unreadable){0};
    judge->type->judge_case(judge, context, &results[i]);
    results[i].fallbacks = context->fallbacks;
    results[i].unreadable = context->unreadable;
    results[i].verdict = ee_verdict_of(results[i].score, judge->verdict);
  }
  /* A score that will not be kept need not be made: it may be a function's. */
  ee_aggregate_result score = {0};
  if (!context->dry_run && context->pending_answers == 0) score = case_score(plan, context, results, count);
  if (script) plan->vtable->end_case(context->script);

  *result = (ee_case_result){.source = current,
                             .score = score.score,
                             .verdict = ee_verdict_of(score.score, plan->verdict),
                             .expected_hash = expected_hash,
                             .judges = results,
                             .judge_count = count,
                             .score_error = score.failed ? score.error : EE_STR(""),
                             .rule_errors = context->rule_error_count,
                             .provider_failures = context->provider_failures};
}

/* Judges, asks what is open, and judges again, until nothing is. */
static void judge_asking(const ee_plan *plan, ee_context *context, const ee_case *current, ee_case_result *result) {
  ee_provider_session *session = context->session;
  size_t errors_before = context->rule_errors != NULL ? context->rule_errors->count : 0;
  ee_provider_session_begin(session, EE_NO_TICKET);
  /* Programs are asked once, when all else is known. */
  context->dry_run = plan->runs_programs;
  for (unsigned round = 0;; round++) {
    judge_once(plan, context, current, result);
    if (context->pending_answers == 0 || context->is_final_round) {
      if (!context->dry_run) break;
      context->dry_run = false;
      continue;
    }
    context->is_final_round = session->vtable->ask(session, NULL) != EE_OK || round >= EE_PROVIDER_ROUNDS;
    if (context->rule_errors != NULL) context->rule_errors->count = errors_before;
  }
  context->is_final_round = false;
  ee_provider_session_end(session);
}

void ee_plan_judge_once(const ee_plan *plan, ee_context *context, const ee_case *current, ee_case_result *result) {
  context->plan = plan;
  context->current = current;
  judge_once(plan, context, current, result);
}

void ee_plan_judge(const ee_plan *plan, ee_context *context, const ee_case *current, ee_case_result *result) {
  context->plan = plan;
  context->current = current;
  if (ee_provider_session_is_async(context->session) && !context->dry_run && !context->is_final_round) {
    judge_asking(plan, context, current, result);
  } else {
    judge_once(plan, context, current, result);
  }
}
