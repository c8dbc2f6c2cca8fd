/* coco_parts.h: what the files of coco.h share.
 *
 * */
#ifndef EE_DATA_COCO_COCO_PARTS_H
#define EE_DATA_COCO_COCO_PARTS_H

#include "data/coco/coco.h"
#include "data/coco/coco_entry.h"
#include "data/coco/coco_map.h"
#include "data/files/capped_errors.h"

/* An object or detection. Its texts stand one behind the other: the box, then the members behind the category, each
 * with a comma before it. */
typedef struct ee_coco_item {
  size_t text; /* offset */
  uint32_t box_length, rest_length;
  uint32_t image;    /* in ascending order of ids */
  uint32_t category; /* in order of appearance */
} ee_coco_item;

/* All objects, or all detections. */
typedef struct ee_coco_side {
  ee_buffer text;
  ee_coco_item *items; /* in the order of the files */
  size_t count, capacity;
  uint32_t *order; /* items by image */
  uint32_t *first; /* [images + 1] in `order` */
} ee_coco_side;

typedef struct ee_coco_category {
  int64_t id;
  size_t name, name_length;         /* in `names` */
  size_t fragment, fragment_length; /* in `fragments`: its members in a record */
} ee_coco_category;

struct ee_coco {
  char *file; /* of annotations */
  int64_t *images;
  size_t image_count, image_capacity;
  ee_coco_map image_map; /* to its number in ascending order; while the file is read, in the file's */
  ee_coco_category *categories;
  size_t category_count, category_capacity;
  ee_coco_map category_map;
  bool declared; /* there is a list "categories": what is of none of them is left out */
  ee_buffer names, fragments;
  ee_coco_side objects, detections;
  ee_coco_counts counts;
  size_t next_image;
};

/* Adds an entry's texts as an item without image and category. */
ee_coco_item *ee_coco_add_item(ee_coco_side *side, const ee_coco_entry *entry);

/* The number of the category `id`. Where none are declared, one that is not known is added as "category 17"; else it is
 * EE_COCO_NOWHERE: COCO's evaluator goes through the declared ones only. */
size_t ee_coco_category_number(ee_coco *coco, int64_t id);

/* Adds a category; false when its id is there already. */
bool ee_coco_add_category(ee_coco *coco, int64_t id, ee_str name);

#endif
