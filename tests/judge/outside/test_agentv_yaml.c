/* test_evaluators.c: the evaluators of YAML data sets as rule trees: what each becomes, what is a mistake, what is left
 * out, and which judges which case. */
#include "judge/outside/agentv.h"

#include "judge/plan_fixture.h"
#include "support/random.h"

typedef struct set {
  ee_case_file *file;
  ee_arena arena;
  ee_error_list errors;
  ee_selection *selection;
  const ee_rule_node *root;
  ee_buffer text;
} set;

/* Whether evaluators may ask a model. */
static bool asks_models;

/* Reads `yaml`, which is well, and turns it into a tree. */
static void set_read(set *s, const char *yaml) {
  memset(s, 0, sizeof *s);
  ee_arena_init(&s->arena, 0);
  ee_error_list_init(&s->errors);
  ee_buffer_init(&s->text);
  ee_error error = {0};
  s->file = ee_case_file_read("data.yaml", ee_str_from(yaml), &error);
  if (s->file == NULL) fail_msg("%zu:%zu: %s\n%s", error.line, error.column, error.message, yaml);
  s->root = ee_agentv_to_rules(s->file, asks_models, &s->arena, &s->selection, &s->errors);
}

static void set_close(set *s) {
  ee_case_file_close(s->file);
  ee_error_list_fini(&s->errors);
  ee_buffer_fini(&s->text);
  ee_arena_fini(&s->arena);
}

/* Trees as text -----------------------------------------------------------------------------------------------------
 */

static void print_spec(const ee_rule_node *spec, ee_buffer *out);

static void print_value(const ee_rule_value *value, ee_buffer *out) {
  switch (value->type) {
  case EE_RULE_BOOL: ee_buffer_add_text(out, value->boolean ? "true" : "false"); break;
  case EE_RULE_NUMBER: ee_json_write_number(out, value->number); break;
  case EE_RULE_TEXT: ee_json_write_string(out, value->text); break;
  case EE_RULE_NULL: ee_buffer_add_text(out, "null"); break;
  default: print_spec(value->node, out); break;
  }
}

/* kind@line{items; name=option; ...}: without a kind a plain table, and one that was made of a document is that. */
static void print_spec(const ee_rule_node *spec, ee_buffer *out) {
  if (spec->document != NULL) {
    ee_json_write_value(out, spec->document);
    return;
  }
  ee_buffer_add_str(out, spec->kind);
  if (spec->kind.length > 0) ee_buffer_addf(out, "@%zu", spec->line);
  ee_buffer_add_char(out, '{');
  for (size_t i = 0; i < spec->item_count; i++) {
    if (i > 0) ee_buffer_add_text(out, ", ");
    print_value(&spec->items[i], out);
  }
  for (size_t i = 0; i < spec->option_count; i++) {
    if (i + spec->item_count > 0) ee_buffer_add_text(out, ", ");
    if (i > 0) assert_true(ee_str_compare(spec->options[i - 1].name, spec->options[i].name) < 0);
    ee_buffer_add_str(out, spec->options[i].name);
    ee_buffer_add_char(out, '=');
    print_value(&spec->options[i].value, out);
  }
  ee_buffer_add_char(out, '}');
}

static void tell_errors(set *s) {
  ee_buffer_clear(&s->text);
  ee_error_list_sort(&s->errors);
  for (size_t i = 0; i < s->errors.count; i++) {
    const ee_error *error = &s->errors.items[i];
    assert_string_equal(error->file, "data.yaml");
    if (i > 0) ee_buffer_add_char(&s->text, '\n');
    ee_buffer_addf(&s->text, "%zu:%zu: %s%s", error->line, error->column, error->status == EE_OK ? "(warning) " : "",
                   error->message);
  }
  ee_buffer_terminate(&s->text);
}

/* Asserts the tree of one data set, and that nothing is said of it. */
static void assert_tree(const char *yaml, const char *expected) {
  set s;
  set_read(&s, yaml);
  tell_errors(&s);
  assert_string_equal(s.text.data != NULL ? s.text.data : "", "");
  assert_non_null(s.root);
  ee_buffer_clear(&s.text);
  print_spec(s.root, &s.text);
  assert_string_equal(ee_buffer_terminate(&s.text), expected);
  set_close(&s);
}

/* The same of the only evaluator. */
static void assert_node(const char *evaluator, const char *expected) {
  char yaml[2048], tree[2048];
  snprintf(yaml, sizeof yaml, "tests: [{id: a, expected: 1}]\nevaluators:\n%s", evaluator);
  snprintf(tree, sizeof tree, "rules@1{%s}", expected);
  assert_tree(yaml, tree);
}

/* Asserts what is told, "line:column: message" a line; `mistaken` is whether there is an error or no tree. */
static void assert_told(const char *yaml, const char *expected, bool mistaken) {
  set s;
  set_read(&s, yaml);
  tell_errors(&s);
  assert_string_equal(s.text.data != NULL ? s.text.data : "", expected);
  bool any = s.root == NULL;
  for (size_t i = 0; i < s.errors.count; i++) any |= s.errors.items[i].status != EE_OK;
  assert_int_equal(any, mistaken);
  set_close(&s);
}

/* What each becomes -------------------------------------------------------------------------------------------------
 */

static void test_field_accuracy(void **state) {
  (void)state;
  assert_tree("name: invoices\n"
              "evaluators:\n"
              "  - name: header\n"
              "    type: field_accuracy\n"
              "    weight: 2\n"
              "    aggregation: all_or_nothing\n"
              "    fields:\n"
              "      - path: invoice.number\n"
              "        match: exact\n"
              "        required: true\n"
              "        weight: 2.5\n"
              "      - { path: total, match: numeric_tolerance, tolerance: 1, relative: false, required: false }\n"
              "      - path: date\n"
              "        match: date\n"
              "        formats: [DD-MMM-YYYY, YYYY-MM-DD]\n"
              "      - {path: 'supplier.name', match: fuzzy, threshold: 0.9, algorithm: jaro_winkler, weight: null}\n"
              "evalcases:\n"
              "  - id: a\n"
              "    expected: {}\n",
              "rules@1{fields@3{exact@8{\"invoice.number\", required=true, weight=2.5}, "
              "numeric@12{\"total\", relative=false, required=false, tolerance=1}, "
              "date@13{\"date\", formats={\"DD-MMM-YYYY\", \"YYYY-MM-DD\"}}, "
              "fuzzy@16{\"supplier.name\", algorithm=\"jaro_winkler\", threshold=0.9}, "
              "aggregate=\"all_or_nothing\", name=\"header\", weight=2}, name=\"invoices\"}");
  assert_node(
      "- {type: field-accuracy, metric: m, min_score: 0.5, fields: [{path: x, match: numeric-tolerance}], tn: skip}",
      "fields@3{numeric@3{\"x\"}, name=\"m\", tn=\"skip\", verdict={pass=0.5}}");
  assert_node("- type: field_accuracy\n  required: false\n  fields: [{path: x, match: one_of, values: [1, no, true]}]",
              "fields@3{one_of@5{\"x\", values={1, \"no\", true}}, name=\"field_accuracy\"}");
  assert_node(
      "- {type: field_accuracy, verdict: {pass: 0.9, borderline: 0.1}, fields: [{path: x, match: exact, normalize: "
      "[trim, casefold], name: X}]}",
      "fields@3{exact@3{\"x\", name=\"X\", normalize={\"trim\", \"casefold\"}}, name=\"field_accuracy\", "
      "verdict={borderline=0.1, pass=0.9}}");
}

static void test_iou_score(void **state) {
  (void)state;
  assert_node("- {name: boxes, type: iou_score, path: page.boxes, format: xywh, threshold: 0.5, match: greedy}",
              "iou_score@3{\"page.boxes\", format=\"xywh\", match=\"greedy\", name=\"boxes\", threshold=0.5}");
  /* A number says the lowest score that passes; that the case must pass is ignored, with a note. */
  assert_node("- {type: iou_score, name: a, required: false}", "iou_score@3{name=\"a\"}");
  static const char *const numbers[] = {"0", "0.25", "1"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    set s;
    char yaml[200], tree[200];
    snprintf(yaml, sizeof yaml,
             "tests: [{id: a, expected: 1}]\nevaluators:\n- {type: iou_score, name: a, required: %s}", numbers[i]);
    snprintf(tree, sizeof tree, "rules@1{iou_score@3{name=\"a\", verdict={pass=%s}}}", numbers[i]);
    set_read(&s, yaml);
    assert_int_equal(s.errors.count, 1);
    assert_int_equal(s.errors.items[0].status, EE_OK);
    print_spec(s.root, &s.text);
    assert_string_equal(ee_buffer_terminate(&s.text), tree);
    set_close(&s);
  }
  /* `metric` is the overlap where it can be, else a name. */
  assert_node("- {type: iou-score, metric: giou, weight: 2}",
              "iou_score@3{metric=\"giou\", name=\"iou_score\", weight=2}");
  assert_node("- {type: iou_score, metric: boxes}", "iou_score@3{name=\"boxes\"}");
  assert_node("- {type: iou_score, name: boxes, metric: ios, thresholds: [0.5, 0.75], item_weight: w}",
              "iou_score@3{item_weight=\"w\", metric=\"ios\", name=\"boxes\", thresholds={0.5, 0.75}}");
}

static void test_code_judge(void **state) {
  (void)state;
  /* Another rule file, with what is not known as config. */
  assert_node("- name: parties\n"
              "  type: code_judge\n"
              "  script: judges/multi_field_fuzzy.lua\n"
              "  weight: 2\n"
              "  fields: [{path: supplier.name, threshold: 0.85}]\n"
              "  algorithm: levenshtein\n",
              "code_judge@3{config={\"fields\":[{\"path\":\"supplier.name\",\"threshold\":0.85}],\"algorithm\":"
              "\"levenshtein\"}, name=\"parties\", script=\"judges/multi_field_fuzzy.lua\", weight=2}");
  assert_node("- {type: script, command: [other.lua]}", "code_judge@3{name=\"script\", script=\"other.lua\"}");
  /* A program. */
  assert_node("- name: header\n"
              "  type: code_grader\n"
              "  script: [bun, run, ../judges/header.ts]\n"
              "  cwd: judges\n"
              "  timeout_ms: 1500\n"
              "  persistent: true\n"
              "  min_score: 1\n",
              "exec@3{command={\"bun\", \"run\", \"../judges/header.ts\"}, cwd=\"judges\", name=\"header\", "
              "persistent=true, timeout_ms=1500, verdict={pass=1}}");
  assert_node("- {type: code-judge, command: judge.py, timeout_seconds: 0.5}",
              "exec@3{command={\"judge.py\"}, name=\"code_judge\", timeout_ms=500}");
  assert_node("- {type: code_judge, script: [lua, judge.lua]}",
              "exec@3{command={\"lua\", \"judge.lua\"}, name=\"code_judge\"}");
  /* `config` wins, and nothing of it is lost: empty lists, nested ones, long numbers, null. */
  assert_node("- {type: code_judge, script: x, a: 1, b: 2, list: [], map: {}, none: null, config: {b: 3, "
              "c: [[1, 2], []], big: 12345678901234567890}}",
              "exec@3{command={\"x\"}, config={\"a\":1,\"list\":[],\"map\":{},\"none\":null,\"b\":3,\"c\":[[1,2],[]],"
              "\"big\":12345678901234567890}, name=\"code_judge\"}");
  assert_node("- {type: code_judge, script: x, config: {}, cwd: null, negate: false}",
              "exec@3{command={\"x\"}, name=\"code_judge\"}");
}

/* What stands in the file is compiled and judges as a rule file does that says the same. */
static void test_compiled(void **state) {
  (void)state;
  set s;
  set_read(&s, "evaluators:\n"
               "  - {name: header, type: field_accuracy, fields: [{path: number, match: exact}, {path: total, match: "
               "numeric_tolerance, tolerance: 1, weight: 3}]}\n"
               "  - {type: iou_score, path: box}\n"
               "cases: [{id: a, expected: {}}]\n");
  fixture f;
  fixture_open(&f);
  f.plan = ee_plan_compile(&s.arena, s.root, NULL, NULL, &f.errors);
  assert_non_null(f.plan);
  assert_string_equal(f.plan->file, "data.yaml");
  assert_true(ee_str_is(f.plan->name, "data"));
  const char *expected = "{\"number\":\"7\",\"total\":100,\"box\":[0,0,2,2]}";
  const char *candidate = "{\"number\":\"8\",\"total\":100.5,\"box\":[0,0,2,1]}";
  const ee_judge_result *results = fixture_judge_case(&f, expected, candidate);
  assert_true(results[0].score == 0.75 && results[1].score == 0.5);
  assert_string_equal(fixture_attributes(&f, &results[0]), "number 0 0 1 1; total 1 0 0 0");
  /* Mistakes that only compiling finds stand where the evaluator does. */
  set_close(&s);
  set_read(&s, "cases: [{id: a, expected: {}}]\n"
               "evaluators:\n"
               "  - type: field_accuracy\n"
               "    fields:\n"
               "      - {path: a, match: exact}\n"
               "      - {path: 'b[*].c', match: date, formats: [QQ]}\n"
               "      - {path: a, match: numeric}\n");
  assert_non_null(s.root);
  assert_null(ee_plan_compile(&s.arena, s.root, NULL, NULL, &f.errors));
  assert_int_equal(f.errors.count, 2);
  assert_int_equal(f.errors.items[0].line, 6);
  assert_string_equal(f.errors.items[0].file, "data.yaml");
  assert_int_equal(f.errors.items[1].line, 7);
  fixture_close(&f);
  set_close(&s);
}

/* Mistakes ----------------------------------------------------------------------------------------------------------
 */

static void test_mistakes(void **state) {
  (void)state;
  static const struct {
    const char *evaluator, *told;
  } rows[] = {
      {"- {name: x, fields: []}", "3:3: evaluator 'x' has no type"},
      {"- {fields: []}", "3:3: an evaluator has no type"},
      {"- {name: x, type: 3}", "3:19: the type of evaluator 'x' must be a string, got number"},
      {"- {type: field_acuracy}",
       "3:10: unknown type 'field_acuracy' of an evaluator (did you mean 'field_accuracy'?)"},
      {"- {type: min-words}",
       "3:10: unknown type 'min-words' of an evaluator: field_accuracy, iou_score and code_judge are known"},
      {"- [1]", "3:3: an evaluator must be an object, got array"},
      {"- {name: x, type: field_accuracy}", "3:3: evaluator 'x' has no fields"},
      {"- {name: x, type: field_accuracy, fields: []}",
       "3:43: fields of evaluator 'x' must be an array of objects, got an empty array"},
      {"- {name: x, type: field_accuracy, fields: 3}",
       "3:43: fields of evaluator 'x' must be an array of objects, got number"},
      {"- {name: x, type: field_accuracy, fields: [a]}",
       "3:44: field 1 of evaluator 'x' must be an object with path and match, got string"},
      {"- {name: x, type: field_accuracy, fields: [{match: exact}]}", "3:44: field 1 of evaluator 'x' has no path"},
      {"- {name: x, type: field_accuracy, fields: [{path: a}]}",
       "3:44: field 'a' has no match (exact, numeric_tolerance or date)"},
      {"- {name: x, type: field_accuracy, fields: [{path: a, match: 1}]}",
       "3:61: the match of field 'a' must be a string, got number"},
      {"- {name: x, type: field_accuracy, fields: [{path: a, match: exakt}]}",
       "3:61: unknown match 'exakt' of field 'a' (did you mean 'exact'?)"},
      {"- {name: x, type: field_accuracy, fields: [{path: a, match: numeric_tolerence}]}",
       "3:61: unknown match 'numeric_tolerence' of field 'a' (did you mean 'numeric_tolerance'?)"},
      {"- {name: x, type: field_accuracy, fields: [{path: a, match: custom}]}",
       "3:61: match 'custom' of field 'a' needs Lua: write a rule file for it"},
      {"- {name: x, type: field_accuracy, fields: [{path: a, match: pattern}]}",
       "3:61: match 'pattern' of field 'a' needs Lua: write a rule file for it"},
      {"- {name: x, type: field_accuracy, fields: [{path: a, match: numeric, tolerence: 1}]}",
       "3:81: unknown option 'tolerence' for field 'a' (did you mean 'tolerance'?)"},
      {"- {name: x, type: field_accuracy, fields: [{path: a, match: exact, tolerance: 1}]}",
       "3:79: unknown option 'tolerance' for field 'a'"},
      {"- {name: x, type: field_accuracy, fields: [{path: a, match: exact, weight: heavy}]}",
       "3:76: option 'weight' of field 'a' must be a number, got a string"},
      {"- {name: x, type: field_accuracy, fields: [{path: 'a..b', match: exact}]}",
       "3:51: bad path in option 'path' of field 'a..b': "},
      {"- {name: x, type: field_accuracy, fields: [{path: 1, match: exact}]}",
       "3:51: option 'path' of field 1 of evaluator 'x' must be a path (a string), got a number"},
      {"- {name: x, type: field_accuracy, agregation: 1, fields: [{path: a, match: exact}]}",
       "3:47: unknown option 'agregation' for evaluator 'x' (did you mean 'aggregation'?)"},
      {"- {name: x, type: field_accuracy, aggregation: sum, fields: [{path: a, match: exact}]}",
       "3:48: option 'aggregation' of evaluator 'x' must be one of 'weighted_average', 'all_or_nothing', 'macro_f1', "
       "'micro_f1', got 'sum'"},
      {"- {name: x, type: field_accuracy, aggregation: macro_f1, aggregate: macro_f1, fields: [{path: a, match: "
       "exact}]}",
       "3:69: option 'aggregate' of evaluator 'x' duplicates another one"},
      {"- {name: x, metric: y, type: field_accuracy, fields: [{path: a, match: exact}]}",
       "3:21: option 'metric' of evaluator 'x' duplicates another one"},
      {"- {name: '', type: field_accuracy, fields: [{path: a, match: exact}]}",
       "3:10: the name of an evaluator is empty"},
      {"- {name: 3, type: field_accuracy, fields: [{path: a, match: exact}]}",
       "3:10: option 'name' of evaluator 'field_accuracy' must be a string, got a number"},
      {"- {name: x, type: field_accuracy, min_score: 2, fields: [{path: a, match: exact}]}",
       "3:46: option 'min_score' of evaluator 'x' must be between 0 and 1, got 2"},
      {"- {name: x, type: iou_score, formt: xywh}",
       "3:37: unknown option 'formt' for evaluator 'x' (did you mean 'format'?)"},
      {"- {name: x, type: iou_score, metric: uio}",
       "3:38: option 'metric' of evaluator 'x' must be one of 'iou', 'giou', 'diou', 'ciou', 'ios', 'ioa', got 'uio'"},
      {"- {name: x, type: code_judge}", "3:3: evaluator 'x' has no script"},
      {"- {name: x, type: code_judge, script: ''}", "3:39: script of evaluator 'x' is empty"},
      {"- {name: x, type: code_judge, script: []}", "3:39: script of evaluator 'x' is empty"},
      {"- {name: x, type: code_judge, script: {a: b}}",
       "3:39: script of evaluator 'x' must be a string or an array of strings, got object"},
      {"- {name: x, type: code_judge, command: [a, 1]}",
       "3:44: command of evaluator 'x' must be an array of strings, but item 2 is number"},
      {"- {name: x, type: code_judge, command: [a], script: a.lua}",
       "3:53: evaluator 'x' has both script and command, which mean the same"},
      {"- {name: x, type: code_judge, script: a, config: [1]}",
       "3:50: config of evaluator 'x' must be an object, got array"},
      {"- {name: x, type: code_judge, script: a, timeout_seconds: 0}",
       "3:59: option 'timeout_seconds' of evaluator 'x' must be between 0.001 and 86400, got 0"},
      {"- {name: x, type: code_judge, script: a, persistent: 1}",
       "3:54: option 'persistent' of evaluator 'x' must be true or false, got a number"},
      {"- {name: x, type: code_judge, script: a.lua, cwd: here}",
       "3:51: option 'cwd' of evaluator 'x' is for programs, and 'a.lua' is a rule file"},
      {"- {name: x, type: code_judge, script: a, negate: true}",
       "3:50: option 'negate' of evaluator 'x' is not supported"},
      {"- {name: x, type: code_judge, script: a, weight: -1}",
       "3:50: option 'weight' of evaluator 'x' must be at least 0, got -1"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char yaml[2048];
    snprintf(yaml, sizeof yaml, "tests: [{id: a, expected: 1}]\nevaluators:\n%s", rows[i].evaluator);
    set s;
    set_read(&s, yaml);
    tell_errors(&s);
    size_t length = strlen(rows[i].told);
    bool cut = rows[i].told[length - 1] == ' '; /* the rest is another's message */
    if (cut ? strncmp(s.text.data, rows[i].told, length) != 0 : strcmp(s.text.data, rows[i].told) != 0)
      fail_msg("%s\n  gives    %s\n  expected %s", rows[i].evaluator, s.text.data, rows[i].told);
    assert_true(s.errors.items[0].status != EE_OK);
    set_close(&s);
  }
  /* All of them at once, each in its place. */
  assert_told("tests: [{id: a, expected: 1}]\n"
              "evaluators:\n"
              "  - type: field_accuracy\n"
              "    weigth: 1\n"
              "    fields:\n"
              "      - path: a\n"
              "        match: exact\n"
              "        tolerance: 1\n"
              "      - path: b\n"
              "        match: dates\n"
              "  - type: nothing\n",
              "4:13: unknown option 'weigth' for evaluator 'field_accuracy' (did you mean 'weight'?)\n"
              "8:20: unknown option 'tolerance' for field 'a'\n"
              "10:16: unknown match 'dates' of field 'b' (did you mean 'date'?)\n"
              "11:11: unknown type 'nothing' of an evaluator: field_accuracy, iou_score and code_judge are known",
              true);
}

/* Mistakes without end are counted: a message takes room. */
static void test_many_mistakes(void **state) {
  (void)state;
  ee_buffer yaml;
  ee_buffer_init(&yaml);
  ee_buffer_add_text(&yaml, "tests: [{id: a, expected: 1}]\nevaluators:\n");
  for (int i = 0; i < 1000; i++) ee_buffer_addf(&yaml, "- {type: code_judge, script: x, weight: x, negate: %d}\n", i);
  set s;
  set_read(&s, ee_buffer_terminate(&yaml));
  assert_null(s.root);
  assert_int_equal(s.errors.count, 501);
  tell_errors(&s);
  assert_non_null(strstr(s.text.data, "more errors in the evaluators"));
  set_close(&s);
  ee_buffer_fini(&yaml);
}

/* Left out ----------------------------------------------------------------------------------------------------------
 */

#define GOOD "{type: iou_score, name: b, path: x}"

/* With a model llm_judge is ee.llm: AgentV's variables are what the records have. */
static void test_models(void **state) {
  (void)state;
  asks_models = true;
  set s;
  set_read(&s, "tests: [{id: a, input: q, expected_outcome: c, expected_output: 1}]\n"
               "evaluators:\n"
               "  - {name: good, type: llm_judge, prompt: 'Is {{answer}} good?', min_score: 0.5, target: x}\n"
               "  - {type: llm-grader, prompt: ./judge.md, weight: 2}\n"
               "  - {name: usual, type: llm_judge}\n");
  asks_models = false;
  assert_int_equal(s.root->item_count, 3);
  const ee_rule_node *good = s.root->items[0].node, *file = s.root->items[1].node, *usual = s.root->items[2].node;
  assert_true(ee_str_is(good->kind, "llm") && ee_str_is(file->kind, "llm"));
  assert_true(ee_str_is(ee_rule_node_get(good, "prompt").text, "Is {{answer}} good?"));
  assert_true(ee_rule_node_get(good, "verdict").node->options[0].value.number == 0.5);
  assert_true(ee_rule_node_get(good, "scale").node->items[1].number == 1);
  assert_true(ee_str_is(ee_rule_node_get(file, "file").text, "./judge.md"));
  assert_true(ee_rule_node_get(file, "weight").number == 2);
  assert_true(ee_rule_node_get(file, "prompt").type == EE_RULE_NONE);
  assert_non_null(strstr(ee_rule_node_get(usual, "prompt").text.data, "{{reference_answer}}"));
  const ee_rule_node *names = ee_rule_node_get(good, "placeholders").node;
  static const char *const wanted[][2] = {{"answer", "candidate"},
                                          {"criteria", "record.expected_outcome"},
                                          {"question", "record.input"},
                                          {"reference_answer", "record.expected_output"}};
  for (size_t i = 0; i < 4; i++) assert_true(ee_str_is(ee_rule_node_get(names, wanted[i][0]).text, wanted[i][1]));
  assert_int_equal(s.errors.count, 1);
  assert_string_equal(s.errors.items[0].message, "option 'target' of evaluator 'good' is ignored: the model is that of "
                                                 "OPENAI_MODEL, the scale 0 to 1");
  /* What was made compiles. */
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_node root = *s.root;
  root.item_count = 1;
  const ee_plan *plan = ee_plan_compile(&s.arena, &root, NULL, NULL, &errors);
  assert_non_null(plan);
  assert_true(plan->asks_model && plan->paths.expected_optional);
  ee_error_list_fini(&errors);
  set_close(&s);
}

static void test_left_out(void **state) {
  (void)state;
  assert_told(
      "tests: [{id: a, expected: 1}]\n"
      "evaluators:\n"
      "  - " GOOD "\n"
      "  - {name: quality, type: llm_judge, prompt: is it good?}\n"
      "  - {type: tool-trajectory}\n"
      "  - Reads well.\n"
      "  - {type: latency, threshold: 5}\n"
      "  - {type: llm-judge}\n"
      "  - {type: 'trajectory:tool-used'}\n"
      "  - {type: not-contains, value: x}\n"
      "  - {type: composite}\n"
      "  - {include: more}\n"
      "  - Has no errors.\n"
      "  - null\n",
      "4:5: (warning) 2 evaluators of type 'llm_judge' (the first is 'quality') are left out: that needs a model "
      "(OPENAI_MODEL names "
      "one)\n"
      "5:5: (warning) an evaluator of type 'tool_trajectory' is left out: that needs a trace of the run\n"
      "6:5: (warning) 2 strings among the evaluators are left out: criteria for a reader or a model\n"
      "7:5: (warning) an evaluator of type 'latency' is left out: that needs a trace of the run\n"
      "9:5: (warning) an evaluator of type 'trajectory:tool_used' is left out: that needs a trace of the run\n"
      "10:5: (warning) an evaluator of type 'not_contains' is left out: that looks at text; here answers are judged as "
      "values\n"
      "11:5: (warning) an evaluator of type 'composite' is left out: groups of evaluators are not supported\n"
      "12:5: (warning) an evaluator by 'include' is left out: files of evaluators are not supported",
      false);
  /* One of each. */
  assert_told(
      "tests: [{id: a, expected: 1}, {id: b, expected: 1, evaluators: []}]\n"
      "evaluators:\n"
      "  - " GOOD "\n"
      "  - Reads well.\n"
      "  - {type: llm_judge}\n"
      "  - {type: iou_score, name: c, required: true}\n",
      "1:31: (warning) 1 case has no evaluator that can judge it and is left out (it is 'b')\n"
      "4:5: (warning) 1 string among the evaluators is left out: criteria for a reader or a model\n"
      "5:5: (warning) an evaluator of type 'llm_judge' is left out: that needs a model (OPENAI_MODEL names "
      "one)\n"
      "6:42: (warning) option 'required' of evaluator 'c' is ignored: a case's score is the weighted mean of its "
      "evaluators",
      false);
  /* The opposite of what would be judged is no type. */
  assert_told("tests: [{id: a, expected: 1}]\nevaluators:\n- {type: not-iou-score}\n",
              "3:10: unknown type 'not-iou-score' of an evaluator: field_accuracy, iou_score and code_judge are known",
              true);
  /* Options that change nothing here, told once. */
  assert_told("tests: [{id: a, expected: 1}]\n"
              "evaluators:\n"
              "  - {type: iou_score, name: b, required: true}\n"
              "  - {type: iou_score, name: c, required: 0.5}\n"
              "  - {type: code_judge, script: x, target: {max_calls: 3}}\n"
              "  - {type: code_judge, script: python judge.py, weigth: 3, name: y}\n",
              "3:42: (warning) option 'required' of 2 evaluators (the first is 'b') is ignored: a case's score is the "
              "weighted mean of its evaluators\n"
              "5:43: (warning) option 'target' of evaluator 'code_judge' is ignored: programs cannot use models\n"
              "6:32: (warning) 'python judge.py' of evaluator 'y' is used as the name of a program: write its "
              "arguments as an array, [\"python\", ...]\n"
              "6:57: (warning) key 'weigth' of evaluator 'y' is passed in config (did you mean 'weight'?)",
              false);
  /* Nothing is left: no tree, and no mistake. */
  assert_told("tests: [{id: a, expected: 1}]\n", "", true);
  assert_told("tests: [{id: a, expected: 1}]\nevaluators: [{type: rubrics}]\n",
              "2:14: (warning) an evaluator of type 'rubrics' is left out: that needs a model", true);
}

/* Which judges which case -------------------------------------------------------------------------------------------
 */

static void add_names(set *s, const char *id) {
  size_t count;
  const uint32_t *judges = ee_selection_find(s->selection, ee_str_from(id), &count);
  ee_buffer_addf(&s->text, "%s%s:", s->text.length > 0 ? "; " : "", id);
  if (judges == NULL) ee_buffer_add_text(&s->text, " unknown");
  for (size_t i = 0; i < count; i++) {
    assert_true(i == 0 || judges[i] > judges[i - 1]);
    assert_true(judges[i] < s->root->item_count);
    ee_str name = ee_rule_node_get(s->root->items[judges[i]].node, "name").text;
    ee_buffer_addf(&s->text, " %.*s@%zu", (int)name.length, name.data, s->root->items[judges[i]].node->line);
  }
}

static void test_selection(void **state) {
  (void)state;
  set s;
  set_read(&s, "evaluators:\n"
               "  - {name: b, type: iou_score, path: x}\n"
               "  - {name: h, type: field_accuracy, fields: [{path: a, match: exact}]}\n"
               "tests:\n"
               "  - id: first\n"
               "    expected: 1\n"
               "    evaluators:\n"
               "      - {type: field_accuracy, fields: [{path: b, match: exact}], name: h}\n"
               "      - {name: h (2), type: iou_score}\n"
               "  - {id: second, expected: 1}\n"
               "  - id: third\n"
               "    expected: 1\n"
               "    assert:\n"
               "      - {type: iou_score, path: x, name: b}\n"
               "      - {fields: [{path: c, match: exact}], type: field_accuracy, name: h}\n"
               "  - id: fourth\n"
               "    expected: 1\n"
               "    evaluators:\n"
               "      - {name: h, fields: [{match: exact, path: b}], type: field_accuracy}\n"
               "      - just text\n"
               "  - expected: 1\n"
               "  - {id: fifth, expected: 1, evaluators: [just text]}\n"
               "  - {id: second, expected: 1, evaluators: []}\n");
  tell_errors(&s);
  assert_string_equal(s.text.data,
                      "20:9: (warning) 2 strings among the evaluators are left out: criteria for a reader or a model\n"
                      "22:5: (warning) 2 cases have no evaluator that can judge them and are left out "
                      "(the first is 'fifth')");
  assert_non_null(s.root);
  assert_non_null(s.selection);
  ee_buffer_clear(&s.text);
  static const char *const ids[] = {"first", "second", "third", "fourth", "data.yaml:21", "fifth", "sixth"};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) add_names(&s, ids[i]);
  /* Equal ones are one wherever they stand and however they are written; one name has one owner, in the order of the
   * file. */
  assert_string_equal(ee_buffer_terminate(&s.text),
                      "first: h (2)@8 h (2) (2)@9; second: b@2 h@3; third: b@2 h@3 h (3)@15; fourth: h (2)@8; "
                      "data.yaml:21: b@2 h@3; fifth:; sixth: unknown");
  set_close(&s);
}

/* Judges stand in the order of the file, whatever the order in which cases have them: by line, and in it by column. */
static void test_order(void **state) {
  (void)state;
  assert_tree("tests:\n"
              "  - {id: a, expected: 1, evaluators: [{name: h, type: iou_score, path: x}]}\n"
              "  - {id: b, expected: 1}\n"
              "evaluators:\n"
              "  - {name: h, type: iou_score, path: y}\n",
              "rules@1{iou_score@2{\"x\", name=\"h\"}, iou_score@5{\"y\", name=\"h (2)\"}}");
  assert_tree("{evaluators: [{name: h, type: iou_score, path: x}],\n"
              " tests: [{id: a, expected: 1, evaluators: [{name: h, type: iou_score, path: z}]}, {id: b, expected: 1,\n"
              "          evaluators: [{name: h, type: iou_score, path: y}]}, {id: c, expected: 1}]}\n",
              "rules@1{iou_score@1{\"x\", name=\"h\"}, iou_score@2{\"z\", name=\"h (2)\"}, "
              "iou_score@3{\"y\", name=\"h (3)\"}}");
  assert_tree(
      "{evaluators: [{name: h, type: iou_score, path: x}], "
      "tests: [{id: a, expected: 1, evaluators: [{name: h, type: iou_score, path: y}]}, {id: b, expected: 1}]}\n",
      "rules@1{iou_score@1{\"x\", name=\"h\"}, iou_score@1{\"y\", name=\"h (2)\"}}");
}

static void test_all_judge_all(void **state) {
  (void)state;
  set s;
  set_read(&s, "evaluators: [" GOOD ", " GOOD "]\n"
               "tests: [{id: a, expected: 1}, {id: b, expected: 1, evaluators: [" GOOD "]}, {expected: 1}]\n");
  assert_non_null(s.root);
  assert_int_equal(s.root->item_count, 1); /* twice the same is once */
  assert_null(s.selection);
  set_close(&s);
}

static void test_weights(void **state) {
  (void)state;
  assert_told("evaluators: [{type: iou_score, name: a, weight: 0}, {type: iou_score, name: b}]\n"
              "tests:\n"
              "  - {id: x, expected: 1}\n"
              "  - {id: y, expected: 1, evaluators: [{type: iou_score, name: a, weight: 0}]}\n",
              "4:5: the weights of the evaluators of case 'y' sum to 0", true);
}

/* Random data sets against the obvious way: every pair of evaluators compared. */
static void test_random_sets(void **state) {
  (void)state;
  enum { CASES = 40, MOST = 5, KINDS = 12 };
  test_random random = test_random_start("test_evaluators random sets", 20261201);
  for (int round = 0; round < 100; round++) {
    ee_buffer yaml;
    ee_buffer_init(&yaml);
    ee_buffer_add_text(&yaml, "tests:\n");
    unsigned masks[CASES];
    size_t kinds = 1 + test_random_below(&random, KINDS);
    /* Kind k is called n0..n3 and looks at path p<k>; its keys stand in any order. */
    unsigned first_case[KINDS];
    memset(first_case, 0xff, sizeof first_case);
    size_t order[KINDS], used = 0;
    for (unsigned i = 0; i < CASES; i++) {
      ee_buffer_addf(&yaml, "  - {id: c%u, expected: 1, evaluators: [", i);
      masks[i] = 0;
      size_t count = 1 + test_random_below(&random, MOST);
      for (size_t k = 0; k < count; k++) {
        size_t kind = test_random_below(&random, kinds);
        if (first_case[kind] == UINT32_MAX) {
          first_case[kind] = i;
          order[used++] = kind;
        }
        masks[i] |= 1u << kind;
        bool other_order = test_random_below(&random, 2) == 0;
        ee_buffer_addf(&yaml,
                       other_order ? "%s{path: p%zu, name: n%zu, type: iou-score}"
                                   : "%s{path: p%zu, type: iou-score, name: n%zu}",
                       k > 0 ? ", " : "", kind, kind % 4);
      }
      ee_buffer_add_text(&yaml, "]}\n");
    }
    set s;
    set_read(&s, ee_buffer_terminate(&yaml));
    assert_int_equal(s.errors.count, 0);
    assert_int_equal(s.root->item_count, used);
    size_t named[4] = {0};
    for (size_t i = 0; i < used; i++) {
      const ee_rule_node *spec = s.root->items[i].node;
      char path[16], name[32];
      snprintf(path, sizeof path, "p%zu", order[i]);
      assert_true(ee_str_is(spec->items[0].text, path));
      size_t copies = ++named[order[i] % 4];
      snprintf(name, sizeof name, copies > 1 ? "n%zu (%zu)" : "n%zu", order[i] % 4, copies);
      assert_true(ee_str_is(ee_rule_node_get(spec, "name").text, name));
    }
    for (unsigned i = 0; i < CASES && s.selection != NULL; i++) {
      char id[16];
      snprintf(id, sizeof id, "c%u", i);
      size_t count;
      const uint32_t *judges = ee_selection_find(s.selection, ee_str_from(id), &count);
      unsigned mask = 0;
      for (size_t k = 0; k < count; k++) mask |= 1u << order[judges[k]];
      assert_int_equal(mask, masks[i]);
    }
    bool all = true;
    for (unsigned i = 0; i < CASES; i++) all = all && masks[i] == masks[0];
    assert_int_equal(s.selection == NULL, all);
    set_close(&s);
    ee_buffer_fini(&yaml);
  }
}

/* Names by the thousand: each case with its own evaluator of one name. */
static void test_many_of_one_name(void **state) {
  (void)state;
  enum { CASES = 20000 };
  ee_buffer yaml;
  ee_buffer_init(&yaml);
  ee_buffer_add_text(&yaml, "tests:\n");
  for (int i = 0; i < CASES; i++)
    ee_buffer_addf(&yaml, "- {id: c%d, expected: 1, evaluators: [{name: h, type: iou_score, path: p%d}]}\n", i, i);
  set s;
  set_read(&s, ee_buffer_terminate(&yaml));
  assert_int_equal(s.errors.count, 0);
  assert_int_equal(s.root->item_count, CASES);
  assert_true(ee_str_is(ee_rule_node_get(s.root->items[CASES - 1].node, "name").text, "h (20000)"));
  set_close(&s);
  ee_buffer_fini(&yaml);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_field_accuracy), cmocka_unit_test(test_iou_score),
             cmocka_unit_test(test_code_judge), cmocka_unit_test(test_compiled), cmocka_unit_test(test_mistakes),
             cmocka_unit_test(test_many_mistakes), cmocka_unit_test(test_models), cmocka_unit_test(test_left_out),
             cmocka_unit_test(test_selection), cmocka_unit_test(test_order), cmocka_unit_test(test_all_judge_all),
             cmocka_unit_test(test_weights), cmocka_unit_test(test_random_sets),
             cmocka_unit_test(test_many_of_one_name));
