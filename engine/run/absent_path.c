/* absent_path.c: collects the keys next to an absent path, and chooses the one that was probably meant. */
#include "run/absent_path.h"

#include "base/error.h"

static void add_key(struct ee_absent_side *side, ee_arena *arena, ee_absent_key key) {
  key.name.data = ee_arena_copy(arena, key.name.data, key.name.length);
  *EE_LIST_ADD(side, arena) = key;
}

/* Only equal values count as agreeing: that is evidence enough. */
static void add_side(struct ee_absent_side *side, ee_arena *arena, const ee_value *around, const ee_value *value) {
  size_t keys = 0;
  bool is_array = ee_type_of(around) == EE_ARRAY;
  if (is_array) add_key(side, arena, (ee_absent_key){.name = EE_STR(""), .number = side->cases, .is_array = true});
  for (const ee_value *item = is_array ? NULL : ee_value_child(around); item != NULL && keys < EE_ABSENT_KEYS;
       item = ee_value_next(item), keys++)
    add_key(side, arena,
            (ee_absent_key){.name = ee_value_key(item),
                            .number = side->cases,
                            .agrees = value != NULL && ee_value_equal(item, value)});
  side->cases++;
}

void ee_absent_path_add(ee_absent_path *path, ee_arena *arena, const ee_attribute_result *attribute) {
  for (int i = EE_EXPECTED; i <= EE_CANDIDATE; i++) {
    path->there[i] |= attribute->there[i];
    struct ee_absent_side *side = &path->sides[i];
    const ee_value *around = attribute->absence != NULL ? attribute->absence->around[i] : NULL;
    if (around == NULL || path->there[i] || side->cases == EE_ABSENT_CASES) continue;
    add_side(side, arena, around, attribute->absence->value);
  }
}

void ee_absent_path_merge(ee_absent_path *path, ee_arena *arena, const ee_absent_path *from) {
  for (int i = EE_EXPECTED; i <= EE_CANDIDATE; i++) {
    path->there[i] |= from->there[i];
    struct ee_absent_side *side = &path->sides[i];
    const struct ee_absent_side *part = &from->sides[i];
    if (path->there[i] || side->cases == EE_ABSENT_CASES) continue;
    uint32_t before = side->cases;
    for (size_t k = 0; k < part->count && before + part->items[k].number < EE_ABSENT_CASES; k++) {
      ee_absent_key key = part->items[k];
      key.number += before;
      add_key(side, arena, key);
    }
    side->cases = before + part->cases < EE_ABSENT_CASES ? before + part->cases : EE_ABSENT_CASES;
  }
}

uint32_t ee_absent_path_arrays(const ee_absent_path *path, ee_document_side side) {
  uint32_t count = 0;
  for (size_t i = 0; i < path->sides[side].count; i++) count += path->sides[side].items[i].is_array;
  return count;
}

static bool is_taken(ee_str name, const char *const *taken) {
  for (; *taken != NULL; taken++)
    if (ee_str_is(name, *taken)) return true;
  return false;
}

/* The number of cases in which the key agrees. */
static uint32_t count_agreements(const struct ee_absent_side *side, ee_str name) {
  uint32_t count = 0;
  for (size_t i = 0; i < side->count; i++) count += side->items[i].agrees && ee_str_equal(side->items[i].name, name);
  return count;
}

static bool is_seen_before(const struct ee_absent_side *side, size_t number) {
  for (size_t i = 0; i < number; i++)
    if (ee_str_equal(side->items[i].name, side->items[number].name)) return true;
  return false;
}

ee_str ee_absent_path_meant(const ee_absent_path *path, ee_document_side document, ee_str name,
                            const char *const *taken, ee_arena *arena, uint32_t *agreed) {
  const struct ee_absent_side *side = &path->sides[document];
  const char **words = EE_NEW_ARRAY(arena, const char *, side->count + 1);
  size_t count = 0;
  ee_str best = EE_STR("");
  *agreed = 0;
  for (size_t i = 0; i < side->count; i++) {
    ee_str key = side->items[i].name;
    if (side->items[i].is_array || is_taken(key, taken) || is_seen_before(side, i)) continue;
    words[count++] = ee_arena_copy(arena, key.data, key.length);
    uint32_t agreements = count_agreements(side, key);
    if (agreements <= *agreed || agreements * 3 < side->cases) continue;
    *agreed = agreements;
    best = key;
  }
  if (best.length > 0 || name.length > 200) return best;
  const char *near = ee_did_you_mean(ee_arena_copy(arena, name.data, name.length), words);
  return near != NULL ? ee_str_from(near) : EE_STR("");
}
