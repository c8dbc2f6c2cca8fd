/* line_items_match.c: what the option `match` of ee.line_items says, checked and compiled. */
#include <math.h>

#include "judge/line_items/line_items.h"
#include "judge/pairing/pairs.h"

const ee_option ee_line_items_match_options[] = {
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.8",
     .help = "Pairs below this similarity are none.",
     .min = 0,
     .max = 1},
    {.name = "method",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"greedy\"",
     .help = "greedy: the best remaining pair first; optimal: the largest total similarity; key: equal keys; index: by "
             "position.",
     .choices = EE_MATCH_METHODS},
    {.name = "score_fields",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "The score fields decide, as with match = \"fields\", with the options of this table."},
    EE_PAIRS_MAX_OPTION(
        "expected items x candidate items",
        "Above it optimal falls back to greedy, and every report says so. All pairs of a case count here, whatever "
        "their similarity."),
    {.name = "key",
     .type = EE_OPTION_TEXT,
     .default_text = "the only field",
     .help = "Of method key: the field that identifies an item, or a function of an item that returns its key."},
    {.name = "similarity",
     .type = EE_OPTION_FUNCTION,
     .default_text = "none",
     .help = "A function of the expected and the candidate item that returns true, false or 0..1, instead of fields."},
    {.name = NULL},
};

/* What is known while `match` is compiled. */
typedef struct match_builder {
  ee_plan_builder *builder;
  const ee_rule_node *node; /* of ee.line_items: where messages point */
  ee_line_items *items;
  ee_match_field *fields;
  size_t count;
} match_builder;

static void check_same_match(match_builder *m, uint32_t column, ee_str path) {
  for (size_t i = 0; i < m->count; i++) {
    if (m->fields[i].expected_column != column) continue;
    ee_compile_error(m->builder, m->node, "match of ee.line_items has '%.*s' twice", (int)path.length, path.data);
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
    ee_compile_error(m->builder, node, "%s stands inside match, which takes fields and strategies",
                     ee_rule_value_describe(&value, m->builder->arena));
    return;
  }
  if (!ee_field_compile(m->builder, node, false, field)) return;
  if (field->ignored || field->when != EE_NO_FUNCTION) {
    ee_compile_error(m->builder, node, "match of ee.line_items takes %s",
                     field->ignored ? "no ee.ignore" : "no 'when'");
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

/* Checks the options of the table. Those are checked here of which there is more to say than the row could; the copy
 * leaves them out. */
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
      ee_compile_error(m->builder, &copy,
                       "option 'compare_methods' stands beside match in ee.line_items, not inside it");
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

static bool goes_by_similarity(const ee_match_rule *rule) {
  return rule->method == EE_MATCH_GREEDY || rule->method == EE_MATCH_OPTIMAL;
}

/* A method may be swapped for another by changing one word, so key and index pass over the fields, the threshold and
 * the similarity that greedy and optimal would use, and all but optimal over max_pairs. What contradicts itself is a
 * mistake. */
static void check_unused(match_builder *m, const ee_rule_node *table, const ee_match_rule *rule) {
  static const char *const names[] = {"greedy", "optimal", "key", "index"};
  if (rule->method != EE_MATCH_KEY && ee_rule_node_get(table, "key").type != EE_RULE_NONE) {
    ee_compile_error(m->builder, m->node, "option 'key' of match belongs to method 'key', not to '%s'",
                     names[rule->method]);
  }
  if (!goes_by_similarity(rule)) {
    m->count = 0;
    m->items->match_score_fields = false;
    return;
  }
  if (m->count > 0 && rule->similarity_function != EE_NO_FUNCTION) {
    ee_compile_error(m->builder, m->node,
                     "match of ee.line_items has fields and a similarity function, of which one decides");
  } else if (m->items->match_score_fields && (m->count > 0 || rule->similarity_function != EE_NO_FUNCTION)) {
    ee_compile_error(m->builder, m->node, "match of ee.line_items has score_fields and %s, of which one decides",
                     m->count > 0 ? "fields of its own" : "a similarity function");
  }
}

static void check_match_weights(match_builder *m) {
  double sum = 0;
  for (size_t i = 0; i < m->count; i++) sum += m->fields[i].weight;
  ee_compile_check_weights(m->builder, m->node, "in match of ee.line_items", m->count, sum > 0 ? sum : 0);
}

/* The score fields decide; the same path under two names is two fields here too: both score. */
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
  bool needs_fields = goes_by_similarity(rule) && rule->similarity_function == EE_NO_FUNCTION;
  if (m->count == 0 && needs_fields && m->builder->errors->count == errors_before)
    add_match_text(m, EE_STR("description"));
  check_match_weights(m);
}

void ee_line_items_compile_match(ee_plan_builder *builder, const ee_rule_node *node, ee_line_items *items) {
  ee_rule_value value = ee_rule_node_get(node, "match");
  ee_match_rule *rule = &items->match;
  *rule = (ee_match_rule){.threshold = 0.8,
                          .similarity_function = EE_NO_FUNCTION,
                          .key_function = EE_NO_FUNCTION,
                          .key_column = EE_NO_COLUMN,
                          .pair_limit = EE_PAIRS_LIMIT,
                          .max_pairs = EE_PAIRS_DEFAULT_MAX};
  size_t most = (value.type == EE_RULE_TABLE ? value.node->item_count : 0) + items->list.count + 1;
  match_builder m = {.builder = builder, .node = node, .items = items};
  m.fields = EE_NEW_ARRAY(builder->arena, ee_match_field, most);
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
}
