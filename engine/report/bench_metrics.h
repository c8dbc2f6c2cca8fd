/* bench_metrics.h: the metrics of a run of the bench, and its difference to another run.
 *
 * Computed from run.json only, so that `bench run` and `bench score` cannot differ. */
#ifndef EE_REPORT_BENCH_METRICS_H
#define EE_REPORT_BENCH_METRICS_H

#include "base/error.h"
#include "data/json/json_in_prose.h"
#include "data/json/value.h"
#include "judge/extraction/extraction_corpus.h"
#include "prim/confusion.h"
#include "run/gate_decision.h"

/* run.json, one object:
 * {"schema":1,"kind":"bench_run","mode":"deterministic"|"variance","trials":N,"provider":{"kind","model"?},
 *  "data_hash":"16 hex digits","cases":[{"caseId","category"?,"file","expected"?,"goldCount"?,"trials":[TRIAL,...]}]}
 * TRIAL: {"kind","success","score","extractions":[EXTRACTION,...],
 *  "schemaViolations":[{"place","keyword","message"},...],"repairs":{...},"bareList":bool,"failure"?,
 *  "gold":{"gold","exact","overlapping","partial","approximate"?}?}
 * EXTRACTION: {"schemaValid","extractionClass"?,"quote"?,"offsetMode"?,"charStart"?,"charEnd"?,"reason"?,"fault"?,
 *  "actual"?}
 * No time, no path of the machine, no number that another run on the same answers would not have. */
#define EE_BENCH_RUN_NAME "run.json"
/* All pairs of trials are compared. */
#define EE_BENCH_MAX_TRIALS 1000

typedef struct ee_bench_failure {
  ee_str case_id, extraction_class, quote, code,
      actual;       /* class and quote are empty for the failure of a whole answer */
  size_t trial;     /* from 1 */
  bool has_actual;  /* `actual` is the document's text there; else the reason, or empty */
  bool has_offsets; /* `start` and `end` are set */
  int64_t start, end;
} ee_bench_failure;

typedef struct ee_bench_drift {
  ee_str case_id;
  uint64_t count_min, count_max; /* extractions over trials */
  double stability;              /* mean pairwise Jaccard */
} ee_bench_drift;

typedef struct ee_bench_metrics {
  size_t cases, trials;
  uint64_t extractions, schema_valid, quote_valid; /* over all trials */
  uint64_t successes;                              /* trials with the expected kind and count */
  uint64_t gold, exact, overlapping, partial;      /* over all trials */
  uint64_t approximate;          /* trials with too many gold spans to search: overlapping and partial may be more */
  ee_metric shares[EE_XM_COUNT]; /* the first four are always defined: a share of nothing is 1 */
  const uint64_t *counts;        /* extractions; one per trial number */
  uint64_t count_min, count_max;
  double count_mean, count_variance; /* population */
  const double *pairwise;            /* trials x trials, row by row */
  double drift_rate;                 /* share of cases whose outcome differs between trials */
  uint64_t repairs[EE_REPAIR_COUNT], answers_repaired, answers_unreadable, bare_lists;
  uint64_t unanswered;        /* trials without an answer; not among the unreadable */
  uint64_t schema_violations; /* answers that violate their targetSchema */
  const ee_bench_failure *failures;
  size_t failure_count;
  const ee_bench_drift *drifting; /* least stable first */
  size_t drifting_count;
} ee_bench_metrics;

/* Computes the metrics of a run, in `arena`. EE_ERROR_DATA when `run` is not a valid run.json. */
ee_status ee_bench_metrics_read(const ee_value *run, ee_arena *arena, ee_bench_metrics *metrics, ee_error *error);

/* A metric by the name it has in reports and on the command line ("quoteInvariantRate", "schemaValidRate",
 * "successRate", "coverageRate", "uniqueExtractionStability", ...); false for an unknown name. */
bool ee_bench_metric_find(const ee_bench_metrics *metrics, ee_str name, ee_metric *value);
extern const char *const ee_bench_metric_names[]; /* ended by NULL */

/* A case whose outcome differs: the kinds of its results, or the keys of its extractions
 * (extraction_corpus.h), each over all trials of a run taken together, so that runs with different numbers of trials
 * can be compared. */
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

typedef struct ee_bench_score {
  const ee_bench_metrics *metrics, *baseline; /* baseline NULL: none */
  const ee_value *run, *baseline_run;
  const ee_gate_result *gates; /* their `measure` is one of ee_bench_metric_names; `min` is set */
  size_t gate_count;
} ee_bench_score;

#endif
