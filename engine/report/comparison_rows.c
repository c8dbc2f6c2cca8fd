/* comparison_rows.c: what is kept of the rows of two runs.
 *
 * Names and counts are kept once and referred to by number, so that an attribute of a row takes 8 bytes. */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "report/comparison_parts.h"

void *ee_comparison_grow(void *items, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity) return items;
  *capacity = needed > 2 * *capacity ? needed : 2 * *capacity;
  if (*capacity < 16) *capacity = 16;
  return ee_realloc(items, *capacity, size);
}

/* Numbers -------------------------------------------------------------------------------------- */

static ee_str copy(ee_comparison *comparison, ee_str text) {
  if (text.length == 0) return EE_STR("");
  return (ee_str){ee_arena_copy(&comparison->arena, text.data, text.length), text.length};
}

/* EE_NO_NUMBER for one too many. */
static uint32_t number_judge(ee_comparison *comparison, const ee_stored_judge *judge) {
  uint64_t hash = ee_hash_bytes(judge->name.data, judge->name.length, 0);
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->judge_index, hash, &at, &found))
    if (ee_str_equal(comparison->known_judges[found].name, judge->name)) return (uint32_t)found;
  if (comparison->known_judge_count == EE_COMPARED_JUDGES) {
    if (comparison->left_out.data == NULL) comparison->left_out = copy(comparison, judge->name);
    return EE_NO_NUMBER;
  }
  size_t number = comparison->known_judge_count++;
  comparison->known_judges = ee_comparison_grow(comparison->known_judges, &comparison->known_judge_capacity, number + 1,
                                                sizeof(ee_known_judge));
  comparison->known_judges[number] =
      (ee_known_judge){.name = copy(comparison, judge->name), .type = copy(comparison, judge->type)};
  ee_hash_index_add(&comparison->judge_index, hash, number);
  return (uint32_t)number;
}

static bool is_full(const ee_comparison *comparison, uint32_t judge) {
  return comparison->known_attribute_count >= EE_COMPARED_FIELDS ||
         comparison->known_judges[judge].attributes >= EE_DATA_ATTRIBUTES;
}

/* It is retold where any row says so. EE_NO_NUMBER for one that shares EE_OTHER_NAME. */
static uint32_t number_attribute(ee_comparison *comparison, uint32_t judge, const ee_stored_attribute *attribute) {
  uint64_t hash = ee_hash_bytes(attribute->name.data, attribute->name.length, judge);
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->attribute_index, hash, &at, &found)) {
    ee_known_attribute *known = &comparison->known_attributes[found];
    if (known->judge != judge || !ee_str_equal(known->name, attribute->name)) continue;
    known->derived |= attribute->derived;
    return (uint32_t)found;
  }
  if (is_full(comparison, judge) && !ee_str_is(attribute->name, EE_OTHER_NAME)) return EE_NO_NUMBER;
  size_t number = comparison->known_attribute_count++;
  comparison->known_judges[judge].attributes++;
  comparison->known_attributes = ee_comparison_grow(comparison->known_attributes, &comparison->known_attribute_capacity,
                                                    number + 1, sizeof(ee_known_attribute));
  comparison->known_attributes[number] =
      (ee_known_attribute){copy(comparison, attribute->name), judge, attribute->derived};
  ee_hash_index_add(&comparison->attribute_index, hash, number);
  return (uint32_t)number;
}

static bool is_equal(const ee_counts *a, const ee_counts *b) {
  return a->tp == b->tp && a->tn == b->tn && a->fp == b->fp && a->fn == b->fn;
}

static uint32_t number_counts(ee_comparison *comparison, const ee_counts *counts) {
  uint64_t hash = ee_hash_mix(ee_hash_mix(ee_hash_mix(counts->tp * 31 + counts->tn) + counts->fp) + counts->fn);
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->counts_index, hash, &at, &found))
    if (is_equal(&comparison->known_counts[found], counts)) return (uint32_t)found;
  size_t number = comparison->known_counts_count++;
  comparison->known_counts =
      ee_comparison_grow(comparison->known_counts, &comparison->known_counts_capacity, number + 1, sizeof(ee_counts));
  comparison->known_counts[number] = *counts;
  ee_hash_index_add(&comparison->counts_index, hash, number);
  return (uint32_t)number;
}

/* Rows ----------------------------------------------------------------------------------------- */

static uint64_t hash_id(ee_str id) { return ee_hash_bytes(id.data, id.length, 0); }

uint32_t ee_run_find(const ee_run_rows *run, ee_str id) {
  uint64_t hash = hash_id(id);
  size_t at = 0, found;
  while (ee_hash_index_next(&run->ids, hash, &at, &found))
    if (ee_str_equal(run->rows[found].id, id)) return (uint32_t)found;
  return EE_NO_NUMBER;
}

const ee_row_judge *ee_run_judge(const ee_run_rows *run, const ee_run_row *row, uint32_t judge) {
  for (uint32_t i = 0; i < row->judge_count; i++) {
    const ee_row_judge *one = &run->judges[row->first_judge + i];
    if (one->judge == judge) return one;
  }
  return NULL;
}

static void add_judge(ee_comparison *comparison, ee_run_rows *run, const ee_stored_judge *judge) {
  ee_row_judge kept = {.score = judge->has_score ? judge->score : NAN,
                       .first = run->attribute_count,
                       .judge = number_judge(comparison, judge)};
  if (kept.judge == EE_NO_NUMBER) return;
  size_t count = run->attribute_count + judge->attribute_count;
  run->attributes = ee_comparison_grow(run->attributes, &run->attribute_capacity, count, sizeof *run->attributes);
  ee_stored_attribute others = {.name = EE_STR(EE_OTHER_NAME)};
  bool any_others = false;
  for (size_t i = 0; i < judge->attribute_count; i++) {
    const ee_stored_attribute *attribute = &judge->attributes[i];
    uint32_t number = EE_NO_NUMBER;
    if (!ee_str_is(attribute->name, EE_OTHER_NAME)) number = number_attribute(comparison, kept.judge, attribute);
    if (number == EE_NO_NUMBER) {
      ee_counts_add(&others.counts, &attribute->counts);
      others.derived |= attribute->derived;
      any_others = true;
      continue;
    }
    run->attributes[run->attribute_count++] = (ee_row_attribute){number, number_counts(comparison, &attribute->counts)};
  }
  if (any_others)
    run->attributes[run->attribute_count++] = (ee_row_attribute){number_attribute(comparison, kept.judge, &others),
                                                                 number_counts(comparison, &others.counts)};
  kept.count = (uint32_t)(run->attribute_count - kept.first);
  run->judges = ee_comparison_grow(run->judges, &run->judge_capacity, run->judge_count + 1, sizeof *run->judges);
  run->judges[run->judge_count++] = kept;
}

bool ee_comparison_add(ee_comparison *comparison, ee_side side, const ee_stored_row *row) {
  ee_run_rows *run = &comparison->runs[side];
  if (ee_run_find(run, row->id) != EE_NO_NUMBER) {
    run->duplicates++;
    return false;
  }
  run->rows = ee_comparison_grow(run->rows, &run->row_capacity, run->row_count + 1, sizeof *run->rows);
  run->rows[run->row_count] = (ee_run_row){.id = copy(comparison, row->id),
                                           .expected_hash = row->expected_hash,
                                           .score = row->score,
                                           .first_judge = run->judge_count,
                                           .has_hash = row->has_hash,
                                           .verdict = row->verdict};
  ee_hash_index_add(&run->ids, hash_id(row->id), run->row_count);
  for (size_t i = 0; i < row->judge_count; i++) add_judge(comparison, run, &row->judges[i]);
  ee_run_row *kept = &run->rows[run->row_count++];
  kept->judge_count = (uint32_t)(run->judge_count - kept->first_judge);
  return true;
}

void ee_comparison_add_skipped(ee_comparison *comparison, ee_side side, uint64_t unreadable, uint64_t duplicates) {
  comparison->runs[side].unreadable += unreadable;
  comparison->runs[side].duplicates += duplicates;
}

static void free_run(ee_run_rows *run) {
  free(run->rows);
  free(run->judges);
  free(run->attributes);
}

ee_comparison *ee_comparison_new(const ee_comparison_options *options) {
  ee_comparison *comparison = ee_calloc(1, sizeof *comparison);
  comparison->options = *options;
  ee_arena_init(&comparison->arena, 0);
  comparison->judge_index.arena = comparison->attribute_index.arena = comparison->counts_index.arena =
      comparison->runs[EE_SIDE_BASE].ids.arena = comparison->runs[EE_SIDE_NEW].ids.arena = &comparison->arena;
  number_counts(comparison, &(ee_counts){0});
  return comparison;
}

void ee_comparison_free(ee_comparison *comparison) {
  if (comparison == NULL) return;
  free_run(&comparison->runs[EE_SIDE_BASE]);
  free_run(&comparison->runs[EE_SIDE_NEW]);
  free(comparison->known_judges);
  free(comparison->known_attributes);
  free(comparison->known_counts);
  free(comparison->cases);
  free(comparison->judges);
  free(comparison->fields);
  free(comparison->changes);
  free(comparison->field_changes);
  free(comparison->field_of);
  free(comparison->lone_fields);
  free(comparison->notes);
  ee_arena_fini(&comparison->arena);
  free(comparison);
}
