/* test_junit.c: tests as JUnit XML: what it cannot hold, counts, and more than fits into memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "report/junit.h"
#include "report/miss_lines.h"

static const char *printed(ee_junit *junit, ee_buffer *out) {
  ee_buffer_clear(out);
  ee_junit_print(junit, out);
  return ee_buffer_terminate(out);
}

static void escapes(void **state) {
  (void)state;
  static const struct {
    ee_str given;
    const char *attribute, *text;
  } facts[] = {
      {EE_STR("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;'", "a&lt;b&gt;&amp;\"'"},
      {EE_STR("x]]>y"), "x]]&gt;y", "x]]&gt;y"},
      {EE_STR("1\n2\t3"), "1\\n2\\t3", "1\n2\t3"},
      {EE_STR("\0\x01\x1b\x7f"), "\\u0000\\u0001\\u001b\\u007f", "\\u0000\\u0001\\u001b\\u007f"},
      {EE_STR("\xef\xbf\xbe\xef\xbf\xbf"), "\\ufffe\\uffff", "\\ufffe\\uffff"},
      {EE_STR("\xe2\x80\xae"), "\\u202e", "\\u202e"},
      {EE_STR("\xed\xa0\x80z\xff"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd",
       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd"},
      {EE_STR("\xf0\x9f\x98\x80 \xe6\x97\xa5"), "\xf0\x9f\x98\x80 \xe6\x97\xa5", "\xf0\x9f\x98\x80 \xe6\x97\xa5"},
  };
  ee_buffer out;
  ee_buffer_init(&out);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_junit *junit = ee_junit_new(EE_STR("n"));
    ee_junit_test test = {EE_STR(""), facts[i].given, EE_JUNIT_FAILED, EE_STR("t"), facts[i].given, facts[i].given};
    ee_junit_add(junit, "cases", &test);
    char expected[400];
    snprintf(expected, sizeof expected,
             "name=\"%s\" time=\"0\">\n      <failure type=\"t\" message=\"%s\">%s</failure>\n", facts[i].attribute,
             facts[i].attribute, facts[i].text);
    if (strstr(printed(junit, &out), expected) == NULL) fail_msg("%zu: %s", i, out.data);
    ee_junit_free(junit);
  }
  ee_buffer_fini(&out);
}

static void cuts_long_texts(void **state) {
  (void)state;
  enum { LONG = 3000000 };
  char *text = malloc(LONG);
  for (size_t i = 0; i + 1 < LONG; i += 2) memcpy(text + i, "\xc3\xa9", 2);
  ee_str all = {text, LONG};
  ee_junit *junit = ee_junit_new(all);
  ee_junit_test test = {all, all, EE_JUNIT_ERROR, all, all, all};
  ee_junit_add(junit, "cases", &test);
  ee_buffer out;
  ee_buffer_init(&out);
  printed(junit, &out);
  assert_true(out.length < 20000);
  assert_true(ee_utf8_valid_prefix(out.data, out.length) == out.length);
  ee_buffer_fini(&out);
  ee_junit_free(junit);
  free(text);
}

/* More than is kept in memory: nothing is lost, and the order stays. */
static void keeps_many(void **state) {
  (void)state;
  enum { TESTS = 60000 };
  ee_junit *junit = ee_junit_new(EE_STR("many"));
  for (size_t i = 0; i < TESTS; i++) {
    char name[20];
    ee_junit_test test = {.name = {name, (size_t)snprintf(name, sizeof name, "case %05zu", i)},
                          .outcome = (ee_junit_outcome)(i % 4),
                          .message = EE_STR("m")};
    ee_junit_add(junit, i % 3 == 0 ? "others" : "cases", &test);
  }
  ee_buffer out;
  ee_buffer_init(&out);
  const char *text = printed(junit, &out);
  assert_true(out.length > (size_t)3 << 20);
  assert_non_null(strstr(text, "<testsuites name=\"many\" tests=\"60000\" failures=\"15000\" errors=\"15000\">"));
  assert_non_null(strstr(text, "<testsuite name=\"cases\" tests=\"40000\" failures=\"10000\" errors=\"10000\" "
                               "skipped=\"10000\" time=\"0\">"));
  assert_null(strstr(text, "<testsuite name=\"gates\"")); /* a suite without tests */
  assert_true(strstr(text, "\"others\"") < strstr(text, "\"cases\""));
  size_t found = 0, next[2] = {0, 1};
  for (const char *at = text; (at = strstr(at, "name=\"case ")) != NULL; at++, found++) {
    size_t number = strtoul(at + 11, NULL, 10), suite = number % 3 != 0;
    assert_int_equal(number, next[suite]);
    next[suite] += suite == 0 ? 3 : number % 3 == 1 ? 1 : 2;
  }
  assert_int_equal(found, TESTS);
  ee_buffer_fini(&out);
  ee_junit_free(junit);
}

static void without_a_temporary_file(void **state) {
  (void)state;
  setenv("TMPDIR", "/nowhere/at/all", 1);
  ee_junit *junit = ee_junit_new(EE_STR("n"));
  ee_junit_test test = {.name = EE_STR("case")};
  for (size_t i = 0; i < 60000; i++) ee_junit_add(junit, "cases", &test);
  unsetenv("TMPDIR");
  ee_buffer out;
  ee_buffer_init(&out);
  printed(junit, &out);
  assert_int_equal(out.length, 0); /* nothing rather than a part */
  ee_buffer_fini(&out);
  ee_junit_free(junit);
}

#define JUDGES(a, b) "\"evaluator_results\":[" a "," b "]}"
#define GOOD "{\"name\":\"g\",\"score\":1,\"verdict\":\"pass\",\"misses\":[],\"details\":{}}"

static void knows_rows(void **state) {
  (void)state;
  static const struct {
    const char *row, *judge, *expected;
  } facts[] = {
      {"{\"id\":\"1\",\"score\":1,\"verdict\":\"pass\",\"evaluator_results\":[" GOOD "]}", NULL,
       "<testcase classname=\"n.cases\" name=\"1\" time=\"0\"/>"},
      {"{\"id\":\"1\",\"score\":0.44,\"verdict\":\"fail\"," JUDGES(
           GOOD, "{\"name\":\"f\",\"score\":0.2,\"verdict\":\"fail\",\"misses\":[\"total (diff=2)\"],\"details\":{"
                 "\"mismatches\":[{\"path\":\"total\",\"expected\":100,\"candidate\":102,\"reason\":\"diff=2\"},"
                 "{\"path\":\"x\",\"candidate\":null}],\"truncated\":true}}"),
       NULL,
       "<failure type=\"fail\" message=\"score 0.44: f: total: expected 100, got 102 (diff=2); f: x: expected "
       "nothing, got null; f: more, which are not in the results\">f: total: expected 100, got 102 (diff=2)\nf: x: "
       "expected nothing, got null\nf: more, which are not in the results</failure>"},
      {"{\"id\":\"1\",\"score\":0.7,\"verdict\":\"borderline\",\"evaluator_results\":[{\"name\":\"f\",\"score\":0.7,"
       "\"misses\":[\"a\",\"b\"]}]}",
       NULL, "<system-out>borderline, score 0.7\na\nb</system-out>"},
      {"{\"id\":\"1\",\"score\":0,\"verdict\":\"fail\",\"unscored\":true,\"evaluator_results\":[]}", NULL,
       "<skipped type=\"not scored\" message=\"no score because of its expected values\"/>"},
      {"{\"schema\":2,\"id\":\"1\",\"expected_hash\":\"0123456789abcdef\",\"score\":0,\"verdict\":\"fail\",\"rule_"
       "errors\":2,\"misses\":[\"score (boom)\"],"
       "\"evaluator_results\":[]}",
       NULL, "<error type=\"error\" message=\"2 errors raised by the rules; score 0: score (boom)\">score (boom)"},
      {"{\"id\":\"1\",\"score\":0,\"verdict\":\"fail\"," JUDGES(GOOD, "{\"name\":\"f\",\"score\":0,\"verdict\":"
                                                                      "\"fail\",\"misses\":[\"m\"]}"),
       "g", "<testcase classname=\"n.cases\" name=\"1\" time=\"0\"/>"},
      {"{\"id\":\"1\",\"score\":0,\"verdict\":\"fail\",\"evaluator_results\":[" GOOD "]}", "absent", NULL},
  };
  ee_buffer out;
  ee_buffer_init(&out);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    ee_stored_row row;
    ee_error error;
    const ee_value *record = ee_json_read(&arena, ee_str_from(facts[i].row), NULL, &error);
    if (record == NULL || !ee_stored_row_read(record, &arena, &row, &error)) fail_msg("%s", error.message);
    ee_junit *junit = ee_junit_new(EE_STR("n"));
    ee_junit_add_case(junit, &row, facts[i].judge != NULL ? ee_str_from(facts[i].judge) : (ee_str){NULL, 0});
    const char *text = printed(junit, &out);
    if (facts[i].expected != NULL && strstr(text, facts[i].expected) == NULL) fail_msg("%zu: %s", i, text);
    if (facts[i].expected == NULL) assert_non_null(strstr(text, "tests=\"0\""));
    ee_junit_free(junit);
    ee_arena_fini(&arena);
  }
  ee_buffer_fini(&out);
}

static void counts_records(void **state) {
  (void)state;
  ee_junit *junit = ee_junit_new(EE_STR("n"));
  ee_error error;
  ee_error_at(&error, EE_ERROR_DATA, "d.jsonl", 17, 0, "no id");
  ee_junit_add_error(junit, &error);
  ee_error_at(&error, EE_OK, "d.jsonl", 18, 0, "a warning");
  ee_junit_add_error(junit, &error);
  ee_junit_count_errors(junit, 4);
  ee_buffer out;
  ee_buffer_init(&out);
  const char *text = printed(junit, &out);
  assert_non_null(strstr(text, "name=\"d.jsonl:17\" time=\"0\">\n      <error type=\"record\" message=\"no id\">"));
  assert_non_null(strstr(text, "name=\"3 more records in error\""));
  assert_non_null(strstr(text, "tests=\"2\" failures=\"0\" errors=\"2\""));
  ee_buffer_fini(&out);
  ee_junit_free(junit);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(escapes), cmocka_unit_test(cuts_long_texts), cmocka_unit_test(keeps_many),
             cmocka_unit_test(without_a_temporary_file), cmocka_unit_test(knows_rows),
             cmocka_unit_test(counts_records));
