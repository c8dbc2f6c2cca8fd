/* unit_table.c: a hash table of sums whose keys are hashes already. */
#include "run/unit_table.h"

#include <stdlib.h>

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
  free(before.units);
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

void ee_unit_table_add_score(ee_unit_table *table, unsigned bits, uint64_t key, double score, bool passed) {
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
void ee_unit_table_merge_scores(ee_unit_table *table, const ee_unit_table *other) { merge(table, other, add_scores); }

void ee_unit_table_clear(ee_unit_table *table) {
  if (table->count > 0) memset(table->units, 0, table->capacity * sizeof *table->units);
  table->count = 0;
  table->grouped = false;
}

void ee_unit_table_fini(ee_unit_table *table) {
  free(table->units);
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
  ee_unit_table_add_score(&units->clusters, EE_CLUSTER_BITS, cluster, score, passed);
}

void ee_score_units_merge(ee_score_units *units, const ee_score_units *other) {
  if (other->clustered.count == 0) return;
  ee_sample_merge(&units->clustered, &other->clustered);
  units->passed += other->passed;
  ee_unit_table_merge_scores(&units->clusters, &other->clusters);
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
