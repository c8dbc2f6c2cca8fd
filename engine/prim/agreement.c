/* agreement.c: kappa of two raters and of many. */
#include "prim/agreement.h"

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
