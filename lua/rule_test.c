/* rule_test.c: running a test file: describe and it collect tests while the file loads, then each test is a call of its
 * own. */
#include "lua/rule_test.h"

#include <string.h>

#include "lua/callbacks.h"
#include "lua/rule_test_run.h"
#include "lua/sandbox.h"

/* Collecting ----------------------------------------------------------------------------------- */

/* Appends a name; it stands on the line of a report, so control characters become spaces. */
static void add_name(ee_buffer *out, const char *name, size_t length) {
  for (size_t i = 0; i < length; i++) ee_buffer_add_char(out, (unsigned char)name[i] < ' ' ? ' ' : name[i]);
}

/* The arguments of describe and it: a name and a function. */
static const char *check_arguments(lua_State *L, const ee_test_run *run, const char *who, size_t *length) {
  if (run->running) luaL_error(L, "'%s' stands inside a test", who);
  const char *name = luaL_checklstring(L, 1, length);
  if (ee_utf8_valid_prefix(name, *length) != *length) luaL_argerror(L, 1, "no valid UTF-8");
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  return name;
}

static int describe(lua_State *L) {
  ee_test_run *run = ee_test_run_of(L);
  size_t length, before = run->prefix.length;
  const char *name = check_arguments(L, run, "describe", &length);
  add_name(&run->prefix, name, length);
  ee_buffer_add_text(&run->prefix, " > ");
  lua_call(L, 0, 0);
  run->prefix.length = before;
  return 0;
}

static void add_test(ee_test_run *run, ee_rule_test test) {
  if (run->test_count == run->test_capacity) {
    size_t capacity = run->test_capacity == 0 ? 16 : 2 * run->test_capacity;
    ee_rule_test *tests = EE_NEW_ARRAY(&run->arena, ee_rule_test, capacity);
    if (run->test_count > 0) memcpy(tests, run->tests, run->test_count * sizeof *tests);
    run->tests = tests;
    run->test_capacity = capacity;
  }
  run->tests[run->test_count++] = test;
}

static int it(lua_State *L) {
  ee_test_run *run = ee_test_run_of(L);
  size_t length, before = run->prefix.length;
  const char *name = check_arguments(L, run, "it", &length);
  ee_rule_test test = {.reference = luaL_ref(L, LUA_REGISTRYINDEX)};
  ee_lua_place(L, 1, &test.file, &test.line);
  add_name(&run->prefix, name, length);
  test.name = ee_arena_copy(&run->arena, run->prefix.data, run->prefix.length);
  run->prefix.length = before;
  add_test(run, test);
  return 0;
}

static void define(lua_State *L, ee_test_run *run, const char *name, lua_CFunction function) {
  lua_pushlightuserdata(L, run);
  lua_pushcclosure(L, function, 1);
  ee_lua_define_global(L, name);
}

static int open_globals(lua_State *L) {
  ee_test_run *run = lua_touserdata(L, 1);
  define(L, run, "describe", describe);
  define(L, run, "it", it);
  ee_test_open_expect(L, run);
  ee_test_open_rules(L, run);
  return 0;
}

/* Running -------------------------------------------------------------------------------------- */

int ee_test_raise(lua_State *L, const ee_test_run *run, const char *file, size_t line) {
  if (file == NULL)
    lua_pushliteral(L, "");
  else
    lua_pushfstring(L, "%s:%d: ", file, (int)line);
  lua_pushlstring(L, run->text.data, run->text.length);
  lua_concat(L, 2);
  return lua_error(L);
}

/* Runs `test`; false with `error` when it failed. */
static bool run_test(ee_test_run *run, const ee_rule_test *test, ee_error *error) {
  ee_lua *lua = run->lua;
  run->trip = (ee_error){.status = EE_OK};
  run->unchecked = 0;
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
  if (status == EE_OK && run->unchecked > 0)
    status = ee_error_at(error, EE_ERROR_RULES, run->unchecked_file, run->unchecked_line, 0,
                         "expect without a check behind it, such as :equals(...)");
  return status == EE_OK;
}

static void report_failure(const ee_rule_test *test, ee_error *error, ee_buffer *out) {
  if (error->file[0] == '\0') ee_error_at(error, error->status, test->file, test->line, 0, "%s", error->message);
  if (error->file[0] != '\0') ee_buffer_addf(out, "%s:", error->file);
  if (error->line != 0) ee_buffer_addf(out, "%zu:", error->line);
  ee_buffer_addf(out, "%s%s: %s\n", error->file[0] != '\0' ? " " : "", test->name, error->message);
}

static void run_tests(ee_test_run *run, bool verbose, ee_buffer *out, ee_rule_test_totals *totals) {
  run->running = true;
  for (size_t i = 0; i < run->test_count; i++) {
    const ee_rule_test *test = &run->tests[i];
    ee_error error = {0};
    if (run_test(run, test, &error)) {
      totals->passed++;
      if (verbose) ee_buffer_addf(out, "passed: %s\n", test->name);
    } else {
      totals->failed++;
      report_failure(test, &error, out);
    }
  }
}

/* Loads the file: its tests are collected. */
static ee_status load(ee_test_run *run, const char *path, ee_error *error) {
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
  ee_test_run run = {.lua = lua, .script = ee_lua_script_new(lua, error), .options = options, .path = path};
  if (run.script == NULL) return EE_ERROR_RULES;
  ee_arena_init(&run.arena, 0);
  ee_arena_init(&run.case_arena, 0);
  ee_buffer_init(&run.prefix);
  ee_buffer_init(&run.text);
  ee_error_list_init(&run.rule_errors);

  ee_status status = load(&run, path, error);
  if (status == EE_OK && run.test_count == 0) {
    ee_buffer_addf(out, "%s: no tests\n", path);
    totals->failed = 1;
  } else if (status == EE_OK) {
    run_tests(&run, options->verbose, out, totals);
  }
  ee_lua_callbacks.close(run.script);
  ee_arena_fini(&run.arena);
  ee_arena_fini(&run.case_arena);
  ee_buffer_fini(&run.prefix);
  ee_buffer_fini(&run.text);
  ee_error_list_fini(&run.rule_errors);
  return status;
}
