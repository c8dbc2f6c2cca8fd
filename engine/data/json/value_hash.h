/* value_hash.h: the arithmetic of ee_value_hash(), also for values of which no document is made.
 *
 * Values that ee_value_equal() takes for equal have equal hashes: order of members and what is missing do not count.
 * The same on every machine and in every release. */
#ifndef EE_DATA_JSON_VALUE_HASH_H
#define EE_DATA_JSON_VALUE_HASH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/hash_index.h"

/* Seeds keep the types apart: the string "a" and the key "a" do not share a hash. */
enum {
  EE_SEED_STRING = 1,
  EE_SEED_KEY = 2,
  EE_SEED_NUMBER = 3,
  EE_SEED_ARRAY = 4,
  EE_SEED_OBJECT = 5,
  EE_SEED_WORD = 6
};
#define EE_HASH_STEP UINT64_C(0x9e3779b97f4a7c15)

/* No value has the hash 0. */
static inline uint64_t ee_hash_not_zero(uint64_t hash) {
  return hash != 0 ? hash : 1; /* unreached: one value in 2^64 */
}

static inline uint64_t ee_hash_of_number(double number) {
  uint64_t bits = 0;
  if (isnan(number)) return ee_hash_mix(EE_SEED_NUMBER);
  if (number != 0) memcpy(&bits, &number, sizeof bits);
  return ee_hash_not_zero(ee_hash_mix(bits + EE_SEED_NUMBER * EE_HASH_STEP));
}

/* Of true, false and null; `type` is an ee_type. */
static inline uint64_t ee_hash_of_word(int type) {
  return ee_hash_not_zero(ee_hash_mix(EE_SEED_WORD + ((uint64_t)type << 8)));
}

/* Of an array: from EE_SEED_ARRAY on, each element is added in order, and the end of all. */
static inline uint64_t ee_hash_add_element(uint64_t hash, uint64_t element) {
  return ee_hash_mix(hash + EE_HASH_STEP) ^ element;
}
static inline uint64_t ee_hash_end_array(uint64_t hash, uint64_t count) {
  return ee_hash_not_zero(ee_hash_mix(hash + count));
}

/* Of an object: the sum over its members, but for null and blank strings, by their keys (ee_key_hash()) and values. */
static inline uint64_t ee_hash_of_member(uint64_t key, uint64_t value) { return ee_hash_mix(key + value); }
static inline uint64_t ee_hash_end_object(uint64_t sum, uint64_t count) {
  return ee_hash_not_zero(ee_hash_mix(sum + count * EE_HASH_STEP + EE_SEED_OBJECT));
}

#endif
