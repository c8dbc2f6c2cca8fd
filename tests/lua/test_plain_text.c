/* test_plain_text.c: plain values of Lua as text: exact examples, random values there and back, and damaged texts. */
#include "lua/rule_text.h"

#include <math.h>

#include "lua/plain_text.h"
#include "lua/values.h"
#include "support/random.h"

typedef struct fixture {
  ee_lua *lua;
  int top; /* of the stack, between values */
  ee_arena arena;
} fixture;

static void open_state(fixture *f) {
  static const ee_case current;
  ee_arena_init(&f->arena, 0);
  f->lua = new_state();
  f->top = lua_gettop(f->lua->L);
  f->lua->generation++;
  f->lua->current = &current;
  f->lua->arena = &f->arena;
}

static void close_state(fixture *f) {
  f->lua->arena = NULL;
  ee_lua_free(f->lua);
  ee_arena_fini(&f->arena);
}

/* The text of the value on top, which is popped; NULL with the reason in `why`. */
static char *text_of(fixture *f, const char **why) {
  ee_buffer out = {0};
  bool good = ee_lua_write_plain(f->lua, -1, &out, why);
  char *text = good ? strdup(ee_buffer_terminate(&out)) : NULL;
  ee_buffer_fini(&out);
  lua_pop(f->lua->L, 1);
  return text;
}

/* `expression` is written as `expected`, and what is read from that is equal in Lua (the function `same`). */
static void assert_written(const char *expression, const char *expected) {
  fixture f;
  char script[2048];
  open_state(&f);
  snprintf(script, sizeof script,
           "local function same(a, b)\n"
           "  if type(a) ~= 'table' then return a == b and math.type(a) == math.type(b) or a ~= a and b ~= b end\n"
           "  for k, v in pairs(a) do if not same(v, b[k]) then return false end end\n"
           "  for k in pairs(b) do if a[k] == nil then return false end end\n"
           "  return #a == #b\n"
           "end\n"
           "local value = %s\n"
           "return function(read) if read == nil then return value end return same(value, read) end",
           expression);
  run_text(f.lua, script);
  lua_State *L = f.lua->L;
  lua_pushvalue(L, -1);
  ee_error error;
  lua_pushnil(L);
  if (ee_lua_call(f.lua, 1, 1, &error) != EE_OK) fail_msg("%s: %s", expression, error_text(&error));
  const char *why;
  char *text = text_of(&f, &why);
  if (text == NULL) fail_msg("%s: %s", expression, why);
  assert_string_equal(text, expected);
  assert_true(ee_lua_read_plain(f.lua, ee_str_from(text)));
  if (ee_lua_call(f.lua, 1, 1, &error) != EE_OK) fail_msg("%s: %s", expression, error_text(&error));
  if (!lua_toboolean(L, -1)) fail_msg("%s: not the same after '%s'", expression, text);
  free(text);
  close_state(&f);
}

static void test_examples(void **state) {
  (void)state;
  assert_written("true", "t");
  assert_written("false", "f");
  assert_written("12", "i12;");
  assert_written("math.mininteger", "i-9223372036854775808;");
  assert_written("math.maxinteger", "i9223372036854775807;");
  assert_written("2.0", "d4000000000000000");
  assert_written("-math.huge", "dfff0000000000000");
  assert_written("'a:b;}'", "s5:a:b;}");
  assert_written("'\\xff\\0'", "x2:ff00");
  assert_written("ee.null", "z");
  assert_written("{}", "{0:}");
  assert_written("{ 7, 'x', { true } }", "{3:i7;s1:x{1:t}}");
  assert_written("{ b = 1, a = 2, [10] = 3, [2.5] = 4, [true] = 5 }",
                 "{0:d4004000000000000i4;i10;i3;s1:ai2;s1:bi1;ti5;}");
  assert_written("{ 1, 2, nil, 4, n = 4 }", "{2:i1;i2;i4;i4;s1:ni4;}");
  assert_written("{ [0] = 0, 1 }", "{1:i1;i0;i0;}");
}

static void assert_refused(const char *expression, const char *expected) {
  fixture f;
  char script[512];
  open_state(&f);
  snprintf(script, sizeof script, "return %s", expression);
  run_text(f.lua, script);
  const char *why;
  char *text = text_of(&f, &why);
  if (text != NULL) fail_msg("%s: %s", expression, text);
  assert_string_equal(why, expected);
  assert_int_equal(lua_gettop(f.lua->L), f.top);
  close_state(&f);
}

static void test_refused(void **state) {
  (void)state;
  assert_refused("print", "a function");
  assert_refused("{ a = { 1, print } }", "a function");
  assert_refused("{ [print] = 1 }", "a function");
  assert_refused("setmetatable({}, {})", "a table with a metatable");
  assert_refused("(function() local t = {} t.t = t return t end)()",
                 "a table nested deeper than 100 (does it contain itself?)");
  assert_refused("(function() local t = { ('x'):rep(1 << 20) } for i = 1, 20 do t = { t, t } end return t end)()",
                 "too much: tables that are in many places are written for each");
}

static void push_random(lua_State *L, test_random *random, int depth) {
  char bytes[8];
  luaL_checkstack(L, 10, NULL);
  switch (test_random_below(random, depth > 0 ? 8 : 5)) {
  case 0: lua_pushboolean(L, (int)test_random_below(random, 2)); break;
  case 1: lua_pushinteger(L, (lua_Integer)(test_random_bits(random) >> test_random_below(random, 64))); break;
  case 2: lua_pushnumber(L, ldexp(test_random_unit(random) - 0.5, (int)test_random_below(random, 200) - 100)); break;
  case 3: lua_pushnumber(L, (double)test_random_below(random, 9)); break;
  case 4: {
    size_t length = test_random_below(random, sizeof bytes);
    for (size_t i = 0; i < length; i++) bytes[i] = (char)test_random_below(random, 256);
    lua_pushlstring(L, bytes, length);
    break;
  }
  default:
    lua_newtable(L);
    for (size_t i = test_random_below(random, 6); i > 0; i--) {
      push_random(L, random, depth - 1);
      lua_rawseti(L, -2, (lua_Integer)test_random_below(random, 8));
    }
    for (size_t i = test_random_below(random, 4); i > 0; i--) {
      push_random(L, random, 0);
      push_random(L, random, depth - 1);
      lua_rawset(L, -3);
    }
  }
}

/* Values there and back have the same text; cut texts are refused, and changed ones do no harm. */
static void test_random_values(void **state) {
  (void)state;
  test_random random = test_random_start("plain text", 91);
  fixture f;
  open_state(&f);
  lua_State *L = f.lua->L;
  ee_buffer first = {0}, second = {0};
  for (int round = 0; round < 20000; round++) {
    const char *why;
    ee_buffer_clear(&first);
    ee_buffer_clear(&second);
    push_random(L, &random, 3);
    assert_true(ee_lua_write_plain(f.lua, -1, &first, &why));
    ee_str text = {first.data, first.length};
    assert_true(ee_utf8_valid_prefix(text.data, text.length) == text.length);
    assert_true(ee_lua_read_plain(f.lua, text));
    assert_true(ee_lua_write_plain(f.lua, -1, &second, &why));
    assert_int_equal(first.length, second.length);
    assert_memory_equal(first.data, second.data, first.length);
    lua_settop(L, f.top);
    assert_false(ee_lua_read_plain(f.lua, (ee_str){first.data, test_random_below(&random, first.length)}));
    first.data[test_random_below(&random, first.length)] = "{}:;tfzids09-x\xff"[test_random_below(&random, 15)];
    ee_lua_read_plain(f.lua, text);
    lua_settop(L, f.top);
    ee_arena_reset(&f.arena, 0);
  }
  ee_buffer_fini(&first);
  ee_buffer_fini(&second);
  close_state(&f);
}

static void test_damaged(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      "q",
                                      "i;",
                                      "i1",
                                      "i--1;",
                                      "i9223372036854775808;",
                                      "d3ff",
                                      "s2:a",
                                      "s:",
                                      "x1:f",
                                      "x1:fg",
                                      "{",
                                      "{1:}",
                                      "{0:i1;}",
                                      "tt",
                                      "{0:}}",
                                      "{2:t}",
                                      "dq000000000000000",
                                      "{0:d7ff8000000000000t}"};
  fixture f;
  open_state(&f);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (ee_lua_read_plain(f.lua, ee_str_from(texts[i]))) fail_msg("'%s' is read", texts[i]);
    assert_int_equal(lua_gettop(f.lua->L), f.top);
  }
  close_state(&f);
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_examples), cmocka_unit_test(test_refused),
             cmocka_unit_test(test_random_values), cmocka_unit_test(test_damaged));
