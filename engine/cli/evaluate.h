/* evaluate.h: an evaluation of some cases, for a command that does something else with them than a report. */
#ifndef EE_CLI_EVALUATE_H
#define EE_CLI_EVALUATE_H

#include "cli/options.h"
#include "data/files/record.h"
#include "run/run.h"

/* Who takes the cases. Called in input order, by one worker. */
typedef struct ee_case_taker {
  void *user;
  /* Whether the case is judged; of a record with several candidates, whether they are. */
  bool (*wants)(void *user, const ee_case *current);
  /* Takes rows of full detail (report/row.h), whole lines. A failure ends the run. */
  ee_status (*take)(void *user, const char *rows, size_t length, ee_error *error);
} ee_case_taker;

/* Loads rules and data as the main command does, by `options`, whose command is one of its rows (ee_evaluation_of()),
 * and judges the cases that `taker` wants. Errors are printed. No report, no gates: returns 0, or the exit status of
 * what went wrong; 4 also for errors of rules and for values without an answer in a case that was judged. */
int ee_evaluate_for(const ee_options *options, const ee_case_taker *taker);

/* An evaluation for the thread's host (host.h), whose results stay. */
typedef struct ee_evaluation ee_evaluation;

/* Evaluates as the main command does; `options` must outlive the result. Messages, rows and the report go to the host.
 * `*result` is the exit status. NULL if there is no result: the host has the reason as a message. */
ee_evaluation *ee_evaluation_run(const ee_options *options, int *result);
void ee_evaluation_free(ee_evaluation *evaluation);

/* Totals and how the run ended. */
const ee_run_result *ee_evaluation_result(const ee_evaluation *evaluation);
/* The rule file that follows from the data; empty if there were rules. */
ee_str ee_evaluation_inferred(const ee_evaluation *evaluation);
/* Writes a report to the host's output, by what `wanted` says of its format and what it shows. `rows`: all of the run,
 * lines of JSON; NULL: they were not kept. EE_ERROR_USAGE; EE_ERROR_SYSTEM. */
ee_status ee_evaluation_report(ee_evaluation *evaluation, const ee_options *wanted, const ee_str *rows,
                               ee_error *error);

#endif
