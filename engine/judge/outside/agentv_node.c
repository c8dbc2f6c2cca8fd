/* agentv_node.c: values and options of an evaluator of a YAML data set, checked and turned into those of a node. */
#include "judge/outside/agentv_node.h"

#include <math.h>
#include <stdlib.h>

/* Values --------------------------------------------------------------------------------------- */

static int compare_options(const void *left, const void *right) {
  return ee_str_compare(((const ee_rule_option *)left)->name, ((const ee_rule_option *)right)->name);
}

/* Members that are null are as if they were not there. */
static const ee_rule_node *table_of(ee_agentv_builder *builder, const ee_value *value) {
  ee_rule_node *node = EE_NEW(builder->arena, ee_rule_node);
  node->file = builder->file->name;
  node->line = ee_case_file_place(builder->file, value).line;
  size_t count = ee_value_count(value);
  if (ee_type_of(value) == EE_ARRAY) {
    ee_rule_value *items = EE_NEW_ARRAY(builder->arena, ee_rule_value, count);
    node->items = items;
    for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item))
      items[node->item_count++] = ee_agentv_value(builder, item);
    return node;
  }
  ee_rule_option *options = EE_NEW_ARRAY(builder->arena, ee_rule_option, count);
  node->options = options;
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL) continue;
    options[node->option_count++] = (ee_rule_option){ee_value_key(member), ee_agentv_value(builder, member)};
  }
  if (node->option_count > 0) qsort(options, node->option_count, sizeof *options, compare_options);
  return node;
}

ee_rule_value ee_agentv_value(ee_agentv_builder *builder, const ee_value *value) {
  switch (ee_type_of(value)) {
  case EE_FALSE: return (ee_rule_value){.type = EE_RULE_BOOL};
  case EE_TRUE: return (ee_rule_value){.type = EE_RULE_BOOL, .boolean = true};
  case EE_NUMBER: {
    double number = ee_value_number(value);
    return (ee_rule_value){.type = EE_RULE_NUMBER, .number = number, .is_integer = floor(number) == number};
  }
  case EE_STRING: return (ee_rule_value){.type = EE_RULE_TEXT, .text = ee_value_text(value)};
  case EE_ARRAY:
  case EE_OBJECT: return (ee_rule_value){.type = EE_RULE_TABLE, .node = table_of(builder, value)};
  default: return (ee_rule_value){.type = EE_RULE_NULL};
  }
}

/* Nodes ---------------------------------------------------------------------------------------- */

ee_agentv_node ee_agentv_start(ee_agentv_builder *builder, const char *kind, const ee_value *value, const char *subject,
                               const ee_option *const *tables) {
  ee_agentv_node n = {
      .builder = builder, .node = EE_NEW(builder->arena, ee_rule_node), .subject = subject, .tables = tables};
  n.options = EE_NEW_ARRAY(builder->arena, ee_rule_option, ee_value_count(value) + 4);
  n.node->kind = ee_str_from(kind);
  n.node->file = builder->file->name;
  n.node->line = ee_case_file_place(builder->file, value).line;
  n.node->options = n.options;
  return n;
}

const ee_rule_node *ee_agentv_finish_node(ee_agentv_node *n) {
  if (n->node->option_count > 0) qsort(n->options, n->node->option_count, sizeof *n->options, compare_options);
  return n->node;
}

bool ee_agentv_set(ee_agentv_node *n, const char *name, ee_rule_value value, const ee_value *member) {
  for (size_t i = 0; i < n->node->option_count; i++) {
    if (!ee_str_is(n->options[i].name, name)) continue;
    ee_str key = ee_value_key(member);
    ee_agentv_report(n->builder, EE_ERROR_RULES, member, "option '%.*s' of %s says the same as another one",
                     (int)key.length, key.data, n->subject);
    return false;
  }
  n->options[n->node->option_count++] = (ee_rule_option){ee_str_from(name), value};
  return true;
}

bool ee_agentv_check(ee_agentv_node *n, const ee_value *member, const ee_rule_value *value) {
  if (n->builder->mistakes >= EE_AGENTV_REPORTED) return false; /* nothing comes of it any more */
  struct ee_yaml_place place = ee_case_file_place(n->builder->file, member);
  ee_rule_option option = {ee_value_key(member), *value};
  ee_rule_node one = {.file = n->builder->file->name, .line = place.line, .options = &option, .option_count = 1};
  size_t before = n->builder->errors->count;
  bool good = ee_options_check(&one, n->subject, n->tables, n->builder->errors);
  for (size_t i = before; i < n->builder->errors->count; i++, n->builder->mistakes++)
    n->builder->errors->items[i].column = place.column;
  return good;
}

void ee_agentv_add(ee_agentv_node *n, const ee_value *member, const char *name) {
  ee_rule_value value = ee_agentv_value(n->builder, member);
  if (!ee_agentv_check(n, member, &value)) return;
  ee_str key = ee_value_key(member);
  if (name == NULL) name = ee_arena_copy(n->builder->arena, key.data, key.length);
  ee_agentv_set(n, name, value, member);
}

void ee_agentv_set_item(ee_agentv_node *n, const ee_value *member) {
  ee_rule_value *item = EE_NEW(n->builder->arena, ee_rule_value);
  *item = ee_agentv_value(n->builder, member);
  if (!ee_agentv_check(n, member, item)) return;
  n->node->items = item;
  n->node->item_count = 1;
}

const ee_option ee_agentv_rows[] = {
    {.name = "name", .type = EE_OPTION_TEXT},     {.name = "metric", .type = EE_OPTION_TEXT},
    {.name = "type", .type = EE_OPTION_TEXT},     {.name = "min_score", .type = EE_OPTION_NUMBER, .min = 0, .max = 1},
    {.name = "required", .type = EE_OPTION_BOOL}, {.name = NULL},
};

/* The least score that passes, as the option `verdict` says it. */
static void set_pass(ee_agentv_node *n, const ee_value *member) {
  ee_rule_node *limits = EE_NEW(n->builder->arena, ee_rule_node);
  ee_rule_option *pass = EE_NEW(n->builder->arena, ee_rule_option);
  *pass = (ee_rule_option){EE_STR("pass"), ee_agentv_value(n->builder, member)};
  *limits = (ee_rule_node){.file = n->node->file, .line = n->node->line, .options = pass, .option_count = 1};
  ee_agentv_set(n, "verdict", (ee_rule_value){.type = EE_RULE_TABLE, .node = limits}, member);
}

bool ee_agentv_take_common(ee_agentv_node *n, const ee_value *member, ee_str name) {
  if (ee_agentv_is_key(member, "name") || ee_agentv_is_key(member, "metric")) {
    ee_rule_value value = ee_agentv_value(n->builder, member);
    if (!ee_agentv_check(n, member, &value)) return true;
    if (ee_str_is_blank(value.text)) {
      ee_agentv_report(n->builder, EE_ERROR_RULES, member, "the name of an evaluator is empty");
    } else {
      ee_agentv_set(n, "name", (ee_rule_value){.type = EE_RULE_TEXT, .text = name}, member);
    }
    return true;
  }
  if (ee_agentv_is_key(member, "type")) return true;
  if (ee_agentv_is_key(member, "min_score")) {
    ee_rule_value value = ee_agentv_value(n->builder, member);
    if (ee_agentv_check(n, member, &value)) set_pass(n, member);
    return true;
  }
  if (!ee_agentv_is_key(member, "required")) return false;
  /* A number there is the least score too. */
  ee_type type = ee_type_of(member);
  double number = type == EE_NUMBER ? ee_value_number(member) : -1;
  if (number >= 0 && number <= 1) {
    set_pass(n, member);
  } else {
    ee_rule_value value = ee_agentv_value(n->builder, member);
    if (!ee_agentv_check(n, member, &value)) return true;
  }
  if (type != EE_FALSE)
    ee_agentv_note(n->builder, "required", "a case's score is the weighted mean of its evaluators", true, member, name);
  return true;
}

const ee_rule_node *ee_evaluator_finish(ee_agentv_node *n, ee_str name) {
  if (ee_rule_node_get(n->node, "name").type == EE_RULE_NONE)
    n->options[n->node->option_count++] = (ee_rule_option){EE_STR("name"), {.type = EE_RULE_TEXT, .text = name}};
  return ee_agentv_finish_node(n);
}

const char *ee_agentv_subject(ee_agentv_builder *builder, ee_str name) {
  return ee_arena_printf(builder->arena, "evaluator %s", ee_agentv_quoted(builder, name));
}
