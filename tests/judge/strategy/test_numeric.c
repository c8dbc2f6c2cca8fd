/* test_numeric.c: ee.numeric: what each option makes of two numbers, with the formula that says so. */
#include "judge/plan_fixture.h"

static const struct {
  const char *options, *expected, *candidate, *formula;
} rows[] = {
    {"", "100", "102", "incorrect |100 - 102| = 2 > 0"},
    {"", "100", "100", "tp equal"},
    {"", "-3", "3", "incorrect |(-3) - 3| = 6 > 0"},
    {",\"tolerance\":2", "100", "102", "tp |100 - 102| = 2 <= 2"},
    {",\"tolerance\":2", "100", "102.5", "incorrect |100 - 102.5| = 2.5 > 2"},
    {",\"tolerance\":0.02,\"relative\":true", "100", "102", "tp |100 - 102|/100 = 0.02 <= 0.02"},
    {",\"tolerance\":0.02,\"relative\":true", "100", "103", "incorrect |100 - 103|/100 = 0.03 > 0.02"},
    {",\"tolerance\":0.02,\"relative\":true", "0", "3", "incorrect |0 - 3| = 3 > 0.02"},
    {",\"tolerance\":0.02,\"relative\":true,\"relative_to\":\"larger\"", "100", "103",
     "incorrect |100 - 103|/103 = 0.0291262 > 0.02"},
    {",\"tolerance\":1,\"relative_tolerance\":0.05", "100", "103", "tp |100 - 103|/100 = 0.03 <= 0.05"},
    {",\"tolerance\":1,\"relative_tolerance\":0.01", "100", "103", "incorrect |100 - 103| = 3 > 1"},
    {",\"tolerance\":4,\"relative_tolerance\":0.01", "100", "103", "tp |100 - 103| = 3 <= 4"},
    {",\"threshold\":0.5,\"score\":\"linear\"", "100", "102", "tp |100 - 102| = 2 > 0; score max(0, 1 - 2/100) = 0.98"},
    {",\"threshold\":0.5,\"score\":\"linear\",\"scale\":10", "100", "102",
     "tp |100 - 102| = 2 > 0; score max(0, 1 - 2/10) = 0.8"},
    {",\"threshold\":0.5,\"score\":\"linear\",\"scale\":10,\"tolerance\":0.01,\"relative\":true", "100", "102",
     "tp |100 - 102|/100 = 0.02 > 0.01; score max(0, 1 - 2/100/10) = 0.998"},
    {",\"threshold\":0.5,\"score\":\"linear\"", "0", "102", "incorrect |0 - 102| = 102 > 0"},
    {",\"threshold\":0.5,\"score\":\"linear\"", "-100", "-150",
     "tp |(-100) - (-150)| = 50 > 0; score max(0, 1 - 50/100) = 0.5"},
    {",\"threshold\":0.5,\"score\":\"exponential\",\"scale\":10", "100", "102",
     "tp |100 - 102| = 2 > 0; score exp(-(2/10)) = 0.818731"},
    {",\"threshold\":0.5,\"score\":\"closeness\"", "100", "-102",
     "incorrect |100 - (-102)| = 202 > 0; score max(0, 1 - 202/max(102, 100)) = 0"},
    {",\"threshold\":0.5,\"score\":\"closeness\"", "100", "150",
     "tp |100 - 150| = 50 > 0; score max(0, 1 - 50/max(150, 100)) = 0.666667"},
    {",\"threshold\":0.5,\"score\":\"closeness_sum\"", "100", "150",
     "tp |100 - 150| = 50 > 0; score max(0, 1 - 50/(150 + 100)) = 0.8"},
    {",\"tolerance\":1", "\"1,000.50\"", "\"1000.5\"", "tp |1000.50 - 1000.5| = 0 <= 1"},
    {",\"tolerance\":1,\"decimal\":\",\"", "\"1.000,50\"", "\"1000,5\"", "tp |1000.50 - 1000.5| = 0 <= 1"},
    {",\"format\":\"money\"", "\"EUR 5\"", "\"7 \\u20ac\"", "incorrect |5 - 7| = 2 > 0"},
    {"", "9007199254740993", "9007199254740992", "incorrect 9007199254740993 is not 9007199254740992"},
    {"", "\"-9007199254740993\"", "-9007199254740992", "incorrect (-9007199254740993) is not (-9007199254740992)"},
    {"", "9007199254740993", "9007199254740993.0", "tp equal"},
    {",\"format\":\"percent\"", "\"5 %\"", "0.06", "incorrect |5 - 0.06| = 4.94 > 0"},
};
static const char *formula_of(fixture *f, const char *options, const char *expected, const char *candidate) {
  char rules[512], left[128], right[128];
  snprintf(rules, sizeof rules,
           "{\"ee\":\"rules\",\"items\":[{\"ee\":\"fields\",\"items\":[{\"ee\":\"numeric\",\"items\":[\"n\"]%s}]}]}",
           options);
  snprintf(left, sizeof left, "{\"n\":%s}", expected);
  snprintf(right, sizeof right, "{\"n\":%s}", candidate);
  fixture_open(f);
  if (fixture_compile(f, rules) == NULL) return f->errors.items[0].message;
  f->detail = EE_DETAIL_FULL;
  const ee_outcome *outcome = fixture_judge_case(f, left, right)->outcomes;
  ee_buffer_clear(&f->text);
  ee_buffer_addf(&f->text, "%s %.*s", ee_class_name(outcome->value_class), EE_STR_ARG(outcome->how.formula));
  return ee_buffer_terminate(&f->text);
}

static void test_formulas(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f;
    const char *formula = formula_of(&f, rows[i].options, rows[i].expected, rows[i].candidate);
    if (strcmp(formula, rows[i].formula) != 0)
      fail_msg("%s, %s, %s: '%s', not '%s'", rows[i].options, rows[i].expected, rows[i].candidate, formula,
               rows[i].formula);
    fixture_close(&f);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_formulas));
