/* rule_file.c: loading a rule file: run it, take its tree, compile the plan; and running it again for each worker. A
 * data set with evaluators is a rule file without Lua text. */
#include "lua/rule_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "judge/outside/agentv.h"
#include "lua/callbacks.h"
#include "lua/dsl.h"
#include "lua/require.h"
#include "lua/rule_family.h"

/* Where a function of the tree is defined; the plan outlives the state that loaded it. */
typedef struct function_place {
  const char *file; /* in the arena; NULL for a function of C */
  size_t line;
} function_place;

struct ee_rule_file {
  char *path;
  bool has_text; /* there is Lua text at `path` */
  ee_rule_file_options options;
  ee_arena arena;
  ee_plan *plan;
  uint64_t text_hash; /* of the Lua text that was loaded */
  function_place *functions;
  size_t function_count;
  ee_rule_family *family; /* of the outermost file, which owns it; else NULL */
};

static void keep_functions(ee_rule_file *file, const ee_lua *lua) {
  file->function_count = lua->function_count;
  file->functions = EE_NEW_ARRAY(&file->arena, function_place, lua->function_count);
  for (size_t i = 0; i < lua->function_count; i++) {
    const ee_lua_function *function = &lua->functions[i];
    if (function->file == NULL) continue;
    file->functions[i].file = ee_arena_copy(&file->arena, function->file, strlen(function->file));
    file->functions[i].line = function->line;
  }
}

/* Hashes --------------------------------------------------------------------------------------- */

/* `hash` with the parameters and the config, where there are any: what makes two evaluations the same. */
static uint64_t hash_with_options(uint64_t hash, const ee_rule_file_options *options) {
  for (size_t i = 0; i < options->parameter_count; i++) {
    const ee_lua_parameter *parameter = &options->parameters[i];
    hash = ee_hash_bytes(parameter->name, strlen(parameter->name), hash);
    hash = ee_hash_bytes(parameter->value, strlen(parameter->value), hash);
  }
  const ee_value *config = options->config;
  for (const ee_value *at = config == NULL ? NULL : ee_value_child(config); at != NULL; at = ee_value_next(at)) {
    if (ee_type_of(at) != EE_NULL) return ee_hash_mix(hash) ^ ee_value_hash(config); /* the same whatever the order */
  }
  return hash;
}

static uint64_t hash_text(ee_str text, uint64_t hash) { return ee_hash_bytes(text.data, text.length, hash); }

static uint64_t hash_spec(const ee_rule_node *node, uint64_t hash);

static uint64_t hash_value(const ee_rule_value *value, uint64_t hash) {
  const uint64_t kind[] = {(uint64_t)value->type, (uint64_t)value->boolean};
  hash = ee_hash_bytes(kind, sizeof kind, hash);
  hash = ee_hash_bytes(&value->number, sizeof value->number, hash);
  hash = hash_text(value->text, hash);
  return value->node == NULL ? hash : hash_spec(value->node, hash);
}

/* What a tree says, wherever it stands. */
static uint64_t hash_spec(const ee_rule_node *node, uint64_t hash) {
  const uint64_t counts[] = {node->item_count, node->option_count};
  hash = ee_hash_bytes(counts, sizeof counts, hash_text(node->kind, hash));
  for (size_t i = 0; i < node->item_count; i++) hash = hash_value(&node->items[i], hash);
  for (size_t i = 0; i < node->option_count; i++)
    hash = hash_value(&node->options[i].value, hash_text(node->options[i].name, hash));
  return hash;
}

/* Loading -------------------------------------------------------------------------------------- */

/* Compiles the tree. `hash` is that of what it was made of; the plan's own is of the files that the rules name, those
 * that judges load among them. */
static void compile(ee_rule_file *file, const ee_rule_node *root, ee_rule_link *link, uint64_t hash,
                    ee_error_list *errors) {
  ee_rules_loader loader = ee_rule_family_loader(link);
  file->plan = ee_plan_compile_with(&file->arena, root, &ee_lua_callbacks, file, &loader, errors);
  if (file->plan == NULL) return;
  file->plan->rules_hash = ee_hash_mix(file->plan->rules_hash) ^ hash_with_options(hash, &file->options);
  file->plan->function_count = file->function_count;
}

/* Runs the file in `lua` and compiles what it returned; false when there is not even a tree. */
static bool load(ee_rule_file *file, ee_lua *lua, ee_rule_link *link, ee_error_list *errors) {
  ee_error error;
  if (ee_lua_run_file(lua, file->path, &error) != EE_OK) {
    for (size_t i = 0; i < lua->mistakes.count; i++) ee_error_list_add(errors, &lua->mistakes.items[i]);
    ee_error_list_add(errors, &error);
    return false;
  }
  const ee_rule_node *root = ee_lua_read_rules(lua, &file->arena, file->path, errors);
  if (root == NULL) return false;
  ee_rule_family_note_parameters(link->family, lua);
  keep_functions(file, lua);
  file->text_hash = lua->text_hash;
  compile(file, root, link, lua->text_hash, errors);
  return true;
}

static ee_rule_file *new_file(const char *path, const ee_rule_file_options *options, bool has_text) {
  ee_rule_file *file = ee_calloc(1, sizeof(*file));
  file->path = strdup(path);
  if (file->path == NULL) ee_out_of_memory();
  file->has_text = has_text;
  file->options = *options;
  ee_arena_init(&file->arena, 0);
  return file;
}

/* A state for `file`, nothing loaded. */
static ee_lua *new_state(const ee_rule_file *file, ee_error *error) {
  const ee_rule_file_options *options = &file->options;
  return ee_lua_new(file->path, options->limits, options->parameters, options->parameter_count, options->config, error);
}

/* Loads the text of `file`; false when there is not even a tree. */
static bool load_text(ee_rule_file *file, ee_rule_link *link, ee_error_list *errors) {
  ee_error error;
  ee_lua *lua = new_state(file, &error);
  bool good = lua != NULL && load(file, lua, link, errors);
  if (lua == NULL) ee_error_list_add(errors, &error);
  ee_lua_free(lua);
  return good;
}

static size_t count_mistakes(const ee_error_list *errors) {
  size_t count = 0;
  for (size_t i = 0; i < errors->count; i++) count += errors->items[i].status != EE_OK;
  return count;
}

/* The end of loading: `file`, or NULL when there are more mistakes than the `before` that were there already. */
static ee_rule_file *finish(ee_rule_file *file, size_t before, ee_error_list *errors) {
  if (count_mistakes(errors) == before && file->plan != NULL) return file;
  ee_error_list_sort(errors);
  ee_rule_file_free(file);
  return NULL;
}

ee_rule_file *ee_rule_file_load_inside(const ee_rule_link *link, const ee_rule_file_options *options,
                                       ee_error_list *errors) {
  size_t before = count_mistakes(errors);
  ee_rule_file *file = new_file(link->path, options, true);
  ee_rule_link own = *link;
  load_text(file, &own, errors);
  return finish(file, before, errors);
}

ee_rule_file *ee_rule_file_load(const char *path, const ee_rule_file_options *options, ee_error_list *errors) {
  size_t before = count_mistakes(errors);
  ee_rule_file *file = new_file(path, options, true);
  file->family = ee_rule_family_new(options);
  ee_rule_link link = {file->family, file->path, NULL};
  if (load_text(file, &link, errors)) ee_rule_family_check_parameters(file->family, errors);
  return finish(file, before, errors);
}

/* Moves what is no mistake from `errors` to the warnings of the plan. */
static void keep_warnings(ee_rule_file *file, ee_error_list *errors) {
  ee_plan_builder builder = {.arena = &file->arena, .plan = file->plan};
  size_t kept = 0;
  for (size_t i = 0; i < errors->count; i++) {
    if (errors->items[i].status == EE_OK)
      ee_compile_add_warnings(&builder, &errors->items[i], 1);
    else
      errors->items[kept++] = errors->items[i];
  }
  errors->count = kept;
}

ee_rule_file *ee_rule_file_of_cases(const ee_case_file *cases, const ee_rule_file_options *options,
                                    ee_error_list *errors) {
  size_t before = count_mistakes(errors);
  ee_rule_file *file = new_file(cases->name, options, false);
  file->family = ee_rule_family_new(options);
  ee_rule_link link = {file->family, file->path, NULL};
  ee_selection *selection = NULL;
  const ee_rule_node *root = ee_agentv_to_rules(cases, &file->arena, &selection, errors);
  if (root != NULL) {
    compile(file, root, &link, hash_spec(root, ee_selection_hash(selection)), errors);
    ee_rule_family_check_parameters(file->family, errors);
  } else if (count_mistakes(errors) == before) {
    ee_error_list_addf(errors, EE_ERROR_RULES, cases->name, 0,
                       "the data set has no evaluator that can judge its cases (a rule file can, with --expected %s)",
                       cases->name);
  }
  if (file->plan != NULL && count_mistakes(errors) == before) {
    file->plan->selection = selection;
    keep_warnings(file, errors);
  }
  return finish(file, before, errors);
}

void ee_rule_file_free(ee_rule_file *file) {
  if (file == NULL) return;
  ee_rule_family_free(file->family);
  ee_arena_fini(&file->arena);
  free(file->path);
  free(file);
}

const ee_plan *ee_rule_file_plan(const ee_rule_file *file) { return file->plan; }

void ee_rule_file_function_place(const ee_rule_file *file, int number, char *out, size_t size) {
  const function_place *place = NULL;
  if (number >= 0 && (size_t)number < file->function_count) place = &file->functions[number];
  if (place == NULL || place->file == NULL)
    snprintf(out, size, "%s", "a function of the library");
  else
    snprintf(out, size, "%s:%zu", place->file, place->line);
}

ee_lua *ee_rule_file_open_state(const ee_rule_file *file, ee_error *error) {
  ee_lua *lua = new_state(file, error);
  if (lua == NULL || !file->has_text) return lua;
  if (ee_lua_run_file(lua, file->path, error) != EE_OK) goto failed;

  /* The tree is built once more for the numbers of its functions; nothing else of it is kept. */
  ee_arena arena;
  ee_error_list errors;
  ee_arena_init(&arena, 0);
  ee_error_list_init(&errors);
  const ee_rule_node *root = ee_lua_read_rules(lua, &arena, file->path, &errors);
  bool same = root != NULL && errors.count == 0 && lua->function_count == file->function_count &&
              lua->text_hash == file->text_hash;
  ee_error_list_fini(&errors);
  ee_arena_fini(&arena);
  if (same) return lua;
  ee_error_at(error, EE_ERROR_RULES, file->path, 0, 0, "the rule file has changed since it was loaded");
failed:
  ee_lua_free(lua);
  return NULL;
}
