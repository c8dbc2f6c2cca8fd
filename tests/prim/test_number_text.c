/* test_number_text.c: which texts are numbers, and which. */
#include "prim/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/random.h"

static const ee_number_format plain = {'.', false}, comma = {',', false}, money = {'.', true}, euro = {',', true};

/* Reading text --------------------------------------------------------------------------------- */

static void assert_reads(const char *text, ee_number_format format, const char *expected) {
  size_t length = strlen(text);
  char *exact = malloc(length + 1);
  memcpy(exact, text, length);
  double value = 4711;
  ee_str digits = {NULL, 0};
  bool ok = ee_number_parse((ee_str){exact, length}, format, &arena, &value, &digits);
  free(exact); /* the digits must not borrow the text's bytes... */
  if (ok != (expected != NULL))
    fail_msg("'%s' (decimal '%c', money %d) is %s", text, format.decimal, format.money, ok ? "read" : "refused");
  if (!ok) return;
  char copy[512];
  snprintf(copy, sizeof copy, "%.*s", (int)digits.length, digits.data);
  if (copy[strspn(copy, "-0123456789.eE+")] != '\0' || copy[0] == '+')
    fail_msg("'%s' gave the digits '%s'", text, copy);
  if (strtod(expected, NULL) != value) fail_msg("'%s' is %.17g, not %s", text, value, expected);
  if (ee_decimal_compare(digits, ee_str_from(expected)) != 0)
    fail_msg("'%s' has the digits '%s', not %s", text, copy, expected);
  double again = 0;
  assert_true(ee_number_parse(ee_str_from(text), format, &arena, &again, NULL));
  assert_true(again == value);
}

static void reads_plain_numbers(void **state) {
  (void)state;
  static const char *const facts[][2] = {
      {"0", "0"},
      {"12", "12"},
      {"-12", "-12"},
      {"+12", "12"},
      {"12.5", "12.5"},
      {"-0.5", "-0.5"},
      {"0.10", "0.1"},
      {"1500", "1500"},
      {"1e5", "100000"},
      {"1E+5", "100000"},
      {"-1.5e-3", "-0.0015"},
      {" 12 ", "12"},
      {"\t12\n", "12"},
      {"\u00a012\u3000", "12"},
      {"007", "7"},
      {"9007199254740993", "9007199254740993"},
      {"123456789012345678901234567890.123", "123456789012345678901234567890.123"},
      {"1e400", "1e400"},
      {"-1e400", "-1e400"},
      {"1e-400", "1e-400"},
      {"1e999", "1e999"},
      {"1,234.56", "1234.56"},
      {"1,234", "1234"},
      {"12,345,678", "12345678"},
      {"-1,234.5", "-1234.5"},
      {"12,34,567", "1234567"},
      {"1,23,45,678.9", "12345678.9"},
      {"1 234.5", "1234.5"},
      {"1 234 567", "1234567"},
      {"1\u00a0234", "1234"},
      {"1\u202f234\u202f567.25", "1234567.25"},
      {"1'234.50", "1234.5"},
      {"1'234'567", "1234567"},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    assert_reads(facts[i][0], plain, facts[i][1]);
    assert_reads(facts[i][0], money, facts[i][1]);
  }
  static const char *const commas[][2] = {
      {"12", "12"},
      {"12,5", "12.5"},
      {"-0,25", "-0.25"},
      {"1.234,56", "1234.56"},
      {"1.234", "1234"},
      {"1,234", "1.234"},
      {"12.345.678,9", "12345678.9"},
      {"1 234,56", "1234.56"},
      {"1\u202f234,56", "1234.56"},
      {"1'234,5", "1234.5"},
      {"12.34.567,5", "1234567.5"},
      {"1,5e3", "1500"},
  };
  for (size_t i = 0; i < sizeof commas / sizeof *commas; i++) {
    assert_reads(commas[i][0], comma, commas[i][1]);
    assert_reads(commas[i][0], euro, commas[i][1]);
  }
}

static void refuses_what_is_no_number(void **state) {
  (void)state;
  static const char *const bad[] = {
      "",
      " ",
      "abc",
      "12abc",
      "abc12",
      "1 2",
      "1 23",
      "NaN",
      "nan",
      "inf",
      "-inf",
      "Infinity",
      "true",
      "null",
      "-",
      "+",
      ".",
      "e5",
      "1e",
      "1e+",
      "1e5.5",
      "1e5e5",
      "1.2.3",
      "--1",
      "+-1",
      "-+1",
      "1-2",
      "0x10",
      "0b1",
      "1_000",
      "1..2",
      "12%",
      "1,23",
      "1,2345",
      ",123",
      "1,,234",
      "1,234,",
      "1,234,5",
      "1,2,345",
      "12,345,67",
      "1234,567",
      "123,45,678",
      "1, 234",
      "1,234 567",
      "1 234,567",
      "1'234,567",
      "1,234.567,890",
      "0.1,234",
      "1.234,5",
      "1/2",
      "1 1/2",
      "\u0661\u0662",
      "\uff11",
      "12\xe2\x80\x8b",
      "1e1,000",
      "e",
      "E",
      "\"1\"",
      "1;2",
      "1.2e",
      "1\u2003234",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_reads(bad[i], plain, NULL);
    assert_reads(bad[i], money, NULL);
  }
  static const char *const bad_commas[] = {"1.23",    "12.5",    "1,2,3", "1.2345",
                                           "1,234.5", "1.234.5", "1,,2",  "1.234.56,7"};
  for (size_t i = 0; i < sizeof bad_commas / sizeof *bad_commas; i++) {
    assert_reads(bad_commas[i], comma, NULL);
    assert_reads(bad_commas[i], euro, NULL);
  }
  double value;
  assert_false(ee_number_parse(EE_STR("1\0002"), plain, &arena, &value, NULL));
  assert_false(ee_number_parse(EE_STR("12\0"), plain, &arena, &value, NULL));
  assert_false(ee_number_parse((ee_str){NULL, 0}, plain, &arena, &value, NULL));
  assert_false(ee_number_parse((ee_str){NULL, 0}, euro, &arena, &value, NULL));
}

static void reads_money(void **state) {
  (void)state;
  static const char *const dots[][2] = {
      {"$12.00", "12"},
      {"$ 12.00", "12"},
      {"12.00$", "12"},
      {"12.00 $", "12"},
      {"\u20ac1,234.56", "1234.56"},
      {"\u00a3500", "500"},
      {"\u00a51,000,000", "1000000"},
      {"\u20b912,34,567.80", "1234567.8"},
      {"USD 12.50", "12.5"},
      {"12.50 USD", "12.5"},
      {"CHF 1'234.50", "1234.5"},
      {"(1.00)", "-1"},
      {"(1,234.56)", "-1234.56"},
      {"1.00-", "-1"},
      {"1,234.56-", "-1234.56"},
      {"($1.00)", "-1"},
      {"(USD 5)", "-5"},
      {"-$5", "-5"},
      {" (1.00) ", "-1"},
      {"EUR12", "12"},
  };
  for (size_t i = 0; i < sizeof dots / sizeof *dots; i++) {
    assert_reads(dots[i][0], money, dots[i][1]);
    assert_reads(dots[i][0], plain, NULL);
  }
  assert_reads("1.234,56 \u20ac", euro, "1234.56");
  assert_reads("\u20ac 1.234,56", euro, "1234.56");
  assert_reads("1 234,56\u00a0\u20ac", euro, "1234.56");
  assert_reads("(1.234,56 EUR)", euro, "-1234.56");
  assert_reads("12,50-", euro, "-12.5");
  static const char *const bad[] = {"$",      "()",        "(-)",       "-",        "$$5",    "$5$",    "USD 5 EUR",
                                    "$5 USD", "(1.00",     "1.00)",     "((1.00))", "-1.00-", "--1.00", "US 5",
                                    "QQQ 5",  "DOLLARS 5", "5 dollars", "$abc",     "$1,23",  "5$5",    "% 5"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_reads(bad[i], money, NULL);
}

/* Random numbers, grouped in every way that counts as right, and in ways that do not. */
static void reads_what_it_should_and_no_more(void **state) {
  (void)state;
  test_random random = test_random_start("number: grouping", 405);
  for (int round = 0; round < 20000; round++) {
    char integers[40], fraction[20], exact[80], text[256], *out = text;
    size_t count = 1 + test_random_below(&random, 15), decimals = test_random_below(&random, 5);
    for (size_t i = 0; i < count; i++) integers[i] = (char)('0' + test_random_below(&random, 10));
    if (integers[0] == '0') integers[0] = '7';
    integers[count] = '\0';
    for (size_t i = 0; i < decimals; i++) fraction[i] = (char)('0' + test_random_below(&random, 10));
    fraction[decimals] = '\0';
    bool comma_decimal = test_random_below(&random, 2) == 0, negative = test_random_below(&random, 2) == 0;
    bool with_money = test_random_below(&random, 2) == 0, indian = test_random_below(&random, 4) == 0;
    const char *separators[] = {"", comma_decimal ? "." : ",", " ", "\u00a0", "\u202f", "'"};
    const char *separator = separators[test_random_below(&random, 6)];
    sprintf(exact, "%s%s%s%s", negative ? "-" : "", integers, decimals != 0 ? "." : "", fraction);
    if (negative) *out++ = '-';
    /* The separators: bit i is set for one before digit i. One is moved in a quarter of the texts. */
    uint32_t places = 0;
    for (size_t i = 1; i < count; i++) {
      size_t behind = count - i;
      if (indian ? behind == 3 || (behind > 3 && behind % 2 == 1) : behind % 3 == 0) places |= 1u << i;
    }
    bool broken = false;
    if (test_random_below(&random, 4) == 0 && places != 0 && separator[0] != '\0') {
      uint32_t moved = places ^ (1u << (1 + test_random_below(&random, count - 1)));
      uint32_t threes = 0, twos = 0;
      for (size_t i = 1; i < count; i++) {
        size_t behind = count - i;
        if (behind % 3 == 0) threes |= 1u << i;
        if (behind == 3 || (behind > 3 && behind % 2 == 1)) twos |= 1u << i;
      }
      broken = moved != 0 && moved != threes && moved != twos;
      places = moved;
    }
    for (size_t i = 0; i < count; i++) {
      if (i > 0 && (places >> i & 1) != 0) out += sprintf(out, "%s", separator);
      *out++ = integers[i];
    }
    if (decimals != 0) out += sprintf(out, "%c%s", comma_decimal ? ',' : '.', fraction);
    *out = '\0';
    /* Indian groups are an affair of the other decimal sign's place; only commas and points are tried there. */
    if (indian && !broken && strlen(separator) != 1) continue;
    if (indian && (*separator == ' ' || *separator == '\'')) continue;
    ee_number_format format = {comma_decimal ? ',' : '.', with_money};
    assert_reads(text, format, broken ? NULL : exact);
    ee_arena_reset(&arena, 0);
  }
}

/* Texts of the right letters in any order: never a crash, and whatever is read is read as strtod reads it. */
static void survives_junk(void **state) {
  (void)state;
  test_random random = test_random_start("number: junk", 406);
  static const char *const pieces[] = {"0", "1", "23", "456", ".",      ",",      "-",   "+",      "e", "E", " ",
                                       "$", "(", ")",  "'",   "\u00a0", "\u20ac", "USD", "\u202f", "%", "x", "\u2212"};
  size_t read = 0;
  for (int round = 0; round < 60000; round++) {
    char text[64] = "";
    for (size_t n = 1 + test_random_below(&random, 7); n > 0; n--)
      strcat(text, pieces[test_random_below(&random, sizeof pieces / sizeof *pieces)]);
    double value = 0;
    ee_str digits;
    ee_number_format format = {round % 2 == 0 ? '.' : ',', round % 4 < 2};
    if (!ee_number_parse(ee_str_from(text), format, &arena, &value, &digits)) continue;
    char copy[80];
    snprintf(copy, sizeof copy, "%.*s", (int)digits.length, digits.data);
    char *end;
    if (strtod(copy, &end) != value || *end != '\0') fail_msg("'%s': digits '%s', value %.17g", text, copy, value);
    /* Every digit of the text is in the result, in order. */
    const char *at = copy;
    for (const char *c = text; *c != '\0'; c++) {
      if (*c < '0' || *c > '9') continue;
      at += strcspn(at, "0123456789");
      while (*at == '0' && *c != '0') at++, at += strcspn(at, "0123456789");
      if (*at == *c)
        at++;
      else if (*c != '0')
        fail_msg("'%s' lost a digit: '%s'", text, copy);
    }
    read++;
    if (round % 64 == 0) ee_arena_reset(&arena, 0);
  }
  assert_true(read > 1000);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(reads_plain_numbers), cmocka_unit_test(refuses_what_is_no_number),
             cmocka_unit_test(reads_money), cmocka_unit_test(reads_what_it_should_and_no_more),
             cmocka_unit_test(survives_junk));
