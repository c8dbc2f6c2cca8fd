/* statistics.h: samples of scores, and the difference between two runs over the same cases. */
#ifndef EE_PRIM_STATISTICS_H
#define EE_PRIM_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/fixed.h"

/* Sums of a sample, exact and mergeable in any order. */
typedef struct ee_sample {
  uint64_t count;
  ee_fixed sum;
  ee_fixed sum_of_squares;
} ee_sample;

void ee_sample_add(ee_sample *sample, double value);
void ee_sample_merge(ee_sample *sample, const ee_sample *other);

/* The mean; 0 if the sample is empty. */
double ee_sample_mean(const ee_sample *sample);
/* The sample's standard deviation (n - 1); 0 below two values. */
double ee_sample_deviation(const ee_sample *sample);

/* How many scores fall into each twentieth of 0..1, the upper end not included; and 1 itself, to 1e-9. */
#define EE_SCORE_BINS 20
typedef struct ee_score_bins {
  uint64_t counts[EE_SCORE_BINS + 1];
} ee_score_bins;

void ee_score_bins_add(ee_score_bins *bins, double score);
void ee_score_bins_merge(ee_score_bins *bins, const ee_score_bins *other);

typedef struct ee_interval {
  double low, high;
} ee_interval;

/* Wilson's 95 % score interval of the proportion count / of (Wilson 1927). [0, 1] if `of` is 0; `low` is exactly 0 if
 * `count` is 0, and `high` exactly 1 if `count` is `of`. */
ee_interval ee_wilson(uint64_t count, uint64_t of);

/* McNemar's exact test: the two-sided probability of a split at least as uneven as `fixed` to `broken` if both
 * directions are equally likely. At most 1, symmetric; 1 if nothing changed. The binomial terms are summed with a
 * separate exponent, to a relative error below 1e-13; 0 if the result is below the range of doubles. O(min(fixed,
 * broken)). */
double ee_mcnemar_exact(uint64_t fixed, uint64_t broken);

#endif
