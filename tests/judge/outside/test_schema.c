/* ee.schema: scores, findings, details, schemas of the rule file, of a file and of records, and what cannot be
 * compiled. */
#include <sys/stat.h>
#include <unistd.h>

#include "judge/case.h"
#include "judge/plan.h"
#include "judge/plan_fixture.h"

#define RULES(options) "{\"ee\":\"rules\",\"items\":[{\"ee\":\"schema\",\"line\":2," options "}]}"

/* Judges `candidate` (NULL: missing) of a record with `schema` at "target" (NULL: none). */
static const ee_judge_result *judge(fixture *f, const char *schema, const char *candidate, void *const *states) {
  ee_arena_reset(&f->case_arena, 0);
  ee_value *record = ee_value_new(&f->case_arena, EE_OBJECT);
  if (schema != NULL)
    ee_value_set(&f->case_arena, record, EE_STR("target"),
                 ee_value_copy(&f->case_arena, fixture_json(&f->case_arena, schema)));
  f->current = (ee_case){.id = EE_STR("inv-001"),
                         .record = record,
                         .expected = fixture_json(&f->case_arena, "{}"),
                         .candidate = candidate == NULL ? NULL : fixture_json(&f->case_arena, candidate),
                         .candidate_state = candidate == NULL ? EE_CANDIDATE_MISSING : EE_CANDIDATE_READ};
  f->context = (ee_context){
      .plan = f->plan, .arena = &f->case_arena, .script = &f->script, .states = states, .rule_errors = &f->rule_errors};
  ee_plan_judge(f->plan, &f->context, &f->current, &f->result);
  return f->result.judges;
}

static void assert_details(const ee_judge_result *result, const char *expected) {
  ee_buffer text;
  ee_buffer_init(&text);
  fixture_write_details(result, &text);
  assert_string_equal(ee_buffer_terminate(&text), expected);
  ee_buffer_fini(&text);
}

static void assert_printed(const fixture *f, const char *expected) {
  ee_buffer text;
  ee_buffer_init(&text);
  f->plan->judges[0]->type->print(f->plan->judges[0], &text);
  assert_string_equal(ee_buffer_terminate(&text), expected);
  ee_buffer_fini(&text);
}

static void test_table(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES("\"name\":\"form\",\"schema\":{\"type\":\"object\",\"required\":[\"total\"],\"properties\":{"
                          "\"total\":{\"type\":\"number\"}}}"));
  assert_printed(&f, "  value document, schema of the rule file\n");
  const ee_judge_result *result = judge(&f, NULL, "{\"total\":1}", NULL);
  assert_true(result->score == 1 && !result->failed && !result->vacuous);
  assert_hits(&f, result, "form");
  assert_misses(&f, result, "");
  assert_reasoning(result, "fits the schema");
  assert_details(result, "{\"metrics\":{},\"violations\":[],\"total\":0}");
  result = judge(&f, NULL, "{\"total\":\"1\"}", NULL);
  assert_true(result->score == 0);
  assert_int_equal(result->verdict, EE_VERDICT_FAIL);
  assert_hits(&f, result, "");
  assert_misses(&f, result, "total (expected a number, got a string)");
  assert_reasoning(result, "1 violation of the schema");
  assert_details(result,
                 "{\"metrics\":{},\"violations\":[{\"pointer\":\"/total\",\"keyword\":\"/properties/total/type\","
                 "\"message\":\"expected a number, got a string\"}],\"total\":1}");
  result = judge(&f, NULL, "[]", NULL);
  assert_misses(&f, result, "document (expected an object, got an array)");
  fixture_close(&f);
}

static void test_no_candidate(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES("\"schema\":{}"));
  const ee_judge_result *result = judge(&f, NULL, NULL, NULL);
  assert_true(result->score == 0 && !result->failed);
  assert_misses(&f, result, "candidate (missing)");
  assert_reasoning(result, "no candidate document");
  result = fixture_judge_values(&f, fixture_json(&f.case_arena, "{}"), NULL, EE_CANDIDATE_UNPARSEABLE);
  assert_true(result->score == 0);
  assert_misses(&f, result, "candidate (no JSON found)");
  result = judge(&f, NULL, "null", NULL);
  assert_true(result->score == 1);
  fixture_close(&f);
}

static void test_paths(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES("\"items\":[\"a[1].b\"],\"from\":\"/target\""));
  assert_printed(&f, "  value a[1].b, schema of each record at /target\n");
  const char *schema = "{\"items\":{\"properties\":{\"x.y\":{\"type\":\"null\"},\"z\":false}},\"maxItems\":2}";
  const ee_judge_result *result = judge(&f, schema, "{\"a\":[0,{\"b\":[{},{\"x.y\":1,\"z\":2},{}]}]}", NULL);
  assert_misses(&f, result,
                "a[1].b (expected at most 2 elements, got 3); "
                "a[1].b[1][\"x.y\"] (expected null, got a number); a[1].b[1].z ('z' is not allowed)");
  assert_true(result->found[0]);
  assert_reasoning(result, "3 violations of the schema");
  result = judge(&f, schema, "{\"a\":[0,{\"b\":[]}]}", NULL);
  assert_hits(&f, result, "a[1].b");
  /* Nothing is there. */
  result = judge(&f, schema, "{\"a\":[]}", NULL);
  assert_true(result->score == 0 && !result->found[0]);
  assert_misses(&f, result, "a[1].b (missing)");
  assert_true(judge(&f, "{}", "{\"a\":[]}", NULL)->score == 1);
  assert_int_equal(f.plan->judges[0]->expected_path_count, 1);
  assert_true(ee_str_is(f.plan->judges[0]->expected_paths[0].name, "a[1].b"));
  fixture_close(&f);
  fixture_open(&f);
  fixture_rules(&f, RULES("\"items\":[\"a\"],\"candidate\":\"b\",\"from\":\"target\""));
  assert_printed(&f, "  value b, schema of each record at target\n");
  assert_misses(&f, judge(&f, "{\"type\":\"null\"}", "{\"a\":null,\"b\":1}", NULL), "b (expected null, got a number)");
  /* An index of several digits. */
  result = judge(&f, "{\"items\":{\"type\":\"number\"}}", "{\"b\":[0,1,2,3,4,5,6,7,8,9,10,11,\"x\"]}", NULL);
  assert_misses(&f, result, "b[12] (expected a number, got a string)");
  /* Keys that a pointer escapes. */
  fixture_close(&f);
  fixture_open(&f);
  fixture_rules(&f, RULES("\"from\":\"target\""));
  assert_misses(
      &f,
      judge(&f, "{\"additionalProperties\":{\"additionalProperties\":false}}", "{\"a/~b\":{\"~1\":0,\"\":1}}", NULL),
      "a/~b.~1 ('~1' is not allowed); a/~b[\"\"] ('' is not allowed)");
  fixture_close(&f);
}

static void test_many(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES("\"from\":\"target\""));
  ee_buffer text;
  ee_buffer_init(&text);
  for (int i = 0; i < 60; i++) ee_buffer_add_text(&text, i == 0 ? "[1" : ",1");
  ee_buffer_add_char(&text, ']');
  const ee_judge_result *result = judge(&f, "{\"items\":{\"type\":\"null\"}}", ee_buffer_terminate(&text), NULL);
  assert_int_equal(result->miss_count, 51);
  ee_buffer_clear(&text);
  ee_finding_print(&result->misses[50], &text);
  assert_string_equal(ee_buffer_terminate(&text), "10 more");
  assert_reasoning(result, "60 violations of the schema");
  assert_int_equal(ee_value_count(ee_value_member(fixture_details(result, &f.case_arena), EE_STR("violations"), NULL)),
                   50);
  assert_true(ee_value_number(ee_value_member(fixture_details(result, &f.case_arena), EE_STR("total"), NULL)) == 60);
  assert_int_equal(ee_type_of(ee_value_member(fixture_details(result, &f.case_arena), EE_STR("truncated"), NULL)),
                   EE_TRUE);
  ee_buffer_fini(&text);
  fixture_close(&f);
}

/* A record's schema that is no schema is the judge's error, told at its place with the case. */
static void test_bad_records(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES("\"name\":\"form\",\"from\":\"target\""));
  const ee_judge_result *result = judge(&f, NULL, "{}", NULL);
  assert_true(result->score == 0 && result->failed);
  assert_misses(&f, result, "form (rules.lua:2: the record has no schema at 'target')");
  assert_reasoning(result, "no schema to judge by");
  result = judge(&f, "{\"type\":\"strin\",\"minimum\":[],\"reqired\":[]}", NULL, NULL);
  assert_true(result->failed);
  assert_misses(&f, result,
                "form (rules.lua:2: bad schema at 'target' of the record: /type: unknown type 'strin' (did you mean "
                "'string'?) (and 1 more))");
  result = judge(&f, "[]", "{}", NULL);
  assert_misses(&f, result,
                "form (rules.lua:2: bad schema at 'target' of the record: expected a schema (an object or a "
                "boolean), got an array)");
  assert_int_equal(f.rule_errors.count, 3);
  assert_string_equal(f.rule_errors.items[0].message, "the record has no schema at 'target' (case 'inv-001')");
  assert_int_equal(f.rule_errors.items[0].status, EE_ERROR_RULES);
  assert_int_equal(f.rule_errors.items[0].line, 2);
  /* A word about it is no error. */
  assert_true(judge(&f, "{\"reqired\":[]}", "{}", NULL)->score == 1);
  assert_true(judge(&f, "true", "{}", NULL)->score == 1);
  assert_int_equal(f.rule_errors.count, 3);
  /* The message has the first words, and how many more there are. */
  for (size_t count = 1; count <= 14; count++) {
    ee_error_list warnings;
    ee_error_list_init(&warnings);
    ee_buffer text = {0};
    for (size_t i = 0; i < count; i++) ee_buffer_addf(&text, "%s\"reqired%zu\":1", i > 0 ? "," : "{", i);
    ee_buffer_add_char(&text, '}');
    judge(&f, ee_buffer_terminate(&text), "{}", NULL);
    f.context.warnings = &warnings;
    ee_plan_judge(f.plan, &f.context, &f.current, &f.result);
    assert_int_equal(warnings.count, count <= 10 ? count : 11);
    for (size_t i = 0; i < count && i < 10; i++)
      assert_non_null(strstr(warnings.items[i].message, ee_arena_printf(&f.case_arena, "'target': /reqired%zu:", i)));
    if (count > 10)
      assert_string_equal(
          warnings.items[10].message,
          ee_arena_printf(&f.case_arena, "schema at 'target': %zu more warning%s", count - 10, count == 11 ? "" : "s"));
    ee_buffer_fini(&text);
    ee_error_list_fini(&warnings);
  }
  fixture_close(&f);
}

/* What a worker keeps gives the same answers, however many schemas take each other's place. */
static void test_kept_schemas(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES("\"from\":\"target\""));
  ee_open_plan open;
  ee_error error = {0};
  assert_int_equal(ee_open_plan_init(&open, f.plan, NULL, NULL, &error), EE_OK);
  assert_non_null(open.states[0]);
  for (int i = 0; i < 200; i++) {
    int number = i % 3 == 0 ? 1 : i % 40;
    char schema[100], candidate[20];
    snprintf(schema, sizeof schema, "{\"const\":{\"a\":%d,\"b\":null}}", number);
    snprintf(candidate, sizeof candidate, "{\"a\":%d,\"b\":null}", i % 2 == 0 ? number : number + 1);
    assert_true(judge(&f, schema, candidate, open.states)->score == (i % 2 == 0));
    /* Nearly the same schema, which differs in a null. */
    snprintf(schema, sizeof schema, "{\"const\":{\"a\":%d}}", number);
    assert_true(judge(&f, schema, candidate, open.states)->score == 0);
    assert_true(judge(&f, i % 2 == 0 ? "{\"type\":1}" : NULL, candidate, open.states)->failed);
  }
  ee_open_plan_fini(&open);
  fixture_close(&f);
  /* Nothing is kept where the schema is known. */
  fixture_open(&f);
  fixture_rules(&f, RULES("\"schema\":{}"));
  assert_int_equal(ee_open_plan_init(&open, f.plan, NULL, NULL, &error), EE_OK);
  assert_null(open.states[0]);
  ee_open_plan_fini(&open);
  fixture_close(&f);
}

/* Mistakes ------------------------------------------------------------------------------------- */

static void test_mistakes(void **state) {
  (void)state;
  check_mistakes(
      RULES("\"name\":\"x\""),
      "2: ee.schema has no schema (write schema = { ... }, file = \"schema.json\" or from = \"targetSchema\")");
  check_mistakes(RULES("\"schema\":{},\"file\":\"x\""),
                 "2: ee.schema has 'schema' and 'file', but only one schema is possible");
  check_mistakes(RULES("\"file\":\"x\",\"from\":\"y\""),
                 "2: ee.schema has 'file' and 'from', but only one schema is possible");
  check_mistakes(RULES("\"schema\":\"x\""), "2: option 'schema' of ee.schema must be a table, got a string");
  check_mistakes(RULES("\"from\":\"a..b\""), "2: bad path in option 'from' of ee.schema: empty step in path 'a..b'");
  check_mistakes(RULES("\"from\":\"a[*]\""), "2: ee.schema: path 'a[*]' has a [*], which only ee.fields takes");
  check_mistakes(RULES("\"schema\":{},\"items\":[\"a[*]\"]"),
                 "2: ee.schema: path 'a[*]' has a [*], which only ee.fields takes");
  check_mistakes(RULES("\"schema\":{},\"items\":[\"a..b\"]"), "2: ee.schema: bad path: empty step in path 'a..b'");
  check_mistakes(RULES("\"schema\":{},\"items\":[3]"), "2: ee.schema takes one path (a string), got a number");
  check_mistakes(RULES("\"schema\":{},\"items\":[\"a\",\"b\"]"),
                 "2: ee.schema takes one path (a string), got also a string");
  check_mistakes(
      RULES("\"shema\":{}"), "2: unknown option 'shema' for ee.schema (did you mean 'schema'?)",
      "2: ee.schema has no schema (write schema = { ... }, file = \"schema.json\" or from = \"targetSchema\")");
  check_mistakes(RULES("\"schema\":{\"a\":{\"function\":1}}"),
                 "2: option 'schema' of ee.schema must be plain data: 'a' is a function");
  check_mistakes(RULES("\"schema\":{\"type\":\"obect\",\"required\":{},\"not\":3}"),
                 "2: schema of ee.schema: /not: expected a schema (an object or a boolean), got a number",
                 "2: schema of ee.schema: /required: expected an array of names, got an object",
                 "2: schema of ee.schema: /type: unknown type 'obect' (did you mean 'object'?)");
  check_mistakes(RULES("\"schema\":[\"object\"]"),
                 "2: schema of ee.schema: expected a schema (an object or a boolean), got an array");
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, RULES("\"schema\":{\"reqired\":[\"a\"]}"));
  assert_int_equal(f.plan->warning_count, 1);
  assert_string_equal(f.plan->warnings[0].message,
                      "schema of ee.schema: /reqired: unknown keyword (did you mean 'required'?)");
  fixture_close(&f);
}

/* Files ---------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/ee-schema-XXXXXX";
static char file_name[64];

static int make_folder(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(file_name, sizeof file_name, "%s/s.json", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(file_name);
  return rmdir(folder);
}

static void compile_file(fixture *f, const char *text) {
  FILE *file = fopen(file_name, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  char rules[300];
  snprintf(rules, sizeof rules, RULES("\"file\":\"%s\""), file_name);
  fixture_compile(f, rules);
}

/* The only mistake, as it is printed. */
static void check_file_mistake(const char *text, const char *place_and_message) {
  fixture f;
  fixture_open(&f);
  compile_file(&f, text);
  assert_null(f.plan);
  assert_int_equal(f.errors.count, 1);
  ee_buffer printed;
  ee_buffer_init(&printed);
  ee_error_print(&f.errors.items[0], &printed);
  char expected[400];
  snprintf(expected, sizeof expected, "%s:%s", file_name, place_and_message);
  assert_string_equal(ee_buffer_terminate(&printed), expected);
  ee_buffer_fini(&printed);
  fixture_close(&f);
}

static void test_file(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  compile_file(&f, "{\"items\":{\"type\":\"number\"},\n \"type\":\"array\"}\n");
  assert_non_null(f.plan);
  uint64_t hash = f.plan->rules_hash;
  assert_true(hash != 0);
  assert_misses(&f, judge(&f, NULL, "[1,2,\"x\"]", NULL), "[2] (expected a number, got a string)");
  char printed[200];
  snprintf(printed, sizeof printed, "  value document, schema %s\n", file_name);
  assert_printed(&f, printed);
  fixture_close(&f);
  fixture_open(&f);
  compile_file(&f, "{\"type\":\"array\", \"type\":\"object\"}");
  assert_non_null(f.plan);
  assert_true(f.plan->rules_hash != hash);
  assert_int_equal(f.plan->warning_count, 1);
  assert_string_equal(f.plan->warnings[0].message, "file of ee.schema: key 'type' occurs twice, the last one counts");
  fixture_close(&f);
  check_file_mistake("{\"type\":\n  tru}", "2:3: expected a value");
  check_file_mistake("{\"type\":1}", " /type: expected the name of a type, got a number");
  check_file_mistake("3", " expected a schema (an object or a boolean), got a number");
  unlink(file_name);
  char rules[300], message[300];
  snprintf(rules, sizeof rules, RULES("\"file\":\"%s\""), file_name);
  snprintf(message, sizeof message, "2: file of ee.schema: cannot open '%s': No such file or directory", file_name);
  check_mistakes(rules, message);
  check_mistakes(RULES("\"file\":\"\""), "2: file of ee.schema: the name of the file is empty");
}

EE_TEST_FILE(make_folder, remove_folder, cmocka_unit_test(test_table), cmocka_unit_test(test_no_candidate),
             cmocka_unit_test(test_paths), cmocka_unit_test(test_many), cmocka_unit_test(test_bad_records),
             cmocka_unit_test(test_kept_schemas), cmocka_unit_test(test_mistakes), cmocka_unit_test(test_file));
