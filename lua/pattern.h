/* pattern.h: Lua's patterns, with counted work: string.find, match, gmatch and gsub of rule files.
 *
 * They do what those of Lua 5.4 do (its manual, 6.4.1), to the text of the errors; tests compare both on random
 * patterns. Those of Lua itself cannot be ended: a pattern that backtracks takes as long as it takes. Here each step is
 * charged (base/work.h), so that the call is given up when its work is used up. */
#ifndef EE_LUA_PATTERN_H
#define EE_LUA_PATTERN_H

#include <lua.h>

/* The functions, for lua_pushcfunction(). */
int ee_lua_find(lua_State *L);
int ee_lua_match(lua_State *L);
int ee_lua_gmatch(lua_State *L);
int ee_lua_gsub(lua_State *L);

#endif
