/* field.c: fields and lists of them: compiled, judged pair by pair, printed. */
#include "judge/fields/field.h"

#include <math.h>

#include "base/hash_index.h"
#include "base/printable.h"
#include "data/json/json_query.h"
#include "data/json/json_writer.h"
#include "judge/confidence.h"
#include "judge/fields/alternatives.h"
#include "judge/plan.h"

/* Compiling ------------------------------------------------------------------------------------ */

/* The node for messages: "ee.numeric". */
static const char *subject_of(ee_plan_builder *builder, const ee_rule_node *node) {
  ee_rule_value value = {.type = EE_RULE_NODE, .node = node};
  return ee_rule_value_describe(&value, builder->arena);
}

static const ee_path *compile_path(ee_plan_builder *builder, const ee_rule_node *node) {
  if (node->item_count > 0 && node->items[0].type == EE_RULE_TEXT)
    return ee_compile_path(builder, node, node->items[0].text, NULL, EE_PATH_SAY_BAD);
  const char *subject = subject_of(builder, node);
  if (node->item_count == 0) {
    ee_compile_error(builder, node, "%s needs a path as its first value", subject);
  } else {
    ee_compile_error(builder, node, "%s needs a path (a string) as its first value, got %s", subject,
                     ee_rule_value_describe(&node->items[0], builder->arena));
  }
  return NULL;
}

/* Decides how the values of the two paths are paired: [*] by [*], or the values that queries find. */
static void compile_pairing(ee_plan_builder *builder, const ee_rule_node *node, bool allowed, ee_field *field) {
  const ee_path *expected = field->expected_path, *candidate = field->candidate_path;
  bool takes_all =
      expected->query != NULL && (field->strategy->type->normalizes_elements || field->several != EE_SEVERAL_NONE);
  bool walked = allowed && !takes_all && expected->wildcards > 0 && expected->wildcards == candidate->wildcards;
  field->pairs_nodes =
      !walked && field->several != EE_SEVERAL_PATHS && (expected->query != NULL || candidate->query != NULL);
  bool bad =
      (expected->wildcards > 0 && expected->query == NULL) || (candidate->wildcards > 0 && candidate->query == NULL);
  if (walked || (field->pairs_nodes && !bad)) return;
  const ee_path *with = expected->wildcards > 0 ? expected : candidate;
  if (with->wildcards > 0 && !allowed) {
    ee_compile_error(builder, node, "path '%.*s' has a [*], which only ee.fields takes", (int)with->text.length,
                     with->text.data);
  } else if (expected->wildcards != candidate->wildcards) {
    ee_compile_error(builder, node, "path '%.*s' and its candidate path '%.*s' differ in their number of [*]",
                     (int)expected->text.length, expected->text.data, (int)candidate->text.length,
                     candidate->text.data);
  }
}

bool ee_field_compile(ee_plan_builder *builder, const ee_rule_node *node, bool allow_wildcard, ee_field *field) {
  size_t errors_before = builder->errors->count;
  *field = (ee_field){.when = EE_NO_FUNCTION, .node = node};
  field->strategy = ee_strategy_compile(builder, node);
  if (field->strategy == NULL) return false;
  field->ignored = field->strategy->type->is_ignored;
  field->expected_path = compile_path(builder, node);
  field->candidate_path = field->expected_path;
  ee_rule_value candidate = ee_rule_node_get(node, "candidate");
  if (candidate.type == EE_RULE_TEXT && (builder->loader == NULL || !builder->loader->two_truths))
    field->candidate_path = ee_compile_path(builder, node, candidate.text, NULL, EE_PATH_CHECKED);
  /* "$": an answer without JSON is the answer. */
  if (field->expected_path != NULL && field->expected_path->count == 0 && field->expected_path->query == NULL) {
    builder->plan->paths.keep_text = true;
    if (ee_option_bool(node, "alternatives", false)) builder->plan->paths.keep_options = true;
  }
  ee_rule_value name = ee_rule_node_get(node, "name");
  if (name.type == EE_RULE_TEXT && ee_str_is_blank(name.text)) {
    ee_compile_error(builder, node, "option 'name' of %s is empty", subject_of(builder, node));
  }
  if (name.type == EE_RULE_TEXT) {
    field->name = name.text;
  } else if (field->expected_path != NULL) {
    field->name = field->expected_path->text;
  }
  field->weight = ee_option_number(node, "weight", 1);
  field->required = ee_option_bool(node, "required", true);
  ee_alternatives_compile(builder, node, field);
  if (field->expected_path != NULL && field->candidate_path != NULL)
    compile_pairing(builder, node, allow_wildcard, field);
  const ee_strategy *inner = field->strategy->inner;
  size_t decimal = inner != NULL ? inner->decimal_number : field->strategy->decimal_number;
  /* A field without a name has a mistake that is reported. */
  if (decimal > 0)
    builder->plan->decimals->items[decimal - 1].field = field->name.length > 0 ? field->name : EE_STR("?");
  field->when = ee_option_function(node, "when");
  return builder->errors->count == errors_before;
}

void ee_field_refuse_options(ee_plan_builder *builder, const ee_rule_node *node, const char *subject) {
  static const char *const names[] = {"weight", "required", "candidate", "when", "name", "alternatives", "confidence"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (ee_rule_node_get(node, names[i]).type == EE_RULE_NONE) continue;
    ee_compile_error(builder, node, "%s must not have the option '%s'", subject, names[i]);
  }
}

/* Strategies of a table ------------------------------------------------------------------------ */

/* True for strategies whose values follow the path: one_of and pattern. */
static bool takes_values(const ee_rule_node *node) {
  const ee_strategy_type *type = node->definition == NULL ? ee_strategy_type_find(node->kind) : NULL;
  return type != NULL && type->positional && !ee_str_is(node->kind, "custom");
}

/* The node with an empty path before its values, as ee_strategy_compile() expects it. */
static const ee_rule_node *with_path(ee_plan_builder *builder, const ee_rule_node *node) {
  ee_rule_node *copy = EE_NEW(builder->arena, ee_rule_node);
  *copy = *node;
  ee_rule_value *items = EE_NEW_ARRAY(builder->arena, ee_rule_value, node->item_count + 1);
  items[0] = (ee_rule_value){.type = EE_RULE_TEXT, .text = EE_STR("")};
  if (node->item_count > 0) memcpy(items + 1, node->items, node->item_count * sizeof *items);
  copy->items = items;
  copy->item_count++;
  return copy;
}

/* A text for messages, cut to a length that leaves room for the rest. */
static const char *shown(ee_plan_builder *builder, ee_str text) {
  return ee_arena_printf(builder->arena, "'%.*s'", (int)ee_utf8_cut(text, 100), text.data);
}

const ee_strategy *ee_strategy_table_compile(ee_plan_builder *builder, const ee_rule_node *node,
                                             const ee_strategy_table *table, ee_str key) {
  size_t errors_before = builder->errors->count;
  if (node->definition == NULL && ee_strategy_type_find(node->kind) == NULL && ee_judge_type_find(node->kind) != NULL) {
    ee_compile_error(builder, node, "ee.%.*s is a judge, the %s of %s take strategies", EE_STR_ARG(node->kind),
                     table->option, table->subject);
    return NULL;
  }
  if (takes_values(node)) {
    if (node->item_count + node->option_count == 0) {
      ee_compile_error(builder, node, "ee.%.*s for %s in %s has no values", EE_STR_ARG(node->kind), shown(builder, key),
                       table->subject);
      return NULL;
    }
    node = with_path(builder, node);
  } else if (node->item_count > 0 && node->items[0].type != EE_RULE_FUNCTION) {
    const ee_rule_value *item = &node->items[0];
    ee_compile_error(builder, node, "a strategy in %s must not have a path, got %s (%s %s)", table->subject,
                     item->type == EE_RULE_TEXT ? shown(builder, item->text)
                                                : ee_rule_value_describe(item, builder->arena),
                     table->key_is, shown(builder, key));
    return NULL;
  }
  const ee_strategy *strategy = ee_strategy_compile(builder, node);
  if (strategy == NULL) return NULL;
  ee_field_refuse_options(builder, node, ee_arena_printf(builder->arena, "a strategy in %s", table->subject));
  return builder->errors->count == errors_before ? strategy : NULL;
}

/* Lists of fields ------------------------------------------------------------------------------- */

/* Whether `item` is a strategy; reports anything else. */
static bool is_strategy(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                        const ee_rule_value *item) {
  if (item->type == EE_RULE_NODE) {
    if (item->node->definition != NULL || ee_strategy_type_find(item->node->kind) != NULL) return true;
    ee_compile_error(builder, item->node, "%s is inside %s, which takes strategies",
                     ee_rule_value_describe(item, builder->arena), subject);
  } else if (item->type == EE_RULE_TEXT) {
    ee_compile_error(builder, node, "'%.*s' has no strategy in %s (did you mean 'ee.exact \"%.*s\"'?)",
                     (int)item->text.length, item->text.data, subject, (int)item->text.length, item->text.data);
  } else {
    ee_compile_error(builder, node, "%s instead of a strategy in %s", ee_rule_value_describe(item, builder->arena),
                     subject);
  }
  return false;
}

/* A list inside an item. */
static bool is_item_list(const ee_rule_value *item) {
  return item->type == EE_RULE_NODE && item->node->definition == NULL && ee_str_is(item->node->kind, "line_items");
}

/* A field by its node alone, whether or not it could be compiled: a second mistake must not hide that it is there
 * twice. */
typedef struct named_field {
  ee_str name, path;
  const ee_rule_node *node;
} named_field;

typedef struct named_fields {
  named_field *items; /* each name once */
  size_t count;
  ee_hash_index index; /* by name */
} named_fields;

static named_field name_of_node(const ee_rule_node *node) {
  ee_rule_value name = ee_rule_node_get(node, "name");
  bool has_path = node->item_count > 0 && node->items[0].type == EE_RULE_TEXT;
  ee_str path = has_path ? node->items[0].text : EE_STR("");
  return (named_field){name.type == EE_RULE_TEXT ? name.text : path, path, node};
}

/* Reports the field of `node` if an earlier one has its name, else adds it. */
static void check_name(ee_plan_builder *builder, const char *subject, named_fields *fields, const ee_rule_node *node) {
  named_field field = name_of_node(node);
  if (field.name.length == 0) return;
  uint64_t hash = ee_hash_bytes(field.name.data, field.name.length, 0);
  size_t at = 0, number;
  while (ee_hash_index_next(&fields->index, hash, &at, &number)) {
    const named_field *earlier = &fields->items[number];
    if (!ee_str_equal(earlier->name, field.name)) continue;
    ee_compile_error(builder, node,
                     "the %s '%.*s' occurs twice in %s, on line %zu and on line %zu (give one of them a 'name')",
                     ee_str_equal(earlier->path, field.path) ? "path" : "name", EE_STR_ARG(field.name), subject,
                     earlier->node->line, node->line);
    return;
  }
  fields->items[fields->count] = field;
  ee_hash_index_add(&fields->index, hash, fields->count++);
}

static void check_weights(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                          const ee_field *fields, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    if (!(fields[i].weight >= 0)) return; /* reported at the field */
    sum += fields[i].weight;
  }
  ee_compile_check_weights(builder, node, ee_arena_printf(builder->arena, "of %s", subject), count, sum);
}

/* ee.ignore takes its path out, wherever it is in the list: moves the fields that stay to the front. */
static void take_out_ignored(ee_plan_builder *builder, ee_field *fields, ee_field_list *list) {
  ee_hash_index index = {.arena = builder->arena};
  for (size_t i = 0; i < list->ignored_count; i++) {
    ee_str path = list->ignored[i].expected_path->text;
    ee_hash_index_add(&index, ee_hash_bytes(path.data, path.length, 0), i);
  }
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    ee_str path = fields[i].expected_path->text;
    uint64_t hash = ee_hash_bytes(path.data, path.length, 0);
    size_t at = 0, number;
    bool ignored = false;
    while (!ignored && ee_hash_index_next(&index, hash, &at, &number))
      ignored = ee_str_equal(list->ignored[number].expected_path->text, path);
    if (!ignored) fields[kept++] = fields[i];
  }
  list->count = kept;
}

void ee_field_list_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, size_t first,
                           bool allow_wildcard, ee_field_list *list) {
  size_t limit = node->item_count > first ? node->item_count - first : 0;
  ee_field *fields = EE_NEW_ARRAY(builder->arena, ee_field, limit);
  ee_field *ignored = EE_NEW_ARRAY(builder->arena, ee_field, limit);
  named_fields named = {EE_NEW_ARRAY(builder->arena, named_field, limit), 0, {.arena = builder->arena}};
  *list = (ee_field_list){.fields = fields, .ignored = ignored};
  for (size_t i = first; i < node->item_count; i++) {
    if (!allow_wildcard && is_item_list(&node->items[i])) continue;
    if (!is_strategy(builder, node, subject, &node->items[i])) continue;
    const ee_rule_node *item = node->items[i].node;
    if (!ee_str_is(item->kind, ee_ignore_strategy.name)) check_name(builder, subject, &named, item);
    ee_field field = {0};
    if (!ee_field_compile(builder, item, allow_wildcard, &field)) continue;
    if (field.ignored)
      ignored[list->ignored_count++] = field;
    else
      fields[list->count++] = field;
  }
  take_out_ignored(builder, fields, list);
  size_t kept = list->count;
  ee_confidence_rules *confidence = ee_confidence_compile(builder, node);
  list->confidence = confidence;
  for (size_t i = 0; i < kept; i++)
    fields[i].confidence = ee_field_confidence_compile(builder, confidence, fields[i].node, fields[i].candidate_path);
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

const ee_value *ee_field_unwrap(const ee_field *field, const ee_value *candidate, ee_arena *arena) {
  return ee_confidence_unwrap(field->confidence, candidate, arena);
}

/* Values shown before the run ------------------------------------------------------------------- */

static void show_value(const ee_field *field, ee_document_side document, const ee_value *value,
                       struct ee_decimal_votes *votes, ee_arena *arena) {
  if (document == EE_EXPECTED && ee_alternatives_of(field, value).several) {
    const ee_value *answers = ee_alternatives_of(field, value).answers;
    for (const ee_value *answer = ee_value_child(answers); answer != NULL; answer = ee_value_next(answer)) {
      ee_strategy_vote(field->strategy, document, answer, votes, arena);
    }
    return;
  }
  if (document == EE_CANDIDATE) value = ee_field_unwrap(field, value, arena);
  ee_strategy_vote(field->strategy, document, value, votes, arena);
}

/* The values that the path has from `step` on, one or, at wildcards, many. Recursion is bounded by the number of
 * wildcards. */
static void show_from(const ee_field *field, ee_document_side document, const ee_path *path, size_t step,
                      const ee_value *value, struct ee_decimal_votes *votes, ee_arena *arena) {
  size_t end = step;
  while (end < path->count && path->steps[end].kind != EE_STEP_ALL) end++;
  value = path->other_count > 0 ? ee_path_get(path, value, arena) : ee_path_get_steps(path, step, end, value, arena);
  if (end < path->count) {
    if (ee_type_of(value) != EE_ARRAY) return;
    for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item)) {
      show_from(field, document, path, end + 1, item, votes, arena);
    }
  } else {
    show_value(field, document, value, votes, arena);
  }
}

void ee_field_show(const ee_field *field, ee_document_side document, const ee_value *root,
                   struct ee_decimal_votes *votes, ee_arena *arena) {
  const ee_strategy *inner = field->strategy->inner;
  if (field->ignored || (field->strategy->decimal_number == 0 && (inner == NULL || inner->decimal_number == 0))) return;
  const ee_path *path = document == EE_EXPECTED ? field->expected_path : field->candidate_path;
  if (!field->pairs_nodes || path->query == NULL) {
    show_from(field, document, path, 0, root, votes, arena);
    return;
  }
  ee_query_nodes nodes = {0};
  ee_json_query_find(path->query, root, arena, &nodes);
  for (size_t i = 0; i < nodes.count; i++) show_value(field, document, nodes.items[i].value, votes, arena);
}

/* Conditions ------------------------------------------------------------------------------------ */

ee_condition ee_field_condition(const ee_field *field, ee_context *context) {
  if (field->when == EE_NO_FUNCTION) return (ee_condition){.judged = true};
  bool judged = false;
  ee_error error = {0};
  if (context->plan->vtable->condition(context->script, field->when, &judged, &error) == EE_OK) {
    return (ee_condition){.judged = judged};
  }
  return (ee_condition){.judged = true, .failed = true, .error = ee_context_rule_error(context, &error)};
}

/* Judging -------------------------------------------------------------------------------------- */

static void judge_nothing(ee_field_rules rules, ee_field_outcome *outcome) {
  *outcome = (ee_field_outcome){.value_class = EE_CLASS_TN,
                                .score = 1,
                                .scored = rules.tn == EE_TN_SCORE,
                                .comparison = {.score = 1, .matched = true, .similarity = 1}};
}

static void judge_unexpected(ee_field_rules rules, ee_field_outcome *outcome) {
  double score = rules.unexpected == EE_UNEXPECTED_PASS ? 1 : 0;
  *outcome = (ee_field_outcome){.value_class = EE_CLASS_INVENTED,
                                .score = score,
                                .scored = rules.unexpected != EE_UNEXPECTED_SKIP,
                                .comparison = {.score = score, .reason = {.kind = EE_REASON_UNEXPECTED}}};
}

static void judge_missing(bool required, ee_field_outcome *outcome) {
  ee_reason_kind kind = required ? EE_REASON_REQUIRED_MISSING : EE_REASON_OPTIONAL_MISSING;
  *outcome =
      (ee_field_outcome){.value_class = EE_CLASS_MISSING, .scored = required, .comparison = {.reason = {.kind = kind}}};
}

static bool reads(const ee_strategy *strategy, const ee_value *expected, bool no_candidate, ee_arena *arena) {
  return no_candidate ? ee_strategy_misses(strategy, expected, arena)
                      : ee_strategy_reads(strategy, EE_EXPECTED, expected, arena);
}

const ee_value *ee_field_unread(const ee_field *field, const ee_value *expected, bool no_candidate, ee_arena *arena) {
  const ee_strategy *strategy = field->strategy;
  ee_alternatives answers = ee_alternatives_of(field, expected);
  if (!answers.several) return reads(strategy, expected, no_candidate, arena) ? NULL : expected;
  for (const ee_value *answer = ee_value_child(answers.answers); answer != NULL; answer = ee_value_next(answer))
    if (!ee_value_is_empty(answer, &strategy->empty) && !reads(strategy, answer, no_candidate, arena)) return answer;
  return NULL;
}

/* The same from what `expected` holds. */
static bool expects_nothing(const ee_field *field, const ee_alternatives *answers, const ee_value *expected,
                            bool no_candidate) {
  if (answers->several) return answers->filled == 0 || (no_candidate && answers->may_be_empty);
  return ee_field_value_is_empty(expected, &field->strategy->empty);
}

bool ee_field_expects_nothing(const ee_field *field, const ee_value *expected, bool no_candidate) {
  ee_alternatives answers = ee_alternatives_of(field, expected);
  return expects_nothing(field, &answers, expected, no_candidate);
}

void ee_field_judge(const ee_field *field, ee_field_rules rules, ee_context *context, const ee_value *expected,
                    const ee_value *candidate, const ee_script_place *place, ee_field_outcome *outcome) {
  const ee_strategy *strategy = field->strategy;
  outcome->answer = NULL;
  ee_alternatives answers = {0};
  if (field->several != EE_SEVERAL_NONE) answers = ee_alternatives_of(field, expected);
  bool no_candidate = ee_field_value_is_empty(candidate, &strategy->empty);
  bool no_expected = expects_nothing(field, &answers, expected, no_candidate);
  if (no_expected && no_candidate) {
    judge_nothing(rules, outcome);
  } else if (no_expected) {
    judge_unexpected(rules, outcome);
    outcome->comparison.unread[EE_CANDIDATE] = !ee_strategy_reads(strategy, EE_CANDIDATE, candidate, context->arena);
  } else if (no_candidate) {
    judge_missing(field->required, outcome);
    outcome->answer = ee_field_unread(field, expected, true, context->arena);
    outcome->comparison.unread[EE_EXPECTED] = outcome->answer != NULL;
    if (outcome->answer != NULL) {
      outcome->value_class = EE_CLASS_UNREAD;
      outcome->scored = false;
    }
  } else {
    if (answers.several) {
      ee_alternatives_judge(field, context, answers.answers, candidate, place, outcome);
    } else {
      ee_strategy_compare(strategy, context, expected, candidate, place, &outcome->comparison);
    }
    /* A candidate is neither right nor wrong where the expected value cannot be read. */
    bool unread = outcome->comparison.unread[EE_EXPECTED];
    outcome->value_class = outcome->comparison.matched ? EE_CLASS_TP : unread ? EE_CLASS_UNREAD : EE_CLASS_WRONG;
    outcome->score = outcome->comparison.score;
    outcome->scored = !unread;
  }
}

/* Nothing matches when the condition is unknown. */
static void judge_failed(const ee_field *field, const ee_condition *condition, const ee_value *expected,
                         const ee_value *candidate, ee_field_outcome *outcome) {
  bool candidate_empty = ee_value_is_empty(candidate, &field->strategy->empty);
  bool expected_empty = ee_field_expects_nothing(field, expected, candidate_empty);
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
    context->keeps_compared = ee_context_keeps_outcomes(context);
    ee_field_judge(field, rules, context, expected, candidate, place, outcome);
    context->keeps_compared = false;
  }
}

void ee_field_count(const ee_field *field, ee_context *context, const ee_field_outcome *outcome, ee_str attribute,
                    int32_t slot, const ee_finding *place, const ee_value *expected, const ee_value *candidate,
                    ee_counts *counts) {
  const bool *unread = outcome->comparison.unread;
  ee_counts_add_class(counts, outcome->value_class);
  counts->unread_candidates += unread[EE_CANDIDATE];
  if (unread[EE_EXPECTED])
    ee_strategy_add_unread(field->strategy, context, EE_EXPECTED, attribute, slot, place,
                           outcome->answer != NULL ? outcome->answer : expected);
  if (unread[EE_CANDIDATE])
    ee_strategy_add_unread(field->strategy, context, EE_CANDIDATE, attribute, slot, place, candidate);
}

/* Empty values, and those of an item without a partner, are not compared. */
static bool was_compared(const ee_field_outcome *outcome, const ee_value *expected, const ee_value *candidate) {
  return expected != NULL && candidate != NULL && outcome->value_class != EE_CLASS_TN &&
         outcome->value_class != EE_CLASS_INVENTED && outcome->value_class != EE_CLASS_MISSING;
}

void ee_field_keep_outcome(const ee_field *field, ee_context *context, const ee_field_outcome *outcome,
                           ee_str attribute, const ee_finding *place, const ee_value *expected,
                           const ee_value *candidate, uint32_t row, uint32_t partner) {
  if (!ee_context_keeps_outcomes(context)) return;
  const ee_strategy *strategy = field->strategy;
  ee_outcome kept = {.place = *place,
                     .attribute = attribute,
                     .value_class = outcome->value_class,
                     .expected = expected,
                     .candidate = candidate,
                     .score = outcome->score,
                     .weight = outcome->scored ? field->weight : 0,
                     .strategy = strategy->name,
                     .row = row,
                     .partner = partner};
  if (was_compared(outcome, expected, candidate)) {
    const ee_value *answer = outcome->answer != NULL ? outcome->answer : expected;
    ee_strategy_explain(strategy, context, answer, candidate, &outcome->comparison, &kept.how);
    /* Of several right answers the one that was compared. */
    if (outcome->answer != NULL && kept.how.expected == NULL) kept.how.expected = outcome->answer;
  }
  ee_outcomes_add(&context->outcomes, context->arena, &kept);
}

ee_script_place ee_field_place(const ee_field *field, const ee_value *expected_item, const ee_value *candidate_item) {
  return (ee_script_place){
      .path = field->expected_path->text, .expected_item = expected_item, .candidate_item = candidate_item};
}

/* Printing ------------------------------------------------------------------------------------- */

static void print_value(const ee_rule_value *value, ee_buffer *out);

static void print_table(const ee_rule_node *table, ee_buffer *out) {
  ee_buffer_add_char(out, '{');
  for (size_t i = 0; i < table->item_count; i++) {
    ee_buffer_add_text(out, i == 0 ? " " : ", ");
    print_value(&table->items[i], out);
  }
  for (size_t i = 0; i < table->option_count; i++) {
    ee_buffer_add_text(out, i + table->item_count == 0 ? " " : ", ");
    ee_add_shown(out, "", table->options[i].name, "");
    ee_buffer_add_text(out, " = ");
    print_value(&table->options[i].value, out);
  }
  ee_buffer_add_text(out, " }");
}

/* In quotes; for people, too. */
static void print_text(ee_str text, ee_buffer *out) {
  ee_buffer quoted = {0};
  ee_json_write_string(&quoted, text);
  ee_add_printable(out, (ee_str){quoted.data, quoted.length}, EE_PRINT_LINE);
  ee_buffer_fini(&quoted);
}

static void print_value(const ee_rule_value *value, ee_buffer *out) {
  switch (value->type) {
  case EE_RULE_BOOL: ee_buffer_add_text(out, value->boolean ? "true" : "false"); break;
  case EE_RULE_NUMBER: ee_json_write_number(out, value->number); break;
  case EE_RULE_TEXT: print_text(value->text, out); break;
  case EE_RULE_TABLE: print_table(value->node, out); break;
  case EE_RULE_FUNCTION: ee_buffer_add_text(out, "function"); break;
  case EE_RULE_NODE:
    ee_buffer_add_str(out, value->node->kind);
    if (value->node->item_count + value->node->option_count > 0) print_table(value->node, out);
    break;
  case EE_RULE_NULL: ee_buffer_add_text(out, "ee.null"); break;
  case EE_RULE_NONE: ee_buffer_add_text(out, "nil"); break;
  }
}

void ee_field_print(const ee_field *field, ee_buffer *out) {
  const ee_rule_node *node = field->node;
  ee_add_shown(out, "", field->expected_path->text, "");
  ee_buffer_add_text(out, "  ");
  ee_buffer_add_str(out, field->several == EE_SEVERAL_PATHS ? node->kind : field->strategy->name);
  bool any = false;
  for (size_t i = 1; i < node->item_count; i++) {
    ee_buffer_add_text(out, any ? ", " : "(");
    print_value(&node->items[i], out);
    any = true;
  }
  for (size_t i = 0; i < node->option_count; i++) {
    if (ee_str_is(node->options[i].name, "weight")) continue;
    ee_buffer_add_text(out, any ? ", " : "(");
    ee_add_shown(out, "", node->options[i].name, "");
    ee_buffer_add_text(out, " = ");
    print_value(&node->options[i].value, out);
    any = true;
  }
  if (any) ee_buffer_add_char(out, ')');
  if (field->ignored) return;
  ee_buffer_add_text(out, "  weight ");
  ee_json_write_number(out, field->weight);
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
