/* comparison_trials.c: cases whose trials differ between the two runs: the mean of each run's trials is compared.
 *
 * Where both runs have the same trials of a case, each trial is compared with its like, and nothing is done here. */
#include <math.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "report/comparison_inside.h"
#include "run/id_set.h"

/* The rows of one case in both runs. */
typedef struct trial_group {
  ee_str id;
  uint64_t counts[2], shared;
  size_t first[2], last[2]; /* rows, linked by `next` */
  bool any_trial, any_plain;
} trial_group;

typedef struct trial_groups {
  struct {
    EE_LIST(trial_group);
  } items;
  ee_hash_index index;
  size_t *next[2]; /* by row: the next one of its case */
} trial_groups;

static ee_str case_id(const ee_run_row *row) { return row->base.data != NULL ? row->base : row->id; }

static trial_group *find_group(trial_groups *groups, ee_str id) {
  uint64_t hash = ee_hash_bytes(id.data, id.length, 0);
  size_t at = 0, found;
  while (ee_hash_index_next(&groups->index, hash, &at, &found))
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the index has what the list has
    if (ee_str_equal(groups->items.items[found].id, id)) return &groups->items.items[found];
  ee_hash_index_add(&groups->index, hash, groups->items.count);
  trial_group *added = EE_LIST_ADD(&groups->items, NULL);
  *added = (trial_group){.id = id};
  return added;
}

static bool has_same(const trial_group *group) {
  return group->counts[0] == group->shared && group->counts[1] == group->shared;
}

static bool is_averaged(const trial_group *group) {
  return group->any_trial && !has_same(group) && group->counts[0] > 0 && group->counts[1] > 0;
}

/* What parts of the data must know of each other. */
static void note_trials(ee_comparison *comparison, const trial_group *group) {
  if (!group->any_trial) return;
  ee_id_hashes *cases = has_same(group) ? &comparison->trials_together : &comparison->trials_apart;
  ee_id_hashes_add(cases, ee_id_hash(group->id), SIZE_MAX);
  if (group->any_plain) comparison->mixed_trials = group->id;
}

/* The verdict of most of them; of equally many the worst. */
static ee_verdict most_frequent(const ee_run_rows *run, const size_t *numbers, size_t count) {
  size_t votes[3] = {0};
  ee_verdict most = EE_VERDICT_FAIL;
  for (size_t i = 0; i < count; i++) votes[run->rows.items[numbers[i]].verdict]++;
  for (int verdict = EE_VERDICT_FAIL; verdict >= EE_VERDICT_PASS; verdict--)
    if (votes[verdict] > votes[most]) most = (ee_verdict)verdict;
  return most;
}

/* Adds the attributes of `judge` to those from `first` on, which are of the same judge. */
static void add_attributes(ee_comparison *comparison, ee_run_rows *run, const ee_row_judge *judge, size_t first) {
  EE_LIST_RESERVE(&run->attributes, NULL, judge->count);
  for (uint32_t i = 0; i < judge->count; i++) {
    const ee_row_attribute added = run->attributes.items[judge->first + i];
    size_t at = first;
    while (at < run->attributes.count && run->attributes.items[at].attribute != added.attribute) at++;
    if (at == run->attributes.count) {
      *EE_LIST_ADD(&run->attributes, NULL) = added;
      continue;
    }
    ee_counts sum = comparison->known_counts.items[run->attributes.items[at].counts];
    ee_counts_add(&sum, &comparison->known_counts.items[added.counts]);
    run->attributes.items[at].counts = ee_comparison_number_counts(comparison, &sum);
  }
}

/* A judge's mean score and summed counts over those rows that have it. */
static void add_judge(ee_comparison *comparison, ee_run_rows *run, const size_t *numbers, size_t count,
                      uint32_t number) {
  ee_row_judge mean = {.score = NAN, .first = run->attributes.count, .judge = number};
  double sum = 0, scored = 0;
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    const ee_row_judge *found = ee_run_judge(run, &run->rows.items[numbers[i]], number);
    if (found == NULL) continue;
    ee_row_judge judge = *found;
    if (!isnan(judge.score)) {
      sum += judge.score;
      scored++;
    }
    if (!any) {
      mean.first_value = judge.first_value;
      mean.value_count = judge.value_count;
      mean.cut = judge.cut;
    }
    any = true;
    add_attributes(comparison, run, &judge, mean.first);
  }
  if (scored > 0) mean.score = sum / scored;
  mean.count = (uint32_t)(run->attributes.count - mean.first);
  if (any) *EE_LIST_ADD(&run->judges, NULL) = mean;
}

static void add_measures(const ee_comparison *comparison, ee_run_rows *run, const size_t *numbers, size_t count) {
  for (uint32_t m = 0; m < comparison->known_measures.count; m++) {
    double sum = 0, have = 0, value;
    for (size_t i = 0; i < count; i++) {
      if (!ee_run_measure(run, &run->rows.items[numbers[i]], m, &value)) continue;
      sum += value;
      have++;
    }
    if (have > 0) *EE_LIST_ADD(&run->measures, NULL) = (ee_row_measure){m, sum / have};
  }
}

/* Replaces the rows of a case by one row. */
static void average(ee_comparison *comparison, ee_run_rows *run, ee_str id, const size_t *numbers, size_t count) {
  ee_run_row mean = run->rows.items[numbers[0]];
  double sum = 0, scored = 0;
  if (count == 1 && mean.base.data == NULL) return;
  for (size_t i = 0; i < count; i++) {
    ee_run_row *row = &run->rows.items[numbers[i]];
    row->averaged = true;
    /* Any of theirs, but the same whatever their order. */
    if (row->base.data != NULL && (mean.base.data == NULL || row->unit < mean.unit)) {
      mean.unit = row->unit;
      mean.base = row->base;
    }
    run->averaged++;
    if (row->unscored) continue;
    sum += row->score;
    scored++;
  }
  mean.id = id;
  mean.base = (ee_str){0};
  mean.unscored = scored == 0;
  if (scored > 0) mean.score = sum / scored;
  mean.verdict = most_frequent(run, numbers, count);
  mean.shares_unit = true;
  mean.has_corrections = false; /* of several answers */
  mean.first_judge = run->judges.count;
  mean.judge_count = 0;
  for (size_t i = 0; i < count; i++) {
    const ee_run_row row = run->rows.items[numbers[i]];
    for (uint32_t k = 0; k < row.judge_count; k++) {
      uint32_t judge = run->judges.items[row.first_judge + k].judge;
      if (ee_run_judge(run, &mean, judge) == NULL) add_judge(comparison, run, numbers, count, judge);
      mean.judge_count = (uint32_t)(run->judges.count - mean.first_judge);
    }
  }
  mean.first_measure = run->measures.count;
  add_measures(comparison, run, numbers, count);
  mean.measure_count = (uint32_t)(run->measures.count - mean.first_measure);
  *EE_LIST_ADD(&run->rows, NULL) = mean;
  run->means++;
}

static void group_rows(ee_comparison *comparison, trial_groups *groups, int side) {
  const ee_run_rows *run = &comparison->runs[side];
  groups->next[side] = ee_calloc(run->rows.count + 1, sizeof *groups->next[side]);
  for (size_t i = 0; i < run->rows.count; i++) {
    const ee_run_row *row = &run->rows.items[i];
    trial_group *group = find_group(groups, case_id(row));
    if (group->counts[side]++ == 0)
      group->first[side] = i;
    else
      groups->next[side][group->last[side]] = i;
    group->last[side] = i;
    group->any_trial |= row->base.data != NULL;
    group->any_plain |= row->base.data == NULL;
    if (side == EE_SIDE_BASE) group->shared += ee_run_find(&comparison->runs[EE_SIDE_NEW], row->id) != EE_NO_NUMBER;
  }
}

void ee_comparison_average_trials(ee_comparison *comparison) {
  trial_groups groups = {0};
  bool any = false;
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++)
    for (size_t i = 0; i < comparison->runs[side].rows.count; i++)
      any = any || comparison->runs[side].rows.items[i].base.data != NULL;
  if (!any || comparison->skipped != NULL) return;
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) group_rows(comparison, &groups, side);
  for (size_t i = 0; i < groups.items.count; i++) {
    const trial_group *group = &groups.items.items[i];
    note_trials(comparison, group);
    if (!is_averaged(group)) continue;
    comparison->averaged++;
    for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
      size_t count = group->counts[side], at = group->first[side], *numbers = ee_malloc((count + 1) * sizeof *numbers);
      for (size_t k = 0; k < count; k++, at = groups.next[side][at]) numbers[k] = at;
      average(comparison, &comparison->runs[side], group->id, numbers, count);
      ee_free(numbers);
    }
  }
  ee_id_hashes_sort(&comparison->trials_together);
  ee_id_hashes_sort(&comparison->trials_apart);
  ee_free(groups.next[0]);
  ee_free(groups.next[1]);
  EE_LIST_FINI(&groups.items);
  ee_hash_index_fini(&groups.index);
}
