/* paired.h: what may be said of the difference between two runs over the same cases.
 *
 * Layer: prim. */
#ifndef EE_PRIM_PAIRED_H
#define EE_PRIM_PAIRED_H

#include <stddef.h>
#include <stdint.h>

typedef struct ee_interval {
  double low, high;
} ee_interval;

/* Wilson's score interval (1927) of a proportion, 95 %: [0, 1] when `of` is 0. */
ee_interval ee_wilson(uint64_t count, uint64_t of);

/* McNemar's exact test: the two-sided probability that of fixed + broken changes at least as lopsided a share as this went one way, were both
 * ways as likely; 1 when nothing changed. Binomial, summed in logarithms; at most 1. */
double ee_mcnemar_exact(uint64_t fixed, uint64_t broken);

/* Resamples cases with replacement, the same cases for every statistic and both runs. */
typedef struct ee_bootstrap {
  size_t cases;
  unsigned resamples; /* e.g. EE_BOOTSTRAP_RESAMPLES */
  uint64_t seed;
} ee_bootstrap;
#define EE_BOOTSTRAP_RESAMPLES 2000
#define EE_BOOTSTRAP_SEED UINT64_C(20250101)

/* Calls `statistic` once a resample with how often each case was drawn (`cases` numbers that sum to `cases`); it fills `values`, `count` of them. NaN is
 * "undefined in this resample" and left out. `intervals` gets the 2.5th and 97.5th percentile of each (nearest rank), {NaN, NaN} where a value never was defined. The same bits on every
 * machine. O(resamples * (cases + what the statistic does)). */
typedef void ee_bootstrap_statistic(void *user, const uint32_t *drawn, double *values);
void ee_bootstrap_run(const ee_bootstrap *bootstrap, ee_bootstrap_statistic *statistic, void *user, size_t count, ee_interval *intervals);

#endif
