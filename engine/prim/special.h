/* special.h: exp, log, the incomplete beta function and binomial tails, the same bits on every machine.
 *
 * Libraries differ in the last bit of exp, log and lgamma, and that would show in thresholds. These are made of + - * /
 * and of exact scaling by powers of two only. */
#ifndef EE_PRIM_SPECIAL_H
#define EE_PRIM_SPECIAL_H

#include <stdint.h>

/* e^x, to a relative error below 1e-15; 0 below about -745, infinite above about 709. */
double ee_exp(double x);
/* The natural logarithm of x > 0, to a relative error below 1e-15; -infinity for 0, NaN below 0. */
double ee_log(double x);
/* The logarithm of the gamma function of x > 0: Stirling's series (Abramowitz and Stegun 6.1.41) from 12 on, below it
 * by recurrence. Error below 1e-14 * (1 + |result|). */
double ee_log_gamma(double x);

/* The regularized incomplete beta function I_x(a, b), a and b > 0, 0 <= x <= 1: by its continued fraction (DLMF
 * 8.17.22, Lentz's method). Relative error below 1e-12 * (a + b) in the worst place; O(sqrt(max(a, b))). */
double ee_incomplete_beta(double a, double b, double x);

/* The probability of at most `count` among `of` that each happen with `probability`: I_{1-p}(of - count, count + 1).
 * 1 if count >= of. */
double ee_binomial_at_most(uint64_t count, uint64_t of, double probability);

/* The one-sided upper limit of a probability from `count` of `of`, which is too low in a share of at most `level` of
 * all samples: the probability with which at most `count` would happen in a share of `level` (Clopper and Pearson
 * 1934). Exactly 1 if count is `of`, or `of` is 0. 0 < level < 1. */
double ee_binomial_upper_limit(uint64_t count, uint64_t of, double level);

#endif
