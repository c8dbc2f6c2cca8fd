/* coco_entry.h: reads an entry of COCO's lists: an image, a category, an annotation or a detection.
 *
 * Entries of one list are mostly written alike: what is between two values, `, "bbox": `, is compared with what was
 * there in the entry before, and only what differs is read as JSON. */
#ifndef EE_DATA_COCO_COCO_ENTRY_H
#define EE_DATA_COCO_COCO_ENTRY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "data/json/json_scan.h"

/* The members of an entry that are used. Others, such as segmentations and file names, are checked as JSON and skipped.
 */
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
  bool boxed;                     /* bbox is an array of four numbers */
  const char *end;                /* of the text that was scanned, in which the values are */
} ee_coco_entry;

enum { EE_COCO_STEPS = 16, EE_COCO_STEP_BYTES = 32 };

/* How the entries of a list are written: what was between the values of those that were read last. All zero: nothing
 * was read. */
typedef struct ee_coco_layout {
  struct {
    char text[EE_COCO_STEP_BYTES]; /* from the previous value, or from the '{', to this one */
    uint32_t mask;                 /* a bit for each byte of it */
    uint8_t length, member;        /* length 0: not known */
  } steps[EE_COCO_STEPS];
} ee_coco_layout;

/* Reads the value at `at` (after white space) into `entry`. A value that is not an object is skipped. Returns what
 * follows it, or NULL with the mistake in `scan`. */
const char *ee_coco_read_entry(ee_json_scan *scan, const char *at, ee_coco_layout *layout, ee_coco_entry *entry,
                               bool *is_object);

typedef enum ee_coco_type {
  EE_COCO_WHOLE,  /* required: a whole number, which goes to *number */
  EE_COCO_BOX,    /* required: four numbers */
  EE_COCO_TEXT,   /* a string; asked only of what is there */
  EE_COCO_NUMBER, /* a number or absent */
  EE_COCO_FLAG    /* a number, a boolean or absent */
} ee_coco_type;

/* The usual id, of up to 8 digits, at once; false for any other number. `end`: of what can be read. */
static inline bool ee_coco_read_short_id(ee_str text, const char *end, int64_t *number) {
#if defined(EE_JSON_SSE2)
  if (text.length > 8 || end - text.data < 8) return false;
  uint64_t word;
  memcpy(&word, text.data, 8);
  uint64_t digits = (word ^ UINT64_C(0x3030303030303030)) << (64 - 8 * text.length);
  /* Adding makes the high bit of what is above 9; what it may carry over comes from a byte that has its high bit. */
  bool good = ((digits | (digits + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080)) == 0;
  if (good) *number = (int64_t)ee_json_eight_digits(digits, 8);
  return good;
#else
  (void)text, (void)end, (void)number;
  return false;
#endif
}

static inline bool ee_coco_is_number(ee_str text) { return text.data[0] == '-' || ee_json_is_digit(text.data[0]); }

/* What is wrong with `member`, or NULL. `number` is for EE_COCO_WHOLE. Inlined: callers know the type. */
static inline const char *ee_coco_check_member(const ee_coco_entry *entry, ee_coco_member member, ee_coco_type type,
                                               int64_t *number) {
  ee_str value = entry->values[member];
  bool present = value.data != NULL;
  switch (type) { /* unreached: all are listed */
  case EE_COCO_WHOLE:
    if (!present) return "is missing";
    if (ee_coco_read_short_id(value, entry->end, number) || ee_json_whole_number(value, number)) return NULL;
    return "is not a whole number of at most 18 digits";
  case EE_COCO_BOX:
    if (!present) return "is missing";
    return entry->boxed ? NULL : "is not an array of four numbers";
  case EE_COCO_TEXT: return value.data[0] == '"' ? NULL : "is not a string";
  case EE_COCO_NUMBER: return !present || ee_coco_is_number(value) ? NULL : "is not a number";
  case EE_COCO_FLAG:
    return !present || ee_coco_is_number(value) || value.data[0] == 't' || value.data[0] == 'f' ? NULL
                                                                                                : "is not a number";
  }
  return NULL; /* unreached: all types are above */
}

#endif
