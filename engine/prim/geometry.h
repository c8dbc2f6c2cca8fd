/* geometry.h: boxes and points.
 *
 * Coordinates are finite doubles; callers refuse the others first with ee_box_check(). */
#ifndef EE_PRIM_GEOMETRY_H
#define EE_PRIM_GEOMETRY_H

#include <stdbool.h>
#include <stddef.h>

/* Corners x1 <= x2, y1 <= y2. */
typedef struct ee_box {
  double x1, y1, x2, y2;
} ee_box;

/* NULL when `box` is usable, else why not (static text): a coordinate that is no finite number, corners the wrong way
 * round. */
const char *ee_box_check(ee_box box);

/* The box of x, y, width, height; of centre x, centre y, width, height. A negative width or height gives corners the
 * wrong way round. */
ee_box ee_box_from_xywh(const double numbers[4]);
ee_box ee_box_from_cxcywh(const double numbers[4]);

/* Of usable boxes. Areas (x2-x1)*(y2-y1); the intersection 0 when they do not meet. An area that no double holds is the
 * largest double; all other measures are ratios, which are right whatever the size of finite coordinates. */
double ee_box_area(ee_box box);
double ee_box_intersection(ee_box a, ee_box b);
/* Intersection over union, 0 when the union is 0; 0..1. */
double ee_iou(ee_box a, ee_box b);
/* iou - (hull - union) / hull, where hull is the area of the smallest box around both; Rezatofighi 2019. -1..1; iou
 * when hull is 0. */
double ee_giou(ee_box a, ee_box b);
/* iou - d^2 / c^2: distance of the centres, diagonal of the hull; Zheng 2020. -1..1; iou when c is 0. */
double ee_diou(ee_box a, ee_box b);
/* diou - alpha v, v = 4/pi^2 (atan(w/h) - atan(w'/h'))^2, alpha = v / (1 - iou + v), 0 when v is 0; Zheng 2020. A
 * height of 0 counts as atan = pi/2 (0/0: 0). */
double ee_ciou(ee_box a, ee_box b);
/* Intersection over the smaller area; over the area of `b` (the detection: COCO's crowd rule). 0 when that is 0; 0..1.
 */
double ee_ios(ee_box a, ee_box b);
double ee_ioa(ee_box a, ee_box b);

/* Intersection over union of every box of `a` with every box of `b`, row by row, into `out` (rows * columns). The same
 * bits as ee_iou() for each pair, whichever instructions the processor has: two rows of code, picked once, both tested.
 * Boxes are usable. O(rows * columns). */
void ee_iou_matrix(const ee_box *a, size_t rows, const ee_box *b, size_t columns, double *out);
/* The portable row of code, for tests and benchmarks. */
void ee_iou_matrix_portable(const ee_box *a, size_t rows, const ee_box *b, size_t columns, double *out);

/* sqrt(sum (a-b)^2), without overflow on large values; `dimension` numbers each. */
double ee_euclidean(const double *a, const double *b, size_t dimension);
/* sum |a-b| */
double ee_manhattan(const double *a, const double *b, size_t dimension);
/* 1 - a.b / (|a| |b|), clamped to 0..2; 1 when either is a zero vector. */
double ee_cosine(const double *a, const double *b, size_t dimension);

#endif
