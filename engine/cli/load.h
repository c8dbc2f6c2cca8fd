/* load.h: from the names on the command line to what a command works with: rules, provider, data and expected values.
 *
 * Mistakes of rule files are printed on the terminal, all of them. */
#ifndef EE_CLI_LOAD_H
#define EE_CLI_LOAD_H

#include <signal.h>
#include <stdint.h>

#include "cli/host.h"
#include "cli/terminal.h"
#include "data/expected_set.h"
#include "lua/rule_file.h"
#include "provider/provider.h"
#include "report/run_report.h"
#include "run/run.h"

/* Appends the whole of a file, plain or .gz. EE_ERROR_SYSTEM. */
ee_status ee_load_text(const char *file, ee_buffer *text, ee_error *error);

/* Makes standard input readable twice: what is left of it is copied to a temporary file without a name, in $TMPDIR or
 * /tmp, which takes its place. A regular file is only remembered where it stands, so `*start` need not be 0.
 * EE_ERROR_SYSTEM, also when `interrupt` (may be NULL) was set. */
ee_status ee_spool_standard_input(const volatile sig_atomic_t *interrupt, int64_t *start, ee_error *error);
/* Goes back to `start`, before the next opening of "-". */
ee_status ee_rewind_standard_input(int64_t start, ee_error *error);

/* Whether "-" is among the operands. */
bool ee_names_standard_input(const ee_options *options);

/* Where records have their parts according to the options; empty lists: what the rules say. */
ee_record_paths ee_load_paths(const ee_options *options);

/* How rule files are loaded according to the options, with the value of --config. */
ee_rule_file_options ee_load_options(const ee_options *options);
/* Loads the rule file at `path` and prints its mistakes and warnings. NULL when there was a mistake. */
ee_rule_file *ee_load_rules(const ee_options *options, const char *path, ee_terminal *terminal);
/* The same rules once more, without messages, for two documents that are both expected values. */
ee_rule_file *ee_load_rules_of_truths(const ee_options *options, const char *path, const ee_terminal *terminal);
ee_rule_file *ee_load_rules_with(const ee_rule_file_options *load, const char *path, ee_terminal *terminal);
/* Loads the first operand: a rule file, or a YAML data set with evaluators. The data set stays open in `*cases` (NULL
 * for a rule file); the caller closes it after the rules, whatever is returned. Mistakes are printed. EE_ERROR_RULES,
 * also for a broken data set; EE_ERROR_SYSTEM; EE_ERROR_USAGE (--config, which evaluators have themselves). */
ee_status ee_load_first(const ee_options *options, const volatile sig_atomic_t *interrupt, ee_terminal *terminal,
                        ee_rule_file **rules, ee_case_file **cases);

/* The report of the rules that --format names, in `*report`; NULL for a format of the program. EE_ERROR_USAGE, with a
 * suggestion, when the rules have none of that name. */
ee_status ee_find_report(const ee_options *options, const ee_plan *plan, const ee_report_rule **report,
                         ee_error *error);

/* Opens the provider that the rules need into `*provider`: NULL when they need none. With --offline it sends nothing.
 * Prints a warning about its settings. The error has the place in the rule file: EE_ERROR_RULES, EE_ERROR_SYSTEM. */
ee_status ee_open_provider(const ee_plan *plan, const ee_options *options, ee_terminal *terminal,
                           ee_provider **provider, ee_error *error);
/* The same by other settings than the plan's, and with `offline` as for ee_provider_open(). */
ee_status ee_open_provider_as(const ee_plan *plan, const ee_provider_settings *settings, const char *offline,
                              const ee_options *options, ee_terminal *terminal, ee_provider **provider,
                              ee_error *error);
/* The same without rules. From now on this process leaves no core dump: its memory may hold a key. */
ee_status ee_open_model(const ee_provider_settings *settings, const char *offline, const ee_options *options,
                        ee_terminal *terminal, ee_provider **provider, ee_error *error);
/* Prints a note on what the provider (may be NULL) did, such as the number of requests. */
void ee_note_provider(const ee_provider *provider, ee_terminal *terminal);

typedef struct ee_inputs {
  const char *const *files; /* with the candidates; borrowed from the command line */
  size_t file_count;
  const char *expected_file; /* with the expected values; NULL: the records have them */
  ee_expected_set *expected; /* NULL without it */
  ee_dataset *dataset;
  uint64_t opening_ns; /* time to read expected values and to join COCO's */
} ee_inputs;

/* Opens the data files, operands[1] and on; without a rule file all operands: the first has the expected
 * values if there are several and --expected is not given. `paths` says where records have their parts. The file of
 * --expected is read whole; if it is COCO's, so are the data files, and the data set is the result of joining them. A
 * YAML data set as operands[0] has the expected values, and without data files the candidates too. Mistakes in entries
 * of expected values are printed. EE_ERROR_SYSTEM, EE_ERROR_DATA, EE_ERROR_USAGE (standard input twice; --expected with
 * a data set that has them); `interrupt` as in ee_expected_set_open(). ee_inputs_close() in either case. */
ee_status ee_inputs_open(ee_inputs *inputs, const ee_options *options, const ee_record_paths *paths,
                         const volatile sig_atomic_t *interrupt, ee_terminal *terminal, ee_error *error);
void ee_inputs_close(ee_inputs *inputs);

/* The number of expected values and detections that could not be used. */
uint64_t ee_inputs_in_error(const ee_inputs *inputs);

/* The reports' figures on expected values. `whole`: every record was read, so that ids without a record are known. */
ee_expected_coverage ee_inputs_coverage(const ee_inputs *inputs, bool whole);

/* Whether the first record of `file` is an object without its id (`part`: EE_PART_ID or EE_PART_EXPECTED_ID). False for
 * "-". */
bool ee_lacks_id(const char *file, const ee_record_paths *paths, ee_record_part part);
/* The cases that --only and --where choose. */
ee_case_choice ee_load_choice(const ee_options *options);

/* Says why they choose no case, in `error`; false if there is another reason: no record can be read. */
bool ee_inputs_explain_choice(const ee_inputs *inputs, const ee_options *options, const ee_record_paths *paths,
                              ee_arena *arena, ee_error *error);

/* Whether the file is COCO's: annotations, or a list of detections. */
bool ee_is_coco_file(const char *file);

/* When no record could be read: a message, in the arena, if the first file looks like a COCO file in the wrong place,
 * or its first record lacks its id or its expected value at `paths`; else NULL. Reads that file again. */
const char *ee_inputs_guess(const ee_inputs *inputs, const ee_record_paths *paths, ee_arena *arena);

/* Opens inputs->dataset again, at its start: `start` is from ee_spool_standard_input(), 0 where "-" is not read. */
ee_status ee_inputs_restart(ee_inputs *inputs, const ee_record_paths *paths, int64_t start, ee_error *error);

/* Warns of expected values without a record; `judged` of them were judged as empty candidates. */
void ee_inputs_warn(const ee_inputs *inputs, uint64_t judged, ee_terminal *terminal);

#endif
