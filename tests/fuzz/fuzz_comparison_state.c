/* fuzz_comparison_state.c: any JSON as the totals of a comparison, of a part or merged.
 *
 * The first line is one state, the rest another. What is read is written as the same text again and again, and merges
 * with the other and with itself, or says what contradicts; what is merged is reported in every format. */
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "fuzz/output_checks.h"
#include "report/comparison_inside.h"
#include "report/comparison_state.h"
#include "report/formats.h"

static void write_state(ee_comparison *comparison, ee_buffer *out) {
  ee_state_line line;
  ee_state_write(&line, out);
  ee_comparison_state(&line, comparison);
  fuzz_require(ee_state_close(&line));
}

static ee_comparison *read_state(ee_str text, ee_arena *arena) {
  const ee_value *value = ee_json_read(arena, text, NULL, NULL);
  ee_comparison *comparison = ee_comparison_new(&(ee_comparison_options){.common = true, .force = true});
  ee_state_line line;
  ee_state_read(&line, value);
  ee_comparison_state(&line, comparison);
  if (ee_state_close(&line)) return comparison;
  ee_comparison_free(comparison);
  return NULL;
}

static void check_rewritten(ee_comparison *comparison, ee_arena *arena) {
  ee_buffer once = {0}, twice = {0};
  write_state(comparison, &once);
  ee_comparison *again = read_state(fuzz_buffer_text(&once), arena);
  fuzz_require(again != NULL);
  write_state(again, &twice);
  fuzz_require(ee_str_equal(fuzz_buffer_text(&once), fuzz_buffer_text(&twice)));
  ee_comparison_free(again);
  ee_buffer_fini(&once);
  ee_buffer_fini(&twice);
}

static void report(const ee_comparison *comparison, size_t size) {
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++) {
    if (!fuzz_is_turn(format, size) || !ee_report_format_has(format, EE_DOCUMENT_COMPARISON)) continue;
    ee_buffer out = {0};
    ee_report_write_comparison(format, comparison, (ee_table_style){.width = 80}, &out);
    fuzz_check_report(format, &out);
    ee_buffer_fini(&out);
  }
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  ee_error error = {0};
  ee_id_hashes none = {0};
  ee_comparison *a = read_state(fuzz_line(&source), &arena), *b = read_state(fuzz_rest(&source), &arena);
  if (a != NULL) check_rewritten(a, &arena);
  ee_status status = EE_OK;
  if (a != NULL && b != NULL) status = ee_comparison_merge(a, b, &error);
  if (a != NULL && status == EE_OK) status = ee_comparison_check_trials(a, &none, &error);
  if (a != NULL && status == EE_OK) {
    ee_comparison_settle_merged(a);
    check_rewritten(a, &arena);
    status = ee_comparison_finish_merged(a, &error);
    if (status == EE_OK) report(a, size);
  }
  fuzz_require(status == EE_OK || error.message[0] != '\0');
  if (a != NULL) ee_comparison_free(a);
  if (b != NULL) ee_comparison_free(b);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(16384)
