/* html_runs.h: the cases of several runs, joined on their ids, for the page of a comparison.
 *
 * The rows are in an unlinked temporary file; memory has the ids and a few bytes a row. */
#ifndef EE_REPORT_HTML_HTML_RUNS_H
#define EE_REPORT_HTML_HTML_RUNS_H

#include "report/html/html_data.h"
#include "report/stored_row.h"

typedef struct ee_html_runs ee_html_runs;

/* NULL with EE_ERROR_SYSTEM if no temporary file can be made. `count` runs. */
ee_html_runs *ee_html_runs_new(size_t count, ee_error *error);
/* NULL is ignored. */
void ee_html_runs_free(ee_html_runs *runs);

/* Keeps a row of run number `run`; a second one of an id is left out. EE_ERROR_SYSTEM. */
ee_status ee_html_runs_add(ee_html_runs *runs, size_t run, const ee_stored_row *row, ee_error *error);

/* Adds all cases to `cases`, whose runs are set: those of the first run in its order, then what only others have. */
ee_status ee_html_runs_join(ee_html_runs *runs, ee_html_cases *cases, ee_error *error);

#endif
