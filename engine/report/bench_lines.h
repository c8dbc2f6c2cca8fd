/* bench_lines.h: sentences that every report on a run of the bench has.
 *
 * */
#ifndef EE_REPORT_BENCH_LINES_H
#define EE_REPORT_BENCH_LINES_H

#include "report/bench_metrics.h"

/* Failures, drifting cases and changes that are listed one by one; the rest is counted. */
#define EE_BENCH_SHOWN 20

/* "CASE trial 2: QUOTE_MISMATCH 'planet' at 6..11: the document says 'world'", printable, in `arena`; long texts are
 * shortened. */
ee_str ee_bench_failure_line(const ee_bench_failure *failure, ee_arena *arena);

/* "quoteInvariantRate 0.75 < 1", "precision is undefined in this run (wanted: at least 0.5)"; in `arena`. */
ee_str ee_bench_gate_line(const ee_bench_score *score, const ee_bench_gate *gate, ee_arena *arena);

/* "variance, 5 trials, answers recorded", "deterministic, 1 trial, answers of openai 'm'". */
ee_str ee_bench_head_line(const ee_value *run, ee_arena *arena);

/* "2 answers with too many gold spans to search: overlapping and partial may be more", in `arena`; empty when there is
 * none. */
ee_str ee_bench_approximate_line(const ee_bench_metrics *metrics, ee_arena *arena);

/* A mean or a variance for people, six digits at most; in `arena`. */
const char *ee_bench_figure(double value, ee_arena *arena);

/* The value of a metric that there is. */
ee_metric ee_bench_metric(const ee_bench_metrics *metrics, const char *name);

/* Of a rate: of how many things it is the share, and of which; false for a mean. */
bool ee_bench_metric_parts(const ee_bench_metrics *metrics, const char *name, uint64_t *part, uint64_t *whole);

#endif
