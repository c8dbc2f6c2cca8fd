/* detection_set.h: the images of a part or of the whole data set, with all their objects and detections.
 *
 * The order in which images are added decides nothing once ee_detection_set_sort() has sorted them. */
#ifndef EE_JUDGE_DETECTION_DETECTION_SET_H
#define EE_JUDGE_DETECTION_DETECTION_SET_H

#include "base/hash_index.h"
#include "base/list.h"
#include "judge/detection/detection.h"

/* Ids of images that a note shows. */
#define EE_DETECTION_SHOWN 3

/* All images of a part or of the whole data set. malloc'd. */
typedef struct ee_detection_set {
  const ee_detection *detection;
  struct {
    EE_LIST(ee_ap_object);
  } objects; /* by image, in the order of its array; category: index into `classes` */
  struct {
    EE_LIST(uint64_t);
  } object_ids; /* one per object, or empty as long as no object has one */
  struct {
    EE_LIST(ee_ap_detection);
  } detections;
  struct {
    EE_LIST(size_t);
  } image_ends;      /* one per image: the end of its id in `id_text` */
  ee_buffer id_text; /* the ids of all images */
  struct {
    EE_LIST(ee_detection_class);
  } classes; /* names live in `names` */
  ee_hash_index class_index;
  ee_arena names;
  struct {
    EE_LIST(uint32_t);
  } map; /* scratch: the classes of a case or part -> those of this set */
  struct ee_image_counter {
    uint64_t count;
    uint32_t images[EE_DETECTION_SHOWN]; /* the first ones by id */
    uint32_t image_count;
  } counts[EE_DETECTION_COUNTERS];
} ee_detection_set;

/* The id of an image. */
static inline ee_str ee_detection_set_id(const ee_detection_set *set, size_t image) {
  size_t from = image > 0 ? set->image_ends.items[image - 1] : 0;
  return (ee_str){set->id_text.data != NULL ? set->id_text.data + from : "", set->image_ends.items[image] - from};
}

/* The hooks of ee_corpus_type (judge/corpus.h). */
void *ee_detection_set_open(const ee_judge *judge);
void ee_detection_set_close(void *set);
void ee_detection_set_clear(void *set);
void ee_detection_set_add(void *set, const ee_case *source, const ee_judge_result *result);
void ee_detection_set_merge(void *set, const void *other);
void ee_detection_set_state(void *set, ee_state_line *line);

/* Sorts images by id (whole numbers by value, then other ids by bytes) and classes by ee_detection_compare_classes():
 * the same set, however it came about. Boxes of one image stay in order. O(n log n) if they are not sorted yet. */
void ee_detection_set_sort(ee_detection_set *set);

#endif
