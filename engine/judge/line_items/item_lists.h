/* item_lists.h: scoring two lists of items field by field, and the lists inside of their items.
 *
 * of ee.line_items. Everything lives in the case's arena. */
#ifndef EE_JUDGE_LINE_ITEMS_ITEM_LISTS_H
#define EE_JUDGE_LINE_ITEMS_ITEM_LISTS_H

#include "judge/findings.h"
#include "judge/line_items/line_items.h"

/* What all lists of a case add to. */
typedef struct ee_item_scorer {
  ee_context *context;
  ee_arena *arena;
  const ee_judge *judge;
  const ee_condition *conditions; /* of all declared fields */
  ee_findings *findings;          /* NULL: nothing is told, only counted */
  size_t quiet;                   /* within items without partner, of which one miss tells enough */
  ee_script_part *parts;          /* counts: of the judge's attributes, then of those that only the data knows */
  size_t part_count, part_capacity;
  ee_item_columns names; /* of the latter */
  size_t alone;          /* items without partner, on any level */
  bool failed;           /* something is no list, or too much */
} ee_item_scorer;

/* A scorer that has counted nothing; `collector` may be NULL. Asks the conditions of the fields, and knows no
 * attributes but the judge's, unless it shall score once more what `before` (or NULL) scored, and takes both from
 * there. */
void ee_item_scorer_start(ee_item_scorer *scorer, const ee_judge *judge, ee_context *context, ee_findings *findings,
                          const ee_item_scorer *before);

/* Two lists under way. */
typedef struct ee_item_lists {
  const ee_line_items *items;
  ee_item_scorer *scorer;
  const struct ee_item_lists *around; /* NULL: the outermost */
  uint32_t place;                     /* inside another list: which item of that one, as findings call it */
  ee_str path;                        /* how findings call this list; made when it is first needed */
  ee_item_table expected, candidate;
  ee_aligner aligner;
  ee_match_rule match; /* the compiled one, or with the keys of the data */
  const ee_item_field *fields;
  const ee_condition *conditions; /* one a field */
  size_t field_count;
  bool compared; /* paired by both methods */
  size_t pairs, missing, extra;
} ee_item_lists;

/* The list on one side: NULL when there is none. `*is_list` is false for a value that is no list. */
const ee_value *ee_item_list_find(const ee_line_items *items, const ee_value *root, ee_context *context, bool *is_list);

/* Sets up two lists (NULL: none), which need not come from the same place. */
void ee_item_lists_start(ee_item_lists *lists, const ee_line_items *items, ee_item_scorer *scorer,
                         const ee_value *expected, const ee_value *candidate);

/* Pairs the items and reads the values that will be compared. With `other` (may be NULL), where the list asks for
 * methods to be compared and it can be done, the items are paired by the other one of greedy and optimal too, into
 * `other`; lists->compared tells. False, with pairs that mean nothing, when the pairing hangs on answers that are open.
 */
bool ee_item_lists_align(ee_item_lists *lists, ee_aligner *other);

/* Counts, and tells, what is right and wrong in pairs and in items without partner, by the pairs of lists->aligner.
 * True when nothing is wrong. */
bool ee_item_lists_score(ee_item_lists *lists);

#endif
