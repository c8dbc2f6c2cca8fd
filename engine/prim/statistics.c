/* statistics.c: samples of scores, and intervals and tests for two runs over the same cases.
 *
 * Only +, -, *, /, sqrt and ldexp are used, all exact or correctly rounded, so that every machine gives the same
 * bits. Logarithms and the gamma function differ between libraries and lose digits for large arguments. */
#include "prim/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "prim/twofold.h"

/* Samples --------------------------------------------------------------------------------------- */

/* The square, rounded to a unit of 2^-60. The product of two numbers below 2^63 units (a magnitude of 8) fits in 128
 * bits; larger values use doubles. */
static ee_fixed square(ee_fixed value) {
  const __int128 bound = (__int128)1 << 63;
  if (value.units < bound && value.units > -bound) {
    __int128 product = value.units * value.units;
    return (ee_fixed){(product + ((__int128)1 << 59)) >> 60};
  }
  double magnitude = ee_fixed_value(value);
  return ee_fixed_from(magnitude * magnitude);
}

void ee_sample_add(ee_sample *sample, double value) {
  ee_fixed term = ee_fixed_from(value);
  sample->count += 1;
  ee_fixed_add(&sample->sum, term);
  ee_fixed_add(&sample->sum_of_squares, square(term));
}

void ee_sample_merge(ee_sample *sample, const ee_sample *other) {
  sample->count += other->count;
  ee_fixed_add(&sample->sum, other->sum);
  ee_fixed_add(&sample->sum_of_squares, other->sum_of_squares);
}

void ee_score_bins_add(ee_score_bins *bins, double score) {
  /* 0.15 * 20 is 3, though 0.15 is not 3/20. */
  double at = score >= 1 - 1e-9 ? EE_SCORE_BINS : score * EE_SCORE_BINS + 1e-9;
  bins->counts[at > 0 ? (size_t)at : 0]++;
}

void ee_score_bins_merge(ee_score_bins *bins, const ee_score_bins *other) {
  for (size_t i = 0; i <= EE_SCORE_BINS; i++) bins->counts[i] += other->counts[i];
}

double ee_sample_mean(const ee_sample *sample) {
  return sample->count == 0 ? 0 : ee_fixed_mean(sample->sum, sample->count);
}

double ee_sample_deviation(const ee_sample *sample) {
  if (sample->count < 2) return 0;
  /* With sum = q * n + r, the squared deviations add up to S2 - n * q^2 - 2 q r / 2^60 units, less r^2 / n, which is
   * far below a unit. In whole numbers there is no cancellation error: equal values give exactly 0. */
  __int128 count = (__int128)sample->count;
  __int128 q = sample->sum.units / count;
  __int128 r = sample->sum.units % count;
  __int128 units = sample->sum_of_squares.units - count * square((ee_fixed){q}).units - 2 * ((q * r) >> 60);
  if (units <= 0) return 0;
  return sqrt(ee_fixed_mean((ee_fixed){units}, sample->count - 1));
}

/* Proportions ----------------------------------------------------------------------------------- */

/* The 97.5 % point of the standard normal distribution. */
#define NORMAL_95 1.9599639845400542

ee_interval ee_wilson(uint64_t count, uint64_t of) {
  if (of == 0) return (ee_interval){0, 1};
  const double z2 = NORMAL_95 * NORMAL_95;
  double n = (double)of, hits = (double)count, others = (double)(of - count);
  double middle = hits + z2 / 2, half = NORMAL_95 * sqrt(hits * (others / n) + z2 / 4);
  ee_interval interval = {(middle - half) / (n + z2), (middle + half) / (n + z2)};
  if (count == 0) interval.low = 0;
  if (count == of) interval.high = 1;
  return interval;
}

/* McNemar -------------------------------------------------------------------------------------- */

/* value * over / under. */
static ee_twofold scale(ee_twofold value, double over, double under) {
  return ee_twofold_divide(ee_twofold_multiply(value, (ee_twofold){over, 0}), (ee_twofold){under, 0});
}

static ee_twofold shift(ee_twofold value, int bits) {
  return (ee_twofold){ldexp(value.high, bits), ldexp(value.low, bits)};
}

double ee_mcnemar_exact(uint64_t fixed, uint64_t broken) {
  /* Twice the sum of C(n, 0) .. C(n, min) over 2^n. */
  const int step = 512;
  uint64_t min = fixed < broken ? fixed : broken, n = fixed + broken;
  if (fixed == broken) return 1; /* the middle term counts on both sides: more than 1 */
  ee_twofold term = {1, 0}, sum = {1, 0};
  double exponent = 1 - (double)n;
  for (uint64_t i = 1; i <= min; i++) {
    term = scale(term, (double)(n - i + 1), (double)i);
    sum = ee_twofold_add(sum, term);
    if (sum.high < 0x1p512) continue;
    term = shift(term, -step);
    sum = shift(sum, -step);
    exponent += step;
  }
  if (exponent < -4096) return 0;
  double p = ldexp(sum.high, (int)exponent);
  return p < 1 ? p : 1;
}
