/* test_pattern.c: our patterns against those of Lua: random subjects and patterns, right and wrong ones; the same
 * results and the same errors. */

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/work.h"
#include "lua/counted.h"
#include "lua/pattern.h"
#include "support/random.h"

/* A state with Lua's libraries, and ours in the globals `our_string` and `our_table`. */
static lua_State *new_state(void) {
  lua_State *L = luaL_newstate();
  assert_non_null(L);
  luaL_openlibs(L);
  static const char *const libraries[] = {"string", "table", "utf8", "_G"};
  for (size_t i = 0; i < 4; i++) {
    lua_newtable(L);
    lua_getglobal(L, libraries[i]);
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
      lua_pushvalue(L, -2);
      lua_pushvalue(L, -2);
      lua_rawset(L, -6);
    }
    lua_pop(L, 1);
    ee_lua_count_library(L, libraries[i]);
    char name[32];
    snprintf(name, sizeof name, "our_%s", libraries[i]);
    lua_setglobal(L, name);
  }
  lua_getglobal(L, "table");
  lua_setglobal(L, "G");
  return L;
}

/* Appends the values from `first` to the top, with their types; long strings whole. */
static void show_values(lua_State *L, int first, ee_buffer *out) {
  for (int i = first; i <= lua_gettop(L); i++) {
    size_t length;
    ee_buffer_addf(out, "%s%s:", i > first ? "," : "", luaL_typename(L, i));
    const char *text = luaL_tolstring(L, i, &length);
    for (size_t k = 0; k < length; k++)
      ee_buffer_addf(out, text[k] >= ' ' && text[k] != '\\' && text[k] < 0x7f ? "%c" : "\\x%02x",
                     (unsigned char)text[k]);
    lua_pop(L, 1);
  }
}

/* The function or the error of a call of `library`.`name` with the arguments above `base`, which stay. */
static void run(lua_State *L, int base, const char *library, const char *name, ee_buffer *out) {
  int top = lua_gettop(L);
  ee_buffer_clear(out);
  /* From Lua, so that messages know the name of the function. */
  char code[128];
  snprintf(code, sizeof code, "local l = %s return function(...) return G.unpack(G.pack(l.%s(...))) end", library,
           name);
  assert_int_equal(luaL_loadbuffer(L, code, strlen(code), "=test"), LUA_OK);
  lua_call(L, 0, 1);
  for (int i = base + 1; i <= top; i++) lua_pushvalue(L, i);
  if (lua_pcall(L, top - base, LUA_MULTRET, 0) == LUA_OK) {
    show_values(L, top + 1, out);
  } else {
    ee_buffer_add_text(out, "error ");
    show_values(L, top + 1, out);
  }
  lua_settop(L, top);
}

/* Compares both functions with the arguments above `base`, and drops these. */
static void compare(lua_State *L, int base, const char *name) {
  ee_buffer expected = {0}, got = {0}, arguments = {0};
  run(L, base, "string", name, &expected);
  run(L, base, "our_string", name, &got);
  if (expected.length != got.length || (got.length > 0 && memcmp(expected.data, got.data, got.length) != 0)) {
    show_values(L, base + 1, &arguments);
    fail_msg("%s(%s): %s, expected %s", name, ee_buffer_terminate(&arguments), ee_buffer_terminate(&got),
             ee_buffer_terminate(&expected));
  }
  lua_settop(L, base);
  ee_buffer_fini(&expected);
  ee_buffer_fini(&got);
  ee_buffer_fini(&arguments);
}

/* Random patterns ------------------------------------------------------------------------------- */

static const char letters[] = "aabbcAB01 _.-%]^\n\x80\xff";

static void add_letter(test_random *random, ee_buffer *out) {
  size_t number = test_random_below(random, sizeof letters);
  ee_buffer_add_char(out, letters[number]); /* the last one is the NUL */
}

static void add_set(test_random *random, ee_buffer *out) {
  ee_buffer_add_char(out, '[');
  if (test_random_below(random, 3) == 0) ee_buffer_add_char(out, '^');
  size_t count = test_random_below(random, 4);
  for (size_t i = 0; i < count; i++) {
    switch (test_random_below(random, 4)) {
    case 0: ee_buffer_addf(out, "%%%c", "adlsuwxpcgzADLSUWXPCGZ]-%"[test_random_below(random, 25)]); break;
    case 1:
      ee_buffer_addf(out, "%c-%c", "a0A"[test_random_below(random, 3)], "cZ9"[test_random_below(random, 3)]);
      break;
    default: add_letter(random, out);
    }
  }
  if (test_random_below(random, 12) > 0) ee_buffer_add_char(out, ']');
}

static void add_element(test_random *random, ee_buffer *out) {
  switch (test_random_below(random, 16)) {
  case 0: ee_buffer_add_char(out, '.'); break;
  case 1:
  case 2: ee_buffer_addf(out, "%%%c", "adlsuwxpcgzADLSUWXPCGZ%.-1234"[test_random_below(random, 29)]); break;
  case 3:
  case 4: add_set(random, out); return;
  case 5: ee_buffer_add_text(out, "%b"); break;
  case 6: ee_buffer_add_text(out, "%f"); break;
  case 7:
  case 8: ee_buffer_add_char(out, '('); return;
  case 9:
  case 10: ee_buffer_add_char(out, ')'); return;
  case 11: ee_buffer_add_text(out, "()"); return;
  case 12: ee_buffer_add_char(out, "^$%[]"[test_random_below(random, 5)]); break;
  default: add_letter(random, out);
  }
}

static void random_pattern(test_random *random, ee_buffer *out) {
  ee_buffer_clear(out);
  if (test_random_below(random, 6) == 0) ee_buffer_add_char(out, '^');
  size_t count = test_random_below(random, 7);
  for (size_t i = 0; i < count; i++) {
    add_element(random, out);
    if (test_random_below(random, 3) == 0) ee_buffer_add_char(out, "*+-?"[test_random_below(random, 4)]);
  }
  if (test_random_below(random, 8) == 0) ee_buffer_add_char(out, '$');
}

static void random_text(test_random *random, size_t max, ee_buffer *out) {
  ee_buffer_clear(out);
  size_t count = test_random_below(random, max + 1);
  for (size_t i = 0; i < count; i++) add_letter(random, out);
}

static void push_buffer(lua_State *L, const ee_buffer *text) {
  lua_pushlstring(L, text->length > 0 ? text->data : "", text->length);
}

static void push_start(test_random *random, lua_State *L) {
  if (test_random_below(random, 4) == 0)
    lua_pushinteger(L, (lua_Integer)test_random_below(random, 30) - 15);
  else
    lua_pushnil(L);
}

/* What takes the place of matches: a string with references, a table, a function, or something wrong. */
static void push_replacement(test_random *random, lua_State *L, ee_buffer *text) {
  switch (test_random_below(random, 8)) {
  case 0: luaL_dostring(L, "return {a = 'A', b = false, [1] = 7, aa = '', ab = {}}"); return;
  case 1:
    luaL_dostring(L, "return function(...) local n = select('#', ...) return n % 2 == 0 and n or nil end");
    return;
  case 2: luaL_dostring(L, "return function(x) return x == 'b' and {} or '<' .. x .. '>' end"); return;
  case 3: lua_pushinteger(L, 42); return;
  case 4: lua_pushboolean(L, 1); return;
  default:
    ee_buffer_clear(text);
    for (size_t i = test_random_below(random, 5); i > 0; i--) {
      if (test_random_below(random, 2) == 0)
        ee_buffer_addf(text, "%%%c", "0123%9x"[test_random_below(random, 7)]);
      else
        add_letter(random, text);
    }
    push_buffer(L, text);
  }
}

/* All matches of string.gmatch, by a loop in Lua; `library` is "string" or "our_string". */
static void push_all_matches(lua_State *L) {
  int status = luaL_dostring(L, "return function(library, s, p, init)\n"
                                "  local found = {}\n"
                                "  for a, b, c in library.gmatch(s, p, init) do\n"
                                "    found[#found + 1] = tostring(a) .. '|' .. tostring(b) .. '|' .. tostring(c)\n"
                                "  end\n"
                                "  return table.concat(found, '\\0')\n"
                                "end");
  assert_int_equal(status, LUA_OK);
}

static void compare_gmatch(lua_State *L, int base) {
  ee_buffer texts[2] = {{0}, {0}};
  for (int i = 0; i < 2; i++) {
    push_all_matches(L);
    lua_getglobal(L, i == 0 ? "string" : "our_string");
    for (int k = 1; k <= 3; k++) lua_pushvalue(L, base + k);
    lua_pcall(L, 4, 1, 0);
    show_values(L, lua_gettop(L), &texts[i]);
    lua_pop(L, 1);
  }
  if (texts[0].length != texts[1].length || memcmp(texts[0].data, texts[1].data, texts[0].length) != 0) {
    ee_buffer arguments = {0};
    show_values(L, base + 1, &arguments);
    fail_msg("gmatch(%s): %s, expected %s", ee_buffer_terminate(&arguments), ee_buffer_terminate(&texts[1]),
             ee_buffer_terminate(&texts[0]));
  }
  lua_settop(L, base);
  ee_buffer_fini(&texts[0]);
  ee_buffer_fini(&texts[1]);
}

static void random_patterns_as_in_lua(void **state) {
  (void)state;
  test_random random = test_random_start("patterns", 1605);
  lua_State *L = new_state();
  ee_buffer subject = {0}, pattern = {0}, text = {0};
  for (int i = 0; i < 60000; i++) {
    random_text(&random, 12, &subject);
    random_pattern(&random, &pattern);
    push_buffer(L, &subject);
    push_buffer(L, &pattern);
    switch (i % 4) {
    case 0:
      push_start(&random, L);
      if (test_random_below(&random, 8) == 0) lua_pushboolean(L, 1);
      compare(L, 0, "find");
      break;
    case 1:
      push_start(&random, L);
      compare(L, 0, "match");
      break;
    case 2:
      push_replacement(&random, L, &text);
      if (test_random_below(&random, 3) == 0) lua_pushinteger(L, (lua_Integer)test_random_below(&random, 4) - 1);
      compare(L, 0, "gsub");
      break;
    default: push_start(&random, L); compare_gmatch(L, 0);
    }
  }
  ee_buffer_fini(&subject);
  ee_buffer_fini(&pattern);
  ee_buffer_fini(&text);
  lua_close(L);
}

/* Calls by their text, with the library in `s`. */
static void same_text(lua_State *L, const char *expression) {
  ee_buffer texts[2] = {{0}, {0}};
  for (int i = 0; i < 2; i++) {
    ee_buffer code = {0};
    const char *of = i == 0 ? "" : "our_";
    ee_buffer_addf(&code, "local s, t, u, G = %sstring, %stable, %sutf8, %s_G return %s", of, of, of, of, expression);
    assert_int_equal(luaL_loadbuffer(L, ee_buffer_terminate(&code), code.length, "=test"), LUA_OK);
    lua_pcall(L, 0, LUA_MULTRET, 0);
    show_values(L, 1, &texts[i]);
    ee_buffer_add_char(&texts[i], '\0');
    lua_settop(L, 0);
    ee_buffer_fini(&code);
  }
  assert_string_equal(texts[1].data, texts[0].data);
  ee_buffer_fini(&texts[0]);
  ee_buffer_fini(&texts[1]);
}

static void bounds_and_arguments_as_in_lua(void **state) {
  (void)state;
  lua_State *L = new_state();
  static const char *const expressions[] = {
      "s.find(('a'):rep(300), ('a?'):rep(300))",
      "s.find(('a'):rep(300), ('a?'):rep(198))",
      "s.find(('a'):rep(300), ('a?'):rep(199))",
      "s.find(('a'):rep(300), ('a?'):rep(200))",
      "s.find(('a'):rep(300), ('a-'):rep(198))",
      "s.find(('a'):rep(300), ('a-'):rep(199))",
      "s.find(('a'):rep(300), ('a-'):rep(200))",
      "s.find(('a'):rep(20), ('a+'):rep(3))",
      "s.match('', ('x?'):rep(500))",
      "s.match('', ('x-'):rep(500))",
      "s.match(('a'):rep(40), ('(a)'):rep(32))",
      "s.match(('a'):rep(40), ('(a)'):rep(33))",
      "s.match(('a'):rep(40), ('()'):rep(33))",
      "s.match(('a'):rep(40), ('('):rep(32))",
      "s.match('abc', '(b')",
      "s.match('abc', 'b)')",
      "s.match('abc', '%1')",
      "s.match('abcabc', '(abc)%1')",
      "s.match('abab', '()%1')",
      "s.match('abc', '%')",
      "s.match('abc', '[a')",
      "s.match('abc', '[]')",
      "s.match('abc', '[^')",
      "s.match('a]c', '[]]')",
      "s.match('a]c', '[^]]*')",
      "s.match('abc', '[a%')",
      "s.match('abc', '[a-')",
      "s.match('a-c', '[a-]+')",
      "s.match('abc', '%b')",
      "s.match('abc', '%bx')",
      "s.match('f(a(b)c)d', '%b()')",
      "s.match('THE (quick) fox', '%f[%a]%a+%f[%A]')",
      "s.match('abc', '%f')",
      "s.match('abc', '%fa')",
      "s.find('a\\0b', '%z')",
      "s.find('a\\0b', '\\0')",
      "s.find('abc', '')",
      "s.find('abc', '', 4)",
      "s.find('abc', '', 5)",
      "s.find('abc', 'b', -2)",
      "s.find('abc', 'b', -1000)",
      "s.find('a.c', '.', 2, true)",
      "s.gsub('abc', '', '-')",
      "s.gsub('abc', '%w', '%0%0')",
      "s.gsub('abc', '%w', '%1')",
      "s.gsub('abc', '%w', '%2')",
      "s.gsub('abc', '%w', '%x')",
      "s.gsub('abc', '()', '%1')",
      "s.gsub('abc', '%w', {a = 1, b = true})",
      "s.gsub('abc', '%w', function() return nil end)",
      "s.gsub('abc', '%w', 'x', -1)",
      "s.gsub('abc', '^a', 'x')",
      "s.gsub('abc', 'x')",
      "s.gsub('abc', 'x', nil, {})",
      "s.gsub('abc', 'a', print, 1.5)",
      "s.find()",
      "s.find('a')",
      "s.find('a', {})",
      "s.find('a', 'b', 'c')",
      "s.gmatch('a')",
      "s.gmatch('hello world', '%a+', 7)()",
      "s.rep('ab', 3, ',')",
      "s.rep('', 1000)",
      "s.rep('x', -1)",
      "s.rep('x', 1.5)",
      "s.rep({}, 1)",
      "s.format('%5.1f|%q|%s|%%', 3.14159, 'a\\n', 'x')",
      "s.format('%d', 'x')",
      "s.byte('abc', 1, -1)",
      "s.char(65, 66, 256)",
      "s.upper('abc')",
      "s.unpack('<i4', 'abcd')",
      "t.insert({}, 1, 2, 3)",
      "t.insert({}, 5, 2)",
      "t.insert(nil, 1)",
      "t.insert({1}, {})",
      "t.remove({1, 2, 3}, 1)",
      "t.remove({})",
      "t.remove({1, 2}, 3)",
      "t.remove(setmetatable({}, {__len = function() return -1 end}))",
      "t.concat({1, 2, 3.5, 'x'}, ', ')",
      "t.concat({1, {}, 3})",
      "t.concat({1, 2, 3}, ', ', 2)",
      "t.concat({1, 2, 3}, ', ', 2, 3)",
      "t.concat({1, 2, 3}, ', ', 3, 2)",
      "t.concat({}, 1)",
      "t.concat('x')",
      "t.concat({}, {})",
      "t.concat(t.move({1, 2, 3}, 1, 3, 2), ',')",
      "t.concat(t.move({1, 2, 3}, 2, 3, 1), ',')",
      "t.concat(t.move({1, 2, 3}, 1, 3, 1, {9, 9, 9, 9}), ',')",
      "t.move({}, 1, math.maxinteger, 2)",
      "t.move({}, -1, math.maxinteger, 2)",
      "t.move({}, 1, 2)",
      "t.move(1, 1, 2, 3)",
      "t.unpack({1, 2, 3}, 2)",
      "t.unpack({}, 1, 1e8)",
      "t.pack(1, nil, 3).n",
      "u.len('häß')",
      "u.len('\\xff')",
      "u.offset('häß', 3)",
      "u.codepoint('häß', 1, -1)",
      "u.char(228, 223)",
      "G.select('#', 1, 2)",
      "G.select(-1, 1, 2)",
      "G.select(0)",
      "G.tonumber('0x10')",
      "G.tonumber('zz', 36)",
      "G.tonumber()",
  };
  for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) same_text(L, expressions[i]);
  lua_close(L);
}

/* The work of a pattern grows with the steps that it takes: of one that backtracks with the square of the subject. */
static void backtracking_is_charged(void **state) {
  (void)state;
  lua_State *L = new_state();
  uint64_t work[3] = {0};
  for (int i = 0; i < 3; i++) {
    lua_getglobal(L, "our_string");
    lua_getfield(L, -1, "find");
    luaL_Buffer subject;
    luaL_buffinit(L, &subject);
    for (int k = 0; k < 500 << i; k++) luaL_addchar(&subject, 'a');
    luaL_pushresult(&subject);
    lua_pushliteral(L, "%w+@");
    uint64_t before = ee_work_done();
    lua_call(L, 2, 1);
    work[i] = ee_work_done() - before;
    assert_true(lua_isnil(L, -1));
    lua_settop(L, 0);
  }
  assert_true(work[0] > 500 * 500 / 2);
  assert_in_range(work[1], 3 * work[0], 5 * work[0]);
  assert_in_range(work[2], 3 * work[1], 5 * work[1]);
  lua_close(L);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(random_patterns_as_in_lua), cmocka_unit_test(bounds_and_arguments_as_in_lua),
             cmocka_unit_test(backtracking_is_charged));
