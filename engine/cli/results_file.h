/* results_file.h: the rows of a run (--results), which survive whatever ends the run.
 *
 * Rows go to FILE.part, which gets the name FILE when the run is complete: what had that name stays as it is until
 * then, and nobody takes a part for the whole. Beside it is FILE.part.journal, lines of JSON with a checksum
 * (data/json/checked_line.h): a header that says which run it is (run_identity.h), then checkpoints: how many bytes of
 * the rows are good and their hash, the run's place in the data, the totals since the last checkpoint, messages. A run
 * with --resume goes on from the last checkpoint that is good, whatever has happened to the rest of both files.
 *
 * FILE.part is locked while a run writes it. Of a link, the file that it leads to is FILE. A pipe or a device is
 * written directly, and such a run cannot be resumed. One thread at a time. */
#ifndef EE_CLI_RESULTS_FILE_H
#define EE_CLI_RESULTS_FILE_H

#include "cli/output.h"
#include "cli/run_identity.h"
#include "run/run.h"

#define EE_RESULTS_PART ".part"
#define EE_RESULTS_JOURNAL ".part.journal"

typedef struct ee_results_file ee_results_file;

/* What a resumed run gets of the run that was cut short: in order, as its hooks had got it. */
typedef struct ee_results_listener {
  void *user;
  ee_status (*rows)(void *user, const char *data, size_t length, ee_error *error); /* whole lines */
  void (*message)(void *user, const ee_error *message);
  void (*failed)(void *user, ee_str id, const char *file, uint64_t line);
  ee_status (*collected)(void *user, ee_str row, ee_error *error);
} ee_results_listener;

/* Opens the rows of a run that is `identity`. With `resume` what is there is kept, as far as it is good; without, it is
 * discarded; notes on `terminal` say so. NULL with `error`: EE_ERROR_RULES if it is of another run (it is left as it
 * is), EE_ERROR_SYSTEM if another process writes it, it is not of a run, or it cannot be opened; EE_ERROR_USAGE for
 * resuming a pipe. `path` is borrowed. */
ee_results_file *ee_results_file_open(const char *path, const ee_run_identity *identity, bool resume,
                                      ee_terminal *terminal, ee_error *error);

/* Where the run goes on; NULL: it begins. Valid as long as the file is open. */
const ee_run_place *ee_results_file_from(const ee_results_file *self);
/* Adds the totals until there to `totals`, empty totals of the run's plan, and gives the listener all that was kept.
 * EE_ERROR_RULES if it makes no sense; EE_ERROR_SYSTEM. */
ee_status ee_results_file_restore(ee_results_file *self, ee_totals *totals, const ee_results_listener *listener,
                                  ee_error *error);

/* Appends rows, whole lines. */
ee_status ee_results_file_write(ee_results_file *self, const char *data, size_t length, ee_error *error);
/* What the next checkpoint keeps beside them. */
void ee_results_file_add_message(ee_results_file *self, const ee_error *message);
void ee_results_file_add_failed(ee_results_file *self, ee_str id, const char *file, uint64_t line);
void ee_results_file_add_collected(ee_results_file *self, ee_str row);

/* As ee_run_hooks.checkpoint: writes a checkpoint when one is due. They are the rarer the longer the run takes, and
 * cost at most 2 % of its time. */
ee_status ee_results_file_checkpoint(ee_results_file *self, const ee_run_place *place, ee_totals *since, bool last,
                                     bool *kept, ee_error *error);

/* Gives the file of a complete run its name; the rows are on the disk then, and the journal is gone. On failure both
 * files stay. */
ee_status ee_results_file_finish(ee_results_file *self, ee_error *error);
/* The name of FILE.part, for messages, if a run can go on from it: it has at least one checkpoint. Else NULL. */
const char *ee_results_file_part(const ee_results_file *self);
/* Cases until the last checkpoint. */
uint64_t ee_results_file_cases(const ee_results_file *self);
/* Closes; files that nothing can go on from are removed. NULL is allowed. */
void ee_results_file_close(ee_results_file *self);

#endif
