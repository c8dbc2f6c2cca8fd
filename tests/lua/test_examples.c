/* test_examples.c: the examples of --help-on: each page has one, and each does what it says. */
#include "lua/rule_text.h"

#include "base/buffer.h"
#include "base/embedded.h"
#include "judge/judge.h"
#include "judge/strategy/strategy.h"
#include "lua/prims.h"

/* The example of `name` loads without mistakes and warnings, and shows it. */
static void assert_example(const char *name) {
  const char *text = ee_embedded_find(ee_help_examples, name);
  if (text == NULL) fail_msg("engine/help/%s.lua is missing", name);
  for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
    if (strcspn(line, "\n") > 78) fail_msg("engine/help/%s.lua has a line of more than 78 columns", name);
  write_text("rules.lua", text);
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file_options options = {.limits = {.instructions = -1}};
  ee_rule_file *file = ee_rule_file_load("rules.lua", &options, &errors);
  if (file == NULL) fail_msg("engine/help/%s.lua: %s", name, error_text(&errors.items[0]));
  const ee_plan *plan = ee_rule_file_plan(file);
  if (plan->warning_count > 0) fail_msg("engine/help/%s.lua: %s", name, error_text(&plan->warnings[0]));
  ee_rule_file_free(file);
  ee_error_list_fini(&errors);
}

static void assert_shows(const char *name) {
  char call[64];
  snprintf(call, sizeof call, "ee.%s ", name);
  assert_example(name);
  if (strstr(ee_embedded_find(ee_help_examples, name), call) == NULL)
    fail_msg("engine/help/%s.lua does not show %s", name, call);
}

static void test_rule_files(void **state) {
  (void)state;
  /* The rule file that the example of ee.code_judge names. */
  write_text("header.lua", "return ee.rules { ee.fields { ee.fuzzy { 'a', threshold = ee.config.threshold } } }\n");
  for (const ee_judge_type *const *type = ee_judge_types; *type != NULL; type++) assert_shows((*type)->name);
  for (const ee_strategy_type *const *type = ee_strategy_types; *type != NULL; type++) assert_shows((*type)->name);
  static const char *const others[] = {"rules", "gate", "summary", "report"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_shows(others[i]);
  /* Each of the others has a page of its own, too. */
  for (const ee_embedded_file *file = ee_help_examples; file->name != NULL; file++) assert_example(file->name);
  for (const ee_embedded_file *file = ee_help_texts; file->name != NULL; file++)
    if (strcmp(file->name, "error_kinds") != 0) assert_example(file->name); /* its page has an example of each kind */
}

static void test_primitives(void **state) {
  (void)state;
  for (const ee_lua_prim *prim = ee_lua_prims; prim->name != NULL; prim++) {
    char text[256];
    snprintf(text, sizeof text, "return ee.json((ee.prim.%s(%s)))", prim->name, prim->example);
    ee_lua *lua = new_state();
    run_text(lua, text);
    if (strcmp(lua_tostring(lua->L, -1), prim->gives) != 0)
      fail_msg("ee.prim.%s(%s) gives %s, not %s", prim->name, prim->example, lua_tostring(lua->L, -1), prim->gives);
    ee_lua_free(lua);
  }
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_rule_files), cmocka_unit_test(test_primitives));
