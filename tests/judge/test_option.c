/* test_option.c: looking into trees, checking options against rows, reading them. */
#include "judge/strategy/strategy_fixture.h"

#include <math.h>

#include "base/embedded.h"
#include "judge/judge.h"

static const ee_option rows[] = {
    {.name = "flag", .type = EE_OPTION_BOOL},
    {.name = "tolerance", .type = EE_OPTION_NUMBER, .min = 0, .max = INFINITY},
    {.name = "threshold", .type = EE_OPTION_NUMBER, .min = 0, .max = 1},
    {.name = "any", .type = EE_OPTION_NUMBER, .min = -INFINITY, .max = INFINITY},
    {.name = "title", .type = EE_OPTION_TEXT},
    {.name = "candidate", .type = EE_OPTION_PATH},
    {.name = "method", .type = EE_OPTION_CHOICE, .choices = "greedy|optimal|key"},
    {.name = "formats", .type = EE_OPTION_TEXTS},
    {.name = "when", .type = EE_OPTION_FUNCTION},
    {.name = "aggregate", .type = EE_OPTION_CHOICE_OR_FUNCTION, .choices = "mean|all"},
    {.name = NULL},
};
static const ee_option more_rows[] = {
    {.name = "normalize", .type = EE_OPTION_NORMALIZE},
    {.name = "values", .type = EE_OPTION_VALUES},
    {.name = "case", .type = EE_OPTION_TABLE},
    {.name = "match", .type = EE_OPTION_TEXT_OR_TABLE},
    {.name = "weight", .type = EE_OPTION_NUMBER_OR_PATH, .min = 0, .max = INFINITY},
    {.name = "thresholds", .type = EE_OPTION_NUMBERS, .min = 0, .max = 1},
    {.name = NULL},
};
static const ee_option *const tables[] = {rows, more_rows, NULL};

/* Checks one option; `message` NULL: it is right. */
static void check_one(fixture *f, ee_rule_option option, const char *message) {
  const ee_rule_node *spec = node(f, "thing", NONE, &option, 1);
  bool good = ee_options_check(spec, "ee.thing", tables, &f->errors);
  assert_int_equal(good, message == NULL);
  check_errors(f, (const char *const[]){message, NULL});
}

static void test_right_values(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  check_one(&f, O("flag", B(false)), NULL);
  check_one(&f, O("tolerance", N(0)), NULL);
  check_one(&f, O("tolerance", N(1e300)), NULL);
  check_one(&f, O("threshold", N(1)), NULL);
  check_one(&f, O("any", N(-5)), NULL);
  check_one(&f, O("title", T("")), NULL);
  check_one(&f, O("candidate", T("a.b[0]")), NULL);
  check_one(&f, O("method", T("key")), NULL);
  check_one(&f, O("formats", LIST(&f, T("YYYY"), T("MM"))), NULL);
  check_one(&f, O("formats", table(&f, NONE, NONE)), NULL);
  check_one(&f, O("when", F(0)), NULL);
  check_one(&f, O("aggregate", F(0)), NULL);
  check_one(&f, O("aggregate", T("all")), NULL);
  check_one(&f, O("normalize", F(0)), NULL);
  check_one(&f, O("normalize", T("casefold")), NULL);
  check_one(&f, O("normalize", LIST(&f, T("trim"), T("nfkc"))), NULL);
  check_one(&f, O("values", LIST(&f, T("a"), N(1), B(true), NULL_VALUE)), NULL);
  check_one(&f, O("case", LIST(&f, T("a"))), NULL);
  check_one(&f, O("match", T("fields")), NULL);
  check_one(&f, O("match", LIST(&f, T("a"))), NULL);
  check_one(&f, O("weight", N(3)), NULL);
  check_one(&f, O("weight", T("a.b")), NULL);
  check_one(&f, O("thresholds", LIST(&f, N(0), N(0.5), N(1))), NULL);
  check_one(&f, O("unknown", (ee_rule_value){.type = EE_RULE_NONE}), NULL);
  fixture_close(&f);
}

static void test_unknown_names(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  check_one(&f, O("tolerence", N(1)), "unknown option 'tolerence' for ee.thing (did you mean 'tolerance'?)");
  check_one(&f, O("normalise", F(0)), "unknown option 'normalise' for ee.thing (did you mean 'normalize'?)");
  check_one(&f, O("xyzzy", N(1)), "unknown option 'xyzzy' for ee.thing");
  fixture_close(&f);
}

static void test_wrong_types(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  ee_rule_node *strategy = node(&f, "exact", NONE, NONE);
  ee_rule_node *own = node(&f, "iban", NONE, NONE);
  own->definition = strategy;
  check_one(&f, O("flag", N(1)), "option 'flag' of ee.thing must be true or false, got a number");
  check_one(&f, O("tolerance", T("1")), "option 'tolerance' of ee.thing must be a number, got a string");
  check_one(&f, O("tolerance", F(0)), "option 'tolerance' of ee.thing must be a number, got a function");
  check_one(&f, O("title", B(true)), "option 'title' of ee.thing must be a string, got a boolean");
  check_one(&f, O("title", ((ee_rule_value){.type = EE_RULE_NODE, .node = strategy})),
            "option 'title' of ee.thing must be a string, got ee.exact");
  check_one(&f, O("title", ((ee_rule_value){.type = EE_RULE_NODE, .node = own})),
            "option 'title' of ee.thing must be a string, got iban");
  check_one(&f, O("candidate", N(1)), "option 'candidate' of ee.thing must be a path (a string), got a number");
  check_one(&f, O("method", NULL_VALUE),
            "option 'method' of ee.thing must be one of 'greedy', 'optimal', 'key', got ee.null");
  check_one(&f, O("formats", T("YYYY")), "option 'formats' of ee.thing must be an array of strings, got a string");
  check_one(&f, O("formats", LIST(&f, T("YYYY"), N(1))),
            "option 'formats' of ee.thing must be an array of strings, but item 2 is a number");
  check_one(&f, O("formats", table(&f, NONE, OPTIONS(O("a", N(1))))),
            "option 'formats' of ee.thing must be an array of strings, but it has the key 'a'");
  check_one(&f, O("when", T("x")), "option 'when' of ee.thing must be a function, got a string");
  check_one(&f, O("aggregate", N(1)),
            "option 'aggregate' of ee.thing must be one of 'mean', 'all' or a function, got a number");
  check_one(&f, O("normalize", N(1)),
            "option 'normalize' of ee.thing must be a normal form, an array of them or a function, got a number");
  check_one(&f, O("values", LIST(&f, F(0))),
            "option 'values' of ee.thing must be an array of strings, numbers or booleans, but item 1 is a function");
  check_one(&f, O("case", T("x")), "option 'case' of ee.thing must be a table, got a string");
  check_one(&f, O("match", F(0)), "option 'match' of ee.thing must be a string or a table, got a function");
  fixture_close(&f);
}

static void test_wrong_values(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  check_one(&f, O("tolerance", N(-1)), "option 'tolerance' of ee.thing must be at least 0, got -1");
  check_one(&f, O("tolerance", N(NAN)), "option 'tolerance' of ee.thing must be at least 0, got NaN");
  check_one(&f, O("tolerance", N(INFINITY)), "option 'tolerance' of ee.thing must be at least 0, got infinity");
  check_one(&f, O("threshold", N(1.5)), "option 'threshold' of ee.thing must be between 0 and 1, got 1.5");
  check_one(&f, O("any", N(-INFINITY)), "option 'any' of ee.thing must be finite, got -infinity");
  check_one(&f, O("method", T("optimol")),
            "option 'method' of ee.thing must be one of 'greedy', 'optimal', 'key', got 'optimol' (did you mean "
            "'optimal'?)");
  check_one(&f, O("method", T("")), "option 'method' of ee.thing must be one of 'greedy', 'optimal', 'key', got ''");
  check_one(&f, O("method", T("greedy|optimal")),
            "option 'method' of ee.thing must be one of 'greedy', 'optimal', 'key', got 'greedy|optimal'");
  check_one(&f, O("normalize", LIST(&f, T("trim"), T("casefolt"))),
            "unknown normal form 'casefolt' in option 'normalize' of ee.thing (did you mean 'casefold'?)");
  fixture_close(&f);
}

/* Each item of a list is checked, wherever it is, and each mistake is reported. */
static void test_wrong_items(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
#define NO_FORM "unknown normal form 'casefolt' in option 'normalize' of ee.thing (did you mean 'casefold'?)"
  check_one(&f, O("normalize", LIST(&f, T("casefolt"))), NO_FORM);
  check_one(&f, O("normalize", LIST(&f, T("casefolt"), T("trim"))), NO_FORM);
  check_one(&f, O("normalize", LIST(&f, T("trim"), T("casefolt"), T("alnum"))), NO_FORM);
  check_one(&f, O("normalize", T("casefolt")), NO_FORM);
#define TOO_MUCH "option 'thresholds' of ee.thing must be between 0 and 1, got 2"
  check_one(&f, O("thresholds", LIST(&f, N(2))), TOO_MUCH);
  check_one(&f, O("thresholds", LIST(&f, N(2), N(1))), TOO_MUCH);
  check_one(&f, O("thresholds", LIST(&f, N(0), N(2), N(1))), TOO_MUCH);
  ee_rule_option both[] = {O("normalize", LIST(&f, T("casefolt"), T("trim"), T("casefolt"))),
                           O("thresholds", LIST(&f, N(2), N(0.5), N(2)))};
  assert_false(ee_options_check(node(&f, "thing", NONE, both, 2), "ee.thing", tables, &f.errors));
  check_errors(&f, (const char *const[]){NO_FORM, NO_FORM, TOO_MUCH, TOO_MUCH, NULL});
  fixture_close(&f);
}

static void test_numbers(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  check_one(&f, O("thresholds", N(1)), "option 'thresholds' of ee.thing must be an array of numbers, got a number");
  check_one(&f, O("thresholds", LIST(&f, N(1), T("x"))),
            "option 'thresholds' of ee.thing must be an array of numbers, but item 2 is a string");
  check_one(&f, O("thresholds", LIST(&f, N(1), N(1.5))),
            "option 'thresholds' of ee.thing must be between 0 and 1, got 1.5");
  check_one(&f, O("thresholds", table(&f, NONE, NONE)),
            "option 'thresholds' of ee.thing must be a non-empty array of numbers");
  check_one(&f, O("weight", N(-1)), "option 'weight' of ee.thing must be at least 0, got -1");
  check_one(&f, O("weight", T("a..b")), "bad path in option 'weight' of ee.thing: empty step in path 'a..b'");
  check_one(&f, O("weight", B(true)),
            "option 'weight' of ee.thing must be a number or a path (a string), got a boolean");
  fixture_close(&f);
}

static void test_bad_path(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_rule_node *spec = node(&f, "thing", NONE, OPTIONS(O("candidate", T("a[")), O("method", T("key"))));
  assert_false(ee_options_check(spec, "ee.thing", tables, &f.errors));
  assert_int_equal(f.errors.count, 1);
  assert_int_equal(strncmp(f.errors.items[0].message, "bad path in option 'candidate' of ee.thing: ", 44), 0);
  fixture_close(&f);
}

/* All mistakes are told, not only the first. */
static void test_all_mistakes(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_rule_node *spec =
      node(&f, "thing", NONE, OPTIONS(O("flagg", B(true)), O("threshold", N(2)), O("title", T("x")), O("when", N(1))));
  assert_false(ee_options_check(spec, "ee.thing", tables, &f.errors));
  check_errors(&f, (const char *const[]){"unknown option 'flagg' for ee.thing (did you mean 'flag'?)",
                                         "option 'threshold' of ee.thing must be between 0 and 1, got 2",
                                         "option 'when' of ee.thing must be a function, got a number", NULL});
  fixture_close(&f);
}

static void test_reading(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_rule_node *spec = node(&f, "thing", NONE,
                                  OPTIONS(O("b", B(true)), O("c", T("optimal")), O("f", F(7)), O("n", N(0.5)),
                                          O("t", T("x")), O("wrong", LIST(&f, N(1)))));
  assert_true(ee_option_bool(spec, "b", false));
  assert_true(ee_option_bool(spec, "absent", true));
  assert_true(ee_option_number(spec, "n", 3) == 0.5);
  assert_true(ee_option_number(spec, "absent", 3) == 3);
  assert_true(ee_option_number(spec, "wrong", 3) == 3);
  assert_true(ee_str_is(ee_option_text(spec, "t", "y"), "x"));
  assert_true(ee_str_is(ee_option_text(spec, "absent", "y"), "y"));
  assert_null(ee_option_text(spec, "absent", NULL).data);
  assert_int_equal(ee_option_choice(spec, "c", "greedy|optimal|key", "key"), 1);
  assert_int_equal(ee_option_choice(spec, "absent", "greedy|optimal|key", "key"), 2);
  assert_int_equal(ee_option_choice(spec, "t", "greedy|optimal|key", "greedy"), 0);
  assert_true(ee_option_is(spec, "c", "optimal"));
  assert_false(ee_option_is(spec, "c", "key") || ee_option_is(spec, "absent", "key") ||
               ee_option_is(spec, "b", "true"));
  assert_int_equal(ee_option_function(spec, "f"), 7);
  assert_int_equal(ee_option_function(spec, "t"), EE_NO_FUNCTION);
  assert_int_equal(ee_rule_node_get(spec, "absent").type, EE_RULE_NONE);
  fixture_close(&f);
}

/* The rows of all strategies are fit to be printed: complete, and the defaults as they are. */
static void check_rows(const ee_option *options) {
  for (const ee_option *row = options; row != NULL && row->name != NULL; row++) {
    assert_non_null(row->default_text);
    assert_non_null(row->help);
    assert_int_equal(row->help[strlen(row->help) - 1], '.');
    bool choice = row->type == EE_OPTION_CHOICE || row->type == EE_OPTION_CHOICE_OR_FUNCTION;
    assert_int_equal(row->choices != NULL || row->list_choices != NULL, choice);
    if (row->type != EE_OPTION_NUMBER) continue;
    assert_true(row->min < row->max);
    double fallback = strtod(row->default_text, NULL);
    assert_true(row->min <= fallback && fallback <= row->max);
  }
}

static void test_help_texts(void **state) {
  (void)state;
  for (const ee_judge_type *const *type = ee_judge_types; *type != NULL; type++)
    assert_non_null(ee_embedded_find(ee_help_texts, (*type)->name));
  assert_null(ee_embedded_find(ee_help_texts, "numerc"));
}

static void test_strategy_rows(void **state) {
  (void)state;
  check_rows(ee_strategy_shared_options);
  check_rows(ee_strategy_definition_options);
  for (const ee_strategy_type *const *at = ee_strategy_types; *at != NULL; at++) {
    const ee_strategy_type *type = *at;
    assert_non_null(type->help);
    assert_non_null(ee_embedded_find(ee_help_texts, type->name));
    assert_non_null(type->compare);
    assert_ptr_equal(ee_strategy_type_find(ee_str_from(type->name)), type);
    check_rows(type->options);
    /* What the row of `threshold` says is what the type does. */
    double shown = 1;
    for (const ee_option *row = type->options; row != NULL && row->name != NULL; row++) {
      if (strcmp(row->name, "threshold") != 0) continue;
      shown = strcmp(row->default_text, "must be given") == 0 ? -1 : strtod(row->default_text, NULL);
    }
    assert_true(type->threshold == shown);
  }
  assert_null(ee_strategy_type_find(EE_STR("levenshtein")));
}

/* A table that has no place of its own is where its node is. */
static void test_places_of_tables(void **state) {
  (void)state;
  const ee_rule_node node = {.file = "node.lua", .line = 9};
  static const struct {
    const char *file;
    size_t line;
    bool own;
  } places[] = {
      {"table.lua", 1, true}, {"table.lua", 7, true}, {"table.lua", 0, false}, {NULL, 7, false}, {NULL, 0, false}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const ee_rule_node table = {.file = places[i].file, .line = places[i].line};
    ee_rule_node found = ee_rule_table_place(&table, &node);
    assert_string_equal(found.file, places[i].own ? places[i].file : "node.lua");
    assert_int_equal(found.line, places[i].own ? places[i].line : 9);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_right_values), cmocka_unit_test(test_unknown_names),
             cmocka_unit_test(test_wrong_types), cmocka_unit_test(test_wrong_values),
             cmocka_unit_test(test_wrong_items), cmocka_unit_test(test_bad_path), cmocka_unit_test(test_all_mistakes),
             cmocka_unit_test(test_numbers), cmocka_unit_test(test_reading), cmocka_unit_test(test_help_texts),
             cmocka_unit_test(test_strategy_rows), cmocka_unit_test(test_places_of_tables));
