/* label_matrix_report.h: what was confused with what, in pages, JSON and CSV. */
#ifndef EE_REPORT_LABEL_MATRIX_REPORT_H
#define EE_REPORT_LABEL_MATRIX_REPORT_H

#include "judge/label_matrix.h"
#include "report/json_out.h"
#include "report/page.h"

/* Appends a table, a row an expected and a column a candidate label: of many labels those that occur most, and the sum
 * of the others. Nothing where nothing was counted. */
void ee_label_matrix_page(ee_page *page, const ee_label_summary *summary);

/* Adds "confusion": {"labels": [...], "counts": [[...]], "missing": [...], "spurious": [...]}: rows of expected and
 * columns of candidate labels; missing: of each expected label without a candidate, spurious: of each candidate label
 * without an expected one. `others` (true) says that the last label stands for those above the bound. */
void ee_label_matrix_json(ee_json_out *json, const ee_label_summary *summary);

/* Appends a line of the table of attributes for each count that is not 0, named "(confusion) "A" as "B"": equal labels
 * as TP, different ones as wrong, missing ones as FN, spurious ones as FP. `tail` as in ee_csv_add_attributes(). */
void ee_label_matrix_csv(ee_buffer *out, ee_str judge, const ee_label_summary *summary, const char *tail);

#endif
