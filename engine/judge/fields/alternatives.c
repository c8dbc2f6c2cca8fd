/* alternatives.c: several correct answers for one field. */
#include "judge/fields/alternatives.h"

#include "data/json/json_in_prose.h"
#include "judge/plan.h"

/* Compiling ------------------------------------------------------------------------------------ */

static const ee_option any_of_options[] = {
    {.name = "match",
     .type = EE_OPTION_STRATEGY,
     .default_text = "ee.auto",
     .help = "A strategy without a path that compares the candidate with the value at each path."},
    {.name = NULL},
};

static void any_of_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  static const ee_rule_node by_type = {.kind = {"auto", 4}};
  ee_rule_value match = ee_rule_node_get(node, "match");
  if (match.type != EE_RULE_NODE) {
    strategy->inner = ee_strategy_compile(builder, &by_type);
    return;
  }
  if (match.node->item_count > 0 && match.node->items[0].type == EE_RULE_TEXT) {
    ee_compile_error(builder, match.node, "the strategy in match of ee.any_of must not have a path, got '%.*s'",
                     (int)ee_utf8_cut(match.node->items[0].text, 100), match.node->items[0].text.data);
    return;
  }
  ee_field_refuse_options(builder, match.node, "the strategy in match of ee.any_of");
  strategy->inner = ee_strategy_compile(builder, match.node);
  if (strategy->inner == NULL) return;
  if (strategy->inner->type->is_ignored || strategy->inner->type == strategy->type) {
    ee_compile_error(builder, match.node, "ee.%s is not allowed in match of ee.any_of", strategy->inner->type->name);
  }
}

/* Fields have the strategy in `match` instead; elsewhere there are no paths, and one correct answer. */
static void any_of_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                           const ee_value *candidate, ee_comparison *result) {
  ee_strategy_compare(strategy->inner, context, expected, candidate, context->place, result);
}

const ee_strategy_type ee_any_of_strategy = {
    .name = "any_of",
    .help = "correct if the candidate equals the value at any of several paths",
    .positional = "[integer] string",
    .options = any_of_options,
    .threshold = 1,
    .compile = any_of_compile,
    .compare = any_of_compare,
};

/* The first path with those that follow it, in one. */
static void compile_paths(ee_plan_builder *builder, const ee_rule_node *node, ee_field *field) {
  if (node->item_count < 2) {
    ee_compile_error(builder, node, "ee.any_of needs at least two paths");
    return;
  }
  size_t count = 0;
  const ee_path **others = EE_NEW_ARRAY(builder->arena, const ee_path *, node->item_count);
  for (size_t i = 1; i < node->item_count; i++) {
    const ee_rule_value *item = &node->items[i];
    const ee_path *path = NULL;
    if (item->type == EE_RULE_TEXT) {
      path = ee_compile_path(builder, node, item->text, "ee.any_of", EE_PATH_SAY_BAD);
    } else {
      ee_compile_error(builder, node, "ee.any_of takes paths (strings), got %s",
                       ee_rule_value_describe(item, builder->arena));
    }
    if (path != NULL) others[count++] = path;
  }
  const ee_path *first = field->expected_path;
  if (first == NULL || field->candidate_path == NULL) return;
  for (size_t i = 0; i <= count; i++) {
    const ee_path *path = i < count ? others[i] : first;
    if (path->wildcards > 0) {
      ee_compile_error(builder, node, "path '%.*s' of ee.any_of has a [*], which it cannot take",
                       EE_STR_ARG(path->text));
    }
  }
  ee_path *all = EE_NEW(builder->arena, ee_path);
  *all = *first;
  all->others = others;
  all->other_count = count;
  field->expected_path = all;
}

void ee_alternatives_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_field *field) {
  bool option = ee_option_bool(node, "alternatives", false);
  const ee_strategy_type *type = field->strategy->type;
  if (type == &ee_any_of_strategy) {
    if (option) ee_compile_error(builder, node, "ee.any_of must not have the option 'alternatives'");
    compile_paths(builder, node, field);
    field->several = EE_SEVERAL_PATHS;
    if (field->strategy->inner == NULL) return;
    ee_strategy *inner = EE_NEW(builder->arena, ee_strategy);
    *inner = *field->strategy->inner;
    inner->empty = field->strategy->empty;
    field->strategy = inner;
    return;
  }
  if (!option) return;
  bool shapes = type == &ee_iou_strategy || type == &ee_distance_strategy;
  field->several = shapes ? EE_SEVERAL_OBJECTS : type->normalizes_elements ? EE_SEVERAL_ARRAYS : EE_SEVERAL_VALUES;
  if (type->is_ignored) ee_compile_error(builder, node, "ee.%s must not have the option 'alternatives'", type->name);
}

/* Judging -------------------------------------------------------------------------------------- */

ee_alternatives ee_alternatives_of(const ee_field *field, const ee_value *expected) {
  bool objects = field->several != EE_SEVERAL_NONE && field->several != EE_SEVERAL_PATHS;
  ee_alternatives found = {.answers = objects ? ee_value_any_of(expected) : NULL};
  for (const ee_value *answer = found.answers != NULL ? ee_value_child(found.answers) : NULL; answer != NULL;
       answer = ee_value_next(answer)) {
    bool empty = ee_value_is_empty(answer, &field->strategy->empty);
    found.filled += !empty;
    found.may_be_empty |= empty;
  }
  found.several = found.answers != NULL;
  bool arrays = field->several != EE_SEVERAL_NONE && field->several != EE_SEVERAL_OBJECTS;
  if (found.several || !arrays || ee_type_of(expected) != EE_ARRAY) return found;
  found.several = true;
  found.answers = expected;
  for (const ee_value *answer = ee_value_child(expected); answer != NULL; answer = ee_value_next(answer)) {
    bool empty = ee_value_is_empty(answer, &field->strategy->empty);
    found.filled += !empty;
    /* A path that is empty has no answer; null in an array in the data is one. */
    found.may_be_empty = found.may_be_empty || (empty && field->several != EE_SEVERAL_PATHS);
    /* A set of strings is one answer. */
    if (field->several == EE_SEVERAL_ARRAYS && !empty && ee_type_of(answer) != EE_ARRAY) return (ee_alternatives){0};
  }
  return found;
}

/* Whether `a` is a better miss than `b`: nearer to a match. */
static bool is_nearer(const ee_comparison *a, const ee_comparison *b) {
  if (a->failed != b->failed) return b->failed;
  if (a->score != b->score) return a->score > b->score;
  if (a->similarity != b->similarity) return a->similarity > b->similarity;
  bool by_distance = a->reason.kind == b->reason.kind &&
                     (a->reason.kind == EE_REASON_OUTSIDE_TOLERANCE || a->reason.kind == EE_REASON_RELATIVE_TOLERANCE ||
                      a->reason.kind == EE_REASON_DATE_DIFFERS || a->reason.kind == EE_REASON_ABOVE);
  return by_distance && a->reason.first < b->reason.first;
}

/* `answer` as its strategy gets it: where the candidate is a text that was read as JSON, a text is read, too, as an
 * expected value that is not one of several is: "1.50" equals "1.50". */
static const ee_value *read_alike(const ee_context *context, const ee_value *answer, const ee_value *candidate) {
  const ee_case *current = context->current;
  bool was_text = candidate != NULL && candidate == current->candidate && current->candidate_text.data != NULL &&
                  ee_type_of(candidate) != EE_STRING;
  if (!was_text || ee_type_of(answer) != EE_STRING) return answer;
  const ee_value *read = ee_json_whole_text(context->arena, ee_value_text(answer), NULL);
  return ee_type_of(read) > EE_NULL ? read : answer;
}

void ee_alternatives_judge(const ee_field *field, ee_context *context, const ee_value *answers,
                           const ee_value *candidate, const ee_script_place *place, ee_field_outcome *outcome) {
  ee_comparison best = {0}, unread = {0};
  const ee_value *best_answer = NULL, *unread_answer = NULL;
  bool candidate_unread = true;
  size_t count = 0;
  for (const ee_value *answer = ee_value_child(answers); answer != NULL; answer = ee_value_next(answer)) {
    if (ee_value_is_empty(answer, &field->strategy->empty)) continue;
    ee_comparison comparison;
    const ee_value *read = read_alike(context, answer, candidate);
    ee_strategy_compare(field->strategy, context, read, candidate, place, &comparison);
    count++;
    if (comparison.unread[EE_EXPECTED] && unread_answer == NULL) {
      unread = comparison;
      unread_answer = answer;
    }
    candidate_unread = candidate_unread && comparison.unread[EE_CANDIDATE];
    bool better = comparison.matched != best.matched ? comparison.matched : is_nearer(&comparison, &best);
    if (best_answer != NULL && !better) continue;
    best = comparison;
    best_answer = answer;
  }
  if (!best.matched && unread_answer != NULL) {
    /* The unreadable one might be the correct one. */
    best = unread;
    best_answer = unread_answer;
  } else if (!best.matched && count > 1) {
    best.reason.nearest = best_answer;
  }
  best.unread[EE_CANDIDATE] = !best.matched && candidate_unread;
  outcome->comparison = best;
  outcome->answer = best_answer;
}
