/* paired.c: differences between two systems over the same units. */
#include "prim/paired.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash_index.h"
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

void ee_paired_merge(ee_paired_sums *sums, const ee_paired_sums *other) {
  sums->units += other->units;
  sums->changed += other->changed;
  ee_fixed_add(&sums->sum, other->sum);
  ee_fixed_add(&sums->squares, other->squares);
  if (other->largest > sums->largest) sums->largest = other->largest;
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

/* Sign flips ------------------------------------------------------------------------------------- */

/* Units whose sums over all subsets are tabled, and random signs from one hash. */
enum { TABLED = 8, SUBSETS = 1 << TABLED, BITS = 64 };
#define FULL_DRAWS_UP_TO 100000
#define FEWEST_BLOCKS 16

/* The differences other than 0 as whole numbers, so that sums have no order. */
typedef struct flips {
  uint64_t *keys;
  int64_t *sizes; /* their absolute values */
  size_t count;
  int64_t total, observed; /* the sum of the sizes; the least |sum| that is as far from 0 */
} flips;

static int64_t size_of(int64_t sum) { return sum < 0 ? -sum : sum; }

/* Scales the largest difference so that no sum leaves 62 bits; the 50 bits kept are 10^-15 of it. */
static void open_flips(flips *all, const ee_signed_unit *units, size_t count, double slack) {
  double largest = 0, scale = 0x1p50;
  for (double room = 0x1p61 / scale; room < (double)count; room *= 2) scale /= 2;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(units[i].difference));
  *all = (flips){.keys = ee_malloc((count + TABLED) * sizeof *all->keys),
                 .sizes = ee_calloc(count + TABLED, sizeof *all->sizes)};
  int64_t sum = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(fabs(units[i].difference) > slack)) continue;
    int64_t scaled = (int64_t)nearbyint(units[i].difference / largest * scale);
    sum += scaled;
    all->keys[all->count] = units[i].key;
    all->sizes[all->count++] = size_of(scaled);
    all->total += size_of(scaled);
  }
  /* Each rounded difference is off by up to a half. */
  all->observed = size_of(sum) - (int64_t)all->count;
  if (all->count > 0) all->observed -= (int64_t)(fmin(slack / largest, 1) * scale);
}

/* In the order of Gray's code, in which one sign changes at a time. */
static double try_all(const flips *all) {
  uint64_t hits = 0, patterns = UINT64_C(1) << all->count, pattern = 0;
  int64_t sum = -all->total;
  for (uint64_t i = 1; i <= patterns; i++) {
    hits += size_of(sum) >= all->observed;
    size_t flipped = (size_t)__builtin_ctzll(i | patterns);
    if (flipped >= all->count) break;
    pattern ^= UINT64_C(1) << flipped;
    sum += (pattern >> flipped & 1) != 0 ? 2 * all->sizes[flipped] : -2 * all->sizes[flipped];
  }
  return (double)hits / (double)patterns;
}

/* Turns the rows of a matrix of 8 by 8 bits, one a byte, into columns (Hacker's Delight, 7-3). */
static uint64_t transpose(uint64_t x) {
  uint64_t t = (x ^ x >> 7) & UINT64_C(0x00aa00aa00aa00aa);
  x ^= t ^ t << 7;
  t = (x ^ x >> 14) & UINT64_C(0x0000cccc0000cccc);
  x ^= t ^ t << 14;
  t = (x ^ x >> 28) & UINT64_C(0x00000000f0f0f0f0);
  return x ^ t ^ t << 28;
}

/* Adds what eight units give to the sums of the differences with a plus: the signs that the units have in a draw are a
 * number below 256, and the sums of all their subsets are known. */
static void add_eight(const uint64_t *keys, const int64_t *sizes, size_t blocks, int64_t *sums) {
  int64_t subsets[SUBSETS] = {0};
  for (size_t set = 1; set < SUBSETS; set++)
    subsets[set] = subsets[set & (set - 1)] + sizes[__builtin_ctzll((uint64_t)set)];
  for (size_t block = 0; block < blocks; block++, sums += BITS) {
    uint64_t words[TABLED];
    for (size_t unit = 0; unit < TABLED; unit++)
      words[unit] = ee_hash_mix(keys[unit] + (block + 1) * UINT64_C(0x9e3779b97f4a7c15));
    for (size_t byte = 0; byte < 8; byte++) {
      uint64_t rows = 0;
      for (size_t unit = 0; unit < TABLED; unit++) rows |= (words[unit] >> 8 * byte & 255) << 8 * unit;
      rows = transpose(rows);
      for (size_t bit = 0; bit < 8; bit++) sums[8 * byte + bit] += subsets[rows >> 8 * bit & 255];
    }
  }
}

static double try_some(flips *all) {
  size_t blocks = EE_SIGN_DRAWS / BITS;
  if (all->count > FULL_DRAWS_UP_TO) blocks = blocks * FULL_DRAWS_UP_TO / all->count;
  if (blocks < FEWEST_BLOCKS) blocks = FEWEST_BLOCKS;
  size_t draws = blocks * BITS, hits = 0;
  int64_t *sums = ee_calloc(draws, sizeof *sums);
  for (size_t i = 0; i < all->count; i += TABLED) add_eight(all->keys + i, all->sizes + i, blocks, sums);
  for (size_t i = 0; i < draws; i++) hits += size_of(2 * sums[i] - all->total) >= all->observed;
  free(sums);
  return (double)(hits + 1) / (double)(draws + 1);
}

double ee_sign_flip_test(const ee_signed_unit *units, size_t count, double slack) {
  flips all;
  open_flips(&all, units, count, slack);
  /* A group of eight may be filled up with units of size 0, whatever their signs. */
  for (size_t i = 0; i < TABLED; i++) all.keys[all.count + i] = 0;
  double p = all.count == 0 ? 1 : all.count <= EE_SIGNS_TRIED_ALL ? try_all(&all) : try_some(&all);
  free(all.keys);
  free(all.sizes);
  return p;
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
  free(ranks);
}

void ee_benjamini_hochberg(double *p, size_t count) {
  size_t kept;
  ranked_p *ranks = rank(p, count, &kept);
  double ceiling = 1;
  for (size_t i = kept; i-- > 0;) {
    ceiling = fmin(ceiling, ranks[i].p * (double)kept / (double)(i + 1));
    p[ranks[i].number] = ceiling;
  }
  free(ranks);
}
