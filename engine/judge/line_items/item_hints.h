/* item_hints.h: items that look like one item split in two, or like two items merged.
 *
 * of ee.line_items. Hints explain; they never change a score. */
#ifndef EE_JUDGE_LINE_ITEMS_ITEM_HINTS_H
#define EE_JUDGE_LINE_ITEMS_ITEM_HINTS_H

#include "judge/line_items/item_lists.h"
#include "judge/line_items/item_report.h"

/* Finds split items (an expected item whose texts in the match fields are nearly those of two candidate items one
 * behind the other) and merged ones (the other way round) in lists that were paired and scored. The whole item has no
 * partner, or has one of the two parts for a partner; of the parts one at least has no partner. Pairs of a similarity
 * of 0.9 or more are left alone. Where numeric score fields have values, at least one must be the sum of the parts'
 * values.
 *
 * Up to 24 items without partner are tried in all pairs, more only with their neighbours in the list; the number of
 * comparisons is bounded. Sets the report's hints, in the order of the whole items, split ones first. */
void ee_item_hints_find(const ee_item_lists *lists, ee_item_report *report);

/* "; expected item 3 looks split into 4 and 5; candidate item 0 looks merged from 1 and 2; 2 more hints": what a
 * reasoning goes on with, items as their lists number them; at most three in words; "" when there is no hint. */
const char *ee_item_hints_text(const ee_item_report *report, ee_arena *arena);

#endif
