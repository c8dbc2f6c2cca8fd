/* test_many_runs.c: several runs at once: means over the cases that all have, each against the first, marks of the
 * best, all against slow versions on random runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"
#include "prim/paired.h"
#include "report/made_runs.h"
#include "report/many_runs.h"
#include "report/printed.h"

enum { MOST_RUNS = 5, MOST_ROWS = 12 };

/* What the JSON of a comparison of several runs says. */
static const ee_value *read_report(const ee_many_runs *runs, ee_arena *arena) {
  ee_buffer text;
  ee_error error;
  ee_buffer_init(&text);
  ee_many_runs_json(runs, &text);
  ee_str copy = {ee_arena_copy(arena, text.data, text.length), text.length};
  ee_buffer_fini(&text);
  const ee_value *report = ee_json_read(arena, copy, NULL, &error);
  if (report == NULL) fail_msg("%s in %.*s", error.message, EE_STR_ARG(copy));
  return report;
}

static const ee_value *member(const ee_value *value, const char *key) {
  const ee_value *found = ee_value_member(value, ee_str_from(key), NULL);
  if (found == NULL) fail_msg("no member %s", key);
  return found;
}

static const ee_value *item(const ee_value *list, size_t number) {
  const ee_value *at = ee_value_child(list);
  while (number-- > 0) at = ee_value_next(at);
  return at;
}

/* The metric of that name of a run, of no judge. */
static const ee_value *metric(const ee_value *report, size_t run, const char *key, const char *name) {
  for (const ee_value *at = ee_value_child(member(item(member(report, "runs"), run), "metrics")); at != NULL;
       at = ee_value_next(at))
    if (strcmp(ee_value_get_text(at, key, "").data, name) == 0 && ee_value_member(at, EE_STR("judge"), NULL) == NULL)
      return at;
  return NULL;
}

static const ee_stored_row *find(const made_run *run, ee_str id) {
  for (size_t i = 0; i < run->count; i++)
    if (ee_str_equal(run->rows[i].id, id)) return &run->rows[i];
  return NULL;
}

/* Takes some rows away, and the score of others. */
static void thin_out(test_random *random, made_run *run) {
  size_t kept = 0;
  for (size_t i = 0; i < run->count; i++) {
    if (test_random_below(random, 6) == 0) continue;
    run->rows[kept] = run->rows[i];
    run->rows[kept++].unscored = test_random_below(random, 10) == 0;
  }
  run->count = kept;
}

static double cost_of(const ee_stored_row *row) {
  return row->measure_count > 0 && row->measures[0].state == EE_MEASURE_READ ? row->measures[0].value : NAN;
}

static void check_near(const ee_value *value, double expected, const char *what) {
  double got = ee_type_of(value) == EE_NUMBER ? ee_value_number(value) : NAN;
  if (isnan(got) && isnan(expected)) return;
  if (!(fabs(got - expected) <= 1e-8)) fail_msg("%s: %.17g, not %.17g", what, got, expected);
}

static ee_paired_sums sums_of(const double *deltas, size_t count) {
  ee_paired_sums sums = {.reach = 1};
  for (size_t i = 0; i < count; i++) ee_paired_add(&sums, deltas[i], fabs(deltas[i]) > 1e-9);
  return sums;
}

static void check_interval(const ee_value *against, const ee_paired_sums *sums, size_t pairs) {
  ee_interval interval = ee_paired_interval(sums, ee_paired_point(sums->units, 1 - 0.05 / (double)pairs));
  check_near(member(member(against, "difference_interval"), "low"), interval.low, "low");
  check_near(member(member(against, "difference_interval"), "high"), interval.high, "high");
}

/* --pairs all: each pair by the cases' differences, corrected for all. */
static void check_pairs(const ee_stored_row *shared[MOST_RUNS][MOST_ROWS], size_t count, size_t cases,
                        const ee_value *report) {
  double p[MOST_RUNS * MOST_RUNS], deltas[MOST_ROWS];
  size_t pairs = count * (count - 1) / 2;
  for (int walk = 0; walk < 2; walk++) {
    size_t pair = 0;
    for (size_t base = 0; base < count; base++) {
      for (size_t fresh = base + 1; fresh < count; fresh++, pair++) {
        const ee_value *against = item(member(report, "pairs"), pair);
        if (walk == 1) {
          check_near(member(against, "p_adjusted"), p[pair], "p_adjusted");
          continue;
        }
        uint64_t wins = 0;
        for (size_t i = 0; i < cases; i++) {
          deltas[i] = shared[fresh][i]->score - shared[base][i]->score;
          wins += deltas[i] > 1e-9;
        }
        ee_paired_sums sums = sums_of(deltas, cases);
        check_near(member(against, "p"), p[pair] = ee_paired_p(&sums), "p");
        check_near(member(against, "wins"), (double)wins, "wins");
        check_interval(against, &sums, pairs);
      }
    }
    if (walk == 0) ee_holm(p, pairs);
    assert_int_equal(pair, pairs);
  }
  assert_null(item(member(report, "pairs"), pairs));
}

static void check_round(const made_run *made, size_t count, bool all_pairs, const ee_value *report) {
  const ee_stored_row *shared[MOST_RUNS][MOST_ROWS];
  size_t cases = 0;
  for (size_t i = 0; i < made[0].count; i++) {
    bool all = true;
    for (size_t run = 0; run < count; run++) {
      shared[run][cases] = find(&made[run], made[0].rows[i].id);
      all = all && shared[run][cases] != NULL && !shared[run][cases]->unscored;
    }
    cases += all;
  }
  assert_true(ee_value_number(member(report, "cases")) == (double)cases);
  double means[MOST_RUNS], highest = 0, lowest = 1, p[MOST_RUNS];
  for (size_t run = 0; run < count; run++) {
    double sum = 0, passed = 0, deltas[MOST_ROWS];
    for (size_t i = 0; i < cases; i++) {
      sum += shared[run][i]->score;
      passed += shared[run][i]->verdict == EE_VERDICT_PASS;
      deltas[i] = shared[run][i]->score - shared[0][i]->score;
    }
    means[run] = sum / (double)cases;
    highest = fmax(highest, means[run]);
    lowest = fmin(lowest, means[run]);
    check_near(member(metric(report, run, "metric", "mean score"), "value"), means[run], "mean score");
    check_near(member(metric(report, run, "metric", "pass rate"), "value"), passed / (double)cases, "pass rate");
    if (run == 0) continue;
    const ee_value *against = member(item(member(report, "runs"), run), "against_first");
    check_near(member(against, "difference"), means[run] - means[0], "difference");
    ee_paired_sums sums = sums_of(deltas, cases);
    p[run - 1] = ee_paired_p(&sums);
    check_near(member(against, "p"), p[run - 1], "p");
    if (!all_pairs) check_interval(against, &sums, count - 1);
    /* Costs are over the cases that both runs have them in. */
    double costs = 0, paid = 0;
    for (size_t i = 0; i < cases; i++) {
      if (isnan(cost_of(shared[0][i])) || isnan(cost_of(shared[run][i]))) continue;
      costs += cost_of(shared[run][i]);
      paid++;
    }
    const ee_value *cost = metric(report, run, "mean_of", "cost");
    if (cost != NULL) check_near(member(cost, "value"), paid > 0 ? costs / paid : NAN, "cost");
  }
  ee_holm(p, count - 1);
  double shares = 0;
  if (all_pairs) check_pairs(shared, count, cases, report);
  for (size_t run = 0; run < count; run++) {
    shares += ee_value_number(member(item(member(report, "runs"), run), "best_share"));
    bool best = highest - lowest > 1e-9 && highest - means[run] <= 1e-9;
    assert_int_equal(ee_type_of(member(metric(report, run, "metric", "mean score"), "best")) == EE_TRUE, best);
    if (run == 0 || all_pairs) continue;
    const ee_value *against = member(item(member(report, "runs"), run), "against_first");
    check_near(member(against, "p_adjusted"), p[run - 1], "p_adjusted");
    ee_str finding = ee_value_get_text(against, "finding", "");
    bool decided = p[run - 1] <= 0.05;
    assert_int_equal(ee_str_is(finding, "better") || ee_str_is(finding, "worse"), decided);
    if (decided) assert_true(ee_str_is(finding, means[run] > means[0] ? "better" : "worse"));
  }
  assert_true(fabs(shares - 1) < 1e-9);
}

static void agrees_with_its_twin(void **state) {
  (void)state;
  static const char *const names[] = {"a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl", "e.jsonl"};
  test_random random = test_random_start("many runs", 601);
  size_t refused = 0;
  for (int round = 0; round < 400; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    made_shape shape = random_shape(&random);
    size_t count = 3 + test_random_below(&random, MOST_RUNS - 2), rows = 1 + test_random_below(&random, MOST_ROWS);
    made_run made[MOST_RUNS];
    for (size_t run = 0; run < count; run++) {
      made[run] = random_run(&random, &arena, &shape, rows);
      if (round % 2 == 0) thin_out(&random, &made[run]);
      shuffle(&random, &made[run]);
    }
    ee_many_runs *runs = ee_many_runs_new(&(ee_many_runs_options){
        .names = names, .count = count, .each = {.common = round % 2 == 0}, .all_pairs = round % 3 == 0});
    for (size_t run = 0; run < count; run++)
      for (size_t i = 0; i < made[run].count; i++) ee_many_runs_add(runs, run, &made[run].rows[i]);
    ee_error error;
    if (ee_many_runs_finish(runs, &error) == EE_OK)
      check_round(made, count, round % 3 == 0, read_report(runs, &arena));
    else
      refused++; /* no case in common */
    ee_many_runs_free(runs);
    ee_arena_fini(&arena);
  }
  assert_true(refused < 200);
}

/* Every refusal of two runs is one of several. */
static void other_data_is_refused(void **state) {
  (void)state;
  static const char *const names[] = {"x/a.jsonl", "y/a.jsonl", "c.jsonl"};
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const char *ids[] = {"1", "2", "3"}, *other_ids[] = {"1", "2", "4"};
  const double scores[] = {1, 0.5, 0};
  made_run made[] = {scores_only(&arena, ids, scores, 3), scores_only(&arena, ids, scores, 3),
                     scores_only(&arena, other_ids, scores, 3)};
  for (int common = 0; common < 2; common++) {
    ee_many_runs *runs =
        ee_many_runs_new(&(ee_many_runs_options){.names = names, .count = 3, .each = {.common = common == 1}});
    for (size_t run = 0; run < 3; run++)
      for (size_t i = 0; i < 3; i++) ee_many_runs_add(runs, run, &made[run].rows[i]);
    ee_error error;
    assert_int_equal(ee_many_runs_finish(runs, &error), common == 1 ? EE_OK : EE_ERROR_DATA);
    if (common == 0) {
      assert_has(error.message, "do not cover the same data");
    } else {
      assert_has(ee_many_runs_note(runs, 0), "1 case of 'x/a.jsonl' is not in all runs");
      const ee_value *report = read_report(runs, &arena);
      assert_true(ee_str_is(ee_value_get_text(item(member(report, "runs"), 0), "label", ""), "x/a"));
      assert_true(ee_str_is(ee_value_get_text(item(member(report, "runs"), 1), "label", ""), "y/a"));
    }
    ee_many_runs_free(runs);
  }
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(agrees_with_its_twin), cmocka_unit_test(other_data_is_refused));
