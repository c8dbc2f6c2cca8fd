/* inferred.h: the rules of a command line that names no rule file. */
#ifndef EE_CLI_INFERRED_H
#define EE_CLI_INFERRED_H

#include "cli/load.h"
#include "infer/infer.h"

/* Opens the data of a command line without a rule file, surveys it and writes the rules that follow from it to
 * `inference`. Then `inputs` is open at its beginning. Errors as ee_inputs_open() and ee_infer(); EE_ERROR_SYSTEM when
 * `interrupt` was set. */
ee_status ee_infer_rules(const ee_options *options, const volatile sig_atomic_t *interrupt, ee_terminal *terminal,
                         ee_inputs *inputs, ee_inference *inference, ee_error *error);

/* The same, and loads the rules into `*rules`; --save-rules writes them to their file, which must not exist. */
ee_status ee_load_inferred(const ee_options *options, const volatile sig_atomic_t *interrupt, ee_watchdog *watchdog,
                           ee_terminal *terminal, ee_inputs *inputs, ee_inference *inference, ee_rule_file **rules,
                           ee_error *error);

/* EE_ERROR_USAGE if `path` exists. */
ee_status ee_check_new_file(const char *path, ee_error *error);
/* Writes a file that does not exist yet. EE_ERROR_USAGE if it exists, EE_ERROR_SYSTEM. */
ee_status ee_write_new_file(const char *path, const ee_buffer *text, ee_error *error);

#endif
