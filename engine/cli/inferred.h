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

/* Appends the rules of `inference` as `file` holds them by its name: NAME.yaml and NAME.json a document, where the
 * comments with the reasons are lost, anything else Lua. */
ee_status ee_inferred_text(const char *file, const ee_inference *inference, ee_buffer *text, ee_error *error);

/* The rules of ee_infer_rules(), loaded into `*rules`; --save-rules writes them to their file, in the form that its
 * name says; the file must not exist, or with --resume hold the same. */
ee_status ee_load_inferred(const ee_options *options, const volatile sig_atomic_t *interrupt, ee_terminal *terminal,
                           ee_inputs *inputs, ee_inference *inference, ee_rule_file **rules, ee_error *error);

/* Loads the rules that follow from `inference->profile`, for command `name`; `*rules` is NULL where there is nothing to
 * judge. */
ee_status ee_load_profiled(const ee_options *options, ee_inference *inference, const char *name, ee_terminal *terminal,
                           ee_rule_file **rules, ee_error *error);

/* The path of the member `key`, as a list of one, in `arena`: what a guess of ids gives. */
ee_path_list ee_path_list_of_key(ee_str key, ee_arena *arena);

#endif
