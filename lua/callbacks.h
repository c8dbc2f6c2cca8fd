/* callbacks.h: the vtable of judge/script.h, implemented with Lua states. */
#ifndef EE_LUA_CALLBACKS_H
#define EE_LUA_CALLBACKS_H

#include "judge/script.h"
#include "lua/state.h"

/* `host` of its open() is an ee_rule_file (rule_file.h). */
extern const ee_script_vtable ee_lua_callbacks;

/* A script for a state that is already loaded. It takes ownership of `lua`: closing it frees both. NULL with `error` on
 * failure, which frees `lua`, too. */
ee_script *ee_lua_script_new(ee_lua *lua, ee_error *error);

#endif
