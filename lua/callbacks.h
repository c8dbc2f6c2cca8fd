/* callbacks.h: the vtable of judge/script.h over Lua states.
 *
 * Layer: lua. */
#ifndef EE_LUA_CALLBACKS_H
#define EE_LUA_CALLBACKS_H

#include "judge/script.h"

/* `host` of its open() is an ee_rule_file (rule_file.h). */
extern const ee_script_vtable ee_lua_callbacks;

#endif
