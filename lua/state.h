/* state.h: a sandboxed Lua state with limits.
 *
 * One state a worker. The sandbox stops accidents; it is no jail for hostile code. */
#ifndef EE_LUA_STATE_H
#define EE_LUA_STATE_H

#include <evalengine.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/list.h"
#include "data/files/record.h"
#include "lua/watchdog.h"

/* What an instruction limit below zero means, and a memory limit of zero. */
#define EE_LUA_INSTRUCTIONS 10000000
#define EE_LUA_MEMORY ((size_t)64 << 20)

/* Limits of a state. */
typedef struct ee_lua_limits {
  size_t memory;          /* bytes a state may hold; 0: 64 MiB */
  long long instructions; /* a load or a call; 0: no hook; negative: the default, 10,000,000 */
  ee_watchdog *watchdog;  /* watches calls that no hook can end; borrowed, NULL: none */
  bool traceback;         /* an error's call stack is printed to stderr at once */
} ee_lua_limits;

/* One parameter of the command line: --set name=value. */
typedef struct ee_lua_parameter {
  const char *name, *value;
  bool used; /* set when ee.param asked for it; accessed atomically, because workers' states share it */
} ee_lua_parameter;

/* A chunk of Lua text that the state has loaded. */
typedef struct ee_lua_source {
  char *path;                  /* as given; of the library's own text "ee.NAME" */
  char short_name[LUA_IDSIZE]; /* how Lua's messages call it */
  bool library;                /* part of the library: never the place of a mistake */
} ee_lua_source;

/* A function that the rule file's tree names. */
typedef struct ee_lua_function {
  int reference;    /* in the registry */
  const char *file; /* where it is defined; a source's path, or NULL for a function of C */
  size_t line;
} ee_lua_function;

struct ee_script;

typedef struct ee_lua {
  lua_State *L;
  ee_lua_limits limits; /* with the defaults filled in */
  size_t memory_used;   /* bytes */
  long long instructions_left;
  int hook_count;     /* instructions until the hook is called next */
  int depth;          /* of protected calls: 0 outside Lua */
  bool out_of_budget; /* a trip: no pcall in Lua swallows it */
  bool out_of_memory;
  bool deep;              /* memory was last refused to calls nested so deep that the recursion must be the reason */
  bool loading;           /* ee_lua_run_file() is at work */
  const char *error_file; /* where the last error was raised, from the stack; NULL when unknown */
  size_t error_line;
  char *directory;              /* of the rule file: where require looks first; owned */
  const ee_value *config;       /* what ee.config gives; NULL: {}; borrowed while the state is made */
  ee_lua_parameter *parameters; /* borrowed */
  size_t parameter_count;
  struct {
    EE_LIST(char *);
  } asked;            /* names passed to ee.param; malloc */
  uint64_t text_hash; /* of all Lua text loaded from files, in load order */
  struct {
    EE_LIST(ee_lua_source);
  } sources; /* malloc; their paths do not move until the state is freed */
  struct {
    EE_LIST(ee_lua_function);
  } functions;              /* by number; malloc */
  ee_error_list mistakes;   /* that constructors noticed while the file ran */
  ee_watchdog_slot *slot;   /* NULL without watchdog */
  struct ee_script *script; /* callbacks.c's part; NULL in a state that judges nothing */
  /* The case being judged: values handed to Lua are valid while their generation is the current one. */
  const ee_case *current;
  ee_arena *arena;
  uint64_t generation;
} ee_lua;

/* A new state with the sandbox, the library, constructors and primitives open. `file` is the rule file's path (for its
 * directory; NULL: the current one), `config` an object for ee.config (NULL: {}), of which nothing is kept. The caller
 * frees it with ee_lua_free(). NULL with `error` without memory. */
ee_lua *ee_lua_new(const char *file, ee_lua_limits limits, ee_lua_parameter *parameters, size_t parameter_count,
                   const ee_value *config, ee_error *error);
void ee_lua_free(ee_lua *lua); /* NULL is allowed */

/* The ee_lua that `L` belongs to. */
static inline ee_lua *ee_lua_of(lua_State *L) { return *(ee_lua **)lua_getextraspace(L); }

/* Loads the text file at `path` and runs it in the sandbox; leaves its first result on the stack. Syntax errors,
 * run-time errors, trips and binary chunks come back as EE_ERROR_RULES with file and line, and the stack as before. */
ee_status ee_lua_run_file(ee_lua *lua, const char *path, ee_error *error);

/* Calls the function below `arguments` values, leaving `results` values, with a fresh instruction budget (inside
 * another protected call: with what is left of its budget). On an error the stack is as before the function was pushed,
 * and `error` has file, line and first line of the message. A trip inside another call stays set: the caller must raise
 * too. */
ee_status ee_lua_call(ee_lua *lua, int arguments, int results, ee_error *error);

/* Runs `function` as a protected call with `request` as its only argument (a light userdata) and no results. Whatever
 * touches Lua values must happen inside such a call: any allocation may raise. `file` and `line` are where an error is
 * placed that does not know better (NULL and 0 when unknown). */
ee_status ee_lua_protect(ee_lua *lua, lua_CFunction function, void *request, const char *file, size_t line,
                         ee_error *error);

/* For functions called by Lua: the nearest place in a rule file (no library text, no C) at or above stack level
 * `level`. False with NULL and 0 when there is none. `*file` lives as long as the state. */
bool ee_lua_place(lua_State *L, int level, const char **file, size_t *line);

/* Where the function at `index` is defined; false with NULL and 0 for one of C or of the library. */
bool ee_lua_function_place(lua_State *L, int index, const char **file, size_t *line);

/* For functions called by Lua: raises "FILE:LINE: TEXT"; without a place when `file` is NULL. Does not return. */
int ee_lua_raise_at(lua_State *L, const char *file, size_t line, ee_str text);

/* For functions called by Lua: records a mistake at the caller's place, to be reported with those of the tree. */
void ee_lua_mistake(lua_State *L, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
