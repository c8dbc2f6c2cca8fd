/* assign.c: greedy pairing of rows with columns. */
#include "prim/assign.h"

#include <stdbool.h>

#include "prim/sort.h"

/* The order of greedy matching; total, so that the order of the input does not matter. */
static bool pair_before(const ee_pair *a, const ee_pair *b) {
  if (a->similarity != b->similarity) return a->similarity > b->similarity;
  if (a->matches != b->matches) return a->matches > b->matches;
  if (a->row_rank != b->row_rank) return a->row_rank < b->row_rank;
  if (a->column_rank != b->column_rank) return a->column_rank < b->column_rank;
  if (a->row != b->row) return a->row < b->row;
  return a->column < b->column;
}

EE_DEFINE_SORT(sort_pairs, ee_pair, pair_before)

size_t ee_greedy_match(ee_pair *pairs, size_t count, size_t rows, size_t columns, ee_arena *scratch) {
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  sort_pairs(pairs, count, scratch);
  bool *row_taken = EE_NEW_ARRAY(scratch, bool, rows);
  bool *column_taken = EE_NEW_ARRAY(scratch, bool, columns);
  size_t taken = 0, most = rows < columns ? rows : columns;
  for (size_t i = 0; i < count && taken < most; i++) {
    if (row_taken[pairs[i].row] || column_taken[pairs[i].column]) continue;
    row_taken[pairs[i].row] = true;
    column_taken[pairs[i].column] = true;
    pairs[taken++] = pairs[i];
  }
  ee_arena_rewind(scratch, mark);
  return taken;
}
