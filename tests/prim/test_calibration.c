/* test_calibration.c: calibration, ranking and thresholds: examples by hand, and twins written from the definitions
 * over single answers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prim/calibration.h"
#include "prim/special.h"
#include "support/random.h"

enum { ANSWERS = 400 };

typedef struct answer {
  double confidence;
  bool right;
} answer;

typedef struct answers {
  answer items[ANSWERS];
  size_t count;
  ee_confident distinct[ANSWERS];
  size_t distinct_count;
} answers;

static int by_confidence(const void *left, const void *right) {
  double a = ((const answer *)left)->confidence, b = ((const answer *)right)->confidence;
  return (a > b) - (a < b);
}

static void count_distinct(answers *all) {
  qsort(all->items, all->count, sizeof *all->items, by_confidence);
  all->distinct_count = 0;
  for (size_t i = 0; i < all->count; i++) {
    size_t n = all->distinct_count;
    if (n == 0 || all->distinct[n - 1].confidence != all->items[i].confidence)
      all->distinct[all->distinct_count++] = (ee_confident){all->items[i].confidence, 0, 0};
    ee_confident *at = &all->distinct[all->distinct_count - 1];
    at->right += all->items[i].right;
    at->wrong += !all->items[i].right;
  }
}

static void make_answers(test_random *random, answers *all) {
  all->count = 1 + test_random_below(random, ANSWERS);
  size_t levels = test_random_below(random, 3) == 0 ? 5 : 1000;
  double shift = test_random_unit(random) - 0.5;
  for (size_t i = 0; i < all->count; i++) {
    double p = (double)test_random_below(random, levels + 1) / (double)levels;
    all->items[i] = (answer){p, test_random_unit(random) < p + shift};
  }
  count_distinct(all);
}

static void assert_near(ee_metric got, double expected, const char *what) {
  if (!got.defined || !(fabs(got.value - expected) <= 1e-11))
    fail_msg("%s: %.17g, not %.17g", what, got.value, expected);
}

/* Pairs of a right and a wrong answer, one by one. */
static double plain_auroc(const answers *all) {
  double wins = 0, pairs = 0;
  for (size_t i = 0; i < all->count; i++)
    for (size_t k = 0; k < all->count; k++) {
      if (!all->items[i].right || all->items[k].right) continue;
      double a = all->items[i].confidence, b = all->items[k].confidence;
      wins += a > b ? 1 : a == b ? 0.5 : 0;
      pairs++;
    }
  return wins / pairs;
}

/* The surest k answers, for each k; among equal ones the errors are spread evenly. */
static double plain_aurc(const answers *all) {
  double sum = 0;
  for (size_t k = 1; k <= all->count; k++) {
    double threshold = all->items[all->count - k].confidence, above = 0, above_wrong = 0, equal = 0, equal_wrong = 0;
    for (size_t i = 0; i < all->count; i++) {
      bool wrong = !all->items[i].right;
      above += all->items[i].confidence > threshold;
      above_wrong += all->items[i].confidence > threshold && wrong;
      equal += all->items[i].confidence == threshold;
      equal_wrong += all->items[i].confidence == threshold && wrong;
    }
    sum += (above_wrong + ((double)k - above) * equal_wrong / equal) / (double)k;
  }
  return sum / (double)all->count;
}

/* The bin of each answer: that of the middle one of those of equal confidence. */
static size_t plain_bin(const answers *all, size_t number, size_t bins) {
  double lower = 0, equal = 0;
  for (size_t i = 0; i < all->count; i++) {
    lower += all->items[i].confidence < all->items[number].confidence;
    equal += all->items[i].confidence == all->items[number].confidence;
  }
  size_t bin = (size_t)((lower + equal / 2) / (double)all->count * (double)bins);
  return bin < bins ? bin : bins - 1;
}

/* E|right - expected| by all outcomes of independent answers, from the distribution of their number. */
static double plain_chance(const double *p, size_t count) {
  double chances[ANSWERS + 1] = {1}, mean = 0, sum = 0;
  for (size_t i = 0; i < count; i++) {
    mean += p[i];
    for (size_t k = i + 2; k-- > 0;) chances[k] = chances[k] * (1 - p[i]) + (k > 0 ? chances[k - 1] * p[i] : 0);
  }
  for (size_t k = 0; k <= count; k++) sum += fabs((double)k - mean) * chances[k];
  return sum;
}

/* An end of the interval of the area is where the area that was observed is just 1.96 deviations away, by the variance
 * of Hanley and McNeil with Newcombe's number of answers. */
static void assert_end(double end, double area, double right, double wrong) {
  double q1 = end / (2 - end), q2 = 2 * end * end / (1 + end), most = (right + wrong) / 2 - 1;
  double variance = (end * (1 - end) + most * (q1 - end * end) + most * (q2 - end * end)) / (right * wrong);
  double difference = (area - end) * (area - end) - 1.959963984540054 * 1.959963984540054 * variance;
  if (fabs(difference) > 1e-11)
    fail_msg("%g is not an end of %g by %g and %g: %g", end, area, right, wrong, difference);
}

static void agrees_with_twins(void **state) {
  (void)state;
  test_random random = test_random_start("calibration", 4201);
  for (int round = 0; round < 1500; round++) {
    answers all;
    make_answers(&random, &all);
    ee_calibration got;
    ee_calibrate(all.distinct, all.distinct_count, 0.95, &got);
    double n = (double)all.count, right = 0, confidence = 0, brier = 0;
    for (size_t i = 0; i < all.count; i++) {
      right += all.items[i].right;
      confidence += all.items[i].confidence;
      brier += pow(all.items[i].confidence - all.items[i].right, 2);
    }
    double accuracy = right / n;
    assert_true(got.count == all.count);
    assert_near(got.accuracy, accuracy, "accuracy");
    assert_near(got.confidence, confidence / n, "confidence");
    assert_near(got.brier, brier / n, "brier");
    assert_true(got.auroc.defined == (right > 0 && right < n));
    if (got.auroc.defined) {
      assert_near(got.auroc, plain_auroc(&all), "auroc");
      assert_true(got.auroc_interval.low >= 0 && got.auroc_interval.low <= got.auroc.value);
      assert_true(got.auroc_interval.high <= 1 && got.auroc_interval.high >= got.auroc.value);
      if (got.auroc.value > 0) assert_end(got.auroc_interval.low, got.auroc.value, right, n - right);
      if (got.auroc.value < 1) assert_end(got.auroc_interval.high, got.auroc.value, right, n - right);
    }
    assert_near(got.aurc, plain_aurc(&all), "aurc");

    size_t bins = all.count < 20 ? 1 : all.count >= 100 ? 10 : all.count / 10;
    double ece = 0, by_chance = 0, reliability = 0, resolution = 0;
    for (size_t bin = 0; bin < bins; bin++) {
      double p[ANSWERS], sum = 0, hits = 0, number = 0;
      for (size_t i = 0; i < all.count; i++) {
        if (plain_bin(&all, i, bins) != bin) continue;
        p[(size_t)number++] = all.items[i].confidence;
        sum += all.items[i].confidence;
        hits += all.items[i].right;
      }
      if (number == 0) continue;
      ece += fabs(hits - sum) / n;
      by_chance += plain_chance(p, (size_t)number) / n;
      reliability += number / n * pow(hits / number - sum / number, 2);
      resolution += number / n * pow(hits / number - accuracy, 2);
    }
    assert_near(got.ece, ece, "ece");
    assert_near(got.ece_by_chance, by_chance, "ece by chance");
    assert_near(got.reliability, reliability, "reliability");
    assert_near(got.resolution, resolution, "resolution");
    assert_near(got.within, brier / n - (reliability - resolution + accuracy * (1 - accuracy)), "within");
  }
}

/* Four answers: 0.9 right, 0.8 wrong, 0.8 right, 0.2 wrong. */
static void knows_examples(void **state) {
  (void)state;
  const ee_confident four[] = {{0.2, 0, 1}, {0.8, 1, 1}, {0.9, 1, 0}};
  ee_calibration got;
  ee_calibrate(four, 3, 0.95, &got);
  assert_near(got.accuracy, 0.5, "accuracy");
  assert_near(got.confidence, 2.7 / 4, "confidence");
  assert_true(got.bin_count == 1);
  assert_near(got.ece, 0.175, "ece");
  assert_near(got.brier, (0.01 + 0.64 + 0.04 + 0.04) / 4, "brier");
  assert_near(got.auroc, 3.5 / 4, "auroc"); /* 0.9 beats both; 0.8 ties with one and beats the other */
  /* Shares of wrong ones among the surest: 0, 0.5 / 2, 1 / 3, 2 / 4. The best order: 0, 0, 1 / 3, 2 / 4. */
  assert_near(got.aurc, (0 + 0.25 + 1.0 / 3 + 0.5) / 4, "aurc");
  assert_near(got.aurc_excess, 0.25 / 4, "excess");
  ee_calibrate(NULL, 0, 0.95, &got);
  assert_false(got.ece.defined || got.brier.defined || got.auroc.defined || got.aurc.defined);
  /* 100 answers that say 0.99: the number of wrong ones is nearly Poisson with mean 1, whose mean distance is 2/e. */
  const ee_confident sure[] = {{0.99, 100, 0}};
  ee_calibrate(sure, 1, 0.95, &got);
  assert_near(got.ece, 0.01, "ece of sure ones");
  assert_near(got.ece_by_chance, 2 * pow(0.99, 100) / 100, "chance of sure ones"); /* 2 (1 - 0) P(0) */
}

/* The level a threshold is tested at goes to the next if it passes; the plain definition, with all levels written out.
 */
static ee_acceptance plain_accept(const answers *all, double wanted, double sure) {
  double level = 1 - sure;
  size_t n = all->count;
  bool share = ceil(log(0.7 * level) / log(wanted) - 1e-9) <= (double)n;
  double first = share ? 0.7 * level : level;
  size_t strictest = (size_t)ceil(log(first) / log(wanted) - 1e-9);
  double extra[5] = {first, (level - first) / 4, (level - first) / 4, (level - first) / 4, (level - first) / 4};
  size_t starts[5] = {strictest, (n + 3) / 4, (n + 1) / 2, (3 * n + 3) / 4, n};
  bool used[5] = {false};
  double carried = 0;
  ee_acceptance best = {0};
  for (size_t k = strictest; k <= n; k++) { /* the k surest; not between equal ones */
    if (k < n && all->items[n - k].confidence == all->items[n - k - 1].confidence) continue;
    uint64_t wrong = 0;
    for (size_t i = n - k; i < n; i++) wrong += !all->items[i].right;
    double here = carried;
    for (int s = 0; s < 5; s++) {
      if (used[s] || k < starts[s]) continue;
      used[s] = true;
      here += extra[s];
    }
    carried = here > 0 && ee_binomial_at_most(wrong, k, 1 - wanted) <= here ? here : 0;
    if (carried > 0)
      best = (ee_acceptance){.found = true, .threshold = all->items[n - k].confidence, .right = k - wrong};
  }
  return best;
}

static void agrees_on_thresholds(void **state) {
  (void)state;
  test_random random = test_random_start("thresholds", 4202);
  size_t found = 0;
  for (int round = 0; round < 3000; round++) {
    answers all;
    make_answers(&random, &all);
    for (size_t i = 0; i < all.count; i++) all.items[i].right |= test_random_below(&random, 4) > 0;
    count_distinct(&all);
    double wanted = 0.6 + 0.38 * test_random_unit(&random), sure = 0.8 + 0.19 * test_random_unit(&random);
    ee_acceptance got = ee_accept(all.distinct, all.distinct_count, wanted, sure);
    ee_acceptance expected = plain_accept(&all, wanted, sure);
    assert_true(got.found == expected.found);
    if (!got.found) continue;
    found++;
    assert_true(got.threshold == expected.threshold && got.right == expected.right);
    assert_true(got.lowest >= wanted - 1e-9 && got.lowest <= 1);
  }
  assert_true(found > 300);
}

/* log(0.05) / log(0.99) = 298.07: the "rule of three". */
static void knows_how_many_are_needed(void **state) {
  (void)state;
  const ee_confident few[] = {{0.9, 298, 0}}, enough[] = {{0.9, 299, 0}}, bad[] = {{0.9, 280, 20}};
  assert_false(ee_accept(few, 1, 0.99, 0.95).found);
  assert_true(ee_accept(few, 1, 0.99, 0.95).needed == 299);
  assert_true(ee_accept(enough, 1, 0.99, 0.95).found);
  ee_acceptance none = ee_accept(bad, 1, 0.99, 0.95);
  assert_true(!none.found && none.surest == 300 && none.surest_wrong == 20 && none.enough == 0);
  /* 8 of 100 wrong: 90 % cannot be shown with 100, but with a multiple of them. */
  const ee_confident close[] = {{0.9, 92, 8}};
  ee_acceptance later = ee_accept(close, 1, 0.9, 0.95);
  assert_true(!later.found && later.enough > 300 && later.enough < 1000);
  assert_false(ee_accept(enough, 1, 1, 0.95).found);
}

/* The share of samples in which what is accepted is worse than wanted stays below the level, whatever was searched. */
static void keeps_its_promise(void **state) {
  (void)state;
  test_random random = test_random_start("promise", 4203);
  enum { ROUNDS = 4000 };
  for (int kind = 0; kind < 3; kind++) {
    size_t broken = 0;
    for (int round = 0; round < ROUNDS; round++) {
      answers all = {.count = 300};
      /* The share of right answers from a threshold on is known: right with probability 0.85 + slope * confidence. */
      double slope = kind == 0 ? 0 : kind == 1 ? 0.1 : 0.14, base = kind == 0 ? 0.9 : 0.85;
      for (size_t i = 0; i < all.count; i++) {
        double p = test_random_unit(&random);
        all.items[i] = (answer){p, test_random_unit(&random) < base + slope * p};
      }
      count_distinct(&all);
      ee_acceptance found = ee_accept(all.distinct, all.distinct_count, 0.92, 0.95);
      double truth = base + slope * (1 + found.threshold) / 2;
      broken += found.found && truth < 0.92;
    }
    if (broken > ROUNDS * 6 / 100) fail_msg("kind %d: %zu of %d promises broken", kind, broken, (int)ROUNDS);
  }
}

static void draws_the_curve(void **state) {
  (void)state;
  const ee_confident some[] = {{0.1, 0, 2}, {0.5, 3, 1}, {0.9, 4, 0}};
  ee_coverage_point points[5];
  /* Of 12 answers 2 have no confidence: fifths are 2.4, 4.8, 7.2, 9.6 and 12. */
  assert_int_equal(ee_coverage_curve(some, 3, 12, 5, points), 3);
  assert_true(points[0].threshold == 0.9 && points[0].accepted == 4 && points[0].wrong == 0);
  assert_true(points[1].threshold == 0.5 && points[1].accepted == 8 && points[1].wrong == 1);
  assert_true(points[2].threshold == 0.1 && points[2].accepted == 10 && points[2].wrong == 3);
  assert_int_equal(ee_coverage_curve(some, 3, 0, 5, points), 0);
}

static void entries_without_answers_change_nothing(void **state) {
  (void)state;
  static const ee_confident some[] = {{0.1, 2, 9}, {0.4, 5, 6}, {0.6, 7, 3}, {0.9, 60, 1}};
  static const ee_confident more[] = {{0, 0, 0},   {0.1, 2, 9}, {0.2, 0, 0},  {0.3, 0, 0}, {0.4, 5, 6},
                                      {0.6, 7, 3}, {0.7, 0, 0}, {0.9, 60, 1}, {1, 0, 0}};
  ee_calibration plain, padded;
  ee_calibrate(some, 4, 0.95, &plain);
  ee_calibrate(more, 9, 0.95, &padded);
  assert_true(plain.bin_count == padded.bin_count && plain.ece.value == padded.ece.value);
  assert_true(plain.ece_by_chance.value == padded.ece_by_chance.value && plain.aurc.value == padded.aurc.value);
  assert_true(plain.auroc_interval.low == padded.auroc_interval.low && plain.within.value == padded.within.value);
  ee_acceptance a = ee_accept(some, 4, 0.9, 0.9), b = ee_accept(more, 9, 0.9, 0.9);
  assert_true(a.found && b.found && a.threshold == b.threshold && a.lowest == b.lowest);
  ee_coverage_point points[2][4];
  size_t count = ee_coverage_curve(some, 4, 93, 4, points[0]);
  assert_int_equal(ee_coverage_curve(more, 9, 93, 4, points[1]), count);
  for (size_t i = 0; i < count; i++) assert_true(points[0][i].threshold == points[1][i].threshold);
}

static void knows_the_ends(void **state) {
  (void)state;
  ee_calibration calibration;
  /* Each wrong answer is surer than each right one. */
  static const ee_confident turned[] = {{0.2, 30, 0}, {0.8, 0, 30}};
  ee_calibrate(turned, 2, 0.95, &calibration);
  assert_true(calibration.auroc.value == 0 && calibration.auroc_interval.low == 0);
  assert_true(calibration.auroc_interval.high > 0 && calibration.auroc_interval.high < 0.2);
  /* A bin of 100,000 answers: what chance gives is that of the normal distribution, sqrt(2/pi p (1-p)/n). */
  static const ee_confident large[] = {{0.5, 50000, 50000}};
  ee_calibrate(large, 1, 0.95, &calibration);
  assert_true(fabs(calibration.ece_by_chance.value - sqrt(2 / 3.14159265358979 * 0.25 / 100000)) < 1e-9);
  /* Three answers in four do not reach the next tenth: a threshold for each part at most. */
  static const ee_confident four[] = {{0.1, 1, 0}, {0.2, 1, 0}, {0.3, 1, 0}, {0.4, 1, 0}};
  ee_coverage_point points[2];
  assert_int_equal(ee_coverage_curve(four, 4, 4, 2, points), 2);
  assert_true(points[0].threshold == 0.3 && points[1].threshold == 0.1);
  /* Nothing is asked for, or no certainty: one answer is enough. */
  assert_int_equal(ee_accept(four, 4, 0, 0.95).needed, 1);
  assert_int_equal(ee_accept(four, 4, 0.5, 0).needed, 1);
  /* As good as wanted by so little that no number of answers that anybody has would show it. */
  static const ee_confident close[] = {{0.9, 900000001, 99999999}};
  ee_acceptance found = ee_accept(close, 1, 0.9, 0.999);
  assert_true(!found.found && found.enough == 0);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(agrees_with_twins), cmocka_unit_test(knows_examples),
             cmocka_unit_test(agrees_on_thresholds), cmocka_unit_test(knows_how_many_are_needed),
             cmocka_unit_test(keeps_its_promise), cmocka_unit_test(draws_the_curve),
             cmocka_unit_test(entries_without_answers_change_nothing), cmocka_unit_test(knows_the_ends));
