/* run.h: a whole data set through the plan, on many cores, with the same bytes whatever their number.
 *
 * Workers claim blocks of records under a lock, judge them, and commit in ticket order: rows, errors, duplicate
 * ids and totals join the whole at the commit, never before. A block in which the commit drops a record (a duplicate
 * id, beyond
 * --limit, behind the first error of --strict) is judged again without it.
 *
 * Where a provider leaves answers open, each block's questions are asked before it is judged, block by block in input
 * order (worker.h). With a limit one worker does it all, so that nothing is asked beyond it. */
#ifndef EE_RUN_RUN_H
#define EE_RUN_RUN_H

#include <signal.h>

#include "data/expected_set.h"
#include "data/files/dataset.h"
#include "judge/plan.h"
#include "run/totals.h"

typedef struct ee_run_timings {
  uint64_t wall_ns;
  /* Summed over workers: splitting and reading records; waiting for a provider over a network; judging; formatting and
   * writing rows. */
  uint64_t read_ns, ask_ns, judge_ns, write_ns;
} ee_run_timings;

/* Callbacks run one at a time, in input order, on whichever worker commits; `user` is theirs. */
typedef struct ee_run_hooks {
  void *user;
  /* Appends a case's row to `out`. Called while judging, on any worker, many at once. NULL: no rows. */
  void (*format)(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out);
  /* Takes a block's rows. A failure ends the run. */
  ee_status (*write)(void *user, const char *data, size_t length, ee_error *error);
  /* An error or warning about a record or a rule, or an answer that did not come, with its place. */
  void (*report)(void *user, const ee_error *error);
  /* After each commit. NULL: not told. */
  void (*progress)(void *user, const ee_totals *totals, uint64_t taken, uint64_t total);
} ee_run_hooks;

typedef struct ee_run_options {
  unsigned jobs;             /* workers; 0: as many as there are cores */
  uint64_t limit;            /* judge at most so many cases; 0: all */
  const char *only;          /* a glob on the id (ee_glob_match); NULL: all */
  bool strict;               /* stop behind the first record or rule in error, or value without an answer */
  ee_expected_set *expected; /* borrowed; where expected values come from; NULL: from the records themselves */
  ee_provider *provider;     /* borrowed; NULL: values that need one get no answer */
  bool timings;              /* measure phases */
  const volatile sig_atomic_t
      *interrupted; /* set from a signal handler: stop claiming, commit what is under way; NULL: never */
  ee_run_hooks hooks;
} ee_run_options;

typedef struct ee_run_result {
  ee_totals totals; /* ee_totals_fini() */
  bool interrupted;
  bool stopped;         /* by strict */
  uint64_t data_errors; /* records reported */
  ee_run_timings timings;
} ee_run_result;

/* Runs `dataset` through `plan`. EE_OK when it came to an end (also when interrupted or stopped), whatever the scores;
 * otherwise EE_ERROR_SYSTEM (input or output failed) or EE_ERROR_RULES (a worker could not load the rule file), and
 * `result` still has what was committed. */
ee_status ee_run(const ee_plan *plan, ee_dataset *dataset, const ee_run_options *options, ee_run_result *result,
                 ee_error *error);

#endif
