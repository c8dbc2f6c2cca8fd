/* coco_inside.h: what the files of this room share: images, categories, objects and detections, and their texts. */
#ifndef EE_DATA_COCO_COCO_INSIDE_H
#define EE_DATA_COCO_COCO_INSIDE_H

#include "base/hash_index.h"
#include "base/list.h"
#include "data/coco/coco.h"
#include "data/coco/coco_entry.h"

/* An object or detection. Its text has two parts: the box, then the members that follow the category in the record,
 * each with a comma before it. */
typedef struct ee_coco_item {
  size_t text; /* offset in the side's text */
  uint32_t box_length, rest_length;
  uint32_t image;    /* in ascending order of ids */
  uint32_t category; /* in order of appearance */
} ee_coco_item;

/* All objects, or all detections. */
typedef struct ee_coco_side {
  ee_buffer text;
  EE_LIST(ee_coco_item); /* in the order of the files */
  uint32_t *order;       /* items by image */
  uint32_t *first;       /* [images + 1] in `order` */
} ee_coco_side;

typedef struct ee_coco_category {
  int64_t id;
  size_t name, name_length;         /* in `names` */
  size_t fragment, fragment_length; /* in `fragments`: its members in a record */
  size_t class_name, class_length;  /* in `classes`: what it is called in records */
  uint64_t class_hash;              /* ee_hash_bytes() of that */
  uint64_t members_hash;            /* of its two members in a record (value_hash.h) */
} ee_coco_category;

struct ee_coco {
  char *file; /* of annotations */
  struct {
    EE_LIST(int64_t); /* ids, ascending; in the order of the file while it is read */
  } images;
  ee_hash_index image_index; /* by id */
  struct {
    EE_LIST(ee_coco_category);
  } categories;
  ee_hash_index category_index;
  bool declared; /* there is a list "categories"; entries of other categories are left out */
  ee_buffer names, fragments, classes;
  bool has_boxes; /* images can be had as boxes: no name is blank or changes in NFC */
  uint64_t key_hashes[EE_COCO_MEMBERS];
  ee_coco_side objects, detections;
  ee_coco_counts counts;
  size_t next_image;
};

#define EE_COCO_UNKNOWN SIZE_MAX

/* The number of `id`, or EE_COCO_UNKNOWN. */
size_t ee_coco_find_id(const ee_hash_index *index, int64_t id);
/* Gives `id` the number `number`; false when it has a number. */
bool ee_coco_add_id(ee_hash_index *index, int64_t id, size_t number);

/* The digits of an id, at the end of `digits`. */
#define EE_COCO_ID_SIZE 20
ee_str ee_coco_id_text(int64_t id, char digits[EE_COCO_ID_SIZE]);

/* Adds an entry's text as an item; its image and category are set later. */
ee_coco_item *ee_coco_add_item(ee_coco_side *side, const ee_coco_entry *entry);
/* Sorts the items by image; those of one image keep their order. */
void ee_coco_sort_side(ee_coco_side *side, size_t image_count);

/* Adds a category; false when its id exists. */
bool ee_coco_add_category(ee_coco *coco, int64_t id, ee_str name);
/* The number of the category `id`, or EE_COCO_UNKNOWN. A file without "categories" has all of them: a new one is called
 * "category 17". */
size_t ee_coco_category_number(ee_coco *coco, int64_t id);
/* Once all categories are known: writes the members that describe each in a record. */
void ee_coco_name_categories(ee_coco *coco);
/* After that, with the name of each in records: what ee_coco_make_boxes() needs of all images. */
void ee_coco_ready_boxes(ee_coco *coco, const ee_str *names);

#endif
