/* comparison_rows.c: what is kept of the rows of two runs.
 *
 * Names and counts are kept once and referred to by number, so that an attribute of a row takes 8 bytes. */
#include <math.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "report/comparison_inside.h"

/* Numbers --------------------------------------------------------------------------------------- */

static ee_str copy(ee_comparison *comparison, ee_str text) {
  if (text.length == 0) return EE_STR("");
  return (ee_str){ee_arena_copy(&comparison->arena, text.data, text.length), text.length};
}

static void keep_place(uint32_t *place, uint32_t seen) {
  if (seen > *place) *place = seen;
}

uint32_t ee_comparison_number_judge(ee_comparison *comparison, ee_str name, ee_str type, uint32_t place) {
  uint64_t hash = ee_hash_bytes(name.data, name.length, 0);
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->judge_index, hash, &at, &found)) {
    ee_known_judge *known = &comparison->known_judges.items[found];
    if (!ee_str_equal(known->name, name)) continue;
    keep_place(&known->place, place);
    return (uint32_t)found;
  }
  if (comparison->known_judges.count == EE_COMPARED_JUDGES) {
    if (comparison->left_out.data == NULL) comparison->left_out = copy(comparison, name);
    return EE_NO_NUMBER;
  }
  size_t number = comparison->known_judges.count;
  *EE_LIST_ADD(&comparison->known_judges, NULL) =
      (ee_known_judge){.name = copy(comparison, name), .type = copy(comparison, type), .place = place};
  ee_hash_index_add(&comparison->judge_index, hash, number);
  return (uint32_t)number;
}

static bool is_full(const ee_comparison *comparison, uint32_t judge) {
  return comparison->known_attributes.count >= EE_COMPARED_FIELDS ||
         comparison->known_judges.items[judge].attributes >= EE_DATA_ATTRIBUTES;
}

uint32_t ee_comparison_number_attribute(ee_comparison *comparison, uint32_t judge, ee_str name, bool derived,
                                        uint32_t place) {
  uint64_t hash = ee_hash_bytes(name.data, name.length, judge);
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->attribute_index, hash, &at, &found)) {
    ee_known_attribute *known = &comparison->known_attributes.items[found];
    if (known->judge != judge || !ee_str_equal(known->name, name)) continue;
    known->derived |= derived;
    keep_place(&known->place, place);
    return (uint32_t)found;
  }
  if (is_full(comparison, judge) && !ee_str_is(name, EE_OTHER_NAME)) return EE_NO_NUMBER;
  size_t number = comparison->known_attributes.count;
  comparison->known_judges.items[judge].attributes++;
  *EE_LIST_ADD(&comparison->known_attributes, NULL) =
      (ee_known_attribute){.name = copy(comparison, name), .judge = judge, .place = place, .derived = derived};
  ee_hash_index_add(&comparison->attribute_index, hash, number);
  return (uint32_t)number;
}

static bool is_equal(const ee_counts *a, const ee_counts *b) {
  return a->tp == b->tp && a->tn == b->tn && a->fp == b->fp && a->fn == b->fn;
}

uint32_t ee_comparison_number_counts(ee_comparison *comparison, const ee_counts *counts) {
  uint64_t hash = ee_hash_mix(ee_hash_mix(ee_hash_mix(counts->tp * 31 + counts->tn) + counts->fp) + counts->fn);
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->counts_index, hash, &at, &found))
    if (is_equal(&comparison->known_counts.items[found], counts)) return (uint32_t)found;
  size_t number = comparison->known_counts.count;
  *EE_LIST_ADD(&comparison->known_counts, NULL) = *counts;
  ee_hash_index_add(&comparison->counts_index, hash, number);
  return (uint32_t)number;
}

/* Rows ------------------------------------------------------------------------------------------ */

static uint64_t hash_id(ee_str id) { return ee_hash_bytes(id.data, id.length, 0); }

uint32_t ee_run_find(ee_run_rows *run, ee_str id) {
  uint64_t hash = hash_id(id);
  size_t at = 0, found;
  for (; run->indexed < run->rows.count; run->indexed++)
    ee_hash_index_add(&run->ids, hash_id(run->rows.items[run->indexed].id), run->indexed);
  while (ee_hash_index_next(&run->ids, hash, &at, &found))
    if (ee_str_equal(run->rows.items[found].id, id) && !run->rows.items[found].averaged) return (uint32_t)found;
  return EE_NO_NUMBER;
}

uint32_t ee_run_find_near(ee_run_rows *run, ee_str id, size_t *guess) {
  /* Of means and rows with one id the first counts. */
  bool is_there = *guess < run->rows.count && run->means == 0 && ee_str_equal(run->rows.items[*guess].id, id);
  uint32_t found = is_there ? (uint32_t)*guess : ee_run_find(run, id);
  if (found != EE_NO_NUMBER) *guess = (size_t)found + 1;
  return found;
}

const ee_row_judge *ee_run_judge(const ee_run_rows *run, const ee_run_row *row, uint32_t judge) {
  for (uint32_t i = 0; i < row->judge_count; i++) {
    const ee_row_judge *one = &run->judges.items[row->first_judge + i];
    if (one->judge == judge) return one;
  }
  return NULL;
}

/* The number of an attribute and of its counts; `before`: of the attribute at its place in the row before, which is
 * mostly the same. */
static ee_row_attribute number_attribute(ee_comparison *comparison, uint32_t judge,
                                         const ee_stored_attribute *attribute, uint32_t place,
                                         const ee_row_attribute *before) {
  ee_row_attribute number = {EE_NO_NUMBER, EE_NO_NUMBER};
  if (before != NULL) {
    ee_known_attribute *known = &comparison->known_attributes.items[before->attribute];
    if (known->judge == judge && ee_str_equal(known->name, attribute->name)) {
      known->derived |= attribute->derived;
      keep_place(&known->place, place);
      number.attribute = before->attribute;
    }
    if (is_equal(&comparison->known_counts.items[before->counts], &attribute->counts)) number.counts = before->counts;
  }
  if (number.attribute == EE_NO_NUMBER)
    number.attribute = ee_comparison_number_attribute(comparison, judge, attribute->name, attribute->derived, place);
  if (number.counts == EE_NO_NUMBER && number.attribute != EE_NO_NUMBER)
    number.counts = ee_comparison_number_counts(comparison, &attribute->counts);
  return number;
}

/* `before`: the judge at its place in the row before; NULL: none. */
static void add_judge(ee_comparison *comparison, ee_run_rows *run, const ee_stored_judge *judge, uint32_t place,
                      const ee_row_judge *before) {
  const size_t first = before != NULL ? before->first : 0, known = before != NULL ? before->count : 0;
  ee_row_judge kept = {.score = judge->has_score ? judge->score : NAN,
                       .first = run->attributes.count,
                       .judge = ee_comparison_number_judge(comparison, judge->name, judge->type, place)};
  if (kept.judge == EE_NO_NUMBER) return;
  EE_LIST_RESERVE(&run->attributes, NULL, judge->attribute_count);
  ee_stored_attribute others = {.name = EE_STR(EE_OTHER_NAME)};
  bool any_others = false;
  for (size_t i = 0; i < judge->attribute_count; i++) {
    const ee_stored_attribute *attribute = &judge->attributes[i];
    ee_row_attribute number = {EE_NO_NUMBER, EE_NO_NUMBER};
    if (!ee_str_is(attribute->name, EE_OTHER_NAME))
      number = number_attribute(comparison, kept.judge, attribute, (uint32_t)i,
                                i < known ? &run->attributes.items[first + i] : NULL);
    if (number.attribute == EE_NO_NUMBER) {
      ee_counts_add(&others.counts, &attribute->counts);
      others.derived |= attribute->derived;
      any_others = true;
      continue;
    }
    *EE_LIST_ADD(&run->attributes, NULL) = number;
  }
  if (any_others)
    *EE_LIST_ADD(&run->attributes, NULL) = (ee_row_attribute){
        ee_comparison_number_attribute(comparison, kept.judge, others.name, others.derived, EE_NO_NUMBER),
        ee_comparison_number_counts(comparison, &others.counts)};
  comparison->others_pooled |= any_others;
  kept.count = (uint32_t)(run->attributes.count - kept.first);
  ee_comparison_keep_values(comparison, run, &kept, judge);
  *EE_LIST_ADD(&run->judges, NULL) = kept;
}

bool ee_run_measure(const ee_run_rows *run, const ee_run_row *row, uint32_t measure, double *value) {
  for (uint32_t i = 0; i < row->measure_count; i++) {
    const ee_row_measure *one = &run->measures.items[row->first_measure + i];
    if (one->measure != measure) continue;
    *value = one->value;
    return true;
  }
  return false;
}

uint32_t ee_comparison_number_measure(ee_comparison *comparison, ee_str name, uint32_t place) {
  uint64_t hash = ee_hash_bytes(name.data, name.length, 0);
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->measure_index, hash, &at, &found)) {
    ee_known_measure *known = &comparison->known_measures.items[found];
    if (!ee_str_equal(known->name, name)) continue;
    keep_place(&known->place, place);
    return (uint32_t)found;
  }
  size_t number = comparison->known_measures.count;
  *EE_LIST_ADD(&comparison->known_measures, NULL) = (ee_known_measure){.name = copy(comparison, name), .place = place};
  ee_hash_index_add(&comparison->measure_index, hash, number);
  return (uint32_t)number;
}

static void add_measure(ee_comparison *comparison, ee_run_rows *run, const ee_measure_value *measure, uint32_t place) {
  if (measure->state == EE_MEASURE_READ)
    *EE_LIST_ADD(&run->measures, NULL) =
        (ee_row_measure){ee_comparison_number_measure(comparison, measure->name, place), measure->value};
}

uint32_t ee_comparison_number_slice(ee_comparison *comparison, ee_str path, ee_str value, uint32_t place) {
  uint64_t hash = ee_hash_bytes(value.data, value.length, ee_hash_bytes(path.data, path.length, 0));
  size_t at = 0, found;
  while (ee_hash_index_next(&comparison->slice_index, hash, &at, &found)) {
    ee_known_slice *known = &comparison->known_slices.items[found];
    if (!ee_str_equal(known->path, path) || !ee_str_equal(known->value, value)) continue;
    keep_place(&known->place, place);
    return (uint32_t)found;
  }
  size_t number = comparison->known_slices.count;
  *EE_LIST_ADD(&comparison->known_slices, NULL) =
      (ee_known_slice){.path = copy(comparison, path), .value = copy(comparison, value), .place = place};
  ee_hash_index_add(&comparison->slice_index, hash, number);
  return (uint32_t)number;
}

static void add_slices(ee_comparison *comparison, ee_run_rows *run, const ee_value *slices) {
  uint32_t place = 0;
  if (ee_type_of(slices) != EE_OBJECT) return;
  for (const ee_value *path = ee_value_child(slices); path != NULL; path = ee_value_next(path), place++) {
    if (ee_type_of(path) != EE_ARRAY) continue;
    for (const ee_value *value = ee_value_child(path); value != NULL; value = ee_value_next(value))
      if (ee_type_of(value) == EE_STRING)
        *EE_LIST_ADD(&run->slices, NULL) =
            ee_comparison_number_slice(comparison, ee_value_key(path), ee_value_text(value), place);
  }
}

/* Trials of one id are one unit. Clusters, trials and ids are kept apart by the seed. */
static uint64_t hash_unit(const ee_stored_row *row) {
  if (row->cluster.data != NULL) return ee_hash_bytes(row->cluster.data, row->cluster.length, 1);
  if (row->trial.data != NULL) return ee_hash_bytes(row->base.data, row->base.length, 2);
  return hash_id(row->id);
}

/* Rows of one run may have clusters where those of the other have none. */
uint64_t ee_comparison_unit(const ee_compared_case *item) {
  return item->base->shares_unit || !item->fresh->shares_unit ? item->base->unit : item->fresh->unit;
}

bool ee_comparison_add(ee_comparison *comparison, ee_side side, const ee_stored_row *row) {
  ee_run_rows *run = &comparison->runs[side];
  bool is_new = ee_run_find(run, row->id) == EE_NO_NUMBER;
  if (is_new)
    ee_comparison_add_new(comparison, side, row);
  else
    run->duplicates++;
  return is_new;
}

void ee_comparison_add_new(ee_comparison *comparison, ee_side side, const ee_stored_row *row) {
  ee_run_rows *run = &comparison->runs[side];
  size_t number = run->rows.count;
  *EE_LIST_ADD(&run->rows, NULL) =
      (ee_run_row){.id = copy(comparison, row->id),
                   .base = row->trial.data != NULL ? copy(comparison, row->base) : (ee_str){0},
                   .expected_hash = row->expected_hash,
                   .score = row->score,
                   .first_judge = run->judges.count,
                   .first_measure = run->measures.count,
                   .first_slice = run->slices.count,
                   .unit = hash_unit(row),
                   .shares_unit = row->cluster.data != NULL || row->trial.data != NULL,
                   .has_hash = row->has_hash,
                   .rules_hash = row->rules_hash,
                   .has_rules_hash = row->has_rules_hash,
                   .unscored = row->unscored,
                   .has_corrections = row->has_corrections,
                   .straight_through = row->corrections.straight_through,
                   .verdict = row->verdict,
                   .line = row->line};
  for (size_t i = 0; i < row->judge_count; i++) {
    const ee_run_row *last = number > 0 ? &run->rows.items[number - 1] : NULL;
    bool any = last != NULL && i < last->judge_count;
    add_judge(comparison, run, &row->judges[i], (uint32_t)i, any ? &run->judges.items[last->first_judge + i] : NULL);
  }
  ee_run_row *kept = &run->rows.items[number];
  kept->judge_count = (uint32_t)(run->judges.count - kept->first_judge);
  for (size_t i = 0; i < row->measure_count; i++) add_measure(comparison, run, &row->measures[i], (uint32_t)i);
  kept->measure_count = (uint32_t)(run->measures.count - kept->first_measure);
  add_slices(comparison, run, row->slices);
  kept->slice_count = (uint32_t)(run->slices.count - kept->first_slice);
}

void ee_comparison_add_skipped(ee_comparison *comparison, ee_side side, uint64_t unreadable, uint64_t duplicates) {
  comparison->runs[side].unreadable += unreadable;
  comparison->runs[side].duplicates += duplicates;
}
