/* test_comparison_twin.c: comparisons of random runs against a slow version that looks everything up by name, and
 * resamples case by case. */
#include "report/made_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CASES = 14, MOST_FIELDS = MADE_JUDGES * MADE_ATTRIBUTES };

/* The twin -------------------------------------------------------------------------------------- */

typedef struct twin_field {
  ee_str judge, name;
  bool derived, lone;
  ee_counts counts[2][MOST_CASES]; /* of cases that have the judge on both sides */
} twin_field;

typedef struct twin {
  const ee_stored_row *rows[2][MOST_CASES];
  size_t cases;
  twin_field fields[MOST_FIELDS];
  size_t field_count;
} twin;

static const ee_stored_row *find_row(const made_run *run, ee_str id) {
  for (size_t i = 0; i < run->count; i++)
    if (ee_str_equal(run->rows[i].id, id)) return &run->rows[i];
  return NULL;
}

static const ee_stored_judge *find_judge(const ee_stored_row *row, ee_str name) {
  for (size_t i = 0; i < row->judge_count; i++)
    if (ee_str_equal(row->judges[i].name, name)) return &row->judges[i];
  return NULL;
}

static const ee_stored_attribute *find_attribute(const ee_stored_judge *judge, ee_str name) {
  for (size_t i = 0; i < judge->attribute_count; i++)
    if (ee_str_equal(judge->attributes[i].name, name)) return &judge->attributes[i];
  return NULL;
}

static bool has_both(const twin *self, size_t i, ee_str judge) {
  return find_judge(self->rows[0][i], judge) != NULL && find_judge(self->rows[1][i], judge) != NULL;
}

/* Every field that could be, and what the cases say of it. */
static void twin_fields(twin *self) {
  for (size_t j = 0; j < MADE_JUDGES; j++) {
    for (size_t a = 0; a < MADE_ATTRIBUTES; a++) {
      twin_field *field = &self->fields[self->field_count];
      static char names[MADE_JUDGES][16], labels[MADE_ATTRIBUTES][16];
      snprintf(names[j], sizeof names[j], "judge %zu", j);
      snprintf(labels[a], sizeof labels[a], "field %zu", a);
      *field = (twin_field){.judge = ee_str_from(names[j]), .name = ee_str_from(labels[a])};
      size_t mentioned[2] = {0, 0};
      uint64_t expected[2] = {0, 0};
      for (size_t i = 0; i < self->cases; i++) {
        for (int side = 0; side < 2; side++) {
          const ee_stored_judge *judge = find_judge(self->rows[side][i], field->judge);
          const ee_stored_attribute *found = judge != NULL ? find_attribute(judge, field->name) : NULL;
          if (found == NULL) continue;
          field->derived |= found->derived;
          if (!has_both(self, i, field->judge)) continue;
          mentioned[side]++;
          expected[side] += found->counts.tp + found->counts.fn;
          field->counts[side][i] = found->counts;
        }
      }
      if (mentioned[0] + mentioned[1] == 0) continue;
      field->lone = (mentioned[0] == 0 && expected[1] > 0) || (mentioned[1] == 0 && expected[0] > 0);
      self->field_count++;
    }
  }
}

/* micro and macro F1 of one side over the cases in `drawn`. */
static void twin_f1(const twin *self, ee_str judge, int side, const size_t *drawn, double out[2]) {
  ee_counts counts[MOST_FIELDS], pooled = {0};
  size_t count = 0;
  for (size_t k = 0; k < self->field_count; k++) {
    const twin_field *field = &self->fields[k];
    if (field->lone || field->derived || !ee_str_equal(field->judge, judge)) continue;
    counts[count] = (ee_counts){0};
    for (size_t i = 0; i < self->cases; i++) ee_counts_add(&counts[count], &field->counts[side][drawn[i]]);
    ee_counts_add(&pooled, &counts[count++]);
  }
  /* A mean over fields in plain floating point, each F1 from precision and recall. */
  double sum = 0;
  size_t defined = 0;
  for (size_t k = 0; k < count; k++) {
    const ee_counts *c = &counts[k];
    if (c->tp + c->fp + c->fn == 0) continue;
    double p = c->tp + c->fp > 0 ? (double)c->tp / (double)(c->tp + c->fp) : 0;
    double r = c->tp + c->fn > 0 ? (double)c->tp / (double)(c->tp + c->fn) : 0;
    sum += p + r > 0 ? 2 * p * r / (p + r) : 0;
    defined++;
  }
  out[0] = pooled.tp + pooled.fp + pooled.fn > 0
               ? 2 * (double)pooled.tp / (double)(2 * pooled.tp + pooled.fp + pooled.fn)
               : NAN;
  out[1] = defined > 0 ? sum / (double)defined : NAN;
}

enum { SCORE, MICRO, MACRO, COST, FIGURES };

static const double *find_cost(const ee_stored_row *row) {
  return row->measure_count > 0 && row->measures[0].state == EE_MEASURE_READ ? &row->measures[0].value : NULL;
}

/* The mean over the drawn cases that have it on both sides. */
static double twin_cost(const twin *self, int side, const size_t *drawn) {
  double sum = 0, count = 0;
  for (size_t i = 0; i < self->cases; i++) {
    const double *costs[] = {find_cost(self->rows[0][drawn[i]]), find_cost(self->rows[1][drawn[i]])};
    if (costs[0] == NULL || costs[1] == NULL) continue;
    sum += *costs[side];
    count++;
  }
  return count > 0 ? sum / count : NAN;
}

/* before, after, change of each figure. */
static void twin_figures(const twin *self, ee_str judge, const size_t *drawn, double out[FIGURES][3]) {
  for (int side = 0; side < 2; side++) {
    double sum = 0, f1[2];
    for (size_t i = 0; i < self->cases; i++) sum += self->rows[side][drawn[i]]->score;
    out[SCORE][side] = sum / (double)self->cases;
    twin_f1(self, judge, side, drawn, f1);
    out[MICRO][side] = f1[0];
    out[MACRO][side] = f1[1];
    out[COST][side] = twin_cost(self, side, drawn);
  }
  for (int k = 0; k < FIGURES; k++) out[k][2] = out[k][1] - out[k][0]; /* NaN where one is */
}

static int compare_numbers(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void assert_near(double got, double expected, const char *what) {
  if (isnan(got) && isnan(expected)) return;
  if (!(fabs(got - expected) <= 1e-12)) fail_msg("%s: %.17g, not %.17g", what, got, expected);
}

static void assert_metric(ee_metric got, double expected, const char *what) {
  assert_near(got.defined ? got.value : NAN, expected, what);
}

static void check_estimate(const ee_estimate *got, const double expected[3], double *values[3], const size_t count[3],
                           const char *what) {
  const ee_metric *metrics[] = {&got->before, &got->after, &got->change};
  const ee_interval *ranges[] = {&got->before_range, &got->after_range, &got->change_range};
  for (int k = 0; k < 3; k++) {
    assert_metric(*metrics[k], expected[k], what);
    qsort(values[k], count[k], sizeof(double), compare_numbers);
    /* The smallest of them that 2.5 and 97.5 in a hundred do not exceed. */
    double low = count[k] > 0 ? values[k][(size_t)ceil((double)count[k] * 25 / 1000) - 1] : NAN;
    double high = count[k] > 0 ? values[k][(size_t)ceil((double)count[k] * 975 / 1000) - 1] : NAN;
    assert_near(ranges[k]->low, low, what);
    assert_near(ranges[k]->high, high, what);
  }
}

static void check_judge(const twin *self, const ee_comparison *comparison, const ee_compared_judge *judge) {
  ee_str name = comparison->known_judges.items[judge->judge].name;
  size_t all[MOST_CASES], counts[FIGURES][3] = {{0}};
  double expected[FIGURES][3], *values[FIGURES][3];
  for (size_t i = 0; i < MOST_CASES; i++) all[i] = i;
  twin_figures(self, name, all, expected);
  for (int f = 0; f < FIGURES; f++)
    for (int k = 0; k < 3; k++) values[f][k] = malloc(EE_BOOTSTRAP_RESAMPLES * sizeof(double));
  ee_draws draws;
  ee_draws_start(&draws, EE_BOOTSTRAP_SEED);
  for (int r = 0; r < EE_BOOTSTRAP_RESAMPLES; r++) {
    size_t drawn[MOST_CASES];
    double got[FIGURES][3];
    for (size_t i = 0; i < self->cases; i++) drawn[i] = (size_t)ee_draws_below(&draws, self->cases);
    twin_figures(self, name, drawn, got);
    for (int f = 0; f < FIGURES; f++)
      for (int k = 0; k < 3; k++)
        if (!isnan(got[f][k])) values[f][k][counts[f][k]++] = got[f][k];
  }
  check_estimate(&comparison->score, expected[SCORE], values[SCORE], counts[SCORE], "score");
  if (comparison->known_measures.count > 0)
    check_estimate(&comparison->measures[0].mean, expected[COST], values[COST], counts[COST], "cost");
  if (judge->any_counts) {
    check_estimate(&judge->micro, expected[MICRO], values[MICRO], counts[MICRO], "micro");
    check_estimate(&judge->macro, expected[MACRO], values[MACRO], counts[MACRO], "macro");
  }
  for (int f = 0; f < FIGURES; f++)
    for (int k = 0; k < 3; k++) free(values[f][k]);
}

/* Fields ---------------------------------------------------------------------------------------- */

static const ee_compared_field *find_field(const ee_comparison *comparison, const twin_field *wanted) {
  for (size_t i = 0; i < comparison->field_count; i++) {
    const ee_known_attribute *known = &comparison->known_attributes.items[comparison->fields[i].attribute];
    if (ee_str_equal(known->name, wanted->name) &&
        ee_str_equal(comparison->known_judges.items[known->judge].name, wanted->judge))
      return &comparison->fields[i];
  }
  return NULL;
}

static bool is_listed(const ee_comparison *comparison, const ee_compared_field *field, size_t item, bool broken) {
  size_t number = (size_t)(field - comparison->fields), by_field = 0, by_case = 0;
  for (size_t i = 0; i < field->fixed + field->broken; i++) {
    const ee_change *change = &comparison->changes.items[comparison->field_changes[field->first_change + i]];
    assert_int_equal(change->field, number);
    by_field += change->item == item && change->broken == broken;
  }
  const ee_compared_case *at = &comparison->cases[item];
  for (size_t i = 0; i < at->fixed + at->broken; i++) {
    const ee_change *change = &comparison->changes.items[at->first_change + i];
    assert_int_equal(change->item, item);
    by_case += change->field == number && change->broken == broken;
  }
  assert_true(by_field == by_case && by_field <= 1);
  return by_field == 1;
}

static void check_field(const twin *self, const ee_comparison *comparison, const twin_field *wanted) {
  const ee_compared_field *field = find_field(comparison, wanted);
  if (wanted->lone) {
    assert_null(field);
    return;
  }
  assert_non_null(field);
  assert_int_equal(comparison->known_attributes.items[field->attribute].derived, wanted->derived);
  uint64_t fixed = 0, broken = 0, wrong = 0, right = 0, fewer = 0, more = 0;
  for (size_t i = 0; i < self->cases; i++) {
    if (!has_both(self, i, wanted->judge)) continue;
    uint64_t before = wanted->counts[0][i].fp + wanted->counts[0][i].fn;
    uint64_t after = wanted->counts[1][i].fp + wanted->counts[1][i].fn;
    fixed += before > 0 && after == 0;
    broken += before == 0 && after > 0;
    wrong += before > 0 && after > 0;
    right += before == 0 && after == 0;
    fewer += before > after && after > 0;
    more += after > before && before > 0;
    assert_int_equal(is_listed(comparison, field, i, true), before == 0 && after > 0);
    assert_int_equal(is_listed(comparison, field, i, false), before > 0 && after == 0);
  }
  assert_true(field->fixed == fixed && field->broken == broken && field->still_wrong == wrong);
  assert_true(field->still_right == right && field->fewer == fewer && field->more == more);
}

static void check_fields(const twin *self, const ee_comparison *comparison) {
  size_t lone = 0;
  for (size_t i = 0; i < self->field_count; i++) {
    check_field(self, comparison, &self->fields[i]);
    lone += self->fields[i].lone;
  }
  assert_int_equal(comparison->lone_field_count, lone);
  assert_int_equal(comparison->field_count, self->field_count - lone);
}

/* Cases ----------------------------------------------------------------------------------------- */

static void check_cases(const twin *self, const ee_comparison *comparison, double threshold) {
  uint64_t outcomes[3] = {0}, verdicts[3][3] = {{0}}, gains = 0;
  double gain = 0;
  assert_int_equal(comparison->case_count, self->cases);
  for (size_t i = 0; i < self->cases; i++) {
    const ee_compared_case *item = &comparison->cases[i];
    double before = self->rows[0][i]->score, after = self->rows[1][i]->score, delta = after - before;
    assert_true(ee_str_equal(item->base->id, self->rows[0][i]->id));
    assert_true(item->delta == delta);
    bool moved = fabs(delta) > 1e-9 && fabs(delta) > threshold - 1e-9;
    ee_comparison_outcome outcome = !moved ? EE_OUTCOME_TIE : delta > 0 ? EE_OUTCOME_WIN : EE_OUTCOME_LOSS;
    assert_int_equal(item->outcome, outcome);
    outcomes[outcome]++;
    verdicts[verdict_of(before)][verdict_of(after)]++;
    assert_int_equal(item->gain.defined, before < 1 - 1e-9);
    if (!item->gain.defined) continue;
    assert_near(item->gain.value, delta / (1 - before), "gain");
    gain += item->gain.value;
    gains++;
  }
  assert_memory_equal(outcomes, comparison->outcomes, sizeof outcomes);
  assert_memory_equal(verdicts, comparison->verdicts, sizeof verdicts);
  if (gains > 0) assert_true(fabs(comparison->gain.value - gain / (double)gains) < 1e-9 * (1 + fabs(gain)));
  assert_int_equal(comparison->gain.defined, gains > 0);
  uint64_t kept = verdicts[0][0], lost = verdicts[0][1] + verdicts[0][2], won = verdicts[1][0] + verdicts[2][0];
  assert_int_equal(comparison->passed[0], kept + lost);
  assert_int_equal(comparison->passed[1], kept + won);
  assert_true(comparison->pass_broken == lost && comparison->pass_fixed == won);
  assert_true(comparison->pass_p == ee_mcnemar_exact(won, lost));
}

static void check_judges(const twin *self, const ee_comparison *comparison) {
  for (size_t k = 0; k < comparison->judge_count; k++) {
    const ee_compared_judge *judge = &comparison->judges[k];
    ee_str name = comparison->known_judges.items[judge->judge].name;
    uint64_t cases = 0, without[2] = {0, 0}, scored = 0;
    double sums[2] = {0, 0};
    for (size_t i = 0; i < self->cases; i++) {
      const ee_stored_judge *found[] = {find_judge(self->rows[0][i], name), find_judge(self->rows[1][i], name)};
      cases += found[0] != NULL && found[1] != NULL;
      without[0] += found[0] == NULL && found[1] != NULL;
      without[1] += found[0] != NULL && found[1] == NULL;
      if (found[0] == NULL || found[1] == NULL || !found[0]->has_score || !found[1]->has_score) continue;
      scored++;
      for (int side = 0; side < 2; side++) sums[side] += found[side]->score;
    }
    assert_true(judge->cases == cases && cases > 0);
    assert_memory_equal(judge->without, without, sizeof without);
    for (int side = 0; side < 2; side++)
      assert_metric(judge->score[side], scored > 0 ? sums[side] / (double)scored : NAN, "score of a judge");
    check_judge(self, comparison, judge);
  }
}

/* Rounds ---------------------------------------------------------------------------------------- */

static void agrees_with_its_twin(void **state) {
  (void)state;
  test_random random = test_random_start("comparison: twin", 501);
  for (int round = 0; round < 60; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    /* Sometimes the rules of the two runs differ. */
    made_shape shape = random_shape(&random),
               other = test_random_below(&random, 4) == 0 ? random_shape(&random) : shape;
    size_t count = 1 + test_random_below(&random, MOST_CASES);
    made_run base = random_run(&random, &arena, &shape, count), fresh = random_run(&random, &arena, &other, count);
    shuffle(&random, &base);
    shuffle(&random, &fresh);
    double threshold = test_random_below(&random, 3) == 0 ? 0.1 : 0;
    ee_comparison *comparison = compare_or_fail(&base, &fresh, (ee_comparison_options){.threshold = threshold});
    twin *self = calloc(1, sizeof *self);
    for (size_t i = 0; i < count; i++) {
      self->rows[0][i] = &base.rows[i];
      self->rows[1][i] = find_row(&fresh, base.rows[i].id);
    }
    self->cases = count;
    twin_fields(self);
    check_cases(self, comparison, threshold);
    check_fields(self, comparison);
    check_judges(self, comparison);
    free(self);
    ee_comparison_free(comparison);
    ee_arena_fini(&arena);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(agrees_with_its_twin));
