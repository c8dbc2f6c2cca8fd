/* base_functions.c: pcall, tostring, string.format and others, made safe for rules. pairs and table.sort are in
 * ordered.c. */
#include "lua/base_functions.h"

#include <stdio.h>
#include <string.h>

#include "lua/sandbox.h"

/* Protected calls ------------------------------------------------------------------------------ */

/* The end of pcall and xpcall: `true` stands at index `first`. A trip of a limit goes on upwards. */
static int finish_call(lua_State *L, int status, int first) {
  if (status == LUA_OK) return lua_gettop(L) - first + 1;
  ee_lua *lua = ee_lua_of(L);
  if (status == LUA_ERRMEM) lua->out_of_memory = true;
  if (lua->out_of_budget || lua->out_of_memory) return lua_error(L);
  lua_pushboolean(L, 0);
  lua_rotate(L, -2, 1);
  return 2;
}

int ee_lua_base_pcall(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushboolean(L, 1);
  lua_insert(L, 1);
  return finish_call(L, lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0), 1);
}

/* Upvalue 1: the handler of xpcall, which a trip does not run. */
static int guarded_handler(lua_State *L) {
  const ee_lua *lua = ee_lua_of(L);
  if (lua->out_of_budget || lua->out_of_memory) return 1;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

int ee_lua_base_xpcall(lua_State *L) {
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

const char *ee_lua_tostring(lua_State *L, int index, size_t *length) {
  index = lua_absindex(L, index);
  if (luaL_callmeta(L, index, "__tostring") != 0) {
    if (!lua_isstring(L, -1)) luaL_error(L, "'__tostring' must return a string");
    return lua_tolstring(L, -1, length);
  }
  switch (lua_type(L, index)) {
  case LUA_TNIL:
  case LUA_TBOOLEAN:
  case LUA_TNUMBER:
  case LUA_TSTRING: return luaL_tolstring(L, index, length);
  case LUA_TFUNCTION: push_function_text(L, index); break;
  default: {
    int name = luaL_getmetafield(L, index, "__name");
    if (name == LUA_TSTRING) break;
    if (name != LUA_TNIL) lua_pop(L, 1); /* callers count on one value more, exactly */
    lua_pushstring(L, luaL_typename(L, index));
  }
  }
  return lua_tolstring(L, -1, length);
}

int ee_lua_base_tostring(lua_State *L) {
  luaL_checkany(L, 1);
  ee_lua_tostring(L, 1, NULL);
  return 1;
}

int ee_lua_base_print(lua_State *L) {
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
  fwrite(text, 1, length, stderr); /* one write, so that lines of several workers do not mix */
  return 0;
}

/* Puts texts in the place of values that the original would print with their address, then runs it in this very frame,
 * so that its messages keep name and line. */
int ee_lua_base_format(lua_State *L) {
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
    if (type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA) {
      ee_lua_tostring(L, argument, NULL);
      lua_replace(L, argument);
    }
  }
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

/* Tables --------------------------------------------------------------------------------------- */

int ee_lua_base_setmetatable(lua_State *L) {
  int type = lua_type(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected metatable");
  if (type == LUA_TTABLE) {
    static const char *const refused[] = {"__gc", "__mode", NULL};
    for (const char *const *name = refused; *name != NULL; name++) {
      lua_pushstring(L, *name);
      if (lua_rawget(L, 2) != LUA_TNIL)
        return luaL_error(L, "'%s' is not available: it would depend on when memory is collected", *name);
      lua_pop(L, 1);
    }
  }
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

int ee_lua_base_rawset(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkany(L, 2);
  luaL_checkany(L, 3);
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected table");
  lua_settop(L, 3);
  lua_rawset(L, 1);
  return 1;
}
