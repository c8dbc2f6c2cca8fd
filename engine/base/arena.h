/* arena.h: memory that is freed all at once.
 *
 * The engine has three kinds: the plan's arena (whole run), the case arena (one per worker, reset after each case) and
 * scratch (mark and rewind inside a function). A reset keeps the blocks, so a case needs no malloc after warm-up.
 * Allocation never returns NULL: without memory the process ends with status 5 (memory.h). */
#ifndef EE_BASE_ARENA_H
#define EE_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* Under AddressSanitizer every allocation takes the slow path, which poisons unused memory. */
#if defined(__SANITIZE_ADDRESS__)
#define EE_ARENA_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EE_ARENA_CHECKED 1
#endif
#endif

typedef struct ee_arena_block ee_arena_block;

/* `at`..`end` is the free part of the current block, as far as it is below the limit. */
typedef struct ee_arena {
  char *at;
  char *end;
  ee_arena_block *first;
  ee_arena_block *current;
  size_t block_size; /* bytes of a new block; larger allocations get a larger one */
  size_t limit;      /* bytes in use; 0: none */
  bool over;         /* the limit was passed since the last reset */
} ee_arena;

typedef struct ee_arena_mark {
  ee_arena_block *block;
  char *at;
} ee_arena_mark;

/* Makes `arena` empty; it allocates nothing before the first use. `block_size` in bytes, 0 for 64 KiB. */
void ee_arena_init(ee_arena *arena, size_t block_size);

/* Frees every block. The arena is then as after ee_arena_init(). */
void ee_arena_fini(ee_arena *arena);

/* Frees all allocations but keeps blocks of up to `keep` bytes in all (0: all blocks) for the next ones. Workers pass a
 * bound, so that one very large case does not hold its memory for the whole run. */
void ee_arena_reset(ee_arena *arena, size_t keep);

/* `size` bytes, aligned to 16, not initialised, valid until reset, rewind past it, or fini. size 0 gives a valid
 * pointer. */
void *ee_arena_alloc_slow(ee_arena *arena, size_t size) __attribute__((returns_nonnull));
static inline void *ee_arena_alloc(ee_arena *arena, size_t size) {
#ifndef EE_ARENA_CHECKED
  size_t rounded = (size + 15u) & ~(size_t)15u;
  /* `size - 1` sends 0, which wraps here, and sizes that wrapped above to the slow path. */
  if (rounded > size - 1 && (size_t)(arena->end - arena->at) >= rounded) {
    void *memory = arena->at;
    arena->at += rounded;
    return memory;
  }
#endif
  return ee_arena_alloc_slow(arena, size);
}

/* The same, zeroed; `count * size` is checked for overflow. */
void *ee_arena_calloc(ee_arena *arena, size_t count, size_t size) __attribute__((returns_nonnull));

/* A copy of `length` bytes, followed by a NUL. */
char *ee_arena_copy(ee_arena *arena, const void *data, size_t length) __attribute__((returns_nonnull));

/* printf to a NUL-terminated text in the arena. */
char *ee_arena_printf(ee_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3), returns_nonnull));

/* Rewinding to a mark frees everything allocated after it. Marks nest. */
ee_arena_mark ee_arena_get_mark(const ee_arena *arena);
void ee_arena_rewind(ee_arena *arena, ee_arena_mark mark);

/* Bytes of all blocks of the arena. */
size_t ee_arena_held(const ee_arena *arena);

/* Bytes that are in use: those of all allocations that were not given back, each rounded up to 16. O(1). */
size_t ee_arena_used(const ee_arena *arena);

/* From now on no more than `bytes` should be in use (0: no limit); `over` is false again. Whoever allocates more gets
 * it, but `over` is set until the next reset, and the work of the thread ends at its next charge
 * (ee_work_set_too_large() of work.h). When that is does not depend on the blocks that the arena has. */
void ee_arena_set_limit(ee_arena *arena, size_t bytes);
/* What may still be allocated; SIZE_MAX without a limit. */
size_t ee_arena_left(const ee_arena *arena);
/* Behaves as if the limit had been passed, for callers that know beforehand that it would be; nothing without a limit.
 */
void ee_arena_pass_limit(ee_arena *arena);

#define EE_NEW(arena, type) ((type *)ee_arena_calloc((arena), 1, sizeof(type)))
#define EE_NEW_ARRAY(arena, type, count) ((type *)ee_arena_calloc((arena), (count), sizeof(type)))

#endif
