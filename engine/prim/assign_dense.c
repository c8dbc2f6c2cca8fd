/* assign_dense.c: optimal assignment over a whole matrix of costs.
 *
 * First the rows bid for columns (the augmenting row reduction of Jonker and Volgenant 1987), which pairs most of them.
 * Each remaining row is added by a shortest augmenting path over reduced costs. There are never more rows than columns
 * (else the matrix is transposed), and an unpaired column keeps the price 0, so rectangular matrices need no padding
 * (Crouse 2016). */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/work.h"
#include "prim/assign.h"
#include "prim/magnitude.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_AVX2_SCANS 1
#include <immintrin.h>
#endif

#define NOBODY UINT32_MAX

/* Up to this cost sums of prices stay in the range of doubles; larger costs are scaled by a power of two. */
#define LARGEST_COST 1e290
#define LARGE_COST_EXPONENT (-64)

/* The passes over a row that take all the time. The result of each is independent of the order in which it visits
 * columns. */
typedef struct row_scans {
  /* The two smallest costs[i] - prices[i], which may be equal; infinity if there are fewer. */
  void (*two_smallest)(const double *costs, const double *prices, size_t count, double *first, double *second);
  /* If costs[i] - prices[i] - offset is less than distances[i], it replaces that, and came_from[i] becomes `row`.
   * Returns the smallest distance. */
  double (*offer)(const double *costs, const double *prices, size_t count, double offset, uint32_t row,
                  double *distances, uint32_t *came_from);
  /* The first i with values[i] == value and row_of[i] == NOBODY, else the first with values[i] == value. */
  size_t (*find)(const double *values, size_t count, double value, const uint32_t *row_of);
} row_scans;

typedef struct dense_problem {
  const row_scans *scans;
  const double *costs; /* rows * columns, rows <= columns */
  size_t rows, columns;
  double *prices;      /* of columns, at most 0; 0 while unpaired */
  uint32_t *row_of;    /* by column */
  uint32_t *column_of; /* by row */
  /* For the search of one path; columns already reached are excluded. */
  double *open_prices; /* the price; -infinity if reached, so that the reduced cost is infinite without a test */
  double *distances;   /* of columns; infinity if reached */
  uint32_t *came_from; /* the row before a column on the shortest path to it */
  uint32_t *reached;
  double *reached_at; /* the distances of the reached columns, in their order */
} dense_problem;

/* Scans ---------------------------------------------------------------------------------------- */

/* Updates the two smallest values. */
static inline void add_value(double value, double *first, double *second) {
  *second = ee_smaller(*second, ee_larger(*first, value));
  *first = ee_smaller(*first, value);
}

static void portable_two_smallest(const double *costs, const double *prices, size_t count, double *first,
                                  double *second) {
  double least = INFINITY, next = INFINITY;
  for (size_t i = 0; i < count; i++) {
    double value = costs[i] - prices[i];
    if (value < next) add_value(value, &least, &next); /* rare */
  }
  *first = least;
  *second = next;
}

static double portable_offer(const double *costs, const double *prices, size_t count, double offset, uint32_t row,
                             double *distances, uint32_t *came_from) {
  double nearest = INFINITY;
  for (size_t i = 0; i < count; i++) {
    double distance = costs[i] - prices[i] - offset;
    if (distance < distances[i]) {
      distances[i] = distance;
      came_from[i] = row;
    }
    nearest = ee_smaller(nearest, distances[i]);
  }
  return nearest;
}

static size_t portable_find(const double *values, size_t count, double value, const uint32_t *row_of) {
  size_t first = count;
  for (size_t i = 0; i < count; i++) {
    if (values[i] != value) continue;
    if (row_of[i] == NOBODY) return i;
    if (first == count) first = i;
  }
  return first;
}

static const row_scans portable_scans = {portable_two_smallest, portable_offer, portable_find};

#ifdef HAVE_AVX2_SCANS
/* The same, four columns at a time, and the remaining ones one by one. */
__attribute__((target("avx2"))) static void avx2_two_smallest(const double *costs, const double *prices, size_t count,
                                                              double *first, double *second) {
  __m256d least = _mm256_set1_pd(INFINITY), next = least;
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    __m256d value = _mm256_sub_pd(_mm256_loadu_pd(costs + i), _mm256_loadu_pd(prices + i));
    next = _mm256_min_pd(next, _mm256_max_pd(least, value));
    least = _mm256_min_pd(least, value);
  }
  double lanes[8];
  _mm256_storeu_pd(lanes, least);
  _mm256_storeu_pd(lanes + 4, next);
  *first = *second = INFINITY;
  for (int lane = 0; lane < 8; lane++) add_value(lanes[lane], first, second);
  for (; i < count; i++) add_value(costs[i] - prices[i], first, second);
}

__attribute__((target("avx2"))) static double avx2_offer(const double *costs, const double *prices, size_t count,
                                                         double offset, uint32_t row, double *distances,
                                                         uint32_t *came_from) {
  __m256d least = _mm256_set1_pd(INFINITY), offsets = _mm256_set1_pd(offset);
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    __m256d now = _mm256_loadu_pd(distances + i);
    __m256d offered = _mm256_sub_pd(_mm256_sub_pd(_mm256_loadu_pd(costs + i), _mm256_loadu_pd(prices + i)), offsets);
    int closer = _mm256_movemask_pd(_mm256_cmp_pd(offered, now, _CMP_LT_OQ));
    if (closer != 0) {
      now = _mm256_min_pd(offered, now);
      _mm256_storeu_pd(distances + i, now);
      for (size_t lane = 0; lane < 4; lane++)
        if ((closer >> lane & 1) != 0) came_from[i + lane] = row;
    }
    least = _mm256_min_pd(least, now);
  }
  double lanes[4];
  _mm256_storeu_pd(lanes, least);
  double nearest = ee_smaller(ee_smaller(lanes[0], lanes[1]), ee_smaller(lanes[2], lanes[3]));
  double rest = portable_offer(costs + i, prices + i, count - i, offset, row, distances + i, came_from + i);
  return ee_smaller(nearest, rest);
}

__attribute__((target("avx2"))) static size_t avx2_find(const double *values, size_t count, double value,
                                                        const uint32_t *row_of) {
  size_t first = count, i = 0;
  __m256d all = _mm256_set1_pd(value);
  for (; i + 4 <= count; i += 4) {
    int found = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(values + i), all, _CMP_EQ_OQ));
    if (found == 0) continue;
    for (size_t lane = 0; lane < 4; lane++) {
      if ((found >> lane & 1) == 0) continue;
      if (row_of[i + lane] == NOBODY) return i + lane;
      if (first == count) first = i + lane;
    }
  }
  size_t rest = i + portable_find(values + i, count - i, value, row_of + i);
  return rest < count && (first == count || row_of[rest] == NOBODY) ? rest : first;
}

static const row_scans avx2_scans = {avx2_two_smallest, avx2_offer, avx2_find};
#endif

/* Bidding -------------------------------------------------------------------------------------- */

typedef struct column_bid {
  size_t column;        /* the cheapest; of equals the first free one, else the first */
  double price, second; /* its reduced cost and the second smallest, which may be equal */
} column_bid;

static column_bid best_bid(const dense_problem *dense, size_t row) {
  const double *costs = dense->costs + row * dense->columns, *prices = dense->prices;
  column_bid bid = {.column = dense->columns};
  ee_work(dense->columns);
  dense->scans->two_smallest(costs, prices, dense->columns, &bid.price, &bid.second);
  for (size_t column = 0; column < dense->columns; column++) {
    if (costs[column] - prices[column] != bid.price) continue;
    bool is_free = dense->row_of[column] == NOBODY;
    if (is_free || bid.column == dense->columns) bid.column = column;
    if (is_free || bid.second > bid.price) break;
  }
  return bid;
}

/* Each row of `queue` bids once; a row that loses its column to a higher bid bids again at once. `steps` bounds that,
 * because prices may change by tiny amounts. Writes the rows without a column to the front of `queue` and returns their
 * number. */
static size_t let_bid(dense_problem *dense, uint32_t *queue, size_t count, size_t steps) {
  size_t left = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t row = queue[i];
    while (row != NOBODY) {
      if (steps == 0) {
        queue[left++] = row;
        break;
      }
      steps--;
      column_bid bid = best_bid(dense, row);
      uint32_t owner = dense->row_of[bid.column];
      bool is_higher = bid.second > bid.price;
      if (owner != NOBODY && !is_higher) {
        queue[left++] = row; /* taking the column would leave its owner with the same problem */
        break;
      }
      /* With a single column there is no second bid. */
      if (is_higher && bid.second < INFINITY) dense->prices[bid.column] -= bid.second - bid.price;
      dense->row_of[bid.column] = row;
      dense->column_of[row] = (uint32_t)bid.column;
      if (owner != NOBODY) dense->column_of[owner] = NOBODY;
      row = owner;
    }
  }
  return left;
}

/* Shortest paths ------------------------------------------------------------------------------- */

/* Extends the search from `row` to every column not reached, at its reduced cost minus `offset`. Returns the nearest
 * column; of equals the first free one, else the first. */
static size_t extend(dense_problem *dense, uint32_t row, double offset) {
  ee_work(dense->columns);
  double nearest = dense->scans->offer(dense->costs + (size_t)row * dense->columns, dense->open_prices, dense->columns,
                                       offset, row, dense->distances, dense->came_from);
  return dense->scans->find(dense->distances, dense->columns, nearest, dense->row_of);
}

/* Adds `row`: reaches columns by increasing distance until one is free, then moves every row of the path. */
static void augment(dense_problem *dense, uint32_t row) {
  memcpy(dense->open_prices, dense->prices, dense->columns * sizeof *dense->prices);
  for (size_t column = 0; column < dense->columns; column++) dense->distances[column] = INFINITY;
  size_t reached = 0, column = extend(dense, row, 0);
  double distance = dense->distances[column];
  while (dense->row_of[column] != NOBODY) {
    uint32_t owner = dense->row_of[column];
    dense->reached[reached] = (uint32_t)column;
    dense->reached_at[reached++] = distance;
    dense->distances[column] = INFINITY;
    dense->open_prices[column] = -INFINITY;
    column =
        extend(dense, owner, dense->costs[(size_t)owner * dense->columns + column] - dense->prices[column] - distance);
    distance = dense->distances[column];
  }
  for (size_t i = 0; i < reached; i++) dense->prices[dense->reached[i]] -= distance - dense->reached_at[i];
  for (uint32_t mover = NOBODY; mover != row;) {
    mover = dense->came_from[column];
    uint32_t left = dense->column_of[mover];
    dense->row_of[column] = mover;
    dense->column_of[mover] = (uint32_t)column;
    column = left;
  }
}

static void solve(dense_problem *dense, ee_arena *scratch) {
  size_t rows = dense->rows, columns = dense->columns;
  dense->prices = EE_NEW_ARRAY(scratch, double, columns);
  dense->open_prices = EE_NEW_ARRAY(scratch, double, columns);
  dense->distances = EE_NEW_ARRAY(scratch, double, columns);
  dense->reached_at = EE_NEW_ARRAY(scratch, double, columns);
  dense->row_of = EE_NEW_ARRAY(scratch, uint32_t, columns);
  dense->column_of = EE_NEW_ARRAY(scratch, uint32_t, rows);
  dense->came_from = EE_NEW_ARRAY(scratch, uint32_t, columns);
  dense->reached = EE_NEW_ARRAY(scratch, uint32_t, columns);
  uint32_t *queue = EE_NEW_ARRAY(scratch, uint32_t, rows);
  for (size_t column = 0; column < columns; column++) dense->row_of[column] = NOBODY;
  for (size_t row = 0; row < rows; row++) {
    dense->column_of[row] = NOBODY;
    queue[row] = (uint32_t)row;
  }
  size_t left = let_bid(dense, queue, rows, 4 * rows);
  left = let_bid(dense, queue, left, 2 * rows);
  for (size_t i = 0; i < left; i++) augment(dense, queue[i]);
}

/* The matrix --------------------------------------------------------------------------------------------------------
 */

static double largest_cost(const double *costs, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(costs[i]) && fabs(costs[i]) > largest) largest = fabs(costs[i]);
  return largest;
}

/* Replaces infinite costs by one that is above what all other pairs together could save, so that it is paid only where
 * it must be. Costs are counted from the lowest one first: beside a large offset that price would vanish. */
static void price_forbidden(double *costs, size_t count, size_t pairs) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(costs[i])) continue;
    low = fmin(low, costs[i]);
    high = fmax(high, costs[i]);
  }
  double price = high > low ? (high - low) * ((double)pairs + 1) : 1;
  for (size_t i = 0; i < count; i++) costs[i] = isfinite(costs[i]) ? costs[i] - low : price;
}

static bool any_forbidden(const double *costs, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(costs[i])) return true;
  return false;
}

/* The costs of the pairs, added up in the order of the rows; at most the largest double in magnitude. */
static double total_of(const double *costs, size_t rows, size_t columns, const uint32_t *column_of) {
  double total = 0, scaled = 0;
  for (size_t row = 0; row < rows; row++) {
    if (column_of[row] == NOBODY) continue;
    double cost = costs[row * columns + column_of[row]];
    total += cost;
    scaled += ldexp(cost, LARGE_COST_EXPONENT);
  }
  /* A partial sum can overflow though the total does not. */
  if (!isfinite(total)) total = ldexp(scaled, -LARGE_COST_EXPONENT);
  return fmin(fmax(total, -DBL_MAX), DBL_MAX);
}

static double assign(const row_scans *scans, const double *costs, size_t rows, size_t columns, uint32_t *column_of,
                     ee_arena *scratch) {
  for (size_t row = 0; row < rows; row++) column_of[row] = NOBODY;
  if (rows == 0 || columns == 0) return 0;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  bool has_forbidden = any_forbidden(costs, rows * columns);
  bool is_transposed = rows > columns, is_large = largest_cost(costs, rows * columns) > LARGEST_COST;
  dense_problem dense = {.scans = scans,
                         .costs = costs,
                         .rows = is_transposed ? columns : rows,
                         .columns = is_transposed ? rows : columns};
  if (is_transposed || is_large || has_forbidden) {
    double *copy = ee_arena_alloc(scratch, rows * columns * sizeof *copy);
    for (size_t row = 0; row < rows; row++)
      for (size_t column = 0; column < columns; column++) {
        double cost = costs[row * columns + column];
        copy[is_transposed ? column * rows + row : row * columns + column] =
            is_large ? ldexp(cost, LARGE_COST_EXPONENT) : cost;
      }
    if (has_forbidden) price_forbidden(copy, rows * columns, dense.rows);
    dense.costs = copy;
  }
  solve(&dense, scratch);
  if (is_transposed) {
    for (size_t column = 0; column < columns; column++) column_of[dense.column_of[column]] = (uint32_t)column;
  } else {
    memcpy(column_of, dense.column_of, rows * sizeof *column_of);
  }
  for (size_t row = 0; has_forbidden && row < rows; row++)
    if (column_of[row] != NOBODY && !isfinite(costs[row * columns + column_of[row]])) column_of[row] = NOBODY;
  ee_arena_rewind(scratch, mark);
  return total_of(costs, rows, columns, column_of);
}

double ee_assign_dense(const double *costs, size_t rows, size_t columns, uint32_t *column_of, ee_arena *scratch) {
  const row_scans *scans = &portable_scans;
#ifdef HAVE_AVX2_SCANS
  if (__builtin_cpu_supports("avx2")) scans = &avx2_scans; /* unreached: another processor */
#endif
  return assign(scans, costs, rows, columns, column_of, scratch);
}

double ee_assign_dense_portable(const double *costs, size_t rows, size_t columns, uint32_t *column_of,
                                ee_arena *scratch) {
  return assign(&portable_scans, costs, rows, columns, column_of, scratch);
}
