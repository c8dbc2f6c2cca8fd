/* habits.h: Python and JavaScript habits in Lua rule files, and what to write instead.
 *
 * Works on the text of a rule file, without running it. Hints are added to errors of Lua; pitfalls are warnings of
 * `evalengine check`, about code that loads but does not do what was meant. */
#ifndef EE_LUA_HABITS_H
#define EE_LUA_HABITS_H

#include "base/error.h"
#include "base/str.h"

/* A hint for a syntax error that Lua reports in `line` of `text` with `message` ("'}' expected near 'x'"), such as
 * "write tolerance = 1, not tolerance: 1", in `arena` or static; NULL if no hint is known. */
const char *ee_lua_syntax_hint(ee_str text, size_t line, const char *message, ee_arena *arena);

/* What to write instead of the undefined global `name`: "false" for "False"; NULL if nothing is known. Static. */
const char *ee_lua_name_hint(const char *name);

/* Adds a warning (status EE_OK, with `file` and line) for each pitfall in `text`, inside functions:
 * - type(v) == "table", which is false for the objects and arrays of a document;
 * - pairs(case.a) and ipairs(case.a) of a function's parameter, which raise an error where the value is missing. */
void ee_lua_find_pitfalls(ee_str text, const char *file, ee_error_list *warnings);

#endif
