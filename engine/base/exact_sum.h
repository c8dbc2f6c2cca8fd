/* exact_sum.h: sums of any doubles that do not depend on the order of their terms.
 *
 * The sum is kept as a whole number of units of 2^-1074, the smallest double, in limbs of 32 bits: nothing is rounded
 * before ee_exact_sum_value(). For scores, which are small, fixed.h is smaller and faster. Zero is empty. */
#ifndef EE_BASE_EXACT_SUM_H
#define EE_BASE_EXACT_SUM_H

#include <stddef.h>
#include <stdint.h>

/* Room for 2^64 terms of the largest double. */
enum { EE_EXACT_SUM_LIMBS = 68 };

typedef struct ee_exact_sum {
  int64_t limbs[EE_EXACT_SUM_LIMBS]; /* limb i counts units of 2^(32 i - 1074); any sign, carries come later */
  uint32_t uncarried;                /* additions since the last carry */
} ee_exact_sum;

/* Adds `value`, which is finite, `times` times. */
void ee_exact_sum_add(ee_exact_sum *sum, double value, uint64_t times);
void ee_exact_sum_merge(ee_exact_sum *sum, const ee_exact_sum *other);
/* The double nearest to the sum, ties to even, as Python's math.fsum() gives; infinite beyond the range of doubles. */
double ee_exact_sum_value(const ee_exact_sum *sum);
/* Propagates carries, so that equal sums have equal limbs: each 0..2^32-1 but the last, whose sign is the sum's. */
void ee_exact_sum_carry(ee_exact_sum *sum);

#endif
