/* state.h: a sandboxed Lua state with limits.
 *
 * Layer: lua. One state a worker. The sandbox stops accidents; it is no jail for hostile code. */
#ifndef EE_LUA_STATE_H
#define EE_LUA_STATE_H

#include <evalengine.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "data/record.h"

/* Limits of a state. */
typedef struct ee_lua_limits {
  size_t memory;           /* bytes a state may hold; 0: 64 MiB */
  long long instructions;  /* a load or a call; 0: no hook; negative: the default, 10,000,000 */
} ee_lua_limits;

/* One parameter of the command line: --set name=value. */
typedef struct ee_lua_parameter {
  const char *name, *value;
  bool used; /* set when ee.param asked for it */
} ee_lua_parameter;

typedef struct ee_lua {
  lua_State *L;
  ee_lua_limits limits;
  size_t memory_used;
  bool out_of_budget;      /* a trip: no pcall in Lua swallows it */
  bool out_of_memory;
  const char *directory;   /* of the rule file: where require looks first; owned */
  ee_lua_parameter *parameters; /* borrowed */
  size_t parameter_count;
  uint64_t text_hash;      /* of all Lua text loaded from files, in load order */
  /* The case being judged: values handed to Lua are valid while their generation is the current one. */
  const ee_case *current;
  ee_arena *arena;
  uint64_t generation;
} ee_lua;

/* A new state with the sandbox, the library, constructors and primitives open. `file` is the rule file's path (for its
 * directory; NULL: the current one). The caller frees it with ee_lua_free(). NULL with `error` without memory. */
ee_lua *ee_lua_new(const char *file, ee_lua_limits limits, ee_lua_parameter *parameters, size_t parameter_count,
                   ee_error *error);
void ee_lua_free(ee_lua *lua);

/* The ee_lua that `L` belongs to. */
ee_lua *ee_lua_of(lua_State *L);

/* Loads the text file at `path` and runs it in the sandbox; leaves its first result on the stack. Syntax errors, run-time
 * errors, trips and binary chunks come back as EE_ERROR_RULES with file and line. */
ee_status ee_lua_run_file(ee_lua *lua, const char *path, ee_error *error);

/* Calls the function below `arguments` values, leaving `results` values, with a fresh instruction budget. On an error the
 * stack is as before the function was pushed, and `error` has file, line and first line of the message; `traceback` (may be
 * NULL) gets the whole one, in the case's arena. */
ee_status ee_lua_call(ee_lua *lua, int arguments, int results, ee_error *error);

#endif
