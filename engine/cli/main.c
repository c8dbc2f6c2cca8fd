/* main.c: the program. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/runtime.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "lua/meta.h"

/* What is printed instead of a run: help and the like. */
static int answer(const ee_options *options, ee_terminal *terminal) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_error error = {0};
  ee_status status = EE_OK;
  const char *argument = options->request_argument, *near = NULL;
  switch (options->request) {
  case EE_REQUEST_HELP: ee_options_help(&text); break;
  case EE_REQUEST_VERSION: ee_buffer_addf(&text, "evalengine %s\n", ee_version()); break;
  case EE_REQUEST_LIST: ee_describe_all(&text); break;
  case EE_REQUEST_MAN: ee_options_man(&text); break;
  case EE_REQUEST_META: ee_lua_meta_print(&text); break;
  case EE_REQUEST_HELP_ON:
    if (ee_describe(argument, &text, &near)) break;
    status =
        near != NULL
            ? ee_error_set(&error, EE_ERROR_USAGE, "nothing is called '%s' (did you mean '%s'?)", argument, near)
            : ee_error_set(&error, EE_ERROR_USAGE,
                           "nothing is called '%s' (see --list; functions for rule files: lua/README.md)", argument);
    break;
  case EE_REQUEST_COMPLETION:
    if (!ee_options_completion(argument, &text))
      status = ee_error_set(&error, EE_ERROR_USAGE, "no completions for '%s' (bash, zsh, fish)", argument);
    break;
  case EE_REQUEST_RUN: break;
  }
  ee_output output;
  if (status == EE_OK) status = ee_output_open(&output, NULL, &error);
  if (status == EE_OK) status = ee_output_write(&output, text.data, text.length, &error);
  if (status != EE_OK) ee_terminal_fail(terminal, &error);
  ee_buffer_fini(&text);
  return (int)status;
}

/* A standard descriptor that is closed would be given to the next file that is opened, and the report would end up
 * among the results. What takes its place fails in the direction that counts, so that the usual message comes. */
static void fill_standard_descriptors(void) {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) _exit(EE_ERROR_SYSTEM);
  }
}

int main(int argc, char **argv) {
  fill_standard_descriptors();
  ee_locale_enter();
  ee_options options;
  ee_error error = {0};
  ee_status status = ee_options_parse(argc, argv, &options, &error);
  if (status == EE_OK && options.request == EE_REQUEST_RUN) status = ee_options_read_config(&options, &error);
  ee_terminal terminal;
  ee_terminal_init(&terminal, &options);
  int result = (int)status;
  if (status != EE_OK)
    ee_terminal_fail(&terminal, &error);
  else if (options.request != EE_REQUEST_RUN)
    result = answer(&options, &terminal);
  else if (options.command == EE_COMMAND_CHECK)
    result = ee_command_check(&options);
  else if (options.command == EE_COMMAND_TEST)
    result = ee_command_test(&options);
  else if (options.command == EE_COMMAND_JUDGE)
    result = ee_command_judge(&options);
  else if (options.command == EE_COMMAND_REPORT)
    result = ee_command_report(&options);
  else if (options.command == EE_COMMAND_BENCH)
    result = ee_command_bench(&options);
  else if (options.command == EE_COMMAND_COMPARE)
    result = ee_command_compare(&options);
  else
    result = ee_command_evaluate(&options);
  ee_options_fini(&options);
  return result;
}
