/* field_list.h: the strategies that stand in a judge.
 *
 * Shared by fields and line_items. */
#ifndef EE_JUDGE_FIELDS_FIELD_LIST_H
#define EE_JUDGE_FIELDS_FIELD_LIST_H

#include "judge/fields/field.h"

typedef struct ee_field_list {
  const ee_field *fields; /* those that are judged, in the order of the rule file; names are distinct */
  size_t count;
  const ee_field *ignored; /* those of ee.ignore, which takes its path out of the list */
  size_t ignored_count;
} ee_field_list;

/* Compiles the positional values of `spec` from `first` on, which must be strategies. Reports what is none, a name that
 * stands twice (with both lines) and weights that add up to 0 or to infinity. `subject` is how messages call the judge.
 * Without wildcards the paths are those of an item, in which ee.line_items may stand too: it is passed over. */
void ee_field_list_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, size_t first,
                           bool allow_wildcard, ee_field_list *list);

/* True when judging one of the fields may enter the script. */
bool ee_field_list_calls_script(const ee_field_list *list);
bool ee_field_calls_script(const ee_field *field);
/* True when judging one of the fields may ask a provider. */
bool ee_field_list_uses_provider(const ee_field_list *list);

/* The names of the fields as attributes, in the plan's arena. */
const ee_attribute *ee_field_list_attributes(ee_plan_builder *builder, const ee_field_list *list);

/* Prints the fields for `evalengine check`, a line each, indented by two spaces. */
void ee_field_list_print(const ee_field_list *list, ee_buffer *out);

/* Whether a field is judged in the current case. */
typedef struct ee_condition {
  bool judged;  /* `when` said yes, or there is none */
  bool failed;  /* `when` raised an error, which is recorded; judged is true then */
  ee_str error; /* "file:line: message" */
} ee_condition;

/* Asks the field's `when`: once a case and judge. */
ee_condition ee_field_condition(const ee_field *field, ee_context *context);

/* ee_field_judge(), or for a condition that failed: score 0 and its error as reason, and a value on both sides is a
 * wrong one. */
void ee_field_judge_when(const ee_field *field, const ee_condition *condition, ee_field_rules rules,
                         ee_context *context, const ee_value *expected, const ee_value *candidate,
                         const ee_script_place *place, ee_field_outcome *outcome);

/* True when the outcome is a match: both equal enough, or both empty, and nothing failed. */
static inline bool ee_outcome_matched(const ee_field_outcome *outcome) {
  return (outcome->value_class == EE_CLASS_TP || outcome->value_class == EE_CLASS_TN) && !outcome->comparison.failed;
}

/* What a strategy's function is told of `field`. */
ee_script_place ee_field_place(const ee_field *field, const ee_value *expected_item, const ee_value *candidate_item);

#endif
