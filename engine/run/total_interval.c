/* total_interval.c: sums over units or cases, and the jackknife of averages. */
#include "run/total_interval.h"

#include <string.h>

#include "prim/sort.h"

/* Means and attributes ------------------------------------------------------------------------- */

ee_ranged ee_total_mean(const ee_sample *score, const ee_score_units *units, double confidence) {
  ee_ratio_sums sums = ee_score_units_mean(units, score);
  return ee_ranged_of((ee_metric){score->count > 0, ee_sample_mean(score)}, &sums, confidence);
}

ee_ranged ee_total_pass_rate(const ee_sample *score, const uint64_t verdicts[3], const ee_score_units *units,
                             double confidence) {
  uint64_t passed = verdicts[EE_VERDICT_PASS], count = score->count;
  ee_ratio_sums sums = ee_score_units_pass_rate(units, score, passed);
  return ee_ranged_of((ee_metric){count > 0, count > 0 ? (double)passed / (double)count : 0}, &sums, confidence);
}

static ee_metric metric_of(const ee_counts *counts, ee_count_ratio ratio) {
  switch (ratio) {
  case EE_RATIO_PRECISION: return ee_precision(counts);
  case EE_RATIO_RECALL: return ee_recall(counts);
  case EE_RATIO_SPECIFICITY: return ee_specificity(counts);
  default: return ee_f1(counts);
  }
}

ee_ranged ee_attribute_ranged(const ee_attribute_total *attribute, ee_count_ratio ratio, double confidence) {
  ee_ratio_sums sums = ee_count_units_ratio(&attribute->units, &attribute->counts, ratio);
  return ee_ranged_of(metric_of(&attribute->counts, ratio), &sums, confidence);
}

uint64_t ee_attribute_units(const ee_attribute_total *attribute, ee_count_ratio ratio) {
  return ee_count_units_ratio(&attribute->units, &attribute->counts, ratio).units;
}

/* Averages ------------------------------------------------------------------------------------- */

/* What a unit has of an attribute. */
typedef struct unit_part {
  uint64_t key;
  size_t attribute;
  uint64_t tp, fp, fn;
} unit_part;

static bool is_before(const unit_part *a, const unit_part *b) { return a->key < b->key; }
EE_DEFINE_SORT(sort_parts, unit_part, is_before)

/* Attributes that are in averages. */
typedef struct averaged {
  ee_arena arena;
  const ee_attribute_total **attributes;
  ee_counts *counts; /* what the averages are computed from */
  size_t count;
  unit_part *parts; /* ascending by unit */
  size_t part_count, units;
} averaged;

static void gather_attributes(averaged *self, const ee_judge_total *total) {
  ee_arena_init(&self->arena, 0);
  self->attributes = EE_NEW_ARRAY(&self->arena, const ee_attribute_total *, total->attribute_count);
  self->counts = EE_NEW_ARRAY(&self->arena, ee_counts, total->attribute_count);
  for (size_t i = 0; i < total->attribute_count; i++) {
    if (total->attributes[i].derived) continue;
    self->counts[self->count] = total->attributes[i].counts;
    self->attributes[self->count++] = &total->attributes[i];
  }
}

static size_t count_units(const averaged *self) {
  size_t count = 0;
  for (size_t i = 0; i < self->part_count; i++) count += i == 0 || self->parts[i].key != self->parts[i - 1].key;
  return count;
}

static void gather_parts(averaged *self) {
  size_t all = 0;
  bool grouped = false;
  for (size_t i = 0; i < self->count; i++) all += self->attributes[i]->units.all.count;
  self->parts = EE_NEW_ARRAY(&self->arena, unit_part, all);
  for (size_t i = 0; i < self->count; i++) {
    const ee_unit_table *table = &self->attributes[i]->units.all;
    grouped = grouped || table->grouped;
    for (size_t k = 0; k < table->capacity; k++) {
      const ee_unit *unit = &table->units[k];
      if (unit->key != 0)
        self->parts[self->part_count++] = (unit_part){unit->key, i, unit->counts.tp, unit->counts.fp, unit->counts.fn};
    }
  }
  sort_parts(self->parts, self->part_count, &self->arena);
  self->units = count_units(self);
  if (!grouped && self->units <= (size_t)1 << EE_AVERAGE_BITS) return;
  /* Ascending keys are ascending groups. */
  for (size_t i = 0; i < self->part_count; i++) self->parts[i].key = ee_unit_group(self->parts[i].key, EE_AVERAGE_BITS);
  self->units = count_units(self);
}

/* Macro precision, recall and F1, then the weighted ones. */
enum { AVERAGES = 6 };

/* An undefined average has the value that is there. */
static void compute(const averaged *self, double values[AVERAGES]) {
  ee_averages macro = ee_macro(self->counts, self->count), weighted = ee_weighted(self->counts, self->count);
  const ee_metric metrics[AVERAGES] = {macro.precision,    macro.recall,    macro.f1,
                                       weighted.precision, weighted.recall, weighted.f1};
  for (size_t i = 0; i < AVERAGES; i++)
    if (metrics[i].defined) values[i] = metrics[i].value;
}

/* The averages with one unit more, which has as many values of each attribute as the mean unit, all of them wrong. */
static void compute_with_bad_unit(averaged *self, double values[AVERAGES]) {
  enum { SCALE = 1 << 20 }; /* of all counts, so that a part of a value is a whole number */
  ee_counts *counts = EE_NEW_ARRAY(&self->arena, ee_counts, self->count);
  for (size_t i = 0; i < self->count; i++) {
    const ee_counts *of = &self->counts[i];
    uint64_t precision = ee_attribute_units(self->attributes[i], EE_RATIO_PRECISION);
    uint64_t recall = ee_attribute_units(self->attributes[i], EE_RATIO_RECALL);
    counts[i] = (ee_counts){.tp = of->tp * SCALE, .fp = of->fp * SCALE, .fn = of->fn * SCALE};
    if (precision > 0) counts[i].fp += (of->tp + of->fp) * SCALE / precision;
    if (recall > 0) counts[i].fn += (of->tp + of->fn) * SCALE / recall;
  }
  averaged with = {.counts = counts, .count = self->count};
  compute(&with, values);
}

/* The variance of each average that leaving out units gives. */
static void jackknife(averaged *self, const double values[AVERAGES], double variances[AVERAGES]) {
  double(*left)[AVERAGES] = ee_arena_calloc(&self->arena, self->units, sizeof *left), mean[AVERAGES] = {0};
  for (size_t unit = 0, from = 0, to = 0; unit < self->units; unit++, from = to) {
    for (; to < self->part_count && self->parts[to].key == self->parts[from].key; to++) {
      ee_counts *counts = &self->counts[self->parts[to].attribute];
      counts->tp -= self->parts[to].tp;
      counts->fp -= self->parts[to].fp;
      counts->fn -= self->parts[to].fn;
    }
    memcpy(left[unit], values, sizeof left[unit]);
    compute(self, left[unit]);
    for (size_t i = from; i < to; i++) {
      ee_counts *counts = &self->counts[self->parts[i].attribute];
      counts->tp += self->parts[i].tp;
      counts->fp += self->parts[i].fp;
      counts->fn += self->parts[i].fn;
    }
    for (size_t i = 0; i < AVERAGES; i++) mean[i] += left[unit][i];
  }
  double units = (double)self->units;
  for (size_t i = 0; i < AVERAGES; i++) {
    double squares = 0;
    for (size_t unit = 0; unit < self->units; unit++)
      squares += (left[unit][i] - mean[i] / units) * (left[unit][i] - mean[i] / units);
    variances[i] = (units - 1) / units * squares;
  }
}

/* Sets the intervals of the averages; `units`: how many there are, in groups or not. */
static void range_averages(const ee_judge_total *total, uint64_t units, double confidence,
                           ee_ranged *ranged[AVERAGES]) {
  averaged self = {.count = 0};
  gather_attributes(&self, total);
  gather_parts(&self);
  if (self.units >= 2) {
    double values[AVERAGES] = {0}, with[AVERAGES], variances[AVERAGES];
    compute(&self, values);
    memcpy(with, values, sizeof with);
    compute_with_bad_unit(&self, with);
    jackknife(&self, values, variances);
    double n = (double)(units > self.units ? units : self.units);
    for (size_t i = 0; i < AVERAGES; i++) {
      double share = values[i] - with[i], variance = variances[i] + (n + 1) / n * share * share;
      if (ranged[i]->metric.defined)
        ranged[i]->interval = ee_interval_of_variance(values[i], with[i], variance, self.units, confidence);
    }
  }
  ee_arena_fini(&self.arena);
}

static ee_ranged_averages without_intervals(ee_averages averages) {
  return (ee_ranged_averages){
      {averages.precision, EE_NO_INTERVAL}, {averages.recall, EE_NO_INTERVAL}, {averages.f1, EE_NO_INTERVAL}};
}

/* The sums of a ratio of the counts of all attributes together. */
static ee_ratio_sums pooled_sums(const ee_judge_total *total, const ee_counts *pooled, ee_count_ratio ratio) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_unit_table **tables = EE_NEW_ARRAY(&arena, const ee_unit_table *, total->attribute_count);
  size_t count = 0, unit_count;
  for (size_t i = 0; i < total->attribute_count; i++)
    if (!total->attributes[i].derived) tables[count++] = &total->attributes[i].units.clusters;
  ee_ratio_sums sums = ee_ratio_of_counts(pooled, &total->pooled, ratio);
  const ee_unit *clusters = ee_units_of(tables, count, EE_CLUSTER_BITS, &arena, &unit_count);
  ee_units_add_terms(clusters, unit_count, ratio, &sums);
  ee_arena_fini(&arena);
  return sums;
}

static ee_ranged pooled_range(const ee_judge_total *total, ee_judge_ranges *ranges, ee_count_ratio ratio,
                              ee_metric metric, double confidence) {
  ee_ratio_sums sums = pooled_sums(total, &ranges->pooled, ratio);
  if (ratio == EE_RATIO_F1) ranges->units = sums.units;
  return ee_ranged_of(metric, &sums, confidence);
}

/* Attributes of which only unread candidate values are known count nothing. */
static bool has_counts(const ee_attribute_total *attribute) {
  const ee_counts *counts = &attribute->counts;
  return counts->tp + counts->tn + counts->fp + counts->fn + counts->unread > 0;
}

/* What is of one attribute only has its interval. */
static void range_single(const ee_judge_total *total, double confidence, ee_judge_ranges *ranges) {
  const ee_attribute_total *single = NULL;
  for (size_t i = 0; i < total->attribute_count; i++) {
    if (total->attributes[i].derived || !has_counts(&total->attributes[i])) continue;
    if (single != NULL) return;
    single = &total->attributes[i];
  }
  if (single == NULL) return;
  ee_ranged_averages *averages[] = {&ranges->micro, &ranges->macro, &ranges->weighted};
  ee_ranged precision = ee_attribute_ranged(single, EE_RATIO_PRECISION, confidence);
  ee_ranged recall = ee_attribute_ranged(single, EE_RATIO_RECALL, confidence);
  ee_ranged f1 = ee_attribute_ranged(single, EE_RATIO_F1, confidence);
  for (size_t i = 0; i < 3; i++) {
    /* Undefined ones count 0 in a mean: that is another metric. */
    if (precision.metric.defined) averages[i]->precision.interval = precision.interval;
    if (recall.metric.defined) averages[i]->recall.interval = recall.interval;
    if (f1.metric.defined) averages[i]->f1.interval = f1.interval;
  }
}

ee_judge_ranges ee_judge_total_ranges(const ee_judge_total *total, double confidence) {
  ee_judge_averages averages = ee_judge_total_averages(total);
  ee_judge_ranges ranges = {.pooled = averages.pooled,
                            .macro = without_intervals(averages.macro),
                            .weighted = without_intervals(averages.weighted)};
  ranges.micro.precision = pooled_range(total, &ranges, EE_RATIO_PRECISION, averages.micro.precision, confidence);
  ranges.micro.recall = pooled_range(total, &ranges, EE_RATIO_RECALL, averages.micro.recall, confidence);
  ranges.micro.f1 = pooled_range(total, &ranges, EE_RATIO_F1, averages.micro.f1, confidence);
  ee_ranged *listed[AVERAGES] = {&ranges.macro.precision,    &ranges.macro.recall,    &ranges.macro.f1,
                                 &ranges.weighted.precision, &ranges.weighted.recall, &ranges.weighted.f1};
  range_averages(total, ranges.units, confidence, listed);
  range_single(total, confidence, &ranges);
  return ranges;
}
