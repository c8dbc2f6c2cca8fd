/* ask.c: ee.ask(prompt [, options]) and ee.fence(name, value).
 *
 * ee.ask returns what the model wrote, or with `schema` the JSON document in it. While the answer is not there yet the
 * call leaves the judge's function, past every pcall; the function is called again once it is there. Without an answer
 * it raises an error. */
#include "lua/ask.h"

#include <math.h>

#include "base/buffer.h"
#include "data/json/json_in_prose.h"
#include "data/json/json_writer.h"
#include "judge/outside/llm_prompt.h"
#include "judge/script.h"
#include "lua/values.h"

/* Bytes of the reason of an error. */
#define REASON_BYTES 300

static const char *const options[] = {"system", "temperature", "seed", "sample", "schema", NULL};

/* A string argument in the case's arena; an empty one for nil. */
static ee_str take_text(lua_State *L, int index, const char *what) {
  if (lua_isnil(L, index)) return EE_STR("");
  if (lua_type(L, index) != LUA_TSTRING)
    luaL_error(L, "%s of ee.ask must be a string, got %s", what, luaL_typename(L, index));
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  if (ee_utf8_valid_prefix(text, length) < length) luaL_error(L, "%s of ee.ask is not UTF-8", what);
  return (ee_str){ee_arena_copy(ee_lua_of(L)->arena, text, length), length};
}

/* A number within its limits, or -1 for nil. */
static double take_number(lua_State *L, int index, const char *what, double max, bool whole) {
  if (lua_isnil(L, index)) return -1;
  double number = lua_type(L, index) == LUA_TNUMBER ? lua_tonumber(L, index) : NAN;
  if (!(number >= 0 && number <= max) || (whole && floor(number) != number))
    luaL_error(L, "%s of ee.ask must be %s from 0 to %f", what, whole ? "an integer" : "a number", max);
  return number;
}

static void check_options(lua_State *L, int index) {
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    lua_pop(L, 1);
    const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "?";
    size_t i = 0;
    while (options[i] != NULL && strcmp(options[i], name) != 0) i++;
    if (options[i] != NULL) continue;
    const char *meant = ee_did_you_mean(name, options);
    if (meant != NULL) luaL_error(L, "unknown option '%s' of ee.ask (did you mean '%s'?)", name, meant);
    luaL_error(L, "unknown option '%s' of ee.ask (system, temperature, seed, sample, schema)", name);
  }
}

/* The text of what is written into `out`, which it frees, in the case's arena. */
static ee_str keep(lua_State *L, ee_buffer *out) {
  ee_str text = {ee_arena_copy(ee_lua_of(L)->arena, out->data, out->length), out->length};
  ee_buffer_fini(out);
  return text;
}

static ee_str take_schema(lua_State *L, int index) {
  if (lua_isnil(L, index)) return EE_STR("");
  ee_lua *lua = ee_lua_of(L);
  const char *why = NULL;
  const ee_value *schema = ee_lua_to_value(lua, index, lua->arena, &why);
  if (ee_type_of(schema) != EE_OBJECT)
    luaL_error(L, "schema of ee.ask must be a table with keys%s%s", why != NULL ? ": it holds " : "",
               why != NULL ? why : "");
  ee_buffer out;
  ee_buffer_init(&out);
  ee_json_write_value(&out, schema);
  return keep(L, &out);
}

static ee_str members_of(lua_State *L, double temperature, double seed) {
  ee_buffer out;
  ee_buffer_init(&out);
  if (temperature >= 0) {
    ee_buffer_add_text(&out, "\"temperature\":");
    ee_json_write_number(&out, temperature);
  }
  if (seed >= 0) {
    ee_buffer_add_text(&out, out.length > 0 ? ",\"seed\":" : "\"seed\":");
    ee_json_write_number(&out, seed);
  }
  return keep(L, &out);
}

static void read_options(lua_State *L, ee_chat *chat) {
  if (lua_isnoneornil(L, 2)) return;
  luaL_checktype(L, 2, LUA_TTABLE);
  check_options(L, 2);
  for (size_t i = 0; options[i] != NULL; i++) lua_getfield(L, 2, options[i]);
  int first = lua_gettop(L) - 4;
  chat->system = take_text(L, first, "system");
  double temperature = take_number(L, first + 1, "temperature", 2, false);
  double seed = take_number(L, first + 2, "seed", 0x1p53, true);
  double sample = take_number(L, first + 3, "sample", 1000000, true);
  chat->members = members_of(L, temperature, seed);
  chat->sample = sample > 0 ? (uint32_t)sample : 0;
  chat->schema = take_schema(L, first + 4);
}

static int ask(lua_State *L) {
  ee_lua *lua = ee_lua_of(L);
  if (lua->model == NULL)
    return luaL_error(L, lua->current == NULL
                             ? "ee.ask can be called while a case is judged, by the function of an ee.judge"
                             : "ee.ask can be called by the function of an ee.judge with asks = true only");
  lua_settop(L, 2);
  ee_chat chat = {.system = EE_STR(""), .schema = EE_STR(""), .members = EE_STR("")};
  chat.prompt = take_text(L, 1, "the prompt");
  if (ee_str_is_blank(chat.prompt)) return luaL_error(L, "the prompt of ee.ask is empty");
  read_options(L, &chat);
  ee_answer answer;
  lua->model->ask(lua->model->user, &chat, &answer);
  if (answer.state == EE_ANSWER_PENDING) {
    lua->asks = true;
    return luaL_error(L, "the model has not answered yet");
  }
  if (answer.state == EE_ANSWER_FAILED)
    return luaL_error(L, "no answer: %s", lua_pushlstring(L, answer.text.data, ee_utf8_cut(answer.text, REASON_BYTES)));
  if (chat.schema.length == 0) {
    lua_pushlstring(L, answer.text.data, answer.text.length);
    return 1;
  }
  ee_error error;
  const ee_value *document = ee_json_in_prose_find(lua->arena, answer.text, &error);
  if (document == NULL) {
    const char *why = lua_pushfstring(L, "the model's answer is not JSON: %s", error.message);
    lua->model->refuse(lua->model->user, ee_str_from(why));
    return luaL_error(L, "no answer: %s", why);
  }
  ee_lua_push_value(lua, document);
  return 1;
}

/* The text of any value: a string as it is, others as JSON. */
static int fence(lua_State *L) {
  ee_lua *lua = ee_lua_of(L);
  if (lua->arena == NULL) return luaL_error(L, "ee.fence can be called while a case is judged");
  lua_settop(L, 2);
  size_t length;
  const char *name = luaL_checklstring(L, 1, &length);
  const char *why = NULL;
  const ee_value *value = ee_lua_to_value(lua, 2, lua->arena, &why);
  if (value == NULL && why != NULL) return luaL_error(L, "ee.fence got a value that holds %s", why);
  ee_buffer out;
  ee_buffer_init(&out);
  ee_llm_fence(&out, (ee_str){name, length}, value);
  ee_str text = keep(L, &out);
  lua_pushlstring(L, text.data, text.length);
  return 1;
}

void ee_lua_ask_open(lua_State *L) {
  lua_pushcfunction(L, ask);
  lua_setfield(L, -2, "ask");
  lua_pushcfunction(L, fence);
  lua_setfield(L, -2, "fence");
}
