/* line_items.h: the compiled ee.line_items.
 *
 * Layer: judge. */
#ifndef EE_JUDGE_LINE_ITEMS_H
#define EE_JUDGE_LINE_ITEMS_H

#include "judge/align.h"
#include "judge/plan.h"

typedef struct ee_line_items {
  const ee_path *path;         /* of the list, in both documents */
  ee_field_list list;          /* the score fields of the rule file; none: the keys of the data */
  const ee_item_field *fields; /* those of `list` with their columns */
  ee_item_columns columns;     /* of match and score fields */
  ee_match_rule match;
  bool match_score_fields;      /* match = "fields" */
  bool equal_first;             /* equal items may be paired before anything is compared */
  const ee_strategy *automatic; /* what compares the keys of the data; NULL when there are declared fields */
} ee_line_items;

/* Options of the table `match`, for checks and documentation. */
extern const ee_option ee_line_items_match_options[];
extern const ee_option ee_line_items_options[];

/* Compiles the node: the judge record's compile(). */
void ee_line_items_compile(ee_plan_builder *builder, const ee_spec *spec, ee_judge *judge);

#endif
