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

/* Functions ------------------------------------------------------------------------------------- */

static ee_status mean_of_parts(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  (void)error;
  double sum = 0, weights = 0;
  for (size_t i = 0; i < count; i++) {
    if (!parts[i].scored) continue;
    sum += parts[i].score * parts[i].weight;
    weights += parts[i].weight;
  }
  *result = weights > 0 ? sum / weights : 1;
  return EE_OK;
}
static char seen_parts[1024];
static ee_status keep_parts(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  size_t length = 0;
  for (size_t i = 0; i < count; i++)
    length += (size_t)snprintf(seen_parts + length, sizeof seen_parts - length, "%s%.*s %g %g %d %d/%d/%d/%d",
                               i > 0 ? "; " : "", EE_STR_ARG(parts[i].name), parts[i].score, parts[i].weight,
                               parts[i].scored, (int)parts[i].counts.tp, (int)parts[i].counts.tn,
                               (int)parts[i].counts.fp, (int)parts[i].counts.fn);
  return mean_of_parts(parts, count, result, error);
}
static ee_status seven(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  (void)parts, (void)count, (void)error;
  *result = 7;
  return EE_OK;
}
static ee_status fail_always(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  (void)parts, (void)count, (void)result;
  return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 9, 0, "oops");
}

#define FUNCTION ", \"aggregate\": {\"function\": 0}"

/* A function gets the children, and decides; a mean in it is that of "mean". */
static void test_function(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.aggregate = keep_parts;
  const ee_judge_result *result = judge(&f, LEAVES(FUNCTION ", \"weights\": {\"o\": 3, \"n\": 0}"),
                                        "{\"a\": 1, \"o\": {\"b\": 2, \"c\": 3}, \"n\": 1, \"e\": null}",
                                        "{\"a\": 2, \"o\": {\"b\": 2, \"x\": 4}, \"n\": 2}");
  assert_string_equal(seen_parts, "a 0 1 1 0/0/1/1; o 0.333333 3 1 1/0/1/1; n 1 0 0 0/0/1/1; e 1 1 1 0/1/0/0");
  assert_true(fabs(result->score - (3 * (1.0 / 3) + 1) / 5) < 1e-12);
  static const char *const documents[][2] = {
      {"{\"l\": [{\"a\": 1, \"b\": [1, 2]}, {\"a\": 2, \"b\": [3, 4]}], \"c\": null}",
       "{\"l\": [{\"a\": 2, \"b\": [4, 5]}, {\"a\": 1, \"b\": [1, 2]}]}"},
      {"[[1, 2], [3, 4]]", "[[3, 4], [1, 5]]"},
      {"{\"a\": {\"b\": {\"c\": 1, \"d\": 2}}}", "{\"a\": {\"b\": {\"c\": 1, \"d\": 3}}}"},
  };
  for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
    f.script.aggregate = mean_of_parts;
    double score = judge(&f, LEAVES(FUNCTION), documents[i][0], documents[i][1])->score;
    assert_true(score > 0 && score < 1);
    assert_true(fabs(judge(&f, LEAVES(", \"aggregate\": \"mean\""), documents[i][0], documents[i][1])->score - score) <
                1e-12);
  }
  /* Of items the name is their path. */
  f.script.aggregate = keep_parts;
  judge(&f, LEAVES(FUNCTION), "[1, 2]", "[2, 1]");
  assert_string_equal(seen_parts, "[*] 1 1 1 1/0/0/0; [*] 1 1 1 1/0/0/0");
  /* There are no children to ask for. */
  size_t calls = f.script.calls;
  assert_true(judge(&f, LEAVES(FUNCTION), "1", "1")->score == 1);
  assert_int_equal(f.script.calls, calls);
  fixture_close(&f);
}

/* A function in error costs the judge its score. Each call that fails is one error, though what is paired is compared
 * again: those of 2 x 2 pairs, then those of what is around them. */
static void test_function_errors(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.aggregate = seven;
  const ee_judge_result *result = judge(&f, LEAVES(FUNCTION), "[[1, 2], [3, 4]]", "[[1, 5], [3, 6]]");
  assert_true(result->score == 0 && result->failed);
  assert_misses(
      &f, result,
      "aggregate (rules.lua:1: aggregate returned a number outside 0..1: 7); document[0][1] (value mismatch); "
      "document[1][1] (value mismatch)");
  assert_int_equal(f.result.rule_errors, 4 + 1);
  assert_int_equal(f.rule_errors.count, 4 + 1);
  f.script.aggregate = fail_always;
  result = judge(&f, LEAVES(FUNCTION), "{\"a\": 1}", "{\"a\": 1}");
  assert_misses(&f, result, "aggregate (rules.lua:9: oops)");
  assert_true(result->score == 0 && result->failed && !result->vacuous);
  fixture_close(&f);
}

static ee_status never(const ee_value *expected, const ee_value *candidate, ee_script_score *result, ee_error *error) {
  (void)expected, (void)candidate, (void)result;
  return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 3, 0, "never");
}

/* The same of a strategy, at any depth of arrays: 4 pairs of arrays of 4 pairs of leaves. */
static void test_strategy_errors(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.strategy = never;
  const char *rules = TREE(", \"leaves\": {\"default\": {\"ee\": \"custom\", \"items\": [{\"function\": 0}]}}");
  const ee_judge_result *result = judge(&f, rules, "[[1, 2], [3, 4]]", "[[5, 6], [7, 8]]");
  assert_true(result->score == 0);
  assert_int_equal(f.result.rule_errors, 16);
  assert_int_equal(f.rule_errors.count, 16);
  assert_string_equal(fixture_attributes(&f, result), "[*][*]* 0 0 4 4");
  fixture_close(&f);
}

/* What is said, and counted, of some kinds of values ------------------------------------------------ */

/* An expected value that the strategy cannot read is in no count and no score. */
static void test_unread(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = TREE(", \"leaves\": {\"default\": {\"ee\": \"numeric\"}}");
  const ee_judge_result *result = judge(&f, rules, "{\"a\": \"x\", \"b\": 1, \"c\": \"y\", \"l\": [\"z\", 3]}",
                                        "{\"a\": \"x1\", \"b\": 1, \"l\": [3]}");
  const ee_tree_result *details = result->details;
  assert_int_equal(details->total.right, 2);
  assert_int_equal(details->total.wrong + details->total.missing + details->total.spurious, 0);
  assert_true(result->score == 1);
  assert_true(ee_fixed_value(details->total.size) == 2);
  fixture_close(&f);
}

/* A key that needs brackets follows its array without a dot. */
static void test_places(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result =
      judge(&f, LEAVES(", \"arrays\": \"index\""), "{\"l\": [{\"a.b\": 1, \"c\": [{\"d.e\": 2}], \"f.g\": [3]}]}",
            "{\"l\": [{\"a.b\": 2, \"c\": [{\"d.e\": 1}], \"f.g\": [4]}, {\"a.b\": 3}]}");
  assert_misses(
      &f, result,
      "l[0][\"a.b\"] (value mismatch); l[0].c[0][\"d.e\"] (value mismatch); l[0][\"f.g\"][0] (value mismatch); "
      "l[+1][\"a.b\"] (nothing expected)");
  fixture_close(&f);
}

/* Beyond 65,536 pairs the best pairing is that of a list of the possible pairs. In each block of two items the best
 * pair (6 of 10 values) is no part of it: 5 and 5 are more than 6 and 0. */
static void test_large_optimal(void **state) {
  (void)state;
  enum { BLOCKS = 150 };
  fixture f;
  fixture_open(&f);
  ee_buffer texts[2] = {{0}};
  for (int side = 0; side < 2; side++) {
    ee_buffer_add_text(&texts[side], "{\"l\": [");
    for (int i = 0; i < 2 * BLOCKS; i++) {
      int block = i / 2;
      bool second = i % 2 == 1;
      ee_buffer_add_text(&texts[side], i > 0 ? ", {" : "{");
      for (int k = 0; k < 10; k++) {
        /* Which values are those of the block's first expected item. */
        bool shared = side == 0 ? !second || k < 5 : second ? k >= 5 : k < 6;
        ee_buffer_addf(&texts[side], "%s\"k%d\": \"%d.%d%s\"", k > 0 ? ", " : "", k, block, k,
                       shared      ? ""
                       : side == 0 ? "x"
                       : second    ? "y"
                                   : "z");
      }
      ee_buffer_add_char(&texts[side], '}');
    }
    ee_buffer_add_text(&texts[side], "]}");
  }
  const char *expected = ee_buffer_terminate(&texts[0]), *candidate = ee_buffer_terminate(&texts[1]);
  const ee_judge_result *result =
      judge(&f, LEAVES(", \"arrays\": {\"items\": [\"optimal\"], \"threshold\": 0.1}"), expected, candidate);
  assert_true(result->fallbacks == 0);
  assert_true(fabs(result->score - 0.5) < 1e-12);
  const ee_tree_alignment *pairs = &((const ee_tree_result *)result->details)->arrays.items[0];
  assert_int_equal(pairs->pair_count, 2 * BLOCKS);
  for (uint32_t i = 0; i < pairs->pair_count; i++) {
    assert_int_equal(pairs->pairs[2 * i + 1], pairs->pairs[2 * i] ^ 1);
    assert_true(pairs->scores[i] == 0.5);
  }
  /* Greedy takes it. */
  result = judge(&f, LEAVES(", \"arrays\": {\"items\": [\"greedy\"], \"threshold\": 0.1}"), expected, candidate);
  pairs = &((const ee_tree_result *)result->details)->arrays.items[0];
  assert_int_equal(pairs->pair_count, BLOCKS);
  for (uint32_t i = 0; i < pairs->pair_count; i++) assert_true(pairs->scores[i] == 0.6);
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
             cmocka_unit_test(test_fallback), cmocka_unit_test(test_too_many_pairs), cmocka_unit_test(test_function),
             cmocka_unit_test(test_function_errors), cmocka_unit_test(test_strategy_errors),
             cmocka_unit_test(test_unread), cmocka_unit_test(test_places), cmocka_unit_test(test_large_optimal),
             cmocka_unit_test(test_no_candidate), cmocka_unit_test(test_mistakes));
