/* bench_journal.h: the finished trials of a run, on disk as they finish, so that an interrupted run can be resumed.
 *
 * The file is FILE.part in the folder of the run's file: a header line that identifies the run, then one line a
 * finished trial, in any order. Each line is one write at the end of the file, so that a killed run leaves complete
 * lines, except perhaps the last. Each ends with its checksum (data/json/checked_line.h), whose seed is that of the
 * header: lines that are incomplete, damaged or of another run are left out, and their trials are repeated. The first
 * of two lines for one trial counts; a trial without an answer does not, so that resuming requests it again. The file
 * is synced about once a second; trials lost in a power failure are repeated. It is locked while a run writes it, and
 * removed when run.json is complete with all answers. One thread at a time. */
#ifndef EE_CLI_BENCH_JOURNAL_H
#define EE_CLI_BENCH_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"

typedef struct ee_bench_journal ee_bench_journal;

#define EE_BENCH_JOURNAL_ENDING ".part"

/* Opens the journal of `run_file` for a run described by `header` (one line of JSON), with `cases` x `trials` slots.
 * With `resume` its trials are kept, and a different header is EE_ERROR_RULES ("... is the journal of another run").
 * Without, it is emptied; a file that is not a journal (its first two members differ from the header's) stays.
 * NULL with `error`: EE_ERROR_SYSTEM, also when the file is not a journal, is not a regular file, or another process
 * has it locked. */
ee_bench_journal *ee_bench_journal_open(const char *run_file, ee_str header, size_t cases, size_t trials, bool resume,
                                        ee_error *error);
/* The text of a finished trial, or data NULL. Borrowed. */
ee_str ee_bench_journal_find(const ee_bench_journal *journal, size_t case_number, size_t trial);
/* Adds a finished trial (one JSON object on one line); it is in the file when this returns. */
ee_status ee_bench_journal_add(ee_bench_journal *journal, size_t case_number, size_t trial, ee_str text,
                               ee_error *error);
/* The number of lines that were left out when it was opened. */
size_t ee_bench_journal_damaged(const ee_bench_journal *journal);
/* The number of finished trials. */
size_t ee_bench_journal_count(const ee_bench_journal *journal);
/* The name of its file, for messages. Borrowed. */
const char *ee_bench_journal_name(const ee_bench_journal *journal);
/* Closes it; `done` removes the file. NULL is allowed. */
void ee_bench_journal_close(ee_bench_journal *journal, bool done);

#endif
