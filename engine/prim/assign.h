/* assign.h: pairing the rows of a similarity matrix with its columns.
 */
#ifndef EE_PRIM_ASSIGN_H
#define EE_PRIM_ASSIGN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* One possible pair. Candidates below the caller's threshold are not listed. */
typedef struct ee_pair {
  uint32_t row, column;
  double similarity;              /* not NaN */
  uint32_t matches;               /* second key: more is better */
  uint32_t row_rank, column_rank; /* third key: less is better, rows before columns */
} ee_pair;

/* Greedy matching: takes the best remaining pair whose row and column are both free, until none is left. Best: highest
 * similarity, then most matches, then lowest row_rank, column_rank, row, column. Sorts `pairs` in place, writes the
 * pairs taken to its front in that order, and returns their number. `rows` and `columns` bound the indices. O(n log n).
 */
size_t ee_greedy_match(ee_pair *pairs, size_t count, size_t rows, size_t columns, ee_arena *scratch);

/* Optimal matching: the one-to-one pairing of largest total similarity among the listed pairs (similarities finite and
 * > 0; a pair that is not listed is not possible; rows and columns may stay alone). Where several are equally good the
 * choice depends only on the input, not on the order of `pairs`. Writes the pairs taken to the front of `pairs`, sorted
 * by row, and returns their number. Similarities are weighed as whole numbers, to 2^-60 of the largest one, so that no
 * rounding of sums can mislead the search.
 *
 * Rows join one by one by the best augmenting path (Jonker and Volgenant 1987; Dijkstra's search over whole-number
 * prices), which ends as soon as it cannot be better than to stay alone, so that parts of a sparse graph do not see
 * each other: O(rows * count * log count) at worst. `limit` bounds the steps of all searches (0: no limit), a count
 * that does not depend on the order of `pairs` either: past it SIZE_MAX is returned, and nothing is paired. Memory:
 * some 80 bytes a pair for a while. */
size_t ee_optimal_match(ee_pair *pairs, size_t count, size_t rows, size_t columns, uint64_t limit, ee_arena *scratch);

/* Dense optimal assignment: the cheapest pairing of min(rows, columns) rows and columns of a matrix of finite costs
 * (rows * columns, row by row). `column_of` gets each row's column or UINT32_MAX, by rectangular shortest augmenting
 * paths (Jonker and Volgenant 1987; Crouse 2016). Where several are equally cheap the choice depends only on the
 * matrix. Returns the total, added up in the order of the rows. O(min^2 * max). */
double ee_assign_dense(const double *costs, size_t rows, size_t columns, uint32_t *column_of, ee_arena *scratch);
/* The same pairs without the processor's wide instructions, for tests and benchmarks. */
double ee_assign_dense_portable(const double *costs, size_t rows, size_t columns, uint32_t *column_of,
                                ee_arena *scratch);

/* The same where row r stands for row_copies[r] equal rows and column c for column_copies[c] equal columns, at the cost
 * of one: times[i] tells how often the pair in the place i of the result was taken. `times` has room for `count`. */
size_t ee_optimal_match_copies(ee_pair *pairs, size_t count, const uint32_t *row_copies, size_t rows,
                               const uint32_t *column_copies, size_t columns, uint32_t *times, uint64_t limit,
                               ee_arena *scratch);

#endif
