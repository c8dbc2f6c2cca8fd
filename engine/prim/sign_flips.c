/* sign_flips.c: sums of differences with random signs. */
#include "prim/sign_flips.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "prim/paired_ratio.h"

/* Units whose sums over all subsets are tabled, and random signs from one hash. */
enum { TABLED = 8, SUBSETS = 1 << TABLED, BITS = 64, BLOCKS = EE_SIGN_DRAWS / BITS };
#define STEP 0x1p-36

/* Keeping --------------------------------------------------------------------------------------- */

void ee_sign_flips_fini(ee_sign_flips *flips) {
  EE_LIST_FINI(flips);
  *flips = (ee_sign_flips){0};
}

static int64_t size_of(int64_t sum) { return sum < 0 ? -sum : sum; }

static int compare_sizes(const void *left, const void *right) {
  const ee_signed_size *a = left, *b = right;
  if (a->size != b->size) return a->size > b->size ? -1 : 1;
  return (a->key > b->key) - (a->key < b->key);
}

void ee_sign_flips_sort(ee_sign_flips *flips) {
  if (flips->count > 1) qsort(flips->items, flips->count, sizeof *flips->items, compare_sizes);
  if (flips->count > EE_SIGNS_KEPT) flips->count = EE_SIGNS_KEPT;
}

static void keep(ee_sign_flips *flips, const ee_signed_size *unit) {
  if (flips->count == 2 * EE_SIGNS_KEPT) ee_sign_flips_sort(flips);
  *EE_LIST_ADD(flips, NULL) = *unit;
}

void ee_sign_flips_add(ee_sign_flips *flips, uint64_t key, ee_fixed difference) {
  enum { STEP_BITS = 60 - 36 };
  const __int128 slack = (int64_t)(EE_SCORE_SLACK * 0x1p60), largest = EE_LARGEST_SIGNED_SIZE;
  if (difference.units <= slack && difference.units >= -slack) return;
  /* Rounded alike on both sides of 0, so that swapped systems differ in the sign only. */
  __int128 size = difference.units < 0 ? -difference.units : difference.units;
  size = (size + ((__int128)1 << (STEP_BITS - 1))) >> STEP_BITS;
  int64_t steps = (int64_t)(size > largest ? largest : size);
  if (difference.units < 0) steps = -steps;
  ee_signed_size unit = {key, size_of(steps)};
  flips->differences++;
  flips->sum.units += steps;
  flips->squares.units += (__int128)steps * steps;
  keep(flips, &unit);
}

void ee_sign_flips_merge(ee_sign_flips *flips, const ee_sign_flips *other) {
  flips->differences += other->differences;
  ee_fixed_add(&flips->sum, other->sum);
  ee_fixed_add(&flips->squares, other->squares);
  for (size_t i = 0; i < other->count; i++) keep(flips, &other->items[i]);
}

/* Signs ----------------------------------------------------------------------------------------- */

typedef struct flips {
  uint64_t keys[EE_SIGNS_KEPT + TABLED];
  int64_t sizes[EE_SIGNS_KEPT + TABLED];
  size_t count;
  int64_t total;   /* of the sizes */
  double observed; /* the least |sum| that is as far from 0 */
  double rest;     /* the standard deviation of the sum of the others */
} flips;

static void open_flips(flips *all, ee_sign_flips *from) {
  ee_sign_flips_sort(from);
  *all = (flips){.count = from->count};
  __int128 squares = from->squares.units;
  for (size_t i = 0; i < from->count; i++) {
    all->keys[i] = from->items[i].key;
    all->sizes[i] = from->items[i].size;
    all->total += all->sizes[i];
    squares -= (__int128)all->sizes[i] * all->sizes[i];
  }
  all->rest = sqrt(fmax((double)squares, 0)); /* 0 if there are no others */
  /* Each difference is off by up to half a step. */
  double sum = fabs((double)from->sum.units);
  all->observed = sum - (double)from->differences - EE_SCORE_SLACK / STEP;
}

/* In the order of Gray's code, in which one sign changes at a time. */
static double try_all(const flips *all) {
  uint64_t hits = 0, patterns = UINT64_C(1) << all->count, pattern = 0;
  int64_t sum = -all->total;
  for (uint64_t i = 1;; i++) {
    hits += (double)size_of(sum) >= all->observed;
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

/* The probability that a normal variable is at least `x` standard deviations above its mean. */
static double above(double x) {
  double within = ee_probability_within(fabs(x), 0);
  return x < 0 ? (1 + within) / 2 : (1 - within) / 2;
}

/* The probability that the others bring a sum as far from 0 as the one observed. */
static double hit(const flips *all, int64_t sum) {
  if (all->rest <= 0) return (double)size_of(sum) >= all->observed;
  double low = (-all->observed - (double)sum) / all->rest, high = (all->observed - (double)sum) / all->rest;
  return all->observed <= 0 ? 1 : above(high) + above(-low);
}

static double try_some(const flips *all) {
  int64_t *sums = ee_calloc(EE_SIGN_DRAWS, sizeof *sums);
  double hits = 0;
  for (size_t i = 0; i < all->count; i += TABLED) add_eight(all->keys + i, all->sizes + i, BLOCKS, sums);
  for (size_t i = 0; i < EE_SIGN_DRAWS; i++) hits += hit(all, 2 * sums[i] - all->total);
  ee_free(sums);
  return (hits + 1) / (EE_SIGN_DRAWS + 1);
}

double ee_sign_flips_p(ee_sign_flips *from) {
  flips *all = ee_malloc(sizeof *all);
  open_flips(all, from);
  double p = all->count == 0 ? 1 : all->count <= EE_SIGNS_TRIED_ALL ? try_all(all) : try_some(all);
  ee_free(all);
  return p;
}
