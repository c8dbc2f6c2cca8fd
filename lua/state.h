/* state.h: a sandboxed Lua state with limits.
 *
 * Each worker has its own state. The sandbox prevents accidents; it does not stop hostile code. */
#ifndef EE_LUA_STATE_H
#define EE_LUA_STATE_H

#include <evalengine.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/list.h"
#include "base/work.h"
#include "data/files/record.h"

/* The default limits of instructions and of memory in bytes. */
#define EE_LUA_INSTRUCTIONS 10000000
#define EE_LUA_MEMORY ((size_t)64 << 20)

/* The version of Lua, such as "5.4.4". */
const char *ee_lua_release(void);

/* Limits of a state. */
typedef struct ee_lua_limits {
  size_t memory;          /* bytes a state may hold; 0: 64 MiB */
  long long instructions; /* of one load or call; 0: unlimited; negative: the default, 10,000,000 */
  bool traceback;         /* print the call stack of each error to stderr */
} ee_lua_limits;

/* One parameter of the command line: --set name=value. */
typedef struct ee_lua_parameter {
  const char *name, *value;
  bool used;   /* set when ee.param asks for it; accessed atomically, because workers share it */
  bool secret; /* its value holds a key: it is printed nowhere */
} ee_lua_parameter;

/* A chunk of Lua text that the state has loaded. */
typedef struct ee_lua_source {
  char *path;                  /* as given; "ee.NAME" for the library's own files */
  char short_name[LUA_IDSIZE]; /* its name in Lua's messages */
  bool library;                /* part of the library: never the place of an error */
} ee_lua_source;

/* A function in the rule file's tree. */
typedef struct ee_lua_function {
  int reference;    /* in the registry */
  const char *file; /* where it is defined: a source's path; NULL for a C function */
  size_t line;
} ee_lua_function;

struct ee_collector;
struct ee_script;

typedef struct ee_lua {
  lua_State *L;
  ee_lua_limits limits; /* with the defaults filled in */
  size_t memory_used;   /* bytes */
  bool pooled;          /* its blocks are those of base/memory.h, because a pool is to know them */
  long long instructions_left;
  int hook_count;         /* instructions until the hook is called next */
  int hook_max;           /* the most of them */
  int depth;              /* nesting of protected calls; 0 outside Lua */
  bool out_of_budget;     /* no pcall in Lua catches this error, */
  bool out_of_memory;     /* nor this */
  ee_work_end ended;      /* nor that work ended (base/work.h); EE_WORK_DONE: it did not */
  uint64_t granted;       /* the units that the work had which ended */
  uint64_t started_ns;    /* processor time of the thread when the hook looked at the clock first in this call, */
  uint64_t looked_ns;     /* and last; 0: not yet */
  bool deep;              /* memory ran out in calls nested so deep that an endless recursion must be the reason */
  bool loading;           /* a file is being loaded */
  bool watches;           /* there are metatables to be looked at after each call (sandbox.c) */
  const char *error_file; /* where the last error was raised; NULL when unknown */
  size_t error_line;
  char *directory;              /* of the rule file: where require looks first; owned */
  const ee_value *config;       /* for ee.config; NULL: {}; set only while the state is made */
  ee_lua_parameter *parameters; /* borrowed */
  size_t parameter_count;
  struct {
    EE_LIST(char *);
  } asked;            /* names passed to ee.param; malloc */
  uint64_t text_hash; /* of all Lua text loaded from files, in load order */
  ee_str text;        /* stands for the content of the first file that is run; data NULL: it is read */
  struct {
    EE_LIST(ee_lua_source);
  } sources; /* malloc; their paths do not move until the state is freed */
  struct {
    EE_LIST(ee_lua_function);
  } functions;                    /* by number; malloc */
  ee_error_list mistakes;         /* found by constructors while the file ran */
  struct ee_script *script;       /* of callbacks.c; NULL in a state that does not judge */
  struct ee_collector *collector; /* of collect.c, while it calls a function; else NULL */
  /* The current case. Values in Lua are valid while their generation is the current one. */
  const ee_case *current;
  ee_arena *arena;
  const struct ee_script_model *model; /* that the function may ask, while a judge is called; else NULL */
  bool asks;                           /* an answer is not there yet: no pcall catches that */
  uint64_t generation;
  size_t parsed;     /* values that ee.parse has made in this case */
  size_t fast_count; /* proxies of the case that have a metatable of their own (values.c), and what these take */
  size_t fast_bytes;
} ee_lua;

/* A new state with sandbox, library, constructors and primitives. `file` is the rule file's path; only its
 * directory is used (NULL: the current one); `config` is an object for ee.config (NULL: {}), not kept. Free with
 * ee_lua_free(). NULL with `error` when out of memory. */
ee_lua *ee_lua_new(const char *file, ee_lua_limits limits, ee_lua_parameter *parameters, size_t parameter_count,
                   const ee_value *config, ee_error *error);
void ee_lua_free(ee_lua *lua); /* NULL is allowed */

/* The ee_lua that `L` belongs to. */
static inline ee_lua *ee_lua_of(lua_State *L) { return *(ee_lua **)lua_getextraspace(L); }

/* Whether a limit was exceeded: what catches errors must raise again. */
static inline bool ee_lua_has_tripped(const ee_lua *lua) {
  return lua->out_of_budget || lua->out_of_memory || lua->asks || lua->ended != EE_WORK_DONE;
}

/* Loads the text file at `path`, runs it in the sandbox and pushes its first result. EE_ERROR_RULES with file and line
 * for syntax errors, run-time errors, exceeded limits and binary chunks; the stack is then unchanged. */
ee_status ee_lua_run_file(ee_lua *lua, const char *path, ee_error *error);

/* Calls the function below `arguments` values, which `results` values replace. The call has a new instruction budget;
 * inside another protected call it shares that one's. What it does is charged as work (base/work.h); where nothing
 * limits that, it may do as much as a case (--timeout). Work that is used up is the error EE_ERROR_LIMIT, still with
 * the status EE_ERROR_RULES; an interrupt goes on to the try around the call. On an error function and arguments are
 * popped, and `error` has file, line and first line of the message. An exceeded limit inside another call stays set:
 * the caller must raise, too. */
ee_status ee_lua_call(ee_lua *lua, int arguments, int results, ee_error *error);

/* Runs `function` as a protected call with `request` as its only argument (a light userdata) and no results. All code
 * that touches Lua values must run inside such a call, because any allocation may raise. `file` and `line` are the
 * place of errors that have none (NULL and 0 when unknown). */
ee_status ee_lua_protect(ee_lua *lua, lua_CFunction function, void *request, const char *file, size_t line,
                         ee_error *error);

/* For functions called by Lua: the nearest place in a rule file, not in the library or in C, at or above stack level
 * `level`. False with NULL and 0 when there is none. `*file` lives as long as the state. */
bool ee_lua_place(lua_State *L, int level, const char **file, size_t *line);

/* Where the function at `index` is defined; false with NULL and 0 in C and in the library. */
bool ee_lua_function_place(lua_State *L, int index, const char **file, size_t *line);

/* For functions called by Lua: raises "FILE:LINE: TEXT"; without a place when `file` is NULL. Does not return. */
int ee_lua_raise_at(lua_State *L, const char *file, size_t line, ee_str text);

/* For functions called by Lua: records a mistake at the caller's place. It is reported with those of the tree. */
void ee_lua_mistake(lua_State *L, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
