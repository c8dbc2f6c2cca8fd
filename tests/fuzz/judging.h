/* judging.h: a case through a plan, and what always holds of its result. For the fuzzers of judges. */
#ifndef EE_TESTS_FUZZ_JUDGING_H
#define EE_TESTS_FUZZ_JUDGING_H

#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "fuzz/output_checks.h"
#include "judge/plan.h"
#include "report/row.h"
#include "support/rule_json.h"

static inline void fuzz_check_result(const ee_case_result *result, ee_arena *arena) {
  fuzz_require(result->score >= 0 && result->score <= 1);
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *one = &result->judges[i];
    fuzz_require(one->score >= 0 && one->score <= 1);
    for (size_t k = 0; one->case_metrics != NULL && ee_judge_case_metrics(one->judge)[k] != NULL; k++)
      fuzz_require(one->case_metrics[k] <= 1);
  }
  ee_buffer row = {0};
  ee_row_write(result, arena, &row);
  fuzz_check_json_lines(fuzz_buffer_text(&row));
  ee_buffer_clear(&row);
  ee_code_judge_reply_write(result, arena, &row);
  fuzz_check_json_lines(fuzz_buffer_text(&row));
  ee_buffer_fini(&row);
}

/* Judges two documents (NULL: a missing candidate) of a record that is {"text": `text`}, in `arena`. */
static inline ee_case_result fuzz_judge_text(const ee_open_plan *open, const ee_value *text, const ee_value *expected,
                                             const ee_value *candidate, ee_detail detail, ee_arena *arena) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_value *record = ee_value_new(arena, EE_OBJECT);
  if (text != NULL) ee_value_set(arena, record, EE_STR("text"), ee_value_copy(arena, text));
  ee_case *current = EE_NEW(arena, ee_case);
  *current = (ee_case){.id = EE_STR("a"), .base = EE_STR("a"), .record = record, .expected = expected};
  current->candidate = candidate;
  current->candidate_state = candidate != NULL ? EE_CANDIDATE_READ : EE_CANDIDATE_MISSING;
  ee_context context = ee_open_plan_context(open, arena);
  context.rule_errors = &errors;
  context.detail = detail;
  context.kinds = true;
  ee_case_result result;
  ee_plan_judge(open->plan, &context, current, &result);
  fuzz_check_result(&result, arena);
  ee_error_list_fini(&errors);
  return result;
}

static inline ee_case_result fuzz_judge(const ee_open_plan *open, const ee_value *expected, const ee_value *candidate,
                                        ee_detail detail, ee_arena *arena) {
  return fuzz_judge_text(open, NULL, expected, candidate, detail, arena);
}

/* The plan of rules in JSON, which are correct. In `arena`. */
static inline const ee_plan *fuzz_plan(const ee_buffer *rules, ee_arena *arena) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  const ee_value *tree = ee_json_read(arena, (ee_str){rules->data, rules->length}, NULL, NULL);
  fuzz_require(tree != NULL);
  const ee_plan *plan = ee_plan_compile(arena, test_rule_node(arena, tree, 1), NULL, NULL, &errors);
  for (size_t i = 0; i < errors.count; i++) fprintf(stderr, "%s\n", errors.items[i].message);
  fuzz_require(plan != NULL);
  ee_error_list_fini(&errors);
  ee_buffer out = {0};
  ee_plan_print(plan, &out);
  ee_buffer_fini(&out);
  return plan;
}

/* One of some texts, by the next byte. */
#define FUZZ_PICK(source, array) (array)[fuzz_below((source), sizeof(array) / sizeof *(array))]

/* A document of few different values, so that bytes which differ little give documents that do. */
static inline ee_value *fuzz_document(fuzz_source *source, ee_arena *arena, int depth) {
  static const char *const keys[] = {"a", "b", "c", "d", "id", "a.b", "anyOf", "", "k\n"};
  static const char *const texts[] = {"ab", "abc", "abd", "5", "", " ", "x y", "2024-05-03", "\xc3\xa9"};
  static const double numbers[] = {0, 1, 2, 3, -1, 0.5, 1e300, 5};
  size_t kind = fuzz_below(source, 16);
  if (kind == 0) return ee_value_new(arena, EE_NULL);
  if (kind == 1) return ee_value_new_bool(arena, fuzz_below(source, 2) == 0);
  if (kind < 5 || (depth == 0 && kind < 11)) return ee_value_new_number(arena, FUZZ_PICK(source, numbers));
  if (kind < 8 || depth == 0) return ee_value_new_string(arena, ee_str_from(FUZZ_PICK(source, texts)));
  ee_value *value = ee_value_new(arena, kind < 12 ? EE_ARRAY : EE_OBJECT);
  for (size_t count = fuzz_below(source, 6); count > 0 && !fuzz_is_empty(source); count--) {
    ee_str key = ee_str_from(FUZZ_PICK(source, keys));
    ee_value *child = fuzz_document(source, arena, depth - 1);
    if (kind < 12)
      ee_value_append(value, child);
    else if (ee_value_member(value, key, NULL) == NULL)
      ee_value_set(arena, value, key, child);
  }
  return value;
}

/* The next line as JSON, or with its first byte '~' or where it is no JSON, a document that its bytes choose. */
static inline const ee_value *fuzz_line_document(fuzz_source *source, ee_arena *arena) {
  ee_str line = fuzz_line(source);
  bool chosen = line.length > 0 && line.data[0] == '~';
  const ee_value *value = chosen ? NULL : ee_json_read(arena, line, NULL, NULL);
  if (value != NULL) return value;
  fuzz_source bytes = fuzz_source_of((const uint8_t *)line.data + chosen, line.length - chosen);
  return fuzz_document(&bytes, arena, 4);
}

#endif
