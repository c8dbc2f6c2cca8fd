/* fuzz_rule_text.c: any text as a rule file.
 *
 * A file that does not load says why, with a place; one that does prints its plan and judges a case, unless it runs
 * programs. Errors of its functions are results. */
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "judge/case.h"
#include "lua/habits.h"
#include "lua/rule_file.h"

static const char record_text[] = "{\"id\":\"a\",\"doc\":\"d\",\"expected\":{\"a\":1,\"total\":5.5,\"name\":\"abc\","
                                  "\"date\":\"2025-01-02\",\"tags\":[\"x\",\"y\"],"
                                  "\"items\":[{\"name\":\"one\",\"price\":1},{\"name\":\"two\",\"price\":2}],\"boxes\":"
                                  "[{\"bbox\":[0,0,1,1],\"category\":\"c\"}]},"
                                  "\"candidate\":{\"a\":2,\"total\":\"5,50\",\"name\":\"abd\",\"date\":\"2 Jan "
                                  "2025\",\"tags\":[\"y\"],\"items\":[{\"name\":\"on\"}],"
                                  "\"boxes\":[{\"bbox\":[0,0,1,2],\"category\":\"c\",\"score\":0.5}]}}";

static void judge(const ee_plan *plan) {
  ee_arena arena;
  ee_open_plan open;
  ee_error error = {0};
  ee_error_list errors;
  ee_arena_init(&arena, 0);
  ee_error_list_init(&errors);
  ee_status status = ee_open_plan_init(&open, plan, NULL, NULL, &error);
  fuzz_require(status == EE_OK || error.message[0] != '\0');
  if (status == EE_OK) {
    const ee_value *record = ee_json_read(&arena, EE_STR(record_text), NULL, NULL);
    ee_case current;
    if (ee_record_read(record, &plan->paths, NULL, &arena, &current, &error) == EE_OK) {
      ee_context context = ee_open_plan_context(&open, &arena);
      context.rule_errors = &errors;
      context.detail = EE_DETAIL_FULL;
      ee_case_result result;
      ee_plan_judge(plan, &context, &current, &result);
      fuzz_require(result.score >= 0 && result.score <= 1);
    }
  }
  ee_open_plan_fini(&open);
  ee_error_list_fini(&errors);
  ee_arena_fini(&arena);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_str text = fuzz_text(data, size);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.memory = (size_t)8 << 20, .instructions = 20000}, .text = text};
  if (text.data == NULL) return 0;
  ee_rule_file *rules = ee_rule_file_load("fuzz.lua", &options, &errors);
  fuzz_require(rules != NULL || errors.count > 0);
  for (size_t i = 0; i < errors.count; i++) {
    const char *message = errors.items[i].message;
    fuzz_require(message[0] != '\0' && ee_utf8_valid_prefix(message, strlen(message)) == strlen(message));
  }
  if (rules != NULL) {
    const ee_plan *plan = ee_rule_file_plan(rules);
    ee_buffer out = {0};
    ee_plan_print(plan, &out);
    fuzz_require(out.length > 0);
    ee_buffer_fini(&out);
    if (!plan->runs_programs && !plan->needs_provider) judge(plan);
  }
  ee_rule_file_free(rules);
  ee_lua_find_pitfalls(text, "fuzz.lua", &errors);
  ee_error_list_fini(&errors);
  return 0;
}

EE_FUZZ_TARGET(2048)
