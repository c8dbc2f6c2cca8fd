/* comparison_stats.c: from totals to results: which judges, fields, slices and measures are compared, means and F1 of
 * both runs with their intervals, and those of what changed. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "prim/ratio_interval.h"
#include "prim/sort.h"
#include "report/comparison_inside.h"

/* Orders ---------------------------------------------------------------------------------------- */

/* Something known: by place, then by name. */
typedef struct placed {
  uint32_t group, place, number;
  ee_str name, second;
} placed;

static bool placed_before(const placed *a, const placed *b) {
  if (a->group != b->group) return a->group < b->group;
  if (a->place != b->place) return a->place < b->place;
  int order = ee_str_compare(a->name, b->name);
  return order != 0 ? order < 0 : ee_str_compare(a->second, b->second) < 0;
}
EE_DEFINE_SORT(sort_placed, placed, placed_before)

const uint32_t *ee_comparison_order_judges(const ee_comparison *comparison, ee_arena *arena) {
  size_t count = comparison->known_judges.count;
  placed *list = EE_NEW_ARRAY(arena, placed, count + 1);
  for (uint32_t i = 0; i < count; i++)
    list[i] = (placed){
        .place = comparison->known_judges.items[i].place, .number = i, .name = comparison->known_judges.items[i].name};
  sort_placed(list, count, arena);
  uint32_t *order = EE_NEW_ARRAY(arena, uint32_t, count + 1);
  for (size_t i = 0; i < count; i++) order[i] = list[i].number;
  return order;
}

/* By judge, in the order of the judges. */
static placed *order_attributes(const ee_comparison *comparison, const uint32_t *judges, ee_arena *arena) {
  size_t count = comparison->known_attributes.count;
  placed *list = EE_NEW_ARRAY(arena, placed, count + 1);
  uint32_t *rank = EE_NEW_ARRAY(arena, uint32_t, comparison->known_judges.count + 1);
  for (uint32_t i = 0; i < comparison->known_judges.count; i++) rank[judges[i]] = i;
  for (uint32_t i = 0; i < count; i++) {
    const ee_known_attribute *known = &comparison->known_attributes.items[i];
    list[i] = (placed){.group = rank[known->judge], .place = known->place, .number = i, .name = known->name};
  }
  sort_placed(list, count, arena);
  return list;
}

/* Lists ----------------------------------------------------------------------------------------- */

static void add_field(ee_comparison *comparison, ee_compared_judge *judge, uint32_t attribute) {
  const ee_known_attribute *known = &comparison->known_attributes.items[attribute];
  const ee_attribute_totals *totals = &known->totals;
  if (totals->seen_as == 0) return;
  if (totals->seen_as != EE_SEEN_AS_FIELD) {
    comparison->lone_fields[comparison->lone_field_count++] =
        (ee_lone_field){attribute, totals->seen_as == EE_SEEN_ONLY_IN_BASE ? EE_SIDE_BASE : EE_SIDE_NEW};
    return;
  }
  comparison->field_of[attribute] = (uint32_t)comparison->field_count;
  comparison->fields[comparison->field_count++] =
      (ee_compared_field){.judge = judge->judge,
                          .attribute = attribute,
                          .fixed = totals->fixed,
                          .broken = totals->broken,
                          .still_wrong = totals->still_wrong,
                          .still_right = judge->cases - totals->fixed - totals->broken - totals->still_wrong,
                          .fewer = totals->fewer,
                          .more = totals->more,
                          .before = totals->counts[EE_SIDE_BASE],
                          .after = totals->counts[EE_SIDE_NEW]};
  comparison->fixed += totals->fixed;
  comparison->broken += totals->broken;
  judge->field_count++;
  judge->any_counts |= !known->derived;
}

static void list_fields(ee_comparison *comparison) {
  ee_arena *arena = &comparison->arena;
  size_t count = comparison->known_attributes.count, judges = comparison->known_judges.count, at = 0;
  comparison->judges = ee_calloc(judges + 1, sizeof *comparison->judges);
  comparison->fields = ee_calloc(count + 1, sizeof *comparison->fields);
  comparison->lone_fields = ee_calloc(count + 1, sizeof *comparison->lone_fields);
  comparison->field_of = ee_malloc((count + 1) * sizeof *comparison->field_of);
  for (size_t i = 0; i < count; i++) comparison->field_of[i] = EE_NO_NUMBER;
  const uint32_t *order = ee_comparison_order_judges(comparison, arena);
  const placed *attributes = order_attributes(comparison, order, arena);
  for (uint32_t i = 0; i < judges; i++) {
    const ee_judge_totals *totals = &comparison->known_judges.items[order[i]].totals;
    ee_compared_judge *judge = &comparison->judges[comparison->judge_count];
    if (totals->cases > 0) {
      comparison->judge_count++;
      *judge = (ee_compared_judge){.judge = order[i],
                                   .cases = totals->cases,
                                   .without = {totals->without[0], totals->without[1]},
                                   .first_field = comparison->field_count};
    }
    for (; at < count && attributes[at].group == i; at++)
      if (totals->cases > 0) add_field(comparison, judge, attributes[at].number);
  }
  for (size_t i = 1; i < count; i++) comparison->several_judges |= attributes[i].group != attributes[0].group;
}

/* The changes of each case in the order of the fields, whatever that of its rows. */
static void order_changes(ee_comparison *comparison) {
  for (size_t i = 0; i < comparison->listed; i++) {
    const ee_compared_case *item = &comparison->cases[i];
    size_t count = item->fixed + item->broken;
    ee_change *changes = count > 0 ? &comparison->changes.items[item->first_change] : NULL;
    for (size_t k = 1; k < count; k++) {
      const ee_change moved = changes[k];
      size_t to = k;
      for (; to > 0 && comparison->field_of[changes[to - 1].attribute] > comparison->field_of[moved.attribute]; to--)
        changes[to] = changes[to - 1];
      changes[to] = moved;
    }
  }
}

/* Those of one path side by side. */
static void list_slices(ee_comparison *comparison) {
  ee_arena *arena = &comparison->arena;
  size_t known = comparison->known_slices.count, count = 0;
  placed *list = EE_NEW_ARRAY(arena, placed, known + 1);
  for (uint32_t i = 0; i < known; i++) {
    const ee_known_slice *slice = &comparison->known_slices.items[i];
    if (slice->totals == NULL) continue;
    list[count++] = (placed){.place = slice->place, .number = i, .name = slice->path, .second = slice->value};
  }
  sort_placed(list, count, arena);
  comparison->slices = ee_calloc(count + 1, sizeof *comparison->slices);
  comparison->slice_count = count;
  for (size_t i = 0; i < count; i++) {
    const ee_slice_totals *totals = comparison->known_slices.items[list[i].number].totals;
    comparison->slices[i] = (ee_compared_slice){.slice = list[i].number,
                                                .cases = totals->cases,
                                                .before = totals->counts[EE_SIDE_BASE],
                                                .after = totals->counts[EE_SIDE_NEW]};
  }
}

static void list_measures(ee_comparison *comparison) {
  ee_arena *arena = &comparison->arena;
  size_t known = comparison->known_measures.count;
  placed *list = EE_NEW_ARRAY(arena, placed, known + 1);
  for (uint32_t i = 0; i < known; i++)
    list[i] = (placed){.number = i, .name = comparison->known_measures.items[i].name};
  sort_placed(list, known, arena);
  comparison->measure_count = known < EE_COMPARED_MEASURES ? known : EE_COMPARED_MEASURES;
  for (size_t i = 0; i < comparison->measure_count; i++)
    list[i].place = comparison->known_measures.items[list[i].number].place;
  sort_placed(list, comparison->measure_count, arena);
  comparison->measures = ee_calloc(known + 1, sizeof *comparison->measures);
  for (size_t i = 0; i < comparison->measure_count; i++) {
    const ee_measure_totals *totals = &comparison->known_measures.items[list[i].number].totals;
    comparison->measures[i] = (ee_compared_measure){
        .measure = list[i].number, .cases = totals->cases, .without = {totals->without[0], totals->without[1]}};
  }
}

/* Estimates ------------------------------------------------------------------------------------- */

typedef struct estimates {
  ee_comparison *comparison;
  uint64_t point_units; /* of the last critical point */
  double point;
} estimates;

static ee_metric difference(ee_metric before, ee_metric after) {
  if (!before.defined || !after.defined) return (ee_metric){false, 0};
  return (ee_metric){true, after.value - before.value};
}

static const ee_interval nothing = {NAN, NAN};

static ee_estimate estimate_of(ee_metric before, ee_metric after) {
  return (ee_estimate){before, after, difference(before, after), nothing, nothing, nothing, NAN, NAN};
}

static void estimate_change(estimates *self, ee_estimate *estimate, const ee_paired_sums *paired) {
  if (!estimate->change.defined || paired->units == 0) return;
  if (paired->units != self->point_units) {
    self->point_units = paired->units;
    self->point = ee_paired_point(paired->units, self->comparison->options.confidence);
  }
  estimate->change_range = ee_paired_interval(paired, self->point);
  estimate->p = ee_paired_p(paired);
}

static void estimate_sides(const estimates *self, ee_estimate *estimate, const ee_ratio_sums side[2]) {
  const double confidence = self->comparison->options.confidence;
  if (estimate->before.defined) estimate->before_range = ee_ratio_interval(&side[0], confidence);
  if (estimate->after.defined) estimate->after_range = ee_ratio_interval(&side[1], confidence);
}

static ee_estimate estimate_moments(estimates *self, const ee_paired_moments *all, ee_paired_kind kind,
                                    ee_metric before, ee_metric after) {
  ee_estimate estimate = estimate_of(before, after);
  const ee_paired_sums paired = ee_paired_change(all, kind);
  const ee_ratio_sums sides[] = {ee_paired_side(all, kind, 0), ee_paired_side(all, kind, 1)};
  estimate_change(self, &estimate, &paired);
  estimate_sides(self, &estimate, sides);
  return estimate;
}

static ee_estimate estimate_scores(estimates *self, const ee_figure *figure) {
  const ee_paired_moments all = ee_figure_moments(figure, EE_PAIRED_SCORES);
  return estimate_moments(self, &all, EE_PAIRED_SCORES, ee_paired_ratio(&all, EE_PAIRED_SCORES, 0),
                          ee_paired_ratio(&all, EE_PAIRED_SCORES, 1));
}

static void estimate_passes(estimates *self) {
  ee_comparison *comparison = self->comparison;
  const ee_unit_shares *shared = &comparison->pass_figure.shared;
  uint64_t gained = comparison->units_gained, lost = comparison->units_lost;
  for (size_t i = 0; i < shared->count; i++) {
    const ee_fixed *passes = shared->items[i].share.a;
    gained += passes[1].units > passes[0].units;
    lost += passes[1].units < passes[0].units;
  }
  comparison->pass = estimate_scores(self, &comparison->pass_figure);
  comparison->pass_p = ee_mcnemar_exact(gained, lost);
  for (size_t before = 0; before < 3; before++) {
    for (size_t after = 0; after < 3; after++) {
      uint64_t cases = comparison->verdicts[before][after];
      comparison->passed[EE_SIDE_BASE] += before == EE_VERDICT_PASS ? cases : 0;
      comparison->passed[EE_SIDE_NEW] += after == EE_VERDICT_PASS ? cases : 0;
      comparison->pass_fixed += before != EE_VERDICT_PASS && after == EE_VERDICT_PASS ? cases : 0;
      comparison->pass_broken += before == EE_VERDICT_PASS && after != EE_VERDICT_PASS ? cases : 0;
    }
  }
}

static double sign_p(const ee_comparison *comparison) {
  const ee_unit_shares *shared = &comparison->score_figure.shared;
  ee_sign_flips all = {0};
  ee_sign_flips_merge(&all, &comparison->signs);
  for (size_t i = 0; i < shared->count; i++) {
    const ee_fixed *sums = shared->items[i].share.a;
    ee_sign_flips_add(&all, shared->items[i].key, (ee_fixed){sums[1].units - sums[0].units});
  }
  double p = ee_sign_flips_p(&all);
  ee_sign_flips_fini(&all);
  return p;
}

/* Exact sums: the mean of many scores is the one that a run prints. */
static void estimate_score(estimates *self) {
  ee_comparison *comparison = self->comparison;
  const ee_paired_moments all = ee_figure_moments(&comparison->score_figure, EE_PAIRED_SCORES);
  const ee_paired_sums paired = ee_paired_change(&all, EE_PAIRED_SCORES);
  const ee_fixed before = comparison->scores[0].sum, after = comparison->scores[1].sum;
  uint64_t count = comparison->case_count;
  comparison->score =
      estimate_moments(self, &all, EE_PAIRED_SCORES, (ee_metric){count > 0, ee_fixed_mean(before, count)},
                       (ee_metric){count > 0, ee_fixed_mean(after, count)});
  comparison->score.change.value = ee_fixed_mean((ee_fixed){after.units - before.units}, count);
  comparison->units = all.units;
  comparison->clustered = all.units < count;
  comparison->detectable =
      ee_paired_detectable(ee_paired_variance(&paired), all.units, comparison->options.confidence, EE_DETECTABLE_POWER);
  comparison->sign_p = sign_p(comparison);
  if (comparison->gains > 0)
    comparison->gain = (ee_metric){true, ee_fixed_mean(comparison->gain_sum, comparison->gains)};
}

/* Fields ---------------------------------------------------------------------------------------- */

/* The share of cases with an error: differences of 1, 0 and -1, all of one weight where no unit has several cases. */
static ee_estimate estimate_wrong(estimates *self, const ee_compared_field *field, const ee_attribute_totals *totals) {
  double cases = (double)(field->fixed + field->broken + field->still_wrong + field->still_right);
  uint64_t more = totals->units_more, fewer = totals->units_fewer;
  if (cases <= 0) return estimate_of((ee_metric){0}, (ee_metric){0});
  ee_estimate wrong = estimate_of((ee_metric){true, (double)(field->fixed + field->still_wrong) / cases},
                                  (ee_metric){true, (double)(field->broken + field->still_wrong) / cases});
  double changed = (double)(field->fixed + field->broken), lost = (double)field->broken - (double)field->fixed;
  if (!self->comparison->clustered)
    estimate_change(self, &wrong,
                    &(ee_paired_sums){.reach = 1,
                                      .units = (uint64_t)cases,
                                      .changed = (uint64_t)changed,
                                      .sum = ee_fixed_from(lost),
                                      .squares = ee_fixed_from(changed),
                                      .largest = changed > 0});
  for (size_t i = 0; i < totals->wrong.count; i++) {
    const ee_fixed *cases_wrong = totals->wrong.items[i].share.a;
    more += cases_wrong[1].units > cases_wrong[0].units;
    fewer += cases_wrong[1].units < cases_wrong[0].units;
  }
  wrong.p = ee_mcnemar_exact(more, fewer);
  return wrong;
}

static void estimate_field(estimates *self, ee_compared_field *field) {
  const ee_attribute_totals *totals = &self->comparison->known_attributes.items[field->attribute].totals;
  const ee_paired_moments all = ee_figure_moments(&totals->f1, EE_PAIRED_COUNTS);
  const ee_paired_sums paired = ee_paired_change(&all, EE_PAIRED_COUNTS);
  field->wrong = estimate_wrong(self, field, totals);
  field->f1 = estimate_of(ee_f1(&field->before), ee_f1(&field->after));
  estimate_change(self, &field->f1, &paired);
  if (isnan(field->f1.p)) field->f1.p = field->wrong.p;
}

/* Macro F1 -------------------------------------------------------------------------------------- */

/* Macro F1 is the mean of the fields' F1, so a unit pulls it by the mean of what it does to each: what it adds to the
 * fields' linearized F1. Where units are in groups, the squares of the groups' sums stand for those of the units, which
 * are as large on average, since units are independent. */
typedef struct unit_pull {
  uint64_t key;
  size_t field;
  double pull[2];
  bool changed;
} unit_pull;

static bool pull_before(const unit_pull *a, const unit_pull *b) { return a->key < b->key; }
EE_DEFINE_SORT(sort_pulls, unit_pull, pull_before)

typedef struct macro {
  double fields[2], mean[2]; /* that have an F1; the mean of these */
  unit_pull *pulls;          /* of each unit and field, then of each unit */
  size_t count;
  uint64_t units, changed;
} macro;

static bool is_averaged(const ee_comparison *comparison, const ee_compared_field *field) {
  return !comparison->known_attributes.items[field->attribute].derived;
}

/* The units with several cases in which a field that is in averages differs. */
static uint64_t count_changed(const ee_comparison *comparison, const ee_compared_judge *judge, ee_arena *arena) {
  size_t count = 0, all = 0;
  const ee_compared_field *fields = &comparison->fields[judge->first_field];
  for (size_t i = 0; i < judge->field_count; i++)
    all += comparison->known_attributes.items[fields[i].attribute].totals.f1.shared.count;
  unit_pull *units = EE_NEW_ARRAY(arena, unit_pull, all + 1);
  for (size_t i = 0; i < judge->field_count; i++) {
    const ee_unit_shares *shared = &comparison->known_attributes.items[fields[i].attribute].totals.f1.shared;
    for (size_t k = 0; is_averaged(comparison, &fields[i]) && k < shared->count; k++)
      if (ee_paired_share_changed(EE_PAIRED_COUNTS, &shared->items[k].share))
        units[count++] = (unit_pull){.key = shared->items[k].key};
  }
  sort_pulls(units, count, arena);
  uint64_t distinct = 0;
  for (size_t i = 0; i < count; i++) distinct += i == 0 || units[i].key != units[i - 1].key;
  return distinct;
}

static void average_fields(const ee_comparison *comparison, const ee_compared_judge *judge, macro *self) {
  for (size_t i = judge->first_field; i < judge->first_field + judge->field_count; i++) {
    const ee_compared_field *field = &comparison->fields[i];
    if (!is_averaged(comparison, field)) continue;
    const ee_counts *counts[] = {&field->before, &field->after};
    for (int side = 0; side < 2; side++) {
      uint64_t right = 2 * counts[side]->tp, all = right + counts[side]->fp + counts[side]->fn;
      self->fields[side] += all > 0;
      self->mean[side] += all > 0 ? (double)right / (double)all : 0;
    }
  }
  for (int side = 0; side < 2; side++)
    if (self->fields[side] > 0) self->mean[side] /= self->fields[side];
}

/* By unit, in the order of the fields. */
static void list_pulls(const ee_comparison *comparison, const ee_compared_judge *judge, macro *self, ee_arena *arena) {
  size_t all = 0, left = 0;
  const ee_compared_field *fields = &comparison->fields[judge->first_field];
  for (size_t i = 0; i < judge->field_count; i++)
    all += comparison->known_attributes.items[fields[i].attribute].totals.groups.count;
  self->pulls = EE_NEW_ARRAY(arena, unit_pull, all + 1);
  for (size_t i = 0; i < judge->field_count; i++) {
    const ee_unit_shares *groups = &comparison->known_attributes.items[fields[i].attribute].totals.groups;
    const ee_counts *counts[] = {&fields[i].before, &fields[i].after};
    double b[2], f1[2];
    for (int side = 0; side < 2; side++) {
      uint64_t right = 2 * counts[side]->tp;
      b[side] = (double)(right + counts[side]->fp + counts[side]->fn);
      f1[side] = b[side] > 0 ? (double)right / b[side] : 0;
    }
    for (size_t k = 0; is_averaged(comparison, &fields[i]) && k < groups->count; k++) {
      const ee_paired_share *share = &groups->items[k].share;
      unit_pull *pull = &self->pulls[self->count++];
      *pull = (unit_pull){.key = groups->items[k].key, .field = i};
      for (int side = 0; side < 2; side++)
        if (b[side] > 0)
          pull->pull[side] = (double)self->units * ((double)share->a[side].units - f1[side] * (double)share->b[side]) /
                             b[side] / self->fields[side];
    }
  }
  sort_pulls(self->pulls, self->count, arena);
  for (size_t i = 0; i < self->count; i++) {
    unit_pull *pull = &self->pulls[i];
    if (left == 0 || self->pulls[left - 1].key != pull->key) {
      self->pulls[left++] = *pull;
      continue;
    }
    for (int side = 0; side < 2; side++) self->pulls[left - 1].pull[side] += pull->pull[side];
  }
  self->count = left;
}

static ee_estimate estimate_macro(estimates *of, const ee_compared_judge *judge) {
  ee_comparison *comparison = of->comparison;
  const ee_judge_totals *totals = &comparison->known_judges.items[judge->judge].totals;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  macro self = {.units = totals->units + totals->micro.shared.count,
                .changed = totals->changed + count_changed(comparison, judge, &arena)};
  average_fields(comparison, judge, &self);
  list_pulls(comparison, judge, &self, &arena);
  double n = (double)self.units, change = self.mean[1] - self.mean[0], squares = 0, largest = 0, sides[2] = {0, 0};
  for (size_t i = 0; i < self.count; i++) {
    const double *pull = self.pulls[i].pull, d = pull[1] - pull[0];
    squares += d * d;
    for (int side = 0; side < 2; side++) sides[side] += pull[side] * pull[side];
    largest = fmax(largest, comparison->averages_grouped ? fabs(d) : fabs(d + change));
  }
  /* Units without any field. */
  if (self.count < self.units) largest = fmax(largest, fabs(change));
  /* Of a group of many units that changed. */
  double in_group = (double)self.changed / (double)(1 << EE_COMPARED_AVERAGE_BITS);
  if (comparison->averages_grouped && in_group > 1) largest /= sqrt(in_group);
  ee_arena_fini(&arena);
  ee_estimate estimate =
      estimate_of((ee_metric){self.fields[0] > 0, self.mean[0]}, (ee_metric){self.fields[1] > 0, self.mean[1]});
  const ee_paired_sums paired = {.reach = 1,
                                 .units = self.units,
                                 .changed = self.changed,
                                 .sum = ee_fixed_from(n * change),
                                 .squares = ee_fixed_from(squares + n * change * change),
                                 .largest = largest};
  ee_ratio_sums sums[2];
  for (int side = 0; side < 2; side++) {
    double sum = n * self.mean[side];
    sums[side] = (ee_ratio_sums){self.units, sum, n, sides[side] + sum * self.mean[side], sum, n};
  }
  estimate_change(of, &estimate, &paired);
  estimate_sides(of, &estimate, sums);
  return estimate;
}

/* Judges ---------------------------------------------------------------------------------------- */

static ee_metric micro_f1(const ee_comparison *comparison, const ee_compared_judge *judge, ee_side side) {
  ee_counts pooled = {0};
  for (size_t i = judge->first_field; i < judge->first_field + judge->field_count; i++)
    if (is_averaged(comparison, &comparison->fields[i]))
      ee_counts_add(&pooled, side == EE_SIDE_BASE ? &comparison->fields[i].before : &comparison->fields[i].after);
  return ee_f1(&pooled);
}

static void estimate_judge(estimates *self, ee_compared_judge *judge) {
  ee_comparison *comparison = self->comparison;
  const ee_judge_totals *totals = &comparison->known_judges.items[judge->judge].totals;
  judge->score = estimate_scores(self, &totals->score);
  if (!judge->any_counts) return;
  const ee_paired_moments all = ee_figure_moments(&totals->micro, EE_PAIRED_COUNTS);
  judge->micro = estimate_moments(self, &all, EE_PAIRED_COUNTS, micro_f1(comparison, judge, EE_SIDE_BASE),
                                  micro_f1(comparison, judge, EE_SIDE_NEW));
  judge->macro = estimate_macro(self, judge);
}

static void estimate_slice(estimates *self, ee_compared_slice *slice) {
  const ee_figure *figure = &self->comparison->known_slices.items[slice->slice].totals->score;
  slice->score = estimate_scores(self, figure);
  /* No test of one unit. */
  if (figure->alone.units + figure->shared.count < 2) slice->score.p = NAN;
}

/* Measures -------------------------------------------------------------------------------------- */

/* Student's, since a measure has no bounds. */
static ee_interval student_interval(const estimates *self, const ee_ratio_sums *sums, double mean) {
  if (sums->units < 2) return nothing;
  double n = (double)sums->units, ratio = sums->a / sums->b;
  double squares = sums->aa - 2 * ratio * sums->ab + ratio * ratio * sums->bb;
  double half = ee_paired_point(sums->units, self->comparison->options.confidence) *
                sqrt(fmax(0, squares) * n / (n - 1)) / sums->b;
  return isfinite(half) ? (ee_interval){mean - half, mean + half} : nothing;
}

static ee_ratio_sums sums_of_measure(const ee_measure_totals *totals, int side) {
  double alone = ee_exact_sum_value(&totals->alone[side]), count = (double)totals->units;
  ee_ratio_sums sums = {totals->units, alone, count, ee_exact_sum_value(&totals->squares[side]), alone, count};
  for (size_t i = 0; i < totals->shared.count; i++) {
    double a = ee_fixed_value(totals->shared.items[i].share.a[side]), b = (double)totals->shared.items[i].share.b[side];
    sums.units++;
    sums.a += a;
    sums.b += b;
    sums.aa += a * a;
    sums.ab += a * b;
    sums.bb += b * b;
  }
  return sums;
}

/* No mean changes by more than its values differ. */
static double reach_of(const ee_measure_totals *totals) {
  double low = totals->low, high = totals->high;
  for (size_t i = 0; i < totals->shared.count; i++)
    for (int side = 0; side < 2; side++) {
      const ee_paired_share *share = &totals->shared.items[i].share;
      double mean = ee_fixed_value(share->a[side]) / (double)share->b[side];
      low = fmin(low, mean);
      high = fmax(high, mean);
    }
  return high - low;
}

/* Each unit's d = (n / B) (a1 - a0) + change (1 - b n / B), with B cases in n units. */
static ee_paired_sums change_of_measure(const ee_measure_totals *totals, double change) {
  ee_paired_sums sums = {.reach = reach_of(totals)};
  double n = (double)(totals->units + totals->shared.count), alone = (double)totals->units;
  double scale = n / (double)totals->cases, rest = change * (1 - scale), reach = sums.reach;
  if (!(reach > 0)) return sums;
  double sum = ee_exact_sum_value(&totals->difference), squares = ee_exact_sum_value(&totals->differences_squared);
  sums.units = totals->units;
  sums.changed = totals->changed;
  if (totals->units > 0)
    sums.largest = fmax(fabs(scale * totals->least + rest), fabs(scale * totals->most + rest)) / reach;
  sums.sum = ee_fixed_from((scale * sum + alone * rest) / reach);
  sums.squares =
      ee_fixed_from((scale * scale * squares + 2 * scale * rest * sum + alone * rest * rest) / reach / reach);
  for (size_t i = 0; i < totals->shared.count; i++) {
    const ee_paired_share *share = &totals->shared.items[i].share;
    double moved = ee_fixed_value((ee_fixed){share->a[1].units - share->a[0].units});
    ee_paired_add(&sums, scale * moved + change * (1 - scale * (double)share->b[0]), fabs(moved) > EE_SCORE_SLACK);
  }
  return sums;
}

static void estimate_measure(estimates *self, ee_compared_measure *measure) {
  const ee_measure_totals *totals = &self->comparison->known_measures.items[measure->measure].totals;
  double count = (double)measure->cases;
  ee_metric means[2];
  for (int side = 0; side < 2; side++) {
    double sum = ee_exact_sum_value(&totals->sums[side]);
    measure->sum[side] = (ee_metric){isfinite(sum), sum};
    means[side] = (ee_metric){count > 0 && isfinite(sum), count > 0 ? sum / count : 0};
  }
  measure->mean = estimate_of(means[0], means[1]);
  if (!measure->mean.change.defined || totals->huge) return;
  const ee_paired_sums paired = change_of_measure(totals, measure->mean.change.value);
  if (isfinite(paired.reach * paired.reach)) estimate_change(self, &measure->mean, &paired);
  const ee_ratio_sums sides[] = {sums_of_measure(totals, 0), sums_of_measure(totals, 1)};
  measure->mean.before_range = student_interval(self, &sides[0], means[0].value);
  measure->mean.after_range = student_interval(self, &sides[1], means[1].value);
}

/* All ------------------------------------------------------------------------------------------- */

void ee_comparison_estimate(ee_comparison *comparison) {
  estimates self = {.comparison = comparison};
  list_fields(comparison);
  order_changes(comparison);
  list_slices(comparison);
  list_measures(comparison);
  estimate_score(&self);
  estimate_passes(&self);
  comparison->straight_through = estimate_scores(&self, &comparison->straight_figure);
  for (size_t i = 0; i < comparison->judge_count; i++) estimate_judge(&self, &comparison->judges[i]);
  for (size_t i = 0; i < comparison->field_count; i++) estimate_field(&self, &comparison->fields[i]);
  for (size_t i = 0; i < comparison->slice_count; i++) estimate_slice(&self, &comparison->slices[i]);
  for (size_t i = 0; i < comparison->measure_count; i++) estimate_measure(&self, &comparison->measures[i]);
}
