/* rule_node.h: what a rule file said, before anything was checked.
 *
 * A neutral tree that lua/ fills from Lua tables (and tests, or another front end, fill by hand); plan.h
 * compiles it. Everything is owned by the arena it was built in. */
#ifndef EE_JUDGE_RULE_NODE_H
#define EE_JUDGE_RULE_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

typedef struct ee_rule_node ee_rule_node;

typedef enum ee_rule_value_type {
  EE_RULE_NONE, /* an option that is not there */
  EE_RULE_BOOL,
  EE_RULE_NUMBER,
  EE_RULE_TEXT,
  EE_RULE_FUNCTION, /* a script function, by its number (script.h) */
  EE_RULE_TABLE,    /* a plain table: an ee_rule_node without kind */
  EE_RULE_NODE,     /* what a constructor returned: an ee_rule_node with a kind */
  EE_RULE_NULL      /* ee.null */
} ee_rule_value_type;

typedef struct ee_rule_value {
  ee_rule_value_type type;
  bool boolean;
  bool is_integer; /* of a number: it was written as a whole number */
  double number;
  ee_str text;
  int function;
  const ee_rule_node *node; /* TABLE, NODE */
} ee_rule_value;

typedef struct ee_rule_option {
  ee_str name;
  ee_rule_value value;
} ee_rule_option;

/* A node or a plain table. */
struct ee_rule_node {
  ee_str kind;      /* "rules", "fields", "exact", ...; empty for a plain table; a project's own strategy: its name */
  const char *file; /* where the constructor was called */
  size_t line;
  const ee_rule_value *items; /* positional, plain lists inside a node's list already flattened */
  size_t item_count;
  const ee_rule_option *options; /* named, sorted by name */
  size_t option_count;
  const ee_rule_node
      *definition; /* of a node whose kind is a project's own strategy: the "strategy" node that made it */
  const struct ee_value
      *document; /* of a plain table that was made of a document: that itself, frozen; NULL otherwise */
};

/* The option called `name`, or a value of type EE_RULE_NONE. */
ee_rule_value ee_rule_node_get(const ee_rule_node *node, const char *name);

/* "a string", "a number", "a function", "ee.exact", ...: how a message names a value. */
const char *ee_rule_value_describe(const ee_rule_value *value, ee_arena *arena);

#endif
