/* test_arena.c: allocations are apart, aligned and alive until they are given back, and blocks are reused. */

#include <string.h>

#include "base/arena.h"
#include "base/exits.h"
#include "support/random.h"

#ifdef EE_ARENA_CHECKED
#include <sanitizer/asan_interface.h>
#endif

static void test_empty_arena_takes_nothing(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  assert_int_equal(ee_arena_held(&arena), 0);
  ee_arena_reset(&arena, 0);
  ee_arena_reset(&arena, 1000);
  ee_arena_rewind(&arena, ee_arena_get_mark(&arena));
  assert_int_equal(ee_arena_held(&arena), 0);
  assert_non_null(ee_arena_alloc(&arena, 1));
  assert_int_equal(ee_arena_held(&arena), 64 * 1024);
  ee_arena_fini(&arena);
  assert_int_equal(ee_arena_held(&arena), 0);
  ee_arena_fini(&arena);
}

static void test_size_zero_is_a_pointer(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  char *first = ee_arena_alloc(&arena, 0);
  char *second = ee_arena_alloc(&arena, 0);
  assert_non_null(first);
  assert_non_null(second);
  assert_non_null(ee_arena_calloc(&arena, 0, 100));
  assert_non_null(ee_arena_calloc(&arena, 100, 0));
  assert_string_equal(ee_arena_copy(&arena, NULL, 0), "");
  ee_arena_fini(&arena);
}

static void test_works_again_after_fini(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 512);
  for (int round = 0; round < 3; round++) {
    memset(ee_arena_alloc(&arena, 100), 1, 100);
    assert_int_equal(ee_arena_held(&arena), 512);
    ee_arena_fini(&arena);
    assert_int_equal(ee_arena_held(&arena), 0);
  }
}

/* The model: a stack of live allocations, each filled with its own byte; marks remember its height. */
typedef struct model {
  struct {
    unsigned char *memory;
    size_t size;
    unsigned char fill;
  } live[4000];
  size_t count;
  struct {
    ee_arena_mark mark;
    size_t count;
  } marks[64];
  size_t mark_count;
} model;

static void model_check(const model *m) {
  for (size_t i = 0; i < m->count; i++)
    for (size_t k = 0; k < m->live[i].size; k++)
      if (m->live[i].memory[k] != m->live[i].fill) fail_msg("allocation %zu of %zu was overwritten", i, m->count);
}

static void model_alloc(model *m, ee_arena *arena, test_random *random) {
  size_t limit = test_random_below(random, 20) == 0 ? 5000 : 100;
  size_t size = test_random_below(random, limit);
  unsigned char fill = (unsigned char)test_random_bits(random);
  unsigned char *memory = ee_arena_alloc(arena, size);
  assert_int_equal((uintptr_t)memory % 16, 0);
  memset(memory, fill, size);
  m->live[m->count].memory = memory;
  m->live[m->count].size = size;
  m->live[m->count].fill = fill;
  m->count += 1;
}

static void test_random_use(void **state) {
  (void)state;
  static model m;
  test_random random = test_random_start("arena", 31);
  static const size_t block_sizes[] = {1, 100, 1024, 4096};
  for (size_t b = 0; b < sizeof(block_sizes) / sizeof(block_sizes[0]); b++) {
    ee_arena arena;
    ee_arena_init(&arena, block_sizes[b]);
    m.count = m.mark_count = 0;
    for (int step = 0; step < 6000; step++) {
      size_t what = test_random_below(&random, 100);
      if (what < 80 && m.count < 4000) {
        model_alloc(&m, &arena, &random);
      } else if (what < 88 && m.mark_count < 64) {
        m.marks[m.mark_count].mark = ee_arena_get_mark(&arena);
        m.marks[m.mark_count].count = m.count;
        m.mark_count += 1;
      } else if (what < 99 && m.mark_count > 0) {
        m.mark_count -= 1 + test_random_below(&random, m.mark_count) / 2;
        model_check(&m);
        ee_arena_rewind(&arena, m.marks[m.mark_count].mark);
        m.count = m.marks[m.mark_count].count;
      } else if (what == 99 && test_random_below(&random, 4) == 0) {
        model_check(&m);
        size_t keep = test_random_below(&random, 20000);
        size_t held = ee_arena_held(&arena);
        ee_arena_reset(&arena, keep);
        if (keep > 0) assert_true(ee_arena_held(&arena) <= keep);
        if (keep == 0) assert_int_equal(ee_arena_held(&arena), held);
        m.count = m.mark_count = 0;
      }
    }
    model_check(&m);
    ee_arena_fini(&arena);
  }
}

/* One case's worth of allocations, some of them larger than a block. */
static void allocate_a_case(ee_arena *arena) {
  for (size_t i = 0; i < 300; i++) memset(ee_arena_alloc(arena, i), 7, i);
  memset(ee_arena_alloc(arena, 10000), 7, 10000);
  for (size_t i = 0; i < 300; i++) memset(ee_arena_alloc(arena, i), 7, i);
  memset(ee_arena_alloc(arena, 20000), 7, 20000);
}

static void test_blocks_are_reused(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 4096);
  allocate_a_case(&arena);
  size_t held = ee_arena_held(&arena);
  assert_true(held > 100000);
  for (int i = 0; i < 5; i++) {
    ee_arena_reset(&arena, 0);
    allocate_a_case(&arena);
    assert_int_equal(ee_arena_held(&arena), held);
  }
  for (int i = 0; i < 5; i++) {
    ee_arena_reset(&arena, 1000000);
    allocate_a_case(&arena);
    assert_int_equal(ee_arena_held(&arena), held);
  }
  ee_arena_reset(&arena, 0);
  for (int i = 0; i < 5; i++) {
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    allocate_a_case(&arena);
    assert_int_equal(ee_arena_held(&arena), held);
    ee_arena_rewind(&arena, mark);
  }
  ee_arena_fini(&arena);
}

static void test_rewind_gives_the_block_back(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 4096);
  ee_arena_alloc(&arena, 1000);
  for (int i = 0; i < 100; i++) {
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    ee_arena_alloc(&arena, 2000);
    ee_arena_rewind(&arena, mark);
    assert_int_equal(ee_arena_held(&arena), 4096);
  }
  ee_arena_fini(&arena);
}

static void test_large_free_block_is_found_behind_small_ones(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 1024);
  for (int i = 0; i < 5; i++) ee_arena_alloc(&arena, 900);
  ee_arena_alloc(&arena, 50000);
  size_t held = ee_arena_held(&arena);
  ee_arena_reset(&arena, 0);
  ee_arena_alloc(&arena, 50000);
  for (int i = 0; i < 5; i++) ee_arena_alloc(&arena, 900);
  assert_int_equal(ee_arena_held(&arena), held);
  ee_arena_fini(&arena);
}

static void test_reset_gives_back_what_is_above_the_bound(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 1024);
  ee_arena_alloc(&arena, 1000000);
  for (int i = 0; i < 8; i++) ee_arena_alloc(&arena, 900);
  assert_true(ee_arena_held(&arena) >= 1000000 + 8 * 1024);
  ee_arena_reset(&arena, 4096);
  assert_int_equal(ee_arena_held(&arena), 4096);
  ee_arena_reset(&arena, 1023);
  assert_int_equal(ee_arena_held(&arena), 0);
  memset(ee_arena_alloc(&arena, 900), 1, 900);
  assert_int_equal(ee_arena_held(&arena), 1024);
  ee_arena_fini(&arena);
}

typedef struct pair {
  void *pointer;
  double number;
} pair;

static void test_calloc_is_zero_also_in_used_blocks(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 2048);
  for (int round = 0; round < 3; round++) {
    memset(ee_arena_alloc(&arena, 1500), 0xff, 1500);
    ee_arena_reset(&arena, 0);
    unsigned char *memory = ee_arena_calloc(&arena, 100, 11);
    for (size_t i = 0; i < 1100; i++) assert_int_equal(memory[i], 0);
    pair *one = EE_NEW(&arena, pair);
    assert_null(one->pointer);
    pair *many = EE_NEW_ARRAY(&arena, pair, 7);
    for (size_t i = 0; i < 7; i++) assert_true(many[i].pointer == NULL && many[i].number == 0);
    ee_arena_reset(&arena, 0);
  }
  ee_arena_fini(&arena);
}

static void test_copy_and_printf(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 128);
  char *copy = ee_arena_copy(&arena, "a\0b", 3);
  assert_memory_equal(copy, "a\0b", 4);
  assert_string_equal(ee_arena_printf(&arena, "%s:%d", "x", -5), "x:-5");
  assert_string_equal(ee_arena_printf(&arena, "%s", ""), "");
  char text[700];
  for (size_t length = 0; length < sizeof(text); length++) {
    memset(text, 'a' + (int)(length % 26), length);
    text[length] = '\0';
    assert_string_equal(ee_arena_printf(&arena, "%s", text), text);
    if (length == 300) assert_string_equal(ee_arena_printf(&arena, "%s%s", "<", text) + 1, text);
  }
  assert_string_equal(copy, "a");
  ee_arena_fini(&arena);
}

static void count_overflows(void) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_arena_calloc(&arena, SIZE_MAX / 2, 3);
}
static void rounding_overflows(void) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_arena_alloc(&arena, 1);
  ee_arena_alloc(&arena, SIZE_MAX - 3);
}
static void copy_overflows(void) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_arena_copy(&arena, "", SIZE_MAX);
}

static void test_impossible_sizes_end_the_process(void **state) {
  (void)state;
  assert_ends_without_memory(count_overflows);
  assert_ends_without_memory(rounding_overflows);
  assert_ends_without_memory(copy_overflows);
}

#ifdef EE_ARENA_CHECKED
static void test_sanitizer_sees_misuse(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 4096);
  char *a = ee_arena_alloc(&arena, 32);
  char *b = ee_arena_alloc(&arena, 5);
  assert_false(__asan_address_is_poisoned(a + 31));
  assert_true(__asan_address_is_poisoned(a + 32));
  assert_false(__asan_address_is_poisoned(b + 4));
  assert_true(__asan_address_is_poisoned(b + 5));
  ee_arena_mark mark = ee_arena_get_mark(&arena);
  char *c = ee_arena_alloc(&arena, 40);
  char *d = ee_arena_alloc(&arena, 9000);
  ee_arena_rewind(&arena, mark);
  assert_false(__asan_address_is_poisoned(b));
  assert_true(__asan_address_is_poisoned(c));
  assert_true(__asan_address_is_poisoned(d));
  ee_arena_reset(&arena, 0);
  assert_true(__asan_address_is_poisoned(a));
  ee_arena_fini(&arena);
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_empty_arena_takes_nothing),
    cmocka_unit_test(test_size_zero_is_a_pointer),
    cmocka_unit_test(test_works_again_after_fini),
    cmocka_unit_test(test_random_use),
    cmocka_unit_test(test_blocks_are_reused),
    cmocka_unit_test(test_rewind_gives_the_block_back),
    cmocka_unit_test(test_large_free_block_is_found_behind_small_ones),
    cmocka_unit_test(test_reset_gives_back_what_is_above_the_bound),
    cmocka_unit_test(test_calloc_is_zero_also_in_used_blocks),
    cmocka_unit_test(test_copy_and_printf),
    cmocka_unit_test(test_impossible_sizes_end_the_process),
#ifdef EE_ARENA_CHECKED
    cmocka_unit_test(test_sanitizer_sees_misuse),
#endif
};
EE_TEST_ARRAY(NULL, NULL, tests);
