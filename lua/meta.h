/* meta.h: definitions of the rule language for editors.
 *
 * lua/meta/ee.lua is what this prints; a test fails when it is stale. */
#ifndef EE_LUA_META_H
#define EE_LUA_META_H

#include "base/buffer.h"

/* Appends LuaCATS definitions (the comments that lua-language-server reads) of constructors, their options, primitives
 * and library, from the rows that the load-time checks use. */
void ee_lua_meta_print(ee_buffer *out);

#endif
