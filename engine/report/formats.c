/* formats.c: the formats, and writing a document in one of them. */
#include "report/formats.h"

const ee_report_format ee_report_formats[] = {
    {.name = "table", .what = "for people: aligned columns, colours on a terminal", .page = ee_render_table},
    {.name = "json",
     .what = "one JSON object with everything",
     .run = ee_run_json,
     .merged = ee_merged_json,
     .comparison = ee_comparison_json,
     .bench = ee_bench_json},
    {.name = "jsonl", .what = "one JSON object a case, no report", .rows = true},
    {.name = "csv",
     .what = "comma-separated values, for spreadsheets",
     .no_notes = true,
     .run = ee_run_csv,
     .merged = ee_merged_csv,
     .comparison = ee_comparison_csv},
    {.name = "markdown", .what = "GitHub's Markdown, for a comment on a change", .page = ee_render_markdown},
    {.name = NULL}};

const ee_report_format *ee_report_format_find(ee_str name) {
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++)
    if (ee_str_is(name, format->name)) return format;
  return NULL;
}

bool ee_report_format_has(const ee_report_format *format, ee_document document) {
  switch (document) {
  case EE_DOCUMENT_RUN: return format->page != NULL || format->run != NULL || format->rows;
  case EE_DOCUMENT_MERGED: return format->page != NULL || format->merged != NULL;
  case EE_DOCUMENT_COMPARISON: return format->page != NULL || format->comparison != NULL;
  case EE_DOCUMENT_BENCH: return format->page != NULL || format->bench != NULL;
  }
  return false;
}

/* Fills a page with a document, or lets the document's own function write it. */
#define EE_WRITE(document, own)                                                                                        \
  do {                                                                                                                 \
    if (format->page == NULL) {                                                                                        \
      if (format->own != NULL) format->own(document, out);                                                             \
      return;                                                                                                          \
    }                                                                                                                  \
    ee_page page;                                                                                                      \
    ee_page_init(&page);                                                                                               \
    ee_##own##_page(document, &page);                                                                                  \
    ee_page_choose(&page, style.choice);                                                                               \
    format->page(&page, style, out);                                                                                   \
    ee_page_fini(&page);                                                                                               \
  } while (0)

void ee_report_write_run(const ee_report_format *format, const ee_summary *summary, ee_table_style style,
                         ee_buffer *out) {
  EE_WRITE(summary, run);
}

void ee_report_write_merged(const ee_report_format *format, const ee_merged_results *results, ee_table_style style,
                            ee_buffer *out) {
  EE_WRITE(results, merged);
}

void ee_report_write_comparison(const ee_report_format *format, const ee_comparison *comparison, ee_table_style style,
                                ee_buffer *out) {
  EE_WRITE(comparison, comparison);
}

void ee_report_write_bench(const ee_report_format *format, const ee_bench_score *score, ee_table_style style,
                           ee_buffer *out) {
  EE_WRITE(score, bench);
}

/* Fills a page only to look at its names. */
#define EE_CHECK(document, own)                                                                                        \
  do {                                                                                                                 \
    ee_page page;                                                                                                      \
    ee_page_init(&page);                                                                                               \
    ee_##own##_page(document, &page);                                                                                  \
    ee_status status = ee_page_check(&page, choice, error);                                                            \
    ee_page_fini(&page);                                                                                               \
    return status;                                                                                                     \
  } while (0)

ee_status ee_report_check_run(const ee_summary *summary, const ee_page_choice *choice, ee_error *error) {
  EE_CHECK(summary, run);
}

ee_status ee_report_check_merged(const ee_merged_results *results, const ee_page_choice *choice, ee_error *error) {
  EE_CHECK(results, merged);
}

ee_status ee_report_check_comparison(const ee_comparison *comparison, const ee_page_choice *choice, ee_error *error) {
  EE_CHECK(comparison, comparison);
}

ee_status ee_report_check_bench(const ee_bench_score *score, const ee_page_choice *choice, ee_error *error) {
  EE_CHECK(score, bench);
}
