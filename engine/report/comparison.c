/* comparison.c: which cases two runs share, what became of each, and the steps from their rows to a report. */
#include "report/comparison.h"

#include <math.h>

#include "base/memory.h"
#include "prim/sort.h"
#include "report/comparison_inside.h"

const char *ee_comparison_name(const ee_comparison *comparison, ee_side side) {
  const char *name = comparison->options.names[side];
  return name != NULL ? name : side == EE_SIDE_BASE ? "base" : "new";
}

/* Joining --------------------------------------------------------------------------------------- */

static bool has_other_expected(const ee_compared_case *item) {
  return item->base->has_hash && item->fresh->has_hash && item->base->expected_hash != item->fresh->expected_hash;
}

static bool has_other_rules(const ee_compared_case *item) {
  return item->base->has_rules_hash && item->fresh->has_rules_hash && item->base->rules_hash != item->fresh->rules_hash;
}

static void join(ee_comparison *comparison) {
  ee_run_rows *base = &comparison->runs[EE_SIDE_BASE], *fresh = &comparison->runs[EE_SIDE_NEW];
  size_t next = 0;
  comparison->cases = ee_calloc(base->rows.count + 1, sizeof *comparison->cases);
  for (size_t i = 0; i < base->rows.count; i++) {
    const ee_run_row *row = &base->rows.items[i];
    if (row->averaged) continue;
    uint32_t partner = ee_run_find_near(fresh, row->id, &next);
    if (partner == EE_NO_NUMBER) {
      ee_first_ids_add(&comparison->lone_ids[EE_SIDE_BASE], row->id);
      continue;
    }
    if (comparison->skipped != NULL && comparison->skipped[i]) {
      comparison->elsewhere++;
      continue;
    }
    if (row->unscored || fresh->rows.items[partner].unscored) {
      comparison->unscored++;
      continue;
    }
    ee_compared_case *item = &comparison->cases[comparison->case_count++];
    *item = (ee_compared_case){.base = row, .fresh = &fresh->rows.items[partner]};
    comparison->on_trust += !item->base->has_hash || !item->fresh->has_hash;
    if (has_other_expected(item)) {
      comparison->other_expected++;
      ee_first_ids_add(&comparison->other_expected_ids, row->id);
    }
    if (has_other_rules(item)) {
      comparison->other_rules++;
      ee_first_ids_add(&comparison->other_rules_ids, row->id);
    }
  }
  comparison->listed = comparison->case_count;
  uint64_t joined = comparison->case_count + comparison->unscored + comparison->elsewhere;
  comparison->lone[EE_SIDE_BASE] = base->rows.count - base->averaged - joined;
  comparison->lone[EE_SIDE_NEW] = fresh->rows.count - fresh->averaged - joined;
  next = 0;
  for (size_t i = 0; comparison->lone[EE_SIDE_NEW] > 0 && i < fresh->rows.count; i++)
    if (!fresh->rows.items[i].averaged && ee_run_find_near(base, fresh->rows.items[i].id, &next) == EE_NO_NUMBER)
      ee_first_ids_add(&comparison->lone_ids[EE_SIDE_NEW], fresh->rows.items[i].id);
}

/* The rows, also of cases that the other run does not have. */
static void count_rows(ee_comparison *comparison) {
  for (int side = EE_SIDE_BASE; side <= EE_SIDE_NEW; side++) {
    const ee_run_rows *run = &comparison->runs[side];
    comparison->rows[side] = run->rows.count - run->means;
    for (size_t i = 0; i < run->rows.count; i++)
      if (!run->rows.items[i].unscored && !run->rows.items[i].averaged)
        ee_sample_add(&comparison->row_scores[side], run->rows.items[i].score);
  }
}

/* Cases ----------------------------------------------------------------------------------------- */

/* 0.3 - 0.2 reaches a threshold of 0.1, though as a double it is a little less. */
ee_comparison_outcome ee_comparison_outcome_of(double delta, double threshold) {
  double size = fabs(delta);
  if (size <= EE_SCORE_SLACK || size < threshold - EE_SCORE_SLACK) return EE_OUTCOME_TIE;
  return delta > 0 ? EE_OUTCOME_WIN : EE_OUTCOME_LOSS;
}

ee_metric ee_comparison_gain(double base, double delta) {
  if (base >= 1 - EE_SCORE_SLACK) return (ee_metric){false, 0};
  return (ee_metric){true, delta / (1 - base)};
}

static void judge_cases(ee_comparison *comparison) {
  for (size_t i = 0; i < comparison->case_count; i++) {
    ee_compared_case *item = &comparison->cases[i];
    item->delta = item->fresh->score - item->base->score;
    item->outcome = ee_comparison_outcome_of(item->delta, comparison->options.threshold);
    item->gain = ee_comparison_gain(item->base->score, item->delta);
    comparison->outcomes[item->outcome]++;
    comparison->changed += fabs(item->delta) > EE_SCORE_SLACK;
    comparison->verdicts[item->base->verdict][item->fresh->verdict]++;
    ee_sample_add(&comparison->scores[EE_SIDE_BASE], item->base->score);
    ee_sample_add(&comparison->scores[EE_SIDE_NEW], item->fresh->score);
    if (!item->gain.defined) continue;
    ee_fixed_add(&comparison->gain_sum, ee_fixed_from(item->gain.value));
    comparison->gains++;
  }
}

/* Orders ---------------------------------------------------------------------------------------- */

static bool lost_pass(const ee_compared_case *item) {
  return item->base->verdict == EE_VERDICT_PASS && item->fresh->verdict != EE_VERDICT_PASS;
}

static bool won_pass(const ee_compared_case *item) {
  return item->base->verdict != EE_VERDICT_PASS && item->fresh->verdict == EE_VERDICT_PASS;
}

static bool is_worse(const ee_compared_case *item) {
  if (item->outcome == EE_OUTCOME_TIE) return item->broken > 0 || lost_pass(item);
  return item->outcome == EE_OUTCOME_LOSS;
}

static bool is_better(const ee_compared_case *item) {
  if (is_worse(item)) return false;
  return item->outcome == EE_OUTCOME_WIN || item->fixed > 0 || won_pass(item);
}

ee_case_change ee_comparison_change(const ee_compared_case *item) {
  return is_worse(item) ? EE_CASE_WORSE : is_better(item) ? EE_CASE_BETTER : EE_CASE_SAME;
}

/* A case or a field in a list, sorted by falling loss; then by name, so that the order of the rows does not matter. */
typedef struct ranked {
  double loss;
  int64_t fields; /* broken, less those fixed */
  ee_str name;
  size_t number;
} ranked;

static bool ranked_before(const ranked *a, const ranked *b) {
  if (a->loss != b->loss) return a->loss > b->loss;
  if (a->fields != b->fields) return a->fields > b->fields;
  return ee_str_compare(a->name, b->name) < 0;
}
EE_DEFINE_SORT(sort_ranked, ranked, ranked_before)

/* `sign` 1: the largest loss first; -1: the largest gain first. */
static size_t rank_cases(const ee_comparison *comparison, bool (*is_in)(const ee_compared_case *), int sign,
                         ee_arena *arena, size_t **order) {
  size_t count = 0;
  for (size_t i = 0; i < comparison->listed; i++) count += is_in(&comparison->cases[i]);
  ranked *list = EE_NEW_ARRAY(arena, ranked, count + 1);
  count = 0;
  for (size_t i = 0; i < comparison->listed; i++) {
    const ee_compared_case *item = &comparison->cases[i];
    if (!is_in(item)) continue;
    double loss = fabs(item->delta) <= EE_SCORE_SLACK ? 0 : -item->delta;
    list[count++] = (ranked){sign * loss, sign * ((int64_t)item->broken - (int64_t)item->fixed), item->base->id, i};
  }
  sort_ranked(list, count, arena);
  *order = EE_NEW_ARRAY(arena, size_t, count + 1);
  for (size_t i = 0; i < count; i++) (*order)[i] = list[i].number;
  return count;
}

size_t ee_comparison_worse(const ee_comparison *comparison, ee_arena *arena, size_t **order) {
  return rank_cases(comparison, is_worse, 1, arena, order);
}

size_t ee_comparison_better(const ee_comparison *comparison, ee_arena *arena, size_t **order) {
  return rank_cases(comparison, is_better, -1, arena, order);
}

size_t ee_comparison_rank_fields(const ee_comparison *comparison, ee_arena *arena, size_t **order) {
  ranked *list = EE_NEW_ARRAY(arena, ranked, comparison->field_count + 1);
  size_t count = 0;
  for (size_t i = 0; i < comparison->field_count; i++) {
    const ee_compared_field *field = &comparison->fields[i];
    if (field->fixed + field->broken + field->fewer + field->more == 0) continue;
    /* Fields are in an order of their own already. */
    list[count++] = (ranked){(double)field->broken - (double)field->fixed,
                             (int64_t)(field->broken + field->more) - (int64_t)field->fewer,
                             {0},
                             i};
  }
  sort_ranked(list, count, arena);
  *order = EE_NEW_ARRAY(arena, size_t, count + 1);
  for (size_t i = 0; i < count; i++) (*order)[i] = list[i].number;
  return count;
}

bool ee_comparison_has_degrees(const ee_comparison *comparison) {
  for (size_t i = 0; i < comparison->field_count; i++)
    if (comparison->fields[i].fewer + comparison->fields[i].more > 0) return true;
  return false;
}

ee_str ee_comparison_field_name(const ee_comparison *comparison, uint32_t number, ee_arena *arena) {
  const ee_known_attribute *known = &comparison->known_attributes.items[number];
  ee_str judge = comparison->known_judges.items[known->judge].name, attribute = known->name;
  if (attribute.length == 0) attribute = EE_STR("\"\"");
  if (!comparison->several_judges) return attribute;
  size_t length = judge.length + 2 + attribute.length;
  char *text = ee_arena_alloc(arena, length);
  memcpy(text, judge.data, judge.length);
  memcpy(text + judge.length, ": ", 2);
  memcpy(text + judge.length + 2, attribute.data, attribute.length);
  return (ee_str){text, length};
}

const char *ee_comparison_share(ee_arena *arena, ee_metric metric) {
  return ee_cell_metric(arena, metric, EE_INK_PLAIN).text.data;
}

/* Everything ------------------------------------------------------------------------------------ */

/* What the cases add up to. */
static void count_changes(ee_comparison *comparison) {
  for (size_t i = 0; i < comparison->case_count; i++) {
    const ee_compared_case *item = &comparison->cases[i];
    const bool tied = item->outcome == EE_OUTCOME_TIE;
    ee_case_change change = ee_comparison_change(item);
    comparison->worse[0] += change == EE_CASE_WORSE;
    comparison->worse[1] += change == EE_CASE_WORSE && tied;
    comparison->better[0] += change == EE_CASE_BETTER;
    comparison->better[1] += change == EE_CASE_BETTER && tied;
  }
}

void ee_comparison_total(ee_comparison *comparison) {
  ee_comparison_average_trials(comparison);
  count_rows(comparison);
  join(comparison);
  judge_cases(comparison);
  ee_comparison_add_up(comparison);
  count_changes(comparison);
}

ee_status ee_comparison_conclude(ee_comparison *comparison, ee_error *error) {
  ee_status status = ee_comparison_check(comparison, error);
  if (status != EE_OK) return status;
  ee_comparison_estimate(comparison);
  ee_comparison_add_notes(comparison);
  ee_comparison_decide(comparison);
  return EE_OK;
}

ee_status ee_comparison_finish(ee_comparison *comparison, ee_error *error) {
  ee_comparison_total(comparison);
  return ee_comparison_conclude(comparison, error);
}

static void free_run(ee_run_rows *run) {
  EE_LIST_FINI(&run->rows);
  EE_LIST_FINI(&run->judges);
  EE_LIST_FINI(&run->attributes);
  EE_LIST_FINI(&run->values);
  EE_LIST_FINI(&run->measures);
  EE_LIST_FINI(&run->slices);
}

ee_comparison *ee_comparison_new(const ee_comparison_options *options) {
  ee_comparison *comparison = ee_calloc(1, sizeof *comparison);
  comparison->options = *options;
  if (!(comparison->options.confidence > 0)) comparison->options.confidence = EE_USUAL_CONFIDENCE;
  ee_arena_init(&comparison->arena, 0);
  comparison->judge_index.arena = comparison->attribute_index.arena = comparison->slice_index.arena =
      comparison->measure_index.arena = comparison->counts_index.arena = comparison->runs[EE_SIDE_BASE].ids.arena =
          comparison->runs[EE_SIDE_NEW].ids.arena = &comparison->arena;
  ee_comparison_number_counts(comparison, &(ee_counts){0});
  return comparison;
}

void ee_comparison_free(ee_comparison *comparison) {
  if (comparison == NULL) return;
  free_run(&comparison->runs[EE_SIDE_BASE]);
  free_run(&comparison->runs[EE_SIDE_NEW]);
  ee_id_hashes_fini(&comparison->trials_together);
  ee_id_hashes_fini(&comparison->trials_apart);
  ee_comparison_free_totals(comparison);
  EE_LIST_FINI(&comparison->known_judges);
  EE_LIST_FINI(&comparison->known_attributes);
  EE_LIST_FINI(&comparison->known_counts);
  EE_LIST_FINI(&comparison->known_measures);
  EE_LIST_FINI(&comparison->known_slices);
  ee_free(comparison->cases);
  ee_free(comparison->judges);
  ee_free(comparison->measures);
  ee_free(comparison->slices);
  ee_free(comparison->fields);
  EE_LIST_FINI(&comparison->changes);
  ee_free(comparison->field_of);
  ee_free(comparison->lone_fields);
  EE_LIST_FINI(&comparison->notes);
  ee_arena_fini(&comparison->arena);
  ee_free(comparison);
}
