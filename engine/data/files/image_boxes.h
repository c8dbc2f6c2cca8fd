/* image_boxes.h: an image's objects and detections as numbers, where a reader has them so: what the same record would
 * give as a document, without one. */
#ifndef EE_DATA_FILES_IMAGE_BOXES_H
#define EE_DATA_FILES_IMAGE_BOXES_H

#include <stdint.h>

#include "base/str.h"
#include "prim/average_precision.h"

/* A class, in the order of first appearance. */
typedef struct ee_boxes_class {
  ee_str name;   /* in NFC */
  uint64_t hash; /* ee_hash_bytes() of it, seed 0 */
  double number; /* category_id */
} ee_boxes_class;

/* Every box is finite, of size 0 or more, and every detection has a finite score. In the arena of the case; who
 * changes items copies them, since other judges get the same. */
typedef struct ee_image_boxes {
  ee_str id;              /* of the record */
  uint64_t expected_hash; /* ee_value_hash() of the array of objects */
  ee_ap_object *objects;  /* image 0; category: index into `classes`; `ignored`: marked so; `blank`: its id is 0 */
  uint64_t *object_ids;   /* ee_value_hash() of the ids; 0: no id; NULL: no object has one */
  size_t object_count;
  ee_ap_detection *detections; /* image 0 */
  size_t detection_count;
  ee_boxes_class *classes;
  size_t class_count;
} ee_image_boxes;

#endif
