/* foreign_inputs.h: the files of other tools on the command line (--from; data/foreign/foreign.h). */
#ifndef EE_CLI_FOREIGN_INPUTS_H
#define EE_CLI_FOREIGN_INPUTS_H

#include "cli/load.h"

/* The names of the formats, "promptfoo|inspect|...", as the option's row lists them. */
#define EE_FOREIGN_NAMES "promptfoo|inspect|deepeval|langextract|label-studio|agentv|coco|conll"

/* Sets options->foreign by --from, and what follows from it: the path of trials. After the other options were read.
 * Fails if a file that has to be looked into cannot be read. */
ee_status ee_foreign_options(ee_options *options, ee_error *error);

/* `own`: `paths` for the file of expected values, which may be ours, while the data files are of another tool. Fails if
 * the file, which is looked into, cannot be read. */
ee_status ee_foreign_paths_of_expected(const ee_record_paths *paths, const char *file, ee_record_paths *own,
                                       ee_error *error);

/* Fails if the data files, which can be read again, hold runs that must not be mixed, such as those of two models, and
 * the chosen cases are of several of them: EE_ERROR_DATA with their names and how to choose. */
ee_status ee_foreign_check_variants(const ee_inputs *inputs, const ee_options *options, const ee_record_paths *paths,
                                    ee_error *error);
/* Whether that has to be looked for. */
bool ee_foreign_has_variants(const ee_options *options);

/* "'out.json' looks like results of promptfoo: --from promptfoo", in `arena`, if the first record of `file` is of a
 * tool; else NULL. Reads the file again; not "-". */
const char *ee_foreign_suggestion(const char *file, ee_arena *arena);

/* Fails if --from coco was given and the files are not COCO's. */
ee_status ee_foreign_check_coco(const ee_inputs *inputs, const ee_options *options, ee_error *error);

/* Prints what could not be taken over from `file` (NULL: several), after it was read. `seen` may be NULL: nothing. */
void ee_foreign_warn(const ee_options *options, const struct ee_foreign_seen *seen, const char *file,
                     ee_terminal *terminal);
/* The same for all files of a run. */
void ee_foreign_warn_inputs(const ee_inputs *inputs, const ee_options *options, ee_terminal *terminal);

#endif
