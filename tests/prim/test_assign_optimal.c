/* test_assign_optimal.c: optimal matching against trying everything and against greedy matching. */
#include "prim/assign.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

static ee_arena arena;

static int make_arena(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  (void)ee_arena_alloc(&arena, 1);
  return 0;
}

static int free_arena(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  return 0;
}

static void shuffle(test_random *random, ee_pair *pairs, size_t count) {
  for (size_t i = count; i > 1; i--) {
    size_t k = test_random_below(random, i);
    ee_pair kept = pairs[i - 1];
    pairs[i - 1] = pairs[k];
    pairs[k] = kept;
  }
}

/* The largest total, by trying every way to send units row by row. `left` counts what columns still take. */
static double try_everything(const ee_pair *pairs, size_t count, uint32_t row, uint32_t row_units,
                             const uint32_t *row_copies, uint32_t rows, uint32_t *left) {
  if (row == rows) return 0;
  if (row_units == 0) {
    return try_everything(pairs, count, row + 1, row + 1 < rows ? row_copies[row + 1] : 0, row_copies, rows, left);
  }
  double best = try_everything(pairs, count, row, row_units - 1, row_copies, rows, left); /* this unit stays at home */
  for (size_t i = 0; i < count; i++) {
    if (pairs[i].row != row || left[pairs[i].column] == 0) continue;
    left[pairs[i].column]--;
    double total = pairs[i].similarity + try_everything(pairs, count, row, row_units - 1, row_copies, rows, left);
    left[pairs[i].column]++;
    if (total > best) best = total;
  }
  return best;
}

enum { SIDE = 6 };

/* A random list of pairs: few levels give many ties, some lists name a pair twice. */
static size_t random_pairs(test_random *random, uint32_t rows, uint32_t columns, ee_pair *pairs) {
  size_t levels = test_random_below(random, 3) == 0 ? 1000000 : 1 + test_random_below(random, 5), count = 0;
  size_t density = 1 + test_random_below(random, 4);
  double scale = test_random_below(random, 4) == 0 ? ldexp(1, (int)test_random_below(random, 600) - 300) : 1;
  bool near = test_random_below(random, 2) == 0; /* all similarities between 0.9 and 1 */
  for (uint32_t r = 0; r < rows; r++)
    for (uint32_t c = 0; c < columns; c++)
      for (int again = test_random_below(random, 20) == 0 ? 2 : 1; again > 0; again--) {
        if (test_random_below(random, 4) >= density) continue;
        double level = (double)(1 + test_random_below(random, levels)) / (double)levels;
        pairs[count++] = (ee_pair){.row = r,
                                   .column = c,
                                   .similarity = (near ? 0.9 + level / 10 : level) * scale,
                                   .matches = (uint32_t)test_random_below(random, 3)};
      }
  shuffle(random, pairs, count);
  return count;
}

static double total_of(const ee_pair *pairs, const uint32_t *times, size_t count) {
  double total = 0;
  for (size_t i = 0; i < count; i++) total += pairs[i].similarity * (times != NULL ? (double)times[i] : 1);
  return total;
}

/* Rows ascend, nobody is taken more often than there are copies, and every pair was listed. */
static void check_matching(const ee_pair *taken, const uint32_t *times, size_t count, const ee_pair *listed,
                           size_t listed_count, const uint32_t *row_copies, const uint32_t *column_copies) {
  for (size_t i = 0; i < count; i++) {
    uint64_t in_row = 0, in_column = 0;
    for (size_t k = 0; k < count; k++) {
      if (taken[k].row == taken[i].row) in_row += times != NULL ? times[k] : 1;
      if (taken[k].column == taken[i].column) in_column += times != NULL ? times[k] : 1;
    }
    assert_true(in_row <= (row_copies != NULL ? row_copies[taken[i].row] : 1));
    assert_true(in_column <= (column_copies != NULL ? column_copies[taken[i].column] : 1));
    if (times != NULL) assert_true(times[i] > 0);
    if (i > 0) assert_true(taken[i - 1].row <= taken[i].row);
    bool found = false;
    for (size_t k = 0; k < listed_count && !found; k++)
      found = listed[k].row == taken[i].row && listed[k].column == taken[i].column &&
              listed[k].similarity == taken[i].similarity && listed[k].matches == taken[i].matches;
    assert_true(found);
  }
}

static void knows_matchings(void **state) {
  (void)state;
  static const struct {
    uint32_t rows, columns;
    size_t taken;
    double sum;
    double similarity[4][4];
  } facts[] = {
      {2, 2, 2, 1.6, {{0.9, 0.8}, {0.8, 0.1}}}, /* greedy takes 0.9 and 0.1 */
      {2, 2, 1, 0.9, {{0.9, 0.3}, {0.3, 0}}},   /* one pair is worth more than two */
      {2, 2, 2, 1.0, {{0.9, 0.5}, {0.5, 0}}},   /* and here two are */
      {1, 1, 0, 0, {{0}}},
      {3, 3, 3, 2.7, {{0.9, 0.9, 0.9}, {0.9, 0.9, 0.9}, {0.9, 0.9, 0.9}}},
      {3, 1, 1, 0.6, {{0.4}, {0.6}, {0.5}}},
      {1, 4, 1, 0.7, {{0.1, 0.7, 0.2, 0.3}}},
      /* A chain, in which one row more moves all others on. */
      {4, 4, 4, 3.7, {{0.95, 0.9, 0, 0}, {0, 0.95, 0.9, 0}, {0, 0, 0.95, 0.95}, {0.95, 0, 0, 0}}},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_pair pairs[16];
    size_t count = 0;
    for (uint32_t r = 0; r < facts[i].rows; r++)
      for (uint32_t c = 0; c < facts[i].columns; c++)
        if (facts[i].similarity[r][c] > 0)
          pairs[count++] = (ee_pair){.row = r, .column = c, .similarity = facts[i].similarity[r][c]};
    size_t taken = ee_optimal_match(pairs, count, facts[i].rows, facts[i].columns, 0, &arena);
    double sum = total_of(pairs, NULL, taken);
    if (taken != facts[i].taken || fabs(sum - facts[i].sum) > 1e-12)
      fail_msg("row %zu: %zu pairs of sum %g, not %zu of %g", i, taken, sum, facts[i].taken, facts[i].sum);
  }
  assert_int_equal(ee_optimal_match(NULL, 0, 0, 0, 0, &arena), 0);
  assert_int_equal(ee_optimal_match(NULL, 0, 5, 3, 0, &arena), 0);
}

static void is_never_beaten(void **state) {
  (void)state;
  test_random random = test_random_start("assign_optimal: everything", 711);
  ee_pair pairs[2 * SIDE * SIDE], exact[2 * SIDE * SIDE], again[2 * SIDE * SIDE];
  static const uint32_t ones[SIDE] = {1, 1, 1, 1, 1, 1};
  for (int round = 0; round < 6000; round++) {
    uint32_t side = round % 20 == 0 ? SIDE : 4;
    uint32_t rows = 1 + (uint32_t)test_random_below(&random, side),
             columns = 1 + (uint32_t)test_random_below(&random, side);
    size_t count = random_pairs(&random, rows, columns, pairs);
    uint32_t left[SIDE] = {1, 1, 1, 1, 1, 1};
    double best = try_everything(pairs, count, 0, 1, ones, rows, left);
    memcpy(exact, pairs, count * sizeof *pairs);
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    size_t taken = ee_optimal_match(exact, count, rows, columns, 0, &arena);
    assert_ptr_equal(mark.at, ee_arena_get_mark(&arena).at);
    check_matching(exact, NULL, taken, pairs, count, NULL, NULL);
    double total = total_of(exact, NULL, taken);
    if (fabs(total - best) > 1e-12 * best) fail_msg("round %d: %.17g, where %.17g is possible", round, total, best);
    /* Another order, the same pairs. */
    memcpy(again, pairs, count * sizeof *pairs);
    shuffle(&random, again, count);
    assert_int_equal(ee_optimal_match(again, count, rows, columns, 0, &arena), taken);
    for (size_t i = 0; i < taken; i++)
      assert_true(again[i].row == exact[i].row && again[i].column == exact[i].column &&
                  again[i].matches == exact[i].matches && again[i].similarity == exact[i].similarity);
  }
}

static void counts_copies(void **state) {
  (void)state;
  test_random random = test_random_start("assign_optimal: copies", 712);
  ee_pair pairs[2 * SIDE * SIDE], exact[2 * SIDE * SIDE];
  uint32_t times[2 * SIDE * SIDE];
  for (int round = 0; round < 3000; round++) {
    uint32_t rows = 1 + (uint32_t)test_random_below(&random, 3), columns = 1 + (uint32_t)test_random_below(&random, 3);
    uint32_t row_copies[SIDE], column_copies[SIDE], left[SIDE];
    for (size_t i = 0; i < SIDE; i++) {
      row_copies[i] = (uint32_t)test_random_below(&random, 4); /* none, too */
      column_copies[i] = left[i] = (uint32_t)test_random_below(&random, 4);
    }
    size_t count = random_pairs(&random, rows, columns, pairs);
    double best = try_everything(pairs, count, 0, row_copies[0], row_copies, rows, left);
    memcpy(exact, pairs, count * sizeof *pairs);
    size_t taken = ee_optimal_match_copies(exact, count, row_copies, rows, column_copies, columns, times, 0, &arena);
    check_matching(exact, times, taken, pairs, count, row_copies, column_copies);
    double total = total_of(exact, times, taken);
    if (fabs(total - best) > 1e-12 * best) fail_msg("round %d: %.17g, where %.17g is possible", round, total, best);
  }
}

/* Too large to try everything: at least as good as greedy matching, and copies do what as many equal rows do. */
static void beats_greedy_and_expansion(void **state) {
  (void)state;
  test_random random = test_random_start("assign_optimal: greedy", 713);
  enum { LARGE = 60, PAIRS = 2 * LARGE * LARGE, COPIES = 4 };
  ee_pair *pairs = malloc(sizeof *pairs * PAIRS), *one = malloc(sizeof *one * PAIRS);
  ee_pair *expanded = malloc(sizeof *expanded * PAIRS * COPIES * COPIES);
  uint32_t *times = malloc(sizeof *times * PAIRS);
  int better = 0;
  for (int round = 0; round < 60; round++) {
    uint32_t rows = 1 + (uint32_t)test_random_below(&random, LARGE),
             columns = 1 + (uint32_t)test_random_below(&random, LARGE);
    size_t count = random_pairs(&random, rows, columns, pairs);
    memcpy(one, pairs, count * sizeof *pairs);
    double greedy = total_of(one, NULL, ee_greedy_match(one, count, rows, columns, &arena));
    memcpy(one, pairs, count * sizeof *pairs);
    size_t taken = ee_optimal_match(one, count, rows, columns, 0, &arena);
    check_matching(one, NULL, taken, pairs, count, NULL, NULL);
    double optimal = total_of(one, NULL, taken);
    assert_true(optimal >= greedy * (1 - 1e-12));
    better += optimal > greedy * (1 + 1e-9);

    uint32_t row_copies[LARGE], column_copies[LARGE];
    for (size_t i = 0; i < LARGE; i++) {
      row_copies[i] = 1 + (uint32_t)test_random_below(&random, COPIES);
      column_copies[i] = 1 + (uint32_t)test_random_below(&random, COPIES);
    }
    size_t expanded_count = 0;
    for (size_t i = 0; i < count; i++)
      for (uint32_t r = 0; r < row_copies[pairs[i].row]; r++)
        for (uint32_t c = 0; c < column_copies[pairs[i].column]; c++) {
          ee_pair pair = pairs[i];
          pair.row = pair.row * COPIES + r;
          pair.column = pair.column * COPIES + c;
          expanded[expanded_count++] = pair;
        }
    size_t all = ee_optimal_match(expanded, expanded_count, rows * COPIES, columns * COPIES, 0, &arena);
    memcpy(one, pairs, count * sizeof *pairs);
    taken = ee_optimal_match_copies(one, count, row_copies, rows, column_copies, columns, times, 0, &arena);
    double by_copies = total_of(one, times, taken), by_expansion = total_of(expanded, NULL, all);
    if (fabs(by_copies - by_expansion) > 1e-12 * by_copies)
      fail_msg("round %d: copies %.17g, expanded %.17g", round, by_copies, by_expansion);
  }
  assert_true(better > 10); /* else the test would not tell the two apart */
  free(pairs);
  free(one);
  free(expanded);
  free(times);
}

/* The limit bounds the work, does not depend on the order, and 0 is none. */
static void keeps_its_limit(void **state) {
  (void)state;
  test_random random = test_random_start("assign_optimal: limit", 714);
  enum { ROWS = 120, COLUMNS = 100 };
  ee_pair *pairs = malloc(sizeof *pairs * ROWS * COLUMNS), *copy = malloc(sizeof *copy * ROWS * COLUMNS);
  size_t count = 0;
  for (uint32_t r = 0; r < ROWS; r++)
    for (uint32_t c = 0; c < COLUMNS; c++)
      pairs[count++] =
          (ee_pair){.row = r, .column = c, .similarity = 0.9 + (double)test_random_below(&random, 20) / 200};
  ee_arena_mark mark = ee_arena_get_mark(&arena);
  uint64_t enough = 1;
  for (;; enough *= 2) {
    memcpy(copy, pairs, count * sizeof *pairs);
    shuffle(&random, copy, count);
    size_t taken = ee_optimal_match(copy, count, ROWS, COLUMNS, enough, &arena);
    assert_ptr_equal(mark.at, ee_arena_get_mark(&arena).at);
    if (taken != SIZE_MAX) {
      assert_int_equal(taken, COLUMNS);
      break;
    }
    assert_true(enough < UINT64_C(1) << 40);
  }
  assert_true(enough >= count / 2); /* each pair is looked at */
  for (int turn = 0; turn < 5; turn++) {
    memcpy(copy, pairs, count * sizeof *pairs);
    shuffle(&random, copy, count);
    assert_true(ee_optimal_match(copy, count, ROWS, COLUMNS, enough / 2, &arena) == SIZE_MAX);
  }
  assert_int_equal(ee_optimal_match(copy, count, ROWS, COLUMNS, 0, &arena), COLUMNS);
  free(pairs);
  free(copy);
}

/* 20,000 rows, each of which has a perfect partner and some that are nearly as good: the best total is known, and a
 * search that did not stop where nothing can be won would take minutes. */
static void handles_large_sparse_graphs(void **state) {
  (void)state;
  test_random random = test_random_start("assign_optimal: sparse", 715);
  enum { MANY = 20000, NEIGHBOURS = 6 };
  ee_pair *pairs = malloc(sizeof *pairs * MANY * (NEIGHBOURS + 1));
  size_t count = 0;
  for (uint32_t r = 0; r < MANY; r++) {
    pairs[count++] = (ee_pair){.row = r, .column = (uint32_t)((r * UINT64_C(7919)) % MANY), .similarity = 1};
    for (int k = 0; k < NEIGHBOURS; k++)
      pairs[count++] = (ee_pair){.row = r,
                                 .column = (uint32_t)test_random_below(&random, MANY),
                                 .similarity = 0.9 + 0.0999 * test_random_unit(&random)};
  }
  shuffle(&random, pairs, count);
  /* 7919 is a prime that does not divide 20,000: each column has its row, and no total is above one a row. */
  assert_int_equal(ee_optimal_match(pairs, count, MANY, MANY, 0, &arena), MANY);
  for (size_t i = 0; i < MANY; i++) assert_true(pairs[i].similarity == 1);
  free(pairs);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(knows_matchings), cmocka_unit_test(is_never_beaten),
             cmocka_unit_test(counts_copies), cmocka_unit_test(beats_greedy_and_expansion),
             cmocka_unit_test(keeps_its_limit), cmocka_unit_test(handles_large_sparse_graphs));
