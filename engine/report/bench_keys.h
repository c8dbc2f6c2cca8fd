/* bench_keys.h: when two extractions of two answers are the same.
 *
 * Layer: report, and private to bench_*.c. SEMANTICS: the key of an extraction is its case, class, start, end and
 * quote; here it is compared part by part, so that no text can forge another key. The case is what the caller compares
 * in. */
#ifndef EE_REPORT_BENCH_KEYS_H
#define EE_REPORT_BENCH_KEYS_H

#include "data/value.h"

typedef struct ee_bench_key {
  ee_str extraction_class, quote; /* data NULL: it has none */
  bool has_offsets;               /* else both are 0 */
  int64_t start, end;
} ee_bench_key;

/* The different keys of one answer, sorted. */
typedef struct ee_bench_keys {
  ee_bench_key *items;
  size_t count;
} ee_bench_keys;

/* < 0, 0, > 0. */
int ee_bench_key_compare(const ee_bench_key *a, const ee_bench_key *b);

/* The keys of the list `extractions` of a trial (anything else: none), in `arena`; they borrow from it. */
ee_bench_keys ee_bench_keys_of(const ee_value *extractions, ee_arena *arena);

/* How many keys both have. */
size_t ee_bench_keys_shared(const ee_bench_keys *a, const ee_bench_keys *b);

/* Those that either has, in `arena`. */
ee_bench_keys ee_bench_keys_union(const ee_bench_keys *a, const ee_bench_keys *b, ee_arena *arena);

#endif
