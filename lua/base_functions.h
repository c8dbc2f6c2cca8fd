/* base_functions.h: replacements for functions of Lua's standard library that would show addresses, depend on hash
 * order or the clock, or swallow a trip of a limit.
 */
#ifndef EE_LUA_BASE_FUNCTIONS_H
#define EE_LUA_BASE_FUNCTIONS_H

#include <lua.h>

int ee_lua_base_pcall(lua_State *L);
int ee_lua_base_xpcall(lua_State *L);
int ee_lua_base_tostring(lua_State *L);
int ee_lua_base_print(lua_State *L);        /* to stderr */
int ee_lua_base_setmetatable(lua_State *L); /* refuses __gc and __mode */
int ee_lua_base_rawset(lua_State *L);       /* refuses protected tables */
int ee_lua_base_format(lua_State *L);       /* upvalue 1: string.format */
/* pairs: numbers ascending, then texts bytewise, then false and true; honours __pairs. */
int ee_lua_base_pairs(lua_State *L);
/* table.sort: stable, and the same whatever the comparison function answers. */
int ee_lua_base_sort(lua_State *L);

#endif
