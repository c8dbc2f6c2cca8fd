/* test_promptfoo.c: where a result of promptfoo has its expected value, and what is said of the rest. */
#include "data/foreign/foreign_fixture.h"

#define RESULT(vars, asserts, response)                                                                                \
  "{\"testIdx\":3,\"promptIdx\":0,\"provider\":{\"id\":\"openai:gpt\",\"label\":\"\"},\"success\":true,\"score\":0.5," \
  "\"latencyMs\":12,\"cost\":0.25,\"vars\":" vars ",\"testCase\":{\"assert\":" asserts "}" response "}"
#define OUTPUT(text) ",\"response\":{\"output\":" text ",\"tokenUsage\":{\"total\":9}}"

static const char *convert(void **state, const char *text) {
  return foreign_convert(*state, &ee_foreign_promptfoo, text);
}

static void test_variable(void **state) {
  assert_string_equal(convert(state, RESULT("{\"q\":\"x\",\"expected\":\"A\"}",
                                            "[{\"type\":\"equals\",\"value\":\"B\"}]", OUTPUT("\"a\""))),
                      "{\"id\":3,\"expected\":\"A\",\"candidate\":\"a\",\"provider\":\"openai:gpt\",\"prompt_index\":0,"
                      "\"vars\":{\"q\":\"x\",\"expected\":\"A\"},\"cost\":0.25,\"latency_ms\":12,\"tokens\":9,"
                      "\"tool_pass\":true,\"tool_score\":0.5}");
  foreign_fixture *fixture = *state;
  assert_int_equal(fixture->seen.measures, EE_FOREIGN_COST | EE_FOREIGN_LATENCY | EE_FOREIGN_TOKENS);
  for (size_t i = 0; i < EE_FOREIGN_NOTES; i++) assert_string_equal(foreign_note(fixture, i), "");
}

static const char *expected_of(void **state, const char *asserts) {
  foreign_fixture *fixture = *state;
  const char *text = ee_arena_printf(&fixture->arena, RESULT("{\"a\":7}", "%s", OUTPUT("{\"n\":1}")), asserts);
  const char *record = convert(state, text), *from = strstr(record, "\"expected\":");
  if (from == NULL) return "";
  return ee_arena_copy(&fixture->arena, from + 11, (size_t)(strstr(from, ",\"candidate\"") - from) - 11);
}

static void test_assertions(void **state) {
  assert_string_equal(expected_of(state, "[{\"type\":\"is-json\"},{\"type\":\"equals\",\"value\":{\"n\":1}}]"),
                      "{\"n\":1}");
  assert_string_equal(
      expected_of(state, "[{\"type\":\"similar\",\"value\":\"x\"},{\"type\":\"equals\",\"value\":\"y\"}]"), "\"x\"");
  assert_string_equal(
      expected_of(state, "[{\"type\":\"assert-set\",\"assert\":[{\"type\":\"equals\",\"value\":\"in\"}]}]"), "\"in\"");
  assert_string_equal(expected_of(state, "[{\"type\":\"equals\",\"value\":\"{{ a }}\"}]"), "7");
  assert_string_equal(expected_of(state, "[{\"type\":\"equals\",\"value\":\"{{ a }} and {{ b }}\"}]"), "");
  assert_string_equal(expected_of(state, "[{\"type\":\"equals\",\"value\":\"file://x.json\"}]"), "");
  assert_string_equal(expected_of(state, "[{\"type\":\"contains\",\"value\":\"x\"}]"), "");
  assert_string_equal(expected_of(state, "null"), "");
  assert_string_equal(expected_of(state, "[1,\"x\",[],{\"type\":7,\"value\":null}]"), "");
}

/* Sets in sets are looked into, up to a bound; templates are filled in where they are one variable. */
static void test_depth(void **state) {
#define IN(inner) "[{\"type\":\"assert-set\",\"assert\":" inner "}]"
  assert_string_equal(expected_of(state, IN(IN(IN(IN("[{\"type\":\"equals\",\"value\":\"in\"}]"))))), "\"in\"");
  assert_string_equal(expected_of(state, IN(IN(IN(IN(IN("[{\"type\":\"equals\",\"value\":\"in\"}]")))))), "");
  static const char *const templates[] = {"{{b}}", "{{a}} b",    "{{}}",    "{{",    "{{a",
                                          "a}}",   "{% if a %}", "file://", "file:/"};
  static const bool filled[] = {false, false, false, false, false, true, false, false, true};
  foreign_fixture *fixture = *state;
  for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
    memset(&fixture->seen, 0, sizeof fixture->seen);
    const char *found =
        expected_of(state, ee_arena_printf(&fixture->arena, "[{\"type\":\"equals\",\"value\":\"%s\"}]", templates[i]));
    assert_string_equal(found, filled[i] ? ee_arena_printf(&fixture->arena, "\"%s\"", templates[i]) : "");
    assert_int_equal(*foreign_note(fixture, 3) != '\0', !filled[i]);
  }
  assert_string_equal(
      expected_of(state, "[{\"type\":\"equals\",\"value\":null},{\"type\":\"equals\",\"value\":\"x\"}]"), "\"x\"");
}

static void test_notes(void **state) {
  convert(state, RESULT("{}", "[{\"type\":\"llm-rubric\",\"value\":\"polite\"}]", ",\"error\":\"timeout\""));
  convert(state, RESULT("{}", "[{\"type\":\"equals\",\"value\":\"{{x}}\"}]", OUTPUT("\"a\"")));
  foreign_fixture *fixture = *state;
  assert_non_null(strstr(foreign_note(fixture, 0), "1 record of promptfoo: an error instead of an output"));
  assert_non_null(strstr(foreign_note(fixture, 1), "--expected-path vars.NAME"));
  assert_string_equal(foreign_note(fixture, 2), "");
  assert_non_null(strstr(foreign_note(fixture, 4), "llm-rubric is in the record as rubric"));
  assert_non_null(
      strstr(convert(state, RESULT("{}",
                                   "[{\"type\":\"llm-rubric\",\"value\":\"is polite\"},{\"type\":\"contains\"},"
                                   "{\"type\":\"llm-rubric\",\"value\":\"is short\"},{\"type\":\"llm-rubric\"}]",
                                   OUTPUT("\"a\""))),
             "\"rubric\":\"is polite\\nis short\""));
  assert_non_null(strstr(foreign_note(fixture, 2), "javascript are not judged here"));
  assert_non_null(strstr(foreign_note(fixture, 3), "(case '3')"));
}

static void test_other_files(void **state) {
  assert_string_equal(
      convert(state, "{\"id\":1,\"expected\":2}"),
      "error: not a result of promptfoo: 'provider', 'success' and 'vars' or 'testCase' are expected in it");
  assert_string_equal(
      convert(state, "[1]"),
      "error: not results of promptfoo (eval -o FILE.json or FILE.jsonl, export): a record must be an object, "
      "got an array");
  assert_string_equal(convert(state, "{\"a\":"), "{\"a\":"); /* its reader reports it */
  /* Results of version 2 lack the number of the test. */
  const char *record =
      convert(state, "{\"provider\":{\"id\":\"a\",\"label\":\"b\"},\"success\":false,\"vars\":{\"gt\":1},"
                     "\"response\":{\"output\":1}}");
  assert_string_equal(record,
                      "{\"expected\":1,\"candidate\":1,\"provider\":\"b\",\"vars\":{\"gt\":1},\"tool_pass\":false}");
  /* The variables of the test; a provider without a name; tokens beside the response. */
  assert_string_equal(convert(state,
                              "{\"provider\":{},\"gradingResult\":{},\"testCase\":{\"vars\":{\"gold\":2}},"
                              "\"tokenUsage\":{\"total\":4},\"response\":{\"output\":1,\"tokenUsage\":{\"total\":5}}}"),
                      "{\"expected\":2,\"candidate\":1,\"vars\":{\"gold\":2},\"tokens\":4}");
  static const char *const others[] = {"{\"provider\":\"p\",\"success\":true,\"vars\":[]}",
                                       "{\"provider\":\"p\",\"success\":1,\"vars\":{}}",
                                       "{\"success\":true,\"vars\":{}}"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_non_null(strstr(convert(state, others[i]), "error: not a result of promptfoo"));
}

EE_TEST_FILE(NULL, NULL, EE_FOREIGN_TEST(test_variable), EE_FOREIGN_TEST(test_assertions), EE_FOREIGN_TEST(test_depth),
             EE_FOREIGN_TEST(test_notes), EE_FOREIGN_TEST(test_other_files));
