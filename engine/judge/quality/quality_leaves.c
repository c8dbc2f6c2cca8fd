/* quality_leaves.c: the leaves of two objects, with lists aligned on the way down. */
#include "base/hash_index.h"
#include "data/json/path.h"
#include "judge/pairing/align.h"
#include "judge/quality/quality_judge.h"

/* A growing list of keys. */
typedef struct key_list {
  ee_quality_key *items;
  size_t count, capacity;
} key_list;

/* What leaves of one attribute share. */
typedef struct attribute {
  ee_str name;
  uint64_t hash;
  const ee_quality_entry *entry; /* of the name with [*] */
} attribute;

/* A walk through both documents at once. */
typedef struct leaf_walk {
  const ee_quality *quality;
  ee_context *context;
  ee_arena *arena;
  bool *found; /* as in ee_quality_find_keys() */
  key_list expected, extra;
  ee_path_text path, name; /* where it stands; `name` has [*] for every index */
  size_t lists;            /* passed on the way down: without any both texts are the same */
  size_t path_bytes;
  attribute *attributes;
  size_t attribute_count, attribute_capacity;
  uint32_t *slots; /* hash of the name to attribute + 1 */
  size_t slot_count;
  ee_str failure_place;
  ee_reason failure;
} leaf_walk;

static bool has_failed(const leaf_walk *walk) { return walk->failure.kind != EE_REASON_NONE; }

static void fail(leaf_walk *walk, ee_reason reason) {
  ee_str place = ee_path_text_get(&walk->path);
  place.length = ee_utf8_cut(place, 200);
  walk->failure_place = place.length > 0 ? (ee_str){ee_arena_copy(walk->arena, place.data, place.length), place.length}
                                         : EE_STR("leaves");
  walk->failure = reason;
}

/* Lists of keys and attributes ----------------------------------------------------------------- */

static void *grow(ee_arena *arena, void *items, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) return items;
  size_t wanted = *capacity < 8 ? 16 : *capacity * 2;
  void *larger = ee_arena_alloc(arena, wanted * size);
  if (count > 0) memcpy(larger, items, count * size);
  *capacity = wanted;
  return larger;
}

static ee_str copy_text(leaf_walk *walk, const ee_path_text *text) {
  walk->path_bytes += text->length;
  return (ee_str){ee_arena_copy(walk->arena, text->data, text->length), text->length};
}

static void grow_slots(leaf_walk *walk) {
  walk->slot_count = walk->slot_count == 0 ? 64 : walk->slot_count * 2;
  walk->slots = EE_NEW_ARRAY(walk->arena, uint32_t, walk->slot_count);
  for (size_t i = 0; i < walk->attribute_count; i++) {
    size_t at = (size_t)walk->attributes[i].hash & (walk->slot_count - 1);
    while (walk->slots[at] != 0) at = (at + 1) & (walk->slot_count - 1);
    walk->slots[at] = (uint32_t)i + 1;
  }
}

/* The attribute of the current place, made where it is new. */
static uint32_t current_attribute(leaf_walk *walk) {
  ee_str name = ee_path_text_get(&walk->name);
  if ((walk->attribute_count + 1) * 2 > walk->slot_count) grow_slots(walk);
  uint64_t hash = ee_hash_bytes(name.data, name.length, 0);
  size_t at = (size_t)hash & (walk->slot_count - 1);
  for (; walk->slots[at] != 0; at = (at + 1) & (walk->slot_count - 1)) {
    const attribute *known = &walk->attributes[walk->slots[at] - 1];
    if (known->hash == hash && ee_str_equal(known->name, name)) return walk->slots[at] - 1;
  }
  walk->attributes =
      grow(walk->arena, walk->attributes, walk->attribute_count, &walk->attribute_capacity, sizeof *walk->attributes);
  walk->attributes[walk->attribute_count] =
      (attribute){.name = copy_text(walk, &walk->name), .hash = hash, .entry = ee_quality_find(walk->quality, name)};
  walk->slots[at] = (uint32_t)++walk->attribute_count;
  return walk->slots[at] - 1;
}

static void note_found(const leaf_walk *walk, const ee_quality_entry *entry) {
  if (walk->found != NULL && entry != NULL) walk->found[entry - walk->quality->entries] = true;
}

/* Notes a leaf at the current place. The configuration may name it alone, or all of its kind. */
static void add_leaf(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  uint32_t slot = current_attribute(walk);
  const attribute *at = &walk->attributes[slot];
  ee_quality_key key = {.attribute = at->name, .path = at->name, .slot = slot, .entry = at->entry};
  key.expected = expected;
  key.candidate = candidate;
  note_found(walk, key.entry);
  if (walk->lists > 0) {
    key.path = copy_text(walk, &walk->path);
    const ee_quality_entry *own = ee_quality_find(walk->quality, key.path);
    if (own != NULL) key.entry = own;
    note_found(walk, own);
  }
  if (walk->path_bytes > EE_QUALITY_PATH_LIMIT) {
    fail(walk, EE_REASON_OF("the paths of the leaves are too long: more than 67108864 bytes"));
    return;
  }
  key_list *list = expected != NULL ? &walk->expected : &walk->extra;
  list->items = grow(walk->arena, list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = key;
}

/* Going down ----------------------------------------------------------------------------------- */

static void walk_pair(leaf_walk *walk, const ee_value *expected, const ee_value *candidate);

static void walk_member(leaf_walk *walk, ee_str key, const ee_value *expected, const ee_value *candidate) {
  size_t path_length = walk->path.length, name_length = walk->name.length;
  ee_path_text_add_key(&walk->path, key);
  ee_path_text_add_key(&walk->name, key);
  walk_pair(walk, expected, candidate);
  walk->path.length = path_length;
  walk->name.length = name_length;
}

/* `extra`: the index is that of an item which only the candidate has. */
static void walk_item(leaf_walk *walk, uint32_t index, bool extra, const ee_value *expected,
                      const ee_value *candidate) {
  size_t path_length = walk->path.length, name_length = walk->name.length;
  walk->lists++;
  if (extra) {
    ee_path_text_add_extra(&walk->path, index);
  } else {
    ee_path_text_add_index(&walk->path, index);
  }
  ee_path_text_add_all(&walk->name);
  walk_pair(walk, expected, candidate);
  walk->path.length = path_length;
  walk->name.length = name_length;
  walk->lists--;
}

/* Either may be NULL, and stands for an empty object. */
static void walk_objects(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  ee_quality_keys keys;
  static const ee_quality no_entries = {.entry_count = 0};
  ee_quality_find_keys(&no_entries, expected, candidate, walk->arena, NULL, &keys);
  for (size_t i = 0; i < keys.count && !has_failed(walk); i++) {
    walk_member(walk, keys.items[i].path, keys.items[i].expected, keys.items[i].candidate);
  }
}

/* Lists ---------------------------------------------------------------------------------------- */

/* The items in the order of the lists: pairs and those that only the expected list has, then those of the candidate
 * alone. */
static void walk_lists(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  uint32_t count = ee_value_count(candidate), index = 0;
  uint32_t *partner = ee_arena_alloc(walk->arena, ee_value_count(expected) * sizeof *partner);
  const ee_value **items = ee_arena_alloc(walk->arena, count * sizeof *items);
  bool *taken = ee_arena_calloc(walk->arena, count, sizeof *taken);
  ee_reason failure = ee_quality_align(walk->quality, walk->context, expected, candidate, partner);
  if (failure.kind != EE_REASON_NONE) {
    fail(walk, failure);
    return;
  }
  for (const ee_value *item = ee_value_child(candidate); item != NULL; item = ee_value_next(item)) {
    items[index++] = item;
  }
  index = 0;
  for (const ee_value *item = ee_value_child(expected); item != NULL && !has_failed(walk);
       item = ee_value_next(item), index++) {
    bool paired = partner[index] != EE_UNPAIRED;
    if (paired) taken[partner[index]] = true;
    walk_item(walk, index, false, item, paired ? items[partner[index]] : NULL);
  }
  for (index = 0; index < count && !has_failed(walk); index++) {
    if (!taken[index]) walk_item(walk, index, true, NULL, items[index]);
  }
}

/* Pairs ---------------------------------------------------------------------------------------- */

static bool is_leaf(const ee_value *value) { return ee_type_of(value) < EE_ARRAY || ee_value_count(value) == 0; }

static bool is_nothing(const leaf_walk *walk, const ee_value *value) {
  return is_leaf(value) && ee_value_is_empty(value, &walk->quality->empty);
}

/* All leaves of `expected`, where the candidate has none. */
static void walk_expected(leaf_walk *walk, const ee_value *expected) {
  uint32_t index = 0;
  if (is_leaf(expected)) add_leaf(walk, expected, NULL);
  for (const ee_value *child = ee_value_child(expected); child != NULL && !has_failed(walk);
       child = ee_value_next(child), index++) {
    if (ee_type_of(expected) == EE_ARRAY) {
      walk_item(walk, index, false, child, NULL);
    } else {
      walk_member(walk, ee_value_key(child), child, NULL);
    }
  }
}

/* All leaves of `candidate`. An empty value that was expected in its place is expected in the place of each of them;
 * NULL: they are extra. */
static void walk_candidate(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  uint32_t index = 0;
  if (is_leaf(candidate)) add_leaf(walk, expected, candidate);
  for (const ee_value *child = ee_value_child(candidate); child != NULL && !has_failed(walk);
       child = ee_value_next(child), index++) {
    if (ee_type_of(candidate) == EE_ARRAY) {
      walk_item(walk, index, true, expected, child);
    } else {
      walk_member(walk, ee_value_key(child), expected, child);
    }
  }
}

/* True where the configuration names the current place, which is then one leaf whatever stands there. */
static bool is_configured(const leaf_walk *walk) {
  if (walk->quality->entry_count == 0) return false;
  if (ee_quality_find(walk->quality, ee_path_text_get(&walk->name)) != NULL) return true;
  return walk->lists > 0 && ee_quality_find(walk->quality, ee_path_text_get(&walk->path)) != NULL;
}

/* Both values at the current place, of which one may be NULL. Recursion is bounded by the reader's nesting limit. */
static void walk_pair(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  ee_type type = ee_type_of(expected), other = ee_type_of(candidate);
  if ((is_leaf(expected) && is_leaf(candidate)) || is_configured(walk)) {
    add_leaf(walk, expected, candidate);
  } else if (is_nothing(walk, expected)) {
    walk_candidate(walk, expected, candidate);
  } else if (is_nothing(walk, candidate)) {
    walk_expected(walk, expected);
  } else if (type == EE_OBJECT && other == EE_OBJECT) {
    walk_objects(walk, expected, candidate);
  } else if (type == EE_ARRAY && other == EE_ARRAY) {
    walk_lists(walk, expected, candidate);
  } else {
    walk_expected(walk, expected);
    walk_candidate(walk, NULL, candidate);
  }
}

void ee_quality_find_leaves(const ee_quality *quality, ee_context *context, const ee_value *expected,
                            const ee_value *candidate, bool *found, ee_quality_keys *keys) {
  leaf_walk walk = {.quality = quality, .context = context, .arena = context->arena, .found = found};
  walk.path.arena = walk.name.arena = walk.arena;
  walk_objects(&walk, expected, candidate);
  *keys = (ee_quality_keys){0};
  if (has_failed(&walk)) {
    keys->failure_place = walk.failure_place;
    keys->failure = walk.failure;
    return;
  }
  keys->expected_count = walk.expected.count;
  keys->count = walk.expected.count + walk.extra.count;
  keys->attribute_count = walk.attribute_count;
  keys->items = ee_arena_alloc(walk.arena, keys->count * sizeof *keys->items);
  if (walk.expected.count > 0) memcpy(keys->items, walk.expected.items, walk.expected.count * sizeof *keys->items);
  if (walk.extra.count > 0) {
    memcpy(keys->items + walk.expected.count, walk.extra.items, walk.extra.count * sizeof *keys->items);
  }
}
