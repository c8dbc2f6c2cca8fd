/* test_arena_limit.c: an arena notices the allocation that passes its limit, whatever its blocks are; work then ends at
 * its next charge, until the arena is reset. */
#include <string.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/work.h"
#include "support/random.h"

/* What an allocation of 16 bytes takes: more under AddressSanitizer. */
static size_t unit(void) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_arena_alloc(&arena, 16);
  size_t bytes = ee_arena_used(&arena);
  ee_arena_fini(&arena);
  return bytes;
}

static void test_exactly(void **state) {
  (void)state;
  const size_t size = unit();
  for (size_t count = 1; count < 200; count += 7) {
    ee_arena arena;
    ee_arena_init(&arena, 512);
    ee_arena_set_limit(&arena, count * size);
    for (size_t i = 0; i < count; i++) {
      assert_int_equal(ee_arena_left(&arena), (count - i) * size);
      memset(ee_arena_alloc(&arena, 16), 1, 16);
      assert_int_equal(ee_arena_used(&arena), (i + 1) * size);
      assert_false(arena.over);
    }
    memset(ee_arena_alloc(&arena, 1), 1, 1);
    assert_true(arena.over);
    assert_int_equal(ee_arena_left(&arena), 0);
    /* It goes on giving memory. */
    memset(ee_arena_alloc(&arena, 10000), 1, 10000);
    assert_true(arena.over);
    ee_arena_reset(&arena, 0);
    assert_false(arena.over);
    assert_int_equal(ee_arena_left(&arena), count * size);
    ee_arena_fini(&arena);
    assert_int_equal(ee_arena_left(&arena), count * size);
  }
}

/* The same allocations and rewinds in arenas with blocks of other sizes, which have been used before. */
static void test_blocks_do_not_matter(void **state) {
  (void)state;
  test_random random = test_random_start("arena limit", 31);
  for (int round = 0; round < 300; round++) {
    ee_arena arenas[2];
    size_t limit = 1 + test_random_below(&random, 200000);
    for (int i = 0; i < 2; i++) {
      ee_arena_init(&arenas[i], 64 + test_random_below(&random, 5000));
      for (size_t k = test_random_below(&random, 30); k > 0; k--)
        ee_arena_alloc(&arenas[i], test_random_below(&random, 3000));
      ee_arena_reset(&arenas[i], test_random_below(&random, 20000));
      ee_arena_set_limit(&arenas[i], limit);
    }
    ee_arena_mark marks[2] = {ee_arena_get_mark(&arenas[0]), ee_arena_get_mark(&arenas[1])};
    for (int step = 0; step < 300; step++) {
      size_t size =
          test_random_below(&random, 8) > 0 ? test_random_below(&random, 100) : test_random_below(&random, 9000);
      unsigned kind = (unsigned)test_random_below(&random, 20);
      for (int i = 0; i < 2; i++) {
        if (kind == 0) ee_arena_rewind(&arenas[i], marks[i]);
        if (kind == 1) marks[i] = ee_arena_get_mark(&arenas[i]);
        memset(ee_arena_alloc(&arenas[i], size), 7, size);
      }
      assert_int_equal(ee_arena_used(&arenas[0]), ee_arena_used(&arenas[1]));
      assert_int_equal(arenas[0].over, arenas[1].over);
      if (ee_arena_used(&arenas[0]) > limit) assert_true(arenas[0].over);
    }
    for (int i = 0; i < 2; i++) ee_arena_fini(&arenas[i]);
  }
}

typedef struct job {
  ee_arena *arena;
  size_t allocated, charged;
} job;

static void use_memory(void *user) {
  job *self = user;
  for (int i = 0; i < 100; i++) {
    ee_arena_alloc(self->arena, 16);
    self->allocated++;
    ee_work(1);
    self->charged++;
  }
}

static void test_work_ends(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_arena_set_limit(&arena, 10 * unit());
  char reason[EE_WORK_REASON];
  for (int round = 0; round < 3; round++) {
    job self = {.arena = &arena};
    assert_int_equal(ee_work_try(EE_WORK_UNLIMITED, use_memory, &self), EE_WORK_GIVEN_UP);
    assert_int_equal(self.allocated, 11);
    assert_int_equal(self.charged, 10);
    assert_string_equal(ee_work_reason(1, reason), "given up at 512 MiB of memory (--max-memory)");
    /* Also what comes after it, until the memory is given back. */
    self = (job){.arena = &arena};
    assert_int_equal(ee_work_try(EE_WORK_UNLIMITED, use_memory, &self), EE_WORK_GIVEN_UP);
    assert_int_equal(self.charged, 0);
    if (round < 2) ee_arena_reset(&arena, 0);
    if (round < 2)
      assert_string_equal(ee_work_reason(EE_WORK_SECOND, reason), "given up after 1 s of work (--timeout)");
  }
  ee_arena_fini(&arena);
  assert_string_equal(ee_work_reason(EE_WORK_SECOND, reason), "given up after 1 s of work (--timeout)");
  /* Without a limit. */
  ee_arena_set_limit(&arena, 0);
  job self = {.arena = &arena};
  assert_int_equal(ee_work_try(EE_WORK_UNLIMITED, use_memory, &self), EE_WORK_DONE);
  assert_true(ee_arena_left(&arena) == SIZE_MAX);
  ee_arena_pass_limit(&arena);
  assert_false(arena.over);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_exactly), cmocka_unit_test(test_blocks_do_not_matter),
             cmocka_unit_test(test_work_ends));
