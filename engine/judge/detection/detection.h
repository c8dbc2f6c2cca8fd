/* detection.h: the compiled ee.detection, and what its three files share.
 *
 * Each case is an image: it is scored by itself, and its objects and detections are kept for average precision over the
 * data set. */
#ifndef EE_JUDGE_DETECTION_DETECTION_H
#define EE_JUDGE_DETECTION_DETECTION_H

#include "judge/plan.h"
#include "prim/average_precision.h"

typedef enum ee_detection_format { EE_DETECTION_XYWH, EE_DETECTION_XYXY, EE_DETECTION_CXCYWH } ee_detection_format;
#define EE_DETECTION_FORMATS "xywh|xyxy|cxcywh"

/* The members of an item of either list. */
typedef enum ee_detection_member {
  EE_DETECTION_BOX,
  EE_DETECTION_CATEGORY,
  EE_DETECTION_SCORE,
  EE_DETECTION_AREA,
  EE_DETECTION_CROWD,
  EE_DETECTION_IGNORE,
  EE_DETECTION_ID,
  EE_DETECTION_CATEGORY_ID, /* COCO's name; there is no option for it */
  EE_DETECTION_IMAGE_ID,    /* the same */
  EE_DETECTION_MEMBERS
} ee_detection_member;

enum { EE_DETECTION_LENGTHS = 32 };

/* The compiled judge. In the plan's arena. */
typedef struct ee_detection {
  const ee_path *path; /* of the list in both documents; NULL: the documents themselves */
  struct {
    const ee_path *path;
    ee_str key; /* if the path is a single key, which is the usual case; data NULL otherwise */
  } members[EE_DETECTION_MEMBERS];
  uint16_t of_length[EE_DETECTION_LENGTHS]; /* a bit for each member whose key is so long, or has the last length or
                                               more */
  bool ids_named; /* the option `id` is given: ids count in every item. Else only in items with an image_id, as in
                     COCO's files */
  ee_detection_format format, candidate_format; /* of objects and of detections */
  double threshold, min_score;                  /* of precision, recall, F1 and a case's score */
  ee_ap_parameters parameters;                  /* of average precision; use_categories is `classes` */
  bool corrected;                               /* mode = "corrected" */
  ee_empty_rule empty;
  size_t pair_limit; /* EE_DETECTION_PAIR_LIMIT; lower in tests */
} ee_detection;

/* Comparisons of detections with objects in one image, about a second of work. Needing more is an error of the case. */
#define EE_DETECTION_PAIR_LIMIT ((size_t)1 << 28)

extern const ee_option ee_detection_options[];
/* The judge record's compile() and print(). */
void ee_detection_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge);
void ee_detection_print(const ee_judge *judge, ee_buffer *out);

/* Reading -------------------------------------------------------------------------------------- */

/* A class. Categories are compared as strings: 17 and "17" are one class. */
typedef struct ee_detection_class {
  ee_str name;
  uint64_t hash;
  double number; /* for sorting: category_id, or else the category if it is a number */
  bool numbered;
} ee_detection_class;

/* The order of classes, which decides ties: by number, then those without a number by name. < 0, 0, > 0. */
int ee_detection_compare_classes(const ee_detection_class *a, const ee_detection_class *b);

/* Counters, summed over images; notes show the first images that have each. */
typedef enum ee_detection_counter {
  EE_DETECTION_DROPPED,
  EE_DETECTION_LOW_SCORE,
  EE_DETECTION_IGNORED,
  EE_DETECTION_TRUE,
  EE_DETECTION_DUPLICATE,
  EE_DETECTION_WRONG_CLASS,
  EE_DETECTION_POOR_PLACE,
  EE_DETECTION_BACKGROUND,
  EE_DETECTION_MISSED,      /* objects */
  EE_DETECTION_BAD_OBJECTS, /* without a usable box */
  EE_DETECTION_BAD_DETECTIONS,
  EE_DETECTION_UNSCORED, /* detections with a usable box */
  EE_DETECTION_MARKED,   /* objects marked `ignore` that are not crowds */
  EE_DETECTION_ID_ZERO,  /* objects */
  EE_DETECTION_CROWDS,
  EE_DETECTION_OUTSIDE,  /* objects with an area outside the first range, except crowds and ignored ones */
  EE_DETECTION_UNREAD,   /* records without a list of objects: excluded from all metrics */
  EE_DETECTION_TOO_MUCH, /* records that need too many comparisons: the same */
  EE_DETECTION_COUNTERS
} ee_detection_counter;

/* One image. In the case's arena. An invalid box has size 0, which overlaps nothing; negative sizes are kept. */
typedef struct ee_detection_case {
  ee_ap_object *objects;      /* image 0; category: index into `classes`; `blank` and `ignored` as the mode says */
  uint64_t *object_ids;       /* hashes; 0: no id; the array is NULL when no object has one */
  const char **object_errors; /* NULL for a usable box; the array is NULL without errors */
  size_t object_count;
  ee_ap_detection *detections; /* without a score: score 0, or -DBL_MAX when the box is invalid too */
  const char **detection_errors;
  bool *unscored; /* detections with a usable box but without a score; NULL when there are none */
  size_t detection_count;
  ee_detection_class *classes; /* in order of first appearance */
  size_t class_count;
  uint64_t counts[EE_DETECTION_COUNTERS];
} ee_detection_case;

/* Whether an object counts in `range`. */
static inline bool ee_detection_countable(const ee_ap_object *object, ee_ap_range range) {
  return !object->crowd && !object->ignored && object->area >= range.low && object->area <= range.high;
}

/* Average precision over all images. */
extern const ee_corpus_type ee_detection_corpus;

#endif
