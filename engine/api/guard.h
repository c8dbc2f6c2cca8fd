/* guard.h: a call of the C API: its locale, and where it goes on when memory runs out. */
#ifndef EE_API_GUARD_H
#define EE_API_GUARD_H

#include "base/error.h"
#include "base/pool.h"

/* Runs function(call) in the "C" locale, with a place to return to when memory runs out. False: it did, and everything
 * in `pool` is gone. */
bool ee_guard(ee_pool *pool, void (*function)(void *call), void *call);

/* EE_ERROR_SYSTEM, "out of memory". `error` may be NULL. */
ee_status ee_no_memory(ee_error *error);

/* A zeroed object in no pool; NULL without memory. */
void *ee_new_object(size_t size);

#endif
