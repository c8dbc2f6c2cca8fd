/* needed_cases.h: how many cases a comparison needs, and what the cases that there are can show.
 *
 * From the rows of two runs: the variance of a case's difference is that of theirs (prim/paired.h), for the mean score
 * and for the pass rate, whose differences are 1, 0 and -1 as in McNemar's test. From one run only its own variance v
 * is known; the difference of two runs that each have it has the variance 2 v (1 - r), where r is the correlation of
 * their scores. r is assumed: 0 for runs that share nothing, and 0.5, as of two different systems over the same cases
 * (Miller, Adding Error Bars to Evals, 2024, 4.2, found 0.3 to 0.7).
 *
 * Units are clusters where rows have them: then all figures are first in clusters, and cases are clusters times the
 * mean number of cases in one. The design effect is the variance of a mean over that of as many independent cases (Kish
 * 1965).
 *
 * Intervals of one run are those that ee_ratio_interval() would give if its sums grew in proportion to the units. */
#ifndef EE_REPORT_NEEDED_CASES_H
#define EE_REPORT_NEEDED_CASES_H

#include "report/comparison.h"

typedef struct ee_needed_cases ee_needed_cases;

typedef struct ee_needed_cases_options {
  const char *names[2]; /* of the runs; borrowed; the second is NULL where there is one run */
  double effect;        /* the difference to be found: above 0, below 1 */
  double power;         /* with this probability: 0.5 to 0.9999 */
  double confidence;    /* of intervals; 1 - confidence is the level of tests; 0.5 to 0.9999 */
  double half_width;    /* of a run's intervals: cases for it; 0: for a few widths */
  bool common, force;   /* as in ee_comparison_options */
  bool clusters;        /* rows must have clusters */
} ee_needed_cases_options;

ee_needed_cases *ee_needed_cases_new(const ee_needed_cases_options *options);
void ee_needed_cases_free(ee_needed_cases *needed);

/* Adds a row of run 0 or 1. */
void ee_needed_cases_add(ee_needed_cases *needed, size_t run, const ee_stored_row *row);
void ee_needed_cases_add_skipped(ee_needed_cases *needed, size_t run, uint64_t unreadable, uint64_t duplicates);

/* Computes, once all rows are added. Fails as ee_comparison_finish() does; EE_ERROR_DATA with fewer than two units, or
 * without clusters where they are demanded. */
ee_status ee_needed_cases_finish(ee_needed_cases *needed, ee_error *error);

/* The page borrows from `needed`. JSON appends to `out`. */
void ee_needed_cases_page(const ee_needed_cases *needed, ee_page *page);
void ee_needed_cases_json(const ee_needed_cases *needed, ee_buffer *out);

#endif
