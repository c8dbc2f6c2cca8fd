/* test_sort.c: sorted, stable and complete, for every number of items around runs and merges. */

#include <stdint.h>

#include "prim/sort.h"
#include "support/arena.h"
#include "support/random.h"

typedef struct thing {
  uint32_t key;
  uint32_t number; /* where it was */
} thing;

static bool before(const thing *a, const thing *b) { return a->key < b->key; }
EE_DEFINE_SORT(sort_things, thing, before)

static void assert_sorted(const thing *things, size_t count) {
  for (size_t i = 1; i < count; i++) {
    assert_true(things[i - 1].key <= things[i].key);
    if (things[i - 1].key == things[i].key) assert_true(things[i - 1].number < things[i].number);
  }
}

/* Few keys make many equal ones, and with one key nothing may move. */
static void test_every_count(void **state) {
  (void)state;
  test_random random = test_random_start("sorts", 7);
  for (size_t count = 0; count <= 200; count++) {
    for (uint32_t keys = 1; keys <= 1000; keys *= 10) {
      thing things[200];
      uint64_t sum = 0, after = 0;
      for (size_t i = 0; i < count; i++) {
        things[i] = (thing){(uint32_t)test_random_below(&random, keys), (uint32_t)i};
        sum += (uint64_t)things[i].key << 8 | i;
      }
      sort_things(things, count, &arena);
      assert_sorted(things, count);
      for (size_t i = 0; i < count; i++) after += (uint64_t)things[i].key << 8 | things[i].number;
      assert_true(after == sum);
    }
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_every_count));
