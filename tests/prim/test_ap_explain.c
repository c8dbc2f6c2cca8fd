/* test_ap_explain.c: how each detection fared and why, against the definitions word for word. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "prim/detection_scene.h"

static ee_arena scratch;

static int make_arena(void **state) {
  (void)state;
  ee_arena_init(&scratch, 0);
  return 0;
}

static int free_arena(void **state) {
  (void)state;
  ee_arena_fini(&scratch);
  return 0;
}

/* Why detection `d` is false, word for word as the header has it; the fates are those of a matching at `point`. */
static ee_ap_fate slow_false_fate(const scene *s, const ee_ap_operating_point *point, const ee_ap_detection *d) {
  bool duplicate = false, wrong_class = false, poor_place = false;
  for (size_t i = 0; i < s->object_count; i++) {
    const ee_ap_object *object = &s->objects[i];
    if (object->image != d->image) continue;
    double iou = slow_iou(d->box, object->box, object->crowd);
    bool same_class = !point->use_categories || object->category == d->category;
    bool reached = iou >= (point->threshold < 1 - 1e-10 ? point->threshold : 1 - 1e-10);
    duplicate |= same_class && reached;
    wrong_class |= !same_class && reached && !slow_ignore(object, point->range);
    poor_place |= same_class && !object->crowd && iou >= 0.1;
  }
  return duplicate     ? EE_AP_DUPLICATE
         : wrong_class ? EE_AP_WRONG_CLASS
         : poor_place  ? EE_AP_POOR_PLACE
                       : EE_AP_BACKGROUND;
}

static void compare_fates(const scene *s, const ee_ap_operating_point *point) {
  ee_ap_fate fates[MAX_DETECTIONS], expected[MAX_DETECTIONS];
  bool found[MAX_OBJECTS], expected_found[MAX_OBJECTS] = {false};
  ee_ap_counts counts[4], expected_counts[4] = {{0}};
  ee_ap_explain(
      &(ee_ap_input){s->objects, s->object_count, s->detections, s->detection_count, s->images, s->categories}, point,
      &scratch, &(ee_ap_explanation){fates, found, NULL, counts});
  /* Detections of a low score go to an image where they are alone. */
  scene high = *s;
  for (size_t i = 0; i < s->detection_count; i++) {
    bool low = s->detections[i].score < point->min_score;
    expected[i] = low ? EE_AP_LOW_SCORE : EE_AP_DROPPED;
    if (low) high.detections[i].image = (uint32_t)s->images;
  }
  size_t classes = point->use_categories ? s->categories : 1;
  for (size_t k = 0; k < classes; k++) {
    for (uint32_t image = 0; image < s->images; image++) {
      slow_image one;
      slow_match(&high, image, point->use_categories ? (long)k : -1, point->threshold, point->range, point->limit,
                 &one);
      for (size_t g = 0; g < one.objects; g++) {
        bool hit = one.taken[g] && !one.object_ignored[g] && !s->objects[one.object[g]].blank;
        expected_found[one.object[g]] = hit;
        expected_counts[k].tp += hit;
        expected_counts[k].fn += !hit && !one.object_ignored[g];
      }
      for (size_t d = 0; d < one.detections; d++) {
        size_t index = one.detection[d];
        expected[index] = one.ignored[d]   ? EE_AP_IGNORED
                          : one.matched[d] ? EE_AP_TRUE
                                           : slow_false_fate(s, point, &s->detections[index]);
        expected_counts[k].fp += !one.ignored[d] && !one.matched[d];
      }
    }
    assert_int_equal(counts[k].tp, expected_counts[k].tp);
    assert_int_equal(counts[k].fp, expected_counts[k].fp);
    assert_int_equal(counts[k].fn, expected_counts[k].fn);
  }
  for (size_t i = 0; i < s->detection_count; i++) assert_int_equal(fates[i], expected[i]);
  for (size_t i = 0; i < s->object_count; i++) assert_int_equal(found[i], expected_found[i]);
}

static void test_explain_twin(void **state) {
  (void)state;
  test_random random = test_random_start("fates of detections", 20260102);
  static const double thresholds[] = {0.5, 0.75, 1, 0.05, 0};
  static const double scores[] = {-INFINITY, 0.3, 0.6};
  static const ee_ap_range ranges[] = {{0, 1e10}, {400, 1600}};
  static const unsigned limits[] = {1, 3, 100, UINT_MAX};
  for (int round = 0; round < 2000; round++) {
    scene s;
    random_scene(&random, &s);
    ee_ap_operating_point point = {.threshold = thresholds[test_random_below(&random, 5)],
                                   .min_score = scores[test_random_below(&random, 3)],
                                   .range = ranges[test_random_below(&random, 2)],
                                   .limit = limits[test_random_below(&random, 4)],
                                   .use_categories = test_random_below(&random, 4) != 0};
    compare_fates(&s, &point);
  }
}

static void test_each_fate(void **state) {
  (void)state;
  scene s = {.objects = {{.box = {0, 0, 10, 10}, .area = 100},
                         {.box = {50, 0, 10, 10}, .area = 100, .category = 1},
                         {.box = {0, 50, 100, 10}, .area = 1000, .crowd = true},
                         {.box = {80, 0, 10, 10}, .area = 100, .ignored = true}},
             .detections = {{.box = {0, 0, 10, 10}, .score = 0.9},
                            {.box = {0, 0, 10, 9}, .score = 0.8},
                            {.box = {50, 0, 10, 10}, .score = 0.8},
                            {.box = {0, 6, 10, 10}, .score = 0.8},
                            {.box = {200, 200, 10, 10}, .score = 0.8},
                            {.box = {10, 50, 10, 10}, .score = 0.7},
                            {.box = {20, 50, 10, 10}, .score = 0.7},
                            {.box = {80, 0, 10, 10}, .score = 0.7},
                            {.box = {80, 0, 10, 10}, .score = 0.6},
                            {.box = {300, 0, -10, 10}, .score = 0.6},
                            {.box = {300, 0, 10, 10}, .score = 0.4},
                            {.box = {0, 0, 10, 10}, .score = 0.5}},
             .object_count = 4,
             .detection_count = 12,
             .images = 1,
             .categories = 2};
  ee_ap_fate fates[MAX_DETECTIONS];
  static const ee_ap_fate expected[] = {EE_AP_TRUE,       EE_AP_DUPLICATE, EE_AP_WRONG_CLASS, EE_AP_POOR_PLACE,
                                        EE_AP_BACKGROUND, EE_AP_IGNORED,   EE_AP_IGNORED,     EE_AP_IGNORED,
                                        EE_AP_DUPLICATE,  EE_AP_IGNORED,   EE_AP_LOW_SCORE,   EE_AP_DROPPED};
  bool found[MAX_OBJECTS];
  ee_ap_counts counts[2];
  ee_ap_operating_point point = {0.5, 0.5, {0, 1e10}, 10, true};
  ee_ap_explain(&(ee_ap_input){s.objects, s.object_count, s.detections, s.detection_count, s.images, s.categories},
                &point, &scratch, &(ee_ap_explanation){fates, found, NULL, counts});
  for (size_t i = 0; i < s.detection_count; i++) assert_int_equal(fates[i], expected[i]);
  assert_true(found[0] && !found[1] && !found[2] && !found[3]);
  assert_true(counts[0].tp == 1 && counts[0].fp == 5 && counts[0].fn == 0);
  assert_true(counts[1].tp == 0 && counts[1].fp == 0 && counts[1].fn == 1);
  /* Nothing that can be asked for needs to be. */
  ee_ap_explain(&(ee_ap_input){s.objects, s.object_count, s.detections, s.detection_count, s.images, s.categories},
                &point, &scratch, &(ee_ap_explanation){NULL, NULL, NULL, NULL});
}

/* Whoever takes a blank object is false, and nobody else can take it. */
static void test_blank(void **state) {
  (void)state;
  scene s = {.objects = {{.box = {0, 0, 10, 10}, .area = 100, .blank = true}, {.box = {50, 0, 10, 10}, .area = 100}},
             .detections = {{.box = {0, 0, 10, 10}, .score = 0.9}, {.box = {50, 0, 10, 10}, .score = 0.8}},
             .object_count = 2,
             .detection_count = 2,
             .images = 1,
             .categories = 1};
  ee_ap_operating_point point = {0.5, -INFINITY, {0, 1e10}, 100, true};
  ee_ap_fate fates[2];
  bool found[2];
  ee_ap_counts counts[1];
  ee_ap_explain(&(ee_ap_input){s.objects, 2, s.detections, 2, 1, 1}, &point, &scratch,
                &(ee_ap_explanation){fates, found, NULL, counts});
  assert_true(fates[0] == EE_AP_DUPLICATE && fates[1] == EE_AP_TRUE && !found[0] && found[1]);
  assert_true(counts[0].tp == 1 && counts[0].fp == 1 && counts[0].fn == 1);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_each_fate), cmocka_unit_test(test_blank),
             cmocka_unit_test(test_explain_twin));
