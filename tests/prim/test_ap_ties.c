/* test_ap_ties.c: what the order of equal scores may do to average precision, against every order there is; and objects
 * that are never found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "prim/average_precision.h"
#include "support/random.h"

enum { MOST = 6 };

static ee_arena arena, scratch;

static int open_arenas(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  ee_arena_init(&scratch, 0);
  return 0;
}

static int close_arenas(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  ee_arena_fini(&scratch);
  return 0;
}

static ee_ap_result evaluate(const ee_ap_object *objects, size_t object_count, const ee_ap_detection *detections,
                             size_t count, const ee_ap_parameters *parameters) {
  ee_ap_result result;
  ee_ap_evaluate(&(ee_ap_input){objects, object_count, detections, count, MOST, 1}, parameters, &arena, &scratch,
                 &result);
  return result;
}

/* One detection an image, so that their images are the order of those with equal scores: each order is tried. */
static void try_orders(ee_ap_object *objects, size_t object_count, ee_ap_detection *detections, size_t count,
                       const ee_ap_parameters *parameters, uint32_t *images, size_t fixed, double range[2]) {
  if (fixed < MOST) {
    for (size_t i = fixed; i < MOST; i++) {
      uint32_t kept = images[fixed];
      images[fixed] = images[i];
      images[i] = kept;
      try_orders(objects, object_count, detections, count, parameters, images, fixed + 1, range);
      kept = images[fixed];
      images[fixed] = images[i];
      images[i] = kept;
    }
    return;
  }
  ee_ap_object moved_objects[MOST];
  ee_ap_detection moved[MOST];
  for (size_t i = 0; i < object_count; i++) {
    moved_objects[i] = objects[i];
    moved_objects[i].image = images[objects[i].image];
  }
  for (size_t i = 0; i < count; i++) {
    moved[i] = detections[i];
    moved[i].image = images[detections[i].image];
  }
  ee_arena_mark mark = ee_arena_get_mark(&arena);
  ee_ap_result result = evaluate(moved_objects, object_count, moved, count, parameters);
  double ap = ee_ap_mean_precision(&result, EE_AP_ALL, EE_AP_ALL, 0, 0, &scratch);
  ee_arena_rewind(&arena, mark);
  if (ap < range[0]) range[0] = ap;
  if (ap > range[1]) range[1] = ap;
}

static void test_every_order(void **state) {
  (void)state;
  test_random random = test_random_start("test_ap_ties", 101);
  static const double threshold = 0.5;
  static const ee_ap_range all = {0, 1e10};
  static const unsigned limit = 10;
  ee_ap_parameters parameters;
  ee_ap_defaults(&parameters);
  parameters.thresholds = &threshold;
  parameters.threshold_count = 1;
  parameters.ranges = &all;
  parameters.range_count = 1;
  parameters.limits = &limit;
  parameters.limit_count = 1;
  parameters.with_ties = true;
  for (int round = 0; round < 60; round++) {
    ee_ap_object objects[MOST];
    ee_ap_detection detections[MOST];
    size_t object_count = 0, count = 0, tied = 0;
    for (uint32_t i = 0; i < MOST; i++) {
      if (test_random_below(&random, 2) > 0)
        objects[object_count++] =
            (ee_ap_object){.box = {0, 0, 10, 10}, .area = 100, .image = i, .crowd = test_random_below(&random, 8) == 0};
      if (test_random_below(&random, 6) > 0)
        detections[count++] =
            (ee_ap_detection){.box = {0, 0, 10, 10}, .image = i, .score = (double)test_random_below(&random, 3)};
    }
    for (size_t i = 0; i < count; i++) {
      bool shared = false;
      for (size_t k = 0; k < count; k++) shared = shared || (k != i && detections[k].score == detections[i].score);
      tied += shared;
    }
    ee_ap_result result = evaluate(objects, object_count, detections, count, &parameters);
    assert_int_equal(result.tied, tied);
    double ours[2], theirs[2] = {INFINITY, -INFINITY};
    ee_ap_tie_range(&result, &scratch, ours);
    uint32_t images[MOST] = {0, 1, 2, 3, 4, 5};
    try_orders(objects, object_count, detections, count, &parameters, images, 0, theirs);
    assert_true(ours[0] == theirs[0] && ours[1] == theirs[1]);
    ee_arena_reset(&arena, 0);
  }
}

/* Whatever is asked for, AP lies within the range, and is both of its ends when no two scores are equal. */
static void test_bounds(void **state) {
  (void)state;
  test_random random = test_random_start("test_bounds", 102);
  enum { COUNT = 60, IMAGES = 8, CLASSES = 3 };
  for (int round = 0; round < 100; round++) {
    bool distinct = test_random_below(&random, 4) == 0;
    ee_ap_object objects[COUNT];
    ee_ap_detection detections[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
      double x = (double)test_random_below(&random, 10) * 4;
      objects[i] = (ee_ap_object){.box = {x, 0, 10, 10},
                                  .area = 100,
                                  .image = (uint32_t)test_random_below(&random, IMAGES),
                                  .category = (uint32_t)test_random_below(&random, CLASSES),
                                  .crowd = test_random_below(&random, 10) == 0};
      detections[i] = (ee_ap_detection){.box = {x + (double)test_random_below(&random, 3), 0, 10, 10},
                                        .score = distinct ? (double)i : (double)test_random_below(&random, 5),
                                        .image = objects[i].image,
                                        .category = (uint32_t)test_random_below(&random, CLASSES)};
    }
    ee_ap_parameters parameters;
    ee_ap_defaults(&parameters);
    parameters.with_ties = true;
    parameters.use_categories = test_random_below(&random, 4) > 0;
    ee_ap_result result, plain;
    ee_ap_evaluate(&(ee_ap_input){objects, COUNT, detections, COUNT, IMAGES, CLASSES}, &parameters, &arena, &scratch,
                   &result);
    parameters.with_ties = false;
    ee_ap_evaluate(&(ee_ap_input){objects, COUNT, detections, COUNT, IMAGES, CLASSES}, &parameters, &arena, &scratch,
                   &plain);
    assert_null(plain.lowest);
    double range[2], ap = ee_ap_mean_precision(&result, EE_AP_ALL, EE_AP_ALL, 0, 2, &scratch);
    assert_true(ap == ee_ap_mean_precision(&plain, EE_AP_ALL, EE_AP_ALL, 0, 2, &scratch));
    ee_ap_tie_range(&result, &scratch, range);
    assert_true(range[0] <= ap && ap <= range[1]);
    if (distinct) {
      assert_int_equal(result.tied, 0);
      assert_true(range[0] == ap && range[1] == ap);
    }
    ee_arena_reset(&arena, 0);
  }
}

/* A blank object is taken, and neither it nor the detection counts as found. */
static void test_blank(void **state) {
  (void)state;
  const ee_ap_object objects[] = {{.box = {0, 0, 10, 10}, .area = 100, .blank = true},
                                  {.box = {50, 0, 10, 10}, .area = 100},
                                  {.box = {90, 0, 10, 10}, .area = 100, .blank = true, .crowd = true}};
  const ee_ap_detection detections[] = {{.box = {0, 0, 10, 10}, .score = 0.9},
                                        {.box = {50, 0, 10, 10}, .score = 0.8},
                                        {.box = {90, 0, 10, 10}, .score = 0.7}};
  ee_ap_operating_point point = {
      .threshold = 0.5, .min_score = -INFINITY, .range = {0, 1e10}, .limit = UINT32_MAX, .use_categories = true};
  ee_ap_fate fates[3];
  bool found[3];
  ee_ap_counts counts;
  ee_ap_explain(&(ee_ap_input){objects, 3, detections, 3, 1, 1}, &point, &scratch,
                &(ee_ap_explanation){fates, found, NULL, &counts});
  assert_int_equal(counts.tp, 1);
  assert_int_equal(counts.fp, 1);
  assert_int_equal(counts.fn, 1);
  assert_int_equal(fates[0], EE_AP_DUPLICATE);
  assert_int_equal(fates[1], EE_AP_TRUE);
  assert_int_equal(fates[2], EE_AP_IGNORED);
  assert_false(found[0]);
  assert_true(found[1]);
  ee_ap_parameters parameters;
  ee_ap_defaults(&parameters);
  ee_ap_result result = evaluate(objects, 3, detections, 3, &parameters);
  double recall = ee_ap_mean_recall(&result, EE_AP_ALL, EE_AP_ALL, 0, 2, &scratch);
  double precision = ee_ap_mean_precision(&result, EE_AP_ALL, EE_AP_ALL, 0, 2, &scratch);
  assert_true(recall == 0.5);
  /* The true one is the second: half of the points are reached, at a precision of a half. */
  assert_true(fabs(precision - 25.5 / 101) < 1e-12);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test_setup_teardown(test_every_order, open_arenas, close_arenas),
             cmocka_unit_test_setup_teardown(test_bounds, open_arenas, close_arenas),
             cmocka_unit_test_setup_teardown(test_blank, open_arenas, close_arenas));
