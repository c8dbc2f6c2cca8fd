/* json_equal.c: equality and hashes in which null is a value like others. */
#include "data/json/json_equal.h"

#include "base/hash_index.h"
#include "prim/number.h"

/* Seeds keep the types apart. */
enum { SEED_TEXT = 11, SEED_KEY, SEED_NUMBER, SEED_ARRAY, SEED_OBJECT, SEED_WORD };

static bool equal_objects(const ee_value *a, const ee_value *b) {
  if (a->length != b->length) return false;
  const ee_value *same_place = ee_value_child(b);
  for (const ee_value *member = ee_value_child(a); member != NULL; member = ee_value_next(member)) {
    /* Both objects mostly have the same order of keys. */
    const ee_value *other = same_place;
    same_place = ee_value_next(same_place);
    if (!ee_str_equal(ee_value_key(member), ee_value_key(other)))
      other = ee_value_member(b, ee_value_key(member), NULL);
    if (other == NULL || !ee_json_equal(member, other)) return false;
  }
  return true;
}

bool ee_json_equal(const ee_value *a, const ee_value *b) {
  if (a == b) return true;
  ee_type type = ee_type_of(a);
  if (type != ee_type_of(b)) return false;
  if (type >= EE_ARRAY && ee_value_shares(a, b)) return true;
  if (type == EE_OBJECT) return equal_objects(a, b);
  if (type == EE_STRING) return ee_str_equal(ee_value_text(a), ee_value_text(b));
  if (type != EE_ARRAY) return ee_value_equal(a, b);
  if (a->length != b->length) return false;
  a = ee_value_child(a), b = ee_value_child(b);
  for (; a != NULL; a = ee_value_next(a), b = ee_value_next(b))
    if (!ee_json_equal(a, b)) return false;
  return true;
}

/* A number keeps its source text only if the shortest text of its double is another number, so numbers with and without
 * one are never equal and may be hashed differently. */
static uint64_t hash_number(const ee_value *value) {
  if (value->length > 0) return ee_decimal_hash(ee_value_text(value));
  double number = ee_value_number(value);
  uint64_t bits = 0;
  if (number != 0) memcpy(&bits, &number, sizeof bits);
  return ee_hash_mix(bits ^ SEED_NUMBER);
}

uint64_t ee_json_hash_scalar(const ee_value *value) {
  ee_type type = ee_type_of(value);
  if (type == EE_NUMBER) return hash_number(value);
  if (type == EE_STRING) return ee_hash_bytes(value->json.valuestring, value->length, SEED_TEXT);
  return ee_hash_mix(SEED_WORD + ((uint64_t)type << 8));
}

uint64_t ee_json_hash_begin(const ee_value *container) {
  return ee_type_of(container) == EE_ARRAY ? SEED_ARRAY : SEED_OBJECT;
}

/* Members are added up, so their order does not matter. */
uint64_t ee_json_hash_add(uint64_t hash, const ee_value *child, uint64_t child_hash, bool is_member) {
  if (!is_member) return ee_hash_mix(hash + UINT64_C(0x9e3779b97f4a7c15)) ^ child_hash;
  uint64_t key = ee_hash_bytes(child->json.string, child->key_length, SEED_KEY);
  return hash + ee_hash_mix(ee_hash_mix(key) + child_hash);
}

uint64_t ee_json_hash_finish(uint64_t hash, const ee_value *container) {
  return ee_hash_mix(hash + container->length * UINT64_C(0x9e3779b97f4a7c15));
}

uint64_t ee_json_hash(const ee_value *value) {
  ee_type type = ee_type_of(value);
  if (type < EE_ARRAY) return ee_json_hash_scalar(value);
  uint64_t hash = ee_json_hash_begin(value);
  for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child))
    hash = ee_json_hash_add(hash, child, ee_json_hash(child), type == EE_OBJECT);
  return ee_json_hash_finish(hash, value);
}
