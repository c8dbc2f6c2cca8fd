/* test_habits.c: hints for what is written as in another language, and pitfalls that load. */
#include "lua/habits.h"

#include "lua/rule_text.h"
#include "support/random.h"

static void test_syntax_hints(void **state) {
  (void)state;
  static const struct {
    const char *text, *hint; /* NULL: none */
  } rows[] = {
      {"return f { a: 1 }", "write a = 1"},
      {"return f { a: { 1 } }", "write a = ..."},
      {"return f { \"a\": 1 }", "write [\"a\"] = 1, or without quotes if it is a name"},
      {"return f { a = [\"x\"] }", "an array is written in braces: { \"a\", \"b\" }"},
      {"return { [\"x\"] }", "an array is written in braces: { \"a\", \"b\" }"},
      {"return f [1, 2]", NULL},
      {"return {\n  \"a\"\n  \"b\",\n  c\n  d }", "is a comma missing before the string?"},
      {"return { a = 1 b = 2 }", "is a comma missing before b?"},
      {"if a != b then end", "write ~= for not equal"},
      {"if !a then end", "write not"},
      {"if a && b then end", "write and"},
      {"if a || b then end", "write or"},
      {"if a then b()\nelif c then d() end", "write elseif"},
      {"x += 1", "write x = x + 1; there is no +="},
      {"x++", "write x = x + 1; there is no ++"},
      {"local a = 1\n# a comment of Python", "comments begin with --"},
      {"return { 1, # the first\n  2 }", "comments begin with --"},
      {"// a comment\nreturn 1", "comments begin with --"},
      {"return { 1, // the first\n  2 }", "comments begin with --"},
      {"/* a comment */ return 1", "comments begin with --"},
      {"local f = lambda x: x", "write function(x) return ... end"},
      {"local f = (x) => x", "write function(x) return ... end"},
      {"local a = b ? c : d", "write a and b or c"},
      {"def f(x):", "write local function"},
      {"import re", "write local name = require \"name\""},
      {"return {", NULL},
      {"return #a + # b 7", NULL},
      {"return a // b )", NULL},
      {"-- a != b\nreturn 'x: 1' )", NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_lua *lua = new_state();
    write_text("rules.lua", rows[i].text);
    ee_error error = {0};
    assert_int_equal(ee_lua_run_file(lua, "rules.lua", &error), EE_ERROR_RULES);
    char end[200];
    snprintf(end, sizeof end, " (%s)", rows[i].hint != NULL ? rows[i].hint : "");
    const char *found = strstr(error.message, end);
    bool has = rows[i].hint != NULL ? found != NULL && found[strlen(end)] == '\0'
                                    : strstr(error.message, "write") == NULL && strstr(error.message, "comma") == NULL;
    if (!has) fail_msg("%s\n  gives %s", rows[i].text, error.message);
    ee_lua_free(lua);
  }
}

static void test_name_hints(void **state) {
  (void)state;
  assert_run_fails("return False", "rules.lua:1: undefined name 'False' (write false)");
  assert_run_fails("return { True }", "rules.lua:1: undefined name 'True' (write true)");
  assert_run_fails("return None", "rules.lua:1: undefined name 'None' (write nil, or ee.null for a null of the data)");
  assert_run_fails("return f\"a{b}\"", "rules.lua:1: undefined name 'f' (write string.format, or \"text \" .. value: "
                                       "there are no f-strings)");
  assert_run_fails("return len({})", "rules.lua:1: undefined name 'len' (write #value)");
}

/* The lines of the warnings, as "3 7 ". */
static const char *lines_of(const char *text) {
  static char lines[200];
  size_t length = 0;
  ee_error_list found;
  ee_error_list_init(&found);
  ee_lua_find_pitfalls(ee_str_from(text), "rules.lua", &found);
  lines[0] = '\0';
  for (size_t i = 0; i < found.count; i++)
    length += (size_t)snprintf(lines + length, sizeof lines - length, "%zu ", found.items[i].line);
  ee_error_list_fini(&found);
  return lines;
}

static void test_pitfalls(void **state) {
  (void)state;
  assert_string_equal(lines_of("local f = function(case)\n"
                               "  if type(case.expected) == 'table' then return 1 end\n"
                               "  if \"table\" ~= type(case.a[1].b) then return 0 end\n"
                               "  for _, x in pairs(case.expected.items) do print(x) end\n"
                               "  for _, x in ipairs(case.expected['items']) do print(x) end\n"
                               "end"),
                      "2 3 4 5 ");
  /* Plain tables outside of functions, configurations, and loops that expect missing values. */
  assert_string_equal(lines_of("local t = type(x) == 'table'\n"
                               "local function f(case, other)\n"
                               "  if type(ee.config.a) == 'table' then return 1 end\n"
                               "  if type(case) == 'string' or ee.type(case) == 'table' then return 1 end\n"
                               "  for _, x in pairs(case.expected.items or {}) do print(x) end\n"
                               "  for _, x in pairs(local_table.a) do print(x) end\n"
                               "  for _, x in pairs(case) do print(x) end\n"
                               "  -- type(case) == 'table'\n"
                               "end\n"
                               "return type(y) == 'table'"),
                      "");
  /* What is inside and what is after a function, with all kinds of blocks. */
  assert_string_equal(lines_of("local function f(a)\n"
                               "  while a do repeat a = a.b until not a end\n"
                               "  for i = 1, 2 do if a then a = 1 elseif i then a = 2 else a = 3 end end\n"
                               "  local g = function(b) return b end\n"
                               "  return type(a) == 'table'\n"
                               "end\n"
                               "return type(f) == 'table'"),
                      "5 ");
}

/* Any text ends, and nothing outside of it is read. */
static void test_any_text(void **state) {
  (void)state;
  test_random random = test_random_start("habits", 77);
  static const char *const pieces[] = {"[",  "]",        "=",   "[[",   "]]",   "[==[", "]==]",  "\"",   "'",
                                       "\\", "\n",       "--",  "--[[", "#",    "//",   "a",     "type", "(",
                                       ")",  "function", "end", "if",   "do",   "==",   "pairs", ".",    ":",
                                       "{",  "}",        ",",   "1",    "\xff", "!",    "until", " "};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (int round = 0; round < 20000; round++) {
    char text[200];
    size_t length = 0;
    for (size_t i = test_random_below(&random, 30); i > 0; i--) {
      const char *piece = pieces[test_random_below(&random, sizeof pieces / sizeof *pieces)];
      length += (size_t)snprintf(text + length, sizeof text - length, "%s", piece);
    }
    char *exact = malloc(length + 1); /* for the sanitizer */
    memcpy(exact, text, length);
    ee_lua_syntax_hint((ee_str){exact, length}, 1 + test_random_below(&random, 3), "x near 'a'", &arena);
    ee_error_list found;
    ee_error_list_init(&found);
    ee_lua_find_pitfalls((ee_str){exact, length}, "rules.lua", &found);
    ee_error_list_fini(&found);
    free(exact);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_syntax_hints),
             cmocka_unit_test(test_name_hints), cmocka_unit_test(test_pitfalls), cmocka_unit_test(test_any_text));
