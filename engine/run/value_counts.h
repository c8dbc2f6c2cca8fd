/* value_counts.h: how often each value occurs: the state of a median, in memory that grows with distinct values only.
 *
 * Case metrics are quotients of small numbers, so there are few distinct ones. Times and costs may be all different:
 * above EE_VALUES_EXACT distinct values, all are kept rounded (ee_value_rounded()). Whether they are depends on the
 * values only: more of them never make fewer distinct ones, and rounding takes each value by itself. So merging is
 * associative and commutative. Minimum and maximum are always exact.
 * Owned memory is malloc'd and kept by ee_value_counts_clear(). */
#ifndef EE_RUN_VALUE_COUNTS_H
#define EE_RUN_VALUE_COUNTS_H

#include <stdint.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "data/json/state_line.h"

typedef struct ee_counted_value {
  double value;
  uint64_t times;
} ee_counted_value;

/* Up to this many distinct values are kept as they are. */
#define EE_VALUES_EXACT ((size_t)1 << 16)

typedef struct ee_value_counts {
  EE_LIST(ee_counted_value); /* distinct values, rounded if `rounded` */
  ee_hash_index index;       /* of the items */
  uint64_t total;            /* of all counts */
  double min, max;           /* of the values before rounding; 0 without any */
  bool rounded;
} ee_value_counts;

void ee_value_counts_init(ee_value_counts *counts);
void ee_value_counts_fini(ee_value_counts *counts);
void ee_value_counts_clear(ee_value_counts *counts);
/* `value` (finite) rounded to 17 significant bits, ties to even: by at most 2^-17 of its size, so that between a number
 * and its double there are at most 65,536 values. A value that would become infinite stays. */
double ee_value_rounded(double value);
/* `value` is finite; -0 counts as 0. */
void ee_value_counts_add(ee_value_counts *counts, double value, uint64_t times);
void ee_value_counts_merge(ee_value_counts *counts, const ee_value_counts *other);
/* Writes them, or reads them into empty ones. */
void ee_value_counts_state(ee_state_line *line, ee_value_counts *counts);
/* The middle value, or the mean of the two in the middle; 0 when nothing was added. O(n log n) in distinct values. */
double ee_value_counts_median(const ee_value_counts *counts);
double ee_value_counts_min(const ee_value_counts *counts);
double ee_value_counts_max(const ee_value_counts *counts);

/* `quantiles[i]` gets the quantile of the share `shares[i]`, 0..1: x[h] + (h - floor h) * (x[h + 1] - x[h]) with h =
 * share * (n - 1) over the sorted values, which is type 7 of Hyndman and Fan (1996), "Sample quantiles in statistical
 * packages", and what numpy.quantile() gives. 0 when nothing was added. */
void ee_value_counts_quantiles(const ee_value_counts *counts, const double *shares, size_t share_count,
                               double *quantiles);

#endif
