/* test_case_report.c: cases in lines, and one case in full. */
#include <string.h>

#include "data/json/json_reader.h"
#include "report/formats.h"

typedef struct fixture {
  ee_arena arena;
  ee_buffer out;
  ee_stored_row row;
} fixture;

static void set_up(fixture *f, const char *text) {
  *f = (fixture){0};
  ee_arena_init(&f->arena, 0);
  const ee_value *record = ee_json_read(&f->arena, ee_str_from(text), NULL, NULL);
  ee_error error;
  if (!ee_stored_row_read(record, &f->arena, &f->row, &error)) fail_msg("%s", error.message);
}

static void tear_down(fixture *f) {
  ee_buffer_fini(&f->out);
  ee_arena_fini(&f->arena);
}

static void assert_lines(const char *text, const char *judge, bool color, const char *expected) {
  fixture f;
  set_up(&f, text);
  ee_str name = judge != NULL ? ee_str_from(judge) : (ee_str){NULL, 0};
  ee_case_lines(&f.row, name, (ee_table_style){.color = color}, &f.out);
  assert_string_equal(ee_buffer_terminate(&f.out), expected);
  tear_down(&f);
}

#define ROW                                                                                                            \
  "{\"id\":\"a\\u001b\",\"score\":0.75,\"verdict\":\"borderline\",\"hits\":[\"x\"],\"misses\":[\"y (\\n)\",\"z\"],"    \
  "\"evaluator_results\":["                                                                                            \
  "{\"name\":\"one\",\"type\":\"fields\",\"score\":1,\"verdict\":\"pass\",\"hits\":[\"x\"],\"misses\":[]},"            \
  "{\"name\":\"two\",\"type\":\"two\",\"score\":0.5,\"verdict\":\"fail\",\"hits\":[],\"misses\":[\"y (\\n)\",\"z\"],"  \
  "\"reasoning\":\"why\",\"details\":{\"mismatches\":["                                                                \
  "{\"path\":\"y\",\"expected\":\"12345678901234567890123456789012345\",\"candidate\":{\"k\":1},\"score\":0.25,"       \
  "\"reason\":\"other\"},{\"path\":\"z\",\"expected\":[1]}]}}]}"

static void test_lines(void **state) {
  (void)state;
  assert_lines(ROW, NULL, false,
               "a\\u001b  0.750  borderline\n"
               "    y (\\n)\n"
               "    z\n");
  assert_lines(ROW, "one", true, "\033[1ma\\u001b\033[0m  1.000  \033[32mpass\033[0m\n");
  assert_lines(ROW, "two", false, "a\\u001b  0.500  fail\n    y (\\n)\n    z\n");
  assert_lines(ROW, "three", false, "");
  /* Of another program: no verdict, misses of the judges only, and some that are not strings. */
  assert_lines("{\"test_id\":\"\",\"score\":1,\"scores\":[{\"score\":0.5,\"misses\":[\"m\",1]},{\"misses\":{}}]}", NULL,
               false, "\"\"  1.000  pass\n    m\n");
  assert_lines("{\"id\":\"b\",\"score\":0.9999,\"misses\":[]}", NULL, false, "b  0.999  pass\n");
}

static const char *case_text(fixture *f, const char *text, const char *judge, const char *format) {
  set_up(f, text);
  const ee_one_case one = {.row = &f->row, .judge = judge != NULL ? ee_str_from(judge) : (ee_str){NULL, 0}};
  ee_report_write_case(ee_report_format_find(ee_str_from(format)), &one, (ee_table_style){0}, &f->out);
  return ee_buffer_terminate(&f->out);
}

/* Expected and candidate values side by side, however long. */
static void test_one_case(void **state) {
  (void)state;
  fixture f;
  assert_string_equal(case_text(&f, ROW, NULL, "table"),
                      "a\\u001b  0.750  borderline\n"
                      "\n"
                      "one (fields)  1.000  pass\n"
                      "  hits 1\n"
                      "    x\n"
                      "\n"
                      "two  0.500  fail\n"
                      "  why\n"
                      "  misses 2\n"
                      "    y (\\n)\n"
                      "    z\n"
                      "              value     expected                               candidate\n"
                      "  miss        y         \"12345678901234567890123456789012345\"  {\"k\":1}\n"
                      "              other; score 0.250\n"
                      "  miss        z         [1]\n");
  tear_down(&f);
  assert_string_equal(case_text(&f, ROW, "one", "markdown"),
                      "## `a\\u001b`: 0.750, borderline\n\n### `one` (`fields`): 1.000, pass\n\nhits 1\n\n- `x`\n");
  tear_down(&f);
  assert_non_null(
      strstr(case_text(&f, ROW, NULL, "markdown"),
             "`\"12345678901234567890123456789012345\"` | `{\"k\":1}` | miss    | 0.250 | other; score 0.250 |\n"));
  tear_down(&f);
  assert_string_equal(case_text(&f, "{\"id\": \"b\", \"score\": 1}", NULL, "json"), "{\"id\":\"b\",\"score\":1}\n");
  tear_down(&f);
}

#define FULL                                                                                                           \
  "{\"schema\":2,\"id\":\"a\",\"score\":0.5,\"detail\":\"full\",\"formula\":\"0.5/1 = 0.5\",\"evaluator_results\":["   \
  "{\"name\":\"f\",\"score\":0.5,\"formula\":\"(0 + 1)/2 = 0.5\",\"details\":{\"outcomes\":["                          \
  "{\"path\":\"street\",\"outcome\":\"incorrect\",\"expected\":\"Hauptstr. 1\",\"candidate\":\"Hauptstr. "             \
  "7\",\"score\":0,"                                                                                                   \
  "\"weight\":1,\"strategy\":\"fuzzy\",\"measure\":\"similarity\",\"value\":0.5,\"threshold\":0.9,"                    \
  "\"formula\":\"1 - 1/2 = 0.5 < 0.9\",\"reason\":\"similarity 0.5 below 0.9\"},"                                      \
  "{\"path\":\"n\",\"outcome\":\"tp\",\"expected\":1,\"candidate\":1,\"score\":1,\"weight\":1,\"formula\":\"equal\"}]" \
  "}}]}"

static const char *styled(fixture *f, ee_table_style style) {
  set_up(f, FULL);
  const ee_one_case one = {.row = &f->row, .judge = {NULL, 0}, .style = style};
  ee_report_write_case(ee_report_format_find(EE_STR("table")), &one, style, &f->out);
  return ee_buffer_terminate(&f->out);
}

/* Differences are in colours, or in brackets; lines fit the terminal. */
static void test_full(void **state) {
  (void)state;
  fixture f;
  assert_string_equal(styled(&f, (ee_table_style){.width = 60}),
                      "a  0.500  fail\n"
                      "  score 0.5/1 = 0.5\n"
                      "\n"
                      "f  0.500  fail\n"
                      "  score (0 + 1)/2 = 0.5\n"
                      "              value     expected           candidate\n"
                      "  incorrect   street    \"Hauptstr. [-1-]\"  \"Hauptstr. {+7+}\"\n"
                      "              fuzzy: 1 - 1/2 = 0.5 < 0.9\n"
                      "  correct     n         1                  1\n");
  tear_down(&f);
  assert_non_null(strstr(styled(&f, (ee_table_style){.width = 80, .color = true}), "\"Hauptstr. \033[32m1\033[0m\""));
  tear_down(&f);
}

static void test_rows(void **state) {
  (void)state;
  ee_buffer out = {0};
  const ee_str rows = EE_STR("{\"id\":\"a\",\"score\":1}\n{\"id\":\"b\",\"score\":0,\"misses\":[\"m\"]}\n");
  ee_report_write_rows(ee_report_format_find(EE_STR("cases")), rows, (ee_table_style){0}, NULL, &out);
  assert_string_equal(ee_buffer_terminate(&out), "a  1.000  pass\nb  0.000  fail\n    m\n");
  ee_buffer_clear(&out);
  ee_report_write_rows(ee_report_format_find(EE_STR("jsonl")), rows, (ee_table_style){0}, NULL, &out);
  assert_true(ee_str_equal((ee_str){out.data, out.length}, rows));
  ee_buffer_fini(&out);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_lines), cmocka_unit_test(test_one_case), cmocka_unit_test(test_full),
             cmocka_unit_test(test_rows));
