/* schema_check.c: ee.schema.check(schema, value): a JSON Schema as a function, besides the judge ee.schema. */
#include "lua/schema_check.h"

#include <lauxlib.h>
#include <string.h>

#include "base/work.h"
#include "data/json/json_equal.h"
#include "data/schema/json_schema.h"
#include "lua/values.h"

/* Compiled schemas that a state keeps: those of a rule file are few. */
#define KEPT 16
/* Units of work (base/work.h) of a schema within a schema. */
#define WORK_COMPILED 1000
/* Bytes that the arena of a replaced schema keeps. */
#define KEPT_BYTES ((size_t)1 << 20)

typedef struct kept_schema {
  ee_arena arena;
  const ee_value *document;
  const ee_json_schema *schema; /* NULL: none is kept */
} kept_schema;

/* A full userdata in the registry. */
typedef struct schema_cache {
  kept_schema entries[KEPT];
  size_t next; /* the one that is replaced next */
} schema_cache;

/* The registry key of the cache: its address. */
static const char cache_key = 0;

static int collect_cache(lua_State *L) {
  schema_cache *cache = lua_touserdata(L, 1);
  for (size_t i = 0; i < KEPT; i++) ee_arena_fini(&cache->entries[i].arena);
  return 0;
}

static void open_cache(lua_State *L) {
  schema_cache *cache = lua_newuserdatauv(L, sizeof *cache, 0);
  memset(cache, 0, sizeof *cache);
  for (size_t i = 0; i < KEPT; i++) ee_arena_init(&cache->entries[i].arena, 0);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, collect_cache);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &cache_key);
}

/* The first mistake of a schema; pushes it as a message. */
static void push_mistake(lua_State *L, const ee_error_list *errors) {
  for (size_t i = 0; i < errors->count; i++) {
    const char *message = errors->items[i].message;
    if (errors->items[i].status == EE_OK) continue;
    lua_pushfstring(L, "bad schema: %s", message[0] == ':' ? message + 2 : message);
    return;
  }
  lua_pushliteral(L, "bad schema");
}

/* Compiles a copy of `document` in the place of the oldest one; raises an error for a bad schema. */
static const ee_json_schema *compile(lua_State *L, schema_cache *cache, const ee_value *document) {
  kept_schema *entry = &cache->entries[cache->next];
  cache->next = (cache->next + 1) % KEPT;
  entry->schema = NULL;
  ee_arena_reset(&entry->arena, KEPT_BYTES);
  entry->document = ee_value_copy(&entry->arena, document);
  ee_value_hash(entry->document);
  ee_error_list errors;
  ee_error_list_init(&errors);
  const ee_json_schema *schema = ee_json_schema_compile(&entry->arena, entry->document, NULL, &errors);
  if (schema == NULL) push_mistake(L, &errors);
  ee_error_list_fini(&errors);
  if (schema == NULL) luaL_argerror(L, 1, lua_tostring(L, -1));
  entry->schema = schema;
  ee_work(ee_work_product(ee_json_schema_size(schema), WORK_COMPILED));
  return schema;
}

/* The compiled schema, from the kept ones if it is among them. */
static const ee_json_schema *find_schema(lua_State *L, const ee_value *document) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &cache_key);
  schema_cache *cache = lua_touserdata(L, -1);
  lua_pop(L, 1);
  uint64_t hash = ee_value_hash(document);
  for (size_t i = 0; i < KEPT; i++) {
    const kept_schema *entry = &cache->entries[i];
    if (entry->schema == NULL || ee_value_hash(entry->document) != hash) continue;
    if (ee_json_equal(entry->document, document)) return entry->schema;
  }
  return compile(L, cache, document);
}

/* Pushes { { path =, message =, keyword = }, ... }. */
static void push_violations(lua_State *L, const ee_schema_result *result) {
  lua_createtable(L, (int)result->count, 0);
  for (size_t i = 0; i < result->count; i++) {
    const ee_violation *violation = &result->violations[i];
    lua_createtable(L, 0, 3);
    lua_pushlstring(L, violation->place.data, violation->place.length);
    lua_setfield(L, -2, "path");
    lua_pushlstring(L, violation->message.data, violation->message.length);
    lua_setfield(L, -2, "message");
    lua_pushlstring(L, violation->keyword.data, violation->keyword.length);
    lua_setfield(L, -2, "keyword");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static const ee_value *check_value(lua_State *L, int index, ee_arena *arena) {
  const char *why = NULL;
  const ee_value *value = ee_lua_to_value(ee_lua_of(L), index, arena, &why);
  if (value == NULL && why != NULL) luaL_argerror(L, index, why);
  return value;
}

/* check(schema, value) -> true; or false and the violations */
static int check(lua_State *L) {
  lua_settop(L, 2);
  ee_arena *arena = ee_lua_scratch_arena(L);
  const ee_value *document = check_value(L, 1, arena), *value = check_value(L, 2, arena);
  ee_type type = ee_type_of(document);
  luaL_argcheck(L, type == EE_OBJECT || type == EE_TRUE || type == EE_FALSE, 1,
                "a schema expected: a table, true or false");
  const ee_json_schema *schema = find_schema(L, document);
  ee_schema_result result;
  ee_json_schema_validate(schema, value, arena, &result);
  lua_pushboolean(L, result.valid);
  if (result.valid) return 1;
  push_violations(L, &result);
  return 2;
}

/* ee.schema { ... }. Upvalue 1: the constructor. */
static int construct(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_replace(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* __index of ee.schema. Upvalue 1: the function. */
static int index_schema(lua_State *L) {
  if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "check") == 0) {
    lua_pushvalue(L, lua_upvalueindex(1));
    return 1;
  }
  return luaL_error(L, "undefined name 'ee.schema.%s' (did you mean 'ee.schema.check'?)", luaL_tolstring(L, 2, NULL));
}

void ee_lua_schema_check_open(lua_State *L) {
  open_cache(L);
  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 4);
  lua_pushliteral(L, "schema");
  lua_rawget(L, -4);
  lua_pushcclosure(L, construct, 1);
  lua_setfield(L, -2, "__call");
  lua_pushcfunction(L, check);
  lua_pushcclosure(L, index_schema, 1);
  lua_setfield(L, -2, "__index");
  lua_pushliteral(L, "ee.schema");
  lua_setfield(L, -2, "__name");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "schema");
}
