/* extraction_keys.c: sets of extractions, as sorted lists. */
#include "judge/extraction/extraction_keys.h"

#include "prim/sort.h"

/* A text that is missing stands before all texts. */
static int compare_texts(ee_str a, ee_str b) {
  if (a.data == NULL || b.data == NULL) return (a.data != NULL) - (b.data != NULL);
  return ee_str_compare(a, b);
}

static int compare_keys(const ee_extraction_key *a, const ee_extraction_key *b) {
  if (a->has_offsets != b->has_offsets) return a->has_offsets ? 1 : -1;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  if (a->end != b->end) return a->end < b->end ? -1 : 1;
  int order = compare_texts(a->extraction_class, b->extraction_class);
  return order != 0 ? order : compare_texts(a->quote, b->quote);
}

static bool keys_before(const ee_extraction_key *a, const ee_extraction_key *b) { return compare_keys(a, b) < 0; }
EE_DEFINE_SORT(sort_keys, ee_extraction_key, keys_before)

ee_extraction_keys ee_extraction_keys_make(ee_extraction_key *items, size_t count, ee_arena *arena) {
  ee_extraction_keys keys = {.items = items};
  sort_keys(items, count, arena);
  for (size_t i = 0; i < count; i++)
    if (keys.count == 0 || compare_keys(&items[keys.count - 1], &items[i]) != 0) items[keys.count++] = items[i];
  return keys;
}

/* A key that is to get its number. */
typedef struct numbered {
  const ee_extraction_key *key;
  uint32_t *number;
} numbered;

static bool numbered_before(const numbered *a, const numbered *b) { return compare_keys(a->key, b->key) < 0; }
EE_DEFINE_SORT(sort_numbered, numbered, numbered_before)

void ee_extraction_keys_number(ee_extraction_keys *sets, size_t count, ee_arena *arena) {
  size_t total = 0, at = 0;
  for (size_t i = 0; i < count; i++) total += sets[i].count;
  uint32_t *numbers = ee_arena_alloc(arena, (total + 1) * sizeof *numbers);
  ee_arena_mark mark = ee_arena_get_mark(arena);
  numbered *all = ee_arena_alloc(arena, (total + 1) * sizeof *all);
  for (size_t i = 0; i < count; i++) {
    sets[i].numbers = numbers + at;
    for (size_t k = 0; k < sets[i].count; k++, at++) all[at] = (numbered){&sets[i].items[k], &numbers[at]};
  }
  sort_numbered(all, total, arena);
  uint32_t number = 0;
  for (size_t i = 0; i < total; i++) {
    number += i > 0 && compare_keys(all[i - 1].key, all[i].key) != 0;
    *all[i].number = number;
  }
  ee_arena_rewind(arena, mark);
}

static size_t shared_numbers(const ee_extraction_keys *a, const ee_extraction_keys *b) {
  size_t i = 0, k = 0, shared = 0;
  while (i < a->count && k < b->count) {
    uint32_t left = a->numbers[i], right = b->numbers[k];
    shared += left == right;
    i += left <= right;
    k += left >= right;
  }
  return shared;
}

size_t ee_extraction_keys_shared(const ee_extraction_keys *a, const ee_extraction_keys *b) {
  if (a->numbers != NULL && b->numbers != NULL) return shared_numbers(a, b);
  size_t i = 0, k = 0, shared = 0;
  while (i < a->count && k < b->count) {
    int order = compare_keys(&a->items[i], &b->items[k]);
    shared += order == 0;
    i += order <= 0;
    k += order >= 0;
  }
  return shared;
}

ee_extraction_keys ee_extraction_keys_union(const ee_extraction_keys *a, const ee_extraction_keys *b, ee_arena *arena) {
  ee_extraction_keys keys = {.items = EE_NEW_ARRAY(arena, ee_extraction_key, a->count + b->count + 1)};
  size_t i = 0, k = 0;
  while (i < a->count || k < b->count) {
    int order = i == a->count ? 1 : k == b->count ? -1 : compare_keys(&a->items[i], &b->items[k]);
    keys.items[keys.count++] = order <= 0 ? a->items[i] : b->items[k];
    i += order <= 0;
    k += order >= 0;
  }
  return keys;
}

double ee_extraction_jaccard(uint64_t shared, uint64_t a, uint64_t b) {
  uint64_t either = a + b - shared;
  return either > 0 ? (double)shared / (double)either : 1;
}
