/* schema_files.c: see schema_files.h. */
#include "judge/outside/schema_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/files/folder.h"
#include "data/json/json_reader.h"
#include "data/schema/schema_uri.h"
#include "data/yaml/yaml_reader.h"

/* Files ---------------------------------------------------------------------------------------- */

/* Where duplicate keys are reported. */
typedef struct duplicates {
  ee_plan_builder *builder;
  const ee_rule_node *node;
  const char *subject;
} duplicates;

static void on_duplicate_key(void *user, ee_str key, size_t offset) {
  const duplicates *self = user;
  (void)offset;
  ee_compile_warn(self->builder, self->node, "%s: key '%.*s' occurs twice, the last one counts", self->subject,
                  (int)ee_utf8_cut(key, 100), key.data);
}

/* Reads the text of a file; NULL with an error at its line. */
static const ee_value *read_text(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                 const char *name, ee_str text) {
  duplicates user = {builder, node, subject};
  ee_json_options options = {.on_duplicate_key = on_duplicate_key, .user = &user};
  ee_error error = {0};
  ee_value *document = ee_is_yaml_name(name) ? ee_yaml_read(builder->arena, text, NULL, &error)
                                             : ee_json_read(builder->arena, text, &options, &error);
  if (document == NULL) {
    ee_error_at(&error, EE_ERROR_RULES, name, error.line, error.column, "%s", error.message);
    ee_error_list_add(builder->errors, &error);
    return NULL;
  }
  ee_value_freeze(document, builder->arena);
  return document;
}

static const ee_value *read_file(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                 const char *name, size_t *size) {
  ee_buffer text;
  ee_buffer_init(&text);
  const ee_value *document = NULL;
  if (ee_compile_read_file(builder, node, subject, name, &text)) {
    document = read_text(builder, node, subject, name, (ee_str){text.data, text.length});
    *size += text.length;
  }
  ee_buffer_fini(&text);
  return document;
}

const ee_value *ee_schema_file_read(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                    const char *name) {
  size_t size = 0;
  return read_file(builder, node, subject, name, &size);
}

ee_str ee_schema_file_location(ee_plan_builder *builder, const char *name) {
  ee_arena *arena = builder->arena;
  char folder[PATH_MAX];
  if (name[0] != '/') {
    if (getcwd(folder, sizeof folder) == NULL || folder[0] != '/') return (ee_str){"", 0};
    name = ee_arena_printf(arena, "%s/%s", folder, name);
  }
  return ee_uri_resolve(arena, (ee_str){"", 0}, ee_uri_of_file(arena, name));
}

/* What is beside ------------------------------------------------------------------------------- */

/* Whether a part of the path is "..": written as "%2e%2e", it is not a step up in a URI, but would be one in a path. */
static bool steps_up(const char *path) {
  for (const char *at = path; (at = strstr(at, "..")) != NULL; at += 2)
    if ((at == path || at[-1] == '/') && (at[2] == '\0' || at[2] == '/')) return true;
  return false;
}

bool ee_schema_load(void *user, ee_arena *arena, ee_str uri, ee_schema_source *source, const char **why) {
  const ee_schema_loader *self = user;
  const char *file = ee_uri_file(arena, uri);
  *why = NULL;
  if (file == NULL || self->location.length == 0) return false;
  ee_str folder = ee_uri_folder(self->location);
  bool is_below = uri.length > folder.length && memcmp(uri.data, folder.data, folder.length) == 0;
  const char *name =
      is_below ? ee_uri_decode(arena, (ee_str){uri.data + folder.length, uri.length - folder.length}).data : "";
  if (!is_below || steps_up(name)) {
    *why = ee_arena_printf(
        arena, "'%.200s' is not below the schema's folder (a file or folder can be named in 'registry')", file);
    return false;
  }
  struct stat facts;
  if (stat(file, &facts) != 0) {
    *why = ee_arena_printf(arena, "cannot open '%.200s' beside the schema: %s", name, strerror(errno));
    return false;
  }
  /* Its error becomes the reference's. */
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_plan_builder builder = *self->builder;
  builder.errors = &errors;
  const ee_value *document = ee_schema_file_read(&builder, self->node, name, file);
  if (document == NULL) {
    const ee_error *error = &errors.items[0];
    const bool is_inside = strcmp(error->file, file) == 0;
    *why = is_inside
               ? ee_arena_printf(arena, "'%.200s' beside the schema, line %zu: %s", name, error->line, error->message)
               : ee_arena_printf(arena, "%s", error->message);
  }
  ee_error_list_fini(&errors);
  *source = (ee_schema_source){.document = document, .uri = uri, .location = uri, .name = name};
  return document != NULL;
}

/* The registry --------------------------------------------------------------------------------- */

typedef struct registry_reader {
  ee_plan_builder *builder;
  const ee_rule_node *node;
  const char *subject;
  ee_schema_options *options;
  ee_schema_registry *registry;
  size_t files, bytes;
} registry_reader;

/* Adds the file `path` under `uri`. `is_named`: in the rule file, so that it must be a schema. */
static bool add_file(registry_reader *self, const char *path, const char *name, ee_str uri, bool is_named) {
  ee_plan_builder *builder = self->builder;
  if (++self->files > EE_REGISTRY_FILES || self->bytes > EE_REGISTRY_BYTES) {
    ee_compile_error(builder, self->node, "%s: more than %d files or %zu MiB", self->subject, EE_REGISTRY_FILES,
                     EE_REGISTRY_BYTES >> 20);
    return false;
  }
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_plan_builder quiet = *builder;
  quiet.errors = &errors;
  const ee_value *document = read_file(&quiet, self->node, self->subject, path, &self->bytes);
  for (size_t i = 0; i < errors.count; i++) {
    if (is_named)
      ee_error_list_add(builder->errors, &errors.items[i]);
    else
      ee_compile_warn(builder, self->node, "%s: '%s' is left out: line %zu: %s", self->subject, name,
                      errors.items[i].line, errors.items[i].message);
  }
  ee_error_list_fini(&errors);
  if (document == NULL) return !is_named;
  const char *other = "";
  ee_schema_source source = {.document = document,
                             .location = ee_schema_file_location(builder, path),
                             .name = ee_arena_copy(builder->arena, name, strlen(name))};
  source.uri = source.location;
  if (!ee_schema_registry_add(self->registry, uri, &source, self->options->draft, &other))
    ee_compile_warn(builder, self->node, "%s: '%s' has a name or '$id' of '%s', which counts", self->subject, name,
                    other);
  return true;
}

/* The file's path below the folder as a relative URI, after `prefix`. */
static ee_str uri_below(ee_arena *arena, ee_str prefix, const char *path) {
  ee_str uri = ee_uri_of_file(arena, path);
  const size_t scheme = strlen("file://");
  char *joined = ee_arena_printf(arena, "%.*s%.*s", (int)prefix.length, prefix.length > 0 ? prefix.data : "",
                                 (int)(uri.length - scheme), uri.data + scheme);
  return ee_str_from(joined);
}

static bool add_folder(registry_reader *self, const char *path, ee_str prefix) {
  ee_folder folder;
  ee_error error = {0};
  bool good = ee_folder_read(path, &folder, &error) == EE_OK;
  if (!good) ee_compile_error(self->builder, self->node, "%s: %s", self->subject, error.message);
  size_t length = strlen(path) + (path[strlen(path) - 1] != '/');
  for (size_t i = 0; i < folder.count && good; i++) {
    const char *file = folder.items[i].path, *name = file + length, *dot = strrchr(name, '.');
    if (dot == NULL || strcmp(dot, ".json") != 0) continue;
    good = add_file(self, file, name, uri_below(self->builder->arena, prefix, name), false);
  }
  ee_folder_fini(&folder);
  return good;
}

/* `uri`: what is before '=' in the table; empty without it. */
static bool add_named(registry_reader *self, ee_str given, ee_str uri) {
  ee_plan_builder *builder = self->builder;
  const char *path = ee_compile_file_path(builder, self->node, self->subject, given);
  if (path == NULL) return false;
  struct stat facts;
  if (stat(path, &facts) != 0) {
    ee_compile_error(builder, self->node, "%s: cannot open '%s': %s", self->subject, path, strerror(errno));
    return false;
  }
  bool is_prefix = uri.length > 0 && uri.data[uri.length - 1] == '/';
  if (S_ISDIR(facts.st_mode) && (is_prefix || uri.length == 0)) return add_folder(self, path, uri);
  if (S_ISDIR(facts.st_mode) || is_prefix) {
    ee_compile_error(builder, self->node, "%s: '%.*s' must end in '/' and its value be a folder, or neither",
                     self->subject, (int)ee_utf8_cut(uri, 200), uri.data);
    return false;
  }
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
  ee_str fragment;
  if (uri.length == 0) uri = uri_below(builder->arena, uri, name);
  uri = ee_uri_split(uri, &fragment);
  if (fragment.length == 0) return add_file(self, path, name, uri, true);
  ee_compile_error(builder, self->node, "%s: a URI with a fragment names a part of a document", self->subject);
  return false;
}

bool ee_schema_registry_compile(ee_plan_builder *builder, const ee_rule_node *node, const char *subject,
                                ee_schema_options *options) {
  registry_reader self = {builder, node, subject, options, ee_schema_registry_new(builder->arena), 0, 0};
  ee_rule_value given = ee_rule_node_get(node, "registry");
  options->registry = self.registry;
  if (given.type == EE_RULE_TEXT) return add_named(&self, given.text, EE_STR(""));
  if (given.type != EE_RULE_TABLE) return true;
  bool good = true;
  for (size_t i = 0; i < given.node->item_count + given.node->option_count; i++) {
    bool is_item = i < given.node->item_count;
    const ee_rule_option *option = is_item ? NULL : &given.node->options[i - given.node->item_count];
    const ee_rule_value *value = is_item ? &given.node->items[i] : &option->value;
    if (value->type != EE_RULE_TEXT) {
      ee_compile_error(builder, node, "%s must hold names of files and folders (strings), got %s", subject,
                       ee_rule_value_describe(value, builder->arena));
      good = false;
    } else if (!add_named(&self, value->text, is_item ? EE_STR("") : option->name)) {
      good = false;
    }
  }
  return good;
}
