/* test_tree_compile.c: ee.tree in the rule file: which entry is used where several fit, mistakes, and what is printed
 * of it. */
#include "judge/plan_fixture.h"

#include "judge/tree/tree.h"

#define TREE(options) "{\"ee\": \"rules\", \"items\": [{\"ee\": \"tree\"" options "}]}"
#define EXACT "{\"ee\": \"exact\"}"
#define IGNORE "{\"ee\": \"ignore\"}"
#define LEAVES(entries) TREE(", \"leaves\": {" entries "}")

static void assert_printed(const char *rules, const char *expected) {
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, rules);
  const ee_judge *judge = f.plan->judges[0];
  judge->type->print(judge, &f.text);
  assert_string_equal(ee_buffer_terminate(&f.text), expected);
  fixture_close(&f);
}

static void test_print(void **state) {
  (void)state;
  assert_printed(TREE(""), "  aggregate leaves\n  tn score, on_unexpected fail, null absent\n  default  auto\n"
                           "  arrays default  optimal\n");
  assert_printed(
      TREE(", \"items\": [\"a\"], \"candidate\": \"b\", \"aggregate\": \"union\", \"clip\": 0.25, \"clip_unmatched\": "
           "true, "
           "\"alternatives\": true, \"tn\": \"either\", \"on_unexpected\": \"pass\", \"null\": \"value\", \"schema\": "
           "{}, "
           "\"leaves\": {\"o\": " IGNORE ", \"format:date\": {\"ee\": \"date\"}, \"string\": " EXACT
           ", \"mixed\": {\"ee\": "
           "\"fuzzy\"}, \"default\": {\"ee\": \"custom\", \"items\": [{\"function\": 1}]}}, \"arrays\": {\"default\": "
           "{\"items\": [\"optimal\"], \"threshold\": 0.5}, \"k\": {\"items\": [\"key\"], \"key\": \"id\"}, \"s\": "
           "\"set\"}, "
           "\"weights\": {\"w\": 0.5, \"*.v\": 0}"),
      "  value a, in the candidate b\n  aggregate union\n  clip 0.25\n  clip what does not match\n"
      "  several correct values: {\"anyOf\": [...]}\n  tn either, on_unexpected pass, null value\n"
      "  types by a JSON Schema\n  o  ignore\n  format:date  date\n  string  exact\n  mixed  fuzzy\n"
      "  default  custom  (calls Lua)\n  arrays k  key id\n  arrays s  set\n  arrays default  optimal, threshold 0.5\n"
      "  weight w  0.5\n  weight *.v  0\n");
  assert_printed(TREE(", \"candidate\": \"b\", \"aggregate\": {\"function\": 1}, \"arrays\": \"index\""),
                 "  value document, in the candidate b\n  aggregate by a function  (calls Lua)\n"
                 "  tn score, on_unexpected fail, null absent\n  default  auto\n  arrays default  index\n");
}

/* Paths before patterns; of patterns the one with more steps, then with more characters, then with a fixed beginning,
 * then in byte order; of leaves, arrays and weights alike. */
static void test_order(void **state) {
  (void)state;
  static const char *const written[] = {"*.b*", "*.a", "*b", "*.bc", "o.*", "*a", "l[*].*", "l[*].x", "/o/*"};
  static const char *const sorted[] = {"l[*].x", "/o/*", "l[*].*", "o.*", "*.bc", "*a", "*b", "*.a", "*.b*"};
  enum { COUNT = sizeof written / sizeof *written };
  fixture f;
  fixture_open(&f);
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "{\"ee\": \"rules\", \"items\": [{\"ee\": \"tree\"");
  static const char *const options[] = {"leaves", "arrays", "weights"}, *const values[] = {EXACT, "\"set\"", "2"};
  for (size_t k = 0; k < 3; k++) {
    ee_buffer_addf(&text, ", \"%s\": {", options[k]);
    for (size_t i = 0; i < COUNT; i++) ee_buffer_addf(&text, "%s\"%s\": %s", i > 0 ? ", " : "", written[i], values[k]);
    ee_buffer_add_char(&text, '}');
  }
  ee_buffer_add_text(&text, "}]}");
  fixture_rules(&f, ee_buffer_terminate(&text));
  const ee_tree *tree = f.plan->judges[0]->data;
  assert_int_equal(tree->leaf_count, COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    assert_true(ee_str_is(tree->leaves[i].selector.written, sorted[i]));
    assert_true(ee_str_is(tree->arrays[i].selector.written, sorted[i]));
    assert_true(ee_str_is(tree->weights[i].selector.written, sorted[i]));
  }
  ee_buffer_fini(&text);
  fixture_close(&f);
}

/* What each entry names: the values of one of these keys are ignored. */
static void test_selectors(void **state) {
  (void)state;
  static const struct {
    const char *selector, *document, *left;
  } cases[] = {
      {"a*", "{\"a\": 1, \"ab\": 1, \"b\": 1, \"o\": {\"a\": 1}}", "b; o.a"},
      {"*.a*b", "{\"ab\": 1, \"axb\": 1, \"a\": 1, \"o\": {\"aab\": 1, \"abc\": 1}}", "a; o.abc"},
      {"*.*_id", "{\"x_id\": 1, \"id\": 1, \"_id\": 1, \"l\": [{\"y_id\": 1, \"y_idx\": 1}]}", "id; l[0].y_idx"},
      {"a**", "{\"a\": 1, \"aa\": 1, \"b\": 1}", "b"},
      /* Of a pointer a star is a star. */
      {"/a*", "{\"a*\": 1, \"ab\": 1}", "ab"},
      {"/*/b", "{\"*\": {\"b\": 1}, \"a\": {\"b\": 1}}", "a.b"},
      {"[\\\"x.y\\\"]", "{\"x.y\": 1, \"x\": {\"y\": 1}}", "x.y"},
      {"l[*]", "{\"l\": [1, 2], \"m\": [3]}", "m[0]"},
      {"*.l[*].b", "{\"o\": {\"l\": [{\"b\": 1, \"c\": 2}]}, \"l\": [{\"b\": 1}]}", "o.l[0].c"},
      {"[*].b", "[{\"b\": 1, \"c\": 2}]", "document[0].c"},
      {"*.o", "{\"p\": {\"o\": {\"a\": 1, \"b\": [1]}}, \"q\": 1}", "q"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    char rules[300];
    snprintf(rules, sizeof rules, LEAVES("\"%s\": " IGNORE), cases[i].selector);
    const ee_judge_result *result = fixture_judge_rules(&f, rules, cases[i].document, cases[i].document);
    assert_hits(&f, result, cases[i].left);
    fixture_close(&f);
  }
}

/* "leaves: p e; script; provider; votes; keeps text": the strategies in their order with what is true of them
 * (reflexive, exact, plain, cheap), and what is true of the judge. */
static const char *facts(fixture *f) {
  const ee_judge *judge = f->plan->judges[0];
  const ee_tree *tree = judge->data;
  ee_buffer_clear(&f->text);
  for (size_t i = 0; i < tree->leaf_count; i++) {
    const ee_tree_leaf *leaf = &tree->leaves[i];
    ee_buffer_addf(&f->text, "%.*s%s%s%s%s; ", EE_STR_ARG(leaf->field.name), leaf->is_reflexive ? " reflexive" : "",
                   leaf->is_exact ? " exact" : "", leaf->is_plain ? " plain" : "", leaf->is_cheap ? " cheap" : "");
    assert_string_equal(leaf->place, "rules.lua:7");
  }
  if (judge->calls_script) ee_buffer_add_text(&f->text, "script; ");
  if (judge->uses_provider) ee_buffer_add_text(&f->text, "provider; ");
  if (tree->votes) ee_buffer_add_text(&f->text, "votes; ");
  if (f->plan->paths.keep_text) ee_buffer_add_text(&f->text, "text; ");
  if (f->plan->paths.keep_options) ee_buffer_add_text(&f->text, "options; ");
  for (size_t i = 0; i < judge->expected_path_count; i++)
    ee_buffer_addf(&f->text, "%.*s%s ", EE_STR_ARG(judge->expected_paths[i].name),
                   judge->expected_paths[i].holds_rest ? "!" : "");
  return ee_buffer_terminate(&f->text);
}

#define SCRIPT "{\"ee\": \"custom\", \"items\": [{\"function\": 1}]}"
#define MODEL "{\"ee\": \"semantic\"}"
#define VOTES "{\"ee\": \"numeric\", \"decimal\": \"auto\"}"
#define SET_OF(strategy) "{\"ee\": \"set\", \"match\": " strategy "}"
#define ONE(strategy) LEAVES("\"p\": {\"line\": 7, " strategy "}")

static void test_facts(void **state) {
  (void)state;
  static const struct {
    const char *rules, *facts;
  } cases[] = {
      {TREE(""), "text; "},
      {TREE(", \"alternatives\": true"), "text; options; "},
      {TREE(", \"items\": [\"a\"], \"alternatives\": true"), "a! "},
      {TREE(", \"candidate\": \"b\""), "b! "},
      {TREE(", \"items\": [\"a\"], \"candidate\": \"b\", \"arrays\": {\"l\": \"set\"}, \"weights\": {\"w\": 2}, "
            "\"leaves\": "
            "{\"o\": {\"ee\": \"ignore\", \"line\": 7}}"),
       "o reflexive plain; o l w a! "},
      {TREE(", \"aggregate\": {\"function\": 1}"), "script; text; "},
      {ONE("\"ee\": \"exact\""), "p reflexive exact plain cheap; text; p "},
      {ONE("\"ee\": \"exact\", \"normalize\": \"trim\""), "p reflexive plain cheap; text; p "},
      {ONE("\"ee\": \"exact\", \"normalize\": {\"function\": 1}"), "p; script; text; p "},
      {ONE("\"ee\": \"numeric\""), "p reflexive plain cheap; text; p "},
      {ONE("\"ee\": \"fuzzy\""), "p reflexive plain; text; p "},
      {ONE("\"ee\": \"one_of\", \"items\": [1]"), "p plain; text; p "},
      {ONE("\"ee\": \"semantic\""), "p reflexive; provider; text; p "},
      {ONE("\"ee\": \"custom\", \"items\": [{\"function\": 1}]"), "p; script; text; p "},
      {ONE("\"ee\": \"numeric\", \"decimal\": \"auto\""), "p reflexive plain cheap; votes; text; p "},
      {ONE("\"ee\": \"set\", \"match\": " EXACT), "p reflexive; text; p "},
      {ONE("\"ee\": \"set\", \"match\": " VOTES), "p reflexive; votes; text; p "},
      /* Wherever a strategy is declared, the judge knows of it. */
      {LEAVES("\"string\": " SCRIPT), "script; text; "},
      {LEAVES("\"object\": " SCRIPT), "script; text; "},
      {LEAVES("\"mixed\": " SCRIPT), "script; text; "},
      {LEAVES("\"default\": " SCRIPT), "script; text; "},
      {TREE(", \"schema\": {}, \"leaves\": {\"format:date\": " SCRIPT "}"), "script; text; "},
      {LEAVES("\"string\": " EXACT ", \"integer\": " MODEL ", \"mixed\": " EXACT), "provider; text; "},
      {LEAVES("\"string\": " EXACT ", \"mixed\": " MODEL), "provider; text; "},
      {TREE(", \"schema\": {}, \"leaves\": {\"string\": " EXACT ", \"format:date\": " EXACT ", \"format:time\": " EXACT
            ", \"mixed\": " EXACT ", \"default\": " VOTES "}"),
       "votes; text; "},
      {LEAVES("\"number\": " SET_OF(SCRIPT)), "script; text; "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    fixture_rules(&f, cases[i].rules);
    if (strcmp(facts(&f), cases[i].facts) != 0)
      fail_msg("%s:\n%s, not\n%s", cases[i].rules, f.text.data, cases[i].facts);
    fixture_close(&f);
  }
}

static void test_leaf_mistakes(void **state) {
  (void)state;
  check_mistakes(TREE(", \"items\": [\"a\", \"b\", " EXACT "], \"leaves\": [" EXACT "]"),
                 "1: ee.tree takes one path and options, got a string",
                 "1: ee.tree takes one path and options, got ee.exact (strategies belong in the option 'leaves')",
                 "1: the values of 'leaves' in ee.tree must have keys, got ee.exact without one");
  check_mistakes(
      LEAVES("\"a\": {\"function\": 1}, \"b\": {\"ee\": \"fields\"}, \"c\": {\"ee\": \"one_of\"}, \"d\": {\"ee\": "
             "\"pattern\"}, \"format:date\": {\"ee\": \"date\"}, \"a..b\": " EXACT ", \"e[0:2]\": " EXACT),
      "1: the leaf 'a' of ee.tree must be a strategy such as ee.fuzzy {}, got a function (did you mean "
      "'ee.custom(function)'?)",
      "1: leaves of ee.tree: empty step in path 'a..b'",
      "1: ee.fields is a judge, the leaves of ee.tree take strategies", "1: ee.one_of for 'c' in ee.tree has no values",
      "1: ee.pattern for 'd' in ee.tree has no values",
      "1: leaves of ee.tree: expected an index, '*' or a quoted key in path 'e[0:2]'",
      "1: the leaf 'format:date' of ee.tree needs the option 'schema'");
}

/* A query is not a place: its steps are not known. Such an entry would name the whole document. */
static void test_queries(void **state) {
  (void)state;
  check_mistakes(TREE(", \"leaves\": {\"$..total\": " IGNORE ", \"$.l[?@.a]\": " IGNORE
                      "}, \"arrays\": {\"$.l[-1]\": \"set\"}, "
                      "\"weights\": {\"$['a','b']\": 2}"),
                 "1: leaves of ee.tree: '$..total' is a query; write a path or a pattern such as '*.total'",
                 "1: leaves of ee.tree: '$.l[?@.a]' is a query; write a path or a pattern such as '*.total'",
                 "1: arrays of ee.tree: '$.l[-1]' is a query; write a path or a pattern such as '*.total'",
                 "1: weights of ee.tree: '$['a','b']' is a query; write a path or a pattern such as '*.total'");
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result =
      fixture_judge_rules(&f, LEAVES("\"$.l[*].a\": " IGNORE), "{\"l\": [{\"a\": 1, \"b\": 2}], \"a\": 3}",
                          "{\"l\": [{\"a\": 2, \"b\": 2}], \"a\": 4}");
  assert_hits(&f, result, "l[0].b");
  assert_misses(&f, result, "a (outside tolerance: diff=1, tolerance=0)");
  /* $ is the whole document, as one leaf. */
  result = fixture_judge_rules(&f, LEAVES("\"$\": " EXACT), "{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"b\": 3}");
  assert_string_equal(fixture_attributes(&f, result), "document* 0 0 1 1");
  fixture_close(&f);
}

/* Strategies whose values come first take them; the place is the entry's key. */
static void test_values(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result =
      fixture_judge_rules(&f, LEAVES("\"a\": {\"ee\": \"one_of\", \"items\": [\"x\", \"y\"]}, \"default\": " EXACT),
                          "{\"a\": \"z\", \"b\": \"z\"}", "{\"a\": \"y\", \"b\": \"y\"}");
  assert_hits(&f, result, "a");
  assert_misses(&f, result, "b (value mismatch)");
  fixture_close(&f);
}

static void test_array_mistakes(void **state) {
  (void)state;
  check_mistakes(
      TREE(", \"arrays\": {\"a\": {\"threshold\": 1}, \"b\": {\"items\": [\"index\", \"set\"]}, \"c\": {\"items\": "
           "[\"set\"], \"key\": \"id\"}, \"d\": {\"items\": [\"set\"], \"treshold\": 1}, \"l[0]\": \"set\"}"),
      "1: the arrays 'a' of ee.tree must be a method or { \"optimal\", threshold = 0.5 }",
      "1: the arrays 'b' of ee.tree must be a method or { \"optimal\", threshold = 0.5 }",
      "1: the arrays 'c' of ee.tree: 'key' is for method key",
      "1: unknown option 'treshold' for the arrays 'd' of ee.tree (did you mean 'threshold'?)",
      "1: arrays of ee.tree: 'l[0]' has an index, but all items of an array are one place; write [*]");
  static const struct {
    const char *arrays, *mistake;
  } more[] = {
      {"\"key\"", "1: the arrays 'default' of ee.tree: method key needs a key: { \"key\", key = \"id\" }"},
      {"{\"a\": \"key\"}", "1: the arrays 'a' of ee.tree: method key needs a key: { \"key\", key = \"id\" }"},
      {"{\"a\": {\"items\": []}}", "1: the arrays 'a' of ee.tree must be a method or { \"optimal\", threshold = 0.5 }"},
      {"{\"a\": {\"items\": [\"set\"], \"threshold\": 0.5}}",
       "1: the arrays 'a' of ee.tree: 'threshold' is for the methods optimal and greedy"},
      {"{\"items\": [\"index\"], \"threshold\": 0}",
       "1: the arrays 'default' of ee.tree: 'threshold' is for the methods optimal and greedy"},
      {"{\"items\": [\"key\"], \"key\": \"id\", \"threshold\": 1}",
       "1: the arrays 'default' of ee.tree: 'threshold' is for the methods optimal and greedy"},
      {"{\"items\": [\"greedy\"], \"threshold\": 1.5}",
       "1: option 'threshold' of the arrays 'default' of ee.tree must be between 0 and 1, got 1.5"},
      {"\"best\"", "1: option 'method' of the arrays 'default' of ee.tree must be one of 'optimal', 'greedy', 'key', "
                   "'index', 'set', got 'best'"},
      {"{\"*\": \"set\"}", "1: arrays of ee.tree: '*' names every value (write default, which names all others)"},
  };
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
    char rules[300];
    snprintf(rules, sizeof rules, TREE(", \"arrays\": %s"), more[i].arrays);
    check_mistakes(rules, more[i].mistake);
  }
  check_mistakes(TREE(", \"weights\": [1]"),
                 "1: the values of 'weights' in ee.tree must have keys, got a number without one");
  check_mistakes(TREE(", \"weights\": {\"a\": -1, \"b\": 0, \"c\": 1000000000}"),
                 "1: the weight of 'a' in ee.tree must be a number from 0 to 1000000000, got a number");
  check_mistakes(TREE(", \"arrays\": 3"), "1: option 'arrays' of ee.tree must be a string or a table, got a number");
  check_mistakes(TREE(", \"weights\": {\"a\": \"2\", \"b\": 2e9, \"c[1]\": 1}"),
                 "1: the weight of 'a' in ee.tree must be a number from 0 to 1000000000, got a string",
                 "1: the weight of 'b' in ee.tree must be a number from 0 to 1000000000, got a number",
                 "1: weights of ee.tree: 'c[1]' has an index, but all items of an array are one place; write [*]");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_print), cmocka_unit_test(test_order), cmocka_unit_test(test_selectors),
             cmocka_unit_test(test_facts), cmocka_unit_test(test_leaf_mistakes), cmocka_unit_test(test_queries),
             cmocka_unit_test(test_values), cmocka_unit_test(test_array_mistakes));
