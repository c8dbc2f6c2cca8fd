/* test_inspect.c: targets, completions, choices and epochs of Inspect's samples. */
#include "data/foreign/foreign_fixture.h"

static const char *convert(void **state, const char *text) {
  return foreign_convert(*state, &ee_foreign_inspect, text);
}

static void test_sample(void **state) {
  assert_string_equal(
      convert(state,
              "{\"id\":\"s\",\"epoch\":2,\"input\":[{\"role\":\"user\",\"content\":\"Q\"}],\"target\":\"Yes\","
              "\"output\":{\"model\":\"m\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":"
              "\"reasoning\",\"reasoning\":\"hm\"},{\"type\":\"text\",\"text\":\"No\"}]}}],\"usage\":{"
              "\"total_tokens\":5},\"time\":0.5},\"scores\":{\"match\":{\"value\":\"I\",\"answer\":\"No\"}}}"),
      "{\"id\":\"s\",\"epoch\":2,\"expected\":\"Yes\",\"candidate\":\"No\",\"model\":\"m\",\"input\":\"Q\",\"scores\":{"
      "\"match\":\"I\"},\"latency_ms\":500,\"tokens\":5}");
}

#define SAMPLE(rest) "{\"id\":1,\"epoch\":1,\"input\":\"Q\"," rest "}"

static void test_targets(void **state) {
  assert_non_null(strstr(convert(state, SAMPLE("\"target\":[\"a\",\"b\"],\"output\":{\"completion\":\"a\"}")),
                         "\"expected\":{\"anyOf\":[\"a\",\"b\"]},\"candidate\":\"a\""));
  assert_non_null(strstr(convert(state, SAMPLE("\"target\":[\"a\"],\"output\":{}")), "\"expected\":\"a\""));
  foreign_fixture *fixture = *state;
  assert_non_null(strstr(foreign_note(fixture, 1), "no output, judged as an empty candidate (case '1')"));
  convert(state, SAMPLE("\"target\":\"\",\"error\":{\"message\":\"x\"}"));
  assert_non_null(strstr(foreign_note(fixture, 0), "ended with an error"));
  assert_non_null(strstr(foreign_note(fixture, 3), "the target is empty"));
}

static void test_choice(void **state) {
  assert_non_null(
      strstr(convert(state, SAMPLE("\"target\":\"B\",\"choices\":[\"x\",\"y\"],\"output\":{\"completion\":"
                                   "\"ANSWER: B\"},\"scores\":{\"choice\":{\"value\":\"C\",\"answer\":\"B\"}}")),
             "\"expected\":\"B\",\"completion\":\"ANSWER: B\",\"candidate\":\"B\""));
  assert_non_null(strstr(foreign_note(*state, 2), "multiple choice"));
}

static void test_attachments(void **state) {
  assert_non_null(strstr(convert(state, SAMPLE("\"target\":\"B\",\"output\":{\"completion\":\"attachment://ab\"},"
                                               "\"attachments\":{\"ab\":\"long\"}")),
                         "\"candidate\":\"long\""));
  assert_non_null(strstr(convert(state, SAMPLE("\"target\":\"B\",\"output\":{\"completion\":\"attachment://no\"}")),
                         "\"candidate\":\"attachment://no\""));
}

static void test_trials(void **state) {
  (void)state;
  bool (*has)(ee_str) = ee_foreign_inspect.has_trials;
  assert_true(has(EE_STR("{\"eval\":{\"config\":{\"epochs\": 2}}}")));
  assert_true(has(EE_STR("{\"epochs\":10")));
  assert_false(has(EE_STR("{\"epochs\":1,")));
  assert_false(has(EE_STR("{\"epochs\":")));
  assert_false(has(EE_STR("{\"epochs\":null}")));
  assert_false(has(EE_STR("")));
}

static void test_other_files(void **state) {
  assert_non_null(strstr(convert(state, "{\"epoch\":1}"), "error: not a sample of Inspect"));
  assert_non_null(
      strstr(convert(state, SAMPLE("\"target\":{},\"output\":[],\"scores\":[],\"choices\":{}")), "\"expected\":{}"));
}

EE_TEST_FILE(NULL, NULL, EE_FOREIGN_TEST(test_sample), EE_FOREIGN_TEST(test_targets), EE_FOREIGN_TEST(test_choice),
             EE_FOREIGN_TEST(test_attachments), EE_FOREIGN_TEST(test_trials), EE_FOREIGN_TEST(test_other_files));
