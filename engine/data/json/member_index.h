/* member_index.h: from a key to the member of a large object.
 *
 * Every object of more than EE_INDEX_ABOVE members has one; the reader needs it anyway
 * to find duplicate keys in linear time, so it is made while the object grows and never later. */
#ifndef EE_DATA_JSON_MEMBER_INDEX_H
#define EE_DATA_JSON_MEMBER_INDEX_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "data/json/value.h"

#define EE_INDEX_ABOVE 16u

typedef struct ee_member_slot {
  uint64_t hash;
  ee_value *member; /* NULL: the slot is free */
} ee_member_slot;

/* Open addressing with linear probing, at most half full; the number of slots is a power of two. */
struct ee_member_index {
  ee_member_slot *slots;
  size_t mask;
  size_t used;
};

/* An index of the members that `object` has now. */
ee_member_index *ee_member_index_new(ee_arena *arena, const ee_value *object);

/* Adds `member` unless there is one with its key: that one is returned (NULL when there was none), and stays or is
 * replaced by `member` as `replace` says. */
ee_value *ee_member_index_put(ee_arena *arena, ee_member_index *index, ee_value *member, bool replace);

/* The member called `key`, or NULL. */
ee_value *ee_member_index_find(const ee_member_index *index, ee_str key);

#endif
