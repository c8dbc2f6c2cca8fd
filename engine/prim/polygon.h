/* polygon.h: areas of polygons and of their intersections.
 *
 * A polygon is one or more rings of at least three points. The even-odd or the non-zero rule over all rings together
 * decides what is inside, so concave and self-crossing rings, holes and several parts are all valid. Thousands of edges
 * that all cross each other would take minutes, so `*steps` (may be NULL: no limit) is a budget for sweeps, about a
 * nanosecond per step, and gets what is left; if it does not suffice, the result is NaN. Coordinates are finite
 * (ee_polygon_check()). The first point may be repeated at the end. `scratch` is rewound. */
#ifndef EE_PRIM_POLYGON_H
#define EE_PRIM_POLYGON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "prim/box.h"

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

/* NULL if `polygon` is valid, else the reason (static text): no ring, a ring of fewer than three points, a coordinate
 * that is not finite. */
const char *ee_polygon_check(const ee_polygon *polygon);

/* The smallest box around all points. */
ee_box ee_polygon_bounds(const ee_polygon *polygon);

/* The area inside, at most the largest double. By the shoelace formula for one convex ring, else by the sweep. */
double ee_polygon_area(const ee_polygon *polygon, ee_fill_rule rule, uint64_t *steps, ee_arena *scratch);

/* The area inside both; 0 if the bounds do not overlap. Two convex rings of at most 24 corners are clipped (Sutherland
 * and Hodgman 1974). Otherwise a sweep: slabs are cut at the y of every vertex and at every crossing, so that the
 * length of the overlap is linear in y within a slab, and its value in the middle times the height is the area. To
 * avoid cancellation and overflow, coordinates are first shifted to the centre of the overlap, and scaled by powers of
 * two if they are not of ordinary size. O(n log n + (n + k) * active edges) for n edges and k crossings. Symmetric
 * within rounding; equal polygons (one ring: from any start, in either direction) give exactly the area of one. */
double ee_polygon_intersection(const ee_polygon *a, const ee_polygon *b, ee_fill_rule rule, uint64_t *steps,
                               ee_arena *scratch);

/* Intersection over union from the areas above, 0 if the union is 0; 0..1, 1 for equal polygons. */
double ee_polygon_iou(const ee_polygon *a, const ee_polygon *b, ee_fill_rule rule, uint64_t *steps, ee_arena *scratch);

/* The corners of an oriented box: centre, width, height, angle in radians from the x axis towards the y axis. */
void ee_oriented_box_corners(const double centre_size_angle[5], ee_point corners[4]);

#endif
