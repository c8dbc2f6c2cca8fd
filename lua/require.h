/* require.h: parts of rule files in files of their own, and parameters of the command line.
 *
 * Layer: lua. */
#ifndef EE_LUA_REQUIRE_H
#define EE_LUA_REQUIRE_H

#include "lua/state.h"

/* Defines the global `require` and ee.param in the table `ee` on top of the stack. */
void ee_lua_require_open(lua_State *L);

/* Adds a mistake for each parameter that was never asked for. */
void ee_lua_check_parameters(const ee_lua *lua, ee_error_list *errors);

#endif
