/* evaluator.c: the public interface: rule files and one case at a time. */
#include <cjson/cJSON.h>
#include <evalengine.h>
#include <string.h>

#include "base/memory.h"
#include "base/runtime.h"
#include "data/json/json_in_prose.h"
#include "data/json/json_reader.h"
#include "judge/case.h"
#include "judge/plan.h"
#include "lua/rule_file.h"
#include "provider/provider.h"
#include "report/row.h"

/* Memory that is kept from case to case. */
#define KEPT_BYTES ((size_t)1 << 22)

struct ee_rules {
  ee_rule_file *file;
};

struct ee_evaluator {
  const ee_plan *plan;
  ee_provider *provider; /* its own, so that evaluators share nothing; NULL when the rules need none */
  ee_open_plan opened;
  ee_arena arena;
  ee_buffer row;
  ee_error_list rule_errors;
};

const char *ee_version(void) { return EE_VERSION; }

ee_rules *ee_rules_load(const char *path, ee_on_error *on_error, void *user) {
  locale_t before = ee_locale_enter();
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}};
  ee_rule_file *file = ee_rule_file_load(path, &options, &errors);
  for (size_t i = 0; i < errors.count && on_error != NULL; i++) on_error(user, &errors.items[i]);
  ee_error_list_fini(&errors);
  ee_locale_leave(before);
  if (file == NULL) return NULL;
  ee_rules *rules = ee_calloc(1, sizeof *rules);
  rules->file = file;
  return rules;
}

void ee_rules_free(ee_rules *rules) {
  if (rules == NULL) return;
  ee_rule_file_free(rules->file);
  ee_free(rules);
}

/* Opens the plan, and the provider that it needs. */
static bool open_helpers(ee_evaluator *evaluator, ee_error *error) {
  const ee_plan *plan = evaluator->plan;
  if (plan->needs_provider) {
    evaluator->provider = ee_provider_open(&plan->provider, NULL, error);
    if (evaluator->provider == NULL) return false;
  }
  return ee_open_plan_init(&evaluator->opened, plan, evaluator->provider, NULL, error) == EE_OK;
}

ee_evaluator *ee_evaluator_new(const ee_rules *rules, ee_error *error) {
  ee_evaluator *evaluator = ee_calloc(1, sizeof *evaluator);
  evaluator->plan = ee_rule_file_plan(rules->file);
  ee_arena_init(&evaluator->arena, 0);
  ee_buffer_init(&evaluator->row);
  ee_error_list_init(&evaluator->rule_errors);
  ee_error local = {0};
  locale_t before = ee_locale_enter();
  bool good = open_helpers(evaluator, &local);
  ee_locale_leave(before);
  if (good) return evaluator;
  if (error != NULL) *error = local;
  ee_evaluator_free(evaluator);
  return NULL;
}

void ee_evaluator_free(ee_evaluator *evaluator) {
  if (evaluator == NULL) return;
  ee_open_plan_fini(&evaluator->opened);
  ee_provider_free(evaluator->provider);
  ee_arena_fini(&evaluator->arena);
  ee_buffer_fini(&evaluator->row);
  ee_error_list_fini(&evaluator->rule_errors);
  ee_free(evaluator);
}

static void judge_case(ee_evaluator *evaluator, const ee_case *current, const char **json, size_t *json_length,
                       double *score) {
  ee_context context = ee_open_plan_context(&evaluator->opened, &evaluator->arena);
  context.rule_errors = &evaluator->rule_errors;
  ee_case_result result;
  ee_plan_judge(evaluator->plan, &context, current, &result);
  ee_buffer_clear(&evaluator->row);
  ee_row_write(&result, &evaluator->arena, &evaluator->row);
  evaluator->row.length -= 1; /* the newline */
  if (json != NULL) *json = ee_buffer_terminate(&evaluator->row);
  if (json_length != NULL) *json_length = evaluator->row.length;
  if (score != NULL) *score = result.score;
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

ee_status ee_evaluate_text(ee_evaluator *evaluator, const char *id, const char *expected, size_t expected_length,
                           const char *candidate, size_t candidate_length, const char **json, size_t *json_length,
                           double *score, ee_error *error) {
  locale_t before = ee_locale_enter();
  ee_case current;
  start_case(evaluator, id, &current);
  ee_error local;
  ee_arena *arena = &evaluator->arena;
  current.expected = ee_json_read(arena, (ee_str){expected, expected_length}, NULL, error != NULL ? error : &local);
  ee_status status = EE_OK;
  if (current.expected == NULL) {
    status = EE_ERROR_DATA;
  } else {
    if (candidate == NULL) {
      current.candidate_state = EE_CANDIDATE_MISSING;
    } else {
      ee_case_read_text(&current, valid_text(arena, (ee_str){candidate, candidate_length}), arena);
    }
    make_record(evaluator, &current);
    judge_case(evaluator, &current, json, json_length, score);
  }
  ee_locale_leave(before);
  return status;
}

ee_status ee_evaluate_cjson(ee_evaluator *evaluator, const char *id, const cJSON *expected, const cJSON *candidate,
                            const char **json, size_t *json_length, double *score, ee_error *error) {
  locale_t before = ee_locale_enter();
  ee_case current;
  start_case(evaluator, id, &current);
  ee_arena *arena = &evaluator->arena;
  const char *why = NULL;
  ee_status status = EE_OK;
  current.expected = ee_value_from_cjson(arena, expected, &why);
  if (current.expected == NULL) {
    status = ee_error_set(error, EE_ERROR_DATA, "invalid expected tree: %s", why != NULL ? why : "it is NULL");
  } else {
    if (candidate == NULL) {
      current.candidate_state = EE_CANDIDATE_MISSING;
    } else {
      current.candidate = ee_value_from_cjson(arena, candidate, &why);
      if (current.candidate == NULL) status = ee_error_set(error, EE_ERROR_DATA, "invalid candidate tree: %s", why);
    }
    if (status == EE_OK) {
      make_record(evaluator, &current);
      judge_case(evaluator, &current, json, json_length, score);
    }
  }
  ee_locale_leave(before);
  return status;
}
