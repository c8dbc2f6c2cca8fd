/* extraction_keys.h: when two extractions of two answers are the same, and how alike answers are by that.
 *
 * SEMANTICS: the key of an extraction is its case, class, start, end and quote; here it is compared part
 * by part, so that no text can forge another key. The case is what the caller compares in. */
#ifndef EE_JUDGE_EXTRACTION_EXTRACTION_KEYS_H
#define EE_JUDGE_EXTRACTION_EXTRACTION_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

typedef struct ee_extraction_key {
  ee_str extraction_class, quote; /* data NULL: it has none */
  bool has_offsets;               /* else both are 0 */
  int64_t start, end;
} ee_extraction_key;

/* The different keys of one answer, sorted. All zero: none. */
typedef struct ee_extraction_keys {
  ee_extraction_key *items;
  size_t count;
  const uint32_t *numbers; /* of each key, from ee_extraction_keys_number(); NULL: none */
} ee_extraction_keys;

/* Sorts `items` where they are and drops those that equal another. O(n log n), scratch in `arena`. */
ee_extraction_keys ee_extraction_keys_make(ee_extraction_key *items, size_t count, ee_arena *arena);

/* Numbers the keys of `count` sets in their order, equal ones alike, in `arena`: sets that are compared in all their
 * pairs then compare numbers. n log n in all keys. */
void ee_extraction_keys_number(ee_extraction_keys *sets, size_t count, ee_arena *arena);

/* How many keys both have; both are numbered together, or one has no numbers. Linear. */
size_t ee_extraction_keys_shared(const ee_extraction_keys *a, const ee_extraction_keys *b);

/* Those that either has, in `arena`. Linear. */
ee_extraction_keys ee_extraction_keys_union(const ee_extraction_keys *a, const ee_extraction_keys *b, ee_arena *arena);

/* The Jaccard similarity of two sets: |shared| / (|a| + |b| - |shared|); 1 when both are empty. */
double ee_extraction_jaccard(uint64_t shared, uint64_t a, uint64_t b);

#endif
