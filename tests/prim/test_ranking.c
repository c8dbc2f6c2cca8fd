/* test_ranking.c: several systems against a slow twin, other orders of cases and systems, and known probabilities. */
#include "prim/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "prim/paired.h"
#include "support/arena.h"
#include "support/random.h"

enum { SYSTEMS = 5, CASES = 60 };

typedef struct made {
  size_t systems, cases, clusters;
  double scores[CASES * SYSTEMS];
  uint64_t units[CASES];
} made;

static void make(test_random *random, made *to) {
  to->systems = 2 + test_random_below(random, SYSTEMS - 1);
  to->cases = 2 + test_random_below(random, CASES - 1);
  to->clusters = 1 + test_random_below(random, 2) * test_random_below(random, to->cases);
  size_t steps = 1 + test_random_below(random, 5);
  for (size_t i = 0; i < to->cases; i++) {
    to->units[i] = to->clusters > 1 ? 1 + test_random_below(random, to->clusters) : 1000 + i;
    for (size_t k = 0; k < to->systems; k++)
      to->scores[i * to->systems + k] = (double)test_random_below(random, steps + 1) / (double)steps;
  }
}

static ee_ranking rank(const made *from, bool all) {
  ee_ranking ranking;
  ee_rank_systems(&(ee_score_table){from->systems, from->cases, from->scores, from->units}, all, 0.95, &arena,
                  &ranking);
  return ranking;
}

/* The twin: all of it by definition, in doubles. */

static double twin_mean(const made *from, size_t system) {
  double sum = 0;
  for (size_t i = 0; i < from->cases; i++) sum += from->scores[i * from->systems + system];
  return sum / (double)from->cases;
}

static void check_pair(const made *from, const ee_ranking *ranking, const ee_system_pair *pair) {
  double change = twin_mean(from, pair->fresh) - twin_mean(from, pair->base);
  size_t units = 0;
  ee_paired_sums sums = {.reach = 1};
  for (int walk = 0; walk < 2; walk++) {
    double per_unit = units > 0 ? (double)from->cases / (double)units : 1;
    for (size_t i = 0; i < from->cases; i++) {
      double difference = 0, cases = 0;
      bool first = true;
      for (size_t k = 0; k < i; k++) first = first && from->units[k] != from->units[i];
      if (!first) continue;
      units += walk == 0;
      for (size_t k = i; k < from->cases; k++) {
        if (from->units[k] != from->units[i]) continue;
        const double *scores = &from->scores[k * from->systems];
        difference += scores[pair->fresh] - scores[pair->base];
        cases++;
      }
      if (walk == 1) ee_paired_add(&sums, (difference - change * cases) / per_unit + change, fabs(difference) > 1e-9);
    }
  }
  ee_interval interval = ee_paired_interval(&sums, ee_paired_point(units, 1 - 0.05 / (double)ranking->pair_count));
  assert_int_equal(ranking->units, units);
  assert_int_equal(pair->changed, sums.changed);
  assert_true(fabs(pair->change - change) < 1e-9);
  assert_true(fabs(pair->interval.low - interval.low) < 1e-8 && fabs(pair->interval.high - interval.high) < 1e-8);
  assert_true(fabs(pair->p - ee_paired_p(&sums)) < 1e-7);
}

static void test_twin(void **state) {
  (void)state;
  test_random random = test_random_start("systems", 20261122);
  static made from;
  for (int round = 0; round < 300; round++) {
    make(&random, &from);
    bool all = round % 2 == 0;
    ee_ranking ranking = rank(&from, all);
    assert_int_equal(ranking.pair_count, all ? from.systems * (from.systems - 1) / 2 : from.systems - 1);
    double sum = 0;
    for (size_t i = 0; i < ranking.pair_count; i++) {
      check_pair(&from, &ranking, &ranking.pairs[i]);
      assert_true(ranking.pairs[i].p_adjusted >= ranking.pairs[i].p);
    }
    for (size_t k = 0; k < from.systems; k++) sum += ranking.best[k];
    assert_true(fabs(sum - 1) < 1e-9);
    ee_arena_reset(&arena, 0);
  }
}

/* The same in any order of cases and systems, to the last bit. */
static void test_orders(void **state) {
  (void)state;
  test_random random = test_random_start("orders", 20261122);
  static made from, other;
  for (int round = 0; round < 200; round++) {
    size_t systems[SYSTEMS], cases[CASES];
    make(&random, &from);
    for (size_t i = 0; i < from.cases; i++) cases[i] = i;
    for (size_t k = 0; k < from.systems; k++) systems[k] = k;
    for (size_t i = from.cases; i > 1; i--) {
      size_t with = test_random_below(&random, i), kept = cases[i - 1];
      cases[i - 1] = cases[with];
      cases[with] = kept;
    }
    for (size_t i = from.systems; i > 1; i--) {
      size_t with = test_random_below(&random, i), kept = systems[i - 1];
      systems[i - 1] = systems[with];
      systems[with] = kept;
    }
    other = from;
    for (size_t i = 0; i < from.cases; i++) {
      other.units[i] = from.units[cases[i]];
      for (size_t k = 0; k < from.systems; k++)
        other.scores[i * from.systems + k] = from.scores[cases[i] * from.systems + systems[k]];
    }
    ee_ranking a = rank(&from, true), b = rank(&other, true);
    for (size_t k = 0; k < from.systems; k++) assert_true(b.best[k] == a.best[systems[k]]);
    for (size_t i = 0; i < b.pair_count; i++) {
      size_t base = systems[b.pairs[i].base], fresh = systems[b.pairs[i].fresh];
      for (size_t k = 0; k < a.pair_count; k++) {
        const ee_system_pair *pair = &a.pairs[k];
        if (pair->base == base && pair->fresh == fresh)
          assert_true(pair->change == b.pairs[i].change && pair->interval.low == b.pairs[i].interval.low);
        if (pair->base == fresh && pair->fresh == base)
          assert_true(pair->change == -b.pairs[i].change && pair->interval.low == -b.pairs[i].interval.high);
        if (pair->base + pair->fresh == base + fresh && (pair->base == base || pair->base == fresh))
          assert_true(pair->p == b.pairs[i].p && pair->p_adjusted == b.pairs[i].p_adjusted);
      }
    }
    ee_arena_reset(&arena, 0);
  }
}

/* Two systems of which each is right in other cases: a is best in a sample as often as one Poisson number of mean w is
 * above another of mean l, and half of the ties. Also where units are counted in groups. */
static void test_probability(void **state) {
  (void)state;
  static const struct {
    size_t cases, wins, losses;
    double low, high;
  } samples[] = {{1000, 30, 20, 0.90, 0.94},
                 {1000, 20, 20, 0.46, 0.54},
                 {1000, 0, 0, 0.5, 0.5},
                 {1000, 12, 0, 1, 1},
                 {30000, 300, 270, 0.87, 0.92}};
  for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
    size_t cases = samples[s].cases;
    double *scores = calloc(2 * cases, sizeof *scores);
    uint64_t *units = calloc(cases, sizeof *units);
    for (size_t i = 0; i < cases; i++) {
      units[i] = ee_hash_bytes(&i, sizeof i, 7);
      scores[2 * i] = i >= samples[s].wins;
      scores[2 * i + 1] = i < samples[s].wins || i >= samples[s].wins + samples[s].losses;
    }
    ee_ranking ranking;
    ee_rank_systems(&(ee_score_table){2, cases, scores, units}, false, 0.95, &arena, &ranking);
    if (ranking.best[1] < samples[s].low - 1e-9 || ranking.best[1] > samples[s].high + 1e-9)
      fail_msg("%zu wins, %zu losses: best in %g", samples[s].wins, samples[s].losses, ranking.best[1]);
    free(scores);
    free(units);
  }
}

static void test_alone(void **state) {
  (void)state;
  static const double scores[] = {0.5, 1, 0};
  static const uint64_t units[] = {1, 2, 3};
  ee_ranking ranking = {0};
  ee_rank_systems(&(ee_score_table){1, 3, scores, units}, true, 0.95, &arena, &ranking);
  assert_int_equal(ranking.pair_count, 0);
  assert_true(ranking.each == 0.95 && ranking.best[0] == 1);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_twin), cmocka_unit_test(test_orders),
             cmocka_unit_test(test_probability), cmocka_unit_test(test_alone));
