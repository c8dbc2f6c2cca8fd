/* rule_test_run.h: what the parts of rule tests share while a test file runs.
 *
 * Layer: lua, and private to rule_test*.c. */
#ifndef EE_LUA_RULE_TEST_RUN_H
#define EE_LUA_RULE_TEST_RUN_H

#include "base/buffer.h"
#include "judge/script.h"
#include "lua/rule_test.h"
#include "lua/state.h"

typedef struct ee_rule_test {
  const char *name; /* "describe > it", on one line */
  int reference;    /* of its function, in the registry */
  const char *file; /* where it stands; NULL when unknown */
  size_t line;
} ee_rule_test;

typedef struct ee_test_run {
  ee_lua *lua; /* owned by `script` */
  ee_script *script;
  const ee_rule_test_options *options;
  ee_arena arena;   /* names and list of the tests */
  ee_buffer prefix; /* of the next test's name: "describe > " */
  ee_rule_test *tests;
  size_t test_count, test_capacity;
  bool running; /* the file has been loaded, its tests run */

  ee_arena case_arena;       /* of the case being judged, or judged last */
  ee_error_list rule_errors; /* that rules raised in it */
  ee_error trip;             /* a limit that tripped inside rules, with its place; status EE_OK: none */

  ee_buffer text;             /* of the failure being told */
  size_t unchecked;           /* expect(...) without a check behind it, in the current test */
  const char *unchecked_file; /* the last one */
  size_t unchecked_line;
} ee_test_run;

/* The run that the C function at work belongs to: its first upvalue. */
static inline ee_test_run *ee_test_run_of(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

/* Each defines its globals; they may raise. */
void ee_test_open_expect(lua_State *L, ee_test_run *run); /* expect */
void ee_test_open_rules(lua_State *L, ee_test_run *run);  /* compile */

/* Makes the metatable `name` of objects with `methods`, whose upvalue is the run; reading another field raises an
 * error. */
void ee_test_open_methods(lua_State *L, ee_test_run *run, const char *name, const luaL_Reg *methods);

/* Raises "FILE:LINE: TEXT" with the run's text; `file` may be NULL. */
int ee_test_raise(lua_State *L, const ee_test_run *run, const char *file, size_t line);

#endif
