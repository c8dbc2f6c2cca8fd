/* assign.h: pairing the rows of a similarity matrix with its columns.
 *
 * Layer: prim. */
#ifndef EE_PRIM_ASSIGN_H
#define EE_PRIM_ASSIGN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* One possible pair. Candidates below the caller's threshold are not listed. */
typedef struct ee_pair {
  uint32_t row, column;
  double similarity; /* not NaN */
  uint32_t matches;  /* second key: more is better */
  uint32_t row_rank, column_rank; /* third key: less is better, rows before columns */
} ee_pair;

/* Greedy matching: takes the best remaining pair whose row and column are both free, until none is left. Best: highest
 * similarity, then most matches, then lowest row_rank, column_rank, row, column. Sorts `pairs` in place, writes the pairs
 * taken to its front in that order, and returns their number. `rows` and `columns` bound the indices. O(n log n). */
size_t ee_greedy_match(ee_pair *pairs, size_t count, size_t rows, size_t columns, ee_arena *scratch);

#endif
