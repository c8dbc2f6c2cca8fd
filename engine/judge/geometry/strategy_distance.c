/* strategy_distance.c: points that lie close enough together. */
#include <math.h>

#include "judge/geometry/bad_shapes.h"
#include "judge/geometry/shape.h"
#include "judge/strategy/strategy_rows.h"

const ee_option ee_distance_options[] = {
    EE_DISTANCE_OPTION_ROWS,
    {.name = NULL},
};

typedef struct distance_data {
  ee_distance_metric metric;
  bool linear;
} distance_data;

void ee_distance_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  distance_data *data = EE_NEW(builder->arena, distance_data);
  data->metric = (ee_distance_metric)ee_option_choice(node, "metric", EE_DISTANCE_METRICS, "euclidean");
  data->linear = ee_option_choice(node, "score", EE_DISTANCE_SCORES, "match") == 1;
  strategy->data = data;
  strategy->graded = data->linear;
}

static ee_reason unreadable(ee_reason_kind kind, const char *trouble) {
  return (ee_reason){.kind = kind, .text = ee_str_from(trouble), .first = 1};
}

static void judge_points(const ee_strategy *strategy, const double *expected, const double *candidate, size_t dimension,
                         ee_comparison *result) {
  const distance_data *data = strategy->data;
  double distance = ee_point_distance(data->metric, expected, candidate, dimension);
  if (ee_distance_within(distance, strategy->threshold)) {
    ee_comparison_match(result);
    return;
  }
  ee_comparison_miss(result, (ee_reason){.kind = EE_REASON_ABOVE,
                                         .text = EE_STR("distance"),
                                         .first = distance,
                                         .second = strategy->threshold});
  result->score = result->similarity = ee_distance_score(distance, strategy->threshold, data->linear);
}

void ee_distance_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                         const ee_value *candidate, ee_comparison *result) {
  ee_arena_mark mark = ee_arena_get_mark(context->arena);
  const double *expected_point, *candidate_point;
  size_t dimension, candidate_dimension;
  const char *expected_trouble = ee_point_read(expected, context->arena, &expected_point, &dimension);
  const char *candidate_trouble = ee_point_read(candidate, context->arena, &candidate_point, &candidate_dimension);
  if (expected_trouble != NULL) ee_unreadable_add_point(&context->unreadable, true, expected_trouble);
  if (candidate_trouble != NULL) ee_unreadable_add_point(&context->unreadable, false, candidate_trouble);
  if (expected_trouble != NULL) {
    ee_comparison_fail(result, unreadable(EE_REASON_BAD_EXPECTED, expected_trouble));
  } else if (candidate_trouble != NULL) {
    ee_comparison_fail(result, unreadable(EE_REASON_BAD_CANDIDATE, candidate_trouble));
  } else if (dimension != candidate_dimension) {
    ee_comparison_fail(
        result,
        (ee_reason){.kind = EE_REASON_DIMENSIONS, .first = (double)dimension, .second = (double)candidate_dimension});
  } else {
    judge_points(strategy, expected_point, candidate_point, dimension, result);
  }
  ee_arena_rewind(context->arena, mark);
}
