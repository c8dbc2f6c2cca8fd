/* known_keys.h: the keys of the objects that a reader has met, so that those of the next records need only be compared.
 *
 * Records of one file mostly have the same keys in the same order. For each place of a document (the keys on the way to
 * an object, whatever the indices) the keys that its objects had are kept, and which one followed which. A reader that
 * finds the expected key neither copies it nor searches the object for a duplicate. What is read does not depend on
 * what is known. One thread uses it; values that were read with it must not outlive it. */
#ifndef EE_DATA_JSON_KNOWN_KEYS_H
#define EE_DATA_JSON_KNOWN_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/list.h"
#include "base/str.h"

/* Keys at one place are known up to this number: each has a bit in a mask. */
#define EE_KNOWN_KEYS_OF_OBJECT 64

typedef struct ee_known_object ee_known_object;

/* A key at a place. */
typedef struct ee_known_key {
  const char *quoted;          /* as in the source, with both quotes; at least eight bytes can be read */
  char *key;                   /* with a NUL; the same pointer for the same key at another place */
  uint32_t length;             /* of `key` */
  uint64_t hash;               /* ee_key_hash() */
  uint64_t bit;                /* by which the reader tells keys of an object apart, known or not */
  uint64_t mask;               /* the bit of its own that it has among the known ones of its place */
  struct ee_known_key *next;   /* that followed last */
  struct ee_known_key *before; /* that was added to the place before this one */
  ee_known_object *inside;     /* the place inside its value; NULL: not made */
} ee_known_key;

/* A place: what is known of its objects. */
struct ee_known_object {
  ee_known_key *first; /* that was the first one last */
  ee_known_key *newest;
  size_t count;
  uint32_t unlisted; /* keys that were not found */
};

/* All that is known. */
typedef struct ee_known_keys {
  ee_arena arena;
  ee_known_object *root; /* the place of the record */
  struct {
    EE_LIST(ee_known_key);
  } texts;               /* each key once */
  ee_hash_index index;   /* of the texts */
  size_t objects, bytes; /* so far: both are limited */
} ee_known_keys;

void ee_known_keys_init(ee_known_keys *keys);
void ee_known_keys_fini(ee_known_keys *keys);

/* The place inside the value of `key`, which is made if it must; NULL when there are too many. */
ee_known_object *ee_known_keys_inside(ee_known_keys *keys, ee_known_key *key);

/* The key whose opening quote is at `at`, or NULL. */
ee_known_key *ee_known_keys_find(ee_known_object *object, const char *at, const char *end);

/* Adds a key that was not found, or returns NULL if there are too many; `bit` as above. */
ee_known_key *ee_known_keys_add(ee_known_keys *keys, ee_known_object *object, ee_str key, uint64_t bit);

/* Whether the key is at `at`, with its quotes. Most keys are short. */
static inline bool ee_known_key_is_at(const ee_known_key *known, const char *at, const char *end) {
  size_t length = (size_t)known->length + 2;
  if ((size_t)(end - at) < length) return false;
  const char *quoted = known->quoted;
  uint64_t x, y;
  if (length < 8) {
    if (end - at < 8) return memcmp(at, quoted, length) == 0;
    memcpy(&x, at, 8);
    memcpy(&y, quoted, 8);
    /* The shift drops the bytes that follow the key. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (x ^ y) << (64 - 8 * length) == 0;
#else
    return (x ^ y) >> (64 - 8 * length) == 0;
#endif
  }
  for (size_t i = 0; i + 8 < length; i += 8) {
    memcpy(&x, at + i, 8);
    memcpy(&y, quoted + i, 8);
    if (x != y) return false;
  }
  memcpy(&x, at + length - 8, 8);
  memcpy(&y, quoted + length - 8, 8);
  return x == y;
}

#endif
