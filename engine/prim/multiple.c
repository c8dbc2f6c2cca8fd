/* multiple.c: decimal texts as a row of digits and a power of ten. */
#include "prim/multiple.h"

#include "base/hash.h"

typedef unsigned __int128 u128;

#define EXPONENT_BOUND ((int64_t)100000000000000000)
#define DIVISOR_EXPONENT_BOUND ((int64_t)1000000000000000)

/* DIGITS * 10^exponent. */
typedef struct parts {
  bool negative;
  const char *digits,
      *end;         /* from the first digit that is not 0 to behind the last one; may hold the point; empty: zero */
  int64_t exponent; /* of the last digit */
} parts;

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

static int64_t read_exponent(const char *at, const char *end) {
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  int64_t exponent = 0;
  for (; at < end && exponent < EXPONENT_BOUND; at++) exponent = exponent * 10 + (*at - '0');
  if (exponent > EXPONENT_BOUND) exponent = EXPONENT_BOUND;
  return negative ? -exponent : exponent;
}

static parts take_apart(ee_str text) {
  const char *at = text.data, *end = text.data + text.length;
  parts result = {.digits = end, .end = end};
  if (at < end && (*at == '-' || *at == '+')) result.negative = *at++ == '-';
  const char *point = NULL, *last = NULL;
  for (; at < end && (is_digit(*at) || *at == '.'); at++) {
    if (*at == '.') {
      point = at;
    } else if (*at != '0') {
      if (last == NULL) result.digits = at;
      last = at;
    }
  }
  const char *mantissa_end = at;
  if (last == NULL) return (parts){.digits = end, .end = end};
  result.end = last + 1;
  if (point == NULL) point = mantissa_end;
  /* Behind the point stand -1, -2, ...; before it 0, 1, ... */
  result.exponent = last > point ? -(last - point) : point - last - 1;
  if (at < end) result.exponent += read_exponent(at + 1, end);
  return result;
}

bool ee_decimal_is_whole(ee_str text) {
  parts number = take_apart(text);
  return number.digits == number.end || number.exponent >= 0;
}

uint64_t ee_decimal_hash(ee_str text) {
  parts number = take_apart(text);
  if (number.digits == number.end) return ee_hash_mix(1);
  uint64_t hash = ee_hash_mix((uint64_t)number.exponent * 2 + number.negative);
  for (const char *at = number.digits; at < number.end; at++) {
    if (*at != '.') hash = (hash ^ (uint64_t)(unsigned char)*at) * UINT64_C(0x100000001b3);
  }
  return ee_hash_mix(hash);
}

bool ee_divisor_read(ee_str text, ee_divisor *divisor) {
  parts number = take_apart(text);
  *divisor = (ee_divisor){.exponent = number.exponent};
  int count = 0;
  for (const char *at = number.digits; at < number.end; at++) {
    if (*at == '.') continue;
    if (++count > EE_DIVISOR_DIGITS) return false;
    divisor->digits = divisor->digits * 10 + (uint64_t)(*at - '0');
  }
  return count > 0 && !number.negative && number.exponent <= DIVISOR_EXPONENT_BOUND &&
         number.exponent >= -DIVISOR_EXPONENT_BOUND;
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
  parts number = take_apart(text);
  if (number.digits == number.end) return true;
  /* The last digit of the number is not 0, so that it is no multiple of anything with a higher last place. */
  if (number.exponent < divisor->exponent) return false;
  uint64_t rest = 0; /* below 10^18, so that ten times as much and a digit fit */
  for (const char *at = number.digits; at < number.end; at++) {
    if (*at != '.') rest = (rest * 10 + (uint64_t)(*at - '0')) % divisor->digits;
  }
  uint64_t power = (uint64_t)(number.exponent - divisor->exponent);
  return (u128)rest * power_of_ten(power, divisor->digits) % divisor->digits == 0;
}
