/* hash_index.c: from hashes to numbers. */
#include "base/hash_index.h"

static void put(ee_hash_index *index, uint64_t hash, size_t number) {
  size_t at = (size_t)hash & (index->capacity - 1);
  while (index->slots[at].number != 0) at = (at + 1) & (index->capacity - 1);
  index->slots[at] = (struct ee_number_slot){hash, number};
}

/* The slots of before stay in the arena: all of them together take no more than the new ones. */
static void grow(ee_hash_index *index) {
  ee_hash_index old = *index;
  index->capacity = old.capacity > 0 ? old.capacity * 2 : 16;
  index->slots = EE_NEW_ARRAY(index->arena, struct ee_number_slot, index->capacity);
  /* From a free slot on, so that numbers of one hash keep their order where they wrap around the end. */
  size_t start = 0;
  while (start < old.capacity && old.slots[start].number != 0) start++;
  for (size_t i = 0; i < old.capacity; i++) {
    const struct ee_number_slot *slot = &old.slots[(start + i) & (old.capacity - 1)];
    if (slot->number != 0) put(index, slot->hash, slot->number);
  }
}

void ee_hash_index_add(ee_hash_index *index, uint64_t hash, size_t number) {
  if ((index->count + 1) * 2 > index->capacity) grow(index);
  put(index, hash, number + 1);
  index->count++;
}
