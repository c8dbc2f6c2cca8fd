/* merged_results.c: adding up rows, pools and runs. */
#include "report/merged_results.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "report/run_report.h"

void ee_merged_init(ee_merged_results *pool) {
  *pool = (ee_merged_results){0};
  ee_arena_init(&pool->arena, 0);
  pool->index.arena = &pool->arena;
}

void ee_merged_fini(ee_merged_results *pool) {
  for (size_t i = 0; i < pool->judge_count; i++) free(pool->judges[i].attributes);
  free(pool->judges);
  ee_arena_fini(&pool->arena);
  *pool = (ee_merged_results){0};
}

static ee_str copy_text(ee_merged_results *pool, ee_str text) {
  return (ee_str){ee_arena_copy(&pool->arena, text.data, text.length), text.length};
}

static uint64_t hash_name(ee_str name) { return ee_hash_bytes(name.data, name.length, 0); }

/* Judges and attributes by name ---------------------------------------------------------------- */

/* `split` is that of the rows or the run that is being added. */
static ee_merged_judge *judge_of(ee_merged_results *pool, ee_str name, ee_str type, bool split) {
  uint64_t hash = hash_name(name);
  ee_merged_judge *judge = NULL;
  size_t at = 0, number;
  while (judge == NULL && ee_hash_index_next(&pool->index, hash, &at, &number))
    if (ee_str_equal(pool->judges[number].name, name)) judge = &pool->judges[number];
  if (judge == NULL) {
    if (pool->judge_count == pool->judge_capacity) {
      pool->judge_capacity = pool->judge_capacity > 0 ? 2 * pool->judge_capacity : 8;
      pool->judges = ee_realloc(pool->judges, pool->judge_capacity, sizeof *pool->judges);
    }
    ee_hash_index_add(&pool->index, hash, pool->judge_count);
    judge = &pool->judges[pool->judge_count++];
    *judge = (ee_merged_judge){.name = copy_text(pool, name), .split = split, .index = {.arena = &pool->arena}};
  }
  if (judge->type.length == 0 && type.length > 0) judge->type = copy_text(pool, type);
  judge->split = judge->split && split;
  return judge;
}

static ee_attribute_total *attribute_find(const ee_merged_judge *judge, ee_str name, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&judge->index, hash, &at, &number))
    if (ee_str_equal(judge->attributes[number].name, name)) return &judge->attributes[number];
  return NULL;
}

static ee_attribute_total *attribute_of(ee_merged_results *pool, ee_merged_judge *judge, ee_str name) {
  uint64_t hash = hash_name(name);
  ee_attribute_total *found = attribute_find(judge, name, hash);
  if (found == NULL && !pool->part && judge->attribute_count >= EE_DATA_ATTRIBUTES) {
    name = EE_STR(EE_OTHER_NAME);
    hash = hash_name(name);
    found = attribute_find(judge, name, hash);
  }
  if (found != NULL) return found;
  if (judge->attribute_count == judge->attribute_capacity) {
    judge->attribute_capacity = judge->attribute_capacity > 0 ? 2 * judge->attribute_capacity : 16;
    judge->attributes = ee_realloc(judge->attributes, judge->attribute_capacity, sizeof *judge->attributes);
  }
  ee_hash_index_add(&judge->index, hash, judge->attribute_count);
  found = &judge->attributes[judge->attribute_count++];
  *found = (ee_attribute_total){.name = copy_text(pool, name)};
  return found;
}

static void add_attribute(ee_merged_results *pool, ee_merged_judge *judge, ee_str name, const ee_counts *counts,
                          bool derived) {
  ee_attribute_total *attribute = attribute_of(pool, judge, name);
  ee_counts_add(&attribute->counts, counts);
  attribute->derived = attribute->derived || derived;
}

static bool is_selected(ee_str selected, ee_str name) { return selected.data == NULL || ee_str_equal(selected, name); }

/* Adding -------------------------------------------------------------------------------------------------------------
 */

void ee_merged_add_row(ee_merged_results *pool, const ee_stored_row *row, ee_str judge) {
  pool->rows++;
  ee_sample_add(&pool->score, row->score);
  pool->verdicts[row->verdict]++;
  for (size_t i = 0; i < row->judge_count; i++) {
    const ee_stored_judge *stored = &row->judges[i];
    if (!is_selected(judge, stored->name)) continue;
    ee_merged_judge *to = judge_of(pool, stored->name, stored->type, false);
    if (stored->has_score) {
      ee_sample_add(&to->score, stored->score);
      to->verdicts[stored->verdict]++;
    }
    for (size_t k = 0; k < stored->attribute_count; k++) {
      const ee_stored_attribute *attribute = &stored->attributes[k];
      add_attribute(pool, to, attribute->name, &attribute->counts, attribute->derived);
    }
  }
}

static void add_verdicts(uint64_t to[3], const uint64_t from[3]) {
  for (size_t i = 0; i < 3; i++) to[i] += from[i];
}

static void add_attributes(ee_merged_results *pool, ee_merged_judge *judge, const ee_attribute_total *attributes,
                           size_t count) {
  for (size_t i = 0; i < count; i++)
    add_attribute(pool, judge, attributes[i].name, &attributes[i].counts, attributes[i].derived);
}

void ee_merged_merge(ee_merged_results *pool, const ee_merged_results *other) {
  pool->rows += other->rows;
  pool->unreadable += other->unreadable;
  pool->duplicates += other->duplicates;
  pool->has_dataset = pool->has_dataset || other->has_dataset;
  pool->cases += other->cases;
  pool->without_case += other->without_case;
  pool->without_row += other->without_row;
  pool->other_expected += other->other_expected;
  pool->recomputed = pool->recomputed || other->recomputed;
  pool->candidates_missing += other->candidates_missing;
  pool->candidates_unparseable += other->candidates_unparseable;
  pool->rule_errors += other->rule_errors;
  pool->provider_failures += other->provider_failures;
  ee_sample_merge(&pool->score, &other->score);
  add_verdicts(pool->verdicts, other->verdicts);
  for (size_t i = 0; i < other->judge_count; i++) {
    const ee_merged_judge *from = &other->judges[i];
    ee_merged_judge *to = judge_of(pool, from->name, from->type, from->split);
    ee_sample_merge(&to->score, &from->score);
    add_verdicts(to->verdicts, from->verdicts);
    add_attributes(pool, to, from->attributes, from->attribute_count);
  }
}

void ee_merged_add_totals(ee_merged_results *pool, const ee_totals *totals, ee_str judge) {
  pool->recomputed = true;
  pool->rows += totals->scored;
  pool->unreadable += totals->unreadable;
  pool->duplicates += totals->duplicates;
  pool->candidates_missing += totals->candidates_missing;
  pool->candidates_unparseable += totals->candidates_unparseable;
  pool->rule_errors += totals->rule_errors;
  pool->provider_failures += totals->provider_failures;
  ee_sample_merge(&pool->score, &totals->all.score);
  add_verdicts(pool->verdicts, totals->all.verdicts);
  for (size_t i = 0; i < totals->plan->judge_count; i++) {
    const ee_judge *compiled = totals->plan->judges[i];
    const ee_judge_total *from = &totals->all.judges[i];
    if (!is_selected(judge, compiled->name)) continue;
    ee_merged_judge *to =
        judge_of(pool, compiled->name, ee_str_from(compiled->type->name), ee_judge_splits_fp(compiled));
    ee_sample_merge(&to->score, &from->score);
    add_verdicts(to->verdicts, from->verdicts);
    add_attributes(pool, to, from->attributes, from->attribute_count);
  }
}

ee_judge_total ee_merged_judge_total(const ee_merged_judge *judge) {
  ee_judge_total total = {
      .score = judge->score, .attributes = judge->attributes, .attribute_count = judge->attribute_count};
  add_verdicts(total.verdicts, judge->verdicts);
  return total;
}
