/* line_items_compile.c: what ee.line_items says, checked and compiled. */
#include <math.h>

#include "judge/line_items.h"

const ee_option ee_line_items_options[] = {
    {.name = "match",
     .type = EE_OPTION_TEXT_OR_TABLE,
     .standard = "\"description\"",
     .help =
         "What decides which items belong together: a field, \"fields\" (the score fields themselves), or a table of "
         "fields and strategies with threshold, method, key or similarity."},
    {.name = NULL},
};

const ee_option ee_line_items_match_options[] = {
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .standard = "0.8",
     .help = "Pairs below this similarity are none.",
     .min = 0,
     .max = 1},
    {.name = "method",
     .type = EE_OPTION_CHOICE,
     .standard = "\"greedy\"",
     .help = "greedy: the best remaining pair first; key: equal keys; index: by position.",
     .choices = "greedy|key|index"},
    {.name = "key",
     .type = EE_OPTION_TEXT,
     .standard = "the only field",
     .help = "Of method key: the field that identifies an item, or a function of an item that returns its key."},
    {.name = "similarity",
     .type = EE_OPTION_FUNCTION,
     .standard = "none",
     .help = "A function of the expected and the candidate item that returns true, false or 0..1, instead of fields."},
    {.name = NULL},
};

/* What is known while `match` is compiled. */
typedef struct match_builder {
  ee_plan_builder *builder;
  const ee_spec *spec; /* of ee.line_items: where messages point */
  ee_line_items *items;
  ee_match_field *fields;
  size_t count;
} match_builder;

static const ee_path *item_path(ee_plan_builder *builder, const ee_spec *spec, ee_str text, const char *subject) {
  ee_error error = {0};
  const ee_path *path = ee_path_parse(builder->arena, text, &error);
  if (path == NULL) {
    ee_plan_error(builder, spec, "%s: %s", subject, error.message);
  } else if (path->wildcards > 0) {
    ee_plan_error(builder, spec, "%s: path '%.*s' has a [*], which only ee.fields takes", subject, (int)text.length,
                  text.data);
  }
  return path;
}

static void check_same_match(match_builder *m, uint32_t column, ee_str path) {
  for (size_t i = 0; i < m->count; i++) {
    if (m->fields[i].expected_column != column) continue;
    ee_plan_error(m->builder, m->spec, "match of ee.line_items has '%.*s' twice", (int)path.length, path.data);
    return;
  }
}

/* A field by name: the default similarity. */
static void add_match_text(match_builder *m, ee_str text) {
  const ee_path *path = item_path(m->builder, m->spec, text, "match of ee.line_items");
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

static void add_match_node(match_builder *m, const ee_spec *node) {
  ee_field *field = EE_NEW(m->builder->arena, ee_field);
  if (node->definition == NULL && ee_strategy_type_find(node->kind) == NULL) {
    ee_spec_value value = {.type = EE_SPEC_NODE, .spec = node};
    ee_plan_error(m->builder, node, "%s stands inside match, which takes fields and strategies",
                  ee_spec_describe(&value, m->builder->arena));
    return;
  }
  if (!ee_field_compile(m->builder, node, false, field)) return;
  if (field->ignored || field->when != EE_NO_FUNCTION) {
    ee_plan_error(m->builder, node, "match of ee.line_items takes %s", field->ignored ? "no ee.ignore" : "no 'when'");
    return;
  }
  add_match_field(m, field);
}

static void add_match_items(match_builder *m, const ee_spec *table) {
  for (size_t i = 0; i < table->item_count; i++) {
    const ee_spec_value *item = &table->items[i];
    if (item->type == EE_SPEC_TEXT) {
      add_match_text(m, item->text);
    } else if (item->type == EE_SPEC_NODE) {
      add_match_node(m, item->spec);
    } else {
      ee_plan_error(m->builder, m->spec, "match of ee.line_items takes fields and strategies, item %zu is %s%s", i + 1,
                    ee_spec_describe(item, m->builder->arena),
                    item->type == EE_SPEC_FUNCTION ? " (did you mean 'similarity = function'?)" : "");
    }
  }
}

/* Checks the options of the table. Method and key are checked here, since their messages say more than the row could;
 * the copy leaves them out. */
static void check_match_options(match_builder *m, const ee_spec *table, ee_match_rule *rule) {
  static const ee_option *const tables[] = {ee_line_items_match_options, NULL};
  ee_spec copy = *table;
  if (copy.file == NULL || copy.line == 0) {
    copy.file = m->spec->file;
    copy.line = m->spec->line;
  }
  ee_spec_option *options = EE_NEW_ARRAY(m->builder->arena, ee_spec_option, table->option_count);
  copy.options = options;
  copy.option_count = 0;
  for (size_t i = 0; i < table->option_count; i++) {
    const ee_spec_option *option = &table->options[i];
    bool optimal = ee_str_is(option->name, "method") && option->value.type == EE_SPEC_TEXT &&
                   ee_str_is(option->value.text, "optimal");
    if (optimal) {
      ee_plan_error(m->builder, &copy, "method 'optimal' is not available in this version (greedy, key, index)");
    } else if (ee_str_is(option->name, "max_pairs")) {
      ee_plan_error(m->builder, &copy,
                    "option 'max_pairs' belongs to method 'optimal', which is not available in this version");
    } else if (ee_str_is(option->name, "key")) {
      if (option->value.type != EE_SPEC_TEXT && option->value.type != EE_SPEC_FUNCTION) {
        ee_plan_error(m->builder, &copy, "option 'key' of match must be a field (a string) or a function, got %s",
                      ee_spec_describe(&option->value, m->builder->arena));
      }
    } else {
      options[copy.option_count++] = *option;
    }
  }
  ee_options_check(&copy, "match", tables, m->builder->errors);
  rule->threshold = ee_option_number(table, "threshold", 0.8);
  rule->similarity_function = ee_option_function(table, "similarity");
  rule->key_function = ee_option_function(table, "key");
  bool has_key = ee_spec_get(table, "key").type != EE_SPEC_NONE;
  rule->method = (ee_match_method)ee_option_choice(table, "method", "greedy|key|index", has_key ? "key" : "greedy");
}

/* Method key: by the option, else by the only field. Leaves the rule without match fields. */
static void compile_key(match_builder *m, const ee_spec *table, ee_match_rule *rule) {
  ee_spec_value key = ee_spec_get(table, "key");
  if (key.type == EE_SPEC_TEXT) {
    const ee_path *path = item_path(m->builder, m->spec, key.text, "option 'key' of match");
    if (path != NULL) rule->key_column = ee_item_columns_add(&m->items->columns, path);
  } else if (key.type == EE_SPEC_NONE) {
    if (table->item_count == 1 && table->items[0].type == EE_SPEC_TEXT) {
      if (m->count == 1) rule->key_column = m->fields[0].expected_column;
      m->count = 0;
      return;
    }
    ee_plan_error(m->builder, m->spec, "method 'key' of match needs option 'key'");
  }
}

/* A method may be swapped for another by changing one word, so key and index pass over the fields, the threshold and the
 * similarity that greedy would use. What contradicts itself is a mistake. */
static void check_unused(match_builder *m, const ee_spec *table, const ee_match_rule *rule) {
  static const char *const names[] = {"greedy", "key", "index"};
  if (rule->method != EE_MATCH_KEY && ee_spec_get(table, "key").type != EE_SPEC_NONE) {
    ee_plan_error(m->builder, m->spec, "option 'key' of match belongs to method 'key', not to '%s'",
                  names[rule->method]);
  }
  if (rule->method == EE_MATCH_GREEDY) {
    if (m->count > 0 && rule->similarity_function != EE_NO_FUNCTION) {
      ee_plan_error(m->builder, m->spec,
                    "match of ee.line_items has fields and a similarity function, of which one decides");
    }
    return;
  }
  m->count = 0;
}

static void check_match_weights(match_builder *m) {
  double sum = 0;
  for (size_t i = 0; i < m->count; i++) sum += m->fields[i].weight;
  if (m->count > 0 && !(sum > 0)) ee_plan_error(m->builder, m->spec, "the weights in match of ee.line_items sum to 0");
  if (isinf(sum))
    ee_plan_error(m->builder, m->spec, "the weights in match of ee.line_items are too large to be added up");
}

static void compile_match(ee_plan_builder *builder, const ee_spec *spec, ee_line_items *items) {
  ee_spec_value value = ee_spec_get(spec, "match");
  ee_match_rule *rule = &items->match;
  *rule = (ee_match_rule){.threshold = 0.8,
                          .similarity_function = EE_NO_FUNCTION,
                          .key_function = EE_NO_FUNCTION,
                          .key_column = EE_NO_COLUMN,
                          .pair_limit = EE_MATCH_PAIR_LIMIT};
  size_t most = value.type == EE_SPEC_TABLE ? value.spec->item_count : 0;
  match_builder m = {.builder = builder, .spec = spec, .items = items};
  m.fields = EE_NEW_ARRAY(builder->arena, ee_match_field, (most > items->list.count ? most : items->list.count) + 1);
  if (value.type == EE_SPEC_TABLE) {
    check_match_options(&m, value.spec, rule);
    size_t errors_before = builder->errors->count;
    add_match_items(&m, value.spec);
    if (rule->method == EE_MATCH_KEY) compile_key(&m, value.spec, rule);
    check_unused(&m, value.spec, rule);
    bool needs_fields = rule->method == EE_MATCH_GREEDY && rule->similarity_function == EE_NO_FUNCTION;
    if (m.count == 0 && needs_fields && builder->errors->count == errors_before)
      add_match_text(&m, EE_STR("description"));
    check_match_weights(&m);
  } else if (value.type == EE_SPEC_TEXT && ee_str_is(value.text, "fields")) {
    items->match_score_fields = true;
    for (size_t i = 0; i < items->list.count; i++) {
      /* The same path under two names is two fields here too: both score. */
      const ee_field *field = &items->list.fields[i];
      m.fields[m.count++] = (ee_match_field){.field = field,
                                             .empty = field->strategy->empty,
                                             .weight = field->weight,
                                             .expected_column = items->fields[i].expected_column,
                                             .candidate_column = items->fields[i].candidate_column};
    }
  } else if (value.type == EE_SPEC_TEXT) {
    add_match_text(&m, value.text);
  } else {
    add_match_text(&m, EE_STR("description"));
  }
  rule->fields = m.fields;
  rule->field_count = m.count;
}

/* Equal items come first in greedy matching when their similarity is 1 and all their fields match: nothing may call a
 * script, and each field must read the same place on both sides. */
static bool equal_comes_first(const ee_line_items *items) {
  const ee_match_rule *rule = &items->match;
  if (rule->method != EE_MATCH_GREEDY || rule->similarity_function != EE_NO_FUNCTION) return false;
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

static bool match_calls_script(const ee_match_rule *rule) {
  if (rule->similarity_function != EE_NO_FUNCTION || rule->key_function != EE_NO_FUNCTION) return true;
  for (size_t i = 0; i < rule->field_count; i++) {
    if (rule->fields[i].field != NULL && ee_field_calls_script(rule->fields[i].field)) return true;
  }
  return false;
}

static bool match_asks_provider(const ee_match_rule *rule) {
  for (size_t i = 0; i < rule->field_count; i++) {
    if (rule->fields[i].field != NULL && ee_strategy_asks_provider(rule->fields[i].field->strategy)) return true;
  }
  return false;
}

static const ee_path *compile_list_path(ee_plan_builder *builder, const ee_spec *spec) {
  if (spec->item_count > 0 && spec->items[0].type == EE_SPEC_TEXT) {
    return item_path(builder, spec, spec->items[0].text, "ee.line_items");
  }
  ee_plan_error(builder, spec, "ee.line_items needs the path of the list as its first value%s%s",
                spec->item_count > 0 ? ", got " : "",
                spec->item_count > 0 ? ee_spec_describe(&spec->items[0], builder->arena) : "");
  return NULL;
}

/* ee.auto for keys that only the data knows. */
static const ee_strategy *automatic_strategy(ee_plan_builder *builder, const ee_spec *spec) {
  ee_spec *node = EE_NEW(builder->arena, ee_spec);
  node->kind = EE_STR("auto");
  node->file = spec->file;
  node->line = spec->line;
  return ee_strategy_compile(builder, node);
}

void ee_line_items_compile(ee_plan_builder *builder, const ee_spec *spec, ee_judge *judge) {
  ee_line_items *items = EE_NEW(builder->arena, ee_line_items);
  judge->data = items;
  ee_item_columns_start(&items->columns, builder->arena);
  items->path = compile_list_path(builder, spec);
  bool path_given = spec->item_count > 0 && spec->items[0].type != EE_SPEC_NODE;
  ee_field_list_compile(builder, spec, "ee.line_items", path_given ? 1 : 0, false, &items->list);
  ee_item_field *fields = EE_NEW_ARRAY(builder->arena, ee_item_field, items->list.count);
  for (size_t i = 0; i < items->list.count; i++) {
    const ee_field *field = &items->list.fields[i];
    fields[i].field = field;
    fields[i].expected_column = ee_item_columns_add(&items->columns, field->expected_path);
    fields[i].candidate_column = ee_item_columns_add(&items->columns, field->candidate_path);
  }
  items->fields = fields;
  if (items->list.count == 0) items->automatic = automatic_strategy(builder, spec);
  compile_match(builder, spec, items);
  items->equal_first = equal_comes_first(items);
  judge->attributes = ee_field_list_attributes(builder, &items->list);
  judge->attribute_count = items->list.count;
  judge->calls_script = ee_field_list_calls_script(&items->list) || match_calls_script(&items->match);
  judge->asks_provider = ee_field_list_asks_provider(&items->list) || match_asks_provider(&items->match);
}
