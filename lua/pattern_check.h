/* pattern_check.h: whether a text is a Lua pattern.
 *
 * Lua finds a mistake only when matching comes to it; a rule file's patterns are checked when it loads. */
#ifndef EE_LUA_PATTERN_CHECK_H
#define EE_LUA_PATTERN_CHECK_H

#include "base/str.h"

/* NULL when `pattern` is well formed, else what is wrong (static text). */
const char *ee_lua_pattern_check(ee_str pattern);

#endif
