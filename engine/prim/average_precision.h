/* average_precision.h: average precision and recall of detections, as COCO defines them, to the last bit.
 *
 * Objects and detections in memory, no JSON. The arithmetic follows the published one (pycocotools 2.0.11
 * on numpy): thresholds and recall points are numpy.linspace doubles, sorts are stable (score, then image, then order
 * in the file), on equal IoU the last object wins, IoU with a crowd is intersection over the detection's area and a
 * crowd takes many detections, area ranges are closed and use the object's `area` (a detection's is width * height),
 * limits count per image and class, a class without countable objects is left out of the mean, precision has 2^-52 in
 * its denominator, means are numpy's pairwise sums. Where that arithmetic has no number for an IoU (0/0 or inf/inf of
 * areas that underflow or overflow) it is 0 here. */
#ifndef EE_PRIM_AVERAGE_PRECISION_H
#define EE_PRIM_AVERAGE_PRECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Boxes as COCO has them: x, y, width, height, all finite; a width or height of 0 or less overlaps nothing. Images and
 * categories are indices into the caller's lists, which are sorted by id: order decides ties. */
typedef struct ee_ap_object {
  double box[4];
  double area; /* decides the area range, whatever the box is */
  uint32_t image, category;
  bool crowd;   /* takes any number of detections, which then count nowhere, and is never counted */
  bool ignored; /* the same, but takes one detection only. COCO's own evaluator knows no such flag: it replaces a file's
                   `ignore` by `iscrowd` */
  bool blank;   /* whoever takes it, when it is countable, is false all the same, and it counts as not found:
                   pycocotools does this to an object with the id 0 */
} ee_ap_object;

typedef struct ee_ap_detection {
  double box[4];
  double score; /* no NaN */
  uint32_t image, category;
} ee_ap_detection;

typedef struct ee_ap_range {
  double low, high; /* of areas, both inclusive */
} ee_ap_range;

/* What is asked. The arrays are borrowed and must outlive the result. */
typedef struct ee_ap_parameters {
  const double *thresholds; /* of IoU, in any order; one above 1-1e-10 asks for 1-1e-10 */
  size_t threshold_count;
  const double *recalls; /* ascending */
  size_t recall_count;
  const ee_ap_range *ranges;
  size_t range_count;
  const unsigned *limits; /* detections that count in an image and class, the best ones; ascending, at least one */
  size_t limit_count;
  bool use_categories; /* false: all classes are one; of equal scores in an image the lower category then goes first */
  bool with_ties;      /* say what other orders of equal scores would give: ee_ap_tie_range() */
} ee_ap_parameters;

/* COCO's: .50:.05:.95, 101 recall points, all/small/medium/large, 1/10/100, by category. The arrays are static. */
void ee_ap_defaults(ee_ap_parameters *parameters);

/* As pycocotools' `eval`: precision[threshold][recall][category][range][limit] and
 * recall[threshold][category][range][limit], -1 where no object is countable. */
typedef struct ee_ap_result {
  ee_ap_parameters parameters;
  size_t categories; /* 1 without use_categories */
  double *precision, *recall;
  /* With with_ties, else NULL and 0; all in the first range and at the last limit: */
  double *lowest, *highest; /* precision[threshold][recall][category] if of equal scores the false detections go first,
                               or the true ones */
  uint64_t tied;            /* detections that have the score of another one of their class */
} ee_ap_result;

/* Where the two arrays hold what: t a threshold, r a recall point, k a category, a an area range, m a limit. */
static inline size_t ee_ap_precision_at(const ee_ap_result *result, size_t t, size_t r, size_t k, size_t a, size_t m) {
  const ee_ap_parameters *p = &result->parameters;
  return (((t * p->recall_count + r) * result->categories + k) * p->range_count + a) * p->limit_count + m;
}
static inline size_t ee_ap_recall_at(const ee_ap_result *result, size_t t, size_t k, size_t a, size_t m) {
  const ee_ap_parameters *p = &result->parameters;
  return ((t * result->categories + k) * p->range_count + a) * p->limit_count + m;
}

/* Evaluates. Objects and detections in file order, below 2^32 each; their image is below `images`, their category below
 * `categories`. The result's arrays come from `arena` (8 bytes for each of thresholds * recalls * categories * ranges *
 * limits, 7.7 MB for COCO), working memory (12 bytes an object, 24 a detection, and 32 for each range and
 * detection of the largest class) from `scratch`, which is rewound and may not be `arena`. O(d log d + pairs within an
 * image and class). */
void ee_ap_evaluate(const ee_ap_object *objects, size_t object_count, const ee_ap_detection *detections,
                    size_t detection_count, size_t images, size_t categories, const ee_ap_parameters *parameters,
                    ee_arena *arena, ee_arena *scratch, ee_ap_result *result);

/* Means over what is defined (numpy's pairwise mean, -1 when nothing is): `threshold` an index or EE_AP_ALL, `category`
 * an index or EE_AP_ALL, `range` and `limit` indices. `scratch` is rewound. */
#define EE_AP_ALL (-1L)
double ee_ap_mean_precision(const ee_ap_result *result, long threshold, long category, size_t range, size_t limit,
                            ee_arena *scratch);
double ee_ap_mean_recall(const ee_ap_result *result, long threshold, long category, size_t range, size_t limit,
                         ee_arena *scratch);

/* The least and the greatest AP (all thresholds and categories, first range, last limit) that the order of equal scores
 * allows, which detection takes which object in an image being as it is; -1 where undefined. Without ties both are the
 * AP. Of a result with with_ties. */
void ee_ap_tie_range(const ee_ap_result *result, ee_arena *scratch, double range[2]);

/* COCO's twelve: AP, AP50, AP75, AP small, medium, large, AR1, AR10, AR100, AR small, medium, large; -1 where
 * undefined. AP50 and AP75 are at the thresholds of exactly these values, small to large are the ranges 1 to 3, AR1 and
 * AR10 have the limits 1 and 10, and -1 stands where the parameters hold no such threshold, range or limit. All others,
 * AR100 too, are at the last limit, whatever it is (pycocotools asks for a limit of 100 in AP, and says -1 with
 * others). */
enum { EE_AP_TWELVE = 12 };
void ee_ap_twelve(const ee_ap_result *result, ee_arena *scratch, double numbers[EE_AP_TWELVE]);
extern const char *const ee_ap_names[EE_AP_TWELVE]; /* "AP", "AP50", "AP75", "APs", ... "AR1", ... "ARl" */

/* The sum as numpy's sum() and mean() add an array of doubles: buffers of 8192 one after the other; in each, halves
 * down to blocks of at most 128, and eight running sums in a block. */
double ee_pairwise_sum(const double *values, size_t count);

/* At which point of the curve counts and explanations are asked for. Matching is COCO's (per image and class, by
 * falling score, in one area range), of the detections with a score of at least `min_score`. */
typedef struct ee_ap_operating_point {
  double threshold;  /* of IoU */
  double min_score;  /* inclusive; -INFINITY for all detections */
  ee_ap_range range; /* COCO's `all` is 0..1e10, which leaves out boxes of a negative area */
  unsigned limit;    /* of detections an image and class; UINT_MAX for all */
  bool use_categories;
} ee_ap_operating_point;

typedef enum ee_ap_fate {
  EE_AP_TRUE,      /* found a countable object */
  EE_AP_IGNORED,   /* found a crowd or an ignored object, or found none and is outside the range: counts nowhere */
  EE_AP_DROPPED,   /* beyond the limit of its image and class */
  EE_AP_LOW_SCORE, /* below min_score */
  EE_AP_DUPLICATE, /* false: overlaps an object of its class at the threshold that a better one took, or a blank one */
  EE_AP_WRONG_CLASS, /* false: overlaps a countable object of another class at the threshold */
  EE_AP_POOR_PLACE,  /* false: overlaps an object of its class (no crowd) at 0.1 or more, below the threshold */
  EE_AP_BACKGROUND   /* false: nothing of the kind */
} ee_ap_fate;

typedef struct ee_ap_counts {
  uint64_t tp, fp, fn;
} ee_ap_counts;

/* Says how each detection fared (the first that holds of the four false fates) and counts. `fates` gets one a
 * detection; `found` one an object, whether a detection took it and it is countable, and `takers` (only with `found`)
 * the detection that did, where one did; `counts` one a category (one in all without use_categories), where tp + fn are
 * the countable objects. Each may be NULL. `scratch` is rewound. As
 * ee_ap_evaluate(), and each false detection is compared with the objects of its image. */
void ee_ap_explain(const ee_ap_object *objects, size_t object_count, const ee_ap_detection *detections,
                   size_t detection_count, size_t images, size_t categories, const ee_ap_operating_point *point,
                   ee_arena *scratch, ee_ap_fate *fates, bool *found, uint32_t *takers, ee_ap_counts *counts);

#endif
