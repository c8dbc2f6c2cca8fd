/* iou_score.h: the compiled ee.iou_score. Only iou_score.c needs it, and tests that lower the matcher's limits. */
#ifndef EE_JUDGE_GEOMETRY_IOU_SCORE_H
#define EE_JUDGE_GEOMETRY_IOU_SCORE_H

#include "judge/aggregate.h"
#include "judge/geometry/shape_pairs.h"
#include "judge/plan.h"
#include "judge/strategy/strategy.h"

typedef struct ee_iou_score {
  ee_list_paths paths;
  ee_shape_rule shapes;
  ee_strategy reader;                  /* for values that are not shapes */
  const ee_path *label, *box, *weight; /* inside an item; NULL: not given */
  const char *no_box;                  /* the error of an item without a value at `box` */
  ee_shape_pairing matcher;            /* its threshold is the lowest one */
  const double *thresholds;            /* ascending */
  const ee_attribute *attributes;      /* "iou>=0.5", one per threshold */
  size_t threshold_count;
  ee_place_aggregate aggregate;
} ee_iou_score;

#endif
