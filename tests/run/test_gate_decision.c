/* test_gate_decision.c: gates on slices and on intervals, against the totals of only the cases that they are about. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/small_rules.h"
#include "run/gate_decision.h"
#include "run/totals.h"
#include "support/random.h"

enum { CASES = 40, VALUES = 5 };
static const char *const names[VALUES] = {"de", "en", "fr", "it", NULL}; /* NULL: the record has no language */

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

static void agree_with_their_cases(void **state) {
  (void)state;
  static const char *const metrics[] = {"mean_score", "pass_rate", "header:micro_f1", "header:total:recall",
                                        "header:number:f1"};
  test_random random = test_random_start("gate_decision", 11);
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
      for (size_t i = 1; i < failed && i < EE_GATE_VALUES; i++)
        assert_true(got.failed[i - 1].held <= got.failed[i].held);
    }
    for (size_t v = 0; v < VALUES; v++) ee_totals_fini(&of[v]);
    ee_totals_fini(&all);
    free_records(&made);
    ee_arena_fini(&arena);
    small_rules_close(&rules);
  }
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

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(agree_with_their_cases), cmocka_unit_test(say_what_no_case_has),
             cmocka_unit_test(print_what_they_decided));
