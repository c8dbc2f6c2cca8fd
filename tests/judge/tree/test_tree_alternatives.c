/* test_tree_alternatives.c: several correct values in the expected document of ee.tree. */
#include <math.h>

#include "judge/plan_fixture.h"

#include "judge/tree/tree.h"
#include "support/random.h"

#define RULES(options)                                                                                                 \
  "{\"ee\": \"rules\", \"items\": [{\"ee\": \"tree\", \"alternatives\": true, \"leaves\": {\"default\": {\"ee\": "     \
  "\"exact\"}}" options "}]}"

/* "a: 1/2; b: 0/3": the path, the option that was taken, and how many there are. */
static const char *choices(fixture *f, const ee_judge_result *result) {
  const ee_tree_result *details = result->details;
  ee_buffer_clear(&f->text);
  for (size_t i = 0; i < details->choices.count; i++) {
    const ee_tree_choice *choice = &details->choices.items[i];
    ee_buffer_addf(&f->text, "%s%.*s: %u/%u", i > 0 ? "; " : "", EE_STR_ARG(choice->path), choice->option,
                   choice->count);
  }
  return ee_buffer_terminate(&f->text);
}

static void test_choice(void **state) {
  (void)state;
  static const struct {
    const char *rules, *expected, *candidate;
    double score;
    const char *choices;
  } cases[] = {
      {RULES(""), "{\"a\": {\"anyOf\": [\"x\", \"y\"]}, \"b\": 1}", "{\"a\": \"y\", \"b\": 1}", 1, "a: 1/2"},
      {RULES(""), "{\"a\": {\"anyOf\": [\"x\", \"y\"]}, \"b\": 1}", "{\"a\": \"z\", \"b\": 1}", 0.5, "a: 0/2"},
      /* Of whole objects the one with the highest score, with its own leaves: 1 of 1 before 1 of 2. */
      {RULES(""), "{\"a\": {\"anyOf\": [{\"b\": 1, \"c\": 2}, {\"b\": 1}]}}", "{\"a\": {\"b\": 1}}", 1, "a: 1/2"},
      {RULES(""), "{\"a\": {\"anyOf\": [{\"b\": 1, \"c\": 2}, {\"b\": 1}]}}", "{\"a\": {\"b\": 1, \"c\": 2}}", 1,
       "a: 0/2"},
      /* An empty one. */
      {RULES(""), "{\"a\": {\"anyOf\": [null, \"x\"]}, \"b\": 1}", "{\"b\": 1}", 1, ""},
      {RULES(""), "{\"a\": {\"anyOf\": [null, \"x\"]}, \"b\": 1}", "{\"a\": \"x\", \"b\": 1}", 1, "a: 1/2"},
      /* The largest of those that are not there. */
      {RULES(""), "{\"a\": {\"anyOf\": [\"x\", {\"b\": 1, \"c\": 2}]}, \"d\": 1}", "{\"d\": 1}", 1.0 / 3, ""},
      /* In arrays, and inside one another. */
      {RULES(""), "[{\"anyOf\": [\"a\", \"b\"]}, \"c\"]", "[\"c\", \"b\"]", 1, "document[0]: 1/2"},
      {RULES(""), "{\"a\": {\"anyOf\": [1, {\"b\": {\"anyOf\": [2, 3]}}]}}", "{\"a\": {\"b\": 3}}", 1,
       "a: 1/2; a.b: 1/2"},
      {RULES(", \"aggregate\": \"mean\""), "{\"a\": {\"anyOf\": [[1, 2], [1]]}, \"b\": 2}", "{\"a\": [1], \"b\": 3}",
       0.5, "a: 1/2"},
      /* The whole document. */
      {RULES(""), "{\"anyOf\": [{\"a\": 1}, {\"a\": 2}]}", "{\"a\": 2}", 1, "document: 1/2"},
      {RULES(""), "[\"x\", \"y\"]", "\"y\"", 1, "document: 1/2"},
      {RULES(""), "[\"x\", \"y\"]", "[\"y\", \"x\"]", 1, ""},
      /* What only looks like it. */
      {RULES(""), "{\"a\": {\"anyOf\": [\"x\"], \"b\": 1}}", "{\"a\": {\"anyOf\": [\"x\"], \"b\": 1}}", 1, ""},
      {RULES(""), "{\"a\": {\"anyOf\": []}}", "{\"a\": {\"anyOf\": []}}", 1, ""},
      {RULES(""), "{\"a\": 1}", "{\"a\": {\"anyOf\": [1, 2]}}", 0, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    const ee_judge_result *result = fixture_judge_rules(&f, cases[i].rules, cases[i].expected, cases[i].candidate);
    if (fabs(result->score - cases[i].score) > 1e-12 || strcmp(choices(&f, result), cases[i].choices) != 0)
      fail_msg("%s, %s: %.17g, %s", cases[i].expected, cases[i].candidate, result->score, choices(&f, result));
    fixture_close(&f);
  }
}

/* Values that are ignored are no alternatives; where all of them are, nothing is expected there. */
static void test_ignored(void **state) {
  (void)state;
  static const char rules[] = RULES(", \"arrays\": \"index\"");
  static const char ignoring[] =
      "{\"ee\": \"rules\", \"items\": [{\"ee\": \"tree\", \"alternatives\": true, \"leaves\": {\"string\": "
      "{\"ee\": \"ignore\"}, \"default\": {\"ee\": \"exact\"}}}]}";
  static const struct {
    const char *rules, *expected, *candidate, *attributes;
  } cases[] = {
      {rules, "{\"a\": {\"anyOf\": [\"x\", 1]}}", "{\"a\": 1}", "a* 1 0 0 0"},
      {ignoring, "{\"a\": {\"anyOf\": [\"x\", 1]}}", "{\"a\": 1}", "a* 1 0 0 0"},
      {ignoring, "{\"a\": {\"anyOf\": [\"x\", \"y\"]}, \"b\": 1}", "{\"a\": \"z\", \"b\": 1}", "b* 1 0 0 0"},
      {ignoring, "{\"a\": {\"anyOf\": [\"x\", \"y\"]}, \"b\": 1}", "{\"a\": 1, \"b\": 1}", "a* 0 0 1 0; b* 1 0 0 0"},
      {ignoring, "[\"x\", \"y\"]", "3", "document* 0 0 1 0"},
      {ignoring, "[\"x\", 3]", "3", "document* 1 0 0 0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    fixture_open(&f);
    const ee_judge_result *result = fixture_judge_rules(&f, cases[i].rules, cases[i].expected, cases[i].candidate);
    assert_string_equal(fixture_attributes(&f, result), cases[i].attributes);
    fixture_close(&f);
  }
}

/* Without the option {"anyOf": ...} is an object. */
static void test_off(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = "{\"ee\": \"rules\", \"items\": [{\"ee\": \"tree\"}]}";
  const ee_judge_result *result = fixture_judge_rules(&f, rules, "{\"a\": {\"anyOf\": [1, 2]}}", "{\"a\": 2}");
  assert_true(result->score == 0);
  fixture_close(&f);
}

/* What counts of a choice is what counts of that value alone, and no other value would score more. */
static void test_best_alone(void **state) {
  (void)state;
  test_random random = test_random_start("test_best_alone", 7);
  for (int round = 0; round < 2000; round++) {
    fixture f;
    fixture_open(&f);
    char options[4][128], expected[640] = "{\"anyOf\": [", candidate[128];
    size_t count = 1 + test_random_below(&random, 4);
    for (size_t i = 0; i <= count; i++) {
      char *out = i < count ? options[i] : candidate;
      snprintf(out, sizeof options[0], "{\"a\": %u, \"b\": [%u, %u], \"c\": {\"d\": %u}}",
               (unsigned)test_random_below(&random, 2), (unsigned)test_random_below(&random, 3),
               (unsigned)test_random_below(&random, 3), (unsigned)test_random_below(&random, 2));
      if (i < count) sprintf(expected + strlen(expected), "%s%s", i > 0 ? ", " : "", out);
    }
    strcat(expected, "]}");
    double best = -1;
    size_t chosen = 0;
    for (size_t i = 0; i < count; i++) {
      double score = fixture_judge_rules(&f, RULES(""), options[i], candidate)->score;
      if (score <= best) continue;
      best = score;
      chosen = i;
    }
    const ee_judge_result *result = fixture_judge_rules(&f, RULES(""), expected, candidate);
    const ee_tree_result *details = result->details;
    assert_true(result->score == best);
    assert_int_equal(details->choices.items[0].option, chosen);
    fixture_close(&f);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_choice), cmocka_unit_test(test_ignored), cmocka_unit_test(test_off),
             cmocka_unit_test(test_best_alone));
