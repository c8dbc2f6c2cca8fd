/* bench_geometry.c: boxes, polygons and dense assignment, by kind. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "prim/assign.h"
#include "prim/box.h"
#include "prim/polygon.h"
#include "random.h"

enum { ROUNDS = 9, SIDE = 1000, PAIRS = 2000, MOST_CORNERS = 200 };

/* Prints the median of `seconds`, each for `count` things, as things a second. */
static void print_rate(const char *name, double seconds[ROUNDS], double count, double checksum) {
  double median = sort_for_median(seconds, ROUNDS);
  printf("  %-52s %8.2f million/s (fastest %.2f, slowest %.2f; checksum %.6g)\n", name, count / median / 1e6,
         count / seconds[0] / 1e6, count / seconds[ROUNDS - 1] / 1e6, checksum);
}

static void measure_boxes(const char *name, void (*matrix)(const ee_box *, size_t, const ee_box *, size_t, double *)) {
  static ee_box boxes[2][SIDE];
  state = 42; /* the same boxes for either row of code */
  double *out = malloc(SIDE * SIDE * sizeof *out);
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < SIDE; i++) {
      double x = unit() * 900, y = unit() * 900;
      boxes[side][i] = (ee_box){x, y, x + unit() * 100, y + unit() * 100};
    }
  matrix(boxes[0], SIDE, boxes[1], SIDE, out); /* the pages of `out` are there then */
  double seconds[ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    double start = now_s();
    for (int repeat = 0; repeat < 10; repeat++) matrix(boxes[0], SIDE, boxes[1], SIDE, out);
    seconds[round] = now_s() - start;
  }
  double sum = 0;
  for (size_t i = 0; i < SIDE * SIDE; i++) sum += out[i];
  print_rate(name, seconds, 10.0 * SIDE * SIDE, sum);
  free(out);
}

/* Corners around a centre, at random angles in order; on an ellipse they are convex. */
static void make_polygon(ee_point *corners, size_t count, int is_convex) {
  double angles[MOST_CORNERS], x = unit() * 40, y = unit() * 40, width = 30 + unit() * 30, height = 30 + unit() * 30;
  for (size_t i = 0; i < count; i++) angles[i] = unit() * 2 * M_PI;
  qsort(angles, count, sizeof *angles, compare_doubles);
  for (size_t i = 0; i < count; i++) {
    double far = is_convex ? 1 : 0.3 + 0.7 * unit();
    corners[i] = (ee_point){x + cos(angles[i]) * width * far, y + sin(angles[i]) * height * far};
  }
}

static void measure_polygons(const char *name, size_t corners, int is_convex) {
  static ee_point points[PAIRS][2][MOST_CORNERS];
  for (size_t i = 0; i < PAIRS; i++)
    for (int side = 0; side < 2; side++) make_polygon(points[i][side], corners, is_convex);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  double seconds[ROUNDS], sum = 0;
  size_t repeats = corners > 50 ? 1 : 40;
  for (int round = 0; round < ROUNDS; round++) {
    double start = now_s();
    sum = 0;
    for (size_t repeat = 0; repeat < repeats; repeat++)
      for (size_t i = 0; i < PAIRS; i++) {
        ee_ring a = {points[i][0], corners}, b = {points[i][1], corners};
        sum += ee_polygon_iou(&(ee_polygon){&a, 1}, &(ee_polygon){&b, 1}, EE_FILL_EVEN_ODD, NULL, &arena);
      }
    seconds[round] = now_s() - start;
  }
  print_rate(name, seconds, (double)(PAIRS * repeats), sum / (double)(PAIRS * repeats));
  ee_arena_fini(&arena);
}

/* Costs in 0..1, or whole numbers below `limit`. */
static void measure_assignment(const char *name, unsigned limit) {
  double *costs = malloc(SIDE * SIDE * sizeof *costs);
  static uint32_t column_of[SIDE];
  for (size_t i = 0; i < SIDE * SIDE; i++) costs[i] = limit > 0 ? floor(unit() * limit) : unit();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  double seconds[ROUNDS], total = 0;
  for (int round = 0; round < ROUNDS; round++) {
    double start = now_s();
    total = ee_assign_dense(costs, SIDE, SIDE, column_of, &arena);
    seconds[round] = now_s() - start;
  }
  double median = sort_for_median(seconds, ROUNDS);
  printf("  %-52s %8.2f ms (fastest %.2f, slowest %.2f; total %.6g)\n", name, median * 1e3, seconds[0] * 1e3,
         seconds[ROUNDS - 1] * 1e3, total);
  ee_arena_fini(&arena);
  free(costs);
}

int main(void) {
  state = 42;
  printf("geometry, medians of %d rounds\n", ROUNDS);
  measure_boxes("pairs of boxes, 1,000 by 1,000", ee_iou_matrix);
  measure_boxes("pairs of boxes, portable code", ee_iou_matrix_portable);
  measure_polygons("pairs of convex polygons of 8 corners", 8, 1);
  measure_polygons("pairs of concave polygons of 8 corners", 8, 0);
  measure_polygons("pairs of convex polygons of 100 corners", 100, 1);
  measure_polygons("pairs of concave polygons of 100 corners", 100, 0);
  measure_assignment("assignment, 1,000 by 1,000 random costs", 0);
  measure_assignment("assignment, whole numbers below 10", 10);
  measure_assignment("assignment, whole numbers below 1,000", 1000);
  return 0;
}
