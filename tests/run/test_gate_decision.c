/* test_gate_decision.c: gates on slices and on intervals, against the totals of only the cases that they are about. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/small_rules.h"
#include "run/gate_decision.h"
#include "run/totals.h"
#include "support/random.h"

enum { CASES = 60, VALUES = 9 };
/* NULL: the record has no language. In the order of the report, in which "(missing)" comes first. */
static const char *const names[VALUES] = {NULL, "d", "de", "en", "fr", "it", "nl", "pl", "sv"};

typedef struct records {
  char *text[CASES];
  size_t value[CASES], count;
} records;

static void make_records(test_random *random, records *made) {
  made->count = test_random_below(random, CASES) + 1;
  for (size_t i = 0; i < made->count; i++) {
    made->value[i] = test_random_below(random, VALUES);
    const char *language = names[made->value[i]];
    char text[400];
    snprintf(text, sizeof text,
             "{\"id\":\"%zu\",%s%s%s\"expected\":{\"number\":\"7\",\"total\":100},"
             "\"candidate\":{\"number\":\"%zu\",\"total\":%zu}}",
             i, language != NULL ? "\"lang\":\"" : "", language != NULL ? language : "", language != NULL ? "\"," : "",
             7 + test_random_below(random, 2), 100 + test_random_below(random, 2));
    made->text[i] = strdup(text);
  }
}

static void free_records(records *made) {
  for (size_t i = 0; i < made->count; i++) free(made->text[i]);
}

/* The totals of the records with one value (VALUES: of all of them), in two parts that are merged. */
static void total(small_rules *rules, ee_arena *arena, const records *made, size_t value, ee_totals *totals) {
  ee_totals parts[2];
  ee_totals_init(totals, rules->plan);
  for (size_t i = 0; i < 2; i++) ee_totals_init(&parts[i], rules->plan);
  for (size_t i = 0; i < made->count; i++) {
    if (value != VALUES && made->value[i] != value) continue;
    ee_case_result result = small_judge_record(rules, arena, made->text[i]);
    ee_totals_add(&parts[i >= made->count / 2], &result, arena);
  }
  for (size_t i = 0; i < 2; i++) {
    ee_totals_merge(totals, &parts[i]);
    ee_totals_fini(&parts[i]);
  }
}

static ee_gate_result decide(small_rules *rules, ee_arena *arena, const char *text, double confidence,
                             uint64_t min_cases, const ee_totals *totals) {
  ee_gate *gate = EE_NEW(arena, ee_gate);
  ee_error error;
  if (!ee_gate_parse(rules->plan, text, confidence, arena, gate, &error)) fail_msg("%s", error.message);
  gate->min_cases = min_cases;
  return ee_gate_decide(gate, totals);
}

/* The values of a slice that fail, the worst first, and of equally bad ones in the order of the report: how far what is
 * held against the limit is below it; lowest where there is nothing to hold. */
typedef struct failing {
  size_t value;
  double reserve;
} failing;

static void note_failing(failing *list, size_t *count, size_t value, double reserve) {
  size_t at = (*count)++;
  for (; at > 0 && list[at - 1].reserve > reserve; at--) list[at] = list[at - 1];
  list[at] = (failing){value, reserve};
}

static void agree_with_their_cases(void **state) {
  (void)state;
  static const char *const metrics[] = {"mean_score", "pass_rate", "header:micro_f1", "header:total:recall",
                                        "header:number:f1"};
  test_random random = test_random_start("gate_decision", 11);
  uint64_t most_failed = 0;
  for (int round = 0; round < 300; round++) {
    small_rules rules;
    ee_arena arena;
    records made;
    ee_totals all, of[VALUES];
    small_rules_open(&rules);
    ee_arena_init(&arena, 0);
    make_records(&random, &made);
    total(&rules, &arena, &made, VALUES, &all);
    for (size_t v = 0; v < VALUES; v++) total(&rules, &arena, &made, v, &of[v]);
    const char *metric = metrics[test_random_below(&random, 5)];
    double limit = (double)test_random_below(&random, 100) / 100;
    double confidence = test_random_below(&random, 2) == 0 ? 0 : 0.5 + (double)test_random_below(&random, 49) / 100;
    uint64_t min_cases = test_random_below(&random, 6), counted = 0, failed = 0, few = 0;
    bool occurs = false;
    double lowest = 2;
    failing list[VALUES];
    size_t listed = 0;
    ee_totals_settle(&all);
    for (size_t v = 0; v < VALUES; v++) {
      char whole[80], sliced[80];
      snprintf(whole, sizeof whole, "%s=%g", metric, limit);
      snprintf(sliced, sizeof sliced, "%s[lang=%s]=%g", metric, names[v] != NULL ? names[v] : "(missing)", limit);
      uint64_t cases = of[v].all.score.count;
      occurs = occurs || (cases > 0 && names[v] != NULL);
      ee_gate_result expected = decide(&rules, &arena, whole, confidence, 0, &of[v]);
      ee_gate_result got = decide(&rules, &arena, sliced, confidence, min_cases, &all);
      assert_false(got.passed && cases == 0);
      if (cases == 0) {
        assert_int_equal(got.doubt, EE_DOUBT_NO_SLICE);
        assert_true(ee_gate_is_undecided(&got));
        continue;
      }
      assert_int_equal(got.cases, cases);
      few += cases < min_cases;
      if (cases < min_cases) {
        assert_true(got.too_few && ee_gate_is_undecided(&got));
        continue;
      }
      counted++;
      failed += !expected.passed;
      double held = confidence > 0 ? expected.range.low : expected.value;
      lowest = held < lowest ? held : lowest;
      bool holds = expected.defined && expected.doubt == EE_DOUBT_NONE;
      if (!expected.passed) note_failing(list, &listed, v, holds ? held - limit : -INFINITY);
      assert_true(got.passed == expected.passed && got.defined == expected.defined && got.value == expected.value);
      assert_int_equal(got.units, expected.units);
      if (!ee_interval_is_known(expected.range)) {
        assert_false(ee_interval_is_known(got.range));
        continue;
      }
      assert_true(got.range.low == expected.range.low && got.range.high == expected.range.high);
      assert_true(got.range.low <= got.value && got.value <= got.range.high);
    }
    char every[80];
    snprintf(every, sizeof every, "%s[lang]=%g", metric, limit);
    ee_gate_result got = decide(&rules, &arena, every, confidence, min_cases, &all);
    if (!occurs) {
      assert_int_equal(got.doubt, EE_DOUBT_NO_SLICE);
      assert_false(got.passed);
    } else {
      assert_int_equal(got.values, counted);
      assert_int_equal(got.values_failed, failed);
      assert_int_equal(got.values_too_few, few);
      assert_true(got.passed == (counted > 0 && failed == 0));
      if (counted > 0) assert_true((confidence > 0 ? got.range.low : got.value) == lowest);
      if (counted == 0) assert_true(ee_gate_is_undecided(&got));
      assert_int_equal(got.too_few, counted == 0);
      for (size_t i = 0; i < failed && i < EE_GATE_VALUES; i++) {
        const char *name = names[list[i].value];
        assert_true(ee_str_is(got.failed[i].name, name != NULL ? name : "(missing)"));
        if (isfinite(list[i].reserve)) assert_true(got.failed[i].held - limit == list[i].reserve);
      }
      most_failed = failed > most_failed ? failed : most_failed;
    }
    for (size_t v = 0; v < VALUES; v++) ee_totals_fini(&of[v]);
    ee_totals_fini(&all);
    free_records(&made);
    ee_arena_fini(&arena);
    small_rules_close(&rules);
  }
  assert_true(most_failed > EE_GATE_VALUES + 1); /* more than are listed */
}

/* Of values that are equally bad the first by name is the worst, and those that fail stand in that order. */
static void name_the_first_of_equals(void **state) {
  (void)state;
  static const char *const languages[] = {"it", "de", "fr", "en", "de"};
  small_rules rules;
  ee_arena arena;
  ee_totals all;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  ee_totals_init(&all, rules.plan);
  for (size_t i = 0; i < 5; i++) {
    const char *text = ee_arena_printf(&arena,
                                       "{\"id\":\"%zu\",\"lang\":\"%s\",\"expected\":{\"number\":\"7\",\"total\":1},"
                                       "\"candidate\":{\"number\":\"%d\",\"total\":1}}",
                                       i, languages[i], strcmp(languages[i], "en") == 0 ? 7 : 8);
    ee_case_result result = small_judge_record(&rules, &arena, text);
    ee_totals_add(&all, &result, &arena);
  }
  ee_totals_settle(&all);
  ee_gate_result got = decide(&rules, &arena, "header:number:recall[lang]=0.5", 0, 0, &all);
  assert_int_equal(got.values, 4);
  assert_int_equal(got.values_failed, 3);
  assert_true(ee_str_is(got.worst, "de"));
  assert_true(ee_str_is(got.failed[0].name, "de") && ee_str_is(got.failed[1].name, "fr") &&
              ee_str_is(got.failed[2].name, "it"));
  ee_totals_fini(&all);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

static void assert_measured(small_rules *rules, ee_arena *arena, const char *gate, const ee_totals *totals,
                            double value, uint64_t units) {
  ee_gate_result got = decide(rules, arena, gate, 0, 0, totals);
  if (!got.defined || got.value != value || got.units != units)
    fail_msg("%s: %g of %d", gate, got.value, (int)got.units);
}

/* Metrics of trials: of the cases by their verdicts, and of k trials of the whole or of a judge. */
static void measure_trials(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  ee_totals all;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  ee_totals_init(&all, rules.plan);
  ee_trial_figures figures[3] = {
      {.cases = 4}, {.name = EE_STR("header"), .cases = 4}, {.name = EE_STR("seen"), .cases = 4}};
  unsigned two = ee_pass_size_find(2);
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k <= i; k++) {
      ee_sample_add(&figures[i].at[two], 0.75);
      ee_sample_add(&figures[i].all[two], 0.25);
    }
  }
  ee_sample_add(&figures[0].at[two], 0.25);
  ee_trial_figures *items = all.trials.judges.items;
  all.trials.judges.items = figures;
  all.trials.judges.count = 3;
  uint64_t *verdicts = all.trials.verdicts[EE_TRIALS_MEAN];
  verdicts[EE_VERDICT_PASS] = 3;
  verdicts[EE_VERDICT_BORDERLINE] = 2;
  verdicts[EE_VERDICT_FAIL] = 1;
  all.trials.verdicts[EE_TRIALS_ANY][EE_VERDICT_PASS] = 6;
  assert_measured(&rules, &arena, "case_pass_rate=0.1", &all, 0.5, 6);
  assert_measured(&rules, &arena, "pass@2=0.1", &all, 0.5, 2);
  assert_measured(&rules, &arena, "pass^2=0.1", &all, 0.25, 1);
  assert_measured(&rules, &arena, "header:pass@2=0.1", &all, 0.75, 2);
  assert_measured(&rules, &arena, "seen:pass^2=0.1", &all, 0.25, 3);
  /* Not judged at all: not defined. */
  all.trials.judges.count = 1;
  assert_false(decide(&rules, &arena, "header:pass@2=0.1", 0, 0, &all).defined);
  assert_false(decide(&rules, &arena, "pass@4=0.1", 0, 0, &all).defined);
  all.trials.judges.items = items;
  all.trials.judges.count = 0;
  ee_totals_fini(&all);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* A value that no case has is never passed over in silence; what was probably meant is said. */
static void say_what_no_case_has(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  ee_totals all;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  ee_totals_init(&all, rules.plan);
  ee_case_result result =
      small_judge_record(&rules, &arena,
                         "{\"id\":\"1\",\"lang\":\"english\",\"expected\":{\"number\":\"7\",\"total\":1},"
                         "\"candidate\":{\"number\":\"7\",\"total\":1}}");
  ee_totals_add(&all, &result, &arena);
  static const struct {
    const char *gate, *printed;
  } facts[] = {
      {"mean_score[lang=englisch]=0",
       "mean_score[lang=englisch] not decided >= 0 (no case has 'lang=englisch'; did you mean 'english'?)"},
      {"mean_score[lang=english]=0.5", "mean_score[lang=english] 1 >= 0.5"},
      {"mean_score[lang]=0.5", "mean_score[lang] 1 >= 0.5 in 'english' (1 case)"},
      {"mean_score[lnag=de]=0", "mean_score[lnag=de] not decided >= 0 (no case has 'lnag=de'; did you mean 'lang'?)"},
      {"mean_score[lnag]=0", "mean_score[lnag] not decided >= 0 (no case has 'lnag'; did you mean 'lang'?)"},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_gate gate;
    ee_error error;
    assert_true(ee_gate_parse(rules.plan, facts[i].gate, 0, &arena, &gate, &error));
    /* Slices of the command line are known before the first case. */
    ee_totals_fini(&all);
    ee_totals_init(&all, rules.plan);
    ee_totals_add(&all, &result, &arena);
    ee_gate_result got = ee_gate_decide(&gate, &all);
    ee_buffer text;
    ee_buffer_init(&text);
    ee_gate_print(&got, &text);
    assert_string_equal(ee_buffer_terminate(&text), facts[i].printed);
    ee_buffer_fini(&text);
    assert_true(got.passed == (got.doubt == EE_DOUBT_NONE));
  }
  /* What totals had before they were emptied is no value. */
  static const char *const languages[] = {"\"lang\":\"de\",", "\"lang\":\"en\",", "\"lang\":\"fr\",", ""};
  for (size_t i = 0; i < 4; i++) {
    if (i == 3) ee_totals_clear(&all);
    result = small_judge_record(&rules, &arena,
                                ee_arena_printf(&arena,
                                                "{\"id\":\"%zu\",%s\"expected\":{\"number\":\"7\"},\"candidate\":{}}",
                                                i, languages[i]));
    ee_totals_add(&all, &result, &arena);
    ee_gate_doubt doubt = decide(&rules, &arena, "mean_score[lang]=0.5", 0, 0, &all).doubt;
    assert_int_equal(doubt == EE_DOUBT_NO_SLICE, i == 3);
  }
  ee_totals_fini(&all);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* The value, its interval with the low end first, and why it is not decided. */
static void print_what_they_decided(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  ee_totals all;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  ee_totals_init(&all, rules.plan);
  for (int i = 0; i < 60; i++) {
    /* Of 60 expected totals 3 are not numbers; of the others 18 are answered incorrectly. */
    const char *text = ee_arena_printf(&arena,
                                       "{\"id\":\"%d\",\"expected\":{\"number\":\"7\",\"total\":%s},"
                                       "\"candidate\":{\"number\":\"7\",\"total\":%d}}",
                                       i, i % 20 == 1 ? "\"many\"" : "100", i % 3 == 0 && i > 0 ? 7 : 100);
    ee_case_result result = small_judge_record(&rules, &arena, text);
    ee_totals_add(&all, &result, &arena);
  }
  ee_gate_result got = decide(&rules, &arena, "header:total:recall=0.1", 0, 0, &all);
  assert_false(got.passed);
  assert_int_equal(got.doubt, EE_DOUBT_UNREAD);
  assert_int_equal(got.unread, 3);
  assert_int_equal(got.expected, 60);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_gate_print(&got, &text);
  const char *printed = ee_buffer_terminate(&text);
  if (strstr(printed, "(3 of 60 expected values of 'total' could not be read)") == NULL) fail_msg("%s", printed);
  double value = 0, low = 0, high = 0;
  if (sscanf(printed, "header total recall %lf [%lf, %lf] (95 %%, 57 units) >= 0.1", &value, &low, &high) != 3)
    fail_msg("%s", printed);
  assert_true(low < value && value < high);
  assert_true(value == 0.6842); /* 39 of 57 */
  ee_buffer_fini(&text);
  ee_totals_fini(&all);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* A gate keeps what it says of itself when the text that it was read from is gone. */
static void keeps_its_names(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  ee_gate gate;
  ee_error error;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  char text[] = "header:total:recall=0.5";
  assert_true(ee_gate_parse(rules.plan, text, 0, &arena, &gate, &error));
  memset(text, 'x', sizeof text - 1);
  assert_true(ee_str_is(gate.judge, "header") && ee_str_is(gate.field, "total"));
  assert_true(gate.has_min && gate.min == 0.5);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* Of two limits both must hold. */
static void both_limits(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  ee_totals totals;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  ee_totals_init(&totals, rules.plan);
  /* The judge that is a function gives 1, and of three fields one is right, and one that both leave out. */
  ee_case_result judged = small_judge_record(
      &rules, &arena,
      "{\"id\":\"a\",\"expected\":{\"number\":\"7\",\"total\":1},\"candidate\":{\"number\":\"7\",\"total\":2}}");
  ee_totals_add(&totals, &judged, &arena);
  static const struct {
    double min, max;
    bool passes;
  } facts[] = {{0.6, 0.8, true}, {0.2, 0.6, false}, {0.75, 0.8, false}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_gate gate;
    ee_error error;
    assert_true(ee_gate_parse(rules.plan, "mean_score=0", 0, &arena, &gate, &error));
    gate.has_min = gate.has_max = true;
    gate.min = facts[i].min;
    gate.max = facts[i].max;
    ee_gate_result result = ee_gate_decide(&gate, &totals);
    assert_true(result.defined && fabs(result.value - 0.7) < 1e-9);
    assert_int_equal(result.passed, facts[i].passes);
  }
  ee_totals_fini(&totals);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* Every sentence, of results that are made here. */
static const char *print(const ee_gate_result *result, ee_arena *arena) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_gate_print(result, &text);
  const char *printed = ee_arena_copy(arena, text.data, text.length);
  ee_buffer_fini(&text);
  return printed;
}

static void print_each_reason(void **state) {
  (void)state;
  const ee_gate least = {.metric = EE_GATE_MEAN_SCORE, .has_min = true, .min = 0.9};
  const ee_gate most = {.metric = EE_GATE_PASS_RATE, .has_max = true, .max = 0.5};
  const ee_gate both = {.judge = EE_STR("head"),
                        .field = EE_STR("total"),
                        .metric = EE_GATE_F1,
                        .has_min = true,
                        .has_max = true,
                        .min = 0.25,
                        .max = 0.75};
  ee_gate sure = least, sure_most = most, sure_both = both, few = least, slice = least, value = least;
  sure.confidence = 0.99;
  sure_most.confidence = sure_both.confidence = 0.95;
  few.min_cases = 5;
  few.min_support = 20;
  slice.slice = EE_STR("lang");
  slice.min_cases = 3;
  value.slice = EE_STR("lang=de");
  value.slice_value = EE_STR("de");
  ee_gate by_support = slice, by_both = slice;
  by_both.min_support = by_support.min_support = 7;
  by_support.min_cases = 0;
  const ee_interval range = {0.81234, 0.8999999}, none = EE_NO_INTERVAL;
  const ee_str name = EE_STR("total"), near = EE_STR("lang");
  const struct {
    ee_gate_result result;
    const char *printed;
  } facts[] = {
      {{.gate = &least, .defined = true, .value = 1, .range = none}, "mean_score 1 >= 0.9"},
      {{.gate = &least, .defined = true, .value = 2.0 / 3, .range = none}, "mean_score 0.6667 >= 0.9"},
      /* As many digits as it takes to see that it is below, at or above the limit. */
      {{.gate = &least, .defined = true, .value = 0.89999, .range = none}, "mean_score 0.89999 >= 0.9"},
      {{.gate = &least, .defined = true, .value = 0.8999999, .range = none}, "mean_score 0.8999999 >= 0.9"},
      {{.gate = &least, .defined = true, .value = 0.900001, .range = none}, "mean_score 0.9 >= 0.9"},
      {{.gate = &most, .defined = true, .value = 0.50001, .range = none}, "pass_rate 0.50001 <= 0.5"},
      {{.gate = &most, .defined = true, .value = 0.49999, .range = none}, "pass_rate 0.5 <= 0.5"},
      {{.gate = &both, .defined = true, .value = 0.5, .range = none}, "head total f1 0.5 >= 0.25 and <= 0.75"},
      {{.gate = &both, .defined = true, .value = 0.249999, .range = none},
       "head total f1 0.249999 >= 0.25 and <= 0.75"},
      {{.gate = &both, .defined = true, .value = 0.750001, .range = none},
       "head total f1 0.750001 >= 0.25 and <= 0.75"},
      /* With the interval, whose ends have three digits, or more where they are what is compared. */
      {{.gate = &least, .defined = true, .value = 0.85, .range = range, .confidence = 0.95, .units = 120},
       "mean_score 0.85 [0.812, 0.9] (95 %, 120 units) >= 0.9"},
      {{.gate = &least, .defined = true, .value = 0.85, .range = range, .confidence = 0.975, .units = 1},
       "mean_score 0.85 [0.812, 0.9] (97.5 %, 1 unit) >= 0.9"},
      {{.gate = &sure, .defined = true, .value = 0.899999, .range = range, .confidence = 0.99, .units = 2},
       "mean_score 0.9 [0.8123, 0.9] (99 %, 2 units), lower end >= 0.9"},
      {{.gate = &sure, .defined = true, .value = 0.95, .range = {0.89999, 0.96}, .confidence = 0.99, .units = 2},
       "mean_score 0.95 [0.89999, 0.96] (99 %, 2 units), lower end >= 0.9"},
      {{.gate = &sure_most, .defined = true, .value = 0.4, .range = {0.3004, 0.50001}, .confidence = 0.95, .units = 9},
       "pass_rate 0.4 [0.3, 0.50001] (95 %, 9 units), upper end <= 0.5"},
      {{.gate = &sure_both,
        .defined = true,
        .value = 0.4,
        .range = {0.249999, 0.750001},
        .confidence = 0.95,
        .units = 9},
       "head total f1 0.4 [0.249999, 0.750001] (95 %, 9 units), ends >= 0.25 and <= 0.75"},
      /* What makes it worthless. */
      {{.gate = &least, .range = none}, "mean_score undefined >= 0.9"},
      {{.gate = &least, .range = none, .doubt = EE_DOUBT_NOTHING},
       "mean_score undefined >= 0.9 (nothing was compared)"},
      {{.gate = &both,
        .defined = true,
        .value = 0.5,
        .range = none,
        .doubt = EE_DOUBT_UNREAD,
        .doubted = name,
        .unread = 3,
        .expected = 8},
       "head total f1 0.5 >= 0.25 and <= 0.75 (3 of 8 expected values of 'total' could not be read)"},
      {{.gate = &both, .range = none, .doubt = EE_DOUBT_NOWHERE, .doubted = name},
       "head total f1 undefined >= 0.25 and <= 0.75 (nothing at 'total' in any case)"},
      {{.gate = &both, .range = none, .unseen = true}, "head total f1 undefined >= 0.25 and <= 0.75 (in no case)"},
      {{.gate = &both, .range = none, .unseen = true, .near = near},
       "head total f1 undefined >= 0.25 and <= 0.75 (in no case; did you mean 'lang'?)"},
      {{.gate = &both, .range = none, .unseen = true, .near = EE_STR("x")},
       "head total f1 undefined >= 0.25 and <= 0.75 (in no case; did you mean 'x'?)"},
      {{.gate = &value, .range = none, .doubt = EE_DOUBT_NO_SLICE, .near = EE_STR("x")},
       "mean_score[lang=de] not decided >= 0.9 (no case has 'lang=de'; did you mean 'x'?)"},
      {{.gate = &value, .range = none, .doubt = EE_DOUBT_NO_SLICE},
       "mean_score[lang=de] not decided >= 0.9 (no case has 'lang=de')"},
      {{.gate = &value, .range = none, .doubt = EE_DOUBT_NO_SLICE, .near = near},
       "mean_score[lang=de] not decided >= 0.9 (no case has 'lang=de'; did you mean 'lang'?)"},
      /* Too few: cases first. */
      {{.gate = &few, .range = none, .too_few = true, .cases = 1, .units = 1},
       "mean_score not decided >= 0.9 (1 case, fewer than 5)"},
      {{.gate = &few, .range = none, .too_few = true, .cases = 4, .units = 4},
       "mean_score not decided >= 0.9 (4 cases, fewer than 5)"},
      {{.gate = &few, .range = none, .too_few = true, .cases = 5, .units = 1},
       "mean_score not decided >= 0.9 (1 unit, fewer than 20)"},
      {{.gate = &few, .range = none, .too_few = true, .cases = 9, .units = 9},
       "mean_score not decided >= 0.9 (9 units, fewer than 20)"},
      {{.gate = &value, .defined = true, .value = 0.95, .range = none, .cases = 9}, "mean_score[lang=de] 0.95 >= 0.9"},
      /* Every value of a slice. */
      {{.gate = &slice, .defined = true, .value = 0.95, .range = none, .worst = EE_STR("de"), .cases = 9, .values = 1},
       "mean_score[lang] 0.95 >= 0.9 in 'de' (9 cases)"},
      {{.gate = &slice, .defined = true, .value = 0.95, .range = none, .worst = EE_STR("de"), .cases = 1, .values = 2},
       "mean_score[lang] 0.95 >= 0.9 in 'de' (1 case), the worst of 2 values"},
      {{.gate = &slice,
        .defined = true,
        .value = 0.85,
        .range = none,
        .worst = EE_STR("de"),
        .cases = 9,
        .values = 4,
        .values_failed = 1},
       "mean_score[lang] 0.85 >= 0.9 in 'de' (9 cases), the worst of 4 values"},
      {{.gate = &slice,
        .defined = true,
        .value = 0.1,
        .range = none,
        .worst = EE_STR("d"),
        .cases = 9,
        .values = 4,
        .values_failed = 2,
        .failed = {{EE_STR("d"), true, 0.1}, {EE_STR("e"), true, 0.2}}},
       "mean_score[lang] 0.1 >= 0.9 in 'd' (9 cases); 2 of 4 values fail: 'd' 0.1, 'e' 0.2"},
      {{.gate = &slice, .range = none, .too_few = true, .values_too_few = 1},
       "mean_score[lang] not decided >= 0.9; 1 value is not decided: fewer than 3 cases"},
      {{.gate = &by_support, .range = none, .too_few = true, .values_too_few = 2},
       "mean_score[lang] not decided >= 0.9; 2 values are not decided: fewer than 7 units"},
      {{.gate = &by_both, .range = none, .too_few = true, .values_too_few = 2},
       "mean_score[lang] not decided >= 0.9; 2 values are not decided: fewer than 3 cases or 7 units"},
      {{.gate = &slice,
        .defined = true,
        .value = 0.1,
        .range = none,
        .worst = EE_STR("de"),
        .cases = 9,
        .values = 4,
        .values_failed = 3,
        .failed = {{EE_STR("de"), true, 0.1}, {EE_STR("en"), true, 0.89999}, {EE_STR("fr"), false, 0}}},
       "mean_score[lang] 0.1 >= 0.9 in 'de' (9 cases); 3 of 4 values fail: 'de' 0.1, 'en' 0.89999, 'fr'"},
      {{.gate = &slice,
        .defined = true,
        .value = 0.1,
        .range = none,
        .worst = EE_STR("a"),
        .cases = 9,
        .values = 5,
        .values_failed = 5,
        .values_too_few = 1,
        .failed = {{EE_STR("a"), true, 0.1},
                   {EE_STR("b"), true, 0.2},
                   {EE_STR("c"), true, 0.3},
                   {EE_STR("d"), true, 0.4},
                   {EE_STR("e"), true, 0.5}}},
       "mean_score[lang] 0.1 >= 0.9 in 'a' (9 cases); 5 of 5 values fail: 'a' 0.1, 'b' 0.2, 'c' 0.3, 'd' 0.4, 'e' 0.5; "
       "1 value is not decided: fewer than 3 cases"},
      {{.gate = &slice,
        .defined = true,
        .value = 0.1,
        .range = none,
        .worst = EE_STR("a"),
        .cases = 9,
        .values = 6,
        .values_failed = 6,
        .failed = {{EE_STR("a"), true, 0.1},
                   {EE_STR("b"), true, 0.2},
                   {EE_STR("c"), true, 0.3},
                   {EE_STR("d"), true, 0.4},
                   {EE_STR("e"), true, 0.5}}},
       "mean_score[lang] 0.1 >= 0.9 in 'a' (9 cases); 6 of 6 values fail: 'a' 0.1, 'b' 0.2, 'c' 0.3, 'd' 0.4, 'e' 0.5, "
       "..."},
  };
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    assert_string_equal(print(&facts[i].result, &arena), facts[i].printed);
  ee_buffer text;
  ee_buffer_init(&text);
  ee_gate_print_condition(&sure_both, &text);
  assert_string_equal(ee_buffer_terminate(&text), "head total f1 at 95 % >= 0.25 and <= 0.75");
  ee_buffer_clear(&text);
  ee_gate_print_condition(&slice, &text);
  assert_string_equal(ee_buffer_terminate(&text), "mean_score[lang] >= 0.9");
  /* Names of one letter. */
  ee_gate brief = both;
  brief.judge = EE_STR("h");
  brief.field = EE_STR("t");
  brief.slice = EE_STR("l");
  brief.has_max = false;
  ee_buffer_clear(&text);
  ee_gate_print_condition(&brief, &text);
  assert_string_equal(ee_buffer_terminate(&text), "h t f1[l] >= 0.25");
  ee_gate_result in_one = {
      .gate = &brief, .defined = true, .value = 0.5, .range = none, .worst = EE_STR("d"), .cases = 2, .values = 2};
  assert_string_equal(print(&in_one, &arena), "h t f1[l] 0.5 >= 0.25 in 'd' (2 cases), the worst of 2 values");
  ee_buffer_fini(&text);
  ee_arena_fini(&arena);
}

/* What makes a metric worthless, whatever its value: the doubt, and the field that it is about. */
static void doubt_what_is_worthless(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  static const char *const full = "{\"number\":\"7\",\"total\":5}", *const one = "{\"number\":\"7\"}",
                           *const none = "{\"x\":1}", *const unread = "{\"number\":\"7\",\"total\":\"many\"}";
  const struct {
    const char *expected[4];
    const char *gate;
    double max_unread;
    bool chosen;
    ee_gate_doubt doubt;
    const char *doubted;
  } facts[] = {
      {{NULL}, "mean_score=0", 0, false, EE_DOUBT_NOTHING, ""},
      {{NULL}, "header:micro_f1=0", 0, false, EE_DOUBT_NOTHING, ""},
      {{none}, "header:mean_score=0", 0, false, EE_DOUBT_NOTHING, ""},
      {{none}, "header:micro_f1=0", 0, true, EE_DOUBT_NOTHING, ""},
      /* One field is enough, whichever it is. */
      {{one}, "header:mean_score=0", 0, true, EE_DOUBT_NONE, ""},
      {{"{\"total\":5}"}, "header:mean_score=0", 0, true, EE_DOUBT_NONE, ""},
      {{"{\"note\":\"n\"}"}, "header:mean_score=0", 0, true, EE_DOUBT_NONE, ""},
      {{full}, "header:micro_f1=0", 0, false, EE_DOUBT_NONE, ""},
      {{full}, "mean_score=0", 0, false, EE_DOUBT_NONE, ""},
      /* A field that must be there is in no case; 'note' may be absent. Of some cases only it is not known. */
      {{one, none}, "header:micro_f1=0", 0, false, EE_DOUBT_NOWHERE, "total"},
      {{one, none}, "mean_score=0", 0, false, EE_DOUBT_NOWHERE, "total"},
      {{one, none}, "header:total:f1=0", 0, false, EE_DOUBT_NOWHERE, "total"},
      {{one, none}, "header:number:f1=0", 0, false, EE_DOUBT_NONE, ""},
      {{one, none}, "header:note:f1=0", 0, false, EE_DOUBT_NONE, ""},
      {{one, none}, "header:micro_f1=0", 0, true, EE_DOUBT_NONE, ""},
      {{one, none, full}, "header:micro_f1=0", 0, false, EE_DOUBT_NONE, ""},
      {{one}, "seen:mean_score=0", 0, false, EE_DOUBT_NONE, ""},
      /* Values that cannot be read: more of them than the gate allows. */
      {{full, unread}, "header:micro_f1=0", 0, false, EE_DOUBT_UNREAD, "total"},
      {{full, unread}, "header:micro_f1=0", 0.49, true, EE_DOUBT_UNREAD, "total"},
      {{full, unread}, "header:micro_f1=0", 0.5, false, EE_DOUBT_NONE, ""},
      {{full, unread}, "header:micro_f1=0", 0.5 - 0x1p-50, false, EE_DOUBT_NONE, ""},
      {{full, unread}, "header:micro_f1=0", 0.5 - 0x1p-49, false, EE_DOUBT_UNREAD, "total"},
      {{full, unread}, "header:total:f1=0", 0.49, false, EE_DOUBT_UNREAD, "total"},
      {{full, unread}, "header:number:f1=0", 0, false, EE_DOUBT_NONE, ""},
      {{full, full, unread}, "mean_score=0", 0.3, false, EE_DOUBT_UNREAD, "total"},
      {{full, full, unread}, "mean_score=0", 0.34, false, EE_DOUBT_NONE, ""},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_totals totals;
    ee_totals_init(&totals, rules.plan);
    totals.chosen = facts[i].chosen;
    uint64_t bad = 0, there = 0;
    for (size_t k = 0; k < 4 && facts[i].expected[k] != NULL; k++) {
      const char *expected = facts[i].expected[k];
      bad += expected == unread, there += expected == unread || expected == full;
      const char *text = ee_arena_printf(&arena, "{\"id\":\"%zu\",\"expected\":%s,\"candidate\":%s}", k, expected,
                                         expected == unread ? full : expected);
      ee_case_result result = small_judge_record(&rules, &arena, text);
      ee_totals_add(&totals, &result, &arena);
    }
    ee_gate *gate = EE_NEW(&arena, ee_gate);
    ee_error error;
    if (!ee_gate_parse(rules.plan, facts[i].gate, 0, &arena, gate, &error)) fail_msg("%s", error.message);
    gate->max_unread = facts[i].max_unread;
    ee_gate_result got = ee_gate_decide(gate, &totals);
    if (got.doubt != facts[i].doubt || !ee_str_is(got.doubted, facts[i].doubted))
      fail_msg("%zu: %s: %d of '%.*s'", i, facts[i].gate, (int)got.doubt, EE_STR_ARG(got.doubted));
    if (got.doubt != EE_DOUBT_NONE) assert_false(got.passed);
    assert_int_equal(got.unread, got.doubt == EE_DOUBT_UNREAD ? bad : 0);
    assert_int_equal(got.expected, got.doubt == EE_DOUBT_UNREAD ? there : 0);
    if (got.doubt == EE_DOUBT_NOTHING) assert_true(ee_gate_is_undecided(&got));
    ee_totals_fini(&totals);
  }
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* With too few units a gate is not decided on what they say; that values cannot be read is said all the same. */
static void doubt_of_few(void **state) {
  (void)state;
  static const struct {
    const char *expected;
    const char *gate;
    uint64_t min_support;
    bool too_few;
    ee_gate_doubt doubt;
  } facts[] = {
      {"{\"x\":1}", "header:micro_f1=0", 0, false, EE_DOUBT_NOTHING},
      {"{\"x\":1}", "header:micro_f1=0", 1, true, EE_DOUBT_NONE},
      {"{\"number\":\"7\"}", "header:total:f1=0", 0, false, EE_DOUBT_NOWHERE},
      {"{\"number\":\"7\"}", "header:total:f1=0", 1, true, EE_DOUBT_NONE},
      {"{\"number\":\"7\",\"total\":\"many\"}", "header:number:f1=0", 1, false, EE_DOUBT_NONE},
      {"{\"number\":\"7\",\"total\":\"many\"}", "header:number:f1=0", 2, true, EE_DOUBT_NONE},
      {"{\"number\":\"7\",\"total\":\"many\"}", "header:micro_f1=0", 1, false, EE_DOUBT_UNREAD},
      {"{\"number\":\"7\",\"total\":\"many\"}", "header:micro_f1=0", 9, true, EE_DOUBT_UNREAD},
  };
  small_rules rules;
  ee_arena arena;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_totals totals;
    ee_totals_init(&totals, rules.plan);
    const char *text = ee_arena_printf(&arena, "{\"id\":\"a\",\"expected\":%s,\"candidate\":%s}", facts[i].expected,
                                       i < 2 ? "{}" : "{\"number\":\"7\"}");
    ee_case_result result = small_judge_record(&rules, &arena, text);
    ee_totals_add(&totals, &result, &arena);
    ee_gate gate;
    ee_error error;
    if (!ee_gate_parse(rules.plan, facts[i].gate, 0, &arena, &gate, &error)) fail_msg("%s", error.message);
    gate.min_support = facts[i].min_support;
    ee_gate_result got = ee_gate_decide(&gate, &totals);
    if (got.too_few != facts[i].too_few || got.doubt != facts[i].doubt)
      fail_msg("%zu: too few %d, doubt %d", i, got.too_few, (int)got.doubt);
    assert_int_equal(got.passed, !facts[i].too_few && facts[i].doubt == EE_DOUBT_NONE);
    assert_int_equal(ee_gate_is_undecided(&got),
                     !got.passed && (facts[i].doubt == EE_DOUBT_NONE || facts[i].doubt == EE_DOUBT_NOTHING));
    ee_totals_fini(&totals);
  }
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* Of several judges each one's fields may be what makes the score worthless, and each one may be what compared
 * anything. */
static void doubt_of_later_judges(void **state) {
  (void)state;
  small_rules rules = {0};
  ee_arena *arena = &rules.arena;
  ee_arena_init(arena, 0);
  static const char *const names_of[] = {"one", "two", "three"};
  ee_rule_value judges[3];
  for (size_t i = 0; i < 3; i++) {
    ee_rule_value path = small_text(names_of[i]), field = small_node(arena, "numeric", &path, 1, NULL, 0);
    ee_rule_option name = {EE_STR("name"), small_text(names_of[i])};
    judges[i] = small_node(arena, "fields", &field, 1, &name, 1);
  }
  ee_rule_value root = small_node(arena, "rules", judges, 3, NULL, 0);
  ee_error_list errors;
  ee_error_list_init(&errors);
  rules.plan = ee_plan_compile(arena, root.node, &small_vtable, &rules, &errors);
  assert_non_null(rules.plan);
  ee_error_list_fini(&errors);
  for (size_t bad = 0; bad < 3; bad++) {
    ee_totals totals;
    ee_totals_init(&totals, rules.plan);
    const char *text = ee_arena_printf(arena,
                                       "{\"id\":\"a\",\"expected\":{\"one\":%s,\"two\":%s,\"three\":%s},\"candidate\":{"
                                       "\"one\":1,\"two\":1,\"three\":1}}",
                                       bad == 0 ? "\"x\"" : "1", bad == 1 ? "\"x\"" : "1", bad == 2 ? "\"x\"" : "1");
    ee_case_result result = small_judge_record(&rules, arena, text);
    ee_totals_add(&totals, &result, arena);
    result = small_judge_record(&rules, arena,
                                "{\"id\":\"b\",\"expected\":{\"one\":1,\"two\":1,\"three\":1},\"candidate\":{}}");
    ee_totals_add(&totals, &result, arena);
    ee_gate_result got = decide(&rules, arena, "mean_score=0", 0, 0, &totals);
    assert_int_equal(got.doubt, EE_DOUBT_UNREAD);
    assert_true(ee_str_is(got.doubted, names_of[bad]));
    for (size_t i = 0; i < 3; i++) {
      got = decide(&rules, arena, ee_arena_printf(arena, "%s:mean_score=0", names_of[i]), 0, 0, &totals);
      assert_int_equal(got.doubt, i == bad ? EE_DOUBT_UNREAD : EE_DOUBT_NONE);
    }
    ee_totals_fini(&totals);
    /* Only this judge has something to compare. */
    ee_totals_init(&totals, rules.plan);
    totals.chosen = true;
    text = ee_arena_printf(arena, "{\"id\":\"a\",\"expected\":{\"%s\":1},\"candidate\":{}}", names_of[bad]);
    result = small_judge_record(&rules, arena, text);
    ee_totals_add(&totals, &result, arena);
    assert_int_equal(decide(&rules, arena, "mean_score=0", 0, 0, &totals).doubt, EE_DOUBT_NONE);
    for (size_t i = 0; i < 3; i++) {
      got = decide(&rules, arena, ee_arena_printf(arena, "%s:mean_score=0", names_of[i]), 0, 0, &totals);
      assert_int_equal(got.doubt, i == bad ? EE_DOUBT_NONE : EE_DOUBT_NOTHING);
    }
    ee_totals_fini(&totals);
  }
  ee_arena_fini(arena);
}

/* Values are looked for in their own slice, by their first 80 bytes; what is meant is looked for there, too. */
static void find_values_in_their_slice(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  char longer[100];
  memset(longer, 'v', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  const char *record = ee_arena_printf(
      &arena,
      "{\"id\":\"1\",\"lang\":\"english\",\"region\":\"us\",\"kind\":\"%s\",\"expected\":{\"number\":\"7\","
      "\"total\":1},\"candidate\":{\"number\":\"7\",\"total\":1}}",
      longer);
  const struct {
    const char *gate;
    ee_gate_doubt doubt;
    const char *near;
  } facts[] = {
      {"mean_score[region=us]=0", EE_DOUBT_NONE, ""},
      {"mean_score[lang=us]=0", EE_DOUBT_NO_SLICE, ""},
      {"mean_score[region=english]=0", EE_DOUBT_NO_SLICE, ""},
      {"mean_score[region=englisch]=0", EE_DOUBT_NO_SLICE, ""},
      {"mean_score[lang=englisch]=0", EE_DOUBT_NO_SLICE, "english"},
      {"mean_score[regio]=0", EE_DOUBT_NO_SLICE, "region"},
      {"mean_score[reg]=0", EE_DOUBT_NO_SLICE, ""},
      {ee_arena_printf(&arena, "mean_score[kind=%s]=0", longer), EE_DOUBT_NONE, ""},
      {ee_arena_printf(&arena, "mean_score[kind=%.80s]=0", longer), EE_DOUBT_NONE, ""},
      {ee_arena_printf(&arena, "mean_score[kind=%.79s]=0", longer), EE_DOUBT_NO_SLICE,
       ee_arena_printf(&arena, "%.80s", longer)},
  };
  enum { FACTS = sizeof facts / sizeof *facts };
  ee_gate gates[FACTS];
  for (size_t i = 0; i < FACTS; i++) {
    ee_error error;
    if (!ee_gate_parse(rules.plan, facts[i].gate, 0, &arena, &gates[i], &error)) fail_msg("%s", error.message);
  }
  ee_totals all;
  ee_totals_init(&all, rules.plan);
  ee_case_result result = small_judge_record(&rules, &arena, record);
  ee_totals_add(&all, &result, &arena);
  ee_totals_settle(&all);
  for (size_t i = 0; i < FACTS; i++) {
    ee_gate_result got = ee_gate_decide(&gates[i], &all);
    if (got.doubt != facts[i].doubt || !ee_str_is(got.near, facts[i].near))
      fail_msg("%s: %d, '%.*s'", facts[i].gate, (int)got.doubt, EE_STR_ARG(got.near));
    assert_int_equal(got.cases, facts[i].doubt == EE_DOUBT_NONE ? 1 : 0);
  }
  ee_totals_fini(&all);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* The worst value of a slice, also where a metric is not a share: corrections far within their limit, or far beyond it,
 * and a value of which nothing is known. */
static void find_the_worst_of_corrections(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  static const char *const texts[] = {"{\"id\":\"1\",\"lang\":\"de\",\"expected\":{\"number\":\"7\",\"total\":1},"
                                      "\"candidate\":{\"number\":\"7\",\"total\":1}}",
                                      "{\"id\":\"2\",\"lang\":\"en\",\"expected\":{\"number\":\"7\",\"total\":1,"
                                      "\"note\":\"n\"},\"candidate\":{\"number\":\"8\"}}",
                                      "{\"id\":\"3\",\"lang\":\"fr\",\"expected\":{\"number\":\"7\",\"total\":\"x\"},"
                                      "\"candidate\":{\"number\":\"7\",\"total\":1}}"};
  static const struct {
    double max;
    size_t cases;
    const char *worst;
    double value;
    uint64_t failed;
  } facts[] = {{9, 2, "en", 2, 0},  {2.5, 2, "en", 2, 0}, {2, 2, "en", 2, 0},
               {-1, 2, "en", 2, 2}, {-1, 3, "fr", 0, 3},  {9, 3, "fr", 0, 1}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_totals all;
    ee_totals_init(&all, rules.plan);
    for (size_t k = 0; k < facts[i].cases; k++) {
      ee_case_result result = small_judge_record(&rules, &arena, texts[k]);
      ee_totals_add(&all, &result, &arena);
    }
    ee_totals_settle(&all);
    const ee_gate gate = {.metric = EE_GATE_CORRECTIONS, .slice = EE_STR("lang"), .has_max = true, .max = facts[i].max};
    ee_gate_result got = ee_gate_decide(&gate, &all);
    assert_int_equal(got.values, facts[i].cases);
    assert_int_equal(got.values_failed, facts[i].failed);
    if (!ee_str_is(got.worst, facts[i].worst)) fail_msg("%zu: %.*s", i, EE_STR_ARG(got.worst));
    if (facts[i].cases == 2) assert_true(got.value == facts[i].value);
    assert_int_equal(got.passed, facts[i].failed == 0);
    if (facts[i].failed > 0) assert_true(ee_str_is(got.failed[0].name, facts[i].worst));
    ee_totals_fini(&all);
  }
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* A judge all cases of which say nothing has compared nothing, also one whose attributes only the data know. */
static void doubt_of_cases_that_say_nothing(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  for (size_t vacuous = 0; vacuous <= 2; vacuous++) {
    ee_totals all;
    ee_totals_init(&all, rules.plan);
    for (size_t i = 0; i < 2; i++) {
      ee_case_result result = small_judge_record(
          &rules, &arena, "{\"id\":\"1\",\"expected\":{\"number\":\"7\",\"total\":1},\"candidate\":{}}");
      ee_judge_result *judges = EE_NEW_ARRAY(&arena, ee_judge_result, result.judge_count);
      memcpy(judges, result.judges, result.judge_count * sizeof *judges);
      judges[0].vacuous = judges[1].vacuous = i < vacuous;
      result.judges = judges;
      ee_totals_add(&all, &result, &arena);
    }
    ee_gate_doubt doubt = vacuous == 2 ? EE_DOUBT_NOTHING : EE_DOUBT_NONE;
    assert_int_equal(decide(&rules, &arena, "seen:mean_score=0", 0, 0, &all).doubt, doubt);
    assert_int_equal(decide(&rules, &arena, "header:mean_score=0", 0, 0, &all).doubt, doubt);
    assert_int_equal(decide(&rules, &arena, "mean_score=0", 0, 0, &all).doubt, doubt);
    ee_totals_fini(&all);
  }
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* Metrics of the whole data set, and of one row of their table; counts have no gate. */
static void measure_corpora(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  ee_totals all;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  ee_totals_init(&all, rules.plan);
  for (int i = 0; i < 3; i++) {
    ee_case_result result = small_judge_record(
        &rules, &arena, "{\"id\":\"1\",\"expected\":{\"number\":\"7\",\"total\":1},\"candidate\":{}}");
    ee_totals_add(&all, &result, &arena);
  }
  static const ee_corpus_metric metrics[] = {
      {"f1", true, true, 9}, {"f1", true, false, 0.25}, {"kappa", true, false, 0.5}, {"none", false, false, 0.75}};
  static const ee_corpus_metric a[] = {{"support", true, true, 7}, {"f1", true, false, 0.125}},
                                b[] = {{"f1", true, true, 8}, {"f1", false, false, 0}},
                                c[] = {{"support", true, true, 9}, {"f1", true, false, 1}};
  static const ee_corpus_row rows[] = {{EE_STR("a"), a}, {EE_STR("b"), b}, {EE_STR("c"), c}};
  ee_corpus_summary summary = {.metrics = metrics, .metric_count = 4, .column_count = 2, .rows = rows, .row_count = 3};
  static const struct {
    const char *row, *metric;
    bool defined, unseen;
    double value;
  } facts[] = {
      {"", "f1", true, false, 0.25},  {"", "kappa", true, false, 0.5}, {"", "none", false, false, 0},
      {"", "other", false, false, 0}, {"a", "f1", true, false, 0.125}, {"a", "support", false, true, 0},
      {"b", "f1", false, false, 0},   {"c", "f1", true, false, 1},     {"d", "f1", false, true, 0},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_gate gate = {.metric = EE_GATE_CORPUS_METRIC,
                    .own_metric = ee_str_from(facts[i].metric),
                    .field = ee_str_from(facts[i].row),
                    .subject = rules.plan->judges[0],
                    .slot = EE_GATE_NO_SLOT,
                    .has_min = true};
    all.all.judges[0].corpus = &summary;
    ee_gate_result got = ee_gate_decide(&gate, &all);
    if (got.defined != facts[i].defined || got.unseen != facts[i].unseen || got.value != facts[i].value)
      fail_msg("%s %s: %d %d %g", facts[i].row, facts[i].metric, got.defined, got.unseen, got.value);
    assert_int_equal(got.units, 3);
    assert_false(ee_interval_is_known(got.range));
    assert_int_equal(got.passed, facts[i].defined);
    /* Before there is a summary. */
    all.all.judges[0].corpus = NULL;
    got = ee_gate_decide(&gate, &all);
    assert_false(got.defined);
    assert_int_equal(got.unseen, facts[i].row[0] != '\0');
  }
  ee_totals_fini(&all);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* Each metric of a judge and of a field is that of its name. */
static void measure_counts(void **state) {
  (void)state;
  small_rules rules;
  ee_arena arena;
  ee_totals all;
  small_rules_open(&rules);
  ee_arena_init(&arena, 0);
  ee_totals_init(&all, rules.plan);
  /* Of number 2 right, 1 missing and 1 invented; of total 1 right, 2 missing; of note 3 that are not there. */
  static const char *const texts[] = {
      "{\"id\":\"1\",\"expected\":{\"number\":\"7\",\"total\":1},\"candidate\":{\"number\":\"7\",\"total\":1}}",
      "{\"id\":\"2\",\"expected\":{\"number\":\"7\",\"total\":1},\"candidate\":{\"number\":\"7\"}}",
      "{\"id\":\"3\",\"expected\":{\"number\":\"7\",\"total\":1},\"candidate\":{}}",
      "{\"id\":\"4\",\"expected\":{},\"candidate\":{\"number\":\"7\"}}",
  };
  for (size_t i = 0; i < 4; i++) {
    ee_case_result result = small_judge_record(&rules, &arena, texts[i]);
    ee_totals_add(&all, &result, &arena);
  }
  static const struct {
    const char *gate;
    double value;
    bool defined;
  } facts[] = {
      {"header:number:precision=0", 2.0 / 3, true},
      {"header:number:recall=0", 2.0 / 3, true},
      {"header:number:f1=0", 2.0 / 3, true},
      {"header:number:specificity=0", 0, true},
      {"header:total:precision=0", 1, true},
      {"header:total:recall=0", 1.0 / 3, true},
      {"header:total:f1=0", 0.5, true},
      {"header:total:specificity=0", 1, true},
      {"header:note:precision=0", 0, false},
      {"header:note:recall=0", 0, false},
      {"header:note:specificity=0", 1, true},
      {"header:micro_precision=0", 0.75, true},
      {"header:micro_recall=0", 0.5, true},
      {"header:micro_f1=0", 0.6, true},
      {"header:macro_precision=0", 5.0 / 6, true},
      {"header:macro_recall=0", 0.5, true},
      {"header:macro_f1=0", 7.0 / 12, true},
      {"header:weighted_precision=0", 5.0 / 6, true},
      {"header:weighted_recall=0", 0.5, true},
      {"header:weighted_f1=0", 7.0 / 12, true},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    ee_gate_result got = decide(&rules, &arena, facts[i].gate, 0, 0, &all);
    if (got.defined != facts[i].defined || fabs(got.value - facts[i].value) > 1e-12)
      fail_msg("%s: %d %.17g", facts[i].gate, got.defined, got.value);
  }
  ee_totals_fini(&all);
  ee_arena_fini(&arena);
  small_rules_close(&rules);
}

/* As many digits as it takes, four at least: of random values next to random limits. */
static void print_as_many_digits_as_it_takes(void **state) {
  (void)state;
  test_random random = test_random_start("gate digits", 12);
  ee_arena arena;
  ee_arena_init(&arena, 0);
  int longest = 0;
  for (int round = 0; round < 20000; round++) {
    bool least = test_random_below(&random, 2) == 0;
    double limit = test_random_unit(&random), slack = least ? -0x1p-50 : 0x1p-50;
    double value = limit + slack;
    int beyond = (int)test_random_below(&random, 40);
    if (round == 0) { /* 0.19999999999999998, which is 0.2 with a digit less */
      least = true;
      slack = -0x1p-50;
      limit = 0.2 - slack;
      value = 0.2;
      beyond = 1;
    }
    if (beyond < 8)
      for (int i = 0; i < beyond; i++) value = nextafter(value, least ? -1 : 2);
    else
      value += (least ? -1 : 1) * pow(10, -beyond / 2.5);
    if (value < 0 || value > 1) continue;
    bool fails = least ? value < limit + slack : value > limit + slack;
    char text[40];
    int digits = 4;
    for (; digits < 17; digits++) {
      snprintf(text, sizeof text, "%.*g", digits, value);
      double shown = strtod(text, NULL);
      if ((least ? shown < limit + slack : shown > limit + slack) == fails) break;
    }
    longest = digits > longest ? digits : longest;
    ee_gate gate = {.metric = EE_GATE_MEAN_SCORE, .has_min = least, .has_max = !least, .min = limit, .max = limit};
    ee_gate_result result = {.gate = &gate, .defined = true, .value = value, .range = EE_NO_INTERVAL};
    const char *printed = print(&result, &arena);
    snprintf(text, sizeof text, "%.*g", digits, value);
    assert_int_equal(strncmp(printed, "mean_score ", 11), 0);
    assert_true(strtod(printed + 11, NULL) == strtod(text, NULL));
    size_t shown = strcspn(printed + 11, " ");
    if (strchr(text, 'e') == NULL && strncmp(printed + 11, text, shown) != 0) fail_msg("%s, not %s", printed, text);
    assert_true(strchr(text, 'e') != NULL || strlen(text) == shown);
    ee_arena_reset(&arena, 0);
  }
  assert_int_equal(longest, 17);
  ee_arena_fini(&arena);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(find_the_worst_of_corrections), cmocka_unit_test(find_values_in_their_slice),
             cmocka_unit_test(doubt_of_cases_that_say_nothing), cmocka_unit_test(doubt_of_few),
             cmocka_unit_test(doubt_of_later_judges), cmocka_unit_test(measure_corpora),
             cmocka_unit_test(measure_counts), cmocka_unit_test(print_as_many_digits_as_it_takes),
             cmocka_unit_test(agree_with_their_cases), cmocka_unit_test(name_the_first_of_equals),
             cmocka_unit_test(measure_trials), cmocka_unit_test(say_what_no_case_has),
             cmocka_unit_test(print_what_they_decided), cmocka_unit_test(keeps_its_names),
             cmocka_unit_test(both_limits), cmocka_unit_test(print_each_reason),
             cmocka_unit_test(doubt_what_is_worthless));
