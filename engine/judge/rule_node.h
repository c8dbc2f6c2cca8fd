/* rule_node.h: the tree of a rule file before it is checked.
 *
 * Filled by lua/ from Lua tables, by rule_text/ from YAML or JSON, by outside/agentv.c from a data set, by tests;
 * compiled by plan.h. Owned by the arena that it was built in. */
#ifndef EE_JUDGE_RULE_NODE_H
#define EE_JUDGE_RULE_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

typedef struct ee_rule_node ee_rule_node;

typedef enum ee_rule_value_type {
  EE_RULE_NONE, /* an option that is not given */
  EE_RULE_BOOL,
  EE_RULE_NUMBER,
  EE_RULE_TEXT,
  EE_RULE_FUNCTION, /* a script function, by number (script.h) */
  EE_RULE_TABLE,    /* a plain table: an ee_rule_node without kind */
  EE_RULE_NODE,     /* what a constructor returned: an ee_rule_node with a kind */
  EE_RULE_NULL      /* ee.null */
} ee_rule_value_type;

struct ee_rule_value;

/* Where a value comes from that the user can set: ee.param or ee.config. */
typedef struct ee_rule_parameter {
  ee_str name;                          /* of ee.config: the path */
  const struct ee_rule_value *fallback; /* the default; of type EE_RULE_NONE: none */
  bool of_config;
} ee_rule_parameter;

typedef struct ee_rule_value {
  ee_rule_value_type type;
  bool boolean;
  bool is_integer; /* of a number: written as an integer */
  double number;
  ee_str text;
  int function;
  const ee_rule_node *node;           /* TABLE, NODE */
  const ee_rule_parameter *parameter; /* in a document; else, and for a value that is written, NULL */
  size_t line, column;                /* in a document; 0: not known, the node\'s */
} ee_rule_value;

typedef struct ee_rule_option {
  ee_str name;
  ee_rule_value value;
} ee_rule_option;

/* A node or a plain table. */
struct ee_rule_node {
  ee_str kind;      /* "rules", "fields", "exact", ...; empty for a plain table; a project's own strategy: its name */
  const char *file; /* where the constructor was called */
  size_t line, column;        /* column 0: not known */
  const ee_rule_value *items; /* positional; plain lists inside a node are flattened */
  size_t item_count;
  const ee_rule_option *options; /* named, sorted by name */
  size_t option_count;
  const ee_rule_node *definition;  /* of a project's own strategy: the "strategy" node that defines it; else NULL */
  const struct ee_value *document; /* of a plain table made from a document: that document, frozen; else NULL */
};

/* The option `name`, or a value of type EE_RULE_NONE. */
ee_rule_value ee_rule_node_get(const ee_rule_node *node, const char *name);

/* The place of a table in a node's options, for messages: the node's if the table's own is not known. */
ee_rule_node ee_rule_table_place(const ee_rule_node *table, const ee_rule_node *node);

/* The value for messages: "a string", "a number", "a function", "ee.exact". */
const char *ee_rule_value_describe(const ee_rule_value *value, ee_arena *arena);

#endif
