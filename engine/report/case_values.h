/* case_values.h: the values that one judge judged in a row of results: expected beside candidate, how they were
 * compared, and how items of lists were paired. Internal to case_report.c.
 *
 * From details.outcomes, which rows of full detail have; in other rows from details.mismatches: the misses. */
#ifndef EE_REPORT_CASE_VALUES_H
#define EE_REPORT_CASE_VALUES_H

#include "report/page.h"

/* Fills `page` for terminals of `style`, whose lines are fitted to its width, and for markup. `details`: those of the
 * judge, an object or NULL. */
void ee_case_values(ee_page *page, const ee_value *details, ee_table_style style);

/* True if the details have an outcome for each value. */
bool ee_case_has_outcomes(const ee_value *details);

#endif
