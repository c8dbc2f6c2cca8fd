/* read_rules.h: the constructors of a rule file, and the rule nodes made from what they recorded. */
#ifndef EE_LUA_READ_RULES_H
#define EE_LUA_READ_RULES_H

#include "judge/rule_node.h"
#include "lua/state.h"

/* Adds the constructors to the table `ee` on top of the stack: rules, gate, strategy, and one for each judge and
 * strategy. */
void ee_lua_constructors_open(ee_lua *lua);

/* Pops the value that the rule file returned and converts it to a tree of nodes in `arena`. Functions get numbers in
 * the order of the tree (positional values first, then options by name) and stay in the registry. Mistakes (holes in
 * lists, mixed keys, a node that is called, unknown constructors, a file that does not return ee.rules) are added to
 * `errors`. NULL when there is no tree at all. */
const ee_rule_node *ee_lua_read_rules(ee_lua *lua, ee_arena *arena, const char *file, ee_error_list *errors);

/* Pops the array that a file returned, and converts its elements, what modules returned: each must be a rule, a
 * strategy of ee.strategy, or an array of them. `*values` are nodes in `arena`, `*count` of them; functions get numbers
 * as in ee_lua_read_rules(). Mistakes are added to `errors` at `lines`, one for each element. */
void ee_lua_read_modules(ee_lua *lua, ee_arena *arena, const char *file, const size_t *lines,
                         const ee_rule_value **values, size_t *count, ee_error_list *errors);

/* Pushes function `number`. */
void ee_lua_push_function(ee_lua *lua, int number);

/* Raises "WHO takes ee.rules { ... }, got ..." unless the value at `index` is what ee.rules returned. A node whose
 * constructor has already recorded a mistake passes. */
void ee_lua_check_rules(lua_State *L, int index, const char *who);

/* NULL when `pattern` is a well-formed Lua pattern, else what is wrong (static text). Lua itself finds a mistake only
 * when matching gets to it; rule files are checked when they load. */
const char *ee_lua_pattern_check(ee_str pattern);

#endif
