/* require.c: require and ee.param. */
#include "lua/require.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "lua/sandbox.h"

/* require -------------------------------------------------------------------------------------- */

/* Letters, digits, '_' and '-' in parts between single dots: nothing that could leave the folder. */
static bool is_module_name(const char *name, size_t length) {
  bool part = false;
  for (size_t i = 0; i < length; i++) {
    char c = name[i];
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!word && (c != '.' || !part)) return false;
    part = word;
  }
  return part;
}

/* Pushes DIRECTORY/NAME.lua, dots in the name as slashes. A file of the current folder has no "./" before it. */
static const char *push_path(lua_State *L, const char *directory, const char *name) {
  const char *file = luaL_gsub(L, name, ".", "/");
  const char *path = strcmp(directory, ".") == 0 ? lua_pushfstring(L, "%s.lua", file)
                                                 : lua_pushfstring(L, "%s/%s.lua", directory, file);
  lua_remove(L, -2);
  return path;
}

/* Pushes the path of the module `name`, or raises an error that lists where it was looked for. */
static const char *push_module_path(lua_State *L, const char *name) {
  const char *own = push_path(L, ee_lua_of(L)->directory, name);
  if (access(own, F_OK) == 0) return own;
  const char *installed = push_path(L, EE_RULES_DIR, name);
  if (access(installed, F_OK) == 0) return installed;
  luaL_error(L, "module '%s' not found: there is neither '%s' nor '%s'", name, own, installed);
  return NULL;
}

/* Raises "require cycle: a -> b -> a". The list of modules under way is at `list`. */
static int raise_cycle(lua_State *L, int list, lua_Integer first, const char *name) {
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  luaL_addstring(&text, "require cycle: ");
  for (lua_Integer i = first; i <= (lua_Integer)lua_rawlen(L, list); i++) {
    lua_rawgeti(L, list, i);
    luaL_addvalue(&text);
    luaL_addstring(&text, " -> ");
  }
  luaL_addstring(&text, name);
  luaL_pushresult(&text);
  return luaL_error(L, "%s", lua_tostring(L, -1));
}

/* Upvalues: the modules by name, the names under way. */
static int require(lua_State *L) {
  enum { MODULES = lua_upvalueindex(1), UNDER_WAY = lua_upvalueindex(2) };
  size_t length;
  const char *name = luaL_checklstring(L, 1, &length);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  if (lua_rawget(L, MODULES) != LUA_TNIL) return 1;
  lua_settop(L, 1);
  ee_lua *lua = ee_lua_of(L);
  if (!lua->loading) return luaL_error(L, "require '%s' is called by a function; call it where the file loads", name);
  if (!is_module_name(name, length)) return luaL_error(L, "'%s' is no module name", name);
  lua_Integer depth = (lua_Integer)lua_rawlen(L, UNDER_WAY);
  for (lua_Integer i = 1; i <= depth; i++) {
    lua_rawgeti(L, UNDER_WAY, i);
    if (lua_rawequal(L, -1, 1)) return raise_cycle(L, UNDER_WAY, i, name);
    lua_pop(L, 1);
  }
  if (depth >= 100) return luaL_error(L, "require: more than 100 modules deep");
  const char *path = push_module_path(L, name);
  ee_error error;
  if (!ee_lua_load_file(lua, path, &error)) {
    if (error.line == 0) return luaL_error(L, "module '%s': '%s' %s", name, path, error.message);
    lua_pushfstring(L, "%s:%d: %s", path, (int)error.line, error.message);
    return lua_error(L);
  }
  lua_pushvalue(L, 1);
  lua_rawseti(L, UNDER_WAY, depth + 1);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1)) return luaL_error(L, "module '%s' returned nothing (did you forget 'return'?)", name);
  lua_pushnil(L);
  lua_rawseti(L, UNDER_WAY, depth + 1);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -2);
  lua_rawset(L, MODULES);
  return 1;
}

/* ee.param ------------------------------------------------------------------------------------- */

static void remember_name(ee_lua *lua, const char *name) {
  for (size_t i = 0; i < lua->asked_count; i++) {
    if (strcmp(lua->asked[i], name) == 0) return;
  }
  char *copy = strdup(name);
  if (copy == NULL) ee_out_of_memory();
  lua->asked = ee_realloc(lua->asked, lua->asked_count + 1, sizeof(*lua->asked));
  lua->asked[lua->asked_count++] = copy;
}

/* The value that --set gives `name` (the last of several), or NULL. */
static const char *find_parameter(ee_lua *lua, const char *name) {
  const char *value = NULL;
  for (size_t i = 0; i < lua->parameter_count; i++) {
    ee_lua_parameter *parameter = &lua->parameters[i];
    if (strcmp(parameter->name, name) != 0) continue;
    value = parameter->value;
    /* Workers load the file again at the same time; the first load has set it. */
    if (!__atomic_load_n(&parameter->used, __ATOMIC_RELAXED))
      __atomic_store_n(&parameter->used, true, __ATOMIC_RELAXED);
  }
  return value;
}

/* ee.param(name, default): the parameter's value in the type of the default; without a default its text. */
static int param(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  lua_settop(L, 2);
  int type = lua_type(L, 2);
  if (type != LUA_TNIL && type != LUA_TBOOLEAN && type != LUA_TNUMBER && type != LUA_TSTRING)
    return luaL_error(L, "ee.param: the default of '%s' is a %s, expected a text, a number or a boolean", name,
                      luaL_typename(L, 2));
  ee_lua *lua = ee_lua_of(L);
  if (!lua->loading)
    return luaL_error(L, "ee.param '%s' is asked for by a function; ask where the file loads, into a local", name);
  remember_name(lua, name);
  const char *value = find_parameter(lua, name);
  if (value == NULL) return 1;
  if (type == LUA_TNUMBER) {
    if (lua_stringtonumber(L, value) != 0) return 1;
    ee_lua_mistake(L, "parameter '%s' is '%s', expected a number", name, value);
    return 1;
  }
  if (type == LUA_TBOOLEAN) {
    bool is_true = strcmp(value, "true") == 0;
    if (!is_true && strcmp(value, "false") != 0) {
      ee_lua_mistake(L, "parameter '%s' is '%s', expected true or false", name, value);
      return 1;
    }
    lua_pushboolean(L, is_true);
    return 1;
  }
  lua_pushstring(L, value);
  return 1;
}

void ee_lua_check_parameters(const char *const *asked, const ee_lua_parameter *parameters, size_t count,
                             ee_error_list *errors) {
  for (size_t i = 0; i < count; i++) {
    const ee_lua_parameter *parameter = &parameters[i];
    if (parameter->used) continue;
    const char *suggestion = ee_did_you_mean(parameter->name, asked);
    if (suggestion != NULL)
      ee_error_list_addf(errors, EE_ERROR_RULES, NULL, 0, "unknown parameter '%s' (did you mean '%s'?)",
                         parameter->name, suggestion);
    else
      ee_error_list_addf(errors, EE_ERROR_RULES, NULL, 0, "unknown parameter '%s': the rule file does not ask for it",
                         parameter->name);
  }
}

void ee_lua_require_open(lua_State *L) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushcclosure(L, require, 2);
  ee_lua_define_global(L, "require");
  lua_pushcfunction(L, param);
  lua_setfield(L, -2, "param");
}
