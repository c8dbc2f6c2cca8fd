/* test_rule_document.c: YAML and JSON documents as trees of rules: what each form means, and where mistakes are. */
#include "judge/rule_text/rule_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/plan.h"
#include "judge/strategy/strategy.h"

static bool no_parameter(void *user, ee_str name, ee_rule_value *value, ee_arena *arena, ee_error *error) {
  (void)user, (void)arena;
  if (ee_str_is(name, "broken")) {
    ee_error_set(error, EE_ERROR_RULES, "parameter 'broken' is broken");
    return false;
  }
  if (ee_str_is(name, "set")) value->number = 0.25;
  return true;
}

static bool no_module(void *user, const ee_rule_module *modules, size_t module_count, const ee_rule_value **values,
                      size_t *count, ee_error_list *errors) {
  (void)user, (void)values, (void)count;
  for (size_t i = 0; i < module_count; i++)
    ee_error_list_addf(errors, EE_ERROR_RULES, "r.yaml", modules[i].line, "no module %s", modules[i].name.data);
  return false;
}

static const char *check_pattern(ee_str pattern) {
  return memchr(pattern.data, '[', pattern.length) != NULL ? "missing ']'" : NULL;
}

typedef struct fixture {
  ee_arena arena;
  ee_error_list errors;
  const ee_value *config;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  ee_arena_init(&f->arena, 0);
  ee_error_list_init(&f->errors);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  ee_arena_fini(&f->arena);
  ee_error_list_fini(&f->errors);
  free(f);
  return 0;
}

static const ee_rule_node *read_text(fixture *f, const char *text) {
  const ee_rule_host host = {
      .config = f->config, .parameter = no_parameter, .require = no_module, .check_pattern = check_pattern};
  f->errors.count = 0;
  return ee_rule_document_read(&f->arena, "r.yaml", ee_str_from(text), &host, &f->errors);
}

/* The tree as text: ee.exact{"a", weight=2}. */
static void show(const ee_rule_value *value, ee_buffer *out) {
  switch (value->type) {
  case EE_RULE_NONE: ee_buffer_add_text(out, "none"); return;
  case EE_RULE_BOOL: ee_buffer_add_text(out, value->boolean ? "true" : "false"); return;
  case EE_RULE_NUMBER: ee_buffer_addf(out, "%g", value->number); return;
  case EE_RULE_TEXT: ee_buffer_addf(out, "'%.*s'", EE_STR_ARG(value->text)); return;
  case EE_RULE_FUNCTION: ee_buffer_add_text(out, "function"); return;
  case EE_RULE_NULL: ee_buffer_add_text(out, "null"); return;
  default: break;
  }
  const ee_rule_node *node = value->node;
  if (node->document != NULL) {
    ee_buffer_addf(out, "data(%u)", ee_value_count(node->document));
    return;
  }
  ee_buffer_addf(out, "%.*s{", EE_STR_ARG(node->kind));
  const char *comma = "";
  for (size_t i = 0; i < node->item_count; i++, comma = ",") {
    ee_buffer_add_text(out, comma);
    show(&node->items[i], out);
  }
  for (size_t i = 0; i < node->option_count; i++, comma = ",") {
    ee_buffer_addf(out, "%s%.*s=", comma, EE_STR_ARG(node->options[i].name));
    show(&node->options[i].value, out);
  }
  ee_buffer_add_char(out, '}');
}

static void assert_tree(void **state, const char *text, const char *expected) {
  fixture *f = *state;
  const ee_rule_node *root = read_text(f, text);
  if (f->errors.count > 0) fail_msg("%s: %s", text, f->errors.items[0].message);
  assert_non_null(root);
  ee_buffer out;
  ee_buffer_init(&out);
  show(&(ee_rule_value){.type = EE_RULE_NODE, .node = root}, &out);
  assert_string_equal(ee_buffer_terminate(&out), expected);
  ee_buffer_fini(&out);
}

/* Reads and compiles; the mistakes, "LINE:COLUMN: MESSAGE", one a line. */
static void assert_mistakes(void **state, const char *text, const char *expected) {
  fixture *f = *state;
  const ee_rule_node *root = read_text(f, text);
  if (root != NULL) ee_plan_compile(&f->arena, root, NULL, NULL, &f->errors);
  ee_error_list_sort(&f->errors);
  ee_buffer out;
  ee_buffer_init(&out);
  for (size_t i = 0; i < f->errors.count; i++) {
    const ee_error *error = &f->errors.items[i];
    assert_int_equal(error->status, EE_ERROR_RULES);
    assert_string_equal(error->file, "r.yaml");
    ee_buffer_addf(&out, "%zu:%zu: %s\n", error->line, error->column, error->message);
  }
  assert_string_equal(ee_buffer_terminate(&out), expected);
  ee_buffer_fini(&out);
}

static void test_values_of_constructors(void **state) {
  assert_tree(state, "rules: []", "rules{}");
  assert_tree(state, "rules: [{exact: a}]", "rules{exact{'a'}}");
  assert_tree(state, "rules: [{exact: {path: a, weight: 2}}]", "rules{exact{'a',weight=2}}");
  assert_tree(state, "rules: [{exact: {}}]", "rules{exact{}}");
  assert_tree(state, "rules: [{any_of: [a, b]}]", "rules{any_of{'a','b'}}");
  assert_tree(state, "rules: [{any_of: {path: [a, b], weight: 2}}]", "rules{any_of{'a','b',weight=2}}");
  assert_tree(state, "rules: [{fields: [{exact: a}, {date: b}]}]", "rules{fields{exact{'a'},date{'b'}}}");
  assert_tree(state, "rules: [{fields: {fields: [{exact: a}], path: x, name: h}}]",
              "rules{fields{'x',exact{'a'},name='h'}}");
  assert_tree(state, "name: n\nrules: [{gate: {metric: mean_score, min: 0.5}}]",
              "rules{gate{metric='mean_score',min=0.5},name='n'}");
}

static void test_arrays_are_flattened(void **state) {
  assert_tree(state, "x-common: &c [{exact: a}, [{exact: b}]]\nrules: [{fields: [*c, {exact: c}]}]",
              "rules{fields{exact{'a'},exact{'b'},exact{'c'}}}");
  assert_tree(state, "slices: [a, [b, [c]]]\nrules: []", "rules{slices={'a','b','c'}}");
}

static void test_tables(void **state) {
  assert_tree(state, "rules: [{line_items: {path: l, match: {path: t, threshold: 0.8}, fields: [{fuzzy: t}]}}]",
              "rules{line_items{'l',fuzzy{'t'},match={'t',threshold=0.8}}}");
  assert_tree(state, "rules: [{line_items: {path: l, match: {fields: [{iou: b}], method: optimal}}}]",
              "rules{line_items{'l',match={iou{'b'},method='optimal'}}}");
  /* Keys of the data are keys, whatever they are called. */
  assert_tree(state, "rules: [{quality: {strategies: {path: FUZZY, fields: {exact: {weight: 2}}, exact: EXACT}}}]",
              "rules{quality{strategies={exact='EXACT',fields=exact{weight=2},path='FUZZY'}}}");
  assert_tree(state, "rules: [{quality: {strategies: {exact: EXACT}}}]", "rules{quality{strategies={exact='EXACT'}}}");
  assert_tree(state, "rules: [{tree: {arrays: {items: {method: key, key: id}, default: set}}}]",
              "rules{tree{arrays={default='set',items={'key',key='id'}}}}");
  /* Each entry has its method, and not the tables in an entry. */
  assert_tree(
      state,
      "rules: [{tree: {arrays: {a: {method: optimal, threshold: 0.5}, b: {method: key, key: id}, c: {key: id}}}}, "
      "{tree: {arrays: {method: set}, weights: {method: 2}}}]",
      "rules{tree{arrays={a={'optimal',threshold=0.5},b={'key',key='id'},c={key='id'}}},"
      "tree{arrays={method='set'},weights={method=2}}}");
  assert_tree(state, "rules: [{tree: {arrays: {a: {method: set, threshold: {method: x}}, b: {method: key}}}}]",
              "rules{tree{arrays={a={'set',threshold={method='x'}},b={'key'}}}}");
  assert_tree(state, "provider: {name: openai, model: m}\nrules: []", "rules{provider={'openai',model='m'}}");
  assert_tree(state, "provider: local\nrules: []", "rules{provider='local'}");
}

/* `path` and `fields` are options where the constructor or the table has them. */
static void test_options_of_those_names(void **state) {
  assert_tree(state, "rules: [{fields: {confidence: {path: '*.sure', scale: percent}, fields: [{exact: a}]}}]",
              "rules{fields{exact{'a'},confidence={path='*.sure',scale='percent'}}}");
  assert_tree(state, "rules: [{line_items: {confidence: {path: '*.p'}, path: l}}]",
              "rules{line_items{'l',confidence={path='*.p'}}}");
  assert_tree(state, "rules: [{line_items: {path: l, match: {path: t}}}]", "rules{line_items{'l',match={'t'}}}");
}

static void test_a_strategy_as_an_option(void **state) {
  assert_tree(state, "rules: [{set: {path: t, match: exact}}]", "rules{set{'t',match=exact{}}}");
  assert_tree(state, "rules: [{set: {path: t, match: {fuzzy: {threshold: 0.5}}}}]",
              "rules{set{'t',match=fuzzy{threshold=0.5}}}");
}

static void test_plain_data(void **state) {
  assert_tree(state, "rules: [{exec: {command: [a], config: {exact: {param: x}, path: []}}}]",
              "rules{exec{command={'a'},config=data(2)}}");
  fixture *f = *state;
  const ee_rule_node *root = read_text(f, "rules: [{schema: {schema: {type: array, items: [], enum: [1.50]}}}]");
  const char *why;
  const ee_value *value = ee_rule_node_to_value(&f->arena, ee_rule_node_get(root->items[0].node, "schema").node, &why);
  assert_int_equal(ee_type_of(ee_value_member(value, EE_STR("items"), NULL)), EE_ARRAY);
}

static void test_scalars(void **state) {
  assert_tree(state, "rules: [{one_of: {path: a, values: [1, '1', yes, true, null, 010, 0x1F, 1e2]}}]",
              "rules{one_of{'a',values={1,'1','yes',true,null,10,31,100}}}");
  /* NFC, as the documents are. */
  assert_tree(state, "rules: [{exact: \"e\\u0301\"}]", "rules{exact{'\xc3\xa9'}}");
}

static void test_parameters(void **state) {
  fixture *f = *state;
  assert_tree(state, "rules: [{numeric: {path: a, tolerance: {param: [t, 0.5]}}}]",
              "rules{numeric{'a',tolerance=0.5}}");
  assert_tree(state, "rules: [{numeric: {path: a, tolerance: {param: {name: set, default: 0.5}}}}]",
              "rules{numeric{'a',tolerance=0.25}}");
  assert_tree(state, "rules: [{exact: {param: [p, q]}}]", "rules{exact{'q'}}");
  assert_tree(state, "rules: [{numeric: {path: a, tolerance: {config: t.u}}}]", "rules{numeric{'a'}}");
  ee_value *config = ee_value_new(&f->arena, EE_OBJECT);
  ee_value_set(&f->arena, config, EE_STR("t"), ee_value_new_number(&f->arena, 3));
  f->config = config;
  assert_tree(state, "rules: [{numeric: {path: a, tolerance: {config: [t, 1]}}}]", "rules{numeric{'a',tolerance=3}}");
  assert_mistakes(state, "rules: [{fields: [{numeric: {path: a, tolerance: {param: [broken, 1]}}}]}]",
                  "1:58: parameter 'broken' is broken\n");
  assert_mistakes(state, "rules: [{fields: [{numeric: {path: a, tolerance: {param: [a, 1, 2]}}}]}]",
                  "1:58: 'param' takes a name, or a name and a default (a string, a number or a boolean): [NAME, "
                  "DEFAULT]\n");
}

static void test_mistakes_have_their_places(void **state) {
  assert_mistakes(
      state, "rules:\n  - fields:\n      - exakt: c\n      - exact:\n      - exact: e\n        weight: 3\n",
      "3:9: unknown constructor 'exakt' (did you mean 'exact'?)\n"
      "4:9: 'exact' has no value (write exact: PATH, or exact: {})\n"
      "5:9: an entry has one key, which names a constructor, got 2 keys (write exact: { path: ..., ... })\n");
  assert_mistakes(state, "null_value: [x]\nrules: [{fields: [{exact: {path: a,\n  weigth: 3}}]}]\n",
                  "1:13: unknown option 'null_value' for ee.rules (did you mean 'null_values'?)\n"
                  "3:11: unknown option 'weigth' for ee.exact (did you mean 'weight'?)\n");
  assert_mistakes(
      state, "rules: [{fields: [{exact: {path: a, threshold: 2}}, {pattern: [b, '[']}, {exact: a}]}]\n",
      "1:1: the tree has functions, but no script to call them\n"
      "1:48: option 'threshold' of ee.exact must be between 0 and 1, got 2\n"
      "1:53: bad pattern '[': missing ']'\n"
      "1:74: the path 'a' occurs twice in ee.fields, on line 1 and on line 1 (give one of them a 'name')\n");
  assert_mistakes(state, "rules: [{zzzzzz: a}]", "1:1: ee.rules has no judge\n1:9: unknown constructor 'zzzzzz'\n");
  assert_mistakes(state, "rule: []", "1:7: no rules: unknown key 'rule' (did you mean 'rules'?)\n");
  assert_mistakes(state, "name: x", "1:1: no rules: expected the key 'rules' with an array\n");
  assert_mistakes(state, "[]", "1:1: rules are an object with the key 'rules', got an array\n");
  assert_mistakes(state, "", "1:1: rules are an object with the key 'rules', got null\n");
  assert_mistakes(state, "rules: {exact: a}", "1:8: 'rules' must be an array, got an object (write '- fields: ...')\n");
  assert_mistakes(state, "rules: [{exact: a}]\nrules: []", "2:1: duplicate key 'rules' (first on line 1)\n");
}

static void test_what_needs_a_function(void **state) {
#define LUA                                                                                                            \
  " needs a function, which only a rule file in Lua can have: 'evalengine check r.yaml --to-lua' writes one with the " \
  "other rules\n"
  assert_mistakes(state, "rules: [{fields: [{exact: a}, {custom: b}]}, {judge: j}, {summary: s}]",
                  "1:31: 'custom'" LUA "1:46: 'judge'" LUA "1:58: 'summary'" LUA);
  assert_mistakes(state, "rules: [{fields: [{exact: {path: a, when: x}}]}]", "1:43: option 'when'" LUA);
}

static void test_modules(void **state) {
  assert_mistakes(state, "require: [a.b,\n  c]\nrules: [{fields: [{exact: a}, {iban: b}]}]",
                  "1:0: no module a.b\n2:0: no module c\n");
  assert_mistakes(state, "require: ['../x', 3]\nrules: [{fields: [{exact: a}]}]",
                  "1:11: '../x' is not a module name\n"
                  "1:19: 'require' takes names of Lua files such as strategies.iban, got a number\n");
}

static void test_depth_is_bounded(void **state) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_buffer_add_text(&text, "rules: [{fields: ");
  for (int i = 0; i < 120; i++) ee_buffer_add_char(&text, '[');
  for (int i = 0; i < 120; i++) ee_buffer_add_char(&text, ']');
  ee_buffer_add_text(&text, "}]");
  fixture *f = *state;
  read_text(f, ee_buffer_terminate(&text));
  assert_true(f->errors.count > 0);
  assert_string_equal(f->errors.items[0].message, "values are nested more than 100 deep");
  ee_buffer_fini(&text);
}

static void test_which_documents_are_rules(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool yaml, json;
  } rows[] = {
      {"rules: []", true, false},
      {"# c\n---\nname: x\n\"rules\":\n  - exact: a\n", true, false},
      {"rules: []\ntests: []", false, false},
      {"cases:\n  - rules: []\n", false, false},
      {"{\"rules\": []}", true, true},
      {"\xEF\xBB\xBF {\"rules\": [{\"a\": {\"tests\": 1}}], \"nme\": \"x\", \"x-y\": 1}", true, true},
      {"{\"id\": 1, \"rules\": []}", true, false},
      {"{\"a\": {\"rules\": []}}", false, false},
      {"{\"a\": \"}\", 'rules': 1}", true, false},
      {"{rules: [], name: x}", true, true},
      {"[{\"rules\": []}]", false, false},
      {"{\"name\": 1}\n{\"rules\": []}", false, false},
      {"", false, false},
      {"{", false, false},
      {"{\"rules", false, false},
      {"{\"a\\\"rules\": 1}", false, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (ee_is_rule_document_text(ee_str_from(rows[i].text), true) != rows[i].yaml ||
        ee_is_rule_document_text(ee_str_from(rows[i].text), false) != rows[i].json)
      fail_msg("%s", rows[i].text);
  }
  assert_true(ee_is_rule_document_name("a/rules.yaml"));
  assert_true(ee_is_rule_document_name("rules.yml"));
  assert_true(ee_is_rule_document_name("rules.json"));
  assert_false(ee_is_rule_document_name(".json"));
  assert_false(ee_is_rule_document_name("rules.lua"));
  bool found = true;
  ee_error error = {.status = EE_OK};
  assert_int_equal(ee_is_rule_document_file("no_such_file.yaml", &found, &error), EE_OK);
  assert_false(found);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test_setup_teardown(test_values_of_constructors, setup, teardown),
             cmocka_unit_test_setup_teardown(test_arrays_are_flattened, setup, teardown),
             cmocka_unit_test_setup_teardown(test_tables, setup, teardown),
             cmocka_unit_test_setup_teardown(test_options_of_those_names, setup, teardown),
             cmocka_unit_test_setup_teardown(test_a_strategy_as_an_option, setup, teardown),
             cmocka_unit_test_setup_teardown(test_plain_data, setup, teardown),
             cmocka_unit_test_setup_teardown(test_scalars, setup, teardown),
             cmocka_unit_test_setup_teardown(test_parameters, setup, teardown),
             cmocka_unit_test_setup_teardown(test_mistakes_have_their_places, setup, teardown),
             cmocka_unit_test_setup_teardown(test_what_needs_a_function, setup, teardown),
             cmocka_unit_test_setup_teardown(test_modules, setup, teardown),
             cmocka_unit_test_setup_teardown(test_depth_is_bounded, setup, teardown),
             cmocka_unit_test_setup_teardown(test_which_documents_are_rules, setup, teardown));
