/* field.h: a field of a judge: a path, a strategy and its weight; the one place that classes a pair of values.
 *
 * Shared by ee.fields (paths in the document) and ee.line_items (paths in an item). */
#ifndef EE_JUDGE_FIELDS_FIELD_H
#define EE_JUDGE_FIELDS_FIELD_H

#include "data/json/path.h"
#include "judge/judge.h"
#include "judge/strategy/strategy.h"

typedef enum ee_several {
  EE_SEVERAL_NONE,
  EE_SEVERAL_VALUES,  /* an expected array: `alternatives = true` */
  EE_SEVERAL_ARRAYS,  /* an expected array of arrays, where values are arrays */
  EE_SEVERAL_OBJECTS, /* only { anyOf = [...] }, which the two above take as well */
  EE_SEVERAL_PATHS    /* ee.any_of: expected values are arrays of those at its paths */
} ee_several;

typedef struct ee_field {
  ee_str name; /* `name`, else the path as written: the attribute */
  const ee_path *expected_path;
  const ee_path *candidate_path; /* the same unless `candidate` is given */
  const ee_strategy *strategy;
  double weight;
  bool required;
  int when;                                     /* or EE_NO_FUNCTION */
  bool ignored;                                 /* ee.ignore: not judged */
  const struct ee_field_confidence *confidence; /* where candidates say how sure they are of it; NULL: nowhere */
  bool pairs_nodes;                             /* a path is a query whose nodes are paired by position; see fields.c */
  ee_several several;                           /* what may hold several right answers, see alternatives.h */
  const ee_rule_node *node;                     /* as written */
} ee_field;

/* Compiles a strategy node with its path; [*] is an error without `allow_wildcard`. False with errors. */
bool ee_field_compile(ee_plan_builder *builder, const ee_rule_node *node, bool allow_wildcard, ee_field *field);

/* Prints "path  strategy(options)  weight 3" for `evalengine check`, without an end of line. */
void ee_field_print(const ee_field *field, ee_buffer *out);

/* Reports the options weight, required, candidate, when and name at a strategy that is not a field: "SUBJECT must not
 * have the option 'weight'". */
void ee_field_refuse_options(ee_plan_builder *builder, const ee_rule_node *node, const char *subject);

/* An option whose keys are paths and whose values are strategies: `strategies = { total = ee.numeric {} }`. */
typedef struct ee_strategy_table {
  const char *subject; /* the judge, in messages: "ee.quality" */
  const char *option;  /* "strategies" */
  const char *key_is;  /* what the key of a strategy is: "its path is the key" */
} ee_strategy_table;

/* Compiles the strategy of the key `key`, which has neither a path nor a field's options. NULL with errors. */
const ee_strategy *ee_strategy_table_compile(ee_plan_builder *builder, const ee_rule_node *node,
                                             const ee_strategy_table *table, ee_str key);

/* True when two equal values always match with score 1 and without calling a script. */
static inline bool ee_field_is_reflexive(const ee_field *field) {
  return field->several == EE_SEVERAL_NONE && ee_strategy_is_reflexive(field->strategy);
}

/* True when judging the field may enter the script. */
bool ee_field_calls_script(const ee_field *field);

/* Lists of fields ------------------------------------------------------------------------------ */

typedef struct ee_field_list {
  const ee_field *fields; /* those that are judged, in the order of the rule file; names are distinct */
  size_t count;
  const ee_field *ignored; /* those of ee.ignore, which takes its path out of the list */
  size_t ignored_count;
  const struct ee_confidence_rules *confidence; /* NULL: candidates have no confidences, and nothing has a cost */
} ee_field_list;

/* Compiles the positional values of `node` from index `first` on, which must be strategies. Reports other values, names
 * that occur twice (with both lines) and weights that sum to 0 or to infinity. `subject` begins the messages
 * ("ee.fields"). Without `allow_wildcard` the paths are those inside an item, and ee.line_items among them are skipped.
 */
void ee_field_list_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, size_t first,
                           bool allow_wildcard, ee_field_list *list);

/* True when judging one of the fields may enter the script. */
bool ee_field_list_calls_script(const ee_field_list *list);
/* True when judging one of the fields may ask a provider. */
bool ee_field_list_uses_provider(const ee_field_list *list);

/* The field's value in what its path has in a candidate: without the object around it that holds its confidence. */
const ee_value *ee_field_unwrap(const ee_field *field, const ee_value *candidate, ee_arena *arena);

/* Prints the fields for `evalengine check`, a line each, indented by two spaces. */
void ee_field_list_print(const ee_field_list *list, ee_buffer *out);

/* Shows the field's values on one side of a document or item to its strategy, as in ee_judge_type.show_values. */
void ee_field_show(const ee_field *field, ee_document_side document, const ee_value *root,
                   struct ee_decimal_votes *votes, ee_arena *arena);

/* Judging -------------------------------------------------------------------------------------- */

/* Whether a field is judged in the current case. */
typedef struct ee_condition {
  bool judged;  /* `when` returned true, or there is none */
  bool failed;  /* `when` raised an error, which is recorded; judged is true then */
  ee_str error; /* "file:line: message" */
} ee_condition;

/* Calls the field's `when`: once a case and judge. */
ee_condition ee_field_condition(const ee_field *field, ee_context *context);

typedef enum ee_tn_rule { EE_TN_SCORE, EE_TN_SKIP } ee_tn_rule;
typedef enum ee_unexpected_rule { EE_UNEXPECTED_FAIL, EE_UNEXPECTED_SKIP, EE_UNEXPECTED_PASS } ee_unexpected_rule;
typedef struct ee_field_rules {
  ee_tn_rule tn;
  ee_unexpected_rule unexpected;
} ee_field_rules;

/* One pair of values, classed and scored. */
typedef struct ee_field_outcome {
  ee_class value_class;
  double score;             /* 0..1 */
  bool scored;              /* false: weight 0 (optional and missing; unread; tn or on_unexpected = "skip") */
  ee_comparison comparison; /* with the reason for the hit or miss */
  const ee_value *answer;   /* which of several right answers was compared; else NULL */
} ee_field_outcome;

/* True when the outcome is a match: both equal enough, or both empty, and nothing failed. */
static inline bool ee_outcome_matched(const ee_field_outcome *outcome) {
  return (outcome->value_class == EE_CLASS_TP || outcome->value_class == EE_CLASS_TN) && !outcome->comparison.failed;
}

/* ee_value_is_empty() with a short way for nearly all values: numbers, and strings that begin with a byte of no white
 * space when no strings are listed as empty. */
static inline bool ee_field_value_is_empty(const ee_value *value, const ee_empty_rule *rule) {
  if (value != NULL && rule->null_value_count == 0) {
    ee_type type = ee_type_of(value);
    if (type == EE_NUMBER) return false;
    unsigned char first = type == EE_STRING ? (unsigned char)value->json.valuestring[0] : 0;
    if (first > ' ' && first != 0x7f && first != 0xc2 && (first < 0xe1 || first > 0xe3)) return false;
  }
  return ee_value_is_empty(value, rule);
}

/* True when nothing is expected; where the candidate is empty (`no_candidate`), also when nothing is one of several
 * correct answers. */
bool ee_field_expects_nothing(const ee_field *field, const ee_value *expected, bool no_candidate);

/* The expected value, or the first of several correct answers, that is not empty and cannot be read by the strategy;
 * NULL if there is none. Where the candidate is empty (`no_candidate`), an ambiguous date is missing, and not unread.
 */
const ee_value *ee_field_unread(const ee_field *field, const ee_value *expected, bool no_candidate, ee_arena *arena);

/* Classes and scores one pair of values (NULL: missing), without looking at `when`. */
void ee_field_judge(const ee_field *field, ee_field_rules rules, ee_context *context, const ee_value *expected,
                    const ee_value *candidate, const ee_script_place *place, ee_field_outcome *outcome);

/* The same for a field whose condition was asked: a failed condition gives score 0 with its error as reason, and counts
 * values on both sides as incorrect. */
void ee_field_judge_when(const ee_field *field, const ee_condition *condition, ee_field_rules rules,
                         ee_context *context, const ee_value *expected, const ee_value *candidate,
                         const ee_script_place *place, ee_field_outcome *outcome);

/* Adds the outcome to the counts of an attribute, and the values that the strategy could not read to the context's.
 * `place` is that of the miss, with its reason. */
void ee_field_count(const ee_field *field, ee_context *context, const ee_field_outcome *outcome, ee_str attribute,
                    int32_t slot, const ee_finding *place, const ee_value *expected, const ee_value *candidate,
                    ee_counts *counts);

/* Adds how the pair of values was judged to the context's outcomes, in full detail only. `place` as for a miss, its
 * reason included; `row` and `partner` as in ee_outcome. */
void ee_field_keep_outcome(const ee_field *field, ee_context *context, const ee_field_outcome *outcome,
                           ee_str attribute, const ee_finding *place, const ee_value *expected,
                           const ee_value *candidate, uint32_t row, uint32_t partner);

/* What a strategy's function gets to know about `field`; the items are NULL outside of lists. */
ee_script_place ee_field_place(const ee_field *field, const ee_value *expected_item, const ee_value *candidate_item);

#endif
