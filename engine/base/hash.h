/* hash.h: 64-bit hashes that are the same on every machine and in every release.
 *
 * Layer: base (knows libc, and libxxhash behind this header). XXH3 with a seed; little-endian by definition. */
#ifndef EE_BASE_HASH_H
#define EE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH3-64 of `length` bytes under `seed`. */
uint64_t ee_hash_bytes(const void *data, size_t length, uint64_t seed);

/* Spreads all bits of `value` over the result (a bijection). */
static inline uint64_t ee_hash_mix(uint64_t value) {
  value ^= value >> 32;
  value *= UINT64_C(0xd6e8feb86659fd93);
  value ^= value >> 32;
  value *= UINT64_C(0xd6e8feb86659fd93);
  value ^= value >> 32;
  return value;
}

#endif
