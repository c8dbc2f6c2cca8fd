/* ranking.h: the cases that did worst in a judge.
 *
 * Layer: judge. Keeps the EE_RANKING_LIMIT lowest scores, ties in input order; merging parts in input order gives what the
 * whole gives. Owned memory is malloc'd. */
#ifndef EE_JUDGE_RANKING_H
#define EE_JUDGE_RANKING_H

#include <stddef.h>

#include "base/str.h"

#define EE_RANKING_LIMIT 1000
#define EE_MEASURE_LIMIT 8

typedef struct ee_ranked_case {
  double score;
  double measures[EE_MEASURE_LIMIT];
  ee_str id; /* owned by the ranking */
} ee_ranked_case;

typedef struct ee_ranking {
  ee_ranked_case *cases; /* worst first */
  size_t count, capacity;
} ee_ranking;

void ee_ranking_init(ee_ranking *ranking);
void ee_ranking_fini(ee_ranking *ranking);
void ee_ranking_clear(ee_ranking *ranking);
/* Adds a case that comes after all that were added; copies id and measures (`count` <= EE_MEASURE_LIMIT). */
void ee_ranking_add(ee_ranking *ranking, ee_str id, double score, const double *measures, size_t count);
/* Adds `other`, of cases that come after those of `ranking`. */
void ee_ranking_merge(ee_ranking *ranking, const ee_ranking *other);

#endif
