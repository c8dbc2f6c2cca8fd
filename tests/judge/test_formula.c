/* test_formula.c: formulas with their numbers as text. */
#include "judge/formula.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/arena.h"

static void assert_text(ee_str text, const char *expected) {
  assert_string_equal(ee_arena_printf(&arena, "%.*s", EE_STR_ARG(text)), expected);
}

static void test_decisions(void **state) {
  (void)state;
  assert_text(ee_formula_decision("1 - 2/22", 20 / 22.0, NULL, EE_LIMIT_MIN, 0.85, true, &arena),
              "1 - 2/22 = 0.909091 >= 0.85");
  assert_text(ee_formula_decision("|1 - 3|", 2, NULL, EE_LIMIT_MAX, 0.01, false, &arena), "|1 - 3| = 2 > 0.01");
  assert_text(ee_formula_decision("d", 1, "day", EE_LIMIT_MAX, 0, false, &arena), "d = 1 day > 0 days");
}

/* Six digits would say 0.85 < 0.85. */
static void test_close_numbers(void **state) {
  (void)state;
  assert_text(ee_formula_decision("x", 0.84999999, NULL, EE_LIMIT_MIN, 0.85, false, &arena), "x = 0.84999999 < 0.85");
  assert_text(ee_formula_decision("x", 0.85000001, NULL, EE_LIMIT_MAX, 0.85, false, &arena), "x = 0.85000001 > 0.85");
  /* A match that the slack for rounding allows. */
  assert_text(ee_formula_decision("x", 0x1.b333333333332p-1, NULL, EE_LIMIT_MIN, 0.85, true, &arena),
              "x = 0.85 >= 0.85");
  /* On the limit itself six digits would be beyond it. */
  assert_text(ee_formula_decision("x", 0.1234567, NULL, EE_LIMIT_MAX, 0.1234567, true, &arena),
              "x = 0.1234567 <= 0.1234567");
  assert_text(ee_formula_decision("x", 0.1234562, NULL, EE_LIMIT_MIN, 0.1234562, true, &arena),
              "x = 0.1234562 >= 0.1234562");
}

static void test_operands(void **state) {
  (void)state;
  assert_string_equal(ee_formula_operand(-0.1, &arena), "(-0.1)");
  assert_string_equal(ee_formula_operand(1234567.25, &arena), "1234567.25");
  assert_string_equal(ee_formula_result(1 / 3.0, &arena), "0.333333");
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_decisions), cmocka_unit_test(test_close_numbers),
             cmocka_unit_test(test_operands));
