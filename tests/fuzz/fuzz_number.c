/* fuzz_number.c: numbers as documents have them: grouped, with currencies and percent signs, in any script; and the
 * arithmetic on decimal texts.
 *
 * The first byte is the format, the rest two lines of text. What is read has a decimal text of the same value, a format
 * that reads more reads it alike, and comparisons of decimal texts agree with each other. */
#include <math.h>

#include "data/json/json_scan.h"
#include "fuzz/fuzz.h"
#include "prim/number.h"

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool read(ee_str text, ee_number_format format, ee_arena *arena, double *value, ee_str *digits) {
  *value = 0;
  *digits = (ee_str){0};
  return ee_number_parse(text, format, arena, value, digits);
}

/* Whether a text is a number of JSON, wholly. */
static bool is_decimal(ee_str text) {
  ee_json_number number;
  const char *mistake, *at;
  if (text.length == 0 || (text.data[0] != '-' && !ee_json_is_digit(text.data[0]))) return false;
  return ee_json_read_number(text.data, text.data + text.length, &number, &mistake, &at) == text.data + text.length;
}

static void check_format(ee_str text, ee_number_format format, ee_arena *arena) {
  double value, other;
  ee_str digits, other_digits;
  bool good = read(text, format, arena, &value, &digits);
  (void)ee_number_decimal_sign(text, format, arena);
  if (!good) return;
  fuzz_require(!isnan(value) && digits.length > 0 && is_decimal(digits));
  fuzz_require(same(ee_decimal_to_double(digits), value));
  char *copy = ee_arena_copy(arena, digits.data, digits.length);
  fuzz_require(same(strtod(copy, NULL), value));
  /* What is plain is also money, and also a percentage. */
  if (format.money || format.percent || format.symbol_count > 0) return;
  for (int more = 1; more < 4; more++) {
    ee_number_format wider = format;
    wider.money = more & 1;
    wider.percent = more & 2;
    fuzz_require(read(text, wider, arena, &other, &other_digits));
    fuzz_require(same(value, other) && ee_decimal_compare(digits, other_digits) == 0);
  }
}

static void check_double(double value) {
  if (!isfinite(value)) return;
  char text[33];
  size_t length = ee_double_format(value, text);
  fuzz_require(length >= 1 && length <= 32);
  fuzz_require(ee_decimal_to_double((ee_str){text, length}) == value);
  text[length] = '\0';
  fuzz_require(strtod(text, NULL) == value);
  for (int digits = 1; digits <= 6; digits++) {
    char shorter[32];
    fuzz_require(ee_double_format_short(value, digits, shorter) < 32);
  }
  fuzz_require(ee_within_tolerance(value, value, 0, false) && ee_within_tolerance(value, value, 0, true));
  fuzz_require(ee_linear_closeness(value, value) == 1);
}

static void check_pair(ee_str a, ee_str b) {
  double x = ee_decimal_to_double(a), y = ee_decimal_to_double(b);
  int order = ee_decimal_compare(a, b);
  fuzz_require((order < 0) == (ee_decimal_compare(b, a) > 0) && (order == 0) == (ee_decimal_compare(b, a) == 0));
  if (order == 0) fuzz_require(ee_decimal_hash(a) == ee_decimal_hash(b) && x == y);
  if (order < 0) fuzz_require(x <= y);
  if (order > 0) fuzz_require(x >= y);
  double difference = ee_decimal_difference(a, b);
  fuzz_require(difference >= 0 && (order != 0 || difference == 0));
  fuzz_require(difference == ee_decimal_difference(b, a));
  if (isfinite(x) && isfinite(y) && isfinite(x - y) && fabs(x - y) > 1e-6 * (fabs(x) + fabs(y)) && fabs(x - y) > 1e-290)
    fuzz_require(fabs(difference - fabs(x - y)) <= 1e-9 * difference);
  ee_divisor divisor;
  if (ee_divisor_read(b, &divisor)) {
    bool divides = ee_divisor_divides(&divisor, a);
    if (order == 0) fuzz_require(divides);
    if (ee_decimal_compare(a, EE_STR("0")) == 0) fuzz_require(divides);
  }
  if (isfinite(x) && isfinite(y)) {
    ee_number one = {x, a}, two = {y, b};
    double how = -1;
    bool within = ee_numbers_within_tolerance(&one, &two, 0, false, &how);
    fuzz_require(within == (order == 0) && how >= 0);
    double closeness = ee_linear_closeness(x, y);
    fuzz_require(closeness >= 0 && closeness <= 1);
  }
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  uint8_t choice = fuzz_byte(&source);
  ee_str first = fuzz_line(&source), second = fuzz_rest(&source), symbols[2] = {{"kg", 2}, {"m2", 2}};
  ee_number_format format = {.decimal = choice & 1 ? ',' : '.', .money = choice & 2, .percent = choice & 4};
  if (choice & 8) format.symbols = symbols, format.symbol_count = 2;
  check_format(fuzz_utf8(first), format, &arena);
  check_format(fuzz_utf8(second), format, &arena);
  (void)ee_number_symbol(fuzz_utf8(first), &arena);
  if (is_decimal(first)) {
    check_double(ee_decimal_to_double(first));
    fuzz_require(ee_decimal_is_whole(first) || ee_decimal_compare(first, EE_STR("0")) != 0);
    if (is_decimal(second)) check_pair(first, second);
  }
  double bits = 0;
  if (size >= 8) memcpy(&bits, data, 8);
  check_double(bits);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(512)
