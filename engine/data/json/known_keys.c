/* known_keys.c: learns the keys of objects, within limits. */
#include "data/json/known_keys.h"

#include "data/json/value.h"

/* Bounds for data whose keys are values, such as numbers of articles. */
#define OBJECTS_LIMIT 1000
#define BYTES_LIMIT 100000
#define KEY_BYTES_LIMIT 100
/* So many keys that are not known, and no room for them: the objects of a place have no common keys. */
#define UNLISTED_LIMIT 1000

void ee_known_keys_init(ee_known_keys *keys) {
  *keys = (ee_known_keys){.objects = 1};
  ee_arena_init(&keys->arena, 0);
  keys->root = EE_NEW(&keys->arena, ee_known_object);
  keys->index.arena = &keys->arena;
}

void ee_known_keys_fini(ee_known_keys *keys) { ee_arena_fini(&keys->arena); }

ee_known_object *ee_known_keys_inside(ee_known_keys *keys, ee_known_key *key) {
  if (key->inside == NULL && keys->objects < OBJECTS_LIMIT) {
    keys->objects++;
    key->inside = EE_NEW(&keys->arena, ee_known_object);
  }
  return key->inside;
}

ee_known_key *ee_known_keys_find(ee_known_object *object, const char *at, const char *end) {
  if (object->unlisted > UNLISTED_LIMIT) return NULL;
  ee_known_key *key = object->newest;
  while (key != NULL && !ee_known_key_is_at(key, at, end)) key = key->before;
  return key;
}

/* The text of `key`, which is added if it is new. */
static const ee_known_key *find_text(ee_known_keys *keys, ee_str key) {
  uint64_t hash = ee_key_hash(key);
  size_t at = 0, number;
  while (ee_hash_index_next(&keys->index, hash, &at, &number)) {
    const ee_known_key *text = &keys->texts.items[number];
    if (ee_str_equal((ee_str){text->key, text->length}, key)) return text; /* unreached: two keys of one hash */
  }
  char *quoted = ee_arena_calloc(&keys->arena, key.length + 2 > 8 ? key.length + 2 : 8, 1);
  quoted[0] = quoted[key.length + 1] = '"';
  if (key.length > 0) memcpy(quoted + 1, key.data, key.length);
  ee_hash_index_add(&keys->index, hash, keys->texts.count);
  keys->bytes += key.length;
  ee_known_key *text = EE_LIST_ADD(&keys->texts, &keys->arena);
  *text = (ee_known_key){.quoted = quoted,
                         .key = ee_arena_copy(&keys->arena, key.data, key.length),
                         .length = (uint32_t)key.length,
                         .hash = hash};
  return text;
}

ee_known_key *ee_known_keys_add(ee_known_keys *keys, ee_known_object *object, ee_str key, uint64_t bit) {
  bool room = object->count < EE_KNOWN_KEYS_OF_OBJECT && key.length <= KEY_BYTES_LIMIT && keys->bytes < BYTES_LIMIT;
  if (!room) {
    object->unlisted += object->unlisted <= UNLISTED_LIMIT;
    return NULL;
  }
  ee_known_key *known = ee_arena_alloc(&keys->arena, sizeof *known);
  *known = *find_text(keys, key);
  known->bit = bit;
  known->mask = UINT64_C(1) << object->count++;
  known->before = object->newest;
  return object->newest = known;
}
