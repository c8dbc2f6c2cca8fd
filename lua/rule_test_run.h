/* rule_test_run.h: what the parts of rule tests share while a test file runs.
 *
 * */
#ifndef EE_LUA_RULE_TEST_RUN_H
#define EE_LUA_RULE_TEST_RUN_H

#include "base/buffer.h"
#include "judge/fields/field.h"
#include "judge/open_plan.h"
#include "judge/script.h"
#include "lua/rule_family.h"
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
  const char *path; /* of the test file */
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
void ee_test_open_rules(lua_State *L, ee_test_run *run);  /* compile, load_rules */

/* Makes the metatable `name` of objects with `methods`, whose upvalue is the run; reading another field raises an
 * error. */
void ee_test_open_methods(lua_State *L, ee_test_run *run, const char *name, const luaL_Reg *methods);

/* Rules that are tested ------------------------------------------------------------------------ */

/* The name of their metatable in the registry. */
#define EE_TEST_RULES "rules"

/* A field of one of the judges. */
typedef struct ee_test_field {
  ee_str judge;
  const ee_field *field;
} ee_test_field;

/* What compile and load_rules return: a full userdata. */
typedef struct ee_test_rules {
  ee_arena arena;
  ee_error_list errors;   /* of compiling or loading */
  ee_rule_family *family; /* of compile: the rule files inside; else NULL */
  ee_rule_file *file;     /* of load_rules; else NULL */
  const ee_plan *plan;    /* NULL until all is well */
  ee_test_field *fields;
  size_t field_count;
  ee_provider *provider; /* NULL where the rules need none */
  ee_open_plan opened;
} ee_test_rules;

/* rules:score and rules:judge; their upvalue is the run. */
extern const luaL_Reg ee_test_rules_methods[];

/* Ends the test where a limit tripped in the test's own state; `errors` tell of it, the place is that of the first one.
 */
void ee_test_pass_on_trip(lua_State *L, ee_test_run *run, const ee_error_list *errors);

/* The value at `index` in `arena`; NULL for nil. Raises "WHAT holds ..." for what is no value. */
const ee_value *ee_test_check_value(lua_State *L, ee_test_run *run, int index, ee_arena *arena, const char *what);

/* Raises "FILE:LINE: TEXT" with the run's text; `file` may be NULL. */
int ee_test_raise(lua_State *L, const ee_test_run *run, const char *file, size_t line);

#endif
