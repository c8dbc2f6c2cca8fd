/* rule_document.c: from a YAML or JSON document to the nodes of judge/rule_node.h, and which documents are rules. */
#include "judge/rule_text/rule_document.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/list.h"
#include "data/files/byte_source.h"
#include "data/json/path.h"
#include "data/yaml/yaml_reader.h"
#include "judge/gate.h"
#include "judge/judge.h"
#include "judge/plan.h"
#include "judge/provider_settings.h"
#include "judge/strategy/strategy.h"
#include "prim/normalize.h"

/* Bytes of a name in a message. */
#define NAME_SHOWN 100

typedef struct reader {
  ee_arena *arena;
  const char *file;
  ee_error_list *errors;
  const ee_rule_host *host;
  ee_yaml_places places;
  struct {
    EE_LIST(const ee_rule_node *);
  } definitions;           /* strategies of `require` */
  const char *entry_first; /* the key of the first positional value of tables in a table; NULL: none */
  bool unloaded;           /* a module did not load: a constructor may be its */
  size_t depth, values;
} reader;

/* Positional values. */
typedef struct value_list {
  EE_LIST(ee_rule_value);
} value_list;

/* The options that a constructor or a table has. */
typedef struct option_rows {
  const ee_option *tables[3];
  const ee_rule_node *declared; /* a project's own strategy: the table that declares its options; else NULL */
  bool by_data;                 /* a table whose keys come from the data */
} option_rows;

static bool read_value(reader *self, const ee_value *value, const ee_option *row, ee_rule_value *out);

/* Mistakes ------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void mistake(reader *self, const ee_value *at, const char *format, ...) {
  char message[sizeof((ee_error *)NULL)->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  message[ee_utf8_valid_prefix(message, strlen(message))] = '\0';
  struct ee_yaml_place place = ee_yaml_place_of(&self->places, at);
  ee_error error;
  ee_error_at(&error, EE_ERROR_RULES, self->file, place.line, place.column, "%s", message);
  ee_error_list_add(self->errors, &error);
}

#define SHOWN(name) (int)ee_utf8_cut(name, NAME_SHOWN), (name).data

static void need_function(reader *self, const ee_value *at, const char *what) {
  if (self->host->left_out != NULL) {
    struct ee_yaml_place place = ee_yaml_place_of(&self->places, at);
    ee_error_list_addf(self->host->left_out, EE_OK, self->file, place.line, "%s needs a function", what);
    return;
  }
  mistake(self, at,
          "%s needs a function, which only a rule file in Lua can have: 'evalengine check %s --to-lua' writes "
          "one with the other rules",
          what, self->file);
}

/* Names ---------------------------------------------------------------------------------------- */

/* Constructors that need a function. */
static const char *const function_constructors[] = {"judge", "custom", "summary", "report", "strategy", NULL};

static bool is_one_of(ee_str word, const char *const *words) {
  for (; *words != NULL; words++)
    if (ee_str_is(word, *words)) return true;
  return false;
}

static const ee_rule_node *find_definition(const reader *self, ee_str name) {
  for (size_t i = 0; i < self->definitions.count; i++) {
    const ee_rule_node *definition = self->definitions.items[i];
    if (ee_str_equal(definition->items[0].text, name)) return definition;
  }
  return NULL;
}

static bool is_constructor(const reader *self, ee_str name) {
  return ee_judge_type_find(name) != NULL || ee_strategy_type_find(name) != NULL || ee_str_is(name, "gate") ||
         is_one_of(name, function_constructors) || find_definition(self, name) != NULL;
}

/* All constructors but those that need a function; NULL-terminated. */
static const char *const *constructor_names(reader *self) {
  size_t count = self->definitions.count + 2;
  for (const ee_judge_type *const *type = ee_judge_types; *type != NULL; type++) count++;
  for (const ee_strategy_type *const *type = ee_strategy_types; *type != NULL; type++) count++;
  const char **names = EE_NEW_ARRAY(self->arena, const char *, count);
  size_t at = 0;
  for (const ee_judge_type *const *type = ee_judge_types; *type != NULL; type++)
    if (*type != &ee_script_judge) names[at++] = (*type)->name;
  for (const ee_strategy_type *const *type = ee_strategy_types; *type != NULL; type++)
    if (*type != &ee_custom_strategy) names[at++] = (*type)->name;
  names[at++] = "gate";
  for (size_t i = 0; i < self->definitions.count; i++) {
    ee_str name = self->definitions.items[i]->items[0].text;
    names[at++] = ee_arena_copy(self->arena, name.data, name.length);
  }
  return names;
}

/* The rows of a constructor. */
static option_rows rows_of(const reader *self, ee_str kind) {
  const ee_rule_node *definition = find_definition(self, kind);
  if (definition != NULL) {
    ee_rule_value declared = ee_rule_node_get(definition, "options");
    return (option_rows){.tables = {ee_custom_strategy.options, ee_strategy_shared_options},
                         .declared = declared.type == EE_RULE_TABLE ? declared.node : NULL};
  }
  if (ee_str_is(kind, "rules")) return (option_rows){.tables = {ee_rules_options}};
  if (ee_str_is(kind, "gate")) return (option_rows){.tables = {ee_gate_options}};
  const ee_judge_type *judge = ee_judge_type_find(kind);
  if (judge != NULL) return (option_rows){.tables = {judge->options, ee_judge_shared_options}};
  const ee_strategy_type *strategy = ee_strategy_type_find(kind);
  return (option_rows){.tables = {strategy->options, ee_strategy_shared_options}};
}

static const ee_option *find_row(const option_rows *rows, ee_str name) {
  for (size_t t = 0; t < sizeof rows->tables / sizeof *rows->tables; t++)
    for (const ee_option *row = rows->tables[t]; row != NULL && row->name != NULL; row++)
      if (ee_str_is(name, row->name)) return row;
  return NULL;
}

static bool has_option(const option_rows *rows, ee_str name) {
  return rows->by_data || find_row(rows, name) != NULL ||
         (rows->declared != NULL && ee_rule_node_get(rows->declared, name.data).type != EE_RULE_NONE);
}

/* Shapes --------------------------------------------------------------------------------------- */

/* The member of an object that has only one; NULL for everything else. */
static const ee_value *only_member(const ee_value *value) {
  return ee_type_of(value) == EE_OBJECT && ee_value_count(value) == 1 ? ee_value_child(value) : NULL;
}

/* Whether a value stands for a parameter or for a part of the configuration. */
static bool is_parameter(const ee_value *value) {
  const ee_value *member = only_member(value);
  return member != NULL && (ee_str_is(ee_value_key(member), "param") || ee_str_is(ee_value_key(member), "config"));
}

static bool is_table_row(const ee_option *row) {
  return row != NULL && (row->type == EE_OPTION_TABLE || row->type == EE_OPTION_TEXT_OR_TABLE);
}

/* Counts a value; false beyond the limit, which is reported once. */
static bool count_value(reader *self, const ee_value *at) {
  if (self->values++ < EE_RULE_VALUES) return true;
  if (self->values == EE_RULE_VALUES + 1) mistake(self, at, "the rules describe more than %zu values", EE_RULE_VALUES);
  return false;
}

static bool enter(reader *self, const ee_value *at) {
  if (self->depth++ < EE_RULE_DEPTH) return true;
  mistake(self, at, "values are nested more than %d deep", EE_RULE_DEPTH);
  return false;
}

static ee_rule_node *new_node(reader *self, ee_str kind, const ee_value *at) {
  struct ee_yaml_place place = ee_yaml_place_of(&self->places, at);
  ee_rule_node *node = EE_NEW(self->arena, ee_rule_node);
  *node = (ee_rule_node){.kind = kind, .file = self->file, .line = place.line, .column = place.column};
  return node;
}

/* Nodes and tables ----------------------------------------------------------------------------- */

static int compare_options(const void *left, const void *right) {
  return ee_str_compare(((const ee_rule_option *)left)->name, ((const ee_rule_option *)right)->name);
}

static const ee_rule_node *read_node(reader *self, ee_str kind, const ee_value *value, const ee_value *at);
static const ee_rule_node *read_table(reader *self, const ee_value *value, const ee_option *row, const char *first);

/* An entry of an array where rules are: what is not a constructor is reported. */
static bool read_entry(reader *self, const ee_value *value, ee_rule_value *out) {
  const ee_value *member = only_member(value);
  if (member == NULL) {
    ee_str first = ee_value_count(value) > 0 ? ee_value_key(ee_value_child(value)) : EE_STR("exact");
    mistake(self, value,
            "an entry has one key, which names a constructor, got %u keys (write %.*s: { path: ..., ... })",
            ee_value_count(value), SHOWN(first));
    return false;
  }
  ee_str name = ee_value_key(member);
  if (is_constructor(self, name)) return read_value(self, value, NULL, out);
  if (is_parameter(value)) return read_value(self, value, NULL, out);
  const char *near = ee_did_you_mean(ee_arena_copy(self->arena, name.data, name.length), constructor_names(self));
  if (near == NULL) {
    if (!self->unloaded) mistake(self, value, "unknown constructor '%.*s'", SHOWN(name));
    return false;
  }
  mistake(self, value, "unknown constructor '%.*s' (did you mean '%s'?)", SHOWN(name), near);
  /* Its other mistakes are reported, too. */
  *out = (ee_rule_value){.type = EE_RULE_NODE, .node = read_node(self, ee_str_from(near), member, value)};
  return out->node != NULL;
}

/* Adds the values of an array to `list`; arrays inside it are flattened. `rules`: objects are constructors. */
static void add_array(reader *self, const ee_value *array, bool rules, value_list *list) {
  if (!enter(self, array)) return;
  for (const ee_value *at = ee_value_child(array); at != NULL && self->values <= EE_RULE_VALUES;
       at = ee_value_next(at)) {
    ee_rule_value value;
    if (ee_type_of(at) == EE_ARRAY)
      add_array(self, at, rules, list);
    else if (rules && ee_type_of(at) == EE_OBJECT ? read_entry(self, at, &value) : read_value(self, at, NULL, &value))
      *EE_LIST_ADD(list, self->arena) = value;
  }
  self->depth--;
}

/* Adds a value, or the values of an array. */
static void add_positions(reader *self, const ee_value *value, value_list *list) {
  ee_rule_value one;
  if (ee_type_of(value) == EE_ARRAY)
    add_array(self, value, true, list);
  else if (ee_type_of(value) == EE_OBJECT ? read_entry(self, value, &one) : read_value(self, value, NULL, &one))
    *EE_LIST_ADD(list, self->arena) = one;
}

/* Adds the option of a member; false where it is left out, which is reported. */
static void add_option(reader *self, ee_rule_node *node, ee_rule_option *options, const option_rows *rows,
                       const ee_value *member) {
  ee_str name = ee_nfc(ee_value_key(member), self->arena);
  const ee_option *row = find_row(rows, name);
  struct ee_yaml_place place = ee_yaml_place_of(&self->places, member);
  ee_rule_option option = {.name = name};
  if (row != NULL && row->type == EE_OPTION_FUNCTION) {
    need_function(self, member, ee_arena_printf(self->arena, "option '%s'", row->name));
    return;
  }
  bool table = ee_type_of(member) == EE_OBJECT && is_table_row(row);
  if (table && ee_str_is(node->kind, "rules") && ee_str_is(name, "provider")) {
    option.value = (ee_rule_value){.type = EE_RULE_TABLE, .node = read_table(self, member, row, "name")};
    if (option.value.node == NULL) return;
  } else {
    const char *outer = self->entry_first;
    if (table && ee_str_is(node->kind, "tree") && ee_str_is(name, "arrays")) self->entry_first = "method";
    bool good = read_value(self, member, row, &option.value);
    self->entry_first = outer;
    if (!good || option.value.type == EE_RULE_NONE) return;
  }
  option.value.line = place.line;
  option.value.column = place.column;
  options[node->option_count++] = option;
}

/* Fills a node or table from the members of an object. `first`: the key of the first positional value, beside "path".
 */
static void read_members(reader *self, ee_rule_node *node, const ee_value *object, const option_rows *rows,
                         const char *first) {
  ee_rule_option *options = EE_NEW_ARRAY(self->arena, ee_rule_option, ee_value_count(object));
  value_list list = {0};
  const ee_value *further = NULL;
  for (const ee_value *at = ee_value_child(object); at != NULL; at = ee_value_next(at)) {
    ee_str name = ee_value_key(at);
    bool leads = (first != NULL && ee_str_is(name, first)) || (ee_str_is(name, "path") && !has_option(rows, name));
    if (leads)
      add_positions(self, at, &list);
    else if (ee_str_is(name, "fields") && !has_option(rows, name))
      further = at;
  }
  if (further != NULL) add_positions(self, further, &list);
  for (const ee_value *at = ee_value_child(object); at != NULL; at = ee_value_next(at)) {
    ee_str name = ee_value_key(at);
    bool positional = at == further || (first != NULL && ee_str_is(name, first)) ||
                      (ee_str_is(name, "path") && !has_option(rows, name));
    if (!positional) add_option(self, node, options, rows, at);
  }
  if (node->option_count > 0) qsort(options, node->option_count, sizeof *options, compare_options);
  node->options = options;
  node->items = list.items;
  node->item_count = list.count;
}

static void check_pattern(reader *self, const ee_rule_node *node, const ee_value *at) {
  ee_rule_value pattern = ee_rule_node_get(node, "pattern");
  if (pattern.type == EE_RULE_NONE && node->item_count > 0) pattern = node->items[node->item_count > 1 ? 1 : 0];
  const char *wrong = pattern.type == EE_RULE_TEXT ? self->host->check_pattern(pattern.text) : NULL;
  if (wrong != NULL)
    mistake(self, at, "bad pattern '%.*s': %s", (int)ee_utf8_cut(pattern.text, NAME_SHOWN), pattern.text.data, wrong);
}

/* The node of a constructor; `value` is what the constructor gets, `at` the place. NULL with a mistake. */
static const ee_rule_node *read_node(reader *self, ee_str kind, const ee_value *value, const ee_value *at) {
  const ee_rule_node *definition = find_definition(self, kind);
  if (definition == NULL && is_one_of(kind, function_constructors)) {
    need_function(self, at, ee_arena_printf(self->arena, "'%.*s'", EE_STR_ARG(kind)));
    return NULL;
  }
  if (ee_type_of(value) == EE_NULL) {
    mistake(self, at, "'%.*s' has no value (write %.*s: PATH, or %.*s: {})", SHOWN(kind), SHOWN(kind), SHOWN(kind));
    return NULL;
  }
  if (!enter(self, at)) return NULL;
  ee_rule_node *node = new_node(self, kind, at);
  node->definition = definition;
  if (ee_type_of(value) == EE_OBJECT && !is_parameter(value)) {
    option_rows rows = rows_of(self, kind);
    read_members(self, node, value, &rows, NULL);
  } else {
    value_list list = {0};
    add_positions(self, value, &list);
    node->items = list.items;
    node->item_count = list.count;
  }
  if (definition == NULL && ee_str_is(kind, ee_pattern_strategy.name)) check_pattern(self, node, at);
  self->depth--;
  return node;
}

/* A plain table. `row`: the option that it is the value of, or NULL. */
static const ee_rule_node *read_table(reader *self, const ee_value *value, const ee_option *row, const char *first) {
  if (!enter(self, value)) return NULL;
  ee_rule_node *node = new_node(self, (ee_str){"", 0}, value);
  if (ee_type_of(value) == EE_ARRAY) {
    value_list list = {0};
    self->depth--;
    add_array(self, value, false, &list);
    node->items = list.items;
    node->item_count = list.count;
    return node;
  }
  option_rows rows = {.by_data = row == NULL || row->inner == NULL};
  if (!rows.by_data) rows.tables[0] = row->inner;
  read_members(self, node, value, &rows, first);
  self->depth--;
  return node;
}

/* Plain data: the document as it is, besides the table. */
static const ee_rule_node *read_data(reader *self, const ee_value *value) {
  ee_rule_node *node = new_node(self, (ee_str){"", 0}, value);
  ee_value *copy = ee_value_copy(self->arena, ee_value_nfc(self->arena, value));
  ee_value_freeze(copy, self->arena);
  node->document = copy;
  return node;
}

/* Parameters and configuration ------------------------------------------------------------------- */

/* A string, a number or a boolean. */
static bool read_scalar(reader *self, const ee_value *value, ee_rule_value *out) {
  *out = (ee_rule_value){.function = EE_NO_FUNCTION};
  switch (ee_type_of(value)) {
  case EE_FALSE:
  case EE_TRUE:
    out->type = EE_RULE_BOOL;
    out->boolean = ee_type_of(value) == EE_TRUE;
    return true;
  case EE_NUMBER:
    out->type = EE_RULE_NUMBER;
    out->number = ee_value_number(value);
    out->is_integer = floor(out->number) == out->number;
    return true;
  case EE_STRING:
    out->type = EE_RULE_TEXT;
    out->text = ee_nfc(ee_value_text(value), self->arena); /* as the documents are: judge/case.c */
    return true;
  default: return false;
  }
}

/* The parts of { param: NAME }, { param: [NAME, DEFAULT] }, { param: { name: NAME, default: DEFAULT } }. */
static bool read_parameter_parts(reader *self, const ee_value *member, const ee_value **name,
                                 const ee_value **fallback) {
  *name = member;
  *fallback = NULL;
  if (ee_type_of(member) == EE_ARRAY) {
    *name = ee_value_child(member);
    *fallback = *name != NULL ? ee_value_next(*name) : NULL;
    if (*fallback != NULL && ee_value_next(*fallback) != NULL) *name = NULL;
  } else if (ee_type_of(member) == EE_OBJECT) {
    *name = ee_value_member(member, EE_STR("name"), NULL);
    *fallback = ee_value_member(member, EE_STR("default"), NULL);
    if (ee_value_count(member) != 1u + (*fallback != NULL)) *name = NULL;
  }
  ee_rule_value ignored;
  bool good = ee_type_of(*name) == EE_STRING && (*fallback == NULL || read_scalar(self, *fallback, &ignored));
  if (!good)
    mistake(self, member,
            "'%.*s' takes a name, or a name and a default (a string, a number or a boolean): [NAME, DEFAULT]",
            EE_STR_ARG(ee_value_key(member)));
  return good;
}

/* Whether `out` got a value; EE_RULE_NONE where the configuration has none and there is no default. */
static bool read_parameter(reader *self, const ee_value *value, ee_rule_value *out) {
  const ee_value *member = ee_value_child(value), *name, *fallback;
  if (!read_parameter_parts(self, member, &name, &fallback)) return false;
  ee_rule_parameter *source = EE_NEW(self->arena, ee_rule_parameter);
  source->name = ee_value_text(name);
  source->of_config = ee_str_is(ee_value_key(member), "config");
  ee_rule_value value_of = {.function = EE_NO_FUNCTION};
  if (fallback != NULL) read_scalar(self, fallback, &value_of);
  ee_rule_value *kept = EE_NEW(self->arena, ee_rule_value);
  *kept = value_of;
  source->fallback = kept;
  ee_error error = {0};
  if (source->of_config) {
    const ee_path *path = ee_path_parse(self->arena, source->name, &error);
    if (path == NULL) {
      mistake(self, member, "config: %s", error.message);
      return false;
    }
    const ee_value *found = ee_path_get(path, self->host->config, self->arena);
    if (ee_type_of(found) > EE_NULL && !read_value(self, found, NULL, &value_of)) return false;
  } else if (!self->host->parameter(self->host->user, source->name, &value_of, self->arena, &error)) {
    mistake(self, member, "%s", error.message);
    return false;
  }
  *out = value_of;
  out->parameter = source;
  return true;
}

/* Values --------------------------------------------------------------------------------------- */

static bool read_object_as(reader *self, const ee_value *value, const ee_option *row, const char *first,
                           ee_rule_value *out) {
  const ee_value *member = only_member(value);
  if (!is_table_row(row) && is_parameter(value)) return read_parameter(self, value, out);
  if (!is_table_row(row) && member != NULL && is_constructor(self, ee_value_key(member))) {
    *out = (ee_rule_value){.type = EE_RULE_NODE, .node = read_node(self, ee_value_key(member), member, value)};
  } else if (row != NULL && row->type == EE_OPTION_STRATEGY) {
    return read_entry(self, value, out);
  } else if (row != NULL && row->is_data) {
    *out = (ee_rule_value){.type = EE_RULE_TABLE, .node = read_data(self, value)};
  } else {
    *out = (ee_rule_value){.type = EE_RULE_TABLE, .node = read_table(self, value, row, first)};
  }
  return out->node != NULL;
}

static bool read_object(reader *self, const ee_value *value, const ee_option *row, ee_rule_value *out) {
  const char *first = self->entry_first;
  if (row == NULL) self->entry_first = NULL; /* not of the tables in this one */
  bool good = read_object_as(self, value, row, row == NULL ? first : NULL, out);
  self->entry_first = first;
  return good;
}

/* Reads the value of an option with `row` (NULL: of none, or one in an array). False where it is left out, which is
 * reported. */
static bool read_value(reader *self, const ee_value *value, const ee_option *row, ee_rule_value *out) {
  *out = (ee_rule_value){.function = EE_NO_FUNCTION};
  if (!count_value(self, value)) return false;
  switch (ee_type_of(value)) {
  case EE_OBJECT: return read_object(self, value, row, out);
  case EE_ARRAY:
    out->type = EE_RULE_TABLE;
    out->node = row != NULL && row->is_data ? read_data(self, value) : read_table(self, value, row, NULL);
    return out->node != NULL;
  case EE_STRING: {
    bool names = row != NULL && row->type == EE_OPTION_STRATEGY && is_constructor(self, ee_value_text(value));
    if (!names) return read_scalar(self, value, out);
    ee_value *nothing = ee_value_new(self->arena, EE_OBJECT);
    *out = (ee_rule_value){.type = EE_RULE_NODE, .node = read_node(self, ee_value_text(value), nothing, value)};
    return out->node != NULL;
  }
  case EE_NULL: out->type = EE_RULE_NULL; return true;
  default: return read_scalar(self, value, out);
  }
}

/* The root ------------------------------------------------------------------------------------- */

static bool is_ignored_key(ee_str key) {
  return (key.length >= 2 && memcmp(key.data, "x-", 2) == 0) || ee_str_is(key, "$schema");
}

static bool is_module_name(ee_str name) {
  bool part = false;
  for (size_t i = 0; i < name.length; i++) {
    char c = name.data[i];
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!word && (c != '.' || !part)) return false;
    part = word;
  }
  return part;
}

/* Adds a module of `require`. */
static void add_module(reader *self, const ee_value *value, ee_rule_module *modules, size_t *count) {
  if (ee_type_of(value) != EE_STRING) {
    mistake(self, value, "'require' takes names of Lua files such as strategies.iban, got %s",
            ee_value_describe(value));
  } else if (!is_module_name(ee_value_text(value))) {
    mistake(self, value, "'%.*s' is not a module name", SHOWN(ee_value_text(value)));
  } else {
    struct ee_yaml_place place = ee_yaml_place_of(&self->places, value);
    modules[(*count)++] = (ee_rule_module){ee_value_text(value), place.line, place.column};
  }
}

/* Loads what `value` names: definitions become constructors, other nodes are added to `rules`. */
static void require(reader *self, const ee_value *value, value_list *rules) {
  ee_rule_module *modules = EE_NEW_ARRAY(self->arena, ee_rule_module, ee_value_count(value) + 1);
  size_t count = 0, value_count = 0;
  const ee_rule_value *values;
  if (ee_type_of(value) == EE_ARRAY) {
    for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at))
      add_module(self, at, modules, &count);
  } else {
    add_module(self, value, modules, &count);
  }
  if (count == 0) return;
  self->unloaded = !self->host->require(self->host->user, modules, count, &values, &value_count, self->errors);
  if (self->unloaded) return;
  for (size_t i = 0; i < value_count; i++) {
    const ee_rule_node *node = values[i].node;
    bool defines = ee_str_is(node->kind, "strategy") && node->definition == NULL;
    if (!defines) {
      *EE_LIST_ADD(rules, self->arena) = values[i];
    } else if (node->item_count == 0 || node->items[0].type != EE_RULE_TEXT) {
      mistake(self, value, "'require' loads a strategy without a name");
    } else if (find_definition(self, node->items[0].text) == NULL) {
      *EE_LIST_ADD(&self->definitions, self->arena) = node;
    }
  }
}

/* A root without rules: perhaps the key is misspelt. */
static void report_no_rules(reader *self, const ee_value *root) {
  static const char *const words[] = {"rules", NULL};
  if (ee_type_of(root) != EE_OBJECT) {
    mistake(self, root, "rules are an object with the key 'rules', got %s", ee_value_describe(root));
    return;
  }
  for (const ee_value *at = ee_value_child(root); at != NULL; at = ee_value_next(at)) {
    ee_str key = ee_value_key(at);
    if (ee_did_you_mean(ee_arena_copy(self->arena, key.data, key.length), words) == NULL) continue;
    mistake(self, at, "no rules: unknown key '%.*s' (did you mean 'rules'?)", SHOWN(key));
    return;
  }
  mistake(self, root, "no rules: expected the key 'rules' with an array");
}

static const ee_rule_node *read_root(reader *self, const ee_value *root) {
  const ee_value *rules = ee_type_of(root) == EE_OBJECT ? ee_value_member(root, EE_STR("rules"), NULL) : NULL;
  if (rules == NULL) {
    report_no_rules(self, root);
    return NULL;
  }
  if (ee_type_of(rules) != EE_ARRAY) {
    mistake(self, rules, "'rules' must be an array, got %s (write '- fields: ...')", ee_value_describe(rules));
    return NULL;
  }
  ee_rule_node *node = new_node(self, EE_STR("rules"), root);
  value_list list = {0};
  const ee_value *modules = ee_value_member(root, EE_STR("require"), NULL);
  if (modules != NULL) require(self, modules, &list);
  value_list own = {0};
  add_array(self, rules, true, &own);
  for (size_t i = 0; i < list.count; i++) *EE_LIST_ADD(&own, self->arena) = list.items[i];
  option_rows rows = rows_of(self, node->kind);
  ee_rule_option *options = EE_NEW_ARRAY(self->arena, ee_rule_option, ee_value_count(root));
  for (const ee_value *at = ee_value_child(root); at != NULL; at = ee_value_next(at))
    if (at != rules && at != modules && !is_ignored_key(ee_value_key(at))) add_option(self, node, options, &rows, at);
  if (node->option_count > 0) qsort(options, node->option_count, sizeof *options, compare_options);
  node->options = options;
  node->items = own.items;
  node->item_count = own.count;
  return node;
}

const ee_rule_node *ee_rule_document_read(ee_arena *arena, const char *file, ee_str text, const ee_rule_host *host,
                                          ee_error_list *errors) {
  reader self = {.arena = arena, .file = file, .errors = errors, .host = host};
  ee_error error = {0};
  const ee_value *root = ee_yaml_read(arena, text, &self.places, &error);
  if (root != NULL) return read_root(&self, root);
  ee_error_at(&error, EE_ERROR_RULES, file, error.line, error.column, "%s", error.message);
  ee_error_list_add(errors, &error);
  return NULL;
}

/* Which documents are rules ---------------------------------------------------------------------- */

/* As in data/files/case_file.c. */
static const char *const case_lists[] = {"evalcases", "eval_cases", "tests", "cases", NULL};

static bool ends_in(const char *text, const char *ending) {
  size_t length = strlen(text), tail = strlen(ending);
  return length > tail && strcmp(text + length - tail, ending) == 0;
}

bool ee_is_rule_document_name(const char *file) {
  return ends_in(file, ".yaml") || ends_in(file, ".yml") || ends_in(file, ".json");
}

/* What the keys of a document say. */
typedef struct key_survey {
  bool rules, cases, other;
} key_survey;

static void look_at_key(key_survey *self, ee_str key) {
  char word[32];
  if (ee_str_is(key, "rules")) {
    self->rules = true;
  } else if (is_one_of(key, case_lists)) {
    self->cases = true;
  } else if (!is_ignored_key(key) && !ee_str_is(key, "require")) {
    const char *names[64];
    size_t count = 0;
    for (const ee_option *row = ee_rules_options; row->name != NULL && count < 63; row++) names[count++] = row->name;
    names[count] = NULL;
    size_t length = key.length < sizeof word ? key.length : 0;
    memcpy(word, key.data, length);
    word[length] = '\0';
    if (length == 0 || ee_did_you_mean(word, names) == NULL) self->other = true;
  }
}

/* The keys of an object in brackets, at its first level; data NULL where it does not begin here. */
static void survey_brackets(ee_str text, size_t at, key_survey *self) {
  size_t depth = 0;
  bool key = false;
  for (; at < text.length; at++) {
    char c = text.data[at];
    if (c == '"' || c == '\'') {
      size_t start = at + 1;
      for (at++; at < text.length && text.data[at] != c; at++)
        if (c == '"' && text.data[at] == '\\') at++;
      if (key && depth == 1 && at < text.length) look_at_key(self, (ee_str){text.data + start, at - start});
      key = false;
    } else if (c == '{' || c == '[') {
      key = ++depth == 1;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return;
      key = false;
    } else if (c == ',') {
      key = depth == 1;
    } else if (key && strchr(" \t\r\n", c) == NULL) {
      size_t start = at;
      while (at < text.length && strchr(":,{}[] \t\r\n", text.data[at]) == NULL) at++;
      look_at_key(self, (ee_str){text.data + start, at - start});
      key = false;
      at--;
    }
  }
}

/* The keys of a block mapping: what begins a line. */
static void survey_lines(ee_str text, key_survey *self) {
  for (size_t at = 0; at < text.length;) {
    const char *end = memchr(text.data + at, '\n', text.length - at);
    size_t length = end != NULL ? (size_t)(end - text.data) - at : text.length - at;
    ee_str line = {text.data + at, length};
    at += length + 1;
    if (length == 0 || strchr(" \t\r#-", line.data[0]) != NULL) continue;
    const char *colon = memchr(line.data, ':', length);
    if (colon == NULL) continue;
    ee_str key = ee_str_trim((ee_str){line.data, (size_t)(colon - line.data)});
    bool quoted = key.length >= 2 && (key.data[0] == '"' || key.data[0] == '\'');
    look_at_key(self, quoted ? (ee_str){key.data + 1, key.length - 2} : key);
  }
}

bool ee_is_rule_document_text(ee_str text, bool yaml) {
  key_survey found = {0};
  size_t at = 0;
  if (text.length >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0)
    text = (ee_str){text.data + 3, text.length - 3}; /* a byte order mark */
  /* Blanks, and comments and the start of the document in YAML. */
  while (at < text.length) {
    bool skips_line =
        yaml && (text.data[at] == '#' || (text.length - at >= 3 && memcmp(text.data + at, "---", 3) == 0));
    if (skips_line) {
      while (at < text.length && text.data[at] != '\n') at++;
    } else if (strchr(" \t\r\n", text.data[at]) == NULL || text.data[at] == '\0') {
      break;
    } else {
      at++;
    }
  }
  if (at < text.length && text.data[at] == '{')
    survey_brackets(text, at, &found);
  else if (yaml)
    survey_lines(text, &found);
  return found.rules && !found.cases && (yaml || !found.other);
}

ee_status ee_is_rule_document_file(const char *file, bool *is_document, ee_error *error) {
  struct stat about;
  *is_document = false;
  if (!ee_is_rule_document_name(file)) return EE_OK;
  if (stat(file, &about) != 0)
    return errno == ENOENT || errno == ENOTDIR
               ? EE_OK
               : ee_error_set(error, EE_ERROR_SYSTEM, "cannot read '%s': %s", file, strerror(errno));
  if (!S_ISREG(about.st_mode) || (uint64_t)about.st_size > EE_COMPILE_FILE_LIMIT) return EE_OK;
  ee_error failure = {.status = EE_OK};
  ee_byte_source *source = ee_byte_source_open(file, &failure);
  ee_buffer text;
  ee_buffer_init(&text);
  if (source != NULL && ee_byte_source_read_rest(source, EE_COMPILE_FILE_LIMIT, &text, &failure) == EE_OK)
    *is_document = ee_is_rule_document_text((ee_str){text.data, text.length}, !ends_in(file, ".json"));
  ee_buffer_fini(&text);
  if (source != NULL) ee_byte_source_close(source);
  if (failure.status != EE_ERROR_SYSTEM) return EE_OK;
  *error = failure;
  return EE_ERROR_SYSTEM;
}
