/* polygon_sweep.h: areas under two sets of edges, by slabs.
 *
 * Layer: prim, for polygon.c. */
#ifndef EE_PRIM_POLYGON_SWEEP_H
#define EE_PRIM_POLYGON_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "prim/polygon.h"

/* An edge from its lower end (x1, y1) to its upper end (x2, y2). Edge i of a ring leaves vertex i; level edges take
 * part for their vertices only. Filled by ee_sweep_add_ring(). */
typedef struct ee_sweep_edge {
  double x1, y1, x2, y2;
  double slope;            /* x by y; 0 for a level edge */
  double bottom, top, mid; /* x at the ends and in the middle of the current slab */
  uint64_t step;   /* what crossing the edge adds to the winding numbers: a's below, b's from bit 32; 0: level */
  uint32_t before; /* the edge that ends where this one starts */
  bool starts_low; /* the edge starts at its lower end */
} ee_sweep_edge;

typedef struct ee_sweep_areas {
  double a, b, both;
} ee_sweep_areas;

/* Appends the edges of the ring through `x`, `y` (at least one point) to `edges`, which holds `count`, and returns the
 * new number. */
size_t ee_sweep_add_ring(ee_sweep_edge *edges, size_t count, const double *x, const double *y, size_t points,
                         uint8_t owner);

/* The areas inside the edges of a, of b, and inside both; magnitudes of coordinates are at most 1e75. An order of edges
 * that rounding makes wrong is wrong by no more than rounding. O((n + k) * (active edges) + n log n) for n edges and k
 * crossings. `*steps` (may be NULL) is what may be spent, about a nanosecond each, and gets what is left; where it does
 * not do, the areas are NaN. */
ee_sweep_areas ee_polygon_sweep(ee_sweep_edge *edges, size_t count, ee_fill_rule rule, uint64_t *steps,
                                ee_arena *scratch);

#endif
