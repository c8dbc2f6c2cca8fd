/* prims_geometry.c: ee.prim.* of boxes, polygons, points and matching.
 *
 * What is read from an argument lies in the state's arena, which the next primitive reuses: nothing here runs Lua
 * between reading and using it. */
#include "lua/prims_geometry.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "data/json/value.h"
#include "lua/scratch.h"
#include "lua/values.h"
#include "prim/assign.h"
#include "prim/geometry.h"
#include "prim/polygon.h"

#define MOST_PAIRS ((size_t)4000000)
/* Steps of one optimal matching or of one polygon's sweep, some seconds: what would take longer is an error and not a
 * run that hangs. */
#define MOST_STEPS ((uint64_t)1 << 30)

#define A_LIST_OF_NUMBERS "a list of finite numbers expected"
#define A_LIST_OF_LISTS "a list of lists of numbers expected"
#define A_POLYGON "a polygon expected: a list of points { x, y }, or a list of rings of these"

/* Lists of numbers ----------------------------------------------------------------------------- */

/* The list at `index`, a document's or a table; `otherwise` is what to say when it is none. */
static const ee_value *check_list(lua_State *L, int index, ee_arena *arena, const char *otherwise) {
  const char *why;
  const ee_value *list = ee_lua_to_value(ee_lua_of(L), index, arena, &why);
  /* An empty table is an object to JSON. */
  bool is_list = ee_type_of(list) == EE_ARRAY || (ee_type_of(list) == EE_OBJECT && ee_value_count(list) == 0);
  luaL_argcheck(L, is_list, index, otherwise);
  return list;
}

/* The numbers of a list; NULL when it is no list or one of them is no finite number. */
static double *read_numbers(const ee_value *list, ee_arena *arena, size_t *count) {
  if (ee_type_of(list) != EE_ARRAY && !(ee_type_of(list) == EE_OBJECT && ee_value_count(list) == 0)) return NULL;
  double *numbers = EE_NEW_ARRAY(arena, double, ee_value_count(list) + 1);
  *count = 0;
  for (const ee_value *at = ee_value_child(list); at != NULL; at = ee_value_next(at)) {
    if (ee_type_of(at) != EE_NUMBER || !isfinite(ee_value_number(at))) return NULL;
    numbers[(*count)++] = ee_value_number(at);
  }
  return numbers;
}

static const double *check_numbers(lua_State *L, int index, ee_arena *arena, size_t *count) {
  const double *numbers = read_numbers(check_list(L, index, arena, A_LIST_OF_NUMBERS), arena, count);
  luaL_argcheck(L, numbers != NULL, index, A_LIST_OF_NUMBERS);
  return numbers;
}

/* Points --------------------------------------------------------------------------------------- */

static int point_pair(lua_State *L, double (*distance)(const double *, const double *, size_t)) {
  ee_arena *arena = ee_lua_scratch_arena(L);
  size_t count_a, count_b;
  const double *a = check_numbers(L, 1, arena, &count_a), *b = check_numbers(L, 2, arena, &count_b);
  if (count_a != count_b) return luaL_argerror(L, 2, "points of different dimensions");
  lua_pushnumber(L, distance(a, b, count_a));
  return 1;
}
int ee_lua_prim_euclidean(lua_State *L) { return point_pair(L, ee_euclidean); }
int ee_lua_prim_manhattan(lua_State *L) { return point_pair(L, ee_manhattan); }
int ee_lua_prim_cosine(lua_State *L) { return point_pair(L, ee_cosine); }

/* Boxes ---------------------------------------------------------------------------------------- */

/* Reads a box; NULL when it is usable, else why not. */
static const char *read_box(const ee_value *list, ee_arena *arena, ee_box *box) {
  size_t count;
  const double *n = read_numbers(list, arena, &count);
  if (n == NULL) return A_LIST_OF_NUMBERS;
  if (count != 4) return "a box of four numbers expected: x1, y1, x2, y2";
  *box = (ee_box){n[0], n[1], n[2], n[3]};
  return ee_box_check(*box);
}

static ee_box check_box(lua_State *L, int index, ee_arena *arena) {
  ee_box box;
  const char *why = read_box(check_list(L, index, arena, A_LIST_OF_NUMBERS), arena, &box);
  if (why != NULL) luaL_argerror(L, index, why);
  return box;
}

static int box_pair(lua_State *L, double (*overlap)(ee_box, ee_box)) {
  ee_arena *arena = ee_lua_scratch_arena(L);
  ee_box a = check_box(L, 1, arena), b = check_box(L, 2, arena);
  lua_pushnumber(L, overlap(a, b));
  return 1;
}
int ee_lua_prim_iou(lua_State *L) { return box_pair(L, ee_iou); }
int ee_lua_prim_giou(lua_State *L) { return box_pair(L, ee_giou); }
int ee_lua_prim_diou(lua_State *L) { return box_pair(L, ee_diou); }
int ee_lua_prim_ciou(lua_State *L) { return box_pair(L, ee_ciou); }
int ee_lua_prim_ios(lua_State *L) { return box_pair(L, ee_ios); }
int ee_lua_prim_ioa(lua_State *L) { return box_pair(L, ee_ioa); }

static const ee_box *check_boxes(lua_State *L, int index, ee_arena *arena, size_t *count) {
  const ee_value *list = check_list(L, index, arena, "a list of boxes expected");
  ee_box *boxes = EE_NEW_ARRAY(arena, ee_box, (size_t)ee_value_count(list) + 1);
  *count = 0;
  for (const ee_value *at = ee_value_child(list); at != NULL; at = ee_value_next(at), ++*count) {
    const char *why = read_box(at, arena, &boxes[*count]);
    if (why != NULL) luaL_argerror(L, index, lua_pushfstring(L, "box %d: %s", (int)*count + 1, why));
  }
  return boxes;
}

/* iou_matrix(boxes, boxes) -> list of rows */
int ee_lua_prim_iou_matrix(lua_State *L) {
  ee_arena *arena = ee_lua_scratch_arena(L);
  size_t rows, columns;
  const ee_box *a = check_boxes(L, 1, arena, &rows), *b = check_boxes(L, 2, arena, &columns);
  luaL_argcheck(L, rows == 0 || columns <= MOST_PAIRS / rows, 2, "more than 4,000,000 pairs");
  double *matrix = ee_arena_alloc(arena, (rows * columns + 1) * sizeof *matrix);
  ee_iou_matrix(a, rows, b, columns, matrix);
  lua_createtable(L, (int)rows, 0);
  for (size_t i = 0; i < rows; i++) {
    lua_createtable(L, (int)columns, 0);
    for (size_t k = 0; k < columns; k++) {
      lua_pushnumber(L, matrix[i * columns + k]);
      lua_rawseti(L, -2, (lua_Integer)k + 1);
    }
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

/* Polygons ------------------------------------------------------------------------------------- */

static bool read_ring(const ee_value *list, ee_arena *arena, ee_ring *ring) {
  if (ee_type_of(list) != EE_ARRAY) return false;
  ee_point *points = EE_NEW_ARRAY(arena, ee_point, ee_value_count(list));
  *ring = (ee_ring){points, ee_value_count(list)};
  for (const ee_value *at = ee_value_child(list); at != NULL; at = ee_value_next(at)) {
    size_t count;
    const double *n = read_numbers(at, arena, &count);
    if (n == NULL || count != 2) return false;
    *points++ = (ee_point){n[0], n[1]};
  }
  return true;
}

/* A list of points is one ring; a list of lists of points one ring each. */
static ee_polygon check_polygon(lua_State *L, int index, ee_arena *arena) {
  const ee_value *list = check_list(L, index, arena, A_POLYGON), *first = ee_value_child(list);
  luaL_argcheck(L, first != NULL, index, A_POLYGON);
  bool several = ee_type_of(first) == EE_ARRAY && ee_type_of(ee_value_child(first)) == EE_ARRAY;
  size_t count = several ? ee_value_count(list) : 1;
  ee_ring *rings = EE_NEW_ARRAY(arena, ee_ring, count);
  const ee_value *ring = several ? first : list;
  for (size_t i = 0; i < count; i++, ring = ee_value_next(ring))
    luaL_argcheck(L, read_ring(ring, arena, &rings[i]), index, A_POLYGON);
  ee_polygon polygon = {rings, count};
  const char *why = ee_polygon_check(&polygon);
  if (why != NULL) luaL_argerror(L, index, why);
  return polygon;
}

static ee_fill_rule check_fill(lua_State *L, int index) {
  static const char *const names[] = {"even_odd", "non_zero", NULL};
  const char *name = luaL_optstring(L, index, names[0]);
  for (int i = 0; names[i] != NULL; i++)
    if (strcmp(name, names[i]) == 0) return i == 0 ? EE_FILL_EVEN_ODD : EE_FILL_NON_ZERO;
  luaL_argerror(L, index, "'even_odd' or 'non_zero' expected");
  return EE_FILL_EVEN_ODD;
}

/* Pushes what came of a sweep. */
static int push_swept(lua_State *L, double value) {
  if (isnan(value)) return luaL_error(L, "the edges of polygons cross too often");
  lua_pushnumber(L, value);
  return 1;
}

/* polygon_area(polygon [, fill]) */
int ee_lua_prim_polygon_area(lua_State *L) {
  ee_arena *arena = ee_lua_scratch_arena(L);
  ee_polygon polygon = check_polygon(L, 1, arena);
  uint64_t steps = MOST_STEPS;
  return push_swept(L, ee_polygon_area(&polygon, check_fill(L, 2), &steps, arena));
}

/* polygon_iou(polygon, polygon [, fill]) */
int ee_lua_prim_polygon_iou(lua_State *L) {
  ee_arena *arena = ee_lua_scratch_arena(L);
  ee_polygon a = check_polygon(L, 1, arena), b = check_polygon(L, 2, arena);
  uint64_t steps = MOST_STEPS;
  return push_swept(L, ee_polygon_iou(&a, &b, check_fill(L, 3), &steps, arena));
}

/* Matching ------------------------------------------------------------------------------------- */

typedef struct matrix {
  double *values; /* rows * columns; NaN where a row is shorter than the longest one */
  size_t rows, columns;
} matrix;

/* Reads the table at 1, a list of rows of numbers, without calling metamethods. */
static matrix check_matrix(lua_State *L, ee_arena *arena) {
  luaL_checktype(L, 1, LUA_TTABLE);
  matrix m = {.rows = lua_rawlen(L, 1)};
  luaL_argcheck(L, m.rows <= 100000, 1, "too many rows");
  for (size_t i = 1; i <= m.rows; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i);
    luaL_argcheck(L, lua_istable(L, -1), 1, A_LIST_OF_LISTS);
    size_t width = lua_rawlen(L, -1);
    m.columns = width > m.columns ? width : m.columns;
    lua_pop(L, 1);
  }
  luaL_argcheck(L, m.rows == 0 || m.columns <= MOST_PAIRS / m.rows, 1, "more than 4,000,000 pairs");
  m.values = ee_arena_alloc(arena, (m.rows * m.columns + 1) * sizeof *m.values);
  for (size_t i = 0; i < m.rows; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    size_t width = lua_rawlen(L, -1);
    for (size_t k = 0; k < m.columns; k++) {
      double *value = &m.values[i * m.columns + k];
      *value = NAN;
      if (k >= width) continue;
      lua_rawgeti(L, -1, (lua_Integer)k + 1);
      luaL_argcheck(L, lua_type(L, -1) == LUA_TNUMBER && !isnan(lua_tonumber(L, -1)), 1, A_LIST_OF_LISTS);
      *value = lua_tonumber(L, -1);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  return m;
}

/* Pushes { { row, column, similarity }, ... }. */
static void push_pairs(lua_State *L, const ee_pair *pairs, size_t count) {
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    lua_createtable(L, 3, 0);
    lua_pushinteger(L, (lua_Integer)pairs[i].row + 1);
    lua_rawseti(L, -2, 1);
    lua_pushinteger(L, (lua_Integer)pairs[i].column + 1);
    lua_rawseti(L, -2, 2);
    lua_pushnumber(L, pairs[i].similarity);
    lua_rawseti(L, -2, 3);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* The entries that are there and not below `threshold`. */
static ee_pair *list_pairs(const matrix *m, double threshold, ee_arena *arena, size_t *count) {
  ee_pair *pairs = EE_NEW_ARRAY(arena, ee_pair, m->rows * m->columns + 1);
  *count = 0;
  for (size_t at = 0; at < m->rows * m->columns; at++) {
    if (!(m->values[at] >= threshold)) continue;
    pairs[(*count)++] = (ee_pair){
        .row = (uint32_t)(at / m->columns), .column = (uint32_t)(at % m->columns), .similarity = m->values[at]};
  }
  return pairs;
}

/* greedy_match(similarities [, threshold]) -> { { row, column, similarity }, ... } in the order taken */
int ee_lua_prim_greedy_match(lua_State *L) {
  double threshold = luaL_optnumber(L, 2, 0);
  ee_arena *arena = ee_lua_scratch_arena(L);
  matrix m = check_matrix(L, arena);
  size_t count;
  ee_pair *pairs = list_pairs(&m, threshold, arena, &count);
  push_pairs(L, pairs, ee_greedy_match(pairs, count, m.rows, m.columns, arena));
  return 1;
}

/* optimal_match(similarities [, threshold]) -> { { row, column, similarity }, ... } by row */
int ee_lua_prim_optimal_match(lua_State *L) {
  double threshold = luaL_optnumber(L, 2, 0);
  ee_arena *arena = ee_lua_scratch_arena(L);
  matrix m = check_matrix(L, arena);
  for (size_t at = 0; at < m.rows * m.columns; at++)
    luaL_argcheck(L, !isinf(m.values[at]), 1, "a list of lists of finite numbers expected");
  size_t count;
  /* A pair of similarity 0 or less adds nothing to a total. */
  ee_pair *pairs = list_pairs(&m, threshold > 0 ? threshold : nextafter(0, 1), arena, &count);
  size_t taken = ee_optimal_match(pairs, count, m.rows, m.columns, MOST_STEPS, arena);
  if (taken == SIZE_MAX) return luaL_error(L, "optimal_match took too many steps for %d pairs", (int)count);
  push_pairs(L, pairs, taken);
  return 1;
}

/* assign(costs) -> { column or false, ... }, total */
int ee_lua_prim_assign(lua_State *L) {
  ee_arena *arena = ee_lua_scratch_arena(L);
  matrix m = check_matrix(L, arena);
  for (size_t at = 0; at < m.rows * m.columns; at++) {
    luaL_argcheck(L, !isnan(m.values[at]), 1, "rows of one length expected");
    luaL_argcheck(L, isfinite(m.values[at]), 1, "a list of lists of finite numbers expected");
  }
  uint32_t *column_of = EE_NEW_ARRAY(arena, uint32_t, m.rows + 1);
  double total = ee_assign_dense(m.values, m.rows, m.columns, column_of, arena);
  lua_createtable(L, (int)m.rows, 0);
  for (size_t i = 0; i < m.rows; i++) {
    if (column_of[i] == UINT32_MAX)
      lua_pushboolean(L, false);
    else
      lua_pushinteger(L, (lua_Integer)column_of[i] + 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushnumber(L, total);
  return 2;
}
