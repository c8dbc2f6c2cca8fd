/* evaluator.c: the public interface: one case at a time. */
#include <cjson/cJSON.h>
#include <evalengine.h>
#include <string.h>

#include "api/guard.h"
#include "api/rules.h"
#include "base/memory.h"
#include "base/work.h"
#include "data/json/json_in_prose.h"
#include "data/json/json_reader.h"
#include "judge/case.h"
#include "judge/plan.h"
#include "provider/provider.h"
#include "report/row.h"

/* Memory that is kept from case to case. */
#define KEPT_BYTES ((size_t)1 << 22)

/* Evaluators ----------------------------------------------------------------------------------- */

struct ee_evaluator {
  const ee_plan *plan;
  ee_pool pool;          /* of everything below */
  bool open;             /* false once memory has run out, and what is below is gone */
  ee_provider *provider; /* its own, so that evaluators share nothing; NULL when the rules need none */
  ee_open_plan opened;
  ee_arena arena;
  ee_buffer row;
  ee_error_list rule_errors;
};

/* After the pool was discarded. */
static void forget_all(ee_evaluator *evaluator) {
  evaluator->open = false;
  evaluator->provider = NULL;
  evaluator->opened = (ee_open_plan){0};
  ee_arena_init(&evaluator->arena, 0);
  ee_buffer_init(&evaluator->row);
  ee_error_list_init(&evaluator->rule_errors);
}

/* Opens the plan, and the provider that it needs. */
static ee_status open_helpers(ee_evaluator *evaluator, ee_error *error) {
  const ee_plan *plan = evaluator->plan;
  if (plan->needs_provider) {
    evaluator->provider = ee_provider_open(&plan->provider, NULL, error);
    if (evaluator->provider == NULL) return error->status;
  }
  return ee_open_plan_init(&evaluator->opened, plan, evaluator->provider, NULL, error);
}

static void close_all(void *user) {
  ee_evaluator *evaluator = user;
  ee_open_plan_fini(&evaluator->opened);
  ee_provider_free(evaluator->provider);
  ee_arena_fini(&evaluator->arena);
  ee_buffer_fini(&evaluator->row);
  ee_error_list_fini(&evaluator->rule_errors);
}

/* Opens an evaluator that is new, or was closed when memory ran out. */
static ee_status open_all(ee_evaluator *evaluator, ee_error *error) {
  if (evaluator->open) return EE_OK;
  ee_error local = {0};
  ee_status status = open_helpers(evaluator, &local);
  if (status == EE_OK) {
    evaluator->open = true;
    return EE_OK;
  }
  if (error != NULL) *error = local;
  close_all(evaluator);
  forget_all(evaluator);
  return status;
}

typedef struct open_call {
  ee_evaluator *evaluator;
  ee_error *error;
} open_call;

static void open_evaluator(void *user) {
  open_call *call = user;
  open_all(call->evaluator, call->error);
}

ee_evaluator *ee_evaluator_new(const ee_rules *rules, ee_error *error) {
  ee_evaluator *evaluator = ee_new_object(sizeof *evaluator);
  if (evaluator == NULL) { /* unreached: memory is refused */
    ee_no_memory(error);   /* unreached: memory is refused */
    return NULL;           /* unreached: memory is refused */
  }
  evaluator->plan = ee_rule_file_plan(rules->file);
  ee_pool_init(&evaluator->pool);
  forget_all(evaluator);
  open_call call = {evaluator, error};
  if (!ee_guard(&evaluator->pool, open_evaluator, &call)) { /* unreached: memory is refused */
    ee_no_memory(error);                                    /* unreached: memory is refused */
  } else if (evaluator->open) {
    return evaluator;
  }
  ee_free(evaluator);
  return NULL;
}

void ee_evaluator_free(ee_evaluator *evaluator) {
  if (evaluator == NULL) return;
  ee_guard(&evaluator->pool, close_all, evaluator);
  ee_free(evaluator);
}

/* One case ------------------------------------------------------------------------------------- */

/* The arguments of a call, and its status. */
typedef struct case_call {
  ee_evaluator *evaluator;
  const char *id;
  ee_str expected_text, candidate_text;
  const cJSON *expected, *candidate;
  const char **json;
  size_t *json_length;
  double *score;
  ee_error *error; /* may be NULL */
  ee_status status;
} case_call;

/* Runs judge(call) with an evaluator that is open. */
static ee_status judge_guarded(case_call *call, void (*judge)(void *call)) {
  if (ee_guard(&call->evaluator->pool, judge, call)) return call->status; /* unreached: no memory: make faults */
  forget_all(call->evaluator);                                            /* unreached: as the line before */
  return ee_no_memory(call->error);                                       /* unreached: as the line before */
}

static void judge_case(const case_call *call, const ee_case *current) {
  ee_evaluator *evaluator = call->evaluator;
  ee_context context = ee_open_plan_context(&evaluator->opened, &evaluator->arena);
  context.rule_errors = &evaluator->rule_errors;
  ee_case_result result;
  ee_plan_judge(evaluator->plan, &context, current, &result);
  ee_buffer_clear(&evaluator->row);
  ee_row_write(&result, &evaluator->arena, &evaluator->row);
  evaluator->row.length -= 1; /* the newline */
  const char *row = ee_buffer_terminate(&evaluator->row);
  if (call->json != NULL) *call->json = row;
  if (call->json_length != NULL) *call->json_length = evaluator->row.length;
  if (call->score != NULL) *call->score = result.score;
}

/* Replaces invalid UTF-8 by U+FFFD: an answer or an id may have any bytes. */
static ee_str valid_text(ee_arena *arena, ee_str text) {
  size_t good = ee_utf8_valid_prefix(text.data, text.length);
  if (good == text.length) return text;
  char *out = ee_arena_alloc(arena, text.length * 3);
  size_t length = 0, at = 0;
  while (at < text.length) {
    good = ee_utf8_valid_prefix(text.data + at, text.length - at);
    memcpy(out + length, text.data + at, good);
    length += good;
    at += good;
    if (at < text.length) {
      memcpy(out + length, "\xEF\xBF\xBD", 3);
      length += 3;
      at += 1;
    }
  }
  return (ee_str){out, length};
}

static void start_case(ee_evaluator *evaluator, const char *id, ee_case *current) {
  ee_arena_reset(&evaluator->arena, KEPT_BYTES);
  evaluator->rule_errors.count = 0;
  ee_str name = valid_text(&evaluator->arena, ee_str_from(id != NULL ? id : "case"));
  *current = (ee_case){.id = name, .candidate_state = EE_CANDIDATE_READ};
}

/* Makes the record that a data set would have, for judge functions, other rule files and programs. */
static void make_record(ee_evaluator *evaluator, ee_case *current) {
  if (evaluator->opened.script == NULL && evaluator->opened.states == NULL) return;
  ee_arena *arena = &evaluator->arena;
  ee_value *record = ee_value_new(arena, EE_OBJECT);
  ee_value_set(arena, record, EE_STR("id"), ee_value_new_string(arena, current->id));
  ee_value_set(arena, record, EE_STR("expected"), ee_value_copy(arena, current->expected));
  if (current->candidate != NULL)
    ee_value_set(arena, record, EE_STR("candidate"), ee_value_copy(arena, current->candidate));
  else if (current->candidate_text.data != NULL)
    ee_value_set(arena, record, EE_STR("candidate"), ee_value_new_string(arena, current->candidate_text));
  current->record = record;
}

size_t ee_evaluator_rule_errors(const ee_evaluator *evaluator, const ee_error **errors) {
  if (errors != NULL) *errors = evaluator->rule_errors.items;
  return evaluator->rule_errors.count;
}

static void judge_text(void *user) {
  case_call *call = user;
  ee_evaluator *evaluator = call->evaluator;
  call->status = open_all(evaluator, call->error);
  if (call->status != EE_OK) return; /* unreached: opening again after memory was refused */
  ee_case current;
  start_case(evaluator, call->id, &current);
  ee_error local;
  ee_arena *arena = &evaluator->arena;
  current.expected = ee_json_read(arena, call->expected_text, NULL, call->error != NULL ? call->error : &local);
  if (current.expected == NULL) {
    call->status = EE_ERROR_DATA;
    return;
  }
  if (call->candidate_text.data == NULL) {
    current.candidate_state = EE_CANDIDATE_MISSING;
  } else {
    ee_case_read_text(&current, valid_text(arena, call->candidate_text), arena);
    ee_case_keep_text(&current, &evaluator->opened.plan->paths, arena);
  }
  make_record(evaluator, &current);
  judge_case(call, &current);
}

ee_status ee_evaluate_text(ee_evaluator *evaluator, const char *id, const char *expected, size_t expected_length,
                           const char *candidate, size_t candidate_length, const char **json, size_t *json_length,
                           double *score, ee_error *error) {
  case_call call = {.evaluator = evaluator,
                    .id = id,
                    .expected_text = {expected, expected_length},
                    .candidate_text = {candidate, candidate_length},
                    .json = json,
                    .json_length = json_length,
                    .score = score,
                    .error = error};
  return judge_guarded(&call, judge_text);
}

static void judge_trees(void *user) {
  case_call *call = user;
  ee_evaluator *evaluator = call->evaluator;
  call->status = open_all(evaluator, call->error);
  if (call->status != EE_OK) return; /* unreached: opening again after memory was refused */
  ee_case current;
  start_case(evaluator, call->id, &current);
  ee_arena *arena = &evaluator->arena;
  const char *why = NULL;
  current.expected = ee_value_from_cjson(arena, call->expected, &why);
  if (current.expected == NULL) {
    if (why == NULL) why = "it is NULL";
    call->status = ee_error_set(call->error, EE_ERROR_DATA, "invalid expected tree: %s", why);
    return;
  }
  if (call->candidate == NULL) {
    current.candidate_state = EE_CANDIDATE_MISSING;
  } else {
    current.candidate = ee_value_from_cjson(arena, call->candidate, &why);
    if (current.candidate == NULL) {
      call->status = ee_error_set(call->error, EE_ERROR_DATA, "invalid candidate tree: %s", why);
      return;
    }
  }
  make_record(evaluator, &current);
  judge_case(call, &current);
}

ee_status ee_evaluate_cjson(ee_evaluator *evaluator, const char *id, const cJSON *expected, const cJSON *candidate,
                            const char **json, size_t *json_length, double *score, ee_error *error) {
  case_call call = {.evaluator = evaluator,
                    .id = id,
                    .expected = expected,
                    .candidate = candidate,
                    .json = json,
                    .json_length = json_length,
                    .score = score,
                    .error = error};
  return judge_guarded(&call, judge_trees);
}
