/* agreement.h: how far raters agree beyond what chance alone would give: Cohen's kappa for two raters, Fleiss' for
 * many, Matthews' correlation.
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

/* What a disagreement weighs: its distance in the order of the categories, or the square of it. */
typedef enum ee_kappa_weight { EE_KAPPA_LINEAR, EE_KAPPA_QUADRATIC } ee_kappa_weight;

/* Weighted kappa (Cohen 1968) of categories in their order: 1 - sum(w * o) / sum(w * e), where o are the counts of the
 * table and e those that chance would give. `observed` and `expected` are 1 less the mean weight as a share of the
 * largest one. Undefined also where chance alone would give no disagreement. Sums up to 2^31 items. O(categories^2). */
ee_kappa ee_weighted_kappa(const uint64_t *table, size_t categories, ee_kappa_weight weight);

/* The correlation coefficient of two raters over any number of categories (Gorodkin 2004, R_K; of two categories
 * Matthews 1975): cov(x, y) / sqrt(cov(x, x) * cov(y, y)) = (c*s - sum(p*t)) / sqrt((s^2 - sum(p^2)) * (s^2 -
 * sum(t^2))), with c agreed items of s, and p and t the items of a category by either rater. -1..1. Undefined where one
 * rater uses one category only, and without items. */
typedef struct ee_correlation {
  bool defined;
  double value; /* 0 when undefined */
} ee_correlation;
ee_correlation ee_matthews(const uint64_t *table, size_t categories);

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
