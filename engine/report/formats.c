/* formats.c: the formats, and writing a document in one of them. */
#include "report/formats.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "data/json/json_reader.h"
#include "report/csv.h"
#include "report/junit_documents.h"

const ee_report_format ee_report_formats[] = {
    {.name = "table",
     .suffix = "txt",
     .what = "for people: aligned columns, colours on a terminal",
     .page = ee_render_table},
    {.name = "json",
     .suffix = "json",
     .what = "one JSON object with everything",
     .run = ee_run_json,
     .merged = ee_merged_json,
     .comparison = ee_comparison_json,
     .many_runs = ee_many_runs_json,
     .trend = ee_trend_json,
     .needed_cases = ee_needed_cases_json,
     .bench = ee_bench_json,
     .one_case = ee_one_case_json,
     .audit = ee_audit_json,
     .annotators = ee_annotators_json},
    {.name = "jsonl", .suffix = "jsonl", .what = "one JSON object a case, no report", .rows = true},
    {.name = "cases", .what = "one line a case and its misses, no report", .rows = true, .row = ee_case_lines},
    {.name = "promptfoo",
     .what = "promptfoo's JSON, for promptfoo import and view",
     .rows = true,
     .listed = ee_promptfoo_row,
     .list_end = ee_promptfoo_end},
    {.name = "agentv", .what = "AgentV's results, JSON Lines", .rows = true, .listed = ee_agentv_row},
    {.name = "csv",
     .suffix = "csv",
     .what = "comma-separated values, for spreadsheets",
     .cells = true,
     .no_notes = true,
     .run = ee_run_csv,
     .merged = ee_merged_csv,
     .comparison = ee_comparison_csv,
     .many_runs = ee_many_runs_csv,
     .trend = ee_trend_csv,
     .audit = ee_audit_csv,
     .annotators = ee_annotators_csv},
    {.name = "markdown",
     .suffix = "md",
     .what = "GitHub's Markdown, for a comment on a change",
     .page = ee_render_markdown},
    {.name = "junit",
     .suffix = "xml",
     .what = "JUnit XML, for the test reports of CI servers: a test a gate and a case",
     .tests = true,
     .comparison = ee_comparison_junit,
     .bench = ee_bench_junit,
     .audit = ee_audit_junit},
    {.name = "html",
     .suffix = "html",
     .what = "one page for a browser, with all cases in it",
     .page = ee_render_html,
     .cases = true},
    {.name = NULL}};

const ee_report_format *ee_report_format_find(ee_str name) {
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++)
    if (ee_str_is(name, format->name)) return format;
  return NULL;
}

ee_str ee_report_suffix(const char *name) {
  const char *slash = strrchr(name, '/'), *base = slash != NULL ? slash + 1 : name, *dot = strrchr(base, '.');
  if (dot == NULL || dot == base) return EE_STR("");
  ee_str suffix = ee_str_from(dot + 1);
  bool is_letter = (*suffix.data >= 'a' && *suffix.data <= 'z') || (*suffix.data >= 'A' && *suffix.data <= 'Z');
  if (!is_letter || suffix.length > 5) return EE_STR("");
  for (size_t i = 0; i < suffix.length; i++)
    if (isalnum((unsigned char)suffix.data[i]) == 0) return EE_STR("");
  return suffix;
}

const ee_report_format *ee_report_format_of_suffix(ee_str suffix) {
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++)
    if (format->suffix != NULL && suffix.length == strlen(format->suffix) &&
        strncasecmp(format->suffix, suffix.data, suffix.length) == 0)
      return format;
  return NULL;
}

const char *const *ee_report_format_names(const char *const *more, ee_arena *arena) {
  size_t count = 0;
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++) count++;
  for (const char *const *name = more; name != NULL && *name != NULL; name++) count++;
  const char **names = EE_NEW_ARRAY(arena, const char *, count + 1);
  count = 0;
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++)
    names[count++] = format->name;
  for (const char *const *name = more; name != NULL && *name != NULL; name++) names[count++] = *name;
  return names;
}

bool ee_report_format_has(const ee_report_format *format, ee_document document) {
  if (format->own) return document == EE_DOCUMENT_RUN || document == EE_DOCUMENT_MERGED;
  switch (document) {
  case EE_DOCUMENT_RUN: return format->page != NULL || format->run != NULL || format->rows || format->tests;
  case EE_DOCUMENT_MERGED:
    return format->page != NULL || format->merged != NULL || format->row != NULL || format->listed != NULL ||
           format->tests;
  case EE_DOCUMENT_COMPARISON: return format->page != NULL || format->comparison != NULL;
  case EE_DOCUMENT_MANY_RUNS: return format->page != NULL || format->many_runs != NULL;
  case EE_DOCUMENT_TREND: return format->page != NULL || format->trend != NULL;
  case EE_DOCUMENT_NEEDED: return format->page != NULL || format->needed_cases != NULL;
  case EE_DOCUMENT_BENCH: return format->page != NULL || format->bench != NULL;
  case EE_DOCUMENT_CASE: return format->page != NULL || format->one_case != NULL;
  case EE_DOCUMENT_AUDIT: return format->page != NULL || format->audit != NULL;
  case EE_DOCUMENT_ANNOTATORS: return format->page != NULL || format->annotators != NULL;
  case EE_DOCUMENT_TESTS: return format == ee_report_formats || format->tests;
  }
  return false;
}

/* Fills a page with a document, or lets the document's own function write it. */
#define EE_WRITE(document, own)                                                                                        \
  do {                                                                                                                 \
    if (format->page == NULL) {                                                                                        \
      size_t from = out->length;                                                                                       \
      if (format->own != NULL) format->own(document, out);                                                             \
      if (format->cells) ee_csv_settle(out, from, !style.csv_raw);                                                     \
      return;                                                                                                          \
    }                                                                                                                  \
    ee_page page;                                                                                                      \
    ee_page_init(&page);                                                                                               \
    page.html = format->cases;                                                                                         \
    ee_##own##_page(document, &page);                                                                                  \
    ee_page_choose(&page, style.choice);                                                                               \
    ee_buffer json;                                                                                                    \
    ee_buffer_init(&json);                                                                                             \
    if (format->cases) ee_##own##_json(document, &json);                                                               \
    page.kind = #own;                                                                                                  \
    page.json = (ee_str){json.data, json.length};                                                                      \
    format->page(&page, style, out);                                                                                   \
    ee_buffer_fini(&json);                                                                                             \
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

void ee_report_write_many_runs(const ee_report_format *format, const ee_many_runs *runs, ee_table_style style,
                               ee_buffer *out) {
  EE_WRITE(runs, many_runs);
}

void ee_report_write_trend(const ee_report_format *format, const ee_trend *trend, ee_table_style style,
                           ee_buffer *out) {
  EE_WRITE(trend, trend);
}

void ee_report_write_needed_cases(const ee_report_format *format, const ee_needed_cases *needed, ee_table_style style,
                                  ee_buffer *out) {
  EE_WRITE(needed, needed_cases);
}

void ee_report_write_bench(const ee_report_format *format, const ee_bench_score *score, ee_table_style style,
                           ee_buffer *out) {
  EE_WRITE(score, bench);
}

typedef struct row_printer {
  const ee_report_format *format;
  ee_table_style style;
  ee_row_list *list;
  ee_buffer *out;
} row_printer;

static ee_status print_row(void *user, const ee_stored_row *row, ee_error *error) {
  (void)error;
  const row_printer *self = user;
  if (self->format->listed != NULL)
    self->format->listed(row, (ee_str){NULL, 0}, self->list, self->out);
  else
    self->format->row(row, (ee_str){NULL, 0}, self->style, self->out);
  return EE_OK;
}

void ee_report_write_rows(const ee_report_format *format, ee_str rows, ee_table_style style, ee_row_list *list,
                          ee_buffer *out) {
  ee_error ignored;
  row_printer self = {format, style, list, out};
  if (format->row == NULL && format->listed == NULL)
    ee_buffer_add_str(out, rows);
  else
    ee_stored_rows_read(rows, print_row, &self, &ignored);
}

void ee_report_write_case(const ee_report_format *format, const ee_one_case *one, ee_table_style style,
                          ee_buffer *out) {
  EE_WRITE(one, one_case);
}

void ee_report_write_audit(const ee_report_format *format, const ee_audit_report *report, ee_table_style style,
                           ee_buffer *out) {
  EE_WRITE(report, audit);
}

void ee_report_write_annotators(const ee_report_format *format, const ee_annotators_summary *summary,
                                ee_table_style style, ee_buffer *out) {
  EE_WRITE(summary, annotators);
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

ee_status ee_report_check_many_runs(const ee_many_runs *runs, const ee_page_choice *choice, ee_error *error) {
  EE_CHECK(runs, many_runs);
}

ee_status ee_report_check_trend(const ee_trend *trend, const ee_page_choice *choice, ee_error *error) {
  EE_CHECK(trend, trend);
}

ee_status ee_report_check_needed_cases(const ee_needed_cases *needed, const ee_page_choice *choice, ee_error *error) {
  EE_CHECK(needed, needed_cases);
}

ee_status ee_report_check_bench(const ee_bench_score *score, const ee_page_choice *choice, ee_error *error) {
  EE_CHECK(score, bench);
}

ee_status ee_report_check_case(const ee_one_case *one, const ee_page_choice *choice, ee_error *error) {
  EE_CHECK(one, one_case);
}

ee_status ee_report_check_audit(const ee_audit_report *report, const ee_page_choice *choice, ee_error *error) {
  EE_CHECK(report, audit);
}

ee_status ee_report_check_annotators(const ee_annotators_summary *summary, const ee_page_choice *choice,
                                     ee_error *error) {
  EE_CHECK(summary, annotators);
}
