/* geometry.h: boxes and points.
 *
 * Layer: prim. Coordinates are finite doubles; callers refuse the others first with ee_box_check(). */
#ifndef EE_PRIM_GEOMETRY_H
#define EE_PRIM_GEOMETRY_H

#include <stddef.h>

/* Corners x1 <= x2, y1 <= y2. */
typedef struct ee_box {
  double x1, y1, x2, y2;
} ee_box;

/* NULL when `box` is usable, else why not (static text): a coordinate that is no finite number, corners the wrong way
 * round. */
const char *ee_box_check(ee_box box);

/* Intersection over union, 0 when the union is 0; 0..1. Coordinates up to 1e308 do not overflow to NaN. */
double ee_iou(ee_box a, ee_box b);

/* sqrt(sum (a-b)^2), without overflow on large values; `dimension` numbers each. */
double ee_euclidean(const double *a, const double *b, size_t dimension);
/* sum |a-b| */
double ee_manhattan(const double *a, const double *b, size_t dimension);
/* 1 - a.b / (|a| |b|), clamped to 0..2; 1 when either is a zero vector. */
double ee_cosine(const double *a, const double *b, size_t dimension);

#endif
