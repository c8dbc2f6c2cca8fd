/* test_agreement.c: kappas against published examples, and against plain loops over the ratings. */
#include "prim/agreement.h"

#include <math.h>
#include <string.h>

#include "support/random.h"

static void assert_near(double got, double expected, double slack, const char *what) {
  if (!(fabs(got - expected) <= slack)) fail_msg("%s: %.17g, not %.17g", what, got, expected);
}

static void knows_published_tables_of_two_raters(void **state) {
  (void)state;
  /* Cohen, A Coefficient of Agreement for Nominal Scales, 1960: 200 cases, kappa 0.492. */
  static const uint64_t cohen[] = {88, 10, 2, 14, 40, 6, 18, 10, 12};
  ee_kappa kappa = ee_cohen_kappa(cohen, 3);
  assert_true(kappa.defined);
  assert_near(kappa.observed, 0.70, 1e-15, "observed");
  assert_near(kappa.expected, 0.41, 1e-15, "expected");
  assert_near(kappa.value, 0.492, 5e-4, "kappa");
  /* Fleiss, Levin, Paik, Statistical Methods for Rates and Proportions, 2003, table 18.1: kappa 0.68. */
  static const uint64_t fleiss[] = {75, 1, 4, 5, 4, 1, 0, 0, 10};
  kappa = ee_cohen_kappa(fleiss, 3);
  assert_near(kappa.observed, 0.89, 1e-15, "observed");
  assert_near(kappa.expected, 0.66, 1e-15, "expected");
  assert_near(kappa.value, 0.68, 5e-3, "kappa");
}

static void knows_the_ends(void **state) {
  (void)state;
  assert_false(ee_cohen_kappa(NULL, 0).defined);
  static const uint64_t nothing[4], one_category[] = {7, 0, 0, 0}, all_agree[] = {3, 0, 0, 4},
                                    none_agree[] = {0, 5, 5, 0}, chance[] = {4, 4, 4, 4};
  assert_false(ee_cohen_kappa(nothing, 2).defined);
  ee_kappa kappa = ee_cohen_kappa(one_category, 2);
  assert_false(kappa.defined);
  assert_near(kappa.observed, 1, 0, "observed");
  assert_near(ee_cohen_kappa(all_agree, 2).value, 1, 0, "all agree");
  assert_near(ee_cohen_kappa(none_agree, 2).value, -1, 0, "none agree");
  assert_near(ee_cohen_kappa(chance, 2).value, 0, 0, "chance");
}

/* Fleiss, Measuring Nominal Scale Agreement among Many Raters, 1971: 30 patients, 6 psychiatrists, 5 diagnoses. */
static const uint32_t patients[30][5] = {
    {0, 0, 0, 6, 0}, {0, 3, 0, 0, 3}, {0, 1, 4, 0, 1}, {0, 0, 0, 0, 6}, {0, 3, 0, 3, 0}, {2, 0, 4, 0, 0},
    {0, 0, 4, 0, 2}, {2, 0, 3, 1, 0}, {2, 0, 0, 4, 0}, {0, 0, 0, 0, 6}, {1, 0, 0, 5, 0}, {1, 1, 0, 4, 0},
    {0, 3, 3, 0, 0}, {1, 0, 0, 5, 0}, {0, 2, 0, 3, 1}, {0, 0, 5, 0, 1}, {3, 0, 0, 1, 2}, {5, 1, 0, 0, 0},
    {0, 2, 0, 4, 0}, {1, 0, 2, 0, 3}, {0, 0, 0, 0, 6}, {0, 1, 0, 5, 0}, {0, 2, 0, 1, 3}, {2, 0, 0, 4, 0},
    {1, 0, 0, 4, 1}, {0, 5, 0, 1, 0}, {4, 0, 0, 0, 2}, {0, 2, 0, 4, 0}, {1, 0, 5, 0, 0}, {0, 0, 0, 0, 6}};

static void knows_published_tables_of_many_raters(void **state) {
  (void)state;
  ee_fleiss fleiss = {0};
  uint64_t totals[5] = {0};
  for (size_t i = 0; i < 30; i++) assert_true(ee_fleiss_add(&fleiss, totals, patients[i], 5));
  static const uint64_t of_the_paper[5] = {26, 26, 30, 55, 43};
  assert_memory_equal(totals, of_the_paper, sizeof totals);
  assert_int_equal(fleiss.unanimous, 5);
  ee_kappa kappa = ee_fleiss_kappa(&fleiss, totals, 5);
  assert_near(kappa.observed, 0.556, 6e-4, "observed");
  assert_near(kappa.expected, 0.220, 6e-4, "expected");
  assert_near(kappa.value, 0.430, 6e-4, "kappa");
}

/* What an item needs: two ratings. */
static void leaves_out_single_ratings(void **state) {
  (void)state;
  ee_fleiss fleiss = {0};
  uint64_t totals[2] = {0};
  assert_false(ee_fleiss_add(&fleiss, totals, (uint32_t[]){1, 0}, 2));
  assert_false(ee_fleiss_add(&fleiss, totals, (uint32_t[]){0, 0}, 2));
  assert_int_equal(fleiss.items + totals[0] + totals[1], 0);
  assert_false(ee_fleiss_kappa(&fleiss, totals, 2).defined);
  assert_true(ee_fleiss_add(&fleiss, totals, (uint32_t[]){2, 0}, 2));
  assert_false(ee_fleiss_kappa(&fleiss, totals, 2).defined); /* all of one category */
  assert_true(ee_fleiss_add(&fleiss, totals, (uint32_t[]){0, 3}, 2));
  assert_near(ee_fleiss_kappa(&fleiss, totals, 2).value, 1, 0, "all agree");
}

/* Slow and obvious twins: pairs of single ratings. */
enum { MOST_ITEMS = 40, MOST_RATERS = 7, MOST_CATEGORIES = 5 };

static void agrees_with_pairs_of_ratings(void **state) {
  (void)state;
  test_random random = test_random_start("agreement: pairs", 803);
  for (int round = 0; round < 4000; round++) {
    size_t items = 1 + test_random_below(&random, MOST_ITEMS),
           categories = 1 + test_random_below(&random, MOST_CATEGORIES);
    unsigned ratings[MOST_ITEMS][MOST_RATERS];
    size_t raters[MOST_ITEMS];
    uint64_t table[MOST_CATEGORIES * MOST_CATEGORIES] = {0}, totals[MOST_CATEGORIES] = {0};
    ee_fleiss whole = {0}, parts[2] = {{0}, {0}};
    for (size_t i = 0; i < items; i++) {
      raters[i] = 2 + test_random_below(&random, MOST_RATERS - 1);
      uint32_t counts[MOST_CATEGORIES] = {0};
      unsigned usual = (unsigned)test_random_below(&random, categories);
      for (size_t r = 0; r < raters[i]; r++) {
        ratings[i][r] = test_random_below(&random, 2) ? usual : (unsigned)test_random_below(&random, categories);
        counts[ratings[i][r]]++;
      }
      table[ratings[i][0] * categories + ratings[i][1]]++;
      ee_fleiss_add(&whole, totals, counts, categories);
      ee_fleiss_add(&parts[test_random_below(&random, 2)], NULL, counts, categories);
    }
    /* Cohen: the first two raters; by chance: every item's first rating with every item's second. */
    double agreed = 0, chance = 0, share = 0, same = 0, all = 0;
    for (size_t i = 0; i < items; i++) {
      agreed += ratings[i][0] == ratings[i][1];
      double pairs = 0, agreeing = 0;
      for (size_t j = 0; j < items; j++) {
        chance += ratings[i][0] == ratings[j][1];
        for (size_t r = 0; r < raters[i]; r++)
          for (size_t s = 0; s < raters[j]; s++) {
            all++;
            same += ratings[i][r] == ratings[j][s];
            if (i != j || r == s) continue;
            pairs++;
            agreeing += ratings[i][r] == ratings[i][s];
          }
      }
      share += agreeing / pairs;
    }
    double n = (double)items, observed = agreed / n, expected = chance / (n * n);
    ee_kappa cohen = ee_cohen_kappa(table, categories);
    assert_int_equal(cohen.defined, chance < n * n);
    if (cohen.defined) assert_near(cohen.value, (observed - expected) / (1 - expected), 1e-12, "cohen");
    ee_kappa fleiss = ee_fleiss_kappa(&whole, totals, categories);
    assert_int_equal(fleiss.defined, same < all);
    if (fleiss.defined) assert_near(fleiss.value, (share / n - same / all) / (1 - same / all), 1e-12, "fleiss");
    ee_fleiss_merge(&parts[1], &parts[0]);
    assert_int_equal(parts[1].items, whole.items);
    assert_int_equal(parts[1].unanimous, whole.unanimous);
    assert_true(parts[1].agreement.units == whole.agreement.units);
  }
}

/* Weighted kappa and the correlation, by the items themselves: what each pair of ratings costs, against what any two
 * ratings of any two items cost; and the covariances of the indicators of all categories. */
static void agrees_with_single_items(void **state) {
  (void)state;
  test_random random = test_random_start("agreement: weights", 1968);
  for (int round = 0; round < 4000; round++) {
    size_t items = test_random_below(&random, MOST_ITEMS + 1),
           categories = 1 + test_random_below(&random, MOST_CATEGORIES);
    size_t x[MOST_ITEMS], y[MOST_ITEMS];
    uint64_t table[MOST_CATEGORIES * MOST_CATEGORIES] = {0};
    for (size_t i = 0; i < items; i++) {
      x[i] = test_random_below(&random, categories);
      y[i] = test_random_below(&random, 3) ? test_random_below(&random, categories) : x[i];
      table[x[i] * categories + y[i]]++;
    }
    for (int square = 0; square < 2; square++) {
      double seen = 0, chance = 0, n = (double)items;
      for (size_t i = 0; i < items; i++) {
        double distance = fabs((double)x[i] - (double)y[i]);
        seen += square ? distance * distance : distance;
        for (size_t j = 0; j < items; j++) {
          distance = fabs((double)x[i] - (double)y[j]);
          chance += square ? distance * distance : distance;
        }
      }
      ee_kappa kappa = ee_weighted_kappa(table, categories, square ? EE_KAPPA_QUADRATIC : EE_KAPPA_LINEAR);
      assert_int_equal(kappa.defined, chance > 0);
      if (kappa.defined) assert_near(kappa.value, 1 - seen / n / (chance / (n * n)), 1e-12, "weighted");
      if (!kappa.defined || categories > 2) continue;
      assert_near(kappa.value, ee_cohen_kappa(table, categories).value, 1e-12, "of two categories as without weights");
    }
    double xy = 0, xx = 0, yy = 0;
    for (size_t k = 0; k < categories; k++) {
      double mean_x = 0, mean_y = 0;
      for (size_t i = 0; i < items; i++) {
        mean_x += (x[i] == k) / (double)items;
        mean_y += (y[i] == k) / (double)items;
      }
      for (size_t i = 0; i < items; i++) {
        xy += ((x[i] == k) - mean_x) * ((y[i] == k) - mean_y);
        xx += ((x[i] == k) - mean_x) * ((x[i] == k) - mean_x);
        yy += ((y[i] == k) - mean_y) * ((y[i] == k) - mean_y);
      }
    }
    ee_correlation found = ee_matthews(table, categories);
    assert_int_equal(found.defined, xx > 1e-9 && yy > 1e-9);
    if (found.defined) assert_near(found.value, xy / sqrt(xx * yy), 1e-12, "correlation");
  }
}

/* Cohen, Weighted kappa, 1968, and the ends: all agree, all are as far apart as they can be, large counts. */
static void knows_the_ends_of_weights(void **state) {
  (void)state;
  static const uint64_t apart[] = {0, 0, 5, 0, 0, 0, 5, 0, 0}, same[] = {3, 0, 0, 0, 4, 0, 0, 0, 5}, one[] = {7};
  assert_near(ee_weighted_kappa(apart, 3, EE_KAPPA_LINEAR).value, -1, 0, "apart");
  assert_near(ee_weighted_kappa(apart, 3, EE_KAPPA_QUADRATIC).value, -1, 0, "apart");
  assert_near(ee_weighted_kappa(apart, 3, EE_KAPPA_LINEAR).observed, 0, 0, "observed");
  assert_near(ee_weighted_kappa(apart, 3, EE_KAPPA_LINEAR).expected, 0.5, 0, "expected");
  assert_near(ee_weighted_kappa(same, 3, EE_KAPPA_LINEAR).value, 1, 0, "same");
  assert_near(ee_matthews(same, 3).value, 1, 0, "same");
  static const uint64_t mirrored[] = {0, 5, 5, 0};
  assert_near(ee_matthews(mirrored, 2).value, -1, 0, "mirrored");
  assert_false(ee_weighted_kappa(one, 1, EE_KAPPA_LINEAR).defined);
  assert_false(ee_weighted_kappa(NULL, 0, EE_KAPPA_QUADRATIC).defined);
  assert_false(ee_matthews(one, 1).defined);
  assert_false(ee_matthews(NULL, 0).defined);
  static const uint64_t large[] = {UINT64_C(1) << 30, 0, 0, UINT64_C(1) << 30};
  assert_near(ee_weighted_kappa(large, 2, EE_KAPPA_QUADRATIC).value, 1, 0, "large");
  assert_near(ee_matthews(large, 2).value, 1, 0, "large");
}

/* Totals come from all items, also from those of one rating, which say nothing about agreement. */
static void needs_two_ratings_of_an_item(void **state) {
  (void)state;
  static const uint64_t totals[] = {2, 1};
  assert_false(ee_fleiss_kappa(&(ee_fleiss){0}, totals, 2).defined);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(agrees_with_single_items), cmocka_unit_test(knows_the_ends_of_weights),
             cmocka_unit_test(knows_published_tables_of_two_raters), cmocka_unit_test(knows_the_ends),
             cmocka_unit_test(knows_published_tables_of_many_raters), cmocka_unit_test(leaves_out_single_ratings),
             cmocka_unit_test(agrees_with_pairs_of_ratings), cmocka_unit_test(needs_two_ratings_of_an_item));
