/* hash.c: XXH3 from libxxhash's header, inlined so that the compiler sees the short lengths. */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t ee_hash_bytes(const void *data, size_t length, uint64_t seed) {
  return XXH3_64bits_withSeed(data, length, seed);
}
