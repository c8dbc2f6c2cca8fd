/* prims.c: ee.prim.*: one row and one thin wrapper for each primitive.
 *
 * A wrapper checks its arguments, calls the C function of the same name and pushes its result. Strings must be valid
 * UTF-8. Arguments are read into the state's arena, which the next primitive reuses: no Lua runs between reading and
 * using them. */
#include "lua/prims.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/value.h"
#include "lua/sandbox.h"
#include "lua/text_prims.h"
#include "lua/values.h"
#include "prim/assign.h"
#include "prim/box.h"
#include "prim/confusion.h"
#include "prim/date.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "prim/polygon.h"

/* Numbers -------------------------------------------------------------------------------------- */

/* number_parse(text [, decimal [, money]]) -> number or nil */
static int number_parse(lua_State *L) {
  ee_str text = ee_lua_check_text(L, 1);
  const char *decimal = luaL_optstring(L, 2, ".");
  luaL_argcheck(L, strcmp(decimal, ".") == 0 || strcmp(decimal, ",") == 0, 2, "'.' or ',' expected");
  ee_number_format format = {.decimal = decimal[0], .money = lua_toboolean(L, 3) != 0};
  double value;
  if (ee_number_parse(text, format, ee_lua_scratch_arena(L), &value, NULL))
    lua_pushnumber(L, value);
  else
    lua_pushnil(L);
  return 1;
}

static int decimal_compare(lua_State *L) {
  ee_number_format format = {.decimal = '.'};
  ee_arena *arena = ee_lua_scratch_arena(L);
  ee_str digits[2];
  for (int i = 0; i < 2; i++) {
    double value;
    if (!ee_number_parse(ee_lua_check_text(L, i + 1), format, arena, &value, &digits[i]))
      return luaL_argerror(L, i + 1, "not a number");
  }
  lua_pushinteger(L, ee_decimal_compare(digits[0], digits[1]));
  return 1;
}

/* within_tolerance(x, y, tolerance [, relative]) -> boolean */
static int within_tolerance(lua_State *L) {
  double tolerance = luaL_checknumber(L, 3);
  luaL_argcheck(L, tolerance >= 0, 3, "a number from 0 expected");
  lua_pushboolean(
      L, ee_within_tolerance(luaL_checknumber(L, 1), luaL_checknumber(L, 2), tolerance, lua_toboolean(L, 4) != 0));
  return 1;
}

static int linear_closeness(lua_State *L) {
  lua_pushnumber(L, ee_linear_closeness(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
  return 1;
}

/* Dates ---------------------------------------------------------------------------------------- */

/* The order with that name, or 0. */
static unsigned date_order(ee_str name) {
  static const char *const names[] = {"DMY", "MDY", "YMD"};
  for (unsigned i = 0; i < 3; i++) {
    if (ee_str_is(name, names[i])) return 1u << i;
  }
  return 0;
}

/* Reads the string at `index` by the formats and the order from `first` to the top. False when that fails: then nil and
 * the reason are pushed. */
static bool check_date(lua_State *L, int index, int first, ee_arena *arena, ee_date *date) {
  int top = lua_gettop(L);
  const ee_date_format **formats = EE_NEW_ARRAY(arena, const ee_date_format *, (size_t)top + 1);
  ee_date_rules rules = {.formats = formats};
  for (int i = first; i <= top; i++) {
    ee_str text = ee_lua_check_text(L, i);
    const char *why;
    unsigned order = date_order(text);
    if (order != 0) {
      rules.order = order;
    } else if ((formats[rules.format_count++] = ee_date_format_compile(text, arena, &why)) == NULL) {
      luaL_argerror(L, i, why);
    }
  }
  ee_date_readings readings;
  size_t count = ee_date_read(ee_lua_check_text(L, index), &rules, &readings);
  if (count == 1) {
    *date = readings.dates[0];
    return true;
  }
  lua_pushnil(L);
  lua_pushstring(L, count > 1 ? "ambiguous" : "unparseable");
  return false;
}

/* date_parse(text, format or order, ...) -> ISO 8601 text, days since 1970-01-01; or nil, why */
static int date_parse(lua_State *L) {
  ee_date date;
  if (!check_date(L, 1, 2, ee_lua_scratch_arena(L), &date)) return 2;
  char text[40];
  size_t length = ee_date_format_iso(&date, text);
  lua_pushlstring(L, text, length);
  lua_pushinteger(L, ee_date_days(&date));
  return 2;
}

/* Confusion counts: ({ tp, tn, fp, fn }) -> number or nil
 * ------------------------------------------------------------------ */

/* The field `name` of the table at 1; 0 when it is missing. */
static uint64_t check_count(lua_State *L, const char *name) {
  double value = -1;
  int type = lua_getfield(L, 1, name);
  if (type == LUA_TNIL) value = 0;
  if (type == LUA_TNUMBER) value = lua_tonumber(L, -1);
  luaL_argcheck(L, value >= 0 && value <= 0x1p53 && value == floor(value), 1,
                "a table { tp, tn, fp, fn } of whole numbers from 0 expected");
  lua_pop(L, 1);
  return (uint64_t)value;
}

static int metric(lua_State *L, ee_metric (*formula)(const ee_counts *)) {
  luaL_checktype(L, 1, LUA_TTABLE);
  ee_counts counts = {
      .tp = check_count(L, "tp"), .tn = check_count(L, "tn"), .fp = check_count(L, "fp"), .fn = check_count(L, "fn")};
  ee_metric result = formula(&counts);
  if (result.defined)
    lua_pushnumber(L, result.value);
  else
    lua_pushnil(L);
  return 1;
}
static int precision(lua_State *L) { return metric(L, ee_precision); }
static int recall(lua_State *L) { return metric(L, ee_recall); }
static int f1(lua_State *L) { return metric(L, ee_f1); }
static int specificity(lua_State *L) { return metric(L, ee_specificity); }

#define MAX_PAIRS ((size_t)4000000)
#define TOO_MANY_PAIRS "more than 4,000,000 pairs"
#define MAX_ROWS 100000
#define TOO_MANY_ROWS "too many rows"
/* Steps of one optimal matching or one polygon sweep, some seconds. More is an error, so that a run does not hang. */
#define MAX_STEPS ((uint64_t)1 << 30)

#define A_LIST_OF_NUMBERS "a list of finite numbers expected"
#define A_LIST_OF_LISTS "a list of lists of numbers expected"
#define A_POLYGON "a polygon expected: a list of points { x, y }, or a list of rings of these"

/* Lists of numbers ----------------------------------------------------------------------------- */

/* The array or list at `index`; raises `otherwise` for anything else. */
static const ee_value *check_list(lua_State *L, int index, ee_arena *arena, const char *otherwise) {
  const char *why;
  const ee_value *list = ee_lua_to_value(ee_lua_of(L), index, arena, &why);
  /* An empty table converts to an object. */
  bool is_list = ee_type_of(list) == EE_ARRAY || (ee_type_of(list) == EE_OBJECT && ee_value_count(list) == 0);
  luaL_argcheck(L, is_list, index, otherwise);
  return list;
}

/* The numbers of a list; NULL when it is not a list of finite numbers. */
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
static int euclidean(lua_State *L) { return point_pair(L, ee_euclidean); }
static int manhattan(lua_State *L) { return point_pair(L, ee_manhattan); }
static int cosine(lua_State *L) { return point_pair(L, ee_cosine); }

/* Boxes ---------------------------------------------------------------------------------------- */

/* Reads a box; returns NULL, or why it is not usable. */
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
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): luaL_argerror() does not return
  lua_pushnumber(L, overlap(a, b));
  return 1;
}
static int iou(lua_State *L) { return box_pair(L, ee_iou); }
static int giou(lua_State *L) { return box_pair(L, ee_giou); }
static int diou(lua_State *L) { return box_pair(L, ee_diou); }
static int ciou(lua_State *L) { return box_pair(L, ee_ciou); }
static int ios(lua_State *L) { return box_pair(L, ee_ios); }
static int ioa(lua_State *L) { return box_pair(L, ee_ioa); }

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
static int iou_matrix(lua_State *L) {
  ee_arena *arena = ee_lua_scratch_arena(L);
  size_t rows, columns;
  const ee_box *a = check_boxes(L, 1, arena, &rows), *b = check_boxes(L, 2, arena, &columns);
  luaL_argcheck(L, rows == 0 || columns <= MAX_PAIRS / rows, 2, TOO_MANY_PAIRS);
  double *matrix = ee_arena_alloc(arena, (rows * columns + 1) * sizeof *matrix);
  ee_iou_matrix(a, rows, b, columns, matrix);
  ee_lua_push_matrix(L, matrix, rows, columns);
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

/* Pushes the result of a sweep. */
static int push_swept(lua_State *L, double value) {
  if (isnan(value)) return luaL_error(L, "the edges of polygons cross too often");
  lua_pushnumber(L, value);
  return 1;
}

/* polygon_area(polygon [, fill]) */
static int polygon_area(lua_State *L) {
  ee_arena *arena = ee_lua_scratch_arena(L);
  ee_polygon polygon = check_polygon(L, 1, arena);
  uint64_t steps = MAX_STEPS;
  return push_swept(L, ee_polygon_area(&polygon, check_fill(L, 2), &steps, arena));
}

/* polygon_iou(polygon, polygon [, fill]) */
static int polygon_iou(lua_State *L) {
  ee_arena *arena = ee_lua_scratch_arena(L);
  ee_polygon a = check_polygon(L, 1, arena), b = check_polygon(L, 2, arena);
  uint64_t steps = MAX_STEPS;
  return push_swept(L, ee_polygon_iou(&a, &b, check_fill(L, 3), &steps, arena));
}

/* Matching ------------------------------------------------------------------------------------- */

typedef struct matrix {
  double *values; /* rows * columns */
  size_t rows, columns;
} matrix;

/* Raises that row `row` of the matrix at 1, from 0, is bad in the given way. */
static _Noreturn void refuse_row(lua_State *L, size_t row, const char *why) {
  luaL_argerror(L, 1, lua_pushfstring(L, "row %d %s", (int)row + 1, why));
  abort(); /* not reached: luaL_argerror() is not declared so */
}

/* The entry at `column`, from 0, is not a number. */
static _Noreturn void refuse_entry(lua_State *L, size_t row, size_t column, const char *what) {
  refuse_row(L, row, lua_pushfstring(L, "has %s at column %d, a number expected", what, (int)column + 1));
}

#define A_ROW "is not a list of numbers"

/* Makes room for another row, of `count` numbers: as many as the first one has. Returns its place. */
static double *add_row(lua_State *L, matrix *m, size_t row, size_t count, ee_arena *arena) {
  if (row == 0) {
    luaL_argcheck(L, count == 0 || m->rows <= MAX_PAIRS / count, 1, TOO_MANY_PAIRS);
    m->columns = count;
    m->values = ee_arena_alloc(arena, (m->rows * count + 1) * sizeof *m->values);
  } else if (count != m->columns) {
    refuse_row(L, row, lua_pushfstring(L, "is of length %d, row 1 of length %d", (int)count, (int)m->columns));
  }
  return &m->values[row * m->columns];
}

/* Adds an array of a document as a row. */
static void add_array(lua_State *L, matrix *m, size_t row, const ee_value *array, ee_arena *arena) {
  if (ee_type_of(array) != EE_ARRAY) refuse_row(L, row, A_ROW);
  double *values = add_row(L, m, row, ee_value_count(array), arena);
  size_t column = 0;
  for (const ee_value *at = ee_value_child(array); at != NULL; at = ee_value_next(at), column++) {
    if (ee_type_of(at) != EE_NUMBER) refuse_entry(L, row, column, ee_value_describe(at));
    values[column] = ee_value_number(at);
  }
}

/* Adds the row on top of the stack: a table, read without calling metamethods, whose numbers may be infinite, or an
 * array of a document. Pops it. */
static void add_row_on_top(lua_State *L, matrix *m, size_t row, ee_arena *arena) {
  const char *why;
  if (!lua_istable(L, -1)) {
    add_array(L, m, row, lua_isuserdata(L, -1) ? ee_lua_to_value(ee_lua_of(L), -1, arena, &why) : NULL, arena);
    lua_pop(L, 1);
    return;
  }
  ee_lua_thaw(L);
  double *values = add_row(L, m, row, lua_rawlen(L, -1), arena);
  for (size_t column = 0; column < m->columns; column++) {
    int type = lua_rawgeti(L, -1, (lua_Integer)column + 1);
    if (type != LUA_TNUMBER) refuse_entry(L, row, column, ee_lua_describe(ee_lua_of(L), -1));
    values[column] = lua_tonumber(L, -1);
    if (isnan(values[column])) refuse_entry(L, row, column, "NaN");
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

/* The matrix at 1: a list of rows of one length, each a table or an array of a document, as is the list. */
static matrix check_matrix(lua_State *L, ee_arena *arena) {
  matrix m = {.rows = 0};
  if (lua_isuserdata(L, 1)) {
    const ee_value *list = check_list(L, 1, arena, A_LIST_OF_LISTS), *at = ee_value_child(list);
    m.rows = ee_value_count(list);
    luaL_argcheck(L, m.rows <= MAX_ROWS, 1, TOO_MANY_ROWS);
    for (size_t i = 0; i < m.rows; i++, at = ee_value_next(at)) add_array(L, &m, i, at, arena);
    return m;
  }
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_pushvalue(L, 1);
  ee_lua_thaw(L);
  m.rows = lua_rawlen(L, -1);
  luaL_argcheck(L, m.rows <= MAX_ROWS, 1, TOO_MANY_ROWS);
  for (size_t i = 0; i < m.rows; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i + 1);
    add_row_on_top(L, &m, i, arena);
  }
  lua_pop(L, 1);
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

/* The entries at or above `threshold`; an entry of minus infinity is a forbidden pair. */
static ee_pair *list_pairs(const matrix *m, double threshold, ee_arena *arena, size_t *count) {
  ee_pair *pairs = EE_NEW_ARRAY(arena, ee_pair, m->rows * m->columns + 1);
  *count = 0;
  for (size_t at = 0; at < m->rows * m->columns; at++) {
    if (!(m->values[at] >= threshold) || m->values[at] == -INFINITY) continue;
    pairs[(*count)++] = (ee_pair){
        .row = (uint32_t)(at / m->columns), .column = (uint32_t)(at % m->columns), .similarity = m->values[at]};
  }
  return pairs;
}

/* greedy_match(similarities [, threshold]) -> { { row, column, similarity }, ... } in the order taken */
static int greedy_match(lua_State *L) {
  double threshold = luaL_optnumber(L, 2, 0);
  ee_arena *arena = ee_lua_scratch_arena(L);
  matrix m = check_matrix(L, arena);
  size_t count;
  ee_pair *pairs = list_pairs(&m, threshold, arena, &count);
  push_pairs(L, pairs, ee_greedy_match(pairs, count, m.rows, m.columns, arena));
  return 1;
}

/* optimal_match(similarities [, threshold]) -> { { row, column, similarity }, ... } by row */
static int optimal_match(lua_State *L) {
  double threshold = luaL_optnumber(L, 2, 0);
  ee_arena *arena = ee_lua_scratch_arena(L);
  matrix m = check_matrix(L, arena);
  for (size_t at = 0; at < m.rows * m.columns; at++)
    luaL_argcheck(L, m.values[at] != INFINITY, 1, "similarities below infinity expected");
  size_t count;
  /* Pairs with a similarity of 0 or less do not raise a total. */
  ee_pair *pairs = list_pairs(&m, threshold > 0 ? threshold : nextafter(0, 1), arena, &count);
  size_t taken = ee_optimal_match(pairs, count, m.rows, m.columns, MAX_STEPS, arena);
  if (taken == SIZE_MAX) return luaL_error(L, "optimal_match took too many steps for %d pairs", (int)count);
  push_pairs(L, pairs, taken);
  return 1;
}

/* assign(costs) -> { column or false, ... }, total */
static int assign(lua_State *L) {
  ee_arena *arena = ee_lua_scratch_arena(L);
  matrix m = check_matrix(L, arena);
  for (size_t at = 0; at < m.rows * m.columns; at++)
    luaL_argcheck(L, m.values[at] != -INFINITY, 1, "costs above minus infinity expected");
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

/* The rows
 * ------------------------------------------------------------------------------------------------------------------ */

#define TEXTS "(a: string, b: string) -> number"
#define DISTANCE "(a: string, b: string) -> integer"
#define TOKEN_OPTIONS "{ tokenizer?: string, n?: integer }"
#define TOKEN_TEXTS "(a: string, b: string, options?: " TOKEN_OPTIONS ") -> number"
#define BLEU_OPTIONS TOKEN_OPTIONS
#define CHRF_OPTIONS "{ n?: integer, word_order?: integer, beta?: number }"
#define ANY_OPTIONS                                                                                                    \
  "{ normalize?: string|string[], tokenizer?: string, n?: integer, word_order?: integer, beta?: number }"
#define TOKENIZER_LIST "whitespace (the default), words, characters, ngrams, squad, rouge, 13a, intl"
#define POINTS "(a: number[], b: number[]) -> number"
#define BOXES POINTS
#define SIMILARITIES "(similarities: number[][], threshold?: number) -> { [1]: integer, [2]: integer, [3]: number }[]"
#define COUNTS "(counts: { tp: integer, tn: integer, fp: integer, fn: integer }) -> number|nil"

const ee_lua_prim ee_lua_prims[] = {
    {"levenshtein", ee_lua_levenshtein, "(a: string, b: string, limit?: integer) -> integer",
     "edit distance in code points; limit + 1 as soon as it exceeds limit", "\"kitten\", \"sitting\"", "3"},
    {"levenshtein_similarity", ee_lua_levenshtein_similarity, TEXTS, "1 - distance / longer length, 0..1",
     "\"abcd\", \"abce\"", "0.75"},
    {"damerau", ee_lua_damerau, DISTANCE,
     "Damerau-Levenshtein distance: a swap of neighbours is one edit, between which others may edit", "\"ca\", \"abc\"",
     "2"},
    {"osa", ee_lua_osa, DISTANCE, "optimal string alignment: the same, but no part is edited twice", "\"ca\", \"abc\"",
     "3"},
    {"hamming", ee_lua_hamming, DISTANCE, "places that differ; what one string has more counts, too",
     "\"karolin\", \"kathrin\"", "3"},
    {"jaro", ee_lua_jaro, TEXTS, "Jaro similarity, 0..1", "\"martha\", \"marhta\"", "0.9444444444444445"},
    {"jaro_winkler", ee_lua_jaro_winkler, TEXTS, "Jaro-Winkler similarity (prefix 4, scale 0.1), 0..1",
     "\"martha\", \"marhta\"", "0.9611111111111111"},
    {"lcs_length", ee_lua_lcs_length, DISTANCE, "length of the longest common subsequence in code points",
     "\"kitten\", \"sitting\"", "4"},
    {"lcs", ee_lua_lcs, TEXTS, "lcs_length / longer length, 0..1", "\"abcd\", \"abxd\"", "0.75"},
    {"ratio", ee_lua_ratio, TEXTS, "2 * common subsequence / sum of lengths, 0..1", "\"abcd\", \"bcde\"", "0.75"},
    {"partial_ratio", ee_lua_partial_ratio, TEXTS,
     "ratio of the shorter string and the part of the longer one that is most like it, 0..1",
     "\"certain\", \"a certain string\"", "1"},
    {"token_sort", ee_lua_token_sort, TOKEN_TEXTS, "ratio of the tokens in sorted order, 0..1",
     "\"GmbH Acme\", \"Acme GmbH\"", "1"},
    {"token_set", ee_lua_token_set, TOKEN_TEXTS, "best ratio of common and remaining tokens, 0..1",
     "\"Acme GmbH\", \"Acme GmbH Berlin\"", "1"},
    {"token_f1", ee_lua_token_f1, TOKEN_TEXTS, "F1 of the tokens as multisets, 0..1",
     "\"the red car\", \"A red bike.\", { tokenizer = \"squad\" }", "0.5"},
    {"partial_token_sort", ee_lua_partial_token_sort, TOKEN_TEXTS, "partial_ratio of the tokens in sorted order, 0..1",
     "\"York New\", \"New York City\"", "1"},
    {"partial_token_set", ee_lua_partial_token_set, TOKEN_TEXTS,
     "1 if a token is in both, else partial_ratio of the sorted distinct tokens, 0..1", "\"red car\", \"my car\"", "1"},
    {"dice", ee_lua_dice, "(a: string, b: string, options?: { n?: integer }) -> number",
     "Dice coefficient of the n-grams (n = 2) of code points as multisets, 0..1", "\"night\", \"nacht\"", "0.25"},
    {"chrf", ee_lua_chrf, "(expected: string, candidate: string, options?: " CHRF_OPTIONS ") -> number",
     "chrF of n-grams of up to n = 6 code points, without white space; word_order = 2 makes it chrF++; 0..1, "
     "sacrebleu's "
     "/ 100",
     "\"ab\", \"aa\"", "0.25"},
    {"chrf_counts", ee_lua_chrf_counts,
     "(expected: string, candidate: string, options?: " CHRF_OPTIONS ") -> integer[]",
     "what chrf is made of: n-grams expected, of the candidate and common, of each length; add them up over a data set "
     "for corpus_chrf",
     "\"ab\", \"aa\", { n = 2 }", "[2,2,1,1,1,0]"},
    {"corpus_chrf", ee_lua_corpus_chrf, "(counts: integer[], beta?: number) -> number",
     "chrF of a data set, from the sums of chrf_counts; 0..1", "{ 2, 2, 1, 1, 1, 0 }", "0.25"},
    {"bleu", ee_lua_bleu, "(expected: string, candidate: string, options?: " BLEU_OPTIONS ") -> number",
     "BLEU of one sentence, n-grams of up to n = 4 tokens (tokenizer \"13a\"), with sacrebleu's default smoothing; "
     "0..1, "
     "sacrebleu's / 100",
     "\"this is a test\", \"this is a fest\"", "0.5946035575013605"},
    {"bleu_counts", ee_lua_bleu_counts,
     "(expected: string, candidate: string, options?: " BLEU_OPTIONS ") -> integer[]",
     "what bleu is made of: tokens expected and of the candidate, then n-grams common and of the candidate, of each "
     "length; add them up over a data set for corpus_bleu",
     "\"this is a test\", \"this is a fest\"", "[4,4,3,4,2,3,1,2,0,1]"},
    {"corpus_bleu", ee_lua_corpus_bleu, "(counts: integer[]) -> number",
     "BLEU of a data set, from the sums of bleu_counts; 0..1", "{ 4, 4, 4, 4, 3, 3, 2, 2, 1, 1 }", "1"},
    {"rouge_l", ee_lua_rouge_l, TOKEN_TEXTS,
     "ROUGE-L: F-measure of the longest common subsequence of tokens (tokenizer \"rouge\"), 0..1",
     "\"the cat sat\", \"The cat ran.\"", "0.6666666666666666"},
    {"wer", ee_lua_wer,
     "(expected: string, candidate: string, options?: " TOKEN_OPTIONS ") -> number, integer, integer",
     "word error rate, the edits, the tokens expected: rate = edits / tokens, 0 or more; the edits where none is "
     "expected",
     "\"this is a test\", \"this test\"", "0.5"},
    {"cer", ee_lua_cer, "(expected: string, candidate: string) -> number, integer, integer",
     "character error rate, the edits, the code points expected, without white space at the ends",
     "\"This is a test\", \"This test\"", "0.35714285714285715"},
    {"similarity", ee_lua_similarity,
     "(expected: string, candidate: string, algorithm?: string, options?: " ANY_OPTIONS ") -> number",
     "the similarity that ee.fuzzy computes with that algorithm (\"levenshtein\"), 0..1; texts are normalized only if "
     "options say so",
     "\"ACME\", \"acme \", \"osa\", { normalize = { \"trim\", \"casefold\" } }", "1"},
    {"similarity_matrix", ee_lua_similarity_matrix,
     "(expected: string[], candidate: string[], algorithm?: string, options?: " ANY_OPTIONS ") -> number[][]",
     "the similarity of each string of one list and each of the other, a row for each expected one; much faster than "
     "as "
     "many calls",
     "{ \"ab\", \"cd\" }, { \"ab\", \"ax\" }", "[[1,0.5],[0,0]]"},
    {"tokens", ee_lua_tokens, "(text: string, tokenizer?: string, n?: integer) -> string[]",
     "the tokens of a text: " TOKENIZER_LIST, "\"It's 1,000.5 $.\", \"13a\"", "[\"It's\",\"1,000.5\",\"$\",\".\"]"},
    {"normalize", ee_lua_normalize, "(text: string, ...: string) -> string",
     "text in the named normal forms: " EE_NORMAL_FORM_LIST, "\" Straße \", \"trim\", \"casefold\"", "\"strasse\""},
    {"number_parse", number_parse, "(text: string, decimal?: string, money?: boolean) -> number|nil",
     "the number in the text, nil when there is anything else; decimal is '.' or ','; money accepts currency signs and "
     "(1.00)",
     "\"1.234,50\", \",\"", "1234.5"},
    {"decimal_compare", decimal_compare, "(a: string, b: string) -> integer",
     "order of two decimal strings of any length: below 0, 0, above 0", "\"1.10\", \"1.1\"", "0"},
    {"within_tolerance", within_tolerance, "(x: number, y: number, tolerance: number, relative?: boolean) -> boolean",
     "whether x is within the tolerance of y, inclusive", "100, 100.5, 0.01, true", "true"},
    {"linear_closeness", linear_closeness, "(x: number, y: number) -> number", "max(0, 1 - |x-y|/|y|), 0..1", "90, 100",
     "0.9"},
    {"date_parse", date_parse, "(text: string, ...: string) -> string|nil, integer|string",
     "ISO 8601 text and days since 1970-01-01, read by the given formats and order (\"DMY\"), else by the default "
     "ones; or "
     "nil and why",
     "\"3 Mar 2025\"", "\"2025-03-03\""},
    {"iou", iou, BOXES, "intersection over union of two boxes x1, y1, x2, y2; 0..1", "{ 0, 0, 2, 2 }, { 1, 0, 3, 2 }",
     "0.3333333333333333"},
    {"giou", giou, BOXES, "iou minus the share of the enclosing box that neither covers; -1..1",
     "{ 0, 0, 1, 1 }, { 3, 0, 4, 1 }", "-0.5"},
    {"diou", diou, BOXES, "iou minus squared distance of centres / squared diagonal of the enclosing box",
     "{ 0, 0, 2, 2 }, { 2, 0, 4, 2 }", "-0.2"},
    {"ciou", ciou, BOXES, "diou minus a penalty for different proportions", "{ 0, 0, 2, 2 }, { 2, 0, 4, 2 }", "-0.2"},
    {"ios", ios, BOXES, "intersection over the smaller area; 0..1", "{ 0, 0, 4, 4 }, { 0, 0, 2, 2 }", "1"},
    {"ioa", ioa, BOXES, "intersection over the area of b; 0..1", "{ 0, 0, 2, 2 }, { 0, 0, 4, 4 }", "0.25"},
    {"iou_matrix", iou_matrix, "(a: number[][], b: number[][]) -> number[][]",
     "iou of each box of a with each of b, a row for each of a",
     "{ { 0, 0, 2, 2 } }, { { 0, 0, 2, 2 }, { 2, 2, 4, 4 } }", "[[1,0]]"},
    {"polygon_area", polygon_area, "(polygon: ee.polygon, fill?: \"even_odd\"|\"non_zero\") -> number",
     "area inside a polygon { { x, y }, ... } or { ring, ... }; even_odd by default",
     "{ { 0, 0 }, { 4, 0 }, { 4, 3 } }", "6"},
    {"polygon_iou", polygon_iou, "(a: ee.polygon, b: ee.polygon, fill?: \"even_odd\"|\"non_zero\") -> number",
     "intersection over union of two polygons by their true areas; 0..1",
     "{ { 0, 0 }, { 2, 0 }, { 2, 2 }, { 0, 2 } }, { { 0, 0 }, { 4, 0 }, { 4, 2 }, { 0, 2 } }", "0.5"},
    {"euclidean", euclidean, POINTS, "Euclidean distance of two points of equal dimension", "{ 0, 0 }, { 3, 4 }", "5"},
    {"manhattan", manhattan, POINTS, "Manhattan distance of two points of equal dimension", "{ 0, 0 }, { 3, 4 }", "7"},
    {"cosine", cosine, POINTS, "cosine distance of two vectors of equal dimension, 0..2; 1 with a zero vector",
     "{ 1, 0 }, { 0, 1 }", "1"},
    {"assign", assign, "(costs: number[][]) -> (integer|false)[], number",
     "the cheapest pairing: each row's column or false, and the total; a cost of math.huge forbids its pair, and as "
     "many "
     "pairs as possible are made of the others",
     "{ { 4, 1 }, { 2, 3 } }", "[2,1]"},
    {"greedy_match", greedy_match, SIMILARITIES,
     "pairs row, column, similarity: the best remaining one first, none below the threshold or at -math.huge",
     "{ { 0.9, 0.8 }, { 0.7, 0.1 } }", "[[1,1,0.9],[2,2,0.1]]"},
    {"optimal_match", optimal_match, SIMILARITIES,
     "pairs row, column, similarity, by row: the largest total, none below the threshold or at 0",
     "{ { 0.9, 0.8 }, { 0.7, 0.1 } }", "[[1,2,0.8],[2,1,0.7]]"},
    {"precision", precision, COUNTS, "tp / (tp + fp); nil when undefined", "{ tp = 3, tn = 0, fp = 1, fn = 2 }",
     "0.75"},
    {"recall", recall, COUNTS, "tp / (tp + fn); nil when undefined", "{ tp = 3, tn = 0, fp = 1, fn = 1 }", "0.75"},
    {"f1", f1, COUNTS, "harmonic mean of precision and recall; nil when undefined",
     "{ tp = 3, tn = 0, fp = 1, fn = 1 }", "0.75"},
    {"specificity", specificity, COUNTS, "tn / (tn + fp); nil when undefined", "{ tp = 3, tn = 1, fp = 1, fn = 2 }",
     "0.5"},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};

void ee_lua_prims_open(ee_lua *lua) {
  lua_State *L = lua->L;
  lua_newtable(L);
  for (const ee_lua_prim *prim = ee_lua_prims; prim->name != NULL; prim++) {
    lua_pushcfunction(L, prim->function);
    lua_setfield(L, -2, prim->name);
  }
  lua_setfield(L, -2, "prim");
}
