/* evaluate.h: an evaluation of some cases, for a command that does something else with them than a report. */
#ifndef EE_CLI_EVALUATE_H
#define EE_CLI_EVALUATE_H

#include "cli/options.h"
#include "data/files/record.h"

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

#endif
