/* test_answers.c: DeepEval's test cases and goldens, AgentV's results, and which tool a file is of. */
#include "data/foreign/foreign_fixture.h"

static const char *deepeval(void **state, const char *text) {
  return foreign_convert(*state, &ee_foreign_deepeval, text);
}
static const char *agentv(void **state, const char *text) { return foreign_convert(*state, &ee_foreign_agentv, text); }

static void test_deepeval(void **state) {
  assert_string_equal(
      deepeval(state,
               "{\"name\":\"t\",\"input\":\"Q\",\"actualOutput\":\"a\",\"expectedOutput\":\"b\",\"tokenCost\":0.1,"
               "\"completionTime\":2,\"success\":false,\"metricsData\":[{\"name\":\"F\",\"score\":0.5},{\"name\":"
               "\"F\",\"score\":1},{\"name\":\"G\"},3]}"),
      "{\"id\":\"t\",\"expected\":\"b\",\"candidate\":\"a\",\"input\":\"Q\",\"scores\":{\"F\":0.5},\"tool_pass\":false,"
      "\"cost\":0.1,\"latency_ms\":2000}");
  assert_string_equal(
      deepeval(state, "{\"input\":\"Q\",\"expected_output\":\"b\",\"actual_output\":null,\"name\":null}"),
      "{\"expected\":\"b\",\"input\":\"Q\"}");
  assert_non_null(strstr(foreign_note(*state, 1), "no actual output"));
  assert_string_equal(deepeval(state, "{\"scenario\":\"x\",\"turns\":[]}"), "nothing");
  assert_non_null(strstr(foreign_note(*state, 0), "conversation"));
  assert_non_null(strstr(deepeval(state, "{\"expected_output\":1}"), "error: neither a test case nor a golden"));
}

static void test_agentv(void **state) {
  assert_string_equal(
      agentv(state,
             "{\"test_id\":\"t\",\"score\":0.5,\"target\":\"m\",\"output\":[{\"role\":\"user\",\"content\":\"x\"},{"
             "\"role\":\"assistant\",\"content\":\"{}\"}],\"cost_usd\":0.5,\"duration_ms\":3,\"token_usage\":{"
             "\"input\":2,\"output\":3},\"scores\":[{\"name\":\"s\",\"score\":1}]}"),
      "{\"id\":\"t\",\"candidate\":\"{}\",\"target_name\":\"m\",\"tool_score\":0.5,\"scores\":{\"s\":1},\"cost\":0.5,"
      "\"latency_ms\":3,\"tokens\":5}");
  assert_non_null(strstr(foreign_note(*state, 1), "evalengine DATASET.yaml RESULTS.jsonl"));
  assert_string_equal(
      agentv(state, "{\"testId\":\"t\",\"score\":0,\"target\":\"m\",\"executionStatus\":\"execution_error\"}"),
      "{\"id\":\"t\",\"target_name\":\"m\",\"tool_score\":0}");
  assert_non_null(strstr(foreign_note(*state, 0), "failed"));
  assert_non_null(
      strstr(agentv(state, "{\"test_id\":\"t\",\"score\":1,\"target\":\"m\"}"), "error: the result has scores and no"));
  assert_non_null(strstr(agentv(state, "{\"test_id\":\"t\"}"), "error: not a result of AgentV"));
}

static const char *guess(foreign_fixture *fixture, const char *head) {
  const ee_foreign_format *format = ee_foreign_guess(ee_str_from(head), &fixture->arena);
  return format != NULL ? format->name : "";
}

#define PROMPTFOO "{\"vars\":{},\"success\":true,\"provider\":\"p\"}"

static void test_guess(void **state) {
  assert_string_equal(
      guess(*state, "{\"evalId\":\"x\",\"results\":{\"version\":3,\"prompts\":[{}],\"results\":[" PROMPTFOO ","),
      "promptfoo");
  assert_string_equal(guess(*state, "{\"version\":2,\"results\":[" PROMPTFOO "]}"), "promptfoo");
  assert_string_equal(guess(*state, PROMPTFOO "\n" PROMPTFOO "\n"), "promptfoo");
  assert_string_equal(
      guess(*state, "{\"status\":\"success\",\"samples\":[{\"id\":1,\"epoch\":1,\"input\":\"\",\"target\":\"\"}"),
      "inspect");
  assert_string_equal(guess(*state, "[{\"input\":\"\",\"expected_output\":\"\",\"retrieval_context\":null}]"),
                      "deepeval");
  assert_string_equal(
      guess(*state, "{\"testRunData\":{\"testCases\":[{\"input\":1,\"actualOutput\":1,\"metricsData\":[]}]}}"),
      "deepeval");
  assert_string_equal(guess(*state, "{\"text\":\"\",\"extractions\":[{\"extraction_class\":\"a\"}]}"), "langextract");
  assert_string_equal(guess(*state, " [ {\"data\":{},\"annotations\":[]}]"), "label-studio");
  assert_string_equal(guess(*state, "{\"test_id\":\"a\",\"score\":1,\"target\":\"b\"}"), "agentv");
  const char *const others[] = {"",
                                "[",
                                "[]",
                                "{",
                                "x",
                                "{\"id\":1,\"expected\":{},\"candidate\":{}}",
                                "{\"results\":[{\"id\":1}]}",
                                "{\"results\":3}",
                                "{\"results\":{\"results\":[{\"id\":1",
                                "{\"test_id\":\"a\",\"score\":1}",
                                "{\"samples\":",
                                "id,expected\n1,2\n"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_string_equal(guess(*state, others[i]), "");
}

static void test_find(void **state) {
  (void)state;
  for (const ee_foreign_format *const *at = ee_foreign_formats; *at != NULL; at++)
    assert_ptr_equal(ee_foreign_find(ee_str_from((*at)->name)), *at);
  assert_null(ee_foreign_find(EE_STR("promptfo")));
}

static void test_merge(void **state) {
  (void)state;
  ee_foreign_seen a = {.records = 2, .measures = 1}, b = {.records = 3, .measures = 2};
  b.notes[1] = (ee_foreign_note){.count = 2, .example = "case 'x'"};
  ee_foreign_seen_merge(&a, &b);
  ee_foreign_seen_merge(&a, &b);
  assert_int_equal(a.records, 8);
  assert_int_equal(a.measures, 3);
  assert_int_equal(a.notes[1].count, 4);
  assert_string_equal(a.notes[1].example, "case 'x'");
}

EE_TEST_FILE(NULL, NULL, EE_FOREIGN_TEST(test_deepeval), EE_FOREIGN_TEST(test_agentv), EE_FOREIGN_TEST(test_guess),
             EE_FOREIGN_TEST(test_find), EE_FOREIGN_TEST(test_merge));
