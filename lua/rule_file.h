/* rule_file.h: from the path of a rule file to a plan.
 *
 * Layer: lua. What the command line and the public interface load rules with. */
#ifndef EE_LUA_RULE_FILE_H
#define EE_LUA_RULE_FILE_H

#include "judge/plan.h"
#include "lua/state.h"

typedef struct ee_rule_file ee_rule_file;

typedef struct ee_rule_file_options {
  ee_lua_limits limits;
  ee_lua_parameter *parameters; /* borrowed for as long as the rule file */
  size_t parameter_count;
} ee_rule_file_options;

/* Loads, validates and compiles; every mistake goes to `errors`, sorted by place. NULL when there was any. A parameter
 * that the file never asks for is a mistake too, with a suggestion. Free with ee_rule_file_free(). */
ee_rule_file *ee_rule_file_load(const char *path, const ee_rule_file_options *options, ee_error_list *errors);
void ee_rule_file_free(ee_rule_file *file);

/* The compiled plan; lives as long as `file`. */
const ee_plan *ee_rule_file_plan(const ee_rule_file *file);
/* Writes where function `number` of the tree is defined, "rules/invoice.lua:12", NUL-terminated. */
void ee_rule_file_function_place(const ee_rule_file *file, int number, char *out, size_t size);
/* A further state with the same functions under the same numbers, for a worker. */
ee_lua *ee_rule_file_open_state(const ee_rule_file *file, ee_error *error);

#endif
