/* test_totals.c: totals against sums made the slow way, and any partition against the whole. */
#include "judge/line_items/line_items.h"
#include "judge/small_rules.h"
#include "run/totals.h"
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_metric(ee_metric a, ee_metric b) { return a.defined == b.defined && a.value == b.value; }

static void assert_same_sample(const ee_sample *a, const ee_sample *b) {
  assert_int_equal(a->count, b->count);
  assert_memory_equal(&a->sum, &b->sum, sizeof a->sum);
  assert_memory_equal(&a->sum_of_squares, &b->sum_of_squares, sizeof a->sum);
}

static void assert_same_measures(const ee_judge_total *a, const ee_judge_total *b) {
  assert_int_equal(a->case_metric_count, b->case_metric_count);
  for (size_t i = 0; i < a->case_metric_count; i++) {
    const ee_value_counts *x = &a->case_metrics[i].values, *y = &b->case_metrics[i].values;
    assert_same_sample(&a->case_metrics[i].sample, &b->case_metrics[i].sample);
    assert_int_equal(x->total, y->total);
    assert_int_equal(x->count, y->count);
    assert_true(ee_value_counts_median(x) == ee_value_counts_median(y));
    assert_true(ee_value_counts_min(x) == ee_value_counts_min(y));
    assert_true(ee_value_counts_max(x) == ee_value_counts_max(y));
  }
  assert_int_equal(a->worst != NULL, b->worst != NULL);
  if (a->worst == NULL) return;
  assert_int_equal(a->worst->count, b->worst->count);
  for (size_t i = 0; i < a->worst->count; i++) {
    const ee_ranked_case *x = &a->worst->cases[i], *y = &b->worst->cases[i];
    assert_true(ee_str_equal(x->id, y->id));
    assert_true(x->score == y->score);
    assert_memory_equal(x->case_metrics, y->case_metrics, sizeof x->case_metrics);
  }
}

static void assert_same_score(const ee_score_totals *a, const ee_score_totals *b, size_t judges) {
  assert_memory_equal(&a->score.sum, &b->score.sum, sizeof a->score.sum);
  assert_memory_equal(&a->score.sum_of_squares, &b->score.sum_of_squares, sizeof a->score.sum);
  assert_int_equal(a->score.count, b->score.count);
  assert_memory_equal(a->verdicts, b->verdicts, sizeof a->verdicts);
  for (size_t i = 0; i < judges; i++) {
    const ee_judge_total *x = &a->judges[i], *y = &b->judges[i];
    assert_memory_equal(&x->score.sum, &y->score.sum, sizeof x->score.sum);
    assert_memory_equal(x->verdicts, y->verdicts, sizeof x->verdicts);
    assert_int_equal(x->failed, y->failed);
    assert_int_equal(x->vacuous, y->vacuous);
    assert_memory_equal(&x->pooled, &y->pooled, sizeof x->pooled);
    assert_same_measures(x, y);
    assert_int_equal(x->attribute_count, y->attribute_count);
    for (size_t k = 0; k < x->attribute_count; k++) {
      assert_true(ee_str_equal(x->attributes[k].name, y->attributes[k].name));
      assert_memory_equal(&x->attributes[k].counts, &y->attributes[k].counts, sizeof(ee_counts));
    }
  }
}

static void assert_same_totals(const ee_totals *a, const ee_totals *b) {
  assert_int_equal(a->records, b->records);
  assert_int_equal(a->scored, b->scored);
  assert_int_equal(a->candidates_missing, b->candidates_missing);
  assert_int_equal(a->candidates_unparseable, b->candidates_unparseable);
  assert_int_equal(a->rule_errors, b->rule_errors);
  assert_int_equal(a->cases_with_rule_errors, b->cases_with_rule_errors);
  assert_int_equal(a->provider_failures, b->provider_failures);
  assert_int_equal(a->cases_with_provider_failures, b->cases_with_provider_failures);
  assert_true(a->data_hash == b->data_hash);
  assert_same_score(&a->all, &b->all, a->plan->judge_count);
  assert_int_equal(a->slice_count, b->slice_count);
  for (size_t i = 0; i < a->slice_count; i++) {
    assert_int_equal(a->slices[i].slice, b->slices[i].slice);
    assert_true(ee_str_equal(a->slices[i].value, b->slices[i].value));
    assert_same_score(&a->slices[i].totals, &b->slices[i].totals, a->plan->judge_count);
  }
}

/* A random record; `variety` bounds how many kinds and languages there are. */
static const char *random_record(test_random *random, ee_arena *arena, size_t number, size_t variety) {
  static const char *const candidates[] = {
      "{\"number\":\"7\",\"total\":100}",
      "{\"number\":\"7\",\"total\":101}",
      "{\"number\":\"8\",\"note\":\"n\"}",
      "\"no document\"",
      "null",
      "\"```json\\n{\\\"total\\\": 100}\\n```\"",
  };
  const char *language = "";
  switch (test_random_below(random, 4)) {
  case 0: language = ",\"lang\":null"; break;
  case 1: language = ee_arena_printf(arena, ",\"lang\":%zu", test_random_below(random, variety)); break;
  case 2: language = ee_arena_printf(arena, ",\"lang\":\"l%zu\"", test_random_below(random, variety)); break;
  default: break;
  }
  return ee_arena_printf(arena,
                         "{\"id\":\"c%zu\",\"expected\":{\"number\":\"7\",\"total\":100}%s,\"kind\":\"k%zu\","
                         "\"raise\":%s,\"candidate\":%s}",
                         number, language, test_random_below(random, variety),
                         test_random_below(random, 9) == 0 ? "true" : "false",
                         candidates[test_random_below(random, 6)]);
}

/* Rules whose first judge has two case metrics, which the test sets. */
enum { MEASURES = 2 };
static const char *const measure_names[] = {"share", "other", NULL};

typedef struct measured_rules {
  small_rules rules;
  ee_judge_type type;
  ee_judge judge;
  const ee_judge *judges[2];
} measured_rules;

static void measured_rules_open(measured_rules *measured) {
  small_rules_open(&measured->rules);
  ee_plan *plan = measured->rules.plan;
  measured->judge = *plan->judges[0];
  measured->type = *measured->judge.type;
  measured->type.case_metrics = measure_names;
  measured->judge.type = &measured->type;
  measured->judges[0] = &measured->judge;
  measured->judges[1] = plan->judges[1];
  plan->judges = measured->judges;
}

typedef struct measured_case {
  double score, measures[MEASURES];
  size_t number;
} measured_case;

/* Judges a random record, and makes up what its first judge measured. */
static ee_case_result judge_measured(test_random *random, const measured_rules *measured, ee_arena *arena,
                                     size_t number, size_t variety, measured_case *kept) {
  ee_case_result result = small_judge_record(&measured->rules, arena, random_record(random, arena, number, variety));
  ee_judge_result *judges = EE_NEW_ARRAY(arena, ee_judge_result, result.judge_count);
  memcpy(judges, result.judges, result.judge_count * sizeof *judges);
  *kept = (measured_case){.score = judges[0].score, .number = number};
  if (test_random_below(random, 3) == 0) kept->score = test_random_unit(random);
  for (size_t i = 0; i < MEASURES; i++)
    kept->measures[i] = i == 0 ? (double)test_random_below(random, 8) / 7 : test_random_unit(random);
  judges[0].score = kept->score;
  double *measures = EE_NEW_ARRAY(arena, double, MEASURES);
  memcpy(measures, kept->measures, sizeof kept->measures);
  judges[0].case_metrics = measures;
  /* What was not measured counts as 0. */
  if (test_random_below(random, 20) == 0) {
    judges[0].case_metrics = NULL;
    memset(kept->measures, 0, sizeof kept->measures);
  }
  result.judges = judges;
  result.provider_failures = test_random_below(random, 3);
  return result;
}

static int compare_cases(const void *left, const void *right) {
  const measured_case *a = left, *b = right;
  if (a->score != b->score) return a->score < b->score ? -1 : 1;
  char first[32], second[32];
  snprintf(first, sizeof first, "c%zu", a->number);
  snprintf(second, sizeof second, "c%zu", b->number);
  return strcmp(first, second);
}

static int compare_doubles(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* The totals of the first judge against all cases, sorted. */
static void assert_measured(const ee_judge_total *total, measured_case *cases, size_t count) {
  assert_int_equal(total->case_metric_count, MEASURES);
  double *sorted = ee_calloc(count, sizeof *sorted);
  for (size_t k = 0; k < MEASURES; k++) {
    ee_sample sample = {0};
    for (size_t i = 0; i < count; i++) ee_sample_add(&sample, sorted[i] = cases[i].measures[k]);
    assert_same_sample(&total->case_metrics[k].sample, &sample);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    const ee_value_counts *tally = &total->case_metrics[k].values;
    assert_true(ee_value_counts_median(tally) == (sorted[(count - 1) / 2] + sorted[count / 2]) / 2);
    assert_true(ee_value_counts_min(tally) == sorted[0]);
    assert_true(ee_value_counts_max(tally) == sorted[count - 1]);
  }
  ee_free(sorted);
  qsort(cases, count, sizeof *cases, compare_cases);
  assert_int_equal(total->worst->count, count < EE_WORST_CASES_LIMIT ? count : EE_WORST_CASES_LIMIT);
  for (size_t i = 0; i < total->worst->count; i++) {
    const ee_ranked_case *ranked = &total->worst->cases[i];
    char id[32];
    snprintf(id, sizeof id, "c%zu", cases[i].number);
    assert_true(ee_str_is(ranked->id, id));
    assert_true(ranked->score == cases[i].score);
    assert_memory_equal(ranked->case_metrics, cases[i].measures, sizeof cases[i].measures);
  }
}

static void check_partitions(test_random *random, size_t cases, size_t variety) {
  measured_rules measured;
  measured_rules_open(&measured);
  const ee_plan *plan = measured.rules.plan;
  measured_case *kept = ee_calloc(cases, sizeof *kept);
  ee_arena arena, scratch;
  ee_arena_init(&arena, 0);
  ee_arena_init(&scratch, 0);
  ee_totals whole, merged, rest, part;
  ee_totals_init(&whole, plan);
  ee_totals_init(&merged, plan);
  ee_totals_init(&rest, plan);
  ee_totals_init(&part, plan);
  for (size_t i = 0; i < cases; i++) {
    ee_case_result result = judge_measured(random, &measured, &arena, i, variety, &kept[i]);
    ee_totals_add(&whole, &result, &scratch);
    ee_totals_add(&part, &result, &scratch);
    if (test_random_below(random, 5) == 0) {
      ee_totals_merge(test_random_below(random, 2) == 0 ? &merged : &rest, &part);
      ee_totals_clear(&part);
    }
    ee_arena_reset(&arena, 1 << 20);
  }
  /* The parts are now in an order that is not that of the cases. */
  ee_totals_merge(&part, &rest);
  ee_totals_merge(&part, &merged);
  ee_totals_clear(&merged);
  ee_totals_merge(&merged, &part);
  ee_totals_fini(&rest);
  ee_totals_settle(&whole);
  ee_totals_settle(&merged);
  assert_int_equal(whole.scored, cases);
  assert_same_totals(&whole, &merged);
  assert_measured(&whole.all.judges[0], kept, cases);
  assert_null(whole.all.judges[1].worst);
  for (size_t i = 0; i < whole.slice_count; i++) assert_null(whole.slices[i].totals.judges[0].worst);
  ee_free(kept);
  ee_totals_fini(&whole);
  ee_totals_fini(&merged);
  ee_totals_fini(&part);
  ee_arena_fini(&scratch);
  ee_arena_fini(&arena);
  small_rules_close(&measured.rules);
}

static void test_any_partition_is_the_whole(void **state) {
  (void)state;
  test_random random = test_random_start("totals", 11);
  for (int i = 0; i < 20; i++) check_partitions(&random, 1 + test_random_below(&random, 200), 5);
}

/* More values and attributes than have totals of their own: the first ones in byte order have, however the data is
 * split and ordered. */
static void test_partitions_beyond_the_bounds(void **state) {
  (void)state;
  test_random random = test_random_start("totals_bounds", 12);
  check_partitions(&random, 12000, 9000);
}

static ee_totals totals_of(const small_rules *rules, ee_arena *arena, const char *const *records, size_t count) {
  ee_totals totals;
  ee_totals_init(&totals, rules->plan);
  for (size_t i = 0; i < count; i++) {
    ee_case_result result = small_judge_record(rules, arena, records[i]);
    ee_totals_add(&totals, &result, arena);
  }
  return totals;
}

static void test_counts(void **state) {
  (void)state;
  static const char *const records[] = {
      /* all right; the note is empty on both sides */
      ("{\"id\":\"1\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":{\"number\":\"7\",\"total\":100.01},"
       "\"kind\":\"x\"}"),
      /* number wrong, total missing, note invented */
      ("{\"id\":\"2\",\"expected\":{\"number\":\"7\",\"total\":100},\"candidate\":{\"number\":\"8\",\"note\":\"n\"},"
       "\"kind\":\"y\"}"),
      /* no candidate: every expected value is missing */
      "{\"id\":\"3\",\"expected\":{\"number\":\"7\",\"total\":100,\"note\":\"n\"}}",
      "{\"id\":\"4\",\"expected\":{\"number\":\"7\"},\"candidate\":\"sorry\",\"raise\":true}",
  };
  small_rules rules;
  small_rules_open(&rules);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_totals totals = totals_of(&rules, &arena, records, 4);
  assert_int_equal(totals.records, 4);
  assert_int_equal(totals.scored, 4);
  assert_int_equal(totals.candidates_missing, 1);
  assert_int_equal(totals.candidates_unparseable, 1);
  assert_int_equal(totals.rule_errors, 1);
  assert_int_equal(totals.cases_with_rule_errors, 1);

  const ee_judge_total *header = &totals.all.judges[0];
  static const ee_counts expected[] = {
      {.tp = 1, .fp = 1, .fn = 3, .wrong = 1}, /* number */
      {.tp = 1, .tn = 1, .fn = 2},             /* total */
      {.tn = 2, .fp = 1, .fn = 1},             /* note */
  };
  assert_int_equal(header->attribute_count, 3);
  for (size_t i = 0; i < 3; i++) assert_memory_equal(&header->attributes[i].counts, &expected[i], sizeof *expected);
  assert_int_equal(header->score.count, 4);
  assert_int_equal(header->verdicts[EE_VERDICT_PASS] + header->verdicts[EE_VERDICT_BORDERLINE] +
                       header->verdicts[EE_VERDICT_FAIL],
                   4);
  assert_int_equal(header->verdicts[EE_VERDICT_PASS], 1);

  const ee_judge_total *seen = &totals.all.judges[1];
  assert_int_equal(seen->failed, 1);
  assert_int_equal(seen->attribute_count, 2);
  assert_true(ee_str_is(seen->attributes[0].name, "x"));
  assert_true(ee_str_is(seen->attributes[1].name, "y"));
  assert_true(ee_sample_mean(&seen->score) == 0.75);

  /* note: F1 0; number: 2/6; total: 2/4. */
  size_t order[3];
  ee_judge_total_rank(header, order);
  assert_int_equal(order[0], 2);
  assert_int_equal(order[1], 0);
  assert_int_equal(order[2], 1);
  ee_judge_averages averages = ee_judge_total_averages(header);
  assert_int_equal(averages.pooled.tp, 2);
  assert_int_equal(averages.pooled.fp, 2);
  assert_int_equal(averages.pooled.fn, 6);
  assert_true(same_metric(averages.micro.f1, (ee_metric){true, 4.0 / 12}));
  assert_float_equal(averages.macro.f1.value, (2.0 / 6 + 2.0 / 4 + 0) / 3, 1e-15);
  assert_float_equal(averages.weighted.f1.value, (4 * (2.0 / 6) + 3 * (2.0 / 4) + 0) / 8, 1e-15);
  ee_totals_fini(&totals);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

static void test_provider_failures(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_totals totals, part;
  ee_totals_init(&totals, rules.plan);
  ee_totals_init(&part, rules.plan);
  static const uint64_t failures[] = {0, 3, 0, 1};
  for (size_t i = 0; i < 4; i++) {
    ee_case_result result = small_judge_record(&rules, &arena, "{\"expected\":{\"number\":\"7\"}}");
    result.provider_failures = failures[i];
    ee_totals_add(&part, &result, &arena);
  }
  ee_totals_merge(&totals, &part);
  ee_totals_clear(&part);
  ee_totals_merge(&totals, &part);
  assert_int_equal(totals.provider_failures, 4);
  assert_int_equal(totals.cases_with_provider_failures, 2);
  ee_totals_fini(&part);
  ee_totals_fini(&totals);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

static const ee_slice_total *find_slice(const ee_totals *totals, const char *value) {
  for (size_t i = 0; i < totals->slice_count; i++)
    if (ee_str_is(totals->slices[i].value, value)) return &totals->slices[i];
  return NULL;
}

#define RECORD(lang) "{\"expected\":{\"number\":1},\"candidate\":{\"number\":1}" lang "}"

static void test_slice_values(void **state) {
  (void)state;
  static const char *const records[] = {
      RECORD(",\"lang\":\"en\""),
      RECORD(",\"lang\":null"),
      RECORD(""),
      RECORD(",\"lang\":1"),
      RECORD(",\"lang\":1.0"),
      RECORD(",\"lang\":true"),
      RECORD(",\"lang\":{\"b\":1,\"a\":[2]}"),
      RECORD(",\"lang\":{\"a\":[2],\"b\":1}"),
      RECORD(",\"lang\":\"\""),
      /* 79 bytes, then a letter of two bytes that would be cut */
      RECORD(
          ",\"lang\":\"0123456789012345678901234567890123456789012345678901234567890123456789012345678\xc3\xa9tail\""),
  };
  small_rules rules;
  small_rules_open(&rules);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_totals totals = totals_of(&rules, &arena, records, 10);
  static const struct {
    const char *value;
    uint64_t cases;
  } slices[] = {{"en", 1},
                {"(missing)", 2},
                {"1", 2},
                {"true", 1},
                {"{\"a\":[2],\"b\":1}", 2},
                {"", 1},
                {"0123456789012345678901234567890123456789012345678901234567890123456789012345678", 1}};
  assert_int_equal(totals.slice_count, 7);
  for (size_t i = 0; i < 7; i++) {
    assert_true(ee_str_is(totals.slices[i].value, slices[i].value));
    assert_int_equal(totals.slices[i].totals.score.count, slices[i].cases);
    assert_int_equal(totals.slices[i].totals.judges[0].attributes[0].counts.tp, slices[i].cases);
  }
  ee_totals_fini(&totals);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

static void test_slices_are_bounded(void **state) {
  (void)state;
  small_rules rules;
  small_rules_open(&rules);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_totals totals;
  ee_totals_init(&totals, rules.plan);
  for (size_t i = 0; i < EE_SLICE_VALUES + 70; i++) {
    const char *record = ee_arena_printf(&arena, RECORD(",\"lang\":\"v%04zu\""), (i * 7) % (EE_SLICE_VALUES + 70));
    ee_case_result result = small_judge_record(&rules, &arena, record);
    ee_totals_add(&totals, &result, &arena);
    if (i % 100 == 0) ee_arena_reset(&arena, 0);
  }
  ee_case_result known = small_judge_record(&rules, &arena, RECORD(",\"lang\":\"v0003\""));
  ee_totals_add(&totals, &known, &arena);
  ee_totals_settle(&totals);
  assert_int_equal(totals.slice_count, EE_SLICE_VALUES + 1);
  assert_int_equal(find_slice(&totals, "(other)")->totals.score.count, 70);
  assert_int_equal(find_slice(&totals, "v0003")->totals.score.count, 2);
  assert_null(find_slice(&totals, "v1000"));
  ee_totals_fini(&totals);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

static void test_data_hash(void **state) {
  (void)state;
  static const char *const records[] = {
      "{\"id\":\"1\",\"expected\":{\"a\":1,\"b\":2},\"candidate\":1}", "{\"id\":\"2\",\"expected\":{\"a\":1}}",
      "{\"id\":\"1\",\"expected\":{\"b\":2,\"a\":1},\"candidate\":2}", "{\"id\":\"1\",\"expected\":{\"b\":2,\"a\":3}}",
      "{\"id\":\"3\",\"expected\":{\"a\":1}}"};
  static const struct {
    int first, second;
    bool same_as_first;
  } pairs[] = {{0, 1, true}, {2, 1, true}, {1, 0, true}, {3, 1, false}, {0, 4, false}};
  small_rules rules;
  small_rules_open(&rules);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  uint64_t reference = 0;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    const char *const list[] = {records[pairs[i].first], records[pairs[i].second]};
    ee_totals totals = totals_of(&rules, &arena, list, 2);
    if (i == 0) reference = totals.data_hash;
    assert_int_equal(totals.data_hash == reference, pairs[i].same_as_first);
    ee_totals_fini(&totals);
  }
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* Ranking against a plain insertion by comparing two at a time. */
static void test_rank(void **state) {
  (void)state;
  test_random random = test_random_start("rank", 13);
  for (int round = 0; round < 500; round++) {
    ee_attribute_total attributes[12];
    size_t count = test_random_below(&random, 13), order[12];
    for (size_t i = 0; i < count; i++) {
      ee_counts counts = {.tp = test_random_below(&random, 3),
                          .tn = 5,
                          .fp = test_random_below(&random, 3),
                          .fn = test_random_below(&random, 3)};
      attributes[i] = (ee_attribute_total){.counts = counts};
    }
    size_t known = test_random_below(&random, count + 1); /* to the plan, the others to the data only */
    ee_judge_total total = {.attributes = attributes, .attribute_count = count, .static_count = known};
    ee_judge_total_rank(&total, order);
    bool used[12] = {false};
    for (size_t i = 0; i < count; i++) {
      assert_false(used[order[i]]);
      used[order[i]] = true;
      if (i == 0) continue;
      const ee_counts *a = &attributes[order[i - 1]].counts, *b = &attributes[order[i]].counts;
      bool a_defined = a->tp + a->fp + a->fn > 0, b_defined = b->tp + b->fp + b->fn > 0;
      double a_f1 = a_defined ? 2.0 * (double)a->tp / (double)(2 * a->tp + a->fp + a->fn) : 2;
      double b_f1 = b_defined ? 2.0 * (double)b->tp / (double)(2 * b->tp + b->fp + b->fn) : 2;
      assert_true(a_f1 <= b_f1);
      if (a_f1 < b_f1) continue;
      if (a->fp + a->fn != b->fp + b->fn) {
        assert_true(a->fp + a->fn > b->fp + b->fn);
      } else {
        assert_true(order[i - 1] < order[i]);
      }
    }
  }
}

/* Where nothing else tells attributes apart, their names do, and equal names their places. */
static void test_rank_by_name(void **state) {
  (void)state;
  const ee_counts counts = {.tp = 1, .fp = 1};
  ee_attribute_total attributes[] = {{.name = EE_STR("c"), .counts = counts},
                                     {.name = EE_STR("a"), .counts = counts},
                                     {.name = EE_STR("b"), .counts = counts},
                                     {.name = EE_STR("a"), .counts = counts}};
  ee_judge_total total = {.attributes = attributes, .attribute_count = 4};
  size_t order[4];
  ee_judge_total_rank(&total, order);
  assert_true(order[0] == 1 && order[1] == 3 && order[2] == 2 && order[3] == 0);
}

static void assert_order(const ee_judge_total *total, ee_attribute_order by, const char *names) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  size_t order[6];
  ee_judge_total_order(total, by, order, &arena);
  char text[7] = "";
  for (size_t i = 0; i < total->attribute_count; i++) text[i] = total->attributes[order[i]].name.data[0];
  assert_string_equal(text, names);
  ee_arena_fini(&arena);
}

/* Each order of attributes; equal ones as they are ranked, metrics that are not defined last. */
static void test_orders(void **state) {
  (void)state;
  /* precision 1/2, 3/4, -, 1, 1/2; recall 1/4, 3/4, 0, 1, 1; values 4, 4, 2, 1, 1; errors 3, 2, 2, 0, 1 */
  ee_attribute_total attributes[] = {{.name = EE_STR("d"), .counts = {.tp = 1, .fp = 1, .fn = 3, .wrong = 1}},
                                     {.name = EE_STR("b"), .counts = {.tp = 3, .fp = 1, .fn = 1}},
                                     {.name = EE_STR("e"), .counts = {.fn = 2}},
                                     {.name = EE_STR("a"), .counts = {.tp = 1}},
                                     {.name = EE_STR("c"), .counts = {.tp = 1, .fp = 1}},
                                     {.name = EE_STR("f"), .counts = {.tn = 9}}};
  ee_judge_total total = {.attributes = attributes, .attribute_count = 6, .static_count = 6};
  assert_order(&total, EE_ORDER_USUAL, "edcbaf");
  assert_order(&total, EE_ORDER_NAME, "abcdef");
  assert_order(&total, EE_ORDER_SUPPORT, "dbecaf");
  assert_order(&total, EE_ORDER_ERRORS, "debcaf");
  assert_order(&total, EE_ORDER_PRECISION, "dcbaef");
  assert_order(&total, EE_ORDER_RECALL, "edbcaf");
  assert_order(&total, EE_ORDER_RULES, "dbeacf");
}

/* What cases and judges say of themselves, made by hand: sums, counts of cases, and counts of what is more than 0. */
typedef struct said {
  uint64_t records, absent, scored, unscored, missing, unparseable;
  uint64_t rules_cases, rules, provider_cases, provider, given_cases, given;
  uint64_t failed, judge_unscored, vacuous, fallbacks, paired, unpairable, compared, different, lost;
  unsigned sides;
  double lost_similarity, greedy, optimal;
} said;

static void say(test_random *random, ee_arena *arena, ee_case_result *result, said *sum) {
  ee_case *source = ee_arena_alloc(arena, sizeof *source);
  ee_judge_result *judges = ee_arena_alloc(arena, result->judge_count * sizeof *judges);
  memcpy(judges, result->judges, result->judge_count * sizeof *judges);
  memcpy(source, result->source, sizeof *source);
  result->source = source;
  result->judges = judges;
  source->absent = test_random_below(random, 4) == 0;
  source->candidate_state = (ee_candidate_state[]){EE_CANDIDATE_READ, EE_CANDIDATE_MISSING,
                                                   EE_CANDIDATE_UNPARSEABLE}[test_random_below(random, 3)];
  result->rule_errors = test_random_below(random, 3);
  result->provider_failures = test_random_below(random, 3);
  result->given_up = test_random_below(random, 3);
  result->unscored = test_random_below(random, 5) == 0;
  sum->records += !source->absent;
  sum->absent += source->absent;
  sum->scored++;
  sum->unscored += result->unscored;
  sum->missing += source->candidate_state == EE_CANDIDATE_MISSING;
  sum->unparseable += source->candidate_state == EE_CANDIDATE_UNPARSEABLE;
  sum->rules += result->rule_errors, sum->rules_cases += result->rule_errors != 0;
  sum->provider += result->provider_failures, sum->provider_cases += result->provider_failures != 0;
  sum->given += result->given_up, sum->given_cases += result->given_up != 0;
  ee_judge_result *judged = &judges[0];
  judged->failed = test_random_below(random, 4) == 0;
  judged->unscored = test_random_below(random, 4) == 0;
  judged->vacuous = test_random_below(random, 4) == 0;
  judged->fallbacks = test_random_below(random, 3);
  judged->paired = test_random_below(random, 2) == 0;
  judged->unpairable = test_random_below(random, 3) == 0 ? "'a'" : NULL;
  judged->match_sides = test_random_below(random, 8) == 0 ? 2 : 0;
  sum->failed += judged->failed;
  sum->judge_unscored += judged->unscored;
  sum->vacuous += judged->vacuous;
  sum->fallbacks += judged->fallbacks != 0;
  sum->paired += judged->paired;
  sum->unpairable += judged->unpairable != NULL;
  sum->sides |= judged->match_sides;
  if (test_random_below(random, 3) == 0) return;
  static const ee_pairing_difference difference;
  ee_methods_compared *methods = EE_NEW(arena, ee_methods_compared);
  methods->greedy.score = (double)test_random_below(random, 5) / 4;
  methods->optimal.score = (double)test_random_below(random, 5) / 4;
  methods->lost = (double)test_random_below(random, 3) / 8;
  methods->difference_count = test_random_below(random, 2);
  methods->differences = &difference;
  judged->methods = methods;
  sum->compared++;
  sum->different += methods->difference_count == 1;
  sum->lost += methods->lost != 0;
  sum->lost_similarity += methods->lost, sum->greedy += methods->greedy.score, sum->optimal += methods->optimal.score;
}

static void assert_said(const ee_totals *totals, const said *sum) {
  const ee_judge_total *judge = &totals->all.judges[0];
  const ee_methods_total *methods = &judge->methods;
  assert_int_equal(totals->records, sum->records);
  assert_int_equal(totals->absent, sum->absent);
  assert_int_equal(totals->scored, sum->scored);
  assert_int_equal(totals->unscored, sum->unscored);
  assert_int_equal(totals->candidates_missing, sum->missing);
  assert_int_equal(totals->candidates_unparseable, sum->unparseable);
  assert_int_equal(totals->cases_with_rule_errors, sum->rules_cases);
  assert_int_equal(totals->rule_errors, sum->rules);
  assert_int_equal(totals->cases_with_provider_failures, sum->provider_cases);
  assert_int_equal(totals->provider_failures, sum->provider);
  assert_int_equal(totals->cases_with_given_up, sum->given_cases);
  assert_int_equal(totals->given_up, sum->given);
  assert_int_equal(judge->failed, sum->failed);
  assert_int_equal(judge->unscored, sum->judge_unscored);
  assert_int_equal(judge->score.count, sum->scored - sum->judge_unscored);
  assert_int_equal(judge->verdicts[0] + judge->verdicts[1] + judge->verdicts[2], judge->score.count);
  assert_int_equal(judge->vacuous, sum->vacuous);
  assert_int_equal(judge->fallbacks, sum->fallbacks);
  assert_int_equal(judge->paired, sum->paired);
  assert_int_equal(judge->unpairable, sum->unpairable);
  assert_int_equal(judge->match_sides, sum->sides);
  assert_int_equal(methods->compared, sum->compared);
  assert_int_equal(methods->different, sum->different);
  assert_int_equal(methods->lost, sum->lost);
  assert_true(ee_fixed_value(methods->lost_similarity) == sum->lost_similarity);
  assert_true(ee_fixed_value(methods->greedy_score) == sum->greedy);
  assert_true(ee_fixed_value(methods->optimal_score) == sum->optimal);
}

static void test_counts_what_results_say(void **state) {
  (void)state;
  test_random random = test_random_start("totals: what results say", 21);
  small_rules rules;
  ee_arena arena;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  ee_totals parts[3];
  for (size_t i = 0; i < 3; i++) ee_totals_init(&parts[i], rules.plan);
  for (int round = 0; round < 60; round++) {
    said sum = {0};
    size_t cases = test_random_below(&random, 12);
    for (size_t i = 0; i < cases; i++) {
      const char *text =
          ee_arena_printf(&arena, "{\"id\":\"%zu\",\"expected\":{\"number\":\"7\"},\"candidate\":{}}", i);
      ee_case_result result = small_judge_record(&rules, &arena, text);
      say(&random, &arena, &result, &sum);
      ee_totals_add(&parts[1 + test_random_below(&random, 2)], &result, &arena);
    }
    ee_totals_merge(&parts[0], &parts[1]);
    ee_totals_merge(&parts[0], &parts[2]);
    assert_said(&parts[0], &sum);
    for (size_t i = 0; i < 3; i++) ee_totals_clear(&parts[i]);
    assert_said(&parts[0], &(said){0});
    ee_arena_reset(&arena, 0);
  }
  for (size_t i = 0; i < 3; i++) ee_totals_fini(&parts[i]);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* Of the cases in which a judge was in error the first by id is kept, with what it says of it, else its first miss. */
static void test_faults(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  ee_totals totals;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  static const ee_finding misses[] = {{.path = {"first", 5}, .row = EE_NO_ROW},
                                      {.path = {"second", 6}, .row = EE_NO_ROW}};
  static const ee_finding fault = {.path = {"fault", 5}, .row = EE_NO_ROW};
  for (int i = 0; i < 4; i++) {
    ee_totals_init(&totals, rules.plan);
    for (int k = 0; k < 3; k++) {
      static const char *const ids[] = {"b", "a", "c"};
      const char *text = ee_arena_printf(
          &arena, "{\"id\":\"%s\",\"lang\":\"de\",\"expected\":{\"number\":\"7\"},\"candidate\":{}}", ids[k]);
      ee_case_result result = small_judge_record(&rules, &arena, text);
      ee_judge_result *judges = EE_NEW_ARRAY(&arena, ee_judge_result, result.judge_count);
      memcpy(judges, result.judges, result.judge_count * sizeof *judges);
      result.judges = judges;
      judges[0].failed = true;
      judges[0].fault = i % 2 == 0 ? NULL : &fault;
      judges[0].misses = i / 2 == 0 ? misses : NULL;
      judges[0].miss_count = i / 2 == 0 ? 2 : 0;
      ee_totals_add(&totals, &result, &arena);
    }
    const ee_judge_total *judge = &totals.all.judges[0];
    assert_int_equal(judge->failed, 3);
    assert_true(ee_str_is(judge->fault.text, i % 2 == 1 ? "fault" : i == 0 ? "first" : ""));
    assert_true(ee_str_is(judge->fault.id, i == 2 ? "" : "a"));
    assert_int_equal(totals.slices[0].totals.judges[0].failed, 3);
    assert_int_equal(totals.slices[0].totals.judges[0].fault.text.length, 0);
    ee_totals_fini(&totals);
  }
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_faults), cmocka_unit_test(test_any_partition_is_the_whole),
             cmocka_unit_test(test_partitions_beyond_the_bounds), cmocka_unit_test(test_counts),
             cmocka_unit_test(test_provider_failures), cmocka_unit_test(test_slice_values),
             cmocka_unit_test(test_slices_are_bounded), cmocka_unit_test(test_data_hash), cmocka_unit_test(test_rank),
             cmocka_unit_test(test_rank_by_name), cmocka_unit_test(test_orders),
             cmocka_unit_test(test_counts_what_results_say));
