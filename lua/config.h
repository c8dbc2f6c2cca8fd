/* config.h: ee.config, what a rule file is told besides its cases.
 */
#ifndef EE_LUA_CONFIG_H
#define EE_LUA_CONFIG_H

#include "data/json/value.h"
#include "lua/state.h"

/* Sets `config` in the table `ee` on top of the stack: plain tables made from `config`, an object, and frozen to the
 * last one; empty where it is NULL. Members that are null are absent, elements that are null are ee.null. Needs the
 * values of `ee` open (values.h). May raise errors of memory. Linear in the nodes. */
void ee_lua_config_open(ee_lua *lua, const ee_value *config);

#endif
