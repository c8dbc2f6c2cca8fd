/* given_source.c: the sources of a thread. */
#include "data/files/given_source.h"

#include <string.h>

static _Thread_local ee_given_sources *current;

ee_given_sources *ee_given_sources_enter(ee_given_sources *sources) {
  ee_given_sources *before = current;
  current = sources;
  return before;
}

ee_given_sources *ee_given_sources_current(void) { return current; }

ee_given_source *ee_given_source_find(const char *name) {
  for (size_t i = 0; current != NULL && i < current->count; i++)
    if (strcmp(current->items[i].name, name) == 0) return &current->items[i];
  return NULL;
}

ee_status ee_given_source_open(ee_given_source *source, ee_error *error) {
  if (source->text != NULL) return EE_OK;
  pthread_mutex_lock(&current->lock);
  bool again = source->opened;
  source->opened = true;
  pthread_mutex_unlock(&current->lock);
  if (!again) return EE_OK;
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot open '%s': a source that is read can be read only once",
                      source->name);
}
