/* pool.h: what a call of the C API has taken and not given back: blocks of memory and handles of other libraries.
 *
 * A pool lists the blocks of base/memory.h and the cleanups that its thread made while the pool was the thread's
 * current one. Discarding it runs the cleanups, the newest first, and frees the blocks, whatever state the objects in
 * them are in. That is the way out of a call that ran out of memory (base/recovery.h). Without a current pool, as in
 * the program, nothing is listed.
 *
 * A pool belongs to one thread at a time; blocks and cleanups may leave it while it is not current. While several
 * threads work for one call it is shared (ee_pool_share()): it is then the current one of all of them. */
#ifndef EE_BASE_POOL_H
#define EE_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before each block of base/memory.h; both NULL: in no pool. */
typedef struct ee_pool_block ee_pool_block;
struct ee_pool_block {
  _Alignas(16) ee_pool_block *before;
  ee_pool_block *after;
};

/* What is to be done for something that is not memory of base/memory.h: a file, a handle of a library. It lies in the
 * object that owns the thing, or on the stack of the function that does. All zero: not in use. */
typedef struct ee_cleanup ee_cleanup;
struct ee_cleanup {
  ee_cleanup *before, *after;
  void (*run)(void *thing);
  void *thing;
};

typedef struct ee_pool {
  ee_pool_block blocks; /* a ring with this one as its anchor */
  ee_cleanup cleanups;  /* likewise; the newest follows the anchor */
  bool shared;
} ee_pool;

void ee_pool_init(ee_pool *pool);

/* Runs all cleanups and frees all blocks. The pool is then empty, and may be used again. `run` of a cleanup may call
 * ee_cleanup_remove() and ee_free(), but must not allocate. */
void ee_pool_discard(ee_pool *pool);

/* From now on several threads may have the pool as their current one, or (false) no longer. By the only one that has.
 */
void ee_pool_share(ee_pool *pool, bool shared);

/* Runs those of the current pool's cleanups that lie at addresses from `low` to before `high`: on a part of this
 * thread's stack that is about to be left. */
void ee_pool_clean_stack(uintptr_t low, uintptr_t high);

/* Makes `pool` (NULL: none) the thread's current one; returns the one before. */
ee_pool *ee_pool_enter(ee_pool *pool);

ee_pool *ee_pool_current(void);

/* Lists a cleanup: `run(thing)` if the current pool is discarded. Without a current pool only marks it as not listed.
 */
void ee_cleanup_add(ee_cleanup *cleanup, void (*run)(void *thing), void *thing);
/* Takes it off the list, if it is there: the owner closes the thing itself. */
void ee_cleanup_remove(ee_cleanup *cleanup);

/* For base/memory.c: lists a new block, takes one off the list, resizes one as realloc() does. */
void ee_pool_add(ee_pool_block *block);
void ee_pool_remove(ee_pool_block *block);
ee_pool_block *ee_pool_resize(ee_pool_block *block, size_t size);

#endif
