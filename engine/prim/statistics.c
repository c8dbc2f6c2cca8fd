/* statistics.c: samples of scores, and intervals and tests for two runs over the same cases.
 *
 * Only +, -, *, /, sqrt, fma and ldexp are used, all exact or correctly rounded, so that every machine gives the same
 * bits. Logarithms and the gamma function differ between libraries and lose digits for large arguments. */
#include "prim/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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

/* A number as the sum of two doubles; the second is below half an ulp of the first. */
typedef struct twofold {
  double high, low;
} twofold;

static twofold renormalize(double high, double low) {
  double sum = high + low;
  return (twofold){sum, low - (sum - high)};
}

/* a + b, also if |a| < |b| (Knuth's two-sum). */
static twofold add(twofold a, twofold b) {
  double sum = a.high + b.high, part = sum - a.high;
  double rest = (a.high - (sum - part)) + (b.high - part);
  return renormalize(sum, rest + a.low + b.low);
}

/* value * over / under. */
static twofold scale(twofold value, double over, double under) {
  double product = value.high * over;
  double rest = fma(value.high, over, -product) + value.low * over;
  double quotient = product / under;
  return renormalize(quotient, (fma(-quotient, under, product) + rest) / under);
}

static twofold shift(twofold value, int bits) { return (twofold){ldexp(value.high, bits), ldexp(value.low, bits)}; }

double ee_mcnemar_exact(uint64_t fixed, uint64_t broken) {
  /* Twice the sum of C(n, 0) .. C(n, min) over 2^n. */
  const int step = 512;
  uint64_t min = fixed < broken ? fixed : broken, n = fixed + broken;
  if (fixed == broken) return 1; /* the middle term counts on both sides: more than 1 */
  twofold term = {1, 0}, sum = {1, 0};
  double exponent = 1 - (double)n;
  for (uint64_t i = 1; i <= min; i++) {
    term = scale(term, (double)(n - i + 1), (double)i);
    sum = add(sum, term);
    if (sum.high < 0x1p512) continue;
    term = shift(term, -step);
    sum = shift(sum, -step);
    exponent += step;
  }
  if (exponent < -4096) return 0;
  double p = ldexp(sum.high, (int)exponent);
  return p < 1 ? p : 1;
}

/* Draws ---------------------------------------------------------------------------------------- */

/* splitmix64: a counter of odd steps, mixed (Steele, Lea, Flood 2014). */
void ee_draws_start(ee_draws *draws, uint64_t seed) {
  for (size_t i = 0; i < 4; i++) {
    seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = seed;
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    draws->state[i] = mixed ^ mixed >> 31;
  }
}

static inline uint64_t rotate_left(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

static inline uint64_t next(ee_draws *draws) {
  uint64_t *s = draws->state, result = rotate_left(s[1] * 5, 7) * 9, shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = rotate_left(s[3], 45);
  return result;
}

/* The upper half of bits * limit. If the lower half is among the 2^64 mod limit values that would favour some results,
 * it is drawn again. */
static inline uint64_t below(ee_draws *draws, uint64_t limit) {
  unsigned __int128 product = (unsigned __int128)next(draws) * limit;
  if ((uint64_t)product < limit) {
    uint64_t excess = -limit % limit;
    while ((uint64_t)product < excess) product = (unsigned __int128)next(draws) * limit;
  }
  return (uint64_t)(product >> 64);
}

uint64_t ee_draws_next(ee_draws *draws) { return next(draws); }
uint64_t ee_draws_below(ee_draws *draws, uint64_t limit) { return below(draws, limit); }

/* Bootstrap ------------------------------------------------------------------------------------ */

enum { LANES = EE_BOOTSTRAP_LANES };

static int compare_doubles(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* The smallest value that is at least as large as `thousandths` of the `count` sorted values. */
static double percentile(const double *sorted, size_t count, size_t thousandths) {
  size_t rank = (count * thousandths + 999) / 1000;
  return sorted[rank - 1];
}

static ee_interval interval_of(double *values, size_t count) {
  if (count == 0) return (ee_interval){NAN, NAN};
  qsort(values, count, sizeof *values, compare_doubles);
  return (ee_interval){percentile(values, count, 25), percentile(values, count, 975)};
}

static void draw(ee_draws *draws, size_t cases, uint32_t *drawn) {
  memset(drawn, 0, cases * LANES * sizeof *drawn);
  for (size_t lane = 0; lane < LANES; lane++)
    for (size_t i = 0; i < cases; i++) drawn[below(draws, cases) * LANES + lane]++;
}

void ee_bootstrap_run(const ee_bootstrap *bootstrap, ee_bootstrap_statistic *statistic, void *user, size_t count,
                      ee_interval *intervals) {
  size_t cases = bootstrap->cases, resamples = bootstrap->resamples;
  double *samples = ee_calloc(count * resamples + 1, sizeof *samples); /* [statistic][resample] */
  size_t *defined = ee_calloc(count + 1, sizeof *defined);
  double *values = ee_calloc(count * LANES + 1, sizeof *values);
  uint32_t *drawn = ee_calloc(cases * LANES + 1, sizeof *drawn);
  ee_draws draws;
  ee_draws_start(&draws, bootstrap->seed);
  for (size_t done = 0; cases > 0 && done < resamples; done += LANES) {
    draw(&draws, cases, drawn);
    statistic(user, drawn, values);
    size_t lanes = resamples - done < LANES ? resamples - done : LANES;
    for (size_t k = 0; k < count; k++) {
      for (size_t lane = 0; lane < lanes; lane++) {
        double value = values[k * LANES + lane];
        if (!isnan(value)) samples[k * resamples + defined[k]++] = value;
      }
    }
  }
  for (size_t k = 0; k < count; k++) intervals[k] = interval_of(samples + k * resamples, defined[k]);
  free(samples);
  free(defined);
  free(values);
  free(drawn);
}
