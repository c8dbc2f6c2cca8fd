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
 * - Units are what varies independently: cases, or all cases of a cluster (the rows' "cluster"; trials of one id are
 * one, too). Intervals and p values are over units: of one run's metric those of prim/ratio_interval.h, of a change
 * those of prim/paired.h. All metrics are ratios of sums, or (macro) means of such.
 * - Better or worse: the interval of the mean score's change excludes 0. Fields and slices are two families of tests,
 * each corrected for its number (`correction`). */
#ifndef EE_REPORT_COMPARISON_H
#define EE_REPORT_COMPARISON_H

#include "prim/statistics.h"
#include "report/page.h"
#include "report/stored_row.h"

typedef struct ee_comparison ee_comparison;

typedef enum ee_fail_on {
  EE_FAIL_ON_NOTHING,
  EE_FAIL_ON_ANY,         /* a case lost, or no longer passes, or a field broken: chance alone does that */
  EE_FAIL_ON_MEAN,        /* the mean score fell */
  EE_FAIL_ON_SIGNIFICANT, /* worse, as above */
  EE_FAIL_ON_FIELD,       /* a field is worse after the correction */
  EE_FAIL_ON_MARGIN       /* it is not certain that the new run is not worse by more than `margin` */
} ee_fail_on;

typedef enum ee_p_correction { EE_CORRECTION_HOLM, EE_CORRECTION_BH, EE_CORRECTION_NONE } ee_p_correction;
typedef enum ee_side { EE_SIDE_BASE, EE_SIDE_NEW } ee_side;

typedef struct ee_comparison_options {
  const char *names[2]; /* of the runs, by side, for headings and messages; borrowed; NULL: "base" and "new" */
  double threshold;     /* a case is won or lost if its score changes by at least this (slack 1e-9); 0: by any
                           difference */
  bool common;          /* compare the cases that both have even if ids or expected values differ */
  bool force;           /* compare cases that other rules judged; a note says so */
  ee_fail_on fail_on;
  ee_p_correction correction; /* of the p values of fields, and of slices */
  double confidence;          /* of all intervals, 0.5 to 0.9999; 0: 0.95. The level of p values is 1 - confidence */
  double margin;              /* > 0: the largest loss of the mean score that does not matter; 0: none is given */
  size_t shown;               /* cases and fields listed in table and Markdown; 0: all */
  const char *missing_parts;  /* of merged ones: "part 3 of 8 is missing", for a note; borrowed; NULL: none is */
} ee_comparison_options;

/* "any", "mean", ...; "" for EE_FAIL_ON_NOTHING. */
const char *ee_fail_on_name(ee_fail_on fail_on);
/* "holm", "bh", "none". */
const char *ee_p_correction_name(ee_p_correction correction);

ee_comparison *ee_comparison_new(const ee_comparison_options *options);
void ee_comparison_free(ee_comparison *comparison);

/* Adds a row of the base or the new run (copied). False if the run has its id already: the first stays, and the other
 * is counted. */
bool ee_comparison_add(ee_comparison *comparison, ee_side side, const ee_stored_row *row);
/* The same where the caller knows that the run does not have the id, as of rows that cli/row_reader.h gives. */
void ee_comparison_add_new(ee_comparison *comparison, ee_side side, const ee_stored_row *row);
/* Counts lines of a run that were not added, for the notes: unreadable ones, and ids seen before. */
void ee_comparison_add_skipped(ee_comparison *comparison, ee_side side, uint64_t unreadable, uint64_t duplicates);

/* Joins and computes, once. EE_ERROR_DATA with a message that says what differs and what to do ("... (--common compares
 * the 12 cases that both have)") if the runs are not over the same data: an id on one side only, or different
 * expected_hash of one id; rows without a hash are trusted, and counted. With `common`, only no common case or no rows
 * on a side are errors. EE_ERROR_RULES if other rules judged a case (its two rules_hash differ), unless `force`. O(rows
 * and their attributes), three walks. */
ee_status ee_comparison_finish(ee_comparison *comparison, ee_error *error);

/* Whether it fails by `fail_on`; `*reason` (owned by the comparison; NULL if it does not fail) is why. */
bool ee_comparison_fails(const ee_comparison *comparison, const char **reason);

/* What a reader must know to trust the metrics, a sentence each: ids left out, judges or fields on one side only, rows
 * without a hash. Every report but CSV has them. `number` from 0; NULL after the last one; owned by the comparison. */
const char *ee_comparison_note(const ee_comparison *comparison, size_t number);

/* Cases ----------------------------------------------------------------------------------------- */

/* Better: won, or tied with a field fixed or a pass gained. Worse: lost, or tied with a field broken or a pass lost. */
typedef enum ee_case_change { EE_CASE_SAME, EE_CASE_BETTER, EE_CASE_WORSE } ee_case_change;

/* A case that is compared; arrays by ee_side. Borrowed. */
typedef struct ee_case_pair {
  ee_str id;
  double scores[2];
  ee_verdict verdicts[2];
  ee_case_change change;
  uint32_t fixed, broken, still_wrong; /* fields */
  uint64_t lines[2];                   /* of the rows in their files; 0: not known */
} ee_case_pair;

/* A value of a case that a run had wrong. Values are JSON texts, long ones a string with the start and "…"; data NULL:
 * there is nothing. Where a run was right, the expected value is its value. Borrowed. */
typedef struct ee_compared_value {
  ee_str judge;
  ee_str field; /* the attribute that it counts for; empty: a whole item, which counts for several */
  ee_str path;  /* "items[2].price" */
  ee_str expected;
  bool is_expected; /* there is one, and it is not null */
  ee_str values[2];
  bool wrong[2];
  ee_str reasons[2], kinds[2]; /* as the rows have them; may be empty */
} ee_compared_value;
/* "fixed", "broken", "still wrong". */
const char *ee_value_change_name(const ee_compared_value *value);

/* After ee_comparison_finish(): the cases in the order of the base, by number from 0. */
size_t ee_comparison_case_count(const ee_comparison *comparison);
ee_case_pair ee_comparison_case(const ee_comparison *comparison, size_t number);
/* Its values that are wrong in one run or both: `*values` in `arena`; returns their number. Only what rows list: none
 * of judges without details.mismatches, at most 50 a judge. */
size_t ee_comparison_values(const ee_comparison *comparison, size_t number, ee_arena *arena,
                            const ee_compared_value **values);

/* Appends what changed, a line each: the mean score, fields whose F1 changed, ids of the cases that got better or
 * worse, how many came or went. False, with nothing appended, if nothing did. */
bool ee_comparison_digest(const ee_comparison *comparison, ee_buffer *out);

/* Documents ------------------------------------------------------------------------------------- */

/* Scores before and after with intervals, pass rates, wins, losses, ties, mean delta, normalised gain, micro and macro
 * F1 of each judge, fields fixed, broken and still wrong, and their cases, worst first. The page borrows from
 * `comparison`. */
void ee_comparison_page(const ee_comparison *comparison, ee_page *page);
/* The same with every case; undefined metrics are null. Appends to `out`. */
void ee_comparison_json(const ee_comparison *comparison, ee_buffer *out);
/* A line for each case: id,base,new,delta,outcome,fixed,broken,still_wrong,values; three numbers of fields, and the
 * values that changed as "total: 102 -> 100 (expected 100); ...". */
void ee_comparison_csv(const ee_comparison *comparison, ee_buffer *out);

#endif
