/* test_number.c: decimals, whole numbers and multiples. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prim/number.h"
#include "prim/random_double.h"
#include "support/random.h"

/* Decimal comparison --------------------------------------------------------------------------- */

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
  if (test_random_below(random, 4) == 0)
    integers = 1, *out++ = '0';
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
  if (exponent != 0 || test_random_below(random, 2) == 0)
    sprintf(out, "e%+04ld", exponent);
  else
    *out = '\0';
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

/* Doubles -------------------------------------------------------------------------------------- */

static int same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static void reads_doubles_like_the_library(void **state) {
  (void)state;
  static const char *const facts[] = {
      "0",
      "-0",
      "1",
      "0.1",
      "1e23",
      "9007199254740993",
      "9007199254740993.00000000000000000000000000001",
      "9007199254740992.99999999999",
      "2.2250738585072011e-308",
      "2.2250738585072014e-308",
      "4.9406564584124654e-324",
      "2.4703282292062327208e-324",
      "2.4703282292062328e-324",
      "1.7976931348623157e308",
      "1.7976931348623158e308",
      "1.7976931348623159e308",
      "1e308",
      "1e309",
      "-1e309",
      "1e999999999999999999999",
      "1e-999999999999999999999",
      "0e999999999999999999999",
      "-0.0e-5",
      "123456789012345678901234567890",
      "0.000000000000000000000000000000001",
      "6.631236846766476e-316",
      "3.237883913302901e-319",
      "1448997445238699",
      "8.5e2",
      "5e-324",
      "-5E-0324",
      "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070963302864166"
      "92"
      "8879109465555478519404026306574886715058206819089020007083836762738548458177115317644757302700698555713669596228"
      "42"
      "914819860834936475292719074168444365510704342711559699508093042880",
      /* 2^-1074 / 2 to its last digit, followed by a 1 */
      "2."
      "4703282292062327208828439643411068618252990130716238221279284125033775363510437593264991818081799618989828234772"
      "2"
      "8588654633283551779698981993873980053909390631503565951557022639229085839244910518443593180284993653615250031937"
      "045"
      "7678249219365623669863658480757001585769269903706311928279558551332927834338409351978015531246597263579574622766"
      "465"
      "2728272200563740064854999770965994704540208281662262378573934507363390079677305775067501763246736009689513405355"
      "374"
      "5851666113422376667860416215968046191446729184030053005753084904876539171138659164623952491262365388187963623937"
      "328"
      "0423891018672348497668235089863388587925628302755995657524455507255189313690836254779186948667994968324049705821"
      "0285"
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
    if (round % 4 == 0)
      random_decimal(&random, text);
    else
      sprintf(text, "%.*e", (int)test_random_below(&random, 25), test_random_double(&random));
    if (round % 8 == 1) { /* halfway between two doubles, exactly or nearly so */
      double value = fabs(test_random_double(&random));
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
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    assert_string_equal(formatted(facts[i].value), facts[i].text);
}

static void writes_the_shortest_text_that_reads_back(void **state) {
  (void)state;
  test_random random = test_random_start("number: shortest", 403);
  for (int round = 0; round < 40000; round++) {
    double value = test_random_double(&random);
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
      {0.01, 6, "0.01"},     {1234.5, 6, "1234.5"},
      {1e30, 6, "1e+30"},    {100.01 - 100, 6, "0.01"},
      {2, 6, "2"},           {0, 6, "0"},
      {1 / 3.0, 3, "0.333"}, {2 / 3.0, 6, "0.666667"},
      {-12.5, 6, "-12.5"},   {100, 6, "100"},
      {0.1 + 0.2, 6, "0.3"}, {999999.5, 6, "1e+06"},
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
    double value = test_random_double(&random);
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

/* Multiple -------------------------------------------------------------------------------------- */

static void test_whole(void **state) {
  (void)state;
  static const char *const whole[] = {
      "0", "-0", "0.0", "0e-9", "1", "-7.000", "10e-1", "1e300", "1.5e1", "1500e-2", "1E99999999999999999999"};
  static const char *const broken[] = {"0.5", "-1.25", "1e-1", "15e-1", "1500e-3", "0.1e0", "1e-99999999999999999999"};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) assert_true(ee_decimal_is_whole(ee_str_from(whole[i])));
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) assert_false(ee_decimal_is_whole(ee_str_from(broken[i])));
}

static void test_divisors(void **state) {
  (void)state;
  static const char *const bad[] = {"0", "-1", "0.0", "-0.5", "1e1000000000000001", "1e-9999999999999999999"};
  ee_divisor divisor;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(ee_divisor_read(ee_str_from(bad[i]), &divisor));
  char digits[EE_DIVISOR_DIGITS + 1];
  memset(digits, '7', sizeof digits);
  assert_false(ee_divisor_read((ee_str){digits, sizeof digits}, &divisor));
  assert_true(ee_divisor_read((ee_str){digits, sizeof digits - 1}, &divisor));
  assert_true(divisor.digits == 0 && divisor.text.length == EE_DIVISOR_DIGITS && divisor.exponent == 0);
  assert_true(ee_divisor_divides(&divisor, (ee_str){digits, sizeof digits - 1}));
  assert_false(ee_divisor_divides(&divisor, (ee_str){digits, sizeof digits}));
  assert_true(ee_divisor_read(EE_STR("0.1234567890123456789"), &divisor));
  assert_true(divisor.digits == 0 && divisor.exponent == -19);
  assert_true(ee_divisor_read(EE_STR("123456789012345678000"), &divisor));
  assert_true(divisor.digits == UINT64_C(123456789012345678) && divisor.exponent == 3);
  assert_true(ee_divisor_read(EE_STR("0.00250"), &divisor));
  assert_true(divisor.digits == 25 && divisor.exponent == -4);
}

static bool divides(const char *divisor, const char *text) {
  ee_divisor read;
  assert_true(ee_divisor_read(ee_str_from(divisor), &read));
  return ee_divisor_divides(&read, ee_str_from(text));
}

static void test_facts(void **state) {
  (void)state;
  assert_true(divides("0.1", "0.3"));
  assert_true(divides("0.01", "-19.99"));
  assert_true(divides("3", "0.0"));
  assert_true(divides("0.0001", "0.0075"));
  assert_true(divides("7", "7e1000000000000000"));
  assert_true(divides("0.5", "1e308"));
  assert_true(divides("999999999999999999", "999999999999999999000000000000000000999999999999999999"));
  assert_true(divides("1234567890123456789", "3703703670370370367"));
  assert_false(divides("1234567890123456789", "3703703670370370368"));
  assert_true(divides("0.1234567890123456789", "-2.469135780246913578e5"));
  assert_true(divides("1.0000000000000000001", "10000000000000000001e3"));
  assert_false(divides("1234567890123456789e4", "1234567890123456789e3"));
  assert_true(divides("1267650600228229401496703205376", "1e100"));            /* 2^100 */
  assert_false(divides("2535301200456458802993406410752", "1e100"));           /* 2^101 */
  assert_true(divides("2535301200456458802993406410752", "1e1000000000000"));  /* far more zeros than it has twos */
  assert_false(divides("3802951800684688204490109616128", "1e1000000000000")); /* and a three */
  assert_true(divides("12345678901234567.890123", "12345678901234567890123"));
  assert_false(divides("3", "1e1000000000000000"));
  assert_false(divides("0.0001", "0.00751"));
  assert_false(divides("2", "1e-1000000000000000000000"));
  assert_false(divides("10", "5"));
  assert_false(divides("999999999999999999", "999999999999999999000000000000000000999999999999999998"));
}

/* A random number with up to `digits` digits, as text and as a multiple of 10^-6. */
static __int128 random_number(test_random *random, int digits, char text[64]) {
  __int128 value = 0;
  int count = 1 + (int)test_random_below(random, (size_t)digits), places = (int)test_random_below(random, 7);
  size_t length = 0;
  for (int i = 0; i < count; i++) {
    char digit = (char)('0' + test_random_below(random, test_random_below(random, 2) == 0 ? 10 : 2));
    text[length++] = digit;
    value = value * 10 + (digit - '0');
  }
  length += (size_t)snprintf(text + length, 8, "e-%d", places);
  for (int i = places; i < 6; i++) value *= 10;
  text[length] = '\0';
  return value;
}

static void print_whole(__int128 number, char text[64]) {
  char digits[64];
  size_t count = 0;
  for (; number > 0; number /= 10) digits[count++] = (char)('0' + (int)(number % 10));
  for (size_t i = 0; i < count; i++) text[i] = digits[count - 1 - i];
  text[count] = '\0';
}

static void test_random_numbers(void **state) {
  (void)state;
  test_random random = test_random_start("multiples", 77);
  size_t multiples = 0, whole = 0;
  for (int i = 0; i < 100000; i++) {
    char x_text[64], y_text[64];
    __int128 x = random_number(&random, 24, x_text), y = random_number(&random, 4, y_text);
    assert_int_equal(ee_decimal_is_whole(ee_str_from(x_text)), x % 1000000 == 0);
    whole += x % 1000000 == 0;
    ee_divisor divisor;
    assert_int_equal(ee_divisor_read(ee_str_from(y_text), &divisor), y > 0);
    if (y == 0) continue;
    assert_int_equal(ee_divisor_divides(&divisor, ee_str_from(x_text)), x % y == 0);
    multiples += x % y == 0;
  }
  assert_true(multiples > 1000 && whole > 1000);
  /* A long divisor and what it is multiplied by, up to 10^18 each. */
  for (int i = 0; i < 20000; i++) {
    uint64_t factor = 1 + test_random_bits(&random) % 1000000000u, other = test_random_bits(&random) % 1000000000u;
    __int128 divisor =
        (__int128)(UINT64_C(1000000000000000000) + test_random_bits(&random) % UINT64_C(8000000000000000000)) * 10 + 1;
    __int128 number = divisor * (__int128)factor + (i % 2 == 0 ? 0 : (__int128)other + 1);
    char x_text[64], y_text[64];
    print_whole(number, x_text);
    print_whole(divisor, y_text);
    assert_int_equal(divides(y_text, x_text), number % divisor == 0);
  }
}

static void test_score_round(void **state) {
  (void)state;
  static const struct {
    double score, rounded; /* rounded below 0: refused */
  } cases[] = {
      {0, 0},
      {-0.0, 0},
      {1, 1},
      {0.5, 0.5},
      {1 - 0x1p-53, 1 - 0x1p-53},
      {1 + 0x1p-52, 1},
      {1 + 0x1p-40, 1},
      {-0x1p-40, 0},
      {-DBL_TRUE_MIN, 0},
      {DBL_TRUE_MIN, DBL_TRUE_MIN},
      {NAN, -1},
      {INFINITY, -1},
      {-INFINITY, -1},
      {1.5, -1},
      {1 + 0x1.001p-40, -1},
      {-0x1.0001p-40, -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double score = cases[i].score;
    assert_int_equal(ee_score_round(&score), cases[i].rounded >= 0);
    if (cases[i].rounded < 0)
      assert_memory_equal(&score, &cases[i].score, sizeof score);
    else
      assert_true(score == cases[i].rounded && !signbit(score));
  }
}

static void test_hash(void **state) {
  (void)state;
  static const char *const same[][2] = {{"1", "10e-1"}, {"0", "-0.00e7"},  {"-1.50", "-15e-1"},
                                        {"100", "1e2"}, {"0.001", "1E-3"}, {"12.5e1", "125"}};
  static const char *const different[][2] = {{"1", "-1"}, {"1", "10"}, {"12", "21"}, {"0", "1"}, {"1.01", "1.1"}};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    assert_true(ee_decimal_hash(ee_str_from(same[i][0])) == ee_decimal_hash(ee_str_from(same[i][1])));
  for (size_t i = 0; i < sizeof different / sizeof *different; i++)
    assert_true(ee_decimal_hash(ee_str_from(different[i][0])) != ee_decimal_hash(ee_str_from(different[i][1])));
}

/* Readers hand over numbers; other texts must do no harm. */
static void does_no_harm(void **state) {
  (void)state;
  assert_true(ee_decimal_to_double(EE_STR("")) == 0 && ee_decimal_to_double(EE_STR("-")) == 0);
  assert_true(ee_decimal_to_double(EE_STR("12e")) == 12 && ee_decimal_to_double(EE_STR("12e-")) == 12);
  assert_int_equal(ee_decimal_compare(EE_STR(""), EE_STR("0")), 0);
  assert_int_equal(ee_decimal_compare(EE_STR("12e"), EE_STR("12")), 0);
  char text[32];
  static const struct {
    double value;
    const char *text;
  } facts[] = {{0, "0"}, {-0.0, "0"}, {INFINITY, "inf"}, {-INFINITY, "-inf"}, {NAN, "nan"}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    size_t length = ee_double_format(facts[i].value, text);
    assert_true(ee_str_is((ee_str){text, length}, facts[i].text));
    length = ee_double_format_short(facts[i].value, 6, text);
    assert_true(ee_str_is((ee_str){text, length}, facts[i].text));
  }
  assert_true(ee_str_is((ee_str){text, ee_double_format_short(1234.5, 0, text)}, "1e+03"));
  assert_true(ee_str_is((ee_str){text, ee_double_format_short(0.1, 40, text)}, "0.10000000000000001"));
}

static void knows_exponents_of_any_length(void **state) {
  (void)state;
#define FORTY "9999999999999999999999999999999999999999"
  assert_true(ee_decimal_compare(EE_STR("1e" FORTY), EE_STR("1e-" FORTY)) > 0);
  assert_true(ee_decimal_compare(EE_STR("1e-" FORTY), EE_STR("1e" FORTY)) < 0);
  assert_true(ee_decimal_compare(EE_STR("1e-" FORTY), EE_STR("0")) > 0);
#undef FORTY
  /* More digits than 64 bits hold, and than decide. */
  char text[1200];
  memset(text, '7', sizeof text);
  memcpy(text, "0.", 2);
  assert_true(ee_decimal_to_double((ee_str){text, sizeof text}) == 7.0 / 9);
  assert_true(ee_decimal_to_double((ee_str){text, 700}) == 7.0 / 9);
  assert_true(ee_decimal_to_double(EE_STR("12345678901234567890123e-500")) == 0);
  assert_true(isinf(ee_decimal_to_double(EE_STR("12345678901234567890123e500"))));
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(compares_known_decimals), cmocka_unit_test(compares_like_aligned_digits),
             cmocka_unit_test(reads_doubles_like_the_library), cmocka_unit_test(writes_known_doubles),
             cmocka_unit_test(writes_the_shortest_text_that_reads_back), cmocka_unit_test(writes_figures_for_people),
             cmocka_unit_test(test_whole), cmocka_unit_test(test_divisors), cmocka_unit_test(test_facts),
             cmocka_unit_test(test_random_numbers), cmocka_unit_test(test_score_round), cmocka_unit_test(test_hash),
             cmocka_unit_test(does_no_harm), cmocka_unit_test(knows_exponents_of_any_length));
