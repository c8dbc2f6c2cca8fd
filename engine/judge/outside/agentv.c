/* agentv.c: the evaluators of a YAML data set (AgentV): which there are, which judge which case, and the rule tree of
 * all of them. */
#include "judge/outside/agentv.h"
#include "data/json/json_equal.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "judge/aggregate.h"
#include "judge/geometry/shape.h"
#include "judge/outside/protocol.h"
#include "judge/strategy/strategy.h"

typedef enum evaluator_kind {
  KIND_FIELDS, /* field_accuracy */
  KIND_IOU,    /* iou_score */
  KIND_CODE,   /* code_judge */
  KIND_MODEL,  /* llm_judge */
  KIND_NONE    /* a type that is left out, or an error */
} evaluator_kind;

/* Something that is left out: reported once, with a count. */
typedef struct left_out {
  const char *what; /* "of type 'llm_judge'"; or the option, where `is_option` */
  const char *why;  /* "that needs a model" */
  bool is_option;
  const ee_value *first; /* the node, for its place */
  ee_str name;           /* the first evaluator's; data NULL: it has none */
  size_t count;
} left_out;

/* Errors, and warnings, that are reported one by one; further ones are only counted. */
#define REPORTED 500

typedef struct rules_builder {
  const ee_case_file *file;
  ee_arena *arena;
  ee_error_list *errors;
  bool asks_models; /* evaluators that ask a model are judges */
  size_t error_count, warning_count;
  struct {
    EE_LIST(left_out);
  } left_out;
} rules_builder;

/* Bytes of a name in a message. */
#define NAME_SHOWN 100

/* Errors and warnings --------------------------------------------------------------------------- */

static void report(rules_builder *builder, ee_status status, const ee_value *node, const char *format, ...) {
  size_t *count = status != EE_OK ? &builder->error_count : &builder->warning_count;
  if (++*count > REPORTED) return;
  char message[sizeof((ee_error *)NULL)->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  message[ee_utf8_valid_prefix(message, strlen(message))] = '\0';
  struct ee_yaml_place place = ee_case_file_place(builder->file, node);
  ee_error error;
  ee_error_at(&error, status, builder->file->name, place.line, place.column, "%s", message);
  ee_error_list_add(builder->errors, &error);
}

static const char *suggest(rules_builder *builder, ee_str word, const char *const *words) {
  const char *found = ee_did_you_mean(ee_arena_copy(builder->arena, word.data, word.length), words);
  return found == NULL ? "" : ee_arena_printf(builder->arena, " (did you mean '%s'?)", found);
}

static const char *quote(rules_builder *builder, ee_str name) {
  return ee_arena_printf(builder->arena, "'%.*s'", (int)ee_utf8_cut(name, NAME_SHOWN), name.data);
}

static void note_left_out(rules_builder *builder, const char *what, const char *why, bool is_option,
                          const ee_value *node, ee_str name) {
  for (size_t i = 0; i < builder->left_out.count; i++) {
    if (strcmp(builder->left_out.items[i].what, what) != 0) continue;
    builder->left_out.items[i].count++;
    return;
  }
  *EE_LIST_ADD(&builder->left_out, builder->arena) =
      (left_out){.what = what, .why = why, .is_option = is_option, .first = node, .name = name, .count = 1};
}

static void report_left_out(rules_builder *builder) {
  const char *file = builder->file->name;
  if (builder->error_count > REPORTED)
    ee_error_list_addf(builder->errors, EE_ERROR_RULES, file, 0, "%zu more errors in the evaluators",
                       builder->error_count - REPORTED);
  if (builder->warning_count > REPORTED)
    ee_error_list_addf(builder->errors, EE_OK, file, 0, "%zu more warnings about the evaluators",
                       builder->warning_count - REPORTED);
  builder->warning_count = 0; /* the warnings below are few */
  for (size_t i = 0; i < builder->left_out.count; i++) {
    const left_out *word = &builder->left_out.items[i];
    const char *name = word->name.data != NULL ? quote(builder, word->name) : NULL;
    const char *first = name != NULL ? ee_arena_printf(builder->arena, " (the first is %s)", name) : "";
    if (word->is_option && word->count == 1) {
      report(builder, EE_OK, word->first, "option '%s' of evaluator %s is ignored: %s", word->what, name, word->why);
    } else if (word->is_option) {
      report(builder, EE_OK, word->first, "option '%s' of %zu evaluators%s is ignored: %s", word->what, word->count,
             first, word->why);
    } else if (word->count == 1) {
      report(builder, EE_OK, word->first, "%s%s %s is left out: %s", name != NULL ? "evaluator " : "an evaluator",
             name != NULL ? name : "", word->what, word->why);
    } else {
      report(builder, EE_OK, word->first, "%zu evaluators %s%s are left out: %s", word->count, word->what, first,
             word->why);
    }
  }
}

/* Types and names of evaluators ----------------------------------------------------------------- */

#define MODEL "that needs a model"
#define NO_MODEL MODEL " (OPENAI_MODEL names one)"
#define TRACE "that needs a trace of the run"
#define TEXT "that looks at text; here answers are judged as values"
#define CODE "that is code of another program"
#define GROUP "groups of evaluators are not supported"

static const struct type_row {
  const char *name;
  evaluator_kind kind;
  const char *why; /* of a type that is left out */
} types[] = {
    {"field_accuracy", KIND_FIELDS, NULL},
    {"iou_score", KIND_IOU, NULL},
    {"code_judge", KIND_CODE, NULL},
    {"code_grader", KIND_CODE, NULL},
    {"script", KIND_CODE, NULL},
    {"llm_judge", KIND_MODEL, NO_MODEL},
    {"llm_grader", KIND_MODEL, NO_MODEL},
    {"llm_rubric", KIND_NONE, MODEL},
    {"agent_rubric", KIND_NONE, MODEL},
    {"rubric", KIND_NONE, MODEL},
    {"rubrics", KIND_NONE, MODEL},
    {"g_eval", KIND_NONE, MODEL},
    {"similar", KIND_NONE, MODEL},
    {"tool_trajectory", KIND_NONE, TRACE},
    {"skill_used", KIND_NONE, TRACE},
    {"skill_trigger", KIND_NONE, TRACE},
    {"latency", KIND_NONE, TRACE},
    {"cost", KIND_NONE, TRACE},
    {"token_usage", KIND_NONE, TRACE},
    {"execution_metrics", KIND_NONE, TRACE},
    {"contains", KIND_NONE, TEXT},
    {"contains_any", KIND_NONE, TEXT},
    {"contains_all", KIND_NONE, TEXT},
    {"icontains", KIND_NONE, TEXT},
    {"icontains_any", KIND_NONE, TEXT},
    {"icontains_all", KIND_NONE, TEXT},
    {"starts_with", KIND_NONE, TEXT},
    {"ends_with", KIND_NONE, TEXT},
    {"regex", KIND_NONE, TEXT},
    {"equals", KIND_NONE, TEXT},
    {"is_json", KIND_NONE, TEXT},
    {"javascript", KIND_NONE, CODE},
    {"python", KIND_NONE, CODE},
    {"webhook", KIND_NONE, CODE},
    {"composite", KIND_NONE, GROUP},
    {"assert_set", KIND_NONE, GROUP},
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

static bool begins_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static const char *word_of(ee_arena *arena, ee_str word) {
  char *text = ee_arena_copy(arena, word.data, word.length);
  for (char *at = text; *at != '\0'; at++) {
    if (*at == '-') *at = '_';
  }
  return text;
}

static const struct type_row *find_type(const char *name) {
  static const struct type_row trajectory = {"trajectory", KIND_NONE, TRACE};
  for (size_t i = 0; i < TYPE_COUNT; i++) {
    if (strcmp(name, types[i].name) == 0) return &types[i];
  }
  if (begins_with(name, "trajectory:")) return &trajectory;
  if (!begins_with(name, "not_")) return NULL;
  /* "not_TYPE" is left out like TYPE. */
  const struct type_row *opposite = find_type(name + strlen("not_"));
  return opposite != NULL && (opposite->kind == KIND_NONE || opposite->kind == KIND_MODEL) ? opposite : NULL;
}

/* The string at the first of two keys that has one; data NULL: neither has. */
static ee_str text_at(const ee_value *node, const char *key, const char *other) {
  const ee_value *value = ee_value_member(node, ee_str_from(key), NULL);
  if (ee_type_of(value) <= EE_NULL) value = ee_value_member(node, ee_str_from(other), NULL);
  return ee_type_of(value) == EE_STRING ? ee_value_text(value) : (ee_str){NULL, 0};
}

static evaluator_kind kind_of(rules_builder *builder, const ee_value *node) {
  const ee_value *type = ee_value_member(node, EE_STR("type"), NULL);
  ee_str name = text_at(node, "name", "metric");
  if (ee_type_of(type) <= EE_NULL && ee_value_member(node, EE_STR("include"), NULL) != NULL) {
    note_left_out(builder, "by 'include'", "files of evaluators are not supported", false, node, name);
    return KIND_NONE;
  }
  if (ee_type_of(type) != EE_STRING) {
    const char *who =
        name.data != NULL ? ee_arena_printf(builder->arena, "evaluator %s", quote(builder, name)) : "an evaluator";
    if (ee_type_of(type) <= EE_NULL) {
      report(builder, EE_ERROR_RULES, node, "%s has no type", who);
    } else {
      report(builder, EE_ERROR_RULES, type, "the type of %s must be a string, got %s", who, ee_type_name(type));
    }
    return KIND_NONE;
  }
  const char *word = word_of(builder->arena, ee_value_text(type));
  const struct type_row *row = find_type(word);
  if (row == NULL) {
    const char *words[TYPE_COUNT + 1];
    for (size_t i = 0; i < TYPE_COUNT; i++) words[i] = types[i].name;
    words[TYPE_COUNT] = NULL;
    const char *hint = suggest(builder, ee_str_from(word), words);
    report(builder, EE_ERROR_RULES, type, "unknown type %s of an evaluator%s", quote(builder, ee_value_text(type)),
           *hint != '\0' ? hint : ": field_accuracy, iou_score and code_judge are known");
    return KIND_NONE;
  }
  evaluator_kind kind = row->kind == KIND_MODEL && !builder->asks_models ? KIND_NONE : row->kind;
  if (kind == KIND_NONE)
    note_left_out(builder, ee_arena_printf(builder->arena, "of type %s", quote(builder, ee_str_from(word))), row->why,
                  false, node, name);
  return kind;
}

static bool names_overlap(const ee_value *node) {
  const ee_value *metric = ee_value_member(node, EE_STR("metric"), NULL);
  if (ee_type_of(metric) != EE_STRING) return false;
  for (int i = EE_OVERLAP_IOU; i <= EE_OVERLAP_IOA; i++) {
    if (ee_str_is(ee_value_text(metric), ee_overlap_name((ee_overlap_metric)i))) return true;
  }
  return ee_type_of(ee_value_member(node, EE_STR("name"), NULL)) > EE_NULL;
}

static ee_str name_of(rules_builder *builder, evaluator_kind kind, const ee_value *node) {
  bool metric_names = kind != KIND_IOU || !names_overlap(node);
  ee_str name = text_at(node, "name", metric_names ? "metric" : "name");
  if (name.data != NULL && !ee_str_is_blank(name)) return name;
  const ee_value *type = ee_value_member(node, EE_STR("type"), NULL);
  return ee_str_from(word_of(builder->arena, ee_value_text(type)));
}

/* Rule nodes ------------------------------------------------------------------------------------ */

/* A node under construction. */
typedef struct node_builder {
  rules_builder *builder;
  ee_rule_node *node;
  ee_rule_option *options;
  const char *subject;            /* how messages call it: "evaluator 'header'" */
  const ee_option *const *tables; /* rows of the options that are checked; NULL-terminated */
} node_builder;

static bool is_key(const ee_value *member, const char *name) { return ee_str_is(ee_value_key(member), name); }

static ee_rule_value rule_value_of(rules_builder *builder, const ee_value *value);

static int compare_options(const void *left, const void *right) {
  return ee_str_compare(((const ee_rule_option *)left)->name, ((const ee_rule_option *)right)->name);
}

/* An array or object as a plain table; members that are null are left out. */
static const ee_rule_node *table_of(rules_builder *builder, const ee_value *value) {
  ee_rule_node *node = EE_NEW(builder->arena, ee_rule_node);
  node->file = builder->file->name;
  node->line = ee_case_file_place(builder->file, value).line;
  size_t count = ee_value_count(value);
  if (ee_type_of(value) == EE_ARRAY) {
    ee_rule_value *items = EE_NEW_ARRAY(builder->arena, ee_rule_value, count);
    node->items = items;
    for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item))
      items[node->item_count++] = rule_value_of(builder, item);
    return node;
  }
  ee_rule_option *options = EE_NEW_ARRAY(builder->arena, ee_rule_option, count);
  node->options = options;
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL) continue;
    options[node->option_count++] = (ee_rule_option){ee_value_key(member), rule_value_of(builder, member)};
  }
  if (node->option_count > 0) qsort(options, node->option_count, sizeof *options, compare_options);
  return node;
}

static ee_rule_value rule_value_of(rules_builder *builder, const ee_value *value) {
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

static node_builder start_node(rules_builder *builder, const char *kind, const ee_value *value, const char *subject,
                               const ee_option *const *tables) {
  node_builder n = {
      .builder = builder, .node = EE_NEW(builder->arena, ee_rule_node), .subject = subject, .tables = tables};
  n.options = EE_NEW_ARRAY(builder->arena, ee_rule_option, ee_value_count(value) + 4);
  n.node->kind = ee_str_from(kind);
  n.node->file = builder->file->name;
  n.node->line = ee_case_file_place(builder->file, value).line;
  n.node->options = n.options;
  return n;
}

static const ee_rule_node *finish_node(node_builder *n) {
  if (n->node->option_count > 0) qsort(n->options, n->node->option_count, sizeof *n->options, compare_options);
  return n->node;
}

static bool set_option(node_builder *n, const char *name, ee_rule_value value, const ee_value *member) {
  for (size_t i = 0; i < n->node->option_count; i++) {
    if (!ee_str_is(n->options[i].name, name)) continue;
    ee_str key = ee_value_key(member);
    report(n->builder, EE_ERROR_RULES, member, "option '%.*s' of %s duplicates another one", (int)key.length, key.data,
           n->subject);
    return false;
  }
  n->options[n->node->option_count++] = (ee_rule_option){ee_str_from(name), value};
  return true;
}

static bool check_member(node_builder *n, const ee_value *member, const ee_rule_value *value) {
  if (n->builder->error_count >= REPORTED) return false; /* more errors are not reported one by one */
  struct ee_yaml_place place = ee_case_file_place(n->builder->file, member);
  ee_rule_option option = {ee_value_key(member), *value};
  ee_rule_node one = {.file = n->builder->file->name, .line = place.line, .options = &option, .option_count = 1};
  size_t before = n->builder->errors->count;
  bool good = ee_options_check(&one, n->subject, n->tables, n->builder->errors);
  for (size_t i = before; i < n->builder->errors->count; i++, n->builder->error_count++)
    n->builder->errors->items[i].column = place.column;
  return good;
}

static void add_member(node_builder *n, const ee_value *member, const char *name) {
  ee_rule_value value = rule_value_of(n->builder, member);
  if (!check_member(n, member, &value)) return;
  ee_str key = ee_value_key(member);
  if (name == NULL) name = ee_arena_copy(n->builder->arena, key.data, key.length);
  set_option(n, name, value, member);
}

static void set_item(node_builder *n, const ee_value *member) {
  ee_rule_value *item = EE_NEW(n->builder->arena, ee_rule_value);
  *item = rule_value_of(n->builder, member);
  if (!check_member(n, member, item)) return;
  n->node->items = item;
  n->node->item_count = 1;
}

static const ee_option common_rows[] = {
    {.name = "name", .type = EE_OPTION_TEXT},     {.name = "metric", .type = EE_OPTION_TEXT},
    {.name = "type", .type = EE_OPTION_TEXT},     {.name = "min_score", .type = EE_OPTION_NUMBER, .min = 0, .max = 1},
    {.name = "required", .type = EE_OPTION_BOOL}, {.name = NULL},
};

/* Sets the lowest score that passes as option `verdict`. */
static void set_pass(node_builder *n, const ee_value *member) {
  ee_rule_node *limits = EE_NEW(n->builder->arena, ee_rule_node);
  ee_rule_option *pass = EE_NEW(n->builder->arena, ee_rule_option);
  *pass = (ee_rule_option){EE_STR("pass"), rule_value_of(n->builder, member)};
  *limits = (ee_rule_node){.file = n->node->file, .line = n->node->line, .options = pass, .option_count = 1};
  set_option(n, "verdict", (ee_rule_value){.type = EE_RULE_TABLE, .node = limits}, member);
}

static bool take_common(node_builder *n, const ee_value *member, ee_str name) {
  if (is_key(member, "name") || is_key(member, "metric")) {
    ee_rule_value value = rule_value_of(n->builder, member);
    if (!check_member(n, member, &value)) return true;
    if (ee_str_is_blank(value.text)) {
      report(n->builder, EE_ERROR_RULES, member, "the name of an evaluator is empty");
    } else {
      set_option(n, "name", (ee_rule_value){.type = EE_RULE_TEXT, .text = name}, member);
    }
    return true;
  }
  if (is_key(member, "type")) return true;
  if (is_key(member, "min_score")) {
    ee_rule_value value = rule_value_of(n->builder, member);
    if (check_member(n, member, &value)) set_pass(n, member);
    return true;
  }
  if (!is_key(member, "required")) return false;
  /* A number is the lowest score that passes, like min_score. */
  ee_type type = ee_type_of(member);
  double number = type == EE_NUMBER ? ee_value_number(member) : -1;
  if (number >= 0 && number <= 1) {
    set_pass(n, member);
  } else {
    ee_rule_value value = rule_value_of(n->builder, member);
    if (!check_member(n, member, &value)) return true;
  }
  if (type != EE_FALSE)
    note_left_out(n->builder, "required", "a case's score is the weighted mean of its evaluators", true, member, name);
  return true;
}

static const ee_rule_node *finish_evaluator(node_builder *n, ee_str name) {
  if (ee_rule_node_get(n->node, "name").type == EE_RULE_NONE)
    n->options[n->node->option_count++] = (ee_rule_option){EE_STR("name"), {.type = EE_RULE_TEXT, .text = name}};
  return finish_node(n);
}

static const char *subject_of(rules_builder *builder, ee_str name) {
  return ee_arena_printf(builder->arena, "evaluator %s", quote(builder, name));
}

/* field_accuracy as ee.fields ------------------------------------------------------------------- */

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

/* Strategies that work without Lua. */
static bool is_plain_strategy(const ee_strategy_type *type) { return !type->calls_script; }

/* The strategy that the field's `match` names; NULL with an error. */
static const ee_strategy_type *find_match(rules_builder *builder, const ee_value *field, const char *subject) {
  const ee_value *match = ee_value_member(field, EE_STR("match"), NULL);
  if (ee_type_of(match) <= EE_NULL) {
    report(builder, EE_ERROR_RULES, field, "%s has no match (exact, numeric_tolerance or date)", subject);
    return NULL;
  }
  if (ee_type_of(match) != EE_STRING) {
    report(builder, EE_ERROR_RULES, match, "the match of %s must be a string, got %s", subject, ee_type_name(match));
    return NULL;
  }
  const char *word = word_of(builder->arena, ee_value_text(match));
  if (strcmp(word, "numeric_tolerance") == 0) return ee_strategy_type_find(EE_STR("numeric"));
  const ee_strategy_type *type = ee_strategy_type_find(ee_str_from(word));
  if (type != NULL && is_plain_strategy(type)) return type;
  if (type != NULL) {
    report(builder, EE_ERROR_RULES, match, "match '%s' of %s needs Lua: write a rule file for it", word, subject);
    return NULL;
  }
  const char *words[32] = {"numeric_tolerance"};
  size_t count = 1;
  for (const ee_strategy_type *const *at = ee_strategy_types; *at != NULL && count + 1 < 32; at++) {
    if (is_plain_strategy(*at)) words[count++] = (*at)->name;
  }
  report(builder, EE_ERROR_RULES, match, "unknown match %s of %s%s", quote(builder, ee_value_text(match)), subject,
         suggest(builder, ee_str_from(word), words));
  return NULL;
}

/* One field as a strategy node; NULL with an error. */
static const ee_rule_node *field_to_node(rules_builder *builder, const ee_value *field, size_t number, ee_str name) {
  const char *subject = ee_arena_printf(builder->arena, "field %zu of evaluator %s", number, quote(builder, name));
  if (ee_type_of(field) != EE_OBJECT) {
    report(builder, EE_ERROR_RULES, field, "%s must be an object with path and match, got %s", subject,
           ee_type_name(field));
    return NULL;
  }
  const ee_value *path = ee_value_member(field, EE_STR("path"), NULL);
  if (ee_type_of(path) <= EE_NULL) {
    report(builder, EE_ERROR_RULES, field, "%s has no path", subject);
    return NULL;
  }
  if (ee_type_of(path) == EE_STRING)
    subject = ee_arena_printf(builder->arena, "field %s", quote(builder, ee_value_text(path)));
  const ee_strategy_type *type = find_match(builder, field, subject);
  bool has_match = type != NULL;
  if (!has_match) type = ee_strategy_type_find(EE_STR("exact")); /* the path alone, for mistakes about it */
  const ee_option *tables[] = {field_rows, type->options != NULL ? type->options : ee_strategy_shared_options,
                               ee_strategy_shared_options, NULL};
  node_builder n = start_node(builder, type->name, field, subject, tables);
  for (const ee_value *member = ee_value_child(field); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL || is_key(member, "match")) continue;
    if (is_key(member, "path")) {
      set_item(&n, member);
    } else if (has_match) {
      add_member(&n, member, NULL);
    }
  }
  return finish_node(&n);
}

static void take_fields(node_builder *n, const ee_value *list, ee_str name) {
  rules_builder *builder = n->builder;
  if (ee_type_of(list) != EE_ARRAY || ee_value_count(list) == 0) {
    report(builder, EE_ERROR_RULES, list, "fields of %s must be an array of objects, got %s", n->subject,
           ee_type_of(list) == EE_ARRAY ? "an empty array" : ee_type_name(list));
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

static const ee_rule_node *fields_to_node(rules_builder *builder, const ee_value *value, ee_str name) {
  const ee_option *const tables[] = {common_rows, field_accuracy_rows, ee_fields_judge.options, ee_judge_shared_options,
                                     NULL};
  node_builder n = start_node(builder, ee_fields_judge.name, value, subject_of(builder, name), tables);
  bool has_fields = false;
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL || take_common(&n, member, name)) continue;
    if (is_key(member, "fields")) {
      take_fields(&n, member, name);
      has_fields = true;
    } else {
      add_member(&n, member, is_key(member, "aggregation") ? "aggregate" : NULL);
    }
  }
  if (!has_fields) report(builder, EE_ERROR_RULES, value, "%s has no fields", n.subject);
  return finish_evaluator(&n, name);
}

/* iou_score as ee.iou_score --------------------------------------------------------------------- */

static const ee_rule_node *iou_to_node(rules_builder *builder, const ee_value *value, ee_str name) {
  static const ee_option path_row[] = {{.name = "path", .type = EE_OPTION_PATH}, {.name = NULL}};
  bool overlap = names_overlap(value);
  /* The judge's rows come first where `metric` is its option. */
  const ee_option *const tables[] = {overlap ? ee_iou_score_judge.options : common_rows,
                                     overlap ? common_rows : ee_iou_score_judge.options, path_row,
                                     ee_judge_shared_options, NULL};
  node_builder n = start_node(builder, ee_iou_score_judge.name, value, subject_of(builder, name), tables);
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL) continue;
    if (overlap && is_key(member, "metric")) {
      add_member(&n, member, NULL);
    } else if (take_common(&n, member, name)) {
      continue;
    } else if (is_key(member, "path")) {
      set_item(&n, member);
    } else {
      add_member(&n, member, NULL);
    }
  }
  return finish_evaluator(&n, name);
}

/* code_judge as ee.code_judge or ee.exec -------------------------------------------------------- */

static const ee_option code_rows[] = {
    {.name = "script", .type = EE_OPTION_TEXT},
    {.name = "command", .type = EE_OPTION_TEXT},
    {.name = "cwd", .type = EE_OPTION_TEXT},
    {.name = "timeout_ms", .type = EE_OPTION_NUMBER, .min = 1, .max = EE_PROTOCOL_LONGEST_MS},
    {.name = "timeout_seconds", .type = EE_OPTION_NUMBER, .min = 0.001, .max = EE_PROTOCOL_LONGEST_MS / 1000},
    {.name = "persistent", .type = EE_OPTION_BOOL},
    {.name = "env", .type = EE_OPTION_TEXTS},
    {.name = "config", .type = EE_OPTION_TABLE},
    {.name = NULL},
};

/* Keys that AgentV has for this type and that would change the result: errors. */
static const char *const refused[] = {"negate", "transform", "preprocessors", "postprocess", NULL};
/* Keys that a program may do without: left aside with a warning. */
static const char *const left_aside[] = {"target", "provider", NULL};
/* Keys that are not part of the config. */
static const char *const known[] = {
    "name",    "metric", "type",       "min_score", "required",        "script",     "command", "weight",
    "verdict", "cwd",    "timeout_ms", "config",    "timeout_seconds", "persistent", "env",     NULL};

static bool is_one_of(const ee_value *member, const char *const *words) {
  while (*words != NULL && !is_key(member, *words)) words++;
  return *words != NULL;
}

/* The program and its arguments, or a rule file. */
typedef struct command {
  const ee_value *member; /* `script` or `command` */
  ee_rule_node *list;     /* the strings; NULL with an error */
  bool is_rules;          /* a rule file: one string that ends in .lua */
} command;

static bool ends_in_lua(ee_str text) { return text.length > 4 && memcmp(text.data + text.length - 4, ".lua", 4) == 0; }

/* Warns about a string with spaces: without a shell it is the name of one program. */
static void warn_of_spaces(node_builder *n, const ee_value *member) {
  ee_str text = ee_value_text(member);
  const char *space = memchr(text.data, ' ', text.length);
  if (space == NULL) return;
  int first = (int)(space - text.data);
  report(n->builder, EE_OK, member,
         "%s of %s is used as the name of a program: write its arguments as an array, [\"%.*s\", ...]",
         quote(n->builder, text), n->subject, first, text.data);
}

/* Reads the string or array at `member`. */
static void read_command(node_builder *n, const ee_value *member, command *found) {
  rules_builder *builder = n->builder;
  ee_str key = ee_value_key(member);
  if (found->member != NULL) {
    report(builder, EE_ERROR_RULES, member, "%s has both script and command, which mean the same", n->subject);
    return;
  }
  found->member = member;
  bool is_list = ee_type_of(member) == EE_ARRAY;
  if (!is_list && ee_type_of(member) != EE_STRING) {
    report(builder, EE_ERROR_RULES, member, "%.*s of %s must be a string or an array of strings, got %s",
           (int)key.length, key.data, n->subject, ee_type_name(member));
    return;
  }
  size_t count = is_list ? ee_value_count(member) : 1;
  ee_rule_value *texts = EE_NEW_ARRAY(builder->arena, ee_rule_value, count);
  const ee_value *item = is_list ? ee_value_child(member) : member;
  for (size_t i = 0; i < count; i++) {
    if (ee_type_of(item) != EE_STRING) {
      report(builder, EE_ERROR_RULES, item, "%.*s of %s must be an array of strings, but item %zu is %s",
             (int)key.length, key.data, n->subject, i + 1, ee_type_name(item));
      return;
    }
    texts[i] = rule_value_of(builder, item);
    item = ee_value_next(item);
  }
  if (count == 0 || ee_str_is_blank(texts[0].text)) {
    report(builder, EE_ERROR_RULES, member, "%.*s of %s is empty", (int)key.length, key.data, n->subject);
    return;
  }
  found->is_rules = count == 1 && ends_in_lua(texts[0].text);
  if (!is_list && !found->is_rules) warn_of_spaces(n, member);
  found->list = EE_NEW(builder->arena, ee_rule_node);
  *found->list = (ee_rule_node){.file = n->node->file, .line = n->node->line, .items = texts, .item_count = count};
}

/* Adds an unknown key to the config. */
static void pass_on(node_builder *n, const ee_value *member, ee_value *config) {
  ee_arena *arena = n->builder->arena;
  ee_str key = ee_value_key(member);
  const char *hint = suggest(n->builder, key, known);
  if (*hint != '\0')
    report(n->builder, EE_OK, member, "key %s of %s is passed in config%s", quote(n->builder, key), n->subject, hint);
  ee_value_set(arena, config, key, ee_value_copy(arena, member));
}

/* Members of `config` win over keys beside it. */
static ee_value *merge(ee_arena *arena, const ee_value *beside, const ee_value *own) {
  ee_value *merged = ee_value_new(arena, EE_OBJECT);
  for (const ee_value *member = ee_value_child(beside); member != NULL; member = ee_value_next(member)) {
    if (ee_value_member(own, ee_value_key(member), NULL) == NULL)
      ee_value_set(arena, merged, ee_value_key(member), ee_value_copy(arena, member));
  }
  for (const ee_value *member = own != NULL ? ee_value_child(own) : NULL; member != NULL;
       member = ee_value_next(member))
    ee_value_set(arena, merged, ee_value_key(member), ee_value_copy(arena, member));
  return merged;
}

static void set_config(node_builder *n, const ee_value *beside, const ee_value *own) {
  ee_arena *arena = n->builder->arena;
  ee_value *config = merge(arena, beside, own);
  if (ee_value_count(config) == 0) return;
  ee_value_freeze(config, arena);
  ee_rule_value value = rule_value_of(n->builder, config);
  ee_rule_node *table = EE_NEW(arena, ee_rule_node);
  *table = *value.node;
  table->file = n->node->file;
  table->line = n->node->line;
  table->document = config;
  value.node = table;
  set_option(n, "config", value, own);
}

/* Reports options that only programs have. */
static void refuse_for_rules(node_builder *n, const command *found, const ee_value *value) {
  static const char *const words[] = {"cwd", "timeout_ms", "timeout_seconds", "persistent", "env", NULL};
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL || !is_one_of(member, words)) continue;
    ee_str key = ee_value_key(member);
    report(n->builder, EE_ERROR_RULES, member, "option '%.*s' of %s is for programs, and %s is a rule file",
           (int)key.length, key.data, n->subject, quote(n->builder, found->list->items[0].text));
  }
}

/* Takes a key other than `script` and `command`. */
static void take_member(node_builder *n, const ee_value *member, ee_str name, ee_value *beside, const ee_value **own) {
  ee_str key = ee_value_key(member);
  if (is_one_of(member, refused)) {
    if (ee_type_of(member) != EE_FALSE)
      report(n->builder, EE_ERROR_RULES, member, "option '%.*s' of %s is not supported", (int)key.length, key.data,
             n->subject);
  } else if (is_one_of(member, left_aside)) {
    note_left_out(n->builder, ee_arena_copy(n->builder->arena, key.data, key.length), "programs cannot use models",
                  true, member, name);
  } else if (is_key(member, "config")) {
    if (ee_type_of(member) == EE_OBJECT) {
      *own = member;
    } else {
      report(n->builder, EE_ERROR_RULES, member, "config of %s must be an object, got %s", n->subject,
             ee_type_name(member));
    }
  } else if (is_key(member, "timeout_seconds")) {
    ee_rule_value value = rule_value_of(n->builder, member);
    if (!check_member(n, member, &value)) return;
    value.number *= 1000;
    set_option(n, "timeout_ms", value, member);
  } else if (is_one_of(member,
                       (const char *const[]){"weight", "verdict", "cwd", "timeout_ms", "persistent", "env", NULL})) {
    add_member(n, member, NULL);
  } else {
    pass_on(n, member, beside);
  }
}

static const ee_rule_node *code_to_node(rules_builder *builder, const ee_value *value, ee_str name) {
  const ee_option *const tables[] = {common_rows, code_rows, ee_judge_shared_options, NULL};
  node_builder n = start_node(builder, "exec", value, subject_of(builder, name), tables);
  ee_value *beside = ee_value_new(builder->arena, EE_OBJECT);
  const ee_value *own = NULL;
  command found = {0};
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    /* A key of the program's config may be null. */
    if (ee_type_of(member) == EE_NULL && is_one_of(member, known)) continue;
    if (is_key(member, "script") || is_key(member, "command")) {
      read_command(&n, member, &found);
    } else if (!take_common(&n, member, name)) {
      take_member(&n, member, name, beside, &own);
    }
  }
  if (found.member == NULL) report(builder, EE_ERROR_RULES, value, "%s has no script", n.subject);
  if (found.list != NULL && found.is_rules) {
    n.node->kind = ee_str_from(ee_code_judge.name);
    set_option(&n, "script", found.list->items[0], found.member);
    refuse_for_rules(&n, &found, value);
  } else if (found.list != NULL) {
    set_option(&n, "command", (ee_rule_value){.type = EE_RULE_TABLE, .node = found.list}, found.member);
  }
  set_config(&n, beside, own);
  return finish_evaluator(&n, name);
}

/* llm_judge as ee.llm --------------------------------------------------------------------------- */

static const ee_option model_rows[] = {{.name = "prompt", .type = EE_OPTION_TEXT}, {.name = NULL}};

/* Variables of AgentV's prompts, and what they are here: the first of the members that a record has, or the candidate.
 */
static const struct variable_row {
  const char *name;
  const char *members[5]; /* NULL-terminated; empty: the candidate */
} variables[] = {
    {"question", {"question", "input", "input_messages", NULL}},
    {"input", {"input", "input_messages", "question", NULL}},
    {"input_messages", {"input_messages", "input", "question", NULL}},
    {"criteria", {"criteria", "expected_outcome", "outcome", NULL}},
    {"expected_outcome", {"expected_outcome", "criteria", "outcome", NULL}},
    {"reference_answer", {"reference_answer", "expected_output", "expected_messages", "expected", NULL}},
    {"expected_output", {"expected_output", "expected_messages", "reference_answer", "expected", NULL}},
    {"answer", {NULL}},
    {"output", {NULL}},
    {"candidate_answer", {NULL}},
    {"output_messages", {NULL}},
};

/* What is asked without a prompt. */
static const char default_prompt[] =
    "Grade the answer by how well it meets the criteria for the task. Where there is a reference answer, it is a "
    "correct "
    "one; others may be correct, too.\n\nTask:\n{{question}}\n\nCriteria:\n{{criteria}}\n\nReference answer:\n"
    "{{reference_answer}}\n\nAnswer:\n{{answer}}";

static bool some_case_has(const ee_case_file *file, const char *member) {
  for (size_t i = 0; i < file->count; i++)
    if (ee_type_of(ee_value_member(file->cases[i].record, ee_str_from(member), NULL)) > EE_NULL) return true;
  return false;
}

static ee_rule_value place_of(const rules_builder *builder, const struct variable_row *variable) {
  ee_str place = EE_STR("candidate");
  if (variable->members[0] != NULL) {
    size_t i = 0;
    while (variable->members[i] != NULL && !some_case_has(builder->file, variable->members[i])) i++;
    const char *member = variable->members[i] != NULL ? variable->members[i] : variable->members[0];
    place = ee_str_from(ee_arena_printf(builder->arena, "record.%s", member));
  }
  return (ee_rule_value){.type = EE_RULE_TEXT, .text = place};
}

static const ee_rule_node *placeholders(rules_builder *builder, const ee_rule_node *of) {
  enum { COUNT = sizeof variables / sizeof *variables };
  ee_rule_option *options = EE_NEW_ARRAY(builder->arena, ee_rule_option, COUNT);
  for (size_t i = 0; i < COUNT; i++)
    options[i] = (ee_rule_option){ee_str_from(variables[i].name), place_of(builder, &variables[i])};
  qsort(options, COUNT, sizeof *options, compare_options);
  ee_rule_node *table = EE_NEW(builder->arena, ee_rule_node);
  *table = (ee_rule_node){.file = of->file, .line = of->line, .options = options, .option_count = COUNT};
  return table;
}

/* Whether a prompt is the name of a file: one word with a suffix of text. */
static bool names_file(ee_str text) {
  static const char *const suffixes[] = {".md", ".txt", ".prompt"};
  for (size_t i = 0; i < text.length; i++)
    if ((unsigned char)text.data[i] <= ' ') return false;
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    size_t length = strlen(suffixes[i]);
    if (text.length > length && memcmp(text.data + text.length - length, suffixes[i], length) == 0) return true;
  }
  return false;
}

static const ee_rule_node *model_to_node(rules_builder *builder, const ee_value *value, ee_str name) {
  const ee_option *const tables[] = {common_rows, model_rows, ee_judge_shared_options, NULL};
  node_builder n = start_node(builder, ee_llm_judge.name, value, subject_of(builder, name), tables);
  n.options = EE_NEW_ARRAY(builder->arena, ee_rule_option, ee_value_count(value) + 8);
  n.node->options = n.options;
  bool has_prompt = false;
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL || take_common(&n, member, name)) continue;
    if (is_key(member, "prompt") && ee_type_of(member) == EE_STRING) {
      has_prompt = true;
      add_member(&n, member, names_file(ee_value_text(member)) ? "file" : NULL);
    } else if (is_key(member, "weight") || is_key(member, "prompt")) {
      add_member(&n, member, NULL);
    } else {
      note_left_out(builder, ee_arena_printf(builder->arena, "%.*s", EE_STR_ARG(ee_value_key(member))),
                    "the model is that of OPENAI_MODEL, the scale 0 to 1", true, member, name);
    }
  }
  if (!has_prompt)
    set_option(&n, "prompt", (ee_rule_value){.type = EE_RULE_TEXT, .text = EE_STR(default_prompt)}, value);
  static const ee_rule_value ends[] = {{.type = EE_RULE_NUMBER, .number = 0, .is_integer = true},
                                       {.type = EE_RULE_NUMBER, .number = 1, .is_integer = true}};
  ee_rule_node *scale = EE_NEW(builder->arena, ee_rule_node);
  *scale = (ee_rule_node){.file = n.node->file, .line = n.node->line, .items = ends, .item_count = 2};
  set_option(&n, "scale", (ee_rule_value){.type = EE_RULE_TABLE, .node = scale}, value);
  set_option(&n, "placeholders", (ee_rule_value){.type = EE_RULE_TABLE, .node = placeholders(builder, n.node)}, value);
  return finish_evaluator(&n, name);
}

#define NOT_JUDGING UINT32_MAX

/* An evaluator of the data set; equal ones are one. */
typedef struct evaluator {
  const ee_value *node; /* the first of equal ones */
  evaluator_kind kind;
  uint32_t line, column;
  size_t met;      /* the order in which it was found: decides between equal places */
  uint32_t number; /* of its judge, in the order of the file */
  size_t last;     /* number of the last case that has it, from 1 */
  ee_str name;
} evaluator;

/* A node that was looked at before: cases share nodes. */
typedef struct known_node {
  const ee_value *node;
  uint32_t evaluator; /* or NOT_JUDGING */
} known_node;

/* The evaluators of a case, by index. */
typedef struct case_judges {
  const uint32_t *evaluators;
  size_t count;
} case_judges;

typedef struct collection {
  rules_builder builder;
  struct {
    EE_LIST(evaluator);
  } evaluators;
  ee_hash_index by_value; /* of evaluators, by the hashes of their nodes */
  struct {
    EE_LIST(known_node);
  } nodes;
  ee_hash_index by_node; /* of nodes, by their addresses */
  size_t text_count;
  const ee_value *first_text;
} collection;

/* Which evaluators there are -------------------------------------------------------------------- */

/* The index of the evaluator that is equal to `node`, which is added if there is none. */
static uint32_t take_evaluator(collection *c, const ee_value *node, evaluator_kind kind) {
  uint64_t hash = ee_json_hash(node);
  size_t at = 0, number;
  while (ee_hash_index_next(&c->by_value, hash, &at, &number)) {
    if (ee_json_equal(c->evaluators.items[number].node, node)) return (uint32_t)number;
  }
  struct ee_yaml_place place = ee_case_file_place(c->builder.file, node);
  size_t added = c->evaluators.count;
  ee_hash_index_add(&c->by_value, hash, added);
  *EE_LIST_ADD(&c->evaluators, c->builder.arena) =
      (evaluator){.node = node, .kind = kind, .line = place.line, .column = place.column, .met = added};
  return (uint32_t)added;
}

/* The evaluator of a node that was not looked at before, or NOT_JUDGING. */
static uint32_t look_at(collection *c, const ee_value *node) {
  ee_type type = ee_type_of(node);
  if (type == EE_OBJECT) {
    evaluator_kind kind = kind_of(&c->builder, node);
    return kind != KIND_NONE ? take_evaluator(c, node, kind) : NOT_JUDGING;
  }
  if (type == EE_STRING) {
    if (c->text_count++ == 0) c->first_text = node;
  } else if (type > EE_NULL) {
    report(&c->builder, EE_ERROR_RULES, node, "an evaluator must be an object, got %s", ee_type_name(node));
  }
  return NOT_JUDGING;
}

static uint32_t take_node(collection *c, const ee_value *node) {
  uint64_t hash = ee_hash_mix((uint64_t)(uintptr_t)node);
  size_t at = 0, number;
  while (ee_hash_index_next(&c->by_node, hash, &at, &number)) {
    if (c->nodes.items[number].node == node) return c->nodes.items[number].evaluator;
  }
  ee_hash_index_add(&c->by_node, hash, c->nodes.count);
  known_node *added = EE_LIST_ADD(&c->nodes, c->builder.arena);
  *added = (known_node){node, look_at(c, node)};
  return added->evaluator;
}

static case_judges take_case(collection *c, const ee_file_case *one, size_t number) {
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): of a case of the file
  uint32_t *evaluators = EE_NEW_ARRAY(c->builder.arena, uint32_t, one->evaluator_count);
  case_judges judges = {evaluators, 0};
  for (size_t i = 0; i < one->evaluator_count; i++) {
    uint32_t taken = take_node(c, one->evaluators[i]);
    if (taken == NOT_JUDGING || c->evaluators.items[taken].last == number) continue;
    c->evaluators.items[taken].last = number;
    evaluators[judges.count++] = taken;
  }
  return judges;
}

/* The judges of all cases. */
static case_judges *take_cases(collection *c, const ee_case_file *file) {
  case_judges *judges = EE_NEW_ARRAY(c->builder.arena, case_judges, file->count);
  for (size_t i = 0; i < file->count; i++) {
    const ee_file_case *one = &file->cases[i], *before = i > 0 ? one - 1 : NULL;
    bool same =
        before != NULL && before->evaluators == one->evaluators && before->evaluator_count == one->evaluator_count;
    judges[i] = same ? judges[i - 1] : take_case(c, one, i + 1);
  }
  return judges;
}

/* Order and names ------------------------------------------------------------------------------- */

static int compare_places(const void *left, const void *right) {
  const evaluator *a = *(evaluator *const *)left, *b = *(evaluator *const *)right;
  if (a->line != b->line) return a->line < b->line ? -1 : 1;
  if (a->column != b->column) return a->column < b->column ? -1 : 1;
  return (a->met > b->met) - (a->met < b->met);
}

/* Numbers the evaluators in the order of the file, and returns them in that order. */
static evaluator **number_all(collection *c) {
  evaluator **order = EE_NEW_ARRAY(c->builder.arena, evaluator *, c->evaluators.count);
  for (size_t i = 0; i < c->evaluators.count; i++) order[i] = &c->evaluators.items[i];
  if (c->evaluators.count > 0) qsort(order, c->evaluators.count, sizeof *order, compare_places);
  for (size_t i = 0; i < c->evaluators.count; i++) order[i]->number = (uint32_t)i;
  return order;
}

/* A name as written, and how many evaluators have it so far. */
typedef struct base_name {
  ee_str name;
  uint32_t copies;
} base_name;

typedef struct name_table {
  ee_arena *arena;
  base_name *bases; /* room for one per evaluator */
  size_t base_count;
  ee_hash_index by_base; /* of bases */
  evaluator **order;
  ee_hash_index by_name; /* of evaluators with a final name */
} name_table;

static uint64_t hash_name(ee_str name) { return ee_hash_bytes(name.data, name.length, 0); }

static base_name *find_base(name_table *table, ee_str name) {
  uint64_t hash = hash_name(name);
  size_t at = 0, number;
  while (ee_hash_index_next(&table->by_base, hash, &at, &number)) {
    if (ee_str_equal(table->bases[number].name, name)) return &table->bases[number];
  }
  ee_hash_index_add(&table->by_base, hash, table->base_count);
  base_name *added = &table->bases[table->base_count++];
  added->name = name;
  return added;
}

static bool is_taken(const name_table *table, ee_str name) {
  size_t at = 0, number;
  while (ee_hash_index_next(&table->by_name, hash_name(name), &at, &number)) {
    if (ee_str_equal(table->order[number]->name, name)) return true;
  }
  return false;
}

/* Gives each evaluator a name of its own: "header", "header (2)". */
static void name_all(collection *c, evaluator **order) {
  ee_arena *arena = c->builder.arena;
  name_table table = {.arena = arena,
                      .bases = EE_NEW_ARRAY(arena, base_name, c->evaluators.count),
                      .by_base = {.arena = arena},
                      .order = order,
                      .by_name = {.arena = arena}};
  for (size_t i = 0; i < c->evaluators.count; i++) {
    base_name *base = find_base(&table, name_of(&c->builder, order[i]->kind, order[i]->node));
    ee_str name;
    do {
      name = base->name;
      if (++base->copies > 1)
        name = ee_str_from(ee_arena_printf(arena, "%.*s (%" PRIu32 ")", (int)name.length, name.data, base->copies));
    } while (is_taken(&table, name));
    order[i]->name = name;
    ee_hash_index_add(&table.by_name, hash_name(name), i);
  }
}

/* The rule tree --------------------------------------------------------------------------------- */

static const ee_rule_node *to_node(rules_builder *builder, const evaluator *one) {
  switch (one->kind) {
  case KIND_FIELDS: return fields_to_node(builder, one->node, one->name);
  case KIND_IOU: return iou_to_node(builder, one->node, one->name);
  case KIND_MODEL: return model_to_node(builder, one->node, one->name);
  default: return code_to_node(builder, one->node, one->name);
  }
}

static const ee_rule_node *make_root(collection *c, evaluator *const *order) {
  ee_arena *arena = c->builder.arena;
  const ee_case_file *file = c->builder.file;
  ee_rule_node *root = EE_NEW(arena, ee_rule_node);
  *root = (ee_rule_node){.kind = EE_STR("rules"), .file = file->name, .line = 1};
  ee_rule_value *items = EE_NEW_ARRAY(arena, ee_rule_value, c->evaluators.count);
  root->items = items;
  for (size_t i = 0; i < c->evaluators.count; i++) {
    size_t before = c->builder.error_count;
    const ee_rule_node *node = to_node(&c->builder, order[i]);
    /* After an error only fields are compiled, for mistakes among them; other judges would complain about what they
     * lack because of it. */
    bool compiles = c->builder.error_count == before || (order[i]->kind == KIND_FIELDS && node->item_count > 0);
    if (compiles) items[root->item_count++] = (ee_rule_value){.type = EE_RULE_NODE, .node = node};
  }
  if (file->title.length > 0) {
    ee_rule_option *name = EE_NEW(arena, ee_rule_option);
    *name = (ee_rule_option){EE_STR("name"), {.type = EE_RULE_TEXT, .text = file->title}};
    root->options = name;
    root->option_count = 1;
  }
  return root;
}

/* Which judge which case ----------------------------------------------------------------------- */

static int compare_numbers(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

/* The weight of the judge; a path (weights of items) counts as 1. */
static double weight_of(const evaluator *one) {
  const ee_value *weight = ee_value_member(one->node, EE_STR("weight"), NULL);
  return ee_type_of(weight) == EE_NUMBER ? ee_value_number(weight) : 1;
}

/* The case's id, or the one that it gets as a record of the data set (ee_block_place()). */
static ee_str id_of(const ee_case_file *file, const ee_file_case *one, ee_arena *arena) {
  if (one->id.data != NULL) return one->id;
  bool shares_line = one > file->cases && one[-1].line == one->line;
  const char *slash = strrchr(file->name, '/');
  const ee_record_place place = {
      .file = slash != NULL ? slash + 1 : file->name, .line = one->line, .column = shares_line ? one->column : 0};
  return ee_record_place_name(&place, arena);
}

/* Reports judges of a case whose weights sum to 0. */
static void check_weights(collection *c, const ee_file_case *one, const case_judges *judges) {
  double sum = 0;
  for (size_t i = 0; i < judges->count; i++) sum += weight_of(&c->evaluators.items[judges->evaluators[i]]);
  if (judges->count == 0 || sum > 0) return;
  report(&c->builder, EE_ERROR_RULES, one->record, "the weights of the evaluators of case %s sum to 0",
         quote(&c->builder, id_of(c->builder.file, one, c->builder.arena)));
}

static ee_selection *select_judges(collection *c, const case_judges *judges) {
  const ee_case_file *file = c->builder.file;
  ee_arena *arena = c->builder.arena;
  bool all = true;
  for (size_t i = 0; i < file->count; i++) all = all && judges[i].count == c->evaluators.count;
  if (all) return NULL;
  ee_selection *selection = ee_selection_new(arena);
  uint32_t *numbers = EE_NEW_ARRAY(arena, uint32_t, c->evaluators.count);
  size_t unjudged = 0;
  const ee_file_case *first = NULL;
  for (size_t i = 0; i < file->count; i++) {
    const ee_file_case *one = &file->cases[i];
    for (size_t k = 0; k < judges[i].count; k++) numbers[k] = c->evaluators.items[judges[i].evaluators[k]].number;
    if (judges[i].count > 0) qsort(numbers, judges[i].count, sizeof *numbers, compare_numbers);
    ee_selection_add(selection, id_of(file, one, arena), numbers, judges[i].count);
    check_weights(c, one, &judges[i]);
    if (judges[i].count == 0 && unjudged++ == 0) first = one;
  }
  if (unjudged > 0)
    report(&c->builder, EE_OK, first->record, "%zu case%s no evaluator that can judge %s and %s left out (%s is %s)",
           unjudged, unjudged == 1 ? " has" : "s have", unjudged == 1 ? "it" : "them", unjudged == 1 ? "is" : "are",
           unjudged == 1 ? "it" : "the first", quote(&c->builder, id_of(file, first, arena)));
  return selection;
}

const ee_rule_node *ee_agentv_to_rules(const ee_case_file *file, bool asks_models, ee_arena *arena,
                                       ee_selection **selection, ee_error_list *errors) {
  collection c = {.builder = {.file = file, .arena = arena, .errors = errors, .asks_models = asks_models},
                  .by_value = {.arena = arena},
                  .by_node = {.arena = arena}};
  *selection = NULL;
  case_judges *judges = take_cases(&c, file);
  evaluator **order = number_all(&c);
  name_all(&c, order);
  const ee_rule_node *root = make_root(&c, order);
  if (c.evaluators.count > 0) *selection = select_judges(&c, judges);
  report_left_out(&c.builder);
  const char *meant;
  const ee_value *misspelt = ee_case_file_misspelt(file, &meant);
  if (misspelt != NULL)
    report(&c.builder, EE_OK, misspelt, "unknown key %s has no effect (did you mean '%s'?)",
           quote(&c.builder, ee_value_key(misspelt)), meant);
  if (c.text_count > 0)
    report(&c.builder, EE_OK, c.first_text,
           "%zu string%s among the evaluators %s left out: criteria for a reader or a model", c.text_count,
           c.text_count == 1 ? "" : "s", c.text_count == 1 ? "is" : "are");
  return root->item_count > 0 ? root : NULL;
}
