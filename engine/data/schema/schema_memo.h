/* schema_memo.h: a number for a value of a document and a schema's id.
 *
 * Layer: data, and private to the files of json_schema.h. Open addressing, by the value's address; grows in an arena.
 * All zero but for the arena is an empty one. */
#ifndef EE_DATA_SCHEMA_SCHEMA_MEMO_H
#define EE_DATA_SCHEMA_SCHEMA_MEMO_H

#include "base/arena.h"
#include "data/json/value.h"

typedef struct ee_schema_memo_slot {
  const ee_value *value; /* NULL: the slot is free */
  uint32_t id;
  uint64_t number;
} ee_schema_memo_slot;

typedef struct ee_schema_memo {
  ee_arena *arena;
  ee_schema_memo_slot *slots;
  size_t room, used;
} ee_schema_memo;

/* 0 when there is none. */
uint64_t ee_schema_memo_get(const ee_schema_memo *memo, const ee_value *value, uint32_t id);
/* `number` is not 0; takes the place of one that is there. */
void ee_schema_memo_put(ee_schema_memo *memo, const ee_value *value, uint32_t id, uint64_t number);

#endif
