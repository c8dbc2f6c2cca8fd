/* stats.h: what is said of a sample of scores.
 */
#ifndef EE_PRIM_STATS_H
#define EE_PRIM_STATS_H

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

/* The mean; 0 when the sample is empty. */
double ee_sample_mean(const ee_sample *sample);
/* The sample's standard deviation (n - 1); 0 below two values. */
double ee_sample_deviation(const ee_sample *sample);
/* Half the width of the mean's 95 % interval, 1.959964 * s / sqrt(n) (normal approximation); 0 below two values. */
double ee_sample_margin(const ee_sample *sample);

#endif
