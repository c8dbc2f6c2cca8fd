/* rule_json.h: rule trees written as JSON.
 *
 * A node is an object with "ee": {"ee": "numeric", "line": 4, "items": ["total"], "tolerance": 0.01}; all members but
 * ee, line and items are its options. An object without "ee" or an array is a plain table, {"function": 3} a function.
 */
#ifndef EE_TESTS_RULE_JSON_H
#define EE_TESTS_RULE_JSON_H

#include "data/json/value.h"
#include "judge/rule_node.h"

/* The node or table that `value` is, in `arena`, which keeps `value` borrowed. One without "line" is at `line`. */
static inline const ee_rule_node *test_rule_node(ee_arena *arena, const ee_value *value, size_t line);

static inline ee_rule_value test_rule_value(ee_arena *arena, const ee_value *value, size_t line) {
  switch (ee_type_of(value)) {
  case EE_FALSE: return (ee_rule_value){.type = EE_RULE_BOOL};
  case EE_TRUE: return (ee_rule_value){.type = EE_RULE_BOOL, .boolean = true};
  case EE_NUMBER: return (ee_rule_value){.type = EE_RULE_NUMBER, .number = ee_value_number(value)};
  case EE_STRING: return (ee_rule_value){.type = EE_RULE_TEXT, .text = ee_value_text(value)};
  case EE_ARRAY: return (ee_rule_value){.type = EE_RULE_TABLE, .node = test_rule_node(arena, value, line)};
  case EE_OBJECT: break;
  default: return (ee_rule_value){.type = EE_RULE_NULL};
  }
  const ee_value *function = ee_value_member(value, EE_STR("function"), NULL);
  if (function != NULL) {
    return (ee_rule_value){.type = EE_RULE_FUNCTION, .function = (int)ee_value_number(function)};
  }
  bool node = ee_value_member(value, EE_STR("ee"), NULL) != NULL;
  return (ee_rule_value){.type = node ? EE_RULE_NODE : EE_RULE_TABLE, .node = test_rule_node(arena, value, line)};
}

static inline void test_rule_items(ee_arena *arena, const ee_value *list, ee_rule_node *node) {
  ee_rule_value *items = EE_NEW_ARRAY(arena, ee_rule_value, ee_value_count(list));
  node->items = items;
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    items[node->item_count++] = test_rule_value(arena, item, node->line);
  }
}

static inline const ee_rule_node *test_rule_node(ee_arena *arena, const ee_value *value, size_t line) {
  ee_rule_node *node = EE_NEW(arena, ee_rule_node);
  node->file = "rules.lua";
  const ee_value *own_line = ee_value_member(value, EE_STR("line"), NULL);
  node->line = own_line != NULL ? (size_t)ee_value_number(own_line) : line;
  if (ee_type_of(value) == EE_ARRAY) {
    test_rule_items(arena, value, node);
    return node;
  }
  ee_rule_option *options = EE_NEW_ARRAY(arena, ee_rule_option, ee_value_count(value));
  node->options = options;
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    ee_str key = ee_value_key(member);
    if (ee_str_is(key, "ee")) {
      node->kind = ee_value_text(member);
    } else if (ee_str_is(key, "items")) {
      test_rule_items(arena, member, node);
    } else if (!ee_str_is(key, "line")) {
      size_t at = node->option_count++;
      for (; at > 0 && ee_str_compare(options[at - 1].name, key) > 0; at--) options[at] = options[at - 1];
      options[at] = (ee_rule_option){key, test_rule_value(arena, member, node->line)};
    }
  }
  return node;
}

#endif
