/* fuzz_run.c: data files through every judge, from their bytes to reports in every format.
 *
 * The first byte chooses the rules, the second how much is kept and written; the rest is a data file. Each score is in
 * 0..1; the rows can be read and add up to what the run says; totals survive being written and read; each report is
 * what its format says, with nothing of the data alive in it. */
#include "data/files/dataset.h"
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "fuzz/output_checks.h"
#include "lua/rule_file.h"
#include "report/formats.h"
#include "report/html/html_data.h"
#include "report/junit.h"
#include "report/row.h"
#include "run/run.h"
#include "run/totals_state.h"

static const char *const rule_texts[] = {
    "ee.fields { ee.exact 'a', ee.numeric { 'b', tolerance = 0.01 }, ee.fuzzy 'c', ee.date 'd', ee.set 'e', "
    "ee.one_of { 'f', 'x', 'y' }, ee.pattern { 'g', '^%a+$' }, ee.auto 'h' }",
    "ee.fields { confidence = 'conf.*', cost = { incorrect = 3, missing = 1 }, tn = 'skip', on_unexpected = 'skip', "
    "ee.numeric { 'total', format = 'money', decimal = 'auto' }, ee.numeric { 'rate', format = 'percent', score = "
    "'linear' }, "
    "ee.fuzzy { 'rows[*].name', algorithm = 'token_set', score = 'similarity' }, ee.date { 'when', tolerance_days = 1 "
    "} }",
    "ee.line_items { 'items', match = { ee.fuzzy 'name' }, ee.numeric 'price', ee.exact 'sku' }, "
    "ee.line_items { 'items', name = 'second', match = { ee.fuzzy 'name', method = 'optimal' }, score = "
    "'macro_f1', ee.numeric 'price' }",
    "ee.quality {}, ee.schema { schema = { type = 'object', required = { 'a' }, properties = { a = { type = 'object' } "
    "} } }",
    "ee.detection { 'boxes' }, ee.iou_score { 'boxes', name = 'iou' }, ee.distance_score { 'points', threshold = 2 }",
    "ee.iou_score { 'shape', format = 'polygon' }, ee.iou_score { 'shape', name = 'o', format = 'oriented', fill = "
    "'non_zero' }, "
    "ee.fields { ee.iou { 'box', format = 'xywh', metric = 'ciou' }, ee.distance { 'point', threshold = 1, metric = "
    "'cosine' } }",
    "ee.judge { 'own', function(case) return case.expected == case.candidate and 1 or 0 end }, "
    "ee.fields { ee.custom { 'a', function(e, c) return e == c end } }",
    "ee.extraction {}",
    "ee.fields { ee.semantic 'a', ee.exact { 'b', normalize = { 'trim', 'casefold', 'nfkc', 'unaccent' } }, ee.set { "
    "'c', threshold = 0.5 } }",
    "ee.tree { alternatives = true, leaves = { string = ee.fuzzy { algorithm = 'dice', score = 'similarity' }, "
    "['*.d'] = ee.date {}, mixed = ee.exact {} }, arrays = { default = 'optimal', tags = 'set', rows = { 'key', key = "
    "'id' } } }, ee.tree { 'a', name = 'mean', aggregate = 'mean', tn = 'skip' }",
    "ee.spans { 's', document = 'text', unit = 'utf16_code_unit' }, ee.spans { 't', name = 'tags', scheme = 'type', "
    "per_label = 'alone', lenient = true }, ee.spans { 'm', name = 'marks', format = 'xml', pairing = 'first' }",
    "ee.confusion 'k', ee.confusion { 'o', name = 'ordered', labels = { 'low', 'high' }, normalize = { 'casefold' } }",
    "ee.fields { ee.set \"$.l[?@.n > 1 && search(@.t, 'a+')].n\", ee.exact '$..x[-1]', ee.fuzzy { 'u', algorithm = "
    "'chrf', normalize = { 'url' } }, ee.fuzzy { 'v', algorithm = 'bleu', tokenizer = 'intl' }, ee.exact { 'p', "
    "normalize "
    "= { 'phone' } } }",
};
enum { RULES = sizeof rule_texts / sizeof *rule_texts };

/* NULL where this build lacks what the rules need. */
static ee_rule_file *rules_of(size_t number) {
  static ee_rule_file *files[RULES];
  static bool tried[RULES];
  if (tried[number]) return files[number];
  tried[number] = true;
  static char texts[RULES][1024]; /* rule files borrow them */
  char *text = texts[number];
  snprintf(text, sizeof texts[number],
           "return ee.rules { cluster = 'doc', slices = { 'kind' }, measures = { 'cost' }, %s }", rule_texts[number]);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = 100000}, .text = ee_str_from(text)};
  files[number] = ee_rule_file_load("fuzz.lua", &options, &errors);
  if (getenv("EE_FUZZ_VERBOSE") != NULL)
    for (size_t i = 0; i < errors.count; i++) fprintf(stderr, "rules %zu: %s\n", number, errors.items[i].message);
  for (size_t i = 0; i < errors.count; i++) fuzz_require(strstr(errors.items[i].message, "unknown") == NULL);
  ee_error_list_fini(&errors);
  return files[number];
}

typedef struct run {
  size_t size; /* of the input */
  ee_buffer rows;
  ee_merged_results merged;
  ee_junit *junit;
  size_t reports;
} run;

static void format_row(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out) {
  (void)user;
  fuzz_require(result->score >= 0 && result->score <= 1);
  for (size_t i = 0; i < result->judge_count; i++)
    fuzz_require(result->judges[i].score >= 0 && result->judges[i].score <= 1);
  ee_row_write(result, scratch, out);
}

static ee_status write_rows(void *user, const char *data, size_t length, ee_error *error) {
  (void)error;
  ee_buffer_add(&((run *)user)->rows, data, length);
  return EE_OK;
}

static void count_report(void *user, const ee_error *error) {
  run *self = user;
  fuzz_require(error->message[0] != '\0');
  if (error->status == EE_ERROR_DATA) ee_junit_add_error(self->junit, error);
  self->reports++;
}

static ee_status take_row(void *user, const ee_stored_row *row, ee_error *error) {
  (void)error;
  run *self = user;
  ee_merged_add_row(&self->merged, row, (ee_str){0});
  ee_junit_add_case(self->junit, row, (ee_str){0});
  return EE_OK;
}

/* What the rows say together is what the run says. */
static void check_rows(run *self, const ee_totals *totals) {
  ee_error error = {0};
  ee_str rows = fuzz_buffer_text(&self->rows);
  fuzz_check_json_lines(rows);
  ee_merged_init(&self->merged);
  fuzz_require(ee_stored_rows_read(rows, take_row, self, &error) == EE_OK);
  ee_merged_finish(&self->merged);
  fuzz_require(self->merged.rows == totals->scored);
  fuzz_require(self->merged.unscored == totals->unscored);
  for (int i = 0; i < 3; i++) fuzz_require(self->merged.verdicts[i] == totals->all.verdicts[i]);
  fuzz_require(self->merged.score.count == totals->all.score.count);
  fuzz_require(memcmp(&self->merged.score.sum, &totals->all.score.sum, sizeof(ee_fixed)) == 0);
  ee_merged_fini(&self->merged);
}

static void check_state(ee_totals *totals, const ee_plan *plan) {
  ee_buffer text = {0}, again = {0};
  ee_state_line line;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_totals_settle(totals);
  ee_state_write(&line, &text);
  ee_totals_state(&line, totals);
  fuzz_require(ee_state_close(&line));
  ee_totals read;
  ee_totals_init(&read, plan);
  const ee_value *value = ee_json_read(&arena, fuzz_buffer_text(&text), NULL, NULL);
  fuzz_require(value != NULL);
  ee_state_read(&line, value);
  ee_totals_state(&line, &read);
  fuzz_require(ee_state_close(&line));
  ee_state_write(&line, &again);
  ee_totals_state(&line, &read);
  fuzz_require(ee_state_close(&line));
  fuzz_require(ee_str_equal(fuzz_buffer_text(&text), fuzz_buffer_text(&again)));
  ee_totals_fini(&read);
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
  ee_buffer_fini(&again);
}

static void write_reports(run *self, const ee_plan *plan, const ee_totals *totals) {
  ee_summary summary = {.plan = plan, .totals = totals};
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++) {
    if (!fuzz_is_turn(format, self->size) || format->rows || format->tests ||
        !ee_report_format_has(format, EE_DOCUMENT_RUN))
      continue;
    ee_buffer out = {0};
    ee_report_write_run(format, &summary, (ee_table_style){.width = 80}, &out);
    fuzz_check_report(format, &out);
    ee_buffer_fini(&out);
  }
  ee_buffer tests = {0};
  ee_junit_print(self->junit, &tests);
  fuzz_check_junit(fuzz_buffer_text(&tests));
  ee_buffer_fini(&tests);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  fuzz_source source = fuzz_source_of(data, size);
  ee_rule_file *file = rules_of(fuzz_below(&source, RULES));
  uint8_t choice = fuzz_byte(&source);
  if (file == NULL) return 0;
  const ee_plan *plan = ee_rule_file_plan(file);
  fuzz_file bytes;
  fuzz_file_make(&bytes, fuzz_rest(&source));
  ee_error error = {0};
  const char *name = bytes.name;
  ee_dataset *dataset = ee_dataset_open(&name, 1, &error);
  fuzz_require(dataset != NULL);
  ee_dataset_set_sizes(dataset, 32768, 65536);
  ee_dataset_look_inside(dataset, &plan->paths);
  run self = {.size = size, .junit = ee_junit_new(EE_STR("run"))};
  bool part = choice & 4;
  ee_run_options options = {
      .jobs = 1,
      .detail = choice & 1 ? EE_DETAIL_FULL : EE_DETAIL_MISSES,
      .kinds = choice & 2,
      .part = part,
      .strict = choice & 8,
      .hooks = {.user = &self, .format = format_row, .write = write_rows, .report = count_report}};
  ee_run_result result;
  ee_status status = ee_run(plan, dataset, &options, &result, &error);
  fuzz_require(status == EE_OK);
  fuzz_require(result.data_errors <= self.reports || choice & 8);
  if (part) {
    check_state(&result.totals, plan);
  } else {
    check_rows(&self, &result.totals);
    write_reports(&self, plan, &result.totals);
  }
  ee_totals_fini(&result.totals);
  ee_dataset_close(dataset);
  ee_buffer_fini(&self.rows);
  ee_junit_free(self.junit);
  fuzz_file_close(&bytes);
  return 0;
}

EE_FUZZ_TARGET(8192)
