/* polygon.c: areas of polygons and of their intersections.
 *
 * All work is done in a frame of its own: axes scaled by powers of two where coordinates are not of ordinary size, as
 * for boxes, and the origin in the centre of the overlap of both bounds. */
#include "prim/polygon.h"

#include <float.h>
#include <math.h>

#include "base/work.h"
#include "prim/angle.h"
#include "prim/magnitude.h"
#include "prim/sort.h"

const char *ee_polygon_check(const ee_polygon *polygon) {
  if (polygon->count == 0) return "a polygon has no ring";
  for (size_t r = 0; r < polygon->count; r++) {
    const ee_ring *ring = &polygon->rings[r];
    if (ring->count < 3) return "a ring has fewer than three points";
    for (size_t i = 0; i < ring->count; i++)
      if (!isfinite(ring->points[i].x) || !isfinite(ring->points[i].y)) return "a coordinate is not a finite number";
  }
  return NULL;
}

ee_box ee_polygon_bounds(const ee_polygon *polygon) {
  ee_box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (size_t r = 0; r < polygon->count; r++) {
    const ee_ring *ring = &polygon->rings[r];
    for (size_t i = 0; i < ring->count; i++) {
      double x = ring->points[i].x, y = ring->points[i].y;
      box.x1 = ee_smaller(box.x1, x);
      box.y1 = ee_smaller(box.y1, y);
      box.x2 = ee_larger(box.x2, x);
      box.y2 = ee_larger(box.y2, y);
    }
  }
  return box;
}

void ee_oriented_box_corners(const double centre_size_angle[5], ee_point corners[4]) {
  static const double sides[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
  double sine, cosine;
  ee_sine_and_cosine(centre_size_angle[4], &sine, &cosine);
  for (int i = 0; i < 4; i++) {
    double x = centre_size_angle[2] * sides[i][0], y = centre_size_angle[3] * sides[i][1];
    corners[i] =
        (ee_point){centre_size_angle[0] + (x * cosine - y * sine), centre_size_angle[1] + (x * sine + y * cosine)};
  }
}

/* The frame ------------------------------------------------------------------------------------ */

typedef struct work_frame {
  int x_exponent, y_exponent; /* of the factors, 0 in the ordinary case */
  double x, y;                /* the origin, after scaling */
} work_frame;

static double middle(double a1, double a2, double b1, double b2) {
  return (ee_larger(a1, b1) + ee_smaller(a2, b2)) / 2;
}

static work_frame frame_of(ee_box a, ee_box b) {
  work_frame frame;
  frame.x_exponent =
      ee_ordinary_exponent(ee_larger(ee_larger(fabs(a.x1), fabs(a.x2)), ee_larger(fabs(b.x1), fabs(b.x2))));
  frame.y_exponent =
      ee_ordinary_exponent(ee_larger(ee_larger(fabs(a.y1), fabs(a.y2)), ee_larger(fabs(b.y1), fabs(b.y2))));
  if (frame.x_exponent != 0) {
    a.x1 = ldexp(a.x1, frame.x_exponent);
    a.x2 = ldexp(a.x2, frame.x_exponent);
    b.x1 = ldexp(b.x1, frame.x_exponent);
    b.x2 = ldexp(b.x2, frame.x_exponent);
  }
  if (frame.y_exponent != 0) {
    a.y1 = ldexp(a.y1, frame.y_exponent);
    a.y2 = ldexp(a.y2, frame.y_exponent);
    b.y1 = ldexp(b.y1, frame.y_exponent);
    b.y2 = ldexp(b.y2, frame.y_exponent);
  }
  frame.x = middle(a.x1, a.x2, b.x1, b.x2);
  frame.y = middle(a.y1, a.y2, b.y1, b.y2);
  return frame;
}

/* An area of the frame in the caller's units, at most the largest double. */
static double area_outside(const work_frame *frame, double area) {
  int exponent = frame->x_exponent + frame->y_exponent;
  return exponent == 0 || isnan(area) ? area : ee_smaller(ldexp(area, -exponent), DBL_MAX);
}

/* One ring in the frame, without repeated points. */
typedef struct ring_outline {
  double *x, *y; /* room for all points of the ring */
  size_t count;
  double twice_area; /* signed: above 0 counter-clockwise where y points up */
  bool is_convex;    /* within rounding; the area is then the area inside */
} ring_outline;

/* A convex ring turns to one side only, and its direction along the axis changes twice. */
typedef struct turn_record {
  double dx, dy; /* the last edge */
  bool left, right, forward;
  int changes;
} turn_record;

/* Without branches, which could not be predicted. */
static inline bool is_forward(double dx, double dy) { return (dx > 0) | ((dx == 0) & (dy > 0)); }

static inline void turn(turn_record *turns, double dx, double dy) {
  double cross = turns->dx * dy - turns->dy * dx;
  bool forward = is_forward(dx, dy);
  turns->left |= cross > 0;
  turns->right |= cross < 0;
  turns->changes += forward != turns->forward;
  turns->forward = forward;
  turns->dx = dx;
  turns->dy = dy;
}

static void load_points(ring_outline *outline, const ee_ring *ring, const work_frame *frame) {
  bool is_scaled = frame->x_exponent != 0 || frame->y_exponent != 0;
  double last_x = NAN, last_y = NAN, *to_x = outline->x, *to_y = outline->y;
  size_t count = 0;
  for (size_t i = 0; i < ring->count; i++) {
    double x = ring->points[i].x, y = ring->points[i].y;
    if (is_scaled) {
      x = ldexp(x, frame->x_exponent);
      y = ldexp(y, frame->y_exponent);
    }
    x -= frame->x;
    y -= frame->y;
    if (x == last_x && y == last_y) continue;
    to_x[count] = last_x = x;
    to_y[count++] = last_y = y;
  }
  while (count > 1 && to_x[count - 1] == to_x[0] && to_y[count - 1] == to_y[0]) count--;
  outline->count = count;
}

static void load_outline(ring_outline *outline, const ee_ring *ring, const work_frame *frame) {
  load_points(outline, ring, frame);
  const double *x = outline->x, *y = outline->y;
  size_t count = outline->count;
  outline->twice_area = 0;
  outline->is_convex = true;
  if (count < 3) return;
  double last_x = x[count - 1], last_y = y[count - 1];
  turn_record turns = {.dx = x[0] - last_x, .dy = y[0] - last_y};
  turns.forward = is_forward(turns.dx, turns.dy);
  double area = last_x * y[0] - last_y * x[0];
  for (size_t i = 0; i + 1 < count; i++) {
    turn(&turns, x[i + 1] - x[i], y[i + 1] - y[i]);
    area += x[i] * y[i + 1] - y[i] * x[i + 1];
  }
  turn(&turns, x[0] - last_x, y[0] - last_y);
  outline->twice_area = area;
  outline->is_convex = !(turns.left && turns.right) && turns.changes <= 2;
}

static double shoelace(const double *x, const double *y, size_t count) {
  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): outlines have three corners or more
  double twice = x[count - 1] * y[0] - y[count - 1] * x[0];
  for (size_t i = 0; i + 1 < count; i++) twice += x[i] * y[i + 1] - y[i] * x[i + 1];
  return fabs(twice) / 2;
}

/* Clipping ------------------------------------------------------------------------------------- */

/* Convex rings of at most this many corners are clipped, with one bit per corner and arrays on the stack. For larger
 * ones the sweep is as fast. */
enum { CLIP_CORNERS = 24, CLIP_ROOM = 2 * CLIP_CORNERS + 2 };

/* A convex region during clipping. The points are in array `now`; each cut writes them to the other one. */
typedef struct clip_region {
  double x[2][CLIP_ROOM], y[2][CLIP_ROOM];
  size_t count;
  int now;
} clip_region;

typedef enum cut_result { CUT_DONE, CUT_EMPTY, CUT_CONFUSED } cut_result;

/* Keeps what is to the left of the line from (ax, ay) along (dx, dy). */
static cut_result cut_region(clip_region *region, double ax, double ay, double dx, double dy) {
  const double *x = region->x[region->now], *y = region->y[region->now];
  size_t count = region->count;
  double side[CLIP_ROOM];
  uint64_t inside = 0, all = (UINT64_C(1) << count) - 1;
  for (size_t i = count; i-- > 0;) {
    side[i] = dx * (y[i] - ay) - dy * (x[i] - ax);
    inside = inside << 1 | (side[i] >= 0);
  }
  if (inside == all) return CUT_DONE;
  if (inside == 0) return CUT_EMPTY;
  /* The corners that stay are one run; find its start. */
  uint64_t begins = inside & ~((inside << 1 | inside >> (count - 1)) & all);
  if ((begins & (begins - 1)) != 0) return CUT_CONFUSED; /* several runs, by rounding */
  double *to_x = region->x[!region->now], *to_y = region->y[!region->now];
  size_t at = (size_t)__builtin_ctzll(begins), before = at > 0 ? at - 1 : count - 1, kept = 1;
  double share = side[at] / (side[at] - side[before]);
  to_x[0] = x[at] + (x[before] - x[at]) * share;
  to_y[0] = y[at] + (y[before] - y[at]) * share;
  size_t last = at;
  for (; (inside >> at & 1) != 0; at = at + 1 < count ? at + 1 : 0) {
    to_x[kept] = x[at];
    to_y[kept++] = y[at];
    last = at;
  }
  share = side[last] / (side[last] - side[at]);
  to_x[kept] = x[last] + (x[at] - x[last]) * share;
  to_y[kept++] = y[last] + (y[at] - y[last]) * share;
  region->count = kept;
  region->now = !region->now;
  return CUT_DONE;
}

/* The area that two convex outlines of at most CLIP_CORNERS corners share; negative if rounding confused the corners.
 * The smaller one is cut by the edges of the larger, so that its points stay exact. */
static double clip(const ring_outline *small, const ring_outline *large) {
  if (small->twice_area == 0) return 0;
  clip_region region;
  region.now = 0;
  region.count = small->count;
  ee_box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (size_t i = 0; i < small->count; i++) {
    double x = region.x[0][i] = small->x[i], y = region.y[0][i] = small->y[i];
    box = (ee_box){ee_smaller(box.x1, x), ee_smaller(box.y1, y), ee_larger(box.x2, x), ee_larger(box.y2, y)};
  }
  double middle_x = (box.x1 + box.x2) / 2, middle_y = (box.y1 + box.y2) / 2;
  double half_width = box.x2 - middle_x, half_height = box.y2 - middle_y;
  double sign = large->twice_area > 0 ? 1 : -1;
  for (size_t i = 0; i < large->count; i++) {
    size_t next = i + 1 < large->count ? i + 1 : 0;
    double ax = large->x[i], ay = large->y[i], dx = sign * (large->x[next] - ax), dy = sign * (large->y[next] - ay);
    /* Test the box around all corners first. */
    double side = dx * (middle_y - ay) - dy * (middle_x - ax), reach = fabs(dx) * half_height + fabs(dy) * half_width;
    if (side >= reach) continue;
    if (side < -reach) return 0;
    cut_result cut = cut_region(&region, ax, ay, dx, dy);
    if (cut == CUT_EMPTY) return 0;
    if (cut == CUT_CONFUSED) return -1;
  }
  return shoelace(region.x[region.now], region.y[region.now], region.count);
}

/* The sweep ------------------------------------------------------------------------------------- */

/* The plane is cut into slabs at the y of every vertex. Within a slab the edges are straight lines from its bottom to
 * its top. Ordered by their x in the middle, they are out of order at the bottom or the top only if some cross; then
 * the slab is cut again at each crossing. Without crossings the length inside is linear in y, so its value in the
 * middle times the height is the area.
 *
 * Rounding does no harm: a crossing that is missed or found wrongly is between edges that are no further apart than
 * rounding, and the error of the length is not larger. */

/* An edge from its lower end (x1, y1) to its upper end (x2, y2). Edge i of a ring leaves vertex i; of horizontal edges
 * only the vertices matter. Filled by add_ring_edges(). */
typedef struct sweep_edge {
  double x1, y1, x2, y2;
  double slope;            /* dx / dy; 0 for a horizontal edge */
  double bottom, top, mid; /* x at the ends and in the middle of the current slab */
  uint64_t step;   /* what crossing the edge adds to the winding numbers, of a in the low half, of b from bit 32; 0:
                      horizontal */
  uint32_t before; /* the edge that ends at the start of this one */
  bool starts_low; /* the edge starts at its lower end */
} sweep_edge;

typedef struct sweep_areas {
  double a, b, both;
} sweep_areas;

/* Distances below this share of the whole width are rounding: each x has an error of at most four halves of 2^-52. */
#define ROUNDING_SHARE 0x1p-49

typedef struct vertex {
  double y;
  uint32_t edge; /* the one that starts here */
} vertex;

static bool is_lower(const vertex *a, const vertex *b) { return a->y < b->y; }
EE_DEFINE_SORT(sort_vertices, vertex, is_lower)

static bool is_less(const double *a, const double *b) { return *a < *b; }
EE_DEFINE_SORT(sort_numbers, double, is_less)

/* Two winding numbers in one word, each with a bias so that the lower one never borrows from the upper one. */
#define NO_WINDING UINT64_C(0x8000000080000000)

/* Crossings of one slab that fit on the stack. */
enum { FEW_CROSSINGS = 64 };

typedef struct slab_sweep {
  sweep_edge **active; /* the edges of the current slab, left to right in its middle */
  size_t active_count;
  uint64_t inside_mask; /* of winding numbers: all bits for the non-zero rule, the lowest for the even-odd rule */
  double tolerance;
  double areas[4]; /* outside both, inside a only, b only, both */
  uint64_t steps;  /* left to spend */
  ee_arena *scratch;
} slab_sweep;

/* False if that is more than is left; nothing is left then. */
static inline bool spend(slab_sweep *sweep, uint64_t steps) {
  bool enough = steps <= sweep->steps;
  ee_work(steps);
  sweep->steps = enough ? sweep->steps - steps : 0;
  return enough;
}

/* Appends the edges of the ring through `x`, `y` (at least one point) to `edges`, which has `count`, and returns the
 * new count. */
static size_t add_ring_edges(sweep_edge *edges, size_t count, const double *x, const double *y, size_t points,
                             uint8_t owner) {
  for (size_t i = 0; i < points; i++) {
    size_t next = i + 1 < points ? i + 1 : 0;
    bool low = y[i] <= y[next];
    size_t from = low ? i : next, to = low ? next : i;
    sweep_edge *edge = &edges[count + i];
    double height = y[to] - y[from], slope = height > 0 ? (x[to] - x[from]) / height : 0;
    uint64_t step = UINT64_C(1) << (owner == 0 ? 0 : 32);
    *edge = (sweep_edge){.x1 = x[from],
                         .y1 = y[from],
                         .x2 = x[to],
                         .y2 = y[to],
                         /* The slope of an edge this flat may overflow; as its height is tiny, 0 does no harm. */
                         .slope = isfinite(slope) ? slope : 0,
                         .step = !(height > 0) ? 0
                                 : low         ? step
                                               : -step,
                         .before = (uint32_t)(count + (i > 0 ? i : points) - 1),
                         .starts_low = low};
  }
  return count + points;
}

/* Sorts the active edges by their x in the middle, by insertion: they are nearly sorted. */
static void order_active(slab_sweep *sweep) {
  sweep_edge **active = sweep->active;
  for (size_t i = 1; i < sweep->active_count; i++) {
    sweep_edge *moving = active[i];
    size_t at = i;
    for (; at > 0 && moving->mid < active[at - 1]->mid; at--) active[at] = active[at - 1];
    active[at] = moving;
  }
}

/* Adds the areas of a slab. With `checks` it returns false, and adds nothing, if edges cross: if the order in the
 * middle is not the order at the bottom and at the top. */
static inline bool add_slab(slab_sweep *sweep, double height, bool checks) {
  double widths[4] = {0, 0, 0, 0}, left = 0, bottom = -INFINITY, top = -INFINITY, slack = sweep->tolerance;
  uint64_t winding = NO_WINDING, mask = sweep->inside_mask;
  size_t where = 0;
  for (size_t i = 0; i < sweep->active_count; i++) {
    const sweep_edge *edge = sweep->active[i];
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

/* Writes the crossings of the active edges, as shares of the slab's height, to `out`, at most `room`; returns how many
 * there are. */
static size_t find_crossings(const slab_sweep *sweep, double *out, size_t room) {
  size_t count = 0;
  double slack = -sweep->tolerance;
  for (size_t i = 0; i + 1 < sweep->active_count; i++) {
    const sweep_edge *left = sweep->active[i];
    for (size_t k = i + 1; k < sweep->active_count; k++) {
      const sweep_edge *right = sweep->active[k];
      double bottom = right->bottom - left->bottom, top = right->top - left->top;
      if (bottom >= slack && top >= slack) continue;
      double share = bottom / (bottom - top);
      if (!(share > 0 && share < 1)) continue; /* unreached: except for rounding, the edges are ordered in the middle */
      if (count < room) out[count] = share;
      count++;
    }
  }
  return count;
}

/* Adds a slab in which edges cross, cut at each crossing. False if that takes too many steps. */
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
      sweep_edge *edge = sweep->active[k];
      edge->mid = edge->bottom + (edge->top - edge->bottom) * share;
    }
    order_active(sweep);
    add_slab(sweep, (high - low) * height, false);
    low = high;
  }
  ee_arena_rewind(sweep->scratch, mark);
  return true;
}

static void add_active(slab_sweep *sweep, sweep_edge *edge) {
  if (edge->step == 0) return;
  edge->top = edge->x1; /* becomes the bottom of the next slab */
  sweep->active[sweep->active_count++] = edge;
}

/* Moves on to the slab from `low` to `high`: drops the edges that ended and computes the x of the others. */
static void enter_slab(slab_sweep *sweep, double low, double high) {
  size_t kept = 0;
  for (size_t i = 0; i < sweep->active_count; i++) {
    sweep_edge *edge = sweep->active[i];
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

/* Adds the areas between the heights of two neighbouring vertices; false if that takes too many steps. */
static bool sweep_slab(slab_sweep *sweep, double low, double high) {
  if (!spend(sweep, 2 * (uint64_t)sweep->active_count + 1)) return false;
  enter_slab(sweep, low, high);
  order_active(sweep);
  return add_slab(sweep, high - low, true) || add_crossed_slab(sweep, high - low);
}

/* The areas inside the edges of a, of b, and inside both. Coordinates are at most 1e75 in magnitude. Rounding may put
 * edges in the wrong order, with an error no larger than rounding. O((n + k) * active edges + n log n) for n edges and
 * k crossings. `*steps` (may be NULL) is the budget, about a nanosecond each, and gets what is left; if it does not
 * suffice, the areas are NaN. */
static sweep_areas sweep_edges(sweep_edge *edges, size_t count, ee_fill_rule rule, uint64_t *steps, ee_arena *scratch) {
  if (count == 0) return (sweep_areas){0, 0, 0};
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  slab_sweep sweep = {.active = ee_arena_alloc(scratch, count * sizeof(sweep_edge *)),
                      .inside_mask = rule == EE_FILL_EVEN_ODD ? UINT64_C(0x0000000100000001) : ~UINT64_C(0),
                      .steps = steps != NULL ? *steps : UINT64_MAX,
                      .scratch = scratch};
  vertex *vertices = ee_arena_alloc(scratch, count * sizeof *vertices);
  double left = INFINITY, right = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    const sweep_edge *edge = &edges[i];
    vertices[i] = (vertex){edge->starts_low ? edge->y1 : edge->y2, (uint32_t)i};
    double x = edge->starts_low ? edge->x1 : edge->x2;
    left = ee_smaller(left, x);
    right = ee_larger(right, x);
  }
  sweep.tolerance = (right - left) * ROUNDING_SHARE;
  sort_vertices(vertices, count, scratch);
  for (size_t i = 0;;) {
    double low = vertices[i].y;
    for (; i < count && vertices[i].y == low; i++) {
      /* Of the two edges of the vertex, those that go up from it begin here. */
      sweep_edge *leaving = &edges[vertices[i].edge], *entering = &edges[leaving->before];
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
  return (sweep_areas){
      .a = sweep.areas[1] + sweep.areas[3], .b = sweep.areas[2] + sweep.areas[3], .both = sweep.areas[3]};
}

/* Both polygons -------------------------------------------------------------------------------- */

static size_t points_of(const ee_polygon *polygon) {
  size_t count = 0;
  for (size_t r = 0; r < polygon->count; r++) count += polygon->rings[r].count;
  return count;
}

static size_t add_edges(sweep_edge *edges, size_t count, const ee_polygon *polygon, uint8_t owner,
                        const work_frame *frame, ee_arena *scratch) {
  for (size_t r = 0; r < polygon->count; r++) {
    const ee_ring *ring = &polygon->rings[r];
    ee_arena_mark mark = ee_arena_get_mark(scratch);
    ring_outline outline = {.x = ee_arena_alloc(scratch, ring->count * sizeof(double)),
                            .y = ee_arena_alloc(scratch, ring->count * sizeof(double))};
    load_points(&outline, ring, frame);
    if (outline.count >= 3) count = add_ring_edges(edges, count, outline.x, outline.y, outline.count, owner);
    ee_arena_rewind(scratch, mark);
  }
  return count;
}

/* The areas by the sweep, in the frame; `b` may be NULL. */
static sweep_areas sweep_polygons(const ee_polygon *a, const ee_polygon *b, ee_fill_rule rule, const work_frame *frame,
                                  uint64_t *steps, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  size_t room = points_of(a) + (b != NULL ? points_of(b) : 0);
  sweep_edge *edges = ee_arena_alloc(scratch, room * sizeof *edges);
  size_t count = add_edges(edges, 0, a, 0, frame, scratch);
  if (b != NULL) count = add_edges(edges, count, b, 1, frame, scratch);
  sweep_areas areas = sweep_edges(edges, count, rule, steps, scratch);
  ee_arena_rewind(scratch, mark);
  return areas;
}

/* The area of one polygon, in the frame. */
static double area_inside(const ee_polygon *polygon, ee_fill_rule rule, const work_frame *frame, uint64_t *steps,
                          ee_arena *scratch) {
  if (polygon->count == 1) {
    ee_arena_mark mark = ee_arena_get_mark(scratch);
    const ee_ring *ring = polygon->rings;
    ring_outline outline = {.x = ee_arena_alloc(scratch, ring->count * sizeof(double)),
                            .y = ee_arena_alloc(scratch, ring->count * sizeof(double))};
    load_outline(&outline, ring, frame);
    ee_arena_rewind(scratch, mark);
    if (outline.is_convex) return fabs(outline.twice_area) / 2;
  }
  return sweep_polygons(polygon, NULL, rule, frame, steps, scratch).a;
}

static bool is_same_point(ee_point a, ee_point b) { return a.x == b.x && a.y == b.y; }

/* The number of points without those at the end that repeat the first; not all do. */
static size_t open_count(const ee_ring *ring) {
  size_t count = ring->count;
  while (is_same_point(ring->points[count - 1], ring->points[0])) count--;
  return count;
}

/* Whether two rings that are not points have the same points in the same order, from any start and in either direction.
 */
static bool is_same_ring(const ee_ring *a, const ee_ring *b) {
  size_t count = open_count(a), tries = 4;
  if (count != open_count(b)) return false;
  for (size_t start = 0; start < count && tries > 0; start++) {
    if (!is_same_point(a->points[0], b->points[start])) continue;
    tries--; /* bounds the search in a ring of repeated points */
    size_t onward = 0, back = 0;
    while (onward < count && is_same_point(a->points[onward], b->points[(start + onward) % count])) onward++;
    while (back < count && is_same_point(a->points[back], b->points[(start + count - back) % count])) back++;
    if (onward == count || back == count) return true;
  }
  return false;
}

static bool is_same_polygon(const ee_polygon *a, const ee_polygon *b) {
  if (a->count != b->count) return false;
  /* With several rings and the non-zero rule the direction matters. */
  bool any_direction = a->count == 1;
  for (size_t r = 0; r < a->count; r++) {
    const ee_ring *x = &a->rings[r], *y = &b->rings[r];
    if (any_direction) return is_same_ring(x, y);
    if (x->count != y->count) return false;
    for (size_t i = 0; i < x->count; i++)
      if (!is_same_point(x->points[i], y->points[i])) return false;
  }
  return true;
}

typedef struct measured_overlap {
  work_frame frame;
  bool are_apart;   /* the other members are then not set */
  sweep_areas area; /* in the frame */
} measured_overlap;

/* Clips two convex rings; false unless both are convex and small and rounding confused nothing. */
static bool clip_overlap(const ee_polygon *a, const ee_polygon *b, measured_overlap *overlap) {
  if (a->count != 1 || b->count != 1 || a->rings->count > CLIP_CORNERS || b->rings->count > CLIP_CORNERS) return false;
  double room[4][CLIP_CORNERS + 1];
  ring_outline outline_a = {.x = room[0], .y = room[1]}, outline_b = {.x = room[2], .y = room[3]};
  load_outline(&outline_a, a->rings, &overlap->frame);
  if (!outline_a.is_convex) return false;
  load_outline(&outline_b, b->rings, &overlap->frame);
  if (!outline_b.is_convex) return false;
  bool a_is_small = fabs(outline_a.twice_area) <= fabs(outline_b.twice_area);
  double both = a_is_small ? clip(&outline_a, &outline_b) : clip(&outline_b, &outline_a);
  if (both < 0) return false;
  overlap->area = (sweep_areas){fabs(outline_a.twice_area) / 2, fabs(outline_b.twice_area) / 2, both};
  return true;
}

static measured_overlap measure(const ee_polygon *a, const ee_polygon *b, ee_fill_rule rule, uint64_t *steps,
                                ee_arena *scratch) {
  measured_overlap overlap = {.are_apart = false};
  ee_box a_box = ee_polygon_bounds(a), b_box = ee_polygon_bounds(b);
  if (!(a_box.x1 < b_box.x2 && b_box.x1 < a_box.x2 && a_box.y1 < b_box.y2 && b_box.y1 < a_box.y2)) {
    overlap.are_apart = true;
    return overlap;
  }
  overlap.frame = frame_of(a_box, b_box);
  bool same_bounds = a_box.x1 == b_box.x1 && a_box.y1 == b_box.y1 && a_box.x2 == b_box.x2 && a_box.y2 == b_box.y2;
  if (same_bounds && is_same_polygon(a, b)) {
    double area = area_inside(a, rule, &overlap.frame, steps, scratch);
    overlap.area = (sweep_areas){area, area, area};
    return overlap;
  }
  if (!clip_overlap(a, b, &overlap)) overlap.area = sweep_polygons(a, b, rule, &overlap.frame, steps, scratch);
  /* Rounding must not make the overlap larger than either area; NaN stays. */
  if (!isnan(overlap.area.both))
    overlap.area.both = ee_smaller(overlap.area.both, ee_smaller(overlap.area.a, overlap.area.b));
  return overlap;
}

double ee_polygon_area(const ee_polygon *polygon, ee_fill_rule rule, uint64_t *steps, ee_arena *scratch) {
  ee_box box = ee_polygon_bounds(polygon);
  work_frame frame = frame_of(box, box);
  return area_outside(&frame, area_inside(polygon, rule, &frame, steps, scratch));
}

double ee_polygon_intersection(const ee_polygon *a, const ee_polygon *b, ee_fill_rule rule, uint64_t *steps,
                               ee_arena *scratch) {
  measured_overlap overlap = measure(a, b, rule, steps, scratch);
  return overlap.are_apart ? 0 : area_outside(&overlap.frame, overlap.area.both);
}

double ee_polygon_iou(const ee_polygon *a, const ee_polygon *b, ee_fill_rule rule, uint64_t *steps, ee_arena *scratch) {
  measured_overlap overlap = measure(a, b, rule, steps, scratch);
  if (overlap.are_apart) return 0;
  double all = overlap.area.a + overlap.area.b - overlap.area.both;
  if (isnan(all)) return all;
  return all > 0 ? ee_smaller(overlap.area.both / all, 1) : 0;
}
