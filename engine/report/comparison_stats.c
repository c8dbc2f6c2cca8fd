/* comparison_stats.c: means and F1 of both runs over units, their intervals, and those of what changed.
 *
 * Each metric is a ratio of two sums over units. The cases are walked twice, unit by unit: the first walk adds up the
 * sums, the second, which needs them, the linearized difference of each unit (prim/paired.h). Both are over what a unit
 * has, so the time does not depend on how many fields there are elsewhere. */
#include <math.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "prim/ratio_interval.h"
#include "prim/sort.h"
#include "report/comparison_parts.h"

/* Units ------------------------------------------------------------------------------------------ */

/* The cases, unit by unit, in the order of the first case of each. */
typedef struct unit_list {
  size_t count;
  uint64_t *keys;
  size_t *first; /* unit i has cases[first[i]] .. cases[first[i + 1] - 1] */
  size_t *cases;
} unit_list;

static void open_units(unit_list *units, const ee_comparison *comparison) {
  size_t count = comparison->case_count;
  size_t *unit_of = ee_malloc((count + 1) * sizeof *unit_of);
  *units = (unit_list){.keys = ee_malloc((count + 1) * sizeof *units->keys),
                       .first = ee_calloc(count + 2, sizeof *units->first),
                       .cases = ee_malloc((count + 1) * sizeof *units->cases)};
  ee_hash_index index = {0};
  ee_hash_index_reserve(&index, count);
  for (size_t i = 0; i < count; i++) {
    uint64_t key = ee_comparison_unit(&comparison->cases[i]);
    size_t at = 0, found;
    bool known = ee_hash_index_next(&index, key, &at, &found);
    if (!known) {
      found = units->count++;
      units->keys[found] = key;
      ee_hash_index_add(&index, key, found);
    }
    unit_of[i] = found;
    units->first[found + 1]++;
  }
  ee_hash_index_fini(&index);
  for (size_t i = 0; i < units->count; i++) units->first[i + 1] += units->first[i];
  for (size_t i = 0; i < count; i++) units->cases[units->first[unit_of[i]]++] = i;
  for (size_t i = units->count; i > 0; i--) units->first[i] = units->first[i - 1];
  units->first[0] = 0;
  free(unit_of);
}

static void close_units(unit_list *units) {
  free(units->keys);
  free(units->first);
  free(units->cases);
}

/* Figures ---------------------------------------------------------------------------------------- */

/* sum(a) / sum(b) of both runs: of a unit, or of all. */
typedef struct share {
  double a[2], b[2];
} share;

typedef struct figure {
  share total;
  double low, high; /* of measures: between which all values lie, and 0 */
  uint64_t units;
  ee_ratio_sums side[2];
  ee_paired_sums paired;
} figure;

static void add_share(share *sum, const share *term) {
  for (int side = 0; side < 2; side++) {
    sum->a[side] += term->a[side];
    sum->b[side] += term->b[side];
  }
}

static void add_ratio(ee_ratio_sums *sums, double a, double b) {
  sums->units++;
  sums->a += a;
  sums->b += b;
  sums->aa += a * a;
  sums->ab += a * b;
  sums->bb += b * b;
}

static bool is_empty(const share *unit) { return unit->b[0] <= 0 && unit->b[1] <= 0; }

/* The first walk. */
static void gather(figure *all, const share *unit) {
  if (is_empty(unit)) return;
  all->units++;
  add_share(&all->total, unit);
  for (int side = 0; side < 2; side++)
    if (unit->b[side] > 0) add_ratio(&all->side[side], unit->a[side], unit->b[side]);
}

static double ratio_of(const share *total, int side) {
  return total->b[side] > 0 ? total->a[side] / total->b[side] : 0;
}

/* What the unit adds to the ratio's error, times the number of units. */
static double pull(const figure *all, const share *unit, int side) {
  const double total = all->total.b[side];
  if (total <= 0) return 0;
  return (double)all->units * (unit->a[side] - ratio_of(&all->total, side) * unit->b[side]) / total;
}

static bool has_changed(const share *unit) {
  return fabs(unit->a[1] - unit->a[0]) > EE_SCORE_SLACK || unit->b[0] != unit->b[1];
}

/* The second walk. Where both runs have the same b, only differences are subtracted, so that equal units give 0. */
static void compare(figure *all, const share *unit) {
  if (is_empty(unit)) return;
  const share *total = &all->total;
  double change = ratio_of(total, 1) - ratio_of(total, 0), d;
  if (unit->b[0] == unit->b[1] && total->b[0] == total->b[1]) {
    double scale = (double)all->units / total->b[0];
    d = scale * (unit->a[1] - unit->a[0]) + change * (1 - scale * unit->b[0]);
  } else {
    d = pull(all, unit, 1) - pull(all, unit, 0) + change;
  }
  ee_paired_add(&all->paired, d, has_changed(unit));
}

static share f1_share(const ee_counts *before, const ee_counts *after) {
  double right[] = {2 * (double)before->tp, 2 * (double)after->tp};
  return (share){{right[0], right[1]},
                 {right[0] + (double)(before->fp + before->fn), right[1] + (double)(after->fp + after->fn)}};
}

/* Of one judge. Macro F1 is the mean of the fields' F1, so a unit pulls it by the mean of what it does to each. */
typedef struct judge_figures {
  figure score, micro;
  share unit_score, unit_micro;
  double fields[2];            /* that have an F1 */
  double macro[2];             /* their mean */
  double unit_macro[2];        /* the unit's pulls, summed over the fields */
  ee_ratio_sums macro_side[2]; /* of units' values F1 + pull, as of a mean */
  ee_paired_sums macro_paired;
  uint64_t units;
  bool in_unit, unit_changed;
} judge_figures;

typedef struct field_figures {
  figure f1;
  share unit;
  uint64_t unit_wrong[2]; /* cases of the unit with an error */
  uint64_t more, fewer;   /* units with more such cases than before, with fewer */
  bool in_unit;
} field_figures;

typedef struct slice_figures {
  figure score;
  share unit;
  bool in_unit;
} slice_figures;

typedef struct walk {
  ee_comparison *comparison;
  unit_list units;
  ee_pair_walk pairs;
  figure score, pass, straight;
  share unit_score, unit_pass, unit_straight;
  uint64_t units_gained, units_lost; /* with more passes than before, with fewer */
  judge_figures *judges;             /* by compared judge */
  field_figures *fields;
  slice_figures *slices;
  figure *measures;
  share *unit_measures;
  uint32_t *judge_of;                          /* by known judge: the compared one, or EE_NO_NUMBER */
  uint32_t *in_judges, *in_fields, *in_slices; /* what the unit has */
  size_t judge_count, field_count, slice_count;
  ee_counts pooled[2]; /* of a case: all fields that are in averages */
  ee_signed_unit *signs;
  double deltas; /* of the unit's cases */
  bool second;   /* the second walk */
  uint64_t point_units;
  double point;
} walk;

static bool is_derived(const ee_comparison *comparison, size_t field) {
  return comparison->known_attributes.items[comparison->fields[field].attribute].derived;
}

/* Collecting a unit ------------------------------------------------------------------------------ */

static void collect_pair(void *user, size_t item, uint32_t number, uint32_t before, uint32_t after) {
  walk *self = user;
  (void)item;
  const ee_comparison *comparison = self->comparison;
  const ee_counts *old = &comparison->known_counts.items[before], *fresh = &comparison->known_counts.items[after];
  field_figures *field = &self->fields[number];
  if (!field->in_unit) {
    field->in_unit = true;
    self->in_fields[self->field_count++] = number;
  }
  share added = f1_share(old, fresh);
  add_share(&field->unit, &added);
  field->unit_wrong[0] += old->fp + old->fn > 0;
  field->unit_wrong[1] += fresh->fp + fresh->fn > 0;
  if (is_derived(comparison, number)) return;
  add_share(&self->judges[self->judge_of[comparison->fields[number].judge]].unit_micro, &added);
  ee_counts_add(&self->pooled[0], old);
  ee_counts_add(&self->pooled[1], fresh);
}

static void collect_judges(walk *self, const ee_compared_case *item) {
  const ee_run_rows *runs = self->comparison->runs;
  for (uint32_t i = 0; i < item->base->judge_count; i++) {
    const ee_row_judge *before = &runs[EE_SIDE_BASE].judges.items[item->base->first_judge + i];
    const ee_row_judge *after = ee_run_judge(&runs[EE_SIDE_NEW], item->fresh, before->judge);
    if (after == NULL) continue;
    uint32_t number = self->judge_of[before->judge];
    judge_figures *judge = &self->judges[number];
    if (!judge->in_unit) {
      judge->in_unit = true;
      self->in_judges[self->judge_count++] = number;
    }
    if (isnan(before->score) || isnan(after->score)) continue;
    add_share(&judge->unit_score, &(share){{before->score, after->score}, {1, 1}});
  }
}

/* A case's slices are those of the base's row, or, where it has none, of the new one. */
static void collect_slices(walk *self, const ee_compared_case *item, const share *score) {
  const ee_comparison *comparison = self->comparison;
  const ee_run_row *row = item->base->slice_count > 0 ? item->base : item->fresh;
  const ee_run_rows *run = &comparison->runs[row == item->base ? EE_SIDE_BASE : EE_SIDE_NEW];
  for (uint32_t i = 0; i < row->slice_count; i++) {
    uint32_t number = run->slices.items[row->first_slice + i];
    slice_figures *slice = &self->slices[number];
    if (!slice->in_unit) {
      slice->in_unit = true;
      self->in_slices[self->slice_count++] = number;
    }
    add_share(&slice->unit, score);
    if (self->second) continue;
    ee_compared_slice *compared = &self->comparison->slices[number];
    compared->cases++;
    ee_counts_add(&compared->before, &self->pooled[0]);
    ee_counts_add(&compared->after, &self->pooled[1]);
  }
}

static void collect_measures(walk *self, const ee_compared_case *item) {
  ee_comparison *comparison = self->comparison;
  for (uint32_t m = 0; m < comparison->known_measures.count; m++) {
    double values[2];
    bool old = ee_run_measure(&comparison->runs[EE_SIDE_BASE], item->base, m, &values[0]);
    bool fresh = ee_run_measure(&comparison->runs[EE_SIDE_NEW], item->fresh, m, &values[1]);
    ee_compared_measure *measure = &comparison->measures[m];
    if (!self->second) {
      measure->cases += old && fresh;
      measure->without[EE_SIDE_BASE] += fresh && !old;
      measure->without[EE_SIDE_NEW] += old && !fresh;
    }
    if (old && fresh) add_share(&self->unit_measures[m], &(share){{values[0], values[1]}, {1, 1}});
  }
}

static void collect_case(walk *self, size_t number) {
  const ee_compared_case *item = &self->comparison->cases[number];
  const share score = {{item->base->score, item->fresh->score}, {1, 1}};
  const share pass = {{item->base->verdict == EE_VERDICT_PASS, item->fresh->verdict == EE_VERDICT_PASS}, {1, 1}};
  add_share(&self->unit_score, &score);
  add_share(&self->unit_pass, &pass);
  if (item->base->has_corrections && item->fresh->has_corrections)
    add_share(&self->unit_straight, &(share){{item->base->straight_through, item->fresh->straight_through}, {1, 1}});
  self->deltas += item->delta;
  self->pooled[0] = self->pooled[1] = (ee_counts){0};
  collect_judges(self, item);
  ee_pair_walk_case(&self->pairs, number, collect_pair, self);
  collect_slices(self, item, &score);
  collect_measures(self, item);
}

/* The first walk's end of a unit ----------------------------------------------------------------- */

static void gather_unit(walk *self, size_t unit) {
  gather(&self->score, &self->unit_score);
  gather(&self->pass, &self->unit_pass);
  gather(&self->straight, &self->unit_straight);
  self->units_gained += self->unit_pass.a[1] > self->unit_pass.a[0];
  self->units_lost += self->unit_pass.a[1] < self->unit_pass.a[0];
  self->signs[unit] = (ee_signed_unit){self->units.keys[unit], self->deltas};
  for (size_t i = 0; i < self->judge_count; i++) {
    judge_figures *judge = &self->judges[self->in_judges[i]];
    judge->units++;
    gather(&judge->score, &judge->unit_score);
    gather(&judge->micro, &judge->unit_micro);
  }
  for (size_t i = 0; i < self->field_count; i++) {
    field_figures *field = &self->fields[self->in_fields[i]];
    gather(&field->f1, &field->unit);
    field->more += field->unit_wrong[1] > field->unit_wrong[0];
    field->fewer += field->unit_wrong[1] < field->unit_wrong[0];
  }
  for (size_t i = 0; i < self->slice_count; i++) {
    slice_figures *slice = &self->slices[self->in_slices[i]];
    gather(&slice->score, &slice->unit);
  }
  for (size_t m = 0; m < self->comparison->known_measures.count; m++) {
    figure *measure = &self->measures[m];
    const share *values = &self->unit_measures[m];
    gather(measure, values);
    for (int side = 0; side < 2 && values->b[side] > 0; side++) {
      measure->low = fmin(measure->low, values->a[side] / values->b[side]);
      measure->high = fmax(measure->high, values->a[side] / values->b[side]);
    }
  }
}

/* The second one's ------------------------------------------------------------------------------- */

static void pull_macro(walk *self, const field_figures *field, uint32_t number) {
  const ee_comparison *comparison = self->comparison;
  if (is_derived(comparison, number)) return;
  judge_figures *judge = &self->judges[self->judge_of[comparison->fields[number].judge]];
  /* pull() counts the units of the field; the judge's may be more. */
  double scale = field->f1.units > 0 ? (double)judge->units / (double)field->f1.units : 0;
  for (int side = 0; side < 2; side++) judge->unit_macro[side] += scale * pull(&field->f1, &field->unit, side);
  judge->unit_changed |= has_changed(&field->unit);
}

static void compare_macro(judge_figures *judge) {
  double values[2];
  for (int side = 0; side < 2; side++) {
    values[side] = judge->macro[side];
    if (judge->fields[side] > 0) values[side] += judge->unit_macro[side] / judge->fields[side];
    add_ratio(&judge->macro_side[side], values[side], 1);
  }
  ee_paired_add(&judge->macro_paired, values[1] - values[0], judge->unit_changed);
}

static void compare_unit(walk *self) {
  compare(&self->score, &self->unit_score);
  compare(&self->pass, &self->unit_pass);
  compare(&self->straight, &self->unit_straight);
  for (size_t i = 0; i < self->field_count; i++) {
    uint32_t number = self->in_fields[i];
    field_figures *field = &self->fields[number];
    compare(&field->f1, &field->unit);
    pull_macro(self, field, number);
  }
  for (size_t i = 0; i < self->judge_count; i++) {
    judge_figures *judge = &self->judges[self->in_judges[i]];
    compare(&judge->score, &judge->unit_score);
    compare(&judge->micro, &judge->unit_micro);
    compare_macro(judge);
  }
  for (size_t i = 0; i < self->slice_count; i++) {
    slice_figures *slice = &self->slices[self->in_slices[i]];
    compare(&slice->score, &slice->unit);
  }
  for (size_t m = 0; m < self->comparison->known_measures.count; m++)
    if (self->measures[m].paired.reach > 0) compare(&self->measures[m], &self->unit_measures[m]);
}

static void forget_unit(walk *self) {
  self->unit_score = self->unit_pass = self->unit_straight = (share){0};
  self->deltas = 0;
  for (size_t i = 0; i < self->judge_count; i++) {
    judge_figures *judge = &self->judges[self->in_judges[i]];
    judge->unit_score = judge->unit_micro = (share){0};
    judge->unit_macro[0] = judge->unit_macro[1] = 0;
    judge->in_unit = judge->unit_changed = false;
  }
  for (size_t i = 0; i < self->field_count; i++) {
    field_figures *field = &self->fields[self->in_fields[i]];
    field->unit = (share){0};
    field->unit_wrong[0] = field->unit_wrong[1] = 0;
    field->in_unit = false;
  }
  for (size_t i = 0; i < self->slice_count; i++) {
    self->slices[self->in_slices[i]].unit = (share){0};
    self->slices[self->in_slices[i]].in_unit = false;
  }
  for (size_t m = 0; m < self->comparison->known_measures.count; m++) self->unit_measures[m] = (share){0};
  self->judge_count = self->field_count = self->slice_count = 0;
}

static void walk_units(walk *self) {
  for (size_t unit = 0; unit < self->units.count; unit++) {
    for (size_t i = self->units.first[unit]; i < self->units.first[unit + 1]; i++)
      collect_case(self, self->units.cases[i]);
    if (self->second)
      compare_unit(self);
    else
      gather_unit(self, unit);
    forget_unit(self);
  }
}

/* Macro F1 is known when the F1 of all fields are. */
static void average_fields(walk *self) {
  const ee_comparison *comparison = self->comparison;
  for (size_t i = 0; i < comparison->field_count; i++) {
    if (is_derived(comparison, i)) continue;
    judge_figures *judge = &self->judges[self->judge_of[comparison->fields[i].judge]];
    for (int side = 0; side < 2; side++) {
      judge->fields[side] += self->fields[i].f1.total.b[side] > 0;
      judge->macro[side] += ratio_of(&self->fields[i].f1.total, side);
    }
  }
  for (size_t i = 0; i < comparison->judge_count; i++)
    for (int side = 0; side < 2; side++)
      if (self->judges[i].fields[side] > 0) self->judges[i].macro[side] /= self->judges[i].fields[side];
}

/* Estimates ------------------------------------------------------------------------------------- */

static ee_metric difference(ee_metric before, ee_metric after) {
  if (!before.defined || !after.defined) return (ee_metric){false, 0};
  return (ee_metric){true, after.value - before.value};
}

static const ee_interval nothing = {NAN, NAN};

static ee_estimate estimate_of(ee_metric before, ee_metric after) {
  return (ee_estimate){before, after, difference(before, after), nothing, nothing, nothing, NAN, NAN};
}

static void estimate_change(walk *self, ee_estimate *estimate, const ee_paired_sums *paired) {
  if (!estimate->change.defined || paired->units == 0) return;
  if (paired->units != self->point_units) {
    self->point_units = paired->units;
    self->point = ee_paired_point(paired->units, self->comparison->options.confidence);
  }
  estimate->change_range = ee_paired_interval(paired, self->point);
  estimate->p = ee_paired_p(paired);
}

static void estimate_sides(const walk *self, ee_estimate *estimate, const ee_ratio_sums side[2]) {
  const double confidence = self->comparison->options.confidence;
  if (estimate->before.defined) estimate->before_range = ee_ratio_interval(&side[0], confidence);
  if (estimate->after.defined) estimate->after_range = ee_ratio_interval(&side[1], confidence);
}

static ee_estimate estimate_figure(walk *self, const figure *all, ee_metric before, ee_metric after) {
  ee_estimate estimate = estimate_of(before, after);
  estimate_change(self, &estimate, &all->paired);
  estimate_sides(self, &estimate, all->side);
  return estimate;
}

static ee_metric metric_of(const figure *all, int side) {
  return (ee_metric){all->total.b[side] > 0, ratio_of(&all->total, side)};
}

/* Exact sums: the mean of many scores is the one that a run prints. */
static void estimate_score(walk *self) {
  ee_comparison *comparison = self->comparison;
  ee_fixed before = {0}, after = {0};
  for (size_t i = 0; i < comparison->case_count; i++) {
    ee_fixed_add(&before, ee_fixed_from(comparison->cases[i].base->score));
    ee_fixed_add(&after, ee_fixed_from(comparison->cases[i].fresh->score));
  }
  uint64_t count = comparison->case_count;
  ee_fixed change = {after.units - before.units};
  comparison->score = estimate_figure(self, &self->score, (ee_metric){true, ee_fixed_mean(before, count)},
                                      (ee_metric){true, ee_fixed_mean(after, count)});
  comparison->score.change = (ee_metric){true, ee_fixed_mean(change, count)};
  comparison->pass = estimate_figure(self, &self->pass, metric_of(&self->pass, 0), metric_of(&self->pass, 1));
  comparison->straight_through =
      estimate_figure(self, &self->straight, metric_of(&self->straight, 0), metric_of(&self->straight, 1));
  comparison->pass_p = ee_mcnemar_exact(self->units_gained, self->units_lost);
  comparison->units = self->units.count;
  comparison->clustered = self->units.count < comparison->case_count;
  comparison->sign_p = ee_sign_flip_test(self->signs, self->units.count, EE_SCORE_SLACK);
  comparison->detectable = ee_paired_detectable(ee_paired_variance(&self->score.paired), self->units.count,
                                                comparison->options.confidence, EE_DETECTABLE_POWER);
}

static ee_metric micro_f1(const ee_comparison *comparison, const ee_compared_judge *judge, ee_side side) {
  ee_counts pooled = {0};
  for (size_t i = judge->first_field; i < judge->first_field + judge->field_count; i++)
    if (!is_derived(comparison, i))
      ee_counts_add(&pooled, side == EE_SIDE_BASE ? &comparison->fields[i].before : &comparison->fields[i].after);
  return ee_f1(&pooled);
}

static void estimate_judge(walk *self, ee_compared_judge *judge, const judge_figures *figures) {
  ee_comparison *comparison = self->comparison;
  judge->score = estimate_figure(self, &figures->score, metric_of(&figures->score, 0), metric_of(&figures->score, 1));
  if (!judge->any_counts) return;
  judge->micro = estimate_figure(self, &figures->micro, micro_f1(comparison, judge, EE_SIDE_BASE),
                                 micro_f1(comparison, judge, EE_SIDE_NEW));
  judge->macro = estimate_of((ee_metric){figures->fields[0] > 0, figures->macro[0]},
                             (ee_metric){figures->fields[1] > 0, figures->macro[1]});
  estimate_change(self, &judge->macro, &figures->macro_paired);
  estimate_sides(self, &judge->macro, figures->macro_side);
}

/* The share of cases with an error: differences of 1, 0 and -1, all of one weight where no unit has several cases. */
static ee_estimate estimate_wrong(walk *self, const ee_compared_field *field, const field_figures *figures) {
  double cases = (double)(field->fixed + field->broken + field->still_wrong + field->still_right);
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
  wrong.p = ee_mcnemar_exact(figures->more, figures->fewer);
  return wrong;
}

static void estimate_field(walk *self, ee_compared_field *field, const field_figures *figures) {
  field->wrong = estimate_wrong(self, field, figures);
  field->f1 = estimate_of(ee_f1(&field->before), ee_f1(&field->after));
  estimate_change(self, &field->f1, &figures->f1.paired);
  if (isnan(field->f1.p)) field->f1.p = field->wrong.p;
}

/* Adds with a correction for what is rounded off (Neumaier 1974). */
static void add_exactly(double *sum, double *lost, double term) {
  double next = *sum + term;
  *lost += fabs(*sum) >= fabs(term) ? (*sum - next) + term : (term - next) + *sum;
  *sum = next;
}

static void sum_measure(const ee_comparison *comparison, uint32_t number, double sums[2]) {
  double lost[2] = {0, 0};
  for (size_t i = 0; i < comparison->case_count; i++) {
    double values[2];
    const ee_compared_case *item = &comparison->cases[i];
    if (!ee_run_measure(&comparison->runs[EE_SIDE_BASE], item->base, number, &values[0]) ||
        !ee_run_measure(&comparison->runs[EE_SIDE_NEW], item->fresh, number, &values[1]))
      continue;
    for (int side = 0; side < 2; side++) add_exactly(&sums[side], &lost[side], values[side]);
  }
  for (int side = 0; side < 2; side++)
    if (isfinite(sums[side])) sums[side] += lost[side];
}

/* Student's, since a measure has no bounds. */
static ee_interval student_interval(const walk *self, const ee_ratio_sums *sums, double mean) {
  if (sums->units < 2) return nothing;
  double n = (double)sums->units, ratio = sums->a / sums->b;
  double squares = sums->aa - 2 * ratio * sums->ab + ratio * ratio * sums->bb;
  double half = ee_paired_point(sums->units, self->comparison->options.confidence) *
                sqrt(fmax(0, squares) * n / (n - 1)) / sums->b;
  return isfinite(half) ? (ee_interval){mean - half, mean + half} : nothing;
}

static void estimate_measure(walk *self, uint32_t number) {
  ee_compared_measure *measure = &self->comparison->measures[number];
  const figure *all = &self->measures[number];
  double sums[2] = {0, 0}, count = (double)measure->cases;
  ee_metric means[2];
  sum_measure(self->comparison, number, sums);
  for (int side = 0; side < 2; side++) {
    measure->sum[side] = (ee_metric){isfinite(sums[side]), sums[side]};
    means[side] = (ee_metric){count > 0 && isfinite(sums[side]), count > 0 ? sums[side] / count : 0};
  }
  measure->mean = estimate_of(means[0], means[1]);
  if (!measure->mean.change.defined) return;
  if (isfinite(all->paired.reach * all->paired.reach)) estimate_change(self, &measure->mean, &all->paired);
  measure->mean.before_range = student_interval(self, &all->side[0], means[0].value);
  measure->mean.after_range = student_interval(self, &all->side[1], means[1].value);
}

static void estimate_slice(walk *self, uint32_t number) {
  const figure *all = &self->slices[number].score;
  ee_compared_slice *slice = &self->comparison->slices[number];
  slice->slice = number;
  slice->path = self->comparison->known_slices.items[number].first;
  slice->score = estimate_figure(self, all, metric_of(all, 0), metric_of(all, 1));
  if (all->units < 2) slice->score.p = NAN; /* no test of one unit */
}

static bool slice_before(const ee_compared_slice *a, const ee_compared_slice *b) {
  return a->path != b->path ? a->path < b->path : a->slice < b->slice;
}
EE_DEFINE_SORT(sort_slices, ee_compared_slice, slice_before)

static void open_walk(walk *self, ee_comparison *comparison) {
  *self = (walk){.comparison = comparison, .score.paired.reach = 1, .pass.paired.reach = 1, .straight.paired.reach = 1};
  size_t measures = comparison->known_measures.count;
  open_units(&self->units, comparison);
  ee_pair_walk_init(&self->pairs, comparison);
  self->judges = ee_calloc(comparison->judge_count + 1, sizeof *self->judges);
  self->fields = ee_calloc(comparison->field_count + 1, sizeof *self->fields);
  self->slices = ee_calloc(comparison->known_slices.count + 1, sizeof *self->slices);
  self->measures = ee_calloc(measures + 1, sizeof *self->measures);
  self->unit_measures = ee_calloc(measures + 1, sizeof *self->unit_measures);
  self->judge_of = ee_malloc((comparison->known_judges.count + 1) * sizeof *self->judge_of);
  self->in_judges = ee_malloc((comparison->judge_count + 1) * sizeof *self->in_judges);
  self->in_fields = ee_malloc((comparison->field_count + 1) * sizeof *self->in_fields);
  self->in_slices = ee_malloc((comparison->known_slices.count + 1) * sizeof *self->in_slices);
  self->signs = ee_malloc((self->units.count + 1) * sizeof *self->signs);
  for (size_t i = 0; i < comparison->known_judges.count; i++) self->judge_of[i] = EE_NO_NUMBER;
  for (uint32_t i = 0; i < comparison->judge_count; i++) {
    self->judge_of[comparison->judges[i].judge] = i;
    judge_figures *judge = &self->judges[i];
    judge->score.paired.reach = judge->micro.paired.reach = judge->macro_paired.reach = 1;
  }
  for (size_t i = 0; i < comparison->field_count; i++) self->fields[i].f1.paired.reach = 1;
  for (size_t i = 0; i < comparison->known_slices.count; i++) self->slices[i].score.paired.reach = 1;
}

static void close_walk(walk *self) {
  close_units(&self->units);
  ee_pair_walk_fini(&self->pairs);
  free(self->judges);
  free(self->fields);
  free(self->slices);
  free(self->measures);
  free(self->unit_measures);
  free(self->judge_of);
  free(self->in_judges);
  free(self->in_fields);
  free(self->in_slices);
  free(self->signs);
}

void ee_comparison_estimate(ee_comparison *comparison) {
  walk self;
  comparison->measures = ee_calloc(comparison->known_measures.count + 1, sizeof *comparison->measures);
  comparison->slices = ee_calloc(comparison->known_slices.count + 1, sizeof *comparison->slices);
  open_walk(&self, comparison);
  walk_units(&self);
  average_fields(&self);
  /* No mean changes by more than its values differ. */
  for (size_t i = 0; i < comparison->known_measures.count; i++)
    self.measures[i].paired.reach = self.measures[i].high - self.measures[i].low;
  self.second = true;
  walk_units(&self);
  estimate_score(&self);
  for (size_t i = 0; i < comparison->judge_count; i++) estimate_judge(&self, &comparison->judges[i], &self.judges[i]);
  for (size_t i = 0; i < comparison->field_count; i++) estimate_field(&self, &comparison->fields[i], &self.fields[i]);
  for (uint32_t i = 0; i < comparison->known_slices.count; i++) estimate_slice(&self, i);
  sort_slices(comparison->slices, comparison->known_slices.count, &comparison->arena);
  for (uint32_t i = 0; i < comparison->known_measures.count; i++) estimate_measure(&self, i);
  close_walk(&self);
}
