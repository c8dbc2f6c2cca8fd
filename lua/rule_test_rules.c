/* rule_test_rules.c: what rules that are tested can do: rules:score(...) and rules:judge(...). */
#include <string.h>

#include "judge/fields/field_list.h"
#include "judge/quality/quality.h"
#include "lua/callbacks.h"
#include "lua/rule_test_run.h"
#include "lua/sandbox.h"
#include "lua/scratch.h"
#include "lua/values.h"

/* A case's memory beyond this is given back before the next. */
#define KEPT_BYTES ((size_t)1 << 22)

static ee_test_rules *check_rules(lua_State *L, ee_test_run *run) {
  ee_test_rules *self = luaL_checkudata(L, 1, EE_TEST_RULES);
  if (self->plan == NULL) luaL_error(L, "rules that did not compile");
  if (run->lua->current != NULL) luaL_error(L, "rules cannot be tried while a case is judged");
  ee_arena_reset(&run->case_arena, KEPT_BYTES);
  run->rule_errors.count = 0;
  return self;
}

/* The value at `index` in the case's arena; NULL for nil. */
static const ee_value *check_value(lua_State *L, ee_test_run *run, int index, const char *what) {
  return ee_test_check_value(L, run, index, &run->case_arena, what);
}

static ee_context make_context(ee_test_run *run, const ee_test_rules *self) {
  ee_context context = ee_open_plan_context(&self->opened, &run->case_arena);
  context.rule_errors = &run->rule_errors;
  return context;
}

/* rules:score ---------------------------------------------------------------------------------- */

/* Whether `name` means `field`: its name, its path, or JUDGE:NAME. */
static bool is_field(const ee_test_field *field, ee_str name) {
  if (ee_str_equal(field->field->name, name) || ee_str_equal(field->field->expected_path->text, name)) return true;
  ee_str judge = field->judge;
  return name.length > judge.length + 1 && memcmp(name.data, judge.data, judge.length) == 0 &&
         name.data[judge.length] == ':' &&
         ee_str_equal(field->field->name, (ee_str){name.data + judge.length + 1, name.length - judge.length - 1});
}

static int raise_unknown_field(lua_State *L, ee_test_run *run, const ee_test_rules *self, const char *name) {
  ee_arena *arena = &run->case_arena;
  const char **names = EE_NEW_ARRAY(arena, const char *, self->field_count + 1);
  for (size_t i = 0; i < self->field_count; i++) {
    ee_str field = self->fields[i].field->name;
    names[i] = ee_arena_copy(arena, field.data, field.length);
  }
  const char *suggestion = ee_did_you_mean(name, names);
  if (suggestion == NULL) return luaL_error(L, "the rules have no field '%s'", name);
  return luaL_error(L, "the rules have no field '%s' (did you mean '%s'?)", name, suggestion);
}

static const ee_field *check_field(lua_State *L, ee_test_run *run, const ee_test_rules *self) {
  ee_str name;
  name.data = luaL_checklstring(L, 2, &name.length);
  const ee_test_field *found = NULL;
  for (size_t i = 0; i < self->field_count; i++) {
    const ee_test_field *field = &self->fields[i];
    if (!is_field(field, name)) continue;
    if (found != NULL) {
      const ee_str first = found->judge, second = field->judge;
      const char *text = ee_arena_printf(&run->case_arena, "'%.*s:%.*s' and '%.*s:%.*s'", (int)first.length, first.data,
                                         (int)found->field->name.length, found->field->name.data, (int)second.length,
                                         second.data, (int)field->field->name.length, field->field->name.data);
      luaL_error(L, "'%s' may be %s", name.data, text);
    }
    found = field;
  }
  if (found == NULL) raise_unknown_field(L, run, self, name.data);
  return found->field;
}

/* A case of the two values, for functions that look at it. */
static void make_case(ee_test_run *run, const ee_value *expected, const ee_value *candidate, ee_case *out) {
  ee_arena *arena = &run->case_arena;
  if (expected == NULL) expected = ee_value_new(arena, EE_NULL);
  ee_value *record = ee_value_new(arena, EE_OBJECT);
  ee_value_set(arena, record, EE_STR("id"), ee_value_new_string(arena, EE_STR("score")));
  ee_value_set(arena, record, EE_STR("expected"), ee_value_copy(arena, expected));
  if (candidate != NULL) ee_value_set(arena, record, EE_STR("candidate"), ee_value_copy(arena, candidate));
  *out = (ee_case){.id = EE_STR("score"),
                   .record = record,
                   .expected = expected,
                   .candidate = candidate,
                   .candidate_state = candidate == NULL ? EE_CANDIDATE_MISSING : EE_CANDIDATE_READ};
}

static void push_reason(lua_State *L, const ee_reason *reason) {
  ee_buffer *text = ee_lua_scratch_buffer(L);
  ee_reason_print(reason, text);
  if (text->length == 0)
    lua_pushnil(L);
  else
    lua_pushlstring(L, text->data, text->length);
}

/* Judges the two values; questions that are open are asked, and the values judged again, until none is. */
static void judge_field(const ee_field *field, ee_context *context, const ee_value *expected, const ee_value *candidate,
                        ee_field_outcome *outcome) {
  static const ee_field_rules rules = {EE_TN_SCORE, EE_UNEXPECTED_FAIL};
  const ee_script_place place = ee_field_place(field, NULL, NULL);
  ee_provider_session *session = context->session;
  ee_provider_session_begin(session, EE_NO_TICKET);
  context->dry_run = ee_provider_session_is_async(session);
  for (unsigned round = 0; context->dry_run; round++) {
    context->pending_answers = 0;
    ee_field_judge(field, rules, context, expected, candidate, &place, outcome);
    bool more = context->pending_answers > 0 && round < EE_PROVIDER_ROUNDS;
    context->dry_run = more && session->vtable->ask(session, NULL) == EE_OK;
  }
  context->is_final_round = true;
  ee_field_judge(field, rules, context, expected, candidate, &place, outcome);
  ee_provider_session_end(session);
}

/* rules:score(field, expected, candidate) -> score, reason or nil */
static int score(lua_State *L) {
  ee_test_run *run = ee_test_run_of(L);
  ee_lua *lua = run->lua;
  lua_settop(L, 4);
  const ee_test_rules *self = check_rules(L, run);
  const ee_field *field = check_field(L, run, self);
  const ee_value *expected = check_value(L, run, 3, "the expected value");
  const ee_value *candidate = check_value(L, run, 4, "the candidate");
  ee_case current;
  make_case(run, expected, candidate, &current);
  ee_context context = make_context(run, self);
  context.current = &current;
  ee_field_outcome outcome;

  bool was_loading = lua->loading;
  lua->loading = false;
  if (context.script != NULL) ee_lua_callbacks.begin_case(context.script, &current, &run->case_arena);
  judge_field(field, &context, expected, candidate, &outcome);
  if (context.script != NULL) ee_lua_callbacks.end_case(context.script);
  lua->loading = was_loading;

  ee_test_pass_on_trip(L, run, &run->rule_errors);
  if (context.rule_error_count > 0) {
    push_reason(L, &outcome.comparison.reason); /* it begins with its place */
    return lua_error(L);
  }
  if (context.provider_failures > 0) {
    push_reason(L, &outcome.comparison.reason);
    return luaL_error(L, "%s", lua_tostring(L, -1));
  }
  lua_pushnumber(L, outcome.score);
  push_reason(L, &outcome.comparison.reason);
  return 2;
}

/* rules:judge ---------------------------------------------------------------------------------- */

static const char *const case_fields[] = {"id", "expected", "candidate", "record", NULL};

/* Refuses a case (the table at 2) with fields that cases do not have. */
static void check_case_fields(lua_State *L) {
  luaL_checktype(L, 2, LUA_TTABLE);
  for (lua_pushnil(L); lua_next(L, 2) != 0; lua_pop(L, 1)) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "[1]";
    const char *const *known = case_fields;
    while (*known != NULL && strcmp(*known, key) != 0) known++;
    if (*known != NULL) continue;
    const char *suggestion = ee_did_you_mean(key, case_fields);
    if (suggestion == NULL) luaL_error(L, "a case has no field '%s'", key);
    luaL_error(L, "a case has no field '%s' (did you mean '%s'?)", key, suggestion);
  }
}

/* Adds the case's field `name`, where it is there, to `record`. */
static void add_part(lua_State *L, ee_test_run *run, ee_value *record, const char *name) {
  lua_pushstring(L, name);
  lua_rawget(L, 2);
  const ee_value *value = check_value(L, run, lua_gettop(L), name);
  if (value != NULL) ee_value_set(&run->case_arena, record, ee_str_from(name), ee_value_copy(&run->case_arena, value));
  lua_pop(L, 1);
}

/* Reads the case at 2: its parts are found as in a data set, in a whole record by the paths of the rules. */
static void read_case(lua_State *L, ee_test_run *run, const ee_test_rules *self, ee_case *out) {
  ee_arena *arena = &run->case_arena;
  check_case_fields(L);
  const ee_record_paths known_names = {NULL, NULL, NULL};
  const ee_record_paths *paths = &self->plan->paths;
  lua_pushliteral(L, "record");
  lua_rawget(L, 2);
  const ee_value *record = check_value(L, run, lua_gettop(L), "record");
  lua_pop(L, 1);
  if (record == NULL) {
    ee_value *made = ee_value_new(arena, EE_OBJECT);
    add_part(L, run, made, "id");
    if (ee_value_count(made) == 0) ee_value_set(arena, made, EE_STR("id"), ee_value_new_string(arena, EE_STR("case")));
    add_part(L, run, made, "expected");
    add_part(L, run, made, "candidate");
    record = made;
    paths = &known_names;
  }
  ee_error error;
  if (ee_record_read(record, paths, 1, arena, out, &error) != EE_OK) luaL_error(L, "%s", error.message);
}

static void push_findings(lua_State *L, const ee_judge_result *results, size_t count, bool hits) {
  lua_newtable(L);
  lua_Integer place = 0;
  for (size_t i = 0; i < count; i++) {
    const ee_finding *findings = hits ? results[i].hits : results[i].misses;
    size_t finding_count = hits ? results[i].hit_count : results[i].miss_count;
    for (size_t k = 0; k < finding_count; k++) {
      ee_buffer *text = ee_lua_scratch_buffer(L);
      ee_finding_print(&findings[k], text);
      lua_pushlstring(L, text->data, text->length);
      lua_rawseti(L, -2, ++place);
    }
  }
}

/* Sets score, verdict, hits and misses in the table on top of the stack. */
static void set_result(lua_State *L, double value, ee_verdict verdict, const ee_judge_result *results, size_t count) {
  lua_pushnumber(L, value);
  lua_setfield(L, -2, "score");
  lua_pushstring(L, ee_verdict_name(verdict));
  lua_setfield(L, -2, "verdict");
  push_findings(L, results, count, true);
  lua_setfield(L, -2, "hits");
  push_findings(L, results, count, false);
  lua_setfield(L, -2, "misses");
}

static void set_count(lua_State *L, const char *name, uint64_t count) {
  lua_pushinteger(L, (lua_Integer)count);
  lua_setfield(L, -2, name);
}

static void set_text(lua_State *L, const char *name, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, name);
}

static void set_number(lua_State *L, const char *name, double number) {
  lua_pushnumber(L, number);
  lua_setfield(L, -2, name);
}

/* Sets `measures`, { name = value }, in the table on top of the stack. */
static void set_measures(lua_State *L, const ee_judge_result *result) {
  const char *const *names = result->judge->type->case_metrics;
  if (names == NULL || result->case_metrics == NULL) return;
  lua_newtable(L);
  for (size_t i = 0; names[i] != NULL; i++) set_number(L, names[i], result->case_metrics[i]);
  lua_setfield(L, -2, "measures");
}

/* Sets `keys`, { path = { bucket, strategy, why, score, similarity, reason } }, in the table on top of the stack. */
static void set_keys(lua_State *L, const ee_quality_result *quality) {
  lua_createtable(L, 0, (int)quality->key_count);
  for (size_t i = 0; i < quality->key_count; i++) {
    const ee_quality_key *key = &quality->keys[i];
    lua_pushlstring(L, key->path.data, key->path.length);
    lua_createtable(L, 0, 6);
    set_text(L, "bucket", ee_quality_bucket_names[key->bucket]);
    set_text(L, "strategy", key->strategy);
    set_text(L, "why", key->why);
    if (key->compared) set_number(L, "score", key->comparison.score);
    if (key->compared && key->comparison.similarity >= 0) set_number(L, "similarity", key->comparison.similarity);
    if (key->compared) {
      push_reason(L, &key->comparison.reason);
      lua_setfield(L, -2, "reason");
    }
    lua_rawset(L, -3);
  }
  lua_setfield(L, -2, "keys");
}

static void push_judge(lua_State *L, const ee_judge_result *result) {
  lua_createtable(L, 0, 8);
  set_result(L, result->score, result->verdict, result, 1);
  lua_pushlstring(L, result->reasoning.data, result->reasoning.length);
  lua_setfield(L, -2, "reasoning");
  lua_createtable(L, 0, (int)result->attribute_count);
  for (size_t i = 0; i < result->attribute_count; i++) {
    const ee_attribute_result *attribute = &result->attributes[i];
    lua_pushlstring(L, attribute->name.data, attribute->name.length);
    lua_createtable(L, 0, 4);
    set_count(L, "tp", attribute->counts.tp);
    set_count(L, "tn", attribute->counts.tn);
    set_count(L, "fp", attribute->counts.fp);
    set_count(L, "fn", attribute->counts.fn);
    lua_rawset(L, -3);
  }
  lua_setfield(L, -2, "metrics");
  set_measures(L, result);
  if (result->quality != NULL) set_keys(L, result->quality);
}

/* Pushes what the rules' functions raised, "FILE:LINE: MESSAGE" each. */
static void push_errors(lua_State *L, const ee_error_list *errors) {
  lua_newtable(L);
  for (size_t i = 0; i < errors->count; i++) {
    ee_buffer *text = ee_lua_scratch_buffer(L);
    ee_error_print(&errors->items[i], text);
    lua_pushlstring(L, text->data, text->length);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* rules:judge(case) -> { score, verdict, hits, misses, errors, judges } */
static int judge(lua_State *L) {
  ee_test_run *run = ee_test_run_of(L);
  ee_lua *lua = run->lua;
  lua_settop(L, 2);
  const ee_test_rules *self = check_rules(L, run);
  ee_case current;
  read_case(L, run, self, &current);
  ee_context context = make_context(run, self);
  ee_case_result result;
  bool was_loading = lua->loading;
  lua->loading = false;
  ee_plan_judge(self->plan, &context, &current, &result);
  lua->loading = was_loading;
  ee_test_pass_on_trip(L, run, &run->rule_errors);

  lua_createtable(L, 0, 6);
  set_result(L, result.score, result.verdict, result.judges, result.judge_count);
  push_errors(L, &run->rule_errors);
  lua_setfield(L, -2, "errors");
  lua_createtable(L, 0, (int)result.judge_count);
  for (size_t i = 0; i < result.judge_count; i++) {
    ee_str name = result.judges[i].judge->name;
    lua_pushlstring(L, name.data, name.length);
    push_judge(L, &result.judges[i]);
    lua_rawset(L, -3);
  }
  lua_setfield(L, -2, "judges");
  return 1;
}

const luaL_Reg ee_test_rules_methods[] = {{"score", score}, {"judge", judge}, {NULL, NULL}};
