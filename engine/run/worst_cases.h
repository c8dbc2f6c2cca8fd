/* worst_cases.h: the cases that did worst in a judge.
 *
 * Keeps the EE_WORST_CASES_LIMIT lowest scores, ties in input order; merging parts in input order gives what the
 * whole gives. Owned memory is malloc'd and kept by ee_worst_cases_clear(). */
#ifndef EE_RUN_WORST_CASES_H
#define EE_RUN_WORST_CASES_H

#include <stddef.h>

#include "base/str.h"

#define EE_WORST_CASES_LIMIT 1000
#define EE_CASE_METRIC_LIMIT 8

typedef struct ee_ranked_case {
  double score;
  double case_metrics[EE_CASE_METRIC_LIMIT];
  ee_str id; /* owned by the ranking: in `id_memory`, which outlives the case in its place */
  char *id_memory;
  size_t id_capacity;
} ee_ranked_case;

typedef struct ee_worst_cases {
  ee_ranked_case *cases; /* worst first, always */
  size_t count, capacity;
} ee_worst_cases;

void ee_worst_cases_init(ee_worst_cases *ranking);
void ee_worst_cases_fini(ee_worst_cases *ranking);
void ee_worst_cases_clear(ee_worst_cases *ranking);
/* Adds a case that comes after all that were added; copies id and measures (`count` <= EE_CASE_METRIC_LIMIT, the others
 * are 0). `score` is no NaN. One comparison when the list is full of worse ones, else as much as moving what lies
 * behind. */
void ee_worst_cases_add(ee_worst_cases *ranking, ee_str id, double score, const double *measures, size_t count);
/* Adds `other`, of cases that come after those of `ranking`. O(n). */
void ee_worst_cases_merge(ee_worst_cases *ranking, const ee_worst_cases *other);

#endif
