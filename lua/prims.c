/* prims.c: ee.prim.*: one row and one thin wrapper a primitive; those of geometry stand in prims_geometry.c.
 *
 * A wrapper checks its arguments, calls the C function of the same name, and pushes what it returned. Texts must be
 * valid UTF-8, numbers finite where the primitive asks for it. */
#include "lua/prims.h"

#include <math.h>
#include <string.h>

#include "lua/prims_geometry.h"
#include "lua/scratch.h"
#include "prim/confusion.h"
#include "prim/date.h"
#include "prim/edit.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "prim/token.h"

static ee_str check_text(lua_State *L, int index) {
  size_t length;
  const char *text = luaL_checklstring(L, index, &length);
  if (ee_utf8_valid_prefix(text, length) != length) luaL_argerror(L, index, "no valid UTF-8");
  return (ee_str){text, length};
}

/* Edit distances and token ratios: (a, b) -> number -------------------------------------------- */

static int levenshtein(lua_State *L) {
  ee_str a = check_text(L, 1), b = check_text(L, 2);
  lua_Integer limit = luaL_optinteger(L, 3, LUA_MAXINTEGER);
  luaL_argcheck(L, limit >= 0, 3, "a whole number from 0 expected");
  size_t distance =
      ee_levenshtein(a, b, limit == LUA_MAXINTEGER ? EE_NO_LIMIT : (size_t)limit, ee_lua_scratch_arena(L));
  lua_pushinteger(L, (lua_Integer)distance);
  return 1;
}

static int text_pair(lua_State *L, double (*measure)(ee_str, ee_str, ee_arena *)) {
  ee_str a = check_text(L, 1), b = check_text(L, 2);
  lua_pushnumber(L, measure(a, b, ee_lua_scratch_arena(L)));
  return 1;
}
static int levenshtein_similarity(lua_State *L) { return text_pair(L, ee_levenshtein_similarity); }
static int jaro(lua_State *L) { return text_pair(L, ee_jaro); }
static int jaro_winkler(lua_State *L) { return text_pair(L, ee_jaro_winkler); }
static int ratio(lua_State *L) { return text_pair(L, ee_ratio); }
static int token_sort(lua_State *L) { return text_pair(L, ee_token_sort); }
static int token_set(lua_State *L) { return text_pair(L, ee_token_set); }
static int token_f1(lua_State *L) { return text_pair(L, ee_token_f1); }

static int lcs_length(lua_State *L) {
  ee_str a = check_text(L, 1), b = check_text(L, 2);
  lua_pushinteger(L, (lua_Integer)ee_lcs_length(a, b, ee_lua_scratch_arena(L)));
  return 1;
}

/* normalize(text, form, ...) */
static int normalize(lua_State *L) {
  ee_str text = check_text(L, 1);
  uint8_t forms[32];
  int count = lua_gettop(L) - 1;
  luaL_argcheck(L, count <= 32, 34, "more than 32 normal forms");
  for (int i = 0; i < count; i++) {
    int form = ee_normal_form_find(check_text(L, i + 2));
    if (form < 0)
      return luaL_argerror(L, i + 2, "unknown normal form (trim, casefold, nfkc, collapse_space, alnum, digits)");
    forms[i] = (uint8_t)form;
  }
  ee_str out = ee_normalize(text, forms, (size_t)count, ee_lua_scratch_arena(L));
  lua_pushlstring(L, out.data, out.length);
  return 1;
}

/* Numbers -------------------------------------------------------------------------------------- */

/* number_parse(text [, decimal [, money]]) -> number or nil */
static int number_parse(lua_State *L) {
  ee_str text = check_text(L, 1);
  const char *decimal = luaL_optstring(L, 2, ".");
  luaL_argcheck(L, strcmp(decimal, ".") == 0 || strcmp(decimal, ",") == 0, 2, "'.' or ',' expected");
  ee_number_format format = {decimal[0], lua_toboolean(L, 3) != 0};
  double value;
  if (ee_number_parse(text, format, ee_lua_scratch_arena(L), &value, NULL))
    lua_pushnumber(L, value);
  else
    lua_pushnil(L);
  return 1;
}

static int decimal_compare(lua_State *L) {
  ee_number_format format = {'.', false};
  ee_arena *arena = ee_lua_scratch_arena(L);
  ee_str digits[2];
  for (int i = 0; i < 2; i++) {
    double value;
    if (!ee_number_parse(check_text(L, i + 1), format, arena, &value, &digits[i]))
      return luaL_argerror(L, i + 1, "no number");
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

/* Reads the text at `index` by the formats from `first` to the top; the reason is pushed when it is none. */
static bool check_date(lua_State *L, int index, int first, ee_arena *arena, ee_date *date) {
  int count = lua_gettop(L) - first + 1;
  const ee_date_format **formats = EE_NEW_ARRAY(arena, const ee_date_format *, (size_t)(count > 0 ? count : 0) + 1);
  for (int i = 0; i < count; i++) {
    const char *why;
    formats[i] = ee_date_format_compile(check_text(L, first + i), arena, &why);
    if (formats[i] == NULL) luaL_argerror(L, first + i, why);
  }
  ee_date_status status = ee_date_parse(check_text(L, index), formats, (size_t)(count > 0 ? count : 0), date);
  if (status == EE_DATE_OK) return true;
  lua_pushnil(L);
  lua_pushstring(L, status == EE_DATE_AMBIGUOUS ? "ambiguous" : "unparseable");
  return false;
}

/* date_parse(text, format, ...) -> ISO 8601 text, days since 1970-01-01; or nil, why */
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

/* The field `name` of the table at 1; 0 where it is not there. */
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

/* The rows
 * ------------------------------------------------------------------------------------------------------------------ */

#define TEXTS "(a: string, b: string) -> number"
#define POINTS "(a: number[], b: number[]) -> number"
#define BOXES POINTS
#define SIMILARITIES "(similarities: number[][], threshold?: number) -> { [1]: integer, [2]: integer, [3]: number }[]"
#define COUNTS "(counts: { tp: integer, tn: integer, fp: integer, fn: integer }) -> number|nil"

const ee_lua_prim ee_lua_prims[] = {
    {"levenshtein", levenshtein, "(a: string, b: string, limit?: integer) -> integer",
     "edit distance in code points; limit + 1 as soon as it exceeds limit"},
    {"levenshtein_similarity", levenshtein_similarity, TEXTS, "1 - distance / longer length, 0..1"},
    {"jaro", jaro, TEXTS, "Jaro similarity, 0..1"},
    {"jaro_winkler", jaro_winkler, TEXTS, "Jaro-Winkler similarity (prefix 4, scale 0.1), 0..1"},
    {"lcs_length", lcs_length, "(a: string, b: string) -> integer",
     "length of the longest common subsequence in code points"},
    {"ratio", ratio, TEXTS, "2 * common subsequence / sum of lengths, 0..1"},
    {"token_sort", token_sort, TEXTS, "ratio of the words in sorted order, 0..1"},
    {"token_set", token_set, TEXTS, "best ratio of common and remaining words, 0..1"},
    {"token_f1", token_f1, TEXTS, "F1 of the words as multisets, 0..1"},
    {"normalize", normalize, "(text: string, ...: string) -> string",
     "text in the named normal forms: trim, casefold, nfkc, collapse_space, alnum, digits"},
    {"number_parse", number_parse, "(text: string, decimal?: string, money?: boolean) -> number|nil",
     "the number that the whole text says; decimal is '.' or ','; money understands currency signs and (1.00)"},
    {"decimal_compare", decimal_compare, "(a: string, b: string) -> integer",
     "order of two decimal texts of any length: below 0, 0, above 0"},
    {"within_tolerance", within_tolerance, "(x: number, y: number, tolerance: number, relative?: boolean) -> boolean",
     "whether x lies within the tolerance of y, inclusive"},
    {"linear_closeness", linear_closeness, "(x: number, y: number) -> number", "max(0, 1 - |x-y|/|y|), 0..1"},
    {"date_parse", date_parse, "(text: string, ...: string) -> string|nil, integer|string",
     "ISO 8601 text and days since 1970-01-01, read by the given formats or the default ones; or nil and why"},
    {"iou", ee_lua_prim_iou, BOXES, "intersection over union of two boxes x1, y1, x2, y2; 0..1"},
    {"giou", ee_lua_prim_giou, BOXES, "iou less the share of the box around both that neither covers; -1..1"},
    {"diou", ee_lua_prim_diou, BOXES, "iou less squared distance of centres / squared diagonal of the box around both"},
    {"ciou", ee_lua_prim_ciou, BOXES, "diou less a penalty for unlike proportions"},
    {"ios", ee_lua_prim_ios, BOXES, "intersection over the smaller area; 0..1"},
    {"ioa", ee_lua_prim_ioa, BOXES, "intersection over the area of b; 0..1"},
    {"iou_matrix", ee_lua_prim_iou_matrix, "(a: number[][], b: number[][]) -> number[][]",
     "iou of each box of a with each of b, a row for each of a"},
    {"polygon_area", ee_lua_prim_polygon_area, "(polygon: ee.polygon, fill?: \"even_odd\"|\"non_zero\") -> number",
     "area inside a polygon { { x, y }, ... } or { ring, ... }; even_odd by default"},
    {"polygon_iou", ee_lua_prim_polygon_iou,
     "(a: ee.polygon, b: ee.polygon, fill?: \"even_odd\"|\"non_zero\") -> number",
     "intersection over union of two polygons by their true areas; 0..1"},
    {"euclidean", ee_lua_prim_euclidean, POINTS, "Euclidean distance of two points of one dimension"},
    {"manhattan", ee_lua_prim_manhattan, POINTS, "Manhattan distance of two points of one dimension"},
    {"cosine", ee_lua_prim_cosine, POINTS,
     "cosine distance of two vectors of one dimension, 0..2; 1 with a zero vector"},
    {"assign", ee_lua_prim_assign, "(costs: number[][]) -> (integer|false)[], number",
     "the cheapest pairing: each row's column, false for none, and the total"},
    {"greedy_match", ee_lua_prim_greedy_match, SIMILARITIES,
     "pairs row, column, similarity: the best remaining one first, none below the threshold"},
    {"optimal_match", ee_lua_prim_optimal_match, SIMILARITIES,
     "pairs row, column, similarity, by row: the largest total, none below the threshold or at 0"},
    {"precision", precision, COUNTS, "tp / (tp + fp); nil when undefined"},
    {"recall", recall, COUNTS, "tp / (tp + fn); nil when undefined"},
    {"f1", f1, COUNTS, "harmonic mean of precision and recall; nil when undefined"},
    {"specificity", specificity, COUNTS, "tn / (tn + fp); nil when undefined"},
    {NULL, NULL, NULL, NULL},
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
