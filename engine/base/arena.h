/* arena.h: memory that is given back all at once.
 *
 * Layer: base (knows libc only). The engine has three kinds: the plan's (whole run), a case's (one a worker, reset
 * after each case) and scratch (mark and rewind inside a function). Blocks are kept on reset, so that after warm-up a
 * case costs no malloc. Allocation never returns NULL: without memory the process ends with status 5 (see memory.h). */
#ifndef EE_BASE_ARENA_H
#define EE_BASE_ARENA_H

#include <stddef.h>

/* Under AddressSanitizer every allocation takes the slow path, which poisons what is not in use. */
#if defined(__SANITIZE_ADDRESS__)
#define EE_ARENA_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EE_ARENA_CHECKED 1
#endif
#endif

typedef struct ee_arena_block ee_arena_block;

/* `at`..`end` is the free part of the current block; both are read by the inline fast path only. */
typedef struct ee_arena {
  char *at;
  char *end;
  ee_arena_block *first;
  ee_arena_block *current;
  size_t block_size; /* bytes of the next ordinary block */
} ee_arena;

typedef struct ee_arena_mark {
  ee_arena_block *block;
  char *at;
} ee_arena_mark;

/* Makes `arena` empty; no memory is taken before the first allocation. `block_size` in bytes, 0 for 64 KiB. */
void ee_arena_init(ee_arena *arena, size_t block_size);

/* Frees every block. The arena is then as after ee_arena_init(). */
void ee_arena_fini(ee_arena *arena);

/* Forgets all allocations and keeps the blocks for the next ones, up to `keep` bytes (0: all). A case that needed far
 * more than the others must not keep its memory for the whole run, so workers pass a bound. */
void ee_arena_reset(ee_arena *arena, size_t keep);

/* `size` bytes, aligned to 16, not initialised, valid until reset, rewind past it, or fini. size 0 gives a valid
 * pointer. */
void *ee_arena_alloc_slow(ee_arena *arena, size_t size);
static inline void *ee_arena_alloc(ee_arena *arena, size_t size) {
#ifndef EE_ARENA_CHECKED
  size_t rounded = (size + 15u) & ~(size_t)15u;
  /* `size - 1` sends both 0, which wraps here, and sizes that wrapped above to the slow path. */
  if (rounded > size - 1 && (size_t)(arena->end - arena->at) >= rounded) {
    void *memory = arena->at;
    arena->at += rounded;
    return memory;
  }
#endif
  return ee_arena_alloc_slow(arena, size);
}

/* The same, zeroed; `count * size` is checked for overflow. */
void *ee_arena_calloc(ee_arena *arena, size_t count, size_t size);

/* A copy of `length` bytes with a NUL behind them. */
char *ee_arena_copy(ee_arena *arena, const void *data, size_t length);

/* printf into the arena; the text is NUL-terminated. */
char *ee_arena_printf(ee_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A mark remembers how full the arena is; rewinding to it frees what came later. Marks nest. */
ee_arena_mark ee_arena_get_mark(const ee_arena *arena);
void ee_arena_rewind(ee_arena *arena, ee_arena_mark mark);

/* Bytes of all blocks that the arena holds from the system. */
size_t ee_arena_held(const ee_arena *arena);

#define EE_NEW(arena, type) ((type *)ee_arena_calloc((arena), 1, sizeof(type)))
#define EE_NEW_ARRAY(arena, type, count) ((type *)ee_arena_calloc((arena), (count), sizeof(type)))

#endif
