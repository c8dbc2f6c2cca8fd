/* rule_text.h: rule files that stand in a test as text.
 *
 * A folder of its own for each test program, removed at the end; the program changes into it, so that places read
 * "rules.lua:3". */
#ifndef EE_TESTS_LUA_RULE_TEXT_H
#define EE_TESTS_LUA_RULE_TEXT_H

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "lua/rule_file.h"
#include "lua/state.h"

static inline int rule_text_setup(void **state) {
  (void)state;
  char folder[] = P_tmpdir "/ee-lua-XXXXXX";
  return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static inline int rule_text_remove(const char *path, const struct stat *status, int type, struct FTW *walk) {
  (void)status, (void)type, (void)walk;
  return remove(path);
}

static inline int rule_text_teardown(void **state) {
  (void)state;
  char folder[4096];
  if (getcwd(folder, sizeof(folder)) == NULL || strstr(folder, "/ee-lua-") == NULL || chdir("/") != 0) return -1;
  return nftw(folder, rule_text_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}

/* A state with the usual limits. */
static inline ee_lua *new_state(void) {
  ee_error error;
  ee_lua *lua = ee_lua_new("rules.lua", (ee_lua_limits){.instructions = -1}, NULL, 0, NULL, &error);
  assert_non_null(lua);
  return lua;
}

/* Runs `text` as rules.lua, which must succeed with a result on the stack. */
static inline void run_text(ee_lua *lua, const char *text) {
  write_text("rules.lua", text);
  ee_error error = {0};
  if (ee_lua_run_file(lua, "rules.lua", &error) != EE_OK)
    fail_msg("%s:%zu: %s\n%s", error.file, error.line, error.message, text);
}

/* "file:line: message" of `error`; overwritten by the next call. */
static inline const char *error_text(const ee_error *error) {
  static char text[2048];
  int length = 0;
  if (error->file[0] != '\0') length = snprintf(text, sizeof(text), "%s:", error->file);
  if (error->line != 0) length += snprintf(text + length, sizeof(text) - (size_t)length, "%zu:", error->line);
  snprintf(text + length, sizeof(text) - (size_t)length, "%s%s", length == 0 ? "" : " ", error->message);
  return text;
}

/* Runs `text` in a new state, which must fail with `expected`. */
static inline void assert_run_fails(const char *text, const char *expected) {
  ee_lua *lua = new_state();
  write_text("rules.lua", text);
  ee_error error = {0};
  int top = lua_gettop(lua->L);
  assert_int_equal(ee_lua_run_file(lua, "rules.lua", &error), EE_ERROR_RULES);
  assert_string_equal(error_text(&error), expected);
  assert_int_equal(lua_gettop(lua->L), top);
  ee_lua_free(lua);
}

/* Runs `text`, which must return the text `expected`. */
static inline void assert_result(const char *text, const char *expected) {
  ee_lua *lua = new_state();
  run_text(lua, text);
  if (lua_type(lua->L, -1) != LUA_TSTRING) fail_msg("no text but %s: %s", luaL_typename(lua->L, -1), text);
  assert_string_equal(lua_tostring(lua->L, -1), expected);
  lua_pop(lua->L, 1);
  ee_lua_free(lua);
}

#endif
