/* test_special.c: exp, log, the incomplete beta function and binomial tails, against libm and plain sums. */
#include <math.h>

#include "prim/special.h"
#include "support/random.h"

static void assert_close(double got, double expected, double relative, const char *what) {
  double scale = fabs(expected) > 1e-300 ? fabs(expected) : 1e-300;
  if (!(fabs(got - expected) <= relative * scale)) fail_msg("%s: %.17g, not %.17g", what, got, expected);
}

static void knows_exp_and_log(void **state) {
  (void)state;
  test_random random = test_random_start("exp and log", 4101);
  assert_true(ee_exp(0) == 1 && ee_log(1) == 0);
  assert_true(ee_exp(-800) == 0 && isinf(ee_exp(800)) && isinf(ee_log(0)) && isnan(ee_log(-1)));
  for (int i = 0; i < 20000; i++) {
    double x = (test_random_unit(&random) - 0.5) * 1400, y = exp((test_random_unit(&random) - 0.5) * 1200);
    assert_close(ee_exp(x), exp(x), 1e-15, "exp");
    if (y != 1) assert_close(ee_log(y), log(y), 1e-15, "log");
    double near = 0.5 + test_random_unit(&random);
    if (near != 1) assert_close(ee_log(near), log(near), 1e-15, "log near 1");
    double z = exp((test_random_unit(&random) - 0.3) * 16);
    double expected = lgamma(z);
    assert_true(fabs(ee_log_gamma(z) - expected) <= 1e-14 * (1 + fabs(expected)));
  }
}

/* Where the error was largest: up to 1.2e-14 * (1 + |result|) once, since two numbers near 28 cancelled. The results
 * are those of lgammal() in 64 bits. */
static void knows_log_gamma_near_two(void **state) {
  (void)state;
  static const double facts[][2] = {
      {0.99037232661246488, 0.0056338400057459603}, {0.99958682442403834, 0.00023863184975365321},
      {0.9995923018916234, 0.00023546647048405006}, {1.0395587064787071, -0.021570994906315824},
      {1.1004198529074811, -0.050050229698133074},  {1.9686182182994805, -0.012948053214266947}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    double got = ee_log_gamma(facts[i][0]), expected = facts[i][1];
    if (!(fabs(got - expected) <= 1e-14 * (1 + fabs(expected))))
      fail_msg("log gamma of %.17g: %.17g, not %.17g", facts[i][0], got, expected);
  }
}

/* The plain sum of the binomial terms, each from the one before it, with logarithms of long double. */
static double plain_at_most(uint64_t count, uint64_t of, double p) {
  long double sum = 0;
  for (uint64_t k = 0; k <= count; k++)
    sum += expl(lgammal((long double)of + 1) - lgammal((long double)k + 1) - lgammal((long double)(of - k) + 1) +
                (long double)k * logl(p) + (long double)(of - k) * log1pl(-p));
  return (double)sum;
}

static void knows_binomial_tails(void **state) {
  (void)state;
  test_random random = test_random_start("binomial tails", 4102);
  for (int i = 0; i < 3000; i++) {
    uint64_t of = 1 + test_random_below(&random, 600), count = test_random_below(&random, of);
    double p = 0.001 + 0.998 * test_random_unit(&random);
    double expected = plain_at_most(count, of, p);
    if (!(fabs(ee_binomial_at_most(count, of, p) - expected) <= 1e-11))
      fail_msg("P(at most %d of %d, %g): %.15g, not %.15g", (int)count, (int)of, p, ee_binomial_at_most(count, of, p),
               expected);
  }
  assert_true(ee_binomial_at_most(5, 5, 0.3) == 1 && ee_binomial_at_most(2, 5, 0) == 1 &&
              ee_binomial_at_most(2, 5, 1) == 0);
}

/* Without an error the limit is 1 - level^(1/n): "3/n" of Hanley and Lippman-Hand (1983). The others are those of R's
 * binom.test(x, n, alternative = "less"). */
static void knows_clopper_pearson(void **state) {
  (void)state;
  for (uint64_t n = 1; n < 2000; n += 37)
    assert_close(ee_binomial_upper_limit(0, n, 0.05), 1 - pow(0.05, 1 / (double)n), 1e-11, "no errors");
  assert_close(ee_binomial_upper_limit(1, 10, 0.05), 0.39416329, 1e-7, "1 of 10");
  assert_close(ee_binomial_upper_limit(2, 10, 0.05), 0.50690131, 1e-7, "2 of 10");
  assert_true(ee_binomial_upper_limit(3, 3, 0.05) == 1 && ee_binomial_upper_limit(0, 0, 0.05) == 1);
  test_random random = test_random_start("limits", 4103);
  for (int i = 0; i < 500; i++) {
    uint64_t of = 1 + test_random_below(&random, 300), count = test_random_below(&random, of);
    double limit = ee_binomial_upper_limit(count, of, 0.05);
    assert_true(fabs(plain_at_most(count, of, limit) - 0.05) < 1e-9);
  }
}

static void knows_what_is_not_finite(void **state) {
  (void)state;
  assert_true(isnan(ee_exp(NAN)) && isnan(ee_log(NAN)) && isinf(ee_log(INFINITY)));
  assert_true(ee_incomplete_beta(2, 3, 0) == 0 && ee_incomplete_beta(2, 3, -1) == 0);
  assert_true(ee_incomplete_beta(2, 3, 1) == 1 && ee_incomplete_beta(2, 3, 2) == 1);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(knows_exp_and_log), cmocka_unit_test(knows_log_gamma_near_two),
             cmocka_unit_test(knows_binomial_tails), cmocka_unit_test(knows_clopper_pearson),
             cmocka_unit_test(knows_what_is_not_finite));
