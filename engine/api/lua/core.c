/* core.c: evalengine.core, the C interface of evalengine for stock Lua 5.4. evalengine.lua makes the module of it.
 *
 *   core.rules(path), core.rules(name, text)      rules; nil and a list of messages
 *   core.evaluate(call), .merge(call), .compare(call)   a result; nil and a message
 *
 * `call` is a table: rules, files (names), inputs ({name, text or function}), items (the same, of merge and compare),
 * arguments, keep (a number), on_case, on_message, on_progress (functions). Functions are called on this thread, under
 * lua_pcall(): an error stops the call, which then raises it. */
#include <evalengine.h>
#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#define RULES "evalengine.rules"
#define RESULT "evalengine.result"
/* What a call may need of the stack besides two slots for each input. */
#define STACK 40

int luaopen_evalengine_core(lua_State *L);

/* Messages -------------------------------------------------------------------------------------- */

static void set_text(lua_State *L, const char *key, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, key);
}

static void set_number(lua_State *L, const char *key, lua_Integer number) {
  lua_pushinteger(L, number);
  lua_setfield(L, -2, key);
}

/* {status, file, line, column, message} */
static void push_message(lua_State *L, const ee_error *error) {
  lua_createtable(L, 0, 5);
  set_number(L, "status", (lua_Integer)error->status);
  if (error->file[0] != '\0') set_text(L, "file", error->file);
  if (error->line > 0) set_number(L, "line", (lua_Integer)error->line);
  if (error->column > 0) set_number(L, "column", (lua_Integer)error->column);
  set_text(L, "message", error->message);
}

/* Rules ----------------------------------------------------------------------------------------- */

/* Mistakes are kept until the library has returned: Lua may raise an error where it pushes them. */
#define MISTAKES 20
typedef struct mistakes {
  size_t count;
  ee_error items[MISTAKES];
} mistakes;

static void on_mistake(void *user, const ee_error *error) {
  mistakes *found = user;
  if (found->count < MISTAKES) found->items[found->count++] = *error;
}

static int load_rules(lua_State *L) {
  size_t length = 0;
  const char *name = luaL_checkstring(L, 1), *text = luaL_optlstring(L, 2, NULL, &length);
  mistakes *found = lua_newuserdatauv(L, sizeof *found, 0);
  found->count = 0;
  ee_rules **rules = lua_newuserdatauv(L, sizeof *rules, 0);
  *rules = NULL;
  luaL_setmetatable(L, RULES);
  *rules =
      text != NULL ? ee_rules_parse(name, text, length, on_mistake, found) : ee_rules_load(name, on_mistake, found);
  if (*rules != NULL) return 1;
  lua_pushnil(L);
  lua_createtable(L, (int)found->count, 0);
  for (size_t i = 0; i < found->count; i++) {
    push_message(L, &found->items[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 2;
}

static int free_rules(lua_State *L) {
  ee_rules **rules = luaL_checkudata(L, 1, RULES);
  ee_rules_free(*rules);
  *rules = NULL;
  return 0;
}

/* Callbacks ------------------------------------------------------------------------------------- */

/* A call that runs. */
typedef struct running {
  lua_State *L;
  int table;  /* its index in the stack */
  int failed; /* index of the slot of the first error that a function raised */
  int raised;
  int on_case, on_message, on_progress; /* indexes of the functions, so that nothing is looked up; 0: none */
} running;

/* An input whose bytes a function gives. */
typedef struct reading {
  running *call;
  int function, piece; /* indexes */
  size_t at;           /* of the piece */
} reading;

/* Calls the function and its arguments at the top of the stack, and leaves one value there; 0: it raised an error,
 * which is kept, and nothing is left. */
static int call_function(running *call, int arguments) {
  lua_State *L = call->L;
  if (lua_pcall(L, arguments, 1, 0) == LUA_OK) return 1;
  if (!call->raised) lua_copy(L, -1, call->failed);
  call->raised = 1;
  lua_pop(L, 1);
  return 0;
}

/* Pushes the arguments of a function, where there may be no memory: function and arguments are called as this
 * one's. */
typedef struct handed {
  const char *row;
  size_t length;
  const ee_error *error;
  const ee_progress_of_run *progress;
} handed;

static int hand_over(lua_State *L) { /* function, handed */
  const handed *given = lua_touserdata(L, 2);
  lua_settop(L, 1);
  if (given->row != NULL) {
    lua_pushlstring(L, given->row, given->length);
  } else if (given->error != NULL) {
    push_message(L, given->error);
  } else {
    lua_createtable(L, 0, 4);
    set_number(L, "cases", (lua_Integer)given->progress->cases);
    set_number(L, "taken", (lua_Integer)given->progress->taken);
    set_number(L, "total", (lua_Integer)given->progress->total);
    if (given->progress->cases > 0) {
      lua_pushnumber(L, given->progress->mean_score);
      lua_setfield(L, -2, "mean_score");
    }
  }
  lua_call(L, 1, 1);
  return 1;
}

/* Whether the function says stop: it returned false, or raised an error now or before. */
static int tell(running *call, int function, handed *given) {
  lua_State *L = call->L;
  if (call->raised) return 1;
  lua_pushcfunction(L, hand_over);
  lua_pushvalue(L, function);
  lua_pushlightuserdata(L, given);
  if (!call_function(call, 2)) return 1;
  int stop = lua_isboolean(L, -1) && !lua_toboolean(L, -1);
  lua_pop(L, 1);
  return stop;
}

static int on_case(void *user, const char *row, size_t length) {
  running *call = user;
  handed given = {.row = row, .length = length};
  return tell(call, call->on_case, &given);
}

static void on_message(void *user, const ee_error *error) {
  running *call = user;
  handed given = {.error = error};
  tell(call, call->on_message, &given);
}

static int on_progress(void *user, const ee_progress_of_run *progress) {
  running *call = user;
  handed given = {.progress = progress};
  return tell(call, call->on_progress, &given);
}

/* A piece that is longer than what is wanted stays where the collector sees it. */
static ptrdiff_t read_input(void *user, char *out, size_t room) {
  reading *self = user;
  running *call = self->call;
  lua_State *L = call->L;
  size_t length = 0;
  if (call->raised) return -1;
  while (!lua_isstring(L, self->piece) || (lua_tolstring(L, self->piece, &length), self->at == length)) {
    lua_pushvalue(L, self->function);
    if (!call_function(call, 0)) return -1;
    int type = lua_type(L, -1);
    lua_copy(L, -1, self->piece); /* a string, as read_input() finds it the next time */
    lua_pop(L, 1);
    self->at = 0;
    if (type == LUA_TNIL) return 0;
    if (type != LUA_TSTRING) return -1;
  }
  const char *bytes = lua_tolstring(L, self->piece, &length);
  size_t left = length - self->at, take = left < room ? left : room;
  memcpy(out, bytes + self->at, take);
  self->at += take;
  return (ptrdiff_t)take;
}

/* Calls ----------------------------------------------------------------------------------------- */

/* The texts of the array `name` of the table, in a block that Lua owns, at the top of the stack. */
static const char **texts_of(lua_State *L, int table, const char *name, size_t *count) {
  lua_getfield(L, table, name);
  *count = lua_istable(L, -1) ? (size_t)lua_rawlen(L, -1) : 0;
  const char **texts = lua_newuserdatauv(L, (*count + 1) * sizeof *texts, 0);
  for (size_t i = 0; i < *count; i++) {
    if (lua_rawgeti(L, -2, (lua_Integer)i + 1) != LUA_TSTRING)
      luaL_error(L, "%s[%d] must be a string", name, (int)i + 1);
    texts[i] = lua_tostring(L, -1);
    lua_pop(L, 1); /* the table holds it */
  }
  return texts;
}

/* Inputs of the array `name`: {name, text or function}, or {name} of a file. */
static ee_input *inputs_of(running *call, const char *name, size_t *count) {
  lua_State *L = call->L;
  lua_getfield(L, call->table, name);
  int array = lua_gettop(L);
  *count = lua_istable(L, array) ? (size_t)lua_rawlen(L, array) : 0;
  ee_input *inputs = lua_newuserdatauv(L, (*count + 1) * sizeof *inputs, 0);
  reading *readings = lua_newuserdatauv(L, (*count + 1) * sizeof *readings, 0);
  luaL_checkstack(L, (int)*count * 2 + STACK, "too many inputs");
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, array, (lua_Integer)i + 1);
    lua_rawgeti(L, -1, 1);
    inputs[i] = (ee_input){.name = luaL_checkstring(L, -1)};
    lua_pop(L, 1);
    int type = lua_rawgeti(L, -1, 2);
    lua_remove(L, -2);
    if (type == LUA_TSTRING) {
      inputs[i].text = lua_tolstring(L, -1, &inputs[i].length);
    } else if (type == LUA_TFUNCTION) {
      readings[i] = (reading){.call = call, .function = lua_gettop(L)};
      lua_pushnil(L);
      readings[i].piece = lua_gettop(L);
      inputs[i].read = read_input;
      inputs[i].user = &readings[i];
    }
  }
  return inputs;
}

/* The index of the function `name` of the table, which is pushed; 0: the table has no such function. */
static int function_of(lua_State *L, int table, const char *name) {
  return lua_getfield(L, table, name) == LUA_TFUNCTION ? lua_gettop(L) : 0;
}

typedef enum kind { EVALUATE, MERGE, COMPARE } kind;

static int run(lua_State *L, kind what) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  running call = {.L = L, .table = 1};
  lua_pushnil(L);
  call.failed = lua_gettop(L);
  ee_result **result = lua_newuserdatauv(L, sizeof *result, 0);
  *result = NULL;
  luaL_setmetatable(L, RESULT);
  int place = lua_gettop(L);
  lua_getfield(L, 1, "rules");
  ee_rules **rules = lua_isnil(L, -1) ? NULL : luaL_checkudata(L, -1, RULES);
  lua_getfield(L, 1, "keep");
  ee_evaluate_options options = {.size = sizeof options, .keep = (unsigned)luaL_optinteger(L, -1, 0), .user = &call};
  size_t file_count, item_count;
  options.arguments = texts_of(L, 1, "arguments", &options.argument_count);
  const char **files = texts_of(L, 1, "files", &file_count);
  options.inputs = inputs_of(&call, "inputs", &options.input_count);
  ee_input *items = inputs_of(&call, "items", &item_count);
  call.on_case = function_of(L, 1, "on_case");
  call.on_message = function_of(L, 1, "on_message");
  call.on_progress = function_of(L, 1, "on_progress");
  if (call.on_case != 0) options.on_case = on_case;
  if (call.on_message != 0) options.on_message = on_message;
  if (call.on_progress != 0) options.on_progress = on_progress;
  luaL_checkstack(L, STACK, "evalengine");
  ee_error error = {0};
  const ee_rules *by = rules != NULL ? *rules : NULL;
  *result = what == EVALUATE ? ee_evaluate(by, files, file_count, &options, &error)
            : what == MERGE  ? ee_merge(by, items, item_count, &options, &error)
                             : ee_compare(items, item_count, &options, &error);
  /* Lua sees of a result only a pointer: its collector goes on as if it had been given the rows. */
  size_t rows = 0;
  if (*result != NULL) ee_result_rows(*result, &rows);
  lua_gc(L, LUA_GCSTEP, (int)(rows / 1024 % 1000000) + 64);
  if (call.raised) {
    lua_pushvalue(L, call.failed);
    return lua_error(L);
  }
  if (*result != NULL) {
    lua_pushvalue(L, place);
    return 1;
  }
  lua_pushnil(L);
  push_message(L, &error);
  return 2;
}

static int evaluate(lua_State *L) { return run(L, EVALUATE); }
static int merge(lua_State *L) { return run(L, MERGE); }
static int compare(lua_State *L) { return run(L, COMPARE); }

/* Results --------------------------------------------------------------------------------------- */

static ee_result *result_at(lua_State *L) {
  ee_result **result = luaL_checkudata(L, 1, RESULT);
  luaL_argcheck(L, *result != NULL, 1, "the result is closed");
  return *result;
}

static int free_result(lua_State *L) {
  ee_result **result = luaL_checkudata(L, 1, RESULT);
  ee_result_free(*result);
  *result = NULL;
  return 0;
}

static int get_status(lua_State *L) {
  lua_pushinteger(L, ee_result_status(result_at(L)));
  return 1;
}

/* nil without a score. */
static int get_score(lua_State *L) {
  double score = ee_result_mean_score(result_at(L));
  if (score == score)
    lua_pushnumber(L, score);
  else
    lua_pushnil(L);
  return 1;
}

static int get_counts(lua_State *L) {
  static const char *const names[] = {"cases",  "passed",     "borderline", "failed",     "unscored",
                                      "absent", "unreadable", "duplicates", "rule_errors"};
  const ee_result *result = result_at(L);
  lua_createtable(L, 0, 9);
  for (int i = 0; i < 9; i++) set_number(L, names[i], (lua_Integer)ee_result_count(result, (ee_counter)i));
  return 1;
}

/* result:report(format or nil, word, ...): the text; nil and a message. */
static int get_report(lua_State *L) {
  ee_result *result = result_at(L);
  const char *format = luaL_optstring(L, 2, NULL);
  int count = lua_gettop(L) > 2 ? lua_gettop(L) - 2 : 0;
  for (int i = 0; i < count; i++) luaL_checkstring(L, i + 3);
  const char **words = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *words, 0);
  for (int i = 0; i < count; i++) words[i] = lua_tostring(L, i + 3);
  const char *text;
  size_t length;
  ee_error error = {0};
  if (ee_result_report(result, format, words, (size_t)count, &text, &length, &error) == EE_OK) {
    lua_pushlstring(L, text, length);
    return 1;
  }
  lua_pushnil(L);
  push_message(L, &error);
  return 2;
}

static int push_part(lua_State *L, const char *(*part)(const ee_result *result, size_t *length)) {
  size_t length;
  const char *text = part(result_at(L), &length);
  lua_pushlstring(L, text, length);
  return 1;
}

static int get_rows(lua_State *L) { return push_part(L, ee_result_rows); }
static int get_state(lua_State *L) { return push_part(L, ee_result_state); }
static int get_rules(lua_State *L) { return push_part(L, ee_result_rules); }

/* The module ------------------------------------------------------------------------------------ */

static void make_type(lua_State *L, const char *name, const luaL_Reg *methods, lua_CFunction end) {
  luaL_newmetatable(L, name);
  lua_pushcfunction(L, end);
  lua_setfield(L, -2, "__gc");
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

__attribute__((visibility("default"))) int luaopen_evalengine_core(lua_State *L) {
  static const luaL_Reg none[] = {{NULL, NULL}};
  static const luaL_Reg of_results[] = {{"status", get_status}, {"score", get_score},   {"counts", get_counts},
                                        {"report", get_report}, {"rows", get_rows},     {"state", get_state},
                                        {"rules", get_rules},   {"close", free_result}, {NULL, NULL}};
  static const luaL_Reg functions[] = {
      {"rules", load_rules}, {"evaluate", evaluate}, {"merge", merge}, {"compare", compare}, {NULL, NULL}};
  luaL_checkversion(L);
  make_type(L, RULES, none, free_rules);
  make_type(L, RESULT, of_results, free_result);
  luaL_newlib(L, functions);
  set_text(L, "version", ee_version());
  set_number(L, "KEEP_ROWS", EE_KEEP_ROWS);
  set_number(L, "KEEP_STATE", EE_KEEP_STATE);
  return 1;
}
