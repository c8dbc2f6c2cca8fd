/* answers.c: from Lua results to scores, texts and judgements. */
#include "lua/answers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lua/values.h"

bool ee_lua_refuse(ee_lua_answer *answer, const char *format, ...) {
  char message[sizeof(((ee_error *)0)->message)];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  const ee_lua_function *function = &answer->lua->functions[answer->function];
  answer->status = ee_error_at(answer->error, EE_ERROR_RULES, function->file, function->line, 0, "%s", message);
  return false;
}

/* "a table", "an array", "nothing": how messages name the value at `index`. */
static const char *describe(ee_lua *lua, int index) {
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

static bool refuse_nothing(ee_lua_answer *answer) {
  return ee_lua_refuse(answer, "%s returned nothing (did you forget 'return'?)", answer->who);
}

bool ee_lua_read_score(ee_lua_answer *answer, int index, bool booleans, double *score) {
  lua_State *L = answer->lua->L;
  int type = lua_type(L, index);
  if (type == LUA_TNIL) return refuse_nothing(answer);
  if (type == LUA_TBOOLEAN && booleans) {
    *score = lua_toboolean(L, index) ? 1 : 0;
    return true;
  }
  if (type != LUA_TNUMBER) {
    const char *expected = booleans ? "true, false or a number" : "a number";
    return ee_lua_refuse(answer, "%s returned %s, expected %s", answer->who, describe(answer->lua, index), expected);
  }
  double number = lua_tonumber(L, index);
  if (isnan(number)) return ee_lua_refuse(answer, "%s returned NaN, which is not between 0 and 1", answer->who);
  if (number < 0 || number > 1)
    return ee_lua_refuse(answer, "%s returned %.14g, which is not between 0 and 1", answer->who, number);
  *score = number + 0.0; /* no -0 */
  return true;
}

bool ee_lua_read_condition(ee_lua_answer *answer, int index, bool *condition) {
  if (lua_isnil(answer->lua->L, index)) return refuse_nothing(answer);
  *condition = lua_toboolean(answer->lua->L, index) != 0;
  return true;
}

bool ee_lua_read_text(ee_lua_answer *answer, int index, const char *what, ee_str *text) {
  lua_State *L = answer->lua->L;
  *text = EE_STR("");
  if (lua_isnil(L, index)) return true;
  if (lua_type(L, index) != LUA_TSTRING)
    return ee_lua_refuse(answer, "%s returned %s as its %s, expected a text", answer->who, describe(answer->lua, index),
                         what);
  size_t length;
  const char *data = lua_tolstring(L, index, &length);
  if (ee_utf8_valid_prefix(data, length) != length)
    return ee_lua_refuse(answer, "%s returned a %s that is no valid UTF-8", answer->who, what);
  *text = (ee_str){ee_arena_copy(answer->lua->arena, data, length), length};
  return true;
}

/* A list of texts, or nothing. */
static bool read_texts(ee_lua_answer *answer, int index, const char *what, const ee_str **texts, size_t *count) {
  ee_lua *lua = answer->lua;
  const char *why = NULL;
  const ee_value *list = ee_lua_to_value(lua, index, lua->arena, &why);
  *texts = NULL;
  *count = 0;
  if (list == NULL && why == NULL) return true;
  if (list == NULL) return ee_lua_refuse(answer, "%s returned %s that hold %s", answer->who, what, why);
  /* An empty table is an object to JSON, and a list without texts here. */
  if (ee_type_of(list) == EE_OBJECT && ee_value_count(list) == 0) return true;
  if (ee_type_of(list) != EE_ARRAY)
    return ee_lua_refuse(answer, "%s returned %s as %s, expected a list of texts", answer->who, describe(lua, index),
                         what);
  ee_str *out = EE_NEW_ARRAY(lua->arena, ee_str, ee_value_count(list));
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    if (ee_type_of(item) != EE_STRING)
      return ee_lua_refuse(answer, "%s returned %s that hold a value of type %s, expected texts", answer->who, what,
                           ee_type_name(item));
    out[(*count)++] = ee_value_text(item);
  }
  *texts = out;
  return true;
}

static const char *const judgement_keys[] = {"score", "hits", "misses", "reasoning", "details", NULL};

/* Refuses a table with keys that a judgement does not have; of several unknown ones, the first bytewise is named. */
static bool check_judgement_keys(ee_lua_answer *answer, int index) {
  lua_State *L = answer->lua->L;
  const char *unknown = NULL;
  bool positional = false;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) {
      positional = true;
      continue;
    }
    const char *key = lua_tostring(L, -2);
    const char *const *known = judgement_keys;
    while (*known != NULL && strcmp(*known, key) != 0) known++;
    if (*known == NULL && (unknown == NULL || strcmp(key, unknown) < 0)) unknown = key;
  }
  if (positional)
    return ee_lua_refuse(answer, "%s returned a list, expected { score = ..., hits = ..., misses = ... }", answer->who);
  if (unknown == NULL) return true;
  const char *suggestion = ee_did_you_mean(unknown, judgement_keys);
  if (suggestion == NULL) return ee_lua_refuse(answer, "%s returned the unknown field '%s'", answer->who, unknown);
  return ee_lua_refuse(answer, "%s returned the unknown field '%s' (did you mean '%s'?)", answer->who, unknown,
                       suggestion);
}

static bool read_details(ee_lua_answer *answer, int index, const ee_value **details) {
  ee_lua *lua = answer->lua;
  const char *why = NULL;
  *details = ee_lua_to_value(lua, index, lua->arena, &why);
  if (*details == NULL && why == NULL) return true;
  if (*details == NULL) return ee_lua_refuse(answer, "%s returned details that hold %s", answer->who, why);
  if (ee_type_of(*details) == EE_OBJECT) return true;
  const char *what = ee_type_of(*details) == EE_ARRAY ? "a list" : describe(lua, index);
  return ee_lua_refuse(answer, "%s returned %s as details, expected an object", answer->who, what);
}

bool ee_lua_read_judgement(ee_lua_answer *answer, int index, ee_script_judgement *judgement) {
  lua_State *L = answer->lua->L;
  *judgement = (ee_script_judgement){.reasoning = EE_STR("")};
  if (!lua_istable(L, index)) {
    if (!lua_isnil(L, index) && !lua_isboolean(L, index) && lua_type(L, index) != LUA_TNUMBER)
      return ee_lua_refuse(answer, "%s returned %s, expected true, false, a number or a table", answer->who,
                           describe(answer->lua, index));
    judgement->plain = true;
    return ee_lua_read_score(answer, index, true, &judgement->score) &&
           ee_lua_read_text(answer, index + 1, "reason", &judgement->reasoning);
  }
  if (!check_judgement_keys(answer, index)) return false;
  int first = lua_gettop(L) + 1;
  for (const char *const *key = judgement_keys; *key != NULL; key++) {
    lua_pushstring(L, *key);
    lua_rawget(L, index);
  }
  if (lua_isnil(L, first)) return ee_lua_refuse(answer, "%s returned a table without score", answer->who);
  return ee_lua_read_score(answer, first, true, &judgement->score) &&
         read_texts(answer, first + 1, "hits", &judgement->hits, &judgement->hit_count) &&
         read_texts(answer, first + 2, "misses", &judgement->misses, &judgement->miss_count) &&
         ee_lua_read_text(answer, first + 3, "reasoning", &judgement->reasoning) &&
         read_details(answer, first + 4, &judgement->details);
}

bool ee_lua_read_value(ee_lua_answer *answer, int index, const ee_value **value) {
  ee_lua *lua = answer->lua;
  if (lua_isnil(lua->L, index)) return refuse_nothing(answer);
  const char *why = NULL;
  const ee_value *found = ee_lua_to_value(lua, index, lua->arena, &why);
  if (found == NULL) return ee_lua_refuse(answer, "%s returned %s", answer->who, why == NULL ? "nothing" : why);
  *value = ee_type_of(found) == EE_NULL ? NULL : found;
  return true;
}
