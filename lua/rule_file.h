/* rule_file.h: from the path of a rule file to a plan. */
#ifndef EE_LUA_RULE_FILE_H
#define EE_LUA_RULE_FILE_H

#include "data/files/case_file.h"
#include "judge/plan.h"
#include "lua/state.h"

typedef struct ee_rule_file ee_rule_file;

/* How rules are written. */
typedef enum ee_rule_form {
  EE_RULES_BY_NAME, /* a document where the path ends in .yaml, .yml or .json, else Lua */
  EE_RULES_LUA,
  EE_RULES_DOCUMENT /* YAML or JSON (judge/rule_text/rule_document.h) */
} ee_rule_form;

typedef struct ee_rule_file_options {
  ee_lua_limits limits;
  ee_lua_parameter *parameters; /* borrowed for as long as the rule file */
  size_t parameter_count;
  ee_record_paths paths; /* where records have their parts, instead of what the rules say; empty lists: as they say */
  ee_str text; /* the rule file's text, borrowed for as long as the rule file; data NULL: it is read from its path */
  ee_rule_form form; /* of that file or text; rule files that its judges name are read by their names */
  /* Who may run programs (ee.exec): rule files may; data sets, and rule files that these name, only if it is allowed;
   * with the reason `no_programs` as ee_rules_loader has it, nobody. */
  bool allow_programs;
  const char *no_programs; /* NULL: the above; borrowed */
  ee_error_list *left_out; /* of a document: takes what needs a function, which is left out; NULL: that is a mistake */
  bool asks_models;        /* evaluators of a data set may ask a model; what a rule file says it may ask anyway */
  bool repair;             /* repair candidates, whatever the rules say */
  bool two_truths;         /* both documents are expected values, as ee_rules_loader has it */
  const char *cluster;     /* the path of clusters, instead of what the rules say; NULL: as they say */
  double confidence;       /* of intervals, the same; 0: as they say */
  const ee_value *config;  /* what ee.config gives, an object; borrowed for as long as the rule file; NULL: {} */
} ee_rule_file_options;

/* Loads, validates and compiles Lua, or a YAML or JSON document of rules. All mistakes are added to `errors`, sorted by
 * place; NULL when there are any. A parameter that no file asks for (neither this one nor one that its judges load) is
 * a mistake. Free with ee_rule_file_free(), which also frees the files that its judges have loaded. */
ee_rule_file *ee_rule_file_load(const char *path, const ee_rule_file_options *options, ee_error_list *errors);
void ee_rule_file_free(ee_rule_file *file);

/* The rules of a YAML data set that has evaluators (judge/outside/agentv.h). Rule files that it names are loaded from
 * the data set's folder. Skipped evaluators are warnings of the plan; when there are mistakes, the warnings are in
 * `errors`, too (status EE_OK). `cases` must outlive the result. */
ee_rule_file *ee_rule_file_of_cases(const ee_case_file *cases, const ee_rule_file_options *options,
                                    ee_error_list *errors);

/* The tree of the rules as it was read; lives as long as `file`. */
const ee_rule_node *ee_rule_file_tree(const ee_rule_file *file);
/* Appends the rules as Lua or as a YAML document (judge/rule_text/rule_writer.h), which reads back as the same tree. Of
 * a rule file in Lua the values of ee.param are written as they are, which a comment says. False with `error`. */
bool ee_rule_file_write(const ee_rule_file *file, ee_rule_form form, ee_buffer *out, ee_error *error);
/* The compiled plan; lives as long as `file`. */
const ee_plan *ee_rule_file_plan(const ee_rule_file *file);
/* Reads a gate of the command line (ee_gate_parse()), whose slice is added to the plan: before anything is judged. */
bool ee_rule_file_parse_gate(ee_rule_file *file, const char *text, double confidence, ee_gate *gate, ee_error *error);
/* Writes where function `number` of the tree is defined, "rules/invoice.lua:12", NUL-terminated. */
void ee_rule_file_function_place(const ee_rule_file *file, int number, char *out, size_t size);
/* A new state for a worker, with the same functions under the same numbers (none for the rules of a data set, and only
 * those of its modules for a document). */
ee_lua *ee_rule_file_open_state(const ee_rule_file *file, ee_error *error);

/* Rule files that judges of a rule file load (ee.code_judge). A family owns them and loads a file once for each config,
 * however many judges name it. Only rule tests, which compile rules without a file, make a family themselves. */
typedef struct ee_rule_family ee_rule_family;

/* A rule file that is being loaded, and the one that names it. */
typedef struct ee_rule_link {
  ee_rule_family *family;
  const char *path;
  const struct ee_rule_link *outer; /* NULL: the outermost */
} ee_rule_link;

/* `options` give limits and parameters for all files; what they point to must outlive the family. */
ee_rule_family *ee_rule_family_new(const ee_rule_file_options *options);
/* Frees the files too; NULL is allowed. */
void ee_rule_family_free(ee_rule_family *family);
/* Loads rule files for ee_plan_compile_with() while `link` is compiled; `link` must stay where it is. */
ee_rules_loader ee_rule_family_loader(ee_rule_link *link);

#endif
