/* test_comparison_twin.c: comparisons of random runs against a slow version that looks everything up by name, and
 * computes every unit's linearized difference from the definition. */
#include "report/made_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prim/ratio_interval.h"

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
  size_t unit[MOST_CASES], units; /* which cases vary together */
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

/* Figures --------------------------------------------------------------------------------------- */

/* sum(a) / sum(b) of one unit, in both runs. */
typedef struct twin_share {
  double a[2], b[2];
} twin_share;

static void assert_near(double got, double expected, const char *what) {
  if (isnan(got) && isnan(expected)) return;
  if (!(fabs(got - expected) <= 1e-11)) fail_msg("%s: %.17g, not %.17g", what, got, expected);
}

static void assert_metric(ee_metric got, double expected, const char *what) {
  assert_near(got.defined ? got.value : NAN, expected, what);
}

/* The interval by the definition: `count` differences and two pseudo units, from the largest difference on. */
static void check_change_from(const ee_estimate *got, const double *d, size_t count, size_t changed, double reach,
                              double largest, const char *what) {
  if (!got->change.defined || count == 0) {
    assert_true(isnan(got->change_range.low));
    return;
  }
  if (count == 1) {
    assert_near(got->change_range.low, -reach, what);
    assert_near(got->change_range.high, reach, what);
    return;
  }
  double sum = 0, squares = 0, n = (double)count;
  for (size_t i = 0; i < count; i++) {
    sum += d[i] / reach;
    squares += d[i] * d[i] / reach / reach;
  }
  double pseudo = largest * largest;
  if (pseudo < 1) pseudo += (1 - pseudo) * pow(0.5, (double)changed);
  double mean = sum / (n + 2), variance = (squares + 2 * pseudo) / (n + 2) - mean * mean;
  double half = ee_critical_point(0.95, count - 1) * sqrt(variance / (n + 2));
  assert_near(got->change_range.low / reach, fmax(-1, mean - half), what);
  assert_near(got->change_range.high / reach, fmin(1, mean + half), what);
  assert_true(got->p > 0 && got->p <= 1);
  if (fabs(fabs(mean) - half) > 1e-9) assert_int_equal(got->p<0.05, fabs(mean)> half);
}

static void check_change(const ee_estimate *got, const double *d, size_t count, size_t changed, double reach,
                         const char *what) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) largest = fmax(largest, fabs(d[i]) / reach);
  check_change_from(got, d, count, changed, reach, largest, what);
}

static bool differs(const twin_share *unit) { return fabs(unit->a[0] - unit->a[1]) > 1e-9 || unit->b[0] != unit->b[1]; }

static double pull_of(const twin_share *unit, const twin_share *total, size_t count, int side) {
  if (total->b[side] <= 0) return 0;
  double ratio = total->a[side] / total->b[side];
  return (unit->a[side] - ratio * unit->b[side]) * (double)count / total->b[side];
}

/* The totals; their number of units. Returns the linearized differences. */
static size_t linearize(const twin *self, const twin_share *units, twin_share *total, double *d, size_t *changed) {
  size_t count = 0, at = 0;
  *total = (twin_share){0};
  *changed = 0;
  for (size_t u = 0; u < self->units; u++) {
    count += units[u].b[0] + units[u].b[1] > 0;
    *changed += differs(&units[u]);
    for (int side = 0; side < 2; side++) {
      total->a[side] += units[u].a[side];
      total->b[side] += units[u].b[side];
    }
  }
  double f[2];
  for (int side = 0; side < 2; side++) f[side] = total->b[side] > 0 ? total->a[side] / total->b[side] : 0;
  for (size_t u = 0; u < self->units; u++)
    if (units[u].b[0] + units[u].b[1] > 0)
      d[at++] = pull_of(&units[u], total, count, 1) - pull_of(&units[u], total, count, 0) + f[1] - f[0];
  return count;
}

static ee_interval side_interval(const twin *self, const twin_share *units, int side) {
  ee_ratio_sums sums = {0};
  for (size_t u = 0; u < self->units; u++) {
    double a = units[u].a[side], b = units[u].b[side];
    if (b <= 0) continue;
    sums.units++;
    sums.a += a;
    sums.b += b;
    sums.aa += a * a;
    sums.ab += a * b;
    sums.bb += b * b;
  }
  return ee_ratio_interval(&sums, 0.95);
}

static void check_ratio(const twin *self, const ee_estimate *got, const twin_share *units, const char *what) {
  double d[MOST_CASES];
  twin_share total;
  size_t changed, count = linearize(self, units, &total, d, &changed);
  assert_metric(got->before, total.b[0] > 0 ? total.a[0] / total.b[0] : NAN, what);
  assert_metric(got->after, total.b[1] > 0 ? total.a[1] / total.b[1] : NAN, what);
  assert_metric(got->change, total.b[0] > 0 && total.b[1] > 0 ? total.a[1] / total.b[1] - total.a[0] / total.b[0] : NAN,
                what);
  double largest = 0, a = 0, errors = 0, of_a = 0, of_b = 0;
  for (size_t u = 0; u < self->units; u++) {
    const twin_share *unit = &units[u];
    a = fmax(a, fabs(unit->a[1] - unit->a[0]));
    errors = fmax(errors, fabs(unit->b[1] - unit->a[1] - unit->b[0] + unit->a[0]));
  }
  for (int side = 0; side < 2; side++) {
    of_a += total.a[side];
    of_b += total.b[side];
  }
  if (of_b > 0) largest = ((1 - of_a / of_b) * a + of_a / of_b * errors) * (double)count / (of_b / 2);
  check_change_from(got, d, count, changed, 1, largest, what);
}

static void check_sides(const twin *self, const ee_estimate *got, const twin_share *units, const char *what) {
  const ee_interval *ranges[] = {&got->before_range, &got->after_range};
  for (int side = 0; side < 2; side++) {
    if (!(side == 0 ? got->before : got->after).defined) continue;
    ee_interval expected = side_interval(self, units, side);
    assert_near(ranges[side]->low, expected.low, what);
    assert_near(ranges[side]->high, expected.high, what);
  }
}

static void add_counts(twin_share *unit, const ee_counts *counts, int side) {
  unit->a[side] += 2 * (double)counts->tp;
  unit->b[side] += 2 * (double)counts->tp + (double)(counts->fp + counts->fn);
}

/* Of one field, by unit. */
static void field_shares(const twin *self, const twin_field *field, twin_share *units) {
  for (size_t i = 0; i < self->cases; i++)
    for (int side = 0; side < 2; side++) add_counts(&units[self->unit[i]], &field->counts[side][i], side);
}

static void check_micro(const twin *self, const ee_compared_judge *judge, ee_str name) {
  twin_share units[MOST_CASES] = {0};
  for (size_t k = 0; k < self->field_count; k++) {
    const twin_field *field = &self->fields[k];
    if (!field->lone && !field->derived && ee_str_equal(field->judge, name)) field_shares(self, field, units);
  }
  check_ratio(self, &judge->micro, units, "micro");
  check_sides(self, &judge->micro, units, "micro, one run");
}

/* The mean of F1 over fields, and of what a unit does to each. */
static void check_macro(const twin *self, const ee_compared_judge *judge, ee_str name) {
  double sums[2] = {0, 0}, fields[2] = {0, 0}, pulls[2][MOST_CASES] = {{0}}, d[MOST_CASES];
  bool changed[MOST_CASES] = {false}, has[MOST_CASES] = {false};
  size_t count = 0, changes = 0;
  for (size_t i = 0; i < self->cases; i++) has[self->unit[i]] |= has_both(self, i, name);
  for (size_t u = 0; u < self->units; u++) count += has[u];
  for (size_t k = 0; k < self->field_count; k++) {
    const twin_field *field = &self->fields[k];
    twin_share units[MOST_CASES] = {0}, total;
    size_t unused;
    if (field->lone || field->derived || !ee_str_equal(field->judge, name)) continue;
    field_shares(self, field, units);
    linearize(self, units, &total, d, &unused);
    for (int side = 0; side < 2; side++) {
      if (total.b[side] <= 0) continue;
      sums[side] += total.a[side] / total.b[side];
      fields[side]++;
      for (size_t u = 0; u < self->units; u++) pulls[side][u] += pull_of(&units[u], &total, count, side);
    }
    for (size_t u = 0; u < self->units; u++) changed[u] |= differs(&units[u]);
  }
  double means[2];
  for (int side = 0; side < 2; side++) means[side] = fields[side] > 0 ? sums[side] / fields[side] : NAN;
  assert_metric(judge->macro.before, means[0], "macro");
  assert_metric(judge->macro.after, means[1], "macro");
  if (isnan(means[0]) || isnan(means[1])) return;
  count = 0;
  for (size_t u = 0; u < self->units; u++) {
    if (!has[u]) continue;
    d[count++] = means[1] - means[0] + pulls[1][u] / fields[1] - pulls[0][u] / fields[0];
    changes += changed[u];
  }
  check_change(&judge->macro, d, count, changes, 1, "macro");
}

static const double *find_cost(const ee_stored_row *row) {
  return row->measure_count > 0 && row->measures[0].state == EE_MEASURE_READ ? &row->measures[0].value : NULL;
}

/* Over the cases that have a cost on both sides; their largest is the reach. */
static void check_cost(const twin *self, const ee_comparison *comparison) {
  twin_share units[MOST_CASES] = {0}, total;
  double reach = 0, d[MOST_CASES];
  for (size_t i = 0; i < self->cases; i++) {
    const double *costs[] = {find_cost(self->rows[0][i]), find_cost(self->rows[1][i])};
    if (costs[0] == NULL || costs[1] == NULL) continue;
    for (int side = 0; side < 2; side++) {
      units[self->unit[i]].a[side] += *costs[side];
      units[self->unit[i]].b[side] += 1;
    }
  }
  for (size_t u = 0; u < self->units; u++)
    for (int side = 0; side < 2; side++)
      if (units[u].b[side] > 0) reach = fmax(reach, units[u].a[side] / units[u].b[side]);
  size_t changed, count = linearize(self, units, &total, d, &changed);
  const ee_estimate *got = &comparison->measures[0].mean;
  assert_metric(got->change, count > 0 ? (total.a[1] - total.a[0]) / total.b[0] : NAN, "cost");
  if (count > 0) check_change(got, d, count, changed, reach, "cost");
}

static void check_means(const twin *self, const ee_comparison *comparison) {
  twin_share score[MOST_CASES] = {0}, pass[MOST_CASES] = {0};
  uint64_t more = 0, fewer = 0;
  for (size_t i = 0; i < self->cases; i++)
    for (int side = 0; side < 2; side++) {
      size_t unit = self->unit[i];
      score[unit].a[side] += self->rows[side][i]->score;
      pass[unit].a[side] += self->rows[side][i]->verdict == EE_VERDICT_PASS;
      score[unit].b[side] += 1;
      pass[unit].b[side] += 1;
    }
  for (size_t u = 0; u < self->units; u++) {
    more += pass[u].a[1] > pass[u].a[0];
    fewer += pass[u].a[1] < pass[u].a[0];
  }
  assert_int_equal(comparison->units, self->units);
  assert_int_equal(comparison->clustered, self->units < self->cases);
  assert_true(comparison->pass_p == ee_mcnemar_exact(more, fewer));
  check_ratio(self, &comparison->score, score, "score");
  check_sides(self, &comparison->score, score, "score, one run");
  check_ratio(self, &comparison->pass, pass, "pass rate");
  const ee_interval *range = &comparison->score.change_range;
  ee_finding_of_runs finding = comparison->finding;
  if (finding == EE_RUNS_BETTER) assert_true(range->low > 0);
  if (finding == EE_RUNS_WORSE) assert_true(range->high < 0);
  if (finding == EE_RUNS_UNDECIDED) assert_true(range->low <= 1e-9 && range->high >= -1e-9);
  /* All signs of up to 14 units, one by one. */
  double deltas[MOST_CASES] = {0}, sum = 0;
  for (size_t i = 0; i < self->cases; i++) deltas[self->unit[i]] += self->rows[1][i]->score - self->rows[0][i]->score;
  for (size_t u = 0; u < self->units; u++) sum += deltas[u];
  size_t hits = 0, patterns = (size_t)1 << self->units;
  for (size_t signs = 0; signs < patterns; signs++) {
    double flipped = 0;
    for (size_t u = 0; u < self->units; u++) flipped += (signs >> u & 1) != 0 ? deltas[u] : -deltas[u];
    hits += fabs(flipped) >= fabs(sum) - 1e-9;
  }
  assert_near(comparison->sign_p, (double)hits / (double)patterns, "random signs");
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
  size_t by_field = 0, by_case = 0;
  for (size_t i = 0; i < comparison->changes.count; i++) {
    const ee_change *change = &comparison->changes.items[i];
    by_field += change->attribute == field->attribute && change->item == item && change->broken == broken;
  }
  const ee_compared_case *at = &comparison->cases[item];
  for (size_t i = 0; i < at->fixed + at->broken; i++) {
    const ee_change *change = &comparison->changes.items[at->first_change + i];
    assert_int_equal(change->item, item);
    by_case += change->attribute == field->attribute && change->broken == broken;
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
  twin_share units[MOST_CASES] = {0};
  double worse[MOST_CASES] = {0};
  uint64_t lost = 0, gained = 0;
  field_shares(self, wanted, units);
  check_ratio(self, &field->f1, units, "F1 of a field");
  for (size_t i = 0; i < self->cases; i++)
    for (int side = 0; side < 2; side++) {
      const ee_counts *counts = &wanted->counts[side][i];
      if (counts->fp + counts->fn > 0) worse[self->unit[i]] += side == 1 ? 1 : -1;
    }
  for (size_t u = 0; u < self->units; u++) {
    lost += worse[u] > 0;
    gained += worse[u] < 0;
  }
  assert_true(field->wrong.p == ee_mcnemar_exact(lost, gained));
  if (!field->f1.change.defined) assert_true(field->f1.p == field->wrong.p);
}

static int compare_p(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Holm over the fields: the i-th smallest p times those left. */
static void check_family(const ee_comparison *comparison) {
  double p[MOST_FIELDS], floor = 0;
  size_t count = comparison->field_count;
  for (size_t i = 0; i < count; i++) p[i] = comparison->fields[i].f1.p;
  qsort(p, count, sizeof *p, compare_p);
  for (size_t i = 0; i < count; i++) {
    floor = fmax(floor, fmin(1, p[i] * (double)(count - i)));
    for (size_t k = 0; k < count; k++)
      if (comparison->fields[k].f1.p == p[i] && (i + 1 == count || p[i + 1] != p[i]))
        assert_near(comparison->fields[k].f1.p_adjusted, floor, "adjusted p");
  }
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
}

static void check_judges(const twin *self, const ee_comparison *comparison) {
  for (size_t k = 0; k < comparison->judge_count; k++) {
    const ee_compared_judge *judge = &comparison->judges[k];
    ee_str name = comparison->known_judges.items[judge->judge].name;
    uint64_t cases = 0, without[2] = {0, 0};
    twin_share units[MOST_CASES] = {0};
    for (size_t i = 0; i < self->cases; i++) {
      const ee_stored_judge *found[] = {find_judge(self->rows[0][i], name), find_judge(self->rows[1][i], name)};
      cases += found[0] != NULL && found[1] != NULL;
      without[0] += found[0] == NULL && found[1] != NULL;
      without[1] += found[0] != NULL && found[1] == NULL;
      if (found[0] == NULL || found[1] == NULL || !found[0]->has_score || !found[1]->has_score) continue;
      for (int side = 0; side < 2; side++) {
        units[self->unit[i]].a[side] += found[side]->score;
        units[self->unit[i]].b[side] += 1;
      }
    }
    assert_true(judge->cases == cases && cases > 0);
    assert_memory_equal(judge->without, without, sizeof without);
    check_ratio(self, &judge->score, units, "score of a judge");
    if (!judge->any_counts) continue;
    check_micro(self, judge, name);
    check_macro(self, judge, name);
  }
}

/* Rounds ---------------------------------------------------------------------------------------- */

static void agrees_with_its_twin(void **state) {
  (void)state;
  test_random random = test_random_start("comparison: twin", 501);
  for (int round = 0; round < 2000; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    /* Sometimes the rules of the two runs differ. */
    made_shape shape = random_shape(&random),
               other = test_random_below(&random, 4) == 0 ? random_shape(&random) : shape;
    size_t count = 1 + test_random_below(&random, MOST_CASES);
    made_run base = random_run(&random, &arena, &shape, count), fresh = random_run(&random, &arena, &other, count);
    /* Sometimes several cases are one unit. */
    size_t clusters = test_random_below(&random, 2) == 0 ? 0 : 1 + test_random_below(&random, MOST_CASES);
    for (size_t i = 0; i < count && clusters > 0; i++)
      base.rows[i].cluster = fresh.rows[i].cluster =
          ee_str_from(ee_arena_printf(&arena, "cluster %zu", test_random_below(&random, clusters)));
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
    for (size_t i = 0; i < count; i++) {
      self->unit[i] = self->units;
      for (size_t k = 0; k < i && clusters > 0; k++)
        if (ee_str_equal(base.rows[k].cluster, base.rows[i].cluster)) self->unit[i] = self->unit[k];
      self->units += self->unit[i] == self->units;
    }
    twin_fields(self);
    check_cases(self, comparison, threshold);
    check_fields(self, comparison);
    check_family(comparison);
    check_means(self, comparison);
    if (comparison->known_measures.count > 0) check_cost(self, comparison);
    check_judges(self, comparison);
    free(self);
    ee_comparison_free(comparison);
    ee_arena_fini(&arena);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(agrees_with_its_twin));
