/* detection.c: ee.detection. Each case is an image; its score is the F1 of its detections.
 *
 * A case: read objects and detections (read_image), match them at one IoU threshold by COCO's rules (match), and list
 * what was found and why other detections are false. detection_compile.c reads the options, detection_corpus.c computes
 * average precision over all images. Images are matched one by one there too, so the counts here add up to its counts.
 */
#include "judge/detection/detection.h"

#include <float.h>
#include <math.h>

#include "base/hash_index.h"
#include "base/work.h"
#include "data/files/image_boxes.h"
#include "judge/details.h"
#include "judge/geometry/shape.h"
#include "judge/result.h"
#include "prim/box.h"
#include "prim/number.h"
#include "prim/sort.h"

#define ALL_CLASSES "(all)"
/* Units of the overlap of two boxes. */
#define OVERLAP_WORK 4

/* One image while it is judged. */
typedef struct judged_image {
  const ee_detection *detection;
  ee_detection_case *image;
  ee_arena *arena;
  ee_ap_fate *fates;    /* a detection */
  bool *found;          /* an object */
  uint32_t *takers;     /* an object: the detection that found it */
  ee_ap_counts *counts; /* a class, or one in all */
  size_t class_count;   /* of `counts` */
  ee_findings findings;
  bool counts_only;             /* only the first miss is listed */
  size_t limit;                 /* of hits, and of misses, that are listed one by one */
  size_t room, misses_left_out; /* for misses */
  size_t hits_left_out;
} judged_image;

static ee_box box_of(const double box[4]) { return ee_box_from_xywh(box); }
static bool is_usable(const double box[4]) { return box[2] >= 0 && box[3] >= 0; }

static double overlap_of(const double a[4], const double b[4]) {
  return is_usable(a) && is_usable(b) ? ee_iou(box_of(a), box_of(b)) : 0;
}

/* Reading -------------------------------------------------------------------------------------- */

/* The class of items without a category; a data set with one class may leave it out. */
#define NO_CLASS "(none)"

/* The members of an item; NULL where it has none. */
typedef struct item_parts {
  const ee_value *members[EE_DETECTION_MEMBERS];
} item_parts;

/* One image while it is read. */
typedef struct reader {
  const ee_detection *detection;
  ee_detection_case *image;
  ee_arena *arena;
  ee_hash_index class_index; /* hash of a class's name -> index into image->classes */
} reader;

/* One walk over the item finds all members that are plain keys; only other paths need a search of their own. */
static void find_parts(const reader *r, const ee_value *item, item_parts *parts) {
  const ee_detection *detection = r->detection;
  *parts = (item_parts){0};
  for (const ee_value *member = ee_value_child(item); member != NULL; member = ee_value_next(member)) {
    ee_str key = ee_value_key(member);
    unsigned like = detection->of_length[key.length < EE_DETECTION_LENGTHS ? key.length : EE_DETECTION_LENGTHS - 1];
    for (; like != 0; like &= like - 1) {
      unsigned i = (unsigned)__builtin_ctz(like);
      if (ee_str_equal(detection->members[i].key, key)) parts->members[i] = member;
    }
  }
  for (size_t i = 0; i < EE_DETECTION_MEMBERS; i++) {
    if (detection->members[i].key.data == NULL)
      parts->members[i] = ee_path_get(detection->members[i].path, item, r->arena);
    if (ee_type_of(parts->members[i]) == EE_NULL) parts->members[i] = NULL;
  }
}

/* Boxes ---------------------------------------------------------------------------------------- */

static const char *read_coordinates(const ee_value *value, double numbers[4]) {
  if (ee_type_of(value) != EE_ARRAY || ee_value_count(value) != 4) return "not four numbers";
  const ee_value *element = ee_value_child(value);
  for (size_t i = 0; i < 4; i++, element = ee_value_next(element)) {
    if (ee_type_of(element) != EE_NUMBER) return "not four numbers";
    numbers[i] = ee_value_number(element);
    if (!isfinite(numbers[i])) return "a coordinate is not a finite number";
  }
  return NULL;
}

/* False when `value` does not name a format. */
static bool read_format(const ee_value *value, ee_detection_format *format) {
  static const char *const names[] = {"xywh", "xyxy", "cxcywh"};
  if (ee_type_of(value) != EE_STRING) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!ee_str_is(ee_value_text(value), names[i])) continue;
    *format = (ee_detection_format)i;
    return true;
  }
  return false;
}

/* Reads a box as x, y, width, height. Returns NULL, or the error. A box of negative size is an error but is kept,
 * because COCO's arithmetic handles it; `box` is not set for all other errors. */
static const char *read_box(const reader *r, const ee_value *value, ee_detection_format format, double box[4]) {
  if (value == NULL) return "no box";
  if (ee_type_of(value) == EE_OBJECT) {
    const ee_value *own = ee_value_member(value, EE_STR("format"), r->arena);
    if (own != NULL && !read_format(own, &format)) return "unknown format of the box";
    value = ee_value_member(value, EE_STR("coordinates"), r->arena);
  }
  double numbers[4];
  const char *error = read_coordinates(value, numbers);
  if (error != NULL) return error;
  if (format == EE_DETECTION_XYXY) {
    numbers[2] -= numbers[0];
    numbers[3] -= numbers[1];
  } else if (format == EE_DETECTION_CXCYWH) {
    numbers[0] -= numbers[2] / 2;
    numbers[1] -= numbers[3] / 2;
  }
  for (size_t i = 0; i < 4; i++)
    if (!isfinite(numbers[i])) return "coordinates too far apart";
  memcpy(box, numbers, sizeof numbers);
  if (numbers[2] >= 0 && numbers[3] >= 0) return NULL;
  return format == EE_DETECTION_XYXY ? "corners the wrong way round" : "negative size";
}

/* Classes -------------------------------------------------------------------------------------- */

int ee_detection_compare_classes(const ee_detection_class *a, const ee_detection_class *b) {
  if (a->numbered != b->numbered) return a->numbered ? -1 : 1;
  if (a->numbered && a->number != b->number) return a->number < b->number ? -1 : 1;
  return ee_str_compare(a->name, b->name);
}

/* A category as a string; false when it is neither a string nor a number. */
static bool category_text(const reader *r, const ee_value *value, ee_str *text) {
  if (ee_type_of(value) == EE_STRING) {
    *text = ee_value_text(value);
    return true;
  }
  if (ee_type_of(value) != EE_NUMBER) return false;
  char digits[32];
  ee_str number = ee_value_number_text(value, digits);
  *text = (ee_str){ee_arena_copy(r->arena, number.data, number.length), number.length};
  return true;
}

static uint32_t find_class(reader *r, ee_str name, const ee_value *number) {
  ee_detection_case *image = r->image;
  uint64_t hash = ee_hash_bytes(name.data, name.length, 0);
  size_t at = 0, found;
  while (ee_hash_index_next(&r->class_index, hash, &at, &found))
    if (ee_str_equal(image->classes[found].name, name)) return (uint32_t)found;
  ee_detection_class *added = &image->classes[image->class_count];
  *added = (ee_detection_class){.name = name, .hash = hash};
  if (ee_type_of(number) == EE_NUMBER) {
    added->numbered = true;
    added->number = ee_value_number(number);
  } else {
    /* "17" must sort as 17 does. */
    added->numbered =
        name.length < 19 && ee_number_parse(name, (ee_number_format){.decimal = '.'}, r->arena, &added->number, NULL);
  }
  ee_hash_index_add(&r->class_index, hash, image->class_count);
  return (uint32_t)image->class_count++;
}

/* Reads the class of an item. Returns NULL, or the error. */
static const char *read_class(reader *r, const item_parts *parts, uint32_t *class) {
  const ee_value *category = parts->members[EE_DETECTION_CATEGORY], *number = parts->members[EE_DETECTION_CATEGORY_ID];
  if (category == NULL) category = number;
  ee_str name = EE_STR(NO_CLASS);
  bool good = category == NULL || category_text(r, category, &name);
  *class = find_class(r, name, number != NULL ? number : category);
  return good ? NULL : "the category is neither a string nor a number";
}

/* Items ---------------------------------------------------------------------------------------- */

static bool is_set(const ee_value *value) {
  return ee_type_of(value) == EE_TRUE || (ee_type_of(value) == EE_NUMBER && ee_value_number(value) != 0);
}

/* The hash of an id that counts; 0 otherwise. */
static uint64_t read_id(const reader *r, const item_parts *parts) {
  const ee_value *id = parts->members[EE_DETECTION_ID];
  if (id == NULL || (!r->detection->ids_named && parts->members[EE_DETECTION_IMAGE_ID] == NULL)) return 0;
  uint64_t hash = ee_value_hash(id);
  return hash != 0 ? hash : 1;
}

/* Reads box and class. Returns NULL, or the error. */
static const char *read_item(reader *r, const ee_value *item, ee_detection_format format, item_parts *parts,
                             double box[4], uint32_t *class) {
  memset(box, 0, 4 * sizeof *box);
  if (ee_type_of(item) != EE_OBJECT) {
    *parts = (item_parts){0};
    *class = find_class(r, EE_STR(NO_CLASS), NULL);
    return "not an object";
  }
  find_parts(r, item, parts);
  const char *error = read_class(r, parts, class);
  if (error != NULL) return error;
  return read_box(r, parts->members[EE_DETECTION_BOX], format, box);
}

/* Stores the error of item `index`; NULL: nothing to store. The array is made for the first error. */
static void keep_error(ee_arena *arena, const char ***errors, size_t count, size_t index, const char *error) {
  if (error == NULL) return;
  if (*errors == NULL) *errors = EE_NEW_ARRAY(arena, const char *, count);
  (*errors)[index] = error;
}

static void read_object(reader *r, const ee_value *item, size_t index) {
  ee_detection_case *image = r->image;
  ee_ap_object *object = &image->objects[index];
  item_parts parts;
  *object = (ee_ap_object){0};
  const char *error = read_item(r, item, r->detection->format, &parts, object->box, &object->category);
  keep_error(r->arena, &image->object_errors, image->object_count, index, error);
  image->counts[EE_DETECTION_BAD_OBJECTS] += error != NULL;
  const ee_value *area = parts.members[EE_DETECTION_AREA];
  bool given = ee_type_of(area) == EE_NUMBER && isfinite(ee_value_number(area));
  object->area = given ? ee_value_number(area) : object->box[2] * object->box[3];
  object->crowd = is_set(parts.members[EE_DETECTION_CROWD]);
  image->counts[EE_DETECTION_CROWDS] += object->crowd;
  bool marked = is_set(parts.members[EE_DETECTION_IGNORE]) && !object->crowd;
  image->counts[EE_DETECTION_MARKED] += marked;
  object->ignored = marked && r->detection->corrected;
  uint64_t id = read_id(r, &parts);
  if (id == 0) return;
  if (image->object_ids == NULL) image->object_ids = EE_NEW_ARRAY(r->arena, uint64_t, image->object_count);
  image->object_ids[index] = id;
  const ee_value *value = parts.members[EE_DETECTION_ID];
  if (ee_type_of(value) != EE_NUMBER || ee_value_number(value) != 0) return;
  image->counts[EE_DETECTION_ID_ZERO]++;
  object->blank = !r->detection->corrected;
}

static void read_detection(reader *r, const ee_value *item, size_t index) {
  ee_detection_case *image = r->image;
  ee_ap_detection *detection = &image->detections[index];
  item_parts parts;
  *detection = (ee_ap_detection){0};
  const char *error = read_item(r, item, r->detection->candidate_format, &parts, detection->box, &detection->category);
  keep_error(r->arena, &image->detection_errors, image->detection_count, index, error);
  image->counts[EE_DETECTION_BAD_DETECTIONS] += error != NULL;
  const ee_value *score = parts.members[EE_DETECTION_SCORE];
  if (ee_type_of(score) == EE_NUMBER && isfinite(ee_value_number(score))) {
    detection->score = ee_value_number(score);
    return;
  }
  /* An invalid detection must not lower the average precision: it is false and comes after all others. */
  if (error != NULL) {
    detection->score = -DBL_MAX;
    return;
  }
  if (image->unscored == NULL) image->unscored = EE_NEW_ARRAY(r->arena, bool, image->detection_count);
  image->unscored[index] = true;
  image->counts[EE_DETECTION_UNSCORED]++;
}

/* Reads two lists (either may be NULL: empty) and counts the errors of their items. */
static void read_image(const ee_detection *detection, const ee_value *objects, const ee_value *detections,
                       ee_arena *arena, ee_detection_case *image) {
  *image = (ee_detection_case){.object_count = objects != NULL ? ee_value_count(objects) : 0,
                               .detection_count = detections != NULL ? ee_value_count(detections) : 0};
  size_t items = image->object_count + image->detection_count;
  ee_work_bound(EE_BOUND_ITEMS, image->object_count, "objects in an image");
  ee_work_bound(EE_BOUND_ITEMS, image->detection_count, "detections in an image");
  image->objects = ee_arena_alloc(arena, image->object_count * sizeof *image->objects);
  image->detections = ee_arena_alloc(arena, image->detection_count * sizeof *image->detections);
  image->classes = ee_arena_alloc(arena, items * sizeof *image->classes);
  reader r = {.detection = detection, .image = image, .arena = arena, .class_index = {.arena = arena}};
  size_t index = 0;
  for (const ee_value *item = objects != NULL ? ee_value_child(objects) : NULL; item != NULL;
       item = ee_value_next(item))
    read_object(&r, item, index++);
  index = 0;
  for (const ee_value *item = detections != NULL ? ee_value_child(detections) : NULL; item != NULL;
       item = ee_value_next(item))
    read_detection(&r, item, index++);
}

/* Boxes in place of lists ---------------------------------------------------------------------- */

static bool takes_boxes(const ee_judge *judge) {
  static const char *const keys[EE_DETECTION_MEMBERS] = {
      [EE_DETECTION_BOX] = "bbox",  [EE_DETECTION_CATEGORY] = "category",       [EE_DETECTION_SCORE] = "score",
      [EE_DETECTION_AREA] = "area", [EE_DETECTION_CROWD] = "iscrowd",           [EE_DETECTION_IGNORE] = "ignore",
      [EE_DETECTION_ID] = "id",     [EE_DETECTION_CATEGORY_ID] = "category_id", [EE_DETECTION_IMAGE_ID] = "image_id"};
  const ee_detection *detection = judge->data;
  bool usual = detection->path == NULL && detection->format == EE_DETECTION_XYWH &&
               detection->candidate_format == EE_DETECTION_XYWH;
  for (size_t i = 0; i < EE_DETECTION_MEMBERS && usual; i++)
    usual = detection->members[i].key.data != NULL && ee_str_is(detection->members[i].key, keys[i]);
  return usual;
}

static void *copy_items(const void *items, size_t size, ee_arena *arena) {
  return memcpy(ee_arena_alloc(arena, size), items, size);
}

/* What read_image() makes of the documents that say the same. */
static void take_boxes(const ee_detection *detection, const ee_image_boxes *boxes, ee_arena *arena,
                       ee_detection_case *image) {
  ee_work_bound(EE_BOUND_ITEMS, boxes->object_count, "objects in an image");
  ee_work_bound(EE_BOUND_ITEMS, boxes->detection_count, "detections in an image");
  *image =
      (ee_detection_case){.objects = copy_items(boxes->objects, boxes->object_count * sizeof *image->objects, arena),
                          .object_ids = boxes->object_ids,
                          .object_count = boxes->object_count,
                          .detections = boxes->detections,
                          .detection_count = boxes->detection_count,
                          .classes = ee_arena_alloc(arena, boxes->class_count * sizeof *image->classes),
                          .class_count = boxes->class_count};
  for (size_t i = 0; i < boxes->class_count; i++) {
    const ee_boxes_class *class = &boxes->classes[i];
    image->classes[i] =
        (ee_detection_class){.name = class->name, .hash = class->hash, .number = class->number, .numbered = true};
  }
  bool sorts_classes = !detection->parameters.use_categories;
  if (sorts_classes)
    image->detections = copy_items(boxes->detections, boxes->detection_count * sizeof *image->detections, arena);
  for (size_t i = 0; i < boxes->object_count; i++) {
    ee_ap_object *object = &image->objects[i];
    bool marked = object->ignored && !object->crowd;
    image->counts[EE_DETECTION_CROWDS] += object->crowd;
    image->counts[EE_DETECTION_MARKED] += marked;
    image->counts[EE_DETECTION_ID_ZERO] += object->blank;
    object->ignored = marked && detection->corrected;
    object->blank = object->blank && !detection->corrected;
  }
}

/* Order without scores ------------------------------------------------------------------------- */

/* A detection, for sorting by the order in which detections choose an object. */
typedef struct chooser {
  bool scored;
  double key; /* the score, or the best overlap with an object of its class */
  const double *box;
  uint32_t index;
} chooser;

static bool chooses_before(const chooser *a, const chooser *b) {
  if (a->scored != b->scored) return a->scored;
  if (a->key != b->key) return a->key > b->key;
  /* With equal scores the first in the list chooses first, as in COCO. Without scores the order of the list must not
   * matter. */
  if (a->scored) return false;
  for (size_t i = 0; i < 4; i++)
    if (a->box[i] != b->box[i]) return a->box[i] < b->box[i];
  return false;
}
EE_DEFINE_SORT(sort_choosers, chooser, chooses_before)

static double best_overlap(const judged_image *j, const ee_ap_detection *detection) {
  double best = 0;
  ee_work(OVERLAP_WORK * (uint64_t)j->image->object_count);
  for (size_t i = 0; i < j->image->object_count; i++) {
    const ee_ap_object *object = &j->image->objects[i];
    if (j->detection->parameters.use_categories && object->category != detection->category) continue;
    best = fmax(best, overlap_of(detection->box, object->box));
  }
  return best;
}

/* Copies the detections and gives all of them scores that keep their order: by score, then those without a score by
 * their best overlap. Scores below `min_score` become -1, all others positive. */
static const ee_ap_detection *rank_detections(const judged_image *j, double min_score) {
  const ee_detection_case *image = j->image;
  size_t count = image->detection_count;
  ee_ap_detection *copies = ee_arena_alloc(j->arena, count * sizeof *copies);
  chooser *choosers = EE_NEW_ARRAY(j->arena, chooser, count);
  for (size_t i = 0; i < count; i++) {
    const ee_ap_detection *detection = &image->detections[i];
    bool scored = !image->unscored[i];
    copies[i] = *detection;
    choosers[i] =
        (chooser){scored, scored ? detection->score : best_overlap(j, detection), detection->box, (uint32_t)i};
  }
  sort_choosers(choosers, count, j->arena);
  for (size_t i = 0; i < count; i++) {
    bool low = choosers[i].scored && choosers[i].key < min_score;
    copies[choosers[i].index].score = low ? -1 : (double)(count - i);
  }
  return copies;
}

/* Matching ------------------------------------------------------------------------------------- */

static void match(judged_image *j) {
  const ee_detection *detection = j->detection;
  const ee_ap_parameters *parameters = &detection->parameters;
  const ee_detection_case *image = j->image;
  ee_ap_operating_point point = {.threshold = detection->threshold,
                                 .min_score = detection->min_score,
                                 .range = parameters->ranges[0],
                                 .limit = parameters->limits[parameters->limit_count - 1],
                                 .use_categories = parameters->use_categories};
  const ee_ap_detection *detections = image->detections;
  if (image->unscored != NULL) {
    detections = rank_detections(j, detection->min_score);
    point.min_score = 0;
  }
  j->fates = ee_arena_alloc(j->arena, image->detection_count * sizeof *j->fates);
  j->found = EE_NEW_ARRAY(j->arena, bool, image->object_count);
  j->takers = ee_arena_alloc(j->arena, image->object_count * sizeof *j->takers);
  j->class_count = parameters->use_categories ? image->class_count : 1;
  j->counts = EE_NEW_ARRAY(j->arena, ee_ap_counts, j->class_count);
  ee_ap_explain(
      &(ee_ap_input){image->objects, image->object_count, detections, image->detection_count, 1, image->class_count},
      &point, j->arena, &(ee_ap_explanation){j->fates, j->found, j->takers, j->counts});
}

/* A class and its index before sorting. */
typedef struct placed_class {
  const ee_detection_class *class;
  uint32_t index;
} placed_class;

static bool classes_before(const placed_class *a, const placed_class *b) {
  return ee_detection_compare_classes(a->class, b->class) < 0;
}
EE_DEFINE_SORT(sort_placed, placed_class, classes_before)

/* With classes = false, detections of equal scores choose in the order of their classes: sorts the image's classes as
 * detection_corpus.c sorts those of the data set. */
static void sort_classes(ee_detection_case *image, ee_arena *arena) {
  size_t count = image->class_count;
  placed_class *placed = EE_NEW_ARRAY(arena, placed_class, count);
  uint32_t *places = EE_NEW_ARRAY(arena, uint32_t, count);
  ee_detection_class *sorted = ee_arena_alloc(arena, count * sizeof *sorted);
  for (size_t i = 0; i < count; i++) placed[i] = (placed_class){&image->classes[i], (uint32_t)i};
  sort_placed(placed, count, arena);
  for (size_t i = 0; i < count; i++) {
    sorted[i] = *placed[i].class;
    places[placed[i].index] = (uint32_t)i;
  }
  for (size_t i = 0; i < image->object_count; i++) image->objects[i].category = places[image->objects[i].category];
  for (size_t i = 0; i < image->detection_count; i++)
    image->detections[i].category = places[image->detections[i].category];
  image->classes = sorted;
}

/* Findings ------------------------------------------------------------------------------------- */

/* "3 person", or "det 3 person". */
static ee_str place_of(const judged_image *j, const char *kind, size_t index, uint32_t class) {
  ee_str name = j->image->classes[class].name;
  size_t kind_length = strlen(kind);
  char *text = ee_arena_alloc(j->arena, kind_length + 22 + name.length);
  memcpy(text, kind, kind_length);
  char *out = ee_findings_number(text + kind_length, index);
  *out++ = ' ';
  if (name.length > 0) memcpy(out, name.data, name.length);
  return (ee_str){text, (size_t)(out - text) + name.length};
}

static void add_hit(judged_image *j, size_t index) {
  if (j->findings.hits.count == j->limit) {
    j->hits_left_out++;
    return;
  }
  ee_finding hit = {.path = place_of(j, "", index, j->image->objects[index].category), .row = EE_NO_ROW};
  ee_findings_hit(&j->findings, &hit);
}

/* Whether the list of misses has room for one more; counts the miss otherwise. */
static bool has_room(judged_image *j) {
  if (j->room > 0) return j->room--, true;
  j->misses_left_out++;
  return false;
}

/* Whether nobody reads another miss. What listing it would cost counts all the same, so that a case reaches the limit
 * of work with and without rows. */
static bool is_unread(const judged_image *j) { return j->counts_only && j->findings.misses.count > 0; }

static ee_reason text_reason(const char *text) {
  return (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(text)};
}

static void add_missed(judged_image *j, size_t index) {
  if (!has_room(j) || is_unread(j)) return;
  const char **errors = j->image->object_errors;
  const char *reason = errors != NULL && errors[index] != NULL ? errors[index] : "missed";
  ee_findings_note(&j->findings, place_of(j, "", index, j->image->objects[index].category), text_reason(reason));
}

/* The object that the detection overlaps most, among those of its own class (`same_class`) or of other classes. */
static const ee_ap_object *nearest(const judged_image *j, const ee_ap_detection *detection, bool same_class,
                                   double *overlap) {
  const ee_ap_object *found = NULL;
  *overlap = -1;
  ee_work(OVERLAP_WORK * (uint64_t)j->image->object_count);
  for (size_t i = 0; i < j->image->object_count; i++) {
    const ee_ap_object *object = &j->image->objects[i];
    bool same = !j->detection->parameters.use_categories || object->category == detection->category;
    if (same != same_class) continue;
    double here = overlap_of(detection->box, object->box);
    if (here <= *overlap) continue;
    *overlap = here;
    found = object;
  }
  return found;
}

static ee_reason reason_of_fate(const judged_image *j, size_t index) {
  const ee_ap_detection *detection = &j->image->detections[index];
  double overlap;
  char number[32];
  switch (j->fates[index]) {
  case EE_AP_DUPLICATE: return EE_REASON_OF("duplicate");
  case EE_AP_WRONG_CLASS: {
    const ee_ap_object *object = nearest(j, detection, false, &overlap);
    if (object == NULL) return EE_REASON_OF("wrong class");
    ee_str name = j->image->classes[object->category].name;
    return text_reason(ee_arena_printf(j->arena, "wrong class: %.*s", (int)ee_utf8_cut(name, 200), name.data));
  }
  case EE_AP_POOR_PLACE:
    nearest(j, detection, true, &overlap);
    ee_double_format_short(overlap, 6, number);
    return text_reason(ee_arena_printf(j->arena, "poor localisation: IoU %s", number));
  default: return EE_REASON_OF("background");
  }
}

/* Adds a miss for a detection that is false or has no usable box. */
static void add_false(judged_image *j, size_t index) {
  const char **errors = j->image->detection_errors;
  const char *error = errors != NULL ? errors[index] : NULL;
  if ((j->fates[index] < EE_AP_DUPLICATE && error == NULL) || !has_room(j)) return;
  bool seeks = j->fates[index] == EE_AP_WRONG_CLASS || j->fates[index] == EE_AP_POOR_PLACE;
  if (is_unread(j)) {
    if (error == NULL && seeks) ee_work(OVERLAP_WORK * (uint64_t)j->image->object_count);
    return;
  }
  ee_reason reason = error != NULL ? text_reason(error) : reason_of_fate(j, index);
  ee_findings_note(&j->findings, place_of(j, "det ", index, j->image->detections[index].category), reason);
}

static void list_findings(judged_image *j) {
  const ee_detection_case *image = j->image;
  ee_ap_range range = j->detection->parameters.ranges[0];
  j->room = j->limit - j->findings.misses.count; /* at most two are there */
  for (size_t i = 0; i < image->object_count; i++) {
    const ee_ap_object *object = &image->objects[i];
    if (j->found[i]) {
      if (!j->counts_only) add_hit(j, i);
    } else if (ee_detection_countable(object, range)) {
      add_missed(j, i);
    } else {
      j->image->counts[EE_DETECTION_OUTSIDE] += !object->crowd && !object->ignored;
    }
  }
  for (size_t i = 0; i < image->detection_count; i++) add_false(j, i);
  if (j->counts_only) return;
  if (j->hits_left_out > 0) {
    ee_finding more = {.path = ee_str_from(ee_arena_printf(j->arena, "%zu more", j->hits_left_out)), .row = EE_NO_ROW};
    ee_findings_hit(&j->findings, &more);
  }
  if (j->misses_left_out > 0) {
    const char *more = ee_arena_printf(j->arena, "%zu more", j->misses_left_out);
    ee_findings_note(&j->findings, ee_str_from(more), (ee_reason){.kind = EE_REASON_NONE});
  }
}

/* Outcomes, in full detail --------------------------------------------------------------------- */

/* The elements of a list, by index. */
static const ee_value **elements_of(const ee_value *list, size_t count, ee_arena *arena) {
  const ee_value **items = EE_NEW_ARRAY(arena, const ee_value *, count + 1);
  size_t index = 0;
  for (const ee_value *item = list != NULL ? ee_value_child(list) : NULL; item != NULL; item = ee_value_next(item))
    items[index++] = item;
  return items;
}

static ee_str class_name(const judged_image *j, uint32_t category) {
  return j->class_count > 1 || j->detection->parameters.use_categories ? j->image->classes[category].name
                                                                       : EE_STR(ALL_CLASSES);
}

/* The overlap of an object and a detection, as a quotient of areas. */
static void explain_overlap(const judged_image *j, const ee_ap_object *object, const ee_ap_detection *detection,
                            bool found, ee_explanation *how) {
  static const ee_shape_rule iou = {.metric = EE_OVERLAP_IOU};
  if (!is_usable(object->box) || !is_usable(detection->box)) return;
  const ee_shape a = {.is_box = true, .box = box_of(object->box)};
  const ee_shape b = {.is_box = true, .box = box_of(detection->box)};
  *how = (ee_explanation){
      .measure = "iou", .value = overlap_of(detection->box, object->box), .threshold = j->detection->threshold};
  bool reaches = found || how->value >= how->threshold; /* an object that another detection took */
  ee_explanation_decide(how, ee_shape_formula(&iou, &a, &b, j->arena), EE_LIMIT_MIN, reaches, j->arena);
}

/* Objects that count, found or missed, then detections that are false. `objects`, `detections`: the elements of the
 * lists. */
static void keep_outcomes(const judged_image *j, ee_context *context, const ee_value **objects,
                          const ee_value **detections) {
  const ee_detection_case *image = j->image;
  for (size_t i = 0; i < image->object_count; i++) {
    const ee_ap_object *object = &image->objects[i];
    if (!j->found[i] && !ee_detection_countable(object, j->detection->parameters.ranges[0])) continue;
    const char *error = image->object_errors != NULL ? image->object_errors[i] : NULL;
    ee_outcome kept = {.place = {.path = place_of(j, "", i, object->category), .row = EE_NO_ROW},
                       .attribute = class_name(j, object->category),
                       .value_class = j->found[i] ? EE_CLASS_TP : EE_CLASS_MISSING,
                       .expected = objects[i],
                       .score = j->found[i],
                       .weight = 1,
                       .row = (uint32_t)i,
                       .partner = EE_NO_ROW};
    if (j->found[i]) {
      kept.partner = j->takers[i];
      kept.candidate = detections[j->takers[i]];
      explain_overlap(j, object, &image->detections[j->takers[i]], true, &kept.how);
    } else {
      kept.place.reason = text_reason(error != NULL ? error : "missed");
    }
    ee_outcomes_add(&context->outcomes, j->arena, &kept);
  }
  for (size_t i = 0; i < image->detection_count; i++) {
    const ee_ap_detection *detection = &image->detections[i];
    if (j->fates[i] < EE_AP_DUPLICATE) continue;
    const char *error = image->detection_errors != NULL ? image->detection_errors[i] : NULL;
    bool on_object = j->fates[i] == EE_AP_WRONG_CLASS || j->fates[i] == EE_AP_POOR_PLACE;
    ee_outcome kept = {.place = {.path = place_of(j, "det ", i, detection->category),
                                 .row = EE_NO_ROW,
                                 .reason = error != NULL ? text_reason(error) : reason_of_fate(j, i)},
                       .attribute = class_name(j, detection->category),
                       .value_class = on_object ? EE_CLASS_WRONG : EE_CLASS_INVENTED,
                       .candidate = detections[i],
                       .weight = 1,
                       .row = EE_NO_ROW,
                       .partner = (uint32_t)i};
    double overlap;
    const ee_ap_object *object = nearest(j, detection, j->fates[i] != EE_AP_WRONG_CLASS, &overlap);
    if (object != NULL && error == NULL && j->fates[i] != EE_AP_BACKGROUND) {
      kept.expected = objects[object - image->objects];
      explain_overlap(j, object, detection, false, &kept.how);
    }
    ee_outcomes_add(&context->outcomes, j->arena, &kept);
  }
}

/* Counts --------------------------------------------------------------------------------------- */

static void count_fates(judged_image *j, ee_attribute_result *attributes) {
  static const ee_detection_counter counters[] = {[EE_AP_TRUE] = EE_DETECTION_TRUE,
                                                  [EE_AP_IGNORED] = EE_DETECTION_IGNORED,
                                                  [EE_AP_DROPPED] = EE_DETECTION_DROPPED,
                                                  [EE_AP_LOW_SCORE] = EE_DETECTION_LOW_SCORE,
                                                  [EE_AP_DUPLICATE] = EE_DETECTION_DUPLICATE,
                                                  [EE_AP_WRONG_CLASS] = EE_DETECTION_WRONG_CLASS,
                                                  [EE_AP_POOR_PLACE] = EE_DETECTION_POOR_PLACE,
                                                  [EE_AP_BACKGROUND] = EE_DETECTION_BACKGROUND};
  ee_detection_case *image = j->image;
  for (size_t i = 0; i < image->detection_count; i++) {
    ee_ap_fate fate = j->fates[i];
    image->counts[counters[fate]]++;
    /* A false detection on an object is an incorrect value; one on background is spurious. */
    if (fate != EE_AP_WRONG_CLASS && fate != EE_AP_POOR_PLACE) continue;
    attributes[j->class_count > 1 ? image->detections[i].category : 0].counts.wrong++;
  }
  for (size_t k = 0; k < j->class_count; k++) image->counts[EE_DETECTION_MISSED] += j->counts[k].fn;
}

static void set_attributes(judged_image *j, ee_judge_result *result) {
  bool one = !j->detection->parameters.use_categories;
  ee_attribute_result *attributes = ee_arena_alloc(j->arena, j->class_count * sizeof *attributes);
  for (size_t k = 0; k < j->class_count; k++) {
    const ee_ap_counts *counts = &j->counts[k];
    attributes[k] = (ee_attribute_result){.name = one ? EE_STR(ALL_CLASSES) : j->image->classes[k].name,
                                          .slot = -1,
                                          .counts = {.tp = counts->tp, .fp = counts->fp, .fn = counts->fn}};
  }
  count_fates(j, attributes);
  result->attributes = attributes;
  result->attribute_count = j->class_count;
}

/* "5/7 objects found, 2 false detections" */
static ee_str reasoning(const judged_image *j, const ee_counts *counts) {
  const char *format =
      counts->fp == 1 ? "#/# objects found, # false detection" : "#/# objects found, # false detections";
  return ee_findings_text(j->arena, format, (uint64_t[]){counts->tp, counts->tp + counts->fn, counts->fp});
}

/* The pairs of objects and detections. */
static void detection_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const judged_image *j = result->details;
  if (j == NULL) {
    ee_details_write_plain(result, scratch, out);
    return;
  }
  const ee_detection_case *image = j->image;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_details details;
  ee_details_start(&details, scratch, result);
  ee_value *pairs = ee_value_new(scratch, EE_ARRAY);
  uint32_t shown = 0;
  for (size_t i = 0; i < image->object_count; i++) {
    if (!j->found[i]) continue;
    if (!ee_details_have_room(&details, shown++)) break;
    const ee_ap_object *object = &image->objects[i];
    ee_value *pair = ee_value_new(scratch, EE_OBJECT);
    ee_details_set_number(&details, pair, "expected", (double)i);
    ee_details_set_number(&details, pair, "candidate", j->takers[i]);
    ee_details_set_number(&details, pair, "iou", overlap_of(image->detections[j->takers[i]].box, object->box));
    ee_details_set(&details, pair, "category", ee_value_new_string(scratch, image->classes[object->category].name));
    ee_value_append(pairs, pair);
  }
  ee_details_set(&details, details.tree, "pairs", pairs);
  if (j->misses_left_out > 0) details.truncated = true;
  ee_details_finish(&details, result, out);
  ee_arena_rewind(scratch, mark);
}

/* The judge ------------------------------------------------------------------------------------ */

/* The list in one document; NULL for an empty value. A value that is not an array gives NULL and sets `*is_bad`. */
static const ee_value *find_list(const ee_detection *detection, const ee_value *document, ee_arena *arena,
                                 bool *is_bad) {
  if (detection->path != NULL) document = ee_path_get_array(detection->path, document, arena);
  if (ee_type_of(document) == EE_ARRAY) return document;
  *is_bad = !ee_value_is_no_list(document, &detection->empty);
  return NULL;
}

/* Whether the image needs more comparisons than the limit: every detection that may choose is compared with all
 * objects, and each one without a score once more to rank it. */
static bool is_too_much(const ee_detection *detection, const ee_detection_case *image) {
  const ee_ap_parameters *parameters = &detection->parameters;
  if (image->object_count == 0) return false;
  size_t classes = parameters->use_categories ? image->class_count : 1;
  size_t choosing = image->detection_count, limit = parameters->limits[parameters->limit_count - 1];
  if (choosing / limit >= classes) choosing = limit * classes;
  size_t compared = choosing + (size_t)image->counts[EE_DETECTION_UNSCORED];
  return compared > detection->pair_limit / image->object_count;
}

/* Excludes the image from all metrics. */
static void fail_image(judged_image *j, ee_fault fault, ee_detection_counter counter, const char *reasoning,
                       ee_reason reason, ee_judge_result *result) {
  *j->image = (ee_detection_case){.object_count = 0};
  j->image->counts[counter] = 1;
  result->reasoning = ee_str_from(reasoning);
  ee_findings_fail(&j->findings, fault, EE_STR("expected"), reason);
  ee_findings_finish(&j->findings, result);
}

static void detection_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_case *current = context->current;
  judged_image *j = EE_NEW(context->arena, judged_image);
  j->detection = judge->data;
  j->arena = context->arena;
  j->counts_only = context->counts_only;
  j->limit = ee_details_limit(context->detail);
  j->image = EE_NEW(j->arena, ee_detection_case);
  ee_findings_start(&j->findings, j->arena, 8);
  result->corpus_part = j->image;
  bool no_objects = false, no_detections = false;
  const ee_value *objects = find_list(j->detection, current->expected, j->arena, &no_objects);
  const ee_value *detections = find_list(j->detection, current->candidate, j->arena, &no_detections);
  if (no_objects) {
    fail_image(j, EE_FAULT_DATA, EE_DETECTION_UNREAD, "no array of objects", EE_REASON_OF("not an array"), result);
    return;
  }
  bool no_candidate = current->candidate_state != EE_CANDIDATE_READ;
  if (no_candidate) ee_findings_no_candidate(&j->findings, current->candidate_state);
  if (no_detections) ee_findings_note(&j->findings, EE_STR("candidate"), EE_REASON_OF("not an array"));
  if (current->boxes != NULL)
    take_boxes(j->detection, current->boxes, j->arena, j->image);
  else
    read_image(j->detection, objects, detections, j->arena, j->image);
  if (is_too_much(j->detection, j->image)) {
    const char *text = ee_arena_printf(j->arena, "too many objects and detections: more than %zu comparisons",
                                       j->detection->pair_limit);
    fail_image(j, EE_FAULT_RULES, EE_DETECTION_TOO_MUCH, "too many objects and detections", text_reason(text), result);
    return;
  }
  if (!j->detection->parameters.use_categories) sort_classes(j->image, j->arena);
  match(j);
  set_attributes(j, result);
  list_findings(j);
  if (ee_context_keeps_outcomes(context))
    keep_outcomes(j, context, elements_of(objects, j->image->object_count, j->arena),
                  elements_of(detections, j->image->detection_count, j->arena));
  ee_counts pooled = {0};
  for (size_t k = 0; k < result->attribute_count; k++) ee_counts_add(&pooled, &result->attributes[k].counts);
  ee_metric f1 = ee_f1(&pooled);
  bool no_list = no_candidate || no_detections; /* rather than an empty list */
  result->vacuous = !f1.defined && !no_list;
  result->score = f1.defined ? f1.value : result->vacuous ? 1 : 0;
  if (!j->counts_only) result->reasoning = reasoning(j, &pooled);
  result->details = j;
  ee_findings_finish(&j->findings, result);
  if (ee_context_keeps_outcomes(context) && f1.defined)
    result->formula =
        ee_str_from(ee_arena_printf(j->arena, "2*%zu/(2*%zu + %zu + %zu) = %s", (size_t)pooled.tp, (size_t)pooled.tp,
                                    (size_t)pooled.fp, (size_t)pooled.fn, ee_formula_result(result->score, j->arena)));
}

const ee_judge_type ee_detection_judge = {
    .name = "detection",
    .help = "Boxes with classes and scores: F1 of each image, and COCO average precision over the data set.",
    .positional = "[1] string?",
    .options = ee_detection_options,
    .compile = ee_detection_compile,
    .takes_path = true,
    .judge_case = detection_judge_case,
    .takes_boxes = takes_boxes,
    .write_details = detection_write_details,
    .corpus = &ee_detection_corpus,
    .print = ee_detection_print,
};
