/* schema_node.c: what compiling and validating share. */
#include "data/schema/schema_node.h"

#include "base/hash_index.h"

const ee_schema_type ee_schema_types[EE_SCHEMA_TYPES] = {
    {"null", "null", EE_TYPE_BIT(EE_NULL)},          {"boolean", "a boolean", EE_TYPE_BIT_BOOLEAN},
    {"number", "a number", EE_TYPE_BIT(EE_NUMBER)},  {"integer", "an integer", EE_TYPE_BIT_INTEGER},
    {"string", "a string", EE_TYPE_BIT(EE_STRING)},  {"array", "an array", EE_TYPE_BIT(EE_ARRAY)},
    {"object", "an object", EE_TYPE_BIT(EE_OBJECT)},
};

static size_t escaped_length(ee_str step) {
  size_t length = step.length;
  for (size_t i = 0; i < step.length; i++) length += step.data[i] == '~' || step.data[i] == '/';
  return length;
}

ee_str ee_schema_place_text(ee_arena *arena, const ee_schema_place *place) {
  size_t length = 0;
  for (const ee_schema_place *at = place; at != NULL; at = at->above) length += 1 + escaped_length(at->step);
  char *text = ee_arena_alloc(arena, length + 1);
  char *out = text + length;
  *out = '\0';
  for (const ee_schema_place *at = place; at != NULL; at = at->above) {
    if (at->is_document) {
      *--out = '#';
      out -= at->step.length;
      memcpy(out, at->step.data, at->step.length);
      break;
    }
    for (size_t i = at->step.length; i > 0; i--) {
      char c = at->step.data[i - 1];
      if (c == '~' || c == '/') *--out = c == '~' ? '0' : '1';
      *--out = c == '/' ? '~' : c;
    }
    *--out = '/';
  }
  return (ee_str){out, (size_t)(text + length - out)};
}

const ee_schema_property *ee_schema_properties_find(const ee_schema_properties *properties, ee_str name) {
  size_t low = 0, high = properties->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = ee_str_compare(name, properties->items[middle].name);
    if (order == 0) return &properties->items[middle];
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

#define FIRST_ENTRIES 32

static uint64_t hash_of(const ee_value *value, uint32_t id) {
  return ee_hash_mix((uint64_t)(uintptr_t)value + id * UINT64_C(0x9e3779b97f4a7c15));
}

static ee_schema_memo_entry *find(const ee_schema_memo *memo, const ee_value *value, uint32_t id, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&memo->index, hash, &at, &number)) {
    ee_schema_memo_entry *entry = &memo->items[number];
    bool same = entry->value == value && entry->id == id; /* unreached: two keys of one hash */
    if (same) return entry;                               /* unreached: two keys of one hash */
  }
  return NULL;
}

uint64_t ee_schema_memo_get(const ee_schema_memo *memo, const ee_value *value, uint32_t id) {
  if (memo->count == 0) return 0;
  const ee_schema_memo_entry *found = find(memo, value, id, hash_of(value, id));
  return found != NULL ? found->number : 0;
}

void ee_schema_memo_put(ee_schema_memo *memo, const ee_value *value, uint32_t id, uint64_t number) {
  uint64_t hash = hash_of(value, id);
  ee_schema_memo_entry *entry = find(memo, value, id, hash);
  if (entry == NULL) {
    if (memo->count == 0) ee_hash_index_reserve(&memo->index, FIRST_ENTRIES);
    ee_hash_index_add(&memo->index, hash, memo->count);
    entry = EE_LIST_ADD(memo, memo->index.arena);
  }
  *entry = (ee_schema_memo_entry){value, id, number};
}
