/* stats.c: mean, deviation and margin of a sample from exact sums. */
#include "prim/stats.h"

#include <math.h>

/* The 97.5 % point of the standard normal distribution. */
#define EE_NORMAL_95 1.959964

/* The square, rounded to a unit of 2^-60. The product of two numbers below 2^63 units (a magnitude of 8) fits 128 bits;
 * larger values go through doubles. */
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

double ee_sample_mean(const ee_sample *sample) {
  return sample->count == 0 ? 0 : ee_fixed_mean(sample->sum, sample->count);
}

double ee_sample_deviation(const ee_sample *sample) {
  if (sample->count < 2) return 0;
  /* With the sum = q * n + r, the squared deviations add up to S2 - n * q^2 - 2 q r / 2^60 units, less r^2 / n, which
   * is far below a unit. In whole numbers this cannot cancel badly: equal values give exactly 0. */
  __int128 count = (__int128)sample->count;
  __int128 q = sample->sum.units / count;
  __int128 r = sample->sum.units % count;
  __int128 units = sample->sum_of_squares.units - count * square((ee_fixed){q}).units - 2 * ((q * r) >> 60);
  if (units <= 0) return 0;
  return sqrt(ee_fixed_mean((ee_fixed){units}, sample->count - 1));
}

double ee_sample_margin(const ee_sample *sample) {
  if (sample->count < 2) return 0;
  return EE_NORMAL_95 * ee_sample_deviation(sample) / sqrt((double)sample->count);
}
