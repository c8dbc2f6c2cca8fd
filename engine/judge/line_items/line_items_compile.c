/* line_items_compile.c: what ee.line_items says, checked and compiled, with the lists inside its items. */
#include "judge/line_items/line_items.h"

const ee_option ee_line_items_options[] = {
    {.name = "match",
     .type = EE_OPTION_TEXT_OR_TABLE,
     .default_text = "\"description\"",
     .help =
         "What decides which items belong together: a field, \"fields\" (the score fields themselves), or a table of "
         "fields and strategies with options of its own.",
     .inner = ee_line_items_match_options},
    {.name = "compare_methods",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "Each case is paired by greedy and by optimal: details and summary tell what greedy loses."},
    {.name = NULL},
};

const ee_option ee_line_items_nested_options[] = {
    {.name = "name",
     .type = EE_OPTION_TEXT,
     .default_text = "the path",
     .help = "Of a list inside another: what the names of its fields begin with."},
    {.name = NULL},
};

/* Equal items come first in greedy matching when their similarity is 1 and all their fields match: nothing may call a
 * script, and each field must read the same place on both sides. Where all of the shorter list have equal partners,
 * optimal matching has nothing to gain either. */
static bool equal_comes_first(const ee_line_items *items) {
  const ee_match_rule *rule = &items->match;
  bool by_similarity = rule->method == EE_MATCH_GREEDY || rule->method == EE_MATCH_OPTIMAL;
  if (!by_similarity || rule->similarity_function != EE_NO_FUNCTION) return false;
  for (size_t i = 0; i < rule->field_count; i++) {
    const ee_match_field *field = &rule->fields[i];
    if (field->expected_column != field->candidate_column) return false;
    if (field->field != NULL && !ee_strategy_is_reflexive(field->field->strategy)) return false;
  }
  for (size_t i = 0; i < items->list.count; i++) {
    if (items->fields[i].expected_column != items->fields[i].candidate_column) return false;
    if (!ee_strategy_is_reflexive(items->list.fields[i].strategy)) return false;
  }
  return true;
}

static bool calls_script(const ee_line_items *items) {
  const ee_match_rule *rule = &items->match;
  if (rule->similarity_function != EE_NO_FUNCTION || rule->key_function != EE_NO_FUNCTION) return true;
  for (size_t i = 0; i < rule->field_count; i++) {
    if (rule->fields[i].field != NULL && ee_field_calls_script(rule->fields[i].field)) return true;
  }
  for (size_t i = 0; i < items->nested_count; i++) {
    if (calls_script(&items->nested[i])) return true;
  }
  return ee_field_list_calls_script(&items->list);
}

static bool uses_provider(const ee_line_items *items) {
  const ee_match_rule *rule = &items->match;
  for (size_t i = 0; i < rule->field_count; i++) {
    if (rule->fields[i].field != NULL && ee_strategy_uses_provider(rule->fields[i].field->strategy)) return true;
  }
  for (size_t i = 0; i < items->nested_count; i++) {
    if (uses_provider(&items->nested[i])) return true;
  }
  return ee_field_list_uses_provider(&items->list);
}

static bool has_keys_of_the_data(const ee_line_items *items) {
  for (size_t i = 0; i < items->nested_count; i++) {
    if (has_keys_of_the_data(&items->nested[i])) return true;
  }
  return items->automatic != NULL;
}

static const ee_path *compile_list_path(ee_plan_builder *builder, const ee_rule_node *node) {
  if (node->item_count > 0 && node->items[0].type == EE_RULE_TEXT) {
    return ee_compile_path(builder, node, node->items[0].text, "ee.line_items", EE_PATH_NO_WILDCARD);
  }
  ee_compile_error(builder, node, "ee.line_items needs the path of the list as its first value%s%s",
                   node->item_count > 0 ? ", got " : "",
                   node->item_count > 0 ? ee_rule_value_describe(&node->items[0], builder->arena) : "");
  return NULL;
}

/* ee.auto for keys that only the data knows. */
static const ee_strategy *automatic_strategy(ee_plan_builder *builder, const ee_rule_node *node) {
  ee_rule_node *own = EE_NEW(builder->arena, ee_rule_node);
  own->kind = EE_STR("auto");
  own->file = node->file;
  own->line = node->line;
  return ee_strategy_compile(builder, own);
}

/* Attributes --------------------------------------------------------------------------------------------------------
 */

/* The attributes of a judge while they are numbered. */
typedef struct attribute_list {
  ee_plan_builder *builder;
  ee_attribute *items;
  struct attribute_place {
    const ee_line_items *list;
    const ee_rule_node *node;
  } * places;
  size_t count;
} attribute_list;

static size_t count_attributes(const ee_line_items *items) {
  size_t count = items->list.count;
  for (size_t i = 0; i < items->nested_count; i++) count += count_attributes(&items->nested[i]);
  return count;
}

/* "lines" and "qty" make "lines.qty". */
static ee_str join(ee_arena *arena, ee_str name, ee_str field) {
  if (name.length == 0) return field;
  const char *dot = field.length > 0 && field.data[0] == '[' ? "" : ".";
  return ee_str_from(
      ee_arena_printf(arena, "%.*s%s%.*s", (int)name.length, name.data, dot, (int)field.length, field.data));
}

/* Two fields of one list that have one name have been reported; those of different lists have not. */
static void check_attribute(const attribute_list *attributes, const ee_line_items *items, const ee_rule_node *node,
                            ee_str name) {
  for (size_t i = 0; i < attributes->count; i++) {
    const struct attribute_place *place = &attributes->places[i];
    if (place->list == items || !ee_str_equal(attributes->items[i].name, name)) continue;
    ee_compile_error(attributes->builder, node,
                     "the name '%.*s' stands twice in ee.line_items, on line %zu and on line %zu (give one of them a "
                     "'name' of its own)",
                     (int)name.length, name.data, place->node->line, node->line);
    return;
  }
}

/* Numbers the field that `node` makes, if it makes one: ee.ignore does not, nor does what it takes out. */
static void number_field(attribute_list *attributes, const ee_line_items *items, const ee_rule_node *node) {
  for (size_t i = 0; i < items->list.count; i++) {
    const ee_field *field = &items->list.fields[i];
    if (field->strategy->node != node) continue;
    ee_str name = join(attributes->builder->arena, items->name, field->name);
    check_attribute(attributes, items, node, name);
    items->fields[i].part = (uint32_t)attributes->count;
    attributes->places[attributes->count] = (struct attribute_place){items, node};
    attributes->items[attributes->count++].name = name;
  }
}

/* In the order of the rule file. */
static void number_attributes(attribute_list *attributes, const ee_line_items *items) {
  size_t nested = 0;
  for (size_t i = 0; i < items->node->item_count; i++) {
    if (items->node->items[i].type != EE_RULE_NODE) continue;
    const ee_rule_node *node = items->node->items[i].node;
    if (nested < items->nested_count && items->nested[nested].node == node) {
      number_attributes(attributes, &items->nested[nested++]);
    } else {
      number_field(attributes, items, node);
    }
  }
}

/* Lists -------------------------------------------------------------------------------------------------------------
 */

static void compile_list(ee_plan_builder *builder, const ee_rule_node *node, const ee_line_items *around,
                         ee_line_items *items);

static bool is_list(const ee_rule_value *value) {
  return value->type == EE_RULE_NODE && value->node->definition == NULL && ee_str_is(value->node->kind, "line_items");
}

static bool is_ignored(const ee_field_list *list, const ee_path *path) {
  for (size_t i = 0; path != NULL && i < list->ignored_count; i++) {
    if (ee_str_equal(list->ignored[i].expected_path->text, path->text)) return true;
  }
  return false;
}

static void check_list_names(ee_plan_builder *builder, const ee_line_items *items) {
  for (size_t i = 1; i < items->nested_count; i++) {
    const ee_line_items *nested = &items->nested[i];
    for (size_t k = 0; k < i; k++) {
      if (!ee_str_equal(nested->name, items->nested[k].name)) continue;
      ee_compile_error(builder, nested->node,
                       "the list '%.*s' stands twice in ee.line_items, on line %zu and on line %zu (give one of them a "
                       "'name' of its own)",
                       (int)nested->name.length, nested->name.data, items->nested[k].node->line, nested->node->line);
      break;
    }
  }
}

/* The lists inside the items. */
static void compile_nested(ee_plan_builder *builder, ee_line_items *items) {
  const ee_rule_node *node = items->node;
  items->nested = EE_NEW_ARRAY(builder->arena, ee_line_items, node->item_count);
  for (size_t i = 0; i < node->item_count; i++) {
    if (!is_list(&node->items[i])) continue;
    ee_line_items *nested = &items->nested[items->nested_count];
    compile_list(builder, node->items[i].node, items, nested);
    if (!is_ignored(&items->list, nested->path)) items->nested_count++;
  }
  check_list_names(builder, items);
}

/* True when `path` is that of the list or leads into it. */
static bool leads_into(const ee_path *path, const ee_path *list) {
  if (path == NULL || path->count < list->count) return false;
  for (size_t i = 0; i < list->count; i++)
    if (!ee_str_equal(path->steps[i].key, list->steps[i].key)) return false;
  return true;
}

/* Inner lists that are paired by what their items say. One that a field of the outer list reads into keeps its order,
 * which that field may ask for. */
static void compile_inner(ee_plan_builder *builder, ee_line_items *items) {
  items->inner = EE_NEW_ARRAY(builder->arena, ee_inner_list, items->nested_count);
  for (size_t i = 0; i < items->nested_count; i++) {
    const ee_line_items *nested = &items->nested[i];
    if (nested->path == NULL || nested->match.method == EE_MATCH_INDEX) continue;
    bool read = false;
    for (uint32_t k = 0; k < items->columns.count; k++) {
      const ee_item_column *column = &items->columns.items[k];
      bool same_key =
          column->path == NULL && nested->path->count == 1 && ee_str_equal(column->key, nested->path->steps[0].key);
      read = read || same_key || leads_into(column->path, nested->path);
    }
    if (!read) items->inner[items->inner_count++] = (ee_inner_list){nested->path, nested->inner, nested->inner_count};
  }
}

/* Options of a list inside another; those of the outermost are checked as every judge's are. */
static void check_nested_options(ee_plan_builder *builder, const ee_rule_node *node) {
  static const ee_option *const tables[] = {ee_line_items_options, ee_line_items_nested_options, NULL};
  ee_options_check(node, "ee.line_items inside another", tables, builder->errors);
  if (ee_rule_node_get(node, "compare_methods").type != EE_RULE_NONE)
    ee_compile_error(builder, node, "option 'compare_methods' belongs to the outermost ee.line_items");
}

static ee_str nested_name(ee_plan_builder *builder, const ee_rule_node *node, const ee_line_items *around,
                          const ee_path *path) {
  ee_rule_value given = ee_rule_node_get(node, "name");
  if (given.type == EE_RULE_TEXT && ee_str_is_blank(given.text))
    ee_compile_error(builder, node, "the name of ee.line_items is empty");
  ee_str own = given.type == EE_RULE_TEXT ? given.text : path != NULL ? path->text : EE_STR("?");
  return join(builder->arena, around->name, own);
}

/* `around`: the list in whose items this one is, or NULL. */
static void compile_list(ee_plan_builder *builder, const ee_rule_node *node, const ee_line_items *around,
                         ee_line_items *items) {
  *items = (ee_line_items){.node = node};
  ee_item_columns_start(&items->columns, builder->arena);
  items->path = compile_list_path(builder, node);
  if (around != NULL) {
    check_nested_options(builder, node);
    items->name = nested_name(builder, node, around, items->path);
  }
  bool path_given = node->item_count > 0 && node->items[0].type != EE_RULE_NODE;
  ee_field_list_compile(builder, node, "ee.line_items", path_given ? 1 : 0, false, &items->list);
  items->fields = EE_NEW_ARRAY(builder->arena, ee_item_field, items->list.count);
  for (size_t i = 0; i < items->list.count; i++) {
    const ee_field *field = &items->list.fields[i];
    items->fields[i] = (ee_item_field){.field = field,
                                       .expected_column = ee_item_columns_add(&items->columns, field->expected_path),
                                       .candidate_column = ee_item_columns_add(&items->columns, field->candidate_path)};
  }
  compile_nested(builder, items);
  if (items->list.count == 0 && items->nested_count == 0) items->automatic = automatic_strategy(builder, node);
  ee_line_items_compile_match(builder, node, items);
  compile_inner(builder, items);
  items->equal_first = equal_comes_first(items);
  items->compare_methods = ee_option_bool(node, "compare_methods", false);
  bool by_similarity = items->match.method == EE_MATCH_GREEDY || items->match.method == EE_MATCH_OPTIMAL;
  if (items->compare_methods && !by_similarity) {
    ee_compile_error(builder, node, "option 'compare_methods' of ee.line_items needs method 'greedy' or 'optimal'");
  }
}

static void number_conditions(ee_line_items *items, uint32_t *count) {
  items->first_condition = *count;
  *count += (uint32_t)items->list.count;
  for (size_t i = 0; i < items->nested_count; i++) number_conditions(&items->nested[i], count);
}

void ee_line_items_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_judge *judge) {
  ee_line_items *items = EE_NEW(builder->arena, ee_line_items);
  judge->data = items;
  judge->fields = &items->list;
  compile_list(builder, node, NULL, items);
  uint32_t conditions = 0;
  number_conditions(items, &conditions);
  size_t most = count_attributes(items);
  attribute_list attributes = {.builder = builder,
                               .items = EE_NEW_ARRAY(builder->arena, ee_attribute, most),
                               .places = EE_NEW_ARRAY(builder->arena, struct attribute_place, most)};
  number_attributes(&attributes, items);
  judge->attributes = attributes.items;
  judge->attribute_count = attributes.count;
  judge->data_attributes = has_keys_of_the_data(items);
  judge->calls_script = calls_script(items);
  judge->uses_provider = uses_provider(items);
}
