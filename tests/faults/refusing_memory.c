/* refusing_memory.c: malloc() and its like, by symbol interposition or by the linker. */
#include "faults/refusing_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local size_t requests, refused;
static _Thread_local bool refuses_on;
static atomic_long held; /* of all threads: one may free what another took */

void test_refuse_memory(size_t n, bool on) {
  requests = 0;
  refused = n;
  refuses_on = on;
}

size_t test_memory_requests(void) { return requests; }

static atomic_size_t all_requests, all_refused;
static atomic_bool all_refuse_on;

void test_refuse_memory_of_all(size_t n, bool on) {
  all_refused = 0;
  all_requests = 0;
  all_refuse_on = on;
  all_refused = n;
}

size_t test_memory_requests_of_all(void) { return all_requests; }

long test_memory_held(void) { return held; }

static bool refuses(void) {
  requests++;
  size_t number = ++all_requests, of_all = all_refused;
  if (of_all > 0 && (number == of_all || (number > of_all && all_refuse_on))) {
    errno = ENOMEM;
    return true;
  }
  if (refused == 0 || requests < refused || (requests > refused && !refuses_on)) return false;
  errno = ENOMEM;
  return true;
}

#ifdef EE_TEST_WRAPS
#define OURS(name) __wrap_##name
#define THEIRS(name) __real_##name
#else
#define OURS(name) name
#define THEIRS(name) __libc_##name
#endif

extern void *THEIRS(malloc)(size_t size);
extern void *THEIRS(calloc)(size_t count, size_t size);
extern void *THEIRS(realloc)(void *memory, size_t size);
extern void THEIRS(free)(void *memory);
/* So that libraries see them. */
#define VISIBLE __attribute__((visibility("default")))
VISIBLE void *OURS(malloc)(size_t size);
VISIBLE void *OURS(calloc)(size_t count, size_t size);
VISIBLE void *OURS(realloc)(void *memory, size_t size);
VISIBLE void OURS(free)(void *memory);

void *OURS(malloc)(size_t size) {
  void *memory = refuses() ? NULL : THEIRS(malloc)(size);
  held += memory != NULL;
  return memory;
}

void *OURS(calloc)(size_t count, size_t size) {
  void *memory = refuses() ? NULL : THEIRS(calloc)(count, size);
  held += memory != NULL;
  return memory;
}

void *OURS(realloc)(void *memory, size_t size) {
  if (refuses()) return NULL;
  void *moved = THEIRS(realloc)(memory, size);
  if (memory == NULL)
    held += moved != NULL;
  else
    held -= size == 0 && moved == NULL;
  return moved;
}

void OURS(free)(void *memory) {
  held -= memory != NULL;
  THEIRS(free)(memory);
}

#ifdef EE_TEST_WRAPS
/* The C library's strdup() takes memory that the linker does not redirect, and which our free() gives back. */
VISIBLE char *OURS(strdup)(const char *text);

char *OURS(strdup)(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = OURS(malloc)(size);
  return copy != NULL ? memcpy(copy, text, size) : NULL;
}
#endif
