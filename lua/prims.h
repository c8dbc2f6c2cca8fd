/* prims.h: the C primitives in Lua, under the names of the C functions. */
#ifndef EE_LUA_PRIMS_H
#define EE_LUA_PRIMS_H

#include "lua/state.h"

/* The row of a primitive: the only place in Lua that names it. */
typedef struct ee_lua_prim {
  const char *name; /* as in ee.prim.NAME */
  lua_CFunction function;
  const char *signature; /* "(a: string, b: string, limit: integer?) -> integer", for --help-on and the meta file */
  const char *help;      /* one line, with units and range */
  const char *example;   /* arguments of a call, and */
  const char *gives;     /* what ee.json prints of its first result */
} ee_lua_prim;
extern const ee_lua_prim ee_lua_prims[]; /* ended by a NULL name */

/* Sets ee.prim in the table on top of the stack. */
void ee_lua_prims_open(ee_lua *lua);

#endif
