/* test_prims.c: ee.prim.* of texts, numbers, dates and counts against the C functions, and their refusals. */
#include "lua/prim_call.h"

#include <math.h>

#include "lua/prims.h"
#include "prim/confusion.h"
#include "prim/date.h"
#include "prim/edit.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "prim/token.h"
#include "support/random.h"

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
                  {"token_sort", ee_token_sort},
                  {"token_set", ee_token_set},
                  {"token_f1", ee_token_f1}};
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
      {"levenshtein('a', '\\xff')", "bad argument #2 to 'levenshtein' (no valid UTF-8)"},
      {"levenshtein('a', '\\u{7fffffff}')", "bad argument #2 to 'levenshtein' (no valid UTF-8)"},
      {"levenshtein('a', 'b', -1)", "bad argument #3 to 'levenshtein' (a whole number from 0 expected)"},
      {"levenshtein('a', 'b', 1.5)", "bad argument #3 to 'levenshtein' (number has no integer representation)"},
      {"jaro(ee.null, 'a')", "bad argument #1 to 'jaro' (string expected, got userdata)"},
      {"lcs_length()", "bad argument #1 to 'lcs_length' (string expected, got no value)"},
      {"normalize()", "bad argument #1 to 'normalize' (string expected, got no value)"},
      {"normalize('a', 'upper')",
       "bad argument #2 to 'normalize' (unknown normal form (trim, casefold, nfkc, collapse_space, alnum, digits))"},
      {"normalize('a', table.unpack({}, 1, 40))", "bad argument #34 to 'normalize' (more than 32 normal forms)"},
      {"number_parse('1', ';')", "bad argument #2 to 'number_parse' ('.' or ',' expected)"},
      {"decimal_compare('1', 'x')", "bad argument #2 to 'decimal_compare' (no number)"},
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

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_texts), cmocka_unit_test(test_normalize),
             cmocka_unit_test(test_numbers), cmocka_unit_test(test_dates), cmocka_unit_test(test_confusion),
             cmocka_unit_test(test_wrong_arguments), cmocka_unit_test(test_rows), cmocka_unit_test(test_memory_ends));
