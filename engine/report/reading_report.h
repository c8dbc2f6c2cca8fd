/* reading_report.h: how the fields were read in a run without a rule file. */
#ifndef EE_REPORT_READING_REPORT_H
#define EE_REPORT_READING_REPORT_H

#include "infer/infer.h"
#include "report/json_out.h"
#include "report/page.h"

/* Adds the section "reading": a row for each field, and what does not fit. The page borrows from `inference`.
 * `saved`: the file the rules were written to; NULL: none. */
void ee_reading_page(const ee_inference *inference, const char *saved, ee_page *page);
/* Adds the member "reading". */
void ee_reading_json(const ee_inference *inference, const char *saved, ee_json_out *json);

#endif
