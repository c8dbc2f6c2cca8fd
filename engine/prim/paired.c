/* paired.c: differences between two systems over the same units. */
#include "prim/paired.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "prim/ratio_interval.h"

/* From here on the normal distribution stands for Student's, whose sums grow with the degrees of freedom. */
#define MANY_UNITS 1000
/* Smaller probabilities are lost in 1 - (1 - p). */
#define SMALLEST_P 1e-12

/* The difference --------------------------------------------------------------------------------- */

void ee_paired_add(ee_paired_sums *sums, double d, bool changed) {
  double part = d / sums->reach, size = fabs(part);
  sums->units++;
  sums->changed += changed;
  ee_fixed_add(&sums->sum, ee_fixed_from(part));
  ee_fixed_add(&sums->squares, ee_fixed_from(part * part));
  if (size > sums->largest) sums->largest = size;
}

double ee_paired_mean(const ee_paired_sums *sums) { return sums->reach * ee_fixed_mean(sums->sum, sums->units); }

/* M^2 / reach^2. */
static double pseudo_square(const ee_paired_sums *sums) {
  double square = sums->largest * sums->largest, doubt = 1;
  if (square >= 1) return square;
  for (uint64_t k = 0; k < sums->changed && k < 64; k++) doubt /= 2;
  return square + (1 - square) * doubt;
}

/* The mean and the variance of the n + 2 units, in units of reach. */
static double shrunk_mean(const ee_paired_sums *sums) { return ee_fixed_value(sums->sum) / ((double)sums->units + 2); }

static double variance_of(const ee_paired_sums *sums) {
  double count = (double)sums->units + 2, mean = shrunk_mean(sums);
  return (ee_fixed_value(sums->squares) + 2 * pseudo_square(sums)) / count - mean * mean;
}

double ee_paired_variance(const ee_paired_sums *sums) { return sums->reach * sums->reach * variance_of(sums); }

static uint64_t degrees_of(uint64_t units) { return units > MANY_UNITS ? 0 : units - 1; }

double ee_paired_point(uint64_t units, double confidence) {
  return units < 2 ? INFINITY : ee_critical_point(confidence, degrees_of(units));
}

static double within_reach(double part, double reach) { return reach * (part < -1 ? -1 : part > 1 ? 1 : part); }

ee_interval ee_paired_interval(const ee_paired_sums *sums, double point) {
  if (sums->units < 2) return (ee_interval){-sums->reach, sums->reach};
  double mean = shrunk_mean(sums), half = point * sqrt(variance_of(sums) / ((double)sums->units + 2));
  return (ee_interval){within_reach(mean - half, sums->reach), within_reach(mean + half, sums->reach)};
}

double ee_paired_p(const ee_paired_sums *sums) {
  if (sums->units < 2) return 1;
  double error = sqrt(variance_of(sums) / ((double)sums->units + 2));
  double p = 1 - ee_probability_within(fabs(shrunk_mean(sums)) / error, degrees_of(sums->units));
  return p < SMALLEST_P ? SMALLEST_P : p;
}

/* Planning --------------------------------------------------------------------------------------- */

/* The two-sided confidence whose critical point is the one-sided one of `power`. */
static double two_sided(double power) { return 2 * power - 1; }

/* How many standard errors a difference must be; `degrees` 0: normal. */
static double errors_needed(uint64_t degrees, double confidence, double power) {
  double beyond = power > 0.5 ? ee_critical_point(two_sided(power), degrees) : 0;
  return ee_critical_point(confidence, degrees) + beyond;
}

double ee_paired_detectable(double variance, uint64_t units, double confidence, double power) {
  if (units < 2) return INFINITY;
  return errors_needed(degrees_of(units), confidence, power) * sqrt(variance / ((double)units + 2));
}

uint64_t ee_paired_units_needed(double variance, double difference, double confidence, double power) {
  const uint64_t most = UINT64_C(1000000000000);
  double errors = errors_needed(0, confidence, power), count = variance * errors * errors / (difference * difference);
  if (!(count < (double)most)) return most;
  uint64_t low = 2, high = count > MANY_UNITS ? (uint64_t)count + 2 : 2 * MANY_UNITS;
  if (ee_paired_detectable(variance, low, confidence, power) <= difference) return low;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (ee_paired_detectable(variance, middle, confidence, power) <= difference)
      high = middle;
    else
      low = middle;
  }
  return high;
}

double ee_paired_power(double variance, uint64_t units, double difference, double confidence) {
  if (units < 2) return 0;
  uint64_t degrees = degrees_of(units);
  double left = difference / sqrt(variance / ((double)units + 2)) - ee_critical_point(confidence, degrees);
  double half = ee_probability_within(fabs(left), degrees) / 2;
  return left < 0 ? 0.5 - half : 0.5 + half;
}

/* Several comparisons ---------------------------------------------------------------------------- */

typedef struct ranked_p {
  double p;
  size_t number;
} ranked_p;

static int compare_ranked(const void *left, const void *right) {
  const ranked_p *a = left, *b = right;
  if (a->p != b->p) return a->p < b->p ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

/* Those that are defined, ascending; the caller frees them. */
static ranked_p *rank(const double *p, size_t count, size_t *kept) {
  ranked_p *ranks = ee_malloc((count + 1) * sizeof *ranks);
  *kept = 0;
  for (size_t i = 0; i < count; i++)
    if (!isnan(p[i])) ranks[(*kept)++] = (ranked_p){p[i], i};
  qsort(ranks, *kept, sizeof *ranks, compare_ranked);
  return ranks;
}

void ee_holm(double *p, size_t count) {
  size_t kept;
  ranked_p *ranks = rank(p, count, &kept);
  double floor = 0;
  for (size_t i = 0; i < kept; i++) {
    floor = fmax(floor, fmin(1, ranks[i].p * (double)(kept - i)));
    p[ranks[i].number] = floor;
  }
  ee_free(ranks);
}

void ee_benjamini_hochberg(double *p, size_t count) {
  size_t kept;
  ranked_p *ranks = rank(p, count, &kept);
  double ceiling = 1;
  for (size_t i = kept; i-- > 0;) {
    ceiling = fmin(ceiling, ranks[i].p * (double)kept / (double)(i + 1));
    p[ranks[i].number] = ceiling;
  }
  ee_free(ranks);
}
