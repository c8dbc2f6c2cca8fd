/* random.h: reproducible random numbers for tests.
 *
 * The seed is printed, and EE_TEST_SEED=N repeats a run. */
#ifndef EE_TESTS_RANDOM_H
#define EE_TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct test_random {
  uint64_t state;
} test_random;

/* Starts from EE_TEST_SEED when it is set, else from `default_seed`, and prints the seed with `name`. */
test_random test_random_start(const char *name, uint64_t default_seed);

/* 64 random bits. */
uint64_t test_random_bits(test_random *random);
/* A whole number in 0..limit-1; limit > 0. */
size_t test_random_below(test_random *random, size_t limit);
/* A double in 0..1 (1 excluded). */
double test_random_unit(test_random *random);

#endif
