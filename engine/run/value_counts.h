/* value_counts.h: how often each value occurs: the state of a median, in memory that grows with distinct values only.
 *
 * Merging is associative and commutative. Case metrics are quotients of small numbers, so there are few distinct ones.
 * Owned memory is malloc'd and kept by ee_value_counts_clear(). */
#ifndef EE_RUN_VALUE_COUNTS_H
#define EE_RUN_VALUE_COUNTS_H

#include <stdint.h>

#include "base/hash_index.h"
#include "base/list.h"

typedef struct ee_counted_value {
  double value;
  uint64_t times;
} ee_counted_value;

typedef struct ee_value_counts {
  EE_LIST(ee_counted_value); /* distinct values */
  ee_hash_index index;       /* of the items */
  uint64_t total;            /* of all counts */
} ee_value_counts;

void ee_value_counts_init(ee_value_counts *counts);
void ee_value_counts_fini(ee_value_counts *counts);
void ee_value_counts_clear(ee_value_counts *counts);
/* `value` is finite; -0 counts as 0. */
void ee_value_counts_add(ee_value_counts *counts, double value, uint64_t times);
void ee_value_counts_merge(ee_value_counts *counts, const ee_value_counts *other);
/* The middle value, or the mean of the two in the middle; 0 when nothing was added. O(n log n) in distinct values. */
double ee_value_counts_median(const ee_value_counts *counts);
double ee_value_counts_min(const ee_value_counts *counts);
double ee_value_counts_max(const ee_value_counts *counts);

/* Returns the sum of all values, added from the smallest to the largest with a correction for what is rounded off
 * (Neumaier 1974), so that it depends on the values only and not on their order; infinite beyond the range of doubles.
 * `quantiles[i]` gets the quantile of the share `shares[i]`, 0..1: x[h] + (h - floor h) * (x[h + 1] - x[h]) with h =
 * share * (n - 1) over the sorted values, which is type 7 of Hyndman and Fan (1996), "Sample quantiles in statistical
 * packages", and what numpy.quantile() gives. 0 when nothing was added. */
double ee_value_counts_describe(const ee_value_counts *counts, const double *shares, size_t share_count,
                                double *quantiles);

#endif
