/* bench_keys.c: sets of extractions, read from a run. */
#include "report/bench_keys.h"

static ee_str text_of(const ee_value *object, const char *name) {
  const ee_value *value = ee_value_member(object, ee_str_from(name), NULL);
  return ee_type_of(value) == EE_STRING ? ee_value_text(value) : (ee_str){NULL, 0};
}

bool ee_bench_offsets_of(const ee_value *extraction, int64_t *start, int64_t *end) {
  int64_t first, last;
  if (!ee_value_whole(ee_value_member(extraction, EE_STR("charStart"), NULL), &first) ||
      !ee_value_whole(ee_value_member(extraction, EE_STR("charEnd"), NULL), &last))
    return false;
  *start = first;
  *end = last;
  return true;
}

static ee_extraction_key key_of(const ee_value *node) {
  ee_extraction_key key = {.extraction_class = text_of(node, "extractionClass"), .quote = text_of(node, "quote")};
  key.has_offsets = ee_bench_offsets_of(node, &key.start, &key.end);
  return key;
}

ee_extraction_keys ee_bench_keys_of(const ee_value *extractions, ee_arena *arena) {
  size_t length = ee_type_of(extractions) == EE_ARRAY ? ee_value_count(extractions) : 0;
  if (length == 0) return (ee_extraction_keys){0};
  ee_extraction_key *keys = EE_NEW_ARRAY(arena, ee_extraction_key, length);
  const ee_value *node = ee_value_child(extractions);
  for (size_t i = 0; i < length; i++, node = ee_value_next(node)) keys[i] = key_of(node);
  return ee_extraction_keys_make(keys, length, arena);
}
