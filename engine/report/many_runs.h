/* many_runs.h: three or more runs over the same cases: which is best, and which differ from the first by more than
 * chance.
 *
 * Each run after the first is compared with the first as two runs are (report/comparison.h), over the cases that all
 * runs have. The differences of mean scores, with the first run or of all pairs, have p values that are corrected for
 * their number and intervals that hold together, and samples of the cases say how often each run is best
 * (prim/ranking.h). Better or worse: the corrected p value is at most 1 - confidence. */
#ifndef EE_REPORT_MANY_RUNS_H
#define EE_REPORT_MANY_RUNS_H

#include "report/comparison.h"

typedef struct ee_many_runs ee_many_runs;

typedef struct ee_many_runs_options {
  const char *const *names; /* of the files, for headings and messages; borrowed */
  size_t count;             /* of runs, at least 3 */
  /* As for two runs, without names. `any` and `mean`: some run fails against the first; `significant`: some run is
   * worse, as above. */
  ee_comparison_options each;
  bool all_pairs; /* the mean scores of all pairs are compared; else of those with the first run */
} ee_many_runs_options;

ee_many_runs *ee_many_runs_new(const ee_many_runs_options *options);
void ee_many_runs_free(ee_many_runs *runs);

/* Adds a row of run number `run`, from 0 (copied). The first of equal ids stays. */
void ee_many_runs_add(ee_many_runs *runs, size_t run, const ee_stored_row *row);
void ee_many_runs_add_skipped(ee_many_runs *runs, size_t run, uint64_t unreadable, uint64_t duplicates);

/* Joins and computes, once. Fails as ee_comparison_finish() does, of the first pair that does. */
ee_status ee_many_runs_finish(ee_many_runs *runs, ee_error *error);

/* Whether it fails by `each.fail_on`; `*reason` (owned; NULL if it does not fail) is why. */
bool ee_many_runs_fails(const ee_many_runs *runs, const char **reason);
/* As ee_comparison_note(). */
const char *ee_many_runs_note(const ee_many_runs *runs, size_t number);

/* A row a run, the best of each column marked; each run against the first; a row a field with a column a run; the cases
 * in which the runs differ most. The page borrows from `runs`. */
void ee_many_runs_page(const ee_many_runs *runs, ee_page *page);
/* The same with every field and case; undefined metrics are null. Appends to `out`. */
void ee_many_runs_json(const ee_many_runs *runs, ee_buffer *out);
/* A line a run: its metrics, its difference from the first run, F1 of each judge and field. */
void ee_many_runs_csv(const ee_many_runs *runs, ee_buffer *out);

#endif
