/* rule_test.c: running a test file. describe and it collect the tests while the file loads, then each test is a call of
 * its own. compile and load_rules give a test its rules, with the methods score, judge, summary and
 * report. */
#include "lua/rule_test.h"

#include <string.h>

#include "base/buffer.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/runtime.h"
#include "data/json/json_reader.h"
#include "judge/case.h"
#include "judge/fields/field.h"
#include "judge/plan.h"
#include "judge/script.h"
#include "lua/callbacks.h"
#include "lua/collect.h"
#include "lua/read_rules.h"
#include "lua/rule_test_expect.h"
#include "lua/sandbox.h"
#include "lua/values.h"

typedef struct test_item {
  const char *name; /* "describe > it", on one line */
  int reference;    /* of its function, in the registry */
  const char *file; /* where `it` was called; NULL when unknown */
  size_t line;
} test_item;

typedef struct test_run {
  ee_lua *lua; /* owned by `script` */
  ee_script *script;
  const ee_rule_test_options *options;
  const char *path; /* of the test file */
  ee_arena arena;   /* names and list of the tests */
  ee_buffer prefix; /* of the next test's name: "describe > " */
  struct {
    EE_LIST(test_item);
  } tests;
  bool running; /* the file is loaded and its tests run */

  ee_arena case_arena;       /* of the current or last case */
  ee_error_list rule_errors; /* raised by rules in that case */
  ee_error trip;             /* a limit that rules exceeded, with its place; status EE_OK: none */

  ee_expectations expectations;
} test_run;

/* The run of the current C function: its upvalue 1. */
static inline test_run *run_of(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

/* The name of the rules' metatable in the registry. */
#define RULES "rules"

/* A field of one of the judges. */
typedef struct test_field {
  ee_str judge;
  const ee_field *field;
} test_field;

/* What compile and load_rules return: a full userdata. */
typedef struct test_rules {
  ee_arena arena;
  ee_error_list errors;   /* of compiling or loading */
  ee_rule_family *family; /* of compile: the rule files that judges load; else NULL */
  ee_rule_file *file;     /* of load_rules; else NULL */
  const ee_plan *plan;    /* NULL until the rules are usable */
  test_field *fields;
  size_t field_count;
  ee_provider *provider; /* NULL: not needed */
  ee_open_plan opened;
} test_rules;

/* Rules of a test ------------------------------------------------------------------------------ */

/* Ends the test when a limit tripped in its own state; `errors` describe it, and the first one has its place. */
static void pass_on_trip(lua_State *L, test_run *run, const ee_error_list *errors) {
  const ee_lua *lua = run->lua;
  if (!ee_lua_has_tripped(lua)) return;
  if (errors->count > 0 && run->trip.status == EE_OK) run->trip = errors->items[0];
  lua_pushnil(L);
  lua_error(L);
}

/* The value at `index` in `arena`; NULL for nil. Raises "WHAT holds ..." for anything that is not a JSON value. */
static const ee_value *check_value_in(lua_State *L, test_run *run, int index, ee_arena *arena, const char *what) {
  const char *why;
  const ee_value *value = ee_lua_to_value(run->lua, index, arena, &why);
  if (value == NULL && why != NULL) luaL_error(L, "%s holds %s", what, why);
  return value;
}

static int collect_rules(lua_State *L) {
  test_rules *self = lua_touserdata(L, 1);
  ee_open_plan_fini(&self->opened);
  if (self->provider != NULL) self->provider->vtable->free(self->provider);
  ee_rule_file_free(self->file);
  ee_rule_family_free(self->family);
  ee_error_list_fini(&self->errors);
  ee_arena_fini(&self->arena);
  return 0;
}

/* Pushes rules without a plan. */
static test_rules *push_rules(lua_State *L) {
  test_rules *self = lua_newuserdatauv(L, sizeof *self, 0);
  *self = (test_rules){.plan = NULL};
  ee_arena_init(&self->arena, 0);
  ee_error_list_init(&self->errors);
  luaL_setmetatable(L, RULES);
  return self;
}

/* Raises the text of `run` with its place; `file` may be NULL. */
static int raise_text(lua_State *L, const test_run *run, const char *file, size_t line) {
  return ee_lua_raise_at(L, file, line, (ee_str){run->expectations.text.data, run->expectations.text.length});
}

/* Raises an error that lists the mistakes of the rules on one line. */
static int raise_mistakes(lua_State *L, test_run *run, test_rules *self) {
  size_t count = self->errors.count;
  ee_error_list_sort(&self->errors);
  ee_buffer_clear(&run->expectations.text);
  ee_buffer_addf(&run->expectations.text, "the rules have %zu mistake%s", count, count == 1 ? "" : "s");
  for (size_t i = 0; i < count; i++) {
    ee_buffer_add_text(&run->expectations.text, i == 0 ? ": " : "; ");
    ee_error_print(&self->errors.items[i], &run->expectations.text);
  }
  const char *file;
  size_t line;
  ee_lua_place(L, 1, &file, &line);
  return raise_text(L, run, file, line);
}

/* Opening -------------------------------------------------------------------------------------- */

static void add_fields(test_rules *self, const ee_judge *judge) {
  const ee_field_list *list = judge->fields;
  if (list == NULL) return;
  test_field *fields = EE_NEW_ARRAY(&self->arena, test_field, self->field_count + list->count);
  if (self->field_count > 0) memcpy(fields, self->fields, self->field_count * sizeof *fields);
  self->fields = fields;
  for (size_t i = 0; i < list->count; i++)
    fields[self->field_count++] = (test_field){.judge = judge->name, .field = &list->fields[i]};
}

/* Opens what judging by `plan` needs: the script (`script`, or a new one when that is NULL), the provider and the
 * states of judges. Raises an error when that fails. */
static void open_rules(lua_State *L, test_run *run, test_rules *self, const ee_plan *plan, ee_script *script) {
  for (size_t i = 0; i < plan->judge_count; i++) add_fields(self, plan->judges[i]);

  ee_error error = {.status = EE_OK};
  ee_provider_opener *opener = run->options->open_provider;
  bool needs_provider = plan->needs_provider && opener != NULL;
  if (needs_provider) self->provider = opener(&plan->provider, &error);
  bool good = !needs_provider || self->provider != NULL;
  if (good) {
    ee_status status = script != NULL
                           ? ee_open_plan_init_with(&self->opened, plan, script, self->provider, NULL, &error)
                           : ee_open_plan_init(&self->opened, plan, self->provider, NULL, &error);
    good = status == EE_OK;
  }
  self->plan = plan;
  if (good) return;
  const char *file = error.file[0] != '\0' ? error.file : plan->provider.rule_file;
  size_t line = error.file[0] != '\0' ? error.line : plan->provider.line;
  ee_buffer_clear(&run->expectations.text);
  ee_buffer_add_text(&run->expectations.text, error.message);
  raise_text(L, run, file, line);
}

/* compile -------------------------------------------------------------------------------------- */

/* compile(ee.rules { ... }) -> rules; their functions stay in the test's own state. */
static int compile(lua_State *L) {
  test_run *run = run_of(L);
  luaL_checkany(L, 1);
  ee_lua_check_rules(L, 1, "compile");
  const char *file;
  size_t line;
  ee_lua_place(L, 1, &file, &line);
  test_rules *self = push_rules(L);
  lua_pushvalue(L, 1);
  const ee_rule_node *root = ee_lua_read_rules(run->lua, &self->arena, file, &self->errors);
  pass_on_trip(L, run, &self->errors);
  ee_plan *plan = NULL;
  self->family = ee_rule_family_new(&run->options->load);
  ee_rule_link link = {self->family, run->path, NULL};
  ee_rules_loader loader = ee_rule_family_loader(&link);
  if (root != NULL) plan = ee_plan_compile_with(&self->arena, root, &ee_lua_callbacks, NULL, &loader, &self->errors);
  if (self->errors.count > 0) return raise_mistakes(L, run, self);
  if (plan == NULL) return luaL_error(L, "compile takes ee.rules { ... }");
  open_rules(L, run, self, plan, run->script);
  return 1;
}

/* load_rules ----------------------------------------------------------------------------------- */

static const char *const load_fields[] = {"config", NULL};

/* The config in the table at 2, in `arena`; NULL when there is none. A string is read as JSON, so that a config can
 * have empty arrays. */
static const ee_value *check_config(lua_State *L, test_run *run, ee_arena *arena) {
  if (lua_isnil(L, 2)) return NULL;
  luaL_checktype(L, 2, LUA_TTABLE);
  for (lua_pushnil(L); lua_next(L, 2) != 0; lua_pop(L, 1)) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "[1]";
    if (strcmp(key, load_fields[0]) == 0) continue;
    const char *suggestion = ee_did_you_mean(key, load_fields);
    if (suggestion == NULL) luaL_error(L, "load_rules has no option '%s'", key);
    luaL_error(L, "load_rules has no option '%s' (did you mean '%s'?)", key, suggestion);
  }
  lua_pushliteral(L, "config");
  lua_rawget(L, 2);
  const ee_value *config = check_value_in(L, run, lua_gettop(L), arena, "config");
  if (ee_type_of(config) == EE_STRING) {
    ee_error error = {.status = EE_OK};
    config = ee_json_read(arena, ee_value_text(config), NULL, &error);
    if (config == NULL) luaL_error(L, "config is not JSON: %s", error.message);
  }
  if (config != NULL && ee_type_of(config) != EE_OBJECT)
    luaL_error(L, "config must be an object, got a value of type %s", ee_type_name(config));
  return config;
}

/* load_rules(file [, { config = ... }]) -> rules: the file of that name beside the test, loaded in its own state as for
 * an evaluation. */
static int load_rules(lua_State *L) {
  test_run *run = run_of(L);
  ee_str name;
  name.data = luaL_checklstring(L, 1, &name.length);
  lua_settop(L, 2);
  test_rules *self = push_rules(L);
  ee_rule_file_options options = run->options->load;
  options.config = check_config(L, run, &self->arena);
  /* A parameter may be meant for another file of the same run. */
  options.parameters = EE_NEW_ARRAY(&self->arena, ee_lua_parameter, options.parameter_count);
  for (size_t i = 0; i < options.parameter_count; i++) {
    options.parameters[i] = run->options->load.parameters[i];
    options.parameters[i].used = true;
  }
  lua_settop(L, 3);
  self->file = ee_rule_file_load(ee_file_name_beside(&self->arena, run->path, name), &options, &self->errors);
  if (self->file == NULL) return raise_mistakes(L, run, self);
  open_rules(L, run, self, ee_rule_file_plan(self->file), NULL);
  return 1;
}

/* Memory of a case that is kept for the next. */
#define KEPT_BYTES ((size_t)1 << 22)

static test_rules *check_rules(lua_State *L, test_run *run) {
  test_rules *self = luaL_checkudata(L, 1, RULES);
  if (self->plan == NULL) luaL_error(L, "rules that did not compile");
  if (run->lua->current != NULL) luaL_error(L, "rules cannot be tested while a case is judged");
  ee_arena_reset(&run->case_arena, KEPT_BYTES);
  run->rule_errors.count = 0;
  return self;
}

/* The value at `index` in the case's arena; NULL for nil. */
static const ee_value *check_value(lua_State *L, test_run *run, int index, const char *what) {
  return check_value_in(L, run, index, &run->case_arena, what);
}

static ee_context make_context(test_run *run, const test_rules *self) {
  ee_context context = ee_open_plan_context(&self->opened, &run->case_arena);
  context.rule_errors = &run->rule_errors;
  return context;
}

/* rules:score ---------------------------------------------------------------------------------- */

/* Whether `name` means `field`: its name, its path, or JUDGE:NAME. */
static bool is_field(const test_field *field, ee_str name) {
  if (ee_str_equal(field->field->name, name) || ee_str_equal(field->field->expected_path->text, name)) return true;
  ee_str judge = field->judge;
  return name.length > judge.length + 1 && memcmp(name.data, judge.data, judge.length) == 0 &&
         name.data[judge.length] == ':' &&
         ee_str_equal(field->field->name, (ee_str){name.data + judge.length + 1, name.length - judge.length - 1});
}

static int raise_unknown_field(lua_State *L, test_run *run, const test_rules *self, const char *name) {
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

static const ee_field *check_field(lua_State *L, test_run *run, const test_rules *self) {
  ee_str name;
  name.data = luaL_checklstring(L, 2, &name.length);
  const test_field *found = NULL;
  for (size_t i = 0; i < self->field_count; i++) {
    const test_field *field = &self->fields[i];
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
  // cppcheck-suppress nullPointer; raise_unknown_field() does not return
  return found->field; // NOLINT(clang-analyzer-core.NullDereference): for the same reason
}

/* A case with the two values, for functions that read the case. */
static void make_case(test_run *run, const ee_value *expected, const ee_value *candidate, ee_case *out) {
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

/* Judges the two values. While requests are pending, they are sent and the values are judged again. */
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
  test_run *run = run_of(L);
  ee_lua *lua = run->lua;
  lua_settop(L, 4);
  const test_rules *self = check_rules(L, run);
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

  pass_on_trip(L, run, &run->rule_errors);
  if (context.rule_error_count > 0 || context.given_up > 0) {
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

/* Raises an error when the table at `index` has a field that cases do not have. */
static void check_case_fields(lua_State *L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "[1]";
    const char *const *known = case_fields;
    while (*known != NULL && strcmp(*known, key) != 0) known++;
    if (*known != NULL) continue;
    const char *suggestion = ee_did_you_mean(key, case_fields);
    if (suggestion == NULL) luaL_error(L, "a case has no field '%s'", key);
    luaL_error(L, "a case has no field '%s' (did you mean '%s'?)", key, suggestion);
  }
}

/* Adds the field `name` of the case at `index`, if it is set, to `record`. */
static void add_part(lua_State *L, test_run *run, int index, ee_value *record, const char *name) {
  lua_pushstring(L, name);
  lua_rawget(L, index);
  const ee_value *value = check_value(L, run, lua_gettop(L), name);
  if (value != NULL) ee_value_set(&run->case_arena, record, ee_str_from(name), ee_value_copy(&run->case_arena, value));
  lua_pop(L, 1);
}

/* Reads the case at `index`. Its fields have the names of a data set; in a whole record the paths of the rules apply.
 */
static void read_case(lua_State *L, test_run *run, const test_rules *self, int index, ee_case *out) {
  ee_arena *arena = &run->case_arena;
  check_case_fields(L, index);
  const ee_record_paths *paths = &self->plan->paths;
  const ee_record_paths known_names = {.keep_text = paths->keep_text,
                                       .keep_options = paths->keep_options,
                                       .looks_inside = paths->looks_inside,
                                       .expected_optional = paths->expected_optional};
  lua_pushliteral(L, "record");
  lua_rawget(L, index);
  const ee_value *record = check_value(L, run, lua_gettop(L), "record");
  lua_pop(L, 1);
  if (record == NULL) {
    ee_value *made = ee_value_new(arena, EE_OBJECT);
    add_part(L, run, index, made, "id");
    if (ee_value_count(made) == 0) ee_value_set(arena, made, EE_STR("id"), ee_value_new_string(arena, EE_STR("case")));
    add_part(L, run, index, made, "expected");
    add_part(L, run, index, made, "candidate");
    record = made;
    paths = &known_names;
  }
  ee_error error;
  if (ee_record_read(record, paths, &(ee_record_place){.line = 1}, arena, out, &error) != EE_OK)
    luaL_error(L, "%s", error.message);
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

/* Sets `case_metrics`, { name = value }, in the table on top of the stack; without those that the case does not have.
 */
static void set_case_metrics(lua_State *L, const ee_judge_result *result) {
  const char *const *names = ee_judge_case_metrics(result->judge);
  if (names == NULL || result->case_metrics == NULL) return;
  lua_newtable(L);
  for (size_t i = 0; names[i] != NULL; i++)
    if (result->case_metrics[i] >= 0) set_number(L, names[i], result->case_metrics[i]);
  lua_setfield(L, -2, "case_metrics");
}

/* Sets `keys`, { path = { bucket, strategy, why, score, similarity, reason } }, in the table on top of the stack. */
static void set_keys(lua_State *L, const ee_judged_key *keys, size_t count) {
  lua_createtable(L, 0, (int)count);
  for (size_t i = 0; i < count; i++) {
    const ee_judged_key *key = &keys[i];
    lua_pushlstring(L, key->path.data, key->path.length);
    lua_createtable(L, 0, 6);
    set_text(L, "bucket", key->bucket);
    set_text(L, "strategy", key->strategy);
    set_text(L, "why", key->why);
    if (key->compared) set_number(L, "score", key->score);
    if (key->compared && key->similarity >= 0) set_number(L, "similarity", key->similarity);
    if (key->compared) {
      push_reason(L, &key->reason);
      lua_setfield(L, -2, "reason");
    }
    lua_rawset(L, -3);
  }
  lua_setfield(L, -2, "keys");
}

static void push_judge(lua_State *L, const ee_judge_result *result, ee_arena *arena) {
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
  set_case_metrics(L, result);
  if (result->judge->type->list_keys == NULL) return;
  size_t count;
  const ee_judged_key *keys = result->judge->type->list_keys(result, arena, &count);
  set_keys(L, keys, count);
}

/* Pushes the errors of the rules' functions, "FILE:LINE: MESSAGE" each. */
static void push_errors(lua_State *L, const ee_error_list *errors) {
  lua_newtable(L);
  for (size_t i = 0; i < errors->count; i++) {
    ee_buffer *text = ee_lua_scratch_buffer(L);
    ee_error_print(&errors->items[i], text);
    lua_pushlstring(L, text->data, text->length);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* Judges a case, whose work does not count against that of the test file. An interrupt is raised by the next work of
 * the file. */
static void judge_apart(const ee_plan *plan, ee_context *context, const ee_case *current, ee_case_result *result) {
  ee_work_trap apart;
  ee_work_pause(&apart);
  ee_plan_judge(plan, context, current, result);
  ee_work_resume(&apart);
}

/* rules:judge(case) -> { score, verdict, hits, misses, errors, judges } */
static int judge(lua_State *L) {
  test_run *run = run_of(L);
  ee_lua *lua = run->lua;
  lua_settop(L, 2);
  const test_rules *self = check_rules(L, run);
  ee_case current;
  read_case(L, run, self, 2, &current);
  ee_context context = make_context(run, self);
  ee_case_result result;
  bool was_loading = lua->loading;
  lua->loading = false;
  judge_apart(self->plan, &context, &current, &result);
  lua->loading = was_loading;
  pass_on_trip(L, run, &run->rule_errors);

  lua_createtable(L, 0, 6);
  set_result(L, result.score, result.verdict, result.judges, result.judge_count);
  push_errors(L, &run->rule_errors);
  lua_setfield(L, -2, "errors");
  lua_createtable(L, 0, (int)result.judge_count);
  for (size_t i = 0; i < result.judge_count; i++) {
    ee_str name = result.judges[i].judge->name;
    lua_pushlstring(L, name.data, name.length);
    push_judge(L, &result.judges[i], &run->case_arena);
    lua_rawset(L, -3);
  }
  lua_setfield(L, -2, "judges");
  return 1;
}

/* rules:summary, rules:report ------------------------------------------------------------------ */

/* Cases that are judged for functions that collect results. */
typedef struct collecting {
  test_run *run;
  const test_rules *rules;
  const ee_report_rule *report; /* NULL: only summaries */
  ee_case *cases;
  size_t count;
  ee_collector *collector; /* the members from here on are freed by end_collecting() */
  ee_totals totals;
  ee_buffer row, text;
  ee_error first; /* error of a function; EE_OK: none */
} collecting;

/* Reads the array of cases at 3; may raise. */
static void read_cases(lua_State *L, collecting *self) {
  luaL_checktype(L, 3, LUA_TTABLE);
  self->count = (size_t)lua_rawlen(L, 3);
  self->cases = EE_NEW_ARRAY(&self->run->case_arena, ee_case, self->count + 1);
  for (size_t i = 0; i < self->count; i++) {
    lua_rawgeti(L, 3, (lua_Integer)i + 1);
    read_case(L, self->run, self->rules, lua_gettop(L), &self->cases[i]);
    lua_pop(L, 1);
  }
}

static void keep_first(void *user, const ee_error *error) {
  collecting *self = user;
  if (self->first.status == EE_OK) self->first = *error;
}

/* Judges the cases and gives them to the functions. Raises nothing. */
static void collect_cases(collecting *self) {
  test_run *run = self->run;
  const ee_plan *plan = self->rules->plan;
  bool was_loading = run->lua->loading;
  run->lua->loading = false;
  ee_totals_init(&self->totals, plan);
  self->collector = self->rules->file != NULL
                        ? ee_collector_open(self->rules->file, self->report, keep_first, self, &self->first)
                        : ee_collector_new(plan, self->report, run->lua, false, keep_first, self, &self->first);
  for (size_t i = 0; i < self->count && self->collector != NULL; i++) {
    ee_context context = make_context(run, self->rules);
    ee_case_result result;
    judge_apart(plan, &context, &self->cases[i], &result);
    ee_totals_add(&self->totals, &result, &run->case_arena);
    ee_buffer_clear(&self->row);
    run->options->write.row(&result, &run->case_arena, &self->row);
    ee_collector_add(self->collector, (ee_str){self->row.data, self->row.length}, &self->text);
  }
  ee_totals_finish(&self->totals);
  if (self->collector != NULL) ee_collector_finish(self->collector);
  run->lua->loading = was_loading;
}

static void write_end(collecting *self) {
  if (self->report == NULL || self->collector == NULL) return;
  ee_buffer_clear(&self->row);
  self->run->options->write.document(&self->totals, ee_collector_finish(self->collector), &self->row);
  ee_collector_done(self->collector, (ee_str){self->row.data, self->row.length}, &self->text);
}

/* Frees what collecting held; raises the first error of a function. */
static void end_collecting(lua_State *L, collecting *self) {
  ee_collector_free(self->collector);
  ee_totals_fini(&self->totals);
  ee_buffer_fini(&self->row);
  ee_buffer_fini(&self->text);
  pass_on_trip(L, self->run, &self->run->rule_errors);
  if (self->first.status == EE_OK) return;
  ee_buffer_clear(&self->run->expectations.text);
  ee_buffer_add_text(&self->run->expectations.text, self->first.message);
  raise_text(L, self->run, self->first.file[0] != '\0' ? self->first.file : NULL, self->first.line);
}

static int raise_unknown(lua_State *L, test_run *run, const char *what, const char *name,
                         ee_str (*name_of)(const ee_plan *, size_t), const ee_plan *plan, size_t count) {
  const char **names = EE_NEW_ARRAY(&run->case_arena, const char *, count + 1);
  for (size_t i = 0; i < count; i++) {
    ee_str own = name_of(plan, i);
    names[i] = ee_arena_copy(&run->case_arena, own.data, own.length);
  }
  return luaL_error(L, "the rules have no %s '%s'%s", what, name,
                    ee_suggestion(&run->case_arena, ee_str_from(name), names));
}

static ee_str summary_name(const ee_plan *plan, size_t i) { return plan->summaries[i].name; }
static ee_str report_name(const ee_plan *plan, size_t i) { return plan->reports[i].name; }

/* rules:summary(name, cases) -> value */
static int summary(lua_State *L) {
  test_run *run = run_of(L);
  lua_settop(L, 3);
  collecting self = {.run = run, .rules = check_rules(L, run)};
  const ee_plan *plan = self.rules->plan;
  ee_str name;
  name.data = luaL_checklstring(L, 2, &name.length);
  size_t number = 0;
  while (number < plan->summary_count && !ee_str_equal(plan->summaries[number].name, name)) number++;
  if (number == plan->summary_count)
    return raise_unknown(L, run, "summary", name.data, summary_name, plan, plan->summary_count);
  read_cases(L, &self);
  collect_cases(&self);
  const ee_value *value = NULL;
  if (self.collector != NULL) {
    value = ee_collector_finish(self.collector).items[number].value;
    value = ee_value_copy(&run->case_arena, value);
  }
  end_collecting(L, &self);
  ee_lua_push_copy(run->lua, value);
  return 1;
}

/* rules:report(name, cases) -> text */
static int report(lua_State *L) {
  test_run *run = run_of(L);
  lua_settop(L, 3);
  collecting self = {.run = run, .rules = check_rules(L, run)};
  const ee_plan *plan = self.rules->plan;
  ee_str name;
  name.data = luaL_checklstring(L, 2, &name.length);
  self.report = ee_report_rule_find(plan, name);
  if (self.report == NULL) return raise_unknown(L, run, "report", name.data, report_name, plan, plan->report_count);
  read_cases(L, &self);
  collect_cases(&self);
  write_end(&self);
  ee_str text = {ee_arena_copy(&run->case_arena, self.text.data, self.text.length), self.text.length};
  end_collecting(L, &self);
  lua_pushlstring(L, text.data, text.length);
  return 1;
}

static const luaL_Reg rules_methods[] = {
    {"score", score}, {"judge", judge}, {"summary", summary}, {"report", report}, {NULL, NULL}};

/* Collecting ----------------------------------------------------------------------------------- */

/* Appends a name, with spaces for control characters: a report has one line for each test. */
static void add_name(ee_buffer *out, const char *name, size_t length) {
  for (size_t i = 0; i < length; i++) ee_buffer_add_char(out, (unsigned char)name[i] < ' ' ? ' ' : name[i]);
}

/* The arguments of describe and it: a name and a function. */
static const char *check_arguments(lua_State *L, const test_run *run, const char *who, size_t *length) {
  if (run->running) luaL_error(L, "'%s' is called inside a test", who);
  const char *name = luaL_checklstring(L, 1, length);
  if (ee_utf8_valid_prefix(name, *length) != *length) luaL_argerror(L, 1, "not valid UTF-8");
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  return name;
}

static int describe(lua_State *L) {
  test_run *run = run_of(L);
  size_t length, before = run->prefix.length;
  const char *name = check_arguments(L, run, "describe", &length);
  add_name(&run->prefix, name, length);
  ee_buffer_add_text(&run->prefix, " > ");
  lua_call(L, 0, 0);
  run->prefix.length = before;
  return 0;
}

static int it(lua_State *L) {
  test_run *run = run_of(L);
  size_t length, before = run->prefix.length;
  const char *name = check_arguments(L, run, "it", &length);
  test_item item = {.reference = luaL_ref(L, LUA_REGISTRYINDEX)};
  ee_lua_place(L, 1, &item.file, &item.line);
  add_name(&run->prefix, name, length);
  item.name = ee_arena_copy(&run->arena, run->prefix.data, run->prefix.length);
  run->prefix.length = before;
  *EE_LIST_ADD(&run->tests, &run->arena) = item;
  return 0;
}

static int open_globals(lua_State *L) {
  test_run *run = lua_touserdata(L, 1);
  ee_lua_define_function(L, run, "describe", describe);
  ee_lua_define_function(L, run, "it", it);
  ee_lua_define_function(L, run, "compile", compile);
  ee_lua_define_function(L, run, "load_rules", load_rules);
  ee_expect_open(L, &run->expectations);
  ee_lua_open_methods(L, run, RULES, rules_methods);
  luaL_getmetatable(L, RULES);
  lua_pushcfunction(L, collect_rules);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
  return 0;
}

/* Running -------------------------------------------------------------------------------------- */

/* Runs `test`; false with `error` when it failed. */
static bool run_test(test_run *run, const test_item *test, ee_error *error) {
  ee_lua *lua = run->lua;
  run->trip = (ee_error){.status = EE_OK};
  run->expectations.unchecked = 0;
  run->rule_errors.count = 0;
  /* A test may build rules and require files as a rule file may. */
  lua->loading = true;
  lua_rawgeti(lua->L, LUA_REGISTRYINDEX, test->reference);
  ee_status status = ee_lua_call(lua, 0, 0, error);
  lua->loading = false;
  if (status != EE_OK && run->trip.status != EE_OK) *error = run->trip;
  if (status == EE_OK && lua->mistakes.count > 0) {
    *error = lua->mistakes.items[0];
    status = EE_ERROR_RULES;
  }
  lua->mistakes.count = 0;
  if (status == EE_OK && run->expectations.unchecked > 0)
    status = ee_error_at(error, EE_ERROR_RULES, run->expectations.unchecked_file, run->expectations.unchecked_line, 0,
                         "expect without a check, such as :equals(...)");
  return status == EE_OK;
}

static void report_failure(const test_item *test, const ee_error *error, ee_buffer *out) {
  if (error->file[0] != '\0') ee_add_shown(out, "", ee_str_from(error->file), ":");
  if (error->line != 0) ee_buffer_addf(out, "%zu:", error->line);
  ee_add_shown(out, error->file[0] != '\0' ? " " : "", ee_str_from(test->name), ": ");
  ee_add_shown(out, "", ee_str_from(error->message), "\n");
}

static void run_tests(test_run *run, ee_buffer *out, ee_rule_test_totals *totals) {
  const ee_rule_test_options *options = run->options;
  run->running = true;
  for (size_t i = 0; i < run->tests.count; i++) {
    const test_item *test = &run->tests.items[i];
    ee_error error = {0};
    bool passed = run_test(run, test, &error);
    if (!passed && error.file[0] == '\0')
      ee_error_at(&error, error.status, test->file, test->line, 0, "%s", error.message);
    if (options->done != NULL) options->done(options->user, test->name, passed ? NULL : &error);
    if (passed) {
      totals->passed++;
      if (options->verbose) ee_add_shown(out, "passed: ", ee_str_from(test->name), "\n");
    } else {
      totals->failed++;
      report_failure(test, &error, out);
    }
  }
}

/* Loads the file, which collects its tests. */
static ee_status load(test_run *run, const char *path, ee_error *error) {
  ee_lua *lua = run->lua;
  ee_status status = ee_lua_protect(lua, open_globals, run, path, 0, error);
  if (status != EE_OK) return status;
  status = ee_lua_run_file(lua, path, error);
  if (status != EE_OK) {
    if (run->trip.status != EE_OK) *error = run->trip;
    return status;
  }
  lua_pop(lua->L, 1);
  if (lua->mistakes.count == 0) return EE_OK;
  *error = lua->mistakes.items[0];
  return error->status;
}

ee_status ee_rule_test_run(const char *path, const ee_rule_test_options *options, ee_buffer *out,
                           ee_rule_test_totals *totals, ee_error *error) {
  *totals = (ee_rule_test_totals){0};
  ee_error ignored;
  if (error == NULL) error = &ignored;
  const ee_rule_file_options *load_options = &options->load;
  ee_lua *lua = ee_lua_new(path, load_options->limits, load_options->parameters, load_options->parameter_count,
                           load_options->config, error);
  if (lua == NULL) return EE_ERROR_RULES;
  test_run run = {.lua = lua, .script = ee_lua_script_new(lua, error), .options = options, .path = path};
  if (run.script == NULL) return EE_ERROR_RULES;
  ee_arena_init(&run.arena, 0);
  ee_arena_init(&run.case_arena, 0);
  ee_buffer_init(&run.prefix);
  ee_buffer_init(&run.expectations.text);
  ee_error_list_init(&run.rule_errors);
  run.expectations.rule_errors = &run.rule_errors;

  ee_status status = load(&run, path, error);
  if (status == EE_OK) run_tests(&run, out, totals);
  ee_lua_callbacks.close(run.script);
  ee_arena_fini(&run.arena);
  ee_arena_fini(&run.case_arena);
  ee_buffer_fini(&run.prefix);
  ee_buffer_fini(&run.expectations.text);
  ee_error_list_fini(&run.rule_errors);
  return status;
}
