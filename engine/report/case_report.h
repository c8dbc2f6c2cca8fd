/* case_report.h: single cases for a person, from rows of results: a line with its misses below, or everything. */
#ifndef EE_REPORT_CASE_REPORT_H
#define EE_REPORT_CASE_REPORT_H

#include "report/page.h"
#include "report/stored_row.h"

/* Appends "ID  0.912  pass" and, indented, a line a miss. `judge`: score, verdict and misses of this judge, nothing
 * when the row does not have it; data NULL: those of the case. */
void ee_case_lines(const ee_stored_row *row, ee_str judge, ee_table_style style, ee_buffer *out);

/* One case in full: `report --case`. */
typedef struct ee_one_case {
  const ee_stored_row *row;
  ee_str judge;         /* this judge only; data NULL: all of them */
  ee_table_style style; /* lines are fitted to it before they are rendered */
} ee_one_case;

/* Score, verdict, and a section a judge: score with its formula, verdict, reasoning, and all values side by side with
 * how they were compared (case_values.h). Of a row without full detail: misses, mismatches, hits. */
void ee_one_case_page(const ee_one_case *one, ee_page *page);
/* The row. */
void ee_one_case_json(const ee_one_case *one, ee_buffer *out);

#endif
