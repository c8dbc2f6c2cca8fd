/* wide_hash.c: xxHash once more, compiled for AVX2: all functions of this file are. */
#include "base/wide_hash.h"

#ifdef EE_WIDE_HASH
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define XXH_INLINE_ALL
#define XXH_VECTOR 2 /* XXH_AVX2 */
#include <xxhash.h>

uint64_t ee_wide_hash(const void *data, size_t length, uint64_t seed) {
  const uint64_t hash = XXH3_64bits_withSeed(data, length, seed);
  _mm256_zeroupper(); /* gcc forgets it here, and what follows would be slower */
  return hash;
}

void ee_wide_hash_update(void *state, const void *data, size_t length) {
  XXH3_64bits_update(state, data, length);
  _mm256_zeroupper();
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
