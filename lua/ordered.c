/* ordered.c: pairs and table.sort with an order that depends on nothing but the values. */
#include <limits.h>
#include <stdlib.h>

#include "base/str.h"
#include "lua/base_functions.h"
#include "lua/sandbox.h"

/* pairs ---------------------------------------------------------------------------------------- */

/* A key, ready to be compared in C. Texts are borrowed from the table. */
typedef struct sort_key {
  int type; /* LUA_TNUMBER, LUA_TSTRING, LUA_TBOOLEAN */
  bool is_integer;
  lua_Integer integer; /* of booleans too */
  lua_Number number;
  ee_str text;
} sort_key;

static int key_rank(int type) { return type == LUA_TNUMBER ? 0 : type == LUA_TSTRING ? 1 : 2; }

static int compare_keys(const void *left, const void *right) {
  const sort_key *a = left, *b = right;
  if (a->type != b->type) return key_rank(a->type) - key_rank(b->type);
  if (a->type == LUA_TSTRING) return ee_str_compare(a->text, b->text);
  if (a->is_integer && b->is_integer) return (a->integer > b->integer) - (a->integer < b->integer);
  /* Integer and float keys are never equal; where rounding makes them look so, the integer comes first. */
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  return (int)b->is_integer - (int)a->is_integer;
}

static void read_key(lua_State *L, int index, sort_key *key) {
  *key = (sort_key){.type = lua_type(L, index)};
  switch (key->type) {
  case LUA_TNUMBER:
    key->is_integer = lua_isinteger(L, index) != 0;
    if (key->is_integer) key->integer = lua_tointeger(L, index);
    key->number = lua_tonumber(L, index);
    break;
  case LUA_TSTRING: key->text.data = lua_tolstring(L, index, &key->text.length); break;
  case LUA_TBOOLEAN:
    key->is_integer = true;
    key->integer = lua_toboolean(L, index);
    break;
  default: luaL_error(L, "pairs: a key that is a %s has no order", luaL_typename(L, index));
  }
}

static void push_key(lua_State *L, const sort_key *key) {
  if (key->type == LUA_TSTRING)
    lua_pushlstring(L, key->text.data, key->text.length);
  else if (key->type == LUA_TBOOLEAN)
    lua_pushboolean(L, (int)key->integer);
  else if (key->is_integer)
    lua_pushinteger(L, key->integer);
  else
    lua_pushnumber(L, key->number);
}

/* Both iterators keep table and place themselves: a rule may call them with anything, or not at all. */

/* Over the keys 1..n. Upvalues: the table, n, the last key. Values that became nil on the way are passed over. */
static int next_in_sequence(lua_State *L) {
  lua_Integer count = lua_tointeger(L, lua_upvalueindex(2));
  for (lua_Integer i = lua_tointeger(L, lua_upvalueindex(3)) + 1; i <= count; i++) {
    if (lua_rawgeti(L, lua_upvalueindex(1), i) != LUA_TNIL) {
      lua_pushinteger(L, i);
      lua_copy(L, -1, lua_upvalueindex(3));
      lua_insert(L, -2);
      return 2;
    }
    lua_pop(L, 1);
  }
  return 0;
}

/* Upvalues: the table, its sorted keys, how many were passed. */
static int next_in_order(lua_State *L) {
  lua_Integer position = lua_tointeger(L, lua_upvalueindex(3));
  while (lua_rawgeti(L, lua_upvalueindex(2), ++position) != LUA_TNIL) {
    lua_pushvalue(L, -1);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
      lua_pushinteger(L, position);
      lua_replace(L, lua_upvalueindex(3));
      return 2;
    }
    lua_pop(L, 2);
  }
  return 0;
}

/* Pushes an iterator over the `count` keys of the table at 1, in order. */
static void push_ordered_iterator(lua_State *L, size_t count) {
  sort_key *keys = lua_newuserdatauv(L, count * sizeof(*keys), 0);
  size_t i = 0;
  for (lua_pushnil(L); lua_next(L, 1) != 0; lua_pop(L, 1)) read_key(L, -2, &keys[i++]);
  qsort(keys, count, sizeof(*keys), compare_keys);
  lua_pushvalue(L, 1);
  lua_createtable(L, count > INT_MAX ? INT_MAX : (int)count, 0);
  for (i = 0; i < count; i++) {
    push_key(L, &keys[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_in_order, 3);
}

int ee_lua_base_pairs(lua_State *L) {
  luaL_checkany(L, 1);
  if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
    lua_pushvalue(L, 1);
    lua_call(L, 1, 3);
    return 3;
  }
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  size_t count = 0;
  lua_Unsigned length = lua_rawlen(L, 1);
  bool sequence = true;
  for (lua_pushnil(L); lua_next(L, 1) != 0; lua_pop(L, 1)) {
    count++;
    sequence = sequence && lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1;
  }
  if (sequence && length == count) {
    lua_pushvalue(L, 1);
    lua_pushinteger(L, (lua_Integer)count);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_in_sequence, 3);
  } else {
    push_ordered_iterator(L, count);
  }
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* table.sort ----------------------------------------------------------------------------------- */

/* Lua's own picks pivots by the clock in lopsided cases, so that equal elements may come out in another order from run
 * to run. This is a bottom-up merge sort. Stack: 1 list, 2 comparison or nil, 3 source, 4 target, 5 left element, 6
 * right. */
enum { SOURCE = 3, TARGET = 4, LEFT = 5, RIGHT = 6 };

/* Whether the right element must stand before the left one. */
static bool right_first(lua_State *L) {
  if (lua_isnil(L, 2)) return lua_compare(L, RIGHT, LEFT, LUA_OPLT) != 0;
  lua_pushvalue(L, 2);
  lua_pushvalue(L, RIGHT);
  lua_pushvalue(L, LEFT);
  lua_call(L, 2, 1);
  bool answer = lua_toboolean(L, -1) != 0;
  lua_pop(L, 1);
  return answer;
}

static void load_element(lua_State *L, int slot, lua_Integer index) {
  lua_rawgeti(L, SOURCE, index);
  lua_replace(L, slot);
}

/* Merges source[low..middle) and source[middle..high) into target[low..high). */
static void merge_runs(lua_State *L, lua_Integer low, lua_Integer middle, lua_Integer high) {
  lua_Integer left = low, right = middle, out = low;
  if (left < middle) load_element(L, LEFT, left);
  if (right < high) load_element(L, RIGHT, right);
  while (left < middle && right < high) {
    bool from_right = right_first(L);
    lua_pushvalue(L, from_right ? RIGHT : LEFT);
    lua_rawseti(L, TARGET, out++);
    if (from_right) {
      if (++right < high) load_element(L, RIGHT, right);
    } else {
      if (++left < middle) load_element(L, LEFT, left);
    }
  }
  for (; left < middle; left++) {
    lua_rawgeti(L, SOURCE, left);
    lua_rawseti(L, TARGET, out++);
  }
  for (; right < high; right++) {
    lua_rawgeti(L, SOURCE, right);
    lua_rawseti(L, TARGET, out++);
  }
}

int ee_lua_base_sort(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer count = luaL_len(L, 1);
  if (count < 2) return 0;
  luaL_argcheck(L, count < INT_MAX, 1, "array too big");
  if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_createtable(L, (int)count, 0);
  lua_createtable(L, (int)count, 0);
  lua_settop(L, RIGHT);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_geti(L, 1, i);
    lua_rawseti(L, SOURCE, i);
  }
  for (lua_Integer width = 1; width < count; width *= 2) {
    for (lua_Integer low = 1; low <= count; low += 2 * width) {
      lua_Integer middle = low + width <= count ? low + width : count + 1;
      lua_Integer high = low + 2 * width <= count ? low + 2 * width : count + 1;
      merge_runs(L, low, middle, high);
    }
    lua_pushvalue(L, SOURCE);
    lua_copy(L, TARGET, SOURCE);
    lua_replace(L, TARGET);
  }
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, SOURCE, i);
    lua_seti(L, 1, i);
  }
  return 0;
}
