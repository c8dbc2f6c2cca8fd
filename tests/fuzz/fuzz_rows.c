/* fuzz_rows.c: stored rows (--results, and those of other programs), and every report that is made of them.
 *
 * Lines of JSON; those before the first empty line are one run, the rest another. A row is read lean as it is read
 * whole. What the rows add up to, their comparison and its state, and single cases are written in every format, and
 * each is what its format says, with nothing alive in it (output_checks.h). */
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "fuzz/output_checks.h"
#include "report/comparison_inside.h"
#include "report/comparison_state.h"
#include "report/formats.h"
#include "report/html/html_data.h"
#include "report/junit.h"
#include "report/lean_row.h"

typedef struct rows {
  size_t size; /* of the input */
  ee_arena arena;
  ee_lean_rows *lean;
  ee_merged_results merged;
  ee_comparison *comparison;
  ee_junit *junit;
  ee_html_cases *html;
  size_t count[2];
} rows;

static void check_same(const ee_stored_row *a, const ee_stored_row *b) {
  fuzz_require(ee_str_equal(a->id, b->id) && a->score == b->score && a->verdict == b->verdict);
  fuzz_require(a->schema == b->schema && a->unscored == b->unscored && a->judge_count == b->judge_count);
  fuzz_require(a->has_hash == b->has_hash && a->expected_hash == b->expected_hash && a->rules_hash == b->rules_hash);
  fuzz_require(ee_str_equal(a->cluster, b->cluster) && a->measure_count == b->measure_count);
  for (size_t i = 0; i < a->judge_count; i++) {
    const ee_stored_judge *x = &a->judges[i], *y = &b->judges[i];
    fuzz_require(ee_str_equal(x->name, y->name) && ee_str_equal(x->type, y->type) && x->score == y->score);
    fuzz_require(x->weight == y->weight && x->verdict == y->verdict && x->attribute_count == y->attribute_count);
    for (size_t k = 0; k < x->attribute_count; k++) {
      fuzz_require(ee_str_equal(x->attributes[k].name, y->attributes[k].name));
      fuzz_require(memcmp(&x->attributes[k].counts, &y->attributes[k].counts, sizeof(ee_counts)) == 0);
    }
  }
}

static void check_row(const ee_stored_row *row) {
  fuzz_require(row->score >= 0 && row->score <= 1 && row->id.data != NULL);
  for (size_t i = 0; i < row->judge_count; i++)
    fuzz_require(!row->judges[i].has_score || (row->judges[i].score >= 0 && row->judges[i].score <= 1));
}

static void write_case(const ee_stored_row *row, size_t size) {
  ee_one_case one = {.row = row, .style = {.width = 60}};
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++) {
    if (!fuzz_is_turn(format, size) || !ee_report_format_has(format, EE_DOCUMENT_CASE)) continue;
    ee_buffer out = {0};
    ee_report_write_case(format, &one, one.style, &out);
    fuzz_check_report(format, &out);
    ee_buffer_fini(&out);
  }
  ee_buffer lines = {0};
  ee_case_lines(row, (ee_str){0}, one.style, &lines);
  fuzz_check_terminal(fuzz_buffer_text(&lines));
  ee_buffer_fini(&lines);
}

static void add_line(rows *self, int side, ee_str line) {
  ee_arena lean_arena;
  ee_arena_init(&lean_arena, 0);
  ee_error error = {0}, lean_error = {0};
  ee_stored_row row, lean;
  const ee_value *record = ee_json_read(&self->arena, line, NULL, &error);
  bool good = record != NULL && ee_stored_row_read(record, &self->arena, &row, &error);
  bool good_lean = ee_lean_rows_read(self->lean, line, NULL, &lean_arena, &lean, &lean_error);
  fuzz_require(good == good_lean);
  fuzz_require(good || (error.message[0] != '\0' && strcmp(error.message, lean_error.message) == 0));
  if (good) {
    check_same(&row, &lean);
    check_row(&row);
    if (self->count[0] + self->count[1] == 0) write_case(&row, self->size);
    ee_merged_add_row(&self->merged, &row, (ee_str){0});
    (void)ee_comparison_add(self->comparison, (ee_side)side, &row);
    ee_junit_add_case(self->junit, &row, (ee_str){0});
    if (self->html != NULL) fuzz_require(ee_html_cases_add_row(self->html, record, &error) == EE_OK);
    self->count[side]++;
  }
  ee_arena_fini(&lean_arena);
}

static ee_status append(void *user, const char *data, size_t length, ee_error *error) {
  (void)error;
  ee_buffer_add(user, data, length);
  return EE_OK;
}

static void write_merged(rows *self) {
  ee_merged_finish(&self->merged);
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++) {
    if (!fuzz_is_turn(format, self->size) || !ee_report_format_has(format, EE_DOCUMENT_MERGED) || format->tests)
      continue;
    ee_buffer out = {0};
    ee_report_write_merged(format, &self->merged, (ee_table_style){.width = 80}, &out);
    fuzz_check_report(format, &out);
    if (format->page == ee_render_html && self->html != NULL) {
      ee_error error;
      ee_buffer page = {0};
      fuzz_require(ee_html_cases_write(self->html, fuzz_buffer_text(&out), (ee_html_sink){&page, append}, &error) ==
                   EE_OK);
      fuzz_check_html(fuzz_buffer_text(&page));
      ee_buffer_fini(&page);
    }
    ee_buffer_fini(&out);
  }
  ee_buffer tests = {0};
  ee_junit_print(self->junit, &tests);
  fuzz_check_junit(fuzz_buffer_text(&tests));
  ee_buffer_fini(&tests);
}

static void write_comparison(const ee_comparison *comparison, size_t size) {
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++) {
    if (!fuzz_is_turn(format, size) || !ee_report_format_has(format, EE_DOCUMENT_COMPARISON)) continue;
    ee_buffer out = {0};
    ee_report_write_comparison(format, comparison, (ee_table_style){.width = 80}, &out);
    fuzz_check_report(format, &out);
    ee_buffer_fini(&out);
  }
}

/* The totals of a part survive being written and read. */
static void check_state(ee_comparison *comparison, ee_arena *arena) {
  ee_buffer text = {0}, again = {0};
  ee_state_line line;
  ee_comparison_settle(comparison);
  ee_state_write(&line, &text);
  ee_comparison_state(&line, comparison);
  fuzz_require(ee_state_close(&line));
  ee_comparison *read = ee_comparison_new(&(ee_comparison_options){.names = {NULL, NULL}});
  const ee_value *value = ee_json_read(arena, fuzz_buffer_text(&text), NULL, NULL);
  fuzz_require(value != NULL);
  ee_state_read(&line, value);
  ee_comparison_state(&line, read);
  fuzz_require(ee_state_close(&line));
  ee_state_write(&line, &again);
  ee_comparison_state(&line, read);
  fuzz_require(ee_state_close(&line));
  fuzz_require(ee_str_equal(fuzz_buffer_text(&text), fuzz_buffer_text(&again)));
  ee_comparison_free(read);
  ee_buffer_fini(&text);
  ee_buffer_fini(&again);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  rows self = {.size = size};
  ee_error error = {0};
  ee_arena_init(&self.arena, 0);
  self.lean = ee_lean_rows_new();
  ee_merged_init(&self.merged);
  fuzz_source source = fuzz_source_of(data, size);
  uint8_t choice = fuzz_byte(&source);
  bool part = choice & 1;
  ee_comparison_options options = {.common = true, .force = choice & 2, .fail_on = (ee_fail_on)(choice / 4 % 6)};
  options.margin = choice & 64 ? 0.1 : 0;
  self.comparison = ee_comparison_new(&options);
  self.junit = ee_junit_new(EE_STR("rows"));
  self.html = choice >= 192 ? ee_html_cases_new(1, &error) : NULL; /* a temporary file takes its time */
  for (int side = 0; !fuzz_is_empty(&source);) {
    ee_str line = fuzz_line(&source);
    if (line.length == 0)
      side = 1;
    else
      add_line(&self, side, line);
  }
  write_merged(&self);
  ee_status status =
      part ? ee_comparison_finish_part(self.comparison, &error) : ee_comparison_finish(self.comparison, &error);
  fuzz_require(status == EE_OK || error.message[0] != '\0');
  if (status == EE_OK && part)
    check_state(self.comparison, &self.arena);
  else if (status == EE_OK)
    write_comparison(self.comparison, size);
  ee_html_cases_free(self.html);
  ee_junit_free(self.junit);
  ee_comparison_free(self.comparison);
  ee_merged_fini(&self.merged);
  ee_lean_rows_free(self.lean);
  ee_arena_fini(&self.arena);
  return 0;
}

EE_FUZZ_TARGET(8192)
