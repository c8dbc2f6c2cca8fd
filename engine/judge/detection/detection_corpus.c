/* detection_corpus.c: average precision, counts and notes over all images of ee.detection.
 *
 * Every object and detection is kept (detection_add, detection_merge). At the end (detection_finish), or before they
 * are written as the state of a part (detection_state), images and classes are sorted, so that nothing depends on the
 * order of the input; then come the metrics, a row per class, and notes on what went wrong and on likely mistakes in
 * the data. */
#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/memory.h"
#include "judge/detection/detection_set.h"
#include "prim/number.h"
#include "prim/sort.h"

#define ID_SHOWN 60
/* COCO's evaluator gives AP at this limit only. */
#define COCO_LIMIT 100
/* No average precision for more classes with objects: with COCO's parameters each takes 100 KB. */
#define CLASS_LIMIT 5000

/* The search for mistakes looks at this many images with both objects and detections, and pairs of boxes in them. */
#define MAX_IMAGES 200
#define MAX_PAIRS 50000
/* A mean overlap that needs no explanation. */
#define GOOD_OVERLAP 0.5
#define CLASSES_SHOWN 3

/* Gates --------------------------------------------------------------------------------------- */

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

static const char *detection_lacks(const ee_judge *judge, ee_str metric, ee_arena *arena) {
  const ee_detection *detection = judge->data;
  const ee_ap_parameters *parameters = &detection->parameters;
  static const char sizes[] = "sml";
  static const char *const recalls[] = {"AR1", "AR10", "AR100"};
  static const unsigned limits[] = {1, 10, 100};
  if (ee_str_is(metric, "AP50") && !has_threshold(parameters, 0.5)) return "'thresholds' lack 0.5";
  if (ee_str_is(metric, "AP75") && !has_threshold(parameters, 0.75)) return "'thresholds' lack 0.75";
  bool whole = ee_str_is(metric, "AP") || ee_str_is(metric, "AP_low");
  if (whole && !detection->corrected && !has_limit(parameters, 100))
    return "'max_detections' lack 100, without which COCO's evaluator gives no AP (mode = \"corrected\" does)";
  for (size_t i = 0; i < 3; i++) {
    if (ee_str_is(metric, recalls[i]) && !has_limit(parameters, limits[i]))
      return ee_arena_printf(arena, "'max_detections' lack %u", limits[i]);
    bool of_size = metric.length == 3 && metric.data[0] == 'A' && metric.data[2] == sizes[i];
    if (of_size && parameters->range_count < i + 2)
      return ee_arena_printf(arena, "'area_ranges' have only %zu", parameters->range_count);
  }
  return NULL;
}

/* Notes --------------------------------------------------------------------------------------- */

/* The notes written so far. */
typedef struct note_list {
  EE_LIST(ee_str);
  ee_arena *arena;
  ee_buffer text; /* the note being written */
} note_list;

/* Ends the note in `text` and keeps it. */
static void end_note(note_list *notes) {
  const char *text = ee_arena_copy(notes->arena, notes->text.data, notes->text.length);
  *EE_LIST_ADD(notes, notes->arena) = (ee_str){text, notes->text.length};
  ee_buffer_clear(&notes->text);
}

/* Appends "1 object" or "2 objects". */
static void note_count(note_list *notes, uint64_t count, const char *noun) {
  ee_buffer_add_u64(&notes->text, count);
  ee_buffer_addf(&notes->text, count == 1 ? " %s" : " %ss", noun);
}

/* Appends a number with `digits` digits. */
static void note_number(note_list *notes, double value, int digits) {
  char text[32];
  ee_buffer_add(&notes->text, text, ee_double_format_short(value, digits, text));
}

/* Appends " (first in 'a', 'b')". */
static void note_images(note_list *notes, const ee_detection_set *set, const uint32_t *images, size_t count) {
  if (count == 0) return;
  ee_buffer_add_text(&notes->text, " (first in ");
  for (size_t i = 0; i < count; i++) {
    ee_str id = ee_detection_set_id(set, images[i]);
    size_t shown = ee_utf8_cut(id, ID_SHOWN);
    ee_buffer_addf(&notes->text, i > 0 ? ", '%.*s%s'" : "'%.*s%s'", (int)shown, id.data,
                   shown < id.length ? "..." : "");
  }
  ee_buffer_add_char(&notes->text, ')');
}

/* Likely mistakes in the data ----------------------------------------------------------------- */

/* Boxes in another format than the declared one still overlap a little: only a low AP shows the mistake. So the first
 * images are read in the other formats too, and a note says when one of those fits far better. */

/* Other ways to read the four numbers. */
typedef enum reading { AS_XYWH, AS_XYXY, AS_CXCYWH, AS_YXHW, AS_YXYX, READINGS } reading;
static const char *const reading_names[READINGS] = {"xywh", "xyxy", "cxcywh", "[y, x, height, width]",
                                                    "[y1, x1, y2, x2]"};

/* Which list is read in another way. */
typedef enum side { DETECTIONS, OBJECTS, BOTH, SIDES } side;

/* The objects and detections of one image: ranges of the arrays. */
typedef struct image_items {
  uint32_t image;
  size_t objects, object_count, detections, detection_count;
} image_items;

/* The four numbers as in the data. */
static void write_back(ee_detection_format format, const double box[4], double numbers[4]) {
  memcpy(numbers, box, 4 * sizeof *numbers);
  if (format == EE_DETECTION_XYXY) {
    numbers[2] += numbers[0];
    numbers[3] += numbers[1];
  } else if (format == EE_DETECTION_CXCYWH) {
    numbers[0] += numbers[2] / 2;
    numbers[1] += numbers[3] / 2;
  }
}

static reading reading_of(ee_detection_format format) {
  return format == EE_DETECTION_XYXY ? AS_XYXY : format == EE_DETECTION_CXCYWH ? AS_CXCYWH : AS_XYWH;
}

/* Left, top, right, bottom. */
static void read_corners(reading how, const double numbers[4], double corners[4]) {
  bool swapped = how == AS_YXHW || how == AS_YXYX;
  const double n[4] = {numbers[swapped ? 1 : 0], numbers[swapped ? 0 : 1], numbers[swapped ? 3 : 2],
                       numbers[swapped ? 2 : 3]};
  for (size_t i = 0; i < 2; i++) {
    double low = n[i], size = n[i + 2];
    if (how == AS_XYXY || how == AS_YXYX) {
      corners[i] = low;
      corners[i + 2] = size;
    } else if (how == AS_CXCYWH) {
      corners[i] = low - size / 2;
      corners[i + 2] = low + size / 2;
    } else {
      corners[i] = low;
      corners[i + 2] = low + size;
    }
  }
}

static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

static double overlap_of(const double a[4], const double b[4]) {
  double width = smaller(a[2], b[2]) - larger(a[0], b[0]);
  if (!(width > 0)) return 0;
  double height = smaller(a[3], b[3]) - larger(a[1], b[1]);
  if (!(height > 0)) return 0;
  double shared = width * height;
  double joined = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared;
  return joined > 0 && isfinite(joined) ? shared / joined : 0;
}

/* Finds the first images that have both objects and detections. */
static size_t find_images(const ee_detection_set *set, image_items *images) {
  size_t count = 0, object = 0, detection = 0, pairs = 0;
  for (uint32_t image = 0; image < set->image_ends.count && count < MAX_IMAGES && pairs < MAX_PAIRS; image++) {
    image_items found = {.image = image, .objects = object, .detections = detection};
    while (object < set->objects.count && set->objects.items[object].image == image) object++;
    while (detection < set->detections.count && set->detections.items[detection].image == image) detection++;
    found.object_count = object - found.objects;
    found.detection_count = detection - found.detections;
    if (found.object_count == 0 || found.detection_count == 0) continue;
    pairs += found.object_count * found.detection_count;
    if (pairs <= MAX_PAIRS) images[count++] = found;
  }
  return count;
}

/* The mean over the objects of their best overlap with a detection, whatever the classes. (The mean over detections
 * would not do: most of them may be on background.) */
static double mean_overlap(const ee_detection_set *set, const image_items *images, size_t image_count, reading objects,
                           reading detections, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  size_t most = 0;
  for (size_t i = 0; i < image_count; i++)
    if (images[i].detection_count > most) most = images[i].detection_count;
  double(*others)[4] = ee_arena_alloc(scratch, most * sizeof *others);
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < image_count; i++) {
    for (size_t d = 0; d < images[i].detection_count; d++) {
      double numbers[4];
      write_back(set->detection->candidate_format, set->detections.items[images[i].detections + d].box, numbers);
      read_corners(detections, numbers, others[d]);
    }
    for (size_t o = 0; o < images[i].object_count; o++, count++) {
      double numbers[4], box[4], best = 0;
      write_back(set->detection->format, set->objects.items[images[i].objects + o].box, numbers);
      read_corners(objects, numbers, box);
      for (size_t d = 0; d < images[i].detection_count; d++) best = larger(best, overlap_of(box, others[d]));
      sum += best;
    }
  }
  ee_arena_rewind(scratch, mark);
  return count > 0 ? sum / (double)count : 0;
}

/* Boxes in another format --------------------------------------------------------------------- */

/* Adds the options that would read the boxes so, if there are any. `detections`: how they are read now. */
static void add_advice(side which, reading how, reading detections, note_list *notes) {
  if (how > AS_CXCYWH) return;
  const char *name = reading_names[how];
  if (which == DETECTIONS)
    ee_buffer_addf(&notes->text, ": set candidate_format = \"%s\"", name);
  else if (which == BOTH)
    ee_buffer_addf(&notes->text, ": set format = \"%s\"", name);
  else
    ee_buffer_addf(&notes->text, ": set format = \"%s\", candidate_format = \"%s\"", name, reading_names[detections]);
}

static void note_format(const ee_detection_set *set, const image_items *images, size_t image_count, note_list *notes,
                        ee_arena *scratch) {
  reading objects = reading_of(set->detection->format), detections = reading_of(set->detection->candidate_format);
  reading best_reading = detections;
  side best_side = DETECTIONS;
  double as_declared = mean_overlap(set, images, image_count, objects, detections, scratch), best = as_declared;
  if (image_count == 0 || as_declared >= GOOD_OVERLAP) return;
  for (side which = DETECTIONS; which < SIDES; which++) {
    for (reading how = AS_XYWH; how < READINGS; how++) {
      double here = mean_overlap(set, images, image_count, which == DETECTIONS ? objects : how,
                                 which == OBJECTS ? detections : how, scratch);
      if (here <= best) continue;
      best = here;
      best_reading = how;
      best_side = which;
    }
  }
  if (best < GOOD_OVERLAP || best < 2 * as_declared) return;
  static const char *const names[SIDES] = {"the detections look", "the objects look", "all boxes look"};
  ee_buffer_addf(&notes->text, "%s like %s, not %s: mean best IoU of an object ", names[best_side],
                 reading_names[best_reading], reading_names[best_side == DETECTIONS ? detections : objects]);
  note_number(notes, best, 2);
  ee_buffer_add_text(&notes->text, " instead of ");
  note_number(notes, as_declared, 2);
  note_images(notes, set, &images[0].image, 1);
  add_advice(best_side, best_reading, detections, notes);
  end_note(notes);
}

/* Coordinates of another scale ---------------------------------------------------------------- */

static double largest(const double box[4], double sofar) {
  return fmax(sofar, fmax(fmax(fabs(box[0]), fabs(box[1])), fmax(fabs(box[2]), fabs(box[3]))));
}

/* One side in shares of the image's size, the other in pixels. */
static void note_scale(const ee_detection_set *set, const image_items *images, size_t image_count, note_list *notes) {
  double objects = 0, detections = 0;
  for (size_t i = 0; i < image_count; i++) {
    for (size_t k = 0; k < images[i].object_count; k++)
      objects = largest(set->objects.items[images[i].objects + k].box, objects);
    for (size_t k = 0; k < images[i].detection_count; k++)
      detections = largest(set->detections.items[images[i].detections + k].box, detections);
  }
  const double share = 1.5, pixels = 10;
  bool detections_are_shares = detections > 0 && detections <= share && objects >= pixels;
  if (!detections_are_shares && !(objects > 0 && objects <= share && detections >= pixels)) return;
  ee_buffer_addf(&notes->text, "the %s look like shares of the image's size, the %s like pixels: no coordinate above ",
                 detections_are_shares ? "detections" : "objects", detections_are_shares ? "objects" : "detections");
  note_number(notes, detections_are_shares ? detections : objects, 3);
  ee_buffer_add_text(&notes->text, ", and some up to ");
  note_number(notes, detections_are_shares ? objects : detections, 6);
  note_images(notes, set, &images[0].image, 1);
  end_note(notes);
}

/* Classes that do not meet -------------------------------------------------------------------- */

static void add_classes(const ee_detection_set *set, const bool *has, note_list *notes) {
  size_t shown = 0;
  for (size_t i = 0; i < set->classes.count && shown < CLASSES_SHOWN; i++) {
    if (!has[i]) continue;
    ee_str name = set->classes.items[i].name;
    ee_buffer_addf(&notes->text, shown++ > 0 ? ", '%.*s'" : "'%.*s'", (int)ee_utf8_cut(name, 60), name.data);
  }
}

/* No class occurs on both sides: most likely one has numbers and the other names. */
static void note_classes(const ee_detection_set *set, note_list *notes, ee_arena *scratch) {
  if (!set->detection->parameters.use_categories || set->objects.count == 0 || set->detections.count == 0) return;
  bool *of_objects = EE_NEW_ARRAY(scratch, bool, set->classes.count),
       *of_detections = EE_NEW_ARRAY(scratch, bool, set->classes.count);
  for (size_t i = 0; i < set->objects.count; i++) of_objects[set->objects.items[i].category] = true;
  for (size_t i = 0; i < set->detections.count; i++) of_detections[set->detections.items[i].category] = true;
  for (size_t i = 0; i < set->classes.count; i++)
    if (of_objects[i] && of_detections[i]) return;
  ee_buffer_add_text(&notes->text, "no class of the detections (");
  add_classes(set, of_detections, notes);
  ee_buffer_add_text(&notes->text, ") is one of the objects (");
  add_classes(set, of_objects, notes);
  ee_buffer_add_char(&notes->text, ')');
  end_note(notes);
}

static void note_data_mistakes(const ee_detection_set *set, note_list *notes, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  image_items *images = EE_NEW_ARRAY(scratch, image_items, MAX_IMAGES);
  size_t image_count = find_images(set, images);
  note_classes(set, notes, scratch);
  note_scale(set, images, image_count, notes);
  note_format(set, images, image_count, notes, scratch);
  ee_arena_rewind(scratch, mark);
}

/* Summary ------------------------------------------------------------------------------------- */

/* What detection_finish() works on. */
typedef struct summing {
  const ee_detection *detection;
  ee_detection_set *set;
  ee_arena *arena; /* of the summary */
  ee_arena work, scratch;
  ee_corpus_summary *summary;
  ee_corpus_metric *metrics;
  note_list notes;
  size_t duplicate_ids;
  uint32_t duplicate_images[EE_DETECTION_SHOWN];
  size_t duplicate_image_count;
  uint32_t *class_order;   /* [rank] class of the set */
  size_t evaluated;        /* classes with objects; they come first in that order */
  uint64_t *objects_of;    /* [rank] countable ones */
  uint64_t *detections_of; /* [rank] */
  uint64_t tp, fp, fn;
  bool has_ap;
  ee_ap_result result;
} summing;

static uint64_t count_of(const summing *s, ee_detection_counter counter) { return s->set->counts[counter].count; }

/* Classes -------------------------------------------------------------------------------------- */

/* Sorts classes without objects to the end, since no mean includes them: fills class_order, and replaces classes by
 * their ranks in all objects and detections. */
static void rank_classes(summing *s) {
  ee_detection_set *set = s->set;
  size_t count = set->classes.count, rank = 0;
  bool *with_objects = EE_NEW_ARRAY(&s->work, bool, count);
  uint32_t *ranks = EE_NEW_ARRAY(&s->work, uint32_t, count);
  s->class_order = EE_NEW_ARRAY(&s->work, uint32_t, count);
  bool classless = !s->detection->parameters.use_categories;
  for (size_t i = 0; i < set->objects.count; i++) with_objects[set->objects.items[i].category] = true;
  for (int last = 0; last < 2; last++) {
    for (size_t i = 0; i < count; i++) {
      if ((with_objects[i] || classless) == (last == 1)) continue;
      ranks[i] = (uint32_t)rank;
      s->class_order[rank++] = (uint32_t)i;
    }
    if (last == 0) s->evaluated = rank;
  }
  for (size_t i = 0; i < set->objects.count; i++)
    set->objects.items[i].category = ranks[set->objects.items[i].category];
  for (size_t i = 0; i < set->detections.count; i++)
    set->detections.items[i].category = ranks[set->detections.items[i].category];
}

/* Ids of objects ------------------------------------------------------------------------------- */

/* COCO's evaluator keeps annotations by id and lists ids by image: objects that share an id are all read as the last
 * one with that id. `last` has the index of that one for each object. */
static void replace_objects(summing *s, const uint32_t *last) {
  ee_detection_set *set = s->set;
  size_t count = set->objects.count;
  ee_ap_object *replaced = ee_arena_alloc(&s->work, count * sizeof *replaced);
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): an index for each object
  for (size_t i = 0; i < count; i++) replaced[i] = set->objects.items[last[i]];
  memcpy(set->objects.items, replaced, count * sizeof *replaced);
}

static void note_duplicate(summing *s, uint32_t image) {
  s->duplicate_ids++;
  size_t count = s->duplicate_image_count;
  if (count > 0 && s->duplicate_images[count - 1] == image) return;
  if (count < EE_DETECTION_SHOWN) s->duplicate_images[s->duplicate_image_count++] = image;
}

/* Finds objects that share an id with a later one; fills `last`, one per object. */
static void find_duplicate_ids(summing *s, uint32_t *last) {
  const ee_detection_set *set = s->set;
  ee_hash_index ids = {.arena = &s->scratch};
  ee_arena_mark mark = ee_arena_get_mark(&s->scratch);
  ee_hash_index_reserve(&ids, set->objects.count);
  for (size_t i = set->objects.count; i-- > 0;) {
    uint64_t id = set->object_ids.items[i];
    size_t at = 0, found = i;
    if (id != 0 && !ee_hash_index_next(&ids, ee_hash_mix(id), &at, &found)) ee_hash_index_add(&ids, ee_hash_mix(id), i);
    last[i] = (uint32_t)found;
  }
  ee_arena_rewind(&s->scratch, mark);
  for (size_t i = 0; i < set->objects.count; i++)
    if (last[i] != i) note_duplicate(s, set->objects.items[i].image);
}

/* Counts --------------------------------------------------------------------------------------- */

/* Sums the counts of the images, or counts again where objects with equal ids were replaced. */
static void count_matches(summing *s) {
  const ee_detection *detection = s->detection;
  const ee_ap_parameters *parameters = &detection->parameters;
  s->tp = count_of(s, EE_DETECTION_TRUE);
  s->fp = count_of(s, EE_DETECTION_DUPLICATE) + count_of(s, EE_DETECTION_WRONG_CLASS) +
          count_of(s, EE_DETECTION_POOR_PLACE) + count_of(s, EE_DETECTION_BACKGROUND);
  s->fn = count_of(s, EE_DETECTION_MISSED);
  if (detection->corrected || s->duplicate_ids == 0 || count_of(s, EE_DETECTION_UNSCORED) > 0) return;
  ee_ap_operating_point point = {.threshold = detection->threshold,
                                 .min_score = detection->min_score,
                                 .range = parameters->ranges[0],
                                 .limit = parameters->limits[parameters->limit_count - 1],
                                 .use_categories = parameters->use_categories};
  const ee_detection_set *set = s->set;
  size_t classes = parameters->use_categories ? set->classes.count : 1;
  ee_ap_counts *counts = EE_NEW_ARRAY(&s->work, ee_ap_counts, classes);
  ee_ap_explain(&(ee_ap_input){set->objects.items, set->objects.count, set->detections.items, set->detections.count,
                               set->image_ends.count, set->classes.count},
                &point, &s->scratch, &(ee_ap_explanation){NULL, NULL, NULL, counts});
  s->tp = s->fp = s->fn = 0;
  for (size_t k = 0; k < classes; k++) {
    s->tp += counts[k].tp;
    s->fp += counts[k].fp;
    s->fn += counts[k].fn;
  }
}

static void count_classes(summing *s) {
  const ee_detection_set *set = s->set;
  s->objects_of = EE_NEW_ARRAY(&s->work, uint64_t, set->classes.count);
  s->detections_of = EE_NEW_ARRAY(&s->work, uint64_t, set->classes.count);
  for (size_t i = 0; i < set->objects.count; i++)
    s->objects_of[set->objects.items[i].category] +=
        ee_detection_countable(&set->objects.items[i], s->detection->parameters.ranges[0]);
  for (size_t i = 0; i < set->detections.count; i++) s->detections_of[set->detections.items[i].category]++;
}

/* Average precision ---------------------------------------------------------------------------- */

/* Removes detections of classes without objects: no mean includes them. */
static void drop_unknown_classes(summing *s) {
  ee_detection_set *set = s->set;
  if (s->evaluated == set->classes.count) return;
  size_t kept = 0;
  for (size_t i = 0; i < set->detections.count; i++) {
    set->detections.items[kept] = set->detections.items[i];
    kept += set->detections.items[i].category < s->evaluated;
  }
  set->detections.count = kept;
}

static void evaluate(summing *s) {
  const ee_detection_set *set = s->set;
  bool classless = !s->detection->parameters.use_categories;
  if (count_of(s, EE_DETECTION_UNSCORED) > 0) return;
  if (!classless && s->evaluated > CLASS_LIMIT) {
    ee_buffer_addf(&s->notes.text, "the objects have %zu classes, more than %d: no average precision", s->evaluated,
                   CLASS_LIMIT);
    end_note(&s->notes);
    return;
  }
  drop_unknown_classes(s);
  ee_ap_evaluate(&(ee_ap_input){set->objects.items, set->objects.count, set->detections.items, set->detections.count,
                                set->image_ends.count, s->evaluated},
                 &s->detection->parameters, &s->work, &s->scratch, &s->result);
  s->has_ap = true;
}

static bool has_coco_limit(const ee_ap_parameters *parameters) {
  for (size_t i = 0; i < parameters->limit_count; i++)
    if (parameters->limits[i] == COCO_LIMIT) return true;
  return false;
}

/* The index of a threshold, or -1. */
static long threshold_index(const ee_ap_parameters *parameters, double threshold) {
  for (size_t i = 0; i < parameters->threshold_count; i++)
    if (parameters->thresholds[i] == threshold) return (long)i;
  return -1;
}

/* Figures -------------------------------------------------------------------------------------- */

/* A share; -1 and NaN are undefined. */
static void add_share(summing *s, const char *name, double value) {
  s->metrics[s->summary->metric_count++] = ee_corpus_share(name, value >= 0, value);
}

static void add_number(summing *s, const char *name, uint64_t count) {
  s->metrics[s->summary->metric_count++] = ee_corpus_count(name, count);
}

/* AP, AP50, AP75, APs, APm, APl; AR for each limit; ARs, ARm, ARl. */
static void add_averages(summing *s) {
  enum { AP, AP_RANGES = 6, AR_LAST = 8 };
  const ee_ap_parameters *parameters = &s->detection->parameters;
  double twelve[EE_AP_TWELVE];
  size_t last = parameters->limit_count - 1;
  for (size_t i = 0; i < EE_AP_TWELVE; i++) twelve[i] = -1;
  if (s->has_ap) ee_ap_twelve(&s->result, &s->scratch, twelve);
  if (!s->detection->corrected && !has_coco_limit(parameters)) twelve[AP] = -1;
  for (size_t i = 0; i < AP_RANGES; i++) add_share(s, ee_ap_names[i], twelve[i]);
  for (size_t m = 0; m <= last; m++) {
    double value = s->has_ap ? ee_ap_mean_recall(&s->result, EE_AP_ALL, EE_AP_ALL, 0, m, &s->scratch) : -1;
    add_share(s, ee_arena_printf(s->arena, "AR%u", parameters->limits[m]), value);
  }
  for (size_t i = AR_LAST + 1; i < EE_AP_TWELVE; i++) add_share(s, ee_ap_names[i], twelve[i]);
}

/* Without ties both are the AP, so that a gate on AP_low works for all data. */
static void add_ties(summing *s, double ap) {
  double range[2] = {ap, ap};
  bool any = ap >= 0 && s->result.tied > 0;
  if (any) ee_ap_tie_range(&s->result, &s->scratch, range);
  add_share(s, "AP_low", range[0]);
  add_share(s, "AP_high", range[1]);
  if (!any || range[0] == range[1]) return;
  note_count(&s->notes, s->result.tied, "detection");
  ee_buffer_addf(&s->notes.text, " with equal scores in their class: AP would be about ");
  note_number(&s->notes, range[0], 3);
  ee_buffer_add_text(&s->notes.text, " with the false ones of these first, about ");
  note_number(&s->notes, range[1], 3);
  ee_buffer_add_text(&s->notes.text,
                     " with the true ones first (an estimate: the matches within an image are not changed)");
  end_note(&s->notes);
}

static void add_metrics(summing *s) {
  const ee_counts counts = {.tp = s->tp, .fp = s->fp, .fn = s->fn};
  const ee_detection_set *set = s->set;
  ee_metric precision = ee_precision(&counts), recall = ee_recall(&counts), f1 = ee_f1(&counts);
  s->metrics = EE_NEW_ARRAY(s->arena, ee_corpus_metric,
                            EE_AP_TWELVE + s->detection->parameters.limit_count + EE_DETECTION_COUNTERS + 12);
  s->summary->metrics = s->metrics;
  add_averages(s);
  add_ties(s, s->metrics[0].defined ? s->metrics[0].value : -1);
  add_share(s, "precision", precision.defined ? precision.value : -1);
  add_share(s, "recall", recall.defined ? recall.value : -1);
  add_share(s, "F1", f1.defined ? f1.value : -1);
  uint64_t objects = 0, detections = 0;
  for (size_t k = 0; k < set->classes.count; k++) {
    objects += s->objects_of[k];
    detections += s->detections_of[k];
  }
  add_number(s, "images",
             set->image_ends.count - count_of(s, EE_DETECTION_UNREAD) - count_of(s, EE_DETECTION_TOO_MUCH));
  add_number(s, "objects", objects);
  add_number(s, "crowds", count_of(s, EE_DETECTION_CROWDS));
  add_number(s, "detections", detections);
  add_number(s, "tp", s->tp);
  add_number(s, "fp", s->fp);
  add_number(s, "fn", s->fn);
  static const struct {
    const char *name;
    ee_detection_counter counter;
  } names[] = {{"duplicates", EE_DETECTION_DUPLICATE},
               {"wrong_class", EE_DETECTION_WRONG_CLASS},
               {"poor_localisation", EE_DETECTION_POOR_PLACE},
               {"background", EE_DETECTION_BACKGROUND},
               {"ignored", EE_DETECTION_IGNORED},
               {"dropped", EE_DETECTION_DROPPED},
               {"low_score", EE_DETECTION_LOW_SCORE},
               {"without_score", EE_DETECTION_UNSCORED},
               {"bad_objects", EE_DETECTION_BAD_OBJECTS},
               {"bad_detections", EE_DETECTION_BAD_DETECTIONS}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) add_number(s, names[i].name, count_of(s, names[i].counter));
  add_number(s, "tied", s->has_ap ? s->result.tied : 0);
}

/* Rows ----------------------------------------------------------------------------------------- */

enum { COLUMN_AP, COLUMN_AP50, COLUMN_AP75, COLUMN_AR, COLUMN_OBJECTS, COLUMN_DETECTIONS, COLUMNS };

typedef struct ranked_row {
  double ap; /* -1: undefined */
  size_t rank;
} ranked_row;

/* Worst AP first, undefined ones last. */
static bool rows_before(const ranked_row *a, const ranked_row *b) {
  if ((a->ap < 0) != (b->ap < 0)) return b->ap < 0;
  if (a->ap != b->ap) return a->ap < b->ap;
  return a->rank < b->rank;
}
EE_DEFINE_SORT(sort_rows, ranked_row, rows_before)

static ee_corpus_metric share_cell(const char *name, double value) { return ee_corpus_share(name, value >= 0, value); }

/* The mean precision of a class at one threshold or all; -1: undefined. */
static double class_precision(summing *s, long threshold, bool known, size_t rank) {
  if (!s->has_ap || !known || rank >= s->evaluated) return -1;
  return ee_ap_mean_precision(&s->result, threshold, (long)rank, 0, s->detection->parameters.limit_count - 1,
                              &s->scratch);
}

static const ee_corpus_metric *make_row(summing *s, size_t rank, const char *const *columns, double ap) {
  const ee_ap_parameters *parameters = &s->detection->parameters;
  long at_50 = threshold_index(parameters, 0.5), at_75 = threshold_index(parameters, 0.75);
  ee_corpus_metric *values = EE_NEW_ARRAY(s->arena, ee_corpus_metric, COLUMNS);
  double recall = -1;
  if (s->has_ap && rank < s->evaluated)
    recall = ee_ap_mean_recall(&s->result, EE_AP_ALL, (long)rank, 0, parameters->limit_count - 1, &s->scratch);
  values[COLUMN_AP] = share_cell(columns[COLUMN_AP], ap);
  values[COLUMN_AP50] = share_cell(columns[COLUMN_AP50], class_precision(s, at_50, at_50 >= 0, rank));
  values[COLUMN_AP75] = share_cell(columns[COLUMN_AP75], class_precision(s, at_75, at_75 >= 0, rank));
  values[COLUMN_AR] = share_cell(columns[COLUMN_AR], recall);
  values[COLUMN_OBJECTS] = ee_corpus_count(columns[COLUMN_OBJECTS], s->objects_of[rank]);
  values[COLUMN_DETECTIONS] = ee_corpus_count(columns[COLUMN_DETECTIONS], s->detections_of[rank]);
  return values;
}

/* A row per class; none with classes = false. */
static void add_rows(summing *s) {
  const ee_detection_set *set = s->set;
  const ee_ap_parameters *parameters = &s->detection->parameters;
  if (!parameters->use_categories) return;
  const char **columns = EE_NEW_ARRAY(s->arena, const char *, COLUMNS);
  columns[COLUMN_AP] = "AP";
  columns[COLUMN_AP50] = "AP50";
  columns[COLUMN_AP75] = "AP75";
  columns[COLUMN_AR] = ee_arena_printf(s->arena, "AR%u", parameters->limits[parameters->limit_count - 1]);
  columns[COLUMN_OBJECTS] = "objects";
  columns[COLUMN_DETECTIONS] = "detections";
  ranked_row *ranked = EE_NEW_ARRAY(&s->work, ranked_row, set->classes.count);
  for (size_t k = 0; k < set->classes.count; k++) ranked[k] = (ranked_row){class_precision(s, EE_AP_ALL, true, k), k};
  sort_rows(ranked, set->classes.count, &s->scratch);
  ee_corpus_row *rows = EE_NEW_ARRAY(s->arena, ee_corpus_row, set->classes.count);
  for (size_t i = 0; i < set->classes.count; i++) {
    ee_str name = set->classes.items[s->class_order[ranked[i].rank]].name;
    rows[i].name = (ee_str){ee_arena_copy(s->arena, name.data, name.length), name.length};
    rows[i].values = make_row(s, ranked[i].rank, columns, ranked[i].ap);
  }
  s->summary->row_title = "class";
  s->summary->columns = columns;
  s->summary->column_count = COLUMNS;
  s->summary->rows = rows;
  s->summary->row_count = set->classes.count;
}

/* Notes ---------------------------------------------------------------------------------------- */

/* Ends the note with the first images of a counter. */
static void end_counted(summing *s, ee_detection_counter counter) {
  const struct ee_image_counter *count = &s->set->counts[counter];
  note_images(&s->notes, s->set, count->images, count->image_count);
  end_note(&s->notes);
}

/* "12 detections TEXT (first in 'a')"; nothing for a count of 0. */
static void note_counter(summing *s, ee_detection_counter counter, const char *noun, const char *text) {
  if (count_of(s, counter) == 0) return;
  note_count(&s->notes, count_of(s, counter), noun);
  ee_buffer_addf(&s->notes.text, " %s", text);
  end_counted(s, counter);
}

/* Notes on bad items, which have no metrics or misleading ones. */
static void note_bad_items(summing *s) {
  uint64_t unscored = count_of(s, EE_DETECTION_UNSCORED);
  note_data_mistakes(s->set, &s->notes, &s->scratch);
  note_counter(s, EE_DETECTION_UNREAD, "record", "without an array of objects, excluded from all metrics");
  note_counter(s, EE_DETECTION_TOO_MUCH, "record",
               "with too many objects and detections to compare, excluded from all metrics");
  if (unscored > 0) {
    note_count(&s->notes, unscored, "detection");
    ee_buffer_add_text(&s->notes.text,
                       unscored == 1 ? " has no score: no average precision" : " have no score: no average precision");
    end_counted(s, EE_DETECTION_UNSCORED);
  }
  note_counter(s, EE_DETECTION_BAD_OBJECTS, "object", "without a usable box, which no detection can match");
  note_counter(s, EE_DETECTION_BAD_DETECTIONS, "detection", "without a usable box");
}

/* Notes on corrections that were made, or on defects of COCO's evaluator that had an effect. */
static void note_mode(summing *s) {
  const ee_ap_parameters *parameters = &s->detection->parameters;
  bool corrected = s->detection->corrected;
  ee_buffer *text = &s->notes.text;
  note_counter(s, EE_DETECTION_MARKED, "object",
               corrected
                   ? "marked 'ignore' (corrected: not counted)"
                   : "marked 'ignore', which has no effect in COCO's evaluator (mode = \"corrected\" honours it)");
  if (s->duplicate_ids > 0) {
    note_count(&s->notes, s->duplicate_ids, "object");
    ee_buffer_add_text(
        text, corrected ? " with the same id as a later object (corrected: kept apart)"
                        : " with the same id as a later object (by the order of images, then of the "
                          "array), which is used in place of each; COCO's evaluator uses the order of its file "
                          "(mode = \"corrected\" keeps them apart)");
    note_images(&s->notes, s->set, s->duplicate_images, s->duplicate_image_count);
    end_note(&s->notes);
  }
  note_counter(s, EE_DETECTION_ID_ZERO, "object",
               corrected ? "with the id 0 (corrected: can be found)"
                         : "with the id 0: COCO's evaluator counts detections of such an object as false (mode = "
                           "\"corrected\" does not)");
  if (!has_coco_limit(parameters)) {
    unsigned last = parameters->limits[parameters->limit_count - 1];
    if (corrected)
      ee_buffer_addf(text, "max_detections without 100 (corrected: AP at the largest one, %u)", last);
    else
      ee_buffer_add_text(
          text, "max_detections without 100: COCO's evaluator gives no AP then (mode = \"corrected\" gives it at the "
                "largest one)");
    end_note(&s->notes);
  }
  if (corrected && s->set->detections.count == 0 && s->set->objects.count > 0) {
    ee_buffer_add_text(text,
                       "no detections at all (corrected: metrics are 0, where COCO's evaluator ends with an error)");
    end_note(&s->notes);
  }
}

static void note_fates(summing *s) {
  const ee_detection *detection = s->detection;
  const ee_ap_parameters *parameters = &detection->parameters;
  char threshold[32], score[32];
  ee_double_format_short(detection->threshold, 6, threshold);
  ee_double_format_short(fmax(detection->min_score, -1e300), 6, score);
  unsigned last = parameters->limits[parameters->limit_count - 1];
  note_counter(s, EE_DETECTION_MISSED, "object", "missed");
  note_counter(s, EE_DETECTION_WRONG_CLASS, "false detection", "on an object of another class");
  note_counter(s, EE_DETECTION_POOR_PLACE, "false detection",
               ee_arena_printf(s->arena, "poorly localised: IoU from 0.1 to below %s", threshold));
  note_counter(s, EE_DETECTION_DUPLICATE, "false detection", "of an object that a better detection found (duplicates)");
  note_counter(s, EE_DETECTION_BACKGROUND, "false detection", "on background");
  note_counter(s, EE_DETECTION_OUTSIDE, "object", "with an area outside the range, not counted");
  note_counter(s, EE_DETECTION_IGNORED, "detection",
               "not counted: on crowds or ignored objects, or with an area outside the range");
  note_counter(s, EE_DETECTION_LOW_SCORE, "detection",
               ee_arena_printf(s->arena, "below min_score = %s, counted in average precision only", score));
  note_counter(s, EE_DETECTION_DROPPED, "detection",
               ee_arena_printf(s->arena, "dropped: beyond max_detections = %u in the image%s", last,
                               parameters->use_categories ? " and class" : ""));
}

/* The whole ------------------------------------------------------------------------------------ */

static void detection_finish(const ee_judge *judge, void *corpus_part, ee_arena *arena, ee_corpus_summary *summary) {
  summing s = {
      .detection = judge->data, .set = corpus_part, .arena = arena, .summary = summary, .notes = {.arena = arena}};
  *summary = (ee_corpus_summary){0};
  ee_arena_init(&s.work, 0);
  ee_arena_init(&s.scratch, 0);
  ee_buffer_init(&s.notes.text);
  ee_detection_set_sort(s.set);
  note_bad_items(&s);
  uint32_t *last = NULL;
  if (s.set->object_ids.count > 0) {
    last = ee_arena_alloc(&s.work, s.set->objects.count * sizeof *last);
    find_duplicate_ids(&s, last);
  }
  note_mode(&s);
  rank_classes(&s);
  if (s.duplicate_ids > 0 && !s.detection->corrected) replace_objects(&s, last);
  count_matches(&s);
  count_classes(&s);
  evaluate(&s);
  add_metrics(&s);
  add_rows(&s);
  note_fates(&s);
  summary->notes = s.notes.items;
  summary->note_count = s.notes.count;
  ee_buffer_fini(&s.notes.text);
  ee_arena_fini(&s.scratch);
  ee_arena_fini(&s.work);
}

const ee_corpus_type ee_detection_corpus = {.gate_metrics = gate_metrics,
                                            .lacks = detection_lacks,
                                            .open = ee_detection_set_open,
                                            .close = ee_detection_set_close,
                                            .clear = ee_detection_set_clear,
                                            .add = ee_detection_set_add,
                                            .merge = ee_detection_set_merge,
                                            .state = ee_detection_set_state,
                                            .finish = detection_finish};
