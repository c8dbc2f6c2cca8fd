/* total_interval.h: metrics of totals with their intervals.
 *
 * Where cases have clusters, the units are the clusters (unit_table.h), else the cases. The interval of an average over
 * attributes, which is not a ratio of two sums, has the variance of a jackknife that leaves out one unit at a time (of
 * more than 128 units, one of 128 groups of them; Efron and Stein 1981; Shao and Tu, The Jackknife and Bootstrap,
 * 1995, 2.3), and the share of a unit in which everything is wrong, as every ratio has it (prim/ratio_interval.h).
 * Averages within a slice have none where cases have no clusters. */
#ifndef EE_RUN_TOTAL_INTERVAL_H
#define EE_RUN_TOTAL_INTERVAL_H

#include "run/totals.h"

/* The mean score and the pass rate of cases or of a judge; `units` are its units. */
ee_ranged ee_total_mean(const ee_sample *score, const ee_score_units *units, double confidence);
ee_ranged ee_total_pass_rate(const ee_sample *score, const uint64_t verdicts[3], const ee_score_units *units,
                             double confidence);

/* A metric of an attribute, and the units in which it has a denominator. */
ee_ranged ee_attribute_ranged(const ee_attribute_total *attribute, ee_count_ratio ratio, double confidence);
uint64_t ee_attribute_units(const ee_attribute_total *attribute, ee_count_ratio ratio);

typedef struct ee_ranged_averages {
  ee_ranged precision, recall, f1;
} ee_ranged_averages;

typedef struct ee_judge_ranges {
  ee_ranged_averages micro, macro, weighted;
  ee_counts pooled;
  uint64_t units; /* of micro F1 */
} ee_judge_ranges;

/* The averages of ee_judge_total_averages() with their intervals; of a single attribute those of the attribute. O(128 *
 * attributes). */
ee_judge_ranges ee_judge_total_ranges(const ee_judge_total *total, double confidence);

#endif
