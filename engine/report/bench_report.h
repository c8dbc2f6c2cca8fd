/* bench_report.h: a run of the bench, printed. */
#ifndef EE_REPORT_BENCH_REPORT_H
#define EE_REPORT_BENCH_REPORT_H

#include "report/bench_metrics.h"
#include "report/page.h"

/* The page borrows from `score`. */
void ee_bench_page(const ee_bench_score *score, ee_page *page);
/* Appends to `out`. */
void ee_bench_json(const ee_bench_score *score, ee_buffer *out);

/* "CASE trial 2: QUOTE_MISMATCH 'planet' at 6..11: the document says 'world'", printable, in `arena`; long texts are
 * shortened. For the page and for tests. */
ee_str ee_bench_failure_line(const ee_bench_failure *failure, ee_arena *arena);

#endif
