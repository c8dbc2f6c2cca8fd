/* measures_report.c: measures on a page, in JSON and in CSV. */
#include "report/measures_report.h"

#include <inttypes.h>
#include <math.h>

#include "prim/number.h"
#include "report/csv.h"

const ee_named_measure *ee_measures_of(const ee_plan *plan, const ee_score_totals *totals, ee_arena *arena) {
  ee_named_measure *measures = EE_NEW_ARRAY(arena, ee_named_measure, plan->measure_count);
  for (size_t i = 0; i < plan->measure_count; i++)
    measures[i] = (ee_named_measure){plan->measures[i]->text, &totals->measures[i]};
  return measures;
}

const char *ee_measure_text(ee_arena *arena, ee_metric metric) {
  char text[32];
  if (!metric.defined) return "-";
  double size = fabs(metric.value);
  if (size >= 1000 && size < 1e15) return ee_arena_printf(arena, "%.0f", metric.value);
  ee_double_format_short(metric.value, 4, text);
  return ee_arena_printf(arena, "%s", text);
}

const char *ee_measure_change_text(ee_arena *arena, ee_metric metric) {
  const char *text = ee_measure_text(arena, metric);
  return metric.defined && metric.value > 0 ? ee_arena_printf(arena, "+%s", text) : text;
}

static void add_notes(const ee_named_measure *measures, size_t count, ee_page *page) {
  ee_str *notes = EE_NEW_ARRAY(&page->arena, ee_str, 2 * count);
  size_t noted = 0;
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < 2 * count; i++) {
    ee_buffer_clear(&text);
    const ee_named_measure *measure = &measures[i / 2];
    (i % 2 == 0 ? ee_measure_print_missing : ee_measure_print_bad)(measure->total, measure->name, &text);
    if (text.length > 0) notes[noted++] = (ee_str){ee_arena_copy(&page->arena, text.data, text.length), text.length};
  }
  ee_buffer_fini(&text);
  if (noted == 0) return;
  ee_page_space(page);
  ee_page_notes(page, EE_MEDIUM_ALL, notes, noted);
}

void ee_measures_page(const ee_named_measure *measures, size_t count, ee_page *page) {
  static const ee_column columns[] = {{.name = "measure", .left = true, .name_column = true},
                                      {.name = "values"},
                                      {.name = "sum"},
                                      {.name = "mean"},
                                      {.name = "p50"},
                                      {.name = "p95"},
                                      {.name = "per correct field"}};
  enum { COLUMNS = sizeof columns / sizeof *columns };
  if (count == 0) return;
  ee_page_section(page, EE_STR("measures"));
  ee_page_space(page);
  ee_line_add(page, ee_page_line(page, EE_MEDIUM_MARKUP, EE_LINE_HEADING), ee_cell_words("Measures", EE_INK_PLAIN));
  ee_grid *grid = ee_page_grid(page, EE_MEDIUM_ALL, columns, COLUMNS);
  for (size_t i = 0; i < count; i++) {
    ee_measure_summary summary = ee_measure_summarize(measures[i].total);
    const ee_metric numbers[] = {summary.sum, summary.mean, summary.p50, summary.p95, summary.per_correct};
    ee_cell *cells = ee_grid_add(grid);
    cells[0] = ee_cell_data(measures[i].name, EE_INK_PLAIN);
    cells[1] = ee_cell_count(&page->arena, summary.values, EE_INK_PLAIN);
    for (size_t k = 0; k + 2 < COLUMNS; k++)
      cells[k + 2] = ee_cell_words(ee_measure_text(&page->arena, numbers[k]), !numbers[k].defined ? EE_INK_DIM
                                                                              : k == 1            ? EE_INK_BOLD
                                                                                                  : EE_INK_PLAIN);
  }
  add_notes(measures, count, page);
}

void ee_measures_json(const ee_named_measure *measures, size_t count, ee_json_out *json) {
  if (count == 0) return;
  ee_json_open(json, "measures", '[');
  for (size_t i = 0; i < count; i++) {
    ee_measure_summary summary = ee_measure_summarize(measures[i].total);
    ee_json_open(json, NULL, '{');
    ee_json_add_text(json, "path", measures[i].name);
    ee_json_add_count(json, "values", summary.values);
    ee_json_add_count(json, "missing", summary.missing);
    ee_json_add_count(json, "not_numbers", summary.not_numbers);
    ee_json_add_metric(json, "sum", summary.sum);
    ee_json_add_metric(json, "mean", summary.mean);
    ee_json_add_metric(json, "p50", summary.p50);
    ee_json_add_metric(json, "p95", summary.p95);
    if (measures[i].total->values.rounded) ee_json_add_bool(json, "rounded", true);
    ee_json_add_metric(json, "min", summary.min);
    ee_json_add_metric(json, "max", summary.max);
    ee_json_add_metric(json, "per_correct", summary.per_correct);
    ee_json_close(json, '}');
  }
  ee_json_close(json, ']');
}

void ee_measures_csv(const ee_named_measure *measures, size_t count, ee_buffer *out) {
  for (size_t i = 0; i < count; i++) {
    ee_measure_summary summary = ee_measure_summarize(measures[i].total);
    const ee_metric numbers[] = {summary.sum, summary.mean, summary.p50, summary.p95, summary.per_correct};
    ee_buffer_add_text(out, "(measure),");
    ee_csv_add_text(out, measures[i].name);
    ee_buffer_addf(out, EE_CSV_NO_ATTRIBUTES ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, summary.values, summary.missing,
                   summary.not_numbers);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) ee_csv_add_metric(out, numbers[k]);
    ee_buffer_add_char(out, '\n');
  }
}

void ee_measures_warn(const ee_named_measure *measures, size_t count, ee_error_list *warnings) {
  ee_buffer text;
  ee_buffer_init(&text);
  for (size_t i = 0; i < 2 * count; i++) {
    ee_buffer_clear(&text);
    const ee_named_measure *measure = &measures[i / 2];
    (i % 2 == 0 ? ee_measure_print_missing : ee_measure_print_bad)(measure->total, measure->name, &text);
    if (text.length > 0) ee_error_list_addf(warnings, EE_OK, NULL, 0, "warning: %s", ee_buffer_terminate(&text));
  }
  ee_buffer_fini(&text);
}

bool ee_measures_unfit(const ee_named_measure *measures, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const ee_measure_total *total = measures[i].total;
    if (total->not_numbers > 0 || (total->missing > 0 && total->values.total == 0)) return true;
  }
  return false;
}
