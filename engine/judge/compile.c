/* compile.c: options checked against rows, errors with their places, paths, plain data, files that rules name. */
#include "judge/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "base/pool.h"
#include "base/printable.h"
#include "base/runtime.h"
#include "data/json/path.h"
#include "judge/plan.h"
#include "prim/normalize.h"
#include "prim/number.h"

/* Options -------------------------------------------------------------------------------------- */

/* The check of one node. */
typedef struct check {
  const ee_rule_node *node;
  const char *subject;
  const ee_rule_option *option; /* that is checked */
  ee_error_list *errors;
  ee_arena scratch; /* for messages; freed at the end */
} check;

/* A mistake or a warning (EE_OK); a long message ends between two characters. */
__attribute__((format(printf, 5, 0))) static ee_error message_at(ee_status status, const char *file, size_t line,
                                                                 size_t column, const char *format, va_list arguments) {
  char message[sizeof((ee_error *)NULL)->message];
  vsnprintf(message, sizeof message, format, arguments);
  message[ee_utf8_valid_prefix(message, strlen(message))] = '\0';
  ee_error error;
  ee_error_at(&error, status, file, line, column, "%s", message);
  return error;
}

/* Adds an error at the place of the option, or else of its node. */
__attribute__((format(printf, 2, 3))) static void report(check *c, const char *format, ...) {
  bool placed = c->option->value.line > 0;
  va_list arguments;
  va_start(arguments, format);
  ee_error error = message_at(EE_ERROR_RULES, c->node->file, placed ? c->option->value.line : c->node->line,
                              placed ? c->option->value.column : c->node->column, format, arguments);
  va_end(arguments);
  ee_error_list_add(c->errors, &error);
}

static const ee_option *find_row(const ee_option *const *tables, ee_str name) {
  for (; *tables != NULL; tables++) {
    for (const ee_option *row = *tables; row->name != NULL; row++) {
      if (ee_str_is(name, row->name)) return row;
    }
  }
  return NULL;
}

static void report_unknown(check *c, const ee_option *const *tables, ee_str name) {
  size_t count = 0;
  for (const ee_option *const *table = tables; *table != NULL; table++) {
    for (const ee_option *row = *table; row->name != NULL; row++) count++;
  }
  const char **names = EE_NEW_ARRAY(&c->scratch, const char *, count + 1);
  count = 0;
  for (const ee_option *const *table = tables; *table != NULL; table++) {
    for (const ee_option *row = *table; row->name != NULL; row++) names[count++] = row->name;
  }
  report(c, "unknown option '%.*s' for %s%s", (int)name.length, name.data, c->subject,
         ee_suggestion(&c->scratch, name, names));
}

/* "option 'x' of ee.y must be a number, got a string". */
static bool wrong_type(check *c, const ee_option *row, const char *requirement, const ee_rule_value *value) {
  report(c, "option '%s' of %s must be %s, got %s", row->name, c->subject, requirement,
         ee_rule_value_describe(value, &c->scratch));
  return false;
}

static const char *number_text(check *c, double number) {
  if (isnan(number)) return "NaN";
  if (isinf(number)) return number > 0 ? "infinity" : "-infinity";
  char text[32];
  size_t length = ee_double_format(number, text);
  return ee_arena_copy(&c->scratch, text, length);
}

static bool check_number(check *c, const ee_option *row, const ee_rule_value *value) {
  if (value->type != EE_RULE_NUMBER) return wrong_type(c, row, "a number", value);
  if (isfinite(value->number) && value->number >= row->min && value->number <= row->max) return true;
  const char *requirement;
  if (isinf(row->min) && isinf(row->max)) {
    requirement = "be finite";
  } else if (isinf(row->max)) {
    requirement = ee_arena_printf(&c->scratch, "be at least %s", number_text(c, row->min));
  } else {
    requirement =
        ee_arena_printf(&c->scratch, "be between %s and %s", number_text(c, row->min), number_text(c, row->max));
  }
  report(c, "option '%s' of %s must %s, got %s", row->name, c->subject, requirement, number_text(c, value->number));
  return false;
}

static bool check_path(check *c, const ee_option *row, const ee_rule_value *value) {
  if (value->type != EE_RULE_TEXT) return wrong_type(c, row, "a path (a string)", value);
  ee_error error = {0};
  if (ee_path_parse(&c->scratch, value->text, &error) != NULL) return true;
  report(c, "bad path in option '%s' of %s: %s", row->name, c->subject, error.message);
  return false;
}

static bool check_paths(check *c, const ee_option *row, const ee_rule_value *value) {
  if (value->type != EE_RULE_TABLE || value->node->item_count == 0 || value->node->option_count > 0)
    return value->type == EE_RULE_TEXT ? check_path(c, row, value)
                                       : wrong_type(c, row, "a path or an array of paths", value);
  bool good = true;
  for (size_t i = 0; i < value->node->item_count; i++) good = check_path(c, row, &value->node->items[i]) && good;
  return good;
}

/* The index of `word` in "a|b|c", or -1. */
static int choice_index(const char *choices, ee_str word) {
  for (int index = 0;; index++) {
    size_t length = strcspn(choices, "|");
    if (ee_str_equal((ee_str){choices, length}, word)) return index;
    if (choices[length] == '\0') return -1;
    choices += length + 1;
  }
}

/* "a|b|c" as words, NULL-terminated; `*joined` gets "'a', 'b', 'c'". */
static const char *const *choice_words(check *c, const char *choices, const char **joined) {
  size_t count = 1;
  for (const char *at = choices; *at != '\0'; at++) count += *at == '|';
  const char **words = EE_NEW_ARRAY(&c->scratch, const char *, count + 1);
  *joined = "";
  for (size_t i = 0; i < count; i++) {
    size_t length = strcspn(choices, "|");
    words[i] = ee_arena_copy(&c->scratch, choices, length);
    *joined = ee_arena_printf(&c->scratch, "%s%s'%s'", *joined, i > 0 ? ", " : "", words[i]);
    choices += length + 1;
  }
  return words;
}

const char *ee_option_choices(const ee_option *row, ee_arena *arena) {
  return row->list_choices != NULL ? row->list_choices(arena) : row->choices;
}

static bool check_choice(check *c, const ee_option *row, const ee_rule_value *value, bool or_function) {
  if (or_function && value->type == EE_RULE_FUNCTION) return true;
  if (row->open_choice && value->type == EE_RULE_TEXT) return true;
  const char *choices = ee_option_choices(row, &c->scratch);
  if (value->type == EE_RULE_TEXT && choice_index(choices, value->text) >= 0) return true;
  const char *joined;
  const char *const *words = choice_words(c, choices, &joined);
  const char *requirement = ee_arena_printf(&c->scratch, "one of %s%s", joined, or_function ? " or a function" : "");
  if (value->type != EE_RULE_TEXT) return wrong_type(c, row, requirement, value);
  report(c, "option '%s' of %s must be %s, got '%.*s'%s", row->name, c->subject, requirement, (int)value->text.length,
         value->text.data, ee_suggestion(&c->scratch, value->text, words));
  return false;
}

/* A plain table whose positional items have types in `allowed` (bits 1 << ee_rule_value_type) and without names. */
static bool check_list(check *c, const ee_option *row, const ee_rule_value *value, unsigned allowed,
                       const char *requirement) {
  if (value->type != EE_RULE_TABLE) return wrong_type(c, row, requirement, value);
  const ee_rule_node *list = value->node;
  if (list->option_count > 0) {
    ee_str name = list->options[0].name;
    report(c, "option '%s' of %s must be %s, but it has the key '%.*s'", row->name, c->subject, requirement,
           (int)name.length, name.data);
    return false;
  }
  for (size_t i = 0; i < list->item_count; i++) {
    if ((allowed & 1u << list->items[i].type) != 0) continue;
    report(c, "option '%s' of %s must be %s, but item %zu is %s", row->name, c->subject, requirement, i + 1,
           ee_rule_value_describe(&list->items[i], &c->scratch));
    return false;
  }
  return true;
}

static bool check_numbers(check *c, const ee_option *row, const ee_rule_value *value) {
  if (!check_list(c, row, value, 1u << EE_RULE_NUMBER, "an array of numbers")) return false;
  if (value->node->item_count == 0) {
    report(c, "option '%s' of %s must be a non-empty array of numbers", row->name, c->subject);
    return false;
  }
  bool good = true;
  for (size_t i = 0; i < value->node->item_count; i++) good = check_number(c, row, &value->node->items[i]) && good;
  return good;
}

static bool check_form(check *c, const ee_option *row, ee_str name) {
  if (ee_normal_form_find(name) >= 0) return true;
  report(c, "unknown normal form '%.*s' in option '%s' of %s%s", (int)name.length, name.data, row->name, c->subject,
         ee_suggestion(&c->scratch, name, ee_normal_form_names));
  return false;
}

static bool check_normalize(check *c, const ee_option *row, const ee_rule_value *value) {
  if (value->type == EE_RULE_FUNCTION) return true;
  if (value->type == EE_RULE_TEXT) return check_form(c, row, value->text);
  if (!check_list(c, row, value, 1u << EE_RULE_TEXT, "a normal form, an array of them or a function")) return false;
  bool good = true;
  for (size_t i = 0; i < value->node->item_count; i++) good = check_form(c, row, value->node->items[i].text) && good;
  return good;
}

static bool check_value(check *c, const ee_option *row, const ee_rule_value *value) {
  switch (row->type) {
  case EE_OPTION_BOOL: return value->type == EE_RULE_BOOL || wrong_type(c, row, "true or false", value);
  case EE_OPTION_NUMBER: return check_number(c, row, value);
  case EE_OPTION_TEXT: return value->type == EE_RULE_TEXT || wrong_type(c, row, "a string", value);
  case EE_OPTION_PATH: return check_path(c, row, value);
  case EE_OPTION_PATHS: return check_paths(c, row, value);
  case EE_OPTION_CHOICE: return check_choice(c, row, value, false);
  case EE_OPTION_TEXTS: return check_list(c, row, value, 1u << EE_RULE_TEXT, "an array of strings");
  case EE_OPTION_FUNCTION: return value->type == EE_RULE_FUNCTION || wrong_type(c, row, "a function", value);
  case EE_OPTION_CHOICE_OR_FUNCTION: return check_choice(c, row, value, true);
  case EE_OPTION_NORMALIZE: return check_normalize(c, row, value);
  case EE_OPTION_VALUES:
    return check_list(c, row, value,
                      1u << EE_RULE_TEXT | 1u << EE_RULE_NUMBER | 1u << EE_RULE_BOOL | 1u << EE_RULE_NULL,
                      "an array of strings, numbers or booleans");
  case EE_OPTION_NUMBER_OR_PATH:
    if (value->type == EE_RULE_TEXT) return check_path(c, row, value);
    if (value->type == EE_RULE_NUMBER) return check_number(c, row, value);
    return wrong_type(c, row, "a number or a path (a string)", value);
  case EE_OPTION_NUMBERS: return check_numbers(c, row, value);
  case EE_OPTION_TABLE: return value->type == EE_RULE_TABLE || wrong_type(c, row, "a table", value);
  case EE_OPTION_TEXT_OR_TABLE:
    return value->type == EE_RULE_TEXT || value->type == EE_RULE_TABLE ||
           wrong_type(c, row, "a string or a table", value);
  case EE_OPTION_STRATEGY:
    return value->type == EE_RULE_NODE || wrong_type(c, row, "a strategy such as ee.fuzzy { threshold = 0.9 }", value);
  case EE_OPTION_TEXT_OR_FALSE:
    return value->type == EE_RULE_TEXT || (value->type == EE_RULE_BOOL && !value->boolean) ||
           wrong_type(c, row, "a string or false", value);
  }
  return false;
}

bool ee_options_check(const ee_rule_node *node, const char *subject, const ee_option *const *tables,
                      ee_error_list *errors) {
  check c = {.node = node, .subject = subject, .errors = errors};
  ee_arena_init(&c.scratch, 0);
  bool good = true;
  for (size_t i = 0; i < node->option_count; i++) {
    const ee_rule_option *option = &node->options[i];
    c.option = option;
    if (option->value.type == EE_RULE_NONE) continue;
    const ee_option *row = find_row(tables, option->name);
    if (row == NULL) {
      report_unknown(&c, tables, option->name);
      good = false;
    } else if (!check_value(&c, row, &option->value)) {
      good = false;
    }
  }
  ee_arena_fini(&c.scratch);
  return good;
}

double ee_option_number(const ee_rule_node *node, const char *name, double fallback) {
  ee_rule_value value = ee_rule_node_get(node, name);
  return value.type == EE_RULE_NUMBER ? value.number : fallback;
}

bool ee_option_bool(const ee_rule_node *node, const char *name, bool fallback) {
  ee_rule_value value = ee_rule_node_get(node, name);
  return value.type == EE_RULE_BOOL ? value.boolean : fallback;
}

ee_str ee_option_text(const ee_rule_node *node, const char *name, const char *fallback) {
  ee_rule_value value = ee_rule_node_get(node, name);
  if (value.type == EE_RULE_TEXT) return value.text;
  return fallback == NULL ? (ee_str){NULL, 0} : ee_str_from(fallback);
}

int ee_option_choice(const ee_rule_node *node, const char *name, const char *choices, const char *fallback) {
  ee_rule_value value = ee_rule_node_get(node, name);
  int index = value.type == EE_RULE_TEXT ? choice_index(choices, value.text) : -1;
  return index >= 0 ? index : choice_index(choices, ee_str_from(fallback));
}

bool ee_option_is(const ee_rule_node *node, const char *name, const char *choice) {
  ee_rule_value value = ee_rule_node_get(node, name);
  return value.type == EE_RULE_TEXT && ee_str_is(value.text, choice);
}

int ee_option_function(const ee_rule_node *node, const char *name) {
  ee_rule_value value = ee_rule_node_get(node, name);
  return value.type == EE_RULE_FUNCTION ? value.function : EE_NO_FUNCTION;
}

/* Mistakes and warnings ------------------------------------------------------------------------ */

void ee_compile_error(ee_plan_builder *builder, const ee_rule_node *node, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ee_error error = message_at(EE_ERROR_RULES, node->file, node->line, node->column, format, arguments);
  va_end(arguments);
  ee_error_list_add(builder->errors, &error);
}

void ee_compile_warn(ee_plan_builder *builder, const ee_rule_node *node, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ee_error warning = message_at(EE_OK, node->file, node->line, node->column, format, arguments);
  va_end(arguments);
  ee_compile_add_warnings(builder, &warning, 1);
}

static bool is_known(const ee_plan *plan, const ee_error *warning) {
  for (size_t i = 0; i < plan->warning_count; i++) {
    const ee_error *known = &plan->warnings[i];
    if (known->line == warning->line && strcmp(known->file, warning->file) == 0 &&
        strcmp(known->message, warning->message) == 0)
      return true;
  }
  return false;
}

void ee_compile_add_warnings(ee_plan_builder *builder, const ee_error *warnings, size_t count) {
  ee_plan *plan = builder->plan;
  if (count == 0) return;
  /* Warnings are few; the outgrown arrays stay in the arena. */
  ee_error *all = EE_NEW_ARRAY(builder->arena, ee_error, plan->warning_count + count);
  if (plan->warning_count > 0) memcpy(all, plan->warnings, plan->warning_count * sizeof *all);
  plan->warnings = all;
  for (size_t i = 0; i < count; i++) {
    if (!is_known(plan, &warnings[i])) all[plan->warning_count++] = warnings[i];
  }
}

void ee_compile_name(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, const char *hint,
                     ee_judge *judge) {
  for (size_t i = 0; i < node->item_count; i++) {
    const ee_rule_value *item = &node->items[i];
    if (item->type != EE_RULE_TEXT || i > 0) {
      ee_compile_error(builder, node, "%s takes one name%s, got %s%s", subject, item->type == EE_RULE_TEXT ? hint : "",
                       i > 0 ? "also " : "", ee_rule_value_describe(item, builder->arena));
      continue;
    }
    if (ee_rule_node_get(node, "name").type != EE_RULE_NONE)
      ee_compile_error(builder, node, "%s has two names", subject);
    if (item->text.length == 0) ee_compile_error(builder, node, "the name of %s is empty", subject);
    judge->name = item->text;
  }
}

bool ee_compile_config(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                       const ee_value **config) {
  ee_rule_value table = ee_rule_node_get(node, "config");
  *config = NULL;
  if (table.type == EE_RULE_NONE) return true;
  if (table.type != EE_RULE_TABLE) return false; /* reported by the check of the options */
  const char *why = NULL;
  const ee_value *value = ee_rule_node_to_value(builder->arena, table.node, &why);
  if (value == NULL)
    ee_compile_error(builder, node, "option 'config' of %s must be plain data: %s", subject, why);
  else if (ee_type_of(value) != EE_OBJECT)
    ee_compile_error(builder, node, "option 'config' of %s must be a table with keys, got an array", subject);
  else
    *config = value;
  return *config != NULL;
}

/* Paths ---------------------------------------------------------------------------------------- */

const ee_path *ee_compile_path(ee_plan_builder *builder, const ee_rule_node *node, ee_str text, const char *subject,
                               unsigned flags) {
  ee_error error = {0};
  const ee_path *path = ee_path_parse(builder->arena, text, &error);
  if (path == NULL) {
    if ((flags & EE_PATH_CHECKED) != 0) return NULL;
    ee_compile_error(builder, node, "%s%s%s%s", subject != NULL ? subject : "", subject != NULL ? ": " : "",
                     (flags & EE_PATH_SAY_BAD) != 0 ? "bad path: " : "", error.message);
  } else if (path->wildcards > 0 && path->query == NULL && (flags & EE_PATH_NO_WILDCARD) != 0) {
    ee_compile_error(builder, node, "%s: path '%.*s' has a [*], which only ee.fields takes", subject, EE_STR_ARG(text));
  } else if (path->query != NULL && (flags & EE_PATH_NO_QUERY) != 0) {
    ee_compile_error(builder, node, "%s: '%.*s' is a query; the path must have keys and indices from 0 on only",
                     subject, EE_STR_ARG(text));
  } else if (path->wildcards > 0 && (flags & EE_PATH_ONE_VALUE) != 0) {
    ee_compile_error(builder, node, "%s: '%.*s' may name several values; the path must name one", subject,
                     EE_STR_ARG(text));
  }
  return path;
}

const ee_path *ee_compile_option_path(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                      const char *name) {
  ee_rule_value value = ee_rule_node_get(node, name);
  if (value.type != EE_RULE_TEXT) return NULL;
  return ee_compile_path(builder, node, value.text, subject, EE_PATH_NO_WILDCARD | EE_PATH_CHECKED);
}

#define WHOLE_DOCUMENT "$"

void ee_list_paths_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, bool followed,
                           ee_list_paths *paths) {
  *paths = (ee_list_paths){NULL, NULL};
  const ee_rule_value *first = node->item_count > 0 ? &node->items[0] : NULL;
  if (first != NULL && first->type == EE_RULE_TEXT) {
    if (!ee_str_is(first->text, WHOLE_DOCUMENT))
      paths->expected = ee_compile_path(builder, node, first->text, subject, EE_PATH_NO_WILDCARD | EE_PATH_SAY_BAD);
  } else if (first != NULL && !(followed && first->type == EE_RULE_NODE)) {
    ee_compile_error(builder, node, "%s takes a path (a string) as its first value, got %s", subject,
                     ee_rule_value_describe(first, builder->arena));
  }
  if (node->item_count > 1 && !followed) {
    ee_compile_error(builder, node, "%s takes one path, but %s follows it", subject,
                     ee_rule_value_describe(&node->items[1], builder->arena));
  }
  paths->candidate = paths->expected;
  ee_rule_value candidate = ee_rule_node_get(node, "candidate");
  if (candidate.type != EE_RULE_TEXT || (builder->loader != NULL && builder->loader->two_truths)) return;
  paths->candidate = NULL;
  if (!ee_str_is(candidate.text, WHOLE_DOCUMENT))
    paths->candidate = ee_compile_option_path(builder, node, subject, "candidate");
}

void ee_list_paths_compile_alone(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                 const char *what, const char *option, ee_list_paths *paths) {
  ee_rule_node alone = *node; /* without what is reported here */
  alone.item_count = node->item_count > 0 && node->items[0].type == EE_RULE_TEXT ? 1 : 0;
  for (size_t i = alone.item_count; i < node->item_count; i++) {
    const ee_rule_value *item = &node->items[i];
    bool is_node = item->type == EE_RULE_NODE;
    const char *hint =
        is_node ? ee_arena_printf(builder->arena, " (strategies belong in the option '%s')", option) : "";
    ee_compile_error(builder, is_node ? item->node : node, "%s takes %s, got %s%s", subject, what,
                     ee_rule_value_describe(item, builder->arena), hint);
  }
  ee_list_paths_compile(builder, &alone, subject, false, paths);
}

const ee_value *ee_list_path_get(const ee_path *path, const ee_value *root, ee_arena *arena) {
  return path != NULL ? ee_path_get_array(path, root, arena) : root;
}

ee_str ee_list_path_text(const ee_path *path) { return path != NULL ? path->text : EE_STR("document"); }

void ee_list_paths_print(const ee_list_paths *paths, const char *what, ee_buffer *out) {
  ee_buffer_addf(out, "  %s ", what);
  ee_add_shown(out, "", ee_list_path_text(paths->expected), "");
  if (paths->candidate != paths->expected) {
    ee_buffer_add_text(out, ", in the candidate ");
    ee_add_shown(out, "", ee_list_path_text(paths->candidate), "");
  }
  ee_buffer_add_char(out, '\n');
}

/* Weights -------------------------------------------------------------------------------------- */

void ee_compile_check_weights(ee_plan_builder *builder, const ee_rule_node *node, const char *of, size_t count,
                              double sum) {
  if (count > 0 && sum == 0) ee_compile_error(builder, node, "the weights %s sum to 0", of);
  if (isinf(sum)) ee_compile_error(builder, node, "the weights %s are too large: their sum is infinite", of);
}

/* Plain data as a document --------------------------------------------------------------------- */

/* Tables may be shared at several levels; a document has a copy for each use. */
#define VALUE_LIMIT 1000000u
/* Bytes of a place in a message. */
#define PLACE_SHOWN 100

/* The place of a value: a name or a position (from 1, as in Lua) in its parent. */
typedef struct place {
  const struct place *parent; /* NULL: the table itself */
  ee_str name;                /* data NULL: use `number` */
  size_t number;
} place;

typedef struct conversion {
  ee_arena *arena;
  size_t count;
  const char *error; /* NULL: none so far */
} conversion;

static ee_value *convert_table(conversion *c, const ee_rule_node *table, const place *at);

static void print_place(const place *at, ee_buffer *out) {
  if (at->parent == NULL) return;
  print_place(at->parent, out);
  if (at->name.data == NULL) {
    ee_buffer_addf(out, "[%zu]", at->number);
    return;
  }
  if (out->length > 0) ee_buffer_add_char(out, '.');
  ee_buffer_add_str(out, at->name);
}

/* Keeps the first error: BEFORE 'fields[2]' AFTER, with "it" for the table itself. */
static ee_value *refuse(conversion *c, const place *at, const char *before, const char *after) {
  if (c->error != NULL) return NULL;
  ee_buffer text;
  ee_buffer_init(&text);
  print_place(at, &text);
  size_t length = ee_utf8_cut((ee_str){text.data, text.length}, PLACE_SHOWN);
  c->error = at->parent == NULL ? ee_arena_printf(c->arena, "%sit%s", before, after)
                                : ee_arena_printf(c->arena, "%s'%.*s%s'%s", before, (int)length, text.data,
                                                  length < text.length ? "..." : "", after);
  ee_buffer_fini(&text);
  return NULL;
}

static ee_value *convert(conversion *c, const ee_rule_value *value, const place *at) {
  if (++c->count > VALUE_LIMIT) return refuse(c, at, "more than a million values up to ", "");
  switch (value->type) {
  case EE_RULE_BOOL: return ee_value_new_bool(c->arena, value->boolean);
  case EE_RULE_TEXT: return ee_value_new_string(c->arena, value->text);
  case EE_RULE_NULL: return ee_value_new(c->arena, EE_NULL);
  case EE_RULE_TABLE: return convert_table(c, value->node, at);
  case EE_RULE_NUMBER:
    if (isfinite(value->number)) return ee_value_new_number(c->arena, value->number);
    return refuse(c, at, "", isnan(value->number) ? " is not a number (NaN)" : " is infinite");
  default: return refuse(c, at, "", ee_arena_printf(c->arena, " is %s", ee_rule_value_describe(value, c->arena)));
  }
}

static ee_value *convert_table(conversion *c, const ee_rule_node *table, const place *at) {
  if (table->item_count > 0 && table->option_count > 0) return refuse(c, at, "keys and positions together in ", "");
  ee_value *result = ee_value_new(c->arena, table->item_count > 0 ? EE_ARRAY : EE_OBJECT);
  for (size_t i = 0; i < table->item_count; i++) {
    place below = {.parent = at, .number = i + 1};
    ee_value *element = convert(c, &table->items[i], &below);
    if (element == NULL) return NULL;
    ee_value_append(result, element);
  }
  for (size_t i = 0; i < table->option_count; i++) {
    place below = {.parent = at, .name = table->options[i].name};
    ee_value *member = convert(c, &table->options[i].value, &below);
    if (member == NULL) return NULL;
    ee_value_set(c->arena, result, table->options[i].name, member);
  }
  return result;
}

const ee_value *ee_rule_node_to_value(ee_arena *arena, const ee_rule_node *table, const char **error) {
  *error = NULL;
  if (table->document != NULL) return table->document; /* a table has one form for empty arrays and objects */
  conversion c = {.arena = arena};
  place top = {0};
  ee_value *value = convert_table(&c, table, &top);
  *error = c.error;
  if (value != NULL) ee_value_freeze(value, arena);
  return value;
}

/* Files that rules name ------------------------------------------------------------------------ */

/* Opens a regular file; -1 with an error. Does not wait for the writer of a pipe. */
static int open_file(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, const char *name) {
  struct stat facts;
  int file = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (file < 0 || fstat(file, &facts) != 0) {
    ee_check_memory(errno);
    ee_compile_error(builder, node, "%s: cannot open '%s': %s", subject, name, strerror(errno));
  } else if (!S_ISREG(facts.st_mode)) {
    ee_compile_error(builder, node, "%s: '%s' is %s", subject, name,
                     S_ISDIR(facts.st_mode) ? "a directory" : "not a regular file");
  } else {
    return file;
  }
  if (file >= 0) close(file);
  return -1;
}

const char *ee_compile_file_path(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, ee_str name) {
  if (name.length == 0) {
    ee_compile_error(builder, node, "%s: the name of the file is empty", subject);
    return NULL;
  }
  if (memchr(name.data, '\0', name.length) != NULL) {
    ee_compile_error(builder, node, "%s: the name of the file contains a NUL", subject);
    return NULL;
  }
  return ee_file_name_beside(builder->arena, node->file, name);
}

static void close_file(void *file) { close(*(int *)file); }

bool ee_compile_read_file(ee_plan_builder *builder, const ee_rule_node *node, const char *subject, const char *name,
                          ee_buffer *text) {
  int file = open_file(builder, node, subject, name);
  if (file < 0) return false;
  ee_cleanup cleanup;
  ee_cleanup_add(&cleanup, close_file, &file);
  size_t before = text->length;
  ssize_t got;
  do {
    got = read(file, ee_buffer_reserve(text, 1 << 16), 1 << 16);
    if (got > 0) text->length += (size_t)got;
  } while ((got > 0 && text->length - before <= EE_COMPILE_FILE_LIMIT) || (got < 0 && errno == EINTR));
  int number = errno;
  ee_cleanup_remove(&cleanup);
  close(file);
  if (got < 0) {
    ee_compile_error(builder, node, "%s: cannot read '%s': %s", subject, name, strerror(number));
  } else if (text->length - before > EE_COMPILE_FILE_LIMIT) {
    ee_compile_error(builder, node, "%s: '%s' is larger than 16 MiB", subject, name);
  } else {
    ee_plan *plan = builder->plan;
    plan->rules_hash = ee_hash_bytes(text->data + before, text->length - before, plan->rules_hash);
    return true;
  }
  return false;
}
