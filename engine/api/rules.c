/* rules.c: the public interface: rule files. */
#include "api/rules.h"

#include <evalengine.h>
#include <string.h>

#include "api/guard.h"
#include "base/memory.h"
#include "lua/shipped_rules.h"

typedef struct load_call {
  ee_rules *rules;
  const char *name;
  ee_str text; /* data NULL: read from the path `name` */
  ee_error_list errors;
} load_call;

static void load_rules(void *user) {
  load_call *call = user;
  ee_rules *rules = call->rules;
  if (call->text.data != NULL) rules->text.data = ee_copy_bytes(call->text.data, call->text.length);
  rules->text.length = call->text.length;
  ee_arena names;
  ee_arena_init(&names, 0);
  ee_named_rules found = {.path = call->name};
  ee_error error = {0};
  ee_status status =
      call->text.data == NULL ? ee_named_rules_find(call->name, "", false, &names, &found, &error) : EE_OK;
  if (status == EE_OK) {
    rules->name = ee_copy_string(found.path);
    ee_rule_file_options options = {.limits = {.instructions = -1}, .text = rules->text};
    rules->file = ee_rule_file_load(rules->name, &options, &call->errors);
  } else {
    ee_error_list_add(&call->errors, &error);
  }
  ee_arena_fini(&names);
}

static void free_file(void *user) {
  ee_rules *rules = user;
  ee_rule_file_free(rules->file);
  ee_free((char *)(uintptr_t)rules->text.data);
  ee_free(rules->name);
}

static ee_rules *load(const char *name, ee_str text, ee_on_error *on_error, void *user) {
  load_call call = {.rules = ee_new_object(sizeof *call.rules), .name = name, .text = text};
  ee_error_list_init(&call.errors);
  if (call.rules != NULL) ee_pool_init(&call.rules->pool);                     /* unreached: memory is refused */
  if (call.rules == NULL || !ee_guard(&call.rules->pool, load_rules, &call)) { /* unreached: memory is refused */
    ee_free(call.rules);                                                       /* unreached: memory is refused */
    ee_error error = {0};                                                      /* unreached: memory is refused */
    ee_no_memory(&error);                                                      /* unreached: memory is refused */
    if (on_error != NULL) on_error(user, &error);                              /* unreached: memory is refused */
    return NULL;                                                               /* unreached: memory is refused */
  }
  /* The host may call the library here, so there must be no place to return to. */
  for (size_t i = 0; i < call.errors.count && on_error != NULL; i++) on_error(user, &call.errors.items[i]);
  ee_error_list_fini(&call.errors);
  if (call.rules->file != NULL) return call.rules;
  ee_rules_free(call.rules);
  return NULL;
}

ee_rules *ee_rules_load(const char *path, ee_on_error *on_error, void *user) {
  return load(path, (ee_str){NULL, 0}, on_error, user);
}

ee_rules *ee_rules_parse(const char *name, const char *text, size_t length, ee_on_error *on_error, void *user) {
  return load(name, (ee_str){text, length}, on_error, user);
}

void ee_rules_free(ee_rules *rules) {
  if (rules == NULL) return;
  ee_guard(&rules->pool, free_file, rules);
  ee_free(rules);
}
