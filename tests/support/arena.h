/* arena.h: an arena for all tests of a file, as EE_TEST_FILE(make_arena, free_arena, ...) or for each test. */
#ifndef EE_TESTS_ARENA_H
#define EE_TESTS_ARENA_H

#include "base/arena.h"

static ee_arena arena;

static inline int make_arena(void **state) {
  (void)state;
  ee_arena_init(&arena, 0);
  (void)ee_arena_alloc(&arena, 1); /* so that a mark at the start has a block */
  return 0;
}

static inline int free_arena(void **state) {
  (void)state;
  ee_arena_fini(&arena);
  return 0;
}

#endif
