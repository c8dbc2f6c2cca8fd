/* detection_figures.c: average precision, counts and notes of a whole data set. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "judge/detection/detection.h"
#include "prim/number.h"
#include "prim/sort.h"

/* COCO's evaluator gives AP at this limit only. */
#define COCO_LIMIT 100
/* Classes with objects, above which there is no average precision: of COCO's parameters each takes 100 KB. */
#define CLASS_LIMIT 5000

/* The whole while it is summed up. */
typedef struct summing {
  const ee_detection *detection;
  ee_detection_set *set;
  ee_arena *arena; /* of the summary */
  ee_arena work, scratch;
  ee_corpus_summary *summary;
  ee_corpus_metric *figures;
  ee_detection_notes notes;
  size_t duplicate_ids;
  uint32_t duplicate_images[EE_DETECTION_IDS_SHOWN];
  size_t duplicate_image_count;
  uint32_t *class_order;   /* [rank] class of the set */
  size_t evaluated;        /* classes with objects, which are the first ones in that order */
  uint64_t *objects_of;    /* [rank] that count */
  uint64_t *detections_of; /* [rank] */
  uint64_t tp, fp, fn;
  bool has_ap;
  ee_ap_result result;
} summing;

static uint64_t count_of(const summing *s, ee_detection_counter counter) { return s->set->counts[counter].count; }

/* Order ---------------------------------------------------------------------------------------- */

typedef struct placed {
  ee_str id;
  const ee_detection_class *class;
  int64_t number;
  bool numbered;
  uint32_t index;
} placed;

/* A whole number of at most 18 digits. */
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

static bool images_before(const placed *a, const placed *b) {
  if (a->numbered != b->numbered) return a->numbered;
  if (a->numbered && a->number != b->number) return a->number < b->number;
  return ee_str_compare(a->id, b->id) < 0;
}
EE_DEFINE_SORT(sort_images, placed, images_before)

/* Classes without objects last: no mean knows them. */
static bool classes_before(const placed *a, const placed *b) {
  if (a->numbered != b->numbered) return a->numbered;
  return ee_detection_compare_classes(a->class, b->class) < 0;
}
EE_DEFINE_SORT(sort_classes, placed, classes_before)

/* The place of each image by its id. */
static uint32_t *order_images(summing *s) {
  size_t count = s->set->image_count;
  placed *images = EE_NEW_ARRAY(&s->work, placed, count);
  uint32_t *places = EE_NEW_ARRAY(&s->work, uint32_t, count);
  for (size_t i = 0; i < count; i++) {
    images[i] = (placed){.id = ee_detection_image_id(s->set, i), .index = (uint32_t)i};
    images[i].numbered = read_whole(images[i].id, &images[i].number);
  }
  sort_images(images, count, &s->scratch);
  for (size_t i = 0; i < count; i++) places[images[i].index] = (uint32_t)i;
  return places;
}

/* Fills class_order, and returns the place of each class in it. */
static uint32_t *order_classes(summing *s) {
  size_t count = s->set->class_count;
  placed *classes = EE_NEW_ARRAY(&s->work, placed, count);
  uint32_t *places = EE_NEW_ARRAY(&s->work, uint32_t, count);
  for (size_t i = 0; i < count; i++) classes[i] = (placed){.class = &s->set->classes[i], .index = (uint32_t)i};
  bool classless = !s->detection->parameters.use_categories;
  for (size_t i = 0; i < s->set->object_count; i++) classes[s->set->objects[i].category].numbered = true;
  for (size_t i = 0; i < count; i++) classes[i].numbered = classes[i].numbered || classless;
  sort_classes(classes, count, &s->scratch);
  s->class_order = EE_NEW_ARRAY(&s->work, uint32_t, count);
  for (size_t i = 0; i < count; i++) {
    places[classes[i].index] = (uint32_t)i;
    s->class_order[i] = classes[i].index;
    s->evaluated += classes[i].numbered;
  }
  return places;
}

/* Puts the places of images and classes into objects and detections. */
static void place_all(summing *s) {
  ee_detection_set *set = s->set;
  const uint32_t *images = order_images(s), *classes = order_classes(s);
  for (size_t i = 0; i < set->object_count; i++) {
    set->objects[i].image = images[set->objects[i].image];
    set->objects[i].category = classes[set->objects[i].category];
  }
  for (size_t i = 0; i < set->detection_count; i++) {
    set->detections[i].image = images[set->detections[i].image];
    set->detections[i].category = classes[set->detections[i].category];
  }
}

/* Ids of objects ------------------------------------------------------------------------------- */

typedef struct identified {
  uint64_t id;
  uint32_t index;
} identified;

static bool ids_before(const identified *a, const identified *b) { return a->id < b->id; }
EE_DEFINE_SORT(sort_ids, identified, ids_before)

typedef struct seated {
  uint32_t image, index;
} seated;

static bool seats_before(const seated *a, const seated *b) { return a->image < b->image; }
EE_DEFINE_SORT(sort_seats, seated, seats_before)

/* COCO's evaluator keeps annotations by id and lists the ids by image: where an id stands twice, the last annotation is
 * read in the place of each. `last` has for each object the one that stands for it. */
static void replace_objects(summing *s, const uint32_t *last) {
  ee_detection_set *set = s->set;
  size_t count = set->object_count;
  seated *seats = ee_arena_alloc(&s->work, count * sizeof *seats);
  ee_ap_object *replaced = ee_arena_alloc(&s->work, count * sizeof *replaced);
  for (size_t i = 0; i < count; i++) seats[i] = (seated){set->objects[i].image, (uint32_t)i};
  sort_seats(seats, count, &s->scratch);
  for (size_t i = 0; i < count; i++) replaced[i] = set->objects[last[seats[i].index]];
  memcpy(set->objects, replaced, count * sizeof *replaced);
}

static void note_duplicate(summing *s, uint32_t image) {
  s->duplicate_ids++;
  size_t count = s->duplicate_image_count;
  if (count > 0 && s->duplicate_images[count - 1] == image) return;
  if (count < EE_DETECTION_IDS_SHOWN) s->duplicate_images[s->duplicate_image_count++] = image;
}

/* Finds objects that have the id of a later one; `last` gets one an object. Images are still those of the set. */
static void find_duplicate_ids(summing *s, uint32_t *last) {
  const ee_detection_set *set = s->set;
  identified *ids = ee_arena_alloc(&s->work, set->object_count * sizeof *ids);
  for (size_t i = 0; i < set->object_count; i++) {
    ids[i] = (identified){set->object_ids[i], (uint32_t)i};
    last[i] = (uint32_t)i;
  }
  sort_ids(ids, set->object_count, &s->scratch);
  for (size_t i = set->object_count; i-- > 1;) {
    if (ids[i - 1].id == ids[i].id && ids[i].id != 0) last[ids[i - 1].index] = last[ids[i].index];
  }
  for (size_t i = 0; i < set->object_count; i++)
    if (last[i] != i) note_duplicate(s, set->objects[i].image);
}

/* Counts --------------------------------------------------------------------------------------- */

/* Of the images by themselves, or of all together where objects stand for others. */
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
  size_t classes = parameters->use_categories ? set->class_count : 1;
  ee_ap_counts *counts = EE_NEW_ARRAY(&s->work, ee_ap_counts, classes);
  ee_ap_explain(set->objects, set->object_count, set->detections, set->detection_count, set->image_count,
                set->class_count, &point, &s->scratch, NULL, NULL, NULL, counts);
  s->tp = s->fp = s->fn = 0;
  for (size_t k = 0; k < classes; k++) {
    s->tp += counts[k].tp;
    s->fp += counts[k].fp;
    s->fn += counts[k].fn;
  }
}

static void count_classes(summing *s) {
  const ee_detection_set *set = s->set;
  s->objects_of = EE_NEW_ARRAY(&s->work, uint64_t, set->class_count);
  s->detections_of = EE_NEW_ARRAY(&s->work, uint64_t, set->class_count);
  for (size_t i = 0; i < set->object_count; i++)
    s->objects_of[set->objects[i].category] +=
        ee_detection_countable(&set->objects[i], s->detection->parameters.ranges[0]);
  for (size_t i = 0; i < set->detection_count; i++) s->detections_of[set->detections[i].category]++;
}

/* Average precision ---------------------------------------------------------------------------- */

/* Leaves out detections of classes that have no object: no mean knows these, however many the detections invent. */
static void drop_unknown_classes(summing *s) {
  ee_detection_set *set = s->set;
  if (s->evaluated == set->class_count) return;
  size_t kept = 0;
  for (size_t i = 0; i < set->detection_count; i++) {
    set->detections[kept] = set->detections[i];
    kept += set->detections[i].category < s->evaluated;
  }
  set->detection_count = kept;
}

static void evaluate(summing *s) {
  const ee_detection_set *set = s->set;
  bool classless = !s->detection->parameters.use_categories;
  if (count_of(s, EE_DETECTION_UNSCORED) > 0) return;
  if (!classless && s->evaluated > CLASS_LIMIT) {
    ee_buffer_addf(&s->notes.text, "the objects have %zu classes, more than %d: no average precision", s->evaluated,
                   CLASS_LIMIT);
    ee_detection_end_note(&s->notes);
    return;
  }
  drop_unknown_classes(s);
  ee_ap_evaluate(set->objects, set->object_count, set->detections, set->detection_count, set->image_count, s->evaluated,
                 &s->detection->parameters, &s->work, &s->scratch, &s->result);
  s->has_ap = true;
}

static bool has_coco_limit(const ee_ap_parameters *parameters) {
  for (size_t i = 0; i < parameters->limit_count; i++)
    if (parameters->limits[i] == COCO_LIMIT) return true;
  return false;
}

/* The index of a threshold; -1 when it is not among them. */
static long threshold_index(const ee_ap_parameters *parameters, double threshold) {
  for (size_t i = 0; i < parameters->threshold_count; i++)
    if (parameters->thresholds[i] == threshold) return (long)i;
  return -1;
}

/* Figures -------------------------------------------------------------------------------------- */

/* -1 and NaN are undefined. */
static void add_share(summing *s, const char *name, double value) {
  bool defined = value >= 0;
  s->figures[s->summary->metric_count++] =
      (ee_corpus_metric){.name = name, .defined = defined, .value = defined ? value : 0};
}

static void add_number(summing *s, const char *name, uint64_t count) {
  s->figures[s->summary->metric_count++] =
      (ee_corpus_metric){.name = name, .defined = true, .is_count = true, .value = (double)count};
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

/* Without ties both are the AP, so that a gate on them holds whenever one on the AP does. */
static void add_ties(summing *s, double ap) {
  double range[2] = {ap, ap};
  bool any = ap >= 0 && s->result.tied > 0;
  if (any) ee_ap_tie_range(&s->result, &s->scratch, range);
  add_share(s, "AP_low", range[0]);
  add_share(s, "AP_high", range[1]);
  if (!any || range[0] == range[1]) return;
  ee_detection_note_count(&s->notes, s->result.tied, "detection");
  ee_buffer_addf(&s->notes.text, " of equal scores in their class: AP would be about ");
  ee_detection_note_figure(&s->notes, range[0], 3);
  ee_buffer_add_text(&s->notes.text, " with the false ones of these first, about ");
  ee_detection_note_figure(&s->notes, range[1], 3);
  ee_buffer_add_text(&s->notes.text,
                     " with the true ones first (an estimate: what finds what in an image is left as it is)");
  ee_detection_end_note(&s->notes);
}

static void add_figures(summing *s) {
  const ee_counts counts = {.tp = s->tp, .fp = s->fp, .fn = s->fn};
  const ee_detection_set *set = s->set;
  ee_metric precision = ee_precision(&counts), recall = ee_recall(&counts), f1 = ee_f1(&counts);
  s->figures = EE_NEW_ARRAY(s->arena, ee_corpus_metric,
                            EE_AP_TWELVE + s->detection->parameters.limit_count + EE_DETECTION_COUNTERS + 12);
  s->summary->figures = s->figures;
  add_averages(s);
  add_ties(s, s->figures[0].defined ? s->figures[0].value : -1);
  add_share(s, "precision", precision.defined ? precision.value : -1);
  add_share(s, "recall", recall.defined ? recall.value : -1);
  add_share(s, "F1", f1.defined ? f1.value : -1);
  uint64_t objects = 0, detections = 0;
  for (size_t k = 0; k < set->class_count; k++) {
    objects += s->objects_of[k];
    detections += s->detections_of[k];
  }
  add_number(s, "images", set->image_count - count_of(s, EE_DETECTION_UNREAD) - count_of(s, EE_DETECTION_TOO_MUCH));
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

static ee_corpus_metric share_cell(const char *name, double value) {
  return (ee_corpus_metric){.name = name, .defined = value >= 0, .value = value >= 0 ? value : 0};
}

static ee_corpus_metric count_cell(const char *name, uint64_t count) {
  return (ee_corpus_metric){.name = name, .defined = true, .is_count = true, .value = (double)count};
}

/* Mean precision of a class at one threshold or all; -1 where there is none. */
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
  values[COLUMN_OBJECTS] = count_cell(columns[COLUMN_OBJECTS], s->objects_of[rank]);
  values[COLUMN_DETECTIONS] = count_cell(columns[COLUMN_DETECTIONS], s->detections_of[rank]);
  return values;
}

/* A line a class; none where all classes are one. */
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
  ranked_row *ranked = EE_NEW_ARRAY(&s->work, ranked_row, set->class_count);
  for (size_t k = 0; k < set->class_count; k++) ranked[k] = (ranked_row){class_precision(s, EE_AP_ALL, true, k), k};
  sort_rows(ranked, set->class_count, &s->scratch);
  ee_corpus_row *rows = EE_NEW_ARRAY(s->arena, ee_corpus_row, set->class_count);
  for (size_t i = 0; i < set->class_count; i++) {
    ee_str name = set->classes[s->class_order[ranked[i].rank]].name;
    rows[i].name = (ee_str){ee_arena_copy(s->arena, name.data, name.length), name.length};
    rows[i].values = make_row(s, ranked[i].rank, columns, ranked[i].ap);
  }
  s->summary->row_title = "class";
  s->summary->columns = columns;
  s->summary->column_count = COLUMNS;
  s->summary->rows = rows;
  s->summary->row_count = set->class_count;
}

/* Notes ---------------------------------------------------------------------------------------- */

/* Ends the note with the first images of a counter. */
static void end_counted(summing *s, ee_detection_counter counter) {
  const struct ee_detection_count *count = &s->set->counts[counter];
  ee_detection_note_images(&s->notes, s->set, count->images, count->image_count);
  ee_detection_end_note(&s->notes);
}

/* "12 detections TEXT (first in 'a')", nothing when there are none. */
static void note_counter(summing *s, ee_detection_counter counter, const char *noun, const char *text) {
  if (count_of(s, counter) == 0) return;
  ee_detection_note_count(&s->notes, count_of(s, counter), noun);
  ee_buffer_addf(&s->notes.text, " %s", text);
  end_counted(s, counter);
}

/* What has no figures, or wrong ones. */
static void note_troubles(summing *s) {
  uint64_t unscored = count_of(s, EE_DETECTION_UNSCORED);
  ee_detection_suspect(s->set, &s->notes, &s->scratch);
  note_counter(s, EE_DETECTION_UNREAD, "record", "without a list of objects, counted in no figure");
  note_counter(s, EE_DETECTION_TOO_MUCH, "record",
               "with too many objects and detections to compare, counted in no figure");
  if (unscored > 0) {
    ee_detection_note_count(&s->notes, unscored, "detection");
    ee_buffer_add_text(&s->notes.text,
                       unscored == 1 ? " has no score: no average precision" : " have no score: no average precision");
    end_counted(s, EE_DETECTION_UNSCORED);
  }
  note_counter(s, EE_DETECTION_BAD_OBJECTS, "object", "without a usable box, which nothing can find");
  note_counter(s, EE_DETECTION_BAD_DETECTIONS, "detection", "without a usable box");
}

/* The corrections that were made, or the defects of COCO's evaluator that had an effect. */
static void note_mode(summing *s) {
  const ee_ap_parameters *parameters = &s->detection->parameters;
  bool corrected = s->detection->corrected;
  ee_buffer *text = &s->notes.text;
  note_counter(s, EE_DETECTION_MARKED, "object",
               corrected
                   ? "marked 'ignore' (corrected: counted nowhere)"
                   : "marked 'ignore', which has no effect in COCO's evaluator (mode = \"corrected\" honours it)");
  if (s->duplicate_ids > 0) {
    ee_detection_note_count(&s->notes, s->duplicate_ids, "object");
    ee_buffer_add_text(text, corrected
                                 ? " with the id of a later one (corrected: kept apart)"
                                 : " with the id of a later one (by the order of images, then of the list), which "
                                   "is read in place of each; COCO's evaluator does so by the order of "
                                   "its file (mode = \"corrected\" keeps them apart)");
    ee_detection_note_images(&s->notes, s->set, s->duplicate_images, s->duplicate_image_count);
    ee_detection_end_note(&s->notes);
  }
  note_counter(s, EE_DETECTION_ID_ZERO, "object",
               corrected ? "with the id 0 (corrected: can be found)"
                         : "with the id 0: COCO's evaluator takes what finds such an object to be false (mode = "
                           "\"corrected\" does not)");
  if (!has_coco_limit(parameters)) {
    unsigned last = parameters->limits[parameters->limit_count - 1];
    if (corrected)
      ee_buffer_addf(text, "max_detections without 100 (corrected: AP at the largest one, %u)", last);
    else
      ee_buffer_add_text(
          text, "max_detections without 100: COCO's evaluator gives no AP then (mode = \"corrected\" gives it at the "
                "largest one)");
    ee_detection_end_note(&s->notes);
  }
  if (corrected && s->set->detection_count == 0 && s->set->object_count > 0) {
    ee_buffer_add_text(text,
                       "no detections at all (corrected: figures are 0, where COCO's evaluator ends with an error)");
    ee_detection_end_note(&s->notes);
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
  note_counter(s, EE_DETECTION_DUPLICATE, "false detection", "of an object that a better one has found (duplicates)");
  note_counter(s, EE_DETECTION_BACKGROUND, "false detection", "on background");
  note_counter(s, EE_DETECTION_OUTSIDE, "object", "of an area outside the range, counted nowhere");
  note_counter(s, EE_DETECTION_IGNORED, "detection",
               "counted nowhere: on crowds or ignored objects, or of an area outside the range");
  note_counter(s, EE_DETECTION_LOW_SCORE, "detection",
               ee_arena_printf(s->arena, "below min_score = %s, counted in average precision only", score));
  note_counter(s, EE_DETECTION_DROPPED, "detection",
               ee_arena_printf(s->arena, "dropped: beyond max_detections = %u in the image%s", last,
                               parameters->use_categories ? " and class" : ""));
}

/* The whole ------------------------------------------------------------------------------------ */

void ee_detection_finish(const ee_judge *judge, void *corpus_part, ee_arena *arena, ee_corpus_summary *summary) {
  summing s = {
      .detection = judge->data, .set = corpus_part, .arena = arena, .summary = summary, .notes = {.arena = arena}};
  *summary = (ee_corpus_summary){0};
  ee_arena_init(&s.work, 0);
  ee_arena_init(&s.scratch, 0);
  ee_buffer_init(&s.notes.text);
  note_troubles(&s);
  uint32_t *last = NULL;
  if (s.set->object_ids != NULL) {
    last = ee_arena_alloc(&s.work, s.set->object_count * sizeof *last);
    find_duplicate_ids(&s, last);
  }
  note_mode(&s);
  place_all(&s);
  if (s.duplicate_ids > 0 && !s.detection->corrected) replace_objects(&s, last);
  count_matches(&s);
  count_classes(&s);
  evaluate(&s);
  add_figures(&s);
  add_rows(&s);
  note_fates(&s);
  summary->notes = s.notes.items;
  summary->note_count = s.notes.count;
  ee_buffer_fini(&s.notes.text);
  ee_arena_fini(&s.scratch);
  ee_arena_fini(&s.work);
}
