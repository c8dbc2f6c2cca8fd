/* state.c: Lua states: limits of memory and instructions, protected calls, places of errors, files and modules,
 * parameters and config. */
#include "lua/state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/data_folder.h"
#include "base/embedded.h"
#include "base/hash_index.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/printable.h"
#include "lua/habits.h"
#include "lua/prims.h"
#include "lua/read_rules.h"
#include "lua/sandbox.h"
#include "lua/schema_check.h"
#include "lua/values.h"

/* The message handler is at the bottom of the stack, so that calls from C need not push it. */
enum { HANDLER_SLOT = 1 };

/* If memory runs out in calls nested deeper than this, the reason is an endless recursion. Lua's own limit would need
 * more than 64 MiB. */
#define DEEP_CALLS 20000

/* Work: units of an instruction, and of a call. */
enum { INSTRUCTION_WORK = 8, CALL_WORK = 1000 };
/* The hook runs after this many instructions of a call, then at growing distances up to HOOK_MAX: what a call has not
 * charged when it ends is less than what it has charged. */
enum { HOOK_FIRST = 100, HOOK_MAX = 4000 };
/* With so much memory one instruction may take milliseconds, such as comparing two long strings: then the hook looks at
 * the clock. */
#define LARGE_MEMORY ((size_t)1 << 20)
/* The processor time that a call may take per unit of work. Counted work alone decides what is given up, except for
 * instructions like these: this is the last resort. Sanitizers take their time. */
#ifdef EE_ARENA_CHECKED
#define SLOWEST 100
#else
#define SLOWEST 10
#endif
#define TOO_SLOW_NS 20000000
/* New strings from this size on are charged, one unit for this many bytes. */
#define LARGE_BLOCK 4096
#define BYTES_A_UNIT 4

static void on_count(lua_State *L, lua_Debug *where);

/* Memory --------------------------------------------------------------------------------------- */

/* An allocation must not raise what ends work: the next instruction does. */
static void charge_string(ee_lua *lua, size_t size) {
  if (ee_work_check(size / BYTES_A_UNIT) || lua->L == NULL || lua->depth == 0) return;
  lua_sethook(lua->L, on_count, LUA_MASKCOUNT, 1);
}

static void *allocate(void *user, void *block, size_t old_size, size_t new_size) {
  ee_lua *lua = user;
  if (block == NULL) {
    /* It is then the kind of object. What other blocks take depends on what was done before. */
    if (old_size == LUA_TSTRING && new_size >= LARGE_BLOCK) charge_string(lua, new_size);
    old_size = 0;
  }
  if (new_size == 0) {
    lua->pooled ? ee_free(block) : free(block);
    lua->memory_used -= old_size;
    return NULL;
  }
  if (new_size > old_size && new_size - old_size > lua->limits.memory - lua->memory_used) {
    /* Nothing but walking the calls is safe here: Lua may be in any state. */
    lua_Debug frame;
    lua->deep = lua->L != NULL && lua_getstack(lua->L, DEEP_CALLS, &frame) != 0;
    return NULL;
  }
  void *moved = lua->pooled ? ee_try_realloc(block, new_size) : realloc(block, new_size);
  if (moved == NULL) {
    /* Lua would report the limit of the state, or a pcall of the rule file would hide it. Nothing returns to this
     * state: the program ends, or its pool is discarded. */
    if (new_size > old_size) ee_out_of_memory();
    moved = block; /* shrinking must not fail */
  }
  lua->memory_used = lua->memory_used - old_size + new_size;
  return moved;
}

/* Instructions and work ------------------------------------------------------------------------- */

static uint64_t processor_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Instructions until the hook runs next: `wished`, or what is left of them. */
static int hook_after(const ee_lua *lua, int wished) {
  int count = wished < lua->hook_max ? wished : lua->hook_max;
  return lua->limits.instructions > 0 && count > lua->instructions_left ? (int)lua->instructions_left : count;
}

static void arm_hook(ee_lua *lua, int wished) {
  lua->hook_count = hook_after(lua, wished);
  lua_sethook(lua->L, on_count, LUA_MASKCOUNT, lua->hook_count);
}

/* The same in the hook, for which Lua has begun to count again. lua_sethook() goes over all calls that have not
 * returned: at every hook it would make a deep recursion quadratic. */
static void rearm_hook(ee_lua *lua, int wished) {
  lua->hook_count = hook_after(lua, wished);
  if (lua_gethookcount(lua->L) != lua->hook_count) lua_sethook(lua->L, on_count, LUA_MASKCOUNT, lua->hook_count);
}

/* From now on every instruction of the call raises, so that no handler or closing variable can go on. */
static void trip(ee_lua *lua) {
  ee_lua_place(lua->L, 0, &lua->error_file, &lua->error_line);
  lua_sethook(lua->L, on_count, LUA_MASKCOUNT, 1);
}

static _Noreturn void raise_trip(lua_State *L) {
  lua_pushliteral(L, "a limit is exceeded"); /* nobody reads it */
  lua_error(L);
  abort(); /* not reached: lua_error() is not declared so */
}

/* Work has ended while Lua runs: the error goes through Lua. */
static void raise_ended(void *user, ee_work_end end) {
  ee_lua *lua = user;
  lua->ended = end;
  lua->granted = ee_work_granted();
  trip(lua);
  raise_trip(lua->L);
}

/* The last resort: instructions that take far longer than they are charged. */
static void look_at_clock(ee_lua *lua) {
  uint64_t now = processor_ns(), seconds = ee_limits_get()->timeout;
  if (lua->started_ns == 0) lua->started_ns = now;
  if (lua->looked_ns > 0 && now - lua->looked_ns > TOO_SLOW_NS) lua->hook_max = lua->hook_max / 16 + 1;
  lua->looked_ns = now;
  uint64_t granted = ee_work_granted();
  if (seconds > 0 && granted < EE_WORK_UNLIMITED && now - lua->started_ns > ee_work_product(granted, SLOWEST))
    raise_ended(lua, EE_WORK_GIVEN_UP);
}

static void on_count(lua_State *L, lua_Debug *where) {
  (void)where;
  ee_lua *lua = ee_lua_of(L);
  if (ee_lua_has_tripped(lua)) raise_trip(L);
  int done = lua->hook_count;
  rearm_hook(lua, 2 * done);
  ee_work(INSTRUCTION_WORK * (uint64_t)done);
  if (lua->memory_used >= LARGE_MEMORY) look_at_clock(lua);
  if (lua->limits.instructions <= 0) return;
  lua->instructions_left -= done;
  if (lua->instructions_left > 0) {
    if (lua->instructions_left < lua->hook_count) rearm_hook(lua, lua->hook_count);
    return;
  }
  lua->out_of_budget = true;
  trip(lua);
  raise_trip(L);
}

/* Places --------------------------------------------------------------------------------------- */

/* The source of `chunk_name` ("@path", "=ee.text"); NULL when it is not in the list. */
static const ee_lua_source *find_source(const ee_lua *lua, const char *chunk_name) {
  for (size_t i = 0; i < lua->sources.count; i++) {
    if (strcmp(lua->sources.items[i].path, chunk_name + 1) == 0) return &lua->sources.items[i];
  }
  return NULL;
}

bool ee_lua_place(lua_State *L, int level, const char **file, size_t *line) {
  lua_Debug frame;
  for (; lua_getstack(L, level, &frame) != 0; level++) {
    lua_getinfo(L, "Sl", &frame);
    const ee_lua_source *source = frame.currentline > 0 ? find_source(ee_lua_of(L), frame.source) : NULL;
    if (source != NULL && !source->library) {
      *file = source->path;
      *line = (size_t)frame.currentline;
      return true;
    }
  }
  *file = NULL;
  *line = 0;
  return false;
}

bool ee_lua_function_place(lua_State *L, int index, const char **file, size_t *line) {
  *file = NULL;
  *line = 0;
  if (!lua_isfunction(L, index)) return false;
  lua_Debug info;
  lua_pushvalue(L, index);
  lua_getinfo(L, ">S", &info);
  if (*info.what == 'C') return false;
  const ee_lua_source *source = find_source(ee_lua_of(L), info.source);
  if (source == NULL || source->library) return false;
  *file = source->path;
  *line = (size_t)info.linedefined;
  return true;
}

int ee_lua_raise_at(lua_State *L, const char *file, size_t line, ee_str text) {
  if (file == NULL)
    lua_pushliteral(L, "");
  else
    lua_pushfstring(L, "%s:%d: ", file, (int)line);
  lua_pushlstring(L, text.data, text.length);
  lua_concat(L, 2);
  return lua_error(L);
}

void ee_lua_mistake(lua_State *L, const char *format, ...) {
  ee_lua *lua = ee_lua_of(L);
  const char *file;
  size_t line;
  ee_lua_place(L, 1, &file, &line);
  char message[sizeof(((ee_error *)0)->message)];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  ee_error_list_addf(&lua->mistakes, EE_ERROR_RULES, file, line, "%s", message);
}

/* Errors --------------------------------------------------------------------------------------- */

/* Prints the calls that raised the error at index 1. One write, so that lines of several workers do not mix. */
static void print_traceback(lua_State *L) {
  size_t message_length, length;
  const char *message = lua_tolstring(L, 1, &message_length);
  luaL_traceback(L, L, NULL, 1);
  lua_pushliteral(L, "\n");
  lua_concat(L, 2);
  const char *calls = lua_tolstring(L, -1, &length);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_add_printable(&text, (ee_str){message, message_length}, EE_PRINT_LINE);
  ee_buffer_add_char(&text, '\n');
  ee_buffer_add(&text, calls, length);
  ee_write_message((ee_str){text.data, text.length});
  ee_buffer_fini(&text);
  lua_pop(L, 1);
}

/* Runs before the stack unwinds, and keeps the place for messages without one. */
static int on_error(lua_State *L) {
  ee_lua *lua = ee_lua_of(L);
  if (!ee_lua_has_tripped(lua)) ee_lua_place(L, 1, &lua->error_file, &lua->error_line);
  if (lua->limits.traceback && lua_type(L, 1) == LUA_TSTRING) print_traceback(L);
  return 1;
}

/* The length of "NAME:LINE: " at the start of `text`, with the line; else 0. */
static size_t match_place(const char *text, const char *name, size_t *line) {
  size_t length = strlen(name);
  if (length == 0 || strncmp(text, name, length) != 0 || text[length] != ':') return 0;
  const char *digits = text + length + 1;
  size_t count = strspn(digits, "0123456789");
  if (count == 0 || count > 9 || strncmp(digits + count, ": ", 2) != 0) return 0;
  *line = (size_t)strtoul(digits, NULL, 10);
  return length + 1 + count + 2;
}

/* The same for any source, by its short or full name. */
static size_t split_place(const ee_lua *lua, const char *text, const ee_lua_source **source, size_t *line) {
  for (size_t i = 0; i < lua->sources.count; i++) {
    size_t length = match_place(text, lua->sources.items[i].short_name, line);
    if (length == 0) length = match_place(text, lua->sources.items[i].path, line);
    *source = &lua->sources.items[i];
    if (length != 0) return length;
  }
  *source = NULL;
  return 0;
}

static void describe_limit(size_t bytes, char *out, size_t size) {
  if (bytes % ((size_t)1 << 20) == 0)
    snprintf(out, size, "%zu MiB", bytes >> 20);
  else if (bytes % 1024 == 0)
    snprintf(out, size, "%zu KiB", bytes >> 10);
  else
    snprintf(out, size, "%zu bytes", bytes);
}

/* Fills `error` from the error object on top of the stack. `file` and `line` are the place if no better one is known.
 */
static void fill_error(ee_lua *lua, const char *file, size_t line, ee_error *error) {
  lua_State *L = lua->L;
  if (lua->out_of_memory && lua->deep) {
    ee_error_at(error, EE_ERROR_RULES, file, line, 0, "stack overflow (a function that calls itself without end?)");
    return;
  }
  if (lua->out_of_memory) {
    char limit[48];
    describe_limit(lua->limits.memory, limit, sizeof(limit));
    ee_error_at(error, EE_ERROR_RULES, file, line, 0, "out of memory: the rule's state holds more than %s", limit);
    return;
  }
  if (lua->error_file != NULL) {
    file = lua->error_file;
    line = lua->error_line;
  }
  if (lua->ended == EE_WORK_INTERRUPTED) {
    ee_error_at(error, EE_ERROR_SYSTEM, file, line, 0, "interrupted");
    return;
  }
  if (lua->ended != EE_WORK_DONE) {
    char reason[EE_WORK_REASON];
    ee_error_at(error, EE_ERROR_LIMIT, file, line, 0, "%s", ee_work_reason(lua->granted, reason));
    return;
  }
  if (lua->out_of_budget) {
    ee_error_at(error, EE_ERROR_RULES, file, line, 0,
                "instruction budget of %lld used up (a loop that does not end? --lua-budget gives more)",
                lua->limits.instructions);
    return;
  }
  if (lua_type(L, -1) != LUA_TSTRING) {
    const char *what = lua_isnil(L, -1) ? "nil" : luaL_typename(L, -1);
    if (lua_type(L, -1) == LUA_TNUMBER) {
      ee_error_at(error, EE_ERROR_RULES, file, line, 0, "error object is the number %.14g", lua_tonumber(L, -1));
    } else {
      ee_error_at(error, EE_ERROR_RULES, file, line, 0, "error object is %s%s", lua_isnil(L, -1) ? "" : "a ", what);
    }
    return;
  }
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  const ee_lua_source *source = NULL;
  size_t source_line = 0;
  size_t skip = split_place(lua, text, &source, &source_line);
  if (source != NULL && !source->library) {
    file = source->path;
    line = source_line;
  }
  text += skip;
  length -= skip;
  const char *end = memchr(text, '\n', length);
  if (end != NULL) length = (size_t)(end - text);
  ee_error_at(error, EE_ERROR_RULES, file, line, 0, "%.*s", length < INT_MAX ? (int)length : INT_MAX, text);
}

/* Calls ---------------------------------------------------------------------------------------- */

/* After a call with `results` on the stack; an error takes their place. */
static int check_watched(ee_lua *lua, int results) {
  lua_pushcfunction(lua->L, ee_lua_check_watched);
  int status = lua_pcall(lua->L, 0, 0, 0);
  if (status == LUA_OK) return status;
  for (int i = 0; i < results; i++) lua_remove(lua->L, -2);
  return status;
}

/* What a call may use where it is not part of a case: while a file is loaded, or results are collected. */
static uint64_t units_of_call(void) {
  uint64_t seconds = ee_limits_get()->timeout;
  if (seconds == 0 || ee_work_left() < EE_WORK_UNLIMITED) return EE_WORK_UNLIMITED;
  return ee_work_product(seconds, EE_WORK_SECOND);
}

static void start_outermost(ee_lua *lua) {
  lua->instructions_left = lua->limits.instructions;
  lua->started_ns = lua->looked_ns = 0;
  lua->hook_max = HOOK_MAX;
  arm_hook(lua, HOOK_FIRST);
}

/* Calls the function below `arguments` values. The outermost call arms the budget. */
static ee_status protected_call(ee_lua *lua, int arguments, int results, const char *file, size_t line,
                                ee_error *error) {
  lua_State *L = lua->L;
  bool outermost = lua->depth == 0;
  int handler = HANDLER_SLOT;
  lua->error_file = NULL;
  lua->error_line = 0;
  if (outermost) {
    start_outermost(lua);
  } else {
    handler = lua_gettop(L) - arguments;
    lua_pushcfunction(L, on_error);
    lua_insert(L, handler);
  }
  ee_work_trap trap;
  ee_work_enter(&trap, units_of_call(), raise_ended, lua);
  lua->depth++;
  int status = lua_pcall(L, arguments, results, handler);
  if (status == LUA_OK && outermost && lua->watches) status = check_watched(lua, results);
  lua->depth--;
  ee_work_leave(&trap);
  ee_work_end ended = lua->ended;
  if (status != LUA_OK) {
    if (status == LUA_ERRMEM) lua->out_of_memory = true;
    fill_error(lua, file, line, error);
    lua_pop(L, 1);
  }
  if (!outermost) lua_remove(L, handler);
  /* The limit of the call itself, or of a try inside the call around it, which may go on. */
  lua->ended = EE_WORK_DONE;
  if (!outermost && ended != EE_WORK_DONE && !lua->out_of_budget) arm_hook(lua, HOOK_FIRST);
  if (status == LUA_OK) return EE_OK;
  if (outermost) {
    /* What used up the memory is garbage now; free it for the next call. */
    if (lua->out_of_memory) lua_gc(L, LUA_GCCOLLECT);
    lua->out_of_budget = lua->out_of_memory = lua->asks = false;
  }
  ee_work_pass_on(ended);
  return EE_ERROR_RULES;
}

ee_status ee_lua_call(ee_lua *lua, int arguments, int results, ee_error *error) {
  const char *file;
  size_t line;
  ee_lua_function_place(lua->L, -1 - arguments, &file, &line);
  return protected_call(lua, arguments, results, file, line, error);
}

ee_status ee_lua_protect(ee_lua *lua, lua_CFunction function, void *request, const char *file, size_t line,
                         ee_error *error) {
  ee_work(CALL_WORK); /* before anything is on the stack, since it may jump */
  lua_pushcfunction(lua->L, function);
  lua_pushlightuserdata(lua->L, request);
  return protected_call(lua, 1, 0, file, line, error);
}

/* Files ---------------------------------------------------------------------------------------- */

static ee_lua_source *intern_source(ee_lua *lua, const char *path, bool library) {
  for (size_t i = 0; i < lua->sources.count; i++) {
    if (strcmp(lua->sources.items[i].path, path) == 0) return &lua->sources.items[i];
  }
  ee_lua_source *source = EE_LIST_ADD(&lua->sources, NULL);
  *source = (ee_lua_source){.path = ee_copy_string(path), .library = library};
  return source;
}

/* Lua shortens the names of chunks in its messages. An empty chunk of the same name has the short name. */
static void learn_short_name(lua_State *L, ee_lua_source *source, const char *chunk_name) {
  if (luaL_loadbufferx(L, "", 0, chunk_name, "t") != LUA_OK) lua_error(L);
  lua_Debug info;
  lua_getinfo(L, ">S", &info);
  memcpy(source->short_name, info.short_src, sizeof(source->short_name));
}

static void close_file(void *file) { close(*(int *)file); }

/* Reads the file at `path` into `text`, at most `limit` bytes. */
static ee_status read_file(const char *path, size_t limit, ee_buffer *text, ee_error *error) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    ee_check_memory(errno);
    return ee_error_at(error, EE_ERROR_RULES, path, 0, 0, "cannot be read: %s", strerror(errno));
  }
  ee_cleanup cleanup;
  ee_cleanup_add(&cleanup, close_file, &file);
  ee_status status = EE_OK;
  ssize_t got;
  do {
    got = read(file, ee_buffer_reserve(text, 65536), 65536);
    if (got > 0) text->length += (size_t)got;
  } while ((got > 0 && text->length <= limit) || (got < 0 && errno == EINTR));
  if (got < 0) {
    status = ee_error_at(error, EE_ERROR_RULES, path, 0, 0, "cannot be read: %s", strerror(errno));
  } else if (text->length > limit) {
    status = ee_error_at(error, EE_ERROR_RULES, path, 0, 0, "the file is larger than the memory limit of rules");
  }
  ee_cleanup_remove(&cleanup);
  close(file);
  return status;
}

/* Skips what Lua's own loader skips: a byte order mark, and a first line that begins with '#' (without its line end, so
 * that lines keep their numbers). */
static ee_str skip_preamble(ee_str text) {
  if (text.length >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0) text = (ee_str){text.data + 3, text.length - 3};
  if (text.length == 0 || text.data[0] != '#') return text;
  const char *end = memchr(text.data, '\n', text.length);
  size_t skip = end == NULL ? text.length : (size_t)(end - text.data);
  return (ee_str){text.data + skip, text.length - skip};
}

/* A hint for the syntax error on top of the stack, "NAME:LINE: MESSAGE"; NULL if there is none. */
static const char *hint_of(lua_State *L, ee_str text, ee_arena *arena) {
  for (const char *at = lua_tostring(L, -1); (at = strchr(at, ':')) != NULL; at++) {
    char *end;
    unsigned long line = strtoul(at + 1, &end, 10);
    if (end > at + 1 && strncmp(end, ": ", 2) == 0) return ee_lua_syntax_hint(text, line, end + 2, arena);
  }
  return NULL;
}

/* Whether `first` is followed by one of the characters of `second`. */
static bool has_pair(ee_str text, char first, const char *second) {
  const char *end = text.data + text.length;
  for (const char *at = text.data; (at = memchr(at, first, (size_t)(end - at))) != NULL && ++at < end;)
    if (*at != '\0' && strchr(second, *at) != NULL) return true;
  return false;
}

/* Lines of comments do not count: a run by rules that follow from data, and one by the file that has them with the
 * reasons as comments, have the same rules. All lines count where a string may go over several: a long bracket, or a
 * backslash before the end of a line or a 'z'. */
static uint64_t hash_rules(ee_str text, uint64_t hash) {
  if (text.length == 0) return hash;
  if (has_pair(text, '[', "[=") || has_pair(text, '\\', "\n\rz")) return ee_hash_bytes(text.data, text.length, hash);
  while (text.length > 0) {
    const char *newline = memchr(text.data, '\n', text.length);
    size_t length = newline != NULL ? (size_t)(newline - text.data) + 1 : text.length;
    ee_str line = ee_str_trim((ee_str){text.data, length});
    bool comment = line.length >= 2 && memcmp(line.data, "--", 2) == 0;
    if (!comment) hash = ee_hash_bytes(line.data, line.length, hash);
    text = (ee_str){text.data + length, text.length - length};
  }
  return hash;
}

/* Lua repeats the text around a mistake. A string is left out: it may be a key, and messages end up in logs. */
static void hide_string(char *message) {
  char *near = strstr(message, " near '");
  if (near != NULL && strchr("\"'[", near[7]) != NULL) strcpy(near, " near a string");
}

static bool load_file(ee_lua *lua, const char *path, ee_error *error) {
  lua_State *L = lua->L;
  const char *chunk_name = lua_pushfstring(L, "@%s", path);
  ee_lua_source *source = intern_source(lua, path, false);
  path = source->path;
  if (source->short_name[0] == '\0') learn_short_name(L, source, chunk_name);
  ee_buffer buffer;
  ee_buffer_init(&buffer);
  ee_status result = EE_OK;
  if (lua->text.data != NULL)
    ee_buffer_add_str(&buffer, lua->text);
  else
    result = read_file(path, lua->limits.memory, &buffer, error);
  lua->text = (ee_str){NULL, 0};
  ee_str text = skip_preamble((ee_str){buffer.data, buffer.length});
  int status = LUA_OK;
  if (result == EE_OK && text.length > 0 && text.data[0] == LUA_SIGNATURE[0]) {
    result = ee_error_at(error, EE_ERROR_RULES, path, 0, 0, "compiled Lua is not accepted, only Lua text");
  } else if (result == EE_OK) {
    lua->text_hash = hash_rules((ee_str){buffer.data, buffer.length}, lua->text_hash);
    /* This does not raise: anything that may comes after the buffer is freed. */
    status = luaL_loadbufferx(L, text.length == 0 ? "" : text.data, text.length, chunk_name, "t");
  }
  ee_arena hints;
  ee_arena_init(&hints, 0);
  const char *hint = status == LUA_ERRSYNTAX ? hint_of(L, text, &hints) : NULL;
  char kept[200];
  snprintf(kept, sizeof kept, "%s", hint != NULL ? hint : "");
  ee_arena_fini(&hints);
  ee_buffer_fini(&buffer);
  if (status == LUA_ERRMEM) lua_error(L);
  if (status != LUA_OK) {
    fill_error(lua, path, 0, error);
    hide_string(error->message);
    if (*kept != '\0')
      ee_error_at(error, error->status, error->file, error->line, error->column, "%s (%s)", error->message, kept);
    result = EE_ERROR_RULES;
    lua_pop(L, 1);
  }
  if (result == EE_OK) {
    ee_lua_push_environment(L);
    lua_setupvalue(L, -2, 1);
    lua_remove(L, -2);
    return true;
  }
  lua_pop(L, 1);
  return false;
}

typedef struct file_request {
  const char *path;
  ee_error *error;
  ee_status status;
} file_request;

static int run_file(lua_State *L) {
  file_request *request = lua_touserdata(L, 1);
  if (!load_file(ee_lua_of(L), request->path, request->error)) {
    request->status = EE_ERROR_RULES;
    return 0;
  }
  lua_call(L, 0, 1);
  return 1;
}

ee_status ee_lua_run_file(ee_lua *lua, const char *path, ee_error *error) {
  lua_State *L = lua->L;
  ee_error ignored;
  path = intern_source(lua, path, false)->path;
  file_request request = {path, error == NULL ? &ignored : error, EE_OK};
  bool was_loading = lua->loading;
  lua->loading = true;
  lua_pushcfunction(L, run_file);
  lua_pushlightuserdata(L, &request);
  ee_status status = protected_call(lua, 1, 1, path, 0, error);
  lua->loading = was_loading;
  if (status == EE_OK && request.status != EE_OK) {
    lua_pop(L, 1);
    status = request.status;
  }
  return status;
}

/* require -------------------------------------------------------------------------------------- */

/* Letters, digits, '_' and '-' in parts between single dots, so that a module cannot be outside the folder. */
static bool is_module_name(const char *name, size_t length) {
  bool part = false;
  for (size_t i = 0; i < length; i++) {
    char c = name[i];
    bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!word && (c != '.' || !part)) return false;
    part = word;
  }
  return part;
}

/* Pushes DIRECTORY/NAME.lua, with slashes for dots in the name and without a leading "./". */
static const char *push_path(lua_State *L, const char *directory, const char *name) {
  const char *file = luaL_gsub(L, name, ".", "/");
  const char *path = strcmp(directory, ".") == 0 ? lua_pushfstring(L, "%s.lua", file)
                                                 : lua_pushfstring(L, "%s/%s.lua", directory, file);
  lua_remove(L, -2);
  return path;
}

/* Pushes the path of the module `name`, or raises an error with the paths that were tried. */
static const char *push_module_path(lua_State *L, const char *name) {
  const char *own = push_path(L, ee_lua_of(L)->directory, name);
  if (access(own, F_OK) == 0) return own;
  const char *installed = push_path(L, ee_data_folder(EE_DATA_RULES), name);
  int failure = ee_data_folder_failure();
  if (failure != 0) luaL_error(L, "module '%s': cannot look for '%s': %s", name, installed, strerror(failure));
  if (access(installed, F_OK) == 0) return installed;
  luaL_error(L, "module '%s' not found: no file '%s' or '%s'", name, own, installed);
  return NULL;
}

/* Raises "require cycle: a -> b -> a". The list of modules that are being loaded is at `list`. */
static int raise_cycle(lua_State *L, int list, lua_Integer first, const char *name) {
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  luaL_addstring(&text, "require cycle: ");
  for (lua_Integer i = first; i <= (lua_Integer)lua_rawlen(L, list); i++) {
    lua_rawgeti(L, list, i);
    luaL_addvalue(&text);
    luaL_addstring(&text, " -> ");
  }
  luaL_addstring(&text, name);
  luaL_pushresult(&text);
  return luaL_error(L, "%s", lua_tostring(L, -1));
}

/* Upvalues: the loaded modules by name, the names of those being loaded. */
static int require(lua_State *L) {
  enum { MODULES = lua_upvalueindex(1), LOADING = lua_upvalueindex(2) };
  size_t length;
  const char *name = luaL_checklstring(L, 1, &length);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  if (lua_rawget(L, MODULES) != LUA_TNIL) return 1;
  lua_settop(L, 1);
  ee_lua *lua = ee_lua_of(L);
  if (!lua->loading) return luaL_error(L, "require '%s' is called in a function; call it where the file loads", name);
  if (!is_module_name(name, length)) return luaL_error(L, "'%s' is not a module name", name);
  lua_Integer depth = (lua_Integer)lua_rawlen(L, LOADING);
  for (lua_Integer i = 1; i <= depth; i++) {
    lua_rawgeti(L, LOADING, i);
    if (lua_rawequal(L, -1, 1)) return raise_cycle(L, LOADING, i, name);
    lua_pop(L, 1);
  }
  if (depth >= 100) return luaL_error(L, "require: more than 100 modules deep");
  const char *path = push_module_path(L, name);
  ee_error error;
  if (!load_file(lua, path, &error)) {
    if (error.line == 0) return luaL_error(L, "module '%s': '%s' %s", name, path, error.message);
    lua_pushfstring(L, "%s:%d: %s", path, (int)error.line, error.message);
    return lua_error(L);
  }
  lua_pushvalue(L, 1);
  lua_rawseti(L, LOADING, depth + 1);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1)) return luaL_error(L, "module '%s' returned nothing (did you forget 'return'?)", name);
  lua_pushnil(L);
  lua_rawseti(L, LOADING, depth + 1);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, -2);
  lua_rawset(L, MODULES);
  return 1;
}

/* ee.param ------------------------------------------------------------------------------------- */

static void remember_name(ee_lua *lua, const char *name) {
  for (size_t i = 0; i < lua->asked.count; i++) {
    if (strcmp(lua->asked.items[i], name) == 0) return;
  }
  char *copy = ee_copy_string(name);
  *EE_LIST_ADD(&lua->asked, NULL) = copy;
}

/* The value that --set gives `name` (the last of several), or NULL. */
static const char *find_parameter(ee_lua *lua, const char *name) {
  const char *value = NULL;
  for (size_t i = 0; i < lua->parameter_count; i++) {
    ee_lua_parameter *parameter = &lua->parameters[i];
    if (strcmp(parameter->name, name) != 0) continue;
    value = parameter->value;
    /* Workers load the file again concurrently; the first load has set it. */
    if (!__atomic_load_n(&parameter->used, __ATOMIC_RELAXED))
      __atomic_store_n(&parameter->used, true, __ATOMIC_RELAXED);
  }
  return value;
}

/* ee.param(name, default): the parameter's value in the type of the default; without a default as a string. */
static int param(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  lua_settop(L, 2);
  int type = lua_type(L, 2);
  if (type != LUA_TNIL && type != LUA_TBOOLEAN && type != LUA_TNUMBER && type != LUA_TSTRING)
    return luaL_error(L, "ee.param: the default of '%s' is a %s, expected a string, a number or a boolean", name,
                      luaL_typename(L, 2));
  ee_lua *lua = ee_lua_of(L);
  if (!lua->loading)
    return luaL_error(L, "ee.param '%s' is read in a function; read it where the file loads, into a local", name);
  remember_name(lua, name);
  const char *value = find_parameter(lua, name);
  if (value == NULL) return 1;
  if (type == LUA_TNUMBER) {
    if (lua_stringtonumber(L, value) != 0) return 1;
    ee_lua_mistake(L, "parameter '%s' is '%s', expected a number", name, value);
    return 1;
  }
  if (type == LUA_TBOOLEAN) {
    bool is_true = strcmp(value, "true") == 0;
    if (!is_true && strcmp(value, "false") != 0) {
      ee_lua_mistake(L, "parameter '%s' is '%s', expected true or false", name, value);
      return 1;
    }
    lua_pushboolean(L, is_true);
    return 1;
  }
  lua_pushstring(L, value);
  return 1;
}

/* Defines the global `require`, and ee.param in the table on top of the stack. */
static void open_require(lua_State *L) {
  lua_newtable(L);
  lua_newtable(L);
  lua_pushcclosure(L, require, 2);
  ee_lua_define_global(L, "require");
  lua_pushcfunction(L, param);
  lua_setfield(L, -2, "param");
}

/* Pushes `value` with its tables frozen; the string at `name` is its name in messages. The reader's nesting limit
 * bounds the recursion. */
static void push_frozen(ee_lua *lua, const ee_value *value, int name) {
  lua_State *L = lua->L;
  ee_type type = ee_type_of(value);
  if (type != EE_ARRAY && type != EE_OBJECT) {
    ee_lua_push_value(lua, value);
    return;
  }
  luaL_checkstack(L, 10, "ee.config is nested too deeply");
  int count = (int)ee_value_count(value);
  lua_createtable(L, type == EE_ARRAY ? count : 0, type == EE_OBJECT ? count : 0);
  int table = lua_gettop(L);
  lua_Integer place = 0;
  for (const ee_value *at = ee_value_child(value); at != NULL; at = ee_value_next(at)) {
    if (type == EE_ARRAY) {
      lua_pushfstring(L, "%s[%I]", lua_tostring(L, name), (LUAI_UACINT)++place);
      push_frozen(lua, at, table + 1);
      lua_rawseti(L, table, place);
    } else if (ee_type_of(at) != EE_NULL) {
      lua_pushfstring(L, "%s.%s", lua_tostring(L, name), at->json.string);
      lua_pushlstring(L, at->json.string, at->key_length);
      push_frozen(lua, at, table + 1);
      lua_rawset(L, table);
    }
    lua_settop(L, table);
  }
  ee_lua_freeze(L, lua_tostring(L, name), false);
}

/* Sets ee.config in the table on top of the stack: frozen plain tables, {} without `config`. Members that are null are
 * left out, elements that are null are ee.null. */
static void open_config(ee_lua *lua, const ee_value *config) {
  lua_State *L = lua->L;
  lua_pushliteral(L, "ee.config");
  int name = lua_gettop(L);
  if (ee_type_of(config) == EE_OBJECT) {
    push_frozen(lua, config, name);
  } else {
    lua_newtable(L);
    ee_lua_freeze(L, lua_tostring(L, name), false);
  }
  lua_setfield(L, name - 1, "config");
  lua_pop(L, 1);
}

/* States --------------------------------------------------------------------------------------- */

/* Runs the library's own Lua files. Each gets the open table `ee` (at index 1) and may add to it; a result other than
 * nil becomes ee[name]. */
static void open_library(lua_State *L) {
  ee_lua *lua = ee_lua_of(L);
  for (const ee_embedded_file *entry = ee_lua_std; entry->name != NULL; entry++) {
    const char *chunk_name = lua_pushfstring(L, "=ee.%s", entry->name);
    ee_lua_source *source = intern_source(lua, chunk_name + 1, true);
    learn_short_name(L, source, chunk_name);
    if (luaL_loadbufferx(L, entry->text, entry->length, chunk_name, "t") != LUA_OK) lua_error(L);
    ee_lua_push_environment(L);
    lua_setupvalue(L, -2, 1);
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    if (lua_isnil(L, -1))
      lua_pop(L, 1);
    else
      lua_setfield(L, 1, entry->name);
    lua_pop(L, 1);
  }
}

static int open_state(lua_State *L) {
  ee_lua *lua = ee_lua_of(L);
  lua_settop(L, 0);
  lua_newtable(L); /* ee */
  ee_lua_sandbox_open(L);
  ee_lua_values_open(lua);
  ee_lua_prims_open(lua);
  ee_lua_constructors_open(lua);
  ee_lua_schema_check_open(L);
  open_require(L);
  open_config(lua, lua->config);
  open_library(L);
  ee_lua_sandbox_close(L);
  return 0;
}

static int on_panic(lua_State *L) {
  (void)L;
  fputs("evalengine: Lua raised an error outside a protected call\n", stderr);
  return 0; /* Lua then aborts */
}

static char *directory_of(const char *file) {
  const char *slash = file == NULL ? NULL : strrchr(file, '/');
  if (slash == NULL) return ee_copy_string(".");
  return ee_copy_bytes(file, slash == file ? 1 : (size_t)(slash - file));
}

ee_lua *ee_lua_new(const char *file, ee_lua_limits limits, ee_lua_parameter *parameters, size_t parameter_count,
                   const ee_value *config, ee_error *error) {
  if (limits.memory == 0) limits.memory = EE_LUA_MEMORY;
  if (limits.instructions < 0) limits.instructions = EE_LUA_INSTRUCTIONS;
  ee_lua *lua = ee_calloc(1, sizeof(*lua));
  lua->limits = limits;
  lua->pooled = ee_pool_current() != NULL;
  lua->directory = directory_of(file);
  lua->parameters = parameters;
  lua->parameter_count = parameter_count;
  lua->config = config;
  ee_error_list_init(&lua->mistakes);
  lua->L = lua_newstate(allocate, lua);
  if (lua->L == NULL) {
    lua->out_of_memory = true;
    fill_error(lua, NULL, 0, error);
    ee_lua_free(lua);
    return NULL;
  }
  *(ee_lua **)lua_getextraspace(lua->L) = lua;
  lua_atpanic(lua->L, on_panic);
  /* Most objects die with the call that made them. The generational mode collects them early, which makes a call a
   * fifth faster (bench/run). */
  lua_gc(lua->L, LUA_GCGEN, 0, 0);
  lua_pushcfunction(lua->L, on_error);
  lua_pushcfunction(lua->L, open_state);
  /* Opening the library does not count against the rule file's budget. */
  lua->limits.instructions = 0;
  ee_status status = protected_call(lua, 0, 0, NULL, 0, error);
  lua->limits.instructions = limits.instructions;
  lua->config = NULL;
  if (status == EE_OK) return lua;
  ee_lua_free(lua);
  return NULL;
}

void ee_lua_free(ee_lua *lua) {
  if (lua == NULL) return;
  if (lua->L != NULL) lua_close(lua->L);
  for (size_t i = 0; i < lua->sources.count; i++) ee_free(lua->sources.items[i].path);
  for (size_t i = 0; i < lua->asked.count; i++) ee_free(lua->asked.items[i]);
  EE_LIST_FINI(&lua->sources);
  EE_LIST_FINI(&lua->asked);
  EE_LIST_FINI(&lua->functions);
  ee_free(lua->directory);
  ee_error_list_fini(&lua->mistakes);
  ee_free(lua);
}

const char *ee_lua_release(void) { return LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE; }
