/* detection_set.c: keeping images, sorting them, and their state. */
#include "judge/detection/detection_set.h"

#include <math.h>

#include "base/memory.h"
#include "prim/sort.h"

/* Whether `text` is a whole number of at most 18 digits. */
static bool read_whole(ee_str text, int64_t *number) {
  bool negative = text.length > 1 && text.data[0] == '-';
  size_t i = negative ? 1 : 0;
  if (text.length == i || text.length > 18 + i) return false;
  int64_t sum = 0;
  for (; i < text.length; i++) {
    if (text.data[i] < '0' || text.data[i] > '9') return false;
    sum = sum * 10 + (text.data[i] - '0');
  }
  *number = negative ? -sum : sum;
  return true;
}

/* The order of images, which decides ties: whole numbers by value, then other ids by bytes. */
static bool ids_before(ee_str a, ee_str b) {
  int64_t x = 0, y = 0;
  bool a_numbered = read_whole(a, &x), b_numbered = read_whole(b, &y);
  if (a_numbered != b_numbered) return a_numbered;
  if (a_numbered && x != y) return x < y;
  return ee_str_compare(a, b) < 0;
}

/* Images -------------------------------------------------------------------------------------- */

void *ee_detection_set_open(const ee_judge *judge) {
  ee_detection_set *set = ee_calloc(1, sizeof *set);
  set->detection = judge->data;
  ee_arena_init(&set->names, 0);
  ee_buffer_init(&set->id_text);
  return set;
}

void ee_detection_set_close(void *corpus_part) {
  ee_detection_set *set = corpus_part;
  EE_LIST_FINI(&set->objects);
  EE_LIST_FINI(&set->object_ids);
  EE_LIST_FINI(&set->detections);
  EE_LIST_FINI(&set->image_ends);
  EE_LIST_FINI(&set->classes);
  EE_LIST_FINI(&set->map);
  ee_hash_index_fini(&set->class_index);
  ee_buffer_fini(&set->id_text);
  ee_arena_fini(&set->names);
  ee_free(set);
}

void ee_detection_set_clear(void *corpus_part) {
  ee_detection_set *set = corpus_part;
  set->objects.count = set->detections.count = set->image_ends.count = set->classes.count = 0;
  EE_LIST_FINI(&set->object_ids);
  ee_buffer_clear(&set->id_text);
  ee_hash_index_clear(&set->class_index);
  ee_arena_reset(&set->names, 0);
  memset(set->counts, 0, sizeof set->counts);
}

/* Adds the class if it is new. Of several numbers of one class, the lowest counts. */
static uint32_t find_class(ee_detection_set *set, const ee_detection_class *class) {
  size_t at = 0, found;
  while (ee_hash_index_next(&set->class_index, class->hash, &at, &found)) {
    ee_detection_class *known = &set->classes.items[found];
    if (!ee_str_equal(known->name, class->name)) continue;
    if (class->numbered && (!known->numbered || class->number < known->number)) {
      known->numbered = true;
      known->number = class->number;
    }
    return (uint32_t)found;
  }
  ee_detection_class *added = EE_LIST_ADD(&set->classes, NULL);
  *added = *class;
  added->name.data = ee_arena_copy(&set->names, class->name.length > 0 ? class->name.data : "", class->name.length);
  ee_hash_index_add(&set->class_index, class->hash, set->classes.count - 1);
  return (uint32_t)set->classes.count - 1;
}

/* Sets set->map for the classes of a case or part. */
static void map_classes(ee_detection_set *set, const ee_detection_class *classes, size_t count) {
  EE_LIST_RESERVE(&set->map, NULL, count);
  for (size_t i = 0; i < count; i++) set->map.items[i] = find_class(set, &classes[i]);
}

/* Appends an object. `id` 0: it has none. */
static void append_object(ee_detection_set *set, const ee_ap_object *object, uint64_t id) {
  *EE_LIST_ADD(&set->objects, NULL) = *object;
  if (id == 0 && set->object_ids.count == 0) return;
  while (set->object_ids.count < set->objects.count) *EE_LIST_ADD(&set->object_ids, NULL) = 0;
  set->object_ids.items[set->objects.count - 1] = id;
}

/* Appends objects; their images count from `first_image`, their classes are looked up in set->map. `ids` NULL: none. */
static void add_objects(ee_detection_set *set, const ee_ap_object *objects, const uint64_t *ids, size_t count,
                        size_t first_image) {
  EE_LIST_RESERVE(&set->objects, NULL, count);
  for (size_t i = 0; i < count; i++) {
    ee_ap_object object = objects[i];
    object.image += (uint32_t)first_image;
    object.category = set->map.items[object.category];
    append_object(set, &object, ids != NULL ? ids[i] : 0);
  }
}

static void add_detections(ee_detection_set *set, const ee_ap_detection *detections, size_t count, size_t first_image) {
  EE_LIST_RESERVE(&set->detections, NULL, count);
  for (size_t i = 0; i < count; i++) {
    ee_ap_detection *detection = &set->detections.items[set->detections.count++];
    *detection = detections[i];
    detection->image += (uint32_t)first_image;
    detection->category = set->map.items[detection->category];
  }
}

static void add_image(ee_detection_set *set, ee_str id) {
  ee_buffer_add_str(&set->id_text, id);
  *EE_LIST_ADD(&set->image_ends, NULL) = set->id_text.length;
}

/* Adds `image` to the first ones of a counter. */
static void show_image(const ee_detection_set *set, struct ee_image_counter *counter, size_t image) {
  size_t at = counter->image_count;
  while (at > 0 && ids_before(ee_detection_set_id(set, image), ee_detection_set_id(set, counter->images[at - 1]))) at--;
  if (at == EE_DETECTION_SHOWN) return;
  if (counter->image_count < EE_DETECTION_SHOWN) counter->image_count++;
  for (size_t i = counter->image_count - 1; i > at; i--) counter->images[i] = counter->images[i - 1];
  counter->images[at] = (uint32_t)image;
}

void ee_detection_set_add(void *corpus_part, const ee_case *source, const ee_judge_result *result) {
  ee_detection_set *set = corpus_part;
  const ee_detection_case *image = result->corpus_part;
  if (image == NULL) return;
  size_t number = set->image_ends.count;
  add_image(set, source->id);
  map_classes(set, image->classes, image->class_count);
  add_objects(set, image->objects, image->object_ids, image->object_count, number);
  add_detections(set, image->detections, image->detection_count, number);
  for (size_t i = 0; i < EE_DETECTION_COUNTERS; i++) {
    struct ee_image_counter *sum = &set->counts[i];
    if (image->counts[i] == 0) continue;
    sum->count += image->counts[i];
    show_image(set, sum, number);
  }
}

/* Up to so many boxes a set makes room for eight times as many when it must grow: each move touches all of a list once
 * more, while what is not used is never touched. */
#define ROOMY_BOXES 131072

/* Room for `more` boxes in a set that grows part by part. */
#define RESERVE_FOR_PARTS(list, more)                                                                                  \
  do {                                                                                                                 \
    const size_t all = (list)->count + (more);                                                                         \
    if ((list)->capacity < all) EE_LIST_RESERVE(list, NULL, (all <= ROOMY_BOXES ? 8 * all : all) - (list)->count);     \
  } while (0)

void ee_detection_set_merge(void *corpus_part, const void *other) {
  ee_detection_set *set = corpus_part;
  const ee_detection_set *part = other;
  size_t first = set->image_ends.count;
  RESERVE_FOR_PARTS(&set->objects, part->objects.count);
  RESERVE_FOR_PARTS(&set->detections, part->detections.count);
  if (part->object_ids.count > 0) RESERVE_FOR_PARTS(&set->object_ids, part->object_ids.count);
  for (size_t i = 0; i < part->image_ends.count; i++) add_image(set, ee_detection_set_id(part, i));
  map_classes(set, part->classes.items, part->classes.count);
  const uint64_t *ids = part->object_ids.count > 0 ? part->object_ids.items : NULL;
  add_objects(set, part->objects.items, ids, part->objects.count, first);
  add_detections(set, part->detections.items, part->detections.count, first);
  for (size_t i = 0; i < EE_DETECTION_COUNTERS; i++) {
    struct ee_image_counter *sum = &set->counts[i];
    sum->count += part->counts[i].count;
    for (uint32_t k = 0; k < part->counts[i].image_count; k++) show_image(set, sum, first + part->counts[i].images[k]);
  }
}

/* Order ---------------------------------------------------------------------------------------- */

typedef struct placed_image {
  ee_str id;
  uint32_t index;
} placed_image;

static bool images_before(const placed_image *a, const placed_image *b) { return ids_before(a->id, b->id); }
EE_DEFINE_SORT(sort_images, placed_image, images_before)

typedef struct placed_class {
  ee_detection_class class;
  uint32_t index;
} placed_class;

static bool classes_before(const placed_class *a, const placed_class *b) {
  return ee_detection_compare_classes(&a->class, &b->class) < 0;
}
EE_DEFINE_SORT(sort_classes, placed_class, classes_before)

/* Sorts the ids of images; returns the new index of each image, or NULL if all stay. */
static uint32_t *place_images(ee_detection_set *set, ee_arena *work) {
  size_t count = set->image_ends.count, at = 1;
  while (at < count && !ids_before(ee_detection_set_id(set, at), ee_detection_set_id(set, at - 1))) at++;
  if (at >= count) return NULL;
  placed_image *images = ee_arena_alloc(work, count * sizeof *images);
  uint32_t *places = ee_arena_alloc(work, count * sizeof *places);
  for (size_t i = 0; i < count; i++) images[i] = (placed_image){ee_detection_set_id(set, i), (uint32_t)i};
  sort_images(images, count, work);
  ee_buffer ids = set->id_text;
  ee_buffer_init(&set->id_text);
  set->image_ends.count = 0;
  for (size_t i = 0; i < count; i++) {
    places[images[i].index] = (uint32_t)i;
    add_image(set, images[i].id);
  }
  ee_buffer_fini(&ids);
  return places;
}

/* Sorts the classes; returns the new index of each. */
static uint32_t *place_classes(ee_detection_set *set, ee_arena *work) {
  size_t count = set->classes.count;
  placed_class *classes = ee_arena_alloc(work, count * sizeof *classes);
  uint32_t *places = ee_arena_alloc(work, count * sizeof *places);
  for (size_t i = 0; i < count; i++) classes[i] = (placed_class){set->classes.items[i], (uint32_t)i};
  sort_classes(classes, count, work);
  ee_hash_index_clear(&set->class_index);
  for (size_t i = 0; i < count; i++) {
    places[classes[i].index] = (uint32_t)i;
    set->classes.items[i] = classes[i].class;
    ee_hash_index_add(&set->class_index, classes[i].class.hash, i);
  }
  return places;
}

/* For each image, where its objects or detections begin in the new order; moved on by one for each that is placed. */
static size_t *begin_images(const ee_detection_set *set, const uint32_t *places, ee_arena *work, bool of_objects) {
  size_t images = set->image_ends.count, sum = 0;
  size_t *begins = ee_arena_calloc(work, images, sizeof *begins);
  size_t count = of_objects ? set->objects.count : set->detections.count;
  for (size_t i = 0; i < count; i++)
    begins[places[of_objects ? set->objects.items[i].image : set->detections.items[i].image]]++;
  for (size_t i = 0; i < images; i++) {
    size_t here = begins[i];
    begins[i] = sum;
    sum += here;
  }
  return begins;
}

/* Moves the boxes to the places of their images; those of one image stay in order. */
static void move_boxes(ee_detection_set *set, const uint32_t *places, ee_arena *work) {
  size_t count = set->objects.count;
  size_t *to = begin_images(set, places, work, true);
  bool has_ids = set->object_ids.count > 0;
  ee_ap_object *objects = ee_arena_alloc(work, count * sizeof *objects);
  uint64_t *ids = has_ids ? ee_arena_alloc(work, count * sizeof *ids) : NULL;
  for (size_t i = 0; i < count; i++) {
    uint32_t image = places[set->objects.items[i].image];
    size_t at = to[image]++;
    objects[at] = set->objects.items[i];
    objects[at].image = image;
    if (has_ids) ids[at] = set->object_ids.items[i];
  }
  if (count > 0) memcpy(set->objects.items, objects, count * sizeof *objects);
  if (count > 0 && has_ids) memcpy(set->object_ids.items, ids, count * sizeof *ids);
  count = set->detections.count;
  to = begin_images(set, places, work, false);
  ee_ap_detection *detections = ee_arena_alloc(work, count * sizeof *detections);
  for (size_t i = 0; i < count; i++) {
    uint32_t image = places[set->detections.items[i].image];
    detections[to[image]] = set->detections.items[i];
    detections[to[image]++].image = image;
  }
  if (count > 0) memcpy(set->detections.items, detections, count * sizeof *detections);
}

void ee_detection_set_sort(ee_detection_set *set) {
  ee_arena work;
  ee_arena_init(&work, 0);
  uint32_t *images = place_images(set, &work), *classes = place_classes(set, &work);
  if (images != NULL) {
    move_boxes(set, images, &work);
    for (size_t i = 0; i < EE_DETECTION_COUNTERS; i++)
      for (size_t k = 0; k < set->counts[i].image_count; k++)
        set->counts[i].images[k] = images[set->counts[i].images[k]];
  }
  for (size_t i = 0; i < set->objects.count; i++)
    set->objects.items[i].category = classes[set->objects.items[i].category];
  for (size_t i = 0; i < set->detections.count; i++)
    set->detections.items[i].category = classes[set->detections.items[i].category];
  ee_arena_fini(&work);
}

/* State ---------------------------------------------------------------------------------------- */

/* What an object is, in the lowest bits of the number that its class begins at. */
enum { IS_CROWD = 1, IS_IGNORED = 2, IS_BLANK = 4, HAS_AREA = 8, HAS_ID = 16, OBJECT_BITS = 5 };

static void class_state(ee_detection_set *set, ee_state_line *line) {
  size_t count = ee_state_items(line, set->classes.count);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_detection_class class = {0};
    if (!ee_state_reading(line)) class = set->classes.items[i];
    ee_state_text(line, &set->names, &class.name);
    ee_state_flag(line, &class.numbered);
    ee_state_real(line, &class.number);
    if (!ee_state_reading(line)) continue;
    class.hash = ee_hash_bytes(class.name.data, class.name.length, 0);
    if (class.name.data == NULL || !isfinite(class.number) || find_class(set, &class) != i) ee_state_fail(line);
  }
  ee_state_end(line);
}

static void box_state(double box[4], ee_state_line *line) {
  for (size_t i = 0; i < 4; i++) {
    ee_state_real(line, &box[i]);
    if (!isfinite(box[i])) ee_state_fail(line);
  }
}

/* An area that is that of the box is not written. */
static void object_state(ee_detection_set *set, ee_ap_object *object, uint64_t *id, ee_state_line *line) {
  uint64_t what = (uint64_t)object->category << OBJECT_BITS | (object->crowd ? IS_CROWD : 0) |
                  (object->ignored ? IS_IGNORED : 0) | (object->blank ? IS_BLANK : 0) |
                  (object->area != object->box[2] * object->box[3] ? HAS_AREA : 0) | (*id != 0 ? HAS_ID : 0);
  ee_state_count(line, &what);
  box_state(object->box, line);
  if ((what & HAS_AREA) != 0) ee_state_real(line, &object->area);
  if ((what & HAS_ID) != 0) ee_state_count(line, id);
  if (!ee_state_reading(line)) return;
  if ((what & HAS_AREA) == 0) object->area = object->box[2] * object->box[3];
  object->crowd = (what & IS_CROWD) != 0;
  object->ignored = (what & IS_IGNORED) != 0;
  object->blank = (what & IS_BLANK) != 0;
  if (what >> OBJECT_BITS >= set->classes.count || isnan(object->area)) ee_state_fail(line);
  object->category = (uint32_t)(what >> OBJECT_BITS);
}

static void detection_box_state(ee_detection_set *set, ee_ap_detection *detection, ee_state_line *line) {
  ee_state_small(line, &detection->category, UINT32_MAX);
  box_state(detection->box, line);
  ee_state_real(line, &detection->score);
  if (detection->category >= set->classes.count || isnan(detection->score)) ee_state_fail(line);
}

/* The boxes of an image; the next ones to write are at `object` and `detection`. */
static void boxes_state(ee_detection_set *set, uint32_t image, size_t *object, size_t *detection, ee_state_line *line) {
  bool reads = ee_state_reading(line);
  size_t count = 0;
  while (!reads && *object + count < set->objects.count && set->objects.items[*object + count].image == image) count++;
  count = ee_state_items(line, count);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_ap_object found = {.image = image};
    uint64_t id = 0;
    if (!reads) {
      found = set->objects.items[*object];
      if (set->object_ids.count > 0) id = set->object_ids.items[*object];
      ++*object;
    }
    object_state(set, &found, &id, line);
    if (!reads || ee_state_failed(line)) continue;
    append_object(set, &found, id);
  }
  ee_state_end(line);
  count = 0;
  while (!reads && *detection + count < set->detections.count &&
         set->detections.items[*detection + count].image == image)
    count++;
  count = ee_state_items(line, count);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_ap_detection found = {.image = image};
    if (!reads) found = set->detections.items[(*detection)++];
    detection_box_state(set, &found, line);
    if (reads && !ee_state_failed(line)) *EE_LIST_ADD(&set->detections, NULL) = found;
  }
  ee_state_end(line);
}

static void counter_state(const ee_detection_set *set, struct ee_image_counter *counter, ee_state_line *line) {
  ee_state_count(line, &counter->count);
  size_t count = ee_state_items(line, counter->image_count);
  if (count > EE_DETECTION_SHOWN || count > set->image_ends.count) {
    ee_state_fail(line);
    count = 0;
  }
  counter->image_count = (uint32_t)count;
  for (size_t i = 0; i < count; i++) ee_state_small(line, &counter->images[i], (uint32_t)set->image_ends.count - 1);
  ee_state_end(line);
}

/* About 20 bytes a box of pixels and decimals, before base64 makes 27 of them; 45 where all numbers are long. */
void ee_detection_set_state(void *corpus_part, ee_state_line *line) {
  ee_detection_set *set = corpus_part;
  ee_arena ids;
  ee_arena_init(&ids, 0);
  if (!ee_state_reading(line)) ee_detection_set_sort(set);
  ee_state_begin_packed(line);
  class_state(set, line);
  size_t images = ee_state_items(line, set->image_ends.count), object = 0, detection = 0;
  for (size_t i = 0; ee_state_goes_on(line, i, images); i++) {
    ee_str id = {0};
    if (!ee_state_reading(line)) id = ee_detection_set_id(set, i);
    ee_state_text(line, &ids, &id);
    if (ee_state_reading(line)) add_image(set, id);
    boxes_state(set, (uint32_t)i, &object, &detection, line);
    ee_arena_reset(&ids, 0);
  }
  ee_state_end(line);
  for (size_t i = 0; i < EE_DETECTION_COUNTERS; i++) counter_state(set, &set->counts[i], line);
  ee_state_end_packed(line);
  ee_arena_fini(&ids);
}
