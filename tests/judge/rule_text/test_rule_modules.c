/* test_rule_modules.c: rules in a document that need Lua files: names of modules, what they return; and which texts are
 * rules at all. */
#include "judge/rule_text/rule_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/compile.h"

static ee_arena arena;
static ee_error_list errors;
static ee_buffer loaded; /* "NAME@LINE:COLUMN;" of each module that was asked for */
static const ee_rule_value *returned;
static size_t returned_count;

static int open_all(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  ee_error_list_init(&errors);
  ee_buffer_init(&loaded);
  return 0;
}

static int close_all(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  ee_error_list_fini(&errors);
  ee_buffer_fini(&loaded);
  return 0;
}

static bool load(void *user, const ee_rule_module *modules, size_t module_count, const ee_rule_value **values,
                 size_t *count, ee_error_list *list) {
  (void)user, (void)list;
  for (size_t i = 0; i < module_count; i++) {
    assert_int_equal(modules[i].name.data[modules[i].name.length], '\0');
    ee_buffer_addf(&loaded, "%.*s@%zu:%zu;", EE_STR_ARG(modules[i].name), modules[i].line, modules[i].column);
  }
  *values = returned;
  *count = returned_count;
  return true;
}

static bool keep_default(void *user, ee_str name, ee_rule_value *value, ee_arena *in, ee_error *error) {
  (void)user, (void)name, (void)value, (void)in, (void)error;
  return true;
}

static const char *no_pattern(ee_str pattern) {
  (void)pattern;
  return NULL;
}

static const ee_rule_node *read_text(const char *text) {
  const ee_rule_host host = {.parameter = keep_default, .require = load, .check_pattern = no_pattern};
  errors.count = 0;
  ee_buffer_clear(&loaded);
  const ee_rule_node *root = ee_rule_document_read(&arena, "r.yaml", ee_str_from(text), &host, &errors);
  ee_buffer_terminate(&loaded);
  return root;
}

static void test_names(void **state) {
  (void)state;
  static const char *const names[] = {"a", "z", "A", "Z", "0", "9", "_", "a-b", "a.b", "aZ_9.b-0.c", "-"};
  static const char *const others[] = {"",   ".",  "a.", ".a", "a..b", "a/b",  "a b", "\xc3\xa4", "a@",
                                       "a[", "a`", "a{", "a:", "a,b",  "../a", "/a",  "a\\\\b"};
  char text[128];
  returned_count = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char wanted[64];
    snprintf(text, sizeof text, "require: \"%s\"\nrules: [{exact: a}]", names[i]);
    assert_non_null(read_text(text));
    snprintf(wanted, sizeof wanted, "%s@1:10;", names[i]);
    assert_string_equal(loaded.data, wanted);
    assert_int_equal(errors.count, 0);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    snprintf(text, sizeof text, "require: \"%s\"\nrules: [{exact: a}]", others[i]);
    read_text(text);
    if (errors.count != 1 || strstr(errors.items[0].message, "is not a module name") == NULL)
      fail_msg("'%s' is no module name", others[i]);
    assert_int_equal(loaded.length, 0);
  }
  /* Of several names the good ones are loaded. */
  read_text("require: [a, ../b, 7,\n  c.d]\nrules: [{exact: a}]");
  assert_int_equal(errors.count, 2);
  assert_string_equal(loaded.data, "a@1:11;c.d@2:3;");
}

static void test_returned(void **state) {
  (void)state;
  const ee_rule_value name = {.type = EE_RULE_TEXT, .text = EE_STR("iban")}, number = {.type = EE_RULE_NUMBER};
  const ee_rule_node strategy = {.kind = EE_STR("strategy"), .items = &name, .item_count = 1};
  const ee_rule_node again = strategy;
  const ee_rule_node nameless = {.kind = EE_STR("strategy")};
  const ee_rule_node numbered = {.kind = EE_STR("strategy"), .items = &number, .item_count = 1};
  const ee_rule_node judge = {.kind = EE_STR("judge")};
  const ee_rule_value values[] = {{.type = EE_RULE_NODE, .node = &strategy},
                                  {.type = EE_RULE_NODE, .node = &again},
                                  {.type = EE_RULE_NODE, .node = &judge},
                                  {.type = EE_RULE_NODE, .node = &nameless},
                                  {.type = EE_RULE_NODE, .node = &numbered}};
  returned = values;
  returned_count = 3;
  const ee_rule_node *root = read_text("require: m\nrules: [{exact: a}, {iban: {path: b, weight: 2}}, {ibam: c}]");
  assert_int_equal(errors.count, 1);
  assert_string_equal(errors.items[0].message, "unknown constructor 'ibam' (did you mean 'iban'?)");
  /* The first definition of a name counts; other rules are added. */
  bool own = false, added = false;
  for (size_t i = 0; i < root->item_count; i++) {
    own |= ee_str_is(root->items[i].node->kind, "iban") && root->items[i].node->definition == &strategy;
    added |= root->items[i].node == &judge;
    assert_true(root->items[i].node->definition != &again);
  }
  assert_true(own && added);
  for (returned_count = 1, returned = values + 3; returned < values + 5; returned++) {
    read_text("require: m\nrules: [{exact: a}]");
    assert_int_equal(errors.count, 1);
    assert_string_equal(errors.items[0].message, "'require' loads a strategy without a name");
    assert_int_equal(errors.items[0].line, 1);
  }
  returned_count = 0;
}

/* Of several strategies each is found by its name, and is one of the names that are suggested. */
static void test_several_strategies(void **state) {
  (void)state;
  static const char *const names[] = {"iban", "vat_id", "isin"};
  ee_rule_value texts[3], values[3];
  ee_rule_node nodes[3];
  for (size_t i = 0; i < 3; i++) {
    texts[i] = (ee_rule_value){.type = EE_RULE_TEXT, .text = ee_str_from(names[i])};
    nodes[i] = (ee_rule_node){.kind = EE_STR("strategy"), .items = &texts[i], .item_count = 1};
    values[i] = (ee_rule_value){.type = EE_RULE_NODE, .node = &nodes[i]};
  }
  returned = values;
  returned_count = 3;
  const ee_rule_node *root = read_text("require: m\nrules: [{isin: a}, {vat_id: b}, {iban: c}, {exact: d}, {isim: e}]");
  assert_int_equal(errors.count, 1);
  assert_string_equal(errors.items[0].message, "unknown constructor 'isim' (did you mean 'isin'?)");
  for (size_t i = 0; i < 3; i++) assert_ptr_equal(root->items[i].node->definition, &nodes[2 - i]);
  assert_null(root->items[3].node->definition);
  returned_count = 0;
}

/* Which files are rules: those of a name and with a text that say so. Only what cannot be looked at is an error. */
static void test_which_files_are_rules(void **state) {
  (void)state;
  char folder[] = "/tmp/ee_rule_files.XXXXXX", path[512];
  assert_non_null(mkdtemp(folder));
  static const struct {
    const char *name, *text;
    bool is_rules;
  } files[] = {{"a.yaml", "rules: []", true},  {"a.yml", "name: x\nrules: []", true},
               {"b.yaml", "a: 1", false},      {"c.json", "{\"rules\": 1}", true},
               {"d.json", "rules: []", false}, {"e.txt", "rules: []", false},
               {"f.yaml", "", false}};
  bool found;
  ee_error error = {.status = EE_OK};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
    FILE *file = fopen(path, "w");
    fputs(files[i].text, file);
    fclose(file);
    found = !files[i].is_rules;
    assert_int_equal(ee_is_rule_document_file(path, &found, &error), EE_OK);
    if (found != files[i].is_rules) fail_msg("%s: %d", files[i].name, found);
  }
  static const char *const none[] = {"none.yaml", "a.yaml/none.yaml", "folder.yaml"};
  snprintf(path, sizeof path, "%s/folder.yaml", folder);
  assert_int_equal(mkdir(path, 0700), 0);
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, none[i]);
    found = true;
    assert_int_equal(ee_is_rule_document_file(path, &found, &error), EE_OK);
    assert_false(found);
  }
  snprintf(path, sizeof path, "%s/%0300d.yaml", folder, 1);
  assert_int_equal(ee_is_rule_document_file(path, &found, &error), EE_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "cannot read '"));
  assert_false(found);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
    unlink(path);
  }
  snprintf(path, sizeof path, "%s/folder.yaml", folder);
  rmdir(path);
  rmdir(folder);
}

/* Whether a text is rules, as YAML and as JSON. */
static void test_which_texts_are_rules(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool yaml, json;
  } rows[] = {
      {"'rules': 1", true, false},
      {"\"rules\" : 1", true, false},
      {"rules\n", false, false},
      {" rules: 1", false, false},
      {"\trules: 1", false, false},
      {"a: 1\nrules: 2", true, false},
      {"a: 1\r\nrules: 2\r\n", true, false},
      {"- rules: 2", false, false},
      {"#rules: 2", false, false},
      {"#\n---\n--- x\n rules: 1\nrules: 2", true, false},
      {"--rules: 1", false, false},
      {"{'rules': 1}", true, true},
      {"{\"a\": [1, {\"rules\": 2}]}", false, false},
      {"{\"a\": [1], \"rules\": 2}", true, false},
      {"{\"name\": [1], \"rules\": 2}", true, true},
      {"{\"name\": \"a\\\",\", \"rules\": 2}", true, true},
      {"{\"name\": 'a\\', \"rules\": 2}", true, true},
      {"{\"name\": 1} {\"rules\": 2}", false, false},
      {"{\"require\": [], \"rules\": 2}", true, true},
      {"{\"$schema\": 1, \"rules\": 2}", true, true},
      {"{\"x-a\": 1, \"rules\": 2}", true, true},
      {"{\"slice\": 1, \"rules\": 2}", true, true},
      {"{\"slcs\": 1, \"rules\": 2}", true, true},
      {"{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\": 1, \"rules\": 2}", true, false},
      {"{\"rules\": 2, \"tests\": 1}", false, false},
      {"{\"rules\": 2, \"evalcases\": 1}", false, false},
      {"{rules:2,name:3}", true, true},
      {"{ \n\t rules :2}", true, true},
      {"{[rules: 1]}", false, false},
      {"\xEF\xBB\xBFrules: 1", true, false},
      {"\xEF\xBBrules: 1", false, false},
      {"\n\n \t{\"rules\": 1}", true, true},
      {"{\"rules\"", true, true},
      {" #\nrules: 1", true, false},
      {"---\n{\"rules\": 1}", true, false},
      {"--- # x\n# y\n{\"rules\": 1}", true, false},
      {"--\n{\"rules\": 1}", false, false},
      {"x\n{\"rules\": 1}", false, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bool yaml = ee_is_rule_document_text(ee_str_from(rows[i].text), true),
         json = ee_is_rule_document_text(ee_str_from(rows[i].text), false);
    if (yaml != rows[i].yaml || json != rows[i].json) fail_msg("%zu: %s: %d %d", i, rows[i].text, yaml, json);
    /* What follows a text in memory is not looked at. */
    for (size_t length = 0; length < strlen(rows[i].text); length++) {
      char alone[128];
      snprintf(alone, sizeof alone, "%.*s", (int)length, rows[i].text);
      for (int is_yaml = 0; is_yaml < 2; is_yaml++)
        if (ee_is_rule_document_text((ee_str){rows[i].text, length}, is_yaml) !=
            ee_is_rule_document_text(ee_str_from(alone), is_yaml))
          fail_msg("%zu bytes of %s", length, rows[i].text);
    }
  }
}

EE_TEST_FILE(open_all, close_all, cmocka_unit_test(test_names), cmocka_unit_test(test_returned),
             cmocka_unit_test(test_several_strategies), cmocka_unit_test(test_which_files_are_rules),
             cmocka_unit_test(test_which_texts_are_rules));
