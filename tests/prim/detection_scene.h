/* detection_scene.h: random images with objects and detections, and how detections are matched, slowly: for the tests
 * of average precision. */
#ifndef EE_TESTS_PRIM_DETECTION_SCENE_H
#define EE_TESTS_PRIM_DETECTION_SCENE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prim/average_precision.h"
#include "support/random.h"

enum { MAX_OBJECTS = 60, MAX_DETECTIONS = 90 };

typedef struct scene {
  ee_ap_object objects[MAX_OBJECTS];
  ee_ap_detection detections[MAX_DETECTIONS];
  size_t object_count, detection_count, images, categories;
} scene;

/* An edge on a coarse grid, so that equal IoUs, and IoUs exactly at a threshold, are common; sometimes none or a
 * negative one. */
static inline double random_size(test_random *random) {
  switch (test_random_below(random, 40)) {
  case 0: return 0;
  case 1: return -3;
  case 2:
  case 3:
  case 4: return 100 * test_random_unit(random);
  default: return (double)(10 + 10 * test_random_below(random, 5));
  }
}

static inline void random_box(test_random *random, double box[4]) {
  if (test_random_below(random, 16) == 0) { /* the area underflows or overflows */
    box[0] = box[1] = 0;
    box[2] = box[3] = test_random_below(random, 2) == 0 ? 1e-200 : 1e200;
    return;
  }
  for (size_t i = 0; i < 2; i++) {
    box[i] = (double)(5 * test_random_below(random, 12));
    box[2 + i] = random_size(random);
  }
}

static inline void random_objects(test_random *random, scene *s) {
  s->object_count = test_random_below(random, MAX_OBJECTS + 1);
  for (size_t i = 0; i < s->object_count; i++) {
    ee_ap_object *object = &s->objects[i];
    *object = (ee_ap_object){.image = (uint32_t)test_random_below(random, s->images),
                             .category = (uint32_t)test_random_below(random, s->categories),
                             .crowd = test_random_below(random, 8) == 0,
                             .ignored = test_random_below(random, 8) == 0,
                             .blank = test_random_below(random, 20) == 0};
    random_box(random, object->box);
    object->area = object->box[2] * object->box[3];
    if (test_random_below(random, 3) == 0) object->area = (double)(256 * test_random_below(random, 8));
  }
}

static inline void random_detections(test_random *random, scene *s) {
  static const double shifts[] = {0, 0, 0, 5, -5, 10, 0.25, -1};
  size_t digits = test_random_below(random, 2) == 0 ? 5 : 1000000;
  s->detection_count = test_random_below(random, MAX_DETECTIONS + 1);
  for (size_t i = 0; i < s->detection_count; i++) {
    ee_ap_detection *detection = &s->detections[i];
    *detection = (ee_ap_detection){.score = (double)test_random_below(random, digits) / (double)digits,
                                   .image = (uint32_t)test_random_below(random, s->images),
                                   .category = (uint32_t)test_random_below(random, s->categories)};
    if (detection->score == 0 && test_random_below(random, 2) == 0) detection->score = -0.0;
    random_box(random, detection->box);
    if (s->object_count == 0 || test_random_below(random, 4) == 0) continue;
    const ee_ap_object *object = &s->objects[test_random_below(random, s->object_count)];
    for (size_t k = 0; k < 4; k++) detection->box[k] = object->box[k] + shifts[test_random_below(random, 8)];
    detection->image = object->image;
    if (test_random_below(random, 5) != 0) detection->category = object->category;
  }
}

static inline void random_scene(test_random *random, scene *s) {
  s->images = 1 + test_random_below(random, 5);
  s->categories = 1 + test_random_below(random, 4);
  random_objects(random, s);
  random_detections(random, s);
}

/* The slow version, step by step as the published one goes, one threshold and range after the other. Nothing is shared
 * with the real one. */

static inline double slow_iou(const double d[4], const double g[4], bool crowd) {
  double ga = g[2] * g[3], da = d[2] * d[3];
  double w = fmin(d[2] + d[0], g[2] + g[0]) - fmax(d[0], g[0]);
  if (w <= 0) return 0;
  double h = fmin(d[3] + d[1], g[3] + g[1]) - fmax(d[1], g[1]);
  if (h <= 0) return 0;
  double i = w * h, u = crowd ? da : da + ga - i;
  return isnan(i / u) ? 0 : i / u; /* the one thing that is ours */
}

/* One image and class at one threshold, range and limit. */
typedef struct slow_image {
  size_t detections, objects;
  size_t detection[MAX_DETECTIONS], object[MAX_OBJECTS]; /* in file order; by falling score, ignored ones last */
  bool matched[MAX_DETECTIONS], ignored[MAX_DETECTIONS]; /* beside `detection` */
  bool taken[MAX_OBJECTS], object_ignored[MAX_OBJECTS];  /* beside `object` */
} slow_image;

/* The indices of what is of an image and class; class -1: of all classes, one after the other. */
static inline void slow_collect(const scene *s, uint32_t image, long class_index, slow_image *out) {
  out->detections = out->objects = 0;
  for (long k = 0; k < (long)s->categories; k++) {
    if (class_index >= 0 && class_index != k) continue;
    for (size_t i = 0; i < s->object_count; i++) {
      if (s->objects[i].image == image && s->objects[i].category == k) out->object[out->objects++] = i;
    }
    for (size_t i = 0; i < s->detection_count; i++) {
      if (s->detections[i].image == image && s->detections[i].category == k) out->detection[out->detections++] = i;
    }
  }
}

static inline bool slow_ignore(const ee_ap_object *object, ee_ap_range range) {
  return object->crowd || object->ignored || object->area < range.low || object->area > range.high;
}

static inline void slow_match(const scene *s, uint32_t image, long class_index, double threshold, ee_ap_range range,
                              size_t limit, slow_image *out) {
  slow_collect(s, image, class_index, out);
  /* Bubble sorts are stable. */
  for (size_t round = 1; round < out->detections; round++) {
    for (size_t i = 1; i < out->detections; i++) {
      size_t a = out->detection[i - 1], b = out->detection[i];
      if (-s->detections[b].score < -s->detections[a].score) out->detection[i - 1] = b, out->detection[i] = a;
    }
  }
  if (out->detections > limit) out->detections = limit;
  for (size_t round = 1; round < out->objects; round++) {
    for (size_t i = 1; i < out->objects; i++) {
      size_t a = out->object[i - 1], b = out->object[i];
      if (!slow_ignore(&s->objects[b], range) && slow_ignore(&s->objects[a], range))
        out->object[i - 1] = b, out->object[i] = a;
    }
  }
  for (size_t g = 0; g < out->objects; g++) {
    out->taken[g] = false;
    out->object_ignored[g] = slow_ignore(&s->objects[out->object[g]], range);
  }
  for (size_t d = 0; d < out->detections; d++) {
    const ee_ap_detection *detection = &s->detections[out->detection[d]];
    double best = threshold < 1 - 1e-10 ? threshold : 1 - 1e-10;
    long m = -1;
    for (size_t g = 0; g < out->objects; g++) {
      const ee_ap_object *object = &s->objects[out->object[g]];
      if (out->taken[g] && !object->crowd) continue;
      if (m > -1 && !out->object_ignored[m] && out->object_ignored[g]) break;
      double iou = slow_iou(detection->box, object->box, object->crowd);
      if (iou < best) continue;
      best = iou;
      m = (long)g;
    }
    /* A blank object is a match that leaves no trace in the detection. */
    out->matched[d] = m > -1 && !s->objects[out->object[m]].blank;
    out->ignored[d] = m > -1 && out->object_ignored[m];
    if (m > -1) out->taken[m] = true;
    double area = detection->box[2] * detection->box[3];
    if (!out->matched[d] && (area < range.low || area > range.high)) out->ignored[d] = true;
  }
}

#endif
