/* wide_hash.h: XXH3 of long data by AVX2, on processors that have it: the same hashes in half the time. */
#ifndef EE_BASE_WIDE_HASH_H
#define EE_BASE_WIDE_HASH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define EE_WIDE_HASH 1

/* Up to so many bytes XXH3 uses no vectors. */
#define EE_SHORT_HASH 240

/* Whether the processor has AVX2: without it the others must not be called. A look at a word that the C library has
 * filled. */
static inline int ee_has_wide_hash(void) { return __builtin_cpu_supports("avx2"); }

/* XXH3_64bits_withSeed(), and XXH3_64bits_update() of a `state` of xxHash. */
uint64_t ee_wide_hash(const void *data, size_t length, uint64_t seed);
void ee_wide_hash_update(void *state, const void *data, size_t length);
#endif

#endif
