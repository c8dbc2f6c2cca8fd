/* ask.h: ee.ask and ee.fence: a judge function that asks the provider's model. */
#ifndef EE_LUA_ASK_H
#define EE_LUA_ASK_H

#include "lua/state.h"

/* Adds the functions to the table on top of the stack. */
void ee_lua_ask_open(lua_State *L);

#endif
