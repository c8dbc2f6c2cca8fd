/* formats.c: which function writes which document in which format. */
#include "report/formats.h"

/* Only a terminal has a style. */
#define WITHOUT_STYLE(name, document, write)                                                                           \
  static void name(const document *value, ee_table_style style, ee_buffer *out) {                                      \
    (void)style;                                                                                                       \
    write(value, out);                                                                                                 \
  }
WITHOUT_STYLE(run_json, ee_summary, ee_summary_json)
WITHOUT_STYLE(run_csv, ee_summary, ee_summary_csv)
WITHOUT_STYLE(run_markdown, ee_summary, ee_summary_markdown)
WITHOUT_STYLE(merged_json, ee_merged_results, ee_merged_json)
WITHOUT_STYLE(merged_csv, ee_merged_results, ee_merged_csv)
WITHOUT_STYLE(merged_markdown, ee_merged_results, ee_merged_markdown)
WITHOUT_STYLE(comparison_json, ee_comparison, ee_comparison_json)
WITHOUT_STYLE(comparison_csv, ee_comparison, ee_comparison_csv)
WITHOUT_STYLE(comparison_markdown, ee_comparison, ee_comparison_markdown)

static void bench_table(const ee_bench_score *score, ee_table_style style, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_bench_table(score, style, &arena, out);
  ee_arena_fini(&arena);
}

static void bench_json(const ee_bench_score *score, ee_table_style style, ee_buffer *out) {
  (void)style;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_bench_json(score, &arena, out);
  ee_arena_fini(&arena);
}

static void bench_markdown(const ee_bench_score *score, ee_table_style style, ee_buffer *out) {
  (void)style;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_bench_markdown(score, &arena, out);
  ee_arena_fini(&arena);
}

const ee_report_format ee_report_formats[] = {
    {.name = "table",
     .what = "for people: aligned columns, colours on a terminal",
     .run = ee_summary_table,
     .merged = ee_merged_table,
     .comparison = ee_comparison_table,
     .bench = bench_table},
    {.name = "json",
     .what = "one JSON object with everything",
     .run = run_json,
     .merged = merged_json,
     .comparison = comparison_json,
     .bench = bench_json},
    {.name = "jsonl", .what = "one JSON object a case, no report", .rows = true},
    {.name = "csv",
     .what = "comma-separated values, for spreadsheets",
     .no_notes = true,
     .run = run_csv,
     .merged = merged_csv,
     .comparison = comparison_csv},
    {.name = "markdown",
     .what = "GitHub's Markdown, for a comment on a change",
     .run = run_markdown,
     .merged = merged_markdown,
     .comparison = comparison_markdown,
     .bench = bench_markdown},
    {.name = NULL}};

const ee_report_format *ee_report_format_find(ee_str name) {
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++)
    if (ee_str_is(name, format->name)) return format;
  return NULL;
}

bool ee_report_format_has(const ee_report_format *format, ee_document document) {
  switch (document) {
  case EE_DOCUMENT_RUN: return format->run != NULL || format->rows;
  case EE_DOCUMENT_MERGED: return format->merged != NULL;
  case EE_DOCUMENT_COMPARISON: return format->comparison != NULL;
  case EE_DOCUMENT_BENCH: return format->bench != NULL;
  }
  return false;
}

void ee_report_write_run(const ee_report_format *format, const ee_summary *summary, ee_table_style style,
                         ee_buffer *out) {
  if (format->run != NULL) format->run(summary, style, out);
}

void ee_report_write_merged(const ee_report_format *format, const ee_merged_results *results, ee_table_style style,
                            ee_buffer *out) {
  if (format->merged != NULL) format->merged(results, style, out);
}

void ee_report_write_comparison(const ee_report_format *format, const ee_comparison *comparison, ee_table_style style,
                                ee_buffer *out) {
  if (format->comparison != NULL) format->comparison(comparison, style, out);
}

void ee_report_write_bench(const ee_report_format *format, const ee_bench_score *score, ee_table_style style,
                           ee_buffer *out) {
  if (format->bench != NULL) format->bench(score, style, out);
}
