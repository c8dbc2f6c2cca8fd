/* id_hashes.h: the ids of a part as hashes, and finding those that occur in several parts.
 *
 * A part cannot keep the ids themselves: 64-bit hashes in ascending order, as differences, take about 9 bytes of JSON
 * each. They are exact up to EE_ID_HASHES_LIMIT; beyond that only the hashes below 2^(64 - shift) are kept, the ids
 * that any part would keep: so two samples have in common what the whole sets have, in the same share (the Theta sketch
 * of Dasgupta, Lang, Rhodes and Thaler 2016, with thresholds that are powers of two). Two ids with one hash: by chance
 * once in 130,000 sets of 16 million. */
#ifndef EE_RUN_PARTS_ID_HASHES_H
#define EE_RUN_PARTS_ID_HASHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "data/json/state_line.h"

#define EE_ID_HASHES_LIMIT ((size_t)1 << 24)

typedef struct ee_id_hashes {
  EE_LIST(uint64_t);
  unsigned shift; /* 0: all hashes; else one of 2^shift, those below 2^(64 - shift) */
} ee_id_hashes;

/* All zero is a valid empty set. */
void ee_id_hashes_fini(ee_id_hashes *ids);

/* Adds a hash in any order, until ee_id_hashes_sort(); keeps at most `limit` (tests; else EE_ID_HASHES_LIMIT). */
void ee_id_hashes_add(ee_id_hashes *ids, uint64_t hash, size_t limit);
/* Sorts what was added; each hash is then there once. */
void ee_id_hashes_sort(ee_id_hashes *ids);
/* The place of the first hash of a sorted set that is not less; its count if all are. */
size_t ee_id_hashes_find(const ee_id_hashes *ids, uint64_t hash);
/* Whether a sorted set has the hash. */
bool ee_id_hashes_has(const ee_id_hashes *ids, uint64_t hash);

/* Writes or reads a sorted set. */
void ee_id_hashes_state(ee_state_line *line, ee_id_hashes *ids);

/* The sets of several parts, in the order of the parts. */
typedef struct ee_id_pool {
  ee_id_hashes all; /* one sorted run after the other */
  struct ee_id_run {
    size_t start, count, owner;
  } * runs;
  size_t run_count, run_capacity;
  size_t limit; /* 0: EE_ID_HASHES_LIMIT */
  /* Called for each hash of a set that an earlier set has; may be NULL. */
  void (*repeated)(void *user, uint64_t hash, size_t owner);
  void *user;
} ee_id_pool;

void ee_id_pool_fini(ee_id_pool *pool);
/* Adds the set of `owner`, the caller's number. Memory: 8 bytes a hash, up to one and a half times the limit and this
 * set. */
void ee_id_pool_add(ee_id_pool *pool, const ee_id_hashes *ids, size_t owner);
/* Reports what is repeated; `pool->all` is then the union, sorted. */
void ee_id_pool_finish(ee_id_pool *pool);

#endif
