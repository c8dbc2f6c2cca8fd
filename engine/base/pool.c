/* pool.c: two rings, so that whatever is in them leaves without knowing its pool. */
#include "base/pool.h"

#include <pthread.h>
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

void ee_pool_share(ee_pool *pool, bool shared) { pool->shared = shared; }

/* The rings of all shared pools: threads that work for a call allocate rarely once they are warm. */
static pthread_mutex_t rings = PTHREAD_MUTEX_INITIALIZER;

static bool lock_rings(void) {
  if (current == NULL || !current->shared) return false;
  pthread_mutex_lock(&rings);
  return true;
}

static void unlock_rings(bool locked) {
  if (locked) pthread_mutex_unlock(&rings);
}

void ee_cleanup_add(ee_cleanup *cleanup, void (*run)(void *thing), void *thing) {
  *cleanup = (ee_cleanup){.run = run, .thing = thing};
  if (current == NULL) return;
  bool locked = lock_rings();
  cleanup->before = &current->cleanups;
  cleanup->after = current->cleanups.after;
  cleanup->before->after = cleanup->after->before = cleanup;
  unlock_rings(locked);
}

void ee_cleanup_remove(ee_cleanup *cleanup) {
  bool locked = lock_rings();
  if (cleanup->after != NULL) {
    cleanup->before->after = cleanup->after;
    cleanup->after->before = cleanup->before;
    cleanup->before = cleanup->after = NULL;
  }
  unlock_rings(locked);
}

/* The newest cleanup of the current pool between two addresses; NULL: none. */
static ee_cleanup *find_between(uintptr_t low, uintptr_t high) {
  bool locked = lock_rings();
  ee_cleanup *found = current->cleanups.after;
  while (found != &current->cleanups && ((uintptr_t)found < low || (uintptr_t)found >= high)) found = found->after;
  if (found == &current->cleanups) found = NULL;
  unlock_rings(locked);
  return found;
}

void ee_pool_clean_stack(uintptr_t low, uintptr_t high) {
  ee_cleanup *found;
  while ((found = find_between(low, high)) != NULL) {
    ee_cleanup_remove(found);
    found->run(found->thing);
  }
}

static void list_block(ee_pool_block *block) {
  ee_pool *pool = current;
  if (pool == NULL) {
    block->before = block->after = NULL;
    return;
  }
  block->before = &pool->blocks;
  block->after = pool->blocks.after;
  block->before->after = block->after->before = block;
}

/* False: it was in no list. */
static bool unlist_block(ee_pool_block *block) {
  if (block->after == NULL) return false;
  block->before->after = block->after;
  block->after->before = block->before;
  return true;
}

void ee_pool_add(ee_pool_block *block) {
  bool locked = lock_rings();
  list_block(block);
  unlock_rings(locked);
}

void ee_pool_remove(ee_pool_block *block) {
  bool locked = lock_rings();
  unlist_block(block);
  unlock_rings(locked);
}

/* A block of a shared pool is not in the list while it moves: its neighbours change it. */
static ee_pool_block *resize_apart(ee_pool_block *block, size_t size) {
  bool locked = lock_rings(), listed = unlist_block(block);
  unlock_rings(locked);
  ee_pool_block *moved = realloc(block, size), *kept = moved != NULL ? moved : block;
  kept->before = kept->after = NULL;
  if (listed) ee_pool_add(kept);
  return moved;
}

ee_pool_block *ee_pool_resize(ee_pool_block *block, size_t size) {
  if (current != NULL && current->shared) return resize_apart(block, size);
  ee_pool_block *moved = realloc(block, size);
  if (moved != NULL && moved->after != NULL) moved->before->after = moved->after->before = moved;
  return moved;
}
