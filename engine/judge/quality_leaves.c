/* quality_leaves.c: the leaves of two objects, with lists aligned on the way down. */
#include "base/hash.h"
#include "judge/item_keys.h"
#include "judge/path_text.h"
#include "judge/quality_judge.h"

/* Items that are less alike than this do not belong together. */
#define ALIGN_THRESHOLD 0.5

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

/* Lists of keys and attributes ------------------------------------------------------------------------------------- */

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

/* Notes a leaf at the current place. The configuration may name it alone, or all of its kind. */
static void add_leaf(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  uint32_t slot = current_attribute(walk);
  const attribute *at = &walk->attributes[slot];
  ee_quality_key key = {.attribute = at->name, .path = at->name, .slot = slot, .entry = at->entry};
  key.expected = expected;
  key.candidate = candidate;
  if (walk->lists > 0) {
    key.path = copy_text(walk, &walk->path);
    const ee_quality_entry *own = ee_quality_find(walk->quality, key.path);
    if (own != NULL) key.entry = own;
  }
  if (walk->path_bytes > EE_QUALITY_PATH_LIMIT) {
    fail(walk, EE_REASON_OF("the paths of the leaves are too long: more than 67108864 bytes"));
    return;
  }
  key_list *list = expected != NULL ? &walk->expected : &walk->extra;
  list->items = grow(walk->arena, list->items, list->count, &list->capacity, sizeof *list->items);
  list->items[list->count++] = key;
}

/* Going down ------------------------------------------------------------------------------------------------------- */

static void walk_pair(leaf_walk *walk, const ee_value *expected, const ee_value *candidate);

static void walk_member(leaf_walk *walk, ee_str key, const ee_value *expected, const ee_value *candidate) {
  size_t path_length = walk->path.length, name_length = walk->name.length;
  ee_path_text_add_key(&walk->path, key);
  ee_path_text_add_key(&walk->name, key);
  walk_pair(walk, expected, candidate);
  walk->path.length = path_length;
  walk->name.length = name_length;
}

static void walk_item(leaf_walk *walk, uint32_t index, const ee_value *expected, const ee_value *candidate) {
  size_t path_length = walk->path.length, name_length = walk->name.length;
  walk->lists++;
  ee_path_text_add_index(&walk->path, index);
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
  ee_quality_find_keys(&no_entries, expected, candidate, walk->arena, &keys);
  for (size_t i = 0; i < keys.count && !has_failed(walk); i++) {
    walk_member(walk, keys.items[i].path, keys.items[i].expected, keys.items[i].candidate);
  }
}

/* Lists ------------------------------------------------------------------------------------------------------------ */

/* Both lists, and which item belongs to which. */
typedef struct list_pair {
  ee_item_table expected, candidate;
  uint32_t *partner; /* per row of `expected`: the row of `candidate`, or EE_UNPAIRED */
  bool *taken;       /* per row of `candidate` */
} list_pair;

/* As ee.line_items does it with match = "fields" and no fields: by the keys of the items, equal ones first. */
static void align(leaf_walk *walk, list_pair *pair) {
  ee_item_keys keys;
  ee_aligner aligner;
  ee_align_start(&aligner, walk->context, &pair->expected, &pair->candidate);
  ee_align_equal(&aligner);
  static const ee_item_columns none = {.count = 0};
  ee_item_keys_find(&keys, &aligner, &none, NULL, walk->quality->automatic);
  if (keys.too_many) {
    fail(walk, EE_REASON_OF(EE_ITEM_KEYS_TOO_MANY));
    return;
  }
  /* Items without keys are equal, which is settled, or no pair. */
  if (keys.count > 0) {
    ee_condition *conditions = ee_arena_alloc(walk->arena, keys.count * sizeof *conditions);
    for (size_t i = 0; i < keys.count; i++) conditions[i] = (ee_condition){.judged = true};
    ee_item_table_set_columns(&pair->expected, &keys.columns, walk->arena);
    ee_item_table_set_columns(&pair->candidate, &keys.columns, walk->arena);
    ee_item_guess guess;
    guess.count = 0;
    for (uint32_t i = 0; i < pair->expected.rows; i++) {
      ee_item_table_fetch(&pair->expected, &keys.columns, &guess, i, walk->arena);
    }
    for (uint32_t i = 0; i < pair->candidate.rows; i++) {
      ee_item_table_fetch(&pair->candidate, &keys.columns, &guess, i, walk->arena);
    }
    ee_match_rule rule = {.method = EE_MATCH_GREEDY,
                          .fields = keys.match,
                          .field_count = keys.count,
                          .threshold = ALIGN_THRESHOLD,
                          .similarity_function = EE_NO_FUNCTION,
                          .key_function = EE_NO_FUNCTION,
                          .key_column = EE_NO_COLUMN,
                          .pair_limit = EE_MATCH_PAIR_LIMIT};
    aligner.rule = &rule;
    aligner.fields = keys.fields;
    aligner.conditions = conditions;
    aligner.field_count = keys.count;
    ee_align(&aligner);
    if (aligner.too_many) {
      fail(walk, EE_REASON_OF("too many similar items: more than 8388608 pairs"));
      return;
    }
  }
  for (uint32_t i = 0; i < pair->expected.rows; i++) pair->partner[i] = aligner.candidate_of[i];
}

/* The next element at or behind `*element` that the table, which is at `row`, leaves out as empty; NULL when there is
 * none. */
static const ee_value *next_empty(const ee_item_table *table, const ee_value **element, uint32_t *index,
                                  uint32_t *row) {
  for (; *element != NULL; *element = ee_value_next(*element), ++*index) {
    bool listed = *row < table->rows && table->indices[*row] == *index;
    if (!listed) return *element;
    ++*row;
  }
  return NULL;
}

/* Walks the items in the order of the lists: pairs and those that only the expected list has, then those of the
 * candidate alone. Empty elements are no items; they stand for each other in their order, so that a list against itself
 * is perfect. */
static void walk_items(leaf_walk *walk, const list_pair *pair, const ee_value *expected, const ee_value *candidate) {
  uint32_t index = 0, row = 0, empty_index = 0, empty_row = 0;
  const ee_value *item = ee_value_child(expected), *empty = ee_value_child(candidate);
  for (; item != NULL && !has_failed(walk); item = ee_value_next(item), index++) {
    if (row < pair->expected.rows && pair->expected.indices[row] == index) {
      uint32_t partner = pair->partner[row++];
      walk_item(walk, index, item, partner == EE_UNPAIRED ? NULL : pair->candidate.items[partner]);
      continue;
    }
    const ee_value *other = next_empty(&pair->candidate, &empty, &empty_index, &empty_row);
    walk_item(walk, index, item, other);
    if (other != NULL) {
      empty = ee_value_next(empty);
      empty_index++;
    }
  }
  uint32_t first_empty = empty_index;
  item = ee_value_child(candidate);
  index = row = 0;
  for (; item != NULL && !has_failed(walk); item = ee_value_next(item), index++) {
    bool listed = row < pair->candidate.rows && pair->candidate.indices[row] == index;
    bool done = listed ? pair->taken[row] : index < first_empty;
    row += listed;
    if (!done) walk_item(walk, index, NULL, item);
  }
}

static void walk_lists(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  list_pair *pair = ee_arena_alloc(walk->arena, sizeof *pair);
  const ee_empty_rule *empty = &walk->quality->empty;
  ee_item_table_start(&pair->expected, expected, empty, false, walk->arena);
  ee_item_table_start(&pair->candidate, candidate, empty, false, walk->arena);
  pair->partner = ee_arena_alloc(walk->arena, pair->expected.rows * sizeof *pair->partner);
  pair->taken = ee_arena_calloc(walk->arena, pair->candidate.rows, sizeof *pair->taken);
  /* The tables of values may be large, and only the pairs are needed afterwards. */
  ee_arena_mark mark = ee_arena_get_mark(walk->arena);
  align(walk, pair);
  if (has_failed(walk)) return;
  ee_arena_rewind(walk->arena, mark);
  for (uint32_t i = 0; i < pair->expected.rows; i++) {
    if (pair->partner[i] != EE_UNPAIRED) pair->taken[pair->partner[i]] = true;
  }
  walk_items(walk, pair, expected, candidate);
}

/* All leaves of one side alone. */
static void walk_single(leaf_walk *walk, const ee_value *value, bool is_expected) {
  ee_type type = ee_type_of(value);
  bool container = (type == EE_ARRAY || type == EE_OBJECT) && ee_value_count(value) > 0;
  if (!container) {
    if (value != NULL) add_leaf(walk, is_expected ? value : NULL, is_expected ? NULL : value);
    return;
  }
  uint32_t index = 0;
  for (const ee_value *child = ee_value_child(value); child != NULL && !has_failed(walk);
       child = ee_value_next(child), index++) {
    const ee_value *expected = is_expected ? child : NULL, *candidate = is_expected ? NULL : child;
    if (type == EE_ARRAY) {
      walk_item(walk, index, expected, candidate);
    } else {
      walk_member(walk, ee_value_key(child), expected, candidate);
    }
  }
}

static bool is_leaf(const ee_value *value) {
  ee_type type = ee_type_of(value);
  return (type != EE_ARRAY && type != EE_OBJECT) || ee_value_count(value) == 0;
}

/* Both values at the current place; either may be NULL. Recursion is bounded by the reader's nesting limit. */
static void walk_pair(leaf_walk *walk, const ee_value *expected, const ee_value *candidate) {
  ee_type type = ee_type_of(expected), other = ee_type_of(candidate);
  if (is_leaf(expected) && is_leaf(candidate)) {
    add_leaf(walk, expected, candidate);
  } else if (type == EE_OBJECT && other == EE_OBJECT) {
    walk_objects(walk, expected, candidate);
  } else if (type == EE_ARRAY && other == EE_ARRAY) {
    walk_lists(walk, expected, candidate);
  } else {
    walk_single(walk, expected, true);
    walk_single(walk, candidate, false);
  }
}

void ee_quality_find_leaves(const ee_quality *quality, ee_context *context, const ee_value *expected,
                            const ee_value *candidate, ee_quality_keys *keys) {
  leaf_walk walk = {.quality = quality, .context = context, .arena = context->arena};
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
