/* selection.c: from the id of a case to the numbers of its judges. */
#include "judge/selection.h"

#include "base/hash_index.h"

typedef struct selected_case {
  ee_str id;
  const uint32_t *judges; /* never NULL */
  size_t count;
} selected_case;

struct ee_selection {
  ee_hash_index index; /* by the hash of the id */
  selected_case *cases;
  size_t count, capacity;
  /* Most cases have the same judges as the one before. */
  const uint32_t *last_judges;
  size_t last_count;
  uint64_t hash;
};

static const uint32_t no_judges[1];

ee_selection *ee_selection_new(ee_arena *arena) {
  ee_selection *selection = EE_NEW(arena, ee_selection);
  selection->index.arena = arena;
  return selection;
}

static const selected_case *find(const ee_selection *selection, ee_str id, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&selection->index, hash, &at, &number)) {
    if (ee_str_equal(selection->cases[number].id, id)) return &selection->cases[number];
  }
  return NULL;
}

static const uint32_t *copy_judges(ee_selection *selection, const uint32_t *judges, size_t count) {
  if (count == 0) return no_judges;
  size_t size = count * sizeof *judges;
  bool same = count == selection->last_count && memcmp(judges, selection->last_judges, size) == 0;
  if (!same) {
    uint32_t *copy = EE_NEW_ARRAY(selection->index.arena, uint32_t, count);
    memcpy(copy, judges, size);
    selection->last_judges = copy;
    selection->last_count = count;
  }
  return selection->last_judges;
}

void ee_selection_add(ee_selection *selection, ee_str id, const uint32_t *judges, size_t count) {
  ee_arena *arena = selection->index.arena;
  uint64_t hash = ee_hash_bytes(id.data, id.length, 0);
  if (find(selection, id, hash) != NULL) return;
  if (selection->count == selection->capacity) {
    size_t capacity = selection->capacity > 0 ? selection->capacity * 2 : 16;
    selected_case *cases = EE_NEW_ARRAY(arena, selected_case, capacity);
    if (selection->count > 0) memcpy(cases, selection->cases, selection->count * sizeof *cases);
    selection->cases = cases;
    selection->capacity = capacity;
  }
  ee_hash_index_add(&selection->index, hash, selection->count);
  selection->hash = ee_hash_mix(selection->hash ^ hash) ^ ee_hash_bytes(judges, count * sizeof *judges, count);
  selection->cases[selection->count++] = (selected_case){.id = {ee_arena_copy(arena, id.data, id.length), id.length},
                                                         .judges = copy_judges(selection, judges, count),
                                                         .count = count};
}

const uint32_t *ee_selection_find(const ee_selection *selection, ee_str id, size_t *count) {
  const selected_case *found = find(selection, id, ee_hash_bytes(id.data, id.length, 0));
  *count = found != NULL ? found->count : 0;
  return found != NULL ? found->judges : NULL;
}

uint64_t ee_selection_hash(const ee_selection *selection) { return selection != NULL ? selection->hash : 0; }
