/* test_comparison.c: what is said of two runs: outcomes, refusals, decisions, and what the reports make of hostile
 * names. Figures of random runs: test_comparison_twin.c. */
#include "report/made_runs.h"
#include "report/printed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/json/json_reader.h"

static const ee_comparison_options plain = {0};

/* Cases ----------------------------------------------------------------------------------------- */

static void check_outcome(double before, double after, double threshold, ee_comparison_outcome expected) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  made_run base = scores_only(&arena, NULL, &before, 1), fresh = scores_only(&arena, NULL, &after, 1);
  ee_comparison *comparison = compare_or_fail(&base, &fresh, (ee_comparison_options){.threshold = threshold});
  if (comparison->cases[0].outcome != expected)
    fail_msg("%g to %g at %g: %d, not %d", before, after, threshold, comparison->cases[0].outcome, expected);
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

static void outcomes_have_a_threshold(void **state) {
  (void)state;
  assert_true(0.3 - 0.2 < 0.1 && 0.8 - 0.7 > 0.1); /* as doubles, on both sides of it */
  check_outcome(0.2, 0.3, 0.1, EE_OUTCOME_WIN);
  check_outcome(0.3, 0.2, 0.1, EE_OUTCOME_LOSS);
  check_outcome(0.7, 0.8, 0.1, EE_OUTCOME_WIN);
  check_outcome(0.2, 0.2999, 0.1, EE_OUTCOME_TIE);
  check_outcome(0.3, 0.2001, 0.1, EE_OUTCOME_TIE);
  check_outcome(0.5, 0.5, 0, EE_OUTCOME_TIE);
  check_outcome(0.5, 0.500001, 0, EE_OUTCOME_WIN);
  check_outcome(0.5, 0.499999, 0, EE_OUTCOME_LOSS);
  check_outcome(0.1 + 0.2, 0.3, 0, EE_OUTCOME_TIE); /* 5e-17 apart */
  check_outcome(0, 1, 1, EE_OUTCOME_WIN);
}

static void gains_are_relative_to_the_headroom(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const double before[] = {0.5, 0.75, 1, 1, 0}, after[] = {0.75, 0.5, 1, 0.5, 1};
  made_run base = scores_only(&arena, NULL, before, 5), fresh = scores_only(&arena, NULL, after, 5);
  ee_comparison *comparison = compare_or_fail(&base, &fresh, plain);
  const ee_compared_case *cases = comparison->cases;
  assert_true(cases[0].gain.value == 0.5 && cases[1].gain.value == -1 && cases[4].gain.value == 1);
  assert_true(!cases[2].gain.defined && !cases[3].gain.defined);
  assert_true(comparison->gains == 3 && fabs(comparison->gain.value - 0.5 / 3) < 1e-15);
  ee_comparison_free(comparison);
  /* Where nobody has headroom there is no mean. */
  base = scores_only(&arena, NULL, before + 2, 2);
  fresh = scores_only(&arena, NULL, after + 2, 2);
  comparison = compare_or_fail(&base, &fresh, plain);
  assert_false(comparison->gain.defined);
  ee_buffer out = {0};
  ee_comparison_json(comparison, &out);
  assert_non_null(strstr(ee_buffer_terminate(&out), "\"mean_normalised_gain\": null"));
  assert_non_null(strstr(out.data, "\"normalised_gain\": null"));
  ee_buffer_clear(&out);
  ee_report_write_comparison(TABLE, comparison, (ee_table_style){0}, &out);
  assert_non_null(strstr(ee_buffer_terminate(&out), "normalised gain - (0 cases with base below 1)"));
  ee_buffer_fini(&out);
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

/* Properties ------------------------------------------------------------------------------------ */

/* What n equal units leave open. */
static void assert_around_zero(ee_interval interval, uint64_t units) {
  double n = (double)units;
  if (units == 1) assert_true(interval.low == -1 && interval.high == 1);
  if (units > 5) assert_true(interval.high > 2.5 / n && interval.high < 3.2 / n);
  assert_true(interval.low == -interval.high);
}

static void a_run_equals_itself(void **state) {
  (void)state;
  test_random random = test_random_start("comparison: itself", 511);
  for (int round = 0; round < 40; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    made_shape shape = random_shape(&random);
    made_run run = random_run(&random, &arena, &shape, 1 + test_random_below(&random, 30));
    ee_comparison_options options = {.fail_on = (ee_fail_on)(round % 5)};
    ee_comparison *comparison = compare_or_fail(&run, &run, options);
    const char *reason;
    assert_false(ee_comparison_fails(comparison, &reason));
    assert_null(reason);
    assert_int_equal(comparison->finding, EE_RUNS_EQUAL);
    assert_int_equal(comparison->outcomes[EE_OUTCOME_TIE], run.count);
    assert_true(comparison->pass_p == 1 && comparison->score.change.value == 0);
    assert_around_zero(comparison->score.change_range, run.count);
    assert_int_equal(comparison->changes.count + comparison->notes.count, 0);
    for (size_t i = 0; i < comparison->judge_count; i++) {
      const ee_compared_judge *judge = &comparison->judges[i];
      if (!judge->any_counts || isnan(judge->micro.change_range.low)) continue;
      assert_around_zero(judge->macro.change_range, judge->cases);
      assert_true(judge->micro.change_range.low == -judge->micro.change_range.high);
    }
    ee_comparison_free(comparison);
    ee_arena_fini(&arena);
  }
}

static void swapping_sides_swaps_everything(void **state) {
  (void)state;
  test_random random = test_random_start("comparison: swap", 512);
  for (int round = 0; round < 40; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    made_shape shape = random_shape(&random);
    size_t count = 1 + test_random_below(&random, 30);
    made_run base = random_run(&random, &arena, &shape, count), fresh = random_run(&random, &arena, &shape, count);
    ee_comparison *there = compare_or_fail(&base, &fresh, plain), *back = compare_or_fail(&fresh, &base, plain);
    assert_int_equal(there->outcomes[EE_OUTCOME_WIN], back->outcomes[EE_OUTCOME_LOSS]);
    assert_int_equal(there->outcomes[EE_OUTCOME_LOSS], back->outcomes[EE_OUTCOME_WIN]);
    assert_true(there->score.change.value == -back->score.change.value);
    assert_true(there->pass_p == back->pass_p && there->pass_fixed == back->pass_broken);
    assert_true(there->fixed == back->broken && there->broken == back->fixed);
    assert_int_equal(there->field_count, back->field_count);
    assert_true(there->score.before_range.low == back->score.after_range.low);
    assert_true(there->score.p == back->score.p && there->sign_p == back->sign_p);
    for (size_t i = 0; i < there->judge_count; i++) {
      ee_str name = there->known_judges.items[there->judges[i].judge].name;
      for (size_t k = 0; k < back->judge_count; k++) {
        if (!ee_str_equal(back->known_judges.items[back->judges[k].judge].name, name)) continue;
        assert_true(there->judges[i].micro.before.value == back->judges[k].micro.after.value);
        /* Sums of products are added in another order. */
        double p = there->judges[i].micro.p;
        assert_true(isnan(p) || fabs(p - back->judges[k].micro.p) < 1e-9);
        double one = there->judges[i].macro.after_range.high, other = back->judges[k].macro.before_range.high;
        assert_true(fabs(one - other) < 1e-12 || isnan(one));
      }
    }
    ee_comparison_free(there);
    ee_comparison_free(back);
    ee_arena_fini(&arena);
  }
}

static ee_buffer json_of(const made_run *base, const made_run *fresh) {
  ee_comparison *comparison = compare_or_fail(base, fresh, plain);
  ee_buffer out = {0};
  ee_comparison_json(comparison, &out);
  ee_buffer_terminate(&out);
  ee_comparison_free(comparison);
  return out;
}

static void the_order_of_the_new_run_changes_nothing(void **state) {
  (void)state;
  test_random random = test_random_start("comparison: order", 513);
  for (int round = 0; round < 20; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    made_shape shape = random_shape(&random);
    size_t count = 1 + test_random_below(&random, 20);
    made_run base = random_run(&random, &arena, &shape, count), fresh = random_run(&random, &arena, &shape, count);
    ee_buffer one = json_of(&base, &fresh);
    shuffle(&random, &fresh);
    ee_buffer two = json_of(&base, &fresh);
    /* Names that only the new run has are numbered in another order: of the figures of cases nothing may change. */
    const char *rest = strstr(one.data, "\"results\""), *same = strstr(two.data, "\"results\"");
    assert_string_equal(rest, same);
    *strstr(one.data, "\"judges\"") = *strstr(two.data, "\"judges\"") = '\0';
    assert_string_equal(one.data, two.data);
    ee_buffer_fini(&one);
    ee_buffer_fini(&two);
    ee_arena_fini(&arena);
  }
}

/* Fields ---------------------------------------------------------------------------------------- */

/* One judge with these attributes in each of `count` rows. */
static made_run with_attributes(ee_arena *arena, const ee_stored_attribute *attributes, size_t attribute_count,
                                size_t count) {
  double *scores = EE_NEW_ARRAY(arena, double, count);
  made_run run = scores_only(arena, NULL, scores, count);
  for (size_t i = 0; i < count; i++) {
    ee_stored_judge *judge = EE_NEW(arena, ee_stored_judge);
    *judge = (ee_stored_judge){.name = EE_STR("header"),
                               .type = EE_STR("fields"),
                               .attributes = attributes,
                               .attribute_count = attribute_count};
    run.rows[i].judges = judge;
    run.rows[i].judge_count = 1;
  }
  return run;
}

static void fields_of_other_rules_are_told(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  /* "old" is expected in the base only, "note" is made up by the new candidate where nothing is expected. */
  const ee_stored_attribute before[] = {{EE_STR("total"), {.tp = 1}, false}, {EE_STR("old"), {.fn = 1}, false}};
  const ee_stored_attribute after[] = {
      {EE_STR("total"), {.tp = 1}, false}, {EE_STR("note"), {.fp = 1}, false}, {EE_STR("new"), {.tp = 1}, false}};
  made_run base = with_attributes(&arena, before, 2, 3), fresh = with_attributes(&arena, after, 3, 3);
  ee_comparison *comparison = compare_or_fail(&base, &fresh, plain);
  assert_int_equal(comparison->field_count, 2);
  assert_int_equal(comparison->lone_field_count, 2);
  assert_int_equal(comparison->broken, 3);
  assert_int_equal(comparison->fixed, 0);
  const ee_compared_judge *judge = &comparison->judges[0];
  assert_true(judge->micro.before.value == 1 && judge->micro.after.value == 6.0 / 9);
  assert_true(judge->macro.before.value == 1 && judge->macro.after.value == 0.5);
  assert_string_equal(ee_comparison_note(comparison, 0),
                      "3 cases have no expected_hash on both sides: assumed to be the same data");
  assert_string_equal(ee_comparison_note(comparison, 1), "1 field is only in the base and in no metric: 'old'");
  assert_string_equal(ee_comparison_note(comparison, 2), "1 field is only in the new run and in no metric: 'new'");
  assert_null(ee_comparison_note(comparison, 3));
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

static void retold_fields_are_in_no_average(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_stored_attribute before[] = {{EE_STR("a"), {.tp = 1}, false}, {EE_STR("again"), {.fp = 5}, true}};
  const ee_stored_attribute after[] = {{EE_STR("a"), {.fp = 1, .fn = 1}, false}, {EE_STR("again"), {.tp = 5}, true}};
  made_run base = with_attributes(&arena, before, 2, 8), fresh = with_attributes(&arena, after, 2, 8);
  ee_comparison *comparison = compare_or_fail(&base, &fresh, plain);
  const ee_compared_judge *judge = &comparison->judges[0];
  assert_true(judge->micro.before.value == 1 && judge->micro.after.value == 0 && judge->micro.after.defined);
  assert_true(judge->macro.change_range.low == -1 && judge->macro.change_range.high < -0.3);
  assert_int_equal(comparison->field_count, 2);
  assert_int_equal(comparison->fields[1].fixed, 8);
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

static void judges_may_be_missing(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_stored_attribute attributes[] = {{EE_STR("a"), {.tp = 1}, false}};
  made_run base = with_attributes(&arena, attributes, 1, 4), fresh = with_attributes(&arena, attributes, 1, 4);
  fresh.rows[1].judge_count = 0;
  ee_stored_judge *other = EE_NEW(&arena, ee_stored_judge);
  *other = (ee_stored_judge){.name = EE_STR("safety"), .has_score = true, .score = 1};
  base.rows[2].judges = other;
  for (size_t i = 0; i < 4; i++) base.rows[i].has_hash = fresh.rows[i].has_hash = true;
  ee_comparison *comparison = compare_or_fail(&base, &fresh, plain);
  assert_int_equal(comparison->judge_count, 1);
  assert_int_equal(comparison->judges[0].cases, 2);
  assert_string_equal(ee_comparison_note(comparison, 0), "1 judge is only in the base and not compared: 'safety'");
  assert_string_equal(ee_comparison_note(comparison, 1),
                      "judge 'header' is missing in 1 case of the base, which is left out of its metrics");
  assert_string_equal(ee_comparison_note(comparison, 2),
                      "judge 'header' is missing in 1 case of the new run, which is left out of its metrics");
  assert_null(ee_comparison_note(comparison, 3));
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

/* Other data ------------------------------------------------------------------------------------ */

static void check_refused_as(ee_status status, const made_run *base, const made_run *fresh,
                             ee_comparison_options options, const char *message) {
  ee_error error = {0};
  assert_null(compare_rows(base, fresh, options, &error));
  assert_int_equal(error.status, status);
  assert_string_equal(error.message, message);
}

static void check_refusal(const made_run *base, const made_run *fresh, ee_comparison_options options,
                          const char *message) {
  check_refused_as(EE_ERROR_DATA, base, fresh, options, message);
}

static void other_data_is_refused(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const char *const old[] = {"a", "b", "c", "d", "e", "f"}, *const fresh_ids[] = {"f", "x"};
  const double scores[] = {1, 1, 1, 1, 1, 0.5};
  made_run none = {0}, base = scores_only(&arena, old, scores, 6), fresh = scores_only(&arena, fresh_ids, scores, 2);
  ee_comparison_options named = {.names = {"base.jsonl", "new.jsonl"}}, common = {.common = true};
  check_refusal(&none, &fresh, named, "no results in 'base.jsonl' (an evaluation writes them with --results)");
  check_refusal(&base, &none, common, "no results in the new run (an evaluation writes them with --results)");
  check_refusal(&base, &fresh, named,
                "'base.jsonl' and 'new.jsonl' do not cover the same data: 5 ids are only in 'base.jsonl' ('a', 'b', "
                "'c', ...), 1 id is only in 'new.jsonl' ('x') (--common compares the case in both)");
  made_run few = scores_only(&arena, old, scores, 2), others = scores_only(&arena, fresh_ids, scores, 2);
  check_refusal(&few, &others, common,
                "the base and the new run have no id in common: 2 ids are only in the base ('a', 'b'), 2 ids are only "
                "in the new run ('f', 'x')");
  ee_comparison *comparison = compare_or_fail(&base, &fresh, common);
  assert_int_equal(comparison->case_count, 1);
  assert_true(comparison->cases[0].delta == 0.5);
  assert_string_equal(ee_comparison_note(comparison, 1), "1 id is only in the new run ('x')");
  ee_comparison_free(comparison);

  /* Hashes are compared where both rows have one. */
  few.rows[0].has_hash = few.rows[1].has_hash = true;
  made_run again = scores_only(&arena, old, scores, 2);
  again.rows[0].has_hash = true;
  again.rows[0].expected_hash = 7;
  check_refusal(&few, &again, (ee_comparison_options){0},
                "the base and the new run do not cover the same data: 1 id has other expected values ('a') (--common "
                "compares the 2 cases in both)");
  comparison = compare_or_fail(&few, &again, common);
  assert_true(comparison->other_expected == 1 && comparison->on_trust == 1);
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

/* Where both rows say by which rules they were judged, these must be the same. */
static void other_rules_are_refused(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const char *const ids[] = {"a", "b", "c"};
  const double scores[] = {1, 1, 0.5};
  made_run base = scores_only(&arena, ids, scores, 3), fresh = scores_only(&arena, ids, scores, 3);
  for (size_t i = 0; i < 3; i++) {
    base.rows[i].has_rules_hash = true;
    base.rows[i].rules_hash = 1;
  }
  fresh.rows[0].has_rules_hash = true;
  fresh.rows[0].rules_hash = 1;
  ee_comparison *comparison = compare_or_fail(&base, &fresh, plain);
  assert_int_equal(comparison->other_rules, 0);
  ee_comparison_free(comparison);
  fresh.rows[2].has_rules_hash = true;
  fresh.rows[2].rules_hash = 2;
  check_refused_as(EE_ERROR_RULES, &base, &fresh, (ee_comparison_options){.common = true},
                   "the base and the new run were judged by different rules (1 of 3 cases: 'c'): judge both again with "
                   "the same rules and options, or compare them as they are with --force");
  comparison = compare_or_fail(&base, &fresh, (ee_comparison_options){.force = true});
  assert_int_equal(comparison->other_rules, 1);
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

static void the_first_of_an_id_stays(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const char *const ids[] = {"a", "a"};
  const double scores[] = {0.25, 0.75};
  made_run run = scores_only(&arena, ids, scores, 2);
  ee_comparison *comparison = ee_comparison_new(&plain);
  assert_true(ee_comparison_add(comparison, EE_SIDE_BASE, &run.rows[0]));
  assert_false(ee_comparison_add(comparison, EE_SIDE_BASE, &run.rows[1]));
  assert_true(ee_comparison_add(comparison, EE_SIDE_NEW, &run.rows[1]));
  ee_comparison_add_skipped(comparison, EE_SIDE_NEW, 3, 1);
  ee_error error;
  assert_int_equal(ee_comparison_finish(comparison, &error), EE_OK);
  assert_true(comparison->cases[0].delta == 0.5);
  assert_string_equal(ee_comparison_note(comparison, 1), "the base: 1 line with an id seen before left out");
  assert_string_equal(ee_comparison_note(comparison, 2), "the new run: 3 lines could not be read");
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

/* A row of a trial (NULL: of none) with one field. */
static ee_stored_row trial_row(ee_arena *arena, const char *id, const char *trial, double score, ee_counts counts) {
  ee_stored_attribute *attribute = EE_NEW(arena, ee_stored_attribute);
  *attribute = (ee_stored_attribute){EE_STR("total"), counts, false};
  ee_stored_judge *judge = EE_NEW(arena, ee_stored_judge);
  *judge = (ee_stored_judge){.name = EE_STR("fields"),
                             .type = EE_STR("fields"),
                             .has_score = true,
                             .score = score,
                             .attributes = attribute,
                             .attribute_count = 1};
  ee_stored_row row = {.id = ee_str_from(id),
                       .base = ee_str_from(id),
                       .score = score,
                       .judges = judge,
                       .judge_count = 1,
                       .verdict = verdict_of(score)};
  if (trial == NULL) return row;
  row.trial = ee_str_from(trial);
  row.id = ee_str_from(ee_arena_printf(arena, "%s (trial %s)", id, trial));
  return row;
}

/* The same trials are compared one by one, in one unit; others by their means. */
static void trials_are_joined(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_counts right = {.tp = 1}, wrong = {.fp = 1, .fn = 1};
  ee_stored_row before[] = {trial_row(&arena, "a", "1", 1, right),  trial_row(&arena, "b", "1", 0.5, right),
                            trial_row(&arena, "a", "2", 0, wrong),  trial_row(&arena, "b", "2", 1, right),
                            trial_row(&arena, "c", NULL, 1, right), trial_row(&arena, "b", "3", 0, wrong)};
  ee_stored_row after[] = {trial_row(&arena, "b", "1", 0.75, right), trial_row(&arena, "c", "1", 0, wrong),
                           trial_row(&arena, "c", "2", 0.5, right), trial_row(&arena, "a", "2", 1, right),
                           trial_row(&arena, "a", "1", 1, right)};
  made_run base = {before, 6}, fresh = {after, 5};
  ee_comparison *comparison = compare_or_fail(&base, &fresh, plain);
  assert_int_equal(comparison->case_count, 4); /* a (trial 1), a (trial 2), b, c */
  assert_int_equal(comparison->units, 3);
  assert_int_equal(comparison->averaged, 2);
  assert_true(comparison->cases[0].delta == 0 && comparison->cases[1].delta == 1);
  for (size_t i = 2; i < 4; i++) {
    const ee_compared_case *item = &comparison->cases[i];
    bool is_b = ee_str_is(item->base->id, "b");
    assert_true(is_b || ee_str_is(item->base->id, "c"));
    assert_true(item->base->score == (is_b ? 0.5 : 1) && item->fresh->score == (is_b ? 0.75 : 0.25));
  }
  assert_true(comparison->fields[0].before.tp == 4 && comparison->fields[0].before.fp == 2);
  assert_true(comparison->fields[0].after.tp == 4 && comparison->fields[0].after.fp == 1);
  assert_int_equal(comparison->judges[0].cases, 4);
  assert_true(strstr(ee_comparison_note(comparison, 1), "2 cases have other trials in the new run than in the base") !=
              NULL);
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

/* Decisions ------------------------------------------------------------------------------------- */

/* Of 100 cases at 0.5, the first `lost` fall and the next `won` rise by `step`. */
static void check_decision(size_t lost, size_t won, double step, ee_fail_on fail_on, ee_finding_of_runs expected,
                           const char *reason) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  double before[100], after[100];
  for (size_t i = 0; i < 100; i++) {
    before[i] = 0.5;
    after[i] = i < lost ? 0.5 - step : i < lost + won ? 0.5 + step : 0.5;
  }
  made_run base = scores_only(&arena, NULL, before, 100), fresh = scores_only(&arena, NULL, after, 100);
  ee_comparison *comparison = compare_or_fail(&base, &fresh, (ee_comparison_options){.fail_on = fail_on});
  assert_int_equal(comparison->finding, expected);
  const char *got;
  assert_int_equal(ee_comparison_fails(comparison, &got), reason != NULL);
  if (reason != NULL) assert_string_equal(got, reason);
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

static void decisions(void **state) {
  (void)state;
  check_decision(5, 0, 0.25, EE_FAIL_ON_SIGNIFICANT, EE_RUNS_UNDECIDED, NULL);
  check_decision(5, 0, 0.25, EE_FAIL_ON_MEAN, EE_RUNS_UNDECIDED, "the mean score fell by 0.013, from 0.500 to 0.488");
  check_decision(6, 0, 0.25, EE_FAIL_ON_SIGNIFICANT, EE_RUNS_WORSE,
                 "the mean score fell by 0.015, more than chance explains (95 % interval: 0.001 to 0.029)");
  check_decision(0, 6, 0.25, EE_FAIL_ON_MEAN, EE_RUNS_BETTER, NULL);
  check_decision(1, 6, 0.25, EE_FAIL_ON_ANY, EE_RUNS_UNDECIDED,
                 "1 case lost (first: case 'case-0'); where 7 cases change, chance alone makes at least one worse in "
                 "99.2 % of comparisons (--fail-on significant, field or margin fail on more than chance)");
  check_decision(20, 20, 0.25, EE_FAIL_ON_SIGNIFICANT, EE_RUNS_UNDECIDED, NULL);
  check_decision(20, 20, 0.25, EE_FAIL_ON_MEAN, EE_RUNS_UNDECIDED, NULL);
  check_decision(20, 20, 0.25, EE_FAIL_ON_NOTHING, EE_RUNS_UNDECIDED, NULL);
  check_decision(50, 0, 0x1p-50, EE_FAIL_ON_SIGNIFICANT, EE_RUNS_EQUAL, NULL); /* rounding, all one way */
  check_decision(50, 0, 0x1p-50, EE_FAIL_ON_MEAN, EE_RUNS_EQUAL, NULL);
  check_decision(50, 0, 0x1p-50, EE_FAIL_ON_ANY, EE_RUNS_EQUAL, NULL);
}

static void a_broken_field_fails_though_the_score_rose(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_stored_attribute before[] = {{EE_STR("a"), {.tp = 1}, false}}, after[] = {{EE_STR("a"), {.fn = 1}, false}};
  made_run base = with_attributes(&arena, before, 1, 1), fresh = with_attributes(&arena, after, 1, 1);
  fresh.rows[0].score = 0.1;
  ee_comparison *comparison = compare_or_fail(&base, &fresh, (ee_comparison_options){.fail_on = EE_FAIL_ON_ANY});
  const char *reason;
  assert_true(ee_comparison_fails(comparison, &reason));
  assert_string_equal(reason, "1 field broken; where 1 case changes, chance alone makes at least one worse in 50 % of "
                              "comparisons (--fail-on significant, field or margin fail on more than chance)");
  ee_comparison_free(comparison);
  /* The verdict fell, as a row's own limits may have it. */
  fresh.rows[0].judges = base.rows[0].judges;
  base.rows[0].verdict = EE_VERDICT_PASS;
  fresh.rows[0].verdict = EE_VERDICT_FAIL;
  comparison = compare_or_fail(&base, &fresh, (ee_comparison_options){.fail_on = EE_FAIL_ON_ANY});
  assert_true(ee_comparison_fails(comparison, &reason));
  assert_string_equal(reason, "1 no longer passes; where 1 case changes, chance alone makes at least one worse in 50 % "
                              "of comparisons (--fail-on significant, field or margin fail on more than chance)");
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

/* Reports --------------------------------------------------------------------------------------- */

static ee_str hostile(test_random *random, ee_arena *arena) {
  static const char *const pieces[] = {"|",
                                       "`",
                                       "``",
                                       "\n",
                                       "\r\n",
                                       "\t",
                                       "\x1b[31m",
                                       "<b>",
                                       "</details>",
                                       "@all",
                                       "#1",
                                       "**",
                                       "_",
                                       "[x](y)",
                                       "\"",
                                       ",",
                                       "\\",
                                       " ",
                                       "\xe2\x80\xae",
                                       "\xc3\xa9",
                                       "a",
                                       "b",
                                       "\xe6\x97\xa5",
                                       "&amp;",
                                       "%s",
                                       "long long long long long long long long"};
  ee_buffer text = {0};
  for (size_t n = test_random_below(random, 7); n > 0; n--)
    ee_buffer_add_text(&text, pieces[test_random_below(random, sizeof pieces / sizeof *pieces)]);
  ee_str copy = {ee_arena_copy(arena, text.data != NULL ? text.data : "", text.length), text.length};
  ee_buffer_fini(&text);
  return copy;
}

/* Renames the judge, its fields and the rows of both runs. */
static void rename_all(test_random *random, ee_arena *arena, made_run *base, made_run *fresh) {
  ee_str names[MADE_JUDGES][MADE_ATTRIBUTES + 1];
  for (size_t j = 0; j < MADE_JUDGES; j++)
    for (size_t a = 0; a <= MADE_ATTRIBUTES; a++) {
      ee_str start = hostile(random, arena);
      char *text = ee_arena_printf(arena, "%.*s%zu", (int)start.length, start.data, a * MADE_JUDGES + j);
      names[j][a] = ee_str_from(text);
    }
  for (size_t i = 0; i < base->count; i++) {
    ee_str start = hostile(random, arena);
    base->rows[i].id = fresh->rows[i].id =
        ee_str_from(ee_arena_printf(arena, "%.*s%zu", (int)start.length, start.data, i));
    const ee_stored_row *rows[] = {&base->rows[i], &fresh->rows[i]};
    for (size_t side = 0; side < 2; side++) {
      for (size_t j = 0; j < rows[side]->judge_count; j++) {
        ee_stored_judge *judge = (ee_stored_judge *)&rows[side]->judges[j];
        size_t number = (size_t)(judge->name.data[judge->name.length - 1] - '0');
        judge->name = names[number][MADE_ATTRIBUTES];
        for (size_t a = 0; a < judge->attribute_count; a++) {
          ee_stored_attribute *attribute = (ee_stored_attribute *)&judge->attributes[a];
          attribute->name = names[number][attribute->name.data[attribute->name.length - 1] - '0'];
        }
      }
    }
  }
}

static void assert_printable(const ee_buffer *text) {
  assert_int_equal(ee_utf8_valid_prefix(text->data, text->length), text->length);
  for (size_t i = 0; i < text->length; i++) assert_true((unsigned char)text->data[i] >= 0x20 || text->data[i] == '\n');
  ee_buffer_terminate((ee_buffer *)text);
  assert_null(strstr(text->data, "\xe2\x80\xae")); /* turns the direction of writing */
}

/* Every line of a table has as many cells as its head, and what opens is closed. */
static void assert_markdown(const ee_buffer *text) {
  assert_printable(text);
  size_t cells = 0, depth = 0;
  for (const char *line = text->data; *line != '\0'; line = strchr(line, '\n') + 1) {
    size_t length = strcspn(line, "\n"), pipes = 0;
    for (size_t i = 0; i < length; i++) pipes += line[i] == '|';
    if (*line == '|') {
      if (cells == 0) cells = pipes;
      assert_int_equal(pipes, cells);
    } else {
      assert_int_equal(pipes, 0);
      cells = 0;
    }
    /* In a code span the data may say it too, but never at the start of a line. */
    depth += strncmp(line, "<details>", 9) == 0;
    if (strncmp(line, "</details>", 10) == 0) assert_true(depth-- > 0);
  }
  assert_int_equal(depth, 0);
}

static void reports_survive_hostile_names(void **state) {
  (void)state;
  test_random random = test_random_start("comparison: names", 514);
  for (int round = 0; round < 60; round++) {
    ee_arena arena;
    ee_arena_init(&arena, 0);
    made_shape shape = random_shape(&random);
    size_t count = 1 + test_random_below(&random, 12);
    made_run base = random_run(&random, &arena, &shape, count), fresh = random_run(&random, &arena, &shape, count);
    rename_all(&random, &arena, &base, &fresh);
    ee_comparison_options options = {.shown = test_random_below(&random, 4), .fail_on = EE_FAIL_ON_ANY};
    ee_comparison *comparison = compare_or_fail(&base, &fresh, options);
    ee_buffer out = {0};
    ee_report_write_comparison(TABLE, comparison, (ee_table_style){.width = test_random_below(&random, 130)}, &out);
    assert_printable(&out);
    ee_buffer_clear(&out);
    ee_report_write_comparison(MARKDOWN, comparison, (ee_table_style){0}, &out);
    assert_markdown(&out);
    ee_buffer_clear(&out);
    ee_comparison_json(comparison, &out);
    ee_error error;
    const ee_value *json = ee_json_read(&arena, (ee_str){out.data, out.length}, NULL, &error);
    if (json == NULL) fail_msg("%s", error.message);
    const ee_value *results = ee_value_member(json, EE_STR("results"), NULL);
    assert_int_equal(ee_value_count(results), count);
    for (size_t i = 0; i < count; i++)
      assert_true(ee_str_equal(ee_value_text(ee_value_member(ee_value_element(results, i), EE_STR("id"), NULL)),
                               base.rows[i].id));
    ee_buffer_fini(&out);
    ee_comparison_free(comparison);
    ee_arena_fini(&arena);
  }
}

/* Each a row with a judge of its own, or with an attribute of its own. */
static made_run with_names_from_data(ee_arena *arena, size_t count, bool judges) {
  double *scores = EE_NEW_ARRAY(arena, double, count);
  made_run run = scores_only(arena, NULL, scores, count);
  for (size_t i = 0; i < count; i++) {
    ee_stored_attribute *attributes = EE_NEW_ARRAY(arena, ee_stored_attribute, 2);
    ee_str own = ee_str_from(ee_arena_printf(arena, "own-%zu", i));
    attributes[0] = (ee_stored_attribute){judges ? EE_STR("a") : own, {.tp = 1}, false};
    attributes[1] = (ee_stored_attribute){EE_STR("b"), {.tp = 1, .fn = 1}, false};
    ee_stored_judge *judge = EE_NEW(arena, ee_stored_judge);
    *judge = (ee_stored_judge){
        .name = judges ? own : EE_STR("j"), .type = EE_STR("t"), .attributes = attributes, .attribute_count = 2};
    run.rows[i].judges = judge;
    run.rows[i].judge_count = 1;
  }
  return run;
}

/* Judges and fields that come out of the data may be any number; memory and time are not. */
static void names_from_data_are_bounded(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  made_run run = with_names_from_data(&arena, EE_COMPARED_JUDGES + 5, true);
  ee_comparison *comparison = compare_or_fail(&run, &run, plain);
  assert_int_equal(comparison->judge_count, EE_COMPARED_JUDGES);
  assert_int_equal(comparison->case_count, EE_COMPARED_JUDGES + 5);
  assert_string_equal(ee_comparison_note(comparison, 1),
                      "judges beyond the first 1000 are not compared (first: 'own-1000')");
  ee_comparison_free(comparison);
  /* "b" was there from the start, so 3,999 others have a line of their own. */
  run = with_names_from_data(&arena, EE_DATA_ATTRIBUTES + 5, false);
  comparison = compare_or_fail(&run, &run, plain);
  assert_int_equal(comparison->field_count, EE_DATA_ATTRIBUTES + 1);
  const ee_compared_field *last = &comparison->fields[comparison->field_count - 1];
  assert_true(ee_str_is(comparison->known_attributes.items[last->attribute].name, EE_OTHER_NAME));
  assert_int_equal(last->before.tp, 6);
  assert_int_equal(last->still_right, EE_DATA_ATTRIBUTES + 5);
  /* In the averages nothing is lost: 2 right and 1 wrong in each case. */
  assert_true(comparison->judges[0].micro.before.value == 4.0 / 5);
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

static void lists_are_bounded(void **state) {
  (void)state;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  double before[50], after[50];
  for (size_t i = 0; i < 50; i++) {
    before[i] = 0.5;
    after[i] = 0.5 - (double)i / 100;
  }
  made_run base = scores_only(&arena, NULL, before, 50), fresh = scores_only(&arena, NULL, after, 50);
  ee_comparison *comparison = compare_or_fail(&base, &fresh, (ee_comparison_options){.shown = 2});
  ee_buffer out = {0};
  ee_report_write_comparison(TABLE, comparison, (ee_table_style){0}, &out);
  const char *list = strstr(ee_buffer_terminate(&out), "\nworse  49\n");
  assert_non_null(list);
  assert_string_equal(list, "\nworse  49\n"
                            "  id        base    new  change  what changed\n"
                            "  case-49  0.500  0.010  -0.490\n"
                            "  case-48  0.500  0.020  -0.480\n"
                            "  47 more: --verbose, --format json\n");
  ee_buffer_clear(&out);
  ee_comparison_csv(comparison, &out);
  size_t lines = 0;
  for (size_t i = 0; i < out.length; i++) lines += out.data[i] == '\n';
  assert_int_equal(lines, 51);
  ee_buffer_fini(&out);
  ee_comparison_free(comparison);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(outcomes_have_a_threshold),
             cmocka_unit_test(gains_are_relative_to_the_headroom), cmocka_unit_test(a_run_equals_itself),
             cmocka_unit_test(swapping_sides_swaps_everything),
             cmocka_unit_test(the_order_of_the_new_run_changes_nothing),
             cmocka_unit_test(fields_of_other_rules_are_told), cmocka_unit_test(retold_fields_are_in_no_average),
             cmocka_unit_test(judges_may_be_missing), cmocka_unit_test(other_data_is_refused),
             cmocka_unit_test(other_rules_are_refused), cmocka_unit_test(the_first_of_an_id_stays),
             cmocka_unit_test(trials_are_joined), cmocka_unit_test(decisions),
             cmocka_unit_test(a_broken_field_fails_though_the_score_rose),
             cmocka_unit_test(reports_survive_hostile_names), cmocka_unit_test(lists_are_bounded),
             cmocka_unit_test(names_from_data_are_bounded));
