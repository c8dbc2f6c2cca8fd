/* purity.c: a script that listens to another one, and two passes over the data.
 *
 * The recorder below stands between judges and the rule file's own script: it forwards each call and folds the answer
 * into one hash for the function and the case. Nothing else in the engine has to know. */
#include "cli/purity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "judge/open_plan.h"

typedef struct recorder {
  const ee_script_vtable *vtable; /* of the real script */
  ee_script *script;
  uint64_t *hashes; /* of the current pass, [cases][functions] */
  size_t functions;
  size_t current; /* case */
} recorder;

static recorder *self_of(ee_script *script) { return (recorder *)(void *)script; }

static void record(recorder *self, int function, ee_status status, uint64_t answer) {
  uint64_t *hash = &self->hashes[self->current * self->functions + (size_t)function];
  *hash = ee_hash_mix(*hash + ee_hash_mix(answer + (uint64_t)status + 1));
}

static uint64_t hash_double(double value) { return ee_hash_bytes(&value, sizeof value, 1); }
static uint64_t hash_str(ee_str text) { return ee_hash_bytes(text.data, text.length, 2); }

static ee_status record_strategy(ee_script *script, int function, const ee_value *expected, const ee_value *candidate,
                                 const ee_script_place *place, ee_script_score *result, ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->strategy(self->script, function, expected, candidate, place, result, error);
  record(self, function, status, status == EE_OK ? hash_double(result->score) ^ hash_str(result->reason) : 0);
  return status;
}

static ee_status record_map(ee_script *script, int function, const ee_value *value, const ee_value **result,
                            ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->map(self->script, function, value, result, error);
  record(self, function, status, status == EE_OK ? ee_value_hash(*result) : 0);
  return status;
}

static ee_status record_similarity(ee_script *script, int function, const ee_value *expected, const ee_value *candidate,
                                   double *result, ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->similarity(self->script, function, expected, candidate, result, error);
  record(self, function, status, status == EE_OK ? hash_double(*result) : 0);
  return status;
}

static ee_status record_judge(ee_script *script, int function, ee_script_judgement *result, ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->judge(self->script, function, result, error);
  uint64_t answer = 0;
  if (status == EE_OK) {
    answer = hash_double(result->score) ^ hash_str(result->reasoning);
    if (result->details != NULL) answer ^= ee_value_hash(result->details);
    for (size_t i = 0; i < result->hit_count; i++) answer = ee_hash_mix(answer + hash_str(result->hits[i]));
    for (size_t i = 0; i < result->miss_count; i++) answer = ee_hash_mix(answer + hash_str(result->misses[i]));
  }
  record(self, function, status, answer);
  return status;
}

static ee_status record_combine(ee_script *script, int function, const ee_script_number *numbers, size_t count,
                                double *result, ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->combine(self->script, function, numbers, count, result, error);
  record(self, function, status, status == EE_OK ? hash_double(*result) : 0);
  return status;
}

static ee_status record_condition(ee_script *script, int function, bool *result, ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->condition(self->script, function, result, error);
  record(self, function, status, status == EE_OK && *result ? 1 : 0);
  return status;
}

static ee_status record_aggregate(ee_script *script, int function, const ee_script_part *parts, size_t count,
                                  double *result, ee_error *error) {
  recorder *self = self_of(script);
  ee_status status = self->vtable->aggregate(self->script, function, parts, count, result, error);
  record(self, function, status, status == EE_OK ? hash_double(*result) : 0);
  return status;
}

static ee_status forward_pattern(ee_script *script, ee_str pattern, ee_str subject, bool *result, ee_error *error) {
  recorder *self = self_of(script);
  return self->vtable->pattern(self->script, pattern, subject, result, error);
}

static void forward_begin(ee_script *script, const ee_case *current, ee_arena *arena) {
  self_of(script)->vtable->begin_case(self_of(script)->script, current, arena);
}
static void forward_end(ee_script *script) { self_of(script)->vtable->end_case(self_of(script)->script); }

/* open and close are this file's own business: ee_plan_judge() calls neither. */
static const ee_script_vtable recording = {
    .begin_case = forward_begin,
    .end_case = forward_end,
    .strategy = record_strategy,
    .map = record_map,
    .similarity = record_similarity,
    .judge = record_judge,
    .combine = record_combine,
    .condition = record_condition,
    .aggregate = record_aggregate,
    .pattern = forward_pattern,
};

/* Judges every record in the given order, in a script of its own. */
static ee_status run_pass(const ee_plan *plan, ee_provider *provider, const ee_record_list *list, const size_t *order,
                          size_t functions, uint64_t *hashes, size_t *judged, ee_error *error) {
  *judged = 0;
  ee_open_plan opened;
  ee_status status = ee_open_plan_init(&opened, plan, provider, NULL, error);
  if (status != EE_OK) {
    ee_open_plan_fini(&opened);
    return status;
  }
  recorder self = {plan->vtable, opened.script, hashes, functions, 0};
  ee_plan listening = *plan;
  listening.vtable = &recording;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error_list rule_errors;
  ee_error_list_init(&rule_errors);
  for (size_t i = 0; i < list->count; i++) {
    self.current = order[i];
    ee_case current;
    if (ee_record_list_case(list, self.current, plan, &arena, &current)) {
      ee_context context = ee_open_plan_context(&opened, &arena);
      if (opened.script != NULL) context.script = (ee_script *)(void *)&self;
      context.rule_errors = &rule_errors;
      ee_case_result result;
      ee_plan_judge(&listening, &context, &current, &result);
      *judged += 1;
    }
    rule_errors.count = 0;
    ee_arena_reset(&arena, 1u << 22);
  }
  ee_error_list_fini(&rule_errors);
  ee_arena_fini(&arena);
  ee_open_plan_fini(&opened);
  return EE_OK;
}

/* The order of the data, or the same mixed: always in the same way, and so that a counter that repeats after some cases
 * does not come out the same, as it might backwards. */
static size_t *make_order(size_t count, bool mixed) {
  size_t *order = ee_calloc(count, sizeof *order);
  for (size_t i = 0; i < count; i++) order[i] = i;
  for (size_t i = mixed ? count - 1 : 0; i > 0; i--) {
    size_t other = (size_t)(ee_hash_mix(i) % i), kept = order[i]; /* never i itself: every case gets another place */
    order[i] = order[other];
    order[other] = kept;
  }
  return order;
}

/* The id of a record, for the message. */
static void copy_id(const ee_plan *plan, const ee_record_list *list, size_t index, char *out, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_case current;
  out[0] = '\0';
  if (ee_record_list_case(list, index, plan, &arena, &current))
    snprintf(out, size, "%.*s", (int)ee_utf8_cut(current.id, size - 1), current.id.data);
  ee_arena_fini(&arena);
}

static void compare_passes(const ee_plan *plan, const ee_record_list *list, const uint64_t *first,
                           const uint64_t *second, ee_purity *purity) {
  for (size_t i = 0; i < list->count; i++)
    for (size_t k = 0; k < purity->function_count; k++) {
      size_t cell = i * purity->function_count + k;
      if (first[cell] == second[cell] || purity->functions[k].differs) continue;
      purity->functions[k].differs = true;
      copy_id(plan, list, i, purity->functions[k].example, sizeof purity->functions[k].example);
    }
}

ee_status ee_purity_check(const ee_plan *plan, ee_provider *provider, const ee_record_list *list, ee_purity *purity,
                          ee_error *error) {
  *purity = (ee_purity){.function_count = plan->function_count};
  if (plan->function_count > 0) purity->functions = ee_calloc(plan->function_count, sizeof *purity->functions);
  ee_status status = EE_OK;
  if (plan->vtable != NULL && plan->function_count > 0 && list->count > 0) {
    size_t cells = list->count * plan->function_count;
    uint64_t *first = ee_calloc(cells, sizeof *first), *second = ee_calloc(cells, sizeof *second);
    size_t *in_order = make_order(list->count, false), *mixed = make_order(list->count, true);
    status = run_pass(plan, provider, list, in_order, plan->function_count, first, &purity->case_count, error);
    if (status == EE_OK)
      status = run_pass(plan, provider, list, mixed, plan->function_count, second, &purity->case_count, error);
    free(in_order);
    free(mixed);
    if (status == EE_OK) compare_passes(plan, list, first, second, purity);
    free(first);
    free(second);
  }
  purity->unreadable_count = list->count + list->unsplit - purity->case_count;
  return status;
}

void ee_purity_fini(ee_purity *purity) {
  free(purity->functions);
  *purity = (ee_purity){0};
}
