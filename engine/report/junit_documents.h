/* junit_documents.h: comparisons, audits and scores of the bench as JUnit XML (junit.h). Each appends to `out`. */
#ifndef EE_REPORT_JUNIT_DOCUMENTS_H
#define EE_REPORT_JUNIT_DOCUMENTS_H

#include "report/audit_report.h"
#include "report/bench_report.h"
#include "report/comparison.h"

/* A test a case, which fails if it got worse, with the values that broke; and one for --fail-on, with the notes. */
void ee_comparison_junit(const ee_comparison *comparison, ee_buffer *out);
/* What of a case got worse: "score 1 -> 0.5, pass -> fail: total: 100 -> 102 (expected 100); 2 more" appended to
 * `message`, and all values that broke, a line each, to `text`. */
void ee_comparison_worse_text(const ee_comparison *comparison, size_t number, const ee_case_pair *pair,
                              ee_buffer *message, ee_buffer *text);
/* A test a finding, which fails if report->strict is set, and else is skipped; without findings one test that passes.
 */
void ee_audit_junit(const ee_audit_report *report, ee_buffer *out);
/* A test a gate. */
void ee_bench_junit(const ee_bench_score *score, ee_buffer *out);

#endif
