/* value_counts.c: distinct values and their counts. */
#include "run/value_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/memory.h"

void ee_value_counts_init(ee_value_counts *counts) { *counts = (ee_value_counts){0}; }

void ee_value_counts_fini(ee_value_counts *counts) {
  EE_LIST_FINI(counts);
  ee_hash_index_fini(&counts->index);
  *counts = (ee_value_counts){0};
}

void ee_value_counts_clear(ee_value_counts *counts) {
  ee_hash_index_clear(&counts->index);
  counts->count = 0;
  counts->total = 0;
  counts->min = counts->max = 0;
  counts->rounded = false;
}

double ee_value_rounded(double value) {
  enum { LEFT_OUT = 52 - 16 }; /* bits of the fraction */
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  /* A carry out of the fraction goes into the exponent, as it must. */
  bits += (UINT64_C(1) << (LEFT_OUT - 1)) - 1 + (bits >> LEFT_OUT & 1);
  bits &= ~((UINT64_C(1) << LEFT_OUT) - 1);
  double rounded;
  memcpy(&rounded, &bits, sizeof rounded);
  return isfinite(rounded) ? rounded : value;
}

/* Adds to the items alone. */
static void count_value(ee_value_counts *counts, double value, uint64_t times) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint64_t hash = ee_hash_mix(bits);
  size_t at = 0, number;
  /* ee_hash_mix is a bijection: values of equal hash are equal. */
  if (ee_hash_index_next(&counts->index, hash, &at, &number)) {
    counts->items[number].times += times;
    return;
  }
  ee_hash_index_add(&counts->index, hash, counts->count);
  *EE_LIST_ADD(counts, NULL) = (ee_counted_value){value, times};
}

static void round_all(ee_value_counts *counts) {
  size_t count = counts->count;
  counts->rounded = true;
  counts->count = 0; /* never ahead of the item that is read */
  ee_hash_index_clear(&counts->index);
  for (size_t i = 0; i < count; i++) {
    ee_counted_value item = counts->items[i];
    count_value(counts, ee_value_rounded(item.value), item.times);
  }
}

static void widen(ee_value_counts *counts, double min, double max) {
  if (counts->total == 0 || min < counts->min) counts->min = min;
  if (counts->total == 0 || max > counts->max) counts->max = max;
}

void ee_value_counts_add(ee_value_counts *counts, double value, uint64_t times) {
  if (times == 0) return;
  if (value == 0) value = 0; /* -0 has other bits */
  widen(counts, value, value);
  counts->total += times;
  count_value(counts, counts->rounded ? ee_value_rounded(value) : value, times);
  if (!counts->rounded && counts->count > EE_VALUES_EXACT) round_all(counts);
}

void ee_value_counts_merge(ee_value_counts *counts, const ee_value_counts *other) {
  if (other->total == 0) return;
  widen(counts, other->min, other->max);
  counts->total += other->total;
  if (other->rounded && !counts->rounded) round_all(counts);
  for (size_t i = 0; i < other->count; i++) {
    const ee_counted_value *item = &other->items[i];
    count_value(counts, counts->rounded ? ee_value_rounded(item->value) : item->value, item->times);
    if (!counts->rounded && counts->count > EE_VALUES_EXACT) round_all(counts);
  }
}

static int compare_values(const void *left, const void *right) {
  double a = ((const ee_counted_value *)left)->value, b = ((const ee_counted_value *)right)->value;
  return (a > b) - (a < b);
}

/* The mean of two values, even if their sum overflows. */
static double mean_of(double a, double b) {
  double sum = a + b;
  return isfinite(sum) ? sum / 2 : a / 2 + b / 2;
}

/* Rounded values at the ends may lie beyond the exact ones. */
static double within(const ee_value_counts *counts, double value) {
  return value < counts->min ? counts->min : value > counts->max ? counts->max : value;
}

static ee_counted_value *sort_values(const ee_value_counts *counts) {
  ee_counted_value *sorted = ee_calloc(counts->count + 1, sizeof *sorted);
  if (counts->count > 0) memcpy(sorted, counts->items, counts->count * sizeof *sorted);
  qsort(sorted, counts->count, sizeof *sorted, compare_values);
  return sorted;
}

double ee_value_counts_median(const ee_value_counts *counts) {
  if (counts->total == 0) return 0;
  ee_counted_value *sorted = sort_values(counts);
  /* The last value of the lower half, and the first of the upper one. */
  uint64_t lower = (counts->total - 1) / 2, upper = counts->total / 2, passed = 0;
  size_t at = 0;
  for (; passed + sorted[at].times <= lower; at++) passed += sorted[at].times;
  double low = sorted[at].value;
  for (; passed + sorted[at].times <= upper; at++) passed += sorted[at].times;
  double median = within(counts, mean_of(low, sorted[at].value));
  ee_free(sorted);
  return median;
}

double ee_value_counts_min(const ee_value_counts *counts) { return counts->min; }
double ee_value_counts_max(const ee_value_counts *counts) { return counts->max; }

/* The value at `rank` (from 0) of the sorted values. */
static double value_at(const ee_counted_value *sorted, uint64_t rank) {
  uint64_t passed = 0;
  size_t at = 0;
  for (; passed + sorted[at].times <= rank; at++) passed += sorted[at].times;
  return sorted[at].value;
}

/* As numpy interpolates: from the nearer of the two, so that a share of 1 gives exactly the upper one. */
static double between(double low, double high, double share) {
  double width = high - low;
  if (low == high || share == 0) return low;
  if (!isfinite(width)) return low * (1 - share) + high * share;
  return share < 0.5 ? low + width * share : high - width * (1 - share);
}

static double quantile_of(const ee_counted_value *sorted, uint64_t total, double share) {
  double place = (double)(total - 1) * share;
  uint64_t rank = (uint64_t)place;
  if (rank >= total - 1) return value_at(sorted, total - 1);
  return between(value_at(sorted, rank), value_at(sorted, rank + 1), place - (double)rank);
}

void ee_value_counts_quantiles(const ee_value_counts *counts, const double *shares, size_t share_count,
                               double *quantiles) {
  ee_counted_value *sorted = sort_values(counts);
  for (size_t i = 0; i < share_count; i++)
    quantiles[i] = counts->total > 0 ? within(counts, quantile_of(sorted, counts->total, shares[i])) : 0;
  ee_free(sorted);
}

EE_STATE_COVERS(ee_value_counts, 88);

static void item_state(ee_state_line *line, ee_value_counts *counts, ee_counted_value item) {
  ee_state_real(line, &item.value);
  ee_state_count(line, &item.times);
  if (!isfinite(item.value)) ee_state_fail(line);
  if (ee_state_reading(line) && !ee_state_failed(line)) ee_value_counts_add(counts, item.value, item.times);
}

/* Minimum and maximum of rounded values, which are not among them. */
static void ends_state(ee_state_line *line, ee_value_counts *counts) {
  ee_state_real(line, &counts->min);
  ee_state_real(line, &counts->max);
  if (!isfinite(counts->min) || !isfinite(counts->max) || counts->min > counts->max) ee_state_fail(line);
}

void ee_value_counts_state(ee_state_line *line, ee_value_counts *counts) {
  ee_counted_value *sorted = ee_state_reading(line) ? NULL : sort_values(counts);
  ee_state_begin_packed(line);
  ee_state_flag(line, &counts->rounded);
  size_t count = ee_state_items(line, counts->count);
  if (count > EE_VALUES_EXACT && !counts->rounded) ee_state_fail(line);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++)
    item_state(line, counts, sorted != NULL ? sorted[i] : (ee_counted_value){0});
  ee_state_end(line);
  if (counts->rounded) ends_state(line, counts);
  ee_state_end_packed(line);
  ee_free(sorted);
}
