/* test_fields.c: ee.fields: classes, scores, findings, wildcards, and a slow twin on random documents. */
#include "judge/plan_fixture.h"

#include <math.h>

#include "support/random.h"

#define FIELDS(options, fields)                                                                                        \
  "{\"ee\": \"rules\", \"null_values\": [\"N/A\"], \"items\": [{\"ee\": \"fields\"" options ", \"items\": [" fields    \
  "]}]}"
#define EXACT(path) "{\"ee\": \"exact\", \"items\": [\"" path "\"]}"

static void test_classes(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = FIELDS("", EXACT("a") "," EXACT("b") "," EXACT("c") "," EXACT("d") "," EXACT("e.f"));
  const ee_judge_result *result =
      fixture_judge_rules(&f, rules, "{\"a\": 1, \"b\": null, \"c\": \"x\", \"d\": 2, \"e\": {\"f\": 0}}",
                          "{\"a\": 1.0, \"b\": \"y\", \"c\": \" \", \"d\": 3}");
  assert_hits(&f, result, "a");
  assert_misses(&f, result, "b (nothing expected); c (required, missing); d (value mismatch); e.f (required, missing)");
  assert_string_equal(fixture_mismatches(&f, result), "b null \"y\" 0; c \"x\" \" \" 0; d 2 3 0; e.f 0 null 0");
  assert_string_equal(fixture_attributes(&f, result), "a 1 0 0 0; b 0 0 1 0; c 0 0 0 1; d 0 0 1 1; e.f 0 0 0 1");
  assert_true(result->score == 0.2);
  assert_reasoning(result, "1/5 fields matched");
  assert_false(result->vacuous || result->failed);
  assert_int_equal(result->attributes[3].counts.wrong, 1);
  /* Each mismatch and each attribute knows its field, and what is there. */
  static const int32_t slots[] = {1, 2, 3, 4};
  static const bool there[5][2] = {{true, true}, {true, true}, {true, true}, {true, true}, {true, false}};
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(result->mismatches[i].slot, slots[i]);
    assert_true(ee_str_equal(result->mismatches[i].attribute, result->judge->attributes[slots[i]].name));
  }
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(result->attributes[i].slot, i);
    assert_memory_equal(result->attributes[i].there, there[i], sizeof there[i]);
  }
  /* Both empty, however spelled: right, and neither hit nor miss. */
  result = fixture_judge_rules(&f, FIELDS("", EXACT("a") "," EXACT("b") "," EXACT("c")),
                               "{\"a\": null, \"b\": \"N/A\"}", "{\"a\": \"\", \"c\": \"\\u00a0\"}");
  assert_int_equal(result->hit_count + result->miss_count, 0);
  assert_string_equal(fixture_attributes(&f, result), "a 0 1 0 0; b 0 1 0 0; c 0 1 0 0");
  assert_true(result->score == 1);
  assert_reasoning(result, "0/0 fields matched, 3 empty on both sides");
  assert_false(result->vacuous);
  fixture_close(&f);
}

static void test_options(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *expected = "{\"a\": 1, \"b\": null}", *candidate = "{\"a\": 2, \"b\": null}";
#define AB EXACT("a") "," EXACT("b")
  assert_true(fixture_judge_rules(&f, FIELDS("", AB), expected, candidate)->score == 0.5);
  assert_true(fixture_judge_rules(&f, FIELDS(", \"tn\": \"skip\"", AB), expected, candidate)->score == 0);
  candidate = "{\"a\": 1, \"b\": 3}";
  assert_true(fixture_judge_rules(&f, FIELDS("", AB), expected, candidate)->score == 0.5);
  assert_true(fixture_judge_rules(&f, FIELDS(", \"on_unexpected\": \"skip\"", AB), expected, candidate)->score == 1);
  const ee_judge_result *result =
      fixture_judge_rules(&f, FIELDS(", \"on_unexpected\": \"pass\"", AB), expected, candidate);
  assert_true(result->score == 1);
  assert_misses(&f, result, "b (nothing expected)");
  assert_true(fixture_judge_rules(&f, FIELDS(", \"aggregate\": \"all_or_nothing\"", AB), expected, candidate)->score ==
              0);
  assert_true(fixture_judge_rules(&f, FIELDS(", \"aggregate\": \"all_or_nothing\"", AB), expected, expected)->score ==
              1);
  assert_true(fixture_judge_rules(&f, FIELDS(", \"aggregate\": \"macro_f1\"", AB), expected, candidate)->score == 0.5);
  assert_true(fixture_judge_rules(&f, FIELDS(", \"aggregate\": \"macro_f1\"", AB), expected, expected)->score == 1);
  /* Nothing scored. */
  result = fixture_judge_rules(&f, FIELDS(", \"tn\": \"skip\"", EXACT("x")), expected, candidate);
  assert_true(result->score == 1 && result->vacuous);
  result = fixture_judge_rules(&f, FIELDS(", \"on_unexpected\": \"skip\"", EXACT("b")), expected, candidate);
  assert_true(result->score == 0 && !result->vacuous);
  fixture_close(&f);
}

static void test_optional(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
#define OPTIONAL "{\"ee\": \"exact\", \"items\": [\"b\"], \"required\": false, \"weight\": 3}"
  const ee_judge_result *result =
      fixture_judge_rules(&f, FIELDS("", EXACT("a") "," OPTIONAL), "{\"a\": 1, \"b\": 2}", "{\"a\": 1}");
  assert_true(result->score == 1);
  assert_misses(&f, result, "b (optional, missing)");
  assert_string_equal(fixture_attributes(&f, result), "a 1 0 0 0; b 0 0 0 1");
  assert_reasoning(result, "1/2 fields matched");
  result = fixture_judge_rules(&f, FIELDS("", EXACT("a") "," OPTIONAL), "{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"b\": 3}");
  assert_true(result->score == 0.25);
  result = fixture_judge_rules(&f, FIELDS("", OPTIONAL), "{\"a\": 1, \"b\": 2}", "{}");
  assert_true(result->score == 0 && !result->vacuous);
  fixture_close(&f);
}

static void test_no_candidate(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = FIELDS("", EXACT("a") "," EXACT("b") "," EXACT("c"));
  const ee_judge_result *result = fixture_judge_rules(&f, rules, "{\"a\": 1, \"b\": null, \"c\": \"x\"}", NULL);
  assert_true(result->score == 0);
  assert_misses(&f, result, "candidate (missing); a (required, missing); c (required, missing)");
  assert_int_equal(result->mismatch_count, 2);
  assert_string_equal(fixture_attributes(&f, result), "a 0 0 0 1; b 0 1 0 0; c 0 0 0 1");
  assert_false(result->vacuous || result->failed);
  result = fixture_judge_values(&f, fixture_json(&f.case_arena, "{}"), NULL, EE_CANDIDATE_UNPARSEABLE);
  assert_true(result->score == 0);
  assert_misses(&f, result, "candidate (no JSON found)");
  /* A candidate that is null as a document was read: nothing is there in it. */
  result = fixture_judge_rules(&f, rules, "{}", "null");
  assert_true(result->score == 1);
  fixture_close(&f);
}

static void test_names_and_paths(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const ee_judge_result *result = fixture_judge_rules(
      &f,
      FIELDS("", "{\"ee\": \"exact\", \"items\": [\"a.x\"], \"candidate\": \"b[0]\", \"name\": \"first\"}," EXACT(
                     "['k.v']")),
      "{\"a\": {\"x\": 1}, \"k.v\": 2}", "{\"b\": [1], \"k.v\": 3}");
  assert_hits(&f, result, "a.x");
  assert_misses(&f, result, "['k.v'] (value mismatch)");
  assert_string_equal(fixture_attributes(&f, result), "first 1 0 0 0; ['k.v'] 0 0 1 1");
  fixture_close(&f);
}

static void test_wildcards(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = FIELDS("", EXACT("n") ", {\"ee\": \"exact\", \"items\": [\"items[*].price\"], \"weight\": 3}");
  const ee_judge_result *result = fixture_judge_rules(
      &f, rules, "{\"n\": 1, \"items\": [{\"price\": 1}, {\"price\": 2}, {}, {\"price\": 4}]}",
      "{\"n\": 1, \"items\": [{\"price\": 1}, {\"price\": 3}, {\"price\": null}, 7, {\"price\": 5}]}");
  assert_hits(&f, result, "n");
  assert_misses(
      &f, result,
      "items[1].price (value mismatch); items[3].price (required, missing); items[4].price (nothing expected)");
  assert_string_equal(fixture_attributes(&f, result), "n 1 0 0 0; items[*].price 1 1 2 2");
  assert_true(result->score == (1 + 3 * 0.4) / 4);
  assert_reasoning(result, "1/2 fields matched");
  result = fixture_judge_rules(&f, rules, "{\"n\": 1, \"items\": [{\"price\": 1}, {}]}",
                               "{\"n\": 1, \"items\": [{\"price\": 1}]}");
  assert_hits(&f, result, "n; items[*].price");
  assert_true(result->score == 1);
  /* Nothing there on either side: a TN. */
  result = fixture_judge_rules(&f, FIELDS("", EXACT("items[*].price")), "{\"items\": []}", "{\"items\": \" \"}");
  assert_true(result->score == 1 && !result->vacuous);
  assert_string_equal(fixture_attributes(&f, result), "items[*].price 0 1 0 0");
  assert_int_equal(result->hit_count + result->miss_count, 0);
  assert_reasoning(result, "0/0 fields matched, 1 empty on both sides");
  /* Nested, at the root, and with a key that looks like a wildcard. */
  result = fixture_judge_rules(&f, FIELDS("", EXACT("a[*].b[*]") "," EXACT("['[*]'][*]")),
                               "{\"a\": [{\"b\": [1, 2]}, {\"b\": [3]}], \"[*]\": [1]}",
                               "{\"a\": [{\"b\": [1, 5]}, {\"b\": [3]}, {\"b\": [6]}], \"[*]\": [2]}");
  assert_misses(&f, result, "a[0].b[1] (value mismatch); a[2].b[0] (nothing expected); ['[*]'][0] (value mismatch)");
  assert_string_equal(fixture_attributes(&f, result), "a[*].b[*] 2 0 2 1; ['[*]'][*] 0 0 1 1");
  result = fixture_judge_rules(
      &f, FIELDS("", "{\"ee\": \"exact\", \"items\": [\"[*].x\"], \"candidate\": \"y[*]\", \"name\": \"xs\"}"),
      "[{\"x\": 1}, {\"x\": 2}]", "{\"y\": [1, 3]}");
  assert_misses(&f, result, "[1].x (value mismatch)");
  assert_string_equal(fixture_attributes(&f, result), "xs 1 0 1 1");
  assert_true(result->score == 0.5);
  result = fixture_judge_rules(&f, FIELDS("", EXACT("a[*].b[*]")), "{\"a\": [{\"b\": [1, 2]}]}", NULL);
  assert_misses(&f, result, "candidate (missing); a[0].b[0] (required, missing); a[0].b[1] (required, missing)");
  fixture_close(&f);
}

/* What stands in the place of a list, or of nothing, is not free. */
static void test_wildcards_without_list(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules = FIELDS("", EXACT("items[*].p"));
  static const char *const invented[] = {"{\"items\": {\"p\": 5}}", "{\"items\": \"lots\"}", "{\"items\": false}"};
  static const char *const nothing[] = {"{\"items\": null}", "{\"items\": []}", "{}", "{\"items\": \"N/A\"}"};
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 4; k++) {
      const ee_judge_result *result = fixture_judge_rules(&f, rules, nothing[k], invented[i]);
      assert_true(result->score == 0 && !result->vacuous);
      assert_misses(&f, result, "items[*].p (nothing expected)");
      assert_string_equal(fixture_attributes(&f, result), "items[*].p 0 0 1 0");
      assert_reasoning(result, "0/1 fields matched");
      result = fixture_judge_rules(&f, rules, invented[i], nothing[k]);
      assert_true(result->score == 0 && !result->vacuous);
      assert_misses(&f, result, "items[*].p (required, missing)");
      assert_string_equal(fixture_attributes(&f, result), "items[*].p 0 0 0 1");
    }
  }
  /* Against a list: its elements are missing, and the value is invented. */
  const ee_judge_result *result =
      fixture_judge_rules(&f, rules, "{\"items\": [{\"p\": 1}, {\"p\": 2}]}", "{\"items\": {\"p\": 1}}");
  assert_true(result->score == 0);
  assert_misses(&f, result,
                "items[*].p (nothing expected); items[0].p (required, missing); items[1].p (required, missing)");
  assert_string_equal(fixture_attributes(&f, result), "items[*].p 0 0 1 2");
  result = fixture_judge_rules(&f, rules, "{\"items\": 7}", "{\"items\": [{\"p\": 1}]}");
  assert_string_equal(fixture_attributes(&f, result), "items[*].p 0 0 1 1");
  /* Two values that are not arrays are one pair. */
  result = fixture_judge_rules(&f, rules, "{\"items\": {\"p\": 1}}", "{\"items\": {\"p\": 1.0}}");
  assert_true(result->score == 1);
  assert_hits(&f, result, "items[*].p");
  assert_reasoning(result, "1/1 fields matched");
  result = fixture_judge_rules(&f, rules, "{\"items\": \"few\"}", "{\"items\": \"lots\"}");
  assert_misses(&f, result, "items[*].p (value mismatch)");
  assert_string_equal(fixture_attributes(&f, result), "items[*].p 0 0 1 1");
  /* Findings at an inner wildcard name the outer index. */
  result = fixture_judge_rules(&f, FIELDS("", EXACT("a[*].b[*]")), "{\"a\": [{\"b\": [1]}, {}]}",
                               "{\"a\": [{\"b\": [1]}, {\"b\": 2}]}");
  assert_misses(&f, result, "a[1].b[*] (nothing expected)");
  assert_string_equal(fixture_attributes(&f, result), "a[*].b[*] 1 0 1 0");
  assert_true(result->score == 0.5);
  fixture_close(&f);
}

/* The place of a value names its indices instead of the wildcards, and nothing else of the path changes: not what looks
 * like a wildcard in a key, nor what comes after a quote in one. */
static void test_places_of_wildcards(void **state) {
  (void)state;
  static const struct {
    const char *path, *expected, *misses;
  } rows[] = {
      {"['[*]'][*].x", "{\"[*]\": [{\"x\": 1}]}", "['[*]'][0].x"},
      {"['[*].[*]'].a[*]", "{\"[*].[*]\": {\"a\": [1]}}", "['[*].[*]'].a[0]"},
      {"[\\\"it's [*]\\\"][*]", "{\"it's [*]\": [1]}", "[\"it's [*]\"][0]"},
      {"['a\\\\'[*]\\\\\\\\'][*]", "{\"a'[*]\\\\\": [1]}", "['a\\'[*]\\\\'][0]"},
      {"it's[*].b[*]", "{\"it's\": [{\"b\": [1]}]}", "it's[0].b[0]"},
      {"'[*]", "{\"'\": [1]}", "'[0]"},
      {"*[*].*", "{\"*\": [{\"*\": 1}]}", "*[0].*"},
      {"a[0][*]['b'][*]", "{\"a\": [[{\"b\": [1]}]]}", "a[0][0]['b'][0]"},
      {"$['a'][*]['[*]'][*]", "{\"a\": [{\"[*]\": [1]}]}", "a[0][\"[*]\"][0]"},
      {"a[*][*]", "{\"a\": [[1]]}", "a[0][0]"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    fixture_open(&f);
    char rules[256], misses[64];
    snprintf(rules, sizeof rules, FIELDS("", EXACT("%s")), rows[i].path);
    snprintf(misses, sizeof misses, "%s (required, missing)", rows[i].misses);
    assert_misses(&f, fixture_judge_rules(&f, rules, rows[i].expected, "{}"), misses);
    fixture_close(&f);
  }
}

static ee_status condition(int function, bool *result, ee_error *error) {
  if (function == 2) return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 5, 0, "bad when");
  *result = function == 1;
  return EE_OK;
}

static void test_conditions(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  f.script.condition = condition;
#define WHEN(path, function) "{\"ee\": \"exact\", \"items\": [\"" path "\"], \"when\": {\"function\": " #function "}}"
  const ee_judge_result *result = fixture_judge_rules(&f, FIELDS("", WHEN("a", 0) "," WHEN("b", 1)),
                                                      "{\"a\": 1, \"b\": 1}", "{\"a\": 2, \"b\": 1}");
  assert_true(result->score == 1);
  assert_hits(&f, result, "b");
  assert_string_equal(fixture_attributes(&f, result), "b 1 0 0 0");
  assert_reasoning(result, "1/1 fields matched");
  result = fixture_judge_rules(&f, FIELDS("", WHEN("a", 0)), "{\"a\": 1}", "{\"a\": 2}");
  assert_true(result->score == 1 && result->vacuous);
  /* A condition in error costs its field the score. */
  result = fixture_judge_rules(&f, FIELDS("", WHEN("a", 2) "," WHEN("b", 2) "," WHEN("c", 2) "," WHEN("d", 2)),
                               "{\"a\": 1, \"b\": 1}", "{\"a\": 1, \"c\": 1}");
  assert_true(result->score == 0);
  assert_misses(
      &f, result,
      "a (rules.lua:5: bad when); b (rules.lua:5: bad when); c (rules.lua:5: bad when); d (rules.lua:5: bad when)");
  assert_string_equal(fixture_attributes(&f, result), "a 0 0 1 1; b 0 0 0 1; c 0 0 1 0; d 0 1 0 0");
  assert_int_equal(f.result.rule_errors, 4);
  fixture_close(&f);
}

static ee_status sum_of_scores(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  (void)error;
  *result = 0;
  for (size_t i = 0; i < count; i++) {
    if (parts[i].scored) *result += parts[i].score / 4;
  }
  return EE_OK;
}
static ee_status raise_error(const ee_script_part *parts, size_t count, double *result, ee_error *error) {
  (void)parts, (void)count, (void)result;
  return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 9, 0, "oops");
}

static void test_aggregate_function(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  const char *rules =
      FIELDS(", \"aggregate\": {\"function\": 0}",
             EXACT("a") "," EXACT("b") ", {\"ee\": \"exact\", \"items\": [\"c\"], \"required\": false}");
  f.script.aggregate = sum_of_scores;
  const ee_judge_result *result =
      fixture_judge_rules(&f, rules, "{\"a\": 1, \"b\": 1, \"c\": 1}", "{\"a\": 1, \"b\": 1}");
  assert_true(result->score == 0.5);
  assert_true(f.plan->judges[0]->calls_script);
  f.script.aggregate = raise_error;
  result = fixture_judge_case(&f, "{\"a\": 1, \"b\": 1, \"c\": 1}", "{\"a\": 1, \"b\": 1}");
  assert_true(result->score == 0 && result->failed);
  assert_misses(&f, result, "c (optional, missing); aggregate (rules.lua:9: oops)");
  /* Without a candidate no function is called. */
  size_t calls = f.script.calls;
  assert_true(fixture_judge_case(&f, "{\"a\": 1}", NULL)->score == 0);
  assert_int_equal(f.script.calls, calls);
  fixture_close(&f);
}

/* The twin ----------------------------------------------------------------------------------------------------------
 */

/* Values are drawn from few, so that all classes come up; the twin sees the number only. */
enum { ABSENT, NULL_TEXT, BLANK, NOT_AVAILABLE, ONE, TWO, TEXT, VALUES };
static const char *const value_texts[VALUES] = {NULL, "null", "\" \\t\"", "\" N/A\"", "1", "2.0", "\"x\""};

enum { FIELD_COUNT = 6 };

typedef struct random_rules {
  double weights[FIELD_COUNT];
  bool required[FIELD_COUNT];
  const char *tn, *unexpected, *aggregate;
} random_rules;

static const char *random_rule_text(test_random *random, random_rules *rules, ee_buffer *out) {
  static const char *const tn[] = {"score", "skip"}, *const unexpected[] = {"fail", "skip", "pass"};
  static const char *const aggregate[] = {"weighted_average", "all_or_nothing", "macro_f1"};
  static const double weights[] = {0, 0.5, 1, 3};
  rules->tn = tn[test_random_below(random, 2)];
  rules->unexpected = unexpected[test_random_below(random, 3)];
  rules->aggregate = aggregate[test_random_below(random, 3)];
  ee_buffer_clear(out);
  ee_buffer_addf(out,
                 "{\"ee\": \"rules\", \"null_values\": [\"N/A\"], \"items\": [{\"ee\": \"fields\", \"tn\": \"%s\", "
                 "\"on_unexpected\": \"%s\", "
                 "\"aggregate\": \"%s\", \"items\": [",
                 rules->tn, rules->unexpected, rules->aggregate);
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    rules->weights[i] = i == 0 ? 1 : weights[test_random_below(random, 4)];
    rules->required[i] = test_random_below(random, 4) > 0;
    ee_buffer_addf(out, "%s{\"ee\": \"exact\", \"items\": [\"o.f%zu\"], \"weight\": %g, \"required\": %s}",
                   i > 0 ? ", " : "", i, rules->weights[i], rules->required[i] ? "true" : "false");
  }
  ee_buffer_add_text(out, "]}]}");
  return ee_buffer_terminate(out);
}

static const char *document_text(const int *values, ee_buffer *out) {
  ee_buffer_clear(out);
  ee_buffer_add_text(out, "{\"o\": {\"other\": 1");
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    if (value_texts[values[i]] != NULL) ee_buffer_addf(out, ", \"f%zu\": %s", i, value_texts[values[i]]);
  }
  ee_buffer_add_text(out, "}}");
  return ee_buffer_terminate(out);
}

typedef struct twin_result {
  double score;
  bool vacuous;
  int tp[FIELD_COUNT], tn[FIELD_COUNT], fp[FIELD_COUNT], fn[FIELD_COUNT];
} twin_result;

/* SEMANTICS, sentence by sentence. */
static twin_result twin(const random_rules *rules, const int *expected, const int *candidate) {
  twin_result result = {0};
  double sum = 0, weights = 0, f1_sum = 0;
  int errors = 0, f1_count = 0;
  bool any_below = false;
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    bool no_expected = expected[i] <= NOT_AVAILABLE, no_candidate = candidate[i] <= NOT_AVAILABLE;
    double score = 0, weight = rules->weights[i];
    if (no_expected && no_candidate) {
      result.tn[i] = 1;
      score = 1;
      if (strcmp(rules->tn, "skip") == 0) weight = 0;
    } else if (no_expected) {
      result.fp[i] = 1;
      if (strcmp(rules->unexpected, "skip") == 0) weight = 0;
      if (strcmp(rules->unexpected, "pass") == 0) score = 1;
    } else if (no_candidate) {
      result.fn[i] = 1;
      if (!rules->required[i]) weight = 0;
    } else if (expected[i] == candidate[i]) {
      result.tp[i] = 1;
      score = 1;
    } else {
      result.fp[i] = result.fn[i] = 1;
    }
    errors += result.fp[i] + result.fn[i];
    sum += weight * score;
    weights += weight;
    if (weight > 0 && score < 1) any_below = true;
    double precision = result.tp[i], recall = result.tp[i];
    if (precision + recall > 0) f1_sum += 2 * precision * recall / (precision + recall);
    if (result.tn[i] == 0) f1_count++;
  }
  if (strcmp(rules->aggregate, "macro_f1") == 0) {
    result.vacuous = f1_count == 0;
    result.score = f1_count == 0 ? 1 : f1_sum / f1_count;
  } else if (weights == 0) {
    result.vacuous = errors == 0;
    result.score = errors == 0 ? 1 : 0;
  } else if (strcmp(rules->aggregate, "all_or_nothing") == 0) {
    result.score = any_below ? 0 : 1;
  } else {
    result.score = sum / weights;
  }
  return result;
}

static void check_against_twin(fixture *f, const random_rules *rules, const int *expected, const int *candidate,
                               double *score) {
  ee_buffer text = {0};
  char *expected_text = strdup(document_text(expected, &text));
  const ee_judge_result *result = fixture_judge_case(f, expected_text, document_text(candidate, &text));
  free(expected_text);
  ee_buffer_fini(&text);
  twin_result want = twin(rules, expected, candidate);
  assert_true(fabs(result->score - want.score) < 1e-15);
  assert_int_equal(result->vacuous, want.vacuous);
  assert_int_equal(result->attribute_count, FIELD_COUNT);
  size_t hits = 0, misses = 0;
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    const ee_counts *counts = &result->attributes[i].counts;
    assert_int_equal(counts->tp, want.tp[i]);
    assert_int_equal(counts->tn, want.tn[i]);
    assert_int_equal(counts->fp, want.fp[i]);
    assert_int_equal(counts->fn, want.fn[i]);
    hits += (size_t)want.tp[i];
    misses += want.fp[i] + want.fn[i] > 0;
  }
  assert_int_equal(result->hit_count, hits);
  assert_int_equal(result->miss_count, misses);
  *score = result->score;
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("fields", 7);
  for (int round = 0; round < 400; round++) {
    fixture f;
    fixture_open(&f);
    random_rules rules;
    ee_buffer text = {0};
    fixture_rules(&f, random_rule_text(&random, &rules, &text));
    ee_buffer_fini(&text);
    for (int i = 0; i < 20; i++) {
      int expected[FIELD_COUNT], candidate[FIELD_COUNT];
      for (size_t k = 0; k < FIELD_COUNT; k++) {
        expected[k] = (int)test_random_below(&random, VALUES);
        candidate[k] = test_random_below(&random, 2) == 0 ? expected[k] : (int)test_random_below(&random, VALUES);
      }
      double score, other;
      check_against_twin(&f, &rules, expected, candidate, &score);
      check_against_twin(&f, &rules, expected, expected, &other);
      assert_true(other == 1);
      /* One value made right never lowers the score: a wrong one, an invented one taken out, a required one put in. */
      size_t k = test_random_below(&random, FIELD_COUNT);
      /* Where an invented value passes and an absent one is left out, the rules themselves say otherwise. */
      bool reversed = strcmp(rules.tn, "skip") == 0 && strcmp(rules.unexpected, "pass") == 0;
      candidate[k] = expected[k];
      check_against_twin(&f, &rules, expected, candidate, &other);
      if (!reversed) assert_true(other >= score);
      /* How null is spelled changes nothing. */
      if (expected[k] <= NOT_AVAILABLE) {
        candidate[k] = (int)test_random_below(&random, NOT_AVAILABLE + 1);
        check_against_twin(&f, &rules, expected, candidate, &score);
        assert_true(score == other);
      }
    }
    fixture_close(&f);
  }
}

/* Where a field is found does not depend on the fields before it: each gets what it gets alone, whatever the paths, the
 * order of the members, and keys that are there twice. */
static const char *const any_places[] = {EXACT("a"),
                                         EXACT("b"),
                                         EXACT("o.a"),
                                         EXACT("o.b"),
                                         EXACT("o['c']"),
                                         EXACT("p.a"),
                                         EXACT("p.b"),
                                         EXACT("p.o.a"),
                                         EXACT("p.o.b"),
                                         EXACT("l[0]"),
                                         EXACT("l[1]"),
                                         EXACT("l.1"),
                                         EXACT("l.1.b"),
                                         EXACT("l['1'].a"),
                                         EXACT("l.0.a"),
                                         EXACT("l['0'].b"),
                                         EXACT("l[0].a"),
                                         EXACT("l[1].a"),
                                         EXACT("l[1].b"),
                                         EXACT("l[*].a"),
                                         EXACT("l[*].b"),
                                         EXACT("$.o['b']"),
                                         EXACT("$.l[-1].a"),
                                         EXACT("$.l[*].c"),
                                         EXACT("$"),
                                         "{\"ee\": \"any_of\", \"items\": [\"o.a\", \"p.a\"], \"name\": \"any\"}",
                                         "{\"ee\": \"exact\", \"items\": [\"c\"], \"candidate\": \"o.a\"}"};
enum { PLACES = sizeof any_places / sizeof *any_places };

static void add_random_object(test_random *random, int depth, ee_buffer *out) {
  static const char *const keys[] = {"a", "b", "c", "o", "p", "l"};
  ee_buffer_add_char(out, '{');
  for (size_t i = test_random_below(random, 7); i > 0; i--) {
    size_t key = test_random_below(random, depth > 0 ? 6 : 3);
    ee_buffer_addf(out, "\"%s\": ", keys[key]);
    if (key < 3) ee_buffer_addf(out, "%d", (int)test_random_below(random, 2));
    if (key == 5) ee_buffer_add_char(out, '[');
    if (key >= 3) add_random_object(random, depth - 1, out);
    if (key == 5 && test_random_below(random, 2) == 0) {
      ee_buffer_add_text(out, ", ");
      add_random_object(random, depth - 1, out);
    }
    if (key == 5) ee_buffer_add_char(out, ']');
    if (i > 1) ee_buffer_add_char(out, ',');
  }
  ee_buffer_add_char(out, '}');
}

static void test_fields_are_found_alone(void **state) {
  (void)state;
  test_random random = test_random_start("places of fields", 11);
  fixture together, alone[PLACES];
  fixture_open(&together);
  char rules[256];
  for (size_t i = 0; i < PLACES; i++) {
    fixture_open(&alone[i]);
    snprintf(rules, sizeof rules, FIELDS("", "%s"), any_places[i]);
    fixture_rules(&alone[i], rules);
  }
  ee_buffer text = {0}, documents[2] = {{0}, {0}};
  for (int round = 0; round < 2000; round++) {
    size_t order[PLACES];
    for (size_t i = 0; i < PLACES; i++) order[i] = i;
    for (size_t i = PLACES; i > 1; i--) {
      size_t k = test_random_below(&random, i), kept = order[i - 1];
      order[i - 1] = order[k];
      order[k] = kept;
    }
    size_t count = 2 + test_random_below(&random, 8);
    ee_buffer_clear(&text);
    ee_buffer_add_text(&text,
                       "{\"ee\": \"rules\", \"null_values\": [\"N/A\"], \"items\": [{\"ee\": \"fields\", \"items\": [");
    for (size_t i = 0; i < count; i++) ee_buffer_addf(&text, "%s%s", i > 0 ? "," : "", any_places[order[i]]);
    ee_buffer_add_text(&text, "]}]}");
    for (int side = 0; side < 2; side++) {
      ee_buffer_clear(&documents[side]);
      add_random_object(&random, 2, &documents[side]);
      ee_buffer_terminate(&documents[side]);
    }
    const ee_judge_result *result =
        fixture_judge_rules(&together, ee_buffer_terminate(&text), documents[0].data, documents[1].data);
    for (size_t i = 0; i < count; i++) {
      const ee_judge_result *one = fixture_judge_case(&alone[order[i]], documents[0].data, documents[1].data);
      const ee_attribute_result *got = &result->attributes[i], *want = &one->attributes[0];
      const ee_counts *a = &got->counts, *b = &want->counts;
      if (a->tp != b->tp || a->tn != b->tn || a->fp != b->fp || a->fn != b->fn || a->wrong != b->wrong ||
          got->there[0] != want->there[0] || got->there[1] != want->there[1])
        fail_msg("round %d: %s after %s of %s and %s", round, any_places[order[i]],
                 i > 0 ? any_places[order[i - 1]] : "nothing", documents[0].data, documents[1].data);
    }
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&documents[0]);
  ee_buffer_fini(&documents[1]);
  fixture_close(&together);
  for (size_t i = 0; i < PLACES; i++) fixture_close(&alone[i]);
}

/* What a document has where the object of a missing value should be: the object, or an array where an object should be.
 */
static void test_around_missing_values(void **state) {
  (void)state;
  static const struct {
    const char *path, *document, *around;
  } rows[] = {
      {"a", "{}", "{}"},
      {"a", "{\"b\": 1}", "{\"b\":1}"},
      {"a", "[{}]", "[{}]"},
      {"a", "5", NULL},
      {"o.a", "{\"o\": {\"b\": 1}}", "{\"b\":1}"},
      {"o.a", "{}", NULL},
      {"o.a", "{\"o\": 5}", NULL},
      {"o.a", "{\"o\": [1]}", "[1]"},
      {"o.p.a", "{\"o\": {}}", NULL},
      {"o.p.a", "{\"o\": [2]}", "[2]"},
      {"l[0]", "{\"l\": []}", NULL},
      {"l[0].a", "{\"l\": [{}]}", "{}"},
      {"l[0].a", "{\"l\": []}", NULL},
      {"l[0].a", "{\"l\": [[3]]}", "[3]"},
      {"l[1][0].a", "{\"l\": [4]}", NULL},
      {"l.0", "{\"l\": {}}", "{}"},
      {"l.0", "{\"l\": []}", "[]"},
  };
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char rules[256];
    snprintf(rules, sizeof rules, FIELDS("", EXACT("%s")), rows[i].path);
    for (int side = 0; side < 2; side++) {
      const char *other = "\"no object at all\"";
      const ee_judge_result *result =
          fixture_judge_rules(&f, rules, side == 0 ? rows[i].document : other, side == 0 ? other : rows[i].document);
      const ee_absence *absence = result->attributes[0].absence;
      const ee_value *around = absence != NULL ? absence->around[side] : NULL;
      ee_buffer_clear(&f.text);
      if (around != NULL) ee_json_write_value(&f.text, around);
      if (strcmp(ee_buffer_terminate(&f.text), rows[i].around != NULL ? rows[i].around : "") != 0)
        fail_msg("%s in %s: %s", rows[i].path, rows[i].document, f.text.data);
      assert_true(absence == NULL || absence->around[1 - side] == NULL);
      assert_false(result->attributes[0].there[0] || result->attributes[0].there[1]);
    }
  }
  fixture_close(&f);
}

/* Where one document has the value, only the other one lacks it: what is around there, and the value. */
static void test_absent_on_one_side(void **state) {
  (void)state;
  static const char *const with = "{\"a\": 1}", *const without = "{\"b\": 2}";
  fixture f;
  fixture_open(&f);
  for (int side = 0; side < 2; side++) {
    const ee_judge_result *result = fixture_judge_rules(
        &f, FIELDS("", EXACT("a")), side == EE_EXPECTED ? without : with, side == EE_EXPECTED ? with : without);
    const ee_attribute_result *attribute = &result->attributes[0];
    assert_true(!attribute->there[side] && attribute->there[1 - side]);
    assert_non_null(attribute->absence);
    assert_null(attribute->absence->around[1 - side]);
    assert_true(ee_value_equal(attribute->absence->around[side], fixture_json(&f.case_arena, without)));
    assert_true(ee_value_number(attribute->absence->value) == 1);
  }
  assert_null(fixture_judge_case(&f, with, with)->attributes[0].absence);
  fixture_close(&f);
}

/* Whether each document has what a query looks for, of single values and of arrays. */
static void test_what_queries_find(void **state) {
  (void)state;
  static const char *const fields[] = {EXACT("$.l[-1]"), "{\"ee\": \"set\", \"items\": [\"$.l[1:]\"]}"};
  static const char *const documents[] = {"{\"l\": [0, 1]}", "{\"l\": []}", "{}"};
  fixture f;
  fixture_open(&f);
  for (size_t i = 0; i < 2; i++) {
    char rules[256];
    snprintf(rules, sizeof rules, FIELDS("", "%s"), fields[i]);
    for (size_t k = 0; k < 3; k++) {
      for (size_t n = 0; n < 3; n++) {
        const ee_judge_result *result = fixture_judge_rules(&f, rules, documents[k], documents[n]);
        assert_int_equal(result->attributes[0].there[EE_EXPECTED], k == 0);
        assert_int_equal(result->attributes[0].there[EE_CANDIDATE], n == 0);
        assert_true(result->score == ((k == 0) == (n == 0)));
      }
    }
  }
  fixture_close(&f);
}

/* What leaving out a wrong value pays is said of fields that are not required, weigh something, and are not alone. */
static void test_omissions(void **state) {
  (void)state;
#define OMITTED(name, weight) "{\"ee\":\"exact\",\"items\":[\"" name "\"],\"required\":false,\"weight\":" weight "}"
#define OMITTING(name, score)                                                                                          \
  "  omitting a wrong '" name "' raises the score from " score " to 1, all else right (not with required = true)\n"
  static const struct {
    const char *fields, *printed;
  } rows[] = {
      {OMITTED("a", "1") ",{\"ee\":\"exact\",\"items\":[\"b\"],\"weight\":3}," OMITTED("c", "0"),
       OMITTING("a", "0.75")},
      {OMITTED("a", "1") "," OMITTED("c", "1"), OMITTING("a", "0.5") OMITTING("c", "0.5")},
      {OMITTED("a", "1") "," OMITTED("c", "2"), OMITTING("a", "0.667") OMITTING("c", "0.333")},
      {OMITTED("a", "1") "," OMITTED("c", "0"), ""},
      {"{\"ee\":\"exact\",\"items\":[\"a\"]},{\"ee\":\"exact\",\"items\":[\"b\"]}", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    fixture_open(&f);
    char rules[512];
    snprintf(rules, sizeof rules, "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[%s]}]}", rows[i].fields);
    fixture_rules(&f, rules);
    f.plan->judges[0]->type->print(f.plan->judges[0], &f.text);
    const char *said = strstr(ee_buffer_terminate(&f.text), "  omitting");
    assert_string_equal(said != NULL ? said : "", rows[i].printed);
    fixture_close(&f);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_classes), cmocka_unit_test(test_options),
             cmocka_unit_test(test_optional), cmocka_unit_test(test_no_candidate),
             cmocka_unit_test(test_names_and_paths), cmocka_unit_test(test_wildcards),
             cmocka_unit_test(test_wildcards_without_list), cmocka_unit_test(test_places_of_wildcards),
             cmocka_unit_test(test_conditions), cmocka_unit_test(test_aggregate_function), cmocka_unit_test(test_twin),
             cmocka_unit_test(test_omissions), cmocka_unit_test(test_fields_are_found_alone),
             cmocka_unit_test(test_around_missing_values), cmocka_unit_test(test_what_queries_find),
             cmocka_unit_test(test_absent_on_one_side));
