/* test_rule_writers.c: rules as text in Lua and YAML: what is written of each form, what cannot be, and that it is read
 * back as the same tree. */
#include "judge/rule_text/rule_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "judge/rule_text/lua_text.h"
#include "judge/rule_text/rule_document.h"
#include "support/rule_json.h"

static ee_arena arena;
static ee_buffer out;

static int open_all(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  ee_buffer_init(&out);
  return 0;
}

static int close_all(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  ee_buffer_fini(&out);
  return 0;
}

static const ee_value *json(const char *text) {
  ee_error error = {0};
  const ee_value *value = ee_json_read(&arena, ee_str_from(text), NULL, &error);
  if (value == NULL) fail_msg("%s: %s", text, error.message);
  return value;
}

/* Lua's texts and tables ----------------------------------------------------------------------- */

static void test_strings(void **state) {
  (void)state;
  static const struct {
    ee_str text;
    const char *written;
  } texts[] = {
      {EE_STR(""), "\"\""},
      {EE_STR("a \"b\" \\c"), "\"a \\\"b\\\" \\\\c\""},
      {EE_STR("1\n2\r3\t4"), "\"1\\n2\\r3\\t4\""},
      {EE_STR("\x01\x7f\x80z"), "\"\\001\\127\\128z\""},
      {EE_STR("\xc3\xa4\xf0\x9f\x98\x80"), "\"\xc3\xa4\xf0\x9f\x98\x80\""},
      {EE_STR("a\xe2\x80\xae"
              "b\xc2\x85"),
       "\"a\\u{202e}b\\u{0085}\""},
      {{"a\0b", 3}, "\"a\\000b\""},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ee_buffer_clear(&out);
    ee_lua_text_string(&out, texts[i].text);
    assert_string_equal(ee_buffer_terminate(&out), texts[i].written);
  }
}

static void test_names(void **state) {
  (void)state;
  static const char *const names[] = {"a", "z", "A", "Z", "_", "a0", "a9", "_1", "ands", "en", "Nil", "goto_", "aZ_9"};
  static const char *const others[] = {
      "",   "0",  "9a",    "a-b",   "a.b", "a b",  "\xc3\xa4", "a\x7f",  "a/",    "a:",   "a@",       "a[",
      "a`", "a{", "and",   "break", "do",  "else", "end",      "elseif", "false", "for",  "function", "goto",
      "if", "in", "local", "nil",   "not", "or",   "repeat",   "return", "then",  "true", "until",    "while"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!ee_lua_is_name(ee_str_from(names[i]))) fail_msg("'%s' is a name", names[i]);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (ee_lua_is_name(ee_str_from(others[i]))) fail_msg("'%s' is not a name", others[i]);
}

static void test_values(void **state) {
  (void)state;
  static const struct {
    const char *value;
    size_t indent;
    const char *written; /* NULL: Lua cannot express it */
  } values[] = {
      {"true", 4, "true"},
      {"false", 4, "false"},
      {"1.50", 4, "1.5"},
      {"\"a\"", 4, "\"a\""},
      {"null", 4, NULL},
      {"[]", 4, NULL},
      {"{}", 4, NULL},
      {"[1,[]]", 4, NULL},
      {"{\"a\":{\"b\":null}}", 0, NULL},
      {"[1,\"b\",true]", 4, "{ 1, \"b\", true }"},
      {"{\"a\":1,\"b c\":[2],\"end\":3}", 4, "{ a = 1, [\"b c\"] = { 2 }, [\"end\"] = 3 }"},
      /* The outer tables of a file are open, and one that is too long. */
      {"[1]", 2, "{\n    1,\n  }"},
      {"{\"a\":[1]}", 0, "{\n  a = {\n    1,\n  },\n}"},
      {"{\"a\":{\"b\":[1,{\"c\":2}]}}", 0, "{\n  a = {\n    b = { 1, { c = 2 } },\n  },\n}"},
      /* 86 and 87 bytes after 4 spaces. */
      {"[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"]", 4,
       "{ \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\" }"},
      {"[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"]", 4,
       "{\n      \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\n    }"},
  };
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    ee_buffer_clear(&out);
    bool good = ee_lua_text_value(&out, json(values[i].value), values[i].indent);
    if (good != (values[i].written != NULL)) fail_msg("%s: %s", values[i].value, good ? "written" : "refused");
    if (good) assert_string_equal(ee_buffer_terminate(&out), values[i].written);
  }
}

/* 118 bytes a line at most; a longer word has a line of its own. */
static void test_comments(void **state) {
  (void)state;
  char text[512] = "", wanted[1024] = "";
  ee_buffer_clear(&out);
  ee_lua_text_comment(&out, 2, "   a  b\n\tc\x1b ");
  assert_string_equal(ee_buffer_terminate(&out), "  -- a b c\\u001b\n");
  ee_buffer_clear(&out);
  ee_lua_text_comment(&out, 0, "");
  assert_int_equal(out.length, 0);
  for (size_t more = 0; more < 2; more++) {
    /* "  -- " and a word, a space, and a second word that ends at the end of the line, or one byte after it. */
    snprintf(text, sizeof text, "%.*s %.*s", 50,
             "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", (int)(62 + more),
             "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb");
    snprintf(wanted, sizeof wanted, "  -- %.50s%s%s\n", text, more == 0 ? " " : "\n  -- ", text + 51);
    ee_buffer_clear(&out);
    ee_lua_text_comment(&out, 2, text);
    assert_string_equal(ee_buffer_terminate(&out), wanted);
  }
  char word[200];
  memset(word, 'x', sizeof word - 1);
  word[sizeof word - 1] = '\0';
  snprintf(text, sizeof text, "%s y", word);
  snprintf(wanted, sizeof wanted, "-- %s\n-- y\n", word);
  ee_buffer_clear(&out);
  ee_lua_text_comment(&out, 0, text);
  assert_string_equal(ee_buffer_terminate(&out), wanted);
}

/* Rules ---------------------------------------------------------------------------------------- */

static bool keep_default(void *user, ee_str name, ee_rule_value *value, ee_arena *in, ee_error *error) {
  (void)user, (void)name, (void)value, (void)in, (void)error;
  return true;
}

static const char *no_pattern(ee_str pattern) {
  (void)pattern;
  return NULL;
}

static const ee_rule_node *read_document(const char *text) {
  const ee_rule_host host = {.parameter = keep_default, .check_pattern = no_pattern};
  ee_error_list errors;
  ee_error_list_init(&errors);
  const ee_rule_node *root = ee_rule_document_read(&arena, "r.yaml", ee_str_from(text), &host, &errors);
  if (errors.count > 0) fail_msg("%s: %s", text, errors.items[0].message);
  ee_error_list_fini(&errors);
  return root;
}

/* Equal trees ---------------------------------------------------------------------------------- */

static const ee_rule_node *tree(const char *text) { return test_rule_node(&arena, json(text), 1); }

static void test_equal_trees(void **state) {
  (void)state;
  static const char *const trees[] = {
      "{\"ee\":\"rules\"}",
      "{\"ee\":\"rule\"}",
      "{\"ee\":\"rules\",\"a\":1}",
      "{\"ee\":\"rules\",\"a\":2}",
      "{\"ee\":\"rules\",\"b\":1}",
      "{\"ee\":\"rules\",\"a\":\"1\"}",
      "{\"ee\":\"rules\",\"a\":true}",
      "{\"ee\":\"rules\",\"a\":false}",
      "{\"ee\":\"rules\",\"a\":null}",
      "{\"ee\":\"rules\",\"a\":{\"function\":1}}",
      "{\"ee\":\"rules\",\"a\":1,\"b\":2}",
      "{\"ee\":\"rules\",\"a\":1,\"b\":3}",
      "{\"ee\":\"rules\",\"a\":1,\"c\":2}",
      "{\"ee\":\"rules\",\"a\":[1]}",
      "{\"ee\":\"rules\",\"a\":[1,2]}",
      "{\"ee\":\"rules\",\"a\":[2,1]}",
      "{\"ee\":\"rules\",\"a\":{\"b\":1}}",
      "{\"ee\":\"rules\",\"a\":{\"b\":1,\"c\":1}}",
      "{\"ee\":\"rules\",\"a\":{\"ee\":\"x\",\"b\":1}}",
      "{\"ee\":\"rules\",\"items\":[1]}",
      "{\"ee\":\"rules\",\"items\":[\"1\"]}",
      "{\"ee\":\"rules\",\"items\":[\"2\"]}",
      "{\"ee\":\"rules\",\"items\":[\"1\",\"2\"]}",
  };
  for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
    for (size_t k = 0; k < sizeof trees / sizeof *trees; k++)
      if (ee_rule_tree_equal(tree(trees[i]), tree(trees[k]), &arena) != (i == k))
        fail_msg("%s, %s", trees[i], trees[k]);
  /* 0 and -0 are written differently. */
  ee_rule_option zeros[2] = {{EE_STR("a"), {.type = EE_RULE_NUMBER, .number = 0.0}},
                             {EE_STR("a"), {.type = EE_RULE_NUMBER, .number = -0.0}}};
  const ee_rule_node nodes[2] = {{.kind = EE_STR("x"), .options = &zeros[0], .option_count = 1},
                                 {.kind = EE_STR("x"), .options = &zeros[1], .option_count = 1}};
  assert_false(ee_rule_tree_equal(&nodes[0], &nodes[1], &arena));
  assert_true(ee_rule_tree_equal(&nodes[1], &nodes[1], &arena));
  /* Plain data are equal by their values, and are no other tables. */
  static const char *const data[] = {
      "{type: array}", "{type: object}", "{type: array, a: 1}", "{a: 1, type: array}", "[1, 2]", "[2, 1]", "{}",
      "{a: null}"};
  for (size_t i = 0; i < sizeof data / sizeof *data; i++)
    for (size_t k = 0; k < sizeof data / sizeof *data; k++) {
      char texts[2][100];
      snprintf(texts[0], sizeof texts[0], "rules: [{schema: {schema: %s}}]", data[i]);
      snprintf(texts[1], sizeof texts[1], "rules: [{schema: {schema: %s}}]", data[k]);
      bool same = i == k || (i == 2 && k == 3) || (i == 3 && k == 2);
      if (ee_rule_tree_equal(read_document(texts[0]), read_document(texts[1]), &arena) != same)
        fail_msg("%s, %s", texts[0], texts[1]);
    }
  /* A project's own strategy is not a built-in one of its name. */
  const ee_rule_node definition = {.kind = EE_STR("strategy")}, own = {.kind = EE_STR("x"), .definition = &definition},
                     built_in = {.kind = EE_STR("x")};
  assert_false(ee_rule_tree_equal(&own, &built_in, &arena));
  assert_false(ee_rule_tree_equal(&built_in, &own, &arena));
  assert_true(ee_rule_tree_equal(&own, &own, &arena));
}

static const char *const no_folders[] = {".", NULL};

/* Writes the rules of a document as both, and reads what was written in YAML: the same tree. */
static void assert_written(const char *document, const char *lua, const char *yaml) {
  const ee_rule_text text = {.root = read_document(document), .folders = no_folders};
  ee_error error;
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_lua(&text, &arena, &out, &error));
  assert_string_equal(ee_buffer_terminate(&out), lua);
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_yaml(&text, &arena, &out, &error));
  assert_string_equal(ee_buffer_terminate(&out), yaml);
  char *again = ee_arena_copy(&arena, out.data, out.length + 1);
  assert_true(ee_rule_tree_equal(text.root, read_document(again), &arena));
}

static void test_written(void **state) {
  (void)state;
  assert_written("name: n\nnull_values: [N/A, '-', 'yes', 7up, a.b]\nrules: [{fields: {name: header, fields: [{exact: "
                 "a}, {numeric: {path: b, tolerance: 0.01}}, {date: c}], aggregate: macro_f1}}, {exact: x}]\n",
                 "return ee.rules {\n"
                 "  name = \"n\",\n"
                 "  null_values = { \"N/A\", \"-\", \"yes\", \"7up\", \"a.b\" },\n"
                 "\n"
                 "  ee.fields {\n"
                 "    name = \"header\",\n"
                 "    aggregate = \"macro_f1\",\n"
                 "    ee.exact     \"a\",\n"
                 "    ee.numeric { \"b\", tolerance = 0.01 },\n"
                 "    ee.date      \"c\",\n"
                 "  },\n"
                 "\n"
                 "  ee.exact \"x\",\n"
                 "}\n",
                 "name: \"n\"\n"
                 "null_values: [N/A, \"-\", \"yes\", \"7up\", a.b]\n"
                 "rules:\n"
                 "  - fields:\n"
                 "      name: header\n"
                 "      aggregate: macro_f1\n"
                 "      fields:\n"
                 "        - exact: a\n"
                 "        - numeric: { path: b, tolerance: 0.01 }\n"
                 "        - date: c\n"
                 "  - exact: x\n");
  assert_written("provider: {name: openai, model: m, key_env: K}\nrules:\n- tree: {arrays: {default: set, l: {method: "
                 "key, key: id}, \"a b\": optimal}, leaves: {default: {exact: {}}, end: {numeric: {tolerance: 1}}}}\n- "
                 "schema: {schema: {type: array, \"a b\": [1, -0.5, true, false, null, \"x\\\"y\"], items: {}, end: "
                 "[]}}\n- gate: {metric: mean_score, min: 0.5}\n- line_items: {path: l, match: {path: t, threshold: "
                 "0.8}, fields: [{fuzzy: t}]}\n- any_of: [a, b]\n- exact: {}\n",
                 "return ee.rules {\n"
                 "  provider = { \"openai\", model = \"m\", key_env = \"K\" },\n"
                 "\n"
                 "  ee.tree {\n"
                 "    arrays = { default = \"set\", l = { \"key\", key = \"id\" }, [\"a b\"] = \"optimal\" },\n"
                 "    leaves = { default = ee.exact {}, [\"end\"] = ee.numeric { tolerance = 1 } },\n"
                 "  },\n"
                 "  ee.schema {\n"
                 "    schema = { type = \"array\", [\"a b\"] = { 1, -0.5, true, false, ee.null, \"x\\\"y\" }, items = "
                 "{}, [\"end\"] = {} },\n"
                 "  },\n"
                 "  ee.gate { metric = \"mean_score\", min = 0.5 },\n"
                 "\n"
                 "  ee.line_items {\n"
                 "    \"l\",\n"
                 "    match = { \"t\", threshold = 0.8 },\n"
                 "    ee.fuzzy \"t\",\n"
                 "  },\n"
                 "\n"
                 "  ee.any_of { \"a\", \"b\" },\n"
                 "  ee.exact {},\n"
                 "}\n",
                 "provider: { name: openai, model: m, key_env: K }\n"
                 "rules:\n"
                 "  - tree:\n"
                 "      arrays: { \"a b\": optimal, default: set, l: { method: key, key: id } }\n"
                 "      leaves: { default: { exact: {} }, end: { numeric: { tolerance: 1 } } }\n"
                 "  - schema: { schema: {\"type\":\"array\",\"a "
                 "b\":[1,-0.5,true,false,null,\"x\\\"y\"],\"items\":{},\"end\":[]} }\n"
                 "  - gate: { metric: mean_score, min: 0.5 }\n"
                 "  - line_items:\n"
                 "      path: l\n"
                 "      match: { path: t, threshold: 0.8 }\n"
                 "      fields:\n"
                 "        - fuzzy: t\n"
                 "  - any_of: [a, b]\n"
                 "  - exact: {}\n");
  assert_written(
      "rules:\n- fields: {fields: [{exact: a}, {exact: \"b c\"}], path: x}\n- fields: {fields: [{one_of: {path: a, "
      "values: [1, -0.0, '1', null, true, -2.5, 1.0e+300]}}, {pattern: {path: [a, '^x'], weight: 0}}]}\n- exec: "
      "{command: [a, \"b c\"], config: {exact: {k: [1, {z: null}]}, \"e-f\": 'on'}}\n- fuzzy: {path: a, threshold: "
      "{param: [t, 0.5]}, weight: {config: [w.x, 2]}}\n- fuzzy: {path: {param: p}, name: Y, candidate: \"0x\", "
      "normalize: [trim, casefold]}\n- confusion: {path: some.rather.long.path.to.a.label, candidate: "
      "another.rather.long.path.to.a.label, labels: [aaaaaaaa, bbbbbbbb, cccccccc, dddddddd]}\n- numeric: {path: a, "
      "tolerance: 1, weight: 2, candidate: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, name: "
      "bbbbbbbbbbbbbbbbbbbb}\n- numeric: {path: a, tolerance: 1, weight: 2, candidate: "
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, name: bbbbbbbbbbbbbbbbbbbbb}\n",
      "return ee.rules {\n"
      "  ee.fields {\n"
      "    \"x\",\n"
      "    ee.exact \"a\",\n"
      "    ee.exact \"b c\",\n"
      "  },\n"
      "\n"
      "  ee.fields {\n"
      "    ee.one_of  { \"a\", values = { 1, -0.0, \"1\", ee.null, true, -2.5, 1e300 } },\n"
      "    ee.pattern { \"a\", \"^x\", weight = 0 },\n"
      "  },\n"
      "\n"
      "  ee.exec { command = { \"a\", \"b c\" }, config = { exact = { k = { 1, { z = ee.null } } }, [\"e-f\"] = \"on\" "
      "} },\n"
      "  ee.fuzzy { \"a\", threshold = ee.param(\"t\", 0.5), weight = ee.get(ee.config, \"w.x\", 2) },\n"
      "  ee.fuzzy { ee.param(\"p\"), name = \"Y\", candidate = \"0x\", normalize = { \"trim\", \"casefold\" } },\n"
      "  ee.confusion {\n"
      "    \"some.rather.long.path.to.a.label\",\n"
      "    candidate = \"another.rather.long.path.to.a.label\",\n"
      "    labels = { \"aaaaaaaa\", \"bbbbbbbb\", \"cccccccc\", \"dddddddd\" },\n"
      "  },\n"
      "  ee.numeric {\n"
      "    \"a\",\n"
      "    tolerance = 1,\n"
      "    weight = 2,\n"
      "    candidate = \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\n"
      "    name = \"bbbbbbbbbbbbbbbbbbbb\",\n"
      "  },\n"
      "  ee.numeric {\n"
      "    \"a\",\n"
      "    tolerance = 1,\n"
      "    weight = 2,\n"
      "    candidate = \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\n"
      "    name = \"bbbbbbbbbbbbbbbbbbbbb\",\n"
      "  },\n"
      "}\n",
      "rules:\n"
      "  - fields:\n"
      "      path: x\n"
      "      fields:\n"
      "        - exact: a\n"
      "        - exact: \"b c\"\n"
      "  - fields:\n"
      "      fields:\n"
      "        - one_of: { path: a, values: [1, -0.0, \"1\", null, true, -2.5, 1e300] }\n"
      "        - pattern: { path: [a, \"^x\"], weight: 0 }\n"
      "  - exec: { command: [a, \"b c\"], config: {\"exact\":{\"k\":[1,{\"z\":null}]},\"e-f\":\"on\"} }\n"
      "  - fuzzy: { path: a, threshold: { param: [t, 0.5] }, weight: { config: [w.x, 2] } }\n"
      "  - fuzzy: { path: { param: p }, name: \"Y\", candidate: \"0x\", normalize: [trim, casefold] }\n"
      "  - confusion:\n"
      "      path: some.rather.long.path.to.a.label\n"
      "      candidate: another.rather.long.path.to.a.label\n"
      "      labels: [aaaaaaaa, bbbbbbbb, cccccccc, dddddddd]\n"
      "  - numeric:\n"
      "      path: a\n"
      "      tolerance: 1\n"
      "      weight: 2\n"
      "      candidate: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
      "      name: bbbbbbbbbbbbbbbbbbbb\n"
      "  - numeric:\n"
      "      path: a\n"
      "      tolerance: 1\n"
      "      weight: 2\n"
      "      candidate: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
      "      name: bbbbbbbbbbbbbbbbbbbbb\n");
}

/* What cannot be written: the first reason, with its place. */
static void assert_refused(const char *rules, const char *lua, const char *yaml) {
  const ee_rule_text text = {.root = tree(rules), .folders = no_folders};
  ee_error error;
  assert_true(ee_rules_write_lua(&text, &arena, &out, &error) == (lua == NULL));
  if (lua != NULL) assert_string_equal(error.message, lua);
  assert_true(ee_rules_write_yaml(&text, &arena, &out, &error) == (yaml == NULL));
  if (yaml == NULL) return;
  char place[sizeof(ee_error)];
  snprintf(place, sizeof place, "%s:%zu: %s", error.file, error.line, error.message);
  assert_string_equal(place, yaml);
}

static void test_refused(void **state) {
  (void)state;
  assert_refused("{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"line\":2,\"items\":[{\"ee\":\"exact\",\"line\":3,"
                 "\"items\":[\"a\"],\"when\":{\"function\":1}}]}]}",
                 "a function cannot be written",
                 "rules.lua:3: a function cannot be written in YAML: the rules need a file in Lua");
  assert_refused(
      "{\"ee\":\"rules\",\"score\":{\"function\":1},\"items\":[{\"ee\":\"exact\",\"line\":3,\"items\":[\"a\"],"
      "\"when\":{\"function\":1}}]}",
      "a function cannot be written",
      "rules.lua:1: a function cannot be written in YAML: the rules need a file in Lua");
  /* One method for all arrays, in braces. */
  assert_refused("{\"ee\":\"rules\",\"items\":[{\"ee\":\"tree\",\"arrays\":[\"set\"]}]}", NULL, NULL);
  assert_string_equal(ee_buffer_terminate(&out) + out.length - strlen("  - tree: { arrays: [set] }\n"),
                      "  - tree: { arrays: [set] }\n");
  assert_refused("{\"ee\":\"rules\",\"items\":[{\"ee\":\"tree\",\"line\":6,\"arrays\":{\"items\":[\"optimal\"],"
                 "\"threshold\":0.5}}]}",
                 NULL,
                 "rules.lua:6: one method with options for all arrays cannot be written in YAML: arrays = { default = "
                 "{ ... } } can");
  /* Positional values of constructors with an option of the name that they have in YAML. */
  assert_refused("{\"ee\":\"rules\",\"items\":[{\"ee\":\"exact\",\"items\":[\"a\"]}]}", NULL, NULL);
  /* Numbers. */
  static const struct {
    double number;
    const char *lua, *yaml;
  } numbers[] = {{INFINITY, "math.huge", NULL},
                 {-INFINITY, "-math.huge", NULL},
                 {NAN, "0/0", NULL},
                 {0.0, "0", "0"},
                 {-0.0, "-0.0", "-0.0"},
                 {0.1, "0.1", "0.1"},
                 {-3, "-3", "-3"},
                 {1e21, "1e21", "1e21"}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    ee_rule_option option = {EE_STR("weight"), {.type = EE_RULE_NUMBER, .number = numbers[i].number}};
    const ee_rule_node root = {
        .kind = EE_STR("rules"), .file = "r.lua", .line = 7, .options = &option, .option_count = 1};
    const ee_rule_text text = {.root = &root, .folders = no_folders};
    char wanted[128];
    ee_error error;
    ee_buffer_clear(&out);
    assert_true(ee_rules_write_lua(&text, &arena, &out, &error));
    snprintf(wanted, sizeof wanted, "return ee.rules {\n  weight = %s,\n}\n", numbers[i].lua);
    assert_string_equal(ee_buffer_terminate(&out), wanted);
    ee_buffer_clear(&out);
    assert_true(ee_rules_write_yaml(&text, &arena, &out, &error) == (numbers[i].yaml != NULL));
    if (numbers[i].yaml == NULL) {
      assert_string_equal(error.message, "a number that is not finite cannot be written in YAML");
      assert_int_equal(error.line, 7);
      continue;
    }
    snprintf(wanted, sizeof wanted, "weight: %s\nrules:\n", numbers[i].yaml);
    assert_string_equal(ee_buffer_terminate(&out), wanted);
  }
}

/* Words that YAML 1.1 or 1.2 would read as something else are in quotes. */
static void test_bare_words(void **state) {
  (void)state;
  static const char *const bare[] = {"a",
                                     "z",
                                     "A",
                                     "Z",
                                     "_",
                                     "a0",
                                     "a9",
                                     "a.b/c-d",
                                     "truely",
                                     "noo",
                                     "of",
                                     "Nullx",
                                     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
  static const char *const quoted[] = {"",
                                       "0",
                                       "9a",
                                       "-a",
                                       ".a",
                                       "/a",
                                       "a b",
                                       "a:",
                                       "a@",
                                       "a[",
                                       "a`",
                                       "a{",
                                       "a\xc3\xa4",
                                       "true",
                                       "TRUE",
                                       "False",
                                       "null",
                                       "NULL",
                                       "yes",
                                       "Yes",
                                       "no",
                                       "NO",
                                       "on",
                                       "off",
                                       "y",
                                       "Y",
                                       "n",
                                       "N",
                                       "a0:",
                                       "a,b",
                                       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
  for (int quotes = 0; quotes < 2; quotes++) {
    size_t count = quotes ? sizeof quoted / sizeof *quoted : sizeof bare / sizeof *bare;
    for (size_t i = 0; i < count; i++) {
      const char *word = quotes ? quoted[i] : bare[i];
      ee_rule_option option = {EE_STR("name"), {.type = EE_RULE_TEXT, .text = ee_str_from(word)}};
      const ee_rule_node root = {.kind = EE_STR("rules"), .options = &option, .option_count = 1};
      const ee_rule_text text = {.root = &root, .folders = no_folders};
      char wanted[128];
      ee_error error;
      ee_buffer_clear(&out);
      assert_true(ee_rules_write_yaml(&text, &arena, &out, &error));
      snprintf(wanted, sizeof wanted, "name: %s%s%s\nrules:\n", quotes ? "\"" : "", word, quotes ? "\"" : "");
      assert_string_equal(ee_buffer_terminate(&out), wanted);
    }
  }
}

/* What nobody sees is escaped, and nothing else. */
static void test_unseen(void **state) {
  (void)state;
  const ee_rule_option option = {EE_STR("name"), {.type = EE_RULE_TEXT, .text = EE_STR("\xc3\xa4\xe2\x80\xae!")}};
  const ee_rule_node root = {.kind = EE_STR("rules"), .options = &option, .option_count = 1};
  const ee_rule_text text = {.root = &root, .folders = no_folders};
  ee_error error;
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_yaml(&text, &arena, &out, &error));
  assert_string_equal(ee_buffer_terminate(&out), "name: \"\xc3\xa4\\u202e!\"\nrules:\n");
  /* Beyond 16 bits, from the first such character on. */
  static const char *const rows[][2] = {
      {"\xf3\xa0\x80\x81", "\\U000e0001"}, {"a\xef\xbb\xbf", "a\\ufeff"}, {"\xf0\x9f\x99\x82", "\xf0\x9f\x99\x82"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const ee_rule_option one = {EE_STR("name"), {.type = EE_RULE_TEXT, .text = ee_str_from(rows[i][0])}};
    const ee_rule_node other = {.kind = EE_STR("rules"), .options = &one, .option_count = 1};
    ee_buffer_clear(&out);
    assert_true(ee_rules_write_yaml(&(ee_rule_text){.root = &other, .folders = no_folders}, &arena, &out, &error));
    const char *shown = strchr(ee_buffer_terminate(&out), ' ') + 1;
    if (*shown == '"') shown++;
    if (strncmp(shown, rows[i][1], strlen(rows[i][1])) != 0) fail_msg("%s", shown);
  }
}

/* What is longer than 118 bytes is broken. */
static void test_lines(void **state) {
  (void)state;
  for (int n = 65; n < 110; n++) {
    char word[128], document[256];
    snprintf(word, sizeof word, "%0*d", n, 0);
    snprintf(document, sizeof document, "rules: [{numeric: {path: a, candidate: 'x%s'}}]", word);
    const ee_rule_text text = {.root = read_document(document), .folders = no_folders};
    ee_error error;
    ee_buffer_clear(&out);
    assert_true(ee_rules_write_lua(&text, &arena, &out, &error));
    size_t length = strlen("  ee.numeric { \"a\", candidate = \"x\" }") + (size_t)n;
    assert_true((strstr(ee_buffer_terminate(&out), "{\n    \"a\",\n    candidate") == NULL) == (length <= 118));
    ee_buffer_clear(&out);
    assert_true(ee_rules_write_yaml(&text, &arena, &out, &error));
    length = strlen("  - numeric: { path: a, candidate: \"x\" }") + (size_t)n;
    assert_true((strstr(ee_buffer_terminate(&out), "numeric:\n      path: a\n") == NULL) == (length <= 118));
  }
}

/* Strategies and rules of other files are required; what was left out is said first. */
static void test_modules(void **state) {
  (void)state;
  static const char *const folders[] = {"lib", ".", "/abs/dir", NULL};
  static const struct {
    const char *file, *module;
  } files[] = {
      {"lib/iban.lua", "iban"},
      {"lib/a.lua", "a"},
      {"a.lua", "a"},
      {"lib/a/iban.lua", "a.iban"},
      {"strategies/iban.lua", "strategies.iban"},
      {"iban.lua", "iban"},
      {"/abs/dir/b/c.lua", "b.c"},
      {"/abs/dirx/c.lua", NULL},
      {"/abs/dir.lua", NULL},
      {"/other/c.lua", NULL},
      {"lib/a.b.lua", NULL},
      {"lib/iban.txt", NULL},
      {".lua", NULL},
      {"libx/iban.lua", "libx.iban"},
      {NULL, NULL},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const ee_rule_node definition = {.kind = EE_STR("strategy"), .file = files[i].file, .line = 3};
    const ee_rule_value path = {.type = EE_RULE_TEXT, .text = EE_STR("a")};
    const ee_rule_node field = {
        .kind = EE_STR("iban"), .file = "main.lua", .definition = &definition, .items = &path, .item_count = 1};
    const ee_rule_value fields[2] = {{.type = EE_RULE_NODE, .node = &field}, {.type = EE_RULE_NODE, .node = &field}};
    const ee_rule_node judge = {.kind = EE_STR("fields"), .file = "main.lua", .items = fields, .item_count = 2};
    /* An entry with a function, from another file: the whole file is required. */
    const ee_rule_value function = {.type = EE_RULE_FUNCTION};
    const ee_rule_node script = {.kind = EE_STR("judge"), .file = "lib/rest.lua", .items = &function, .item_count = 1};
    const ee_rule_value entries[3] = {{.type = EE_RULE_NODE, .node = &judge},
                                      {.type = EE_RULE_NODE, .node = &script},
                                      {.type = EE_RULE_NODE, .node = &script}};
    const ee_rule_node root = {.kind = EE_STR("rules"), .file = "main.lua", .items = entries, .item_count = 3};
    const ee_rule_text text = {.root = &root, .folders = folders};
    char lua[256], yaml[256];
    ee_error error;
    ee_buffer_clear(&out);
    assert_true(ee_rules_write_lua(&text, &arena, &out, &error) == (files[i].module != NULL));
    if (files[i].module == NULL) {
      assert_string_equal(error.message, "this strategy has no file of its own, or a name that a variable cannot have");
      assert_false(ee_rules_write_yaml(&text, &arena, &out, &error));
      assert_string_equal(error.message, "this strategy is defined in the rule file: YAML can only use it from a Lua "
                                         "file of its own, which returns it");
      assert_int_equal(error.line, 3);
      continue;
    }
    snprintf(lua, sizeof lua,
             "local iban = require \"%s\"\n\nreturn ee.rules {\n  ee.fields {\n    iban \"a\",\n    iban \"a\",\n  "
             "},\n\n  require \"rest\",\n}\n",
             files[i].module);
    assert_string_equal(ee_buffer_terminate(&out), lua);
    ee_buffer_clear(&out);
    assert_true(ee_rules_write_yaml(&text, &arena, &out, &error));
    snprintf(yaml, sizeof yaml,
             "require: [%s, rest]\nrules:\n  - fields:\n      fields:\n        - iban: a\n        - iban: a\n",
             files[i].module);
    assert_string_equal(ee_buffer_terminate(&out), yaml);
  }
}

/* A project's own strategy whose options are called as positional values are in YAML; one that is in a module. */
static void test_own_options(void **state) {
  (void)state;
  static const char *const taken[] = {"path", "fields", "length"};
  for (size_t i = 0; i < 3; i++) {
    const ee_rule_option row = {ee_str_from(taken[i]), {.type = EE_RULE_TEXT, .text = EE_STR("string")}};
    const ee_rule_node rows = {.options = &row, .option_count = 1};
    const ee_rule_option options = {EE_STR("options"), {.type = EE_RULE_TABLE, .node = &rows}};
    const ee_rule_node definition = {
        .kind = EE_STR("strategy"), .file = "a.lua", .options = &options, .option_count = 1};
    const ee_rule_node inner = {.kind = EE_STR("exact"), .file = "main.lua"};
    const ee_rule_value items[] = {{.type = EE_RULE_TEXT, .text = EE_STR("p")}, {.type = EE_RULE_NODE, .node = &inner}};
    for (size_t from = 0; from < 2; from++) {
      for (size_t count = 0; count + from <= 2; count++) {
        const ee_rule_node own = {.kind = EE_STR("own"),
                                  .file = "main.lua",
                                  .line = 5,
                                  .definition = &definition,
                                  .items = items + from,
                                  .item_count = count};
        const ee_rule_value entry = {.type = EE_RULE_NODE, .node = &own};
        const ee_rule_node root = {.kind = EE_STR("rules"), .file = "main.lua", .items = &entry, .item_count = 1};
        const ee_rule_text text = {.root = &root, .folders = no_folders};
        bool leads = from == 0 && count > 0, follows = count + from == 2 && count > 0;
        bool refused = (i == 0 && leads) || (i == 1 && follows);
        ee_error error;
        ee_buffer_clear(&out);
        assert_true(ee_rules_write_yaml(&text, &arena, &out, &error) == !refused);
        if (refused) {
          assert_string_equal(error.message, "this has an option that is called as positional values are in YAML");
          assert_int_equal(error.line, 5);
          continue;
        }
        assert_memory_equal(ee_buffer_terminate(&out), "require: [a]\nrules:\n  - own: ", 29);
      }
    }
  }
  /* Values that are not texts stay in brackets. */
  static const char *const trees[][2] = {
      {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"exact\",\"items\":[null]}]}", "rules:\n  - exact: [null]\n"},
      {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"exact\",\"items\":[[1,2]]}]}", "rules:\n  - exact: [[1, 2]]\n"},
      {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"exact\",\"items\":[1]}]}", "rules:\n  - exact: 1\n"},
      {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"exact\",\"items\":[{\"ee\":\"date\"}]}]}",
       "rules:\n  - exact: [{ date: {} }]\n"},
      {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"exact\",\"items\":[\"p\",{\"ee\":\"date\"}],\"weight\":2}]}",
       "rules:\n  - exact: { path: p, weight: 2, fields: [{ date: {} }] }\n"},
      {"{\"ee\":\"rules\",\"items\":[{\"ee\":\"exact\",\"items\":[{\"ee\":\"date\"}],\"weight\":2}]}",
       "rules:\n  - exact: { weight: 2, fields: [{ date: {} }] }\n"}};
  for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
    const ee_rule_text text = {.root = tree(trees[i][0]), .folders = no_folders};
    ee_error error;
    ee_buffer_clear(&out);
    assert_true(ee_rules_write_yaml(&text, &arena, &out, &error));
    assert_string_equal(ee_buffer_terminate(&out), trees[i][1]);
  }
}

static void test_left_out(void **state) {
  (void)state;
  ee_error_list left_out;
  ee_error_list_init(&left_out);
  const ee_rule_text whole = {
      .root = read_document("rules: [{exact: a}]"), .folders = no_folders, .left_out = &left_out};
  ee_error none;
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_lua(&whole, &arena, &out, &none));
  assert_string_equal(ee_buffer_terminate(&out), "return ee.rules {\n  ee.exact \"a\",\n}\n");
  ee_error_list_addf(&left_out, EE_ERROR_RULES, "r.yaml", 4, "'judge' needs a function");
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_lua(&whole, &arena, &out, &none));
  assert_string_equal(ee_buffer_terminate(&out), "-- TO DO: r.yaml:4: 'judge' needs a function\n\nreturn ee.rules {\n  "
                                                 "ee.exact \"a\",\n}\n");
  ee_error_list_addf(&left_out, EE_ERROR_RULES, "r.yaml", 9, "option 'when' needs a function");
  const ee_rule_text text = {
      .root = read_document("rules: [{exact: a}]"), .folders = no_folders, .left_out = &left_out};
  ee_error error;
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_lua(&text, &arena, &out, &error));
  assert_string_equal(ee_buffer_terminate(&out),
                      "-- TO DO: r.yaml:4: 'judge' needs a function\n-- TO DO: r.yaml:9: option 'when' needs a "
                      "function\n\nreturn ee.rules {\n  ee.exact \"a\",\n}\n");
  ee_error_list_fini(&left_out);
}

/* Options without places are in the order of the constructor's rows, `name` first. */
static void test_order_of_options(void **state) {
  (void)state;
  const ee_rule_text text = {.root = tree("{\"ee\":\"rules\",\"slices\":[\"s\"],\"name\":\"n\",\"items\":[{\"ee\":"
                                          "\"numeric\",\"items\":[\"p\"],\"zeta\":1,\"name\":\"x\",\"weight\":2,"
                                          "\"alpha\":3,\"tolerance\":4,\"relative\":true},{\"ee\":\"gate\",\"min\":1,"
                                          "\"metric\":\"m\",\"judge\":\"j\"}]}"),
                             .folders = no_folders};
  ee_error error;
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_lua(&text, &arena, &out, &error));
  assert_string_equal(
      ee_buffer_terminate(&out),
      "return ee.rules {\n  name = \"n\",\n  slices = { \"s\" },\n\n  ee.numeric { \"p\", name = \"x\", "
      "tolerance = 4, relative = true, weight = 2, alpha = 3, zeta = 1 },\n  ee.gate { judge = \"j\", "
      "metric = \"m\", min = 1 },\n}\n");
}

/* What does not fit into a line: several paths stay an array. */
static void test_blocks_of_several_paths(void **state) {
  (void)state;
  char rules[400], wanted[400], name[121];
  memset(name, 'x', 120);
  name[120] = '\0';
  snprintf(rules, sizeof rules,
           "{\"ee\":\"rules\",\"items\":[{\"ee\":\"any_of\",\"items\":[\"a\",\"b.c\"],\"name\":\"%s\",\"weight\":2}]}",
           name);
  snprintf(wanted, sizeof wanted, "rules:\n  - any_of:\n      path: [a, b.c]\n      name: \"%s\"\n      weight: 2\n",
           name);
  const ee_rule_text text = {.root = tree(rules), .folders = no_folders};
  ee_error error;
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_yaml(&text, &arena, &out, &error));
  assert_string_equal(ee_buffer_terminate(&out), wanted);
}

/* Of a table with many keys, which are those of the data, the order is that of their names; what is not given is left
 * out, as of few. */
static void test_order_of_many_options(void **state) {
  (void)state;
  for (size_t many = 60; many <= 70; many += 10) {
    ee_rule_option options[70];
    char names[70][8];
    for (size_t i = 0; i < many; i++) {
      snprintf(names[i], sizeof names[i], "k%02zu", i);
      options[i] = (ee_rule_option){.name = ee_str_from(names[i]), .value = {.type = EE_RULE_NUMBER}};
    }
    options[0].value.type = options[many - 1].value.type = options[7].value.type = EE_RULE_NONE;
    const ee_rule_node node = {.options = options, .option_count = many};
    size_t count, at = 0;
    const ee_rule_option **ordered = ee_rule_options_in_order(&node, &arena, &count);
    assert_int_equal(count, many - 3);
    for (size_t i = 1; i + 1 < many; i++)
      if (i != 7) assert_ptr_equal(ordered[at++], &options[i]);
  }
}

/* Each module is named once, whether a function is an item or an option of its rules, and however deep. */
static void test_used_modules(void **state) {
  (void)state;
  static const char *const folders[] = {"lib", NULL};
  const ee_rule_value function = {.type = EE_RULE_FUNCTION}, number = {.type = EE_RULE_NUMBER};
  const ee_rule_option options[2] = {{.name = EE_STR("a"), .value = function}, {.name = EE_STR("b"), .value = number}},
                       last[2] = {{.name = EE_STR("a"), .value = number}, {.name = EE_STR("b"), .value = function}};
  const ee_rule_node plain = {.kind = EE_STR("exact"), .file = "lib/plain.lua", .items = &number, .item_count = 1};
  const ee_rule_node first = {.kind = EE_STR("judge"), .file = "lib/first.lua", .options = options, .option_count = 2};
  const ee_rule_node second = {.kind = EE_STR("judge"), .file = "lib/second.lua", .options = last, .option_count = 2};
  const ee_rule_value inner[2] = {{.type = EE_RULE_NODE, .node = &plain}, {.type = EE_RULE_NODE, .node = &second}};
  const ee_rule_node third = {.kind = EE_STR("fields"), .file = "lib/third.lua", .items = inner, .item_count = 2};
  const ee_rule_node *const used_nodes[] = {&first, &plain, &second, &second, &third, &first, &third, &second};
  ee_rule_value entries[8];
  for (size_t i = 0; i < 8; i++) entries[i] = (ee_rule_value){.type = EE_RULE_NODE, .node = used_nodes[i]};
  const ee_rule_node root = {.kind = EE_STR("rules"), .file = "main.lua", .items = entries, .item_count = 8};
  ee_used_modules used;
  ee_used_modules_find(&(ee_rule_text){.root = &root, .folders = folders}, &arena, &used);
  static const char *const names[] = {"first", "second", "third"};
  assert_int_equal(used.rules.count, 3);
  for (size_t i = 0; i < 3; i++) assert_string_equal(used.rules.items[i], names[i]);
  assert_int_equal(used.strategies.count, 0);
  const ee_rule_text text = {.root = &root, .folders = folders};
  ee_error error;
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_lua(&text, &arena, &out, &error));
  assert_non_null(
      strstr(ee_buffer_terminate(&out), "\n  require \"first\",\n  require \"second\",\n  require \"third\",\n}\n"));
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_yaml(&text, &arena, &out, &error));
  assert_non_null(strstr(ee_buffer_terminate(&out), "require: [first, second, third]\n"));
}

/* What is too long for a line is broken at each level, two spaces further in. */
static void test_indents(void **state) {
  (void)state;
  const char *word = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
             *other = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
  char document[600], wanted[600];
  snprintf(document, sizeof document,
           "rules: [{line_items: {path: l, match: {path: [%s, %s], threshold: 0.5}, fields: [{exact: {path: x, name: "
           "%s, candidate: %s}}]}}]",
           word, other, word, other);
  snprintf(wanted, sizeof wanted,
           "return ee.rules {\n  ee.line_items {\n    \"l\",\n    match = {\n      \"%s\",\n      \"%s\",\n      "
           "threshold = 0.5,\n"
           "    },\n    ee.exact {\n      \"x\",\n      name = \"%s\",\n      candidate = \"%s\",\n    },\n  },\n}\n",
           word, other, word, other);
  const ee_rule_text text = {.root = read_document(document), .folders = no_folders};
  ee_error error;
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_lua(&text, &arena, &out, &error));
  assert_string_equal(ee_buffer_terminate(&out), wanted);
}

/* In a column of strategies a project's own one has its values below those of the others. */
static void test_column(void **state) {
  (void)state;
  const ee_rule_node definition = {.kind = EE_STR("strategy"), .file = "iban.lua"};
  const ee_rule_value paths[] = {{.type = EE_RULE_TEXT, .text = EE_STR("a")},
                                 {.type = EE_RULE_TEXT, .text = EE_STR("b")}};
  const ee_rule_option tolerance = {EE_STR("tolerance"), {.type = EE_RULE_NUMBER, .number = 2}};
  const ee_rule_node own = {
      .kind = EE_STR("iban"), .file = "main.lua", .definition = &definition, .items = &paths[0], .item_count = 1};
  const ee_rule_node number = {.kind = EE_STR("numeric"),
                               .file = "main.lua",
                               .items = &paths[1],
                               .item_count = 1,
                               .options = &tolerance,
                               .option_count = 1};
  const ee_rule_value fields[] = {{.type = EE_RULE_NODE, .node = &own}, {.type = EE_RULE_NODE, .node = &number}};
  const ee_rule_node judge = {.kind = EE_STR("fields"), .file = "main.lua", .items = fields, .item_count = 2};
  const ee_rule_value entry = {.type = EE_RULE_NODE, .node = &judge};
  const ee_rule_node root = {.kind = EE_STR("rules"), .file = "main.lua", .items = &entry, .item_count = 1};
  const ee_rule_text text = {.root = &root, .folders = no_folders};
  ee_error error;
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_lua(&text, &arena, &out, &error));
  assert_string_equal(ee_buffer_terminate(&out),
                      "local iban = require \"iban\"\n\nreturn ee.rules {\n  ee.fields {\n    iban         \"a\",\n"
                      "    ee.numeric { \"b\", tolerance = 2 },\n  },\n}\n");
}

/* Values after the first constructor are among the fields, whatever they are. */
static void test_values_among_fields(void **state) {
  (void)state;
  const ee_rule_text text = {
      .root =
          tree("{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[\"p\",{\"ee\":\"exact\",\"items\":[\"a\"]},"
               "\"b\",2,{\"c\":true},{\"ee\":\"date\"}]},\"d\",null]}"),
      .folders = no_folders};
  ee_error error;
  ee_buffer_clear(&out);
  assert_true(ee_rules_write_yaml(&text, &arena, &out, &error));
  assert_string_equal(
      ee_buffer_terminate(&out),
      "rules:\n  - fields:\n      path: p\n      fields:\n        - exact: a\n        - b\n        - 2\n"
      "        - { c: true }\n        - date: {}\n  - d\n  - null\n");
}

EE_TEST_FILE(open_all, close_all, cmocka_unit_test(test_strings), cmocka_unit_test(test_names),
             cmocka_unit_test(test_values), cmocka_unit_test(test_comments), cmocka_unit_test(test_equal_trees),
             cmocka_unit_test(test_written), cmocka_unit_test(test_refused), cmocka_unit_test(test_bare_words),
             cmocka_unit_test(test_unseen), cmocka_unit_test(test_lines), cmocka_unit_test(test_modules),
             cmocka_unit_test(test_own_options), cmocka_unit_test(test_left_out),
             cmocka_unit_test(test_order_of_options), cmocka_unit_test(test_order_of_many_options),
             cmocka_unit_test(test_blocks_of_several_paths), cmocka_unit_test(test_used_modules),
             cmocka_unit_test(test_indents), cmocka_unit_test(test_column), cmocka_unit_test(test_values_among_fields));
