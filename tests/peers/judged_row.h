/* judged_row.h: what tests of facts share that judge a row by a rule file: the file loaded with the row's config, and
 * the answer of the code_judge protocol. A row is a record. */
#ifndef EE_TESTS_PEERS_JUDGED_ROW_H
#define EE_TESTS_PEERS_JUDGED_ROW_H

#include "judge/case.h"
#include "judge/plan.h"
#include "lua/rule_file.h"
#include "peers/agentv_compare.h"
#include "report/row.h"

static inline ee_rule_file *load_rules(const char *path, const ee_value *config) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}, .config = config};
  ee_rule_file *file = ee_rule_file_load(path, &options, &errors);
  if (file == NULL) fail_msg("%s:%zu: %s", errors.items[0].file, errors.items[0].line, errors.items[0].message);
  ee_error_list_fini(&errors);
  return file;
}

/* Judges `row` by the rule file at `path`; the answer of the code_judge protocol, as text in `arena`. */
static inline ee_str judge_row(const ee_value *row, const char *path, ee_arena *arena) {
  const ee_value *config = member(row, "config");
  ee_rule_file *file = load_rules(path, ee_type_of(config) == EE_OBJECT ? config : NULL);
  const ee_plan *plan = ee_rule_file_plan(file);
  ee_error error = {0};
  ee_open_plan open;
  assert_int_equal(ee_open_plan_init(&open, plan, NULL, NULL, &error), EE_OK);
  ee_case current;
  assert_int_equal(ee_record_read(row, &plan->paths, &(ee_record_place){.line = 1}, arena, &current, &error), EE_OK);
  ee_context context = ee_open_plan_context(&open, arena);
  ee_case_result result;
  ee_plan_judge(plan, &context, &current, &result);
  assert_int_equal(result.rule_errors, 0);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_code_judge_reply_write(&result, arena, &text);
  ee_str answer = {ee_arena_copy(arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  ee_open_plan_fini(&open);
  ee_rule_file_free(file);
  return answer;
}

#endif
