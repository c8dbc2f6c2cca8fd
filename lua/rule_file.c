/* rule_file.c: loading a rule file: run it, take its tree, compile the plan; and running it again for each worker. */
#include "lua/rule_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "lua/callbacks.h"
#include "lua/dsl.h"
#include "lua/require.h"

/* Where a function of the tree is defined; the plan outlives the state that loaded it. */
typedef struct function_place {
  const char *file; /* in the arena; NULL for a function of C */
  size_t line;
} function_place;

struct ee_rule_file {
  char *path;
  ee_rule_file_options options;
  ee_arena arena;
  ee_plan *plan;
  uint64_t text_hash; /* of the Lua text that was loaded */
  function_place *functions;
  size_t function_count;
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

/* Runs the file in `lua` and compiles what it returned. */
/* The texts of all files and the parameters that they asked for: what makes two evaluations the same. */
static uint64_t hash_with_parameters(const ee_lua *lua) {
  uint64_t hash = lua->text_hash;
  for (size_t i = 0; i < lua->parameter_count; i++) {
    const ee_lua_parameter *parameter = &lua->parameters[i];
    hash = ee_hash_bytes(parameter->name, strlen(parameter->name), hash);
    hash = ee_hash_bytes(parameter->value, strlen(parameter->value), hash);
  }
  return hash;
}

static void load(ee_rule_file *file, ee_lua *lua, ee_error_list *errors) {
  ee_error error;
  if (ee_lua_run_file(lua, file->path, &error) != EE_OK) {
    for (size_t i = 0; i < lua->mistakes.count; i++) ee_error_list_add(errors, &lua->mistakes.items[i]);
    ee_error_list_add(errors, &error);
    return;
  }
  const ee_spec *root = ee_lua_to_spec(lua, &file->arena, file->path, errors);
  if (root == NULL) return;
  ee_lua_check_parameters(lua, errors);
  keep_functions(file, lua);
  file->plan = ee_plan_compile(&file->arena, root, &ee_lua_callbacks, file, errors);
  if (file->plan == NULL) return;
  file->text_hash = lua->text_hash;
  /* Of the files that the rules name, where there are any. */
  file->plan->rules_hash = ee_hash_mix(file->plan->rules_hash) ^ hash_with_parameters(lua);
  file->plan->function_count = lua->function_count;
}

ee_rule_file *ee_rule_file_load(const char *path, const ee_rule_file_options *options, ee_error_list *errors) {
  ee_rule_file *file = ee_calloc(1, sizeof(*file));
  size_t before = errors->count;
  file->path = strdup(path);
  if (file->path == NULL) ee_out_of_memory();
  file->options = *options;
  ee_arena_init(&file->arena, 0);
  ee_error error;
  ee_lua *lua = ee_lua_new(path, options->limits, options->parameters, options->parameter_count, &error);
  if (lua == NULL)
    ee_error_list_add(errors, &error);
  else
    load(file, lua, errors);
  ee_lua_free(lua);
  if (errors->count == before && file->plan != NULL) return file;
  ee_error_list_sort(errors);
  ee_rule_file_free(file);
  return NULL;
}

void ee_rule_file_free(ee_rule_file *file) {
  if (file == NULL) return;
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
  const ee_rule_file_options *options = &file->options;
  ee_lua *lua = ee_lua_new(file->path, options->limits, options->parameters, options->parameter_count, error);
  if (lua == NULL) return NULL;
  if (ee_lua_run_file(lua, file->path, error) != EE_OK) goto failed;

  /* The tree is built once more for the numbers of its functions; nothing else of it is kept. */
  ee_arena arena;
  ee_error_list errors;
  ee_arena_init(&arena, 0);
  ee_error_list_init(&errors);
  const ee_spec *root = ee_lua_to_spec(lua, &arena, file->path, &errors);
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
