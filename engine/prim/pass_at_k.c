/* pass_at_k.c: quotients of binomial coefficients as products of k quotients. */
#include "prim/pass_at_k.h"

const unsigned ee_pass_sizes[EE_PASS_SIZES] = {1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100};

unsigned ee_pass_size_find(uint64_t k) {
  unsigned at = 0;
  while (at < EE_PASS_SIZES && ee_pass_sizes[at] != k) at++;
  return at;
}

/* C(part, k) / C(whole, k) */
static double share_of_choices(uint64_t whole, uint64_t part, uint64_t k) {
  if (part < k) return 0;
  double share = 1;
  for (uint64_t i = 0; i < k; i++) share *= (double)(part - i) / (double)(whole - i);
  return share;
}

double ee_pass_at_k(uint64_t trials, uint64_t passes, uint64_t k) {
  return 1 - share_of_choices(trials, trials - passes, k);
}

double ee_pass_all_k(uint64_t trials, uint64_t passes, uint64_t k) { return share_of_choices(trials, passes, k); }
