/* shape_strategies.c: the strategies ee.iou (two boxes or polygons) and ee.distance (two points). */
#include <math.h>

#include "judge/geometry/shape.h"
#include "judge/strategy/strategy.h"
#include "prim/number.h"

/* iou ------------------------------------------------------------------------------------------ */

static const ee_option iou_options[] = {
    EE_SHAPE_OPTION_ROWS,
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.5",
     .help = "The minimum overlap that matches, inclusive up to rounding (2^-50 of it); above 0.",
     .min = 0,
     .max = 1},
    {.name = "score",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"similarity\"",
     .help = "\"similarity\" scores the overlap itself; \"match\" scores 1 or 0.",
     .choices = "similarity|match"},
    {.name = NULL},
};

static void iou_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  ee_shape_rule *rule = EE_NEW(builder->arena, ee_shape_rule);
  ee_shape_rule_compile(builder, node, rule);
  strategy->data = rule;
  ee_rule_value threshold = ee_rule_node_get(node, "threshold");
  if (threshold.type == EE_RULE_NUMBER && threshold.number == 0)
    ee_compile_error(builder, node,
                     "option 'threshold' of ee.iou must be above 0: at 0 shapes that do not overlap match");
  strategy->graded = !ee_option_is(node, "score", "match");
}

static void compare_shapes(const ee_strategy *strategy, const ee_shape *expected, const ee_shape *candidate,
                           ee_context *context, ee_comparison *result) {
  const ee_shape_rule *rule = strategy->data;
  uint64_t steps = EE_SHAPE_STEPS - context->polygon_steps;
  double raw, overlap = ee_shape_overlap(rule, expected, candidate, &steps, context->arena, &raw);
  context->polygon_steps = EE_SHAPE_STEPS - steps;
  if (isnan(raw)) {
    ee_comparison_fail(result, EE_REASON_OF(EE_SHAPE_TOO_MANY_STEPS));
    return;
  }
  if (ee_score_reaches(overlap, strategy->threshold)) {
    ee_comparison_match(result);
  } else {
    ee_comparison_miss(result, (ee_reason){.kind = EE_REASON_BELOW,
                                           .text = ee_str_from(ee_overlap_name(rule->metric)),
                                           .first = raw,
                                           .second = strategy->threshold});
  }
  if (strategy->graded) result->score = overlap;
  result->similarity = overlap;
}

static void iou_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                        const ee_value *candidate, ee_comparison *result) {
  const ee_shape_rule *rule = strategy->data;
  ee_arena_mark mark = ee_arena_get_mark(context->arena);
  ee_shape expected_shape, candidate_shape;
  const char *expected_error = ee_shape_read(rule, expected, context->arena, &expected_shape);
  const char *candidate_error = ee_shape_read(rule, candidate, context->arena, &candidate_shape);
  if (expected_error != NULL) {
    ee_comparison_fail(result, (ee_reason){.kind = EE_REASON_BAD_EXPECTED, .text = ee_str_from(expected_error)});
  } else if (candidate_error != NULL) {
    ee_comparison_fail(result, (ee_reason){.kind = EE_REASON_BAD_CANDIDATE, .text = ee_str_from(candidate_error)});
  } else {
    compare_shapes(strategy, &expected_shape, &candidate_shape, context, result);
  }
  ee_arena_rewind(context->arena, mark);
}

static void iou_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                        const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  const ee_shape_rule *rule = strategy->data;
  ee_shape a, b;
  const char *expression = NULL;
  if (ee_shape_read(rule, expected, context->arena, &a) == NULL &&
      ee_shape_read(rule, candidate, context->arena, &b) == NULL)
    expression = ee_shape_formula(rule, &a, &b, context->arena);
  how->measure = ee_overlap_name(rule->metric);
  how->value = result->similarity;
  ee_explanation_decide(how, expression, EE_LIMIT_MIN, result->matched, context->arena);
}

/* distance ------------------------------------------------------------------------------------- */

static const ee_option distance_options[] = {
    EE_DISTANCE_OPTION_ROWS,
    {.name = NULL},
};

typedef struct distance_rule {
  ee_distance_metric metric;
  bool linear;
} distance_rule;

static void distance_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  distance_rule *data = EE_NEW(builder->arena, distance_rule);
  data->metric = (ee_distance_metric)ee_option_choice(node, "metric", EE_DISTANCE_METRICS, "euclidean");
  data->linear = ee_option_is(node, "score", "linear");
  strategy->data = data;
  strategy->graded = data->linear;
}

static ee_reason bad_point(ee_reason_kind kind, const char *error) {
  return (ee_reason){.kind = kind, .text = ee_str_from(error), .first = 1};
}

static void compare_points(const ee_strategy *strategy, const double *expected, const double *candidate,
                           size_t dimension, ee_comparison *result) {
  const distance_rule *data = strategy->data;
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

static void distance_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                             const ee_value *candidate, ee_comparison *result) {
  ee_arena_mark mark = ee_arena_get_mark(context->arena);
  const double *expected_point, *candidate_point;
  size_t dimension, candidate_dimension;
  const char *expected_error = ee_point_read(expected, context->arena, &expected_point, &dimension);
  const char *candidate_error = ee_point_read(candidate, context->arena, &candidate_point, &candidate_dimension);
  if (expected_error != NULL) {
    ee_comparison_fail(result, bad_point(EE_REASON_BAD_EXPECTED, expected_error));
  } else if (candidate_error != NULL) {
    ee_comparison_fail(result, bad_point(EE_REASON_BAD_CANDIDATE, candidate_error));
  } else if (dimension != candidate_dimension) {
    ee_comparison_fail(
        result,
        (ee_reason){.kind = EE_REASON_DIMENSIONS, .first = (double)dimension, .second = (double)candidate_dimension});
  } else {
    compare_points(strategy, expected_point, candidate_point, dimension, result);
  }
  ee_arena_rewind(context->arena, mark);
}

static void distance_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                             const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  (void)result;
  const distance_rule *data = strategy->data;
  ee_arena *arena = context->arena;
  const double *a, *b;
  size_t dimension, same;
  if (ee_point_read(expected, arena, &a, &dimension) != NULL || ee_point_read(candidate, arena, &b, &same) != NULL)
    return;
  ee_distance_explain(data->metric, a, b, dimension, strategy->threshold, data->linear, arena, how);
}

/* Reading -------------------------------------------------------------------------------------- */

static const char *why_no_shape(const ee_shape_rule *rule, const ee_value *value, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ee_shape shape;
  const char *error = ee_shape_read(rule, value, scratch, &shape);
  ee_arena_rewind(scratch, mark);
  return error;
}

static const char *iou_why_unread(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  return why_no_shape(strategy->data, value, scratch);
}

static bool iou_reads(const ee_strategy *strategy, ee_document_side document, const ee_value *value,
                      ee_arena *scratch) {
  (void)document;
  return iou_why_unread(strategy, value, scratch) == NULL;
}

/* An object says itself how it is to be read. */
static bool reads_in(ee_shape_format format, const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  ee_shape_rule rule = *(const ee_shape_rule *)strategy->data;
  if (ee_type_of(value) != EE_ARRAY || rule.format == format) return false;
  rule.format = format;
  return why_no_shape(&rule, value, scratch) == NULL;
}

static bool reads_xyxy(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  return reads_in(EE_SHAPE_XYXY, strategy, value, scratch);
}

static bool reads_xywh(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  return reads_in(EE_SHAPE_XYWH, strategy, value, scratch);
}

/* A polygon is read in any format. */
static const ee_remedy iou_remedies[] = {
    {"format = \"xyxy\"", reads_xyxy},
    {"format = \"xywh\"", reads_xywh},
    {.option = NULL},
};

static const char *distance_why_unread(const ee_strategy *strategy, const ee_value *value, ee_arena *scratch) {
  (void)strategy;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  const double *point;
  size_t dimension;
  const char *error = ee_point_read(value, scratch, &point, &dimension);
  ee_arena_rewind(scratch, mark);
  return error;
}

static bool distance_reads(const ee_strategy *strategy, ee_document_side document, const ee_value *value,
                           ee_arena *scratch) {
  (void)document;
  return distance_why_unread(strategy, value, scratch) == NULL;
}

/* The rows ------------------------------------------------------------------------------------- */

const ee_strategy_type ee_iou_strategy = {
    .name = "iou",
    .help = "boxes or polygons that overlap enough",
    .options = iou_options,
    .threshold = 0.5,
    .compile = iou_compile,
    .compare = iou_compare,
    .explain = iou_explain,
    .reads = iou_reads,
    .remedies = iou_remedies,
    .reads_one = "a box or polygon",
    .reads_many = "boxes or polygons",
    .why_unread = iou_why_unread,
};

const ee_strategy_type ee_distance_strategy = {
    .name = "distance",
    .help = "points that are close enough",
    .options = distance_options,
    .threshold = -1,
    .compile = distance_compile,
    .compare = distance_compare,
    .explain = distance_explain,
    .reads = distance_reads,
    .reads_one = "a point",
    .reads_many = "points",
    .why_unread = distance_why_unread,
};
