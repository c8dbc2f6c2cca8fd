/* test_total_interval.c: sums by cluster and the jackknife of averages, against slow twins that keep every unit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/total_interval.h"
#include "support/random.h"

enum { ATTRIBUTES = 6, CASES = 300, CLUSTERS = 60 };

/* What one case has of each attribute, and the cluster it is in (0: none). */
typedef struct one_case {
  char id[24], cluster[24];
  ee_counts counts[ATTRIBUTES];
  double score;
  bool passed;
} one_case;

typedef struct data {
  one_case cases[CASES];
  size_t count, attributes;
} data;

static void make(test_random *random, data *made, size_t cases, size_t clusters) {
  made->count = cases;
  made->attributes = 1 + test_random_below(random, ATTRIBUTES);
  for (size_t i = 0; i < cases; i++) {
    one_case *one = &made->cases[i];
    memset(one, 0, sizeof *one);
    snprintf(one->id, sizeof one->id, "c%zu", i);
    size_t cluster = clusters > 0 ? test_random_below(random, clusters + 1) : 0;
    if (cluster > 0) snprintf(one->cluster, sizeof one->cluster, "k%zu", cluster);
    one->score = (double)test_random_below(random, 5) / 4;
    one->passed = one->score >= 0.75;
    for (size_t k = 0; k < made->attributes; k++) {
      if (test_random_below(random, 4) == 0) continue; /* the case has nothing there */
      uint64_t many = test_random_below(random, 3) == 0 ? 5 : 2;
      one->counts[k] = (ee_counts){.tp = test_random_below(random, many),
                                   .fp = test_random_below(random, 2),
                                   .fn = test_random_below(random, 2),
                                   .tn = test_random_below(random, 2)};
    }
  }
}

static ee_str text(const char *word) { return *word == '\0' ? (ee_str){NULL, 0} : ee_str_from(word); }

/* Totals as a run fills them: cases in `parts` parts, which are merged. */
typedef struct filled {
  ee_sample score;
  uint64_t verdicts[3];
  ee_score_units units;
  ee_attribute_total attributes[ATTRIBUTES + 1]; /* the last one is derived: it is in no average */
  ee_judge_total judge;
} filled;

static void fill_part(const data *from, size_t part, size_t parts, filled *to) {
  memset(to, 0, sizeof *to);
  for (size_t i = part; i < from->count; i += parts) {
    const one_case *one = &from->cases[i];
    uint64_t unit = ee_unit_key(ee_str_from(one->id), text(one->cluster));
    bool clustered = one->cluster[0] != '\0';
    ee_counts pooled = {0};
    ee_sample_add(&to->score, one->score);
    to->verdicts[one->passed ? EE_VERDICT_PASS : EE_VERDICT_FAIL]++;
    ee_score_units_add(&to->units, clustered ? unit : 0, one->score, one->passed);
    for (size_t k = 0; k < from->attributes; k++) {
      ee_counts_add(&to->attributes[k].counts, &one->counts[k]);
      ee_count_units_add(&to->attributes[k].units, unit, clustered, true, &one->counts[k]);
      ee_counts_add(&pooled, &one->counts[k]);
    }
    if (!clustered) ee_count_moments_add(&to->judge.pooled, &pooled);
    ee_attribute_total *derived = &to->attributes[from->attributes];
    const ee_counts counts = {.tp = i % 3, .fp = 1 + i % 2, .fn = 3};
    derived->derived = true;
    ee_counts_add(&derived->counts, &counts);
    ee_count_units_add(&derived->units, unit, clustered, true, &counts);
  }
}

static void fini(filled *totals) {
  ee_score_units_fini(&totals->units);
  for (size_t k = 0; k <= ATTRIBUTES; k++) ee_count_units_fini(&totals->attributes[k].units);
}

static void fill(const data *from, size_t parts, filled *to) {
  fill_part(from, 0, parts, to);
  for (size_t part = 1; part < parts; part++) {
    filled more;
    fill_part(from, part, parts, &more);
    ee_sample_merge(&to->score, &more.score);
    for (size_t i = 0; i < 3; i++) to->verdicts[i] += more.verdicts[i];
    ee_score_units_merge(&to->units, &more.units);
    ee_count_moments_merge(&to->judge.pooled, &more.judge.pooled);
    for (size_t k = 0; k <= from->attributes; k++) {
      ee_counts_add(&to->attributes[k].counts, &more.attributes[k].counts);
      ee_count_units_merge(&to->attributes[k].units, &more.attributes[k].units);
    }
    fini(&more);
  }
  to->judge.attributes = to->attributes;
  to->attributes[from->attributes].derived = true;
  to->judge.attribute_count = from->attributes + 1;
}

/* The twin ------------------------------------------------------------------------------------- */

/* Numbers of the units of the cases: equal for cases of a cluster. Returns how many there are. */
static size_t number_units(const data *from, size_t *units) {
  size_t count = 0;
  for (size_t i = 0; i < from->count; i++) {
    units[i] = count;
    for (size_t k = 0; k < i && from->cases[i].cluster[0] != '\0'; k++)
      if (strcmp(from->cases[i].cluster, from->cases[k].cluster) == 0) units[i] = units[k];
    count += units[i] == count;
  }
  return count;
}

/* The formula as it is written: sums over units, then one unit more with the mean b and a = 0. */
static ee_interval by_definition(const double *a, const double *b, size_t count) {
  double n = 0, sum_a = 0, sum_b = 0;
  for (size_t i = 0; i < count; i++) n += b[i] > 0, sum_a += a[i], sum_b += b[i];
  if (n < 2) return EE_NO_INTERVAL;
  double extra = sum_b / n, ratio = sum_a / sum_b, lowered = sum_a / (sum_b + extra), squares = 0;
  for (size_t i = 0; i < count; i++) squares += (a[i] - lowered * b[i]) * (a[i] - lowered * b[i]);
  squares += lowered * extra * lowered * extra;
  double variance = (n + 1) / n * squares / ((sum_b + extra) * (sum_b + extra));
  return ee_interval_of_variance(ratio, lowered, variance, (uint64_t)n, 0.95);
}

static void assert_near(ee_interval got, ee_interval expected, const char *what) {
  if (!ee_interval_is_known(expected)) {
    assert_false(ee_interval_is_known(got));
    return;
  }
  if (!(fabs(got.low - expected.low) <= 1e-9) || !(fabs(got.high - expected.high) <= 1e-9)) /* also NaN */
    fail_msg("%s: [%.12g, %.12g], not [%.12g, %.12g]", what, got.low, got.high, expected.low, expected.high);
}

static double numerator(const ee_counts *counts, ee_count_ratio ratio) {
  return ratio == EE_RATIO_SPECIFICITY ? (double)counts->tn : (double)counts->tp * (ratio == EE_RATIO_F1 ? 2 : 1);
}

static double denominator(const ee_counts *counts, ee_count_ratio ratio) {
  double fp = (double)counts->fp, fn = (double)counts->fn;
  return numerator(counts, ratio) + (ratio == EE_RATIO_RECALL ? fn : ratio == EE_RATIO_F1 ? fp + fn : fp);
}

/* Scores, pass rates, fields and micro averages are ratios of sums over clusters. */
static void clusters_are_units(void **state) {
  (void)state;
  test_random random = test_random_start("total_interval: clusters", 301);
  static data made;
  for (int round = 0; round < 1500; round++) {
    make(&random, &made, test_random_below(&random, round % 10 == 0 ? CASES : 30) + 1,
         round % 3 == 0 ? 0 : test_random_below(&random, CLUSTERS));
    filled totals;
    fill(&made, 1 + test_random_below(&random, 4), &totals);
    size_t units[CASES], count = number_units(&made, units);
    double a[CASES] = {0}, b[CASES] = {0}, passed[CASES] = {0};
    for (size_t i = 0; i < made.count; i++) {
      a[units[i]] += made.cases[i].score;
      passed[units[i]] += made.cases[i].passed;
      b[units[i]]++;
    }
    assert_int_equal(ee_score_units_count(&totals.units, &totals.score), count);
    assert_near(ee_total_mean(&totals.score, &totals.units, 0.95).interval, by_definition(a, b, count), "mean");
    assert_near(ee_total_pass_rate(&totals.score, totals.verdicts, &totals.units, 0.95).interval,
                by_definition(passed, b, count), "pass rate");
    ee_judge_ranges ranges = ee_judge_total_ranges(&totals.judge, 0.95);
    for (ee_count_ratio ratio = EE_RATIO_PRECISION; ratio < EE_COUNT_RATIOS; ratio++) {
      double whole_a[CASES] = {0}, whole_b[CASES] = {0};
      for (size_t k = 0; k < made.attributes; k++) {
        memset(a, 0, sizeof a);
        memset(b, 0, sizeof b);
        for (size_t i = 0; i < made.count; i++) {
          a[units[i]] += numerator(&made.cases[i].counts[k], ratio);
          b[units[i]] += denominator(&made.cases[i].counts[k], ratio);
        }
        for (size_t i = 0; i < count; i++) whole_a[i] += a[i], whole_b[i] += b[i];
        assert_near(ee_attribute_ranged(&totals.attributes[k], ratio, 0.95).interval, by_definition(a, b, count),
                    "field");
      }
      ee_interval expected = by_definition(whole_a, whole_b, count);
      if (ratio == EE_RATIO_PRECISION) assert_near(ranges.micro.precision.interval, expected, "micro precision");
      if (ratio == EE_RATIO_RECALL) assert_near(ranges.micro.recall.interval, expected, "micro recall");
      if (ratio == EE_RATIO_F1) assert_near(ranges.micro.f1.interval, expected, "micro F1");
    }
    fini(&totals);
  }
}

/* The jackknife of averages -------------------------------------------------------------------- */

typedef ee_averages average(const ee_counts *attributes, size_t count);

/* Precision, recall or F1. */
static ee_metric metric_of(ee_averages averages, ee_count_ratio ratio) {
  return ratio == EE_RATIO_PRECISION ? averages.precision : ratio == EE_RATIO_RECALL ? averages.recall : averages.f1;
}

/* What is left out at a time: a unit, or where there are more than 128 of them a group of those whose keys begin with
 * the same bits. `any`: units with counts. Returns how many numbers there are. */
static size_t number_groups(const data *from, const size_t *units, size_t count, const bool *any, size_t *groups) {
  uint64_t keys[CASES];
  size_t counted = 0, used = 0;
  for (size_t u = 0; u < count; u++) counted += any[u];
  for (size_t u = 0; u < count; u++) {
    size_t i = 0;
    while (units[i] != u) i++;
    keys[u] = ee_unit_key(ee_str_from(from->cases[i].id), text(from->cases[i].cluster));
    if (counted > 128) keys[u] = keys[u] >> 57;
    groups[u] = used;
    for (size_t k = 0; k < u; k++)
      if (keys[k] == keys[u]) groups[u] = groups[k];
    used += groups[u] == used;
  }
  return used;
}

/* Leaves out one unit, or group of units, after the other and computes the average again. */
static ee_interval left_out(const data *from, average *of, ee_count_ratio ratio) {
  size_t units[CASES], count = number_units(from, units), used = 0;
  ee_counts whole[ATTRIBUTES] = {0}, worse[ATTRIBUTES];
  double values[CASES], mean = 0;
  bool any[CASES] = {false};
  size_t precision_units[ATTRIBUTES] = {0}, recall_units[ATTRIBUTES] = {0}, f1_units = 0;
  for (size_t i = 0; i < from->count; i++)
    for (size_t k = 0; k < from->attributes; k++) ee_counts_add(&whole[k], &from->cases[i].counts[k]);
  ee_metric all = metric_of(of(whole, from->attributes), ratio);
  if (!all.defined) return EE_NO_INTERVAL;
  static ee_counts unit[CASES][ATTRIBUTES], group[CASES][ATTRIBUTES];
  memset(unit, 0, sizeof unit);
  memset(group, 0, sizeof group);
  for (size_t i = 0; i < from->count; i++)
    for (size_t k = 0; k < from->attributes; k++) ee_counts_add(&unit[units[i]][k], &from->cases[i].counts[k]);
  for (size_t u = 0; u < count; u++) {
    bool has_values = false;
    for (size_t k = 0; k < from->attributes; k++) {
      const ee_counts *counts = &unit[u][k];
      any[u] = any[u] || counts->tp + counts->tn + counts->fp + counts->fn > 0;
      has_values = has_values || counts->tp + counts->fp + counts->fn > 0;
      precision_units[k] += counts->tp + counts->fp > 0;
      recall_units[k] += counts->tp + counts->fn > 0;
    }
    f1_units += has_values;
  }
  size_t groups[CASES], group_count = number_groups(from, units, count, any, groups);
  for (size_t u = 0; u < count; u++)
    for (size_t k = 0; k < from->attributes; k++) ee_counts_add(&group[groups[u]][k], &unit[u][k]);
  for (size_t g = 0; g < group_count; g++) {
    ee_counts left[ATTRIBUTES];
    bool some = false;
    for (size_t k = 0; k < from->attributes; k++) {
      const ee_counts *counts = &group[g][k];
      some = some || counts->tp + counts->tn + counts->fp + counts->fn > 0;
      left[k] = whole[k];
      left[k].tp -= counts->tp;
      left[k].fp -= counts->fp;
      left[k].fn -= counts->fn;
    }
    if (!some) continue;
    ee_metric without = metric_of(of(left, from->attributes), ratio);
    values[used] = without.defined ? without.value : all.value;
    mean += values[used++];
  }
  if (used < 2) return EE_NO_INTERVAL;
  double squares = 0, n = (double)(f1_units > used ? f1_units : used);
  for (size_t u = 0; u < used; u++) squares += (values[u] - mean / (double)used) * (values[u] - mean / (double)used);
  const uint64_t scale = 1 << 20;
  for (size_t k = 0; k < from->attributes; k++) {
    worse[k] = (ee_counts){.tp = whole[k].tp * scale, .fp = whole[k].fp * scale, .fn = whole[k].fn * scale};
    if (precision_units[k] > 0) worse[k].fp += (whole[k].tp + whole[k].fp) * scale / precision_units[k];
    if (recall_units[k] > 0) worse[k].fn += (whole[k].tp + whole[k].fn) * scale / recall_units[k];
  }
  double lowered = metric_of(of(worse, from->attributes), ratio).value, share = all.value - lowered;
  double variance = ((double)used - 1) / (double)used * squares + (n + 1) / n * share * share;
  return ee_interval_of_variance(all.value, lowered, variance, used, 0.95);
}

static void averages_leave_out_units(void **state) {
  (void)state;
  test_random random = test_random_start("total_interval: jackknife", 302);
  static data made;
  for (int round = 0; round < 1000; round++) {
    make(&random, &made, test_random_below(&random, round % 10 == 0 ? CASES : 20) + 1,
         round % 2 == 0 ? 0 : test_random_below(&random, 20));
    filled totals;
    fill(&made, 1 + test_random_below(&random, 4), &totals);
    ee_judge_ranges ranges = ee_judge_total_ranges(&totals.judge, 0.95);
    const ee_counts *first = &totals.judge.attributes[0].counts;
    for (ee_count_ratio ratio = EE_RATIO_PRECISION; ratio <= EE_RATIO_F1; ratio++) {
      const ee_ranged *macro = ratio == EE_RATIO_PRECISION ? &ranges.macro.precision
                               : ratio == EE_RATIO_RECALL  ? &ranges.macro.recall
                                                           : &ranges.macro.f1;
      const ee_ranged *weighted = ratio == EE_RATIO_PRECISION ? &ranges.weighted.precision
                                  : ratio == EE_RATIO_RECALL  ? &ranges.weighted.recall
                                                              : &ranges.weighted.f1;
      ee_metric metric = ratio == EE_RATIO_PRECISION ? ee_precision(first)
                         : ratio == EE_RATIO_RECALL  ? ee_recall(first)
                                                     : ee_f1(first);
      ee_interval single = ee_attribute_ranged(&totals.judge.attributes[0], ratio, 0.95).interval;
      bool one = made.attributes == 1 && metric.defined;
      assert_near(macro->interval, one ? single : left_out(&made, ee_macro, ratio), "macro");
      assert_near(weighted->interval, one ? single : left_out(&made, ee_weighted, ratio), "weighted");
      if (one && ratio == EE_RATIO_F1) assert_near(ranges.micro.f1.interval, single, "micro F1");
    }
    ee_counts counts[ATTRIBUTES];
    for (size_t k = 0; k < made.attributes; k++) counts[k] = totals.attributes[k].counts;
    ee_metric macro = ee_macro(counts, made.attributes).f1, weighted = ee_weighted(counts, made.attributes).f1,
              micro = ee_micro(counts, made.attributes).f1;
    assert_true(macro.value == ranges.macro.f1.metric.value && weighted.value == ranges.weighted.f1.metric.value &&
                micro.value == ranges.micro.f1.metric.value);
    fini(&totals);
  }
}

/* However the data is split, and also where there are more units than a table keeps apart, the bits are the same. */
static void splits_change_nothing(void **state) {
  (void)state;
  test_random random = test_random_start("total_interval: splits", 303);
  for (int round = 0; round < 40; round++) {
    enum { UNITS = 6000, PARTS = 5 };
    ee_unit_table whole = {0}, merged = {0}, parts[PARTS] = {0};
    unsigned bits = round % 2 == 0 ? EE_AVERAGE_BITS : EE_CLUSTER_BITS;
    size_t count = 1 + test_random_below(&random, round % 4 == 0 ? 200 : UNITS);
    for (size_t i = 0; i < count; i++) {
      char id[24];
      snprintf(id, sizeof id, "u%zu", test_random_below(&random, count));
      uint64_t key = ee_unit_key(ee_str_from(id), (ee_str){NULL, 0});
      ee_counts counts = {.tp = test_random_below(&random, 3), .fp = test_random_below(&random, 2), .fn = 1};
      ee_unit_table_add_counts(&whole, bits, key, &counts);
      ee_unit_table_add_counts(&parts[test_random_below(&random, PARTS)], bits, key, &counts);
    }
    size_t first = test_random_below(&random, PARTS), listed, same;
    for (size_t i = 0; i < PARTS; i++) ee_unit_table_merge_counts(&merged, &parts[(first + i) % PARTS]);
    assert_true(whole.grouped == merged.grouped && whole.count == merged.count);
    assert_true(whole.count <= (size_t)1 << bits);
    ee_arena arena;
    ee_arena_init(&arena, 0);
    const ee_unit_table *one = &whole, *other = &merged;
    const ee_unit *units = ee_units_of(&one, 1, bits, &arena, &listed);
    const ee_unit *others = ee_units_of(&other, 1, bits, &arena, &same);
    assert_int_equal(listed, same);
    for (size_t i = 0; i < listed; i++) {
      assert_true(units[i].key == others[i].key && (i == 0 || units[i].key > units[i - 1].key));
      assert_memory_equal(&units[i].counts, &others[i].counts, sizeof units[i].counts);
    }
    ee_ratio_sums sums = {0}, others_sums = {0};
    ee_units_add_terms(units, listed, EE_RATIO_F1, &sums);
    ee_units_add_terms(others, same, EE_RATIO_F1, &others_sums);
    assert_memory_equal(&sums, &others_sums, sizeof sums);
    ee_arena_fini(&arena);
    ee_unit_table_fini(&whole);
    ee_unit_table_fini(&merged);
    for (size_t i = 0; i < PARTS; i++) ee_unit_table_fini(&parts[i]);
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(clusters_are_units), cmocka_unit_test(averages_leave_out_units),
             cmocka_unit_test(splits_change_nothing));
