/* bench.h: what the commands of the bench share.
 *
 * */
#ifndef EE_CLI_BENCH_H
#define EE_CLI_BENCH_H

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "data/bench_record.h"
#include "report/bench_metrics.h"

/* Each returns the program's exit status. `operands` of the options begin behind the word. */
int ee_bench_run(const ee_options *options, ee_terminal *terminal);
int ee_bench_score_run(const ee_options *options, ee_terminal *terminal);
int ee_bench_add(const ee_options *options, ee_terminal *terminal);

/* Where the files of the bench's records are looked for when none are named. */
#define EE_BENCH_DATASETS "bench/datasets"
#define EE_BENCH_SMOKE "smoke.jsonl"
#define EE_BENCH_REGRESSION "regression.jsonl"

/* Reads a run's file, in `arena`, with its metrics. EE_ERROR_SYSTEM: cannot be read; EE_ERROR_DATA: is no run. */
ee_status ee_bench_load(const char *file, ee_arena *arena, const ee_value **run, ee_bench_metrics *metrics,
                        ee_error *error);

/* Writes the report where the options say. */
ee_status ee_bench_report(const ee_options *options, const ee_bench_score *score, ee_error *error);

/* Opens the records of the bench; every mistake is printed, however many, and `error` then says how many there were and
 * `consequence` ("no trial was run"). As ee_bench_set_open() else; ee_bench_set_close() in either case. */
ee_status ee_bench_open_records(ee_terminal *terminal, const char *const *files, size_t count, const char *consequence,
                                ee_bench_set *set, ee_error *error);

#endif
