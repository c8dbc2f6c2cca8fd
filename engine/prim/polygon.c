/* polygon.c: areas of polygons and of their intersections.
 *
 * All work is done in a frame of its own: axes scaled by powers of two where coordinates are no ordinary numbers, as
 * for boxes, and the origin in the middle of what the two polygons share. */
#include "prim/polygon.h"

#include <float.h>
#include <math.h>

#include "prim/magnitude.h"
#include "prim/polygon_sweep.h"

/* Convex rings of up to so many corners are clipped, with a bit a corner and arrays on the stack; the sweep is no
 * slower on larger ones. */
enum { CLIP_CORNERS = 24, CLIP_ROOM = 2 * CLIP_CORNERS + 2 };

const char *ee_polygon_check(const ee_polygon *polygon) {
  if (polygon->count == 0) return "a polygon without a ring";
  for (size_t r = 0; r < polygon->count; r++) {
    const ee_ring *ring = &polygon->rings[r];
    if (ring->count < 3) return "a ring of fewer than three points";
    for (size_t i = 0; i < ring->count; i++)
      if (!isfinite(ring->points[i].x) || !isfinite(ring->points[i].y)) return "a coordinate is no finite number";
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
  double cosine = cos(centre_size_angle[4]), sine = sin(centre_size_angle[4]);
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

/* An area of the frame in the units of the caller; the largest double where it is more. */
static double area_outside(const work_frame *frame, double area) {
  int exponent = frame->x_exponent + frame->y_exponent;
  return exponent == 0 || isnan(area) ? area : ee_smaller(ldexp(area, -exponent), DBL_MAX);
}

/* One ring in the frame, without points that repeat the one before. */
typedef struct ring_outline {
  double *x, *y; /* room for all points of the ring */
  size_t count;
  double twice_area; /* signed: above 0 counter-clockwise where y points up */
  bool
      is_convex; /* turns one way only, once around, as far as rounding can tell; the area is then that of the inside */
} ring_outline;

/* What a convex ring must keep to: every turn to one side, and only one way there and back along the axis. */
typedef struct turn_record {
  double dx, dy; /* the last edge */
  bool left, right, forward;
  int changes;
} turn_record;

/* Without branches: where a ring turns back is anybody's guess. */
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
  if (count < 3) return 0;
  double twice = x[count - 1] * y[0] - y[count - 1] * x[0];
  for (size_t i = 0; i + 1 < count; i++) twice += x[i] * y[i + 1] - y[i] * x[i + 1];
  return fabs(twice) / 2;
}

/* Clipping ------------------------------------------------------------------------------------- */

/* A convex region that is cut smaller, in one of two arrays by turns. */
typedef struct clip_region {
  double x[2][CLIP_ROOM], y[2][CLIP_ROOM];
  size_t count;
  int now;
} clip_region;

typedef enum cut_result { CUT_DONE, CUT_EMPTY, CUT_CONFUSED } cut_result;

/* Keeps what lies to the left of the line from (ax, ay) along (dx, dy). */
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
  /* The corners that stay are one run; where it begins, the one before goes. */
  uint64_t begins = inside & ~((inside << 1 | inside >> (count - 1)) & all);
  if ((begins & (begins - 1)) != 0) return CUT_CONFUSED; /* only by rounding */
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

/* The area that two convex outlines of at most CLIP_CORNERS corners share; below 0 where rounding confused the corners.
 * The smaller one is cut by the edges of the larger, so that its points stay as exact as they are. */
static double clip(const ring_outline *small, const ring_outline *large) {
  if (small->twice_area == 0 || large->twice_area == 0) return 0;
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
    /* The box around all corners may tell at once. */
    double side = dx * (middle_y - ay) - dy * (middle_x - ax), reach = fabs(dx) * half_height + fabs(dy) * half_width;
    if (side >= reach) continue;
    if (side < -reach) return 0;
    cut_result cut = cut_region(&region, ax, ay, dx, dy);
    if (cut == CUT_EMPTY) return 0;
    if (cut == CUT_CONFUSED) return -1;
  }
  return shoelace(region.x[region.now], region.y[region.now], region.count);
}

/* Both polygons -------------------------------------------------------------------------------- */

static size_t points_of(const ee_polygon *polygon) {
  size_t count = 0;
  for (size_t r = 0; r < polygon->count; r++) count += polygon->rings[r].count;
  return count;
}

static size_t add_edges(ee_sweep_edge *edges, size_t count, const ee_polygon *polygon, uint8_t owner,
                        const work_frame *frame, ee_arena *scratch) {
  for (size_t r = 0; r < polygon->count; r++) {
    const ee_ring *ring = &polygon->rings[r];
    ee_arena_mark mark = ee_arena_get_mark(scratch);
    ring_outline outline = {.x = ee_arena_alloc(scratch, ring->count * sizeof(double)),
                            .y = ee_arena_alloc(scratch, ring->count * sizeof(double))};
    load_points(&outline, ring, frame);
    if (outline.count >= 3) count = ee_sweep_add_ring(edges, count, outline.x, outline.y, outline.count, owner);
    ee_arena_rewind(scratch, mark);
  }
  return count;
}

/* By the sweep, in the frame; `b` may be NULL. */
static ee_sweep_areas sweep_areas(const ee_polygon *a, const ee_polygon *b, ee_fill_rule rule, const work_frame *frame,
                                  uint64_t *steps, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  size_t room = points_of(a) + (b != NULL ? points_of(b) : 0);
  ee_sweep_edge *edges = ee_arena_alloc(scratch, room * sizeof *edges);
  size_t count = add_edges(edges, 0, a, 0, frame, scratch);
  if (b != NULL) count = add_edges(edges, count, b, 1, frame, scratch);
  ee_sweep_areas areas = ee_polygon_sweep(edges, count, rule, steps, scratch);
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
  return sweep_areas(polygon, NULL, rule, frame, steps, scratch).a;
}

static bool is_same_point(ee_point a, ee_point b) { return a.x == b.x && a.y == b.y; }

/* The number of points without those at the end that repeat the first. */
static size_t open_count(const ee_ring *ring) {
  size_t count = ring->count;
  while (count > 1 && is_same_point(ring->points[count - 1], ring->points[0])) count--;
  return count;
}

/* Whether two rings have the same points around, from any start and in either direction. */
static bool is_same_ring(const ee_ring *a, const ee_ring *b) {
  size_t count = open_count(a), tries = 4;
  if (count != open_count(b)) return false;
  for (size_t start = 0; start < count && tries > 0; start++) {
    if (!is_same_point(a->points[0], b->points[start])) continue;
    tries--; /* a ring of nothing but repeated points is not worth a search */
    size_t onward = 0, back = 0;
    while (onward < count && is_same_point(a->points[onward], b->points[(start + onward) % count])) onward++;
    while (back < count && is_same_point(a->points[back], b->points[(start + count - back) % count])) back++;
    if (onward == count || back == count) return true;
  }
  return false;
}

static bool is_same_polygon(const ee_polygon *a, const ee_polygon *b) {
  if (a->count != b->count) return false;
  /* By the non-zero rule a ring means something else beside others when it runs the other way. */
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
  bool are_apart;      /* nothing else is filled */
  ee_sweep_areas area; /* in the frame */
} measured_overlap;

/* Clips two convex rings; false where they are not both convex and small, or rounding forbids it. */
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
  overlap->area = (ee_sweep_areas){fabs(outline_a.twice_area) / 2, fabs(outline_b.twice_area) / 2, both};
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
    overlap.area = (ee_sweep_areas){area, area, area};
    return overlap;
  }
  if (!clip_overlap(a, b, &overlap)) overlap.area = sweep_areas(a, b, rule, &overlap.frame, steps, scratch);
  /* Rounding must not make the shared part larger than either; NaN stays. */
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
