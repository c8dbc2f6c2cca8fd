/* test_assign.c: greedy matching against repeated search of the best pair. */
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

/* Is `a` to be taken before `b`? Word for word as the header has it. */
static bool better(const ee_pair *a, const ee_pair *b) {
  if (a->similarity != b->similarity) return a->similarity > b->similarity;
  if (a->matches != b->matches) return a->matches > b->matches;
  if (a->row_rank != b->row_rank) return a->row_rank < b->row_rank;
  if (a->column_rank != b->column_rank) return a->column_rank < b->column_rank;
  if (a->row != b->row) return a->row < b->row;
  return a->column < b->column;
}

/* Looks through all pairs for the best whose row and column are free, takes it, and starts again. */
static size_t search_again_and_again(const ee_pair *pairs, size_t count, ee_pair *taken) {
  size_t found = 0;
  for (;;) {
    const ee_pair *best = NULL;
    for (size_t i = 0; i < count; i++) {
      bool free_pair = true;
      for (size_t k = 0; k < found; k++)
        if (taken[k].row == pairs[i].row || taken[k].column == pairs[i].column) free_pair = false;
      if (free_pair && (best == NULL || better(&pairs[i], best))) best = &pairs[i];
    }
    if (best == NULL) return found;
    taken[found++] = *best;
  }
}

static bool same_pair(const ee_pair *a, const ee_pair *b) {
  return a->row == b->row && a->column == b->column && a->similarity == b->similarity && a->matches == b->matches &&
         a->row_rank == b->row_rank && a->column_rank == b->column_rank;
}

static void knows_matchings(void **state) {
  (void)state;
  static const struct {
    uint32_t rows, columns;
    double threshold;
    size_t taken;
    double sum;
    double similarity[6][6];
  } facts[] = {
      {2, 2, 0.5, 1, 0.9, {{0.9, 0.8}, {0.8, 0.1}}},  /* greedy takes .9 and leaves one pair */
      {2, 2, 0.5, 1, 0.7, {{0.7, 0.6}, {0.65, 0.3}}}, /* gate_sum takes .6+.65 */
      {2, 2, 0.5, 1, 0.5, {{0.5, 0.49}, {0.49, 0}}},  /* post loses the pair */
      {1, 1, 0.5, 0, 0, {{0}}},                       /* nothing */
      {3, 3, 0.3, 2, 1.257, {{0.509, 0.285, 0.405}, {0.852, 0.321, 0.08}, {0.081, 0.016, 0.31}}},
      {3, 3, 0.75, 0, 0, {{0.272, 0.327, 0.05}, {0.268, 0.522, 0.323}, {0.498, 0.617, 0.599}}},
      {4,
       6,
       0.5,
       1,
       0.853,
       {{0.131, 0.681, 0.853, 0.602, 0.035, 0.675},
        {0.013, 0.028, 0.008, 0.231, 0.027, 0.001},
        {0.438, 0.025, 0.326, 0.468, 0.114, 0.347},
        {0.345, 0.49, 0.612, 0.109, 0.118, 0.088}}},
      {6,
       4,
       0.3,
       3,
       2.552,
       {{0.203, 0.003, 0.174, 0.469},
        {0.745, 0.6, 0, 0.878},
        {0.98, 0.318, 0.893, 0.977},
        {0.22, 0.228, 0.247, 0.848},
        {0.118, 0.005, 0.694, 0.012},
        {0.6, 0.067, 0.012, 0.69}}},
      {6,
       4,
       0.75,
       2,
       1.616,
       {{0.01, 0.821, 0.656, 0.169},
        {0.262, 0.446, 0.193, 0},
        {0.219, 0.69, 0.795, 0.758},
        {0.398, 0.816, 0.012, 0.002},
        {0.041, 0.021, 0.717, 0.034},
        {0.665, 0.296, 0.016, 0.278}}},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_pair pairs[36];
    size_t count = 0;
    for (uint32_t r = 0; r < facts[i].rows; r++)
      for (uint32_t c = 0; c < facts[i].columns; c++)
        if (facts[i].similarity[r][c] >= facts[i].threshold)
          pairs[count++] = (ee_pair){
              .row = r, .column = c, .similarity = facts[i].similarity[r][c], .row_rank = r, .column_rank = c};
    size_t taken = ee_greedy_match(pairs, count, facts[i].rows, facts[i].columns, &arena);
    double sum = 0;
    for (size_t k = 0; k < taken; k++) sum += pairs[k].similarity;
    if (taken != facts[i].taken || fabs(sum - facts[i].sum) > 1e-9)
      fail_msg("row %zu: %zu pairs of sum %g, not %zu of %g", i, taken, sum, facts[i].taken, facts[i].sum);
  }
  assert_int_equal(ee_greedy_match(NULL, 0, 0, 0, &arena), 0);
  assert_int_equal(ee_greedy_match(NULL, 0, 5, 3, &arena), 0);
}

/* Each key decides where all keys before it are equal. */
static void breaks_ties_in_order(void **state) {
  (void)state;
  const ee_pair worst = {.row = 1, .column = 1, .similarity = 0.5, .matches = 3, .row_rank = 5, .column_rank = 5};
  for (int key = 0; key < 6; key++)
    for (int turn = 0; turn < 2; turn++) {
      /* `best` is better by one key and worse by all that come later; the two share a row or a column. */
      ee_pair best = worst;
      best.similarity += key < 1 ? 0.01 : 0;
      best.matches = key < 1 ? 0 : key == 1 ? 4 : 3;
      best.row_rank = key < 2 ? 9 : key == 2 ? 4 : 5;
      best.column_rank = key < 3 ? 9 : key == 3 ? 4 : 5;
      best.row = key == 4 ? 0 : 1;
      best.column = key == 4 ? 1 : key == 5 ? 0 : 2;
      ee_pair pairs[2] = {turn == 0 ? worst : best, turn == 0 ? best : worst};
      assert_int_equal(ee_greedy_match(pairs, 2, 3, 3, &arena), 1);
      if (!same_pair(&pairs[0], &best)) fail_msg("key %d does not decide", key);
    }
}

static void agrees_with_repeated_search(void **state) {
  (void)state;
  test_random random = test_random_start("assign: search", 701);
  enum { SIDE = 24, PAIRS = SIDE * SIDE };
  static ee_pair pairs[PAIRS], taken[PAIRS];
  for (int round = 0; round < 3000; round++) {
    size_t rows = 1 + test_random_below(&random, round % 10 == 0 ? SIDE : 8),
           columns = 1 + test_random_below(&random, round % 10 == 0 ? SIDE : 8);
    uint32_t row_rank[SIDE], column_rank[SIDE];
    for (size_t i = 0; i < SIDE; i++) { /* equal ranks too */
      row_rank[i] = (uint32_t)test_random_below(&random, rows);
      column_rank[i] = (uint32_t)test_random_below(&random, columns);
    }
    size_t levels = test_random_below(&random, 3) == 0 ? 1000000 : 1 + test_random_below(&random, 5), count = 0;
    size_t density = 1 + test_random_below(&random, 4);
    for (uint32_t r = 0; r < rows; r++)
      for (uint32_t c = 0; c < columns; c++) {
        if (test_random_below(&random, 4) >= density) continue;
        pairs[count++] = (ee_pair){.row = r,
                                   .column = c,
                                   .similarity = (double)test_random_below(&random, levels) / (double)levels,
                                   .matches = (uint32_t)test_random_below(&random, 3),
                                   .row_rank = row_rank[r],
                                   .column_rank = column_rank[c]};
      }
    for (size_t i = count; i > 1; i--) { /* the order of the list must not matter */
      size_t k = test_random_below(&random, i);
      ee_pair kept = pairs[i - 1];
      pairs[i - 1] = pairs[k];
      pairs[k] = kept;
    }
    size_t expected = search_again_and_again(pairs, count, taken);
    ee_pair *exact = malloc((count + (count == 0)) * sizeof *exact);
    memcpy(exact, pairs, count * sizeof *exact);
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    size_t got = ee_greedy_match(exact, count, rows, columns, &arena);
    assert_ptr_equal(mark.at, ee_arena_get_mark(&arena).at);
    if (got != expected) fail_msg("round %d: %zu pairs, not %zu", round, got, expected);
    for (size_t i = 0; i < got; i++)
      if (!same_pair(&exact[i], &taken[i]))
        fail_msg("round %d, pair %zu: (%u, %u), not (%u, %u)", round, i, exact[i].row, exact[i].column, taken[i].row,
                 taken[i].column);
    free(exact);
  }
}

/* A large matrix: the result is a matching, it is sorted, and no pair that was left out could have been taken. */
static void handles_many_pairs(void **state) {
  (void)state;
  test_random random = test_random_start("assign: many", 702);
  enum { ROWS = 300, COLUMNS = 400 };
  ee_pair *pairs = malloc(sizeof *pairs * ROWS * COLUMNS), *all = malloc(sizeof *all * ROWS * COLUMNS);
  size_t count = 0;
  for (uint32_t r = 0; r < ROWS; r++)
    for (uint32_t c = 0; c < COLUMNS; c++)
      pairs[count++] = (ee_pair){.row = r,
                                 .column = c,
                                 .similarity = (double)test_random_below(&random, 50) / 50,
                                 .row_rank = r,
                                 .column_rank = c};
  memcpy(all, pairs, count * sizeof *all);
  size_t taken = ee_greedy_match(pairs, count, ROWS, COLUMNS, &arena);
  assert_int_equal(taken, ROWS); /* every row finds a partner in a full matrix */
  static const ee_pair *by_row[ROWS], *by_column[COLUMNS];
  for (size_t i = 0; i < taken; i++) {
    assert_null(by_row[pairs[i].row]);
    assert_null(by_column[pairs[i].column]);
    by_row[pairs[i].row] = by_column[pairs[i].column] = &pairs[i];
    if (i > 0) assert_true(better(&pairs[i - 1], &pairs[i]));
  }
  for (size_t i = 0; i < count; i++) {
    const ee_pair *row = by_row[all[i].row], *column = by_column[all[i].column];
    bool stopped = (row != NULL && !better(&all[i], row)) || (column != NULL && !better(&all[i], column));
    if (!stopped) fail_msg("(%u, %u) should have been taken", all[i].row, all[i].column);
  }
  free(pairs);
  free(all);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(knows_matchings), cmocka_unit_test(breaks_ties_in_order),
             cmocka_unit_test(agrees_with_repeated_search), cmocka_unit_test(handles_many_pairs));
