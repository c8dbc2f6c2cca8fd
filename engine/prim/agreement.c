/* agreement.c: kappa of two raters and of many, and their correlation. */
#include "prim/agreement.h"

#include <math.h>

/* `one_category`: everything is in one category, which rounding must not hide. */
static ee_kappa kappa_of(double observed, double expected, bool one_category) {
  ee_kappa kappa = {!one_category, 0, observed, expected};
  if (kappa.defined) kappa.value = (observed - expected) / (1 - expected);
  return kappa;
}

ee_kappa ee_cohen_kappa(const uint64_t *table, size_t categories) {
  uint64_t items = 0, agreed = 0, by_chance = 0; /* by_chance: of items squared */
  for (size_t i = 0; i < categories; i++) {
    uint64_t first = 0, second = 0;
    for (size_t j = 0; j < categories; j++) {
      first += table[i * categories + j];
      second += table[j * categories + i];
    }
    items += first;
    agreed += table[i * categories + i];
    by_chance += first * second;
  }
  if (items == 0) return (ee_kappa){false, 0, 0, 0};
  double of = (double)items;
  return kappa_of((double)agreed / of, (double)by_chance / (of * of), by_chance == items * items);
}

/* Sums of a category: of its row and of its column. */
static void category_sums(const uint64_t *table, size_t categories, size_t category, uint64_t *first,
                          uint64_t *second) {
  *first = *second = 0;
  for (size_t k = 0; k < categories; k++) {
    *first += table[category * categories + k];
    *second += table[k * categories + category];
  }
}

/* A sum of products over the categories is exact in 128 bits. */
typedef unsigned __int128 wide;

/* The sum over all pairs of categories of weight * row sum * column sum. |i - j| is the number of k from the lower to
 * below the higher of both, so sums of the categories up to k do; (i - j)^2 is i^2 - 2ij + j^2. */
static wide chance_weight(const uint64_t *table, size_t categories, uint64_t items, ee_kappa_weight weight) {
  wide linear = 0, row_sum = 0, column_sum = 0, row_squares = 0, column_squares = 0;
  uint64_t rows = 0, columns = 0; /* of the categories up to this one */
  for (size_t k = 0; k < categories; k++) {
    uint64_t first, second;
    category_sums(table, categories, k, &first, &second);
    rows += first;
    columns += second;
    linear += (wide)rows * (items - columns) + (wide)columns * (items - rows);
    row_sum += (wide)k * first;
    column_sum += (wide)k * second;
    row_squares += (wide)k * k * first;
    column_squares += (wide)k * k * second;
  }
  if (weight == EE_KAPPA_LINEAR) return linear;
  return (row_squares + column_squares) * items - 2 * row_sum * column_sum;
}

ee_kappa ee_weighted_kappa(const uint64_t *table, size_t categories, ee_kappa_weight weight) {
  uint64_t items = 0;
  wide seen = 0;
  for (size_t i = 0; i < categories; i++)
    for (size_t j = 0; j < categories; j++) {
      uint64_t distance = i > j ? i - j : j - i, count = table[i * categories + j];
      items += count;
      seen += (wide)(weight == EE_KAPPA_LINEAR ? distance : distance * distance) * count;
    }
  if (items == 0) return (ee_kappa){false, 0, 0, 0};
  wide by_chance = chance_weight(table, categories, items, weight); /* of items squared */
  double of = (double)items, most = categories > 1 ? (double)(categories - 1) : 1;
  if (weight == EE_KAPPA_QUADRATIC) most *= most;
  double observed = (double)seen / of / most, expected = (double)by_chance / (of * of) / most;
  ee_kappa kappa = {by_chance > 0, 0, 1 - observed, 1 - expected};
  if (kappa.defined) kappa.value = 1 - (double)seen * of / (double)by_chance;
  return kappa;
}

ee_correlation ee_matthews(const uint64_t *table, size_t categories) {
  uint64_t items = 0, agreed = 0;
  wide both = 0, first_squares = 0, second_squares = 0;
  for (size_t i = 0; i < categories; i++) {
    uint64_t first, second;
    category_sums(table, categories, i, &first, &second);
    items += first;
    agreed += table[i * categories + i];
    both += (wide)first * second;
    first_squares += (wide)first * first;
    second_squares += (wide)second * second;
  }
  wide all = (wide)items * items, left = all - first_squares, right = all - second_squares;
  if (left == 0 || right == 0) return (ee_correlation){false, 0};
  wide together = (wide)agreed * items;
  double covariance = together >= both ? (double)(together - both) : -(double)(both - together);
  return (ee_correlation){true, covariance / sqrt((double)left * (double)right)};
}

bool ee_fleiss_add(ee_fleiss *fleiss, uint64_t *totals, const uint32_t *counts, size_t categories) {
  uint64_t ratings = 0, pairs = 0; /* ordered pairs of different ratings */
  bool unanimous = false;
  for (size_t i = 0; i < categories; i++) ratings += counts[i];
  if (ratings < 2) return false;
  for (size_t i = 0; i < categories; i++) {
    if (counts[i] == 0) continue;
    pairs += (uint64_t)counts[i] * (counts[i] - 1);
    unanimous = counts[i] == ratings;
    if (totals) totals[i] += counts[i];
  }
  fleiss->items++;
  fleiss->unanimous += unanimous;
  ee_fixed_add(&fleiss->agreement, ee_fixed_from((double)pairs / ((double)ratings * (double)(ratings - 1))));
  return true;
}

void ee_fleiss_merge(ee_fleiss *fleiss, const ee_fleiss *other) {
  fleiss->items += other->items;
  fleiss->unanimous += other->unanimous;
  ee_fixed_add(&fleiss->agreement, other->agreement);
}

ee_kappa ee_fleiss_kappa(const ee_fleiss *fleiss, const uint64_t *totals, size_t categories) {
  uint64_t ratings = 0, largest = 0;
  for (size_t i = 0; i < categories; i++) {
    ratings += totals[i];
    if (totals[i] > largest) largest = totals[i];
  }
  if (ratings == 0 || fleiss->items == 0) return (ee_kappa){false, 0, 0, 0};
  double expected = 0;
  for (size_t i = 0; i < categories; i++) {
    double share = (double)totals[i] / (double)ratings;
    expected += share * share;
  }
  return kappa_of(ee_fixed_mean(fleiss->agreement, fleiss->items), expected, largest == ratings);
}
