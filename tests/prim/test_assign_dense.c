/* test_assign_dense.c: optimal assignment against all assignments there are, and by either row of code. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "prim/assign.h"
#include "support/arena.h"
#include "support/random.h"

/* The least total of all ways to give rows (columns, where those are fewer) a partner each. */
static long double least_total(const double *costs, size_t rows, size_t columns, size_t at, uint32_t taken) {
  bool by_row = rows <= columns;
  if (at == (by_row ? rows : columns)) return 0;
  long double least = INFINITY;
  for (size_t other = 0; other < (by_row ? columns : rows); other++) {
    if ((taken >> other & 1) != 0) continue;
    long double cost = by_row ? costs[at * columns + other] : costs[other * columns + at];
    long double rest = least_total(costs, rows, columns, at + 1, taken | UINT32_C(1) << other);
    least = fminl(least, cost + rest);
  }
  return least;
}

/* Solves, and checks that it is an assignment, the total is that of its pairs, and the other row of code says the same.
 */
static double solve(const double *costs, size_t rows, size_t columns) {
  uint32_t *column_of = malloc((rows + 1) * sizeof *column_of), *portable = malloc((rows + 1) * sizeof *portable);
  bool *taken = calloc(columns + 1, sizeof *taken);
  column_of[rows] = 77;
  double total = ee_assign_dense(costs, rows, columns, column_of, &arena), sum = 0;
  assert_true(column_of[rows] == 77);
  size_t pairs = 0;
  for (size_t row = 0; row < rows; row++) {
    if (column_of[row] == UINT32_MAX) continue;
    assert_true(column_of[row] < columns && !taken[column_of[row]]);
    taken[column_of[row]] = true;
    sum += costs[row * columns + column_of[row]];
    pairs++;
  }
  assert_int_equal(pairs, rows < columns ? rows : columns);
  if (isfinite(sum)) assert_true(total == sum);
  assert_true(ee_assign_dense_portable(costs, rows, columns, portable, &arena) == total);
  assert_memory_equal(column_of, portable, rows * sizeof *column_of);
  free(taken);
  free(portable);
  free(column_of);
  return total;
}

typedef enum cost_kind { FRACTIONS, TIES, SIGNED, EQUAL, SUMS, PRODUCTS, WIDE, COST_KINDS } cost_kind;

static double random_cost(test_random *random, cost_kind kind, size_t row, size_t column) {
  switch (kind) {
  case FRACTIONS: return test_random_unit(random);
  case TIES: return (double)test_random_below(random, 3);
  case SIGNED: return test_random_unit(random) * 2 - 1;
  case EQUAL: return 0.1;
  case SUMS: return (double)row * 0.7 + (double)column * 0.3; /* every assignment of a square is as good */
  case PRODUCTS: return -(double)(row * column);
  default: return ldexp(test_random_unit(random), (int)test_random_below(random, 40) - 20);
  }
}

static void equals_brute_force(void **state) {
  (void)state;
  test_random random = test_random_start("dense assignment: brute force", 631);
  double costs[49];
  for (int round = 0; round < 1400; round++) {
    size_t most = round % 20 < 14 ? 5 : 7, rows = 1 + test_random_below(&random, most),
           columns = 1 + test_random_below(&random, most);
    cost_kind kind = (cost_kind)(round % COST_KINDS);
    /* From next to nothing to next to infinity. */
    int power = round % 3 == 0 ? 0 : (int)test_random_below(&random, 2000) - 1000;
    double largest = 0;
    for (size_t i = 0; i < rows * columns; i++) {
      costs[i] = ldexp(random_cost(&random, kind, i / columns, i % columns), power);
      largest = fmax(largest, fabs(costs[i]));
    }
    long double want = least_total(costs, rows, columns, 0, 0);
    double got = solve(costs, rows, columns);
    if (!(fabsl(got - want) <= 1e-14L * largest))
      fail_msg("round %d, %zu by %zu: %.17g, not %.17Lg", round, rows, columns, got, want);
    if (kind == TIES && power == 0) assert_true(got == (double)want);
  }
}

/* The most pairs that can be made of finite costs, and their least total, by trying all. */
static void try_all(const double *costs, size_t rows, size_t columns, size_t row, unsigned taken, size_t pairs,
                    long double total, size_t *most, long double *least) {
  if (row == rows) {
    if (pairs > *most || (pairs == *most && total < *least)) *least = total;
    if (pairs > *most) *most = pairs;
    return;
  }
  try_all(costs, rows, columns, row + 1, taken, pairs, total, most, least);
  for (size_t k = 0; k < columns; k++) {
    double cost = costs[row * columns + k];
    if ((taken >> k & 1) == 0 && isfinite(cost))
      try_all(costs, rows, columns, row + 1, taken | 1u << k, pairs + 1, total + cost, most, least);
  }
}

/* Infinite costs: as many allowed pairs as possible, and then the cheapest. */
static void skips_forbidden_pairs(void **state) {
  (void)state;
  test_random random = test_random_start("dense assignment: forbidden pairs", 636);
  double costs[36];
  uint32_t column_of[6];
  for (int round = 0; round < 3000; round++) {
    size_t rows = 1 + test_random_below(&random, 6), columns = 1 + test_random_below(&random, 6);
    cost_kind kind = (cost_kind)(round % COST_KINDS);
    size_t rare = 1 + test_random_below(&random, 5);
    double offset = round % 5 == 0 ? 1e9 : 0, largest = offset;
    int power = round % 4 == 0 ? (int)test_random_below(&random, 1900) - 950 : 0;
    for (size_t i = 0; i < rows * columns; i++) {
      costs[i] = ldexp(random_cost(&random, kind, i / columns, i % columns) + offset, power);
      if (test_random_below(&random, rare + 1) == 0) costs[i] = INFINITY;
      if (isfinite(costs[i])) largest = fmax(largest, fabs(costs[i]));
    }
    size_t most = 0, made = 0;
    long double least = 0;
    try_all(costs, rows, columns, 0, 0, 0, 0, &most, &least);
    double total = ee_assign_dense(costs, rows, columns, column_of, &arena);
    unsigned taken = 0;
    for (size_t row = 0; row < rows; row++) {
      if (column_of[row] == UINT32_MAX) continue;
      assert_true(isfinite(costs[row * columns + column_of[row]]) && (taken >> column_of[row] & 1) == 0);
      taken |= 1u << column_of[row];
      made++;
    }
    assert_int_equal(made, most);
    if (!(fabsl(total - least) <= 1e-13L * largest))
      fail_msg("round %d, %zu by %zu: %.17g, not %.17Lg", round, rows, columns, total, least);
    uint32_t portable[6];
    assert_true(ee_assign_dense_portable(costs, rows, columns, portable, &arena) == total);
    assert_memory_equal(portable, column_of, rows * sizeof *portable);
    ee_arena_reset(&arena, 0);
  }
}

static void survives_extremes(void **state) {
  (void)state;
  test_random random = test_random_start("dense assignment: extremes", 632);
  static const double special[] = {0,     -0.0,   5e-324, -5e-324, 1,       -1,      1e-300,
                                   1e300, -1e300, 1e308,  -1e308,  DBL_MAX, -DBL_MAX};
  double costs[36];
  for (int round = 0; round < 2000; round++) {
    size_t rows = 1 + test_random_below(&random, 5), columns = 1 + test_random_below(&random, 5);
    for (size_t i = 0; i < rows * columns; i++)
      costs[i] = special[test_random_below(&random, sizeof special / sizeof *special)];
    long double want = least_total(costs, rows, columns, 0, 0);
    want = fmaxl(fminl(want, DBL_MAX), -DBL_MAX);
    double got = solve(costs, rows, columns);
    assert_true(isfinite(got));
    assert_true(fabsl(got - want) <= 1e-14L * DBL_MAX);
  }
  /* On its way the sum leaves the range; in the end it is in it. */
  const double diagonal[16] = {DBL_MAX, 0, 0, 0, 0, DBL_MAX, 0, 0, 0, 0, -DBL_MAX, 0, 0, 0, 0, -DBL_MAX};
  double huge[16];
  for (int i = 0; i < 16; i++) huge[i] = i % 5 == 0 ? diagonal[i] : DBL_MAX;
  assert_true(solve(huge, 4, 4) == 0);
  double all[9];
  for (int i = 0; i < 9; i++) all[i] = DBL_MAX;
  assert_true(solve(all, 3, 3) == DBL_MAX);
  for (int i = 0; i < 9; i++) all[i] = -DBL_MAX;
  assert_true(solve(all, 3, 3) == -DBL_MAX);
}

/* The largest costs there are behave like small ones. */
static void survives_the_largest(void **state) {
  (void)state;
  test_random random = test_random_start("dense assignment: largest", 635);
  enum { MOST = 40 };
  double costs[MOST * MOST];
  uint32_t small[MOST], large[MOST];
  for (int round = 0; round < 200; round++) {
    size_t rows = 1 + test_random_below(&random, MOST), columns = 1 + test_random_below(&random, MOST);
    size_t rare = 1 + test_random_below(&random, MOST);
    for (size_t i = 0; i < rows * columns; i++) {
      costs[i] = (double)test_random_below(&random, 3) - 1;
      if (test_random_below(&random, rare) != 0) costs[i] = 1;
    }
    ee_assign_dense(costs, rows, columns, small, &arena);
    double want = 0, got = 0;
    for (size_t r = 0; r < rows; r++) want += small[r] == UINT32_MAX ? 0 : costs[r * columns + small[r]];
    for (size_t i = 0; i < rows * columns; i++) costs[i] *= DBL_MAX;
    double total = solve(costs, rows, columns);
    ee_assign_dense(costs, rows, columns, large, &arena);
    for (size_t r = 0; r < rows; r++) got += large[r] == UINT32_MAX ? 0 : costs[r * columns + large[r]] / DBL_MAX;
    assert_true(got == want);
    assert_true(fabs(total / DBL_MAX - fmax(fmin(want, 1), -1)) <= 1e-14);
  }
}

static void shuffle(test_random *random, size_t *order, size_t count) {
  for (size_t i = 0; i < count; i++) order[i] = i;
  for (size_t i = count; i > 1; i--) {
    size_t k = test_random_below(random, i), kept = order[i - 1];
    order[i - 1] = order[k];
    order[k] = kept;
  }
}

/* The total does not depend on the order of rows and columns, nor on which of them are called rows; adding a number to
 * a row of a square adds it to the total. */
static void order_changes_nothing(void **state) {
  (void)state;
  test_random random = test_random_start("dense assignment: order", 633);
  enum { MOST = 90 };
  static double costs[MOST * MOST], other[MOST * MOST];
  size_t row_order[MOST], column_order[MOST];
  for (int round = 0; round < 140; round++) {
    size_t rows = 1 + test_random_below(&random, MOST), columns = 1 + test_random_below(&random, MOST);
    if (round % 3 == 0) columns = rows;
    cost_kind kind = (cost_kind)(round % COST_KINDS);
    double largest = 0;
    for (size_t i = 0; i < rows * columns; i++) {
      costs[i] = random_cost(&random, kind, i / columns, i % columns);
      largest = fmax(largest, fabs(costs[i]));
    }
    double total = solve(costs, rows, columns), error = 1e-14 * largest * (double)(rows + columns);
    if (kind == TIES || kind == PRODUCTS) error = 0;
    shuffle(&random, row_order, rows);
    shuffle(&random, column_order, columns);
    for (size_t r = 0; r < rows; r++)
      for (size_t c = 0; c < columns; c++) other[r * columns + c] = costs[row_order[r] * columns + column_order[c]];
    assert_true(fabs(solve(other, rows, columns) - total) <= error);
    for (size_t r = 0; r < rows; r++)
      for (size_t c = 0; c < columns; c++) other[c * rows + r] = costs[r * columns + c];
    assert_true(fabs(solve(other, columns, rows) - total) <= error);
    if (rows > columns) continue;
    memcpy(other, costs, rows * columns * sizeof *other);
    for (size_t c = 0; c < columns; c++) other[c] += 3;
    assert_true(fabs(solve(other, rows, columns) - (total + 3)) <= error + 1e-12);
  }
}

/* An optimum that is known by construction: prices of rows and columns below every cost, met along a hidden assignment.
 */
static void finds_a_hidden_optimum(void **state) {
  (void)state;
  test_random random = test_random_start("dense assignment: hidden", 634);
  enum { MOST = 300 };
  static double costs[MOST * MOST];
  size_t order[MOST];
  for (int round = 0; round < 20; round++) {
    size_t rows = 100 + test_random_below(&random, 100),
           columns = rows + (round % 2 == 0 ? 0 : test_random_below(&random, 100));
    double row_prices[MOST], column_prices[MOST], want = 0;
    shuffle(&random, order, columns);
    for (size_t r = 0; r < rows; r++) row_prices[r] = (double)test_random_below(&random, 50);
    /* Columns that stay alone have the price 0, the others none above. */
    for (size_t k = 0; k < columns; k++)
      column_prices[order[k]] = k < rows ? -(double)test_random_below(&random, 50) : 0;
    for (size_t r = 0; r < rows; r++)
      for (size_t c = 0; c < columns; c++) {
        double slack = c == order[r] ? 0 : (double)test_random_below(&random, round % 4 < 2 ? 3 : 100);
        costs[r * columns + c] = row_prices[r] + column_prices[c] + slack;
      }
    for (size_t r = 0; r < rows; r++) want += row_prices[r] + column_prices[order[r]];
    assert_true(solve(costs, rows, columns) == want);
  }
}

static void knows_small_ones(void **state) {
  (void)state;
  uint32_t column_of[3] = {7, 7, 7};
  assert_true(ee_assign_dense(NULL, 0, 3, column_of, &arena) == 0);
  assert_true(column_of[0] == 7);
  assert_true(ee_assign_dense(NULL, 3, 0, column_of, &arena) == 0);
  for (int i = 0; i < 3; i++) assert_true(column_of[i] == UINT32_MAX);
  assert_true(ee_assign_dense((double[]){-4.5}, 1, 1, column_of, &arena) == -4.5);
  assert_true(column_of[0] == 0);
  assert_true(ee_assign_dense((double[]){3, 1, 2}, 3, 1, column_of, &arena) == 1);
  assert_true(column_of[0] == UINT32_MAX && column_of[1] == 0 && column_of[2] == UINT32_MAX);
  assert_true(ee_assign_dense((double[]){4, 1, 3, 2, 0, 5, 3, 2, 2}, 3, 3, column_of, &arena) == 5);
  assert_true(column_of[0] == 1 && column_of[1] == 0 && column_of[2] == 2);
  /* The cheapest pair of all is not part of the cheapest assignment. */
  assert_true(ee_assign_dense((double[]){1e12, 1, 1, 1e-12}, 2, 2, column_of, &arena) == 2);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(equals_brute_force), cmocka_unit_test(skips_forbidden_pairs),
             cmocka_unit_test(survives_extremes), cmocka_unit_test(survives_the_largest),
             cmocka_unit_test(order_changes_nothing), cmocka_unit_test(finds_a_hidden_optimum),
             cmocka_unit_test(knows_small_ones));
