/* test_hash_index.c: XXH3 against the published self-test values, the mixer against its inverse, the index against a
 * linear search. */

#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "support/random.h"

/* Numbers count as little-endian memory holds them, on every machine. */
static void test_numbers(void **state) {
  (void)state;
  const uint32_t words[] = {0x04030201, 0x08070605, 0xffffffff};
  const uint64_t wide[] = {UINT64_C(0x0807060504030201)};
  const double one = 1;
  assert_true(ee_hash_numbers(words, 4, 3, 7) == ee_hash_bytes("\1\2\3\4\5\6\7\10\xff\xff\xff\xff", 12, 7));
  assert_true(ee_hash_numbers(wide, 8, 1, 0) == ee_hash_bytes("\1\2\3\4\5\6\7\10", 8, 0));
  assert_true(ee_hash_numbers(&one, 8, 1, 0) == ee_hash_bytes("\0\0\0\0\0\0\xf0\x3f", 8, 0));
  assert_true(ee_hash_numbers(words, 4, 0, 3) == ee_hash_bytes(NULL, 0, 3));
}

/* The values of xxHash's own sanity check: bytes from a generator, seed 0 and seed PRIME64_1. They cover every branch
 * on the length. */
static void test_published_values(void **state) {
  (void)state;
  const uint64_t prime = UINT64_C(0x9e3779b185ebca8d);
  static const struct {
    size_t length;
    uint64_t unseeded, seeded;
  } cases[] = {
      {0, UINT64_C(0x2d06800538d394c2), UINT64_C(0xa8a6b918b2f0364a)},
      {1, UINT64_C(0xc44bdff4074eecdb), UINT64_C(0x032be332dd766ef8)},
      {6, UINT64_C(0x27b56a84cd2d7325), UINT64_C(0x84589c116ab59ab9)},
      {12, UINT64_C(0xa713daf0dfbb77e7), UINT64_C(0xe7303e1b2336de0e)},
      {24, UINT64_C(0xa3fe70bf9d3510eb), UINT64_C(0x850e80fc35bdd690)},
      {48, UINT64_C(0x397da259ecba1f11), UINT64_C(0xadc2cbaa44acc616)},
      {80, UINT64_C(0xbcdefbbb2c47c90a), UINT64_C(0xc6dd0cb699532e73)},
      {195, UINT64_C(0xcd94217ee362ec3a), UINT64_C(0xba68003d370cb3d9)},
      {403, UINT64_C(0xcdeb804d65c6dea4), UINT64_C(0x6259f6ecfd6443fd)},
      {512, UINT64_C(0x617e49599013cb6b), UINT64_C(0x3ce457de14c27708)},
      {2048, UINT64_C(0xdd59e2c3a5f038e0), UINT64_C(0x66f81670669ababc)},
      {2240, UINT64_C(0x6e73a90539cf2948), UINT64_C(0x757ba8487d1b5247)},
      {2367, UINT64_C(0xcb37aeb9e5d361ed), UINT64_C(0xd2db3415b942b42a)},
  };
  unsigned char bytes[2367];
  uint64_t generator = 2654435761u;
  for (size_t i = 0; i < sizeof(bytes); i++) {
    bytes[i] = (unsigned char)(generator >> 56);
    generator *= UINT64_C(11400714785074694797);
  }
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_true(ee_hash_bytes(bytes, cases[i].length, 0) == cases[i].unseeded);
    assert_true(ee_hash_bytes(bytes, cases[i].length, prime) == cases[i].seeded);
  }
}

static void test_alignment_does_not_matter(void **state) {
  (void)state;
  test_random random = test_random_start("hash alignment", 11);
  unsigned char bytes[700];
  unsigned char moved[720];
  for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (unsigned char)test_random_bits(&random);
  for (size_t length = 0; length <= sizeof(bytes); length += 7) {
    uint64_t seed = test_random_bits(&random);
    uint64_t hash = ee_hash_bytes(bytes, length, seed);
    for (size_t shift = 0; shift < 17; shift += 3) {
      memcpy(moved + shift, bytes, length);
      assert_true(ee_hash_bytes(moved + shift, length, seed) == hash);
    }
  }
}

static void test_nothing_has_a_hash(void **state) {
  (void)state;
  assert_true(ee_hash_bytes(NULL, 0, 5) == ee_hash_bytes("x", 0, 5));
  assert_true(ee_hash_bytes(NULL, 0, 5) != ee_hash_bytes(NULL, 0, 6));
}

/* Each step of the mixer is undone in turn; the inverse of an odd number modulo 2^64 comes from Newton's iteration. */
static uint64_t unmix(uint64_t value) {
  const uint64_t factor = UINT64_C(0xd6e8feb86659fd93);
  uint64_t inverse = factor;
  for (int i = 0; i < 6; i++) inverse *= 2 - factor * inverse;
  value ^= value >> 32;
  value *= inverse;
  value ^= value >> 32;
  value *= inverse;
  value ^= value >> 32;
  return value;
}

static void test_mix_is_a_bijection(void **state) {
  (void)state;
  test_random random = test_random_start("hash mix", 12);
  for (uint64_t i = 0; i < 1000; i++) assert_true(unmix(ee_hash_mix(i)) == i);
  for (int i = 0; i < 20000; i++) {
    uint64_t value = test_random_bits(&random);
    assert_true(unmix(ee_hash_mix(value)) == value);
  }
}

/* Whichever bit of the input flips, about half of the output bits do. */
static void test_mix_spreads_every_bit(void **state) {
  (void)state;
  enum { ROUNDS = 2000 };
  test_random random = test_random_start("hash spread", 13);
  for (unsigned bit = 0; bit < 64; bit++) {
    int flipped = 0;
    for (int i = 0; i < ROUNDS; i++) {
      uint64_t value = test_random_bits(&random);
      flipped += __builtin_popcountll(ee_hash_mix(value) ^ ee_hash_mix(value ^ UINT64_C(1) << bit));
    }
    assert_in_range(flipped, 28 * ROUNDS, 36 * ROUNDS);
  }
}

/* Against a linear search: every number under its hash, in the order of adding, though hashes collide. */
static void check_index(ee_arena *arena) {
  enum { MANY = 700 };
  uint64_t hashes[MANY];
  test_random random = test_random_start("hash_index", 7);
  ee_hash_index index = {.arena = arena};
  for (int round = 0; round < 2; round++) {
    for (size_t i = 0; i < MANY; i++) {
      hashes[i] = test_random_below(&random, 300) << (i % 2 == 0 ? 0 : 40);
      if (round == 0 && i % 200 == 0) {
        ee_hash_index_reserve(&index, i + 150);
        assert_true(index.capacity / 2 >= i + 150);
      }
      ee_hash_index_add(&index, hashes[i], i);
    }
    for (size_t i = 0; i < MANY; i++) {
      size_t at = 0, number;
      for (size_t k = 0; k < MANY; k++) {
        if (hashes[k] != hashes[i]) continue;
        assert_true(ee_hash_index_next(&index, hashes[i], &at, &number));
        assert_int_equal(number, k);
      }
      assert_false(ee_hash_index_next(&index, hashes[i], &at, &number));
    }
    size_t at = 0, number;
    assert_false(ee_hash_index_next(&index, UINT64_MAX, &at, &number));
    ee_hash_index_clear(&index);
    at = 0;
    assert_false(ee_hash_index_next(&index, hashes[0], &at, &number));
  }
  ee_hash_index_fini(&index);
  assert_int_equal(index.capacity, 0);
}

static void test_hash_index(void **state) {
  (void)state;
  check_index(NULL);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  check_index(&arena);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_published_values), cmocka_unit_test(test_numbers),
             cmocka_unit_test(test_alignment_does_not_matter), cmocka_unit_test(test_nothing_has_a_hash),
             cmocka_unit_test(test_mix_is_a_bijection), cmocka_unit_test(test_mix_spreads_every_bit),
             cmocka_unit_test(test_hash_index));
