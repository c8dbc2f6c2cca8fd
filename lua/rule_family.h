/* rule_family.h: a rule file and those that it loads as judges of its own (ee.code_judge).
 *
 * c and the rule tests. The family owns the files inside; a file with the same
 * config is loaded once, however many judges name it. */
#ifndef EE_LUA_RULE_FAMILY_H
#define EE_LUA_RULE_FAMILY_H

#include "lua/rule_file.h"

typedef struct ee_rule_family ee_rule_family;

/* A rule file that is being loaded, and the one that it is loaded for. */
typedef struct ee_rule_link {
  ee_rule_family *family;
  const char *path;                 /* of the file */
  const struct ee_rule_link *outer; /* NULL: the outermost */
} ee_rule_link;

/* `options` give limits and parameters, for all files; nothing of them is kept but what they point to. */
ee_rule_family *ee_rule_family_new(const ee_rule_file_options *options);
/* Frees the files too; NULL is allowed. */
void ee_rule_family_free(ee_rule_family *family);

/* What ee_plan_compile_with() loads rule files with while `link` is compiled; `link` must stay where it is. */
ee_rules_loader ee_rule_family_loader(ee_rule_link *link);

/* Remembers the names that the file of `lua` asked ee.param for. */
void ee_rule_family_note_parameters(ee_rule_family *family, const ee_lua *lua);
/* Adds a mistake for each parameter that no file asked for; where a file inside did not load, nobody can know. */
void ee_rule_family_check_parameters(const ee_rule_family *family, ee_error_list *errors);

/* rule_file.c: loads one file of the family; the outermost one sees to parameters. */
ee_rule_file *ee_rule_file_load_inside(const ee_rule_link *link, const ee_rule_file_options *options,
                                       ee_error_list *errors);

#endif
