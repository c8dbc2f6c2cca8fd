/* bench_work.h: doing the trials of a run that its journal does not have.
 *
 * */
#ifndef EE_CLI_BENCH_WORK_H
#define EE_CLI_BENCH_WORK_H

#include <signal.h>

#include "cli/bench_journal.h"
#include "cli/terminal.h"
#include "judge/extraction/extraction.h"
#include "provider/provider.h"

/* One run under way; all of it borrowed. */
typedef struct ee_bench_work {
  const ee_bench_set *set;
  size_t trials; /* of each record */
  ee_bench_journal *journal;
  ee_terminal *terminal;
  const volatile sig_atomic_t *interrupted; /* set: what is under way is finished, and nothing more begun */
  size_t resumed;                           /* trials that the journal had at the start */
} ee_bench_work;

/* What is needed to judge answers to one record. */
typedef struct ee_bench_case {
  const ee_bench_record *record;
  ee_json_schema *schema;
  ee_extraction_document document;
} ee_bench_case;
/* Opened in `arena`, which must not be reset while it is used. The record was checked: its schema compiles. */
void ee_bench_case_open(ee_bench_case *current, const ee_bench_record *record, ee_arena *arena);

/* Draws the progress line. */
void ee_bench_work_progress(const ee_bench_work *work);

/* Judges the recorded answers: trial t takes answers[t mod n], t from 0. `jobs` threads, 0: one a core; what comes of
 * it is the same for every number. EE_ERROR_SYSTEM when the journal cannot be written. */
ee_status ee_bench_work_recorded(ee_bench_work *work, unsigned jobs, ee_error *error);

/* Asks `provider` instead: each trial anew, the questions of many records at a time. Where no answer comes, the trial
 * says why, and the terminal is told. Equal questions of one trial may share an answer. */
ee_status ee_bench_work_ask(ee_bench_work *work, ee_provider *provider, ee_error *error);

/* Appends what a model is asked: the record's instructions, the form of the answer, targetSchema, and the document,
 * which is all that follows the last heading, so that nothing in it can end it. */
void ee_bench_prompt(const ee_bench_record *record, ee_buffer *out);

#endif
