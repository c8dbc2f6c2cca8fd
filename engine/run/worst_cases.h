/* worst_cases.h: the cases with the lowest scores of a judge.
 *
 * Keeps the EE_WORST_CASES_LIMIT lowest scores, of equal ones those of the lowest ids in byte order, so that neither
 * the order of the cases nor how they were split matters. Owned memory is malloc'd and kept by ee_worst_cases_clear().
 */
#ifndef EE_RUN_WORST_CASES_H
#define EE_RUN_WORST_CASES_H

#include <stddef.h>

#include "base/str.h"
#include "data/json/state_line.h"

#define EE_WORST_CASES_LIMIT 1000
#define EE_CASE_METRIC_LIMIT 16

typedef struct ee_ranked_case {
  double score;
  double case_metrics[EE_CASE_METRIC_LIMIT];
  ee_str id; /* in `id_memory`, which the list owns */
  char *id_memory;
  size_t id_capacity;
} ee_ranked_case;

typedef struct ee_worst_cases {
  ee_ranked_case *cases; /* worst first, always */
  size_t count, capacity;
} ee_worst_cases;

void ee_worst_cases_init(ee_worst_cases *worst);
void ee_worst_cases_fini(ee_worst_cases *worst);
void ee_worst_cases_clear(ee_worst_cases *worst);
/* Adds a case; copies the id and `count` metrics (at most EE_CASE_METRIC_LIMIT, the others
 * are 0). `score` is not NaN. One comparison if the list is full of worse cases, else O(length of the list). */
void ee_worst_cases_add(ee_worst_cases *worst, ee_str id, double score, const double *metrics, size_t count);
/* Adds `other`. O(n). */
void ee_worst_cases_merge(ee_worst_cases *worst, const ee_worst_cases *other);

/* Writes the cases with `count` metrics each, or reads them into an empty list. */
void ee_worst_cases_state(ee_state_line *line, ee_worst_cases *worst, size_t count);

#endif
