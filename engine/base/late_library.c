/* late_library.c: dlopen() and dlsym(), once a library. */
#include "base/late_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* The loader's reason begins with the file's name where the file is at fault. */
static ee_status failed(const ee_late_library *library, ee_error *error) {
  const char *reason = dlerror();
  if (reason == NULL) reason = "unknown reason"; /* unreached: a function at address 0 */
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot load %s: %s (Debian's package %s has it)", library->file, reason,
                      library->package);
}

static ee_status load(ee_late_library *library, ee_error *error) {
  void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return failed(library, error);
  char *place = library->table;
  for (const char *const *name = library->names; *name != NULL; name++, place += sizeof(void *)) {
    void *function = dlsym(handle, *name);
    if (function == NULL) {
      ee_status status = failed(library, error);
      dlclose(handle);
      return status;
    }
    memcpy(place, &function, sizeof function);
  }
  return EE_OK;
}

ee_status ee_late_library_load(ee_late_library *library, ee_error *error) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  if (atomic_load_explicit(&library->is_loaded, memory_order_acquire)) return EE_OK;
  pthread_mutex_lock(&mutex);
  ee_status status = EE_OK;
  /* unreached: loaded by another thread meanwhile */
  if (!atomic_load_explicit(&library->is_loaded, memory_order_relaxed)) {
    status = load(library, error);
    atomic_store_explicit(&library->is_loaded, status == EE_OK, memory_order_release);
  }
  pthread_mutex_unlock(&mutex);
  return status;
}
