/* test_attacks_list.c: attacks.list, attack by attack, each in a state of its own, which must be usable afterwards. */
#include "lua/rule_text.h"

#include "base/limits.h"

/* Attacks that the list must at least have. */
#define ENOUGH 130

typedef struct attack {
  char name[128], text[1024], kind[8], end[128];
} attack;

/* Reads the next attack; false at the end of the list. */
static bool read_attack(FILE *list, attack *next) {
  char line[512];
  *next = (attack){0};
  while (fgets(line, sizeof line, list) != NULL) {
    if (sscanf(line, "== %127[^\n]", next->name) == 1) continue;
    if (*next->name == '\0') continue;
    if (sscanf(line, "--> %7[a-z]: %127[^\n]", next->kind, next->end) == 2) return true;
    assert_true(strlen(next->text) + strlen(line) < sizeof next->text);
    strcat(next->text, line);
  }
  return false;
}

/* The state works as ever. */
static void check_state(ee_lua *lua, const char *name) {
  ee_error error = {0};
  write_text("after.lua", "local t = { 3, 1, 2 } table.sort(t)\n"
                          "return ('%d'):rep(3):format(table.unpack(t)) .. tostring(pcall(error)) .. type(ee.rules)\n");
  if (ee_lua_run_file(lua, "after.lua", &error) != EE_OK) fail_msg("after '%s': %s", name, error.message);
  const char *text = lua_tostring(lua->L, -1);
  if (text == NULL || strcmp(text, "123falsefunction") != 0) fail_msg("after '%s': %s", name, text);
  lua_pop(lua->L, 1);
}

/* How many attacks ended in another way than the list says. */
static size_t surprises;

static void check(const attack *one) {
  ee_error error = {0};
  ee_lua *lua = new_state();
  write_text("rules.lua", one->text);
  int top = lua_gettop(lua->L);
  bool ran = ee_lua_run_file(lua, "rules.lua", &error) == EE_OK;
  const char *text = ran ? lua_tostring(lua->L, -1) : error.message;
  bool good = strcmp(one->kind, ran ? "gives" : "fails") == 0 &&
              (ran ? text != NULL && strcmp(text, one->end) == 0 : strstr(text, one->end) != NULL);
  if (!good) {
    print_error("'%s' %s: %s\n", one->name, ran ? "gives" : "fails", text != NULL ? text : "no text");
    surprises++;
  }
  if (ran) lua_pop(lua->L, 1);
  assert_int_equal(lua_gettop(lua->L), top);
  check_state(lua, one->name);
  ee_lua_free(lua);
}

static void test_attacks(void **state) {
  (void)state;
  FILE *list = fopen(test_project_path("tests/lua/attacks.list"), "r");
  assert_non_null(list);
  write_text("bytecode.lua", "\x1bLuaS");
  write_text("globals.lua", "x = 1 return 1");
  char outside[64];
  snprintf(outside, sizeof outside, "../ee-lua-outside-%ld.lua", (long)getpid());
  write_text(outside, "return 'outside'");
  assert_int_equal(mkdir("folder.lua", 0700), 0);
  assert_int_equal(symlink(outside, "linked.lua"), 0);
  ee_limits limits = EE_LIMITS_DEFAULT;
  limits.timeout = 1;
  ee_limits_set(&limits);
  attack one;
  size_t count = 0;
  while (read_attack(list, &one)) check(&one), count++;
  fclose(list);
  ee_limits_set(NULL);
  unlink(outside);
  print_message("%zu attacks\n", count);
  assert_true(count >= ENOUGH && surprises == 0);
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_attacks));
