/* given_source.h: bytes of a host's memory that take the place of a file (ee_source of evalengine.h).
 *
 * A call of the C API makes its sources those of its thread; ee_byte_source_open() and who else asks for a file by its
 * name find them first. Threads that work for the call take them over (ee_given_sources_enter()). */
#ifndef EE_DATA_FILES_GIVEN_SOURCE_H
#define EE_DATA_FILES_GIVEN_SOURCE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct ee_given_source {
  const char *name;
  const char *text; /* NULL: `read` gives the bytes, once */
  size_t length;
  /* Up to `room` bytes; `*got` 0 at the end. Called by one thread at a time. */
  ee_status (*read)(void *user, char *out, size_t room, size_t *got, ee_error *error);
  void *user;
  bool opened; /* of a source that is read; under the lock of the sources */
} ee_given_source;

typedef struct ee_given_sources {
  ee_given_source *items;
  size_t count;
  pthread_mutex_t lock;
} ee_given_sources;

/* Makes `sources` (NULL: none) those of this thread; returns the ones before. */
ee_given_sources *ee_given_sources_enter(ee_given_sources *sources);
ee_given_sources *ee_given_sources_current(void);

/* The source of this thread that is called `name`; NULL: it is a file. */
ee_given_source *ee_given_source_find(const char *name);
/* Whether the source may be opened: one that is read may be once. EE_ERROR_SYSTEM otherwise. */
ee_status ee_given_source_open(ee_given_source *source, ee_error *error);

#endif
