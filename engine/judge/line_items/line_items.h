/* line_items.h: the compiled ee.line_items.
 */
#ifndef EE_JUDGE_LINE_ITEMS_LINE_ITEMS_H
#define EE_JUDGE_LINE_ITEMS_LINE_ITEMS_H

#include "judge/line_items/item_report.h"
#include "judge/pairing/align.h"
#include "judge/plan.h"

/* A list, and the lists inside its items. */
typedef struct ee_line_items {
  const ee_rule_node *node;
  const ee_path *path;          /* of the list: in both documents, or in the items of the list around it */
  ee_str name;                  /* of a list inside another: what the names of its fields begin with; else empty */
  ee_field_list list;           /* the score fields of the rule file */
  ee_item_field *fields;        /* those of `list` with their columns */
  struct ee_line_items *nested; /* lists inside the items, in the order of the rule file */
  size_t nested_count;
  ee_inner_list *inner; /* those of `nested` whose order means nothing */
  size_t inner_count;
  uint32_t first_condition; /* of `list` among the conditions of the whole judge, which come depth first */
  ee_item_columns columns;  /* of match and score fields */
  ee_match_rule match;
  bool match_score_fields;      /* match = "fields" */
  bool equal_first;             /* equal items have similarity 1 and match in every field, whatever the script */
  bool compare_methods;         /* of the outermost list */
  const ee_strategy *automatic; /* what compares the keys of the data, where neither field nor list is declared */
} ee_line_items;

/* Options of the table `match`, and of a list inside another, for checks and documentation. */
extern const ee_option ee_line_items_match_options[];
extern const ee_option ee_line_items_options[];
extern const ee_option ee_line_items_nested_options[];

/* Compiles the node: the judge record's compile(). */
void ee_line_items_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge);

/* Compiles the option `match` of `spec` into `items`, whose fields are there. */
void ee_line_items_compile_match(ee_plan_builder *builder, const ee_rule_node *node, ee_line_items *items);

/* Prints the list for `evalengine check`: the judge record's print(). */
void ee_line_items_print(const ee_judge *judge, ee_buffer *out);

/* The judge record's write_details(), of results whose `details` is an ee_item_report. */
void ee_line_items_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out);
/* How the items of a result of ee.line_items were paired; an empty report for results of other judges. */
const ee_item_report *ee_item_report_of(const ee_judge_result *result);

#endif
