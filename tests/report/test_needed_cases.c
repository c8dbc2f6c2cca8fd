/* test_needed_cases.c: numbers of cases against simulated comparisons of that many, and clusters against what they are
 * made of. */
#include "report/needed_cases.h"

#include <math.h>
#include <stdio.h>

#include "data/json/json_reader.h"
#include "prim/paired.h"
#include "report/made_runs.h"
#include "support/arena.h"

enum { MOST = 400, COPIES = 4 };

/* Made rows ------------------------------------------------------------------------------------- */

/* Scores of two runs that differ in some cases. */
static size_t make_scores(test_random *random, double *base, double *fresh) {
  size_t count = 200 + test_random_below(random, MOST - 200), changed = 40 + test_random_below(random, 50);
  for (size_t i = 0; i < count; i++) {
    base[i] = fresh[i] = (double)test_random_below(random, 11) / 10;
    if (test_random_below(random, 100) < changed) fresh[i] = (double)test_random_below(random, 11) / 10;
  }
  return count;
}

/* Each case `copies` times, all in one cluster where there are several. `fresh` NULL: one run. */
static ee_value *plan_of(const double *base, const double *fresh, size_t count, size_t copies,
                         ee_needed_cases_options options) {
  ee_error error = {0};
  ee_needed_cases *needed;
  options.names[0] = "base";
  options.names[1] = fresh != NULL ? "new" : NULL;
  needed = ee_needed_cases_new(&options);
  for (size_t run = 0; run < (fresh != NULL ? 2 : 1); run++) {
    for (size_t i = 0; i < count * copies; i++) {
      const double *scores = run == 0 ? base : fresh;
      ee_stored_row row = {.id = ee_str_from(ee_arena_printf(&arena, "%zu", i)),
                           .score = scores[i / copies],
                           .verdict = verdict_of(scores[i / copies])};
      if (copies > 1) row.cluster = ee_str_from(ee_arena_printf(&arena, "doc %zu", i / copies));
      ee_needed_cases_add(needed, run, &row);
    }
  }
  if (ee_needed_cases_finish(needed, &error) != EE_OK) fail_msg("%s", error.message);
  ee_buffer out;
  ee_buffer_init(&out);
  ee_needed_cases_json(needed, &out);
  ee_value *document = ee_json_read(&arena, (ee_str){out.data, out.length}, NULL, &error);
  if (document == NULL) fail_msg("%s", error.message);
  ee_buffer_fini(&out);
  ee_needed_cases_free(needed);
  return document;
}

static const ee_value *metric_at(const ee_value *document, const char *list, size_t number) {
  const ee_value *found = ee_value_element(ee_value_member(document, ee_str_from(list), NULL), number);
  assert_non_null(found);
  return found;
}

static double number_at(const ee_value *object, const char *key) {
  const ee_value *found = ee_value_member(object, ee_str_from(key), NULL);
  assert_int_equal(ee_type_of(found), EE_NUMBER);
  return ee_value_number(found);
}

static double needed_of(const ee_value *metric, const char *key) {
  return number_at(ee_value_member(metric, EE_STR("needed"), NULL), key);
}

/* Tests ----------------------------------------------------------------------------------------- */

/* So many pairs are drawn from the differences, moved to have the planned mean, and compared. */
static double simulated_power(test_random *random, const double *base, const double *fresh, size_t count, double effect,
                              uint64_t units) {
  enum { TRIALS = 1500 };
  double mean = 0, point = ee_paired_point(units, 0.95);
  unsigned found = 0;
  for (size_t i = 0; i < count; i++) mean += (fresh[i] - base[i]) / (double)count;
  for (int trial = 0; trial < TRIALS; trial++) {
    ee_paired_sums sums = {.reach = 1};
    for (uint64_t k = 0; k < units; k++) {
      size_t i = test_random_below(random, count);
      ee_paired_add(&sums, fresh[i] - base[i] - mean + effect, true);
    }
    found += ee_paired_interval(&sums, point).low > 0;
  }
  return (double)found / TRIALS;
}

static void test_power(void **state) {
  (void)state;
  test_random random = test_random_start("power of planned comparisons", 20261122);
  static double base[MOST], fresh[MOST];
  for (int round = 0; round < 6; round++) {
    size_t count = make_scores(&random, base, fresh);
    double effect = 0.03 + 0.05 * test_random_unit(&random), power = round % 2 == 0 ? 0.8 : 0.9;
    const ee_value *plan =
        plan_of(base, fresh, count, 1, (ee_needed_cases_options){.effect = effect, .power = power, .confidence = 0.95});
    uint64_t units = (uint64_t)needed_of(metric_at(plan, "metrics", 0), "cases");
    double simulated = simulated_power(&random, base, fresh, count, effect, units);
    if (simulated < power - 0.04 || simulated > power + 0.08)
      fail_msg("%zu cases, effect %g: %u of power %g have %g", count, effect, (unsigned)units, power, simulated);
  }
}

/* Copies of a case in its cluster say nothing that the case does not. */
static void test_clusters(void **state) {
  (void)state;
  test_random random = test_random_start("clusters", 20261122);
  static double base[MOST], fresh[MOST];
  const ee_needed_cases_options options = {.effect = 0.05, .power = 0.8, .confidence = 0.95, .clusters = false};
  for (int round = 0; round < 30; round++) {
    size_t count = make_scores(&random, base, fresh);
    for (int runs = 1; runs <= 2; runs++) {
      const double *second = runs == 2 ? fresh : NULL;
      const ee_value *cases = plan_of(base, second, count, 1, options);
      ee_needed_cases_options demanded = options;
      demanded.clusters = true;
      const ee_value *clusters = plan_of(base, second, count, COPIES, demanded);
      assert_int_equal(number_at(clusters, "clusters"), count);
      for (size_t metric = 0; metric < 2; metric++) {
        const ee_value *a = metric_at(cases, "metrics", metric), *b = metric_at(clusters, "metrics", metric);
        assert_int_equal(needed_of(a, "cases"), needed_of(b, "clusters"));
        assert_int_equal(COPIES * needed_of(b, "clusters"), needed_of(b, "cases"));
        assert_true(fabs(number_at(b, "design_effect") - COPIES) < 1e-9);
        assert_true(fabs(number_at(a, "power_now") - number_at(b, "power_now")) < 1e-9);
      }
    }
  }
}

/* The interval of a run with that many cases has that width. */
static void test_widths(void **state) {
  (void)state;
  test_random random = test_random_start("widths", 20261122);
  static double scores[MOST], fresh[MOST], many[COPIES * MOST];
  for (int round = 0; round < 30; round++) {
    size_t count = make_scores(&random, scores, fresh);
    for (size_t i = 0; i < count * COPIES; i++) many[i] = scores[i % count];
    ee_needed_cases_options options = {.effect = 0.05, .power = 0.8, .confidence = 0.9, .half_width = 0.01};
    const ee_value *large = metric_at(plan_of(many, NULL, count * COPIES, 1, options), "intervals", 0);
    const ee_value *interval = ee_value_member(large, EE_STR("interval"), NULL);
    double low = number_at(interval, "low"), high = number_at(interval, "high");
    options.half_width = (high - low) / 2 + 1e-12;
    const ee_value *small = metric_at(plan_of(scores, NULL, count, 1, options), "intervals", 0);
    const ee_value *width = ee_value_element(ee_value_member(small, EE_STR("half_widths"), NULL), 0);
    assert_true(fabs(number_at(width, "cases") - (double)(count * COPIES)) <= 1);
  }
}

/* McNemar: with a share of d of discordant cases, Connor (Biometrics 43, 1987) needs (z sqrt(d) + z' sqrt(d - e^2))^2 /
 * e^2 pairs for a difference of e: 0.2 and 0.1 give 155. */
static void test_discordance(void **state) {
  (void)state;
  static double base[1000], fresh[1000];
  for (size_t i = 0; i < 1000; i++) {
    base[i] = i % 10 == 0 ? 0 : 1;
    fresh[i] = i % 10 == 1 ? 0 : 1;
  }
  const ee_value *plan =
      plan_of(base, fresh, 1000, 1, (ee_needed_cases_options){.effect = 0.1, .power = 0.8, .confidence = 0.95});
  const ee_value *passes = metric_at(plan, "metrics", 1);
  assert_int_equal(number_at(passes, "changed"), 200);
  assert_true(fabs(needed_of(passes, "cases") - 155) <= 4);
}

static void test_errors(void **state) {
  (void)state;
  ee_error error = {0};
  ee_needed_cases_options options = {.names = {"base", NULL}, .effect = 0.1, .power = 0.8, .confidence = 0.95};
  ee_needed_cases *needed = ee_needed_cases_new(&options);
  ee_stored_row row = {.id = EE_STR("a"), .score = 1};
  ee_needed_cases_add(needed, 0, &row);
  assert_int_equal(ee_needed_cases_finish(needed, &error), EE_ERROR_DATA);
  assert_string_equal(error.message, "a variance needs at least two cases with a score");
  ee_needed_cases_free(needed);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_power), cmocka_unit_test(test_clusters),
             cmocka_unit_test(test_widths), cmocka_unit_test(test_discordance), cmocka_unit_test(test_errors));
