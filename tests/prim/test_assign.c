/* test_assign.c: greedy and optimal pairing. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "prim/assign.h"
#include "support/arena.h"
#include "support/random.h"

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

/* The choice from a matrix is that from the list of its pairs, however few are listed at a time. */
static void takes_the_same_from_a_matrix(void **state) {
  (void)state;
  test_random random = test_random_start("assign: matrix", 703);
  enum { LARGEST = 30 };
  static const double odd[] = {0, -0.0, -1, INFINITY, 0x1p-1074, 1, 1 + 0x1p-50, 1 + 0x1p-52, 1e300};
  for (int round = 0; round < 4000; round++) {
    size_t rows = test_random_below(&random, LARGEST + 1), columns = test_random_below(&random, LARGEST + 1), count = 0;
    size_t levels = test_random_below(&random, 3) == 0 ? 1000000 : 1 + test_random_below(&random, 5);
    double matrix[LARGEST * LARGEST];
    ee_pair pairs[LARGEST * LARGEST];
    uint32_t column_of[LARGEST], expected[LARGEST];
    for (uint32_t r = 0; r < rows; r++) {
      expected[r] = UINT32_MAX;
      for (uint32_t c = 0; c < columns; c++) {
        double similarity = round % 5 == 0 ? odd[test_random_below(&random, sizeof odd / sizeof *odd)]
                                           : (double)test_random_below(&random, levels + 1) / (double)levels;
        matrix[r * columns + c] = similarity;
        if (similarity > 0) pairs[count++] = (ee_pair){r, c, similarity, 0, r, c};
      }
    }
    size_t taken = ee_greedy_match(pairs, count, rows, columns, &arena);
    for (size_t i = 0; i < taken; i++) expected[pairs[i].row] = pairs[i].column;
    size_t at_once = 1 + test_random_below(&random, round % 2 == 0 ? 10 : LARGEST * LARGEST + 1);
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    ee_greedy_dense(matrix, rows, columns, at_once, column_of, &arena);
    assert_ptr_equal(mark.at, ee_arena_get_mark(&arena).at);
    for (size_t i = 0; i < rows; i++)
      if (column_of[i] != expected[i])
        fail_msg("round %d, %zu x %zu, %zu at once: row %zu has %u, not %u", round, rows, columns, at_once, i,
                 column_of[i], expected[i]);
  }
}

/* Assign optimal -------------------------------------------------------------------------------- */

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

/* Rows ascend, no row or column is used more often than it has copies, and every pair was listed. */
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

static void knows_optimal_matchings(void **state) {
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

/* A similarity that is nothing beside the largest one is still more than none. */
static void pairs_the_least_similar(void **state) {
  (void)state;
  ee_pair pairs[] = {{.row = 0, .column = 0, .similarity = 1}, {.row = 1, .column = 1, .similarity = 1e-30}};
  assert_int_equal(ee_optimal_match(pairs, 2, 2, 2, 0, &arena), 2);
  assert_int_equal(pairs[1].row, 1);
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

static void refuses_what_32_bits_cannot_number(void **state) {
  (void)state;
  assert_true(ee_optimal_match(NULL, UINT32_MAX, 1, 1, 0, &arena) == SIZE_MAX);
  assert_true(ee_optimal_match(NULL, 0, UINT32_MAX, 1, 0, &arena) == SIZE_MAX);
  assert_true(ee_optimal_match(NULL, 0, 1, UINT32_MAX, 0, &arena) == SIZE_MAX);
}

/* One pair listed twice: whichever comes first, the same is chosen. */
static void equal_pairs_may_differ_in_rank(void **state) {
  (void)state;
  for (int turned = 0; turned < 2; turned++) {
    ee_pair pairs[3] = {[2] = {.row = 1, .column = 1, .similarity = 0.5}};
    pairs[turned] = (ee_pair){.similarity = 1, .row_rank = 2};
    pairs[!turned] = (ee_pair){.similarity = 1, .row_rank = 1};
    assert_int_equal(ee_optimal_match(pairs, 3, 2, 2, 0, &arena), 2);
    assert_int_equal(pairs[0].row_rank, 1);
    assert_int_equal(pairs[1].row, 1);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(knows_matchings), cmocka_unit_test(breaks_ties_in_order),
             cmocka_unit_test(agrees_with_repeated_search), cmocka_unit_test(handles_many_pairs),
             cmocka_unit_test(takes_the_same_from_a_matrix), cmocka_unit_test(knows_optimal_matchings),
             cmocka_unit_test(pairs_the_least_similar), cmocka_unit_test(is_never_beaten),
             cmocka_unit_test(counts_copies), cmocka_unit_test(beats_greedy_and_expansion),
             cmocka_unit_test(keeps_its_limit), cmocka_unit_test(handles_large_sparse_graphs),
             cmocka_unit_test(refuses_what_32_bits_cannot_number), cmocka_unit_test(equal_pairs_may_differ_in_rank));
