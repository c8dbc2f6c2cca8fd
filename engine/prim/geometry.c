/* geometry.c: boxes and their overlaps, and distances of points.
 *
 * Coordinates of ordinary size take the plain formulas. Where a product could overflow or vanish, everything is first
 * multiplied by a power of two, which rounds nothing. */
#include "prim/geometry.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "prim/magnitude.h"

/* An area above this has lost nothing to the lower end of the range of doubles. */
#define PLAIN_AREA 1e-250

/* Boxes ---------------------------------------------------------------------------------------- */

const char *ee_box_check(ee_box box) {
  if (!isfinite(box.x1) || !isfinite(box.y1) || !isfinite(box.x2) || !isfinite(box.y2)) {
    return "a coordinate is no finite number";
  }
  if (box.x1 > box.x2 || box.y1 > box.y2) return "corners are the wrong way round";
  return NULL;
}

/* `end`, but before `start` where `length` is negative: a small length vanishes beside a large coordinate. */
static double end_of(double start, double end, double length) {
  return length < 0 && end >= start ? nextafter(start, -INFINITY) : end;
}

ee_box ee_box_from_xywh(const double numbers[4]) {
  double x = numbers[0], y = numbers[1], width = numbers[2], height = numbers[3];
  return (ee_box){x, y, end_of(x, x + width, width), end_of(y, y + height, height)};
}

ee_box ee_box_from_cxcywh(const double numbers[4]) {
  double width = numbers[2], height = numbers[3];
  double x = numbers[0] - width / 2, y = numbers[1] - height / 2;
  return (ee_box){x, y, end_of(x, numbers[0] + width / 2, width), end_of(y, numbers[1] + height / 2, height)};
}

/* (x2 - x1) * (y2 - y1) for x1 <= x2, y1 <= y2, and the largest double where that is more. */
static double area_between(double x1, double y1, double x2, double y2) {
  double width = x2 - x1, height = y2 - y1, unit = 1;
  /* A length that left the range is halved; the product is then so large that doubling it back is exact. */
  if (isinf(width)) {
    width = x2 / 2 - x1 / 2;
    unit *= 2;
  }
  if (isinf(height)) {
    height = y2 / 2 - y1 / 2;
    unit *= 2;
  }
  return ee_smaller(width * height * unit, DBL_MAX);
}

double ee_box_area(ee_box box) { return area_between(box.x1, box.y1, box.x2, box.y2); }

double ee_box_intersection(ee_box a, ee_box b) {
  double x1 = ee_larger(a.x1, b.x1), x2 = ee_smaller(a.x2, b.x2);
  double y1 = ee_larger(a.y1, b.y1), y2 = ee_smaller(a.y2, b.y2);
  return x1 < x2 && y1 < y2 ? area_between(x1, y1, x2, y2) : 0;
}

static double largest_of(double a1, double a2, double b1, double b2) {
  return ee_larger(ee_larger(fabs(a1), fabs(a2)), ee_larger(fabs(b1), fabs(b2)));
}

/* Multiplies the four coordinates of one axis so that no length exceeds 1, unless they are of ordinary size, and
 * returns the exponent of the factor. */
static int scale_axis(double *a1, double *a2, double *b1, double *b2) {
  int exponent = ee_ordinary_exponent(largest_of(*a1, *a2, *b1, *b2));
  if (exponent == 0) return 0;
  *a1 = ldexp(*a1, exponent);
  *a2 = ldexp(*a2, exponent);
  *b1 = ldexp(*b1, exponent);
  *b2 = ldexp(*b2, exponent);
  return exponent;
}

/* Two boxes whose products neither overflow nor vanish together. Ratios of areas do not depend on the unit of either
 * axis, so that each axis has its own. */
typedef struct scaled_pair {
  ee_box a, b;
  int x_exponent, y_exponent; /* of the factors, 0 in the ordinary case */
  double area_a, area_b, intersection, all;
  double iou;
} scaled_pair;

static inline scaled_pair scale_pair(ee_box a, ee_box b) {
  scaled_pair pair;
  pair.x_exponent = scale_axis(&a.x1, &a.x2, &b.x1, &b.x2);
  pair.y_exponent = scale_axis(&a.y1, &a.y2, &b.y1, &b.y2);
  pair.a = a;
  pair.b = b;
  /* ee_iou_matrix() does the same in the same order: change both. */
  double width = ee_smaller(a.x2, b.x2) - ee_larger(a.x1, b.x1);
  double height = ee_smaller(a.y2, b.y2) - ee_larger(a.y1, b.y1);
  double intersection = ee_larger(width, 0) * ee_larger(height, 0);
  double area_a = (a.x2 - a.x1) * (a.y2 - a.y1);
  double area_b = (b.x2 - b.x1) * (b.y2 - b.y1);
  double all = area_a + area_b - intersection;
  pair.iou = all > 0 ? ee_smaller(intersection / all, 1) : 0;
  pair.area_a = area_a;
  pair.area_b = area_b;
  pair.intersection = intersection;
  pair.all = all;
  return pair;
}

double ee_iou(ee_box a, ee_box b) { return scale_pair(a, b).iou; }

/* The extents of the smallest box around both. */
static double hull_width(const scaled_pair *pair) {
  return ee_larger(pair->a.x2, pair->b.x2) - ee_smaller(pair->a.x1, pair->b.x1);
}
static double hull_height(const scaled_pair *pair) {
  return ee_larger(pair->a.y2, pair->b.y2) - ee_smaller(pair->a.y1, pair->b.y1);
}

double ee_giou(ee_box a, ee_box b) {
  scaled_pair pair = scale_pair(a, b);
  double hull = hull_width(&pair) * hull_height(&pair);
  if (!(hull > 0)) return pair.iou;
  /* Rounding can make the union larger than its hull by a hair. */
  double empty = ee_larger(hull - pair.all, 0) / hull;
  return ee_larger(pair.iou - empty, -1);
}

static double diou_of(const scaled_pair *pair) {
  double width = hull_width(pair), height = hull_height(pair);
  double dx = ((pair->a.x1 - pair->b.x1) + (pair->a.x2 - pair->b.x2)) / 2;
  double dy = ((pair->a.y1 - pair->b.y1) + (pair->a.y2 - pair->b.y2)) / 2;
  if (pair->x_exponent != 0 || pair->y_exponent != 0) {
    /* Lengths along both axes are added, so both need one unit: that in which the longer side of the hull is about 1.
     */
    int x, y;
    frexp(width, &x);
    frexp(height, &y);
    x -= pair->x_exponent;
    y -= pair->y_exponent;
    int unit = height == 0 || (width > 0 && x > y) ? x : y;
    width = ldexp(width, -pair->x_exponent - unit);
    dx = ldexp(dx, -pair->x_exponent - unit);
    height = ldexp(height, -pair->y_exponent - unit);
    dy = ldexp(dy, -pair->y_exponent - unit);
  }
  double diagonal = width * width + height * height;
  if (!(diagonal > 0)) return pair->iou;
  return ee_larger(pair->iou - ee_smaller((dx * dx + dy * dy) / diagonal, 1), -1);
}

double ee_diou(ee_box a, ee_box b) {
  scaled_pair pair = scale_pair(a, b);
  return diou_of(&pair);
}

/* atan(width / height) of a usable box. */
static double slant(ee_box box) {
  double width = box.x2 - box.x1, height = box.y2 - box.y1;
  if (isinf(width) || isinf(height)) {
    width = box.x2 / 2 - box.x1 / 2;
    height = box.y2 / 2 - box.y1 / 2;
  }
  /* atan2 says pi/2 for a height of 0, and 0 for neither width nor height. */
  return atan2(width, height);
}

double ee_ciou(ee_box a, ee_box b) {
  scaled_pair pair = scale_pair(a, b);
  double diou = diou_of(&pair), turn = slant(a) - slant(b);
  double v = 4 / (M_PI * M_PI) * (turn * turn);
  if (v == 0) return diou;
  return diou - v / (1 - pair.iou + v) * v;
}

/* The share of low..high that lies in other_low..other_high, of one axis as the caller has it. */
static double share_of_side(double low, double high, double other_low, double other_high) {
  double from = ee_larger(low, other_low), to = ee_smaller(high, other_high);
  if (isinf(high - low)) return (to / 2 - from / 2) / (high / 2 - low / 2);
  return (to - from) / (high - low);
}

/* The share of `box` that `other` covers; `area` is that of `box` in `pair`. */
static double covered(const scaled_pair *pair, ee_box box, ee_box other, double area) {
  if (box.x1 == box.x2 || box.y1 == box.y2) return 0;
  if (area > PLAIN_AREA) return ee_smaller(pair->intersection / area, 1);
  /* A small box must not be lost beside a large one: side by side, without a common scale. */
  double across = share_of_side(box.x1, box.x2, other.x1, other.x2);
  double up = share_of_side(box.y1, box.y2, other.y1, other.y2);
  return across > 0 && up > 0 ? ee_smaller(across * up, 1) : 0;
}

double ee_ios(ee_box a, ee_box b) {
  scaled_pair pair = scale_pair(a, b);
  if (a.x1 == a.x2 || a.y1 == a.y2 || b.x1 == b.x2 || b.y1 == b.y2) return 0;
  /* Of the smaller box the larger share is covered. */
  return ee_larger(covered(&pair, a, b, pair.area_a), covered(&pair, b, a, pair.area_b));
}

double ee_ioa(ee_box a, ee_box b) {
  scaled_pair pair = scale_pair(a, b);
  return covered(&pair, b, a, pair.area_b);
}

/* Distances ------------------------------------------------------------------------------------ */

double ee_euclidean(const double *a, const double *b, size_t dimension) {
  double sum = 0, largest = 0;
  for (size_t i = 0; i < dimension; i++) {
    double difference = fabs(a[i] - b[i]);
    sum += difference * difference;
    largest = fmax(largest, difference);
  }
  if (ee_is_ordinary(largest)) return sqrt(sum);
  if (isinf(largest)) {
    /* A single difference left the range; at a quarter of the size it does not, and the result says whether it fits. */
    double quarter = 0;
    for (size_t i = 0; i < dimension; i++) quarter = hypot(quarter, a[i] / 4 - b[i] / 4);
    return quarter * 4;
  }
  int exponent;
  frexp(largest, &exponent);
  sum = 0;
  for (size_t i = 0; i < dimension; i++) {
    double difference = ldexp(a[i] - b[i], -exponent);
    sum += difference * difference;
  }
  return ldexp(sqrt(sum), exponent);
}

double ee_manhattan(const double *a, const double *b, size_t dimension) {
  double sum = 0;
  for (size_t i = 0; i < dimension; i++) sum += fabs(a[i] - b[i]);
  return sum;
}

/* The power of two to multiply `vector` with (as an exponent), 0 where its magnitudes are ordinary or all zero. */
static int scale_of(const double *vector, size_t dimension, bool *is_zero) {
  double largest = 0;
  for (size_t i = 0; i < dimension; i++) largest = fmax(largest, fabs(vector[i]));
  *is_zero = largest == 0;
  if (ee_is_ordinary(largest)) return 0;
  int exponent;
  frexp(largest, &exponent);
  return -exponent;
}

double ee_cosine(const double *a, const double *b, size_t dimension) {
  bool a_is_zero, b_is_zero;
  int scale_a = scale_of(a, dimension, &a_is_zero), scale_b = scale_of(b, dimension, &b_is_zero);
  if (a_is_zero || b_is_zero) return 1;
  double aa = 0, bb = 0, ab = 0;
  for (size_t i = 0; i < dimension; i++) {
    double x = scale_a == 0 ? a[i] : ldexp(a[i], scale_a);
    double y = scale_b == 0 ? b[i] : ldexp(b[i], scale_b);
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  /* The root of the product, not the product of roots: a vector against itself is then exactly 0. */
  return fmin(fmax(1 - ab / sqrt(aa * bb), 0), 2);
}
