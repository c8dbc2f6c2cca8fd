/* bench_keys.c: sets of extractions. */
#include "report/bench_keys.h"

#include <math.h>
#include <stdlib.h>

static ee_str text_of(const ee_value *object, const char *name) {
  const ee_value *value = ee_value_member(object, ee_str_from(name), NULL);
  return ee_type_of(value) == EE_STRING ? ee_value_text(value) : (ee_str){NULL, 0};
}

static bool read_offset(const ee_value *object, const char *name, int64_t *offset) {
  const ee_value *value = ee_value_member(object, ee_str_from(name), NULL);
  if (ee_type_of(value) != EE_NUMBER || !(fabs(ee_value_number(value)) <= 0x1p53)) return false;
  *offset = (int64_t)ee_value_number(value);
  return true;
}

static ee_bench_key key_of(const ee_value *node) {
  ee_bench_key key = {.extraction_class = text_of(node, "extractionClass"), .quote = text_of(node, "quote")};
  key.has_offsets = read_offset(node, "charStart", &key.start) && read_offset(node, "charEnd", &key.end);
  if (!key.has_offsets) key.start = key.end = 0;
  return key;
}

/* Texts that are missing first. */
static int compare_texts(ee_str a, ee_str b) {
  if (a.data == NULL || b.data == NULL) return (a.data != NULL) - (b.data != NULL);
  return ee_str_compare(a, b);
}

int ee_bench_key_compare(const ee_bench_key *a, const ee_bench_key *b) {
  if (a->has_offsets != b->has_offsets) return a->has_offsets ? 1 : -1;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  if (a->end != b->end) return a->end < b->end ? -1 : 1;
  int order = compare_texts(a->extraction_class, b->extraction_class);
  return order != 0 ? order : compare_texts(a->quote, b->quote);
}

static int compare_items(const void *left, const void *right) { return ee_bench_key_compare(left, right); }

ee_bench_keys ee_bench_keys_of(const ee_value *extractions, ee_arena *arena) {
  size_t length = ee_type_of(extractions) == EE_ARRAY ? ee_value_count(extractions) : 0;
  ee_bench_keys keys = {EE_NEW_ARRAY(arena, ee_bench_key, length + 1), 0};
  if (length == 0) return keys;
  const ee_value *node = ee_value_child(extractions);
  for (size_t i = 0; i < length; i++, node = ee_value_next(node)) keys.items[i] = key_of(node);
  qsort(keys.items, length, sizeof *keys.items, compare_items);
  for (size_t i = 0; i < length; i++)
    if (keys.count == 0 || ee_bench_key_compare(&keys.items[keys.count - 1], &keys.items[i]) != 0)
      keys.items[keys.count++] = keys.items[i];
  return keys;
}

size_t ee_bench_keys_shared(const ee_bench_keys *a, const ee_bench_keys *b) {
  size_t i = 0, k = 0, both = 0;
  while (i < a->count && k < b->count) {
    int order = ee_bench_key_compare(&a->items[i], &b->items[k]);
    both += order == 0;
    i += order <= 0;
    k += order >= 0;
  }
  return both;
}

ee_bench_keys ee_bench_keys_union(const ee_bench_keys *a, const ee_bench_keys *b, ee_arena *arena) {
  ee_bench_keys keys = {EE_NEW_ARRAY(arena, ee_bench_key, a->count + b->count + 1), 0};
  size_t i = 0, k = 0;
  while (i < a->count || k < b->count) {
    int order = i == a->count ? 1 : k == b->count ? -1 : ee_bench_key_compare(&a->items[i], &b->items[k]);
    keys.items[keys.count++] = order <= 0 ? a->items[i] : b->items[k];
    i += order <= 0;
    k += order >= 0;
  }
  return keys;
}
