/* random_double.h: doubles of all kinds for the tests of this folder. */
#ifndef EE_TESTS_PRIM_RANDOM_DOUBLE_H
#define EE_TESTS_PRIM_RANDOM_DOUBLE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "support/random.h"

/* A finite double: any bits, subnormal, a whole number, a fraction of 2^20, or hundredths as people write them. */
static inline double test_random_double(test_random *random) {
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

#endif
