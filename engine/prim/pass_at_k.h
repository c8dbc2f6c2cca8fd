/* pass_at_k.h: how likely k trials of a case have a pass, and how likely they are all passes, from n trials of it.
 *
 * If c of n trials pass, all ways to choose k of them are equally likely; both are unbiased estimates for k new trials.
 */
#ifndef EE_PRIM_PASS_AT_K_H
#define EE_PRIM_PASS_AT_K_H

#include <stdint.h>

/* The k that are looked at. */
#define EE_PASS_SIZES 13
extern const unsigned ee_pass_sizes[EE_PASS_SIZES];
/* The place of `k` among them, or EE_PASS_SIZES. */
unsigned ee_pass_size_find(uint64_t k);

/* pass@k: the share of choices of `k` trials with at least one pass, 1 - C(n - c, k) / C(n, k) (Chen et al. 2021,
 * "Evaluating Large Language Models Trained on Code"). 1 <= k <= trials, passes <= trials; 0..1, exactly 0 without a
 * pass and exactly 1 where fewer than k trials do not pass. Only * and / are used, so that every machine gives the same
 * bits. O(k). */
double ee_pass_at_k(uint64_t trials, uint64_t passes, uint64_t k);

/* pass^k: the share of choices of `k` trials that are all passes, C(c, k) / C(n, k) (Yao et al. 2024, "tau-bench").
 * The same ranges; exactly 0 with fewer than k passes, exactly 1 where all trials pass. */
double ee_pass_all_k(uint64_t trials, uint64_t passes, uint64_t k);

#endif
