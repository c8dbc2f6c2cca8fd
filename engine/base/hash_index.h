/* hash_index.h: 64-bit hashes, and an index from hashes to entries of an array that the caller owns. */
#ifndef EE_BASE_HASH_INDEX_H
#define EE_BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* XXH3-64 of `length` bytes with `seed`: the same on every machine and in every release. `data` may be NULL if `length`
 * is 0. */
uint64_t ee_hash_bytes(const void *data, size_t length, uint64_t seed);
/* The same of `count` numbers (whole or double) of `size` bytes each, 4 or 8, as they lie in a little-endian memory,
 * for hashes that are printed, stored or compared with those of another machine. */
uint64_t ee_hash_numbers(const void *numbers, size_t size, size_t count, uint64_t seed);

/* Mixes the bits of `value`; a bijection. */
static inline uint64_t ee_hash_mix(uint64_t value) {
  value ^= value >> 32;
  value *= UINT64_C(0xd6e8feb86659fd93);
  value ^= value >> 32;
  value *= UINT64_C(0xd6e8feb86659fd93);
  value ^= value >> 32;
  return value;
}

/* Maps hashes to numbers, the caller's indexes of entries. Open addressing, at most half full; entries cannot be
 * removed one by one. The caller compares the entries: the index knows only their hashes. All zero is a valid empty
 * index that uses malloc; set `arena` to allocate there. */
typedef struct ee_hash_index {
  ee_arena *arena; /* NULL: malloc; call ee_hash_index_fini() */
  struct ee_hash_slot {
    uint64_t hash;
    size_t number; /* the number plus 1; 0: a free slot */
  } * slots;
  size_t capacity; /* a power of two, or 0 */
  size_t count;
} ee_hash_index;

/* Adds `number` under `hash`; several numbers may have one hash. Amortised O(1). */
void ee_hash_index_add(ee_hash_index *index, uint64_t hash, size_t number);

/* Makes room for `count` numbers in total, so that the index does not grow while they are added. */
void ee_hash_index_reserve(ee_hash_index *index, size_t count);

/* Removes all numbers and keeps the memory. */
void ee_hash_index_clear(ee_hash_index *index);

/* Frees the memory of an index without an arena; it is then empty. */
void ee_hash_index_fini(ee_hash_index *index);

/* Walks the numbers under `hash`, in the order in which they were added:
 *
 *   size_t at = 0, number;
 *   while (ee_hash_index_next(&index, hash, &at, &number)) ...
 *
 * False at the end. Do not add during the walk. */
static inline bool ee_hash_index_next(const ee_hash_index *index, uint64_t hash, size_t *at, size_t *number) {
  for (; *at < index->capacity; *at += 1) {
    const struct ee_hash_slot *slot = &index->slots[((size_t)hash + *at) & (index->capacity - 1)];
    if (slot->number == 0) return false;
    if (slot->hash != hash) continue;
    *number = slot->number - 1;
    *at += 1;
    return true;
  }
  return false;
}

#endif
