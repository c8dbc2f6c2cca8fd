/* field_list.c: compiling the strategies of a judge, and asking their conditions. */
#include "judge/fields/field_list.h"

#include <math.h>

#include "judge/plan.h"

/* Reports `item` unless it is a strategy. */
static bool is_strategy(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                        const ee_rule_value *item) {
  if (item->type == EE_RULE_NODE) {
    if (item->node->definition != NULL || ee_strategy_type_find(item->node->kind) != NULL) return true;
    ee_compile_error(builder, item->node, "%s stands inside %s, which takes strategies",
                     ee_rule_value_describe(item, builder->arena), subject);
  } else if (item->type == EE_RULE_TEXT) {
    ee_compile_error(builder, node, "'%.*s' has no strategy in %s (did you mean 'ee.exact \"%.*s\"'?)",
                     (int)item->text.length, item->text.data, subject, (int)item->text.length, item->text.data);
  } else {
    ee_compile_error(builder, node, "%s where a strategy belongs in %s", ee_rule_value_describe(item, builder->arena),
                     subject);
  }
  return false;
}

/* A list inside the items of another. */
static bool is_item_list(const ee_rule_value *item) {
  return item->type == EE_RULE_NODE && item->node->definition == NULL && ee_str_is(item->node->kind, "line_items");
}

static const ee_rule_node *place_of(const ee_field *field) { return field->strategy->node; }

/* Reports `field` when one of those before it has its name. */
static void check_name(ee_plan_builder *builder, const char *subject, const ee_field *fields, size_t count,
                       const ee_field *field) {
  for (size_t i = 0; i < count; i++) {
    if (!ee_str_equal(fields[i].name, field->name)) continue;
    bool same_path = ee_str_equal(fields[i].expected_path->text, field->expected_path->text);
    ee_compile_error(
        builder, place_of(field),
        "the %s '%.*s' stands twice in %s, on line %zu and on line %zu (give one of them a 'name' of its own)",
        same_path ? "path" : "name", (int)field->name.length, field->name.data, subject, place_of(&fields[i])->line,
        place_of(field)->line);
    return;
  }
}

static void check_weights(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                          const ee_field *fields, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(fields[i].weight >= 0)) return; /* has been reported where it stands */
    sum += fields[i].weight;
  }
  ee_compile_check_weights(builder, node, ee_arena_printf(builder->arena, "of %s", subject), count, sum);
}

/* True when `path` is that of an ee.ignore of the list. */
static bool is_ignored(const ee_field_list *list, ee_str path) {
  for (size_t i = 0; i < list->ignored_count; i++) {
    if (ee_str_equal(list->ignored[i].expected_path->text, path)) return true;
  }
  return false;
}

void ee_field_list_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, size_t first,
                           bool allow_wildcard, ee_field_list *list) {
  size_t most = node->item_count > first ? node->item_count - first : 0;
  ee_field *fields = EE_NEW_ARRAY(builder->arena, ee_field, most);
  ee_field *ignored = EE_NEW_ARRAY(builder->arena, ee_field, most);
  *list = (ee_field_list){.fields = fields, .ignored = ignored};
  for (size_t i = first; i < node->item_count; i++) {
    if (!allow_wildcard && is_item_list(&node->items[i])) continue;
    if (!is_strategy(builder, node, subject, &node->items[i])) continue;
    ee_field field = {0};
    if (!ee_field_compile(builder, node->items[i].node, allow_wildcard, &field)) continue;
    if (field.ignored) {
      ignored[list->ignored_count++] = field;
    } else {
      check_name(builder, subject, fields, list->count, &field);
      fields[list->count++] = field;
    }
  }
  /* ee.ignore takes its path out, wherever in the list it stands. */
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (!is_ignored(list, fields[i].expected_path->text)) fields[kept++] = fields[i];
  }
  list->count = kept;
  check_weights(builder, node, subject, fields, kept);
}

bool ee_field_calls_script(const ee_field *field) {
  return field->when != EE_NO_FUNCTION || ee_strategy_calls_script(field->strategy);
}

bool ee_field_list_calls_script(const ee_field_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    if (ee_field_calls_script(&list->fields[i])) return true;
  }
  return false;
}

bool ee_field_list_uses_provider(const ee_field_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    if (ee_strategy_uses_provider(list->fields[i].strategy)) return true;
  }
  return false;
}

const ee_attribute *ee_field_list_attributes(ee_plan_builder *builder, const ee_field_list *list) {
  ee_attribute *attributes = EE_NEW_ARRAY(builder->arena, ee_attribute, list->count);
  for (size_t i = 0; i < list->count; i++) attributes[i].name = list->fields[i].name;
  return attributes;
}

static void print_field(const ee_field *field, ee_buffer *out) {
  ee_buffer_add_text(out, "  ");
  ee_field_print(field, out);
  if (!field->ignored && ee_field_calls_script(field)) ee_buffer_add_text(out, "  (calls Lua)");
  ee_buffer_add_char(out, '\n');
}

void ee_field_list_print(const ee_field_list *list, ee_buffer *out) {
  for (size_t i = 0; i < list->count; i++) print_field(&list->fields[i], out);
  for (size_t i = 0; i < list->ignored_count; i++) print_field(&list->ignored[i], out);
}

ee_condition ee_field_condition(const ee_field *field, ee_context *context) {
  if (field->when == EE_NO_FUNCTION) return (ee_condition){.judged = true};
  bool judged = false;
  ee_error error = {0};
  if (context->plan->vtable->condition(context->script, field->when, &judged, &error) == EE_OK) {
    return (ee_condition){.judged = judged};
  }
  return (ee_condition){.judged = true, .failed = true, .error = ee_context_rule_error(context, &error)};
}

/* Without a known condition nothing can match. */
static void judge_failed(const ee_field *field, const ee_condition *condition, const ee_value *expected,
                         const ee_value *candidate, ee_field_outcome *outcome) {
  bool expected_empty = ee_value_is_empty(expected, &field->strategy->empty);
  bool candidate_empty = ee_value_is_empty(candidate, &field->strategy->empty);
  ee_class value_class = EE_CLASS_WRONG;
  if (expected_empty) value_class = candidate_empty ? EE_CLASS_TN : EE_CLASS_INVENTED;
  if (candidate_empty && !expected_empty) value_class = EE_CLASS_MISSING;
  *outcome = (ee_field_outcome){.value_class = value_class, .scored = true};
  outcome->comparison.failed = true;
  outcome->comparison.reason = (ee_reason){.kind = EE_REASON_TEXT, .text = condition->error};
}

void ee_field_judge_when(const ee_field *field, const ee_condition *condition, ee_field_rules rules,
                         ee_context *context, const ee_value *expected, const ee_value *candidate,
                         const ee_script_place *place, ee_field_outcome *outcome) {
  if (condition->failed) {
    judge_failed(field, condition, expected, candidate, outcome);
  } else {
    ee_field_judge(field, rules, context, expected, candidate, place, outcome);
  }
}

ee_script_place ee_field_place(const ee_field *field, const ee_value *expected_item, const ee_value *candidate_item) {
  const ee_rule_node *node = field->strategy->node;
  return (ee_script_place){.path = field->expected_path->text,
                           .options = node != NULL && node->definition != NULL ? node : NULL,
                           .expected_item = expected_item,
                           .candidate_item = candidate_item};
}
