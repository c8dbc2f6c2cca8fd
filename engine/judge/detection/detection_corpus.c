/* detection_corpus.c: the objects and detections of all images, in arrays. */
#include <stdlib.h>

#include "base/memory.h"
#include "judge/detection/detection.h"

/* Memory --------------------------------------------------------------------------------------- */

/* Makes room for `count` entries of `size` bytes. */
static void *reserve(void *memory, size_t *capacity, size_t count, size_t size) {
  if (count <= *capacity) return memory;
  size_t wanted = *capacity < 64 ? 64 : *capacity + *capacity / 2;
  *capacity = wanted < count ? count : wanted;
  return ee_realloc(memory, *capacity, size);
}

static void *detection_open(const ee_judge *judge) {
  ee_detection_set *set = ee_calloc(1, sizeof *set);
  set->detection = judge->data;
  ee_arena_init(&set->names, 0);
  ee_buffer_init(&set->id_text);
  set->image_ids = reserve(NULL, &set->image_capacity, 1, sizeof *set->image_ids);
  set->image_ids[0] = 0;
  return set;
}

static void detection_close(void *corpus_part) {
  ee_detection_set *set = corpus_part;
  free(set->objects);
  free(set->object_ids);
  free(set->detections);
  free(set->image_ids);
  free(set->classes);
  free(set->slots);
  free(set->map);
  ee_buffer_fini(&set->id_text);
  ee_arena_fini(&set->names);
  free(set);
}

static void detection_clear(void *corpus_part) {
  ee_detection_set *set = corpus_part;
  set->object_count = set->detection_count = set->image_count = set->class_count = 0;
  free(set->object_ids);
  set->object_ids = NULL;
  set->id_capacity = 0;
  ee_buffer_clear(&set->id_text);
  if (set->slot_count > 0) memset(set->slots, 0, set->slot_count * sizeof *set->slots);
  ee_arena_reset(&set->names, 0);
  memset(set->counts, 0, sizeof set->counts);
}

/* Classes -------------------------------------------------------------------------------------- */

static size_t slot_of(const ee_detection_set *set, const ee_detection_class *class) {
  size_t at = (size_t) class->hash & (set->slot_count - 1);
  for (; set->slots[at] != 0; at = (at + 1) & (set->slot_count - 1)) {
    const ee_detection_class *found = &set->classes[set->slots[at] - 1];
    if (found->hash == class->hash && ee_str_equal(found->name, class->name)) break;
  }
  return at;
}

static void grow_slots(ee_detection_set *set) {
  set->slot_count = set->slot_count > 0 ? set->slot_count * 2 : 256;
  free(set->slots);
  set->slots = ee_calloc(set->slot_count, sizeof *set->slots);
  for (size_t i = 0; i < set->class_count; i++) set->slots[slot_of(set, &set->classes[i])] = (uint32_t)i + 1;
}

static uint32_t find_class(ee_detection_set *set, const ee_detection_class *class) {
  if (2 * (set->class_count + 1) > set->slot_count) grow_slots(set);
  size_t at = slot_of(set, class);
  if (set->slots[at] != 0) return set->slots[at] - 1;
  set->classes = reserve(set->classes, &set->class_capacity, set->class_count + 1, sizeof *set->classes);
  ee_detection_class *added = &set->classes[set->class_count++];
  *added = *class;
  added->name.data = ee_arena_copy(&set->names, class->name.length > 0 ? class->name.data : "", class->name.length);
  set->slots[at] = (uint32_t)set->class_count;
  return (uint32_t)set->class_count - 1;
}

static void map_classes(ee_detection_set *set, const ee_detection_class *classes, size_t count) {
  set->map = reserve(set->map, &set->map_capacity, count, sizeof *set->map);
  for (size_t i = 0; i < count; i++) set->map[i] = find_class(set, &classes[i]);
}

/* Adding --------------------------------------------------------------------------------------- */

/* Appends objects whose images count from `first_image`, and whose classes are in the map. */
static void add_objects(ee_detection_set *set, const ee_ap_object *objects, const uint64_t *ids, size_t count,
                        size_t first_image) {
  size_t before = set->object_count, total = before + count;
  set->objects = reserve(set->objects, &set->object_capacity, total, sizeof *set->objects);
  for (size_t i = 0; i < count; i++) {
    ee_ap_object *object = &set->objects[before + i];
    *object = objects[i];
    object->image += (uint32_t)first_image;
    object->category = set->map[object->category];
  }
  if (ids != NULL || set->object_ids != NULL) {
    bool first = set->object_ids == NULL;
    set->object_ids = reserve(set->object_ids, &set->id_capacity, total, sizeof *set->object_ids);
    if (first && before > 0) memset(set->object_ids, 0, before * sizeof *set->object_ids);
    for (size_t i = 0; i < count; i++) set->object_ids[before + i] = ids != NULL ? ids[i] : 0;
  }
  set->object_count = total;
}

static void add_detections(ee_detection_set *set, const ee_ap_detection *detections, size_t count, size_t first_image) {
  size_t before = set->detection_count;
  set->detections = reserve(set->detections, &set->detection_capacity, before + count, sizeof *set->detections);
  for (size_t i = 0; i < count; i++) {
    ee_ap_detection *detection = &set->detections[before + i];
    *detection = detections[i];
    detection->image += (uint32_t)first_image;
    detection->category = set->map[detection->category];
  }
  set->detection_count = before + count;
}

static void add_image(ee_detection_set *set, ee_str id) {
  ee_buffer_add_str(&set->id_text, id);
  set->image_ids = reserve(set->image_ids, &set->image_capacity, set->image_count + 2, sizeof *set->image_ids);
  set->image_ids[++set->image_count] = set->id_text.length;
}

static void detection_add(void *corpus_part, const ee_case *source, const ee_judge_result *result) {
  ee_detection_set *set = corpus_part;
  const ee_detection_case *image = result->corpus_part;
  if (image == NULL) return;
  size_t number = set->image_count;
  add_image(set, source->id);
  map_classes(set, image->classes, image->class_count);
  add_objects(set, image->objects, image->object_ids, image->object_count, number);
  add_detections(set, image->detections, image->detection_count, number);
  for (size_t i = 0; i < EE_DETECTION_COUNTERS; i++) {
    struct ee_detection_count *sum = &set->counts[i];
    if (image->counts[i] == 0) continue;
    sum->count += image->counts[i];
    if (sum->image_count < EE_DETECTION_IDS_SHOWN) sum->images[sum->image_count++] = (uint32_t)number;
  }
}

static void detection_merge(void *corpus_part, const void *other) {
  ee_detection_set *set = corpus_part;
  const ee_detection_set *part = other;
  size_t first = set->image_count;
  for (size_t i = 0; i < part->image_count; i++) add_image(set, ee_detection_image_id(part, i));
  map_classes(set, part->classes, part->class_count);
  add_objects(set, part->objects, part->object_ids, part->object_count, first);
  add_detections(set, part->detections, part->detection_count, first);
  for (size_t i = 0; i < EE_DETECTION_COUNTERS; i++) {
    struct ee_detection_count *sum = &set->counts[i];
    sum->count += part->counts[i].count;
    for (uint32_t k = 0; k < part->counts[i].image_count && sum->image_count < EE_DETECTION_IDS_SHOWN; k++)
      sum->images[sum->image_count++] = (uint32_t)first + part->counts[i].images[k];
  }
}

/* COCO's names; with other limits than 1, 10 and 100 there are other ones, such as AR1000, and these are undefined. */
static const char *const gate_metrics[] = {"AP",   "AP50",  "AP75", "APs", "APm", "APl",    "AR1",
                                           "AR10", "AR100", "ARs",  "ARm", "ARl", "AP_low", NULL};

static bool has_threshold(const ee_ap_parameters *parameters, double threshold) {
  for (size_t i = 0; i < parameters->threshold_count; i++)
    if (parameters->thresholds[i] == threshold) return true;
  return false;
}

static bool has_limit(const ee_ap_parameters *parameters, unsigned limit) {
  for (size_t i = 0; i < parameters->limit_count; i++)
    if (parameters->limits[i] == limit) return true;
  return false;
}

static const char *detection_lacks(const ee_judge *judge, ee_str figure, ee_arena *arena) {
  const ee_detection *detection = judge->data;
  const ee_ap_parameters *parameters = &detection->parameters;
  static const char sizes[] = "sml";
  static const char *const recalls[] = {"AR1", "AR10", "AR100"};
  static const unsigned limits[] = {1, 10, 100};
  if (ee_str_is(figure, "AP50") && !has_threshold(parameters, 0.5)) return "'thresholds' lack 0.5";
  if (ee_str_is(figure, "AP75") && !has_threshold(parameters, 0.75)) return "'thresholds' lack 0.75";
  bool whole = ee_str_is(figure, "AP") || ee_str_is(figure, "AP_low");
  if (whole && !detection->corrected && !has_limit(parameters, 100))
    return "'max_detections' lack 100, without which COCO's evaluator gives no AP (mode = \"corrected\" does)";
  for (size_t i = 0; i < 3; i++) {
    if (ee_str_is(figure, recalls[i]) && !has_limit(parameters, limits[i]))
      return ee_arena_printf(arena, "'max_detections' lack %u", limits[i]);
    bool of_size = figure.length == 3 && figure.data[0] == 'A' && figure.data[2] == sizes[i];
    if (of_size && parameters->range_count < i + 2)
      return ee_arena_printf(arena, "'area_ranges' have only %zu", parameters->range_count);
  }
  return NULL;
}

const ee_corpus_type ee_detection_corpus = {.gate_metrics = gate_metrics,
                                            .lacks = detection_lacks,
                                            .open = detection_open,
                                            .close = detection_close,
                                            .clear = detection_clear,
                                            .add = detection_add,
                                            .merge = detection_merge,
                                            .finish = ee_detection_finish};
