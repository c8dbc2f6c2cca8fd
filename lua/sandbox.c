/* sandbox.c: the globals of rule files: safe versions of Lua's functions, frozen tables, environments. */
#include "lua/sandbox.h"

#include <limits.h>
#include <lualib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/str.h"
#include "base/work.h"
#include "lua/counted.h"
#include "lua/habits.h"

/* Protected calls ------------------------------------------------------------------------------ */

/* The end of pcall and xpcall; `true` is at index `first`. An exceeded limit is raised again. */
static int finish_call(lua_State *L, int status, int first) {
  if (status == LUA_OK) return lua_gettop(L) - first + 1;
  ee_lua *lua = ee_lua_of(L);
  if (status == LUA_ERRMEM) lua->out_of_memory = true;
  if (ee_lua_has_tripped(lua)) return lua_error(L);
  lua_pushboolean(L, 0);
  lua_rotate(L, -2, 1);
  return 2;
}

int ee_lua_pcall(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  return finish_call(L, lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0), 1);
}

/* Upvalue 1: the handler of xpcall. It does not run after an exceeded limit. */
static int guarded_handler(lua_State *L) {
  const ee_lua *lua = ee_lua_of(L);
  if (ee_lua_has_tripped(lua)) return 1;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

static int base_xpcall(lua_State *L) {
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_pushvalue(L, 2);
  lua_pushcclosure(L, guarded_handler, 1);
  lua_replace(L, 2);
  lua_pushvalue(L, 1);
  lua_copy(L, 2, 1);
  lua_replace(L, 2);
  lua_pushboolean(L, 1);
  lua_insert(L, 2); /* handler, true, function, arguments */
  return finish_call(L, lua_pcall(L, lua_gettop(L) - 3, LUA_MULTRET, 1), 2);
}

/* Texts without addresses ---------------------------------------------------------------------- */

static void push_function_text(lua_State *L, int index) {
  const char *file;
  size_t line;
  if (ee_lua_function_place(L, index, &file, &line))
    lua_pushfstring(L, "function: %s:%d", file, (int)line);
  else
    lua_pushliteral(L, "function: builtin");
}

/* Pushes the text of a float: as Lua writes it, but with as many digits as reading it back needs. */
static void push_float_text(lua_State *L, double number) {
  char text[40];
  for (int digits = 14; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, number);
    if (strtod(text, NULL) == number || isnan(number)) break;
  }
  bool whole = text[strspn(text, "-0123456789")] == '\0';
  lua_pushfstring(L, whole ? "%s.0" : "%s", text);
}

const char *ee_lua_tostring(lua_State *L, int index, size_t *length) {
  index = lua_absindex(L, index);
  if (luaL_callmeta(L, index, "__tostring") != 0) {
    if (!lua_isstring(L, -1)) luaL_error(L, "'__tostring' must return a string");
    return lua_tolstring(L, -1, length);
  }
  switch (lua_type(L, index)) {
  case LUA_TNUMBER:
    if (lua_isinteger(L, index)) return luaL_tolstring(L, index, length);
    push_float_text(L, lua_tonumber(L, index));
    break;
  case LUA_TNIL:
  case LUA_TBOOLEAN:
  case LUA_TSTRING: return luaL_tolstring(L, index, length);
  case LUA_TFUNCTION: push_function_text(L, index); break;
  default: {
    int name = luaL_getmetafield(L, index, "__name");
    if (name == LUA_TSTRING) break;
    if (name != LUA_TNIL) lua_pop(L, 1); /* exactly one value must be pushed */
    lua_pushstring(L, luaL_typename(L, index));
  }
  }
  return lua_tolstring(L, -1, length);
}

static int base_tostring(lua_State *L) {
  luaL_checkany(L, 1);
  ee_lua_tostring(L, 1, NULL);
  return 1;
}

static int base_print(lua_State *L) {
  int count = lua_gettop(L);
  luaL_Buffer line;
  luaL_buffinit(L, &line);
  for (int i = 1; i <= count; i++) {
    if (i > 1) luaL_addchar(&line, '\t');
    ee_lua_tostring(L, i, NULL);
    luaL_addvalue(&line);
  }
  luaL_addchar(&line, '\n');
  luaL_pushresult(&line);
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  ee_write_message((ee_str){text, length}); /* one write, so that lines of several workers do not mix */
  return 0;
}

/* Work of a call, besides the bytes that it makes. */
#define FORMAT_WORK 200

/* Replaces arguments that string.format would print with their address, and floats, by their texts, then calls it in
 * this frame, so that its messages keep name and line. */
static int base_format(lua_State *L) {
  size_t length;
  const char *format = luaL_checklstring(L, 1, &length);
  const char *end = format + length;
  int argument = 1, count = lua_gettop(L);
  while ((format = memchr(format, '%', (size_t)(end - format))) != NULL) {
    format++;
    if (*format == '%') {
      format++;
      continue;
    }
    format += strspn(format, "-+ #0123456789.");
    if (*format == 'p') return luaL_error(L, "'%%p' is not available: it would print an address");
    argument++;
    if (*format != 's' || argument > count) continue;
    int type = lua_type(L, argument);
    bool is_float = type == LUA_TNUMBER && !lua_isinteger(L, argument);
    if (is_float || type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA) {
      ee_lua_tostring(L, argument, NULL);
      lua_replace(L, argument);
    }
  }
  int results = lua_tocfunction(L, lua_upvalueindex(1))(L);
  ee_work(FORMAT_WORK + lua_rawlen(L, -1));
  return results;
}

/* Tables --------------------------------------------------------------------------------------- */

/* Metatables must not get __gc or __mode, which would make results depend on when memory is collected. A table becomes
 * a metatable when it is given to setmetatable(), which looks; from then on a guard, its own metatable, looks at each
 * new field. Where the rule gives it another metatable, it is on the list of watched tables, which are looked at after
 * each call from C. */

/* Registry keys: the addresses of these. The list has weak keys: it must not keep tables alive. */
static const char guard_key = 0, watched_key = 0;

static const char *const refused_fields[] = {"__gc", "__mode", NULL};

static int refuse_field(lua_State *L, const char *name) {
  return luaL_error(L, "'%s' is not available: it would depend on when memory is collected", name);
}

/* Removes such a field of the table, and raises an error if it has one. */
static void check_fields(lua_State *L, int table) {
  table = lua_absindex(L, table);
  for (const char *const *name = refused_fields; *name != NULL; name++) {
    lua_pushstring(L, *name);
    if (lua_rawget(L, table) != LUA_TNIL) {
      lua_pushstring(L, *name);
      lua_pushnil(L);
      lua_rawset(L, table);
      refuse_field(L, *name);
    }
    lua_pop(L, 1);
  }
}

/* Raises an error if the value at `index` is the name of such a field. */
static void check_key(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TSTRING) return;
  const char *key = lua_tostring(L, index);
  for (const char *const *name = refused_fields; *name != NULL; name++)
    if (strcmp(key, *name) == 0) refuse_field(L, *name);
}

/* __newindex of the guard. */
static int guarded_newindex(lua_State *L) {
  check_key(L, 2);
  lua_settop(L, 3);
  lua_rawset(L, 1);
  return 0;
}

/* Whether the metatable on top of the stack is the guard. */
static bool is_guard(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &guard_key);
  bool guard = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 1);
  return guard;
}

/* Whether the guard is the metatable of the table at `index`. */
static bool is_guarded(lua_State *L, int index) {
  if (!lua_getmetatable(L, index)) return false;
  bool guarded = is_guard(L);
  lua_pop(L, 1);
  return guarded;
}

static void watch(lua_State *L, int table) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &watched_key);
  lua_pushvalue(L, table);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  ee_lua_of(L)->watches = true;
}

int ee_lua_check_watched(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &watched_key);
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) check_fields(L, -2);
  return 0;
}

static void open_guard(lua_State *L) {
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, guarded_newindex);
  lua_setfield(L, -2, "__newindex");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &guard_key);
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &watched_key);
}

static int base_setmetatable(lua_State *L) {
  int type = lua_type(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected metatable");
  lua_settop(L, 2);
  if (type == LUA_TTABLE) {
    check_fields(L, 2);
    if (!lua_getmetatable(L, 2)) {
      lua_rawgetp(L, LUA_REGISTRYINDEX, &guard_key);
      lua_setmetatable(L, 2);
    } else if (!is_guard(L)) {
      watch(L, 2);
    }
    lua_settop(L, 2);
  }
  if (is_guarded(L, 1)) {
    if (type == LUA_TNIL) { /* it has none */
      lua_settop(L, 1);
      return 1;
    }
    watch(L, 1);
  }
  lua_setmetatable(L, 1);
  return 1;
}

static int base_getmetatable(lua_State *L) {
  luaL_checkany(L, 1);
  if (!lua_getmetatable(L, 1) || is_guard(L)) {
    lua_pushnil(L);
    return 1;
  }
  luaL_getmetafield(L, 1, "__metatable");
  return 1; /* the field, else the metatable below it */
}

static int base_rawset(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  luaL_checkany(L, 3);
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected table");
  check_key(L, 2);
  lua_settop(L, 3);
  lua_rawset(L, 1);
  return 1;
}

/* pairs ---------------------------------------------------------------------------------------- */

/* A key for comparisons in C. Strings are borrowed from the table. */
typedef struct sort_key {
  int type; /* LUA_TNUMBER, LUA_TSTRING, LUA_TBOOLEAN */
  bool is_integer;
  lua_Integer integer; /* also 0 or 1 for a boolean */
  lua_Number number;
  ee_str text;
} sort_key;

static int key_rank(int type) { return type == LUA_TNUMBER ? 0 : type == LUA_TSTRING ? 1 : 2; }

static int compare_keys(const void *left, const void *right) {
  const sort_key *a = left, *b = right;
  if (a->type != b->type) return key_rank(a->type) - key_rank(b->type);
  if (a->type == LUA_TSTRING) return ee_str_compare(a->text, b->text);
  if (a->is_integer && b->is_integer) return (a->integer > b->integer) - (a->integer < b->integer);
  /* Integer and float keys are never equal. If they are after rounding, the integer comes first. */
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

/* Both iterators keep table and position as upvalues, because a rule may call them with any arguments. */

/* Over the keys 1..n. Upvalues: the table, n, the last key. Values that became nil meanwhile are skipped. */
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

/* Upvalues: the table, its sorted keys, the number of keys done. */
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

/* Work of a key that is sorted, in elements that are read. */
#define SORT_WORK 10

/* Tables with at most this many keys need no table of keys: they are upvalues of the iterator. */
enum { FEW_KEYS = 60 };

/* Upvalues: the table, the number of keys done, the keys in order. */
static int next_of_few(lua_State *L) {
  int position = (int)lua_tointeger(L, lua_upvalueindex(2));
  for (int key = lua_upvalueindex(3 + position); lua_type(L, key) != LUA_TNONE; key = lua_upvalueindex(3 + position)) {
    position++;
    lua_pushvalue(L, key);
    lua_pushvalue(L, key);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) {
      lua_pushinteger(L, position);
      lua_replace(L, lua_upvalueindex(2));
      return 2;
    }
    lua_pop(L, 2);
  }
  return 0;
}

/* Pushes an iterator over the `count` keys of the table at 1, at most FEW_KEYS, in order. */
static void push_few_iterator(lua_State *L, int count) {
  sort_key keys[FEW_KEYS];
  unsigned char order[FEW_KEYS];
  int first = lua_gettop(L) + 1, read = 0;
  luaL_checkstack(L, 2 * count + 8, NULL);
  for (lua_pushnil(L); lua_next(L, 1) != 0; read++) {
    lua_pop(L, 1);
    read_key(L, -1, &keys[read]);
    lua_pushvalue(L, -1); /* one stays, one is for lua_next() */
    int at = read;
    for (; at > 0 && compare_keys(&keys[order[at - 1]], &keys[read]) > 0; at--) order[at] = order[at - 1];
    order[at] = (unsigned char)read;
  }
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  // cppcheck-suppress uninitvar; the loop above has set all
  for (int i = 0; i < count; i++) lua_pushvalue(L, first + order[i]);
  lua_pushcclosure(L, next_of_few, count + 2);
  lua_replace(L, first);
  lua_settop(L, first);
}

/* Pushes an iterator over the `count` keys of the table at 1, in order. */
static void push_ordered_iterator(lua_State *L, size_t count) {
  ee_lua_charge((lua_Integer)count * SORT_WORK);
  if (count > 0 && count <= FEW_KEYS) {
    push_few_iterator(L, (int)count);
    return;
  }
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

int ee_lua_pairs(lua_State *L) {
  luaL_checkany(L, 1);
  if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
    lua_pushvalue(L, 1);
    lua_call(L, 1, 3);
    return 3;
  }
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  size_t count = 0;
  lua_Integer last = 0;
  bool sequence = true;
  for (lua_pushnil(L); lua_next(L, 1) != 0; lua_pop(L, 1)) {
    ee_lua_charge(1);
    count++;
    lua_Integer key = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
    sequence = sequence && key >= 1;
    if (key > last) last = key;
  }
  /* So many different keys from 1 to `count` are all of these. A length does not tell: with holes it may be any border.
   */
  if (sequence && (size_t)last == count) {
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

/* A bottom-up merge sort, because Lua's own sort may choose pivots by the clock, and then equal elements have no fixed
 * order. Stack: 1 list, 2 comparison or nil, 3 source, 4 target, 5 left element, 6 right element. */
enum { SOURCE = 3, TARGET = 4, LEFT = 5, RIGHT = 6 };

/* Whether the right element belongs before the left one. */
static bool right_first(lua_State *L) {
  ee_lua_charge(1);
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

static int base_sort(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer count = luaL_len(L, 1);
  if (count < 2) return 0;
  luaL_argcheck(L, count < INT_MAX, 1, "array too big");
  if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_createtable(L, (int)count, 0);
  lua_createtable(L, (int)count, 0);
  lua_settop(L, RIGHT);
  ee_lua_charge(count);
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

/* Registry keys: the addresses of these. */
static const char globals_key = 0, environment_key = 0, ee_key = 0;

/* The address is the key of the content in a frozen table's metatable. */
static const char content_key = 0;

static const char *const base_names[] = {"_VERSION", "assert", "error",    "ipairs", "rawequal", "rawget",
                                         "rawlen",   "select", "tonumber", "type",   NULL};
static const char *const string_names[] = {"byte", "char", "find",     "gmatch",  "gsub", "len",    "lower", "match",
                                           "pack", "rep",  "packsize", "reverse", "sub",  "unpack", "upper", NULL};
static const char *const table_names[] = {"concat", "insert", "move", "pack", "remove", "unpack", NULL};
static const char *const math_names[] = {"abs", "acos",       "asin", "atan", "ceil", "cos", "deg",
                                         "exp", "floor",      "fmod", "huge", "log",  "max", "maxinteger",
                                         "min", "mininteger", "modf", "pi",   "rad",  "sin", "sqrt",
                                         "tan", "tointeger",  "type", "ult",  NULL};
static const char *const utf8_names[] = {"char", "charpattern", "codepoint", "codes", "len", "offset", NULL};

/* Names of Lua that rule files do not have, for the message. */
static const char *const withheld[] = {"_G",     "collectgarbage", "coroutine",  "debug", "dofile", "io",
                                       "load",   "loadfile",       "loadstring", "next",  "os",     "package",
                                       "unpack", "setfenv",        "getfenv",    NULL};

/* Unknown names -------------------------------------------------------------------------------- */

static int compare_words(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *ee_lua_suggest(lua_State *L, int table, const char *key) {
  table = lua_absindex(L, table);
  size_t count = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) count++;
  /* A userdata, so that an error does not leak it. */
  const char **words = lua_newuserdatauv(L, (count + 1) * sizeof(*words), 0);
  count = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) words[count++] = lua_tostring(L, -2);
  }
  words[count] = NULL;
  qsort(words, count, sizeof(*words), compare_words);
  const char *suggestion = ee_did_you_mean(key, words);
  lua_pop(L, 1);
  return suggestion;
}

int ee_lua_raise_unknown(lua_State *L, int table, const char *prefix, const char *key) {
  table = lua_absindex(L, table);
  const char *dot = *prefix == '\0' ? "" : ".";
  if (*prefix == '\0') {
    for (const char *const *name = withheld; *name != NULL; name++) {
      if (strcmp(*name, key) == 0) return luaL_error(L, "'%s' is not available in rules", key);
    }
    lua_rawgetp(L, LUA_REGISTRYINDEX, &ee_key);
    lua_pushstring(L, key);
    if (lua_rawget(L, -2) != LUA_TNIL) return luaL_error(L, "undefined name '%s' (did you mean 'ee.%s'?)", key, key);
    lua_pop(L, 2);
  }
  const char *hint = *prefix == '\0' ? ee_lua_name_hint(key) : NULL;
  if (hint != NULL) return luaL_error(L, "undefined name '%s' (write %s)", key, hint);
  const char *suggestion = ee_lua_suggest(L, table, key);
  if (suggestion == NULL) return luaL_error(L, "undefined name '%s%s%s'", prefix, dot, key);
  return luaL_error(L, "undefined name '%s%s%s' (did you mean '%s%s%s'?)", prefix, dot, key, prefix, dot, suggestion);
}

/* __index of a strict table. Upvalue 1: its name. Arguments: the table, the key. */
static int unknown_field(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  return ee_lua_raise_unknown(L, 1, lua_tostring(L, lua_upvalueindex(1)), lua_tostring(L, 2));
}

/* Frozen tables -------------------------------------------------------------------------------- */

/* Upvalue 1: the table's name. */
static int frozen_newindex(lua_State *L) {
  size_t length;
  const char *key = ee_lua_tostring(L, 2, &length);
  return luaL_error(L, "'%s' cannot be changed (assignment to '%s')", lua_tostring(L, lua_upvalueindex(1)), key);
}

/* Upvalue 1: the content. */
static int frozen_len(lua_State *L) {
  lua_pushinteger(L, luaL_len(L, lua_upvalueindex(1)));
  return 1;
}

/* The loop gets the frozen view, because the content could be changed. */
static int frozen_pairs(lua_State *L) {
  lua_settop(L, 1);
  lua_pushcfunction(L, ee_lua_pairs);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_call(L, 1, 1);
  lua_insert(L, 1);
  return 2;
}

void ee_lua_freeze(lua_State *L, const char *name, bool strict) {
  int content = lua_gettop(L);
  if (strict) {
    lua_createtable(L, 0, 1);
    lua_pushstring(L, name);
    lua_pushcclosure(L, unknown_field, 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, content);
  }
  lua_newtable(L);
  lua_createtable(L, 0, 6);
  lua_pushvalue(L, content);
  lua_rawsetp(L, -2, &content_key);
  lua_pushvalue(L, content);
  lua_setfield(L, -2, "__index");
  lua_pushstring(L, name);
  lua_pushcclosure(L, frozen_newindex, 1);
  lua_setfield(L, -2, "__newindex");
  lua_pushvalue(L, content);
  lua_pushcclosure(L, frozen_len, 1);
  lua_setfield(L, -2, "__len");
  lua_pushvalue(L, content);
  lua_pushcclosure(L, frozen_pairs, 1);
  lua_setfield(L, -2, "__pairs");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_replace(L, content);
}

bool ee_lua_thaw(lua_State *L) {
  if (!lua_istable(L, -1) || !lua_getmetatable(L, -1)) return false;
  bool frozen = lua_rawgetp(L, -1, &content_key) != LUA_TNIL;
  if (frozen) lua_copy(L, -1, -3);
  lua_pop(L, 2);
  return frozen;
}

/* Environments --------------------------------------------------------------------------------- */

/* __newindex of every environment. */
static int assign_global(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return luaL_error(L, "the environment of a rule file cannot be changed");
  const char *name = lua_tostring(L, 2);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &globals_key);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) != LUA_TNIL)
    return luaL_error(L, "assignment to '%s', which belongs to the sandbox (missing 'local'?)", name);
  return luaL_error(L, "assignment to global '%s' (missing 'local'?)", name);
}

void ee_lua_push_environment(lua_State *L) {
  lua_newtable(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &environment_key);
  lua_setmetatable(L, -2);
}

void ee_lua_define_global(lua_State *L, const char *name) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &globals_key);
  lua_pushstring(L, name);
  lua_rotate(L, -3, -1); /* globals, name, value */
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

/* Objects -------------------------------------------------------------------------------------- */

/* __index of a table of methods. Upvalue 1: the object's name. Arguments: the table, the key. */
static int unknown_method(lua_State *L) {
  const char *object = lua_tostring(L, lua_upvalueindex(1));
  if (lua_type(L, 2) != LUA_TSTRING) return luaL_error(L, "%s has no fields of type %s", object, luaL_typename(L, 2));
  const char *name = lua_tostring(L, 2), *suggestion = ee_lua_suggest(L, 1, name);
  if (suggestion == NULL) return luaL_error(L, "%s has no '%s'", object, name);
  return luaL_error(L, "%s has no '%s' (did you mean '%s'?)", object, name, suggestion);
}

void ee_lua_open_methods(lua_State *L, void *upvalue, const char *name, const luaL_Reg *methods) {
  luaL_newmetatable(L, name);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_newtable(L);
  lua_pushlightuserdata(L, upvalue);
  luaL_setfuncs(L, methods, 1);
  lua_createtable(L, 0, 1);
  lua_pushstring(L, name);
  lua_pushcclosure(L, unknown_method, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

void ee_lua_define_function(lua_State *L, void *upvalue, const char *name, lua_CFunction function) {
  lua_pushlightuserdata(L, upvalue);
  lua_pushcclosure(L, function, 1);
  ee_lua_define_global(L, name);
}

/* Opening -------------------------------------------------------------------------------------- */

/* Copies the fields `names` of the table at `from` to the one on top of the stack. */
static void copy_fields(lua_State *L, int from, const char *const *names) {
  for (; *names != NULL; names++) {
    lua_getfield(L, from, *names);
    lua_setfield(L, -2, *names);
  }
}

/* Opens a library and pushes a table with the fields that rules may use. */
static void push_library(lua_State *L, const char *name, lua_CFunction open, const char *const *names) {
  luaL_requiref(L, name, open, 0);
  lua_newtable(L);
  copy_fields(L, lua_gettop(L) - 1, names);
  lua_remove(L, -2);
  ee_lua_count_library(L, name);
}

/* Makes the functions in the table on top of the stack the methods of strings. */
static void set_string_methods(lua_State *L) {
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
}

static void open_libraries(lua_State *L) {
  push_library(L, LUA_STRLIBNAME, luaopen_string, string_names);
  luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
  lua_getfield(L, -1, "format");
  lua_remove(L, -2);
  lua_pushcclosure(L, base_format, 1);
  lua_setfield(L, -2, "format");
  set_string_methods(L);
  /* The global is another table than the one of string methods: `("text").field` must be nil, so that a string in place
   * of an object reads as an object without that field. */
  lua_newtable(L);
  copy_fields(L, lua_gettop(L) - 1, string_names);
  lua_getfield(L, -2, "format");
  lua_setfield(L, -2, "format");
  ee_lua_freeze(L, LUA_STRLIBNAME, true);
  ee_lua_define_global(L, LUA_STRLIBNAME);
  lua_pop(L, 1);

  push_library(L, LUA_TABLIBNAME, luaopen_table, table_names);
  lua_pushcfunction(L, base_sort);
  lua_setfield(L, -2, "sort");
  ee_lua_freeze(L, LUA_TABLIBNAME, true);
  ee_lua_define_global(L, LUA_TABLIBNAME);

  push_library(L, LUA_MATHLIBNAME, luaopen_math, math_names);
  ee_lua_freeze(L, LUA_MATHLIBNAME, true);
  ee_lua_define_global(L, LUA_MATHLIBNAME);

  push_library(L, LUA_UTF8LIBNAME, luaopen_utf8, utf8_names);
  ee_lua_freeze(L, LUA_UTF8LIBNAME, true);
  ee_lua_define_global(L, LUA_UTF8LIBNAME);
}

void ee_lua_sandbox_open(lua_State *L) {
  static const luaL_Reg own[] = {
      {"getmetatable", base_getmetatable},
      {"pairs", ee_lua_pairs},
      {"pcall", ee_lua_pcall},
      {"print", base_print},
      {"rawset", base_rawset},
      {"setmetatable", base_setmetatable},
      {"tostring", base_tostring},
      {"xpcall", base_xpcall},
      {NULL, NULL},
  };
  open_guard(L);
  push_library(L, LUA_GNAME, luaopen_base, base_names);
  luaL_setfuncs(L, own, 0);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "ee");
  lua_pushvalue(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &ee_key);

  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "");
  lua_pushcclosure(L, unknown_field, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &globals_key);

  lua_createtable(L, 0, 3);
  lua_rotate(L, -2, 1);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, assign_global);
  lua_setfield(L, -2, "__newindex");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &environment_key);
  open_libraries(L);
}

void ee_lua_sandbox_close(lua_State *L) {
  /* First the tables in it: ee.prim, ee.text, ... All names are collected before any table is replaced. */
  lua_newtable(L);
  lua_Integer count = 0;
  for (lua_pushnil(L); lua_next(L, 1) != 0; lua_pop(L, 1)) {
    if (!lua_istable(L, -1) || lua_type(L, -2) != LUA_TSTRING) continue;
    if (ee_lua_thaw(L)) continue; /* ee.config is already frozen */
    lua_pushvalue(L, -2);
    lua_rawseti(L, -4, ++count);
  }
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, i);
    const char *name = lua_tostring(L, -1);
    const char *full_name = lua_pushfstring(L, "ee.%s", name);
    lua_getfield(L, 1, name);
    ee_lua_freeze(L, full_name, true);
    lua_setfield(L, 1, name);
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  lua_pushvalue(L, 1);
  ee_lua_freeze(L, "ee", false); /* read_rules.c handles unknown names */
  ee_lua_define_global(L, "ee");
}
