/* recovery.c: the recovery points of a thread. */
#include "base/recovery.h"

#include <stddef.h>

static _Thread_local ee_recovery *innermost;

void ee_recovery_begin(ee_recovery *recovery, ee_pool *pool) {
  recovery->pool = pool;
  recovery->pool_before = ee_pool_enter(pool);
  recovery->outer = innermost;
  recovery->helper = false;
  innermost = recovery;
}

void ee_recovery_begin_helper(ee_recovery *recovery, ee_pool *pool) {
  ee_recovery_begin(recovery, pool);
  recovery->helper = true;
}

void ee_recovery_end(ee_recovery *recovery) {
  innermost = recovery->outer;
  ee_pool_enter(recovery->pool_before);
}

/* The pool is discarded before the jump, while cleanups on the stack still exist. A cleanup that runs out of memory
 * itself comes back here, and the others still run, since it has left the list. */
void ee_recovery_return(void) {
  ee_recovery *recovery = innermost;
  if (recovery == NULL) return;
  if (recovery->helper)
    ee_pool_clean_stack((uintptr_t)__builtin_frame_address(0), (uintptr_t)recovery);
  else
    ee_pool_discard(recovery->pool);
  ee_recovery_end(recovery);
  _longjmp(recovery->where, 1);
}
