/* run.h: runs a data set through a plan on many cores; the output bytes do not depend on their number.
 *
 * Workers claim blocks of records under a lock, judge them, and commit in ticket order: rows, errors, duplicate ids and
 * totals are added at the commit, never before. A block in which the commit drops a record (a duplicate id, a record
 * beyond --limit or after the first error of --strict) is judged again without it.
 *
 * Expected values without a record can be judged after the data, in the order of their file (judge_absent): which they
 * are is known when all blocks of the data have been committed.
 *
 * What collects the results of cases (ee.summary, ee.report of the rules) gets them at the commit, too: as rows, since
 * a case ends with its judging.
 *
 * A run can be cut short and resumed. After each commit its place in the data and the totals since the last checkpoint
 * can be written down (hooks.checkpoint). A run that goes on from such a place reads what comes before it again, which
 * finds ids that occur twice and expected values that were asked for, and judges only the rest.
 *
 * If a provider replies later, the requests of each block are sent before it is judged, block by block in input order
 * (worker.h). With a limit one worker does it all, so that no request is sent beyond it. */
#ifndef EE_RUN_RUN_H
#define EE_RUN_RUN_H

#include <signal.h>

#include "data/expected_set.h"
#include "data/files/dataset.h"
#include "judge/plan.h"
#include "run/id_set.h"
#include "run/parts/id_hashes.h"
#include "run/totals.h"
#include "run/where.h"

/* How far a run has come: what of its data has been committed. */
typedef struct ee_run_place {
  uint64_t records; /* of the data, then expected values without a record */
  uint64_t errors;  /* messages about text that is not a record, and errors of this kind that are only counted */
  uint64_t hash;    /* of these records, with their files' names */
  uint64_t cases;   /* judged */
  uint64_t rule_errors_listed,
      failures_listed; /* messages of rules and of the provider, given to hooks.report or not */
} ee_run_place;

typedef struct ee_run_timings {
  uint64_t wall_ns;
  /* Summed over workers: splitting and reading records; waiting for a provider; judging; formatting and writing rows.
   */
  uint64_t read_ns, ask_ns, judge_ns, write_ns;
} ee_run_timings;

/* Except for `format`, callbacks run one at a time, in input order, on the thread that commits; `user` is theirs. */
typedef struct ee_run_hooks {
  void *user;
  /* Appends a case's row to `out`. Called while judging, on all workers concurrently. NULL: no rows. */
  void (*format)(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out);
  /* Writes the rows of a block. A failure ends the run. */
  ee_status (*write)(void *user, const char *data, size_t length, ee_error *error);
  /* Appends a case's row for `collect`, also while judging. NULL: nothing is collected. */
  void (*format_collected)(void *user, const ee_case_result *result, ee_arena *scratch, ee_buffer *out);
  /* Gets each case that counts, in input order, with its row. `*errors`: how many errors functions of the rules raised
   * meanwhile, which count as the rules' errors. A failure ends the run. */
  ee_status (*collect)(void *user, ee_str row, uint64_t *errors, ee_error *error);
  /* An error or warning about a record, a rule or a missing reply, with its place. */
  void (*report)(void *user, const ee_error *error);
  /* A case whose verdict is fail, and where its record is; before its row is written. May be NULL. */
  void (*failed)(void *user, ee_str id, const char *file, uint64_t line);
  /* After each commit, with the place and the totals since the last checkpoint; `last`: at the end of the run, however
   * it ended. `*kept`: they were written down, so that the next ones begin here. A failure ends the run. NULL: nobody
   * needs them. */
  ee_status (*checkpoint)(void *user, const ee_run_place *place, ee_totals *since, bool last, bool *kept,
                          ee_error *error);
  /* Once, when all is judged and the last checkpoint is written, on the thread that called ee_run(): what follows, such
   * as average precision, does not look at `interrupted`. May be NULL. */
  void (*judged)(void *user);
  /* Called after each commit, with how many cases were judged until then, their scores, and how much of the data was
   * read (ee_dataset_progress()); may be NULL. */
  void (*progress)(void *user, uint64_t cases, const ee_sample *scores, uint64_t taken, uint64_t total);
} ee_run_hooks;

typedef struct ee_run_options {
  unsigned jobs;  /* workers; 0: as many as there are cores */
  uint64_t limit; /* judge at most this many cases; 0: all */
  ee_case_choice choice;
  bool judge_absent;          /* judges expected values without a record, too, after the data, as empty candidates */
  ee_detail detail;           /* what judges collect of each case for its row */
  bool strict;                /* stop after the first record or rule in error, or missing reply */
  ee_expected_set *expected;  /* borrowed; source of expected values; NULL: the records themselves */
  ee_provider *provider;      /* borrowed; NULL: values that need one count as failures */
  bool timings;               /* measure phases */
  bool kinds;                 /* decide the kinds of errors */
  bool part;                  /* the data is a part: the totals are not finished */
  const ee_run_place *from;   /* where the run goes on, of an earlier one with the same options; NULL: it begins */
  const ee_totals *before;    /* the totals up to there */
  size_t block_size;          /* bytes that a worker takes at a time, for tests; 0: as it fits */
  bool only_absent;           /* no data: only expected values without a record are judged */
  ee_id_set *ids;             /* gets the ids of the cases, empty at first; NULL: nobody needs them */
  const ee_id_hashes *except; /* ids that an earlier part has: their cases are duplicates; NULL: none */
  const volatile sig_atomic_t
      *interrupted; /* set by a signal handler: stop claiming, commit the current blocks; NULL: never */
  ee_run_hooks hooks;
} ee_run_options;

typedef struct ee_run_result {
  ee_totals totals; /* ee_totals_fini() */
  bool interrupted;
  bool unfinished;      /* corpus metrics are left out: that of an interrupted run would take too long */
  bool stopped;         /* by strict */
  uint64_t data_errors; /* records reported */
  ee_run_timings timings;
} ee_run_result;

/* Runs `dataset` (NULL with `only_absent`) through `plan`. EE_OK when it ended, also by an interrupt or --strict,
 * whatever the scores; else EE_ERROR_SYSTEM (input or output failed) or EE_ERROR_RULES (a worker could not load the
 * rule file, or the data is not what it was before `from`). `result` has what was committed in either case. */
ee_status ee_run(const ee_plan *plan, ee_dataset *dataset, const ee_run_options *options, ee_run_result *result,
                 ee_error *error);

#endif
