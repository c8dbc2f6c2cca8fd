/* strategy_iou.c: boxes and polygons that overlap enough. */
#include "judge/shape.h"
#include "judge/strategy_rows.h"

#define SCORES "similarity|match"

const ee_option ee_iou_options[] = {
    EE_SHAPE_OPTION_ROWS,
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .standard = "0.5",
     .help = "The least overlap that matches, inclusive.",
     .min = 0,
     .max = 1},
    {.name = "score",
     .type = EE_OPTION_CHOICE,
     .standard = "\"similarity\"",
     .help = "\"similarity\" scores the overlap itself; \"match\" scores 1 or 0.",
     .choices = SCORES},
    {.name = NULL},
};

void ee_iou_compile(ee_plan_builder *builder, const ee_spec *spec, ee_strategy *strategy) {
  ee_shape_rule *rule = EE_NEW(builder->arena, ee_shape_rule);
  ee_shape_rule_compile(builder, spec, rule);
  strategy->data = rule;
  strategy->graded = ee_option_choice(spec, "score", SCORES, "similarity") == 0;
}

static void judge_shapes(const ee_strategy *strategy, const ee_shape *expected, const ee_shape *candidate,
                         ee_arena *scratch, ee_comparison *result) {
  const ee_shape_rule *rule = strategy->data;
  double raw, overlap = ee_shape_overlap(rule, expected, candidate, scratch, &raw);
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
  if (expected_trouble != NULL) {
    ee_comparison_fail(result, (ee_reason){.kind = EE_REASON_BAD_EXPECTED, .text = ee_str_from(expected_trouble)});
  } else if (candidate_trouble != NULL) {
    ee_comparison_fail(result, (ee_reason){.kind = EE_REASON_BAD_CANDIDATE, .text = ee_str_from(candidate_trouble)});
  } else {
    judge_shapes(strategy, &expected_shape, &candidate_shape, context->arena, result);
  }
  ee_arena_rewind(context->arena, mark);
}
