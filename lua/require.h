/* require.h: parts of rule files in files of their own, and parameters of the command line.
 */
#ifndef EE_LUA_REQUIRE_H
#define EE_LUA_REQUIRE_H

#include "lua/state.h"

/* Defines the global `require` and ee.param in the table `ee` on top of the stack. */
void ee_lua_require_open(lua_State *L);

/* Adds a mistake for each of the `count` parameters that was never asked for; `asked` are the names that were, ended by
 * NULL. */
void ee_lua_check_parameters(const char *const *asked, const ee_lua_parameter *parameters, size_t count,
                             ee_error_list *errors);

#endif
