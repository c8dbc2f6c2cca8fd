/* callbacks.c: functions of a rule file, called by judges. Each call is one protected call of a trampoline, because
 * already pushing an argument may raise. */
#include "lua/callbacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "lua/answers.h"
#include "lua/dsl.h"
#include "lua/rule_file.h"
#include "lua/script_state.h"
#include "lua/values.h"

/* What a trampoline needs and where its result goes. Which members are used depends on the call. */
typedef struct call_request {
  ee_lua_answer answer;
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

/* Runs `trampoline`; errors without a place of their own stand where the function is defined. */
static ee_status run(call_request *request, lua_CFunction trampoline, ee_error *error) {
  ee_lua *lua = request->script->lua;
  const ee_lua_function *function = &lua->functions[request->answer.function];
  request->answer.lua = lua;
  request->answer.error = error;
  ee_status status = ee_lua_protect(lua, trampoline, request, function->file, function->line, error);
  request->script->place = NULL;
  return status != EE_OK ? status : request->answer.status;
}

static call_request *start(lua_State *L) {
  call_request *request = lua_touserdata(L, 1);
  ee_lua_push_function(request->answer.lua, request->answer.function);
  return request;
}

/* Strategies, similarities, conditions --------------------------------------------------------- */

static int call_strategy(lua_State *L) {
  call_request *request = start(L);
  ee_script *script = request->script;
  ee_lua_push_value(script->lua, request->first);
  ee_lua_push_value(script->lua, request->second);
  script->place = request->place;
  ee_lua_push_call_context(L, script);
  lua_call(L, 3, 2);
  ee_script_score score;
  if (ee_lua_read_score(&request->answer, 2, true, &score.score) &&
      ee_lua_read_text(&request->answer, 3, "reason", &score.reason))
    *(ee_script_score *)request->result = score;
  return 0;
}

static ee_status strategy(ee_script *script, int function, const ee_value *expected, const ee_value *candidate,
                          const ee_script_place *place, ee_script_score *result, ee_error *error) {
  static const ee_script_place nowhere = {.path = {"", 0}};
  call_request request = {.answer = {.function = function, .who = "strategy"},
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
  ee_lua_read_score(&request->answer, 2, true, request->result);
  return 0;
}

static ee_status similarity(ee_script *script, int function, const ee_value *expected_item,
                            const ee_value *candidate_item, double *result, ee_error *error) {
  call_request request = {.answer = {.function = function, .who = "similarity"},
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
  ee_lua_read_value(&request->answer, 2, request->result);
  return 0;
}

static ee_status map(ee_script *script, int function, const ee_value *value, const ee_value **result, ee_error *error) {
  call_request request = {
      .answer = {.function = function, .who = "function"}, .script = script, .first = value, .result = result};
  return run(&request, call_map, error);
}

static int call_condition(lua_State *L) {
  call_request *request = start(L);
  ee_lua_push_case(L, request->script);
  lua_call(L, 1, 1);
  ee_lua_read_condition(&request->answer, 2, request->result);
  return 0;
}

static ee_status condition(ee_script *script, int function, bool *result, ee_error *error) {
  call_request request = {.answer = {.function = function, .who = "condition"}, .script = script, .result = result};
  return run(&request, call_condition, error);
}

/* Judges and aggregations ---------------------------------------------------------------------- */

static int call_judge(lua_State *L) {
  call_request *request = start(L);
  ee_lua_push_case(L, request->script);
  lua_call(L, 1, 2);
  ee_script_judgement judgement;
  if (ee_lua_read_judgement(&request->answer, 2, &judgement)) *(ee_script_judgement *)request->result = judgement;
  return 0;
}

static ee_status judge(ee_script *script, int function, ee_script_judgement *result, ee_error *error) {
  call_request request = {.answer = {.function = function, .who = "judge"}, .script = script, .result = result};
  return run(&request, call_judge, error);
}

static void set_number(lua_State *L, const char *name, double number) {
  lua_pushnumber(L, number);
  lua_setfield(L, -2, name);
}
static void set_count(lua_State *L, const char *name, lua_Integer count) {
  lua_pushinteger(L, count);
  lua_setfield(L, -2, name);
}

/* Pushes { name, scored, score, weight, tp, tn, fp, fn }. */
static void push_part(lua_State *L, const ee_script_part *part) {
  lua_createtable(L, 0, 8);
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
}

/* The parts are found by place and by name. */
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
  ee_lua_read_score(&request->answer, 2, false, request->result);
  return 0;
}

static ee_status aggregate(ee_script *script, int function, const ee_script_part *parts, size_t count, double *result,
                           ee_error *error) {
  call_request request = {.answer = {.function = function, .who = "function"},
                          .script = script,
                          .parts = parts,
                          .part_count = count,
                          .result = result};
  return run(&request, call_aggregate, error);
}

/* The numbers in a table by their names, with the case behind it. */
static int call_combine(lua_State *L) {
  call_request *request = start(L);
  ee_lua_push_parts(L, request->numbers, request->number_count);
  ee_lua_push_case(L, request->script);
  lua_call(L, 2, 1);
  ee_lua_read_score(&request->answer, 2, true, request->result);
  return 0;
}

/* How messages call the function: only a formula is told how safe the answer is. */
static const char *combiner_name(const ee_script_number *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(numbers[i].name, "safety") == 0) return "formula";
  }
  return "safety";
}

static ee_status combine(ee_script *script, int function, const ee_script_number *numbers, size_t count, double *result,
                         ee_error *error) {
  call_request request = {.answer = {.function = function, .who = combiner_name(numbers, count)},
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
  ee_lua_call_context_open(L, script);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, "string");
  lua_getfield(L, -1, "find");
  script->find = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static void close_script(ee_script *script) {
  if (script == NULL) return;
  ee_lua_free(script->lua);
  free(script);
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
  lua->generation++;
  lua->current = current;
  lua->arena = arena;
  if (lua->slot != NULL) ee_watchdog_case(lua->slot, current->id);
}

static void end_case(ee_script *script) {
  ee_lua *lua = script->lua;
  lua->generation++;
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
