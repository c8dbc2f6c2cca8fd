/* test_prims_geometry.c: ee.prim.* of boxes, polygons, points and matching against the C functions, and their refusals.
 */
#include "lua/prim_call.h"

#include <math.h>

#include "prim/assign.h"
#include "prim/box.h"
#include "prim/polygon.h"
#include "support/random.h"

enum { ROUNDS = 1000, MOST = 6 };

static void push_points(ee_lua *lua, const ee_point *points, size_t count) {
  lua_newtable(lua->L);
  for (size_t i = 0; i < count; i++) {
    push_numbers(lua, (const double[]){points[i].x, points[i].y}, 2);
    lua_rawseti(lua->L, -2, (lua_Integer)i + 1);
  }
}

static void push_matrix(ee_lua *lua, const double *matrix, size_t rows, size_t columns) {
  lua_newtable(lua->L);
  for (size_t row = 0; row < rows; row++) {
    push_numbers(lua, matrix + row * columns, columns);
    lua_rawseti(lua->L, -2, (lua_Integer)row + 1);
  }
}

static ee_box random_box(test_random *random) {
  double x = (double)test_random_below(random, 20), y = (double)test_random_below(random, 20);
  return (ee_box){x, y, x + (double)test_random_below(random, 12), y + (double)test_random_below(random, 12)};
}

static void test_points(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double (*function)(const double *, const double *, size_t);
  } distances[] = {{"euclidean", ee_euclidean}, {"manhattan", ee_manhattan}, {"cosine", ee_cosine}};
  test_random random = test_random_start("prims points", 34);
  ee_lua *lua = open_prims();
  for (int round = 0; round < ROUNDS; round++) {
    double a[MOST], b[MOST];
    size_t count = test_random_below(&random, MOST + 1);
    for (size_t i = 0; i < MOST; i++) {
      a[i] = floor(test_random_unit(&random) * 20);
      b[i] = floor(test_random_unit(&random) * 20);
    }
    for (size_t i = 0; i < 3; i++) {
      begin(lua, distances[i].name);
      push_numbers(lua, a, count);
      push_numbers(lua, b, count);
      assert_true(number_result(lua) == distances[i].function(a, b, count));
    }
  }
  ee_lua_free(lua);
}

static void test_boxes(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double (*function)(ee_box, ee_box);
  } overlaps[] = {{"iou", ee_iou},   {"giou", ee_giou}, {"diou", ee_diou},
                  {"ciou", ee_ciou}, {"ios", ee_ios},   {"ioa", ee_ioa}};
  test_random random = test_random_start("prims boxes", 36);
  ee_lua *lua = open_prims();
  for (int round = 0; round < ROUNDS; round++) {
    ee_box a = random_box(&random), b = random_box(&random);
    for (size_t i = 0; i < sizeof overlaps / sizeof *overlaps; i++) {
      begin(lua, overlaps[i].name);
      push_numbers(lua, &a.x1, 4);
      push_numbers(lua, &b.x1, 4);
      assert_true(number_result(lua) == overlaps[i].function(a, b));
    }
  }
  ee_lua_free(lua);
}

static void test_iou_matrix(void **state) {
  (void)state;
  test_random random = test_random_start("prims iou_matrix", 37);
  ee_lua *lua = open_prims();
  for (int round = 0; round < ROUNDS / 4; round++) {
    ee_box a[MOST], b[MOST];
    size_t rows = test_random_below(&random, MOST), columns = test_random_below(&random, MOST);
    for (size_t i = 0; i < MOST; i++) {
      a[i] = random_box(&random);
      b[i] = random_box(&random);
    }
    begin(lua, "iou_matrix");
    push_matrix(lua, &a[0].x1, rows, 4);
    push_matrix(lua, &b[0].x1, columns, 4);
    finish(lua);
    assert_int_equal(lua_rawlen(lua->L, -1), rows);
    for (size_t i = 0; i < rows; i++) {
      lua_rawgeti(lua->L, -1, (lua_Integer)i + 1);
      assert_int_equal(lua_rawlen(lua->L, -1), columns);
      for (size_t k = 0; k < columns; k++) {
        lua_rawgeti(lua->L, -1, (lua_Integer)k + 1);
        assert_true(lua_tonumber(lua->L, -1) == ee_iou(a[i], b[k]));
        lua_pop(lua->L, 1);
      }
      lua_pop(lua->L, 1);
    }
  }
  ee_lua_free(lua);
}

static void test_polygons(void **state) {
  (void)state;
  static const char *const fills[] = {"even_odd", "non_zero"};
  test_random random = test_random_start("prims polygons", 38);
  ee_lua *lua = open_prims();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (int round = 0; round < ROUNDS; round++) {
    ee_point points[2][MOST];
    ee_ring rings[2];
    ee_polygon polygons[2];
    for (size_t i = 0; i < 2; i++) {
      rings[i] = (ee_ring){points[i], 3 + test_random_below(&random, MOST - 2)};
      polygons[i] = (ee_polygon){&rings[i], 1};
      for (size_t k = 0; k < MOST; k++)
        points[i][k] = (ee_point){(double)test_random_below(&random, 9), (double)test_random_below(&random, 9)};
    }
    ee_fill_rule fill = test_random_below(&random, 2) == 0 ? EE_FILL_EVEN_ODD : EE_FILL_NON_ZERO;
    ee_arena_reset(&arena, 0);
    begin(lua, "polygon_area");
    push_points(lua, points[0], rings[0].count);
    lua_pushstring(lua->L, fills[fill]);
    assert_true(number_result(lua) == ee_polygon_area(&polygons[0], fill, NULL, &arena));
    begin(lua, "polygon_iou");
    for (size_t i = 0; i < 2; i++) push_points(lua, points[i], rings[i].count);
    lua_pushstring(lua->L, fills[fill]);
    assert_true(number_result(lua) == ee_polygon_iou(&polygons[0], &polygons[1], fill, NULL, &arena));
  }
  ee_arena_fini(&arena);
  ee_lua_free(lua);
  assert_result(
      "local area, square = ee.prim.polygon_area, { { 0, 0 }, { 4, 0 }, { 4, 4 }, { 0, 4 } }\n"
      "local hole = { { 1, 1 }, { 3, 1 }, { 3, 3 }, { 1, 3 } }\n"
      "return area(square) .. ' ' .. area { square, hole } .. ' ' .. area({ square, hole }, 'non_zero') .. ' '\n"
      "  .. ee.prim.polygon_iou({ square, hole }, square)",
      "16.0 12.0 16.0 0.75");
  /* Edges between two lines, which cross a million times. */
  assert_result("local tangle = {}\n"
                "for i = 1, 3000 do tangle[i] = { i * i * 0.618033988 % 1, i % 2 } end\n"
                "local good, message = pcall(ee.prim.polygon_area, tangle)\n"
                "return tostring(good) .. ' ' .. message",
                "false the edges of polygons cross too often");
}

/* By trying: the best pair that is left, ties by row, then column. */
static size_t slow_greedy(const double *matrix, size_t rows, size_t columns, double threshold, size_t (*pairs)[2]) {
  bool row_taken[8] = {false}, column_taken[8] = {false};
  for (size_t taken = 0;; taken++) {
    size_t best = SIZE_MAX;
    for (size_t at = 0; at < rows * columns; at++) {
      if (row_taken[at / columns] || column_taken[at % columns] || matrix[at] < threshold) continue;
      if (best == SIZE_MAX || matrix[at] > matrix[best]) best = at;
    }
    if (best == SIZE_MAX) return taken;
    row_taken[best / columns] = column_taken[best % columns] = true;
    pairs[taken][0] = best / columns;
    pairs[taken][1] = best % columns;
  }
}

/* Reads pair `i` (from 0) of the list on top of the stack. */
static double pair_at(ee_lua *lua, size_t i, size_t *row, size_t *column) {
  lua_rawgeti(lua->L, -1, (lua_Integer)i + 1);
  for (int k = 1; k <= 3; k++) lua_rawgeti(lua->L, -k, k);
  assert_true(lua_isinteger(lua->L, -3) && lua_isinteger(lua->L, -2));
  *row = (size_t)lua_tointeger(lua->L, -3) - 1;
  *column = (size_t)lua_tointeger(lua->L, -2) - 1;
  double similarity = lua_tonumber(lua->L, -1);
  lua_pop(lua->L, 4);
  return similarity;
}

static size_t random_matrix(test_random *random, double *matrix, size_t *rows) {
  *rows = test_random_below(random, 7);
  size_t columns = 1 + test_random_below(random, 6);
  for (size_t i = 0; i < *rows * columns; i++) matrix[i] = (double)test_random_below(random, 6) / 5;
  return columns;
}

static void test_greedy_match(void **state) {
  (void)state;
  test_random random = test_random_start("prims greedy", 35);
  ee_lua *lua = open_prims();
  for (int round = 0; round < ROUNDS; round++) {
    double matrix[64];
    size_t rows, columns = random_matrix(&random, matrix, &rows);
    begin(lua, "greedy_match");
    push_matrix(lua, matrix, rows, columns);
    lua_pushnumber(lua->L, 0.4);
    finish(lua);
    size_t pairs[8][2], count = slow_greedy(matrix, rows, columns, 0.4, pairs), row, column;
    assert_int_equal(lua_rawlen(lua->L, -1), count);
    for (size_t i = 0; i < count; i++) {
      double similarity = pair_at(lua, i, &row, &column);
      assert_int_equal(row, pairs[i][0]);
      assert_int_equal(column, pairs[i][1]);
      assert_true(similarity == matrix[row * columns + column]);
    }
  }
  ee_lua_free(lua);
}

/* The largest total over all ways to pair rows from `row` on with columns that are not in `taken`; with `all`, as many
 * pairs as there can be must be made. */
static double slow_best(const double *matrix, size_t rows, size_t columns, size_t row, unsigned taken, size_t alone) {
  if (row == rows) return 0;
  double best = alone > 0 ? slow_best(matrix, rows, columns, row + 1, taken, alone - 1) : -INFINITY;
  for (size_t k = 0; k < columns; k++) {
    if ((taken >> k & 1) != 0) continue;
    best = fmax(best, matrix[row * columns + k] + slow_best(matrix, rows, columns, row + 1, taken | 1u << k, alone));
  }
  return best;
}

static void test_optimal_match(void **state) {
  (void)state;
  test_random random = test_random_start("prims optimal", 39);
  ee_lua *lua = open_prims();
  for (int round = 0; round < ROUNDS / 4; round++) {
    double matrix[64], gated[64], total = 0;
    size_t rows, columns = random_matrix(&random, matrix, &rows);
    for (size_t i = 0; i < rows * columns; i++) gated[i] = matrix[i] >= 0.4 ? matrix[i] : 0;
    begin(lua, "optimal_match");
    push_matrix(lua, matrix, rows, columns);
    lua_pushnumber(lua->L, 0.4);
    finish(lua);
    unsigned rows_taken = 0, columns_taken = 0;
    for (size_t i = 0, count = lua_rawlen(lua->L, -1); i < count; i++) {
      size_t row, column;
      double similarity = pair_at(lua, i, &row, &column);
      assert_true(similarity == matrix[row * columns + column] && similarity >= 0.4);
      assert_true((rows_taken >> row & 1) == 0 && (columns_taken >> column & 1) == 0);
      rows_taken |= 1u << row;
      columns_taken |= 1u << column;
      total += similarity;
    }
    assert_true(fabs(total - slow_best(gated, rows, columns, 0, 0, rows)) < 1e-9);
  }
  ee_lua_free(lua);
  assert_result("local pairs = ee.prim.optimal_match { { 0.9, 0.8 }, { 0.8, 0 } }\n"
                "return pairs[1][2] .. ' ' .. pairs[2][2] .. ' ' .. #ee.prim.optimal_match { { 0, 0 } } .. ' '\n"
                "  .. #ee.prim.optimal_match { { 0.5 }, { 0.4, 0.6 } }",
                "2 1 0 2");
}

static void test_assign(void **state) {
  (void)state;
  test_random random = test_random_start("prims assign", 40);
  ee_lua *lua = open_prims();
  for (int round = 0; round < ROUNDS / 4; round++) {
    double costs[64], negative[64], total = 0;
    size_t rows, columns = random_matrix(&random, costs, &rows), alone = rows > columns ? rows - columns : 0;
    for (size_t i = 0; i < rows * columns; i++) negative[i] = -costs[i];
    begin(lua, "assign");
    push_matrix(lua, costs, rows, columns);
    ee_error error;
    assert_int_equal(ee_lua_call(lua, 1, 2, &error), EE_OK);
    assert_int_equal(lua_rawlen(lua->L, -2), rows);
    unsigned taken = 0;
    for (size_t i = 0; i < rows; i++) {
      lua_rawgeti(lua->L, -2, (lua_Integer)i + 1);
      if (lua_isinteger(lua->L, -1)) {
        size_t column = (size_t)lua_tointeger(lua->L, -1) - 1;
        assert_true(column < columns && (taken >> column & 1) == 0);
        taken |= 1u << column;
        total += costs[i * columns + column];
      } else {
        assert_true(lua_isboolean(lua->L, -1) && !lua_toboolean(lua->L, -1));
        assert_true(alone-- > 0);
      }
      lua_pop(lua->L, 1);
    }
    assert_int_equal(alone, 0);
    assert_true(lua_tonumber(lua->L, -1) == total);
    double best = -slow_best(negative, rows, columns, 0, 0, rows > columns ? rows - columns : 0);
    assert_true(fabs(total - best) < 1e-9);
  }
  ee_lua_free(lua);
  assert_result("local columns, total = ee.prim.assign { { 4, 1 }, { 2, 0 }, { 3, 2 } }\n"
                "local none, nothing = ee.prim.assign {}\n"
                "return ee.json(columns) .. ' ' .. total .. ' ' .. #none .. ' ' .. nothing",
                "[2,1,false] 3.0 0 0.0");
}

#define NUMBERS "a list of finite numbers expected"
#define BOX "a box of four numbers expected: x1, y1, x2, y2"
#define LISTS "a list of lists of numbers expected"
#define POLYGON "a polygon expected: a list of points { x, y }, or a list of rings of these"

static void test_wrong_arguments(void **state) {
  (void)state;
  static const struct {
    const char *call;
    int place;
    const char *name, *message;
  } cases[] = {
      {"iou({ 1, 2, 3 }, { 1, 2, 3, 4 })", 1, "iou", BOX},
      {"iou({ 1, 2, 3, 4 }, 5)", 2, "iou", NUMBERS},
      {"iou({ 1, 2, 3, 4 })", 2, "iou", NUMBERS},
      {"iou({ 1, 2, 3, 1/0 }, { 1, 2, 3, 4 })", 1, "iou", NUMBERS},
      {"iou({ 1, 2, '3', 4 }, { 1, 2, 3, 4 })", 1, "iou", NUMBERS},
      {"iou({ 2, 0, 1, 1 }, { 0, 0, 1, 1 })", 1, "iou", "corners are the wrong way round"},
      {"giou({ 0, 0, 1, 1 }, {})", 2, "giou", BOX},
      {"diou('a', {})", 1, "diou", NUMBERS},
      {"ciou({ 0, 0, 1, 1 }, { x = 1 })", 2, "ciou", NUMBERS},
      {"ios({ 0, 0, 1, 1 }, { 0, 0, 1, 1, 1 })", 2, "ios", BOX},
      {"ioa(ee.null, {})", 1, "ioa", NUMBERS},
      {"iou_matrix({ { 0, 0, 1, 1 } }, 1)", 2, "iou_matrix", "a list of boxes expected"},
      {"iou_matrix({ 1 }, {})", 1, "iou_matrix", "box 1: " NUMBERS},
      {"iou_matrix({}, { { 0, 0, 1, 1 }, { 0, 1 } })", 2, "iou_matrix", "box 2: " BOX},
      {"iou_matrix({}, { { 0, 0, 1, -1 } })", 2, "iou_matrix", "box 1: corners are the wrong way round"},
      {"polygon_area {}", 1, "polygon_area", POLYGON},
      {"polygon_area { 1, 2, 3, 4 }", 1, "polygon_area", POLYGON},
      {"polygon_area { { 0, 0 }, { 1, 0 }, { 1 } }", 1, "polygon_area", POLYGON},
      {"polygon_area { { 0, 0 }, { 1, 0 }, { 1, 0/0 } }", 1, "polygon_area", POLYGON},
      {"polygon_area { { { 0, 0 }, { 1, 0 }, { 1, 1 } }, { 1, 2 } }", 1, "polygon_area", POLYGON},
      {"polygon_area { { 0, 0 }, { 1, 0 } }", 1, "polygon_area", "a ring of fewer than three points"},
      {"polygon_area({ { 0, 0 }, { 1, 0 }, { 1, 1 } }, 'odd')", 2, "polygon_area", "'even_odd' or 'non_zero' expected"},
      {"polygon_iou({ { 0, 0 }, { 1, 0 }, { 1, 1 } })", 2, "polygon_iou", POLYGON},
      {"euclidean({ 1 }, { 1, 2 })", 2, "euclidean", "points of different dimensions"},
      {"cosine({ 1, nil, 3 }, { 1 })", 1, "cosine", NUMBERS},
      {"cosine({ x = 1 }, { 1 })", 1, "cosine", NUMBERS},
      {"greedy_match(1)", 1, "greedy_match", "table expected, got number"},
      {"greedy_match({ 1 })", 1, "greedy_match", LISTS},
      {"greedy_match({ { 'x' } })", 1, "greedy_match", LISTS},
      {"greedy_match({ { 0/0 } })", 1, "greedy_match", LISTS},
      {"greedy_match({ { 1 } }, 'x')", 2, "greedy_match", "number expected, got string"},
      {"optimal_match({ { 1/0 } })", 1, "optimal_match", "a list of lists of finite numbers expected"},
      {"optimal_match()", 1, "optimal_match", "table expected, got no value"},
      {"assign({ { 1, 2 }, { 1 } })", 1, "assign", "rows of one length expected"},
      {"assign({ { 1, -1/0 } })", 1, "assign", "a list of lists of finite numbers expected"},
      {"assign({ { true } })", 1, "assign", LISTS},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256], expected[512];
    snprintf(text, sizeof text, "\nlocal x = ee.prim.%s", cases[i].call);
    snprintf(expected, sizeof expected, "rules.lua:2: bad argument #%d to '%s' (%s)", cases[i].place, cases[i].name,
             cases[i].message);
    assert_run_fails(text, expected);
  }
}

/* Metamethods of an argument run no Lua that could take the memory that is in use. */
static void test_metamethods(void **state) {
  (void)state;
  assert_result(
      "local called = 0\n"
      "local point = setmetatable({ 3, 4 }, { __index = function() called = called + 1 ee.prim.jaro('a', 'b') end,\n"
      "  __len = function() called = called + 1 return 1000 end })\n"
      "return ee.prim.euclidean(point, { 0, 0 }) .. ' ' .. called",
      "5.0 0");
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_points), cmocka_unit_test(test_boxes),
             cmocka_unit_test(test_iou_matrix), cmocka_unit_test(test_polygons), cmocka_unit_test(test_greedy_match),
             cmocka_unit_test(test_optimal_match), cmocka_unit_test(test_assign),
             cmocka_unit_test(test_wrong_arguments), cmocka_unit_test(test_metamethods));
