/* lua_text.h: writes texts and documents as Lua source. */
#ifndef EE_JUDGE_RULE_TEXT_LUA_TEXT_H
#define EE_JUDGE_RULE_TEXT_LUA_TEXT_H

#include "base/buffer.h"
#include "base/printable.h"
#include "data/json/value.h"

/* Appends `text` (any bytes) as a quoted Lua string, with escapes for what is not printable. */
void ee_lua_text_string(ee_buffer *out, ee_str text);

/* Whether `key` can be the name of a variable or a key without quotes. */
bool ee_lua_is_name(ee_str key);

/* Appends `value` as a Lua table constructor or literal, with `indent` spaces before the lines of nested tables.
 * False, with something incomplete appended, if Lua cannot express it: an empty array or object, a null. */
bool ee_lua_text_value(ee_buffer *out, const ee_value *value, size_t indent);

/* Appends `text` as comment lines, each after `indent` spaces and "-- ", broken at spaces where a line would be too
 * long. Its words are printable. */
void ee_lua_text_comment(ee_buffer *out, size_t indent, const char *text);

#endif
