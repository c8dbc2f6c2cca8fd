/* callbacks.h: the vtable of judge/script.h over Lua states.
 */
#ifndef EE_LUA_CALLBACKS_H
#define EE_LUA_CALLBACKS_H

#include "judge/script.h"
#include "lua/state.h"

/* `host` of its open() is an ee_rule_file (rule_file.h). */
extern const ee_script_vtable ee_lua_callbacks;

/* A script over `lua`, for a state that was loaded by other means than open(). It owns the state from here on: closing
 * it frees both, and so does a failure (NULL with `error`). */
ee_script *ee_lua_script_new(ee_lua *lua, ee_error *error);

#endif
