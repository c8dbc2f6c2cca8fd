/* coco_entry.h: one entry of a COCO file, an image, category, annotation or detection, as the source texts of its
 * parts.
 *
 * */
#ifndef EE_DATA_COCO_COCO_ENTRY_H
#define EE_DATA_COCO_COCO_ENTRY_H

#include "data/json/json_scan.h"

/* The members that matter; what else an entry holds (segmentations, file names) is checked and skipped. */
typedef enum ee_coco_member {
  EE_COCO_ID,
  EE_COCO_IMAGE_ID,
  EE_COCO_CATEGORY_ID,
  EE_COCO_BBOX,
  EE_COCO_SCORE,
  EE_COCO_AREA,
  EE_COCO_ISCROWD,
  EE_COCO_IGNORE,
  EE_COCO_NAME,
  EE_COCO_MEMBERS
} ee_coco_member;

extern const char *const ee_coco_member_names[EE_COCO_MEMBERS];

typedef struct ee_coco_entry {
  ee_str values[EE_COCO_MEMBERS]; /* source texts, borrowed; data NULL: missing or null. The last of duplicate keys */
  ee_str box[4];                  /* the four numbers of bbox, when `boxed` */
  bool boxed;                     /* bbox is a list of four numbers */
} ee_coco_entry;

/* Reads the value at `at` (white space skipped): `*is_object` tells whether it is an object, else it was only skipped.
 */
const char *ee_coco_entry_read(ee_json_scan *scan, const char *at, ee_coco_entry *entry, bool *is_object);

/* What is wrong with `member`, or NULL: `wanted` is needed, and a number that is there must be one. */
typedef enum ee_coco_want {
  EE_COCO_WHOLE,  /* needed: a whole number, which goes to *number */
  EE_COCO_BOX,    /* needed: four numbers */
  EE_COCO_TEXT,   /* needed: a text */
  EE_COCO_NUMBER, /* a number when it is there */
  EE_COCO_FLAG    /* a number or boolean when it is there */
} ee_coco_want;
const char *ee_coco_entry_check(const ee_coco_entry *entry, ee_coco_member member, ee_coco_want want, int64_t *number);

#endif
