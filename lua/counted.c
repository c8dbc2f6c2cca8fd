/* counted.c: library functions that charge their work: those of tables that go over elements are here, others are those
 * of Lua with a charge before or after. */
#include "lua/counted.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <string.h>

#include "base/work.h"
#include "lua/pattern.h"
#include "lua/sandbox.h"

/* Work: units of an element that is read and written, and of an argument or result. */
enum { ELEMENT_WORK = 30, VALUE_WORK = 10 };
/* Copies that string.rep makes, and units of one. */
enum { TIMES_MAX = 1 << 26, COPY_WORK = 2 };
/* Bytes that are copied or compared in a unit. */
enum { BYTES_A_UNIT = 4 };

void ee_lua_charge(lua_Integer count) {
  if (count > 0) ee_work(ee_work_product((uint64_t)count, ELEMENT_WORK));
}

/* Tables --------------------------------------------------------------------------------------- */

/* What a table must be able to do if it is not one. */
enum { READ = 1, WRITE = 2, LENGTH = 4 };

static bool has_metamethod(lua_State *L, int index, const char *name) {
  if (luaL_getmetafield(L, index, name) == LUA_TNIL) return false;
  lua_pop(L, 1);
  return true;
}

/* Raises unless the argument is a table, or has the metamethods for what is done to it. */
static void check_table(lua_State *L, int index, int what) {
  if (lua_type(L, index) == LUA_TTABLE) return;
  bool good = ((what & READ) == 0 || has_metamethod(L, index, "__index")) &&
              ((what & WRITE) == 0 || has_metamethod(L, index, "__newindex")) &&
              ((what & LENGTH) == 0 || has_metamethod(L, index, "__len"));
  if (!good) luaL_checktype(L, index, LUA_TTABLE);
}

static lua_Integer check_length(lua_State *L, int index, int what) {
  check_table(L, index, what | LENGTH);
  return luaL_len(L, index);
}

static void move_element(lua_State *L, int from, lua_Integer from_index, int to, lua_Integer to_index) {
  ee_work(ELEMENT_WORK);
  lua_geti(L, from, from_index);
  lua_seti(L, to, to_index);
}

static int table_insert(lua_State *L) {
  /* A length may be anything that __len says. */
  lua_Integer end = (lua_Integer)((lua_Unsigned)check_length(L, 1, READ | WRITE) + 1), position = end;
  int count = lua_gettop(L);
  if (count != 2 && count != 3) return luaL_error(L, "wrong number of arguments to 'insert'");
  if (count == 3) {
    position = luaL_checkinteger(L, 2);
    luaL_argcheck(L, (lua_Unsigned)position - 1u < (lua_Unsigned)end, 2, "position out of bounds");
    for (lua_Integer i = end; i > position; i--) move_element(L, 1, i - 1, 1, i);
  }
  lua_seti(L, 1, position);
  return 0;
}

/* Calls the function of Lua, upvalue 1, in this frame, so that its messages keep name and line. */
static int call_original(lua_State *L) { return lua_tocfunction(L, lua_upvalueindex(1))(L); }

/* Raises Lua's message, in which the number of the argument differs between versions. Not for the caller's table, whose
 * length may be another one when it is asked again. */
static int refuse_position(lua_State *L) {
  lua_settop(L, 0);
  lua_newtable(L);
  lua_pushinteger(L, LUA_MAXINTEGER);
  return call_original(L);
}

static int table_remove(lua_State *L) {
  lua_Integer size = check_length(L, 1, READ | WRITE), position = luaL_optinteger(L, 2, size);
  if (position != size && (lua_Unsigned)position - 1u > (lua_Unsigned)size) return refuse_position(L);
  lua_geti(L, 1, position);
  for (; position < size; position++) move_element(L, 1, position + 1, 1, position);
  lua_pushnil(L);
  lua_seti(L, 1, position);
  return 1;
}

static int table_move(lua_State *L) {
  lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3), to = luaL_checkinteger(L, 4);
  int target = lua_isnoneornil(L, 5) ? 1 : 5;
  check_table(L, 1, READ);
  check_table(L, target, WRITE);
  if (last >= first) {
    luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
    lua_Integer count = last - first + 1;
    luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    bool upwards = to > last || to <= first || (target != 1 && lua_compare(L, 1, target, LUA_OPEQ) == 0);
    for (lua_Integer i = 0; i < count; i++) {
      lua_Integer at = upwards ? i : count - 1 - i;
      move_element(L, 1, first + at, target, to + at);
    }
  }
  lua_pushvalue(L, target);
  return 1;
}

static void add_element(lua_State *L, luaL_Buffer *out, lua_Integer index) {
  ee_work(ELEMENT_WORK);
  lua_geti(L, 1, index);
  if (!lua_isstring(L, -1))
    luaL_error(L, "invalid value (%s) at index %I in table for 'concat'", luaL_typename(L, -1), (LUAI_UACINT)index);
  if (lua_type(L, -1) == LUA_TNUMBER && !lua_isinteger(L, -1)) {
    ee_lua_tostring(L, -1, NULL);
    lua_remove(L, -2);
  }
  luaL_addvalue(out);
}

static int table_concat(lua_State *L) {
  lua_Integer length = check_length(L, 1, READ);
  size_t size;
  const char *separator = luaL_optlstring(L, 2, "", &size);
  lua_Integer at = luaL_optinteger(L, 3, 1), last = luaL_optinteger(L, 4, length);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (; at < last; at++) {
    add_element(L, &out, at);
    luaL_addlstring(&out, separator, size);
  }
  if (at == last) add_element(L, &out, at);
  luaL_pushresult(&out);
  return 1;
}

/* Lua's own functions, charged ------------------------------------------------------------------ */

static void charge_text(lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TSTRING) ee_work(lua_rawlen(L, index) / BYTES_A_UNIT);
}

/* What goes over the text that is its first argument. */
static int over_text(lua_State *L) {
  charge_text(L, 1);
  return call_original(L);
}

/* What goes over its arguments. */
static int over_arguments(lua_State *L) {
  ee_work(VALUE_WORK * (uint64_t)lua_gettop(L));
  return call_original(L);
}

/* What makes results one by one, and of a text as much. Their number is bounded by the stack, their size by the memory
 * of the state. */
static int with_results(lua_State *L) {
  int count = call_original(L);
  ee_work(VALUE_WORK * (uint64_t)count);
  if (count == 1) charge_text(L, -1);
  return count;
}

/* The bytes of a text of `length` that are passed from one position to another; positions as in Lua. */
static uint64_t bytes_between(lua_Integer first, lua_Integer last, size_t length) {
  lua_Integer size = (lua_Integer)length;
  if (first < 0) first = first < -size ? 0 : size + first;
  if (last < 0) last = last < -size ? 0 : size + last;
  if (last > size) last = size;
  return first < last ? (uint64_t)(last - first) : 0;
}

/* utf8.len(text, first, last) */
static int utf8_len(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  ee_work(bytes_between(luaL_optinteger(L, 2, 1), luaL_optinteger(L, 3, -1), length));
  return call_original(L);
}

/* utf8.offset(text, count): passes at most `count` characters. */
static int utf8_offset(lua_State *L) {
  size_t length;
  luaL_checklstring(L, 1, &length);
  lua_Integer count = luaL_checkinteger(L, 2);
  uint64_t passed = ee_work_product(count < 0 ? 0 - (uint64_t)count : (uint64_t)count, 4);
  ee_work(passed < length ? passed : length);
  return call_original(L);
}

/* string.rep of nothing would go on for as many times as it is asked for. */
static int string_rep(lua_State *L) {
  size_t length, separator;
  luaL_checklstring(L, 1, &length);
  lua_Integer times = luaL_checkinteger(L, 2);
  luaL_optlstring(L, 3, "", &separator);
  if (times > 0 && length + separator == 0) {
    lua_pushliteral(L, "");
    return 1;
  }
  /* More than the memory of a state are refused. */
  if (times > 0) ee_work((uint64_t)(times < TIMES_MAX ? times : TIMES_MAX) * COPY_WORK);
  return with_results(L);
}

typedef struct counted {
  const char *library, *name;
  lua_CFunction function;
  bool wraps; /* the function of Lua, as upvalue 1 */
} counted;

static const counted functions[] = {
    {"_G", "select", over_arguments, true},    {"_G", "tonumber", over_text, true},
    {"string", "byte", with_results, true},    {"string", "char", over_arguments, true},
    {"string", "find", ee_lua_find, false},    {"string", "gmatch", ee_lua_gmatch, false},
    {"string", "gsub", ee_lua_gsub, false},    {"string", "lower", over_text, true},
    {"string", "match", ee_lua_match, false},  {"string", "pack", with_results, true},
    {"string", "packsize", over_text, true},   {"string", "rep", string_rep, true},
    {"string", "reverse", over_text, true},    {"string", "unpack", over_text, true},
    {"string", "upper", over_text, true},      {"table", "concat", table_concat, false},
    {"table", "insert", table_insert, false},  {"table", "move", table_move, false},
    {"table", "pack", over_arguments, true},   {"table", "remove", table_remove, true},
    {"table", "unpack", with_results, true},   {"utf8", "char", over_arguments, true},
    {"utf8", "codepoint", with_results, true}, {"utf8", "len", utf8_len, true},
    {"utf8", "offset", utf8_offset, true},
};

void ee_lua_count_library(lua_State *L, const char *name) {
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    const counted *row = &functions[i];
    if (strcmp(row->library, name) != 0) continue;
    if (row->wraps) lua_getfield(L, -1, row->name);
    lua_pushcclosure(L, row->function, row->wraps);
    lua_setfield(L, -2, row->name);
  }
}
