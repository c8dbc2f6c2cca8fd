/* test_polygon_steps.c: what polygons whose edges cross too often may cost. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "prim/polygon.h"
#include "support/random.h"

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
  ee_arena_init(&arena, 0);
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
  ee_arena_fini(&arena);
}

/* Clipping and boxes that do not meet spend nothing. */
static void test_unspent(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  static const ee_point near[] = {{0, 0}, {2, 0}, {1, 2}}, far[] = {{9, 9}, {11, 9}, {10, 11}, {10, 10}, {9, 10}};
  static const ee_ring near_ring = {near, 3}, far_ring = {far, 5};
  ee_polygon a = {&near_ring, 1}, b = {&far_ring, 1};
  uint64_t steps = 0;
  assert_true(iou(&a, &a, &steps) == 1);
  assert_true(iou(&a, &b, &steps) == 0);
  assert_true(area(&a, NULL, &steps) == 2);
  assert_true(isnan(area(&b, NULL, &steps)));
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_limit), cmocka_unit_test(test_unspent));
