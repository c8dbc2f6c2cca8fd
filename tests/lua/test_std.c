/* test_std.c: ee.near, ee.text, ee.stats. */
#include "lua/rule_text.h"

/* `expression` gives `expected` as tostring shows it. */
static void assert_value(const char *expression, const char *expected) {
  char text[1024];
  snprintf(text, sizeof text, "return tostring(%s)", expression);
  assert_result(text, expected);
}

static void test_near(void **state) {
  (void)state;
  assert_value("ee.near(100.01, 100, 0.01)", "true");
  assert_value("ee.near(100.02, 100, 0.01)", "false");
  assert_value("ee.near(1, 1)", "true");
  assert_value("ee.near(1, 1.0000001)", "false");
  assert_value("ee.near(102, 100, 0.02, true)", "true");
  assert_value("ee.near(103, 100, 0.02, true)", "false");
  assert_value("ee.near(nil, 1, 5)", "false");
  assert_value("ee.near('1', 1, 5)", "false");
  assert_value("ee.near(ee.null, 1, 5)", "false");
  assert_value("ee.near(0/0, 1, 5)", "false");
  assert_run_fails("\nlocal x = ee.near(1, 1, -1)",
                   "rules.lua:2: bad argument #3 to 'within_tolerance' (a number from 0 expected)");
}

static void test_text(void **state) {
  (void)state;
  assert_value("'[' .. ee.text.trim('\\u{a0} a b\\n') .. ']'", "[a b]");
  assert_value("ee.text.fold('Straße ÀÉ')", "strasse àé");
  assert_value("ee.text.plain('  Ｆｕｌｌ \\t Wörk ')", "full wörk");
  assert_value("table.concat(ee.text.words(' one\\ttwo\\u{2003}three '), '|')", "one|two|three");
  assert_value("#ee.text.words('  ')", "0");
  assert_value("table.concat(ee.text.split('a,b,,c,', ','), '|')", "a|b||c|");
  assert_value("table.concat(ee.text.split('a.b', '.'), '|')", "a|b");
  assert_value("table.concat(ee.text.split('', ','), '|') .. #ee.text.split('', ',')", "1");
  assert_value("table.concat(ee.text.split('a--b-c', '--'), '|')", "a|b-c");
  assert_value("ee.text.starts_with('abc', 'ab')", "true");
  assert_value("ee.text.starts_with('abc', '')", "true");
  assert_value("ee.text.starts_with('abc', 'abcd')", "false");
  assert_value("ee.text.ends_with('abc', 'bc')", "true");
  assert_value("ee.text.ends_with('abc', '')", "true");
  assert_value("ee.text.ends_with('abc', 'ab')", "false");
  assert_value("ee.text.ends_with('c', 'bc')", "false");
  assert_value("ee.text.contains('a.c', '.')", "true");
  assert_value("ee.text.contains('abc', '.')", "false");
  assert_run_fails("\nlocal x = ee.text.split('a', '')", "rules.lua:2: ee.text.split needs a separator");
  assert_run_fails("\nlocal x = ee.text.trim(nil)",
                   "rules.lua:2: bad argument #1 to 'normalize' (string expected, got nil)");
  assert_run_fails("\nlocal x = ee.text.trim('\\xff')",
                   "rules.lua:2: bad argument #1 to 'normalize' (not valid UTF-8)");
}

static void test_stats(void **state) {
  (void)state;
  assert_value("ee.stats.count { 1, 'x', 2, ee.null, 0/0 }", "2");
  assert_value("ee.stats.sum { 1, 2, 3 }", "6");
  assert_value("ee.stats.sum {}", "0");
  assert_value("ee.stats.mean { 1, 2, 'x', 6 }", "3.0");
  assert_value("ee.stats.median { 5, 1, 3 }", "3");
  assert_value("ee.stats.median { 5, 1, 3, 4 }", "3.5");
  assert_value("ee.stats.min { 5, -1, 3 } .. ' ' .. ee.stats.max { 5, -1, 3 }", "-1 5");
  assert_value("ee.stats.deviation { 2, 4, 4, 4, 5, 5, 7, 9 } * math.sqrt(7)", "5.656854249492381");
  const char *const without[] = {"mean", "median", "min", "max", "deviation"};
  for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
    char text[64];
    snprintf(text, sizeof text, "ee.stats.%s { 'x' }", without[i]);
    assert_value(text, "nil");
  }
  assert_value("ee.stats.deviation { 1 }", "nil");
  /* The list itself stays as it is. */
  assert_result("local t = { 3, 1, 2 } ee.stats.median(t) return table.concat(t, ' ')", "3 1 2");
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_near), cmocka_unit_test(test_text),
             cmocka_unit_test(test_stats));
