/* dsl.h: the constructors of a rule file, and the tree they record.
 *
 * A constructor only records kind, arguments, file and line; ee_lua_read_rules() turns the tree into specs. */
#ifndef EE_LUA_DSL_H
#define EE_LUA_DSL_H

#include "judge/rule_node.h"
#include "lua/state.h"

/* Adds the constructors to the table `ee` on top of the stack: rules, fields, line_items, judge, gate, strategy, and
 * one a strategy row. */
void ee_lua_dsl_open(ee_lua *lua);

/* Turns the value at the top of the stack (what the rule file returned) into a tree in `arena`. Functions are numbered
 * in the order of the tree (positional values first, then options by name) and kept in the registry for callbacks.h.
 * Mistakes of the Lua side (holes in lists, mixed keys, a node called like a function, unknown constructors, a file
 * that returns no ee.rules) are added to `errors`. NULL when there is no tree at all. */
const ee_rule_node *ee_lua_read_rules(ee_lua *lua, ee_arena *arena, const char *file, ee_error_list *errors);

/* Pushes function `number`. */
void ee_lua_push_function(ee_lua *lua, int number);

#endif
