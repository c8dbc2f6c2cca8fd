/* align_parts.h: what the files of an alignment share.
 *
 * */
#ifndef EE_JUDGE_PAIRING_ALIGN_PARTS_H
#define EE_JUDGE_PAIRING_ALIGN_PARTS_H

#include "judge/pairing/align.h"

/* Possible pairs, while they are found. */
typedef struct ee_pair_list {
  ee_pair *items;
  size_t count, capacity, limit;
  ee_arena *arena;
} ee_pair_list;

/* An empty list for at most `most` pairs, and no more than the rule's limit. */
void ee_pair_list_start(ee_pair_list *list, const ee_aligner *aligner, size_t most);
/* False when there are too many. */
bool ee_pair_list_add(ee_pair_list *list, uint32_t row, uint32_t column, double similarity);

/* Compares the rows that have no partner yet with the columns that have none, and pairs them by greedy. */
void ee_align_greedy(ee_aligner *aligner);

/* Pairs by the largest total similarity of `pairs`, which are changed; `greedy` has been paired by greedy. False when
 * it takes too many steps. */
bool ee_align_resolve_optimal(ee_aligner *aligner, const ee_aligner *greedy, ee_pair *pairs, size_t count);

/* Takes the pairs whose row and column stand in no other: the best choice by any method. Moves the others to the front
 * and returns their number. */
size_t ee_align_take_single(ee_aligner *aligner, ee_pair *pairs, size_t count);

/* Sets `tied` for pairs that share a row or column, similarity and matches with another; whether there are any.
 * O(count). */
bool ee_align_mark_ties(const ee_pair *pairs, size_t count, bool *tied, ee_arena *arena);

/* Sets `matches` of the pairs that are tied: score fields that match, doubled, and one more for equal items. */
void ee_align_count_matches(const ee_aligner *aligner, ee_pair *pairs, size_t count, const bool *tied);

/* The rows with `wanted`, sorted by their items' canonical order, equal items by index: all that these may differ in is
 * how an empty member is spelled. `*order` gets them; returns how many. */
size_t ee_align_order_rows(const ee_item_table *table, const bool *wanted, uint32_t **order, ee_arena *arena);

#endif
