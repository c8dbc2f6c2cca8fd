/* test_number_text.c: which texts are numbers, and which. */
#include "prim/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/random.h"

static const ee_number_format plain = {.decimal = '.'}, comma = {.decimal = ','},
                              money = {.decimal = '.', .money = true}, euro = {.decimal = ',', .money = true};

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
      {"1\u2019234.50", "1234.5"},
      {"1\u2009234", "1234"},
      {"\u221212.5", "-12.5"},
      {"\u0661\u0662", "12"},
      {"\uff11\uff12.5", "12.5"},
      {"\u0661\u066c\u0662\u0663\u0664\u066b\u0665", "1234.5"},
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
  static const char *const marks[][2] = {
      {"RM 8.20", "8.2"},
      {"RM8.20", "8.2"},
      {"rm 8.20", "8.2"},
      {"Rp 1,500", "1500"},
      {"Rp. 1,500", "1500"},
      {"Rs. 500", "500"},
      {"Rs.500", "500"},
      {"Rs 500.50", "500.5"},
      {"500 kr", "500"},
      {"500 kr.", "500"},
      {"kr 500,-", "500"},
      {"US$ 5", "5"},
      {"$5 USD", "5"},
      {"USD $5.00", "5"},
      {"US$5.00 USD", "5"},
      {"5.00 usd", "5"},
      {"A$5", "5"},
      {"C$ 5", "5"},
      {"HK$5", "5"},
      {"S$5", "5"},
      {"NT$ 100", "100"},
      {"R$ 5.50", "5.5"},
      {"R 5.50", "5.5"},
      {"Fr. 5.50", "5.5"},
      {"SFr. 5.50", "5.5"},
      {"5.50 z\u0142", "5.5"},
      {"5.50 PLN", "5.5"},
      {"5 K\u010d", "5"},
      {"5 Ft", "5"},
      {"5 \u043b\u0432.", "5"},
      {"\u20ba5", "5"},
      {"5 TL", "5"},
      {"5 lei", "5"},
      {"5 \u0440\u0443\u0431.", "5"},
      {"5,-", "5"},
      {"5.-", "5"},
      {"5,--", "5"},
      {"5.\u2013", "5"},
      {"1,234.-", "1234"},
      {"CHF 5.--", "5"},
      {"-5.-", "-5"},
      {"5 dollars", "5"},
      {"DOLLARS 5", "5"},
      {"5 euros", "5"},
      {"- $ 5", "-5"},
      {"$-5", "-5"},
      {"\u2212$5", "-5"},
      {"5 USD-", "-5"},
      {"(5) USD", "-5"},
      {"\u200e$5\u200f", "5"},
      {"1500\u5186", "1500"},
      {"$.50", "0.5"},
      {"\u062f.\u0625. 5", "5"},
  };
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    assert_reads(marks[i][0], money, marks[i][1]);
    assert_reads(marks[i][0], plain, NULL);
  }
  assert_reads("1.234,-", euro, "1234");
  assert_reads("1.234,- kr", euro, "1234");
  assert_reads("1.234,-", money, NULL); /* 1.234 or 1234 */
  assert_reads("1.5.-", money, NULL);
  static const char *const bad[] = {
      "$",      "()",     "(-)",     "-",    "$$5",   "$5$",       "USD 5 EUR", "(1.00", "1.00)", "(1)-",    "((1))",
      "-1.00-", "--1.00", "-(1.00)", "US 5", "QQQ 5", "$abc",      "$1,23",     "5$5",   "% 5",   "5%",      "5 kg",
      "5 km",   "5K",     "5 cents", "5 CR", "$5 RM", "5 USD USD", "1 USD 2",   "R-M 5", "2 x 5", "5 USD/kg"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_reads(bad[i], money, NULL);
}

static void reads_percent_and_own_symbols(void **state) {
  (void)state;
  ee_number_format percent = {.decimal = '.', .percent = true};
  static const char *const facts[][2] = {{"19%", "19"},        {"19 %", "19"},         {"%19", "19"},
                                         {"19", "19"},         {"-1.5 %", "-1.5"},     {"19 percent", "19"},
                                         {"19 pct.", "19"},    {"19\uff05", "19"},     {"0.19", "0.19"},
                                         {"19 Prozent", "19"}, {"1,234.5 %", "1234.5"}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) assert_reads(facts[i][0], percent, facts[i][1]);
  static const char *const bad[] = {"19%%", "%19%", "$19", "19 % off", "19 p", "%", "19 \u2030"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_reads(bad[i], percent, NULL);
  ee_str symbols[] = {ee_number_symbol(EE_STR("kg"), &arena), ee_number_symbol(EE_STR("2 x"), &arena),
                      ee_number_symbol(EE_STR("St\u00fcck"), &arena), ee_number_symbol(EE_STR("approx."), &arena)};
  ee_number_format own = {.decimal = '.', .symbols = symbols, .symbol_count = 4};
  ee_number_format both = {.decimal = '.', .money = true, .symbols = symbols, .symbol_count = 4};
  static const char *const read[][2] = {{"5 kg", "5"},
                                        {"5KG", "5"},
                                        {"5 kg.", "5"},
                                        {"2 x 3.50", "3.5"},
                                        {"2x 3.50", "3.5"},
                                        {"2 X 3.50", "3.5"},
                                        {"-5 kg", "-5"},
                                        {"12 St\u00fcck", "12"},
                                        {"approx 12 kg", "12"},
                                        {"approx. 12 stuck", "12"},
                                        {"5", "5"},
                                        {"2 x 3 kg", "3"},
                                        {"22", "22"}};
  for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
    assert_reads(read[i][0], own, read[i][1]);
    assert_reads(read[i][0], both, read[i][1]);
  }
  assert_reads("2 x $3.50", both, "3.5");
  static const char *const unread[] = {"5 kgs", "5 l", "12 x 3", "2x", "kg", "5 kg 3", "2 x", "kg kg 5", "%5"};
  for (size_t i = 0; i < sizeof unread / sizeof *unread; i++) assert_reads(unread[i], own, NULL);
}

static void sees_the_decimal_sign(void **state) {
  (void)state;
  static const struct {
    const char *text;
    char sign;
  } facts[] = {{"1,234.56", '.'},  {"1.234,56", ','}, {"12,50", ','},   {"12.5", '.'},  {"1,234", 0},
               {"1.234", 0},       {"12", 0},         {"0,125", ','},   {"0.125", '.'}, {"1.234.567", ','},
               {"1,234,567", '.'}, {"abc", 0},        {"1 234,5", ','}, {"", 0}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    if (ee_number_decimal_sign(ee_str_from(facts[i].text), plain, &arena) != facts[i].sign)
      fail_msg("'%s'", facts[i].text);
  }
  assert_int_equal(ee_number_decimal_sign(EE_STR("\u20ac 12,50"), money, &arena), ',');
  assert_int_equal(ee_number_decimal_sign(EE_STR("\u20ac 12,50"), plain, &arena), 0);
}

/* Money by peeling: from both ends, one thing after the other, until only a plain number is left. */
typedef struct naive_money {
  int signs, codes, currencies;
  bool negative;
} naive_money;

static void naive_trim(char *text) {
  size_t spaces = strspn(text, " ");
  memmove(text, text + spaces, strlen(text) - spaces + 1);
  for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--) text[n - 1] = '\0';
}

/* Takes `mark`, with a dot if it ends in a letter, from the start or the end. */
static bool naive_take(char *text, const char *mark, bool at_start) {
  size_t length = strlen(text), bytes = strlen(mark);
  char last = mark[bytes - 1];
  bool dot = (last | 32) >= 'a' && (last | 32) <= 'z';
  if (at_start) {
    if (strncmp(text, mark, bytes) != 0) return false;
    if (dot && text[bytes] == '.') bytes++;
    memmove(text, text + bytes, length - bytes + 1);
    return true;
  }
  if (dot && length > bytes && text[length - 1] == '.' && text[length - 2] == last) length--;
  if (length < bytes || strncmp(text + length - bytes, mark, bytes) != 0) return false;
  text[length - bytes] = '\0';
  return true;
}

/* "5,-" or "5,--". */
static bool has_cents(const char *text, size_t n) {
  if (text[n - 1] != '-') return false;
  if (n > 3 && text[n - 2] == '-') n--;
  return (text[n - 2] == '.' || text[n - 2] == ',') && text[n - 3] >= '0' && text[n - 3] <= '9';
}

static bool naive_peel(char *text, naive_money *found) {
  static const char *const codes[] = {"USD", "EUR"}, *const signs[] = {"US$", "$", "RM", "Rs", "kr", "\u20ac"};
  bool cents = false;
  for (bool again = true; again;) {
    again = false;
    naive_trim(text);
    for (int side = 0; side < 2 && !again; side++) {
      if (side == 1 && cents) continue;
      for (size_t i = 0; i < 2 && !again; i++) again = naive_take(text, codes[i], side == 0) && ++found->codes;
      for (size_t i = 0; i < 6 && !again; i++) again = naive_take(text, signs[i], side == 0) && ++found->currencies;
    }
    size_t n = strlen(text);
    if (again || n == 0) continue;
    if (text[0] == '(' && text[n - 1] == ')' && n > 1) {
      text[n - 1] = ' ';
      text[0] = ' ';
      found->signs++, found->negative = true, again = true;
    } else if (text[0] == '-' || text[0] == '+') {
      found->negative = text[0] == '-';
      text[0] = ' ';
      found->signs++, again = true;
    } else if (n > 2 && !cents && has_cents(text, n)) {
      cents = true;
      if (text[n - 2] == '-') n--;
      /* The sign before the dash is the decimal one. */
      text[n - 1] = '\0';
      char sign = text[n - 2];
      text[n - 2] = '\0';
      if (strchr(text, '.') != NULL || (sign == ',' && strchr(text, ',') != NULL)) return false;
    } else if (text[n - 1] == '-' && !cents) {
      text[n - 1] = '\0';
      found->signs++, found->negative = true, again = true;
    }
  }
  return found->signs <= 1 && found->codes <= 1 && found->currencies <= 1 && text[0] != '\0' && text[0] != '-' &&
         text[0] != '+';
}

static void agrees_with_peeling(void **state) {
  (void)state;
  test_random random = test_random_start("number: money", 407);
  static const char *const pieces[] = {"5",  "12",  "1,234.5", "1,234",  "0.5", "7.25", "$", "US$", "RM",
                                       "Rs", "Rs.", "kr",      "\u20ac", "USD", "EUR",  " ", " ",   "-",
                                       "(",  ")",   ",-",      ".-",     "+",   ".",    "x"};
  static const char *const numbers[] = {"5", "1,234.5", "0.5", "12"};
  size_t read = 0;
  for (int round = 0; round < 200000; round++) {
    char text[120] = "", left[120];
    size_t before = test_random_below(&random, 4), after = test_random_below(&random, 4);
    for (size_t i = 0; i < before; i++) strcat(text, pieces[6 + test_random_below(&random, 19)]);
    strcat(text, numbers[test_random_below(&random, 4)]);
    for (size_t i = 0; i < after; i++) strcat(text, pieces[test_random_below(&random, 25)]);
    naive_money found = {0};
    strcpy(left, text);
    double expected = 0, value = 0;
    bool peeled = naive_peel(left, &found) && ee_number_parse(ee_str_from(left), plain, &arena, &expected, NULL);
    if (found.negative) expected = -expected;
    bool got = ee_number_parse(ee_str_from(text), money, &arena, &value, NULL);
    if (got != peeled) fail_msg("'%s' is %s; peeled: '%s'", text, got ? "read" : "refused", left);
    if (got && value != expected) fail_msg("'%s' is %g, not %g", text, value, expected);
    read += got;
    if (round % 64 == 0) ee_arena_reset(&arena, 0);
  }
  assert_true(read > 20000);
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
    ee_number_format format = {.decimal = comma_decimal ? ',' : '.', .money = with_money};
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
    ee_number_format format = {.decimal = round % 2 == 0 ? '.' : ',', .money = round % 4 < 2};
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

static void knows_signs_of_other_scripts(void **state) {
  (void)state;
  assert_reads("1\u066c234", comma, "1234"); /* the Arabic sign between thousands */
  assert_reads("1\u066c234", plain, "1234");
  assert_reads("\u202a12\u202c", plain, "12"); /* marks of the direction of writing */
  assert_reads("\u206612\u2069", plain, "12");
  assert_reads("\u061c\u200e\u200f12", plain, "12");
  assert_reads("\u202f12", plain, "12");
  assert_reads("\u206a12", plain, NULL);
  assert_reads("\u206512", plain, NULL);
  assert_reads("\xff"
               "12",
               plain, NULL);
  assert_reads("\xff", plain, NULL);
  assert_reads("\u0378.5", money, NULL); /* not a letter */
  assert_reads("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz 5", money, NULL);
  assert_reads("USD 5 USD", money, NULL);
  assert_reads("USDEUR 5", money, NULL);
  assert_reads("USDxyz 5", money, NULL);
  assert_reads("xyzUSD 5", money, NULL);
  assert_reads("krSEK 5", money, "5");
  assert_reads("USD$ 5", money, "5");
}

static void reads_symbols_with_digits(void **state) {
  (void)state;
  ee_str symbols[] = {ee_number_symbol(EE_STR("2 x"), &arena), ee_number_symbol(EE_STR("m2"), &arena)};
  ee_number_format format = {.decimal = '.', .symbols = symbols, .symbol_count = 2};
  static const char *const facts[][2] = {
      {"2x 5", "5"},    {"2 x 5", "5"},  {"2.x. 5", NULL}, {"5 m2", "5"},  {"5 m 2", "5"},
      {"5 m.2", "5"},   {"5m2", "5"},    {"2x", NULL},     {"m2", NULL},   {"2 y 5", NULL},
      {"2", "2"},       {"2,x 5", NULL}, {"5 m,2", NULL},  {"5 n2", NULL}, {"2x5 m2", "5"},
      {"2 x5m 2", "5"}, {"m25", NULL},   {"52x", NULL},    {"5 2x", "5"},  {"m2 5", "5"},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) assert_reads(facts[i][0], format, facts[i][1]);
}

/* The same where there is only one symbol. */
static void reads_one_symbol(void **state) {
  (void)state;
  ee_str symbol = ee_number_symbol(EE_STR("2 x"), &arena);
  ee_number_format format = {.decimal = '.', .symbols = &symbol, .symbol_count = 1};
  double value = 0;
  assert_true(ee_number_parse(EE_STR("15 2x"), format, &arena, &value, NULL) && value == 15);
  assert_true(ee_number_parse(EE_STR("2x 15"), format, &arena, &value, NULL) && value == 15);
  assert_true(ee_number_parse(EE_STR("15"), format, &arena, &value, NULL) && value == 15);
  assert_false(ee_number_parse(EE_STR("15 3x"), format, &arena, &value, NULL));
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(reads_plain_numbers), cmocka_unit_test(refuses_what_is_no_number),
             cmocka_unit_test(reads_money), cmocka_unit_test(reads_percent_and_own_symbols),
             cmocka_unit_test(sees_the_decimal_sign), cmocka_unit_test(agrees_with_peeling),
             cmocka_unit_test(reads_what_it_should_and_no_more), cmocka_unit_test(survives_junk),
             cmocka_unit_test(knows_signs_of_other_scripts), cmocka_unit_test(reads_symbols_with_digits),
             cmocka_unit_test(reads_one_symbol));
