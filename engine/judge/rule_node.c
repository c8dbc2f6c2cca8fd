/* rule_node.c: reading the tree of a rule file. */
#include "judge/rule_node.h"

ee_rule_value ee_rule_node_get(const ee_rule_node *node, const char *name) {
  ee_str key = ee_str_from(name);
  for (size_t i = 0; i < node->option_count; i++) {
    if (ee_str_equal(node->options[i].name, key)) return node->options[i].value;
  }
  return (ee_rule_value){.type = EE_RULE_NONE};
}

ee_rule_node ee_rule_table_place(const ee_rule_node *table, const ee_rule_node *node) {
  bool known = table->file != NULL && table->line != 0;
  return (ee_rule_node){.file = known ? table->file : node->file, .line = known ? table->line : node->line};
}

const char *ee_rule_value_describe(const ee_rule_value *value, ee_arena *arena) {
  switch (value->type) {
  case EE_RULE_NONE: return "nothing";
  case EE_RULE_BOOL: return "a boolean";
  case EE_RULE_NUMBER: return "a number";
  case EE_RULE_TEXT: return "a string";
  case EE_RULE_FUNCTION: return "a function";
  case EE_RULE_TABLE: return "a table";
  case EE_RULE_NULL: return "ee.null";
  case EE_RULE_NODE: break;
  }
  /* A project's own strategy has a name of its own; everything else is a member of ee. */
  const ee_rule_node *node = value->node;
  return ee_arena_printf(arena, "%s%.*s", node->definition != NULL ? "" : "ee.", (int)node->kind.length,
                         node->kind.data);
}
