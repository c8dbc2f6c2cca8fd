/* rule_writer.h: writes a tree of rules as the text of a rule file, in Lua or as a YAML document (rule_document.h).
 *
 * What is written reads back as the same tree, apart from places, or the writer fails; ee_rule_tree_equal() says so.
 * The comments of the source and the names of its local variables are not in the tree, and so are not written. */
#ifndef EE_JUDGE_RULE_TEXT_RULE_WRITER_H
#define EE_JUDGE_RULE_TEXT_RULE_WRITER_H

#include "base/buffer.h"
#include "base/list.h"
#include "judge/rule_node.h"

typedef struct ee_rule_text {
  const ee_rule_node *root;
  /* Folders where require() looks for files, in its order, without a slash at the end; NULL-terminated. */
  const char *const *folders;
  const ee_error_list *left_out; /* entries that are not in the tree (comments say so); NULL: none */
} ee_rule_text;

/* Appends the rule file. False with `error` (file and line of the node) for what cannot be written: of YAML a function,
 * a strategy that the rule file itself defines, values in an order that a document does not have. `arena` is for
 * working memory. */
bool ee_rules_write_lua(const ee_rule_text *text, ee_arena *arena, ee_buffer *out, ee_error *error);
bool ee_rules_write_yaml(const ee_rule_text *text, ee_arena *arena, ee_buffer *out, ee_error *error);

/* Whether two trees are the same except for their places: strategies of a project's own by their names, functions by
 * being functions, plain data by its JSON value. */
bool ee_rule_tree_equal(const ee_rule_node *a, const ee_rule_node *b, ee_arena *arena);

/* The options of a node in the order in which they are written: as in the document, or else `name` first and the others
 * as the constructor's rows list them. An array in `arena`, without those that are not given; `*count` of them. */
const ee_rule_option **ee_rule_options_in_order(const ee_rule_node *node, ee_arena *arena, size_t *count);

/* Whether the node's constructor has an option `name`. */
bool ee_rule_node_has_option(const ee_rule_node *node, const char *name);

/* For the two writers: ------------------------------------------------------------------------------ */

/* A project's own strategy that the tree uses, and its module. */
typedef struct ee_used_strategy {
  ee_str name;
  const ee_rule_node *definition;
  const char *module; /* NULL: it has none */
} ee_used_strategy;

typedef struct ee_used_modules {
  struct {
    EE_LIST(ee_used_strategy);
  } strategies; /* in the order of the tree, each once */
  struct {
    EE_LIST(const char *);
  } rules; /* modules whose rules the root has, each once */
} ee_used_modules;

/* Finds both. */
void ee_used_modules_find(const ee_rule_text *text, ee_arena *arena, ee_used_modules *used);

/* Whether an entry of the root comes from a module, as rules with functions do in a document; its module, or NULL. */
const char *ee_rule_entry_module(const ee_rule_text *text, const ee_rule_value *entry, ee_arena *arena);

#endif
