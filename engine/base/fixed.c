/* fixed.c: doubles to multiples of 2^-60 and back, each step rounded once, to nearest with ties to even.
 *
 * Only integers are used, so that neither the rounding mode nor the width of long double matters. */
#include "base/fixed.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { UNIT_BITS = 60, MANTISSA_BITS = 53 };

ee_fixed ee_fixed_from(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  int biased = (int)(bits >> 52 & 0x7ff);
  uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  /* |value| is mantissa * 2^(exponent - 60). Zero and subnormals are read as tiny normal
   * numbers, which round to 0 as well. */
  uint64_t mantissa = fraction | UINT64_C(1) << 52;
  int exponent = biased - 1075 + UNIT_BITS;

  unsigned __int128 units;
  if (biased == 0x7ff && fraction != 0) {
    units = 0; /* NaN, which callers must not pass */
  } else if (exponent + MANTISSA_BITS > 2 * UNIT_BITS) {
    units = (unsigned __int128)1 << (2 * UNIT_BITS); /* 2^60 and above, which callers must not pass, saturate */
  } else if (exponent >= 0) {
    units = (unsigned __int128)mantissa << exponent;
  } else if (exponent < -MANTISSA_BITS) {
    units = 0; /* less than half a unit */
  } else {
    uint64_t whole = mantissa >> -exponent;
    uint64_t rest = mantissa - (whole << -exponent);
    uint64_t half = UINT64_C(1) << (-exponent - 1);
    if (rest > half || (rest == half && (whole & 1) != 0)) whole += 1;
    units = whole;
  }
  return (ee_fixed){bits >> 63 != 0 ? -(__int128)units : (__int128)units};
}

/* Of a value above 0. */
static int bit_length(unsigned __int128 value) {
  uint64_t high = (uint64_t)(value >> 64);
  uint64_t low = (uint64_t)value;
  if (high != 0) return 128 - __builtin_clzll(high);
  return 64 - __builtin_clzll(low);
}

/* The double nearest to (`whole` + f) * 2^`exponent`, where 0 < f < 1 when `more` is set and else f is 0. `whole` has
 * more than 53 bits, and the result is a normal number. */
static double nearest_double(unsigned __int128 whole, bool more, int exponent) {
  int surplus = bit_length(whole) - MANTISSA_BITS;
  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): whole has more than 53 bits
  uint64_t mantissa = (uint64_t)(whole >> surplus);
  unsigned __int128 rest = whole - ((unsigned __int128)mantissa << surplus);
  unsigned __int128 half = (unsigned __int128)1 << (surplus - 1);
  if (rest > half || (rest == half && (more || (mantissa & 1) != 0))) mantissa += 1;
  return ldexp((double)mantissa, exponent + surplus);
}

double ee_fixed_value(ee_fixed sum) { return ee_fixed_mean(sum, 1); }

double ee_fixed_mean(ee_fixed sum, uint64_t count) {
  if (sum.units == 0 || count == 0) return 0.0;
  bool negative = sum.units < 0;
  unsigned __int128 magnitude = negative ? -(unsigned __int128)sum.units : (unsigned __int128)sum.units;
  /* With the top bit at 2^127 the quotient has at least 63 bits, enough to round it correctly. */
  int shift = 128 - bit_length(magnitude);
  // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): magnitude is not 0
  magnitude <<= shift;
  unsigned __int128 quotient = magnitude / count;
  double value = nearest_double(quotient, quotient * count != magnitude, -UNIT_BITS - shift);
  return negative ? -value : value;
}
