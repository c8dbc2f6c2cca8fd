/* Tests of base/list.h and base/hash_index.h. */
#include "base/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash_index.h"
#include "support/random.h"

typedef struct numbers {
  EE_LIST(uint64_t);
} numbers;

static void fill(ee_arena *arena) {
  numbers list = {0};
  for (uint64_t i = 0; i < 5000; i++) *EE_LIST_ADD(&list, arena) = i * i;
  assert_int_equal(list.count, 5000);
  for (uint64_t i = 0; i < 5000; i++) assert_int_equal(list.items[i], i * i);
  size_t before = list.capacity;
  EE_LIST_RESERVE(&list, arena, before - list.count);
  assert_int_equal(list.capacity, before);
  EE_LIST_RESERVE(&list, arena, 100000);
  assert_true(list.capacity >= 105000);
  assert_int_equal(list.items[4999], 4999u * 4999u);
  if (arena == NULL) {
    EE_LIST_FINI(&list);
    assert_true(list.items == NULL && list.count == 0 && list.capacity == 0);
  }
}

static void test_list(void **state) {
  (void)state;
  fill(NULL);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fill(&arena);
  ee_arena_fini(&arena);
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

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_list), cmocka_unit_test(test_hash_index));
