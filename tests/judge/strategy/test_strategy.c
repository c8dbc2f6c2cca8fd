/* test_strategy.c: what every strategy finds equal, and what it says when not; compiling them and their mistakes. */
#include "judge/strategy/strategy_fixture.h"

#include <math.h>

static int open_fixture(void **state) {
  fixture *f = test_malloc(sizeof *f);
  fixture_open(f);
  *state = f;
  return 0;
}

static int close_fixture(void **state) {
  fixture_close(*state);
  test_free(*state);
  return 0;
}

/* A strategy on the path "p", with options or without. */
static const ee_strategy *plain(fixture *f, const char *kind) { return compile(f, node(f, kind, ITEMS(T("p")), NONE)); }
#define WITH(f, kind, ...) compile(f, node(f, kind, ITEMS(T("p")), OPTIONS(__VA_ARGS__)))

static void test_exact(void **state) {
  fixture *f = *state;
  const ee_strategy *exact = plain(f, "exact");
  check_match(f, exact, "\"INV-001\"", "\"INV-001\"");
  check_match(f, exact, "1", "1.0");
  check_match(f, exact, "{\"a\":1,\"b\":[2]}", "{\"b\":[2.0],\"a\":1}");
  check_match(f, exact, "\"a\\u0000b\"", "\"a\\u0000b\"");
  check_compare(f, exact, "\"a\\u0000b\"", "\"a\\u0000c\"", "value mismatch");
  check_compare(f, exact, "\"INV-001\"", "\"inv-001\"", "value mismatch");
  check_compare(f, exact, "\"a\"", "\"a \"", "value mismatch");
  check_compare(f, exact, "9007199254740993", "9007199254740992", "value mismatch");
  check_compare(f, exact, "[1,2]", "[2,1]", "value mismatch");
  check_compare(f, exact, "true", "false", "value mismatch");
  check_compare(f, exact, "100", "\"100\"", "type mismatch: got string, expected number");
  check_compare(f, exact, "true", "1", "type mismatch: got number, expected boolean");
  check_compare(f, exact, "{}", "[]", "type mismatch: got array, expected object");
  /* Numbers as they are written. */
  const ee_strategy *written = WITH(f, "exact", O("number", T("text")));
  assert_false(ee_strategy_is_reflexive(written));
  static const char *const numbers[] = {
      "1",   "1.0",  "1e0",  "10e-1", "1.00", "0", "-0", "-0.0", "18446744073709551616", "18446744073709551616.0",
      "0.1", "0.10", "1000", "1e3"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
      const ee_value *a = json(f, numbers[i]), *b = json(f, numbers[k]);
      if (i == k)
        check_match(f, written, numbers[i], numbers[k]);
      else
        check_compare(f, written, numbers[i], numbers[k],
                      ee_value_equal(a, b) ? "number written differently" : "value mismatch");
    }
  }
  check_match(f, written, "{\"a\":1.50,\"b\":[2,{\"c\":3.0}]}", "{\"b\":[2,{\"c\":3.0}],\"a\":1.50}");
  check_compare(f, written, "{\"a\":1.50,\"b\":[2,{\"c\":3.0}]}", "{\"b\":[2,{\"c\":3}],\"a\":1.50}",
                "number written differently");
  check_match(f, written, "{\"a\":1,\"b\":null}", "{\"a\":1}");
  check_match(f, written, "\"1.0\"", "\"1.0\"");
  check_compare(f, written, "1", "\"1\"", "type mismatch: got string, expected number");
}

static void test_exact_normalized(void **state) {
  fixture *f = *state;
  const ee_strategy *fold = WITH(f, "exact", O("normalize", T("casefold")));
  check_match(f, fold, "\"Stra\\u00dfe\"", "\"STRASSE\"");
  check_compare(f, fold, "\"a\"", "\" a\"", "value mismatch");
  const ee_strategy *both = WITH(f, "exact", O("normalize", LIST(f, T("trim"), T("casefold"))));
  check_match(f, both, "\"ACME\"", "\"  acme \"");
  const ee_strategy *alnum = WITH(f, "exact", O("normalize", T("alnum")));
  check_match(f, alnum, "\"DE 123.456\"", "\"DE-123456\"");
  /* Texts only, and only the value itself. */
  check_compare(f, fold, "[\"A\"]", "[\"a\"]", "value mismatch");
  check_match(f, fold, "5", "5.0");
}

static void test_numeric(void **state) {
  fixture *f = *state;
  const ee_strategy *zero = plain(f, "numeric");
  check_match(f, zero, "100", "100.0");
  check_match(f, zero, "100", "\"100\"");
  check_match(f, zero, "\"100\"", "\" 100.00 \"");
  check_match(f, zero, "0", "-0");
  check_match(f, zero, "true", "true"); /* equal raw values match before anything is parsed */
  check_match(f, zero, "1e999", "1e999");
  check_match(f, zero, "0.1", "\"0.10\"");
  check_match(f, zero, "9007199254740993", "\"9007199254740993\"");
  check_compare(f, zero, "9007199254740993", "9007199254740992", "value mismatch");
  check_compare(f, zero, "9007199254740992", "\"9007199254740993\"", "value mismatch");
  check_compare(f, zero, "100", "102", "outside tolerance: diff=2, tolerance=0");
  check_compare(f, zero, "100", "-100", "outside tolerance: diff=200, tolerance=0");
  check_compare(f, zero, "1e308", "-1e308", "value mismatch");
  check_failed(f, zero, "100", "\"12abc\"", "no number in candidate");
  check_failed(f, zero, "\"n.d.\"", "100", "no number in expected value");
  check_failed(f, zero, "100", "true", "type mismatch: got boolean, expected number");
  check_failed(f, zero, "100", "[100]", "type mismatch: got array, expected number");
  check_failed(f, zero, "true", "1", "no number in expected value");
  check_failed(f, zero, "100", "1e999", "infinite candidate number");
  check_failed(f, zero, "-1e999", "100", "infinite expected number");
  check_failed(f, zero, "100", "\"NaN\"", "no number in candidate");
}

static void test_numeric_tolerance(void **state) {
  fixture *f = *state;
  const ee_strategy *cent = WITH(f, "numeric", O("tolerance", N(0.01)));
  check_match(f, cent, "100", "100.01");
  check_match(f, cent, "100.01", "100");
  check_match(f, cent, "\"99.99\"", "100");
  check_compare(f, cent, "100", "100.02", "outside tolerance: diff=0.02, tolerance=0.01");
  check_compare(f, cent, "9007199254740992", "9007199254740999", "outside tolerance: diff=7, tolerance=0.01");
  check_failed(f, cent, "1e999", "1", "infinite expected number");
  /* What doubles cannot tell apart is told by its decimals. */
  const ee_strategy *half = WITH(f, "numeric", O("tolerance", N(0.5)));
  check_compare(f, half, "9007199254740992", "9007199254740993", "outside tolerance: diff=1, tolerance=0.5");
  check_compare(f, half, "123456789012345678", "\"123456789012345679\"", "outside tolerance: diff=1, tolerance=0.5");
  check_compare(f, half, "1e20", "100000000000000000001", "outside tolerance: diff=1, tolerance=0.5");
  check_match(f, WITH(f, "numeric", O("tolerance", N(1))), "1e20", "100000000000000000001");

  const ee_strategy *percent = WITH(f, "numeric", O("tolerance", N(0.01)), O("relative", B(true)));
  check_match(f, percent, "100", "101");
  check_match(f, percent, "-100", "-99");
  check_match(f, percent, "0", "0.01"); /* absolute there */
  check_compare(f, percent, "100", "102", "outside tolerance: diff=2 (2% of 100), tolerance=1%");
  check_compare(f, percent, "0", "0.02", "outside tolerance: diff=0.02, tolerance=0.01");
  /* Of the expected value, not of the candidate. */
  check_compare(f, percent, "99", "100", "outside tolerance: diff=1 (1.0101% of 99), tolerance=1%");
}

static void test_numeric_texts(void **state) {
  fixture *f = *state;
  const ee_strategy *comma = WITH(f, "numeric", O("decimal", T(",")));
  check_match(f, comma, "1234.56", "\"1.234,56\"");
  check_match(f, comma, "1234.56", "\"1234,56\"");
  const ee_strategy *plain_numbers = plain(f, "numeric");
  check_match(f, plain_numbers, "1234.56", "\"1,234.56\"");
  check_failed(f, plain_numbers, "1", "\"1,00\"", "no number in candidate");
  check_failed(f, plain_numbers, "1", "\"$1\"", "no number in candidate");
  const ee_strategy *money = WITH(f, "numeric", O("format", T("money")));
  check_match(f, money, "1234.56", "\"$1,234.56\"");
  check_match(f, money, "-1", "\"(1.00)\"");
  check_match(f, money, "-1", "\"EUR 1.00-\"");
}

static void test_numeric_linear(void **state) {
  fixture *f = *state;
  const ee_strategy *linear = WITH(f, "numeric", O("tolerance", N(1)), O("score", T("linear")));
  check_match(f, linear, "100", "101");
  ee_comparison result = compare(f, linear, "100", "90");
  assert_false(result.matched);
  assert_true(result.score == 0.9);
  assert_reason(&result.reason, "outside tolerance: diff=10, tolerance=1");
  assert_true(compare(f, linear, "100", "300").score == 0);
  assert_true(compare(f, linear, "0", "5").score == 0);
  assert_true(compare(f, linear, "100", "\"x\"").score == 0);
  /* What doubles cannot tell apart, and is not equal, is below 1. */
  const ee_strategy *zero = WITH(f, "numeric", O("score", T("linear")));
  result = compare(f, zero, "9007199254740993", "9007199254740992");
  assert_false(result.matched);
  assert_true(result.score < 1 && result.score > 0.999);
  const ee_strategy *lower = WITH(f, "numeric", O("score", T("linear")), O("threshold", N(0.9)));
  result = compare(f, lower, "100", "90");
  assert_true(result.matched && result.score == 0.9);
  assert_int_equal(result.reason.kind, EE_REASON_NONE);
  assert_false(compare(f, lower, "100", "89").matched);
}

static void test_numeric_options(void **state) {
  fixture *f = *state;
  const ee_strategy *both = WITH(f, "numeric", O("tolerance", N(0.5)), O("relative_tolerance", N(0.02)));
  check_match(f, both, "10", "10.5");
  check_match(f, both, "100", "102");
  check_compare(f, both, "10", "10.6", "outside tolerance: diff=0.6, tolerance=0.5");
  check_compare(f, both, "100", "103", "outside tolerance: diff=3 (3% of 100), tolerance=2%");
  check_compare(f, both, "0", "1", "outside tolerance: diff=1, tolerance=0.5");
  const ee_strategy *larger = WITH(f, "numeric", O("relative_tolerance", N(0.2)), O("relative_to", T("larger")));
  check_match(f, larger, "80", "100");
  check_match(f, larger, "100", "80");
  check_compare(f, larger, "79", "100", "outside tolerance: diff=21 (21% of 100), tolerance=20%");
  const struct {
    const char *message;
    ee_rule_option options[3];
    size_t count;
  } wrong[] = {
      {"ee.numeric must have 'relative' or 'relative_tolerance', not both",
       {O("tolerance", N(1)), O("relative", B(true)), O("relative_tolerance", N(0.1))},
       3},
      {"option 'relative_to' of ee.numeric needs 'relative' or 'relative_tolerance'",
       {O("relative_to", T("larger"))},
       1},
      {"option 'scale' of ee.numeric must be above 0", {O("scale", N(0)), O("score", T("linear"))}, 2},
      {"score = \"exponential\" of ee.numeric needs option 'scale'", {O("score", T("exponential"))}, 1},
      {"option 'scale' of ee.numeric belongs to score = \"linear\" and \"exponential\"", {O("scale", N(1))}, 1},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    check_strategy_errors(f, node(f, "numeric", ITEMS(T("p")), wrong[i].options, wrong[i].count), wrong[i].message);
}

static void test_date(void **state) {
  fixture *f = *state;
  const ee_strategy *date = plain(f, "date");
  check_match(f, date, "\"15-JAN-2025\"", "\"2025-01-15\"");
  check_match(f, date, "\"2025-01-15\"", "\"2025-01-15T23:59:59Z\"");
  check_match(f, date, "\"2025-01-15T10:30:00Z\"", "\"2025-01-15T12:30:00+02:00\"");
  check_match(f, date, "\"n.d.\"", "\"n.d.\"");
  check_compare(f, date, "\"2025-01-15\"", "\"2025-01-18\"", "date differs by 3 days");
  check_compare(f, date, "\"2025-01-15T10:30:00Z\"", "\"2025-01-15T10:30:01Z\"", "date differs by 1 second");
  check_failed(f, date, "\"2025-01-15\"", "\"next week\"", "unparseable candidate date");
  check_failed(f, date, "\"2025-01-15\"", "\"30 FEB 2025\"", "unparseable candidate date");
  check_failed(f, date, "\"soon\"", "\"2025-01-15\"", "unparseable expected date");
  check_failed(f, date, "\"2025-04-03\"", "\"03/04/2025\"", "ambiguous candidate date");
  check_failed(f, date, "\"03/04/2025\"", "\"2025-04-03\"", "ambiguous expected date");
  check_match(f, date, "\"2025-01-15\"", "20250115");
  check_match(f, date, "20250115", "\"2025-01-15\"");
  check_failed(f, date, "\"2025-01-15\"", "45672", "unparseable candidate date");
  check_failed(f, date, "\"2025-01-15\"", "true", "candidate date is not a string");
  check_failed(f, date, "[]", "\"2025-01-15\"", "expected date is not a string");

  const ee_strategy *declared = WITH(f, "date", O("formats", LIST(f, T("YYYY-MM-DD"), T("DD/MM/YYYY"))));
  check_match(f, declared, "\"2025-04-03\"", "\"03/04/2025\"");
  check_failed(f, declared, "\"2025-04-03\"", "\"03-APR-2025\"", "unparseable candidate date");
  const ee_strategy *near = WITH(f, "date", O("tolerance_days", N(2)));
  check_match(f, near, "\"2025-03-01\"", "\"2025-02-27\"");
  check_compare(f, near, "\"2025-03-01\"", "\"2025-02-26\"", "date differs by 3 days");
  /* Both are ambiguous in the same way: a match if they are one in every order. */
  check_match(f, near, "\"03/04/2025\"", "\"3/4/25\"");
  check_failed(f, near, "\"03/04/2025\"", "\"03/05/2025\"", "ambiguous expected date");
  check_failed(f, near, "\"03/04/2025\"", "\"04/04/2025\"", "ambiguous expected date");
  check_compare(f, near, "\"03/04/2025\"", "\"03/09/2025\"", "date differs by 5 days");
}

static void test_date_options(void **state) {
  fixture *f = *state;
  const ee_strategy *days = WITH(f, "date", O("range", T("days")), O("threshold", N(0.5)));
  check_match(f, days, "\"2025-01-03 to 2025-01-10\"", "\"3 January 2025 \u2013 10 January 2025\"");
  check_match(f, days, "[\"2025-01-03\"]", "\"2025-01-03\"");
  check_match(f, days, "\"31/12/2025 - 01/01/2026\"", "{\"start_date\": \"2025-12-31\", \"end_date\": \"2026-01-01\"}");
  check_failed(f, days, "\"03/04/2025 to 05/04/2025\"", "\"2025-04-03\"", "ambiguous expected date");
  check_failed(f, days, "\"2025-01-03\"", "\"2025-01-10 to 2025-01-03\"", "unparseable candidate date");
  check_failed(f, days, "\"2025-01-03\"", "{\"from\": \"2025-01-10\"}", "unparseable candidate date");
  check_failed(f, days, "[\"2025-01-03\", \"2025-01-04\", \"2025-01-05\"]", "\"2025-01-03\"",
               "unparseable expected date");
  check_failed(f, days, "true", "\"2025-01-03\"", "expected date is not a string");
  check_failed(f, days, "\"March 2025\"", "\"2025-03-01\"", "unparseable expected date");
  ee_comparison result = compare(f, days, "\"2025-01-01/2025-01-10\"", "\"2025-01-08/2025-01-10\"");
  assert_reason(&result.reason, "share of common days 0.3 below 0.5");
  assert_true(result.score == 0.3 && !result.matched);
  const ee_strategy *months = WITH(f, "date", O("range", T("days")), O("partial", T("equal")));
  check_match(f, months, "\"February 2024\"", "\"2024-02-01 until 2024-02-29\"");
  check_match(f, months, "2025", "\"from January 2025 to December 2025\"");
  const ee_strategy *ends = WITH(f, "date", O("range", T("ends")), O("tolerance_days", N(1)));
  check_match(f, ends, "\"2025-01-03 to 2025-01-10\"", "[\"2025-01-04\", \"2025-01-09\"]");
  check_compare(f, ends, "\"2025-01-03 to 2025-01-10\"", "\"2025-01-03\"", "days between the ends 7 above 1");

  const ee_strategy *expected = WITH(f, "date", O("partial", T("expected")));
  check_match(f, expected, "\"March 2025\"", "\"2025-03-14\"");
  check_compare(f, expected, "\"2025-03-14\"", "\"March 2025\"", "candidate date lacks a part of the expected date");
  check_compare(f, expected, "\"March 2025\"", "\"April 2025\"", "value mismatch");
  check_compare(f, expected, "\"2025\"", "\"14 March\"", "both dates have no part in common");
  check_failed(f, expected, "\"March 2025\"", "\"soon\"", "unparseable candidate date");
  check_match(f, expected, "\"2025\"", "\"03/04/2025\"");
  check_failed(f, expected, "\"March 2025\"", "\"03/04/2025\"", "ambiguous candidate date");
  const ee_strategy *equal = WITH(f, "date", O("partial", T("equal")));
  check_compare(f, equal, "\"March 2025\"", "\"2025-03-14\"", "candidate date has a part that the expected date lacks");

  const ee_strategy *graded = WITH(f, "date", O("score", T("linear")), O("scale", N(30)), O("threshold", N(0.8)));
  result = compare(f, graded, "\"2026-06-29\"", "\"2026-07-04\"");
  assert_true(result.matched && result.score == 1 - 5.0 / 30);
  result = compare(f, graded, "\"2026-06-29\"", "\"2026-07-14\"");
  assert_true(!result.matched && result.score == 0.5);
  assert_reason(&result.reason, "date differs by 15 days");
  check_strategy_errors(f, node(f, "date", ITEMS(T("p")), OPTIONS(O("score", T("linear")))),
                        "a graded score of ee.date needs option 'scale', a number of days above 0");
  check_strategy_errors(f, node(f, "date", ITEMS(T("p")), OPTIONS(O("scale", N(3)))),
                        "option 'scale' of ee.date belongs to score = \"linear\" and \"exponential\"");
  check_strategy_errors(
      f, node(f, "date", ITEMS(T("p")), OPTIONS(O("scale", N(3)), O("score", T("linear")), O("range", T("ends")))),
      "ee.date must have 'range' or a graded 'score', not both");
  check_strategy_errors(f, node(f, "date", ITEMS(T("p")), OPTIONS(O("tolerance_days", N(3)), O("range", T("days")))),
                        "range = \"days\" of ee.date has no tolerance_days; give a 'threshold'");
}

static void test_fuzzy(void **state) {
  fixture *f = *state;
  const ee_strategy *fuzzy = plain(f, "fuzzy");
  check_match(f, fuzzy, "\"Acme Shipping\"", "\" ACME SHIPPING \"");
  check_match(f, fuzzy, "\"Acme Shipping\"", "\"Acme Shiping\"");
  check_match(f, fuzzy, "5", "5.0");
  check_match(f, fuzzy, "\"\\u00e9t\\u00e9\"", "\"\\u00c9T\\u00c9\"");
  check_compare(f, fuzzy, "\"abcde\"", "\"abcdx\"", "similarity 0.8 below 0.85");
  check_compare(f, fuzzy, "\"abc\"", "\"xyz\"", "similarity 0 below 0.85");
  check_compare(f, fuzzy, "\"5\"", "5", "type mismatch: got number, expected string");
  check_compare(f, fuzzy, "6", "5", "value mismatch");
  /* 4 of 20 is 0.8 to the point. */
  const ee_strategy *eighty = WITH(f, "fuzzy", O("threshold", N(0.8)));
  check_match(f, eighty, "\"abcdefghijklmnopqrst\"", "\"abcdefghijklmnopWXYZ\"");
  check_compare(f, eighty, "\"abcdefghijklmnopqrst\"", "\"abcdefghijklmnoVWXYZ\"", "similarity 0.75 below 0.8");
  const ee_strategy *strict = WITH(f, "fuzzy", O("normalize", table(f, NONE, NONE)), O("threshold", N(1)));
  check_compare(f, strict, "\"ab\"", "\"aB\"", "similarity 0.5 below 1");
  const ee_strategy *alnum = WITH(f, "fuzzy", O("normalize", T("alnum")));
  check_compare(f, alnum, "\"--\"", "\"++\"", "both values are empty after normalize");
  check_compare(f, alnum, "\"--\"", "\"a\"", "the expected value is empty after normalize");
  check_match(f, alnum, "\"--\"", "\"--\"");
}

/* Texts of one character: equal, or nothing alike, by every algorithm. */
static void test_fuzzy_short(void **state) {
  fixture *f = *state;
  static const char *const algorithms[] = {"levenshtein", "jaro_winkler", "token_sort",
                                           "token_set",   "token_f1",     "ratio"};
  for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
    ee_rule_value algorithm = {.type = EE_RULE_TEXT, .text = ee_str_from(algorithms[i])};
    const ee_strategy *fuzzy = WITH(f, "fuzzy", O("algorithm", algorithm));
    check_compare(f, fuzzy, "\"a\"", "\"b\"", "similarity 0 below 0.85");
    check_compare(f, fuzzy, "\"\\u00e9\"", "\"e\"", "similarity 0 below 0.85");
    check_match(f, fuzzy, "\"a\"", "\" A \"");
  }
  const ee_strategy *half = WITH(f, "fuzzy", O("threshold", N(0.5)));
  check_match(f, half, "\"a\"", "\"ab\"");
  check_compare(f, half, "\"a\"", "\"abc\"", "similarity 0.333333 below 0.5");
  const ee_strategy *any = WITH(f, "fuzzy", O("threshold", N(0)));
  check_match(f, any, "\"a\"", "\"b\"");
}

static void test_fuzzy_graded(void **state) {
  fixture *f = *state;
  const ee_strategy *graded = WITH(f, "fuzzy", O("score", T("similarity")));
  ee_comparison result = compare(f, graded, "\"abcdefghij\"", "\"abcdefghix\"");
  assert_true(result.matched && result.score == 0.9);
  result = compare(f, graded, "\"abcde\"", "\"abcdx\"");
  assert_true(!result.matched && result.score == 0.8);
  assert_reason(&result.reason, "similarity 0.8 below 0.85");
  assert_true(compare(f, graded, "\"abc\"", "5").score == 0);
  assert_true(compare(f, graded, "\"abc\"", "\"ABC\"").score == 1);
}

static void test_fuzzy_algorithms(void **state) {
  fixture *f = *state;
  static const struct {
    const char *algorithm, *a, *b;
    double similarity;
  } rows[] = {
      {"levenshtein", "\"kitten\"", "\"sitting\"", 4.0 / 7},
      {"jaro_winkler", "\"martha\"", "\"marhta\"", 17.0 / 18 + 3 * 0.1 * (1 - 17.0 / 18)},
      {"token_sort", "\"fuzzy was a bear\"", "\"a bear fuzzy was\"", 1},
      {"token_set", "\"a b c\"", "\"c b a a\"", 1},
      {"token_f1", "\"the cat sat\"", "\"the dog sat down\"", 4.0 / 7},
      {"ratio", "\"abcd\"", "\"bcde\"", 6.0 / 8},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ee_rule_value algorithm = {.type = EE_RULE_TEXT, .text = ee_str_from(rows[i].algorithm)};
    const ee_strategy *graded = WITH(f, "fuzzy", O("algorithm", algorithm), O("score", T("similarity")));
    ee_comparison result = compare(f, graded, rows[i].a, rows[i].b);
    assert_true(fabs(result.score - rows[i].similarity) <= 1e-15);
    assert_int_equal(result.matched, rows[i].similarity >= 0.85);
    /* The similarity itself as threshold is met. */
    const ee_strategy *met = WITH(f, "fuzzy", O("algorithm", algorithm), O("threshold", N(result.score)));
    check_match(f, met, rows[i].a, rows[i].b);
  }
}

/* Long texts: the decision is the same, the figure is left out. */
static void test_fuzzy_long(void **state) {
  fixture *f = *state;
  const ee_strategy *fuzzy = plain(f, "fuzzy");
  enum { LENGTH = 5000 };
  char a[LENGTH + 3], b[LENGTH + 3];
  memset(a, 'a', sizeof a);
  a[0] = a[LENGTH + 1] = '"';
  a[LENGTH + 2] = '\0';
  memcpy(b, a, sizeof b);
  for (size_t i = 0; i < LENGTH * 3 / 20; i++) b[1 + 6 * i] = 'b';
  check_match(f, fuzzy, a, b);
  b[LENGTH] = 'b';
  check_compare(f, fuzzy, a, b, "similarity below 0.85");
}

static void test_pattern(void **state) {
  fixture *f = *state;
  const ee_strategy *behind = compile(f, node(f, "pattern", ITEMS(T("p"), T("12")), NONE));
  check_match(f, behind, "\"anything\"", "\"x12y\"");
  check_match(f, behind, "\"anything\"", "3124");
  check_compare(f, behind, "\"x12\"", "\"x13\"", "pattern not found");
  check_compare(f, behind, "\"x12\"", "[12]", "type mismatch: got array, expected string");
  const ee_strategy *named = WITH(f, "pattern", O("pattern", T("DE")), O("normalize", T("digits")));
  check_compare(f, named, "\"x\"", "\"DE12\"", "pattern not found");
  const ee_strategy *bad = WITH(f, "pattern", O("pattern", T("[")));
  check_failed(f, bad, "\"x\"", "\"y\"", "malformed pattern");
  assert_true(ee_strategy_calls_script(behind));
  assert_false(ee_strategy_is_reflexive(behind));
}

static void test_one_of(void **state) {
  fixture *f = *state;
  const ee_strategy *behind = compile(f, node(f, "one_of", ITEMS(T("p"), T("FOB"), T("CIF"), N(1), B(true)), NONE));
  check_match(f, behind, "\"EXW\"", "\"CIF\"");
  check_match(f, behind, "\"EXW\"", "\"EXW\"");
  check_match(f, behind, "\"EXW\"", "1.0");
  check_match(f, behind, "\"EXW\"", "true");
  check_compare(f, behind, "\"EXW\"", "\"fob\"", "not one of the values");
  check_compare(f, behind, "\"FOB\"", "\"EXW\"", "not one of the values");
  const ee_strategy *named = WITH(f, "one_of", O("values", LIST(f, T("FOB"), T("CIF"))), O("normalize", T("casefold")));
  check_match(f, named, "\"EXW\"", "\"Cif\"");
  check_match(f, named, "\"EXW\"", "\"exw\"");
  assert_false(ee_strategy_is_reflexive(named));
  assert_false(ee_strategy_calls_script(named));
}

/* The formula of a similarity, with its numbers. */
static void test_fuzzy_formula(void **state) {
  fixture *f = *state;
  const struct {
    const ee_strategy *fuzzy;
    const char *expected, *candidate, *formula;
  } facts[] = {
      {plain(f, "fuzzy"), "\"abcd\"", "\"abxy\"", "1 - 2/4 = 0.5 < 0.85"},
      {plain(f, "fuzzy"), "\"abcdefghij\"", "\"abcdefghi\"", "1 - 1/10 = 0.9 >= 0.85"},
      {WITH(f, "fuzzy", O("algorithm", T("ratio"))), "\"abcd\"", "\"abxy\"", "2 * 2/(4 + 4) = 0.5 < 0.85"},
      {WITH(f, "fuzzy", O("algorithm", T("token_set"))), "\"a b c d\"", "\"a b x\"",
       "max(0.6, 0.75, 0.666667) = 0.75 < 0.85"},
      {WITH(f, "fuzzy", O("algorithm", T("token_f1"))), "\"a b c d\"", "\"a b x\"", "2 * 2/7 = 0.571429 < 0.85"}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    f->context.keeps_compared = true;
    ee_comparison result = compare(f, facts[i].fuzzy, facts[i].expected, facts[i].candidate);
    ee_explanation how = {0};
    ee_strategy_explain(facts[i].fuzzy, &f->context, json(f, facts[i].expected), json(f, facts[i].candidate), &result,
                        &how);
    assert_string_equal(how.measure, "similarity");
    if (!ee_str_is(how.formula, facts[i].formula)) fail_msg("%.*s, not %s", EE_STR_ARG(how.formula), facts[i].formula);
  }
}

/* Texts are shown as they were compared, where that is not as they are. */
static void test_fuzzy_shown(void **state) {
  fixture *f = *state;
  const struct {
    const ee_strategy *fuzzy;
    const char *expected, *candidate, *shown[2]; /* NULL: as it is */
  } facts[] = {
      {plain(f, "fuzzy"), "\"abcd\"", "\"abxy\"", {NULL, NULL}},
      {WITH(f, "fuzzy", O("algorithm", T("token_sort"))), "\"b a\"", "\"c a d\"", {"a b", "a c d"}},
      {WITH(f, "fuzzy", O("algorithm", T("partial_ratio"))), "\"abcd\"", "\"xxabyyyy\"", {NULL, "xxab"}},
      {WITH(f, "fuzzy", O("algorithm", T("partial_ratio"))), "\"xxabyyyy\"", "\"abcd\"", {"xxab", NULL}},
  };
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    f->context.keeps_compared = true;
    ee_comparison result = compare(f, facts[i].fuzzy, facts[i].expected, facts[i].candidate);
    ee_explanation how = {0};
    ee_strategy_explain(facts[i].fuzzy, &f->context, json(f, facts[i].expected), json(f, facts[i].candidate), &result,
                        &how);
    const ee_value *const shown[] = {how.expected, how.candidate};
    for (int side = 0; side < 2; side++) {
      ee_str text = shown[side] != NULL ? ee_value_text(shown[side]) : EE_STR("as it is");
      const char *wanted = facts[i].shown[side] != NULL ? facts[i].shown[side] : "as it is";
      if (!ee_str_is(text, wanted)) print_error("%zu, side %d: %.*s\n", i, side, EE_STR_ARG(text));
      wrong += !ee_str_is(text, wanted);
    }
  }
  assert_int_equal(wrong, 0);
}

/* Which values a strategy reads, and the options that would make it read the others. */
static void test_reading(void **state) {
  fixture *f = *state;
  const ee_strategy *number = plain(f, "numeric"), *comma = WITH(f, "numeric", O("decimal", T(","))),
                    *money = WITH(f, "numeric", O("format", T("money"))),
                    *percent = WITH(f, "numeric", O("format", T("percent"))), *date = plain(f, "date"),
                    *dmy = WITH(f, "date", O("order", T("DMY"))), *range = WITH(f, "date", O("range", T("days"))),
                    *fixed = WITH(f, "date", O("formats", LIST(f, T("YYMMDD")))), *box = plain(f, "iou"),
                    *sides = WITH(f, "iou", O("format", T("xywh"))), *point = WITH(f, "distance", O("threshold", N(1)));
  const struct {
    const ee_strategy *strategy;
    const char *value, *remedies; /* NULL: it is read */
  } facts[] = {
      {number, "5", NULL},
      {number, "\"-5.25\"", NULL},
      {number, "true", ""},
      {number, "\"five\"", ""},
      {number, "\"$5\"", "format = \"money\"|format = \"money\", decimal = \",\"|format = \"money\", decimal = \".\""},
      {number, "\"5,25\"", "decimal = \",\"|format = \"money\", decimal = \",\""},
      {number, "\"1.234,50\"", "decimal = \",\"|format = \"money\", decimal = \",\""},
      {number, "\"5%\"", "format = \"percent\""},
      {number, "\"\u20ac 1.234,50\"", "format = \"money\", decimal = \",\""},
      {comma, "\"1.234,50\"", NULL},
      {comma, "\"1,234.50\"", "decimal = \".\"|format = \"money\", decimal = \".\""},
      {comma, "\"$1,234.50\"", "format = \"money\", decimal = \".\""},
      {comma, "\"$5\"", "format = \"money\"|format = \"money\", decimal = \",\"|format = \"money\", decimal = \".\""},
      {money, "\"$5\"", NULL},
      {money, "\"$1.234,50\"", "decimal = \",\"|format = \"money\", decimal = \",\""},
      {money, "\"x\"", ""},
      {percent, "\"5%\"", NULL},
      {percent, "\"$5\"", "format = \"money\"|format = \"money\", decimal = \",\"|format = \"money\", decimal = \".\""},
      {date, "\"2025-01-15\"", NULL},
      {date, "20250115", NULL},
      {date, "2025011", ""},
      {date, "1234567.5", ""},
      {date, "true", ""},
      {date, "\"1/2/2025\"", "order = \"DMY\"|order = \"MDY\""},
      {date, "\"01-02-03\"", "order = \"DMY\"|order = \"MDY\"|order = \"YMD\""},
      {dmy, "\"1/15/2025\"", "order = \"MDY\""},
      {dmy, "\"soon\"", ""},
      {fixed, "250304", NULL},
      {fixed, "11.22", ""},
      {fixed, "2025", ""},
      {range, "{\"start\": \"2025-01-01\", \"end\": \"2025-01-05\"}", NULL},
      {range, "{\"from\": \"2025-01-01\", \"to\": \"2025-01-05\"}", NULL},
      {range, "{\"start\": null, \"from\": \"2025-01-01\", \"to\": \"2025-01-05\"}", NULL},
      {range, "{\"start_date\": \"2025-01-01\", \"end_date\": \"2025-01-05\"}", NULL},
      {range, "{\"startDate\": \"2025-01-01\", \"endDate\": \"2025-01-05\"}", NULL},
      {range, "{\"begin\": \"2025-01-01\", \"end\": \"2025-01-05\"}", NULL},
      {range, "{\"first\": \"2025-01-01\", \"last\": \"2025-01-05\"}", NULL},
      {range, "{\"start\": \"2025-01-01\"}", ""},
      {range, "{\"end\": \"2025-01-01\"}", ""},
      {range, "{}", ""},
      {range, "[\"2025-01-01\", \"2025-01-05\"]", NULL},
      {range, "[\"2025-01-01\"]", NULL},
      {range, "[\"2025-01-01\", \"2025-01-05\", \"2025-01-06\"]", ""},
      {range, "[]", ""},
      {range, "\"2025-01-01 - 2025-01-05\"", NULL},
      {range, "\"2025-01-01 to 2025-01-05\"", NULL},
      {range, "\"2025-01-01/2025-01-05\"", NULL},
      {range, "\"2025-01-01\"", NULL},
      {range, "\" until 2025-01-05\"", ""},
      {range, "\"1/2/2025 to 3/4/2025\"", "order = \"DMY\"|order = \"MDY\""},
      {box, "[1, 2, 3, 4]", NULL},
      {box, "[3, 4, 1, 2]", "format = \"xywh\""},
      {box, "[0, 0, 5, 0, 5, 5, 0, 5]", ""},
      {box, "[1, 2, 3]", ""},
      {box, "\"1 2 3 4\"", ""},
      {sides, "[[0, 0], [5, 5], [5, 0]]", NULL},
      {sides, "[-5, -5, -1, -1]", "format = \"xyxy\""},
      {point, "[1, 2]", NULL},
      {point, "[]", ""},
      {point, "[\"1\", 2]", ""},
  };
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    const ee_strategy *strategy = facts[i].strategy;
    const ee_value *value = json(f, facts[i].value);
    bool reads = ee_strategy_reads(strategy, EE_CANDIDATE, value, &f->case_arena);
    ee_buffer found = {0};
    const ee_remedy *remedies = strategy->type->remedies;
    for (size_t k = 0; remedies != NULL && remedies[k].option != NULL; k++)
      if (remedies[k].reads(strategy, value, &f->case_arena))
        ee_buffer_addf(&found, "%s%s", found.length > 0 ? "|" : "", remedies[k].option);
    ee_buffer_terminate(&found);
    bool good = facts[i].remedies == NULL ? reads : !reads && strcmp(found.data, facts[i].remedies) == 0;
    if (!good) print_error("%zu: %s: %d %s\n", i, facts[i].value, reads, found.data);
    wrong += !good;
    ee_buffer_fini(&found);
  }
  assert_int_equal(wrong, 0);
}

/* The decision about two dates, with its numbers. */
static void test_date_formula(void **state) {
  fixture *f = *state;
  const ee_strategy *date = plain(f, "date"), *near = WITH(f, "date", O("tolerance_days", N(2))),
                    *linear = WITH(f, "date", O("score", T("linear")), O("scale", N(10))),
                    *range = WITH(f, "date", O("range", T("days")));
  const struct {
    const ee_strategy *strategy;
    const char *expected, *candidate, *formula;
  } facts[] = {
      {date, "\"2025-03-04\"", "\"7 March 2025\"", "|2025-03-04 - 2025-03-07| = 3 days > 0 days"},
      {near, "\"2025-03-04\"", "\"7 March 2025\"", "|2025-03-04 - 2025-03-07| = 3 days > 2 days"},
      {near, "\"2025-03-04\"", "\"6 March 2025\"", "|2025-03-04 - 2025-03-06| = 2 days <= 2 days"},
      {date, "\"2025-03-04T10:00:00\"", "\"2025-03-05\"", "|2025-03-04 - 2025-03-05| = 1 day > 0 days"},
      {date, "\"2025-03-04\"", "\"soon\"", ""},
      {date, "\"1/2/2025\"", "\"2025-06-07\"", ""},
      {linear, "\"2025-03-04\"", "\"2025-03-07\"",
       "|2025-03-04 - 2025-03-07| = 3 days > 0 days; score max(0, 1 - 3/10) = 0.7"},
      {range, "\"2025-01-01 to 2025-01-04\"", "\"2025-01-03 to 2025-01-06\"", "2/(4 + 4 - 2) = 0.333333 < 1"},
  };
  size_t wrong = 0;
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    f->context.keeps_compared = true;
    ee_comparison result = compare(f, facts[i].strategy, facts[i].expected, facts[i].candidate);
    ee_explanation how = {0};
    ee_strategy_explain(facts[i].strategy, &f->context, json(f, facts[i].expected), json(f, facts[i].candidate),
                        &result, &how);
    bool good = ee_str_is(how.formula, facts[i].formula);
    if (!good) print_error("%zu: %.*s\n", i, EE_STR_ARG(how.formula));
    wrong += !good;
  }
  assert_int_equal(wrong, 0);
}

static void test_set(void **state) {
  fixture *f = *state;
  const ee_strategy *set = plain(f, "set");
  check_match(f, set, "[1,\"a\",{\"x\":1,\"y\":2}]", "[{\"y\":2,\"x\":1},\"a\",1.0]");
  check_match(f, set, "[]", "[ ]");
  check_match(f, set, "\"x\"", "\"x\""); /* equal values match, whatever they are */
  ee_comparison result = compare(f, set, "[1,2,2]", "[2,1,1,3]");
  assert_true(!result.matched && result.score == 2.0 / 5);
  assert_reason(&result.reason, "1 element missing, 2 extra");
  assert_true(compare(f, set, "[1]", "[]").score == 0);
  /* Equal as doubles, and so in one hash, but not equal. */
  assert_true(compare(f, set, "[9007199254740993,9007199254740992]", "[9007199254740992,9007199254740994]").score ==
              1.0 / 3);
  assert_true(compare(f, set, "[null,{\"x\":1},1]", "[{\"x\":1.0},null,null]").score == 2.0 / 4);
  check_failed(f, set, "[1]", "1", "candidate is not an array");
  check_failed(f, set, "{}", "[1]", "expected value is not an array");
  const ee_strategy *all = WITH(f, "set", O("score", T("all_or_nothing")));
  check_match(f, all, "[1,2]", "[2,1]");
  check_compare(f, all, "[1,2]", "[2]", "1 element missing");
  const ee_strategy *third = WITH(f, "set", O("threshold", N(0.4)), O("normalize", T("casefold")));
  result = compare(f, third, "[\"A\",\"b\",\"B\"]", "[\"B\",\"a\",\"a\",\"C\"]");
  assert_true(result.matched && result.score == 2.0 / 5);
  assert_int_equal(result.reason.kind, EE_REASON_NONE);
  const ee_strategy *lower = WITH(f, "set", O("normalize", F(FUNCTION_LOWER)));
  check_match(f, lower, "[\"A\",\"b\",1]", "[1,\"B\",\"a\"]");
  const ee_strategy *nothing = WITH(f, "set", O("normalize", F(FUNCTION_NOTHING)));
  check_match(f, nothing, "[1,2]", "[3,4]");
  const ee_strategy *raise = WITH(f, "set", O("normalize", F(FUNCTION_RAISE)));
  check_failed(f, raise, "[1,2]", "[3,4]", "rules.lua:12: strategy returned nothing (did you forget 'return'?)");
}

static void test_auto(void **state) {
  fixture *f = *state;
  const ee_strategy *automatic = plain(f, "auto");
  check_match(f, automatic, "100", "\"100.0\"");
  check_match(f, automatic, "\"2025-01-15\"", "\"15 JAN 2025\"");
  check_match(f, automatic, "\"abc\"", "\"abc\"");
  check_match(f, automatic, "[1]", "[1]");
  check_compare(f, automatic, "100", "101", "outside tolerance: diff=1, tolerance=0");
  check_compare(f, automatic, "\"2025-01-15\"", "\"2025-01-16\"", "date differs by 1 day");
  check_failed(f, automatic, "\"2025-01-15\"", "\"x\"", "unparseable candidate date");
  /* Text is not read as a number unless a number is expected; an ambiguous date is a text. */
  check_compare(f, automatic, "\"100\"", "100", "type mismatch: got number, expected string");
  check_compare(f, automatic, "\"03/04/2025\"", "\"2025-04-03\"", "value mismatch");
}

static void test_custom(void **state) {
  fixture *f = *state;
  const ee_strategy *custom = compile(f, node(f, "custom", ITEMS(T("p"), F(FUNCTION_SCORE)), NONE));
  f->script.score = 1;
  check_match(f, custom, "\"a\"", "\"b\"");
  f->script.score = 0;
  check_compare(f, custom, "\"a\"", "\"a\"", "value mismatch"); /* asked even where both are equal */
  assert_int_equal(f->script.calls, 2);
  f->script.score = 0.5;
  ee_comparison result = compare(f, custom, "\"a\"", "\"b\"");
  assert_true(!result.matched && !result.failed && result.score == 0.5);
  assert_reason(&result.reason, "score 0.5 below 1");
  f->script.reason = "nearly";
  result = compare(f, custom, "\"a\"", "\"b\"");
  assert_reason(&result.reason, "nearly");
  assert_true(ee_str_is(f->script.place.path, "p"));
  assert_null(f->script.place.options);
  const ee_strategy *half =
      compile(f, node(f, "custom", ITEMS(T("p"), F(FUNCTION_SCORE)), OPTIONS(O("threshold", N(0.5)))));
  result = compare(f, half, "\"a\"", "\"b\"");
  assert_true(result.matched && result.score == 0.5);
  assert_reason(&result.reason, "nearly");
  assert_true(ee_strategy_calls_script(custom));
  assert_false(ee_strategy_is_reflexive(custom));
  /* Without a path, as where a strategy stands behind a key. */
  f->script.reason = NULL;
  f->script.score = 1;
  check_match(f, compile(f, node(f, "custom", ITEMS(F(FUNCTION_SCORE)), NONE)), "1", "2");
}

static void test_custom_error(void **state) {
  fixture *f = *state;
  const ee_strategy *custom = compile(f, node(f, "custom", ITEMS(T("p"), F(FUNCTION_RAISE)), NONE));
  ee_comparison result = compare(f, custom, "\"a\"", "\"b\"");
  assert_true(!result.matched && result.failed && result.score == 0);
  assert_reason(&result.reason, "rules.lua:12: strategy returned nothing (did you forget 'return'?)");
  assert_int_equal(f->context.rule_error_count, 1);
  assert_string_equal(f->rule_errors.items[0].message,
                      "strategy returned nothing (did you forget 'return'?) (case 'inv-001')");
}

static void test_normalize_function(void **state) {
  fixture *f = *state;
  const ee_strategy *lower = WITH(f, "exact", O("normalize", F(FUNCTION_LOWER)));
  check_match(f, lower, "\"ACME\"", "\"acme\"");
  check_compare(f, lower, "\"ACME\"", "\"acne\"", "value mismatch");
  assert_true(ee_strategy_calls_script(lower));
  assert_false(ee_strategy_is_reflexive(lower));
  size_t calls = f->script.calls;
  check_match(f, lower, "\"ACME\"", "\"ACME\""); /* equal raw values match before anything is called */
  assert_int_equal(f->script.calls, calls);
  const ee_strategy *raise = WITH(f, "exact", O("normalize", F(FUNCTION_RAISE)));
  check_failed(f, raise, "\"a\"", "\"b\"", "rules.lua:12: strategy returned nothing (did you forget 'return'?)");
  const ee_strategy *nothing = WITH(f, "numeric", O("normalize", F(FUNCTION_NOTHING)));
  check_compare(f, nothing, "1", "2", "both values are empty after normalize");
  /* What a script gets is normalized too. */
  const ee_strategy *custom =
      compile(f, node(f, "custom", ITEMS(T("p"), F(FUNCTION_SCORE)), OPTIONS(O("normalize", F(FUNCTION_RAISE)))));
  check_failed(f, custom, "1", "1", "rules.lua:12: strategy returned nothing (did you forget 'return'?)");
}

/* A node of a project's own strategy "iban" with an option `country`. */
static ee_rule_node *own_node(fixture *f, const ee_rule_node *definition, const ee_rule_option *options, size_t count) {
  ee_rule_node *spec = node(f, "iban", ITEMS(T("supplier.iban")), options, count);
  spec->definition = definition;
  return spec;
}

static void test_own_strategy(void **state) {
  fixture *f = *state;
  ee_rule_value declared =
      table(f, NONE,
            OPTIONS(O("country", table(f, ITEMS(T("string")), OPTIONS(O("help", T("Where."))))),
                    O("digits", table(f, ITEMS(T("number")), NONE)), O("loose", table(f, ITEMS(T("boolean")), NONE))));
  const ee_rule_node *definition =
      node(f, "strategy", ITEMS(T("iban")),
           OPTIONS(O("help", T("IBANs.")), O("options", declared), O("score", F(FUNCTION_SCORE))));
  ee_rule_node *spec = own_node(f, definition, OPTIONS(O("country", T("DE")), O("digits", N(-3)), O("weight", N(2))));
  const ee_strategy *iban = compile(f, spec);
  assert_true(ee_str_is(iban->name, "iban"));
  assert_true(iban->graded && ee_strategy_calls_script(iban));
  f->script.score = 1;
  check_match(f, iban, "\"a\"", "\"b\"");
  assert_ptr_equal(f->script.place.options, spec);
  assert_true(ee_str_is(f->script.place.path, "p"));

  check_strategy_errors(f, own_node(f, definition, OPTIONS(O("contry", T("DE")))),
                        "unknown option 'contry' for iban (did you mean 'country'?)");
  check_strategy_errors(f, own_node(f, definition, OPTIONS(O("country", N(1)), O("loose", T("x")), O("weight", N(-1)))),
                        "option 'country' of iban must be a string, got a number",
                        "option 'loose' of iban must be true or false, got a string",
                        "option 'weight' of iban must be at least 0, got -1");
}

/* Mistakes of a definition are told once, however many nodes it makes. */
static void test_own_definition_mistakes(void **state) {
  fixture *f = *state;
  ee_rule_value declared = table(f, NONE,
                                 OPTIONS(O("a", T("string")), O("b", table(f, ITEMS(T("text")), NONE)),
                                         O("c", table(f, ITEMS(T("number")), OPTIONS(O("hlep", T("x"))))),
                                         O("weight", table(f, ITEMS(T("number")), NONE))));
  const ee_rule_node *definition = node(f, "strategy", NONE, OPTIONS(O("helpp", T("x")), O("options", declared)));
  assert_non_null(ee_strategy_compile(&f->builder, own_node(f, definition, NONE)));
  assert_non_null(ee_strategy_compile(&f->builder, own_node(f, definition, NONE)));
  check_errors(f, (const char *const[]){
                      "unknown option 'helpp' for ee.strategy (did you mean 'help'?)",
                      "ee.strategy needs a name as its only positional value",
                      "ee.strategy needs option 'score', a function",
                      "option 'a' of ee.strategy must be declared as { \"string\", help = \"...\" } (or \"number\", "
                      "\"boolean\")",
                      "unknown type 'text' of option 'b' in ee.strategy: must be string, number or boolean",
                      "unknown option 'hlep' for the declaration of option 'c' (did you mean 'help'?)",
                      "option 'weight' of ee.strategy has the name of an option that all strategies have", NULL});
}

static void test_mistakes(void **state) {
  fixture *f = *state;
  assert_null(ee_strategy_compile(&f->builder, node(f, "numerik", ITEMS(T("p")), NONE)));
  check_errors(f, (const char *const[]){"unknown strategy 'ee.numerik' (did you mean 'ee.numeric'?)", NULL});
  assert_null(ee_strategy_compile(&f->builder, node(f, "line_items", ITEMS(T("p")), NONE)));
  check_errors(f, (const char *const[]){"unknown strategy 'ee.line_items'", NULL});
  check_strategy_errors(f, node(f, "numeric", ITEMS(T("p")), OPTIONS(O("tolerence", N(1)))),
                        "unknown option 'tolerence' for ee.numeric (did you mean 'tolerance'?)");
  check_strategy_errors(f, node(f, "exact", ITEMS(T("p"), F(0)), NONE),
                        "ee.exact takes one path, but a function follows it");
  check_strategy_errors(f, node(f, "date", ITEMS(T("p")), OPTIONS(O("formats", table(f, NONE, NONE)))),
                        "option 'formats' of ee.date is an empty array");
  check_strategy_errors(f, node(f, "custom", ITEMS(T("p")), NONE), "ee.custom needs a function after its path");
  check_strategy_errors(f, node(f, "custom", ITEMS(T("p"), T("x")), NONE),
                        "ee.custom needs a function after its path, got a string");
  check_strategy_errors(f, node(f, "custom", ITEMS(T("p"), F(0), F(1)), NONE),
                        "ee.custom takes one function, but a function follows it");
  check_strategy_errors(f, node(f, "pattern", ITEMS(T("p")), NONE), "ee.pattern needs a pattern after its path");
  check_strategy_errors(f, node(f, "pattern", ITEMS(T("p"), N(1)), NONE),
                        "the pattern of ee.pattern must be a string, got a number");
  check_strategy_errors(f, node(f, "pattern", ITEMS(T("p"), T("a"), T("b")), NONE),
                        "ee.pattern takes one pattern, got 2");
  check_strategy_errors(f, node(f, "pattern", ITEMS(T("p"), T("a")), OPTIONS(O("pattern", T("b")))),
                        "ee.pattern has two patterns, one after the path and one in option 'pattern'");
  check_strategy_errors(f, node(f, "one_of", ITEMS(T("p")), NONE), "ee.one_of needs values after its path");
  check_strategy_errors(f, node(f, "one_of", ITEMS(T("p")), OPTIONS(O("values", T("x")))),
                        "option 'values' of ee.one_of must be an array of strings, numbers or booleans, got a string");
  check_strategy_errors(f, node(f, "one_of", ITEMS(T("p"), N(NAN)), NONE),
                        "a value of ee.one_of must be a string, a number or a boolean, got an infinite number or NaN");
  check_strategy_errors(f, node(f, "one_of", ITEMS(T("p"), F(1), NULL_VALUE), NONE),
                        "a value of ee.one_of must be a string, a number or a boolean, got a function",
                        "ee.null in ee.one_of never matches: empty values are not compared");
}

/* A bad format is told with the format and a why. */
static void test_bad_date_format(void **state) {
  fixture *f = *state;
  ee_strategy_compile(&f->builder,
                      node(f, "date", ITEMS(T("p")), OPTIONS(O("formats", LIST(f, T("YYYY-MM-DD"), T("YYYY-MM"))))));
  assert_int_equal(f->errors.count, 1);
  assert_int_equal(strncmp(f->errors.items[0].message, "bad date format 'YYYY-MM': ", 27), 0);
}

/* The case's arena is as full after a comparison in C as before: nothing piles up within a case. */
static void test_no_memory_left_behind(void **state) {
  fixture *f = *state;
  const ee_strategy *strategies[] = {plain(f, "exact"), plain(f, "numeric"), plain(f, "date"),
                                     plain(f, "fuzzy"), plain(f, "set"),     plain(f, "auto")};
  const ee_value *a = json(f, "\" Acme 1,000.50 \""), *b = json(f, "\"acme 1000.5 x\""), *c = json(f, "[1,2,\"x\"]");
  const ee_value *values[] = {a, b, c, json(f, "\"1,000.5\""), json(f, "1000.5"), json(f, "[2,\"y\"]")};
  for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++) {
    for (size_t i = 0; i < 36; i++) {
      ee_arena_mark before = ee_arena_get_mark(&f->case_arena);
      ee_comparison result;
      ee_strategy_compare(strategies[s], &f->context, values[i / 6], values[i % 6], NULL, &result);
      ee_arena_mark after = ee_arena_get_mark(&f->case_arena);
      assert_ptr_equal(before.at, after.at);
      assert_ptr_equal(before.block, after.block);
    }
  }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, open_fixture, close_fixture)

EE_TEST_FILE(NULL, NULL, TEST(test_exact), TEST(test_exact_normalized), TEST(test_numeric),
             TEST(test_numeric_tolerance), TEST(test_numeric_texts), TEST(test_numeric_linear),
             TEST(test_numeric_options), TEST(test_date), TEST(test_date_options), TEST(test_fuzzy),
             TEST(test_fuzzy_short), TEST(test_fuzzy_graded), TEST(test_fuzzy_algorithms), TEST(test_fuzzy_long),
             TEST(test_pattern), TEST(test_one_of), TEST(test_fuzzy_formula), TEST(test_reading),
             TEST(test_fuzzy_shown), TEST(test_date_formula), TEST(test_set), TEST(test_auto), TEST(test_custom),
             TEST(test_custom_error), TEST(test_normalize_function), TEST(test_own_strategy),
             TEST(test_own_definition_mistakes), TEST(test_mistakes), TEST(test_bad_date_format),
             TEST(test_no_memory_left_behind));
