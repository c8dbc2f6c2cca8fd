/* number.c: decimal texts to doubles and back, their exact order; numeric tolerance.
 *
 * Reading and writing doubles is exact in whole-number arithmetic wherever 128 bits suffice, which covers nearly all
 * real data; the rest goes through strtod and printf, in texts without a decimal point, so that the locale cannot
 * matter. */
#include "prim/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/work.h"

typedef unsigned __int128 u128;

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* The powers of ten that are whole 64-bit numbers, and those that are exact doubles. */
static const uint64_t whole_power[20] = {1u,
                                         10u,
                                         100u,
                                         1000u,
                                         10000u,
                                         100000u,
                                         1000000u,
                                         10000000u,
                                         100000000u,
                                         1000000000u,
                                         10000000000u,
                                         100000000000u,
                                         1000000000000u,
                                         10000000000000u,
                                         100000000000000u,
                                         1000000000000000u,
                                         10000000000000000u,
                                         100000000000000000u,
                                         1000000000000000000u,
                                         10000000000000000000u};
static const double exact_power[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Exponents are cut off here: far past every double, far from an overflow. */
#define EXPONENT_BOUND ((int64_t)100000000000000000)

/* Decimal texts --------------------------------------------------------------------------------- */

/* A number is 0.DIGITS * 10^(point + exponent). */
typedef struct decimal {
  bool negative;
  const char *digits,
      *digits_end; /* from the first to the last digit that is not 0; may hold the decimal point; empty for zero */
  int64_t point;   /* digits before the decimal point, or minus the zeros after it */
  bool exponent_negative;
  const char *exponent, *exponent_end; /* digits without leading zeros */
} decimal;

static bool is_zero(const decimal *number) { return number->digits == number->digits_end; }

static decimal take_apart(ee_str text) {
  const char *at = text.data, *end = text.data + text.length;
  decimal result = {0};
  if (at < end && *at == '-') {
    result.negative = true;
    at++;
  }
  const char *point = NULL, *first = NULL, *last = at;
  for (; at < end && (is_digit(*at) || *at == '.'); at++) {
    if (*at == '.') {
      point = at;
      continue;
    }
    if (*at == '0') continue;
    if (first == NULL) first = at;
    last = at + 1;
  }
  if (point == NULL) point = at;
  if (first == NULL) first = last;
  result.digits = first;
  result.digits_end = last; /* without zeros at the end */
  result.point = first < point ? point - first : -(first - point - 1);
  if (at < end) at++; /* the e */
  if (at < end && (*at == '-' || *at == '+')) result.exponent_negative = *at++ == '-';
  while (at < end && *at == '0') at++;
  result.exponent = at;
  result.exponent_end = end;
  return result;
}

/* The written exponent, cut off past EXPONENT_BOUND. */
static int64_t read_exponent(const decimal *number) {
  int64_t exponent = 0;
  for (const char *at = number->exponent; at < number->exponent_end && exponent < EXPONENT_BOUND; at++) {
    exponent = exponent * 10 + (*at - '0');
  }
  return number->exponent_negative ? -exponent : exponent;
}

/* `point` + exponent. The length of the text bounds `point` far below an overflow of the sum. */
static int64_t exponent_of(const decimal *number) { return number->point + read_exponent(number); }

/* The difference of two exponents of any length, cut off at a magnitude that no length of a text can compensate. Digit
 * by digit from the top: once the running difference has left -1..1 it cannot change its sign any more. */
static __int128 exponent_difference(const decimal *a, const decimal *b) {
  const __int128 bound = (__int128)1 << 100;
  size_t a_length = (size_t)(a->exponent_end - a->exponent), b_length = (size_t)(b->exponent_end - b->exponent);
  size_t length = a_length > b_length ? a_length : b_length;
  __int128 difference = 0;
  for (size_t left = length; left > 0; left--) {
    int a_digit = left <= a_length ? a->exponent_end[-(ptrdiff_t)left] - '0' : 0;
    int b_digit = left <= b_length ? b->exponent_end[-(ptrdiff_t)left] - '0' : 0;
    difference =
        difference * 10 + (a->exponent_negative ? -a_digit : a_digit) - (b->exponent_negative ? -b_digit : b_digit);
    if (difference > bound) difference = bound;
    if (difference < -bound) difference = -bound;
  }
  return difference;
}

static int compare_digits(const decimal *a, const decimal *b) {
  const char *x = a->digits, *y = b->digits;
  while (true) {
    if (x < a->digits_end && *x == '.') x++;
    if (y < b->digits_end && *y == '.') y++;
    if (x == a->digits_end || y == b->digits_end) break;
    if (*x != *y) return *x < *y ? -1 : 1;
    x++;
    y++;
  }
  /* The last digit of either is not 0, so the longer one is the larger. */
  return (x < a->digits_end) - (y < b->digits_end);
}

int ee_decimal_compare(ee_str a, ee_str b) {
  if (ee_str_equal(a, b)) return 0;
  decimal x = take_apart(a), y = take_apart(b);
  bool x_is_zero = is_zero(&x), y_is_zero = is_zero(&y);
  if (x_is_zero && y_is_zero) return 0;
  if (x_is_zero) return y.negative ? 1 : -1;
  if (y_is_zero) return x.negative ? -1 : 1;
  if (x.negative != y.negative) return x.negative ? -1 : 1;
  __int128 difference = exponent_difference(&x, &y) + x.point - y.point;
  int order = difference < 0 ? -1 : difference > 0 ? 1 : compare_digits(&x, &y);
  return x.negative ? -order : order;
}

/* Whole numbers and multiples ------------------------------------------------------------------- */

/* A divisor's exponent is at most this. */
#define DIVISOR_EXPONENT_BOUND ((int64_t)1000000000000000)

/* The power of ten of the last digit; exponents past EXPONENT_BOUND count as that. */
static int64_t last_exponent(const decimal *number) {
  int64_t exponent = read_exponent(number), length = number->digits_end - number->digits;
  if (exponent > EXPONENT_BOUND) exponent = EXPONENT_BOUND;
  if (exponent < -EXPONENT_BOUND) exponent = -EXPONENT_BOUND;
  bool holds_point = number->point > 0 && length > number->point;
  return number->point + exponent - (length - holds_point);
}

bool ee_decimal_is_whole(ee_str text) {
  decimal number = take_apart(text);
  return is_zero(&number) || last_exponent(&number) >= 0;
}

uint64_t ee_decimal_hash(ee_str text) {
  decimal number = take_apart(text);
  if (is_zero(&number)) return ee_hash_mix(1);
  uint64_t hash = ee_hash_mix((uint64_t)last_exponent(&number) * 2 + number.negative);
  for (const char *at = number.digits; at < number.digits_end; at++) {
    if (*at != '.') hash = (hash ^ (uint64_t)(unsigned char)*at) * UINT64_C(0x100000001b3);
  }
  return ee_hash_mix(hash);
}

/* Digits of a divisor with which a remainder, times ten, fits 64 bits. */
#define SHORT_DIVISOR 18

bool ee_divisor_read(ee_str text, ee_divisor *divisor) {
  decimal number = take_apart(text);
  *divisor = (ee_divisor){.exponent = last_exponent(&number)};
  int count = 0;
  for (const char *at = number.digits; at < number.digits_end; at++) {
    if (*at == '.') continue;
    if (++count > EE_DIVISOR_DIGITS) return false;
    if (count <= SHORT_DIVISOR) divisor->digits = divisor->digits * 10 + (uint64_t)(*at - '0');
  }
  if (count > SHORT_DIVISOR) {
    divisor->digits = 0;
    divisor->text = (ee_str){number.digits, (size_t)(number.digits_end - number.digits)};
  }
  return count > 0 && !number.negative && last_exponent(&number) <= DIVISOR_EXPONENT_BOUND &&
         last_exponent(&number) >= -DIVISOR_EXPONENT_BOUND;
}

/* A whole number, nine digits a limb, the lowest first. */
typedef struct long_number {
  uint32_t limbs[EE_DIVISOR_DIGITS / 9 + 2];
  size_t count;
} long_number;

static void add_digit(long_number *number, unsigned digit) {
  uint64_t carry = digit;
  for (size_t i = 0; i < number->count; i++) {
    carry += (uint64_t)number->limbs[i] * 10;
    number->limbs[i] = (uint32_t)(carry % 1000000000u);
    carry /= 1000000000u;
  }
}

/* number - other if that is not negative; else false, and `number` is as it was. Both have as many limbs. */
static bool take_off(long_number *number, const long_number *other) {
  size_t i = number->count;
  while (i > 0 && number->limbs[i - 1] == other->limbs[i - 1]) i--;
  if (i > 0 && number->limbs[i - 1] < other->limbs[i - 1]) return false;
  uint32_t borrow = 0;
  for (i = 0; i < number->count; i++) {
    uint32_t less = other->limbs[i] + borrow;
    borrow = number->limbs[i] < less;
    number->limbs[i] += (borrow ? 1000000000u : 0) - less;
  }
  return true;
}

/* The same for a divisor of more digits: the remainder, digit by digit. */
static bool divides_long(const ee_divisor *divisor, const decimal *number, uint64_t power) {
  long_number whole = {.count = divisor->text.length / 9 + 2}, rest = whole;
  for (size_t i = 0; i < divisor->text.length; i++)
    if (divisor->text.data[i] != '.') add_digit(&whole, (unsigned)(divisor->text.data[i] - '0'));
  /* Each further zero of the number adds a 2 and a 5 to its factors; the divisor has no more of them than bits. */
  uint64_t zeros = power < 4 * EE_DIVISOR_DIGITS ? power : 4 * EE_DIVISOR_DIGITS;
  ee_work(ee_work_product((uint64_t)(number->digits_end - number->digits) + zeros, 16 * whole.count));
  for (const char *at = number->digits; at < number->digits_end; at++) {
    if (*at == '.') continue;
    add_digit(&rest, (unsigned)(*at - '0'));
    while (take_off(&rest, &whole)) continue;
  }
  for (; zeros > 0; zeros--) {
    add_digit(&rest, 0);
    while (take_off(&rest, &whole)) continue;
  }
  for (size_t i = 0; i < rest.count; i++)
    if (rest.limbs[i] != 0) return false;
  return true;
}

/* 10^power modulo `modulus`. */
static uint64_t power_of_ten(uint64_t power, uint64_t modulus) {
  u128 result = 1 % modulus, square = 10 % modulus;
  for (; power > 0; power /= 2) {
    if (power % 2 == 1) result = result * square % modulus;
    square = square * square % modulus;
  }
  return (uint64_t)result;
}

bool ee_divisor_divides(const ee_divisor *divisor, ee_str text) {
  decimal number = take_apart(text);
  if (is_zero(&number)) return true;
  /* The last digit of the number is not 0, so the number is not a multiple of anything with a higher last digit. */
  if (last_exponent(&number) < divisor->exponent) return false;
  uint64_t power = (uint64_t)(last_exponent(&number) - divisor->exponent);
  if (divisor->digits == 0) return divides_long(divisor, &number, power);
  uint64_t rest = 0; /* below 10^18, so that ten times as much plus a digit fits */
  for (const char *at = number.digits; at < number.digits_end; at++) {
    if (*at != '.') rest = (rest * 10 + (uint64_t)(*at - '0')) % divisor->digits;
  }
  return (u128)rest * power_of_ten(power, divisor->digits) % divisor->digits == 0;
}

/* Decimal texts to doubles ---------------------------------------------------------------------- */

/* mantissa / 10^power (0..19), correctly rounded: the 64-bit quotient, whose last bit is also set for a remainder, has
 * more bits than a double, so its conversion rounds correctly. */
static double quotient(uint64_t mantissa, int power) {
  int shift = __builtin_clzll(mantissa), divisor_shift = __builtin_clzll(whole_power[power]);
  uint64_t divisor = whole_power[power] << divisor_shift;
  u128 dividend = (u128)(mantissa << shift) << 63;
  uint64_t bits = (uint64_t)(dividend / divisor);
  if ((u128)bits * divisor != dividend) bits |= 1;
  return ldexp((double)bits, divisor_shift - shift - 63);
}

/* mantissa * 10^power, correctly rounded. */
static double scaled(uint64_t mantissa, int64_t power) {
  if (mantissa == 0) return 0;
  if (mantissa <= UINT64_C(1) << 53) {
    if (power >= 0 && power <= 22) return (double)mantissa * exact_power[power];
    if (power < 0 && power >= -22) return (double)mantissa / exact_power[-power];
  }
  if (power >= 0 && power <= 19) return (double)((u128)mantissa * whole_power[power]);
  if (power < 0 && power >= -19) return quotient(mantissa, (int)-power);
  if (power > 400) return HUGE_VAL;
  if (power < -400) return 0;
  char text[40];
  snprintf(text, sizeof text, "%llue%d", (unsigned long long)mantissa, (int)power);
  return strtod(text, NULL);
}

/* A number with more digits than 64 bits hold. At most 767 digits, and whether more digits follow (represented by one
 * more digit), decide whether it is above or below the middle of two doubles. */
static double read_long(const decimal *number, int64_t exponent) {
  enum { DIGITS = 780 };
  char text[DIGITS + 32];
  size_t length = 0;
  for (const char *at = number->digits; at < number->digits_end && length <= DIGITS; at++) {
    if (*at != '.') text[length++] = *at;
  }
  if (length > DIGITS) text[DIGITS] = '1';
  if (exponent > 400) return HUGE_VAL;
  if (exponent < -400) return 0;
  snprintf(text + length, sizeof text - length, "e%d", (int)exponent - (int)length);
  return strtod(text, NULL);
}

static double read_apart(ee_str text) {
  decimal number = take_apart(text);
  int64_t exponent = exponent_of(&number);
  uint64_t mantissa = 0;
  int count = 0;
  const char *at = number.digits;
  for (; at < number.digits_end && count < 19; at++) {
    if (*at == '.') continue;
    mantissa = mantissa * 10 + (uint64_t)(*at - '0');
    count++;
  }
  double value = at < number.digits_end ? read_long(&number, exponent) : scaled(mantissa, exponent - count);
  return number.negative ? -value : value;
}

double ee_decimal_to_double(ee_str text) {
  /* The fast path: few digits and a short exponent. */
  const char *at = text.data, *end = text.data + text.length;
  bool negative = at < end && *at == '-';
  if (negative) at++;
  if (end - at > 24) return read_apart(text);
  uint64_t mantissa = 0;
  int64_t power = 0;
  const char *start = at;
  while (at < end && is_digit(*at)) mantissa = mantissa * 10 + (uint64_t)(*at++ - '0');
  ptrdiff_t count = at - start;
  if (at < end && *at == '.') {
    const char *fraction = ++at;
    while (at < end && is_digit(*at)) mantissa = mantissa * 10 + (uint64_t)(*at++ - '0');
    power = fraction - at;
    count += at - fraction;
  }
  if (count > 19) return read_apart(text);
  if (at < end) {
    at++;
    bool exponent_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (end - at > 4) return read_apart(text);
    int64_t exponent = 0;
    while (at < end) exponent = exponent * 10 + (*at++ - '0');
    power += exponent_negative ? -exponent : exponent;
  }
  double value = scaled(mantissa, power);
  return negative ? -value : value;
}

/* Difference ------------------------------------------------------------------------------------ */

/* Returns the signed digit of `number` at `*digit` and moves on; 0 after the last one. */
static int take_digit(const decimal *number, const char **digit) {
  if (*digit < number->digits_end && **digit == '.') ++*digit;
  if (*digit == number->digits_end) return 0;
  int value = *(*digit)++ - '0';
  return number->negative ? -value : value;
}

double ee_decimal_difference(ee_str a, ee_str b) {
  const int64_t enough = 100000000000000000; /* 18 digits: the rest is less than one unit of the last */
  decimal x = take_apart(a), y = take_apart(b);
  const char *x_digit = x.digits, *y_digit = y.digits;
  bool x_is_zero = is_zero(&x), y_is_zero = is_zero(&y);
  if (x_is_zero && y_is_zero) return 0;
  int64_t x_place = exponent_of(&x), y_place = exponent_of(&y);
  int64_t place = y_is_zero || (!x_is_zero && x_place > y_place) ? x_place : y_place;
  /* Digit by digit from the top. A large gap between the two numbers does not make the loop long: the difference is
   * then not 0 and grows tenfold at each digit. */
  int64_t difference = 0;
  while (difference < enough && difference > -enough && (x_digit < x.digits_end || y_digit < y.digits_end)) {
    difference *= 10;
    if (place <= x_place) difference += take_digit(&x, &x_digit);
    if (place <= y_place) difference -= take_digit(&y, &y_digit);
    place--;
  }
  return scaled((uint64_t)(difference < 0 ? -difference : difference), place);
}

/* Doubles to decimal texts ---------------------------------------------------------------------- */

/* The digits of a positive number: value = number * 10^power, `number` below 10^17. */
typedef struct shortest {
  uint64_t number;
  int power;
} shortest;

static shortest without_zeros(uint64_t number, int power) {
  while (number % 10 == 0) {
    number /= 10;
    power++;
  }
  return (shortest){number, power};
}

/* Writes two digits at a time. */
static size_t put_digits(uint64_t number, char out[20]) {
  static const char pairs[] =
      "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445"
      "46474849505152535455565758596061626364656667686970717273747576777879808182838485868788899091"
      "9293949596979899";
  char digits[20], *at = digits + sizeof digits;
  for (; number >= 100; number /= 100) memcpy(at -= 2, pairs + 2 * (number % 100), 2);
  memcpy(at -= 2, pairs + 2 * number, 2);
  at += number < 10;
  size_t length = (size_t)(digits + sizeof digits - at);
  memcpy(out, at, length);
  return length;
}

/* The decimal of `digits` significant digits that is nearest to `value` (positive). */
static shortest nearest(double value, int digits) {
  char text[40];
  snprintf(text, sizeof text, "%.*e", digits - 1, value);
  uint64_t number = 0;
  const char *at = text;
  for (; *at != 'e'; at++) {
    if (is_digit(*at)) number = number * 10 + (uint64_t)(*at - '0'); /* skips any decimal point */
  }
  return (shortest){number, atoi(at + 1) - digits + 1};
}

/* The mantissa of a value in 1e-4..1e14, which is mantissa * 2^-shift, `shift` being 6..66; times 10^power the value
 * has as many digits as asked for before the point, or one more. */
static uint64_t take_mantissa(double value, int digits, int *shift, int *power) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  int exponent = (int)(bits >> 52) - 1022;
  *shift = 53 - exponent;
  /* log10(2) is a little more than 1233/4096: the logarithm rounded down, or one less. */
  *power = digits - 1 - ((exponent - 1) * 1233 >> 12);
  return (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
}

/* 10^power, for up to 21: times a mantissa it has at most 53 + 71 bits. */
static u128 power_of(int power) {
  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): power is at most 21
  return power > 19 ? (u128)whole_power[19] * whole_power[power - 19] : whole_power[power];
}

/* The same in whole numbers, for a value in 1e-4..1e14 and as many digits as it has before the point, or more, up to
 * 17. */
static shortest nearest_whole(double value, int digits) {
  int shift, power;
  uint64_t mantissa = take_mantissa(value, digits, &shift, &power);
  while (true) {
    u128 product = (u128)mantissa * power_of(power);
    u128 half = (u128)1 << (shift - 1), rest = product & ((half << 1) - 1);
    uint64_t number = (uint64_t)(product >> shift);
    if (rest > half || (rest == half && (number & 1) != 0)) number++;
    if (number < whole_power[digits]) return (shortest){number, -power};
    power--;
  }
}

/* Writes an amount of money: a number of at most 15 digits, one to four of them decimals, which is always the shortest
 * text. `value` is positive and not whole. Returns the length, or 0 for other numbers. */
static size_t put_amount(double value, char *out) {
  for (unsigned decimals = 2; decimals <= 4; decimals += 2) {
    double product = value * exact_power[decimals];
    if (product >= 1e15) break;
    uint64_t number = (uint64_t)(product + 0.5);
    if ((double)number / exact_power[decimals] != value) continue;
    unsigned shown = decimals - (number % 10 == 0); /* with two zeros it would have been the try before */
    size_t length = put_digits(number / whole_power[decimals], out);
    uint64_t rest = number % whole_power[decimals];
    out[length++] = '.';
    for (unsigned i = decimals; i-- > 0; rest /= 10) out[length + i] = (char)('0' + rest % 10);
    return length + shown;
  }
  return 0;
}

/* find_shortest() in whole numbers, for a value in 1e-4..1e14: what reads back as `value` is between the middles of it
 * and of its neighbours, which have more digits themselves. Seventeen digits are enough, so some number of 17 or 18
 * digits is there; digits are dropped as long as one with fewer is. */
static shortest find_shortest_whole(double value) {
  int shift, power;
  uint64_t mantissa = take_mantissa(value, 17, &shift, &power);
  u128 unit = power_of(power), exact = mantissa * unit, rest = ((u128)1 << shift) - 1;
  /* Below a power of two doubles are twice as close as above. */
  u128 low = exact - (mantissa == UINT64_C(1) << 52 ? unit / 4 : unit / 2), high = exact + unit / 2;
  uint64_t first = (uint64_t)(low >> shift) + 1, last = (uint64_t)(high >> shift);
  uint64_t number = (uint64_t)(exact >> shift), dropped = 1;
  while ((first + 9) / 10 <= last / 10) {
    first = (first + 9) / 10;
    last /= 10;
    dropped *= 10;
    power--;
  }
  /* The nearest, of two the even one. */
  uint64_t more = number % dropped, half = dropped / 2;
  bool is_more = (exact & rest) != 0;
  number /= dropped;
  if (dropped == 1) {
    u128 middle = (u128)1 << (shift - 1);
    number += (exact & rest) > middle || ((exact & rest) == middle && number % 2 != 0);
  } else {
    number += more > half || (more == half && (is_more || number % 2 != 0));
  }
  return (shortest){number, -power};
}

/* The shortest decimal that reads back as `value` (positive, finite), and of those the nearest. */
static shortest find_shortest(double value) {
  if (value >= 1e-4 && value < 1e14) return find_shortest_whole(value);
  /* For denormals the shortest text may have fewer than 15 digits that are not the first digits of the 15-digit text.
   */
  bool denormal = value < 0x1p-1022;
  int exponent;
  bool power_of_two = frexp(value, &exponent) == 0.5;
  for (int digits = denormal ? 1 : 15; digits < 17; digits++) {
    shortest found = nearest(value, digits);
    if (scaled(found.number, found.power) == value) return without_zeros(found.number, found.power);
    /* Above a power of two doubles are twice as far apart as below. So the next decimal up may read back as `value`
     * though the nearest one, slightly below, does not. */
    if (power_of_two && scaled(found.number + 1, found.power) == value) {
      return without_zeros(found.number + 1, found.power);
    }
  }
  shortest found = nearest(value, 17);
  return without_zeros(found.number, found.power);
}

static size_t put_exponent(int exponent, char *out) {
  size_t length = 0;
  out[length++] = 'e';
  if (exponent < 0) out[length++] = '-';
  return length + put_digits((uint64_t)(exponent < 0 ? -exponent : exponent), out + length);
}

/* Writes `count` digits, `point` of them before the decimal point, with zeros between them and it. */
static size_t put_plain(const char *digits, int count, int point, char *out) {
  size_t length = 0;
  if (point <= 0) {
    out[length++] = '0';
    out[length++] = '.';
    for (int i = point; i < 0; i++) out[length++] = '0';
    point = 0;
  } else if (point < count) {
    memcpy(out, digits, (size_t)point);
    length = (size_t)point;
    out[length++] = '.';
  } else {
    memcpy(out, digits, (size_t)count);
    memset(out + count, '0', (size_t)(point - count));
    return (size_t)point;
  }
  memcpy(out + length, digits + point, (size_t)(count - point));
  return length + (size_t)(count - point);
}

size_t ee_double_format(double value, char out[32]) {
  size_t length = 0;
  if (value < 0) {
    out[length++] = '-';
    value = -value;
  }
  /* Callers pass finite values; others must at least not cause harm. */
  if (value == 0 || !isfinite(value)) {
    if (value == 0)
      out[length++] = '0';
    else
      length += (size_t)snprintf(out + length, 8, isnan(value) ? "nan" : "inf");
    return length;
  }
  if (value < 0x1p53 && (double)(uint64_t)value == value) return length + put_digits((uint64_t)value, out + length);
  size_t amount = put_amount(value, out + length);
  if (amount > 0) return length + amount;
  shortest found = find_shortest(value);
  char digits[20];
  int count = (int)put_digits(found.number, digits);
  int point = count + found.power; /* digits before the decimal point */
  if (point > 21 || point < -5) {
    out[length++] = digits[0];
    if (count > 1) out[length++] = '.';
    memcpy(out + length, digits + 1, (size_t)count - 1);
    length += (size_t)count - 1;
    return length + put_exponent(point - 1, out + length);
  }
  return length + put_plain(digits, count, point, out + length);
}

size_t ee_double_format_short(double value, int digits, char out[32]) {
  if (digits < 1) digits = 1;
  if (digits > 17) digits = 17;
  size_t length = 0;
  if (value < 0) {
    out[length++] = '-';
    value = -value;
  }
  if (value == 0) {
    memcpy(out, "0", 2);
    return 1;
  }
  if (!isfinite(value)) return length + (size_t)snprintf(out + length, 8, isnan(value) ? "nan" : "inf");
  bool whole = value >= 1e-4 && value < 1e14 && value < (double)whole_power[digits - 1];
  shortest found = whole ? nearest_whole(value, digits) : nearest(value, digits);
  found = without_zeros(found.number, found.power);
  char text[20];
  int count = (int)put_digits(found.number, text);
  int point = count + found.power;
  if (point < -3 || point > digits) {
    /* As printf's %g: a sign and at least two digits. */
    out[length++] = text[0];
    if (count > 1) out[length++] = '.';
    for (int i = 1; i < count; i++) out[length++] = text[i];
    int exponent = point - 1;
    return length + (size_t)snprintf(out + length, 8, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
  }
  length += put_plain(text, count, point, out + length);
  out[length] = '\0';
  return length;
}

/* Tolerance ------------------------------------------------------------------------------------- */

static double bound_of(double y, double tolerance, bool relative) {
  return relative && y != 0 ? tolerance * fabs(y) : tolerance;
}

/* `difference` is not 0, `size` the larger of both magnitudes. */
static bool is_within(double difference, double bound, double size) {
  return difference <= bound + fmin(0x1p-50 * size, 0x1p-20 * bound);
}

/* Sums of a few hundred shares of 1 stay within. */
#define SCORE_ROUNDING 0x1p-40

bool ee_score_round(double *score) {
  if (!(*score >= -SCORE_ROUNDING && *score <= 1 + SCORE_ROUNDING)) return false;
  *score = *score > 1 ? 1 : *score > 0 ? *score : 0;
  return true;
}

bool ee_within_tolerance(double x, double y, double tolerance, bool relative) {
  if (!isfinite(x) || !isfinite(y)) return false;
  if (x == y) return true;
  double bound = bound_of(y, tolerance, relative);
  double difference = fabs(x - y);
  if (!isfinite(difference) || !isfinite(bound)) {
    /* At a quarter of the size the difference is finite, and an infinite bound exceeds it. */
    difference = fabs(x / 4 - y / 4);
    bound = relative && y != 0 ? tolerance * (fabs(y) / 4) : tolerance / 4;
    return difference <= bound;
  }
  return is_within(difference, bound, fmax(fabs(x), fabs(y)));
}

static ee_str digits_of(const ee_number *number, char text[32]) {
  return number->digits.length > 0 ? number->digits : (ee_str){text, ee_double_format(number->value, text)};
}

bool ee_numbers_within_tolerance(const ee_number *x, const ee_number *y, double tolerance, bool relative,
                                 double *difference) {
  *difference = fabs(x->value - y->value);
  char x_text[32], y_text[32];
  if (tolerance == 0) {
    /* Both are plain doubles. */
    if (x->digits.length == 0 && y->digits.length == 0) return x->value == y->value;
    return ee_decimal_compare(digits_of(x, x_text), digits_of(y, y_text)) == 0;
  }
  double bound = bound_of(y->value, tolerance, relative), size = fmax(fabs(x->value), fabs(y->value));
  /* The doubles and their difference are off by less than 2^-51 of the size. The slack covers that, unless the
   * tolerance limits it to less; then differences that close to the tolerance are decided on the decimal texts. */
  bool close = 0x1p-20 * bound < 0x1p-50 * size && fabs(*difference - bound) <= 0x1p-49 * size;
  if (!close) return ee_within_tolerance(x->value, y->value, tolerance, relative);
  *difference = ee_decimal_difference(digits_of(x, x_text), digits_of(y, y_text));
  return *difference == 0 || is_within(*difference, bound, size);
}

double ee_linear_closeness(double x, double y) {
  if (!isfinite(x) || !isfinite(y)) return 0;
  if (x == y) return 1;
  if (y == 0) return 0;
  return fmax(0, 1 - fabs(x - y) / fabs(y));
}

double ee_symmetric_closeness(double x, double y) {
  if (!isfinite(x) || !isfinite(y)) return 0;
  if (x == y) return 1;
  /* Halves, so that nothing overflows; exact for all but the smallest numbers. */
  double size = fmax(fabs(x), fabs(y));
  if (size > 1) return fmax(0, 1 - fabs(x / 2 - y / 2) / (size / 2));
  return fmax(0, 1 - fabs(x - y) / size);
}

double ee_sum_closeness(double x, double y) {
  if (!isfinite(x) || !isfinite(y)) return 0;
  if (x == y) return 1;
  if (fmax(fabs(x), fabs(y)) > 1) {
    x /= 2;
    y /= 2;
  }
  return fmax(0, 1 - fabs(x - y) / (fabs(x) + fabs(y)));
}
