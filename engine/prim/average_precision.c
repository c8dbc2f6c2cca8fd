/* average_precision.c: COCO's average precision and recall, their means, and explanations of single detections.
 *
 * First objects and detections are sorted by class and image. Then each class is matched at all thresholds at once, one
 * bit per threshold. The curves, their means and the explanations follow from these matches. */
#include "prim/average_precision.h"

#include <math.h>
#include <string.h>

#include "base/work.h"
#include "prim/sort.h"

/* COCO's parameters ----------------------------------------------------------------------------- */

/* numpy.linspace(start, stop, n): start + i * step in doubles; only the last value is exact. */
#define THRESHOLD(i) (0.5 + (i) * ((0.95 - 0.5) / 9))
static const double coco_thresholds[] = {THRESHOLD(0), THRESHOLD(1), THRESHOLD(2), THRESHOLD(3), THRESHOLD(4),
                                         THRESHOLD(5), THRESHOLD(6), THRESHOLD(7), THRESHOLD(8), 0.95};
#define RECALL(i) ((i) * (1.0 / 100))
#define TEN_RECALLS(i)                                                                                                 \
  RECALL(i), RECALL(i + 1), RECALL(i + 2), RECALL(i + 3), RECALL(i + 4), RECALL(i + 5), RECALL(i + 6), RECALL(i + 7),  \
      RECALL(i + 8), RECALL(i + 9)
static const double coco_recalls[] = {TEN_RECALLS(0),
                                      TEN_RECALLS(10),
                                      TEN_RECALLS(20),
                                      TEN_RECALLS(30),
                                      TEN_RECALLS(40),
                                      TEN_RECALLS(50),
                                      TEN_RECALLS(60),
                                      TEN_RECALLS(70),
                                      TEN_RECALLS(80),
                                      TEN_RECALLS(90),
                                      1.0};
static const ee_ap_range coco_ranges[] = {{0, 1e10}, {0, 32 * 32}, {32 * 32, 96 * 96}, {96 * 96, 1e10}};
static const unsigned coco_limits[] = {1, 10, 100};

#define COUNT(array) (sizeof(array) / sizeof *(array))

void ee_ap_defaults(ee_ap_parameters *parameters) {
  *parameters = (ee_ap_parameters){.thresholds = coco_thresholds,
                                   .threshold_count = COUNT(coco_thresholds),
                                   .recalls = coco_recalls,
                                   .recall_count = COUNT(coco_recalls),
                                   .ranges = coco_ranges,
                                   .range_count = COUNT(coco_ranges),
                                   .limits = coco_limits,
                                   .limit_count = COUNT(coco_limits),
                                   .use_categories = true};
}

/* Sorting --------------------------------------------------------------------------------------- */

/* Thresholds per call, one bit each. */
#define BATCH 64

/* A sorted object or detection. */
typedef struct scene_item {
  uint32_t image, category;
  uint32_t index; /* in file order */
} scene_item;

/* Objects and detections by class, within a class by image, within an image in file order (if all classes are one, by
 * category first). */
typedef struct sorted_scene {
  const ee_ap_object *objects;
  const ee_ap_detection *detections;
  size_t classes; /* 1 without use_categories */
  scene_item *object_items, *detection_items;
  size_t *object_start, *detection_start; /* [classes + 1] */
} sorted_scene;

typedef enum sort_key { BY_IMAGE, BY_CATEGORY } sort_key;

static uint32_t key_of(const scene_item *item, sort_key key) { return key == BY_IMAGE ? item->image : item->category; }

/* Copies `items` to `out`, stably sorted by a key below `keys`. `start` has room for keys + 1 and gets the index of the
 * first item of each key. */
static void sort_by(sort_key key, const scene_item *items, size_t count, size_t keys, size_t *start, scene_item *out) {
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

/* Sorts `items` into `out` by class, then image, then category, then the given order. `items` is overwritten; `start`
 * has room for one more than the larger of images and categories. */
static void sort_items(scene_item *items, size_t count, size_t images, size_t categories, bool use_categories,
                       scene_item *out, size_t *start) {
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

/* Units of an object or a detection while a scene is sorted, which jumps in memory. */
#define SCENE_WORK 20

/* Fills `scene`. The arrays come from `arena`. O(n + images + categories).
 * False, and nothing is filled, when work should end. */
static bool sort_scene(const ee_ap_input *input, bool use_categories, ee_arena *arena, sorted_scene *scene) {
  size_t images = input->images, categories = input->categories;
  if (!ee_work_goes_on(SCENE_WORK * (uint64_t)(input->object_count + input->detection_count))) return false;
  size_t starts = (images > categories ? images : categories) + 1;
  if (starts < 2) starts = 2;
  *scene = (sorted_scene){.objects = input->objects,
                          .detections = input->detections,
                          .classes = use_categories ? categories : 1,
                          .object_items = ee_arena_alloc(arena, input->object_count * sizeof(scene_item)),
                          .detection_items = ee_arena_alloc(arena, input->detection_count * sizeof(scene_item)),
                          .object_start = EE_NEW_ARRAY(arena, size_t, starts),
                          .detection_start = EE_NEW_ARRAY(arena, size_t, starts)};
  ee_arena_mark mark = ee_arena_get_mark(arena);
  size_t larger = input->object_count > input->detection_count ? input->object_count : input->detection_count;
  scene_item *items = ee_arena_alloc(arena, larger * sizeof *items);
  for (size_t i = 0; i < input->object_count; i++)
    items[i] = (scene_item){input->objects[i].image, input->objects[i].category, (uint32_t)i};
  sort_items(items, input->object_count, images, categories, use_categories, scene->object_items, scene->object_start);
  for (size_t i = 0; i < input->detection_count; i++)
    items[i] = (scene_item){input->detections[i].image, input->detections[i].category, (uint32_t)i};
  sort_items(items, input->detection_count, images, categories, use_categories, scene->detection_items,
             scene->detection_start);
  ee_arena_rewind(arena, mark);
  return true;
}

/* Matching -------------------------------------------------------------------------------------- */

/* The matches of one class. The arrays come from the arena of match_class(). Most detections are plain: they overlap no
 * object enough, so that they are false at all thresholds in the ranges of their area. */
typedef struct class_matches {
  size_t count;     /* detections of the class, by falling score, then image, then the order of the scene */
  double *score;    /* [count] */
  uint32_t *rank;   /* [count] rank in its image, from 0; detections at the limit and beyond match nothing */
  uint32_t *record; /* [count] of a detection that is not plain; or PLAIN */
  uint8_t *inside;  /* [count] of a plain one: a bit for each range in which it counts */
  size_t record_count, range_count;
  uint64_t *hits;    /* [record][range] one bit per threshold: took a countable object */
  uint64_t *misses;  /* [record][range] took nothing, and its area is in the range; neither bit: not counted */
  uint64_t *taken;   /* [object][range] taken by a detection; objects in the order of the scene; undefined for crowds */
  size_t *countable; /* [range] objects that count */
} class_matches;
#define PLAIN UINT32_MAX
/* With more ranges no detection is plain. */
#define PLAIN_RANGES 8

static inline bool is_countable(const ee_ap_object *object, const ee_ap_range *range) {
  return !(object->crowd || object->ignored || object->area < range->low || object->area > range->high);
}

/* The IoU that a threshold requires: equal boxes match at a threshold of 1 despite rounding. */
static inline double required_iou(double threshold) { return threshold < 1 - 1e-10 ? threshold : 1 - 1e-10; }

/* Intersection over union, or over the detection's area for a crowd. The operations of pycocotools' bbIou() in its
 * order. */
static inline double iou_of(const double detection[4], const double object[4], bool crowd) {
  double right = detection[2] + detection[0], object_right = object[2] + object[0];
  double width = (right < object_right ? right : object_right) - (detection[0] > object[0] ? detection[0] : object[0]);
  if (width <= 0) return 0;
  double bottom = detection[3] + detection[1], object_bottom = object[3] + object[1];
  double height =
      (bottom < object_bottom ? bottom : object_bottom) - (detection[1] > object[1] ? detection[1] : object[1]);
  if (height <= 0) return 0;
  double shared = width * height, area = detection[2] * detection[3];
  double iou = shared / (crowd ? area : area + object[2] * object[3] - shared);
  return iou == iou ? iou : 0; /* NaN: 0/0 or inf/inf */
}

/* A detection while its class is sorted by score. */
typedef struct scored {
  double score;
  uint32_t slot; /* among the class's items */
} scored;

static bool scores_before(const scored *a, const scored *b) { return a->score > b->score; }
EE_DEFINE_SORT(sort_scored, scored, scores_before)

/* Scores from this many on are sorted by the bits of their numbers, DIGIT_BITS at a time, the lowest first. */
#define MANY_SCORES 1024
enum { DIGIT_BITS = 11, DIGITS = 6, DIGIT_VALUES = 1 << DIGIT_BITS };

typedef struct keyed {
  uint64_t key; /* ascending where scores fall */
  uint32_t slot;
} keyed;

static uint64_t key_of_score(double score) {
  uint64_t bits = 0;
  if (score != 0) memcpy(&bits, &score, sizeof bits); /* 0 and -0 are equal */
  const uint64_t sign = UINT64_C(1) << 63;
  return (bits & sign) != 0 ? bits : ~(bits | sign);
}

static size_t digit_of(uint64_t key, size_t digit) { return (size_t)(key >> (digit * DIGIT_BITS)) % DIGIT_VALUES; }

/* As sort_scored(), in O(n). */
static void sort_scores(scored *items, size_t count, ee_arena *arena) {
  if (count < MANY_SCORES) {
    sort_scored(items, count, arena);
    return;
  }
  ee_work(DIGITS * (uint64_t)count);
  ee_arena_mark mark = ee_arena_get_mark(arena);
  keyed *from = ee_arena_alloc(arena, count * sizeof *from), *to = ee_arena_alloc(arena, count * sizeof *to);
  uint32_t *counts = EE_NEW_ARRAY(arena, uint32_t, DIGITS * DIGIT_VALUES);
  for (size_t i = 0; i < count; i++) {
    from[i] = (keyed){key_of_score(items[i].score), (uint32_t)i};
    for (size_t digit = 0; digit < DIGITS; digit++) counts[digit * DIGIT_VALUES + digit_of(from[i].key, digit)]++;
  }
  for (size_t digit = 0; digit < DIGITS; digit++) {
    uint32_t *next = counts + digit * DIGIT_VALUES, sum = 0;
    if (next[digit_of(from[0].key, digit)] == count) continue; /* the same in all */
    for (size_t value = 0; value < DIGIT_VALUES; value++) {
      uint32_t here = next[value];
      next[value] = sum;
      sum += here;
    }
    for (size_t i = 0; i < count; i++) to[next[digit_of(from[i].key, digit)]++] = from[i];
    keyed *swap = from;
    from = to;
    to = swap;
  }
  scored *sorted = ee_arena_alloc(arena, count * sizeof *sorted);
  for (size_t i = 0; i < count; i++) sorted[i] = items[from[i].slot];
  memcpy(items, sorted, count * sizeof *items);
  ee_arena_rewind(arena, mark);
}

/* The detections and objects of one image and class. */
typedef struct image_group {
  uint32_t detection_start, detection_count; /* among the class's items */
  uint32_t object_start, object_count;
  uint32_t filled; /* detections with a rank */
} image_group;

/* An object whose IoU with a detection reaches at least one threshold. */
typedef struct overlap {
  double iou;
  uint64_t reached;  /* one bit per threshold */
  uint32_t position; /* among the class's objects */
} overlap;

static bool overlaps_before(const overlap *a, const overlap *b) { return a->iou > b->iou; }
EE_DEFINE_SORT(sort_candidates, overlap, overlaps_before)

/* What stays the same while a class is matched. */
typedef struct matcher {
  const sorted_scene *scene;
  const scene_item *objects, *detections; /* of the class */
  size_t object_count;
  const ee_ap_detection *gathered; /* the class's detections: what is scattered is read once, one after the other */
  double required[BATCH], min_required; /* of IoU */
  size_t threshold_count;
  const ee_ap_range *ranges;
  size_t range_count;
  overlap *candidates; /* room for all objects of an image */
  ee_arena *arena;
  class_matches *matches;
} matcher;

/* Groups the class's detections by image, with the objects of that image. `group_of` gets the group of each detection.
 */
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

/* A detection of an image: its places in the sorted class, and among the class's items. */
typedef struct ordered {
  uint32_t place, slot;
} ordered;

/* Sorts the class's detections by score and fills matches->score and rank. `order` gets, for each image from its
 * group's detection_start on, the positions of its detections in the sorted class, the best first. */
static void rank_detections(const matcher *m, image_group *groups, const uint32_t *group_of, ordered *order) {
  class_matches *matches = m->matches;
  ee_arena_mark mark = ee_arena_get_mark(m->arena);
  scored *sorted = ee_arena_alloc(m->arena, matches->count * sizeof *sorted);
  for (uint32_t i = 0; i < matches->count; i++) sorted[i] = (scored){m->gathered[i].score, i};
  /* The sort is stable, so equal scores stay in the order of the scene. */
  sort_scores(sorted, matches->count, m->arena);
  for (uint32_t i = 0; i < matches->count; i++) {
    image_group *group = &groups[group_of[sorted[i].slot]];
    matches->score[i] = sorted[i].score;
    matches->rank[i] = group->filled++;
    order[group->detection_start + matches->rank[i]] = (ordered){i, sorted[i].slot};
  }
  ee_arena_rewind(m->arena, mark);
}

/* Units of the overlap of two boxes, and of a look at an object that a detection may take. */
#define OVERLAP_WORK 4
#define TAKE_WORK 2

/* The objects that `detection` may take, by falling IoU, of equal ones the last object first: COCO's loop over the
 * objects takes one that is at least as good as the best so far. */
static size_t find_candidates(const matcher *m, const ee_ap_detection *detection, const image_group *group) {
  size_t count = 0;
  ee_work(OVERLAP_WORK * (uint64_t)group->object_count);
  for (uint32_t i = group->object_start + group->object_count; i-- > group->object_start;) {
    const ee_ap_object *object = &m->scene->objects[m->objects[i].index];
    double iou = iou_of(detection->box, object->box, object->crowd);
    if (iou < m->min_required) continue;
    uint64_t reached = 0;
    for (size_t t = 0; t < m->threshold_count; t++) reached |= (uint64_t)(iou >= m->required[t]) << t;
    m->candidates[count++] = (overlap){iou, reached, i};
  }
  if (count > 1) sort_candidates(m->candidates, count, m->arena);
  return count;
}

/* Takes the best free candidates in one area range at all thresholds at once: first countable objects, then, at
 * thresholds without one, the others. Returns the thresholds at which a countable object was taken; `*left` keeps those
 * at which nothing or a blank object was taken. */
static uint64_t take(const matcher *m, size_t range, size_t candidate_count, uint64_t *left) {
  uint64_t *taken = m->matches->taken + range, hits = 0, blanks = 0;
  for (int counts = 1; counts >= 0 && *left != 0; counts--) {
    for (size_t i = 0; i < candidate_count; i++) {
      const overlap *candidate = &m->candidates[i];
      const ee_ap_object *object = &m->scene->objects[m->objects[candidate->position].index];
      if (is_countable(object, &m->ranges[range]) != counts) continue;
      uint64_t *of_object = &taken[candidate->position * m->range_count];
      uint64_t now = *left & candidate->reached & (object->crowd ? ~UINT64_C(0) : ~*of_object);
      *of_object |= now;
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

static uint64_t all_thresholds(size_t count) { return count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1; }

static bool is_outside(double area, const ee_ap_range *range) { return area < range->low || area > range->high; }

/* The ranges in which a detection of this area counts. */
static uint8_t ranges_of(const matcher *m, double area) {
  unsigned inside = 0;
  for (size_t range = 0; range < m->range_count; range++)
    inside |= (unsigned)!is_outside(area, &m->ranges[range]) << range;
  return (uint8_t)inside;
}

static void match_group(const matcher *m, const image_group *group, const ordered *order, unsigned limit) {
  class_matches *matches = m->matches;
  uint64_t all = all_thresholds(m->threshold_count);
  for (uint32_t i = 0; i < group->detection_count; i++) {
    if (!ee_work_goes_on(m->range_count)) limit = 0; /* the others are dropped, which is quick */
    uint32_t place = order[group->detection_start + i].place;
    matches->record[place] = PLAIN;
    matches->inside[place] = 0;
    if (i >= limit) continue;
    const ee_ap_detection *detection = &m->gathered[order[group->detection_start + i].slot];
    size_t candidates = find_candidates(m, detection, group);
    ee_work(TAKE_WORK * (uint64_t)(candidates * m->range_count));
    double area = detection->box[2] * detection->box[3];
    if (candidates == 0 && m->range_count <= PLAIN_RANGES) {
      matches->inside[place] = ranges_of(m, area);
      continue;
    }
    size_t record = matches->record_count++;
    matches->record[place] = (uint32_t)record;
    for (size_t range = 0; range < m->range_count; range++) {
      uint64_t left = all, hits = candidates > 0 ? take(m, range, candidates, &left) : 0;
      matches->hits[record * m->range_count + range] = hits;
      matches->misses[record * m->range_count + range] = is_outside(area, &m->ranges[range]) ? 0 : left;
    }
  }
}

/* Matches the detections of one class with its objects at up to BATCH thresholds at once. */
static void match_class(const sorted_scene *scene, size_t class_index, const double *thresholds, size_t threshold_count,
                        const ee_ap_range *ranges, size_t range_count, unsigned limit, ee_arena *arena,
                        class_matches *matches) {
  size_t first_object = scene->object_start[class_index], first = scene->detection_start[class_index];
  size_t object_count = scene->object_start[class_index + 1] - first_object;
  size_t count = scene->detection_start[class_index + 1] - first;
  *matches = (class_matches){.count = count,
                             .score = ee_arena_alloc(arena, count * sizeof(double)),
                             .rank = ee_arena_alloc(arena, count * sizeof(uint32_t)),
                             .record = ee_arena_alloc(arena, count * sizeof(uint32_t)),
                             .inside = ee_arena_alloc(arena, count),
                             .range_count = range_count,
                             .hits = ee_arena_alloc(arena, range_count * count * sizeof(uint64_t)),
                             .misses = ee_arena_alloc(arena, range_count * count * sizeof(uint64_t)),
                             .taken = EE_NEW_ARRAY(arena, uint64_t, object_count * range_count),
                             .countable = EE_NEW_ARRAY(arena, size_t, range_count)};
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
    m.required[t] = required_iou(thresholds[t]);
    if (t == 0 || m.required[t] < m.min_required) m.min_required = m.required[t];
  }
  for (size_t i = 0; i < object_count; i++) {
    for (size_t range = 0; range < range_count; range++)
      matches->countable[range] += is_countable(&scene->objects[m.objects[i].index], &ranges[range]);
  }
  ee_arena_mark mark = ee_arena_get_mark(arena);
  m.candidates = ee_arena_alloc(arena, object_count * sizeof(overlap));
  image_group *groups = ee_arena_alloc(arena, count * sizeof *groups);
  uint32_t *group_of = ee_arena_alloc(arena, count * sizeof *group_of);
  ordered *order = ee_arena_alloc(arena, count * sizeof *order);
  ee_ap_detection *gathered = ee_arena_alloc(arena, count * sizeof *gathered);
  for (size_t i = 0; i < count; i++) gathered[i] = scene->detections[m.detections[i].index];
  m.gathered = gathered;
  size_t group_count = make_groups(&m, groups, group_of);
  rank_detections(&m, groups, group_of, order);
  for (size_t i = 0; i < group_count; i++) match_group(&m, &groups[i], order, limit);
  ee_arena_rewind(arena, mark);
}

/* Curves ---------------------------------------------------------------------------------------- */

/* Units of a detection on a curve. */
#define TRACE_WORK 4

/* numpy.spacing(1) */
static const double spacing = 0x1p-52;

/* A detection that counts in one area range and limit; one bit per threshold. Most are false at all thresholds, so that
 * they have no hit: these are only counted. */
typedef struct fate {
  uint64_t hits, misses;
  uint32_t false_before; /* detections before it that are false at all thresholds */
} fate;

/* The detections that are not plain, and how many plain ones precede each. */
typedef struct mixed_list {
  uint32_t *places; /* [count] in the order of the class */
  size_t count;
  uint32_t *plain; /* [count + 1][range][limit] plain detections that count there before it; at last: all */
} mixed_list;

/* Working memory for one class, area range and limit. */
typedef struct class_curve {
  fate *fates; /* in the order of the class */
  size_t fate_count;
  size_t counted;          /* all that count, with those that are false at all thresholds */
  uint32_t *misses_before; /* [hit], from 1: false detections before the hit */
  double *precision;       /* [hit], from 1: the best precision at this hit or later */
  size_t *needed;          /* [recall point] hits needed to reach it, at least 1 */
} class_curve;

/* How many of `countable` objects must be found for each recall point: numpy.searchsorted() from the left on
 * 1/countable, 2/countable, ... A point that is never reached needs one more than there are. A recall of 0 is reached
 * by the first detection, and the best precision from there on is that from the first hit on. */
static void count_needed(const ee_ap_parameters *parameters, size_t countable, size_t *needed) {
  size_t hits = 1;
  for (size_t r = 0; r < parameters->recall_count; r++) {
    while (hits <= countable && (double)hits / (double)countable < parameters->recalls[r]) hits++;
    needed[r] = hits;
  }
}

static mixed_list list_mixed(const class_matches *matches, const ee_ap_parameters *parameters, ee_arena *arena) {
  size_t ranges = parameters->range_count, limits = parameters->limit_count, cells = ranges * limits;
  mixed_list mixed = {.places = ee_arena_alloc(arena, matches->record_count * sizeof(uint32_t)),
                      .plain = ee_arena_alloc(arena, (matches->record_count + 1) * cells * sizeof(uint32_t))};
  /* By range, and by the first limit that the rank is below. */
  uint32_t *sums = EE_NEW_ARRAY(arena, uint32_t, cells);
  for (size_t i = 0; i <= matches->count; i++) {
    if (i < matches->count && matches->record[i] == PLAIN) {
      unsigned inside = matches->inside[i];
      if (inside == 0) continue; /* dropped, too */
      size_t limit = 0;
      while (matches->rank[i] >= parameters->limits[limit]) limit++;
      for (size_t range = 0; range < ranges; range++) sums[range * limits + limit] += inside >> range & 1;
      continue;
    }
    uint32_t *before = mixed.plain + mixed.count * cells;
    for (size_t cell = 0; cell < cells; cell++) before[cell] = sums[cell] + (cell % limits > 0 ? before[cell - 1] : 0);
    if (i < matches->count) mixed.places[mixed.count++] = (uint32_t)i;
  }
  return mixed;
}

/* Keeps the detections of rank below a limit that count at some threshold; of `thresholds` there is a bit for each. */
static void choose_fates(const class_matches *matches, const mixed_list *mixed, const ee_ap_parameters *parameters,
                         size_t range, size_t limit, uint64_t thresholds, class_curve *curve) {
  size_t count = 0, ranges = parameters->range_count, cells = ranges * parameters->limit_count;
  const uint32_t *plain = mixed->plain + range * parameters->limit_count + limit;
  uint32_t false_before = 0;
  for (size_t i = 0; i < mixed->count; i++) {
    size_t place = mixed->places[i], record = matches->record[place] * ranges + range;
    uint64_t hits = matches->hits[record], misses = matches->misses[record];
    unsigned counts = (matches->rank[place] < parameters->limits[limit]) & ((hits | misses) != 0),
             all_false = misses == thresholds;
    curve->fates[count] = (fate){hits, misses, false_before + plain[i * cells]};
    count += counts & ~all_false;
    false_before += counts & all_false;
  }
  curve->fate_count = count;
  curve->counted = count + false_before + plain[mixed->count * cells];
}

/* Fills curve->precision from curve->misses_before. */
static void make_envelope(class_curve *curve, size_t hits) {
  double best = 0;
  for (size_t hit = hits; hit > 0; hit--) {
    double precision = (double)hit / ((double)(curve->misses_before[hit] + hit) + spacing);
    if (precision > best) best = precision;
    curve->precision[hit] = best;
  }
}

/* Fills curve->precision at one threshold and returns the number of hits. Only hits matter: between two of them
 * precision falls and recall stays, so no miss is the first to reach a recall or the best from there on. */
static size_t trace(class_curve *curve, size_t threshold) {
  const fate *fates = curve->fates;
  size_t hits = 0;
  uint32_t misses = 0;
  for (size_t i = 0; i < curve->fate_count; i++) { /* without branches, which could not be predicted */
    curve->misses_before[hits + 1] = fates[i].false_before + misses;
    hits += fates[i].hits >> threshold & 1;
    misses += (uint32_t)(fates[i].misses >> threshold & 1);
  }
  make_envelope(curve, hits);
  return hits;
}

/* What trace() returns. */
static size_t count_hits(const class_curve *curve, size_t threshold) {
  size_t hits = 0;
  for (size_t i = 0; i < curve->fate_count; i++) hits += curve->fates[i].hits >> threshold & 1;
  return hits;
}

/* Equal scores ---------------------------------------------------------------------------------- */

/* Detections of one class with the same score. */
typedef struct tie_group {
  size_t count;                     /* of its fates, which follow those of the group before it */
  uint32_t false_before, all_false; /* detections that are false at all thresholds: before the group, in it */
} tie_group;

/* Groups the fates of the class, in the first range and at the last limit, by score. `fates` and `groups` have room for
 * all detections. Returns the number of groups, without those that have no fate; adds the detections that share their
 * score with others, counted or not, to
 * `*tied`. */
static size_t group_ties(const class_matches *matches, unsigned limit, uint64_t thresholds, fate *fates,
                         tie_group *groups, uint64_t *tied) {
  size_t group_count = 0, fate_count = 0, sharing = 0;
  uint32_t all_false = 0;
  for (size_t i = 0; i < matches->count; i++) {
    if (i == 0 || matches->score[i - 1] != matches->score[i]) {
      if (sharing > 1) *tied += sharing;
      sharing = 0;
      if (group_count == 0 || groups[group_count - 1].count > 0) group_count++;
      groups[group_count - 1] = (tie_group){.false_before = all_false};
    }
    if (matches->rank[i] >= limit) continue;
    sharing++;
    uint64_t hits = 0, misses = (matches->inside[i] & 1) != 0 ? thresholds : 0;
    if (matches->record[i] != PLAIN) {
      hits = matches->hits[matches->record[i] * matches->range_count];
      misses = matches->misses[matches->record[i] * matches->range_count];
    }
    if ((hits | misses) == 0) continue;
    tie_group *group = &groups[group_count - 1];
    if (misses == thresholds) {
      group->all_false++;
      all_false++;
    } else {
      group->count++;
      fates[fate_count++] = (fate){.hits = hits, .misses = misses};
    }
  }
  if (sharing > 1) *tied += sharing;
  return group_count;
}

/* As trace(), with the misses of each group before its hits, or after them. */
static size_t trace_groups(class_curve *curve, const tie_group *groups, size_t group_count, size_t threshold,
                           bool hits_first) {
  const fate *next = curve->fates;
  size_t hits = 0;
  uint32_t misses = 0;
  for (size_t i = 0; i < group_count; i++) {
    uint32_t before = groups[i].false_before + misses;
    size_t first = hits + 1;
    for (size_t k = 0; k < groups[i].count; k++, next++) {
      hits += next->hits >> threshold & 1;
      misses += (uint32_t)(next->misses >> threshold & 1);
    }
    uint32_t count = hits_first ? before : groups[i].false_before + groups[i].all_false + misses;
    for (size_t hit = first; hit <= hits; hit++) curve->misses_before[hit] = count;
  }
  return hits;
}

/* The curves of one class for the two extreme orders of equal scores. curve->needed is filled, the rest of `curve` is
 * overwritten. */
static void trace_ties(const class_matches *matches, size_t k, size_t first, size_t count, class_curve *curve,
                       ee_ap_result *result, ee_arena *scratch) {
  const ee_ap_parameters *p = &result->parameters;
  tie_group *groups = ee_arena_alloc(scratch, matches->count * sizeof *groups);
  uint64_t tied = 0;
  size_t group_count =
      group_ties(matches, p->limits[p->limit_count - 1], all_thresholds(count), curve->fates, groups, &tied);
  if (first == 0) result->tied += tied;
  if (matches->countable[0] == 0) return;
  for (size_t t = 0; t < count && ee_work_goes_on(2 * TRACE_WORK * (uint64_t)matches->count + 1); t++) {
    for (int hits_first = 0; hits_first <= 1; hits_first++) {
      size_t hits = trace_groups(curve, groups, group_count, t, hits_first != 0);
      make_envelope(curve, hits);
      double *out =
          (hits_first ? result->highest : result->lowest) + (first + t) * p->recall_count * result->categories + k;
      for (size_t r = 0; r < p->recall_count; r++)
        out[r * result->categories] = curve->needed[r] <= hits ? curve->precision[curve->needed[r]] : 0;
    }
  }
}

/* Evaluation ------------------------------------------------------------------------------------ */

/* Units of a class without objects and detections. */
#define CLASS_WORK 200

/* `count` doubles of -1, undefined. */
static double *make_undefined(size_t count, ee_arena *arena) {
  double *values = ee_arena_alloc(arena, count * sizeof *values);
  for (size_t i = 0; i < count; i++) values[i] = -1;
  return values;
}

/* Evaluates one class at the thresholds `first` to `first + count`. */
static void evaluate_class(const sorted_scene *scene, size_t k, size_t first, size_t count, ee_ap_result *result,
                           ee_arena *scratch) {
  const ee_ap_parameters *p = &result->parameters;
  class_matches matches;
  match_class(scene, k, p->thresholds + first, count, p->ranges, p->range_count, p->limits[p->limit_count - 1], scratch,
              &matches);
  class_curve curve = {.fates = ee_arena_alloc(scratch, (matches.count + 1) * sizeof(fate)),
                       .misses_before = ee_arena_alloc(scratch, (matches.count + 2) * sizeof(uint32_t)),
                       .precision = ee_arena_alloc(scratch, (matches.count + 1) * sizeof(double)),
                       .needed = ee_arena_alloc(scratch, p->recall_count * sizeof(size_t))};
  bool any = false;
  for (size_t a = 0; a < p->range_count; a++) any = any || matches.countable[a] > 0;
  /* In the result, the values of a class lie far apart: they are collected here first. */
  size_t first_limit = p->last_limit ? p->limit_count - 1 : 0, limits = p->limit_count - first_limit;
  size_t cells = p->range_count * limits, values = any ? count * p->recall_count * cells : 0;
  double *precisions = make_undefined(values, scratch);
  mixed_list mixed = list_mixed(&matches, p, scratch);
  for (size_t a = 0; a < p->range_count; a++) {
    size_t countable = matches.countable[a];
    if (countable == 0) continue;
    if (!ee_work_goes_on((uint64_t)countable * p->limit_count)) break;
    count_needed(p, countable, curve.needed);
    for (size_t m = 0; m < p->limit_count; m++) {
      choose_fates(&matches, &mixed, p, a, m, all_thresholds(count), &curve);
      for (size_t t = 0; t < count && ee_work_goes_on(TRACE_WORK * (uint64_t)curve.counted + 1); t++) {
        size_t hits = m < first_limit ? count_hits(&curve, t) : trace(&curve, t);
        result->recall[ee_ap_recall_at(result, first + t, k, a, m)] = (double)hits / (double)countable;
        if (m < first_limit) continue;
        double *precision = precisions + t * p->recall_count * cells + a * limits + m - first_limit;
        for (size_t r = 0; r < p->recall_count; r++)
          precision[r * cells] = curve.needed[r] <= hits ? curve.precision[curve.needed[r]] : 0;
      }
    }
  }
  for (size_t t = 0; t < count && any; t++) {
    for (size_t r = 0; r < p->recall_count; r++)
      memcpy(result->precision + ee_ap_precision_at(result, first + t, r, k, 0, 0),
             precisions + (t * p->recall_count + r) * cells, cells * sizeof *precisions);
  }
  if (!p->with_ties) return;
  if (matches.countable[0] > 0) count_needed(p, matches.countable[0], curve.needed);
  trace_ties(&matches, k, first, count, &curve, result, scratch);
}

void ee_ap_evaluate(const ee_ap_input *input, const ee_ap_parameters *parameters, ee_arena *arena, ee_arena *scratch,
                    ee_ap_result *result) {
  const ee_ap_parameters *p = parameters;
  *result = (ee_ap_result){.parameters = *p, .categories = p->use_categories ? input->categories : 1};
  size_t recalls = p->threshold_count * result->categories * p->range_count * p->limit_count;
  size_t precisions = recalls * p->recall_count / (p->last_limit ? p->limit_count : 1);
  result->precision = make_undefined(precisions, arena);
  result->recall = make_undefined(recalls, arena);
  if (p->with_ties) {
    result->lowest = make_undefined(p->threshold_count * p->recall_count * result->categories, arena);
    result->highest = make_undefined(p->threshold_count * p->recall_count * result->categories, arena);
  }

  ee_arena_mark mark = ee_arena_get_mark(scratch);
  sorted_scene scene;
  bool sorted = sort_scene(input, p->use_categories, scratch, &scene);
  for (size_t k = 0; sorted && k < result->categories && ee_work_goes_on(CLASS_WORK); k++) {
    for (size_t first = 0; first < p->threshold_count; first += BATCH) {
      size_t left = p->threshold_count - first;
      ee_arena_mark class_mark = ee_arena_get_mark(scratch);
      evaluate_class(&scene, k, first, left < BATCH ? left : BATCH, result, scratch);
      ee_arena_rewind(scratch, class_mark);
    }
  }
  ee_arena_rewind(scratch, mark);
}

/* Means ----------------------------------------------------------------------------------------- */

/* Halves down to blocks of at most 128, and eight running sums in a block. */
static double sum_pairwise(const double *values, size_t count) {
  if (count < 8) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum;
  }
  if (count > 128) {
    size_t half = count / 2 - count / 2 % 8;
    return sum_pairwise(values, half) + sum_pairwise(values + half, count - half);
  }
  double sums[8];
  memcpy(sums, values, sizeof sums);
  size_t i = 8;
  for (; i < count - count % 8; i += 8) {
    for (size_t k = 0; k < 8; k++) sums[k] += values[i + k];
  }
  double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  for (; i < count; i++) sum += values[i];
  return sum;
}

double ee_pairwise_sum(const double *values, size_t count) {
  const size_t buffer = 8192; /* numpy.getbufsize() */
  double sum = 0;
  for (size_t i = 0; i < count; i += buffer) sum += sum_pairwise(values + i, count - i < buffer ? count - i : buffer);
  return sum;
}

/* The indices `from` to `to` - 1 of an index or EE_AP_ALL. */
typedef struct span {
  size_t from, to;
} span;

static span span_of(long index, size_t count) {
  return index == EE_AP_ALL ? (span){0, count} : (span){(size_t)index, (size_t)index + 1};
}

static double mean(const double *values, size_t count) {
  return count == 0 ? -1 : ee_pairwise_sum(values, count) / (double)count;
}

/* The mean of values[row][category][range][limit], which has `limits` of them, for rows and categories of two spans, in
 * this order. */
static double mean_of(const ee_ap_result *result, const double *values, size_t limits, span rows, span categories,
                      size_t range, size_t limit, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  double *defined =
      ee_arena_alloc(scratch, (rows.to - rows.from) * (categories.to - categories.from) * sizeof *defined);
  size_t count = 0, step = result->parameters.range_count * limits, offset = range * limits + limit;
  for (size_t row = rows.from; row < rows.to; row++) {
    for (size_t category = categories.from; category < categories.to; category++) {
      double value = values[(row * result->categories + category) * step + offset];
      if (value > -1) defined[count++] = value;
    }
  }
  double answer = mean(defined, count);
  ee_arena_rewind(scratch, mark);
  return answer;
}

double ee_ap_mean_precision(const ee_ap_result *result, long threshold, long category, size_t range, size_t limit,
                            ee_arena *scratch) {
  const ee_ap_parameters *p = &result->parameters;
  span rows = span_of(threshold, p->threshold_count);
  return mean_of(result, result->precision, p->last_limit ? 1 : p->limit_count,
                 (span){rows.from * p->recall_count, rows.to * p->recall_count}, span_of(category, result->categories),
                 range, p->last_limit ? 0 : limit, scratch);
}

double ee_ap_mean_recall(const ee_ap_result *result, long threshold, long category, size_t range, size_t limit,
                         ee_arena *scratch) {
  const ee_ap_parameters *p = &result->parameters;
  return mean_of(result, result->recall, p->limit_count, span_of(threshold, p->threshold_count),
                 span_of(category, result->categories), range, limit, scratch);
}

void ee_ap_tie_range(const ee_ap_result *result, ee_arena *scratch, double range[2]) {
  const ee_ap_parameters *p = &result->parameters;
  size_t count = p->threshold_count * p->recall_count * result->categories;
  for (size_t side = 0; side < 2; side++) {
    const double *values = side == 0 ? result->lowest : result->highest;
    ee_arena_mark mark = ee_arena_get_mark(scratch);
    double *defined = ee_arena_alloc(scratch, count * sizeof *defined);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
      if (values[i] > -1) defined[found++] = values[i];
    }
    range[side] = mean(defined, found);
    ee_arena_rewind(scratch, mark);
  }
}

/* The twelve ------------------------------------------------------------------------------------ */

const char *const ee_ap_names[EE_AP_TWELVE] = {"AP",  "AP50", "AP75",  "APs", "APm", "APl",
                                               "AR1", "AR10", "AR100", "ARs", "ARm", "ARl"};

/* What each of the twelve is a mean of; 0: all thresholds, the last limit. */
static const struct {
  bool recall;
  double threshold;
  size_t range;
  unsigned limit;
} twelve[EE_AP_TWELVE] = {{false, 0, 0, 0}, {false, 0.5, 0, 0}, {false, 0.75, 0, 0}, {false, 0, 1, 0},
                          {false, 0, 2, 0}, {false, 0, 3, 0},   {true, 0, 0, 1},     {true, 0, 0, 10},
                          {true, 0, 0, 0},  {true, 0, 1, 0},    {true, 0, 2, 0},     {true, 0, 3, 0}};

/* The index of a threshold, or the number of thresholds. */
static size_t threshold_index(const ee_ap_parameters *parameters, double threshold) {
  size_t i = 0;
  while (i < parameters->threshold_count && parameters->thresholds[i] != threshold) i++;
  return i;
}

static size_t limit_index(const ee_ap_parameters *parameters, unsigned limit) {
  if (limit == 0) return parameters->limit_count - 1;
  size_t i = 0;
  while (i < parameters->limit_count && parameters->limits[i] != limit) i++;
  return i;
}

void ee_ap_twelve(const ee_ap_result *result, ee_arena *scratch, double numbers[EE_AP_TWELVE]) {
  const ee_ap_parameters *p = &result->parameters;
  for (size_t i = 0; i < EE_AP_TWELVE; i++) {
    size_t threshold = threshold_index(p, twelve[i].threshold), limit = limit_index(p, twelve[i].limit);
    bool all = twelve[i].threshold == 0;
    numbers[i] = -1;
    if ((!all && threshold == p->threshold_count) || limit == p->limit_count || twelve[i].range >= p->range_count)
      continue;
    numbers[i] = (twelve[i].recall ? ee_ap_mean_recall : ee_ap_mean_precision)(
        result, all ? EE_AP_ALL : (long)threshold, EE_AP_ALL, twelve[i].range, limit, scratch);
  }
}

/* Explanations ---------------------------------------------------------------------------------- */

/* Below this IoU a detection is unrelated to an object. */
static const double nearby = 0.1;

/* Objects or detections of each image, whatever their class. */
typedef struct by_image {
  scene_item *items;
  size_t *start; /* [images + 1], in `items` */
} by_image;

/* Sorts `items`, which are overwritten or kept. */
static by_image group_by_image(scene_item *items, size_t count, size_t images, size_t categories, bool by_category,
                               ee_arena *arena) {
  if (images == 1 && !by_category) { /* they are sorted */
    by_image one = {items, ee_arena_alloc(arena, 2 * sizeof(size_t))};
    one.start[0] = 0;
    one.start[1] = count;
    return one;
  }
  by_image groups = {ee_arena_alloc(arena, count * sizeof *items), NULL};
  if (by_category) {
    sort_by(BY_CATEGORY, items, count, categories, EE_NEW_ARRAY(arena, size_t, categories + 1), groups.items);
    if (count > 0) memcpy(items, groups.items, count * sizeof *items);
  }
  groups.start = EE_NEW_ARRAY(arena, size_t, images + 1);
  sort_by(BY_IMAGE, items, count, images, groups.start, groups.items);
  return groups;
}

/* Of equal overlaps the last object is taken, and of equal scores the first detection chooses: if all classes are one,
 * by category, then in file order. */
static by_image group_objects(const ee_ap_input *input, const ee_ap_operating_point *point, ee_arena *arena) {
  scene_item *items = ee_arena_alloc(arena, input->object_count * sizeof *items);
  for (size_t i = 0; i < input->object_count; i++)
    items[i] = (scene_item){input->objects[i].image, input->objects[i].category, (uint32_t)i};
  return group_by_image(items, input->object_count, input->images, input->categories, !point->use_categories, arena);
}

static by_image group_detections(const ee_ap_input *input, const ee_ap_operating_point *point, ee_arena *arena) {
  scene_item *items = ee_arena_alloc(arena, input->detection_count * sizeof *items);
  size_t count = 0;
  for (size_t i = 0; i < input->detection_count; i++) {
    const ee_ap_detection *detection = &input->detections[i];
    if (detection->score >= point->min_score)
      items[count++] = (scene_item){detection->image, detection->category, (uint32_t)i};
  }
  return group_by_image(items, count, input->images, input->categories, !point->use_categories, arena);
}

/* What stays the same while images are explained. */
typedef struct explainer {
  const ee_ap_input *input;
  const ee_ap_operating_point *point;
  double required;      /* of IoU */
  bool *taken;          /* [object] */
  uint32_t *takers;     /* [object] the last detection that took it */
  uint32_t *ranks;      /* [class] detections of the image so far; all 0 between images */
  uint64_t *countable;  /* [class] */
  ee_ap_counts *counts; /* [class] */
} explainer;

static uint32_t class_of(const explainer *e, uint32_t category) { return e->point->use_categories ? category : 0; }

/* An object of the image that is being explained. */
typedef struct seen_object {
  double x, y, right, bottom, area;
  uint32_t index, category;
  bool crowd, countable;
} seen_object;

/* As iou_of(), to the bit. `corner`: the detection's right and bottom. */
static inline double overlap_with(const double detection[4], const double corner[2], double area,
                                  const seen_object *object) {
  double width =
      (corner[0] < object->right ? corner[0] : object->right) - (detection[0] > object->x ? detection[0] : object->x);
  if (width <= 0) return 0;
  double height =
      (corner[1] < object->bottom ? corner[1] : object->bottom) - (detection[1] > object->y ? detection[1] : object->y);
  if (height <= 0) return 0;
  double shared = width * height, iou = shared / (object->crowd ? area : area + object->area - shared);
  return iou == iou ? iou : 0;
}

/* The objects that a detection touches, as bits; the others have no overlap. Without branches, which could not be
 * predicted. `count` is at most 64. */
static inline uint64_t find_touched(const double detection[4], const double corner[2], const seen_object *objects,
                                    size_t count) {
  uint64_t touched = 0;
  for (size_t i = 0; i < count; i++) {
    const seen_object *object = &objects[i];
    double right = corner[0] < object->right ? corner[0] : object->right;
    double left = detection[0] > object->x ? detection[0] : object->x;
    double bottom = corner[1] < object->bottom ? corner[1] : object->bottom;
    double top = detection[1] > object->y ? detection[1] : object->y;
    touched |= (uint64_t)((right - left > 0) & (bottom - top > 0)) << i;
  }
  return touched;
}

/* What a detection takes, and what it is if that is nothing or a blank object. */
typedef struct choice {
  const seen_object *taken; /* NULL: nothing */
  ee_ap_fate miss;
} choice;

/* By COCO's rules the best free object that counts, of equal ones the last; else the best of the others, where a
 * crowd is always free. Where nothing is taken, an object of its class with an IoU at the threshold must be taken by
 * another detection. */
static choice choose_object(const explainer *e, const ee_ap_detection *detection, const double corner[2], double area,
                            const seen_object *objects, size_t count) {
  const seen_object *best[2] = {NULL, NULL}; /* not countable, countable */
  double overlaps[2] = {0, 0}, lowest = e->required < nearby ? e->required : nearby;
  bool reached = false, elsewhere = false, close = false;
  for (size_t end = count, from; end > 0; end = from) {
    from = (end - 1) / 64 * 64;
    /* With a limit of 0 even no overlap is enough. */
    uint64_t touched = lowest > 0 ? find_touched(detection->box, corner, objects + from, end - from)
                                  : UINT64_MAX >> (64 - (end - from));
    while (touched != 0) {
      const size_t last = 63 - (size_t)__builtin_clzll(touched);
      touched ^= UINT64_C(1) << last;
      const seen_object *object = &objects[from + last];
      double iou = overlap_with(detection->box, corner, area, object);
      if (iou < lowest) continue;
      bool same = !e->point->use_categories || object->category == detection->category;
      if (iou < e->required) {
        close |= same & !object->crowd; /* it is nearby: this is the lower limit */
        continue;
      }
      elsewhere |= !same & object->countable;
      reached |= same;
      if (!same || (e->taken[object->index] && !object->crowd)) continue;
      if (best[object->countable] != NULL && iou <= overlaps[object->countable]) continue;
      best[object->countable] = object;
      overlaps[object->countable] = iou;
    }
  }
  return (choice){best[true] != NULL ? best[true] : best[false], reached     ? EE_AP_DUPLICATE
                                                                 : elsewhere ? EE_AP_WRONG_CLASS
                                                                 : close     ? EE_AP_POOR_PLACE
                                                                             : EE_AP_BACKGROUND};
}

/* One detection: takes an object or none, and counts. */
static ee_ap_fate explain_detection(const explainer *e, uint32_t index, const seen_object *objects, size_t count,
                                    bool with_reason) {
  const ee_ap_detection *detection = &e->input->detections[index];
  uint32_t class = class_of(e, detection->category);
  if (e->ranks[class]++ >= e->point->limit) return EE_AP_DROPPED;
  ee_work(OVERLAP_WORK * (uint64_t)count);
  const double *box = detection->box;
  const double corner[2] = {box[2] + box[0], box[3] + box[1]}, area = box[2] * box[3];
  const choice chosen = choose_object(e, detection, corner, area, objects, count);
  if (chosen.taken != NULL) {
    e->taken[chosen.taken->index] = true;
    e->takers[chosen.taken->index] = index;
    if (!chosen.taken->countable) return EE_AP_IGNORED;
    if (!e->input->objects[chosen.taken->index].blank) {
      e->counts[class].tp++;
      return EE_AP_TRUE;
    }
  }
  if (is_outside(area, &e->point->range)) return EE_AP_IGNORED;
  e->counts[class].fp++;
  if (!with_reason) return EE_AP_BACKGROUND;
  ee_work(OVERLAP_WORK * (uint64_t)count);
  return chosen.miss;
}

/* Explains the detections of one image, by falling score. False when work should end. */
static bool explain_image(const explainer *e, const scene_item *objects, size_t object_count,
                          const scene_item *detections, size_t count, ee_ap_fate *fates, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  scored *sorted = ee_arena_alloc(scratch, count * sizeof *sorted);
  for (size_t i = 0; i < count; i++)
    sorted[i] = (scored){e->input->detections[detections[i].index].score, detections[i].index};
  sort_scored(sorted, count, scratch);
  seen_object *seen = ee_arena_alloc(scratch, object_count * sizeof *seen);
  for (size_t i = 0; i < object_count; i++) {
    const ee_ap_object *object = &e->input->objects[objects[i].index];
    const double *box = object->box;
    seen[i] = (seen_object){.x = box[0],
                            .y = box[1],
                            .right = box[2] + box[0],
                            .bottom = box[3] + box[1],
                            .area = box[2] * box[3],
                            .index = objects[i].index,
                            .category = object->category,
                            .crowd = object->crowd,
                            .countable = is_countable(object, &e->point->range)};
  }
  bool goes_on = true;
  for (size_t i = 0; i < count && goes_on; i++) {
    ee_ap_fate why = explain_detection(e, sorted[i].slot, seen, object_count, fates != NULL);
    if (fates != NULL) fates[sorted[i].slot] = why;
    goes_on = ee_work_goes_on(1);
  }
  for (size_t i = 0; i < count; i++) e->ranks[class_of(e, detections[i].category)] = 0;
  ee_arena_rewind(scratch, mark);
  return goes_on;
}

void ee_ap_explain(const ee_ap_input *input, const ee_ap_operating_point *point, ee_arena *scratch,
                   const ee_ap_explanation *out) {
  if (out->fates != NULL) {
    for (size_t i = 0; i < input->detection_count; i++) out->fates[i] = EE_AP_LOW_SCORE;
  }
  size_t classes = point->use_categories ? input->categories : 1;
  if (!ee_work_goes_on(SCENE_WORK * (uint64_t)(input->object_count + input->detection_count) +
                       CLASS_WORK * (uint64_t)classes))
    return;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  /* A detection never takes an object from one with a higher score, so leaving out those below min_score changes
   * nothing for the others. */
  by_image objects = group_objects(input, point, scratch), detections = group_detections(input, point, scratch);
  explainer e = {.input = input,
                 .point = point,
                 .required = required_iou(point->threshold),
                 .taken = EE_NEW_ARRAY(scratch, bool, input->object_count),
                 .takers = ee_arena_alloc(scratch, input->object_count * sizeof(uint32_t)),
                 .ranks = EE_NEW_ARRAY(scratch, uint32_t, classes),
                 .countable = EE_NEW_ARRAY(scratch, uint64_t, classes),
                 .counts = EE_NEW_ARRAY(scratch, ee_ap_counts, classes)};
  bool goes_on = true;
  for (size_t i = 0; i < input->images && goes_on; i++) {
    size_t first = objects.start[i], from = detections.start[i];
    if (detections.start[i + 1] > from)
      goes_on = explain_image(&e, objects.items + first, objects.start[i + 1] - first, detections.items + from,
                              detections.start[i + 1] - from, out->fates, scratch);
  }
  for (size_t i = 0; i < input->object_count; i++) {
    const ee_ap_object *object = &input->objects[i];
    bool counts = is_countable(object, &point->range), is_found = counts && !object->blank && e.taken[i];
    e.countable[class_of(&e, object->category)] += counts;
    if (out->found != NULL) out->found[i] = is_found;
    if (out->found != NULL && is_found && out->takers != NULL) out->takers[i] = e.takers[i];
  }
  for (size_t k = 0; k < classes && out->counts != NULL; k++) {
    out->counts[k] = e.counts[k];
    out->counts[k].fn = e.countable[k] - e.counts[k].tp;
  }
  ee_arena_rewind(scratch, mark);
}
