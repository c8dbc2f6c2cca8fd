/* values.c: lazy proxies over documents, conversions, the value functions of `ee`, and working memory of a state. */
#include "lua/values.h"
#include "lua/ask.h"

#include <errno.h>
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/json/path.h"
#include "lua/sandbox.h"
#include "prim/number.h"

/* Working memory ------------------------------------------------------------------------------- */

#define KEPT_BYTES ((size_t)1 << 20)
#define PATH_LIMIT 1000

typedef struct scratch {
  ee_arena arena;
  ee_arena paths;
  ee_buffer buffer;
  size_t path_count;
} scratch;

/* Registry keys: the addresses of these. */
static const char scratch_key = 0, paths_key = 0;

static int collect(lua_State *L) {
  scratch *self = lua_touserdata(L, 1);
  ee_arena_fini(&self->arena);
  ee_arena_fini(&self->paths);
  ee_buffer_fini(&self->buffer);
  return 0;
}

static void open_scratch(lua_State *L) {
  scratch *self = lua_newuserdatauv(L, sizeof *self, 0);
  ee_arena_init(&self->arena, 0);
  ee_arena_init(&self->paths, 4096);
  ee_buffer_init(&self->buffer);
  self->path_count = 0;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, collect);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &scratch_key);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &paths_key);
}

static scratch *scratch_of(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &scratch_key);
  scratch *self = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return self;
}

ee_arena *ee_lua_scratch_arena(lua_State *L) {
  scratch *self = scratch_of(L);
  ee_arena_reset(&self->arena, KEPT_BYTES);
  return &self->arena;
}

ee_buffer *ee_lua_scratch_buffer(lua_State *L) {
  scratch *self = scratch_of(L);
  if (self->buffer.capacity > KEPT_BYTES) ee_buffer_fini(&self->buffer);
  ee_buffer_clear(&self->buffer);
  return &self->buffer;
}

/* Empties the cache of paths when it is too large, as when a rule composes paths. Replaces the table on top of the
 * stack. */
static void trim_paths(lua_State *L, scratch *self) {
  if (self->path_count < PATH_LIMIT && ee_arena_held(&self->paths) <= KEPT_BYTES) return;
  /* The new table comes first: if it does not fit into memory, the old one must be valid. */
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &paths_key);
  lua_replace(L, -2);
  ee_arena_reset(&self->paths, KEPT_BYTES);
  self->path_count = 0;
}

/* `text` parsed as a path, NULL with `error`. Cached by text, so that a path in a rule is parsed once a state. Valid
 * until the next call. */
static const ee_path *cached_path(lua_State *L, ee_str text, ee_error *error) {
  int top = lua_gettop(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &paths_key);
  lua_pushlstring(L, text.data, text.length);
  lua_rawget(L, -2);
  const ee_path *path = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (path == NULL) {
    scratch *self = scratch_of(L);
    trim_paths(L, self);
    ee_arena_mark mark = ee_arena_get_mark(&self->paths);
    path = ee_path_parse(&self->paths, text, error);
    if (path == NULL) {
      ee_arena_rewind(&self->paths, mark);
    } else {
      self->path_count++;
      lua_pushlstring(L, text.data, text.length);
      lua_pushlightuserdata(L, (void *)(uintptr_t)path);
      lua_rawset(L, -3);
    }
  }
  lua_settop(L, top);
  return path;
}

/* Values to Lua -------------------------------------------------------------------------------- */

#define DEPTH_LIMIT 100

/* A converted value may take this many times the state's memory limit. Because tables can be shared, a small state can
 * describe an enormous tree. */
#define SIZE_FACTOR 4

/* A full userdata. `cursor` is the last element that was read, so that walking an array by index is linear.
 *
 * A proxy that is read often gets a metatable of its own, whose __index is a table with the members or elements (user
 * value 1): Lua then reads them without entering C. No rule can reach that table or the metatable. When the case ends,
 * all these proxies get the common metatable back, whose functions raise an error. */
typedef struct proxy {
  const char *magic; /* &proxy_magic: what tells proxies from other userdata */
  const ee_value *value;
  uint64_t generation;
  const ee_value *cursor;
  size_t cursor_index;
  const ee_lua_view *view; /* of an object; NULL: it has its members and nothing else */
  unsigned reads;
  bool is_fast;
} proxy;

static const char proxy_magic = 0;

/* A proxy becomes fast with this many reads, if it is an array or an object of at most this many members. */
enum { READS_BEFORE = 10, MEMBERS_MAX = 32 };
/* Bytes of a fast proxy besides its members, and of one of these; together they have a part of the state's memory. */
enum { FAST_BYTES = 800, MEMBER_BYTES = 120, FAST_PART = 4 };

/* Registry keys of ee.null, of the metatables of proxies and of ee.array, and of the list of fast proxies: their
 * addresses. */
static const char null_key = 0, proxy_key = 0, array_key = 0, fast_key = 0;

/* Whether the value at `index` has the metatable under a key of the registry. */
static bool has_metatable(lua_State *L, int index, const char *key) {
  if (!lua_getmetatable(L, index)) return false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  bool same = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return same;
}

static proxy *to_proxy(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || lua_rawlen(L, index) != sizeof(proxy)) return NULL;
  proxy *self = lua_touserdata(L, index);
  return self->magic == &proxy_magic ? self : NULL;
}

/* The value of the proxy; raises an error after its case has ended. */
static const ee_value *live_value(lua_State *L, const proxy *self) {
  if (self->generation != ee_lua_of(L)->generation)
    luaL_error(L, "this value belongs to a case that has ended (copy it with ee.copy, or do not keep it)");
  return self->value;
}

static void push_proxy(ee_lua *lua, const ee_value *value, const ee_lua_view *view) {
  proxy *self = lua_newuserdatauv(lua->L, sizeof *self, 1);
  *self = (proxy){.magic = &proxy_magic, .value = value, .generation = lua->generation, .view = view};
  lua_rawgetp(lua->L, LUA_REGISTRYINDEX, &proxy_key);
  lua_setmetatable(lua->L, -2);
}

/* Whole numbers that fit become integers. Past 2^53 they are read from the decimal text, because a double may not be
 * exact: 2^53 + 1 arrives as it is. */
static void push_number(lua_State *L, const ee_value *value) {
  double number = ee_value_number(value);
  if (value->length == 0 && fabs(number) <= 0x1p53) {
    if (number == floor(number))
      lua_pushinteger(L, (lua_Integer)number);
    else
      lua_pushnumber(L, number);
    return;
  }
  char shortest[32], digits[24];
  ee_str text = ee_value_number_text(value, shortest);
  if (text.length < sizeof digits) {
    memcpy(digits, text.data, text.length);
    digits[text.length] = '\0';
    errno = 0;
    long long integer = strtoll(digits, NULL, 10);
    if (errno == 0 && digits[strspn(digits, "-0123456789")] == '\0') {
      lua_pushinteger(L, integer);
      return;
    }
  }
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
  case EE_OBJECT: push_proxy(lua, value, NULL); break;
  }
}

void ee_lua_push_view(ee_lua *lua, const ee_value *object, const ee_lua_view *view) { push_proxy(lua, object, view); }

/* Pushes a member of the object or element of the array `self`. */
static void push_child(ee_lua *lua, const proxy *self, const ee_value *child) {
  if (child != NULL && self->view != NULL && self->view->push_member != NULL)
    self->view->push_member(lua, child);
  else
    ee_lua_push_value(lua, child);
}

bool ee_lua_is_null(lua_State *L, int index) {
  index = lua_absindex(L, index);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &null_key);
  bool is_null = lua_rawequal(L, index, -1);
  lua_pop(L, 1);
  return is_null;
}

/* The element at `index` (from 0), from the cursor or the nearer end. */
static const ee_value *element_at(proxy *self, size_t index) {
  size_t count = ee_value_count(self->value);
  if (index >= count) return NULL;
  const ee_value *at = self->cursor;
  size_t position = self->cursor_index;
  size_t distance = position < index ? index - position : position - index;
  if (at == NULL || distance > index || distance > count - 1 - index) {
    at = ee_value_child(self->value);
    position = 0;
    if (index > count / 2) {
      at = (const ee_value *)at->json.prev; /* the first child's prev is the last child */
      position = count - 1;
    }
  }
  for (; position < index; position++) at = ee_value_next(at);
  for (; position > index; position--) at = (const ee_value *)at->json.prev;
  self->cursor = at;
  self->cursor_index = index;
  return at;
}

static int proxy_index(lua_State *L);
static const luaL_Reg proxy_methods[7];

/* Whether the state may spend so much on fast proxies. */
static bool take_fast(ee_lua *lua, size_t bytes) {
  if (bytes > lua->limits.memory / FAST_PART - lua->fast_bytes) return false;
  lua->fast_bytes += bytes;
  return true;
}

/* __index of the table of elements: adds the one that is missing. Upvalue 1: the proxy. */
static int missing_element(lua_State *L) {
  proxy *self = lua_touserdata(L, lua_upvalueindex(1));
  live_value(L, self);
  ee_lua *lua = ee_lua_of(L);
  lua_Integer index = lua_type(L, 2) == LUA_TNUMBER ? lua_tointeger(L, 2) : 0;
  const ee_value *found = index >= 1 ? element_at(self, (size_t)index - 1) : NULL;
  ee_lua_push_value(lua, found);
  if (found != NULL && take_fast(lua, MEMBER_BYTES)) {
    lua_pushvalue(L, -1);
    lua_rawseti(L, 1, index);
  }
  return 1;
}

/* Pushes the table that a fast proxy at `index` reads. */
static void push_content(lua_State *L, int index, const proxy *self) {
  ee_lua *lua = ee_lua_of(L);
  const ee_value *value = self->value;
  if (ee_type_of(value) == EE_ARRAY) {
    lua_newtable(L);
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, index);
    lua_pushcclosure(L, missing_element, 1);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    return;
  }
  lua_createtable(L, 0, (int)ee_value_count(value));
  for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at)) {
    lua_pushlstring(L, at->json.string, at->key_length);
    ee_lua_push_value(lua, at);
    lua_rawset(L, -3);
  }
}

/* Makes the proxy at `index` a fast one. */
static void make_fast(lua_State *L, int index, proxy *self) {
  ee_lua *lua = ee_lua_of(L);
  bool is_array = ee_type_of(self->value) == EE_ARRAY;
  size_t members = is_array ? 0 : ee_value_count(self->value);
  if (self->view != NULL || members > MEMBERS_MAX || !take_fast(lua, FAST_BYTES + members * MEMBER_BYTES)) return;
  luaL_checkstack(L, 8, NULL);
  lua_createtable(L, 0, 8);
  luaL_setfuncs(L, proxy_methods, 0);
  lua_pushliteral(L, "value");
  lua_setfield(L, -2, "__metatable");
  lua_pushliteral(L, "ee.value");
  lua_setfield(L, -2, "__name");
  push_content(L, index, self);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, index, 1);
  lua_setfield(L, -2, "__index");
  /* On the list before it is fast: what raises an error leaves it as it was. */
  lua_rawgetp(L, LUA_REGISTRYINDEX, &fast_key);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, (lua_Integer)lua->fast_count + 1);
  lua_pop(L, 1);
  lua_setmetatable(L, index);
  lua->fast_count++;
  self->is_fast = true;
}

void ee_lua_values_end(ee_lua *lua) {
  lua_State *L = lua->L;
  if (lua->fast_count > 0) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &fast_key);
    lua_rawgetp(L, LUA_REGISTRYINDEX, &proxy_key);
    for (; lua->fast_count > 0; lua->fast_count--) {
      lua_rawgeti(L, -2, (lua_Integer)lua->fast_count);
      lua_pushvalue(L, -2);
      lua_setmetatable(L, -2);
      lua_pop(L, 1);
      lua_pushnil(L); /* of a field that is there: takes no memory */
      lua_rawseti(L, -3, (lua_Integer)lua->fast_count);
    }
    lua_pop(L, 2);
  }
  lua->fast_bytes = lua->parsed = 0;
  lua->generation++;
}

/* Metamethods get a proxy as the first argument: nothing else has this metatable, and no rule can read it
 * (__metatable). This is where loops over documents spend their time. */

static int proxy_index(lua_State *L) {
  proxy *self = lua_touserdata(L, 1);
  if (++self->reads == READS_BEFORE && self->generation == ee_lua_of(L)->generation) make_fast(L, 1, self);
  const ee_value *value = live_value(L, self), *found = NULL;
  ee_lua *lua = ee_lua_of(L);
  if (ee_type_of(value) == EE_OBJECT && lua_type(L, 2) == LUA_TSTRING) {
    size_t length;
    const char *key = lua_tolstring(L, 2, &length);
    found = ee_value_member(value, (ee_str){key, length}, lua->arena);
    if (found == NULL && self->view != NULL && self->view->push_missing != NULL) {
      self->view->push_missing(lua, value, (ee_str){key, length});
      return 1;
    }
  } else if (ee_type_of(value) == EE_ARRAY && lua_type(L, 2) == LUA_TNUMBER) {
    lua_Integer index = lua_tointeger(L, 2); /* 0 for a number that is not whole */
    if (index >= 1) found = element_at(self, (size_t)index - 1);
  }
  push_child(lua, self, found);
  return 1;
}

static int proxy_newindex(lua_State *L) {
  return luaL_error(L, "a document cannot be changed (ee.copy gives a table that can)");
}

static int proxy_len(lua_State *L) {
  const ee_value *value = live_value(L, lua_touserdata(L, 1));
  if (ee_type_of(value) != EE_ARRAY) return luaL_error(L, "an object has no length (only an array has)");
  lua_pushinteger(L, ee_value_count(value));
  return 1;
}

/* A loop over the children of a proxy. */
typedef struct walk {
  const proxy *of;
  const ee_value *next;
  lua_Integer index; /* of the next one in an array; 0: an object */
} walk;

/* Pushes the element of the walk, from the table of a fast array if it is one; there it is added where it is missing,
 * so that elements which are read again become fast, too. */
static void push_element(lua_State *L, const walk *self, const ee_value *at) {
  ee_lua *lua = ee_lua_of(L);
  bool is_container = ee_type_of(at) >= EE_ARRAY;
  if (!self->of->is_fast || !is_container) {
    push_child(lua, self->of, at);
    return;
  }
  lua_getiuservalue(L, lua_upvalueindex(2), 1);
  if (lua_rawgeti(L, -1, self->index) == LUA_TNIL) {
    lua_pop(L, 1);
    push_child(lua, self->of, at);
    if (take_fast(lua, MEMBER_BYTES)) {
      lua_pushvalue(L, -1);
      lua_rawseti(L, -3, self->index);
    }
  }
  lua_remove(L, -2);
}

/* Upvalues: the walk, its proxy (which it keeps alive). */
static int iterate(lua_State *L) {
  walk *self = lua_touserdata(L, lua_upvalueindex(1));
  live_value(L, self->of);
  const ee_value *at = self->next;
  if (at == NULL) return 0;
  self->next = ee_value_next(at);
  if (self->index > 0) {
    lua_pushinteger(L, self->index);
    push_element(L, self, at);
    self->index++;
  } else {
    lua_pushlstring(L, at->json.string, at->key_length);
    push_child(ee_lua_of(L), self->of, at);
  }
  return 2;
}

/* Pushes an iterator over the proxy at `index`. */
static void push_iterator(lua_State *L, int index) {
  index = lua_absindex(L, index);
  proxy *of = lua_touserdata(L, index);
  const ee_value *value = live_value(L, of);
  if (ee_type_of(value) == EE_ARRAY && ++of->reads >= 2 && !of->is_fast) make_fast(L, index, of);
  walk *self = lua_newuserdatauv(L, sizeof *self, 0);
  *self = (walk){of, ee_value_child(value), ee_type_of(value) == EE_ARRAY ? 1 : 0};
  lua_pushvalue(L, index);
  lua_pushcclosure(L, iterate, 2);
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

static const luaL_Reg proxy_methods[] = {
    {"__index", proxy_index}, {"__newindex", proxy_newindex}, {"__len", proxy_len}, {"__pairs", proxy_pairs},
    {"__eq", proxy_eq},       {"__tostring", proxy_tostring}, {NULL, NULL},
};

/* Lua to values -------------------------------------------------------------------------------- */

/* The current conversion. */
typedef struct conversion {
  ee_lua *lua;
  ee_arena *arena;
  const char *why; /* set when a value cannot be converted */
  size_t room;     /* bytes that the tree may still take */
  int depth;
} conversion;

#define TOO_DEEP "a table nested deeper than 100 (does it contain itself?)"

static ee_value *convert(conversion *self, int index);

static ee_value *refuse(conversion *self, const char *why) {
  self->why = why;
  return NULL;
}

/* Counts a value with `extra` bytes of text; false with the reason when the limit is exceeded. */
static bool take_room(conversion *self, size_t extra) {
  size_t size = sizeof(ee_value) + extra;
  if (self->room < size) {
    self->why = "a value that is too large";
    return false;
  }
  self->room -= size;
  return true;
}

static int levels_of(const ee_value *value) { return ee_type_of(value) >= EE_ARRAY ? ee_value_levels(value) : 0; }

/* Counts the level of a child, because a result of one call can be nested again by the next, without end. */
static bool take_level(conversion *self, ee_value *container, const ee_value *child) {
  if (levels_of(child) >= DEPTH_LIMIT) {
    self->why = TOO_DEEP;
    return false;
  }
  if (levels_of(child) >= ee_value_levels(container)) ee_value_set_levels(container, levels_of(child) + 1);
  return true;
}

/* A table with the keys 1..count. */
static ee_value *convert_list(conversion *self, int index, size_t count) {
  lua_State *L = self->lua->L;
  ee_value *array = ee_value_new(self->arena, EE_ARRAY);
  ee_value_set_levels(array, 1);
  for (size_t i = 1; i <= count; i++) {
    lua_rawgeti(L, index, (lua_Integer)i);
    ee_value *child = convert(self, lua_gettop(L));
    lua_pop(L, 1);
    if (child == NULL || !take_level(self, array, child)) return NULL;
    ee_value_append(array, child);
  }
  return array;
}

static int compare_keys(const void *a, const void *b) { return ee_str_compare(*(const ee_str *)a, *(const ee_str *)b); }

/* A table with `count` keys, all of them strings. */
static ee_value *convert_object(conversion *self, int index, size_t count) {
  lua_State *L = self->lua->L;
  ee_str *keys = EE_NEW_ARRAY(self->arena, ee_str, count + 1);
  size_t found = 0;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    keys[found].data = lua_tolstring(L, -2, &keys[found].length);
    found++;
  }
  qsort(keys, found, sizeof *keys, compare_keys);
  ee_value *object = ee_value_new(self->arena, EE_OBJECT);
  ee_value_set_levels(object, 1);
  for (size_t i = 0; i < found; i++) {
    if (ee_utf8_valid_prefix(keys[i].data, keys[i].length) != keys[i].length)
      return refuse(self, "a key that is not valid UTF-8");
    if (!take_room(self, keys[i].length)) return NULL;
    lua_pushlstring(L, keys[i].data, keys[i].length);
    lua_rawget(L, index);
    ee_value *child = convert(self, lua_gettop(L));
    lua_pop(L, 1);
    if (child == NULL || !take_level(self, object, child)) return NULL;
    ee_value_set(self->arena, object, keys[i], child);
  }
  return object;
}

static ee_value *convert_plain_table(conversion *self, int index) {
  lua_State *L = self->lua->L;
  bool is_array = has_metatable(L, index, &array_key);
  size_t texts = 0, places = 0, length = lua_rawlen(L, index);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) {
      texts++;
    } else if (lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1) {
      places++;
    } else {
      lua_pop(L, 2);
      return refuse(self, "a table with a key that is neither a string nor an index of a list");
    }
  }
  if (texts > 0 && (places > 0 || is_array)) return refuse(self, "a table that is both a list and an object");
  if (places != length) return refuse(self, "a list with holes");
  self->depth++;
  ee_value *value = places > 0 || is_array ? convert_list(self, index, places) : convert_object(self, index, texts);
  self->depth--;
  return value;
}

static ee_value *convert_table(conversion *self, int index) {
  lua_State *L = self->lua->L;
  if (self->depth >= DEPTH_LIMIT || !lua_checkstack(L, 10)) return refuse(self, TOO_DEEP);
  lua_pushvalue(L, index);
  ee_lua_thaw(L);
  ee_value *value = convert_plain_table(self, lua_gettop(L));
  lua_pop(L, 1);
  return value;
}

/* Integers past 2^53 keep their digits. */
static ee_value *convert_integer(ee_arena *arena, lua_Integer integer) {
  ee_value *value = ee_value_new_number(arena, (double)integer);
  if (integer > (lua_Integer)1 << 53 || integer < -((lua_Integer)1 << 53)) {
    value->json.valuestring = ee_arena_printf(arena, "%lld", (long long)integer);
    value->length = (uint32_t)strlen(value->json.valuestring);
  }
  return value;
}

static ee_value *convert_text(conversion *self, int index) {
  size_t length;
  const char *text = lua_tolstring(self->lua->L, index, &length);
  if (ee_utf8_valid_prefix(text, length) != length) return refuse(self, "a string that is not valid UTF-8");
  if (!take_room(self, length)) return NULL;
  return ee_value_new_string(self->arena, (ee_str){text, length});
}

/* A new node for a document's value, so that it can be in another tree, too. Its children are shared. */
static ee_value *share_value(conversion *self, const ee_value *value) {
  ee_value *node = EE_NEW(self->arena, ee_value);
  *node = *value;
  node->json.next = node->json.prev = NULL;
  node->json.string = NULL;
  node->key_length = 0;
  node->key_hash = 0;
  return node;
}

static ee_value *convert_userdata(conversion *self, int index) {
  lua_State *L = self->lua->L;
  if (ee_lua_is_null(L, index)) return ee_value_new(self->arena, EE_NULL);
  const proxy *other = to_proxy(L, index);
  if (other == NULL) return refuse(self, "a userdata");
  if (other->generation != self->lua->generation) return refuse(self, "a value of a case that has ended");
  return share_value(self, other->value);
}

/* Converts the value at `index` (absolute). */
static ee_value *convert(conversion *self, int index) {
  lua_State *L = self->lua->L;
  if (!take_room(self, 0)) return NULL;
  switch (lua_type(L, index)) {
  case LUA_TBOOLEAN: return ee_value_new_bool(self->arena, lua_toboolean(L, index) != 0);
  case LUA_TNUMBER:
    if (lua_isinteger(L, index)) return convert_integer(self->arena, lua_tointeger(L, index));
    if (!isfinite(lua_tonumber(L, index))) return refuse(self, "a number that is NaN or infinite");
    return ee_value_new_number(self->arena, lua_tonumber(L, index));
  case LUA_TSTRING: return convert_text(self, index);
  case LUA_TTABLE: return convert_table(self, index);
  case LUA_TUSERDATA: return convert_userdata(self, index);
  case LUA_TFUNCTION: return refuse(self, "a function");
  case LUA_TNIL: return refuse(self, "nil");
  default: return refuse(self, "a value that JSON does not have");
  }
}

const ee_value *ee_lua_to_value(ee_lua *lua, int index, ee_arena *arena, const char **why) {
  *why = NULL;
  index = lua_absindex(lua->L, index);
  if (lua_isnoneornil(lua->L, index)) return NULL;
  luaL_checkstack(lua->L, 8, NULL);
  const proxy *self = to_proxy(lua->L, index);
  if (self != NULL && self->generation == lua->generation) return self->value;
  conversion task = {.lua = lua, .arena = arena, .room = SIZE_FACTOR * lua->limits.memory};
  const ee_value *value = convert(&task, index);
  *why = task.why;
  return value;
}

const char *ee_lua_describe(ee_lua *lua, int index) {
  lua_State *L = lua->L;
  const char *why;
  switch (lua_type(L, index)) {
  case LUA_TNONE:
  case LUA_TNIL: return "nothing";
  case LUA_TBOOLEAN: return "a boolean";
  case LUA_TNUMBER: return "a number";
  case LUA_TSTRING: return "a string";
  case LUA_TTABLE: return "a table";
  case LUA_TFUNCTION: return "a function";
  default: break;
  }
  if (ee_lua_is_null(L, index)) return "ee.null";
  switch (ee_type_of(ee_lua_to_value(lua, index, lua->arena, &why))) {
  case EE_ARRAY: return "an array";
  case EE_OBJECT: return "an object";
  default: return "a userdata";
  }
}

/* Functions of `ee` ---------------------------------------------------------------------------- */

/* Replaces the container and the key on top of the stack by the container's field, or nil. Does not run Lua code:
 * tables are read raw, following __index only to tables (as frozen ones have it), and the __index of userdata is C. */
static void read_field(lua_State *L) {
  int key = lua_gettop(L), container = key - 1;
  bool found = false;
  if (lua_type(L, container) == LUA_TUSERDATA && luaL_getmetafield(L, container, "__index") != LUA_TNIL) {
    lua_pushvalue(L, key);
    lua_gettable(L, container);
    found = true;
  }
  for (int hops = 0; hops < 4 && !found && lua_istable(L, container); hops++) {
    lua_pushvalue(L, key);
    found = lua_rawget(L, container) != LUA_TNIL;
    if (found) break;
    lua_pop(L, 1);
    if (luaL_getmetafield(L, container, "__index") == LUA_TNIL) break;
    lua_replace(L, container);
  }
  if (!found) lua_pushnil(L);
  lua_replace(L, container);
  lua_settop(L, container);
}

/* Pushes the value at `path` below the value at `index` (a document's value or a table); nil when a step is missing.
 * `as_array`: of a query an array, even if it finds one value. */
static void push_at_path(lua_State *L, int index, const ee_path *path, bool as_array) {
  ee_lua *lua = ee_lua_of(L);
  lua_pushvalue(L, index);
  if (path->query != NULL) {
    const proxy *document = to_proxy(L, -1);
    if (document == NULL && lua_istable(L, -1))
      luaL_error(L, "a JSONPath query needs a value of a document, got a table");
    const ee_value *value = document != NULL ? live_value(L, document) : NULL;
    lua_pop(L, 1);
    ee_lua_push_value(lua, (as_array ? ee_path_get_array : ee_path_get)(path, value, lua->arena));
    return;
  }
  for (size_t i = 0; i < path->count; i++) {
    const proxy *self = to_proxy(L, -1);
    if (self != NULL) {
      const ee_value *found = ee_path_get_steps(path, i, path->count, live_value(L, self), lua->arena);
      lua_pop(L, 1);
      ee_lua_push_value(lua, found);
      return;
    }
    const ee_step *step = &path->steps[i];
    ee_lua_thaw(L);
    bool is_list = lua_istable(L, -1) && lua_rawlen(L, -1) > 0;
    if (step->kind == EE_STEP_INDEX || (step->kind == EE_STEP_KEY_OR_INDEX && is_list))
      lua_pushinteger(L, (lua_Integer)step->index + 1);
    else
      lua_pushlstring(L, step->key.data, step->key.length);
    read_field(L);
  }
}

static const ee_path *check_path(lua_State *L, int index) {
  size_t length;
  const char *text = luaL_checklstring(L, index, &length);
  ee_error error;
  const ee_path *path = cached_path(L, (ee_str){text, length}, &error);
  if (path == NULL) luaL_error(L, "%s", error.message);
  if (path->wildcards > 0 && path->query == NULL)
    luaL_error(L, "path '%s' has a wildcard, which only ee.fields accepts", text);
  return path;
}

static int get(lua_State *L) {
  lua_settop(L, 3);
  push_at_path(L, 1, check_path(L, 2), false);
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
  return lua_rawgeti(L, lua_upvalueindex(1), index) == LUA_TNIL ? 0 : 2; /* raw: does not run Lua code */
}

static int each(lua_State *L) {
  lua_settop(L, 2);
  if (lua_isnil(L, 2))
    lua_pushvalue(L, 1);
  else
    push_at_path(L, 1, check_path(L, 2), true);
  proxy *self = to_proxy(L, -1);
  if (self != NULL && ee_type_of(live_value(L, self)) == EE_ARRAY) {
    push_iterator(L, -1);
  } else if (lua_istable(L, -1)) {
    ee_lua_thaw(L);
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

/* The reader's nesting limit bounds the recursion. */
void ee_lua_push_copy(ee_lua *lua, const ee_value *value) {
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
      ee_lua_push_copy(lua, at);
      lua_rawseti(L, -2, ++index);
    } else {
      lua_pushlstring(L, at->json.string, at->key_length);
      ee_lua_push_copy(lua, at);
      lua_rawset(L, -3);
    }
  }
}

/* Replaces the value on top of the stack by a copy; tables and values of documents become tables without metatable. */
static void copy_top(lua_State *L, int depth) {
  const proxy *self = to_proxy(L, -1);
  if (self != NULL) {
    const ee_value *value = live_value(L, self);
    lua_pop(L, 1);
    ee_lua_push_copy(ee_lua_of(L), value);
    return;
  }
  if (!lua_istable(L, -1)) return;
  if (depth > DEPTH_LIMIT)
    luaL_error(L, "ee.copy: a table nested deeper than %d (does it contain itself?)", DEPTH_LIMIT);
  luaL_checkstack(L, 8, "nested too deeply to be copied");
  ee_lua_thaw(L);
  int source = lua_gettop(L);
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, source) != 0;) {
    copy_top(L, depth + 1);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, source + 1);
  }
  lua_replace(L, source);
}

static int copy(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  copy_top(L, 1);
  return 1;
}

static int json(lua_State *L) {
  luaL_checkany(L, 1);
  ee_lua *lua = ee_lua_of(L);
  const char *why = NULL;
  const ee_value *value = ee_lua_to_value(lua, 1, ee_lua_scratch_arena(L), &why);
  if (value == NULL && why != NULL) return luaL_error(L, "cannot be written as JSON: %s", why);
  ee_buffer *text = ee_lua_scratch_buffer(L);
  ee_json_write_value(text, value);
  lua_pushlstring(L, text->data, text->length);
  return 1;
}

/* The value that ee.source is about: of a document the value itself, which knows how its numbers are written. */
static const ee_value *source_value(lua_State *L, ee_arena *arena, const char **why) {
  const proxy *self = to_proxy(L, 1);
  if (self == NULL || lua_isnil(L, 2)) {
    if (lua_isnil(L, 2))
      lua_pushvalue(L, 1);
    else
      push_at_path(L, 1, check_path(L, 2), false);
    return ee_lua_to_value(ee_lua_of(L), -1, arena, why);
  }
  const ee_value *value = live_value(L, self);
  if (lua_type(L, 2) != LUA_TNUMBER) {
    const ee_path *path = check_path(L, 2);
    return ee_path_get(path, value, ee_lua_of(L)->arena);
  }
  lua_Integer index = luaL_checkinteger(L, 2);
  bool is_element = ee_type_of(value) == EE_ARRAY && index >= 1 && index <= (lua_Integer)ee_value_count(value);
  return is_element ? ee_value_element(value, (size_t)index - 1) : NULL;
}

void ee_lua_write_source(ee_buffer *out, const ee_value *value) {
  ee_type type = ee_type_of(value);
  if (type == EE_NUMBER) {
    char shortest[32];
    ee_buffer_add_str(out, ee_value_written_number(value, shortest));
  } else if (type < EE_ARRAY) {
    ee_json_write_value(out, value);
  } else {
    const char *mark = type == EE_ARRAY ? "[" : "{";
    for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at), mark = ",") {
      ee_buffer_add_text(out, mark);
      if (type == EE_OBJECT) {
        ee_json_write_string(out, ee_value_key(at));
        ee_buffer_add_char(out, ':');
      }
      ee_lua_write_source(out, at);
    }
    if (ee_value_child(value) == NULL) ee_buffer_add_text(out, mark);
    ee_buffer_add_char(out, type == EE_ARRAY ? ']' : '}');
  }
}

/* source(value [, path or index]) -> string or nil */
static int source(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 2);
  const char *why = NULL;
  const ee_value *value = source_value(L, ee_lua_scratch_arena(L), &why);
  if (why != NULL) return luaL_error(L, "cannot be written as JSON: %s", why);
  if (value == NULL) {
    lua_pushnil(L);
    return 1;
  }
  ee_buffer *text = ee_lua_scratch_buffer(L);
  ee_lua_write_source(text, value);
  lua_pushlstring(L, text->data, text->length);
  return 1;
}

/* Values that one text may have: as much memory as a state may hold. */
static size_t parse_limit(const ee_lua *lua) { return lua->limits.memory / sizeof(ee_value); }

/* What a byte of text and a value cost in units of work (base/work.h). */
enum { PARSE_BYTES_A_UNIT = 4, PARSE_FIXED_WORK = 100 };

/* The values of a document. Recursion is bounded by the reader's nesting limit. */
static size_t count_values(const ee_value *value) {
  size_t count = 1;
  if (ee_type_of(value) < EE_ARRAY) return count;
  for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at)) count += count_values(at);
  return count;
}

/* parse(text) -> value; or nil, why. Within a case it is a value of the case, otherwise plain tables. */
static int parse(lua_State *L) {
  size_t length;
  const char *data = luaL_checklstring(L, 1, &length);
  ee_lua *lua = ee_lua_of(L);
  ee_error error = {0};
  ee_work(PARSE_FIXED_WORK + length / PARSE_BYTES_A_UNIT);
  /* Values of a case stay until it ends. */
  size_t left = parse_limit(lua) - lua->parsed;
  if (length / 2 >= left && ee_json_has_more_values_than((ee_str){data, length}, left)) {
    lua_pushnil(L);
    lua_pushliteral(L, "too many values: a case may parse as many as fit into the memory of the rule's state");
    return 2;
  }
  bool in_case = lua->arena != NULL;
  ee_arena *arena = in_case ? lua->arena : ee_lua_scratch_arena(L);
  const ee_value *value = ee_json_read(arena, (ee_str){data, length}, NULL, &error);
  if (value == NULL) {
    lua_pushnil(L);
    if (error.line > 0)
      lua_pushfstring(L, "%s at line %d column %d", error.message, (int)error.line, (int)error.column);
    else
      lua_pushstring(L, error.message);
    return 2;
  }
  value = ee_value_nfc(arena, value); /* as documents are */
  size_t used = count_values(value) + length / sizeof(ee_value);
  if (in_case) lua->parsed += used < left ? used : left;
  if (in_case)
    ee_lua_push_value(lua, value);
  else
    ee_lua_push_copy(lua, value);
  return 1;
}

/* array(...) -> a table that is an array, also without elements */
static int array(lua_State *L) {
  int count = lua_gettop(L);
  lua_createtable(L, count, 0);
  lua_insert(L, 1);
  for (int i = count; i >= 1; i--) lua_rawseti(L, 1, i);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &array_key);
  lua_setmetatable(L, 1);
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
  else if (has_metatable(L, 1, &array_key))
    lua_pushliteral(L, "array");
  else
    lua_pushstring(L, luaL_typename(L, 1));
  return 1;
}

void ee_lua_values_open(ee_lua *lua) {
  static const luaL_Reg functions[] = {
      {"get", get},      {"each", each},     {"is_empty", is_empty}, {"copy", copy},   {"json", json},
      {"type", type_of}, {"source", source}, {"parse", parse},       {"array", array}, {NULL, NULL},
  };
  lua_State *L = lua->L;
  open_scratch(L);
  lua_newtable(L);
  luaL_setfuncs(L, proxy_methods, 0);
  lua_pushliteral(L, "value");
  lua_setfield(L, -2, "__metatable");
  lua_pushliteral(L, "ee.value");
  lua_setfield(L, -2, "__name");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &proxy_key);

  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &fast_key);

  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "array");
  lua_setfield(L, -2, "__metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &array_key);

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
  ee_lua_ask_open(L);
}
