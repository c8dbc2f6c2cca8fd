/* test_strategy_set.c: ee.set whose elements pair by a strategy, against trying all pairings. */
#include "judge/strategy/strategy_fixture.h"

#include <math.h>

#include "judge/strategy/strategy.h"
#include "support/random.h"

#define NODE(spec_value) ((ee_rule_value){.type = EE_RULE_NODE, .node = (spec_value)})

static const ee_strategy *set_of(fixture *f, const ee_rule_node *match, double threshold) {
  return compile(f, node(f, "set", ITEMS(T("p")), OPTIONS(O("match", NODE(match)), O("threshold", N(threshold)))));
}
static const ee_rule_node *fuzzy(fixture *f, double threshold, bool graded) {
  return node(f, "fuzzy", NONE,
              OPTIONS(O("score", graded ? T("similarity") : T("match")), O("threshold", N(threshold))));
}

static void check_score(fixture *f, const ee_strategy *set, const char *expected, const char *candidate, double score) {
  ee_comparison result = compare(f, set, expected, candidate);
  if (fabs(result.score - score) > 1e-12)
    fail_msg("%s against %s: %.17g instead of %.17g", expected, candidate, result.score, score);
  assert_true(result.similarity == result.score);
}

static void test_scores(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_strategy *set = set_of(&f, fuzzy(&f, 0.75, false), 1);
  check_score(&f, set, "[\"abcd\", \"efgh\"]", "[\"efgx\", \"abcd\"]", 1);
  check_score(&f, set, "[\"abcd\", \"efgh\"]", "[\"abxx\", \"abcd\"]", 1.0 / 3);
  check_score(&f, set, "[\"abcd\"]", "[\"abcd\", \"abcd\"]", 0.5);
  check_score(&f, set, "[]", "[\"a\"]", 0);
  check_score(&f, set, "[null, \"\"]", "[\" \", null]", 1);
  check_score(&f, set, "[null, \"abcd\"]", "[\"abcd\"]", 0.5);
  /* Each element once: abcd could be both abcx and abxd. */
  const ee_strategy *graded = set_of(&f, fuzzy(&f, 0.5, true), 1);
  check_score(&f, graded, "[\"abcd\", \"abcx\"]", "[\"abcd\", \"abxx\"]", 1.75 / 2.25);
  check_score(&f, graded, "[\"abcd\", \"zzzz\"]", "[\"abcx\", \"yyyy\"]", 0.75 / 3.25);
  /* Below the strategy's own threshold there is no pair, however it grades. */
  check_score(&f, set_of(&f, fuzzy(&f, 0.8, true), 1), "[\"abcd\"]", "[\"abcx\"]", 0);
  const ee_strategy *near = set_of(&f, node(&f, "numeric", NONE, OPTIONS(O("tolerance", N(1)))), 1);
  check_score(&f, near, "[1, 2, 3]", "[4, 2, 3]", 1);
  check_score(&f, near, "[1, \"x\"]", "[\"y\", 2]", 1.0 / 3);
  fixture_close(&f);
}

static void test_matching(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_strategy *graded = set_of(&f, fuzzy(&f, 0.5, true), 0.75);
  ee_comparison result = compare(&f, graded, "[\"abcd\", \"efgh\"]", "[\"abcd\", \"efxx\"]");
  assert_false(result.matched);
  assert_reason(&result.reason, "similarity 0.6 below 0.75");
  result = compare(&f, graded, "[\"abcd\", \"efgh\"]", "[\"abcd\", \"efgx\"]");
  assert_true(result.matched);
  result = compare(&f, graded, "[\"abcd\", \"efgh\"]", "[\"zzzz\", \"efgx\", \"yyyy\"]");
  assert_reason(&result.reason, "1 element missing, 2 extra");
  check_compare(&f, graded, "7", "[1]", "expected value is not an array");
  const ee_strategy *all = compile(&f, node(&f, "set", ITEMS(T("p")),
                                            OPTIONS(O("match", NODE(fuzzy(&f, 0.5, true))),
                                                    O("score", T("all_or_nothing")), O("threshold", N(0.5)))));
  result = compare(&f, all, "[\"abcd\", \"efgh\"]", "[\"abcd\", \"efxx\"]");
  assert_true(result.matched && result.score == 1 && fabs(result.similarity - 0.6) < 1e-12);
  fixture_close(&f);
}

/* The set's own forms apply to its elements, and then those of the strategy. */
static void test_normalize(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_rule_node *exact = node(&f, "exact", NONE, OPTIONS(O("normalize", T("casefold"))));
  const ee_strategy *set =
      compile(&f, node(&f, "set", ITEMS(T("p")), OPTIONS(O("match", NODE(exact)), O("normalize", T("alnum")))));
  check_score(&f, set, "[\"A-1\", \"b2\"]", "[\"B 2\", \"a1\"]", 1);
  fixture_close(&f);
}

static void test_scripts(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_strategy *set = set_of(&f, node(&f, "custom", ITEMS(F(FUNCTION_SCORE)), OPTIONS(O("threshold", N(0.5)))), 1);
  assert_true(ee_strategy_calls_script(set) && !ee_strategy_is_reflexive(set) && !ee_strategy_uses_provider(set));
  f.script.score = 0.5;
  check_score(&f, set, "[1, 2]", "[3, 4]", 1.0 / 3);
  assert_int_equal(f.script.calls, 4);
  assert_true(ee_str_is(f.script.place.path, "p"));
  /* An error counts as not matched, and is recorded once a call. */
  const ee_strategy *raises = set_of(&f, node(&f, "custom", ITEMS(F(FUNCTION_RAISE)), NONE), 1);
  check_score(&f, raises, "[1]", "[3]", 0);
  assert_int_equal(f.context.rule_error_count, 1);
  assert_true(ee_strategy_uses_provider(set_of(&f, node(&f, "semantic", NONE, NONE), 1)));
  assert_true(ee_strategy_is_reflexive(set_of(&f, fuzzy(&f, 0.5, true), 1)));
  fixture_close(&f);
}

static void test_falling_back(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_strategy *set = compile(
      &f, node(&f, "set", ITEMS(T("p")), OPTIONS(O("match", NODE(fuzzy(&f, 0.5, true))), O("max_pairs", N(3)))));
  /* Greedy takes 0.8 and nothing else; optimal 0.75 and 4/7. */
  check_score(&f, set, "[\"aabb\", \"abbbbbb\"]", "[\"aabbb\", \"aab\"]", 0.8 / 3.2);
  assert_int_equal(f.context.fallbacks, 1);
  const ee_strategy *optimal = set_of(&f, fuzzy(&f, 0.5, true), 1);
  double sum = 0.75 + 4.0 / 7;
  check_score(&f, optimal, "[\"aabb\", \"abbbbbb\"]", "[\"aabbb\", \"aab\"]", sum / (4 - sum));
  assert_int_equal(f.context.fallbacks, 1);
  fixture_close(&f);
}

#define check_mistake_of(f, options, text)                                                                             \
  do {                                                                                                                 \
    ee_error_list_fini(&(f)->errors);                                                                                  \
    ee_error_list_init(&(f)->errors);                                                                                  \
    ee_strategy_compile(&(f)->builder, node((f), "set", ITEMS(T("p")), options));                                      \
    assert_int_equal((f)->errors.count, 1);                                                                            \
    assert_string_equal((f)->errors.items[0].message, text);                                                           \
  } while (0)

static void check_mistake(fixture *f, const ee_rule_node *match, const char *message) {
  ee_error_list_fini(&f->errors);
  ee_error_list_init(&f->errors);
  ee_strategy_compile(&f->builder, node(f, "set", ITEMS(T("p")), OPTIONS(O("match", NODE(match)))));
  assert_true(f->errors.count >= 1);
  assert_string_equal(f->errors.items[0].message, message);
}

static void test_mistakes(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  check_mistake(&f, node(&f, "fuzzy", ITEMS(T("x")), NONE),
                "the strategy in match of ee.set must not have a path, got 'x'");
  check_mistake(&f, node(&f, "fuzzy", NONE, OPTIONS(O("weight", N(2)))),
                "the strategy in match of ee.set must not have the option 'weight'");
  check_mistake(&f, node(&f, "ignore", NONE, NONE), "ee.ignore is not allowed in match of ee.set");
  check_mistake(&f, node(&f, "fields", NONE, NONE), "ee.fields is a judge, match of ee.set takes a strategy");
  check_mistake(&f, node(&f, "fuzy", NONE, NONE), "unknown strategy 'ee.fuzy' (did you mean 'ee.fuzzy'?)");
  check_mistake(&f, node(&f, "fuzzy", NONE, OPTIONS(O("treshold", N(1)))),
                "unknown option 'treshold' for ee.fuzzy (did you mean 'threshold'?)");
  ee_error_list_fini(&f.errors);
  ee_error_list_init(&f.errors);
  ee_strategy_compile(&f.builder, node(&f, "set", ITEMS(T("p")), OPTIONS(O("match", T("fuzzy")))));
  assert_string_equal(f.errors.items[0].message,
                      "option 'match' of ee.set must be a strategy such as ee.fuzzy { threshold = 0.9 }, got a string");
  fixture_close(&f);
}

/* What is a share of what, how it is decided and how it is explained. */
static void test_shares(void **state) {
  (void)state;
  static const struct {
    const char *of;
    double threshold;
    const char *expected, *candidate;
    double score;
    bool matched;
    const char *formula;
  } rows[] = {
      {"union", 0.5, "[1,2]", "[1,2]", 1, true, "2/(2 + 2 - 2) = 1 >= 0.5"},
      {"union", 0.5, "[1,2]", "[2,3]", 1.0 / 3, false, "1/(2 + 2 - 1) = 0.333333 < 0.5"},
      {"union", 0.5, "[1,1,2]", "[1,2,2]", 0.5, true, "2/(3 + 3 - 2) = 0.5 >= 0.5"},
      {"union", 0.51, "[1,1,2]", "[1,2,2]", 0.5, false, "2/(3 + 3 - 2) = 0.5 < 0.51"},
      {"union", 0.5, "[1,2]", "[]", 0, false, "0/(2 + 0 - 0) = 0 < 0.5"},
      {"union", 0.5, "[]", "[1]", 0, false, "0/(0 + 1 - 0) = 0 < 0.5"},
      {"union", 0.5, "[]", "[]", 1, true, NULL},
      {"longer", 0.6, "[1,2]", "[1,2,3]", 2.0 / 3, true, "2/max(2, 3) = 0.666667 >= 0.6"},
      {"longer", 0.7, "[1,2,3]", "[1,2]", 2.0 / 3, false, "2/max(3, 2) = 0.666667 < 0.7"},
      {"longer", 0.5, "[]", "[1]", 0, false, NULL},
      {"longer", 0.5, "[]", "[]", 1, true, NULL},
      {"expected", 1, "[1,2]", "[1,2,3]", 1, true, "2/2 = 1 >= 1"},
      {"expected", 1, "[1,2,3]", "[1,2]", 2.0 / 3, false, "2/3 = 0.666667 < 1"},
      {"expected", 0.5, "[]", "[1]", 0, false, NULL},
      {"expected", 0.5, "[]", "[]", 1, true, NULL},
      {"expected", 0.5, "[1]", "[]", 0, false, "0/1 = 0 < 0.5"},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const ee_rule_node *spec =
        node(&f, "set", ITEMS(T("p")),
             OPTIONS(O("of", ((ee_rule_value){.type = EE_RULE_TEXT, .text = ee_str_from(rows[i].of)})),
                     O("threshold", N(rows[i].threshold))));
    const ee_strategy *set = compile(&f, spec);
    const ee_value *expected = json(&f, rows[i].expected), *candidate = json(&f, rows[i].candidate);
    /* By the rule that says how arrays are compared, since equal values match before it is asked. */
    ee_comparison result = {.score = 0};
    set->type->compare(set, &f.context, expected, candidate, &result);
    ee_explanation how = {.threshold = rows[i].threshold};
    set->type->explain(set, &f.context, expected, candidate, &result, &how);
    bool same = rows[i].formula == NULL || ee_str_is(how.formula, rows[i].formula);
    if (result.score != rows[i].score || result.matched != rows[i].matched || !same)
      fail_msg("%zu: %.17g %d %.*s", i, result.score, result.matched, EE_STR_ARG(how.formula));
  }
  check_mistake_of(&f, OPTIONS(O("of", T("longer")), O("score", T("all_or_nothing"))),
                   "option 'of' of ee.set has no effect with score = \"all_or_nothing\"");
  check_mistake_of(&f, OPTIONS(O("max_pairs", N(2.5)), O("match", NODE(fuzzy(&f, 0.5, true)))),
                   "option 'max_pairs' of ee.set must be a whole number");
  fixture_close(&f);
}

/* All pairings -------------------------------------------------------------------------------------------------------
 */

enum { MOST = 6 };

static double best_sum(fixture *f, const ee_strategy *inner, const ee_value *expected, const ee_value *candidate,
                       unsigned taken) {
  if (expected == NULL) return 0;
  double best = best_sum(f, inner, ee_value_next(expected), candidate, taken);
  unsigned column = 0;
  for (const ee_value *other = candidate; other != NULL; other = ee_value_next(other), column++) {
    if ((taken & 1u << column) != 0) continue;
    ee_script_place place = {.path = EE_STR("p")};
    ee_comparison pair;
    ee_strategy_compare(inner, &f->context, expected, other, &place, &pair);
    if (!pair.matched) continue;
    double sum = pair.score + best_sum(f, inner, ee_value_next(expected), candidate, taken | 1u << column);
    if (sum > best) best = sum;
  }
  return best;
}

static size_t random_texts(test_random *random, char *out) {
  size_t count = test_random_below(random, MOST + 1);
  *out++ = '[';
  for (size_t i = 0; i < count; i++) {
    if (i > 0) *out++ = ',';
    *out++ = '"';
    for (size_t k = 1 + test_random_below(random, 4); k > 0; k--) *out++ = "ab"[test_random_below(random, 2)];
    *out++ = '"';
  }
  strcpy(out, "]");
  return count;
}

static void test_against_all_pairings(void **state) {
  (void)state;
  test_random random = test_random_start("set_pairings", 431);
  for (size_t round = 0; round < 40; round++) {
    fixture f;
    fixture_open(&f);
    const ee_rule_node *spec = fuzzy(&f, (double)(1 + round % 4) / 4, true);
    const ee_strategy *set = set_of(&f, spec, 1), *inner = compile(&f, spec);
    for (size_t i = 0; i < 30; i++) {
      char left[128], right[128];
      size_t n = random_texts(&random, left), m = random_texts(&random, right);
      double sum = best_sum(&f, inner, ee_value_child(json(&f, left)), ee_value_child(json(&f, right)), 0);
      check_score(&f, set, left, right, n + m == 0 ? 1 : sum / ((double)(n + m) - sum));
      check_score(&f, set, right, left, n + m == 0 ? 1 : sum / ((double)(n + m) - sum));
      check_score(&f, set, left, left, 1);
    }
    fixture_close(&f);
  }
}

/* An equal pair alone, or two weak pairs in its place: (1) / (4 - 1) or (0.375 + 0.375) / (4 - 0.75). */
static void test_gate(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_rule_node *weak = fuzzy(&f, 0.3, true);
  static const char *const expected = "[\"abcdefgh\", \"xxxxxfgh\"]", *const candidate = "[\"abcdefgh\", \"abcyyyyy\"]";
  check_score(&f, set_of(&f, weak, 1), expected, candidate, 1.0 / 3);
  check_score(&f, compile(&f, node(&f, "set", ITEMS(T("p")), OPTIONS(O("match", NODE(weak)), O("gate", T("count"))))),
              expected, candidate, 0.75 / 3.25);
  fixture_close(&f);
}

/* An array is read where each of its elements is. */
static void test_unread(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_strategy *numbers = set_of(&f, node(&f, "numeric", NONE, NONE), 1);
  static const struct {
    const char *expected, *candidate;
    bool unread[2];
  } facts[] = {{"[1, 2]", "[1, 3]", {false, false}},          {"[1, \"x\"]", "[1, 3]", {true, false}},
               {"[1, 2]", "[1, null, \"y\"]", {false, true}}, {"[1, 2]", "[1, null, \"\"]", {false, false}},
               {"[\"x\"]", "[\"y\"]", {true, true}},          {"[1]", "2", {false, true}}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_comparison result = compare(&f, numbers, facts[i].expected, facts[i].candidate);
    assert_false(result.matched);
    for (int side = 0; side < 2; side++)
      if (result.unread[side] != facts[i].unread[side])
        fail_msg("%s and %s: side %d", facts[i].expected, facts[i].candidate, side);
  }
  /* With nothing to compare it with, an array need not be read by its elements, and another value is none. */
  assert_true(ee_strategy_reads(numbers, EE_CANDIDATE, json(&f, "[\"x\"]"), &f.case_arena));
  assert_false(ee_strategy_reads(numbers, EE_CANDIDATE, json(&f, "2"), &f.case_arena));
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_scores), cmocka_unit_test(test_matching),
             cmocka_unit_test(test_normalize), cmocka_unit_test(test_scripts), cmocka_unit_test(test_falling_back),
             cmocka_unit_test(test_mistakes), cmocka_unit_test(test_shares), cmocka_unit_test(test_gate),
             cmocka_unit_test(test_against_all_pairings), cmocka_unit_test(test_unread));
