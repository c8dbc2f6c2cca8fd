/* plain_text.c: one letter for the kind, then the value.
 *
 *   t f z            true, false, ee.null
 *   i-12;            an integer
 *   d3ff8...         a float: its 64 bits as 16 hexadecimal digits
 *   s5:hello         a string of 5 bytes; x5:... the same in hexadecimal digits, if it is not UTF-8
 *   {2:...}          a table: the values of the keys 1 to 2, then the other keys, each with its value, sorted as texts
 */
#include "lua/plain_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "lua/sandbox.h"
#include "lua/values.h"
#include "prim/sort.h"

#define DEPTH_LIMIT 100
#define SIZE_FACTOR 4
#define STACK_NEEDED 10

static const char hex_digits[] = "0123456789abcdef";

/* Writing -------------------------------------------------------------------------------------- */

typedef struct writer {
  ee_lua *lua;
  ee_buffer *out;
  size_t limit; /* of out->length */
  int depth;
  const char *why;
} writer;

static bool write_value(writer *self, int index);

static bool refuse(writer *self, const char *why) {
  self->why = why;
  return false;
}

static void write_text(writer *self, int index) {
  ee_str text;
  text.data = lua_tolstring(self->lua->L, index, &text.length);
  bool is_utf8 = ee_utf8_valid_prefix(text.data, text.length) == text.length;
  ee_buffer_addf(self->out, "%c%zu:", is_utf8 ? 's' : 'x', text.length);
  if (is_utf8) {
    ee_buffer_add_str(self->out, text);
    return;
  }
  char *to = ee_buffer_reserve(self->out, 2 * text.length);
  for (size_t i = 0; i < text.length; i++) {
    *to++ = hex_digits[(unsigned char)text.data[i] >> 4];
    *to++ = hex_digits[(unsigned char)text.data[i] & 15];
  }
  self->out->length += 2 * text.length;
}

static void write_number(writer *self, int index) {
  lua_State *L = self->lua->L;
  if (lua_isinteger(L, index)) {
    ee_buffer_addf(self->out, "i%lld;", (long long)lua_tointeger(L, index));
    return;
  }
  double value = lua_tonumber(L, index);
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  ee_buffer_addf(self->out, "d%016" PRIx64, bits);
}

/* A key and its value, as written. */
typedef struct entry {
  const char *text;
  size_t key_length, length;
} entry;

static bool entries_before(const entry *a, const entry *b) {
  return ee_str_compare((ee_str){a->text, a->key_length}, (ee_str){b->text, b->key_length}) < 0;
}
EE_DEFINE_SORT(sort_entries, entry, entries_before)

/* Whether the key on top but one is one of 1 to `length`. */
static bool is_listed(lua_State *L, lua_Integer length) {
  return lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1 && lua_tointeger(L, -2) <= length;
}

/* Writes the keys beyond 1 to `length`, sorted: in the order of lua_next() first, then each at its place. */
static bool write_entries(writer *self, int index, lua_Integer length) {
  lua_State *L = self->lua->L;
  ee_arena *arena = self->lua->arena;
  ee_buffer *out = self->out;
  size_t count = 0, start = out->length, at = 0;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) count += !is_listed(L, length);
  entry *entries = EE_NEW_ARRAY(arena, entry, count + 1);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (is_listed(L, length)) continue;
    size_t from = out->length;
    if (!write_value(self, lua_gettop(L) - 1)) return false;
    entries[at].key_length = out->length - from;
    if (!write_value(self, lua_gettop(L))) return false;
    entries[at++].length = out->length - from;
  }
  const char *copy = ee_arena_copy(arena, out->length > start ? out->data + start : "", out->length - start);
  for (size_t i = 0; i < count; copy += entries[i++].length) entries[i].text = copy;
  sort_entries(entries, count, arena);
  out->length = start;
  for (size_t i = 0; i < count; i++) ee_buffer_add(out, entries[i].text, entries[i].length);
  return true;
}

static bool write_table(writer *self, int index) {
  lua_State *L = self->lua->L;
  if (self->depth >= DEPTH_LIMIT || !lua_checkstack(L, STACK_NEEDED))
    return refuse(self, "a table nested deeper than 100 (does it contain itself?)");
  lua_pushvalue(L, index);
  ee_lua_thaw(L);
  int table = lua_gettop(L);
  if (lua_getmetatable(L, table)) return refuse(self, "a table with a metatable");
  lua_Integer length = 0;
  while (lua_rawgeti(L, table, length + 1) != LUA_TNIL) {
    lua_pop(L, 1);
    length++;
  }
  lua_pop(L, 1);
  ee_buffer_addf(self->out, "{%lld:", (long long)length);
  self->depth++;
  bool good = true;
  for (lua_Integer i = 1; good && i <= length; i++) {
    lua_rawgeti(L, table, i);
    good = write_value(self, lua_gettop(L));
    lua_pop(L, 1);
  }
  good = good && write_entries(self, table, length);
  self->depth--;
  if (!good) return false;
  ee_buffer_add_char(self->out, '}');
  lua_settop(L, table - 1);
  return true;
}

/* Writes the value at `index` (absolute). After false the stack has more on it. */
static bool write_value(writer *self, int index) {
  lua_State *L = self->lua->L;
  switch (lua_type(L, index)) {
  case LUA_TBOOLEAN: ee_buffer_add_char(self->out, lua_toboolean(L, index) ? 't' : 'f'); break;
  case LUA_TNUMBER: write_number(self, index); break;
  case LUA_TSTRING: write_text(self, index); break;
  case LUA_TTABLE:
    if (!write_table(self, index)) return false;
    break;
  case LUA_TFUNCTION: return refuse(self, "a function");
  case LUA_TNIL: return refuse(self, "nil");
  case LUA_TUSERDATA:
    if (!ee_lua_is_null(L, index)) return refuse(self, "a value of a case (ee.copy makes a table of it)");
    ee_buffer_add_char(self->out, 'z');
    break;
  default:
    if (!ee_lua_is_null(L, index)) return refuse(self, "a value that is neither data nor a table");
    ee_buffer_add_char(self->out, 'z');
  }
  return self->out->length <= self->limit ||
         refuse(self, "too much: tables that are in many places are written for each");
}

bool ee_lua_write_plain(ee_lua *lua, int index, ee_buffer *out, const char **why) {
  writer self = {.lua = lua, .out = out, .limit = out->length + SIZE_FACTOR * lua->limits.memory};
  int top = lua_gettop(lua->L);
  bool good = write_value(&self, lua_absindex(lua->L, index));
  lua_settop(lua->L, top);
  *why = self.why;
  return good;
}

/* Reading -------------------------------------------------------------------------------------- */

typedef struct reader {
  ee_lua *lua;
  const char *at, *end;
  int depth;
} reader;

static bool read_value(reader *self);

/* A whole number without sign, up to `end`. */
static bool read_count(reader *self, char end, uint64_t *count) {
  const char *start = self->at;
  *count = 0;
  for (; self->at < self->end && *self->at >= '0' && *self->at <= '9'; self->at++) {
    if (*count > (UINT64_MAX - 9) / 10) return false;
    *count = *count * 10 + (uint64_t)(*self->at - '0');
  }
  return self->at > start && self->at < self->end && *self->at++ == end;
}

static bool read_integer(reader *self) {
  bool negative = self->at < self->end && *self->at == '-';
  self->at += negative;
  uint64_t size;
  if (!read_count(self, ';', &size) || size > (uint64_t)INT64_MAX + negative) return false;
  lua_pushinteger(self->lua->L, (lua_Integer)(negative ? 0 - size : size));
  return true;
}

/* `count` bytes of two digits each. */
static bool read_hex(reader *self, unsigned char *bytes, size_t count) {
  if ((size_t)(self->end - self->at) < 2 * count) return false;
  for (size_t i = 0; i < count; i++, self->at += 2) {
    int high = ee_hex_digit(self->at[0]), low = ee_hex_digit(self->at[1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = (unsigned char)(high << 4 | low);
  }
  return true;
}

static bool read_float(reader *self) {
  unsigned char bytes[8];
  uint64_t bits = 0;
  double value;
  if (!read_hex(self, bytes, sizeof bytes)) return false;
  for (size_t i = 0; i < sizeof bytes; i++) bits = bits << 8 | bytes[i];
  memcpy(&value, &bits, sizeof value);
  lua_pushnumber(self->lua->L, value);
  return true;
}

static bool read_text(reader *self, bool in_hex) {
  uint64_t length;
  if (!read_count(self, ':', &length)) return false;
  if (length > (uint64_t)(self->end - self->at) / (in_hex ? 2 : 1)) return false;
  if (!in_hex) {
    lua_pushlstring(self->lua->L, self->at, (size_t)length);
    self->at += length;
    return true;
  }
  unsigned char *bytes = ee_arena_alloc(self->lua->arena, (size_t)length + 1);
  if (!read_hex(self, bytes, (size_t)length)) return false;
  lua_pushlstring(self->lua->L, (const char *)bytes, (size_t)length);
  return true;
}

static bool read_table(reader *self) {
  lua_State *L = self->lua->L;
  uint64_t length;
  if (self->depth >= DEPTH_LIMIT || !lua_checkstack(L, STACK_NEEDED) || !read_count(self, ':', &length)) return false;
  if (length > (uint64_t)(self->end - self->at) || length > INT_MAX) return false;
  lua_createtable(L, (int)length, 0);
  self->depth++;
  for (lua_Integer i = 1; i <= (lua_Integer)length; i++) {
    if (!read_value(self)) return false;
    lua_rawseti(L, -2, i);
  }
  while (self->at < self->end && *self->at != '}') {
    if (!read_value(self)) return false;
    if (lua_type(L, -1) == LUA_TNUMBER && isnan(lua_tonumber(L, -1))) return false; /* cannot be a key */
    if (!read_value(self)) return false;
    lua_rawset(L, -3);
  }
  self->depth--;
  return self->at < self->end && *self->at++ == '}';
}

/* Pushes the next value. After false the stack may have more on it. */
static bool read_value(reader *self) {
  if (self->at >= self->end) return false;
  switch (*self->at++) {
  case 't': lua_pushboolean(self->lua->L, 1); return true;
  case 'f': lua_pushboolean(self->lua->L, 0); return true;
  case 'z': ee_lua_push_value(self->lua, ee_value_new(self->lua->arena, EE_NULL)); return true;
  case 'i': return read_integer(self);
  case 'd': return read_float(self);
  case 's': return read_text(self, false);
  case 'x': return read_text(self, true);
  case '{': return read_table(self);
  default: return false;
  }
}

bool ee_lua_read_plain(ee_lua *lua, ee_str text) {
  reader self = {.lua = lua, .at = text.data, .end = text.data + text.length};
  int top = lua_gettop(lua->L);
  luaL_checkstack(lua->L, STACK_NEEDED, NULL);
  if (read_value(&self) && self.at == self.end) return true;
  lua_settop(lua->L, top);
  return false;
}
