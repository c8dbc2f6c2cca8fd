/* measures_report.h: measures such as cost and latency on a page, in JSON and in CSV, the same for runs and for rows.
 */
#ifndef EE_REPORT_MEASURES_REPORT_H
#define EE_REPORT_MEASURES_REPORT_H

#include "report/json_out.h"
#include "report/page.h"
#include "run/measure_total.h"

/* A measure over some cases. Borrowed. */
typedef struct ee_named_measure {
  ee_str name;
  const ee_measure_total *total;
} ee_named_measure;

/* The measures of a plan over all cases or those of a slice, plan->measure_count of them, in `arena`. */
const ee_named_measure *ee_measures_of(const ee_plan *plan, const ee_score_totals *totals, ee_arena *arena);

/* A section "measures": a table with a row each, and notes on values that are missing or not numbers. Nothing if there
 * are none. */
void ee_measures_page(const ee_named_measure *measures, size_t count, ee_page *page);
/* "measures", an array; nothing if there are none. Undefined numbers are left out. */
void ee_measures_json(const ee_named_measure *measures, size_t count, ee_json_out *json);
/* Lines in the columns of tables of attributes and EE_CSV_MEASURES_HEAD; what does not apply is empty. */
#define EE_CSV_MEASURES_HEAD ",values,missing,not_numbers,sum,mean,p50,p95,per_correct"
#define EE_CSV_NO_MEASURES ",,,,,,,," /* of lines of attributes */
void ee_measures_csv(const ee_named_measure *measures, size_t count, ee_buffer *out);

/* Adds warnings (EE_OK, "warning: ...") about missing values and values that are not numbers. */
void ee_measures_warn(const ee_named_measure *measures, size_t count, ee_error_list *warnings);
/* Whether the paths are wrong: some value is not a number, or no record has the measure. --strict fails. */
bool ee_measures_unfit(const ee_named_measure *measures, size_t count);

/* The number for a person, four significant digits but all of a whole number: "0.01234", "12345"; "-" undefined. */
const char *ee_measure_text(ee_arena *arena, ee_metric metric);
/* The same of a difference, with its sign. */
const char *ee_measure_change_text(ee_arena *arena, ee_metric metric);

#endif
