/* polygon_sweep.c: the slab sweep.
 *
 * The plane is cut at the y of every vertex. Within a slab the edges that cross it are straight lines from its bottom to
 * its top; ordered by their x in the middle, they are out of order at the bottom or at the top only where some cross, and
 * then the slab is cut again at each crossing. Where nothing crosses, the length inside is linear in y, so that its value in
 * the middle times the height is the area.
 *
 * Rounding cannot do harm: a crossing that is missed, or found where there is none, belongs to edges that are no further
 * apart than rounding, and so is the error of the length. */
#include "prim/polygon_sweep.h"

#include <math.h>

#include "prim/magnitude.h"
#include "prim/sort.h"

/* Distances below this share of the whole width are rounding. Each x has an error of at most four halves of 2^-52. */
#define ROUNDING_SHARE 0x1p-49

typedef struct vertex {
  double y;
  uint32_t edge; /* that leaves it */
} vertex;

static bool is_lower(const vertex *a, const vertex *b) { return a->y < b->y; }
EE_DEFINE_SORT(sort_vertices, vertex, is_lower)

static bool is_less(const double *a, const double *b) { return *a < *b; }
EE_DEFINE_SORT(sort_numbers, double, is_less)

typedef struct sweep {
  ee_sweep_edge *edges;
  uint32_t *active; /* the edges of the current slab, from left to right in its middle */
  size_t active_count;
  unsigned inside_mask; /* of a winding number: all bits by the non-zero rule, the last by the even-odd rule */
  double tolerance;
  ee_sweep_areas areas;
  ee_arena *scratch;
} sweep;

size_t ee_sweep_add_ring(ee_sweep_edge *edges, size_t count, const double *x, const double *y, size_t points,
                         uint8_t owner) {
  for (size_t i = 0; i < points; i++) {
    size_t next = i + 1 < points ? i + 1 : 0;
    bool low = y[i] <= y[next];
    size_t from = low ? i : next, to = low ? next : i;
    ee_sweep_edge *edge = &edges[count + i];
    double height = y[to] - y[from], slope = height > 0 ? (x[to] - x[from]) / height : 0;
    *edge = (ee_sweep_edge){.x1 = x[from],
                            .y1 = y[from],
                            .x2 = x[to],
                            .y2 = y[to],
                            /* So flat an edge is as good as upright in the next to no height that it has. */
                            .slope = isfinite(slope) ? slope : 0,
                            .before = (uint32_t)(count + (i > 0 ? i : points) - 1),
                            .direction = (int8_t)(!(height > 0) ? 0 : low ? 1 : -1),
                            .owner = owner,
                            .starts_low = low};
  }
  return count + points;
}

/* Sorts the active edges by their x in the middle. They nearly are: insertion. */
static void order_active(sweep *sweep) {
  const ee_sweep_edge *edges = sweep->edges;
  uint32_t *active = sweep->active;
  for (size_t i = 1; i < sweep->active_count; i++) {
    uint32_t moving = active[i];
    double mid = edges[moving].mid;
    size_t at = i;
    for (; at > 0 && mid < edges[active[at - 1]].mid; at--) active[at] = active[at - 1];
    active[at] = moving;
  }
}

/* Adds the areas of a slab of this height in which nothing crosses. */
static void add_slab(sweep *sweep, double height) {
  unsigned winding[2] = {0, 0}, mask = sweep->inside_mask;
  double a = 0, b = 0, both = 0, left = 0;
  bool in_a = false, in_b = false;
  for (size_t i = 0; i < sweep->active_count; i++) {
    const ee_sweep_edge *edge = &sweep->edges[sweep->active[i]];
    double width = edge->mid - left;
    a += in_a ? width : 0;
    b += in_b ? width : 0;
    both += in_a && in_b ? width : 0;
    left = edge->mid;
    winding[edge->owner] += (unsigned)edge->direction; /* modulo 2^32 */
    in_a = (winding[0] & mask) != 0;
    in_b = (winding[1] & mask) != 0;
  }
  sweep->areas.a += a * height;
  sweep->areas.b += b * height;
  sweep->areas.both += both * height;
}

/* Whether some active edges, in order in the middle, are out of order at the bottom or at the top. */
static bool has_crossing(const sweep *sweep) {
  const ee_sweep_edge *edges = sweep->edges;
  double bottom = -INFINITY, top = -INFINITY;
  for (size_t i = 0; i < sweep->active_count; i++) {
    const ee_sweep_edge *edge = &edges[sweep->active[i]];
    if (edge->bottom < bottom - sweep->tolerance || edge->top < top - sweep->tolerance) return true;
    bottom = ee_larger(bottom, edge->bottom);
    top = ee_larger(top, edge->top);
  }
  return false;
}

/* Writes where the active edges cross, as shares of the slab's height, to `out` (NULL: only counts); returns how many. */
static size_t find_crossings(const sweep *sweep, double *out) {
  size_t count = 0;
  for (size_t i = 0; i + 1 < sweep->active_count; i++) {
    const ee_sweep_edge *left = &sweep->edges[sweep->active[i]];
    for (size_t k = i + 1; k < sweep->active_count; k++) {
      const ee_sweep_edge *right = &sweep->edges[sweep->active[k]];
      double bottom = right->bottom - left->bottom, top = right->top - left->top;
      if (bottom >= -sweep->tolerance && top >= -sweep->tolerance) continue;
      double share = bottom / (bottom - top);
      if (!(share > 0 && share < 1)) continue;
      if (out != NULL) out[count] = share;
      count++;
    }
  }
  return count;
}

/* A slab in which edges cross: cut at each crossing. */
static void add_crossed_slab(sweep *sweep, double height) {
  ee_arena_mark mark = ee_arena_get_mark(sweep->scratch);
  size_t count = find_crossings(sweep, NULL);
  double *shares = ee_arena_alloc(sweep->scratch, (count + 1) * sizeof *shares);
  find_crossings(sweep, shares);
  sort_numbers(shares, count, sweep->scratch);
  shares[count] = 1;
  double low = 0;
  for (size_t i = 0; i <= count; i++) {
    double high = shares[i];
    if (!(high > low)) continue;
    double share = low / 2 + high / 2;
    for (size_t k = 0; k < sweep->active_count; k++) {
      ee_sweep_edge *edge = &sweep->edges[sweep->active[k]];
      edge->mid = edge->bottom + (edge->top - edge->bottom) * share;
    }
    order_active(sweep);
    add_slab(sweep, (high - low) * height);
    low = high;
  }
  ee_arena_rewind(sweep->scratch, mark);
}

static void add_active(sweep *sweep, uint32_t index) {
  ee_sweep_edge *edge = &sweep->edges[index];
  if (edge->direction == 0) return;
  edge->top = edge->x1; /* becomes the bottom of the slab that begins */
  sweep->active[sweep->active_count++] = index;
}

/* Moves on to the slab from `low` to `high`: drops the edges that ended, and computes where the others are. */
static void enter_slab(sweep *sweep, double low, double high) {
  size_t kept = 0;
  for (size_t i = 0; i < sweep->active_count; i++) {
    uint32_t index = sweep->active[i];
    ee_sweep_edge *edge = &sweep->edges[index];
    if (!(edge->y2 > low)) continue;
    edge->bottom = edge->top;
    edge->top = edge->y2 == high ? edge->x2 : edge->x1 + (high - edge->y1) * edge->slope;
    edge->mid = (edge->bottom + edge->top) / 2;
    sweep->active[kept++] = index;
  }
  sweep->active_count = kept;
}

ee_sweep_areas ee_polygon_sweep(ee_sweep_edge *edges, size_t count, ee_fill_rule rule, ee_arena *scratch) {
  if (count == 0) return (ee_sweep_areas){0, 0, 0};
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  sweep sweep = {.edges = edges,
                 .active = ee_arena_alloc(scratch, count * sizeof(uint32_t)),
                 .inside_mask = rule == EE_FILL_EVEN_ODD ? 1u : ~0u,
                 .scratch = scratch};
  vertex *vertices = ee_arena_alloc(scratch, count * sizeof *vertices);
  double left = INFINITY, right = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    const ee_sweep_edge *edge = &edges[i];
    vertices[i] = (vertex){edge->starts_low ? edge->y1 : edge->y2, (uint32_t)i};
    double x = edge->starts_low ? edge->x1 : edge->x2;
    left = ee_smaller(left, x);
    right = ee_larger(right, x);
  }
  sweep.tolerance = (right - left) * ROUNDING_SHARE;
  sort_vertices(vertices, count, scratch);
  for (size_t i = 0; i < count;) {
    double low = vertices[i].y;
    for (; i < count && vertices[i].y == low; i++) {
      /* Of the two edges that meet in the vertex, those that go up from it begin here. */
      const ee_sweep_edge *leaving = &edges[vertices[i].edge];
      if (leaving->starts_low) add_active(&sweep, vertices[i].edge);
      if (!edges[leaving->before].starts_low) add_active(&sweep, leaving->before);
    }
    if (i == count) break;
    double high = vertices[i].y;
    enter_slab(&sweep, low, high);
    order_active(&sweep);
    if (has_crossing(&sweep))
      add_crossed_slab(&sweep, high - low);
    else
      add_slab(&sweep, high - low);
  }
  ee_arena_rewind(scratch, mark);
  return sweep.areas;
}
