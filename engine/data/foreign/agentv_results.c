/* agentv_results.c: results of AgentV (github.com/EntityProcess/agentv, packages/core/src/evaluation/types.ts:
 * EvaluationResult, and files in its examples): JSONL, one result a line, in snake_case or camelCase.
 *
 * A result has the answer and its scores; the expected value is in the data set, which is read as YAML. A file may have
 * results of several targets, which must not be mixed. */
#include "data/foreign/foreign.h"

#include <string.h>

#include "data/json/json_writer.h"

enum { FAILED, NO_EXPECTED };

static const char *const notes[] = {
    [FAILED] = "the run of the test failed and has no answer, judged as an empty candidate",
    [NO_EXPECTED] = "results have no expected values: evalengine DATASET.yaml RESULTS.jsonl --from agentv, or "
                    "--expected FILE",
    NULL};

static const char *const id_names[] = {"test_id", "testId", "eval_id", "evalId", NULL};
static const char *const answer_names[] = {"output", "answer", "candidate_answer", "candidateAnswer", NULL};
static const char *const expected_names[] = {"expected_output", "expectedOutput", "reference_answer", "referenceAnswer",
                                             NULL};
static const char *const status_names[] = {"execution_status", "executionStatus", NULL};
static const char *const cost_names[] = {"cost_usd", "costUsd", NULL};
static const char *const time_names[] = {"duration_ms", "durationMs", NULL};
static const char *const token_names[] = {"token_usage", "tokenUsage", NULL};
static const char *const suite_names[] = {"suite", "dataset", NULL};
static const char *const sample_names[] = {"sample_index", "sampleIndex", NULL};

static const ee_value *member(const ee_value *object, const char *key) {
  return ee_value_member(object, ee_str_from(key), NULL);
}

static bool is_result(const ee_value *record) {
  return ee_type_of(ee_foreign_first(record, id_names)) == EE_STRING &&
         ee_type_of(member(record, "score")) == EE_NUMBER && ee_type_of(member(record, "target")) == EE_STRING;
}

/* A text, or messages: the content of the assistant's last one. */
static bool add_answer(ee_foreign_reading *r, const char *key, const ee_value *value) {
  ee_str text = ee_foreign_last_message(value, "assistant", r->arena);
  if (text.data != NULL)
    ee_foreign_add_text(r, key, text);
  else
    ee_foreign_add(r, key, value);
  return value != NULL;
}

static void add_scores(ee_foreign_reading *r, const ee_value *list) {
  if (ee_type_of(list) != EE_ARRAY || ee_value_count(list) == 0) return;
  ee_value *scores = ee_value_new(r->arena, EE_OBJECT);
  for (const ee_value *at = ee_value_child(list); at != NULL; at = ee_value_next(at)) {
    ee_str name = ee_value_get_text(at, "name", "");
    const ee_value *score = member(at, "score");
    if (name.length == 0 || ee_type_of(score) != EE_NUMBER || ee_value_member(scores, name, NULL) != NULL) continue;
    ee_value_set(r->arena, scores, name, ee_value_new_number(r->arena, ee_value_number(score)));
  }
  ee_foreign_add(r, "scores", scores);
}

/* The sum of input and output. */
static void add_tokens(ee_foreign_reading *r, const ee_value *usage) {
  double in = ee_value_get_number(usage, "input", -1), out = ee_value_get_number(usage, "output", -1);
  if (in >= 0 && out >= 0) ee_foreign_add_measure(r, EE_FOREIGN_TOKENS, ee_value_new_number(r->arena, in + out));
}

static ee_foreign_result read(ee_foreign_reading *r, const ee_value *record, ee_error *error) {
  const ee_value *id = ee_foreign_first(record, id_names);
  if (id == NULL || ee_type_of(member(record, "score")) != EE_NUMBER) {
    ee_error_set(error, EE_ERROR_DATA, "not a result of AgentV: 'test_id', 'score' and 'target' are expected in it");
    return EE_FOREIGN_BROKEN;
  }
  ee_foreign_add_id(r, id);
  bool has_answer = add_answer(r, "candidate", ee_foreign_first(record, answer_names));
  bool failed = ee_str_is(ee_type_of(ee_foreign_first(record, status_names)) == EE_STRING
                              ? ee_value_text(ee_foreign_first(record, status_names))
                              : EE_STR(""),
                          "execution_error") ||
                ee_type_of(member(record, "error")) > EE_NULL;
  if (!has_answer && !failed) {
    ee_error_set(error, EE_ERROR_DATA,
                 "the result has scores and no answer ('output'): 'evalengine report' and 'compare' read such files");
    return EE_FOREIGN_BROKEN;
  }
  if (!has_answer) ee_foreign_note_record(r, FAILED);
  bool has_expected = add_answer(r, "expected", ee_foreign_first(record, expected_names));
  if (!has_expected && r->use->one_file) ee_foreign_note_record(r, NO_EXPECTED);
  ee_foreign_add(r, "target_name", member(record, "target")); /* `target` is a name of expected values */
  ee_foreign_add(r, "suite", ee_foreign_first(record, suite_names));
  ee_foreign_add(r, "sample_index", ee_foreign_first(record, sample_names));
  ee_foreign_add(r, "input", member(record, "input"));
  ee_foreign_add(r, "tool_score", member(record, "score"));
  add_scores(r, member(record, "scores"));
  ee_foreign_add_measure(r, EE_FOREIGN_COST, ee_foreign_first(record, cost_names));
  ee_foreign_add_measure(r, EE_FOREIGN_LATENCY, ee_foreign_first(record, time_names));
  add_tokens(r, ee_foreign_first(record, token_names));
  ee_foreign_add(r, "metadata", member(record, "metadata"));
  return EE_FOREIGN_RECORD;
}

static bool has_samples(ee_str head) {
  for (const char *const *name = sample_names; *name != NULL; name++)
    if (memmem(head.data, head.length, *name, strlen(*name)) != NULL) return true;
  return false;
}

static const char *const variants[] = {"target_name", NULL};

const ee_foreign_format ee_foreign_agentv = {
    .name = "agentv",
    .what = "results of AgentV (JSONL)",
    .trial = "sample_index",
    .has_trials = has_samples,
    .variants = variants,
    .notes = notes,
    .is = is_result,
    .read = read,
};
