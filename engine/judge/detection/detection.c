/* detection.c: one image: which objects were found, what every other detection is, and the F1 of it.
 *
 * Matching is COCO's (prim/average_precision.h) at one threshold. Images are matched apart from each other there too,
 * so what is found here adds up to what the whole data set gives. */
#include "judge/detection/detection.h"

#include <math.h>

#include "judge/details.h"
#include "judge/findings.h"
#include "prim/geometry.h"
#include "prim/number.h"
#include "prim/sort.h"

/* Hits, and misses, that are listed one by one; all are counted. */
#define FINDINGS_SHOWN EE_DETAILS_SHOWN
#define ALL_CLASSES "(all)"

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
  size_t hits_left_out, misses_left_out;
} judged_image;

static ee_box box_of(const double box[4]) { return ee_box_from_xywh(box); }
static bool is_usable(const double box[4]) { return box[2] >= 0 && box[3] >= 0; }

static double overlap_of(const double a[4], const double b[4]) {
  return is_usable(a) && is_usable(b) ? ee_iou(box_of(a), box_of(b)) : 0;
}

/* Order without scores ------------------------------------------------------------------------- */

/* A detection in the order in which it may choose. */
typedef struct turn {
  bool scored;
  double key; /* the score, or the best overlap with an object of its class */
  const double *box;
  uint32_t index;
} turn;

static bool turns_before(const turn *a, const turn *b) {
  if (a->scored != b->scored) return a->scored;
  if (a->key != b->key) return a->key > b->key;
  /* Of equal scores the first in the list chooses first, as COCO has it; where there are none, the order of the list is
   * to decide nothing. */
  if (a->scored) return false;
  for (size_t i = 0; i < 4; i++)
    if (a->box[i] != b->box[i]) return a->box[i] < b->box[i];
  return false;
}
EE_DEFINE_SORT(sort_turns, turn, turns_before)

static double best_overlap(const judged_image *j, const ee_ap_detection *detection) {
  double best = 0;
  for (size_t i = 0; i < j->image->object_count; i++) {
    const ee_ap_object *object = &j->image->objects[i];
    if (j->detection->parameters.use_categories && object->category != detection->category) continue;
    best = fmax(best, overlap_of(detection->box, object->box));
  }
  return best;
}

/* The detections with scores that give the order in which they choose: by score, and behind those the ones without a
 * score by their best overlap. Scores below `min_score` become negative, all others are not. */
static const ee_ap_detection *give_turns(const judged_image *j, double min_score) {
  const ee_detection_case *image = j->image;
  size_t count = image->detection_count;
  ee_ap_detection *copies = ee_arena_alloc(j->arena, count * sizeof *copies);
  turn *turns = EE_NEW_ARRAY(j->arena, turn, count);
  for (size_t i = 0; i < count; i++) {
    const ee_ap_detection *detection = &image->detections[i];
    bool scored = !image->unscored[i];
    copies[i] = *detection;
    turns[i] = (turn){scored, scored ? detection->score : best_overlap(j, detection), detection->box, (uint32_t)i};
  }
  sort_turns(turns, count, j->arena);
  for (size_t i = 0; i < count; i++) {
    bool low = turns[i].scored && turns[i].key < min_score;
    copies[turns[i].index].score = low ? -1 : (double)(count - i);
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
    detections = give_turns(j, detection->min_score);
    point.min_score = 0;
  }
  j->fates = ee_arena_alloc(j->arena, image->detection_count * sizeof *j->fates);
  j->found = EE_NEW_ARRAY(j->arena, bool, image->object_count);
  j->takers = ee_arena_alloc(j->arena, image->object_count * sizeof *j->takers);
  j->class_count = parameters->use_categories ? image->class_count : 1;
  j->counts = EE_NEW_ARRAY(j->arena, ee_ap_counts, j->class_count);
  ee_ap_explain(image->objects, image->object_count, detections, image->detection_count, 1, image->class_count, &point,
                j->arena, j->fates, j->found, j->takers, j->counts);
}

/* A class and where it stood. */
typedef struct placed_class {
  const ee_detection_class *class;
  uint32_t place;
} placed_class;

static bool classes_before(const placed_class *a, const placed_class *b) {
  return ee_detection_compare_classes(a->class, b->class) < 0;
}
EE_DEFINE_SORT(sort_placed, placed_class, classes_before)

/* Where all classes are one, equal scores choose in the order of their classes: the image's classes are put into the
 * order that they have in the whole. */
static void sort_classes(ee_detection_case *image, ee_arena *arena) {
  size_t count = image->class_count;
  placed_class *placed = EE_NEW_ARRAY(arena, placed_class, count);
  uint32_t *places = EE_NEW_ARRAY(arena, uint32_t, count);
  ee_detection_class *sorted = ee_arena_alloc(arena, count * sizeof *sorted);
  for (size_t i = 0; i < count; i++) placed[i] = (placed_class){&image->classes[i], (uint32_t)i};
  sort_placed(placed, count, arena);
  for (size_t i = 0; i < count; i++) {
    sorted[i] = *placed[i].class;
    places[placed[i].place] = (uint32_t)i;
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
  if (j->findings.hit_count == FINDINGS_SHOWN) {
    j->hits_left_out++;
    return;
  }
  ee_finding hit = {.path = place_of(j, "", index, j->image->objects[index].category), .row = EE_NO_ROW};
  ee_findings_hit(&j->findings, &hit);
}

/* The next miss has room in the list; counts it where not. */
static bool has_room(judged_image *j) {
  if (j->findings.miss_count < FINDINGS_SHOWN) return true;
  j->misses_left_out++;
  return false;
}

static ee_reason text_reason(const char *text) {
  return (ee_reason){.kind = EE_REASON_TEXT, .text = ee_str_from(text)};
}

static void add_missed(judged_image *j, size_t index) {
  if (!has_room(j)) return;
  const char **troubles = j->image->object_troubles;
  const char *reason = troubles != NULL && troubles[index] != NULL ? troubles[index] : "missed";
  ee_findings_note(&j->findings, place_of(j, "", index, j->image->objects[index].category), text_reason(reason));
}

/* The object of another class that the detection overlaps most, or of its own class. */
static const ee_ap_object *nearest(const judged_image *j, const ee_ap_detection *detection, bool same_class,
                                   double *overlap) {
  const ee_ap_object *found = NULL;
  *overlap = -1;
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
  char figure[32];
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
    ee_double_format_short(overlap, 6, figure);
    return text_reason(ee_arena_printf(j->arena, "poor localisation: IoU %s", figure));
  default: return EE_REASON_OF("background");
  }
}

/* A detection that is false, or that has no usable box. */
static void add_false(judged_image *j, size_t index) {
  const char **troubles = j->image->detection_troubles;
  const char *trouble = troubles != NULL ? troubles[index] : NULL;
  if ((j->fates[index] < EE_AP_DUPLICATE && trouble == NULL) || !has_room(j)) return;
  ee_reason reason = trouble != NULL ? text_reason(trouble) : reason_of_fate(j, index);
  ee_findings_note(&j->findings, place_of(j, "det ", index, j->image->detections[index].category), reason);
}

static void list_findings(judged_image *j) {
  const ee_detection_case *image = j->image;
  ee_ap_range range = j->detection->parameters.ranges[0];
  for (size_t i = 0; i < image->object_count; i++) {
    const ee_ap_object *object = &image->objects[i];
    if (j->found[i])
      add_hit(j, i);
    else if (ee_detection_countable(object, range))
      add_missed(j, i);
    else
      j->image->counts[EE_DETECTION_OUTSIDE] += !object->crowd && !object->ignored;
  }
  for (size_t i = 0; i < image->detection_count; i++) add_false(j, i);
  if (j->hits_left_out > 0) {
    ee_finding more = {.path = ee_str_from(ee_arena_printf(j->arena, "%zu more", j->hits_left_out)), .row = EE_NO_ROW};
    ee_findings_hit(&j->findings, &more);
  }
  if (j->misses_left_out > 0) {
    const char *more = ee_arena_printf(j->arena, "%zu more", j->misses_left_out);
    ee_findings_note(&j->findings, ee_str_from(more), (ee_reason){.kind = EE_REASON_NONE});
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
    /* What stands where an object is, and is wrong, is a wrong value; what stands nowhere is invented. */
    if (fate != EE_AP_WRONG_CLASS && fate != EE_AP_POOR_PLACE) continue;
    attributes[j->class_count > 1 ? image->detections[i].category : 0].counts.wrong++;
  }
  for (size_t k = 0; k < j->class_count; k++) image->counts[EE_DETECTION_MISSED] += j->counts[k].fn;
}

static void set_attributes(judged_image *j, ee_judge_result *result) {
  bool one = !j->detection->parameters.use_categories;
  ee_attribute_result *attributes = EE_NEW_ARRAY(j->arena, ee_attribute_result, j->class_count);
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
  static const char found[] = " objects found, ", wrong[] = " false detections";
  char *text = ee_arena_alloc(j->arena, 3 * 20 + 1 + sizeof found + sizeof wrong);
  char *out = ee_findings_number(text, counts->tp);
  *out++ = '/';
  out = ee_findings_number(out, counts->tp + counts->fn);
  out = (char *)memcpy(out, found, sizeof found - 1) + sizeof found - 1;
  out = ee_findings_number(out, counts->fp);
  size_t length = sizeof wrong - 1 - (counts->fp == 1); /* without the s */
  out = (char *)memcpy(out, wrong, length) + length;
  return (ee_str){text, (size_t)(out - text)};
}

/* What found what, for the row. */
static const ee_value *details_of(const judged_image *j, const ee_judge_result *result) {
  const ee_detection_case *image = j->image;
  ee_details details;
  ee_details_start(&details, j->arena, result);
  ee_value *pairs = ee_value_new(j->arena, EE_ARRAY);
  uint32_t shown = 0;
  for (size_t i = 0; i < image->object_count; i++) {
    if (!j->found[i]) continue;
    if (!ee_details_have_room(&details, shown++)) break;
    const ee_ap_object *object = &image->objects[i];
    ee_value *pair = ee_value_new(j->arena, EE_OBJECT);
    ee_details_set_number(&details, pair, "expected", (double)i);
    ee_details_set_number(&details, pair, "candidate", j->takers[i]);
    ee_details_set_number(&details, pair, "iou", overlap_of(image->detections[j->takers[i]].box, object->box));
    ee_details_set(&details, pair, "category", ee_value_new_string(j->arena, image->classes[object->category].name));
    ee_value_append(pairs, pair);
  }
  ee_details_set(&details, details.tree, "pairs", pairs);
  if (j->misses_left_out > 0) details.truncated = true;
  return ee_details_finish(&details, result);
}

/* The judge ------------------------------------------------------------------------------------ */

/* The list of one document; NULL for an empty value, and for what is no list, where `*wrong` becomes true. */
static const ee_value *find_list(const ee_detection *detection, const ee_value *document, ee_arena *arena,
                                 bool *wrong) {
  if (detection->path != NULL) document = ee_path_get(detection->path, document, arena);
  if (ee_type_of(document) == EE_ARRAY) return document;
  *wrong = !ee_value_is_empty(document, &detection->empty);
  return NULL;
}

/* Whether the image takes more comparisons than it may: every detection that may choose is compared with all objects,
 * and so is beforehand each one without a score. */
static bool is_too_much(const ee_detection *detection, const ee_detection_case *image) {
  const ee_ap_parameters *parameters = &detection->parameters;
  if (image->object_count == 0) return false;
  size_t classes = parameters->use_categories ? image->class_count : 1;
  size_t choosing = image->detection_count, limit = parameters->limits[parameters->limit_count - 1];
  if (choosing / limit >= classes) choosing = limit * classes;
  size_t compared = choosing + (size_t)image->counts[EE_DETECTION_UNSCORED];
  return compared > detection->pair_limit / image->object_count;
}

/* An image that is in no figure, and why. */
static void fail_image(judged_image *j, ee_detection_counter counter, const char *reasoning, ee_reason reason,
                       ee_judge_result *result) {
  *j->image = (ee_detection_case){.object_count = 0};
  j->image->counts[counter] = 1;
  result->failed = true;
  result->reasoning = ee_str_from(reasoning);
  ee_findings_note(&j->findings, EE_STR("expected"), reason);
  ee_findings_finish(&j->findings, result);
}

static void detection_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_case *current = context->current;
  judged_image *j = EE_NEW(context->arena, judged_image);
  j->detection = judge->data;
  j->arena = context->arena;
  j->image = EE_NEW(j->arena, ee_detection_case);
  ee_findings_start(&j->findings, j->arena, 8);
  result->corpus_part = j->image;
  bool no_objects = false, no_detections = false;
  const ee_value *objects = find_list(j->detection, current->expected, j->arena, &no_objects);
  const ee_value *detections = find_list(j->detection, current->candidate, j->arena, &no_detections);
  if (no_objects) {
    fail_image(j, EE_DETECTION_UNREAD, "no list of objects", EE_REASON_OF("not a list"), result);
    return;
  }
  bool no_candidate = current->candidate_state != EE_CANDIDATE_READ;
  if (no_candidate) ee_findings_no_candidate(&j->findings, current->candidate_state);
  if (no_detections) ee_findings_note(&j->findings, EE_STR("candidate"), EE_REASON_OF("not a list"));
  ee_detection_read(j->detection, objects, detections, j->arena, j->image);
  if (is_too_much(j->detection, j->image)) {
    const char *text = ee_arena_printf(j->arena, "too many objects and detections: more than %zu comparisons",
                                       j->detection->pair_limit);
    fail_image(j, EE_DETECTION_TOO_MUCH, "too many objects and detections", text_reason(text), result);
    return;
  }
  if (!j->detection->parameters.use_categories) sort_classes(j->image, j->arena);
  match(j);
  set_attributes(j, result);
  list_findings(j);
  ee_counts pooled = {0};
  for (size_t k = 0; k < result->attribute_count; k++) ee_counts_add(&pooled, &result->attributes[k].counts);
  ee_metric f1 = ee_f1_ranked(&pooled);
  bool nothing = no_candidate || no_detections; /* nothing that could be judged, and not merely an empty list */
  result->vacuous = !f1.defined && !nothing;
  result->score = f1.defined ? f1.value : result->vacuous ? 1 : 0;
  result->reasoning = reasoning(j, &pooled);
  result->details = details_of(j, result);
  ee_findings_finish(&j->findings, result);
}

const ee_judge_type ee_detection_judge = {
    .name = "detection",
    .help =
        "Boxes with classes and scores: F1 of each image, and over the data set average precision as COCO defines it.",
    .description =
        "Each case is an image: the expected list holds objects { bbox, category, area, iscrowd }, the "
        "candidate list detections "
        "{ bbox, category, score }; a path as first value names the lists inside both documents. Matching "
        "is COCO's: in an image "
        "and class, by falling score, a detection takes the free object that it overlaps most, at least by "
        "the threshold (of equal "
        "overlaps the last object); the overlap with a crowd is the intersection over the detection's area, "
        "and what finds a crowd "
        "counts nowhere. A case's score is the F1 of its image at 'threshold', of the detections from "
        "min_score on; 1 and vacuous "
        "when nothing is there on both sides. Detections without a score choose behind the others, by their "
        "best overlap. "
        "Over the data set: AP (mean over thresholds and classes of the precision at 101 recall points), "
        "AP50, AP75, AP of small, "
        "medium and large objects (APs, APm, APl), AR for each of max_detections, ARs, ARm, ARl; precision, "
        "recall and F1 at "
        "'threshold'; classes with the worst AP first; and notes that say how many detections were dropped "
        "by max_detections, have "
        "a low score, are duplicates, have the wrong class, are poorly localised (overlap of their class "
        "from 0.1 on, below the "
        "threshold) or overlap nothing, with the first images that have them. Objects are sorted into area "
        "ranges by their area, "
        "detections by width * height; both limits are inclusive. A class without countable objects is in "
        "no mean. Images stand in "
        "the order of their ids, whole numbers by value and before texts, which decides between equal "
        "scores; where scores are equal, "
        "AP_low and AP_high estimate AP with, in each class, the false ones of a score before the true ones, "
        "and the true before the false (what finds what in an image is left as it is; without ties both are "
        "AP). Items whose box is not four "
        "finite numbers are missed "
        "objects and false detections; boxes of a negative size overlap nothing. Where a detection has a box "
        "and no score there is no AP. mode = \"coco\" is "
        "pycocotools 2.0.11 to the last bit. mode = \"corrected\" honours 'ignore', keeps objects apart "
        "that share an id, takes "
        "what finds an object with the id 0 for true, and gives AP at the largest of max_detections where "
        "100 is not among them.",
    .options = ee_detection_options,
    .compile = ee_detection_compile,
    .judge_case = detection_judge_case,
    .corpus = &ee_detection_corpus,
    .print = ee_detection_print,
};
