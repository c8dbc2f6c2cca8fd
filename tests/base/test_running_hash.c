/* test_running_hash.c: pieces of any size have the hash of the whole. */
#include "base/hash_index.h"
#include "base/running_hash.h"
#include "support/random.h"

static void test_pieces(void **state) {
  (void)state;
  static unsigned char bytes[5000];
  test_random random = test_random_start("running_hash", 1);
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)test_random_below(&random, 256);
  for (size_t length = 0; length <= sizeof bytes; length += 1 + length / 7) {
    ee_running_hash *hash = ee_running_hash_new();
    for (size_t at = 0, piece; at < length; at += piece) {
      piece = test_random_below(&random, 600);
      if (piece > length - at) piece = length - at;
      ee_running_hash_add(hash, piece > 0 ? bytes + at : NULL, piece);
      assert_true(ee_running_hash_value(hash) == ee_hash_bytes(bytes, at + piece, 0));
    }
    assert_true(ee_running_hash_value(hash) == ee_hash_bytes(bytes, length, 0));
    ee_running_hash_free(hash);
  }
  ee_running_hash_free(NULL);
}

static uint64_t hash_of(const char *first, const char *second) {
  ee_running_hash *hash = ee_running_hash_new();
  ee_running_hash_add_text(hash, ee_str_from(first));
  ee_running_hash_add_text(hash, ee_str_from(second));
  uint64_t value = ee_running_hash_value(hash);
  ee_running_hash_free(hash);
  return value;
}

static void test_texts_are_kept_apart(void **state) {
  (void)state;
  assert_true(hash_of("ab", "c") == hash_of("ab", "c"));
  assert_true(hash_of("ab", "c") != hash_of("a", "bc"));
  assert_true(hash_of("", "a") != hash_of("a", ""));
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_pieces), cmocka_unit_test(test_texts_are_kept_apart));
