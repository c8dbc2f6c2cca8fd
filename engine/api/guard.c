/* guard.c: recovery points of the C API. */
#include "api/guard.h"

#include <string.h>

#include "base/memory.h"
#include "base/recovery.h"
#include "base/runtime.h"
#include "base/work.h"

bool ee_guard(ee_pool *pool, void (*function)(void *call), void *call) {
  ee_recovery recovery;
  volatile locale_t before = (locale_t)0;
  volatile bool entered = false;
  volatile bool done = false;
  ee_recovery_begin(&recovery, pool);
  if (EE_RECOVERY_POINT(&recovery)) { /* unreached: memory is refused: make faults */
    ee_work_forget();                 /* unreached: memory is refused */
  } else {
    before = ee_locale_enter();
    entered = true;
    function(call);
    done = true;
    ee_recovery_end(&recovery);
  }
  if (entered) ee_locale_leave(before); /* unreached: memory is refused */
  return done;
}

ee_status ee_no_memory(ee_error *error) { return ee_error_set(error, EE_ERROR_SYSTEM, "out of memory"); }

void *ee_new_object(size_t size) {
  void *object = ee_try_realloc(NULL, size);
  return object != NULL ? memset(object, 0, size) : NULL; /* unreached: memory is refused: make faults */
}
