/* tool_results.c: one object a case, written member by member. */
#include "report/tool_results.h"

#include <inttypes.h>

#include "data/json/json_writer.h"
#include "report/miss_lines.h"

/* Misses of a judge that become assertions of AgentV. */
#define ASSERTIONS 50

static const ee_value *member(const ee_value *object, const char *key) {
  return ee_value_member(object, ee_str_from(key), NULL);
}

static void add_key(ee_buffer *out, char before, const char *key) {
  ee_buffer_add_char(out, before);
  ee_json_write_string(out, ee_str_from(key));
  ee_buffer_add_char(out, ':');
}

static void add_text(ee_buffer *out, char before, const char *key, ee_str text) {
  add_key(out, before, key);
  ee_json_write_string(out, text);
}

static void add_number(ee_buffer *out, char before, const char *key, double number) {
  add_key(out, before, key);
  ee_json_write_number(out, number);
}

static void add_count(ee_buffer *out, char before, const char *key, uint64_t count) {
  add_key(out, before, key);
  ee_json_write_count(out, count);
}

static void add_bool(ee_buffer *out, char before, const char *key, bool value) {
  add_key(out, before, key);
  ee_buffer_add_text(out, value ? "true" : "false");
}

static bool is_chosen(const ee_stored_row *row, size_t i, ee_str judge) {
  return judge.data == NULL || ee_str_equal(row->judges[i].name, judge);
}

/* The chosen judge, or NULL: the case. */
static const ee_stored_judge *find_judge(const ee_stored_row *row, ee_str judge) {
  for (size_t i = 0; judge.data != NULL && i < row->judge_count; i++)
    if (is_chosen(row, i, judge)) return &row->judges[i];
  return NULL;
}

/* A measure of the row; 0 if it has none of that name. */
static double measure_of(const ee_stored_row *row, const char *name) {
  for (size_t i = 0; i < row->measure_count; i++)
    if (ee_str_is(row->measures[i].name, name)) return row->measures[i].value;
  return 0;
}

/* Whether the case, or the chosen judge, could not be judged. */
static bool has_failed(const ee_stored_row *row, const ee_stored_judge *chosen) {
  if (chosen != NULL) return chosen->in_error || (!chosen->has_score && row->provider_failures > 0);
  return row->rule_errors > 0 || row->provider_failures > 0 || row->given_up > 0;
}

/* What is wrong in a line, "score 0.5: total: 7 instead of 8". */
static ee_str reason_of(const ee_stored_row *row, const ee_stored_judge *judge, double score, ee_arena *arena) {
  ee_miss_lines lines = {0};
  ee_miss_lines_add(row, judge != NULL ? judge->name : (ee_str){NULL, 0}, arena, &lines);
  return ee_miss_lines_summary(score, &lines, arena);
}

static double score_of(const ee_stored_judge *judge) { return judge->has_score ? judge->score : 0; }

static void count_row(ee_row_list *list, const ee_stored_row *row, ee_str judge, double score, bool passed,
                      bool failed) {
  list->rows += 1;
  list->passed += passed;
  list->errors += failed && !passed;
  list->score += score;
  list->cost += measure_of(row, "cost");
  list->latency_ms += measure_of(row, "latency_ms");
  for (size_t i = 0; i < row->judge_count; i++) {
    if (!is_chosen(row, i, judge)) continue;
    bool good = row->judges[i].verdict == EE_VERDICT_PASS;
    list->judges_passed += good;
    list->judges_failed += !good;
  }
}

/* promptfoo ------------------------------------------------------------------------------------- */

static void begin(ee_buffer *out) { EE_JSON_ADD(out, "{\"results\":{\"version\":3,\"results\":["); }

static void add_component(ee_buffer *out, const ee_stored_row *row, const ee_stored_judge *judge, ee_arena *arena) {
  add_bool(out, '{', "pass", judge->verdict == EE_VERDICT_PASS);
  add_number(out, ',', "score", score_of(judge));
  add_text(out, ',', "reason", reason_of(row, judge, score_of(judge), arena));
  add_key(out, ',', "assertion");
  add_text(out, '{', "type", EE_STR("javascript"));
  add_text(out, ',', "metric", judge->name);
  add_text(out, ',', "value", ee_str_from(ee_arena_printf(arena, "evalengine: %.*s", EE_STR_ARG(judge->type))));
  EE_JSON_ADD(out, "}}");
}

static void add_named_scores(ee_buffer *out, const ee_stored_row *row, ee_str judge) {
  char before = '{';
  add_key(out, ',', "namedScores");
  for (size_t i = 0; i < row->judge_count; i++) {
    if (!is_chosen(row, i, judge) || !row->judges[i].has_score) continue;
    ee_buffer_add_char(out, before);
    ee_json_write_string(out, row->judges[i].name);
    ee_buffer_add_char(out, ':');
    ee_json_write_number(out, row->judges[i].score);
    before = ',';
  }
  if (before == '{') ee_buffer_add_char(out, '{');
  ee_buffer_add_char(out, '}');
}

/* The id, what was expected, and what the case's record says that was asked. */
static void add_vars(ee_buffer *out, char before, const ee_stored_row *row) {
  const ee_value *expected = member(row->record, "expected"), *input = member(member(row->record, "record"), "input");
  add_key(out, before, "vars");
  add_text(out, '{', "id", row->id);
  if (input != NULL) {
    add_key(out, ',', "input");
    ee_json_write_value(out, input);
  }
  if (expected != NULL) {
    add_key(out, ',', "expected");
    ee_json_write_value(out, expected);
  }
  ee_buffer_add_char(out, '}');
}

void ee_promptfoo_row(const ee_stored_row *row, ee_str judge, ee_row_list *list, ee_buffer *out) {
  const ee_stored_judge *chosen = find_judge(row, judge);
  if (judge.data != NULL && chosen == NULL) return;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  double score = chosen != NULL ? score_of(chosen) : row->score;
  bool passed = (chosen != NULL ? chosen->verdict : row->verdict) == EE_VERDICT_PASS, failed = has_failed(row, chosen);
  ee_str reason = reason_of(row, chosen, score, &arena);
  if (list->rows == 0)
    begin(out);
  else
    ee_buffer_add_char(out, ',');
  EE_JSON_ADD(out, "\n{\"promptIdx\":0");
  add_count(out, ',', "testIdx", list->rows);
  add_key(out, ',', "testCase");
  add_text(out, '{', "description", row->id);
  add_vars(out, ',', row);
  EE_JSON_ADD(out, ",\"assert\":[]}");
  add_vars(out, ',', row);
  EE_JSON_ADD(out,
              ",\"promptId\":\"evalengine\",\"prompt\":{\"raw\":\"{{input}}\",\"label\":\"evalengine\"},\"provider\":{"
              "\"id\":\"evalengine\",\"label\":\"\"},\"response\":{\"output\":");
  ee_json_write_value(out, member(row->record, "candidate_answer"));
  ee_buffer_add_char(out, '}');
  add_bool(out, ',', "success", passed);
  add_number(out, ',', "score", score);
  add_count(out, ',', "failureReason", passed ? 0 : failed ? 2 : 1);
  if (!passed) add_text(out, ',', "error", reason);
  add_number(out, ',', "latencyMs", measure_of(row, "latency_ms"));
  add_number(out, ',', "cost", measure_of(row, "cost"));
  add_named_scores(out, row, judge);
  add_key(out, ',', "gradingResult");
  add_bool(out, '{', "pass", passed);
  add_number(out, ',', "score", score);
  add_text(out, ',', "reason", reason);
  add_named_scores(out, row, judge);
  EE_JSON_ADD(out, ",\"componentResults\":[");
  bool any = false;
  for (size_t i = 0; i < row->judge_count; i++) {
    if (!is_chosen(row, i, judge)) continue;
    if (any) ee_buffer_add_char(out, ',');
    any = true;
    add_component(out, row, &row->judges[i], &arena);
  }
  EE_JSON_ADD(out, "]}}");
  count_row(list, row, judge, score, passed, failed);
  ee_arena_fini(&arena);
}

void ee_promptfoo_end(ee_row_list *list, ee_buffer *out) {
  if (list->rows == 0) begin(out);
  uint64_t errors = list->errors, failures = list->rows - list->passed - errors;
  EE_JSON_ADD(out,
              "\n],\"prompts\":[{\"id\":\"evalengine\",\"raw\":\"{{input}}\",\"label\":\"evalengine\",\"provider\":"
              "\"evalengine\",\"metrics\":");
  add_number(out, '{', "score", list->score);
  add_count(out, ',', "testPassCount", list->passed);
  add_count(out, ',', "testFailCount", failures);
  add_count(out, ',', "testErrorCount", errors);
  add_count(out, ',', "assertPassCount", list->judges_passed);
  add_count(out, ',', "assertFailCount", list->judges_failed);
  add_number(out, ',', "totalLatencyMs", list->latency_ms);
  add_number(out, ',', "cost", list->cost);
  EE_JSON_ADD(out,
              ",\"namedScores\":{},\"namedScoresCount\":{},\"tokenUsage\":{\"total\":0,\"prompt\":0,\"completion\":0,"
              "\"cached\":0,\"numRequests\":0}}}],\"stats\":");
  add_count(out, '{', "successes", list->passed);
  add_count(out, ',', "failures", failures);
  add_count(out, ',', "errors", errors);
  EE_JSON_ADD(
      out, ",\"tokenUsage\":{\"total\":0,\"prompt\":0,\"completion\":0,\"cached\":0,\"numRequests\":0}}},\"config\":{"
           "\"description\":\"evalengine\"},\"shareableUrl\":null}\n");
}

/* AgentV ---------------------------------------------------------------------------------------- */

static const char *verdict_of(ee_verdict verdict) { return verdict == EE_VERDICT_PASS ? "pass" : "fail"; }

/* What was found in order, and what not. */
static void add_assertions(ee_buffer *out, const ee_value *entry) {
  size_t count = 0;
  ee_buffer_add_char(out, '[');
  static const char *const keys[] = {"hits", "misses"};
  for (size_t i = 0; i < 2; i++) {
    const ee_value *list = member(entry, keys[i]);
    for (const ee_value *at = ee_type_of(list) == EE_ARRAY ? ee_value_child(list) : NULL;
         at != NULL && count < ASSERTIONS; at = ee_value_next(at)) {
      if (ee_type_of(at) != EE_STRING) continue;
      if (count++ > 0) ee_buffer_add_char(out, ',');
      add_text(out, '{', "text", ee_value_text(at));
      add_bool(out, ',', "passed", i == 0);
      ee_buffer_add_char(out, '}');
    }
  }
  ee_buffer_add_char(out, ']');
}

static void add_grader(ee_buffer *out, const ee_stored_judge *judge) {
  add_text(out, '{', "name", judge->name);
  add_text(out, ',', "type", judge->type);
  add_number(out, ',', "score", score_of(judge));
  add_number(out, ',', "weight", judge->weight);
  add_text(out, ',', "verdict", ee_str_from(verdict_of(judge->verdict)));
  add_text(out, ',', "reason", ee_value_get_text(judge->entry, "reasoning", ""));
  add_key(out, ',', "assertions");
  add_assertions(out, judge->entry);
  ee_buffer_add_char(out, '}');
}

void ee_agentv_row(const ee_stored_row *row, ee_str judge, ee_row_list *list, ee_buffer *out) {
  const ee_stored_judge *chosen = find_judge(row, judge);
  if (judge.data != NULL && chosen == NULL) return;
  double score = chosen != NULL ? score_of(chosen) : row->score;
  bool passed = (chosen != NULL ? chosen->verdict : row->verdict) == EE_VERDICT_PASS, failed = has_failed(row, chosen);
  const ee_value *target = member(member(row->record, "record"), "target_name"),
                 *answer = member(row->record, "candidate_answer");
  add_text(out, '{', "test_id", row->id);
  add_number(out, ',', "score", score);
  add_text(out, ',', "target", ee_type_of(target) == EE_STRING ? ee_value_text(target) : EE_STR("evalengine"));
  add_text(out, ',', "execution_status", ee_str_from(failed ? "execution_error" : passed ? "ok" : "quality_failure"));
  add_text(out, ',', "reason", ee_value_get_text(chosen != NULL ? chosen->entry : row->record, "reasoning", ""));
  if (measure_of(row, "cost") > 0) add_number(out, ',', "cost_usd", measure_of(row, "cost"));
  if (measure_of(row, "latency_ms") > 0) add_number(out, ',', "duration_ms", measure_of(row, "latency_ms"));
  add_key(out, ',', "output");
  if (ee_type_of(answer) == EE_STRING) {
    ee_json_write_value(out, answer);
  } else {
    ee_buffer text;
    ee_buffer_init(&text);
    if (ee_type_of(answer) > EE_NULL) ee_json_write_value(&text, answer);
    ee_json_write_string(out, (ee_str){text.data, text.length});
    ee_buffer_fini(&text);
  }
  add_key(out, ',', "scores");
  char before = '[';
  for (size_t i = 0; i < row->judge_count; i++) {
    if (!is_chosen(row, i, judge)) continue;
    ee_buffer_add_char(out, before);
    add_grader(out, &row->judges[i]);
    before = ',';
  }
  if (before == '[') ee_buffer_add_char(out, '[');
  EE_JSON_ADD(out, "]");
  add_key(out, ',', "assertions");
  add_assertions(out, chosen != NULL ? chosen->entry : row->record);
  EE_JSON_ADD(out, "}\n");
  count_row(list, row, judge, score, passed, failed);
}
