/* unit_table.h: sums by unit, of what varies independently: a cluster of cases, or a case.
 *
 * A table keeps up to 2^bits units apart. Where there are more, it puts them together by the first bits of their keys,
 * which are hashes: sums of random groups vary as much as the units in them do, so an interval stays right, and its
 * width changes by a percent or two. What a table holds in the end depends only on what was added, in any order and
 * however it was split and merged. Memory: 96 bytes a unit at most, 2^bits units. */
#ifndef EE_RUN_UNIT_TABLE_H
#define EE_RUN_UNIT_TABLE_H

#include "base/arena.h"
#include "base/list.h"
#include "base/str.h"
#include "data/json/state_line.h"
#include "prim/ratio_interval.h"

/* Units that are kept apart where cases have clusters (2,048), and for averages over fields (128). */
#define EE_CLUSTER_BITS 11
#define EE_AVERAGE_BITS 7

typedef struct ee_unit {
  uint64_t key; /* never 0; of a group the first bits, and 1 */
  union {
    struct {
      uint64_t tp, tn, fp, fn;
    } counts; /* of an attribute */
    struct {
      uint64_t count, passed;
      ee_fixed sum;
    } scores; /* of cases or of a judge */
  };
} ee_unit;

typedef struct ee_unit_table {
  ee_unit *units; /* by the first bits of their keys, then the next free place; key 0: free */
  size_t count, capacity;
  unsigned bits; /* 0: nothing was added yet */
  bool grouped;
} ee_unit_table;

/* The key of a case: of its cluster, or where `cluster` has no data of the case alone. */
uint64_t ee_unit_key(ee_str id, ee_str cluster);

/* The key of the group that a unit is in. Ascending keys have ascending groups. */
static inline uint64_t ee_unit_group(uint64_t key, unsigned bits) { return key >> (64 - bits) << (64 - bits) | 1; }

/* A table of zeros is empty. `bits` is the same in all calls for one table, and in tables that are merged. Counts
 * that are all 0 make no unit. */
void ee_unit_table_add_counts(ee_unit_table *table, unsigned bits, uint64_t key, const ee_counts *counts);
void ee_unit_table_merge_counts(ee_unit_table *table, const ee_unit_table *other);
/* Empties the table and keeps its memory. */
void ee_unit_table_clear(ee_unit_table *table);
void ee_unit_table_fini(ee_unit_table *table);

/* The units of several tables of counts together, ascending by key, `*count` of them in `arena`, each with its sums
 * over all tables: apart, if there are no more than 2^bits and no table has groups; else in groups by the first `bits`
 * of their keys. bits <= those of the tables. */
const ee_unit *ee_units_of(const ee_unit_table *const *tables, size_t table_count, unsigned bits, ee_arena *arena,
                           size_t *count);
/* Adds the terms of a ratio of such units. */
void ee_units_add_terms(const ee_unit *units, size_t count, ee_count_ratio ratio, ee_ratio_sums *sums);

/* What belongs to one total -------------------------------------------------------------------- */

/* Beside a sample of scores: those of cases with a cluster, by cluster. A case without one is a unit by itself, of
 * which the sample says enough. */
typedef struct ee_score_units {
  ee_sample clustered;
  uint64_t passed; /* of these */
  ee_unit_table clusters;
} ee_score_units;

/* Adds a case of the cluster with this key; 0: of none, which changes nothing. */
void ee_score_units_add(ee_score_units *units, uint64_t cluster, double score, bool passed);
void ee_score_units_merge(ee_score_units *units, const ee_score_units *other);
void ee_score_units_clear(ee_score_units *units);
void ee_score_units_fini(ee_score_units *units);
/* Writes them, or reads them into empty ones. */
void ee_score_units_state(ee_state_line *line, ee_score_units *units);
/* How many units the sample has. */
uint64_t ee_score_units_count(const ee_score_units *units, const ee_sample *all);
/* Sums of the mean of the sample `all`, and of the share of its `passed` scores. */
ee_ratio_sums ee_score_units_mean(const ee_score_units *units, const ee_sample *all);
ee_ratio_sums ee_score_units_pass_rate(const ee_score_units *units, const ee_sample *all, uint64_t passed);

/* Beside the counts of an attribute. */
typedef struct ee_count_units {
  ee_count_moments alone; /* of cases without a cluster */
  ee_unit_table clusters;
  ee_unit_table all; /* cases and clusters, for averages over attributes; of the whole only */
} ee_count_units;

/* Adds the counts of a case; `unit` is its key, `whole`: for averages too. */
void ee_count_units_add(ee_count_units *units, uint64_t unit, bool clustered, bool whole, const ee_counts *counts);
void ee_count_units_merge(ee_count_units *units, const ee_count_units *other);
void ee_count_units_clear(ee_count_units *units);
void ee_count_units_fini(ee_count_units *units);
/* Keys that the tables of several attributes share, which have much the same units: ascending. */
typedef struct ee_unit_keys {
  EE_LIST(uint64_t);
} ee_unit_keys;
/* Adds the keys of units that are kept apart; then sorts them, and keeps each once. */
void ee_unit_keys_add(ee_unit_keys *keys, ee_arena *arena, const ee_count_units *units);
void ee_unit_keys_sort(ee_unit_keys *keys, ee_arena *arena);
/* Writes them, or reads them into an empty list in `arena`. */
void ee_unit_keys_state(ee_state_line *line, ee_arena *arena, ee_unit_keys *keys);
/* The same of the units of an attribute; `keys` has all keys that they have. */
void ee_count_units_state(ee_state_line *line, ee_count_units *units, const ee_unit_keys *keys);
void ee_count_moments_state(ee_state_line *line, ee_count_moments *moments);
/* Sums of a ratio of `counts`, which are those of all units. */
ee_ratio_sums ee_count_units_ratio(const ee_count_units *units, const ee_counts *counts, ee_count_ratio ratio);

#endif
