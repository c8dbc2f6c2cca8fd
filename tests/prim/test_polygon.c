/* test_polygon.c: areas of polygons against slower ways, and the limit of steps. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prim/polygon.h"
#include "prim/random_double.h"
#include "support/arena.h"
#include "support/random.h"

enum { MOST_RINGS = 3, MOST_POINTS = 140 };

/* A polygon with room for its points. */
typedef struct test_shape {
  ee_point points[MOST_RINGS][MOST_POINTS];
  ee_ring rings[MOST_RINGS];
  size_t count;
} test_shape;

static ee_polygon polygon_of(test_shape *shape) {
  for (size_t r = 0; r < shape->count; r++) shape->rings[r].points = shape->points[r];
  return (ee_polygon){shape->rings, shape->count};
}

static void add_point(test_shape *shape, size_t ring, double x, double y) {
  assert_true(shape->rings[ring].count < MOST_POINTS);
  shape->points[ring][shape->rings[ring].count++] = (ee_point){x, y};
}

/* Slabs in long doubles ------------------------------------------------------------------------ */

typedef struct edge {
  long double x1, y1, x2, y2;
  int direction, owner;
} edge;

typedef struct hit {
  long double x;
  int direction, owner;
} hit;

typedef struct areas {
  long double a, b, both;
} areas;

enum { MOST_EDGES = 2 * MOST_RINGS * MOST_POINTS, MOST_CUTS = 200000 };

static int compare_cuts(const void *a, const void *b) {
  long double x = *(const long double *)a, y = *(const long double *)b;
  return (x > y) - (x < y);
}
static int compare_hits(const void *a, const void *b) {
  return compare_cuts(&((const hit *)a)->x, &((const hit *)b)->x);
}

static size_t add_edges(edge *edges, size_t count, const ee_polygon *polygon, int owner) {
  for (size_t r = 0; r < polygon->count; r++)
    for (size_t i = 0; i < polygon->rings[r].count; i++) {
      ee_point p = polygon->rings[r].points[i], q = polygon->rings[r].points[(i + 1) % polygon->rings[r].count];
      edges[count++] = p.y <= q.y ? (edge){p.x, p.y, q.x, q.y, 1, owner} : (edge){q.x, q.y, p.x, p.y, -1, owner};
    }
  return count;
}

static long double x_at(const edge *e, long double y) {
  return e->x1 + (e->x2 - e->x1) * ((y - e->y1) / (e->y2 - e->y1));
}

/* Cuts at every y where any two edges cross: the lines through both, solved. */
static size_t add_crossings(const edge *edges, size_t count, long double *cuts, size_t cut_count) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = i + 1; k < count; k++) {
      const edge *e = &edges[i], *f = &edges[k];
      long double dx = e->x2 - e->x1, dy = e->y2 - e->y1, fx = f->x2 - f->x1, fy = f->y2 - f->y1;
      long double turn = dx * fy - dy * fx;
      if (turn == 0) continue;
      long double t = ((f->x1 - e->x1) * fy - (f->y1 - e->y1) * fx) / turn;
      if (!(t > 0 && t < 1)) continue;
      assert_true(cut_count < MOST_CUTS);
      cuts[cut_count++] = e->y1 + dy * t;
    }
  return cut_count;
}

static areas slow_areas(const ee_polygon *a, const ee_polygon *b, ee_fill_rule rule) {
  static edge edges[MOST_EDGES];
  static hit hits[MOST_EDGES];
  static long double cuts[MOST_CUTS];
  size_t count = add_edges(edges, add_edges(edges, 0, a, 0), b, 1), cut_count = 0;
  for (size_t i = 0; i < count; i++) {
    cuts[cut_count++] = edges[i].y1;
    cuts[cut_count++] = edges[i].y2;
  }
  cut_count = add_crossings(edges, count, cuts, cut_count);
  qsort(cuts, cut_count, sizeof *cuts, compare_cuts);
  areas sum = {0, 0, 0};
  for (size_t c = 0; c + 1 < cut_count; c++) {
    long double low = cuts[c], high = cuts[c + 1], y = (low + high) / 2;
    if (!(low < y && y < high)) continue;
    size_t hit_count = 0;
    for (size_t i = 0; i < count; i++)
      if (edges[i].y1 < y && edges[i].y2 > y)
        hits[hit_count++] = (hit){x_at(&edges[i], y), edges[i].direction, edges[i].owner};
    qsort(hits, hit_count, sizeof *hits, compare_hits);
    int winding[2] = {0, 0};
    for (size_t i = 0; i + 1 < hit_count; i++) {
      winding[hits[i].owner] += hits[i].direction;
      bool in[2];
      for (int owner = 0; owner < 2; owner++)
        in[owner] = rule == EE_FILL_EVEN_ODD ? winding[owner] % 2 != 0 : winding[owner] != 0;
      long double area = (hits[i + 1].x - hits[i].x) * (high - low);
      sum.a += in[0] ? area : 0;
      sum.b += in[1] ? area : 0;
      sum.both += in[0] && in[1] ? area : 0;
    }
  }
  return sum;
}

/* A raster ----------------------------------------------------------------------------------------------------------
 */

static bool is_inside(const ee_polygon *polygon, double x, double y, ee_fill_rule rule) {
  int winding = 0;
  for (size_t r = 0; r < polygon->count; r++)
    for (size_t i = 0; i < polygon->rings[r].count; i++) {
      ee_point p = polygon->rings[r].points[i], q = polygon->rings[r].points[(i + 1) % polygon->rings[r].count];
      if ((p.y <= y) == (q.y <= y)) continue;
      if (p.x + (q.x - p.x) * ((y - p.y) / (q.y - p.y)) > x) winding += p.y < q.y ? 1 : -1;
    }
  return rule == EE_FILL_EVEN_ODD ? winding % 2 != 0 : winding != 0;
}

static double perimeter(const ee_polygon *polygon) {
  double sum = 0;
  for (size_t r = 0; r < polygon->count; r++)
    for (size_t i = 0; i < polygon->rings[r].count; i++) {
      ee_point p = polygon->rings[r].points[i], q = polygon->rings[r].points[(i + 1) % polygon->rings[r].count];
      sum += hypot(p.x - q.x, p.y - q.y);
    }
  return sum;
}

static void assert_like_raster(const ee_polygon *a, const ee_polygon *b, ee_fill_rule rule) {
  enum { SIDE = 200 };
  ee_box box = ee_polygon_bounds(a), other = ee_polygon_bounds(b);
  box = (ee_box){fmin(box.x1, other.x1), fmin(box.y1, other.y1), fmax(box.x2, other.x2), fmax(box.y2, other.y2)};
  double width = (box.x2 - box.x1) / SIDE, height = (box.y2 - box.y1) / SIDE;
  size_t in_a = 0, in_b = 0, in_both = 0;
  for (int i = 0; i < SIDE; i++)
    for (int k = 0; k < SIDE; k++) {
      double x = box.x1 + (i + 0.4871) * width, y = box.y1 + (k + 0.5123) * height;
      bool a_has = is_inside(a, x, y, rule), b_has = is_inside(b, x, y, rule);
      in_a += a_has;
      in_b += b_has;
      in_both += a_has && b_has;
    }
  double cell = width * height, far = fmax(width, height);
  double error_a = perimeter(a) * far / 2 + cell, error_b = perimeter(b) * far / 2 + cell;
  assert_true(fabs(ee_polygon_area(a, rule, NULL, &arena) - (double)in_a * cell) <= error_a);
  assert_true(fabs(ee_polygon_area(b, rule, NULL, &arena) - (double)in_b * cell) <= error_b);
  assert_true(fabs(ee_polygon_intersection(a, b, rule, NULL, &arena) - (double)in_both * cell) <= error_a + error_b);
}

/* Random polygons ---------------------------------------------------------------------------------------------------
 */

static double between(test_random *random, double low, double high) {
  return low + test_random_unit(random) * (high - low);
}

/* Corners in the order of their angles around a point; at one distance they are convex. */
static void add_round_ring(test_random *random, test_shape *shape, double x, double y, double size, size_t corners,
                           bool is_convex, bool is_turned) {
  size_t ring = shape->count++;
  double angles[MOST_POINTS];
  for (size_t i = 0; i < corners; i++) angles[i] = ((double)i + 0.9 * test_random_unit(random)) / (double)corners;
  for (size_t i = 0; i < corners; i++) {
    double angle = 2 * M_PI * angles[is_turned ? corners - 1 - i : i];
    double far = size * (is_convex ? 1 : between(random, 0.2, 1));
    add_point(shape, ring, x + cos(angle) * far, y + sin(angle) * far * 0.8);
  }
}

typedef enum shape_kind { CONVEX, CONCAVE, CROSSING, HOLES, PARTS, GRID, THIN, KINDS } shape_kind;

static void make_shape(test_random *random, shape_kind kind, test_shape *shape) {
  memset(shape, 0, sizeof *shape);
  double x = between(random, -3, 3), y = between(random, -3, 3);
  size_t corners = 3 + test_random_below(random, test_random_below(random, 8) == 0 ? 40 : 9);
  bool is_turned = test_random_below(random, 2) == 0;
  switch (kind) {
  case CONVEX: add_round_ring(random, shape, x, y, between(random, 1, 6), corners, true, is_turned); break;
  case CONCAVE: add_round_ring(random, shape, x, y, between(random, 1, 6), corners, false, is_turned); break;
  case CROSSING:
    shape->count = 1;
    if (corners > 20) corners = 20;
    for (size_t i = 0; i < corners; i++) add_point(shape, 0, between(random, -5, 5), between(random, -5, 5));
    break;
  case HOLES:
    add_round_ring(random, shape, x, y, 5, corners, false, false);
    add_round_ring(random, shape, x, y, 2, corners, true, is_turned);
    break;
  case PARTS:
    for (int part = 0; part < 3; part++)
      add_round_ring(random, shape, between(random, -4, 4), between(random, -4, 4), 2.5, corners, part == 0, is_turned);
    break;
  case GRID: /* edges and corners in common, collinear and repeated points, spikes, no area at all */
    for (size_t ring = 0; ring <= test_random_below(random, 2); ring++) {
      shape->count = ring + 1;
      size_t count = 3 + test_random_below(random, 8), side = 2 + test_random_below(random, 5);
      for (size_t i = 0; i < count; i++)
        add_point(shape, ring, (double)test_random_below(random, side), (double)test_random_below(random, side));
    }
    break;
  default: /* nearly a line */
    shape->count = 1;
    for (size_t i = 0; i < corners; i++) {
      double t = between(random, -5, 5);
      add_point(shape, 0, t + between(random, -1e-3, 1e-3), t * 0.7 + between(random, -1e-3, 1e-3));
    }
    break;
  }
}

/* The same outline in other words: another start and direction, points added on edges, points repeated. */
static void respell(test_random *random, const test_shape *from, test_shape *to) {
  memset(to, 0, sizeof *to);
  to->count = from->count;
  for (size_t r = 0; r < from->count; r++) {
    size_t count = from->rings[r].count, start = test_random_below(random, count);
    bool is_turned = from->count == 1 && test_random_below(random, 2) == 0;
    for (size_t i = 0; i < count; i++) {
      ee_point p = from->points[r][(is_turned ? start + count - i : start + i) % count];
      ee_point q = from->points[r][(is_turned ? start + 2 * count - i - 1 : start + i + 1) % count];
      add_point(to, r, p.x, p.y);
      if (test_random_below(random, 4) == 0) add_point(to, r, p.x, p.y);
      if (test_random_below(random, 4) == 0) add_point(to, r, (p.x + q.x) / 2, (p.y + q.y) / 2);
    }
    if (test_random_below(random, 4) == 0) add_point(to, r, to->points[r][0].x, to->points[r][0].y);
  }
}

/* A second polygon: of any kind, or made of the first: a part of its corners moved, or all by little. */
static void make_partner(test_random *random, shape_kind first, const test_shape *a, test_shape *b) {
  size_t choice = test_random_below(random, 8);
  if (choice >= 3) {
    make_shape(random, choice == 3 ? (shape_kind)test_random_below(random, KINDS) : first, b);
    return;
  }
  respell(random, a, b);
  for (size_t r = 0; r < b->count; r++)
    for (size_t i = 0; i < b->rings[r].count; i++) {
      if (choice == 0 && test_random_below(random, 4) == 0) b->points[r][i].x += between(random, -1, 1);
      if (choice == 1) b->points[r][i].y += between(random, -1e-12, 1e-12);
    }
}

static void print_polygon(const char *name, const ee_polygon *polygon) {
  for (size_t r = 0; r < polygon->count; r++) {
    fprintf(stderr, "%s:", name);
    for (size_t i = 0; i < polygon->rings[r].count; i++)
      fprintf(stderr, " %.17g,%.17g", polygon->rings[r].points[i].x, polygon->rings[r].points[i].y);
    fprintf(stderr, "\n");
  }
}

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      print_polygon("a", &a);                                                                                          \
      print_polygon("b", &b);                                                                                          \
      fail_msg("rule %d: %s", (int)rule, #condition);                                                                  \
    }                                                                                                                  \
  } while (0)

static void assert_right(ee_polygon a, ee_polygon b, ee_fill_rule rule) {
  areas want = slow_areas(&a, &b, rule);
  /* Rounding of coordinates moves edges; the error is at most of this size. */
  ee_box a_box = ee_polygon_bounds(&a), b_box = ee_polygon_bounds(&b);
  double error_a = 2e-15 * perimeter(&a) * (1 + fmax(fabs(a_box.x1), fabs(a_box.x2)));
  double error_b = 2e-15 * perimeter(&b) * (1 + fmax(fabs(b_box.x1), fabs(b_box.x2)));
  double area_a = ee_polygon_area(&a, rule, NULL, &arena), area_b = ee_polygon_area(&b, rule, NULL, &arena);
  double both = ee_polygon_intersection(&a, &b, rule, NULL, &arena), iou = ee_polygon_iou(&a, &b, rule, NULL, &arena);
  CHECK(fabsl(area_a - want.a) <= error_a);
  CHECK(fabsl(area_b - want.b) <= error_b);
  CHECK(fabsl(both - want.both) <= error_a + error_b);
  CHECK(both >= 0 && both <= area_a + error_a && both <= area_b + error_b);
  CHECK(iou >= 0 && iou <= 1);
  long double all = want.a + want.b - want.both;
  if (all > 100 * (error_a + error_b)) CHECK(fabsl(iou - want.both / all) <= 4 * (error_a + error_b) / all);
  CHECK(fabs(ee_polygon_intersection(&b, &a, rule, NULL, &arena) - both) <= error_a + error_b);
  CHECK(ee_polygon_intersection(&a, &a, rule, NULL, &arena) == area_a);
  CHECK(ee_polygon_iou(&a, &a, rule, NULL, &arena) == (area_a > 0 ? 1 : 0));
}

static void agrees_with_slabs(void **state) {
  (void)state;
  test_random random = test_random_start("polygon: slabs", 621);
  static test_shape a, b;
  size_t overlapping = 0, rounds = 0;
  for (int round = 0; round < 1400; round++) {
    shape_kind first = (shape_kind)(round % KINDS);
    make_shape(&random, first, &a);
    make_partner(&random, first, &a, &b);
    for (int rule = 0; rule < 2; rule++) {
      assert_right(polygon_of(&a), polygon_of(&b), (ee_fill_rule)rule);
      ee_polygon x = polygon_of(&a), y = polygon_of(&b);
      overlapping += ee_polygon_intersection(&x, &y, (ee_fill_rule)rule, NULL, &arena) > 0;
      rounds++;
    }
  }
  assert_true(overlapping > rounds / 2);
}

static void agrees_with_a_raster(void **state) {
  (void)state;
  test_random random = test_random_start("polygon: raster", 622);
  static test_shape a, b;
  for (int round = 0; round < 10 * KINDS; round++) {
    shape_kind first = (shape_kind)(round % KINDS);
    make_shape(&random, first, &a);
    make_partner(&random, first, &a, &b);
    ee_polygon x = polygon_of(&a), y = polygon_of(&b);
    assert_like_raster(&x, &y, round % 2 == 0 ? EE_FILL_EVEN_ODD : EE_FILL_NON_ZERO);
  }
}

/* Rings that are too large to be clipped, and crossings too many for the stack. */
static void agrees_on_large_ones(void **state) {
  (void)state;
  test_random random = test_random_start("polygon: large", 623);
  static test_shape a, b;
  for (int round = 0; round < 3; round++) {
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    if (round % 3 < 2) {
      add_round_ring(&random, &a, 0, 0, 5, 120, round % 3 == 0, false);
      add_round_ring(&random, &b, 1, 0.5, 5, 130, round % 3 == 0, true);
    } else {
      a.count = b.count = 1;
      for (int i = 0; i < 60; i++) {
        /* Nearly upright zigzags: hundreds of crossings in one slab. */
        add_point(&a, 0, between(&random, -5, 5), i % 2 == 0 ? 0 : 10);
        add_point(&b, 0, between(&random, -5, 5), i % 2 == 0 ? -1 : 9);
      }
    }
    for (int rule = 0; rule < 2; rule++) assert_right(polygon_of(&a), polygon_of(&b), (ee_fill_rule)rule);
  }
}

/* Properties --------------------------------------------------------------------------------------------------------
 */

static void transform(const test_shape *from, test_shape *to, double x_factor, double y_factor, double dx, double dy) {
  *to = *from;
  for (size_t r = 0; r < to->count; r++)
    for (size_t i = 0; i < to->rings[r].count; i++) {
      to->points[r][i].x = to->points[r][i].x * x_factor + dx;
      to->points[r][i].y = to->points[r][i].y * y_factor + dy;
    }
}

static void keeps_its_value(void **state) {
  (void)state;
  test_random random = test_random_start("polygon: moved and scaled", 624);
  static test_shape a, b, other_a, other_b;
  for (int round = 0; round < 2000; round++) {
    ee_fill_rule rule = round % 2 == 0 ? EE_FILL_EVEN_ODD : EE_FILL_NON_ZERO;
    shape_kind first = round % 4 < 2 ? GRID : (shape_kind)test_random_below(&random, KINDS);
    make_shape(&random, first, &a);
    make_partner(&random, first, &a, &b);
    ee_polygon x = polygon_of(&a), y = polygon_of(&b);
    double iou = ee_polygon_iou(&x, &y, rule, NULL, &arena), both = ee_polygon_intersection(&x, &y, rule, NULL, &arena);
    /* By powers of two, to the bit, an axis at a time. */
    int power = (int)test_random_below(&random, 1800) - 900, other = (int)test_random_below(&random, 1800) - 900;
    transform(&a, &other_a, ldexp(1, power), ldexp(1, other), 0, 0);
    transform(&b, &other_b, ldexp(1, power), ldexp(1, other), 0, 0);
    ee_polygon p = polygon_of(&other_a), q = polygon_of(&other_b);
    assert_true(ee_polygon_iou(&p, &q, rule, NULL, &arena) == iou);
    double scaled = ldexp(both, power + other);
    if (scaled > DBL_MAX) scaled = DBL_MAX;
    if (scaled == 0 || scaled > DBL_MIN) assert_true(ee_polygon_intersection(&p, &q, rule, NULL, &arena) == scaled);
    /* Whole numbers by whole numbers, to the bit. */
    if (first == GRID && floor(y.rings[0].points[0].x) == y.rings[0].points[0].x) {
      make_shape(&random, GRID, &b);
      iou = ee_polygon_iou(&x, &(ee_polygon){polygon_of(&b).rings, b.count}, rule, NULL, &arena);
      double dx = (double)test_random_below(&random, 2001) - 1000, dy = (double)test_random_below(&random, 2001) - 1000;
      transform(&a, &other_a, 1, 1, dx, dy);
      transform(&b, &other_b, 1, 1, dx, dy);
      p = polygon_of(&other_a), q = polygon_of(&other_b);
      assert_true(ee_polygon_iou(&p, &q, rule, NULL, &arena) == iou);
    }
  }
}

static void spelling_changes_nothing(void **state) {
  (void)state;
  test_random random = test_random_start("polygon: respelt", 625);
  static test_shape a, b, again;
  for (int round = 0; round < 2000; round++) {
    ee_fill_rule rule = round % 2 == 0 ? EE_FILL_EVEN_ODD : EE_FILL_NON_ZERO;
    make_shape(&random, (shape_kind)(round % KINDS), &a);
    make_shape(&random, (shape_kind)test_random_below(&random, KINDS), &b);
    respell(&random, &a, &again);
    ee_polygon x = polygon_of(&a), y = polygon_of(&b), z = polygon_of(&again);
    double area = ee_polygon_area(&x, rule, NULL, &arena), error = 1e-11;
    assert_true(fabs(ee_polygon_area(&z, rule, NULL, &arena) - area) <= error);
    assert_true(fabs(ee_polygon_intersection(&z, &y, rule, NULL, &arena) -
                     ee_polygon_intersection(&x, &y, rule, NULL, &arena)) <= error);
    assert_true(fabs(ee_polygon_intersection(&z, &x, rule, NULL, &arena) - area) <= error);
    if (area > 0.1) assert_true(ee_polygon_iou(&x, &z, rule, NULL, &arena) > 1 - 1e-9);
    /* Turned by a quarter. */
    static test_shape turned_a, turned_b;
    turned_a = a;
    turned_b = b;
    for (size_t r = 0; r < MOST_RINGS; r++)
      for (size_t i = 0; i < MOST_POINTS; i++) {
        turned_a.points[r][i] = (ee_point){-a.points[r][i].y, a.points[r][i].x};
        turned_b.points[r][i] = (ee_point){-b.points[r][i].y, b.points[r][i].x};
      }
    ee_polygon p = polygon_of(&turned_a), q = polygon_of(&turned_b);
    assert_true(fabs(ee_polygon_intersection(&p, &q, rule, NULL, &arena) -
                     ee_polygon_intersection(&x, &y, rule, NULL, &arena)) <= error);
  }
}

/* One ring, from any start and in any direction, is equal to itself to the bit. */
static void equal_rings_are_equal(void **state) {
  (void)state;
  test_random random = test_random_start("polygon: equal rings", 626);
  static test_shape a, b;
  for (int round = 0; round < 1000; round++) {
    make_shape(&random, (shape_kind)(round % 3), &a);
    size_t count = a.rings[0].count, start = test_random_below(&random, count);
    memset(&b, 0, sizeof b);
    b.count = 1;
    for (size_t i = 0; i < count; i++) {
      ee_point point = a.points[0][(round % 2 == 0 ? start + i : start + count - i) % count];
      add_point(&b, 0, point.x, point.y);
    }
    if (round % 5 == 0) add_point(&b, 0, b.points[0][0].x, b.points[0][0].y);
    ee_polygon x = polygon_of(&a), y = polygon_of(&b);
    assert_true(ee_polygon_iou(&x, &y, EE_FILL_NON_ZERO, NULL, &arena) == 1);
  }
}

static void survives_extremes(void **state) {
  (void)state;
  test_random random = test_random_start("polygon: extremes", 627);
  static test_shape a, b;
  static const double special[] = {0,    -0.0, 5e-324, 1e-300, 1e-71, 1e-70,  1,       1e-16,
                                   1e69, 1e71, 1e154,  1e300,  1e308, -1e308, DBL_MAX, -DBL_MAX};
  for (int round = 0; round < 20000; round++) {
    test_shape *const shapes[] = {&a, &b};
    for (int side = 0; side < 2; side++) {
      memset(shapes[side], 0, sizeof a);
      shapes[side]->count = 1;
      size_t corners = 3 + test_random_below(&random, 6);
      for (size_t i = 0; i < corners; i++) {
        double at[2];
        for (int axis = 0; axis < 2; axis++)
          at[axis] = round % 2 == 0 ? test_random_double(&random)
                                    : special[test_random_below(&random, sizeof special / sizeof *special)];
        add_point(shapes[side], 0, at[0], at[1]);
      }
    }
    ee_polygon x = polygon_of(&a), y = polygon_of(&b);
    assert_null(ee_polygon_check(&x));
    for (int rule = 0; rule < 2; rule++) {
      double area = ee_polygon_area(&x, (ee_fill_rule)rule, NULL, &arena);
      double both = ee_polygon_intersection(&x, &y, (ee_fill_rule)rule, NULL, &arena);
      double iou = ee_polygon_iou(&x, &y, (ee_fill_rule)rule, NULL, &arena);
      assert_true(area >= 0 && area <= DBL_MAX && both >= 0 && both <= DBL_MAX && iou >= 0 && iou <= 1);
    }
  }
  ee_point everything[] = {{-DBL_MAX, -DBL_MAX}, {DBL_MAX, -DBL_MAX}, {DBL_MAX, DBL_MAX}, {-DBL_MAX, DBL_MAX}};
  ee_point half[] = {{-DBL_MAX, -DBL_MAX}, {DBL_MAX, -DBL_MAX}, {DBL_MAX, 0}, {-DBL_MAX, 0}};
  ee_ring rings[] = {{everything, 4}, {half, 4}};
  ee_polygon all = {&rings[0], 1}, lower = {&rings[1], 1};
  assert_true(ee_polygon_area(&all, EE_FILL_EVEN_ODD, NULL, &arena) == DBL_MAX);
  assert_true(fabs(ee_polygon_iou(&all, &lower, EE_FILL_EVEN_ODD, NULL, &arena) - 0.5) < 1e-15);
}

/* Facts -------------------------------------------------------------------------------------------------------------
 */

static void knows_fill_rules(void **state) {
  (void)state;
  /* The points of a star drawn in one stroke: its middle is wound around twice. */
  ee_point star[5], inner[5];
  for (int i = 0; i < 5; i++) {
    star[i] = (ee_point){cos(4 * M_PI * i / 5), sin(4 * M_PI * i / 5)};
    double near = 1 / (((1 + sqrt(5)) / 2) * ((1 + sqrt(5)) / 2));
    inner[i] = (ee_point){-near * cos(2 * M_PI * i / 5), -near * sin(2 * M_PI * i / 5)};
  }
  ee_ring star_ring = {star, 5}, inner_ring = {inner, 5};
  ee_polygon pentagram = {&star_ring, 1}, middle = {&inner_ring, 1};
  double middle_area = ee_polygon_area(&middle, EE_FILL_EVEN_ODD, NULL, &arena);
  double full = ee_polygon_area(&pentagram, EE_FILL_NON_ZERO, NULL, &arena);
  assert_true(fabs(full - ee_polygon_area(&pentagram, EE_FILL_EVEN_ODD, NULL, &arena) - middle_area) < 1e-14);
  assert_true(fabs(ee_polygon_intersection(&pentagram, &middle, EE_FILL_NON_ZERO, NULL, &arena) - middle_area) < 1e-14);
  assert_true(ee_polygon_intersection(&pentagram, &middle, EE_FILL_EVEN_ODD, NULL, &arena) < 1e-14);

  /* Once around twice is nothing to the even-odd rule. */
  ee_point twice[] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 0}, {2, 0}, {2, 2}, {0, 2}};
  ee_ring twice_ring = {twice, 8};
  ee_polygon doubled = {&twice_ring, 1};
  assert_true(ee_polygon_area(&doubled, EE_FILL_EVEN_ODD, NULL, &arena) == 0);
  assert_true(ee_polygon_area(&doubled, EE_FILL_NON_ZERO, NULL, &arena) == 4);
  assert_true(ee_polygon_iou(&doubled, &doubled, EE_FILL_EVEN_ODD, NULL, &arena) == 0);

  /* A hole that runs the other way is one by both rules; one that runs the same way only by even-odd. */
  ee_point outer[] = {{0, 0}, {10, 0}, {10, 10}, {0, 10}}, along[] = {{2, 2}, {4, 2}, {4, 4}, {2, 4}},
           against[] = {{2, 2}, {2, 4}, {4, 4}, {4, 2}};
  ee_ring same[] = {{outer, 4}, {along, 4}}, opposite[] = {{outer, 4}, {against, 4}};
  ee_polygon filled = {same, 2}, holed = {opposite, 2}, hole = {&same[1], 1};
  assert_true(ee_polygon_area(&filled, EE_FILL_EVEN_ODD, NULL, &arena) == 96);
  assert_true(ee_polygon_area(&filled, EE_FILL_NON_ZERO, NULL, &arena) == 100);
  assert_true(ee_polygon_area(&holed, EE_FILL_EVEN_ODD, NULL, &arena) == 96);
  assert_true(ee_polygon_area(&holed, EE_FILL_NON_ZERO, NULL, &arena) == 96);
  assert_true(ee_polygon_intersection(&holed, &hole, EE_FILL_NON_ZERO, NULL, &arena) == 0);
  assert_true(ee_polygon_intersection(&filled, &hole, EE_FILL_NON_ZERO, NULL, &arena) == 4);
  assert_true(ee_polygon_iou(&filled, &holed, EE_FILL_EVEN_ODD, NULL, &arena) == 1);
  assert_true(fabs(ee_polygon_iou(&filled, &holed, EE_FILL_NON_ZERO, NULL, &arena) - 0.96) < 1e-15);
}

static void knows_oriented_boxes(void **state) {
  (void)state;
  ee_point plain[4], turned[4];
  ee_oriented_box_corners((double[]){1, 2, 4, 2, 0}, plain);
  const ee_point want[4] = {{-1, 1}, {3, 1}, {3, 3}, {-1, 3}};
  for (int i = 0; i < 4; i++) assert_true(plain[i].x == want[i].x && plain[i].y == want[i].y);
  /* A square over the same square turned by 45 degrees leaves a regular octagon. */
  ee_oriented_box_corners((double[]){0, 0, 2, 2, 0}, plain);
  ee_oriented_box_corners((double[]){0, 0, 2, 2, M_PI / 4}, turned);
  ee_ring rings[] = {{plain, 4}, {turned, 4}};
  ee_polygon a = {&rings[0], 1}, b = {&rings[1], 1};
  assert_true(fabs(ee_polygon_intersection(&a, &b, EE_FILL_EVEN_ODD, NULL, &arena) - 8 * (sqrt(2) - 1)) < 1e-14);
  assert_true(fabs(ee_polygon_iou(&a, &b, EE_FILL_EVEN_ODD, NULL, &arena) - 1 / sqrt(2)) < 1e-14);
  /* From the x axis towards the y axis: the first corner of a flat box goes down on the left when y points up. */
  ee_oriented_box_corners((double[]){0, 0, 2, 0, M_PI / 2}, turned);
  assert_true(fabs(turned[0].x) < 1e-15 && turned[0].y == -1 && turned[1].y == 1);
}

/* Axis-parallel rectangles have the area, and pairs of them the value, that boxes have. */
static void agrees_with_boxes(void **state) {
  (void)state;
  test_random random = test_random_start("polygon: boxes", 628);
  for (int round = 0; round < 5000; round++) {
    ee_box boxes[2];
    ee_point corners[2][5];
    ee_ring rings[2];
    for (int side = 0; side < 2; side++) {
      double x = between(&random, -5, 5), y = between(&random, -5, 5);
      if (round % 2 == 0) x = floor(x), y = floor(y);
      ee_box box = {x, y, x + (double)test_random_below(&random, 5), y + between(&random, 0, 5)};
      boxes[side] = box;
      /* The second spelling has a dent without an area, so that it is not clipped. */
      const ee_point around[5] = {
          {box.x1, box.y1}, {box.x2, box.y1}, {box.x2, box.y2}, {box.x1, box.y2}, {box.x1, box.y1}};
      memcpy(corners[side], around, sizeof around);
      rings[side] = (ee_ring){corners[side], round % 3 == 0 ? 5 : 4};
    }
    ee_polygon a = {&rings[0], 1}, b = {&rings[1], 1};
    assert_true(fabs(ee_polygon_area(&a, EE_FILL_EVEN_ODD, NULL, &arena) - ee_box_area(boxes[0])) <= 1e-13);
    assert_true(fabs(ee_polygon_iou(&a, &b, EE_FILL_NON_ZERO, NULL, &arena) - ee_iou(boxes[0], boxes[1])) <= 1e-13);
  }
}

static void checks_and_bounds(void **state) {
  (void)state;
  ee_point triangle[] = {{0, 5}, {-1, 2}, {3, 4}}, strange[] = {{0, 0}, {1, 0}, {0, NAN}};
  ee_ring rings[] = {{triangle, 3}, {strange, 3}, {triangle, 2}};
  assert_null(ee_polygon_check(&(ee_polygon){rings, 1}));
  assert_non_null(ee_polygon_check(&(ee_polygon){rings, 0}));
  assert_non_null(ee_polygon_check(&(ee_polygon){rings, 2}));
  strange[2].y = 1;
  assert_null(ee_polygon_check(&(ee_polygon){rings, 2}));
  assert_non_null(ee_polygon_check(&(ee_polygon){rings, 3}));
  strange[0].x = -INFINITY;
  assert_non_null(ee_polygon_check(&(ee_polygon){rings, 2}));
  ee_box box = ee_polygon_bounds(&(ee_polygon){rings, 1});
  assert_true(box.x1 == -1 && box.y1 == 2 && box.x2 == 3 && box.y2 == 5);
}

/* Scratch memory is given back, whatever way a pair takes. */
static void gives_scratch_back(void **state) {
  (void)state;
  test_random random = test_random_start("polygon: scratch", 629);
  static test_shape a, b;
  for (int round = 0; round < 200; round++) {
    make_shape(&random, (shape_kind)(round % KINDS), &a);
    make_partner(&random, (shape_kind)(round % KINDS), &a, &b);
    ee_polygon x = polygon_of(&a), y = polygon_of(&b);
    (void)ee_arena_alloc(&arena, 16);
    ee_arena_mark before = ee_arena_get_mark(&arena);
    ee_polygon_iou(&x, &y, EE_FILL_EVEN_ODD, NULL, &arena);
    ee_polygon_area(&x, EE_FILL_NON_ZERO, NULL, &arena);
    ee_arena_mark after = ee_arena_get_mark(&arena);
    assert_true(before.block == after.block && before.at == after.at);
  }
}

/* Polygon steps --------------------------------------------------------------------------------- */

enum { CORNERS = 60 };

static ee_arena arena;

/* Corners anywhere: nearly all edges cross. */
static ee_polygon tangle(test_random *random, ee_point points[CORNERS], ee_ring *ring) {
  for (size_t i = 0; i < CORNERS; i++) points[i] = (ee_point){test_random_unit(random), test_random_unit(random)};
  *ring = (ee_ring){points, CORNERS};
  return (ee_polygon){ring, 1};
}

typedef double measured(const ee_polygon *a, const ee_polygon *b, uint64_t *steps);

static double iou(const ee_polygon *a, const ee_polygon *b, uint64_t *steps) {
  return ee_polygon_iou(a, b, EE_FILL_EVEN_ODD, steps, &arena);
}
static double intersection(const ee_polygon *a, const ee_polygon *b, uint64_t *steps) {
  return ee_polygon_intersection(a, b, EE_FILL_NON_ZERO, steps, &arena);
}
static double area(const ee_polygon *a, const ee_polygon *b, uint64_t *steps) {
  (void)b;
  return ee_polygon_area(a, EE_FILL_EVEN_ODD, steps, &arena);
}
/* Polygons that are equal take another way. */
static double with_itself(const ee_polygon *a, const ee_polygon *b, uint64_t *steps) {
  (void)b;
  return ee_polygon_iou(a, a, EE_FILL_EVEN_ODD, steps, &arena);
}

/* What was spent does for the same again, to the bit, and one step less does not. */
static void test_limit(void **state) {
  (void)state;
  static measured *const all[] = {iou, intersection, area, with_itself};
  test_random random = test_random_start("test_polygon_steps", 7);
  for (size_t round = 0; round < 20; round++) {
    ee_point points[2][CORNERS];
    ee_ring rings[2];
    ee_polygon a = tangle(&random, points[0], &rings[0]), b = tangle(&random, points[1], &rings[1]);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
      uint64_t steps = UINT64_MAX;
      double value = all[i](&a, &b, NULL);
      assert_true(value > 0 && all[i](&a, &b, &steps) == value);
      uint64_t spent = UINT64_MAX - steps;
      assert_true(spent > (uint64_t)CORNERS * CORNERS);
      steps = spent;
      assert_true(all[i](&a, &b, &steps) == value);
      assert_true(steps == 0);
      steps = spent - 1;
      assert_true(isnan(all[i](&a, &b, &steps)));
      assert_true(steps == 0);
      ee_arena_reset(&arena, 0);
    }
  }
}

/* Clipping and boxes that do not meet spend nothing. */
static void test_unspent(void **state) {
  (void)state;
  static const ee_point near[] = {{0, 0}, {2, 0}, {1, 2}}, far[] = {{9, 9}, {11, 9}, {10, 11}, {10, 10}, {9, 10}};
  static const ee_ring near_ring = {near, 3}, far_ring = {far, 5};
  ee_polygon a = {&near_ring, 1}, b = {&far_ring, 1};
  uint64_t steps = 0;
  assert_true(iou(&a, &a, &steps) == 1);
  assert_true(iou(&a, &b, &steps) == 0);
  assert_true(area(&a, NULL, &steps) == 2);
  assert_true(isnan(area(&b, NULL, &steps)));
  /* The same in the other direction. */
  static const ee_point back[] = {{0, 0}, {1, 2}, {2, 0}}, moved[] = {{1, 0}, {2, 2}, {3, 0}};
  static const ee_ring back_ring = {back, 3}, moved_ring = {moved, 3};
  ee_polygon c = {&back_ring, 1}, d = {&moved_ring, 1};
  assert_true(area(&c, NULL, &steps) == 2 && iou(&c, &c, &steps) == 1);
  assert_true(fabs(iou(&c, &d, &steps) - 0.5 / 3.5) < 1e-12);
}

/* A star whose edges cross, of ordinary size and far from it: with any number of steps the area is not known or right.
 */
static void every_budget_ends_it_or_is_enough(void **state) {
  (void)state;
  for (int size = -300; size <= 0; size += 300) {
    test_shape shape = {.count = 1};
    for (int i = 0; i < 11; i++)
      add_point(&shape, 0, ldexp(cos(i * 5 * 0.571198664289053), size), ldexp(sin(i * 5 * 0.571198664289053), size));
    ee_polygon star = polygon_of(&shape);
    double right = ee_polygon_area(&star, EE_FILL_EVEN_ODD, NULL, &arena);
    assert_true(right > 0);
    bool enough = false, refused = false;
    for (uint64_t budget = 0; !enough || budget < 100; budget += 1 + budget / 50) {
      uint64_t steps = budget;
      double found = ee_polygon_area(&star, EE_FILL_EVEN_ODD, &steps, &arena);
      if (isnan(found)) {
        assert_false(enough);
        refused = true;
      } else {
        assert_true(found == right);
        enough = true;
      }
    }
    assert_true(refused);
  }
}

static void knows_lines_and_repeated_points(void **state) {
  (void)state;
  /* A line of many corners, and a triangle around a part of it. */
  test_shape line = {.count = 1}, triangle = {.count = 1}, point = {.count = 1}, nothing = {.count = 1};
  for (int i = 0; i < 6; i++) add_point(&line, 0, i, i);
  add_point(&triangle, 0, 0, 0);
  add_point(&triangle, 0, 4, 0);
  add_point(&triangle, 0, 0, 4);
  for (int i = 0; i < 4; i++) add_point(&point, 0, 1, 1);
  ee_polygon a = polygon_of(&line), b = polygon_of(&triangle), c = polygon_of(&point), d = polygon_of(&nothing);
  assert_true(iou(&a, &b, NULL) == 0 && iou(&b, &a, NULL) == 0);
  assert_true(iou(&c, &b, NULL) == 0 && iou(&b, &c, NULL) == 0 && iou(&c, &c, NULL) == 0);
  assert_true(area(&d, NULL, NULL) == 0 && iou(&d, &b, NULL) == 0 && iou(&d, &d, NULL) == 0);
  /* Two rings that are lines. */
  test_shape lines = {.count = 2};
  for (int i = 0; i < 6; i++) add_point(&lines, (size_t)i / 3, i / 3, i % 3 == 0 ? 0 : 5);
  ee_polygon e = polygon_of(&lines);
  assert_true(area(&e, NULL, NULL) == 0 && iou(&e, &e, NULL) == 0);
  /* A ring that comes back to one point again and again, and another that only seems to be it. */
  test_shape flower = {.count = 1}, other = {.count = 1};
  for (int i = 0; i < 6; i++) {
    add_point(&flower, 0, 0, 0);
    add_point(&flower, 0, cos(i), sin(i));
    add_point(&flower, 0, cos(i + 0.4), sin(i + 0.4));
    int k = i == 4 ? 5 : i == 5 ? 4 : i;
    add_point(&other, 0, 0, 0);
    add_point(&other, 0, cos(k), sin(k));
    add_point(&other, 0, cos(k + 0.4), sin(k + 0.4));
  }
  ee_polygon p = polygon_of(&flower), q = polygon_of(&other);
  assert_true(iou(&p, &p, NULL) == 1);
  assert_true(fabs(iou(&p, &q, NULL) - 1) < 1e-9);
  /* The same ring from another petal on is equal to the bit where it is found at one of the first four; to be found it
   * costs one area, not an overlap. */
  uint64_t itself = 1000000000, left = 1000000000;
  iou(&p, &p, &itself);
  for (size_t first = 0; first < 6; first++) {
    test_shape turned = {.count = 1};
    for (size_t i = 0; i < 18; i++) {
      ee_point corner = flower.points[0][(i + 18 - 3 * first) % 18];
      add_point(&turned, 0, corner.x, corner.y);
    }
    ee_polygon r = polygon_of(&turned);
    left = 1000000000;
    double same = iou(&p, &r, &left);
    assert_true(fabs(same - 1) < 1e-9);
    if (first < 4)
      assert_true(same == 1 && left == itself);
    else
      assert_true(left < itself);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(agrees_with_slabs), cmocka_unit_test(agrees_with_a_raster),
             cmocka_unit_test(agrees_on_large_ones), cmocka_unit_test(keeps_its_value),
             cmocka_unit_test(spelling_changes_nothing), cmocka_unit_test(equal_rings_are_equal),
             cmocka_unit_test(survives_extremes), cmocka_unit_test(knows_fill_rules),
             cmocka_unit_test(knows_oriented_boxes), cmocka_unit_test(agrees_with_boxes),
             cmocka_unit_test(checks_and_bounds), cmocka_unit_test(gives_scratch_back), cmocka_unit_test(test_limit),
             cmocka_unit_test(test_unspent), cmocka_unit_test(every_budget_ends_it_or_is_enough),
             cmocka_unit_test(knows_lines_and_repeated_points));
