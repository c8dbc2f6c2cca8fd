/* schema_check.h: ee.schema.check(schema, value) in Lua.
 *
 * A state keeps the schemas that it compiled last, by their content: a schema in a rule file is compiled once. */
#ifndef EE_LUA_SCHEMA_CHECK_H
#define EE_LUA_SCHEMA_CHECK_H

#include "lua/state.h"

/* Replaces the constructor ee.schema in the table `ee` on top of the stack by one that has a field `check`: a function
 * of a schema (a table or value of a document, true or false; the draft is 2020-12 unless $schema says otherwise;
 * references lead to parts of it only) and a value (nil: missing), which returns true, or false and at most 50
 * violations { path, message, keyword }, JSON Pointers into the value and the schema. A bad schema raises an error. */
void ee_lua_schema_check_open(lua_State *L);

#endif
