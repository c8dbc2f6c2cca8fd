/* test_wide_hash.c: the hashes of AVX2 are those of xxHash as any processor computes it. */
#include "base/hash_index.h"
#include "base/running_hash.h"
#include "base/wide_hash.h"
#include "support/random.h"

/* After the headers of ours: they are tested as they are. */
#define XXH_INLINE_ALL
#define XXH_VECTOR 0 /* XXH_SCALAR */
#include <xxhash.h>

static void test_same_as_scalar(void **state) {
  (void)state;
  static unsigned char bytes[70000];
  test_random random = test_random_start("wide_hash", 1);
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)test_random_below(&random, 256);
  for (size_t length = 0; length <= sizeof bytes; length += length < 2500 ? 1 : 1 + test_random_below(&random, 4000)) {
    size_t from = test_random_below(&random, 64); /* aligned or not */
    if (from + length > sizeof bytes) from = 0;
    uint64_t seed = length % 3 == 0 ? 0 : length % 3 == 1 ? 2 : UINT64_MAX - length;
    uint64_t expected = XXH3_64bits_withSeed(bytes + from, length, seed);
    assert_true(ee_hash_bytes(bytes + from, length, seed) == expected);
#ifdef EE_WIDE_HASH
    if (ee_has_wide_hash()) assert_true(ee_wide_hash(bytes + from, length, seed) == expected);
#endif
    ee_running_hash *hash = ee_running_hash_new();
    size_t first = test_random_below(&random, length + 1);
    ee_running_hash_add(hash, bytes + from, first);
    ee_running_hash_add(hash, bytes + from + first, length - first);
    assert_true(ee_running_hash_value(hash) == XXH3_64bits(bytes + from, length));
    ee_running_hash_free(hash);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_same_as_scalar));
