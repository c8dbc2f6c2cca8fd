/* sandbox.c: the globals of rule files, frozen tables and environments. */
#include "lua/sandbox.h"

#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/base_functions.h"

/* Registry keys: the addresses of these. */
static const char globals_key = 0, environment_key = 0, ee_key = 0;

/* The key of a frozen table's metatable under which the table behind it stands: its address. */
static const char content_key = 0;

static const char *const base_names[] = {"_VERSION", "assert", "error",  "getmetatable", "ipairs", "rawequal",
                                         "rawget",   "rawlen", "select", "tonumber",     "type",   NULL};
static const char *const string_names[] = {"byte", "char", "find",     "gmatch",  "gsub", "len",    "lower", "match",
                                           "pack", "rep",  "packsize", "reverse", "sub",  "unpack", "upper", NULL};
static const char *const table_names[] = {"concat", "insert", "move", "pack", "remove", "unpack", NULL};
static const char *const math_names[] = {"abs", "acos",       "asin", "atan", "ceil", "cos", "deg",
                                         "exp", "floor",      "fmod", "huge", "log",  "max", "maxinteger",
                                         "min", "mininteger", "modf", "pi",   "rad",  "sin", "sqrt",
                                         "tan", "tointeger",  "type", "ult",  NULL};
static const char *const utf8_names[] = {"char", "charpattern", "codepoint", "codes", "len", "offset", NULL};

/* Names of Lua that rule files do not have, so that the message can say so. */
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
  /* A userdata, because an error further on must not leak it. */
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
  const char *suggestion = ee_lua_suggest(L, table, key);
  if (suggestion == NULL) return luaL_error(L, "undefined name '%s%s%s'", prefix, dot, key);
  return luaL_error(L, "undefined name '%s%s%s' (did you mean '%s%s%s'?)", prefix, dot, key, prefix, dot, suggestion);
}

/* __index behind a strict table. Upvalue 1: its name. Arguments: the table, the key. */
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

/* Upvalue 1: the table behind the view. */
static int frozen_len(lua_State *L) {
  lua_pushinteger(L, luaL_len(L, lua_upvalueindex(1)));
  return 1;
}

/* The loop gets the view as its table: the one behind it could be changed. */
static int frozen_pairs(lua_State *L) {
  lua_settop(L, 1);
  lua_pushcfunction(L, ee_lua_base_pairs);
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

/* Opening -------------------------------------------------------------------------------------- */

/* Copies the fields `names` of the table at `from` to the one on top of the stack. */
static void copy_fields(lua_State *L, int from, const char *const *names) {
  for (; *names != NULL; names++) {
    lua_getfield(L, from, *names);
    lua_setfield(L, -2, *names);
  }
}

/* Opens a library and pushes a table with those of its fields that rules may use. */
static void push_library(lua_State *L, const char *name, lua_CFunction open, const char *const *names) {
  luaL_requiref(L, name, open, 0);
  lua_newtable(L);
  copy_fields(L, lua_gettop(L) - 1, names);
  lua_remove(L, -2);
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
  lua_pushcclosure(L, ee_lua_base_format, 1);
  lua_setfield(L, -2, "format");
  set_string_methods(L);
  /* A table of its own: `("text").field` stays nil, as a document's text in the place of an object should read. */
  lua_newtable(L);
  copy_fields(L, lua_gettop(L) - 1, string_names);
  lua_getfield(L, -2, "format");
  lua_setfield(L, -2, "format");
  ee_lua_freeze(L, LUA_STRLIBNAME, true);
  ee_lua_define_global(L, LUA_STRLIBNAME);
  lua_pop(L, 1);

  push_library(L, LUA_TABLIBNAME, luaopen_table, table_names);
  lua_pushcfunction(L, ee_lua_base_sort);
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
      {"pairs", ee_lua_base_pairs},
      {"pcall", ee_lua_base_pcall},
      {"print", ee_lua_base_print},
      {"rawset", ee_lua_base_rawset},
      {"setmetatable", ee_lua_base_setmetatable},
      {"tostring", ee_lua_base_tostring},
      {"xpcall", ee_lua_base_xpcall},
      {NULL, NULL},
  };
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
  /* The tables inside first: ee.prim, ee.text, ... Their names are collected before any is replaced. */
  lua_newtable(L);
  lua_Integer count = 0;
  for (lua_pushnil(L); lua_next(L, 1) != 0; lua_pop(L, 1)) {
    if (!lua_istable(L, -1) || lua_type(L, -2) != LUA_TSTRING) continue;
    if (ee_lua_thaw(L)) continue; /* ee.config is frozen already, in its own way */
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
  ee_lua_freeze(L, "ee", false); /* dsl.c has its own answer to unknown names */
  ee_lua_define_global(L, "ee");
}
