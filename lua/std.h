/* std.h: Lua text that is part of the library (lua/std/NAME.lua), embedded at build time.
 */
#ifndef EE_LUA_STD_H
#define EE_LUA_STD_H

#include <stddef.h>

typedef struct ee_lua_std_entry {
  const char *name; /* without ending; NULL ends the table */
  const char *text;
  size_t length;
} ee_lua_std_entry;
extern const ee_lua_std_entry ee_lua_std[];

#endif
