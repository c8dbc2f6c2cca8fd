/* ranking.h: the cases that did worst in a judge.
 *
 * Layer: judge. Keeps the EE_RANKING_LIMIT lowest scores, ties in input order; merging parts in input order gives what the
 * whole gives. Owned memory is malloc'd and kept by ee_ranking_clear(). */
#ifndef EE_JUDGE_RANKING_H
#define EE_JUDGE_RANKING_H

#include <stddef.h>

#include "base/str.h"

#define EE_RANKING_LIMIT 1000
#define EE_MEASURE_LIMIT 8

typedef struct ee_ranked_case {
  double score;
  double measures[EE_MEASURE_LIMIT];
  ee_str id; /* owned by the ranking: in `id_memory`, which outlives the case in its place */
  char *id_memory;
  size_t id_capacity;
} ee_ranked_case;

typedef struct ee_ranking {
  ee_ranked_case *cases; /* worst first, always */
  size_t count, capacity;
} ee_ranking;

void ee_ranking_init(ee_ranking *ranking);
void ee_ranking_fini(ee_ranking *ranking);
void ee_ranking_clear(ee_ranking *ranking);
/* Adds a case that comes after all that were added; copies id and measures (`count` <= EE_MEASURE_LIMIT, the others are 0).
 * `score` is no NaN. One comparison when the list is full of worse ones, else as much as moving what lies behind. */
void ee_ranking_add(ee_ranking *ranking, ee_str id, double score, const double *measures, size_t count);
/* Adds `other`, of cases that come after those of `ranking`. O(n). */
void ee_ranking_merge(ee_ranking *ranking, const ee_ranking *other);

#endif
