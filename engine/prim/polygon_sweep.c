/* polygon_sweep.c: the slab sweep.
 *
 * The plane is cut at the y of every vertex. Within a slab the edges that cross it are straight lines from its bottom
 * to its top; ordered by their x in the middle, they are out of order at the bottom or at the top only where some
 * cross, and then the slab is cut again at each crossing. Where nothing crosses, the length inside is linear in y, so
 * that its value in the middle times the height is the area.
 *
 * Rounding cannot do harm: a crossing that is missed, or found where there is none, belongs to edges that are no
 * further apart than rounding, and so is the error of the length. */
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

/* Two winding numbers in one word, each with a bias that keeps it from borrowing from its neighbour. */
#define NO_WINDING UINT64_C(0x8000000080000000)

/* Crossings of one slab that need no memory of the arena. */
enum { FEW_CROSSINGS = 64 };

typedef struct slab_sweep {
  ee_sweep_edge **active; /* the edges of the current slab, from left to right in its middle */
  size_t active_count;
  uint64_t inside_mask; /* of a winding number: all bits by the non-zero rule, the last by the even-odd rule */
  double tolerance;
  double areas[4]; /* outside both, inside a only, b only, both */
  uint64_t steps;  /* that may be spent */
  ee_arena *scratch;
} slab_sweep;

/* False when that is more than is left; nothing is then. */
static inline bool spend(slab_sweep *sweep, uint64_t steps) {
  bool enough = steps <= sweep->steps;
  sweep->steps = enough ? sweep->steps - steps : 0;
  return enough;
}

size_t ee_sweep_add_ring(ee_sweep_edge *edges, size_t count, const double *x, const double *y, size_t points,
                         uint8_t owner) {
  for (size_t i = 0; i < points; i++) {
    size_t next = i + 1 < points ? i + 1 : 0;
    bool low = y[i] <= y[next];
    size_t from = low ? i : next, to = low ? next : i;
    ee_sweep_edge *edge = &edges[count + i];
    double height = y[to] - y[from], slope = height > 0 ? (x[to] - x[from]) / height : 0;
    uint64_t step = UINT64_C(1) << (owner == 0 ? 0 : 32);
    *edge = (ee_sweep_edge){.x1 = x[from],
                            .y1 = y[from],
                            .x2 = x[to],
                            .y2 = y[to],
                            /* So flat an edge is as good as upright in the next to no height that it has. */
                            .slope = isfinite(slope) ? slope : 0,
                            .step = !(height > 0) ? 0
                                    : low         ? step
                                                  : -step,
                            .before = (uint32_t)(count + (i > 0 ? i : points) - 1),
                            .starts_low = low};
  }
  return count + points;
}

/* Sorts the active edges by their x in the middle. They nearly are: insertion. */
static void order_active(slab_sweep *sweep) {
  ee_sweep_edge **active = sweep->active;
  for (size_t i = 1; i < sweep->active_count; i++) {
    ee_sweep_edge *moving = active[i];
    size_t at = i;
    for (; at > 0 && moving->mid < active[at - 1]->mid; at--) active[at] = active[at - 1];
    active[at] = moving;
  }
}

/* Adds the areas of a slab of this height. With `checks`, only if nothing crosses: if no edges, in order in the middle,
 * are out of order at the bottom or at the top; returns whether it did. */
static inline bool add_slab(slab_sweep *sweep, double height, bool checks) {
  double widths[4] = {0, 0, 0, 0}, left = 0, bottom = -INFINITY, top = -INFINITY, slack = sweep->tolerance;
  uint64_t winding = NO_WINDING, mask = sweep->inside_mask;
  size_t where = 0;
  for (size_t i = 0; i < sweep->active_count; i++) {
    const ee_sweep_edge *edge = sweep->active[i];
    if (checks) {
      if (edge->bottom < bottom - slack || edge->top < top - slack) return false;
      bottom = edge->bottom;
      top = edge->top;
    }
    widths[where] += edge->mid - left;
    left = edge->mid;
    winding += edge->step;
    uint64_t inside = (winding ^ NO_WINDING) & mask;
    where = (size_t)((uint32_t)inside != 0) | (size_t)(inside >> 32 != 0) << 1;
  }
  for (int i = 1; i < 4; i++) sweep->areas[i] += widths[i] * height;
  return true;
}

/* Writes where the active edges cross, as shares of the slab's height, to `out`, which has `room` for some; returns how
 * many there are. */
static size_t find_crossings(const slab_sweep *sweep, double *out, size_t room) {
  size_t count = 0;
  double slack = -sweep->tolerance;
  for (size_t i = 0; i + 1 < sweep->active_count; i++) {
    const ee_sweep_edge *left = sweep->active[i];
    for (size_t k = i + 1; k < sweep->active_count; k++) {
      const ee_sweep_edge *right = sweep->active[k];
      double bottom = right->bottom - left->bottom, top = right->top - left->top;
      if (bottom >= slack && top >= slack) continue;
      double share = bottom / (bottom - top);
      if (!(share > 0 && share < 1)) continue;
      if (count < room) out[count] = share;
      count++;
    }
  }
  return count;
}

/* A slab in which edges cross: cut at each crossing. False when that takes too many steps. */
static bool add_crossed_slab(slab_sweep *sweep, double height) {
  if (!spend(sweep, (uint64_t)sweep->active_count * sweep->active_count / 2)) return false;
  ee_arena_mark mark = ee_arena_get_mark(sweep->scratch);
  double few[FEW_CROSSINGS], *shares = few;
  size_t count = find_crossings(sweep, few, FEW_CROSSINGS);
  if (!spend(sweep, (uint64_t)count * sweep->active_count * 2)) return false;
  if (count > FEW_CROSSINGS) {
    shares = ee_arena_alloc(sweep->scratch, count * sizeof *shares);
    find_crossings(sweep, shares, count);
  }
  sort_numbers(shares, count, sweep->scratch);
  double low = 0;
  for (size_t i = 0; i <= count; i++) {
    double high = i < count ? shares[i] : 1;
    if (!(high > low)) continue;
    double share = low / 2 + high / 2;
    for (size_t k = 0; k < sweep->active_count; k++) {
      ee_sweep_edge *edge = sweep->active[k];
      edge->mid = edge->bottom + (edge->top - edge->bottom) * share;
    }
    order_active(sweep);
    add_slab(sweep, (high - low) * height, false);
    low = high;
  }
  ee_arena_rewind(sweep->scratch, mark);
  return true;
}

static void add_active(slab_sweep *sweep, ee_sweep_edge *edge) {
  if (edge->step == 0) return;
  edge->top = edge->x1; /* becomes the bottom of the slab that begins */
  sweep->active[sweep->active_count++] = edge;
}

/* Moves on to the slab from `low` to `high`: drops the edges that ended, and computes where the others are. */
static void enter_slab(slab_sweep *sweep, double low, double high) {
  size_t kept = 0;
  for (size_t i = 0; i < sweep->active_count; i++) {
    ee_sweep_edge *edge = sweep->active[i];
    double bottom = edge->top, top = edge->x1 + (high - edge->y1) * edge->slope;
    top = edge->y2 == high ? edge->x2 : top;
    edge->bottom = bottom;
    edge->top = top;
    edge->mid = (bottom + top) / 2;
    sweep->active[kept] = edge;
    kept += edge->y2 > low;
  }
  sweep->active_count = kept;
}

/* Adds the areas between two heights at which vertices lie; false when that takes too many steps. */
static bool sweep_slab(slab_sweep *sweep, double low, double high) {
  if (!spend(sweep, 2 * (uint64_t)sweep->active_count + 1)) return false;
  enter_slab(sweep, low, high);
  order_active(sweep);
  return add_slab(sweep, high - low, true) || add_crossed_slab(sweep, high - low);
}

ee_sweep_areas ee_polygon_sweep(ee_sweep_edge *edges, size_t count, ee_fill_rule rule, uint64_t *steps,
                                ee_arena *scratch) {
  if (count == 0) return (ee_sweep_areas){0, 0, 0};
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  slab_sweep sweep = {.active = ee_arena_alloc(scratch, count * sizeof(ee_sweep_edge *)),
                      .inside_mask = rule == EE_FILL_EVEN_ODD ? UINT64_C(0x0000000100000001) : ~UINT64_C(0),
                      .steps = steps != NULL ? *steps : UINT64_MAX,
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
      ee_sweep_edge *leaving = &edges[vertices[i].edge], *entering = &edges[leaving->before];
      if (leaving->starts_low) add_active(&sweep, leaving);
      if (!entering->starts_low) add_active(&sweep, entering);
    }
    if (i == count) break;
    if (sweep_slab(&sweep, low, vertices[i].y)) continue;
    for (size_t k = 0; k < 4; k++) sweep.areas[k] = NAN;
    break;
  }
  ee_arena_rewind(scratch, mark);
  if (steps != NULL) *steps = sweep.steps;
  return (ee_sweep_areas){
      .a = sweep.areas[1] + sweep.areas[3], .b = sweep.areas[2] + sweep.areas[3], .both = sweep.areas[3]};
}
