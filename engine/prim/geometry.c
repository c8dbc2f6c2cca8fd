/* geometry.c: intersection over union of boxes, and distances of points.
 *
 * Coordinates of ordinary size take the plain formulas. Where a product could overflow or vanish, everything is first
 * multiplied by a power of two, which rounds nothing. */
#include "prim/geometry.h"

#include <math.h>
#include <stdbool.h>

/* Magnitudes whose squares and products of squares are still ordinary doubles. */
#define EE_SMALL 1e-70
#define EE_LARGE 1e70

static bool is_ordinary(double magnitude) { return magnitude == 0 || (magnitude > EE_SMALL && magnitude < EE_LARGE); }

const char *ee_box_check(ee_box box) {
  if (!isfinite(box.x1) || !isfinite(box.y1) || !isfinite(box.x2) || !isfinite(box.y2)) {
    return "a coordinate is no finite number";
  }
  if (box.x1 > box.x2 || box.y1 > box.y2) return "corners are the wrong way round";
  return NULL;
}

/* Multiplies the four coordinates of one axis so that the largest lies in 0.25..0.5, and no length exceeds 1. */
static void scale_axis(double *a1, double *a2, double *b1, double *b2) {
  double largest = fmax(fmax(fabs(*a1), fabs(*a2)), fmax(fabs(*b1), fabs(*b2)));
  if (is_ordinary(largest)) return;
  int exponent;
  frexp(largest, &exponent);
  *a1 = ldexp(*a1, -exponent - 1);
  *a2 = ldexp(*a2, -exponent - 1);
  *b1 = ldexp(*b1, -exponent - 1);
  *b2 = ldexp(*b2, -exponent - 1);
}

double ee_iou(ee_box a, ee_box b) {
  /* The ratio does not depend on the unit of either axis. */
  scale_axis(&a.x1, &a.x2, &b.x1, &b.x2);
  scale_axis(&a.y1, &a.y2, &b.y1, &b.y2);
  double width = fmin(a.x2, b.x2) - fmax(a.x1, b.x1);
  double height = fmin(a.y2, b.y2) - fmax(a.y1, b.y1);
  double intersection = width > 0 && height > 0 ? width * height : 0;
  double area_a = (a.x2 - a.x1) * (a.y2 - a.y1);
  double area_b = (b.x2 - b.x1) * (b.y2 - b.y1);
  double all = area_a + area_b - intersection;
  if (!(all > 0)) return 0;
  return fmin(intersection / all, 1);
}

double ee_euclidean(const double *a, const double *b, size_t dimension) {
  double sum = 0, largest = 0;
  for (size_t i = 0; i < dimension; i++) {
    double difference = fabs(a[i] - b[i]);
    sum += difference * difference;
    largest = fmax(largest, difference);
  }
  if (is_ordinary(largest)) return sqrt(sum);
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
  if (is_ordinary(largest)) return 0;
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
