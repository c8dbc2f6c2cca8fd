/* values.c: lazy proxies over documents, and the value functions of `ee`. */
#include "lua/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "data/json_writer.h"
#include "data/path.h"
#include "lua/scratch.h"
#include "prim/number.h"

#define PROXY "ee.value"
#define DEPTH_LIMIT 100

/* A full userdata. `cursor` remembers the last element asked for, so that walking an array by index is linear. */
typedef struct proxy {
  const ee_value *value;
  uint64_t generation;
  const ee_value *cursor;
  size_t cursor_index;
} proxy;

/* The registry key of ee.null: its address. */
static const char null_key = 0;

static proxy *to_proxy(lua_State *L, int index) { return luaL_testudata(L, index, PROXY); }

/* The value of the proxy at `index`, which must still be alive. */
static const ee_value *live_value(lua_State *L, const proxy *self) {
  if (self->generation != ee_lua_of(L)->generation)
    luaL_error(L, "this value belongs to a case that has ended (copy it with ee.copy, or do not keep it)");
  return self->value;
}

static void push_proxy(ee_lua *lua, const ee_value *value) {
  proxy *self = lua_newuserdatauv(lua->L, sizeof *self, 0);
  *self = (proxy){value, lua->generation, NULL, 0};
  luaL_setmetatable(lua->L, PROXY);
}

/* Whole numbers of the document that fit are integers, so that 2^53 + 1 arrives exactly. */
static void push_number(lua_State *L, const ee_value *value) {
  double number = ee_value_number(value);
  if (value->json.valuestring != NULL) {
    const char *text = value->json.valuestring;
    size_t digits = strspn(text + (*text == '-'), "0123456789");
    char *end = NULL;
    if (text[digits + (*text == '-')] == '\0' && digits < 19) {
      lua_pushinteger(L, strtoll(text, &end, 10));
      return;
    }
    if (text[digits + (*text == '-')] == '\0' && digits == 19 && fabs(number) < 0x1p63) {
      lua_pushinteger(L, strtoll(text, &end, 10));
      return;
    }
  }
  if (number == floor(number) && fabs(number) < 0x1p63)
    lua_pushinteger(L, (lua_Integer)number);
  else
    lua_pushnumber(L, number);
}

void ee_lua_push_value(ee_lua *lua, const ee_value *value) {
  lua_State *L = lua->L;
  switch (ee_type_of(value)) {
  case EE_MISSING: lua_pushnil(L); break;
  case EE_NULL: lua_rawgetp(L, LUA_REGISTRYINDEX, &null_key); break;
  case EE_FALSE: lua_pushboolean(L, 0); break;
  case EE_TRUE: lua_pushboolean(L, 1); break;
  case EE_NUMBER: push_number(L, value); break;
  case EE_STRING: lua_pushlstring(L, value->json.valuestring, value->length); break;
  case EE_ARRAY:
  case EE_OBJECT: push_proxy(lua, value); break;
  }
}

bool ee_lua_is_null(lua_State *L, int index) {
  index = lua_absindex(L, index);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &null_key);
  bool is_null = lua_rawequal(L, index, -1);
  lua_pop(L, 1);
  return is_null;
}

/* The element at `index` (from 0), from the cursor where that is nearer than the start. */
static const ee_value *element_at(proxy *self, size_t index) {
  if (index >= ee_value_count(self->value)) return NULL;
  const ee_value *at = self->cursor;
  size_t position = self->cursor_index;
  if (at == NULL || position > index) {
    at = ee_value_child(self->value);
    position = 0;
  }
  for (; position < index; position++) at = ee_value_next(at);
  self->cursor = at;
  self->cursor_index = index;
  return at;
}

static int proxy_index(lua_State *L) {
  proxy *self = to_proxy(L, 1);
  const ee_value *value = live_value(L, self), *found = NULL;
  ee_lua *lua = ee_lua_of(L);
  if (ee_type_of(value) == EE_OBJECT && lua_type(L, 2) == LUA_TSTRING) {
    size_t length;
    const char *key = lua_tolstring(L, 2, &length);
    found = ee_value_member(value, (ee_str){key, length}, lua->arena);
  } else if (ee_type_of(value) == EE_ARRAY && lua_isinteger(L, 2)) {
    lua_Integer index = lua_tointeger(L, 2);
    if (index >= 1) found = element_at(self, (size_t)index - 1);
  }
  ee_lua_push_value(lua, found);
  return 1;
}

static int proxy_newindex(lua_State *L) {
  return luaL_error(L, "a document cannot be changed (ee.copy gives a table that can)");
}

static int proxy_len(lua_State *L) {
  const ee_value *value = live_value(L, to_proxy(L, 1));
  if (ee_type_of(value) != EE_ARRAY) return luaL_error(L, "an object has no length (only an array has)");
  lua_pushinteger(L, ee_value_count(value));
  return 1;
}

/* Upvalues: the proxy, the next child, the index of an array's element (0: an object). */
static int iterate(lua_State *L) {
  proxy *self = to_proxy(L, lua_upvalueindex(1));
  live_value(L, self);
  const ee_value *at = lua_touserdata(L, lua_upvalueindex(2));
  if (at == NULL) return 0;
  lua_pushlightuserdata(L, (void *)(uintptr_t)ee_value_next(at));
  lua_replace(L, lua_upvalueindex(2));
  lua_Integer index = lua_tointeger(L, lua_upvalueindex(3));
  if (index > 0) {
    lua_pushinteger(L, index + 1);
    lua_replace(L, lua_upvalueindex(3));
    lua_pushinteger(L, index);
  } else {
    lua_pushlstring(L, at->json.string, at->key_length);
  }
  ee_lua_push_value(ee_lua_of(L), at);
  return 2;
}

/* Pushes an iterator over the proxy at `index`. */
static void push_iterator(lua_State *L, int index) {
  index = lua_absindex(L, index);
  const ee_value *value = live_value(L, to_proxy(L, index));
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, (void *)(uintptr_t)ee_value_child(value));
  lua_pushinteger(L, ee_type_of(value) == EE_ARRAY ? 1 : 0);
  lua_pushcclosure(L, iterate, 3);
}

static int proxy_pairs(lua_State *L) {
  push_iterator(L, 1);
  return 1;
}

static int proxy_eq(lua_State *L) {
  proxy *a = to_proxy(L, 1), *b = to_proxy(L, 2);
  lua_pushboolean(L, a != NULL && b != NULL && ee_value_equal(live_value(L, a), live_value(L, b)));
  return 1;
}

static int proxy_tostring(lua_State *L) {
  const ee_value *value = live_value(L, to_proxy(L, 1));
  ee_buffer *text = ee_lua_scratch_buffer(L);
  ee_json_write_value(text, value);
  lua_pushlstring(L, text->data, text->length);
  return 1;
}

static int null_tostring(lua_State *L) {
  lua_pushliteral(L, "null");
  return 1;
}

/* Lua to values ------------------------------------------------------------------------------------------------- */

static ee_value *convert(ee_lua *lua, int index, int depth, ee_arena *arena, const char **why);

/* A table with the keys 1..count. */
static ee_value *convert_list(ee_lua *lua, int index, size_t count, int depth, ee_arena *arena, const char **why) {
  ee_value *array = ee_value_new(arena, EE_ARRAY);
  for (size_t i = 1; i <= count; i++) {
    lua_rawgeti(lua->L, index, (lua_Integer)i);
    ee_value *child = convert(lua, lua_gettop(lua->L), depth + 1, arena, why);
    lua_pop(lua->L, 1);
    if (child == NULL) return NULL;
    ee_value_append(array, child);
  }
  return array;
}

static int compare_keys(const void *a, const void *b) { return ee_str_compare(*(const ee_str *)a, *(const ee_str *)b); }

static ee_value *convert_object(ee_lua *lua, int index, size_t count, int depth, ee_arena *arena, const char **why) {
  lua_State *L = lua->L;
  ee_str *keys = EE_NEW_ARRAY(arena, ee_str, count + 1);
  size_t found = 0;
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    lua_pop(L, 1);
    size_t length;
    const char *key = lua_tolstring(L, -1, &length); /* text keys only: nothing is converted in place */
    keys[found++] = (ee_str){key, length};
  }
  qsort(keys, count, sizeof *keys, compare_keys);
  ee_value *object = ee_value_new(arena, EE_OBJECT);
  for (size_t i = 0; i < count; i++) {
    if (ee_utf8_valid_prefix(keys[i].data, keys[i].length) != keys[i].length) {
      *why = "a key that is no valid UTF-8";
      return NULL;
    }
    lua_pushlstring(L, keys[i].data, keys[i].length);
    lua_rawget(L, index);
    ee_value *child = convert(lua, lua_gettop(L), depth + 1, arena, why);
    lua_pop(L, 1);
    if (child == NULL) return NULL;
    ee_value_set(arena, object, keys[i], child);
  }
  return object;
}

static ee_value *convert_table(ee_lua *lua, int index, int depth, ee_arena *arena, const char **why) {
  lua_State *L = lua->L;
  if (depth > DEPTH_LIMIT || !lua_checkstack(L, 8)) {
    *why = "a table nested deeper than 100 (does it contain itself?)";
    return NULL;
  }
  size_t texts = 0, numbers = 0, length = lua_rawlen(L, index);
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) {
      texts++;
    } else if (lua_isinteger(L, -1) && lua_tointeger(L, -1) >= 1 && (lua_Unsigned)lua_tointeger(L, -1) <= length) {
      numbers++;
    } else {
      lua_pop(L, 1);
      *why = "a table with a key that is neither text nor a place in a list";
      return NULL;
    }
  }
  if (texts > 0 && numbers > 0) {
    *why = "a table that is list and object at once";
    return NULL;
  }
  if (numbers != length) {
    *why = "a list with holes";
    return NULL;
  }
  if (numbers > 0) return convert_list(lua, index, numbers, depth, arena, why);
  return convert_object(lua, index, texts, depth, arena, why);
}

/* A copy of a number that keeps integers past 2^53 exact. */
static ee_value *convert_integer(ee_arena *arena, lua_Integer integer) {
  ee_value *value = ee_value_new_number(arena, (double)integer);
  if (fabs((double)integer) > 0x1p53) {
    value->json.valuestring = ee_arena_printf(arena, "%lld", (long long)integer);
    value->length = (uint32_t)strlen(value->json.valuestring);
  }
  return value;
}

/* What `index` (absolute) means; a proxy's value is copied, so that it can stand in a new tree. */
static ee_value *convert(ee_lua *lua, int index, int depth, ee_arena *arena, const char **why) {
  lua_State *L = lua->L;
  size_t length;
  const char *text;
  proxy *self;
  switch (lua_type(L, index)) {
  case LUA_TBOOLEAN: return ee_value_new_bool(arena, lua_toboolean(L, index) != 0);
  case LUA_TNUMBER:
    if (lua_isinteger(L, index)) return convert_integer(arena, lua_tointeger(L, index));
    if (!isfinite(lua_tonumber(L, index))) {
      *why = "a number that is NaN or infinite";
      return NULL;
    }
    return ee_value_new_number(arena, lua_tonumber(L, index));
  case LUA_TSTRING:
    text = lua_tolstring(L, index, &length);
    if (ee_utf8_valid_prefix(text, length) != length) {
      *why = "a text that is no valid UTF-8";
      return NULL;
    }
    return ee_value_new_string(arena, (ee_str){text, length});
  case LUA_TTABLE: return convert_table(lua, index, depth, arena, why);
  case LUA_TUSERDATA:
    if (ee_lua_is_null(L, index)) return ee_value_new(arena, EE_NULL);
    self = to_proxy(L, index);
    if (self != NULL && self->generation == lua->generation) return ee_value_copy(arena, self->value);
    *why = self != NULL ? "a value of a case that has ended" : "a userdata";
    return NULL;
  case LUA_TFUNCTION: *why = "a function"; return NULL;
  case LUA_TNIL: *why = "nil"; return NULL;
  default: *why = "a value that JSON does not have"; return NULL;
  }
}

const ee_value *ee_lua_to_value(ee_lua *lua, int index, ee_arena *arena, const char **why) {
  *why = NULL;
  index = lua_absindex(lua->L, index);
  if (lua_isnil(lua->L, index)) return NULL;
  proxy *self = to_proxy(lua->L, index);
  if (self != NULL && self->generation == lua->generation) return self->value;
  if (!lua_checkstack(lua->L, 8)) {
    *why = "a value that is too large";
    return NULL;
  }
  return convert(lua, index, 0, arena, why);
}

/* ee.get and its kin ---------------------------------------------------------------------------------------------- */

/* Pushes the value at `path` below the value at `index` (a proxy or a plain table); nil where a step is missing. */
static void push_at_path(lua_State *L, int index, const ee_path *path) {
  ee_lua *lua = ee_lua_of(L);
  lua_pushvalue(L, index);
  for (size_t i = 0; i < path->count; i++) {
    proxy *self = to_proxy(L, -1);
    if (self != NULL) {
      const ee_value *found = ee_path_get_steps(path, i, path->count, live_value(L, self), lua->arena);
      lua_pop(L, 1);
      ee_lua_push_value(lua, found);
      return;
    }
    if (!lua_istable(L, -1)) {
      lua_pop(L, 1);
      lua_pushnil(L);
      return;
    }
    const ee_step *step = &path->steps[i];
    bool by_index = step->kind == EE_STEP_INDEX || (step->kind == EE_STEP_KEY_OR_INDEX && lua_rawlen(L, -1) > 0);
    if (by_index) {
      lua_rawgeti(L, -1, (lua_Integer)step->index + 1);
    } else {
      lua_pushlstring(L, step->key.data, step->key.length);
      lua_rawget(L, -2);
    }
    lua_remove(L, -2);
  }
}

static const ee_path *check_path(lua_State *L, int index) {
  size_t length;
  const char *text = luaL_checklstring(L, index, &length);
  ee_error error;
  const ee_path *path = ee_lua_scratch_path(L, (ee_str){text, length}, &error);
  if (path == NULL) luaL_error(L, "bad path '%s': %s", text, error.message);
  if (path->wildcards > 0) luaL_error(L, "path '%s' has a wildcard, which stands only in ee.fields", text);
  return path;
}

static int get(lua_State *L) {
  lua_settop(L, 3);
  push_at_path(L, 1, check_path(L, 2));
  if (lua_isnil(L, -1) || ee_lua_is_null(L, -1)) lua_pushvalue(L, 3);
  return 1;
}

static int iterate_nothing(lua_State *L) {
  (void)L;
  return 0;
}

/* Upvalues: the table, the last index. */
static int iterate_table(lua_State *L) {
  lua_Integer index = lua_tointeger(L, lua_upvalueindex(2)) + 1;
  lua_pushinteger(L, index);
  lua_copy(L, -1, lua_upvalueindex(2));
  return lua_rawgeti(L, lua_upvalueindex(1), index) == LUA_TNIL ? 0 : 2;
}

static int each(lua_State *L) {
  lua_settop(L, 2);
  if (lua_isnil(L, 2))
    lua_pushvalue(L, 1);
  else
    push_at_path(L, 1, check_path(L, 2));
  proxy *self = to_proxy(L, -1);
  if (self != NULL && ee_type_of(live_value(L, self)) == EE_ARRAY) {
    push_iterator(L, -1);
  } else if (lua_istable(L, -1)) {
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, iterate_table, 2);
  } else {
    lua_pushcfunction(L, iterate_nothing);
  }
  return 1;
}

static int is_empty(lua_State *L) {
  bool empty = lua_isnoneornil(L, 1) || ee_lua_is_null(L, 1);
  if (lua_type(L, 1) == LUA_TSTRING) {
    size_t length;
    const char *text = lua_tolstring(L, 1, &length);
    empty = ee_utf8_valid_prefix(text, length) == length && ee_str_is_blank((ee_str){text, length});
  }
  lua_pushboolean(L, empty);
  return 1;
}

/* Pushes plain tables with what `value` holds; the reader's nesting limit bounds the recursion. */
static void push_copy(ee_lua *lua, const ee_value *value) {
  lua_State *L = lua->L;
  ee_type type = ee_type_of(value);
  if (type != EE_ARRAY && type != EE_OBJECT) {
    ee_lua_push_value(lua, value);
    return;
  }
  luaL_checkstack(L, 4, "nested too deeply to be copied");
  lua_createtable(L, type == EE_ARRAY ? (int)value->length : 0, type == EE_OBJECT ? (int)value->length : 0);
  lua_Integer index = 0;
  for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at)) {
    if (type == EE_ARRAY) {
      push_copy(lua, at);
      lua_rawseti(L, -2, ++index);
    } else {
      lua_pushlstring(L, at->json.string, at->key_length);
      push_copy(lua, at);
      lua_rawset(L, -3);
    }
  }
}

static int copy(lua_State *L) {
  proxy *self = to_proxy(L, 1);
  lua_settop(L, 1);
  if (self != NULL) push_copy(ee_lua_of(L), live_value(L, self));
  return 1;
}

static int json(lua_State *L) {
  luaL_checkany(L, 1);
  ee_lua *lua = ee_lua_of(L);
  const char *why = NULL;
  const ee_value *value = ee_lua_to_value(lua, 1, ee_lua_scratch_arena(L), &why);
  if (value == NULL && why != NULL) return luaL_error(L, "no JSON for %s", why);
  ee_buffer *text = ee_lua_scratch_buffer(L);
  ee_json_write_value(text, value);
  lua_pushlstring(L, text->data, text->length);
  return 1;
}

/* ee.type: JSON's name of a value's type, "missing" for nil. */
static int type_of(lua_State *L) {
  proxy *self = to_proxy(L, 1);
  if (self != NULL)
    lua_pushstring(L, ee_type_name(live_value(L, self)));
  else if (lua_isnoneornil(L, 1))
    lua_pushliteral(L, "missing");
  else if (ee_lua_is_null(L, 1))
    lua_pushliteral(L, "null");
  else
    lua_pushstring(L, luaL_typename(L, 1));
  return 1;
}

void ee_lua_values_open(ee_lua *lua) {
  static const luaL_Reg methods[] = {
      {"__index", proxy_index}, {"__newindex", proxy_newindex}, {"__len", proxy_len}, {"__pairs", proxy_pairs},
      {"__eq", proxy_eq},       {"__tostring", proxy_tostring}, {NULL, NULL},
  };
  static const luaL_Reg functions[] = {
      {"get", get},   {"each", each}, {"is_empty", is_empty}, {"copy", copy},
      {"json", json}, {"type", type_of}, {NULL, NULL},
  };
  lua_State *L = lua->L;
  ee_lua_scratch_open(L);
  luaL_newmetatable(L, PROXY);
  luaL_setfuncs(L, methods, 0);
  lua_pushliteral(L, "value");
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);

  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, null_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pushliteral(L, "null");
  lua_setfield(L, -2, "__metatable");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &null_key);
  lua_setfield(L, -2, "null");
  luaL_setfuncs(L, functions, 0);
}
