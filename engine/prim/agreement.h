/* agreement.h: how far raters agree beyond what chance alone would give: Cohen's kappa for two raters, Fleiss' for
 * many.
 *
 * kappa = (observed - expected) / (1 - expected), of the shares of agreement seen and expected by chance. It is 1 where
 * all agree, 0 where they agree as often as by chance, and negative below that. */
#ifndef EE_PRIM_AGREEMENT_H
#define EE_PRIM_AGREEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fixed.h"

typedef struct ee_kappa {
  bool defined;              /* not without ratings, nor where all ratings are of one category: expected is 1 */
  double value;              /* -1..1; 0 when undefined */
  double observed, expected; /* shares of agreement, 0..1; 0 without ratings */
} ee_kappa;

/* Of two raters who put each item into one of `categories` (Cohen 1960): table[i * categories + j] is how many items
 * the first put into category i and the second into j. `expected` is from what each of the two uses how often. Sums up
 * to 2^31 items. O(categories^2). */
ee_kappa ee_cohen_kappa(const uint64_t *table, size_t categories);

/* Of several raters, or several trials of one (Fleiss 1971). Which rater gave which rating does not matter, and items
 * may have different numbers of ratings. Exact and mergeable in any order. */
typedef struct ee_fleiss {
  uint64_t items;     /* with at least two ratings; others say nothing about agreement, and are not counted */
  uint64_t unanimous; /* items whose ratings are all the same */
  ee_fixed agreement; /* sum over items of the share of pairs of ratings that agree */
} ee_fleiss;

/* Adds an item: counts[i] of its ratings are of category i. To totals[i] (NULL: nowhere) it adds counts[i], so that the
 * caller has the totals that ee_fleiss_kappa() needs. Below two ratings it does nothing and returns false. */
bool ee_fleiss_add(ee_fleiss *fleiss, uint64_t *totals, const uint32_t *counts, size_t categories);
void ee_fleiss_merge(ee_fleiss *fleiss, const ee_fleiss *other);

/* totals[i] is how many ratings of the added items are of category i. `expected` is from these alone. */
ee_kappa ee_fleiss_kappa(const ee_fleiss *fleiss, const uint64_t *totals, size_t categories);

#endif
