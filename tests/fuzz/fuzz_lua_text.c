/* fuzz_lua_text.c: what is kept of Lua as text: states of ee.summary, documents as Lua source, patterns.
 *
 * The first byte chooses; the rest is a text. A plain value that is read is written as the same text again; a document
 * that is written as Lua source is that document when Lua has run it; a pattern that is said to be well-formed raises
 * no error in Lua's own matcher. */
#include <lualib.h>

#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "judge/rule_text/lua_text.h"
#include "lua/plain_text.h"
#include "lua/read_rules.h"
#include "lua/values.h"

static ee_lua *new_state(ee_arena *arena) {
  static const ee_case current;
  ee_error error = {0};
  ee_lua_limits limits = {.memory = (size_t)16 << 20, .instructions = 100000};
  ee_lua *lua = ee_lua_new(NULL, limits, NULL, 0, NULL, &error);
  fuzz_require(lua != NULL);
  lua->generation++;
  lua->current = &current;
  lua->arena = arena;
  return lua;
}

static void check_plain(ee_str text, ee_arena *arena) {
  ee_lua *lua = new_state(arena);
  int top = lua_gettop(lua->L);
  if (ee_lua_read_plain(lua, text)) {
    fuzz_require(lua_gettop(lua->L) == top + 1);
    ee_buffer out = {0}, again = {0};
    const char *why = NULL;
    fuzz_require(ee_lua_write_plain(lua, -1, &out, &why));
    fuzz_require(ee_lua_read_plain(lua, fuzz_buffer_text(&out)));
    fuzz_require(ee_lua_write_plain(lua, -1, &again, &why));
    fuzz_require(ee_str_equal(fuzz_buffer_text(&out), fuzz_buffer_text(&again)));
    fuzz_require(ee_utf8_valid_prefix(out.data, out.length) == out.length);
    ee_buffer_fini(&out);
    ee_buffer_fini(&again);
  } else {
    fuzz_require(lua_gettop(lua->L) == top);
  }
  ee_lua_free(lua);
}

static void check_source(ee_str text, ee_arena *arena) {
  const ee_value *value = ee_json_read(arena, text, NULL, NULL);
  ee_buffer source = {0};
  ee_buffer_add_text(&source, "return ");
  if (value != NULL && ee_lua_text_value(&source, value, 2)) {
    lua_State *L = luaL_newstate();
    fuzz_require(luaL_loadbufferx(L, source.data, source.length, "text", "t") == LUA_OK);
    fuzz_require(lua_pcall(L, 0, 1, 0) == LUA_OK);
    if (ee_type_of(value) == EE_STRING) {
      size_t length;
      const char *got = lua_tolstring(L, -1, &length);
      fuzz_require(ee_str_equal(ee_value_text(value), (ee_str){got, length}));
    }
    lua_close(L);
  }
  ee_buffer_clear(&source);
  ee_str comment = fuzz_utf8(text);
  ee_lua_text_comment(&source, 2, ee_arena_copy(arena, comment.data, comment.length));
  ee_str lines = fuzz_buffer_text(&source);
  for (size_t at = 0; at < lines.length;) {
    fuzz_require(lines.length - at >= 4 && memcmp(lines.data + at, "  --", 4) == 0);
    const char *end = memchr(lines.data + at, '\n', lines.length - at);
    fuzz_require(end != NULL);
    at = (size_t)(end - lines.data) + 1;
  }
  ee_buffer_fini(&source);
}

/* Patterns that cannot take long: Lua's matcher tries each repetition at each place. */
static bool is_quick(ee_str pattern, ee_str subject) {
  size_t repetitions = 0;
  for (size_t i = 0; i < pattern.length; i++) repetitions += strchr("*+-?", pattern.data[i]) != NULL;
  return repetitions <= 4 && subject.length <= 24;
}

static void check_pattern(ee_str pattern, ee_str subject) {
  const char *mistake = ee_lua_pattern_check(pattern);
  if (!is_quick(pattern, subject)) return;
  lua_State *L = luaL_newstate();
  luaL_requiref(L, "string", luaopen_string, 0);
  lua_getfield(L, -1, "find");
  lua_pushlstring(L, subject.data, subject.length);
  lua_pushlstring(L, pattern.data, pattern.length);
  bool raised = lua_pcall(L, 2, 0, 0) != LUA_OK;
  if (mistake == NULL && raised) fprintf(stderr, "'%.*s': %s\n", EE_STR_ARG(pattern), lua_tostring(L, -1));
  fuzz_require(mistake != NULL || !raised);
  lua_close(L);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  switch (fuzz_below(&source, 3)) {
  case 0: check_plain(fuzz_rest(&source), &arena); break;
  case 1: check_source(fuzz_rest(&source), &arena); break;
  default: {
    ee_str pattern = fuzz_line(&source);
    check_pattern(pattern, fuzz_rest(&source));
  }
  }
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(1024)
