/* comparison_totals.c: the cases of a comparison, added up.
 *
 * The first walk finds out what each attribute is: a field, or one that only the rules of a run have. The second walk
 * goes unit by unit; what a unit has is put together and then added. Both are over what the cases have, so the time
 * does not depend on how many fields there are elsewhere. */
#include "report/comparison_totals.h"

#include <math.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "prim/sort.h"
#include "report/comparison_inside.h"

/* Values of measures beyond that have no place in sums of clusters. */
#define HUGE_MEASURE 0x1p59

/* Figures --------------------------------------------------------------------------------------- */

static void add_to_figure(ee_figure *figure, ee_paired_kind kind, bool shared, uint64_t key,
                          const ee_paired_share *share) {
  if (shared)
    ee_unit_shares_add(&figure->shared, key, share);
  else
    ee_paired_moments_add(&figure->alone, kind, share);
}

void ee_figure_merge(ee_figure *figure, const ee_figure *other) {
  ee_paired_moments_merge(&figure->alone, &other->alone);
  ee_unit_shares_merge(&figure->shared, &other->shared);
}

static void free_figure(ee_figure *figure) { ee_unit_shares_fini(&figure->shared); }

ee_paired_moments ee_figure_moments(const ee_figure *figure, ee_paired_kind kind) {
  ee_paired_moments all = figure->alone;
  for (size_t i = 0; i < figure->shared.count; i++) ee_paired_moments_add(&all, kind, &figure->shared.items[i].share);
  return all;
}

void ee_judge_totals_merge(ee_judge_totals *totals, const ee_judge_totals *other) {
  totals->cases += other->cases;
  for (int side = 0; side < 2; side++) totals->without[side] += other->without[side];
  totals->units += other->units;
  totals->changed += other->changed;
  ee_figure_merge(&totals->score, &other->score);
  ee_figure_merge(&totals->micro, &other->micro);
}

void ee_attribute_totals_merge(ee_attribute_totals *totals, const ee_attribute_totals *other) {
  for (int side = 0; side < 2; side++) {
    totals->cases[side] += other->cases[side];
    ee_counts_add(&totals->counts[side], &other->counts[side]);
  }
  totals->fixed += other->fixed;
  totals->broken += other->broken;
  totals->still_wrong += other->still_wrong;
  totals->fewer += other->fewer;
  totals->more += other->more;
  totals->units_more += other->units_more;
  totals->units_fewer += other->units_fewer;
  totals->seen_as |= other->seen_as;
  ee_figure_merge(&totals->f1, &other->f1);
  ee_unit_shares_merge(&totals->wrong, &other->wrong);
  ee_unit_shares_merge(&totals->groups, &other->groups);
}

void ee_slice_totals_merge(ee_slice_totals *totals, const ee_slice_totals *other) {
  totals->cases += other->cases;
  for (int side = 0; side < 2; side++) ee_counts_add(&totals->counts[side], &other->counts[side]);
  ee_figure_merge(&totals->score, &other->score);
}

void ee_measure_totals_merge(ee_measure_totals *totals, const ee_measure_totals *other) {
  totals->cases += other->cases;
  for (int side = 0; side < 2; side++) {
    totals->without[side] += other->without[side];
    ee_exact_sum_merge(&totals->sums[side], &other->sums[side]);
    ee_exact_sum_merge(&totals->alone[side], &other->alone[side]);
    ee_exact_sum_merge(&totals->squares[side], &other->squares[side]);
  }
  ee_exact_sum_merge(&totals->difference, &other->difference);
  ee_exact_sum_merge(&totals->differences_squared, &other->differences_squared);
  totals->units += other->units;
  totals->changed += other->changed;
  totals->huge |= other->huge;
  totals->low = fmin(totals->low, other->low);
  totals->high = fmax(totals->high, other->high);
  totals->least = fmin(totals->least, other->least);
  totals->most = fmax(totals->most, other->most);
  ee_unit_shares_merge(&totals->shared, &other->shared);
}

void ee_first_ids_add(ee_first_ids *named, ee_str id) {
  for (size_t i = 0; i < EE_IDS_NAMED; i++) {
    if (named->ids[i].data != NULL && ee_str_compare(named->ids[i], id) <= 0) continue;
    ee_str later = named->ids[i];
    named->ids[i] = id;
    if (later.data == NULL) return;
    id = later;
  }
}

void ee_comparison_free_totals(ee_comparison *comparison) {
  free_figure(&comparison->score_figure);
  free_figure(&comparison->pass_figure);
  free_figure(&comparison->straight_figure);
  ee_sign_flips_fini(&comparison->signs);
  for (size_t i = 0; i < comparison->known_judges.count; i++) {
    free_figure(&comparison->known_judges.items[i].totals.score);
    free_figure(&comparison->known_judges.items[i].totals.micro);
  }
  for (size_t i = 0; i < comparison->known_attributes.count; i++) {
    ee_attribute_totals *totals = &comparison->known_attributes.items[i].totals;
    free_figure(&totals->f1);
    ee_unit_shares_fini(&totals->wrong);
    ee_unit_shares_fini(&totals->groups);
  }
  for (size_t i = 0; i < comparison->known_slices.count; i++) {
    ee_slice_totals *totals = comparison->known_slices.items[i].totals;
    if (totals != NULL) free_figure(&totals->score);
    ee_free(totals);
  }
  for (size_t i = 0; i < comparison->known_measures.count; i++)
    ee_unit_shares_fini(&comparison->known_measures.items[i].totals.shared);
}

/* Every list of units that are not alone. */
static void each_shared(ee_comparison *comparison, void (*visit)(ee_unit_shares *, unsigned), unsigned bits) {
  visit(&comparison->score_figure.shared, bits);
  visit(&comparison->pass_figure.shared, bits);
  visit(&comparison->straight_figure.shared, bits);
  for (size_t i = 0; i < comparison->known_judges.count; i++) {
    visit(&comparison->known_judges.items[i].totals.score.shared, bits);
    visit(&comparison->known_judges.items[i].totals.micro.shared, bits);
  }
  for (size_t i = 0; i < comparison->known_attributes.count; i++) {
    visit(&comparison->known_attributes.items[i].totals.f1.shared, bits);
    visit(&comparison->known_attributes.items[i].totals.wrong, bits);
  }
  for (size_t i = 0; i < comparison->known_slices.count; i++)
    if (comparison->known_slices.items[i].totals != NULL)
      visit(&comparison->known_slices.items[i].totals->score.shared, bits);
  for (size_t i = 0; i < comparison->known_measures.count; i++)
    visit(&comparison->known_measures.items[i].totals.shared, bits);
}

static void sort_shares(ee_unit_shares *shares, unsigned bits) {
  (void)bits;
  ee_unit_shares_sort(shares);
}

/* Slices ---------------------------------------------------------------------------------------- */

typedef struct ranked_slice {
  ee_str path, value;
  size_t number;
} ranked_slice;

static bool slice_before(const ranked_slice *a, const ranked_slice *b) {
  int order = ee_str_compare(a->path, b->path);
  return order != 0 ? order < 0 : ee_str_compare(a->value, b->value) < 0;
}
EE_DEFINE_SORT(sort_slices, ranked_slice, slice_before)

/* Leaves out values of slices beyond the limit; gives the others their totals. */
static void limit_slices(ee_comparison *comparison) {
  const size_t count = comparison->known_slices.count;
  ee_known_slice *slices = comparison->known_slices.items;
  if (count <= EE_COMPARED_SLICES) {
    for (size_t i = 0; i < count; i++)
      if (slices[i].totals == NULL) slices[i].totals = ee_calloc(1, sizeof *slices[i].totals);
    return;
  }
  ranked_slice *order = ee_malloc(count * sizeof *order);
  for (size_t i = 0; i < count; i++) order[i] = (ranked_slice){slices[i].path, slices[i].value, i};
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  sort_slices(order, count, &scratch);
  ee_arena_fini(&scratch);
  for (size_t i = 0; i < count; i++) {
    ee_known_slice *slice = &slices[order[i].number];
    if (i < EE_COMPARED_SLICES) {
      if (slice->totals == NULL) slice->totals = ee_calloc(1, sizeof *slice->totals);
      continue;
    }
    if (slice->totals != NULL) free_figure(&slice->totals->score);
    ee_free(slice->totals);
    slice->totals = NULL;
  }
  ee_free(order);
  comparison->slices_left_out = true;
}

void ee_comparison_settle(ee_comparison *comparison) {
  each_shared(comparison, sort_shares, 0);
  if (comparison->score_figure.shared.count > (size_t)1 << EE_COMPARED_CLUSTER_BITS)
    comparison->clusters_grouped = true;
  if (comparison->clusters_grouped) each_shared(comparison, ee_unit_shares_group, EE_COMPARED_CLUSTER_BITS);
  comparison->units = comparison->units_alone + comparison->score_figure.shared.count;
  if (comparison->units > (uint64_t)1 << EE_COMPARED_AVERAGE_BITS) comparison->averages_grouped = true;
  for (size_t i = 0; i < comparison->known_attributes.count; i++) {
    ee_unit_shares *groups = &comparison->known_attributes.items[i].totals.groups;
    ee_unit_shares_sort(groups);
    if (comparison->averages_grouped) ee_unit_shares_group(groups, EE_COMPARED_AVERAGE_BITS);
  }
  ee_sign_flips_sort(&comparison->signs);
  ee_id_hashes_sort(&comparison->trials_together);
  ee_id_hashes_sort(&comparison->trials_apart);
  limit_slices(comparison);
}

/* What attributes are --------------------------------------------------------------------------- */

static void see_attributes(ee_comparison *comparison, ee_side side, const ee_row_judge *judge) {
  const ee_row_attribute *attributes = ee_run_attributes(&comparison->runs[side], judge);
  for (uint32_t i = 0; i < judge->count; i++) {
    ee_attribute_totals *totals = &comparison->known_attributes.items[attributes[i].attribute].totals;
    totals->cases[side]++;
    ee_counts_add(&totals->counts[side], &comparison->known_counts.items[attributes[i].counts]);
  }
}

static void see_case(ee_comparison *comparison, const ee_compared_case *item) {
  const ee_run_rows *runs = comparison->runs;
  for (uint32_t i = 0; i < item->base->judge_count; i++) {
    const ee_row_judge *before = &runs[EE_SIDE_BASE].judges.items[item->base->first_judge + i];
    const ee_row_judge *after = ee_run_judge(&runs[EE_SIDE_NEW], item->fresh, before->judge);
    ee_judge_totals *totals = &comparison->known_judges.items[before->judge].totals;
    if (after == NULL) {
      totals->without[EE_SIDE_NEW]++;
      continue;
    }
    totals->cases++;
    see_attributes(comparison, EE_SIDE_BASE, before);
    see_attributes(comparison, EE_SIDE_NEW, after);
  }
  for (uint32_t i = 0; i < item->fresh->judge_count; i++) {
    const ee_row_judge *after = &runs[EE_SIDE_NEW].judges.items[item->fresh->first_judge + i];
    if (ee_run_judge(&runs[EE_SIDE_BASE], item->base, after->judge) == NULL)
      comparison->known_judges.items[after->judge].totals.without[EE_SIDE_BASE]++;
  }
}

/* Expected on one side, unknown on the other: their rules differ. A key that only one candidate made up does not count:
 * nothing was expected there, so the other side is right not to have it. */
static uint32_t taken_for(const ee_attribute_totals *totals) {
  if (totals->cases[0] + totals->cases[1] == 0) return 0;
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++)
    if (totals->cases[!side] == 0 && totals->counts[side].tp + totals->counts[side].fn > 0)
      return side == EE_SIDE_BASE ? EE_SEEN_ONLY_IN_BASE : EE_SEEN_ONLY_IN_NEW;
  return EE_SEEN_AS_FIELD;
}

/* Pairs ----------------------------------------------------------------------------------------- */

/* `before` and `after` are indices of known_counts, 0 if that side does not have the attribute. */
typedef void visit_pair(void *user, size_t item, uint32_t attribute, uint32_t before, uint32_t after);

/* The fields that either side has in a case. */
typedef struct pair_walk {
  const ee_comparison *comparison;
  size_t *stamps;   /* by attribute: the last turn that had it */
  uint32_t *before; /* by attribute: its counts in the base */
  size_t turn;      /* counts cases and judges */
} pair_walk;

static bool is_field(const ee_comparison *comparison, uint32_t attribute) {
  return comparison->known_attributes.items[attribute].totals.seen_as == EE_SEEN_AS_FIELD;
}

static void walk_judge(pair_walk *walk, size_t item, const ee_row_judge *before, const ee_row_judge *after,
                       visit_pair *visit, void *user) {
  const ee_comparison *comparison = walk->comparison;
  const ee_row_attribute *old = ee_run_attributes(&comparison->runs[EE_SIDE_BASE], before);
  const ee_row_attribute *fresh = ee_run_attributes(&comparison->runs[EE_SIDE_NEW], after);
  walk->turn++;
  for (uint32_t i = 0; i < before->count; i++) {
    walk->stamps[old[i].attribute] = walk->turn;
    walk->before[old[i].attribute] = old[i].counts;
  }
  for (uint32_t i = 0; i < after->count; i++) {
    uint32_t attribute = fresh[i].attribute;
    bool both = walk->stamps[attribute] == walk->turn;
    walk->stamps[attribute] = 0;
    if (is_field(comparison, attribute))
      visit(user, item, attribute, both ? walk->before[attribute] : 0, fresh[i].counts);
  }
  for (uint32_t i = 0; i < before->count; i++) {
    uint32_t attribute = old[i].attribute;
    if (is_field(comparison, attribute) && walk->stamps[attribute] == walk->turn)
      visit(user, item, attribute, old[i].counts, 0);
  }
}

static void pair_walk_init(pair_walk *walk, const ee_comparison *comparison) {
  size_t count = comparison->known_attributes.count + 1;
  *walk = (pair_walk){.comparison = comparison,
                      .stamps = ee_calloc(count, sizeof *walk->stamps),
                      .before = ee_calloc(count, sizeof *walk->before)};
}

static void pair_walk_case(pair_walk *walk, size_t number, visit_pair *visit, void *user) {
  const ee_run_rows *runs = walk->comparison->runs;
  const ee_compared_case *item = &walk->comparison->cases[number];
  for (uint32_t k = 0; k < item->base->judge_count; k++) {
    const ee_row_judge *before = &runs[EE_SIDE_BASE].judges.items[item->base->first_judge + k];
    const ee_row_judge *after = ee_run_judge(&runs[EE_SIDE_NEW], item->fresh, before->judge);
    if (after != NULL) walk_judge(walk, number, before, after, visit, user);
  }
}

static void pair_walk_fini(pair_walk *walk) {
  ee_free(walk->stamps);
  ee_free(walk->before);
}

/* Units ------------------------------------------------------------------------------------------ */

/* The cases, unit by unit, in the order of the first case of each. */
typedef struct unit_list {
  size_t count;
  uint64_t *keys;
  bool *shared;  /* it may have more cases, in other parts too */
  size_t *first; /* unit i has cases[first[i]] .. cases[first[i + 1] - 1] */
  size_t *cases;
} unit_list;

static bool is_shared(const ee_compared_case *item) { return item->base->shares_unit || item->fresh->shares_unit; }

static void open_units(unit_list *units, const ee_comparison *comparison) {
  size_t count = comparison->case_count;
  size_t *unit_of = ee_malloc((count + 1) * sizeof *unit_of);
  *units = (unit_list){.keys = ee_malloc((count + 1) * sizeof *units->keys),
                       .shared = ee_calloc(count + 1, sizeof *units->shared),
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
    units->shared[found] |= known || is_shared(&comparison->cases[i]);
  }
  ee_hash_index_fini(&index);
  for (size_t i = 0; i < units->count; i++) units->first[i + 1] += units->first[i];
  for (size_t i = 0; i < count; i++) units->cases[units->first[unit_of[i]]++] = i;
  for (size_t i = units->count; i > 0; i--) units->first[i] = units->first[i - 1];
  units->first[0] = 0;
  ee_free(unit_of);
}

static void close_units(unit_list *units) {
  ee_free(units->keys);
  ee_free(units->shared);
  ee_free(units->first);
  ee_free(units->cases);
}

/* What a unit has ------------------------------------------------------------------------------- */

typedef struct unit_judge {
  ee_paired_share score, micro;
  bool in_unit, changed;
} unit_judge;

typedef struct unit_field {
  ee_paired_share f1;
  uint64_t wrong[2]; /* cases of the unit with an error */
  bool in_unit;
} unit_field;

typedef struct unit_slice {
  ee_paired_share score;
  bool in_unit;
} unit_slice;

typedef struct walk {
  ee_comparison *comparison;
  unit_list units;
  pair_walk pairs;
  ee_paired_share score, pass, straight;
  unit_judge *judges; /* by known judge, ... */
  unit_field *fields;
  unit_slice *slices;
  ee_paired_share *measures;
  uint32_t *in_judges, *in_fields, *in_slices; /* what the unit has */
  size_t judge_count, field_count, slice_count;
  ee_counts pooled[2]; /* of a case: all fields that are in averages */
  uint64_t key;
  bool shared, grouped;
} walk;

static ee_paired_share share_of(ee_fixed before, ee_fixed after) { return (ee_paired_share){{before, after}, {1, 1}}; }

static ee_paired_share f1_share(const ee_counts *before, const ee_counts *after) {
  const uint64_t right[] = {2 * before->tp, 2 * after->tp};
  return (ee_paired_share){
      {{(__int128)right[0]}, {(__int128)right[1]}},
      {(int64_t)(right[0] + before->fp + before->fn), (int64_t)(right[1] + after->fp + after->fn)}};
}

static void add_change(ee_comparison *comparison, ee_compared_case *item, ee_change change) {
  if (item->fixed + item->broken == 0) item->first_change = comparison->changes.count;
  *EE_LIST_ADD(&comparison->changes, NULL) = change;
}

/* Whether a field of a case was fixed, broken, or is still wrong. */
static void count_change(ee_comparison *comparison, size_t number, uint32_t attribute, uint64_t errors_before,
                         uint64_t errors_after) {
  if (errors_before + errors_after == 0) return;
  ee_compared_case *item = &comparison->cases[number];
  ee_attribute_totals *totals = &comparison->known_attributes.items[attribute].totals;
  if (errors_before > 0 && errors_after > 0) {
    item->still_wrong++;
    totals->still_wrong++;
    totals->fewer += errors_after < errors_before;
    totals->more += errors_after > errors_before;
    return;
  }
  bool broken = errors_after > 0;
  add_change(comparison, item, (ee_change){(uint32_t)number, attribute, broken});
  if (broken) {
    item->broken++;
    totals->broken++;
  } else {
    item->fixed++;
    totals->fixed++;
  }
}

static void collect_pair(void *user, size_t item, uint32_t number, uint32_t before, uint32_t after) {
  walk *self = user;
  ee_comparison *comparison = self->comparison;
  const ee_known_attribute *known = &comparison->known_attributes.items[number];
  const ee_counts *old = &comparison->known_counts.items[before], *fresh = &comparison->known_counts.items[after];
  unit_field *field = &self->fields[number];
  if (!field->in_unit) {
    field->in_unit = true;
    self->in_fields[self->field_count++] = number;
  }
  count_change(comparison, item, number, old->fp + old->fn, fresh->fp + fresh->fn);
  ee_paired_share added = f1_share(old, fresh);
  ee_paired_share_add(&field->f1, &added);
  field->wrong[0] += old->fp + old->fn > 0;
  field->wrong[1] += fresh->fp + fresh->fn > 0;
  if (known->derived) return;
  ee_paired_share_add(&self->judges[known->judge].micro, &added);
  ee_counts_add(&self->pooled[0], old);
  ee_counts_add(&self->pooled[1], fresh);
}

static void collect_judges(walk *self, const ee_compared_case *item) {
  const ee_run_rows *runs = self->comparison->runs;
  for (uint32_t i = 0; i < item->base->judge_count; i++) {
    const ee_row_judge *before = &runs[EE_SIDE_BASE].judges.items[item->base->first_judge + i];
    const ee_row_judge *after = ee_run_judge(&runs[EE_SIDE_NEW], item->fresh, before->judge);
    if (after == NULL) continue;
    unit_judge *judge = &self->judges[before->judge];
    if (!judge->in_unit) {
      judge->in_unit = true;
      self->in_judges[self->judge_count++] = before->judge;
    }
    if (isnan(before->score) || isnan(after->score)) continue;
    ee_paired_share score = share_of(ee_fixed_from(before->score), ee_fixed_from(after->score));
    ee_paired_share_add(&judge->score, &score);
  }
}

/* A case's slices are those of the base's row, or, where it has none, of the new one. */
static void collect_slices(walk *self, const ee_compared_case *item, const ee_paired_share *score) {
  const ee_comparison *comparison = self->comparison;
  const ee_run_row *row = item->base->slice_count > 0 ? item->base : item->fresh;
  const ee_run_rows *run = &comparison->runs[row == item->base ? EE_SIDE_BASE : EE_SIDE_NEW];
  for (uint32_t i = 0; i < row->slice_count; i++) {
    uint32_t number = run->slices.items[row->first_slice + i];
    ee_slice_totals *totals = comparison->known_slices.items[number].totals;
    if (totals == NULL) continue;
    unit_slice *slice = &self->slices[number];
    if (!slice->in_unit) {
      slice->in_unit = true;
      self->in_slices[self->slice_count++] = number;
    }
    ee_paired_share_add(&slice->score, score);
    totals->cases++;
    ee_counts_add(&totals->counts[0], &self->pooled[0]);
    ee_counts_add(&totals->counts[1], &self->pooled[1]);
  }
}

static void add_square(ee_measure_totals *totals, ee_exact_sum *sum, double value) {
  if (isfinite(value * value))
    ee_exact_sum_add(sum, value * value, 1);
  else
    totals->huge = true;
}

/* Of a unit of one case. */
static void add_alone(ee_measure_totals *totals, const double values[2]) {
  double difference = values[1] - values[0];
  totals->units++;
  totals->changed += fabs(difference) > EE_SCORE_SLACK;
  for (int side = 0; side < 2; side++) {
    ee_exact_sum_add(&totals->alone[side], values[side], 1);
    add_square(totals, &totals->squares[side], values[side]);
    totals->low = fmin(totals->low, values[side]);
    totals->high = fmax(totals->high, values[side]);
  }
  totals->huge |= !isfinite(difference);
  if (!isfinite(difference)) return;
  ee_exact_sum_add(&totals->difference, difference, 1);
  add_square(totals, &totals->differences_squared, difference);
  totals->least = fmin(totals->least, difference);
  totals->most = fmax(totals->most, difference);
}

static void collect_measures(walk *self, const ee_compared_case *item) {
  ee_comparison *comparison = self->comparison;
  for (uint32_t m = 0; m < comparison->known_measures.count; m++) {
    double values[2];
    bool old = ee_run_measure(&comparison->runs[EE_SIDE_BASE], item->base, m, &values[0]);
    bool fresh = ee_run_measure(&comparison->runs[EE_SIDE_NEW], item->fresh, m, &values[1]);
    ee_measure_totals *totals = &comparison->known_measures.items[m].totals;
    totals->cases += old && fresh;
    totals->without[EE_SIDE_BASE] += fresh && !old;
    totals->without[EE_SIDE_NEW] += old && !fresh;
    if (!old || !fresh) continue;
    for (int side = 0; side < 2; side++) ee_exact_sum_add(&totals->sums[side], values[side], 1);
    if (!self->shared) {
      add_alone(totals, values);
      continue;
    }
    totals->huge |= fabs(values[0]) > HUGE_MEASURE || fabs(values[1]) > HUGE_MEASURE;
    ee_paired_share added = share_of(ee_fixed_from(values[0]), ee_fixed_from(values[1]));
    ee_paired_share_add(&self->measures[m], &added);
  }
}

static const ee_fixed one = {(__int128)1 << 60};

static ee_paired_share share_of_flags(bool before, bool after) {
  return share_of(before ? one : (ee_fixed){0}, after ? one : (ee_fixed){0});
}

static void collect_case(walk *self, size_t number) {
  const ee_compared_case *item = &self->comparison->cases[number];
  const ee_paired_share score = share_of(ee_fixed_from(item->base->score), ee_fixed_from(item->fresh->score));
  const ee_paired_share pass =
      share_of_flags(item->base->verdict == EE_VERDICT_PASS, item->fresh->verdict == EE_VERDICT_PASS);
  ee_paired_share_add(&self->score, &score);
  ee_paired_share_add(&self->pass, &pass);
  if (item->base->has_corrections && item->fresh->has_corrections) {
    const ee_paired_share straight = share_of_flags(item->base->straight_through, item->fresh->straight_through);
    ee_paired_share_add(&self->straight, &straight);
  }
  self->pooled[0] = self->pooled[1] = (ee_counts){0};
  collect_judges(self, item);
  pair_walk_case(&self->pairs, number, collect_pair, self);
  collect_slices(self, item, &score);
  collect_measures(self, item);
}

/* Adding a unit --------------------------------------------------------------------------------- */

static void add_field(walk *self, uint32_t number) {
  ee_known_attribute *known = &self->comparison->known_attributes.items[number];
  ee_attribute_totals *totals = &known->totals;
  unit_field *field = &self->fields[number];
  add_to_figure(&totals->f1, EE_PAIRED_COUNTS, self->shared, self->key, &field->f1);
  if (self->shared) {
    const ee_paired_share wrong = {{{(__int128)field->wrong[0]}, {(__int128)field->wrong[1]}}, {0, 0}};
    if (field->wrong[0] + field->wrong[1] > 0) ee_unit_shares_add(&totals->wrong, self->key, &wrong);
  } else {
    totals->units_more += field->wrong[1] > field->wrong[0];
    totals->units_fewer += field->wrong[1] < field->wrong[0];
  }
  if (!known->derived) {
    self->judges[known->judge].changed |= ee_paired_share_changed(EE_PAIRED_COUNTS, &field->f1);
    if (self->grouped)
      ee_unit_shares_add_grouped(&totals->groups, EE_COMPARED_AVERAGE_BITS, self->key, &field->f1);
    else
      ee_unit_shares_add(&totals->groups, self->key, &field->f1);
  }
  *field = (unit_field){.in_unit = false};
}

static void add_judge(walk *self, uint32_t number) {
  ee_judge_totals *totals = &self->comparison->known_judges.items[number].totals;
  unit_judge *judge = &self->judges[number];
  add_to_figure(&totals->score, EE_PAIRED_SCORES, self->shared, self->key, &judge->score);
  add_to_figure(&totals->micro, EE_PAIRED_COUNTS, self->shared, self->key, &judge->micro);
  totals->units += !self->shared;
  totals->changed += !self->shared && judge->changed;
  *judge = (unit_judge){.in_unit = false};
}

static void add_unit(walk *self) {
  ee_comparison *comparison = self->comparison;
  const bool shared = self->shared;
  add_to_figure(&comparison->score_figure, EE_PAIRED_SCORES, shared, self->key, &self->score);
  add_to_figure(&comparison->pass_figure, EE_PAIRED_SCORES, shared, self->key, &self->pass);
  if (self->straight.b[0] > 0)
    add_to_figure(&comparison->straight_figure, EE_PAIRED_SCORES, shared, self->key, &self->straight);
  if (!shared) {
    comparison->units_alone++;
    comparison->units_gained += self->pass.a[1].units > self->pass.a[0].units;
    comparison->units_lost += self->pass.a[1].units < self->pass.a[0].units;
    ee_sign_flips_add(&comparison->signs, self->key, (ee_fixed){self->score.a[1].units - self->score.a[0].units});
  }
  for (size_t i = 0; i < self->field_count; i++) add_field(self, self->in_fields[i]);
  for (size_t i = 0; i < self->judge_count; i++) add_judge(self, self->in_judges[i]);
  for (size_t i = 0; i < self->slice_count; i++) {
    unit_slice *slice = &self->slices[self->in_slices[i]];
    add_to_figure(&comparison->known_slices.items[self->in_slices[i]].totals->score, EE_PAIRED_SCORES, shared,
                  self->key, &slice->score);
    *slice = (unit_slice){.in_unit = false};
  }
  for (size_t m = 0; shared && m < comparison->known_measures.count; m++) {
    if (self->measures[m].b[0] > 0)
      ee_unit_shares_add(&comparison->known_measures.items[m].totals.shared, self->key, &self->measures[m]);
    self->measures[m] = (ee_paired_share){.b = {0, 0}};
  }
  self->score = self->pass = self->straight = (ee_paired_share){.b = {0, 0}};
  self->judge_count = self->field_count = self->slice_count = 0;
}

static void open_walk(walk *self, ee_comparison *comparison) {
  const size_t judges = comparison->known_judges.count + 1, attributes = comparison->known_attributes.count + 1,
               slices = comparison->known_slices.count + 1;
  *self = (walk){.comparison = comparison};
  open_units(&self->units, comparison);
  self->grouped = self->units.count > (size_t)1 << EE_COMPARED_AVERAGE_BITS;
  pair_walk_init(&self->pairs, comparison);
  self->judges = ee_calloc(judges, sizeof *self->judges);
  self->fields = ee_calloc(attributes, sizeof *self->fields);
  self->slices = ee_calloc(slices, sizeof *self->slices);
  self->measures = ee_calloc(comparison->known_measures.count + 1, sizeof *self->measures);
  self->in_judges = ee_malloc(judges * sizeof *self->in_judges);
  self->in_fields = ee_malloc(attributes * sizeof *self->in_fields);
  self->in_slices = ee_malloc(slices * sizeof *self->in_slices);
}

static void close_walk(walk *self) {
  close_units(&self->units);
  pair_walk_fini(&self->pairs);
  ee_free(self->judges);
  ee_free(self->fields);
  ee_free(self->slices);
  ee_free(self->measures);
  ee_free(self->in_judges);
  ee_free(self->in_fields);
  ee_free(self->in_slices);
}

void ee_comparison_add_up(ee_comparison *comparison) {
  limit_slices(comparison);
  for (size_t i = 0; i < comparison->case_count; i++) see_case(comparison, &comparison->cases[i]);
  for (size_t i = 0; i < comparison->known_attributes.count; i++) {
    ee_attribute_totals *totals = &comparison->known_attributes.items[i].totals;
    totals->seen_as = taken_for(totals);
  }
  walk self;
  open_walk(&self, comparison);
  for (size_t unit = 0; unit < self.units.count; unit++) {
    self.key = self.units.keys[unit];
    self.shared = self.units.shared[unit];
    for (size_t i = self.units.first[unit]; i < self.units.first[unit + 1]; i++)
      collect_case(&self, self.units.cases[i]);
    add_unit(&self);
  }
  close_walk(&self);
  ee_comparison_settle(comparison);
}
