/* ap_explain.c: how each detection fared, and why. See average_precision.h. */
#include <math.h>
#include <string.h>

#include "prim/ap_match.h"

/* Below this IoU a detection has nothing to do with an object. */
static const double nearby = 0.1;

/* The objects of each image, whatever their class. */
typedef struct by_image {
  const ee_ap_object *objects;
  uint32_t *index;
  size_t *start; /* [images + 1], in `index` */
} by_image;

static by_image group_by_image(const ee_ap_object *objects, size_t object_count, size_t images, ee_arena *arena) {
  by_image groups = {objects, ee_arena_alloc(arena, object_count * sizeof(uint32_t)),
                     EE_NEW_ARRAY(arena, size_t, images + 2)};
  /* Counted two places up, so that after filling start[image] is where the image begins. */
  for (size_t i = 0; i < object_count; i++) groups.start[objects[i].image + 2]++;
  for (size_t i = 2; i <= images; i++) groups.start[i] += groups.start[i - 1];
  for (size_t i = 0; i < object_count; i++) groups.index[groups.start[objects[i].image + 1]++] = (uint32_t)i;
  return groups;
}

/* Why a detection that found nothing is false. An object of its class that it overlaps at the threshold is taken, or it
 * would have been found. */
static ee_ap_fate explain_miss(const ee_ap_detection *detection, const by_image *groups,
                               const ee_ap_operating_point *point) {
  double required = ee_ap_required(point->threshold);
  ee_ap_fate fate = EE_AP_BACKGROUND;
  for (size_t i = groups->start[detection->image]; i < groups->start[detection->image + 1]; i++) {
    const ee_ap_object *object = &groups->objects[groups->index[i]];
    double iou = ee_ap_iou(detection->box, object->box, object->crowd);
    if (!point->use_categories || object->category == detection->category) {
      if (iou >= required) return EE_AP_DUPLICATE;
      if (iou >= nearby && !object->crowd && fate == EE_AP_BACKGROUND) fate = EE_AP_POOR_PLACE;
    } else if (iou >= required && ee_ap_countable(object, &point->range)) {
      fate = EE_AP_WRONG_CLASS;
    }
  }
  return fate;
}

static void explain_class(const ee_ap_scene *scene, const by_image *groups, size_t k,
                          const ee_ap_operating_point *point, const ee_ap_matches *matches, ee_ap_fate *fates,
                          bool *found, uint32_t *takers, ee_ap_counts *counts) {
  uint64_t tp = 0, fp = 0;
  for (size_t i = 0; i < matches->count; i++) {
    tp += matches->hits[i];
    fp += matches->misses[i];
    if (fates == NULL) continue;
    uint32_t index = matches->index[i];
    if (matches->rank[i] >= point->limit) {
      fates[index] = EE_AP_DROPPED;
    } else if (matches->misses[i] != 0) {
      fates[index] = explain_miss(&scene->detections[index], groups, point);
    } else {
      fates[index] = matches->hits[i] != 0 ? EE_AP_TRUE : EE_AP_IGNORED;
    }
  }
  if (counts != NULL) counts[k] = (ee_ap_counts){tp, fp, matches->countable[0] - tp};
  if (found == NULL) return;
  const ee_ap_item *items = scene->object_items + scene->object_start[k];
  for (size_t i = 0; i < scene->object_start[k + 1] - scene->object_start[k]; i++) {
    const ee_ap_object *object = &scene->objects[items[i].index];
    bool is_found = ee_ap_countable(object, &point->range) && !object->blank && matches->taken[i] != 0;
    found[items[i].index] = is_found;
    if (is_found && takers != NULL) takers[items[i].index] = matches->takers[i];
  }
}

void ee_ap_explain(const ee_ap_object *objects, size_t object_count, const ee_ap_detection *detections,
                   size_t detection_count, size_t images, size_t categories, const ee_ap_operating_point *point,
                   ee_arena *scratch, ee_ap_fate *fates, bool *found, uint32_t *takers, ee_ap_counts *counts) {
  if (fates != NULL) {
    for (size_t i = 0; i < detection_count; i++) fates[i] = EE_AP_LOW_SCORE;
  }
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  /* A detection of a lower score never takes an object from one of a higher score, so that leaving out those below
   * min_score changes nothing for the others. */
  ee_ap_scene scene;
  ee_ap_sort(objects, object_count, detections, detection_count, images, categories, point->use_categories,
             point->min_score, scratch, &scene);
  by_image groups = group_by_image(objects, object_count, images, scratch);
  for (size_t k = 0; k < scene.classes; k++) {
    ee_arena_mark class_mark = ee_arena_get_mark(scratch);
    ee_ap_matches matches;
    ee_ap_match(&scene, k, &point->threshold, 1, &point->range, 1, point->limit, scratch, &matches);
    explain_class(&scene, &groups, k, point, &matches, fates, found, takers, counts);
    ee_arena_rewind(scratch, class_mark);
  }
  ee_arena_rewind(scratch, mark);
}
