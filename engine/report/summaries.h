/* summaries.h: what ee.summary of the rules came to, in reports.
 *
 * A value may be any data. On a page a number, string or truth value is one line; an object of them a table of two
 * columns; an array or object of objects a table with a row each, its columns the members of all of them; anything
 * deeper is JSON in its cell. */
#ifndef EE_REPORT_SUMMARIES_H
#define EE_REPORT_SUMMARIES_H

#include "judge/collector.h"
#include "report/json_out.h"
#include "report/page.h"

/* A section for each summary, under its name; nothing without summaries. Borrows from `values`. */
void ee_summaries_page(const ee_summary_values *values, ee_page *page);

/* "summaries": the values by name, and "summary_errors": for summaries with errors how many, and the first. Nothing
 * without summaries. */
void ee_summaries_json(const ee_summary_values *values, ee_json_out *json);

/* Adds to the CSV table that begins at byte `start` of `out` the column `value`, and a line "(summary),NAME,...,VALUE"
 * for each summary; values inside a table have a line each, under NAME.KEY or NAME[0]. Nothing without summaries. */
void ee_summaries_csv(const ee_summary_values *values, size_t start, ee_buffer *out);

#endif
