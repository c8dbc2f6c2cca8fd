/* rule_test_compile.c: compile(node) and load_rules(file, options): how a test comes by rules. */
#include <string.h>

#include "base/memory.h"
#include "base/runtime.h"
#include "data/json/json_reader.h"
#include "judge/fields/field_list.h"
#include "judge/plan.h"
#include "lua/callbacks.h"
#include "lua/dsl.h"
#include "lua/node.h"
#include "lua/rule_test_run.h"
#include "lua/sandbox.h"
#include "lua/values.h"

void ee_test_pass_on_trip(lua_State *L, ee_test_run *run, const ee_error_list *errors) {
  const ee_lua *lua = run->lua;
  if (!lua->out_of_budget && !lua->out_of_memory) return;
  if (errors->count > 0 && run->trip.status == EE_OK) run->trip = errors->items[0];
  lua_pushnil(L);
  lua_error(L);
}

const ee_value *ee_test_check_value(lua_State *L, ee_test_run *run, int index, ee_arena *arena, const char *what) {
  const char *why;
  const ee_value *value = ee_lua_to_value(run->lua, index, arena, &why);
  if (value == NULL && why != NULL) luaL_error(L, "%s holds %s", what, why);
  return value;
}

static int collect_rules(lua_State *L) {
  ee_test_rules *self = lua_touserdata(L, 1);
  ee_open_plan_fini(&self->opened);
  if (self->provider != NULL) self->provider->vtable->free(self->provider);
  ee_rule_file_free(self->file);
  ee_rule_family_free(self->family);
  ee_error_list_fini(&self->errors);
  ee_arena_fini(&self->arena);
  return 0;
}

/* Pushes rules without a plan. */
static ee_test_rules *push_rules(lua_State *L) {
  ee_test_rules *self = lua_newuserdatauv(L, sizeof *self, 0);
  *self = (ee_test_rules){.plan = NULL};
  ee_arena_init(&self->arena, 0);
  ee_error_list_init(&self->errors);
  luaL_setmetatable(L, EE_TEST_RULES);
  return self;
}

/* Raises the mistakes of the rules, on one line. */
static int raise_mistakes(lua_State *L, ee_test_run *run, ee_test_rules *self) {
  size_t count = self->errors.count;
  ee_error_list_sort(&self->errors);
  ee_buffer_clear(&run->text);
  ee_buffer_addf(&run->text, "the rules have %zu mistake%s", count, count == 1 ? "" : "s");
  for (size_t i = 0; i < count; i++) {
    ee_buffer_add_text(&run->text, i == 0 ? ": " : "; ");
    ee_error_print(&self->errors.items[i], &run->text);
  }
  const char *file;
  size_t line;
  ee_lua_place(L, 1, &file, &line);
  return ee_test_raise(L, run, file, line);
}

/* Opening -------------------------------------------------------------------------------------- */

/* The fields of `judge`, compiled once more: how a judge keeps its own is its own matter. */
static void add_fields(ee_test_rules *self, ee_plan *plan, const ee_judge *judge) {
  bool is_fields = judge->type == &ee_fields_judge;
  if (!is_fields && judge->type != &ee_line_items_judge) return;
  ee_plan_builder builder = {.arena = &self->arena, .plan = plan, .errors = &self->errors};
  ee_field_list list;
  ee_field_list_compile(&builder, judge->node, judge->type->name, is_fields ? 0 : 1, is_fields, &list);
  ee_test_field *fields = EE_NEW_ARRAY(&self->arena, ee_test_field, self->field_count + list.count);
  if (self->field_count > 0) memcpy(fields, self->fields, self->field_count * sizeof *fields);
  self->fields = fields;
  for (size_t i = 0; i < list.count; i++)
    fields[self->field_count++] = (ee_test_field){.judge = judge->name, .field = &list.fields[i]};
}

/* Opens what judging by `plan` needs: the script (`script` where the test's own state is the rules'), what answers
 * questions of similarity, and what judges keep. Raises when that cannot be. */
static void open_rules(lua_State *L, ee_test_run *run, ee_test_rules *self, const ee_plan *plan, ee_script *script) {
  /* What compiling finds to say of a field has been said; the plan itself is not to be changed. */
  ee_plan *copy = EE_NEW(&self->arena, ee_plan);
  *copy = *plan;
  for (size_t i = 0; i < plan->judge_count; i++) add_fields(self, copy, plan->judges[i]);

  ee_error error = {.status = EE_OK};
  ee_provider_opener *opener = run->options->open_provider;
  bool needs_provider = plan->needs_provider && opener != NULL;
  if (needs_provider) self->provider = opener(&plan->provider, &error);
  bool good = !needs_provider || self->provider != NULL;
  if (good) {
    ee_status status = script != NULL
                           ? ee_open_plan_init_with(&self->opened, plan, script, self->provider, NULL, &error)
                           : ee_open_plan_init(&self->opened, plan, self->provider, NULL, &error);
    good = status == EE_OK;
  }
  self->plan = plan;
  if (good) return;
  const char *file = error.file[0] != '\0' ? error.file : plan->provider.rule_file;
  size_t line = error.file[0] != '\0' ? error.line : plan->provider.line;
  ee_buffer_clear(&run->text);
  ee_buffer_add_text(&run->text, error.message);
  ee_test_raise(L, run, file, line);
}

/* compile -------------------------------------------------------------------------------------- */

/* The node at 1 must be ee.rules; one that a constructor has already found to be wrong passes, its mistake is waiting.
 */
static void check_rules_node(lua_State *L) {
  const ee_lua_node *node = luaL_testudata(L, 1, EE_LUA_NODE);
  if (node == NULL) luaL_error(L, "compile takes ee.rules { ... }, got a %s", luaL_typename(L, 1));
  if (node->class == EE_LUA_NODE_DROPPED) return;
  lua_getiuservalue(L, 1, EE_LUA_NODE_KIND);
  const char *kind = lua_tostring(L, -1);
  bool own = lua_getiuservalue(L, 1, EE_LUA_NODE_MADE_BY) != LUA_TNIL;
  if (own || node->class != EE_LUA_NODE_PLAIN || strcmp(kind, "rules") != 0)
    luaL_error(L, "compile takes ee.rules { ... }, got %s%s", own ? "" : "ee.", kind);
}

/* compile(ee.rules { ... }) -> rules; their functions stay in the test's own state. */
static int compile(lua_State *L) {
  ee_test_run *run = ee_test_run_of(L);
  luaL_checkany(L, 1);
  check_rules_node(L);
  const char *file;
  size_t line;
  ee_lua_place(L, 1, &file, &line);
  ee_test_rules *self = push_rules(L);
  lua_pushvalue(L, 1);
  const ee_rule_node *root = ee_lua_read_rules(run->lua, &self->arena, file, &self->errors);
  ee_test_pass_on_trip(L, run, &self->errors);
  ee_plan *plan = NULL;
  self->family = ee_rule_family_new(&run->options->load);
  ee_rule_link link = {self->family, run->path, NULL};
  ee_rules_loader loader = ee_rule_family_loader(&link);
  if (root != NULL) plan = ee_plan_compile_with(&self->arena, root, &ee_lua_callbacks, NULL, &loader, &self->errors);
  if (self->errors.count > 0) return raise_mistakes(L, run, self);
  if (plan == NULL) return luaL_error(L, "compile takes ee.rules { ... }");
  open_rules(L, run, self, plan, run->script);
  return 1;
}

/* load_rules ----------------------------------------------------------------------------------- */

static const char *const load_fields[] = {"config", NULL};

/* The config in the table at 2, in `arena`; NULL where there is none. A text is read as JSON, so that it can hold empty
 * lists. */
static const ee_value *check_config(lua_State *L, ee_test_run *run, ee_arena *arena) {
  if (lua_isnil(L, 2)) return NULL;
  luaL_checktype(L, 2, LUA_TTABLE);
  for (lua_pushnil(L); lua_next(L, 2) != 0; lua_pop(L, 1)) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "[1]";
    if (strcmp(key, load_fields[0]) == 0) continue;
    const char *suggestion = ee_did_you_mean(key, load_fields);
    if (suggestion == NULL) luaL_error(L, "load_rules has no option '%s'", key);
    luaL_error(L, "load_rules has no option '%s' (did you mean '%s'?)", key, suggestion);
  }
  lua_pushliteral(L, "config");
  lua_rawget(L, 2);
  const ee_value *config = ee_test_check_value(L, run, lua_gettop(L), arena, "config");
  if (ee_type_of(config) == EE_STRING) {
    ee_error error = {.status = EE_OK};
    config = ee_json_read(arena, ee_value_text(config), NULL, &error);
    if (config == NULL) luaL_error(L, "config is no JSON: %s", error.message);
  }
  if (config != NULL && ee_type_of(config) != EE_OBJECT)
    luaL_error(L, "config must be an object, got a value of type %s", ee_type_name(config));
  return config;
}

/* load_rules(file [, { config = ... }]) -> rules: the file of that name beside the test, loaded as for an evaluation,
 * in a state of its own. */
static int load_rules(lua_State *L) {
  ee_test_run *run = ee_test_run_of(L);
  ee_str name;
  name.data = luaL_checklstring(L, 1, &name.length);
  lua_settop(L, 2);
  ee_test_rules *self = push_rules(L);
  ee_rule_file_options options = run->options->load;
  options.config = check_config(L, run, &self->arena);
  /* A parameter may be meant for another file of the same run. */
  options.parameters = EE_NEW_ARRAY(&self->arena, ee_lua_parameter, options.parameter_count);
  for (size_t i = 0; i < options.parameter_count; i++) {
    options.parameters[i] = run->options->load.parameters[i];
    options.parameters[i].used = true;
  }
  lua_settop(L, 3);
  self->file = ee_rule_file_load(ee_file_name_beside(&self->arena, run->path, name), &options, &self->errors);
  if (self->file == NULL) return raise_mistakes(L, run, self);
  open_rules(L, run, self, ee_rule_file_plan(self->file), NULL);
  return 1;
}

/* Globals -------------------------------------------------------------------------------------- */

/* __index behind the methods of an object. Upvalue 1: its name. Arguments: the table of methods, the key. */
static int unknown_method(lua_State *L) {
  const char *object = lua_tostring(L, lua_upvalueindex(1));
  if (lua_type(L, 2) != LUA_TSTRING) return luaL_error(L, "%s has no fields of type %s", object, luaL_typename(L, 2));
  const char *name = lua_tostring(L, 2), *suggestion = ee_lua_suggest(L, 1, name);
  if (suggestion == NULL) return luaL_error(L, "%s has no '%s'", object, name);
  return luaL_error(L, "%s has no '%s' (did you mean '%s'?)", object, name, suggestion);
}

void ee_test_open_methods(lua_State *L, ee_test_run *run, const char *name, const luaL_Reg *methods) {
  luaL_newmetatable(L, name);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_newtable(L);
  lua_pushlightuserdata(L, run);
  luaL_setfuncs(L, methods, 1);
  lua_createtable(L, 0, 1);
  lua_pushstring(L, name);
  lua_pushcclosure(L, unknown_method, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

static void define(lua_State *L, ee_test_run *run, const char *name, lua_CFunction function) {
  lua_pushlightuserdata(L, run);
  lua_pushcclosure(L, function, 1);
  ee_lua_define_global(L, name);
}

void ee_test_open_rules(lua_State *L, ee_test_run *run) {
  ee_test_open_methods(L, run, EE_TEST_RULES, ee_test_rules_methods);
  luaL_getmetatable(L, EE_TEST_RULES);
  lua_pushcfunction(L, collect_rules);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  define(L, run, "compile", compile);
  define(L, run, "load_rules", load_rules);
}
