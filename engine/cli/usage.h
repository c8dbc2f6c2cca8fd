/* usage.h: what --help, --list and similar options print.
 *
 * Each function appends to `out` and takes the option's argument from options->request_argument. An invalid argument
 * fails with EE_ERROR_USAGE. */
#ifndef EE_CLI_USAGE_H
#define EE_CLI_USAGE_H

#include "cli/options.h"

/* --help: usage, examples, options by group, exit statuses. */
ee_status ee_print_help(const ee_options *options, ee_buffer *out, ee_error *error);
/* --version. */
ee_status ee_print_version(const ee_options *options, ee_buffer *out, ee_error *error);
/* --list: one line for each judge, strategy and primitive. */
ee_status ee_print_list(const ee_options *options, ee_buffer *out, ee_error *error);
/* --help-on NAME: definition and options of a judge, strategy or primitive. */
ee_status ee_print_help_on(const ee_options *options, ee_buffer *out, ee_error *error);
/* --print-man: a manual page in man(7) macros. */
ee_status ee_print_man(const ee_options *options, ee_buffer *out, ee_error *error);
/* --print-completion bash|zsh|fish. */
ee_status ee_print_completion(const ee_options *options, ee_buffer *out, ee_error *error);
/* --print-meta: type definitions of the rule language for editors (lua/meta/ee.lua). */
ee_status ee_print_meta(const ee_options *options, ee_buffer *out, ee_error *error);

#define EE_WRAP_COLUMNS 80

/* Appends `text` (UTF-8) to the last line of `out`, wrapped at EE_WRAP_COLUMNS, and a newline. Lines break between
 * words, and a long list of choices (a|b|c) also after a bar; a longer word gets a line of its own. Lines after the
 * first are indented by `indent` columns. Newlines in the text are kept. */
void ee_wrap(ee_buffer *out, size_t indent, const char *text);

#endif
