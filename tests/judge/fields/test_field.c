/* test_field.c: compiling fields, every class and score, and what `check` prints. */
#include "judge/strategy/strategy_fixture.h"

static int open_fixture(void **state) {
  fixture *f = test_malloc(sizeof *f);
  fixture_open(f);
  *state = f;
  return 0;
}

static int close_fixture(void **state) {
  fixture_close(*state);
  test_free(*state);
  return 0;
}

static ee_field compile_field(fixture *f, const ee_rule_node *spec) {
  ee_field field;
  bool good = ee_field_compile(&f->builder, spec, true, &field);
  assert_no_errors(f);
  assert_true(good);
  return field;
}

static void test_defaults(void **state) {
  fixture *f = *state;
  ee_field field = compile_field(f, node(f, "exact", ITEMS(T("invoice.number")), NONE));
  assert_true(ee_str_is(field.name, "invoice.number"));
  assert_ptr_equal(field.expected_path, field.candidate_path);
  assert_int_equal(field.expected_path->count, 2);
  assert_true(field.weight == 1);
  assert_true(field.required);
  assert_false(field.ignored);
  assert_int_equal(field.when, EE_NO_FUNCTION);
}

static void test_options(void **state) {
  fixture *f = *state;
  ee_field field = compile_field(f, node(f, "exact", ITEMS(T("currency")),
                                         OPTIONS(O("candidate", T("money.code")), O("name", T("money")),
                                                 O("required", B(false)), O("weight", N(3)), O("when", F(9)))));
  assert_true(ee_str_is(field.name, "money"));
  assert_true(ee_str_is(field.expected_path->text, "currency"));
  assert_true(ee_str_is(field.candidate_path->text, "money.code"));
  assert_true(field.weight == 3);
  assert_false(field.required);
  assert_int_equal(field.when, 9);
  assert_true(compile_field(f, node(f, "ignore", ITEMS(T("notes")), NONE)).ignored);
  field = compile_field(f, node(f, "exact", ITEMS(T("items[*].price")), OPTIONS(O("candidate", T("rows[*].p")))));
  assert_int_equal(field.expected_path->wildcards, 1);
}

static void check_field_errors(fixture *f, const ee_rule_node *spec, bool allow_wildcard, const char *message) {
  ee_field field;
  assert_false(ee_field_compile(&f->builder, spec, allow_wildcard, &field));
  check_errors(f, (const char *const[]){message, NULL});
}

static void test_mistakes(void **state) {
  fixture *f = *state;
  check_field_errors(f, node(f, "exat", ITEMS(T("p")), NONE), true,
                     "unknown strategy 'ee.exat' (did you mean 'ee.exact'?)");
  check_field_errors(f, node(f, "exact", NONE, NONE), true, "ee.exact needs a path as its first value");
  check_field_errors(f, node(f, "exact", ITEMS(N(1)), NONE), true,
                     "ee.exact needs a path (a string) as its first value, got a number");
  check_field_errors(f, node(f, "exact", ITEMS(T("p")), OPTIONS(O("name", T(" ")))), true,
                     "option 'name' of ee.exact is empty");
  check_field_errors(f, node(f, "exact", ITEMS(T("p")), OPTIONS(O("weight", T("x")))), true,
                     "option 'weight' of ee.exact must be a number, got a string");
  check_field_errors(f, node(f, "exact", ITEMS(T("a[*].b")), NONE), false,
                     "path 'a[*].b' has a [*], which only ee.fields takes");
  check_field_errors(f, node(f, "exact", ITEMS(T("a")), OPTIONS(O("candidate", T("b[*]")))), false,
                     "path 'b[*]' has a [*], which only ee.fields takes");
  check_field_errors(f, node(f, "exact", ITEMS(T("a[*].b")), OPTIONS(O("candidate", T("b")))), true,
                     "path 'a[*].b' and its candidate path 'b' differ in their number of [*]");
}

static void test_bad_paths(void **state) {
  fixture *f = *state;
  ee_field field;
  assert_false(ee_field_compile(&f->builder, node(f, "exact", ITEMS(T("a[")), NONE), true, &field));
  assert_int_equal(f->errors.count, 1);
  assert_int_equal(strncmp(f->errors.items[0].message, "bad path: unclosed '['", 22), 0);
  /* A bad candidate path is reported once. */
  const ee_rule_node *spec = node(f, "exact", ITEMS(T("a")), OPTIONS(O("candidate", T("b["))));
  assert_false(ee_field_compile(&f->builder, spec, true, &field));
  assert_int_equal(f->errors.count, 2);
}

static ee_field_outcome judge(fixture *f, const ee_field *field, ee_field_rules rules, const char *expected,
                              const char *candidate) {
  ee_script_place place = {.path = field->expected_path->text};
  ee_field_outcome outcome;
  memset(&outcome, 0x5a, sizeof outcome);
  ee_field_judge(field, rules, &f->context, json(f, expected), json(f, candidate), &place, &outcome);
  return outcome;
}

/* Every class, under every rule. */
static void test_classes(void **state) {
  fixture *f = *state;
  ee_field required = compile_field(f, node(f, "exact", ITEMS(T("p")), NONE));
  ee_field optional = compile_field(f, node(f, "exact", ITEMS(T("p")), OPTIONS(O("required", B(false)))));
  const ee_field_rules fallback = {EE_TN_SCORE, EE_UNEXPECTED_FAIL};
  const ee_field_rules skip = {EE_TN_SKIP, EE_UNEXPECTED_SKIP};
  const ee_field_rules pass = {EE_TN_SCORE, EE_UNEXPECTED_PASS};
  const struct {
    const ee_field *field;
    ee_field_rules rules;
    const char *expected, *candidate;
    ee_class value_class;
    double score;
    bool scored, matched;
    const char *reason;
  } rows[] = {
      {&required, fallback, "\"a\"", "\"a\"", EE_CLASS_TP, 1, true, true, ""},
      {&required, fallback, "\"a\"", "\"b\"", EE_CLASS_WRONG, 0, true, false, "value mismatch"},
      {&optional, fallback, "\"a\"", "\"b\"", EE_CLASS_WRONG, 0, true, false, "value mismatch"},
      {&required, fallback, "\"a\"", NULL, EE_CLASS_MISSING, 0, true, false, "required, missing"},
      {&required, fallback, "\"a\"", "\" \"", EE_CLASS_MISSING, 0, true, false, "required, missing"},
      {&optional, fallback, "\"a\"", "null", EE_CLASS_MISSING, 0, false, false, "optional, missing"},
      {&required, fallback, NULL, "\"a\"", EE_CLASS_INVENTED, 0, true, false, "nothing expected"},
      {&optional, fallback, "\"\"", "0", EE_CLASS_INVENTED, 0, true, false, "nothing expected"},
      {&required, skip, "null", "false", EE_CLASS_INVENTED, 0, false, false, "nothing expected"},
      {&required, pass, "null", "[]", EE_CLASS_INVENTED, 1, true, false, "nothing expected"},
      {&required, fallback, NULL, NULL, EE_CLASS_TN, 1, true, true, ""},
      {&required, fallback, "null", "\"\\u00a0\\t\"", EE_CLASS_TN, 1, true, true, ""},
      {&optional, skip, "\"\"", NULL, EE_CLASS_TN, 1, false, true, ""},
      {&required, fallback, "0", "0.0", EE_CLASS_TP, 1, true, true, ""},
      {&required, fallback, "[]", "[]", EE_CLASS_TP, 1, true, true, ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_field_outcome outcome = judge(f, rows[i].field, rows[i].rules, rows[i].expected, rows[i].candidate);
    assert_int_equal(outcome.value_class, rows[i].value_class);
    assert_true(outcome.score == rows[i].score);
    assert_int_equal(outcome.scored, rows[i].scored);
    assert_int_equal(outcome.comparison.matched, rows[i].matched);
    assert_reason(&outcome.comparison.reason, rows[i].reason);
  }
}

static void test_null_values(void **state) {
  fixture *f = *state;
  const ee_field_rules rules = {EE_TN_SCORE, EE_UNEXPECTED_FAIL};
  ee_str of_plan[] = {EE_STR("N/A")};
  f->plan.empty = (ee_empty_rule){.null_values = of_plan, .null_value_count = 1};
  ee_field plan_only = compile_field(f, node(f, "exact", ITEMS(T("p")), NONE));
  ee_field both = compile_field(f, node(f, "exact", ITEMS(T("p")), OPTIONS(O("null_values", LIST(f, T("-"), T("?"))))));
  assert_int_equal(judge(f, &plan_only, rules, "\"N/A\"", NULL).value_class, EE_CLASS_TN);
  assert_int_equal(judge(f, &plan_only, rules, "\"-\"", NULL).value_class, EE_CLASS_MISSING);
  assert_int_equal(judge(f, &both, rules, "\"-\"", "\" N/A \"").value_class, EE_CLASS_TN);
  assert_int_equal(judge(f, &both, rules, "\"a\"", "\"?\"").value_class, EE_CLASS_MISSING);
  f->plan.empty.containers = true;
  ee_field containers = compile_field(f, node(f, "exact", ITEMS(T("p")), OPTIONS(O("null_values", LIST(f, T("-"))))));
  assert_int_equal(judge(f, &containers, rules, "[]", "{}").value_class, EE_CLASS_TN);
}

/* A graded match scores what it is worth, and a value in error is a wrong one. */
static void test_graded_and_failed(void **state) {
  fixture *f = *state;
  const ee_field_rules rules = {EE_TN_SCORE, EE_UNEXPECTED_FAIL};
  ee_field fuzzy = compile_field(f, node(f, "fuzzy", ITEMS(T("p")), OPTIONS(O("score", T("similarity")))));
  ee_field_outcome outcome = judge(f, &fuzzy, rules, "\"abcdefghij\"", "\"abcdefghix\"");
  assert_int_equal(outcome.value_class, EE_CLASS_TP);
  assert_true(outcome.score == 0.9);
  outcome = judge(f, &fuzzy, rules, "\"abcd\"", "\"abxy\"");
  assert_int_equal(outcome.value_class, EE_CLASS_WRONG);
  assert_true(outcome.score == 0.5);
  ee_field custom = compile_field(f, node(f, "custom", ITEMS(T("p"), F(FUNCTION_RAISE)), NONE));
  outcome = judge(f, &custom, rules, "1", "1");
  assert_int_equal(outcome.value_class, EE_CLASS_WRONG);
  assert_true(outcome.score == 0 && outcome.scored && outcome.comparison.failed);
  /* A function is called only with two values. */
  assert_int_equal(f->script.calls, 1);
  judge(f, &custom, rules, NULL, "1");
  judge(f, &custom, rules, "1", "null");
  judge(f, &custom, rules, "\"\"", "null");
  assert_int_equal(f->script.calls, 1);
}

static void check_print(fixture *f, const ee_rule_node *spec, const char *text) {
  ee_field field = compile_field(f, spec);
  ee_buffer out;
  ee_buffer_init(&out);
  ee_field_print(&field, &out);
  assert_string_equal(ee_buffer_terminate(&out), text);
  ee_buffer_fini(&out);
}

static void test_print(void **state) {
  fixture *f = *state;
  check_print(f, node(f, "exact", ITEMS(T("a.b")), NONE), "a.b  exact  weight 1");
  check_print(f, node(f, "ignore", ITEMS(T("a.b")), NONE), "a.b  ignore");
  check_print(f,
              node(f, "numeric", ITEMS(T("total")),
                   OPTIONS(O("relative", B(true)), O("tolerance", N(0.01)), O("weight", N(3)))),
              "total  numeric(relative = true, tolerance = 0.01)  weight 3");
  check_print(f, node(f, "one_of", ITEMS(T("x"), T("FOB"), N(2)), OPTIONS(O("normalize", LIST(f, T("trim"))))),
              "x  one_of(\"FOB\", 2, normalize = { \"trim\" })  weight 1");
  check_print(f, node(f, "custom", ITEMS(T("x"), F(FUNCTION_SCORE)), OPTIONS(O("weight", N(0.5)))),
              "x  custom(function)  weight 0.5");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, open_fixture, close_fixture)

EE_TEST_FILE(NULL, NULL, TEST(test_defaults), TEST(test_options), TEST(test_mistakes), TEST(test_bad_paths),
             TEST(test_classes), TEST(test_null_values), TEST(test_print), TEST(test_graded_and_failed));
