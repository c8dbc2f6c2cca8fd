/* annotators_report.h: how far two annotators agree: a page for people, JSON and CSV for programs, which append to
 * `out`. */
#ifndef EE_REPORT_ANNOTATORS_REPORT_H
#define EE_REPORT_ANNOTATORS_REPORT_H

#include "audit/annotators.h"
#include "report/page.h"

/* What `evalengine agree` found, with what the command knows of its files. */
typedef struct ee_annotators_summary {
  const ee_annotators_report *report;
  const char *first, *second, *model; /* names of files; model NULL: none */
  const char *rules;                  /* NULL: chosen from the data */
  uint64_t only_first, only_second;   /* records that the other annotator lacks */
  uint64_t unreadable;                /* records of all files that could not be read */
  uint64_t without_answer;            /* records that the model has no answer for: judged as empty candidates */
  size_t shown;                       /* disagreements that a page lists; 0: all */
} ee_annotators_summary;

/* Agreement of each field with kappa, the ceiling beside the model, and the first disagreements. The page borrows from
 * `summary`. */
void ee_annotators_page(const ee_annotators_summary *summary, ee_page *page);
/* One JSON object, indented by two spaces, with all listed disagreements. */
void ee_annotators_json(const ee_annotators_summary *summary, ee_buffer *out);
/* The disagreements, to be decided in a spreadsheet: a head line and a line each: case,judge,field,path,first,second,
 * model,reason. */
void ee_annotators_csv(const ee_annotators_summary *summary, ee_buffer *out);

#endif
