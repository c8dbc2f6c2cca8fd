/* assign_dense.c: optimal assignment over a whole matrix of costs.
 *
 * Rows bid for columns first (the augmenting row reduction of Jonker and Volgenant 1987), which pairs most of them;
 * each row that is left is then brought in by a shortest augmenting path over reduced costs. There are never more rows
 * than columns (the matrix is turned otherwise), and a column that nobody took keeps the price 0, so that rectangular
 * matrices need no padding (Crouse 2016). */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "prim/assign.h"
#include "prim/magnitude.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define EE_HAVE_AVX2_SCANS 1
#include <immintrin.h>
#endif

#define NOBODY UINT32_MAX

/* Sums of prices stay in the range of doubles below this; larger costs are scaled by a power of two. */
#define LARGEST_COST 1e290
#define LARGE_COST_EXPONENT (-64)

/* The passes over a row that all time is spent in. Each has one result, whatever the order in which it looks at
 * columns. */
typedef struct row_scans {
  /* The least costs[i] - prices[i] and the next one, which may be equal; infinity where there is none. */
  void (*two_least)(const double *costs, const double *prices, size_t count, double *least, double *second);
  /* Where costs[i] - prices[i] - offset is less than distances[i], it becomes that, and came_from[i] becomes `row`.
   * Returns the least distance. */
  double (*offer)(const double *costs, const double *prices, size_t count, double offset, uint32_t row,
                  double *distances, uint32_t *came_from);
  /* The first i with values[i] == wanted and row_of[i] == NOBODY, else the first with values[i] == wanted. */
  size_t (*find)(const double *values, size_t count, double wanted, const uint32_t *row_of);
} row_scans;

typedef struct dense_problem {
  const row_scans *scans;
  const double *costs; /* rows * columns, rows <= columns */
  size_t rows, columns;
  double *prices;      /* a column's, at most 0; 0 while nobody has it */
  uint32_t *row_of;    /* a column's row */
  uint32_t *column_of; /* a row's column */
  /* For the search of one path; a column that it has reached is out of the game. */
  double *open_prices; /* the price, -infinity when reached: its reduced cost is then infinite without a test */
  double *distances;   /* of the columns not reached; infinity when reached */
  uint32_t *came_from; /* the row before a column on the shortest path to it */
  uint32_t *reached;
  double *reached_at; /* the distances of the reached columns, in their order */
} dense_problem;

/* Scans ---------------------------------------------------------------------------------------- */

/* Adds one more value to the two least. */
static inline void add_to_least(double value, double *least, double *second) {
  *second = ee_smaller(*second, ee_larger(*least, value));
  *least = ee_smaller(*least, value);
}

static void portable_two_least(const double *costs, const double *prices, size_t count, double *least, double *second) {
  double first = INFINITY, next = INFINITY;
  for (size_t i = 0; i < count; i++) {
    double value = costs[i] - prices[i];
    if (value < next) add_to_least(value, &first, &next); /* seldom */
  }
  *least = first;
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

static size_t portable_find(const double *values, size_t count, double wanted, const uint32_t *row_of) {
  size_t first = count;
  for (size_t i = 0; i < count; i++) {
    if (values[i] != wanted) continue;
    if (row_of[i] == NOBODY) return i;
    if (first == count) first = i;
  }
  return first;
}

static const row_scans portable_scans = {portable_two_least, portable_offer, portable_find};

#ifdef EE_HAVE_AVX2_SCANS
/* The same, four columns at a time; what is left at the end goes one by one. */
__attribute__((target("avx2"))) static void avx2_two_least(const double *costs, const double *prices, size_t count,
                                                           double *least, double *second) {
  __m256d first = _mm256_set1_pd(INFINITY), next = first;
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    __m256d value = _mm256_sub_pd(_mm256_loadu_pd(costs + i), _mm256_loadu_pd(prices + i));
    next = _mm256_min_pd(next, _mm256_max_pd(first, value));
    first = _mm256_min_pd(first, value);
  }
  double lanes[8];
  _mm256_storeu_pd(lanes, first);
  _mm256_storeu_pd(lanes + 4, next);
  *least = *second = INFINITY;
  for (int lane = 0; lane < 8; lane++) add_to_least(lanes[lane], least, second);
  for (; i < count; i++) add_to_least(costs[i] - prices[i], least, second);
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

__attribute__((target("avx2"))) static size_t avx2_find(const double *values, size_t count, double wanted,
                                                        const uint32_t *row_of) {
  size_t first = count, i = 0;
  __m256d wanteds = _mm256_set1_pd(wanted);
  for (; i + 4 <= count; i += 4) {
    int found = _mm256_movemask_pd(_mm256_cmp_pd(_mm256_loadu_pd(values + i), wanteds, _CMP_EQ_OQ));
    if (found == 0) continue;
    for (size_t lane = 0; lane < 4; lane++) {
      if ((found >> lane & 1) == 0) continue;
      if (row_of[i + lane] == NOBODY) return i + lane;
      if (first == count) first = i + lane;
    }
  }
  size_t rest = i + portable_find(values + i, count - i, wanted, row_of + i);
  return rest < count && (first == count || row_of[rest] == NOBODY) ? rest : first;
}

static const row_scans avx2_scans = {avx2_two_least, avx2_offer, avx2_find};
#endif

/* Bidding -------------------------------------------------------------------------------------- */

typedef struct column_bid {
  size_t column;        /* the cheapest; among equals the first free one, else the first */
  double price, second; /* its reduced cost and the next one, which may be equal */
} column_bid;

static column_bid best_bid(const dense_problem *dense, size_t row) {
  const double *costs = dense->costs + row * dense->columns, *prices = dense->prices;
  column_bid bid = {.column = dense->columns};
  dense->scans->two_least(costs, prices, dense->columns, &bid.price, &bid.second);
  for (size_t column = 0; column < dense->columns; column++) {
    if (costs[column] - prices[column] != bid.price) continue;
    bool is_free = dense->row_of[column] == NOBODY;
    if (is_free || bid.column == dense->columns) bid.column = column;
    if (is_free || bid.second > bid.price) break;
  }
  return bid;
}

/* Lets the rows of `queue` bid once, and a row that lost its column to a strictly higher bid at once again; `steps`
 * bounds that, since prices may move by next to nothing. Writes the rows that stay without a column back to the front
 * of `queue` and returns their number. */
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
        queue[left++] = row; /* taking it would only pass the problem on */
        break;
      }
      /* With a single column there is no second bid, and nobody else to outbid. */
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

/* Offers the way over `row` to every column that was not reached: its reduced cost less `offset`. Returns the nearest
 * column: among equals the first free one, else the first. */
static size_t extend(dense_problem *dense, uint32_t row, double offset) {
  double nearest = dense->scans->offer(dense->costs + (size_t)row * dense->columns, dense->open_prices, dense->columns,
                                       offset, row, dense->distances, dense->came_from);
  return dense->scans->find(dense->distances, dense->columns, nearest, dense->row_of);
}

/* Brings `row` in: reaches columns in the order of their distance until one is free, then moves every row of the path.
 */
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
  for (size_t i = 0; i < count; i++) largest = fabs(costs[i]) > largest ? fabs(costs[i]) : largest;
  return largest;
}

/* The costs of the pairs, added up in the order of the rows; the largest double where that is more. */
static double total_of(const double *costs, size_t rows, size_t columns, const uint32_t *column_of) {
  double total = 0, scaled = 0;
  for (size_t row = 0; row < rows; row++) {
    if (column_of[row] == NOBODY) continue;
    double cost = costs[row * columns + column_of[row]];
    total += cost;
    scaled += ldexp(cost, LARGE_COST_EXPONENT);
  }
  /* A sum can leave the range on its way and come back. */
  if (!isfinite(total)) total = ldexp(scaled, -LARGE_COST_EXPONENT);
  return fmin(fmax(total, -DBL_MAX), DBL_MAX);
}

static double assign(const row_scans *scans, const double *costs, size_t rows, size_t columns, uint32_t *column_of,
                     ee_arena *scratch) {
  for (size_t row = 0; row < rows; row++) column_of[row] = NOBODY;
  if (rows == 0 || columns == 0) return 0;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  bool is_turned = rows > columns, is_large = largest_cost(costs, rows * columns) > LARGEST_COST;
  dense_problem dense = {
      .scans = scans, .costs = costs, .rows = is_turned ? columns : rows, .columns = is_turned ? rows : columns};
  if (is_turned || is_large) {
    double *copy = ee_arena_alloc(scratch, rows * columns * sizeof *copy);
    for (size_t row = 0; row < rows; row++)
      for (size_t column = 0; column < columns; column++) {
        double cost = costs[row * columns + column];
        copy[is_turned ? column * rows + row : row * columns + column] =
            is_large ? ldexp(cost, LARGE_COST_EXPONENT) : cost;
      }
    dense.costs = copy;
  }
  solve(&dense, scratch);
  if (is_turned) {
    for (size_t column = 0; column < columns; column++) column_of[dense.column_of[column]] = (uint32_t)column;
  } else {
    memcpy(column_of, dense.column_of, rows * sizeof *column_of);
  }
  ee_arena_rewind(scratch, mark);
  return total_of(costs, rows, columns, column_of);
}

double ee_assign_dense(const double *costs, size_t rows, size_t columns, uint32_t *column_of, ee_arena *scratch) {
  const row_scans *scans = &portable_scans;
#ifdef EE_HAVE_AVX2_SCANS
  if (__builtin_cpu_supports("avx2")) scans = &avx2_scans;
#endif
  return assign(scans, costs, rows, columns, column_of, scratch);
}

double ee_assign_dense_portable(const double *costs, size_t rows, size_t columns, uint32_t *column_of,
                                ee_arena *scratch) {
  return assign(&portable_scans, costs, rows, columns, column_of, scratch);
}
