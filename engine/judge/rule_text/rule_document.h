/* rule_document.h: rules that are written as a YAML or JSON document, as the tree of a rule file.
 *
 * The document is an object with `rules`, an array, and the options of ee.rules beside it. An entry is an object with
 * one member, whose key names a constructor as Lua has it in ee.NAME:
 *
 *   exact: total                                   ee.exact "total"
 *   numeric: { path: total, tolerance: 0.01 }      ee.numeric { "total", tolerance = 0.01 }
 *   any_of: [gross, net]                           ee.any_of { "gross", "net" }
 *   fields: { name: header, fields: [...] }        ee.fields { name = "header", ... }
 *
 * `path` holds the positional values that come first (a string, or an array of them), `fields` the further ones, unless
 * the constructor has an option of that name. A table of options (`match`) is read in the same way; one whose keys are
 * paths of the data (`strategies`) has its keys as they are, and strategies as values. The name of a provider is
 * `name`, the method of arrays in ee.tree is `method`. Arrays inside arrays are flattened, as tables are in Lua, except
 * in plain data (the `config` of a program, a schema). null is ee.null.
 *
 * { param: [threshold, 0.85] } stands for ee.param("threshold", 0.85), { config: a.b } for ee.config.a.b.
 *
 * `require` lists Lua files by the names that require() takes: a strategy that one returns is a constructor by its own
 * name, and other rules that they return are added to `rules`. Keys that begin with "x-" are ignored, so that anchors
 * have a place, and so is "$schema". */
#ifndef EE_JUDGE_RULE_TEXT_RULE_DOCUMENT_H
#define EE_JUDGE_RULE_TEXT_RULE_DOCUMENT_H

#include "data/json/value.h"
#include "judge/compile.h"
#include "judge/rule_node.h"

/* A module of `require`, and its place. */
typedef struct ee_rule_module {
  ee_str name; /* letters, digits, '_' and '-' in parts between single dots; NUL-terminated */
  size_t line, column;
} ee_rule_module;

/* What the reader leaves to the program around it. */
typedef struct ee_rule_host {
  void *user;
  const ee_value *config; /* for { config: PATH }; NULL: {} */
  /* The parameter `name`, whose default is `value` (a string, a number, a boolean, or EE_RULE_NONE): sets `*value`
   * where the user gives another one. False with a message. */
  bool (*parameter)(void *user, ee_str name, ee_rule_value *value, ee_arena *arena, ee_error *error);
  /* Loads `modules` in order and sets `*values` to what they return, `*count` of them, in the arena. False with
   * errors. */
  bool (*require)(void *user, const ee_rule_module *modules, size_t module_count, const ee_rule_value **values,
                  size_t *count, ee_error_list *errors);
  /* Where entries and options that need a function are reported, in place of the errors, when they are to be left out;
   * NULL: they are mistakes. */
  ee_error_list *left_out;
  /* NULL when `pattern` is well-formed, else what is wrong (static text). */
  const char *(*check_pattern)(ee_str pattern);
} ee_rule_host;

/* The limits of one document, as of a Lua rule file. */
#define EE_RULE_DEPTH 100
#define EE_RULE_VALUES ((size_t)1000000)

/* Reads the document `text`, YAML or JSON, into a "rules" node in `arena`; nodes and options have line and column.
 * `file` names it and is kept. Mistakes go to `errors`: broken YAML, an unknown constructor (with a suggestion), what
 * needs a function. After a mistake the tree may be compiled to find further ones. NULL when there is no tree. Bounds:
 * those of ee_yaml_read() and the two above. */
const ee_rule_node *ee_rule_document_read(ee_arena *arena, const char *file, ee_str text, const ee_rule_host *host,
                                          ee_error_list *errors);

/* Whether a file of this name is read as a document: it ends in .yaml, .yml or .json. */
bool ee_is_rule_document_name(const char *file);
/* Whether the text of a file is rules: an object with `rules`. YAML (`yaml`): and no array of cases (case_file.h);
 * JSON: and no key that is not one of the rules' or almost so, since other JSON is data. Looks at the keys only and
 * stops at the end of the first value; the text may be broken. */
bool ee_is_rule_document_text(ee_str text, bool yaml);
/* The same for a file, by its name and its text; not for what is not there, is no regular file, is larger than 16 MiB
 * or cannot be unpacked. Fails with EE_ERROR_SYSTEM if the system does not let it be read, and then nobody knows. */
ee_status ee_is_rule_document_file(const char *file, bool *is_document, ee_error *error);

#endif
