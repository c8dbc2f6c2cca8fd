/* markdown_parts.c: scores and attributes in Markdown. */
#include "report/markdown_parts.h"

#include <inttypes.h>

#include "prim/unicode.h"
#include "report/table_parts.h"

static void add_text(ee_markdown_out *markdown, const char *text) { ee_buffer_add_text(markdown->out, text); }

static void add_str(ee_markdown_out *markdown, ee_str text) { ee_buffer_add_str(markdown->out, text); }

void ee_markdown_verdicts(ee_markdown_out *markdown, const uint64_t verdicts[3]) {
  uint64_t whole = verdicts[0] + verdicts[1] + verdicts[2];
  for (size_t i = 0; i < 3; i++) {
    ee_buffer_addf(markdown->out, "%s%" PRIu64 " %s", i > 0 ? ", " : "", verdicts[i], ee_verdict_name((ee_verdict)i));
    if (verdicts[i] == 0) continue;
    add_text(markdown, " (");
    add_str(markdown, ee_markdown_percent(markdown->arena, verdicts[i], whole));
    add_text(markdown, ")");
  }
}

void ee_markdown_judge(ee_markdown_out *markdown, ee_str name, ee_str type, const ee_sample *score,
                       const uint64_t verdicts[3]) {
  add_text(markdown, "\n### ");
  add_str(markdown, ee_markdown_code(markdown->arena, name));
  if (type.length > 0 && !ee_str_equal(name, type)) {
    add_text(markdown, " (");
    add_str(markdown, ee_markdown_code(markdown->arena, type));
    add_text(markdown, ")");
  }
  add_text(markdown, "\n\nMean score ");
  add_str(markdown, ee_markdown_bold(markdown->arena, ee_markdown_mean(markdown->arena, score)));
  add_text(markdown, ": ");
  ee_markdown_verdicts(markdown, verdicts);
  add_text(markdown, "\n");
}

/* Attributes ----------------------------------------------------------------------------------- */

/* Fills the cells behind the name; returns the one of precision. */
static ee_str *fill_counts(ee_arena *arena, ee_str *cells, const ee_counts *counts, bool split) {
  const uint64_t numbers[] = {counts->tp, counts->tn,    counts->fp,
                              counts->fn, counts->wrong, counts->fp - counts->wrong};
  size_t count = split ? 6 : 4;
  for (size_t i = 0; i < count; i++) cells[1 + i] = ee_markdown_count(arena, numbers[i]);
  return &cells[1 + count];
}

static void add_attribute(ee_markdown_table *table, ee_str name, const ee_counts *counts, bool split) {
  ee_str *cells = ee_markdown_add(table);
  cells[0] = name;
  ee_str *metrics = fill_counts(table->arena, cells, counts, split);
  metrics[0] = ee_markdown_metric(table->arena, ee_precision(counts));
  metrics[1] = ee_markdown_metric(table->arena, ee_recall(counts));
  metrics[2] = ee_markdown_metric(table->arena, ee_f1(counts));
}

/* `pooled` NULL: an average that has no counts. */
static void add_average(ee_markdown_table *table, const char *name, const ee_averages *averages,
                        const ee_counts *pooled, bool split) {
  ee_str *cells = ee_markdown_add(table);
  cells[0] = ee_markdown_bold(table->arena, ee_str_from(name));
  if (pooled != NULL) fill_counts(table->arena, cells, pooled, split);
  ee_str *metrics = &cells[split ? 7 : 5];
  metrics[0] = ee_markdown_metric(table->arena, averages->precision);
  metrics[1] = ee_markdown_metric(table->arena, averages->recall);
  metrics[2] = ee_markdown_bold(table->arena, ee_markdown_metric(table->arena, averages->f1));
}

/* A name that the data made may be of any length. */
static ee_str name_cell(ee_arena *arena, ee_str name) {
  return ee_markdown_code(arena, ee_text_shorten(ee_text_printable(name, arena), EE_NAME_OF_DATA_COLUMNS, arena));
}

void ee_markdown_attributes(ee_markdown_out *markdown, const ee_judge_total *total, bool split, bool fold) {
  static const char *const with_split[] = {"attribute", "TP",       "TN",        "FP",     "FN",
                                           "wrong",     "invented", "precision", "recall", "F1"};
  static const char *const without[] = {"attribute", "TP", "TN", "FP", "FN", "precision", "recall", "F1"};
  if (total->attribute_count == 0) return;
  ee_arena *arena = markdown->arena;
  size_t *order, folded;
  ee_counts pooled;
  size_t count = ee_attributes_in_order(total, fold, arena, &order, &folded, &pooled);
  ee_markdown_table table;
  ee_markdown_start(&table, arena, split ? with_split : without, split ? 10 : 8, 1);
  size_t shown = count < EE_ATTRIBUTES_SHOWN ? count : EE_ATTRIBUTES_SHOWN;
  for (size_t i = 0; i < shown; i++) {
    const ee_attribute_total *attribute = &total->attributes[order[i]];
    add_attribute(&table, name_cell(arena, attribute->name), &attribute->counts, split);
  }
  if (folded > 0)
    add_attribute(&table, ee_str_from(ee_arena_printf(arena, "%zu more keys never expected", folded)), &pooled, split);
  if (shown < count) ee_markdown_add(&table)[0] = ee_str_from(ee_arena_printf(arena, "%zu more", count - shown));
  ee_judge_averages averages = ee_judge_total_averages(total);
  add_average(&table, "micro", &averages.micro, &averages.pooled, split);
  add_average(&table, "macro", &averages.macro, NULL, split);
  add_average(&table, "weighted", &averages.weighted, NULL, split);
  add_text(markdown, "\n");
  ee_markdown_print(&table, markdown->out);
}
