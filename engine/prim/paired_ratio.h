/* paired_ratio.h: sums from which come a metric of two systems, its change, and the intervals of both.
 *
 * The metric is a ratio sum(a) / sum(b) over units (a mean: b counts; F1: a = 2 tp, b = 2 tp + fp + fn), a0, b0 of one
 * system and a1, b1 of the other. A unit's linearized difference (prim/paired.h) needs the sums over all units, so it
 * cannot be added up while units come in. But it is linear in a0, b0, a1 - a0 and b1 - b0; so its sum and the sum of
 * its squares follow from the sums and the sums of products of these four. Those are whole numbers: the same in any
 * order, and in any way in which they are divided and merged.
 *
 * M, the largest difference that one more unit may show, starts from the largest one seen. Here it is (1 - F) times the
 * largest |a1 - a0| plus F times the largest |e1 - e0|, over the mean of b, where e = b - a and F is the ratio of both
 * systems together: what the linearized difference of a unit with both would be. For a mean over units of one case it
 * is the largest difference itself. */
#ifndef EE_PRIM_PAIRED_RATIO_H
#define EE_PRIM_PAIRED_RATIO_H

#include "prim/paired.h"
#include "prim/ratio_interval.h"

/* Smaller differences of scores are rounding. */
#define EE_SCORE_SLACK 1e-9

/* What a unit has: by system. `a` is a sum of scores, or, where it counts something, a whole number of it. */
typedef struct ee_paired_share {
  ee_fixed a[2];
  int64_t b[2];
} ee_paired_share;

typedef enum ee_paired_kind { EE_PAIRED_SCORES, EE_PAIRED_COUNTS } ee_paired_kind;

/* Products of a0 and b0, and of the differences da and db; and a1 with itself, so that both systems are summed alike.
 */
enum {
  EE_PRODUCT_AA,
  EE_PRODUCT_AB,
  EE_PRODUCT_BB,
  EE_PRODUCT_A1_A1,
  EE_PRODUCT_A_DB,
  EE_PRODUCT_B_DA,
  EE_PRODUCT_B_DB,
  EE_PRODUCT_DA_DA,
  EE_PRODUCT_DA_DB,
  EE_PRODUCT_DB_DB,
  EE_PAIRED_PRODUCTS
};

/* Zero is empty. */
typedef struct ee_paired_moments {
  uint64_t units, side_units[2]; /* with b > 0: of either system; of each */
  uint64_t changed;
  ee_fixed a, b, da, db; /* sums; those of b are whole numbers */
  ee_fixed products[EE_PAIRED_PRODUCTS];
  ee_fixed largest[2]; /* |da|; |db - da| */
} ee_paired_moments;

/* Adds a unit; nothing where b is 0 in both systems. `kind` is the same in all calls for one metric. */
void ee_paired_moments_add(ee_paired_moments *moments, ee_paired_kind kind, const ee_paired_share *share);
void ee_paired_moments_merge(ee_paired_moments *moments, const ee_paired_moments *other);

void ee_paired_share_add(ee_paired_share *sum, const ee_paired_share *term);
/* Whether a unit differs by more than rounding. */
bool ee_paired_share_changed(ee_paired_kind kind, const ee_paired_share *share);

/* sum(a) / sum(b) of a system; undefined if sum(b) is 0. */
ee_metric ee_paired_ratio(const ee_paired_moments *moments, ee_paired_kind kind, int side);
/* Sums of one system, for its interval. */
ee_ratio_sums ee_paired_side(const ee_paired_moments *moments, ee_paired_kind kind, int side);
/* Sums of the linearized differences; meaningless where a system's ratio is undefined. */
ee_paired_sums ee_paired_change(const ee_paired_moments *moments, ee_paired_kind kind);

#endif
