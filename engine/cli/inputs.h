/* inputs.h: what a command reads: data files, and with --expected the expected values.
 *
 * Layer: cli. */
#ifndef EE_CLI_INPUTS_H
#define EE_CLI_INPUTS_H

#include <signal.h>

#include "cli/terminal.h"
#include "data/expected_set.h"
#include "judge/run.h"
#include "report/summary.h"

typedef struct ee_inputs {
  ee_expected_set *expected; /* NULL without --expected */
  ee_dataset *dataset;
  uint64_t opening_ns; /* how long it took to read expected values, and to join them where they are COCO's */
} ee_inputs;

/* Opens the data files, operands[1] and on. With --expected its file is read whole; where it is COCO's, the data files
 * are too, and the data set is what they are joined to. What is wrong with their entries is told on the terminal.
 * EE_ERROR_SYSTEM, EE_ERROR_DATA, EE_ERROR_USAGE (standard input twice); `interrupt` as in ee_expected_set_open().
 * ee_inputs_close() in either case. */
ee_status ee_inputs_open(ee_inputs *inputs, const ee_options *options, const ee_plan *plan,
                         const volatile sig_atomic_t *interrupt, ee_terminal *terminal, ee_error *error);
void ee_inputs_close(ee_inputs *inputs);

/* Expected values and detections that could not be used. */
uint64_t ee_inputs_in_error(const ee_inputs *inputs);

/* What the reports say of expected values. `whole`: every record was looked at, so that ids that no record asked for
 * are known. */
ee_expected_coverage ee_inputs_coverage(const ee_inputs *inputs, bool whole);

/* What the data files are taken for, when nothing of them could be read as records: a message about files of COCO's that are
 * given in another way than they must be, in the arena; NULL when they look like none. Reads the first file again. */
const char *ee_inputs_guess(const ee_inputs *inputs, const ee_options *options, ee_arena *arena);

/* Warns of expected values that no record asked for. */
void ee_inputs_warn(const ee_inputs *inputs, const char *file, ee_terminal *terminal);

#endif
