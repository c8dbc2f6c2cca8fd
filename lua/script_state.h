/* script_state.h: a worker's script: a state, and what its functions are told about a call.
 *
 * Layer: lua, between callbacks.c and call_context.c. */
#ifndef EE_LUA_SCRIPT_STATE_H
#define EE_LUA_SCRIPT_STATE_H

#include "judge/script.h"
#include "lua/state.h"

struct ee_script {
  ee_lua *lua;
  const ee_script_place *place; /* of the strategy call under way, else NULL */
  uint64_t case_generation;     /* of the case object in the registry */
  /* Registry references. */
  int context;
  int current_case;
  int options;
  int find; /* string.find */
};

/* Makes the objects that functions are handed; runs inside a protected call. */
void ee_lua_call_context_open(lua_State *L, ee_script *script);

/* Pushes the object `case` { id, expected, candidate, record }: made on first use in a case, and dead after it. */
void ee_lua_push_case(lua_State *L, ee_script *script);
/* Pushes the parts of a score as a table of its own, whose fields are the names; reading another one raises an error.
 */
void ee_lua_push_parts(lua_State *L, const ee_script_number *numbers, size_t count);
/* Pushes the object `context` { path, options, case, item } of a strategy call: one a state. */
void ee_lua_push_call_context(lua_State *L, const ee_script *script);

#endif
