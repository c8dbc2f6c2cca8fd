/* field.h: one field of a judge: a path, a strategy and how much it counts.
 *
 * Shared by fields (paths in the document) and line_items (paths in an item). The one place that classes a
 * pair of values. */
#ifndef EE_JUDGE_FIELDS_FIELD_H
#define EE_JUDGE_FIELDS_FIELD_H

#include "data/json/path.h"
#include "judge/judge.h"
#include "judge/strategy/strategy.h"

typedef struct ee_field {
  ee_str name; /* `name`, else the path as written: the attribute */
  const ee_path *expected_path;
  const ee_path *candidate_path; /* the same unless `candidate` is given */
  const ee_strategy *strategy;
  double weight;
  bool required;
  int when;     /* or EE_NO_FUNCTION */
  bool ignored; /* ee.ignore: judged nowhere */
} ee_field;

/* One pair of values, classed and scored. */
typedef struct ee_field_outcome {
  ee_class value_class;
  double score;             /* 0..1 */
  bool scored;              /* false: weight 0 (optional and missing; tn or on_unexpected = "skip") */
  ee_comparison comparison; /* reason for the hit or miss */
} ee_field_outcome;

typedef enum ee_tn_rule { EE_TN_SCORE, EE_TN_SKIP } ee_tn_rule;
typedef enum ee_unexpected_rule { EE_UNEXPECTED_FAIL, EE_UNEXPECTED_SKIP, EE_UNEXPECTED_PASS } ee_unexpected_rule;
typedef struct ee_field_rules {
  ee_tn_rule tn;
  ee_unexpected_rule unexpected;
} ee_field_rules;

/* Compiles a strategy node with its path; `allow_wildcard` for ee.fields. Mistakes go to the builder's errors; false
 * then. */
bool ee_field_compile(ee_plan_builder *builder, const ee_rule_node *node, bool allow_wildcard, ee_field *field);

/* Reports the options weight, required, candidate, when and name at a strategy that is not a field: "SUBJECT takes no
 * 'weight'". */
void ee_field_refuse_options(ee_plan_builder *builder, const ee_rule_node *node, const char *subject);

/* Classes and scores `expected` against `candidate` (either may be NULL): one pair of values, of one place without
 * wildcards. Whether the field is judged in this case at all (`when`) was asked before: see field_list.h. */
void ee_field_judge(const ee_field *field, ee_field_rules rules, ee_context *context, const ee_value *expected,
                    const ee_value *candidate, const ee_script_place *place, ee_field_outcome *outcome);

/* Prints "path  strategy(options)  weight 3" for `evalengine check`, without an end of line. */
void ee_field_print(const ee_field *field, ee_buffer *out);

#endif
