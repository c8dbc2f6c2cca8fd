/* ap_match.c: see ap_match.h. */
#include "prim/ap_match.h"

#include <string.h>

#include "prim/sort.h"

/* Sorting -------------------------------------------------------------------------------------- */

/* What ee_ap_sort() sorts by. */
typedef enum sort_key { BY_IMAGE, BY_CATEGORY } sort_key;

static uint32_t key_of(const ee_ap_item *item, sort_key key) { return key == BY_IMAGE ? item->image : item->category; }

/* Copies `items` to `out`, stably sorted by a key below `keys`. `start` has room for keys + 1 and gets where each key's
 * items begin. */
static void sort_by(sort_key key, const ee_ap_item *items, size_t count, size_t keys, size_t *start, ee_ap_item *out) {
  memset(start, 0, (keys + 1) * sizeof *start);
  for (size_t i = 0; i < count; i++) start[key_of(&items[i], key)]++;
  size_t sum = 0;
  for (size_t i = 0; i <= keys; i++) {
    size_t here = start[i];
    start[i] = sum;
    sum += here;
  }
  for (size_t i = 0; i < count; i++) out[start[key_of(&items[i], key)]++] = items[i];
  memmove(start + 1, start, keys * sizeof *start);
  start[0] = 0;
}

/* Sorts `items` into `out`: by class, then by image, then by category, then as they are. `items` is overwritten, and
 * `start` has room for one more than the larger of images and categories. */
static void sort_items(ee_ap_item *items, size_t count, size_t images, size_t categories, bool use_categories,
                       ee_ap_item *out, size_t *start) {
  sort_by(use_categories ? BY_IMAGE : BY_CATEGORY, items, count, use_categories ? images : categories, start, out);
  if (count > 0) memcpy(items, out, count * sizeof *items);
  if (use_categories) {
    sort_by(BY_CATEGORY, items, count, categories, start, out);
  } else {
    sort_by(BY_IMAGE, items, count, images, start, out);
    start[0] = 0;
    start[1] = count;
  }
}

void ee_ap_sort(const ee_ap_object *objects, size_t object_count, const ee_ap_detection *detections,
                size_t detection_count, size_t images, size_t categories, bool use_categories, double min_score,
                ee_arena *arena, ee_ap_scene *scene) {
  size_t starts = (images > categories ? images : categories) + 1;
  if (starts < 2) starts = 2;
  *scene = (ee_ap_scene){.objects = objects,
                         .detections = detections,
                         .classes = use_categories ? categories : 1,
                         .object_items = ee_arena_alloc(arena, object_count * sizeof(ee_ap_item)),
                         .detection_items = ee_arena_alloc(arena, detection_count * sizeof(ee_ap_item)),
                         .object_start = EE_NEW_ARRAY(arena, size_t, starts),
                         .detection_start = EE_NEW_ARRAY(arena, size_t, starts)};
  ee_arena_mark mark = ee_arena_get_mark(arena);
  size_t larger = object_count > detection_count ? object_count : detection_count, count = 0;
  ee_ap_item *items = ee_arena_alloc(arena, larger * sizeof *items);
  for (size_t i = 0; i < object_count; i++) items[i] = (ee_ap_item){objects[i].image, objects[i].category, (uint32_t)i};
  sort_items(items, object_count, images, categories, use_categories, scene->object_items, scene->object_start);
  for (size_t i = 0; i < detection_count; i++) {
    if (detections[i].score >= min_score)
      items[count++] = (ee_ap_item){detections[i].image, detections[i].category, (uint32_t)i};
  }
  sort_items(items, count, images, categories, use_categories, scene->detection_items, scene->detection_start);
  ee_arena_rewind(arena, mark);
}

/* One class ------------------------------------------------------------------------------------ */

/* A detection while its class is sorted by score. */
typedef struct scored {
  double score;
  uint32_t slot; /* among the class's items */
} scored;

static bool scores_before(const scored *a, const scored *b) { return a->score > b->score; }
EE_DEFINE_SORT(sort_scored, scored, scores_before)

/* The detections and objects of one image and class. */
typedef struct image_group {
  uint32_t detection_start, detection_count; /* among the class's items */
  uint32_t object_start, object_count;
  uint32_t filled; /* detections that have got their rank */
} image_group;

/* An object that a detection overlaps far enough for at least one threshold. */
typedef struct overlap {
  double iou;
  uint64_t reached;  /* a bit a threshold */
  uint32_t position; /* among the class's objects */
} overlap;

static bool overlaps_before(const overlap *a, const overlap *b) { return a->iou > b->iou; }
EE_DEFINE_SORT(sort_candidates, overlap, overlaps_before)

/* Everything that is fixed while a class is matched. */
typedef struct matcher {
  const ee_ap_scene *scene;
  const ee_ap_item *objects, *detections; /* of the class */
  size_t object_count;
  double required[EE_AP_BATCH], least; /* of IoU, and the least of them */
  size_t threshold_count;
  const ee_ap_range *ranges;
  size_t range_count;
  overlap *candidates; /* room for all objects of an image */
  ee_arena *arena;
  ee_ap_matches *matches;
} matcher;

/* Splits the class's detections by image, beside the objects of that image. `group_of` gets one a detection. */
static size_t make_groups(const matcher *m, image_group *groups, uint32_t *group_of) {
  size_t count = 0;
  uint32_t object = 0;
  for (uint32_t i = 0; i < m->matches->count; i++) {
    uint32_t image = m->detections[i].image;
    if (i == 0 || image != m->detections[i - 1].image) {
      while (object < m->object_count && m->objects[object].image < image) object++;
      uint32_t first = object;
      while (object < m->object_count && m->objects[object].image == image) object++;
      groups[count++] = (image_group){.detection_start = i, .object_start = first, .object_count = object - first};
    }
    groups[count - 1].detection_count++;
    group_of[i] = (uint32_t)(count - 1);
  }
  return count;
}

/* Sorts the class's detections by score. matches->index and rank are filled, and `order` gets for each image (from its
 * group's detection_start) the places of its detections in the class's order, the best first. */
static void rank_detections(const matcher *m, image_group *groups, const uint32_t *group_of, uint32_t *order) {
  ee_ap_matches *matches = m->matches;
  ee_arena_mark mark = ee_arena_get_mark(m->arena);
  scored *sorted = ee_arena_alloc(m->arena, matches->count * sizeof *sorted);
  for (uint32_t i = 0; i < matches->count; i++)
    sorted[i] = (scored){m->scene->detections[m->detections[i].index].score, i};
  /* Stable, and slots are by image: equal scores stay by image and then in the scene's order. */
  sort_scored(sorted, matches->count, m->arena);
  for (uint32_t i = 0; i < matches->count; i++) {
    image_group *group = &groups[group_of[sorted[i].slot]];
    matches->index[i] = m->detections[sorted[i].slot].index;
    matches->rank[i] = group->filled++;
    order[group->detection_start + matches->rank[i]] = i;
  }
  ee_arena_rewind(m->arena, mark);
}

/* The objects that `detection` may take, in the order in which it wants them: by falling IoU, of equal ones the last
 * object first. COCO's loop goes through the objects and takes one that is at least as good as the best so far. */
static size_t find_candidates(const matcher *m, const ee_ap_detection *detection, const image_group *group) {
  size_t count = 0;
  for (uint32_t i = group->object_start + group->object_count; i-- > group->object_start;) {
    const ee_ap_object *object = &m->scene->objects[m->objects[i].index];
    double iou = ee_ap_iou(detection->box, object->box, object->crowd);
    if (iou < m->least) continue;
    uint64_t reached = 0;
    for (size_t t = 0; t < m->threshold_count; t++) reached |= (uint64_t)(iou >= m->required[t]) << t;
    m->candidates[count++] = (overlap){iou, reached, i};
  }
  if (count > 1) sort_candidates(m->candidates, count, m->arena);
  return count;
}

/* Takes the best free candidates in one area range at all thresholds at once: countable objects first, and what found
 * none of them goes on to the others. Returns the thresholds where a countable object was found; `*left` has those
 * where nothing was, or a blank one. */
static uint64_t take(const matcher *m, uint32_t detection, size_t range, size_t candidate_count, uint64_t *left) {
  uint64_t *taken = m->matches->taken + range, hits = 0, blanks = 0;
  for (int counts = 1; counts >= 0 && *left != 0; counts--) {
    for (size_t i = 0; i < candidate_count; i++) {
      const overlap *candidate = &m->candidates[i];
      const ee_ap_object *object = &m->scene->objects[m->objects[candidate->position].index];
      if (ee_ap_countable(object, &m->ranges[range]) != counts) continue;
      uint64_t *of_object = &taken[candidate->position * m->range_count];
      uint64_t now = *left & candidate->reached & (object->crowd ? ~UINT64_C(0) : ~*of_object);
      *of_object |= now;
      if (now != 0 && m->matches->takers != NULL) m->matches->takers[candidate->position] = detection;
      *left &= ~now;
      if (!counts) continue;
      if (object->blank)
        blanks |= now;
      else
        hits |= now;
    }
  }
  *left |= blanks;
  return hits;
}

static void match_group(const matcher *m, const image_group *group, const uint32_t *order, unsigned limit) {
  ee_ap_matches *matches = m->matches;
  uint64_t all = m->threshold_count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << m->threshold_count) - 1;
  for (uint32_t i = 0; i < group->detection_count; i++) {
    uint32_t place = order[group->detection_start + i];
    bool dropped = i >= limit;
    const ee_ap_detection *detection = &m->scene->detections[matches->index[place]];
    size_t candidates = dropped ? 0 : find_candidates(m, detection, group);
    double area = detection->box[2] * detection->box[3];
    for (size_t range = 0; range < m->range_count; range++) {
      uint64_t left = dropped ? 0 : all;
      uint64_t hits = candidates > 0 ? take(m, matches->index[place], range, candidates, &left) : 0;
      bool outside = area < m->ranges[range].low || area > m->ranges[range].high;
      matches->hits[range * matches->count + place] = hits;
      matches->misses[range * matches->count + place] = outside ? 0 : left;
    }
  }
}

void ee_ap_match(const ee_ap_scene *scene, size_t class_index, const double *thresholds, size_t threshold_count,
                 const ee_ap_range *ranges, size_t range_count, unsigned limit, ee_arena *arena,
                 ee_ap_matches *matches) {
  size_t first_object = scene->object_start[class_index], first = scene->detection_start[class_index];
  size_t object_count = scene->object_start[class_index + 1] - first_object;
  size_t count = scene->detection_start[class_index + 1] - first;
  *matches = (ee_ap_matches){.count = count,
                             .index = ee_arena_alloc(arena, count * sizeof(uint32_t)),
                             .rank = ee_arena_alloc(arena, count * sizeof(uint32_t)),
                             .hits = ee_arena_alloc(arena, range_count * count * sizeof(uint64_t)),
                             .misses = ee_arena_alloc(arena, range_count * count * sizeof(uint64_t)),
                             .taken = EE_NEW_ARRAY(arena, uint64_t, object_count * range_count),
                             .countable = EE_NEW_ARRAY(arena, size_t, range_count)};
  if (threshold_count == 1 && range_count == 1) matches->takers = EE_NEW_ARRAY(arena, uint32_t, object_count);
  matcher m = {.scene = scene,
               .objects = scene->object_items + first_object,
               .detections = scene->detection_items + first,
               .object_count = object_count,
               .threshold_count = threshold_count,
               .ranges = ranges,
               .range_count = range_count,
               .arena = arena,
               .matches = matches};
  for (size_t t = 0; t < threshold_count; t++) {
    m.required[t] = ee_ap_required(thresholds[t]);
    if (t == 0 || m.required[t] < m.least) m.least = m.required[t];
  }
  for (size_t i = 0; i < object_count; i++) {
    for (size_t range = 0; range < range_count; range++)
      matches->countable[range] += ee_ap_countable(&scene->objects[m.objects[i].index], &ranges[range]);
  }
  ee_arena_mark mark = ee_arena_get_mark(arena);
  m.candidates = ee_arena_alloc(arena, object_count * sizeof(overlap));
  image_group *groups = ee_arena_alloc(arena, count * sizeof *groups);
  uint32_t *group_of = ee_arena_alloc(arena, count * sizeof *group_of);
  uint32_t *order = ee_arena_alloc(arena, count * sizeof *order);
  size_t group_count = make_groups(&m, groups, group_of);
  rank_detections(&m, groups, group_of, order);
  for (size_t i = 0; i < group_count; i++) match_group(&m, &groups[i], order, limit);
  ee_arena_rewind(arena, mark);
}
