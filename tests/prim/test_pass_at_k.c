/* test_pass_at_k.c: pass@k and pass^k against examples, and against all choices of k trials. */
#include "prim/pass_at_k.h"

#include <math.h>

#include "support/random.h"

static void assert_near(double got, double expected) {
  if (!(fabs(got - expected) <= 1e-14)) fail_msg("%.17g, not %.17g", got, expected);
}

/* Chen et al. 2021 compute 1 - prod(1 - k / arange(n - c + 1, n + 1)), and 1 where n - c < k. */
static double published(uint64_t n, uint64_t c, uint64_t k) {
  if (n - c < k) return 1;
  double product = 1;
  for (uint64_t i = n - c + 1; i <= n; i++) product *= 1 - (double)k / (double)i;
  return 1 - product;
}

static void knows_published_formulas(void **state) {
  (void)state;
  assert_near(ee_pass_at_k(5, 2, 1), 0.4);
  assert_near(ee_pass_at_k(5, 2, 2), 0.7);  /* 1 - 3/10 */
  assert_near(ee_pass_at_k(5, 2, 3), 0.9);  /* 1 - 1/10 */
  assert_near(ee_pass_all_k(5, 4, 2), 0.6); /* 6/10 */
  assert_near(ee_pass_all_k(8, 6, 4), 15.0 / 70);
  for (uint64_t n = 1; n <= 200; n++)
    for (uint64_t c = 0; c <= n; c += 1 + n / 20)
      for (uint64_t k = 1; k <= n; k += 1 + n / 10) assert_near(ee_pass_at_k(n, c, k), published(n, c, k));
}

static void counts_all_choices(void **state) {
  (void)state;
  for (unsigned n = 1; n <= 10; n++)
    for (unsigned c = 0; c <= n; c++)
      for (unsigned k = 1; k <= n; k++) {
        unsigned choices = 0, any = 0, all = 0, passes = (1u << c) - 1;
        for (unsigned set = 0; set < 1u << n; set++) {
          if ((unsigned)__builtin_popcount(set) != k) continue;
          choices++;
          any += (set & passes) != 0;
          all += (set & ~passes) == 0;
        }
        assert_near(ee_pass_at_k(n, c, k), (double)any / choices);
        assert_near(ee_pass_all_k(n, c, k), (double)all / choices);
      }
}

static void knows_the_ends(void **state) {
  (void)state;
  for (uint64_t n = 1; n < 1000; n += 37)
    for (uint64_t k = 1; k <= n; k += 13) {
      assert_true(ee_pass_at_k(n, 0, k) == 0 && ee_pass_at_k(n, n, k) == 1);
      assert_true(ee_pass_all_k(n, 0, k) == 0 && ee_pass_all_k(n, n, k) == 1);
      assert_true(ee_pass_at_k(n, n - k + 1, k) == 1 && ee_pass_all_k(n, k - 1, k) == 0);
    }
}

static void finds_the_sizes(void **state) {
  (void)state;
  for (unsigned i = 0; i < EE_PASS_SIZES; i++) assert_int_equal(ee_pass_size_find(ee_pass_sizes[i]), i);
  assert_int_equal(ee_pass_size_find(0), EE_PASS_SIZES);
  assert_int_equal(ee_pass_size_find(7), EE_PASS_SIZES);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(knows_published_formulas), cmocka_unit_test(counts_all_choices),
             cmocka_unit_test(knows_the_ends), cmocka_unit_test(finds_the_sizes));
