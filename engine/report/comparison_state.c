/* comparison_state.c: the totals of a comparison as a state line, and their merge. */
#include "report/comparison_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "data/json/json_reader.h"
#include "prim/sort.h"
#include "report/comparison_inside.h"
#include "run/id_set.h"

/* Parts ----------------------------------------------------------------------------------------- */

static ee_status check_limits(const ee_comparison *comparison, ee_error *error) {
  if (comparison->left_out.data != NULL)
    return ee_error_set(error, EE_ERROR_DATA,
                        "--state compares at most %d judges, and there are more: compare the rows in one run",
                        EE_COMPARED_JUDGES);
  if (comparison->others_pooled)
    return ee_error_set(error, EE_ERROR_DATA,
                        "--state compares at most %d fields of a judge and %d of all, and there are more, or the rows "
                        "have them put together as '%s': compare the rows in one run",
                        EE_DATA_ATTRIBUTES, EE_COMPARED_FIELDS, EE_OTHER_NAME);
  if (comparison->mixed_trials.data != NULL)
    return ee_error_set(error, EE_ERROR_DATA,
                        "--state needs rows that are all trials of a case or all not, and case '%.*s' has both: "
                        "compare the rows in one run",
                        (int)ee_utf8_cut(comparison->mixed_trials, 40), comparison->mixed_trials.data);
  return EE_OK;
}

ee_status ee_comparison_finish_part(ee_comparison *comparison, ee_error *error) {
  ee_comparison_total(comparison);
  ee_status status = ee_comparison_check_part(comparison, error);
  return status == EE_OK ? check_limits(comparison, error) : status;
}

void ee_comparison_part_ids(const ee_comparison *comparison, ee_id_hashes *ids) {
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
    const ee_run_rows *run = &comparison->runs[side];
    for (size_t i = 0; i + run->means < run->rows.count; i++)
      ee_id_hashes_add(ids, ee_id_hash(run->rows.items[i].id), EE_ID_HASHES_LIMIT);
  }
  ee_id_hashes_sort(ids);
}

/* Numbers --------------------------------------------------------------------------------------- */

/* A whole number of any size. */
static void whole_state(ee_state_line *line, ee_fixed *sum) {
  enum { LOW_BITS = 62 };
  const unsigned __int128 mask = ((unsigned __int128)1 << LOW_BITS) - 1;
  bool negative = sum->units < 0;
  unsigned __int128 size = negative ? -(unsigned __int128)sum->units : (unsigned __int128)sum->units;
  uint64_t low = (uint64_t)(size & mask), high = (uint64_t)(size >> LOW_BITS) << 1 | negative;
  ee_state_count(line, &low);
  ee_state_count(line, &high);
  if (!ee_state_reading(line)) return;
  if (low > mask || high >> 60 != 0) ee_state_fail(line);
  size = (unsigned __int128)(high >> 1 & (UINT64_MAX >> 5)) << LOW_BITS | (low & (uint64_t)mask);
  sum->units = (high & 1) != 0 ? -(__int128)size : (__int128)size;
}

static void sum_state(ee_state_line *line, ee_paired_kind kind, ee_fixed *sum) {
  if (kind == EE_PAIRED_COUNTS)
    whole_state(line, sum);
  else
    ee_state_fixed(line, sum);
}

static void real_state(ee_state_line *line, double *value) {
  ee_state_real(line, value);
  if (isfinite(*value)) return;
  ee_state_fail(line);
  *value = 0;
}

static bool has_a(int product) {
  return product != EE_PRODUCT_BB && product != EE_PRODUCT_B_DB && product != EE_PRODUCT_DB_DB;
}

EE_STATE_COVERS(ee_paired_moments, 288);

static void moments_state(ee_state_line *line, ee_paired_kind kind, ee_paired_moments *moments) {
  ee_state_begin(line);
  ee_state_count(line, &moments->units);
  ee_state_counts(line, moments->side_units, 2);
  ee_state_count(line, &moments->changed);
  sum_state(line, kind, &moments->a);
  whole_state(line, &moments->b);
  sum_state(line, kind, &moments->da);
  whole_state(line, &moments->db);
  for (int i = 0; i < EE_PAIRED_PRODUCTS; i++)
    sum_state(line, has_a(i) ? kind : EE_PAIRED_COUNTS, &moments->products[i]);
  for (int i = 0; i < 2; i++) sum_state(line, kind, &moments->largest[i]);
  ee_state_end(line);
}

/* What most units have is the same in both runs. */
static void share_state(ee_state_line *line, ee_paired_kind kind, ee_paired_share *share) {
  ee_fixed parts[] = {share->a[0], {share->b[0]}, {share->a[1].units - share->a[0].units}, {share->b[1] - share->b[0]}};
  for (int i = 0; i < 4; i++) {
    if (kind == EE_PAIRED_COUNTS || i % 2 == 1) {
      uint64_t bits = (uint64_t)(parts[i].units < 0 ? ~(2 * parts[i].units) : 2 * parts[i].units);
      ee_state_count(line, &bits);
      parts[i].units = (bits & 1) != 0 ? ~(__int128)(bits >> 1) : (__int128)(bits >> 1);
    } else {
      ee_state_fixed(line, &parts[i]);
    }
  }
  if (!ee_state_reading(line)) return;
  __int128 after = parts[1].units + parts[3].units;
  const __int128 most = (__int128)1 << 62;
  if (parts[1].units < 0 || parts[1].units > most || after < 0 || after > most) ee_state_fail(line);
  *share = (ee_paired_share){{parts[0], {parts[0].units + parts[2].units}}, {(int64_t)parts[1].units, (int64_t)after}};
}

/* `bits`: of the groups that the keys are of; 0: they are of units. */
static void shares_state(ee_state_line *line, ee_paired_kind kind, unsigned bits, ee_unit_shares *shares) {
  const unsigned shift = bits > 0 ? 64 - bits : 0;
  ee_state_begin_packed(line);
  size_t count = ee_state_items(line, shares->count);
  uint64_t before = 0;
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_unit_share unit = {0};
    if (!ee_state_reading(line)) unit = shares->items[i];
    uint64_t number = unit.key >> shift, step = number - before;
    ee_state_count(line, &step);
    number = before + step;
    share_state(line, kind, &unit.share);
    if (ee_state_reading(line)) {
      unit.key = bits > 0 ? number << shift | 1 : number;
      if ((i > 0 && step == 0) || number < before || (bits > 0 && number >> bits != 0)) ee_state_fail(line);
      ee_unit_shares_add(shares, unit.key, &unit.share);
    }
    before = number;
  }
  ee_state_end(line);
  ee_state_end_packed(line);
}

typedef struct state {
  ee_state_line *line;
  ee_comparison *comparison;
  unsigned cluster_bits, average_bits;
  uint32_t *judges, *attributes; /* numbers by place in the state */
  uint32_t *judge_place, *attribute_place;
  size_t judge_count, attribute_count;
} state;

static void figure_state(state *self, ee_paired_kind kind, ee_figure *figure) {
  moments_state(self->line, kind, &figure->alone);
  shares_state(self->line, kind, self->cluster_bits, &figure->shared);
}

/* Names ----------------------------------------------------------------------------------------- */

typedef struct named {
  uint32_t group, number;
  ee_str name, second;
} named;

static bool named_before(const named *a, const named *b) {
  if (a->group != b->group) return a->group < b->group;
  int order = ee_str_compare(a->name, b->name);
  return order != 0 ? order < 0 : ee_str_compare(a->second, b->second) < 0;
}
EE_DEFINE_SORT(sort_named, named, named_before)

static void name_state(state *self, ee_str *name) {
  ee_state_text(self->line, &self->comparison->arena, name);
  if (name->data == NULL) {
    if (ee_state_reading(self->line)) ee_state_fail(self->line);
    *name = EE_STR("");
  }
}

static void place_state(state *self, uint32_t *place) { ee_state_small(self->line, place, UINT32_MAX); }

static void judge_totals_state(state *self, ee_judge_totals *totals) {
  ee_state_count(self->line, &totals->cases);
  ee_state_counts(self->line, totals->without, 2);
  ee_state_count(self->line, &totals->units);
  ee_state_count(self->line, &totals->changed);
  figure_state(self, EE_PAIRED_SCORES, &totals->score);
  figure_state(self, EE_PAIRED_COUNTS, &totals->micro);
}

EE_STATE_COVERS(ee_judge_totals, 48 + 2 * sizeof(ee_figure));

static named *sort_judges(const ee_comparison *comparison, ee_arena *arena) {
  size_t count = comparison->known_judges.count;
  named *list = EE_NEW_ARRAY(arena, named, count + 1);
  for (uint32_t i = 0; i < count; i++) list[i] = (named){.number = i, .name = comparison->known_judges.items[i].name};
  sort_named(list, count, arena);
  return list;
}

static void judges_state(state *self, ee_arena *scratch) {
  ee_comparison *comparison = self->comparison;
  bool reading = ee_state_reading(self->line);
  named *list = reading ? NULL : sort_judges(comparison, scratch);
  self->judge_count = ee_state_items(self->line, comparison->known_judges.count);
  self->judges = EE_NEW_ARRAY(scratch, uint32_t, self->judge_count + 1);
  self->judge_place = EE_NEW_ARRAY(scratch, uint32_t, self->judge_count + 1);
  for (size_t i = 0; i < self->judge_count; i++) {
    ee_known_judge judge = {.place = 0};
    if (!reading) judge = comparison->known_judges.items[list[i].number];
    ee_state_begin(self->line);
    name_state(self, &judge.name);
    name_state(self, &judge.type);
    place_state(self, &judge.place);
    uint32_t number =
        reading ? ee_comparison_number_judge(comparison, judge.name, judge.type, judge.place) : list[i].number;
    /* Each is there once, so it is the last one now. */
    if (number == EE_NO_NUMBER || (reading && number != i)) {
      ee_state_fail(self->line);
      ee_state_end(self->line);
      self->judge_count = i;
      break;
    }
    self->judges[i] = number;
    self->judge_place[number] = (uint32_t)i;
    judge_totals_state(self, &comparison->known_judges.items[number].totals);
    ee_state_end(self->line);
  }
  ee_state_end(self->line);
}

static void attribute_totals_state(state *self, ee_attribute_totals *totals) {
  ee_state_line *line = self->line;
  ee_state_counts(line, totals->cases, 2);
  ee_state_confusion(line, &totals->counts[0]);
  ee_state_confusion(line, &totals->counts[1]);
  ee_state_count(line, &totals->fixed);
  ee_state_count(line, &totals->broken);
  ee_state_count(line, &totals->still_wrong);
  ee_state_count(line, &totals->fewer);
  ee_state_count(line, &totals->more);
  ee_state_count(line, &totals->units_more);
  ee_state_count(line, &totals->units_fewer);
  ee_state_small(line, &totals->seen_as, EE_SEEN_ONLY_IN_NEW);
  if (totals->seen_as == 3) ee_state_fail(line);
  figure_state(self, EE_PAIRED_COUNTS, &totals->f1);
  shares_state(line, EE_PAIRED_COUNTS, self->cluster_bits, &totals->wrong);
  shares_state(line, EE_PAIRED_COUNTS, self->average_bits, &totals->groups);
}

EE_STATE_COVERS(ee_attribute_totals, 80 + 2 * sizeof(ee_counts) + sizeof(ee_figure) + 2 * sizeof(ee_unit_shares));

static named *sort_attributes(const state *self, ee_arena *arena) {
  const ee_comparison *comparison = self->comparison;
  size_t count = comparison->known_attributes.count;
  named *list = EE_NEW_ARRAY(arena, named, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    const ee_known_attribute *known = &comparison->known_attributes.items[i];
    list[i] = (named){.group = self->judge_place[known->judge], .number = i, .name = known->name};
  }
  sort_named(list, count, arena);
  return list;
}

static void attributes_state(state *self, ee_arena *scratch) {
  ee_comparison *comparison = self->comparison;
  bool reading = ee_state_reading(self->line);
  named *list = reading ? NULL : sort_attributes(self, scratch);
  self->attribute_count = ee_state_items(self->line, comparison->known_attributes.count);
  self->attributes = EE_NEW_ARRAY(scratch, uint32_t, self->attribute_count + 1);
  self->attribute_place = EE_NEW_ARRAY(scratch, uint32_t, self->attribute_count + 1);
  for (size_t i = 0; i < self->attribute_count; i++) {
    ee_known_attribute known = {.place = 0};
    uint32_t judge = 0, number = EE_NO_NUMBER;
    if (!reading) {
      known = comparison->known_attributes.items[list[i].number];
      judge = self->judge_place[known.judge];
    }
    ee_state_begin(self->line);
    ee_state_small(self->line, &judge, self->judge_count > 0 ? (uint32_t)self->judge_count - 1 : 0);
    name_state(self, &known.name);
    ee_state_flag(self->line, &known.derived);
    place_state(self, &known.place);
    if (!reading)
      number = list[i].number;
    else if (self->judge_count > 0 && !ee_state_failed(self->line))
      number = ee_comparison_number_attribute(comparison, self->judges[judge], known.name, known.derived, known.place);
    if (number == EE_NO_NUMBER || (reading && number != i)) {
      ee_state_fail(self->line);
      ee_state_end(self->line);
      self->attribute_count = i;
      break;
    }
    self->attributes[i] = number;
    self->attribute_place[number] = (uint32_t)i;
    attribute_totals_state(self, &comparison->known_attributes.items[number].totals);
    ee_state_end(self->line);
  }
  ee_state_end(self->line);
}

/* Those that are compared. */
static named *sort_slices(const ee_comparison *comparison, size_t *count, ee_arena *arena) {
  named *list = EE_NEW_ARRAY(arena, named, comparison->known_slices.count + 1);
  *count = 0;
  for (uint32_t i = 0; i < comparison->known_slices.count; i++) {
    const ee_known_slice *slice = &comparison->known_slices.items[i];
    if (slice->totals != NULL) list[(*count)++] = (named){.number = i, .name = slice->path, .second = slice->value};
  }
  sort_named(list, *count, arena);
  return list;
}

EE_STATE_COVERS(ee_slice_totals, 16 + 2 * sizeof(ee_counts) + sizeof(ee_figure));

static void slices_state(state *self, ee_arena *scratch) {
  ee_comparison *comparison = self->comparison;
  ee_state_line *line = self->line;
  bool reading = ee_state_reading(line);
  size_t count = 0;
  named *list = reading ? NULL : sort_slices(comparison, &count, scratch);
  ee_state_flag(line, &comparison->slices_left_out);
  count = ee_state_items(line, count);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_known_slice slice = {.place = 0};
    if (!reading) slice = comparison->known_slices.items[list[i].number];
    ee_state_begin(line);
    name_state(self, &slice.path);
    name_state(self, &slice.value);
    place_state(self, &slice.place);
    if (reading) {
      uint32_t number = ee_comparison_number_slice(comparison, slice.path, slice.value, slice.place);
      if (number != i || i >= EE_COMPARED_SLICES) {
        ee_state_fail(line);
        ee_state_end(line);
        break;
      }
      slice.totals = comparison->known_slices.items[number].totals = ee_calloc(1, sizeof *slice.totals);
    }
    ee_state_count(line, &slice.totals->cases);
    ee_state_confusion(line, &slice.totals->counts[0]);
    ee_state_confusion(line, &slice.totals->counts[1]);
    figure_state(self, EE_PAIRED_SCORES, &slice.totals->score);
    ee_state_end(line);
  }
  ee_state_end(line);
}

EE_STATE_COVERS(ee_measure_totals, 24 + 24 + 8 * sizeof(ee_exact_sum) + 32 + sizeof(ee_unit_shares));

static void measure_totals_state(state *self, ee_measure_totals *totals) {
  ee_state_line *line = self->line;
  ee_state_count(line, &totals->cases);
  ee_state_counts(line, totals->without, 2);
  for (int side = 0; side < 2; side++) {
    ee_state_exact_sum(line, &totals->sums[side]);
    ee_state_exact_sum(line, &totals->alone[side]);
    ee_state_exact_sum(line, &totals->squares[side]);
  }
  ee_state_count(line, &totals->units);
  ee_state_count(line, &totals->changed);
  ee_state_flag(line, &totals->huge);
  ee_state_exact_sum(line, &totals->difference);
  ee_state_exact_sum(line, &totals->differences_squared);
  real_state(line, &totals->low);
  real_state(line, &totals->high);
  real_state(line, &totals->least);
  real_state(line, &totals->most);
  shares_state(line, EE_PAIRED_SCORES, self->cluster_bits, &totals->shared);
}

static void measures_state(state *self, ee_arena *scratch) {
  ee_comparison *comparison = self->comparison;
  ee_state_line *line = self->line;
  bool reading = ee_state_reading(line);
  size_t count = comparison->known_measures.count;
  named *list = EE_NEW_ARRAY(scratch, named, count + 1);
  for (uint32_t i = 0; i < count; i++) list[i] = (named){.number = i, .name = comparison->known_measures.items[i].name};
  sort_named(list, count, scratch);
  count = ee_state_items(line, count < EE_COMPARED_MEASURES ? count : EE_COMPARED_MEASURES);
  for (size_t i = 0; ee_state_goes_on(line, i, count); i++) {
    ee_str name = {0};
    if (!reading) name = list[i].name;
    uint32_t number = reading ? 0 : list[i].number,
             place = reading ? 0 : comparison->known_measures.items[number].place;
    ee_state_begin(line);
    name_state(self, &name);
    place_state(self, &place);
    if (reading) number = ee_comparison_number_measure(comparison, name, place);
    if (reading && number != i) ee_state_fail(line);
    measure_totals_state(self, &comparison->known_measures.items[number].totals);
    ee_state_end(line);
  }
  ee_state_end(line);
}

/* Cases ----------------------------------------------------------------------------------------- */

/* A value as JSON, or nothing. */
static void json_state(state *self, ee_str *text, ee_arena *scratch) {
  ee_state_text(self->line, &self->comparison->arena, text);
  if (!ee_state_reading(self->line) || text->data == NULL) return;
  if (ee_json_read(scratch, *text, NULL, NULL) == NULL) ee_state_fail(self->line);
}

static void values_state(state *self, ee_run_rows *run, ee_row_judge *judge, ee_arena *scratch) {
  ee_state_line *line = self->line;
  bool reading = ee_state_reading(line);
  ee_state_flag(line, &judge->cut);
  size_t count = ee_state_items(line, judge->value_count);
  if (reading) judge->first_value = run->values.count;
  if (reading) judge->value_count = (uint32_t)count;
  if (count > EE_COMPARED_VALUES) {
    ee_state_fail(line);
    judge->value_count = 0;
    count = 0;
  }
  for (size_t i = 0; i < count; i++) {
    ee_row_value value = {.path = {0}};
    if (!reading) value = run->values.items[judge->first_value + i];
    ee_state_begin(line);
    name_state(self, &value.path);
    json_state(self, &value.expected, scratch);
    json_state(self, &value.candidate, scratch);
    ee_state_text(line, &self->comparison->arena, &value.reason);
    ee_state_text(line, &self->comparison->arena, &value.kind);
    ee_state_end(line);
    if (reading) *EE_LIST_ADD(&run->values, NULL) = value;
  }
  ee_state_end(line);
}

/* The judges that both runs have with a value that is wrong in one of them. */
static uint32_t count_judges(const ee_comparison *comparison, const ee_compared_case *item) {
  const ee_run_rows *runs = comparison->runs;
  uint32_t count = 0;
  for (uint32_t i = 0; i < item->base->judge_count; i++) {
    const ee_row_judge *before = &runs[EE_SIDE_BASE].judges.items[item->base->first_judge + i];
    const ee_row_judge *after = ee_run_judge(&runs[EE_SIDE_NEW], item->fresh, before->judge);
    count += after != NULL && before->value_count + after->value_count > 0;
  }
  return count;
}

static void judge_values_state(state *self, ee_row_judge *before, ee_row_judge *after, ee_arena *scratch) {
  ee_comparison *comparison = self->comparison;
  uint32_t judge = ee_state_reading(self->line) ? 0 : self->judge_place[before->judge];
  ee_state_begin(self->line);
  ee_state_small(self->line, &judge, self->judge_count > 0 ? (uint32_t)self->judge_count - 1 : 0);
  if (ee_state_reading(self->line)) before->judge = after->judge = self->judge_count > 0 ? self->judges[judge] : 0;
  values_state(self, &comparison->runs[EE_SIDE_BASE], before, scratch);
  values_state(self, &comparison->runs[EE_SIDE_NEW], after, scratch);
  ee_state_end(self->line);
}

static void write_case_values(state *self, const ee_compared_case *item, ee_arena *scratch) {
  ee_run_rows *runs = self->comparison->runs;
  ee_state_items(self->line, count_judges(self->comparison, item));
  for (uint32_t i = 0; i < item->base->judge_count; i++) {
    ee_row_judge before = runs[EE_SIDE_BASE].judges.items[item->base->first_judge + i];
    const ee_row_judge *after = ee_run_judge(&runs[EE_SIDE_NEW], item->fresh, before.judge);
    if (after == NULL || before.value_count + after->value_count == 0) continue;
    judge_values_state(self, &before,
                       &(ee_row_judge){.judge = after->judge,
                                       .first_value = after->first_value,
                                       .value_count = after->value_count,
                                       .cut = after->cut},
                       scratch);
  }
  ee_state_end(self->line);
}

static void read_case_values(state *self, ee_run_row rows[2], ee_arena *scratch) {
  ee_run_rows *runs = self->comparison->runs;
  size_t count = ee_state_items(self->line, 0);
  for (int side = 0; side < 2; side++) rows[side].first_judge = runs[side].judges.count;
  for (size_t i = 0; i < count && !ee_state_failed(self->line); i++) {
    ee_row_judge judges[2] = {{.score = NAN}, {.score = NAN}};
    judge_values_state(self, &judges[0], &judges[1], scratch);
    for (int side = 0; side < 2; side++) {
      *EE_LIST_ADD(&runs[side].judges, NULL) = judges[side];
      rows[side].judge_count++;
    }
  }
  ee_state_end(self->line);
}

static void changes_state(state *self, ee_compared_case *item, uint32_t number) {
  ee_comparison *comparison = self->comparison;
  ee_state_line *line = self->line;
  bool reading = ee_state_reading(line);
  size_t count = ee_state_items(line, item->fixed + item->broken);
  if (reading) item->first_change = comparison->changes.count;
  for (size_t i = 0; i < count; i++) {
    ee_change change = {.item = number};
    uint32_t place = 0;
    if (!reading) {
      change = comparison->changes.items[item->first_change + i];
      place = self->attribute_place[change.attribute];
    }
    /* The place and the direction in one number, so that the list is flat. */
    uint64_t both = (uint64_t)place << 1 | change.broken;
    ee_state_count(line, &both);
    if (!reading) continue;
    change.broken = (both & 1) != 0;
    if (both >> 1 >= self->attribute_count) {
      ee_state_fail(line);
      break;
    }
    change.attribute = self->attributes[both >> 1];
    item->fixed += !change.broken;
    item->broken += change.broken;
    *EE_LIST_ADD(&comparison->changes, NULL) = change;
  }
  ee_state_end(line);
}

static void case_state(state *self, ee_compared_case *item, ee_run_row rows[2], uint32_t number, ee_arena *scratch) {
  ee_state_line *line = self->line;
  ee_state_begin(line);
  name_state(self, &rows[0].id);
  for (int side = 0; side < 2; side++) {
    uint32_t verdict = rows[side].verdict;
    real_state(line, &rows[side].score);
    ee_state_small(line, &verdict, EE_VERDICT_FAIL);
    rows[side].verdict = (ee_verdict)verdict;
    ee_state_count(line, &rows[side].line);
  }
  ee_state_small(line, &item->still_wrong, UINT32_MAX);
  changes_state(self, item, number);
  if (ee_state_reading(line))
    read_case_values(self, rows, scratch);
  else
    write_case_values(self, item, scratch);
  ee_state_end(line);
}

/* The numbers of the cases that are kept, those that got worse first. */
static size_t choose_cases(const ee_comparison *comparison, size_t **chosen, ee_arena *arena) {
  size_t *worse, *better;
  size_t worse_count = ee_comparison_worse(comparison, arena, &worse);
  size_t better_count = ee_comparison_better(comparison, arena, &better), count = 0;
  *chosen = EE_NEW_ARRAY(arena, size_t, 2 * EE_STATE_CASES);
  for (size_t i = 0; i < worse_count && i < EE_STATE_CASES; i++) (*chosen)[count++] = worse[i];
  for (size_t i = 0; i < better_count && i < EE_STATE_CASES; i++) (*chosen)[count++] = better[i];
  return count;
}

/* What rows say of a case, judged again. */
static void judge_case(const ee_comparison *comparison, ee_compared_case *item) {
  item->delta = item->fresh->score - item->base->score;
  item->outcome = ee_comparison_outcome_of(item->delta, comparison->options.threshold);
  item->gain = ee_comparison_gain(item->base->score, item->delta);
}

static void write_cases(state *self, ee_arena *scratch) {
  const ee_comparison *comparison = self->comparison;
  size_t *chosen, count = choose_cases(comparison, &chosen, scratch);
  ee_state_items(self->line, count);
  for (size_t i = 0; i < count; i++) {
    ee_compared_case item = comparison->cases[chosen[i]];
    ee_run_row rows[] = {*item.base, *item.fresh};
    case_state(self, &item, rows, 0, scratch);
  }
  ee_state_end(self->line);
}

static void read_cases(state *self, ee_arena *scratch) {
  ee_comparison *comparison = self->comparison;
  size_t count = ee_state_items(self->line, 0);
  if (count > 2 * EE_STATE_CASES) {
    ee_state_fail(self->line);
    count = 0;
  }
  comparison->cases = ee_calloc(count + 1, sizeof *comparison->cases);
  /* Reserved, so that they stay where they are. */
  for (int side = 0; side < 2; side++) EE_LIST_RESERVE(&comparison->runs[side].rows, NULL, count + 1);
  for (size_t i = 0; i < count && !ee_state_failed(self->line); i++) {
    ee_compared_case *item = &comparison->cases[i];
    ee_run_row rows[2] = {{.score = 0}, {.score = 0}};
    case_state(self, item, rows, (uint32_t)i, scratch);
    rows[1].id = rows[0].id;
    for (int side = 0; side < 2; side++) *EE_LIST_ADD(&comparison->runs[side].rows, NULL) = rows[side];
    item->base = &comparison->runs[0].rows.items[i];
    item->fresh = &comparison->runs[1].rows.items[i];
    judge_case(comparison, item);
    comparison->listed++;
  }
  ee_state_end(self->line);
}

/* Everything ------------------------------------------------------------------------------------ */

static void first_ids_state(state *self, ee_first_ids *first) {
  ee_state_begin(self->line);
  for (size_t i = 0; i < EE_IDS_NAMED; i++) ee_state_text(self->line, &self->comparison->arena, &first->ids[i]);
  ee_state_end(self->line);
}

EE_STATE_COVERS(ee_sign_flips, 80);

static void signs_state(ee_state_line *line, ee_sign_flips *signs) {
  ee_state_count(line, &signs->differences);
  whole_state(line, &signs->sum);
  whole_state(line, &signs->squares);
  ee_state_begin_packed(line);
  size_t count = ee_state_items(line, signs->count);
  for (size_t i = 0; i < count; i++) {
    ee_signed_size unit = {0};
    if (!ee_state_reading(line)) unit = signs->items[i];
    uint64_t size = (uint64_t)unit.size;
    ee_state_count(line, &unit.key);
    ee_state_count(line, &size);
    unit.size = (int64_t)size;
    if (size == 0 || size > EE_LARGEST_SIGNED_SIZE) ee_state_fail(line);
    if (ee_state_reading(line) && !ee_state_failed(line)) *EE_LIST_ADD(signs, NULL) = unit;
  }
  ee_state_end(line);
  ee_state_end_packed(line);
  if (signs->count > signs->differences) ee_state_fail(line);
}

static void counts_state(state *self) {
  ee_comparison *comparison = self->comparison;
  ee_state_line *line = self->line;
  uint64_t cases = comparison->case_count;
  ee_state_counts(line, comparison->rows, 2);
  for (int side = 0; side < 2; side++) {
    ee_state_count(line, &comparison->runs[side].unreadable);
    ee_state_count(line, &comparison->runs[side].duplicates);
    ee_state_sample(line, &comparison->row_scores[side]);
    ee_state_sample(line, &comparison->scores[side]);
    ee_state_count(line, &comparison->lone[side]);
    first_ids_state(self, &comparison->lone_ids[side]);
  }
  ee_state_count(line, &cases);
  comparison->case_count = (size_t)cases;
  ee_state_count(line, &comparison->averaged);
  ee_state_count(line, &comparison->unscored);
  ee_state_count(line, &comparison->other_expected);
  first_ids_state(self, &comparison->other_expected_ids);
  ee_state_count(line, &comparison->other_rules);
  first_ids_state(self, &comparison->other_rules_ids);
  ee_state_count(line, &comparison->on_trust);
  ee_state_counts(line, comparison->outcomes, 3);
  ee_state_count(line, &comparison->changed);
  for (size_t before = 0; before < 3; before++) ee_state_counts(line, comparison->verdicts[before], 3);
  ee_state_fixed(line, &comparison->gain_sum);
  ee_state_count(line, &comparison->gains);
  ee_state_counts(line, comparison->worse, 2);
  ee_state_counts(line, comparison->better, 2);
  ee_state_count(line, &comparison->values_changed);
  ee_state_count(line, &comparison->units_alone);
  ee_state_count(line, &comparison->units_gained);
  ee_state_count(line, &comparison->units_lost);
  ee_id_hashes_state(line, &comparison->trials_together);
  ee_id_hashes_state(line, &comparison->trials_apart);
}

/* Of a name of files: what all have at their start and at their end. */
static void names_state(state *self) {
  for (int side = 0; side < 2; side++) {
    ee_file_names *names = &self->comparison->file_names[side];
    name_state(self, &names->start);
    name_state(self, &names->end);
    ee_state_count(self->line, &names->shortest);
    ee_state_flag(self->line, &names->several);
  }
}

static void all_state(state *self, ee_arena *scratch) {
  ee_comparison *comparison = self->comparison;
  ee_state_line *line = self->line;
  real_state(line, &comparison->options.threshold);
  ee_state_flag(line, &comparison->options.common);
  ee_state_flag(line, &comparison->options.force);
  names_state(self);
  counts_state(self);
  ee_state_flag(line, &comparison->clusters_grouped);
  ee_state_flag(line, &comparison->averages_grouped);
  self->cluster_bits = comparison->clusters_grouped ? EE_COMPARED_CLUSTER_BITS : 0;
  self->average_bits = comparison->averages_grouped ? EE_COMPARED_AVERAGE_BITS : 0;
  figure_state(self, EE_PAIRED_SCORES, &comparison->score_figure);
  figure_state(self, EE_PAIRED_SCORES, &comparison->pass_figure);
  figure_state(self, EE_PAIRED_SCORES, &comparison->straight_figure);
  signs_state(line, &comparison->signs);
  judges_state(self, scratch);
  attributes_state(self, scratch);
  slices_state(self, scratch);
  measures_state(self, scratch);
  if (ee_state_reading(line))
    read_cases(self, scratch);
  else
    write_cases(self, scratch);
}

void ee_comparison_state(ee_state_line *line, ee_comparison *comparison) {
  state self = {.line = line, .comparison = comparison};
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  if (!ee_state_reading(line) && !comparison->is_merged) {
    comparison->values_changed = ee_comparison_count_values(comparison);
    for (int side = 0; side < 2; side++) {
      ee_str name = ee_str_from(ee_comparison_name(comparison, (ee_side)side));
      comparison->file_names[side] = (ee_file_names){name, name, name.length, false};
    }
  }
  ee_state_begin(line);
  all_state(&self, &scratch);
  ee_state_end(line);
  if (ee_state_reading(line)) comparison->is_merged = true;
  ee_arena_fini(&scratch);
}

/* Merging --------------------------------------------------------------------------------------- */

static ee_str kept(ee_comparison *comparison, ee_str text) {
  if (text.data == NULL) return text;
  return (ee_str){ee_arena_copy(&comparison->arena, text.data, text.length), text.length};
}

static void merge_first_ids(ee_comparison *comparison, ee_first_ids *first, const ee_first_ids *from) {
  for (size_t i = 0; i < EE_IDS_NAMED && from->ids[i].data != NULL; i++)
    ee_first_ids_add(first, kept(comparison, from->ids[i]));
}

static void merge_counts(ee_comparison *comparison, const ee_comparison *from) {
  for (int side = 0; side < 2; side++) {
    comparison->rows[side] += from->rows[side];
    comparison->runs[side].unreadable += from->runs[side].unreadable;
    comparison->runs[side].duplicates += from->runs[side].duplicates;
    ee_sample_merge(&comparison->row_scores[side], &from->row_scores[side]);
    ee_sample_merge(&comparison->scores[side], &from->scores[side]);
    comparison->lone[side] += from->lone[side];
    comparison->worse[side] += from->worse[side];
    comparison->better[side] += from->better[side];
    merge_first_ids(comparison, &comparison->lone_ids[side], &from->lone_ids[side]);
  }
  comparison->case_count += from->case_count;
  comparison->averaged += from->averaged;
  comparison->unscored += from->unscored;
  comparison->other_expected += from->other_expected;
  merge_first_ids(comparison, &comparison->other_expected_ids, &from->other_expected_ids);
  comparison->other_rules += from->other_rules;
  merge_first_ids(comparison, &comparison->other_rules_ids, &from->other_rules_ids);
  comparison->on_trust += from->on_trust;
  for (size_t i = 0; i < 3; i++) {
    comparison->outcomes[i] += from->outcomes[i];
    for (size_t k = 0; k < 3; k++) comparison->verdicts[i][k] += from->verdicts[i][k];
  }
  comparison->changed += from->changed;
  ee_fixed_add(&comparison->gain_sum, from->gain_sum);
  comparison->gains += from->gains;
  comparison->values_changed += from->values_changed;
  comparison->units_alone += from->units_alone;
  comparison->units_gained += from->units_gained;
  comparison->units_lost += from->units_lost;
  comparison->slices_left_out |= from->slices_left_out;
  comparison->clusters_grouped |= from->clusters_grouped;
  comparison->averages_grouped |= from->averages_grouped;
  ee_figure_merge(&comparison->score_figure, &from->score_figure);
  ee_figure_merge(&comparison->pass_figure, &from->pass_figure);
  ee_figure_merge(&comparison->straight_figure, &from->straight_figure);
  ee_sign_flips_merge(&comparison->signs, &from->signs);
}

static const char *taken_text(uint32_t seen_as) {
  return seen_as == EE_SEEN_AS_FIELD       ? "both runs"
         : seen_as == EE_SEEN_ONLY_IN_BASE ? "the base only"
                                           : "the new run only";
}

static ee_status merge_attribute(ee_comparison *comparison, const ee_comparison *from, uint32_t judge, size_t number,
                                 uint32_t *to, ee_error *error) {
  const ee_known_attribute *other = &from->known_attributes.items[number];
  size_t before = comparison->known_attributes.count;
  *to = ee_comparison_number_attribute(comparison, judge, other->name, false, other->place);
  if (*to == EE_NO_NUMBER)
    return ee_error_set(error, EE_ERROR_RULES,
                        "more than %d fields of a judge or %d of all: compare the rows in one run", EE_DATA_ATTRIBUTES,
                        EE_COMPARED_FIELDS);
  ee_known_attribute *known = &comparison->known_attributes.items[*to];
  uint32_t seen = known->totals.seen_as | other->totals.seen_as;
  bool derived = before == comparison->known_attributes.count && known->derived != other->derived;
  known->derived |= other->derived;
  if (derived || (seen & (seen - 1)) != 0) {
    int length = (int)ee_utf8_cut(other->name, 40);
    return derived ? ee_error_set(error, EE_ERROR_RULES,
                                  "'%.*s' counts in averages in some parts only: their rules differ, so compare the "
                                  "rows in one run",
                                  length, other->name.data)
                   : ee_error_set(error, EE_ERROR_RULES,
                                  "field '%.*s' is in %s in some parts and in %s in others: their rules differ, so "
                                  "compare the rows in one run",
                                  length, other->name.data, taken_text(known->totals.seen_as),
                                  taken_text(other->totals.seen_as));
  }
  ee_attribute_totals_merge(&known->totals, &other->totals);
  return EE_OK;
}

static ee_status merge_names(ee_comparison *comparison, const ee_comparison *from, uint32_t *judges,
                             uint32_t *attributes, ee_error *error) {
  for (size_t i = 0; i < from->known_judges.count; i++) {
    const ee_known_judge *other = &from->known_judges.items[i];
    judges[i] = ee_comparison_number_judge(comparison, other->name, other->type, other->place);
    if (judges[i] == EE_NO_NUMBER)
      return ee_error_set(error, EE_ERROR_RULES, "more than %d judges: compare the rows in one run",
                          EE_COMPARED_JUDGES);
    ee_judge_totals_merge(&comparison->known_judges.items[judges[i]].totals, &other->totals);
  }
  for (size_t i = 0; i < from->known_attributes.count; i++) {
    ee_status status =
        merge_attribute(comparison, from, judges[from->known_attributes.items[i].judge], i, &attributes[i], error);
    if (status != EE_OK) return status;
  }
  for (size_t i = 0; i < from->known_slices.count; i++) {
    const ee_known_slice *other = &from->known_slices.items[i];
    if (other->totals == NULL) continue;
    uint32_t number = ee_comparison_number_slice(comparison, other->path, other->value, other->place);
    ee_known_slice *slice = &comparison->known_slices.items[number];
    if (slice->totals == NULL) slice->totals = ee_calloc(1, sizeof *slice->totals);
    ee_slice_totals_merge(slice->totals, other->totals);
  }
  for (size_t i = 0; i < from->known_measures.count; i++) {
    const ee_known_measure *other = &from->known_measures.items[i];
    uint32_t number = ee_comparison_number_measure(comparison, other->name, other->place);
    ee_measure_totals_merge(&comparison->known_measures.items[number].totals, &other->totals);
  }
  return EE_OK;
}

/* A row with its values. */
static ee_run_row copy_row(ee_comparison *comparison, int side, const ee_comparison *from, const ee_run_row *row,
                           const uint32_t *judges) {
  ee_run_rows *to = &comparison->runs[side];
  const ee_run_rows *run = &from->runs[side];
  ee_run_row copied = *row;
  copied.id = kept(comparison, row->id);
  copied.base = (ee_str){0};
  copied.first_judge = to->judges.count;
  copied.measure_count = copied.slice_count = 0;
  for (uint32_t i = 0; i < row->judge_count; i++) {
    ee_row_judge judge = run->judges.items[row->first_judge + i];
    size_t first = to->values.count;
    for (uint32_t k = 0; k < judge.value_count; k++) {
      const ee_row_value *value = &run->values.items[judge.first_value + k];
      *EE_LIST_ADD(&to->values, NULL) = (ee_row_value){kept(comparison, value->path), kept(comparison, value->expected),
                                                       kept(comparison, value->candidate),
                                                       kept(comparison, value->reason), kept(comparison, value->kind)};
    }
    judge.judge = judges[judge.judge];
    judge.first_value = first;
    judge.count = 0;
    *EE_LIST_ADD(&to->judges, NULL) = judge;
  }
  return copied;
}

/* The cases of both that changed by most. Those of `comparison` are renumbered. */
static void merge_cases(ee_comparison *comparison, const ee_comparison *from, const uint32_t *judges,
                        const uint32_t *attributes) {
  size_t before = comparison->listed, all = before + from->listed;
  ee_compared_case *cases = ee_calloc(all + 1, sizeof *cases);
  ee_run_row *rows[2];
  for (int side = 0; side < 2; side++) {
    rows[side] = ee_calloc(all + 1, sizeof *rows[side]);
    for (size_t i = 0; i < before; i++)
      rows[side][i] = side == 0 ? *comparison->cases[i].base : *comparison->cases[i].fresh;
    for (size_t i = 0; i < from->listed; i++)
      rows[side][before + i] =
          copy_row(comparison, side, from, side == 0 ? from->cases[i].base : from->cases[i].fresh, judges);
  }
  for (size_t i = 0; i < all; i++) {
    cases[i] = i < before ? comparison->cases[i] : from->cases[i - before];
    cases[i].base = &rows[0][i];
    cases[i].fresh = &rows[1][i];
    if (i < before) continue;
    size_t first = comparison->changes.count;
    for (size_t k = 0; k < cases[i].fixed + cases[i].broken; k++) {
      ee_change change = from->changes.items[cases[i].first_change + k];
      change.attribute = attributes[change.attribute];
      *EE_LIST_ADD(&comparison->changes, NULL) = change;
    }
    cases[i].first_change = first;
  }
  ee_free(comparison->cases);
  comparison->cases = cases;
  comparison->listed = all;
  ee_arena scratch;
  ee_arena_init(&scratch, 0);
  size_t *chosen, count = choose_cases(comparison, &chosen, &scratch);
  ee_compared_case *left = ee_calloc(count + 1, sizeof *left);
  struct {
    EE_LIST(ee_change);
  } changes = {0};
  for (int side = 0; side < 2; side++) {
    EE_LIST_FINI(&comparison->runs[side].rows);
    EE_LIST_RESERVE(&comparison->runs[side].rows, NULL, count + 1);
  }
  for (size_t i = 0; i < count; i++) {
    left[i] = cases[chosen[i]];
    size_t first = changes.count;
    for (size_t k = 0; k < left[i].fixed + left[i].broken; k++) {
      ee_change change = comparison->changes.items[left[i].first_change + k];
      change.item = (uint32_t)i;
      *EE_LIST_ADD(&changes, NULL) = change;
    }
    left[i].first_change = first;
    *EE_LIST_ADD(&comparison->runs[0].rows, NULL) = *left[i].base;
    *EE_LIST_ADD(&comparison->runs[1].rows, NULL) = *left[i].fresh;
    left[i].base = &comparison->runs[0].rows.items[i];
    left[i].fresh = &comparison->runs[1].rows.items[i];
  }
  EE_LIST_FINI(&comparison->changes);
  comparison->changes.items = changes.items;
  comparison->changes.count = changes.count;
  comparison->changes.capacity = changes.capacity;
  ee_free(cases);
  for (int side = 0; side < 2; side++) ee_free(rows[side]);
  comparison->cases = left;
  comparison->listed = count;
  ee_arena_fini(&scratch);
}

static size_t common_start(ee_str a, ee_str b) {
  size_t length = 0;
  while (length < a.length && length < b.length && a.data[length] == b.data[length]) length++;
  return length;
}

static size_t common_end(ee_str a, ee_str b) {
  size_t length = 0;
  while (length < a.length && length < b.length && a.data[a.length - 1 - length] == b.data[b.length - 1 - length])
    length++;
  return length;
}

static void merge_file_names(ee_comparison *comparison, const ee_comparison *from) {
  for (int side = 0; side < 2; side++) {
    ee_file_names *to = &comparison->file_names[side];
    const ee_file_names *other = &from->file_names[side];
    if (to->start.data == NULL) {
      *to = (ee_file_names){kept(comparison, other->start), kept(comparison, other->end), other->shortest,
                            other->several};
      continue;
    }
    to->several |= other->several || !ee_str_equal(to->start, other->start);
    to->start.length = common_start(to->start, other->start);
    size_t end = common_end(to->end, other->end);
    to->end = (ee_str){to->end.data + (to->end.length - end), end};
    if (other->shortest < to->shortest) to->shortest = other->shortest;
  }
}

static void add_hashes(ee_id_hashes *to, const ee_id_hashes *from) {
  for (size_t i = 0; i < from->count; i++) *EE_LIST_ADD(to, NULL) = from->items[i];
}

static int compare_hashes(const void *left, const void *right) {
  const uint64_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* Keeps hashes that occur several times as several. */
static void sort_hashes(ee_id_hashes *hashes) {
  if (hashes->count > 1) qsort(hashes->items, hashes->count, sizeof *hashes->items, compare_hashes);
}

ee_status ee_comparison_merge(ee_comparison *comparison, const ee_comparison *from, ee_error *error) {
  uint32_t *judges = ee_calloc(from->known_judges.count + 1, sizeof *judges);
  uint32_t *attributes = ee_calloc(from->known_attributes.count + 1, sizeof *attributes);
  comparison->is_merged = true;
  merge_file_names(comparison, from);
  merge_counts(comparison, from);
  ee_status status = merge_names(comparison, from, judges, attributes, error);
  if (status == EE_OK) merge_cases(comparison, from, judges, attributes);
  add_hashes(&comparison->trials_together, &from->trials_together);
  add_hashes(&comparison->trials_apart, &from->trials_apart);
  ee_free(judges);
  ee_free(attributes);
  return status;
}

ee_status ee_comparison_check_trials(const ee_comparison *comparison, const ee_id_hashes *ids, ee_error *error) {
  ee_id_hashes together = {0}, apart = {0};
  add_hashes(&together, &comparison->trials_together);
  add_hashes(&apart, &comparison->trials_apart);
  sort_hashes(&together);
  sort_hashes(&apart);
  uint64_t bad = 0;
  for (size_t i = 0; i < apart.count; i++)
    bad += (i > 0 && apart.items[i] == apart.items[i - 1]) || ee_id_hashes_has(&together, apart.items[i]) ||
           ee_id_hashes_has(ids, apart.items[i]);
  for (size_t i = 0; i < together.count; i++) bad += ee_id_hashes_has(ids, together.items[i]);
  ee_id_hashes_fini(&together);
  ee_id_hashes_fini(&apart);
  if (bad == 0) return EE_OK;
  return ee_error_set(error, EE_ERROR_RULES,
                      "trials of %" PRIu64
                      " case%s are in several parts, and the runs have other trials of %s: cut the "
                      "rows so that all trials of a case are in one part",
                      bad, bad == 1 ? "" : "s", bad == 1 ? "it" : "them");
}

/* "base.jsonl", "part-*.jsonl" */
static const char *name_of_files(ee_comparison *comparison, const ee_file_names *names) {
  size_t start = ee_utf8_cut(names->start, names->start.length), end = names->end.length;
  if (!names->several) return ee_arena_printf(&comparison->arena, "%.*s", EE_STR_ARG(names->start));
  if (start + end > names->shortest) end = names->shortest - start;
  ee_str tail = {names->end.data + (names->end.length - end), end};
  while (tail.length > 0 && ((unsigned char)tail.data[0] & 0xc0) == 0x80)
    tail = (ee_str){tail.data + 1, tail.length - 1};
  return ee_arena_printf(&comparison->arena, "%.*s*%.*s", (int)start, names->start.data, EE_STR_ARG(tail));
}

ee_status ee_comparison_finish_merged(ee_comparison *comparison, ee_error *error) {
  for (int side = 0; side < 2; side++)
    if (comparison->options.names[side] == NULL)
      comparison->options.names[side] = name_of_files(comparison, &comparison->file_names[side]);
  ee_comparison_settle(comparison);
  return ee_comparison_conclude(comparison, error);
}

void ee_comparison_settle_merged(ee_comparison *comparison) { ee_comparison_settle(comparison); }

uint64_t ee_comparison_total_cases(const ee_comparison *comparison) { return comparison->case_count; }

uint64_t ee_comparison_skipped(const ee_comparison *comparison) {
  const ee_run_rows *runs = comparison->runs;
  return runs[0].unreadable + runs[0].duplicates + runs[1].unreadable + runs[1].duplicates;
}

size_t ee_comparison_changed_cases(const ee_comparison *comparison, size_t *listed) {
  size_t changed = (size_t)(comparison->worse[0] + comparison->better[0]);
  *listed = comparison->is_merged ? comparison->listed : changed;
  return changed;
}
