/* bench_drift.h: what changed between two runs of the bench.
 */
#ifndef EE_REPORT_BENCH_DRIFT_H
#define EE_REPORT_BENCH_DRIFT_H

#include "base/arena.h"
#include "data/json/value.h"

/* A case whose outcome differs: the kinds of its results, or the keys of its extractions (bench_keys.h), each over all
 * trials of a run taken together, so that runs with different numbers of trials can be compared. */
typedef struct ee_bench_change {
  ee_str case_id;
  ee_str kinds, kinds_before; /* "non_empty", "non_empty, empty_by_failure" */
  size_t gained, lost;        /* keys */
} ee_bench_change;

typedef struct ee_bench_comparison {
  bool same_data;                 /* the same records */
  size_t cases;                   /* that both have, by caseId */
  size_t only_now, only_before;   /* cases */
  uint64_t gained, lost;          /* keys, in cases that both have */
  const ee_bench_change *changes; /* in the order of the run */
  size_t change_count;
} ee_bench_comparison;

/* Compares two runs that ee_bench_metrics_read() took. Everything is in `arena` and borrows from the runs.
 * n log n in cases. */
void ee_bench_compare(const ee_value *run, const ee_value *before, ee_arena *arena, ee_bench_comparison *comparison);

#endif
