/* test_assign_facts.c: what scipy's linear_sum_assignment and greedy matching say of small matrices, against ours.
 *
 * assign_cases.jsonl holds cost matrices with the least and the largest total of a full assignment ("lsa"; null where
 * there is none), and similarity matrices with a threshold ("match"): the pairs of largest total among those that reach
 * it (gate_sum), of largest number and then total (gate_count), and greedy ones. `post` is what comes of cutting pairs
 * below the threshold off a full assignment afterwards, which we never do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs the four above. */
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "prim/assign.h"

enum { LSA_ROWS = 16, MATCH_ROWS = 13 };

static const ee_value *member(const ee_value *value, const char *key) {
  return ee_value_member(value, ee_str_from(key), NULL);
}

/* A matrix; "inf" is impossible. */
typedef struct matrix {
  double *cells;
  size_t rows, columns, possible;
} matrix;

static matrix read_matrix(const ee_value *lists, ee_arena *arena) {
  matrix m = {.rows = ee_value_count(lists), .columns = ee_value_count(ee_value_child(lists))};
  m.cells = EE_NEW_ARRAY(arena, double, m.rows *m.columns);
  double *at = m.cells;
  for (const ee_value *row = ee_value_child(lists); row != NULL; row = ee_value_next(row)) {
    assert_int_equal(ee_value_count(row), m.columns);
    for (const ee_value *cell = ee_value_child(row); cell != NULL; cell = ee_value_next(cell)) {
      bool possible = ee_type_of(cell) == EE_NUMBER;
      if (possible) m.possible++;
      *at++ = possible ? ee_value_number(cell) : INFINITY;
    }
  }
  return m;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Full assignments ----------------------------------------------------------------------------- */

/* The dense solver knows no impossible pair. */
static void check_dense(const char *id, const matrix *m, double sign, const ee_value *wanted, ee_arena *arena) {
  double *costs = EE_NEW_ARRAY(arena, double, m->rows * m->columns);
  for (size_t i = 0; i < m->rows * m->columns; i++) costs[i] = sign * m->cells[i];
  uint32_t *column_of = EE_NEW_ARRAY(arena, uint32_t, m->rows);
  double total = sign * ee_assign_dense(costs, m->rows, m->columns, column_of, arena);
  double expected = ee_value_number(wanted);
  if (fabs(total - expected) > 1e-12 * fmax(1, fabs(expected))) fail_msg("%s: %.17g, not %.17g", id, total, expected);
  size_t taken = 0;
  double again = 0;
  for (size_t i = 0; i < m->rows; i++) {
    if (column_of[i] == UINT32_MAX) continue;
    for (size_t k = 0; k < i; k++) assert_true(column_of[k] != column_of[i]);
    again += m->cells[i * m->columns + column_of[i]];
    taken++;
  }
  assert_int_equal(taken, least(m->rows, m->columns));
  assert_true(fabs(again - total) <= 1e-12 * fmax(1, fabs(total)));
}

/* The sparse solver, where a pair is worth so much that there are as many as can be: NULL means that they are too few.
 */
static void check_sparse(const char *id, const matrix *m, double sign, const ee_value *wanted, ee_arena *arena) {
  double largest = 0;
  for (size_t i = 0; i < m->rows * m->columns; i++) {
    if (isfinite(m->cells[i])) largest = fmax(largest, fabs(m->cells[i]));
  }
  double bonus = (double)(4 * least(m->rows, m->columns)) * fmax(largest, 1);
  ee_pair *pairs = EE_NEW_ARRAY(arena, ee_pair, m->possible);
  size_t count = 0;
  for (uint32_t row = 0; row < m->rows; row++) {
    for (uint32_t column = 0; column < m->columns; column++) {
      double cost = m->cells[row * m->columns + column];
      if (isfinite(cost)) pairs[count++] = (ee_pair){.row = row, .column = column, .similarity = bonus - sign * cost};
    }
  }
  size_t taken = ee_optimal_match(pairs, count, m->rows, m->columns, 0, arena);
  bool full = taken == least(m->rows, m->columns);
  assert_int_equal(full, ee_type_of(wanted) == EE_NUMBER);
  if (!full) return;
  double total = 0, expected = ee_value_number(wanted);
  for (size_t i = 0; i < taken; i++) total += m->cells[pairs[i].row * m->columns + pairs[i].column];
  if (fabs(total - expected) > 1e-12 * fmax(1, largest)) fail_msg("%s: sparse %.17g, not %.17g", id, total, expected);
}

static void check_lsa(const char *id, const ee_value *row, ee_arena *arena) {
  matrix m = read_matrix(member(row, "cost"), arena);
  check_sparse(id, &m, 1, member(row, "min"), arena);
  if (m.possible < m.rows * m.columns) return; /* of the largest total with infinities they say nothing */
  check_dense(id, &m, 1, member(row, "min"), arena);
  check_dense(id, &m, -1, member(row, "max"), arena);
  check_sparse(id, &m, -1, member(row, "max"), arena);
}

/* Matching with a threshold -------------------------------------------------------------------- */

static size_t list_pairs(const matrix *m, double threshold, double bonus, ee_pair *pairs) {
  size_t count = 0;
  for (uint32_t row = 0; row < m->rows; row++) {
    for (uint32_t column = 0; column < m->columns; column++) {
      double similarity = m->cells[row * m->columns + column];
      if (similarity < threshold) continue;
      pairs[count++] = (ee_pair){.row = row, .column = column, .similarity = similarity + bonus};
    }
  }
  return count;
}

static void check_taken(const char *id, const char *what, const matrix *m, const ee_pair *pairs, size_t taken,
                        const ee_value *row) {
  const ee_value *wanted = member(row, what);
  double sum = 0, expected = ee_value_number(member(wanted, "sum"));
  for (size_t i = 0; i < taken; i++) sum += m->cells[pairs[i].row * m->columns + pairs[i].column];
  if ((double)taken != ee_value_number(member(wanted, "pairs")) || fabs(sum - expected) > 1e-12 * fmax(1, expected)) {
    fail_msg("%s %s: %zu pairs of %.17g, not %.17g", id, what, taken, sum, expected);
  }
}

/* The boxes of a pair of lists cannot have any overlaps, so ee.iou_score itself is held against a twin elsewhere
 * (test_iou_twin.c); here it is its gate and its bonus a pair for gate = "count". */
static void check_match(const char *id, const ee_value *row, ee_arena *arena) {
  matrix m = read_matrix(member(row, "similarity"), arena);
  double threshold = ee_value_number(member(row, "threshold"));
  ee_pair *pairs = EE_NEW_ARRAY(arena, ee_pair, m.rows * m.columns);
  size_t count = list_pairs(&m, threshold, 0, pairs);
  check_taken(id, "greedy", &m, pairs, ee_greedy_match(pairs, count, m.rows, m.columns, arena), row);
  count = list_pairs(&m, threshold, 0, pairs);
  check_taken(id, "gate_sum", &m, pairs, ee_optimal_match(pairs, count, m.rows, m.columns, 0, arena), row);
  count = list_pairs(&m, threshold, (double)least(m.rows, m.columns) + 1, pairs);
  check_taken(id, "gate_count", &m, pairs, ee_optimal_match(pairs, count, m.rows, m.columns, 0, arena), row);
}

static void test_facts(void **state) {
  (void)state;
  FILE *file = fopen("tests/peers/assign_cases.jsonl", "r");
  assert_non_null(file);
  char *line = NULL;
  size_t room = 0, lsa = 0, match = 0;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (ssize_t length; (length = getline(&line, &room, file)) > 0;) {
    ee_arena_reset(&arena, 0);
    ee_error error = {0};
    const ee_value *row = ee_json_read(&arena, (ee_str){line, (size_t)length}, NULL, &error);
    if (row == NULL) fail_msg("%s", error.message);
    const char *id = member(row, "id")->json.valuestring;
    if (ee_str_is(ee_value_text(member(row, "kind")), "lsa")) {
      check_lsa(id, row, &arena);
      lsa++;
    } else {
      check_match(id, row, &arena);
      match++;
    }
  }
  assert_int_equal(lsa, LSA_ROWS);
  assert_int_equal(match, MATCH_ROWS);
  ee_arena_fini(&arena);
  free(line);
  fclose(file);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_facts));
