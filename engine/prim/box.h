/* box.h: overlaps of boxes and distances of points.
 *
 * Coordinates are finite doubles; callers reject other boxes first with ee_box_check(). */
#ifndef EE_PRIM_BOX_H
#define EE_PRIM_BOX_H

#include <stdbool.h>
#include <stddef.h>

/* Corners x1 <= x2, y1 <= y2. */
typedef struct ee_box {
  double x1, y1, x2, y2;
} ee_box;

/* NULL if `box` is valid, else the reason (static text): a coordinate that is not finite, or swapped corners. */
const char *ee_box_check(ee_box box);

/* The box of x, y, width, height; of centre x, centre y, width, height. A negative width or height gives swapped
 * corners, which ee_box_check() rejects. */
ee_box ee_box_from_xywh(const double numbers[4]);
ee_box ee_box_from_cxcywh(const double numbers[4]);

/* All functions below take valid boxes. Areas are (x2-x1)*(y2-y1), at most the largest double; the intersection is 0 if
 * the boxes do not overlap. All other results are ratios, correct for finite coordinates of any size. */
double ee_box_area(ee_box box);
double ee_box_intersection(ee_box a, ee_box b);
/* Intersection over union, 0 if the union is 0; 0..1. */
double ee_iou(ee_box a, ee_box b);
/* iou - (hull - union) / hull, where hull is the area of the smallest box around both; Rezatofighi 2019. -1..1; iou
 * if hull is 0. */
double ee_giou(ee_box a, ee_box b);
/* iou - d^2 / c^2: d is the distance of the centres, c the diagonal of the hull; Zheng 2020. -1..1; iou if c is 0. */
double ee_diou(ee_box a, ee_box b);
/* diou - alpha v, v = 4/pi^2 (atan(w/h) - atan(w'/h'))^2, alpha = v / (1 - iou + v), 0 if v is 0; Zheng 2020. For a
 * height of 0 atan is pi/2 (0/0: 0). */
double ee_ciou(ee_box a, ee_box b);
/* Intersection over the smaller area; over the area of `b` (the detection, as in COCO's crowd rule). 0 if that area is
 * 0; 0..1. */
double ee_ios(ee_box a, ee_box b);
double ee_ioa(ee_box a, ee_box b);

/* Writes the intersection over union of every box of `a` with every box of `b`, row by row, to `out` (rows * columns).
 * Bit-identical to ee_iou() on every processor; uses AVX2 where available. O(rows * columns). */
void ee_iou_matrix(const ee_box *a, size_t rows, const ee_box *b, size_t columns, double *out);
/* The same without AVX2, for tests and benchmarks. */
void ee_iou_matrix_portable(const ee_box *a, size_t rows, const ee_box *b, size_t columns, double *out);

/* Euclidean distance sqrt(sum (a-b)^2) of two points of `dimension` numbers each, without overflow on large values. */
double ee_euclidean(const double *a, const double *b, size_t dimension);
/* Manhattan distance, sum |a-b|. */
double ee_manhattan(const double *a, const double *b, size_t dimension);
/* Cosine distance 1 - a.b / (|a| |b|), clamped to 0..2; 1 if either is a zero vector. */
double ee_cosine(const double *a, const double *b, size_t dimension);

#endif
