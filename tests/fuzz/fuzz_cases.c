/* fuzz_cases.c: YAML data sets: their cases as records, and their evaluators as rules.
 *
 * Every case becomes a record that is JSON; rules that are read without a mistake compile, with programs refused, or
 * say why they do not; with them the cases are judged. */
#include "data/files/case_file.h"
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "judge/outside/agentv.h"

static void check_messages(const ee_error_list *errors) {
  for (size_t i = 0; i < errors->count; i++) {
    const char *message = errors->items[i].message;
    fuzz_require(message[0] != '\0' && ee_utf8_valid_prefix(message, strlen(message)) == strlen(message));
  }
}

static void judge_all(const ee_plan *plan, const ee_case_file *file) {
  ee_arena arena;
  ee_block block;
  ee_open_plan open;
  ee_error error = {0};
  ee_error_list errors;
  ee_arena_init(&arena, 0);
  ee_block_init(&block);
  ee_error_list_init(&errors);
  block.file = "cases.yaml";
  if (ee_open_plan_init(&open, plan, NULL, NULL, &error) == EE_OK)
    for (size_t first = 0; first < file->count && first < 20;) {
      first = ee_case_file_fill(file, first, 65536, &block);
      for (size_t i = 0; i < block.count; i++) {
        ee_case current;
        const ee_record_span *span = &block.records[i];
        ee_str text = {block.text.data + span->offset, span->length};
        const ee_value *record = ee_json_read(&arena, text, NULL, NULL);
        fuzz_require(record != NULL);
        if (ee_record_read(record, &plan->paths, NULL, &arena, &current, &error) != EE_OK) continue;
        ee_context context = ee_open_plan_context(&open, &arena);
        context.rule_errors = &errors;
        ee_case_result result;
        ee_plan_judge(plan, &context, &current, &result);
        fuzz_require(result.score >= 0 && result.score <= 1);
      }
      block.count = 0;
      ee_buffer_clear(&block.text);
    }
  ee_open_plan_fini(&open);
  ee_error_list_fini(&errors);
  ee_block_fini(&block);
  ee_arena_fini(&arena);
}

/* Other rule files are not loaded. */
static const ee_plan *load_nothing(void *user, const char *path, const ee_value *config, ee_error_list *errors) {
  (void)user, (void)config;
  ee_error_list_addf(errors, EE_ERROR_RULES, path, 1, "not loaded here");
  return NULL;
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_error error = {0};
  ee_case_file *file = ee_case_file_read("cases.yaml", fuzz_text(data, size), &error);
  if (file == NULL) {
    fuzz_require(error.message[0] != 0);
    return 0;
  }
  const char *meant = NULL;
  fuzz_require((ee_case_file_misspelt(file, &meant) == NULL) == (meant == NULL));
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_selection *selection = NULL;
  const ee_rule_node *root = ee_agentv_to_rules(file, true, &arena, &selection, &errors);
  if (root != NULL) {
    size_t mistakes = 0;
    for (size_t i = 0; i < errors.count; i++) mistakes += errors.items[i].status != EE_OK;
    ee_rules_loader loader = {.load = load_nothing, .refuses_programs = "--no-exec"};
    ee_plan *plan = ee_plan_compile_with(&arena, root, NULL, NULL, &loader, &errors);
    fuzz_require(plan != NULL || errors.count > 0);
    if (plan != NULL && mistakes == 0) {
      plan->selection = selection;
      judge_all(plan, file);
    }
  }
  check_messages(&errors);
  ee_error_list_fini(&errors);
  ee_arena_fini(&arena);
  ee_case_file_close(file);
  return 0;
}

EE_FUZZ_TARGET(4096)
