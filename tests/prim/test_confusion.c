/* test_confusion.c: counts, metrics and averages, worked out by hand and by plain loops. */
#include "prim/confusion.h"

#include <math.h>
#include <string.h>

#include "support/random.h"

static const ee_metric undefined = {false, 0};

static ee_metric is(double value) { return (ee_metric){true, value}; }

static void assert_metric(ee_metric got, ee_metric expected, const char *what) {
  if (got.defined != expected.defined || !(fabs(got.value - expected.value) <= 1e-14))
    fail_msg("%s: %d %.17g, not %d %.17g", what, got.defined, got.value, expected.defined, expected.value);
}

/* Slow and obvious twins ----------------------------------------------------------------------- */

static ee_metric quotient(uint64_t part, uint64_t rest) {
  return part + rest != 0 ? is((double)part / (double)(part + rest)) : undefined;
}

static ee_metric plain_f1(const ee_counts *c) {
  ee_metric p = quotient(c->tp, c->fp), r = quotient(c->tp, c->fn);
  if (c->tp == 0) return c->fp + c->fn > 0 ? is(0) : undefined;
  return is(2 * p.value * r.value / (p.value + r.value));
}

static ee_counts pooled(const ee_counts *attributes, size_t count) {
  ee_counts sum = {0};
  for (size_t i = 0; i < count; i++) {
    sum.tp += attributes[i].tp;
    sum.tn += attributes[i].tn;
    sum.fp += attributes[i].fp;
    sum.fn += attributes[i].fn;
    sum.wrong += attributes[i].wrong;
    sum.unread += attributes[i].unread;
    sum.unread_candidates += attributes[i].unread_candidates;
  }
  return sum;
}

/* The mean over attributes, plain or by support; an undefined metric is 0 after a mistake, and left out otherwise. */
static ee_metric plain_mean(const ee_counts *attributes, size_t count, ee_metric (*metric)(const ee_counts *),
                            int by_support) {
  double sum = 0, weights = 0;
  for (size_t i = 0; i < count; i++) {
    const ee_counts *c = &attributes[i];
    ee_metric m = metric(c);
    if (!m.defined && c->fp + c->fn == 0) continue;
    double support = c->tp + c->fn > 0 ? (double)(c->tp + c->fn) : (double)c->fp, weight = by_support ? support : 1;
    sum += weight * (m.defined ? m.value : 0);
    weights += weight;
  }
  return weights > 0 ? is(sum / weights) : undefined;
}

static ee_metric plain_precision(const ee_counts *c) { return quotient(c->tp, c->fp); }
static ee_metric plain_recall(const ee_counts *c) { return quotient(c->tp, c->fn); }

/* By hand -------------------------------------------------------------------------------------- */

static void adds_classes(void **state) {
  (void)state;
  static const struct {
    ee_class class_of_value;
    ee_counts counts;
  } facts[] = {
      {EE_CLASS_TP, {.tp = 1}},       {EE_CLASS_TN, {.tn = 1}},      {EE_CLASS_WRONG, {.fp = 1, .fn = 1, .wrong = 1}},
      {EE_CLASS_INVENTED, {.fp = 1}}, {EE_CLASS_MISSING, {.fn = 1}}, {EE_CLASS_UNREAD, {.unread = 1}},
  };
  for (size_t i = 0; i < 6; i++) {
    ee_counts counts = {0}, twice = facts[i].counts;
    ee_counts_add_class(&counts, facts[i].class_of_value);
    assert_memory_equal(&counts, &facts[i].counts, sizeof counts);
    ee_counts_add(&twice, &counts);
    ee_counts_add_class(&counts, facts[i].class_of_value);
    assert_memory_equal(&counts, &twice, sizeof counts);
  }
  ee_counts all = {1, 2, 3, 4, 2, 5, 6}, more = {10, 20, 30, 40, 20, 50, 60}, sum = {11, 22, 33, 44, 22, 55, 66};
  ee_counts_add(&all, &more);
  assert_memory_equal(&all, &sum, sizeof all);
}

static void knows_metrics(void **state) {
  (void)state;
  static const struct {
    ee_counts counts;
    double precision, recall, f1, specificity; /* -1: undefined */
  } facts[] = {
      {{0, 0, 0, 0, 0, 0, 0}, -1, -1, -1, -1},
      {{1, 0, 0, 0, 0, 0, 0}, 1, 1, 1, -1},
      {{0, 5, 0, 0, 0, 0, 0}, -1, -1, -1, 1},
      {{0, 0, 1, 1, 1, 0, 0}, 0, 0, 0, 0},   /* 2PR / (P + R) is 0/0 */
      {{0, 0, 3, 0, 0, 0, 0}, 0, -1, 0, 0},  /* invented only */
      {{0, 0, 0, 3, 0, 0, 0}, -1, 0, 0, -1}, /* missing only */
      {{0, 4, 1, 0, 0, 0, 0}, 0, -1, 0, 0.8},
      {{8, 1, 2, 2, 2, 0, 0}, 0.8, 0.8, 0.8, 1 / 3.0},
      {{3, 0, 1, 0, 0, 0, 0}, 0.75, 1, 6 / 7.0, 0},
      {{2, 7, 0, 2, 0, 0, 0}, 1, 0.5, 2 / 3.0, 1},
      {{90, 10, 10, 30, 5, 0, 0}, 0.9, 0.75, 9 / 11.0, 0.5},
      {{UINT64_C(4000000000), 0, UINT64_C(12000000000), 0, 0, 0, 0}, 0.25, 1, 0.4, 0},
  };
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    const ee_counts *c = &facts[i].counts;
    const double expected[] = {facts[i].precision, facts[i].recall, facts[i].f1, facts[i].specificity};
    const ee_metric got[] = {ee_precision(c), ee_recall(c), ee_f1(c), ee_specificity(c)};
    static const char *const names[] = {"precision", "recall", "f1", "specificity"};
    for (int k = 0; k < 4; k++) assert_metric(got[k], expected[k] < 0 ? undefined : is(expected[k]), names[k]);
  }
}

static void knows_averages(void **state) {
  (void)state;
  /* Four attributes: good, half right, never expected (TN only), and one that was only invented. */
  const ee_counts table[] = {
      {8, 0, 2, 2, 2, 0, 0}, {2, 0, 0, 2, 0, 0, 0}, {0, 10, 0, 0, 0, 1, 0}, {0, 6, 4, 0, 0, 0, 2}};
  ee_averages micro = ee_micro(table, 4), macro = ee_macro(table, 4), weighted = ee_weighted(table, 4);
  assert_metric(micro.precision, is(10 / 16.0), "micro precision"); /* 10 / (10 + 6) */
  assert_metric(micro.recall, is(10 / 14.0), "micro recall");       /* 10 / (10 + 4) */
  assert_metric(micro.f1, is(20 / 30.0), "micro f1");
  assert_metric(macro.precision, is((0.8 + 1 + 0) / 3), "macro precision");
  assert_metric(macro.recall, is((0.8 + 0.5 + 0) / 3),
                "macro recall"); /* the invented one's is undefined and counts 0 */
  assert_metric(macro.f1, is((0.8 + 2 / 3.0 + 0) / 3), "macro f1");
  assert_metric(weighted.precision, is((10 * 0.8 + 4 * 1.0) / 18), "weighted precision");
  assert_metric(weighted.recall, is((10 * 0.8 + 4 * 0.5) / 18), "weighted recall");
  assert_metric(weighted.f1, is((10 * 0.8 + 4 * 2 / 3.0) / 18), "weighted f1");
  /* Nothing but true negatives, and no attribute at all: nothing is defined. */
  for (size_t count = 0; count <= 1; count++) {
    const ee_averages none[] = {ee_micro(table + 2, count), ee_macro(table + 2, count), ee_weighted(table + 2, count)};
    for (int k = 0; k < 3; k++) {
      assert_metric(none[k].precision, undefined, "precision of nothing");
      assert_metric(none[k].recall, undefined, "recall of nothing");
      assert_metric(none[k].f1, undefined, "f1 of nothing");
    }
  }
  /* Only invented values: macro and weighted averages count them 0. */
  assert_metric(ee_macro(table + 3, 1).f1, is(0), "macro f1 of inventions");
  assert_metric(ee_weighted(table + 3, 1).f1, is(0), "weighted f1 of inventions");
  assert_metric(ee_micro(table + 3, 1).precision, is(0), "micro precision of inventions");
  assert_metric(ee_micro(table + 3, 1).recall, undefined, "micro recall of inventions");
}

/* Against plain loops -------------------------------------------------------------------------- */

static ee_counts random_counts(test_random *random) {
  ee_counts c = {0};
  size_t span = test_random_below(random, 2) == 0 ? 3 : 1000;
  if (test_random_below(random, 3) != 0) c.tp = test_random_below(random, span);
  if (test_random_below(random, 3) != 0) c.tn = test_random_below(random, span);
  if (test_random_below(random, 3) == 0) c.wrong = test_random_below(random, span);
  c.fp = c.wrong;
  c.fn = c.wrong;
  if (test_random_below(random, 3) == 0) c.fp += test_random_below(random, span);
  if (test_random_below(random, 3) == 0) c.fn += test_random_below(random, span);
  if (test_random_below(random, 3) == 0) c.unread = test_random_below(random, span);
  return c;
}

static void agrees_with_plain_loops(void **state) {
  (void)state;
  test_random random = test_random_start("confusion: loops", 801);
  for (int round = 0; round < 20000; round++) {
    ee_counts table[12];
    size_t count = test_random_below(&random, 13);
    for (size_t i = 0; i < count; i++) {
      table[i] = random_counts(&random);
      const ee_counts *c = &table[i];
      assert_metric(ee_precision(c), plain_precision(c), "precision");
      assert_metric(ee_recall(c), plain_recall(c), "recall");
      assert_metric(ee_f1(c), plain_f1(c), "f1");
      assert_metric(ee_specificity(c), quotient(c->tn, c->fp), "specificity");
      /* The same number in another shape. */
      if (c->tp > 0) assert_metric(ee_f1(c), is(2.0 * (double)c->tp / (double)(2 * c->tp + c->fp + c->fn)), "f1");
    }
    ee_counts sum = pooled(table, count), added = {0};
    for (size_t i = count; i > 0; i--) ee_counts_add(&added, &table[i - 1]);
    assert_memory_equal(&added, &sum, sizeof sum);
    ee_averages micro = ee_micro(table, count), macro = ee_macro(table, count), weighted = ee_weighted(table, count);
    assert_metric(micro.precision, plain_precision(&sum), "micro precision");
    assert_metric(micro.recall, plain_recall(&sum), "micro recall");
    assert_metric(micro.f1, plain_f1(&sum), "micro f1");
    assert_metric(macro.precision, plain_mean(table, count, plain_precision, 0), "macro precision");
    assert_metric(macro.recall, plain_mean(table, count, plain_recall, 0), "macro recall");
    assert_metric(macro.f1, plain_mean(table, count, plain_f1, 0), "macro f1");
    assert_metric(weighted.precision, plain_mean(table, count, plain_precision, 1), "weighted precision");
    assert_metric(weighted.recall, plain_mean(table, count, plain_recall, 1), "weighted recall");
    assert_metric(weighted.f1, plain_mean(table, count, plain_f1, 1), "weighted f1");
    /* Recall weighted by support is the pooled recall where no value was invented for an attribute without any. */
    bool supported = true;
    for (size_t i = 0; i < count; i++) supported = supported && (table[i].tp + table[i].fn > 0 || table[i].fp == 0);
    if (supported && sum.tp + sum.fn > 0) assert_metric(weighted.recall, micro.recall, "weighted recall");
  }
}

/* A value put right never lowers a metric that was defined, a value put wrong never raises one. */
static void rewards_right_values(void **state) {
  (void)state;
  test_random random = test_random_start("confusion: reward", 802);
  for (int round = 0; round < 20000; round++) {
    ee_counts before = random_counts(&random);
    if (before.wrong == 0) continue;
    ee_counts after = before;
    after.wrong--;
    after.fp--;
    after.fn--;
    after.tp++;
    assert_true(ee_precision(&after).value >= ee_precision(&before).value);
    assert_true(ee_recall(&after).value >= ee_recall(&before).value);
    assert_true(ee_f1(&after).value > ee_f1(&before).value);
  }
}

/* Rates of a field, from its values one by one. */
static void test_rates_of_a_field(void **state) {
  (void)state;
  test_random random = test_random_start("rates", 8);
  for (int round = 0; round < 2000; round++) {
    ee_counts counts = {0};
    double values = 0, right = 0, expected = 0, answered = 0, nowhere = 0, invented = 0;
    for (size_t i = test_random_below(&random, 12); i > 0; i--) {
      ee_class of = (ee_class)test_random_below(&random, EE_CLASS_MISSING + 1);
      ee_counts_add_class(&counts, of);
      values++;
      right += of == EE_CLASS_TP || of == EE_CLASS_TN;
      bool is_expected = of == EE_CLASS_TP || of == EE_CLASS_WRONG || of == EE_CLASS_MISSING;
      expected += is_expected;
      answered += is_expected && of != EE_CLASS_MISSING;
      nowhere += !is_expected;
      invented += of == EE_CLASS_INVENTED;
    }
    const ee_metric got[] = {ee_field_accuracy(&counts), ee_answered_rate(&counts), ee_fabrication_rate(&counts)};
    const double parts[] = {right, answered, invented}, wholes[] = {values, expected, nowhere};
    for (int i = 0; i < 3; i++) {
      assert_int_equal(got[i].defined, wholes[i] > 0);
      if (wholes[i] > 0) assert_true(got[i].value == parts[i] / wholes[i]);
    }
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_rates_of_a_field), cmocka_unit_test(adds_classes),
             cmocka_unit_test(knows_metrics), cmocka_unit_test(knows_averages),
             cmocka_unit_test(agrees_with_plain_loops), cmocka_unit_test(rewards_right_values));
