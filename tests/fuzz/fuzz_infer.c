/* fuzz_infer.c: rules for data that has none: the rule file that is written for any data loads, and judges it.
 *
 * A data file, whose cases are surveyed. The rule file loads without a mistake, is the same when it is written again,
 * and every case scores within 0..1 by it. */
#include "fuzz/fuzz.h"
#include "infer/infer.h"
#include "lua/rule_file.h"
#include "run/run.h"

static ee_dataset *open_data(const char *name) {
  ee_error error;
  ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
  fuzz_require(dataset != NULL);
  ee_dataset_set_sizes(dataset, 32768, 65536);
  ee_dataset_look_inside(dataset, NULL);
  return dataset;
}

static void judge(const ee_plan *plan, const char *name) {
  ee_error error = {0};
  ee_dataset *dataset = open_data(name);
  ee_run_options options = {.jobs = 1};
  ee_run_result result;
  fuzz_require(ee_run(plan, dataset, &options, &result, &error) == EE_OK);
  ee_totals_fini(&result.totals);
  ee_dataset_close(dataset);
}

static void load(ee_str text, const char *name) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}, .text = text};
  ee_rule_file *rules = ee_rule_file_load("inferred.lua", &options, &errors);
  for (size_t i = 0; i < errors.count; i++)
    fprintf(stderr, "%zu: %s\n%.*s\n", errors.items[i].line, errors.items[i].message, EE_STR_ARG(text));
  fuzz_require(rules != NULL && errors.count == 0);
  judge(ee_rule_file_plan(rules), name);
  ee_rule_file_free(rules);
  ee_error_list_fini(&errors);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  fuzz_file file;
  fuzz_file_make(&file, fuzz_text(data, size));
  ee_error error = {0};
  ee_inference inference, again;
  ee_infer_init(&inference);
  ee_infer_init(&again);
  ee_rules_origin origin = {.name = "inferred", .command = "evalengine init data.jsonl"};
  ee_dataset *dataset = open_data(file.name);
  ee_status status = ee_infer(&inference, dataset, NULL, NULL, NULL, &origin, &error);
  ee_dataset_close(dataset);
  if (status == EE_OK) {
    dataset = open_data(file.name);
    fuzz_require(ee_infer(&again, dataset, NULL, NULL, NULL, &origin, &error) == EE_OK);
    ee_dataset_close(dataset);
    fuzz_require(ee_str_equal(fuzz_buffer_text(&inference.text), fuzz_buffer_text(&again.text)));
    load(fuzz_buffer_text(&inference.text), file.name);
    ee_buffer test = {0};
    ee_rule_test_text_write(&inference.choices, &inference.profile, "r.lua", "r_test.lua", &inference.arena, &test);
    ee_buffer_fini(&test);
  } else {
    fuzz_require(status == EE_ERROR_DATA && error.message[0] != '\0');
  }
  ee_infer_fini(&inference);
  ee_infer_fini(&again);
  fuzz_file_close(&file);
  return 0;
}

EE_FUZZ_TARGET(4096)
