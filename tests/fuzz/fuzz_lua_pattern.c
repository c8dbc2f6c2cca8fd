/* fuzz_lua_pattern.c: patterns of rule files against those of Lua itself.
 *
 * The first byte chooses string.find, match, gmatch or gsub and where it begins; the first line is a pattern, the
 * second a replacement, the rest the text. Both give the same values, or the same error. */
#include <lauxlib.h>
#include <lualib.h>

#include "fuzz/fuzz.h"
#include "lua/pattern.h"

typedef struct call {
  uint8_t choice;
  ee_str pattern, replacement, text;
} call;

static const char *const names[] = {"find", "match", "gmatch", "gsub"};
static const lua_CFunction ours[] = {ee_lua_find, ee_lua_match, ee_lua_gmatch, ee_lua_gsub};

/* Those that cannot take long: Lua's matcher tries each repetition at each place. */
static bool is_quick(const call *self) {
  size_t repetitions = 0;
  for (size_t i = 0; i < self->pattern.length; i++) repetitions += strchr("*+-?", self->pattern.data[i]) != NULL;
  return repetitions <= 4 && self->text.length <= 24;
}

/* Appends the values from `first` to the top of the stack, with their types, and removes them. */
static void add_values(lua_State *L, int first, ee_buffer *out) {
  for (int i = first; i <= lua_gettop(L); i++) {
    size_t length;
    ee_buffer_addf(out, "%s ", luaL_typename(L, i));
    const char *text = luaL_tolstring(L, i, &length);
    if (lua_type(L, i) != LUA_TFUNCTION) ee_buffer_add(out, text, length);
    ee_buffer_add_char(out, '\n');
    lua_pop(L, 1);
  }
  lua_settop(L, first - 1);
}

/* Calls the function on top of the stack, and appends what it returns or raises. */
static void run(lua_State *L, const call *self, ee_buffer *out) {
  int base = lua_gettop(L), kind = self->choice % 4;
  lua_pushlstring(L, self->text.data, self->text.length);
  lua_pushlstring(L, self->pattern.data, self->pattern.length);
  int arguments = 2;
  if (kind == 3) {
    lua_pushlstring(L, self->replacement.data, self->replacement.length);
    if (self->choice & 4) lua_pushinteger(L, self->choice / 8 % 8 - 1);
    arguments += 1 + (self->choice & 4 ? 1 : 0);
  } else {
    lua_pushinteger(L, self->choice / 4 % 16 - 6);
    arguments++;
    if (kind == 0) lua_pushboolean(L, self->choice >= 192), arguments++;
  }
  bool good = lua_pcall(L, arguments, LUA_MULTRET, 0) == LUA_OK;
  for (int i = 0; good && kind == 2 && i < 30; i++) {
    lua_pushvalue(L, base);
    int before = lua_gettop(L);
    good = lua_pcall(L, 0, LUA_MULTRET, 0) == LUA_OK;
    bool end = good && lua_isnil(L, before);
    add_values(L, before, out);
    if (end) break;
  }
  ee_buffer_add_text(out, good ? "good\n" : "raised\n");
  add_values(L, base, out);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  fuzz_source source = fuzz_source_of(data, size);
  call self = {.choice = fuzz_byte(&source)};
  self.pattern = fuzz_line(&source);
  self.replacement = fuzz_line(&source);
  self.text = fuzz_rest(&source);
  if (!is_quick(&self)) return 0;
  lua_State *L = luaL_newstate();
  ee_buffer a = {0}, b = {0};
  luaL_requiref(L, "string", luaopen_string, 0);
  lua_getfield(L, -1, names[self.choice % 4]);
  run(L, &self, &a);
  lua_pushcfunction(L, ours[self.choice % 4]);
  run(L, &self, &b);
  if (!ee_str_equal(fuzz_buffer_text(&a), fuzz_buffer_text(&b)))
    fprintf(stderr, "Lua:\n%.*s\nhere:\n%.*s\n", (int)a.length, a.data, (int)b.length, b.data);
  fuzz_require(ee_str_equal(fuzz_buffer_text(&a), fuzz_buffer_text(&b)));
  lua_close(L);
  ee_buffer_fini(&a);
  ee_buffer_fini(&b);
  return 0;
}

EE_FUZZ_TARGET(256)
