/* inputs.h: what a command reads: data files, and expected values of a file of their own.
 */
#ifndef EE_CLI_INPUTS_H
#define EE_CLI_INPUTS_H

#include <signal.h>

#include "cli/terminal.h"
#include "data/expected_set.h"
#include "report/run_report.h"
#include "run/run.h"

typedef struct ee_inputs {
  const char *const *files; /* what is judged; borrowed from the command line */
  size_t file_count;
  const char *expected_file; /* where expected values come from; NULL: from the records themselves */
  ee_expected_set *expected; /* NULL without it */
  ee_dataset *dataset;
  uint64_t opening_ns; /* how long it took to read expected values, and to join them where they are COCO's */
} ee_inputs;

/* Opens the data files, operands[1] and on. With --expected its file is read whole; where it is COCO's, the data files
 * are too, and the data set is what they are joined to. A YAML data set as operands[0] brings the expected values, and
 * where no data files are given, the candidates too. What is wrong with entries of expected values is told on the
 * terminal. EE_ERROR_SYSTEM, EE_ERROR_DATA, EE_ERROR_USAGE (standard input twice; --expected beside a data set that
 * brings them); `interrupt` as in ee_expected_set_open(). ee_inputs_close() in either case. */
ee_status ee_inputs_open(ee_inputs *inputs, const ee_options *options, const ee_plan *plan,
                         const volatile sig_atomic_t *interrupt, ee_terminal *terminal, ee_error *error);
void ee_inputs_close(ee_inputs *inputs);

/* Expected values and detections that could not be used. */
uint64_t ee_inputs_in_error(const ee_inputs *inputs);

/* What the reports say of expected values. `whole`: every record was looked at, so that ids that no record asked for
 * are known. */
ee_expected_coverage ee_inputs_coverage(const ee_inputs *inputs, bool whole);

/* What the data files are taken for, when nothing of them could be read as records: a message about files of COCO's
 * that are given in another way than they must be, in the arena; NULL when they look like none. Reads the first file
 * again. */
const char *ee_inputs_guess(const ee_inputs *inputs, ee_arena *arena);

/* Warns of expected values that no record asked for. */
void ee_inputs_warn(const ee_inputs *inputs, ee_terminal *terminal);

#endif
