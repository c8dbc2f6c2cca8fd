/* fuzz_bench_record.c: records of the bench, and an answer to each.
 *
 * The first line is a record, the rest what a model answers. A record without mistakes has what it promises; every
 * answer, of any bytes, makes a trial that its own checks accept, and a run of such trials has metrics. */
#include "data/bench_record.h"
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "fuzz/output_checks.h"
#include "report/bench_metrics.h"
#include "report/bench_report.h"
#include "report/bench_trial.h"
#include "report/formats.h"

static void write_reports(const ee_value *run, const ee_bench_metrics *metrics, size_t size) {
  ee_bench_score score = {.metrics = metrics, .baseline = metrics, .run = run, .baseline_run = run};
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++) {
    if (!fuzz_is_turn(format, size) || !ee_report_format_has(format, EE_DOCUMENT_BENCH)) continue;
    ee_buffer out = {0};
    ee_report_write_bench(format, &score, (ee_table_style){.width = 80}, &out);
    fuzz_check_report(format, &out);
    ee_buffer_fini(&out);
  }
}

static void check_run(const ee_bench_record *record, ee_str trial, ee_arena *arena) {
  ee_buffer out = {0};
  ee_bench_head head = {.mode = "deterministic", .trials = 1, .provider = "recorded"};
  ee_buffer_add_text(&out, "{");
  ee_bench_head_write(&head, "bench_run", &out);
  ee_buffer_add_text(&out, ",\"cases\":[{");
  ee_bench_case_write(record, &out);
  ee_buffer_add_text(&out, ",\"trials\":[");
  ee_buffer_add_str(&out, trial);
  ee_buffer_add_text(&out, "]}]}");
  ee_error error = {0};
  const ee_value *run = ee_json_read(arena, fuzz_buffer_text(&out), NULL, &error);
  fuzz_require(run != NULL);
  ee_bench_metrics metrics;
  if (ee_bench_metrics_read(run, arena, &metrics, &error) != EE_OK) fuzz_fail(__FILE__, __LINE__, error.message);
  for (size_t i = 0; ee_bench_metric_names[i] != NULL; i++) {
    ee_metric value;
    fuzz_require(ee_bench_metric_find(&metrics, ee_str_from(ee_bench_metric_names[i]), &value));
  }
  write_reports(run, &metrics, out.length);
  ee_buffer_fini(&out);
}

static void check_answer(const ee_bench_record *record, ee_str answer, ee_arena *arena) {
  ee_buffer out = {0};
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_json_schema *schema = ee_json_schema_compile(arena, record->target_schema, NULL, &errors);
  fuzz_require(schema != NULL);
  ee_extraction_document document = {.text = record->document};
  ee_bench_trial_write(record, &document, schema, answer, NULL, arena, &out);
  ee_str text = fuzz_buffer_text(&out);
  const ee_value *trial = ee_json_read(arena, text, NULL, NULL);
  fuzz_require(trial != NULL && memchr(text.data, '\n', text.length) == NULL);
  fuzz_require(ee_bench_trial_mistake(trial) == NULL);
  check_run(record, text, arena);
  ee_error_list_fini(&errors);
  ee_buffer_fini(&out);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error_list errors;
  ee_error_list_init(&errors);
  fuzz_source source = fuzz_source_of(data, size);
  const ee_value *value = ee_json_read(&arena, fuzz_line(&source), NULL, NULL);
  ee_bench_record record;
  if (value != NULL) {
    bool good = ee_bench_record_read(value, "bench.jsonl", 1, &arena, &record, &errors);
    fuzz_require(good == (errors.count == 0));
    if (good) {
      fuzz_require(record.case_id.length > 0 && record.answer_count >= 1);
      check_answer(&record, fuzz_utf8(fuzz_rest(&source)), &arena);
    }
  }
  ee_error_list_fini(&errors);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(8192)
