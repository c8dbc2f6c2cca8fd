/* bench_average_precision.c: milliseconds an evaluation, at the size of COCO's val2017 and with twelve times its
 * detections. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "clock.h"
#include "prim/average_precision.h"
#include "random.h"

#define IMAGES 5000
#define CATEGORIES 80
#define OBJECTS 37000
#define ROUNDS 9

/* A third of COCO's objects are small, a third large; few classes have most of them, few images many. */
static ee_ap_object *make_objects(void) {
  ee_ap_object *objects = ee_calloc(OBJECTS, sizeof *objects);
  for (size_t i = 0; i < OBJECTS; i++) {
    double width = 8 + 300 * unit() * unit(), height = 8 + 300 * unit() * unit(), often = unit();
    objects[i] = (ee_ap_object){.box = {unit() * 340, unit() * 340, width, height},
                                .area = width * height * (0.5 + unit() / 2),
                                .image = (uint32_t)(unit() * unit() * IMAGES),
                                .category = (uint32_t)(often * often * often * CATEGORIES),
                                .crowd = bits() % 100 == 0};
  }
  return objects;
}

/* Two thirds of them near an object, the better the higher the score; the others anywhere, with low scores. */
static ee_ap_detection *make_detections(const ee_ap_object *objects, size_t count) {
  ee_ap_detection *detections = ee_calloc(count, sizeof *detections);
  for (size_t i = 0; i < count; i++) {
    const ee_ap_object *object = &objects[bits() % OBJECTS];
    double score = unit(), blur = 0.3 * (1 - score * unit());
    bool near = bits() % 3 != 0;
    detections[i] = (ee_ap_detection){.score = near ? score : 0.5 * score,
                                      .image = near ? object->image : (uint32_t)(bits() % IMAGES),
                                      .category = object->category};
    for (size_t k = 0; k < 4; k++) {
      double size = object->box[2 + k % 2];
      detections[i].box[k] = near ? object->box[k] + size * blur * (unit() - 0.5) : 8 + 300 * unit() * unit();
    }
  }
  return detections;
}

static void print(const char *name, double rounds[ROUNDS], const char *rest) {
  double median = sort_for_median(rounds, ROUNDS) * 1e3;
  printf("  %-44s %8.1f ms (fastest %.1f, slowest %.1f%s)\n", name, median, rounds[0] * 1e3, rounds[ROUNDS - 1] * 1e3,
         rest);
}

static void measure(const char *name, const ee_ap_object *objects, size_t detection_count) {
  ee_ap_detection *detections = make_detections(objects, detection_count);
  ee_ap_fate *fates = ee_calloc(detection_count, sizeof *fates);
  ee_ap_parameters parameters;
  ee_ap_defaults(&parameters);
  ee_arena arena, scratch;
  ee_arena_init(&arena, 0);
  ee_arena_init(&scratch, 0);
  double evaluate[ROUNDS], means[ROUNDS], explain[ROUNDS], numbers[EE_AP_TWELVE];
  char rest[100];
  for (int round = 0; round < ROUNDS; round++) {
    ee_arena_reset(&arena, 0);
    double start = now_s();
    ee_ap_result result;
    ee_ap_evaluate(&(ee_ap_input){objects, OBJECTS, detections, detection_count, IMAGES, CATEGORIES}, &parameters,
                   &arena, &scratch, &result);
    evaluate[round] = now_s() - start;
    start = now_s();
    ee_ap_twelve(&result, &scratch, numbers);
    means[round] = now_s() - start;
    start = now_s();
    ee_ap_operating_point point = {0.5, 0.05, parameters.ranges[0], 100, true};
    ee_ap_counts counts[CATEGORIES];
    ee_ap_explain(&(ee_ap_input){objects, OBJECTS, detections, detection_count, IMAGES, CATEGORIES}, &point, &scratch,
                  &(ee_ap_explanation){fates, NULL, NULL, counts});
    explain[round] = now_s() - start;
  }
  printf(" %s\n", name);
  snprintf(rest, sizeof rest, "; AP %.6f, %.1f MB of result, %.1f MB beside it", numbers[0],
           (double)ee_arena_held(&arena) / 1e6, (double)ee_arena_held(&scratch) / 1e6);
  print("evaluation", evaluate, rest);
  print("the twelve numbers", means, "");
  print("explanations at 0.5", explain, "");
  ee_arena_fini(&arena);
  ee_arena_fini(&scratch);
  ee_free(fates);
  ee_free(detections);
}

int main(void) {
  state = 42;
  printf("average precision, medians of %d rounds\n", ROUNDS);
  ee_ap_object *objects = make_objects();
  measure("5,000 images, 80 classes, 37,000 objects, 42,000 detections", objects, 42000);
  measure("the same with 500,000 detections", objects, 500000);
  ee_free(objects);
  return 0;
}
