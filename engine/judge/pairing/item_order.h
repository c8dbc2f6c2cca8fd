/* item_order.h: line items whose inner lists stand in one order, whatever order they came in.
 *
 * The order of the items of a declared inner list means nothing, so it must not decide either which outer
 * items are equal, or which of two comes first. */
#ifndef EE_JUDGE_PAIRING_ITEM_ORDER_H
#define EE_JUDGE_PAIRING_ITEM_ORDER_H

#include "data/json/path.h"
#include "data/json/value.h"

/* A list inside the items, by its path in them, and the lists inside its own items. */
typedef struct ee_inner_list {
  const ee_path *path;
  const struct ee_inner_list *inner;
  size_t inner_count;
} ee_inner_list;

/* `item` without its empty members and with the elements of its inner lists, treated likewise, in the order of their
 * canonical JSON; `item` itself where nothing changes. New nodes in `arena`. O(n log n) comparisons for lists of n. */
const ee_value *ee_item_in_order(const ee_value *item, const ee_inner_list *inner, size_t count,
                                 const ee_empty_rule *empty, ee_arena *arena);

#endif
