/* recovery.h: where a thread goes on when there is no memory left.
 *
 *   ee_recovery recovery;
 *   ee_recovery_begin(&recovery, &pool);            the pool is the thread's current one from now on
 *   if (EE_RECOVERY_POINT(&recovery)) {             false at first
 *     ... out of memory: everything in the pool is discarded, the recovery point is gone ...
 *   } else {
 *     ... work ...
 *     ee_recovery_end(&recovery);
 *   }
 *
 * Recovery points of a thread nest; each has a pool of its own. Variables that are changed between the two branches
 * must be volatile. Locks that outlive the pool, changes of the process (signal masks, the current folder) and the
 * locale are the business of whoever sets the point or of a cleanup. */
#ifndef EE_BASE_RECOVERY_H
#define EE_BASE_RECOVERY_H

#include <setjmp.h>
#include <stdbool.h>

#include "base/pool.h"

typedef struct ee_recovery ee_recovery;
struct ee_recovery {
  jmp_buf where;
  ee_pool *pool, *pool_before;
  ee_recovery *outer;
  bool helper;
};

void ee_recovery_begin(ee_recovery *recovery, ee_pool *pool);
/* The same on a thread that works for another one, with its pool, which is shared: without memory only what lies on
 * this thread's stack is cleaned up, and the rest remains for the other thread, which discards the pool. */
void ee_recovery_begin_helper(ee_recovery *recovery, ee_pool *pool);
void ee_recovery_end(ee_recovery *recovery);

#define EE_RECOVERY_POINT(recovery) (_setjmp((recovery)->where) != 0)

/* Discards the pool of the thread's innermost recovery point and goes there; returns if there is none. */
void ee_recovery_return(void);

#endif
