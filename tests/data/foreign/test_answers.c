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

/* Members in snake_case, without an answer of a file of goldens, and metrics that are not a list. */
static void test_goldens(void **state) {
  foreign_fixture *fixture = *state;
  fixture->use.one_file = false;
  assert_string_equal(
      deepeval(state, "{\"input\":\"Q\",\"expected_output\":\"b\",\"metrics_data\":[],\"additional_metadata\":{},"
                      "\"completion_time\":\"2\"}"),
      "{\"expected\":\"b\",\"input\":\"Q\",\"metadata\":{}}");
  assert_string_equal(deepeval(state, "{\"input\":\"Q\",\"metrics_data\":{\"name\":\"F\",\"score\":1}}"),
                      "{\"input\":\"Q\"}");
  assert_string_equal(deepeval(state, "{\"input\":\"Q\",\"metricsData\":[{\"score\":1}]}"),
                      "{\"input\":\"Q\",\"scores\":{}}");
  assert_string_equal(foreign_note(fixture, 1), "");
  assert_string_equal(deepeval(state, "{\"turns\":[]}"), "nothing");
  assert_string_equal(deepeval(state, "{\"scenario\":\"x\",\"input\":\"Q\"}"), "nothing");
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
  assert_non_null(strstr(agentv(state, "{\"score\":1}"), "error: not a result of AgentV"));
}

/* Answers as messages, scores without a name or number, and tokens of which one number is missing. */
static void test_agentv_parts(void **state) {
  foreign_fixture *fixture = *state;
  fixture->use.one_file = false;
#define PARTS(rest) "{\"eval_id\":\"t\",\"score\":1" rest "}"
  assert_string_equal(
      agentv(state, PARTS(",\"answer\":\"a\",\"reference_answer\":\"b\",\"scores\":[],\"token_usage\":{\"input\":1}")),
      "{\"id\":\"t\",\"candidate\":\"a\",\"expected\":\"b\",\"tool_score\":1}");
  assert_string_equal(agentv(state, PARTS(",\"answer\":\"a\",\"scores\":{},\"token_usage\":{\"output\":1}")),
                      "{\"id\":\"t\",\"candidate\":\"a\",\"tool_score\":1}");
  assert_string_equal(
      agentv(state, PARTS(",\"answer\":\"a\",\"scores\":[{\"score\":1},{\"name\":\"s\"},{\"name\":\"s\",\"score\":2},{"
                          "\"name\":\"s\",\"score\":3}]")),
      "{\"id\":\"t\",\"candidate\":\"a\",\"tool_score\":1,\"scores\":{\"s\":2}}");
  assert_string_equal(foreign_note(fixture, 1), "");
  /* The last message of the assistant, with its texts in lines; without one the messages are the answer. */
  assert_string_equal(
      agentv(
          state,
          PARTS(
              ",\"output\":[{\"role\":\"assistant\",\"content\":\"x\"},{\"role\":\"assistant\",\"content\":[{\"type\":"
              "\"text\",\"text\":\"a\"},{\"type\":\"text\",\"value\":\"b\"},{\"type\":\"text\",\"text\":7},{\"type\":"
              "\"image\",\"text\":\"c\"}]}]")),
      "{\"id\":\"t\",\"candidate\":\"a\\nb\",\"tool_score\":1}");
  assert_string_equal(agentv(state, PARTS(",\"output\":[{\"role\":\"user\",\"content\":\"x\"}]")),
                      "{\"id\":\"t\",\"candidate\":[{\"role\":\"user\",\"content\":\"x\"}],\"tool_score\":1}");
  assert_string_equal(agentv(state, PARTS(",\"output\":[{\"role\":\"assistant\",\"content\":[]}]")),
                      "{\"id\":\"t\",\"candidate\":[{\"role\":\"assistant\",\"content\":[]}],\"tool_score\":1}");
  /* An error stands for the status that says so. */
  assert_string_equal(agentv(state, PARTS(",\"execution_status\":7,\"error\":\"timeout\"")),
                      "{\"id\":\"t\",\"tool_score\":1}");
  assert_non_null(strstr(foreign_note(fixture, 0), "failed"));
  assert_non_null(strstr(agentv(state, PARTS(",\"execution_status\":\"ok\"")), "error: the result has scores and no"));
  /* The empty id and one that is no id: the record's place is kept for messages. */
  assert_string_equal(agentv(state, "{\"test_id\":\"\",\"score\":1,\"output\":2}"),
                      "{\"id\":\"\",\"candidate\":2,\"tool_score\":1}");
  assert_string_equal(agentv(state, "{\"test_id\":[],\"score\":1,\"output\":2}"), "{\"candidate\":2,\"tool_score\":1}");
}

/* Several results of one test have a number each. */
static void test_samples(void **state) {
  (void)state;
  bool (*has)(ee_str) = ee_foreign_agentv.has_trials;
  assert_true(has(EE_STR("{\"test_id\":\"a\",\"sample_index\":0}")));
  assert_true(has(EE_STR("{\"testId\":\"a\",\"sampleIndex\":0}")));
  assert_false(has(EE_STR("{\"test_id\":\"a\",\"sample\":0}")));
  assert_false(has(EE_STR("")));
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
  assert_string_equal(guess(*state, "{\"testCase\":{},\"gradingResult\":{},\"provider\":\"p\"}"), "promptfoo");
  assert_string_equal(guess(*state, "{\"vars\":{},\"success\":false,\"provider\":\"p\"}"), "promptfoo");
  assert_string_equal(guess(*state, "{\"scenario\":\"s\",\"turns\":[],\"metrics_data\":[]}"), "deepeval");
  assert_string_equal(guess(*state, "{\"document_id\":\"d\",\"text\":\"\",\"extractions\":[]}"), "langextract");
  assert_string_equal(guess(*state, "{\"data\":{},\"predictions\":[]}"), "label-studio");
  assert_string_equal(guess(*state, "{\"data\":{},\"completions\":[]}"), "label-studio");
  const char *const others[] = {
      "", "[", "[]", "{", "x", "{\"id\":1,\"expected\":{},\"candidate\":{}}", "{\"results\":[{\"id\":1}]}",
      "{\"results\":3}", "{\"results\":{\"results\":[{\"id\":1", "{\"test_id\":\"a\",\"score\":1}",
      "{\"samples\":", "{\"results\":", "{\"results\":{\"version\":3,", "{\"a\":{\"b\":",
      /* A member that decides is missing, or of another type. */
      "{\"vars\":[],\"success\":true,\"provider\":\"p\"}", "{\"vars\":{},\"success\":1,\"provider\":\"p\"}",
      "{\"vars\":{},\"success\":true}", "{\"epoch\":1,\"target\":\"\"}", "{\"epoch\":1,\"input\":\"\"}",
      "{\"input\":\"\",\"expected_output\":\"\"}", "{\"input\":\"\",\"metrics_data\":[]}",
      "{\"expected_output\":\"\",\"metrics_data\":[]}", "{\"turns\":[]}", "{\"extractions\":[]}",
      "{\"text\":\"\",\"extractions\":[]}", "{\"text\":\"\",\"extractions\":[{}]}",
      "{\"text\":\"\",\"extractions\":{}}", "{\"data\":{}}", "{\"data\":[],\"annotations\":[]}",
      "{\"test_id\":1,\"score\":1,\"target\":\"b\"}", "{\"test_id\":\"a\",\"score\":\"1\",\"target\":\"b\"}",
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

EE_TEST_FILE(NULL, NULL, EE_FOREIGN_TEST(test_deepeval), EE_FOREIGN_TEST(test_goldens), EE_FOREIGN_TEST(test_agentv),
             EE_FOREIGN_TEST(test_agentv_parts), EE_FOREIGN_TEST(test_samples), EE_FOREIGN_TEST(test_guess),
             EE_FOREIGN_TEST(test_find), EE_FOREIGN_TEST(test_merge));
