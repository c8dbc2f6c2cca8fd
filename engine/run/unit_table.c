/* unit_table.c: a hash table of sums whose keys are hashes already. */
#include "run/unit_table.h"

#include <stddef.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "prim/sort.h"

#define FIRST_CAPACITY 16

uint64_t ee_unit_key(ee_str id, ee_str cluster) {
  /* A case is not of the cluster that has its id as its name. */
  uint64_t key =
      cluster.data != NULL ? ee_hash_bytes(cluster.data, cluster.length, 1) : ee_hash_bytes(id.data, id.length, 2);
  return ee_hash_mix(key) | 1;
}

/* The place of the unit, or the free one for it. Never full. */
static ee_unit *place_of(const ee_unit_table *table, uint64_t key) {
  size_t at = (size_t)(key >> (64 - __builtin_ctzll(table->capacity)));
  while (table->units[at].key != 0 && table->units[at].key != key) at = (at + 1) & (table->capacity - 1);
  return &table->units[at];
}

typedef void add_unit(ee_unit *to, const ee_unit *from);

static void add_counts(ee_unit *to, const ee_unit *from) {
  to->counts.tp += from->counts.tp;
  to->counts.tn += from->counts.tn;
  to->counts.fp += from->counts.fp;
  to->counts.fn += from->counts.fn;
}

static void add_scores(ee_unit *to, const ee_unit *from) {
  to->scores.count += from->scores.count;
  to->scores.passed += from->scores.passed;
  ee_fixed_add(&to->scores.sum, from->scores.sum);
}

static ee_unit *unit_of(ee_unit_table *table, unsigned bits, uint64_t key, add_unit *add);

/* Puts all units into a table of this capacity, in groups or not. */
static void rebuild(ee_unit_table *table, size_t capacity, bool grouped, add_unit *add) {
  ee_unit_table before = *table;
  *table = (ee_unit_table){.units = ee_calloc(capacity, sizeof *table->units),
                           .capacity = capacity,
                           .bits = before.bits,
                           .grouped = grouped};
  for (size_t i = 0; i < before.capacity; i++)
    if (before.units[i].key != 0) add(unit_of(table, before.bits, before.units[i].key, add), &before.units[i]);
  ee_free(before.units);
}

/* Finds or adds. */
static ee_unit *unit_of(ee_unit_table *table, unsigned bits, uint64_t key, add_unit *add) {
  table->bits = bits;
  if (table->capacity == 0) rebuild(table, FIRST_CAPACITY, false, add);
  ee_unit *unit = place_of(table, table->grouped ? ee_unit_group(key, bits) : key);
  if (unit->key != 0) return unit;
  if (!table->grouped && table->count == (size_t)1 << bits) {
    rebuild(table, (size_t)2 << bits, true, add);
    return unit_of(table, bits, key, add);
  }
  if (table->count * 4 >= table->capacity * 3) {
    rebuild(table, table->capacity * 2, table->grouped, add);
    return unit_of(table, bits, key, add);
  }
  table->count++;
  unit->key = table->grouped ? ee_unit_group(key, bits) : key;
  return unit;
}

void ee_unit_table_add_counts(ee_unit_table *table, unsigned bits, uint64_t key, const ee_counts *counts) {
  if (counts->tp + counts->tn + counts->fp + counts->fn == 0) return;
  ee_unit *unit = unit_of(table, bits, key, add_counts);
  unit->counts.tp += counts->tp;
  unit->counts.tn += counts->tn;
  unit->counts.fp += counts->fp;
  unit->counts.fn += counts->fn;
}

static void add_score(ee_unit_table *table, unsigned bits, uint64_t key, double score, bool passed) {
  ee_unit *unit = unit_of(table, bits, key, add_scores);
  unit->scores.count++;
  unit->scores.passed += passed;
  ee_fixed_add(&unit->scores.sum, ee_fixed_from(score));
}

static void merge(ee_unit_table *table, const ee_unit_table *other, add_unit *add) {
  if (other->count == 0) return;
  /* Its units may be few by now because they are groups. */
  if (other->grouped && !table->grouped) {
    table->bits = other->bits;
    rebuild(table, (size_t)2 << other->bits, true, add);
  }
  for (size_t i = 0; i < other->capacity; i++)
    if (other->units[i].key != 0) add(unit_of(table, other->bits, other->units[i].key, add), &other->units[i]);
}

void ee_unit_table_merge_counts(ee_unit_table *table, const ee_unit_table *other) { merge(table, other, add_counts); }
static void merge_scores(ee_unit_table *table, const ee_unit_table *other) { merge(table, other, add_scores); }

void ee_unit_table_clear(ee_unit_table *table) {
  if (table->count > 0) memset(table->units, 0, table->capacity * sizeof *table->units);
  table->count = 0;
  table->grouped = false;
}

void ee_unit_table_fini(ee_unit_table *table) {
  ee_free(table->units);
  *table = (ee_unit_table){0};
}

/* Reading -------------------------------------------------------------------------------------- */

static bool is_before(const ee_unit *a, const ee_unit *b) { return a->key < b->key; }
EE_DEFINE_SORT(sort_units, ee_unit, is_before)

/* Adds up units of equal keys that follow each other; returns how many are left. */
static size_t join(ee_unit *units, size_t count, add_unit *add) {
  size_t left = 0;
  for (size_t i = 0; i < count; i++) {
    if (left > 0 && units[left - 1].key == units[i].key)
      add(&units[left - 1], &units[i]);
    else
      units[left++] = units[i];
  }
  return left;
}

static ee_unit *list(const ee_unit_table *const *tables, size_t table_count, ee_arena *arena, size_t *count) {
  size_t all = 0;
  for (size_t i = 0; i < table_count; i++) all += tables[i]->count;
  ee_unit *units = EE_NEW_ARRAY(arena, ee_unit, all);
  *count = 0;
  for (size_t i = 0; i < table_count; i++)
    for (size_t k = 0; k < tables[i]->capacity; k++)
      if (tables[i]->units[k].key != 0) units[(*count)++] = tables[i]->units[k];
  sort_units(units, *count, arena);
  return units;
}

const ee_unit *ee_units_of(const ee_unit_table *const *tables, size_t table_count, unsigned bits, ee_arena *arena,
                           size_t *count) {
  ee_unit *units = list(tables, table_count, arena, count);
  bool grouped = false;
  for (size_t i = 0; i < table_count; i++) grouped = grouped || tables[i]->grouped;
  if (!grouped) *count = join(units, *count, add_counts);
  if (!grouped && *count <= (size_t)1 << bits) return units;
  /* Ascending keys are ascending groups. */
  for (size_t i = 0; i < *count; i++) units[i].key = ee_unit_group(units[i].key, bits);
  *count = join(units, *count, add_counts);
  return units;
}

static void add_terms(ee_ratio_sums *sums, double a, double b) {
  if (b <= 0) return;
  sums->units++;
  sums->aa += a * a;
  sums->ab += a * b;
  sums->bb += b * b;
}

/* What is added in ascending order of keys has the same bits however a table was filled. */
void ee_units_add_terms(const ee_unit *units, size_t count, ee_count_ratio ratio, ee_ratio_sums *sums) {
  for (size_t i = 0; i < count; i++) {
    double tp = (double)units[i].counts.tp, tn = (double)units[i].counts.tn;
    double fp = (double)units[i].counts.fp, fn = (double)units[i].counts.fn;
    switch (ratio) {
    case EE_RATIO_PRECISION: add_terms(sums, tp, tp + fp); break;
    case EE_RATIO_RECALL: add_terms(sums, tp, tp + fn); break;
    case EE_RATIO_SPECIFICITY: add_terms(sums, tn, tn + fp); break;
    default: add_terms(sums, 2 * tp, 2 * tp + fp + fn);
    }
  }
}

/* Scores --------------------------------------------------------------------------------------- */

void ee_score_units_add(ee_score_units *units, uint64_t cluster, double score, bool passed) {
  if (cluster == 0) return;
  ee_sample_add(&units->clustered, score);
  units->passed += passed;
  add_score(&units->clusters, EE_CLUSTER_BITS, cluster, score, passed);
}

void ee_score_units_merge(ee_score_units *units, const ee_score_units *other) {
  if (other->clustered.count == 0) return;
  ee_sample_merge(&units->clustered, &other->clustered);
  units->passed += other->passed;
  merge_scores(&units->clusters, &other->clusters);
}

void ee_score_units_clear(ee_score_units *units) {
  units->clustered = (ee_sample){0};
  units->passed = 0;
  ee_unit_table_clear(&units->clusters);
}

void ee_score_units_fini(ee_score_units *units) { ee_unit_table_fini(&units->clusters); }

uint64_t ee_score_units_count(const ee_score_units *units, const ee_sample *all) {
  return all->count - units->clustered.count + units->clusters.count;
}

/* Adds the terms of clusters to those of the other cases, and sets a and b, which are of all. */
static ee_ratio_sums with_clusters(const ee_score_units *units, ee_ratio_sums sums, bool passes, double a, double b) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_unit_table *table = &units->clusters;
  size_t count;
  const ee_unit *clusters = list(&table, 1, &arena, &count);
  for (size_t i = 0; i < count; i++)
    add_terms(&sums, passes ? (double)clusters[i].scores.passed : ee_fixed_value(clusters[i].scores.sum),
              (double)clusters[i].scores.count);
  ee_arena_fini(&arena);
  sums.a = a;
  sums.b = b;
  return sums;
}

ee_ratio_sums ee_score_units_mean(const ee_score_units *units, const ee_sample *all) {
  ee_ratio_sums whole = ee_ratio_of_sample(all);
  if (units->clustered.count == 0) return whole;
  ee_sample alone = {.count = all->count - units->clustered.count,
                     .sum = {all->sum.units - units->clustered.sum.units},
                     .sum_of_squares = {all->sum_of_squares.units - units->clustered.sum_of_squares.units}};
  return with_clusters(units, ee_ratio_of_sample(&alone), false, whole.a, whole.b);
}

ee_ratio_sums ee_score_units_pass_rate(const ee_score_units *units, const ee_sample *all, uint64_t passed) {
  if (units->clustered.count == 0) return ee_ratio_of_proportion(passed, all->count);
  ee_ratio_sums alone = ee_ratio_of_proportion(passed - units->passed, all->count - units->clustered.count);
  return with_clusters(units, alone, true, (double)passed, (double)all->count);
}

/* Counts --------------------------------------------------------------------------------------- */

void ee_count_units_add(ee_count_units *units, uint64_t unit, bool clustered, bool whole, const ee_counts *counts) {
  if (clustered)
    ee_unit_table_add_counts(&units->clusters, EE_CLUSTER_BITS, unit, counts);
  else
    ee_count_moments_add(&units->alone, counts);
  if (whole) ee_unit_table_add_counts(&units->all, EE_AVERAGE_BITS, unit, counts);
}

void ee_count_units_merge(ee_count_units *units, const ee_count_units *other) {
  ee_count_moments_merge(&units->alone, &other->alone);
  ee_unit_table_merge_counts(&units->clusters, &other->clusters);
  ee_unit_table_merge_counts(&units->all, &other->all);
}

void ee_count_units_clear(ee_count_units *units) {
  units->alone = (ee_count_moments){0};
  ee_unit_table_clear(&units->clusters);
  ee_unit_table_clear(&units->all);
}

void ee_count_units_fini(ee_count_units *units) {
  ee_unit_table_fini(&units->clusters);
  ee_unit_table_fini(&units->all);
}

ee_ratio_sums ee_count_units_ratio(const ee_count_units *units, const ee_counts *counts, ee_count_ratio ratio) {
  ee_ratio_sums sums = ee_ratio_of_counts(counts, &units->alone, ratio);
  if (units->clusters.count == 0) return sums;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_unit_table *table = &units->clusters;
  size_t count;
  const ee_unit *clusters = list(&table, 1, &arena, &count);
  ee_units_add_terms(clusters, count, ratio, &sums);
  ee_arena_fini(&arena);
  return sums;
}

/* State ---------------------------------------------------------------------------------------- */

EE_STATE_COVERS(ee_unit, 48);
EE_STATE_COVERS(ee_unit_table, 32);
EE_STATE_COVERS(ee_score_units, 64 + sizeof(ee_unit_table));
EE_STATE_COVERS(ee_count_units, sizeof(ee_count_moments) + 2 * sizeof(ee_unit_table));
EE_STATE_COVERS(ee_count_moments, 96);

/* A key as how many it skips, of those from `*next` on: of groups, whose keys are their first bits, a small number. */
static void key_state(ee_state_line *line, uint64_t *key, uint64_t *next, unsigned shift) {
  uint64_t last = UINT64_MAX >> shift, skipped = (*key >> shift) - *next;
  ee_state_count(line, &skipped);
  if (*next > last || skipped > last - *next) ee_state_fail(line);
  *key = (*next + skipped) << shift | 1;
  *next += skipped + 1;
}

/* A key as how many of the shared ones it skips, from `*next` on. */
static void shared_key_state(ee_state_line *line, uint64_t *key, size_t *next, const ee_unit_keys *keys) {
  size_t skipped = 0, left = keys->count - *next;
  while (!ee_state_reading(line) && skipped < left && keys->items[*next + skipped] != *key) skipped++;
  ee_state_size(line, &skipped);
  if (skipped >= left) {
    ee_state_fail(line);
    return;
  }
  *key = keys->items[*next + skipped];
  *next += skipped + 1;
}

/* Of groups `bits` is not 0; nearly always there are all of them. `keys` NULL: none are shared. */
static void keys_state(ee_state_line *line, ee_unit *units, size_t count, unsigned bits, const ee_unit_keys *keys) {
  uint64_t next = 0;
  size_t next_shared = 0;
  bool all = bits > 0 && count == (size_t)1 << bits;
  for (size_t i = 0; i < count; i++) {
    if (all)
      units[i].key = (uint64_t)i << (64 - bits) | 1;
    else if (bits == 0 && keys != NULL)
      shared_key_state(line, &units[i].key, &next_shared, keys);
    else
      key_state(line, &units[i].key, &next, bits > 0 ? 64 - bits : 1);
  }
}

/* A count as its difference from `usual`, the sign in the lowest bit. */
static void difference_state(ee_state_line *line, uint64_t *count, uint64_t usual) {
  uint64_t difference = *count - usual;
  uint64_t folded = difference >> 63 != 0 ? ~(difference << 1) : difference << 1;
  ee_state_count(line, &folded);
  difference = folded & 1 ? ~(folded >> 1) : folded >> 1;
  if (ee_state_reading(line)) *count = usual + difference;
}

/* One count of all units: their mean, and if that is not 0 in all of them what differs from it, since groups are about
 * as large. `offset` is where it is in a unit. */
static void column_state(ee_state_line *line, ee_unit *units, size_t count, size_t offset) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += *(uint64_t *)(void *)((char *)&units[i] + offset);
  bool there = sum > 0;
  uint64_t usual = there ? sum / count : 0;
  ee_state_flag(line, &there);
  if (!there) return;
  ee_state_count(line, &usual);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++)
    difference_state(line, (uint64_t *)(void *)((char *)&units[i] + offset), usual);
}

static void columns_state(ee_state_line *line, ee_unit *units, size_t count, bool are_scores) {
  if (are_scores) {
    column_state(line, units, count, offsetof(ee_unit, scores.count));
    column_state(line, units, count, offsetof(ee_unit, scores.passed));
    for (size_t i = 0; i < count; i++) ee_state_fixed(line, &units[i].scores.sum);
  } else {
    column_state(line, units, count, offsetof(ee_unit, counts.tp));
    column_state(line, units, count, offsetof(ee_unit, counts.tn));
    column_state(line, units, count, offsetof(ee_unit, counts.fp));
    column_state(line, units, count, offsetof(ee_unit, counts.fn));
  }
}

/* The table has groups, as one that got more than 2^bits units. There are about two thirds as many or more: much fewer,
 * which would not be worth its memory, come from no table. */
static void make_groups(ee_state_line *line, ee_unit_table *table, unsigned bits, size_t count, add_unit *add) {
  table->bits = bits;
  if (count < (size_t)1 << bits >> 3)
    ee_state_fail(line);
  else
    rebuild(table, (size_t)2 << bits, true, add);
}

static void table_state(ee_state_line *line, ee_unit_table *table, unsigned bits, bool are_scores,
                        const ee_unit_keys *keys) {
  add_unit *add = are_scores ? add_scores : add_counts;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_unit_table *tables = table;
  size_t count = 0;
  bool grouped = table->grouped, reading = ee_state_reading(line);
  ee_unit *units = reading ? NULL : list(&tables, 1, &arena, &count);
  ee_state_begin_packed(line);
  ee_state_flag(line, &grouped);
  count = ee_state_items(line, count);
  if (count > (size_t)1 << bits) ee_state_fail(line);
  if (ee_state_failed(line)) count = 0;
  if (reading) units = EE_NEW_ARRAY(&arena, ee_unit, count);
  keys_state(line, units, count, grouped ? bits : 0, keys);
  columns_state(line, units, count, are_scores);
  if (reading && grouped && !ee_state_failed(line)) make_groups(line, table, bits, count, add);
  for (size_t i = 0; reading && ee_state_goes_on(line, i, count); i++)
    add(unit_of(table, bits, units[i].key, add), &units[i]);
  ee_state_end(line);
  ee_state_end_packed(line);
  ee_arena_fini(&arena);
}

void ee_score_units_state(ee_state_line *line, ee_score_units *units) {
  ee_state_begin(line);
  ee_state_sample(line, &units->clustered);
  ee_state_count(line, &units->passed);
  table_state(line, &units->clusters, EE_CLUSTER_BITS, true, NULL);
  ee_state_end(line);
}

void ee_count_moments_state(ee_state_line *line, ee_count_moments *moments) {
  ee_state_begin(line);
  ee_state_counts(line, moments->units, EE_COUNT_RATIOS);
  ee_state_count(line, &moments->tp_tp);
  ee_state_count(line, &moments->fp_fp);
  ee_state_count(line, &moments->fn_fn);
  ee_state_count(line, &moments->tn_tn);
  ee_state_count(line, &moments->tp_fp);
  ee_state_count(line, &moments->tp_fn);
  ee_state_count(line, &moments->fp_fn);
  ee_state_count(line, &moments->tn_fp);
  ee_state_end(line);
}

static void add_keys(ee_unit_keys *keys, ee_arena *arena, const ee_unit_table *table) {
  if (table->grouped) return;
  EE_LIST_RESERVE(keys, arena, table->count);
  for (size_t i = 0; i < table->capacity; i++)
    if (table->units[i].key != 0) keys->items[keys->count++] = table->units[i].key;
}

void ee_unit_keys_add(ee_unit_keys *keys, ee_arena *arena, const ee_count_units *units) {
  add_keys(keys, arena, &units->clusters);
  add_keys(keys, arena, &units->all);
}

static bool is_lower(const uint64_t *a, const uint64_t *b) { return *a < *b; }
EE_DEFINE_SORT(sort_keys, uint64_t, is_lower)

void ee_unit_keys_sort(ee_unit_keys *keys, ee_arena *arena) {
  size_t kept = 0;
  sort_keys(keys->items, keys->count, arena);
  for (size_t i = 0; i < keys->count; i++)
    if (kept == 0 || keys->items[kept - 1] != keys->items[i]) keys->items[kept++] = keys->items[i];
  keys->count = kept;
}

void ee_unit_keys_state(ee_state_line *line, ee_arena *arena, ee_unit_keys *keys) {
  ee_state_begin_packed(line);
  size_t count = ee_state_items(line, keys->count);
  uint64_t next = 0;
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    uint64_t key = ee_state_reading(line) ? 0 : keys->items[i];
    key_state(line, &key, &next, 1);
    if (ee_state_reading(line)) *EE_LIST_ADD(keys, arena) = key;
  }
  ee_state_end(line);
  ee_state_end_packed(line);
}

void ee_count_units_state(ee_state_line *line, ee_count_units *units, const ee_unit_keys *keys) {
  ee_state_begin(line);
  ee_count_moments_state(line, &units->alone);
  table_state(line, &units->clusters, EE_CLUSTER_BITS, false, keys);
  table_state(line, &units->all, EE_AVERAGE_BITS, false, keys);
  ee_state_end(line);
}
