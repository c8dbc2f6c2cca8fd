/* read_rules.h: the constructors of a rule file, and the rule nodes made from what they recorded. */
#ifndef EE_LUA_READ_RULES_H
#define EE_LUA_READ_RULES_H

#include "judge/rule_node.h"
#include "lua/state.h"

/* Adds the constructors to the table `ee` on top of the stack: rules, fields, line_items, judge, gate, strategy, and
 * one a strategy row. */
void ee_lua_constructors_open(ee_lua *lua);

/* Turns the value at the top of the stack (what the rule file returned) into a tree in `arena`. Functions are numbered
 * in the order of the tree (positional values first, then options by name) and kept in the registry for callbacks.h.
 * Mistakes of the Lua side (holes in lists, mixed keys, a node called like a function, unknown constructors, a file
 * that returns no ee.rules) are added to `errors`. NULL when there is no tree at all. */
const ee_rule_node *ee_lua_read_rules(ee_lua *lua, ee_arena *arena, const char *file, ee_error_list *errors);

/* Pushes function `number`. */
void ee_lua_push_function(ee_lua *lua, int number);

/* Raises "WHO takes ee.rules { ... }, got ..." unless the value at `index` is what ee.rules returned. A node whose
 * constructor has already recorded a mistake passes. */
void ee_lua_check_rules(lua_State *L, int index, const char *who);

/* NULL when `pattern` is a well-formed Lua pattern, else what is wrong (static text). Lua itself finds a mistake only
 * when matching gets to it; rule files are checked when they load. */
const char *ee_lua_pattern_check(ee_str pattern);

#endif
