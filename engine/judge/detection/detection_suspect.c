/* detection_suspect.c: what looks like a mistake in the data set, not in the detections.
 *
 * Boxes that were written in another format than the one that they are read in still overlap a little, so that nothing
 * but a bad AP tells. Here the first images are read in the other formats too; when that fits far better, somebody
 * should know. */
#include <math.h>

#include "judge/detection/detection.h"

/* Images with both objects and detections that are looked at, and pairs of boxes in them. */
#define IMAGES_LOOKED_AT 200
#define PAIRS_LOOKED_AT 50000
/* A mean overlap that nobody asks questions about. */
#define GOOD_OVERLAP 0.5
#define CLASSES_SHOWN 3

/* Other ways to read the four numbers. */
typedef enum reading { AS_XYWH, AS_XYXY, AS_CXCYWH, AS_YXHW, AS_YXYX, READINGS } reading;
static const char *const reading_names[READINGS] = {"xywh", "xyxy", "cxcywh", "[y, x, height, width]",
                                                    "[y1, x1, y2, x2]"};

/* Which of the two lists is read in the other way. */
typedef enum side { DETECTIONS, OBJECTS, BOTH, SIDES } side;

/* The objects and detections of one image: runs in the arrays, because nothing is reordered yet. */
typedef struct run {
  uint32_t image;
  size_t objects, object_count, detections, detection_count;
} run;

/* The four numbers as they stood in the data. */
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

static double overlap_of(const double a[4], const double b[4]) {
  double width = fmin(a[2], b[2]) - fmax(a[0], b[0]), height = fmin(a[3], b[3]) - fmax(a[1], b[1]);
  if (!(width > 0 && height > 0)) return 0;
  double shared = width * height;
  double joined = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared;
  return joined > 0 && isfinite(joined) ? shared / joined : 0;
}

/* Finds the first images that have something on both sides. */
static size_t find_runs(const ee_detection_set *set, run *runs) {
  size_t count = 0, object = 0, detection = 0, pairs = 0;
  for (uint32_t image = 0; image < set->image_count && count < IMAGES_LOOKED_AT && pairs < PAIRS_LOOKED_AT; image++) {
    run found = {.image = image, .objects = object, .detections = detection};
    while (object < set->object_count && set->objects[object].image == image) object++;
    while (detection < set->detection_count && set->detections[detection].image == image) detection++;
    found.object_count = object - found.objects;
    found.detection_count = detection - found.detections;
    if (found.object_count == 0 || found.detection_count == 0) continue;
    pairs += found.object_count * found.detection_count;
    if (pairs <= PAIRS_LOOKED_AT) runs[count++] = found;
  }
  return count;
}

/* The mean over the objects of the best overlap with a detection in the image, whatever the classes. (Of the detections
 * most may well be on background, when all are given whatever their score.) */
static double mean_overlap(const ee_detection_set *set, const run *runs, size_t run_count, reading objects,
                           reading detections) {
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < run_count; i++) {
    for (size_t o = 0; o < runs[i].object_count; o++, count++) {
      double numbers[4], box[4], other[4], best = 0;
      write_back(set->detection->format, set->objects[runs[i].objects + o].box, numbers);
      read_corners(objects, numbers, box);
      for (size_t d = 0; d < runs[i].detection_count; d++) {
        write_back(set->detection->candidate_format, set->detections[runs[i].detections + d].box, numbers);
        read_corners(detections, numbers, other);
        best = fmax(best, overlap_of(box, other));
      }
      sum += best;
    }
  }
  return count > 0 ? sum / (double)count : 0;
}

/* Boxes in another format -------------------------------------------------------------------------------------------
 */

/* The options that read the boxes so, where there are any. `detections`: as they are read now. */
static void add_advice(side which, reading how, reading detections, ee_detection_notes *notes) {
  if (how > AS_CXCYWH) return;
  const char *name = reading_names[how];
  if (which == DETECTIONS)
    ee_buffer_addf(&notes->text, ": set candidate_format = \"%s\"", name);
  else if (which == BOTH)
    ee_buffer_addf(&notes->text, ": set format = \"%s\"", name);
  else
    ee_buffer_addf(&notes->text, ": set format = \"%s\", candidate_format = \"%s\"", name, reading_names[detections]);
}

static void suspect_formats(const ee_detection_set *set, const run *runs, size_t run_count, ee_detection_notes *notes) {
  reading objects = reading_of(set->detection->format), detections = reading_of(set->detection->candidate_format);
  reading best_reading = detections;
  side best_side = DETECTIONS;
  double as_declared = mean_overlap(set, runs, run_count, objects, detections), best = as_declared;
  if (run_count == 0 || as_declared >= GOOD_OVERLAP) return;
  for (side which = DETECTIONS; which < SIDES; which++) {
    for (reading how = AS_XYWH; how < READINGS; how++) {
      double here =
          mean_overlap(set, runs, run_count, which == DETECTIONS ? objects : how, which == OBJECTS ? detections : how);
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
  ee_detection_note_figure(notes, best, 2);
  ee_buffer_add_text(&notes->text, " instead of ");
  ee_detection_note_figure(notes, as_declared, 2);
  ee_detection_note_images(notes, set, &runs[0].image, 1);
  add_advice(best_side, best_reading, detections, notes);
  ee_detection_end_note(notes);
}

/* Coordinates of another scale --------------------------------------------------------------------------------------
 */

static double largest(const double box[4], double sofar) {
  return fmax(sofar, fmax(fmax(fabs(box[0]), fabs(box[1])), fmax(fabs(box[2]), fabs(box[3]))));
}

/* Shares of the image's size on one side, and pixels on the other. */
static void suspect_scale(const ee_detection_set *set, const run *runs, size_t run_count, ee_detection_notes *notes) {
  double objects = 0, detections = 0;
  for (size_t i = 0; i < run_count; i++) {
    for (size_t k = 0; k < runs[i].object_count; k++) objects = largest(set->objects[runs[i].objects + k].box, objects);
    for (size_t k = 0; k < runs[i].detection_count; k++)
      detections = largest(set->detections[runs[i].detections + k].box, detections);
  }
  const double share = 1.5, pixels = 10;
  bool detections_are_shares = detections > 0 && detections <= share && objects >= pixels;
  if (!detections_are_shares && !(objects > 0 && objects <= share && detections >= pixels)) return;
  ee_buffer_addf(&notes->text, "the %s look like shares of the image's size, the %s like pixels: no coordinate above ",
                 detections_are_shares ? "detections" : "objects", detections_are_shares ? "objects" : "detections");
  ee_detection_note_figure(notes, detections_are_shares ? detections : objects, 3);
  ee_buffer_add_text(&notes->text, ", and some up to ");
  ee_detection_note_figure(notes, detections_are_shares ? objects : detections, 6);
  ee_detection_note_images(notes, set, &runs[0].image, 1);
  ee_detection_end_note(notes);
}

/* Classes that do not meet ------------------------------------------------------------------------------------------
 */

static void add_classes(const ee_detection_set *set, const bool *has, ee_detection_notes *notes) {
  size_t shown = 0;
  for (size_t i = 0; i < set->class_count && shown < CLASSES_SHOWN; i++) {
    if (!has[i]) continue;
    ee_str name = set->classes[i].name;
    ee_buffer_addf(&notes->text, shown++ > 0 ? ", '%.*s'" : "'%.*s'", (int)ee_utf8_cut(name, 60), name.data);
  }
}

/* Numbers on one side and names on the other, most likely. */
static void suspect_classes(const ee_detection_set *set, ee_detection_notes *notes, ee_arena *scratch) {
  if (!set->detection->parameters.use_categories || set->object_count == 0 || set->detection_count == 0) return;
  bool *of_objects = EE_NEW_ARRAY(scratch, bool, set->class_count),
       *of_detections = EE_NEW_ARRAY(scratch, bool, set->class_count);
  for (size_t i = 0; i < set->object_count; i++) of_objects[set->objects[i].category] = true;
  for (size_t i = 0; i < set->detection_count; i++) of_detections[set->detections[i].category] = true;
  for (size_t i = 0; i < set->class_count; i++)
    if (of_objects[i] && of_detections[i]) return;
  ee_buffer_add_text(&notes->text, "no class of the detections (");
  add_classes(set, of_detections, notes);
  ee_buffer_add_text(&notes->text, ") is one of the objects (");
  add_classes(set, of_objects, notes);
  ee_buffer_add_char(&notes->text, ')');
  ee_detection_end_note(notes);
}

void ee_detection_suspect(const ee_detection_set *set, ee_detection_notes *notes, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  run *runs = EE_NEW_ARRAY(scratch, run, IMAGES_LOOKED_AT);
  size_t run_count = find_runs(set, runs);
  suspect_classes(set, notes, scratch);
  suspect_scale(set, runs, run_count, notes);
  suspect_formats(set, runs, run_count, notes);
  ee_arena_rewind(scratch, mark);
}
