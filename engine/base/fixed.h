/* fixed.h: sums of scores that do not depend on the order of their terms.
 *
 * A sum is a whole number of units of 2^-60 in 128 bits. Adding is exact and associative, so any number of workers and
 * any way of splitting the data give the same bytes. Room for 2^66 terms of magnitude 1. */
#ifndef EE_BASE_FIXED_H
#define EE_BASE_FIXED_H

#include <stdint.h>

typedef struct ee_fixed {
  __int128 units; /* of 2^-60 */
} ee_fixed;

/* `value` (finite, |value| < 2^60) rounded to the nearest multiple of 2^-60, ties to even. Larger values saturate at
 * 2^60, NaN becomes 0. */
ee_fixed ee_fixed_from(double value);
/* Adds exactly. What overflows wraps, which only sums that were read from a hostile file can. */
static inline void ee_fixed_add(ee_fixed *sum, ee_fixed term) {
  sum->units = (__int128)((unsigned __int128)sum->units + (unsigned __int128)term.units);
}

/* The double nearest to the sum, and to the sum divided by `count` (0: the result is 0); correctly rounded. */
double ee_fixed_value(ee_fixed sum);
double ee_fixed_mean(ee_fixed sum, uint64_t count);

#endif
