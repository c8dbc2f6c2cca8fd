/* ratio_interval.h: the interval of a ratio of two sums over cases, such as a mean score, a pass rate or the F1 of a
 * field whose values are many in some cases and none in others.
 *
 * A metric is F = sum(a) / sum(b) over units (cases): a mean has a = score, b = 1; recall has a = tp, b = tp + fn. The
 * values of one case are judged together, so the case is what varies, not the value. The variance of such a ratio is
 * that of its linearization (Cochran, Sampling Techniques, 1977, 6.3). Where nothing is wrong it would be 0, so one
 * unit is added that has the mean b and a = 0. The variance gives the number of independent values that would be as
 * certain, and the interval is Wilson's (1927) for that number, modified where at most three values are wrong or right
 * (Brown, Cai and DasGupta, Interval Estimation for a Binomial Proportion, Statistical Science 16, 2001, 101). */
#ifndef EE_PRIM_RATIO_INTERVAL_H
#define EE_PRIM_RATIO_INTERVAL_H

#include <math.h>

#include "prim/confusion.h"
#include "prim/statistics.h"

#define EE_LOWEST_CONFIDENCE 0.5
#define EE_HIGHEST_CONFIDENCE 0.9999

/* Sums over the units with b > 0, where 0 <= a <= b. */
typedef struct ee_ratio_sums {
  uint64_t units;
  double a, b, aa, ab, bb; /* of a, b, a * a, a * b, b * b */
} ee_ratio_sums;

/* The two-sided interval of sum(a) / sum(b) at `confidence` (0.5 to 0.9999), within 0..1. Below 30 units its width is
 * Student's. [0, 1] for fewer than two units. */
ee_interval ee_ratio_interval(const ee_ratio_sums *sums, double confidence);

/* The same for a ratio, or an average of ratios, whose variance is known another way. `lowered`: what the ratio is with
 * one more unit in which everything is wrong; `variance`: with that unit. */
ee_interval ee_interval_of_variance(double ratio, double lowered, double variance, uint64_t units, double confidence);

/* A metric and its interval. */
typedef struct ee_ranged {
  ee_metric metric;
  ee_interval interval; /* {NaN, NaN}: unknown */
} ee_ranged;

#define EE_NO_INTERVAL ((ee_interval){NAN, NAN})
#define EE_USUAL_CONFIDENCE 0.95
static inline bool ee_interval_is_known(ee_interval interval) { return interval.low <= interval.high; }

/* `metric` with the interval of these sums; unknown for an undefined metric and for fewer than two units. */
ee_ranged ee_ranged_of(ee_metric metric, const ee_ratio_sums *sums, double confidence);

/* Sums of a mean of values within 0..1, and of the proportion count / of. */
ee_ratio_sums ee_ratio_of_sample(const ee_sample *sample);
ee_ratio_sums ee_ratio_of_proportion(uint64_t count, uint64_t of);
/* The same with their intervals. */
ee_ranged ee_ranged_of_sample(const ee_sample *sample, double confidence);
ee_ranged ee_ranged_of_proportion(uint64_t count, uint64_t of, double confidence);

/* The point that |x| exceeds with probability 1 - confidence: of Student's distribution with `degrees` of freedom (0:
 * of the normal one). `confidence` 0.5 to 0.9999; relative error below 1e-11. Only +, -, *, / and sqrt are used, so
 * that every machine gives the same bits. */
double ee_critical_point(double confidence, uint64_t degrees);
/* The probability that |x| <= `x` (x >= 0) of the same distributions; absolute error below 1e-12. O(degrees). */
double ee_probability_within(double x, uint64_t degrees);

/* Confusion counts ------------------------------------------------------------------------------ */

typedef enum ee_count_ratio {
  EE_RATIO_PRECISION, /* tp / (tp + fp) */
  EE_RATIO_RECALL,    /* tp / (tp + fn) */
  EE_RATIO_F1,        /* 2 tp / (2 tp + fp + fn) */
  EE_RATIO_SPECIFICITY,
  EE_COUNT_RATIOS
} ee_count_ratio;

/* What the intervals of an attribute need beyond its counts, exact and mergeable in any order. Sums of products of the
 * counts of one case; they overflow beyond 10^13 values with 10^6 in a case. */
typedef struct ee_count_moments {
  uint64_t units[EE_COUNT_RATIOS]; /* cases in which the denominator is not 0 */
  uint64_t tp_tp, fp_fp, fn_fn, tn_tn, tp_fp, tp_fn, fp_fn, tn_fp;
} ee_count_moments;

/* Adds the counts of one case. */
void ee_count_moments_add(ee_count_moments *moments, const ee_counts *counts);
void ee_count_moments_merge(ee_count_moments *moments, const ee_count_moments *other);

/* The sums of one ratio; `counts` are the sums of the counts over the same cases. */
ee_ratio_sums ee_ratio_of_counts(const ee_counts *counts, const ee_count_moments *moments, ee_count_ratio ratio);

#endif
