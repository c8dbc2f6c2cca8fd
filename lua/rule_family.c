/* rule_family.c: rule files inside rule files: found, loaded once, owned together. */
#include "lua/rule_family.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "lua/require.h"

/* So many files are an accident: files that load each other twice, with another config each time. */
enum { FILE_LIMIT = 10000 };
/* And so many inside one another: each takes stack while it is loaded, and while a case is judged. */
enum { DEPTH_LIMIT = 32 };

/* A file inside. */
typedef struct member {
  const char *path;
  const ee_value *config; /* NULL: {} */
  ee_rule_file *file;     /* NULL: it did not load, and its mistakes were told */
} member;

struct ee_rule_family {
  ee_rule_file_options options;
  ee_arena arena; /* of the texts and configs below */
  member *members;
  size_t count;
  const char **asked; /* names that ee.param was asked for, ended by NULL */
  size_t asked_count;
  bool failed; /* a file inside did not load */
};

ee_rule_family *ee_rule_family_new(const ee_rule_file_options *options) {
  ee_rule_family *family = ee_calloc(1, sizeof *family);
  family->options = *options;
  family->asked = ee_calloc(1, sizeof *family->asked);
  ee_arena_init(&family->arena, 0);
  return family;
}

void ee_rule_family_free(ee_rule_family *family) {
  if (family == NULL) return;
  for (size_t i = 0; i < family->count; i++) ee_rule_file_free(family->members[i].file);
  free(family->members);
  free(family->asked);
  ee_arena_fini(&family->arena);
  free(family);
}

/* Loading -------------------------------------------------------------------------------------- */

/* Whether two names mean one file; links and "./" aside where both are there. */
static bool is_same_file(const char *a, const char *b) {
  if (strcmp(a, b) == 0) return true;
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/* "a.lua -> b.lua -> a.lua": from where the circle begins, which `first` is. */
static const char *chain_text(ee_arena *arena, const ee_rule_link *last, const ee_rule_link *first, const char *path) {
  const char *text = path;
  for (const ee_rule_link *link = last; link != first; link = link->outer)
    text = ee_arena_printf(arena, "%s -> %s", link->path, text);
  return ee_arena_printf(arena, "%s -> %s", first->path, text);
}

/* Reports a file that is being loaded already, and one too deep inside. */
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
  return a == NULL || b == NULL ? a == b : ee_value_equal(a, b);
}

static const member *find_member(const ee_rule_family *family, const char *path, const ee_value *config) {
  for (size_t i = 0; i < family->count; i++) {
    const member *known = &family->members[i];
    if (strcmp(known->path, path) == 0 && is_same_config(known->config, config)) return known;
  }
  return NULL;
}

/* A copy of what a rule file sees of `config`; NULL when that is {}. */
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

static const ee_plan *load(void *user, const char *path, const ee_value *config, ee_error_list *errors) {
  const ee_rule_link *outer = user;
  ee_rule_family *family = outer->family;
  if (!check_chain(outer, path, errors)) return refuse(family);
  config = keep_config(family, config);
  const member *known = find_member(family, path, config);
  if (known != NULL) return known->file != NULL ? ee_rule_file_plan(known->file) : refuse(family);
  if (family->count >= FILE_LIMIT) {
    ee_error_list_addf(errors, EE_ERROR_RULES, outer->path, 0, "more than %d rule files are loaded", (int)FILE_LIMIT);
    return refuse(family);
  }
  ee_rule_file_options options = family->options;
  options.config = config;
  const ee_rule_link link = {family, ee_arena_copy(&family->arena, path, strlen(path)), outer};
  ee_rule_file *file = ee_rule_file_load_inside(&link, &options, errors);
  family->members = ee_realloc(family->members, family->count + 1, sizeof *family->members);
  family->members[family->count++] = (member){link.path, options.config, file};
  return file != NULL ? ee_rule_file_plan(file) : refuse(family);
}

ee_rules_loader ee_rule_family_loader(ee_rule_link *link) { return (ee_rules_loader){.user = link, .load = load}; }

/* Parameters ----------------------------------------------------------------------------------- */

void ee_rule_family_note_parameters(ee_rule_family *family, const ee_lua *lua) {
  family->asked = ee_realloc(family->asked, family->asked_count + lua->asked_count + 1, sizeof *family->asked);
  for (size_t i = 0; i < lua->asked_count; i++)
    family->asked[family->asked_count++] = ee_arena_copy(&family->arena, lua->asked[i], strlen(lua->asked[i]));
  family->asked[family->asked_count] = NULL;
}

void ee_rule_family_check_parameters(const ee_rule_family *family, ee_error_list *errors) {
  if (family->failed) return;
  ee_lua_check_parameters(family->asked, family->options.parameters, family->options.parameter_count, errors);
}
