/* strategy_rows.h: what the rows of strategy.c are made of, and what their files share.
 *
 * */
#ifndef EE_JUDGE_STRATEGY_STRATEGY_ROWS_H
#define EE_JUDGE_STRATEGY_STRATEGY_ROWS_H

#include "judge/plan.h"
#include "judge/rule_node.h"
#include "judge/strategy/strategy.h"
#include "prim/number.h"

typedef void ee_strategy_compile_function(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy);
typedef void ee_strategy_compare_function(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                                          const ee_value *candidate, ee_comparison *result);

extern const ee_option ee_numeric_options[], ee_date_options[], ee_fuzzy_options[], ee_pattern_options[],
    ee_one_of_options[], ee_set_options[], ee_custom_options[], ee_semantic_options[], ee_iou_options[],
    ee_distance_options[];

ee_strategy_compile_function ee_numeric_compile, ee_date_compile, ee_fuzzy_compile, ee_pattern_compile,
    ee_one_of_compile, ee_set_compile, ee_auto_compile, ee_custom_compile, ee_semantic_compile, ee_iou_compile,
    ee_distance_compile;
ee_strategy_compare_function ee_exact_compare, ee_numeric_compare, ee_date_compare, ee_fuzzy_compare,
    ee_pattern_compare, ee_one_of_compare, ee_set_compare, ee_ignore_compare, ee_auto_compare, ee_custom_compare,
    ee_semantic_compare, ee_iou_compare, ee_distance_compare;

/* What compares the elements of ee.set; NULL for equality and for any other strategy. */
const ee_strategy *ee_set_match(const ee_strategy *strategy);

/* Checks the definition of a project's own strategy and the options of `spec`, a node of that strategy. */
void ee_own_strategy_check(ee_plan_builder *builder, const ee_rule_node *node);

/* Equal as SEMANTICS says; two texts are decided here, since most values are texts. */
static inline bool ee_values_same(const ee_value *a, const ee_value *b) {
  if (((a->json.type ^ b->json.type) & 0xff) != 0) return false;
  if ((a->json.type & 0xff) == cJSON_String) {
    return a->length == b->length && memcmp(a->json.valuestring, b->json.valuestring, a->length) == 0;
  }
  return ee_value_equal(a, b);
}

/* The usual outcomes. */
static inline void ee_comparison_match(ee_comparison *result) {
  *result = (ee_comparison){.score = 1, .matched = true, .similarity = 1};
}
static inline void ee_comparison_miss(ee_comparison *result, ee_reason reason) {
  *result = (ee_comparison){.reason = reason};
}
/* A value in error. */
static inline void ee_comparison_fail(ee_comparison *result, ee_reason reason) {
  *result = (ee_comparison){.failed = true, .reason = reason};
}
/* A miss of two values that are not equal: of different types, or of different value. */
void ee_comparison_differ(ee_comparison *result, const ee_value *expected, const ee_value *candidate);
/* A script's error: recorded, and told as the reason. */
void ee_comparison_script_error(ee_comparison *result, ee_context *context, const ee_error *error);

/* Applies the strategy's normal forms or function to `value`. `*out` is `value` itself where nothing changed, NULL
 * where the function gave nothing, else a new value in the case's arena. False with `result` filled when the function
 * raised. */
bool ee_strategy_normalize(const ee_strategy *strategy, ee_context *context, const ee_value *value,
                           const ee_value **out, ee_comparison *result);

#endif
