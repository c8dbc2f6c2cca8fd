/* test_list.c: growing arrays, in an arena and by malloc. */
#include "base/list.h"

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

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_list));
