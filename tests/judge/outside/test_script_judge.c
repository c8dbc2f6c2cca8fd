/* test_script_judge.c: ee.judge: what a function's answer becomes. */
#include "judge/plan_fixture.h"

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

static ee_status chosen_answer(ee_script *script, ee_script_judgement *result, ee_error *error) {
  (void)error;
  static const ee_str hits[] = {{"a", 1}};
  *result = (ee_script_judgement){.score = current_answer.score, .hits = hits, .hit_count = 1};
  if (current_answer.details != NULL) result->details = fixture_json(script->arena, current_answer.details);
  return EE_OK;
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
             cmocka_unit_test(test_bad_answers));
