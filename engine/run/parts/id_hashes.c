/* id_hashes.c: sorted hashes, their differences, and their union window by window. */
#include "run/parts/id_hashes.h"

#include "base/memory.h"
#include "prim/sort.h"

/* Hashes of all runs that are looked at together, on average; more where there are many runs. */
#define WINDOW 256
#define WINDOW_OF_RUN 8

void ee_id_hashes_fini(ee_id_hashes *ids) {
  EE_LIST_FINI(ids);
  ids->shift = 0;
}

/* The largest hash that is kept. */
static uint64_t top_of(unsigned shift) { return shift < 64 ? UINT64_MAX >> shift : 0; }

static void thin(ee_id_hashes *ids, unsigned shift) {
  if (shift <= ids->shift) return;
  ids->shift = shift;
  uint64_t top = top_of(shift);
  size_t kept = 0;
  for (size_t i = 0; i < ids->count; i++)
    if (ids->items[i] <= top) ids->items[kept++] = ids->items[i];
  ids->count = kept;
}

void ee_id_hashes_add(ee_id_hashes *ids, uint64_t hash, size_t limit) {
  if (hash > top_of(ids->shift)) return;
  *EE_LIST_ADD(ids, NULL) = hash;
  while (ids->count > limit && ids->shift < 63) thin(ids, ids->shift + 1);
}

static bool hash_before(const uint64_t *a, const uint64_t *b) { return *a < *b; }
EE_DEFINE_SORT(sort_hashes, uint64_t, hash_before)

void ee_id_hashes_sort(ee_id_hashes *ids) {
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  sort_hashes(ids->items, ids->count, &scratch);
  ee_arena_fini(&scratch);
  size_t kept = 0;
  for (size_t i = 0; i < ids->count; i++)
    if (kept == 0 || ids->items[kept - 1] != ids->items[i]) ids->items[kept++] = ids->items[i];
  ids->count = kept;
}

size_t ee_id_hashes_find(const ee_id_hashes *ids, uint64_t hash) {
  size_t low = 0, high = ids->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ids->items[middle] < hash)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool ee_id_hashes_has(const ee_id_hashes *ids, uint64_t hash) {
  size_t place = ee_id_hashes_find(ids, hash);
  return place < ids->count && ids->items[place] == hash;
}

void ee_id_hashes_state(ee_state_line *line, ee_id_hashes *ids) {
  uint32_t shift = ids->shift;
  ee_state_small(line, &shift, 63);
  ee_state_begin_packed(line);
  size_t count = ee_state_items(line, ids->count);
  if (ee_state_reading(line)) {
    ee_id_hashes_fini(ids);
    ids->shift = shift;
    EE_LIST_RESERVE(ids, NULL, count);
    ids->count = count;
  }
  uint64_t before = 0;
  for (size_t i = 0; i < count; i++) {
    uint64_t difference = ids->items[i] - before;
    ee_state_count(line, &difference);
    if (ee_state_reading(line)) {
      ids->items[i] = before + difference;
      /* Ascending, so never less; the first may be 0. */
      if (ids->items[i] < before || (difference == 0 && i > 0) || ids->items[i] > top_of(shift)) ee_state_fail(line);
    }
    before = ids->items[i];
  }
  ee_state_end(line);
  ee_state_end_packed(line);
  if (ee_state_failed(line) && ee_state_reading(line)) ids->count = 0;
}

/* Several sets ---------------------------------------------------------------------------------- */

void ee_id_pool_fini(ee_id_pool *pool) {
  ee_id_hashes_fini(&pool->all);
  ee_free(pool->runs);
  *pool = (ee_id_pool){0};
}

static size_t limit_of(const ee_id_pool *pool) { return pool->limit > 0 ? pool->limit : EE_ID_HASHES_LIMIT; }

typedef struct owned_hash {
  uint64_t hash;
  size_t run;
} owned_hash;

/* Equal ones in the order of the parts. */
static bool owned_before(const owned_hash *a, const owned_hash *b) {
  return a->hash != b->hash ? a->hash < b->hash : a->run < b->run;
}
EE_DEFINE_SORT(sort_owned, owned_hash, owned_before)

/* Hashes spread evenly: a window of their range holds a few of each run. All runs go through it together, so that the
 * memory is that of a window. */
void ee_id_pool_finish(ee_id_pool *pool) {
  struct ee_id_run *runs = pool->runs;
  if (pool->run_count < 2) return;
  uint64_t top = top_of(pool->all.shift);
  size_t per_window = WINDOW > WINDOW_OF_RUN * pool->run_count ? WINDOW : WINDOW_OF_RUN * pool->run_count;
  uint64_t windows = pool->all.count / per_window + 1, width = top / windows + 1;
  struct {
    EE_LIST(owned_hash);
  } window = {0};
  ee_id_hashes merged = {.shift = pool->all.shift};
  EE_LIST_RESERVE(&merged, NULL, pool->all.count);
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  for (uint64_t from = 0;; from += width) {
    uint64_t last = top - from < width ? top : from + width - 1;
    window.count = 0;
    for (size_t i = 0; i < pool->run_count; i++)
      for (; runs[i].count > 0 && pool->all.items[runs[i].start] <= last; runs[i].start++, runs[i].count--)
        *EE_LIST_ADD(&window, NULL) = (owned_hash){pool->all.items[runs[i].start], i};
    sort_owned(window.items, window.count, &scratch);
    for (size_t i = 0; i < window.count; i++) {
      if (i == 0 || window.items[i].hash != window.items[i - 1].hash)
        *EE_LIST_ADD(&merged, NULL) = window.items[i].hash;
      else if (pool->repeated != NULL)
        pool->repeated(pool->user, window.items[i].hash, runs[window.items[i].run].owner);
    }
    if (last == top) break;
  }
  ee_arena_fini(&scratch);
  EE_LIST_FINI(&window);
  ee_id_hashes_fini(&pool->all);
  pool->all = merged;
  while (pool->all.count > limit_of(pool) && pool->all.shift < 63) thin(&pool->all, pool->all.shift + 1);
  runs[0] = (struct ee_id_run){.count = pool->all.count};
  pool->run_count = 1;
}

/* Drops from all runs what a smaller sample does not have. */
static void thin_runs(ee_id_pool *pool, unsigned shift) {
  if (shift <= pool->all.shift) return;
  uint64_t top = top_of(shift);
  size_t kept = 0;
  for (size_t i = 0; i < pool->run_count; i++) {
    struct ee_id_run *run = &pool->runs[i];
    size_t start = run->start, count = run->count;
    run->start = kept;
    for (size_t k = 0; k < count && pool->all.items[start + k] <= top; k++)
      pool->all.items[kept++] = pool->all.items[start + k];
    run->count = kept - run->start;
  }
  pool->all.count = kept;
  pool->all.shift = shift;
}

void ee_id_pool_add(ee_id_pool *pool, const ee_id_hashes *ids, size_t owner) {
  thin_runs(pool, ids->shift);
  if (pool->run_count > 1 && pool->all.count > limit_of(pool) + limit_of(pool) / 2) ee_id_pool_finish(pool);
  if (pool->run_count == pool->run_capacity)
    pool->runs = ee_list_grow(NULL, pool->runs, pool->run_count, &pool->run_capacity, 1, sizeof *pool->runs);
  struct ee_id_run *run = &pool->runs[pool->run_count++];
  *run = (struct ee_id_run){.start = pool->all.count, .owner = owner};
  EE_LIST_RESERVE(&pool->all, NULL, ids->count);
  uint64_t top = top_of(pool->all.shift);
  for (size_t i = 0; i < ids->count && ids->items[i] <= top; i++) pool->all.items[pool->all.count++] = ids->items[i];
  run->count = pool->all.count - run->start;
}
