/* iou_score.h: the compiled ee.iou_score.
 */
#ifndef EE_JUDGE_GEOMETRY_IOU_SCORE_H
#define EE_JUDGE_GEOMETRY_IOU_SCORE_H

#include "judge/findings.h"
#include "judge/geometry/shape_match.h"
#include "judge/places.h"

/* What a run looks for in the items: ee_judge.wanted, in this order, without what is not given. */
enum { EE_IOU_LABEL, EE_IOU_WEIGHT, EE_IOU_WANTED };

typedef struct ee_iou_score {
  ee_list_paths paths;
  ee_shape_rule shapes;
  const ee_path *label, *box, *weight; /* in an item; NULL: not given */
  const char *no_box;                  /* what to say of an item without a value at `box` */
  ee_shape_matcher matcher;            /* its threshold is the lowest one */
  const double *thresholds;            /* ascending */
  const ee_attribute *attributes;      /* "iou>=0.5", one a threshold */
  size_t threshold_count;
  ee_place_aggregate aggregate;
} ee_iou_score;

extern const ee_option ee_iou_score_options[];
/* The judge record's compile() and print(). */
void ee_iou_score_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge);
void ee_iou_score_print(const ee_judge *judge, ee_buffer *out);

/* A case that has been paired and counted. */
typedef struct ee_iou_case {
  const ee_iou_score *score;
  ee_context *context;
  ee_arena *arena;
  ee_shape_list expected, candidate;
  bool expected_is_list, candidate_is_list; /* rather than a single shape */
  ee_shape_pairs matched;
  ee_counts *counts;       /* one a threshold */
  ee_counts *group_counts; /* one a label, at the lowest threshold; NULL without labels */
  const double *weights;   /* one an expected item */
  const bool *bad_weights; /* one an expected item; NULL: none is bad */
  uint32_t missing, extra; /* items without a partner */
  uint32_t places;         /* of the longer list */
  ee_findings findings;
  bool found[EE_IOU_WANTED];
} ee_iou_case;

/* What attributes call a label: its text, its JSON, or "no label". */
ee_str ee_iou_label_text(const ee_iou_case *c, const ee_value *label);

/* The details of a case: metrics, pairs, unmatched items and errors, at most EE_DETAILS_SHOWN of each. `result` has its
 * attributes and its score. */
const ee_value *ee_iou_score_details(const ee_iou_case *c, const ee_judge_result *result);

#endif
