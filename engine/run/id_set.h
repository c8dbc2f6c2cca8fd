/* id_set.h: the ids of all cases so far, each with the place where it first occurred.
 *
 * Small: about 25 bytes more than the id itself. Exact for ids of up to 1 KiB; longer ones are the same if their
 * lengths and three hashes of 64 bits are. */
#ifndef EE_RUN_ID_SET_H
#define EE_RUN_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

typedef struct ee_id_chunk {
  unsigned char
      *data; /* entries: file number, line, length (each as 7-bit groups, low ones first), the id's bytes or digest */
  size_t used;
} ee_id_chunk;

typedef struct ee_id_set {
  ee_id_chunk *chunks;
  size_t chunk_count, chunk_capacity;
  uint64_t *table; /* 24 bits of the hash, 40 bits of the entry's position plus 1; 0: free */
  size_t capacity; /* a power of two */
  size_t count;
  const char **files; /* borrowed */
  size_t file_count, file_capacity;
} ee_id_set;

typedef struct ee_id_place {
  const char *file;
  uint64_t line;
} ee_id_place;

void ee_id_set_init(ee_id_set *set);
void ee_id_set_fini(ee_id_set *set);

/* The hash for ee_id_set_add(): workers compute it before their turn. */
uint64_t ee_id_hash(ee_str id);

/* Adds `id`, which occurs at `place` (whose file name must outlive the set). True if it is new; else `*first` gets the
 * place of its first occurrence. */
bool ee_id_set_add(ee_id_set *set, ee_str id, uint64_t hash, ee_id_place place, ee_id_place *first);

/* Brings what ee_id_set_add() will look at into the processor's cache, for callers that know some ids beforehand. */
static inline void ee_id_set_expect(const ee_id_set *set, uint64_t hash) {
  if (set->capacity > 0) __builtin_prefetch(&set->table[(size_t)hash & (set->capacity - 1)], 1);
}

/* Calls `take` with the hash of each id, in the order in which they were added. */
void ee_id_set_hashes(const ee_id_set *set, void (*take)(void *user, uint64_t hash), void *user);

/* The bytes of memory in use; for tests. */
size_t ee_id_set_held(const ee_id_set *set);

#endif
