/* comparison_stats.c: means and F1 of both runs, and their bootstrap intervals.
 *
 * All that a resample needs of a case is its scores and, for each field and side, how many values were right and how
 * many wrong there. Most cases have the same of a field, mostly one right and none wrong, so only the others are
 * listed, by case: what is usual was drawn as often as the listed ones were not. With 100,000 cases of 20 fields of
 * which one in ten is wrong, a resample is then 400,000 additions instead of 8 million. */
#include <math.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "report/comparison_parts.h"

enum { LANES = EE_BOOTSTRAP_LANES };

/* A field on one side. */
#define SLOT(field, side) (2 * (field) + (size_t)(side))

/* What F1 depends on: two numbers, where counts have four. */
typedef struct tally {
  uint64_t right, wrong; /* tp, fp + fn */
} tally;

/* A slot and the tally that some cases have there. */
typedef struct cell {
  uint32_t slot, tally; /* tally 0: all zero, also if a case does not have the field */
  uint64_t cases;
} cell;

typedef struct slot_cells {
  size_t first, count; /* in `by_slot` */
  uint32_t usual;      /* the cell of the largest number of cases, which is never listed */
  uint32_t nothing;    /* the cell of tally 0 if cases without the field are listed; else EE_NO_NUMBER */
} slot_cells;

typedef struct bootstrap_data {
  const ee_comparison *comparison;
  tally *tallies;
  uint32_t *tally_of; /* by number of counts */
  size_t tally_count;
  struct {
    EE_LIST(cell);
  } cells;
  ee_arena arena; /* of the index */
  ee_hash_index index;
  size_t *by_slot; /* the numbers of the cells, sorted by slot */
  slot_cells *slots;
  uint32_t *lacking; /* by judge: the cell of cases without it, or EE_NO_NUMBER */

  /* The listed cells of case i are entries[first[i]] .. entries[first[i + 1] - 1]. */
  struct {
    EE_LIST(uint32_t);
  } entries;
  size_t *first;
  int64_t *scores; /* base and new of each case, in units of 2^-60 */

  double *measures; /* by measure and case: base and new; NaN unless both have it */

  uint32_t *totals;          /* by cell and lane */
  ee_counts *before, *after; /* by field of one judge: scratch */
} bootstrap_data;

/* Cells ----------------------------------------------------------------------------------------- */

/* Lists the tallies of all counts that occur; all zero is the first. */
static void list_tallies(bootstrap_data *data) {
  const ee_comparison *comparison = data->comparison;
  ee_hash_index index = {.arena = &data->arena};
  data->tallies = ee_calloc(comparison->known_counts.count, sizeof *data->tallies);
  data->tally_of = ee_calloc(comparison->known_counts.count, sizeof *data->tally_of);
  for (size_t i = 0; i < comparison->known_counts.count; i++) {
    const ee_counts *counts = &comparison->known_counts.items[i];
    tally needed = {counts->tp, counts->fp + counts->fn};
    uint64_t hash = ee_hash_mix(ee_hash_mix(needed.right + 1) + needed.wrong);
    size_t at = 0, found = data->tally_count;
    while (ee_hash_index_next(&index, hash, &at, &found)) {
      if (data->tallies[found].right == needed.right && data->tallies[found].wrong == needed.wrong) break;
      found = data->tally_count;
    }
    data->tally_of[i] = (uint32_t)found;
    if (found < data->tally_count) continue;
    data->tallies[data->tally_count++] = needed;
    ee_hash_index_add(&index, hash, found);
  }
}

static uint32_t add_cell(bootstrap_data *data, cell needed) {
  *EE_LIST_ADD(&data->cells, NULL) = needed;
  return (uint32_t)(data->cells.count - 1);
}

static uint32_t number_cell(bootstrap_data *data, size_t slot, uint32_t of_tally) {
  uint64_t hash = ee_hash_mix((uint64_t)slot << 32 | of_tally);
  size_t at = 0, found;
  while (ee_hash_index_next(&data->index, hash, &at, &found))
    if (data->cells.items[found].slot == slot && data->cells.items[found].tally == of_tally) return (uint32_t)found;
  uint32_t number = add_cell(data, (cell){.slot = (uint32_t)slot, .tally = of_tally});
  ee_hash_index_add(&data->index, hash, number);
  return number;
}

static bool is_derived(const ee_comparison *comparison, size_t field) {
  return comparison->known_attributes.items[comparison->fields[field].attribute].derived;
}

static void add_entry(bootstrap_data *data, uint32_t number) { *EE_LIST_ADD(&data->entries, NULL) = number; }

/* Lists both sides of every field of every case, the usual cells too, which are not known yet. first[i + 1] becomes the
 * end of case i. */
static void list_pair(void *user, size_t item, uint32_t field, uint32_t before, uint32_t after) {
  bootstrap_data *data = user;
  const uint32_t counts[] = {before, after};
  if (is_derived(data->comparison, field)) return;
  for (size_t side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
    uint32_t number = number_cell(data, SLOT(field, side), data->tally_of[counts[side]]);
    data->cells.items[number].cases++;
    add_entry(data, number);
  }
  data->first[item + 1] = data->entries.count;
}

/* Counts the judge's cases without a field in the cell of tally 0. */
static void count_silent(bootstrap_data *data, const ee_compared_judge *judge, uint64_t *silent) {
  const ee_comparison *comparison = data->comparison;
  for (size_t field = judge->first_field; field < judge->first_field + judge->field_count; field++) {
    if (is_derived(comparison, field)) continue;
    for (size_t side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
      size_t slot = SLOT(field, side);
      silent[slot] = judge->cases - silent[slot];
      if (silent[slot] == 0) continue;
      uint32_t number = number_cell(data, slot, 0); /* may move the cells */
      data->cells.items[number].cases += silent[slot];
    }
  }
}

static void sort_cells(bootstrap_data *data) {
  size_t slot_count = SLOT(data->comparison->field_count, 0), at = 0;
  for (size_t i = 0; i < data->cells.count; i++) data->slots[data->cells.items[i].slot].count++;
  for (size_t i = 0; i < slot_count; i++) {
    data->slots[i].usual = data->slots[i].nothing = EE_NO_NUMBER;
    data->slots[i].first = at;
    at += data->slots[i].count;
    data->slots[i].count = 0;
  }
  data->by_slot = ee_calloc(data->cells.count + 1, sizeof *data->by_slot);
  for (size_t i = 0; i < data->cells.count; i++) {
    slot_cells *cells = &data->slots[data->cells.items[i].slot];
    data->by_slot[cells->first + cells->count++] = i;
  }
}

/* Finds the usual cell of each slot, and the slots at which cases without the field must be listed. */
static void choose_usual(bootstrap_data *data) {
  size_t slot_count = SLOT(data->comparison->field_count, 0);
  uint64_t *silent = ee_calloc(slot_count + 1, sizeof *silent); /* first: cases with the field */
  for (size_t i = 0; i < data->cells.count; i++) silent[data->cells.items[i].slot] += data->cells.items[i].cases;
  for (size_t i = 0; i < data->comparison->judge_count; i++) count_silent(data, &data->comparison->judges[i], silent);
  sort_cells(data);
  for (size_t i = 0; i < slot_count; i++) {
    slot_cells *cells = &data->slots[i];
    uint64_t max = 0;
    for (size_t k = cells->first; k < cells->first + cells->count; k++) {
      size_t number = data->by_slot[k];
      if (data->cells.items[number].tally == 0 && silent[i] > 0) cells->nothing = (uint32_t)number;
      if (data->cells.items[number].cases <= max) continue;
      max = data->cells.items[number].cases;
      cells->usual = (uint32_t)number;
    }
    if (cells->nothing == cells->usual) cells->nothing = EE_NO_NUMBER;
  }
  free(silent);
}

static bool has_judge(const ee_comparison *comparison, const ee_compared_case *item, uint32_t judge) {
  return ee_run_judge(&comparison->runs[EE_SIDE_BASE], item->base, judge) != NULL &&
         ee_run_judge(&comparison->runs[EE_SIDE_NEW], item->fresh, judge) != NULL;
}

/* The slots at which cases without the field are listed, by judge. */
typedef struct silent_slots {
  size_t *slots, *first;
  size_t *mentioned_in; /* by field: the number of the last case, plus 1 */
} silent_slots;

static void open_silent(const bootstrap_data *data, silent_slots *silent) {
  const ee_comparison *comparison = data->comparison;
  size_t count = 0;
  silent->slots = ee_calloc(SLOT(comparison->field_count, 0) + 1, sizeof *silent->slots);
  silent->first = ee_calloc(comparison->judge_count + 1, sizeof *silent->first);
  silent->mentioned_in = ee_calloc(comparison->field_count + 1, sizeof *silent->mentioned_in);
  for (size_t i = 0; i < comparison->judge_count; i++) {
    const ee_compared_judge *judge = &comparison->judges[i];
    size_t end = SLOT(judge->first_field + judge->field_count, 0);
    for (size_t slot = SLOT(judge->first_field, 0); slot < end; slot++)
      if (data->slots[slot].nothing != EE_NO_NUMBER) silent->slots[count++] = slot;
    silent->first[i + 1] = count;
  }
}

static void list_silent(bootstrap_data *data, size_t item, const silent_slots *silent) {
  const ee_comparison *comparison = data->comparison;
  for (size_t i = 0; i < comparison->judge_count; i++) {
    bool whole = data->lacking[i] == EE_NO_NUMBER;
    if (!whole && !has_judge(comparison, &comparison->cases[item], comparison->judges[i].judge)) {
      add_entry(data, data->lacking[i]);
      continue;
    }
    for (size_t k = silent->first[i]; k < silent->first[i + 1]; k++) {
      size_t slot = silent->slots[k];
      if (silent->mentioned_in[slot / 2] != item + 1) add_entry(data, data->slots[slot].nothing);
    }
  }
}

/* Lists the cells again, without the usual ones. */
static void relist(bootstrap_data *data) {
  const ee_comparison *comparison = data->comparison;
  uint32_t *all = data->entries.items;
  silent_slots silent;
  open_silent(data, &silent);
  data->entries.items = NULL;
  data->entries.count = data->entries.capacity = 0;
  for (size_t i = 0, at = 0; i < comparison->case_count; i++) {
    size_t end = data->first[i + 1] > at ? data->first[i + 1] : at; /* a case without fields has not set it */
    data->first[i] = data->entries.count;
    for (; at < end; at++) {
      uint32_t slot = data->cells.items[all[at]].slot;
      silent.mentioned_in[slot / 2] = i + 1;
      if (all[at] != data->slots[slot].usual) add_entry(data, all[at]);
    }
    list_silent(data, i, &silent);
  }
  data->first[comparison->case_count] = data->entries.count;
  free(all);
  free(silent.slots);
  free(silent.first);
  free(silent.mentioned_in);
}

static void list_measures(bootstrap_data *data) {
  const ee_comparison *comparison = data->comparison;
  size_t cases = comparison->case_count;
  data->measures = ee_calloc(2 * cases * comparison->known_measures.count + 1, sizeof *data->measures);
  for (uint32_t m = 0; m < comparison->known_measures.count; m++) {
    for (size_t i = 0; i < cases; i++) {
      const ee_compared_case *item = &comparison->cases[i];
      double *pair = data->measures + 2 * (m * cases + i);
      bool old = ee_run_measure(&comparison->runs[EE_SIDE_BASE], item->base, m, &pair[EE_SIDE_BASE]);
      bool fresh = ee_run_measure(&comparison->runs[EE_SIDE_NEW], item->fresh, m, &pair[EE_SIDE_NEW]);
      comparison->measures[m].cases += old && fresh;
      comparison->measures[m].without[EE_SIDE_BASE] += fresh && !old;
      comparison->measures[m].without[EE_SIDE_NEW] += old && !fresh;
      if (!old || !fresh) pair[EE_SIDE_BASE] = pair[EE_SIDE_NEW] = NAN;
    }
  }
}

static void open_data(bootstrap_data *data, const ee_comparison *comparison) {
  *data = (bootstrap_data){.comparison = comparison};
  ee_arena_init(&data->arena, 0);
  data->index.arena = &data->arena;
  data->first = ee_calloc(comparison->case_count + 1, sizeof *data->first);
  data->slots = ee_calloc(SLOT(comparison->field_count, 0) + 1, sizeof *data->slots);
  data->lacking = ee_calloc(comparison->judge_count + 1, sizeof *data->lacking);
  data->before = ee_calloc(comparison->field_count + 1, sizeof *data->before);
  data->after = ee_calloc(comparison->field_count + 1, sizeof *data->after);
  data->scores = ee_calloc(2 * comparison->case_count + 1, sizeof *data->scores);
  for (size_t i = 0; i < comparison->case_count; i++) {
    data->scores[2 * i] = (int64_t)ee_fixed_from(comparison->cases[i].base->score).units;
    data->scores[2 * i + 1] = (int64_t)ee_fixed_from(comparison->cases[i].fresh->score).units;
  }
  list_tallies(data);
  ee_comparison_visit_pairs(comparison, list_pair, data);
  choose_usual(data);
  for (size_t i = 0; i < comparison->judge_count; i++) {
    bool whole = comparison->judges[i].cases == comparison->case_count;
    data->lacking[i] = whole ? EE_NO_NUMBER : add_cell(data, (cell){.slot = EE_NO_NUMBER});
  }
  relist(data);
  data->totals = ee_calloc(data->cells.count * LANES + 1, sizeof *data->totals);
  list_measures(data);
}

static void close_data(bootstrap_data *data) {
  free(data->tallies);
  free(data->tally_of);
  EE_LIST_FINI(&data->cells);
  ee_arena_fini(&data->arena);
  free(data->by_slot);
  free(data->slots);
  free(data->lacking);
  EE_LIST_FINI(&data->entries);
  free(data->first);
  free(data->scores);
  free(data->measures);
  free(data->totals);
  free(data->before);
  free(data->after);
}

/* Metrics ---------------------------------------------------------------------------------------- */

static ee_metric difference(ee_metric before, ee_metric after) {
  if (!before.defined || !after.defined) return (ee_metric){false, 0};
  return (ee_metric){true, after.value - before.value};
}

typedef struct f1_pair {
  ee_metric before, after;
} f1_pair;

static ee_metric micro_f1(const ee_counts *fields, size_t count) {
  ee_counts pooled = {0};
  for (size_t i = 0; i < count; i++) ee_counts_add(&pooled, &fields[i]);
  return ee_f1(&pooled);
}

static f1_pair micro_of(const bootstrap_data *data, size_t count) {
  return (f1_pair){micro_f1(data->before, count), micro_f1(data->after, count)};
}

static f1_pair macro_of(const bootstrap_data *data, size_t count) {
  return (f1_pair){ee_macro_f1(data->before, count), ee_macro_f1(data->after, count)};
}

/* The counts of the judge's fields that are in averages; returns their number. */
static size_t gather_all(bootstrap_data *data, const ee_compared_judge *judge) {
  size_t count = 0;
  for (size_t i = judge->first_field; i < judge->first_field + judge->field_count; i++) {
    if (is_derived(data->comparison, i)) continue;
    data->before[count] = data->comparison->fields[i].before;
    data->after[count++] = data->comparison->fields[i].after;
  }
  return count;
}

/* The counts of a slot in one lane's resample, which drew `cases` cases that have the judge. Only their F1 is
 * meaningful. */
static ee_counts drawn_counts(const bootstrap_data *data, size_t slot, uint64_t cases, size_t lane) {
  const slot_cells *cells = &data->slots[slot];
  ee_counts sum = {0};
  for (size_t k = cells->first; k < cells->first + cells->count; k++) {
    size_t number = data->by_slot[k];
    uint64_t times = data->totals[number * LANES + lane]; /* 0 of the usual one, which is not listed */
    const tally *had = &data->tallies[data->cells.items[number].tally];
    sum.tp += had->right * times;
    sum.fp += had->wrong * times;
    cases -= times;
  }
  const tally *usual = &data->tallies[data->cells.items[cells->usual].tally];
  sum.tp += usual->right * cases;
  sum.fp += usual->wrong * cases;
  return sum;
}

static size_t gather_lane(bootstrap_data *data, const ee_compared_judge *judge, uint64_t cases, size_t lane) {
  size_t count = 0;
  for (size_t i = judge->first_field; i < judge->first_field + judge->field_count; i++) {
    if (is_derived(data->comparison, i)) continue;
    data->before[count] = drawn_counts(data, SLOT(i, EE_SIDE_BASE), cases, lane);
    data->after[count++] = drawn_counts(data, SLOT(i, EE_SIDE_NEW), cases, lane);
  }
  return count;
}

static double value_of(ee_metric metric) { return metric.defined ? metric.value : NAN; }

/* before, after and their difference as three statistics of one lane. */
static void put_values(double *values, ee_metric before, ee_metric after) {
  values[0] = value_of(before);
  values[LANES] = value_of(after);
  values[2 * LANES] = value_of(difference(before, after));
}

static void put_means(const bootstrap_data *data, const __int128 sums[2][LANES], double *values) {
  uint64_t count = data->comparison->case_count;
  for (size_t lane = 0; lane < LANES; lane++) {
    __int128 before = sums[0][lane], after = sums[1][lane];
    values[lane] = ee_fixed_mean((ee_fixed){before}, count);
    values[LANES + lane] = ee_fixed_mean((ee_fixed){after}, count);
    values[2 * LANES + lane] = ee_fixed_mean((ee_fixed){after - before}, count);
  }
}

/* The means of each measure in a resample. */
static void put_measures(const bootstrap_data *data, const uint32_t *drawn, double *values) {
  size_t cases = data->comparison->case_count;
  for (size_t m = 0; m < data->comparison->known_measures.count; m++, values += 3 * LANES) {
    const double *pair = data->measures + 2 * m * cases;
    const uint32_t *times = drawn;
    double sums[2][LANES] = {{0}};
    uint64_t counts[LANES] = {0};
    for (size_t i = 0; i < cases; i++, pair += 2, times += LANES) {
      if (isnan(pair[0])) continue;
      for (size_t lane = 0; lane < LANES; lane++) {
        sums[0][lane] += pair[0] * times[lane];
        sums[1][lane] += pair[1] * times[lane];
        counts[lane] += times[lane];
      }
    }
    for (size_t lane = 0; lane < LANES; lane++) {
      double count = (double)counts[lane];
      bool any = counts[lane] > 0;
      put_values(values + lane, (ee_metric){any, sums[0][lane] / count}, (ee_metric){any, sums[1][lane] / count});
    }
  }
}

static void resample(void *user, const uint32_t *drawn, double *values) {
  bootstrap_data *data = user;
  const uint32_t *all_drawn = drawn;
  const ee_comparison *comparison = data->comparison;
  __int128 sums[2][LANES] = {{0}};
  memset(data->totals, 0, data->cells.count * LANES * sizeof *data->totals);
  for (size_t i = 0; i < comparison->case_count; i++, drawn += LANES) {
    for (size_t lane = 0; lane < LANES; lane++) {
      sums[0][lane] += (__int128)data->scores[2 * i] * drawn[lane];
      sums[1][lane] += (__int128)data->scores[2 * i + 1] * drawn[lane];
    }
    for (size_t k = data->first[i]; k < data->first[i + 1]; k++) {
      uint32_t *totals = data->totals + (size_t)data->entries.items[k] * LANES;
      for (size_t lane = 0; lane < LANES; lane++) totals[lane] += drawn[lane];
    }
  }
  put_means(data, sums, values);
  values += 3 * LANES;
  for (size_t i = 0; i < comparison->judge_count; i++) {
    const ee_compared_judge *judge = &comparison->judges[i];
    if (!judge->any_counts) continue;
    for (size_t lane = 0; lane < LANES; lane++) {
      uint64_t cases = comparison->case_count;
      if (data->lacking[i] != EE_NO_NUMBER) cases -= data->totals[data->lacking[i] * LANES + lane];
      size_t count = gather_lane(data, judge, cases, lane);
      f1_pair micro = micro_of(data, count), macro = macro_of(data, count);
      put_values(values + lane, micro.before, micro.after);
      put_values(values + 3 * LANES + lane, macro.before, macro.after);
    }
    values += 6 * LANES;
  }
  put_measures(data, all_drawn, values);
}

/* Estimates ------------------------------------------------------------------------------------- */

static void take_intervals(ee_estimate *estimate, const ee_interval *intervals) {
  estimate->before_range = intervals[0];
  estimate->after_range = intervals[1];
  estimate->change_range = intervals[2];
}

static void estimate_score(ee_comparison *comparison) {
  ee_fixed before = {0}, after = {0};
  for (size_t i = 0; i < comparison->case_count; i++) {
    ee_fixed_add(&before, ee_fixed_from(comparison->cases[i].base->score));
    ee_fixed_add(&after, ee_fixed_from(comparison->cases[i].fresh->score));
  }
  uint64_t count = comparison->case_count;
  ee_fixed change = {after.units - before.units};
  comparison->score.before = (ee_metric){true, ee_fixed_mean(before, count)};
  comparison->score.after = (ee_metric){true, ee_fixed_mean(after, count)};
  comparison->score.change = (ee_metric){true, ee_fixed_mean(change, count)};
}

static void estimate_judge(bootstrap_data *data, ee_compared_judge *judge) {
  size_t count = gather_all(data, judge);
  f1_pair micro = micro_of(data, count), macro = macro_of(data, count);
  judge->micro =
      (ee_estimate){.before = micro.before, .after = micro.after, .change = difference(micro.before, micro.after)};
  judge->macro =
      (ee_estimate){.before = macro.before, .after = macro.after, .change = difference(macro.before, macro.after)};
}

/* Adds with a correction for what is rounded off (Neumaier 1974). */
static void add_exactly(double *sum, double *lost, double term) {
  double next = *sum + term;
  *lost += fabs(*sum) >= fabs(term) ? (*sum - next) + term : (term - next) + *sum;
  *sum = next;
}

static void estimate_measure(const bootstrap_data *data, size_t number) {
  const ee_comparison *comparison = data->comparison;
  ee_compared_measure *measure = &comparison->measures[number];
  const double *pair = data->measures + 2 * number * comparison->case_count;
  double sums[2] = {0, 0}, lost[2] = {0, 0};
  for (size_t i = 0; i < comparison->case_count; i++, pair += 2)
    for (size_t side = 0; side < 2 && !isnan(pair[0]); side++) add_exactly(&sums[side], &lost[side], pair[side]);
  for (size_t side = 0; side < 2; side++)
    if (isfinite(sums[side])) sums[side] += lost[side];
  for (size_t side = 0; side < 2; side++) measure->sum[side] = (ee_metric){isfinite(sums[side]), sums[side]};
  bool any = measure->cases > 0;
  double count = any ? (double)measure->cases : 1;
  measure->mean.before = (ee_metric){any && isfinite(sums[0]), sums[0] / count};
  measure->mean.after = (ee_metric){any && isfinite(sums[1]), sums[1] / count};
  measure->mean.change = difference(measure->mean.before, measure->mean.after);
}

static bool any_difference(const ee_comparison *comparison) {
  if (comparison->changed + comparison->fixed + comparison->broken > 0) return true;
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 3; k++)
      if (i != k && comparison->verdicts[i][k] > 0) return true;
  return ee_comparison_has_degrees(comparison);
}

static ee_finding_of_runs decide(const ee_comparison *comparison) {
  if (!any_difference(comparison)) return EE_RUNS_EQUAL;
  if (comparison->changed < EE_FEWEST_CHANGES) return EE_RUNS_UNDECIDED;
  /* As a sum over the cases: the slack then means the same for any number of them. */
  double cases = (double)comparison->case_count;
  if (comparison->score.change_range.low * cases > EE_SCORE_SLACK) return EE_RUNS_BETTER;
  if (comparison->score.change_range.high * cases < -EE_SCORE_SLACK) return EE_RUNS_WORSE;
  return EE_RUNS_UNDECIDED;
}

void ee_comparison_estimate(ee_comparison *comparison) {
  bootstrap_data data;
  comparison->measures = ee_calloc(comparison->known_measures.count + 1, sizeof *comparison->measures);
  open_data(&data, comparison);
  estimate_score(comparison);
  size_t count = 3;
  for (size_t i = 0; i < comparison->judge_count; i++) {
    if (!comparison->judges[i].any_counts) continue;
    estimate_judge(&data, &comparison->judges[i]);
    count += 6;
  }
  for (size_t i = 0; i < comparison->known_measures.count; i++) estimate_measure(&data, i);
  size_t first_measure = count;
  count += 3 * comparison->known_measures.count;
  ee_interval *intervals = ee_calloc(count, sizeof *intervals);
  ee_bootstrap bootstrap = {comparison->case_count, EE_BOOTSTRAP_RESAMPLES, EE_BOOTSTRAP_SEED};
  ee_bootstrap_run(&bootstrap, resample, &data, count, intervals);
  take_intervals(&comparison->score, intervals);
  for (size_t i = 0, at = 3; i < comparison->judge_count; i++) {
    ee_compared_judge *judge = &comparison->judges[i];
    if (!judge->any_counts) continue;
    take_intervals(&judge->micro, intervals + at);
    take_intervals(&judge->macro, intervals + at + 3);
    at += 6;
  }
  for (size_t i = 0; i < comparison->known_measures.count; i++)
    take_intervals(&comparison->measures[i].mean, intervals + first_measure + 3 * i);
  free(intervals);
  close_data(&data);
  comparison->finding = decide(comparison);
}
