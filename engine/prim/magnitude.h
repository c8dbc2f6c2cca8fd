/* magnitude.h: numbers that can be multiplied without a thought about overflow, and powers of two for the others.
 *
 * Layer: prim, for its files. Multiplying by a power of two rounds nothing, so what depends on ratios only is computed
 * on numbers of ordinary size. */
#ifndef EE_PRIM_MAGNITUDE_H
#define EE_PRIM_MAGNITUDE_H

#include <math.h>
#include <stdbool.h>

/* Magnitudes whose squares and products of squares are still ordinary doubles; 0 is one. */
#define EE_SMALL 1e-70
#define EE_LARGE 1e70

static inline bool ee_is_ordinary(double magnitude) {
  return magnitude == 0 || (magnitude > EE_SMALL && magnitude < EE_LARGE);
}

/* Not fmin() and fmax(), which are calls; neither is asked about NaN, and of -0 and 0 either will do. */
static inline double ee_smaller(double a, double b) { return a < b ? a : b; }
static inline double ee_larger(double a, double b) { return a > b ? a : b; }

/* The exponent that brings `largest` (finite) into 0.25..0.5, so that no difference of two such numbers exceeds 1; 0
 * for an ordinary magnitude. */
static inline int ee_ordinary_exponent(double largest) {
  if (ee_is_ordinary(largest)) return 0;
  int exponent;
  frexp(largest, &exponent);
  return -exponent - 1;
}

#endif
