/* reading_report.h: how the fields were read in a run without a rule file. */
#ifndef EE_REPORT_READING_REPORT_H
#define EE_REPORT_READING_REPORT_H

#include "infer/infer.h"
#include "report/json_out.h"
#include "report/page.h"

/* Adds the section "reading": a row for each field, and what does not fit. The page borrows from `inference`.
 * `saved`: the file the rules were written to; NULL: none. */
/* One line, "not judged  5 of 9 paths: only the expected values have 'words', 'url'", if there is something to say. */
void ee_reading_summary(const ee_inference *inference, ee_page *page);
void ee_reading_page(const ee_inference *inference, const char *saved, ee_page *page);
/* Adds the member "reading". */
void ee_reading_json(const ee_inference *inference, const char *saved, ee_json_out *json);

#endif
