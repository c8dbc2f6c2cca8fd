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
  static const char *const empty[] = {"null", "[]", "\" \"", "[\"\"]"}, *const others[] = {"0", "[\"\",\"a\"]", "{}",
                                                                                           "false"};
  for (size_t i = 0; i < 8; i++) {
    memset(&fixture->seen, 0, sizeof fixture->seen);
    convert(state, ee_arena_printf(&fixture->arena, SAMPLE("\"target\":%s,\"output\":{\"completion\":\"a\"}"),
                                   i < 4 ? empty[i] : others[i - 4]));
    assert_int_equal(*foreign_note(fixture, 3) != '\0', i < 4);
  }
}

/* An empty completion is that of the first choice, and the time is that of the sample before that of the output. */
static void test_completion(void **state) {
  assert_non_null(
      strstr(convert(state, SAMPLE("\"target\":\"B\",\"output\":{\"completion\":\"\",\"choices\":[{\"message\":{"
                                   "\"content\":\"b\"}}],\"time\":3},\"total_time\":2")),
             "\"candidate\":\"b\",\"input\":\"Q\",\"latency_ms\":2000"));
  assert_non_null(strstr(convert(state, SAMPLE("\"target\":\"B\",\"output\":{\"completion\":7,\"choices\":{}}")),
                         "{\"id\":1,\"epoch\":1,\"expected\":\"B\",\"input\":\"Q\"}"));
}

static void test_choice(void **state) {
  assert_non_null(
      strstr(convert(state, SAMPLE("\"target\":\"B\",\"choices\":[\"x\",\"y\"],\"output\":{\"completion\":"
                                   "\"ANSWER: B\"},\"scores\":{\"choice\":{\"value\":\"C\",\"answer\":\"B\"}}")),
             "\"expected\":\"B\",\"completion\":\"ANSWER: B\",\"candidate\":\"B\""));
  assert_non_null(strstr(foreign_note(*state, 2), "multiple choice"));
}

/* Which answer a multiple choice has: the first one that a scorer found. */
static void test_answers(void **state) {
#define SCORED(choices, scores)                                                                                        \
  SAMPLE("\"target\":\"B\",\"choices\":" choices ",\"output\":{\"completion\":\"ANSWER: B\"},\"scores\":" scores)
  assert_non_null(strstr(
      convert(state, SCORED("[\"x\"]", "{\"a\":\"C\",\"b\":{\"value\":1,\"answer\":null},\"c\":{\"answer\":\"B\"}}")),
      "\"candidate\":\"B\",\"input\":\"Q\",\"choices\":[\"x\"],\"scores\":{\"a\":\"C\",\"b\":1,\"c\":"));
  foreign_fixture *fixture = *state;
  memset(&fixture->seen, 0, sizeof fixture->seen);
  static const char *const none[] = {
      SCORED("[\"x\"]", "{}"), SCORED("[\"x\"]", "{\"a\":{}}"), SCORED("[\"x\"]", "[{\"answer\":\"B\"}]"),
      SCORED("[]", "{\"a\":{\"answer\":\"B\"}}"), SCORED("\"x\"", "{\"a\":{\"answer\":\"B\"}}")};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    assert_non_null(strstr(convert(state, none[i]), "\"expected\":\"B\",\"candidate\":\"ANSWER: B\""));
  assert_string_equal(foreign_note(fixture, 2), "");
}

static void test_attachments(void **state) {
  assert_non_null(strstr(convert(state, SAMPLE("\"target\":\"B\",\"output\":{\"completion\":\"attachment://ab\"},"
                                               "\"attachments\":{\"ab\":\"long\"}")),
                         "\"candidate\":\"long\""));
  assert_non_null(strstr(convert(state, SAMPLE("\"target\":\"B\",\"output\":{\"completion\":\"attachment://no\"}")),
                         "\"candidate\":\"attachment://no\""));
  assert_non_null(strstr(convert(state, SAMPLE("\"target\":\"B\",\"output\":{\"completion\":\"not attachment://ab\"},"
                                               "\"attachments\":{\"ab\":\"long\"}")),
                         "\"candidate\":\"not attachment://ab\""));
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
  assert_true(has(EE_STR("{\"epochs\" :\n2}")));
  assert_false(has(EE_STR("{\"epochs\":1")));
  assert_false(has(EE_STR("{\"epochs\":0}")));
  assert_false(has(EE_STR("{\"epochs\":\"2\"}")));
  assert_false(has(EE_STR("{\"epochs\"")));
  assert_true(has(EE_STR("{\"epochs\":19}")));
  assert_false(has(EE_STR("{\"epochs\":1:")));
  /* The names of an archive's entries. */
  assert_true(has(EE_STR("samples/a_epoch_1.json samples/a_epoch_2.json")));
  assert_true(has(EE_STR("samples/a_epoch_10.json")));
  assert_false(has(EE_STR("samples/a_epoch_1.json samples/b_epoch_1.json")));
  assert_false(has(EE_STR("samples/a_epoch_2_epoch_1.json")));
  assert_false(has(EE_STR("samples/a_epoch_.json samples/a_epoch_x.json samples/a_epoch_2.jso")));
  assert_false(has(EE_STR("samples/a_epoch_2")));
  assert_false(has(EE_STR("samples/a_epoch_:.json")));
}

static void test_other_files(void **state) {
  assert_non_null(strstr(convert(state, "{\"epoch\":1}"), "error: not a sample of Inspect"));
  assert_non_null(
      strstr(convert(state, SAMPLE("\"target\":{},\"output\":[],\"scores\":[],\"choices\":{}")), "\"expected\":{}"));
}

EE_TEST_FILE(NULL, NULL, EE_FOREIGN_TEST(test_sample), EE_FOREIGN_TEST(test_targets), EE_FOREIGN_TEST(test_completion),
             EE_FOREIGN_TEST(test_choice), EE_FOREIGN_TEST(test_answers), EE_FOREIGN_TEST(test_attachments),
             EE_FOREIGN_TEST(test_trials), EE_FOREIGN_TEST(test_other_files));
