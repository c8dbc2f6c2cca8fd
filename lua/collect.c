/* collect.c: calling the functions of ee.summary and ee.report, and the tables that they get. */
#include "lua/collect.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/json/json_reader.h"
#include "judge/script.h"
#include "lua/plain_text.h"
#include "lua/read_rules.h"
#include "lua/values.h"

/* Memory of a case that is kept for the next. */
#define KEPT_BYTES ((size_t)1 << 20)
#define ID_SHOWN 100 /* bytes of a case's id in a message */

typedef struct summary {
  const ee_summary_rule *rule;
  int state;    /* in the registry */
  int later;    /* the same: a state that is to be merged with it */
  bool running; /* init has returned a state */
  uint64_t errors;
  const char *example;
} summary;

struct ee_collector {
  const ee_plan *plan;
  const ee_report_rule *report; /* NULL: none */
  ee_lua *lua;
  bool owned;
  ee_collector_report *on_error;
  void *user;
  summary *summaries;
  ee_summary_value *values; /* NULL until finished */
  uint64_t errors;
  ee_arena kept;  /* values of summaries, messages */
  ee_arena arena; /* of the call */
  ee_case current;
};

/* What the functions get ------------------------------------------------------------------------ */

/* Members of a row that are not always there. */
static const char *const optional_members[] = {
    "unscored",  "slices",        "measures",   "candidate_state", "repairs", "rule_errors", "provider_failures",
    "truncated", "expected_hash", "rules_hash", "version",         "detail",  "schema",      NULL};

static bool is_one_of(ee_str name, const char *const *names) {
  while (*names != NULL && !ee_str_is(name, *names)) names++;
  return *names != NULL;
}

/* Raises "WHAT 'name' (did you mean 'x'?)", with a suggestion among the members of `object` and `more`. */
static void raise_missing(ee_lua *lua, const char *what, const ee_value *object, ee_str name, const char *const *more) {
  ee_arena *arena = lua->arena;
  size_t count = ee_value_count(object);
  for (const char *const *at = more; *at != NULL; at++) count++;
  const char **names = EE_NEW_ARRAY(arena, const char *, count + 1);
  count = 0;
  for (const ee_value *member = ee_value_child(object); member != NULL; member = ee_value_next(member))
    names[count++] = ee_arena_copy(arena, ee_value_key(member).data, ee_value_key(member).length);
  for (const char *const *at = more; *at != NULL; at++) names[count++] = *at;
  luaL_error(lua->L, "%s '%s'%s", what, ee_arena_copy(arena, name.data, name.length),
             ee_suggestion(arena, name, names));
}

static const char *const nothing_more[] = {NULL};

/* A judge: its entry in the row, and `fields`, its counts by field. */
static void push_missing_of_judge(ee_lua *lua, const ee_value *entry, ee_str name) {
  if (!ee_str_is(name, "fields")) {
    static const char *const more[] = {"fields", "weight", "verdict", "details", NULL};
    if (!is_one_of(name, more)) raise_missing(lua, "a judge has no field", entry, name, more);
    lua_pushnil(lua->L);
    return;
  }
  const ee_value *details = ee_value_member(entry, EE_STR("details"), lua->arena);
  const ee_value *metrics = ee_value_member(details, EE_STR("metrics"), lua->arena);
  ee_lua_push_value(lua, ee_type_of(metrics) == EE_OBJECT ? metrics : ee_value_new(lua->arena, EE_OBJECT));
}

static void push_judge(ee_lua *lua, const ee_value *entry) {
  static const ee_lua_view view = {.push_missing = push_missing_of_judge};
  if (ee_type_of(entry) == EE_OBJECT)
    ee_lua_push_view(lua, entry, &view);
  else
    ee_lua_push_value(lua, entry);
}

static void push_missing_judge(ee_lua *lua, const ee_value *judges, ee_str name) {
  raise_missing(lua, "no judge", judges, name, nothing_more);
}

static ee_value *share(ee_arena *arena, const ee_value *value) {
  ee_value *node = EE_NEW(arena, ee_value);
  *node = *value;
  node->json.next = node->json.prev = NULL;
  return node;
}

/* The judges of a row by name. */
static void push_judges(ee_lua *lua, const ee_value *row) {
  static const ee_lua_view view = {.push_missing = push_missing_judge, .push_member = push_judge};
  ee_arena *arena = lua->arena;
  ee_value *judges = ee_value_new(arena, EE_OBJECT);
  const ee_value *entries = ee_value_member(row, EE_STR("evaluator_results"), arena);
  bool is_array = ee_type_of(entries) == EE_ARRAY;
  for (const ee_value *at = is_array ? ee_value_child(entries) : NULL; at != NULL; at = ee_value_next(at)) {
    const ee_value *name = ee_value_member(at, EE_STR("name"), arena);
    if (ee_type_of(name) == EE_STRING) ee_value_set(arena, judges, ee_value_text(name), share(arena, at));
  }
  ee_lua_push_view(lua, judges, &view);
}

/* A result is its row, with `candidate` for its answer and `judges` by name. */
static void push_missing_of_result(ee_lua *lua, const ee_value *row, ee_str name) {
  bool in_full = ee_str_is(name, "record") && ee_value_member(row, EE_STR("expected"), lua->arena) == NULL;
  static const char *const more[] = {"candidate", "judges", "expected", "record",
                                     "unscored",  "slices", "measures", NULL};
  if (ee_str_is(name, "judges")) {
    push_judges(lua, row);
  } else if (ee_str_is(name, "candidate")) {
    ee_lua_push_value(lua, ee_value_member(row, EE_STR("candidate_answer"), lua->arena));
  } else if (in_full || ee_str_is(name, "expected")) {
    luaL_error(lua->L, "this row has no '%s' (--results writes it with --detail full)", name.data);
  } else if (ee_str_is(name, "record") || is_one_of(name, optional_members)) {
    lua_pushnil(lua->L);
  } else {
    raise_missing(lua, "a result has no field", row, name, more);
  }
}

static void push_result(ee_lua *lua, const ee_value *row) {
  static const ee_lua_view view = {.push_missing = push_missing_of_result};
  ee_lua_push_view(lua, row, &view);
}

/* The document of `report` has fewer members than that of a run; a report of the rules reads both in the same way. */
static void push_missing_of_results(ee_lua *lua, const ee_value *document, ee_str name) {
  ee_arena *arena = lua->arena;
  if (ee_str_is(name, "cases")) {
    ee_lua_push_value(lua, ee_value_member(document, EE_STR("rows"), arena));
  } else if (ee_str_is(name, "gates") || ee_str_is(name, "slices")) {
    ee_lua_push_value(lua, ee_value_new(arena, EE_ARRAY));
  } else if (ee_str_is(name, "rules")) {
    const ee_collector *collector = lua->collector;
    ee_value *rules = ee_value_new(arena, EE_OBJECT);
    ee_value_set(arena, rules, EE_STR("name"), ee_value_new_string(arena, collector->plan->name));
    ee_lua_push_value(lua, rules);
  } else {
    lua_pushnil(lua->L);
  }
}

static void push_results(ee_lua *lua, const ee_value *document) {
  static const ee_lua_view view = {.push_missing = push_missing_of_results};
  ee_lua_push_view(lua, document, &view);
}

/* Calls ---------------------------------------------------------------------------------------- */

typedef enum call_kind {
  CALL_INIT,
  CALL_STEP,
  CALL_FINISH,
  CALL_SAVE,
  CALL_LOAD,
  CALL_MERGE,
  CALL_CASE,
  CALL_DONE
} call_kind;
static const char *const call_names[] = {"init", "step", "finish", "save", "load", "merge", "case", "done"};

typedef struct call {
  ee_collector *collector;
  call_kind kind;
  int function;             /* of save and load: or EE_NO_FUNCTION */
  summary *summary;         /* of all but the last two */
  const ee_value *argument; /* the result of a case, or the document of the run */
  const ee_value *value;    /* of finish */
  ee_buffer *out;           /* of the texts, and of save */
  ee_str text;              /* of load */
  ee_error error;           /* of a result that was refused */
  ee_status status;
} call;

typedef struct place {
  const char *file;
  size_t line;
} place;

/* Of the function, or of the summary. */
static place place_of(const call *self) {
  if (self->summary != NULL && self->function == EE_NO_FUNCTION)
    return (place){self->summary->rule->file, self->summary->rule->line};
  const ee_lua_function *function = &self->collector->lua->functions.items[self->function];
  return (place){function->file, function->line};
}

static void refuse(call *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void refuse(call *self, const char *format, ...) {
  char message[sizeof self->error.message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  place at = place_of(self);
  self->status =
      ee_error_at(&self->error, EE_ERROR_RULES, at.file, at.line, 0, "%s %s", call_names[self->kind], message);
}

static void refuse_nothing(call *self) { refuse(self, "returned nothing (did you forget 'return'?)"); }

static void take_state(call *self) {
  lua_State *L = self->collector->lua->L;
  if (lua_isnil(L, 2)) {
    refuse_nothing(self);
    return;
  }
  lua_pushvalue(L, 2);
  lua_rawseti(L, LUA_REGISTRYINDEX, self->kind == CALL_LOAD ? self->summary->later : self->summary->state);
}

/* The state itself, or what save made of it. */
static void take_saved(call *self) {
  ee_lua *lua = self->collector->lua;
  const char *why;
  if (lua_isnil(lua->L, 2)) {
    refuse_nothing(self);
  } else if (!ee_lua_write_plain(lua, 2, self->out, &why)) {
    if (self->function != EE_NO_FUNCTION) {
      refuse(self, "returned %s", why);
    } else {
      place at = place_of(self);
      self->status = ee_error_at(&self->error, EE_ERROR_RULES, at.file, at.line, 0,
                                 "the state holds %s, which cannot be written: give functions 'save' and 'load'", why);
    }
  }
}

static void take_value(call *self) {
  ee_lua *lua = self->collector->lua;
  const char *why = NULL;
  self->value = ee_lua_to_value(lua, 2, &self->collector->kept, &why);
  if (self->value != NULL && ee_type_of(self->value) != EE_NULL) return;
  self->value = NULL;
  if (why == NULL)
    refuse_nothing(self);
  else
    refuse(self, "returned %s", why);
}

static void take_text(call *self) {
  ee_lua *lua = self->collector->lua;
  if (lua_isnil(lua->L, 2)) {
    if (self->kind == CALL_DONE) refuse_nothing(self);
    return;
  }
  if (lua_type(lua->L, 2) != LUA_TSTRING) {
    refuse(self, "returned %s, expected a string", ee_lua_describe(lua, 2));
    return;
  }
  ee_str text;
  text.data = lua_tolstring(lua->L, 2, &text.length);
  if (ee_utf8_valid_prefix(text.data, text.length) != text.length)
    refuse(self, "returned a string that is not valid UTF-8");
  else
    ee_buffer_add_str(self->out, text);
}

/* Pushes the arguments; returns their number. */
static int push_arguments(call *self) {
  ee_lua *lua = self->collector->lua;
  lua_State *L = lua->L;
  bool has_state =
      self->kind == CALL_STEP || self->kind == CALL_FINISH || self->kind == CALL_SAVE || self->kind == CALL_MERGE;
  int before = lua_gettop(L);
  if (has_state) lua_rawgeti(L, LUA_REGISTRYINDEX, self->summary->state);
  if (self->kind == CALL_STEP || self->kind == CALL_CASE) push_result(lua, self->argument);
  if (self->kind == CALL_DONE) push_results(lua, self->argument);
  if (self->kind == CALL_LOAD && !ee_lua_read_plain(lua, self->text)) luaL_error(L, "damaged state");
  if (self->kind == CALL_MERGE) lua_rawgeti(L, LUA_REGISTRYINDEX, self->summary->later);
  return lua_gettop(L) - before;
}

static int enter(lua_State *L) {
  call *self = lua_touserdata(L, 1);
  bool has_function = self->function != EE_NO_FUNCTION;
  if (has_function) ee_lua_push_function(self->collector->lua, self->function);
  int arguments = push_arguments(self);
  if (has_function) lua_call(L, arguments, 1);
  switch (self->kind) {
  case CALL_FINISH: take_value(self); break;
  case CALL_SAVE: take_saved(self); break;
  case CALL_CASE:
  case CALL_DONE: take_text(self); break;
  default: take_state(self);
  }
  return 0;
}

/* "rules.lua:12: message" of an error, kept. */
static const char *keep_text(ee_collector *collector, const ee_error *error) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_error_print(error, &text);
  const char *kept = ee_arena_copy(&collector->kept, text.data, text.length);
  ee_buffer_fini(&text);
  return kept;
}

/* The error with the subject and the case. */
static ee_error complete(const call *self, const ee_error *error) {
  ee_collector *collector = self->collector;
  ee_str name = self->summary != NULL ? self->summary->rule->name : collector->report->name;
  const char *noun = self->summary != NULL ? "summary" : "report";
  ee_str id = collector->current.id;
  char in_case[ID_SHOWN + 32] = "";
  if (id.length > 0) snprintf(in_case, sizeof in_case, ", case '%.*s'", (int)ee_utf8_cut(id, ID_SHOWN), id.data);
  ee_error full;
  ee_error_at(&full, EE_ERROR_RULES, error->file, error->line, 0, "%s (%s '%.*s'%s)", error->message, noun,
              (int)ee_utf8_cut(name, ID_SHOWN), name.data, in_case);
  return full;
}

/* Counts an error and reports it. */
static void report(call *self, const ee_error *error) {
  ee_collector *collector = self->collector;
  collector->errors++;
  if (self->summary != NULL && self->summary->errors++ == 0) self->summary->example = keep_text(collector, error);
  if (collector->on_error != NULL) collector->on_error(collector->user, error);
}

/* Calls function `self->function`. */
static ee_status try_run(call *self, ee_error *error) {
  ee_lua *lua = self->collector->lua;
  place at = place_of(self);
  ee_error raised;
  ee_status status = ee_lua_protect(lua, enter, self, at.file, at.line, &raised);
  if (status == EE_OK && self->status != EE_OK) {
    status = self->status;
    raised = self->error;
  }
  if (status != EE_OK) *error = complete(self, &raised);
  return status;
}

/* The same; false when it raised an error, which is reported. */
static bool run(call *self) {
  ee_error error;
  if (try_run(self, &error) == EE_OK) return true;
  report(self, &error);
  return false;
}

/* Values of the state are valid until end_call(). */
static void begin_call(ee_collector *collector, ee_str id) {
  ee_lua *lua = collector->lua;
  collector->current = (ee_case){.id = id};
  ee_lua_values_end(lua);
  lua->current = &collector->current;
  lua->arena = &collector->arena;
  lua->collector = collector;
}

static void end_call(ee_collector *collector) {
  ee_lua *lua = collector->lua;
  collector->current = (ee_case){.id = EE_STR("")};
  ee_lua_values_end(lua);
  lua->current = NULL;
  lua->arena = NULL;
  lua->collector = NULL;
  ee_arena_reset(&collector->arena, KEPT_BYTES);
}

/* Opening -------------------------------------------------------------------------------------- */

static int make_references(lua_State *L) {
  ee_collector *collector = lua_touserdata(L, 1);
  for (size_t i = 0; i < collector->plan->summary_count; i++) {
    lua_pushboolean(L, 0);
    collector->summaries[i].state = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pushboolean(L, 0);
    collector->summaries[i].later = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  return 0;
}

ee_collector *ee_collector_new(const ee_plan *plan, const ee_report_rule *report_rule, ee_lua *lua, bool owned,
                               ee_collector_report *on_error, void *user, ee_error *error) {
  ee_collector *collector = ee_calloc(1, sizeof *collector);
  *collector = (ee_collector){
      .plan = plan, .report = report_rule, .lua = lua, .owned = owned, .on_error = on_error, .user = user};
  ee_arena_init(&collector->kept, 0);
  ee_arena_init(&collector->arena, 0);
  collector->summaries = EE_NEW_ARRAY(&collector->kept, summary, plan->summary_count + 1);
  for (size_t i = 0; i < plan->summary_count; i++)
    collector->summaries[i] = (summary){.rule = &plan->summaries[i], .state = LUA_NOREF, .later = LUA_NOREF};
  if (ee_lua_protect(lua, make_references, collector, plan->file, 0, error) != EE_OK) {
    ee_collector_free(collector);
    return NULL;
  }
  for (size_t i = 0; i < plan->summary_count; i++) {
    summary *at = &collector->summaries[i];
    begin_call(collector, EE_STR(""));
    at->running = run(&(call){.collector = collector, .kind = CALL_INIT, .function = at->rule->init, .summary = at});
    end_call(collector);
  }
  return collector;
}

ee_collector *ee_collector_open(const ee_rule_file *file, const ee_report_rule *report_rule,
                                ee_collector_report *on_error, void *user, ee_error *error) {
  ee_lua *lua = ee_rule_file_open_state(file, error);
  if (lua == NULL) return NULL;
  return ee_collector_new(ee_rule_file_plan(file), report_rule, lua, true, on_error, user, error);
}

static int drop_references(lua_State *L) {
  ee_collector *collector = lua_touserdata(L, 1);
  for (size_t i = 0; i < collector->plan->summary_count; i++) {
    luaL_unref(L, LUA_REGISTRYINDEX, collector->summaries[i].state);
    luaL_unref(L, LUA_REGISTRYINDEX, collector->summaries[i].later);
  }
  return 0;
}

void ee_collector_free(ee_collector *collector) {
  if (collector == NULL) return;
  ee_error ignored;
  if (collector->owned)
    ee_lua_free(collector->lua);
  else
    ee_lua_protect(collector->lua, drop_references, collector, NULL, 0, &ignored);
  ee_arena_fini(&collector->kept);
  ee_arena_fini(&collector->arena);
  ee_free(collector);
}

/* Cases and the end ---------------------------------------------------------------------------- */

uint64_t ee_collector_add(ee_collector *collector, ee_str row, ee_buffer *out) {
  ee_error error;
  return ee_collector_add_row(collector, ee_json_read_data(&collector->arena, row, &error), out);
}

uint64_t ee_collector_add_row(ee_collector *collector, const ee_value *row, ee_buffer *out) {
  uint64_t before = collector->errors;
  const ee_value *id = ee_value_member(row, EE_STR("id"), &collector->arena);
  begin_call(collector, ee_type_of(id) == EE_STRING ? ee_value_text(id) : EE_STR(""));
  for (size_t i = 0; i < collector->plan->summary_count; i++) {
    summary *at = &collector->summaries[i];
    if (!at->running) continue;
    run(&(call){.collector = collector, .kind = CALL_STEP, .function = at->rule->step, .summary = at, .argument = row});
  }
  const ee_report_rule *report_rule = collector->report;
  if (report_rule != NULL && report_rule->each != EE_NO_FUNCTION)
    run(&(call){.collector = collector, .kind = CALL_CASE, .function = report_rule->each, .argument = row, .out = out});
  end_call(collector);
  return collector->errors - before;
}

/* States --------------------------------------------------------------------------------------- */

static int take_later(lua_State *L) {
  summary *of = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, of->later);
  lua_rawseti(L, LUA_REGISTRYINDEX, of->state);
  return 0;
}

/* Loads the state in `text`, and merges it with the summary's or puts it in its place. */
static ee_status load(ee_collector *collector, summary *of, ee_str text, bool merge, ee_error *error) {
  call loading = {.collector = collector, .kind = CALL_LOAD, .function = of->rule->load, .summary = of, .text = text};
  call merging = {.collector = collector, .kind = CALL_MERGE, .function = of->rule->merge, .summary = of};
  begin_call(collector, EE_STR(""));
  ee_status status = try_run(&loading, error);
  if (status == EE_OK && merge)
    status = try_run(&merging, error);
  else if (status == EE_OK)
    status = ee_lua_protect(collector->lua, take_later, of, of->rule->file, of->rule->line, error);
  end_call(collector);
  return status;
}

static ee_status save(ee_collector *collector, summary *of, ee_buffer *out, ee_error *error) {
  call saving = {.collector = collector, .kind = CALL_SAVE, .function = of->rule->save, .summary = of, .out = out};
  begin_call(collector, EE_STR(""));
  ee_status status = try_run(&saving, error);
  end_call(collector);
  return status;
}

/* A summary whose init failed has no state; its error is that of init, which every part has: it is not added up. */
static ee_status summary_state(ee_collector *collector, summary *of, ee_state_line *line, bool merge, ee_error *error) {
  ee_status status = EE_OK;
  bool reads = ee_state_reading(line), running = of->running;
  ee_buffer text = {0};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  if (!reads && running) status = save(collector, of, &text, error);
  if (status == EE_OK) {
    ee_str saved = {text.data, text.length}, example = {of->example, of->example != NULL ? strlen(of->example) : 0};
    uint64_t errors = of->errors;
    ee_state_begin(line);
    ee_state_flag(line, &running);
    ee_state_count(line, &errors);
    ee_state_text(line, &arena, &example);
    ee_state_text(line, &arena, &saved);
    ee_state_end(line);
    if (reads && (running ? saved.data == NULL : saved.data != NULL)) ee_state_fail(line);
    if (reads && running && of->running && !ee_state_failed(line)) {
      if (!merge) of->errors = 0;
      if (of->errors == 0 && example.data != NULL)
        of->example = ee_arena_copy(&collector->kept, example.data, example.length);
      of->errors += errors;
      status = load(collector, of, saved, merge, error);
    }
  }
  ee_arena_fini(&arena);
  ee_buffer_fini(&text);
  return status;
}

static ee_status state_of_all(ee_collector *collector, ee_state_line *line, bool merge, ee_error *error) {
  ee_status status = EE_OK;
  ee_state_begin(line);
  for (size_t i = 0; i < collector->plan->summary_count && status == EE_OK; i++)
    status = summary_state(collector, &collector->summaries[i], line, merge, error);
  ee_state_end(line);
  return status;
}

ee_status ee_collector_state(ee_collector *collector, ee_state_line *line, ee_error *error) {
  return state_of_all(collector, line, false, error);
}

ee_status ee_collector_merge(ee_collector *collector, ee_state_line *line, ee_error *error) {
  return state_of_all(collector, line, true, error);
}

ee_summary_values ee_collector_finish(ee_collector *collector) {
  size_t count = collector->plan->summary_count;
  if (collector->values != NULL) return (ee_summary_values){collector->values, count};
  collector->values = EE_NEW_ARRAY(&collector->kept, ee_summary_value, count + 1);
  for (size_t i = 0; i < count; i++) {
    summary *at = &collector->summaries[i];
    call finish = {.collector = collector, .kind = CALL_FINISH, .function = at->rule->finish, .summary = at};
    begin_call(collector, EE_STR(""));
    if (at->running) run(&finish);
    end_call(collector);
    collector->values[i] =
        (ee_summary_value){.name = at->rule->name, .value = finish.value, .errors = at->errors, .example = at->example};
  }
  return (ee_summary_values){collector->values, count};
}

bool ee_collector_done(ee_collector *collector, ee_str document, ee_buffer *out) {
  const ee_report_rule *report_rule = collector->report;
  if (report_rule->done == EE_NO_FUNCTION) return true;
  ee_error error;
  const ee_value *results = ee_json_read_data(&collector->arena, document, &error);
  begin_call(collector, EE_STR(""));
  bool good = run(&(call){
      .collector = collector, .kind = CALL_DONE, .function = report_rule->done, .argument = results, .out = out});
  end_call(collector);
  return good;
}

uint64_t ee_collector_errors(const ee_collector *collector) { return collector->errors; }
