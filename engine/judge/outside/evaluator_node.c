/* evaluator_node.c: values and options of an evaluator of a YAML data set, checked and turned into those of a node. */
#include "judge/outside/evaluator_node.h"

#include <math.h>
#include <stdlib.h>

/* Values ----------------------------------------------------------------------------------------------------------- */

static int compare_options(const void *left, const void *right) {
  return ee_str_compare(((const ee_spec_option *)left)->name, ((const ee_spec_option *)right)->name);
}

/* Members that are null are as if they were not there. */
static const ee_spec *table_of(ee_evaluator_builder *builder, const ee_value *value) {
  ee_spec *spec = EE_NEW(builder->arena, ee_spec);
  spec->file = builder->file->name;
  spec->line = ee_case_file_place(builder->file, value).line;
  size_t count = ee_value_count(value);
  if (ee_type_of(value) == EE_ARRAY) {
    ee_spec_value *items = EE_NEW_ARRAY(builder->arena, ee_spec_value, count);
    spec->items = items;
    for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item))
      items[spec->item_count++] = ee_evaluator_value(builder, item);
    return spec;
  }
  ee_spec_option *options = EE_NEW_ARRAY(builder->arena, ee_spec_option, count);
  spec->options = options;
  for (const ee_value *member = ee_value_child(value); member != NULL; member = ee_value_next(member)) {
    if (ee_type_of(member) == EE_NULL) continue;
    options[spec->option_count++] = (ee_spec_option){ee_value_key(member), ee_evaluator_value(builder, member)};
  }
  if (spec->option_count > 0) qsort(options, spec->option_count, sizeof *options, compare_options);
  return spec;
}

ee_spec_value ee_evaluator_value(ee_evaluator_builder *builder, const ee_value *value) {
  switch (ee_type_of(value)) {
  case EE_FALSE: return (ee_spec_value){.type = EE_SPEC_BOOL};
  case EE_TRUE: return (ee_spec_value){.type = EE_SPEC_BOOL, .boolean = true};
  case EE_NUMBER: {
    double number = ee_value_number(value);
    return (ee_spec_value){.type = EE_SPEC_NUMBER, .number = number, .is_integer = floor(number) == number};
  }
  case EE_STRING: return (ee_spec_value){.type = EE_SPEC_TEXT, .text = ee_value_text(value)};
  case EE_ARRAY:
  case EE_OBJECT: return (ee_spec_value){.type = EE_SPEC_TABLE, .spec = table_of(builder, value)};
  default: return (ee_spec_value){.type = EE_SPEC_NULL};
  }
}

/* Nodes ------------------------------------------------------------------------------------------------------------ */

ee_evaluator_node ee_evaluator_start(ee_evaluator_builder *builder, const char *kind, const ee_value *value,
                                     const char *subject, const ee_option *const *tables) {
  ee_evaluator_node n = {
      .builder = builder, .spec = EE_NEW(builder->arena, ee_spec), .subject = subject, .tables = tables};
  n.options = EE_NEW_ARRAY(builder->arena, ee_spec_option, ee_value_count(value) + 4);
  n.spec->kind = ee_str_from(kind);
  n.spec->file = builder->file->name;
  n.spec->line = ee_case_file_place(builder->file, value).line;
  n.spec->options = n.options;
  return n;
}

const ee_spec *ee_evaluator_finish_node(ee_evaluator_node *n) {
  if (n->spec->option_count > 0) qsort(n->options, n->spec->option_count, sizeof *n->options, compare_options);
  return n->spec;
}

bool ee_evaluator_set(ee_evaluator_node *n, const char *name, ee_spec_value value, const ee_value *member) {
  for (size_t i = 0; i < n->spec->option_count; i++) {
    if (!ee_str_is(n->options[i].name, name)) continue;
    ee_str key = ee_value_key(member);
    ee_evaluator_tell(n->builder, EE_ERROR_RULES, member, "option '%.*s' of %s says the same as another one",
                      (int)key.length, key.data, n->subject);
    return false;
  }
  n->options[n->spec->option_count++] = (ee_spec_option){ee_str_from(name), value};
  return true;
}

bool ee_evaluator_check(ee_evaluator_node *n, const ee_value *member, const ee_spec_value *value) {
  if (n->builder->mistakes >= EE_EVALUATOR_TOLD) return false; /* nothing comes of it any more */
  struct ee_yaml_place place = ee_case_file_place(n->builder->file, member);
  ee_spec_option option = {ee_value_key(member), *value};
  ee_spec one = {.file = n->builder->file->name, .line = place.line, .options = &option, .option_count = 1};
  size_t before = n->builder->errors->count;
  bool good = ee_options_check(&one, n->subject, n->tables, n->builder->errors);
  for (size_t i = before; i < n->builder->errors->count; i++, n->builder->mistakes++)
    n->builder->errors->items[i].column = place.column;
  return good;
}

void ee_evaluator_add(ee_evaluator_node *n, const ee_value *member, const char *name) {
  ee_spec_value value = ee_evaluator_value(n->builder, member);
  if (!ee_evaluator_check(n, member, &value)) return;
  ee_str key = ee_value_key(member);
  if (name == NULL) name = ee_arena_copy(n->builder->arena, key.data, key.length);
  ee_evaluator_set(n, name, value, member);
}

void ee_evaluator_set_item(ee_evaluator_node *n, const ee_value *member) {
  ee_spec_value *item = EE_NEW(n->builder->arena, ee_spec_value);
  *item = ee_evaluator_value(n->builder, member);
  if (!ee_evaluator_check(n, member, item)) return;
  n->spec->items = item;
  n->spec->item_count = 1;
}

const ee_option ee_evaluator_rows[] = {
    {.name = "name", .type = EE_OPTION_TEXT},     {.name = "metric", .type = EE_OPTION_TEXT},
    {.name = "type", .type = EE_OPTION_TEXT},     {.name = "min_score", .type = EE_OPTION_NUMBER, .min = 0, .max = 1},
    {.name = "required", .type = EE_OPTION_BOOL}, {.name = NULL},
};

/* The least score that passes, as the option `verdict` says it. */
static void set_pass(ee_evaluator_node *n, const ee_value *member) {
  ee_spec *limits = EE_NEW(n->builder->arena, ee_spec);
  ee_spec_option *pass = EE_NEW(n->builder->arena, ee_spec_option);
  *pass = (ee_spec_option){EE_STR("pass"), ee_evaluator_value(n->builder, member)};
  *limits = (ee_spec){.file = n->spec->file, .line = n->spec->line, .options = pass, .option_count = 1};
  ee_evaluator_set(n, "verdict", (ee_spec_value){.type = EE_SPEC_TABLE, .spec = limits}, member);
}

bool ee_evaluator_take_common(ee_evaluator_node *n, const ee_value *member, ee_str name) {
  if (ee_evaluator_is_key(member, "name") || ee_evaluator_is_key(member, "metric")) {
    ee_spec_value value = ee_evaluator_value(n->builder, member);
    if (!ee_evaluator_check(n, member, &value)) return true;
    if (ee_str_is_blank(value.text)) {
      ee_evaluator_tell(n->builder, EE_ERROR_RULES, member, "the name of an evaluator is empty");
    } else {
      ee_evaluator_set(n, "name", (ee_spec_value){.type = EE_SPEC_TEXT, .text = name}, member);
    }
    return true;
  }
  if (ee_evaluator_is_key(member, "type")) return true;
  if (ee_evaluator_is_key(member, "min_score")) {
    ee_spec_value value = ee_evaluator_value(n->builder, member);
    if (ee_evaluator_check(n, member, &value)) set_pass(n, member);
    return true;
  }
  if (!ee_evaluator_is_key(member, "required")) return false;
  /* A number there is the least score too. */
  ee_type type = ee_type_of(member);
  double number = type == EE_NUMBER ? ee_value_number(member) : -1;
  if (number >= 0 && number <= 1) {
    set_pass(n, member);
  } else {
    ee_spec_value value = ee_evaluator_value(n->builder, member);
    if (!ee_evaluator_check(n, member, &value)) return true;
  }
  if (type != EE_FALSE)
    ee_evaluator_note(n->builder, "required", "a case's score is the weighted mean of its evaluators", true, member,
                      name);
  return true;
}

const ee_spec *ee_evaluator_finish(ee_evaluator_node *n, ee_str name) {
  if (ee_spec_get(n->spec, "name").type == EE_SPEC_NONE)
    n->options[n->spec->option_count++] = (ee_spec_option){EE_STR("name"), {.type = EE_SPEC_TEXT, .text = name}};
  return ee_evaluator_finish_node(n);
}

const char *ee_evaluator_subject(ee_evaluator_builder *builder, ee_str name) {
  return ee_arena_printf(builder->arena, "evaluator %s", ee_evaluator_quoted(builder, name));
}
