/* counted.h: functions of Lua's libraries that can take long without executing an instruction, with counted work.
 *
 * The limit of instructions does not see what a function in C does: string.rep of nothing a million million times,
 * table.insert into a table that says it is longer than it is. These charge their work (base/work.h) and otherwise do
 * what those of Lua do, to the text of the errors. */
#ifndef EE_LUA_COUNTED_H
#define EE_LUA_COUNTED_H

#include <lua.h>

/* Replaces functions in the table on top of the stack, a copy of the library `name` ("string", "table", "utf8",
 * "math" or "_G"), by those that charge. */
void ee_lua_count_library(lua_State *L, const char *name);

/* Charges the elements that a function of Lua goes over. */
void ee_lua_charge(lua_Integer count);

#endif
