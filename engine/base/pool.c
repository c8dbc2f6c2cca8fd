/* pool.c: two rings, so that whatever is in them leaves without knowing its pool. */
#include "base/pool.h"

#include <stddef.h>
#include <stdlib.h>

static _Thread_local ee_pool *current;

void ee_pool_init(ee_pool *pool) {
  *pool = (ee_pool){0};
  pool->blocks.before = pool->blocks.after = &pool->blocks;
  pool->cleanups.before = pool->cleanups.after = &pool->cleanups;
}

void ee_pool_discard(ee_pool *pool) {
  while (pool->cleanups.after != &pool->cleanups) {
    ee_cleanup *newest = pool->cleanups.after;
    ee_cleanup_remove(newest);
    newest->run(newest->thing);
  }
  while (pool->blocks.after != &pool->blocks) {
    ee_pool_block *block = pool->blocks.after;
    ee_pool_remove(block); // NOLINT(clang-analyzer-unix.Malloc): what was freed before has left the ring
    free(block);
  }
}

ee_pool *ee_pool_enter(ee_pool *pool) {
  ee_pool *before = current;
  current = pool;
  return before;
}

ee_pool *ee_pool_current(void) { return current; }

void ee_cleanup_add(ee_cleanup *cleanup, void (*run)(void *thing), void *thing) {
  *cleanup = (ee_cleanup){.run = run, .thing = thing};
  if (current == NULL) return;
  cleanup->before = &current->cleanups;
  cleanup->after = current->cleanups.after;
  cleanup->before->after = cleanup->after->before = cleanup;
}

void ee_cleanup_remove(ee_cleanup *cleanup) {
  if (cleanup->after == NULL) return;
  cleanup->before->after = cleanup->after;
  cleanup->after->before = cleanup->before;
  cleanup->before = cleanup->after = NULL;
}

void ee_pool_add(ee_pool_block *block) {
  ee_pool *pool = current;
  if (pool == NULL) {
    block->before = block->after = NULL;
    return;
  }
  block->before = &pool->blocks;
  block->after = pool->blocks.after;
  block->before->after = block->after->before = block;
}

void ee_pool_moved(ee_pool_block *block) {
  if (block->after != NULL) block->before->after = block->after->before = block;
}

void ee_pool_remove(ee_pool_block *block) {
  if (block->after == NULL) return;
  block->before->after = block->after;
  block->after->before = block->before;
}
