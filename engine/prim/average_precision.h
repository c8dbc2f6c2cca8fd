/* average_precision.h: COCO's average precision and recall of detections, bit-identical to pycocotools 2.0.11 on numpy.
 *
 * Thresholds and recall points are numpy.linspace doubles. Sorts are stable (score, then image, then file order); on
 * equal IoU the last object wins. IoU with a crowd is intersection over the detection's area, and a crowd takes many
 * detections. Area ranges are closed and use the object's `area`; a detection's area is width * height. Limits count
 * per image and class. A class without countable objects is left out of the mean. Precision has 2^-52 added to its
 * denominator. Means use numpy's pairwise sums. An IoU that is NaN in this arithmetic (0/0 or inf/inf of areas that
 * underflow or overflow) is 0. */
#ifndef EE_PRIM_AVERAGE_PRECISION_H
#define EE_PRIM_AVERAGE_PRECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Boxes are x, y, width, height as in COCO, all finite; a box with a width or height of 0 or less overlaps nothing.
 * Images and categories are indices into the caller's arrays, which are sorted by id: their order decides ties. */
typedef struct ee_ap_object {
  double box[4];
  double area; /* for the area range; independent of the box */
  uint32_t image, category;
  bool crowd; /* takes any number of detections, which then are not counted, and is never counted itself */
  /* The same, but takes only one detection. COCO's own evaluator has no such flag: it replaces `ignore` by `iscrowd`.
   */
  bool ignored;
  /* If countable, a detection that takes it is still false, and the object counts as not found. pycocotools does this
   * to an object with the id 0. */
  bool blank;
} ee_ap_object;

typedef struct ee_ap_detection {
  double box[4];
  double score; /* not NaN */
  uint32_t image, category;
} ee_ap_detection;

/* Objects and detections in file order, below 2^32 each; their images are below `images`, their categories below
 * `categories`. Borrowed. */
typedef struct ee_ap_input {
  const ee_ap_object *objects;
  size_t object_count;
  const ee_ap_detection *detections;
  size_t detection_count;
  size_t images, categories;
} ee_ap_input;

typedef struct ee_ap_range {
  double low, high; /* of areas, both inclusive */
} ee_ap_range;

/* The arrays are borrowed and must outlive the result. */
typedef struct ee_ap_parameters {
  const double *thresholds; /* of IoU, in any order; cut to 1-1e-10 */
  size_t threshold_count;
  const double *recalls; /* ascending */
  size_t recall_count;
  const ee_ap_range *ranges;
  size_t range_count;
  const unsigned *limits; /* detections per image and class, the best ones; ascending, at least one */
  size_t limit_count;
  bool use_categories; /* false: all classes are one; equal scores in an image are then ordered by category */
  bool with_ties;      /* compute what ee_ap_tie_range() needs */
  bool last_limit;     /* keep precision at the last limit only, which is all that the twelve numbers need */
} ee_ap_parameters;

/* COCO's: .50:.05:.95, 101 recall points, all/small/medium/large, 1/10/100, by category. The arrays are static. */
void ee_ap_defaults(ee_ap_parameters *parameters);

/* As `eval` of pycocotools: precision[threshold][recall][category][range][limit] and
 * recall[threshold][category][range][limit], -1 if no object is countable. With last_limit, precision has one limit. */
typedef struct ee_ap_result {
  ee_ap_parameters parameters;
  size_t categories; /* 1 without use_categories */
  double *precision, *recall;
  /* With with_ties, else NULL and 0; all in the first range and at the last limit: */
  double *lowest, *highest; /* precision[threshold][recall][category] if of equal scores the false detections come
                               first, or the true ones */
  uint64_t tied;            /* detections with the same score as another one of their class */
} ee_ap_result;

/* Indices into the two arrays: t a threshold, r a recall point, k a category, a an area range, m a limit (of precision
 * with last_limit: the last). */
static inline size_t ee_ap_precision_at(const ee_ap_result *result, size_t t, size_t r, size_t k, size_t a, size_t m) {
  const ee_ap_parameters *p = &result->parameters;
  size_t range = ((t * p->recall_count + r) * result->categories + k) * p->range_count + a;
  return p->last_limit ? range : range * p->limit_count + m;
}
static inline size_t ee_ap_recall_at(const ee_ap_result *result, size_t t, size_t k, size_t a, size_t m) {
  const ee_ap_parameters *p = &result->parameters;
  return ((t * result->categories + k) * p->range_count + a) * p->limit_count + m;
}

/* The result's arrays come from `arena` (8 bytes for each of thresholds * recalls * categories * ranges * limits, 7.7
 * MB for COCO, 2.6 with last_limit), working memory (12 bytes an object, 24 a detection, for each detection of the
 * largest class 150 and for each range 16 and 4 a limit, and 8 for each of thresholds * recalls * ranges * limits) from
 * `scratch`, which is rewound and must not be `arena`. O(d log d + pairs within an image and class). */
void ee_ap_evaluate(const ee_ap_input *input, const ee_ap_parameters *parameters, ee_arena *arena, ee_arena *scratch,
                    ee_ap_result *result);

/* Means over the defined values (numpy's pairwise mean; -1 if there are none). `threshold` and `category` are indices
 * or EE_AP_ALL, `range` and `limit` indices. `scratch` is rewound. */
#define EE_AP_ALL (-1L)
/* With last_limit, `limit` is the last one. */
double ee_ap_mean_precision(const ee_ap_result *result, long threshold, long category, size_t range, size_t limit,
                            ee_arena *scratch);
double ee_ap_mean_recall(const ee_ap_result *result, long threshold, long category, size_t range, size_t limit,
                         ee_arena *scratch);

/* The lowest and the highest AP (all thresholds and categories, first range, last limit) over all orders of equal
 * scores, with the assignment of detections to objects unchanged; -1 if undefined. Without ties both are the AP. Needs
 * a result with with_ties. */
void ee_ap_tie_range(const ee_ap_result *result, ee_arena *scratch, double range[2]);

/* COCO's twelve: AP, AP50, AP75, AP small, medium, large, AR1, AR10, AR100, AR small, medium, large; -1 if
 * undefined. AP50 and AP75 use the thresholds of exactly these values, small to large the ranges 1 to 3, AR1 and AR10
 * the limits 1 and 10; -1 if the parameters lack that threshold, range or limit. All others, also AR100, use the last
 * limit (pycocotools computes AP only for a limit of 100, else it gives -1). */
enum { EE_AP_TWELVE = 12 };
void ee_ap_twelve(const ee_ap_result *result, ee_arena *scratch, double numbers[EE_AP_TWELVE]);
extern const char *const ee_ap_names[EE_AP_TWELVE]; /* "AP", "AP50", "AP75", "APs", ... "AR1", ... "ARl" */

/* The sum of an array of doubles in the order of numpy's sum() and mean(): buffers of 8192 one after the other; in
 * each, halves down to blocks of at most 128, and eight running sums per block. */
double ee_pairwise_sum(const double *values, size_t count);

/* The point of the curve for counts and explanations. Matching is COCO's (per image and class, by falling score, in one
 * area range), for detections with a score of at least `min_score`. */
typedef struct ee_ap_operating_point {
  double threshold;  /* of IoU */
  double min_score;  /* inclusive; -INFINITY for all detections */
  ee_ap_range range; /* COCO's `all` is 0..1e10, without boxes of negative area */
  unsigned limit;    /* of detections per image and class; UINT_MAX: none */
  bool use_categories;
} ee_ap_operating_point;

typedef enum ee_ap_fate {
  EE_AP_TRUE,        /* took a countable object */
  EE_AP_IGNORED,     /* took a crowd or an ignored object, or took none and is outside the range: not counted */
  EE_AP_DROPPED,     /* over the limit of its image and class */
  EE_AP_LOW_SCORE,   /* below min_score */
  EE_AP_DUPLICATE,   /* false: reaches the threshold with an object of its class that another detection took or that is
                        blank */
  EE_AP_WRONG_CLASS, /* false: reaches the threshold with a countable object of another class */
  EE_AP_POOR_PLACE,  /* false: IoU of 0.1 or more, below the threshold, with an object of its class, not a crowd */
  EE_AP_BACKGROUND   /* false: none of these */
} ee_ap_fate;

typedef struct ee_ap_counts {
  uint64_t tp, fp, fn;
} ee_ap_counts;

/* The output of ee_ap_explain(). Each may be NULL. */
typedef struct ee_ap_explanation {
  ee_ap_fate *fates;    /* [detection] */
  bool *found;          /* [object] a detection took it and it is countable */
  uint32_t *takers;     /* [object] the detection that took it, set only where `found` is true; needs `found` */
  ee_ap_counts *counts; /* [category], or one without use_categories; tp + fn are the countable objects */
} ee_ap_explanation;

/* Classifies each detection (of the four false fates the first that holds) and counts. `scratch` is rewound. Cost as
 * ee_ap_evaluate(), plus a comparison of each false detection with the objects of its image. */
void ee_ap_explain(const ee_ap_input *input, const ee_ap_operating_point *point, ee_arena *scratch,
                   const ee_ap_explanation *out);

#endif
