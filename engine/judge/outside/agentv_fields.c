/* agentv_fields.c: field_accuracy and iou_score of a YAML data set as nodes. */
#include "judge/aggregate.h"
#include "judge/outside/agentv_node.h"
#include "judge/strategy/strategy.h"

/* field_accuracy ------------------------------------------------------------------------------- */

static const ee_option field_rows[] = {
    {.name = "path", .type = EE_OPTION_PATH},
    {.name = "match", .type = EE_OPTION_TEXT},
    {.name = NULL},
};

static const ee_option field_accuracy_rows[] = {
    {.name = "fields", .type = EE_OPTION_TABLE},
    {.name = "aggregation", .type = EE_OPTION_CHOICE, .choices = EE_AGGREGATE_CHOICES},
    {.name = NULL},
};

/* Those that need nothing from Lua. */
static bool is_plain_strategy(const ee_strategy_type *type) { return !type->calls_script; }

/* The strategy that the field's `match` means; NULL with a mistake. */
static const ee_strategy_type *find_match(ee_agentv_builder *builder, const ee_value *field, const char *subject) {
  const ee_value *match = ee_value_member(field, EE_STR("match"), NULL);
  if (ee_type_of(match) <= EE_NULL) {
    ee_agentv_report(builder, EE_ERROR_RULES, field, "%s has no match (exact, numeric_tolerance or date)", subject);
    return NULL;
  }
  if (ee_type_of(match) != EE_STRING) {
    ee_agentv_report(builder, EE_ERROR_RULES, match, "the match of %s must be a string, got %s", subject,
                     ee_type_name(match));
    return NULL;
  }
  const char *word = ee_agentv_word_of(builder->arena, ee_value_text(match));
  if (strcmp(word, "numeric_tolerance") == 0) return ee_strategy_type_find(EE_STR("numeric"));
  const ee_strategy_type *type = ee_strategy_type_find(ee_str_from(word));
  if (type != NULL && is_plain_strategy(type)) return type;
  if (type != NULL) {
    ee_agentv_report(builder, EE_ERROR_RULES, match, "match '%s' of %s needs Lua: write a rule file for it", word,
                     subject);
    return NULL;
  }
  const char *words[32] = {"numeric_tolerance"};
  size_t count = 1;
  for (const ee_strategy_type *const *at = ee_strategy_types; *at != NULL && count + 1 < 32; at++) {
    if (is_plain_strategy(*at)) words[count++] = (*at)->name;
  }
  ee_agentv_report(builder, EE_ERROR_RULES, match, "unknown match %s of %s%s",
                   ee_agentv_quoted(builder, ee_value_text(match)), subject,
                   ee_agentv_suggestion(builder, ee_str_from(word), words));
  return NULL;
}

/* One field as a strategy; NULL with a mistake. */
static const ee_rule_node *field_to_node(ee_agentv_builder *builder, const ee_value *field, size_t number,
                                         ee_str name) {
  const char *subject =
      ee_arena_printf(builder->arena, "field %zu of evaluator %s", number, ee_agentv_quoted(builder, name));
  if (ee_type_of(field) != EE_OBJECT) {
    ee_agentv_report(builder, EE_ERROR_RULES, field, "%s must be a mapping with path and match, got %s", subject,
                     ee_type_name(field));
    return NULL;
  }
  const ee_value *path = ee_value_member(field, EE_STR("path"), NULL);
  if (ee_type_of(path) <= EE_NULL) {
    ee_agentv_report(builder, EE_ERROR_RULES, field, "%s has no path", subject);
    return NULL;
  }
  if (ee_type_of(path) == EE_STRING)
    subject = ee_arena_printf(builder->arena, "field %s", ee_agentv_quoted(builder, ee_value_text(path)));
  const ee_strategy_type *type = find_match(builder, field, subject);
  if (type == NULL) return NULL;
  const ee_option *tables[] = {field_rows, type->options != NULL ? type->options : ee_strategy_shared_options,
                               ee_strategy_shared_options, NULL};
  ee_agentv_node n = ee_agentv_start(builder, type->name, field, subject, tables);
  for (const ee_value *member = ee_value_child(field); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL || ee_agentv_is_key(member, "match")) continue;
    if (ee_agentv_is_key(member, "path")) {
      ee_agentv_set_item(&n, member);
    } else {
      ee_agentv_add(&n, member, NULL);
    }
  }
  return ee_agentv_finish_node(&n);
}

static void take_fields(ee_agentv_node *n, const ee_value *list, ee_str name) {
  ee_agentv_builder *builder = n->builder;
  if (ee_type_of(list) != EE_ARRAY || ee_value_count(list) == 0) {
    ee_agentv_report(builder, EE_ERROR_RULES, list, "fields of %s must be a list of mappings, got %s", n->subject,
                     ee_type_of(list) == EE_ARRAY ? "an empty one" : ee_type_name(list));
    return;
  }
  ee_rule_value *items = EE_NEW_ARRAY(builder->arena, ee_rule_value, ee_value_count(list));
  n->node->items = items;
  size_t number = 0;
  for (const ee_value *field = ee_value_child(list); field != NULL; field = ee_value_next(field)) {
    const ee_rule_node *node = field_to_node(builder, field, ++number, name);
    if (node != NULL) items[n->node->item_count++] = (ee_rule_value){.type = EE_RULE_NODE, .node = node};
  }
}

const ee_rule_node *ee_agentv_fields_to_node(ee_agentv_builder *builder, const ee_value *value, ee_str name) {
  const ee_option *const tables[] = {ee_agentv_rows, field_accuracy_rows, ee_fields_judge.options,
                                     ee_judge_shared_options, NULL};
  ee_agentv_node n = ee_agentv_start(builder, ee_fields_judge.name, value, ee_agentv_subject(builder, name), tables);
  bool has_fields = false;
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL || ee_agentv_take_common(&n, member, name)) continue;
    if (ee_agentv_is_key(member, "fields")) {
      take_fields(&n, member, name);
      has_fields = true;
    } else {
      ee_agentv_add(&n, member, ee_agentv_is_key(member, "aggregation") ? "aggregate" : NULL);
    }
  }
  if (!has_fields) ee_agentv_report(builder, EE_ERROR_RULES, value, "%s has no fields", n.subject);
  return ee_evaluator_finish(&n, name);
}

/* iou_score ------------------------------------------------------------------------------------ */

const ee_rule_node *ee_agentv_iou_to_node(ee_agentv_builder *builder, const ee_value *value, ee_str name) {
  static const ee_option path_row[] = {{.name = "path", .type = EE_OPTION_PATH}, {.name = NULL}};
  bool overlap = ee_agentv_is_overlap(value);
  /* The rows of the judge stand first where `metric` is theirs. */
  const ee_option *const tables[] = {overlap ? ee_iou_score_judge.options : ee_agentv_rows,
                                     overlap ? ee_agentv_rows : ee_iou_score_judge.options, path_row,
                                     ee_judge_shared_options, NULL};
  ee_agentv_node n = ee_agentv_start(builder, ee_iou_score_judge.name, value, ee_agentv_subject(builder, name), tables);
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL) continue;
    if (overlap && ee_agentv_is_key(member, "metric")) {
      ee_agentv_add(&n, member, NULL);
    } else if (ee_agentv_take_common(&n, member, name)) {
      continue;
    } else if (ee_agentv_is_key(member, "path")) {
      ee_agentv_set_item(&n, member);
    } else {
      ee_agentv_add(&n, member, NULL);
    }
  }
  return ee_evaluator_finish(&n, name);
}
