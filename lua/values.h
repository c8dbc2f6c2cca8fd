/* values.h: JSON values in Lua, and back.
 *
 * Objects and arrays are lazy proxies: full userdata that point into the case's documents; scalars are
 * copied. null is the constant ee.null. A proxy that is used after its case ended raises an error that says so. */
#ifndef EE_LUA_VALUES_H
#define EE_LUA_VALUES_H

#include "base/arena.h"
#include "base/buffer.h"
#include "data/json/value.h"
#include "lua/state.h"

/* Creates the proxies' metatable and the value functions of `ee`, which is the table on top of the stack: ee.null,
 * ee.get, ee.each, ee.is_empty, ee.copy, ee.json (text of a value), ee.type (JSON's name of its type). */
void ee_lua_values_open(ee_lua *lua);

/* Pushes `value`: NULL as nil, null as ee.null, whole numbers up to 2^63 as integers, strings with every byte. */
void ee_lua_push_value(ee_lua *lua, const ee_value *value);

/* The value that a Lua value at `index` means, new in `arena` where it is no proxy: nil gives NULL with *why NULL; a
 * table with the keys 1..n an array, with text keys an object (keys sorted), an empty table an empty object; functions,
 * userdata of others, mixed keys, NaN, infinity, invalid UTF-8, nesting deeper than 100 (cycles) and trees of more than
 * four times the state's memory (shared tables) give NULL and *why, a static text. Tables are read raw: no Lua runs. A
 * proxy inside a table gets a new node, what is below it is shared with its document. */
const ee_value *ee_lua_to_value(ee_lua *lua, int index, ee_arena *arena, const char **why);

/* True when the value at `index` is ee.null. */
bool ee_lua_is_null(lua_State *L, int index);

/* Working memory of C functions that Lua calls. It belongs to the state, so that a Lua error that jumps out of a
 * function leaks nothing. */

/* The state's arena, reset: it invalidates what an earlier call put there. */
ee_arena *ee_lua_scratch_arena(lua_State *L);
/* The state's buffer, cleared. */
ee_buffer *ee_lua_scratch_buffer(lua_State *L);

#endif
