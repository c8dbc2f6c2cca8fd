/* scratch.h: working memory of C functions that Lua calls.
 *
 * It belongs to the state and is freed with it, so that a Lua error that jumps out of a function leaks
 * nothing. */
#ifndef EE_LUA_SCRATCH_H
#define EE_LUA_SCRATCH_H

#include <lua.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "data/json/path.h"

/* Creates the state's scratch memory. */
void ee_lua_scratch_open(lua_State *L);

/* The state's arena, reset: what an earlier call put there is gone. */
ee_arena *ee_lua_scratch_arena(lua_State *L);
/* The state's buffer, cleared. */
ee_buffer *ee_lua_scratch_buffer(lua_State *L);
/* `text` parsed as a path; NULL with `error`. Remembered by text, so that a path in a rule is parsed once a state.
 * Valid until the next call. */
const ee_path *ee_lua_scratch_path(lua_State *L, ee_str text, ee_error *error);

#endif
