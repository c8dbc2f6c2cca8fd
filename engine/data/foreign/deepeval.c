/* deepeval.c: DeepEval's test runs and data sets of goldens (github.com/confident-ai/deepeval, deepeval/test_run/api.py
 * and deepeval/dataset/dataset.py: save_as).
 *
 * A test run is one object with `testCases`, in .deepeval/.latest_test_run.json below `testRunData`; its members are in
 * camelCase. A data set is an array or JSONL of goldens in snake_case, which may have no actual output: then they are
 * expected values for another file. */
#include "data/foreign/foreign.h"

#include "data/json/json_writer.h"

enum { CONVERSATION, NO_OUTPUT };

static const char *const notes[] = {[CONVERSATION] =
                                        "a conversation of several turns, which is not judged: it has no actual output",
                                    [NO_OUTPUT] = "no actual output, judged as an empty candidate",
                                    NULL};

static const char *const expected_names[] = {"expectedOutput", "expected_output", NULL};
static const char *const actual_names[] = {"actualOutput", "actual_output", NULL};
static const char *const retrieval_names[] = {"retrievalContext", "retrieval_context", NULL};
static const char *const metric_names[] = {"metricsData", "metrics_data", NULL};
static const char *const cost_names[] = {"tokenCost", "token_cost", NULL};
static const char *const time_names[] = {"completionTime", "completion_time", NULL};
static const char *const metadata_names[] = {"metadata", "additionalMetadata", "additional_metadata", NULL};
static const char *const source_names[] = {"sourceFile", "source_file", NULL};

static const ee_value *member(const ee_value *object, const char *key) {
  return ee_value_member(object, ee_str_from(key), NULL);
}

static bool has_any(const ee_value *record, const char *const *names) {
  for (; *names != NULL; names++)
    if (member(record, *names) != NULL) return true;
  return false;
}

static bool is_conversation(const ee_value *record) {
  return member(record, "turns") != NULL || member(record, "scenario") != NULL;
}

static bool is_case(const ee_value *record) {
  if (is_conversation(record)) return has_any(record, metric_names);
  return member(record, "input") != NULL && (has_any(record, expected_names) || has_any(record, actual_names)) &&
         (has_any(record, metric_names) || has_any(record, retrieval_names));
}

/* {"Faithfulness": 0.45}: what each metric scored. */
static void add_scores(ee_foreign_reading *r, const ee_value *metrics) {
  if (ee_type_of(metrics) != EE_ARRAY || ee_value_count(metrics) == 0) return;
  ee_foreign_add_key(r, "scores");
  ee_value *scores = ee_value_new(r->arena, EE_OBJECT);
  for (const ee_value *metric = ee_value_child(metrics); metric != NULL; metric = ee_value_next(metric)) {
    ee_str name = ee_value_get_text(metric, "name", "");
    const ee_value *score = member(metric, "score");
    if (name.length == 0 || ee_type_of(score) != EE_NUMBER || ee_value_member(scores, name, NULL) != NULL) continue;
    ee_value_set(r->arena, scores, name, ee_value_new_number(r->arena, ee_value_number(score)));
  }
  ee_json_write_value(r->out, scores);
}

static ee_foreign_result read(ee_foreign_reading *r, const ee_value *record, ee_error *error) {
  ee_foreign_add_id(r, ee_type_of(member(record, "name")) == EE_STRING ? member(record, "name") : NULL);
  if (is_conversation(record)) {
    ee_foreign_note_record(r, CONVERSATION);
    return EE_FOREIGN_NOTHING;
  }
  if (member(record, "input") == NULL) {
    ee_error_set(error, EE_ERROR_DATA,
                 "neither a test case nor a golden of DeepEval: 'input', and 'expectedOutput' or 'expected_output' are "
                 "expected in it");
    return EE_FOREIGN_BROKEN;
  }
  const ee_value *actual = ee_foreign_first(record, actual_names);
  ee_foreign_add(r, "expected", ee_foreign_first(record, expected_names));
  ee_foreign_add(r, "candidate", actual);
  if (actual == NULL && r->use->one_file) ee_foreign_note_record(r, NO_OUTPUT);
  ee_foreign_add(r, "input", member(record, "input"));
  ee_foreign_add(r, "context", member(record, "context"));
  ee_foreign_add(r, "retrieval_context", ee_foreign_first(record, retrieval_names));
  ee_foreign_add(r, "source_file", ee_foreign_first(record, source_names));
  add_scores(r, ee_foreign_first(record, metric_names));
  ee_foreign_add(r, "tool_pass", member(record, "success"));
  ee_foreign_add_measure(r, EE_FOREIGN_COST, ee_foreign_first(record, cost_names));
  const ee_value *time = ee_foreign_first(record, time_names);
  if (ee_type_of(time) == EE_NUMBER)
    ee_foreign_add_measure(r, EE_FOREIGN_LATENCY, ee_value_new_number(r->arena, ee_value_number(time) * 1000));
  ee_foreign_add(r, "tags", member(record, "tags"));
  ee_foreign_add(r, "metadata", ee_foreign_first(record, metadata_names));
  return EE_FOREIGN_RECORD;
}

static const char *const arrays[] = {"testCases", "testRunData.testCases", NULL};

const ee_foreign_format ee_foreign_deepeval = {
    .name = "deepeval",
    .what = "a test run or goldens of DeepEval",
    .arrays = arrays,
    .notes = notes,
    .is = is_case,
    .read = read,
};
