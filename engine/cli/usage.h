/* usage.h: what the requests print: --help and the like.
 *
 * Each request takes its argument from `options`, appends to `out`, and fails with EE_ERROR_USAGE and a message. */
#ifndef EE_CLI_USAGE_H
#define EE_CLI_USAGE_H

#include "cli/options.h"

/* --help: usage, examples, options by group, exit statuses. */
ee_status ee_print_help(const ee_options *options, ee_buffer *out, ee_error *error);
ee_status ee_print_version(const ee_options *options, ee_buffer *out, ee_error *error);
/* --list: one line a judge, strategy and primitive. */
ee_status ee_print_list(const ee_options *options, ee_buffer *out, ee_error *error);
/* --help-on NAME: definition and options of a judge, strategy or primitive. */
ee_status ee_print_help_on(const ee_options *options, ee_buffer *out, ee_error *error);
/* --print-man: a manual page in man(7) macros. */
ee_status ee_print_man(const ee_options *options, ee_buffer *out, ee_error *error);
/* --print-completion bash|zsh|fish. */
ee_status ee_print_completion(const ee_options *options, ee_buffer *out, ee_error *error);
/* --print-meta: the editor's definitions of the rule language. */
ee_status ee_print_meta(const ee_options *options, ee_buffer *out, ee_error *error);

#define EE_WRAP_COLUMNS 80

/* Appends `text` (UTF-8) after what the last line of `out` has, and a newline. Lines break between words so that none
 * is wider than EE_WRAP_COLUMNS unless a word is; following lines are indented by `indent` columns. Newlines of the
 * text stay. A long list of choices, a|b|c, may break after a bar. */
void ee_wrap(ee_buffer *out, size_t indent, const char *text);

#endif
