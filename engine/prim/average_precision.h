/* average_precision.h: average precision and recall of detections, as COCO defines them, to the last bit.
 *
 * Layer: prim. Objects and detections in memory, no JSON. The arithmetic follows the published one (pycocotools 2.0.11 on numpy): thresholds and recall points are
 * numpy.linspace doubles, sorts are stable (score, then image id, then order in the file), on equal IoU the last object wins, IoU with a crowd is intersection over
 * the detection's area and a crowd takes many detections, area ranges are closed and use the object's `area` (a detection's is w*h), maxDets counts per image and
 * class, a class without countable objects is left out of the mean, precision has 2^-52 in its denominator, means are numpy's pairwise sums. */
#ifndef EE_PRIM_AVERAGE_PRECISION_H
#define EE_PRIM_AVERAGE_PRECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Boxes as COCO has them: x, y, width, height. */
typedef struct ee_ap_object {
  double box[4];
  double area;
  uint32_t image, category; /* indices into the caller's lists, which are sorted by id */
  bool crowd;               /* matched, and never counted */
  bool ignored;             /* of the file's own `ignore` flag: counted out like a crowd, matched once */
} ee_ap_object;

typedef struct ee_ap_detection {
  double box[4];
  double score; /* finite */
  uint32_t image, category;
} ee_ap_detection;

typedef struct ee_ap_range {
  double low, high; /* of areas, both inclusive */
} ee_ap_range;

/* What is asked. ee_ap_defaults() fills COCO's: .50:.05:.95, 101 recall points, all/small/medium/large, 1/10/100. */
typedef struct ee_ap_parameters {
  const double *thresholds; size_t threshold_count;
  const double *recalls;    size_t recall_count;
  const ee_ap_range *ranges; size_t range_count;
  const unsigned *limits;   size_t limit_count; /* ascending */
  bool use_categories; /* false: all classes are one */
} ee_ap_parameters;
void ee_ap_defaults(ee_ap_parameters *parameters);

/* precision[threshold][recall][category][range][limit] and recall[threshold][category][range][limit], as in pycocotools' eval; -1 where undefined. */
typedef struct ee_ap_result {
  ee_ap_parameters parameters;
  size_t categories; /* 1 without use_categories */
  double *precision, *recall;
} ee_ap_result;

/* One detection's fate at the first threshold of `explain_threshold` for explanations: see ee_ap_explain(). */

/* Evaluates. Objects and detections in file order. Memory from `arena` (the result) and `scratch` (rewound). O(d log d + pairs within an image and class). */
void ee_ap_evaluate(const ee_ap_object *objects, size_t object_count, const ee_ap_detection *detections, size_t detection_count,
                    size_t images, size_t categories, const ee_ap_parameters *parameters, ee_arena *arena, ee_arena *scratch,
                    ee_ap_result *result);

/* Mean precision over what is defined (numpy's pairwise mean, -1 when nothing is): threshold index or -1 for all, category index or -1 for all. */
double ee_ap_mean_precision(const ee_ap_result *result, long threshold, long category, size_t range, size_t limit);
double ee_ap_mean_recall(const ee_ap_result *result, long threshold, long category, size_t range, size_t limit);

/* COCO's twelve: AP, AP50, AP75, AP small, medium, large, AR1, AR10, AR100, AR small, medium, large; -1 where undefined, or where the parameters have
 * no such threshold, range or limit. */
void ee_ap_twelve(const ee_ap_result *result, double numbers[12]);
extern const char *const ee_ap_names[12]; /* "AP", "AP50", ... "ARl" */

/* The sum as numpy adds: pairwise in blocks of 128, eight running sums. */
double ee_pairwise_sum(const double *values, size_t count);

/* How a detection or object fared at one threshold with detections of at least `min_score`, for counts and explanations. Matching is COCO's (per image and class, by
 * falling score, all areas, `limit` detections). */
typedef enum ee_ap_fate {
  EE_AP_TRUE,         /* found a countable object */
  EE_AP_IGNORED,      /* found a crowd or an ignored object: counts nowhere */
  EE_AP_DROPPED,      /* beyond the limit a class and image */
  EE_AP_LOW_SCORE,    /* below min_score */
  EE_AP_DUPLICATE,    /* false: overlaps an object of its class at the threshold that a better one took */
  EE_AP_WRONG_CLASS,  /* false: overlaps an object of another class at the threshold */
  EE_AP_POOR_PLACE,   /* false: overlaps an object of its class at 0.1 or more, below the threshold */
  EE_AP_BACKGROUND    /* false: nothing of the kind */
} ee_ap_fate;

typedef struct ee_ap_counts {
  uint64_t tp, fp, fn;
} ee_ap_counts;

/* `fates` gets one a detection, `found` (may be NULL) one an object: whether a countable object was found; `counts` one a category. */
void ee_ap_explain(const ee_ap_object *objects, size_t object_count, const ee_ap_detection *detections, size_t detection_count, size_t images,
                   size_t categories, double threshold, double min_score, unsigned limit, ee_arena *scratch, ee_ap_fate *fates, bool *found,
                   ee_ap_counts *counts);

#endif
