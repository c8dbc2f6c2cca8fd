/* call_context.c: the objects `case` and `context` that functions of a rule file are handed. Their fields are made when
 * they are read, so that a function pays only for what it uses. */
#include <string.h>

#include "judge/rule_node.h"
#include "lua/dsl.h"
#include "lua/sandbox.h"
#include "lua/script_state.h"
#include "lua/values.h"

#define CASE "ee.case"
#define CONTEXT "ee.context"
#define PARTS "ee.parts"

/* Raises an error for a field that `object` does not have; keys that are no texts read as nil. */
static int unknown_field(lua_State *L, const char *object, const char *const *names) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *key = lua_tostring(L, 2);
  const char *suggestion = ee_did_you_mean(key, names);
  if (suggestion == NULL) return luaL_error(L, "'%s' has no field '%s'", object, key);
  return luaL_error(L, "'%s' has no field '%s' (did you mean '%s'?)", object, key, suggestion);
}

/* The place of the key at index 2 among `names`, or of the NULL at their end. */
static int find_field(lua_State *L, const char *const *names) {
  int i = 0;
  if (lua_type(L, 2) != LUA_TSTRING) {
    while (names[i] != NULL) i++;
    return i;
  }
  const char *key = lua_tostring(L, 2);
  while (names[i] != NULL && strcmp(names[i], key) != 0) i++;
  return i;
}

/* Upvalue 1: the object's name. */
static int refuse_write(lua_State *L) {
  return luaL_error(L, "'%s' cannot be changed", lua_tostring(L, lua_upvalueindex(1)));
}

/* case ----------------------------------------------------------------------------------------- */

typedef struct case_object {
  uint64_t generation;
} case_object;

/* The fields; the values of the first three are kept as user values once read. */
enum { CASE_EXPECTED, CASE_CANDIDATE, CASE_RECORD, CASE_ID, CASE_TEXT };
static const char *const case_fields[] = {"expected", "candidate", "record", "id", "candidate_text", NULL};

static int index_case(lua_State *L) {
  const case_object *object = luaL_checkudata(L, 1, CASE);
  ee_lua *lua = ee_lua_of(L);
  if (object->generation != lua->generation || lua->current == NULL)
    return luaL_error(L, "'case' is used after its case ended");
  const ee_case *current = lua->current;
  int field = find_field(L, case_fields);
  if (field == CASE_ID) {
    lua_pushlstring(L, current->id.data, current->id.length);
    return 1;
  }
  if (field == CASE_TEXT) {
    if (current->candidate_text.data == NULL)
      lua_pushnil(L);
    else
      lua_pushlstring(L, current->candidate_text.data, current->candidate_text.length);
    return 1;
  }
  if (field > CASE_TEXT) return unknown_field(L, "case", case_fields);
  if (lua_getiuservalue(L, 1, field + 1) != LUA_TNIL) return 1;
  const ee_value *values[] = {current->expected, current->candidate, current->record};
  ee_lua_push_value(lua, values[field]);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, field + 1);
  return 1;
}

void ee_lua_push_case(lua_State *L, ee_script *script) {
  if (script->case_generation == script->lua->generation) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, script->current_case);
    return;
  }
  case_object *object = lua_newuserdatauv(L, sizeof(*object), 3);
  object->generation = script->lua->generation;
  luaL_setmetatable(L, CASE);
  lua_pushvalue(L, -1);
  lua_rawseti(L, LUA_REGISTRYINDEX, script->current_case);
  script->case_generation = object->generation;
}

/* context -------------------------------------------------------------------------------------- */

static void push_option_value(lua_State *L, const ee_rule_value *value) {
  switch (value->type) {
  case EE_RULE_BOOL: lua_pushboolean(L, value->boolean); break;
  case EE_RULE_NUMBER:
    if (value->is_integer)
      lua_pushinteger(L, (lua_Integer)value->number);
    else
      lua_pushnumber(L, value->number);
    break;
  case EE_RULE_TEXT: lua_pushlstring(L, value->text.data, value->text.length); break;
  default: lua_pushnil(L); /* the checks of the plan let nothing else through */
  }
}

/* Pushes the options of the project's own strategy at `spec`: those that its definition declares. Frozen, and made once
 * a state. */
static void push_options(lua_State *L, const ee_script *script, const ee_rule_node *node) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, script->options);
  if (lua_rawgetp(L, -1, node) != LUA_TNIL) {
    lua_remove(L, -2);
    return;
  }
  lua_pop(L, 1);
  lua_newtable(L);
  ee_rule_value declared = {.type = EE_RULE_NONE};
  if (node != NULL && node->definition != NULL) declared = ee_rule_node_get(node->definition, "options");
  for (size_t i = 0; declared.type == EE_RULE_TABLE && i < declared.node->option_count; i++) {
    ee_str name = declared.node->options[i].name;
    for (size_t j = 0; j < node->option_count; j++) {
      if (!ee_str_equal(node->options[j].name, name)) continue;
      lua_pushlstring(L, name.data, name.length);
      push_option_value(L, &node->options[j].value);
      lua_rawset(L, -3);
    }
  }
  ee_lua_freeze(L, "context.options", false);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, -3, node);
  lua_remove(L, -2);
}

static void push_item(lua_State *L, ee_lua *lua, const ee_script_place *place) {
  if (place->expected_item == NULL && place->candidate_item == NULL) {
    lua_pushnil(L);
    return;
  }
  lua_createtable(L, 0, 2);
  ee_lua_push_value(lua, place->expected_item);
  lua_setfield(L, -2, "expected");
  ee_lua_push_value(lua, place->candidate_item);
  lua_setfield(L, -2, "candidate");
}

enum { CONTEXT_PATH, CONTEXT_OPTIONS, CONTEXT_CASE, CONTEXT_ITEM };
static const char *const context_fields[] = {"path", "options", "case", "item", NULL};

static int index_context(lua_State *L) {
  ee_lua *lua = ee_lua_of(L);
  ee_script *script = lua->script;
  const ee_script_place *place = script->place;
  if (place == NULL) return luaL_error(L, "'context' is used after its call ended");
  switch (find_field(L, context_fields)) {
  case CONTEXT_PATH: lua_pushlstring(L, place->path.data, place->path.length); break;
  case CONTEXT_OPTIONS: push_options(L, script, place->options); break;
  case CONTEXT_CASE: ee_lua_push_case(L, script); break;
  case CONTEXT_ITEM: push_item(L, lua, place); break;
  default: return unknown_field(L, "context", context_fields);
  }
  return 1;
}

void ee_lua_push_call_context(lua_State *L, const ee_script *script) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, script->context);
}

/* Parts ---------------------------------------------------------------------------------------- */

enum { MOST_PARTS = 15 };

/* A part that is not there: only read then, so that the table's own fields are those that may be meant. */
static int index_parts(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *names[MOST_PARTS + 1] = {NULL};
  size_t count = 0;
  lua_pushnil(L);
  while (count < MOST_PARTS && lua_next(L, 1) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) names[count++] = lua_tostring(L, -1);
  }
  const char *key = lua_tostring(L, 2), *meant = ee_did_you_mean(key, names);
  if (meant == NULL) return luaL_error(L, "'%s' is no part", key);
  return luaL_error(L, "'%s' is no part (did you mean '%s'?)", key, meant);
}

void ee_lua_push_parts(lua_State *L, const ee_script_number *numbers, size_t count) {
  lua_createtable(L, 0, (int)count);
  for (size_t i = 0; i < count; i++) {
    lua_pushnumber(L, numbers[i].value);
    lua_setfield(L, -2, numbers[i].name);
  }
  luaL_setmetatable(L, PARTS);
}

/* Opening -------------------------------------------------------------------------------------- */

/* Makes the metatable `registered` of objects that messages call `name`. */
static void make_metatable(lua_State *L, const char *registered, const char *name, lua_CFunction index) {
  luaL_newmetatable(L, registered);
  lua_pushcfunction(L, index);
  lua_setfield(L, -2, "__index");
  lua_pushstring(L, name);
  lua_pushcclosure(L, refuse_write, 1);
  lua_setfield(L, -2, "__newindex");
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__name");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

void ee_lua_call_context_open(lua_State *L, ee_script *script) {
  make_metatable(L, CASE, "case", index_case);
  make_metatable(L, CONTEXT, "context", index_context);
  luaL_newmetatable(L, PARTS);
  lua_pushcfunction(L, index_parts);
  lua_setfield(L, -2, "__index");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
  lua_newuserdatauv(L, 0, 0);
  luaL_setmetatable(L, CONTEXT);
  script->context = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_newtable(L);
  script->options = luaL_ref(L, LUA_REGISTRYINDEX);
  lua_newtable(L); /* holds the place until the first case */
  script->current_case = luaL_ref(L, LUA_REGISTRYINDEX);
}
