/* test_evaluator_provider.c: evaluators whose rules ask a provider of similarity. */
#include "api/evaluator_fixture.h"

#define SEMANTIC "ee.fields { ee.semantic { \"bio\", threshold = 0.75 } } }"

#if defined EE_WITH_STEMMER || defined EE_WITH_CURL
static double score_of(ee_evaluator *evaluator, const char *expected, const char *candidate) {
  double score;
  judge(evaluator, expected, candidate, &score);
  return score;
}
#endif

#if !defined EE_WITH_STEMMER || !defined EE_WITH_CURL
/* Rules that need what was left out load, for they may be meant for another program; evaluating them is refused. */
static void assert_left_out(const char *provider, const char *message) {
  char text[256];
  snprintf(text, sizeof text, "return ee.rules { provider = { %s }, " SEMANTIC, provider);
  ee_rules *rules = load(text);
  ee_error error = {0};
  assert_null(ee_evaluator_new(rules, &error));
  assert_int_equal(error.status, EE_ERROR_RULES);
  assert_string_equal(error.message, message);
  ee_rules_free(rules);
}
#endif

#ifdef EE_WITH_STEMMER
static void test_local(void **state) {
  (void)state;
  ee_rules *rules = load("return ee.rules { " SEMANTIC);
  ee_evaluator *first = evaluator_of(rules), *second = evaluator_of(rules);
  for (int i = 0; i < 3; i++) {
    ee_evaluator *evaluator = i == 1 ? second : first;
    assert_true(score_of(evaluator, "{\"bio\":\"Red apples\"}", "{\"bio\":\"apple, red\"}") == 1);
    assert_true(score_of(evaluator, "{\"bio\":\"Red apples\"}", "{\"bio\":\"a green pear\"}") == 0);
    assert_int_equal(ee_evaluator_rule_errors(evaluator, NULL), 0);
  }
  ee_evaluator_free(first);
  ee_evaluator_free(second);
  ee_rules_free(rules);
}

static void test_unknown_language(void **state) {
  (void)state;
  ee_rules *rules = load("return ee.rules { provider = { \"local\", language = \"englisch\" }, " SEMANTIC);
  ee_error error = {0};
  assert_null(ee_evaluator_new(rules, &error));
  assert_int_equal(error.status, EE_ERROR_RULES);
  assert_non_null(strstr(error.message, "englisch"));
  assert_null(ee_evaluator_new(rules, NULL));
  ee_rules_free(rules);
}
#else
static void test_no_stemmer(void **state) {
  (void)state;
  assert_left_out("\"local\"", "this evalengine was built without libstemmer, which the provider 'local' needs");
}
#endif

#ifdef EE_WITH_CURL
/* Nobody listens at port 9 of this machine: the value has no answer, and the case a result all the same. */
static void test_no_answer(void **state) {
  (void)state;
  ee_rules *rules = load("return ee.rules { provider = { \"openai\", model = \"m\", url = \"http://127.0.0.1:9/v1\", "
                         "retries = 0, cache = false }, " SEMANTIC);
  ee_evaluator *evaluator = evaluator_of(rules);
  for (int i = 0; i < 2; i++) {
    assert_true(score_of(evaluator, "{\"bio\":\"Red apples\"}", "{\"bio\":\"apple, red\"}") == 0);
    const ee_error *errors;
    assert_int_equal(ee_evaluator_rule_errors(evaluator, &errors), 1);
    assert_int_equal(errors[0].status, EE_ERROR_PROVIDER);
    assert_string_equal(errors[0].file, "");
    static const char head[] = "no answer for 'bio' (case 'c1'): ";
    assert_int_equal(strncmp(errors[0].message, head, sizeof head - 1), 0);
    /* What needs no answer has none of the last case's errors. */
    assert_true(score_of(evaluator, "{\"bio\":\"Red apples\"}", "{\"bio\":\"Red apples\"}") == 1);
    assert_int_equal(ee_evaluator_rule_errors(evaluator, NULL), 0);
  }
  ee_evaluator_free(evaluator);
  ee_rules_free(rules);
}
#else
static void test_no_curl(void **state) {
  (void)state;
  assert_left_out("\"openai\", model = \"m\", cache = false",
                  "this evalengine was built without libcurl, which the provider 'openai' needs");
}
#endif

static const struct CMUnitTest tests[] = {
#ifdef EE_WITH_STEMMER
    cmocka_unit_test(test_local),
    cmocka_unit_test(test_unknown_language),
#else
    cmocka_unit_test(test_no_stemmer),
#endif
#ifdef EE_WITH_CURL
    cmocka_unit_test(test_no_answer),
#else
    cmocka_unit_test(test_no_curl),
#endif
};
EE_TEST_ARRAY(NULL, NULL, tests);
