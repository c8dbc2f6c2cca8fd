/* paired.h: whether two systems that judged the same units differ, by how much, and what a number of units can show.
 *
 * A unit is what varies independently: a case, or all cases of a cluster. d is a unit's difference, new - base.
 *
 * - The interval is Student's for n units and two pseudo units of +M and -M: with N = n + 2, mean' = sum(d) / N and
 * v = (sum(d^2) + 2 M^2) / N - mean'^2, it is mean' -+ t(n - 1) sqrt(v / N). For differences of 1, 0 and -1 that is
 * Bonett and Price's interval for paired proportions (Journal of Educational and Behavioral Statistics 37, 2012, 479),
 * with t instead of z. It contains the mean of the n units.
 * - M is the largest difference that one more unit may show. With k units that differ, the largest by m, and `reach`
 * the largest possible difference, M^2 = m^2 + (reach^2 - m^2) / 2^k: if half of all changes were larger than m, all k
 * would stay below it with probability 2^-k. So n equal units give an interval of -+ t sqrt(2) reach / N, about
 * 2.8 reach / n (the rule of three says that a change which n units do not show occurs in at most 3 / n of them), and
 * from 10 changes on M is m. Simulated (bench/simulate): without the second term, changes in 5 % of 100 cases are
 * covered in 81 % of the samples, with it in 95 %.
 * - p is that of the same t: below 1 - confidence where the interval excludes 0.
 * - A ratio sum(a) / sum(b) (F1; the mean over clusters of different sizes) changes from F0 to F1; the linearized
 * difference of a unit is d = (a1 - F1 b1) / B1 - (a0 - F0 b0) / B0 + (F1 - F0), where B is the mean of b over the
 * units (Cochran, Sampling Techniques, 1977, 6.3). Their mean is F1 - F0. */
#ifndef EE_PRIM_PAIRED_H
#define EE_PRIM_PAIRED_H

#include <stdbool.h>

#include "prim/statistics.h"

/* Exact sums over units, the same in any order. All but `reach` are 0 at first. */
typedef struct ee_paired_sums {
  double reach;            /* > 0: the largest |d| that a unit can have; 1 for scores, shares and F1 */
  uint64_t units, changed; /* n and k */
  ee_fixed sum, squares;   /* of d / reach, to 2^-60 */
  double largest;          /* max |d| / reach */
} ee_paired_sums;

/* Adds a unit; |d| may exceed `reach`, and may differ from 0 where nothing `changed` (linearized ones do). */
void ee_paired_add(ee_paired_sums *sums, double d, bool changed);

/* The mean of d; 0 without units. */
double ee_paired_mean(const ee_paired_sums *sums);
/* v, the variance of one unit's difference; reach^2 without units. The variance of the mean is v / (n + 2). */
double ee_paired_variance(const ee_paired_sums *sums);
/* Student's critical point of n units at `confidence` (0.5 to 0.9999): ee_critical_point() of n - 1 degrees of freedom,
 * of the normal distribution above 1,000. Infinite below two units. Slow (up to 0.1 ms): ask once for all metrics of
 * the same n. */
double ee_paired_point(uint64_t units, double confidence);
/* The interval of the mean for a critical point; within -+ reach. */
ee_interval ee_paired_interval(const ee_paired_sums *sums, double point);
/* The two-sided p of "the mean is 0": 1e-12 to 1 (smaller ones are given as 1e-12); 1 below two units. */
double ee_paired_p(const ee_paired_sums *sums);

/* Planning ---------------------------------------------------------------------------------------
 * For a two-sided test at level 1 - confidence; `variance` is that of one unit's difference (ee_paired_variance()) and
 * `power`, 0.5 to 0.9999, the probability that the interval excludes 0. The usual approximation: a difference is found
 * with this power if it is t(confidence) + t(power, one-sided) standard errors large, of n - 1 degrees of freedom. */

/* The smallest difference that n units show; infinite below two units. */
double ee_paired_detectable(double variance, uint64_t units, double confidence, double power);
/* The fewest units that show a difference > 0; at least 2, at most 10^12. */
uint64_t ee_paired_units_needed(double variance, double difference, double confidence, double power);
/* The probability that n units show a difference > 0 (normal for both terms from 1,000 units on): 0 to 1. */
double ee_paired_power(double variance, uint64_t units, double difference, double confidence);

/* Several comparisons ----------------------------------------------------------------------------
 * In place of `p`; NaN, an undefined one, stays and counts as no comparison. O(n log n). */

/* So that the probability of any false finding stays below the level that the results are held against: sorted
 * ascending, the i-th of n (from 0) is multiplied by n - i, and none is below the one before it; at most 1 (Holm
 * 1979). */
void ee_holm(double *p, size_t count);
/* So that of all findings an expected share below the level is false: the i-th of n (from 1) is multiplied by n / i,
 * and none is above the one after it; at most 1 (Benjamini and Hochberg 1995). For independent or positively dependent
 * tests. */
void ee_benjamini_hochberg(double *p, size_t count);

#endif
