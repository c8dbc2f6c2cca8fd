/* schema_memo.c: a hash table of numbers. */
#include "data/schema/schema_memo.h"

#include "base/hash.h"

/* The slot of value and id, or the free one where it would stand. */
static ee_schema_memo_slot *find(const ee_schema_memo *memo, const ee_value *value, uint32_t id) {
  size_t at = (size_t)ee_hash_mix((uint64_t)(uintptr_t)value + id * UINT64_C(0x9e3779b97f4a7c15)) & (memo->room - 1);
  while (memo->slots[at].value != NULL && (memo->slots[at].value != value || memo->slots[at].id != id))
    at = (at + 1) & (memo->room - 1);
  return &memo->slots[at];
}

uint64_t ee_schema_memo_get(const ee_schema_memo *memo, const ee_value *value, uint32_t id) {
  return memo->room > 0 ? find(memo, value, id)->number : 0;
}

static void grow(ee_schema_memo *memo) {
  ee_schema_memo before = *memo;
  memo->room = before.room > 0 ? before.room * 2 : 64;
  memo->slots = EE_NEW_ARRAY(memo->arena, ee_schema_memo_slot, memo->room);
  for (size_t i = 0; i < before.room; i++) {
    const ee_schema_memo_slot *slot = &before.slots[i];
    if (slot->value != NULL) *find(memo, slot->value, slot->id) = *slot;
  }
}

void ee_schema_memo_put(ee_schema_memo *memo, const ee_value *value, uint32_t id, uint64_t number) {
  if ((memo->used + 1) * 2 > memo->room) grow(memo);
  ee_schema_memo_slot *slot = find(memo, value, id);
  if (slot->value == NULL) memo->used++;
  *slot = (ee_schema_memo_slot){value, id, number};
}
