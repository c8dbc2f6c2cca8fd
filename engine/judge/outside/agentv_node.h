/* agentv_node.h: one evaluator of a YAML data set as a node of a rule tree.
 *
 * c and the evaluator_*.c beside it. */
#ifndef EE_JUDGE_OUTSIDE_AGENTV_NODE_H
#define EE_JUDGE_OUTSIDE_AGENTV_NODE_H

#include "data/files/case_file.h"
#include "judge/plan.h"

typedef enum ee_agentv_kind {
  EE_AGENTV_FIELDS, /* field_accuracy */
  EE_AGENTV_IOU,    /* iou_score */
  EE_AGENTV_CODE,   /* code_judge */
  EE_AGENTV_NONE    /* a type that is left out, or a mistake */
} ee_agentv_kind;

/* Something that is told once, however often it is there. */
typedef struct ee_agentv_word {
  const char *what; /* "of type 'llm_judge'"; or the option, where `is_option` */
  const char *why;  /* "that needs a model" */
  bool is_option;
  const ee_value *first; /* the node, for its place */
  ee_str name;           /* the first evaluator's; data NULL: it has none */
  size_t count;
} ee_agentv_word;

#define EE_AGENTV_REPORTED 500

typedef struct ee_agentv_builder {
  const ee_case_file *file;
  ee_arena *arena;
  ee_error_list *errors;
  size_t mistakes, warnings; /* so many there were; no more than EE_AGENTV_REPORTED of each are told one by one */
  ee_agentv_word *words;     /* what is left out */
  size_t word_count, word_capacity;
} ee_agentv_builder;

/* Telling -------------------------------------------------------------------------------------- */

/* Adds a mistake (EE_ERROR_RULES) or a warning (EE_OK) at the place of `node`. */
void ee_agentv_report(ee_agentv_builder *builder, ee_status status, const ee_value *node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Notes one more evaluator, `name`, of which `what` is left out; the texts live as long as the arena. */
void ee_agentv_note(ee_agentv_builder *builder, const char *what, const char *why, bool is_option, const ee_value *node,
                    ee_str name);
/* Tells of all that was noted, one warning a word, and how much was not told. */
void ee_agentv_report_words(ee_agentv_builder *builder);

/* For messages: " (did you mean 'x'?)" or nothing; a name in quotes, cut; "evaluator 'header'". In the arena. */
const char *ee_agentv_suggestion(ee_agentv_builder *builder, ee_str word, const char *const *words);
const char *ee_agentv_quoted(ee_agentv_builder *builder, ee_str name);
const char *ee_agentv_subject(ee_agentv_builder *builder, ee_str name);

/* Types ---------------------------------------------------------------------------------------- */

/* "tool-trajectory" as "tool_trajectory". */
const char *ee_agentv_word_of(ee_arena *arena, ee_str word);

/* What the mapping `node` is. A type that is known and left out is noted; an unknown one is a mistake. */
ee_agentv_kind ee_agentv_kind_of(ee_agentv_builder *builder, const ee_value *node);

/* What the evaluator is called: its `name` or `metric`, else its type. */
ee_str ee_agentv_name(ee_agentv_builder *builder, ee_agentv_kind kind, const ee_value *node);

/* Whether `metric` of an iou_score says which overlap is meant, as in ee.iou_score: where it is one of its words, or
 * the name stands elsewhere. Otherwise it is the name. */
bool ee_agentv_is_overlap(const ee_value *node);

/* Nodes ---------------------------------------------------------------------------------------- */

/* A node while it is made. */
typedef struct ee_agentv_node {
  ee_agentv_builder *builder;
  ee_rule_node *node;
  ee_rule_option *options;
  const char *subject;            /* how messages call it: "evaluator 'header'" */
  const ee_option *const *tables; /* rows of the options that are checked, NULL-terminated */
} ee_agentv_node;

/* Rows of what evaluators of every type have: name, metric, type, min_score, required. */
extern const ee_option ee_agentv_rows[];

/* A value as the rule tree holds it; members that are null are left out. */
ee_rule_value ee_agentv_value(ee_agentv_builder *builder, const ee_value *value);

/* Begins the node of `kind` that the mapping `value` becomes. */
ee_agentv_node ee_agentv_start(ee_agentv_builder *builder, const char *kind, const ee_value *value, const char *subject,
                               const ee_option *const *tables);
/* The options in their order. */
const ee_rule_node *ee_agentv_finish_node(ee_agentv_node *n);
/* The same of an evaluator, with its name where no key gave it. */
const ee_rule_node *ee_evaluator_finish(ee_agentv_node *n, ee_str name);

static inline bool ee_agentv_is_key(const ee_value *member, const char *name) {
  return ee_str_is(ee_value_key(member), name);
}
/* Checks `member`, which is `value`, against the rows; mistakes stand at its own place. */
bool ee_agentv_check(ee_agentv_node *n, const ee_value *member, const ee_rule_value *value);
/* Adds an option without a check; false when it is there already, which is a mistake at `member`. A mapping has room
 * for an option a member, and for four more. */
bool ee_agentv_set(ee_agentv_node *n, const char *name, ee_rule_value value, const ee_value *member);
/* Checks `member` and adds it as the option `name` (NULL: its key). */
void ee_agentv_add(ee_agentv_node *n, const ee_value *member, const char *name);
/* Makes `member`, when it is well, the node's only positional value. */
void ee_agentv_set_item(ee_agentv_node *n, const ee_value *member);
/* Takes a key that evaluators of every type have; false when `member` is none. `name` is what the evaluator is called.
 */
bool ee_agentv_take_common(ee_agentv_node *n, const ee_value *member, ee_str name);

/* The node of an evaluator called `name`. Unknown keys and wrong values are mistakes. */
const ee_rule_node *ee_agentv_fields_to_node(ee_agentv_builder *builder, const ee_value *value, ee_str name);
const ee_rule_node *ee_agentv_iou_to_node(ee_agentv_builder *builder, const ee_value *value, ee_str name);
const ee_rule_node *ee_agentv_code_to_node(ee_agentv_builder *builder, const ee_value *value, ee_str name);

#endif
