/* value.h: the document model: cJSON nodes with lengths, hashes and indexes.
 *
 * Every node of a document is an ee_value in an arena, made by a reader, a builder or ee_value_copy(). Its cJSON comes
 * first, so cJSON's navigating functions work on it. Documents are read-only once built, apart from the cache `hash`,
 * which only one thread may fill (ee_value_freeze() fills all of them, for documents that workers share). */
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
  cJSON json;          /* valuestring: a string's bytes with a NUL; a number's source text with a NUL where it is not
                          the shortest of its value, else NULL */
  uint32_t length;     /* string: bytes; number: bytes of the source text where its double is another number, else 0;
                          array, object: members */
  uint32_t key_length; /* bytes of json.string; members of objects */
  uint64_t hash;       /* 0: not computed yet */
  uint64_t key_hash;   /* of a member: ee_key_hash() of its key, if a reader knew it; else 0 */
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
/* The same as a phrase: "nothing" (NULL), "null", "a boolean", "a number", "a string", "an array", "an object". */
const char *ee_value_describe(const ee_value *value);

/* Of a value that is there. NOLINTBEGIN(clang-analyzer-core.NullDereference): callers have looked at the type */
static inline ee_str ee_value_text(const ee_value *value) { return (ee_str){value->json.valuestring, value->length}; }
static inline ee_str ee_value_key(const ee_value *value) { return (ee_str){value->json.string, value->key_length}; }
static inline double ee_value_number(const ee_value *value) { return value->json.valuedouble; }
static inline const ee_value *ee_value_child(const ee_value *value) { return (const ee_value *)value->json.child; }
static inline const ee_value *ee_value_next(const ee_value *value) { return (const ee_value *)value->json.next; }
static inline uint32_t ee_value_count(const ee_value *value) { return value->length; }
// NOLINTEND(clang-analyzer-core.NullDereference)

/* The member called `key` (the last of duplicates); NULL if there is none or `value` is NULL or not an object. O(1) in
 * objects with an index, else linear. `arena` is not used and may be NULL. */
const ee_value *ee_value_member(const ee_value *value, ee_str key, ee_arena *arena);

/* The value of the member `key`; the fallback if `object` is not an object or the member is missing or of another
 * type. */
ee_str ee_value_get_text(const ee_value *object, const char *key, const char *fallback);
double ee_value_get_number(const ee_value *object, const char *key, double fallback);
bool ee_value_get_bool(const ee_value *object, const char *key, bool fallback);

/* The array of several correct values that an expected value holds, {"anyOf": [...]} with nothing beside it; NULL for
 * any other value and for an empty array. */
const ee_value *ee_value_any_of(const ee_value *value);
/* Whether `value` is an array, not empty, without arrays and objects in it. */
bool ee_value_is_flat(const ee_value *value);

/* The element at `index` (from 0) of an array, or NULL. O(index). */
const ee_value *ee_value_element(const ee_value *value, size_t index);

/* The decimal text of a number: its source text where its double is another number, else the shortest text of its
 * double, written to `out`. */
ee_str ee_value_number_text(const ee_value *value, char out[32]);
/* The number as it is written in the source: "1.50", "1e3"; the text above where it was not read from a source. */
ee_str ee_value_written_number(const ee_value *value, char out[32]);

/* Up to this all whole numbers are exact as doubles: the limit of counts and offsets. */
#define EE_WHOLE_LIMIT ((int64_t)1 << 53)
/* Whether `value` (may be NULL) is a whole number by its decimal value (6.0 too) from -EE_WHOLE_LIMIT to
 * EE_WHOLE_LIMIT; sets `*whole` only then. */
bool ee_value_whole(const ee_value *value, int64_t *whole);

/* The equality of judging: same type and same value; strings by code points, numbers by decimal value, objects by keys
 * in any order, arrays in order. Null and blank strings are equal, and as members they are the same as no member:
 * {"x":null} equals {} and {"x":""}; elements keep their places: [null] equals [""] and not []. NULL equals NULL only.
 * Recursion is bounded by the reader's nesting limit. (json_equal.h: the equality of JSON.) */
bool ee_value_equal(const ee_value *a, const ee_value *b);

/* A hash that equal values share; cached in the node; never 0. The same in every run and release: XXH3 of a string's
 * bytes and of a number's double (-0 as 0), mixed from the members for containers. `value` NULL and blank strings hash
 * like null. */
uint64_t ee_value_hash(const ee_value *value);

/* The order of canonical JSON: < 0, 0, > 0. Types in the order of ee_type, numbers by decimal value, strings bytewise,
 * arrays by element, objects by the (key, value) pairs sorted by key, without members that are null or blank; a blank
 * string is null. 0 exactly when ee_value_equal(). */
int ee_value_compare(const ee_value *a, const ee_value *b, ee_arena *scratch);

/* The members of `object` that are neither null nor blank, sorted bytewise by key (equal keys in document order), as an
 * array in `scratch` of `*count` members. */
const ee_value **ee_value_sorted_members(const ee_value *object, size_t *count, ee_arena *scratch);

/* ee_value_compare() of two objects, by what ee_value_sorted_members() gives of them. */
int ee_value_compare_members(const ee_value *const *a, size_t a_count, const ee_value *const *b, size_t b_count,
                             ee_arena *scratch);

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

/* A deep copy of a cJSON tree (NULL gives NULL). NULL with `*error_text` (static) if the tree is deeper than 512 or has
 * invalid UTF-8, NaN, infinity or raw nodes. Of duplicate keys the last is kept, at the place of the first, as in the
 * reader. */
ee_value *ee_value_from_cjson(ee_arena *arena, const cJSON *tree, const char **error_text);

/* The document with all its texts and keys in Unicode's normal form C (ee_nfc()): itself if they are, else a copy in
 * `arena` that shares what is unchanged. `value` may be NULL. Documents of the JSON reader without a code point that
 * NFC may change cost nothing, others a walk. Recursion is bounded by the reader's nesting limit. */
const ee_value *ee_value_nfc(ee_arena *arena, const ee_value *value);

/* Of an array or object from a reader: no text or key in it has a code point that NFC may change. Stored in a member
 * that cJSON uses for numbers only. */
static inline bool ee_value_is_plain(const ee_value *container) { return (container->json.valueint & 1) != 0; }
static inline void ee_value_set_plain(ee_value *container, bool plain) {
  container->json.valueint = (container->json.valueint & ~1) | (plain ? 1 : 0);
}
/* The levels of containers that were converted from Lua, in the other bits of that member; 0 in values from a reader.
 */
static inline int ee_value_levels(const ee_value *container) { return container->json.valueint >> 1; }
static inline void ee_value_set_levels(ee_value *container, int levels) {
  container->json.valueint = levels * 2 + (container->json.valueint & 1);
}

/* Whether two containers of one type have the same children, as the JSON reader makes them of equal texts. */
static inline bool ee_value_shares(const ee_value *a, const ee_value *b) {
  return a->json.child == b->json.child && a->length == b->length;
}

/* A token of a source that json_writer.h writes differently: 1.50, "\u00e9". */
typedef struct ee_respelling {
  struct ee_respelling *next; /* in the order of the text */
  const char *at;             /* in the text */
  size_t length;
  const ee_value *value; /* that the token is, or whose key it is */
  bool is_key;
} ee_respelling;

/* The text that an array or object was read from. json_writer.h writes the same except for the respellings and white
 * space. */
typedef struct ee_source {
  ee_str text;
  const ee_respelling *respellings; /* the first one in the text or after it; NULL: none */
  bool spaced;                      /* there is white space between tokens */
} ee_source;

/* Of an array or object; NULL: not kept. Stored in a member that cJSON uses for strings only. */
static inline const ee_source *ee_value_source(const ee_value *container) {
  return (const ee_source *)(const void *)container->json.valuestring;
}
static inline void ee_value_set_source(ee_value *container, const ee_source *source) {
  memcpy(&container->json.valuestring, &source, sizeof source); /* it is only read */
}

/* A deep copy of a document. */
ee_value *ee_value_copy(ee_arena *arena, const ee_value *value);

/* Computes all hashes of the document, so that threads may share it. `value` and `arena` may be NULL. */
void ee_value_freeze(ee_value *value, ee_arena *arena);

/* A hash of a key, as it is in the hash of an object; never 0. */
uint64_t ee_key_hash(ee_str key);

/* What is empty besides null and blank strings: these strings, and [] and {} if `containers` is set; or nothing but
 * what is missing. */
typedef struct ee_empty_rule {
  const ee_str *null_values;
  size_t null_value_count;
  bool containers;
  bool none; /* then there are no null_values, and `containers` is false */
} ee_empty_rule;

/* Whether only null and blank strings are empty, as in ee_value_equal(); also NULL. */
static inline bool ee_empty_rule_is_plain(const ee_empty_rule *rule) {
  return rule == NULL || (rule->null_value_count == 0 && !rule->containers && !rule->none);
}

/* Whether a value is missing (NULL), null, a blank string, or a string of `rule` (may be NULL; compared after trimming,
 * case-sensitive). With rule->containers also an array without elements and an object without members that are not
 * empty. */
bool ee_value_is_empty(const ee_value *value, const ee_empty_rule *rule);

/* The same for a value that should be an array, or a shape in one: null is never one, also with rule->none. */
static inline bool ee_value_is_no_list(const ee_value *value, const ee_empty_rule *rule) {
  return ee_type_of(value) <= EE_NULL || ee_value_is_empty(value, rule);
}

/* The equality of judging for values that are empty by `rule`, at every depth; `scratch` is for containers. With
 * rule->none the equality of JSON. */
bool ee_value_equal_by(const ee_value *a, const ee_value *b, const ee_empty_rule *rule, ee_arena *scratch);

/* What ee_value_equal(), ee_value_hash() and ee_value_compare() need to know about `rule`: an array or object without
 * the members that are empty, at every depth; empty elements are null. `value` itself where nothing changes and where
 * the rule is plain (those functions know it); else a copy in `arena` that shares what is unchanged. */
const ee_value *ee_value_without_empty(ee_arena *arena, const ee_value *value, const ee_empty_rule *rule);

/* The same without the one member `member`. */
const ee_value *ee_value_without(ee_arena *arena, const ee_value *object, const ee_value *member);

#endif
