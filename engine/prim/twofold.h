/* twofold.h: numbers as the sum of two doubles, for 106 instead of 53 bits.
 *
 * For the files of prim. Made of + - * / only, so that every machine gives the same bits; fma() would be shorter, but
 * without an instruction for it costs fifty times as much. Operands and results are below 1e300 in magnitude, and what
 * is below 1e-290 loses its second half. */
#ifndef EE_PRIM_TWOFOLD_H
#define EE_PRIM_TWOFOLD_H

typedef struct ee_twofold {
  double high, low; /* |low| is at most half an ulp of `high` */
} ee_twofold;

/* high + low for |high| >= |low|, or high == 0 (Dekker 1971). */
static inline ee_twofold ee_twofold_from(double high, double low) {
  double sum = high + low;
  return (ee_twofold){sum, low - (sum - high)};
}

/* a + b, exactly (Knuth's two-sum). */
static inline ee_twofold ee_twofold_sum(double a, double b) {
  double sum = a + b, part = sum - a;
  return (ee_twofold){sum, (a - (sum - part)) + (b - part)};
}

/* a * b, exactly: of halves of 26 bits, whose products are exact (Veltkamp, Dekker 1971). */
static inline ee_twofold ee_twofold_product(double a, double b) {
  const double splitter = 0x1p27 + 1;
  double a_wide = splitter * a, b_wide = splitter * b;
  double a_high = a_wide - (a_wide - a), b_high = b_wide - (b_wide - b);
  double a_low = a - a_high, b_low = b - b_high, product = a * b;
  return (ee_twofold){product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

/* a + b; the error is below 2^-104 of |a| + |b|. */
static inline ee_twofold ee_twofold_add(ee_twofold a, ee_twofold b) {
  ee_twofold sum = ee_twofold_sum(a.high, b.high);
  return ee_twofold_from(sum.high, sum.low + (a.low + b.low));
}

/* a * b, to a relative error below 2^-102. */
static inline ee_twofold ee_twofold_multiply(ee_twofold a, ee_twofold b) {
  ee_twofold product = ee_twofold_product(a.high, b.high);
  return ee_twofold_from(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/* a / b, b not 0, to a relative error below 2^-101. */
static inline ee_twofold ee_twofold_divide(ee_twofold a, ee_twofold b) {
  double quotient = a.high / b.high;
  ee_twofold product = ee_twofold_product(quotient, b.high);
  double rest = ((a.high - product.high) - product.low) + (a.low - quotient * b.low);
  return ee_twofold_from(quotient, rest / b.high);
}

#endif
