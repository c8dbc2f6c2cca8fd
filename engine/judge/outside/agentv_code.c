/* agentv_code.c: code_judge of a YAML data set as a node: another rule file, or a program. */
#include "judge/outside/agentv_node.h"
#include "judge/outside/protocol.h"

static const ee_option code_rows[] = {
    {.name = "script", .type = EE_OPTION_TEXT},
    {.name = "command", .type = EE_OPTION_TEXT},
    {.name = "cwd", .type = EE_OPTION_TEXT},
    {.name = "timeout_ms", .type = EE_OPTION_NUMBER, .min = 1, .max = EE_PROTOCOL_LONGEST_MS},
    {.name = "timeout_seconds", .type = EE_OPTION_NUMBER, .min = 0.001, .max = EE_PROTOCOL_LONGEST_MS / 1000},
    {.name = "persistent", .type = EE_OPTION_BOOL},
    {.name = "config", .type = EE_OPTION_TABLE},
    {.name = NULL},
};

/* Keys that an evaluator of this type has elsewhere and that cannot be followed here: to pass over them would change
 * what it says. */
static const char *const refused[] = {"negate", "transform", "preprocessors", "postprocess", NULL};
/* The same of those without which a program may do all the same. */
static const char *const left_aside[] = {"target", "provider", NULL};
/* All that is not config; the first ones belong to evaluators of every type, and `script` and `command` are read apart.
 */
static const char *const known[] = {
    "name",    "metric", "type",       "min_score", "required",        "script",     "command", "weight",
    "verdict", "cwd",    "timeout_ms", "config",    "timeout_seconds", "persistent", NULL};

static bool is_one_of(const ee_value *member, const char *const *words) {
  while (*words != NULL && !ee_agentv_is_key(member, *words)) words++;
  return *words != NULL;
}

/* The program and its arguments, or a rule file. */
typedef struct command {
  const ee_value *member; /* `script` or `command` */
  ee_rule_node *list;     /* the texts; NULL with a mistake */
  bool is_rules;          /* it is a rule file: the only text, which ends in .lua */
} command;

static bool ends_in_lua(ee_str text) { return text.length > 4 && memcmp(text.data + text.length - 4, ".lua", 4) == 0; }

/* One text is the name of one program: there is no shell that would take it apart. */
static void warn_of_spaces(ee_agentv_node *n, const ee_value *member) {
  ee_str text = ee_value_text(member);
  const char *space = memchr(text.data, ' ', text.length);
  if (space == NULL) return;
  int first = (int)(space - text.data);
  ee_agentv_report(n->builder, EE_OK, member,
                   "%s of %s is taken for the name of one program: write its arguments apart, [\"%.*s\", ...]",
                   ee_agentv_quoted(n->builder, text), n->subject, first, text.data);
}

/* Reads the text or list at `member`. */
static void read_command(ee_agentv_node *n, const ee_value *member, command *found) {
  ee_agentv_builder *builder = n->builder;
  ee_str key = ee_value_key(member);
  if (found->member != NULL) {
    ee_agentv_report(builder, EE_ERROR_RULES, member, "%s has both script and command, which mean the same",
                     n->subject);
    return;
  }
  found->member = member;
  bool is_list = ee_type_of(member) == EE_ARRAY;
  if (!is_list && ee_type_of(member) != EE_STRING) {
    ee_agentv_report(builder, EE_ERROR_RULES, member, "%.*s of %s must be a string or a list of strings, got %s",
                     (int)key.length, key.data, n->subject, ee_type_name(member));
    return;
  }
  size_t count = is_list ? ee_value_count(member) : 1;
  ee_rule_value *texts = EE_NEW_ARRAY(builder->arena, ee_rule_value, count);
  const ee_value *item = is_list ? ee_value_child(member) : member;
  for (size_t i = 0; i < count; i++) {
    if (ee_type_of(item) != EE_STRING) {
      ee_agentv_report(builder, EE_ERROR_RULES, item, "%.*s of %s must be a list of strings, but item %zu is %s",
                       (int)key.length, key.data, n->subject, i + 1, ee_type_name(item));
      return;
    }
    texts[i] = ee_agentv_value(builder, item);
    item = ee_value_next(item);
  }
  if (count == 0 || ee_str_is_blank(texts[0].text)) {
    ee_agentv_report(builder, EE_ERROR_RULES, member, "%.*s of %s is empty", (int)key.length, key.data, n->subject);
    return;
  }
  found->is_rules = count == 1 && ends_in_lua(texts[0].text);
  if (!is_list && !found->is_rules) warn_of_spaces(n, member);
  found->list = EE_NEW(builder->arena, ee_rule_node);
  *found->list = (ee_rule_node){.file = n->node->file, .line = n->node->line, .items = texts, .item_count = count};
}

/* Passes on a key that is not known. */
static void pass_on(ee_agentv_node *n, const ee_value *member, ee_value *config) {
  ee_arena *arena = n->builder->arena;
  ee_str key = ee_value_key(member);
  const char *hint = ee_agentv_suggestion(n->builder, key, known);
  if (*hint != '\0')
    ee_agentv_report(n->builder, EE_OK, member, "key %s of %s is passed on as config%s",
                     ee_agentv_quoted(n->builder, key), n->subject, hint);
  ee_value_set(arena, config, key, ee_value_copy(arena, member));
}

/* What `config` says wins over keys beside it. */
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

static void set_config(ee_agentv_node *n, const ee_value *beside, const ee_value *own) {
  ee_arena *arena = n->builder->arena;
  ee_value *config = merge(arena, beside, own);
  if (ee_value_count(config) == 0) return;
  ee_value_freeze(config, arena);
  ee_rule_value value = ee_agentv_value(n->builder, config);
  ee_rule_node *table = EE_NEW(arena, ee_rule_node);
  *table = *value.node;
  table->file = n->node->file;
  table->line = n->node->line;
  table->document = config;
  value.node = table;
  ee_agentv_set(n, "config", value, own);
}

/* What only a program has. */
static void refuse_for_rules(ee_agentv_node *n, const command *found, const ee_value *value) {
  static const char *const words[] = {"cwd", "timeout_ms", "timeout_seconds", "persistent", NULL};
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL || !is_one_of(member, words)) continue;
    ee_str key = ee_value_key(member);
    ee_agentv_report(n->builder, EE_ERROR_RULES, member, "option '%.*s' of %s is for programs, and %s is a rule file",
                     (int)key.length, key.data, n->subject, ee_agentv_quoted(n->builder, found->list->items[0].text));
  }
}

/* Takes a key other than `script` and `command`. */
static void take_member(ee_agentv_node *n, const ee_value *member, ee_str name, ee_value *beside,
                        const ee_value **own) {
  ee_str key = ee_value_key(member);
  if (is_one_of(member, refused)) {
    if (ee_type_of(member) != EE_FALSE)
      ee_agentv_report(n->builder, EE_ERROR_RULES, member, "option '%.*s' of %s cannot be followed here",
                       (int)key.length, key.data, n->subject);
  } else if (is_one_of(member, left_aside)) {
    ee_agentv_note(n->builder, ee_arena_copy(n->builder->arena, key.data, key.length),
                   "programs get no access to models", true, member, name);
  } else if (ee_agentv_is_key(member, "config")) {
    if (ee_type_of(member) == EE_OBJECT) {
      *own = member;
    } else {
      ee_agentv_report(n->builder, EE_ERROR_RULES, member, "config of %s must be a mapping, got %s", n->subject,
                       ee_type_name(member));
    }
  } else if (ee_agentv_is_key(member, "timeout_seconds")) {
    ee_rule_value value = ee_agentv_value(n->builder, member);
    if (!ee_agentv_check(n, member, &value)) return;
    value.number *= 1000;
    ee_agentv_set(n, "timeout_ms", value, member);
  } else if (is_one_of(member, (const char *const[]){"weight", "verdict", "cwd", "timeout_ms", "persistent", NULL})) {
    ee_agentv_add(n, member, NULL);
  } else {
    pass_on(n, member, beside);
  }
}

const ee_rule_node *ee_agentv_code_to_node(ee_agentv_builder *builder, const ee_value *value, ee_str name) {
  const ee_option *const tables[] = {ee_agentv_rows, code_rows, ee_judge_shared_options, NULL};
  ee_agentv_node n = ee_agentv_start(builder, "exec", value, ee_agentv_subject(builder, name), tables);
  ee_value *beside = ee_value_new(builder->arena, EE_OBJECT);
  const ee_value *own = NULL;
  command found = {0};
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    /* A key of the program's own may well be null. */
    if (ee_type_of(member) == EE_NULL && is_one_of(member, known)) continue;
    if (ee_agentv_is_key(member, "script") || ee_agentv_is_key(member, "command")) {
      read_command(&n, member, &found);
    } else if (!ee_agentv_take_common(&n, member, name)) {
      take_member(&n, member, name, beside, &own);
    }
  }
  if (found.member == NULL) ee_agentv_report(builder, EE_ERROR_RULES, value, "%s has no script", n.subject);
  if (found.list != NULL && found.is_rules) {
    n.node->kind = ee_str_from(ee_code_judge.name);
    ee_agentv_set(&n, "script", found.list->items[0], found.member);
    refuse_for_rules(&n, &found, value);
  } else if (found.list != NULL) {
    ee_agentv_set(&n, "command", (ee_rule_value){.type = EE_RULE_TABLE, .node = found.list}, found.member);
  }
  set_config(&n, beside, own);
  return ee_evaluator_finish(&n, name);
}
