/* magnitude.h: which magnitudes can be multiplied without overflow or underflow, and powers of two to scale the others.
 *
 * For the files of prim. Multiplying by a power of two is exact, so ratios can be computed on scaled numbers. */
#ifndef EE_PRIM_MAGNITUDE_H
#define EE_PRIM_MAGNITUDE_H

#include <math.h>
#include <stdbool.h>

/* Magnitudes whose squares and products of squares are normal doubles; also 0. */
#define EE_SMALL 1e-70
#define EE_LARGE 1e70

static inline bool ee_is_ordinary(double magnitude) {
  return magnitude == 0 || (magnitude > EE_SMALL && magnitude < EE_LARGE);
}

/* Unlike fmin() and fmax() these are inlined. Arguments are not NaN; for -0 and 0 either may be returned. */
static inline double ee_smaller(double a, double b) { return a < b ? a : b; }
static inline double ee_larger(double a, double b) { return a > b ? a : b; }

/* The exponent that scales `largest` (finite) into 0.25..0.5, so that the difference of two such numbers is at most 1;
 * 0 for an ordinary magnitude. */
static inline int ee_ordinary_exponent(double largest) {
  if (ee_is_ordinary(largest)) return 0;
  int exponent;
  frexp(largest, &exponent);
  return -exponent - 1;
}

#endif
