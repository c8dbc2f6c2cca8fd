/* test_formats.c: the table of formats. */
#include "report/formats.h"

static void test_find(void **state) {
  (void)state;
  for (const ee_report_format *format = ee_report_formats; format->name != NULL; format++) {
    assert_ptr_equal(ee_report_format_find(ee_str_from(format->name)), format);
    assert_non_null(format->what);
  }
  assert_string_equal(ee_report_formats[0].name, "table");
  assert_null(ee_report_format_find(EE_STR("tabl")));
  assert_null(ee_report_format_find(EE_STR("")));
}

static void test_documents(void **state) {
  (void)state;
  const struct {
    const char *name;
    bool documents[7]; /* by ee_document */
  } rows[] = {{"table", {true, true, true, true, true, true, true}},
              {"json", {true, true, true, true, true, true, true}},
              {"jsonl", {true, false, false, false, false, false, false}},
              {"promptfoo", {true, true, false, false, false, false, false}},
              {"agentv", {true, true, false, false, false, false, false}},
              {"csv", {true, true, true, true, true, false, false}},
              {"markdown", {true, true, true, true, true, true, true}},
              {"html", {true, true, true, true, true, true, true}},
              {"junit", {true, true, true, false, false, false, true}}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const ee_report_format *format = ee_report_format_find(ee_str_from(rows[i].name));
    assert_non_null(format);
    for (size_t k = 0; k < 7; k++) assert_int_equal(ee_report_format_has(format, (ee_document)k), rows[i].documents[k]);
    assert_int_equal(format->rows, strcmp(rows[i].name, "jsonl") == 0 || format->listed != NULL);
    assert_int_equal(format->no_notes, strcmp(rows[i].name, "csv") == 0);
    assert_int_equal(format->cases, strcmp(rows[i].name, "html") == 0);
    assert_int_equal(format->tests, strcmp(rows[i].name, "junit") == 0);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_find), cmocka_unit_test(test_documents));
