/* box.c: boxes and their overlaps, and distances of points.
 *
 * Coordinates of ordinary size use the plain formulas. Where a product could overflow or underflow, everything is first
 * multiplied by a power of two, which is exact. */
#include "prim/box.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "prim/angle.h"
#include "prim/magnitude.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_AVX2_ROW 1
#include <immintrin.h>
#endif

/* Boxes ----------------------------------------------------------------------------------------- */

const char *ee_box_check(ee_box box) {
  if (!isfinite(box.x1) || !isfinite(box.y1) || !isfinite(box.x2) || !isfinite(box.y2)) {
    return "a coordinate is not a finite number";
  }
  if (box.x1 > box.x2 || box.y1 > box.y2) return "corners are the wrong way round";
  return NULL;
}

/* `end`, but less than `start` if `length` is negative, even if adding a small length did not change the coordinate. */
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

/* (x2 - x1) * (y2 - y1) for x1 <= x2, y1 <= y2; at most the largest double. */
static double area_between(double x1, double y1, double x2, double y2) {
  double width = x2 - x1, height = y2 - y1, unit = 1;
  /* An infinite length is halved; the product is then so large that doubling it again is exact. */
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

/* Multiplies the four coordinates of one axis by a power of two so that no length exceeds 1, unless they are of
 * ordinary size. Returns the exponent of the factor. */
static int scale_axis(double *a1, double *a2, double *b1, double *b2) {
  int exponent = ee_ordinary_exponent(largest_of(*a1, *a2, *b1, *b2));
  if (exponent == 0) return 0;
  *a1 = ldexp(*a1, exponent);
  *a2 = ldexp(*a2, exponent);
  *b1 = ldexp(*b1, exponent);
  *b2 = ldexp(*b2, exponent);
  return exponent;
}

/* Two boxes scaled so that products do not overflow or underflow. Ratios of areas do not depend on the unit of an axis,
 * so each axis has its own factor. */
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
  /* ee_iou_matrix() does the same operations in the same order: change both. */
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

/* The size of the smallest box around both. */
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
  /* By rounding the union may be slightly larger than its hull. */
  double empty = ee_larger(hull - pair.all, 0) / hull;
  return ee_larger(pair.iou - empty, -1);
}

static double diou_of(const scaled_pair *pair) {
  double width = hull_width(pair), height = hull_height(pair);
  double dx = ((pair->a.x1 - pair->b.x1) + (pair->a.x2 - pair->b.x2)) / 2;
  double dy = ((pair->a.y1 - pair->b.y1) + (pair->a.y2 - pair->b.y2)) / 2;
  if (pair->x_exponent != 0 || pair->y_exponent != 0) {
    /* Lengths along both axes are added, so both need one unit: the longer side of the hull. */
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
  return ee_slope_angle(width, height);
}

double ee_ciou(ee_box a, ee_box b) {
  scaled_pair pair = scale_pair(a, b);
  double diou = diou_of(&pair), turn = slant(a) - slant(b);
  double v = 4 / (M_PI * M_PI) * (turn * turn);
  if (v == 0) return diou;
  return diou - v / (1 - pair.iou + v) * v;
}

/* An area above this lost no precision to the lower end of the range of doubles. */
#define PLAIN_AREA 1e-250

/* The share of low..high that is in other_low..other_high, in unscaled coordinates of one axis. */
static double share_of_side(double low, double high, double other_low, double other_high) {
  double from = ee_larger(low, other_low), to = ee_smaller(high, other_high);
  if (isinf(high - low)) return (to / 2 - from / 2) / (high / 2 - low / 2);
  return (to - from) / (high - low);
}

/* The share of `box` that `other` covers; `area` is the area of `box` in `pair`. */
static double covered(const scaled_pair *pair, ee_box box, ee_box other, double area) {
  if (box.x1 == box.x2 || box.y1 == box.y2) return 0;
  if (area > PLAIN_AREA) return ee_smaller(pair->intersection / area, 1);
  /* Next to a large box the scaled area of a small one underflows, so the sides are compared without scaling. */
  double across = share_of_side(box.x1, box.x2, other.x1, other.x2);
  double up = share_of_side(box.y1, box.y2, other.y1, other.y2);
  return across > 0 && up > 0 ? ee_smaller(across * up, 1) : 0;
}

double ee_ios(ee_box a, ee_box b) {
  scaled_pair pair = scale_pair(a, b);
  if (a.x1 == a.x2 || a.y1 == a.y2 || b.x1 == b.x2 || b.y1 == b.y2) return 0;
  /* The smaller box has the larger covered share. */
  return ee_larger(covered(&pair, a, b, pair.area_a), covered(&pair, b, a, pair.area_b));
}

double ee_ioa(ee_box a, ee_box b) {
  scaled_pair pair = scale_pair(a, b);
  return covered(&pair, b, a, pair.area_b);
}

/* Many boxes ------------------------------------------------------------------------------------ */

/* Blocks of columns are copied axis by axis to the stack, with their areas, and stay in the first cache while all rows
 * pass over them. There is one row function per instruction set; each does the operations of ee_iou() in the same
 * order. Each operation is correctly rounded, so the bits are the same. Boxes that ee_iou() would scale first are left
 * to it. */

enum { BLOCK = 256 };

typedef struct column_block {
  double x1[BLOCK], y1[BLOCK], x2[BLOCK], y2[BLOCK], area[BLOCK];
  size_t count;
  size_t strange_count;
  uint16_t strange[BLOCK]; /* columns that are left to ee_iou() */
} column_block;

/* Whether a box needs no scaling when paired with another such box. */
static bool is_plain(ee_box box) {
  return ee_is_ordinary(ee_larger(fabs(box.x1), fabs(box.x2))) && ee_is_ordinary(ee_larger(fabs(box.y1), fabs(box.y2)));
}

static void fill_block(column_block *block, const ee_box *boxes, size_t count) {
  block->count = count;
  block->strange_count = 0;
  for (size_t i = 0; i < count; i++) {
    ee_box box = boxes[i];
    bool strange = !is_plain(box);
    if (strange) {
      block->strange[block->strange_count++] = (uint16_t)i;
      box = (ee_box){0, 0, 0, 0};
    }
    block->x1[i] = box.x1;
    block->y1[i] = box.y1;
    block->x2[i] = box.x2;
    block->y2[i] = box.y2;
    block->area[i] = (box.x2 - box.x1) * (box.y2 - box.y1);
  }
}

typedef void iou_row(ee_box box, const column_block *block, size_t from, double *out);

static void portable_row(ee_box box, const column_block *block, size_t from, double *out) {
  double box_area = (box.x2 - box.x1) * (box.y2 - box.y1);
  for (size_t i = from; i < block->count; i++) {
    double width = ee_smaller(box.x2, block->x2[i]) - ee_larger(box.x1, block->x1[i]);
    double height = ee_smaller(box.y2, block->y2[i]) - ee_larger(box.y1, block->y1[i]);
    double intersection = ee_larger(width, 0) * ee_larger(height, 0);
    double all = box_area + block->area[i] - intersection;
    out[i] = all > 0 ? ee_smaller(intersection / all, 1) : 0;
  }
}

#ifdef HAVE_AVX2_ROW
/* Four columns at a time. Its own target: the rest of the program runs on every processor. */
__attribute__((target("avx2"))) static void avx2_row(ee_box box, const column_block *block, size_t from, double *out) {
  const __m256d x1 = _mm256_set1_pd(box.x1), y1 = _mm256_set1_pd(box.y1), x2 = _mm256_set1_pd(box.x2),
                y2 = _mm256_set1_pd(box.y2), zero = _mm256_setzero_pd(), one = _mm256_set1_pd(1),
                box_area = _mm256_set1_pd((box.x2 - box.x1) * (box.y2 - box.y1));
  size_t i = from;
  for (; i + 4 <= block->count; i += 4) {
    __m256d width = _mm256_sub_pd(_mm256_min_pd(x2, _mm256_loadu_pd(block->x2 + i)),
                                  _mm256_max_pd(x1, _mm256_loadu_pd(block->x1 + i)));
    __m256d height = _mm256_sub_pd(_mm256_min_pd(y2, _mm256_loadu_pd(block->y2 + i)),
                                   _mm256_max_pd(y1, _mm256_loadu_pd(block->y1 + i)));
    __m256d intersection = _mm256_mul_pd(_mm256_max_pd(width, zero), _mm256_max_pd(height, zero));
    __m256d all = _mm256_sub_pd(_mm256_add_pd(box_area, _mm256_loadu_pd(block->area + i)), intersection);
    /* Where the union is 0 the quotient is NaN, and the mask makes it 0. */
    __m256d iou = _mm256_min_pd(_mm256_div_pd(intersection, all), one);
    _mm256_storeu_pd(out + i, _mm256_and_pd(_mm256_cmp_pd(all, zero, _CMP_GT_OQ), iou));
  }
  portable_row(box, block, i, out);
}
#endif

static void fill_matrix(iou_row *row, const ee_box *a, size_t rows, const ee_box *b, size_t columns, double *out) {
  column_block block;
  for (size_t start = 0; start < columns; start += BLOCK) {
    fill_block(&block, b + start, columns - start < BLOCK ? columns - start : BLOCK);
    for (size_t r = 0; r < rows; r++) {
      double *to = out + r * columns + start;
      if (is_plain(a[r])) {
        row(a[r], &block, 0, to);
        for (size_t i = 0; i < block.strange_count; i++) {
          size_t column = block.strange[i];
          to[column] = ee_iou(a[r], b[start + column]);
        }
      } else {
        for (size_t i = 0; i < block.count; i++) to[i] = ee_iou(a[r], b[start + i]);
      }
    }
  }
}

void ee_iou_matrix(const ee_box *a, size_t rows, const ee_box *b, size_t columns, double *out) {
#ifdef HAVE_AVX2_ROW
  /* Asked once a matrix: a look at a word that the C library has filled. */
  if (__builtin_cpu_supports("avx2")) { /* unreached: another processor */
    fill_matrix(avx2_row, a, rows, b, columns, out);
    return;
  }
#endif
  ee_iou_matrix_portable(a, rows, b, columns, out); /* unreached: another processor */
}

void ee_iou_matrix_portable(const ee_box *a, size_t rows, const ee_box *b, size_t columns, double *out) {
  fill_matrix(portable_row, a, rows, b, columns, out);
}

/* Distances of points --------------------------------------------------------------------------- */

double ee_euclidean(const double *a, const double *b, size_t dimension) {
  double sum = 0, largest = 0;
  for (size_t i = 0; i < dimension; i++) {
    double difference = fabs(a[i] - b[i]);
    sum += difference * difference;
    largest = fmax(largest, difference);
  }
  if (ee_is_ordinary(largest)) return sqrt(sum);
  /* Scaled by a power of two. A difference that overflowed does not at half the size; the result may be infinite. */
  double unit = isinf(largest) ? 0.5 : 1;
  int exponent = 1024;
  if (unit == 1) frexp(largest, &exponent);
  sum = 0;
  for (size_t i = 0; i < dimension; i++) {
    double difference = ldexp(a[i] * unit - b[i] * unit, -exponent);
    sum += difference * difference;
  }
  return ldexp(sqrt(sum) / unit, exponent);
}

double ee_manhattan(const double *a, const double *b, size_t dimension) {
  double sum = 0;
  for (size_t i = 0; i < dimension; i++) sum += fabs(a[i] - b[i]);
  return sum;
}

/* The exponent of the power of two to multiply `vector` by; 0 if its magnitudes are ordinary or all zero. */
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
  /* The root of the product, not the product of roots, so that the distance of a vector to itself is exactly 0. */
  return fmin(fmax(1 - ab / sqrt(aa * bb), 0), 2);
}
