/* detection_read.c: the items of an image, as boxes and classes in arrays. */
#include <float.h>
#include <math.h>

#include "base/hash.h"
#include "judge/detection/detection.h"
#include "prim/number.h"

/* The class of items that name none: all of a data set with one class may be so. */
#define NO_CLASS "(none)"

/* What an item holds; NULL: nothing. */
typedef struct item_parts {
  const ee_value *members[EE_DETECTION_MEMBERS];
} item_parts;

/* One image while it is read. */
typedef struct reader {
  const ee_detection *detection;
  ee_detection_case *image;
  ee_arena *arena;
  uint32_t *slots; /* hash of a class's name to its index + 1, open addressing, at most half full */
  size_t slot_mask;
} reader;

/* One walk over the item's members finds all that have a key of their own; nearly always that is all there is to do. */
static void find_parts(const reader *r, const ee_value *item, item_parts *parts) {
  const ee_detection *detection = r->detection;
  *parts = (item_parts){0};
  for (const ee_value *member = ee_value_child(item); member != NULL; member = ee_value_next(member)) {
    ee_str key = ee_value_key(member);
    for (size_t i = 0; i < EE_DETECTION_MEMBERS; i++) {
      ee_str wanted = detection->members[i].key;
      if (wanted.length == key.length && wanted.data != NULL && ee_str_equal(wanted, key)) parts->members[i] = member;
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
    if (!isfinite(numbers[i])) return "a coordinate is no finite number";
  }
  return NULL;
}

/* The format that a text names; false when there is none of that name. */
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

/* Reads a box as x, y, width, height. NULL when it is usable, else why not; a box of a negative size is kept as it is,
 * since COCO's arithmetic knows what to do with it, and all others are of size 0. */
static const char *read_box(const reader *r, const ee_value *value, ee_detection_format format, double box[4]) {
  if (value == NULL) return "no box";
  if (ee_type_of(value) == EE_OBJECT) {
    const ee_value *own = ee_value_member(value, EE_STR("format"), r->arena);
    if (own != NULL && !read_format(own, &format)) return "unknown format of the box";
    value = ee_value_member(value, EE_STR("coordinates"), r->arena);
  }
  double numbers[4];
  const char *trouble = read_coordinates(value, numbers);
  if (trouble != NULL) return trouble;
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

/* The text that stands for a category; a number's text is made in the arena. */
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
  size_t at = (size_t)hash & r->slot_mask;
  for (; r->slots[at] != 0; at = (at + 1) & r->slot_mask) {
    const ee_detection_class *found = &image->classes[r->slots[at] - 1];
    if (found->hash == hash && ee_str_equal(found->name, name)) return r->slots[at] - 1;
  }
  ee_detection_class *added = &image->classes[image->class_count];
  *added = (ee_detection_class){.name = name, .hash = hash};
  if (ee_type_of(number) == EE_NUMBER) {
    added->numbered = true;
    added->number = ee_value_number(number);
  } else {
    /* A category that is spelled as a text here and as a number there must not change its place. */
    added->numbered =
        name.length < 19 && ee_number_parse(name, (ee_number_format){.decimal = '.'}, r->arena, &added->number, NULL);
  }
  r->slots[at] = (uint32_t)++image->class_count;
  return r->slots[at] - 1;
}

/* The class of an item; NULL, or why its category is none. */
static const char *read_class(reader *r, const item_parts *parts, uint32_t *class) {
  const ee_value *category = parts->members[EE_DETECTION_CATEGORY], *number = parts->members[EE_DETECTION_CATEGORY_ID];
  if (category == NULL) category = number;
  ee_str name = EE_STR(NO_CLASS);
  bool good = category == NULL || category_text(r, category, &name);
  *class = find_class(r, name, number != NULL ? number : category);
  return good ? NULL : "the category is no text and no number";
}

/* Items ---------------------------------------------------------------------------------------- */

static bool is_set(const ee_value *value) {
  return ee_type_of(value) == EE_TRUE || (ee_type_of(value) == EE_NUMBER && ee_value_number(value) != 0);
}

/* A hash of an id, 0 when there is none that counts. */
static uint64_t read_id(const reader *r, const item_parts *parts) {
  const ee_value *id = parts->members[EE_DETECTION_ID];
  if (id == NULL || (!r->detection->ids_named && parts->members[EE_DETECTION_IMAGE_ID] == NULL)) return 0;
  uint64_t hash = ee_value_hash(id);
  return hash != 0 ? hash : 1;
}

/* Reads box and class. Returns why the item is not usable, else NULL. */
static const char *read_item(reader *r, const ee_value *item, ee_detection_format format, item_parts *parts,
                             double box[4], uint32_t *class) {
  memset(box, 0, 4 * sizeof *box);
  if (ee_type_of(item) != EE_OBJECT) {
    *parts = (item_parts){0};
    *class = find_class(r, EE_STR(NO_CLASS), NULL);
    return "not an object";
  }
  find_parts(r, item, parts);
  const char *trouble = read_class(r, parts, class);
  if (trouble != NULL) return trouble;
  return read_box(r, parts->members[EE_DETECTION_BOX], format, box);
}

/* Keeps why item `index` of `count` is not usable; the list is there from the first one on. */
static void keep_trouble(ee_arena *arena, const char ***troubles, size_t count, size_t index, const char *trouble) {
  if (trouble == NULL) return;
  if (*troubles == NULL) *troubles = EE_NEW_ARRAY(arena, const char *, count);
  (*troubles)[index] = trouble;
}

static void read_object(reader *r, const ee_value *item, size_t index) {
  ee_detection_case *image = r->image;
  ee_ap_object *object = &image->objects[index];
  item_parts parts;
  *object = (ee_ap_object){0};
  const char *trouble = read_item(r, item, r->detection->format, &parts, object->box, &object->category);
  keep_trouble(r->arena, &image->object_troubles, image->object_count, index, trouble);
  image->counts[EE_DETECTION_BAD_OBJECTS] += trouble != NULL;
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
  const char *trouble =
      read_item(r, item, r->detection->candidate_format, &parts, detection->box, &detection->category);
  keep_trouble(r->arena, &image->detection_troubles, image->detection_count, index, trouble);
  image->counts[EE_DETECTION_BAD_DETECTIONS] += trouble != NULL;
  const ee_value *score = parts.members[EE_DETECTION_SCORE];
  if (ee_type_of(score) == EE_NUMBER && isfinite(ee_value_number(score))) {
    detection->score = ee_value_number(score);
    return;
  }
  /* What is no detection at all takes no average precision away: it is a false one behind all others. */
  if (trouble != NULL) {
    detection->score = -DBL_MAX;
    return;
  }
  if (image->unscored == NULL) image->unscored = EE_NEW_ARRAY(r->arena, bool, image->detection_count);
  image->unscored[index] = true;
  image->counts[EE_DETECTION_UNSCORED]++;
}

void ee_detection_read(const ee_detection *detection, const ee_value *objects, const ee_value *detections,
                       ee_arena *arena, ee_detection_case *image) {
  *image = (ee_detection_case){.object_count = objects != NULL ? ee_value_count(objects) : 0,
                               .detection_count = detections != NULL ? ee_value_count(detections) : 0};
  size_t items = image->object_count + image->detection_count, slots = 8;
  while (slots < 2 * items) slots *= 2;
  image->objects = ee_arena_alloc(arena, image->object_count * sizeof *image->objects);
  image->detections = ee_arena_alloc(arena, image->detection_count * sizeof *image->detections);
  image->classes = ee_arena_alloc(arena, items * sizeof *image->classes);
  reader r = {detection, image, arena, EE_NEW_ARRAY(arena, uint32_t, slots), slots - 1};
  size_t index = 0;
  for (const ee_value *item = objects != NULL ? ee_value_child(objects) : NULL; item != NULL;
       item = ee_value_next(item))
    read_object(&r, item, index++);
  index = 0;
  for (const ee_value *item = detections != NULL ? ee_value_child(detections) : NULL; item != NULL;
       item = ee_value_next(item))
    read_detection(&r, item, index++);
}
