/* test_script_judge.c: ee.judge: what a function's answer becomes. */
#include "judge/plan_fixture.h"
#include "support/random.h"

static const char *const rules =
    "{\"ee\": \"rules\", \"items\": [{\"ee\": \"judge\", \"line\": 4, \"items\": [\"sums\", {\"function\": 3}]}]}";

/* What the function answers: set by each test. */
typedef struct answer {
  double score;
  const char *details;
} answer;

static ee_status plain_answer(ee_script *script, ee_script_judgement *result, ee_error *error) {
  (void)error;
  assert_non_null(script->current);
  static const ee_str hits[] = {{"a", 1}}, misses[] = {{"b (off)", 7}, {"c", 1}};
  *result = (ee_script_judgement){
      .score = 0.25,
      .hits = hits,
      .hit_count = 1,
      .misses = misses,
      .miss_count = 2,
      .reasoning = EE_STR("lines add up"),
      .details =
          fixture_json(script->arena, "{\"x\": [1], \"metrics\": {\"t\": {\"tp\": 2, \"fn\": 1, \"precision\": 1}, "
                                      "\"u\": {\"tn\": 1, \"fp\": 3e0}}}")};
  return EE_OK;
}

static ee_status raised(ee_script *script, ee_script_judgement *result, ee_error *error) {
  (void)script, (void)result;
  return ee_error_at(error, EE_ERROR_RULES, "rules.lua", 11, 0, "attempt to compare nil with number");
}

static void test_answer(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, rules);
  assert_true(ee_str_is(f.plan->judges[0]->name, "sums"));
  assert_string_equal(f.plan->judges[0]->type->name, "judge");
  assert_int_equal(f.plan->judges[0]->attribute_count, 0);
  f.script.judge = plain_answer;
  const ee_judge_result *result = fixture_judge_case(&f, "{}", NULL);
  assert_true(result->score == 0.25 && f.result.score == 0.25);
  assert_false(result->failed || result->vacuous);
  assert_hits(&f, result, "a");
  assert_misses(&f, result, "b (off); c");
  assert_reasoning(result, "lines add up");
  assert_string_equal(fixture_attributes(&f, result), "t* 2 0 0 1; u* 0 1 3 0");
  assert_non_null(ee_value_member(result->details, EE_STR("x"), NULL));
  assert_int_equal(result->mismatch_count, 0);
  assert_int_equal(f.result.rule_errors, 0);
  fixture_close(&f);
}

static void test_error(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, rules);
  f.script.judge = raised;
  const ee_judge_result *result = fixture_judge_case(&f, "{}", "{}");
  assert_true(result->score == 0 && result->failed);
  assert_int_equal(result->verdict, EE_VERDICT_FAIL);
  assert_misses(&f, result, "sums (rules.lua:11: attempt to compare nil with number)");
  assert_int_equal(f.result.rule_errors, 1);
  assert_int_equal(f.script.ended, 1);
  assert_string_equal(f.rule_errors.items[0].message, "attempt to compare nil with number (case 'inv-001')");
  fixture_close(&f);
}

static answer current_answer;
static const char *current_metrics, *current_counters;

static ee_status chosen_answer(ee_script *script, ee_script_judgement *result, ee_error *error) {
  (void)error;
  static const ee_str hits[] = {{"a", 1}};
  *result = (ee_script_judgement){.score = current_answer.score, .hits = hits, .hit_count = 1};
  if (current_answer.details != NULL) result->details = fixture_json(script->arena, current_answer.details);
  if (current_metrics != NULL) result->metrics = fixture_json(script->arena, current_metrics);
  if (current_counters != NULL) result->counters = fixture_json(script->arena, current_counters);
  return EE_OK;
}

#define DECLARED(options)                                                                                              \
  "{\"ee\": \"rules\", \"items\": [{\"ee\": \"judge\", \"line\": 4, \"items\": [\"sums\", {\"function\": "             \
  "3}], " options "}]}"

static const char *const declared =
    DECLARED("\"metrics\": [\"precision\", \"error\"], \"lower_is_better\": [\"error\"], "
             "\"counters\": [\"found\", \"pages\"], \"split_counts\": true");

static ee_script_judgement scored;
static ee_status plainly(ee_script *script, ee_script_judgement *result, ee_error *error) {
  (void)script, (void)error;
  *result = scored;
  return EE_OK;
}

/* Of a score without findings the judge is the hit, or the miss with the reasoning. */
static void test_plain_scores(void **state) {
  (void)state;
  static const struct {
    double score;
    ee_str reasoning;
    const char *hits, *misses;
  } rows[] = {{1, EE_STR(""), "sums", ""},
              {1, EE_STR("well"), "sums", ""},
              {0, EE_STR(""), "", "sums"},
              {0.5, EE_STR("half"), "", "sums (half)"},
              {0.99, EE_STR(""), "", "sums"}};
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, DECLARED("\"metrics\": [\"error\", \"precision\"], \"lower_is_better\": [\"error\"]"));
  f.script.judge = plainly;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    scored = (ee_script_judgement){.score = rows[i].score, .reasoning = rows[i].reasoning, .plain = true};
    const ee_judge_result *result = fixture_judge_case(&f, "{}", "{}");
    assert_hits(&f, result, rows[i].hits);
    assert_misses(&f, result, rows[i].misses);
  }
  /* In error it has the worst metrics, whichever comes first. */
  f.script.judge = raised;
  const ee_judge_result *result = fixture_judge_case(&f, "{}", "{}");
  assert_true(result->case_metrics[0] == 1 && result->case_metrics[1] == 0);
  fixture_close(&f);
}

static void test_bad_metrics(void **state) {
  (void)state;
  static const struct {
    const char *details, *metrics, *counters;
    const char *miss;
  } cases[] = {
      {NULL, "{\"precision\": 1.5}", NULL, "metrics['precision'] is outside 0..1: 1.5"},
      {NULL, "{\"precision\": -1e-9}", NULL, "metrics['precision'] is outside 0..1: -1.0000000000000001e-09"},
      {NULL, "{\"error\": \"1\"}", NULL, "metrics['error'] must be a number, got string"},
      {NULL, "{\"precison\": 1}", NULL,
       "metrics['precison'] is not in option 'metrics' of ee.judge (did you mean 'precision'?)"},
      {NULL, NULL, "{\"found\": 1.5}", "counters['found'] is not a count (an integer of at least 0)"},
      {NULL, NULL, "{\"found\": -1}", "counters['found'] is not a count (an integer of at least 0)"},
      {NULL, NULL, "{\"x\": 1}", "counters['x'] is not in option 'counters' of ee.judge"},
      {"{\"metrics\": {\"a\": {\"fp\": 3, \"incorrect\": 1, \"spurious\": 1}}}", NULL, NULL,
       "details.metrics['a'].fp is not the sum of incorrect and spurious"},
      {"{\"metrics\": {\"a\": {\"fn\": 3, \"incorrect\": 1}}}", NULL, NULL,
       "details.metrics['a'].fn is not the sum of incorrect and missing"},
      {"{\"metrics\": {\"a\": {\"wrong\": 3}}}", NULL, NULL,
       "details.metrics['a'] has an unknown count 'wrong' (tp, tn, fp, fn)"},
  };
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, declared);
  f.script.judge = chosen_answer;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    current_answer = (answer){1, cases[i].details};
    current_metrics = cases[i].metrics;
    current_counters = cases[i].counters;
    const ee_judge_result *result = fixture_judge_case(&f, "{}", "{}");
    assert_true(result->score == 0 && result->failed);
    char miss[300];
    snprintf(miss, sizeof miss, "sums (rules.lua:4: %s)", cases[i].miss);
    assert_misses(&f, result, miss);
    /* The worst of both, and nothing counted. */
    assert_true(result->case_metrics[0] == 0 && result->case_metrics[1] == 1);
    assert_null(result->corpus_part);
  }
  fixture_close(&f);
  fixture_open(&f);
  fixture_rules(&f, rules);
  f.script.judge = chosen_answer;
  current_answer = (answer){1, "{\"metrics\": {\"a\": {\"incorrect\": 3}}}"};
  current_metrics = current_counters = NULL;
  assert_misses(&f, fixture_judge_case(&f, "{}", "{}"),
                "sums (rules.lua:4: details.metrics['a'] has the count 'incorrect', which needs split_counts = true in "
                "ee.judge)");
  fixture_close(&f);
}

static void test_print(void **state) {
  (void)state;
  static const struct {
    const char *options, *wanted;
  } rows[] = {
      {"", ""},
      {", \"counters\": [\"a\"]", "  counters a\n"},
      {", \"metrics\": [\"m\", \"n\"]", "  metrics m, n\n"},
      {", \"metrics\": [\"m\"], \"counters\": [\"b\", \"a\", \"c\"]", "  metrics m\n  counters b, a, c\n"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    fixture_open(&f);
    char text[300], wanted[300];
    snprintf(text, sizeof text,
             "{\"ee\": \"rules\", \"items\": [{\"ee\": \"judge\", \"line\": 4, \"items\": [\"sums\", {\"function\": "
             "3}]%s}]}",
             rows[i].options);
    snprintf(wanted, sizeof wanted, "  function of rules.lua:4  (calls Lua)\n%s", rows[i].wanted);
    fixture_rules(&f, text);
    f.plan->judges[0]->type->print(f.plan->judges[0], &f.text);
    assert_string_equal(ee_buffer_terminate(&f.text), wanted);
    fixture_close(&f);
  }
}

static void test_metrics(void **state) {
  (void)state;
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, declared);
  const ee_judge *judge = f.plan->judges[0];
  assert_false(judge->brings_counts);
  assert_string_equal(ee_judge_case_metrics(judge)[0], "precision");
  assert_string_equal(ee_judge_lower_is_better(judge)[0], "error");
  assert_null(ee_judge_lower_is_better(judge)[1]);
  f.script.judge = chosen_answer;
  current_answer = (answer){1, NULL};
  current_metrics = "{\"error\": 1.0000000000000002}";
  current_counters = "{\"pages\": 3}";
  const ee_judge_result *result = fixture_judge_case(&f, "{}", "{}");
  assert_false(result->failed);
  assert_true(result->case_metrics[0] == -1 && result->case_metrics[1] == 1);
  const uint64_t *counters = result->corpus_part;
  assert_true(counters[0] == 0 && counters[1] == 3);
  current_metrics = "{\"precision\": true, \"error\": null}";
  current_counters = NULL;
  result = fixture_judge_case(&f, "{}", "{}");
  assert_true(result->case_metrics[0] == 1 && result->case_metrics[1] == -1);
  /* Counts of both kinds; a row has all of them. */
  current_answer =
      (answer){1, "{\"x\": [2], \"metrics\": {\"a\": {\"tp\": 2, \"incorrect\": 1, \"spurious\": 4, \"missing\": 5}}}"};
  current_metrics = NULL;
  result = fixture_judge_case(&f, "{}", "{}");
  assert_false(result->failed);
  assert_int_equal(result->attributes[0].counts.wrong, 1);
  assert_int_equal(result->attributes[0].counts.fp, 5);
  assert_int_equal(result->attributes[0].counts.fn, 6);
  ee_buffer out = {0};
  ee_json_write_value(&out, result->details);
  assert_string_equal(
      ee_buffer_terminate(&out),
      "{\"x\":[2],\"metrics\":{\"a\":{\"tp\":2,\"tn\":0,\"fp\":5,\"fn\":6,\"incorrect\":1,\"spurious\":4}}}");
  ee_buffer_fini(&out);
  fixture_close(&f);
}

/* Sums of counters, whatever the parts; a twin adds them up. */
static void test_counters(void **state) {
  (void)state;
  test_random random = test_random_start("script judge counters", 71);
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, declared);
  const ee_judge *judge = f.plan->judges[0];
  const ee_corpus_type *corpus = judge->type->corpus;
  for (int round = 0; round < 200; round++) {
    void *parts[3], *whole = corpus->open(judge);
    for (int i = 0; i < 3; i++) parts[i] = corpus->open(judge);
    double sums[2] = {0, 0};
    for (size_t i = test_random_below(&random, 20); i-- > 0;) {
      uint64_t values[2] = {test_random_below(&random, 1000), test_random_below(&random, 4) == 0 ? 1000000000000 : 0};
      const ee_judge_result result = {.judge = judge, .corpus_part = values};
      corpus->add(parts[test_random_below(&random, 3)], NULL, &result);
      sums[0] += (double)values[0], sums[1] += (double)values[1];
    }
    corpus->add(parts[0], NULL, &(ee_judge_result){.judge = judge});
    for (int i = 3; i-- > 0;) corpus->merge(whole, parts[i]);
    ee_corpus_summary summary;
    corpus->finish(judge, whole, &f.arena, &summary);
    assert_int_equal(summary.metric_count, 2);
    for (int i = 0; i < 2; i++) assert_true(summary.metrics[i].is_count && summary.metrics[i].value == sums[i]);
    corpus->clear(whole);
    corpus->finish(judge, whole, &f.arena, &summary);
    assert_true(summary.metrics[0].value == 0);
    for (int i = 0; i < 3; i++) corpus->close(parts[i]);
    corpus->close(whole);
  }
  /* A sum ends at 2^53. */
  void *part = corpus->open(judge), *other = corpus->open(judge);
  const uint64_t large[2] = {((uint64_t)1 << 53) - 1, 2};
  corpus->add(part, NULL, &(ee_judge_result){.judge = judge, .corpus_part = large});
  corpus->add(other, NULL, &(ee_judge_result){.judge = judge, .corpus_part = large});
  corpus->merge(part, other);
  ee_corpus_summary summary;
  corpus->finish(judge, part, &f.arena, &summary);
  assert_true(summary.metrics[0].value == 0x1p53 && summary.metrics[1].value == 4);
  corpus->close(part), corpus->close(other);
  fixture_close(&f);
  fixture_open(&f);
  fixture_rules(&f, rules);
  assert_null(corpus->open(f.plan->judges[0]));
  fixture_close(&f);
}

static void test_bad_answers(void **state) {
  (void)state;
  static const struct {
    answer answer;
    const char *miss;
  } cases[] = {
      {{1.5, NULL}, "sums (rules.lua:4: a score outside 0..1: 1.5)"},
      {{-0.25, NULL}, "sums (rules.lua:4: a score outside 0..1: -0.25)"},
      {{1, "[1]"}, "sums (rules.lua:4: details must be an object, got array)"},
      {{1, "{\"metrics\": 3}"}, "sums (rules.lua:4: details.metrics must be an object, got number)"},
      {{1, "{\"metrics\": [3]}"}, "sums (rules.lua:4: details.metrics must be an object, got array)"},
      {{1, "{\"metrics\": {\"a\": 3}}"}, "sums (rules.lua:4: details.metrics['a'] must be an object, got number)"},
      {{1, "{\"metrics\": {\"a\": {\"tp\": 1.5}}}"},
       "sums (rules.lua:4: details.metrics['a'].tp is not a count (an integer of at least 0))"},
      {{1, "{\"metrics\": {\"a\": {\"tn\": -1}}}"},
       "sums (rules.lua:4: details.metrics['a'].tn is not a count (an integer of at least 0))"},
      {{1, "{\"metrics\": {\"a\": {\"fp\": \"1\"}}}"},
       "sums (rules.lua:4: details.metrics['a'].fp is not a count (an integer of at least 0))"},
      {{1, "{\"metrics\": {\"b\": {}, \"a\": {\"fn\": 1e300}}}"},
       "sums (rules.lua:4: details.metrics['a'].fn is not a count (an integer of at least 0))"},
  };
  fixture f;
  fixture_open(&f);
  fixture_rules(&f, rules);
  f.script.judge = chosen_answer;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    current_answer = cases[i].answer;
    const ee_judge_result *result = fixture_judge_case(&f, "{}", "{}");
    assert_true(result->score == 0 && result->failed);
    assert_misses(&f, result, cases[i].miss);
    assert_int_equal(result->attribute_count, 0);
    assert_int_equal(result->hit_count, 0);
    assert_int_equal(f.result.rule_errors, 1);
  }
  static const char *const good[] = {NULL, "{}", "{\"metrics\": {}}", "{\"metrics\": []}",
                                     "{\"metrics\": {\"a\": {}}}"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    current_answer = (answer){1, good[i]};
    const ee_judge_result *result = fixture_judge_case(&f, "{}", "{}");
    assert_true(result->score == 1 && !result->failed);
    assert_int_equal(f.result.rule_errors, 0);
    assert_int_equal(result->details != NULL, good[i] != NULL);
  }
  fixture_close(&f);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_answer), cmocka_unit_test(test_error),
             cmocka_unit_test(test_bad_answers), cmocka_unit_test(test_plain_scores),
             cmocka_unit_test(test_bad_metrics), cmocka_unit_test(test_print), cmocka_unit_test(test_metrics),
             cmocka_unit_test(test_counters));
