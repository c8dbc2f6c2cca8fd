/* test_prims.c: ee.prim.* against the C functions, and wrong arguments. */
#include "lua/rule_text.h"

#include <math.h>

#include "lua/prims.h"
#include "prim/assign.h"
#include "prim/box.h"
#include "prim/confusion.h"
#include "prim/date.h"
#include "prim/edit.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "prim/polygon.h"
#include "support/random.h"

/* Calls ---------------------------------------------------------------------------------------- */

/* A state with ee.prim on its stack at PRIM, the function and its arguments above. */
enum { PRIM = 2 };

static ee_lua *open_prims(void) {
  ee_lua *lua = new_state();
  run_text(lua, "return ee.prim");
  assert_int_equal(lua_gettop(lua->L), PRIM);
  return lua;
}

static void begin(ee_lua *lua, const char *name) {
  lua_settop(lua->L, PRIM);
  assert_int_equal(lua_getfield(lua->L, PRIM, name), LUA_TFUNCTION);
}

/* Calls with what was pushed; one result is on top. */
static void finish(ee_lua *lua) {
  ee_error error;
  if (ee_lua_call(lua, lua_gettop(lua->L) - PRIM - 1, 1, &error) != EE_OK) fail_msg("%s", error_text(&error));
}

static double number_result(ee_lua *lua) {
  finish(lua);
  assert_int_equal(lua_type(lua->L, -1), LUA_TNUMBER);
  return lua_tonumber(lua->L, -1);
}

static void push_numbers(ee_lua *lua, const double *numbers, size_t count) {
  lua_newtable(lua->L);
  for (size_t i = 0; i < count; i++) {
    lua_pushnumber(lua->L, numbers[i]);
    lua_rawseti(lua->L, -2, (lua_Integer)i + 1);
  }
}

/* Texts, numbers, dates, counts ---------------------------------------------------------------- */

enum { ROUNDS = 1500 };

static void push_str(ee_lua *lua, ee_str text) { lua_pushlstring(lua->L, text.data, text.length); }

/* A short text of letters, spaces, accents, CJK, NUL. */
static ee_str random_text(test_random *random, ee_arena *arena) {
  static const char *const pieces[] = {"a", "b", "A", " ", "  ", "ab", "\xc3\xa9", "\xe6\x9d\xb1", "\xf0\x9f\x98\x80",
                                       "1", ".", "\t"};
  ee_buffer out;
  ee_buffer_init(&out);
  for (size_t left = test_random_below(random, 14); left > 0; left--) {
    size_t piece = test_random_below(random, sizeof pieces / sizeof *pieces + 1);
    if (piece == sizeof pieces / sizeof *pieces)
      ee_buffer_add_char(&out, '\0');
    else
      ee_buffer_add_text(&out, pieces[piece]);
  }
  ee_str text = {ee_arena_copy(arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

static void test_texts(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double (*function)(ee_str, ee_str, ee_arena *);
  } measures[] = {{"levenshtein_similarity", ee_levenshtein_similarity},
                  {"jaro", ee_jaro},
                  {"jaro_winkler", ee_jaro_winkler},
                  {"ratio", ee_ratio},
                  {"partial_ratio", ee_partial_ratio}};
  test_random random = test_random_start("prims texts", 31);
  ee_lua *lua = open_prims();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (int round = 0; round < ROUNDS; round++) {
    ee_arena_reset(&arena, 0);
    ee_str a = random_text(&random, &arena), b = random_text(&random, &arena);
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
      begin(lua, measures[i].name);
      push_str(lua, a);
      push_str(lua, b);
      double expected = measures[i].function(a, b, &arena);
      assert_true(number_result(lua) == expected);
    }
    begin(lua, "levenshtein");
    push_str(lua, a);
    push_str(lua, b);
    assert_int_equal((size_t)number_result(lua), ee_levenshtein(a, b, EE_NO_LIMIT, &arena));
    size_t limit = test_random_below(&random, 5);
    begin(lua, "levenshtein");
    push_str(lua, a);
    push_str(lua, b);
    lua_pushinteger(lua->L, (lua_Integer)limit);
    assert_int_equal((size_t)number_result(lua), ee_levenshtein(a, b, limit, &arena));
    assert_true(lua_isinteger(lua->L, -1));
    begin(lua, "lcs_length");
    push_str(lua, a);
    push_str(lua, b);
    assert_int_equal((size_t)number_result(lua), ee_lcs_length(a, b, &arena));
  }
  ee_arena_fini(&arena);
  ee_lua_free(lua);
}

static void test_normalize(void **state) {
  (void)state;
  test_random random = test_random_start("prims normalize", 32);
  ee_lua *lua = open_prims();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (int round = 0; round < ROUNDS; round++) {
    ee_arena_reset(&arena, 0);
    ee_str text = random_text(&random, &arena);
    uint8_t forms[4];
    size_t count = test_random_below(&random, 5);
    begin(lua, "normalize");
    push_str(lua, text);
    for (size_t i = 0; i < count; i++) {
      forms[i] = (uint8_t)test_random_below(&random, EE_NORMAL_COUNT);
      lua_pushstring(lua->L, ee_normal_form_names[forms[i]]);
    }
    finish(lua);
    ee_str expected = ee_normalize(text, forms, count, &arena), got;
    got.data = lua_tolstring(lua->L, -1, &got.length);
    assert_true(ee_str_equal(got, expected));
  }
  ee_arena_fini(&arena);
  ee_lua_free(lua);
}

static void test_numbers(void **state) {
  (void)state;
  test_random random = test_random_start("prims numbers", 33);
  ee_lua *lua = open_prims();
  for (int round = 0; round < ROUNDS; round++) {
    double x = floor(test_random_unit(&random) * 2000 - 1000) / 8, y = x + floor(test_random_unit(&random) * 9 - 4) / 4;
    double tolerance = floor(test_random_unit(&random) * 5) / 4;
    bool relative = test_random_below(&random, 2) == 0;
    begin(lua, "within_tolerance");
    lua_pushnumber(lua->L, x);
    lua_pushnumber(lua->L, y);
    lua_pushnumber(lua->L, tolerance);
    lua_pushboolean(lua->L, relative);
    finish(lua);
    assert_int_equal(lua_toboolean(lua->L, -1), ee_within_tolerance(x, y, tolerance, relative));
    begin(lua, "linear_closeness");
    lua_pushnumber(lua->L, x);
    lua_pushnumber(lua->L, y);
    assert_true(number_result(lua) == ee_linear_closeness(x, y));
  }
  ee_lua_free(lua);
  assert_result("local p = ee.prim.number_parse return p '1,234.5' .. ' ' .. p('1.234,5', ',') .. ' ' .. p('(EUR "
                "3.00)', '.', true)",
                "1234.5 1234.5 -3.0");
  assert_result("local p = ee.prim.number_parse return p '\u22125' .. ' ' .. p '\u22121,000.5' .. ' ' .. p('5\u2212 "
                "EUR', '.', 'money')",
                "-5.0 -1000.5 -5.0");
  assert_result("local p = ee.prim.number_parse return tostring(p '12abc') .. tostring(p '(3.00)') .. tostring(p '')",
                "nilnilnil");
  assert_result("local c = ee.prim.decimal_compare\n"
                "return tostring(c('1', '1.0') == 0) .. tostring(c('9007199254740993', '9007199254740992') > 0) .. "
                "tostring(c('-1e400', '1') < 0)",
                "truetruetrue");
}

static void test_dates(void **state) {
  (void)state;
  static const struct {
    const char *text, *format; /* NULL: the default ones */
  } cases[] = {{"2025-02-28", NULL},           {"28-Feb-2025", NULL}, {"2025-01-15T10:30:00Z", NULL},
               {"31/12/2025", NULL},           {"03/04/2025", NULL},  {"30-Feb-2025", NULL},
               {"03/04/2025", "DD/MM/YYYY"},   {"x", "YYYY-MM-DD"},   {"", NULL},
               {"1969-12-31 23:59:59.5", NULL}};
  ee_lua *lua = open_prims();
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *why;
    const ee_date_format *format = NULL;
    if (cases[i].format != NULL) format = ee_date_format_compile(ee_str_from(cases[i].format), &arena, &why);
    ee_date date;
    ee_date_status status = ee_date_parse(ee_str_from(cases[i].text), &format, format != NULL, &date);
    begin(lua, "date_parse");
    lua_pushstring(lua->L, cases[i].text);
    if (format != NULL) lua_pushstring(lua->L, cases[i].format);
    ee_error error;
    assert_int_equal(ee_lua_call(lua, format != NULL ? 2 : 1, 2, &error), EE_OK);
    if (status == EE_DATE_OK) {
      char text[40];
      ee_date_format_iso(&date, text);
      assert_string_equal(lua_tostring(lua->L, -2), text);
      assert_int_equal(lua_tointeger(lua->L, -1), ee_date_days(&date));
    } else {
      assert_true(lua_isnil(lua->L, -2));
      assert_string_equal(lua_tostring(lua->L, -1), status == EE_DATE_AMBIGUOUS ? "ambiguous" : "unparseable");
    }
  }
  ee_arena_fini(&arena);
  ee_lua_free(lua);
}

static void test_confusion(void **state) {
  (void)state;
  static const struct {
    const char *name;
    ee_metric (*function)(const ee_counts *);
  } metrics[] = {{"precision", ee_precision}, {"recall", ee_recall}, {"f1", ee_f1}, {"specificity", ee_specificity}};
  ee_lua *lua = open_prims();
  for (unsigned bits = 0; bits < 256; bits++) {
    ee_counts counts = {.tp = bits & 3, .tn = bits >> 2 & 3, .fp = bits >> 4 & 3, .fn = bits >> 6};
    for (size_t i = 0; i < 4; i++) {
      begin(lua, metrics[i].name);
      lua_newtable(lua->L);
      const struct {
        const char *name;
        uint64_t count;
      } parts[] = {{"tp", counts.tp}, {"tn", counts.tn}, {"fp", counts.fp}, {"fn", counts.fn}};
      for (size_t k = 0; k < 4; k++) {
        if (parts[k].count == 0 && bits % 2 == 0) continue; /* what is not there is 0 */
        lua_pushinteger(lua->L, (lua_Integer)parts[k].count);
        lua_setfield(lua->L, -2, parts[k].name);
      }
      finish(lua);
      ee_metric expected = metrics[i].function(&counts);
      assert_int_equal(lua_isnil(lua->L, -1), !expected.defined);
      if (expected.defined) assert_true(lua_tonumber(lua->L, -1) == expected.value);
    }
  }
  ee_lua_free(lua);
}

/* Refusals ------------------------------------------------------------------------------------- */

static void test_wrong_arguments(void **state) {
  (void)state;
  static const struct {
    const char *call, *message;
  } cases[] = {
      {"levenshtein('a')", "bad argument #2 to 'levenshtein' (string expected, got no value)"},
      {"levenshtein('a', nil)", "bad argument #2 to 'levenshtein' (string expected, got nil)"},
      {"levenshtein('a', {})", "bad argument #2 to 'levenshtein' (string expected, got table)"},
      {"levenshtein('a', '\\xff')", "bad argument #2 to 'levenshtein' (not valid UTF-8)"},
      {"levenshtein('a', '\\u{7fffffff}')", "bad argument #2 to 'levenshtein' (not valid UTF-8)"},
      {"levenshtein('a', 'b', -1)", "bad argument #3 to 'levenshtein' (a whole number from 0 expected)"},
      {"levenshtein('a', 'b', 1.5)", "bad argument #3 to 'levenshtein' (number has no integer representation)"},
      {"jaro(ee.null, 'a')", "bad argument #1 to 'jaro' (string expected, got userdata)"},
      {"lcs_length()", "bad argument #1 to 'lcs_length' (string expected, got no value)"},
      {"normalize()", "bad argument #1 to 'normalize' (string expected, got no value)"},
      {"normalize('a', 'upper')", "bad argument #2 to 'normalize' (unknown normal form 'upper')"},
      {"normalize('a', table.unpack({}, 1, 40))", "bad argument #34 to 'normalize' (more than 32 normal forms)"},
      {"number_parse('1', ';')", "bad argument #2 to 'number_parse' ('.' or ',' expected)"},
      {"decimal_compare('1', 'x')", "bad argument #2 to 'decimal_compare' (not a number)"},
      {"within_tolerance(1, 2)", "bad argument #3 to 'within_tolerance' (number expected, got no value)"},
      {"within_tolerance(1, 2, 0/0)", "bad argument #3 to 'within_tolerance' (a number from 0 expected)"},
      {"linear_closeness({}, 2)", "bad argument #1 to 'linear_closeness' (number expected, got table)"},
      {"f1(1)", "bad argument #1 to 'f1' (table expected, got number)"},
      {"f1({ tp = -1 })", "bad argument #1 to 'f1' (a table { tp, tn, fp, fn } of whole numbers from 0 expected)"},
      {"f1({ tp = 1.5 })", "bad argument #1 to 'f1' (a table { tp, tn, fp, fn } of whole numbers from 0 expected)"},
      {"f1({ tp = '1' })", "bad argument #1 to 'f1' (a table { tp, tn, fp, fn } of whole numbers from 0 expected)"},
      {"f1({ fn = math.maxinteger })",
       "bad argument #1 to 'f1' (a table { tp, tn, fp, fn } of whole numbers from 0 expected)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256], expected[512];
    snprintf(text, sizeof text, "\nlocal x = ee.prim.%s", cases[i].call);
    snprintf(expected, sizeof expected, "rules.lua:2: %s", cases[i].message);
    assert_run_fails(text, expected);
  }
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const char *why = NULL;
  assert_null(ee_date_format_compile(EE_STR("YYYY"), &arena, &why));
  char expected[256];
  snprintf(expected, sizeof expected, "rules.lua:1: bad argument #2 to 'date_parse' (%s)", why);
  assert_run_fails("local x = ee.prim.date_parse('2025', 'YYYY')", expected);
  ee_arena_fini(&arena);
}

static void test_rows(void **state) {
  (void)state;
  for (const ee_lua_prim *prim = ee_lua_prims; prim->name != NULL; prim++) {
    assert_non_null(prim->function);
    assert_true(prim->signature[0] == '(' && strstr(prim->signature, ") -> ") != NULL);
    assert_true(strlen(prim->help) > 10);
    for (const ee_lua_prim *other = ee_lua_prims; other != prim; other++)
      assert_string_not_equal(prim->name, other->name);
  }
}

/* Memory that ends in the middle of a call is an error of the call, and the state goes on. */
static void test_memory_ends(void **state) {
  (void)state;
  write_text(
      "rules.lua",
      "local text, matrix = ('AB '):rep(4000), {}\n"
      "for i = 1, 60 do matrix[i] = {} for k = 1, 60 do matrix[i][k] = (i * k % 7) / 7 end end\n"
      "local calls = {}\n"
      "for i, call in ipairs { function() return ee.prim.normalize(text, 'casefold') end,\n"
      "  function() return ee.prim.greedy_match(matrix) end, function() return ee.text.words(text) end,\n"
      "  function() return ee.text.split(text, ' ') end, function() return ee.text.plain(text) end,\n"
      "  function() return ee.stats.median(matrix[1]) end, function() return ee.json(matrix) end,\n"
      "  function() return ee.copy(matrix) end, function() return ee.prim.token_sort(text, text) end,\n"
      "  function() return ee.prim.date_parse '2025-01-01' end, function() return ee.get(matrix, '[0][0]') end,\n"
      "  function() for _ in ee.each(matrix, '[1]') do end end } do calls[i] = call end\n"
      "return calls");
  ee_error error;
  ee_lua *lua = ee_lua_new("rules.lua", (ee_lua_limits){.instructions = -1}, NULL, 0, NULL, &error);
  assert_non_null(lua);
  assert_int_equal(ee_lua_run_file(lua, "rules.lua", &error), EE_OK);
  size_t count = lua_rawlen(lua->L, -1), failures = 0;
  for (size_t i = 1; i <= count; i++) {
    bool passed = false;
    for (size_t room = 0; !passed; room += room / 4 + 16) {
      lua_gc(lua->L, LUA_GCCOLLECT);
      int top = lua_gettop(lua->L);
      lua_rawgeti(lua->L, -1, (lua_Integer)i);
      lua->limits.memory = lua->memory_used + room;
      passed = ee_lua_call(lua, 0, 0, &error) == EE_OK;
      lua->limits.memory = EE_LUA_MEMORY;
      assert_int_equal(lua_gettop(lua->L), top);
      if (passed) continue;
      failures++;
      assert_non_null(strstr(error.message, "out of memory"));
    }
  }
  assert_true(failures > 50);
  ee_lua_free(lua);
}

/* Boxes, polygons, points, matching ------------------------------------------------------------ */

enum { SHAPE_ROUNDS = 1000, MOST = 6 };

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
  for (int round = 0; round < SHAPE_ROUNDS; round++) {
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
  for (int round = 0; round < SHAPE_ROUNDS; round++) {
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
  for (int round = 0; round < SHAPE_ROUNDS / 4; round++) {
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
  for (int round = 0; round < SHAPE_ROUNDS; round++) {
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
  for (int round = 0; round < SHAPE_ROUNDS; round++) {
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
  for (int round = 0; round < SHAPE_ROUNDS / 4; round++) {
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
                "  .. #ee.prim.optimal_match { { 0.5, -math.huge }, { 0.4, 0.6 } }",
                "2 1 0 2");
}

static void test_assign(void **state) {
  (void)state;
  test_random random = test_random_start("prims assign", 40);
  ee_lua *lua = open_prims();
  for (int round = 0; round < SHAPE_ROUNDS / 4; round++) {
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
  /* An infinite cost forbids a pair, and minus infinity a similarity. */
  assert_result("local never = math.huge\n"
                "local columns, total = ee.prim.assign { { 1, never }, { 0, 9 }, { never, never } }\n"
                "local pairs = ee.prim.optimal_match({ { 0.1, -never }, { 0.9, 0.9 } }, -never)\n"
                "local greedy = ee.prim.greedy_match({ { -never } }, -never)\n"
                "return ee.json(columns) .. ' ' .. total .. ' ' .. ee.json(pairs) .. ' ' .. #greedy",
                "[1,2,false] 10.0 [[1,1,0.1],[2,2,0.9]] 0");
}

#define NUMBERS "a list of finite numbers expected"
#define BOX "a box of four numbers expected: x1, y1, x2, y2"
#define POLYGON "a polygon expected: a list of points { x, y }, or a list of rings of these"

static void test_wrong_shapes(void **state) {
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
      {"polygon_area { { 0, 0 }, { 1, 0 } }", 1, "polygon_area", "a ring has fewer than three points"},
      {"polygon_area({ { 0, 0 }, { 1, 0 }, { 1, 1 } }, 'odd')", 2, "polygon_area", "'even_odd' or 'non_zero' expected"},
      {"polygon_iou({ { 0, 0 }, { 1, 0 }, { 1, 1 } })", 2, "polygon_iou", POLYGON},
      {"euclidean({ 1 }, { 1, 2 })", 2, "euclidean", "points of different dimensions"},
      {"cosine({ 1, nil, 3 }, { 1 })", 1, "cosine", NUMBERS},
      {"cosine({ x = 1 }, { 1 })", 1, "cosine", NUMBERS},
      {"greedy_match(1)", 1, "greedy_match", "table expected, got number"},
      {"greedy_match({ 1 })", 1, "greedy_match", "row 1 is not a list of numbers"},
      {"greedy_match({ { 'x' } })", 1, "greedy_match", "row 1 has a string at column 1, a number expected"},
      {"greedy_match({ { 1, 2 }, { 1, nil, 3 } })", 1, "greedy_match", "row 2 is of length 3, row 1 of length 2"},
      {"greedy_match({ { 1, 2, 3 }, { 1, nil, 3 } })", 1, "greedy_match",
       "row 2 has nothing at column 2, a number expected"},
      {"greedy_match({ { 0/0 } })", 1, "greedy_match", "row 1 has NaN at column 1, a number expected"},
      {"greedy_match({ { 1 }, { 1, 2 } })", 1, "greedy_match", "row 2 is of length 2, row 1 of length 1"},
      {"greedy_match({ {}, {}, { 1 } })", 1, "greedy_match", "row 3 is of length 1, row 1 of length 0"},
      {"greedy_match({ { 1 } }, 'x')", 2, "greedy_match", "number expected, got string"},
      {"optimal_match({ { 1/0 } })", 1, "optimal_match", "similarities below infinity expected"},
      {"optimal_match({ { 0.5 }, { 0.4, 0.6 } })", 1, "optimal_match", "row 2 is of length 2, row 1 of length 1"},
      {"optimal_match({ { 0.5, 0.1 }, { 0.4, 0.6 }, { 0.4 } })", 1, "optimal_match",
       "row 3 is of length 1, row 1 of length 2"},
      {"optimal_match()", 1, "optimal_match", "table expected, got no value"},
      {"assign({ { 1, 2 }, { 1 } })", 1, "assign", "row 2 is of length 1, row 1 of length 2"},
      {"assign({ { 1, -1/0 } })", 1, "assign", "costs above minus infinity expected"},
      {"assign({ { true } })", 1, "assign", "row 1 has a boolean at column 1, a number expected"},
      {"assign({ { 1 }, 7 })", 1, "assign", "row 2 is not a list of numbers"},
      {"assign({ { 1 }, ee.null })", 1, "assign", "row 2 is not a list of numbers"},
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

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_texts), cmocka_unit_test(test_normalize),
             cmocka_unit_test(test_numbers), cmocka_unit_test(test_dates), cmocka_unit_test(test_confusion),
             cmocka_unit_test(test_wrong_arguments), cmocka_unit_test(test_rows), cmocka_unit_test(test_memory_ends),
             cmocka_unit_test(test_points), cmocka_unit_test(test_boxes), cmocka_unit_test(test_iou_matrix),
             cmocka_unit_test(test_polygons), cmocka_unit_test(test_greedy_match), cmocka_unit_test(test_optimal_match),
             cmocka_unit_test(test_assign), cmocka_unit_test(test_wrong_shapes), cmocka_unit_test(test_metamethods));
