/* hash_index.c: XXH3 and open addressing. */
#include "base/hash_index.h"

#include <string.h>

#include "base/memory.h"
#include "base/wide_hash.h"

/* Inlined from its header, so that the compiler can specialise short lengths. */
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t ee_hash_bytes(const void *data, size_t length, uint64_t seed) {
#ifdef EE_WIDE_HASH
  if (length > EE_SHORT_HASH && ee_has_wide_hash()) return ee_wide_hash(data, length, seed);
#endif
  return XXH3_64bits_withSeed(data, length, seed);
}

uint64_t ee_hash_numbers(const void *numbers, size_t size, size_t count, uint64_t seed) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return ee_hash_bytes(numbers, size * count, seed);
#else
  char *turned = ee_malloc(size * count + 1);
  for (size_t i = 0; i < size * count; i++) turned[i] = ((const char *)numbers)[i / size * size + size - 1 - i % size];
  uint64_t hash = ee_hash_bytes(turned, size * count, seed);
  ee_free(turned);
  return hash;
#endif
}

#define FIRST_CAPACITY 16 /* a power of two */

static void put(ee_hash_index *index, uint64_t hash, size_t number) {
  size_t at = (size_t)hash & (index->capacity - 1);
  while (index->slots[at].number != 0) at = (at + 1) & (index->capacity - 1);
  index->slots[at] = (struct ee_hash_slot){hash, number};
}

/* In an arena, the old slots are not freed; all of them together are smaller than the new ones. */
static void grow(ee_hash_index *index, size_t capacity) {
  ee_hash_index old = *index;
  index->capacity = capacity;
  index->slots = index->arena != NULL ? EE_NEW_ARRAY(index->arena, struct ee_hash_slot, index->capacity)
                                      : ee_calloc(index->capacity, sizeof *index->slots);
  /* Starting at a free slot keeps the numbers under one hash in order even if they wrap around the end of the table. */
  size_t start = 0;
  while (start < old.capacity && old.slots[start].number != 0) start++;
  for (size_t i = 0; i < old.capacity; i++) {
    const struct ee_hash_slot *slot = &old.slots[(start + i) & (old.capacity - 1)];
    if (slot->number != 0) put(index, slot->hash, slot->number);
  }
  if (index->arena == NULL) ee_free(old.slots);
}

void ee_hash_index_reserve(ee_hash_index *index, size_t count) {
  size_t capacity = index->capacity > 0 ? index->capacity : FIRST_CAPACITY;
  while (capacity / 2 < count) capacity *= 2;
  if (capacity > index->capacity) grow(index, capacity);
}

void ee_hash_index_add(ee_hash_index *index, uint64_t hash, size_t number) {
  if ((index->count + 1) * 2 > index->capacity) grow(index, index->capacity > 0 ? index->capacity * 2 : FIRST_CAPACITY);
  put(index, hash, number + 1);
  index->count++;
}

void ee_hash_index_clear(ee_hash_index *index) {
  if (index->count > 0) memset(index->slots, 0, index->capacity * sizeof *index->slots);
  index->count = 0;
}

void ee_hash_index_fini(ee_hash_index *index) {
  if (index->arena == NULL) ee_free(index->slots);
  *index = (ee_hash_index){.arena = index->arena};
}
