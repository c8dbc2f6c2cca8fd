/* plain_text.h: plain Lua values as text, and back: what a state of ee.summary becomes in the state of a part.
 *
 * Unlike JSON it keeps what Lua tells apart: integers and floats (2 and 2.0), every float, keys of any kind, lists with
 * holes, strings that are not UTF-8. Equal values give equal texts. */
#ifndef EE_LUA_PLAIN_TEXT_H
#define EE_LUA_PLAIN_TEXT_H

#include "base/buffer.h"
#include "lua/state.h"

/* Appends the text, which is UTF-8, of the value at `index`: a boolean, a number, a string, ee.null, or a table of
 * them without metatable. False with the reason ("a function") for anything else, tables nested deeper than 100
 * (cycles), and texts of more than four times the state's memory limit (shared tables are written for each place).
 * Tables are read raw; no Lua code runs. Scratch in lua->arena. */
bool ee_lua_write_plain(ee_lua *lua, int index, ee_buffer *out, const char **why);

/* Pushes the value of such a text; false, with nothing pushed, if it is not one. */
bool ee_lua_read_plain(ee_lua *lua, ee_str text);

#endif
