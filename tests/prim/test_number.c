/* test_number.c: decimal numbers as text against aligned digit strings, doubles against the C library, and tolerances
 * against whole numbers. */
#include "prim/number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

static ee_arena arena;

static int make_arena(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  return 0;
}

static int free_arena(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  return 0;
}

static const ee_number_format plain = {'.', false}, comma = {',', false}, money = {'.', true}, euro = {',', true};

/* Decimal comparison --------------------------------------------------------------------------------------------- */

/* The twin lays the digits of a number out at fixed places: place PLACES/2 is that of the units. */
enum { PLACES = 4000 };
typedef struct aligned {
  int sign; /* 0 when all digits are */
  char digit[PLACES];
} aligned;

static void align(const char *text, aligned *out) {
  memset(out, 0, sizeof *out);
  int negative = *text == '-', any = 0;
  text += *text == '-' || *text == '+';
  const char *e = strpbrk(text, "eE"), *end = e != NULL ? e : text + strlen(text);
  long exponent = e != NULL ? strtol(e + 1, NULL, 10) : 0;
  const char *point = memchr(text, '.', (size_t)(end - text));
  long place = PLACES / 2 - exponent - (long)((point != NULL ? point : end) - text) + 1;
  for (const char *at = text; at < end; at++) {
    if (*at == '.') continue;
    assert_true(place >= 0 && place < PLACES);
    out->digit[place++] = (char)(*at - '0');
    any |= *at != '0';
  }
  out->sign = !any ? 0 : negative ? -1 : 1;
}

static int sign_of(int value) { return (value > 0) - (value < 0); }

static int aligned_compare(const char *a, const char *b) {
  static aligned x, y;
  align(a, &x);
  align(b, &y);
  if (x.sign != y.sign) return x.sign < y.sign ? -1 : 1;
  return x.sign * sign_of(memcmp(x.digit, y.digit, PLACES));
}

static void assert_order(const char *a, const char *b, int expected) {
  int got = sign_of(ee_decimal_compare(ee_str_from(a), ee_str_from(b)));
  if (got != expected) fail_msg("'%s' against '%s': %d, not %d", a, b, got, expected);
  got = sign_of(ee_decimal_compare(ee_str_from(b), ee_str_from(a)));
  if (got != -expected) fail_msg("'%s' against '%s': %d, not %d", b, a, got, -expected);
}

static void compares_known_decimals(void **state) {
  (void)state;
  static const struct {
    const char *a, *b;
    int order;
  } facts[] = {
      {"1", "1.0", 0},
      {"1", "10e-1", 0},
      {"1", "0.001e3", 0},
      {"1", "1E+0", 0},
      {"0", "-0", 0},
      {"0", "-0.000e99", 0},
      {"0e999999999999999999999999", "-0.0e-999999999999999999999999", 0},
      {"9007199254740993", "9007199254740992", 1},
      {"9007199254740993", "9007199254740993.0", 0},
      {"9007199254740993", "9007199254740993.0000000000000000000000000001", -1},
      {"18446744073709551616", "18446744073709551615", 1},
      {"123456789012345678901234567890", "123456789012345678901234567891", -1},
      {"0.1", "0.10000000000000000555", -1},
      {"-1", "1", -1},
      {"-2", "-1", -1},
      {"-1e2", "-99", -1},
      {"2", "10", -1},
      {"9", "10", -1},
      {"99e-1", "1e1", -1},
      {"1e400", "1e401", -1},
      {"-1e400", "-1e401", 1},
      {"1e-400", "0", 1},
      {"-1e-400", "0", -1},
      {"1e-400", "1e-401", 1},
      {"1e999999999999999999999999", "1e999999999999999999999998", 1},
      {"1e-999999999999999999999999", "1e-999999999999999999999998", -1},
      {"10e999999999999999999999999", "1e1000000000000000000000000", 0},
      {"-1e999999999999999999999999", "1e999999999999999999999999", -1},
      {"1e9223372036854775807", "1e9223372036854775806", 1},
      {"10e9223372036854775807", "1e9223372036854775807", 1},
      {"0.1e-9223372036854775808", "1e-9223372036854775808", -1},
      {"1e-9223372036854775808", "1", -1},
      {"1e18446744073709551616", "2", 1}, /* an exponent that wraps round 64 bits */
      {"1e-18446744073709551616", "1e-1", -1},
      {"1e4294967296", "2", 1},
      {"1e0000000000000000000000000000002", "100", 0},
      {"1e+0000000000000000000000000000002", "1e2", 0},
      {"0.0000000000000000000000000000000000001", "1e-37", 0},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) assert_order(facts[i].a, facts[i].b, facts[i].order);
}

/* A random JSON number. */
static void random_decimal(test_random *random, char *out) {
  size_t integers = 1 + test_random_below(random, test_random_below(random, 2) == 0 ? 3 : 40);
  size_t fraction = test_random_below(random, 2) == 0 ? 0 : 1 + test_random_below(random, 30);
  size_t digits = test_random_below(random, 3) == 0 ? 2 : 10; /* many zeros and ones, for near misses */
  if (test_random_below(random, 2) == 0) *out++ = '-';
  if (test_random_below(random, 4) == 0) integers = 1, *out++ = '0';
  else {
    *out++ = (char)('1' + test_random_below(random, digits - 1));
    for (size_t i = 1; i < integers; i++) *out++ = (char)('0' + test_random_below(random, digits));
  }
  if (fraction != 0) {
    *out++ = '.';
    for (size_t i = 0; i < fraction; i++) *out++ = (char)('0' + test_random_below(random, digits));
  }
  *out = '\0';
  if (test_random_below(random, 2) == 0)
    sprintf(out, "%c%s%d", "eE"[test_random_below(random, 2)], test_random_below(random, 2) == 0 ? "-" : "+",
            (int)test_random_below(random, test_random_below(random, 2) == 0 ? 5 : 300));
}

/* Writes `text` in another way that has the same value: the point moved, zeros added, the exponent adapted. */
static void rewrite(test_random *random, const char *text, char *out) {
  char digits[128];
  size_t count = 0;
  const char *e = strpbrk(text, "eE"), *end = e != NULL ? e : text + strlen(text);
  long exponent = e != NULL ? strtol(e + 1, NULL, 10) : 0;
  int negative = *text == '-', seen_point = 0;
  for (const char *at = text + negative; at < end; at++) {
    if (*at == '.') {
      seen_point = 1;
      continue;
    }
    digits[count++] = *at;
    exponent -= seen_point;
  }
  for (size_t zeros = test_random_below(random, 20); zeros > 0; zeros--) {
    digits[count++] = '0';
    exponent--;
  }
  size_t skip = 0;
  while (skip + 1 < count && digits[skip] == '0') skip++;
  size_t before = 1 + test_random_below(random, count - skip); /* digits before the point */
  exponent += (long)(count - skip - before);
  if (negative) *out++ = '-';
  for (size_t i = 0; i < before; i++) *out++ = digits[skip + i];
  if (skip + before < count) *out++ = '.';
  for (size_t i = skip + before; i < count; i++) *out++ = digits[i];
  if (exponent != 0 || test_random_below(random, 2) == 0) sprintf(out, "e%+04ld", exponent);
  else *out = '\0';
}

static void compares_like_aligned_digits(void **state) {
  (void)state;
  test_random random = test_random_start("number: compare", 401);
  for (int round = 0; round < 20000; round++) {
    char a[256], b[256], c[256];
    random_decimal(&random, a);
    rewrite(&random, a, b);
    assert_order(a, b, 0);
    if (round % 2 == 0) {
      random_decimal(&random, c);
    } else { /* one digit changed */
      strcpy(c, b);
      size_t length = strcspn(c, "eE"), at = test_random_below(&random, length);
      if (c[at] >= '0' && c[at] <= '9') c[at] = (char)('0' + test_random_below(&random, 10));
    }
    assert_order(a, c, aligned_compare(a, c));
  }
}

/* Doubles -------------------------------------------------------------------------------------------------------- */

static double random_double(test_random *random) {
  for (;;) {
    uint64_t bits = test_random_bits(random);
    switch (test_random_below(random, 6)) {
    case 0: return (double)(int64_t)bits / 0x1p20;
    case 1: return (double)(int64_t)(bits >> (1 + test_random_below(random, 63)));
    case 2: return (double)((int64_t)(bits % 2000000) - 1000000) / 100; /* what people write */
    case 3: bits &= UINT64_C(0x800fffffffffffff); break;                /* subnormal */
    default: break;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) return value;
  }
}

static int same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void reads_doubles_like_the_library(void **state) {
  (void)state;
  static const char *const facts[] = {
      "0", "-0", "1", "0.1", "1e23", "9007199254740993", "9007199254740993.00000000000000000000000000001",
      "9007199254740992.99999999999", "2.2250738585072011e-308", "2.2250738585072014e-308", "4.9406564584124654e-324",
      "2.4703282292062327208e-324", "2.4703282292062328e-324", "1.7976931348623157e308", "1.7976931348623158e308",
      "1.7976931348623159e308", "1e308", "1e309", "-1e309", "1e999999999999999999999", "1e-999999999999999999999",
      "0e999999999999999999999", "-0.0e-5", "123456789012345678901234567890", "0.000000000000000000000000000000001",
      "6.631236846766476e-316", "3.237883913302901e-319", "1448997445238699", "8.5e2", "5e-324", "-5E-0324",
      "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692"
      "887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842"
      "914819860834936475292719074168444365510704342711559699508093042880",
      /* 2^-1074 / 2 to its last digit but for a 1 behind it */
      "2.47032822920623272088284396434110686182529901307162382212792841250337753635104375932649918180817996189898282347722"
      "8588654633283551779698981993873980053909390631503565951557022639229085839244910518443593180284993653615250031937045"
      "7678249219365623669863658480757001585769269903706311928279558551332927834338409351978015531246597263579574622766465"
      "2728272200563740064854999770965994704540208281662262378573934507363390079677305775067501763246736009689513405355374"
      "5851666113422376667860416215968046191446729184030053005753084904876539171138659164623952491262365388187963623937328"
      "04238910186723484976682350898633885879256283027559956575244555072551893136908362547791869486679949683240497058210285"
      "1318545139621383772282614543769341253209859132766723632812500000001e-324",
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    double got = ee_decimal_to_double(ee_str_from(facts[i])), expected = strtod(facts[i], NULL);
    if (!same_bits(got, expected)) fail_msg("'%s': %a, not %a", facts[i], got, expected);
  }
  assert_true(isinf(ee_decimal_to_double(EE_STR("1e309"))));
  assert_true(ee_decimal_to_double(EE_STR("-1e400")) == -HUGE_VAL);

  test_random random = test_random_start("number: to double", 402);
  for (int round = 0; round < 20000; round++) {
    char text[512];
    if (round % 4 == 0) random_decimal(&random, text);
    else sprintf(text, "%.*e", (int)test_random_below(&random, 25), random_double(&random));
    if (round % 8 == 1) { /* halfway between two doubles, exactly or nearly so */
      double value = fabs(random_double(&random));
      if (value < 0x1p50 && value > 0x1p-50) {
        sprintf(text, "%.200f", value);
        long double middle = ((long double)value + (long double)nextafter(value, INFINITY)) / 2;
        if (LDBL_MANT_DIG >= 64) sprintf(text, "%.120Lf", middle);
        size_t length = strlen(text);
        if (round % 16 == 1) text[length - 1] = '1';
      }
    }
    size_t length = strlen(text);
    char *exact = malloc(length); /* no NUL behind it */
    memcpy(exact, text, length);
    double got = ee_decimal_to_double((ee_str){exact, length}), expected = strtod(text, NULL);
    if (!same_bits(got, expected)) fail_msg("'%s': %a, not %a", text, got, expected);
    free(exact);
  }
}

/* The significant digits of a decimal text: without sign, point, exponent, and zeros at both ends. */
static size_t significant(const char *text) {
  char digits[64];
  size_t count = 0;
  for (; *text != '\0' && *text != 'e' && *text != 'E'; text++)
    if (*text >= '0' && *text <= '9' && (count != 0 || *text != '0')) digits[count++] = *text;
  while (count > 0 && digits[count - 1] == '0') count--;
  return count;
}

static const char *formatted(double value) {
  static char text[40];
  memset(text, '#', sizeof text);
  size_t length = ee_double_format(value, text);
  assert_true(length >= 1 && length <= 32);
  assert_true(text[32] == '#');
  text[length] = '\0';
  return text;
}

static void assert_json_number(const char *text) {
  const char *at = text + (*text == '-');
  size_t integers = strspn(at, "0123456789");
  if (integers == 0 || (integers > 1 && *at == '0')) fail_msg("'%s' is no JSON number", text);
  at += integers;
  if (*at == '.') {
    size_t fraction = strspn(at + 1, "0123456789");
    if (fraction == 0) fail_msg("'%s' is no JSON number", text);
    at += 1 + fraction;
  }
  if (*at == 'e' || *at == 'E') {
    at += 1 + (at[1] == '-' || at[1] == '+');
    size_t exponent = strspn(at, "0123456789");
    if (exponent == 0) fail_msg("'%s' is no JSON number", text);
    at += exponent;
  }
  if (*at != '\0') fail_msg("'%s' is no JSON number", text);
}

static void writes_known_doubles(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } facts[] = {
      {0, "0"},
      {-0.0, "0"},
      {1, "1"},
      {-1, "-1"},
      {10, "10"},
      {100000, "100000"},
      {1500.5, "1500.5"},
      {0.1, "0.1"},
      {-0.1, "-0.1"},
      {0.3, "0.3"},
      {0.1 + 0.2, "0.30000000000000004"},
      {1 / 3.0, "0.3333333333333333"},
      {2 / 3.0, "0.6666666666666666"},
      {123456.789, "123456.789"},
      {1e-7, "1e-7"},
      {1.5e-7, "1.5e-7"},
      {1.5e300, "1.5e300"},
      {9007199254740992, "9007199254740992"},
      {9007199254740991, "9007199254740991"},
      {1e15, "1000000000000000"},
      {1e20, "100000000000000000000"},
      {-1e20, "-100000000000000000000"},
      {1e21, "1e21"},
      {1e22, "1e22"},
      {5e-324, "5e-324"},
      {DBL_MAX, "1.7976931348623157e308"},
      {-DBL_MIN, "-2.2250738585072014e-308"},
      {9.5367431640625e-7, "9.5367431640625e-7"},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) assert_string_equal(formatted(facts[i].value), facts[i].text);
}

static void writes_the_shortest_text_that_reads_back(void **state) {
  (void)state;
  test_random random = test_random_start("number: shortest", 403);
  for (int round = 0; round < 40000; round++) {
    double value = random_double(&random);
    if (round < 4000) value = ldexp(1, round - 2000); /* powers of two have uneven neighbours */
    if (value == 0 || !isfinite(value)) continue;
    const char *text = formatted(value);
    assert_json_number(text);
    if (!same_bits(strtod(text, NULL), value)) fail_msg("%a became '%s'", value, text);
    if (value == floor(value) && fabs(value) < 1e21) {
      if (text[strcspn(text, ".eE")] != '\0') fail_msg("the integer %a became '%s'", value, text);
      if (fabs(value) <= 0x1p53) {
        char whole[32];
        sprintf(whole, "%.0f", value);
        assert_string_equal(text, whole);
      }
      continue;
    }
    int digits = 1;
    char shorter[64];
    for (; digits < 17; digits++) {
      sprintf(shorter, "%.*e", digits - 1, value);
      if (strtod(shorter, NULL) == value) break;
    }
    if (significant(text) > (size_t)digits) fail_msg("'%s' is longer than %d digits of %a", text, digits, value);
  }
}

static void writes_figures_for_people(void **state) {
  (void)state;
  static const struct {
    double value;
    int digits;
    const char *text;
  } facts[] = {
      {0.01, 6, "0.01"},     {1234.5, 6, "1234.5"}, {1e30, 6, "1e+30"},    {100.01 - 100, 6, "0.01"},
      {2, 6, "2"},           {0, 6, "0"},           {1 / 3.0, 3, "0.333"}, {2 / 3.0, 6, "0.666667"},
      {-12.5, 6, "-12.5"},   {100, 6, "100"},       {0.1 + 0.2, 6, "0.3"}, {999999.5, 6, "1e+06"},
      {123456, 6, "123456"}, {0.00012, 6, "0.00012"},
  };
  char text[40];
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    size_t length = ee_double_format_short(facts[i].value, facts[i].digits, text);
    assert_string_equal(text, facts[i].text);
    assert_int_equal(length, strlen(text));
  }
  test_random random = test_random_start("number: short", 404);
  for (int round = 0; round < 20000; round++) {
    double value = random_double(&random);
    int digits = 1 + (int)test_random_below(&random, 17);
    char expected[64];
    sprintf(expected, "%.*g", digits, value);
    memset(text, '#', sizeof text);
    size_t length = ee_double_format_short(value, digits, text);
    if (value == 0) continue;
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    assert_true(text[32] == '#');
  }
}

/* Reading text --------------------------------------------------------------------------------------------------- */

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
  if (copy[strspn(copy, "-0123456789.eE+")] != '\0' || copy[0] == '+') fail_msg("'%s' gave the digits '%s'", text, copy);
  if (strtod(expected, NULL) != value) fail_msg("'%s' is %.17g, not %s", text, value, expected);
  if (ee_decimal_compare(digits, ee_str_from(expected)) != 0) fail_msg("'%s' has the digits '%s', not %s", text, copy, expected);
  double again = 0;
  assert_true(ee_number_parse(ee_str_from(text), format, &arena, &again, NULL));
  assert_true(again == value);
}

static void reads_plain_numbers(void **state) {
  (void)state;
  static const char *const facts[][2] = {
      {"0", "0"}, {"12", "12"}, {"-12", "-12"}, {"+12", "12"}, {"12.5", "12.5"}, {"-0.5", "-0.5"}, {"0.10", "0.1"},
      {"1500", "1500"}, {"1e5", "100000"}, {"1E+5", "100000"}, {"-1.5e-3", "-0.0015"}, {" 12 ", "12"}, {"\t12\n", "12"},
      {"\u00a012\u3000", "12"}, {"007", "7"}, {"9007199254740993", "9007199254740993"},
      {"123456789012345678901234567890.123", "123456789012345678901234567890.123"},
      {"1e400", "1e400"}, {"-1e400", "-1e400"}, {"1e-400", "1e-400"}, {"1e999", "1e999"},
      {"1,234.56", "1234.56"}, {"1,234", "1234"}, {"12,345,678", "12345678"}, {"-1,234.5", "-1234.5"},
      {"12,34,567", "1234567"}, {"1,23,45,678.9", "12345678.9"}, {"1 234.5", "1234.5"}, {"1 234 567", "1234567"},
      {"1\u00a0234", "1234"}, {"1\u202f234\u202f567.25", "1234567.25"}, {"1'234.50", "1234.5"}, {"1'234'567", "1234567"},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    assert_reads(facts[i][0], plain, facts[i][1]);
    assert_reads(facts[i][0], money, facts[i][1]);
  }
  static const char *const commas[][2] = {
      {"12", "12"}, {"12,5", "12.5"}, {"-0,25", "-0.25"}, {"1.234,56", "1234.56"}, {"1.234", "1234"}, {"1,234", "1.234"},
      {"12.345.678,9", "12345678.9"}, {"1 234,56", "1234.56"}, {"1\u202f234,56", "1234.56"}, {"1'234,5", "1234.5"},
      {"12.34.567,5", "1234567.5"}, {"1,5e3", "1500"},
  };
  for (size_t i = 0; i < sizeof commas / sizeof *commas; i++) {
    assert_reads(commas[i][0], comma, commas[i][1]);
    assert_reads(commas[i][0], euro, commas[i][1]);
  }
}

static void refuses_what_is_no_number(void **state) {
  (void)state;
  static const char *const bad[] = {
      "", " ", "abc", "12abc", "abc12", "1 2", "1 23", "NaN", "nan", "inf", "-inf", "Infinity", "true", "null", "-", "+", ".",
      "e5", "1e", "1e+", "1e5.5", "1e5e5", "1.2.3", "--1", "+-1", "-+1", "1-2", "0x10", "0b1", "1_000", "1..2", "12%",
      "1,23", "1,2345", ",123", "1,,234", "1,234,", "1,234,5", "1,2,345", "12,345,67", "1234,567", "123,45,678", "1, 234",
      "1,234 567", "1 234,567", "1'234,567", "1,234.567,890", "0.1,234", "1.234,5", "1/2", "1 1/2", "\u0661\u0662", "\uff11",
      "12\xe2\x80\x8b", "1e1,000", "e", "E", "\"1\"", "1;2", "1.2e", "1\u2003" "234",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_reads(bad[i], plain, NULL);
    assert_reads(bad[i], money, NULL);
  }
  static const char *const bad_commas[] = {"1.23", "12.5", "1,2,3", "1.2345", "1,234.5", "1.234.5", "1,,2", "1.234.56,7"};
  for (size_t i = 0; i < sizeof bad_commas / sizeof *bad_commas; i++) {
    assert_reads(bad_commas[i], comma, NULL);
    assert_reads(bad_commas[i], euro, NULL);
  }
  double value;
  assert_false(ee_number_parse(EE_STR("1\0002"), plain, &arena, &value, NULL));
  assert_false(ee_number_parse(EE_STR("12\0"), plain, &arena, &value, NULL));
}

static void reads_money(void **state) {
  (void)state;
  static const char *const dots[][2] = {
      {"$12.00", "12"}, {"$ 12.00", "12"}, {"12.00$", "12"}, {"12.00 $", "12"}, {"\u20ac1,234.56", "1234.56"},
      {"\u00a3500", "500"}, {"\u00a51,000,000", "1000000"}, {"\u20b912,34,567.80", "1234567.8"}, {"USD 12.50", "12.5"},
      {"12.50 USD", "12.5"}, {"CHF 1'234.50", "1234.5"}, {"(1.00)", "-1"}, {"(1,234.56)", "-1234.56"}, {"1.00-", "-1"},
      {"1,234.56-", "-1234.56"}, {"($1.00)", "-1"}, {"(USD 5)", "-5"}, {"-$5", "-5"}, {" (1.00) ", "-1"}, {"EUR12", "12"},
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
  static const char *const bad[] = {"$", "()", "(-)", "-", "$$5", "$5$", "USD 5 EUR", "$5 USD", "(1.00", "1.00)", "((1.00))",
                                    "-1.00-", "--1.00", "US 5", "QQQ 5", "DOLLARS 5", "5 dollars", "$abc", "$1,23", "5$5", "% 5"};
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
    /* Where the separators stand: bit i set means one before the digit i. One is moved in a quarter of the texts. */
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
  static const char *const pieces[] = {"0",  "1", "23", "456", ".",  ",",      "-",      "+",      "e", "E", " ",
                                       "$",  "(", ")",  "'",   "\u00a0", "\u20ac", "USD", "\u202f", "%", "x", "\u2212"};
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
      if (*at == *c) at++;
      else if (*c != '0') fail_msg("'%s' lost a digit: '%s'", text, copy);
    }
    read++;
    if (round % 64 == 0) ee_arena_reset(&arena, 0);
  }
  assert_true(read > 1000);
}

/* Tolerance ------------------------------------------------------------------------------------------------------ */

static void knows_tolerances(void **state) {
  (void)state;
  const double two53 = 9007199254740992.0;
  static const struct {
    double x, y, tolerance;
    bool relative, within;
  } facts[] = {
      {100.01, 100, 0.01, false, true}, /* the difference of the doubles is 0.01000000000000512 */
      {99.99, 100, 0.01, false, true},
      {100.02, 100, 0.01, false, false},
      {100.0100001, 100, 0.01, false, false},
      {0.3, 0.1, 0.2, false, true},
      {0.1, 0.3, 0.2, false, true},
      {1.1, 1.0, 0.1, false, true},
      {1500.5, 1500, 1, false, true},
      {1501, 1500, 1, false, true},
      {1501.01, 1500, 1, false, false},
      {101, 100, 0.02, true, true},
      {102, 100, 0.02, true, true},
      {102.01, 100, 0.02, true, false},
      {98, 100, 0.02, true, true},
      {100, 102, 0.02, true, true}, /* a share of y, the expected value */
      {100, 102.05, 0.02, true, false},
      {-101, -100, 0.02, true, true},
      {101, -100, 0.02, true, false}, /* the sign counts */
      {0.01, 0, 0.02, true, true},    /* y = 0: absolute */
      {0.03, 0, 0.02, true, false},
      {0, 0, 0, false, true},
      {0, 0, 0, true, true},
      {-0.0, 0, 0, false, true},
      {1, 1, 0, false, true},
      {0.1 + 0.2, 0.3, 0, false, false}, /* no slack at tolerance 0 */
      {0.1 + 0.2, 0.3, 1e-12, false, true},
      {1500, 1500, 0, false, true},
      {1233, 1234.56, 0.01, false, false},
      {12, 12, 1, false, true},
      {5e-324, 0, 0, false, false},
      {1e308, -1e308, 1e308, false, false}, /* the difference overflows */
      {-1e308, 1e308, 1e308, false, false},
      {1.5e308, -1.5e308, 0.5, true, false},
      {-1e308, 1e308, 2, true, true}, /* 2e308 within 2e308, though no double holds it */
      {1e-300, 2e-300, 1e-301, false, false},
      {1e-300, 2e-300, 1.0000001e-300, false, true},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (ee_within_tolerance(facts[i].x, facts[i].y, facts[i].tolerance, facts[i].relative) != facts[i].within)
      fail_msg("%.17g against %.17g, tolerance %.17g%s: should be %d", facts[i].x, facts[i].y, facts[i].tolerance,
               facts[i].relative ? " relative" : "", facts[i].within);
  /* 2^53 + 7 is no double; its neighbours are. The slack of 2^-50 would be 8 here, were it not bound by the tolerance. */
  assert_false(ee_within_tolerance(ee_decimal_to_double(EE_STR("9007199254740999")), two53, 0.01, false));
  assert_false(ee_within_tolerance(two53 + 6, two53, 0.01, false));
  assert_false(ee_within_tolerance(two53 + 2, two53, 0.01, false));
  assert_false(ee_within_tolerance(two53 + 2, two53, 0, false));
  assert_false(ee_within_tolerance(two53 + 8, two53, 7, false));
  assert_true(ee_within_tolerance(two53 + 8, two53, 8, false));
  const double strange[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    assert_false(ee_within_tolerance(strange[i], 5, 1, false));
    assert_false(ee_within_tolerance(5, strange[i], 1, true));
    assert_false(ee_within_tolerance(strange[i], strange[i], 1, false));
    assert_false(ee_within_tolerance(strange[i], strange[i], 0, false));
    assert_false(ee_within_tolerance(strange[i], strange[i], 0.5, true));
  }
}

/* Figures in hundredths are decided as whole numbers decide them. */
static void tolerances_are_exact_for_decimals(void **state) {
  (void)state;
  test_random random = test_random_start("number: tolerance", 407);
  for (int round = 0; round < 200000; round++) {
    static const size_t spans[] = {1000, 100000, 100000000};
    size_t span = spans[test_random_below(&random, 3)];
    int64_t x = (int64_t)test_random_below(&random, 2 * span) - (int64_t)span;
    int64_t tolerance = 1 + (int64_t)test_random_below(&random, round % 2 == 0 ? 5 : 500);
    int64_t y = x + (test_random_below(&random, 2) == 0 ? 1 : -1) *
                        (tolerance + (int64_t)test_random_below(&random, 3) - 1); /* at the border */
    bool within = llabs(x - y) <= tolerance;
    if (ee_within_tolerance((double)x / 100, (double)y / 100, (double)tolerance / 100, false) != within)
      fail_msg("%" PRId64 " against %" PRId64 " hundredths, tolerance %" PRId64 ": should be %d", x, y, tolerance, within);
    assert_int_equal(ee_within_tolerance((double)x / 100, (double)y / 100, 0, false), x == y);
    assert_int_equal(ee_within_tolerance((double)y / 100, (double)x / 100, (double)tolerance / 100, false), within);
    /* x within some hundredths of y, as a share: |x-y| <= percent * |y| / 100. */
    int64_t percent = 1 + (int64_t)test_random_below(&random, 30), base = y != 0 ? y : 1;
    int64_t border = llabs(base) * percent / 100 + (int64_t)test_random_below(&random, 3) - 1;
    int64_t near = base + (test_random_below(&random, 2) == 0 ? border : -border);
    within = llabs(near - base) * 100 <= percent * llabs(base);
    if (ee_within_tolerance((double)near / 100, (double)base / 100, (double)percent / 100, true) != within)
      fail_msg("%" PRId64 " against %" PRId64 " hundredths, %" PRId64 " %%: should be %d", near, base, percent, within);
  }
}

/* Any doubles, where the definition leaves no doubt: clearly inside or outside of tolerance plus slack. */
static void tolerances_follow_the_formula(void **state) {
  (void)state;
  test_random random = test_random_start("number: formula", 408);
  size_t inside = 0, outside = 0;
  for (int round = 0; round < 100000; round++) {
    double y = random_double(&random), tolerance = fabs(random_double(&random));
    if (round % 2 == 0) tolerance = ldexp(test_random_unit(&random), (int)test_random_below(&random, 60) - 50) * fabs(y);
    bool relative = test_random_below(&random, 3) == 0 && y != 0;
    if (relative) tolerance = ldexp(test_random_unit(&random), (int)test_random_below(&random, 60) - 55);
    if (!isfinite(tolerance) || tolerance < DBL_MIN || fabs(y) > 1e300 || tolerance > 1e300) continue;
    long double room = relative ? (long double)tolerance * fabsl(y) : (long double)tolerance;
    double x = (double)((long double)y + room * (test_random_unit(&random) * 4 - 2));
    if (round % 3 == 0) x = (double)((long double)y + (round % 2 == 0 ? room : -room));
    if (!isfinite(x)) continue;
    long double slack = fminl(0x1p-50L * fmaxl(fabsl(x), fabsl(y)), 0x1p-20L * room);
    long double difference = fabsl((long double)x - (long double)y), doubt = slack / 4 + difference * 0x1p-52L;
    if (room < 1e-290L) continue; /* subnormal arithmetic */
    if (difference < room + slack - doubt) {
      inside++;
      if (!ee_within_tolerance(x, y, tolerance, relative)) fail_msg("%a is within %a of %a (%d)", x, tolerance, y, relative);
    } else if (difference > room + slack + doubt) {
      outside++;
      if (ee_within_tolerance(x, y, tolerance, relative)) fail_msg("%a is not within %a of %a (%d)", x, tolerance, y, relative);
    }
  }
  assert_true(inside > 1000 && outside > 1000);
}

static void knows_linear_closeness(void **state) {
  (void)state;
  assert_true(ee_linear_closeness(100, 100) == 1);
  assert_true(ee_linear_closeness(0, 0) == 1);
  assert_true(ee_linear_closeness(-0.0, 0) == 1);
  assert_true(ee_linear_closeness(1, 0) == 0);
  assert_true(ee_linear_closeness(5e-324, 0) == 0);
  assert_true(ee_linear_closeness(200, 100) == 0);
  assert_true(ee_linear_closeness(300, 100) == 0);
  assert_true(ee_linear_closeness(-100, 100) == 0);
  assert_true(ee_linear_closeness(1e308, -1e308) == 0);
  assert_true(ee_linear_closeness(-DBL_MAX, DBL_MAX) == 0);
  assert_true(fabs(ee_linear_closeness(90, 100) - 0.9) < 1e-15);
  assert_true(fabs(ee_linear_closeness(110, 100) - 0.9) < 1e-15);
  assert_true(fabs(ee_linear_closeness(-75, -100) - 0.75) < 1e-15);
  assert_true(fabs(ee_linear_closeness(DBL_MAX, DBL_MAX / 2 * 1.5) - (1 - 1 / 3.0)) < 1e-15);
  test_random random = test_random_start("number: closeness", 409);
  for (int round = 0; round < 20000; round++) {
    double y = random_double(&random), x = y * (test_random_unit(&random) * 3 - 0.5);
    if (y == 0 || !isfinite(x) || fabs(y) < 1e-300) continue;
    long double expected = 1 - fabsl((long double)x - (long double)y) / fabsl((long double)y);
    if (expected < 0) expected = 0;
    double got = ee_linear_closeness(x, y);
    if (!(fabsl((long double)got - expected) <= 4e-16L)) fail_msg("%a against %a: %.17g, not %.17Lg", x, y, got, expected);
  }
}

/* What another evaluator says of numbers in fields, but for its defects: it reads "1,234.56" as 1, lets 100.01 fail at
 * 0.01, and knows no currency. */
static void agrees_with_known_cases(void **state) {
  (void)state;
  static const struct {
    const char *candidate, *expected;
    double tolerance;
    bool relative, with_money, pass;
  } facts[] = {
      {"1500.5", "1500", 1, false, false, true},      {"101", "100", 0.02, true, false, true},
      {"1889", "1889", 1, false, false, true},        {"100.01", "100", 0.01, false, false, true},
      {"0.01", "0", 0.02, true, false, true},         {"-101", "-100", 0.02, true, false, true},
      {"1500", "1500", 0, false, false, true},        {"1,234.56", "1234.56", 0.01, false, false, true},
      {"$12.00", "12", 1, false, true, true},         {"1e999", "5", 1, false, false, false},
      {"(12.00)", "12", 1, false, true, false},       {"1.234,56", "1234.56", 0.01, false, false, false},
      {"9007199254740993", "9007199254740992", 0.5, false, false, true}, /* as doubles; exactness is tolerance 0's */
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_number_format format = {'.', facts[i].with_money};
    double x, y;
    bool readable = ee_number_parse(ee_str_from(facts[i].candidate), format, &arena, &x, NULL);
    assert_true(ee_number_parse(ee_str_from(facts[i].expected), format, &arena, &y, NULL));
    bool pass = readable && ee_within_tolerance(x, y, facts[i].tolerance, facts[i].relative);
    if (pass != facts[i].pass) fail_msg("'%s' against '%s'", facts[i].candidate, facts[i].expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compares_known_decimals),
      cmocka_unit_test(compares_like_aligned_digits),
      cmocka_unit_test(reads_doubles_like_the_library),
      cmocka_unit_test(writes_known_doubles),
      cmocka_unit_test(writes_the_shortest_text_that_reads_back),
      cmocka_unit_test(writes_figures_for_people),
      cmocka_unit_test(reads_plain_numbers),
      cmocka_unit_test(refuses_what_is_no_number),
      cmocka_unit_test(reads_money),
      cmocka_unit_test(reads_what_it_should_and_no_more),
      cmocka_unit_test(survives_junk),
      cmocka_unit_test(knows_tolerances),
      cmocka_unit_test(tolerances_are_exact_for_decimals),
      cmocka_unit_test(tolerances_follow_the_formula),
      cmocka_unit_test(knows_linear_closeness),
      cmocka_unit_test(agrees_with_known_cases),
  };
  return cmocka_run_group_tests_name("number", tests, make_arena, free_arena);
}
