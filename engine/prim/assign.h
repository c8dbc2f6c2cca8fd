/* assign.h: pairing the rows of a similarity matrix with its columns. */
#ifndef EE_PRIM_ASSIGN_H
#define EE_PRIM_ASSIGN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* A possible pair. Pairs below the caller's threshold are not listed. */
typedef struct ee_pair {
  uint32_t row, column;
  double similarity;              /* not NaN */
  uint32_t matches;               /* second key: more is better */
  uint32_t row_rank, column_rank; /* third key: lower is better, rows before columns */
} ee_pair;

/* Greedy matching: takes the best remaining pair whose row and column are both free, until none is left. The best pair
 * has the highest similarity, then the most matches, then the lowest row_rank, column_rank, row, column. Sorts `pairs`
 * in place, writes the chosen pairs to the front in that order, and returns their number. Indices are below `rows` and
 * `columns`. O(n log n). */
size_t ee_greedy_match(ee_pair *pairs, size_t count, size_t rows, size_t columns, ee_arena *scratch);

/* The same choice from a matrix of similarities (rows * columns, row by row; not NaN): all above 0 are possible pairs
 * without matches, ranked by their indices. `column_of` gets the column of each row, or UINT32_MAX. At
 * most `at_once` pairs (at least 1) are listed at a time: the best of those that are left, so that memory is that of
 * `at_once` pairs and 512 KiB. O(rows * columns) if that many are enough, at worst times (rows + columns) ^ 2 /
 * at_once. */
void ee_greedy_dense(const double *similarities, size_t rows, size_t columns, size_t at_once, uint32_t *column_of,
                     ee_arena *scratch);

/* Optimal matching: the one-to-one pairing of largest total similarity among the listed pairs (similarities finite and
 * > 0; only listed pairs are possible; rows and columns may stay unpaired). The choice among equally good pairings
 * depends only on the set of pairs, not on their order. Writes the chosen pairs to the front of `pairs`, sorted by row,
 * and returns their number. Similarities are rounded to whole multiples of 2^-60 of the largest one, so that sums are
 * exact.
 *
 * Rows are added one by one over the best augmenting path (Jonker and Volgenant 1987; Dijkstra's search over
 * whole-number prices). A search ends as soon as no path can be better than leaving a row unpaired, so unconnected
 * parts of a sparse graph do not slow each other down. O(rows * count * log count) at worst. `limit` bounds the steps
 * of all searches (0: no limit; independent of the order of `pairs`): beyond it SIZE_MAX is returned and nothing is
 * paired. Uses about 80 bytes of `scratch` per pair, which is rewound. */
size_t ee_optimal_match(ee_pair *pairs, size_t count, size_t rows, size_t columns, uint64_t limit, ee_arena *scratch);

/* Optimal matching where row r represents row_copies[r] equal rows and column c column_copies[c] equal columns, at the
 * cost of one each: times[i] gets how often pair i of the result was chosen. `times` has room for `count`. */
size_t ee_optimal_match_copies(ee_pair *pairs, size_t count, const uint32_t *row_copies, size_t rows,
                               const uint32_t *column_copies, size_t columns, uint32_t *times, uint64_t limit,
                               ee_arena *scratch);

/* Dense optimal assignment: the cheapest pairing of min(rows, columns) rows and columns of a matrix of costs, finite or
 * INFINITY (rows * columns, row by row). An infinite cost forbids its pair: as many pairs as possible are made of the
 * others, and of those pairings the cheapest is taken. By rectangular shortest augmenting paths (Jonker and Volgenant
 * 1987; Crouse 2016). `column_of` gets the column of each row, or UINT32_MAX. The choice among equally cheap pairings
 * depends only on the matrix. Returns the total, added up in the order of the rows. O(min^2 * max). */
double ee_assign_dense(const double *costs, size_t rows, size_t columns, uint32_t *column_of, ee_arena *scratch);
/* The same without AVX2, for tests and benchmarks. */
double ee_assign_dense_portable(const double *costs, size_t rows, size_t columns, uint32_t *column_of,
                                ee_arena *scratch);

#endif
