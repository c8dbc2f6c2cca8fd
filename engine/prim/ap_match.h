/* ap_match.h: which detection takes which object, for average precision and its explanations.
 *
 * */
#ifndef EE_PRIM_AP_MATCH_H
#define EE_PRIM_AP_MATCH_H

#include "prim/average_precision.h"

/* Thresholds of one call; each is a bit. */
#define EE_AP_BATCH 64

/* One object or detection among the sorted ones. */
typedef struct ee_ap_item {
  uint32_t image, category;
  uint32_t index; /* in file order */
} ee_ap_item;

/* Objects and detections by class, within a class by image, within an image in file order (by category first when all
 * classes are one). */
typedef struct ee_ap_scene {
  const ee_ap_object *objects;
  const ee_ap_detection *detections;
  size_t classes; /* 1 when categories are not used */
  ee_ap_item *object_items, *detection_items;
  size_t *object_start, *detection_start; /* [classes + 1] */
} ee_ap_scene;

/* Sorts; detections below `min_score` are left out. The arrays come from `arena`. O(n + images + categories). */
void ee_ap_sort(const ee_ap_object *objects, size_t object_count, const ee_ap_detection *detections,
                size_t detection_count, size_t images, size_t categories, bool use_categories, double min_score,
                ee_arena *arena, ee_ap_scene *scene);

/* How one class fared. The arrays come from the arena of ee_ap_match(). */
typedef struct ee_ap_matches {
  size_t count;     /* detections of the class, by falling score, then image, then as the scene has them */
  uint32_t *index;  /* [count] in file order */
  uint32_t *rank;   /* [count] place among those of its image, from 0; those at the limit and beyond match nothing */
  uint64_t *hits;   /* [range][count] a bit a threshold: took a countable object */
  uint64_t *misses; /* [range][count] took nothing, and its area is in the range; neither bit: counts nowhere */
  uint64_t *taken;  /* [object][range] taken by a detection; objects as the scene has them. Crowds: undefined */
  uint32_t *takers; /* [object] the last detection that took it, in file order, where it is taken; NULL unless there are
                       one threshold and one range */
  size_t *countable; /* [range] objects that count */
} ee_ap_matches;

/* Matches the detections of one class with its objects at up to EE_AP_BATCH thresholds at once. */
void ee_ap_match(const ee_ap_scene *scene, size_t class_index, const double *thresholds, size_t threshold_count,
                 const ee_ap_range *ranges, size_t range_count, unsigned limit, ee_arena *arena,
                 ee_ap_matches *matches);

/* Whether an object counts in a range. */
static inline bool ee_ap_countable(const ee_ap_object *object, const ee_ap_range *range) {
  return !(object->crowd || object->ignored || object->area < range->low || object->area > range->high);
}

/* What an IoU must reach at a threshold: equal boxes match at a threshold of 1 in spite of rounding. */
static inline double ee_ap_required(double threshold) { return threshold < 1 - 1e-10 ? threshold : 1 - 1e-10; }

/* Intersection over union, over the detection's area for a crowd; the operations of pycocotools' bbIou(), in its order.
 */
static inline double ee_ap_iou(const double detection[4], const double object[4], bool crowd) {
  double right = detection[2] + detection[0], object_right = object[2] + object[0];
  double width = (right < object_right ? right : object_right) - (detection[0] > object[0] ? detection[0] : object[0]);
  if (width <= 0) return 0;
  double bottom = detection[3] + detection[1], object_bottom = object[3] + object[1];
  double height =
      (bottom < object_bottom ? bottom : object_bottom) - (detection[1] > object[1] ? detection[1] : object[1]);
  if (height <= 0) return 0;
  double shared = width * height, area = detection[2] * detection[3];
  double iou = shared / (crowd ? area : area + object[2] * object[3] - shared);
  return iou == iou ? iou : 0; /* 0/0 and inf/inf are no overlap */
}

#endif
