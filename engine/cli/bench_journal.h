/* bench_journal.h: the trials of a run that are finished, on disk as they finish, so that a run that was cut can go on.
 *
 * FILE.part beside the run's file: a header line that says which run it is, then one line a finished trial,
 * in any order. Each line is one write at the file's end, so that a run that is killed leaves whole lines, and at most
 * the last one cut; it is dropped, as is any line that is none of ours. Of two lines for one trial the first counts;
 * one that tells that no answer came counts for nothing, so that going on asks again. It is brought to the disk about
 * once a second: what a power failure takes away is only done again. It is locked while a run writes it, and removed
 * when run.json stands with all its answers. One thread at a time. */
#ifndef EE_CLI_BENCH_JOURNAL_H
#define EE_CLI_BENCH_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"

typedef struct ee_bench_journal ee_bench_journal;

#define EE_BENCH_JOURNAL_ENDING ".part"

/* Opens the journal of `run_file` for a run that `header` (one line of JSON) describes, with `cases` x `trials` slots.
 * `resume`: what it holds is kept, and a header that differs is EE_ERROR_RULES ("... is the journal of another run");
 * otherwise it starts anew, over a journal only: a file whose first two members are not the header's stays as it is.
 * NULL with `error`: EE_ERROR_SYSTEM, for that too, for what is no regular file, and when another process writes it. */
ee_bench_journal *ee_bench_journal_open(const char *run_file, ee_str header, size_t cases, size_t trials, bool resume,
                                        ee_error *error);
/* The text of a finished trial, or data NULL. Borrowed. */
ee_str ee_bench_journal_find(const ee_bench_journal *journal, size_t case_number, size_t trial);
/* Adds a finished trial (one JSON object on one line); it is in the file when this returns. */
ee_status ee_bench_journal_add(ee_bench_journal *journal, size_t case_number, size_t trial, ee_str text,
                               ee_error *error);
/* Trials that are finished. */
size_t ee_bench_journal_count(const ee_bench_journal *journal);
/* Its file's name, for messages. Borrowed. */
const char *ee_bench_journal_name(const ee_bench_journal *journal);
/* Closes it; `done` removes the file. NULL is allowed. */
void ee_bench_journal_close(ee_bench_journal *journal, bool done);

#endif
