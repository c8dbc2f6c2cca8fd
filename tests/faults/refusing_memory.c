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
long test_memory_held(void) { return held; }

static bool refuses(void) {
  requests++;
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
