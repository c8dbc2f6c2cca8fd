/* sandbox.h: what Lua text may see and touch.
 *
 * An allow-list of the standard library, frozen; each file gets its own environment that reads it. Functions that would
 * show addresses, depend on hash order or the clock, or swallow a tripped limit are replaced. */
#ifndef EE_LUA_SANDBOX_H
#define EE_LUA_SANDBOX_H

#include "lua/state.h"

/* Builds the globals. The table `ee` at stack index 1 is one of them; it can be changed until
 * ee_lua_sandbox_close(). */
void ee_lua_sandbox_open(lua_State *L);
/* Freezes `ee` (at stack index 1) and its tables. */
void ee_lua_sandbox_close(lua_State *L);

/* Pushes a new environment for a chunk. Reading an undefined name is an error, and so is assigning to any name. */
void ee_lua_push_environment(lua_State *L);

/* Pops the value on top of the stack and makes it the global `name`. */
void ee_lua_define_global(lua_State *L, const char *name);

/* Replaces the table on top of the stack by a frozen view of it: reads, #, pairs and ipairs work, writes are errors
 * that call it `name`. With `strict`, reading a field that is not there is an error too. */
void ee_lua_freeze(lua_State *L, const char *name, bool strict);

/* If a frozen table is on top of the stack, replaces it by its content, which Lua code must not get, and returns true.
 * Leaves any other value as it is. Needs two free slots. */
bool ee_lua_thaw(lua_State *L);

/* Raises "undefined name 'PREFIX.KEY' (did you mean ...?)" for a `key` missing in the table at `table`. */
int ee_lua_raise_unknown(lua_State *L, int table, const char *prefix, const char *key);

/* The string key of the table at `table` that `key` is probably a misspelling of, or NULL. Valid as long as the table
 * has it. */
const char *ee_lua_suggest(lua_State *L, int table, const char *key);

/* Pushes what tostring returns for the value at `index`, and returns it. Contains no addresses. */
const char *ee_lua_tostring(lua_State *L, int index, size_t *length);

/* Raises an error if a metatable that was watched (ee_lua.watches) has got a field that the sandbox does not allow. A C
 * function for lua_pcall(), without arguments and results. */
int ee_lua_check_watched(lua_State *L);

/* The sandbox's pcall: a tripped limit passes through it. */
int ee_lua_pcall(lua_State *L);
/* The sandbox's pairs: numbers ascending, then strings bytewise, then false and true; honours __pairs. */
int ee_lua_pairs(lua_State *L);

/* Creates the registered metatable `name` for userdata with `methods`, which get `upvalue` (light userdata) as their
 * upvalue 1. Reading any other field raises an error with a suggestion. */
void ee_lua_open_methods(lua_State *L, void *upvalue, const char *name, const luaL_Reg *methods);
/* Defines the global function `name` with the light userdata `upvalue` as its upvalue 1. */
void ee_lua_define_function(lua_State *L, void *upvalue, const char *name, lua_CFunction function);

#endif
