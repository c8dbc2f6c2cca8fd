/* polygon.h: areas of polygons and of their intersections.
 *
 * A polygon is one or more rings of at least three points; what is inside is decided over all rings together by the
 * even-odd or the non-zero rule, so that concave and self-crossing rings, holes and several parts need no repair and
 * nothing can fail but for the time it takes: thousands of edges that all cross each other are work for minutes.
 * `*steps` (may be NULL: any number) is what a call may spend on sweeps, about a nanosecond each, and gets what is
 * left; where it does not do, the result is NaN. Coordinates are finite (ee_polygon_check()). The first point need not
 * be repeated at the end. */
#ifndef EE_PRIM_POLYGON_H
#define EE_PRIM_POLYGON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "prim/geometry.h"

typedef struct ee_point {
  double x, y;
} ee_point;

typedef struct ee_ring {
  const ee_point *points;
  size_t count;
} ee_ring;

typedef struct ee_polygon {
  const ee_ring *rings;
  size_t count;
} ee_polygon;

typedef enum ee_fill_rule { EE_FILL_EVEN_ODD, EE_FILL_NON_ZERO } ee_fill_rule;

/* NULL when usable, else why not (static text): no ring, a ring of fewer than three points, a coordinate that is no
 * finite number. */
const char *ee_polygon_check(const ee_polygon *polygon);

/* The smallest box around all points. */
ee_box ee_polygon_bounds(const ee_polygon *polygon);

/* The area inside; the largest double where it is more. One convex ring takes the shoelace formula; else the sweep. */
double ee_polygon_area(const ee_polygon *polygon, ee_fill_rule rule, uint64_t *steps, ee_arena *scratch);

/* The area inside both. Boxes that do not meet: 0. Two convex rings of at most 24 corners: clipping (Sutherland and
 * Hodgman 1974). Otherwise a sweep over slabs: cut at every vertex in y, and within such a slab at every crossing, so
 * that no edges cross inside and the length of the overlap is linear in y: its value in the middle times the height is
 * the area. Coordinates are shifted to the centre of the overlap first, against cancellation, and scaled by powers of
 * two where they are no ordinary numbers. O(n log n + (n + k) * active edges) for n edges and k crossings. Symmetric to
 * within rounding; equal polygons (one ring: from any start, in either direction) give exactly the area of one. */
double ee_polygon_intersection(const ee_polygon *a, const ee_polygon *b, ee_fill_rule rule, uint64_t *steps,
                               ee_arena *scratch);

/* Intersection over union from the areas above, 0 when the union is 0; 0..1, 1 for equal polygons. */
double ee_polygon_iou(const ee_polygon *a, const ee_polygon *b, ee_fill_rule rule, uint64_t *steps, ee_arena *scratch);

/* The corners of an oriented box: centre, width, height, angle in radians from the x axis towards the y axis. */
void ee_oriented_box_corners(const double centre_size_angle[5], ee_point corners[4]);

#endif
