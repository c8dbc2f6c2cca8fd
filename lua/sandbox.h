/* sandbox.h: what Lua text may see and touch.
 *
 * An allow-list of the standard library, frozen; every file has an environment of its own that reads it. */
#ifndef EE_LUA_SANDBOX_H
#define EE_LUA_SANDBOX_H

#include "lua/state.h"

/* Builds the globals. The table `ee` at stack index 1 is one of them; it stays open until ee_lua_sandbox_close(). */
void ee_lua_sandbox_open(lua_State *L);
/* Freezes `ee` (at stack index 1) and the tables in it. */
void ee_lua_sandbox_close(lua_State *L);

/* Pushes a new environment: reading an undefined name and assigning to any are errors. */
void ee_lua_push_environment(lua_State *L);

/* Makes the value on top of the stack (popped) a global called `name`. */
void ee_lua_define_global(lua_State *L, const char *name);

/* Replaces the table on top of the stack by a frozen view of it: reads, #, pairs and ipairs work, writes are errors
 * that call it `name`. With `strict`, reading a field that is not there is an error too. */
void ee_lua_freeze(lua_State *L, const char *name, bool strict);

/* Replaces a frozen table on top of the stack by the table behind it, which only C may see, and returns true; leaves
 * anything else as it is. Needs two free slots. */
bool ee_lua_thaw(lua_State *L);

/* Raises "undefined name 'PREFIX.KEY' (did you mean ...?)" for `key` that the table at `table` lacks. */
int ee_lua_raise_unknown(lua_State *L, int table, const char *prefix, const char *key);

/* The text key of the table at `table` that `key` was probably meant to be, or NULL; it lives as long as the table
 * holds it. */
const char *ee_lua_suggest(lua_State *L, int table, const char *key);

/* Pushes the text of the value at `index`, as tostring gives it, and returns it: never an address. */
const char *ee_lua_tostring(lua_State *L, int index, size_t *length);

#endif
