/* callbacks.c: functions of a rule file as judges call them: the objects `case` and `context` that they get, the calls,
 * and how their results are read. */
#include "lua/callbacks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "judge/rule_node.h"
#include "lua/pattern.h"
#include "lua/read_rules.h"
#include "lua/rule_file.h"
#include "lua/sandbox.h"
#include "lua/values.h"
#include "prim/number.h"

/* A worker's script: a Lua state, and what its functions see of a call. */
struct ee_script {
  ee_lua *lua;
  const ee_script_place *place; /* of the current strategy call, else NULL */
  uint64_t case_generation;     /* of the case object in the registry */
  /* Registry references. */
  int context;
  int current_case;
  int options;
  int find; /* string.find */
};

/* A call of a function, and where its error goes. */
typedef struct function_call {
  ee_lua *lua;
  int function;     /* its number */
  const char *who;  /* "strategy", "judge", ...: the subject of messages */
  ee_error *error;  /* NULL is allowed */
  ee_status status; /* EE_OK unless the result was refused */
} function_call;

/* Results of functions -------------------------------------------------------------------------- */

/* Refuses the result with an error at the function's definition. Returns false. */
static bool refuse(function_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(function_call *call, const char *format, ...) {
  char message[sizeof(((ee_error *)0)->message)];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  const ee_lua_function *function = &call->lua->functions.items[call->function];
  call->status = ee_error_at(call->error, EE_ERROR_RULES, function->file, function->line, 0, "%s", message);
  return false;
}

static bool refuse_nothing(function_call *call) {
  return refuse(call, "%s returned nothing (did you forget 'return'?)", call->who);
}

/* Reads the value at `index` (absolute): a number 0..1; with `booleans` also true and false. False when refused, as in
 * the functions below. */
static bool read_score(function_call *call, int index, bool booleans, double *score) {
  lua_State *L = call->lua->L;
  int type = lua_type(L, index);
  if (type == LUA_TNIL) return refuse_nothing(call);
  if (type == LUA_TBOOLEAN && booleans) {
    *score = lua_toboolean(L, index) ? 1 : 0;
    return true;
  }
  if (type != LUA_TNUMBER) {
    const char *expected = booleans ? "true, false or a number" : "a number";
    return refuse(call, "%s returned %s, expected %s", call->who, ee_lua_describe(call->lua, index), expected);
  }
  double number = lua_tonumber(L, index);
  if (isnan(number)) return refuse(call, "%s returned NaN, which is not between 0 and 1", call->who);
  if (!ee_score_round(&number))
    return refuse(call, "%s returned %.17g, which is not between 0 and 1", call->who, number);
  *score = number;
  return true;
}

/* Any Lua truth value but nil. */
static bool read_condition(function_call *call, int index, bool *condition) {
  if (lua_isnil(call->lua->L, index)) return refuse_nothing(call);
  *condition = lua_toboolean(call->lua->L, index) != 0;
  return true;
}

/* A string or nil, copied to the case's arena. `what` is its name in a message. */
static bool read_text(function_call *call, int index, const char *what, ee_str *text) {
  lua_State *L = call->lua->L;
  *text = EE_STR("");
  if (lua_isnil(L, index)) return true;
  if (lua_type(L, index) != LUA_TSTRING)
    return refuse(call, "%s returned %s as its %s, expected a string", call->who, ee_lua_describe(call->lua, index),
                  what);
  size_t length;
  const char *data = lua_tolstring(L, index, &length);
  if (ee_utf8_valid_prefix(data, length) != length)
    return refuse(call, "%s returned a %s that is not valid UTF-8", call->who, what);
  *text = (ee_str){ee_arena_copy(call->lua->arena, data, length), length};
  return true;
}

/* A list of strings, or nil. */
static bool read_texts(function_call *call, int index, const char *what, const ee_str **texts, size_t *count) {
  ee_lua *lua = call->lua;
  const char *why = NULL;
  const ee_value *list = ee_lua_to_value(lua, index, lua->arena, &why);
  *texts = NULL;
  *count = 0;
  if (list == NULL && why == NULL) return true;
  if (list == NULL) return refuse(call, "%s returned %s that hold %s", call->who, what, why);
  /* An empty table converts to an object; here it is an empty list. */
  if (ee_type_of(list) == EE_OBJECT && ee_value_count(list) == 0) return true;
  if (ee_type_of(list) != EE_ARRAY)
    return refuse(call, "%s returned %s as %s, expected an array of strings", call->who, ee_lua_describe(lua, index),
                  what);
  ee_str *out = EE_NEW_ARRAY(lua->arena, ee_str, ee_value_count(list));
  for (const ee_value *item = ee_value_child(list); item != NULL; item = ee_value_next(item)) {
    if (ee_type_of(item) != EE_STRING)
      return refuse(call, "%s returned %s that hold a value of type %s, expected strings", call->who, what,
                    ee_type_name(item));
    out[(*count)++] = ee_value_text(item);
  }
  *texts = out;
  return true;
}

static const char *const judgement_keys[] = {"score",   "hits",    "misses",   "reasoning",
                                             "details", "metrics", "counters", NULL};

/* Refuses a table with unknown keys. The message names the first one, bytewise. */
static bool check_judgement_keys(function_call *call, int index) {
  lua_State *L = call->lua->L;
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
    return refuse(call, "%s returned a list, expected { score = ..., hits = ..., misses = ... }", call->who);
  if (unknown == NULL) return true;
  const char *suggestion = ee_did_you_mean(unknown, judgement_keys);
  if (suggestion == NULL) return refuse(call, "%s returned the unknown field '%s'", call->who, unknown);
  return refuse(call, "%s returned the unknown field '%s' (did you mean '%s'?)", call->who, unknown, suggestion);
}

/* An object, or nil. `what` is its name in a message. */
static bool read_object(function_call *call, int index, const char *what, const ee_value **object) {
  ee_lua *lua = call->lua;
  const char *why = NULL;
  *object = ee_lua_to_value(lua, index, lua->arena, &why);
  if (*object == NULL && why == NULL) return true;
  if (*object == NULL) return refuse(call, "%s returned %s that hold %s", call->who, what, why);
  if (ee_type_of(*object) == EE_OBJECT) return true;
  const char *got = ee_type_of(*object) == EE_ARRAY ? "a list" : ee_lua_describe(lua, index);
  return refuse(call, "%s returned %s as %s, expected an object", call->who, got, what);
}

/* true, false or 0..1, followed by a reason; or a table { score, hits, misses, reasoning, details, metrics,
 * counters }. */
static bool read_judgement(function_call *call, int index, ee_script_judgement *judgement) {
  lua_State *L = call->lua->L;
  *judgement = (ee_script_judgement){.reasoning = EE_STR("")};
  if (!lua_istable(L, index)) {
    if (!lua_isnil(L, index) && !lua_isboolean(L, index) && lua_type(L, index) != LUA_TNUMBER)
      return refuse(call, "%s returned %s, expected true, false, a number or a table", call->who,
                    ee_lua_describe(call->lua, index));
    judgement->plain = true;
    return read_score(call, index, true, &judgement->score) &&
           read_text(call, index + 1, "reason", &judgement->reasoning);
  }
  if (!check_judgement_keys(call, index)) return false;
  int first = lua_gettop(L) + 1;
  for (const char *const *key = judgement_keys; *key != NULL; key++) {
    lua_pushstring(L, *key);
    lua_rawget(L, index);
  }
  if (lua_isnil(L, first)) return refuse(call, "%s returned a table without score", call->who);
  return read_score(call, first, true, &judgement->score) &&
         read_texts(call, first + 1, "hits", &judgement->hits, &judgement->hit_count) &&
         read_texts(call, first + 2, "misses", &judgement->misses, &judgement->miss_count) &&
         read_text(call, first + 3, "reasoning", &judgement->reasoning) &&
         read_object(call, first + 4, "details", &judgement->details) &&
         read_object(call, first + 5, "metrics", &judgement->metrics) &&
         read_object(call, first + 6, "counters", &judgement->counters);
}

/* Any JSON value; NULL for ee.null. */
static bool read_value(function_call *call, int index, const ee_value **value) {
  ee_lua *lua = call->lua;
  if (lua_isnil(lua->L, index)) return refuse_nothing(call);
  const char *why = NULL;
  const ee_value *found = ee_lua_to_value(lua, index, lua->arena, &why);
  if (found == NULL) return refuse(call, "%s returned %s", call->who, why == NULL ? "nothing" : why);
  *value = ee_type_of(found) == EE_NULL ? NULL : found;
  return true;
}

/* Objects that functions get -------------------------------------------------------------------- */

/* Their fields are made when they are read, so that a function pays only for what it uses. */
#define CASE "ee.case"
#define CONTEXT "ee.context"
#define PARTS "ee.parts"

/* Raises an error for a field that `object` does not have; keys that are not strings read as nil. */
static int unknown_field(lua_State *L, const char *object, const char *const *names) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *key = lua_tostring(L, 2);
  const char *suggestion = ee_did_you_mean(key, names);
  if (suggestion == NULL) return luaL_error(L, "'%s' has no field '%s'", object, key);
  return luaL_error(L, "'%s' has no field '%s' (did you mean '%s'?)", object, key, suggestion);
}

/* The index in `names` of the key at 2; that of the final NULL when it is not there. */
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

/* The fields. The first four become user values when they are first read. */
enum {
  CASE_EXPECTED,
  CASE_CANDIDATE,
  CASE_RECORD,
  CASE_TRUTH,
  CASE_ID,
  CASE_EXPECTED_TEXT,
  CASE_CANDIDATE_TEXT,
  CASE_TRIAL
};
static const char *const case_fields[] = {"expected",      "candidate",      "record", "truth", "id",
                                          "expected_text", "candidate_text", "trial",  NULL};

/* nil without data. */
static void push_text_or_nil(lua_State *L, ee_str text) {
  if (text.data == NULL)
    lua_pushnil(L);
  else
    lua_pushlstring(L, text.data, text.length);
}

/* A document as text: a string itself, other values as JSON, as it is written; nil without one. */
static void push_document_text(lua_State *L, const ee_value *value) {
  if (ee_type_of(value) == EE_STRING) {
    push_text_or_nil(L, ee_value_text(value));
  } else if (value == NULL) {
    lua_pushnil(L);
  } else {
    ee_buffer *text = ee_lua_scratch_buffer(L);
    ee_lua_write_source(text, value);
    lua_pushlstring(L, text->data, text->length);
  }
}

static int index_case(lua_State *L) {
  const case_object *object = luaL_checkudata(L, 1, CASE);
  ee_lua *lua = ee_lua_of(L);
  if (object->generation != lua->generation || lua->current == NULL)
    return luaL_error(L, "'case' is used after its case ended");
  const ee_case *current = lua->current;
  int field = find_field(L, case_fields);
  if (field == CASE_ID) {
    ee_str id = ee_case_base(current);
    lua_pushlstring(L, id.data, id.length);
    return 1;
  }
  if (field == CASE_TRIAL || (field == CASE_CANDIDATE_TEXT && current->candidate_text.data != NULL)) {
    push_text_or_nil(L, field == CASE_TRIAL ? current->trial : current->candidate_text);
    return 1;
  }
  if (field == CASE_EXPECTED_TEXT || field == CASE_CANDIDATE_TEXT) {
    push_document_text(L, field == CASE_EXPECTED_TEXT ? current->expected : current->candidate);
    return 1;
  }
  if (field > CASE_TRIAL) return unknown_field(L, "case", case_fields);
  if (lua_getiuservalue(L, 1, field + 1) != LUA_TNIL) return 1;
  const ee_value *values[] = {current->expected, current->candidate, current->record, current->truth};
  ee_lua_push_value(lua, values[field]);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, field + 1);
  return 1;
}

/* Pushes the object `case` { id, expected, candidate, record, truth }: made on first use in a case, invalid after it.
 */
static void push_case(lua_State *L, ee_script *script) {
  if (script->case_generation == script->lua->generation) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, script->current_case);
    return;
  }
  case_object *object = lua_newuserdatauv(L, sizeof(*object), 4);
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
  default: lua_pushnil(L); /* the plan has refused anything else */
  }
}

/* Pushes the options that the definition of the project's own strategy declares, with their values in `node`. Frozen;
 * made once a state. */
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
  case CONTEXT_CASE: push_case(L, script); break;
  case CONTEXT_ITEM: push_item(L, lua, place); break;
  default: return unknown_field(L, "context", context_fields);
  }
  return 1;
}

/* Pushes the object `context` { path, options, case, item } of a strategy call: one a state. */
static void push_call_context(lua_State *L, const ee_script *script) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, script->context);
}

/* Parts ---------------------------------------------------------------------------------------- */

enum { MAX_PARTS = 15 };

/* Reading a missing part: the table has no other fields, so its keys are the possible suggestions. */
static int index_parts(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *names[MAX_PARTS + 1] = {NULL};
  size_t count = 0;
  lua_pushnil(L);
  while (count < MAX_PARTS && lua_next(L, 1) != 0) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) names[count++] = lua_tostring(L, -1);
  }
  const char *key = lua_tostring(L, 2), *meant = ee_did_you_mean(key, names);
  if (meant == NULL) return luaL_error(L, "'%s' is not a part", key);
  return luaL_error(L, "'%s' is not a part (did you mean '%s'?)", key, meant);
}

/* Pushes a table of named numbers; reading an unknown name raises an error. */
static void push_parts(lua_State *L, const ee_script_number *numbers, size_t count) {
  lua_createtable(L, 0, (int)count);
  for (size_t i = 0; i < count; i++) {
    lua_pushnumber(L, numbers[i].value);
    lua_setfield(L, -2, numbers[i].name);
  }
  luaL_setmetatable(L, PARTS);
}

/* Their metatables -------------------------------------------------------------------------------------- */

/* Registers a metatable as `registered`, for objects that messages call `name`. */
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

static void open_objects(lua_State *L, ee_script *script) {
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
  lua_newtable(L); /* a placeholder until the first case */
  script->current_case = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* Calls ---------------------------------------------------------------------------------------- */

/* Each call of judge/script.h is one protected call of a trampoline, because even pushing an argument may raise. */

/* The arguments of a trampoline, and where its result goes. Each call uses some of the members. */
typedef struct call_request {
  function_call call;
  ee_script *script;
  const ee_value *first, *second;
  const ee_script_place *place;
  const ee_script_part *parts;
  size_t part_count;
  const ee_script_number *numbers;
  size_t number_count;
  ee_str pattern, subject;
  void *result;
} call_request;

/* Runs `trampoline`. An error without a place gets that of the function's definition. */
static ee_status run(call_request *request, lua_CFunction trampoline, ee_error *error) {
  ee_lua *lua = request->script->lua;
  const ee_lua_function *function = &lua->functions.items[request->call.function];
  request->call.lua = lua;
  request->call.error = error;
  ee_status status = ee_lua_protect(lua, trampoline, request, function->file, function->line, error);
  request->script->place = NULL;
  return status != EE_OK ? status : request->call.status;
}

static call_request *start(lua_State *L) {
  call_request *request = lua_touserdata(L, 1);
  ee_lua_push_function(request->call.lua, request->call.function);
  return request;
}

/* Strategies, similarities, conditions --------------------------------------------------------- */

static int call_strategy(lua_State *L) {
  call_request *request = start(L);
  ee_script *script = request->script;
  ee_lua_push_value(script->lua, request->first);
  ee_lua_push_value(script->lua, request->second);
  script->place = request->place;
  push_call_context(L, script);
  lua_call(L, 3, 2);
  ee_script_score score;
  if (read_score(&request->call, 2, true, &score.score) && read_text(&request->call, 3, "reason", &score.reason))
    *(ee_script_score *)request->result = score;
  return 0;
}

static ee_status strategy(ee_script *script, int function, const ee_value *expected, const ee_value *candidate,
                          const ee_script_place *place, ee_script_score *result, ee_error *error) {
  static const ee_script_place nowhere = {.path = {"", 0}};
  call_request request = {.call = {.function = function, .who = "strategy"},
                          .script = script,
                          .first = expected,
                          .second = candidate,
                          .place = place == NULL ? &nowhere : place,
                          .result = result};
  return run(&request, call_strategy, error);
}

static int call_similarity(lua_State *L) {
  call_request *request = start(L);
  ee_lua_push_value(request->script->lua, request->first);
  ee_lua_push_value(request->script->lua, request->second);
  lua_call(L, 2, 1);
  read_score(&request->call, 2, true, request->result);
  return 0;
}

static ee_status similarity(ee_script *script, int function, const ee_value *expected_item,
                            const ee_value *candidate_item, double *result, ee_error *error) {
  call_request request = {.call = {.function = function, .who = "similarity"},
                          .script = script,
                          .first = expected_item,
                          .second = candidate_item,
                          .result = result};
  return run(&request, call_similarity, error);
}

static int call_map(lua_State *L) {
  call_request *request = start(L);
  ee_lua_push_value(request->script->lua, request->first);
  lua_call(L, 1, 1);
  read_value(&request->call, 2, request->result);
  return 0;
}

static ee_status map(ee_script *script, int function, const ee_value *value, const ee_value **result, ee_error *error) {
  call_request request = {
      .call = {.function = function, .who = "function"}, .script = script, .first = value, .result = result};
  return run(&request, call_map, error);
}

static int call_condition(lua_State *L) {
  call_request *request = start(L);
  push_case(L, request->script);
  lua_call(L, 1, 1);
  read_condition(&request->call, 2, request->result);
  return 0;
}

static ee_status condition(ee_script *script, int function, bool *result, ee_error *error) {
  call_request request = {.call = {.function = function, .who = "condition"}, .script = script, .result = result};
  return run(&request, call_condition, error);
}

/* Judges and aggregations ---------------------------------------------------------------------- */

static int call_judge(lua_State *L) {
  call_request *request = start(L);
  push_case(L, request->script);
  lua_call(L, 1, 2);
  ee_script_judgement judgement;
  if (read_judgement(&request->call, 2, &judgement)) *(ee_script_judgement *)request->result = judgement;
  return 0;
}

static ee_status judge(ee_script *script, int function, const ee_script_model *model, ee_script_judgement *result,
                       ee_error *error) {
  call_request request = {.call = {.function = function, .who = "judge"}, .script = script, .result = result};
  script->lua->model = model;
  ee_status status = run(&request, call_judge, error);
  script->lua->model = NULL;
  return status;
}

static void set_number(lua_State *L, const char *name, double number) {
  lua_pushnumber(L, number);
  lua_setfield(L, -2, name);
}
static void set_count(lua_State *L, const char *name, lua_Integer count) {
  lua_pushinteger(L, count);
  lua_setfield(L, -2, name);
}

/* Pushes { name, scored, score, weight, tp, tn, fp, fn, incorrect, missing, spurious }. */
static void push_part(lua_State *L, const ee_script_part *part) {
  lua_createtable(L, 0, 11);
  lua_pushlstring(L, part->name.data, part->name.length);
  lua_setfield(L, -2, "name");
  lua_pushboolean(L, part->scored);
  lua_setfield(L, -2, "scored");
  set_number(L, "score", part->score);
  set_number(L, "weight", part->weight);
  set_count(L, "tp", (lua_Integer)part->counts.tp);
  set_count(L, "tn", (lua_Integer)part->counts.tn);
  set_count(L, "fp", (lua_Integer)part->counts.fp);
  set_count(L, "fn", (lua_Integer)part->counts.fn);
  /* Judges with counts of their own may say more is wrong than they count. */
  uint64_t wrong = part->counts.wrong;
  set_count(L, "incorrect", (lua_Integer)wrong);
  set_count(L, "missing", (lua_Integer)(part->counts.fn > wrong ? part->counts.fn - wrong : 0));
  set_count(L, "spurious", (lua_Integer)(part->counts.fp > wrong ? part->counts.fp - wrong : 0));
}

/* The table has the parts both by index and by name. */
static int call_aggregate(lua_State *L) {
  call_request *request = start(L);
  lua_createtable(L, (int)request->part_count, (int)request->part_count);
  for (size_t i = 0; i < request->part_count; i++) {
    const ee_script_part *part = &request->parts[i];
    push_part(L, part);
    lua_pushlstring(L, part->name.data, part->name.length);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_call(L, 1, 1);
  read_score(&request->call, 2, false, request->result);
  return 0;
}

static ee_status aggregate(ee_script *script, int function, const ee_script_part *parts, size_t count, double *result,
                           ee_error *error) {
  call_request request = {.call = {.function = function, .who = "function"},
                          .script = script,
                          .parts = parts,
                          .part_count = count,
                          .result = result};
  return run(&request, call_aggregate, error);
}

/* Arguments: a table of the numbers by name, and the case. */
static int call_combine(lua_State *L) {
  call_request *request = start(L);
  push_parts(L, request->numbers, request->number_count);
  push_case(L, request->script);
  lua_call(L, 2, 1);
  read_score(&request->call, 2, true, request->result);
  return 0;
}

/* The function's name in messages: only `formula` gets the number "safety". */
static const char *combiner_name(const ee_script_number *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(numbers[i].name, "safety") == 0) return "formula";
  }
  return "safety";
}

static ee_status combine(ee_script *script, int function, const ee_script_number *numbers, size_t count, double *result,
                         ee_error *error) {
  call_request request = {.call = {.function = function, .who = combiner_name(numbers, count)},
                          .script = script,
                          .numbers = numbers,
                          .number_count = count,
                          .result = result};
  return run(&request, call_combine, error);
}

/* Patterns ------------------------------------------------------------------------------------- */

static int call_pattern(lua_State *L) {
  call_request *request = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, request->script->find);
  lua_pushlstring(L, request->subject.data, request->subject.length);
  lua_pushlstring(L, request->pattern.data, request->pattern.length);
  lua_call(L, 2, 1);
  *(bool *)request->result = !lua_isnil(L, -1);
  return 0;
}

static ee_status pattern(ee_script *script, ee_str pattern_text, ee_str subject, bool *result, ee_error *error) {
  call_request request = {.script = script, .pattern = pattern_text, .subject = subject, .result = result};
  return ee_lua_protect(script->lua, call_pattern, &request, NULL, 0, error);
}

/* Opening, cases ------------------------------------------------------------------------------- */

static int open_script(lua_State *L) {
  ee_script *script = lua_touserdata(L, 1);
  open_objects(L, script);
  lua_pushcfunction(L, ee_lua_find);
  script->find = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static void close_script(ee_script *script) {
  if (script == NULL) return;
  ee_lua_free(script->lua);
  ee_free(script);
}

ee_script *ee_lua_script_new(ee_lua *lua, ee_error *error) {
  ee_script *script = ee_calloc(1, sizeof(*script));
  script->lua = lua;
  script->case_generation = UINT64_MAX;
  lua->script = script;
  if (ee_lua_protect(lua, open_script, script, NULL, 0, error) == EE_OK) return script;
  close_script(script);
  return NULL;
}

static ee_script *open(void *host, ee_error *error) {
  ee_lua *lua = ee_rule_file_open_state(host, error);
  return lua == NULL ? NULL : ee_lua_script_new(lua, error);
}

static void begin_case(ee_script *script, const ee_case *current, ee_arena *arena) {
  ee_lua *lua = script->lua;
  ee_lua_values_end(lua);
  lua->current = current;
  lua->arena = arena;
}

static void end_case(ee_script *script) {
  ee_lua *lua = script->lua;
  ee_lua_values_end(lua);
  lua->current = NULL;
  lua->arena = NULL;
}

const ee_script_vtable ee_lua_callbacks = {
    .open = open,
    .close = close_script,
    .begin_case = begin_case,
    .end_case = end_case,
    .strategy = strategy,
    .map = map,
    .similarity = similarity,
    .judge = judge,
    .combine = combine,
    .condition = condition,
    .aggregate = aggregate,
    .pattern = pattern,
};
