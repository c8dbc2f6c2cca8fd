/* paired_ratio.c: products of what units have, and differences from them. */
#include "prim/paired_ratio.h"

#include <math.h>

/* Adding ---------------------------------------------------------------------------------------- */

static ee_fixed negated(ee_fixed value) { return (ee_fixed){-value.units}; }
static ee_fixed size_of(ee_fixed value) { return value.units < 0 ? negated(value) : value; }

static void add_product(ee_fixed *sum, __int128 one, __int128 other) { sum->units += one * other; }

/* ee_fixed_value(), faster for what is below 8. */
static double score_of(ee_fixed sum) {
  int64_t units = (int64_t)sum.units;
  return units == sum.units ? (double)units * 0x1p-60 : ee_fixed_value(sum);
}

/* Of two sums of scores; counts have no fractions. */
static void add_square(ee_fixed *sum, ee_paired_kind kind, ee_fixed one, ee_fixed other) {
  if (kind == EE_PAIRED_COUNTS)
    add_product(sum, one.units, other.units);
  else
    ee_fixed_add(sum, ee_fixed_from(score_of(one) * score_of(other)));
}

static bool is_change(ee_paired_kind kind, __int128 da, __int128 db) {
  static const int64_t slack = (int64_t)(EE_SCORE_SLACK * 0x1p60);
  if (db != 0) return true;
  return kind == EE_PAIRED_COUNTS ? da != 0 : da > slack || da < -slack;
}

bool ee_paired_share_changed(ee_paired_kind kind, const ee_paired_share *share) {
  return is_change(kind, share->a[1].units - share->a[0].units, share->b[1] - share->b[0]);
}

static void keep_largest(ee_fixed *largest, ee_fixed size) {
  if (size.units > largest->units) *largest = size;
}

/* Most units have no difference. */
static void add_difference(ee_paired_moments *moments, ee_paired_kind kind, const ee_paired_share *share, ee_fixed da,
                           int64_t db) {
  ee_fixed *products = moments->products, a = share->a[0];
  const int64_t b = share->b[0];
  const __int128 of_count = kind == EE_PAIRED_COUNTS ? 1 : (__int128)1 << 60;
  moments->changed += is_change(kind, da.units, db);
  ee_fixed_add(&moments->da, da);
  moments->db.units += db;
  add_square(&products[EE_PRODUCT_DA_DA], kind, da, da);
  add_product(&products[EE_PRODUCT_B_DA], b, da.units);
  keep_largest(&moments->largest[0], size_of(da));
  keep_largest(&moments->largest[1], size_of((ee_fixed){db * of_count - da.units}));
  if (db == 0) return;
  add_product(&products[EE_PRODUCT_A_DB], a.units, db);
  add_product(&products[EE_PRODUCT_B_DB], b, db);
  add_product(&products[EE_PRODUCT_DA_DB], da.units, db);
  add_product(&products[EE_PRODUCT_DB_DB], db, db);
}

void ee_paired_moments_add(ee_paired_moments *moments, ee_paired_kind kind, const ee_paired_share *share) {
  const int64_t b = share->b[0];
  if (b <= 0 && share->b[1] <= 0) return;
  ee_fixed a = share->a[0], da = {share->a[1].units - a.units};
  moments->units++;
  moments->side_units[0] += b > 0;
  moments->side_units[1] += share->b[1] > 0;
  ee_fixed_add(&moments->a, a);
  moments->b.units += b;
  add_square(&moments->products[EE_PRODUCT_AA], kind, a, a);
  add_square(&moments->products[EE_PRODUCT_A1_A1], kind, share->a[1], share->a[1]);
  add_product(&moments->products[EE_PRODUCT_AB], a.units, b);
  add_product(&moments->products[EE_PRODUCT_BB], b, b);
  if (da.units != 0 || share->b[1] != b) add_difference(moments, kind, share, da, share->b[1] - b);
}

void ee_paired_moments_merge(ee_paired_moments *moments, const ee_paired_moments *other) {
  moments->units += other->units;
  for (int side = 0; side < 2; side++) moments->side_units[side] += other->side_units[side];
  moments->changed += other->changed;
  ee_fixed_add(&moments->a, other->a);
  ee_fixed_add(&moments->b, other->b);
  ee_fixed_add(&moments->da, other->da);
  ee_fixed_add(&moments->db, other->db);
  for (int i = 0; i < EE_PAIRED_PRODUCTS; i++) ee_fixed_add(&moments->products[i], other->products[i]);
  for (int i = 0; i < 2; i++) keep_largest(&moments->largest[i], other->largest[i]);
}

void ee_paired_share_add(ee_paired_share *sum, const ee_paired_share *term) {
  for (int side = 0; side < 2; side++) {
    ee_fixed_add(&sum->a[side], term->a[side]);
    sum->b[side] += term->b[side];
  }
}

/* Ratios ---------------------------------------------------------------------------------------- */

static double whole(ee_fixed sum) { return (double)sum.units; }
/* Of a sum or product in which a occurs. */
static double real(ee_paired_kind kind, ee_fixed sum) {
  return kind == EE_PAIRED_COUNTS ? whole(sum) : ee_fixed_value(sum);
}

static double a_of(const ee_paired_moments *moments, ee_paired_kind kind, int side) {
  return real(kind, (ee_fixed){moments->a.units + (side == 1 ? moments->da.units : 0)});
}

static double b_of(const ee_paired_moments *moments, int side) {
  return whole((ee_fixed){moments->b.units + (side == 1 ? moments->db.units : 0)});
}

ee_metric ee_paired_ratio(const ee_paired_moments *moments, ee_paired_kind kind, int side) {
  double b = b_of(moments, side);
  return b > 0 ? (ee_metric){true, a_of(moments, kind, side) / b} : (ee_metric){false, 0};
}

ee_ratio_sums ee_paired_side(const ee_paired_moments *moments, ee_paired_kind kind, int side) {
  const ee_fixed *p = moments->products;
  ee_fixed aa = p[EE_PRODUCT_AA], ab = p[EE_PRODUCT_AB], bb = p[EE_PRODUCT_BB];
  if (side == 1) {
    aa = p[EE_PRODUCT_A1_A1];
    ab.units += p[EE_PRODUCT_A_DB].units + p[EE_PRODUCT_B_DA].units + p[EE_PRODUCT_DA_DB].units;
    bb.units += 2 * p[EE_PRODUCT_B_DB].units + p[EE_PRODUCT_DB_DB].units;
  }
  return (ee_ratio_sums){moments->side_units[side],
                         a_of(moments, kind, side),
                         b_of(moments, side),
                         real(kind, aa),
                         real(kind, ab),
                         whole(bb)};
}

/* The change ------------------------------------------------------------------------------------ */

/* A mean over units of one case: the difference needs no linearization. */
static bool is_plain_mean(const ee_paired_moments *moments) {
  const __int128 units = (__int128)moments->units;
  /* Whole numbers whose sum, and that of their squares, is their number are all 1. */
  return moments->b.units == units && moments->products[EE_PRODUCT_BB].units == units &&
         moments->products[EE_PRODUCT_DB_DB].units == 0;
}

/* Both sides have something to divide by. */
static double largest_of(const ee_paired_moments *moments, ee_paired_kind kind) {
  double b = (b_of(moments, 0) + b_of(moments, 1)) / 2;
  double ratio = (a_of(moments, kind, 0) + a_of(moments, kind, 1)) / 2 / b;
  return ((1 - ratio) * real(kind, moments->largest[0]) + ratio * real(kind, moments->largest[1])) *
         (double)moments->units / b;
}

ee_paired_sums ee_paired_change(const ee_paired_moments *moments, ee_paired_kind kind) {
  const ee_fixed *p = moments->products;
  ee_paired_sums sums = {.reach = 1, .units = moments->units, .changed = moments->changed};
  if (is_plain_mean(moments)) {
    sums.largest = real(kind, moments->largest[0]);
    sums.sum = kind == EE_PAIRED_SCORES ? moments->da : ee_fixed_from(whole(moments->da));
    sums.squares = kind == EE_PAIRED_SCORES ? p[EE_PRODUCT_DA_DA] : ee_fixed_from(whole(p[EE_PRODUCT_DA_DA]));
    return sums;
  }
  double b0 = b_of(moments, 0), b1 = b_of(moments, 1), n = (double)moments->units;
  if (b0 <= 0 || b1 <= 0) return sums;
  double f0 = a_of(moments, kind, 0) / b0, f1 = a_of(moments, kind, 1) / b1, change = f1 - f0;
  /* d - change, in a, b, da and db. */
  double of_a = n / b1 - n / b0, of_b = n * f0 / b0 - n * f1 / b1, of_da = n / b1, of_db = -n * f1 / b1;
  ee_fixed a_da_twice = {p[EE_PRODUCT_A1_A1].units - p[EE_PRODUCT_AA].units - p[EE_PRODUCT_DA_DA].units};
  double squares = of_a * of_a * real(kind, p[EE_PRODUCT_AA]) + 2 * of_a * of_b * real(kind, p[EE_PRODUCT_AB]) +
                   of_b * of_b * whole(p[EE_PRODUCT_BB]) + of_a * of_da * real(kind, a_da_twice) +
                   2 * of_a * of_db * real(kind, p[EE_PRODUCT_A_DB]) +
                   2 * of_b * of_da * real(kind, p[EE_PRODUCT_B_DA]) + 2 * of_b * of_db * whole(p[EE_PRODUCT_B_DB]) +
                   of_da * of_da * real(kind, p[EE_PRODUCT_DA_DA]) +
                   2 * of_da * of_db * real(kind, p[EE_PRODUCT_DA_DB]) + of_db * of_db * whole(p[EE_PRODUCT_DB_DB]);
  /* The sum of d - change is 0. */
  sums.sum = ee_fixed_from(n * change);
  sums.squares = ee_fixed_from(fmax(squares, 0) + n * change * change);
  sums.largest = largest_of(moments, kind);
  return sums;
}
