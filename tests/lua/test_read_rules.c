/* test_read_rules.c: constructors, the tree made from what they record, and the syntax of patterns. */
#include "lua/rule_text.h"

#include "base/buffer.h"
#include "judge/script.h"
#include "lua/read_rules.h"

/* The tree as text: kind@line{ values, name = value }. */
static void print_spec(const ee_rule_node *spec, ee_buffer *out);

static void print_value(const ee_rule_value *value, ee_buffer *out) {
  switch (value->type) {
  case EE_RULE_NONE: ee_buffer_add_text(out, "none"); break;
  case EE_RULE_BOOL: ee_buffer_add_text(out, value->boolean ? "true" : "false"); break;
  case EE_RULE_NUMBER: ee_buffer_addf(out, "%s%g", value->is_integer ? "i" : "", value->number); break;
  case EE_RULE_TEXT: ee_buffer_addf(out, "'%.*s'", (int)value->text.length, value->text.data); break;
  case EE_RULE_FUNCTION: ee_buffer_addf(out, "f%d", value->function); break;
  case EE_RULE_NULL: ee_buffer_add_text(out, "null"); break;
  case EE_RULE_TABLE:
  case EE_RULE_NODE: print_spec(value->node, out); break;
  }
}

static void print_spec(const ee_rule_node *spec, ee_buffer *out) {
  if (spec->kind.length > 0) ee_buffer_addf(out, "%.*s@%zu", (int)spec->kind.length, spec->kind.data, spec->line);
  if (spec->definition != NULL) {
    ee_buffer_add_char(out, '<');
    print_spec(spec->definition, out);
    ee_buffer_add_char(out, '>');
  }
  ee_buffer_add_char(out, '{');
  const char *comma = "";
  for (size_t i = 0; i < spec->item_count; i++, comma = ", ") {
    ee_buffer_add_text(out, comma);
    print_value(&spec->items[i], out);
  }
  for (size_t i = 0; i < spec->option_count; i++, comma = ", ") {
    ee_buffer_addf(out, "%s%.*s=", comma, (int)spec->options[i].name.length, spec->options[i].name.data);
    print_value(&spec->options[i].value, out);
  }
  ee_buffer_add_char(out, '}');
}

/* Runs `text` and prints its tree and mistakes, one a line, into `out`. */
static void describe(const char *text, ee_buffer *out, ee_buffer *mistakes) {
  ee_lua *lua = new_state();
  ee_arena arena;
  ee_error_list errors;
  ee_arena_init(&arena, 0);
  ee_error_list_init(&errors);
  run_text(lua, text);
  int top = lua_gettop(lua->L);
  const ee_rule_node *root = ee_lua_read_rules(lua, &arena, "rules.lua", &errors);
  assert_int_equal(lua_gettop(lua->L), top - 1);
  if (root == NULL)
    ee_buffer_add_text(out, "no tree");
  else
    print_spec(root, out);
  for (size_t i = 0; i < errors.count; i++) ee_buffer_addf(mistakes, "%s\n", error_text(&errors.items[i]));
  ee_error_list_fini(&errors);
  ee_arena_fini(&arena);
  ee_lua_free(lua);
}

static void assert_tree(const char *text, const char *expected) {
  ee_buffer out = {0}, mistakes = {0};
  describe(text, &out, &mistakes);
  assert_string_equal(ee_buffer_terminate(&mistakes), "");
  assert_string_equal(ee_buffer_terminate(&out), expected);
  ee_buffer_fini(&out);
  ee_buffer_fini(&mistakes);
}

/* `tree` may be NULL. */
static void assert_mistakes(const char *text, const char *expected, const char *tree) {
  ee_buffer out = {0}, mistakes = {0};
  describe(text, &out, &mistakes);
  assert_string_equal(ee_buffer_terminate(&mistakes), expected);
  if (tree != NULL) assert_string_equal(ee_buffer_terminate(&out), tree);
  ee_buffer_fini(&out);
  ee_buffer_fini(&mistakes);
}

static void test_tree(void **state) {
  (void)state;
  assert_tree("return ee.rules { name = 'x',\n"
              "  ee.fields {\n"
              "    ee.exact 'a',\n"
              "    ee.numeric { 'b', tolerance = 0.5, weight = 3, required = false },\n"
              "    ee.one_of { 'c', { 'x', ee.null, 1.0 } },\n"
              "  },\n"
              "}",
              "rules@1{fields@2{exact@3{'a'}, numeric@4{'b', required=false, tolerance=0.5, weight=i3}, "
              "one_of@5{'c', 'x', null, 1}}, name='x'}");
  assert_tree("return ee.rules { ee.line_items { 'items', match = { 'd', threshold = 0.5, method = 'greedy' }, ee.date "
              "{ 'd', formats = { 'YYYY', 'MM' } } } }",
              "rules@1{line_items@1{'items', date@1{'d', formats={'YYYY', 'MM'}}, match={'d', method='greedy', "
              "threshold=0.5}}}");
}

static void test_every_row_has_a_constructor(void **state) {
  (void)state;
  assert_tree(
      "return ee.rules { ee.fields 'a', ee.judge 'a', ee.line_items 'a', ee.gate {}, ee.exact 'a', ee.numeric 'a', "
      "ee.date 'a', ee.fuzzy 'a', ee.pattern 'a', ee.one_of 'a', ee.set 'a', ee.ignore 'a', ee.auto 'a', ee.custom "
      "'a', ee.quality 'a', ee.semantic 'a' }",
      "rules@1{fields@1{'a'}, judge@1{'a'}, line_items@1{'a'}, gate@1{}, exact@1{'a'}, numeric@1{'a'}, date@1{'a'}, "
      "fuzzy@1{'a'}, pattern@1{'a'}, one_of@1{'a'}, set@1{'a'}, ignore@1{'a'}, auto@1{'a'}, custom@1{'a'}, "
      "quality@1{'a'}, semantic@1{'a'}}");
}

static void test_functions_are_numbered_in_tree_order(void **state) {
  (void)state;
  assert_tree("local function f() end local function g() end\n"
              "local last = ee.judge { 'z', g }\n"
              "return ee.rules { score = f, ee.fields { aggregate = f, when = g, ee.custom { 'a', f, normalize = g }, "
              "ee.custom(g) }, last }",
              "rules@3{fields@3{custom@3{'a', f0, normalize=f1}, custom@3{f2}, aggregate=f3, when=f4}, judge@2{'z', "
              "f5}, score=f6}");
}

/* Inside ee.quality a strategy stands under its key, without a path. */
static void test_strategies_without_paths(void **state) {
  (void)state;
  assert_tree("local function same() end\n"
              "local iban = ee.strategy { 'iban', options = { country = { 'string' } }, score = same }\n"
              "return ee.rules { provider = { 'openai', model = 'm', cache = false }, ee.quality { 'doc',\n"
              "  strategies = { name = 'FUZZY', ['a.b'] = ee.custom(same), total = ee.numeric { tolerance = 0.01 },\n"
              "    bank = iban { country = 'DE' }, code = ee.exact {}, tags = ee.set { threshold = 0.5 } },\n"
              "  weights = { accuracy = 1 }, formula = same } }",
              "rules@3{quality@3{'doc', formula=f0, strategies={"
              "a.b=custom@4{f1}, bank=iban@5<strategy@2{'iban', options={country={'string'}}, score=f2}>{"
              "country='DE'}, code=exact@5{}, name='FUZZY', tags=set@5{threshold=0.5}, "
              "total=numeric@4{tolerance=0.01}}, weights={accuracy=i1}}, "
              "provider={'openai', cache=false, model='m'}}");
  assert_tree("return ee.rules { provider = 'local', ee.quality { strategies = 'strategies.json' }, ee.quality {} }",
              "rules@1{quality@1{strategies='strategies.json'}, quality@1{}, provider='local'}");
}

static void test_lists_are_flattened(void **state) {
  (void)state;
  assert_tree(
      "local common = { ee.exact 'b', { ee.exact 'c', {} } }\n"
      "return ee.rules { ee.fields { ee.exact 'a', common, {}, ee.exact 'd' }, null_values = { { 'x' }, 'y' } }",
      "rules@2{fields@2{exact@2{'a'}, exact@1{'b'}, exact@1{'c'}, exact@2{'d'}}, null_values={'x', 'y'}}");
  /* A table with names is no list. */
  assert_tree("return ee.rules { { a = 1 }, { 'x', b = 2 } }", "rules@1{{a=i1}, {'x', b=i2}}");
}

static void test_nodes_are_values(void **state) {
  (void)state;
  assert_tree(
      "local id = ee.exact 'id'\nlocal list = { id, id }\nreturn ee.rules { ee.fields(list), ee.fields { list, id } }",
      "rules@3{fields@3{exact@1{'id'}, exact@1{'id'}}, fields@3{exact@1{'id'}, exact@1{'id'}, exact@1{'id'}}}");
  assert_tree("local shared = { 'x', n = 1 }\nreturn ee.rules { a = shared, b = shared }",
              "rules@2{a={'x', n=i1}, b={'x', n=i1}}");
  assert_tree("local list = { 'x' }\nreturn ee.rules { list, a = list, list }", "rules@2{'x', 'x', a={'x'}}");
}

static void test_places_in_other_files(void **state) {
  (void)state;
  write_text("part.lua", "return function(path)\n  return ee.exact(path)\nend");
  ee_lua *lua = new_state();
  ee_arena arena;
  ee_error_list errors;
  ee_arena_init(&arena, 0);
  ee_error_list_init(&errors);
  run_text(lua, "local part = require 'part'\nreturn ee.rules { part 'a' }");
  const ee_rule_node *root = ee_lua_read_rules(lua, &arena, "rules.lua", &errors);
  assert_string_equal(root->file, "rules.lua");
  assert_int_equal(root->line, 2);
  assert_string_equal(root->items[0].node->file, "part.lua");
  assert_int_equal(root->items[0].node->line, 2);
  assert_int_equal(errors.count, 0);
  ee_error_list_fini(&errors);
  ee_lua_free(lua);
  assert_string_equal(root->items[0].node->file, "part.lua"); /* outlives the state */
  ee_arena_fini(&arena);
}

static void test_own_strategies(void **state) {
  (void)state;
  assert_tree(
      "local iban = ee.strategy { 'iban', help = 'h', options = { country = { 'string', help = 'c' } },\n"
      "  score = function() return 1 end }\n"
      "return ee.rules { ee.fields {\n"
      "  iban { 'a', country = 'DE' },\n"
      "  iban 'b' } }",
      "rules@3{fields@3{"
      "iban@4<strategy@1{'iban', help='h', options={country={'string', help='c'}}, score=f0}>{'a', country='DE'}, "
      "iban@5<strategy@1{'iban', help='h', options={country={'string', help='c'}}, score=f0}>{'b'}}}");
  assert_mistakes("local iban = ee.strategy { 'iban' }\nreturn ee.rules { iban 'a' { 'b' } }",
                  "rules.lua:2: iban is called like a function (missing comma before 'b'?)\n", NULL);
}

static void test_unknown_constructors(void **state) {
  (void)state;
  /* The kind that was meant is taken, so that what is wrong inside comes to light too. */
  assert_mistakes("return ee.rules { ee.fields {\n  ee.numerc { 'a', tolerance = 1 },\n  ee.exct 'b',\n  ee.whatever "
                  "'c',\n ee.exact 'd' } }",
                  "rules.lua:2: unknown constructor 'ee.numerc' (did you mean 'ee.numeric'?)\n"
                  "rules.lua:3: unknown constructor 'ee.exct' (did you mean 'ee.exact'?)\n"
                  "rules.lua:4: unknown constructor 'ee.whatever'\n",
                  "rules@1{fields@1{numeric@2{'a', tolerance=i1}, exact@3{'b'}, exact@5{'d'}}}");
  assert_mistakes("return ee.rules {\n ee.summry {},\n ee.report 'x' }",
                  "rules.lua:2: unknown constructor 'ee.summry' (did you mean 'ee.summary'?)\n",
                  "rules@1{summary@2{}, report@3{'x'}}");
  assert_mistakes("return ee.rules {\n ee.nothing }", "rules.lua:2: unknown name 'ee.nothing'\n", "rules@1{}");
  assert_mistakes("return ee.rules {\n ee.exact, ee.exact 'a' }",
                  "rules.lua:1: 'ee.exact' is a constructor and must be called, as in ee.exact { ... }\n",
                  "rules@1{exact@2{'a'}}");
  assert_mistakes("local s = ee.stratgy { 'x', score = print }\nreturn ee.rules { s 'a' }",
                  "rules.lua:1: unknown constructor 'ee.stratgy' (did you mean 'ee.strategy'?)\n",
                  "rules@2{x@2<strategy@1{'x', score=f0}>{'a'}}");
}

static void test_calls_of_nodes(void **state) {
  (void)state;
  assert_mistakes(
      "return ee.rules { ee.fields {\n ee.exact 'a' 'b',\n ee.exact 'c'\n { 'd', weight = 1 },\n ee.exact 'e' (1) } }",
      "rules.lua:2: ee.exact is called like a function (missing comma before 'b'?)\n"
      "rules.lua:3: ee.exact is called like a function (missing comma before 'd'?)\n"
      "rules.lua:5: ee.exact is called like a function (missing comma before '('?)\n",
      "rules@1{fields@1{exact@2{'a'}, exact@3{'c'}, exact@5{'e'}}}");
}

static void test_bad_arguments(void **state) {
  (void)state;
  assert_mistakes("return ee.rules {\n ee.exact(),\n ee.exact(nil),\n ee.exact('a', 'b') }",
                  "rules.lua:2: ee.exact is called with nothing\n"
                  "rules.lua:3: ee.exact is called with nothing (its argument is nil)\n"
                  "rules.lua:4: ee.exact is called with 2 values, it takes one: a string, or a table { ... }\n",
                  "rules@1{exact@4{'a'}}");
}

static void test_bad_tables(void **state) {
  (void)state;
  assert_mistakes("return ee.rules {\n ee.fields { ee.exact 'a', nil, ee.exact 'b' } }",
                  "rules.lua:2: a list has a hole at index 2 (nil: a name that is not defined?)\n",
                  "rules@1{fields@2{exact@2{'a'}, exact@2{'b'}}}");
  assert_mistakes("return ee.rules { ee.fields {\n ee.one_of { 'p', { 'a', nil, 'b' } } } }",
                  "rules.lua:2: a list has a hole at index 2 (nil: a name that is not defined?)\n", NULL);
  assert_mistakes("return ee.rules { [0] = 1 }",
                  "rules.lua:1: a table has the key 0, expected names, or indexes from 1 on\n", NULL);
  assert_mistakes("return ee.rules { [1.5] = 1 }",
                  "rules.lua:1: a table has the key 1.5, expected names, or indexes from 1 on\n", NULL);
  assert_mistakes("return ee.rules { [true] = 1 }",
                  "rules.lua:1: a table has a boolean as a key, expected names, or indexes from 1 on\n", NULL);
  assert_mistakes("return ee.rules { a = '\\xff' }", "rules.lua:1: a string is not valid UTF-8\n", "rules@1{}");
  assert_mistakes("local t = {} t.x = t\nreturn ee.rules {\n a = t }", "rules.lua:2: a table contains itself\n", NULL);
  assert_mistakes("local t = {} t[1] = t\nreturn ee.rules(t)", "rules.lua:2: a table contains itself\n", NULL);
  assert_mistakes("local t = {} t[1] = ee.fields(t)\nreturn ee.rules(t)", "rules.lua:1: a table contains itself\n",
                  NULL);
  assert_mistakes("local t = {} t[1] = { t }\nreturn ee.rules(t)", "rules.lua:2: a table contains itself\n", NULL);
  assert_mistakes("local t = {} for i = 1, 200 do t = { x = t } end\nreturn ee.rules(t)",
                  "rules.lua:2: tables are nested more than 100 deep\n", NULL);
  assert_mistakes("local t = { 'x' } for i = 1, 60 do t = { t, t } end\nreturn ee.rules(t)",
                  "rules.lua:2: the rule file describes more than 1000000 values\n", NULL);
  assert_mistakes("local t = {} for i = 1, 60 do t = { t, t } end\nreturn ee.rules(t)",
                  "rules.lua:2: the rule file describes more than 1000000 values\n", NULL);
  assert_mistakes("return ee.rules { [1000000000] = 'x' }",
                  "rules.lua:1: a list has a hole at index 1 (nil: a name that is not defined?)\n", "rules@1{'x'}");
}

static void test_bad_patterns(void **state) {
  (void)state;
  assert_mistakes("return ee.rules {\n ee.pattern { 'a', '[a-' },\n ee.pattern { 'b', pattern = '%' }, ee.pattern { "
                  "'c', '^%d+$' } }",
                  "rules.lua:2: bad pattern '[a-': missing ']'\n"
                  "rules.lua:3: bad pattern '%': it ends with '%'\n",
                  NULL);
  /* Alone where no path is needed. */
  assert_mistakes("return ee.rules {\n ee.quality { strategies = { a = ee.pattern '[a-', b = ee.pattern '^%d+$' } } }",
                  "rules.lua:2: bad pattern '[a-': missing ']'\n", NULL);
}

static void test_roots(void **state) {
  (void)state;
  assert_mistakes("local x = ee.rules {}",
                  "rules.lua: the file returns nothing (did you forget 'return ee.rules { ... }'?)\n", "no tree");
  assert_mistakes("return {}", "rules.lua: the file returns a table, expected ee.rules { ... }\n", "no tree");
  assert_mistakes("\nreturn ee.fields {}", "rules.lua:2: the file returns ee.fields, expected ee.rules { ... }\n",
                  "no tree");
  assert_mistakes("return ee.rules", "rules.lua: the file returns a function, expected ee.rules { ... }\n", "no tree");
  assert_mistakes("return ee.ruls {}", "rules.lua:1: unknown constructor 'ee.ruls' (did you mean 'ee.rules'?)\n",
                  "rules@1{}");
  assert_mistakes("return ee.whatever {}", "rules.lua:1: unknown constructor 'ee.whatever'\n", "no tree");
}

static void test_nodes_hide_what_they_hold(void **state) {
  (void)state;
  assert_run_fails("return ee.exact('a').kind", "rules.lua:1: the result of a constructor cannot be read");
  assert_run_fails("local n = ee.exact 'a'\nn.kind = 1", "rules.lua:2: attempt to index a rule value (local 'n')");
  assert_run_fails("return ee.exact 'a' + 1", "rules.lua:1: attempt to perform arithmetic on a rule value");
}

/* Patterns ------------------------------------------------------------------------------------- */

/* Lua must agree: what is called well formed never raises a syntax error, and what is not does on some subject. */
static void test_pattern_check(void **state) {
  (void)state;
  const char *const good[] = {"",         "abc",   "^%d+$",  "[%a_][%w_]*", "[]]",  "[^]]", "[a-]", "%b()", "%f[%w]%w+",
                              "(a)(b)%2", "()x()", "((a)b)", "%%",          "[%]]", "$",    "a-",   "%[",   ".-$"};
  const char *const bad[] = {"%",  "[a",  "[",  "[^",  "[]", "[%",    "(a",   "a)",
                             "%b", "%bx", "%f", "%fa", "%1", "(a)%2", "(%1)", "%0"};
  for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
    if (ee_lua_pattern_check(ee_str_from(good[i])) != NULL) fail_msg("'%s' is well formed", good[i]);
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
    if (ee_lua_pattern_check(ee_str_from(bad[i])) == NULL) fail_msg("'%s' is not well formed", bad[i]);
}

static void test_pattern_check_against_lua(void **state) {
  (void)state;
  static const char alphabet[] = "ab%[]()^$.-*bf1";
  ee_lua *lua = new_state();
  run_text(lua, "return function(p) local ok, e = pcall(string.find, 'aabb(ab)[1]%', p) if ok then return 'fine' end "
                "return e end");
  uint64_t seed = 88172645463325252u;
  size_t wrong = 0, fine = 0;
  for (int round = 0; round < 20000; round++) {
    char pattern[9];
    size_t length = 0;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = seed >> 16;
    for (size_t n = bits % 8 + 1; n > 0; n--, bits /= 15) pattern[length++] = alphabet[bits / 8 % 15];
    ee_str text = {pattern, length};
    lua_pushvalue(lua->L, -1);
    lua_pushlstring(lua->L, pattern, length);
    ee_error error;
    assert_int_equal(ee_lua_call(lua, 1, 1, &error), EE_OK);
    bool raised = strcmp(lua_tostring(lua->L, -1), "fine") != 0;
    if (raised && ee_lua_pattern_check(text) == NULL)
      fail_msg("Lua refuses '%.*s': %s", (int)length, pattern, lua_tostring(lua->L, -1));
    wrong += raised;
    fine += !raised;
    lua_pop(lua->L, 1);
  }
  assert_true(wrong > 1000 && fine > 1000);
  ee_lua_free(lua);
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_tree),
             cmocka_unit_test(test_every_row_has_a_constructor),
             cmocka_unit_test(test_functions_are_numbered_in_tree_order),
             cmocka_unit_test(test_strategies_without_paths), cmocka_unit_test(test_lists_are_flattened),
             cmocka_unit_test(test_nodes_are_values), cmocka_unit_test(test_places_in_other_files),
             cmocka_unit_test(test_own_strategies), cmocka_unit_test(test_unknown_constructors),
             cmocka_unit_test(test_calls_of_nodes), cmocka_unit_test(test_bad_arguments),
             cmocka_unit_test(test_bad_tables), cmocka_unit_test(test_bad_patterns), cmocka_unit_test(test_roots),
             cmocka_unit_test(test_nodes_hide_what_they_hold), cmocka_unit_test(test_pattern_check),
             cmocka_unit_test(test_pattern_check_against_lua));
