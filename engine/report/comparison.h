/* comparison.h: two runs over the same cases: what got better, what got worse, and whether it is chance.
 *
 * Layer: report. Cases are joined on their ids, in the order of the base. */
#ifndef EE_REPORT_COMPARISON_H
#define EE_REPORT_COMPARISON_H

#include "prim/paired.h"
#include "report/layout.h"
#include "report/stored_row.h"

typedef struct ee_comparison ee_comparison;

typedef enum ee_fail_on { EE_FAIL_ON_NOTHING, EE_FAIL_ON_ANY, EE_FAIL_ON_MEAN, EE_FAIL_ON_SIGNIFICANT } ee_fail_on;

typedef struct ee_comparison_options {
  double threshold;   /* a case is won or lost when its score moves by at least so much (decimal slack 1e-9); 0: by any difference */
  bool common;        /* compare what both have, though ids or expected values differ */
  ee_fail_on fail_on; /* any: a case lost, or passed and does not any more, or a field broken; mean: the mean score fell; significant: the 95 % interval of the mean difference lies below 0 */
  size_t shown;       /* cases and fields listed in table and Markdown; 0: all */
} ee_comparison_options;

ee_comparison *ee_comparison_new(const ee_comparison_options *options);
void ee_comparison_free(ee_comparison *comparison);

/* Adds a row of the base or the new run (copied). False when its id was there before in this run: the first stays, and it is counted. */
typedef enum ee_side { EE_SIDE_BASE, EE_SIDE_NEW } ee_side;
bool ee_comparison_add(ee_comparison *comparison, ee_side side, const ee_stored_row *row);

/* Joins and computes. EE_ERROR_DATA with a message that says what differs and what to do ("... (--common compares the 12 cases that both have)") when the
 * two are not of the same data set: an id on one side only, or another expected_hash for one id; rows without a hash are taken on trust, and counted. */
ee_status ee_comparison_finish(ee_comparison *comparison, ee_error *error);

/* Whether it fails by `fail_on`; `*reason` (static or owned by the comparison) says why. */
bool ee_comparison_fails(const ee_comparison *comparison, const char **reason);

/* Each appends to `out`: scores before and after with intervals, pass rates, wins, losses, ties, mean delta, normalised gain, micro and macro F1 of each judge, fields fixed, broken and
 * still wrong, and the cases behind them, worst first. */
void ee_comparison_table(const ee_comparison *comparison, ee_table_style style, ee_buffer *out);
void ee_comparison_json(const ee_comparison *comparison, ee_buffer *out);
void ee_comparison_markdown(const ee_comparison *comparison, ee_buffer *out);
/* A line a case: id,base,new,delta,outcome,fixed,broken,still_wrong. */
void ee_comparison_csv(const ee_comparison *comparison, ee_buffer *out);

#endif
