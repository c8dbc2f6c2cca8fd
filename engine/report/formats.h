/* formats.h: the formats of reports: one row a format. To add a format: its file, its row in formats.c, its test. */
#ifndef EE_REPORT_FORMATS_H
#define EE_REPORT_FORMATS_H

#include "report/annotators_report.h"
#include "report/audit_report.h"
#include "report/bench_report.h"
#include "report/case_report.h"
#include "report/comparison.h"
#include "report/many_runs.h"
#include "report/merged_results.h"
#include "report/needed_cases.h"
#include "report/run_report.h"
#include "report/tool_results.h"
#include "report/trend.h"

typedef enum ee_document {
  EE_DOCUMENT_RUN,        /* ee_summary: what an evaluation prints */
  EE_DOCUMENT_MERGED,     /* ee_merged_results: `report` */
  EE_DOCUMENT_COMPARISON, /* ee_comparison: `compare` */
  EE_DOCUMENT_MANY_RUNS,  /* ee_many_runs: `compare` of three or more */
  EE_DOCUMENT_TREND,      /* ee_trend: `trend` */
  EE_DOCUMENT_NEEDED,     /* ee_needed_cases: `plan` */
  EE_DOCUMENT_BENCH,      /* ee_bench_score: `bench run` and `bench score` */
  EE_DOCUMENT_CASE,       /* ee_one_case: `report --case` */
  EE_DOCUMENT_AUDIT,      /* ee_audit_report: `audit` */
  EE_DOCUMENT_ANNOTATORS, /* ee_annotators_summary: `agree` */
  EE_DOCUMENT_TESTS       /* rule tests: `test` */
} ee_document;

/* Either `page` renders any document, or each document has a function, NULL where the format does not have it. Only
 * formats.c calls them. */
typedef struct ee_report_format {
  const char *name;   /* as --format takes it */
  const char *suffix; /* of a file's name, as "json": --output NAME.json chooses the format; NULL: none */
  const char *what;   /* one line for help texts */
  bool cells;         /* written by csv.h */
  bool rows;     /* the rows of the cases instead of a report; only EE_DOCUMENT_RUN, written while cases are judged */
  bool own;      /* the name is not a built-in format: an ee.report of the rules, which its command looks for */
  bool no_notes; /* has no room for the notes of a comparison */
  bool cases;    /* the report has the cases in it (report/html/html_data.h), and the document as JSON */
  bool tests;    /* of runs and rows, the report is the list of tests that ee_junit makes of them */
  /* A row as text; NULL: as it is. `judge` as for ee_case_lines(). */
  void (*row)(const ee_stored_row *row, ee_str judge, ee_table_style style, ee_buffer *out);
  /* A row in a list of all of them, which needs full detail; and what ends the list, or NULL. */
  void (*listed)(const ee_stored_row *row, ee_str judge, ee_row_list *list, ee_buffer *out);
  void (*list_end)(ee_row_list *list, ee_buffer *out);
  ee_page_renderer *page;
  void (*run)(const ee_summary *summary, ee_buffer *out);
  void (*merged)(const ee_merged_results *results, ee_buffer *out);
  void (*comparison)(const ee_comparison *comparison, ee_buffer *out);
  void (*many_runs)(const ee_many_runs *runs, ee_buffer *out);
  void (*trend)(const ee_trend *trend, ee_buffer *out);
  void (*needed_cases)(const ee_needed_cases *needed, ee_buffer *out);
  void (*bench)(const ee_bench_score *score, ee_buffer *out);
  void (*one_case)(const ee_one_case *one, ee_buffer *out);
  void (*audit)(const ee_audit_report *report, ee_buffer *out);
  void (*annotators)(const ee_annotators_summary *summary, ee_buffer *out);
} ee_report_format;

/* In the order of help texts; the first is the default; ended by a row whose name is NULL. */
extern const ee_report_format ee_report_formats[];

/* The row of that name; NULL if there is none. */
const ee_report_format *ee_report_format_find(ee_str name);

/* The suffix of a file's name: up to 5 letters and digits after its last dot, a letter first ("csv"; not "Xy2kd8s7Qa",
 * and not of ".txt", which is a hidden file); empty if there is none. Borrows from `name`. */
ee_str ee_report_suffix(const char *name);

/* The row for files with that suffix, in any case of letters; NULL if there is none. */
const ee_report_format *ee_report_format_of_suffix(ee_str suffix);

/* The names of all formats, NULL-terminated, and of `more`, also NULL-terminated (NULL: none), in `arena`. */
const char *const *ee_report_format_names(const char *const *more, ee_arena *arena);

/* Whether `document` can be written in `format`. */
bool ee_report_format_has(const ee_report_format *format, ee_document document);

/* Each appends its document to `out`; nothing if the format does not have it. `style` matters to terminals only. */
void ee_report_write_run(const ee_report_format *format, const ee_summary *summary, ee_table_style style,
                         ee_buffer *out);
void ee_report_write_merged(const ee_report_format *format, const ee_merged_results *results, ee_table_style style,
                            ee_buffer *out);
void ee_report_write_comparison(const ee_report_format *format, const ee_comparison *comparison, ee_table_style style,
                                ee_buffer *out);
void ee_report_write_many_runs(const ee_report_format *format, const ee_many_runs *runs, ee_table_style style,
                               ee_buffer *out);
void ee_report_write_trend(const ee_report_format *format, const ee_trend *trend, ee_table_style style, ee_buffer *out);
void ee_report_write_needed_cases(const ee_report_format *format, const ee_needed_cases *needed, ee_table_style style,
                                  ee_buffer *out);
void ee_report_write_bench(const ee_report_format *format, const ee_bench_score *score, ee_table_style style,
                           ee_buffer *out);

/* Rows, lines of JSON as ee_row_write() writes them, in a format that has rows. `list`: what was written before. */
void ee_report_write_rows(const ee_report_format *format, ee_str rows, ee_table_style style, ee_row_list *list,
                          ee_buffer *out);
void ee_report_write_case(const ee_report_format *format, const ee_one_case *one, ee_table_style style, ee_buffer *out);
void ee_report_write_audit(const ee_report_format *format, const ee_audit_report *report, ee_table_style style,
                           ee_buffer *out);
void ee_report_write_annotators(const ee_report_format *format, const ee_annotators_summary *summary,
                                ee_table_style style, ee_buffer *out);

/* EE_ERROR_USAGE when the document's page has no section or column of a name in `choice`. */
ee_status ee_report_check_run(const ee_summary *summary, const ee_page_choice *choice, ee_error *error);
ee_status ee_report_check_merged(const ee_merged_results *results, const ee_page_choice *choice, ee_error *error);
ee_status ee_report_check_comparison(const ee_comparison *comparison, const ee_page_choice *choice, ee_error *error);
ee_status ee_report_check_many_runs(const ee_many_runs *runs, const ee_page_choice *choice, ee_error *error);
ee_status ee_report_check_trend(const ee_trend *trend, const ee_page_choice *choice, ee_error *error);
ee_status ee_report_check_audit(const ee_audit_report *report, const ee_page_choice *choice, ee_error *error);
ee_status ee_report_check_annotators(const ee_annotators_summary *summary, const ee_page_choice *choice,
                                     ee_error *error);
ee_status ee_report_check_case(const ee_one_case *one, const ee_page_choice *choice, ee_error *error);
ee_status ee_report_check_needed_cases(const ee_needed_cases *needed, const ee_page_choice *choice, ee_error *error);
ee_status ee_report_check_bench(const ee_bench_score *score, const ee_page_choice *choice, ee_error *error);

#endif
