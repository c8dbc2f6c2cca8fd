/* rule_test_expect.c: showing, comparing and checking values. */
#include "lua/rule_test_expect.h"

#include <math.h>
#include <string.h>

#include "data/json/json_writer.h"
#include "lua/sandbox.h"
#include "lua/values.h"
#include "prim/number.h"

#define EXPECTATION "expect(...)"

/* Bounds of a value in a message, and of nesting in comparisons. */
enum { SHOWN_BYTES = 300, SHOWN_DEPTH = 8, DEPTH_LIMIT = 100 };

/* A full userdata; its user value 1 is what is checked. */
typedef struct expectation {
  const char *file; /* of the call of expect */
  size_t line;
  bool checked;
} expectation;

/* The state of all checks: upvalue 1 of the current function. */
static ee_expectations *expectations_of(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

/* Showing values ------------------------------------------------------------------------------- */

static void print_value(lua_State *L, int index, ee_buffer *out, int depth);

/* In quotes and on one line; bytes that are not UTF-8 as \xNN. */
static void print_text(ee_str text, ee_buffer *out) {
  ee_buffer_add_char(out, '"');
  while (text.length > 0) {
    size_t good = ee_utf8_valid_prefix(text.data, text.length);
    ee_json_write_escaped(out, (ee_str){text.data, good});
    text = (ee_str){text.data + good, text.length - good};
    if (text.length == 0) break;
    ee_buffer_addf(out, "\\x%02x", (unsigned)(unsigned char)*text.data);
    text = (ee_str){text.data + 1, text.length - 1};
  }
  ee_buffer_add_char(out, '"');
}

static void print_number(lua_State *L, int index, ee_buffer *out) {
  double number = lua_tonumber(L, index);
  if (lua_isinteger(L, index)) {
    ee_buffer_addf(out, "%lld", (long long)lua_tointeger(L, index));
  } else if (isnan(number)) {
    ee_buffer_add_text(out, "NaN");
  } else if (isinf(number)) {
    ee_buffer_add_text(out, number > 0 ? "infinity" : "-infinity");
  } else {
    char text[32];
    ee_buffer_add(out, text, ee_double_format(number, text));
  }
}

/* "name = ", or "[key] = " for a key that is not a Lua name. */
static void print_key(lua_State *L, int index, ee_buffer *out, int depth) {
  if (lua_type(L, index) == LUA_TSTRING) {
    size_t length;
    const char *key = lua_tolstring(L, index, &length);
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    if (length > 0 && strspn(key, letters) == length && !(*key >= '0' && *key <= '9')) {
      ee_buffer_add(out, key, length);
      ee_buffer_add_text(out, " = ");
      return;
    }
  }
  ee_buffer_add_char(out, '[');
  print_value(L, index, out, depth + 1);
  ee_buffer_add_text(out, "] = ");
}

/* With the sandbox's pairs, for a fixed order of keys. */
static void print_table(lua_State *L, int index, ee_buffer *out, int depth) {
  size_t start = out->length;
  int iterator = lua_gettop(L) + 1;
  lua_pushcfunction(L, ee_lua_pairs);
  lua_pushvalue(L, index);
  lua_call(L, 1, 3);
  lua_Integer place = 1;
  for (;;) {
    for (int i = 0; i < 3; i++) lua_pushvalue(L, iterator + i);
    lua_call(L, 2, 2);
    if (lua_isnil(L, -2)) break;
    ee_buffer_add_text(out, out->length == start ? "{ " : ", ");
    if (out->length - start > SHOWN_BYTES || depth >= SHOWN_DEPTH) {
      ee_buffer_add_text(out, "...");
      break;
    }
    if (lua_isinteger(L, -2) && lua_tointeger(L, -2) == place)
      place++;
    else
      print_key(L, lua_gettop(L) - 1, out, depth);
    print_value(L, lua_gettop(L), out, depth + 1);
    lua_pop(L, 1);
    lua_replace(L, iterator + 2);
  }
  ee_buffer_add_text(out, out->length == start ? "{}" : " }");
  lua_settop(L, iterator - 1);
}

/* Appends the value at `index` (absolute) as a person would write it in Lua. */
static void print_value(lua_State *L, int index, ee_buffer *out, int depth) {
  size_t start = out->length;
  ee_str text;
  luaL_checkstack(L, 12, NULL);
  switch (lua_type(L, index)) {
  case LUA_TSTRING:
    text.data = lua_tolstring(L, index, &text.length);
    print_text(text, out);
    break;
  case LUA_TNUMBER: print_number(L, index, out); break;
  case LUA_TTABLE: print_table(L, index, out, depth); break;
  default:
    text.data = ee_lua_tostring(L, index, &text.length);
    if (ee_lua_is_null(L, index)) text = EE_STR("ee.null");
    ee_buffer_add_str(out, text);
    lua_pop(L, 1);
  }
  if (out->length - start <= SHOWN_BYTES + 100) return;
  out->length = start + ee_utf8_cut((ee_str){out->data + start, out->length - start}, SHOWN_BYTES);
  ee_buffer_add_text(out, "...");
}

/* Comparing ------------------------------------------------------------------------------------ */

/* Equal by ==, or tables with equal fields. Indices are absolute. */
static bool deep_equal(lua_State *L, int a, int b, int depth) {
  if (lua_compare(L, a, b, LUA_OPEQ)) return true;
  if (!lua_istable(L, a) || !lua_istable(L, b)) return false;
  if (depth > DEPTH_LIMIT) luaL_error(L, "tables nested deeper than %d cannot be compared", DEPTH_LIMIT);
  luaL_checkstack(L, 16, NULL);
  /* A frozen table can equal one that is not. */
  int before = lua_gettop(L);
  lua_pushvalue(L, a);
  ee_lua_thaw(L);
  lua_pushvalue(L, b);
  ee_lua_thaw(L);
  a = before + 1;
  b = before + 2;
  size_t only_a = 0, only_b = 0;
  bool equal = true;
  for (lua_pushnil(L); equal && lua_next(L, a) != 0; lua_settop(L, b + 1)) {
    int value = lua_gettop(L);
    only_a++;
    lua_pushvalue(L, value - 1);
    lua_rawget(L, b);
    equal = deep_equal(L, value, value + 1, depth + 1);
  }
  lua_settop(L, b);
  for (lua_pushnil(L); equal && lua_next(L, b) != 0; lua_pop(L, 1)) only_b++;
  lua_settop(L, before);
  return equal && only_a == only_b;
}

/* Checks --------------------------------------------------------------------------------------- */

/* The expectation at 1, with its value pushed at index `slot`. */
static const expectation *begin_check(lua_State *L, int slot) {
  ee_expectations *all = expectations_of(L);
  expectation *self = luaL_checkudata(L, 1, EXPECTATION);
  if (!self->checked) all->unchecked--;
  self->checked = true;
  ee_buffer_clear(&all->text);
  lua_settop(L, slot - 1);
  lua_getiuservalue(L, 1, 1);
  return self;
}

/* The argument of a check that takes any value. nil must be given explicitly. */
static void check_any(lua_State *L) {
  luaL_checkudata(L, 1, EXPECTATION);
  luaL_checkany(L, 2);
}

/* Appends which value of the last case got no answer from its provider, because that explains a score of 0. */
static void add_unanswered(ee_expectations *all) {
  const ee_error *first = NULL;
  size_t count = 0;
  for (size_t i = 0; i < all->rule_errors->count; i++) {
    if (all->rule_errors->items[i].status != EE_ERROR_PROVIDER) continue;
    if (count++ == 0) first = &all->rule_errors->items[i];
  }
  if (count == 0) return;
  ee_buffer_addf(&all->text, "; %s", first->message);
  if (count > 1) ee_buffer_addf(&all->text, ", and %zu more", count - 1);
}

/* Raises "expected WHAT, got VALUE" with the value at `index`; the text so far is "expected WHAT". */
static int fail_got(lua_State *L, const expectation *self, int index) {
  ee_expectations *all = expectations_of(L);
  ee_buffer_add_text(&all->text, ", got ");
  print_value(L, index, &all->text, 0);
  add_unanswered(all);
  return ee_lua_raise_at(L, self->file, self->line, (ee_str){all->text.data, all->text.length});
}

static int fail_expected(lua_State *L, const expectation *self, const char *what, int index) {
  ee_buffer_addf(&expectations_of(L)->text, "expected %s", what);
  return fail_got(L, self, index);
}

static int check_equals(lua_State *L) {
  check_any(L);
  const expectation *self = begin_check(L, 3);
  if (deep_equal(L, 3, 2, 1)) return 0;
  ee_expectations *all = expectations_of(L);
  ee_buffer_add_text(&all->text, "expected ");
  print_value(L, 2, &all->text, 0);
  return fail_got(L, self, 3);
}

static int check_near(lua_State *L) {
  double expected = luaL_checknumber(L, 2), tolerance = luaL_optnumber(L, 3, 1e-9);
  luaL_argcheck(L, tolerance >= 0, 3, "a number from 0 expected");
  const expectation *self = begin_check(L, 4);
  if (lua_type(L, 4) == LUA_TNUMBER && ee_within_tolerance(lua_tonumber(L, 4), expected, tolerance, false)) return 0;
  ee_expectations *all = expectations_of(L);
  ee_buffer_add_text(&all->text, "expected ");
  print_value(L, 2, &all->text, 0);
  char text[32];
  ee_double_format_short(tolerance, 6, text);
  ee_buffer_addf(&all->text, " within %s", text);
  return fail_got(L, self, 4);
}

static int check_matches(lua_State *L) {
  luaL_checkstring(L, 2);
  const expectation *self = begin_check(L, 3);
  ee_expectations *all = expectations_of(L);
  if (lua_type(L, 3) == LUA_TSTRING) {
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, "string");
    lua_getfield(L, -1, "find");
    lua_pushvalue(L, 3);
    lua_pushvalue(L, 2);
    lua_call(L, 2, 1);
    if (!lua_isnil(L, -1)) return 0;
  }
  ee_buffer_add_text(&all->text, "expected a string with the pattern ");
  print_value(L, 2, &all->text, 0);
  return fail_got(L, self, 3);
}

/* Whether the string at `index` contains the one at `part`. */
static bool holds_text(lua_State *L, int index, int part) {
  ee_str text, expected;
  text.data = lua_tolstring(L, index, &text.length);
  expected.data = lua_tolstring(L, part, &expected.length);
  return memmem(text.data, text.length, expected.data, expected.length) != NULL;
}

static int check_contains(lua_State *L) {
  check_any(L);
  const expectation *self = begin_check(L, 3);
  if (lua_type(L, 3) == LUA_TSTRING && lua_type(L, 2) == LUA_TSTRING && holds_text(L, 3, 2)) return 0;
  if (lua_istable(L, 3)) {
    lua_Integer count = (lua_Integer)lua_rawlen(L, 3);
    for (lua_Integer i = 1; i <= count; i++) {
      lua_rawgeti(L, 3, i);
      if (deep_equal(L, 4, 2, 1)) return 0;
      lua_pop(L, 1);
    }
  }
  ee_expectations *all = expectations_of(L);
  ee_buffer_addf(&all->text, "expected %s with ", lua_type(L, 3) == LUA_TSTRING ? "a string" : "a list");
  print_value(L, 2, &all->text, 0);
  return fail_got(L, self, 3);
}

static int check_is_true(lua_State *L) {
  const expectation *self = begin_check(L, 2);
  return lua_isboolean(L, 2) && lua_toboolean(L, 2) ? 0 : fail_expected(L, self, "true", 2);
}

static int check_is_false(lua_State *L) {
  const expectation *self = begin_check(L, 2);
  return lua_isboolean(L, 2) && !lua_toboolean(L, 2) ? 0 : fail_expected(L, self, "false", 2);
}

static int check_is_nil(lua_State *L) {
  const expectation *self = begin_check(L, 2);
  return lua_isnil(L, 2) ? 0 : fail_expected(L, self, "nil", 2);
}

static int check_fails(lua_State *L) {
  luaL_optstring(L, 2, NULL);
  const expectation *self = begin_check(L, 3);
  ee_expectations *all = expectations_of(L);
  if (!lua_isfunction(L, 3)) return fail_expected(L, self, "a function that fails", 3);
  lua_pushvalue(L, 3);
  /* The sandbox's pcall: a tripped limit passes through it. */
  lua_pushcfunction(L, ee_lua_pcall);
  lua_insert(L, -2);
  lua_call(L, 1, 2);
  if (lua_toboolean(L, 4)) {
    ee_buffer_add_text(&all->text, "expected an error, got none");
    return ee_lua_raise_at(L, self->file, self->line, (ee_str){all->text.data, all->text.length});
  }
  size_t length;
  ee_lua_tostring(L, 5, &length);
  if (lua_isnil(L, 2) || holds_text(L, 6, 2)) return 0;
  ee_buffer_clear(&all->text); /* the function may have checked something itself */
  ee_buffer_add_text(&all->text, "expected an error with ");
  print_value(L, 2, &all->text, 0);
  return fail_got(L, self, 6);
}

/* Opening -------------------------------------------------------------------------------------- */

static int expect(lua_State *L) {
  ee_expectations *all = expectations_of(L);
  luaL_argcheck(L, lua_gettop(L) > 0, 1, "a value expected");
  expectation *self = lua_newuserdatauv(L, sizeof *self, 1);
  *self = (expectation){.checked = false};
  ee_lua_place(L, 1, &self->file, &self->line);
  luaL_setmetatable(L, EXPECTATION);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  all->unchecked++;
  all->unchecked_file = self->file;
  all->unchecked_line = self->line;
  return 1;
}

void ee_expect_open(lua_State *L, ee_expectations *all) {
  static const luaL_Reg checks[] = {
      {"equals", check_equals},     {"near", check_near},       {"matches", check_matches},
      {"contains", check_contains}, {"is_true", check_is_true}, {"is_false", check_is_false},
      {"is_nil", check_is_nil},     {"fails", check_fails},     {NULL, NULL},
  };
  ee_lua_open_methods(L, all, EXPECTATION, checks);
  ee_lua_define_function(L, all, "expect", expect);
}
