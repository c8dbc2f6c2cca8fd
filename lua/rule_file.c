/* rule_file.c: loading a rule file (run it, read its tree, compile the plan), the rule files that its judges name, and
 * the states of workers. A document of rules (YAML, JSON) has Lua text only in the modules that it names; a data set
 * with evaluators has none. */
#include "lua/rule_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/data_folder.h"
#include "base/hash_index.h"
#include "base/memory.h"
#include "data/files/byte_source.h"
#include "data/json/json_equal.h"
#include "data/json/json_reader.h"
#include "judge/outside/agentv.h"
#include "judge/rule_text/rule_document.h"
#include "judge/rule_text/rule_writer.h"
#include "lua/callbacks.h"
#include "lua/read_rules.h"

/* More files than this are an accident: files that load each other again and again with different configs. */
enum { FILE_LIMIT = 10000 };
/* Nesting of files is bounded because each level takes stack, in loading and in judging. */
enum { DEPTH_LIMIT = 32 };

/* A file that a judge names. */
typedef struct member {
  const char *path;
  const ee_value *config; /* NULL: {} */
  ee_rule_file *file;     /* NULL: it did not load; its mistakes were reported */
} member;

struct ee_rule_family {
  ee_rule_file_options options;
  ee_arena arena; /* of the texts and configs below */
  struct {
    EE_LIST(member);
  } members;
  struct {
    EE_LIST(const char *);
  } asked;                      /* names passed to ee.param */
  bool failed;                  /* a member did not load */
  const char *refuses_programs; /* as ee_rules_loader has it */
};

/* Where a function of the tree is defined; the plan outlives the state that loaded it. */
typedef struct function_place {
  const char *file; /* in the arena; NULL for a function of C */
  size_t line;
} function_place;

struct ee_rule_file {
  char *path;
  bool has_text;       /* there is Lua text at `path` */
  const char *modules; /* of a document: Lua text that loads its modules, and the lines of these; NULL: none */
  const size_t *module_lines;
  ee_rule_file_options options;
  ee_arena arena;
  const ee_rule_node *tree;
  ee_plan *plan;
  uint64_t text_hash; /* of the Lua text that was loaded */
  function_place *functions;
  size_t function_count;
  ee_rule_family *family; /* of the outermost file, which owns it; else NULL */
  /* In the arena: the state that loaded the text, until somebody asks for one: it is as a new one would be. Of the
   * outermost file only, since thousands of files may be inside. NULL: none is kept. */
  ee_lua **first_state;
};

/* Hashes --------------------------------------------------------------------------------------- */

static void override_list(ee_path_list *list, const ee_path_list *given) {
  if (given->count > 0) *list = *given;
}

static void override_paths(ee_record_paths *paths, const ee_record_paths *given) {
  override_list(&paths->id, &given->id);
  override_list(&paths->expected_id, &given->expected_id);
  override_list(&paths->expected, &given->expected);
  /* One of the three takes the place of the others. */
  if (given->candidate.count > 0) paths->candidates = (ee_path_list){0};
  if (given->candidates.count > 0) paths->candidate = paths->trial = (ee_path_list){0};
  if (given->trial.count > 0) paths->candidates = (ee_path_list){0};
  override_list(&paths->candidate, &given->candidate);
  override_list(&paths->candidates, &given->candidates);
  override_list(&paths->trial, &given->trial);
  override_list(&paths->records, &given->records);
  paths->from = given->from;
}

/* Extends `hash` by parameters and config, so that it differs when the evaluation could. */
static uint64_t hash_with_options(uint64_t hash, const ee_rule_file_options *options) {
  for (size_t i = 0; i < options->parameter_count; i++) {
    const ee_lua_parameter *parameter = &options->parameters[i];
    hash = ee_hash_bytes(parameter->name, strlen(parameter->name), hash);
    hash = ee_hash_bytes(parameter->value, strlen(parameter->value), hash);
  }
  if (options->repair) hash = ee_hash_mix(hash + 1);
  const ee_value *config = options->config;
  for (const ee_value *at = config == NULL ? NULL : ee_value_child(config); at != NULL; at = ee_value_next(at)) {
    if (ee_type_of(at) != EE_NULL)
      return ee_hash_mix(hash) ^ ee_value_hash(config); /* does not depend on the order of members */
  }
  return hash;
}

static uint64_t hash_text(ee_str text, uint64_t hash) { return ee_hash_bytes(text.data, text.length, hash); }

static uint64_t hash_node(const ee_rule_node *node, uint64_t hash);

static uint64_t hash_value(const ee_rule_value *value, uint64_t hash) {
  const uint64_t kind[] = {(uint64_t)value->type, (uint64_t)value->boolean};
  hash = ee_hash_numbers(kind, sizeof *kind, 2, hash);
  hash = ee_hash_numbers(&value->number, sizeof value->number, 1, hash);
  hash = hash_text(value->text, hash);
  return value->node == NULL ? hash : hash_node(value->node, hash);
}

/* The hash of plain data that is in the tree as a document only. */
static uint64_t hash_document(const ee_rule_node *node, uint64_t hash) {
  bool only =
      node->item_count == 0 && node->option_count == 0 && node->document != NULL && ee_value_count(node->document) > 0;
  return only ? ee_hash_mix(hash) ^ ee_value_hash(node->document) : hash;
}

/* The hash of a tree, without its places. */
static uint64_t hash_node(const ee_rule_node *node, uint64_t hash) {
  const uint64_t counts[] = {node->item_count, node->option_count};
  hash = hash_document(node, hash);
  hash = ee_hash_numbers(counts, sizeof *counts, 2, hash_text(node->kind, hash));
  for (size_t i = 0; i < node->item_count; i++) hash = hash_value(&node->items[i], hash);
  for (size_t i = 0; i < node->option_count; i++)
    hash = hash_value(&node->options[i].value, hash_text(node->options[i].name, hash));
  return hash;
}

/* Parameters ----------------------------------------------------------------------------------- */

/* Remembers the names that the file of `lua` passed to ee.param. */
static void note_parameters(ee_rule_family *family, const ee_lua *lua) {
  for (size_t i = 0; i < lua->asked.count; i++) {
    const char *name = lua->asked.items[i];
    *EE_LIST_ADD(&family->asked, &family->arena) = ee_arena_copy(&family->arena, name, strlen(name));
  }
}

/* Adds a mistake for each parameter that no file asked for. Skipped when a member did not load: it might
 * have asked. */
static void check_parameters(ee_rule_family *family, ee_error_list *errors) {
  if (family->failed) return;
  *EE_LIST_ADD(&family->asked, &family->arena) = NULL;
  family->asked.count--;
  for (size_t i = 0; i < family->options.parameter_count; i++) {
    const ee_lua_parameter *parameter = &family->options.parameters[i];
    if (parameter->used) continue;
    const char *suggestion = ee_did_you_mean(parameter->name, family->asked.items);
    if (suggestion != NULL)
      ee_error_list_addf(errors, EE_ERROR_RULES, NULL, 0, "unknown parameter '%s' (did you mean '%s'?)",
                         parameter->name, suggestion);
    else
      ee_error_list_addf(errors, EE_ERROR_RULES, NULL, 0, "unknown parameter '%s': the rule file does not ask for it",
                         parameter->name);
  }
}

/* Loading one file ----------------------------------------------------------------------------- */

static void keep_functions(ee_rule_file *file, const ee_lua *lua) {
  file->function_count = lua->functions.count;
  file->functions = EE_NEW_ARRAY(&file->arena, function_place, lua->functions.count);
  for (size_t i = 0; i < lua->functions.count; i++) {
    const ee_lua_function *function = &lua->functions.items[i];
    if (function->file == NULL) continue;
    file->functions[i].file = ee_arena_copy(&file->arena, function->file, strlen(function->file));
    file->functions[i].line = function->line;
  }
}

/* Compiles the tree. `hash` is that of the tree's source; the plan adds the files that the rules name. */
static void compile(ee_rule_file *file, const ee_rule_node *root, ee_rule_link *link, uint64_t hash,
                    ee_error_list *errors) {
  ee_rules_loader loader = ee_rule_family_loader(link);
  file->tree = root;
  file->plan = ee_plan_compile_with(&file->arena, root, &ee_lua_callbacks, file, &loader, errors);
  if (file->plan == NULL) return;
  file->plan->rules_hash = ee_hash_mix(file->plan->rules_hash) ^ hash_with_options(hash, &file->options);
  file->plan->function_count = file->function_count;
  override_paths(&file->plan->paths, &file->options.paths);
  file->plan->repair = file->plan->repair || file->options.repair;
  if (file->options.confidence > 0) file->plan->confidence = file->options.confidence;
  ee_error error = {0};
  const char *cluster = file->options.cluster;
  if (cluster == NULL || ee_plan_set_cluster(file->plan, ee_str_from(cluster), &error)) return;
  ee_error_list_addf(errors, EE_ERROR_USAGE, NULL, 0, "--cluster: %s", error.message);
  file->plan = NULL;
}

/* Runs the file in `lua` and compiles its result; false when there is no tree. */
static bool load(ee_rule_file *file, ee_lua *lua, ee_rule_link *link, ee_error_list *errors) {
  ee_error error;
  if (ee_lua_run_file(lua, file->path, &error) != EE_OK) {
    for (size_t i = 0; i < lua->mistakes.count; i++) ee_error_list_add(errors, &lua->mistakes.items[i]);
    ee_error_list_add(errors, &error);
    return false;
  }
  const ee_rule_node *root = ee_lua_read_rules(lua, &file->arena, file->path, errors);
  if (root == NULL) return false;
  note_parameters(link->family, lua);
  keep_functions(file, lua);
  file->text_hash = lua->text_hash;
  compile(file, root, link, lua->text_hash, errors);
  return true;
}

static bool is_lua(const char *path, ee_rule_form form) {
  return form == EE_RULES_BY_NAME ? !ee_is_rule_document_name(path) : form == EE_RULES_LUA;
}

static ee_rule_file *new_file(const char *path, const ee_rule_file_options *options, bool has_text) {
  ee_rule_file *file = ee_calloc(1, sizeof(*file));
  file->path = ee_copy_string(path);
  file->has_text = has_text;
  file->options = *options;
  ee_arena_init(&file->arena, 0);
  return file;
}

/* A state for `file`, which is not loaded yet. */
static ee_lua *new_state(const ee_rule_file *file, ee_error *error) {
  const ee_rule_file_options *options = &file->options;
  ee_lua *lua =
      ee_lua_new(file->path, options->limits, options->parameters, options->parameter_count, options->config, error);
  if (lua != NULL) lua->text = options->text;
  return lua;
}

/* The state that loaded `file`, once; NULL: it is taken, or there was none. Any thread may ask. */
static ee_lua *take_first_state(const ee_rule_file *file) {
  return file->first_state == NULL ? NULL : __atomic_exchange_n(file->first_state, NULL, __ATOMIC_ACQ_REL);
}

/* Documents of rules ---------------------------------------------------------------------------- */

/* A document that is being read. */
typedef struct document_load {
  ee_rule_file *file;
  ee_rule_family *family;
  uint64_t module_hash; /* of the Lua text of modules; 0: none */
} document_load;

/* ee.param: the value of --set in the type of the default. */
static bool find_parameter(void *user, ee_str name, ee_rule_value *value, ee_arena *arena, ee_error *error) {
  const document_load *self = user;
  const char *word = ee_arena_copy(&self->family->arena, name.data, name.length), *given = NULL;
  *EE_LIST_ADD(&self->family->asked, &self->family->arena) = word;
  for (size_t i = 0; i < self->file->options.parameter_count; i++) {
    ee_lua_parameter *parameter = &self->file->options.parameters[i];
    if (strcmp(parameter->name, word) != 0) continue;
    given = parameter->value;
    __atomic_store_n(&parameter->used, true, __ATOMIC_RELAXED);
  }
  if (given == NULL) return true;
  const ee_value *number;
  switch (value->type) {
  case EE_RULE_NUMBER:
    number = ee_json_read(arena, ee_str_from(given), NULL, NULL);
    if (ee_type_of(number) != EE_NUMBER)
      return ee_error_set(error, EE_ERROR_RULES, "parameter '%s' is '%s', expected a number", word, given) == EE_OK;
    value->number = ee_value_number(number);
    return true;
  case EE_RULE_BOOL:
    value->boolean = strcmp(given, "true") == 0;
    if (value->boolean || strcmp(given, "false") == 0) return true;
    return ee_error_set(error, EE_ERROR_RULES, "parameter '%s' is '%s', expected true or false", word, given) == EE_OK;
  default: *value = (ee_rule_value){.type = EE_RULE_TEXT, .text = ee_str_from(given), .function = EE_NO_FUNCTION};
  }
  return true;
}

/* Lua text that returns what the modules return; each is loaded on its line of the document, for messages. */
static void write_modules(ee_rule_file *file, const ee_rule_module *modules, size_t count) {
  ee_buffer text;
  ee_buffer_init(&text);
  size_t *lines = EE_NEW_ARRAY(&file->arena, size_t, count), line = 1;
  ee_buffer_add_text(&text, "return {");
  for (size_t i = 0; i < count; i++) {
    lines[i] = modules[i].line;
    for (; line < modules[i].line; line++) ee_buffer_add_char(&text, '\n');
    ee_buffer_addf(&text, " require \"%.*s\",", EE_STR_ARG(modules[i].name));
  }
  ee_buffer_add_text(&text, " }");
  file->modules = ee_arena_copy(&file->arena, text.data, text.length);
  file->module_lines = lines;
  ee_buffer_fini(&text);
}

/* Runs the modules of `file` in `lua`; false with errors. */
static bool run_modules(const ee_rule_file *file, ee_lua *lua, ee_arena *arena, const ee_rule_value **values,
                        size_t *count, ee_error_list *errors) {
  ee_error error;
  size_t before = errors->count;
  lua->text = ee_str_from(file->modules);
  if (ee_lua_run_file(lua, file->path, &error) != EE_OK) {
    for (size_t i = 0; i < lua->mistakes.count; i++) ee_error_list_add(errors, &lua->mistakes.items[i]);
    ee_error_list_add(errors, &error);
    return false;
  }
  ee_lua_read_modules(lua, arena, file->path, file->module_lines, values, count, errors);
  return errors->count == before;
}

static bool load_modules(void *user, const ee_rule_module *modules, size_t module_count, const ee_rule_value **values,
                         size_t *count, ee_error_list *errors) {
  document_load *self = user;
  ee_rule_file *file = self->file;
  write_modules(file, modules, module_count);
  ee_error error;
  ee_lua *lua = new_state(file, &error);
  if (lua == NULL) {
    ee_error_list_add(errors, &error);
    return false;
  }
  bool good = run_modules(file, lua, &file->arena, values, count, errors);
  note_parameters(self->family, lua);
  keep_functions(file, lua);
  self->module_hash = file->text_hash = lua->text_hash;
  ee_lua_free(lua);
  return good;
}

/* Appends the text of a document; false with an error. */
static bool read_document(const ee_rule_file *file, ee_buffer *text, ee_error *error) {
  ee_byte_source *source = ee_byte_source_open(file->path, error);
  if (source == NULL) return false;
  ee_status status = ee_byte_source_read_rest(source, EE_COMPILE_FILE_LIMIT, text, error);
  if (status == EE_OK && text->length > EE_COMPILE_FILE_LIMIT)
    status = ee_error_at(error, EE_ERROR_RULES, file->path, 0, 0, "the rule file is larger than 16 MiB");
  else if (status != EE_OK)
    ee_error_at(error, status, file->path, 0, 0, "%s", error->message);
  ee_byte_source_close(source);
  return status == EE_OK;
}

/* Loads a document; false when there is no tree. */
static bool load_document(ee_rule_file *file, ee_rule_link *link, ee_error_list *errors) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_error error = {0};
  document_load self = {.file = file, .family = link->family};
  const ee_rule_host host = {.user = &self,
                             .config = file->options.config,
                             .parameter = find_parameter,
                             .require = load_modules,
                             .left_out = file->options.left_out,
                             .check_pattern = ee_lua_pattern_check};
  bool given = file->options.text.data != NULL;
  const ee_rule_node *root = NULL;
  if (given || read_document(file, &text, &error)) {
    ee_str whole = given ? file->options.text : (ee_str){text.data, text.length};
    root = ee_rule_document_read(&file->arena, file->path, whole, &host, errors);
  } else {
    ee_error_list_add(errors, &error);
  }
  ee_buffer_fini(&text);
  if (root == NULL) return false;
  compile(file, root, link, hash_node(root, self.module_hash), errors);
  return true;
}

/* Loads the text of `file`; false when there is no tree. */
static bool load_text(ee_rule_file *file, ee_rule_link *link, ee_error_list *errors) {
  if (!file->has_text) return load_document(file, link, errors);
  ee_error error;
  ee_lua *lua = new_state(file, &error);
  bool good = lua != NULL && load(file, lua, link, errors);
  if (lua == NULL) ee_error_list_add(errors, &error);
  /* Memory of a pool belongs to whoever loads, and a state to whoever opens it. */
  if (good && link->outer == NULL && !lua->pooled) {
    file->first_state = EE_NEW(&file->arena, ee_lua *);
    *file->first_state = lua;
  } else {
    ee_lua_free(lua);
  }
  return good;
}

static size_t count_mistakes(const ee_error_list *errors) {
  size_t count = 0;
  for (size_t i = 0; i < errors->count; i++) count += errors->items[i].status != EE_OK;
  return count;
}

/* Ends loading: returns `file`, or NULL when there are more mistakes than `before`. */
static ee_rule_file *finish(ee_rule_file *file, size_t before, ee_error_list *errors) {
  if (count_mistakes(errors) == before && file->plan != NULL) return file;
  ee_error_list_sort(errors);
  ee_rule_file_free(file);
  return NULL;
}

/* Loads a file named by a judge of another one. */
static ee_rule_file *load_inside(const ee_rule_link *link, const ee_rule_file_options *options, ee_error_list *errors) {
  size_t before = count_mistakes(errors);
  ee_rule_file *file = new_file(link->path, options, is_lua(link->path, options->form));
  ee_rule_link own = *link;
  load_text(file, &own, errors);
  return finish(file, before, errors);
}

/* Rule files inside rule files ------------------------------------------------------------------ */

/* Whether two names mean one file. Sees through links and "./" when both files exist. */
static bool is_same_file(const char *a, const char *b) {
  if (strcmp(a, b) == 0) return true;
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/* "a.lua -> b.lua -> a.lua": the circle that begins at `first`. */
static const char *chain_text(ee_arena *arena, const ee_rule_link *last, const ee_rule_link *first, const char *path) {
  const char *text = path;
  for (const ee_rule_link *link = last; link != first; link = link->outer)
    text = ee_arena_printf(arena, "%s -> %s", link->path, text);
  return ee_arena_printf(arena, "%s -> %s", first->path, text);
}

/* Reports a file that is already being loaded, and too deep nesting. */
static bool check_chain(const ee_rule_link *last, const char *path, ee_error_list *errors) {
  size_t depth = 0;
  for (const ee_rule_link *link = last; link != NULL; link = link->outer) {
    depth++;
    if (!is_same_file(link->path, path)) continue;
    ee_error_list_addf(errors, EE_ERROR_RULES, last->path, 0, "'%s' includes itself: %s", path,
                       chain_text(&last->family->arena, last, link, path));
    return false;
  }
  if (depth <= DEPTH_LIMIT) return true;
  ee_error_list_addf(errors, EE_ERROR_RULES, last->path, 0, "'%s' is more than %d rule files deep inside", path,
                     (int)DEPTH_LIMIT);
  return false;
}

static bool is_same_config(const ee_value *a, const ee_value *b) {
  return a == NULL || b == NULL ? a == b : ee_json_equal(a, b);
}

static const member *find_member(const ee_rule_family *family, const char *path, const ee_value *config) {
  for (size_t i = 0; i < family->members.count; i++) {
    const member *known = &family->members.items[i];
    if (strcmp(known->path, path) == 0 && is_same_config(known->config, config)) return known;
  }
  return NULL;
}

/* A copy of `config`; NULL when the rule file would see {}. */
static const ee_value *keep_config(ee_rule_family *family, const ee_value *config) {
  bool any = false;
  if (config != NULL) {
    for (const ee_value *at = ee_value_child(config); at != NULL; at = ee_value_next(at))
      any = any || ee_type_of(at) != EE_NULL;
  }
  return any ? ee_value_copy(&family->arena, config) : NULL;
}

static const ee_plan *refuse(ee_rule_family *family) {
  family->failed = true;
  return NULL;
}

static const ee_plan *load_member(void *user, const char *path, const ee_value *config, ee_error_list *errors) {
  const ee_rule_link *outer = user;
  ee_rule_family *family = outer->family;
  if (!check_chain(outer, path, errors)) return refuse(family);
  config = keep_config(family, config);
  const member *known = find_member(family, path, config);
  if (known != NULL) return known->file != NULL ? ee_rule_file_plan(known->file) : refuse(family);
  if (family->members.count >= FILE_LIMIT) {
    ee_error_list_addf(errors, EE_ERROR_RULES, outer->path, 0, "more than %d rule files are loaded", (int)FILE_LIMIT);
    return refuse(family);
  }
  ee_rule_file_options options = family->options;
  options.config = config;
  options.text = (ee_str){NULL, 0};
  options.form = EE_RULES_BY_NAME;
  options.left_out = NULL;
  const ee_rule_link link = {family, ee_arena_copy(&family->arena, path, strlen(path)), outer};
  ee_rule_file *file = load_inside(&link, &options, errors);
  *EE_LIST_ADD(&family->members, &family->arena) = (member){link.path, options.config, file};
  return file != NULL ? ee_rule_file_plan(file) : refuse(family);
}

ee_rules_loader ee_rule_family_loader(ee_rule_link *link) {
  const ee_rule_family *family = link->family;
  return (ee_rules_loader){.user = link,
                           .load = load_member,
                           .refuses_programs = family->refuses_programs,
                           .two_truths = family->options.two_truths};
}

ee_rule_family *ee_rule_family_new(const ee_rule_file_options *options) {
  ee_rule_family *family = ee_calloc(1, sizeof *family);
  family->options = *options;
  family->refuses_programs = options->no_programs;
  ee_arena_init(&family->arena, 0);
  return family;
}

void ee_rule_family_free(ee_rule_family *family) {
  if (family == NULL) return;
  for (size_t i = 0; i < family->members.count; i++) ee_rule_file_free(family->members.items[i].file);
  ee_arena_fini(&family->arena);
  ee_free(family);
}

/* The public functions ------------------------------------------------------------------------- */

ee_rule_file *ee_rule_file_load(const char *path, const ee_rule_file_options *options, ee_error_list *errors) {
  size_t before = count_mistakes(errors);
  ee_rule_file *file = new_file(path, options, is_lua(path, options->form));
  file->family = ee_rule_family_new(options);
  ee_rule_link link = {file->family, file->path, NULL};
  if (load_text(file, &link, errors)) check_parameters(file->family, errors);
  return finish(file, before, errors);
}

/* Moves the warnings among `errors` to the plan. */
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
  if (!options->allow_programs && options->no_programs == NULL)
    file->family->refuses_programs = ": a data set may do so with --allow-programs only";
  ee_rule_link link = {file->family, file->path, NULL};
  ee_selection *selection = NULL;
  const ee_rule_node *root = ee_agentv_to_rules(cases, options->asks_models, &file->arena, &selection, errors);
  if (root != NULL) {
    compile(file, root, &link, hash_node(root, ee_selection_hash(selection)), errors);
    check_parameters(file->family, errors);
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
  ee_lua_free(take_first_state(file));
  ee_rule_family_free(file->family);
  ee_arena_fini(&file->arena);
  ee_free(file->path);
  ee_free(file);
}

const ee_rule_node *ee_rule_file_tree(const ee_rule_file *file) { return file->tree; }

/* Names of parameters, "a, b". */
static const char *list_parameters(const ee_rule_file *file, ee_arena *arena) {
  const char *list = "";
  for (size_t i = 0; i < file->family->asked.count; i++) {
    bool again = false;
    for (size_t k = 0; k < i; k++)
      again = again || strcmp(file->family->asked.items[k], file->family->asked.items[i]) == 0;
    if (!again) list = ee_arena_printf(arena, "%s%s%s", list, *list != '\0' ? ", " : "", file->family->asked.items[i]);
  }
  return list;
}

/* Whether `text` reads as the tree of `file`; false with `error`. */
static bool reads_back(const ee_rule_file *file, ee_rule_form form, ee_str text, ee_arena *arena, ee_error *error) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = file->options;
  options.text = text;
  options.form = form;
  options.left_out = NULL;
  ee_rule_file *again = ee_rule_file_load(file->path, &options, &errors);
  bool same = again != NULL && ee_rule_tree_equal(file->tree, again->tree, arena);
  if (again == NULL)
    ee_error_at(error, EE_ERROR_RULES, file->path, file->tree->line, 0,
                "cannot be written: what is written has %s on line %zu",
                errors.count > 0 ? errors.items[0].message : "a mistake", errors.count > 0 ? errors.items[0].line : 0);
  else if (!same)
    ee_error_at(error, EE_ERROR_RULES, file->path, file->tree->line, 0,
                "cannot be written: what is written does not read as the same rules");
  ee_rule_file_free(again);
  ee_error_list_fini(&errors);
  return same;
}

bool ee_rule_file_write(const ee_rule_file *file, ee_rule_form form, ee_buffer *out, ee_error *error) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const char *slash = strrchr(file->path, '/');
  const char *own = slash == NULL ? "." : ee_arena_copy(&arena, file->path, (size_t)(slash - file->path));
  const char *const folders[] = {own, ee_data_folder(EE_DATA_RULES), NULL};
  ee_rule_text text = {.root = file->tree, .folders = folders, .left_out = file->options.left_out};
  size_t start = out->length;
  const char *parameters = file->has_text && file->family != NULL ? list_parameters(file, &arena) : "";
  if (*parameters != '\0')
    ee_buffer_addf(out, "%s values of ee.param are written as they are: %s\n", form == EE_RULES_LUA ? "--" : "#",
                   parameters);
  bool good = form == EE_RULES_LUA ? ee_rules_write_lua(&text, &arena, out, error)
                                   : ee_rules_write_yaml(&text, &arena, out, error);
  good = good && reads_back(file, form, (ee_str){out->data + start, out->length - start}, &arena, error);
  if (!good) out->length = start;
  ee_arena_fini(&arena);
  return good;
}

const ee_plan *ee_rule_file_plan(const ee_rule_file *file) { return file->plan; }

bool ee_rule_file_parse_gate(ee_rule_file *file, const char *text, double confidence, ee_gate *gate, ee_error *error) {
  return ee_gate_parse(file->plan, text, confidence, &file->arena, gate, error);
}

void ee_rule_file_function_place(const ee_rule_file *file, int number, char *out, size_t size) {
  const function_place *place = NULL;
  if (number >= 0 && (size_t)number < file->function_count) place = &file->functions[number];
  if (place == NULL || place->file == NULL)
    snprintf(out, size, "%s", "a function of the library");
  else
    snprintf(out, size, "%s:%zu", place->file, place->line);
}

ee_lua *ee_rule_file_open_state(const ee_rule_file *file, ee_error *error) {
  ee_lua *lua = take_first_state(file);
  if (lua != NULL) return lua;
  lua = new_state(file, error);
  if (lua == NULL || (!file->has_text && file->modules == NULL)) return lua;
  if (file->has_text && ee_lua_run_file(lua, file->path, error) != EE_OK) goto failed;

  /* The tree is read again for the numbers of its functions; the rest is discarded. */
  ee_arena arena;
  ee_error_list errors;
  ee_arena_init(&arena, 0);
  ee_error_list_init(&errors);
  const ee_rule_value *values;
  size_t count;
  bool good = file->has_text ? ee_lua_read_rules(lua, &arena, file->path, &errors) != NULL
                             : run_modules(file, lua, &arena, &values, &count, &errors);
  bool same =
      good && errors.count == 0 && lua->functions.count == file->function_count && lua->text_hash == file->text_hash;
  /* A file that it needs cannot be read now, or it has changed and has mistakes. */
  if (errors.count > 0)
    *error = errors.items[0];
  else if (!same)
    ee_error_at(error, EE_ERROR_RULES, file->path, 0, 0, "the rule file has changed since it was loaded");
  ee_error_list_fini(&errors);
  ee_arena_fini(&arena);
  if (same) return lua;
failed:
  ee_lua_free(lua);
  return NULL;
}
