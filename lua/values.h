/* values.h: JSON values in Lua, and back.
 *
 * Objects and arrays become proxies: full userdata that point into the case's documents. Scalars are copied; null is
 * the constant ee.null. Using a proxy after its case has ended raises an error. */
#ifndef EE_LUA_VALUES_H
#define EE_LUA_VALUES_H

#include "base/arena.h"
#include "base/buffer.h"
#include "data/json/value.h"
#include "lua/state.h"

/* Creates the proxies' metatable, and ee.null, ee.get, ee.each, ee.is_empty, ee.copy, ee.json, ee.type, ee.source,
 * ee.parse and ee.array in the table `ee` on top of the stack. */
void ee_lua_values_open(ee_lua *lua);

/* Pushes `value`: NULL as nil, null as ee.null, whole numbers up to 2^63 as integers, strings with every byte. */
void ee_lua_push_value(ee_lua *lua, const ee_value *value);

/* How an object is seen that has more to read than its members. */
typedef struct ee_lua_view {
  /* Pushes the value of a name that is not a member, or raises an error. NULL: pushes nil. */
  void (*push_missing)(ee_lua *lua, const ee_value *object, ee_str name);
  void (*push_member)(ee_lua *lua, const ee_value *member); /* NULL: ee_lua_push_value() */
} ee_lua_view;
/* Pushes an object seen through `view`, which must outlive the state. */
void ee_lua_push_view(ee_lua *lua, const ee_value *object, const ee_lua_view *view);

/* Pushes a copy of `value` as plain tables. */
void ee_lua_push_copy(ee_lua *lua, const ee_value *value);

/* Appends the value as JSON, its numbers as they are written in their source: 1.50, 1e3. Recursion is bounded by the
 * reader's nesting limit. */
void ee_lua_write_source(ee_buffer *out, const ee_value *value);

/* "a table", "an array", "nothing": how messages name the value at `index`. */
const char *ee_lua_describe(ee_lua *lua, int index);

/* Ends the values of the current case: using one later is an error. Does not raise. */
void ee_lua_values_end(ee_lua *lua);

/* Converts the Lua value at `index` to a JSON value. A proxy gives its document's value, anything else a new one in
 * `arena`: a table with keys 1..n an array, one with string keys an object (keys sorted), an empty table an empty
 * object, a table of ee.array an array. A proxy inside a table gets a new node that shares its children with the
 * document. nil gives NULL with *why NULL. NULL with the reason in *why (static text) for functions, other userdata,
 * mixed keys, NaN, infinity, invalid UTF-8, nesting deeper than 100 (cycles) and trees of more than four times the
 * state's memory limit (shared tables). Tables are read raw; no Lua code runs. */
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
