/* test_csv.c: cells: their quotes, and those that a spreadsheet would compute. */
#include "report/csv.h"

#include <stdio.h>

static void assert_cell(ee_str text, const char *safe, const char *raw) {
  for (int how = 0; how < 2; how++) {
    ee_buffer out = {0};
    ee_buffer_add_text(&out, "head\n");
    ee_csv_add_text(&out, text);
    ee_csv_settle(&out, 5, how == 0);
    assert_string_equal(ee_buffer_terminate(&out) + 5, how == 0 ? safe : raw);
    ee_buffer_fini(&out);
  }
}

static void test_formulas(void **state) {
  (void)state;
  static const struct {
    const char *text, *safe, *raw;
  } cells[] = {
      {"=1+1", "'=1+1", "=1+1"},
      {"=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0", "=cmd|' /C calc'!A0"},
      {"=A1,\"x\"", "\"'=A1,\"\"x\"\"\"", "\"=A1,\"\"x\"\"\""},
      {"+1+1", "'+1+1", "+1+1"},
      {"-2+3", "'-2+3", "-2+3"},
      {"@SUM(A1)", "'@SUM(A1)", "@SUM(A1)"},
      {"-", "'-", "-"},
      {"\t=1", "'\\t=1", "\\t=1"},
      {"\r=1", "'\\r=1", "\\r=1"},
      {"\xef\xbc\x9d"
       "1",
       "'\xef\xbc\x9d"
       "1",
       "\xef\xbc\x9d"
       "1"},
  };
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
    assert_cell(ee_str_from(cells[i].text), cells[i].safe, cells[i].raw);
  static const char *const plain[] = {"",
                                      "a=b",
                                      "-5",
                                      "+5",
                                      "-5.25",
                                      "+1e9",
                                      "-1E-9",
                                      "-5.",
                                      "a-b",
                                      "'=1",
                                      "1=1",
                                      ("\xe2\x88\x92"
                                       "5")};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) assert_cell(ee_str_from(plain[i]), plain[i], plain[i]);
  static const char *const numbers[] = {"-5 000", "-1e", "+.5", "-5x", "-e5", "--5"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    char marked[32];
    snprintf(marked, sizeof marked, "'%s", numbers[i]);
    assert_cell(ee_str_from(numbers[i]), marked, numbers[i]);
  }
}

static void test_cells(void **state) {
  (void)state;
  assert_cell(EE_STR("a,b"), "\"a,b\"", "\"a,b\"");
  assert_cell(EE_STR("say \"x\""), "\"say \"\"x\"\"\"", "\"say \"\"x\"\"\"");
  assert_cell(EE_STR("a\nb"), "a\\nb", "a\\nb"); /* a line of the table is one of the file */
  assert_cell(EE_STR(" a "), "\" a \"", "\" a \"");
  assert_cell(EE_STR("\x1b[31m\x1a"), "\\u001b[31m\\u001a", "\\u001b[31m\\u001a");
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_formulas), cmocka_unit_test(test_cells));
