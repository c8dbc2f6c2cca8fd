/* ranking.h: several systems that judged the same units: which of them differ, and which is best.
 *
 * - Each pair is compared as two systems are (paired.h), and its p is corrected for the number of pairs (Holm). The
 * intervals hold together: with m pairs, each is of the confidence 1 - (1 - confidence) / m (Bonferroni; Dunn 1961), so
 * that with the wanted confidence none of them misses its true difference. Holm's p may find a difference that such an
 * interval just includes.
 * - How often each system is best is counted in 2,000 samples: each counts every unit as often as a Poisson number of
 * mean 1 says, that is a hash of the unit's key and the sample's number, so that it depends on nothing else (Hanley and
 * MacGibbon, Creating non-parametric bootstrap samples using Poisson frequencies, 2006). Systems of the same mean share
 * the sample. Above 20,000 units, 10,000 groups of units by their hashes are counted so.
 *
 * Scores are rounded to 2^-36 and added as whole numbers: the order of cases and systems changes nothing. */
#ifndef EE_PRIM_RANKING_H
#define EE_PRIM_RANKING_H

#include <stdbool.h>

#include "base/arena.h"
#include "prim/statistics.h"

#define EE_RANKING_SAMPLES 2000

/* System k's scores of case i, 0 to 1: scores[i * systems + k]. Borrowed. */
typedef struct ee_score_table {
  size_t systems, cases; /* at least 1; up to 10^8 cases */
  const double *scores;
  const uint64_t *units; /* by case: a hash of what varies independently: its id, or its cluster */
} ee_score_table;

typedef struct ee_system_pair {
  size_t base, fresh;   /* base < fresh */
  double change;        /* of the mean score */
  ee_interval interval; /* of the change; all intervals hold together */
  double p, p_adjusted;
  uint64_t changed; /* units */
} ee_system_pair;

typedef struct ee_ranking {
  size_t units, pair_count;
  ee_system_pair *pairs; /* (0, 1), (0, 2), ..., (1, 2), ... */
  double each;           /* the confidence of each interval */
  double *best;          /* by system: the share of samples in which it is best; they sum to 1 */
} ee_ranking;

/* `all`: all pairs, else those with the first system. The result is in `arena`. O(cases * systems), for each pair
 * O(units), and O(2000 * min(units, 20,000) * systems). */
void ee_rank_systems(const ee_score_table *table, bool all, double confidence, ee_arena *arena, ee_ranking *ranking);

#endif
