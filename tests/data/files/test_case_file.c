/* test_case_file.c: the cases of YAML data sets as records, and the evaluators that go with each. */
#include "data/files/case_file.h"
#include "data/temporary_files.h"

#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/random_document.h"
#include "support/arena.h"
#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif

static int set_up_all(void **state) {
  make_arena(state);
  return set_up(state);
}

static int tear_down_all(void **state) {
  free_arena(state);
  return tear_down(state);
}

static ee_case_file *read_file(const char *text) {
  ee_error error = {0};
  ee_case_file *file = ee_case_file_read("set.yaml", ee_str_from(text), &error);
  if (file == NULL) print_error("%zu:%zu: %s\n%s\n", error.line, error.column, error.message, text);
  assert_non_null(file);
  assert_string_equal(file->name, "set.yaml");
  return file;
}

/* "line:column:id [evaluators]" and a record a case; an evaluator is its name, or a text in brackets. */
static void print_case(ee_buffer *out, const ee_case_file *file, size_t number, const ee_block *block) {
  const ee_file_case *at = &file->cases[number];
  struct ee_yaml_place place = ee_case_file_place(file, at->record);
  assert_true(place.line == at->line && place.column == at->column);
  const ee_record_span *span = &block->records[number];
  assert_true(span->line == at->line && span->column == at->column && span->byte == number && span->unlisted == 0);
  ee_buffer_addf(out, "%zu:%zu:%s [", at->line, at->column, at->id.data == NULL ? "-" : at->id.data);
  for (size_t i = 0; i < at->evaluator_count; i++) {
    const ee_value *node = at->evaluators[i];
    assert_true(ee_case_file_place(file, node).line > 0);
    if (i > 0) ee_buffer_add_char(out, ' ');
    ee_str name = ee_type_of(node) == EE_OBJECT ? ee_value_text(ee_value_member(node, EE_STR("name"), NULL))
                                                : ee_value_text(node);
    ee_buffer_addf(out, ee_type_of(node) == EE_OBJECT ? "%.*s" : "(%.*s)", (int)name.length, name.data);
  }
  ee_buffer_addf(out, "] %.*s\n", (int)span->length, block->text.data + span->offset);
}

static void check(const char *text, const char *wanted) {
  ee_case_file *file = read_file(text);
  ee_block block;
  ee_block_init(&block);
  assert_int_equal(ee_case_file_fill(file, 0, SIZE_MAX, &block), file->count);
  assert_int_equal(block.count, file->count);
  assert_int_equal(block.errors.count, 0);
  ee_buffer out = {0};
  for (size_t i = 0; i < file->count; i++) print_case(&out, file, i, &block);
  assert_string_equal(ee_buffer_terminate(&out), wanted);
  ee_buffer_fini(&out);
  ee_block_fini(&block);
  ee_case_file_close(file);
}

static void check_error(const char *text, const char *wanted) {
  ee_error error = {0};
  assert_null(ee_case_file_read("set.yaml", ee_str_from(text), &error));
  assert_int_equal(error.status, EE_ERROR_DATA);
  ee_buffer out = {0};
  ee_error_print(&error, &out);
  assert_string_equal(ee_buffer_terminate(&out), wanted);
  ee_buffer_fini(&out);
  assert_null(ee_case_file_read("set.yaml", ee_str_from(text), NULL));
}

static void test_lists_of_cases(void **state) {
  (void)state;
  static const char *const names_of_lists[] = {"evalcases", "eval_cases", "tests", "cases"};
  for (int i = 0; i < 4; i++) {
    const char *text = ee_arena_printf(&arena,
                                       "description: two cases\n"
                                       "%s:\n"
                                       "  - id: a\n"
                                       "    expected: { x: 1.50, y: no }\n"
                                       "\n"
                                       "  - expected: 2025-01-15\n"
                                       "    id: 7\n",
                                       names_of_lists[i]);
    check(text, "3:5:a [] {\"id\":\"a\",\"expected\":{\"x\":1.5,\"y\":\"no\"}}\n"
                "6:5:7 [] {\"expected\":\"2025-01-15\",\"id\":7}\n");
  }
  check("- id: a\n  gt: 1\n- {id: b, gt: 2}\n", "1:3:a [] {\"id\":\"a\",\"gt\":1}\n3:3:b [] {\"id\":\"b\",\"gt\":2}\n");
  check("tests: []\n", "");
  check("[]", "");
}

static void test_title(void **state) {
  (void)state;
  ee_case_file *file = read_file("name: invoices\ntests: []\n");
  assert_true(ee_str_is(file->title, "invoices"));
  ee_case_file_close(file);
  file = read_file("name: [invoices]\ntests: []\n");
  assert_true(ee_str_is(file->title, ""));
  ee_case_file_close(file);
  file = read_file("[]");
  assert_true(ee_str_is(file->title, ""));
  ee_case_file_close(file);
  ee_case_file_close(NULL);
}

/* Nothing is lost of cases without an id, with one twice or an odd one: whoever reads the records tells of them. */
static void test_ids(void **state) {
  (void)state;
  check("- gt: 1\n- id:\n  gt: 2\n- id: a\n- id: a\n- id: 1e2\n- id: 010\n- id: '010'\n- id: [x]\n- id: {}\n"
        "- case_id: c\n  id: ~\n- id: true\n",
        "1:3:- [] {\"gt\":1}\n"
        "2:3:- [] {\"id\":null,\"gt\":2}\n"
        "4:3:a [] {\"id\":\"a\"}\n"
        "5:3:a [] {\"id\":\"a\"}\n"
        "6:3:100 [] {\"id\":100}\n"
        "7:3:10 [] {\"id\":10}\n"
        "8:3:010 [] {\"id\":\"010\"}\n"
        "9:3:- [] {\"id\":[\"x\"]}\n"
        "10:3:- [] {\"id\":{}}\n"
        "11:3:c [] {\"case_id\":\"c\",\"id\":null}\n"
        "13:3:- [] {\"id\":true}\n");
}

static void test_cases_that_are_no_mappings(void **state) {
  (void)state;
  check("execution: {evaluators: [{name: e}]}\n"
        "tests:\n  - file://more.yaml\n  - id: a\n  - [1]\n  -\n  - 7\n",
        "3:5:- [] \"file://more.yaml\"\n"
        "4:5:a [e] {\"id\":\"a\"}\n"
        "5:5:- [] [1]\n"
        "6:4:- [] null\n"
        "7:5:- [] 7\n");
}

static void test_no_list_of_cases(void **state) {
  (void)state;
  check_error("", "set.yaml:1:1: expected an array of cases, or an object with 'evalcases' or 'tests', got null");
  check_error("some text",
              "set.yaml:1:1: expected an array of cases, or an object with 'evalcases' or 'tests', got a string");
  check_error("name: x\ntests_: []\n",
              "set.yaml:2:9: no array of cases or rules: unknown key 'tests_' (did you mean 'tests'?)");
  check_error("# nothing\nid: x\nexpected: 1\n",
              "set.yaml:2:1: no array of cases or rules: expected the key 'evalcases', 'tests' or 'rules'");
  check_error("tests: []\nevalcases: []\n", "set.yaml:1:8: two arrays of cases: 'evalcases' and 'tests'");
  check_error("tests:\n", "set.yaml:1:7: 'tests' must be an array, got null");
  check_error("evalcases:\n  a: {gt: 1}\n", "set.yaml:2:3: 'evalcases' must be an array, got an object");
  check_error("tests: ./cases.yaml\n",
              "set.yaml:1:8: 'tests' must be an array, got a string: cases in other files are not read");
}

static void test_broken_yaml(void **state) {
  (void)state;
  ee_error error = {0};
  assert_null(ee_case_file_read("set.yaml", EE_STR("tests:\n  - id: a\n    id: b\n"), &error));
  assert_int_equal(error.status, EE_ERROR_DATA);
  assert_string_equal(error.file, "set.yaml");
  assert_int_equal(error.line, 3);
  assert_int_equal(error.column, 5);
  assert_int_equal(error.offset, 21);
  assert_null(ee_case_file_read("set.yaml", EE_STR("tests: ["), NULL));
}

static void test_evaluators(void **state) {
  (void)state;
  /* Of the data set, wherever they stand. */
  check("execution:\n  target: t\n  evaluators: [{name: a}, {name: b}]\n"
        "tests: [{id: x}, {id: y}]\n",
        "4:9:x [a b] {\"id\":\"x\"}\n4:18:y [a b] {\"id\":\"y\"}\n");
  check("evaluators: [{name: a}]\nassert: [{name: b}, some criterion]\ntests: [{id: x}]\n",
        "3:9:x [a b (some criterion)] {\"id\":\"x\"}\n");
  check("assertions: [{name: a}]\ntests: [{id: x}]\n", "2:9:x [a] {\"id\":\"x\"}\n");
  /* One that is no list is a list of one; null is none. */
  check("evaluators: {name: a}\nassert: be nice\nexecution: {evaluators: }\ntests: [{id: x}]\n",
        "4:9:x [a (be nice)] {\"id\":\"x\"}\n");
  check("execution: fast\nevaluators: []\ntests: [{id: x}]\n", "3:9:x [] {\"id\":\"x\"}\n");
}

static void test_evaluators_of_cases(void **state) {
  (void)state;
  check("execution: {evaluators: [{name: a}]}\n"
        "assert: [{name: b}]\n"
        "tests:\n"
        "  - {id: 1}\n"
        "  - {id: 2, evaluators: [{name: c}]}\n"
        "  - {id: 3, execution: {evaluators: [{name: c}, {name: d}]}}\n"
        "  - {id: 4, assert: [{name: e}, text]}\n"
        "  - {id: 5, evaluators: [{name: c}], assertions: [{name: e}]}\n"
        "  - {id: 6, evaluators: []}\n"
        "  - {id: 7, evaluators: ~, execution: {target: t}}\n"
        "  - {id: 8, execution: {skip_defaults: true}}\n"
        "  - {id: 9, execution: {skip_defaults: true}, assert: [{name: e}]}\n"
        "  - {id: 10, execution: {skip_defaults: false}}\n"
        "  - {id: 11, assertions: [{name: e}]}\n",
        "4:5:1 [a b] {\"id\":1}\n"
        "5:5:2 [c b] {\"id\":2,\"evaluators\":[{\"name\":\"c\"}]}\n"
        "6:5:3 [c d b] {\"id\":3,\"execution\":{\"evaluators\":[{\"name\":\"c\"},{\"name\":\"d\"}]}}\n"
        "7:5:4 [a b e (text)] {\"id\":4,\"assert\":[{\"name\":\"e\"},\"text\"]}\n"
        "8:5:5 [c b e] {\"id\":5,\"evaluators\":[{\"name\":\"c\"}],\"assertions\":[{\"name\":\"e\"}]}\n"
        "9:5:6 [b] {\"id\":6,\"evaluators\":[]}\n"
        "10:5:7 [a b] {\"id\":7,\"evaluators\":null,\"execution\":{\"target\":\"t\"}}\n"
        "11:5:8 [] {\"id\":8,\"execution\":{\"skip_defaults\":true}}\n"
        "12:5:9 [e] {\"id\":9,\"execution\":{\"skip_defaults\":true},\"assert\":[{\"name\":\"e\"}]}\n"
        "13:5:10 [a b] {\"id\":10,\"execution\":{\"skip_defaults\":false}}\n"
        "14:5:11 [a b e] {\"id\":11,\"assertions\":[{\"name\":\"e\"}]}\n");
  /* Cases that say nothing share one list. */
  ee_case_file *file = read_file("evaluators: [{name: a}]\ntests: [{id: 1}, {id: 2}, {id: 3, assert: []}]\n");
  assert_ptr_equal(file->cases[0].evaluators, file->cases[1].evaluators);
  assert_int_equal(file->cases[2].evaluator_count, 1);
  ee_case_file_close(file);
}

static void test_vars(void **state) {
  (void)state;
  check(
      "tests:\n"
      "- {id: 1, vars: {expected_output: {a: 1}, input: hello}}\n"
      "- {id: 2, vars: {expected_output: 1}, expected: 2, input: [3]}\n"
      "- {id: 3, vars: {expected_output: 1}, expected_messages: [{role: assistant, content: 2}]}\n"
      "- {id: 4, expected_output: , input: , vars: {expected_output: 1, input: 2}}\n"
      "- {id: 5, gt: , vars: {expected_output: 1}}\n"
      "- {id: 6, vars: {expected_output: }}\n"
      "- {id: 7, vars: [expected_output]}\n"
      "- {vars: {input: x}}\n",
      "2:3:1 [] {\"id\":1,\"vars\":{\"expected_output\":{\"a\":1},\"input\":\"hello\"},\"expected_output\":{\"a\":1},"
      "\"input\":\"hello\"}\n"
      "3:3:2 [] {\"id\":2,\"vars\":{\"expected_output\":1},\"expected\":2,\"input\":[3]}\n"
      "4:3:3 [] {\"id\":3,\"vars\":{\"expected_output\":1},\"expected_messages\":[{\"role\":\"assistant\",\"content\":2"
      "}]}\n"
      "5:3:4 [] {\"id\":4,\"vars\":{\"expected_output\":1,\"input\":2},\"expected_output\":1,\"input\":2}\n"
      "6:3:5 [] {\"id\":5,\"gt\":null,\"vars\":{\"expected_output\":1},\"expected_output\":1}\n"
      "7:3:6 [] {\"id\":6,\"vars\":{\"expected_output\":null}}\n"
      "8:3:7 [] {\"id\":7,\"vars\":[\"expected_output\"]}\n"
      "9:3:- [] {\"vars\":{\"input\":\"x\"},\"input\":\"x\"}\n");
}

/* What the record's expected_output is for one in `vars`, beside `a: {b: [1], c: "{{ a.b }}"}`; "none" when it has
 * none. */
static void check_reference(const char *expected, const char *wanted) {
  const char *text =
      ee_arena_printf(&arena, "- vars:\n    a: {b: [1], c: '{{ a.b }}', '': 2}\n    expected_output: %s\n", expected);
  ee_case_file *file = read_file(text);
  ee_block block;
  ee_block_init(&block);
  ee_case_file_fill(file, 0, 1, &block);
  const ee_value *record = ee_json_read(&arena, (ee_str){block.text.data, block.text.length}, NULL, NULL);
  const ee_value *found = ee_value_member(record, EE_STR("expected_output"), NULL);
  ee_buffer out = {0};
  if (found != NULL) ee_json_write_value(&out, found);
  if (found == NULL) ee_buffer_add_text(&out, "none");
  assert_string_equal(ee_buffer_terminate(&out), wanted);
  ee_buffer_fini(&out);
  ee_block_fini(&block);
  ee_case_file_close(file);
}

static void test_references(void **state) {
  (void)state;
  check_reference("'{{ answer'", "\"{{ answer\"");
  check_reference("'{{ vars.a.b }}'", "[1]");
  check_reference("\" {{a.b}}\\n\"", "[1]");
  check_reference("'{{ a }}'", "{\"b\":[1],\"c\":\"{{ a.b }}\",\"\":2}");
  check_reference("'{{ a. }}'", "2");
  check_reference("'{{ a.c }}'", "none");
  check_reference("'{{ vars.expected_output }}'", "none");
  check_reference("'{{ a.x }}'", "none");
  check_reference("'{{ a.b.c.d }}'", "none");
  check_reference("'{{ env.NAME }}'", "none");
  check_reference("'{{}}'", "none");
  check_reference("'{{ }}'", "none");
  check_reference("'{{ a.b }} and {{ a.c }}'", "\"{{ a.b }} and {{ a.c }}\"");
  check_reference("'the {{ a.b }}'", "\"the {{ a.b }}\"");
  check_reference("'{{}'", "\"{{}\"");
  check_reference("'}}'", "\"}}\"");
  check_reference("'{\"a\":{\"b\":1}}'", "\"{\\\"a\\\":{\\\"b\\\":1}}\"");
}

/* Aliases and merge keys make whole cases. */
static void test_aliases(void **state) {
  (void)state;
  check("base: &base {expected: {a: &long text}, evaluators: &e [{name: x}]}\n"
        "execution: {evaluators: *e}\n"
        "tests:\n"
        "  - {<<: *base, id: 1}\n"
        "  - {id: 2, gt: *long}\n",
        "4:5:1 [x] {\"id\":1,\"expected\":{\"a\":\"text\"},\"evaluators\":[{\"name\":\"x\"}]}\n"
        "5:5:2 [x] {\"id\":2,\"gt\":\"text\"}\n");
}

static void test_bounds(void **state) {
  (void)state;
  ee_error error = {0};
  ee_buffer text = {0};
  /* Cases cannot repeat the data set's evaluators without end. */
  ee_buffer_add_text(&text, "evaluators: [");
  for (int i = 0; i < 6000; i++) ee_buffer_add_text(&text, "a,");
  ee_buffer_add_text(&text, "]\ntests:\n");
  for (int i = 0; i < 2000; i++) ee_buffer_add_text(&text, "- {assert: [b]}\n");
  assert_null(ee_case_file_read("set.yaml", (ee_str){text.data, text.length}, &error));
  assert_string_equal(error.message, "more than 8388608 evaluators in all cases");
  assert_int_equal(error.line, 3 + EE_CASE_FILE_EVALUATORS / 6001);
  ee_buffer_fini(&text);
}

/* Records in pieces of every size. */
static void test_pieces(void **state) {
  (void)state;
  ee_case_file *file = read_file("[{id: 1}, {id: 22}, {id: 333}, {id: 4444}]");
  static const size_t sizes[] = {0, 1, 8, 9, 17, 18, 27, 28, SIZE_MAX};
  static const size_t counts[] = {1, 1, 1, 2, 2, 3, 3, 4, 4}; /* records are 8, 9, 10 and 11 bytes long */
  for (int i = 0; i < 9; i++) {
    ee_block block;
    ee_block_init(&block);
    ee_buffer_add_text(&block.text, "before");
    size_t next = ee_case_file_fill(file, 0, sizes[i], &block);
    assert_int_equal(next, counts[i]);
    assert_int_equal(block.records[0].offset, 6);
    assert_int_equal(block.count, next);
    while (next < 4) next = ee_case_file_fill(file, next, sizes[i], &block);
    assert_int_equal(ee_case_file_fill(file, next, sizes[i], &block), 4);
    assert_int_equal(block.count, 4);
    assert_string_equal(ee_buffer_terminate(&block.text), "before{\"id\":1}{\"id\":22}{\"id\":333}{\"id\":4444}");
    ee_block_fini(&block);
  }
  ee_case_file_close(file);
}

/* JSON is YAML: random documents as cases come out as they went in, numbers' texts and all. */
static void test_random_documents(void **state) {
  (void)state;
  test_random random = test_random_start("cases", 63);
  ee_buffer text = {0}, document = {0};
  for (int round = 0; round < 200; round++) {
    const ee_value *records[5];
    ee_buffer_clear(&text);
    ee_buffer_add_text(&text, "tests:\n");
    for (int i = 0; i < 5; i++) {
      ee_buffer_clear(&document);
      ee_buffer_add_text(&document, "{\"x\":");
      random_document(&random, &document, 8, 3, true);
      ee_buffer_add_char(&document, '}');
      /* YAML has no escapes for halves of code points, and takes no DEL as it is. */
      for (size_t k = 0; k < document.length; k++)
        if (document.data[k] == '\x7f') document.data[k] = 'd';
      records[i] = ee_json_read(&arena, (ee_str){document.data, document.length}, NULL, NULL);
      assert_non_null(records[i]);
      ee_buffer_add_text(&text, "- ");
      ee_json_write_value(&text, records[i]);
      ee_buffer_add_char(&text, '\n');
    }
    ee_case_file *file = read_file(ee_buffer_terminate(&text));
    ee_block block;
    ee_block_init(&block);
    ee_case_file_fill(file, 0, SIZE_MAX, &block);
    assert_int_equal(block.count, 5);
    for (size_t i = 0; i < 5; i++) {
      ee_str one = {block.text.data + block.records[i].offset, block.records[i].length};
      const ee_value *record = ee_json_read(&arena, one, NULL, NULL);
      assert_true(ee_value_equal(record, records[i]));
      assert_int_equal(block.records[i].line, i + 2);
    }
    ee_block_fini(&block);
    ee_case_file_close(file);
    ee_arena_reset(&arena, 0);
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&document);
}

static void test_files(void **state) {
  (void)state;
  static const char text[] = "tests: [{id: a}]\n";
  ee_error error = {0};
  write_file(names[0], text, sizeof text - 1);
  ee_case_file *file = ee_case_file_open(names[0], NULL, &error);
  assert_non_null(file);
  assert_string_equal(file->name, names[0]);
  assert_int_equal(file->count, 1);
  ee_case_file_close(file);
  write_file(names[0], "", 0);
  assert_null(ee_case_file_open(names[0], NULL, &error));
  assert_int_equal(error.status, EE_ERROR_DATA);
  assert_string_equal(error.file, names[0]);
  volatile sig_atomic_t stop = 1;
  assert_null(ee_case_file_open(names[0], &stop, &error));
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  unlink(names[0]);
  assert_null(ee_case_file_open(names[0], NULL, &error));
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
  assert_null(ee_case_file_open(folder, NULL, &error));
  assert_int_equal(error.status, EE_ERROR_SYSTEM);
#ifdef EE_WITH_ZLIB
  gzFile packed = gzopen(names[1], "wb");
  assert_int_equal(gzwrite(packed, text, sizeof text - 1), sizeof text - 1);
  gzclose(packed);
  file = ee_case_file_open(names[1], NULL, &error);
  assert_non_null(file);
  assert_int_equal(file->count, 1);
  ee_case_file_close(file);
  assert_int_equal(truncate(names[1], 20), 0);
  assert_null(ee_case_file_open(names[1], NULL, &error));
  assert_int_equal(error.status, EE_ERROR_DATA);
#endif
}

EE_TEST_FILE(set_up_all, tear_down_all, cmocka_unit_test(test_lists_of_cases), cmocka_unit_test(test_title),
             cmocka_unit_test(test_ids), cmocka_unit_test(test_cases_that_are_no_mappings),
             cmocka_unit_test(test_no_list_of_cases), cmocka_unit_test(test_broken_yaml),
             cmocka_unit_test(test_evaluators), cmocka_unit_test(test_evaluators_of_cases), cmocka_unit_test(test_vars),
             cmocka_unit_test(test_references), cmocka_unit_test(test_aliases), cmocka_unit_test(test_bounds),
             cmocka_unit_test(test_pieces), cmocka_unit_test(test_random_documents), cmocka_unit_test(test_files));
