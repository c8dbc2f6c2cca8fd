/* test_tree.c: ee.tree: what is compared with what, what counts, and what is said of it. */
#include <math.h>

#include "judge/plan_fixture.h"

#include "judge/tree/tree.h"

/* Rules with one ee.tree; `options` begin with a comma. Leaves are compared by ee.exact. */
#define TREE(options) "{\"ee\": \"rules\", \"null_values\": [\"N/A\"], \"items\": [{\"ee\": \"tree\"" options "}]}"
#define EXACT "\"default\": {\"ee\": \"exact\"}"
#define LEAVES(options) TREE(", \"leaves\": {" EXACT "}" options)

static const ee_judge_result *judge(fixture *f, const char *rules, const char *expected, const char *candidate) {
  return fixture_judge_rules(f, rules, expected, candidate);
}

/* The pairs of all arrays as "path: 0-1 (0.5), 1-0 (1)", joined by "; ". */
static const char *alignments(fixture *f, const ee_judge_result *result) {
  const ee_tree_result *details = result->details;
  ee_buffer_clear(&f->text);
  for (size_t i = 0; i < details->arrays.count; i++) {
    const ee_tree_alignment *array = &details->arrays.items[i];
    ee_buffer_addf(&f->text, "%s%.*s:", i > 0 ? "; " : "", EE_STR_ARG(array->path));
    for (uint32_t k = 0; k < array->pair_count; k++)
      ee_buffer_addf(&f->text, "%s%u-%u (%.6g)", k > 0 ? ", " : " ", array->pairs[2 * k], array->pairs[2 * k + 1],
                     array->scores[k]);
  }
  return ee_buffer_terminate(&f->text);
}

static void test_whole_document(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = judge(
      &f, LEAVES(""),
      "{\"no\": \"A1\", \"vat\": {\"id\": 7, \"rate\": 0.2}, \"lines\": [{\"sku\": 1, \"n\": 2}, {\"sku\": 2, \"n\": "
      "3}], \"note\": null, \"a.b\": {\"c\": 1}}",
      "{\"no\": \"A1\", \"vat\": {\"id\": 8}, \"lines\": [{\"sku\": 2, \"n\": 3, \"x\": true}, {\"sku\": 9, \"n\": "
      "9}, {\"sku\": 1, \"n\": 2}], \"extra\": [1, 2], \"a.b\": {\"c\": 2}}");
  assert_string_equal(alignments(&f, result), "lines: 0-2 (1), 1-0 (0.666667)");
  assert_hits(&f, result, "no; lines[0].sku; lines[0].n; lines[1].sku; lines[1].n");
  assert_misses(&f, result,
                "vat.id (value mismatch); vat.rate (required, missing); lines[1].x (nothing expected); lines[+1].sku "
                "(nothing expected); lines[+1].n (nothing expected); [\"a.b\"].c (value mismatch); extra[+0] (nothing "
                "expected); extra[+1] (nothing expected)");
  assert_string_equal(fixture_attributes(&f, result),
                      "no* 1 0 0 0; vat.id* 0 0 1 1; vat.rate* 0 0 0 1; lines[*].sku* 2 0 1 0; lines[*].n* 2 0 1 0; "
                      "lines[*].x* 0 0 1 0; note* 0 1 0 0; [\"a.b\"].c* 0 0 1 1; extra[*]* 0 0 2 0");
  assert_reasoning(result, "5/8 values correct, 2 incorrect, 1 missing, 5 spurious");
  /* 5 correct and note, of 14 leaves. */
  assert_true(fabs(result->score - 6.0 / 14) < 1e-12);
  fixture_close(&f);
}

/* The aggregates, and the score of each by hand. */
static void test_aggregates(void **state) {
  (void)state;
  static const struct {
    const char *rules, *expected, *candidate;
    double score;
  } cases[] = {
      {LEAVES(""), "{\"a\": 1, \"o\": {\"b\": 2, \"c\": 3, \"d\": 4}}", "{\"a\": 1, \"o\": {\"b\": 2, \"c\": 3}}",
       0.75},
      {LEAVES(", \"aggregate\": \"mean\""), "{\"a\": 1, \"o\": {\"b\": 2, \"c\": 3, \"d\": 4}}",
       "{\"a\": 1, \"o\": {\"b\": 2, \"c\": 3}}", (1 + 2.0 / 3) / 2},
      {LEAVES(", \"aggregate\": \"mean\""), "[1, 2, 3]", "[1, 2, 3, 4]", 0.75},
      /* Sets: one item on both sides, one on each. */
      {LEAVES(", \"aggregate\": \"mean\", \"arrays\": \"set\""), "[1, 2]", "[1, 3]", 0.5},
      {LEAVES(", \"aggregate\": \"union\", \"arrays\": \"set\""), "[1, 2]", "[1, 3]", 1.0 / 3},
      {LEAVES(", \"arrays\": \"set\""), "[1, 2]", "[1, 3]", 1.0 / 3},
      /* An object against a string: as many leaves as the larger has. */
      {LEAVES(""), "{\"a\": {\"b\": 1, \"c\": 2}, \"d\": 3}", "{\"a\": \"b\", \"d\": 3}", 1.0 / 3},
      {LEAVES(", \"aggregate\": \"mean\""), "{\"a\": {\"b\": 1, \"c\": 2}, \"d\": 3}", "{\"a\": \"b\", \"d\": 3}", 0.5},
      /* What is empty on both sides. */
      {LEAVES(""), "{\"a\": null, \"b\": 1}", "{\"b\": 2}", 0.5},
      {LEAVES(""), "{\"b\": 1}", "{\"a\": null, \"b\": 2}", 0},
      {LEAVES(", \"tn\": \"either\""), "{\"b\": 1}", "{\"a\": null, \"b\": 2}", 0.5},
      {LEAVES(", \"tn\": \"skip\""), "{\"a\": null, \"b\": 1}", "{\"b\": 2}", 0},
      {LEAVES(", \"null\": \"value\""), "{\"a\": null, \"b\": 1}", "{\"b\": 1}", 0.5},
      {LEAVES(", \"null\": \"value\""), "{\"a\": null, \"b\": 1}", "{\"a\": null, \"b\": 1}", 1},
      {LEAVES(", \"on_unexpected\": \"skip\""), "{\"b\": 1}", "{\"a\": 1, \"b\": 1}", 1},
      {LEAVES(", \"on_unexpected\": \"pass\""), "{\"b\": 1}", "{\"a\": 1, \"b\": 2}", 0.5},
      /* Weights: of leaves inherited, overridden below. */
      {LEAVES(", \"weights\": {\"o\": 3, \"*.c\": 0}"), "{\"a\": 1, \"o\": {\"b\": 2, \"c\": 3}}",
       "{\"a\": 2, \"o\": {\"b\": 2, \"c\": 4}}", 0.75},
      {LEAVES(", \"aggregate\": \"mean\", \"weights\": {\"o\": 3}"), "{\"a\": 1, \"o\": {\"b\": 2, \"c\": 3}}",
       "{\"a\": 2, \"o\": {\"b\": 2, \"c\": 4}}", 3 * 0.5 / 4},
      /* No document has anything. */
      {LEAVES(""), "{}", "{}", 1},
      {LEAVES(""), "7", "7", 1},
      {LEAVES(""), "7", "8", 0},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ee_judge_result *result = judge(&f, cases[i].rules, cases[i].expected, cases[i].candidate);
    if (fabs(result->score - cases[i].score) > 1e-12)
      fail_msg("%s\n%s\n%s: %.17g, not %.17g", cases[i].rules, cases[i].expected, cases[i].candidate, result->score,
               cases[i].score);
  }
  fixture_close(&f);
}

/* The most specific entry decides. */
static void test_leaf_strategies(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = judge(
      &f,
      TREE(", \"leaves\": {" EXACT ", \"number\": {\"ee\": \"numeric\", \"tolerance\": 1}, \"integer\": {\"ee\": "
           "\"numeric\", \"tolerance\": 2}, \"*.total\": {\"ee\": \"numeric\", \"tolerance\": 10}, \"o.total\": "
           "{\"ee\": \"exact\"}, \"*.x_*\": {\"ee\": \"ignore\"}, \"tags\": {\"ee\": \"set\"}, "
           "\"mixed\": {\"ee\": \"fuzzy\", \"threshold\": 0.1, \"score\": \"similarity\"}}"),
      "{\"a\": 1.5, \"b\": 4, \"total\": 100, \"o\": {\"total\": 100, \"x_1\": 1}, \"p\": {\"total\": 100}, \"tags\": "
      "[1, 2], \"m\": \"5\"}",
      "{\"a\": 2.4, \"b\": 6, \"total\": 109, \"o\": {\"total\": 101}, \"p\": {\"total\": 91}, \"tags\": [2, 1], "
      "\"x_y\": 7, \"m\": 5}");
  assert_hits(&f, result, "a; b; total; p.total; tags; m");
  assert_misses(&f, result, "o.total (value mismatch)");
  fixture_close(&f);
}

static void test_methods(void **state) {
  (void)state;
  static const struct {
    const char *rules, *expected, *candidate, *pairs;
  } cases[] = {
      {LEAVES(", \"arrays\": \"index\""), "{\"l\": [1, 2, 3]}", "{\"l\": [2, 3]}", "l: 0-0 (0), 1-1 (0)"},
      {LEAVES(""), "{\"l\": [1, 2, 3]}", "{\"l\": [2, 3]}", "l: 1-0 (1), 2-1 (1)"},
      {LEAVES(", \"arrays\": [\"key\"]"), "{\"l\": [1]}", "{\"l\": [1]}", NULL},
      {LEAVES(", \"arrays\": {\"items\": [\"key\"], \"key\": \"id\"}"),
       "{\"l\": [{\"id\": 1, \"v\": 1}, {\"id\": 2, \"v\": 2}, {\"v\": 3}]}",
       "{\"l\": [{\"v\": 3}, {\"id\": 2, \"v\": 1}, {\"id\": 1, \"v\": 2}]}", "l: 0-2 (0.5), 1-1 (0.5), 2-0 (1)"},
      /* Several of one key: the best pairs. */
      {LEAVES(", \"arrays\": {\"items\": [\"key\"], \"key\": \"id\"}"),
       "{\"l\": [{\"id\": 1, \"v\": 1}, {\"id\": 1, \"v\": 2}]}",
       "{\"l\": [{\"id\": 1, \"v\": 2}, {\"id\": 1, \"v\": 1}]}", "l: 0-1 (1), 1-0 (1)"},
      {LEAVES(", \"arrays\": {\"items\": [\"optimal\"], \"threshold\": 0.6}"),
       "{\"l\": [{\"a\": 1, \"b\": 1}, {\"a\": 2, \"b\": 2}]}", "{\"l\": [{\"a\": 1, \"b\": 9}, {\"a\": 2, \"b\": 2}]}",
       "l: 1-1 (1)"},
      /* Greedy takes the pair of 1, and is left with one of 0; optimal pairs twice 2/3. */
      {LEAVES(", \"arrays\": \"greedy\""), "[{\"a\": 1, \"b\": 1, \"c\": 1}, {\"a\": 1, \"b\": 1, \"c\": 2}]",
       "[{\"a\": 1, \"b\": 1, \"c\": 1}, {\"a\": 5, \"b\": 1, \"c\": 1}]", "document: 0-0 (1), 1-1 (0.333333)"},
      {LEAVES(""), "[{\"a\": 1, \"b\": 1, \"c\": 1}, {\"a\": 1, \"b\": 1, \"c\": 2}]",
       "[{\"a\": 1, \"b\": 1, \"c\": 1}, {\"a\": 5, \"b\": 1, \"c\": 1}]", "document: 0-0 (1), 1-1 (0.333333)"},
      /* Inner arrays are paired within the pair. */
      {LEAVES(""), "{\"l\": [{\"t\": [1, 2]}, {\"t\": [3, 4]}]}", "{\"l\": [{\"t\": [4, 3]}, {\"t\": [2, 5]}]}",
       "l[0].t: 0-1 (0), 1-0 (1); l[1].t: 0-1 (1), 1-0 (1); l: 0-1 (0.5), 1-0 (1)"},
      {TREE(", \"leaves\": {" EXACT "}, \"arrays\": {\"default\": \"index\", \"*.t\": \"set\"}"),
       "{\"l\": [{\"t\": [1, 2]}, {\"t\": [3, 4]}]}", "{\"l\": [{\"t\": [4, 3]}, {\"t\": [2, 5]}]}",
       "l[0].t:; l[1].t:; l: 0-0 (0), 1-1 (0)"},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture_close(&f);
    fixture_open(&f);
    if (fixture_compile(&f, cases[i].rules) == NULL) {
      assert_null(cases[i].pairs);
      continue;
    }
    const ee_judge_result *result = fixture_judge_case(&f, cases[i].expected, cases[i].candidate);
    assert_string_equal(alignments(&f, result), cases[i].pairs);
  }
  fixture_close(&f);
}

/* What the schema declares decides before the types of the values. */
static void test_schema(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = judge(
      &f,
      TREE(", \"leaves\": {" EXACT ", \"number\": {\"ee\": \"numeric\", \"tolerance\": 1}, \"format:date\": {\"ee\": "
           "\"date\"}, \"o.c\": {\"ee\": \"exact\"}}, \"schema\": {\"properties\": {\"a\": {\"type\": \"number\"}, "
           "\"d\": {\"$ref\": \"#/$defs/x~1y\"}, \"o\": {\"properties\": {\"c\": {\"type\": \"number\"}}, "
           "\"additionalProperties\": {\"type\": \"string\"}}, \"l\": {\"anyOf\": [{\"additionalProperties\": "
           "{\"type\": \"integer\"}}]}, \"r\": {\"$ref\": \"#/properties/r\"}}, \"$defs\": {\"x/y\": {\"format\": "
           "\"date\"}}}"),
      "{\"a\": \"2\", \"d\": \"2025-01-02\", \"o\": {\"c\": 1, \"e\": \"x\"}, \"l\": {\"x\": \"5\"}, \"r\": \"7\", "
      "\"z\": "
      "\"1\"}",
      "{\"a\": 3, \"d\": \"2 Jan 2025\", \"o\": {\"c\": 2, \"e\": \"x\"}, \"l\": {\"x\": 4}, \"r\": \"8\", \"z\": "
      "\"2\"}");
  assert_hits(&f, result, "a; d; o.e; l.x");
  assert_misses(&f, result, "o.c (value mismatch); r (value mismatch); z (value mismatch)");
  fixture_close(&f);
}

/* Beyond max_pairs greedy stands in, and is said to. */
static void test_fallback(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = judge(&f, LEAVES(", \"max_pairs\": 3"), "[[1, 2], [3, 4]]", "[[2, 1], [4, 5]]");
  assert_true(result->fallbacks > 0);
  assert_reasoning(result, "3/4 values correct, 1 incorrect, 0 missing, 0 spurious; 2 arrays paired by greedy, since "
                           "optimal would be too much work");
  result = judge(&f, LEAVES(""), "[[1, 2], [3, 4]]", "[[2, 1], [4, 5]]");
  assert_true(result->fallbacks == 0);
  fixture_close(&f);
}

/* {"l": [[1, 0], [1, 1], ...]}, in which each item is half of each of another such array. */
static const char *many_items(ee_buffer *text, int count, int first) {
  for (int i = 0; i < count; i++) ee_buffer_addf(text, "%s[1, %d]", i > 0 ? ", " : "{\"l\": [", first + i);
  ee_buffer_add_text(text, "]}");
  return ee_buffer_terminate(text);
}

/* More possible pairs than may be in memory: greedy is used, too. With a key that all items share, no pairs are listed
 * at all. */
static void test_too_many_pairs(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  ee_limits limits = EE_LIMITS_DEFAULT;
  limits.pairs = 1000;
  ee_limits_set(&limits);
  ee_buffer texts[2] = {{0}};
  const char *expected = many_items(&texts[0], 300, 2), *candidate = many_items(&texts[1], 300, 1000);
  const char *optimal = TREE(", \"arrays\": {\"default\": \"index\", \"l\": \"optimal\"}, \"leaves\": {" EXACT "}");
  const ee_judge_result *result = judge(&f, optimal, expected, candidate);
  assert_reasoning(result,
                   "300/600 values correct, 300 incorrect, 0 missing, 0 spurious; 1 array paired by greedy, since "
                   "optimal would be too much work");
  assert_true(result->score == 0.5 && result->fallbacks == 1);
  const char *greedy = TREE(", \"arrays\": {\"default\": \"index\", \"l\": \"greedy\"}, \"leaves\": {" EXACT "}");
  result = judge(&f, greedy, expected, candidate);
  assert_true(result->score == 0.5 && result->fallbacks == 0);
  const char *key = TREE(", \"arrays\": {\"default\": \"index\", \"l\": {\"items\": [\"key\"], \"key\": \"[0]\"}}, "
                         "\"leaves\": {" EXACT "}");
  result = judge(&f, key, expected, candidate);
  assert_true(result->score == 0.5 && result->fallbacks == 0);
  ee_limits_set(NULL);
  ee_buffer_fini(&texts[0]);
  ee_buffer_fini(&texts[1]);
  fixture_close(&f);
}

static void test_no_candidate(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = judge(&f, LEAVES(""), "{\"a\": 1, \"l\": [1]}", NULL);
  assert_true(result->score == 0 && !result->vacuous);
  assert_misses(&f, result, "candidate (missing); a (required, missing); l[0] (required, missing)");
  assert_reasoning(result, "no candidate document");
  fixture_close(&f);
}

static void test_mistakes(void **state) {
  (void)state;
  check_mistakes(TREE(", \"leaves\": {\"a[0]\": {\"ee\": \"exact\"}, \"*\": {\"ee\": \"exact\"}, \"b\": {\"ee\": "
                      "\"exact\", \"weight\": 2}, \"c\": 1, \"d\": {\"ee\": \"exact\", \"items\": [\"e\"]}}"),
                 "1: leaves of ee.tree: '*' names every value (write default, which names all others)",
                 "1: leaves of ee.tree: 'a[0]' has an index, but all items of an array are one place; write [*]",
                 "1: a strategy in ee.tree must not have the option 'weight'",
                 "1: the leaf 'c' of ee.tree must be a strategy such as ee.fuzzy {}, got a number",
                 "1: a strategy in ee.tree must not have a path, got 'e' (its place is 'd')");
  check_mistakes(TREE(", \"arrays\": {\"a\": \"best\", \"b\": {\"items\": [\"index\"], \"threshold\": 0.5}, \"c\": "
                      "[\"key\"]}, \"weights\": {\"a\": -1}"),
                 "1: option 'method' of the arrays 'a' of ee.tree must be one of 'optimal', 'greedy', 'key', 'index', "
                 "'set', got 'best'",
                 "1: the arrays 'b' of ee.tree: 'threshold' is for the methods optimal and greedy",
                 "1: the arrays 'c' of ee.tree: method key needs a key: { \"key\", key = \"id\" }",
                 "1: the weight of 'a' in ee.tree must be a number from 0 to 1000000000, got a number");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_whole_document), cmocka_unit_test(test_aggregates),
             cmocka_unit_test(test_leaf_strategies), cmocka_unit_test(test_methods), cmocka_unit_test(test_schema),
             cmocka_unit_test(test_fallback), cmocka_unit_test(test_too_many_pairs),
             cmocka_unit_test(test_no_candidate), cmocka_unit_test(test_mistakes));
