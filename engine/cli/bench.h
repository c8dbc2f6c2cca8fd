/* bench.h: what the jobs of `evalengine bench` share. */
#ifndef EE_CLI_BENCH_H
#define EE_CLI_BENCH_H

#include "cli/commands.h"
#include "cli/terminal.h"
#include "data/bench_record.h"
#include "report/bench_metrics.h"

/* `bench run`. Returns the program's exit status. */
int ee_bench_run(const ee_options *options, ee_terminal *terminal);

/* The shipped records, in this folder. */
#define EE_BENCH_DATASETS "bench/datasets"
#define EE_BENCH_SMOKE "smoke.jsonl"
#define EE_BENCH_REGRESSION "regression.jsonl"

/* Writes the report, in the format and to the file of the options. */
ee_status ee_bench_report(const ee_options *options, const ee_bench_score *score, ee_error *error);

/* Opens records of the bench and prints every mistake; `error` then gives their number and the `consequence` ("no trial
 * was run"). Otherwise as ee_bench_set_open(); ee_bench_set_close() in either case. */
ee_status ee_bench_open_records(ee_terminal *terminal, const char *const *files, size_t count, const char *consequence,
                                ee_bench_set *set, ee_error *error);

/* Appends the prompt of a record: its instructions, the form of the answer, targetSchema and the document. Everything
 * after the last heading is the document, so that nothing in it can end it. */
void ee_bench_prompt(const ee_bench_record *record, ee_buffer *out);

#endif
