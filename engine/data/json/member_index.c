/* member_index.c: an open hash table from keys to members, in an arena. */
#include "data/json/member_index.h"

#include "base/hash.h"

#define FIRST_SLOTS 64u

static uint64_t hash_of_key(ee_str key) { return ee_hash_bytes(key.data, key.length, 0); }

/* The slot that holds `key`, or the free one where it belongs. */
static ee_member_slot *find_slot(const ee_member_index *index, ee_str key, uint64_t hash) {
  size_t at = (size_t)hash & index->mask;
  while (index->slots[at].member != NULL) {
    if (index->slots[at].hash == hash && ee_str_equal(ee_value_key(index->slots[at].member), key)) break;
    at = (at + 1) & index->mask;
  }
  return &index->slots[at];
}

/* The old slots stay behind in the arena: all of them together are no larger than the new ones. */
static void double_slots(ee_arena *arena, ee_member_index *index) {
  ee_member_slot *old = index->slots;
  size_t old_count = index->mask + 1;
  index->mask = old_count * 2 - 1;
  index->slots = EE_NEW_ARRAY(arena, ee_member_slot, old_count * 2);
  for (size_t i = 0; i < old_count; i++) {
    if (old[i].member == NULL) continue;
    size_t at = (size_t)old[i].hash & index->mask;
    while (index->slots[at].member != NULL) at = (at + 1) & index->mask;
    index->slots[at] = old[i];
  }
}

ee_value *ee_member_index_put(ee_arena *arena, ee_member_index *index, ee_value *member, bool replace) {
  ee_str key = ee_value_key(member);
  uint64_t hash = hash_of_key(key);
  ee_member_slot *slot = find_slot(index, key, hash);
  ee_value *before = slot->member;
  if (before != NULL) {
    if (replace) slot->member = member;
    return before;
  }
  *slot = (ee_member_slot){hash, member};
  index->used += 1;
  if (index->used * 2 > index->mask) double_slots(arena, index);
  return NULL;
}

ee_member_index *ee_member_index_new(ee_arena *arena, const ee_value *object) {
  size_t slots = FIRST_SLOTS;
  while (slots < (size_t)object->length * 2 + 2) slots *= 2;
  ee_member_index *index = EE_NEW(arena, ee_member_index);
  index->slots = EE_NEW_ARRAY(arena, ee_member_slot, slots);
  index->mask = slots - 1;
  for (const ee_value *member = ee_value_child(object); member != NULL; member = ee_value_next(member))
    ee_member_index_put(arena, index, (ee_value *)member, true);
  return index;
}

ee_value *ee_member_index_find(const ee_member_index *index, ee_str key) {
  return find_slot(index, key, hash_of_key(key))->member;
}
