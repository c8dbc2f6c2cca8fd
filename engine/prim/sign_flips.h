/* sign_flips.h: whether paired differences are chance, by giving each a random sign.
 *
 * The two-sided probability that the sum of the differences is at least as far from 0 as theirs if the sign of each is
 * a fair coin's (Fisher's randomisation test of paired differences; Noreen 1989). Differences up to 1e-9
 * (EE_SCORE_SLACK) are 0, and sums that near are equal, since differences of fractions such as 0.1 are rounded.
 *
 * All patterns of signs are tried up to EE_SIGNS_TRIED_ALL differences other than 0. Else EE_SIGN_DRAWS random ones
 * are, and the result is (hits + 1) / (draws + 1), never 0 (Phipson and Smyth 2010). Draw number i of a unit is bit
 * i % 64 of a hash of its key and i / 64, so that it depends on nothing else. Of more than EE_SIGNS_KEPT differences
 * only the largest have signs of their own in each draw; the sum of the others is then normal, with the variance that
 * random signs give it, and a draw counts as the probability of a hit. So what is kept is small, and the same in any
 * order, and in any way in which the units are divided and merged. */
#ifndef EE_PRIM_SIGN_FLIPS_H
#define EE_PRIM_SIGN_FLIPS_H

#include <stdbool.h>

#include "base/fixed.h"
#include "base/list.h"

#define EE_SIGNS_TRIED_ALL 18
#define EE_SIGN_DRAWS 10048
#define EE_SIGNS_KEPT 1024

/* In steps of 2^-36; at most 2^52 of them. */
#define EE_LARGEST_SIGNED_SIZE (UINT64_C(1) << 52)
typedef struct ee_signed_size {
  uint64_t key; /* decides its random signs; units of one key have the same: a hash of the id or cluster */
  int64_t size; /* of the difference, without its sign */
} ee_signed_size;

/* Zero is empty. */
typedef struct ee_sign_flips {
  uint64_t differences;    /* other than 0 */
  ee_fixed sum, squares;   /* of all, in steps: whole numbers */
  EE_LIST(ee_signed_size); /* the largest ones; after ee_sign_flips_sort() at most EE_SIGNS_KEPT, the largest first */
} ee_sign_flips;

void ee_sign_flips_fini(ee_sign_flips *flips);
void ee_sign_flips_add(ee_sign_flips *flips, uint64_t key, ee_fixed difference);
/* `other` may be of any size, sorted or not. */
void ee_sign_flips_merge(ee_sign_flips *flips, const ee_sign_flips *other);
/* Brings the list into an order that depends on the differences only. */
void ee_sign_flips_sort(ee_sign_flips *flips);
/* The probability; 1 if all are 0. About 10 ms. */
double ee_sign_flips_p(ee_sign_flips *flips);

#endif
