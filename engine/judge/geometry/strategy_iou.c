/* strategy_iou.c: boxes and polygons that overlap enough. */
#include <math.h>

#include "judge/geometry/bad_shapes.h"
#include "judge/geometry/shape.h"
#include "judge/strategy/strategy_rows.h"

#define SCORES "similarity|match"

const ee_option ee_iou_options[] = {
    EE_SHAPE_OPTION_ROWS,
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.5",
     .help = "The least overlap that matches, inclusive up to the rounding of decimals (2^-50 of it); above 0.",
     .min = 0,
     .max = 1},
    {.name = "score",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"similarity\"",
     .help = "\"similarity\" scores the overlap itself; \"match\" scores 1 or 0.",
     .choices = SCORES},
    {.name = NULL},
};

void ee_iou_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  ee_shape_rule *rule = EE_NEW(builder->arena, ee_shape_rule);
  ee_shape_rule_compile(builder, node, rule);
  strategy->data = rule;
  ee_rule_value threshold = ee_rule_node_get(node, "threshold");
  if (threshold.type == EE_RULE_NUMBER && threshold.number == 0)
    ee_compile_error(builder, node, "option 'threshold' of ee.iou must be above 0: at 0 shapes that do not meet match");
  strategy->graded = ee_option_choice(node, "score", SCORES, "similarity") == 0;
}

static void judge_shapes(const ee_strategy *strategy, const ee_shape *expected, const ee_shape *candidate,
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

void ee_iou_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                    const ee_value *candidate, ee_comparison *result) {
  const ee_shape_rule *rule = strategy->data;
  ee_arena_mark mark = ee_arena_get_mark(context->arena);
  ee_shape expected_shape, candidate_shape;
  const char *expected_trouble = ee_shape_read(rule, expected, context->arena, &expected_shape);
  const char *candidate_trouble = ee_shape_read(rule, candidate, context->arena, &candidate_shape);
  if (expected_trouble != NULL)
    ee_unreadable_add_shape(&context->unreadable, true, rule, expected, expected_trouble, context->arena);
  if (candidate_trouble != NULL)
    ee_unreadable_add_shape(&context->unreadable, false, rule, candidate, candidate_trouble, context->arena);
  if (expected_trouble != NULL) {
    ee_comparison_fail(result, (ee_reason){.kind = EE_REASON_BAD_EXPECTED, .text = ee_str_from(expected_trouble)});
  } else if (candidate_trouble != NULL) {
    ee_comparison_fail(result, (ee_reason){.kind = EE_REASON_BAD_CANDIDATE, .text = ee_str_from(candidate_trouble)});
  } else {
    judge_shapes(strategy, &expected_shape, &candidate_shape, context, result);
  }
  ee_arena_rewind(context->arena, mark);
}
