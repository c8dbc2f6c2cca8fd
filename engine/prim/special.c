/* special.c: exp, log, log gamma, and what follows from them. */
#include "prim/special.h"

#include <math.h>

/* ln 2 in two parts; the first has trailing zeros, so that its small multiples are exact. */
#define LN2_HIGH 6.93147180369123816490e-01
#define LN2_LOW 1.90821492927058770002e-10

double ee_exp(double x) {
  if (isnan(x)) return x;
  if (x > 710) return INFINITY;
  if (x < -746) return 0;
  int power = (int)(x / (LN2_HIGH + LN2_LOW) + (x < 0 ? -0.5 : 0.5));
  double rest = (x - power * LN2_HIGH) - power * LN2_LOW; /* |rest| <= ln 2 / 2 */
  double sum = 0;
  for (int i = 16; i > 0; i--) sum = (sum + 1) * rest / i;
  return ldexp(1 + sum, power);
}

double ee_log(double x) {
  if (isnan(x) || x < 0) return NAN;
  if (x == 0) return -INFINITY;
  if (isinf(x)) return x;
  int power;
  double fraction = frexp(x, &power); /* 0.5 <= fraction < 1 */
  if (fraction < 0.70710678118654752) {
    fraction *= 2;
    power--;
  }
  /* log f = 2 artanh((f - 1) / (f + 1)), and |.| <= 0.172. */
  double ratio = (fraction - 1) / (fraction + 1), square = ratio * ratio, sum = 0;
  for (int i = 25; i > 1; i -= 2) sum = (sum + 1.0 / i) * square;
  double small = 2 * ratio * (1 + sum);
  return power * LN2_HIGH + (small + power * LN2_LOW);
}

double ee_log_gamma(double x) {
  static const double terms[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                 1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
  double product = 1;
  // NOLINTNEXTLINE(cert-flp30-c,clang-analyzer-security.FloatLoopCounter): a step of 1 is exact here
  for (; x < 12; x++) product *= x;
  double inverse = 1 / x, square = inverse * inverse, sum = 0;
  for (int i = 8; i-- > 0;) sum = sum * square + terms[i];
  /* (x - 1/2) log x - x + log(2 pi) / 2 in other words: what is large and cancels comes first, and is smaller. */
  double half_log_2_pi_e = 0.41893853320467274178; /* (log(2 pi) - 1) / 2 */
  double large = (x - 0.5) * (ee_log(x) - 1) - (product == 1 ? 0 : ee_log(product));
  return large + (half_log_2_pi_e + sum * inverse);
}

/* The continued fraction, which converges fast where x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x) {
  const double tiny = 1e-300;
  double c = 1, d = 1 / (1 - (a + b) * x / (a + 1));
  double fraction = d;
  // NOLINTNEXTLINE(cert-flp30-c,clang-analyzer-security.FloatLoopCounter): whole numbers
  for (double m = 1; m < 100000; m++) { /* unreached: the end; it converges before */
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double before = fraction;
    for (int step = 0; step < 2; step++) {
      double term = step == 0 ? even : odd;
      d = 1 + term * d;
      c = 1 + term / c;
      if (fabs(d) < tiny) d = tiny; /* unreached: Lentz's guards, for fractions in general */
      if (fabs(c) < tiny) c = tiny; /* unreached: as the line before */
      d = 1 / d;
      fraction *= d * c;
    }
    if (fabs(fraction - before) <= 1e-16 * fabs(fraction)) break;
  }
  return fraction;
}

double ee_incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  double front = ee_exp(ee_log_gamma(a + b) - ee_log_gamma(a) - ee_log_gamma(b) + a * ee_log(x) + b * ee_log(1 - x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double ee_binomial_at_most(uint64_t count, uint64_t of, double probability) {
  if (count >= of || probability <= 0) return 1;
  if (probability >= 1) return 0;
  return ee_incomplete_beta((double)(of - count), (double)count + 1, 1 - probability);
}

double ee_binomial_upper_limit(uint64_t count, uint64_t of, double level) {
  if (count >= of) return 1;
  double low = (double)count / (double)of, high = 1;
  for (;;) {
    double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return high;
    if (ee_binomial_at_most(count, of, middle) > level)
      low = middle;
    else
      high = middle;
  }
}
