/* arena.c: a linked list of blocks; the blocks after the current one are free.
 *
 * Under AddressSanitizer unused memory is poisoned and allocations are separated, so that a use after reset or rewind
 * and an access past the end are found as with malloc. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/work.h"

#ifdef EE_ARENA_CHECKED
#include <sanitizer/asan_interface.h>
enum { RED_ZONE = 16 };
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
enum { RED_ZONE = 0 };
#endif

enum { ALIGNMENT = 16, DEFAULT_BLOCK_SIZE = 64 * 1024 };

struct ee_arena_block {
  _Alignas(ALIGNMENT) ee_arena_block *next;
  size_t size;   /* with this header */
  size_t before; /* bytes in use in earlier blocks, of a current or earlier block */
};

static char *block_start(ee_arena_block *block) { return (char *)(block + 1); }
static char *block_end(ee_arena_block *block) { return (char *)block + block->size; }

static void poison(char *from, char *to) { ASAN_POISON_MEMORY_REGION(from, (size_t)(to - from)); }

size_t ee_arena_used(const ee_arena *arena) {
  const ee_arena_block *block = arena->current;
  return block != NULL ? block->before + (size_t)(arena->at - (const char *)(block + 1)) : 0;
}

/* Where the fast path must stop: at the end of the current block, or where the limit is passed. */
static void set_end(ee_arena *arena) {
  arena->end = arena->current != NULL ? block_end(arena->current) : NULL;
  if (arena->limit == 0 || arena->over || arena->current == NULL) return;
  size_t used = ee_arena_used(arena), left = used < arena->limit ? arena->limit - used : 0;
  if (left < (size_t)(arena->end - arena->at)) arena->end = arena->at + left;
}

static void free_block(ee_arena_block *block) {
  ASAN_UNPOISON_MEMORY_REGION(block_start(block), block->size - sizeof(*block));
  ee_free(block);
}

void ee_arena_init(ee_arena *arena, size_t block_size) {
  *arena = (ee_arena){.block_size = block_size > 0 ? block_size : DEFAULT_BLOCK_SIZE};
}

void ee_arena_fini(ee_arena *arena) {
  for (ee_arena_block *block = arena->first, *next; block != NULL; block = next) {
    next = block->next;
    free_block(block);
  }
  if (arena->over) ee_work_set_too_large(false);
  size_t limit = arena->limit;
  ee_arena_init(arena, arena->block_size);
  arena->limit = limit;
}

void ee_arena_reset(ee_arena *arena, size_t keep) {
  if (arena->over) ee_work_set_too_large(false);
  arena->over = false;
  ee_arena_rewind(arena, (ee_arena_mark){NULL, NULL});
  if (keep == 0) return;
  size_t kept = 0;
  for (ee_arena_block **link = &arena->first; *link != NULL;) {
    ee_arena_block *block = *link;
    if (block->size <= keep - kept) {
      kept += block->size;
      link = &block->next;
    } else {
      *link = block->next;
      free_block(block);
    }
  }
}

/* Makes a block with room for `size` bytes the current one: the first free block that is large enough, else a new one.
 * It is moved directly after the block that was current, so that the smaller free blocks stay free. */
static void enter_block(ee_arena *arena, size_t size) {
  size_t needed = size + sizeof(ee_arena_block);
  ee_arena_block **following = arena->current != NULL ? &arena->current->next : &arena->first;
  ee_arena_block **link = following;
  while (*link != NULL && (*link)->size < needed) link = &(*link)->next;
  ee_arena_block *block = *link;
  if (block != NULL) {
    *link = block->next;
  } else {
    size_t total = needed > arena->block_size ? needed : arena->block_size;
    block = ee_malloc(total);
    block->size = total;
    poison(block_start(block), block_end(block));
  }
  block->before = ee_arena_used(arena);
  block->next = *following;
  *following = block;
  arena->current = block;
  arena->at = block_start(block);
}

void *ee_arena_alloc_slow(ee_arena *arena, size_t size) {
  if (size > SIZE_MAX / 4) ee_out_of_memory();
  size_t rounded = ((size > 0 ? size : 1) + RED_ZONE + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  if (arena->current == NULL || (size_t)(block_end(arena->current) - arena->at) < rounded) enter_block(arena, rounded);
  char *memory = arena->at;
  arena->at += rounded;
  if (arena->limit > 0 && !arena->over && ee_arena_used(arena) > arena->limit) ee_arena_pass_limit(arena);
  set_end(arena);
  ASAN_UNPOISON_MEMORY_REGION(memory, size);
  return memory;
}

void *ee_arena_calloc(ee_arena *arena, size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) ee_out_of_memory();
  return memset(ee_arena_alloc(arena, total), 0, total);
}

char *ee_arena_copy(ee_arena *arena, const void *data, size_t length) {
  if (length == SIZE_MAX) ee_out_of_memory();
  char *copy = ee_arena_alloc(arena, length + 1);
  if (length > 0) memcpy(copy, data, length);
  copy[length] = '\0';
  return copy;
}

char *ee_arena_printf(ee_arena *arena, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  int written = vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  if (written < 0) return ee_arena_copy(arena, "", 0); /* unreached: texts of 2 GiB */
  size_t length = (size_t)written;
  if (length < sizeof(text)) return ee_arena_copy(arena, text, length);
  char *copy = ee_arena_alloc(arena, length + 1);
  va_start(arguments, format);
  vsnprintf(copy, length + 1, format, arguments);
  va_end(arguments);
  return copy;
}

ee_arena_mark ee_arena_get_mark(const ee_arena *arena) { return (ee_arena_mark){arena->current, arena->at}; }

void ee_arena_rewind(ee_arena *arena, ee_arena_mark mark) {
#ifdef EE_ARENA_CHECKED
  /* What is not in use is poisoned already. */
  char *from = mark.at;
  for (ee_arena_block *block = mark.block; arena->current != NULL && block != arena->current;) {
    if (block != NULL) poison(from, block_end(block));
    block = block != NULL ? block->next : arena->first;
    from = block_start(block);
  }
  if (arena->current != NULL) poison(from, arena->at);
#endif
  arena->current = mark.block;
  arena->at = mark.at;
  set_end(arena);
}

size_t ee_arena_left(const ee_arena *arena) {
  size_t used = ee_arena_used(arena);
  return arena->limit == 0 ? SIZE_MAX : used < arena->limit ? arena->limit - used : 0;
}

void ee_arena_pass_limit(ee_arena *arena) {
  if (arena->limit == 0 || arena->over) return;
  arena->over = true;
  ee_work_set_too_large(true);
}

void ee_arena_set_limit(ee_arena *arena, size_t bytes) {
  if (arena->over) ee_work_set_too_large(false);
  arena->over = false;
  arena->limit = bytes;
  set_end(arena);
}

size_t ee_arena_held(const ee_arena *arena) {
  size_t held = 0;
  for (const ee_arena_block *block = arena->first; block != NULL; block = block->next) held += block->size;
  return held;
}
