/* comparison.h: two runs over the same cases: what got better, what got worse, and whether it is chance.
 *
 * Cases are joined on their ids, in the order of the base. What each figure means:
 * - A difference of scores up to 1e-9 is rounding: nobody's win or loss. A score as near to 1 is 1.
 * - Normalised gain of a case: (new - base) / (1 - base) (Hake 1998); undefined where the base has 1, and then in no
 * mean.
 * - A field is an attribute of a judge, and wrong in a case when it has fp + fn > 0 there. Fixed, broken, still wrong
 * and still right count cases. What a run does not mention for a case is right there. A field that only one run has,
 * though it is expected there, comes from other rules: it is told, and in no figure.
 * - F1 that is undefined counts 0 where there are errors (ee_f1_ranked()). Micro pools the counts of a judge's fields,
 * macro is the mean over them; fields that retell others are in neither. A case in which only one run has the judge is
 * in none of its figures.
 * - Intervals are of 95 %: Wilson's for proportions, percentiles of a paired bootstrap over cases for all else, the
 * same draws for all of them.
 * - Better or worse: the interval of the mean difference leaves 0 out, and at least six cases differ (of fewer not even
 * a sign test could say so). */
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
  double threshold;   /* a case is won or lost when its score moves by at least so much (decimal slack 1e-9); 0: by any
                         difference */
  bool common;        /* compare what both have, though ids or expected values differ */
  ee_fail_on fail_on; /* any: a case lost, or passed and does not any more, or a field broken; mean: the mean score
                         fell; significant: worse, as above */
  size_t shown;       /* cases and fields listed in table and Markdown; 0: all */
} ee_comparison_options;

/* "any", "mean", "significant"; "" of nothing. */
const char *ee_fail_on_name(ee_fail_on fail_on);

ee_comparison *ee_comparison_new(const ee_comparison_options *options);
void ee_comparison_free(ee_comparison *comparison);

/* Adds a row of the base or the new run (copied). False when its id was there before in this run: the first stays, and
 * the other is counted. */
bool ee_comparison_add(ee_comparison *comparison, ee_side side, const ee_stored_row *row);
/* Counts lines of a run that never came here, to be told in the reports: what could not be read, and ids seen before.
 */
void ee_comparison_add_skipped(ee_comparison *comparison, ee_side side, uint64_t unreadable, uint64_t duplicates);

/* Joins and computes, once. EE_ERROR_DATA with a message that says what differs and what to do ("... (--common compares
 * the 12 cases that both have)") when the two are not of the same data set: an id on one side only, or another
 * expected_hash for one id; rows without a hash are taken on trust, and counted. With `common` only having no case in
 * common, or no rows on a side, is an error. O(2000 * (cases + values of fields that
 * are not as in most cases)), beside one walk over all values. */
ee_status ee_comparison_finish(ee_comparison *comparison, ee_error *error);

/* Whether it fails by `fail_on`; `*reason` (owned by the comparison; NULL when not) says why. */
bool ee_comparison_fails(const ee_comparison *comparison, const char **reason);

/* What a reader must know to trust the figures, a sentence each: ids left out, judges or fields on one side only, rows
 * without a hash. Every report but CSV has them. `number` from 0; NULL behind the last one; owned by the comparison. */
const char *ee_comparison_note(const ee_comparison *comparison, size_t number);

/* Scores before and after with intervals, pass rates, wins, losses, ties, mean delta, normalised gain, micro and macro
 * F1 of each judge, fields fixed, broken and still wrong, and their cases, worst first. The page borrows from
 * `comparison`. */
void ee_comparison_page(const ee_comparison *comparison, ee_page *page);
/* The same with every case; undefined metrics are null. Appends to `out`. */
void ee_comparison_json(const ee_comparison *comparison, ee_buffer *out);
/* A line a case: id,base,new,delta,outcome,fixed,broken,still_wrong; the last three are numbers of fields. */
void ee_comparison_csv(const ee_comparison *comparison, ee_buffer *out);

#endif
