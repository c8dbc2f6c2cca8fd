/* line_items_compile.c: ee.line_items in the rule file: options checked, lists and match rules compiled, and printed.
 */
#include "judge/line_items/line_items.h"

#include <math.h>

#include "base/printable.h"

#include "judge/pairing/pairs.h"
#include "prim/number.h"

const ee_option ee_line_items_match_options[] = {
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.8",
     .help = "Items below this similarity are not paired.",
     .min = 0,
     .max = 1},
    {.name = "method",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"greedy\"",
     .help = "greedy: the best remaining pair first; optimal: the largest total similarity; key: equal keys; index: by "
             "position.",
     .choices = EE_MATCH_METHODS},
    EE_PAIRS_GATE_OPTION("the total similarity"),
    {.name = "score_fields",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "The score fields decide which items belong together, as with match = \"fields\"."},
    EE_PAIRS_MAX_OPTION("expected items x candidate items",
                        "Above this, optimal falls back to greedy, and every report says so. All pairs of a case "
                        "count, whatever their similarity."),
    {.name = "key",
     .lua_type = "string|fun(item: any): string|number",
     .type = EE_OPTION_TEXT,
     .default_text = "the only field",
     .help = "For method key: the field that identifies an item, or a function that returns the key of an item."},
    {.name = "similarity",
     .lua_type = "fun(expected: any, candidate: any): boolean|number",
     .type = EE_OPTION_FUNCTION,
     .default_text = "none",
     .help = "A function of the expected and the candidate item that returns true, false or 0..1, instead of fields."},
    {.name = NULL},
};

#define SCORES "macro_f1|micro_f1|coverage|mean"

const ee_option ee_line_items_options[] = {
    {.name = "match",
     .lua_type = "string|ee.line_items.match",
     .type = EE_OPTION_TEXT_OR_TABLE,
     .default_text = "\"description\"",
     .help =
         "What decides which items belong together: a field, \"fields\" (the score fields), or a table of fields and "
         "strategies with its own options.",
     .inner = ee_line_items_match_options},
    EE_CANDIDATE_PATH_OPTION,
    {.name = "score",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"macro_f1\"",
     .help = "macro_f1: the mean F1 of the score fields; micro_f1: the F1 of all their counts; coverage: the share of "
             "expected values that have an answer, right or wrong; mean: the mean score of the items. Weights count in "
             "all of them.",
     .choices = SCORES},
    {.name = "of",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"union\"",
     .help =
         "What score = \"mean\" divides the scores of the pairs by: pairs and items without a partner, the items of "
         "the longer array, or the expected items.",
     .choices = EE_ITEMS_OF_CHOICES},
    {.name = "clip",
     .type = EE_OPTION_NUMBER,
     .default_text = "0",
     .help = "With score = \"mean\", a pair that scores less counts 0.",
     .min = 0,
     .max = 1},
    {.name = "below_threshold",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"apart\"",
     .help = "What is left over on both sides: apart, one missing and one spurious item; or incorrect, pairs in which "
             "every value is wrong.",
     .choices = "apart|incorrect"},
    EE_CONFIDENCE_OPTION,
    EE_COST_OPTION,
    {.name = "compare_methods",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "Pairs each case by greedy and by optimal; details and summary report what greedy loses."},
    {.name = NULL},
};

static const ee_option nested_options[] = {
    {.name = "name",
     .type = EE_OPTION_TEXT,
     .default_text = "the path",
     .help = "For an inner list: the prefix of the names of its fields."},
    {.name = "weight",
     .type = EE_OPTION_NUMBER,
     .default_text = "1",
     .help = "For an inner list, with score = \"mean\": its weight among the fields of the item.",
     .min = 0,
     .max = INFINITY},
    {.name = NULL},
};

/* The option match ------------------------------------------------------------------------------ */

/* The state of compiling `match`. */
typedef struct match_builder {
  ee_plan_builder *builder;
  const ee_rule_node *node; /* of ee.line_items: the place of messages */
  ee_line_items *items;
  ee_match_field *fields;
  size_t count;
} match_builder;

static void check_same_match(match_builder *m, uint32_t column, ee_str path) {
  for (size_t i = 0; i < m->count; i++) {
    if (m->fields[i].expected_column != column) continue;
    ee_compile_error(m->builder, m->node, "match of ee.line_items has '%.*s' twice", EE_STR_ARG(path));
    return;
  }
}

/* A field by name: the default similarity. */
static void add_match_text(match_builder *m, ee_str text) {
  const ee_path *path = ee_compile_path(m->builder, m->node, text, "match of ee.line_items", EE_PATH_NO_WILDCARD);
  if (path == NULL) return;
  uint32_t column = ee_item_columns_add(&m->items->columns, path);
  check_same_match(m, column, text);
  m->fields[m->count++] = (ee_match_field){
      .empty = m->builder->plan->empty, .weight = 1, .expected_column = column, .candidate_column = column};
}

static void add_match_field(match_builder *m, const ee_field *field) {
  uint32_t expected = ee_item_columns_add(&m->items->columns, field->expected_path);
  uint32_t candidate = ee_item_columns_add(&m->items->columns, field->candidate_path);
  check_same_match(m, expected, field->expected_path->text);
  m->fields[m->count++] = (ee_match_field){.field = field,
                                           .empty = field->strategy->empty,
                                           .weight = field->weight,
                                           .expected_column = expected,
                                           .candidate_column = candidate};
}

static void add_match_node(match_builder *m, const ee_rule_node *node) {
  ee_field *field = EE_NEW(m->builder->arena, ee_field);
  if (node->definition == NULL && ee_strategy_type_find(node->kind) == NULL) {
    ee_rule_value value = {.type = EE_RULE_NODE, .node = node};
    ee_compile_error(m->builder, node, "match of ee.line_items takes fields and strategies, got %s",
                     ee_rule_value_describe(&value, m->builder->arena));
    return;
  }
  if (!ee_field_compile(m->builder, node, false, field)) return;
  if (field->ignored || field->when != EE_NO_FUNCTION) {
    ee_compile_error(m->builder, node, "%s is not allowed in match of ee.line_items",
                     field->ignored ? "ee.ignore" : "option 'when'");
    return;
  }
  add_match_field(m, field);
}

static void add_match_items(match_builder *m, const ee_rule_node *table) {
  for (size_t i = 0; i < table->item_count; i++) {
    const ee_rule_value *item = &table->items[i];
    if (item->type == EE_RULE_TEXT) {
      add_match_text(m, item->text);
    } else if (item->type == EE_RULE_NODE) {
      add_match_node(m, item->node);
    } else {
      ee_compile_error(m->builder, m->node, "match of ee.line_items takes fields and strategies, item %zu is %s%s",
                       i + 1, ee_rule_value_describe(item, m->builder->arena),
                       item->type == EE_RULE_FUNCTION ? " (did you mean 'similarity = function'?)" : "");
    }
  }
}

/* Checks the options of the table. Two have messages of their own; a copy without them is checked against the rows. */
static void check_match_options(match_builder *m, const ee_rule_node *table) {
  static const ee_option *const tables[] = {ee_line_items_match_options, NULL};
  ee_rule_node copy = *table;
  if (copy.file == NULL || copy.line == 0) {
    copy.file = m->node->file;
    copy.line = m->node->line;
  }
  ee_rule_option *options = EE_NEW_ARRAY(m->builder->arena, ee_rule_option, table->option_count);
  copy.options = options;
  copy.option_count = 0;
  for (size_t i = 0; i < table->option_count; i++) {
    const ee_rule_option *option = &table->options[i];
    if (ee_str_is(option->name, "compare_methods")) {
      ee_compile_error(m->builder, &copy, "option 'compare_methods' belongs to ee.line_items, not to its match");
    } else if (ee_str_is(option->name, "key")) {
      if (option->value.type != EE_RULE_TEXT && option->value.type != EE_RULE_FUNCTION) {
        ee_compile_error(m->builder, &copy, "option 'key' of match must be a field (a string) or a function, got %s",
                         ee_rule_value_describe(&option->value, m->builder->arena));
      }
    } else {
      options[copy.option_count++] = *option;
    }
  }
  ee_options_check(&copy, "match", tables, m->builder->errors);
}

static void read_match_options(match_builder *m, const ee_rule_node *table, ee_match_rule *rule) {
  rule->threshold = ee_option_number(table, "threshold", 0.8);
  rule->similarity_function = ee_option_function(table, "similarity");
  rule->key_function = ee_option_function(table, "key");
  bool has_key = ee_rule_node_get(table, "key").type != EE_RULE_NONE;
  rule->method = (ee_match_method)ee_option_choice(table, "method", EE_MATCH_METHODS, has_key ? "key" : "greedy");
  m->items->match_score_fields = ee_option_bool(table, "score_fields", false);
  rule->max_pairs = ee_pairs_compile_max(m->builder, m->node, table, "match");
  rule->count_first = ee_option_is(table, "gate", "count");
}

/* Method key: by the option, else by the only field. Leaves the rule without match fields. */
static void compile_key(match_builder *m, const ee_rule_node *table, ee_match_rule *rule) {
  ee_rule_value key = ee_rule_node_get(table, "key");
  if (key.type == EE_RULE_TEXT) {
    const ee_path *path = ee_compile_path(m->builder, m->node, key.text, "option 'key' of match", EE_PATH_NO_WILDCARD);
    if (path != NULL) rule->key_column = ee_item_columns_add(&m->items->columns, path);
  } else if (key.type == EE_RULE_NONE) {
    if (table->item_count == 1 && table->items[0].type == EE_RULE_TEXT) {
      if (m->count == 1) rule->key_column = m->fields[0].expected_column;
      m->count = 0;
      return;
    }
    ee_compile_error(m->builder, m->node, "method 'key' of match needs option 'key'");
  }
}

static bool uses_similarity(const ee_match_rule *rule) {
  return rule->method == EE_MATCH_GREEDY || rule->method == EE_MATCH_OPTIMAL;
}

/* Changing the method must be possible by changing one word: key and index ignore fields, threshold and similarity, and
 * only optimal uses max_pairs and gate. Contradictions are errors. */
static void check_unused(match_builder *m, const ee_rule_node *table, const ee_match_rule *rule) {
  static const char *const names[] = {"greedy", "optimal", "key", "index"};
  if (rule->method != EE_MATCH_KEY && ee_rule_node_get(table, "key").type != EE_RULE_NONE) {
    ee_compile_error(m->builder, m->node, "option 'key' of match belongs to method 'key', not to '%s'",
                     names[rule->method]);
  }
  if (!uses_similarity(rule)) {
    m->count = 0;
    m->items->match_score_fields = false;
    return;
  }
  if (m->count > 0 && rule->similarity_function != EE_NO_FUNCTION) {
    ee_compile_error(m->builder, m->node, "match of ee.line_items must have fields or a similarity function, not both");
  } else if (m->items->match_score_fields && (m->count > 0 || rule->similarity_function != EE_NO_FUNCTION)) {
    ee_compile_error(m->builder, m->node, "match of ee.line_items must have score_fields or %s, not both",
                     m->count > 0 ? "fields of its own" : "a similarity function");
  }
}

static void check_match_weights(match_builder *m) {
  double sum = 0;
  for (size_t i = 0; i < m->count; i++) sum += m->fields[i].weight;
  ee_compile_check_weights(m->builder, m->node, "in match of ee.line_items", m->count, sum > 0 ? sum : 0);
}

/* The score fields decide; the same path under two names is two fields, as in the score. */
static void add_score_fields(match_builder *m) {
  const ee_line_items *items = m->items;
  for (size_t i = 0; i < items->list.count; i++) {
    const ee_field *field = &items->list.fields[i];
    m->fields[m->count++] = (ee_match_field){.field = field,
                                             .empty = field->strategy->empty,
                                             .weight = field->weight,
                                             .expected_column = items->fields[i].expected_column,
                                             .candidate_column = items->fields[i].candidate_column};
  }
}

static void compile_table(match_builder *m, const ee_rule_node *table, ee_match_rule *rule) {
  check_match_options(m, table);
  read_match_options(m, table, rule);
  size_t errors_before = m->builder->errors->count;
  add_match_items(m, table);
  if (rule->method == EE_MATCH_KEY) compile_key(m, table, rule);
  check_unused(m, table, rule);
  if (m->items->match_score_fields && m->count == 0) {
    add_score_fields(m);
    return;
  }
  bool needs_fields = uses_similarity(rule) && rule->similarity_function == EE_NO_FUNCTION;
  if (m->count == 0 && needs_fields && m->builder->errors->count == errors_before)
    add_match_text(m, EE_STR("description"));
  check_match_weights(m);
}

/* Keys have no path. */
static ee_str column_text(const ee_line_items *items, uint32_t column) {
  const ee_item_column *found = &items->columns.items[column];
  return found->path != NULL ? found->path->text : found->key;
}

/* The paths of the columns by which items are paired, in quotes. NULL where the score fields, a function or the
 * position decide. */
static const char *name_match(const ee_line_items *items, ee_arena *arena) {
  const ee_match_rule *rule = &items->match;
  if (items->match_score_fields || rule->similarity_function != EE_NO_FUNCTION ||
      rule->key_function != EE_NO_FUNCTION || rule->method == EE_MATCH_INDEX)
    return NULL;
  if (rule->method == EE_MATCH_KEY) {
    if (rule->key_column == EE_NO_COLUMN) return NULL;
    return ee_arena_printf(arena, "'%.*s'", EE_STR_ARG(column_text(items, rule->key_column)));
  }
  const char *names = NULL;
  for (size_t i = 0; i < rule->field_count; i++) {
    ee_str path = column_text(items, rule->fields[i].expected_column);
    names =
        ee_arena_printf(arena, "%s%s'%.*s'", names != NULL ? names : "", names != NULL ? ", " : "", EE_STR_ARG(path));
  }
  return names;
}

/* Compiles the option `match` of `node` into `items`, whose fields are compiled. */
static void compile_match(ee_plan_builder *builder, const ee_rule_node *node, ee_line_items *items) {
  ee_rule_value value = ee_rule_node_get(node, "match");
  ee_match_rule *rule = &items->match;
  *rule = (ee_match_rule){.threshold = 0.8,
                          .similarity_function = EE_NO_FUNCTION,
                          .key_function = EE_NO_FUNCTION,
                          .key_column = EE_NO_COLUMN,
                          .pair_limit = EE_PAIRS_LIMIT,
                          .max_pairs = EE_PAIRS_DEFAULT_MAX};
  size_t max = (value.type == EE_RULE_TABLE ? value.node->item_count : 0) + items->list.count + 1;
  match_builder m = {.builder = builder, .node = node, .items = items};
  m.fields = EE_NEW_ARRAY(builder->arena, ee_match_field, max);
  if (value.type == EE_RULE_TABLE) {
    compile_table(&m, value.node, rule);
  } else if (value.type == EE_RULE_TEXT && ee_str_is(value.text, "fields")) {
    items->match_score_fields = true;
    add_score_fields(&m);
  } else {
    add_match_text(&m, value.type == EE_RULE_TEXT ? value.text : EE_STR("description"));
  }
  rule->fields = m.fields;
  rule->field_count = m.count;
  items->match_names = name_match(items, builder->arena);
}

/* Lists ----------------------------------------------------------------------------------------- */

/* Greedy takes pairs of equal items first if their similarity is 1 and all their fields match: no script may be called,
 * and each field must read the same path on both sides. If all items of the shorter list have equal partners, that is
 * optimal too. */
static bool equal_comes_first(const ee_line_items *items) {
  const ee_match_rule *rule = &items->match;
  if (!uses_similarity(rule) || rule->similarity_function != EE_NO_FUNCTION) return false;
  for (size_t i = 0; i < rule->field_count; i++) {
    const ee_match_field *field = &rule->fields[i];
    if (field->expected_column != field->candidate_column) return false;
    if (field->field != NULL && !ee_field_is_reflexive(field->field)) return false;
  }
  for (size_t i = 0; i < items->list.count; i++) {
    if (items->fields[i].expected_column != items->fields[i].candidate_column) return false;
    if (!ee_field_is_reflexive(&items->list.fields[i])) return false;
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

static bool uses_keys_of_data(const ee_line_items *items) {
  for (size_t i = 0; i < items->nested_count; i++) {
    if (uses_keys_of_data(&items->nested[i])) return true;
  }
  return items->automatic != NULL;
}

/* The paths of the outermost list; an inner one has the same path in both items. */
static void compile_list_paths(ee_plan_builder *builder, const ee_rule_node *node, bool is_inner,
                               ee_list_paths *paths) {
  if (!is_inner) {
    ee_list_paths_compile(builder, node, "ee.line_items", true, paths);
    return;
  }
  *paths = (ee_list_paths){NULL, NULL};
  if (node->item_count > 0 && node->items[0].type == EE_RULE_TEXT)
    paths->expected = ee_compile_path(builder, node, node->items[0].text, "ee.line_items", EE_PATH_NO_WILDCARD);
  else
    ee_compile_error(builder, node, "ee.line_items inside another needs the path of the array as its first value%s%s",
                     node->item_count > 0 ? ", got " : "",
                     node->item_count > 0 ? ee_rule_value_describe(&node->items[0], builder->arena) : "");
  paths->candidate = paths->expected;
}

/* ee.auto, for keys of the data. */
static const ee_strategy *automatic_strategy(ee_plan_builder *builder, const ee_rule_node *node) {
  ee_rule_node *own = EE_NEW(builder->arena, ee_rule_node);
  *own = (ee_rule_node){.kind = EE_STR("auto"), .file = node->file, .line = node->line};
  return ee_strategy_compile(builder, own);
}

/* Attributes ------------------------------------------------------------------------------------ */

/* The state of numbering the attributes of a judge. */
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
  /* Not by printf: a key may contain NUL. */
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_str(&text, name);
  ee_buffer_add_text(&text, dot);
  ee_buffer_add_str(&text, field);
  ee_str joined = {ee_arena_copy(arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  return joined;
}

/* Fields of different lists must not have the same name; those of one list have been checked. */
static void check_attribute(const attribute_list *attributes, const ee_line_items *items, const ee_rule_node *node,
                            ee_str name) {
  for (size_t i = 0; i < attributes->count; i++) {
    const struct attribute_place *place = &attributes->places[i];
    if (place->list == items || !ee_str_equal(attributes->items[i].name, name)) continue;
    ee_compile_error(attributes->builder, node,
                     "the name '%.*s' occurs twice in ee.line_items, on line %zu and on line %zu (give one of them a "
                     "'name' of its own)",
                     EE_STR_ARG(name), place->node->line, node->line);
    return;
  }
}

/* Numbers the field of `node`, if it is one: ee.ignore is not, nor is an ignored field. */
static void number_field(attribute_list *attributes, const ee_line_items *items, const ee_rule_node *node) {
  for (size_t i = 0; i < items->list.count; i++) {
    const ee_field *field = &items->list.fields[i];
    if (field->node != node) continue;
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

/* Inner lists ----------------------------------------------------------------------------------- */

static void compile_list(ee_plan_builder *builder, const ee_rule_node *node, const ee_line_items *outer,
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
                       "the list '%.*s' occurs twice in ee.line_items, on line %zu and on line %zu (give one of them a "
                       "'name' of its own)",
                       EE_STR_ARG(nested->name), items->nested[k].node->line, nested->node->line);
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
    if (!is_ignored(&items->list, nested->paths.expected)) items->nested_count++;
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

/* Inner lists whose order has no meaning: those paired by content, unless a field of the outer list reads into them,
 * which may depend on the order. */
static void compile_inner(ee_plan_builder *builder, ee_line_items *items) {
  items->inner = EE_NEW_ARRAY(builder->arena, ee_inner_list, items->nested_count);
  for (size_t i = 0; i < items->nested_count; i++) {
    const ee_line_items *nested = &items->nested[i];
    const ee_path *path = nested->paths.expected;
    if (path == NULL || nested->match.method == EE_MATCH_INDEX) continue;
    bool is_read = false;
    for (uint32_t k = 0; k < items->columns.count; k++) {
      const ee_item_column *column = &items->columns.items[k];
      bool same_key = column->path == NULL && path->count == 1 && ee_str_equal(column->key, path->steps[0].key);
      is_read = is_read || same_key || leads_into(column->path, path);
    }
    if (!is_read) items->inner[items->inner_count++] = (ee_inner_list){path, nested->inner, nested->inner_count};
  }
}

/* Options of an inner list; those of the outermost are checked like every judge's. */
static void check_nested_options(ee_plan_builder *builder, const ee_rule_node *node) {
  static const ee_option *const tables[] = {ee_line_items_options, nested_options, NULL};
  ee_options_check(node, "ee.line_items inside another", tables, builder->errors);
  if (ee_rule_node_get(node, "compare_methods").type != EE_RULE_NONE)
    ee_compile_error(builder, node, "option 'compare_methods' belongs to the outermost ee.line_items");
  static const char *const outer[] = {"candidate", "score", "of", "clip"};
  for (size_t i = 0; i < sizeof outer / sizeof *outer; i++)
    if (ee_rule_node_get(node, outer[i]).type != EE_RULE_NONE)
      ee_compile_error(builder, node, "option '%s' belongs to the outermost ee.line_items", outer[i]);
}

/* The options that say how a case is scored, of the outermost list. */
static void compile_score(ee_plan_builder *builder, const ee_rule_node *node, ee_line_items *items) {
  static const ee_aggregate_kind kinds[] = {EE_AGGREGATE_MACRO_F1, EE_AGGREGATE_MICRO_F1, EE_AGGREGATE_COVERAGE,
                                            EE_AGGREGATE_WEIGHTED_AVERAGE};
  items->score = (ee_aggregate){
      .kind = kinds[ee_option_choice(node, "score", SCORES, "macro_f1")], .function = EE_NO_FUNCTION, .weighted = true};
  items->of = (ee_items_of)ee_option_choice(node, "of", EE_ITEMS_OF_CHOICES, "union");
  items->clip = ee_option_number(node, "clip", 0);
  static const char *const names[] = {"of", "clip"};
  for (size_t i = 0; i < 2 && items->score.kind != EE_AGGREGATE_WEIGHTED_AVERAGE; i++)
    if (ee_rule_node_get(node, names[i]).type != EE_RULE_NONE)
      ee_compile_error(builder, node, "option '%s' of ee.line_items belongs to score = \"mean\"", names[i]);
}

static ee_str nested_name(ee_plan_builder *builder, const ee_rule_node *node, const ee_line_items *outer,
                          const ee_path *path) {
  ee_rule_value given = ee_rule_node_get(node, "name");
  if (given.type == EE_RULE_TEXT && ee_str_is_blank(given.text))
    ee_compile_error(builder, node, "the name of ee.line_items is empty");
  ee_str own = given.type == EE_RULE_TEXT ? given.text : path != NULL ? path->text : EE_STR("?");
  return join(builder->arena, outer->name, own);
}

/* `outer`: the list in whose items this one is, or NULL. */
static void compile_list(ee_plan_builder *builder, const ee_rule_node *node, const ee_line_items *outer,
                         ee_line_items *items) {
  *items = (ee_line_items){.node = node};
  ee_item_columns_start(&items->columns, builder->arena);
  compile_list_paths(builder, node, outer != NULL, &items->paths);
  if (outer != NULL) {
    check_nested_options(builder, node);
    items->name = nested_name(builder, node, outer, items->paths.expected);
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
  compile_match(builder, node, items);
  compile_inner(builder, items);
  items->equal_first = equal_comes_first(items);
  items->weight = ee_option_number(node, "weight", 1);
  if (outer == NULL) {
    items->weight = 1; /* that of the judge */
    compile_score(builder, node, items);
  }
  items->pairs_below = ee_option_is(node, "below_threshold", "incorrect");
  if (items->pairs_below && !uses_similarity(&items->match))
    ee_compile_error(builder, node,
                     "below_threshold = \"incorrect\" of ee.line_items needs method 'greedy' or 'optimal'");
  items->compare_methods = ee_option_bool(node, "compare_methods", false);
  if (items->pairs_below && items->compare_methods)
    ee_compile_error(builder, node, "ee.line_items must have 'below_threshold' or 'compare_methods', not both");
  if (items->compare_methods && !uses_similarity(&items->match)) {
    ee_compile_error(builder, node, "option 'compare_methods' of ee.line_items needs method 'greedy' or 'optimal'");
  }
}

/* The weights of the fields of `items` and its inner lists, by attribute. */
static void set_weights(const ee_line_items *items, double *weights) {
  for (size_t i = 0; i < items->list.count; i++) weights[items->fields[i].part] = items->list.fields[i].weight;
  for (size_t i = 0; i < items->nested_count; i++) set_weights(&items->nested[i], weights);
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
  judge->confidence = items->list.confidence;
  uint32_t conditions = 0;
  number_conditions(items, &conditions);
  size_t max = count_attributes(items);
  attribute_list attributes = {.builder = builder,
                               .items = EE_NEW_ARRAY(builder->arena, ee_attribute, max),
                               .places = EE_NEW_ARRAY(builder->arena, struct attribute_place, max)};
  number_attributes(&attributes, items);
  double *weights = EE_NEW_ARRAY(builder->arena, double, max);
  set_weights(items, weights);
  items->weights = weights;
  judge->attributes = attributes.items;
  judge->attribute_count = attributes.count;
  judge->data_attributes = uses_keys_of_data(items);
  judge->calls_script = calls_script(items);
  judge->uses_provider = uses_provider(items);
}

/* Printing -------------------------------------------------------------------------------------- */

static void print_column(const ee_item_columns *columns, uint32_t column, ee_buffer *out) {
  const ee_item_column *item = &columns->items[column];
  ee_add_shown(out, "", item->path != NULL ? item->path->text : item->key, "");
}

/* How greedy and optimal compare items. */
static void print_similarity(const ee_line_items *items, ee_buffer *out) {
  const ee_match_rule *rule = &items->match;
  if (rule->similarity_function != EE_NO_FUNCTION) {
    ee_buffer_add_text(out, "similarity function  (calls Lua)");
  } else if (items->match_score_fields) {
    ee_buffer_add_text(out, "the score fields");
  }
  for (size_t i = 0; i < rule->field_count && !items->match_score_fields; i++) {
    const ee_match_field *field = &rule->fields[i];
    if (i > 0) ee_buffer_add_text(out, ", ");
    if (field->field == NULL) {
      print_column(&items->columns, field->expected_column, out);
      continue;
    }
    ee_field_print(field->field, out);
    if (ee_field_calls_script(field->field)) ee_buffer_add_text(out, "  (calls Lua)");
  }
  char threshold[32];
  ee_double_format_short(rule->threshold, 6, threshold);
  bool optimal = rule->method == EE_MATCH_OPTIMAL;
  ee_buffer_addf(out, ", threshold %s, method %s", threshold, optimal ? "optimal" : "greedy");
  if (optimal && rule->count_first) ee_buffer_add_text(out, ", gate count");
  if (optimal && rule->max_pairs != EE_PAIRS_DEFAULT_MAX)
    ee_buffer_addf(out, ", max_pairs %llu", (unsigned long long)rule->max_pairs);
}

/* Appends the lines of `text`, indented by two more columns. */
static void add_indented(const ee_buffer *text, ee_buffer *out) {
  for (size_t from = 0; from < text->length;) {
    const char *end = memchr(text->data + from, '\n', text->length - from);
    size_t length = end == NULL ? text->length - from : (size_t)(end - (text->data + from)) + 1;
    ee_buffer_add_text(out, "  ");
    ee_buffer_add(out, text->data + from, length);
    from += length;
  }
}

static void print_method(const ee_line_items *items, ee_buffer *out) {
  switch (items->match.method) {
  case EE_MATCH_GREEDY:
  case EE_MATCH_OPTIMAL: print_similarity(items, out); break;
  case EE_MATCH_INDEX: ee_buffer_add_text(out, "method index"); break;
  case EE_MATCH_KEY:
    ee_buffer_add_text(out, "method key, ");
    if (items->match.key_function != EE_NO_FUNCTION) {
      ee_buffer_add_text(out, "function  (calls Lua)");
    } else {
      print_column(&items->columns, items->match.key_column, out);
    }
    break;
  }
}

/* How a case is scored, where it is not as by default. */
static void print_score(const ee_line_items *items, ee_buffer *out) {
  static const char *const of[] = {"union", "longer", "expected"};
  bool mean = items->score.kind == EE_AGGREGATE_WEIGHTED_AVERAGE && items->name.length == 0;
  if (mean) {
    char clip[32];
    ee_double_format_short(items->clip, 6, clip);
    ee_buffer_addf(out, "  score mean of %s", of[items->of]);
    ee_buffer_addf(out, items->clip > 0 ? ", clip %s\n" : "\n", clip);
  } else if (items->score.kind != EE_AGGREGATE_MACRO_F1 && items->name.length == 0) {
    ee_buffer_addf(out, "  score %s\n", ee_aggregate_name(&items->score));
  }
  if (items->pairs_below) ee_buffer_add_text(out, "  pairs below the threshold are incorrect\n");
}

static void print_list(const ee_line_items *items, ee_buffer *out) {
  if (items->name.length > 0) {
    ee_add_shown(out, "  list ", items->paths.expected->text, "");
    ee_add_shown(out, ", fields ", items->name, ".*\n");
  } else {
    ee_list_paths_print(&items->paths, "list", out);
  }
  ee_buffer_add_text(out, "  match ");
  print_method(items, out);
  ee_buffer_add_char(out, '\n');
  print_score(items, out);
  if (items->compare_methods) ee_buffer_add_text(out, "  compares greedy with optimal\n");
  ee_confidence_print(items->list.confidence, out);
  ee_field_list_print(&items->list, out);
  if (items->automatic != NULL) ee_buffer_add_text(out, "  every key of the items  auto\n");
  for (size_t i = 0; i < items->nested_count; i++) {
    ee_buffer inside;
    ee_buffer_init(&inside);
    print_list(&items->nested[i], &inside);
    add_indented(&inside, out);
    ee_buffer_fini(&inside);
  }
}

void ee_line_items_print(const ee_judge *judge, ee_buffer *out) { print_list(judge->data, out); }
