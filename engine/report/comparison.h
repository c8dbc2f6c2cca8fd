/* comparison.h: two runs over the same cases: what got better, what got worse, and whether it is chance.
 *
 * Cases are joined on their ids, in the order of the base. What each metric means:
 * - A difference of scores up to 1e-9 is rounding: neither a win nor a loss. A score that near to 1 is 1.
 * - Normalised gain of a case: (new - base) / (1 - base) (Hake 1998); undefined if the base has 1, and then
 * in no mean.
 * - A field is an attribute of a judge, and wrong in a case when it has fp + fn > 0 there. Fixed, broken, still wrong
 * and still right count cases. A field that a run's row does not have is right there. A field that only one run has
 * though values are expected there comes from different rules: a note says so, and it is in no metric.
 * - Undefined F1 is 0 if there are errors (ee_f1()). Micro pools the counts of a judge's fields,
 * macro is the mean over them; derived fields are in neither. A case in which only one run has the judge is in none
 * of the judge's metrics.
 * - Intervals are of 95 %: Wilson's for proportions, percentiles of a paired bootstrap over cases for all else, with
 * the same draws.
 * - Better or worse: the interval of the mean difference excludes 0, and at least six cases differ (with fewer, even a
 * sign test cannot reach 5 %). */
#ifndef EE_REPORT_COMPARISON_H
#define EE_REPORT_COMPARISON_H

#include "prim/statistics.h"
#include "report/page.h"
#include "report/stored_row.h"

typedef struct ee_comparison ee_comparison;

typedef enum ee_fail_on { EE_FAIL_ON_NOTHING, EE_FAIL_ON_ANY, EE_FAIL_ON_MEAN, EE_FAIL_ON_SIGNIFICANT } ee_fail_on;
typedef enum ee_side { EE_SIDE_BASE, EE_SIDE_NEW } ee_side;

typedef struct ee_comparison_options {
  const char *names[2]; /* of the runs, by side, for headings and messages; borrowed; NULL: "base" and "new" */
  double threshold;     /* a case is won or lost if its score changes by at least this (slack 1e-9); 0: by any
                           difference */
  bool common;          /* compare the cases that both have even if ids or expected values differ */
  ee_fail_on fail_on;   /* any: a case lost, or no longer passes, or a field broken; mean: the mean score fell;
                           significant: worse, as above */
  size_t shown;         /* cases and fields listed in table and Markdown; 0: all */
} ee_comparison_options;

/* "any", "mean", "significant"; "" for EE_FAIL_ON_NOTHING. */
const char *ee_fail_on_name(ee_fail_on fail_on);

ee_comparison *ee_comparison_new(const ee_comparison_options *options);
void ee_comparison_free(ee_comparison *comparison);

/* Adds a row of the base or the new run (copied). False if the run has its id already: the first stays, and the other
 * is counted. */
bool ee_comparison_add(ee_comparison *comparison, ee_side side, const ee_stored_row *row);
/* Counts lines of a run that were not added, for the notes: unreadable ones, and ids seen before. */
void ee_comparison_add_skipped(ee_comparison *comparison, ee_side side, uint64_t unreadable, uint64_t duplicates);

/* Joins and computes, once. EE_ERROR_DATA with a message that says what differs and what to do ("... (--common compares
 * the 12 cases that both have)") if the runs are not over the same data: an id on one side only, or different
 * expected_hash of one id; rows without a hash are trusted, and counted. With `common`, only no common case or no rows
 * on a side are errors. O(2000 * (cases + field values that differ from those of most cases)), and one walk over all
 * values. */
ee_status ee_comparison_finish(ee_comparison *comparison, ee_error *error);

/* Whether it fails by `fail_on`; `*reason` (owned by the comparison; NULL if it does not fail) is why. */
bool ee_comparison_fails(const ee_comparison *comparison, const char **reason);

/* What a reader must know to trust the metrics, a sentence each: ids left out, judges or fields on one side only, rows
 * without a hash. Every report but CSV has them. `number` from 0; NULL after the last one; owned by the comparison. */
const char *ee_comparison_note(const ee_comparison *comparison, size_t number);

/* Scores before and after with intervals, pass rates, wins, losses, ties, mean delta, normalised gain, micro and macro
 * F1 of each judge, fields fixed, broken and still wrong, and their cases, worst first. The page borrows from
 * `comparison`. */
void ee_comparison_page(const ee_comparison *comparison, ee_page *page);
/* The same with every case; undefined metrics are null. Appends to `out`. */
void ee_comparison_json(const ee_comparison *comparison, ee_buffer *out);
/* A line for each case: id,base,new,delta,outcome,fixed,broken,still_wrong; the last three are numbers of fields. */
void ee_comparison_csv(const ee_comparison *comparison, ee_buffer *out);

#endif
