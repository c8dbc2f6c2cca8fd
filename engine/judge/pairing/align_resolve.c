/* align_resolve.c: the best pairs out of the possible ones by greedy, with as little comparing of ties as will do.
 *
 * Greedy matching depends only on the order of pairs that share an item. So the second key (score fields that match) is
 * computed only for pairs that tie on the first with one that shares an item, and the third (the items' canonical
 * order) only when such a tie is left after the second. */
#include "judge/pairing/align_parts.h"

/* The place of each item among all in canonical order; equal items share one, and their indices decide. Only rows with
 * `wanted` are ranked. */
static uint32_t *rank_rows(const ee_item_table *table, const bool *wanted, ee_arena *arena) {
  uint32_t *ranks = EE_NEW_ARRAY(arena, uint32_t, table->rows), *rows;
  size_t count = ee_align_order_rows(table, wanted, &rows, arena);
  for (size_t i = 1; i < count; i++) {
    bool same = ee_value_compare(table->filled[rows[i - 1]], table->filled[rows[i]], arena) == 0;
    ranks[rows[i]] = ranks[rows[i - 1]] + (same ? 0 : 1);
  }
  return ranks;
}

static void set_ranks(const ee_aligner *aligner, ee_pair *pairs, size_t count, const bool *tied) {
  ee_arena *arena = aligner->context->arena;
  bool *rows = EE_NEW_ARRAY(arena, bool, aligner->expected->rows);
  bool *columns = EE_NEW_ARRAY(arena, bool, aligner->candidate->rows);
  for (size_t i = 0; i < count; i++) {
    if (!tied[i]) continue;
    rows[pairs[i].row] = true;
    columns[pairs[i].column] = true;
  }
  const uint32_t *row_ranks = rank_rows(aligner->expected, rows, arena);
  const uint32_t *column_ranks = rank_rows(aligner->candidate, columns, arena);
  for (size_t i = 0; i < count; i++) {
    if (!tied[i]) continue;
    pairs[i].row_rank = row_ranks[pairs[i].row];
    pairs[i].column_rank = column_ranks[pairs[i].column];
  }
}

size_t ee_align_take_single(ee_aligner *aligner, ee_pair *pairs, size_t count) {
  ee_arena *arena = aligner->context->arena;
  uint32_t *rows = EE_NEW_ARRAY(arena, uint32_t, aligner->expected->rows);
  uint32_t *columns = EE_NEW_ARRAY(arena, uint32_t, aligner->candidate->rows);
  for (size_t i = 0; i < count; i++) {
    rows[pairs[i].row]++;
    columns[pairs[i].column]++;
  }
  size_t rest = 0;
  for (size_t i = 0; i < count; i++) {
    if (rows[pairs[i].row] == 1 && columns[pairs[i].column] == 1) {
      ee_align_take(aligner, pairs[i].row, pairs[i].column, pairs[i].similarity);
    } else {
      pairs[rest++] = pairs[i];
    }
  }
  return rest;
}

void ee_align_resolve(ee_aligner *aligner, ee_pair *pairs, size_t count) {
  count = ee_align_take_single(aligner, pairs, count);
  if (count == 0) return;
  ee_arena *arena = aligner->context->arena;
  bool *tied = ee_arena_alloc(arena, count * sizeof *tied);
  if (ee_align_mark_ties(pairs, count, tied, arena)) {
    ee_align_count_matches(aligner, pairs, count, tied);
    if (ee_align_mark_ties(pairs, count, tied, arena)) set_ranks(aligner, pairs, count, tied);
  }
  size_t taken = ee_greedy_match(pairs, count, aligner->expected->rows, aligner->candidate->rows, arena);
  for (size_t i = 0; i < taken; i++) ee_align_take(aligner, pairs[i].row, pairs[i].column, pairs[i].similarity);
}
