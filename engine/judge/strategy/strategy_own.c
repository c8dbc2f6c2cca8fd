/* strategy_own.c: a project's own strategies: their definition, and the options of their nodes. */
#include "judge/strategy/strategy_rows.h"

const ee_option ee_strategy_definition_options[] = {
    {.name = "help", .type = EE_OPTION_TEXT, .default_text = "none", .help = "What the strategy does, in a sentence."},
    {.name = "options",
     .type = EE_OPTION_TABLE,
     .default_text = "none",
     .help = "Its own options: name = { \"string\", \"number\" or \"boolean\", help = \"...\" }."},
    {.name = "score",
     .type = EE_OPTION_FUNCTION,
     .default_text = "none",
     .help = "The function: expected, candidate and context in; true, false or 0..1 and perhaps a reason out."},
    {.name = NULL},
};

/* The named part of a declaration such as { "string", help = "..." }. */
static const ee_option declaration_options[] = {
    {.name = "help", .type = EE_OPTION_TEXT, .default_text = "none", .help = "What the option does, in a sentence."},
    {.name = NULL},
};

/* A node of the strategy for each field that uses it, but one definition: its mistakes are told once. */
static void add_once(ee_error_list *errors, const ee_error *error) {
  for (size_t i = 0; i < errors->count; i++) {
    const ee_error *known = &errors->items[i];
    if (known->line == error->line && strcmp(known->file, error->file) == 0 &&
        strcmp(known->message, error->message) == 0) {
      return;
    }
  }
  ee_error_list_add(errors, error);
}

/* Reads one declared option into `row`; false with an error when that cannot be. */
static bool read_declaration(ee_plan_builder *builder, const ee_rule_node *definition, const ee_rule_option *declared,
                             ee_option *row) {
  const ee_rule_value *value = &declared->value;
  row->name = ee_arena_copy(builder->arena, declared->name.data, declared->name.length);
  for (const ee_option *shared = ee_strategy_shared_options; shared->name != NULL; shared++) {
    if (strcmp(shared->name, row->name) != 0) continue;
    ee_compile_error(builder, definition,
                     "option '%s' of ee.strategy has the name of an option that all strategies have", row->name);
    return false;
  }
  if (value->type != EE_RULE_TABLE || value->node->item_count != 1 || value->node->items[0].type != EE_RULE_TEXT) {
    ee_compile_error(builder, definition,
                     "option '%s' of ee.strategy must be declared as { \"string\", help = \"...\" } (or \"number\", "
                     "\"boolean\")",
                     row->name);
    return false;
  }
  ee_str type = value->node->items[0].text;
  if (ee_str_is(type, "string")) {
    row->type = EE_OPTION_TEXT;
  } else if (ee_str_is(type, "number")) {
    row->type = EE_OPTION_NUMBER;
    row->min = -__builtin_inf();
    row->max = __builtin_inf();
  } else if (ee_str_is(type, "boolean")) {
    row->type = EE_OPTION_BOOL;
  } else {
    ee_compile_error(builder, definition,
                     "unknown type '%.*s' of option '%s' in ee.strategy: must be string, number or boolean",
                     (int)type.length, type.data, row->name);
    return false;
  }
  const ee_option *const tables[] = {declaration_options, NULL};
  const char *subject = ee_arena_printf(builder->arena, "the declaration of option '%s'", row->name);
  return ee_options_check(value->node, subject, tables, builder->errors);
}

/* The declared options as rows. Mistakes go to the builder's errors. */
static const ee_option *read_declarations(ee_plan_builder *builder, const ee_rule_node *definition) {
  ee_rule_value declared = ee_rule_node_get(definition, "options");
  size_t count = declared.type == EE_RULE_TABLE ? declared.node->option_count : 0;
  ee_option *rows = EE_NEW_ARRAY(builder->arena, ee_option, count + 1);
  if (declared.type == EE_RULE_TABLE && declared.node->item_count > 0) {
    ee_compile_error(builder, definition, "the options of ee.strategy must have names");
  }
  for (size_t i = 0; i < count; i++) {
    read_declaration(builder, definition, &declared.node->options[i], &rows[i]);
  }
  return rows;
}

static const ee_option *check_definition(ee_plan_builder *builder, const ee_rule_node *definition) {
  const ee_option *const tables[] = {ee_strategy_definition_options, NULL};
  ee_options_check(definition, "ee.strategy", tables, builder->errors);
  if (definition->item_count != 1 || definition->items[0].type != EE_RULE_TEXT ||
      definition->items[0].text.length == 0) {
    ee_compile_error(builder, definition, "ee.strategy needs a name as its first value and nothing behind it");
  }
  if (ee_rule_node_get(definition, "score").type == EE_RULE_NONE) {
    ee_compile_error(builder, definition, "ee.strategy needs option 'score', a function");
  }
  return read_declarations(builder, definition);
}

void ee_own_strategy_check(ee_plan_builder *builder, const ee_rule_node *node) {
  ee_error_list of_definition;
  ee_error_list_init(&of_definition);
  ee_plan_builder separate = {.arena = builder->arena, .plan = builder->plan, .errors = &of_definition};
  const ee_option *declared = check_definition(&separate, node->definition);
  for (size_t i = 0; i < of_definition.count; i++) add_once(builder->errors, &of_definition.items[i]);
  bool good = of_definition.count == 0;
  ee_error_list_fini(&of_definition);
  if (!good) return; /* what its nodes may say is not known then */
  const ee_option *const tables[] = {declared, ee_custom_options, ee_strategy_shared_options, NULL};
  const char *subject = ee_arena_copy(builder->arena, node->kind.data, node->kind.length);
  ee_options_check(node, subject, tables, builder->errors);
}
