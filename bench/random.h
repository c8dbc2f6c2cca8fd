/* random.h: the random numbers of the benchmarks' data, the same on every machine. */
#ifndef EE_BENCH_RANDOM_H
#define EE_BENCH_RANDOM_H

#include <stdint.h>

#include "base/hash_index.h"

static uint64_t state = 20240607;

static inline uint64_t bits(void) { return ee_hash_mix(state += UINT64_C(0x9e3779b97f4a7c15)); }
/* 0 to `limit` - 1. */
static inline unsigned below(unsigned limit) { return (unsigned)(bits() % limit); }
static inline int chance(unsigned percent) { return below(100) < percent; }
/* 0 to 1, 1 excluded. */
static inline double unit(void) { return (double)(bits() >> 11) * 0x1p-53; }

#endif
