/* exact_sum.c: a sum in limbs. */
#include "base/exact_sum.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { LIMBS = EE_EXACT_SUM_LIMBS, LIMB_BITS = 32, FRACTION_BITS = 52, LOWEST_EXPONENT = -1074 };
#define LIMB_MASK ((UINT64_C(1) << LIMB_BITS) - 1)
/* An addition changes a limb by less than 2^34, so that two sums of this many additions fit into 63 bits. */
#define MAX_UNCARRIED ((uint32_t)1 << 27)

typedef unsigned __int128 wide;

void ee_exact_sum_carry(ee_exact_sum *sum) {
  int64_t carry = 0;
  for (size_t i = 0; i + 1 < LIMBS; i++) {
    int64_t limb = sum->limbs[i] + carry, low = limb & (int64_t)LIMB_MASK;
    carry = (limb - low) / ((int64_t)1 << LIMB_BITS);
    sum->limbs[i] = low;
  }
  sum->limbs[LIMBS - 1] += carry;
  sum->uncarried = 0;
}

void ee_exact_sum_add(ee_exact_sum *sum, double value, uint64_t times) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint64_t units = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
  unsigned place = (unsigned)(bits >> FRACTION_BITS) & 0x7ff; /* of the lowest bit, from 2^-1074 on */
  if (place > 0) units |= UINT64_C(1) << FRACTION_BITS, place--;
  int64_t sign = bits >> 63 != 0 ? -1 : 1;
  for (unsigned half = 0; half < 2; half++) {
    wide term = (wide)units * (times >> (half * LIMB_BITS) & LIMB_MASK) << (place % LIMB_BITS);
    for (size_t at = place / LIMB_BITS + half; term != 0; at++, term >>= LIMB_BITS)
      sum->limbs[at] += sign * (int64_t)(term & LIMB_MASK);
  }
  if (++sum->uncarried >= MAX_UNCARRIED) ee_exact_sum_carry(sum);
}

void ee_exact_sum_merge(ee_exact_sum *sum, const ee_exact_sum *other) {
  for (size_t i = 0; i < LIMBS; i++) sum->limbs[i] += other->limbs[i];
  sum->uncarried += other->uncarried + 1;
  if (sum->uncarried >= MAX_UNCARRIED) ee_exact_sum_carry(sum);
}

double ee_exact_sum_value(const ee_exact_sum *sum) {
  ee_exact_sum left = *sum;
  ee_exact_sum_carry(&left);
  bool negative = left.limbs[LIMBS - 1] < 0;
  if (negative) {
    for (size_t i = 0; i < LIMBS; i++) left.limbs[i] = -left.limbs[i];
    ee_exact_sum_carry(&left);
  }
  size_t top = LIMBS;
  while (top > 0 && left.limbs[top - 1] == 0) top--;
  if (top == 0) return 0;
  /* The three highest limbs, 65 bits at least, cut to 64; the lowest of these says whether anything is below. */
  wide window = 0;
  for (size_t i = 0; i < 3; i++) window = window << LIMB_BITS | (wide)(top > i ? (uint64_t)left.limbs[top - 1 - i] : 0);
  bool rest = false;
  for (size_t i = 0; i + 3 < top; i++) rest = rest || left.limbs[i] != 0;
  int shift = 0;
  for (; window >> 64 != 0; window >>= 1, shift++) rest = rest || (window & 1) != 0;
  double rounded = (double)((uint64_t)window | rest);
  double value = ldexp(rounded, LOWEST_EXPONENT + ((int)top - 3) * LIMB_BITS + shift);
  return negative ? -value : value;
}
