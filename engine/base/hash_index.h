/* hash_index.h: from hashes to numbers of entries that somebody else holds.
 *
 * Open addressing in an arena, at most half full; nothing is ever taken out. */
#ifndef EE_BASE_HASH_INDEX_H
#define EE_BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef struct ee_hash_index {
  ee_arena *arena;
  struct ee_number_slot {
    uint64_t hash;
    size_t number; /* plus 1; 0: free */
  } * slots;
  size_t capacity; /* a power of two, or 0 */
  size_t count;
} ee_hash_index;

/* Adds `number` under `hash`; several may share one. Amortised O(1). */
void ee_hash_index_add(ee_hash_index *index, uint64_t hash, size_t number);

/* Walks the numbers under `hash`, in the order in which they were added:
 *
 *   size_t at = 0, number;
 *   while (ee_hash_index_next(&index, hash, &at, &number)) ...
 *
 * False at the end. Nothing may be added meanwhile. */
static inline bool ee_hash_index_next(const ee_hash_index *index, uint64_t hash, size_t *at, size_t *number) {
  for (; *at < index->capacity; *at += 1) {
    const struct ee_number_slot *slot = &index->slots[((size_t)hash + *at) & (index->capacity - 1)];
    if (slot->number == 0) return false;
    if (slot->hash != hash) continue;
    *number = slot->number - 1;
    *at += 1;
    return true;
  }
  return false;
}

#endif
