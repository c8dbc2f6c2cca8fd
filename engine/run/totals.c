/* totals.c: adding cases to totals, and merging totals.
 *
 * The values of a slice, and the attributes of the data, are bounded: those that are kept are the first in byte order.
 * When there are a quarter more, the last ones are folded into "(other)". A name that is folded in some part has enough
 * names before it there, so it is not kept in the whole either; one that is kept in the whole was never folded, and its
 * totals are complete. So parts need no more memory than the whole, and may be merged in any order. */
#include "run/totals.h"

#include <stdlib.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "base/work.h"
#include "data/json/json_writer.h"
#include "judge/line_items/line_items.h"
#include "prim/sort.h"

#define NAMES_KEPT ((size_t)1 << 20)
/* Names that there may be before the last ones are folded into "(other)". */
#define SLICE_ROOM (EE_SLICE_VALUES + EE_SLICE_VALUES / 4)
#define ATTRIBUTE_ROOM (EE_DATA_ATTRIBUTES + EE_DATA_ATTRIBUTES / 4)

static bool is_other(ee_str name) { return ee_str_is(name, EE_OTHER_NAME); }

/* By name, "(other)" last. */
static bool name_before(ee_str a, ee_str b) {
  if (is_other(a) || is_other(b)) return !is_other(a);
  return ee_str_compare(a, b) < 0;
}

/* Whether names up to `bound` are kept, and this one is not. */
static bool is_beyond(ee_str name, ee_str bound) {
  return bound.data != NULL && !is_other(name) && ee_str_compare(name, bound) > 0;
}

/* Case metrics ------------------------------------------------------------------------------------- */

/* `whole`: not of a slice; the worst cases are kept too. */
static void metrics_init(ee_judge_total *total, const ee_judge *judge, bool whole) {
  const char *const *names = ee_judge_case_metrics(judge);
  if (names == NULL) return;
  while (names[total->case_metric_count] != NULL && total->case_metric_count < EE_CASE_METRIC_LIMIT)
    total->case_metric_count++;
  total->case_metrics = ee_calloc(total->case_metric_count, sizeof *total->case_metrics);
  for (size_t i = 0; i < total->case_metric_count; i++) ee_value_counts_init(&total->case_metrics[i].values);
  if (!whole) return;
  total->worst = ee_malloc(sizeof *total->worst);
  ee_worst_cases_init(total->worst);
}

static void metrics_clear(ee_judge_total *total) {
  for (size_t i = 0; i < total->case_metric_count; i++) {
    total->case_metrics[i].sample = (ee_sample){0};
    ee_score_units_clear(&total->case_metrics[i].units);
    total->case_metrics[i].left_out = 0;
    ee_value_counts_clear(&total->case_metrics[i].values);
  }
  if (total->worst != NULL) ee_worst_cases_clear(total->worst);
}

static void metrics_fini(ee_judge_total *total) {
  for (size_t i = 0; i < total->case_metric_count; i++) {
    ee_value_counts_fini(&total->case_metrics[i].values);
    ee_score_units_fini(&total->case_metrics[i].units);
  }
  ee_free(total->case_metrics);
  if (total->worst != NULL) ee_worst_cases_fini(total->worst);
  ee_free(total->worst);
}

/* A judge that set no metrics in this case counts as 0 in all of them: the case stays in every mean. */
static void metrics_add(ee_judge_total *total, const ee_judge_result *judged, ee_str id, uint64_t cluster) {
  static const double zeros[EE_CASE_METRIC_LIMIT];
  if (total->case_metric_count == 0) return;
  const double *metrics = judged->case_metrics != NULL ? judged->case_metrics : zeros;
  for (size_t i = 0; i < total->case_metric_count; i++) {
    if (metrics[i] < 0) {
      total->case_metrics[i].left_out++;
      continue;
    }
    ee_sample_add(&total->case_metrics[i].sample, metrics[i]);
    ee_value_counts_add(&total->case_metrics[i].values, metrics[i], 1);
    ee_score_units_add(&total->case_metrics[i].units, cluster, metrics[i], false);
  }
  if (total->worst != NULL) ee_worst_cases_add(total->worst, id, judged->score, metrics, total->case_metric_count);
}

static void metrics_merge(ee_judge_total *total, const ee_judge_total *part) {
  for (size_t i = 0; i < total->case_metric_count; i++) {
    total->case_metrics[i].left_out += part->case_metrics[i].left_out;
    ee_sample_merge(&total->case_metrics[i].sample, &part->case_metrics[i].sample);
    ee_value_counts_merge(&total->case_metrics[i].values, &part->case_metrics[i].values);
    ee_score_units_merge(&total->case_metrics[i].units, &part->case_metrics[i].units);
  }
  if (total->worst != NULL && part->worst != NULL) ee_worst_cases_merge(total->worst, part->worst);
}

/* Greedy and optimal --------------------------------------------------------------------------- */

static void methods_add(ee_methods_total *total, const ee_methods_compared *methods) {
  if (methods == NULL) return;
  total->compared++;
  total->different += methods->difference_count > 0;
  total->lost += methods->lost > 0;
  ee_fixed_add(&total->lost_similarity, ee_fixed_from(methods->lost));
  ee_fixed_add(&total->greedy_score, ee_fixed_from(methods->greedy.score));
  ee_fixed_add(&total->optimal_score, ee_fixed_from(methods->optimal.score));
}

static void methods_merge(ee_methods_total *total, const ee_methods_total *part) {
  total->compared += part->compared;
  total->different += part->different;
  total->lost += part->lost;
  ee_fixed_add(&total->lost_similarity, part->lost_similarity);
  ee_fixed_add(&total->greedy_score, part->greedy_score);
  ee_fixed_add(&total->optimal_score, part->optimal_score);
}

/* Judges in error ------------------------------------------------------------------------------ */

static ee_str copy_text(ee_totals *totals, ee_str text) {
  return (ee_str){ee_arena_copy(&totals->names, text.data, text.length), text.length};
}

static void fault_add(ee_totals *totals, const ee_score_totals *to, ee_judge_total *total,
                      const ee_judge_result *judged, ee_str id) {
  total->failed++;
  const ee_finding *why = judged->fault != NULL ? judged->fault : judged->misses;
  if (to != &totals->all || why == NULL || !ee_case_example_wants(&total->fault, id)) return;
  ee_buffer_clear(&totals->text);
  ee_finding_print(why, &totals->text);
  ee_case_example_offer(&total->fault, &totals->names, id, (ee_str){totals->text.data, totals->text.length},
                        EE_STR(""));
}

/* Attributes ----------------------------------------------------------------------------------- */

/* `whole`: not of a slice. */
static void judge_init(ee_judge_total *total, const ee_judge *judge, bool whole) {
  *total = (ee_judge_total){.static_count = judge->attribute_count};
  total->attribute_count = total->attribute_capacity = judge->attribute_count;
  total->attributes = ee_calloc(judge->attribute_count, sizeof *total->attributes);
  for (size_t i = 0; i < judge->attribute_count; i++) {
    total->attributes[i].name = judge->attributes[i].name;
    total->attributes[i].derived = judge->attributes[i].derived;
  }
  if (whole) total->seen = ee_calloc(judge->expected_path_count, sizeof *total->seen);
  metrics_init(total, judge, whole);
  if (whole && judge->confidence != NULL) total->calibration = ee_calloc(1, sizeof *total->calibration);
  if (whole && judge->type->corpus != NULL) total->corpus_part = judge->type->corpus->open(judge);
}

static void judge_clear(ee_judge_total *total, const ee_judge *judge) {
  if (total->seen != NULL) memset(total->seen, 0, judge->expected_path_count * sizeof *total->seen);
  total->score = (ee_sample){0};
  ee_score_units_clear(&total->units);
  for (size_t i = 0; i < total->attribute_count; i++) ee_count_units_clear(&total->attributes[i].units);
  memset(total->verdicts, 0, sizeof total->verdicts);
  total->failed = total->unscored = total->vacuous = total->fallbacks = total->paired = total->unpairable = 0;
  total->kinds_cut = 0;
  total->match_sides = 0;
  total->match_names = NULL;
  total->row_kinds = NULL;
  total->fault = (ee_case_example){0};
  total->bound = (ee_str){0};
  total->methods = (ee_methods_total){0};
  total->pooled = (ee_count_moments){0};
  for (size_t i = 0; i < total->static_count; i++) {
    total->attributes[i].counts = (ee_counts){0};
    total->attributes[i].unread = NULL;
    total->attributes[i].kinds = NULL;
    total->attributes[i].absent = (ee_absent_path){0};
  }
  total->attribute_count = total->static_count;
  ee_hash_index_clear(&total->index);
  if (total->calibration != NULL) ee_calibration_total_clear(total->calibration);
  metrics_clear(total);
  if (total->corpus_part != NULL) judge->type->corpus->clear(total->corpus_part);
  total->corpus = NULL;
}

static void judge_fini(ee_judge_total *total, const ee_judge *judge) {
  if (total->corpus_part != NULL) judge->type->corpus->close(total->corpus_part);
  metrics_fini(total);
  if (total->calibration != NULL) ee_calibration_total_fini(total->calibration);
  ee_free(total->calibration);
  ee_free(total->seen);
  ee_score_units_fini(&total->units);
  for (size_t i = 0; i < total->attribute_capacity; i++) ee_count_units_fini(&total->attributes[i].units);
  ee_free(total->attributes);
  ee_hash_index_fini(&total->index);
}

static ee_attribute_total *attribute_find(const ee_judge_total *total, ee_str name, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&total->index, hash, &at, &number)) {
    if (ee_str_equal(total->attributes[number].name, name)) return &total->attributes[number];
  }
  return NULL;
}

static ee_attribute_total *attribute_append(ee_judge_total *total, ee_str name, uint64_t hash) {
  if (total->attribute_count == total->attribute_capacity) {
    total->attributes = ee_list_grow(NULL, total->attributes, total->attribute_count, &total->attribute_capacity, 1,
                                     sizeof *total->attributes);
    memset(total->attributes + total->attribute_count, 0,
           (total->attribute_capacity - total->attribute_count) * sizeof *total->attributes);
  }
  ee_hash_index_add(&total->index, hash, total->attribute_count);
  ee_attribute_total *attribute = &total->attributes[total->attribute_count++];
  *attribute = (ee_attribute_total){.name = name, .units = attribute->units};
  return attribute;
}

static uint64_t hash_name(ee_str name) { return ee_hash_bytes(name.data, name.length, 0); }

static void attribute_merge(ee_totals *totals, bool whole, ee_attribute_total *to, const ee_attribute_total *from) {
  ee_counts_add(&to->counts, &from->counts);
  ee_count_units_merge(&to->units, &from->units);
  ee_unread_total_merge(&to->unread, &totals->names, from->unread);
  if (!whole) return;
  ee_kind_total_merge(&to->kinds, &totals->names, from->kinds);
  ee_absent_path_merge(&to->absent, &totals->names, &from->absent); /* of attributes of the plan */
}

static bool attribute_before(const ee_attribute_total *a, const ee_attribute_total *b) {
  return name_before(a->name, b->name);
}
EE_DEFINE_SORT(sort_data_attributes, ee_attribute_total, attribute_before)

/* Sorts the attributes of the data by name; returns how many there are without "(other)". */
static size_t attributes_sort(ee_judge_total *total) {
  size_t count = total->attribute_count - total->static_count;
  ee_attribute_total *data = total->attributes + total->static_count;
  bool sorted = true;
  for (size_t i = 1; i < count && sorted; i++) sorted = attribute_before(&data[i - 1], &data[i]);
  if (!sorted) {
    ee_arena scratch;
    ee_arena_init(&scratch, 0);
    sort_data_attributes(data, count, &scratch);
    ee_arena_fini(&scratch);
  }
  return count > 0 && is_other(data[count - 1].name) ? count - 1 : count;
}

/* Folds attributes of the data beyond `bound` into "(other)". They are sorted, `named` of them and perhaps "(other)".
 */
static void attributes_fold(ee_totals *totals, bool whole, ee_judge_total *total, size_t named, ee_str bound) {
  size_t count = total->attribute_count - total->static_count, kept = named;
  ee_attribute_total *data = total->attributes + total->static_count;
  while (kept > 0 && is_beyond(data[kept - 1].name, bound)) kept--;
  if (kept < named && named < count) {
    ee_attribute_total other = data[named];
    data[named] = data[kept];
    data[kept] = other;
  } else if (kept < named) {
    data[kept].name = copy_text(totals, EE_STR(EE_OTHER_NAME));
  }
  for (size_t i = kept + 1; i < count; i++) {
    attribute_merge(totals, whole, &data[kept], &data[i]);
    ee_count_units_clear(&data[i].units);
  }
  total->attribute_count = total->static_count + kept + (kept < count);
  ee_hash_index_clear(&total->index);
  for (size_t i = total->static_count; i < total->attribute_count; i++)
    ee_hash_index_add(&total->index, hash_name(total->attributes[i].name), i);
}

/* Keeps EE_DATA_ATTRIBUTES attributes of the data of a judge, and in slices those that the whole keeps. */
static void attributes_settle(ee_totals *totals, size_t number) {
  ee_judge_total *total = &totals->all.judges[number];
  size_t named = attributes_sort(total);
  if (named > EE_DATA_ATTRIBUTES) total->bound = total->attributes[total->static_count + EE_DATA_ATTRIBUTES - 1].name;
  attributes_fold(totals, true, total, named, total->bound);
  for (size_t i = 0; i < totals->slice_count; i++) {
    ee_judge_total *of_slice = &totals->slices[i].totals.judges[number];
    attributes_fold(totals, false, of_slice, attributes_sort(of_slice), total->bound);
  }
}

/* The attribute called `name` of judge `number` in `to`, the whole or one of its slices. The whole gets each case
 * first: the slice borrows its names, and counts as "(other)" what the whole does. */
static ee_attribute_total *attribute_of(ee_totals *totals, ee_score_totals *to, size_t number, ee_str name) {
  ee_judge_total *total = &to->judges[number], *all = &totals->all.judges[number];
  uint64_t hash = hash_name(name);
  ee_attribute_total *found = attribute_find(total, name, hash);
  if (found != NULL) return found;
  if (to == &totals->all && total->attribute_count - total->static_count > ATTRIBUTE_ROOM)
    attributes_settle(totals, number);
  if (is_beyond(name, all->bound)) {
    name = EE_STR(EE_OTHER_NAME);
    hash = hash_name(name);
    found = attribute_find(total, name, hash);
    if (found != NULL) return found;
  }
  const ee_attribute_total *known = to == &totals->all ? NULL : attribute_find(all, name, hash);
  return attribute_append(total, known != NULL ? known->name : copy_text(totals, name), hash);
}

ee_attribute_total *ee_totals_add_attribute(ee_totals *totals, ee_score_totals *to, size_t judge, ee_str name) {
  ee_judge_total *total = &to->judges[judge];
  uint64_t hash = hash_name(name);
  if (attribute_find(total, name, hash) != NULL) return NULL;
  size_t count = total->attribute_count - total->static_count;
  if (to != &totals->all) {
    const ee_attribute_total *known = attribute_find(&totals->all.judges[judge], name, hash);
    return known != NULL ? attribute_append(total, known->name, hash) : NULL;
  }
  if (count > EE_DATA_ATTRIBUTES || (count == EE_DATA_ATTRIBUTES && !is_other(name))) return NULL;
  ee_attribute_total *added = attribute_append(total, copy_text(totals, name), hash);
  /* Names after this one would be folded, too. */
  if (count + 1 == EE_DATA_ATTRIBUTES) total->bound = added->name;
  return added;
}

/* Kinds of errors ------------------------------------------------------------------------------ */

/* Values that are in no attribute's counts, of ignored keys, are left out. */
static void kinds_add(ee_totals *totals, const ee_judge_result *judged, ee_str id) {
  size_t number = judged->judge->number;
  ee_judge_total *total = &totals->all.judges[number];
  for (size_t i = 0; i < judged->mismatch_count; i++) {
    const ee_mismatch *mismatch = &judged->mismatches[i];
    if (mismatch->kind == EE_ERROR_KIND_NONE || (!mismatch->is_row && mismatch->attribute.length == 0)) continue;
    ee_kind_total **kinds = mismatch->is_row ? &total->row_kinds
                            : mismatch->slot >= 0
                                ? &total->attributes[mismatch->slot].kinds
                                : &attribute_of(totals, &totals->all, number, mismatch->attribute)->kinds;
    ee_kind_total_add(kinds, &totals->names, (ee_error_kind)mismatch->kind, mismatch->value_class, id,
                      mismatch->expected, mismatch->candidate, &totals->text);
  }
}

/* Expected paths --------------------------------------------------------------------------- */

static void seen_add(ee_judge_total *total, const bool *seen, size_t count) {
  if (total->seen == NULL || seen == NULL) return;
  for (size_t i = 0; i < count; i++) total->seen[i] |= seen[i];
}

/* Scores --------------------------------------------------------------------------------------- */

/* `whole`: of all cases, not of a slice. */
static void score_init(ee_score_totals *totals, const ee_plan *plan, bool whole) {
  *totals = (ee_score_totals){0};
  totals->judges = ee_calloc(plan->judge_count, sizeof *totals->judges);
  for (size_t i = 0; i < plan->judge_count; i++) judge_init(&totals->judges[i], plan->judges[i], whole);
  totals->measures = ee_calloc(plan->measure_count, sizeof *totals->measures);
}

static void score_clear(ee_score_totals *totals, const ee_plan *plan) {
  totals->score = (ee_sample){0};
  ee_score_units_clear(&totals->units);
  totals->bins = (ee_score_bins){0};
  memset(totals->verdicts, 0, sizeof totals->verdicts);
  ee_correction_total_clear(&totals->corrections);
  for (size_t i = 0; i < plan->judge_count; i++) judge_clear(&totals->judges[i], plan->judges[i]);
  for (size_t i = 0; i < plan->measure_count; i++) ee_measure_total_clear(&totals->measures[i]);
}

static void score_fini(ee_score_totals *totals, const ee_plan *plan) {
  ee_score_units_fini(&totals->units);
  for (size_t i = 0; i < plan->judge_count; i++) judge_fini(&totals->judges[i], plan->judges[i]);
  ee_free(totals->judges);
  ee_correction_total_fini(&totals->corrections);
  for (size_t i = 0; i < plan->measure_count; i++) ee_measure_total_fini(&totals->measures[i]);
  ee_free(totals->measures);
}

/* Values that are right in a case, over all judges. */
static uint64_t correct_of(const ee_case_result *result) {
  uint64_t correct = 0;
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    for (size_t k = 0; k < judged->attribute_count; k++) {
      const ee_attribute_result *attribute = &judged->attributes[k];
      bool derived = attribute->slot >= 0 && judged->judge->attributes[attribute->slot].derived;
      if (!derived) correct += attribute->counts.tp;
    }
  }
  return correct;
}

/* An expected value without a record has no measures either, and lacks none. */
static void measures_add(ee_totals *totals, ee_score_totals *to, const ee_case_result *result, ee_arena *arena) {
  if (result->measure_count == 0 || result->source->absent) return;
  uint64_t correct = correct_of(result);
  for (size_t i = 0; i < result->measure_count; i++)
    ee_measure_total_add(&to->measures[i], &result->measures[i], result->source->id, correct,
                         to == &totals->all ? &totals->names : NULL, &totals->text, arena);
}

/* Adds a case to `to`, the whole or one of its slices. */
static void score_add(ee_totals *totals, ee_score_totals *to, const ee_case_result *result, ee_arena *arena) {
  measures_add(totals, to, result, arena);
  const uint64_t unit = ee_unit_key(result->source->id, result->cluster);
  const uint64_t cluster = result->cluster.data != NULL ? unit : 0;
  if (!result->unscored) {
    ee_sample_add(&to->score, result->score);
    ee_score_units_add(&to->units, cluster, result->score, result->verdict == EE_VERDICT_PASS);
    ee_score_bins_add(&to->bins, result->score);
    to->verdicts[result->verdict]++;
    ee_correction_total_add(&to->corrections, &result->corrections, cluster);
  }
  for (size_t i = 0; i < result->judge_count; i++) {
    const ee_judge_result *judged = &result->judges[i];
    const ee_judge *judge = judged->judge;
    ee_judge_total *total = &to->judges[judge->number];
    if (!judged->unscored) {
      ee_sample_add(&total->score, judged->score);
      total->verdicts[judged->verdict]++;
      metrics_add(total, judged, result->source->id, cluster);
      ee_score_units_add(&total->units, cluster, judged->score, judged->verdict == EE_VERDICT_PASS);
    }
    if (judged->failed) fault_add(totals, to, total, judged, result->source->id);
    total->unscored += judged->unscored;
    total->vacuous += judged->vacuous;
    total->fallbacks += judged->fallbacks > 0;
    total->paired += judged->paired;
    total->unpairable += judged->unpairable != NULL;
    total->match_sides |= judged->match_sides;
    if (total->match_names == NULL) total->match_names = judged->match_names;
    methods_add(&total->methods, judged->methods);
    if (total->corpus_part != NULL && !judged->bare)
      judge->type->corpus->add(total->corpus_part, result->source, judged);
    seen_add(total, judged->found, judge->expected_path_count);
    if (total->calibration != NULL)
      ee_calibration_total_add(total->calibration, judged->confidences, result->cluster.data != NULL,
                               result->source->id, &totals->names, &totals->text);
    ee_counts pooled = {0};
    for (size_t k = 0; k < judged->attribute_count; k++) {
      const ee_attribute_result *attribute = &judged->attributes[k];
      ee_attribute_total *sum = attribute->slot >= 0 ? &total->attributes[attribute->slot]
                                                     : attribute_of(totals, to, judge->number, attribute->name);
      ee_counts_add(&sum->counts, &attribute->counts);
      ee_count_units_add(&sum->units, unit, cluster != 0, to == &totals->all, &attribute->counts);
      if (!sum->derived) ee_counts_add(&pooled, &attribute->counts);
      if (to == &totals->all && attribute->slot >= 0)
        ee_absent_path_add(&sum->absent, &totals->names, attribute, result->source->id, &totals->text);
    }
    if (cluster == 0) ee_count_moments_add(&total->pooled, &pooled);
    for (size_t k = 0; k < judged->unread_count; k++) {
      const ee_unread *unread = &judged->unread[k];
      ee_attribute_total *of = unread->slot >= 0 ? &total->attributes[unread->slot]
                                                 : attribute_of(totals, to, judge->number, unread->attribute);
      ee_unread_total_add_value(&of->unread, &totals->names, unread, result->source->id, &totals->text, arena);
    }
    if (to == &totals->all) kinds_add(totals, judged, result->source->id);
  }
}

static void score_merge(ee_totals *totals, ee_score_totals *to, const ee_score_totals *from) {
  ee_sample_merge(&to->score, &from->score);
  ee_score_units_merge(&to->units, &from->units);
  ee_score_bins_merge(&to->bins, &from->bins);
  for (size_t i = 0; i < 3; i++) to->verdicts[i] += from->verdicts[i];
  ee_correction_total_merge(&to->corrections, &from->corrections);
  for (size_t i = 0; i < totals->plan->measure_count; i++)
    ee_measure_total_merge(&to->measures[i], &from->measures[i], to == &totals->all ? &totals->names : NULL);
  for (size_t i = 0; i < totals->plan->judge_count; i++) {
    const ee_judge_total *part = &from->judges[i];
    ee_judge_total *total = &to->judges[i];
    ee_sample_merge(&total->score, &part->score);
    ee_score_units_merge(&total->units, &part->units);
    for (size_t k = 0; k < 3; k++) total->verdicts[k] += part->verdicts[k];
    ee_case_example_merge(&total->fault, &totals->names, &part->fault);
    total->failed += part->failed;
    total->unscored += part->unscored;
    total->vacuous += part->vacuous;
    total->fallbacks += part->fallbacks;
    total->paired += part->paired;
    total->unpairable += part->unpairable;
    total->match_sides |= part->match_sides;
    if (total->match_names == NULL && part->match_names != NULL) /* of a state that was read: it ends with the part */
      total->match_names = ee_arena_copy(&totals->names, part->match_names, strlen(part->match_names));
    if (to == &totals->all) ee_kind_total_merge(&total->row_kinds, &totals->names, part->row_kinds);
    methods_merge(&total->methods, &part->methods);
    ee_count_moments_merge(&total->pooled, &part->pooled);
    metrics_merge(total, part);
    if (total->corpus_part != NULL && part->corpus_part != NULL)
      totals->plan->judges[i]->type->corpus->merge(total->corpus_part, part->corpus_part);
    seen_add(total, part->seen, totals->plan->judges[i]->expected_path_count);
    if (total->calibration != NULL && part->calibration != NULL)
      ee_calibration_total_merge(total->calibration, part->calibration, &totals->names);
    for (size_t k = 0; k < part->attribute_count; k++) {
      const ee_attribute_total *attribute = &part->attributes[k];
      ee_attribute_total *sum =
          k < part->static_count ? &total->attributes[k] : attribute_of(totals, to, i, attribute->name);
      attribute_merge(totals, to == &totals->all, sum, attribute);
    }
  }
}

/* Slices --------------------------------------------------------------------------------------- */

static uint64_t hash_value(size_t slice, ee_str value) { return ee_hash_bytes(value.data, value.length, slice + 1); }

static ee_slice_total *slice_find(const ee_totals *totals, size_t slice, ee_str value, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&totals->slice_index, hash, &at, &number)) {
    ee_slice_total *found = &totals->slices[number];
    if (found->slice == slice && ee_str_equal(found->value, value)) return found;
  }
  return NULL;
}

static ee_slice_total *slice_append(ee_totals *totals, size_t slice, ee_str value, uint64_t hash) {
  if (totals->slice_count == totals->slice_capacity)
    totals->slices =
        ee_list_grow(NULL, totals->slices, totals->slice_count, &totals->slice_capacity, 1, sizeof *totals->slices);
  ee_slice_total *added = &totals->slices[totals->slice_count];
  if (totals->slice_count < totals->slice_ready) {
    score_clear(&added->totals, totals->plan);
  } else {
    score_init(&added->totals, totals->plan, false);
    totals->slice_ready++;
  }
  added->slice = slice;
  added->value = (ee_str){ee_arena_copy(&totals->names, value.data, value.length), value.length};
  totals->slice_bounds[slice].values += !is_other(value);
  ee_hash_index_add(&totals->slice_index, hash, totals->slice_count);
  totals->slice_count++;
  return added;
}

static ee_slice_total *slice_find_or_append(ee_totals *totals, size_t slice, ee_str value) {
  uint64_t hash = hash_value(slice, value);
  ee_slice_total *found = slice_find(totals, slice, value, hash);
  return found != NULL ? found : slice_append(totals, slice, value, hash);
}

static bool slice_before(const ee_slice_total *a, const ee_slice_total *b) {
  return a->slice != b->slice ? a->slice < b->slice : name_before(a->value, b->value);
}
EE_DEFINE_SORT(sort_slices, ee_slice_total, slice_before)

static void slices_sort(ee_totals *totals) {
  bool sorted = true;
  for (size_t i = 1; i < totals->slice_count && sorted; i++)
    sorted = slice_before(&totals->slices[i - 1], &totals->slices[i]);
  if (sorted) return;
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  sort_slices(totals->slices, totals->slice_count, &scratch);
  ee_arena_fini(&scratch);
}

/* Of the values of one path, sorted, at `at` up to `end`, keeps EE_SLICE_VALUES: moves them to `*kept` and further, and
 * folds the others into "(other)", which is the last one then. */
static void slices_fold(ee_totals *totals, struct ee_slice_bound *bound, size_t at, size_t end, size_t *kept) {
  size_t cut = end, other = end - 1;
  if (bound->values > EE_SLICE_VALUES) {
    cut = at + EE_SLICE_VALUES;
    *bound = (struct ee_slice_bound){EE_SLICE_VALUES, totals->slices[cut - 1].value};
  }
  for (size_t i = at; i < end; i++) {
    if (i >= cut && i < other) {
      score_merge(totals, &totals->slices[other].totals, &totals->slices[i].totals);
      continue;
    }
    ee_slice_total moved = totals->slices[i];
    totals->slices[i] = totals->slices[*kept];
    totals->slices[(*kept)++] = moved;
  }
}

static void slices_settle(ee_totals *totals) {
  for (size_t i = 0; i < totals->plan->slice_count; i++)
    if (totals->slice_bounds[i].values > EE_SLICE_VALUES) slice_find_or_append(totals, i, EE_STR(EE_OTHER_NAME));
  slices_sort(totals);
  size_t kept = 0, at = 0;
  while (at < totals->slice_count) {
    size_t end = at, slice = totals->slices[at].slice;
    while (end < totals->slice_count && totals->slices[end].slice == slice) end++;
    slices_fold(totals, &totals->slice_bounds[slice], at, end, &kept);
    at = end;
  }
  totals->slice_count = kept;
  ee_hash_index_clear(&totals->slice_index);
  for (size_t i = 0; i < kept; i++)
    ee_hash_index_add(&totals->slice_index, hash_value(totals->slices[i].slice, totals->slices[i].value), i);
}

static ee_slice_total *slice_of(ee_totals *totals, size_t slice, ee_str value) {
  ee_slice_total *found = slice_find(totals, slice, value, hash_value(slice, value));
  if (found != NULL) return found;
  if (totals->slice_bounds[slice].values >= SLICE_ROOM) slices_settle(totals);
  if (is_beyond(value, totals->slice_bounds[slice].last)) value = EE_STR(EE_OTHER_NAME);
  return slice_find_or_append(totals, slice, value);
}

ee_slice_total *ee_totals_add_slice(ee_totals *totals, size_t slice, ee_str value) {
  uint64_t hash = hash_value(slice, value);
  if (slice_find(totals, slice, value, hash) != NULL) return NULL;
  struct ee_slice_bound *bound = &totals->slice_bounds[slice];
  if (bound->values == EE_SLICE_VALUES && !is_other(value)) return NULL;
  ee_slice_total *added = slice_append(totals, slice, value, hash);
  if (bound->values == EE_SLICE_VALUES && !is_other(value)) bound->last = added->value;
  return added;
}

void ee_slice_print(const ee_value *value, ee_arena *scratch, ee_buffer *out) {
  size_t from = out->length;
  switch (ee_type_of(value)) {
  case EE_MISSING:
  case EE_NULL: ee_buffer_add_text(out, EE_MISSING_NAME); return;
  case EE_STRING: ee_buffer_add_str(out, ee_value_text(value)); break;
  default: ee_json_write_canonical(out, value, scratch);
  }
  ee_str name = {out->data + from, out->length - from};
  if (name.length > EE_SLICE_TEXT_BYTES) out->length = from + ee_utf8_cut(name, EE_SLICE_TEXT_BYTES);
}

/* The hash of the data ------------------------------------------------------------------------- */

/* A sum of hashes: the same data in another order, or in parts, are the same data. */
uint64_t ee_data_hash_add(uint64_t hash, ee_str id, uint64_t expected_hash) {
  return hash + ee_hash_mix(ee_hash_bytes(id.data, id.length, expected_hash));
}

/* Totals --------------------------------------------------------------------------------------- */

void ee_totals_init(ee_totals *totals, const ee_plan *plan) {
  *totals = (ee_totals){.plan = plan};
  score_init(&totals->all, plan, true);
  totals->slice_bounds = ee_calloc(plan->slice_count, sizeof *totals->slice_bounds);
  ee_arena_init(&totals->names, 0);
  ee_arena_init(&totals->summaries, 0);
  ee_buffer_init(&totals->text);
  ee_trial_total_init(&totals->trials, plan->verdict);
}

void ee_totals_fini(ee_totals *totals) {
  if (totals->plan == NULL) return;
  score_fini(&totals->all, totals->plan);
  for (size_t i = 0; i < totals->slice_ready; i++) score_fini(&totals->slices[i].totals, totals->plan);
  ee_free(totals->slices);
  ee_hash_index_fini(&totals->slice_index);
  ee_free(totals->slice_bounds);
  ee_arena_fini(&totals->names);
  ee_arena_fini(&totals->summaries);
  ee_buffer_fini(&totals->text);
  ee_trial_total_fini(&totals->trials);
  *totals = (ee_totals){0};
}

void ee_totals_clear(ee_totals *totals) {
  const ee_plan *plan = totals->plan;
  totals->records = totals->scored = totals->unreadable = totals->duplicates = totals->filtered = totals->absent =
      totals->unjudged = totals->unscored = totals->unnamed = totals->untold = 0;
  totals->candidates_missing = totals->candidates_unparseable = 0;
  totals->candidates_encoded = totals->repairable = totals->lone_surrogates = 0;
  memset(totals->repairs, 0, sizeof totals->repairs);
  totals->cases_with_rule_errors = totals->rule_errors = 0;
  totals->cases_with_provider_failures = totals->provider_failures = 0;
  totals->cases_with_given_up = totals->given_up = 0;
  totals->data_hash = totals->records_hash = 0;
  totals->pages = (ee_page_hint){0};
  score_clear(&totals->all, plan);
  ee_trial_total_clear(&totals->trials);
  totals->slice_count = 0;
  ee_hash_index_clear(&totals->slice_index);
  for (size_t i = 0; i < plan->slice_count; i++) totals->slice_bounds[i] = (struct ee_slice_bound){0};
  ee_arena_reset(&totals->names, NAMES_KEPT);
  ee_arena_reset(&totals->summaries, NAMES_KEPT);
}

void ee_totals_add(ee_totals *totals, const ee_case_result *result, ee_arena *arena) {
  const ee_plan *plan = totals->plan;
  const ee_case *source = result->source;
  totals->records += !source->absent && source->trial_number <= 1;
  totals->absent += source->absent;
  totals->scored++;
  totals->unscored += result->unscored;
  totals->unnamed += source->unnamed;
  totals->untold += source->trial.data != NULL && source->trial.length == 0;
  totals->candidates_missing += source->candidate_state == EE_CANDIDATE_MISSING;
  totals->candidates_unparseable += source->candidate_state == EE_CANDIDATE_UNPARSEABLE;
  if (source->repaired != NULL) {
    totals->candidates_encoded += source->candidate_state == EE_CANDIDATE_READ && source->candidate != source->repaired;
    totals->repairable++;
    for (int i = 0; i < EE_REPAIR_COUNT; i++) totals->repairs[i] += source->repairs.counts[i] > 0;
  }
  totals->cases_with_rule_errors += result->rule_errors > 0;
  totals->rule_errors += result->rule_errors;
  totals->cases_with_provider_failures += result->provider_failures > 0;
  totals->provider_failures += result->provider_failures;
  totals->cases_with_given_up += result->given_up > 0;
  totals->given_up += result->given_up;
  totals->data_hash = ee_data_hash_add(totals->data_hash, source->id, result->expected_hash);
  totals->records_hash = ee_data_hash_add(totals->records_hash, source->id, source->text_hash);
  if (result->cluster.data == NULL) ee_page_hint_add(&totals->pages, source, &totals->names);
  score_add(totals, &totals->all, result, arena);
  ee_trial_total_add_case(&totals->trials, result, arena);
  for (size_t i = 0; i < plan->slice_count; i++) {
    const ee_value *value = ee_case_get(source, plan->slices[i], arena);
    ee_buffer_clear(&totals->text);
    ee_slice_print(value, arena, &totals->text);
    ee_str name = {totals->text.data, totals->text.length};
    score_add(totals, &slice_of(totals, i, name)->totals, result, arena);
  }
}

void ee_totals_merge(ee_totals *totals, const ee_totals *other) {
  totals->data_hash += other->data_hash;
  totals->records_hash += other->records_hash;
  ee_page_hint_merge(&totals->pages, &other->pages, &totals->names);
  totals->records += other->records;
  totals->scored += other->scored;
  totals->unscored += other->unscored;
  totals->unreadable += other->unreadable;
  totals->duplicates += other->duplicates;
  totals->unnamed += other->unnamed;
  totals->untold += other->untold;
  totals->filtered += other->filtered;
  totals->absent += other->absent;
  totals->unjudged += other->unjudged;
  totals->candidates_missing += other->candidates_missing;
  totals->candidates_unparseable += other->candidates_unparseable;
  totals->candidates_encoded += other->candidates_encoded;
  totals->repairable += other->repairable;
  for (int i = 0; i < EE_REPAIR_COUNT; i++) totals->repairs[i] += other->repairs[i];
  totals->lone_surrogates += other->lone_surrogates;
  totals->cases_with_rule_errors += other->cases_with_rule_errors;
  totals->rule_errors += other->rule_errors;
  totals->cases_with_provider_failures += other->cases_with_provider_failures;
  totals->provider_failures += other->provider_failures;
  totals->cases_with_given_up += other->cases_with_given_up;
  totals->given_up += other->given_up;
  totals->chosen |= other->chosen;
  score_merge(totals, &totals->all, &other->all);
  ee_trial_total_merge(&totals->trials, &other->trials);
  for (size_t i = 0; i < other->slice_count; i++) {
    const ee_slice_total *part = &other->slices[i];
    score_merge(totals, &slice_of(totals, part->slice, part->value)->totals, &part->totals);
  }
}

void ee_totals_settle(ee_totals *totals) {
  slices_settle(totals); /* before attributes: "(other)" may get more of them */
  for (size_t i = 0; i < totals->plan->judge_count; i++) {
    attributes_settle(totals, i);
    if (totals->all.judges[i].calibration != NULL) ee_calibration_total_settle(totals->all.judges[i].calibration);
  }
}

void ee_totals_finish(ee_totals *totals) { (void)ee_totals_finish_within(totals, EE_WORK_UNLIMITED); }

bool ee_totals_finish_within(ee_totals *totals, uint64_t units) {
  bool complete = true;
  ee_totals_settle(totals);
  ee_trial_total_finish(&totals->trials);
  const volatile sig_atomic_t *interrupted = ee_work_watch(NULL);
  ee_work_trap trap;
  ee_work_enter(&trap, units, NULL, NULL);
  for (size_t i = 0; i < totals->plan->judge_count; i++) {
    const ee_judge *judge = totals->plan->judges[i];
    ee_judge_total *total = &totals->all.judges[i];
    if (total->corpus_part == NULL || total->corpus != NULL) continue;
    ee_corpus_summary *summary = EE_NEW(&totals->summaries, ee_corpus_summary);
    judge->type->corpus->finish(judge, total->corpus_part, &totals->summaries, summary);
    total->corpus = summary;
    if (ee_work_goes_on(1)) continue;
    *summary = (ee_corpus_summary){0};
    complete = false;
  }
  ee_work_leave(&trap);
  ee_work_watch(interrupted);
  return complete;
}

/* Reading totals ------------------------------------------------------------------------------- */

typedef struct ranked_attribute {
  size_t number;
  ee_str name;
  ee_metric f1;
  uint64_t errors;
} ranked_attribute;

static int compare_ranks(const void *left, const void *right) {
  const ranked_attribute *a = left, *b = right;
  if (a->f1.defined != b->f1.defined) return a->f1.defined ? -1 : 1;
  if (a->f1.defined && a->f1.value != b->f1.value) return a->f1.value < b->f1.value ? -1 : 1;
  if (a->errors != b->errors) return a->errors > b->errors ? -1 : 1;
  int order = ee_str_compare(a->name, b->name);
  if (order != 0) return order;
  return a->number < b->number ? -1 : 1;
}

void ee_judge_total_rank(const ee_judge_total *total, size_t *order) {
  size_t count = total->attribute_count;
  ranked_attribute *ranked = ee_calloc(count, sizeof *ranked);
  for (size_t i = 0; i < count; i++) {
    const ee_counts *counts = &total->attributes[i].counts;
    ranked[i] = (ranked_attribute){i, total->attributes[i].name, ee_f1(counts), counts->fp + counts->fn};
  }
  qsort(ranked, count, sizeof *ranked, compare_ranks);
  for (size_t i = 0; i < count; i++) order[i] = ranked[i].number;
  ee_free(ranked);
}

typedef struct ordered_attribute {
  size_t number;
  ee_str name;
  double key; /* the lowest first */
} ordered_attribute;

static bool comes_first(const ordered_attribute *a, const ordered_attribute *b) {
  return a->key != b->key ? a->key < b->key : ee_str_compare(a->name, b->name) < 0;
}
EE_DEFINE_SORT(sort_attributes, ordered_attribute, comes_first)

/* Undefined metrics come last. */
static double order_key(const ee_judge_total *total, ee_attribute_order by, size_t number) {
  const ee_counts *counts = &total->attributes[number].counts;
  ee_metric metric = by == EE_ORDER_PRECISION ? ee_precision(counts) : ee_recall(counts);
  switch (by) {
  case EE_ORDER_SUPPORT: return -(double)(counts->tp + counts->fn);
  case EE_ORDER_ERRORS: return -(double)(counts->fp + counts->fn - counts->wrong);
  case EE_ORDER_PRECISION:
  case EE_ORDER_RECALL: return metric.defined ? metric.value : 2;
  case EE_ORDER_RULES: return (double)number;
  default: return 0;
  }
}

void ee_judge_total_order(const ee_judge_total *total, ee_attribute_order by, size_t *order, ee_arena *scratch) {
  ee_judge_total_rank(total, order);
  if (by == EE_ORDER_USUAL) return;
  ee_arena_mark mark = ee_arena_get_mark(scratch);
  ordered_attribute *ordered = EE_NEW_ARRAY(scratch, ordered_attribute, total->attribute_count);
  for (size_t i = 0; i < total->attribute_count; i++) {
    ordered[i] = (ordered_attribute){.number = order[i], .key = order_key(total, by, order[i])};
    if (by == EE_ORDER_NAME) ordered[i].name = total->attributes[order[i]].name;
  }
  sort_attributes(ordered, total->attribute_count, scratch);
  for (size_t i = 0; i < total->attribute_count; i++) order[i] = ordered[i].number;
  ee_arena_rewind(scratch, mark);
}

ee_str ee_judge_total_near(const ee_judge_total *total, ee_str name) {
  enum { LONGEST = 200 }; /* bytes: comparing takes the product of two lengths */
  if (name.length > LONGEST) return EE_STR("");
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  const char **words = EE_NEW_ARRAY(&scratch, const char *, total->attribute_count - total->static_count + 1);
  size_t count = 0;
  for (size_t i = total->static_count; i < total->attribute_count; i++) {
    ee_str word = total->attributes[i].name;
    if (word.length <= LONGEST) words[count++] = ee_arena_copy(&scratch, word.data, word.length);
  }
  words[count] = NULL;
  const char *meant = ee_did_you_mean(ee_arena_copy(&scratch, name.data, name.length), words);
  ee_str found = EE_STR("");
  for (size_t i = total->static_count; meant != NULL && i < total->attribute_count && found.length == 0; i++) {
    if (ee_str_is(total->attributes[i].name, meant)) found = total->attributes[i].name;
  }
  ee_arena_fini(&scratch);
  return found;
}

ee_judge_averages ee_judge_total_averages(const ee_judge_total *total) {
  ee_judge_averages averages = {0};
  ee_counts *counts = ee_calloc(total->attribute_count, sizeof *counts);
  size_t count = 0;
  for (size_t i = 0; i < total->attribute_count; i++) {
    if (total->attributes[i].derived) continue;
    counts[count] = total->attributes[i].counts;
    ee_counts_add(&averages.pooled, &counts[count++]);
  }
  averages.micro = ee_micro(counts, count);
  averages.macro = ee_macro(counts, count);
  averages.weighted = ee_weighted(counts, count);
  ee_free(counts);
  return averages;
}
