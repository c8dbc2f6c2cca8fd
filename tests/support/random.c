#include "support/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

test_random test_random_start(const char *name, uint64_t default_seed) {
  const char *text = getenv("EE_TEST_SEED");
  uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : default_seed;
  printf("%s: seed %" PRIu64 " (EE_TEST_SEED=%" PRIu64 " repeats it)\n", name, seed, seed);
  return (test_random){seed};
}

/* The output function of a 64-bit counter generator: a Weyl sequence, mixed by xor-shifts and odd multipliers. */
uint64_t test_random_bits(test_random *random) {
  random->state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = random->state;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

size_t test_random_below(test_random *random, size_t limit) {
  return (size_t)(((__uint128_t)test_random_bits(random) * limit) >> 64);
}

double test_random_unit(test_random *random) { return (double)(test_random_bits(random) >> 11) * 0x1p-53; }
