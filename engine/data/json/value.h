/* value.h: the document model: cJSON nodes that know a little more.
 *
 * Every node of a document is an ee_value, allocated in an arena by json_reader.c or ee_value_copy(); the
 * cJSON inside it comes first, so cJSON's navigating functions work on it. Documents are read-only once built, apart
 * from the cache `hash`, which one thread fills (ee_value_freeze() fills it at once for documents that workers
 * share). */
#ifndef EE_DATA_JSON_VALUE_H
#define EE_DATA_JSON_VALUE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/str.h"

typedef struct ee_value ee_value;

struct ee_value {
  cJSON json; /* valuestring: a string's bytes, NUL-terminated; of a number its source text where kept, else NULL */
  uint32_t length;     /* string: bytes; number: bytes of the source text, 0 when not kept; array, object: members */
  uint32_t key_length; /* bytes of json.string, which is not NULL in an object's members */
  uint64_t hash;       /* 0 until ee_value_hash() was asked */
  struct ee_hash_index *index; /* objects of more than EE_INDEX_ABOVE members: from key to member; else NULL */
};

/* The type of a value; a missing value is a NULL pointer and EE_MISSING. */
typedef enum ee_type { EE_MISSING, EE_NULL, EE_FALSE, EE_TRUE, EE_NUMBER, EE_STRING, EE_ARRAY, EE_OBJECT } ee_type;

static inline ee_type ee_type_of(const ee_value *value) {
  if (value == NULL) return EE_MISSING;
  switch (value->json.type & 0xff) {
  case cJSON_NULL: return EE_NULL;
  case cJSON_False: return EE_FALSE;
  case cJSON_True: return EE_TRUE;
  case cJSON_Number: return EE_NUMBER;
  case cJSON_String: return EE_STRING;
  case cJSON_Array: return EE_ARRAY;
  default: return EE_OBJECT;
  }
}
/* "missing", "null", "boolean", "number", "string", "array", "object". */
const char *ee_type_name(const ee_value *value);

static inline ee_str ee_value_text(const ee_value *value) { return (ee_str){value->json.valuestring, value->length}; }
static inline ee_str ee_value_key(const ee_value *value) { return (ee_str){value->json.string, value->key_length}; }
static inline double ee_value_number(const ee_value *value) { return value->json.valuedouble; }
static inline const ee_value *ee_value_child(const ee_value *value) { return (const ee_value *)value->json.child; }
static inline const ee_value *ee_value_next(const ee_value *value) { return (const ee_value *)value->json.next; }
static inline uint32_t ee_value_count(const ee_value *value) { return value->length; }

/* The member called `key` of an object (the last of duplicates), or NULL; NULL too when `value` is no object or NULL.
 * Objects of more than 16 members are looked up through their index, others are walked; `arena` may be NULL. */
const ee_value *ee_value_member(const ee_value *value, ee_str key, ee_arena *arena);

/* What the member `key` holds; the fallback when `object` is not an object or the member is missing or of another type.
 */
ee_str ee_value_get_text(const ee_value *object, const char *key, const char *fallback);
double ee_value_get_number(const ee_value *object, const char *key, double fallback);
bool ee_value_get_bool(const ee_value *object, const char *key, bool fallback);

/* The element at `index` (from 0) of an array, or NULL. O(index). */
const ee_value *ee_value_element(const ee_value *value, size_t index);

/* The decimal text of a number: its source text where kept, else its double's shortest text, in `out`. */
ee_str ee_value_number_text(const ee_value *value, char out[32]);

/* The largest number up to which all whole numbers are doubles: what a count or an offset may be. */
#define EE_WHOLE_LIMIT ((int64_t)1 << 53)
/* Whether `value` (may be NULL) is a number that is whole by its decimal value, 6.0 too, and from -EE_WHOLE_LIMIT to
 * EE_WHOLE_LIMIT; `*whole` is set only then. */
bool ee_value_whole(const ee_value *value, int64_t *whole);

/* Equal as SEMANTICS says: same type and same value; strings by code points, numbers by decimal value, objects by keys
 * in any order, arrays in order. A member that is null is as if it were not there: {"x":null} equals {}; an element is
 * there: [null] does not equal []. NULL equals NULL only. Recursion is bounded by the reader's nesting limit. */
bool ee_value_equal(const ee_value *a, const ee_value *b);

/* A hash that equal values share, whatever the order of their keys and their null members; cached in the node; never 0.
 * The same in every run and release: strings are XXH3 of their bytes, numbers of their double's bits (-0 as 0),
 * containers are mixed from their members. `value` NULL hashes like null. */
uint64_t ee_value_hash(const ee_value *value);

/* The order of canonical JSON: < 0, 0, > 0. Types in the order of ee_type, numbers by decimal value, strings bytewise,
 * arrays element by element, objects as lists of (key, value) sorted by key, without members that are null. 0 exactly
 * when ee_value_equal(). */
int ee_value_compare(const ee_value *a, const ee_value *b, ee_arena *scratch);

/* The members of `object` that are not null, sorted bytewise by key (equal keys in document order): an array in
 * `scratch`, whose length goes to `*count`. */
const ee_value **ee_value_sorted_members(const ee_value *object, size_t *count, ee_arena *scratch);

/* Builders: new nodes in `arena`; strings and keys are copied. */
ee_value *ee_value_new(ee_arena *arena, ee_type type);
ee_value *ee_value_new_string(ee_arena *arena, ee_str text);
ee_value *ee_value_new_number(ee_arena *arena, double number);
ee_value *ee_value_new_bool(ee_arena *arena, bool value);
/* Appends `child` to an array, or to an object under `key` (copied). No check for duplicates. */
void ee_value_append(ee_value *array, ee_value *child);
void ee_value_set(ee_arena *arena, ee_value *object, ee_str key, ee_value *child);

/* For readers, which link members themselves. Every object of more than EE_INDEX_ABOVE members has an index, which also
 * finds duplicate keys while the object grows. */
#define EE_INDEX_ABOVE 16u
/* Makes the index of the members that `object` has. */
void ee_value_index_members(ee_arena *arena, ee_value *object);
/* Adds `member` to the object's index and returns NULL; returns the member that has its key if there is one, and adds
 * nothing. */
ee_value *ee_value_index_add(ee_value *object, ee_value *member);

/* A deep copy of a tree that cJSON made (NULL gives NULL); `*error_text` (static) tells why NULL came back for a tree
 * that is deeper than 512, holds invalid UTF-8, NaN or infinity, or raw nodes. Of duplicate keys the last stays, at the
 * place of the first, as in the reader. */
ee_value *ee_value_from_cjson(ee_arena *arena, const cJSON *tree, const char **error_text);

/* A deep copy of a document. */
ee_value *ee_value_copy(ee_arena *arena, const ee_value *value);

/* Fills every hash of the document, so that threads may share it. `value` and `arena` may be NULL. */
void ee_value_freeze(ee_value *value, ee_arena *arena);

/* Texts that count as empty besides blank ones, and whether [] and {} do. */
typedef struct ee_empty_rule {
  const ee_str *null_values;
  size_t null_value_count;
  bool containers;
} ee_empty_rule;

/* Missing, null, blank text, a text of `rule` (NULL: none; compared after trimming, case counts); where `rule` says so,
 * an array without elements and an object without members, or with null members only. */
bool ee_value_is_empty(const ee_value *value, const ee_empty_rule *rule);

/* `value` itself when it is no object or none of its members is empty, else a new object in `arena` without those. Of
 * the other members only the nodes are copied; what is inside them is not looked at. */
const ee_value *ee_value_without_empty(ee_arena *arena, const ee_value *value, const ee_empty_rule *rule);

#endif
