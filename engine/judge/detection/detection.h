/* detection.h: the compiled ee.detection, and what its files share.
 *
 * included by detection*.c and by tests. An image is a case: it is scored by itself, and what it holds is
 * gathered for average precision over the data set. */
#ifndef EE_JUDGE_DETECTION_DETECTION_H
#define EE_JUDGE_DETECTION_DETECTION_H

#include "judge/plan.h"
#include "prim/average_precision.h"

typedef enum ee_detection_format { EE_DETECTION_XYWH, EE_DETECTION_XYXY, EE_DETECTION_CXCYWH } ee_detection_format;
#define EE_DETECTION_FORMATS "xywh|xyxy|cxcywh"

/* What an item of the two lists may have. */
typedef enum ee_detection_member {
  EE_DETECTION_BOX,
  EE_DETECTION_CATEGORY,
  EE_DETECTION_SCORE,
  EE_DETECTION_AREA,
  EE_DETECTION_CROWD,
  EE_DETECTION_IGNORE,
  EE_DETECTION_ID,
  EE_DETECTION_CATEGORY_ID, /* no option: COCO's name for it */
  EE_DETECTION_IMAGE_ID,    /* the same */
  EE_DETECTION_MEMBERS
} ee_detection_member;

/* The compiled judge. In the plan's arena. */
typedef struct ee_detection {
  const ee_path *path; /* of the list in both documents; NULL: the documents themselves */
  struct {
    const ee_path *path;
    ee_str key; /* of a path that is one key, which is nearly always so; data NULL otherwise */
  } members[EE_DETECTION_MEMBERS];
  bool ids_named; /* the option `id` is given: ids count in every item. Else only in one that names its image too, as
                     COCO's do */
  ee_detection_format format, candidate_format; /* of objects and of detections */
  double threshold, min_score;                  /* of precision, recall, F1 and a case's score */
  ee_ap_parameters parameters;                  /* of average precision; use_categories is `classes` */
  bool corrected;                               /* mode = "corrected" */
  ee_empty_rule empty;
  size_t pair_limit; /* EE_DETECTION_PAIR_LIMIT, but for tests */
} ee_detection;

/* Comparisons of a detection with an object in one image, about a second's worth: an image that may take more is in
 * error. */
#define EE_DETECTION_PAIR_LIMIT ((size_t)1 << 28)

extern const ee_option ee_detection_options[];
/* The judge record's compile() and print(). */
void ee_detection_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge);
void ee_detection_print(const ee_judge *judge, ee_buffer *out);

/* Reading -------------------------------------------------------------------------------------- */

/* A class. Two items are of one class when their categories have the same text: 17 and "17" are one. */
typedef struct ee_detection_class {
  ee_str name;
  uint64_t hash;
  double number; /* what classes are ordered by: category_id, else the category where it is a number */
  bool numbered;
} ee_detection_class;

/* The order of classes, which decides ties: by number, then those without one by name. < 0, 0, > 0. */
int ee_detection_compare_classes(const ee_detection_class *a, const ee_detection_class *b);

/* What is counted over images, and shown with the first ones that have it. */
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
  EE_DETECTION_MARKED,   /* objects marked `ignore` that are no crowds */
  EE_DETECTION_ID_ZERO,  /* objects */
  EE_DETECTION_CROWDS,
  EE_DETECTION_OUTSIDE,  /* objects of an area outside the first range, crowds and ignored ones aside */
  EE_DETECTION_UNREAD,   /* records without a list of objects: they are in no figure */
  EE_DETECTION_TOO_MUCH, /* records that would take too many comparisons: the same */
  EE_DETECTION_COUNTERS
} ee_detection_counter;

/* One image. In the case's arena. An item without a usable box has one of size 0, which overlaps nothing; negative
 * sizes are kept. */
typedef struct ee_detection_case {
  ee_ap_object *objects; /* image 0; category: index into `classes`; `blank` and `ignored` as the mode says */
  uint64_t *object_ids;  /* hashes; 0: none; the array NULL when no object has one */
  const char *
      *object_troubles; /* why there is no usable box; NULL where there is one; the array NULL when all have one */
  size_t object_count;
  ee_ap_detection *detections; /* without a score: score 0, or -DBL_MAX when there is no usable box either */
  const char **detection_troubles;
  bool *unscored; /* with a usable box but without a score; NULL when there are none */
  size_t detection_count;
  ee_detection_class *classes; /* in order of first appearance */
  size_t class_count;
  uint64_t counts[EE_DETECTION_COUNTERS];
} ee_detection_case;

/* Reads two lists (either may be NULL: empty) and counts what is wrong with their items. */
void ee_detection_read(const ee_detection *detection, const ee_value *objects, const ee_value *detections,
                       ee_arena *arena, ee_detection_case *image);

/* True when an object counts in `range`. */
static inline bool ee_detection_countable(const ee_ap_object *object, ee_ap_range range) {
  return !object->crowd && !object->ignored && object->area >= range.low && object->area <= range.high;
}

/* Gathering ------------------------------------------------------------------------------------ */

#define EE_DETECTION_IDS_SHOWN 3

/* All images of a part or of the whole. malloc'd. */
typedef struct ee_detection_set {
  const ee_detection *detection;
  ee_ap_object *objects; /* image: in order of adding; category: index into `classes` */
  size_t object_count, object_capacity;
  uint64_t *object_ids; /* as many as objects, or NULL as long as none had one */
  size_t id_capacity;
  ee_ap_detection *detections;
  size_t detection_count, detection_capacity;
  size_t *image_ids; /* [image_count + 1] offsets in `id_text` */
  size_t image_count, image_capacity;
  ee_buffer id_text;
  ee_detection_class *classes; /* names live in `names` */
  size_t class_count, class_capacity;
  uint32_t *slots; /* hash of a name to class + 1, open addressing, at most half full */
  size_t slot_count;
  ee_arena names;
  uint32_t *map; /* scratch: classes of a case or part as those of this set */
  size_t map_capacity;
  struct ee_detection_count {
    uint64_t count;
    uint32_t images[EE_DETECTION_IDS_SHOWN]; /* the first ones */
    uint32_t image_count;
  } counts[EE_DETECTION_COUNTERS];
} ee_detection_set;

extern const ee_corpus_type ee_detection_corpus;

static inline ee_str ee_detection_image_id(const ee_detection_set *set, size_t image) {
  size_t from = set->image_ids[image];
  return (ee_str){set->id_text.data != NULL ? set->id_text.data + from : "", set->image_ids[image + 1] - from};
}

/* The gather record's finish(): figures, rows and notes. It reorders what was gathered. */
void ee_detection_finish(const ee_judge *judge, void *corpus_part, ee_arena *arena, ee_corpus_summary *summary);

/* Notes ---------------------------------------------------------------------------------------- */

/* Sentences, as they are made. */
typedef struct ee_detection_notes {
  ee_arena *arena;
  ee_buffer text; /* the one being written */
  ee_str *items;
  size_t count, capacity;
} ee_detection_notes;

/* Ends the sentence in `text` and keeps it. */
void ee_detection_end_note(ee_detection_notes *notes);
/* Appends "1 object" or "2 objects". */
void ee_detection_note_count(ee_detection_notes *notes, uint64_t count, const char *noun);
/* Appends a figure of `digits` digits. */
void ee_detection_note_figure(ee_detection_notes *notes, double value, int digits);
/* Appends " (first in 'a', 'b')". */
void ee_detection_note_images(ee_detection_notes *notes, const ee_detection_set *set, const uint32_t *images,
                              size_t count);

/* Notes on what lies beyond single images: boxes that look like another format's, coordinates of another scale, classes
 * that do not meet. Looks at the first images only. Before anything is reordered. */
void ee_detection_suspect(const ee_detection_set *set, ee_detection_notes *notes, ee_arena *scratch);

#endif
